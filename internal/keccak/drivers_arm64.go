//go:build !purego

package keccak

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak/internal/arm64"
)

// Rows of the table.
const (
	NEON uint8 = iota + 1
	SHA3
	ARM64
)

// Two states in vectors take fewer instructions than one after the other in integer registers. But
// on most CPUs they take longer: the head of _gen/keccak/arm64 has the cycles of LLVM's models.
var infos = []driver.Info{
	Generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	NEON:    {Name: "neon", Priority: 200, Needs: cpu.NEON, Timing: timingARM64},
	SHA3:    {Name: "sha3", Priority: 200, Needs: cpu.SHA3, Timing: timingARM64},
	ARM64:   {Name: "arm64", Priority: 300, Timing: timingARM64},
}

var table = drivers.New("keccak", infos)

const timingARM64 = "independent of secrets: fixed instructions, no table"

var widths = [...]uint8{Generic: 1, NEON: 2, SHA3: 2, ARM64: 1}

// Fastest returns the row for this CPU.
func Fastest() uint8 { return fastest(cpu.Features(), cpu.Microarchitecture()) }

func fastest(features cpu.Set, on cpu.Uarch) uint8 {
	if features.Has(cpu.SHA3) && on&(cpu.Apple|cpu.Ampere1) != 0 {
		return SHA3
	}
	if features.Has(cpu.NEON) && on&cpu.CortexA72 != 0 {
		return NEON
	}
	return ARM64
}

func absorbKernel(row uint8, a *[25]uint64, p []byte, rate int) {
	switch row {
	case NEON, SHA3, ARM64:
		arm64.Absorb(a, p, rate/8)
	default:
		panic(noKernel)
	}
}

func squeezeKernel(row uint8, a *[25]uint64, p []byte, rate int) {
	switch row {
	case NEON, SHA3, ARM64:
		arm64.Squeeze(a, p, rate/8)
	default:
		panic(noKernel)
	}
}

func absorbWideKernel(row uint8, a *[200]uint64, p *[8]*byte, rate int) {
	switch row {
	case NEON, SHA3:
		arm64.AbsorbPairNEON(a, p, rate/8)
	default: // ARM64
		panic(noKernel)
	}
}

func squeezeWideKernel(row uint8, a *[200]uint64, p *[8]*byte, rate int) {
	switch row {
	case NEON, SHA3:
		arm64.SqueezePairNEON(a, p, rate/8)
	default: // ARM64
		panic(noKernel)
	}
}

func permuteWideKernel(row uint8, a *[200]uint64, _ int) {
	switch row {
	case NEON:
		arm64.PermuteNEON(a)
	case SHA3:
		arm64.PermuteSHA3(a)
	default: // ARM64
		panic(noKernel)
	}
}
