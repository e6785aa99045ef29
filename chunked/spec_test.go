package chunked

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha512"
	"errors"
	"hash"
	"math/big"
	"testing"
)

// The specification written down plainly, for messages that fit into memory.

// specExpand is HKDF-Expand, RFC 5869, section 2.3.
func specExpand(h func() hash.Hash, prk, info []byte, size int) []byte {
	var okm, t []byte
	for i := 1; len(okm) < size; i++ {
		mac := hmac.New(h, prk)
		mac.Write(t)
		mac.Write(info)
		mac.Write([]byte{byte(i)})
		t = mac.Sum(nil)
		okm = append(okm, t...)
	}
	return okm[:size]
}

func specKeys(t testing.TB, s Suite, key, salt, context []byte) (a cipher.AEAD, base, commitment []byte) {
	info := []byte("c2sp.org/chunked-encryption@v1+" + s.Name)
	info = append(info, 0)
	info = append(info, salt...)
	info = append(info, context...)
	okm := specExpand(s.Hash, key, info, s.KeySize+s.NonceSize+32)
	a, err := s.AEAD(okm[:s.KeySize])
	if err != nil {
		t.Fatal(err)
	}
	return a, okm[s.KeySize : s.KeySize+s.NonceSize], okm[s.KeySize+s.NonceSize:]
}

// specNonce is base XOR i, both as integers.
func specNonce(base []byte, i int64) []byte {
	n := new(big.Int).SetBytes(base)
	n.Xor(n, big.NewInt(i))
	return n.FillBytes(make([]byte, len(base)))
}

func specSeal(t testing.TB, s Suite, key, salt, context, plaintext []byte) []byte {
	a, base, commitment := specKeys(t, s, key, salt, context)
	var out []byte
	out = append(out, salt...)
	out = append(out, commitment...)
	i := int64(0)
	for len(plaintext) >= 16384 {
		out = a.Seal(out, specNonce(base, i), plaintext[:16384], nil)
		plaintext = plaintext[16384:]
		i++
	}
	return a.Seal(out, specNonce(base, i), plaintext, nil)
}

func specOpen(t testing.TB, s Suite, key, context, sealed []byte) ([]byte, error) {
	if len(sealed) < 56 {
		return nil, errors.New("header")
	}
	a, base, commitment := specKeys(t, s, key, sealed[:24], context)
	if !hmac.Equal(commitment, sealed[24:56]) {
		return nil, errors.New("commitment")
	}
	sealed = sealed[56:]
	var out []byte
	var err error
	i := int64(0)
	for len(sealed) >= 16400 {
		if out, err = a.Open(out, specNonce(base, i), sealed[:16400], nil); err != nil {
			return nil, err
		}
		sealed = sealed[16400:]
		i++
	}
	return a.Open(out, specNonce(base, i), sealed, nil)
}

// wide is a suite with the limits that the format allows, and an AEAD that does
// all that the interface permits: on failure, it overwrites the whole capacity
// of dst.
func wide() Suite {
	return Suite{Name: "TEST_WIDE", KeySize: 32, NonceSize: 32, Hash: sha512.New, AEAD: func(key []byte) (cipher.AEAD, error) {
		b, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		g, err := cipher.NewGCMWithNonceSize(b, 32)
		return scribbler{g}, err
	}}
}

type scribbler struct{ cipher.AEAD }

func (s scribbler) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	out, err := s.AEAD.Open(dst, nonce, ciphertext, data)
	if err != nil {
		all := dst[len(dst):cap(dst)]
		for i := range all {
			all[i] = 0xEE
		}
	}
	return out, err
}
