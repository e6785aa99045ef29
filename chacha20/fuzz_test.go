package chacha20_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/chacha20"
)

// FuzzDrivers compares every driver with the portable one: a stream in three
// pieces, with a jump, near the end of the counter or not, and XORKeyStreamAt.
func FuzzDrivers(f *testing.F) {
	f.Add([]byte("key"), []byte("nonce"), []byte("text"), uint32(1), uint16(100), uint16(1000))
	f.Add(random(1, 32), random(2, 24), random(3, 64), uint32(1<<32-40), uint16(63), uint16(2000))
	f.Fuzz(func(t *testing.T, key, nonce, text []byte, block uint32, split, size uint16) {
		key, nonce = slices.Concat(key, make([]byte, 32))[:32], slices.Concat(nonce, make([]byte, 24))[:24]
		text = bytes.Clone(text)
		for len(text) > 0 && len(text) < int(size) { // fuzzers like short inputs, kernels have long passes
			text = append(text, text...)
		}
		if last := (1<<32 - uint64(block)) * 64; uint64(len(text)) > last {
			text = text[:last]
		}
		first := min(int(split), len(text))
		second := first + (len(text)-first)/3
		var want []byte
		for i, info := range chacha20.Drivers() {
			if !info.Available() {
				continue
			}
			d := must(chacha20.On(info.Name))
			got := must(d.HChaCha20(key, nonce[:16]))
			for _, n := range []int{12, 24} {
				c := must(d.NewUnauthenticatedCipher(key, nonce[:n]))
				c.SetCounter(block)
				out := make([]byte, len(text))
				c.XORKeyStream(out[:first], text[:first])
				c.XORKeyStream(out[first:second], text[first:second])
				c.XORKeyStream(out[second:], text[second:])
				got = append(got, out...)
				at := bytes.Clone(text)
				c.XORKeyStreamAt(at[first:], at[first:], 64*uint64(block)+uint64(first))
				if !bytes.Equal(at[first:], out[first:]) {
					t.Errorf("%s: XORKeyStreamAt differs", info.Name)
				}
			}
			if i == 0 {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s differs from generic", info.Name)
			}
		}
	})
}
