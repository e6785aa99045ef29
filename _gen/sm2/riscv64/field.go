package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// A value is a number of four limbs in registers, the lowest first.
type value [4]asm.Reg

// An element is a number in memory: on the stack, or behind a pointer.
type element struct {
	stream string // its name for the scheduler
	base   asm.Reg
	offset int
	local  *asm.Local
}

func (e element) load(i int, d asm.Reg) asm.Op {
	if e.local != nil {
		return In(e.stream, LocalD(e.local.At(8*i), d))
	}
	return In(e.stream, MOV(e.offset+8*i, e.base, d))
}

func (e element) store(i int, a asm.Reg) asm.Op {
	if e.local != nil {
		return In(e.stream, SetLocalD(a, e.local.At(8*i)))
	}
	return In(e.stream, SD(a, e.offset+8*i, e.base))
}

// at is element i of what a pointer points to.
func at(stream string, base asm.Reg, i int) element {
	return element{stream: fmt.Sprint(stream, i), base: base, offset: 32 * i}
}

// A kernel is a function under construction.
type kernel struct {
	*asm.Func
	two32  asm.Reg // 2^32
	locals []element
}

func begin(file *asm.File, name, signature, secret, doc, banner string) *kernel {
	k := &kernel{Func: file.Func(name, signature)}
	k.Doc, k.Banner, k.Secret = doc, banner, secret
	k.two32 = k.New(Integer, "two32")
	k.Add(MOVI(1<<32, k.two32))
	return k
}

// element reserves memory on the stack, which end wipes.
func (k *kernel) element() element {
	name := fmt.Sprint("e", len(k.locals))
	l := k.Local(name, 32)
	e := element{stream: name, local: &l}
	k.locals = append(k.locals, e)
	return e
}

func (k *kernel) elements(n int) (list []element) {
	for range n {
		list = append(list, k.element())
	}
	return list
}

func (k *kernel) end() {
	for _, e := range k.locals {
		for i := range 4 {
			k.Add(e.store(i, ZERO))
		}
	}
	k.Add(RET())
}

// n returns a new register.
func (k *kernel) n(name string) asm.Reg { return k.New(Integer, name) }

func (k *kernel) value(name string) value { return value(k.Several(Integer, name, 4)) }

func (k *kernel) load(e element) value {
	v := k.value("v")
	for i, r := range v {
		k.Add(e.load(i, r))
	}
	return v
}

func (k *kernel) store(v value, e element) {
	for i, r := range v {
		k.Add(e.store(i, r))
	}
}

// plus is a + b, with the carry; minus is a - b, with the borrow.
func (k *kernel) plus(a, b asm.Reg) (sum, carry asm.Reg) {
	sum, carry = k.n("t"), k.n("c")
	k.Add(ADD(a, b, sum), SLTU(b, sum, carry))
	return sum, carry
}

func (k *kernel) minus(a, b asm.Reg) (difference, borrow asm.Reg) {
	difference, borrow = k.n("t"), k.n("c")
	k.Add(SUB(b, a, difference), SLTU(b, a, borrow))
	return difference, borrow
}

// sum is a + b where there is no carry, less is a - b where there is no borrow.
func (k *kernel) sum(a, b asm.Reg) asm.Reg {
	d := k.n("t")
	k.Add(ADD(a, b, d))
	return d
}

func (k *kernel) difference(a, b asm.Reg) asm.Reg {
	d := k.n("t")
	k.Add(SUB(b, a, d))
	return d
}

func (k *kernel) or(a, b asm.Reg) asm.Reg {
	d := k.n("t")
	k.Add(OR(a, b, d))
	return d
}

// multiply is the product of two limbs.
func (k *kernel) multiply(a, b asm.Reg) (low, high asm.Reg) {
	low, high = k.n("low"), k.n("high")
	k.Add(MUL(a, b, low), MULHU(a, b, high))
	return low, high
}

// product is x y, in rows. A step of a row adds a product, a limb and the carry of the step
// before, which are below 2^128 together.
func (k *kernel) product(x, y value) (t [8]asm.Reg) {
	for i := range 4 {
		var carry, c asm.Reg
		for j := range 4 {
			low, high := k.multiply(x[i], y[j])
			if j > 0 {
				low, c = k.plus(low, carry)
				high = k.sum(high, c)
			}
			if i > 0 {
				low, c = k.plus(low, t[i+j])
				high = k.sum(high, c)
			}
			t[i+j], carry = low, high
		}
		t[i+4] = carry
	}
	return t
}

// squareProduct is x^2: products of different limbs are doubled. A carry is added to the lower or
// upper half of a square before that is added to the sum. Neither half is 2^64 - 1: the
// upper one of no product is, and -1 is no square modulo 4.
func (k *kernel) squareProduct(x value) (t [8]asm.Reg) {
	var carry, c asm.Reg
	for i := range 3 {
		for j := i + 1; j < 4; j++ {
			low, high := k.multiply(x[i], x[j])
			if j > i+1 {
				low, c = k.plus(low, carry)
				high = k.sum(high, c)
			}
			if i > 0 {
				low, c = k.plus(low, t[i+j])
				high = k.sum(high, c)
			}
			t[i+j], carry = low, high
		}
		t[i+4] = carry
	}
	doubled := func(i int) asm.Reg { // limb i of 2 t
		d, top := k.n("t"), k.n("top")
		switch i {
		case 1:
			k.Add(SLLI(1, t[1], d))
		case 7:
			k.Add(SRLI(63, t[6], d))
		default:
			k.Add(SLLI(1, t[i], d), SRLI(63, t[i-1], top), OR(top, d, d))
		}
		return d
	}
	var list [8]asm.Reg
	for i := range 4 {
		low, high := k.multiply(x[i], x[i])
		if i == 0 {
			list[0] = low
		} else {
			list[2*i], c = k.plus(doubled(2*i), k.sum(low, c))
		}
		switch i {
		case 0:
			list[1], c = k.plus(doubled(1), high)
		case 3:
			list[7] = k.sum(doubled(7), k.sum(high, c))
		default:
			list[2*i+1], c = k.plus(doubled(2*i+1), k.sum(high, c))
		}
	}
	return list
}

// A round is what adding m p to make a limb m zero adds to the limbs above, besides m: e1 to e0 is
// m (2^32 - 1), low and high are the halves of m 2^32.
//
//	limb 1: - e0    2: - e1    3: - low    4: + m - high
type round struct{ m, e0, e1, low, high asm.Reg }

func (k *kernel) round(m asm.Reg) round {
	low, high := k.n("low"), k.n("high")
	k.Add(SLLI(32, m, low), SRLI(32, m, high))
	e0, b := k.minus(low, m)
	return round{m, e0, k.difference(high, b), low, high}
}

// reduce is t / 2^256 modulo p, below 2^256 + p: four limbs and a carry.
//
// Two limbs at a time are made 0. Where numbers are added without a carry there is none: e1 is at
// most 2^32 - 2, and if it is that and two borrows have to be added, the second one cannot be,
// because e0 is then at most 2^64 - 2^32 + 1. The term added to limb 5 is not below 0: if m is 0,
// there is a borrow only if there is something to be added.
func (k *kernel) reduce(t [8]asm.Reg) (v value, carry asm.Reg) {
	var b1, b2, c asm.Reg
	for i := range 2 {
		t := t[2*i : 2*i+6]
		first := k.round(t[0])
		t[1], b1 = k.minus(t[1], first.e0)
		second := k.round(t[1])
		t[2], b1 = k.minus(t[2], k.sum(first.e1, b1))
		t[2], b2 = k.minus(t[2], second.e0)
		x := k.sum(k.sum(k.sum(first.low, second.e1), b1), b2)
		t[3], b1 = k.minus(t[3], x)
		g := k.difference(first.m, first.high)
		if i > 0 {
			g = k.sum(g, c)
		}
		t[4], c = k.plus(t[4], g)
		t[4], b1 = k.minus(t[4], k.sum(second.low, b1))
		g = k.difference(k.sum(k.difference(second.m, second.high), c), b1)
		t[5], c = k.plus(t[5], g)
	}
	return value(t[4:]), c
}

// fix subtracts p from a number below 2^256 + p if it has a carry. The result is below 2^256.
func (k *kernel) fix(t value, carry asm.Reg) (v value) {
	k1, k3 := k.n("k"), k.n("k")
	k.Add(NEG(carry, k1), SRLI(32, k1, k1), SLLI(32, carry, k3))
	var c asm.Reg
	v[0], c = k.plus(t[0], carry)
	v[1], c = k.plus(t[1], k.sum(k1, c))
	v[2], c = k.plus(t[2], c)
	v[3] = k.sum(t[3], k.sum(k3, c))
	return v
}

// canonical subtracts p from a number below 2p if it is not below p.
func (k *kernel) canonical(t value, carry asm.Reg) (v value) {
	var s value
	c, k1 := k.n("c"), k.n("k")
	s[0] = k.n("s")
	k.Add(ADDI(1, t[0], s[0]), SNEZ(s[0], c), SUB(c, k.two32, k1))
	s[1], c = k.plus(t[1], k1)
	s[2], c = k.plus(t[2], c)
	s[3], c = k.plus(t[3], k.sum(k.two32, c))
	if carry != ZERO {
		c = k.or(c, carry)
	}
	mask := k.n("mask")
	k.Add(NEG(c, mask))
	for i := range v {
		v[i] = k.n("v")
		k.Add(XOR(s[i], t[i], v[i]), AND(mask, v[i], v[i]), XOR(t[i], v[i], v[i]))
	}
	return v
}

// Numbers are below 2^256 after the operations with the names of operations, and below p after
// those that end with P, if one operand is (for those of two numbers below 2^256, what reduce
// returns may be 2p or more): these cost 12 instructions more. The second operand of additions and
// subtractions must be below p. A difference of numbers below p is below p, too.

func (k *kernel) mul(x, y value) value { return k.fix(k.reduce(k.product(x, y))) }
func (k *kernel) sqr(x value) value    { return k.fix(k.reduce(k.squareProduct(x))) }

func (k *kernel) mulP(x, y value) value { return k.canonical(k.reduce(k.product(x, y))) }
func (k *kernel) sqrP(x value) value    { return k.canonical(k.reduce(k.squareProduct(x))) }

func (k *kernel) add(x, y value) value  { return k.fix(k.carried(x, y)) }
func (k *kernel) addP(x, y value) value { return k.canonical(k.carried(x, y)) }

// carried is x + y, with the carry.
func (k *kernel) carried(x, y value) (t value, c asm.Reg) {
	t[0], c = k.plus(x[0], y[0])
	for i := 1; i < 4; i++ {
		s, c1 := k.plus(x[i], y[i])
		var c2 asm.Reg
		t[i], c2 = k.plus(s, c)
		c = k.or(c1, c2)
	}
	return t, c
}

func (k *kernel) sub(x, y value) value {
	var t value
	var b asm.Reg
	t[0], b = k.minus(x[0], y[0])
	for i := 1; i < 4; i++ {
		d, b1 := k.minus(x[i], y[i])
		var b2 asm.Reg
		t[i], b2 = k.minus(d, b)
		b = k.or(b1, b2)
	}
	k1, k3 := k.n("k"), k.n("k")
	k.Add(NEG(b, k1), SRLI(32, k1, k1), SLLI(32, b, k3))
	var v value
	v[0], b = k.minus(t[0], b)
	v[1], b = k.minus(t[1], k.sum(k1, b))
	v[2], b = k.minus(t[2], b)
	v[3] = k.difference(t[3], k.sum(k3, b))
	return v
}

// halve halves a number below p: p is added if it is odd. The result is below p.
func (k *kernel) halve(x value) (v value) {
	odd, k1, k3 := k.n("odd"), k.n("k"), k.n("k")
	k.Add(ANDI(1, x[0], odd), NEG(odd, k1), SRLI(32, k1, k1), SLLI(32, odd, k3))
	var t [5]asm.Reg
	var b asm.Reg
	t[0] = x[0] // less odd, which is shifted out
	t[1], b = k.minus(x[1], k1)
	t[2], b = k.minus(x[2], b)
	t[3], b = k.minus(x[3], k.sum(k3, b))
	t[4] = k.difference(odd, b)
	for i := range v {
		v[i] = k.n("v")
		top := k.n("top")
		k.Add(SRLI(1, t[i], v[i]), SLLI(63, t[i+1], top), OR(top, v[i], v[i]))
	}
	return v
}

// scheduled adds what add adds, straight-line code, in the order for the X60, as far as there are
// registers: window is how far instructions can move.
func (k *kernel) scheduled(window int, add func()) {
	m := *X60
	m.Window = window
	k.Scheduled(&m, add)
}

func mul(file *asm.File) {
	k := begin(file, "MulRV64", "(z, x, y *[4]uint64)", "z x y",
		`MulRV64 sets z = x y / 2^256 modulo p. x and y are below p; z may be one of them.`,
		"16 products of limbs in rows, then a reduction of shifts and subtractions.")
	x, y := k.Arg("x"), k.Arg("y")
	k.scheduled(40, func() {
		v := k.mulP(k.load(at("x", x, 0)), k.load(at("y", y, 0)))
		k.store(v, at("z", k.Arg("z"), 0))
	})
	k.end()
}

func square(file *asm.File) {
	k := begin(file, "SquaresRV64", "(z, x *[4]uint64, n int)", "z x",
		`SquaresRV64 sets z = x^(2^n), in Montgomery's form, for n > 0. x is below p; z may be x.`,
		"10 products of limbs rather than 16. The number stays in registers.")
	v, n := k.load(at("x", k.Arg("x"), 0)), k.Arg("n")
	k.Label("next")
	k.scheduled(40, func() {
		for i, r := range k.sqr(v) {
			k.Add(MOVR(r, v[i]))
		}
		k.Add(ADDI(-1, n, n))
	})
	k.Add(BNEZ(n, "next"))
	k.store(k.canonical(v, ZERO), at("z", k.Arg("z"), 0))
	k.end()
}
