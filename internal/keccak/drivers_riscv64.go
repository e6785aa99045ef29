//go:build !purego

package keccak

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Rows of the table.
const (
	ZBB  uint8 = iota + 1
	RVV        // kernels: RVV, ZBB
	ZVKB       // kernels: ZVKB, RVV, ZBB
)

// Priorities: docs/benchmarks.md, Instruction counts.
var table = drivers.New("keccak", infos())

const timingRISCV64 = "independent of secrets: fixed instructions, no table"

func infos() []drivers.Info {
	list := []drivers.Info{
		Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
		ZBB:     {Name: "zbb", Priority: 200, Needs: cpu.ZBB, Timing: timingRISCV64},
		RVV:     {Name: "rvv", Priority: 300, Needs: cpu.V | cpu.ZBB, Timing: timingRISCV64},
		ZVKB: {Name: "rvv-zvkb", Priority: 400, Timing: timingRISCV64,
			Needs: cpu.V | cpu.ZVKB | cpu.ZBB},
	}
	// There a vector of 128 bits takes as long as two integers.
	if cpu.Features().Has(cpu.V) &&
		(cpu.VectorBytes() < 32 || cpu.Microarchitecture() == cpu.SpacemitX60) {
		list[RVV].Slow = cpu.V
	}
	return list
}

var widths = [...]uint8{Generic: 1, ZBB: 1, RVV: 8, ZVKB: 8}

// Fastest returns the row with the highest priority that this CPU can run and that is not slow
// on it.
func Fastest() uint8 {
	rows, best := table.Drivers(), Generic
	for i, r := range rows {
		if r.Available() && r.Slow&cpu.Features() == 0 && r.Priority > rows[best].Priority {
			best = uint8(i)
		}
	}
	return best
}
