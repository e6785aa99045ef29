package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// Rows of the table of multiples of the base point, and entries in each.
const (
	baseRows    = 43
	baseEntries = 32
)

// entries ors the entry of a table whose number is left, from 1 on, into the sums. It
// reads all entries. table and left change.
func (k *kernel) entries(table, left asm.Reg, count, unroll int, sums []asm.Reg) {
	end := k.n("end")
	size := 8 * len(sums)
	k.Add(ADDI(1024, table, end))
	for n := count*size - 1024; n > 0; n -= 1024 {
		k.Add(ADDI(min(n, 1024), end, end))
	}
	for _, s := range sums {
		k.Add(MOVR(ZERO, s))
	}
	label := fmt.Sprint("entries", len(sums))
	k.Label(label)
	k.scheduled(24, func() {
		for i := range unroll {
			mask := k.n("mask")
			k.Add(ADDI(-1, left, left), SEQZ(left, mask), NEG(mask, mask))
			for j, s := range sums {
				v := k.n("v")
				k.Add(In("table", MOV(size*i+8*j, table, v)), AND(mask, v, v), OR(v, s, s))
			}
		}
		k.Add(ADDI(unroll*size, table, table))
	})
	k.Add(BNE(table, end, label))
}

func get(file *asm.File) {
	k := &kernel{Func: file.Func("GetRV64", "(r *[12]uint64, table *[16][12]uint64, magnitude uint64)")}
	k.Doc = `GetRV64 sets r to entry magnitude-1 of the table, or to 0 for magnitude 0, which is at most 16.`
	k.Banner = "All entries are read, whatever magnitude is."
	k.Secret = "r table magnitude"
	sums := k.Several(Integer, "sum", 12)
	k.entries(k.Arg("table"), k.Arg("magnitude"), 16, 2, sums)
	r := k.Arg("r")
	for j, s := range sums {
		k.Add(SD(s, 8*j, r))
	}
	k.end()
}

func multiplyBase(file *asm.File) {
	k := begin(file, "SumBaseRV64", "(r *[12]uint64, table *[43][32][8]uint64, digits *[43]uint64)", "r digits",
		`SumBaseRV64 sets r to the sum of one point of each row of the table. A digit is the number of an
entry, from 1 on, with bit 63 if the point is to be subtracted. If the sum of the points before is the point to
be added or its opposite, Z becomes 0.`,
		`The sum is in coordinates X, Y, Z^2, Z^3, for which nothing has to be squared. For a point (x, y),
with P = x Z^2 - X, R = y Z^3 - Y,
   X' = R^2 - P^3 - 2 X P^2    Y' = R (X P^2 - X') - Y P^3    Z'^2 = Z^2 P^2    Z'^3 = Z^3 P^3
8 multiplications, 2 squarings for a digit.`)
	k.Public = "table"
	e := k.elements(11)
	x, y, zz, zzz, xq, yq := e[0], e[1], e[2], e[3], e[4], e[5]
	p, r, pp, ppp, q := e[6], e[7], e[8], e[9], e[10]
	number := k.Local("row", 8)

	row := k.n("row")
	k.Add(MOVI(0, row), SetLocalD(row, number.At(0)))
	k.Label("row")
	digits, table, digit, at8 := k.Arg("digits"), k.Arg("table"), k.n("digit"), k.n("at")
	k.Add(
		SLLI(3, row, at8), ADD(at8, digits, digits), MOV(0, digits, digit),
		SLLI(8, at8, at8), ADD(at8, table, table),
		SLLI(1, digit, digit), SRLI(1, digit, digit),
	)
	sums := k.Several(Integer, "sum", 8)
	k.entries(table, digit, baseEntries, 4, sums)
	k.scheduled(40, func() {
		var v, zero value
		for i := range v {
			v[i], zero[i] = sums[4+i], ZERO
			k.Add(xq.store(i, sums[i]))
		}
		// y or -y
		row, digits, negative := k.n("row"), k.Arg("digits"), k.n("negative")
		k.Add(LocalD(number.At(0), row), SLLI(3, row, row), ADD(row, digits, digits), MOV(0, digits, negative), SRAI(63, negative, negative))
		minus := k.sub(zero, v)
		for i := range v {
			k.Add(XOR(v[i], minus[i], minus[i]), AND(negative, minus[i], minus[i]), XOR(v[i], minus[i], minus[i]), yq.store(i, minus[i]))
		}
	})
	k.Add(LocalD(number.At(0), row), BEQZ(row, "first"))

	k.scheduled(40, func() {
		t := k.sub(k.mulP(k.load(xq), k.load(zz)), k.load(x))
		k.store(t, p)
		t = k.sqr(t)
		k.store(t, pp)
		k.store(k.mulP(t, k.load(p)), ppp)
		k.store(k.sub(k.mulP(k.load(yq), k.load(zzz)), k.load(y)), r)
		t = k.mulP(k.load(pp), k.load(x))
		k.store(t, q)
		w := k.sub(k.sub(k.sub(k.sqrP(k.load(r)), k.load(ppp)), t), t)
		k.store(w, x)
		k.store(k.mulP(k.sub(k.load(q), w), k.load(r)), q)
		k.store(k.sub(k.load(q), k.mulP(k.load(y), k.load(ppp))), y)
		k.store(k.mul(k.load(zz), k.load(pp)), zz)
		k.store(k.mul(k.load(zzz), k.load(ppp)), zzz)
	})
	next := k.n("row")
	k.Label("next")
	k.Add(LocalD(number.At(0), row), ADDI(1, row, row), SetLocalD(row, number.At(0)), ADDI(-baseRows, row, next), BNEZ(next, "row"))

	k.Remark("With Z'' = Z^3: X'' = X Z^4, Y'' = Y Z^6.")
	result := k.Arg("r")
	k.scheduled(40, func() {
		k.store(k.sqr(k.load(zz)), p)
		k.store(k.mulP(k.load(x), k.load(p)), at("r", result, 0))
		k.store(k.sqr(k.load(zzz)), p)
		k.store(k.mulP(k.load(y), k.load(p)), at("r", result, 1))
		k.store(k.canonical(k.load(zzz), ZERO), at("r", result, 2))
	})
	k.end()

	k.Label("first")
	k.scheduled(40, func() {
		all := k.n("mask")
		k.Add(MOVI(-1, all))
		one := k.one(all)
		k.store(k.load(xq), x)
		k.store(k.load(yq), y)
		k.store(one, zz)
		k.store(one, zzz)
	})
	k.Add(JMP("next"))
}
