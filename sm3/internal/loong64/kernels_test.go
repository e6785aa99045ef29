//go:build loong64 && !purego

package loong64

import (
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// The results of the kernels are tested through package sm3. Here the stack must be the
// same after two different messages: nothing of them is left.
func TestNothingLeftOnTheStack(t *testing.T) {
	for name, k := range map[string]struct {
		needs  cpu.Set
		blocks func(*[8]uint32, []byte)
	}{"LSX": {cpu.LSX, BlocksLSX}, "LASX": {cpu.LASX, BlocksLASX}} {
		if !cpu.Features().Has(k.needs) {
			continue
		}
		// The number of blocks is even: a last one alone would be for LSX, which writes over what LASX left.
		buffer, v := make([]byte, 257), new([8]uint32)
		for shift := range 2 {
			message := buffer[shift:][:256]
			secret := func(seed byte) {
				rand.NewChaCha8([32]byte{seed}).Read(message)
				*v = [8]uint32{}
			}
			if left := guard.Left(secret, func() { k.blocks(v, message) }); left > 0 {
				t.Errorf("%s: %d bytes on the stack depend on the message", name, left)
			}
		}
	}
}
