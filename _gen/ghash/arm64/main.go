// Command arm64 writes the GHASH kernels of internal/ghash/internal/arm64 for CPUs with PMULL.
// Package pmull has their streams of instructions, which the kernels of GCM use too.
//
// # Algorithm
//
// NIST SP 800-38D, section 6.4. An element is its block as a 128-bit number, bytes reversed, so
// that a carry-less product of a block and H is the product of GHASH but for a shift by a bit.
// The powers of H contain that shift (times x). With Karatsuba's method, for halves a1:a0 of a
// block and h1:h0 of a power,
//
//	high = a1 h1    low = a0 h0    middle = (a1 + a0)(h1 + h0) + high + low
//	a h  = high:low + middle 2^64
//
// High, low and middle are sums over up to eight blocks b and powers of H:
//
//	y = (y + b[0]) H^8 + b[1] H^7 + ... + b[7] H
//
// They share a reduction: twice, low loses 64 bits to their product with the upper half of the
// polynomial. The rest after passes of eight blocks goes through code for 4, 2 and 1.
//
// # Registers
//
// Numbers are in vectors with their halves swapped, as VREV64 leaves a block: lane 0 has the
// upper half, so that PMULL makes high and PMULL2 low. The first two blocks are the last to be multiplied: only
// they wait for the hash of the pass before. The allocator chooses the numbers; the
// banner of each function lists them.
//
//	b             eight blocks
//	high, low, middle  sums of products
//	y             the hash
//	poly          the upper half of the polynomial, twice
//	h             two powers, then the sums of their halves
//	m             sums of the halves of two blocks
//	t             products
//
// # Bound
//
// Two blocks take 6 multiplications, 3 instructions for the sums of halves, 6 sums and a load,
// and with VREV64 18 instructions in all; a reduction takes 10. Eight blocks are 85 instructions:
// 0.66 per byte. Neoverse N1 begins one PMULL in a cycle: 24 cycles for 128 bytes; the others go
// to two units.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/ghash/pmull"
)

//go:generate go run . -out ../../../internal/ghash/internal/arm64/ghash_pmull_arm64.s -go ../../../internal/ghash/internal/arm64/declarations_pmull_arm64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	initialize(file)
	update(file, "updatePMULL", "of NIST SP 800-38D", func(a, d asm.Reg) asm.Op { return VREV64(B16, a, d) })
	update(file, "updateReversedPMULL", "of RFC 8452, appendix A, in which every block is byte-reversed", func(a, d asm.Reg) asm.Op { return VEXT(8, a, a, d) })
	file.Write(*out, *declarations)
}

func initialize(file *asm.File) {
	f := file.Func("initPMULL", "(t *Powers, h *byte)")
	f.Doc = "initPMULL computes the powers of the hash key h, 16 bytes."
	f.Banner = `The first power is h times x: a shift, and the polynomial if a bit leaves. Each other one is the power
before times h.`
	f.Secret = "t h"
	t, h := f.Arg("t"), f.Arg("h")
	lo, hi, carry, poly := f.New(Integer, "lo"), f.New(Integer, "hi"), f.New(Integer, "carry"), f.New(Integer, "poly")
	g := pmull.New(f, t)
	sum := f.New(Vector, "sum")
	g.Start(f, poly)
	f.Add(
		LDP(At(h, 0), hi, lo),
		REV(hi, hi),
		REV(lo, lo),
		ASR(63, hi, carry),
		EXTR(63, lo, hi, hi),
		LSL(1, lo, lo),
		AND(carry, poly, poly),
		EOR(poly, hi, hi),
		SUB(carry, lo, lo), // carry is -1 or 0, and lo even
		FMOVD(hi, g.Y),
		VMOV(lo, Lane(D2, g.Y, 1)),
	)
	for n := 1; n <= pmull.Powers; n++ {
		if n > 1 {
			// The table has the first power and its sum already.
			f.Add(g.One(g.Y, 1)...)
			f.Add(g.Reduce()...)
		}
		f.Add(
			FMOVQ(g.Y, At(t, pmull.Power(n))),
			VEXT(8, g.Y, g.Y, sum),
			VEOR(g.Y, sum, sum),
			FMOVD(sum, At(t, pmull.Sum(n))),
		)
	}
	f.Add(RET())
}

func update(file *asm.File, name, order string, swap func(a, d asm.Reg) asm.Op) {
	f := file.Func(name, "(t *Powers, y, p *byte, n int)")
	f.Doc = name + " continues the hash y over n > 0 bytes, whole blocks, in the order of bytes\n" + order + "."
	f.Secret = "t y p"
	t, y, p, n := f.Arg("t"), f.Arg("y"), f.Arg("p"), f.Arg("n")
	g := pmull.New(f, t)
	b := f.Group(Vector, "b", 8, 1)
	tmp := f.New(Integer, "poly")
	g.Start(f, tmp)
	f.Add(VLD1(B16, At(y, 0), g.Y), swap(g.Y, g.Y))
	pass := func(blocks int) {
		b := b[:blocks]
		for i := 0; i < blocks; i += 4 {
			part := b[i:min(blocks, i+4)]
			f.Add(VLD1(B16, Post(p, 16*len(part)), part))
		}
		for _, x := range b {
			f.Add(swap(x, x))
		}
		f.Add(VEOR(g.Y, b[0], b[0]))
		if blocks == 1 {
			f.Add(g.One(b[0], 1)...)
		}
		if blocks > 2 {
			f.Add(g.From(blocks - 2))
		}
		for i := 2; i < blocks; i += 2 {
			f.Add(g.Pair(b[i], b[i+1], i == 2)...)
		}
		if blocks >= 2 { // last, because they wait for y
			f.Add(g.From(blocks))
			f.Add(g.Pair(b[0], b[1], blocks == 2)...)
		}
		f.Add(g.Reduce()...)
	}
	f.Add(SUBS(128, n, n), BLO("rest"))
	f.Label("eight")
	pass(8)
	f.Add(SUBS(128, n, n), BHS("eight"))
	f.Label("rest")
	for _, part := range []struct {
		blocks, bit int
		skip        string
	}{{4, 6, "no4"}, {2, 5, "no2"}, {1, 4, "no1"}} {
		f.Add(TBZ(part.bit, n, part.skip))
		pass(part.blocks)
		f.Label(part.skip)
	}
	f.Add(swap(g.Y, g.Y), VST1(B16, g.Y, At(y, 0)), RET())
}
