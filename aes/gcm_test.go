package aes_test

import (
	"crypto/cipher"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/conformance"
)

func TestGCMResidue(t *testing.T) {
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		if strings.Contains(t.Name(), "std") {
			return // crypto/cipher leaves it
		}
		key := []byte("a key of 32 bytes, or 256 bits..")
		conformance.GCMResidue(t, must(must(d.New(key)).NewGCM(16, 16)), oracle(key))
	})
}

func TestGCMFresh(t *testing.T) {
	key := []byte("a key of 32 bytes, or 256 bits..")
	eachDriver(t, func(t *testing.T, d aes.Driver) {
		conformance.GCMFresh(t, func() cipher.AEAD { return must(d.NewGCM(key)) }, must(cipher.NewGCM(oracle(key))))
	})
}
