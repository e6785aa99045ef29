// Command ifma writes the kernels of sm2/internal/amd64 for CPUs with AVX-512 and IFMA:
// arithmetic on eight points at a time, each in a lane of 64 bits.
//
// # Algorithm
//
// A number modulo p has five limbs of 52 bits, in Montgomery's form with 2^260. VPMADD52LUQ and
// VPMADD52HUQ add the low and the high 52 bits of products of limbs:
//
//	t[i+j] += lo(x[i] y[j])       t[i+j+1] += hi(x[i] y[j])       50 instructions; a square 30
//
// Since p is -1 modulo 2^52, adding t[i] p makes limb i zero, and p+1 has two runs of bits:
//
//	t[i+1] += lo(t[i] f1) + carry   t[i+2] += hi(t[i] f1) - t[i]   t[i+4], t[i+5] += lo, hi(t[i] f4)
//
// for f1 = 2^52 - 2^44 + 2^12, f4 = 2^48 - 2^16: 20 instructions for i = 0 ... 4. Sums and
// differences (operation, output and term in field.go) are taken before the carries of a product
// are, so that they need none of their own. Numbers are not reduced below p: the generator keeps
// account of how large each may be, and stops where one would not fit or a difference would be
// negative. Formulas of points are at double, addAffine and add in point.go. Each operation
// begins in the middle of the one before it (do), with the other bank of registers.
//
// # Registers
//
//	Z0 ... Z13, Z14 ... Z27  two banks, for operations by turns; in a bank:
//	  0 ... 6                limbs of a product, modulo 7          (square: 0 ... 9)
//	  7 ... 11, 12           y, a limb of x                        (square: 10, 11, 12 limbs of x)
//	  13                     carries
//	Z28, Z29, Z30            2^52 - 1, f1, f4
//	K1                       lanes where what is added is negative
//	DI                       Work: sum, entry, table of multiples, digits, temporary numbers
//	SI, DX, R8, RCX          other arguments, counters
//
// # Bound
//
// The IFMA units: one instruction of 512 bits in a cycle on Zen 4, two on Zen 5. A doubling has
// 484, an addition 1044, a product 70: as many cycles on Zen 4, half as many on Zen 5.
// Measured on Zen 4 for eight lanes: 590 cycles for a doubling (82 % of the limit), 1150 for an
// addition (91 %), and 97 for a single product, whose latency counts. Eight
// products k G take 9.9 µs, eight k P 64 µs.
package main

import (
	"flag"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -out ../../../sm2/internal/amd64/sm2_ifma_amd64.s

func main() {
	flag.Parse()
	ConstraintExpr("!purego")
	makeConstants()
	multiply()
	squareTimes()
	doublePoint()
	addPoints()
	baseProduct()
	pointProduct()
	Generate()
}

var zmm = [...]reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// vec is a ZMM register.
type vec = reg.VecPhysical

// function begins a function with its banner.
func function(name, signature string, banner ...string) {
	plain := strings.NewReplacer("*Lanes", "*byte", "*Point", "*byte", "*BaseTable", "*byte", "*Work", "*byte")
	TEXT(name, attr.NOSPLIT, "func"+plain.Replace(signature))
	Comment("func " + name + signature)
	Comment(banner...)
	loadConstants()
}

func finish() {
	VZEROUPPER()
	RET()
}

// at is the memory at a displacement from a register.
func at(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

// table writes a table of 64-bit constants.
func table(name string, words ...uint64) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i, w := range words {
		DATA(8*i, U64(w))
	}
	return m
}

const registers = "Registers: Z0 to Z13 and Z14 to Z27 operations in turn, Z28 to Z30 constants."

func multiply() {
	function("MulIFMA", "(z, x, y *Lanes)",
		"MulIFMA sets z = x y / 2^260; x and y are below 3.8 p, so that z is below 1.9 p.",
		"Registers: Z0 to Z6 sums, Z7 to Z11 y, Z12 x, Z13 carries, Z28 to Z30 constants.",
		"Each row of products is there before the row above is reduced, which hides the latency of that.")
	x, y, z := elementAt(reg.RSI, 0, 3.8), elementAt(reg.RDX, 0, 3.8), elementAt(reg.RDI, 0, 0)
	Load(Param("z"), reg.RDI)
	Load(Param("x"), reg.RSI)
	Load(Param("y"), reg.RDX)
	do(mul(z, x, y))
	z.bound(1.91)
	finish()
}

func squareTimes() {
	function("SqrIFMA", "(z, x *Lanes, n int)",
		"SqrIFMA squares x n times, at least once, each time divided by 2^260; x is below 3.8 p, z below",
		"1.9 p. Registers: Z0 to Z9 sums, Z10 to Z12 x, Z13 carries, Z28 to Z30 constants; RCX n.")
	x, z := elementAt(reg.RSI, 0, 3.8), elementAt(reg.RDI, 0, 0)
	Load(Param("z"), reg.RDI)
	Load(Param("x"), reg.RSI)
	Load(Param("n"), reg.RCX)
	Label("loop")
	do(sqr(z, x))
	z.bound(1.91)
	MOVQ(reg.RDI, reg.RSI)
	DECQ(reg.RCX)
	JNZ(LabelRef("loop"))
	finish()
}

func doublePoint() {
	function("DoubleIFMA", "(r, p *Point, w *Work)",
		"DoubleIFMA sets r = 2p. w has room for temporary numbers.",
		registers)
	Load(Param("w"), work)
	Load(Param("r"), reg.RSI)
	Load(Param("p"), reg.RDX)
	double(pointAt(reg.RSI, 0), pointAt(reg.RDX, 0))
	finish()
}

func addPoints() {
	function("AddIFMA", "(r, p, q *Point, w *Work)",
		"AddIFMA sets r = p + q. Where one is infinity, or they are the same or opposite, Z of r is 0",
		"modulo p. w has room for temporary numbers.",
		registers)
	Load(Param("w"), work)
	Load(Param("r"), reg.RSI)
	Load(Param("p"), reg.RDX)
	Load(Param("q"), reg.R8)
	add(pointAt(reg.RSI, 0), pointAt(reg.RDX, 0), pointAt(reg.R8, 0), false)
	finish()
}

func baseProduct() {
	function("BaseIFMA", "(w *Work, t *BaseTable)",
		"BaseIFMA sets Sum to the number in Digits, which it uses up, times the base point.",
		"A digit of 6 bits picks an odd multiple in every lane: VPERMQ looks up eight numbers in a register,",
		"in a time that does not depend on the index, and reads the whole window of the table.",
		registers+" RSI table, RCX windows left, K1 negative digits.")
	Load(Param("w"), work)
	Load(Param("t"), reg.RSI)
	sum, entry := pointAt(work, workSum), pointAt(work, workEntry)
	entry.x.max, entry.y.max = 1, 1
	nextBaseDigit(reg.RSI)
	first(sum, entry, true)
	MOVQ(U32(baseWindows-1), reg.RCX)
	Label("window")
	ADDQ(U32(baseSize), reg.RSI)
	nextBaseDigit(reg.RSI)
	addAffine(sum, entry)
	DECQ(reg.RCX)
	JNZ(LabelRef("window"))
	Comment("The number is secret, and so are the sums on the way.")
	for _, z := range zmm[:28] {
		VPXORQ(z, z, z)
	}
	KXORB(signs, signs, signs)
	finish()
}

func pointProduct() {
	function("MultiplyIFMA", "(w *Work)",
		"MultiplyIFMA sets Sum to the number in Digits, which it uses up, times the point of which Table",
		"has the odd multiples. It takes four bits at a time, from the highest.",
		registers+" RCX windows left, RDX doublings left, K1 negative digits.")
	Load(Param("w"), work)
	sum, entry := pointAt(work, workSum), pointAt(work, workEntry)
	nextPointDigit()
	first(sum, entry, false)
	MOVQ(U32(pointWindows-1), reg.RCX)
	Label("window")
	MOVQ(U32(pointBits), reg.RDX)
	Label("doubling")
	double(sum, sum)
	DECQ(reg.RDX)
	JNZ(LabelRef("doubling"))
	nextPointDigit()
	add(sum, sum, entry, true)
	DECQ(reg.RCX)
	JNZ(LabelRef("window"))
	finish()
}
