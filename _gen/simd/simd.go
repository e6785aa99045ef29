// Package simd emits vector instructions in one of two encodings: VEX, or the
// legacy SSE ones for CPUs without AVX. The same generator then writes kernels
// for both.
//
// All functions have the operands of the VEX form: the sources, then the
// destination. The legacy form overwrites one of its sources, so that a move may
// go before it; and its operands in memory must be aligned, so that only
// constants are taken from there. Others are loaded into the destination
// first, which then must not be the other source.
package simd

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Legacy chooses the legacy encodings.
var Legacy bool

// Vec is a vector register.
type Vec = reg.VecPhysical

// unaligned reports whether a may be memory that the legacy forms cannot take.
// The linker aligns constants of 16 bytes and more.
func unaligned(a Op) bool {
	m, ok := a.(Mem)
	return ok && m.Symbol.Name == "" && !aligned[m.Base]
}

var aligned = map[reg.Register]bool{}

// Aligned says that memory at multiples of 16 bytes from base is aligned.
func Aligned(base reg.Register) { aligned[base] = true }

// move copies a register if it has to.
func move(from, to Vec) {
	if from != to {
		MOVO(from, to)
	}
}

// commutative emits an operation of a and b, in the legacy form as op.
func commutative(a Op, b, out Vec, vex func(a, b, out Op), op func(a, out Op)) {
	switch {
	case !Legacy:
		vex(a, b, out)
	case unaligned(a):
		distinct(b, out)
		MOVOU(a, out)
		op(b, out)
	case a == Op(out):
		op(b, out)
	default:
		move(b, out)
		op(a, out)
	}
}

func distinct(b, out Vec) {
	if b == out {
		panic("simd: the destination is needed for an operand in memory")
	}
}

// ordered emits an operation of a and b whose legacy form has b in the
// destination.
func ordered(a Op, b, out Vec, vex func(a, b, out Op), op func(a, out Op)) {
	if !Legacy {
		vex(a, b, out)
		return
	}
	if unaligned(a) || a == Op(out) && b != out {
		panic("simd: no legacy form for these operands")
	}
	move(b, out)
	op(a, out)
}

// immediate emits a shift of x, whose legacy form is in place.
func immediate(n uint64, x, out Vec, vex func(n, x, out Op), op func(n, out Op)) {
	if !Legacy {
		vex(Imm(n), x, out)
		return
	}
	move(x, out)
	op(Imm(n), out)
}

// Read loads a register from memory of any alignment, Write stores it.
func Read(m Mem, out Vec) { transfer(m, out) }

// Write is the inverse of Read.
func Write(x Vec, m Mem) { transfer(x, m) }

func transfer(from, to Op) {
	if Legacy {
		MOVOU(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

// Move copies a register.
func Move(from, to Vec) {
	if Legacy {
		MOVO(from, to)
	} else {
		VMOVDQA(from, to)
	}
}

// Zero clears a register.
func Zero(x Vec) {
	if Legacy {
		PXOR(x, x)
	} else {
		VPXOR(x, x, x)
	}
}

// Xor is PXOR.
func Xor(a Op, b, out Vec) {
	if !Legacy && out.Size() == 64 { // no VEX form for ZMM
		VPXORQ(a, b, out)
		return
	}
	commutative(a, b, out, VPXOR, PXOR)
}

// XorMemory adds what is at m to x, through tmp where it must.
func XorMemory(m Mem, x, tmp Vec) {
	if Legacy && unaligned(m) {
		MOVOU(m, tmp)
		PXOR(tmp, x)
		return
	}
	Xor(m, x, x)
}

// And is PAND.
func And(a Op, b, out Vec) { commutative(a, b, out, VPAND, PAND) }

// Add32 is PADDD.
func Add32(a Op, b, out Vec) { commutative(a, b, out, vpaddd, PADDD) }

// Add64 is PADDQ.
func Add64(a Op, b, out Vec) { commutative(a, b, out, vpaddq, PADDQ) }

func vpaddd(a, b, out Op) { VPADDD(a, b, out) }
func vpaddq(a, b, out Op) { VPADDQ(a, b, out) }

// Shuffle is PSHUFB of x by index.
func Shuffle(index Op, x, out Vec) { ordered(index, x, out, vpshufb, PSHUFB) }

func vpshufb(index, x, out Op) { VPSHUFB(index, x, out) }

// Shuffle32 is PSHUFD.
func Shuffle32(order uint64, x, out Vec) {
	if Legacy {
		PSHUFD(Imm(order), x, out)
	} else {
		VPSHUFD(Imm(order), x, out)
	}
}

// LeftBytes and RightBytes shift a register, or both halves of a wide one, by
// n bytes.
func LeftBytes(n uint64, x, out Vec) { immediate(n, x, out, vpslldq, PSLLDQ) }

// LowToHigh puts the low quadword of x into the high one of out, with zeros
// below.
func LowToHigh(x, out Vec) {
	if Legacy {
		distinct(x, out)
		PXOR(out, out)
		PUNPCKLQDQ(x, out)
	} else {
		VPSLLDQ(Imm(8), x, out)
	}
}

// RightBytes is like LeftBytes.
func RightBytes(n uint64, x, out Vec) { immediate(n, x, out, vpsrldq, PSRLDQ) }

func vpslldq(n, x, out Op) { VPSLLDQ(n, x, out) }
func vpsrldq(n, x, out Op) { VPSRLDQ(n, x, out) }

// Left64, Right64 and Arithmetic32 shift the elements by n bits.
func Left64(n uint64, x, out Vec) { immediate(n, x, out, vpsllq, PSLLQ) }

// Right64 is like Left64.
func Right64(n uint64, x, out Vec) { immediate(n, x, out, vpsrlq, PSRLQ) }

// Right32 is like Left64.
func Right32(n uint64, x, out Vec) { immediate(n, x, out, vpsrld, PSRLL) }

// Arithmetic32 is like Left64.
func Arithmetic32(n uint64, x, out Vec) { immediate(n, x, out, vpsrad, PSRAL) }

func vpsllq(n, x, out Op) { VPSLLQ(n, x, out) }
func vpsrlq(n, x, out Op) { VPSRLQ(n, x, out) }
func vpsrld(n, x, out Op) { VPSRLD(n, x, out) }
func vpsrad(n, x, out Op) { VPSRAD(n, x, out) }

// Multiply is PCLMULQDQ of a quadword of b, bit 0 of which, and one of a, bit 4
// of which.
func Multiply(which uint64, a Op, b, out Vec) {
	switch {
	case !Legacy:
		VPCLMULQDQ(Imm(which), a, b, out)
	case unaligned(a):
		distinct(b, out)
		MOVOU(a, out)
		PCLMULQDQ(Imm(which>>4|which&1<<4), b, out)
	case b == out:
		PCLMULQDQ(Imm(which), a, out)
	default: // a is more often a constant, so that nothing waits for the move
		if a != Op(out) {
			MOVO(a, out)
		}
		PCLMULQDQ(Imm(which>>4|which&1<<4), b, out)
	}
}

// Join makes x from two quadwords. The legacy form, without SSE4.1, overwrites tmp.
func Join(lo, hi reg.GPPhysical, x, tmp Vec) {
	if Legacy {
		MOVQ(lo, x)
		MOVQ(hi, tmp)
		PUNPCKLQDQ(tmp, x)
	} else {
		VMOVQ(lo, x)
		VPINSRQ(Imm(1), hi, x, x)
	}
}

// Low copies the low quadword of x.
func Low(x Vec, to reg.GPPhysical) {
	if Legacy {
		MOVQ(x, to)
	} else {
		VMOVQ(x, to)
	}
}
