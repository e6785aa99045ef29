package forms

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// These are the types of package machine.
type (
	Bit  = machine.Bit
	Word = machine.Word
)

const (
	Zero = machine.Zero
	One  = machine.One
)

// Limits are what an Engine may use.
type Limits struct {
	Atoms int   // in one form
	Bytes int64 // of memory, nearly
}

// Default is enough for what has no large products.
var Default = Limits{Atoms: 2000, Bytes: 1 << 30}

// An atom is a summand of forms.
type atom struct {
	values uint64
	owner  int32 // the space whose function it is, or -1
	f      polynomial
	name   string
	lane   bool // it depends on inputs of lanes
}

// Engine has all forms. It implements machine.Logic. It is not for concurrent use.
type Engine struct {
	// Known makes constants of all inputs, so that what is computed is an example.
	Known bool

	limits   Limits
	used     int64      // bytes
	most     int64      // that were used before Forget
	forms    [][]uint32 // sorted lists of atoms; form 0 is the empty one
	values   []uint64   // of forms
	index    []uint32   // a hash table of forms
	recent   []recentXor
	atoms    []atom
	seed     uint64
	chunk    []uint32
	ands     map[[2]Bit]Bit
	spaces   []*space
	byBasis  map[string]int32
	byPivot  map[uint32][]int32 // spaces
	applied  map[string]Word
	products map[[2]uint32]uint32
	words    []Word
	byWord   map[string]int32
	sums     map[string]*sum
	sumOf    map[int32]*sum // by the word of its bits
	carries  map[string]Bit
	disjoint map[[2]int32]bool
	factors  map[Bit]bool // see Distribute

	// See Lane.
	inLane    []bool // forms that depend on inputs of lanes
	inLanes   map[string]Bit
	ownAtoms  map[Bit]Bit
	several   [][]part
	bySeveral map[string]uint32
}

// A recentXor remembers a sum of forms.
type recentXor struct{ a, b, sum uint32 }

const recentXors = 1 << 18

// New returns an engine without forms. Zero limits are those of Default.
func New(limits Limits) *Engine {
	if limits.Atoms == 0 {
		limits.Atoms = Default.Atoms
	}
	if limits.Bytes == 0 {
		limits.Bytes = Default.Bytes
	}
	e := &Engine{
		limits: limits, forms: [][]uint32{nil}, values: []uint64{0}, inLane: []bool{false}, index: make([]uint32, 1<<12),
		byWord: map[string]int32{}, sums: map[string]*sum{}, sumOf: map[int32]*sum{},
		carries: map[string]Bit{}, disjoint: map[[2]int32]bool{},
		inLanes: map[string]Bit{}, bySeveral: map[string]uint32{},
	}
	e.clear()
	return e
}

// clear makes empty what knows functions and products.
func (e *Engine) clear() {
	e.recent, e.ands = make([]recentXor, recentXors), map[[2]Bit]Bit{}
	e.applied, e.products, e.factors = map[string]Word{}, map[[2]uint32]uint32{}, map[Bit]bool{}
	e.ownAtoms = map[Bit]Bit{}
	e.spaces, e.byBasis, e.byPivot = nil, map[string]int32{}, map[uint32][]int32{}
}

// forgotten is the form of bits that Forget does not keep.
var forgotten = []uint32{1<<32 - 1}

func lost(list []uint32) bool { return len(list) == 1 && list[0] == forgotten[0] }

// Forget makes inputs of all atoms that are functions or products: what is proven afterwards is
// proven for any values of them. So memory is free again. Sums of integers are not forgotten. The
// bits of keep, and those of one atom, remain valid. With others, nothing can be computed any more,
// but two that are equal are still equal.
func (e *Engine) Forget(keep ...Bit) {
	e.most = max(e.most, e.used)
	e.clear()
	e.used = int64(80*len(e.atoms) + 48*len(e.forms) + 200*len(e.sums) + 100*len(e.carries))
	for _, w := range e.words {
		e.use(8*len(w) + 80)
	}
	for i := range e.atoms {
		e.atoms[i].owner = -1
	}
	live := make([]bool, len(e.forms))
	for _, b := range keep {
		if b>>laneShift == severalOf {
			for _, p := range e.several[b&noLane>>1] {
				live[p.form>>1] = true
			}
		} else {
			live[b&noLane>>1] = true
		}
	}
	e.index, e.chunk = make([]uint32, max(1<<12, 4<<bits.Len(uint(len(e.forms))))), nil
	for i, list := range e.forms[1:] {
		if len(list) > 1 && !live[i+1] {
			e.forms[i+1] = forgotten
			continue
		}
		e.use(4 * len(list))
		e.forms[i+1] = slices.Clone(list)
		e.index[e.place(list)] = uint32(i + 1)
	}
}

// Do calls f, and returns its error, or what the engine or a machine could not follow. What the
// engine has remains valid.
func (e *Engine) Do(f func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			unsupported, ok := x.(machine.Unsupported)
			if !ok {
				panic(x)
			}
			err = unsupported
		}
	}()
	return f()
}

func stop(format string, args ...any) { panic(machine.Unsupported(fmt.Sprintf(format, args...))) }

// use counts memory.
func (e *Engine) use(bytes int) {
	if e.used += int64(bytes); e.used > e.limits.Bytes {
		stop("more than %d MB are needed", e.limits.Bytes>>20)
	}
}

// Size returns the number of atoms and forms, and about how many bytes they take.
func (e *Engine) Size() (atoms, forms int, bytes int64) {
	return len(e.atoms), len(e.forms), max(e.most, e.used)
}

// random returns the next 64 bits of SplitMix64 (Steele, Lea, Flood, 2014).
func (e *Engine) random() uint64 {
	e.seed += 0x9e3779b97f4a7c15
	z := e.seed
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (e *Engine) newAtom(a atom) uint32 {
	e.use(80)
	e.atoms = append(e.atoms, a)
	return uint32(len(e.atoms) - 1)
}

// Unknown returns a new input.
func (e *Engine) Unknown(name string) Bit {
	if e.Known {
		return Bit(e.random() & 1)
	}
	return e.single(e.newAtom(atom{values: e.random(), owner: -1, name: name}))
}

func (e *Engine) single(a uint32) Bit { return e.form([]uint32{a}, 0) }

func hash(list []uint32) uint64 {
	h := uint64(len(list)) * 0x9e3779b97f4a7c15
	for _, a := range list {
		h = (h ^ uint64(a)) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

// place returns where a list is in the hash table, or where it would go.
func (e *Engine) place(list []uint32) uint64 {
	mask := uint64(len(e.index) - 1)
	for at := hash(list) & mask; ; at = (at + 1) & mask {
		if f := e.index[at]; f == 0 || slices.Equal(e.forms[f], list) {
			return at
		}
	}
}

// form returns the bit of a sorted list of distinct atoms, plus c. It keeps a copy of the list.
func (e *Engine) form(list []uint32, c Bit) Bit {
	if len(list) == 0 {
		return c
	}
	at := e.place(list)
	if f := e.index[at]; f != 0 {
		return Bit(f<<1) | c
	}
	if len(list) > e.limits.Atoms {
		stop("a bit is a sum of %d atoms", len(list))
	}
	if len(e.forms) >= 1<<(laneShift-1) {
		stop("there are too many forms")
	}
	e.use(4*len(list) + 48)
	var values uint64
	inLane := false
	for _, a := range list {
		values ^= e.atoms[a].values
		inLane = inLane || e.atoms[a].lane
	}
	if len(e.chunk)+len(list) > cap(e.chunk) {
		e.chunk = make([]uint32, 0, max(1<<16, len(list)))
	}
	from := len(e.chunk)
	e.chunk = append(e.chunk, list...)
	f := uint32(len(e.forms))
	e.forms = append(e.forms, e.chunk[from:len(e.chunk):len(e.chunk)])
	e.values = append(e.values, values)
	e.inLane = append(e.inLane, inLane)
	e.index[at] = f
	if len(e.forms) > len(e.index)/2 {
		e.index = make([]uint32, 2*len(e.index))
		for i, list := range e.forms[1:] {
			if !lost(list) {
				e.index[e.place(list)] = uint32(i + 1)
			}
		}
	}
	return Bit(f<<1) | c
}

// atomsOf returns the atoms of a bit, sorted.
func (e *Engine) atomsOf(b Bit) []uint32 {
	l := e.forms[b>>1]
	if lost(l) {
		stop("a bit that was forgotten")
	}
	return l
}

// last returns the highest atom of a bit that is no constant.
func (e *Engine) last(b Bit) uint32 {
	l := e.atomsOf(b)
	return l[len(l)-1]
}

// add appends the symmetric difference of sorted lists to out.
func add(out, a, b []uint32) []uint32 {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			out = append(out, a[i])
			i++
		case a[i] > b[j]:
			out = append(out, b[j])
			j++
		default:
			i++
			j++
		}
	}
	out = append(out, a[i:]...)
	return append(out, b[j:]...)
}

// Xor returns the sum modulo 2.
func (e *Engine) Xor(a, b Bit) Bit {
	if l, m := a>>laneShift, b>>laneShift; l|m != 0 {
		if l != m && l != 0 && m != 0 || l == severalOf || m == severalOf {
			return e.overLanes(a, b)
		}
		return e.laned(uint32(l|m), e.Xor(a&noLane, b&noLane))
	}
	c := (a ^ b) & 1
	x, y := a&^1, b&^1
	switch {
	case x == 0:
		return y | c
	case y == 0:
		return x | c
	case x == y:
		return c
	case x > y:
		x, y = y, x
	}
	r := &e.recent[(uint64(x)*0x9e3779b97f4a7c15^uint64(y)*0xff51afd7ed558ccd)>>20%recentXors]
	if r.a != uint32(x) || r.b != uint32(y) {
		p, q := e.atomsOf(x), e.atomsOf(y)
		*r = recentXor{uint32(x), uint32(y), uint32(e.form(add(make([]uint32, 0, len(p)+len(q)), p, q), 0))}
	}
	return Bit(r.sum) | c
}

// toggle adds atoms to a set modulo 2.
type toggle map[uint32]struct{}

func (t toggle) add(a uint32) {
	if _, ok := t[a]; ok {
		delete(t, a)
	} else {
		t[a] = struct{}{}
	}
}

func (t toggle) list() []uint32 {
	list := make([]uint32, 0, len(t))
	for a := range t {
		list = append(list, a)
	}
	slices.Sort(list)
	return list
}

// Parity returns the sum modulo 2 of bits, without the forms of partial sums.
func (e *Engine) Parity(list ...Bit) Bit {
	lane, several := Bit(0), false
	for _, b := range list {
		l := b >> laneShift
		several = several || l == severalOf || l != 0 && lane != 0 && l != lane
		lane |= l
	}
	switch {
	case several:
		return e.overLanes(list...)
	case lane != 0:
		return e.laned(uint32(lane), e.Parity(template(list)...))
	}
	if len(list) > 16 {
		odd, c := toggle{}, Zero
		for _, b := range list {
			c ^= b & 1
			for _, a := range e.atomsOf(b) {
				odd.add(a)
			}
		}
		return e.form(odd.list(), c)
	}
	var memory, other [64]uint32
	sum, scratch, c := memory[:0], other[:0], Zero
	for _, b := range list {
		c ^= b & 1
		sum, scratch = add(scratch[:0], sum, e.atomsOf(b)), sum
	}
	return e.form(sum, c)
}

// Values returns a bit for 64 random assignments of the inputs.
func (e *Engine) Values(b Bit) uint64 {
	if b>>laneShift == severalOf {
		v := -uint64(b & 1)
		for _, p := range e.parts(b) {
			v ^= e.values[p.form>>1]
		}
		return v
	}
	return e.values[b&noLane>>1] ^ -uint64(b&1)
}

// Sample returns a word, as bytes with the lowest first, for one of the 64 assignments.
func (e *Engine) Sample(w Word, assignment int) []byte {
	out := make([]byte, (len(w)+7)/8)
	for i, b := range w {
		out[i/8] |= byte(e.Values(b)>>assignment&1) << (i % 8)
	}
	return out
}

// String shows a form. Atoms without a name have their number, and that of their space.
func (e *Engine) String(b Bit) string {
	if b>>laneShift != 0 {
		s := ""
		for _, p := range e.parts(b) {
			s += fmt.Sprintf("+lane %d: (%s)", p.lane, e.String(p.form))
		}
		return s[1:] + fmt.Sprint("+", b&1)
	}
	s, list := "", e.forms[b>>1]
	if lost(list) {
		return "a bit that was forgotten"
	}
	if b&1 != 0 || len(list) == 0 {
		s = fmt.Sprint("+", b&1)
	}
	for i, a := range list {
		if i == 12 {
			return s[1:] + fmt.Sprintf("+… (%d atoms)", len(list))
		}
		switch t := &e.atoms[a]; {
		case t.name != "":
			s += "+" + t.name
		case t.owner >= 0:
			s += fmt.Sprintf("+#%d@%d", a, t.owner)
		default:
			s += fmt.Sprint("+#", a)
		}
	}
	return s[1:]
}

// constant reports whether all bits are constant.
func constant(w Word) bool { return !slices.ContainsFunc(w, func(b Bit) bool { return b > One }) }
