package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// This file has the noise: Frodo.Sample, and the addition of noise to a product.
//
// Of a random word r, the lowest bit is the sign and the other 15 bits t = r >> 1 choose the
// absolute value: it is how many entries of the distribution are below t,
//
//	e = sum over i of (cdf[i] < t)        noise = e, or -e if r is odd
//
// cdf has 12, 10 or 6 entries for n = 640, 976 and 1344. Every word is compared with every
// entry. A comparison and the addition of its result are all there is per entry, for 8, 16 or
// 32 words; an entry is loaded once for 128 words (AVX-512), 16 (AVX2) or 32 (SSSE3).
//
// Sampling takes 5,600 of the 304,000 cycles of an encapsulation with 640-AES and AVX-512
// (docs/benchmarks.md, FrodoKEM), for 10,304 words.

func sample512() {
	k := amd64.Begin("SampleAVX512", "(s []uint16, cdf []uint16)",
		"SampleAVX512 turns random words into noise: the lowest bit is the sign, the absolute value how many",
		"entries of the distribution are below the other 15 bits. All are compared.")
	s := k.GP(reg.RAX, "s")
	cdf := k.GP(reg.RBX, "cdf")
	entries := k.GP(reg.RDX, "entries of cdf")
	left := k.GP(reg.RCX, "words left")
	at := k.GP(reg.RSI, "the next entry")
	entriesLeft := k.GP(reg.RDI, "entries left")
	ones32 := k.GP(reg.R8, "temporary: a mask of words")
	one32 := k.GP(reg.R9, "temporary: 1")
	r := k.Vecs(zmm[:4], "r, random words")
	e := k.Vecs(zmm[4:8], "e, values")
	t := k.Vecs(zmm[8:12], "t, the words without their signs")
	entry := k.Vec(zmm[12], "an entry of cdf")
	minusOne := k.Vec(zmm[13], "words -1")
	one := k.Vec(zmm[14], "words 1")
	none := k.Vec(zmm[15], "0")
	k.Note("K1", "words there are")
	k.Note("K2-K5", "words that are above the entry, then words that are odd")
	masks := []reg.OpmaskPhysical{reg.K2, reg.K3, reg.K4, reg.K5}
	k.Table("256 bytes take eight instructions for each entry, which is loaded once for all.")
	Load(Param("s").Base(), s)
	Load(Param("s").Len(), left)
	Load(Param("cdf").Base(), cdf)
	Load(Param("cdf").Len(), entries)
	VPTERNLOGD(Imm(0xff), minusOne, minusOne, minusOne)
	VPSRLW(Imm(15), minusOne, one)
	VPXORD(none, none, none)
	// part samples four registers of words, or one, of which K1 says which words there are.
	part := func(loop string, n int) {
		for j := range n {
			if n == 1 {
				VMOVDQU16_Z(Mem{Base: s}, reg.K1, r[0])
			} else {
				VMOVDQU64(Mem{Base: s, Disp: 64 * j}, r[j])
			}
			VPSRLW(Imm(1), r[j], t[j])
			VPXORD(e[j], e[j], e[j])
		}
		MOVQ(cdf, at)
		MOVQ(entries, entriesLeft)
		Label(loop)
		VPBROADCASTW(Mem{Base: at}, entry)
		for j := range n {
			VPCMPGTW(entry, t[j], masks[j])
		}
		for j := range n {
			VPSUBW(minusOne, e[j], masks[j], e[j])
		}
		ADDQ(Imm(2), at)
		DECQ(entriesLeft)
		JNE(LabelRef(loop))
		for j := range n {
			VPTESTMW(one, r[j], masks[j])
			VPSUBW(e[j], none, masks[j], e[j])
			if n == 1 {
				VMOVDQU16(e[0], reg.K1, Mem{Base: s})
			} else {
				VMOVDQU64(e[j], Mem{Base: s, Disp: 64 * j})
			}
		}
		ADDQ(U32(uint32(64*n)), s)
		SUBQ(U32(uint32(32*n)), left)
	}
	SUBQ(U32(128), left)
	JL(LabelRef("rest"))
	Label("four")
	part("entriesOfFour", 4)
	JGE(LabelRef("four"))
	Label("rest")
	ADDQ(U32(128), left)
	JEQ(LabelRef("done"))
	Label("words")
	MOVL(U32(0xffffffff), ones32.As32())
	CMPQ(left, Imm(32))
	JGE(LabelRef("mask"))
	MOVL(U32(1), one32.As32())
	SHLXL(left.As32(), one32.As32(), ones32.As32())
	DECL(ones32.As32())
	Label("mask")
	KMOVD(ones32.As32(), reg.K1)
	part("entries", 1)
	JG(LabelRef("words"))
	Label("done")
	finish()
}

func sample256() {
	k := amd64.Begin("SampleAVX2", "(s []uint16, cdf []uint16)",
		"SampleAVX2 turns random words into noise, as SampleAVX512 does; len(s) is a multiple of 16.")
	s := k.GP(reg.RAX, "s")
	cdf := k.GP(reg.RBX, "cdf")
	entries := k.GP(reg.RDX, "entries of cdf")
	left := k.GP(reg.RCX, "words left")
	at := k.GP(reg.RSI, "the next entry")
	entriesLeft := k.GP(reg.RDI, "entries left")
	r := k.Vec(ymm[0], "r, random words")
	e := k.Vec(ymm[1], "e, values")
	entry := k.Vec(ymm[2], "an entry of cdf, then -1 where t is above it")
	sign := k.Vec(ymm[3], "-1 where r is odd")
	t := k.Vec(ymm[4], "t, the words without their signs")
	k.Table()
	Load(Param("s").Base(), s)
	Load(Param("s").Len(), left)
	Load(Param("cdf").Base(), cdf)
	Load(Param("cdf").Len(), entries)
	Label("words")
	VMOVDQU(Mem{Base: s}, r)
	VPSRLW(Imm(1), r, t)
	VPSLLW(Imm(15), r, sign)
	VPSRAW(Imm(15), sign, sign)
	VPXOR(e, e, e)
	MOVQ(cdf, at)
	MOVQ(entries, entriesLeft)
	Label("entries")
	VPBROADCASTW(Mem{Base: at}, entry)
	VPCMPGTW(entry, t, entry)
	VPSUBW(entry, e, e)
	ADDQ(Imm(2), at)
	DECQ(entriesLeft)
	JNE(LabelRef("entries"))
	Comment("-e is (e ^ -1) - -1.")
	VPXOR(sign, e, e)
	VPSUBW(sign, e, e)
	VMOVDQU(e, Mem{Base: s})
	ADDQ(Imm(32), s)
	SUBQ(Imm(16), left)
	JNE(LabelRef("words"))
	finish()
}

func sample128() {
	k := amd64.Begin("SampleSSSE3", "(s []uint16, cdf []uint16)",
		"SampleSSSE3 turns random words into noise, as SampleAVX512 does; len(s) is a multiple of 32.")
	s := k.GP(reg.RAX, "s")
	cdf := k.GP(reg.RBX, "cdf")
	entries := k.GP(reg.RDX, "entries of cdf")
	left := k.GP(reg.RCX, "words left")
	at := k.GP(reg.RSI, "the next entry")
	entriesLeft := k.GP(reg.RDI, "entries left")
	word := k.GP(reg.R8, "an entry")
	t := k.Vecs(xmm[:4], "t, the words without their signs")
	e := k.Vecs(xmm[4:8], "e, values")
	above := k.Vecs(xmm[8:12], "-1 where t is above the entry, then where r is odd")
	entry := k.Vec(xmm[12], "an entry of cdf")
	k.Table()
	Load(Param("s").Base(), s)
	Load(Param("s").Len(), left)
	Load(Param("cdf").Base(), cdf)
	Load(Param("cdf").Len(), entries)
	Label("words")
	for j := range t {
		MOVOU(Mem{Base: s, Disp: 16 * j}, t[j])
		PSRLW(Imm(1), t[j])
		PXOR(e[j], e[j])
	}
	MOVQ(cdf, at)
	MOVQ(entries, entriesLeft)
	Label("entries")
	MOVWLZX(Mem{Base: at}, word.As32())
	MOVD(word.As32(), entry)
	PUNPCKLWL(entry, entry)
	PSHUFD(Imm(0), entry, entry)
	for j := range t {
		MOVO(t[j], above[j])
		PCMPGTW(entry, above[j])
	}
	for j := range t {
		PSUBW(above[j], e[j])
	}
	ADDQ(Imm(2), at)
	DECQ(entriesLeft)
	JNE(LabelRef("entries"))
	Comment("-e is (e ^ -1) - -1.")
	for j := range t {
		sign := above[j]
		MOVOU(Mem{Base: s, Disp: 16 * j}, sign)
		PSLLW(Imm(15), sign)
		PSRAW(Imm(15), sign)
		PXOR(sign, e[j])
		PSUBW(sign, e[j])
		MOVOU(e[j], Mem{Base: s, Disp: 16 * j})
	}
	ADDQ(Imm(64), s)
	SUBQ(Imm(32), left)
	JNE(LabelRef("words"))
	finish128()
}

func add512() {
	k := amd64.Begin("AddAVX512", "(out, x []uint16)",
		"AddAVX512 adds words to those of out; there is a multiple of 32 of them, and not none.")
	out := k.GP(reg.RAX, "out")
	x := k.GP(reg.RBX, "x")
	left := k.GP(reg.RCX, "words left")
	sum := k.Vec(zmm[0], "words")
	k.Table()
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), left)
	Load(Param("x").Base(), x)
	Label("words")
	VMOVDQU64(Mem{Base: x}, sum)
	VPADDW(Mem{Base: out}, sum, sum)
	VMOVDQU64(sum, Mem{Base: out})
	ADDQ(Imm(64), out)
	ADDQ(Imm(64), x)
	SUBQ(Imm(32), left)
	JNE(LabelRef("words"))
	finish()
}
