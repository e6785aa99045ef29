package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// Words have four blocks in four registers: x[i] has word i of each block, with its
// bytes in the order of memory. AESE processes all bytes of a word.
//
// Byte j of the linear layer is u0(s[j]) + u1(s[j+1]) + u1(s[j+2]) + u3(s[j+3]), where u3 =
// u0 + u1. All maps are looked up before ShiftRows is undone, so that the permutations that
// undo it also bring each byte to its place.
//
// A round is 21 instructions. Each waits for most of the others: 18 cycles on a CPU on
// which every instruction takes two. Two of these side by side take hardly longer than one.
// Without AESE (lookups.go), a round is 30 instructions.
type words struct {
	f                            *asm.Func
	u0Low, u0High, u1Low, u1High asm.Reg
	unshift                      []asm.Reg
	nibble                       asm.Reg

	// Without AESE, which lookups says.
	lookups             bool
	inverses, multiples asm.Reg
}

func newWords(f *asm.Func, c *constants) *words {
	if c.lookups != nil {
		w := &words{f: f, lookups: true, nibble: f.New(Vector, "nibble"), inverses: f.New(Vector, "inverses"), multiples: f.New(Vector, "multiples"),
			u0Low: f.New(Vector, "u0Low"), u0High: f.New(Vector, "u0High"), u1Low: f.New(Vector, "u1Low"), u1High: f.New(Vector, "u1High"),
			unshift: []asm.Reg{1: f.New(Vector, "rotation"), 3: f.New(Vector, "rotation")}}
		load(f, c.lookups, w.nibble, w.inverses, w.multiples, w.u0Low, w.u0High, w.u1Low, w.u1High)
		load(f, c.rotations, w.unshift[1], w.unshift[3])
		return w
	}
	w := &words{f: f, u0Low: f.New(Vector, "u0Low"), u0High: f.New(Vector, "u0High"), u1Low: f.New(Vector, "u1Low"), u1High: f.New(Vector, "u1High"),
		unshift: f.Several(Vector, "unshift", 4), nibble: f.New(Vector, "nibble")}
	load(f, c.words, w.u0Low, w.u0High, w.u1Low, w.u1High, w.unshift[0], w.unshift[1], w.unshift[2], w.unshift[3], w.nibble)
	return w
}

// crypt adds the rounds of several states.
func (w *words) crypt(first, step asm.Reg, states ...[]asm.Reg) {
	rounds(w.f, "rounds", first, func(i int, key asm.Reg) {
		k := w.f.New(Vector, "k")
		w.f.Add(VLD1R(S4, PostIndex(key, step), k))
		var streams []asm.Stream
		for _, x := range states {
			round := w.round
			if w.lookups {
				round = w.lookupRound
			}
			streams = append(streams, round(x[i], x[(i+1)%4], x[(i+2)%4], x[(i+3)%4], k))
		}
		w.f.Add(asm.Weave(streams...)...)
	})
}

func (w *words) round(x0, x1, x2, x3, k asm.Reg) asm.Stream {
	f := w.f
	s, n := f.New(Vector, "s"), f.New(Vector, "n")
	u0, u1, u3 := f.New(Vector, "t"), f.New(Vector, "t"), f.New(Vector, "t")
	t := f.New(Vector, "t")
	return asm.Stream{
		VEOR(x1, x2, s), VEOR(x3, s, s),
		AESE(k, s),
		VAND(w.nibble, s, n), VUSHR(B16, 4, s, s),
		VTBL(n, w.u1Low, u1), VTBL(s, w.u1High, t), VTBL(n, w.u0Low, u0), VTBL(s, w.u0High, s),
		VEOR(u1, t, u1), VEOR(u0, s, u0), VEOR(u0, u1, u3),
		VTBL(w.unshift[1], u1, t), VTBL(w.unshift[2], u1, u1), VTBL(w.unshift[0], u0, u0), VTBL(w.unshift[3], u3, u3),
		VEOR(t, u1, u1), VEOR(u0, x0, x0), VEOR(u3, u1, u1), VEOR(u1, x0, x0),
	}
}
