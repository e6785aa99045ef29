package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// get reads a table of count entries of n elements.
func get(name string, count, n int) {
	signature := fmt.Sprintf("func(r *[%d]uint64, table *[%d][%d]uint64, magnitude uint64)", 4*n, count, 4*n)
	TEXT(name, attr.NOSPLIT, signature)
	Comment(
		fmt.Sprintf("%s sets r to entry magnitude-1 of the table, or to 0 for magnitude 0.", name),
		"func "+name+signature[4:],
		fmt.Sprintf("magnitude is at most %d.", count),
		"Y0 ... Y5 sums of even and odd entries, Y8 magnitude, Y9 number of an entry, Y10 2, Y11 number of the next,",
		"Y12 Y13 masks. All entries are read, one after the other, whatever magnitude is.",
	)
	table, left := GP64(), GP64()
	sums := []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5}[:2*n]
	wanted, even, odd, step := reg.Y8, reg.Y9, reg.Y11, reg.Y10
	masks := []reg.VecPhysical{reg.Y12, reg.Y13}
	values := []reg.VecPhysical{reg.Y6, reg.Y7, reg.Y14}
	Load(Param("table"), table)
	magnitude, _ := Param("magnitude").Resolve()
	VPBROADCASTQ(magnitude.Addr, wanted)
	VPCMPEQD(step, step, step)
	VPSRLQ(Imm(63), step, even)
	VPADDQ(even, even, step)
	VMOVDQA(step, odd)
	for _, s := range sums {
		VPXOR(s, s, s)
	}
	MOVL(U32(count/4), left.As32())
	Label("entries")
	for i := range 4 {
		number := []reg.VecPhysical{even, odd}[i%2]
		mask := masks[i%2]
		VPCMPEQQ(number, wanted, mask)
		VPADDQ(step, number, number)
		for j := range n {
			VPAND(Mem{Base: table, Disp: 32 * (n*i + j)}, mask, values[j])
			s := sums[j+i%2*n]
			VPOR(values[j], s, s)
		}
	}
	ADDQ(U32(uint32(4*32*n)), table)
	DECQ(left)
	JNE(LabelRef("entries"))
	r := table
	Load(Param("r"), r)
	for j := range n {
		VPOR(sums[j+n], sums[j], sums[j])
		VMOVDQU(sums[j], Mem{Base: r, Disp: 32 * j})
	}
	Comment("The magnitude and the entry are secret.")
	for _, v := range append(append(sums, values[:n]...), wanted, masks[0], masks[1]) {
		VPXOR(v, v, v)
	}
	VZEROUPPER()
	RET()
}
