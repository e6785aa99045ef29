package integers

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/big"
	"math/rand"
	"slices"

	"github.com/cipherlane/cipherlane/internal/machine"
)

type (
	bit  = machine.Bit
	word = machine.Word
)

// Samples are how many random values the inputs have.
const Samples = 16

// An Engine is a Logic. It cannot follow the bits of words through gates, but for masks and choices.
type Engine struct {
	variables []variable
	products  map[string]int
	facts     []fact
	known     map[string]*total // by their forms
	atoms     []atom            // of bits 2i and 2i+1; those of 0 and 1 are none
	choices   map[atom]bit
	words     map[string]number
	masks     map[string]Form // bits that are in several places of a word
	names     map[bit]bit     // see Name
	parted    []*total        // of which parts were read since Forget

	// Pivots counts what the search for bounds does.
	Pivots int
}

// A variable has a value from low to high.
type variable struct {
	name      string
	low, high *big.Int
	samples   [Samples]*big.Int
	factors   []int   // of a product
	choice    *choice // or nil
}

// A choice is yes if the form flag, which is 0 or 1, is 1, and no otherwise.
type choice struct{ flag, yes, no Form }

// A fact is that a form is from low to high.
type fact struct {
	form      Form
	low, high *big.Int
}

// number is what bits mean.
type number struct {
	Form
	low, high *big.Int
}

// A total is a number, of which words are parts.
type total struct {
	number
	bits   int
	first  bit
	floors map[int]Form // quotients by powers of 2
	slices map[[2]int]bool
}

// An atom is a bit of a total, or a choice between two bits by another, whose atom is flag.
type atom struct {
	total   *total
	at      int
	flag    int
	yes, no bit
}

// New returns an engine without variables.
func New() *Engine {
	return &Engine{
		products: map[string]int{}, known: map[string]*total{}, atoms: make([]atom, 1),
		choices: map[atom]bit{}, words: map[string]number{}, masks: map[string]Form{}, names: map[bit]bit{},
	}
}

func fail(format string, args ...any) { panic(machine.Unsupported(fmt.Sprintf(format, args...))) }

func (e *Engine) variable(v variable) Form {
	for _, x := range v.samples {
		if x.Cmp(v.low) < 0 || x.Cmp(v.high) > 0 {
			panic("integers: a sample is not in the range of " + v.name)
		}
	}
	e.variables = append(e.variables, v)
	return Form{map[int]*big.Int{len(e.variables) - 1: one}, new(big.Int)}
}

// evaluate returns the value of a form in a sample.
func (e *Engine) evaluate(f Form, sample int) *big.Int {
	sum := new(big.Int).Set(f.constant)
	var x big.Int
	for v, c := range f.terms {
		sum.Add(sum, x.Mul(c, e.variables[v].samples[sample]))
	}
	return sum
}

// fact notes bounds of a form.
func (e *Engine) fact(f Form, low, high *big.Int) {
	for i := range Samples {
		if x := e.evaluate(f, i); x.Cmp(low) < 0 || x.Cmp(high) > 0 {
			panic("integers: a fact is wrong")
		}
	}
	e.facts = append(e.facts, fact{f, low, high})
}

// Input returns a number of some limbs of 64 bits, the lowest first, which is at most max.
func (e *Engine) Input(name string, limbs int, max *big.Int) (Form, []machine.Word) {
	var list []word
	value := Int(new(big.Int))
	var samples [Samples]*big.Int
	for i := range samples {
		h := fnv.New64a()
		fmt.Fprint(h, name, i)
		samples[i] = new(big.Int).Rand(rand.New(rand.NewSource(int64(h.Sum64()))), new(big.Int).Add(max, one))
		if small := new(big.Int).Rsh(max, uint(max.BitLen()-8)); i < 2 {
			samples[i].Mod(samples[i], small) // at the ends, where carries are rare
			if i == 1 {
				samples[i].Sub(max, samples[i])
			}
		}
	}
	for i := range limbs {
		v := variable{name: fmt.Sprint(name, i), low: new(big.Int), high: new(big.Int).Sub(power(64), one)}
		for j, x := range samples {
			v.samples[j] = new(big.Int).And(new(big.Int).Rsh(x, uint(64*i)), v.high)
		}
		limb := e.variable(v)
		value = value.Plus(power(64*i), limb)
		list = append(list, e.bits(number{limb, v.low, v.high}, 64))
	}
	e.fact(value, new(big.Int), max)
	return value, list
}

// Forget forgets all facts, which takes time from proofs, and proves no more than before.
func (e *Engine) Forget() {
	e.facts = nil
	clear(e.masks)
	clear(e.words)
	for _, t := range e.parted { // whose parts need their facts again
		clear(t.floors)
		clear(t.slices)
	}
	e.parted = nil
}

// Between notes bounds of a number of Input: those that it has, or closer ones.
func (e *Engine) Between(value Form, min, max *big.Int) { e.fact(value, min, max) }

// Name returns a bit for one that depends on many others, such as that a number is 0. It can choose between
// words. Its relation to the others is not known, but the same function of them is the same bit.
func (e *Engine) Name(b bit) bit {
	if b <= machine.One {
		return b
	}
	v := variable{name: fmt.Sprint("b", len(e.variables)), low: new(big.Int), high: one}
	for i := range v.samples {
		v.samples[i] = big.NewInt(int64(e.Value(b&^1, i)))
	}
	e.names[b&^1] = e.bits(number{e.variable(v), v.low, v.high}, 1)[0]
	return e.names[b&^1] ^ b&1
}

// Given is a word where a bit that chooses in it has a value.
func (e *Engine) Given(w word, b, value bit) word {
	if b <= machine.One {
		return w
	}
	return e.cofactors(w, int(b/2), value^b&1)
}

// Multiply returns the product of forms, which are from 0 to given numbers.
func (e *Engine) Multiply(a, b Form, highA, highB *big.Int) Form {
	p := e.multiply(a, b)
	e.fact(p, new(big.Int), new(big.Int).Mul(highA, highB))
	return p
}

func (e *Engine) multiply(a, b Form) Form {
	if len(a.terms)*len(b.terms) > 1<<12 {
		fail("a product of %d and %d terms", len(a.terms), len(b.terms))
	}
	sum := Int(new(big.Int).Mul(a.constant, b.constant))
	sum = sum.Plus(b.constant, Form{a.terms, new(big.Int)})
	sum = sum.Plus(a.constant, Form{b.terms, new(big.Int)})
	for v, x := range a.terms {
		for w, y := range b.terms {
			sum = sum.Plus(new(big.Int).Mul(x, y), e.product(v, w))
		}
	}
	return sum
}

// product is the variable of a product of two variables.
func (e *Engine) product(v, w int) Form {
	factors := func(i int) []int {
		if f := e.variables[i].factors; f != nil {
			return f
		}
		return []int{i}
	}
	list := slices.Concat(factors(v), factors(w))
	slices.Sort(list)
	key := fmt.Sprint(list)
	if i, ok := e.products[key]; ok {
		return Form{map[int]*big.Int{i: one}, new(big.Int)}
	}
	a, b := e.variables[v], e.variables[w]
	p := variable{name: a.name + "·" + b.name, low: new(big.Int).Mul(a.low, b.low), high: new(big.Int).Mul(a.high, b.high), factors: list}
	for i := range p.samples {
		p.samples[i] = new(big.Int).Mul(a.samples[i], b.samples[i])
	}
	e.products[key] = len(e.variables)
	return e.variable(p)
}

// bits returns a number, of which n bits are wanted, as bits. It may have more of them.
func (e *Engine) bits(x number, n int) word {
	if len(x.terms) == 0 {
		w := machine.Constant(0, max(n, x.constant.BitLen()))
		for i := range w {
			w[i] = bit(x.constant.Bit(i))
		}
		return w
	}
	key := x.key()
	t := e.known[key]
	if t == nil {
		t = &total{number: x, bits: x.high.BitLen(), first: bit(2 * len(e.atoms)), floors: map[int]Form{}, slices: map[[2]int]bool{}}
		for i := range t.bits {
			e.atoms = append(e.atoms, atom{total: t, at: i})
		}
		e.known[key] = t
	}
	w := make(word, max(n, t.bits))
	for i := range t.bits {
		w[i] = t.first + bit(2*i)
	}
	return w
}

// floor is the quotient of a total by 2^k.
func (e *Engine) floor(t *total, k int) Form {
	switch f, ok := t.floors[k]; {
	case ok:
		return f
	case k == 0:
		return t.Form
	case k >= t.bits:
		return Int(new(big.Int))
	}
	v := variable{name: fmt.Sprint("q", len(e.variables)), low: new(big.Int).Rsh(t.low, uint(k)), high: new(big.Int).Rsh(t.high, uint(k))}
	for i := range v.samples {
		v.samples[i] = new(big.Int).Rsh(e.evaluate(t.Form, i), uint(k))
	}
	q := e.variable(v)
	e.fact(t.Form.Minus(q.Times(power(k))), new(big.Int), new(big.Int).Sub(power(k), one))
	t.floors[k] = q
	e.parted = append(e.parted, t)
	return q
}

// slice is the number in bits i to j-1 of a total.
func (e *Engine) slice(t *total, i, j int) number {
	f := e.floor(t, i).Plus(new(big.Int).Neg(power(j-i)), e.floor(t, j))
	low, high := new(big.Int), new(big.Int).Sub(power(j-i), one)
	if j >= t.bits {
		low, high = new(big.Int).Rsh(t.low, uint(i)), new(big.Int).Rsh(t.high, uint(i))
	} else if i > 0 && !t.slices[[2]int{i, j}] {
		e.fact(f, low, high)
	}
	t.slices[[2]int{i, j}] = true
	e.parted = append(e.parted, t)
	return number{f, low, high}
}

// read is the number of a word.
func (e *Engine) read(w word) number {
	key := fmt.Sprint(w)
	x, ok := e.words[key]
	if !ok {
		x = e.readBits(w)
		e.words[key] = x
	}
	return x
}

func (e *Engine) readBits(w word) number {
	if e.gates(w) {
		fail("a word depends on gates of bits")
	}
	for _, b := range w {
		if a := e.atoms[b/2]; a.flag > 0 {
			return e.choose(a.flag, e.read(e.cofactors(w, a.flag, machine.One)), e.read(e.cofactors(w, a.flag, machine.Zero)))
		}
	}
	x := number{Int(new(big.Int)), new(big.Int), new(big.Int)}
	add := func(at int, part number) {
		c := power(at)
		x = number{x.Plus(c, part.Form), new(big.Int).Add(x.low, new(big.Int).Mul(c, part.low)), new(big.Int).Add(x.high, new(big.Int).Mul(c, part.high))}
	}
	for i := 0; i < len(w); {
		if w[i] <= machine.One {
			add(i, number{Int(big.NewInt(int64(w[i]))), big.NewInt(int64(w[i])), big.NewInt(int64(w[i]))})
			i++
			continue
		}
		j := i + 1
		for j < len(w) && w[j] > machine.One && w[j] == w[j-1]+2 && e.atoms[w[j]/2].total == e.atoms[w[i]/2].total {
			j++
		}
		a := e.atoms[w[i]/2]
		part := e.slice(a.total, a.at, a.at+j-i)
		if j-i == 1 && slices.Contains(w[j:], w[i]) {
			e.masks[part.key()] = part.Form
		}
		if w[i]&1 == 1 {
			all := new(big.Int).Sub(power(j-i), one)
			part = number{Int(all).Minus(part.Form), new(big.Int).Sub(all, part.high), new(big.Int).Sub(all, part.low)}
		}
		add(i, part)
		i = j
	}
	return x
}

// choose is yes where the bit of an atom is 1.
func (e *Engine) choose(flag int, yes, no number) number {
	low, high := yes.low, yes.high
	if no.low.Cmp(low) < 0 {
		low = no.low
	}
	if no.high.Cmp(high) > 0 {
		high = no.high
	}
	f := e.read(word{bit(2 * flag)})
	if d := yes.Minus(no.Form); len(d.terms) == 0 {
		e.masks[f.key()] = f.Form
		return number{no.Plus(d.constant, f.Form), low, high}
	}
	v := variable{name: fmt.Sprint("m", len(e.variables)), low: low, high: high, choice: &choice{f.Form, yes.Form, no.Form}}
	for i := range v.samples {
		v.samples[i] = e.evaluate(no.Form, i)
		if e.evaluate(f.Form, i).Sign() > 0 {
			v.samples[i] = e.evaluate(yes.Form, i)
		}
	}
	return number{e.variable(v), low, high}
}

// The gates: a bit is a tree of choices.

// root is the atom that decides first about a bit.
func (e *Engine) root(b bit) int {
	if a := e.atoms[b/2]; a.flag > 0 {
		return a.flag
	}
	return int(b / 2)
}

// before is the order of atoms in trees: carries first, as they choose between words.
func (e *Engine) before(i, j int) bool {
	carry := func(i int) bool {
		a := e.atoms[i]
		return a.total != nil && a.at == a.total.bits-1 && (a.at == 0 || a.at >= 64)
	}
	if a, b := carry(i), carry(j); a != b {
		return a
	}
	return i < j
}

// cofactor is a bit where the bit of an atom has a value.
func (e *Engine) cofactor(b bit, flag int, value bit) bit {
	a := e.atoms[b/2]
	switch {
	case int(b/2) == flag:
		return value ^ b&1
	case a.flag == flag && value == machine.One:
		return a.yes ^ b&1
	case a.flag == flag:
		return a.no ^ b&1
	}
	return b
}

func (e *Engine) cofactors(w word, flag int, value bit) word {
	out := make(word, len(w))
	for i, b := range w {
		out[i] = e.cofactor(b, flag, value)
	}
	return out
}

func (e *Engine) tree(flag int, yes, no bit) bit {
	switch {
	case yes == no:
		return yes
	case yes <= machine.One && no <= machine.One:
		return bit(2*flag) ^ no
	case no&1 == 1:
		return e.tree(flag, yes^1, no^1) ^ 1
	}
	a := atom{flag: flag, yes: yes, no: no}
	b, ok := e.choices[a]
	if !ok {
		b = bit(2 * len(e.atoms))
		e.atoms = append(e.atoms, a)
		e.choices[a] = b
	}
	if name, ok := e.names[b]; ok {
		return name
	}
	return b
}

// gate is a function of two bits, neither of which is constant.
func (e *Engine) gate(a, b bit, f func(a, b bit) bit) bit {
	flag := e.root(a)
	if other := e.root(b); e.before(other, flag) {
		flag = other
	}
	return e.tree(flag,
		f(e.cofactor(a, flag, machine.One), e.cofactor(b, flag, machine.One)),
		f(e.cofactor(a, flag, machine.Zero), e.cofactor(b, flag, machine.Zero)))
}

func (e *Engine) And(a, b bit) bit {
	switch {
	case a == machine.Zero || b == machine.Zero || a == b^1:
		return machine.Zero
	case a == machine.One || a == b:
		return b
	case b == machine.One:
		return a
	}
	return e.gate(a, b, e.And)
}

func (e *Engine) Xor(a, b bit) bit {
	switch {
	case a <= machine.One:
		return b ^ a
	case b <= machine.One:
		return a ^ b
	case a^b <= 1:
		return a ^ b
	}
	return e.gate(a, b, e.Xor)
}

// Choose is a where s is 1, and b where it is 0.
func (e *Engine) Choose(s bit, a, b word) word {
	out := make(word, len(a))
	for i := range a {
		out[i] = e.either(s, a[i], b[i])
	}
	return out
}

func (e *Engine) either(s, a, b bit) bit {
	switch s {
	case machine.One:
		return a
	case machine.Zero:
		return b
	}
	flag := e.root(s)
	side := func(value bit) bit {
		return e.either(e.cofactor(s, flag, value), e.cofactor(a, flag, value), e.cofactor(b, flag, value))
	}
	return e.tree(flag, side(machine.One), side(machine.Zero))
}

// others returns the only word that is no constant, and the sum of the constants, or nil.
func others(c uint64, words []word) (w word, k *big.Int) {
	k = new(big.Int).SetUint64(c)
	for _, x := range words {
		if v, ok := x.Constant(); ok {
			k.Add(k, new(big.Int).SetUint64(v))
		} else if w != nil {
			return nil, nil
		} else {
			w = x
		}
	}
	return w, k
}

// gates reports whether more bits choose in a word than in numbers.
func (e *Engine) gates(w word) bool {
	flags := map[int]bool{}
	for _, b := range w {
		if a := e.atoms[b/2]; a.flag > 0 {
			flags[a.flag] = true
		}
	}
	return len(flags) > 4
}

// sum returns the bits of a sum of words, with its carries.
func (e *Engine) sum(c uint64, words []word) word {
	n := len(words[0])
	words = slices.Clone(words)
	var flag bit
	single := true
	for i := range words {
		for j := range i { // a + ^a is all ones, whatever a is
			if slices.Equal(words[j], words[i].Not()) {
				words[i], words[j] = machine.Constant(0, n), machine.Constant(0, n).Not()
			}
		}
	}
	if w, k := others(c, words); w != nil && new(big.Int).Mod(k, power(n)).Sign() == 0 {
		return machine.Join(w, machine.Constant(k.Rsh(k, uint(n)).Uint64(), 2))
	} else if w != nil && k.Cmp(one) == 0 && e.gates(w) {
		// Only whether it carries matters of such a word.
		out, carry := make(word, n+1), machine.One
		for i, b := range w {
			out[i], carry = e.Xor(b, carry), e.And(b, carry)
		}
		out[n] = carry
		return out
	}
	for _, w := range words {
		for _, b := range w {
			if b > machine.One {
				single = single && (flag == 0 || flag == b&^1)
				flag = b &^ 1
			}
		}
	}
	x := number{Int(new(big.Int).SetUint64(c)), new(big.Int).SetUint64(c), new(big.Int).SetUint64(c)}
	if flag > 0 && single {
		// Only one bit is unknown: the sum is a choice between two constants.
		var sums [2]word
		for v := range sums {
			list := make([]word, len(words))
			for i, w := range words {
				list[i] = e.cofactors(w, int(flag/2), bit(v))
			}
			sums[v] = e.sum(c, list)
		}
		out := make(word, max(len(sums[0]), len(sums[1])))
		for i := range out {
			out[i] = e.tree(int(flag/2), sums[1].Extend(len(out))[i], sums[0].Extend(len(out))[i])
		}
		return out
	}
	for _, w := range words {
		y := e.read(w)
		x = number{x.Plus(one, y.Form), new(big.Int).Add(x.low, y.low), new(big.Int).Add(x.high, y.high)}
	}
	return e.bits(x, n+1)
}

func (e *Engine) Sum(c uint64, words ...word) word { return e.sum(c, words)[:len(words[0])] }

func (e *Engine) Carry(a, b word, c bit) bit {
	n := len(a)
	if c <= machine.One {
		return e.sum(uint64(c), []word{a, b}).Extend(n + 1)[n]
	}
	return e.sum(0, []word{a, b, word{c}.Extend(n)}).Extend(n + 1)[n]
}

func (e *Engine) Product(a, b word) word {
	x, y := e.read(a), e.read(b)
	n := 2 * len(a)
	p := number{e.multiply(x.Form, y.Form), new(big.Int).Mul(x.low, y.low), new(big.Int).Mul(x.high, y.high)}
	if len(x.terms) > 0 && len(y.terms) > 0 {
		e.fact(p.Form, p.low, p.high)
	}
	return e.bits(p, n)[:n]
}

func (e *Engine) Carryless(a, b word) word {
	fail("a product of polynomials over GF(2)")
	return nil
}

func (e *Engine) Apply(table []uint64, width int, index word) word {
	fail("a table")
	return nil
}

func (e *Engine) Unknown(name string) bit {
	v := variable{name: name, low: new(big.Int), high: one}
	for i := range v.samples {
		h := fnv.New64a()
		fmt.Fprint(h, name, i)
		v.samples[i] = big.NewInt(int64(h.Sum64() >> 40 & 1))
	}
	return e.bits(number{e.variable(v), v.low, v.high}, 1)[0]
}

// Read is the number of a word.
func (e *Engine) Read(w word) Form { return e.read(w).Form }

// Value is that of a bit in a sample.
func (e *Engine) Value(b bit, sample int) bit {
	if b <= machine.One {
		return b
	}
	a := e.atoms[b/2]
	switch {
	case a.total != nil:
		return bit(e.evaluate(a.total.Form, sample).Bit(a.at)) ^ b&1
	case e.Value(bit(2*a.flag), sample) == machine.One:
		return e.Value(a.yes, sample) ^ b&1
	}
	return e.Value(a.no, sample) ^ b&1
}

// A Term is a number, or a product of two, with a factor.
type Term struct {
	Factor *big.Int
	Of     []int
}

// Terms finds a sum of terms and a constant that may be a form modulo m, of numbers of Input. It looks at the
// coefficients of their highest limbs and at the samples, and proves nothing.
func (e *Engine) Terms(f Form, m *big.Int, list []Form) (terms []Term, constant *big.Int, ok bool) {
	all := f
	for chosen := true; chosen; {
		chosen = false
		for _, v := range slices.Sorted(maps.Keys(f.terms)) {
			if c := e.variables[v].choice; c != nil {
				f, chosen = f.substitute(v, c.no), true
			}
		}
	}
	f = f.modulo(m)
	highest, place := map[int]int{}, map[int]*big.Int{}
	for i, x := range list {
		top := -1
		for v, c := range x.terms {
			if top < 0 || c.Cmp(x.terms[top]) > 0 {
				top = v
			}
		}
		highest[top], place[top] = i, x.terms[top]
	}
	for _, v := range slices.Sorted(maps.Keys(f.terms)) {
		factors := e.variables[v].factors
		if factors == nil {
			factors = []int{v}
		}
		t := Term{Factor: f.terms[v]}
		for _, w := range factors {
			if i, ok := highest[w]; ok {
				t.Of = append(t.Of, i)
				t.Factor = new(big.Int).Mul(t.Factor, new(big.Int).ModInverse(place[w], m))
			}
		}
		if len(t.Of) == len(factors) {
			t.Factor.Mod(t.Factor, m)
			terms = append(terms, t)
		}
	}
	for i := range Samples {
		x := e.evaluate(all, i)
		for _, t := range terms {
			y := new(big.Int).Set(t.Factor)
			for _, j := range t.Of {
				y.Mul(y, e.evaluate(list[j], i))
			}
			x.Sub(x, y)
		}
		if x.Mod(x, m); i > 0 && x.Cmp(constant) != 0 {
			return nil, nil, false
		}
		constant = x
	}
	return terms, constant, true
}

// Size counts variables and facts.
func (e *Engine) Size() (variables, facts int) { return len(e.variables), len(e.facts) }
