package chacha20

import (
	"crypto/cipher"
	"encoding/binary"

	"github.com/cipherlane/cipherlane/internal/chachapoly/spec"
)

// NewSpec returns the keystream of the specification from a block on, for a nonce
// of 12 or 24 bytes.
func NewSpec(key, nonce []byte, block uint32) cipher.Stream {
	var k [8]uint32
	specWords(k[:], key)
	var base [3]uint32
	if len(nonce) == 24 { // draft-irtf-cfrg-xchacha-03, section 2.3
		var first [4]uint32
		specWords(first[:], nonce)
		k = spec.HChaCha(&k, &first)
		specWords(base[1:], nonce[16:])
	} else {
		specWords(base[:], nonce)
	}
	return &specStream{matrix: spec.State(&k, block, &base)}
}

// SpecHChaCha20 is HChaCha20 on bytes.
func SpecHChaCha20(key, nonce []byte) (out []byte) {
	var k [8]uint32
	var n [4]uint32
	specWords(k[:], key)
	specWords(n[:], nonce)
	for _, word := range spec.HChaCha(&k, &n) {
		out = binary.LittleEndian.AppendUint32(out, word)
	}
	return out
}

type specStream struct {
	matrix [16]uint32 // of the next block
	rest   []byte     // of the keystream made already
}

func (s *specStream) XORKeyStream(dst, src []byte) {
	for i := range src {
		if len(s.rest) == 0 {
			s.rest = spec.Block(s.matrix)
			s.matrix[12]++
		}
		dst[i] = src[i] ^ s.rest[0]
		s.rest = s.rest[1:]
	}
}

func specWords(words []uint32, b []byte) {
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
}
