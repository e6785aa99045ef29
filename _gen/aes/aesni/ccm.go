package main

import (
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ccm is CCM but for its first blocks, which are formatted in Go. It is the chain of the MAC, 10, 12
// or 14 rounds for each block: 40 cycles with AES-128 and a latency of four, 30 with three. A
// counter takes as many rounds beside it, which is half of what one unit can do, and with all the
// rest there are less than 50 instructions for a block.
func ccm(open bool) {
	name, verb := "ccmSeal", "encrypts"
	if open {
		name, verb = "ccmOpen", "decrypts"
	}
	function(name, "(k *Keys, m *CCMPart)",
		name+"SUFFIX "+verb+" a part of a message. The chain of the MAC is the encryption of First, and",
		"continues over Head, whole blocks, and over the plaintext and zeros up to a block. The text has the",
		"counters after Counter, of which only the last 64 bits count. Mask becomes the encryption of that.",
		"AX round keys, R8 the last one, BX rounds, SI src, DI dst, DX bytes left, R9 m, R13 head, R14 bytes",
		"of head left; R10 ... R12, CX temporary; X0 chain, X1 keystream, X2 first keystream, X3 first round",
		"key, X4 the last one, X5 both, X6 next counter, X7 text, X8 round key, X9 temporary.",
		"Between blocks the chain lacks the last round, whose key has the next block and the first key added.",
		"The next block's keystream has its rounds beside those of the chain, so that nothing waits for it.")
	m, head, left := reg.R9, reg.R13, reg.R14
	chain, stream, zeroth := x[0], x[1], x[2]
	first, last, both, counter, text, tmp := x[3], x[4], x[5], x[6], x[7], x[9]
	begin(encrypt)
	Load(Param("m"), m)
	field := func(i int) Mem { return Mem{Base: m, Disp: 2*16 + 8*i} }
	for i, x := range []vec{chain, counter} {
		MOVQ(field(2*i), x)
		MOVQ(field(2*i+1), tmp)
		PUNPCKLQDQ(tmp, x)
	}
	for i, r := range []reg.GPPhysical{head, left, dst, src, n} {
		MOVQ(field(4+i), r)
	}
	simd.Read(Mem{Base: keys}, first)
	simd.Read(Mem{Base: lastKey}, last)
	simd.Xor(first, last, both)
	simd.Xor(first, counter, zeroth)
	simd.Shuffle(reverse(), counter, counter)
	next := func() {
		simd.Add64(plus(1, x), counter, counter)
		simd.Shuffle(reverse(), counter, stream)
		simd.Xor(first, stream, stream)
	}
	simd.Xor(first, chain, chain)
	next()
	innerRounds(encrypt, []vec{chain, stream, zeroth}, nothing)
	encrypt.last(last, stream)
	encrypt.last(last, zeroth)
	simd.Write(zeroth, Mem{Base: m, Disp: 16})

	Label("head")
	SUBQ(Imm(16), left)
	JB(LabelRef("text"))
	simd.Xor(Mem{Base: head}, both, text)
	ADDQ(Imm(16), head)
	encrypt.last(text, chain)
	Label("alone")
	innerRounds(encrypt, []vec{chain}, nothing)
	JMP(LabelRef("head"))

	// put adds the keystream to text. The result is the output, and text is for the MAC.
	put := func() {
		simd.Xor(text, stream, stream)
		plain := text
		if open {
			plain = stream
		}
		simd.Xor(plain, both, text)
	}
	Label("text")
	SUBQ(Imm(16), n)
	JB(LabelRef("tail"))
	Label("block")
	simd.Read(Mem{Base: src}, text)
	put()
	simd.Write(stream, Mem{Base: dst})
	encrypt.last(text, chain)
	ADDQ(Imm(16), src)
	ADDQ(Imm(16), dst)
	next()
	innerRounds(encrypt, []vec{chain, stream}, nothing)
	encrypt.last(last, stream)
	SUBQ(Imm(16), n)
	JAE(LabelRef("block"))

	Label("tail")
	ADDQ(Imm(16), n)
	JZ(LabelRef("done"))
	loadPart(text, tmp)
	if open { // zeros after the plaintext
		LEAQ(ones(), reg.R10)
		SUBQ(n, reg.R10)
		simd.Read(Mem{Base: reg.R10, Disp: 16}, tmp)
		simd.And(tmp, stream, stream)
	}
	put()
	storePart(stream)
	encrypt.last(text, chain)
	XORL(left.As32(), left.As32())
	XORL(n.As32(), n.As32())
	JMP(LabelRef("alone"))

	Label("done")
	encrypt.last(last, chain)
	simd.Write(chain, Mem{Base: m})
	end()
}
