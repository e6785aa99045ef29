package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// mac has the registers of blocksScalar.
type mac struct {
	*asm.Func
	h     []asm.Reg // before the last reduction: h[2] has more than two bits
	r     []asm.Reg
	s     asm.Reg // r1 + r1/4
	m     []asm.Reg
	carry []asm.Reg
	low   []asm.Reg // lower halves of products
	high  []asm.Reg // upper halves
}

// fold takes what is above 2^130 out of h[2], and adds five times that to h[0] with a
// carry in carry[0].
func (k *mac) fold() asm.Stream {
	five := k.m[0]
	return asm.Stream{
		SRLI(2, k.h[2], five),
		ANDI(3, k.h[2], k.h[2]),
		SH2ADD(five, five, five),
		ADD(five, k.h[0], k.h[0]),
		SLTU(five, k.h[0], k.carry[0]),
	}
}

// block is Poly1305 over the block at an offset from p.
func (k *mac) block(p asm.Reg, offset int) (s asm.Stream) {
	h, r, c, m := k.h, k.r, k.carry, k.m
	low, high := k.low, k.high
	s.Add(k.fold()...)
	s.Add(
		MOV(offset, p, m[1]),
		MOV(offset+8, p, m[2]),
		ADD(m[1], h[0], h[0]),
		SLTU(m[1], h[0], c[1]),
		ADD(m[2], h[1], h[1]),
		SLTU(m[2], h[1], c[2]),
		ADD(c[0], c[1], c[0]),
		ADD(c[0], h[1], h[1]),
		SLTU(c[0], h[1], c[3]),
		ADD(c[2], h[2], h[2]),
		ADD(c[3], h[2], h[2]),
		ADDI(1, h[2], h[2]),

		MUL(r[0], h[0], low[0]),
		MULHU(r[0], h[0], high[0]),
		MUL(r[1], h[0], low[1]),
		MULHU(r[1], h[0], high[1]),
		MUL(r[0], h[1], low[2]),
		MULHU(r[0], h[1], high[2]),
		MUL(k.s, h[1], low[3]),
		MULHU(k.s, h[1], high[3]),
		MUL(k.s, h[2], low[4]),
		MUL(r[0], h[2], low[5]),

		ADD(low[3], low[0], h[0]),
		SLTU(low[3], h[0], m[1]),
		ADD(high[3], high[0], high[0]),
		ADD(low[4], high[0], high[0]),
		ADD(m[1], high[0], high[0]),
		ADD(low[1], low[2], h[1]),
		SLTU(low[1], h[1], m[2]),
		ADD(high[0], h[1], h[1]),
		SLTU(high[0], h[1], c[0]),
		ADD(high[1], high[2], high[2]),
		ADD(low[5], high[2], high[2]),
		ADD(m[2], high[2], high[2]),
		ADD(c[0], high[2], h[2]),
	)
	return s
}

// scalar writes Poly1305 in integer registers.
func scalar(file *asm.File) {
	const unroll = 4
	k := &mac{Func: file.Func("blocksScalar", "(h *[3]uint64, r *[2]uint64, p *byte, n int)")}
	k.Doc = `blocksScalar continues Poly1305 over n > 0 bytes, whole blocks, at an address
		that is a multiple of 8.`
	k.Banner = `It needs Zba. 40 instructions for a block, 10 of them multiplications: the reduction of
		one block and the addition of the next share their carries, and upper halves of products
		with the 60 bits of r add up without any.`
	k.Secret = "h r p"
	k.h, k.r, k.s = k.Several(Integer, "h", 3), k.Several(Integer, "r", 2), k.New(Integer, "s")
	k.m, k.carry = k.Several(Integer, "m", 3), k.Several(Integer, "carry", 4)
	k.low, k.high = k.Several(Integer, "low", 6), k.Several(Integer, "high", 4)
	h, r, n := k.h, k.r, k.New(Integer, "n")
	at := k.New(Integer, "at")
	k.LoadArg("h", at)
	k.Add(MOV(0, at, h[0]), MOV(8, at, h[1]), MOV(16, at, h[2]))
	k.LoadArg("r", at)
	k.Add(
		MOV(0, at, r[0]),
		MOV(8, at, r[1]),
		SRLI(2, r[1], k.s),
		ADD(r[1], k.s, k.s),
	)
	p := k.Arg("p")
	k.LoadArg("n", n)
	k.Add(MOVI(16*unroll, at), BLTU(n, at, "rest"))

	k.Label("four")
	var s asm.Stream
	for i := range unroll {
		s.Add(k.block(p, 16*i)...)
	}
	k.Add(asm.Schedule(s, X60)...)
	k.Add(
		ADDI(16*unroll, p, p),
		ADDI(-16*unroll, n, n),
		MOVI(16*unroll, at),
		BGEU(n, at, "four"),
		BEQZ(n, "done"),
	)

	k.Label("rest")
	k.Add(asm.Schedule(k.block(p, 0), X60)...)
	k.Add(ADDI(16, p, p), ADDI(-16, n, n), BNEZ(n, "rest"))

	k.Label("done")
	k.Add(k.fold()...)
	k.Add(
		ADD(k.carry[0], h[1], h[1]),
		SLTU(k.carry[0], h[1], k.carry[1]),
		ADD(k.carry[1], h[2], h[2]),
	)
	k.LoadArg("h", at)
	k.Add(SD(h[0], 0, at), SD(h[1], 8, at), SD(h[2], 16, at), RET())
}
