package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/keccak/f1600"
)

// This file squeezes a state of Keccak alongside a product with A. A needs the vector
// units; Keccak-f[1600] of one state runs in integer registers. It makes the noise that is
// added to the product, E' or E.
//
// A part of the product, 16 rows by 32 columns, is woven with two of the 24 rounds, so that
// 12 parts make one block of output. Between parts, when a permutation is done, block
// copies the output. A round is f1600.State.TwoRounds, as in _gen/keccak; one integer
// register less is left, so that two or three words of D are in memory.
//
//	AX BX CX DX SI    C, the parities of the columns; must survive between parts
//	DI R8 (R9)        D[0], D[1], (D[2]); free between parts
//	R11-R14 BP        B, a plane; free between parts
//	R10               temporary; free between parts
//	stack             two states, the other words of D, and the words of type sponge
//
// Alone, two rounds take about half as long as a part. Alongside, they cost 3 %: S'A takes
// 179,000 cycles for n = 640, and 185,000 with E' (docs/benchmarks.md, FrodoKEM).

// A sponge is a state of Keccak that a kernel squeezes.
type sponge struct {
	*f1600.State
	from, to  Mem // the state, between pairs of rounds, and after the first one
	constants Mem // of all rounds
	pairs     Mem // pairs of rounds that this permutation has left
	state     Mem // where the state comes from, and goes to
	output    Mem // where the next block goes
	words     Mem // words in a block: 17 or 21
	blocks    Mem // blocks left
}

// newSponge is one with so many words of D in registers.
func newSponge(k *amd64.Kernel, constants Mem, d ...reg.GPPhysical) *sponge {
	s := &sponge{constants: constants}
	s.from, s.to = AllocLocal(200), AllocLocal(200)
	next := AllocLocal(8)
	for _, m := range []*Mem{&s.pairs, &s.state, &s.output, &s.words, &s.blocks} {
		*m = AllocLocal(8)
	}
	s.State = f1600.NewState(next)
	s.OrderD = [5]int{4, 3, 2, 0, 1}
	s.B = [5]reg.GPPhysical{reg.R11, reg.R12, reg.R13, reg.R14, reg.RBP}
	s.Temp = reg.R10
	for x := range s.D {
		if x < len(d) {
			s.D[x] = d[x]
		} else {
			s.D[x] = AllocLocal(8)
		}
	}
	k.GPs(s.C[:], "C, the parities of Keccak's columns")
	k.GPs(d, "D, of which the stack has the other words; free between parts")
	k.GPs(s.B[:], "B, a plane; free between parts")
	k.GPs([]reg.GPPhysical{s.Temp}, "temporary; free between parts")
	return s
}

// begin takes the arguments and the state, of which it also computes the parities, and
// copies the first block. If there are no blocks, it jumps to none. t is temporary.
func (s *sponge) begin(t Vec, none string) {
	p := s.B[0]
	for _, argument := range []struct {
		name string
		to   Mem
	}{{"q", s.output}, {"words", s.words}, {"state", s.state}, {"blocks", s.blocks}} {
		Load(Param(argument.name), p)
		MOVQ(p, argument.to)
	}
	TESTQ(p, p)
	JEQ(LabelRef(none))
	MOVQ(s.state, p)
	for i := range 25 {
		lane := s.Temp
		if i < 5 {
			lane = s.C[i]
		}
		MOVQ(Mem{Base: p, Disp: 8 * i}, lane)
		MOVQ(lane, s.from.Offset(8*i))
		if i >= 5 {
			XORQ(lane, s.C[i%5])
		}
	}
	s.block(t, "firstBlock")
}

// block copies a block of the state to the output, and begins a permutation. label is any
// that is not used; t is temporary.
func (s *sponge) block(t Vec, label string) {
	to, words, word := s.B[0], s.B[1], s.B[2]
	MOVQ(s.output, to)
	MOVQ(s.words, words)
	for i := range 2 {
		VMOVDQU64(s.from.Offset(64*i), t)
		VMOVDQU64(t, Mem{Base: to, Disp: 64 * i})
	}
	MOVQ(s.from.Offset(128), word)
	MOVQ(word, Mem{Base: to, Disp: 128})
	CMPQ(words, Imm(17))
	JEQ(LabelRef(label))
	VMOVDQU64(s.from.Offset(136), t.AsY())
	VMOVDQU64(t.AsY(), Mem{Base: to, Disp: 136})
	Label(label)
	LEAQ(Mem{Base: to, Index: words, Scale: 8}, to)
	MOVQ(to, s.output)
	LEAQ(s.constants, to)
	MOVQ(to, s.Next)
	MOVQ(U32(12), to)
	MOVQ(to, s.pairs)
}

// advance counts two rounds. After the last pair of a permutation it copies a block; after
// the last block it goes to last.
func (s *sponge) advance(t Vec, last string) {
	DECQ(s.pairs)
	JNE(LabelRef("more"))
	DECQ(s.blocks)
	JEQ(LabelRef(last))
	s.block(t, "nextBlock")
	Label("more")
}

// end gives the state back and clears what the stack and integer registers have of it.
func (s *sponge) end(t, z Vec) {
	p := s.B[0]
	MOVQ(s.state, p)
	zero([]Vec{z})
	for i := range 3 {
		VMOVDQU64(s.from.Offset(64*i), t)
		VMOVDQU64(t, Mem{Base: p, Disp: 64 * i})
	}
	MOVQ(s.from.Offset(192), s.Temp)
	MOVQ(s.Temp, Mem{Base: p, Disp: 192})
	for _, m := range []Mem{s.from, s.to} {
		for i := range 3 {
			VMOVDQU64(z, m.Offset(64*i))
		}
		VMOVQ(amd64.X(z), m.Offset(192))
	}
	for _, d := range s.D {
		if m, ok := d.(Mem); ok {
			VMOVQ(amd64.X(z), m)
		}
	}
	for _, r := range s.C {
		XORQ(r, r)
	}
}

// finishSponge is finish512 for kernels with a sponge.
func finishSponge() {
	zero(zmm[16:])
	Comment("ct:allow stack x2: the state is overwritten after its last block, for which there are 12 parts or more")
	finish()
}
