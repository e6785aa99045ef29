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
	if !cpu.Features().Has(cpu.LSX) {
		t.Skip("this CPU lacks LSX")
	}
	buffer, v := make([]byte, 193), new([8]uint32)
	for shift := range 2 {
		message := buffer[shift:][:192]
		secret := func(seed byte) {
			rand.NewChaCha8([32]byte{seed}).Read(message)
			*v = [8]uint32{}
		}
		if left := guard.Left(secret, func() { BlocksLSX(v, message) }); left > 0 {
			t.Errorf("%d bytes on the stack depend on the message", left)
		}
	}
}
