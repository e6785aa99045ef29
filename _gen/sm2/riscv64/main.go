// Command riscv64 writes the kernels of sm2/internal/riscv64: arithmetic modulo p on four limbs of
// 64 bits, and on points of the curve. They need no extension of RV64 beyond what Go does.
//
// # Algorithm
//
// Numbers modulo p = 2^256 - 2^224 - 2^96 + 2^64 - 1 are in Montgomery's form with 2^256.
// A product is made in rows of MUL and MULHU; SLTU makes carries. The reduction adds m p, which
// makes a limb zero where m is that limb, since p is -1 modulo 2^64:
//
//	m p + m = m (2^256 - 2^224 - 2^96 + 2^64)          shifts and subtractions only
//
// for two limbs at a time, which spares carries. If a carry is left at the end, p is subtracted:
// this is half as long as to subtract p from what is not below it, which only some operands need
// (field.go). Points are Jacobian (point.go):
//
//	doubling   M = 3/2 (X - Z^2)(X + Z^2), S = X Y^2
//	           X' = M^2 - 2 S,  Y' = M (S - X') - Y^4,  Z' = Y Z
//	addition   H = U2 - U1, S = S2 - S1
//	           X' = S^2 - H^3 - 2 U1 H^2,  Y' = S (U1 H^2 - X') - S1 H^3,  Z' = Z1 Z2 H
//
// base.go computes k G with a sum in coordinates X, Y, Z^2, Z^3, and reads all entries of a row of
// the table. Values that are not wanted are masked.
//
// # Registers
//
//	v         operands, results
//	t, low, high, c, k, top   limbs of a product, halves of products of limbs, carries
//	two32     2^32
//	r, q      points
//	sum       entries of a table
//
// Elements are on the stack between operations.
//
// # Bound
//
// A product of 4 limbs is 104 instructions, of which 32 are multiplications, a square 74. The
// reduction is 67, and 12 or 24 follow: 183 to 195 for a multiplication, 153 to 165 for a
// squaring. A sum or difference is 29. A doubling is 1674, an addition 3460, one of an affine
// point 2500, and a digit of the base point 3200, 900 of them to read the row. SpacemiT X60 and
// SiFive U74 start two in a cycle. The model of the X60 has a multiplication of limbs in every
// third cycle, at least 96 for a product, and 1030 cycles for a doubling.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -out ../../../sm2/internal/riscv64/sm2_rv64_riscv64.s -declarations ../../../sm2/internal/riscv64/sm2_rv64_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	mul(file)
	square(file)
	double(file)
	add(file)
	addAffine(file)
	get(file)
	multiplyBase(file)
	file.Write(*out, *declarations)
}
