package sm4_test

import (
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
