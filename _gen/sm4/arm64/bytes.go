package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A group is 16 blocks in 16 registers: state[w][j] has byte j of word w of each block,
// byte 0 being the most significant one. So AESE processes one byte of 16 blocks, and
// rotating a word by bytes is a matter of which register is used.
//
// Let s be the bytes after the S-box, and u1 = u0 + u3 the three maps of package matrices.
// Byte j of the linear layer is u0(s[j]) + u1(s[j+1]) + u1(s[j+2]) + u3(s[j+3]). With
//
//	c[j] = u3(s[j]) + u0(s[j+3])
//
// it is the sum of the other three c, so that two maps are looked up instead of three.
//
// A round is 63 instructions: 8 to add three words, 1 for the key, 4 AESE, 4 TBL to undo
// ShiftRows, 8 to split nibbles, 16 look-ups, 12 to add them, and 10 to add the sums of three.
// That is 7.9 instructions per byte of data. Everything but the key is vector instructions, so
// that a CPU with two vector units needs 3.9 cycles per byte at least. With EOR3 it is 51
// instructions, 6.4 per byte. pairs.go has less for two groups in turns.
type group struct {
	f     *asm.Func
	eor3  bool
	lanes bool // the 16 blocks have round keys of their own
	state [4][]asm.Reg

	u3Low, u3High, u0Low, u0High, nibble, unshift asm.Reg
}

func newGroup(f *asm.Func, c *constants, eor3 bool) *group {
	g := &group{f: f, eor3: eor3}
	for w := range g.state {
		g.state[w] = f.Group(Vector, "state", 4, 1)
	}
	g.u3Low, g.u3High = f.New(Vector, "u3Low"), f.New(Vector, "u3High")
	g.u0Low, g.u0High = f.New(Vector, "u0Low"), f.New(Vector, "u0High")
	g.nibble, g.unshift = f.New(Vector, "nibble"), f.New(Vector, "unshift")
	load(f, c.bytes, g.u3Low, g.u3High, g.u0Low, g.u0High, g.nibble, g.unshift)
	return g
}

// crypt adds the rounds. Without EOR3, the sum of two words of a round is computed in the
// one before, where it does not have to wait.
func (g *group) crypt(first, step asm.Reg) {
	if g.eor3 {
		rounds(g.f, "rounds", first, func(i int, key asm.Reg) { g.round3(i, key, step) })
		return
	}
	s := g.f.Several(Vector, "s", 4)
	for j := range 4 {
		g.f.Add(VEOR(g.state[1][j], g.state[2][j], s[j]))
	}
	rounds(g.f, "rounds", first, func(i int, key asm.Reg) { g.round(i, s, key, step) })
}

// round adds a round.
func (g *group) round(i int, s []asm.Reg, key, step asm.Reg) {
	f := g.f
	x0, x2, x3 := g.state[i], g.state[(i+2)%4], g.state[(i+3)%4]
	k := f.Group(Vector, "k", 4, 1)
	g.loadKey(k, key, step)
	for j := range 4 {
		f.Add(VEOR(x3[j], s[j], s[j]))
	}
	g.substitute(k, s)
	low := []asm.Reg{g.u3Low, g.u3Low, g.u3Low, g.u3Low}
	g.linear(low, s, x0, func() {
		for j := range 4 {
			f.Add(VEOR(x2[j], x3[j], s[j]))
		}
	})
}

// substitute is AESE without ShiftRows.
func (g *group) substitute(k, s []asm.Reg) {
	g.f.Add(AESE(k[0], s[0]))
	for j := range 4 {
		if j < 3 {
			g.f.Add(AESE(k[j+1], s[j+1]))
		}
		g.f.Add(VTBL(g.unshift, s[j], s[j]))
	}
}

// linear adds the maps of s to x0. low has the low nibbles of u3, for each byte. next is what can
// run before the last instructions, when s is free. Instructions that wait for each other are
// apart, for CPUs that do not reorder.
func (g *group) linear(low, s, x0 []asm.Reg, next func()) {
	f := g.f
	c, n := f.Several(Vector, "c", 4), f.Several(Vector, "n", 4)
	split := func(j int) { f.Add(VAND(g.nibble, s[j], n[j]), VUSHR(B16, 4, s[j], s[j])) }
	split(0)
	for j := range 4 {
		// The first look-up of a c sets it.
		c3, c0 := c[j], c[(j+1)%4]
		t3, t0 := f.New(Vector, "t"), f.New(Vector, "t")
		if j == 0 {
			t3 = c3
		}
		if j < 3 {
			t0 = c0
		}
		h := f.New(Vector, "h")
		f.Add(VTBL(s[j], g.u3High, h), VTBL(n[j], low[j], t3), VTBL(s[j], g.u0High, s[j]), VTBL(n[j], g.u0Low, t0))
		if j < 3 {
			split(j + 1)
		}
		if t3 != c3 {
			f.Add(VEOR(t3, c3, c3))
		}
		if t0 != c0 {
			f.Add(VEOR(t0, c0, c0))
		}
		f.Add(VEOR(h, c3, c3), VEOR(s[j], c0, c0))
	}
	// What is added to a byte is the sum of the other three.
	t, u := f.New(Vector, "t"), f.New(Vector, "t")
	f.Add(VEOR(c[1], c[2], t), VEOR(c[2], x0[1], x0[1]), VEOR(c[1], x0[2], x0[2]))
	f.Add(VEOR(t, x0[0], x0[0]), VEOR(t, x0[3], x0[3]), VEOR(c[0], c[3], u))
	next()
	f.Add(VEOR(c[3], x0[0], x0[0]), VEOR(u, x0[1], x0[1]), VEOR(u, x0[2], x0[2]), VEOR(c[0], x0[3], x0[3]))
}

// round3 is round with EOR3.
func (g *group) round3(i int, key, step asm.Reg) {
	f := g.f
	x0, x1, x2, x3 := g.state[i], g.state[(i+1)%4], g.state[(i+2)%4], g.state[(i+3)%4]
	k, s := f.Group(Vector, "k", 4, 1), f.Several(Vector, "s", 4)
	g.loadKey(k, key, step)
	for j := range 4 {
		f.Add(VEOR3(x1[j], x2[j], x3[j], s[j]))
	}
	g.substitute(k, s)
	g.linear3([]asm.Reg{g.u3Low, g.u3Low, g.u3Low, g.u3Low}, s, x0)
}

// linear3 is linear with EOR3.
func (g *group) linear3(low, s, x0 []asm.Reg) {
	f := g.f
	c := f.Several(Vector, "c", 4)
	for j := range 4 {
		n, c3, c0 := f.New(Vector, "n"), c[j], c[(j+1)%4]
		f.Add(VAND(g.nibble, s[j], n), VUSHR(B16, 4, s[j], s[j]))
		// The first two look-ups of a c set it, and EOR3 adds the other two.
		lookups := func(low, high, c asm.Reg, first bool) {
			t, u := f.New(Vector, "t"), f.New(Vector, "t")
			f.Add(VTBL(n, low, t), VTBL(s[j], high, u))
			if first {
				f.Add(VEOR(t, u, c))
			} else {
				f.Add(VEOR3(t, u, c, c))
			}
		}
		lookups(low[j], g.u3High, c3, j == 0)
		lookups(g.u0Low, g.u0High, c0, j < 3)
	}
	t := f.New(Vector, "t")
	f.Add(VEOR3(c[1], c[2], c[3], t), VEOR(c[0], t, t))
	for j := range 4 {
		f.Add(VEOR3(c[j], t, x0[j], x0[j]))
	}
}

// load loads a group in four parts of 64 bytes, numbered as in parts, and changes its
// basis.
func (g *group) load(c *constants, parts [4]int, next Mem) {
	g.transpose(parts, next)
	g.toBasis(c)
}

// transpose loads a group. LD4 separates the bytes of words: of four blocks, it leaves byte j
// of all words in one register.
func (g *group) transpose(parts [4]int, next Mem) {
	f := g.f
	for _, p := range parts {
		f.Add(VLD4(B16, next, g.state[p]))
	}
	for j := range 4 {
		x := [4]asm.Reg{g.state[0][j], g.state[1][j], g.state[2][j], g.state[3][j]}
		t := f.Several(Vector, "t", 4)
		f.Add(
			VUZP1(B16, x[1], x[0], t[0]), VUZP2(B16, x[1], x[0], t[1]), // words 0 and 2, 1 and 3
			VUZP1(B16, x[3], x[2], t[2]), VUZP2(B16, x[3], x[2], t[3]),
			VUZP1(B16, t[2], t[0], x[0]), VUZP2(B16, t[2], t[0], x[2]),
			VUZP1(B16, t[3], t[1], x[1]), VUZP2(B16, t[3], t[1], x[3]),
		)
	}
}

func (g *group) toBasis(c *constants) { g.change(c.basis) }

func (g *group) fromBasis(c *constants) { g.change(c.inverse) }

func (g *group) change(t *asm.Table) {
	b := newBasis(g.f, t, g.nibble)
	for _, word := range g.state {
		b.changeAll(word)
	}
}

// changeAll changes the basis of several registers, two at a time.
func (b basis) changeAll(regs []asm.Reg) {
	for i := 0; i < len(regs); i += 2 {
		b.f.Add(asm.Weave(b.change(regs[i], regs[i]), b.change(regs[i+1], regs[i+1]))...)
	}
}

// ready changes the basis back and returns the parts as registers for ST4.
func (g *group) ready(c *constants) (parts [4][]asm.Reg) {
	g.fromBasis(c)
	return g.interleave()
}

// interleave puts the words, whose order is reversed after the rounds, where ST4 alternates
// between them.
func (g *group) interleave() (parts [4][]asm.Reg) {
	f := g.f
	for j := range 4 {
		x := [4]asm.Reg{g.state[3][j], g.state[2][j], g.state[1][j], g.state[0][j]}
		t := f.Several(Vector, "t", 4)
		f.Add(
			VZIP1(B16, x[1], x[0], t[0]), VZIP2(B16, x[1], x[0], t[1]),
			VZIP1(B16, x[3], x[2], t[2]), VZIP2(B16, x[3], x[2], t[3]),
			VZIP1(H8, t[2], t[0], x[0]), VZIP2(H8, t[2], t[0], x[1]),
			VZIP1(H8, t[3], t[1], x[2]), VZIP2(H8, t[3], t[1], x[3]),
		)
	}
	for p := range parts {
		parts[p] = g.state[3-p]
	}
	return parts
}

// storeXOR adds 64 bytes from memory to a part and stores it.
func (g *group) storeXOR(part []asm.Reg, addend, dst Mem) {
	data := g.f.Group(Vector, "data", 4, 1)
	g.f.Add(VLD4(B16, addend, data))
	for j, r := range part {
		g.f.Add(VEOR(data[j], r, r))
	}
	g.f.Add(VST4(B16, part, dst))
}
