package risc

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// A value is a number of four limbs in registers, the lowest first.
type value [4]asm.Reg

// An element is a number in memory: on the stack, or behind a pointer.
type element struct {
	*ISA
	stream string // its name for the scheduler
	base   asm.Reg
	offset int
	local  *asm.Local
}

func (e element) load(i int, d asm.Reg) asm.Op {
	if e.local != nil {
		return in(e.stream, e.LocalD(e.local.At(8*i), d))
	}
	return in(e.stream, e.MOV(e.offset+8*i, e.base, d))
}

func (e element) store(i int, a asm.Reg) asm.Op {
	if e.local != nil {
		return in(e.stream, e.SetLocalD(a, e.local.At(8*i)))
	}
	return in(e.stream, e.SD(a, e.offset+8*i, e.base))
}

// in names the memory of a load or store for the scheduler.
func in(stream string, o asm.Op) asm.Op {
	o.Stream = stream
	return o
}

// at is element i of what a pointer points to.
func (isa *ISA) at(stream string, base asm.Reg, i int) element {
	return element{ISA: isa, stream: fmt.Sprint(stream, i), base: base, offset: 32 * i}
}

// A kernel is a function under construction.
type kernel struct {
	*asm.Func
	*ISA
	two32  asm.Reg // 2^32
	locals []element
}

func (isa *ISA) function(file *asm.File, name, signature, secret, doc, banner string) *kernel {
	k := &kernel{Func: file.Func(name+isa.Suffix, signature), ISA: isa}
	k.Doc, k.Banner, k.Secret = name+isa.Suffix+" "+doc, banner, secret
	return k
}

// begin is function for kernels that calculate.
func begin(isa *ISA, file *asm.File, name, signature, secret, doc, banner string) *kernel {
	k := isa.function(file, name, signature, secret, doc, banner)
	k.two32 = k.New(k.Target.Integer, "two32")
	k.Add(k.MOVI(1<<32, k.two32))
	return k
}

// element reserves memory on the stack, which end wipes.
func (k *kernel) element() element {
	name := fmt.Sprint("e", len(k.locals))
	l := k.Local(name, 32)
	e := element{ISA: k.ISA, stream: name, local: &l}
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
			k.Add(e.store(i, k.Zero))
		}
	}
	k.Add(k.RET())
}

// n returns a new register.
func (k *kernel) n(name string) asm.Reg { return k.New(k.Target.Integer, name) }

func (k *kernel) value(name string) value { return value(k.Several(k.Target.Integer, name, 4)) }

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
	k.Add(k.ADD(a, b, sum), k.SLTU(b, sum, carry))
	return sum, carry
}

func (k *kernel) minus(a, b asm.Reg) (difference, borrow asm.Reg) {
	difference, borrow = k.n("t"), k.n("c")
	k.Add(k.SUB(b, a, difference), k.SLTU(b, a, borrow))
	return difference, borrow
}

// sum is a + b where there is no carry, less is a - b where there is no borrow.
func (k *kernel) sum(a, b asm.Reg) asm.Reg {
	d := k.n("t")
	k.Add(k.ADD(a, b, d))
	return d
}

func (k *kernel) difference(a, b asm.Reg) asm.Reg {
	d := k.n("t")
	k.Add(k.SUB(b, a, d))
	return d
}

func (k *kernel) or(a, b asm.Reg) asm.Reg {
	d := k.n("t")
	k.Add(k.OR(a, b, d))
	return d
}

// multiply is the product of two limbs.
func (k *kernel) multiply(a, b asm.Reg) (low, high asm.Reg) {
	low, high = k.n("low"), k.n("high")
	k.Add(k.MUL(a, b, low), k.MULHU(a, b, high))
	return low, high
}

// rows is the sum of the products of limbs i of x and j of y, or only of those with i < j. A step of a row adds
// a product, the carry of the step before, and a limb, which are below 2^128 together.
func (k *kernel) rows(x, y value, different bool) (t [8]asm.Reg) {
	for i := range 4 {
		first := 0
		if different {
			first = i + 1
		}
		var carry asm.Reg
		for j := first; j < 4; j++ {
			low, high := k.multiply(x[i], y[j])
			add := func(limb asm.Reg) {
				var c asm.Reg
				low, c = k.plus(low, limb)
				high = k.sum(high, c)
			}
			if j > first {
				add(carry)
			}
			if i > 0 {
				add(t[i+j])
			}
			t[i+j], carry = low, high
		}
		if first < 4 {
			t[i+4] = carry
		}
	}
	return t
}

// product is x y.
func (k *kernel) product(x, y value) [8]asm.Reg { return k.rows(x, y, false) }

// squareProduct is x^2: products of different limbs are doubled. A carry is added to the lower or
// upper half of a square before that is added to the sum. Neither half is 2^64 - 1: the
// upper one of no product is, and -1 is no square modulo 4.
func (k *kernel) squareProduct(x value) [8]asm.Reg {
	t := k.rows(x, x, true)
	var c asm.Reg
	doubled := func(i int) asm.Reg { // limb i of 2 t
		d, top := k.n("t"), k.n("top")
		switch i {
		case 1:
			k.Add(k.SLLI(1, t[1], d))
		case 7:
			k.Add(k.SRLI(63, t[6], d))
		default:
			k.Add(k.SRLI(63, t[i-1], top))
			if k.SH1ADD != nil {
				k.Add(k.SH1ADD(top, t[i], d))
			} else {
				k.Add(k.SLLI(1, t[i], d), k.OR(top, d, d))
			}
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
	k.Add(k.SLLI(32, m, low), k.SRLI(32, m, high))
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

// multiples returns 2^32 - 1 and 2^32 if a bit is set, else 0.
func (k *kernel) multiples(bit asm.Reg) (k1, k3 asm.Reg) {
	k1, k3 = k.n("k"), k.n("k")
	if k.MASKEQZ != nil {
		k.Add(k.SLLI(32, bit, k3), k.SUB(bit, k3, k1))
	} else {
		k.Add(k.NEG(bit, k1), k.SRLI(32, k1, k1), k.SLLI(32, bit, k3))
	}
	return k1, k3
}

// fix subtracts p from a number below 2^256 + p if it has a carry. The result is below 2^256.
func (k *kernel) fix(t value, carry asm.Reg) (v value) {
	k1, k3 := k.multiples(carry)
	var c asm.Reg
	v[0], c = k.plus(t[0], carry)
	v[1], c = k.plus(t[1], k.sum(k1, c))
	v[2], c = k.plus(t[2], c)
	v[3] = k.sum(t[3], k.sum(k3, c))
	return v
}

// canonical subtracts p from a number below 2p if it is not below p: it adds 2^256 - p, and then selects. With
// MASKEQZ it only finds out whether there is a carry, and adds what made the carries if so.
func (k *kernel) canonical(t value, carry asm.Reg) (v value) {
	var s value
	c, k1 := k.n("c"), k.n("k")
	s[0] = k.n("s")
	k.Add(k.ADDI(1, t[0], s[0]), k.SNEZ(s[0], c), k.SUB(c, k.two32, k1))
	s[1], c = k.plus(t[1], k1)
	k2 := c
	s[2], c = k.plus(t[2], k2)
	k3 := k.sum(k.two32, c)
	s[3], c = k.plus(t[3], k3)
	if carry != k.Zero {
		c = k.or(c, carry)
	}
	if k.MASKEQZ != nil {
		v[0] = k.sum(t[0], c)
		for i, add := range []asm.Reg{k1, k2, k3} {
			masked := k.n("masked")
			k.Add(k.MASKEQZ(c, add, masked))
			v[i+1] = k.sum(t[i+1], masked)
		}
		return v
	}
	mask := k.n("mask")
	k.Add(k.NEG(c, mask))
	for i := range v {
		v[i] = k.n("v")
		k.Add(k.XOR(s[i], t[i], v[i]), k.AND(mask, v[i], v[i]), k.XOR(t[i], v[i], v[i]))
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
	return k.borrowed(t, b)
}

// borrowed adds p to a negative difference, which has a borrow.
func (k *kernel) borrowed(t value, b asm.Reg) (v value) {
	k1, k3 := k.multiples(b)
	v[0], b = k.minus(t[0], b)
	v[1], b = k.minus(t[1], k.sum(k1, b))
	v[2], b = k.minus(t[2], b)
	v[3] = k.difference(t[3], k.sum(k3, b))
	return v
}

// keep stores a product in two elements.
func (k *kernel) keep(t [8]asm.Reg, low, high element) {
	k.store(value(t[:4]), low)
	k.store(value(t[4:]), high)
}

// lessP is the difference of two products of numbers below p, of which the first one is in two
// elements, with a reduction for both: it is below p. The upper half of a difference below 0 gets p.
func (k *kernel) lessP(low, high element, u [8]asm.Reg) value {
	var t [8]asm.Reg
	var b asm.Reg
	for i := range t {
		x, from := k.n("x"), low
		if i > 3 {
			from = high
		}
		k.Add(from.load(i%4, x))
		d, b1 := k.minus(x, u[i])
		if t[i] = d; i > 0 {
			var b2 asm.Reg
			t[i], b2 = k.minus(d, b)
			b1 = k.or(b1, b2)
		}
		b = b1
	}
	v := k.borrowed(value(t[4:]), b)
	copy(t[4:], v[:])
	return k.canonical(k.reduce(t))
}

// halve halves a number below p: p is added if it is odd. The result is below p.
func (k *kernel) halve(x value) (v value) {
	odd := k.n("odd")
	k.Add(k.ANDI(1, x[0], odd))
	k1, k3 := k.multiples(odd)
	var t [5]asm.Reg
	var b asm.Reg
	t[0] = x[0] // less odd, which is shifted out
	t[1], b = k.minus(x[1], k1)
	t[2], b = k.minus(x[2], b)
	t[3], b = k.minus(x[3], k.sum(k3, b))
	t[4] = k.difference(odd, b)
	for i := range v {
		v[i] = k.n("v")
		k.Add(k.SRLI(1, t[i], v[i]))
		if k.InsertTop != nil {
			k.Add(k.InsertTop(t[i+1], v[i]))
			continue
		}
		top := k.n("top")
		k.Add(k.SLLI(63, t[i+1], top), k.OR(top, v[i], v[i]))
	}
	return v
}

// scheduled adds what add adds, straight-line code, in the order for the CPU of the model, as far as
// there are registers: window is how far instructions can move.
func (k *kernel) scheduled(window int, add func()) {
	if k.Model == nil {
		add()
		return
	}
	m := *k.Model
	m.Window = window
	k.Scheduled(&m, add)
}

func mul(isa *ISA, file *asm.File) {
	k := begin(isa, file, "Mul", "(z, x, y *[4]uint64)", "z x y",
		`sets z = x y / 2^256 modulo p. x and y are below p; z may be one of them.`,
		"16 products of limbs in rows, then a reduction of shifts and subtractions.")
	x, y := k.Arg("x"), k.Arg("y")
	k.scheduled(40, func() {
		v := k.mulP(k.load(k.at("x", x, 0)), k.load(k.at("y", y, 0)))
		k.store(v, k.at("z", k.Arg("z"), 0))
	})
	k.end()
}

func square(isa *ISA, file *asm.File) {
	k := begin(isa, file, "Squares", "(z, x *[4]uint64, n int)", "z x",
		`sets z = x^(2^n), in Montgomery's form, for n > 0. x is below p; z may be x.`,
		"10 products of limbs rather than 16. The number stays in registers.")
	v, n := k.load(k.at("x", k.Arg("x"), 0)), k.Arg("n")
	k.Label("next")
	k.scheduled(40, func() {
		for i, r := range k.sqr(v) {
			k.Add(k.MOVR(r, v[i]))
		}
		k.Add(k.ADDI(-1, n, n))
	})
	k.Add(k.BNEZ(n, "next"))
	k.store(k.canonical(v, k.Zero), k.at("z", k.Arg("z"), 0))
	k.end()
}
