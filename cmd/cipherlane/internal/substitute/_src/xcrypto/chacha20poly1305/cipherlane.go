// Package chacha20poly1305 hands everything on to cipherlane.
package chacha20poly1305

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

const (
	KeySize    = chacha20poly1305.KeySize
	NonceSize  = chacha20poly1305.NonceSize
	NonceSizeX = chacha20poly1305.NonceSizeX
	Overhead   = chacha20poly1305.Overhead
)

func New(key []byte) (cipher.AEAD, error) { return chacha20poly1305.New(key) }

func NewX(key []byte) (cipher.AEAD, error) { return chacha20poly1305.NewX(key) }
