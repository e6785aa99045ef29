package chacha20poly1305

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"

	"github.com/cipherlane/cipherlane/internal/chachapoly/spec"
)

// NewSpec returns the AEAD of the specification, with nonces of 12 or 24 bytes.
func NewSpec(key []byte, nonceSize int) cipher.AEAD {
	s := &specAEAD{nonceSize: nonceSize}
	specWords(s.key[:], key)
	return s
}

type specAEAD struct {
	key       [8]uint32
	nonceSize int
}

func specWords(words []uint32, b []byte) {
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
}

func (s *specAEAD) NonceSize() int { return s.nonceSize }
func (s *specAEAD) Overhead() int  { return 16 }

// keys are key and nonce of ChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.3).
func (s *specAEAD) keys(nonce []byte) (key [8]uint32, base [3]uint32) {
	if s.nonceSize == 12 {
		specWords(base[:], nonce)
		return s.key, base
	}
	var first [4]uint32
	specWords(first[:], nonce)
	specWords(base[1:], nonce[16:])
	return spec.HChaCha(&s.key, &first), base
}

func (s *specAEAD) Seal(dst, nonce, plaintext, data []byte) []byte {
	key, base := s.keys(nonce)
	return append(dst, spec.Seal(plaintext, data, &key, &base)...)
}

func (s *specAEAD) Open(dst, nonce, sealed, data []byte) ([]byte, error) {
	if len(sealed) < 16 {
		return nil, errors.New("too short")
	}
	key, base := s.keys(nonce)
	plaintext := spec.XOR(sealed[:len(sealed)-16], spec.State(&key, 1, &base))
	if subtle.ConstantTimeCompare(spec.Seal(plaintext, data, &key, &base), sealed) != 1 {
		return nil, errors.New("wrong tag")
	}
	return append(dst, plaintext...), nil
}
