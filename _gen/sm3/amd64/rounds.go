package main

import (
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// state is where A ... H are in round 0. A round leaves A in the place of D,
// E in that of H, and everything else where it is, so that four rounds later
// all are where they were.
var state = [8]reg.GPPhysical{reg.EAX, reg.EBX, reg.ECX, reg.EDX, reg.ESI, reg.EDI, reg.R8L, reg.R9L}

// A round is one round of the compression function, GB/T 32905-2016, section
// 5.3.3, in the names of that section.
type round struct {
	j                      int
	a, b, c, d, e, f, g, h reg.GPPhysical
	w, w1                  Mem
	a12, ss1               reg.GPVirtual // A <<< 12, then SS2; SS1
	ff, bc                 reg.GPVirtual
	gg, rest               reg.GPVirtual // F ^ G, then GG; what of GG needs no p0
	p0, r17                reg.GPVirtual // TT2 <<< 9, then P0(TT2) ^ TT2; TT2 <<< 17
	next                   *round
}

func newRounds(m message) *[64]round {
	var rounds [64]round
	for j := range rounds {
		in := func(i int) reg.GPPhysical { return state[(i-j%4+4)%4+i/4*4] }
		rounds[j] = round{
			j: j,
			a: in(0), b: in(1), c: in(2), d: in(3),
			e: in(4), f: in(5), g: in(6), h: in(7),
			w: m.w(j), w1: m.w1(j),
			a12: GP32(), ss1: GP32(), ff: GP32(), bc: GP32(), gg: GP32(), rest: GP32(), p0: GP32(), r17: GP32(),
		}
		if j > 0 {
			rounds[j-1].next = &rounds[j]
		}
	}
	return &rounds
}

// t is T_j <<< j.
func (r *round) t() int {
	t := uint32(0x7a879d8a)
	if r.j < 16 {
		t = 0x79cc4519
	}
	return int(int32(bits.RotateLeft32(t, r.j)))
}

// firstGG computes GG of round 0; the others are computed a round ahead.
func (r *round) firstGG() {
	MOVL(r.e, r.gg)
	XORL(r.f, r.gg)
	XORL(r.g, r.gg)
}

// order is the order of the operations between two rounds. Those with ahead 1
// belong to the round after, with ahead -1 to the one before. It was found by
// measuring on Zen 5, from which one gets about 4.2 operations per cycle when
// they depend on each other as here: when more than three become ready at
// once, those further down wait, and most of a round has no slack.
var order = []struct {
	name  string
	ahead int
}{
	{"A<<<12", 0},
	{"+T", 0},
	{"+E", 0},
	{"SS1", 0},
	{"H+GG", 0},
	{"D+W'", 0},
	{"B<<<9", -1},
	{"TT2", 0},
	{"B", 0},
	{"B^C", 0},
	{"TT2<<<17", 0},
	{"SS2", 0},
	{"B&C", 0},
	{"D+B&C", 0},
	{"FF", 0},
	{"D+FF", 0},
	{"TT1", 0},
	{"TT2<<<9", 0},
	{"F", 0},
	{"p0", 0},
	{"F^G", 0},
	{"^TT2&", 0},
	{"H+W", 1},
	{"p0&", 0},
	{"F^", 0},
	{"F<<<19", 1},
	{"E'", 0},
	{"GG", 0},
}

// place returns the place in the code of operation i of round j.
func place(i, j int) float64 {
	return float64(j-order[i].ahead) + float64(i)/float64(len(order))
}

// operation returns the code of an operation, or nil if the round has no such
// operation.
func (r *round) operation(name string) func() {
	isLate, lateNext := r.j >= 16, r.j+1 >= 16
	switch name {
	case "A<<<12":
		return func() { rotate(12, r.a, r.a12) }
	case "+T":
		return func() { LEAL(Mem{Base: r.a12.As64(), Disp: r.t()}, r.ss1) }
	case "+E":
		return func() { ADDL(r.e, r.ss1) }
	case "SS1":
		return func() { ROLL(Imm(7), r.ss1) }
	case "SS2":
		return func() { XORL(r.ss1, r.a12) }

	case "H+W":
		return func() { ADDL(r.w, r.h) }
	case "H+GG":
		return func() { ADDL(r.gg, r.h) }
	case "TT2":
		return func() { ADDL(r.ss1, r.h) }
	case "TT2<<<9":
		return func() { rotate(9, r.h, r.p0) }
	case "TT2<<<17":
		return func() { rotate(17, r.h, r.r17) }
	case "p0":
		return func() { XORL(r.r17, r.p0) }
	case "E'":
		return func() { XORL(r.p0, r.h) }
	case "F<<<19":
		return func() { ROLL(Imm(19), r.f) }

	// The majority of A, B and C is B where it is the same as C, and A elsewhere.
	case "D+W'":
		return func() { ADDL(r.w1, r.d) }
	case "B":
		return func() { MOVL(r.b, r.ff) }
	case "B^C":
		return func() { XORL(r.c, r.ff) }
	case "B&C":
		return onlyIf(isLate, func() {
			if *legacy {
				MOVL(r.b, r.bc)
				ANDL(r.c, r.bc)
			} else {
				ANDNL(r.b, r.ff, r.bc)
			}
		})
	case "D+B&C":
		return onlyIf(isLate, func() { ADDL(r.bc, r.d) })
	case "FF":
		if isLate {
			return func() { ANDL(r.a, r.ff) }
		}
		return func() { XORL(r.a, r.ff) }
	case "D+FF":
		return func() { ADDL(r.ff, r.d) }
	case "TT1":
		return func() { ADDL(r.a12, r.d) }
	case "B<<<9":
		return func() { ROLL(Imm(9), r.b) }
	}

	// GG of the next round, in which F is e, G is f, and E is TT2 ^ p0. It is
	// G ^ E&(F^G) = F ^ ^TT2&(F^G) ^ p0&(F^G). Without ANDN the first form takes less.
	n := r.next
	if n == nil {
		return nil
	}
	switch name {
	case "F":
		return func() { MOVL(r.e, n.gg) }
	case "F^G":
		return func() { XORL(r.f, n.gg) }
	case "^TT2&":
		return onlyIf(lateNext && !*legacy, func() { ANDNL(n.gg, r.h, r.rest) })
	case "F^":
		return onlyIf(lateNext && !*legacy, func() { XORL(r.e, r.rest) })
	case "p0&":
		return onlyIf(lateNext && !*legacy, func() { ANDL(r.p0, n.gg) })
	case "GG":
		switch {
		case lateNext && *legacy:
			return func() {
				ANDL(r.h, n.gg)
				XORL(r.f, n.gg)
			}
		case lateNext:
			return func() { XORL(r.rest, n.gg) }
		}
		return func() { XORL(r.h, n.gg) }
	}
	panic("no operation " + name)
}

// rotate sets to to from rotated to the left.
func rotate(n uint64, from, to reg.Register) {
	if *legacy {
		MOVL(from, to)
		ROLL(Imm(n), to)
	} else {
		RORXL(Imm(32-n), from, to)
	}
}

func onlyIf(condition bool, code func()) func() {
	if !condition {
		return nil
	}
	return code
}
