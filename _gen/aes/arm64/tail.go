package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/ghash/pmull"
)

// A tail is the end of a message in GCM: n-128 is negative, with n bytes left.
type tail struct {
	*asm.Func
	open               bool
	rounds, first      asm.Reg // number of rounds, address of k0
	ctr, one           asm.Reg
	hash               *pmull.Hash
	h, dst, src, n     asm.Reg
	x, mask            asm.Reg // a block; the encryption of J0
	power              asm.Reg // where the power for the next block is
	lo, hi, word, left asm.Reg
}

// emit writes the tail. Three widths of AES have J0 in the first lane and then the counters.
func (t *tail) emit() {
	t.x, t.mask = t.New(Vector, "x"), t.New(Vector, "mask")
	t.power = t.New(Integer, "power")
	p := t.New(Integer, "p")
	t.Add(
		ADD(128, t.n, t.n),
		// Blocks that are not whole count, and so does lens: H^1 is for lens.
		ADD(15, t.n, t.power),
		AND(-16, t.power, t.power),
		SUB(t.power, t.h, t.power),
		ADD(pmull.Power(1), t.power, t.power),
	)
	t.Add(t.hash.Clear()...)
	t.Add(CMP(16, t.n), BLS("lanes2"), CMP(64, t.n), BLS("lanes5"))
	t.lanes(8)
	t.Label("lanes5")
	t.lanes(5)
	t.Label("lanes2")
	t.lanes(2)

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

// product hashes the block x, the first one with the state.
func (t *tail) product() {
	t.Add(VREV64(B16, t.x, t.x), VEOR(t.hash.Y, t.x, t.x), VMOVI(0, t.hash.Y))
	t.Add(t.hash.Add(t.x, t.power)...)
}

// lanes encrypts J0 and width-1 counters and uses as many as there are blocks. With eight
// there may be one more.
func (t *tail) lanes(width int) {
	label := func(name string) string { return fmt.Sprint(name, width) }
	p := t.New(Integer, "p")
	b := t.Several(Vector, "b", width)
	k := t.Group(Vector, "k", 11, 1)
	e := t.Several(Vector, "e", 2)
	t.LoadArg("j0", p)
	t.Add(VLD1(B16, At(p, 0), b[0]))
	for _, x := range b[1:] {
		t.Add(VREV32(B16, t.ctr, x), VADD(S4, t.one, t.ctr, t.ctr))
	}
	t.Add(ADD(64, t.first, p))
	each(k, func(part []asm.Reg) { t.Add(VLD1(B16, Post(p, 16*len(part)), part)) })
	c := &cipher{direction: encryption, Func: t.Func, rounds: t.rounds, k: k, first: e, at: t.first, prefix: label("tail")}
	c.process(b)
	for _, x := range b {
		t.Add(VEOR(c.last(), x, x))
	}
	t.Add(VMOV(b[0], t.mask))
	for i, x := range b[1:] {
		t.Add(SUBS(16, t.n, t.n), BLO(fmt.Sprint(label("partial"), "_", i)))
		t.whole(x)
	}
	if width == 8 {
		t.Remark("7 blocks are gone, and up to 15 bytes are left.")
		t.Add(CMN(0, t.n)) // placeholder
	}
	t.Add(CBZ(t.n, "lens"))
	_ = c
}
