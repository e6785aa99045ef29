package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/ghash"
)

// This file has messages of 1 to 64 bytes, one register. On Intel's CPUs they are limited by the
// number of instructions of a whole call, with those of Go around the kernel. So there is nothing
// here that only longer messages need. Products are made of four multiplications: Karatsuba's
// method takes more instructions for the sums of halves than it saves.

// fewBytes processes such a message, with n in the register remaining and done 0. The other
// arguments but m have not been loaded.
func fewBytes(open bool) {
	text, blocks, input, power, m := state[0], state[1], state[2], state[3], amd64.X(base)
	Load(Param("k"), keys)
	Load(Param("h"), powers)
	Load(Param("src"), src)
	Load(Param("dst"), dst)
	masks()
	VMOVDQU8_Z(Mem{Base: src}, reg.K1, input)
	VMOVDQU8_Z(Mem{Base: powers, Index: reg.RCX, Scale: 1, Disp: 1008}, reg.K2, power)
	MOVQ(Mem{Base: keys, Disp: 480}, rounds)

	loadJ0(m)
	VSHUFI64X2(Imm(0), base, base, text)
	VPSHUFB(constSwap, text, text)
	VPADDD(constNext, text, text)
	VPSHUFB(constSwap, text, text)
	VBROADCASTI32X4(roundKey(0), round)
	VPXORQ(round, text, text)
	VPXORQ(amd64.X(round), m, m)

	p := pass{z: state[:1], j0: true}
	c := lengthsProduct()
	if open {
		c = append(c, fewProducts(input, blocks, power)...)
	}
	p.rounds(c)
	SHLQ(Imm(4), rounds)
	VBROADCASTI32X4(Mem{Base: keys, Index: rounds, Scale: 1}, round)
	VPXORQ(round, input, input)
	VAESENCLAST(input, text, text)
	VAESENCLAST(amd64.X(round), m, m)
	VMOVDQU8(text, reg.K1, Mem{Base: dst})
	if !open {
		VMOVDQU8_Z(text, reg.K1, text)
		amd64.Write(fewProducts(text, blocks, power))
	}

	settled := label("settled")
	CMPQ(lengths, Imm(0))
	JE(LabelRef(settled))
	Comment("There is data: Y is in front of the first block, or is added to it if it is not pending.")
	MOVBQZX(pending, reg.R12)
	SHLQ(Imm(4), reg.R12)
	SUBQ(reg.R12, reg.RCX)
	x, h, t, u := amd64.X(tmp[0]), amd64.X(tmp[1]), amd64.X(tmp[2]), amd64.X(tmp[3])
	VMOVQ(hashed, x) // it is new, too, if it is pending
	VPINSRQ(Imm(1), hashed.Offset(8), x, x)
	VPSHUFB(constReverse, x, x)
	VMOVDQU(Mem{Base: powers, Index: reg.RCX, Scale: 1, Disp: 1008}, h)
	VPCLMULQDQ(Imm(0x00), h, x, t)
	VPXORQ(tmp[2], low, low)
	VPCLMULQDQ(Imm(0x11), h, x, u)
	VPXORQ(tmp[3], high, high)
	VPCLMULQDQ(Imm(0x01), h, x, t)
	VPCLMULQDQ(Imm(0x10), h, x, u)
	VPTERNLOGQ(Imm(xor3), tmp[2], tmp[3], middle)
	Label(settled)
	amd64.Write(sumLanes(constPoly))
	VPSHUFB(constReverse, amd64.X(hash), x)
	VPXOR(m, x, x)
	VMOVDQU(x, hashed)
	finish()
}

// rounds writes all rounds but the last one. The stream is woven into the first nine.
func (p pass) rounds(beside asm.Stream) {
	var nine asm.Stream
	for n := 1; n <= 9; n++ {
		nine.Add(p.round(n)...)
	}
	amd64.Write(asm.Weave(nine, beside))
	last := label("last")
	CMPQ(rounds, Imm(10))
	JE(LabelRef(last))
	amd64.Write(p.round(10))
	amd64.Write(p.round(11))
	CMPQ(rounds, Imm(12))
	JE(LabelRef(last))
	amd64.Write(p.round(12))
	amd64.Write(p.round(13))
	Label(last)
}

// lengthsProduct sets the sums to the product of m.Lens and H.
func lengthsProduct() (c asm.Stream) {
	x, h := amd64.X(tmp[0]), ghash.Power(powers, 1)
	c.Add(amd64.VMOVQ(lengths, x))
	c.Add(amd64.VPINSRQ(Imm(1), lengths.Offset(8), x, x))
	c.Add(amd64.VPSHUFB(constReverse, x, x))
	c.Add(amd64.VPCLMULQDQ(Imm(0x00), h, x, amd64.X(low)))
	c.Add(amd64.VPCLMULQDQ(Imm(0x11), h, x, amd64.X(high)))
	c.Add(amd64.VPCLMULQDQ(Imm(0x01), h, x, amd64.X(middle)))
	c.Add(amd64.VPCLMULQDQ(Imm(0x10), h, x, x))
	c.Add(amd64.VPXOR(x, amd64.X(middle), amd64.X(middle)))
	return c
}

// fewProducts adds the products of four blocks of ciphertext and four powers to the sums.
func fewProducts(ciphertext, blocks, power reg.VecPhysical) (c asm.Stream) {
	c.Add(amd64.VPSHUFB(constReverse, ciphertext, blocks))
	return append(c, multiplied(blocks, power)...)
}

// multiplied is fewProducts without the reversal.
func multiplied(blocks, power reg.VecPhysical) (c asm.Stream) {
	c.Add(amd64.VPCLMULQDQ(Imm(0x00), power, blocks, tmp[1]))
	c.Add(amd64.VPXORQ(tmp[1], low, low))
	c.Add(amd64.VPCLMULQDQ(Imm(0x11), power, blocks, tmp[2]))
	c.Add(amd64.VPXORQ(tmp[2], high, high))
	c.Add(amd64.VPCLMULQDQ(Imm(0x01), power, blocks, tmp[3]))
	c.Add(amd64.VPCLMULQDQ(Imm(0x10), power, blocks, tmp[4]))
	c.Add(amd64.VPTERNLOGQ(Imm(xor3), tmp[3], tmp[4], middle))
	return c
}
