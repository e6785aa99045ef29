package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sigma are the first four words of the matrix.
var sigma = [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}

const banner = `General registers have a latency of 1 cycle where vectors have 2: RAX to RDX, RSI to R8 the
first two rows, R13 to R15 three words of the third one, R9 to R12 the fourth.`

// keyOfPoly1305 is the first block of a message.
func keyOfPoly1305() {
	function("keyAVX512", "(out *[8]uint32, key *[8]uint32, nonce *[3]uint32)", 0,
		"keyAVX512 computes the key of Poly1305, the first half of block 0.", banner)
	k := packet{}
	k.count, k.word8, k.word11 = AllocLocal(8), AllocLocal(8), AllocLocal(8)
	k.initialOfWords()
	k.tenDoubleRounds()
	for i, c := range sigma {
		ADDL(U32(c), word(i))
	}
	Load(Param("key"), reg.R15)
	for i := range 4 {
		ADDL(at(reg.R15, 4*i), word(4+i))
	}
	Load(Param("out"), reg.R15)
	for i := range 8 {
		MOVL(word(i), at(reg.R15, 4*i))
	}
	k.clear()
}

// hChaCha derives a key.
func hChaCha() {
	function("HChaChaX64", "(out, key *[8]uint32, nonce *[4]uint32)", 0,
		"HChaChaX64 is HChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.2): the first and the last",
		"row of the matrix after the rounds.", banner)
	k := packet{}
	k.count, k.word8, k.word11 = AllocLocal(8), AllocLocal(8), AllocLocal(8)
	k.initialOfWords()
	Load(Param("nonce"), word(12).As64())
	for _, i := range []int{13, 14, 15, 12} {
		MOVL(at(words[12], 4*(i-12)), word(i))
	}
	k.tenDoubleRounds()
	Load(Param("out"), reg.R15)
	for i, j := range []int{0, 1, 2, 3, 12, 13, 14, 15} {
		MOVL(word(j), at(reg.R15, 4*i))
	}
	k.clear()
}

// xorBlock is the cipher for one block.
func xorBlock() {
	function("xorBlockX64", "(dst, src *byte, state *[16]uint32)", 0,
		"xorBlockX64 adds one block of keystream to 64 bytes. It does not change the state.", banner)
	k := packet{}
	k.count, k.word8, k.word11 = AllocLocal(8), AllocLocal(8), AllocLocal(8)
	inRegisters := []int{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 13, 14, 15} // and word 8 or 11
	p := word(15).As64()
	Load(Param("state"), p)
	MOVL(at(p, 4*11), word(8))
	MOVL(word(8), k.word11)
	MOVL(at(p, 4*8), word(8))
	for _, i := range inRegisters {
		MOVL(at(p, 4*i), word(i))
	}
	k.tenDoubleRounds()
	MOVL(word(8), k.word8)
	p = word(8).As64()
	Load(Param("state"), p)
	for _, i := range inRegisters {
		ADDL(at(p, 4*i), word(i))
	}
	Load(Param("src"), p)
	for _, i := range inRegisters {
		XORL(at(p, 4*i), word(i))
	}
	Load(Param("dst"), p)
	for _, i := range inRegisters {
		MOVL(word(i), at(p, 4*i))
	}
	src, state := word(1).As64(), word(2).As64()
	Load(Param("src"), src)
	Load(Param("state"), state)
	for _, x := range []struct {
		i int
		m Mem
	}{{8, k.word8}, {11, k.word11}} {
		MOVL(x.m, reg.EAX)
		ADDL(at(state, 4*x.i), reg.EAX)
		XORL(at(src, 4*x.i), reg.EAX)
		MOVL(reg.EAX, at(p, 4*x.i))
	}
	k.clear()
}

func (k packet) tenDoubleRounds() {
	MOVL(U32(10), k.count)
	Label("rounds")
	doubleOfWords(k.word8, k.word11).Write()
	DECL(k.count)
	JNZ(LabelRef("rounds"))
}

// clear overwrites what is in memory, and returns.
func (k packet) clear() {
	XORL(reg.EAX, reg.EAX)
	MOVQ(reg.RAX, k.word8)
	MOVQ(reg.RAX, k.word11)
	RET()
}
