package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// Numbers of the inversion have five limbs of 60 bits with a sign in the highest.
const wideLimbs = 5

// A pair is the two numbers of a line of a matrix.
type pair [2]asm.Reg

// A total is a signed number of 128 bits.
type total struct{ low, high asm.Reg }

// steps computes 20 division steps on the lowest bits of f and g. The matrix is that of
// sm2/inverse.go, with the other sign, as are f and g after an odd number of calls.
func (k *kernel) steps(delta, one, f, g asm.Reg) (u, q pair) {
	F, G := k.n("F"), k.n("G")
	k.Add(
		UBFX(0, f, 20, F), SUB(Left(one, 41), F, F),
		UBFX(0, g, 20, G), SUB(Left(one, 62), G, G),
	)
	for range 20 {
		odd, term := k.n("odd"), k.n("term")
		k.Add(
			SBFX(0, G, 1, odd), AND(odd, F, term), TST(delta, odd), // MI: swap
			CNEG(MI, term, term), CSEL(MI, G, F, F), CINV(MI, delta, delta),
			ADD(term, G, G), ASR(1, G, G), SUB(1, delta, delta),
		)
	}
	split := func(v asm.Reg) (p pair) {
		p = pair{k.n("u"), k.n("v")}
		k.Add(ADD(1<<20, v, v), ASR(21, v, v), ADD(1<<20, v, p[1]), ASR(21, p[1], p[1]), SUB(Left(p[1], 21), v, p[0]))
		return p
	}
	return split(F), split(G)
}

// combine is a number of a product of matrices: line (a, b) times column (x, y).
func (k *kernel) combine(line pair, x, y asm.Reg) asm.Reg {
	r := k.n("u")
	k.Add(MUL(line[0], x, r), MADD(line[1], r, y, r))
	return r
}

// addProduct adds a b to a sum, or sets it.
func (k *kernel) addProduct(t *total, a, b asm.Reg) {
	low, high := k.n("low"), k.n("high")
	k.Add(MUL(a, b, low), SMULH(a, b, high))
	if *t == (total{}) {
		*t = total{low, high}
	} else {
		k.Add(ADDS(low, t.low, t.low), ADC(high, t.high, t.high))
	}
}

// limb returns the low 60 bits of a sum and divides it by 2^60.
func (k *kernel) limb(t total) asm.Reg {
	r := k.n("limb")
	k.Add(AND(uint64(1<<60-1), t.low, r), EXTR(60, t.low, t.high, t.low), ASR(60, t.high, t.high))
	return r
}

// apply multiplies two numbers in memory by the matrix and divides them by 2^60, modulo the
// modulus unless it is the zero register.
func (k *kernel) apply(u, q pair, f, g func(i int) Mem, modulus asm.Reg) {
	var a, b total
	var ka, kb asm.Reg
	if modulus != ZR {
		// Multiples of the modulus for numbers that are negative.
		fs, gs, t := k.n("sign"), k.n("sign"), k.n("t")
		ka, kb = k.n("ka"), k.n("kb")
		k.Add(MOVD(f(4), fs), MOVD(g(4), gs), ASR(63, fs, fs), ASR(63, gs, gs))
		k.Add(AND(fs, u[0], ka), AND(gs, u[1], t), ADD(t, ka, ka), AND(fs, q[0], kb), AND(gs, q[1], t), ADD(t, kb, kb))
	}
	for i := range wideLimbs {
		x, y := k.n("x"), k.n("y")
		k.Add(MOVD(f(i), x), MOVD(g(i), y))
		k.addProduct(&a, u[0], x)
		k.addProduct(&a, u[1], y)
		k.addProduct(&b, q[0], x)
		k.addProduct(&b, q[1], y)
		if modulus != ZR {
			m := k.n("m")
			if i == 0 { // make the lowest limbs 0
				ta, tb := k.n("t"), k.n("t")
				k.Add(MOVD(At(modulus, 8*wideLimbs), m))
				k.Add(MADD(m, ka, a.low, ta), AND(uint64(1<<60-1), ta, ta), SUB(ta, ka, ka))
				k.Add(MADD(m, kb, b.low, tb), AND(uint64(1<<60-1), tb, tb), SUB(tb, kb, kb))
			}
			k.Add(MOVD(At(modulus, 8*i), m))
			k.addProduct(&a, ka, m)
			k.addProduct(&b, kb, m)
		}
		la, lb := k.limb(a), k.limb(b)
		if i > 0 {
			k.Add(MOVD(la, f(i-1)), MOVD(lb, g(i-1)))
		}
	}
	k.Add(MOVD(a.low, f(4)), MOVD(b.low, g(4)))
}

// carry makes all limbs but the highest numbers of 60 bits.
func (k *kernel) carry(d []asm.Reg) {
	for i := range wideLimbs - 1 {
		c := k.n("c")
		k.Add(ASR(60, d[i], c), ADD(c, d[i+1], d[i+1]), AND(uint64(1<<60-1), d[i], d[i]))
	}
}

// positive adds the modulus to a negative number.
func (k *kernel) positive(d []asm.Reg, modulus asm.Reg) {
	sign := k.n("sign")
	k.Add(ASR(63, d[4], sign))
	for i, r := range d {
		m := k.n("m")
		k.Add(MOVD(At(modulus, 8*i), m), AND(sign, m, m), ADD(m, r, r))
	}
	k.carry(d)
}

func invert(file *asm.File) {
	k := &kernel{Func: file.Func("InvertARM64", "(z, x *[4]uint64, modulus *[6]uint64)")}
	k.Doc = `InvertARM64 sets z = 1/x, or 0 for 0; x is below the modulus. modulus has this in five limbs of 60 bits, and
its inverse modulo 2^60. z may be x.`
	k.Banner = `Division steps as in sm2/inverse.go: 20 at a time on the lowest bits, packed with the lines of the matrix, and
60 at a time on f, g, and on d, e modulo the modulus. 9 instructions for a step.`
	k.Secret, k.Public = "z x", "modulus"
	k.locals = nil
	words := func(name string) func(i int) Mem {
		l := k.Local(name, 48)
		return func(i int) Mem { return On(l, 8*i) }
	}
	f, g, d, e := words("wf"), words("wg"), words("wd"), words("we")
	state := k.Local("state", 16) // delta, and how often steps are left

	modulus := k.Arg("modulus")
	v := k.load(at(k.Arg("x"), 0))
	mask := uint64(1<<60 - 1)
	limbs := k.Several(Integer, "limb", wideLimbs)
	k.Add(
		AND(mask, v[0], limbs[0]),
		EXTR(60, v[0], v[1], limbs[1]), AND(mask, limbs[1], limbs[1]),
		EXTR(56, v[1], v[2], limbs[2]), AND(mask, limbs[2], limbs[2]),
		EXTR(52, v[2], v[3], limbs[3]), AND(mask, limbs[3], limbs[3]),
		LSR(48, v[3], limbs[4]),
	)
	one, delta, left := k.n("one"), k.n("delta"), k.n("left")
	k.Add(MOVD(1, one), MOVD(-1, delta), MOVD(10, left))
	for i, r := range limbs {
		m := k.n("m")
		k.Add(MOVD(r, g(i)), MOVD(At(modulus, 8*i), m), MOVD(m, f(i)), MOVD(ZR, d(i)), MOVD(ZR, e(i)))
	}
	k.Add(MOVD(one, e(0)))
	k.Label("next")
	k.Add(MOVD(left, On(state, 8)))
	load := func(n func(i int) Mem) asm.Reg {
		low, high := k.n("low"), k.n("high")
		k.Add(MOVD(n(0), low), MOVD(n(1), high), ORR(Left(high, 60), low, low))
		return low
	}
	fl, gl := load(f), load(g)
	u, q := k.steps(delta, one, fl, gl)
	nu, nq := u, q
	for range 2 {
		// The lowest bits after these steps.
		a, b := k.combine(nu, fl, gl), k.combine(nq, fl, gl)
		k.Add(ASR(20, a, a), ASR(20, b, b))
		fl, gl = a, b
		nu, nq = k.steps(delta, one, fl, gl)
		u, q = pair{k.combine(nu, u[0], q[0]), k.combine(nu, u[1], q[1])}, pair{k.combine(nq, u[0], q[0]), k.combine(nq, u[1], q[1])}
	}
	k.Add(MOVD(delta, On(state, 0)))
	k.apply(u, q, f, g, ZR)
	k.apply(u, q, d, e, k.Arg("modulus"))
	k.Add(MOVD(On(state, 0), delta), MOVD(On(state, 8), left), SUB(1, left, left), CBNZ(left, "next"))

	k.Remark("Unless x is 0, f is 1 or -1, and d is f/x, between -2 and 1 times the modulus.")
	r := k.Several(Integer, "d", wideLimbs)
	modulus = k.Arg("modulus")
	for i := range r {
		k.Add(MOVD(d(i), r[i]))
	}
	k.positive(r, modulus)
	sign := k.n("sign")
	k.Add(MOVD(f(4), sign), ASR(63, sign, sign))
	for _, x := range r {
		k.Add(EOR(sign, x, x), SUB(sign, x, x))
	}
	k.carry(r)
	k.positive(r, modulus)
	z := k.value("z")
	k.Add(
		ORR(Left(r[1], 60), r[0], z[0]),
		LSR(4, r[1], z[1]), ORR(Left(r[2], 56), z[1], z[1]),
		LSR(8, r[2], z[2]), ORR(Left(r[3], 52), z[2], z[2]),
		LSR(12, r[3], z[3]), ORR(Left(r[4], 48), z[3], z[3]),
	)
	k.store(z, at(k.Arg("z"), 0))
	for _, word := range []func(i int) Mem{f, g, d, e} {
		for i := 0; i < 6; i += 2 {
			k.Add(STP(ZR, ZR, word(i)))
		}
	}
	k.Add(STP(ZR, ZR, On(state, 0)), RET())
}
