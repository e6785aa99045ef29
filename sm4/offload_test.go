package sm4_test

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/sm4"
)

func TestOffload(t *testing.T) {
	generic := must(sm4.On("generic"))
	conformance.Offload(t, offload.SM4, offload.SM4XTS, 16,
		func(key []byte) (conformance.OffloadCipher, conformance.OffloadXTS) {
			return must(sm4.New(key[:16])), must(sm4.NewXTS(key))
		},
		func(key []byte) (conformance.OffloadCipher, conformance.OffloadXTS) {
			return must(generic.New(key[:16])), must(generic.NewXTS(key))
		})
}
