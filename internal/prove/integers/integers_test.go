package integers

import (
	"math/big"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/machine"
)

var all = new(big.Int).Sub(power(64), one)

func unknown(e *Engine, name string) word {
	_, list := e.Input(name, 1, all)
	return list[0]
}

// The sum with its carry is what was added, and without it is not.
func TestSum(t *testing.T) {
	e := New()
	a, b := unknown(e, "a"), unknown(e, "b")
	s, c := e.Sum(0, a, b), e.Carry(a, b, machine.Zero)
	want := e.Read(a).Plus(one, e.Read(b))
	if err := e.Zero(want.Minus(e.Read(s)).Minus(e.Read(word{c}).Times(power(64))), nil); err != nil {
		t.Error(err)
	}
	if e.Zero(want.Minus(e.Read(s)), nil) == nil {
		t.Error("the carry does not matter")
	}
	if err := e.Zero(want.Minus(e.Read(s)), power(64)); err != nil {
		t.Error(err)
	}
}

// The high half of a product leaves room for a carry, and for no two of 2^63.
func TestProduct(t *testing.T) {
	e := New()
	p := e.Product(unknown(e, "a"), unknown(e, "b"))
	high := e.Read(p[64:])
	if err := e.NotNegative(Int(all).Minus(high).Minus(Int(one))); err != nil {
		t.Error(err)
	}
	if e.NotNegative(Int(all).Minus(high).Minus(Int(big.NewInt(2)))) == nil {
		t.Error("the high half is less than it may be")
	}
}

// A number below m, or m less if it is not: the carry of the comparison chooses.
func TestChoose(t *testing.T) {
	m := new(big.Int).Sub(power(63), big.NewInt(9))
	for _, swap := range []bool{false, true} {
		e := New()
		x, list := e.Input("x", 1, new(big.Int).Sub(new(big.Int).Lsh(m, 1), one))
		minus := machine.Constant(m.Uint64(), 64).Not()
		less, c := e.Sum(1, list[0], minus), e.Carry(list[0], minus, machine.One)
		if swap {
			c ^= 1
		}
		z := e.Read(e.Choose(c, less, list[0]))
		err, err2 := e.Zero(z.Minus(x), m), e.NotNegative(Int(m).Minus(z).Minus(Int(one)))
		if proven := err == nil && err2 == nil; proven == swap {
			t.Errorf("exchanged %v: %v, %v", swap, err, err2)
		}
	}
}

// A mask of a borrow: a - b, and m more if that is negative.
func TestMask(t *testing.T) {
	m := new(big.Int).Sub(power(64), big.NewInt(59))
	top := new(big.Int).Sub(m, one)
	for _, wrong := range []int64{0, 1} {
		e := New()
		a, x := e.Input("a", 1, top)
		b, y := e.Input("b", 1, top)
		d, c := e.Sum(1, x[0], y[0].Not()), e.Carry(x[0], y[0].Not(), machine.One)
		mask := e.Sum(0, d, d.Not(), word{c}.Extend(64)) // 0 if there is a carry
		add := make(word, 64)
		for i, p := range machine.Constant(m.Uint64()+uint64(wrong), 64) {
			add[i] = e.And(mask[i], p)
		}
		z := e.Read(e.Sum(0, d, add))
		err := e.Zero(z.Minus(a).Plus(one, b), m)
		if err == nil {
			err = e.NotNegative(Int(top).Minus(z))
		}
		if (err == nil) != (wrong == 0) {
			t.Errorf("%d more than m: %v", wrong, err)
		}
	}
}

// What shifts out of an even number is 0, and only then.
func TestShift(t *testing.T) {
	e := New()
	a := unknown(e, "a")
	twice := e.Sum(0, a, a)
	if err := e.Zero(e.Read(twice[:1]), nil); err != nil {
		t.Error(err)
	}
	if e.Zero(e.Read(a[:1]), nil) == nil {
		t.Error("all numbers are even")
	}
	if err := e.Zero(e.Read(a).Minus(e.Read(a[:32])).Minus(e.Read(a[32:]).Times(power(32))), nil); err != nil {
		t.Error(err)
	}
}

// Gates of the bits of two numbers are no integer, and do not take for ever.
func TestGates(t *testing.T) {
	e := New()
	a, b := unknown(e, "a"), unknown(e, "b")
	w := make(word, 64)
	for i := range w {
		w[i] = e.And(a[i], b[i])
	}
	defer func() {
		if _, ok := recover().(machine.Unsupported); !ok {
			t.Error("gates are an integer")
		}
	}()
	e.Read(w)
}

// Values of bits are those of the words.
func TestValue(t *testing.T) {
	e := New()
	a, b := unknown(e, "a"), unknown(e, "b")
	c := e.Carry(a, b, machine.Zero)
	words := []word{e.Sum(1, a, b), e.Product(a, b)[64:], e.Choose(c, a, b), a.Not()}
	for i := range Samples {
		for _, w := range words {
			x := new(big.Int)
			for j, bit := range w {
				x.SetBit(x, j, uint(e.Value(bit, i)))
			}
			if y := e.evaluate(e.Read(w), i); x.Cmp(y) != 0 {
				t.Errorf("the bits are %x, the word is %x", x, y)
			}
		}
	}
}

// No factors are a bound that is too small: upper is above the values of the samples.
func TestUpper(t *testing.T) {
	e := New()
	a, b := unknown(e, "a"), unknown(e, "b")
	f := e.Read(e.Sum(0, a, b))
	s := e.system(f)
	for i := range s.facts {
		for _, x := range []float64{-3, -0.25, 1, 1e30} {
			upper := s.upper(f, map[int]*big.Float{i: big.NewFloat(x)})
			for j := range Samples {
				if upper.Cmp(new(big.Rat).SetInt(e.evaluate(f, j))) < 0 {
					t.Errorf("fact %d, %v: the bound is wrong", i, x)
				}
			}
		}
	}
}

// That a number is 0 gets a name, in whatever order its bits are asked, and chooses between words then.
func TestName(t *testing.T) {
	e := New()
	a, b, c := unknown(e, "a"), unknown(e, "b"), unknown(e, "c")
	zero := func(order func(i int) int) bit {
		z := machine.One
		for i := range 128 {
			z = e.And(z, append(slices.Clone(a), b...)[order(i)]^1)
		}
		return z
	}
	z := e.Name(zero(func(i int) int { return i }))
	if other := zero(func(i int) int { return 37 * i % 128 }); other != z {
		t.Error("another order is another bit")
	}
	w := e.Choose(z, c, a)
	if !slices.Equal(e.Given(w, z, machine.One), c) || !slices.Equal(e.Given(w, z, machine.Zero), a) {
		t.Error("the choice is another one")
	}
	e.Read(w)
}

// A sum of bits of gates carries if they are all 1: so 0 minus a word has a borrow unless that is 0.
func TestNegate(t *testing.T) {
	e := New()
	a, b := unknown(e, "a"), unknown(e, "b")
	or := make(word, 64)
	z := machine.One
	for i := range or {
		or[i] = e.And(a[i]^1, b[i]^1) ^ 1
		z = e.And(z, or[i]^1)
	}
	if c := e.Carry(machine.Constant(0, 64), or.Not(), machine.One); c != z {
		t.Error("the carry is not whether the word is 0")
	}
}

// Claims with the same facts are proven once, and one with another fact is not taken for it.
func TestOnce(t *testing.T) {
	e := New()
	calls := 0
	claim := func(name string, max int64) {
		x, _ := e.Input(name, 1, big.NewInt(max))
		f := Int(big.NewInt(1000)).Minus(x)
		err := e.Once([]Form{f}, nil, func() error {
			calls++
			return e.NotNegative(f)
		})
		if (err == nil) != (max <= 1000) {
			t.Errorf("at most %d: %v", max, err)
		}
	}
	claim("a", 999)
	claim("b", 999)
	claim("c", 998)
	claim("d", 1001)
	if calls != 3 {
		t.Errorf("%d claims were proven", calls)
	}
}

// What was read before facts were forgotten has its facts again when it is read again.
func TestForget(t *testing.T) {
	e := New()
	a := unknown(e, "a")
	claim := func() error { return e.NotNegative(Int(power(32)).Minus(e.Read(a[:32]))) }
	for range 2 {
		if err := claim(); err != nil {
			t.Error(err)
		}
		e.Forget()
	}
}

// Terms are those of a product and a difference. An even number is 0 if it is less than 2.
func TestTerms(t *testing.T) {
	m := new(big.Int).Sub(power(255), big.NewInt(19))
	e := New()
	x, _ := e.Input("x", 4, m)
	y, _ := e.Input("y", 4, m)
	f := e.Multiply(x, y, m, m).Plus(big.NewInt(-3), x).Plus(big.NewInt(5), Int(one))
	terms, constant, ok := e.Terms(f, m, []Form{x, y})
	if !ok || len(terms) != 2 || constant.Int64() != 5 {
		t.Fatal(terms, constant, ok)
	}
	for _, term := range terms {
		want := new(big.Int).Sub(m, big.NewInt(3))
		if len(term.Of) == 2 {
			want = one
		}
		if term.Factor.Cmp(want) != 0 {
			t.Errorf("%v times %v", term.Factor, term.Of)
		}
	}
	if _, _, ok := e.Terms(f, m, []Form{x}); ok {
		t.Error("a number is missing, and it does not matter")
	}
	a := unknown(e, "a")
	twice := e.Sum(0, a, a)
	if err := e.Zero(e.Read(twice[:1]), nil); err != nil {
		t.Error(err)
	}
}
