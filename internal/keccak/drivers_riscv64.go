//go:build !purego

package keccak

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak/internal/riscv64"
)

// ZBB is a row of the table.
const ZBB uint8 = 1

// Priorities: docs/benchmarks.md, Instruction counts on riscv64.
var table = drivers.New("keccak", []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	ZBB:     {Name: "zbb", Priority: 200, Needs: cpu.ZBB, Timing: "independent of secrets: fixed instructions, no table"},
})

var widths = [...]uint8{Generic: 1, ZBB: 1}

func absorbKernel(row uint8, a *[25]uint64, p []byte, rate int) {
	switch row {
	case ZBB:
		riscv64.AbsorbZBB(a, p, rate/8)
	default:
		panic(noKernel)
	}
}

func squeezeKernel(row uint8, a *[25]uint64, p []byte, rate int) {
	switch row {
	case ZBB:
		riscv64.SqueezeZBB(a, p, rate/8)
	default:
		panic(noKernel)
	}
}

// There are no kernels for several states.

func absorbWideKernel(uint8, *[200]uint64, *[8]*byte, int)  { panic(noKernel) }
func squeezeWideKernel(uint8, *[200]uint64, *[8]*byte, int) { panic(noKernel) }
func permuteWideKernel(uint8, *[200]uint64, int)            { panic(noKernel) }
