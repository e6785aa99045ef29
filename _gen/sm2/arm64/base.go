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

func multiplyBase(file *asm.File) {
	k := begin(file, "MultiplyBaseARM64", "(r *[12]uint64, table *[43][32][8]uint64, digits *[43]uint64)", "r digits",
		`MultiplyBaseARM64 sets r to the sum of one point of each row of the table. A digit is a number m
from 0 to 32, for the point m-1 or none, with bit 63 if it is to be subtracted. The sum of the points
before is not the point to be added, nor infinity unless all digits were 0.`,
		`The sum is in coordinates X, Y, Z^2, Z^3, for which nothing has to be squared. For a point (x, y),
with P = x Z^2 - X, R = y Z^3 - Y,
   X' = R^2 - P^3 - 2 X P^2    Y' = R (X P^2 - X') - Y P^3    Z'^2 = Z^2 P^2    Z'^3 = Z^3 P^3
8 multiplications, 2 squarings for a digit.`)
	k.Public = "table"
	e := k.elements(14)
	x, y, zz, zzz, xq, yq := e[0], e[1], e[2], e[3], e[4], e[5]
	p, r, pp, ppp, q, state := e[6], e[7], e[8], e[9], e[10], e[11]
	skip, empty := state.word(0), state.word(1)
	number := k.Local("row", 8)

	row := k.n("row")
	k.Add(MOVD(0, row))
	k.Label("row")
	k.Add(MOVD(row, On(number, 0)))
	digits, table, digit, next := k.Arg("digits"), k.Arg("table"), k.n("digit"), k.n("next")
	point := k.n("point")
	k.Add(
		ADD(Left(row, 3), digits, digits), MOVD(At(digits, 0), digit), ADD(Left(row, 11), table, table),
		AND(uint64(1<<63-1), digit, digit), CMP(0, digit), CSETM(EQ, next), MOVD(next, skip),
	)
	sums := k.entries(table, digit, baseEntries, 4)
	k.Add(MOVD(*xq.local, point), VST1(D2, sums[:2], At(point, 0)), MOVD(*yq.local, point), VST1(D2, sums[2:], At(point, 0)))
	k.Remark("y or -y. For no point, y may be p, which does not count.")
	v := k.load(yq)
	digits = k.Arg("digits")
	zero := value{ZR, ZR, ZR, ZR}
	k.Add(MOVD(On(number, 0), row), ADD(Left(row, 3), digits, digits), MOVD(At(digits, 0), digit))
	minus := k.sub(zero, v)
	k.Add(CMP(0, digit))
	for i := range v {
		k.Add(CSEL(LT, minus[i], v[i], v[i]))
	}
	k.store(v, yq)
	k.Add(MOVD(On(number, 0), row), CBZ(row, "first"))

	t := k.store(k.sub(k.mulP(k.load(xq), k.load(zz)), k.load(x)), p)
	t = k.store(k.sqr(t), pp)
	k.store(k.mulP(t, k.load(p)), ppp)
	k.store(k.sub(k.mulP(k.load(yq), k.load(zzz)), k.load(y)), r)
	t = k.store(k.mulP(k.load(pp), k.load(x)), q)
	w := k.sub(k.sub(k.sub(k.sqrP(k.load(r)), k.load(ppp)), t), t)
	k.store(w, p)
	k.store(k.sub(t, w), q)
	product := wide(e[12:])
	k.storeWide(k.product(k.load(y), k.load(ppp)), product)
	k.store(k.canonical(k.reduce(k.less(k.product(k.load(q), k.load(r)), product))), q)
	k.store(k.mul(k.load(zz), k.load(pp)), pp)
	v = k.mul(k.load(zzz), k.load(ppp))

	none, was, one := k.n("none"), k.n("empty"), k.n("one")
	k.Add(MOVD(skip, none), MOVD(empty, was), MOVD(1, one))
	k.Add(AND(none, was, next), MOVD(next, empty), AND(1, was, was))
	k.which(was, none)
	k.choose(v, k.one(one), k.load(zzz), zzz)
	k.choose(k.load(pp), k.one(one), k.load(zz), zz)
	k.choose(k.load(p), k.load(xq), k.load(x), x)
	k.choose(k.load(q), k.load(yq), k.load(y), y)
	k.Label("next")
	k.Add(MOVD(On(number, 0), row), ADD(1, row, row), CMP(baseRows, row), BNE("row"))

	k.Remark("With Z'' = Z^3: X'' = X Z^4, Y'' = Y Z^6.")
	result := k.Arg("r")
	k.store(k.mulP(k.sqr(k.load(zz)), k.load(x)), at(result, 0))
	t = k.load(zzz)
	k.store(k.mulP(k.sqr(t), k.load(y)), at(result, 1))
	k.store(k.below(k.load(zzz), ZR), at(result, 2))
	k.end()

	k.Label("first")
	k.store(k.load(xq), x)
	k.store(k.load(yq), y)
	none, one = k.n("none"), k.n("one")
	k.Add(MOVD(skip, none), MOVD(none, empty), CMP(0, none), MOVD(1, one))
	v = k.one(one)
	for i, limb := range v {
		if limb != ZR {
			v[i] = k.n("v")
			k.Add(CSEL(EQ, limb, ZR, v[i]))
		}
	}
	k.store(v, zz)
	k.store(v, zzz)
	k.Add(B("next"))
}
