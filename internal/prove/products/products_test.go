package products

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/forms"
)

func engine() *Engine { return New(forms.New(forms.Limits{})) }

func (e *Engine) unknown(n int) word {
	w := make(word, n)
	for i := range w {
		w[i] = e.Unknown("x")
	}
	return w
}

// mask adds a bit to all bits of a word.
func mask(e *Engine, w word, s bit) word {
	out := make(word, len(w))
	for i := range w {
		out[i] = e.Xor(s, w[i])
	}
	return out
}

// Whatever way a polynomial is computed, it has the same bits: those of another one are different for some assignment.
func TestIdentities(t *testing.T) {
	e := engine()
	x, y, z := e.unknown(16), e.unknown(16), e.unknown(16)
	sum := func(c uint64, list ...word) word { return e.Sum(c, list...) }
	times := func(a, b word) word { return e.Product(a, b)[:16] }
	number := func(n uint64) word { return machine.Constant(n, 16) }
	minus := func(w word) word { return sum(1, w.Not()) }
	signed := func(a, b word) word { return e.Product(a.Signed(32), b.Signed(32))[:32] }
	for name, pair := range map[string][2]word{
		"order":            {times(x, y), times(y, x)},
		"distribution":     {times(x, sum(0, y, z)), sum(0, times(x, y), times(x, z))},
		"Winograd":         {sum(0, times(sum(0, x, y), sum(0, y, z)), minus(times(x, y))), sum(0, times(x, z), times(y, y), times(y, z))},
		"complement":       {x.Not(), sum(0xffff, minus(x))},
		"of a sum":         {sum(0, x, y).Not(), sum(0xffff, minus(x), minus(y))},
		"nothing left":     {sum(0, x, y, minus(x)), y},
		"zero":             {sum(0, times(x, y), minus(times(y, x))), number(0)},
		"2^16":             {times(sum(0, slices.Repeat([]word{x}, 256)...), number(256)), number(0)},
		"32 bits":          {sum(0, signed(x, y), signed(z, y))[:16], times(y, sum(0, z, x))},
		"more than 32":     {sum(0, sum(0, signed(x, y), signed(x, y)), number(3).Extend(32))[:16], sum(3, times(x, y), times(x, y))},
		"a choice":         {e.Choose(z[0], sum(0, x, y), x), sum(0, x, times(word{z[0]}.Extend(16), y))},
		"the other choice": {e.Choose(z[0]^1, x, sum(0, x, y)), sum(0, x, times(word{z[0]}.Extend(16), y))},
		"not a bit":        {word{z[0] ^ 1}.Extend(16), sum(1, minus(word{z[0]}.Extend(16)))},
		"a mask":           {sum(1, mask(e, sum(0, x, y), z[0])), e.Choose(z[0], minus(sum(0, x, y)), sum(1, x, y))},
		"not a mask":       {sum(1, mask(e, sum(0, x, y), z[0]^1).Not()), sum(1, mask(e, sum(0, x, y), z[0]))},
		"all bits":         {slices.Repeat(word{z[0]}, 16), minus(word{z[0]}.Extend(16))},
		"a constant":       {times(x, number(3)), sum(0, x, x, x)},
	} {
		if p, q := e.read(pair[0]), e.read(pair[1]); !slices.Equal(p, q) || !slices.Equal(e.word(p), e.word(q)) {
			t.Errorf("%s: %v, and %v", name, p, q)
		}
		// The values are those of the operations.
		other := sum(1, pair[0])
		if v, ok := e.Values(other[0]); ok {
			if w, _ := e.Values(pair[1][0]); v != ^w {
				t.Errorf("%s: wrong values", name)
			}
		} else {
			t.Errorf("%s: no values", name)
		}
	}
}

// Polynomials have the values that numbers have.
func TestValues(t *testing.T) {
	e := engine()
	rng := rand.New(rand.NewSource(1))
	type both struct {
		w word
		v [64]uint16
	}
	numbers := func(w word) (v [64]uint16) {
		for i, b := range w {
			x, ok := e.Values(b)
			if !ok {
				t.Fatal("a bit has no values")
			}
			for j := range v {
				v[j] |= uint16(x>>j&1) << i
			}
		}
		return v
	}
	var linear []both
	for range 4 {
		w := e.unknown(16)
		linear = append(linear, both{w, numbers(w)})
	}
	for range 20 {
		a, b := linear[rng.Intn(len(linear))], linear[rng.Intn(len(linear))]
		next := both{w: e.Sum(7, a.w, b.w.Not(), a.w)}
		product := both{w: e.Product(a.w.Signed(32), next.w.Signed(32))[:16]}
		for j := range next.v {
			next.v[j] = 7 + 2*a.v[j] + ^b.v[j]
			product.v[j] = a.v[j] * next.v[j]
		}
		for _, x := range []both{next, product} {
			if numbers(x.w) != x.v {
				t.Fatal("wrong values")
			}
		}
		linear = append(linear, next)
	}
}

// What is not known is equal to itself only.
func TestUnknown(t *testing.T) {
	e := engine()
	x, y, z := e.unknown(16), e.unknown(16), e.unknown(16)
	p := e.Product(x.Signed(32), y.Signed(32))
	high := p[16]
	if e.Product(x.Signed(32), y.Signed(32))[16] == high || e.Xor(high, high) != machine.Zero || e.And(high, high) != high ||
		e.And(high, high^1) != machine.Zero || e.And(high, machine.Zero) != machine.Zero || e.And(high, machine.One) != high {
		t.Error("a high bit")
	}
	if e.Xor(p[0], z[0]) != e.Xor(z[0], p[0]) || e.Xor(p[0]^1, z[0]) != e.Xor(p[0], z[0])^1 || e.Xor(p[0], z[1]) == e.Xor(p[0], z[0]) {
		t.Error("sums modulo 2")
	}
	if a, b := e.And(p[0], z[0]), e.And(p[0], z[0]); a == b {
		t.Error("a product of bits of which nothing is known")
	}
	if _, ok := e.Values(high); ok {
		t.Error("a high bit has values")
	}
	for name, w := range map[string]word{
		"three factors": e.Product(p[:16], z), "few bits": e.Sum(0, p[:8], z[:8]), "a carry": {e.Carry(p[:16], z, machine.Zero)},
		"a table": e.Apply(make([]uint64, 256), 8, p[:8]), "polynomials over GF(2)": e.Carryless(p[:16], z),
	} {
		if _, ok := e.Values(w[0]); ok {
			t.Errorf("%s: a bit has values", name)
		}
	}
}

// With Sets, a product is the set of its factors.
func TestSets(t *testing.T) {
	e := engine()
	e.Sets = true
	x := e.unknown(20)
	all, back := machine.One, machine.One
	values := ^uint64(0)
	for i := range x {
		all, back = e.And(all, x[i]^1), e.And(e.And(x[len(x)-1-i]^1, back), back)
		v, _ := e.Values(x[i])
		values &^= v
	}
	if all != back || e.And(all, x[3]) != machine.Zero || e.And(all, x[3]^1) != all || e.And(all^1, x[3]^1) == all {
		t.Error("the wrong set")
	}
	if v, ok := e.Values(all ^ 1); !ok || v != ^values {
		t.Errorf("values %#x, want %#x", v, ^values)
	}
	if e.And(x[0], x[1]) == e.And(x[0], x[2]) || e.And(x[0]^1, x[1]) == e.And(x[0], x[1]) {
		t.Error("the same set of other bits")
	}
}

// A function has one result for each input, and its own name.
func TestFunction(t *testing.T) {
	e := engine()
	x := e.unknown(128)
	f := func(name string, w word) word {
		out, ok := e.Function(name, w)
		if !ok || len(out) != len(w) {
			t.Fatal("no function")
		}
		return out
	}
	y := f("f", x)
	if !slices.Equal(f("f", x), y) || slices.Equal(f("g", x), y) || slices.Equal(f("f", y), y) || slices.Equal(f("f", x.Not()), y) {
		t.Error("the wrong result")
	}
	if _, ok := e.Function("f", machine.Constant(1, 128)); ok {
		t.Error("a function of a constant")
	}
}
