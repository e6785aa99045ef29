package forms

import (
	"fmt"
	"math/bits"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/machine"
)

var _ machine.Logic = (*Engine)(nil)

func unknown(e *Engine, name string, n int) Word {
	w := make(Word, n)
	for i := range w {
		w[i] = e.Unknown(fmt.Sprint(name, i))
	}
	return w
}

// A model has what bits are for the random assignments, computed without forms. Equal forms of
// different functions would disagree with it.
type model struct {
	t      *testing.T
	e      *Engine
	values map[Bit]uint64
}

func (m *model) see(what string, b Bit, want uint64) {
	m.t.Helper()
	if got := m.e.Values(b); got != want {
		m.t.Fatalf("%s: %#x, want %#x: %s", what, got, want, m.e.String(b))
	}
	if old, ok := m.values[b]; ok && old != want {
		m.t.Fatalf("%s: one form of two functions: %s", what, m.e.String(b))
	}
	m.values[b], m.values[b^1] = want, ^want
}

// at is a word for one assignment.
func (m *model) at(w Word, p int) (v uint64) {
	for i, b := range w {
		v |= m.values[b] >> p & 1 << i
	}
	return v
}

// word compares a word with a function of the assignment.
func (m *model) word(what string, w Word, f func(p int) uint64) {
	m.t.Helper()
	var want [64]uint64
	for p := range 64 {
		v := f(p)
		for i := range min(len(w), 64) {
			want[i] |= v >> i & 1 << p
		}
	}
	for i, b := range w {
		m.see(fmt.Sprint(what, " bit ", i), b, want[i])
	}
}

// Random operations on random results of others are what they should be.
func TestRandom(t *testing.T) {
	for seed := range 60 {
		rng := rand.New(rand.NewSource(int64(seed)))
		e := New(Limits{})
		m := &model{t, e, map[Bit]uint64{Zero: 0, One: ^uint64(0)}}
		n := []int{1, 3, 8, 16, 32, 40, 64}[rng.Intn(7)]
		var words []Word
		for i := range 3 {
			w := unknown(e, string(rune('a'+i)), n)
			for _, b := range w {
				m.see("input", b, e.Values(b))
			}
			words = append(words, w)
		}
		err := e.Do(func() error {
			for range 60 {
				a, b, c := words[rng.Intn(len(words))], words[rng.Intn(len(words))], words[rng.Intn(len(words))]
				out := make(Word, n)
				switch op := rng.Intn(9); op {
				case 0:
					for i := range out {
						out[i] = e.Xor(a[i], b[i])
					}
					m.word("xor", out, func(p int) uint64 { return m.at(a, p) ^ m.at(b, p) })
				case 1:
					for i := range out {
						out[i] = e.And(a[i], b[i])
					}
					m.word("and", out, func(p int) uint64 { return m.at(a, p) & m.at(b, p) })
				case 2:
					k := rng.Uint64() >> rng.Intn(64)
					list := []Word{a, b, c}[:1+rng.Intn(3)]
					out = e.Sum(k, list...)
					m.word("sum", out, func(p int) uint64 {
						v := k
						for _, w := range list {
							v += m.at(w, p)
						}
						return v
					})
				case 3:
					ci := a[rng.Intn(n)]
					carry := e.Carry(b, c, ci)
					m.word("carry", Word{carry}, func(p int) uint64 {
						s, v := bits.Add64(m.at(b, p), m.at(c, p), m.at(Word{ci}, p))
						if n < 64 {
							v = s >> n & 1
						}
						return v
					})
					continue
				case 4:
					table := make([]uint64, 1<<min(n, 8))
					for i := range table {
						table[i] = rng.Uint64()
					}
					x := a[:min(n, 8)]
					out = e.Apply(table, n, x)
					m.word("table", out, func(p int) uint64 { return table[m.at(x, p)] })
				case 5: // a mask of one bit, and one bit
					k := rng.Intn(n)
					for i := range out {
						out[i] = a[k]
					}
					if rng.Intn(2) == 0 {
						out = make(Word, n)
						out[rng.Intn(n)] = a[k]
						out[0] ^= Bit(rng.Intn(2))
					}
				case 6:
					out = a.Not()
				case 7:
					out = a.RotateLeft(rng.Intn(n))
				case 8:
					k := rng.Intn(n)
					copy(out[k:], a[k:])
				}
				words = append(words, out)
			}
			return nil
		})
		if err != nil {
			t.Logf("seed %d, %d bits: %v", seed, n, err)
		}
	}
}

func TestCarryless(t *testing.T) {
	e := New(Limits{})
	m := &model{t, e, map[Bit]uint64{Zero: 0, One: ^uint64(0)}}
	a, b := unknown(e, "a", 16), unknown(e, "b", 16)
	for _, x := range append(append(Word{}, a...), b...) {
		m.see("input", x, e.Values(x))
	}
	a[3], b[5], b[7] = e.Xor(a[1], b[2])^1, One, a[9]
	m.see("sum", a[3], e.Values(a[3]))
	product := e.Carryless(a, b)
	m.word("product", product, func(p int) (v uint64) {
		for i := range 16 {
			if m.at(a, p)>>i&1 != 0 {
				v ^= m.at(b, p) << i
			}
		}
		return v
	})
	five := e.Carryless(machine.Constant(5, 16), b)
	for i := range 16 {
		want := b[i]
		if i >= 2 {
			want = e.Xor(want, b[i-2])
		}
		if five[i] != want {
			t.Errorf("bit %d of 5b: %s, want %s", i, e.String(five[i]), e.String(want))
		}
	}
}

// The example of the package comment.
func TestExample(t *testing.T) {
	e := New(Limits{})
	a, b, c, x := e.Unknown("a"), e.Unknown("b"), e.Unknown("c"), e.Unknown("x")
	e.Together(a, b, c)
	m := e.Xor(e.And(a, b), e.Xor(e.And(a, c), e.And(b, c)))
	atoms, _, _ := e.Size()
	n := e.Xor(e.And(a, b), e.And(c, e.Xor(a, b)))
	if after, _, _ := e.Size(); m != n || after != atoms {
		t.Errorf("%s and %s, %d and %d atoms", e.String(m), e.String(n), atoms, after)
	}
	if u := e.Xor(m, e.Xor(n, x)); u != x {
		t.Errorf("the rest is %s", e.String(u))
	}
}

// A function of 8 bits has one form: as a table, in another basis, and by nibbles.
func TestTables(t *testing.T) {
	e := New(Limits{})
	x := unknown(e, "x", 8)
	table := make([]uint64, 256)
	for i := range table {
		table[i] = uint64(i*i*7+i>>3) & 255
	}
	want := e.Apply(table, 8, x)
	// y = x + x<<1 is another basis; that is undone by the table.
	y := make(Word, 8)
	other := make([]uint64, 256)
	for i := range y {
		y[i] = x[i]
		if i > 0 {
			y[i] = e.Xor(x[i], x[i-1])
		}
	}
	for i := range other {
		other[(i^i<<1)&255] = table[i]
	}
	for i, b := range e.Apply(other, 8, y) {
		if b != want[i] {
			t.Errorf("bit %d in another basis: %s, want %s", i, e.String(b), e.String(want[i]))
		}
	}
	// By the high nibble, from 16 tables of 16.
	got := make(Word, 8)
	for h := range uint64(16) {
		isH := One
		for i := range 4 {
			isH = e.And(isH, x[4+i]^Bit(h>>i&1)^1)
		}
		for i, b := range e.Apply(table[16*h:16*h+16], 8, x[:4]) {
			got[i] = e.Xor(got[i], e.And(isH, b))
		}
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("bit %d by nibbles: %s, want %s", i, e.String(got[i]), e.String(want[i]))
		}
	}
}

// Sums in another order, and with complements, are the same.
func TestSums(t *testing.T) {
	for _, n := range []int{32, 64} {
		e := New(Limits{})
		a, b, c := unknown(e, "a", n), unknown(e, "b", n), unknown(e, "c", n)
		equal := func(what string, x, y Word) {
			t.Helper()
			for i := range x {
				if x[i] != y[i] {
					t.Errorf("%d bits, %s: bit %d is %s and %s", n, what, i, e.String(x[i]), e.String(y[i]))
					return
				}
			}
		}
		equal("order", e.Sum(5, e.Sum(1, a, b), c), e.Sum(6, a, e.Sum(0, b, c)))
		equal("difference", e.Sum(1, e.Sum(0, a, b), b.Not()), a)
		equal("negation twice", e.Sum(1, e.Sum(1, a.Not()).Not()), a)
		high, low := make(Word, n), make(Word, n)
		copy(high[7:], a[7:])
		copy(low, a[:7])
		equal("parts", e.Sum(0, high, b, low), e.Sum(0, a, b))
		equal("twice", e.Sum(0, a, a), a.Left(1))
		one, mask := a[:1].Extend(n), make(Word, n)
		for i := range mask {
			mask[i] = a[0]
		}
		equal("a mask of a bit", e.Sum(1, one.Not()), mask)
		equal("a bit less one", e.Sum(^uint64(0), one), mask.Not())
	}
}

// A sum of single bits is their exclusive or, and has its form.
func TestSumOfBits(t *testing.T) {
	e := New(Limits{})
	a, b := unknown(e, "a", 1), unknown(e, "b", 1)
	for _, c := range []Bit{Zero, One} {
		if got, want := e.Sum(uint64(c), a, b), e.Xor(e.Xor(a[0], b[0]), c); len(got) != 1 || got[0] != want {
			t.Errorf("%v, want %s", got, e.String(want))
		}
	}
}

// The carry of a byte and a constant is a function of the byte.
func TestByteCarry(t *testing.T) {
	e := New(Limits{})
	a := unknown(e, "a", 8)
	e.Together(a...)
	for _, c := range []Bit{Zero, One} {
		want := e.And(a[7], e.And(a[6], a[5])) // from 224 on
		if got := e.Carry(a, machine.Constant(32-uint64(c), 8), c); c == Zero && got != want {
			t.Errorf("%s, want %s", e.String(got), e.String(want))
		}
		table := make([]uint64, 256)
		for i := range table {
			table[i] = uint64(i+77+int(c)) >> 8
		}
		want = e.Apply(table, 1, a)[0]
		if got := e.Carry(machine.Constant(77, 8), a, c); got != want {
			t.Errorf("%s, want %s", e.String(got), e.String(want))
		}
	}
}

// A carry is the same one if the words change places, and the complement if all are complements. The highest bits hand it on if
// they are different constants.
func TestCarries(t *testing.T) {
	e := New(Limits{})
	for _, n := range []int{2, 9, 16} {
		a, b, c := unknown(e, "a", n), unknown(e, "b", n), e.Unknown("c")
		a[0] ^= 1
		want := e.Carry(a, b, c)
		for name, got := range map[string]Bit{
			"exchanged":              e.Carry(b, a, c),
			"complements":            e.Carry(a.Not(), b.Not(), c^1) ^ 1,
			"complements, exchanged": e.Carry(b.Not(), a.Not(), c^1) ^ 1,
			"handed on":              e.Carry(append(a[:n:n], One), append(b[:n:n], Zero), c),
			"handed on twice":        e.Carry(append(a[:n:n], Zero, One), append(b[:n:n], One, Zero), c),
		} {
			if got != want {
				t.Errorf("%d bits, %s: another carry", n, name)
			}
		}
		if e.Carry(append(a[:n:n], One), append(b[:n:n], One), c) != One || e.Carry(append(a[:n:n], Zero), append(b[:n:n], Zero), c) != Zero {
			t.Errorf("%d bits: a carry of equal bits", n)
		}
		if e.Carry(a, b, c^1) == want || e.Carry(a.Not(), b, c) == want {
			t.Errorf("%d bits: the same carry of other words", n)
		}
		for p := range 64 {
			sum := e.numberAt(a, p) + e.numberAt(b, p) + e.Values(c)>>p&1
			if e.Values(want)>>p&1 != sum>>n {
				t.Fatalf("%d bits: a wrong carry", n)
			}
		}
	}
}

// A product by a power of 2 is a distance, and others must be constant.
func TestProduct(t *testing.T) {
	e := New(Limits{})
	a := unknown(e, "a", 16)
	want := a.Extend(32).Left(5)
	for _, got := range []Word{e.Product(a, machine.Constant(32, 16)), e.Product(machine.Constant(32, 16), a)} {
		if !slices.Equal(got, want) {
			t.Error("the wrong product")
		}
	}
	if v, ok := e.Product(machine.Constant(300, 16), machine.Constant(500, 16)).Constant(); !ok || v != 150000 {
		t.Errorf("300 * 500 is %d", v)
	}
	if err := e.Do(func() error { e.Product(a, machine.Constant(3, 16)); return nil }); err == nil {
		t.Error("3a has a form")
	}
}

// A product with a sum is the sum of products, but where a space has all of it.
func TestDistribute(t *testing.T) {
	e := New(Limits{})
	m, a, b := e.Unknown("m"), e.Unknown("a"), e.Unknown("b")
	product := func() Bit { return e.Xor(e.And(m^1, e.Xor(a, b^1)), e.Xor(e.And(m^1, a), e.And(m^1, b))) }
	sum := product()
	if sum == m^1 {
		t.Error("products are distributed without being asked for")
	}
	e = New(Limits{})
	m, a, b = e.Unknown("m"), e.Unknown("a"), e.Unknown("b")
	e.Distribute(m)
	if sum = product(); sum != m^1 {
		t.Errorf("%s, want m+1", e.String(sum))
	}
	space := unknown(e, "x", 3)
	e.Together(space...)
	f := e.Or(space[0], space[1])
	e.Distribute(f)
	if x, y := e.And(f, space[0]), space[0]; x != y {
		t.Errorf("%s, want %s", e.String(x), e.String(y))
	}
	for p := range 64 {
		bit := func(b Bit) uint64 { return e.Values(b) >> p & 1 }
		if bit(e.And(m, e.Xor(a, b))) != bit(m)&(bit(a)^bit(b)) {
			t.Error("another product")
		}
	}
}

// Forget keeps the bits of its list and those of one atom, and what was equal. It makes room.
func TestForget(t *testing.T) {
	e := New(Limits{})
	a, b, c := unknown(e, "a", 8), unknown(e, "b", 8), unknown(e, "c", 8)
	sum := e.Sum(0, a, b)
	kept, other := e.Xor(sum[3], c[0]), e.Xor(sum[3], c[1])
	product := e.And(a[0], b[0])
	long := a[0]
	for range 1000 {
		long = e.Xor(long, e.Unknown("d"))
	}
	_, _, before := e.Size()
	values := e.Values(kept)
	e.Forget(kept)
	if e.used > before/2 {
		t.Errorf("%d bytes of %d are left", e.used, before)
	}
	if _, _, most := e.Size(); most != before {
		t.Errorf("%d bytes were needed, want %d", most, before)
	}
	if e.Values(kept) != values || e.Xor(kept, c[0]) != sum[3] || e.Xor(sum[3], c[0]) != kept {
		t.Error("a bit has changed")
	}
	if e.And(a[0], b[0]) == product {
		t.Error("a function is not forgotten")
	}
	if e.Sum(0, b, a)[2] != sum[2] {
		t.Error("a sum is forgotten")
	}
	for i, x := range e.Sum(0, c, a) {
		if e.Values(x) != e.Values(e.Sum(0, c, a)[i]) || e.Values(x) == 0 {
			t.Error("a new sum is wrong")
		}
	}
	err := e.Do(func() error { e.Xor(other, a[0]); return nil })
	if err == nil || !strings.Contains(err.Error(), "forgotten") || !strings.Contains(e.String(other), "forgotten") {
		t.Errorf("%v, %s", err, e.String(other))
	}
}

func TestLimits(t *testing.T) {
	for _, limits := range []Limits{{Atoms: 10}, {Bytes: 20000}} {
		e := New(limits)
		err := e.Do(func() error {
			b := Zero
			for i := range 1000 {
				b = e.Xor(b, e.Unknown(fmt.Sprint(i)))
			}
			return nil
		})
		if err == nil {
			t.Errorf("%+v: no error", limits)
		}
	}
	e := New(Limits{})
	for name, f := range map[string]func(){
		"dimensions": func() { e.Together(unknown(e, "x", 9)...) },
		"index":      func() { e.Apply(make([]uint64, 512), 1, unknown(e, "x", 9)) },
		"bits":       func() { e.Sum(0, unknown(e, "x", 65)) },
		"and 4":      func() { e.Sum(0, unknown(e, "x", 5), unknown(e, "x", 4)) },
		"no words":   func() { e.Sum(0) },
		"carry":      func() { e.Carry(nil, nil, Zero) },
		"numbers":    func() { e.Product(unknown(e, "x", 8), unknown(e, "y", 8)) },
	} {
		if err := e.Do(func() error { f(); return nil }); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The same computation has the same forms every time.
func TestDeterministic(t *testing.T) {
	run := func() string {
		e := New(Limits{})
		a, b, c := unknown(e, "a", 32), unknown(e, "b", 32), unknown(e, "c", 32)
		parts := []Word{}
		for i := 0; i < 32; i += 4 {
			for _, w := range []Word{a, b, c} {
				p := make(Word, 32)
				copy(p[i:i+4], w[i:i+4])
				parts = append(parts, p)
			}
		}
		s := e.Sum(3, parts...)
		s = e.Sum(0, s, e.Apply([]uint64{1, 9, 4, 4}, 32, s[3:5]))
		return e.String(s[31])
	}
	want := run()
	for range 20 {
		if got := run(); got != want {
			t.Fatalf("%s, then %s", want, got)
		}
	}
}
