// Package risc writes the kernels of sm2 for architectures with 64 bits whose additions have no
// carry flag, RV64 and LA64: arithmetic modulo p on four limbs, and on points of the curve. They
// need no extension beyond what Go does.
//
// # Algorithm
//
// Numbers modulo p = 2^256 - 2^224 - 2^96 + 2^64 - 1 are in Montgomery's form with 2^256.
// A product is made in rows of the lower and upper halves of products of limbs; comparisons make
// carries. The reduction adds m p, which makes a limb zero where m is that limb, since p is -1 modulo 2^64:
//
//	m p + m = m (2^256 - 2^224 - 2^96 + 2^64)          shifts and subtractions only
//
// for two limbs at a time, which spares carries. If a carry is left at the end, p is subtracted:
// this is half as long as to subtract p from what is not below it, which only some operands need
// (field.go). A difference of two products is reduced once. Points are Jacobian (point.go):
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
// squaring. A sum or difference is 29. On RV64 a doubling is 1680, an addition 3380, one of an affine
// point 2420, and a digit of the base point 3070, 900 of them to read the row.
package risc

import "github.com/cipherlane/cipherlane/_gen/asm"

// An ISA is an architecture. The order of operands is that of Go's assembler: sources, which SUB
// and SLTU take as b - a and b < a, and the result.
type ISA struct {
	Target *asm.Target
	Suffix string     // of the names of kernels
	Model  *asm.Model // for the order of instructions, or nil for that of this package
	Zero   asm.Reg    // reads as 0

	ADD, SUB, AND, OR, XOR, SLTU, MUL, MULHU func(a, b, d asm.Reg) asm.Op
	ADDI, ANDI, SLLI, SRLI, SRAI             func(n int, a, d asm.Reg) asm.Op
	NEG, NOT, SEQZ, SNEZ, MOVR               func(a, d asm.Reg) asm.Op
	MOVI                                     func(n int, d asm.Reg) asm.Op
	MOV                                      func(offset int, base, d asm.Reg) asm.Op // loads
	SD                                       func(a asm.Reg, offset int, base asm.Reg) asm.Op
	LocalD                                   func(place string, d asm.Reg) asm.Op
	SetLocalD, SetResult                     func(a asm.Reg, place string) asm.Op
	BEQ, BNE                                 func(a, b asm.Reg, to string) asm.Op
	BEQZ, BNEZ                               func(a asm.Reg, to string) asm.Op
	JMP                                      func(to string) asm.Op
	RET                                      func() asm.Op

	// SH1ADD is a + 2b, and InsertTop makes bit 63 of d bit 0 of a. Both may be nil.
	SH1ADD    func(a, b, d asm.Reg) asm.Op
	InsertTop func(a, d asm.Reg) asm.Op

	// MASKEQZ is a, or 0 if c is 0. It may be nil.
	MASKEQZ func(c, a, d asm.Reg) asm.Op

	// Select, unless it is nil, adds a loop that sets sums to the entry of a table whose number is
	// left, from 1 on, or to 0. It reads all entries. table and left change.
	Select func(f *asm.Func, table, left asm.Reg, count int, sums []asm.Reg)
}

// Write adds all kernels to a file.
func (isa *ISA) Write(file *asm.File) {
	mul(isa, file)
	square(isa, file)
	double(isa, file)
	add(isa, file)
	addAffine(isa, file)
	isa.WriteTables(file)
}

// WriteTables adds the kernels that read tables.
func (isa *ISA) WriteTables(file *asm.File) {
	get(isa, file)
	basePoints(isa, file)
	multiplyBase(isa, file)
}
