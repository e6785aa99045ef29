package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// words are the registers of the matrix of one block, all but one: the first and
// the last word of the third row take turns in words[8]; the other one is in
// memory.
var words = [16]reg.GPPhysical{
	reg.RAX, reg.RBX, reg.RCX, reg.RDX,
	reg.RSI, reg.RDI, reg.RBP, reg.R8,
	reg.R13, reg.R14, reg.R15, nil,
	reg.R9, reg.R10, reg.R11, reg.R12,
}

func word(i int) reg.GPPhysical { return words[i].As32().(reg.GPPhysical) }

// quartersOfWords are quarter rounds side by side.
func quartersOfWords(columns ...[4]int) (p program) {
	step := func(f func(x [4]reg.GPPhysical)) {
		for _, c := range columns {
			p.Add(func() { f([4]reg.GPPhysical{word(c[0]), word(c[1]), word(c[2]), word(c[3])}) })
		}
	}
	for _, s := range []struct {
		sum, addend, mixed int
		bits               uint64
	}{{0, 1, 3, 16}, {2, 3, 1, 12}, {0, 1, 3, 8}, {2, 3, 1, 7}} {
		step(func(x [4]reg.GPPhysical) { ADDL(x[s.addend], x[s.sum]) })
		step(func(x [4]reg.GPPhysical) { XORL(x[s.sum], x[s.mixed]) })
		step(func(x [4]reg.GPPhysical) { ROLL(Imm(s.bits), x[s.mixed]) })
	}
	return p
}

// doubleOfWords is a double round of one block. At its beginning and end, word
// 11 is in memory.
func doubleOfWords(word8, word11 Mem) (p program) {
	swap := func(out, in Mem) {
		p.Add(func() { MOVL(word(8), out) })
		p.Add(func() { MOVL(in, word(8)) })
	}
	p = append(p, quartersOfWords([4]int{0, 4, 8, 12}, [4]int{1, 5, 9, 13}, [4]int{2, 6, 10, 14})...)
	swap(word8, word11)
	p = append(p, quartersOfWords([4]int{3, 7, 8, 15})...)
	p = append(p, quartersOfWords([4]int{1, 6, 8, 12}, [4]int{0, 5, 10, 15}, [4]int{3, 4, 9, 14})...)
	swap(word11, word8)
	p = append(p, quartersOfWords([4]int{2, 7, 8, 13})...)
	return p
}

// A scalar Poly1305 has the hash and r in general registers.
type scalar struct {
	h [3]reg.GPPhysical
	r [2]reg.GPPhysical
	t [7]reg.GPPhysical // temporary
}

// block continues over the block at m. It changes RDX and the temporaries.
func (s scalar) block(m Mem) {
	h0, h1, h2 := s.h[0], s.h[1], s.h[2]
	ADDQ(m, h0)
	ADCQ(m.Offset(8), h1)
	ADCQ(Imm(1), h2)
	s.multiply().Write()
}

// multiply is h = h r. It changes RDX and the temporaries.
func (s scalar) multiply() (p program) {
	h0, h1, h2 := s.h[0], s.h[1], s.h[2]
	r0, r1 := s.r[0], s.r[1]
	d0, d1, d2, d3, x, y, z := s.t[0], s.t[1], s.t[2], s.t[3], s.t[4], s.t[5], s.t[6]
	p.Add(func() { MOVQ(r0, reg.RDX) })
	p.Add(func() { MULXQ(h0, d0, d1) })
	p.Add(func() { MULXQ(h1, x, d2) })
	p.Add(func() { IMULQ(h2, reg.RDX) })
	p.Add(func() { ADDQ(x, d1) })
	p.Add(func() { ADCQ(reg.RDX, d2) })
	p.Add(func() { MOVQ(r1, reg.RDX) })
	p.Add(func() { MULXQ(h0, x, y) })
	p.Add(func() { MULXQ(h1, z, d3) })
	p.Add(func() { IMULQ(h2, reg.RDX) })
	p.Add(func() { ADDQ(x, d1) })
	p.Add(func() { ADCQ(y, d2) })
	p.Add(func() { ADCQ(Imm(0), d3) })
	p.Add(func() { ADDQ(z, d2) })
	p.Add(func() { ADCQ(reg.RDX, d3) })
	// 2^130 = 5: four times what is above goes to the bottom, and once more.
	p.Add(func() { MOVQ(d2, h2) })
	p.Add(func() { ANDL(Imm(3), h2.As32()) })
	p.Add(func() { MOVQ(d2, x) })
	p.Add(func() { ANDQ(I32(-4), x) })
	p.Add(func() { SHRQ(Imm(2), d3, d2) })
	p.Add(func() { MOVQ(d3, y) })
	p.Add(func() { SHRQ(Imm(2), d3) })
	p.Add(func() { ADDQ(x, d2) })
	p.Add(func() { ADCQ(y, d3) })
	p.Add(func() { MOVQ(d0, h0) })
	p.Add(func() { MOVQ(d1, h1) })
	p.Add(func() { ADDQ(d2, h0) })
	p.Add(func() { ADCQ(d3, h1) })
	p.Add(func() { ADCQ(Imm(0), h2) })
	return p
}

// data begins with additional data, whose pointer and length it changes, padded
// with zeros. It changes RDX, the temporaries and K1.
func (s scalar) data(p, n reg.GPPhysical, part Mem, label string) {
	for _, x := range s.h {
		XORL(x.As32(), x.As32())
	}
	TESTQ(n, n)
	JZ(LabelRef(label + "None"))
	Label(label)
	CMPQ(n, Imm(16))
	JB(LabelRef(label + "End"))
	s.block(at(p, 0))
	ADDQ(Imm(16), p)
	SUBQ(Imm(16), n)
	JMP(LabelRef(label))
	Label(label + "End")
	TESTQ(n, n)
	JZ(LabelRef(label + "None"))
	MOVL(U32(1), reg.EAX)
	SHLXQ(n, reg.RAX, reg.RAX)
	DECQ(reg.RAX)
	KMOVW(reg.EAX, reg.K1)
	VMOVDQU8_Z(at(p, 0), reg.K1, reg.X31)
	VMOVDQU64(reg.X31, part)
	s.block(part)
	Label(label + "None")
}

// tag reduces h and adds s; the tag is in the lower two words. It changes RAX
// and RCX.
func tag(h [3]reg.GPPhysical, s Mem) {
	MOVQ(h[0], reg.RAX)
	MOVQ(h[1], reg.RCX)
	ADDQ(Imm(5), reg.RAX)
	ADCQ(Imm(0), reg.RCX)
	ADCQ(Imm(0), h[2])
	ANDL(Imm(4), h[2].As32()) // h + 5 reaches 2^130: h is p or more, and h < 2p
	CMOVQNE(reg.RAX, h[0])
	CMOVQNE(reg.RCX, h[1])
	ADDQ(s, h[0])
	ADCQ(s.Offset(8), h[1])
}
