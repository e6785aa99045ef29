package sm4_test

import (
	"crypto/cipher"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/sm4"
)

func TestGCMResidue(t *testing.T) {
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		key := random(70, sm4.KeySize)
		conformance.GCMResidue(t, must(must(d.New(key)).NewGCM(16, 16)), sm4.NewSpecBlock(key))
	})
}

func TestGCMFresh(t *testing.T) {
	key := random(71, sm4.KeySize)
	eachDriver(t, func(t *testing.T, d sm4.Driver) {
		conformance.GCMFresh(t, func() cipher.AEAD { return must(d.NewGCM(key)) }, must(must(sm4.On("generic")).NewGCM(key)))
	})
}
