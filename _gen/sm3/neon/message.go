package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A message is the kernel for one message. A step is four rounds: step k is rounds 4k ...
// 4k+3.
type message struct {
	p, n, table, q asm.Reg
	state          []asm.Reg
	w, w1          []asm.Reg // W and W' of a step, two in each register
	t              []asm.Reg // T of two rounds
	x              []asm.Reg // temporary

	words []asm.Reg // the last 16 words
	next  []asm.Reg // the next block
	zero  asm.Reg
	mask  asm.Reg // ones in lane 3
	y     []asm.Reg

	// Element k%8 of ring has W' of step k-1, and then W of step k.
	ring asm.Local
}

func blocks(file *asm.File, table *asm.Table) {
	f := file.Func("blocksNEON", "(v *[8]uint32, p *byte, n int)")
	f.Doc = "blocksNEON compresses n > 0 bytes, whole blocks, into the chaining value v."
	f.Banner = "While the integer units do the rounds, the vector units expand the message four words at a\n" +
		"time, up to 12 rounds ahead, and load the next block towards the end."
	f.Secret = "v p"
	v := f.Arg("v")
	m := &message{
		p: f.Arg("p"), n: f.Arg("n"), table: f.New(Integer, "constants"), q: f.New(Integer, "q"),
		state: f.Several(Integer, "state", 8),
		w:     f.Several(Integer, "w", 2), w1: f.Several(Integer, "prime", 2), t: f.Several(Integer, "t", 2),
		x:     f.Several(Integer, "x", 5),
		words: f.Group(Vector, "words", 4, 1), next: f.Group(Vector, "next", 4, 1),
		zero: f.New(Vector, "zero"), mask: f.New(Vector, "mask"),
		y:    f.Several(Vector, "y", 6),
		ring: f.Local("ring", 8*32),
	}
	s := m.state
	f.Add(
		MOVD(table, m.table),
		VMOVI(0, m.zero),
		VMOVI(255, m.mask), VEXT(4, m.mask, m.zero, m.mask),
	)
	for i := 0; i < 8; i += 2 {
		f.Add(LDPW(At(v, 4*i), s[i], s[i+1]))
	}
	f.Add(VLD1(B16, At(m.p, 0), m.next))
	f.Add(m.reload()...)
	f.Add(m.loadT(0))
	f.Add(m.load(0)...)
	f.Align(64)
	f.Label("block")
	// The last block is loaded twice.
	f.Add(
		MOVD(64, m.q), CMP(64, m.n), CSEL(HI, m.q, ZR, m.q), ADD(m.q, m.p, m.p),
		VLD1(B16, At(m.p, 0), m.next),
	)
	rounds := func(from, to int) (ops asm.Stream) {
		for j := from; j < to; j++ {
			ops.Add(m.round(j)...)
		}
		return ops
	}
	var expansion asm.Stream
	for k := range 13 {
		expansion.Add(m.expand(k)...)
	}
	var block asm.Stream
	block.Add(asm.Weave(rounds(0, 57), expansion)...)
	block.Add(asm.Weave(rounds(57, 62), m.reload())...)
	block.Add(rounds(62, 64)...)
	// For Cortex-A53, which does not reorder, and has a tenth less to wait.
	f.Add(asm.Schedule(block, CortexA72)...)
	for i := 0; i < 8; i += 2 {
		a, b := m.x[0], m.x[1]
		f.Add(LDPW(At(v, 4*i), a, b),
			EORW(a, s[i], s[i]), EORW(b, s[i+1], s[i+1]),
			STPW(s[i], s[i+1], At(v, 4*i)))
	}
	f.Add(SUBS(64, m.n, m.n), BNE("block"))
	f.Remark("The message may be a key.")
	for i := 0; i < 8*32; i += 32 {
		f.Add(FSTPQ(m.zero, m.zero, On(m.ring, i)))
	}
	f.Add(RET())
}

// load loads W, W' and T of a step.
func (m *message) load(k int) []asm.Op {
	return []asm.Op{
		LDP(m.slot(k, 16), m.w[0], m.w[1]),
		LDP(m.slot(k+1, 0), m.w1[0], m.w1[1]),
	}
}

// loadT loads T of rounds j and j+1.
func (m *message) loadT(j int) asm.Op { return LDPW(At(m.table, 4*(j%64)), m.t[0], m.t[1]) }

// add adds word j of a step to d. d may have any high half.
func add(j int, pair []asm.Reg, d asm.Reg, to asm.Reg) asm.Op {
	if j%2 == 0 {
		return ADDW(pair[j/2], d, to)
	}
	return ADD(Right(pair[j/2], 32), d, to)
}

// round is a round in the names of GB/T 32905-2016, section 5.3.3.
func (m *message) round(j int) (ops asm.Stream) {
	s := inRound(m.state, j)
	A, B, C, D, E, F, G, H := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	a12, ss1, x, y, z := m.x[0], m.x[1], m.x[2], m.x[3], m.x[4]
	i := j % 4
	ops.Add(
		RORW(32-12, A, a12),
		ADDW(m.t[j%2], a12, ss1),
		add(i, m.w, H, H),
		ADDW(E, ss1, ss1),
		add(i, m.w1, D, D),
	)
	if j%2 == 1 {
		ops.Add(m.loadT(j + 1))
	}
	if i == 3 {
		ops.Add(m.load(j/4 + 1)...)
	}
	ops.Add(RORW(32-7, ss1, ss1))
	if j < 16 {
		ops.Add(
			EORW(F, G, x),
			EORW(B, C, y),
			EORW(E, x, x),
			EORW(ss1, a12, a12), // SS2
			EORW(A, y, y),
			ADDW(x, H, H),
			ADDW(y, D, D),
		)
	} else {
		ops.Add(
			ANDW(E, F, x),
			EORW(B, C, y),
			ADDW(x, H, H),
			BICW(E, G, x),
			ANDW(B, C, z),
			EORW(ss1, a12, a12), // SS2
			ADDW(x, H, H),
			ANDW(A, y, y),
			ADDW(z, D, D),
			ADDW(y, D, D),
		)
	}
	ops.Add(
		ADDW(ss1, H, H), // TT2
		RORW(32-9, B, B),
		ADDW(a12, D, D), // TT1
		RORW(32-19, F, F),
		EORW(Rotated(H, 32-9), H, x),
		EORW(Rotated(H, 32-17), x, H), // P0
	)
	return ops
}

// expand makes words n ... n+3 of section 5.3.2, n = 16+4k, in place of words n-16 ... n-13,
// and W' of the four words before.
func (m *message) expand(k int) (ops asm.Stream) {
	w16, w12, w8, w4 := m.words[k%4], m.words[(k+1)%4], m.words[(k+2)%4], m.words[(k+3)%4]
	x, y, s, t, u, last := m.y[0], m.y[1], m.y[2], m.y[3], m.y[4], m.y[5]
	rotate := func(n int, x, d asm.Reg) []asm.Op {
		return []asm.Op{VSHL(S4, n, x, d), VSRI(S4, 32-n, x, d)}
	}
	// x = W[n-16] ^ W[n-9] ^ (W[n-3] <<< 15); W[n] for the fourth word is not there yet.
	ops.Add(VEXT(4, m.zero, w4, s), VEXT(12, w8, w12, x))
	ops.Add(rotate(15, s, t)...)
	ops.Add(VEOR(w16, x, x), VEXT(12, w12, w16, u), VEOR(t, x, x))
	// y = (W[n-13] <<< 7) ^ W[n-6]
	ops.Add(rotate(7, u, y)...)
	ops.Add(rotate(15, x, s)...)
	ops.Add(rotate(23, x, t)...)
	ops.Add(
		VEXT(8, w4, w8, u),
		VEOR(u, y, y),
		VEOR(x, y, y),
		VEOR(s, t, t),
		VEOR(t, y, w16),
		// The fourth word lacks P1(W[n] <<< 15). Of two copies of W[n] in 64 bits, shifted
		// to the left, the upper one has the rotated word.
		VDUP(S4, Lane(S4, w16, 0), s),
		VSHL(D2, 15, s, t),
		VSHL(D2, 30, s, u),
		VSHL(D2, 38-32, s, s),
		VEOR(w16, t, t),
		VEOR(u, s, s),
		VEOR(s, t, t),
		VBIT(m.mask, t, w16),
		VEOR(w16, w4, last),
		FSTPQ(last, w16, m.slot(k+4, 0)),
	)
	return ops
}

// reload begins the expansion of the next block.
func (m *message) reload() (ops asm.Stream) {
	w, last := m.words, m.y[0]
	for i := range w {
		ops.Add(VREV32(B16, m.next[i], w[i]))
		if i == 0 {
			ops.Add(FMOVQ(w[0], m.slot(0, 16)))
			continue
		}
		ops.Add(VEOR(w[i-1], w[i], last), FSTPQ(last, w[i], m.slot(i, 0)))
	}
	return ops
}

// slot is a byte of the element of ring that has W of step k.
func (m *message) slot(k, offset int) Mem { return On(m.ring, k%8*32+offset) }
