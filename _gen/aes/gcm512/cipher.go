package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// This file has counter mode, in the notation of main.go: C[i] = P[i] ^ E(J0 + i). A pass
// encrypts up to eight registers of four counter blocks, chains of rounds that do not
// depend on each other.
//
// Counter blocks are J0 but for the last four bytes, a big-endian number. base is J0 plus
// the first round key in each lane, countKey the last four bytes of that key with their
// order reversed. So counts ^ countKey, for which a register has room for four blocks of
// each of four registers, goes into its places of base by one VPSHUFB that also reverses
// the bytes.

// roundKey is where round key n is.
func roundKey(n int) Mem { return Mem{Base: keys, Disp: 16 * n} }

// A pass is one run of the cipher over the chains z.
type pass struct {
	z      []reg.VecPhysical
	j0     bool // and over J0 in the lowest lane of base
	masked bool // the last register of data is masked by K1
}

// begin makes the counter blocks with the first round key added: all are base
// but for the last four bytes, which come from counts.
func (p pass) begin() (c asm.Stream) {
	for i, z := range p.z {
		t := round // not needed yet
		switch i {
		case 0:
			c.Add(amd64.VPXORD(countKey, counts, t))
		case 4:
			c.Add(amd64.VPADDD_BCST(constStep, counts, t))
			c.Add(amd64.VPXORD(countKey, t, t))
		}
		c.Add(amd64.VMOVDQA64(base, z))
		c.Add(amd64.VPSHUFB(constPlace.Offset(64*(i%4)), t, reg.K3, z))
	}
	return c
}

// round is round n, from 1 on.
func (p pass) round(n int) (c asm.Stream) {
	c.Add(amd64.VBROADCASTI32X4(roundKey(n), round))
	for _, z := range p.z {
		c.Add(amd64.VAESENC(round, z, z))
	}
	if p.j0 {
		c.Add(amd64.VAESENC(amd64.X(round), amd64.X(base), amd64.X(base)))
	}
	return c
}

// nine is everything up to the ninth round.
func (p pass) nine() (c asm.Stream) {
	c = p.begin()
	for n := 1; n <= 9; n++ {
		c.Add(p.round(n)...)
	}
	return c
}

// end does the other rounds, as many as the register rounds says, and the
// last.
func (p pass) end() {
	last := label("last")
	CMPQ(rounds, Imm(12))
	JB(LabelRef(last))
	amd64.Write(p.round(10))
	amd64.Write(p.round(11))
	JE(LabelRef(last))
	amd64.Write(p.round(12))
	amd64.Write(p.round(13))
	Label(last)
	amd64.Write(p.last())
}

// last is the last round. It leaves in the chains the data at src with the
// keystream added, and stores them at dst.
func (p pass) last() (c asm.Stream) {
	c.Add(amd64.VBROADCASTI32X4(Mem{Base: lastKey}, round))
	for i, z := range p.z {
		m := Mem{Base: src, Disp: 64 * i}
		t := tmp[i%len(tmp)]
		if p.masked && i == len(p.z)-1 {
			c.Add(amd64.VMOVDQU8_Z(m, reg.K1, t))
			c.Add(amd64.VPXORQ(t, round, t))
		} else {
			c.Add(amd64.VPXORQ(m, round, t))
		}
		c.Add(amd64.VAESENCLAST(t, z, z))
	}
	if p.j0 {
		c.Add(amd64.VAESENCLAST(amd64.X(round), amd64.X(base), amd64.X(base)))
	}
	for i, z := range p.z {
		m := Mem{Base: dst, Disp: 64 * i}
		if p.masked && i == len(p.z)-1 {
			c.Add(amd64.VMOVDQU8(z, reg.K1, m))
		} else {
			c.Add(amd64.VMOVDQU64(z, m))
		}
	}
	return c
}

// all is the pass where the number of rounds is known. It needs no registers
// of the hash, so that it can be woven with one from beginning to end.
func (p pass) all(rounds int) (c asm.Stream) {
	c = p.nine()
	for n := 10; n < rounds; n++ {
		c.Add(p.round(n)...)
	}
	c.Add(amd64.VBROADCASTI32X4(roundKey(rounds), round))
	for _, z := range p.z {
		c.Add(amd64.VAESENCLAST(round, z, z))
	}
	for i, z := range p.z {
		c.Add(amd64.VPXORQ(Mem{Base: src, Disp: 64 * i}, z, z))
	}
	for i, z := range p.z {
		c.Add(amd64.VMOVDQU64(z, Mem{Base: dst, Disp: 64 * i}))
	}
	return c
}

// advance goes to the next group.
func advance() {
	VPADDD_BCST(constStep.Offset(4), counts, counts)
	ADDQ(U32(groupSize), src)
	ADDQ(U32(groupSize), dst)
}

// full is the pass over a group.
func full() pass { return pass{z: state} }
