//go:build !purego

package frodokem

import (
	"github.com/cipherlane/cipherlane/frodokem/internal/riscv64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

const (
	rvv    uint8 = iota + 1
	zvkned       // kernels: Zvkned, RVV
)

// Priorities: docs/benchmarks.md, Instruction counts.
var table = drivers.Register("frodokem", infos())

const timingRISCV64 = "independent of secrets: fixed instructions, no table"

func infos() []drivers.Info {
	list := []drivers.Info{
		generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
		rvv:     {Name: "rvv", Priority: 200, Needs: cpu.V, Timing: timingRISCV64},
		zvkned:  {Name: "zvkned", Priority: 300, Needs: cpu.V | cpu.ZVKNED, Timing: timingRISCV64},
	}
	if cpu.Microarchitecture() == cpu.SiFive7 {
		list[rvv].Slow = cpu.V // vrgather takes a cycle for each element
	}
	return list
}

// hashRow has the driver of Keccak that goes with each driver. It does not depend on the
// machine's instructions for AES.
var hashRow = [...]uint8{generic: keccak.Generic, rvv: keccak.Fastest(), zvkned: keccak.Fastest()}

//switches:argument *riscv64.Matrix = &k.matrix
//switches:argument *riscv64.Columns = &k.columns
//switches:argument bool = cpu.Microarchitecture() == cpu.SpacemitX60

type kernelScratch struct {
	matrix  riscv64.Matrix
	columns riscv64.Columns     // of S'
	rows    [nbar * maxN]uint16 // of the transpose of B
}

func (k *kernelScratch) wipe(p *params) { clear(k.columns[:p.n]) }

func pairsRVV(k *kernelScratch, s []uint16) { riscv64.ColumnsRVV(&k.columns, s) }

func mulSBRVV(v *[nbar * nbar]uint16, k *kernelScratch, s, b []uint16) {
	riscv64.MulSBRVV(v, s, b, k.rows[:])
}
