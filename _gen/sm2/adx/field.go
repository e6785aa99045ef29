package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Registers of the field arithmetic. A product is in t, the lowest limb first;
// results of everything are in the first four, called low. R14 is a pointer to
// an operand at the beginning of an operation, and temporary afterwards.
var (
	t     = [8]reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11, reg.RAX, reg.RBX, reg.RCX, reg.R12}
	low   = t[:4]
	temp  = [5]reg.GPPhysical{reg.RSI, reg.RDI, reg.RDX, reg.R14, reg.RBP}
	count = reg.R13 // 32, for shifts that leave the flags alone
)

// Registers that hold pointers.
var (
	result = reg.R15
	other  = reg.R14
)

// An element is an operand of four limbs in memory.
type element struct{ Mem }

func (e element) limb(i int) Mem { return e.Offset(8 * i) }

// local returns room for n elements on the stack.
func local(n int) (list []element) {
	m := AllocLocal(32 * n)
	for i := range n {
		list = append(list, element{m.Offset(32 * i)})
	}
	return list
}

// at returns element i of what a pointer points to.
func at(pointer reg.Register, i int) element { return element{Mem{Base: pointer, Disp: 32 * i}} }

// Limbs 1 and 3 of p; 0 and 2 are all ones.
var p1, p3 Mem

func globals() {
	p1 = GLOBL("p1", attr.RODATA|attr.NOPTR)
	DATA(0, U64(0xffffffff00000000))
	p3 = GLOBL("p3", attr.RODATA|attr.NOPTR)
	DATA(0, U64(0xfffffffeffffffff))
}

// product computes t = x y: a row for each limb of y, whose low halves are added
// in one chain of carries and the high halves in another.
func product(x, y element) {
	lo, hi, zero := temp[0], temp[1], temp[4]
	MOVQ(y.limb(0), reg.RDX)
	MULXQ(x.limb(0), t[0], t[1])
	MULXQ(x.limb(1), lo, t[2])
	ADDQ(lo, t[1])
	MULXQ(x.limb(2), hi, t[3])
	ADCQ(hi, t[2])
	MULXQ(x.limb(3), lo, t[4])
	ADCQ(lo, t[3])
	ADCQ(Imm(0), t[4])
	for i := 1; i < 4; i++ {
		MOVQ(y.limb(i), reg.RDX)
		XORL(zero.As32(), zero.As32())
		for j := range 4 {
			if j < 3 {
				MULXQ(x.limb(j), lo, hi)
				ADCXQ(lo, t[i+j])
				ADOXQ(hi, t[i+j+1])
			} else {
				MULXQ(x.limb(j), lo, t[i+4])
				ADCXQ(lo, t[i+3])
			}
		}
		ADOXQ(zero, t[i+4])
		ADCQ(Imm(0), t[i+4])
	}
}

// squareProduct computes t = x^2: products of different limbs, which count
// twice, are doubled in one chain of carries, and the squares of the limbs are
// added in another.
func squareProduct(x element) {
	lo, hi, zero := temp[0], temp[1], temp[4]
	MOVQ(x.limb(0), reg.RDX)
	MULXQ(x.limb(1), t[1], t[2])
	MULXQ(x.limb(2), lo, t[3])
	ADDQ(lo, t[2])
	MULXQ(x.limb(3), lo, t[4])
	ADCQ(lo, t[3])
	ADCQ(Imm(0), t[4])
	MOVQ(x.limb(1), reg.RDX)
	XORL(zero.As32(), zero.As32())
	MULXQ(x.limb(2), lo, hi)
	ADCXQ(lo, t[3])
	ADOXQ(hi, t[4])
	MULXQ(x.limb(3), lo, t[5])
	ADCXQ(lo, t[4])
	ADOXQ(zero, t[5])
	MOVQ(x.limb(2), reg.RDX)
	MULXQ(x.limb(3), lo, t[6])
	ADCXQ(lo, t[5])
	ADCQ(Imm(0), t[6])

	XORL(t[7].As32(), t[7].As32())
	MOVQ(x.limb(0), reg.RDX)
	MULXQ(reg.RDX, t[0], hi)
	ADCXQ(t[1], t[1])
	ADOXQ(hi, t[1])
	for i := 1; i < 4; i++ {
		MOVQ(x.limb(i), reg.RDX)
		MULXQ(reg.RDX, lo, hi)
		ADCXQ(t[2*i], t[2*i])
		ADOXQ(lo, t[2*i])
		ADCXQ(t[2*i+1], t[2*i+1])
		ADOXQ(hi, t[2*i+1])
	}
}

// reduce sets low = t / 2^256 modulo p, below p, for t below 2^256 p.
//
// Two limbs at a time are made 0 by adding m p, where m = m0 + 2^64 m1 has the
// limbs m0 = t0 and m1 = t1 + t0 - 2^32 t0. For m p + m = m (2^256 - 2^224 - 2^96
// + 2^64), and so (t + m p) / 2^128 is, by limbs,
//
//	t2 + m1 - y1    t3 - y0 - y2    m0 - y1    m1 - y2
//
// where y0, y1, y2 are the limbs of 2^32 m, plus the carry and less the borrow
// of m1; y0 + y2 has no carry. These 17 operations are what it takes for two
// limbs.
func reduce() {
	n := []reg.GPPhysical{t[0], t[1], t[2], t[3]}
	for range 2 {
		m0, m1, t2, t3 := n[0], n[1], n[2], n[3]
		y0, d, y2, w, y1 := temp[0], temp[1], temp[2], temp[3], temp[4]
		SHLXQ(count, m0, y0)
		MOVQ(m0, d)
		SUBQ(y0, d)
		SHRXQ(count, m0, y1)
		ADDQ(d, m1)
		SHLXQ(count, m1, y2)
		LEAQ(Mem{Base: y1, Index: y2, Scale: 1}, y1)
		SHRXQ(count, m1, y2)
		LEAQ(Mem{Base: y0, Index: y2, Scale: 1}, w)
		ADCQ(m1, t2)
		ADCQ(Imm(0), t3)
		ADCQ(Imm(0), m0)
		ADCQ(Imm(0), m1)
		ADDQ(y0, d) // the borrow of d once more
		SBBQ(y1, t2)
		SBBQ(w, t3)
		SBBQ(y1, m0)
		SBBQ(y2, m1)
		n = []reg.GPPhysical{t2, t3, m0, m1}
	}
	carry := temp[4]
	XORL(carry.As32(), carry.As32())
	ADDQ(t[4], t[0])
	ADCQ(t[5], t[1])
	ADCQ(t[6], t[2])
	ADCQ(t[7], t[3])
	ADCQ(Imm(0), carry)
	subtractPrime(carry)
}

// subtractPrime subtracts p from low and a fifth limb if they are not below it.
func subtractPrime(carry reg.GPPhysical) {
	for i, r := range low {
		MOVQ(r, temp[i])
	}
	SUBQ(I32(-1), temp[0])
	SBBQ(p1, temp[1])
	SBBQ(I32(-1), temp[2])
	SBBQ(p3, temp[3])
	SBBQ(Imm(0), carry)
	for i, r := range low {
		CMOVQCC(temp[i], r)
	}
}

func load(x element) {
	for i, r := range low {
		MOVQ(x.limb(i), r)
	}
}

func store(z element) {
	for i, r := range low {
		MOVQ(r, z.limb(i))
	}
}

// mulLow sets low = x y, sqrLow low = x^2.
func mulLow(x, y element) {
	product(x, y)
	reduce()
}

func sqrLow(x element) {
	squareProduct(x)
	reduce()
}

// addLow adds x to low.
func addLow(x element) {
	carry := temp[4]
	XORL(carry.As32(), carry.As32())
	ADDQ(x.limb(0), low[0])
	for i := 1; i < 4; i++ {
		ADCQ(x.limb(i), low[i])
	}
	ADCQ(Imm(0), carry)
	subtractPrime(carry)
}

// subLow subtracts x from low.
func subLow(x element) {
	SUBQ(x.limb(0), low[0])
	for i := 1; i < 4; i++ {
		SBBQ(x.limb(i), low[i])
	}
	addPrime()
}

// addPrime adds p to low if there was a borrow.
func addPrime() {
	mask, m1, m3 := temp[0], temp[1], temp[2]
	SBBQ(mask, mask)
	SHLXQ(count, mask, m1)
	MOVQ(p3, m3)
	ANDQ(mask, m3)
	ADDQ(mask, low[0])
	ADCQ(m1, low[1])
	ADCQ(mask, low[2])
	ADCQ(m3, low[3])
}

// halveLow halves low: p is added if it is odd.
func halveLow() {
	mask, m1, m3 := temp[0], temp[1], temp[2]
	MOVQ(low[0], mask)
	ANDQ(Imm(1), mask)
	NEGQ(mask)
	SHLXQ(count, mask, m1)
	MOVQ(p3, m3)
	ANDQ(mask, m3)
	ADDQ(mask, low[0])
	ADCQ(m1, low[1])
	ADCQ(mask, low[2])
	ADCQ(m3, low[3])
	for i := 3; i >= 0; i-- {
		RCRQ(Imm(1), low[i])
	}
}

// wipe overwrites elements on the stack.
func wipe(list []element) {
	VPXOR(reg.X0, reg.X0, reg.X0)
	for _, e := range list {
		VMOVDQU(reg.Y0, e.Mem)
	}
	VZEROUPPER()
}

func mul() {
	TEXT("MulADX", attr.NOSPLIT, "func(z, x, y *[4]uint64)")
	Comment(
		"MulADX sets z = x y / 2^256 modulo p.",
		"func MulADX(z, x, y *[4]uint64)",
		"x and y are below p; z may be one of them.",
		"R8 ... R12, AX, BX, CX the product, SI DI DX R14 BP temporary, R13 the number 32, R15 y, then z.",
		"16 multiplications in rows, with two chains of carries, which no instruction breaks; the",
		"reduction is shifts and subtractions only, for two limbs at once.",
	)
	MOVQ(U32(32), count)
	Load(Param("x"), other)
	Load(Param("y"), result)
	mulLow(at(other, 0), at(result, 0))
	Load(Param("z"), result)
	store(at(result, 0))
	RET()
}

func square() {
	TEXT("SquaresADX", attr.NOSPLIT, "func(z, x *[4]uint64, n int)")
	Comment(
		"SquaresADX sets z = x^(2^n), in Montgomery's form.",
		"func SquaresADX(z, x *[4]uint64, n int)",
		"x is below p, n at least 1; z may be x.",
		"Registers as in MulADX. Stack: the squarings left.",
		"10 multiplications rather than 16; the next squaring finds its argument in z.",
	)
	left := AllocLocal(8)
	MOVQ(U32(32), count)
	Load(Param("x"), other)
	load(at(other, 0))
	Load(Param("z"), result)
	store(at(result, 0))
	Load(Param("n"), reg.RAX)
	MOVQ(reg.RAX, left)
	Label("next")
	sqrLow(at(result, 0))
	store(at(result, 0))
	DECQ(left)
	JNE(LabelRef("next"))
	RET()
}
