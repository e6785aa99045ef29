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
	TEXT("SumBaseADX", attr.NOSPLIT, "func(r *[12]uint64, table *[43][32][8]uint64, digits *[43]uint64)")
	Comment(
		"SumBaseADX sets r to the sum of one point of each row of the table, in Jacobian coordinates.",
		"A digit is the number of an entry, from 1 on, with bit 63 if the point is to be subtracted. If",
		"the sum of the points before is the point to be added or its opposite, Z becomes 0.",
		"func SumBaseADX(r *[12]uint64, table *[43][32][8]uint64, digits *[43]uint64)",
		"The sum is in coordinates X, Y, Z^2, Z^3, which nothing has to be squared for. For a point (x, y),",
		"with P = x Z^2 - X, R = y Z^3 - Y,",
		"    X' = R^2 - P^3 - 2 X P^2    Y' = R (X P^2 - X') - Y P^3    Z'^2 = Z^2 P^2    Z'^3 = Z^3 P^3",
		"Registers as in MulADX; Y0 ... Y11 as in GetADX. Stack: temporary elements, the number of the row.",
		"8 multiplications, 2 squarings for a digit. All entries are read. A row of the table is read, by",
		"the vector units, while the row before is added.",
	)
	e := local(11)
	row := AllocLocal(8)
	x, y, zz, zzz := e[0], e[1], e[2], e[3]
	xq, yq := e[4], e[5]
	p, r, pp, ppp, q := e[6], e[7], e[8], e[9], e[10]
	MOVQ(U32(32), count)

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
	number := reg.RCX
	sign := func(to element) { // y or -y
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
		store(to)
	}
	want(digit)
	entries(table, baseEntries, 2, sums)
	point()
	Load(Param("digits"), digits)
	MOVQ(U32(0), number)
	sign(y)
	load(xq)
	store(x)
	load(element{one})
	store(zz)
	store(zzz)

	Comment("The point of the second one.")
	MOVQ(Mem{Base: digits, Disp: 8}, digit)
	Load(Param("table"), table)
	ADDQ(U32(64*baseEntries), table)
	want(digit)
	start(sums)
	some(table, 0, baseEntries, 2, sums)
	point()
	MOVQ(U32(1), number)
	MOVQ(number, row)

	Label("row")
	Load(Param("digits"), digits)
	MOVQ(row, number)
	sign(yq)
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
	store(x)
	mulLow(zz, pp)
	read()
	store(zz)
	load(x)
	subLow(ppp)
	subLow(q)
	read()
	subLow(q)
	store(x)
	load(q)
	subLow(x)
	store(p)
	read()
	mulLow(zzz, ppp)
	read()
	store(zzz)
	mulLow(y, ppp)
	read()
	store(q)
	mulLow(r, p)
	read()
	subLow(q)
	store(y)
	read()
	read()
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
