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

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
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
	amd64.Generate()
}

var zmm = amd64.ZMM

// vec is a ZMM register.
type vec = amd64.Vec

// begin begins a function. use adds its registers to the table.
func begin(name, signature, doc string, use func(k *amd64.Kernel), notes ...string) {
	k := amd64.Begin(name, signature, strings.Split(doc, "\n")...)
	use(k)
	k.Vec(limbMask, "2^52 - 1")
	k.Vec(factor1, "2^52 - 2^44 + 2^12")
	k.Vec(factor4, "2^48 - 2^16")
	k.Table(notes...)
	loadConstants()
}

// useBanks adds the banks and w to the table.
func useBanks(k *amd64.Kernel) {
	k.GP(work, "w")
	k.Vecs(banks[0][:], "an operation")
	k.Vecs(banks[1][:], "the next one")
}

// at is the memory at a displacement from a register.
func at(base reg.Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

func finish() {
	VZEROUPPER()
	RET()
}

func multiply() {
	z, x, y := reg.RDI, reg.RSI, reg.RDX
	begin("MulLanesIFMA", "(z, x, y *Lanes)",
		"MulLanesIFMA sets z = x y / 2^260; x and y are below 3.8 p, so that z is below 1.9 p.",
		func(k *amd64.Kernel) {
			k.GP(z, "z")
			k.GP(x, "x")
			k.GP(y, "y")
			k.Vecs(zmm[:7], "sums")
			k.Vecs(zmm[7:12], "limbs of y")
			k.Vec(zmm[12], "a limb of x")
			k.Vec(zmm[13], "carries")
		},
		"Each row of products is there before the row above is reduced, which hides the latency of that.")
	Load(Param("z"), z)
	Load(Param("x"), x)
	Load(Param("y"), y)
	product := elementAt(z, 0, 0)
	do(mul(product, elementAt(x, 0, 3.8), elementAt(y, 0, 3.8)))
	product.bound(1.91)
	finish()
}

func squareTimes() {
	z, x, left := reg.RDI, reg.RSI, reg.RCX
	begin("SquareLanesIFMA", "(z, x *Lanes, n int)",
		"SquareLanesIFMA squares x n times, at least once, each time divided by 2^260; x is below 3.8 p, z below 1.9 p.",
		func(k *amd64.Kernel) {
			k.GP(z, "z")
			k.GP(x, "x, then z")
			k.GP(left, "squarings left")
			k.Vecs(zmm[:10], "sums")
			k.Vecs(zmm[10:13], "limbs of x")
			k.Vec(zmm[13], "carries")
		})
	Load(Param("z"), z)
	Load(Param("x"), x)
	Load(Param("n"), left)
	square := elementAt(z, 0, 0)
	Label("loop")
	do(sqr(square, elementAt(x, 0, 3.8)))
	square.bound(1.91)
	MOVQ(z, x)
	DECQ(left)
	JNZ(LabelRef("loop"))
	finish()
}

func doublePoint() {
	r, p := reg.RSI, reg.RDX
	begin("DoubleLanesIFMA", "(r, p *Point, w *Work)",
		"DoubleLanesIFMA sets r = 2p. w has room for temporary numbers.",
		func(k *amd64.Kernel) {
			useBanks(k)
			k.GP(r, "r")
			k.GP(p, "p")
		})
	Load(Param("w"), work)
	Load(Param("r"), r)
	Load(Param("p"), p)
	double(pointAt(r, 0), pointAt(p, 0))
	finish()
}

func addPoints() {
	r, p, q := reg.RSI, reg.RDX, reg.R8
	begin("AddLanesIFMA", "(r, p, q *Point, w *Work)",
		"AddLanesIFMA sets r = p + q. Where one is infinity, or they are the same or opposite, Z of r is 0\n"+
			"modulo p. w has room for temporary numbers.",
		func(k *amd64.Kernel) {
			useBanks(k)
			k.GP(r, "r")
			k.GP(p, "p")
			k.GP(q, "q")
		})
	Load(Param("w"), work)
	Load(Param("r"), r)
	Load(Param("p"), p)
	Load(Param("q"), q)
	add(pointAt(r, 0), pointAt(p, 0), pointAt(q, 0), false)
	finish()
}

func baseProduct() {
	table, left := reg.RSI, reg.RCX
	begin("MultiplyBaseLanesIFMA", "(w *Work, t *BaseTable)",
		"MultiplyBaseLanesIFMA sets Sum to the number in Digits, which it uses up, times the base point.",
		func(k *amd64.Kernel) {
			useBanks(k)
			k.GP(table, "the window of the table")
			k.GP(left, "windows left")
			k.Note("K1", "negative digits")
		},
		"A digit of 6 bits picks an odd multiple in every lane: VPERMQ looks up eight numbers in a register,",
		"in a time that does not depend on the index, and reads the whole window of the table.")
	Load(Param("w"), work)
	Load(Param("t"), table)
	sum, entry := pointAt(work, workSum), pointAt(work, workEntry)
	entry.x.max, entry.y.max = 1, 1
	nextBaseDigit(table)
	first(sum, entry, true)
	MOVQ(U32(baseWindows-1), left)
	Label("window")
	ADDQ(U32(baseSize), table)
	nextBaseDigit(table)
	addAffine(sum, entry)
	DECQ(left)
	JNZ(LabelRef("window"))
	Comment("The number is secret, and so are the sums on the way.")
	for _, z := range zmm[:28] {
		VPXORQ(z, z, z)
	}
	KXORB(signs, signs, signs)
	finish()
}

func pointProduct() {
	left, doublings := reg.RCX, reg.RDX
	begin("MultiplyLanesIFMA", "(w *Work)",
		"MultiplyLanesIFMA sets Sum to the number in Digits, which it uses up, times the point of which Table\n"+
			"has the odd multiples. It takes four bits at a time, from the highest.",
		func(k *amd64.Kernel) {
			useBanks(k)
			k.GP(left, "windows left")
			k.GP(doublings, "doublings left")
			k.Note("K1", "negative digits")
		})
	Load(Param("w"), work)
	sum, entry := pointAt(work, workSum), pointAt(work, workEntry)
	nextPointDigit()
	first(sum, entry, false)
	MOVQ(U32(pointWindows-1), left)
	Label("window")
	MOVQ(U32(pointBits), doublings)
	Label("doubling")
	double(sum, sum)
	DECQ(doublings)
	JNZ(LabelRef("doubling"))
	nextPointDigit()
	add(sum, sum, entry, true)
	DECQ(left)
	JNZ(LabelRef("window"))
	finish()
}
