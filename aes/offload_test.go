package aes_test

import (
	"testing"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/offload"
)

func TestOffload(t *testing.T) {
	generic := must(aes.On("generic"))
	conformance.Offload(t, offload.AES, offload.AESXTS, 32,
		func(key []byte) (conformance.OffloadCipher, conformance.OffloadXTS) {
			return must(aes.New(key[:32])), must(aes.NewXTS(key))
		},
		func(key []byte) (conformance.OffloadCipher, conformance.OffloadXTS) {
			return must(generic.New(key[:32])), must(generic.NewXTS(key))
		})
}
