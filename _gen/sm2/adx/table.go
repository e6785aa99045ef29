package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func get() {
	const count, n = 16, 3
	TEXT("GetADX", attr.NOSPLIT, "func(r *[12]uint64, table *[16][12]uint64, magnitude uint64)")
	Comment(
		"GetADX sets r to entry magnitude-1 of the table, or to 0 for magnitude 0.",
		"func GetADX(r *[12]uint64, table *[16][12]uint64, magnitude uint64)",
		"magnitude is at most 16.",
		"Y0 ... Y5 sums of even and odd entries, Y8 magnitude, Y9 Y11 numbers of an even and an odd entry, Y10 2,",
		"Y12 Y13 masks, Y6 Y7 Y14 parts of an entry.",
		"All entries are read, one after the other, whatever magnitude is.",
	)
	sums := []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5}
	Load(Param("table"), reg.RDX)
	magnitude, _ := Param("magnitude").Resolve()
	VPBROADCASTQ(magnitude.Addr, wanted)
	entries(reg.RDX, count, n, sums)
	Load(Param("r"), reg.RDX)
	for j := range n {
		VPOR(sums[j+n], sums[j], sums[j])
		VMOVDQU(sums[j], Mem{Base: reg.RDX, Disp: 32 * j})
	}
	Comment("The magnitude and the entry are secret.")
	clearTable()
	VZEROUPPER()
	RET()
}

// clearTable overwrites what entries has used.
func clearTable() {
	for _, v := range []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, wanted, masks[0], masks[1], reg.Y14} {
		VPXOR(v, v, v)
	}
}

// Registers of entries: the number that is wanted, that of an even and of an odd
// entry, 2, masks, and the parts of an entry.
var (
	wanted, even, odd, step = reg.Y8, reg.Y9, reg.Y11, reg.Y10
	masks                   = []reg.VecPhysical{reg.Y12, reg.Y13}
	values                  = []reg.VecPhysical{reg.Y6, reg.Y7, reg.Y14}
)

// want sets the number that is wanted to a digit without its sign.
func want(digit reg.GPPhysical) {
	BTRQ(Imm(63), digit)
	MOVQ(digit, wanted.AsX())
	VPBROADCASTQ(wanted.AsX(), wanted)
}

// start prepares for reading entries from 1 on.
func start(sums []reg.VecPhysical) {
	VPCMPEQD(step, step, step)
	VPSRLQ(Imm(63), step, even)
	VPADDQ(even, even, step)
	VMOVDQA(step, odd)
	for _, s := range sums {
		VPXOR(s, s, s)
	}
}

// some adds what there is of an entry with the number wanted, among count entries
// of n elements behind the first ones of the table, to the first n sums or to the
// next n, alternately.
func some(table reg.Register, first, count, n int, sums []reg.VecPhysical) {
	for i := range count {
		number := []reg.VecPhysical{even, odd}[i%2]
		mask := masks[i%2]
		VPCMPEQQ(number, wanted, mask)
		VPADDQ(step, number, number)
		for j := range n {
			VPAND(Mem{Base: table, Disp: 32 * (n*(first+i) + j)}, mask, values[j])
			s := sums[j+i%2*n]
			VPOR(values[j], s, s)
		}
	}
}

// entries reads a table of count entries. It changes table and uses CX.
func entries(table reg.Register, count, n int, sums []reg.VecPhysical) {
	left := reg.RCX
	start(sums)
	MOVL(U32(uint32(count/4)), left.As32())
	Label("entries")
	some(table, 0, 4, n, sums)
	ADDQ(U32(uint32(4*32*n)), table)
	DECQ(left)
	JNE(LabelRef("entries"))
}
