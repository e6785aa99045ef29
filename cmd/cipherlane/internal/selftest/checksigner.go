package selftest

import (
	"bytes"
	"crypto/rand"
	"errors"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/catalog"
)

var (
	errRefused  = errors.New("a valid signature is rejected")
	errForgery  = errors.New("an invalid signature is accepted")
	errKeys     = errors.New("wrong public key")
	errSecrets  = errors.New("the two sides agree on different secrets")
	errSignings = errors.New("a deterministic signature differs from that of the portable driver")
)

// checkSignature checks that a driver accepts a known signature of a message, and
// rejects it with a changed bit.
func checkSignature(a catalog.Algorithm, driver string, in Input, signature []byte) error {
	s, err := a.Signer(driver)
	if err != nil {
		return err
	}
	key, err := s.PrivateKey(in.Key)
	if err != nil {
		return err
	}
	defer key.Wipe()
	return verifies(key.PublicKey(), in.Text, signature)
}

func verifies(key catalog.VerifierKey, message, signature []byte) error {
	digest, err := key.Digest(message, nil)
	if err != nil {
		return err
	}
	if !key.VerifyRaw(digest[:], signature) {
		return errRefused
	}
	changed := bytes.Clone(signature)
	for _, i := range []int{0, len(changed)/2 - 1, len(changed) - 1} {
		changed[i] ^= 1
		if key.VerifyRaw(digest[:], changed) {
			return errForgery
		}
		changed[i] ^= 1
	}
	digest[0] ^= 0x80
	if key.VerifyRaw(digest[:], signature) {
		return errForgery
	}
	return nil
}

// crossCheckSigner uses a random key with the portable driver and with another one. Each
// must accept the signatures and ciphertexts of the other.
func crossCheckSigner(a catalog.Algorithm, driver string) error {
	var keys [2]catalog.SignerKey
	var peer catalog.SignerKey
	var text []byte
	for i, name := range []string{"generic", driver} {
		s, err := a.Signer(name)
		if err != nil {
			return err
		}
		if i == 0 {
			if peer, err = s.GenerateKey(); err != nil {
				return err
			}
			defer peer.Wipe()
			text = peer.Bytes()
			defer clear(text)
			if peer, err = s.GenerateKey(); err != nil {
				return err
			}
			defer peer.Wipe()
		}
		if keys[i], err = s.PrivateKey(text); err != nil {
			return err
		}
		defer keys[i].Wipe()
	}
	if !bytes.Equal(keys[0].PublicKey().Bytes(), keys[1].PublicKey().Bytes()) {
		return errKeys
	}
	message := inventory.Random(32)
	digest, err := keys[0].PublicKey().Digest(message, nil)
	if err != nil {
		return err
	}
	var fixed [2][64]byte
	var secrets [2][]byte
	for i, key := range keys {
		other := keys[1-i]
		if fixed[i], err = key.SignRaw(nil, digest[:]); err != nil {
			return err
		}
		signature, err := key.SignRaw(rand.Reader, digest[:])
		if err != nil {
			return err
		}
		for _, s := range [][]byte{fixed[i][:], signature[:]} {
			if err := verifies(other.PublicKey(), message, s); err != nil {
				return err
			}
		}
		ciphertext, err := key.PublicKey().Encrypt(message)
		if err != nil {
			return err
		}
		back, err := other.Decrypt(ciphertext)
		if err != nil {
			return err
		}
		if !bytes.Equal(back, message) {
			return errBack
		}
		ciphertext[len(ciphertext)-1] ^= 1
		if _, err := other.Decrypt(ciphertext); err == nil {
			return errAccepted
		}
		if err := checkManySigner(key, other); err != nil {
			return err
		}
		if secrets[i], err = key.ECDH(peer.PublicKey()); err != nil {
			return err
		}
	}
	if fixed[0] != fixed[1] {
		return errSignings
	}
	if !bytes.Equal(secrets[0], secrets[1]) {
		return errSecrets
	}
	return nil
}

// SignerMany is the number of messages that speed processes at once; selftest processes
// one more.
const SignerMany = 16

// checkManySigner signs many digests at once with one of two forms of a key, and verifies the
// signatures, one of them invalid, with the other.
func checkManySigner(key, other catalog.SignerKey) error {
	digests := make([][]byte, SignerMany+1)
	for i := range digests {
		digests[i] = inventory.Random(32)
	}
	signatures, err := key.SignMany(rand.Reader, digests)
	if err != nil {
		return err
	}
	fixed, err := key.SignMany(nil, digests)
	if err != nil {
		return err
	}
	for i, digest := range digests {
		want, err := other.SignRaw(nil, digest)
		if err != nil {
			return err
		}
		if fixed[i] != want {
			return errSignings
		}
		if !other.PublicKey().VerifyRaw(digest, signatures[i][:]) {
			return errRefused
		}
	}
	const wrong = 5
	signatures[wrong][63] ^= 1
	for i, valid := range other.PublicKey().VerifyMany(digests, signatures) {
		switch {
		case valid && i == wrong:
			return errForgery
		case !valid && i != wrong:
			return errRefused
		}
	}
	return nil
}
