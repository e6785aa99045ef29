//go:build !purego

package frodokem

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/frodokem/internal/riscv64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

const (
	rvv uint8 = iota + 1
	zvkned
)

// Priorities: docs/benchmarks.md, Instruction counts on riscv64.
var table = drivers.Register("frodokem", infos())

const timingRISCV64 = "independent of secrets: fixed instructions, no table"

func infos() []driver.Info {
	list := []driver.Info{
		generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
		rvv:     {Name: "rvv", Priority: 200, Needs: cpu.V, Timing: timingRISCV64},
		zvkned:  {Name: "zvkned", Priority: 300, Needs: cpu.V | cpu.ZVKNED, Timing: timingRISCV64},
	}
	if cpu.Microarchitecture() == cpu.SiFive7 {
		list[rvv].Slow = cpu.V // vrgather takes a cycle for each element
	}
	return list
}

// hashRow has the driver of Keccak that goes with each driver. What the machine has for it does
// not depend on what it has for AES.
var hashRow = [...]uint8{generic: keccak.Generic, rvv: keccak.Fastest(), zvkned: keccak.Fastest()}

// storeFrom has 0 for all drivers: they always store rows of A before they multiply.
var storeFrom [zvkned + 1]uint8

func hasFinish(uint8) bool { return false }

// kernelScratch is the working memory of the kernels for one operation.
type kernelScratch struct {
	matrix  riscv64.Matrix
	columns [maxN][nbar]uint16  // of S'
	rows    [nbar * maxN]uint16 // of the transpose of B
}

func (k *kernelScratch) wipe(p *params) { clear(k.columns[:p.n]) }

// prepareKernel derives from the round keys what the kernels generate A from.
func prepareKernel(row uint8, k *kernelScratch, keys *[11][16]byte, n int) {
	switch row {
	case rvv:
		riscv64.PrepareRVV(&k.matrix, keys, n, cpu.Microarchitecture() == cpu.SpacemitX60)
	case zvkned:
		riscv64.PrepareZvkned(&k.matrix, keys, n)
	default:
		panic(noKernel)
	}
}

// rowsKernel generates 16 rows of A with AES.
func rowsKernel(row uint8, rows []uint16, k *kernelScratch, first, n int) {
	switch row {
	case rvv:
		riscv64.RowsRVV(rows, &k.matrix, first, n)
	case zvkned:
		riscv64.RowsZvkned(rows, &k.matrix, first, n)
	default:
		panic(noKernel)
	}
}

// pairsKernel stores S' in the layout of the other kernels.
func pairsKernel(row uint8, k *kernelScratch, left []uint16) {
	switch row {
	case rvv, zvkned:
		riscv64.ColumnsRVV(&k.columns, left)
	default:
		panic(noKernel)
	}
}

// addRowsKernel adds to out the products of 16 rows of A with S'.
func addRowsKernel(row uint8, out, rows []uint16, k *kernelScratch, first int) {
	switch row {
	case rvv, zvkned:
		riscv64.AddRowsRVV(out, rows, &k.columns, first)
	default:
		panic(noKernel)
	}
}

// dotsKernel adds to out the products of the rows of x with the eight rows of st.
func dotsKernel(row uint8, out, x, st []uint16) {
	switch row {
	case rvv, zvkned:
		riscv64.DotsRVV(out, x, st)
	default:
		panic(noKernel)
	}
}

// mulSBKernel adds S'B to v. left is S'.
func mulSBKernel(row uint8, v *[nbar * nbar]uint16, k *kernelScratch, left, b []uint16) {
	switch row {
	case rvv, zvkned:
		riscv64.MulSBRVV(v, left, b, k.rows[:])
	default:
		panic(noKernel)
	}
}

func sampleKernel(row uint8, s, cdf []uint16) {
	switch row {
	case rvv, zvkned:
		riscv64.SampleRVV(s, cdf)
	default:
		panic(noKernel)
	}
}

func packKernel(row uint8, d int, out []byte, v []uint16) {
	switch row {
	case rvv, zvkned:
		riscv64.PackRVV(d, out, v)
	default:
		panic(noKernel)
	}
}

func unpackKernel(row uint8, d int, v []uint16, in []byte) {
	switch row {
	case rvv, zvkned:
		riscv64.UnpackRVV(d, v, in)
	default:
		panic(noKernel)
	}
}

// differenceKernel returns bits of which each 16 are the bitwise or of x[i] ^ y[i] for
// some i.
func differenceKernel(row uint8, x, y []uint16) uint64 {
	switch row {
	case rvv, zvkned:
		return riscv64.DifferenceRVV(x, y)
	default:
		panic(noKernel)
	}
}

// There are no kernels that generate and multiply.

func mulSAKernel(uint8, []uint16, *kernelScratch, *kernelScratch) { panic(noKernel) }
func mulASKernel(uint8, []uint16, *kernelScratch, []uint16)       { panic(noKernel) }
func addKernel(uint8, []uint16, []uint16)                         { panic(noKernel) }
func finishKernel(uint8, bool, []uint16, *kernelScratch, *[25]uint64, []byte, int, int) {
	panic(noKernel)
}
