package chacha20poly1305_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

// FuzzDrivers compares every driver with the portable one: both AEADs, in place
// and not, alone and in batches, and what they say about a change.
func FuzzDrivers(f *testing.F) {
	f.Add([]byte("key"), []byte("nonce"), []byte("data"), []byte("text"), uint16(100), uint32(0))
	f.Add(random(1, 32), random(2, 24), random(3, 13), random(4, 64), uint16(1420), uint32(1<<20))
	f.Fuzz(func(t *testing.T, key, nonce, data, text []byte, size uint16, change uint32) {
		key, nonce = slices.Concat(key, make([]byte, 32))[:32], slices.Concat(nonce, make([]byte, 24))[:24]
		text = bytes.Clone(text)
		for len(text) > 0 && len(text) < int(size) { // fuzzers like short inputs, kernels have long passes
			text = append(text, text...)
		}
		var want []byte
		for i, info := range chacha20poly1305.Drivers() {
			if !info.Available() {
				continue
			}
			d := must(chacha20poly1305.On(info.Name))
			a, x := must(d.NewAEAD(key)), must(d.NewXAEAD(key))
			got := a.Seal(nil, nonce[:12], text, data)
			n := len(got)
			got = x.Seal(got, nonce, text, data)
			packets := make([]chacha20poly1305.Packet, 1+int(change%20))
			for i := range packets {
				part := text[:len(text)*i/len(packets)]
				packets[i] = chacha20poly1305.Packet{Nonce: slices.Concat([]byte{byte(i)}, nonce[1:12]), Text: part, AdditionalData: data[:len(data)*i/len(packets)]}
			}
			if err := a.SealMany(packets); err != nil {
				t.Fatal(err)
			}
			for i := range packets {
				got = append(got, packets[i].Out...)
				packets[i].Text, packets[i].Dst = packets[i].Out, nil
			}
			if err := a.OpenMany(packets); err != nil {
				t.Errorf("%s does not open its own batch: %v", info.Name, err)
			}
			for i := range packets {
				if !bytes.Equal(packets[i].Out, text[:len(packets[i].Out)]) {
					t.Errorf("%s opens packet %d wrongly", info.Name, i)
				}
			}
			sealed := bytes.Clone(got[:n])
			sealed[int(change)%n] ^= 1 << (change >> 29)
			if _, err := a.Open(nil, nonce[:12], sealed, data); err == nil {
				t.Errorf("%s opens a forgery", info.Name)
			}
			sealed = append(sealed[:0], got[:n]...)
			opened, err := a.Open(sealed[:0], nonce[:12], sealed, data)
			if err != nil || !bytes.Equal(opened, text) {
				t.Errorf("%s does not open its own message of %d bytes: %v", info.Name, len(text), err)
			}
			if i == 0 {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s differs from generic", info.Name)
			}
		}
	})
}
