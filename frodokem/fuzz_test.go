package frodokem

import (
	"bytes"
	"testing"
)

// FuzzDecapsulate passes every driver the same ciphertext, with arbitrary bytes, for a
// key from an arbitrary seed.
func FuzzDecapsulate(f *testing.F) {
	f.Add([]byte("seed"), []byte("ciphertext"), uint8(0))
	f.Add(random(1, 144), random(2, 21696), uint8(4))
	f.Fuzz(func(t *testing.T, seed, ciphertext []byte, number uint8) {
		s := Sets()[int(number)%len(Sets())]
		seed = append(bytes.Clone(seed), make([]byte, s.SeedSize())...)[:s.SeedSize()]
		valid := len(ciphertext)%2 == 0 // half of them start from a valid ciphertext
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
				if valid {
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

func mustOn(t testing.TB, name string) Driver {
	d, err := On(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// FuzzKeys checks that parsing and encoding a key gives the same bytes, except for NULL
// after the algorithm and a second OCTET STRING.
func FuzzKeys(f *testing.F) {
	for _, s := range []Set{FrodoKEM640AES, EFrodoKEM976SHAKE} {
		dk := newKey(f, mustOn(f, "generic"), s, 1)
		f.Add(MarshalPKIXPublicKey(dk.EncapsulationKey()))
		for _, form := range []Form{Expanded, Seeds} {
			der, err := MarshalPKCS8PrivateKey(dk, form)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(der)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if ek, err := ParsePKIXPublicKey(b); err == nil {
			if der := MarshalPKIXPublicKey(ek); !bytes.Equal(der, b) && len(der) != len(b)-2 {
				t.Errorf("a public key of %d bytes is written as %d", len(b), len(der))
			}
		}
		dk, err := ParsePKCS8PrivateKey(b)
		if err != nil {
			return
		}
		form := Expanded
		if dk.Seed() != nil {
			form = Seeds
		}
		der, err := MarshalPKCS8PrivateKey(dk, form)
		if err != nil {
			t.Fatal(err)
		}
		if len(der) > len(b) || bytes.Equal(der[:8], b[:8]) && !bytes.HasPrefix(b, der) {
			t.Errorf("a private key of %d bytes is written as %d others", len(b), len(der))
		}
		parsed, err := ParsePKCS8PrivateKey(der)
		if err != nil || !bytes.Equal(parsed.Bytes(), dk.Bytes()) {
			t.Errorf("a private key of %d bytes is read and not written: %v", len(b), err)
		}
	})
}
