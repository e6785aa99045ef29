// Package chacha20 hands everything on to cipherlane.
package chacha20

import "github.com/cipherlane/cipherlane/chacha20"

const (
	KeySize    = chacha20.KeySize
	NonceSize  = chacha20.NonceSize
	NonceSizeX = chacha20.NonceSizeX
)

const (
	blockSize = 64
	bufSize   = 64
)

type Cipher = chacha20.Cipher

func NewUnauthenticatedCipher(key, nonce []byte) (*Cipher, error) {
	return chacha20.NewUnauthenticatedCipher(key, nonce)
}

func HChaCha20(key, nonce []byte) ([]byte, error) { return chacha20.HChaCha20(key, nonce) }
