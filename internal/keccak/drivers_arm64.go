//go:build !purego

package keccak

import (
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

// Rows of the table.
const (
	NEON uint8 = iota + 1 // kernels: NEON, ARM64
	SHA3                  // kernels: SHA3, NEON, ARM64
	ARM64
)

// Two states in vectors take fewer instructions than one after the other in integer registers. But
// on most CPUs they take longer: the head of _gen/keccak/arm64 has the cycles of LLVM's models.
var infos = []drivers.Info{
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

func fastest(features cpu.Set, machine cpu.Uarch) uint8 {
	if features.Has(cpu.SHA3) && machine&(cpu.Apple|cpu.Ampere1) != 0 {
		return SHA3
	}
	if features.Has(cpu.NEON) && machine&cpu.CortexA72 != 0 {
		return NEON
	}
	return ARM64
}
