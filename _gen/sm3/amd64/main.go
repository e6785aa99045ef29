// Command amd64 writes the SM3 kernel of sm3/internal/amd64.
package main

import (
	"cmp"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -out ../../../sm3/internal/amd64/blocks_bmi2_avx_amd64.s

func main() {
	ConstraintExpr("!purego")
	blocks()
	Generate()
}

func blocks() {
	reverse := GLOBL("reverse", attr.RODATA|attr.NOPTR)
	DATA(0, U64(0x0405060700010203))
	DATA(8, U64(0x0c0d0e0f08090a0b))

	TEXT("BlocksBMI2AVX", attr.NOSPLIT, "func(v *[8]uint32, p []byte)")
	Comment(
		"BlocksBMI2AVX compresses the blocks of p into the chaining value v.",
		"func BlocksBMI2AVX(v *[8]uint32, p []byte)",
		"len(p) is a multiple of 64, not zero, at most 65536.",
		"AX BX CX DX SI DI R8 R9 hold A ... H and change places every round; R10 ... R15",
		"temporary. X0 ... X3 the last 16 message words, X4 ... X9 temporary, X15 byte reversal.",
		"Stack: W(j) at 4*(j mod 16), W'(j) 64 behind it, the next block, blocks left.",
		"From E to the E of the next round there are six operations of one cycle: add",
		"(A<<<12)+T, rotate, add the rest of TT2, rotate, xor, xor. The way through A and that",
		"through GG are as long, the latter because GG of the next round is made from TT2 and",
		"its rotations, before E. So no round takes less than 6 cycles (6 cycles per byte).",
		"The vector unit expands the message in between, 12 rounds ahead, and loads the next",
		"block towards the end.")
	m := message{ring: AllocLocal(128), reverse: reg.X15}
	next, left := AllocLocal(8), AllocLocal(8)

	p, n := reg.R10, reg.R11
	Load(Param("p").Base(), p)
	Load(Param("p").Len(), n)
	SHRQ(Imm(6), n)
	MOVQ(p, next)
	MOVQ(n, left)
	VMOVDQU(reverse, m.reverse)
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
