package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// This file has what surrounds the products: matrices as bytes, and their comparison.
//
// Frodo.Pack writes the D lowest bits of each word as a string of bits, the highest first;
// D is 15 or 16. With 16 it swaps the bytes of each word. With 15, eight words m[0..7]
// become 15 bytes, which as big-endian words of 16 bits are
//
//	c[i] = m[i] << (i+1) | m[i+1] >> (14-i)         0 <= i < 8; byte 15 is not used
//
// and the inverse is
//
//	m[i] = (c[i-1] << (15-i) & 0x7fff) | c[i] >> (i+1)
//
// AVX2 cannot shift words by different amounts. A multiplication by 2^k can: its lower half
// (VPMULLW) is a shift to the left by k, its upper half (VPMULHUW) one to the right by 16-k.
//
// A step takes 11 instructions for 16 words, and the longest chain through it is shorter
// than that. Packing takes 1,100 of the 304,000 cycles of an encapsulation with 640-AES
// (docs/benchmarks.md, FrodoKEM).

// swap is Pack and Unpack with D = 16.
func swap() {
	k := amd64.Begin("SwapAVX2", "(out, in []byte)",
		"SwapAVX2 copies 16-bit words with their bytes swapped: packing and unpacking where q is 2^16.")
	out := k.GP(reg.RDI, "out")
	in := k.GP(reg.RSI, "in")
	left := k.GP(reg.RCX, "steps left, of 64 bytes")
	order := k.Vec(ymm[0], "shuffle")
	words := k.Vecs(ymm[1:3], "words")
	k.Table()
	Load(Param("out").Base(), out)
	Load(Param("in").Base(), in)
	Load(Param("in").Len(), left)
	SHRQ(Imm(6), left)
	VBROADCASTI128(amd64.Constants[uint64]("swapOrder", 0x0607040502030001, 0x0e0f0c0d0a0b0809), order)
	Label("step")
	for i, w := range words {
		VMOVDQU(Mem{Base: in, Disp: 32 * i}, w)
	}
	for _, w := range words {
		VPSHUFB(order, w, w)
	}
	for i, w := range words {
		VMOVDQU(w, Mem{Base: out, Disp: 32 * i})
	}
	ADDQ(Imm(64), in)
	ADDQ(Imm(64), out)
	DECQ(left)
	JNE(LabelRef("step"))
	finish()
}

// powers is a table of the words 2^f(i).
func powers(name string, f func(i int) int) Mem {
	words := make([]uint16, 8)
	for i := range words {
		words[i] = 1 << f(i)
	}
	return amd64.Constants(name, words...)
}

// shuffle is a table for VPSHUFB: byte i of each half of the result is byte at(half, i).
func shuffle(name string, at func(half, i int) int) Mem {
	bytes := make([]uint8, 32)
	for i := range bytes {
		bytes[i] = uint8(at(i/16, i%16))
	}
	return amd64.Constants(name, bytes...)
}

// low15 sets a register to words of 15 bits.
func low15(v Vec) {
	VPCMPEQW(v, v, v)
	VPSRLW(Imm(1), v, v)
}

func pack15() {
	left := powers("pack15Left", func(i int) int { return i + 1 })
	right := powers("pack15Right", func(i int) int { return i + 2 }) // 16 - (14-i)
	swap := shuffle("pack15Swap", func(_, i int) int { return i ^ 1 })
	k := amd64.Begin("Pack15AVX2", "(out []byte, v []uint16)",
		"Pack15AVX2 packs the 15 lowest bits of every word, as a string of bits with the highest first: eight words",
		"are 15 bytes. len(v) is a multiple of 16 above 0.")
	out := k.GP(reg.RDI, "out")
	in := k.GP(reg.RSI, "v")
	words := k.GP(reg.RCX, "words left")
	m := k.Vec(ymm[0], "m[i], then the string of bits")
	next := k.Vec(ymm[1], "m[i+1]")
	lefts := k.Vec(ymm[2], "2^(i+1)")
	rights := k.Vec(ymm[3], "2^(i+2)")
	order := k.Vec(ymm[4], "shuffle that swaps bytes")
	mask := k.Vec(ymm[5], "words of 15 bits")
	k.Table()
	Load(Param("out").Base(), out)
	Load(Param("v").Base(), in)
	Load(Param("v").Len(), words)
	VBROADCASTI128(left, lefts)
	VBROADCASTI128(right, rights)
	VMOVDQU(swap, order)
	low15(mask)
	Label("words")
	VPAND(Mem{Base: in}, mask, m)
	VPSRLDQ(Imm(2), m, next)
	VPMULLW(lefts, m, m)
	VPMULHUW(rights, next, next)
	VPOR(next, m, m)
	VPSHUFB(order, m, m)
	Comment("The sixteenth byte is overwritten. Behind the second half may be no room for it.")
	high := amd64.X(next)
	VMOVDQU(amd64.X(m), Mem{Base: out})
	VEXTRACTI128(Imm(1), m, high)
	VMOVQ(high, Mem{Base: out, Disp: 15})
	VPSRLDQ(Imm(7), high, high)
	VMOVQ(high, Mem{Base: out, Disp: 22})
	ADDQ(Imm(32), in)
	ADDQ(Imm(30), out)
	SUBQ(Imm(16), words)
	JNE(LabelRef("words"))
	finish()
}

func unpack15() {
	factor := powers("unpack15Factor", func(i int) int { return 15 - i })
	swap := shuffle("unpack15Swap", func(half, i int) int {
		if half == 1 && i == 14 {
			return 0x80 // would be the byte behind, of which nothing is wanted
		}
		return (i ^ 1) + half
	})
	k := amd64.Begin("Unpack15AVX2", "(v []uint16, in []byte)",
		"Unpack15AVX2 is the inverse of Pack15AVX2.")
	out := k.GP(reg.RDI, "v")
	in := k.GP(reg.RSI, "in")
	words := k.GP(reg.RCX, "words left")
	c := k.Vec(ymm[0], "c[i], then the words")
	before := k.Vec(ymm[1], "c[i-1]")
	factors := k.Vec(ymm[2], "2^(15-i)")
	order := k.Vec(ymm[4], "shuffle that swaps bytes, and drops the first one of the second half")
	mask := k.Vec(ymm[5], "words of 15 bits")
	k.Table("The second half is loaded from a byte in front of it, so that no byte behind is read.")
	Load(Param("v").Base(), out)
	Load(Param("v").Len(), words)
	Load(Param("in").Base(), in)
	VBROADCASTI128(factor, factors)
	VMOVDQU(swap, order)
	low15(mask)
	Label("words")
	VMOVDQU(Mem{Base: in}, amd64.X(c))
	VMOVDQU(Mem{Base: in, Disp: 14}, amd64.X(before)) // by itself: qemu's VINSERTI128 reads 32 bytes of memory
	VINSERTI128(Imm(1), amd64.X(before), c, c)
	VPSHUFB(order, c, c)
	VPSLLDQ(Imm(2), c, before)
	VPMULLW(factors, before, before)
	VPMULHUW(factors, c, c)
	VPAND(mask, before, before)
	VPOR(before, c, c)
	VMOVDQU(c, Mem{Base: out})
	ADDQ(Imm(30), in)
	ADDQ(Imm(32), out)
	SUBQ(Imm(16), words)
	JNE(LabelRef("words"))
	finish()
}

func difference() {
	k := amd64.Begin("DifferenceAVX2", "(x, y []uint16) (d uint64)",
		"DifferenceAVX2 returns the or of all x[i] ^ y[i], in each of its four words that of every fourth. All",
		"are looked at. The length is a multiple of 16 above 0.")
	x := k.GP(reg.RDI, "x")
	y := k.GP(reg.RSI, "y")
	left := k.GP(reg.RCX, "words left")
	d := k.Vec(ymm[0], "the or so far")
	t := k.Vec(ymm[1], "temporary")
	k.Table()
	Load(Param("x").Base(), x)
	Load(Param("x").Len(), left)
	Load(Param("y").Base(), y)
	VPXOR(d, d, d)
	Label("words")
	VMOVDQU(Mem{Base: x}, t)
	VPXOR(Mem{Base: y}, t, t)
	VPOR(t, d, d)
	ADDQ(Imm(32), x)
	ADDQ(Imm(32), y)
	SUBQ(Imm(16), left)
	JNE(LabelRef("words"))
	Comment("The or of the halves, then of their halves.")
	VEXTRACTI128(Imm(1), d, amd64.X(t))
	VPOR(amd64.X(t), amd64.X(d), amd64.X(d))
	VPSRLDQ(Imm(8), amd64.X(d), amd64.X(t))
	VPOR(amd64.X(t), amd64.X(d), amd64.X(d))
	VMOVQ(amd64.X(d), reg.RAX)
	Store(reg.RAX, ReturnIndex(0))
	finish()
}
