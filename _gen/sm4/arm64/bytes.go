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
// it is c[j] + (c[0] + c[1] + c[2] + c[3]), so that two maps are looked up instead of three.
//
// A round is 64 instructions: 8 to add three words, 1 for the key, 4 AESE, 4 TBL to undo
// ShiftRows, 8 to split nibbles, 16 look-ups, 12 to add them, 3 for the sum, and 8 to add
// all of that. That is 8 instructions per byte of data. Everything but the key is vector
// instructions, so that a CPU with two vector units needs 4 cycles per byte at least.
type group struct {
	f     *asm.Func
	state [4][]asm.Reg

	u3Low, u3High, u0Low, u0High, nibble, unshift asm.Reg
}

func newGroup(f *asm.Func, c *constants) *group {
	g := &group{f: f}
	for w := range g.state {
		g.state[w] = f.Group(Vector, "state", 4, 1)
	}
	g.u3Low, g.u3High = f.New(Vector, "u3Low"), f.New(Vector, "u3High")
	g.u0Low, g.u0High = f.New(Vector, "u0Low"), f.New(Vector, "u0High")
	g.nibble, g.unshift = f.New(Vector, "nibble"), f.New(Vector, "unshift")
	load(f, c.bytes, g.u3Low, g.u3High, g.u0Low, g.u0High, g.nibble, g.unshift)
	return g
}

// crypt adds the rounds.
func (g *group) crypt(first, step asm.Reg) {
	rounds(g.f, "rounds", first, func(i int, key asm.Reg) { g.round(i, key, step) })
}

func (g *group) round(i int, key, step asm.Reg) {
	f := g.f
	x0, x1, x2, x3 := g.state[i], g.state[(i+1)%4], g.state[(i+2)%4], g.state[(i+3)%4]
	k := f.Group(Vector, "k", 4, 1)
	s, c := f.Several(Vector, "s", 4), f.Several(Vector, "c", 4)
	f.Add(VLD4R(B16, PostIndex(key, step), k))
	for j := range 4 {
		f.Add(VEOR(x1[j], x2[j], s[j]))
	}
	for j := range 4 {
		f.Add(VEOR(x3[j], s[j], s[j]))
	}
	for j := range 4 {
		f.Add(AESE(k[j], s[j]))
	}
	for j := range 4 {
		f.Add(VTBL(g.unshift, s[j], s[j]))
	}
	begun := [4]bool{}
	lookup := func(index, table asm.Reg, j int) {
		if !begun[j] {
			begun[j] = true
			f.Add(VTBL(index, table, c[j]))
			return
		}
		t := f.New(Vector, "t")
		f.Add(VTBL(index, table, t), VEOR(t, c[j], c[j]))
	}
	for j := range 4 {
		n := f.New(Vector, "n")
		f.Add(VAND(g.nibble, s[j], n), VUSHR(B16, 4, s[j], s[j]))
		lookup(n, g.u3Low, j)
		lookup(n, g.u0Low, (j+1)%4)
		lookup(s[j], g.u3High, j)
		lookup(s[j], g.u0High, (j+1)%4)
	}
	t := f.Several(Vector, "t", 2)
	f.Add(VEOR(c[0], c[1], t[0]), VEOR(c[2], c[3], t[1]))
	for j := range 4 {
		f.Add(VEOR(c[j], x0[j], x0[j]))
	}
	f.Add(VEOR(t[0], t[1], t[0]))
	for j := range 4 {
		f.Add(VEOR(t[0], x0[j], x0[j]))
	}
}

// load loads a group in four parts of 64 bytes, numbered as in parts, and changes its
// basis. LD4 separates the bytes of words: of four blocks, it leaves byte j of all words in
// one register. Each next returns where a part is.
func (g *group) load(c *constants, parts [4]int, next Mem) {
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
	b := newBasis(f, c.basis, g.nibble)
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

// ready changes the basis back and puts the words, whose order is reversed after the
// rounds, where ST4 alternates between them. It returns the parts as registers for ST4.
func (g *group) ready(c *constants) (parts [4][]asm.Reg) {
	f := g.f
	b := newBasis(f, c.inverse, g.nibble)
	for _, word := range g.state {
		b.changeAll(word)
	}
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
func (g *group) storeXOR(part []asm.Reg, with, dst Mem) {
	data := g.f.Group(Vector, "data", 4, 1)
	g.f.Add(VLD4(B16, with, data))
	for j, r := range part {
		g.f.Add(VEOR(data[j], r, r))
	}
	g.f.Add(VST4(B16, part, dst))
}
