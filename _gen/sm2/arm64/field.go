package main

import (
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// A value is a number of four limbs in registers, the lowest first.
type value [4]asm.Reg

// An element is a number in memory: on the stack, or behind a pointer.
type element struct {
	base   asm.Reg
	offset int
	local  *asm.Local
}

func (e element) half(i int) Mem {
	if e.local != nil {
		return On(*e.local, 16*i)
	}
	return At(e.base, e.offset+16*i)
}

// address sets a register to the address of the element.
func (e element) address(r asm.Reg) asm.Op {
	if e.local != nil {
		return MOVD(*e.local, r)
	}
	return ADD(e.offset, e.base, r)
}

// at is element i of what a pointer points to.
func at(base asm.Reg, i int) element { return element{base: base, offset: 32 * i} }

// A kernel is a function under construction.
type kernel struct {
	*asm.Func
	c1, c3  asm.Reg // limbs 1 and 3 of 2^256 - p: 2^32 - 1 and 2^32
	locals  []element
	vectors []asm.Reg // with secrets
}

func begin(file *asm.File, name, signature, secret, doc, banner string) *kernel {
	k := &kernel{Func: file.Func(name, signature)}
	k.Doc, k.Banner, k.Secret = doc, banner, secret
	k.c1, k.c3 = k.n("c1"), k.n("c3")
	k.Add(MOVD(uint64(1<<32-1), k.c1), MOVD(uint64(1<<32), k.c3))
	return k
}

// elements reserves memory on the stack, which end wipes, as it does vectors.
func (k *kernel) elements(n int) (list []element) {
	for range n {
		l := k.Local(fmt.Sprint("e", len(k.locals)), 32)
		list = append(list, element{local: &l})
		k.locals = append(k.locals, element{local: &l})
	}
	return list
}

func (k *kernel) end() {
	for _, e := range k.locals {
		for i := range 2 {
			k.Add(STP(ZR, ZR, e.half(i)))
		}
	}
	for _, v := range k.vectors {
		k.Add(VMOVI(0, v))
	}
	k.Add(RET())
}

// n returns a new register.
func (k *kernel) n(name string) asm.Reg { return k.New(Integer, name) }

func (k *kernel) value(name string) value { return value(k.Several(Integer, name, 4)) }

func (k *kernel) load(e element) value {
	v := k.value("v")
	k.Add(LDP(e.half(0), v[0], v[1]), LDP(e.half(1), v[2], v[3]))
	return v
}

// store returns its value, for the next operation.
func (k *kernel) store(v value, e element) value {
	k.Add(STP(v[0], v[1], e.half(0)), STP(v[2], v[3], e.half(1)))
	return v
}

// product is x y, in rows: the low halves of the products of a row are added in one chain of
// carries, the high halves in another. Multiplications, which leave the flags alone, are between
// the additions of the chain before, for CPUs that do not reorder.
func (k *kernel) product(x, y value) (t [8]asm.Reg) {
	half := func(name string, multiply func(a, b, d asm.Reg) asm.Op, i int) (v value, s asm.Stream) {
		v = k.value(name)
		for j := range v {
			s.Add(multiply(x[i], y[j], v[j]))
		}
		return v, s
	}
	low, multiply := half("low", MUL, 0)
	var chain, last asm.Stream
	for i := range 4 {
		k.Add(asm.Spread(multiply, chain)...)
		k.Add(last...)
		high, multiplyHigh := half("high", UMULH, i)
		chain, last = nil, nil
		if i == 0 {
			copy(t[:], low[:])
			k.Add(multiplyHigh...)
		} else {
			chain.Add(ADDS(low[0], t[i], t[i]))
			for j := 1; j < 4; j++ {
				chain.Add(ADCS(low[j], t[i+j], t[i+j]))
			}
			k.Add(asm.Spread(multiplyHigh, chain)...)
			k.Add(ADC(ZR, high[3], high[3]))
			chain = nil
		}
		t[i+4] = high[3]
		chain.Add(ADDS(high[0], t[i+1], t[i+1]), ADCS(high[1], t[i+2], t[i+2]), ADCS(high[2], t[i+3], t[i+3]))
		last.Add(ADC(ZR, t[i+4], t[i+4]))
		if i < 3 {
			low, multiply = half("low", MUL, i+1)
		}
	}
	k.Add(chain...)
	k.Add(last...)
	return t
}

// squareProduct is x^2: products of different limbs are doubled.
func (k *kernel) squareProduct(x value) (t [8]asm.Reg) {
	multiply := func(i, j int) (low, high asm.Reg, s asm.Stream) {
		low, high = k.n("low"), k.n("high")
		return low, high, asm.Stream{MUL(x[i], x[j], low), UMULH(x[i], x[j], high)}
	}
	low01, high01, s01 := multiply(0, 1)
	low02, high02, s02 := multiply(0, 2)
	low03, high03, s03 := multiply(0, 3)
	low12, high12, s12 := multiply(1, 2)
	low13, high13, s13 := multiply(1, 3)
	low23, high23, s23 := multiply(2, 3)
	var square [8]asm.Reg
	var squares asm.Stream
	for i := range 4 {
		low, high, s := multiply(i, i)
		square[2*i], square[2*i+1] = low, high
		squares.Add(s...)
	}
	t = [8]asm.Reg{square[0], low01, high01, high02, high03, high13, high23, k.n("t")}
	k.Add(slices.Concat(s01, s02, s03, s12)...)
	k.Add(asm.Spread(
		asm.Stream{ADDS(low02, t[2], t[2]), ADCS(low03, t[3], t[3]), ADC(ZR, t[4], t[4])}, s13)...)
	k.Add(asm.Spread(
		asm.Stream{ADDS(low12, t[3], t[3]), ADCS(low13, t[4], t[4]), ADC(ZR, t[5], t[5])}, s23)...)
	k.Add(asm.Spread(
		asm.Stream{ADDS(high12, t[4], t[4]), ADCS(low23, t[5], t[5]), ADC(ZR, t[6], t[6])}, squares[:3])...)
	doubled := asm.Stream{ADDS(t[1], t[1], t[1])}
	for i := 2; i < 7; i++ {
		doubled.Add(ADCS(t[i], t[i], t[i]))
	}
	k.Add(asm.Spread(doubled, squares[3:])...)
	k.Add(ADC(ZR, ZR, t[7]), ADDS(square[1], t[1], t[1]))
	for i := 2; i < 7; i++ {
		k.Add(ADCS(square[i], t[i], t[i]))
	}
	k.Add(ADC(square[7], t[7], t[7]))
	return t
}

// reduce is t / 2^256 modulo p, below 2^256 + p: four limbs, and the carry in the flags.
//
// Two limbs at a time are made 0 by adding m p, where m = m0 + 2^64 m1 has the limbs m0 = t0
// and m1 = t1 + t0 - 2^32 t0. For m p + m = m (2^256 - 2^224 - 2^96 + 2^64), and so
// (t + m p) / 2^128 is, by limbs,
//
//	t2 + m1 - y1    t3 - y0 - y2    m0 - y1    m1 - y2
//
// where y0, y1, y2 are the limbs of 2^32 m, plus the carry and less the borrow of m1. y0 and y2
// have no bit in common: their sum is one instruction, as y1 is.
func (k *kernel) reduce(t [8]asm.Reg) (v value) {
	t0, t1, t2, t3 := t[0], t[1], t[2], t[3]
	for range 2 {
		m0, m1 := t0, k.n("m")
		d, y1, y2, w := k.n("d"), k.n("y"), k.n("y"), k.n("y")
		t4, t5 := k.n("t"), k.n("t")
		k.Add(
			SUBS(Left(m0, 32), m0, d), ADDS(d, t1, m1),
			EXTR(32, m0, m1, y1), EXTR(32, m1, m0, w), LSR(32, m1, y2),
			ADCS(m1, t2, t2), ADCS(ZR, t3, t3), ADCS(ZR, m0, t4), ADC(ZR, m1, t5),
			CMP(Left(m0, 32), m0), // the borrow of d once more
			SBCS(y1, t2, t2), SBCS(w, t3, t3), SBCS(y1, t4, t4), SBC(y2, t5, t5),
		)
		t0, t1, t2, t3 = t2, t3, t4, t5
	}
	v = k.value("v")
	k.Add(ADDS(t[4], t0, v[0]), ADCS(t[5], t1, v[1]), ADCS(t[6], t2, v[2]), ADCS(t[7], t3, v[3]))
	return v
}

// fix subtracts p from a number below 2^256 + p if it has a carry. The result is below 2^256.
func (k *kernel) fix(t value) (v value) {
	k1, k3 := k.n("k"), k.n("k")
	v = k.value("v")
	k.Add(
		CSEL(HS, k.c1, ZR, k1), CSEL(HS, k.c3, ZR, k3),
		ADCS(ZR, t[0], v[0]), ADCS(k1, t[1], v[1]), ADCS(ZR, t[2], v[2]), ADC(k3, t[3], v[3]),
	)
	return v
}

// canonical subtracts p from a number below 2p, with a carry in the flags, if it is not below p.
func (k *kernel) canonical(t value) value {
	c := k.n("c")
	k.Add(CSET(HS, c))
	return k.subtractPrime(t, c)
}

// subtractPrime is canonical for a carry in a register.
func (k *kernel) subtractPrime(t value, c asm.Reg) (v value) {
	v = k.value("v")
	k.Add(ADDS(1, t[0], v[0]), ADCS(k.c1, t[1], v[1]), ADCS(ZR, t[2], v[2]), ADCS(k.c3, t[3], v[3]))
	if c != ZR {
		k.Add(SBCS(ZR, c, ZR)) // a carry if there is one already
	}
	for i := range v {
		k.Add(CSEL(HS, v[i], t[i], v[i]))
	}
	return v
}

// Numbers are below 2^256 after the operations with the names of operations, and below p after
// those that end with P, if one operand is (for those of two numbers below 2^256, what reduce
// returns may be 2p or more): these cost 4 instructions more. The second operand of additions and
// subtractions must be below p. A difference of numbers below p is below p, too.

func (k *kernel) mul(x, y value) value { return k.fix(k.reduce(k.product(x, y))) }
func (k *kernel) sqr(x value) value    { return k.fix(k.reduce(k.squareProduct(x))) }

func (k *kernel) mulP(x, y value) value { return k.canonical(k.reduce(k.product(x, y))) }
func (k *kernel) sqrP(x value) value    { return k.canonical(k.reduce(k.squareProduct(x))) }

// minusWide is t less a product in memory, as one number to be reduced. Both are below 2^256 p, as the
// difference is then.
func (k *kernel) minusWide(t [8]asm.Reg, w wide) [8]asm.Reg {
	subtract := SUBS[asm.Reg]
	for i := range t {
		if i%2 == 0 {
			a, b := k.n("a"), k.n("a")
			k.Add(LDP(w[i/4].half(i%4/2), a, b), subtract(a, t[i], t[i]), SBCS(b, t[i+1], t[i+1]))
			subtract = SBCS
		}
	}
	k.borrowed(value(t[4:]))
	return t
}

// A wide is a product in memory.
type wide [2]element

func (k *kernel) storeWide(t [8]asm.Reg, w wide) {
	k.store(value(t[:4]), w[0])
	k.store(value(t[4:]), w[1])
}

func (k *kernel) add(x, y value) value  { return k.fix(k.sum(x, y)) }
func (k *kernel) addP(x, y value) value { return k.canonical(k.sum(x, y)) }

func (k *kernel) sum(x, y value) (t value) {
	t = k.value("t")
	k.Add(ADDS(y[0], x[0], t[0]))
	for i := 1; i < 4; i++ {
		k.Add(ADCS(y[i], x[i], t[i]))
	}
	return t
}

func (k *kernel) sub(x, y value) value {
	t := k.value("t")
	k.Add(SUBS(y[0], x[0], t[0]))
	for i := 1; i < 4; i++ {
		k.Add(SBCS(y[i], x[i], t[i]))
	}
	k.borrowed(t)
	return t
}

// borrowed adds p if there was a borrow.
func (k *kernel) borrowed(t value) {
	k1, k3 := k.n("k"), k.n("k")
	k.Add(
		CSEL(LO, k.c1, ZR, k1), CSEL(LO, k.c3, ZR, k3),
		SBCS(ZR, t[0], t[0]), SBCS(k1, t[1], t[1]), SBCS(ZR, t[2], t[2]), SBC(k3, t[3], t[3]),
	)
}

// halve halves a number below p: p is added if it is odd. The result is below p.
func (k *kernel) halve(x value) (v value) {
	odd, k1, k3 := k.n("odd"), k.n("k"), k.n("k")
	t1, t2, t3, t4 := k.n("t"), k.n("t"), k.n("t"), k.n("t")
	v = k.value("v")
	k.Add(
		ANDS(1, x[0], odd), CSEL(NE, k.c1, ZR, k1), CSEL(NE, k.c3, ZR, k3),
		// Limb 0 less odd, which is shifted out.
		SUBS(k1, x[1], t1), SBCS(ZR, x[2], t2), SBCS(k3, x[3], t3), SBC(ZR, odd, t4),
		EXTR(1, x[0], t1, v[0]), EXTR(1, t1, t2, v[1]), EXTR(1, t2, t3, v[2]), EXTR(1, t3, t4, v[3]),
	)
	return v
}

func mul(file *asm.File) {
	k := begin(file, "MulARM64", "(z, x, y *[4]uint64)", "z x y",
		`MulARM64 sets z = x y / 2^256 modulo p. x and y are below p; z may be one of them.`,
		"16 products of limbs in rows, then a reduction of shifts, additions and subtractions.")
	x, y := k.load(at(k.Arg("x"), 0)), k.load(at(k.Arg("y"), 0))
	v := k.mulP(x, y)
	k.store(v, at(k.Arg("z"), 0))
	k.end()
}

func square(file *asm.File) {
	k := begin(file, "SquaresARM64", "(z, x *[4]uint64, n int)", "z x",
		`SquaresARM64 sets z = x^(2^n), in Montgomery's form, for n > 0. x is below p; z may be x.`,
		"10 products of limbs rather than 16. The number stays in registers.")
	v, n := k.load(at(k.Arg("x"), 0)), k.Arg("n")
	k.Label("next")
	t := k.reduce(k.squareProduct(v))
	k1, k3 := k.n("k"), k.n("k")
	k.Add(
		CSEL(HS, k.c1, ZR, k1), CSEL(HS, k.c3, ZR, k3),
		ADCS(ZR, t[0], v[0]), ADCS(k1, t[1], v[1]), ADCS(ZR, t[2], v[2]), ADC(k3, t[3], v[3]),
		SUB(1, n, n), CBNZ(n, "next"),
	)
	k.store(k.subtractPrime(v, ZR), at(k.Arg("z"), 0))
	k.end()
}
