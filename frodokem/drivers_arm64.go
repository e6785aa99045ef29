//go:build !purego

package frodokem

import (
	"encoding/binary"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/frodokem/internal/arm64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

const (
	neon uint8 = iota + 1
	ce
)

// Priorities: docs/benchmarks.md, Instruction counts on arm64.
var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timingGeneric},
	neon:    {Name: "neon", Priority: 200, Needs: cpu.NEON, Timing: timingARM64},
	ce:      {Name: "ce", Priority: 300, Needs: cpu.NEON | cpu.AES, Timing: timingARM64},
}

var table = drivers.Register("frodokem", infos)

const timingARM64 = "independent of secrets: fixed instructions, no table"

// hashRow has the driver of Keccak that goes with each driver. What the machine has for it does
// not depend on what it has for AES.
var hashRow = [...]uint8{generic: keccak.Generic, neon: keccak.Fastest(), ce: keccak.Fastest()}

// storeFrom has 0 for all drivers: they always store rows of A before they multiply.
var storeFrom [ce + 1]uint8

func hasFinish(uint8) bool { return false }

// kernelScratch is the working memory of the kernels for one operation.
type kernelScratch struct {
	matrix  arm64.Matrix
	columns [maxN][nbar]uint16 // of S'
}

func (k *kernelScratch) wipe(p *params) { clear(k.columns[:p.n]) }

// prepareKernel derives from the round keys what the kernels generate A from.
func prepareKernel(row uint8, k *kernelScratch, keys *[11][16]byte, n int) {
	switch row {
	case neon:
		prepareTables(&k.matrix, keys, n)
		arm64.PrepareBitslice(&k.matrix, keys, n)
	case ce:
		arm64.PrepareCE(&k.matrix, keys, n)
	default:
		panic(noKernel)
	}
}

// prepareTables makes the states after two rounds with the look-ups of the portable driver.
func prepareTables(m *arm64.Matrix, keys *[11][16]byte, n int) {
	var t aesTables
	for r, key := range keys[:3] {
		for i := range t.keys[r] {
			t.keys[r][i] = binary.LittleEndian.Uint32(key[4*i:])
		}
	}
	aesLookup.once.Do(makeLookup)
	put := func(block *[16]byte, a, b [4]uint32) {
		for i := range a {
			binary.LittleEndian.PutUint32(block[4*i:], a[i]^b[i])
		}
	}
	x0 := t.two(0, 0)
	for i := range n {
		put(&m.X[i], t.two(uint32(i), 0), [4]uint32{})
	}
	for j := range n / 8 {
		put(&m.Y[j], t.two(0, uint32(8*j)), x0)
	}
}

// rowsKernel generates 16 rows of A with AES.
func rowsKernel(row uint8, rows []uint16, k *kernelScratch, first, n int) {
	switch row {
	case neon:
		arm64.RowsBitslice(rows, &k.matrix, first, n)
	case ce:
		arm64.RowsCE(rows, &k.matrix, first, n)
	default:
		panic(noKernel)
	}
}

// pairsKernel stores S' in the layout of the other kernels.
func pairsKernel(row uint8, k *kernelScratch, left []uint16) {
	switch row {
	case neon, ce:
		arm64.ColumnsNEON(&k.columns, left)
	default:
		panic(noKernel)
	}
}

// addRowsKernel adds to out the products of 16 rows of A with S'.
func addRowsKernel(row uint8, out, rows []uint16, k *kernelScratch, first int) {
	switch row {
	case neon, ce:
		arm64.AddRowsNEON(out, rows, &k.columns, first)
	default:
		panic(noKernel)
	}
}

// dotsKernel adds to out the products of the rows of x with the eight rows of st.
func dotsKernel(row uint8, out, x, st []uint16) {
	switch row {
	case neon, ce:
		arm64.DotsNEON(out, x, st)
	default:
		panic(noKernel)
	}
}

// mulSBKernel adds S'B to v. left is S'.
func mulSBKernel(row uint8, v *[nbar * nbar]uint16, _ *kernelScratch, left, b []uint16) {
	switch row {
	case neon, ce:
		arm64.MulSBNEON(v, left, b)
	default:
		panic(noKernel)
	}
}

func sampleKernel(row uint8, s, cdf []uint16) {
	switch row {
	case neon, ce:
		arm64.SampleNEON(s, cdf)
	default:
		panic(noKernel)
	}
}

func packKernel(row uint8, d int, out []byte, v []uint16) {
	switch row {
	case neon, ce:
		packGeneric(d, out, v)
	default:
		panic(noKernel)
	}
}

func unpackKernel(row uint8, d int, v []uint16, in []byte) {
	switch row {
	case neon, ce:
		unpackGeneric(d, v, in)
	default:
		panic(noKernel)
	}
}

// differenceKernel returns bits of which each 16 are the bitwise or of x[i] ^ y[i] for
// some i.
func differenceKernel(row uint8, x, y []uint16) uint64 {
	switch row {
	case neon, ce:
		return arm64.DifferenceNEON(x, y)
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
