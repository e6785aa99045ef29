package main

import (
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// Rows of the table of multiples of the base point, and entries in each.
const (
	baseRows    = 43
	baseEntries = 32
)

// entries copies the entry of a table with a number, from 1 on, to vectors, which are 0 for
// number 0. It reads all entries, with the vector units. table changes.
func (k *kernel) entries(table, number asm.Reg, count, size int) []asm.Reg {
	wanted, at, step, mask := k.New(Vector, "wanted"), k.New(Vector, "at"), k.New(Vector, "step"), k.New(Vector, "mask")
	sums := k.Group(Vector, "entry", size, 1)
	parts := k.Group(Vector, "part", size, 1)
	one, left := k.n("one"), k.n("left")
	k.vectors = slices.Concat([]asm.Reg{wanted, mask}, sums, parts)
	const unroll = 8
	k.Add(VDUP(D2, number, wanted), MOVD(1, one), VDUP(D2, one, step), VMOV(step, at), MOVD(count/unroll, left))
	for _, s := range sums {
		k.Add(VMOVI(0, s))
	}
	label := fmt.Sprint("entries", size)
	k.Label(label)
	for range unroll {
		k.Add(VLD1(D2, Post(table, 64), parts[:4]))
		if size > 4 {
			k.Add(VLD1(D2, Post(table, 16*(size-4)), parts[4:]))
		}
		k.Add(VCMEQ(D2, at, wanted, mask), VADD(D2, step, at, at))
		for i, s := range sums {
			k.Add(VBIT(mask, parts[i], s))
		}
	}
	k.Add(SUB(1, left, left), CBNZ(left, label))
	return sums
}

func get(file *asm.File) {
	k := &kernel{Func: file.Func("GetARM64", "(r *[12]uint64, table *[16][12]uint64, magnitude uint64)")}
	k.Doc = `GetARM64 sets r to entry magnitude-1 of the table, or to 0 for magnitude 0, which is at most 16.`
	k.Banner = "All entries are read, whatever magnitude is."
	k.Secret = "r table magnitude"
	v := k.entries(k.Arg("table"), k.Arg("magnitude"), 16, 6)
	r := k.Arg("r")
	k.Add(VST1(D2, v[:4], Post(r, 64)), VST1(D2, v[4:], At(r, 0)))
	k.Remark("The magnitude and the entries are secret.")
	k.end()
}

// A row of the table is selected by a tree: bit by bit of the number, one of two neighbours is
// left of entries, of pairs, and so on. It takes as many registers as the tree has levels.
const levels = 5

// point stores an entry of the row of the base table that a register points to, selected by a
// digit: x and y, or -y. The register changes. All entries are read, with the vector units.
func (k *kernel) point(table, digit asm.Reg, x, y element) {
	var groups [levels + 1][]asm.Reg
	for i := range groups {
		groups[i] = k.Group(Vector, "entry", 4, 1)
	}
	masks := k.Several(Vector, "mask", levels)
	k.vectors = slices.Concat(append([][]asm.Reg{masks}, groups[:]...)...)
	number := k.n("number")
	k.Add(SUB(1, digit, number))
	for i, m := range masks {
		bit := k.n("bit")
		k.Add(SBFX(i, number, 1, bit), VDUP(D2, bit, m))
	}
	var choose func(level int, to []asm.Reg)
	choose = func(level int, to []asm.Reg) {
		if level == 0 {
			k.Add(VLD1(D2, Post(table, 64), to))
			return
		}
		choose(level-1, to)
		odd := groups[level-1]
		choose(level-1, odd)
		for i, v := range to {
			k.Add(VBIT(masks[level-1], odd[i], v))
		}
	}
	sums := groups[levels]
	choose(levels, sums)
	at := k.n("point")
	k.Add(x.address(at), VST1(D2, sums[:2], At(at, 0)), y.address(at), VST1(D2, sums[2:], At(at, 0)))
	v := k.load(y)
	minus := k.sub(value{ZR, ZR, ZR, ZR}, v)
	k.Add(CMP(0, digit))
	for i := range v {
		k.Add(CSEL(LT, minus[i], v[i], v[i]))
	}
	k.store(v, y)
}

// row sets registers to the row of the table with a number, and to its digit.
func (k *kernel) row(row asm.Reg) (table, digit asm.Reg) {
	digits := k.Arg("digits")
	table, digit = k.Arg("table"), k.n("digit")
	k.Add(ADD(Left(row, 3), digits, digits), MOVD(At(digits, 0), digit), ADD(Left(row, 11), table, table))
	return table, digit
}

func basePoints(file *asm.File) {
	k := begin(file, "BasePointsARM64", "(r *[43][8]uint64, table *[43][32][8]uint64, digits *[43]uint64)", "r digits",
		`BasePointsARM64 gets one point of each row of the table. A digit is the number of an entry, from 1 on,
with bit 63 if the point is to be negated.`,
		"All entries are read, whatever the digits are.")
	k.Public = "table"
	row, r := k.n("row"), k.Arg("r")
	k.Add(MOVD(0, row))
	k.Label("row")
	table, digit := k.row(row)
	k.point(table, digit, at(r, 0), at(r, 1))
	k.Add(ADD(64, r, r), ADD(1, row, row), CMP(baseRows, row), BNE("row"))
	k.end()
}

func multiplyBase(file *asm.File) {
	k := begin(file, "SumBaseARM64", "(r *[12]uint64, table *[43][32][8]uint64, digits *[43]uint64)", "r digits",
		`SumBaseARM64 sets r to the sum of one point of each row of the table. Digits are as for
BasePointsARM64. If the sum of the points before is the point to be added or its opposite, Z becomes 0.`,
		`The sum is in coordinates X, Y, Z^2, Z^3, for which nothing has to be squared. For a point (x, y),
with P = x Z^2 - X, R = y Z^3 - Y,
   X' = R^2 - P^3 - 2 X P^2    Y' = R (X P^2 - X') - Y P^3    Z'^2 = Z^2 P^2    Z'^3 = Z^3 P^3
8 multiplications, 2 squarings for a digit.`)
	k.Public = "table"
	e := k.elements(13)
	x, y, zz, zzz, xq, yq := e[0], e[1], e[2], e[3], e[4], e[5]
	p, r, pp, ppp, q := e[6], e[7], e[8], e[9], e[10]
	number := k.Local("row", 8)

	row := k.n("row")
	k.Add(MOVD(0, row))
	k.Label("row")
	k.Add(MOVD(row, On(number, 0)))
	table, digit := k.row(row)
	k.point(table, digit, xq, yq)
	k.Add(MOVD(On(number, 0), row), CBZ(row, "first"))

	t := k.store(k.sub(k.mulP(k.load(xq), k.load(zz)), k.load(x)), p)
	t = k.store(k.sqr(t), pp)
	k.store(k.mulP(t, k.load(p)), ppp)
	k.store(k.sub(k.mulP(k.load(yq), k.load(zzz)), k.load(y)), r)
	t = k.store(k.mulP(k.load(pp), k.load(x)), q)
	w := k.store(k.sub(k.sub(k.sub(k.sqrP(k.load(r)), k.load(ppp)), t), t), x)
	k.store(k.sub(t, w), q)
	product := wide(e[11:])
	k.storeWide(k.product(k.load(y), k.load(ppp)), product)
	k.store(k.canonical(k.reduce(k.minusWide(k.product(k.load(q), k.load(r)), product))), y)
	k.store(k.mul(k.load(zz), k.load(pp)), zz)
	k.store(k.mul(k.load(zzz), k.load(ppp)), zzz)
	k.Label("next")
	k.Add(MOVD(On(number, 0), row), ADD(1, row, row), CMP(baseRows, row), BNE("row"))

	k.Remark("With Z'' = Z^3: X'' = X Z^4, Y'' = Y Z^6.")
	result := k.Arg("r")
	k.store(k.mulP(k.sqr(k.load(zz)), k.load(x)), at(result, 0))
	t = k.load(zzz)
	k.store(k.mulP(k.sqr(t), k.load(y)), at(result, 1))
	k.store(k.subtractPrime(k.load(zzz), ZR), at(result, 2))
	k.end()

	k.Label("first")
	k.store(k.load(xq), x)
	k.store(k.load(yq), y)
	one := k.n("one")
	k.Add(MOVD(1, one))
	k.store(k.one(one), zz)
	k.store(k.one(one), zzz)
	k.Add(B("next"))
}
