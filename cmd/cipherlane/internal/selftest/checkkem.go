package selftest

import (
	"bytes"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/catalog"
)

// checkKEM checks that a driver and the portable one decapsulate each other's
// ciphertexts, and that both get the same, different key from a changed ciphertext.
func checkKEM(a catalog.Algorithm, driver string, seed []byte) error {
	plain, key, err := privateKeys(a, driver, seed)
	if err != nil {
		return err
	}
	for _, pair := range [][2]catalog.PrivateKey{{key, plain}, {plain, key}} {
		sharedKey, ciphertext := pair[0].PublicKey().Encapsulate()
		changed := bytes.Clone(ciphertext)
		changed[len(changed)/2] ^= 1
		back, err := pair[1].Decapsulate(ciphertext)
		if err != nil {
			return err
		}
		if !bytes.Equal(back, sharedKey) {
			return errBack
		}
		one, err := key.Decapsulate(changed)
		if err != nil {
			return err
		}
		other, err := plain.Decapsulate(changed)
		if err != nil {
			return err
		}
		if bytes.Equal(one, sharedKey) {
			return errAccepted
		}
		if !bytes.Equal(one, other) {
			return errWrong
		}
	}
	return nil
}

// privateKeys returns a private key for the portable driver and for another one.
func privateKeys(a catalog.Algorithm, driver string, seed []byte) (plain, key catalog.PrivateKey, err error) {
	for _, d := range []struct {
		name string
		key  *catalog.PrivateKey
	}{{"generic", &plain}, {driver, &key}} {
		k, err := a.KEM(d.name)
		if err == nil {
			*d.key, err = k.PrivateKey(seed)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return plain, key, nil
}

// crossCheckKEM is crossCheck for a KEM, with a random key.
func crossCheckKEM(a catalog.Algorithm, driver string) error {
	k, err := a.KEM(driver)
	if err != nil {
		return err
	}
	seed := inventory.Random(k.Sizes().Seed)
	plain, key, err := privateKeys(a, driver, seed)
	if err != nil {
		return err
	}
	if !bytes.Equal(plain.Bytes(), key.Bytes()) {
		return errWrong
	}
	return checkKEM(a, driver, seed)
}
