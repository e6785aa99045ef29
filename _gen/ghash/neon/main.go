// Command neon writes the GHASH kernels of internal/ghash/internal/arm64 for CPUs without PMULL of
// 64 bits: the multiplication of polynomials of 8 bits is in every NEON.
//
// # Algorithm
//
// Elements and powers are those of _gen/ghash/arm64. Karatsuba's method, twice, makes nine products
// of 32-bit words of a product of 128-bit elements:
//
//	x1:x0 times y1:y0 = high:low + middle 2^n
//	high = x1 y1    low = x0 y0    middle = (x1 + x0)(y1 + y0) + high + low
//
// PMULL multiplies eight bytes by eight bytes, each pair for itself (Câmara, Gouvêa, López, Dahab:
// Fast Software Polynomial Multiplication on ARM Processors Using the NEON Engine, 2013). With
// a word a and the word b rotated by r bytes, it has the products a[i] b[i+r], r = 0 to 3 has
// all 16, and one PMULL serves two words. The powers of H are stored with their rotations and the
// sums of halves that Karatsuba needs.
//
// All is linear in the products: those with the same place, from up to eight blocks and powers,
// are added first. Then the parts r = 0 to 3 are shifted to where they belong, the words
// are combined, and the sum is reduced, all once:
//
//	y = (y + b[0]) H^8 + b[1] H^7 + ... + b[7] H
//
// The rest after passes of eight blocks goes through code for 4, 2 and 1. Three blocks are
// four, the first of them 0.
//
// # Registers
//
// A block has its halves swapped, as VREV64 leaves it: lane 0 has the upper half.
//
//	b           two blocks
//	halves      upper and lower halves of both
//	s           sums of halves, of two blocks
//	k           four rotations of a power
//	t           products
//	high, low, middle, sums, inner  sums of products, four rotations each: of words of the
//	            upper halves, of the lower ones, of s, of sums of words of halves, of
//	            sums of words of s
//
// # Bound
//
// A block takes 18 multiplications, as many additions of products, 3.75 instructions for the sums
// of words, 2.75 loads and a VREV64. The end of a pass takes 108: for eight blocks 3.4
// instructions per byte. Cortex-A72 begins one multiplication and one other instruction in a
// cycle: 174 cycles for 128 bytes. The pair of blocks that waits for the hash before comes last,
// and still a part of the end of a pass, where each instruction waits for the one before, is not
// hidden: llvm-mca has 225 cycles.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

//go:generate go run . -out ../../../internal/ghash/internal/arm64/ghash_neon_arm64.s -go ../../../internal/ghash/internal/arm64/declarations_neon_arm64.go

// The table of powers is two quads, H^4 to H^1 and H^8 to H^5. A quad is the rotations of
// the two lower powers, of their sums of words, of their sums of halves, the same for the
// two higher ones, and then those of the sums of words of the sums of halves of all four.
const (
	rotations = 4 * 16
	pair      = 4 * rotations
	quad      = 2*pair + rotations
)

// offset is where the rotations of H^n are: those of H^2 are followed by those of H^1.
func offset(n int) int { return (n-1)/4*quad + (n-1)%4/2*pair + n%2*rotations }

// inner is where the last rotations of the quad with H^n are.
func inner(n int) int { return (n-1)/4*quad + 2*pair }

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target, Proofs: proofs}
	initialize(file)
	extend(file)
	update(file, "updateNEON", "of NIST SP 800-38D", func(a, d asm.Reg) asm.Op { return VREV64(B16, a, d) })
	update(file, "updateReversedNEON", "of RFC 8452, appendix A, in which every block is byte-reversed", func(a, d asm.Reg) asm.Op { return VEXT(8, a, a, d) })
	file.Write(*out, *declarations)
}

// A hash is the registers of a GHASH computation.
type hash struct {
	f                              *asm.Func
	high, low, middle, sums, inner product
	y, s, zero                     asm.Reg
	halves, b, k, t                []asm.Reg
	from                           asm.Reg
}

// A product is the sums of products for each rotation.
type product struct {
	r     []asm.Reg
	begun bool
}

func newHash(f *asm.Func) *hash {
	product := func(name string) product { return product{r: f.Several(Vector, name, 4)} }
	return &hash{
		f: f, high: product("high"), low: product("low"), middle: product("middle"), sums: product("sums"), inner: product("inner"),
		y: f.New(Vector, "y"), s: f.New(Vector, "s"), zero: f.New(Vector, "zero"),
		halves: f.Several(Vector, "halves", 2), b: f.Group(Vector, "b", 2, 1), k: f.Group(Vector, "k", 4, 1),
		t: f.Several(Vector, "t", 4), from: f.New(Integer, "powers"),
	}
}

// rotated loads the next rotations of a power.
func (h *hash) rotated() { h.f.Add(VLD1(B16, Post(h.from, rotations), h.k)) }

// multiply adds the products of half of x with the rotations.
func (h *hash) multiply(p *product, x asm.Reg, upper bool) {
	const delay = 2 // that many products wait to be added
	add := func(r int) {
		if p.begun && r >= 0 {
			h.f.Add(VEOR(h.t[r%(delay+1)], p.r[r], p.r[r]))
		}
	}
	for r, k := range h.k {
		d := p.r[r]
		if p.begun {
			d = h.t[r%(delay+1)]
		}
		if upper {
			h.f.Add(VPMULL2(B16, k, x, d))
		} else {
			h.f.Add(VPMULL(B8, k, x, d))
		}
		add(r - delay)
	}
	add(2)
	add(3)
	p.begun = true
}

// block multiplies the words of a block's halves.
func (h *hash) block(b asm.Reg) {
	h.rotated()
	h.multiply(&h.high, b, false)
	h.multiply(&h.low, b, true)
}

// words sets d to the sums of the words of a and b: of a[0], b[0], a[1], b[1].
func (h *hash) words(a, b, d asm.Reg) {
	t := h.t[0]
	h.f.Add(VTRN1(S4, b, a, t), VTRN2(S4, b, a, d), VEOR(t, d, d))
}

// split separates the halves of two blocks and sets s to their sums.
func (h *hash) split(a, b, s asm.Reg) {
	h.f.Add(
		VTRN1(D2, b, a, h.halves[0]),
		VTRN2(D2, b, a, h.halves[1]),
		VEOR(h.halves[0], h.halves[1], s),
	)
}

// pair adds all products of the two blocks but the inner ones, and sets s to the sums of their
// halves.
func (h *hash) pair(s asm.Reg) {
	h.block(h.b[0])
	h.block(h.b[1])
	h.split(h.b[0], h.b[1], s)
	h.words(h.halves[0], h.halves[1], h.halves[0])
	h.rotated()
	h.multiply(&h.sums, h.halves[0], false)
	h.multiply(&h.sums, h.halves[0], true)
	h.rotated()
	h.multiply(&h.middle, s, false)
	h.multiply(&h.middle, s, true)
}

// last adds the inner products of four blocks.
func (h *hash) last(s0, s1 asm.Reg) {
	h.words(s0, s1, h.halves[0])
	h.rotated()
	h.multiply(&h.inner, h.halves[0], false)
	h.multiply(&h.inner, h.halves[0], true)
}

// one adds the products of a block and H.
func (h *hash) one(b, table asm.Reg) {
	x, y := h.halves[0], h.halves[1]
	h.f.Add(ADD(offset(1), table, h.from))
	h.block(b)
	h.f.Add(VEXT(8, b, b, h.s), VEOR(b, h.s, x)) // the sum of the halves, twice
	h.words(h.s, b, y)                           // in the upper half, those of both halves
	h.rotated()
	h.multiply(&h.sums, y, true)
	h.rotated()
	h.multiply(&h.middle, x, true)
	h.f.Add(VSHL(D2, 32, x, y), VEOR(x, y, y), VUSHR(D2, 32, y, y), VSHL(D2, 32, y, y))
	h.f.Add(ADD(inner(1), table, h.from))
	h.rotated()
	h.multiply(&h.inner, y, true)
}

// place adds up the rotations of a product. The product of bytes i and (i+r)%4 of two words
// belongs to byte i + (i+r)%4 of the product of the words: those for r = 1 and 3 to bytes 1, 3, 5
// and 3, if the latter come after a rotation, and those for r = 2 to bytes 2, 4 and again 2, 4.
func (h *hash) place(p *product) asm.Reg {
	t, r := h.t, p.r
	h.f.Add(
		VUSHR(D2, 16, r[3], t[0]),
		VREV64(S4, r[2], t[1]),
		VSLI(D2, 48, r[3], t[0]),
		VEOR(t[1], r[2], r[2]),
		VEOR(t[0], r[1], r[1]),
		VSHL(D2, 32, r[2], r[2]),
		VSHL(D2, 16, r[1], t[0]),
		VUSHR(D2, 48, r[1], t[1]),
		VUSHR(D2, 16, r[2], r[2]),
		VUSHR(D2, 8, t[0], t[0]),
		VSHL(D2, 24, t[1], t[1]),
		VEOR(r[2], r[0], r[0]),
		VEOR(t[0], t[1], t[0]),
		VEOR(t[0], r[0], r[0]),
	)
	p.begun = false
	return r[0]
}

// reduce sets y to the sum of all products.
func (h *hash) reduce() {
	f := h.f
	f.Add(VMOVI(0, h.zero))
	// The first three are in order: lane 0 has the product of the lower words.
	high, low, middle := h.place(&h.high), h.place(&h.low), h.place(&h.middle)
	sums := h.place(&h.sums)   // lane 0 is for high, lane 1 for low
	inner := h.place(&h.inner) // both lanes are for middle
	t, u := h.t, h.k
	f.Add(
		// The middle of the upper half and that of the lower one.
		VTRN1(D2, low, high, t[0]),
		VTRN2(D2, low, high, t[1]),
		VEOR(t[0], sums, sums),
		VEOR(t[1], sums, sums),
		// The middle of the middle, in both lanes.
		VEOR(middle, inner, inner),
		VEOR(sums, inner, inner),
		VEXT(8, inner, inner, t[0]),
		VEOR(t[0], inner, inner),
		// The middle.
		VEOR(low, high, t[1]),
		VEOR(t[1], middle, middle),
		// All of these, 32 bits to the left.
		VTRN2(D2, inner, sums, t[2]),
		VTRN1(D2, sums, inner, t[3]),
		VEXT(12, t[2], h.zero, t[2]),
		VEXT(4, h.zero, t[3], t[3]),
		// The middle, 64 bits to the left.
		VEXT(8, middle, h.zero, t[0]),
		VEXT(8, h.zero, middle, t[1]),
		VEOR(t[2], low, low),
		VEOR(t[3], high, high),
		VEOR(t[0], low, low),
		VEOR(t[1], high, high),
		// Multiples of the polynomial clear low. Terms of its lanes that are added to the next ones:
		VSHL(D2, 63, low, u[0]),
		VSHL(D2, 62, low, u[1]),
		VSHL(D2, 57, low, u[2]),
		VEOR(u[0], u[1], u[0]),
		VEOR(u[2], u[0], u[0]),
		VEXT(8, u[0], h.zero, t[0]),
		VEXT(8, h.zero, u[0], t[1]),
		VEOR(t[0], low, low),
		VEOR(t[1], high, high),
		// And to those after them:
		VUSHR(D2, 1, low, u[0]),
		VUSHR(D2, 2, low, u[1]),
		VUSHR(D2, 7, low, u[2]),
		VEOR(low, high, high),
		VEOR(u[0], u[1], u[0]),
		VEOR(u[2], high, high),
		VEOR(u[0], high, high),
		VEXT(8, high, high, h.y),
	)
}

// rotate stores the rotations of x at offset at of the table.
func (h *hash) rotate(x, table asm.Reg, at int) {
	k := h.k
	h.f.Add(
		VMOV(x, k[0]),
		VUSHR(S4, 8, x, k[1]),
		VREV32(H8, x, k[2]),
		VSLI(S4, 24, x, k[1]),
		VREV32(H8, k[1], k[3]),
		ADD(at, table, h.from),
		VST1(B16, k, At(h.from, 0)),
	)
}

// store stores the powers a H^n and b H^(n-1), and returns the sums of their halves in s.
func (h *hash) store(a, b, table asm.Reg, n int, s asm.Reg) {
	at := offset(n)
	h.rotate(a, table, at)
	h.rotate(b, table, at+rotations)
	h.split(a, b, s)
	h.words(h.halves[0], h.halves[1], h.halves[0])
	h.rotate(h.halves[0], table, at+2*rotations)
	h.rotate(s, table, at+3*rotations)
}

func initialize(file *asm.File) {
	f := file.Func("initNEON", "(t *PowersNEON, h *byte)")
	f.Doc = "initNEON computes the powers 4 to 1 of the hash key h, 16 bytes."
	f.Banner = `The first power is h times x: a shift, and the polynomial if a bit leaves. Each other one is the power
before times h.`
	f.Secret = "t h"
	t, p := f.Arg("t"), f.Arg("h")
	lo, hi, carry, poly := f.New(Integer, "lo"), f.New(Integer, "hi"), f.New(Integer, "carry"), f.New(Integer, "poly")
	h := newHash(f)
	power := f.Several(Vector, "power", 4)
	s := f.New(Vector, "s")
	f.Add(
		LDP(At(p, 0), hi, lo),
		REV(hi, hi),
		REV(lo, lo),
		ASR(63, hi, carry),
		EXTR(63, lo, hi, hi),
		LSL(1, lo, lo),
		MOVD(uint64(0xc2<<56), poly),
		AND(carry, poly, poly),
		EOR(poly, hi, hi),
		SUB(carry, lo, lo), // carry is -1 or 0, and lo even
		FMOVD(hi, power[3]),
		VMOV(lo, Lane(D2, power[3], 1)),
	)
	h.store(power[3], power[3], t, 2, s)
	h.words(s, s, h.halves[0])
	h.rotate(h.halves[0], t, inner(1))
	for n := 2; n >= 0; n-- {
		h.one(power[n+1], t)
		h.reduce()
		f.Add(VMOV(h.y, power[n]))
	}
	h.store(power[0], power[1], t, 4, h.s)
	h.store(power[2], power[3], t, 2, s)
	h.words(h.s, s, h.halves[0])
	h.rotate(h.halves[0], t, inner(1))
	f.Add(RET())
}

func extend(file *asm.File) {
	f := file.Func("extendNEON", "(t *PowersNEON)")
	f.Doc = "extendNEON computes the powers 8 to 5 of a hash key that has the others."
	f.Secret = "t"
	t := f.Arg("t")
	h := newHash(f)
	power := f.Several(Vector, "power", 4)
	s := f.New(Vector, "s")
	f.Add(ADD(offset(4), t, h.from), FMOVQ(At(h.from, 0), h.y))
	for n := 3; n >= 0; n-- {
		h.one(h.y, t)
		h.reduce()
		f.Add(VMOV(h.y, power[n]))
	}
	h.store(power[0], power[1], t, 8, h.s)
	h.store(power[2], power[3], t, 6, s)
	h.words(h.s, s, h.halves[0])
	h.rotate(h.halves[0], t, inner(8))
	f.Add(RET())
}

func update(file *asm.File, name, order string, swap func(a, d asm.Reg) asm.Op) {
	f := file.Func(name, "(t *PowersNEON, y, p *byte, n int)")
	f.Doc = name + " continues the hash y over n > 0 bytes, whole blocks, in the order of bytes\n" + order + "."
	f.Secret = "t y p"
	t, y, p, n := f.Arg("t"), f.Arg("y"), f.Arg("p"), f.Arg("n")
	h := newHash(f)
	s := f.New(Vector, "s")
	f.Add(VLD1(B16, At(y, 0), h.y), swap(h.y, h.y))
	load := func(at int, b ...asm.Reg) {
		if len(b) == 2 {
			f.Add(FLDPQ(At(p, at), b[0], b[1]))
		} else {
			f.Add(FMOVQ(At(p, at), b[0]))
		}
		for _, x := range b {
			f.Add(swap(x, x))
		}
	}
	// begin loads the first block or the first two, which wait for the hash before.
	begin := func(at int, b ...asm.Reg) {
		load(at, b...)
		f.Add(VEOR(h.y, b[0], b[0]))
	}
	pair := func(at int, s asm.Reg) {
		load(at, h.b...)
		h.pair(s)
	}

	f.Add(SUBS(128, n, n), BLO("rest"))
	f.Label("eight")
	f.Add(MOVD(t, h.from))
	pair(96, h.s)
	pair(64, s)
	h.last(s, h.s)
	pair(32, h.s)
	begin(0, h.b...)
	h.pair(s)
	h.last(s, h.s)
	h.reduce()
	f.Add(ADD(128, p, p), SUBS(128, n, n), BHS("eight"))

	f.Label("rest")
	f.Add(TBZ(6, n, "no4"))
	f.Label("four")
	f.Add(MOVD(t, h.from))
	pair(32, h.s)
	f.Add(TBZ(6, n, "three"))
	begin(0, h.b...)
	f.Add(ADD(64, p, p), B("first"))
	f.Label("three")
	begin(16, h.b[1])
	f.Add(VMOVI(0, h.b[0]), MOVD(0, n))
	f.Label("first")
	h.pair(s)
	h.last(s, h.s)
	h.reduce()
	f.Label("no4")
	f.Add(AND(48, n, n), CMP(48, n), BNE("no3"))
	f.Add(SUB(16, p, p), B("four")) // a block of zeros is the first of four
	f.Label("no3")
	f.Add(TBZ(5, n, "no2"), MOVD(t, h.from))
	begin(0, h.b...)
	h.pair(s)
	f.Add(ADD(32, p, p), VMOVI(0, h.s), ADD(inner(1), t, h.from))
	h.last(h.s, s)
	h.reduce()
	f.Label("no2")
	f.Add(TBZ(4, n, "no1"))
	begin(0, h.b[0])
	h.one(h.b[0], t)
	h.reduce()
	f.Label("no1")
	f.Add(swap(h.y, h.y), VST1(B16, h.y, At(y, 0)), RET())
}
