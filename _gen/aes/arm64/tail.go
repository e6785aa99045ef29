package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/blockcipher"
	"github.com/cipherlane/cipherlane/_gen/ghash/pmull"
)

// A tail is the end of a message in GCM, less than 128 bytes, and its tag.
type tail struct {
	*asm.Func
	open           bool
	rounds, first  asm.Reg // number of rounds, address of k0
	ctr, one       asm.Reg
	hash           *pmull.Hash
	h, dst, src, n asm.Reg
	x, mask        asm.Reg // a block; the encryption of J0
	power          asm.Reg // where the power for the next block is
}

// emit writes the tail. n is the number of bytes left minus 128.
func (t *tail) emit() {
	t.x, t.mask, t.power = t.New(Vector, "x"), t.New(Vector, "mask"), t.New(Integer, "power")
	p := t.New(Integer, "p")
	t.Add(ADD(128, t.n, t.n), CMP(7*16, t.n), BLS("eight"))
	t.Remark("More than seven blocks and lens would need the power H^9: one block by itself.")
	t.encrypt("single", []asm.Reg{t.x}, "")
	t.Add(SUB(16, t.n, t.n))
	t.crypt(t.x)
	t.Add(VREV64(B16, t.x, t.x), VEOR(t.hash.Y, t.x, t.x))
	t.Add(t.hash.One(t.x, t.h)...)
	t.Add(t.hash.Reduce()...)

	t.Label("eight")
	t.Add(
		// H^1 is for lens, and the block before it has H^2, whole or not.
		ADD(15, t.n, t.power),
		AND(-16, t.power, t.power),
		SUB(t.power, t.h, t.power),
		ADD(pmull.Power(1), t.power, t.power),
	)
	t.Add(t.hash.Clear()...)
	t.Add(CBZ(t.n, "lanes1"), CMP(16, t.n), BLS("lanes2"), CMP(64, t.n), BLS("lanes5"))
	for _, width := range []int{8, 5, 2, 1} {
		t.Label(fmt.Sprint("lanes", width))
		t.lanes(width)
	}
	t.partial()

	t.Label("lens")
	t.LoadArg("lens", p)
	t.Add(VLD1(B16, At(p, 0), t.x))
	t.product()
	t.Add(t.hash.Reduce()...)
	t.LoadArg("y", p)
	t.Add(
		VREV64(B16, t.hash.Y, t.hash.Y),
		VEOR(t.mask, t.hash.Y, t.hash.Y),
		VST1(B16, t.hash.Y, At(p, 0)),
		RET(),
	)
}

// encrypt encrypts counters, the first block instead from an argument, if it is named.
func (t *tail) encrypt(label string, b []asm.Reg, argument string) {
	p := t.New(Integer, "p")
	c := &cipher{
		direction: encryption, Func: t.Func, rounds: t.rounds, prefix: label,
		k: t.Group(Vector, "k", 11, 1), first: t.Several(Vector, "e", 2), at: t.first,
	}
	for i, x := range b {
		if i == 0 && argument != "" {
			t.LoadArg(argument, p)
			t.Add(VLD1(B16, At(p, 0), x))
		} else {
			t.Add(VREV32(B16, t.ctr, x), VADD(S4, t.one, t.ctr, t.ctr))
		}
	}
	t.Add(ADD(64, t.first, p))
	blockcipher.Each(c.k, func(part []asm.Reg) { t.Add(VLD1(B16, Post(p, 16*len(part)), part)) })
	c.Process(b)
	for _, x := range b {
		t.Add(VEOR(c.last(), x, x))
	}
}

// crypt adds keystream to a block. x becomes the ciphertext.
func (t *tail) crypt(x asm.Reg) {
	d := t.New(Vector, "d")
	t.Add(VLD1(B16, Post(t.src, 16), d))
	if t.open {
		t.Add(VEOR(d, x, x), VST1(B16, x, Post(t.dst, 16)), VMOV(d, x))
	} else {
		t.Add(VEOR(d, x, x), VST1(B16, x, Post(t.dst, 16)))
	}
}

// product hashes the block x, the first one with the state.
func (t *tail) product() {
	t.Add(VREV64(B16, t.x, t.x), VEOR(t.hash.Y, t.x, t.x), VMOVI(0, t.hash.Y))
	t.Add(t.hash.Add(t.x, t.power)...)
}

// lanes encrypts J0 and width-1 counters, and uses as many as there are blocks.
func (t *tail) lanes(width int) {
	b := t.Several(Vector, "b", width)
	t.encrypt(fmt.Sprint("lanes", width), b, "j0")
	t.Add(VMOV(b[0], t.mask))
	if width == 1 {
		t.Add(B("lens"))
		return
	}
	end := func(i int) string { return fmt.Sprintf("end%d_%d", width, i) }
	for i, x := range b[1:] {
		t.Add(SUBS(16, t.n, t.n), BLO(end(i)))
		t.crypt(x)
		t.Add(VMOV(x, t.x))
		t.product()
	}
	t.Add(B("lens"))
	for i, x := range b[1:] {
		t.Label(end(i))
		t.Add(VMOV(x, t.x), B("partial"))
	}
}

// partial processes the last block, of n+16 bytes, which may be none, with the keystream x.
func (t *tail) partial() {
	key, lo, hi, d, c, word, shift := t.New(Integer, "key"), t.New(Integer, "lo"), t.New(Integer, "hi"),
		t.New(Integer, "d"), t.New(Integer, "c"), t.New(Integer, "word"), t.New(Integer, "shift")
	// part loads what load does, adds the keystream, and stores it. c is the ciphertext.
	part := func(load, store asm.Op) {
		t.Add(load, EOR(key, d, c), store)
		if t.open {
			t.Add(MOVD(d, c))
		}
	}
	t.Label("partial")
	t.Add(
		ADD(16, t.n, t.n),
		CBZ(t.n, "lens"),
		FMOVD(t.x, key),
		MOVD(0, lo),
		TBZ(3, t.n, "bytes4"),
	)
	part(MOVD(Post(t.src, 8), d), MOVD(c, Post(t.dst, 8)))
	t.Add(MOVD(c, lo), VMOV(Lane(D2, t.x, 1), key))
	t.Label("bytes4")
	t.Remark("word has the bytes behind, shift is the number of its bits.")
	t.Add(MOVD(0, word), MOVD(0, shift), TBZ(2, t.n, "bytes2"))
	part(MOVWU(Post(t.src, 4), d), MOVW(c, Post(t.dst, 4)))
	t.Add(MOVWU(c, word), MOVD(32, shift), LSR(32, key, key))
	t.Label("bytes2")
	t.Add(TBZ(1, t.n, "bytes1"))
	part(MOVHU(Post(t.src, 2), d), MOVH(c, Post(t.dst, 2)))
	t.Add(AND(0xffff, c, c), LSL(shift, c, c), ORR(c, word, word), ADD(16, shift, shift), LSR(16, key, key))
	t.Label("bytes1")
	t.Add(TBZ(0, t.n, "bytes0"))
	part(MOVBU(At(t.src, 0), d), MOVB(c, At(t.dst, 0)))
	t.Add(AND(0xff, c, c), LSL(shift, c, c), ORR(c, word, word))
	t.Label("bytes0")
	t.Add(
		TST(8, t.n),
		CSEL(NE, lo, word, lo),
		CSEL(NE, word, ZR, hi),
		FMOVD(lo, t.x),
		VMOV(hi, Lane(D2, t.x, 1)),
	)
	t.product()
}
