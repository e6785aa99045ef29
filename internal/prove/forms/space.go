package forms

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// A polynomial over GF(2) in at most 8 variables has a bit for each monomial: bit i is the
// coefficient of the product of the variables whose bits are set in i.
type polynomial [4]uint64

func (f *polynomial) bit(i int) bool { return f[i>>6]>>(i&63)&1 != 0 }
func (f *polynomial) flip(i int)     { f[i>>6] ^= 1 << (i & 63) }

func (f *polynomial) add(g *polynomial) {
	for i := range f {
		f[i] ^= g[i]
	}
}

// moebius makes a polynomial of a truth table, and a truth table of a polynomial.
func (f *polynomial) moebius() {
	for i, x := range f {
		x ^= x << 1 & 0xaaaaaaaaaaaaaaaa
		x ^= x << 2 & 0xcccccccccccccccc
		x ^= x << 4 & 0xf0f0f0f0f0f0f0f0
		x ^= x << 8 & 0xff00ff00ff00ff00
		x ^= x << 16 & 0xffff0000ffff0000
		x ^= x << 32
		f[i] = x
	}
	f[1] ^= f[0]
	f[3] ^= f[2]
	f[2] ^= f[0]
	f[3] ^= f[1]
}

// times multiplies functions: their truth tables.
func (f *polynomial) times(g *polynomial) {
	h := *g
	f.moebius()
	h.moebius()
	for i := range f {
		f[i] &= h[i]
	}
	f.moebius()
}

// leading returns the highest monomial of more than one variable, or -1.
func (f *polynomial) leading() int {
	g := *f
	g[0] &^= 1<<0 | 1<<1 | 1<<2 | 1<<4 | 1<<8 | 1<<16 | 1<<32
	g[1] &^= 1 // variable 6
	g[2] &^= 1 // variable 7
	for i := 3; i >= 0; i-- {
		if g[i] != 0 {
			return 64*i + 63 - bits.LeadingZeros64(g[i])
		}
	}
	return -1
}

// A space is what at most 8 forms span, with the functions of it that are atoms.
type space struct {
	id    int32
	basis []Bit    // without constants; the last atom of each is in no other one
	pivot []uint32 // these atoms
	atoms []function
	lane  bool // it depends on inputs of lanes
}

// A function is an atom of a space. They are sorted by leading monomials, the highest first.
type function struct {
	f       polynomial
	leading int
	atom    uint32
}

// reduce takes known functions off f, and calls known with their atoms.
func (s *space) reduce(f *polynomial, known func(atom uint32)) {
	for i := range s.atoms {
		if g := &s.atoms[i]; f.bit(g.leading) {
			f.add(&g.f)
			known(g.atom)
		}
	}
}

// candidates calls do with the spaces that may have a bit, until it returns true: the one whose
// function its last atom is, and those with this atom as a pivot.
func (e *Engine) candidates(b Bit, do func(*space) bool) {
	last := e.last(b)
	if o := e.atoms[last].owner; o >= 0 && do(e.spaces[o]) {
		return
	}
	for _, s := range e.byPivot[last] {
		if do(e.spaces[s]) {
			return
		}
	}
}

// in returns a bit as a polynomial in the basis of a space, if it is a function of that.
func (e *Engine) in(s *space, b Bit) (f polynomial, ok bool) {
	f[0] = uint64(b & 1)
	var memory, other [24]uint32
	rest := memory[:0]
	for _, a := range e.atomsOf(b) {
		if t := &e.atoms[a]; t.owner == s.id {
			f.add(&t.f)
		} else {
			rest = append(rest, a)
		}
	}
	if len(rest) == 0 {
		return f, true
	}
	// The coefficient of a basis form is whether its pivot is there.
	scratch := other[:0]
	for i, p := range s.pivot {
		if _, found := slices.BinarySearch(rest, p); found {
			f.flip(1 << i)
			rest, scratch = add(scratch[:0], rest, e.atomsOf(s.basis[i])), rest
		}
	}
	return f, len(rest) == 0
}

// bitOf returns the bit of a polynomial in the basis of a space. What known functions do not
// span becomes an atom as it is, so that the forms of a specification's functions are short.
func (e *Engine) bitOf(s *space, f polynomial) Bit {
	var memory [16]Bit
	parts := memory[:0]
	s.reduce(&f, func(atom uint32) { parts = append(parts, e.single(atom)) })
	parts = append(parts, Bit(f[0]&1))
	f[0] &^= 1
	if l := f.leading(); l >= 0 {
		table := f
		table.moebius()
		var values uint64
		for p := range 64 {
			x := 0
			for i, b := range s.basis {
				x |= int(e.Values(b)>>p&1) << i
			}
			if table.bit(x) {
				values |= 1 << p
			}
		}
		a := e.newAtom(atom{values: values, owner: s.id, f: f, lane: s.lane})
		at, _ := slices.BinarySearchFunc(s.atoms, l, func(g function, l int) int { return l - g.leading })
		s.atoms = slices.Insert(s.atoms, at, function{f, l, a})
		e.use(48)
		return e.Parity(append(parts, e.single(a))...)
	}
	for i, b := range s.basis {
		if f.bit(1 << i) {
			parts = append(parts, b)
		}
	}
	return e.Parity(parts...)
}

// spaceOf returns a space that has all bits, an old one if there is one, and the bits as
// polynomials in its basis; or nil if they have more than 8 dimensions.
func (e *Engine) spaceOf(list ...Bit) (found *space, out []polynomial) {
	var high Bit
	for _, b := range list {
		if b > One && (high == 0 || e.last(b) > e.last(high)) {
			high = b
		}
	}
	out = make([]polynomial, len(list))
	has := func(s *space) bool {
		for i, b := range list {
			var ok bool
			if out[i], ok = e.in(s, b); !ok {
				return false
			}
		}
		found = s
		return true
	}
	if high != 0 {
		e.candidates(high, has)
	}
	if found == nil {
		if s := e.newSpace(list); s != nil && !has(s) {
			stop("a space lacks what spans it") // cannot be
		}
	}
	return found, out
}

// newSpace returns what bits span, or nil if these are more than 8 dimensions.
func (e *Engine) newSpace(list []Bit) *space {
	var basis []Bit
	for _, b := range list {
		f := b &^ 1
		for _, g := range basis {
			if _, ok := slices.BinarySearch(e.atomsOf(f), e.last(g)); ok {
				f = e.Xor(f, g)
			}
		}
		if f == Zero {
			continue
		}
		for i, g := range basis {
			if _, ok := slices.BinarySearch(e.atomsOf(g), e.last(f)); ok {
				basis[i] = e.Xor(g, f)
			}
		}
		basis = append(basis, f)
	}
	if len(basis) > 8 {
		return nil
	}
	slices.SortFunc(basis, func(a, b Bit) int { return int(e.last(a)) - int(e.last(b)) })
	key := wordKey(basis)
	if id, ok := e.byBasis[key]; ok {
		return e.spaces[id]
	}
	e.use(300)
	s := &space{id: int32(len(e.spaces)), basis: basis}
	for _, b := range basis {
		s.lane = s.lane || e.inLane[b>>1]
		p := e.last(b)
		s.pivot = append(s.pivot, p)
		e.byPivot[p] = append(e.byPivot[p], s.id)
	}
	e.spaces = append(e.spaces, s)
	e.byBasis[key] = s.id
	return s
}

// And returns the product.
func (e *Engine) And(a, b Bit) Bit {
	if (a|b)>>laneShift != 0 {
		switch { // also of several lanes
		case a == Zero || b == Zero || a == b^1:
			return Zero
		case a == One || a == b:
			return b
		case b == One:
			return a
		}
		lane := oneLane([]Bit{a, b})
		return e.laned(lane, e.And(a&noLane, b&noLane))
	}
	switch {
	case a == Zero || b == Zero || a == b^1:
		return Zero
	case a == One:
		return b
	case b == One || a == b:
		return a
	case a > b:
		a, b = b, a
	}
	key := [2]Bit{a, b}
	if out, ok := e.ands[key]; ok {
		return out
	}
	// A space that has the product already is best, and then the oldest one.
	var best *space
	var product polynomial
	high := a
	if e.last(b) > e.last(a) {
		high = b
	}
	e.candidates(high, func(s *space) bool {
		f, ok := e.in(s, a)
		if !ok {
			return false
		}
		g, ok := e.in(s, b)
		if !ok {
			return false
		}
		f.times(&g)
		rest := f
		s.reduce(&rest, func(uint32) {})
		known := rest.leading() < 0
		if best == nil || known {
			best, product = s, f
		}
		return known
	})
	if best == nil && (e.factors[a&^1] || e.factors[b&^1]) {
		odd := toggle{}
		e.addProduct(odd, a, b)
		e.use(40)
		e.ands[key] = e.form(odd.list(), a&b&1)
		return e.ands[key]
	}
	if best == nil {
		s, f := e.spaceOf(a, b)
		best, product = s, f[0]
		product.times(&f[1])
	}
	out := e.bitOf(best, product)
	e.use(40)
	e.ands[key] = out
	return out
}

// Distribute says that products of a bit with those that are in no space with it are sums of
// products of atoms, so that those with sums of other bits are sums of their products.
func (e *Engine) Distribute(b Bit) {
	if b > One {
		e.factors[b&noLane&^1] = true
	}
}

// Or returns the disjunction.
func (e *Engine) Or(a, b Bit) Bit { return e.And(a^1, b^1) ^ 1 }

// Together says that functions of these bits, of at most 8 dimensions, will be needed.
func (e *Engine) Together(list ...Bit) {
	oneLane(list)
	if s, _ := e.spaceOf(template(list)...); s == nil {
		stop("what belongs together has more than 8 dimensions")
	}
}

// Apply returns the element of a table of values of width bits at an index of at most 8 bits.
func (e *Engine) Apply(table []uint64, width int, x Word) Word {
	out := make(Word, width)
	if c, ok := x.Constant(); ok {
		if c < uint64(len(table)) {
			copy(out, machine.Constant(table[c], width))
		}
		return out
	}
	if lane := oneLane(x); lane != 0 {
		return e.lanedWord(lane, e.Apply(table, width, template(x)))
	}
	key := binary.LittleEndian.AppendUint32(nil, uint32(len(x)))
	key = append(key, wordKey(x)...)
	key = binary.LittleEndian.AppendUint32(key, uint32(width))
	for _, v := range table {
		key = binary.LittleEndian.AppendUint64(key, v)
	}
	if known, ok := e.applied[string(key)]; ok {
		return slices.Clone(known)
	}
	s, f := e.spaceOf(x...)
	if s == nil || len(x) > 63 {
		stop("the index of a table has more than 8 dimensions")
	}
	// The index at each point of the space.
	var at [256]uint64
	for i := range f {
		f[i].moebius()
		for p := range at {
			if f[i].bit(p) {
				at[p] |= 1 << i
			}
		}
	}
	for i := range out {
		var g polynomial
		for p, x := range at {
			if x < uint64(len(table)) && table[x]>>i&1 != 0 {
				g.flip(p)
			}
		}
		g.moebius() // has no variable that the basis does not have
		out[i] = e.bitOf(s, g)
	}
	e.use(len(key) + 4*len(out) + 64)
	e.applied[string(key)] = out
	return slices.Clone(out)
}

func wordKey(w Word) string {
	key := make([]byte, 0, 4*len(w))
	for _, b := range w {
		key = binary.LittleEndian.AppendUint32(key, uint32(b))
	}
	return string(key)
}
