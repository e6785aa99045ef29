//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/guard"
)

// What the kernels compute is tested through package sm3. Here two messages
// must leave the same on the stack: nothing.
func TestNothingLeftOnTheStack(t *testing.T) {
	for _, k := range []struct {
		name   string
		needs  cpu.Set
		kernel func(v *[8]uint32, p []byte)
	}{
		{"BlocksBMI2AVX", cpu.BMI1 | cpu.BMI2 | cpu.AVX, BlocksBMI2AVX},
		{"BlocksSM3NI", cpu.AVX | cpu.SM3, BlocksSM3NI},
	} {
		t.Run(k.name, func(t *testing.T) {
			if missing := k.needs &^ cpu.Features(); missing != 0 {
				t.Skipf("this CPU lacks %v", missing)
			}
			message, v := make([]byte, 192), new([8]uint32)
			residue := func(seed byte) []byte {
				rand.NewChaCha8([32]byte{seed}).Read(message)
				*v = [8]uint32{}
				return guard.Residue(func() { k.kernel(v, message) })
			}
			for range 3 {
				if bytes.Equal(residue(1), residue(2)) {
					return
				}
			}
			t.Error("the stack shows which message was hashed")
		})
	}
}
