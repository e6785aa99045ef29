package conformance

import (
	"crypto/cipher"
	"errors"
	"slices"
)

// ReferenceGCM returns GCM of crypto/cipher.
func ReferenceGCM(b cipher.Block, nonceSize, tagSize int) (cipher.AEAD, error) {
	a, err := cipher.NewGCMWithNonceSize(b, nonceSize)
	return shortTag{a, tagSize}, err
}

// shortTag is GCM with tags cut to size bytes: crypto/cipher has either them
// or nonces of other sizes.
type shortTag struct {
	cipher.AEAD
	size int
}

func (s shortTag) Overhead() int { return s.size }

func (s shortTag) Seal(dst, nonce, plaintext, data []byte) []byte {
	out := s.AEAD.Seal(dst, nonce, plaintext, data)
	return out[:len(out)-s.AEAD.Overhead()+s.size]
}

func (s shortTag) Open(dst, nonce, sealed, data []byte) ([]byte, error) {
	if len(sealed) < s.size {
		return nil, errors.New("too short")
	}
	n := len(sealed) - s.size
	plaintext := s.AEAD.Seal(nil, nonce, sealed[:n], nil)[:n] // the keystream is added either way
	if !slices.Equal(s.Seal(nil, nonce, plaintext, data), sealed) {
		return nil, errors.New("wrong tag")
	}
	return append(dst, plaintext...), nil
}
