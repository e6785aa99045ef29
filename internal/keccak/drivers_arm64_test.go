//go:build !purego

package keccak

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

func TestFastest(t *testing.T) {
	for _, c := range []struct {
		features cpu.Set
		machine  cpu.Uarch
		want     uint8
	}{
		{cpu.NEON | cpu.SHA3, cpu.Apple, SHA3},
		{cpu.NEON | cpu.SHA3, cpu.Ampere1, SHA3},
		{cpu.NEON, cpu.Apple, ARM64}, // CIPHERLANE can mask SHA3
		{cpu.NEON | cpu.SHA3, 0, ARM64},
		{cpu.NEON, cpu.CortexA72, NEON},
		{0, cpu.CortexA72, ARM64},
		{cpu.NEON, 0, ARM64},
	} {
		if got := fastest(c.features, c.machine); got != c.want {
			t.Errorf("%v on %v: %s, want %s",
				c.features, c.machine, Drivers()[got].Name, Drivers()[c.want].Name)
		}
	}
}
