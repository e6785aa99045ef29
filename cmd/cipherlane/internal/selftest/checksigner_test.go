package selftest

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/catalog"
)

// A signer that makes one mistake.
type brokenSigner struct {
	catalog.Signer
	key func(k catalog.SignerKey) catalog.SignerKey
}

func (s brokenSigner) PrivateKey(key []byte) (catalog.SignerKey, error) {
	k, err := s.Signer.PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return s.key(k), nil
}

type brokenKey struct {
	catalog.SignerKey
	verify  func(digest, signature []byte) bool
	sign    func(random io.Reader, digest []byte) ([64]byte, error)
	many    func(random io.Reader, digests [][]byte) ([][64]byte, error)
	valid   func(digests [][]byte, signatures [][64]byte) []bool
	decrypt func(ciphertext []byte) ([]byte, error)
	ecdh    func(peer catalog.VerifierKey) ([]byte, error)
	bytes   func() []byte
}

func (k brokenKey) PublicKey() catalog.VerifierKey { return brokenPublic{k.SignerKey.PublicKey(), k} }

func (k brokenKey) SignRaw(random io.Reader, digest []byte) ([64]byte, error) {
	if k.sign != nil {
		return k.sign(random, digest)
	}
	return k.SignerKey.SignRaw(random, digest)
}

func (k brokenKey) SignMany(random io.Reader, digests [][]byte) ([][64]byte, error) {
	if k.many != nil {
		return k.many(random, digests)
	}
	return k.SignerKey.SignMany(random, digests)
}

func (k brokenKey) Decrypt(ciphertext []byte) ([]byte, error) {
	if k.decrypt != nil {
		return k.decrypt(ciphertext)
	}
	return k.SignerKey.Decrypt(ciphertext)
}

func (k brokenKey) ECDH(peer catalog.VerifierKey) ([]byte, error) {
	if k.ecdh != nil {
		return k.ecdh(peer)
	}
	return k.SignerKey.ECDH(peer)
}

type brokenPublic struct {
	catalog.VerifierKey
	broken brokenKey
}

func (k brokenPublic) Bytes() []byte {
	if k.broken.bytes != nil {
		return k.broken.bytes()
	}
	return k.VerifierKey.Bytes()
}

func (k brokenPublic) VerifyMany(digests [][]byte, signatures [][64]byte) []bool {
	if k.broken.valid != nil {
		return k.broken.valid(digests, signatures)
	}
	return k.VerifierKey.VerifyMany(digests, signatures)
}

func (k brokenPublic) VerifyRaw(digest, signature []byte) bool {
	if k.broken.verify != nil {
		return k.broken.verify(digest, signature)
	}
	return k.VerifierKey.VerifyRaw(digest, signature)
}

// TestSelftestSigner: selftest finds every kind of mistake that a driver can make and
// reports which one it is.
func TestSelftestSigner(t *testing.T) {
	a := algorithm(t, "sm2")
	signer := a.Signer
	for name, test := range map[string]struct {
		want   error
		change func(k *brokenKey)
	}{
		"refuses":        {errRefused, func(k *brokenKey) { k.verify = func(_, _ []byte) bool { return false } }},
		"accepts":        {errForgery, func(k *brokenKey) { k.verify = func(_, _ []byte) bool { return true } }},
		"another key":    {errKeys, func(k *brokenKey) { k.bytes = func() []byte { return make([]byte, 65) } }},
		"signs wrongly":  {errSignings, func(k *brokenKey) { k.sign = func(io.Reader, []byte) (s [64]byte, err error) { s[0] = 1; return } }},
		"decrypts zeros": {errBack, func(k *brokenKey) { k.decrypt = func(x []byte) ([]byte, error) { return make([]byte, len(x)-97), nil } }},
		"agrees wrongly": {errSecrets, func(k *brokenKey) {
			k.ecdh = func(catalog.VerifierKey) ([]byte, error) { return make([]byte, 32), nil }
		}},
		"not deterministic": {errSignings, func(k *brokenKey) {
			sign := k.SignerKey.SignRaw
			k.sign = func(_ io.Reader, digest []byte) ([64]byte, error) { return sign(strings.NewReader(""), digest) }
		}},
		"signs many wrongly": {errRefused, func(k *brokenKey) {
			k.many = func(random io.Reader, digests [][]byte) ([][64]byte, error) {
				list, err := k.SignerKey.SignMany(random, digests)
				if random != nil {
					list[16][0] ^= 1
				}
				return list, err
			}
		}},
		"many not deterministic": {errSignings, func(k *brokenKey) {
			k.many = func(_ io.Reader, digests [][]byte) ([][64]byte, error) {
				return k.SignerKey.SignMany(strings.NewReader(""), digests)
			}
		}},
		"accepts many": {errForgery, func(k *brokenKey) {
			k.valid = func(digests [][]byte, _ [][64]byte) []bool { return slices.Repeat([]bool{true}, len(digests)) }
		}},
		"refuses many": {errRefused, func(k *brokenKey) {
			k.valid = func(digests [][]byte, _ [][64]byte) []bool { return make([]bool, len(digests)) }
		}},
		"takes damage": {errAccepted, func(k *brokenKey) {
			decrypt := k.SignerKey.Decrypt
			k.decrypt = func(x []byte) ([]byte, error) {
				y := bytes.Clone(x)
				if m, err := decrypt(x); err == nil {
					return m, nil
				}
				y[len(y)-1] ^= 1
				return decrypt(y)
			}
		}},
	} {
		a.Signer = func(driver string) (catalog.Signer, error) {
			s, err := signer("")
			if err != nil || driver == "generic" {
				return s, err
			}
			return brokenSigner{s, func(k catalog.SignerKey) catalog.SignerKey {
				b := brokenKey{SignerKey: k}
				test.change(&b)
				return b
			}}, nil
		}
		err := CheckAnswer(a, "broken")
		if err == nil {
			err = crossCheckSigner(a, "broken")
		}
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	a.Signer = signer
	a.Answer.Output = bytes.Clone(a.Answer.Output)
	a.Answer.Output[40] ^= 1
	if err := CheckAnswer(a, "generic"); !errors.Is(err, errRefused) {
		t.Errorf("another known answer: %v", err)
	}
}
