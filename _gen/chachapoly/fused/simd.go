package fused

import (
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Instructions that package simd lacks, in its order of operands: the sources, then the
// destination.

// inPlace emits a shift, whose legacy form overwrites its source.
func inPlace(n int, x, out reg.VecPhysical, vex func(n, x, out Op), op func(n, out Op)) {
	if !simd.Legacy {
		vex(Imm(uint64(n)), x, out)
		return
	}
	if x != out {
		MOVO(x, out)
	}
	op(Imm(uint64(n)), out)
}

func left32(n int, x, out reg.VecPhysical) {
	inPlace(n, x, out, func(n, x, out Op) { VPSLLD(n, x, out) }, func(n, out Op) { PSLLL(n, out) })
}

func right32(n int, x, out reg.VecPhysical) {
	inPlace(n, x, out, func(n, x, out Op) { VPSRLD(n, x, out) }, func(n, out Op) { PSRLL(n, out) })
}

// or adds the bits of a to out.
func or(a, out reg.VecPhysical) {
	if simd.Legacy {
		POR(a, out)
	} else {
		VPOR(a, out, out)
	}
}

// pair interleaves the elements of a and b: the low ones in t, the high ones in
// b. It returns the registers: a is free afterwards.
func pair(a, b, t reg.VecPhysical, quad bool) (lo, hi, free reg.VecPhysical) {
	if simd.Legacy {
		// PUNPCKH wants a in its destination.
		MOVO(a, t)
		if quad {
			PUNPCKLQDQ(b, t)
			PUNPCKHQDQ(b, a)
		} else {
			PUNPCKLLQ(b, t)
			PUNPCKHLQ(b, a)
		}
		return t, a, b
	}
	if quad {
		VPUNPCKLQDQ(b, a, t)
		VPUNPCKHQDQ(b, a, b)
	} else {
		VPUNPCKLDQ(b, a, t)
		VPUNPCKHDQ(b, a, b)
	}
	return t, b, a
}

// movd copies size bytes, 4 or 8, into a register and clears the rest of it.
func (k Kind) movd(from Op, to reg.VecPhysical, size int) {
	switch {
	case k.Legacy && size == 8:
		MOVQ(from, to)
	case k.Legacy:
		MOVD(from, to)
	case size == 8:
		VMOVQ(from, to)
	default:
		VMOVD(from, to)
	}
}

// low32 and low64 interleave the low elements of x and those of a.
func (k Kind) low32(a, x reg.VecPhysical) {
	if k.Legacy {
		PUNPCKLLQ(a, x)
	} else {
		VPUNPCKLDQ(a, x, x)
	}
}

func (k Kind) low64(a, x reg.VecPhysical) {
	if k.Legacy {
		PUNPCKLQDQ(a, x)
	} else {
		VPUNPCKLQDQ(a, x, x)
	}
}
