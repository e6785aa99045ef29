// Package pmull has GHASH with AArch64's PMULL as streams of instructions, for the kernels
// of GHASH and for those that encrypt at the same time. The package comment of
// _gen/ghash/arm64 has the algorithm.
package pmull

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// The table of powers: H^8 to H^1, and then the sums of the halves of H^8 and H^7, H^6 and
// H^5, and so on.
const (
	Powers = 8
	Sums   = 16 * Powers // offset
	Size   = Sums + 8*Powers
)

// Power returns the offset of H^n.
func Power(n int) int { return 16 * (Powers - n) }

// A Hash is the registers of a GHASH computation.
type Hash struct {
	High, Low, Middle asm.Reg // sums of products
	Y                 asm.Reg // the state, halves swapped
	poly              asm.Reg
	t                 []asm.Reg
	h                 []asm.Reg
	m                 asm.Reg
}

// New returns a Hash with new registers.
func New(f *asm.Func) *Hash {
	h := &Hash{
		High: f.New(Vector, "high"), Low: f.New(Vector, "low"), Middle: f.New(Vector, "middle"),
		Y: f.New(Vector, "y"), poly: f.New(Vector, "poly"),
		t: f.Several(Vector, "t", 3), h: f.Several(Vector, "h", 2), m: f.New(Vector, "m"),
	}
	return h
}

// Start loads the polynomial, with a temporary register.
func (h *Hash) Start(f *asm.Func, t asm.Reg) {
	f.Add(MOVD(uint64(0xc2<<56), t), VDUP(D2, t, h.poly))
}

// Pair adds the products of two blocks and the powers n and n-1, n even. table points to
// the powers. first says that the sums begin here.
func (h *Hash) Pair(a, b asm.Reg, n int, table asm.Reg, first bool) asm.Stream {
	high, low, middle := h.t[0], h.t[1], h.t[2]
	if first {
		high, low, middle = h.High, h.Low, h.Middle
	}
	var s asm.Stream
	s.Add(
		FLDPQ(At(table, Power(n)).In("powers"), h.h[0], h.h[1]),
		VTRN1(D2, b, a, h.m),
		VPMULL(D1, h.h[0], a, high),
		VPMULL2(D2, h.h[0], a, low),
	)
	add := func(t, sum asm.Reg) {
		if t != sum {
			s.Add(VEOR(t, sum, sum))
		}
	}
	add(high, h.High)
	add(low, h.Low)
	s.Add(VTRN2(D2, b, a, h.h[0]), VEOR(h.h[0], h.m, h.m))
	s.Add(VPMULL(D1, h.h[1], b, h.t[0]), VEOR(h.t[0], h.High, h.High))
	s.Add(VPMULL2(D2, h.h[1], b, h.t[1]), VEOR(h.t[1], h.Low, h.Low))
	s.Add(FMOVQ(At(table, Sums+8*(Powers-n)).In("powers"), h.h[0]))
	s.Add(VPMULL(D1, h.h[0], h.m, middle))
	add(middle, h.Middle)
	s.Add(VPMULL2(D2, h.h[0], h.m, h.t[0]), VEOR(h.t[0], h.Middle, h.Middle))
	return s
}

// One sets the sums to the product of a block and H.
func (h *Hash) One(a, table asm.Reg) asm.Stream {
	var s asm.Stream
	s.Add(
		FMOVQ(At(table, Power(1)).In("powers"), h.h[0]),
		VPMULL(D1, h.h[0], a, h.High),
		VPMULL2(D2, h.h[0], a, h.Low),
		VEXT(8, a, a, h.m),
		VEOR(a, h.m, h.m),
		FMOVQ(At(table, Sums+8*(Powers-2)).In("powers"), h.h[1]),
		VPMULL2(D2, h.h[1], h.m, h.Middle),
	)
	return s
}

// Add adds the product of a block and the power at p, which it advances.
func (h *Hash) Add(a, p asm.Reg) asm.Stream {
	var s asm.Stream
	s.Add(
		FMOVQ(Post(p, 16).In("powers"), h.h[0]),
		VEXT(8, a, a, h.m),
		VEOR(a, h.m, h.m),
		VEXT(8, h.h[0], h.h[0], h.h[1]),
		VEOR(h.h[0], h.h[1], h.h[1]),
		VPMULL(D1, h.h[0], a, h.t[0]),
		VPMULL2(D2, h.h[0], a, h.t[1]),
		VPMULL(D1, h.h[1], h.m, h.t[2]),
		VEOR(h.t[0], h.High, h.High),
		VEOR(h.t[1], h.Low, h.Low),
		VEOR(h.t[2], h.Middle, h.Middle),
	)
	return s
}

// Clear makes the sums 0.
func (h *Hash) Clear() asm.Stream {
	return asm.Stream{VMOVI(0, h.High), VMOVI(0, h.Low), VMOVI(0, h.Middle)}
}

// Reduce sets the state to the reduced sums.
func (h *Hash) Reduce() asm.Stream {
	t, u := h.t[0], h.t[1]
	var s asm.Stream
	s.Add(
		VEOR(h.High, h.Middle, h.Middle),
		VEOR(h.Low, h.Middle, h.Middle),
		// The middle's lower half belongs to the upper half of low, its upper half to the
		// lower half of high. The first reduction adds swapped halves of low, so that
		// the middle as it is fits both.
		VPMULL(D1, h.poly, h.Low, t),
		VEXT(8, h.Low, h.Low, u),
		VEOR(t, u, u),
		VEOR(h.Middle, u, u),
		VPMULL(D1, h.poly, u, t),
		VEXT(8, u, u, u),
		VEOR(t, h.High, h.High),
		VEOR(u, h.High, h.High),
		VEXT(8, h.High, h.High, h.Y),
	)
	return s
}
