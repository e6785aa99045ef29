// Package ghash emits the pieces of GHASH that several amd64 kernels share.
//
// A field element is kept byte-reversed, so that bit i of the register is the
// coefficient of x^(127-i), and the powers of the hash key are multiplied by x
// beforehand. Then the carry-less product of an element and a power, reduced
// by [Reduce], is the product of GHASH without any shift by one bit.
//
// An unreduced product is kept as three registers lo, mid, hi: the value
// lo + mid·2^64 + hi·2^128 as bits.
package ghash

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Constants declares the data the functions below read and returns it: the
// byte reversal for VPSHUFB and the reduction polynomial, each repeated to
// fill width bytes.
func Constants(prefix string, width int) (reverse, poly Mem) {
	reverse = GLOBL(prefix+"Reverse", rodata)
	for i := 0; i < width; i += 16 {
		DATA(i, U64(0x08090a0b0c0d0e0f))
		DATA(i+8, U64(0x0001020304050607))
	}
	poly = GLOBL(prefix+"Poly", rodata)
	for i := 0; i < width; i += 16 {
		DATA(i, U64(1))
		DATA(i+8, U64(0xc2<<56))
	}
	return reverse, poly
}

// MulX multiplies the byte-reversed element h by x, so that products with it
// need no shift. It overwrites t and u.
func MulX(h, t, u reg.VecPhysical, poly Op) {
	VPSHUFD(Imm(0xff), h, u)
	VPSRAD(Imm(31), u, u) // all ones if the highest bit falls out
	VPAND(poly, u, u)
	VPSRLQ(Imm(63), h, t)
	VPSLLDQ(Imm(8), t, t)
	VPSLLQ(Imm(1), h, h)
	VPXOR(t, h, h)
	VPXOR(u, h, h)
}

// Mul sets the unreduced product to a·b by four carry-less multiplications.
// It overwrites t.
func Mul(a Op, b, lo, mid, hi, t reg.VecPhysical) {
	VPCLMULQDQ(Imm(0x01), a, b, mid)
	VPCLMULQDQ(Imm(0x10), a, b, t)
	VPCLMULQDQ(Imm(0x00), a, b, lo)
	VPCLMULQDQ(Imm(0x11), a, b, hi)
	xor(t, mid, mid)
}

// Square sets lo and hi to the unreduced square of a; its middle part is zero.
func Square(a, lo, hi reg.VecPhysical) {
	VPCLMULQDQ(Imm(0x00), a, a, lo)
	VPCLMULQDQ(Imm(0x11), a, a, hi)
}

// Join folds mid into lo and hi. It overwrites mid and t.
func Join(lo, mid, hi, t reg.VecPhysical) {
	VPSLLDQ(Imm(8), mid, t)
	VPSRLDQ(Imm(8), mid, mid)
	xor(t, lo, lo)
	xor(mid, hi, hi)
}

// Reduce sets out to lo + hi·2^128 modulo the polynomial of GHASH: twice, the
// low quadword is multiplied by the polynomial and so cancelled. It overwrites
// lo and t; out may be hi.
func Reduce(lo, hi, out, t reg.VecPhysical, poly Op) {
	for range 2 {
		VPCLMULQDQ(Imm(0x10), poly, lo, t)
		VPSHUFD(Imm(0x4e), lo, lo)
		xor(t, lo, lo)
	}
	xor(lo, hi, out)
}

// xor takes the form of the instruction that the width of the registers asks
// for: there is no VEX form for ZMM.
func xor(a, b, out reg.VecPhysical) {
	if out.Size() == 64 {
		VPXORQ(a, b, out)
	} else {
		VPXOR(a, b, out)
	}
}

const rodata = attr.RODATA | attr.NOPTR

// Sums prepares Karatsuba's method for [Step]: sums[i] gets H^(8-2i) and
// H^(7-2i) from the table of powers at t, the two halves of each added to one
// another. It overwrites tmp.
func Sums(t reg.Register, sums []reg.VecPhysical, tmp reg.VecPhysical) {
	for i, s := range sums {
		a, b := Mem{Base: t, Disp: 16 * (56 + 2*i)}, Mem{Base: t, Disp: 16 * (57 + 2*i)}
		VMOVDQU(a, s)
		VPUNPCKHQDQ(b, s, tmp)
		VPUNPCKLQDQ(b, s, s)
		VPXOR(tmp, s, s)
	}
}

// Step adds the product of the block x and a power to lo, mid, hi by three
// carry-less multiplications; mid still lacks lo and hi. The halves of the
// power, added, are in quadword half of sum. The first step of several sets
// the registers. It overwrites x and tmp.
func Step(x reg.VecPhysical, power, sum Op, half int, first bool, lo, mid, hi, tmp reg.VecPhysical) {
	product := func(imm uint64, a Op, b, to reg.VecPhysical) {
		if first {
			VPCLMULQDQ(Imm(imm), a, b, to)
			return
		}
		VPCLMULQDQ(Imm(imm), a, b, tmp)
		VPXOR(tmp, to, to)
	}
	product(0x00, power, x, lo)
	product(0x11, power, x, hi)
	VPSHUFD(Imm(0x4e), x, tmp)
	VPXOR(tmp, x, x)
	product(uint64(half)<<4, sum, x, mid)
}

// LoadPart loads the n bytes at p, 1 to 15, into x and fills up with zeros. It
// reads only these bytes. It overwrites lo, hi, CX (which must be count) and
// t; labels begin with name.
func LoadPart(p, n, lo, hi, count, t reg.GPPhysical, x reg.VecPhysical, name string) {
	XORL(hi.As32(), hi.As32())
	CMPQ(n, Imm(8))
	JAE(LabelRef(name + "8"))
	CMPQ(n, Imm(4))
	JAE(LabelRef(name + "4"))
	Comment("1 ... 3: the first, the middle and the last byte")
	MOVBLZX(Mem{Base: p}, lo.As32())
	MOVQ(n, count)
	SHRQ(Imm(1), count)
	MOVBLZX(Mem{Base: p, Index: count, Scale: 1}, t.As32())
	SHLQ(Imm(3), count)
	SHLQ(reg.CL, t)
	ORQ(t, lo)
	MOVBLZX(Mem{Base: p, Index: n, Scale: 1, Disp: -1}, t.As32())
	LEAQ(Mem{Base: n, Disp: -1}, count)
	SHLQ(Imm(3), count)
	SHLQ(reg.CL, t)
	ORQ(t, lo)
	JMP(LabelRef(name + "0"))
	Label(name + "4")
	MOVL(Mem{Base: p}, lo.As32())
	MOVL(Mem{Base: p, Index: n, Scale: 1, Disp: -4}, t.As32())
	LEAQ(Mem{Base: n, Disp: -4}, count)
	SHLQ(Imm(3), count)
	SHLQ(reg.CL, t)
	ORQ(t, lo)
	JMP(LabelRef(name + "0"))
	Label(name + "8")
	MOVQ(Mem{Base: p}, lo)
	MOVQ(Mem{Base: p, Index: n, Scale: 1, Disp: -8}, hi)
	MOVQ(n, count)
	NEGQ(count)
	SHLQ(Imm(3), count)
	ADDQ(Imm(120), count)
	SHRQ(reg.CL, hi)
	SHRQ(Imm(8), hi)
	Label(name + "0")
	VMOVQ(lo, x)
	VPINSRQ(Imm(1), hi, x, x)
}

// Power returns H^n in the table of powers at t.
func Power(t reg.Register, n int) Mem { return Mem{Base: t, Disp: 16 * (64 - n)} }

// Arguments loads the arguments t, y, p and len(p) of an Update function.
func Arguments() (t, y, p, n reg.GPPhysical) {
	t, y, p, n = reg.RAX, reg.RBX, reg.RSI, reg.RDI
	Load(Param("t"), t)
	Load(Param("y"), y)
	Load(Param("p").Base(), p)
	Load(Param("p").Len(), n)
	return t, y, p, n
}

// Update writes the function that hashes with the powers H^8 ... H^1. Without
// pad it takes whole blocks only.
func Update(name string, pad bool, reverse, poly Mem) {
	TEXT(name, attr.NOSPLIT, "func(t *[64][16]byte, y *[16]byte, p []byte)")
	last := "the last block zero padded:"
	if !pad {
		last = "whole blocks:"
	}
	Comment(
		name+" continues the hash y over p, "+last,
		"of n blocks p[i] at a time, y = (y+p[0])·H^n + p[1]·H^(n-1) + ... + p[n-1]·H.",
		"func "+name+"(t *[64][16]byte, y *[16]byte, p []byte)",
		"Reads the entries 56 ... 63 of t and nothing beyond p.",
		"AX t, BX y, SI p, DI bytes left, DX power for the next block; X0 hash; X1, X2, X3",
		"low, middle, high product; X4 block, X5 reversal, X6 polynomial, X7 temporary;",
		"X8 ... X11 halves of H^8 ... H^1 added, two powers in each (for Karatsuba's method).",
		"Eight blocks share one reduction and take 24 carry-less products: on Zen 5, which",
		"starts one in two cycles, they are the limit (0.375 cycles per byte). The block",
		"that waits for the last hash comes last.")
	t, y, p, n := Arguments()
	next := reg.RDX
	acc, lo, mid, hi, x, tmp := reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X7
	rev, pol := reg.X5, reg.X6
	sums := []reg.VecPhysical{reg.X8, reg.X9, reg.X10, reg.X11}
	VMOVDQU(reverse, rev)
	VMOVDQU(poly, pol)
	VMOVDQU(Mem{Base: y}, acc)
	VPSHUFB(rev, acc, acc)
	CMPQ(n, Imm(128))
	JB(LabelRef("tail"))

	Sums(t, sums, tmp)
	Label("eight")
	for k := 1; k <= 8; k++ {
		i := k % 8
		VMOVDQU(Mem{Base: p, Disp: 16 * i}, x)
		VPSHUFB(rev, x, x)
		if i == 0 {
			VPXOR(acc, x, x)
		}
		Step(x, Power(t, 8-i), sums[i/2], i%2, k == 1, lo, mid, hi, tmp)
	}
	VPXOR(lo, mid, mid)
	VPXOR(hi, mid, mid)
	Join(lo, mid, hi, tmp)
	Reduce(lo, hi, acc, tmp, pol)
	ADDQ(Imm(128), p)
	SUBQ(Imm(128), n)
	CMPQ(n, Imm(128))
	JAE(LabelRef("eight"))

	Label("tail")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Comment("1 ... 8 blocks: the first one takes H^n.")
	if pad {
		LEAQ(Mem{Base: n, Disp: 15}, next)
		ANDQ(I8(-16), next)
	} else {
		MOVQ(n, next)
	}
	NEGQ(next)
	LEAQ(Mem{Base: t, Index: next, Scale: 1, Disp: 1024}, next)
	VPXOR(lo, lo, lo)
	VPXOR(mid, mid, mid)
	VPXOR(hi, hi, hi)
	if pad {
		SUBQ(Imm(16), n)
		JB(LabelRef("part"))
	}
	Label("block")
	VMOVDQU(Mem{Base: p}, x)
	VPSHUFB(rev, x, x)
	if pad {
		Label("product")
	}
	VPXOR(acc, x, x)
	VPXOR(acc, acc, acc)
	VPCLMULQDQ(Imm(0x00), Mem{Base: next}, x, tmp)
	VPXOR(tmp, lo, lo)
	VPCLMULQDQ(Imm(0x11), Mem{Base: next}, x, tmp)
	VPXOR(tmp, hi, hi)
	VPCLMULQDQ(Imm(0x01), Mem{Base: next}, x, tmp)
	VPXOR(tmp, mid, mid)
	VPCLMULQDQ(Imm(0x10), Mem{Base: next}, x, tmp)
	VPXOR(tmp, mid, mid)
	ADDQ(Imm(16), p)
	ADDQ(Imm(16), next)
	SUBQ(Imm(16), n)
	if pad {
		JAE(LabelRef("block"))
		Label("part")
		CMPQ(n, I8(-16))
		JNE(LabelRef("padding"))
	} else {
		JNE(LabelRef("block"))
	}
	Join(lo, mid, hi, tmp)
	Reduce(lo, hi, acc, tmp, pol)
	Label("done")
	VPSHUFB(rev, acc, acc)
	VMOVDQU(acc, Mem{Base: y})
	RET()
	if !pad {
		return
	}

	Label("padding")
	Comment("The last 1 ... 15 bytes; then n = 0 is left.")
	ADDQ(Imm(16), n)
	LoadPart(p, n, reg.R8, reg.R9, reg.RCX, reg.R10, x, "part")
	XORL(reg.EDI, reg.EDI)
	VPSHUFB(rev, x, x)
	JMP(LabelRef("product"))
}
