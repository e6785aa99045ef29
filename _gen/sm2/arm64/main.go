// Command arm64 writes the kernels of sm2/internal/arm64: arithmetic modulo p on four limbs of
// 64 bits, and on points of the curve. They need nothing beyond ARMv8.0.
//
// # Algorithm
//
// Numbers modulo p = 2^256 - 2^224 - 2^96 + 2^64 - 1 are in Montgomery's form with 2^256. A
// product is made in rows of MUL and UMULH, each added in two chains of carries. The reduction
// adds m p, which makes two limbs 0 at a time; with m = m0 + 2^64 m1,
//
//	m0 = t0                   m1 = t1 + t0 - 2^32 t0
//	m p + m = m (2^256 - 2^224 - 2^96 + 2^64)          shifts, additions and subtractions only
//
// in 14 instructions, where EXTR makes sums of what is shifted to the left and to the right. If a
// carry is left at the end, p is subtracted: this is shorter than to subtract p from what is not
// below it, which only some operands need (field.go). Points are Jacobian (point.go):
//
//	doubling   M = 3/2 (X - Z^2)(X + Z^2), S = X Y^2
//	           X' = M^2 - 2 S,  Y' = M (S - X') - Y^4,  Z' = Y Z
//	addition   H = U2 - U1, S = S2 - S1
//	           X' = S^2 - H^3 - 2 U1 H^2,  Y' = S (U1 H^2 - X') - S1 H^3,  Z' = Z1 Z2 H
//
// base.go computes k G with a sum in coordinates X, Y, Z^2, Z^3. The vector units read all
// entries of a row of the table and select one by a tree. sums.go adds pairs of affine points,
// which share an inversion, and inverse.go inverts by division steps. Values that are not wanted
// are left behind by CSEL.
//
// # Registers
//
//	v                  operands, results
//	low, high          halves of products of limbs
//	t                  limbs of a product
//	m, d, y            the multiple of p that the reduction adds, and 2^32 times that
//	k, c, odd          what is added to subtract p, a carry
//	c1, c3             2^32 - 1 and 2^32: limbs of 2^256 - p
//	r, q               points
//	wanted, at, step   vectors: the number wanted, that of the next entry, 1
//	F, G, u            division steps: the lowest bits of f and g with lines of the matrix; its numbers
//	part, mask, entry  vectors: an entry, whether it is wanted, the one that is
//
// Elements are on the stack between operations, those that the next one needs also in registers.
//
// # Bound
//
// A product of 4 limbs is 63 instructions, of which 32 are multiplications, a square 43. The
// reduction is 32, and 6 or 10 follow: 101 to 105 for a multiplication, 81 to 85 for a squaring. A
// sum or difference is 10; one of products is reduced once, which spares 30. A doubling is 840
// instructions, an addition 1790, one of an affine point 1270, and a digit of the base point 1280, 180 of
// them to read the row. A sum of a pair is 730 with its product, and an inversion 9500. By LLVM's models a doubling takes 360 cycles on Cortex-A72, which starts three
// instructions in a cycle, two of them integer arithmetic; 769 on Neoverse N1, whose multiplier needs three
// cycles for each of the 208 products of limbs; and 184 on Neoverse V2, which has two that need one.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate go run . -out ../../../sm2/internal/arm64/sm2_arm64.s -declarations ../../../sm2/internal/arm64/sm2_arm64.go

// proofs are what internal/prove shows.
var proofs = map[string][]string{
	"MulARM64":        {"field.multiply modulus=p"},
	"SquaresARM64":    {"field.squares modulus=p cut=next:R3:R4:R2:R5 n=1,2"}, // the registers of the number, from the lowest limb
	"DoubleARM64":     {"points.double loop=next n=1,2"},
	"GetARM64":        {"points.get magnitude=0..16"},
	"SumBaseARM64":    {"points.base loop=row first=0 frame=zzz:zz shift=0,32"},
	"BasePointsARM64": {"points.rows loop=row shift=0,32"},
	"ProductsARM64":   {"points.products loop=next n=1,2"},
	"AddPairsARM64":   {"points.pairs loop=next n=1,2"},
	"AddARM64":        {"points.add affine=0 skip=0,1"},
	"AddAffineARM64":  {"points.add affine=1 skip=0,1"},
}

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	mul(file)
	square(file)
	double(file)
	add(file)
	addAffine(file)
	get(file)
	invert(file)
	basePoints(file)
	multiplyBase(file)
	products(file)
	addPairs(file)
	file.Write(*out, *declarations)
}
