package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/blockcipher"
)

var gcm = blockcipher.GCM{
	Suffix: "CE",
	Keys:   "Keys",
	Public: "k.Rounds",
	Cipher: newGCMCipher,
	Lanes:  []int{1, 2, 3, 5, 7, 9},
}

// A gcmCipher is AES in a kernel of GCM. For want of registers, the loop loads some round keys in
// pairs, once for eight blocks, each pair during the rounds of the one before.
type gcmCipher struct {
	*asm.Func
	rounds, first asm.Reg   // number of rounds, address of k0
	k             []asm.Reg // two pairs of round keys
	kept          []asm.Reg // k12 to k14
	last          asm.Reg   // the last round key
}

func newGCMCipher(f *asm.Func) blockcipher.GCMCipher {
	c := &gcmCipher{Func: f, rounds: f.New(Integer, "rounds"), first: f.New(Integer, "first"), k: f.Several(Vector, "k", 4), kept: f.Several(Vector, "k", 3)}
	k := f.Arg("k")
	f.Add(
		MOVD(At(k, roundsAt), c.rounds),
		ADD(Left(c.rounds, 4), k, c.first),
		toFirst(encAt, c.first),
	)
	return c
}

// load loads the round keys i and i+1.
func (c *gcmCipher) load(i int) asm.Op {
	return FLDPQ(At(c.first, 16*i).In("keys"), c.k[i%4], c.k[i%4+1])
}

// round is rounds but the last one.
func round(keys, b []asm.Reg) (s asm.Stream) {
	for _, k := range keys {
		for _, x := range b {
			s.Add(Fuse(AESE(k, x), AESMC(x, x))...)
		}
	}
	return s
}

func (c *gcmCipher) Counters(counter, one asm.Reg, b []asm.Reg) {
	for _, x := range b {
		c.Add(VREV32(B16, counter, x), VADD(S4, one, counter, counter))
	}
}

func (c *gcmCipher) Load(m Mem, x asm.Reg) []asm.Op { return []asm.Op{FMOVQ(m, x)} }
func (c *gcmCipher) Output(x asm.Reg) []asm.Op      { return []asm.Op{VEOR(c.last, x, x)} }

func (c *gcmCipher) OutputTo(data, x asm.Reg) []asm.Op {
	return []asm.Op{VEOR(c.last, data, data), VEOR(data, x, x)}
}

// Begin has the rounds whose number depends on the key.
func (c *gcmCipher) Begin(label string, b []asm.Reg) {
	c.Add(TBZ(2, c.rounds, label+"128"), TBZ(1, c.rounds, label+"192"))
	c.Add(c.load(0))
	c.Add(round(c.k[:2], b)...)
	c.Label(label + "192")
	c.Add(c.load(2))
	c.Add(round(c.k[2:], b)...)
	c.Label(label + "128")
}

func (c *gcmCipher) Keep() {
	for i, k := range c.kept {
		c.Add(FMOVQ(At(c.first, 16*(12+i)), k))
	}
}

func (c *gcmCipher) Rounds(b []asm.Reg) (s asm.Stream) {
	c.last = c.kept[2]
	s.Add(c.load(4))
	for i := 4; i < 12; i += 2 {
		if i < 10 {
			s.Add(c.load(i + 2))
		}
		s = append(s, round(c.k[i%4:][:2], b)...)
	}
	s = append(s, round(c.kept[:1], b)...)
	for _, x := range b {
		s.Add(AESE(c.kept[1], x))
	}
	return s
}

// Few has all round keys in registers.
func (c *gcmCipher) Few(label string, b []asm.Reg) {
	p := c.New(Integer, "p")
	all := &cipher{
		direction: encryption, Func: c.Func, rounds: c.rounds, prefix: label,
		k: c.Group(Vector, "k", 11, 1), first: c.k[:2], at: c.first,
	}
	c.Add(ADD(64, c.first, p))
	blockcipher.Each(all.k, func(part []asm.Reg) { c.Add(VLD1(B16, Post(p, 16*len(part)), part)) })
	all.Process(b)
	c.last = all.last()
}
