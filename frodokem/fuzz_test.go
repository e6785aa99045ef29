package frodokem

import (
	"bytes"
	"testing"
)

// FuzzDecapsulate gives every driver the same ciphertext, made of any bytes, under
// a key of any seed.
func FuzzDecapsulate(f *testing.F) {
	f.Add([]byte("seed"), []byte("ciphertext"), uint8(0))
	f.Add(random(1, 144), random(2, 21696), uint8(4))
	f.Fuzz(func(t *testing.T, seed, ciphertext []byte, number uint8) {
		s := Sets()[int(number)%len(Sets())]
		seed = append(bytes.Clone(seed), make([]byte, s.SeedSize())...)[:s.SeedSize()]
		right := len(ciphertext)%2 == 0 // half of them begin as a right one
		text := make([]byte, s.CiphertextSize())
		var want []byte
		for i, info := range Drivers() {
			if !info.Available() {
				continue
			}
			dk, err := mustOn(t, info.Name).NewDecapsulationKey(s, seed)
			if err != nil {
				t.Fatal(err)
			}
			ss := make([]byte, s.SharedKeySize())
			if i == 0 {
				if right {
					encapsulateWith(&dk.ek, ss, text, seed)
				}
				for j, b := range ciphertext[:min(len(ciphertext), len(text))] {
					text[j] ^= b
				}
			}
			if err := dk.DecapsulateTo(ss, text); err != nil {
				t.Fatal(err)
			}
			got := append(dk.Bytes(), ss...)
			if want == nil {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s differs from generic", info.Name)
			}
		}
	})
}

func mustOn(t *testing.T, name string) Driver {
	d, err := On(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
