// Command sm3ni writes the SM3 kernel of sm3/internal/amd64 for CPUs that have instructions for
// SM3.
//
// # Algorithm
//
//	VSM3RNDS2   two rounds of GB/T 32905-2016, section 5.3.3, with W[j], W[j+1], W[j+4], W[j+5]
//	VSM3MSG1    P1(W[n-16] ^ W[n-9] ^ (W[n-3]<<<15)) for four words, without what is not there yet
//	VSM3MSG2    adds (W[n-13]<<<7) ^ W[n-6] and what was missing
//
// VSM3RNDS2 takes C, D, G and H before the rotations by which they came from A, B, E and F two
// rounds earlier. They stay like this from block to block, and only the first and the last block
// rotate them. Each four rounds expand the message by four words: 16 times four rounds, 13 times
// four words.
//
// # Registers
//
//	X0 ... X4      words 4i ... 4i+3 in register i modulo 5: the last 16 and the next four
//	X5, X6         A, B, E, F and C, D, G, H, which change places with each VSM3RNDS2
//	X7, X8         chaining value in the same form
//	X9, X10, X11   temporary
//	X15            reversal of bytes in words
//	SI, CX, DI     blocks, blocks left, chaining value
//
// # Bound
//
// The chain of 32 VSM3RNDS2, since the expansion runs ahead. No CPU with these instructions was
// available: with a latency of 5 cycles, which llvm-mca assumes for Arrow Lake and Lunar Lake,
// 160 cycles for a block, 2.5 cycles per byte. The model also gives 2.5 for the loop. It has 2.45
// instructions for a byte.
package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -out ../../../sm3/internal/amd64/blocks_sm3ni_amd64.s

func main() {
	ConstraintExpr("!purego")
	blocks()
	amd64.Generate()
}

type vec = reg.VecPhysical

// words holds W(4i) ... W(4i+3) in register i modulo 5: four that are needed, and
// those that are being computed.
var words = [5]vec{reg.X0, reg.X1, reg.X2, reg.X3, reg.X4}

var (
	swap = reg.X15 // index for VPSHUFB: words from big-endian order

	// A, B, E, F and C, D, G, H, the last one in the lowest word. VSM3RNDS2 takes
	// the second register before the rotations of C, D, G and H by which the words
	// that it needs came from A, B, E and F two rounds earlier, and makes it the
	// first one of two rounds later; the two change places.
	abef, cdgh = reg.X5, reg.X6

	oldABEF, oldCDGH = reg.X7, reg.X8
)

func blocks() {
	reverse := GLOBL("reverse", attr.RODATA|attr.NOPTR)
	DATA(0, U64(0x0405060700010203))
	DATA(8, U64(0x0c0d0e0f08090a0b))

	TEXT("BlocksSM3NI", attr.NOSPLIT, "func(v *[8]uint32, p []byte)")
	Comment(
		"BlocksSM3NI compresses the blocks of p into the chaining value v.",
		"func BlocksSM3NI(v *[8]uint32, p []byte)",
		"len(p) is a multiple of 64, not zero, at most 65536.",
		"A block is 32 VSM3RNDS2, two rounds each; 13 times VSM3MSG1 and VSM3MSG2 compute four",
		"words of the expanded message.",
		"SI p, CX blocks left, DI v; X0 ... X4 the last 16 words and the next four, X5 A B E F,",
		"X6 C D G H, X7, X8 the chaining value in the same form, X9 ... X11 temporary, X15 byte",
		"reversal.",
		"The expansion runs ahead of the rounds, so that a block takes as long as these: 32 times",
		"the latency of VSM3RNDS2. The words C, D, G and H stay as the instruction takes them, not",
		"yet rotated, from block to block: the addition of the chaining value does not mind.")
	v, p, n := reg.RDI, reg.RSI, reg.RCX
	Load(Param("v"), v)
	Load(Param("p").Base(), p)
	Load(Param("p").Len(), n)
	SHRQ(Imm(6), n)
	VMOVDQU(reverse, swap)
	abcd, efgh := reg.X9, reg.X10
	VMOVDQU(Mem{Base: v}, abcd)
	VMOVDQU(Mem{Base: v, Disp: 16}, efgh)
	VPUNPCKLQDQ(abcd, efgh, abef)
	VPUNPCKHQDQ(abcd, efgh, cdgh)
	VPSHUFD(Imm(0xb1), abef, abef)
	VPSHUFD(Imm(0xb1), cdgh, cdgh)
	rotate(32-9, 32-19)

	Label("block")
	VMOVDQA(abef, oldABEF)
	VMOVDQA(cdgh, oldCDGH)
	for i := range 4 {
		VMOVDQU(Mem{Base: p, Disp: 16 * i}, words[i])
	}
	for i := range 4 {
		VPSHUFB(swap, words[i], words[i])
	}
	ADDQ(Imm(64), p)
	for i := range 16 {
		four(i)
		if i < 13 {
			expand(i + 4)
		}
	}
	VPXOR(oldABEF, abef, abef)
	VPXOR(oldCDGH, cdgh, cdgh)
	DECQ(n)
	JNE(LabelRef("block"))

	rotate(9, 19)
	VPSHUFD(Imm(0xb1), abef, abef)
	VPSHUFD(Imm(0xb1), cdgh, cdgh)
	VPUNPCKHQDQ(cdgh, abef, abcd)
	VPUNPCKLQDQ(cdgh, abef, efgh)
	VMOVDQU(abcd, Mem{Base: v})
	VMOVDQU(efgh, Mem{Base: v, Disp: 16})
	VZEROUPPER()
	RET()
}

// rotate rotates C and D left by high, G and H by low.
func rotate(high, low uint64) {
	l, h, t := reg.X9, reg.X10, reg.X11
	VPSLLD(Imm(low), cdgh, l)
	VPSRLD(Imm(32-low), cdgh, t)
	VPXOR(t, l, l)
	VPSLLD(Imm(high), cdgh, h)
	VPSRLD(Imm(32-high), cdgh, t)
	VPXOR(t, h, h)
	VPBLENDW(Imm(0xf0), h, l, cdgh)
}

// four emits rounds 4i ... 4i+3. Two rounds take W(j), W(j+1), W(j+4), W(j+5).
func four(i int) {
	w, w4, x := words[i%5], words[(i+1)%5], reg.X9
	VPUNPCKLQDQ(w4, w, x)
	amd64.Put(amd64.VSM3RNDS2(4*i, x, abef, cdgh))
	VPUNPCKHQDQ(w4, w, x)
	amd64.Put(amd64.VSM3RNDS2(4*i+2, x, cdgh, abef))
}

// expand computes W(4i) ... W(4i+3), GB/T 32905-2016, section 5.3.2.
func expand(i int) {
	w16, w12, w8, w4 := words[(i-4)%5], words[(i-3)%5], words[(i-2)%5], words[(i-1)%5]
	w, x, y := words[i%5], reg.X10, reg.X11
	VPALIGNR(Imm(12), w12, w8, w) // W(j-9)
	VPSRLDQ(Imm(4), w4, x)        // W(j-3)
	VPALIGNR(Imm(12), w16, w12, y)
	amd64.Put(amd64.VSM3MSG1(w16, x, w))
	VPALIGNR(Imm(8), w8, w4, x) // W(j-6), and in y W(j-13)
	amd64.Put(amd64.VSM3MSG2(x, y, w))
}
