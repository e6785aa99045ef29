// Command amd64 writes the SM3 kernels of sm3/internal/amd64 for one message, on CPUs with BMI1,
// BMI2 and AVX, and on those with SSSE3 alone.
//
// # Algorithm
//
// A round of GB/T 32905-2016, section 5.3.3, in the integer units:
//
//	SS1 = ((A<<<12) + E + (T<<<j)) <<< 7                SS2 = SS1 ^ (A<<<12)
//	TT2 = GG(E,F,G) + H + SS1 + W[j]                    TT1 = FF(A,B,C) + D + SS2 + W'[j]
//	D, H, B, F = TT1, TT2 ^ (TT2<<<9) ^ (TT2<<<17), B<<<9, F<<<19
//
// and then the names A ... D and E ... H change places, not the registers. GG of the next round
// is made from TT2 and its rotations before the new E is there. The vector units expand the
// message (section 5.3.2) four words at a time, 12 rounds ahead:
//
//	W[n] = P1(W[n-16] ^ W[n-9] ^ (W[n-3]<<<15)) ^ (W[n-13]<<<7) ^ W[n-6]     W'[n] = W[n] ^ W[n+4]
//
// Each operation is an item with a place, counted in rounds; sorting the items by place is the
// schedule (order in rounds.go, expansion and reload in message.go).
//
// # Registers
//
//	AX BX CX DX, SI DI R8 R9  A ... D, E ... H; their names move by one in each round
//	R10 ... R15               temporary: virtual registers, allocated by avo
//	X0 ... X3                 the last 16 words
//	X4 ... X9, X15            temporary, reversal of bytes
//	stack 0, 64               ring of 16 words W, ring of 16 words W'
//	stack 128, 136            next block, blocks left
//
// # Bound
//
// The chain from E to the next E is six operations of one cycle (two additions, two rotations,
// two exclusive ors): 384 cycles for a block, 6 cycles per byte. The chain through GG is as
// long. A block has about 1590 integer operations besides moves, which is 6.2 cycles per byte on
// the four integer units of Zen 4; the six of Zen 5 are not the limit.
// Measured for long messages: 6.2 cycles per byte on Zen 5, 7.5 on Zen 4.
// Without BMI2 and AVX, copies and GG by its definition make it 2,600 instructions for a block.
package main

import (
	"cmp"
	"flag"
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -out ../../../sm3/internal/amd64/blocks_bmi2_avx_amd64.s
//go:generate go run . -ssse3 -out ../../../sm3/internal/amd64/blocks_ssse3_amd64.s

// legacy says that the kernel is for CPUs with SSSE3 and without BMI2 and AVX.
var legacy = flag.Bool("ssse3", false, "write the kernel for CPUs without BMI2 and AVX")

func main() {
	flag.Parse()
	ConstraintExpr("!purego")
	blocks()
	amd64.Generate()
}

func blocks() {
	reverse := GLOBL("reverse", attr.RODATA|attr.NOPTR)
	DATA(0, U64(0x0405060700010203))
	DATA(8, U64(0x0c0d0e0f08090a0b))

	name := "BlocksBMI2AVX"
	speed := []string{
		"From E to the E of the next round there are six operations of one cycle: add",
		"(A<<<12)+T, rotate, add the rest of TT2, rotate, xor, xor. The way through A and that",
		"through GG are as long, the latter because GG of the next round is made from TT2 and",
		"its rotations, before E. So no round takes less than 6 cycles (6 cycles per byte).",
	}
	if *legacy {
		name = "BlocksSSSE3"
		speed = []string{
			"Bound by the three units of Nehalem to Ivy Bridge that execute integer and vector operations:",
			"a round has 26 or 30 instructions, and the expansion of four words 51. The chain through GG,",
			"of eight operations for a round, takes less.",
		}
	}
	TEXT(name, attr.NOSPLIT, "func(v *[8]uint32, p []byte)")
	Comment(append(append([]string{
		name + " compresses the blocks of p into the chaining value v.",
		"func " + name + "(v *[8]uint32, p []byte)",
		"len(p) is a multiple of 64, not zero, at most 65536.",
		"AX BX CX DX SI DI R8 R9 hold A ... H and change places every round; R10 ... R15",
		"temporary. X0 ... X3 the last 16 message words, X4 ... X9 temporary, X15 byte reversal.",
		"Stack: W(j) at 4*(j mod 16), W'(j) 64 behind it, the next block, blocks left."}, speed...),
		"The vector unit expands the message in between, 12 rounds ahead, and loads the next",
		"block towards the end.")...)
	m := message{ring: AllocLocal(128), reverse: reg.X15}
	next, left := AllocLocal(8), AllocLocal(8)

	p, n := reg.R10, reg.R11
	Load(Param("p").Base(), p)
	Load(Param("p").Len(), n)
	SHRQ(Imm(6), n)
	MOVQ(p, next)
	MOVQ(n, left)
	move(reverse, m.reverse)
	m.load(p)
	for i := range 4 {
		m.swap(i)
		m.storeSwapped(i)
	}
	v := reg.R10
	Load(Param("v"), v)
	for i, r := range state {
		MOVL(Mem{Base: v, Disp: 4 * i}, r)
	}

	Label("block")
	Comment("The block to load in this round of the loop; the last one stays at its own.")
	p, n, q := reg.R10, reg.R11, reg.R12
	MOVQ(next, p)
	MOVQ(left, n)
	LEAQ(Mem{Base: p, Disp: 64}, q)
	CMPQ(n, Imm(1))
	CMOVQEQ(p, q)
	MOVQ(q, next)
	for _, i := range block(m, next) {
		i.emit()
	}
	Load(Param("v"), v)
	for i, r := range state {
		XORL(Mem{Base: v, Disp: 4 * i}, r)
		MOVL(r, Mem{Base: v, Disp: 4 * i})
	}
	DECQ(left)
	JNE(LabelRef("block"))

	Comment("The message may be a key.")
	if *legacy {
		PXOR(reg.X0, reg.X0)
		for i := range 8 {
			MOVOU(reg.X0, m.ring.Offset(16*i))
		}
		RET()
		return
	}
	VPXOR(reg.X0, reg.X0, reg.X0)
	for i := range 4 {
		VMOVDQU(reg.Y0, m.ring.Offset(32*i))
	}
	VZEROUPPER()
	RET()
}

// An item is a piece of code at a place counted in rounds: items are written
// in the order of their places.
type item struct {
	at   float64
	emit func()
}

// block returns the code of the 64 rounds, and between them that of the
// message expansion and of the load of the block at next.
func block(m message, next Mem) []item {
	var list []item
	rounds := newRounds(m)
	list = append(list, item{-2, rounds[0].firstGG})
	for j := range rounds {
		for i, o := range order {
			if emit := rounds[j].operation(o.name); emit != nil {
				list = append(list, item{place(i, j), emit})
			}
		}
	}
	list = append(list, m.expansion()...)
	list = append(list, m.reload(next)...)
	slices.SortStableFunc(list, func(a, b item) int { return cmp.Compare(a.at, b.at) })
	return list
}
