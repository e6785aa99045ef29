package risc

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// Rows of the table of multiples of the base point, and entries in each.
const (
	baseRows    = 43
	baseEntries = 32
)

// entries ors the entry of a table whose number is left, from 1 on, into the sums. It
// reads all entries. table and left change.
func (k *kernel) entries(table, left asm.Reg, count, unroll int, sums []asm.Reg) {
	if k.Select != nil {
		k.Select(k.Func, table, left, count, sums)
		return
	}
	end := k.n("end")
	size := 8 * len(sums)
	k.Add(k.ADDI(1024, table, end))
	for n := count*size - 1024; n > 0; n -= 1024 {
		k.Add(k.ADDI(min(n, 1024), end, end))
	}
	for _, s := range sums {
		k.Add(k.MOVR(k.Zero, s))
	}
	label := fmt.Sprint("entries", len(sums))
	k.Label(label)
	k.scheduled(24, func() {
		for i := range unroll {
			mask := k.n("mask")
			k.Add(k.ADDI(-1, left, left), k.SEQZ(left, mask), k.NEG(mask, mask))
			for j, s := range sums {
				v := k.n("v")
				k.Add(in("table", k.MOV(size*i+8*j, table, v)), k.AND(mask, v, v), k.OR(v, s, s))
			}
		}
		k.Add(k.ADDI(unroll*size, table, table))
	})
	k.Add(k.BNE(table, end, label))
}

func get(isa *ISA, file *asm.File) {
	k := isa.function(file, "Get", "(r *[12]uint64, table *[16][12]uint64, magnitude uint64)", "r table magnitude",
		`sets r to entry magnitude-1 of the table, or to 0 for magnitude 0, which is at most 16.`,
		"All entries are read, whatever magnitude is.")
	sums := k.Several(k.Target.Integer, "sum", 12)
	k.entries(k.Arg("table"), k.Arg("magnitude"), 16, 2, sums)
	r := k.Arg("r")
	for j, s := range sums {
		k.Add(k.SD(s, 8*j, r))
	}
	k.end()
}

// point begins a loop over all rows, whose number is in memory. It stores the point that the row's digit
// selects to what to returns.
func (k *kernel) point(number asm.Local, to func() (x, y element)) {
	k.Add(k.SetLocalD(k.Zero, number.At(0)))
	k.Label("row")
	digits, table, digit, at8 := k.Arg("digits"), k.Arg("table"), k.n("digit"), k.n("at")
	k.Add(
		k.LocalD(number.At(0), at8), k.SLLI(3, at8, at8), k.ADD(at8, digits, digits), k.MOV(0, digits, digit),
		k.SLLI(8, at8, at8), k.ADD(at8, table, table),
		k.SLLI(1, digit, digit), k.SRLI(1, digit, digit),
	)
	sums := k.Several(k.Target.Integer, "sum", 8)
	k.entries(table, digit, baseEntries, 4, sums)
	k.scheduled(40, func() {
		x, y := to()
		var v, zero value
		for i := range v {
			v[i], zero[i] = sums[4+i], k.Zero
			k.Add(x.store(i, sums[i]))
		}
		// y or -y
		row, digits, negative := k.n("row"), k.Arg("digits"), k.n("negative")
		k.Add(k.LocalD(number.At(0), row), k.SLLI(3, row, row), k.ADD(row, digits, digits), k.MOV(0, digits, negative), k.SRAI(63, negative, negative))
		minus := k.sub(zero, v)
		for i := range v {
			k.Add(k.XOR(v[i], minus[i], minus[i]), k.AND(negative, minus[i], minus[i]), k.XOR(v[i], minus[i], minus[i]), y.store(i, minus[i]))
		}
	})
}

// next ends the loop that point begins.
func (k *kernel) next(number asm.Local) {
	row, left := k.n("row"), k.n("left")
	k.Add(k.LocalD(number.At(0), row), k.ADDI(1, row, row), k.SetLocalD(row, number.At(0)), k.ADDI(-baseRows, row, left), k.BNEZ(left, "row"))
}

func basePoints(isa *ISA, file *asm.File) {
	k := begin(isa, file, "BasePoints", "(r *[43][8]uint64, table *[43][32][8]uint64, digits *[43]uint64)", "r digits",
		`gets one point of each row of the table. A digit is the number of an entry, from 1 on,
with bit 63 if the point is to be negated.`,
		"All entries of a row are read, whatever the digit is.")
	k.Public = "table"
	number := k.Local("row", 8)
	k.point(number, func() (x, y element) {
		row, r := k.n("row"), k.Arg("r")
		k.Add(k.LocalD(number.At(0), row), k.SLLI(6, row, row), k.ADD(row, r, r))
		return k.at("r", r, 0), k.at("r", r, 1)
	})
	k.next(number)
	k.end()
}

func multiplyBase(isa *ISA, file *asm.File) {
	k := begin(isa, file, "SumBase", "(r *[12]uint64, table *[43][32][8]uint64, digits *[43]uint64)", "r digits",
		`sets r to the sum of one point of each row of the table. Digits are as for
BasePoints`+isa.Suffix+`. If the sum of the points before is the point to be added or its opposite, Z becomes 0.`,
		`The sum is in coordinates X, Y, Z^2, Z^3, for which nothing has to be squared. For a point (x, y),
with P = x Z^2 - X, R = y Z^3 - Y,
   X' = R^2 - P^3 - 2 X P^2    Y' = R (X P^2 - X') - Y P^3    Z'^2 = Z^2 P^2    Z'^3 = Z^3 P^3
8 multiplications, 2 squarings for a digit.`)
	k.Public = "table"
	e := k.elements(11)
	x, y, zz, zzz, xq, yq := e[0], e[1], e[2], e[3], e[4], e[5]
	p, r, pp, ppp, q := e[6], e[7], e[8], e[9], e[10]
	number := k.Local("row", 8)

	k.point(number, func() (x, y element) { return xq, yq })
	row := k.n("row")
	k.Add(k.LocalD(number.At(0), row), k.BEQZ(row, "first"))

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
		k.keep(k.product(k.sub(k.load(q), w), k.load(r)), q, p)
		k.store(k.lessP(q, p, k.product(k.load(y), k.load(ppp))), y)
		k.store(k.mul(k.load(zz), k.load(pp)), zz)
		k.store(k.mul(k.load(zzz), k.load(ppp)), zzz)
	})
	k.Label("next")
	k.next(number)

	k.Remark("With Z'' = Z^3: X'' = X Z^4, Y'' = Y Z^6.")
	result := k.Arg("r")
	k.scheduled(40, func() {
		k.store(k.sqr(k.load(zz)), p)
		k.store(k.mulP(k.load(x), k.load(p)), k.at("r", result, 0))
		k.store(k.sqr(k.load(zzz)), p)
		k.store(k.mulP(k.load(y), k.load(p)), k.at("r", result, 1))
		k.store(k.canonical(k.load(zzz), k.Zero), k.at("r", result, 2))
	})
	k.end()

	k.Label("first")
	k.scheduled(40, func() {
		all := k.n("mask")
		k.Add(k.MOVI(-1, all))
		one := k.one(all)
		k.store(k.load(xq), x)
		k.store(k.load(yq), y)
		k.store(one, zz)
		k.store(one, zzz)
	})
	k.Add(k.JMP("next"))
}
