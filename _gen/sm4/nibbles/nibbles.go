// Package nibbles has the tables with which kernels of SM4 look up nibbles inside vectors, on
// riscv64 and loong64: those of package permute, for the field of SM4.
//
// S(x) = A(1/(A(x) + d3)) + d3, with a linear map A. The state is in the basis in which A and the
// map to the tower field vanish, and the round keys have the constants. What follows the inversion
// goes with the linear layer L: with s a byte of S, b = s + (s >> 6) and e = s + (s << 2).
package nibbles

import (
	"math/bits"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"
)

// Field is the tower field.
var Field = permute.NewTowerOf(matrices.SM4Poly)

// affine is the linear part of the S-box: bit i of its result is the parity of the bits that
// a7, rotated by i, selects.
func affine(x byte) (y byte) {
	for i := range 8 {
		y |= byte(bits.OnesCount8(bits.RotateLeft8(0xa7, i)&x)&1) << i
	}
	return y
}

// Offsets of pairs of tables: to the basis of the state, and back.
const (
	Basis = 6 * 16
	Back  = 8 * 16
)

// Tables returns all tables: the two inverses that it is given; b and e, by 1/u and 1/v; the basis
// and back, by nibbles.
func Tables(inverse, inverseA permute.Table) []byte {
	to := Field.ToTower.After(affine)
	from := func(y byte) byte {
		for x := range 256 {
			if to(byte(x)) == y {
				return byte(x)
			}
		}
		panic("not invertible")
	}
	s := permute.Linear(affine).After(Field.FromTower)
	bu, bv := Field.Output(to.After(func(x byte) byte { return x ^ x>>6 }).After(s))
	eu, ev := Field.Output(to.After(func(x byte) byte { return x ^ x<<2 }).After(s))
	low, high := permute.Nibbles(to)
	back, backHigh := permute.Nibbles(from)
	return permute.Join(inverse, inverseA, bu, bv, eu, ev, low, high, back, backHigh)
}
