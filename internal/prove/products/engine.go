package products

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/forms"
)

type (
	bit  = machine.Bit
	word = machine.Word
)

// bits of a word that is a polynomial, or a factor of a product.
const bits = 16

// A bit that is none of forms has the highest bit, the number of a value, 7 bits for the place in the value,
// and the complement.
const (
	own   bit = 1 << 31
	place     = 8 // where the number of the value begins
)

// A value is a polynomial, a sum of two bits modulo 2, a product of several, the result of a function, or bits of which
// nothing is known.
type value struct {
	polynomial []term
	kind       kind
	bits       []bit // of a sum or a product
}

type kind uint8

const (
	isPolynomial kind = iota
	isSum
	isProduct
	isFunction
	isUnknown
)

// A term is a coefficient modulo 2^16 and a product of two variables, of which 0 is 1.
type term struct {
	variables [2]uint32 // the larger first
	by        uint16
}

func before(a, b term) int {
	return cmp.Or(cmp.Compare(a.variables[0], b.variables[0]), cmp.Compare(a.variables[1], b.variables[1]))
}

// Engine is a Logic. It is not for concurrent use.
type Engine struct {
	*forms.Engine

	// Sets makes sets of products of bits: so many factors as there are, but nothing is known of sums of products.
	Sets bool

	values    []value
	known     map[string]uint32 // polynomials and functions
	sums      map[[2]bit]uint32
	variables []([bits]bit)
	byWord    map[[bits]bit]uint32
}

// New returns an engine without words.
func New(e *forms.Engine) *Engine {
	return &Engine{
		Engine: e, known: map[string]uint32{}, sums: map[[2]bit]uint32{},
		variables: make([][bits]bit, 1), byWord: map[[bits]bit]uint32{},
	}
}

// Size returns the number of polynomials and functions, and about how many bytes they take.
func (e *Engine) Size() (values int, bytes int64) {
	bytes = int64(64*len(e.values) + 48*len(e.sums) + 160*len(e.variables))
	for key := range e.known {
		bytes += int64(2*len(key) + 48)
	}
	return len(e.values), bytes
}

func isOwn(b bit) bool { return b >= own }

// any returns n bits of which nothing is known.
func (e *Engine) any(n int) (w word) {
	for ; n > 0; n -= 1 << (place - 1) {
		w = append(w, bitsOf(e.newValue(value{kind: isUnknown}), min(n, 1<<(place-1)))...)
	}
	return w
}

func (e *Engine) newValue(v value) uint32 {
	if len(e.values) >= 1<<(31-place) {
		panic(machine.Unsupported("there are too many polynomials"))
	}
	e.values = append(e.values, v)
	return uint32(len(e.values) - 1)
}

// named is the value with a key.
func (e *Engine) named(key []byte, v value) uint32 {
	id, ok := e.known[string(key)]
	if !ok {
		id = e.newValue(v)
		e.known[string(key)] = id
	}
	return id
}

func bitsOf(id uint32, n int) word {
	w := make(word, n)
	for i := range w {
		w[i] = own | bit(id)<<place | bit(i)<<1
	}
	return w
}

// word returns the bits of a polynomial.
func (e *Engine) word(p []term) word {
	switch {
	case len(p) == 0:
		return machine.Constant(0, bits)
	case len(p) == 1 && p[0].variables[0] == 0:
		return machine.Constant(uint64(p[0].by), bits)
	case len(p) == 1 && p[0].variables[1] == 0 && p[0].by == 1:
		w := e.variables[p[0].variables[0]]
		return slices.Clone(w[:])
	}
	key := []byte{byte(isPolynomial)}
	for _, t := range p {
		key = binary.LittleEndian.AppendUint32(key, t.variables[0])
		key = binary.LittleEndian.AppendUint32(key, t.variables[1])
		key = binary.LittleEndian.AppendUint16(key, t.by)
	}
	return bitsOf(e.named(key, value{polynomial: p}), bits)
}

// read returns the polynomial of a word.
func (e *Engine) read(w word) []term {
	if c, ok := w.Constant(); ok {
		return constant(uint16(c))
	}
	if first := w[0]; isOwn(first) && first&(1<<place-2) == 0 && e.values[first&^own>>place].kind == isPolynomial {
		whole := true
		for i, b := range w {
			whole = whole && b == first+bit(2*i)
		}
		if p := e.values[first&^own>>place].polynomial; whole {
			if first&1 == 1 { // -p - 1
				return complement(p)
			}
			return p
		}
	}
	if single := !slices.ContainsFunc(w[1:], func(b bit) bool { return b != machine.Zero }); single && w[0]&1 == 1 {
		return add(constant(1), e.read(word{w[0] ^ 1}.Extend(bits)), 1<<bits-1)
	}
	if !slices.ContainsFunc(w, func(b bit) bool { return b != w[0] }) { // -1 or 0
		return add(nil, e.read(word{w[0]}.Extend(bits)), 1<<bits-1)
	}
	if w[0]&1 == 1 && w[0] > machine.One {
		return complement(e.read(w.Not()))
	}
	if s, other, ok := e.mask(w); ok {
		q := e.read(other)
		if p, ok := multiply(add(complement(q), q, 1<<bits-1), e.read(word{s}.Extend(bits))); ok {
			return add(q, p, 1)
		}
	}
	key := [bits]bit(w)
	id, ok := e.byWord[key]
	if !ok {
		id = uint32(len(e.variables))
		e.variables = append(e.variables, key)
		e.byWord[key] = id
	}
	return []term{{[2]uint32{id, 0}, 1}}
}

// mask takes a word apart which is the sum modulo 2 of a bit, in all places, and of another word: that is q, or -q-1 if the
// bit is 1.
func (e *Engine) mask(w word) (s bit, other word, ok bool) {
	for _, b := range w {
		if !isOwn(b) || e.values[b&^own>>place].kind != isSum {
			return 0, nil, false
		}
		list := e.values[b&^own>>place].bits
		if other = append(other, list[1]^b&1); s != 0 && s != list[0] {
			return 0, nil, false
		}
		s = list[0]
	}
	return s, other, true
}

// add returns p and a multiple of q.
func add(p, q []term, by uint16) []term {
	if by == 0 {
		return p
	}
	out := make([]term, 0, len(p)+len(q))
	for len(p) > 0 || len(q) > 0 {
		order := -1
		if len(p) == 0 {
			order = 1
		} else if len(q) > 0 {
			order = before(p[0], q[0])
		}
		t := term{}
		if order <= 0 {
			t, p = p[0], p[1:]
		}
		if order >= 0 {
			t, q = term{q[0].variables, t.by + by*q[0].by}, q[1:]
		}
		if t.by != 0 {
			out = append(out, t)
		}
	}
	return out
}

// complement is -p - 1.
func complement(p []term) []term { return add(constant(1<<bits-1), p, 1<<bits-1) }

func constant(c uint16) []term {
	if c == 0 {
		return nil
	}
	return []term{{by: c}}
}

// multiply returns the product of polynomials, if its degree is at most 2.
func multiply(p, q []term) (out []term, ok bool) {
	for _, t := range p {
		if t.variables[0] == 0 {
			out = add(out, q, t.by)
			continue
		}
		var line []term
		for _, u := range q {
			v := [2]uint32{t.variables[0], u.variables[0]}
			switch {
			case u.variables[0] == 0:
				v = t.variables
			case t.variables[1] != 0 || u.variables[1] != 0:
				return nil, false
			case v[0] < v[1]:
				v[0], v[1] = v[1], v[0]
			}
			line = append(line, term{v, u.by})
		}
		slices.SortFunc(line, before)
		out = add(out, line, t.by)
	}
	return out, true
}

// plain reports whether words have bits of forms only.
func plain(words ...word) bool {
	for _, w := range words {
		if slices.ContainsFunc(w, isOwn) {
			return false
		}
	}
	return true
}

// low makes a word of n bits of a polynomial. Nothing is known of the high ones.
func (e *Engine) low(p []term, n int) word { return append(e.word(p), e.any(n-bits)...) }

// Sum adds words of 16 bits as polynomials, and longer ones if there is a polynomial among them. Of these it has the low
// 16 bits.
func (e *Engine) Sum(c uint64, words ...word) word {
	if len(words) == 0 || len(words[0]) != bits && plain(words...) {
		return e.Engine.Sum(c, words...)
	}
	n := len(words[0])
	if n < bits {
		return e.any(n)
	}
	out := constant(uint16(c))
	for _, w := range words {
		out = add(out, e.read(w[:bits]), 1)
	}
	return e.low(out, n)
}

// Product has the low 16 bits of a product.
func (e *Engine) Product(a, b word) word {
	_, constantA := a.Constant()
	_, constantB := b.Constant()
	if constantA && constantB {
		return e.Engine.Product(a, b)
	}
	n := 2 * len(a)
	if len(a) < bits {
		return e.any(n)
	}
	out, ok := multiply(e.read(a[:bits]), e.read(b[:bits]))
	if !ok {
		return e.any(n)
	}
	return e.low(out, n)
}

// Choose is a where s is 1, and b where it is 0: words of 16 bits are b + s (a - b).
func (e *Engine) Choose(s bit, a, b word) word {
	switch {
	case s == machine.One:
		return a
	case s == machine.Zero:
		return b
	}
	if len(a) == bits {
		p, q := e.read(a), e.read(b)
		if difference, ok := multiply(add(p, q, 1<<bits-1), e.read(word{s}.Extend(bits))); ok {
			return e.word(add(q, difference, 1))
		}
	}
	out := make(word, len(a))
	for i := range out {
		out[i] = e.Xor(e.And(s, e.Xor(a[i], b[i])), b[i])
	}
	return out
}

// Xor is that of forms, a bit or its complement, or a new bit.
func (e *Engine) Xor(a, b bit) bit {
	switch {
	case !isOwn(a) && !isOwn(b):
		return e.Engine.Xor(a, b)
	case a <= machine.One || b <= machine.One || a^b <= 1:
		return a ^ b
	}
	c := (a ^ b) & 1
	key := [2]bit{min(a, b) &^ 1, max(a, b) &^ 1}
	id, ok := e.sums[key]
	if !ok {
		id = e.newValue(value{kind: isSum, bits: key[:]})
		e.sums[key] = id
	}
	return bitsOf(id, 1)[0] ^ c
}

// And is that of forms, a constant or one of the bits. Of others nothing is known.
func (e *Engine) And(a, b bit) bit {
	switch {
	case a == machine.Zero || b == machine.Zero:
		return machine.Zero
	case a == machine.One:
		return b
	case b == machine.One:
		return a
	case a == b:
		return a
	case a == b^1:
		return machine.Zero
	case e.Sets:
		return e.product(a, b)
	case !isOwn(a) && !isOwn(b):
		return e.Engine.And(a, b)
	}
	return e.any(1)[0]
}

// product is 1 if all bits of two sets are.
func (e *Engine) product(a, b bit) bit {
	factors := func(b bit) []bit {
		if isOwn(b) && b&1 == 0 && e.values[b&^own>>place].kind == isProduct {
			return e.values[b&^own>>place].bits
		}
		return []bit{b}
	}
	list := slices.Concat(factors(a), factors(b))
	slices.Sort(list)
	list = slices.Compact(list)
	key := []byte{byte(isProduct)}
	for i, b := range list {
		if i > 0 && list[i-1] == b^1 {
			return machine.Zero
		}
		key = binary.LittleEndian.AppendUint32(key, uint32(b))
	}
	return bitsOf(e.named(key, value{kind: isProduct, bits: list}), 1)[0]
}

// Nothing is known of a carry of polynomials, nor of the other functions below.
func (e *Engine) Carry(a, b word, c bit) bit {
	if plain(a, b, word{c}) {
		return e.Engine.Carry(a, b, c)
	}
	return e.any(1)[0]
}

func (e *Engine) Carryless(a, b word) word {
	if plain(a, b) {
		return e.Engine.Carryless(a, b)
	}
	return e.any(2 * len(a))
}

func (e *Engine) Apply(table []uint64, width int, index word) word {
	if plain(index) {
		return e.Engine.Apply(table, width, index)
	}
	return e.any(width)
}

// Function is a result of as many bits as the word, at most 128, which is the same for the same words. It has no
// meaning. There is none of constants: these can be computed with.
func (e *Engine) Function(name string, w word) (out word, ok bool) {
	if !slices.ContainsFunc(w, func(b bit) bool { return b > machine.One }) {
		return nil, false
	}
	key := append([]byte{byte(isFunction)}, name...)
	key = append(key, 0)
	for _, b := range w {
		key = binary.LittleEndian.AppendUint32(key, uint32(b))
	}
	return bitsOf(e.named(key, value{kind: isFunction}), len(w)), true
}

// Values returns a bit for the 64 random assignments of forms, if it is known for these: a function has no values.
func (e *Engine) Values(b bit) (v uint64, ok bool) {
	if !isOwn(b) {
		return e.Engine.Values(b), true
	}
	x := e.values[b&^own>>place]
	switch x.kind {
	case isSum, isProduct:
		if ok = true; x.kind == isProduct {
			v--
		}
		for _, f := range x.bits {
			w, known := e.Values(f)
			if ok = ok && known; x.kind == isSum {
				v ^= w
			} else {
				v &= w
			}
		}
		return v ^ -uint64(b&1), ok
	case isFunction, isUnknown:
		return 0, false
	}
	numbers, ok := e.numbers(x.polynomial)
	for i, n := range numbers {
		v |= uint64(n>>(b&(1<<place-1)>>1)&1) << i
	}
	return v ^ -uint64(b&1), ok
}

// numbers are the values of a polynomial.
func (e *Engine) numbers(p []term) (list [64]uint16, ok bool) {
	variable := func(id uint32) (list [64]uint16, ok bool) {
		for i, b := range e.variables[id] {
			v, ok := e.Values(b)
			if !ok {
				return list, false
			}
			for j := range list {
				list[j] |= uint16(v>>j&1) << i
			}
		}
		return list, true
	}
	for _, t := range p {
		var factors [2][64]uint16
		for i, id := range t.variables {
			if id == 0 {
				for j := range factors[i] {
					factors[i][j] = 1
				}
			} else if factors[i], ok = variable(id); !ok {
				return list, false
			}
		}
		for j := range list {
			list[j] += t.by * factors[0][j] * factors[1][j]
		}
	}
	return list, true
}

// String describes a bit.
func (e *Engine) String(b bit) string {
	if !isOwn(b) {
		return e.Engine.String(b)
	}
	not := ""
	if b&1 == 1 {
		not = "not "
	}
	x := e.values[b&^own>>place]
	switch x.kind {
	case isSum:
		return not + "(" + e.String(x.bits[0]) + " + " + e.String(x.bits[1]) + ")"
	case isProduct:
		return fmt.Sprintf("%sa product of %d bits", not, len(x.bits))
	case isFunction:
		return fmt.Sprintf("%sbit %d of a function", not, b&(1<<place-1)>>1)
	case isUnknown:
		return "a bit of which nothing is known"
	}
	return fmt.Sprintf("%sbit %d of a polynomial with %d terms", not, b&(1<<place-1)>>1, len(x.polynomial))
}
