package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A chacha is the vector registers of ChaCha20.
type chacha struct {
	x     []asm.Reg // words or rows of the blocks
	row   []asm.Reg // of the initial state; row[3] has the counter
	t     []asm.Reg // temporaries
	rot8  asm.Reg   // indices for TBL
	count asm.Reg   // {0, 1, 2, 3}
	one   asm.Reg   // {1, 0, 0, 0}
	four  asm.Reg   // {4, 0, 0, 0}
	state asm.Reg   // its address
}

// newChaCha loads the state and the constants. n is the number of registers of blocks.
func newChaCha(f *asm.Func, tables *asm.Table, n int) *chacha {
	state, address := f.Arg("state"), f.New(Integer, "address")
	row, table := f.Group(Vector, "row", 4, 1), f.Group(Vector, "table", 4, 1)
	f.Add(
		MOVD(tables, address),
		VLD1(B16, At(state, 0), row),
		VLD1(B16, At(address, 0), table))
	return &chacha{
		x:   f.Several(Vector, "x", n),
		row: row, rot8: table[0], count: table[1], one: table[2], four: table[3],
		t:     append(f.Group(Vector, "t", 4, 1), f.Group(Vector, "t", 4, 1)...),
		state: state,
	}
}

// A quarter is the registers of a quarter round.
type quarter struct{ a, b, c, d, t asm.Reg }

// quarterRounds does quarter rounds (RFC 8439, section 2.1) side by side: each step of all
// of them before the next step.
func (c *chacha) quarterRounds(quarters ...quarter) (s asm.Stream) {
	for _, step := range []func(q quarter) asm.Op{
		func(q quarter) asm.Op { return VADD(S4, q.b, q.a, q.a) },
		func(q quarter) asm.Op { return VEOR(q.a, q.d, q.d) },
		func(q quarter) asm.Op { return VREV32(H8, q.d, q.d) }, // <<< 16
		func(q quarter) asm.Op { return VADD(S4, q.d, q.c, q.c) },
		func(q quarter) asm.Op { return VEOR(q.c, q.b, q.t) },
		func(q quarter) asm.Op { return VSHL(S4, 12, q.t, q.b) }, // <<< 12
		func(q quarter) asm.Op { return VSRI(S4, 20, q.t, q.b) },
		func(q quarter) asm.Op { return VADD(S4, q.b, q.a, q.a) },
		func(q quarter) asm.Op { return VEOR(q.a, q.d, q.d) },
		func(q quarter) asm.Op { return VTBL(c.rot8, q.d, q.d) }, // <<< 8
		func(q quarter) asm.Op { return VADD(S4, q.d, q.c, q.c) },
		func(q quarter) asm.Op { return VEOR(q.c, q.b, q.t) },
		func(q quarter) asm.Op { return VSHL(S4, 7, q.t, q.b) }, // <<< 7
		func(q quarter) asm.Op { return VSRI(S4, 25, q.t, q.b) },
	} {
		for _, q := range quarters {
			s.Add(step(q))
		}
	}
	return s
}

// start sets the words of four blocks to the initial state.
func (c *chacha) start() (s asm.Stream) {
	for i, x := range c.x {
		s.Add(VDUP(S4, Lane(S4, c.row[i/4], i%4), x))
	}
	return append(s, VADD(S4, c.count, c.x[12], c.x[12]))
}

// doubleRounds does n double rounds on four blocks.
func (c *chacha) doubleRounds(n int) (s asm.Stream) {
	for range n {
		for diagonal := range 2 {
			var list []quarter
			for i := range 4 {
				list = append(list, quarter{c.x[i], c.x[4+(i+diagonal)%4], c.x[8+(i+2*diagonal)%4], c.x[12+(i+3*diagonal)%4], c.t[i]})
			}
			s.Add(c.quarterRounds(list...)...)
		}
	}
	return s
}

// transpose makes rows of four words: x[i] has word i of four blocks before, and row i of
// the words in block i after.
func transpose(x, t []asm.Reg) asm.Stream {
	return asm.Stream{
		VZIP1(S4, x[1], x[0], t[0]),
		VZIP2(S4, x[1], x[0], t[1]),
		VZIP1(S4, x[3], x[2], t[2]),
		VZIP2(S4, x[3], x[2], t[3]),
		VZIP1(D2, t[2], t[0], x[0]),
		VZIP2(D2, t[2], t[0], x[1]),
		VZIP1(D2, t[3], t[1], x[2]),
		VZIP2(D2, t[3], t[1], x[3]),
	}
}

// output adds the initial state to four blocks, increases the counter, and XORs 256 bytes
// at src to dst.
func (c *chacha) output(dst, src asm.Reg) asm.Stream { return append(c.blocks(), c.xor(dst, src)...) }

// blocks adds the initial state to four blocks, and increases the counter. Row k of block j is
// then in x[4*k+j].
func (c *chacha) blocks() (s asm.Stream) {
	x, t := c.x, c.t
	s.Add(VADD(S4, c.count, x[12], x[12]))
	for k := 0; k < 4; k += 2 {
		s.Add(asm.Weave(transpose(x[4*k:4*k+4], t[:4]), transpose(x[4*k+4:4*k+8], t[4:]))...)
	}
	for i, x := range x {
		s.Add(VADD(S4, c.row[i/4], x, x))
	}
	s.Add(VADD(S4, c.four, c.row[3], c.row[3]))
	return s
}

// xor adds four blocks to 256 bytes.
func (c *chacha) xor(dst, src asm.Reg) (s asm.Stream) {
	x, t := c.x, c.t
	for j := 0; j < 4; j += 2 { // two blocks at a time
		s.Add(
			VLD1(B16, Post(src, 64), t[:4]),
			VLD1(B16, Post(src, 64), t[4:]))
		for i := range 8 {
			s.Add(VEOR(x[4*(i%4)+j+i/4], t[i], t[i]))
		}
		s.Add(
			VST1(B16, t[:4], Post(dst, 64)),
			VST1(B16, t[4:], Post(dst, 64)))
	}
	return s
}

// store writes the last row of the initial state back.
func (c *chacha) store() asm.Stream {
	return asm.Stream{FMOVQ(c.row[3], At(c.state, 48))}
}

// rowRounds does n double rounds on the rows of two blocks, with two temporaries.
func (c *chacha) rowRounds(n int, rows, t []asm.Reg) (s asm.Stream) {
	a, b := rows[:4], rows[4:]
	for half := range 2 * n {
		s.Add(c.quarterRounds(quarter{a[0], a[1], a[2], a[3], t[0]}, quarter{b[0], b[1], b[2], b[3], t[1]})...)
		for i := 1; i < 4; i++ { // columns to diagonals and back: row i by i words
			n := 4 * i
			if half%2 == 1 {
				n = 16 - n
			}
			s.Add(
				VEXT(n, a[i], a[i], a[i]),
				VEXT(n, b[i], b[i], b[i]))
		}
	}
	return s
}

func pair(file *asm.File, tables *asm.Table) {
	f := file.Func("pairNEON", "(stream *byte, state *[16]uint32)")
	f.Secret = "stream state"
	f.Doc = "pairNEON writes two blocks of keystream, 128 bytes, and advances the counter by 2."
	f.Banner = `Rows instead of words: 68 vector instructions for a double round of two blocks, where
		words need 112 for four. By llvm-mca it takes 96 cycles on Cortex-A72, two chains of 45
		and 3 for VEXT, and 60 on Neoverse N1.`

	stream := f.Arg("stream")
	c := newChaCha(f, tables, 8)
	next, rounds := f.New(Vector, "next"), f.New(Integer, "rounds")
	initial := append(c.row[:4:4], c.row[0], c.row[1], c.row[2], next)
	f.Add(
		VADD(S4, c.one, c.row[3], next),
		MOVD(10, rounds))
	for i, row := range initial {
		f.Add(VMOV(row, c.x[i]))
	}

	f.Label("rounds")
	a, b := c.x[:4], c.x[4:]
	f.Add(c.rowRounds(1, c.x, c.t)...)
	f.Add(
		SUB(1, rounds, rounds),
		CBNZ(rounds, "rounds"))

	for i, row := range initial {
		f.Add(VADD(S4, row, c.x[i], c.x[i]))
	}
	f.Add(VADD(S4, c.one, next, c.row[3]))
	f.Add(
		VST1(B16, a, Post(stream, 64)),
		VST1(B16, b, At(stream, 0)))
	f.Add(c.store()...)
	f.Add(RET())
}
