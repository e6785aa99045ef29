package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A wide is the vector registers of six blocks: four in words, and the two after them in rows, for
// which the registers of the initial state and some temporaries make room. The state is in memory.
type wide struct {
	chacha              // words, four temporaries
	y         []asm.Reg // rows of two blocks
	u         []asm.Reg // temporaries
	constants asm.Reg   // address of the tables
}

func newWide(f *asm.Func, tables *asm.Table) *wide {
	w := &wide{
		chacha: chacha{x: f.Several(Vector, "x", 16), t: f.Group(Vector, "t", 4, 1), rot8: f.New(Vector, "rot8"), state: f.Arg("state")},
		y:      f.Several(Vector, "y", 8), u: f.Several(Vector, "u", 2), constants: f.New(Integer, "constants"),
	}
	f.Add(
		MOVD(tables, w.constants),
		FMOVQ(At(w.constants, 0), w.rot8))
	return w
}

func (w *wide) start() (s asm.Stream) {
	count, one := w.u[0], w.u[1]
	s.Add(
		VLD1(B16, At(w.state, 0), w.t),
		FMOVQ(At(w.constants, 16), count),
		FMOVQ(At(w.constants, 32), one))
	for i, x := range w.x {
		s.Add(VDUP(S4, Lane(S4, w.t[i/4], i%4), x))
	}
	s.Add(VADD(S4, count, w.x[12], w.x[12]))
	for i, y := range w.y {
		s.Add(VMOV(w.t[i%4], y))
	}
	return append(s,
		VSHL(S4, 2, one, count), // {4, 0, 0, 0}
		VADD(S4, count, w.y[3], w.y[3]),
		VADD(S4, one, w.y[3], w.y[7]))
}

func (w *wide) doubleRounds(n int) asm.Stream {
	return asm.Weave(w.chacha.doubleRounds(n), w.rowRounds(n, w.y, w.u))
}

func (w *wide) output(dst, src asm.Reg) (s asm.Stream) {
	x, y, t, row, one := w.x, w.y, w.t, w.u[0], w.u[1]
	// Row k of block j is then in x[4*k+j].
	for k := range 4 {
		s.Add(transpose(x[4*k:4*k+4], t)...)
		s.Add(FMOVQ(At(w.state, 16*k), row))
		if k == 3 {
			s.Add(FMOVQ(At(w.constants, 32), one))
		}
		for _, block := range append(x[4*k:4*k+4:4*k+4], y[k], y[4+k]) {
			s.Add(VADD(S4, row, block, block))
			if k == 3 {
				s.Add(VADD(S4, one, row, row))
			}
		}
	}
	s.Add(FMOVQ(row, At(w.state, 48)))
	for j := range 6 {
		block := y[max(0, 4*j-16):]
		if j < 4 {
			block = []asm.Reg{x[j], x[4+j], x[8+j], x[12+j]}
		}
		s.Add(VLD1(B16, Post(src, 64), t))
		for i := range t {
			s.Add(VEOR(block[i], t[i], t[i]))
		}
		s.Add(VST1(B16, t, Post(dst, 64)))
	}
	return s
}

// store does nothing: output has written the counter back.
func (w *wide) store() asm.Stream { return nil }
