//go:build arm64 && !purego

package arm64

import (
	"bytes"
	"testing"
)

// CPUs that execute in order use no wide passes. The conformance suite runs what this CPU uses; here
// both are the same, at all lengths around passes and calls.
func TestWide(t *testing.T) {
	defer func(was bool) { inOrder = was }(inOrder)
	key, nonce := [8]uint32{1, 2, 3, 4, 5, 6, 7, 8}, [3]uint32{9, 10, 11}
	state := [16]uint32{12: 0xfffffff8, 13: 7}
	message := make([]byte, maxPass+3*widePass)
	for i := range message {
		message[i] = byte(i * i >> 3)
	}
	lengths := []int{maxPass, maxPass + 2*pass, maxPass + widePass + 2*pass - 1, len(message)}
	for n := widePass; n < 8*widePass; n += 5 {
		lengths = append(lengths, n)
	}
	wides := 0
	for _, n := range lengths {
		inOrder = false
		wides += wide(n)
		var sealed, stream [2][]byte
		for i := range 2 {
			inOrder = i == 1
			sealed[i], stream[i] = make([]byte, n+16), make([]byte, n)
			SealNEON(sealed[i], message[:n], message[:13], &key, &nonce)
			XORNEON(stream[i], message[:n], &state)
			if wide(n) > 0 && inOrder {
				t.Fatal("wide passes in order")
			}
		}
		if !bytes.Equal(sealed[0], sealed[1]) {
			t.Fatalf("%d bytes are sealed otherwise", n)
		}
		if !bytes.Equal(stream[0], stream[1]) {
			t.Fatalf("%d bytes have another keystream", n)
		}
		for i := range 2 {
			inOrder = i == 1
			opened := bytes.Clone(sealed[0])
			if !OpenNEON(opened[:n], opened, message[:13], &key, &nonce) || !bytes.Equal(opened[:n], message[:n]) {
				t.Fatalf("%d bytes are not opened", n)
			}
		}
	}
	if wides < 1000 {
		t.Errorf("only %d wide passes", wides)
	}
}
