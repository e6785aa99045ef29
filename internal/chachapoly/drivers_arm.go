//go:build !purego

package chachapoly

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const (
	armv6 uint8 = iota + 1 // kernels: V6
	neon
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	armv6:   {Name: "armv6", Priority: 200, Needs: cpu.ARMV6, Timing: timingARM},
	neon:    {Name: "neon", Priority: 300, Needs: cpu.ARMV6 | cpu.NEON, Timing: timingARM},
}

const timingARM = "independent of secrets where the CPU's multiplication is"

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, armv6: 1, neon: MaxAhead}
