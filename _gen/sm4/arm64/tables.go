package main

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"
)

// Without AESE, few blocks look up the S-box in 16 registers: TBL is for indices below 64, and
// gives 0 for others, or leaves what another TBL has found (TBX). The constants of the circuit
// are in the round keys. So the table is that of the circuit, which lacks them.

// neonConstants returns the tables of the family Neon.
func neonConstants(file *asm.File) *constants {
	var sboxTable []byte
	for i := range matrices.SBox {
		sboxTable = append(sboxTable, matrices.SBox[byte(i)^sbox.In]^sbox.Out)
	}
	all := func(b byte) []byte { return index(func(_, _ int) int { return int(b) }) }
	rotate := func(n int) []byte { return index(func(w, j int) int { return 4*w + (j+4-n)%4 }) }
	table := func(name, doc string, parts ...[]byte) *asm.Table {
		var data []byte
		for _, p := range parts {
			data = append(data, p...)
		}
		return file.Table(name, doc, data)
	}
	return &constants{
		sbox:     table("sbox", "The S-box of the circuit, without its constants.", sboxTable),
		quarters: table("quarters", "What brings the second and third quarter of the S-box to the first one.", all(0x40), all(0x80)),
		rotations: table("rotations", "The indices that rotate words to the left by 8 and 24 bits.",
			rotate(1), rotate(3)),
		planes: table("planes", "Masks of the bits that stay when others move by 1 and 2, and the index that collects bytes.",
			all(0x55), all(0x33), index(func(j, q int) int { return 4*q + j })),
		counters: table("counters", "The index that collects the bytes of counters, the first four numbers and 4.",
			index(func(j, q int) int { return 4*q + 3 - j }),
			index(func(q, b int) int { return map[int]int{0: q}[b] }), index(func(_, b int) int { return map[int]int{0: 4}[b] })),
		lanes:    table("lanes", "The index that copies byte i to lane i.", index(func(j, _ int) int { return j })),
		keyLanes: table("keyLanes", "The same for an integer whose most significant byte is the first one.", index(func(j, _ int) int { return 3 - j })),
	}
}

func index(f func(word, byte int) int) (data []byte) {
	for i := range 16 {
		data = append(data, byte(f(i/4, i%4)))
	}
	return data
}

// sboxRegisters loads the S-box, 64 bytes in each group.
func sboxRegisters(f *asm.Func, c *constants) (t [4][]asm.Reg) {
	at := f.New(Integer, "table")
	f.Add(MOVD(c.sbox, at))
	for i := range t {
		t[i] = f.Group(Vector, "sbox", 4, 1)
		f.Add(VLD1(B16, Post(at, 64), t[i]))
	}
	return t
}

// A scalar is one block, its words in integer registers: a rotation is part of an EOR there. Only
// the S-box is in vectors, as two chains of two look-ups.
type scalar struct {
	f             *asm.Func
	sbox          [4][]asm.Reg
	second, third asm.Reg
	x             []asm.Reg
}

func newScalar(f *asm.Func, c *constants) *scalar {
	s := &scalar{f: f, sbox: sboxRegisters(f, c), second: f.New(Vector, "second"), third: f.New(Vector, "third"),
		x: f.Several(Integer, "x", 4)}
	load(f, c.quarters, s.second, s.third)
	return s
}

// substitute returns the S-box of v in y. It changes all operands.
func substitute(sbox [4][]asm.Reg, second, third, v, w, y, z asm.Reg) asm.Stream {
	return asm.Stream{
		VEOR(third, v, w),
		VTBL(v, sbox[0], y), VEOR(second, v, v),
		VTBL(w, sbox[2], z), VEOR(second, w, w),
		VTBX(v, sbox[1], y), VTBX(w, sbox[3], z),
		VEOR(y, z, y),
	}
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
		f.Add(FMOVS(t, v))
		f.Add(substitute(s.sbox, s.second, s.third, v, w, y, z)...)
		f.Add(FMOVS(y, t))
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

// blocksNeon is for 4 or 8 blocks. x[i] has word i of four blocks.
//
// With e = s + s<<<24, the linear layer is e + (e<<<8 + s<<<16)<<<2.
func blocksNeon(file *asm.File, c *constants, n int) {
	f := file.Func(fmt.Sprintf("blocks%dNeon", 4*n), "(k *[32]uint32, dst, src *byte)")
	f.Doc = fmt.Sprintf("%s encrypts or decrypts %d blocks, with the round keys of a direction.", f.Name, 4*n)
	f.Banner = "A register has a word of four blocks, as LD4 loads it. 20 instructions for a round of four blocks, 38 for\none of eight."
	f.Secret = "k dst src"
	keys, dst, src := f.Arg("k"), f.Arg("dst"), f.Arg("src")
	t := sboxRegisters(f, c)
	by8, by24 := f.New(Vector, "by8"), f.New(Vector, "by24")
	load(f, c.rotations, by8, by24)
	second, third := f.New(Vector, "second"), asm.Reg{}
	if n == 1 {
		third = f.New(Vector, "third")
		load(f, c.quarters, second, third)
	} else {
		load(f, c.quarters, second)
	}
	states := make([][]asm.Reg, n)
	for i := range states {
		states[i] = f.Group(Vector, "x", 4, 1)
		f.Add(VLD4(S4, Post(src, 64), states[i]))
		for _, r := range states[i] {
			f.Add(VREV32(B16, r, r))
		}
	}
	rounds(f, "rounds", keys, func(i int, key asm.Reg) {
		k := f.New(Vector, "k")
		f.Add(VLD1R(S4, Post(key, 4), k))
		var streams []asm.Stream
		for _, x := range states {
			s, r := f.New(Vector, "s"), f.New(Vector, "r")
			x0, x1, x2, x3 := x[i], x[(i+1)%4], x[(i+2)%4], x[(i+3)%4]
			stream := asm.Stream{VEOR(x1, k, s), VEOR(x2, s, s), VEOR(x3, s, s)}
			if n == 1 { // two chains
				v, q := f.New(Vector, "v"), f.New(Vector, "q")
				stream = append(stream, substitute(t, second, third, s, v, r, q)...)
			} else { // there are no registers for them
				stream = append(stream,
					VTBL(s, t[0], r), VSUB(B16, second, s, s),
					VTBX(s, t[1], r), VSUB(B16, second, s, s),
					VTBX(s, t[2], r), VSUB(B16, second, s, s),
					VTBX(s, t[3], r),
				)
			}
			streams = append(streams, append(stream,
				VTBL(by24, r, s), VEOR(r, s, s), VEOR(s, x0, x0), VTBL(by8, s, s), VREV32(H8, r, r), VEOR(r, s, s),
				VSHL(S4, 2, s, r), VSRI(S4, 30, s, r), VEOR(r, x0, x0),
			))
		}
		f.Add(asm.Weave(streams...)...)
	})
	for _, x := range states {
		y := f.Group(Vector, "y", 4, 1)
		for i := range y {
			f.Add(VREV32(B16, x[3-i], y[i]))
		}
		f.Add(VST4(S4, y, Post(dst, 64)))
	}
	f.Add(RET())
}

// expandNeon makes planes of round keys.
func expandNeon(file *asm.File, c *constants) {
	f := file.Func("expandNeon", "(p *Planes, words *[32]uint32)")
	f.Doc = "expandNeon makes planes of round keys."
	f.Secret = "p words"
	p, words := f.Arg("p"), f.Arg("words")
	lanes, v := f.New(Vector, "lanes"), f.New(Vector, "v")
	bits := newBits(f)
	left := f.New(Integer, "left")
	load(f, c.keyLanes, lanes)
	f.Add(MOVD(32, left))
	f.Label("round")
	f.Add(VLD1R(S4, Post(words, 4), v), VTBL(lanes, v, v))
	fill(f, v, bits, p)
	f.Add(SUBS(1, left, left), BNE("round"), RET())
}
