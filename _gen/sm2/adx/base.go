package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Rows of the table of multiples of the base point, and entries in each.
const (
	baseRows    = 43
	baseEntries = 32
)

func multiplyBase() {
	one := GLOBL("one", attr.RODATA|attr.NOPTR)
	for i, v := range []uint64{0x0000000000000001, 0x00000000ffffffff, 0x0000000000000000, 0x0000000100000000} {
		DATA(8*i, U64(v))
	}
	TEXT("MultiplyBaseADX", attr.NOSPLIT, "func(r *[12]uint64, table *[43][32][8]uint64, digits *[43]uint64)")
	Comment(
		"MultiplyBaseADX sets r to the sum of one point of each row of the table, in Jacobian coordinates.",
		"A digit is a number m from 0 to 32, for the point m-1 or none, with bit 63 if it is to be",
		"subtracted. The sum of the points before is not the point to be added, nor infinity unless all",
		"digits were 0.",
		"func MultiplyBaseADX(r *[12]uint64, table *[43][32][8]uint64, digits *[43]uint64)",
		"The sum is in coordinates X, Y, Z^2, Z^3, which nothing has to be squared for. For a point (x, y),",
		"with P = x Z^2 - X, R = y Z^3 - Y,",
		"    X' = R^2 - P^3 - 2 X P^2    Y' = R (X P^2 - X') - Y P^3    Z'^2 = Z^2 P^2    Z'^3 = Z^3 P^3",
		"Registers as in MulADX; Y0 ... Y11 as in GetADX. Stack: temporary elements, the number of the row.",
		"8 multiplications, 2 squarings for a digit. All entries are read; what is not wanted is left behind",
		"by conditional moves. A row of the table is read, by the vector units, while the row before is",
		"added.",
	)
	e := local(14)
	row := AllocLocal(8)
	x, y, zz, zzz := e[0], e[1], e[2], e[3]
	xq, yq := e[4], e[5]
	p, r, pp, ppp, q := e[6], e[7], e[8], e[9], e[10]
	// x', y' are made in p and q; zz', zzz' in e[11], e[12].
	sum := []element{e[13], q, e[11], e[12]}
	MOVQ(U32(32), count)
	VPXOR(reg.Y0, reg.Y0, reg.Y0)
	for _, c := range e[:4] {
		VMOVDQU(reg.Y0, c.Mem)
	}
	MOVQ(U32(0), row)

	Comment("The point of the first digit.")
	digits, table, digit := reg.R14, reg.R15, reg.RAX
	Load(Param("digits"), digits)
	Load(Param("table"), table)
	MOVQ(Mem{Base: digits}, digit)
	sums := []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3}
	point := func() {
		for j, c := range []element{xq, yq} {
			VPOR(sums[j+2], sums[j], sums[j])
			VMOVDQU(sums[j], c.Mem)
		}
	}
	want(digit)
	entries(table, baseEntries, 2, sums)
	point()

	Label("row")
	Comment("y or -y.")
	Load(Param("digits"), digits)
	number := reg.RCX
	MOVQ(row, number)
	load(yq)
	negative := []reg.GPPhysical{reg.RSI, reg.RDI, reg.RDX, reg.RBP}
	MOVQ(I32(-1), negative[0])
	MOVQ(p1, negative[1])
	MOVQ(I32(-1), negative[2])
	MOVQ(p3, negative[3])
	SUBQ(low[0], negative[0])
	for i := 1; i < 4; i++ {
		SBBQ(low[i], negative[i])
	}
	CMPQ(Mem{Base: digits, Index: number, Scale: 8}, Imm(0))
	for i := range low {
		CMOVQLT(negative[i], low[i])
	}
	store(yq)
	Comment("The next row and its digit; after the last one itself.")
	MOVQ(number, digit)
	INCQ(number)
	CMPQ(number, Imm(baseRows))
	CMOVQEQ(digit, number)
	MOVQ(Mem{Base: digits, Index: number, Scale: 8}, digit)
	SHLQ(Imm(11), number)
	Load(Param("table"), table)
	ADDQ(number, table)
	want(digit)
	start(sums)
	done := 0
	read := func() { // two entries
		some(table, 2*done, 2, 2, sums)
		done++
	}

	mulLow(xq, zz)
	read()
	subLow(x)
	store(p)
	read()
	mulLow(yq, zzz)
	read()
	subLow(y)
	store(r)
	read()
	sqrLow(p)
	read()
	store(pp)
	mulLow(p, pp)
	read()
	store(ppp)
	mulLow(x, pp)
	read()
	store(q)
	sqrLow(r)
	read()
	store(sum[0])
	mulLow(zz, pp)
	read()
	store(sum[2])
	load(sum[0])
	subLow(ppp)
	subLow(q)
	read()
	subLow(q)
	store(sum[0])
	load(q)
	subLow(sum[0])
	store(p)
	read()
	mulLow(zzz, ppp)
	read()
	store(sum[3])
	mulLow(y, ppp)
	read()
	store(q)
	mulLow(r, p)
	read()
	subLow(q)
	store(sum[1])
	read()
	read()

	Comment("The sum, or the point if there was none before, or what there was.")
	Load(Param("digits"), reg.R14)
	MOVQ(row, reg.RAX)
	MOVQ(Mem{Base: reg.R14, Index: reg.RAX, Scale: 8}, reg.RSI)
	ADDQ(reg.RSI, reg.RSI) // without the sign
	empty := reg.RDI
	MOVQ(zz.limb(0), empty)
	for i := 1; i < 4; i++ {
		ORQ(zz.limb(i), empty)
	}
	for i, c := range []element{x, y, zz, zzz} {
		load(sum[i])
		from := []element{xq, yq, {one}, {one}}[i]
		TESTQ(empty, empty)
		for j, r := range low {
			CMOVQEQ(from.limb(j), r)
		}
		TESTQ(reg.RSI, reg.RSI)
		for j, r := range low {
			CMOVQEQ(c.limb(j), r)
		}
		store(c)
	}
	point()
	INCQ(row)
	CMPQ(row, Imm(baseRows))
	JNE(LabelRef("row"))

	Comment("With Z'' = Z^3: X'' = X Z^4, Y'' = Y Z^6.")
	sqrLow(zz)
	store(p)
	sqrLow(zzz)
	store(pp)
	Load(Param("r"), result)
	mulLow(x, p)
	store(at(result, 0))
	mulLow(y, pp)
	store(at(result, 1))
	load(zzz)
	store(at(result, 2))
	clearTable()
	wipe(e)
	RET()
}
