//go:build purego || !amd64

package frodokem

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

const rowGeneric = 0

var table = drivers.Register("frodokem", []driver.Info{
	rowGeneric: {Name: "generic", Priority: 100, Timing: timingGeneric},
})

type kernelScratch struct{}

func (*kernelScratch) wipe(*params) {}

// hashRow returns the driver of Keccak that goes with a driver.
func hashRow(row uint8) uint8 { return keccak.Generic }

// mulSA adds S'A to the output of each product of a list, for the same A.
func mulSA(row uint8, p *params, list []product, seed []byte) {
	switch row {
	case rowGeneric:
		mulSAGeneric(p, hashRow(row), list, seed)
	default:
		panic(noKernel)
	}
}

// squeezesBeside reports whether the kernels can squeeze Keccak while they multiply.
func squeezesBeside(row uint8, p *params) bool { return false }

func finishOne(row uint8, p *params, s *scratch, key bool, left, rest []uint16, seed []byte, state *keccak.State, out []byte) {
	panic(noKernel)
}

// mulAS adds A S to out, n x 8; right is S^T, 8 x n.
func mulAS(row uint8, s *scratch, p *params, out, right []uint16, seed []byte) {
	switch row {
	case rowGeneric:
		s.portable.mulASGeneric(p, hashRow(row), out, right, seed)
	default:
		panic(noKernel)
	}
}

// mulSB adds S'B to v: left is S', 8 x n, which must also be the operand of the last
// mulSA; b is B, n x 8.
func mulSB(row uint8, s *scratch, n int, v *[nbar * nbar]uint16, left, b []uint16) {
	switch row {
	case rowGeneric:
		mulSBGeneric(n, v, left, b)
	default:
		panic(noKernel)
	}
}

// mulBS subtracts B'S from w: b is B', 8 x n; right is S^T, 8 x n.
func mulBS(row uint8, n int, w *[nbar * nbar]uint16, b, right []uint16) {
	switch row {
	case rowGeneric:
		mulBSGeneric(n, w, b, right)
	default:
		panic(noKernel)
	}
}

// sample turns random words into noise in place.
func sample(row uint8, p *params, s []uint16) {
	switch row {
	case rowGeneric:
		sampleGeneric(p, s)
	default:
		panic(noKernel)
	}
}

// pack writes the d lowest bits of every entry; len(v) is a multiple of 8.
func pack(row uint8, d int, out []byte, v []uint16) { packGeneric(d, out, v) }

// unpack is the inverse of pack.
func unpack(row uint8, d int, v []uint16, in []byte) { unpackGeneric(d, v, in) }

// difference returns 0 if x and y are equal in the bits of the mask.
func difference(row uint8, mask uint16, x, y []uint16) uint16 { return differenceGeneric(mask, x, y) }
