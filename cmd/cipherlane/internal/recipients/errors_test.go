package recipients

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/frodokem"
	"github.com/cipherlane/cipherlane/sm2"
)

// A recipient of small order is read, as age does, and nothing is encrypted for it.
func TestSmallOrder(t *testing.T) {
	for number, set := range frodoSets {
		i, err := GenerateFrodoKEM(set)
		if err != nil {
			t.Fatal(err)
		}
		data := bech32Bytes(t, i.Recipient().(fmt.Stringer).String())
		clear(data[len(data)-x25519Size:])
		r, err := DecodeFrodoKEMRecipient(data)
		if err != nil {
			t.Fatal(err)
		}
		if stanzas, err := r.Wrap(make([]byte, fileKeySize)); err == nil || stanzas != nil {
			t.Errorf("set %d: %d stanzas, %v", number, len(stanzas), err)
		}
	}
}

// Errors say how long keys are.
func TestSizesInErrors(t *testing.T) {
	want := map[string]string{
		"public key of SM2":                        "33 bytes, not 5",
		"a public key of FrodoKEM-976-AES":         fmt.Sprintf("%d bytes, not 5", 1+15632+32),
		"a public key of FrodoKEM-1344-AES":        fmt.Sprintf("%d bytes, not 5", 1+21520+32),
		"an identity of FrodoKEM-976-AES has 33 b": "33 bytes, not 5",
	}
	var all []string
	for _, data := range [][]byte{{1, 2, 3, 4, 5}, {2, 2, 3, 4, 5}} {
		for _, k := range Kinds {
			_, err1 := k.Recipient(data)
			_, err2 := k.Identity(data)
			all = append(all, fmt.Sprint(err1), fmt.Sprint(err2))
		}
	}
	for about, text := range want {
		found := false
		for _, s := range all {
			found = found || strings.Contains(s, about) && strings.Contains(s, text)
		}
		if !found {
			t.Errorf("%s: no %q in %q", about, text, all)
		}
	}
}

// A recipient is a compressed point, so that it has one encoding.
func TestCompressed(t *testing.T) {
	key, err := sm2.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeSM2Recipient(key.PublicKey().BytesCompressed()); err != nil {
		t.Error(err)
	}
	if r, err := DecodeSM2Recipient(key.PublicKey().Bytes()); err == nil || r != nil {
		t.Error("a point of 65 bytes is a recipient")
	}
}

// An identity is also a recipient.
func TestIdentityAsRecipient(t *testing.T) {
	for kind, i := range identities(t) {
		for _, k := range Kinds {
			if (k.Plugin == SM2Plugin) != (kind == "sm2") {
				continue
			}
			data := bech32Bytes(t, i.String())
			r, err := k.IdentityAsRecipient(data)
			if err != nil || fmt.Sprint(r) != fmt.Sprint(i.Recipient()) {
				t.Errorf("%s: %v, or another recipient", kind, err)
			}
			if r, err := k.IdentityAsRecipient(data[1:]); err == nil || r != nil {
				t.Errorf("%s: %v, %v of a part of an identity", kind, r, err)
			}
		}
	}
}

// If keys cannot be derived, there is an error.
func TestDeriveFails(t *testing.T) {
	defer func(d func(secret, salt []byte, info string, size int) ([]byte, error)) { derive = d }(derive)
	i, err := GenerateFrodoKEM(frodokem.FrodoKEM976AES)
	if err != nil {
		t.Fatal(err)
	}
	stanzas, err := i.Recipient().Wrap(make([]byte, fileKeySize))
	if err != nil {
		t.Fatal(err)
	}
	hkdf := derive
	derive = func(secret, salt []byte, info string, size int) ([]byte, error) {
		return hkdf(secret, salt, info, size-1)
	}
	if i, err := GenerateFrodoKEM(frodokem.FrodoKEM976AES); err == nil || i != nil {
		t.Error("an identity of a short key")
	}
	if s, err := i.Recipient().Wrap(make([]byte, fileKeySize)); err == nil || s != nil {
		t.Error("encrypted with a short key")
	}
	if k, err := i.Unwrap(stanzas); err == nil || k != nil {
		t.Error("decrypted with a short key")
	}
	derive = func([]byte, []byte, string, int) ([]byte, error) { return make([]byte, 1000), errors.New("no") }
	if i, err := GenerateFrodoKEM(frodokem.FrodoKEM976AES); err == nil || i != nil {
		t.Error("an identity, and no key was derived")
	}
	defer func() {
		if recover() == nil {
			t.Error("encrypted, and no key was derived")
		}
	}()
	i.Recipient().Wrap(make([]byte, fileKeySize))
}
