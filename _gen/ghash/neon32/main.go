// Command neon32 writes the GHASH kernels for 32-bit Arm with NEON, whose VMULL multiplies
// polynomials of 8 bits.
//
// # Algorithm
//
// That of _gen/ghash/neon: Karatsuba's method, twice, and rotations of the bytes of words, so
// that one VMULL serves two words; all products with the same place are added before they are
// shifted there and reduced:
//
//	y = (y + b[0]) H^8 + b[1] H^7 + ... + b[7] H
//
// There are 16 registers, so the five kinds of products follow each other. First the blocks are
// split into the words that each kind multiplies, in memory. A rest of four blocks takes a
// shorter pass. The caller puts zeros in front of less.
//
// # Registers
//
//	b           two blocks: then upper and lower halves; s their sums; w sums of words
//	x           words of two blocks
//	k           four rotations of a power for a block
//	acc         sums of products, four rotations
//	t           products
//	kind        results of the kinds: upper and lower halves, sums of halves, sums of words of
//	            halves, of sums
//
// # Bound
//
// NEON of Cortex-A7, which does one instruction at a time. A block takes 18 multiplications, as
// many additions of products, 6.75 loads and 6 instructions to split it, a pass 110 at its end:
// for eight blocks 4.0 instructions per byte.
package main

import (
	"flag"
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm"
)

//go:generate go run . -out ../../../internal/ghash/internal/arm/ghash_neon_arm.s -go ../../../internal/ghash/internal/arm/ghash_neon_arm.go

// The table has, for each kind of words, the rotations of H^8 to H^1, and for sums of words of sums
// those of two powers together.
const (
	rotations = 32
	kindSize  = 8 * rotations
)

// Memory on the stack: for two blocks 16 bytes of each kind, and for four blocks 16 of the last
// one.
const (
	pairSize = 4 * 16
	words    = 4*pairSize + 2*16
)

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	update(file, "updateNEON", "of NIST SP 800-38D", func(a, d asm.Reg) asm.Op { return VREV(64, 8, a, d) })
	update(file, "updateReversedNEON", "of RFC 8452, appendix A, in which every block is byte-reversed", func(a, d asm.Reg) asm.Op { return VEXT(8, a, a, d) })
	file.Write(*out, *declarations)
}

// A hash is a GHASH computation.
type hash struct {
	*asm.Func
	y        asm.Reg
	p, table asm.Reg
	memory   asm.Local
	at       asm.Reg
	pairs    asm.Reg // from two blocks to the next two in memory
	acc, t   []asm.Reg
	swap     func(a, d asm.Reg) asm.Op
}

// split loads and splits blocks.
func (h *hash) split(blocks int) {
	h.Add(MOVW(h.memory, h.at))
	last := h.New(Integer, "last")
	h.Add(ADD(4*pairSize, h.at, last))
	var before asm.Reg
	for i := 0; i < blocks; i += 2 {
		b, sums := h.Group(Vector, "b", 2, 1), h.Group(Vector, "s", 2, 1)
		s, w := sums[0], sums[1]
		h.Add(VLD1(Post(h.p), b), h.swap(b[0], b[0]), h.swap(b[1], b[1]))
		if i == 0 {
			h.Add(VEOR(h.y, b[0], b[0]))
		}
		h.Add(
			VSWP(High(b[0]), Low(b[1])),
			VEOR(b[0], b[1], s),
			VST1(b, Post(h.at)),
			VTRN(32, b[1], b[0]),
			VEOR(b[0], b[1], w),
			VST1(sums, Post(h.at)),
		)
		if i%4 == 0 {
			before = s
			continue
		}
		h.Add(VTRN(32, s, before), VEOR(s, before, s), VST1([]asm.Reg{s}, Post(last)))
	}
}

// multiply adds the products of two words with the rotations that are next in the table. first
// says that there are none before.
func (h *hash) multiply(x Half, first bool) {
	k := h.Group(Vector, "k", 2, 1)
	h.Add(VLD1(Post(h.table), k))
	parts := []Half{Low(k[0]), High(k[0]), Low(k[1]), High(k[1])}
	if first {
		for r, part := range parts {
			h.Add(VMULL(8, part, x, h.acc[r]))
		}
		return
	}
	const delay = 2 // that many products wait to be added
	add := func(r int) { h.Add(VEOR(h.t[r%(delay+1)], h.acc[r], h.acc[r])) }
	for r, part := range parts {
		h.Add(VMULL(8, part, x, h.t[r%(delay+1)]))
		if r >= delay {
			add(r - delay)
		}
	}
	add(2)
	add(3)
}

// kind multiplies the words of one kind of all blocks: n times two, step bytes apart or next to
// each other.
func (h *hash) kind(name string, offset, n int, strided bool) asm.Reg {
	h.Add(MOVW(h.memory, h.at), ADD(offset, h.at, h.at))
	for i := range n {
		x := h.New(Vector, "x")
		from := Post(h.at)
		if strided {
			from = By(h.at, h.pairs)
		}
		h.Add(VLD1(from, []asm.Reg{x}))
		h.multiply(Low(x), i == 0)
		h.multiply(High(x), false)
	}
	return h.place(h.New(Vector, name))
}

// place adds up the rotations of a product. The product of bytes i and (i+r)%4 of two words
// belongs to byte i + (i+r)%4 of the product of the words: those for r = 1 and 3 to bytes 1, 3, 5
// and 3, if the latter come after a rotation, and those for r = 2 to bytes 2, 4 and again 2, 4.
func (h *hash) place(d asm.Reg) asm.Reg {
	r, t := h.acc, h.t
	h.Add(
		VSHR(64, 16, r[3], t[0]),
		VREV(64, 32, r[2], t[1]),
		VSLI(64, 48, r[3], t[0]),
		VEOR(t[1], r[2], r[2]),
		VEOR(t[0], r[1], r[1]),
		VSHL(64, 32, r[2], r[2]),
		VSHL(64, 16, r[1], t[0]),
		VSHR(64, 48, r[1], t[1]),
		VSHR(64, 16, r[2], r[2]),
		VSHR(64, 8, t[0], t[0]),
		VSHL(64, 24, t[1], t[1]),
		VEOR(r[2], r[0], r[0]),
		VEOR(t[0], t[1], t[0]),
		VEOR(t[0], r[0], d),
	)
	return d
}

// pass hashes 8 or 4 blocks.
func (h *hash) pass(blocks int) {
	h.split(blocks)
	h.LoadArg("t", h.table)
	skip := kindSize - blocks*rotations // higher powers
	kind := func(name string, offset int) asm.Reg {
		if skip > 0 {
			h.Add(ADD(skip, h.table, h.table))
		}
		return h.kind(name, offset, blocks/2, true)
	}
	high, low, middle, sums := kind("high", 0), kind("low", 16), kind("middle", 32), kind("sums", 48)
	if skip > 0 {
		h.Add(ADD(skip/2, h.table, h.table))
	}
	inner := h.kind("inner", 4*pairSize, blocks/4, false)

	t, u, zero := h.New(Vector, "u"), h.New(Vector, "u"), h.New(Vector, "zero")
	h.Add(
		VMOVI(0, zero),
		// The middle of the upper half and that of the lower one.
		VEORH(Low(high), Low(sums), Low(sums)),
		VEORH(Low(low), High(sums), High(sums)),
		VEORH(High(high), Low(sums), Low(sums)),
		VEORH(High(low), High(sums), High(sums)),
		// The middle of the middle, in both halves.
		VEOR(middle, inner, inner),
		VEOR(sums, inner, inner),
		VEXT(8, inner, inner, t),
		VEOR(t, inner, inner),
		// The middle.
		VEOR(low, middle, middle),
		VEOR(high, middle, middle),
		// All of these, 32 bits to the left.
		VMOVH(High(sums), Low(t)),
		VMOVH(Low(sums), High(inner)),
		VMOVH(Low(inner), High(t)),
		VEXT(12, t, zero, t),
		VEXT(4, zero, inner, inner),
		// The middle, 64 bits to the left.
		VEORH(Low(middle), High(low), High(low)),
		VEORH(High(middle), Low(high), Low(high)),
		VEOR(t, low, low),
		VEOR(inner, high, high),
		// Multiples of the polynomial clear low. Terms of its halves that are added to the next ones:
		VSHL(64, 63, low, t),
		VSHL(64, 62, low, u),
		VSHL(64, 57, low, zero),
		VEOR(t, u, u),
		VEOR(u, zero, u),
		VEORH(Low(u), High(low), High(low)),
		VEORH(High(u), Low(high), Low(high)),
		// And to those after them:
		VSHR(64, 1, low, t),
		VSHR(64, 2, low, u),
		VSHR(64, 7, low, zero),
		VEOR(low, high, high),
		VEOR(t, u, u),
		VEOR(zero, high, high),
		VEOR(u, high, high),
		VEXT(8, high, high, h.y),
	)
}

func update(file *asm.File, name, order string, swap func(a, d asm.Reg) asm.Op) {
	f := file.Func(name, "(t *Powers, y, p *byte, n int)")
	f.Doc = fmt.Sprintf("%s continues the hash y over n > 0 bytes, a multiple of 64, in the order of bytes\n%s.", name, order)
	f.Secret = "t y p"
	h := &hash{
		Func: f, y: f.New(Vector, "y"), memory: f.Local("words", words), at: f.New(Integer, "at"), pairs: f.New(Integer, "pairs"),
		acc: f.Several(Vector, "acc", 4), t: f.Several(Vector, "t", 3), swap: swap, table: f.New(Integer, "table"),
	}
	y, n := f.Arg("y"), f.New(Integer, "n")
	h.p = f.Arg("p")
	f.LoadArg("n", n)
	f.Add(VLD1(At(y), []asm.Reg{h.y}), swap(h.y, h.y), MOVW(pairSize, h.pairs), SUBS(128, n, n), BLO("four"))
	f.Label("eight")
	h.pass(8)
	f.Add(SUBS(128, n, n), BHS("eight"))
	f.Label("four")
	f.Add(ADDS(128, n, n), BEQ("end"))
	h.pass(4)
	f.Label("end")
	zero := f.Group(Vector, "zero", 2, 1)
	f.Add(swap(h.y, h.y), VST1([]asm.Reg{h.y}, At(y)), VMOVI(0, zero[0]), VMOVI(0, zero[1]), MOVW(h.memory, h.at))
	for range words / 32 {
		f.Add(VST1(zero, Post(h.at)))
	}
	f.Add(RET())
}
