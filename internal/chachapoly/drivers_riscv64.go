//go:build !purego

package chachapoly

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const (
	zbb uint8 = iota + 1
	rvv
	rvvZvkb // kernels: ZVKB
)

// Priorities: docs/benchmarks.md, Instruction counts.
var infos = []drivers.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	zbb:     {Name: "zbb", Priority: 200, Needs: cpu.ZBA | cpu.ZBB, Timing: timingRISCV64},
	rvv:     {Name: "rvv", Priority: 300, Needs: cpu.V | cpu.ZBA | cpu.ZBB, Timing: timingRISCV64},
	rvvZvkb: {Name: "rvv-zvkb", Priority: 400, Needs: cpu.V | cpu.ZVKB | cpu.ZBA | cpu.ZBB, Timing: timingRISCV64},
}

const timingRISCV64 = "independent of secrets where the CPU's multiplication is"

// ahead is the table of Ahead.
var ahead = [...]uint8{generic: 1, zbb: 1, rvv: MaxAhead, rvvZvkb: MaxAhead}
