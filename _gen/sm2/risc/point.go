package risc

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
)

func double(isa *ISA, file *asm.File) {
	k := begin(isa, file, "Double", "(r, p *[12]uint64, n int)", "r p",
		`sets r = 2^n p, for n > 0. r may be p.`,
		`With M = 3/2 (X - Z^2) (X + Z^2) and S = X Y^2,
   X' = M^2 - 2 S    Y' = M (S - X') - Y^4    Z' = Y Z
4 multiplications, 4 squarings. -M is computed, because X is below p.`)
	r, n := k.Arg("r"), k.n("n")
	x, y, z := k.at("r", r, 0), k.at("r", r, 1), k.at("r", r, 2)
	p := k.Arg("p")
	k.Add(k.BEQ(p, r, "next"))
	for i, c := range []element{x, y, z} {
		k.store(k.load(k.at("p", p, i)), c)
	}
	m, low, high := k.element(), k.element(), k.element()
	k.Label("next")
	k.scheduled(40, func() {
		zz, v := k.sqrP(k.load(z)), k.load(x)
		v = k.mulP(k.add(zz, v), k.sub(zz, v))
		k.store(k.addP(k.halve(v), v), m)
		v = k.load(y)
		k.store(k.mulP(v, k.load(z)), z)
		v = k.sqrP(v)
		k.store(v, y)
		s := k.mulP(v, k.load(x))
		v = k.sub(k.sub(k.sqrP(k.load(m)), s), s)
		k.store(v, x)
		k.keep(k.product(k.sub(v, s), k.load(m)), low, high)
		k.store(k.lessP(low, high, k.squareProduct(k.load(y))), y)
		k.LoadArg("n", n)
		k.Add(k.ADDI(-1, n, n), k.SetResult(n, k.Result("n")))
	})
	k.Add(k.BNEZ(n, "next"))
	k.end()
}

// zero is 1 if all limbs are 0, else 0.
func (k *kernel) zero(list ...value) asm.Reg {
	or := k.n("or")
	k.Add(k.OR(list[0][0], list[0][1], or))
	for i, v := range list {
		for _, r := range v[max(0, 2-2*i):] {
			k.Add(k.OR(r, or, or))
		}
	}
	k.Add(k.SEQZ(or, or))
	return or
}

// choose stores what is in sum if the first mask is all ones, in first if the second one is,
// and in old if the third one is.
func (k *kernel) choose(masks [3]asm.Reg, sum value, first, old, to element) {
	for i, s := range sum {
		f, o := k.n("f"), k.n("o")
		k.Add(first.load(i, f), old.load(i, o))
		k.Add(k.AND(masks[0], s, s), k.AND(masks[1], f, f), k.AND(masks[2], o, o), k.OR(f, s, s), k.OR(o, s, s), to.store(i, s))
	}
}

// masks are those of choose from two: whether the first number is old, and whether it is infinity.
func (k *kernel) masks(skip, empty asm.Reg) (m [3]asm.Reg) {
	m = [3]asm.Reg{k.n("mask"), k.n("mask"), skip}
	k.Add(k.OR(skip, empty, m[0]), k.NOT(m[0], m[0]), k.NOT(skip, m[1]), k.AND(empty, m[1], m[1]))
	return m
}

// addition is both kernels that add points.
func addition(isa *ISA, file *asm.File, name, signature, doc, banner string, affine bool) {
	k := begin(isa, file, name, signature, "r q skip same", doc, banner)
	r, q := k.Arg("r"), k.Arg("q")
	x, y, z := k.at("r", r, 0), k.at("r", r, 1), k.at("r", r, 2)
	qx, qy, qz := k.at("q", q, 0), k.at("q", q, 1), k.at("q", q, 2)
	e := k.elements(8)
	s1, h, s, hhh, v, sumX, sumZ, high := e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7]
	k.scheduled(32, func() {
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
		t := k.sqrP(k.load(z))
		k.store(t, zz1)
		k.store(k.sub(k.mulP(t, k.load(qx)), k.load(u1)), h)
		t = k.mul(k.load(qy), k.load(z))
		k.store(k.sub(k.mulP(t, k.load(zz1)), k.load(s1)), s)
		t = k.load(h)
		k.store(k.mulP(t, k.load(z1z2)), sumZ)
		t = k.sqr(t)
		k.store(t, hh)
		k.store(k.mulP(t, k.load(h)), hhh)
		t = k.mulP(k.load(hh), k.load(u1))
		k.store(t, v)
		w := k.sub(k.sub(k.sub(k.sqrP(k.load(s)), k.load(hhh)), t), t)
		k.store(w, sumX)
		k.keep(k.product(k.sub(k.load(v), w), k.load(s)), v, high)
		k.store(k.lessP(v, high, k.product(k.load(s1), k.load(hhh))), v)

		empty, skip, same := k.zero(k.load(z)), k.n("skip"), k.zero(k.load(h), k.load(s))
		k.LoadArg("skip", skip)
		k.Add(k.NEG(empty, empty), k.NEG(same, same))
		masks := k.masks(skip, empty)
		k.Add(k.AND(masks[0], same, same), k.SetResult(same, k.Result("same")))
		k.choose(masks, k.load(sumX), qx, x, x)
		k.choose(masks, k.load(v), qy, y, y)
		if affine {
			k.chooseOne(masks, k.load(sumZ), z, z)
		} else {
			k.choose(masks, k.load(sumZ), qz, z, z)
		}
	})
	k.end()
}

// chooseOne is choose for a first point with Z = 1: 2^256 modulo p.
func (k *kernel) chooseOne(masks [3]asm.Reg, sum value, old, to element) {
	one := k.one(masks[1])
	for i, s := range sum {
		o := k.n("o")
		k.Add(old.load(i, o), k.AND(masks[0], s, s), k.AND(masks[2], o, o), k.OR(o, s, s))
		if one[i] != k.Zero {
			k.Add(k.OR(one[i], s, s))
		}
		k.Add(to.store(i, s))
	}
}

// one is 1 in Montgomery's form, or 0, as the mask says.
func (k *kernel) one(mask asm.Reg) value {
	a, b, c := k.n("one"), k.n("one"), k.n("one")
	k.Add(k.NEG(mask, a), k.SRLI(32, mask, b), k.SLLI(32, a, c))
	return value{a, b, k.Zero, c}
}

func add(isa *ISA, file *asm.File) {
	addition(isa, file, "Add", "(r, q *[12]uint64, skip uint64) (same uint64)",
		`sets r = r + q. If skip is all ones, r stays as it is; otherwise it is 0, and q is not
infinity; r may be. For r = q the sum is wrong, and same is all ones; otherwise it is 0.`,
		`With U1 = X1 Z2^2, U2 = X2 Z1^2, S1 = Y1 Z2^3, S2 = Y2 Z1^3, H = U2 - U1 and S = S2 - S1,
   X = S^2 - H^3 - 2 U1 H^2    Y = S (U1 H^2 - X) - S1 H^3    Z = Z1 Z2 H
12 multiplications, 4 squarings.`, false)
}

func addAffine(isa *ISA, file *asm.File) {
	addition(isa, file, "AddAffine", "(r *[12]uint64, q *[8]uint64, skip uint64) (same uint64)",
		`is Add`+isa.Suffix+` for an affine q: Z2 is 1. If skip is all ones, q may be anything.`,
		`8 multiplications, 3 squarings.`, true)
}
