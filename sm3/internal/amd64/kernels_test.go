//go:build amd64 && !purego

package amd64

import (
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// The results of the kernels are tested through package sm3. Here the stack must be the
// same after two different messages: nothing of them is left.
func TestNothingLeftOnTheStack(t *testing.T) {
	for _, k := range []struct {
		name   string
		needs  cpu.Set
		kernel func(v *[8]uint32, p []byte)
	}{
		{"BlocksSSSE3", cpu.SSSE3, BlocksSSSE3},
		{"BlocksBMI2AVX", cpu.BMI1 | cpu.BMI2 | cpu.AVX, BlocksBMI2AVX},
		{"BlocksSM3NI", cpu.AVX | cpu.SM3, BlocksSM3NI},
	} {
		t.Run(k.name, func(t *testing.T) {
			if missing := k.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			message, v := make([]byte, 192), new([8]uint32)
			secret := func(seed byte) {
				rand.NewChaCha8([32]byte{seed}).Read(message)
				*v = [8]uint32{}
			}
			if left := guard.Left(secret, func() { k.kernel(v, message) }); left > 0 {
				t.Errorf("%d bytes on the stack depend on the message", left)
			}
		})
	}
}
