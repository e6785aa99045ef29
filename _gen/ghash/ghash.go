// Package ghash emits the pieces of GHASH that several amd64 kernels share.
//
// A field element is kept byte-reversed, so that bit i of the register is the
// coefficient of x^(127-i), and the powers of the hash key are multiplied by x
// beforehand. Then the carry-less product of an element and a power, reduced
// by [Fold], is the product of GHASH without any shift by one bit.
//
// An unreduced product is kept as three registers lo, mid, hi: the value
// lo + mid·2^64 + hi·2^128 as bits.
package ghash

import (
	"github.com/cipherlane/cipherlane/_gen/simd"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Constants declares the data the functions below read and returns it: the
// byte reversal for VPSHUFB and the reduction polynomial, each repeated to
// fill width bytes.
func Constants(prefix string, width int) (reverse, poly Mem) {
	return Reverse(prefix, width), Polynomial(prefix, width)
}

// Reverse declares the first of [Constants].
func Reverse(prefix string, width int) (reverse Mem) {
	reverse = GLOBL(prefix+"Reverse", rodata)
	for i := 0; i < width; i += 16 {
		DATA(i, U64(0x08090a0b0c0d0e0f))
		DATA(i+8, U64(0x0001020304050607))
	}
	return reverse
}

// Polynomial declares the second.
func Polynomial(prefix string, width int) (poly Mem) {
	poly = GLOBL(prefix+"Poly", rodata)
	for i := 0; i < width; i += 16 {
		DATA(i, U64(1))
		DATA(i+8, U64(0xc2<<56))
	}
	return poly
}

const rodata = attr.RODATA | attr.NOPTR

// MulX multiplies the byte-reversed element h by x, so that products with it
// need no shift. It overwrites t and u.
func MulX(h, t, u reg.VecPhysical, poly Op) {
	simd.Shuffle32(0xff, h, u)
	simd.Arithmetic32(31, u, u) // all ones if the highest bit falls out
	simd.And(poly, u, u)
	simd.Right64(63, h, t)
	simd.LeftBytes(8, t, t)
	simd.Left64(1, h, h)
	simd.Xor(t, h, h)
	simd.Xor(u, h, h)
}

// Mul sets the unreduced product to a·b by four carry-less multiplications.
// It overwrites t.
func Mul(a Op, b, lo, mid, hi, t reg.VecPhysical) {
	simd.Multiply(0x01, a, b, mid)
	simd.Multiply(0x10, a, b, t)
	simd.Multiply(0x00, a, b, lo)
	simd.Multiply(0x11, a, b, hi)
	simd.Xor(t, mid, mid)
}

// Square sets lo and hi to the unreduced square of a; its middle part is zero.
func Square(a, lo, hi reg.VecPhysical) {
	simd.Multiply(0x00, a, a, lo)
	simd.Multiply(0x11, a, a, hi)
}

// Fold sets out to the unreduced product lo, mid, hi modulo the polynomial of
// GHASH, in each lane: twice, the lowest quadword is multiplied by the polynomial
// and so cancelled. Where the product goes is the place of mid and that of hi, so
// that nothing is shifted, and mid is needed only after the first
// multiplication. It overwrites all but poly; out may be hi.
func Fold(lo, mid, hi, out, t reg.VecPhysical, poly Op) {
	simd.Multiply(0x10, poly, lo, t)
	simd.Shuffle32(0x4e, lo, lo)
	simd.Xor(lo, mid, mid)
	simd.Xor(t, mid, mid)
	simd.Multiply(0x10, poly, mid, t)
	simd.Shuffle32(0x4e, mid, mid)
	simd.Xor(mid, hi, hi)
	simd.Xor(t, hi, out)
}

// Sums prepares Karatsuba's method for [Step], in VEX encoding only: sums[i]
// gets the powers at 2·i·size and (2·i+1)·size from first on, size being that
// of the registers, the two halves of each power added to one another. It
// overwrites tmp.
func Sums(first Mem, sums []reg.VecPhysical, tmp reg.VecPhysical) {
	size := int(tmp.Size())
	for i, s := range sums {
		a, b := first.Offset(2*i*size), first.Offset((2*i+1)*size)
		VMOVDQU(a, s)
		VPUNPCKHQDQ(b, s, tmp)
		VPUNPCKLQDQ(b, s, s)
		VPXOR(tmp, s, s)
	}
}

// Step adds the products of the blocks x and powers to lo, mid, hi by three
// carry-less multiplications; mid still lacks lo and hi. The halves of the
// powers, added, are in the quadwords half of sum. The first step of several sets
// the registers. It overwrites x and tmp.
func Step(x reg.VecPhysical, powers, sum Op, half int, first bool, lo, mid, hi, tmp reg.VecPhysical) {
	product := func(imm uint64, a Op, b, to reg.VecPhysical) {
		if first {
			simd.Multiply(imm, a, b, to)
			return
		}
		simd.Multiply(imm, a, b, tmp)
		simd.Xor(tmp, to, to)
	}
	product(0x00, powers, x, lo)
	product(0x11, powers, x, hi)
	simd.Shuffle32(0x4e, x, tmp)
	simd.Xor(tmp, x, x)
	product(uint64(half)<<4, sum, x, mid)
}

// LoadPart loads the n bytes at p, 1 to 15, into x and fills up with zeros. It
// reads only these bytes. It overwrites lo, hi, CX (which must be count), t and
// tmp; labels begin with name.
func LoadPart(p, n, lo, hi, count, t reg.GPPhysical, x, tmp reg.VecPhysical, name string) {
	XORL(hi.As32(), hi.As32())
	CMPQ(n, Imm(8))
	JAE(LabelRef(name + "8"))
	LoadHalf(p, n, lo, count, t, name)
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
	simd.Join(lo, hi, x, tmp)
}

// LoadHalf loads 1 to 7 bytes into lo, as LoadPart does. It jumps to the label name+"0", or ends.
func LoadHalf(p, n, lo, count, t reg.GPPhysical, name string) {
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
}

// Power returns H^n in the table of powers at t.
func Power(t reg.Register, n int) Mem { return Mem{Base: t, Disp: 16 * (64 - n)} }

// PutPower stores H^n, n at most powers, and in the entry so many in front of it
// the sum of the halves of H^n, twice, for Karatsuba's method. It overwrites t.
func PutPower(table reg.Register, powers, n int, h, t reg.VecPhysical) {
	simd.Write(h, Power(table, n))
	simd.Shuffle32(0x4e, h, t)
	simd.Xor(h, t, t)
	simd.Write(t, Power(table, powers+n))
}

// UpdateSignature is that of an Update function which takes the order of bytes from
// its caller.
const UpdateSignature = "func(t *[64][16]byte, y *[16]byte, p []byte, order *[64]byte)"

// Order returns what the argument order points to, by way of DX.
func Order() Mem {
	Load(Param("order"), reg.RDX)
	return Mem{Base: reg.RDX}
}

// Arguments loads the arguments t, y, p and len(p) of an Update function.
func Arguments() (t, y, p, n reg.GPPhysical) {
	t, y, p, n = reg.RAX, reg.RBX, reg.RSI, reg.RDI
	Load(Param("t"), t)
	Load(Param("y"), y)
	Load(Param("p").Base(), p)
	Load(Param("p").Len(), n)
	return t, y, p, n
}
