package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

func double(file *asm.File) {
	k := begin(file, "DoubleARM64", "(r, p *[12]uint64, n int)", "r p",
		`DoubleARM64 sets r = 2^n p, for n > 0. r may be p.`,
		`With M = 3/2 (X - Z^2) (X + Z^2) and S = X Y^2,
   X' = M^2 - 2 S    Y' = M (S - X') - Y^4    Z' = Y Z
4 multiplications, 4 squarings. -M is computed, because X is below p.`)
	left := k.Local("left", 8)
	r := k.Arg("r")
	x, y, z := at(r, 0), at(r, 1), at(r, 2)
	p := k.Arg("p")
	for i, c := range []element{x, y, z} {
		k.store(k.load(at(p, i)), c)
	}
	e := k.elements(3)
	m, yyyy := e[0], wide(e[1:])
	n := k.Arg("n")
	k.Label("next")
	k.Add(MOVD(n, On(left, 0)))
	zz, v := k.sqrP(k.load(z)), k.load(x)
	v = k.mulP(k.add(zz, v), k.sub(zz, v))
	k.store(k.addP(k.halve(v), v), m)
	v = k.load(y)
	k.store(k.mulP(v, k.load(z)), z)
	v = k.sqrP(v)
	k.storeWide(k.squareProduct(v), yyyy)
	s := k.mulP(v, k.load(x))
	v = k.store(k.sub(k.sub(k.sqrP(k.load(m)), s), s), x)
	k.store(k.canonical(k.reduce(k.minusWide(k.product(k.sub(v, s), k.load(m)), yyyy))), y)
	k.Add(MOVD(On(left, 0), n), SUB(1, n, n), CBNZ(n, "next"))
	k.end()
}

// or is the or of the limbs of numbers.
func (k *kernel) or(list ...value) asm.Reg {
	or := k.n("or")
	k.Add(ORR(list[0][0], list[0][1], or))
	for i, v := range list {
		for _, r := range v[max(0, 2-2*i):] {
			k.Add(ORR(r, or, or))
		}
	}
	return or
}

// which sets the flags for choose, to a comparison with 1: of 0, or 1 if empty, which is read from
// the flags EQ; or more if skip is all ones.
func (k *kernel) which(empty, skip asm.Reg) {
	w := k.n("which")
	k.Add(AND(2, skip, w), ORR(empty, w, w), CMP(1, w))
}

// choose stores sum if the flags of which say 0, first for 1, and old for more.
func (k *kernel) choose(sum, first, old value, to element) {
	for i, s := range sum {
		k.Add(CSEL(EQ, first[i], s, s), CSEL(HI, old[i], s, s))
	}
	k.store(sum, to)
}

// one is 1 in Montgomery's form: 2^256 modulo p. c is a register that has 1.
func (k *kernel) one(c asm.Reg) value { return value{c, k.c1, ZR, k.c3} }

// addition is both kernels that add points.
func addition(file *asm.File, name, signature, doc, banner string, affine bool) {
	k := begin(file, name, signature, "r q skip same", doc, banner)
	r, q := k.Arg("r"), k.Arg("q")
	x, y, z := at(r, 0), at(r, 1), at(r, 2)
	qx, qy, qz := at(q, 0), at(q, 1), at(q, 2)
	e := k.elements(8)
	s1, h, s, hhh, v, sumX, sumZ := e[0], e[1], e[2], e[3], e[4], e[5], e[6]
	u1, zz1, hh := v, sumX, sumX
	z1z2 := z // or Z1
	if affine {
		u1, s1 = x, y
	} else {
		t := k.load(qz)
		z1z2 = sumZ
		k.store(k.mul(t, k.load(z)), z1z2)
		k.store(k.mul(t, k.load(y)), s1)
		t = k.sqrP(k.load(qz))
		k.store(k.mulP(t, k.load(s1)), s1)
		k.store(k.mulP(t, k.load(x)), u1)
	}
	t := k.store(k.sqrP(k.load(z)), zz1)
	k.store(k.sub(k.mulP(t, k.load(qx)), k.load(u1)), h)
	t = k.mul(k.load(qy), k.load(z))
	k.store(k.sub(k.mulP(t, k.load(zz1)), k.load(s1)), s)
	t = k.load(h)
	k.store(k.mulP(t, k.load(z1z2)), sumZ)
	t = k.store(k.sqr(t), hh)
	k.store(k.mulP(t, k.load(h)), hhh)
	t = k.store(k.mulP(k.load(hh), k.load(u1)), v)
	w := k.store(k.sub(k.sub(k.sub(k.sqrP(k.load(s)), k.load(hhh)), t), t), sumX)
	k.store(k.sub(k.load(v), w), v)
	k.storeWide(k.product(k.load(s1), k.load(hhh)), wide{e[7], hhh})
	w = k.canonical(k.reduce(k.minusWide(k.product(k.load(v), k.load(s)), wide{e[7], hhh})))

	empty, skip, same := k.n("empty"), k.n("skip"), k.n("same")
	one := k.n("one")
	k.Add(CMP(0, k.or(k.load(z))), CSET(EQ, empty), CMP(0, k.or(k.load(h), k.load(s))), CSETM(EQ, same))
	k.LoadArg("skip", skip)
	k.which(empty, skip)
	k.Add(CSEL(LO, same, ZR, same), MOVD(same, Frame(k.Result("same"))))
	k.choose(w, k.load(qy), k.load(y), y)
	k.choose(k.load(sumX), k.load(qx), k.load(x), x)
	first := value{}
	if affine {
		k.Add(MOVD(1, one))
		first = k.one(one)
	} else {
		first = k.load(qz)
	}
	k.choose(k.load(sumZ), first, k.load(z), z)
	k.end()
}

func add(file *asm.File) {
	addition(file, "AddARM64", "(r, q *[12]uint64, skip uint64) (same uint64)",
		`AddARM64 sets r = r + q. If skip is all ones, r stays as it is; otherwise it is 0, and q is not
infinity; r may be. For r = q the sum is wrong, and same is all ones; otherwise it is 0.`,
		`With U1 = X1 Z2^2, U2 = X2 Z1^2, S1 = Y1 Z2^3, S2 = Y2 Z1^3, H = U2 - U1 and S = S2 - S1,
   X = S^2 - H^3 - 2 U1 H^2    Y = S (U1 H^2 - X) - S1 H^3    Z = Z1 Z2 H
12 multiplications, 4 squarings. What is not wanted is left behind by conditional selections.`, false)
}

func addAffine(file *asm.File) {
	addition(file, "AddAffineARM64", "(r *[12]uint64, q *[8]uint64, skip uint64) (same uint64)",
		`AddAffineARM64 is AddARM64 for an affine q: Z2 is 1. If skip is all ones, q may be anything.`,
		`8 multiplications, 3 squarings.`, true)
}
