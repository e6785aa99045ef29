package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/blockcipher"
)

var gcm = blockcipher.GCM{
	Suffix: "SM4",
	Keys:   "KeysSM4",
	Cipher: newGCMCipher,
	Lanes:  []int{1, 2, 3, 5, 7, 9},
}

// A gcmCipher is SM4 in a kernel of GCM. For want of registers, the loop loads four of the eight
// vectors of round keys, in pairs, once for eight blocks.
type gcmCipher struct {
	*asm.Func
	keys asm.Reg
	k    []asm.Reg
	kept []asm.Reg
}

func newGCMCipher(f *asm.Func) blockcipher.GCMCipher {
	return &gcmCipher{f, f.Arg("k"), f.Several(Vector, "k", 4), f.Several(Vector, "kept", kept)}
}

// kept is how many of the last vectors of round keys stay in registers.
const kept = 4

// Counters are states as they are.
func (c *gcmCipher) Counters(counter, one asm.Reg, b []asm.Reg) {
	c.Add(VMOV(counter, b[0]))
	for i := range b[1:] {
		c.Add(VADD(S4, one, b[i], b[i+1]))
	}
	c.Add(VADD(S4, one, b[len(b)-1], counter))
}

func (c *gcmCipher) Load(m Mem, x asm.Reg) []asm.Op {
	return []asm.Op{FMOVQ(m, x), VREV32(B16, x, x)}
}

func (c *gcmCipher) Output(x asm.Reg) []asm.Op {
	return []asm.Op{VREV64(B16, x, x), VEXT(8, x, x, x)}
}

func (c *gcmCipher) OutputTo(data, x asm.Reg) []asm.Op { return append(c.Output(x), VEOR(data, x, x)) }

func (c *gcmCipher) Keep() {
	for i := 0; i < kept; i += 2 {
		c.Add(FLDPQ(At(c.keys, 16*(8-kept+i)), c.kept[i], c.kept[i+1]))
	}
}

func (c *gcmCipher) Begin(string, []asm.Reg) {}

func (c *gcmCipher) Rounds(b []asm.Reg) (s asm.Stream) {
	load := func(i int) asm.Op { return FLDPQ(At(c.keys, 16*i).In("keys"), c.k[i%4], c.k[i%4+1]) }
	s.Add(load(0))
	for i := range 8 {
		k := c.k[i%4]
		if i >= 8-kept {
			k = c.kept[i-(8-kept)]
		} else if i%2 == 0 && i+2 < 8-kept {
			s.Add(load(i + 2))
		}
		for _, x := range b {
			s.Add(SM4E(k, x))
		}
	}
	return s
}

// Few has all round keys in registers.
func (c *gcmCipher) Few(_ string, b []asm.Reg) {
	p, k := c.New(Integer, "p"), c.Group(Vector, "all", 8, 1)
	c.Add(MOVD(c.keys, p))
	blockcipher.Each(k, func(part []asm.Reg) { c.Add(VLD1(S4, Post(p, 16*len(part)), part)) })
	(&cipher{c.Func, k}).Process(b)
}
