package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A poly is the integer registers of Poly1305.
type poly struct {
	f         *asm.Func
	h         []asm.Reg
	r0, r1    asm.Reg
	s         asm.Reg   // r1 + r1/4
	one       asm.Reg   // 2^128 of each block
	low, high []asm.Reg // products
	pointer   asm.Reg
}

// newPoly loads what the arguments h and r point to.
func newPoly(f *asm.Func) *poly {
	k := &poly{
		f: f, h: f.Several(Integer, "h", 3), r0: f.New(Integer, "r0"), r1: f.New(Integer, "r1"),
		s: f.New(Integer, "s"), one: f.New(Integer, "one"), pointer: f.New(Integer, "pointer"),
		low: f.Several(Integer, "low", 4), high: f.Several(Integer, "high", 4),
	}
	f.LoadArg("h", k.pointer)
	f.Add(
		LDP(At(k.pointer, 0), k.h[0], k.h[1]),
		MOVD(At(k.pointer, 16), k.h[2]))
	f.LoadArg("r", k.pointer)
	f.Add(
		LDP(At(k.pointer, 0), k.r0, k.r1),
		ADD(Right(k.r1, 2), k.r1, k.s),
		MOVD(1, k.one))
	return k
}

// store writes h back.
func (k *poly) store() {
	k.f.LoadArg("h", k.pointer)
	k.f.Add(
		STP(k.h[0], k.h[1], At(k.pointer, 0)),
		MOVD(k.h[2], At(k.pointer, 16)))
}

// blocks continues with n blocks at p, 26 instructions each. r is so small that sums of
// upper halves never carry.
func (k *poly) blocks(p asm.Reg, n int) (s asm.Stream) {
	h0, h1, h2, low, high := k.h[0], k.h[1], k.h[2], k.low, k.high
	d0, d1, d2 := low[0], high[0], high[2] // the columns
	for range n {
		s.Add(
			LDP(Post(p, 16), low[0], low[1]),
			ADDS(low[0], h0, h0),
			ADCS(low[1], h1, h1),
			ADC(k.one, h2, h2),

			MUL(k.r0, h0, low[0]),
			UMULH(k.r0, h0, high[0]),
			MUL(k.s, h1, low[1]),
			UMULH(k.s, h1, high[1]),
			MUL(k.r1, h0, low[2]),
			UMULH(k.r1, h0, high[2]),
			MUL(k.r0, h1, low[3]),
			UMULH(k.r0, h1, high[3]),

			ADDS(low[1], d0, d0),
			ADC(high[1], d1, d1),
			MADD(k.s, d1, h2, d1),
			MADD(k.r0, d2, h2, d2),
			ADDS(low[2], d1, d1),
			ADC(high[3], d2, d2),
			ADDS(low[3], d1, d1),
			ADC(ZR, d2, d2),

			// d2 has two bits below 2^130 and others above, which come back times 5.
			AND(-4, d2, high[1]),
			AND(3, d2, h2),
			ADD(Right(d2, 2), high[1], high[1]),
			ADDS(high[1], d0, h0),
			ADCS(ZR, d1, h1),
			ADC(ZR, h2, h2))
	}
	return s
}

func blocks(file *asm.File) {
	f := file.Func("blocksNEON", "(h *[3]uint64, r *[2]uint64, p *byte, n int)")
	f.Secret = "h r p"
	f.Doc = "blocksNEON continues Poly1305 over n > 0 bytes, whole blocks."
	f.Banner = `Integer instructions only: 26 for a block and 2 for the loop, 21 cycles on Cortex-A72 by
		llvm-mca and 38 on Neoverse N1.`
	k := newPoly(f)
	p, n := f.Arg("p"), f.Arg("n")

	f.Label("block")
	f.Add(k.blocks(p, 1)...)
	f.Add(
		SUB(16, n, n),
		CBNZ(n, "block"))
	k.store()
	f.Add(RET())
}
