//go:build !purego

package chachapoly

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const neon uint8 = 1

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	neon:    {Name: "neon", Priority: 300, Needs: cpu.NEON, Timing: timingARM64},
}

const timingARM64 = "independent of secrets where the CPU's multiplication is"

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, neon: MaxAhead}
