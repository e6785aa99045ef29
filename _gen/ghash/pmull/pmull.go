// Package pmull has GHASH with AArch64's PMULL as streams of instructions, for the kernels
// of GHASH and for those that encrypt at the same time. The package comment of
// _gen/ghash/arm64 has the algorithm.
package pmull

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// The table of powers: H^8, H^7 and the sums of the halves of both, then the same of H^6 and
// H^5, and so on, so that one instruction loads what two blocks need.
const (
	Powers = 8
	Size   = Powers / 2 * pair

	pair = 48
)

// Power returns the offset of H^n.
func Power(n int) int { return (Powers-n)/2*pair + n%2*16 }

// Sum returns the offset of the sum of the halves of H^n, 8 bytes.
func Sum(n int) int { return (Powers-n)/2*pair + 32 + n%2*8 }

// A Hash is the registers of a GHASH computation.
type Hash struct {
	High, Low, Middle asm.Reg // sums of products
	Y                 asm.Reg // the state, halves swapped
	poly              asm.Reg
	table, p          asm.Reg // the table of powers; the next two powers in it
	t                 []asm.Reg
	h                 []asm.Reg // two powers and the sums of their halves
	m                 asm.Reg
}

// New returns a Hash with new registers. table points to the powers.
func New(f *asm.Func, table asm.Reg) *Hash {
	return &Hash{
		High: f.New(Vector, "high"), Low: f.New(Vector, "low"), Middle: f.New(Vector, "middle"),
		Y: f.New(Vector, "y"), poly: f.New(Vector, "poly"), table: table, p: f.New(Integer, "powers"),
		t: f.Several(Vector, "t", 2), h: f.Group(Vector, "h", 3, 1), m: f.New(Vector, "m"),
	}
}

// Start loads the polynomial, with a temporary register.
func (h *Hash) Start(f *asm.Func, t asm.Reg) {
	f.Add(MOVD(uint64(0xc2<<56), t), VDUP(D2, t, h.poly))
}

// From makes n, which is even, the power for the next block.
func (h *Hash) From(n int) asm.Op { return ADD(Power(n), h.table, h.p) }

// Pair adds the products of two blocks and the next two powers. first says that the sums
// begin here.
func (h *Hash) Pair(a, b asm.Reg, first bool) asm.Stream {
	t := h.t[0]
	if first {
		t = h.Middle
	}
	var s asm.Stream
	s.Add(
		VLD1(B16, Post(h.p, pair).In("powers"), h.h),
		VTRN1(D2, b, a, h.m),
	)
	s = append(s, h.multiply(h.h[0], a, first)...)
	s.Add(VTRN2(D2, b, a, h.h[0]), VEOR(h.h[0], h.m, h.m))
	s = append(s, h.multiply(h.h[1], b, false)...)
	s.Add(VPMULL(D1, h.h[2], h.m, t))
	if !first {
		s.Add(VEOR(t, h.Middle, h.Middle))
	}
	s.Add(VPMULL2(D2, h.h[2], h.m, h.t[0]), VEOR(h.t[0], h.Middle, h.Middle))
	return s
}

// multiply adds the products of the halves of a power and a block to High and Low.
func (h *Hash) multiply(power, a asm.Reg, first bool) (s asm.Stream) {
	if first {
		s.Add(VPMULL(D1, power, a, h.High), VPMULL2(D2, power, a, h.Low))
		return s
	}
	s.Add(
		VPMULL(D1, power, a, h.t[0]),
		VEOR(h.t[0], h.High, h.High),
		VPMULL2(D2, power, a, h.t[1]),
		VEOR(h.t[1], h.Low, h.Low),
	)
	return s
}

// One sets the sums to the product of a block and the power n.
func (h *Hash) One(a asm.Reg, n int) asm.Stream {
	var s asm.Stream
	s.Add(
		FMOVQ(At(h.table, Power(n)).In("powers"), h.h[0]),
		FMOVD(At(h.table, Sum(n)).In("powers"), h.h[1]),
		VEXT(8, a, a, h.m),
		VEOR(a, h.m, h.m),
		VPMULL(D1, h.h[0], a, h.High),
		VPMULL2(D2, h.h[0], a, h.Low),
		VPMULL(D1, h.h[1], h.m, h.Middle),
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
		VEOR(h.High, h.Low, u), // the middle is the last of the three sums
		VEOR(u, h.Middle, h.Middle),
		// The middle's lower half belongs to the upper half of low, its upper half to the
		// lower half of high. The first reduction adds swapped halves of low, so that
		// the middle as it is fits both.
		VPMULL(D1, h.poly, h.Low, t),
		VEXT(8, h.Low, h.Low, u),
		VEOR(t, u, u),
		VEOR(h.Middle, u, u),
		VPMULL(D1, h.poly, u, t),
		VEOR(t, h.High, h.High),
		VEXT(8, h.High, h.High, h.Y),
		VEOR(u, h.Y, h.Y),
	)
	return s
}
