package main

import (
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"
)

// Without AESE, one block looks up the S-box in 16 registers: TBL is for indices below 64, and
// gives 0 for others, or leaves what another TBL has found (TBX). The constants of the circuit
// are in the round keys. So the table is that of the circuit, which lacks them.

// circuitSBox returns the S-box of the circuit.
func circuitSBox() (data []byte) {
	for i := range matrices.SBox {
		data = append(data, matrices.SBox[byte(i)^sbox.In]^sbox.Out)
	}
	return data
}

// A scalar is one block, its words in integer registers: a rotation is part of an EOR there. Only
// the S-box is in vectors, as two chains of two look-ups.
type scalar struct {
	f             *asm.Func
	sbox          [4][]asm.Reg // 64 bytes in each group
	second, third asm.Reg
	x             []asm.Reg
}

func newScalar(f *asm.Func, c *constants) *scalar {
	s := &scalar{f: f, second: f.New(Vector, "second"), third: f.New(Vector, "third"), x: f.Several(Integer, "x", 4)}
	at := f.New(Integer, "table")
	f.Add(MOVD(c.sbox, at))
	for i := range s.sbox {
		s.sbox[i] = f.Group(Vector, "sbox", 4, 1)
		f.Add(VLD1(B16, Post(at, 64), s.sbox[i]))
	}
	load(f, c.quarters, s.second, s.third)
	return s
}

// words loads the words of a block.
func (s *scalar) words(m func(n int) Mem, w []asm.Reg) {
	s.f.Add(LDPW(m(0), w[0], w[1]), LDPW(m(8), w[2], w[3]))
	for _, r := range w {
		s.f.Add(REVW(r, r))
	}
}

// store stores a block.
func (s *scalar) store(w []asm.Reg, m func(n int) Mem) {
	t := s.f.Several(Integer, "out", 4)
	for i, r := range w {
		s.f.Add(REVW(r, t[i]))
	}
	s.f.Add(STPW(t[0], t[1], m(0)), STPW(t[2], t[3], m(8)))
}

// crypt adds all rounds, after which the words are in reverse order.
func (s *scalar) crypt(first asm.Reg) {
	f := s.f
	key, left := f.New(Integer, "key"), f.New(Integer, "left")
	k := f.Several(Integer, "k", 2) // each has two round keys
	f.Add(MOVD(first, key), MOVD(8, left))
	f.Label("rounds")
	f.Add(LDP(Post(key, 16), k[0], k[1]))
	pair, t := f.New(Integer, "pair"), f.New(Integer, "t")
	for i := range 4 {
		x0, x1, x2, x3 := s.x[i], s.x[(i+1)%4], s.x[(i+2)%4], s.x[(i+3)%4]
		if i%2 == 0 {
			f.Add(EORW(x2, x3, pair), EORW(k[i/2], x1, t), EORW(pair, t, t))
		} else { // the sum of two words is that of the round before
			f.Add(EOR(Right(k[i/2], 32), pair, t), EORW(x3, t, t))
		}
		v, w := f.New(Vector, "v"), f.New(Vector, "w")
		y, z := f.New(Vector, "y"), f.New(Vector, "z")
		f.Add(
			FMOVS(t, v), VEOR(s.third, v, w),
			VTBL(v, s.sbox[0], y), VEOR(s.second, v, v),
			VTBL(w, s.sbox[2], z), VEOR(s.second, w, w),
			VTBX(v, s.sbox[1], y), VTBX(w, s.sbox[3], z),
			VEOR(y, z, y), FMOVS(y, t),
		)
		u := f.New(Integer, "u")
		f.Add(
			EORW(Rotated(t, 30), t, u), EORW(Rotated(t, 22), x0, x0),
			EORW(Rotated(t, 14), u, u),
			EORW(Rotated(t, 8), x0, x0), EORW(u, x0, x0),
		)
	}
	f.Add(SUBS(1, left, left), BNE("rounds"))
}

func reversed(x []asm.Reg) []asm.Reg { return []asm.Reg{x[3], x[2], x[1], x[0]} }

func at(r asm.Reg) func(n int) Mem { return func(n int) Mem { return At(r, n) } }

func block1Neon(file *asm.File, c *constants) {
	f := file.Func("block1Neon", "(k *[32]uint32, dst, src *byte)")
	f.Doc = "block1Neon encrypts or decrypts one block, with the round keys of a direction."
	f.Banner = "17 instructions for a round. Each waits for the one before: two moves, VEOR, VTBL, VTBX, VEOR,\nand five with integers."
	f.Secret = "k dst src"
	keys, dst, src := f.Arg("k"), f.Arg("dst"), f.Arg("src")
	s := newScalar(f, c)
	s.words(at(src), s.x)
	s.crypt(keys)
	s.store(reversed(s.x), at(dst))
	f.Add(RET())
}

// chainNeon is CBC encryption, or that of CFB, which adds the plaintext afterwards.
func chainNeon(file *asm.File, c *constants, mode string) {
	f := file.Func(strings.ToLower(mode)+"EncryptNeon", "(k *[32]uint32, iv *[16]byte, dst, src *byte, blocks int)")
	f.Doc = f.Name + " encrypts blocks, at least one, in " + mode + " mode. iv becomes the last ciphertext\nblock."
	f.Banner = "As block1Neon, once per block: 37 instructions per byte."
	f.Secret = "k iv dst src"
	keys, iv, dst, src, blocks := f.Arg("k"), f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("blocks")
	s := newScalar(f, c)
	// The ciphertext before is in this order.
	chain := s.x
	if mode == "CBC" {
		chain = reversed(s.x)
	}
	s.words(at(iv), chain)
	p := f.Several(Integer, "p", 4)
	// add reverses the order of the words and adds p to them.
	add := func() {
		s.words(at(src), p)
		for i := range 2 {
			f.Add(EORW(p[i], s.x[3-i], p[i]), EORW(p[3-i], s.x[i], s.x[3-i]), MOVD(p[i], s.x[i]))
		}
		f.Add(ADD(16, src, src))
	}
	f.Label("block")
	if mode == "CBC" {
		add()
	}
	s.crypt(keys)
	if mode == "CFB" {
		add()
	}
	s.store(chain, at(dst))
	f.Add(ADD(16, dst, dst), SUBS(1, blocks, blocks), BNE("block"))
	s.store(chain, at(iv))
	f.Add(RET())
}
