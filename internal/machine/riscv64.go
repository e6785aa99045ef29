package machine

import (
	"slices"
	"strings"
)

func init() {
	t := table{lines: map[string][]line{}, operand: (*step).riscvForm, complete: (*step).riscvComplete, partial: true}
	for i := range riscvSemantics {
		s := &riscvSemantics[i]
		for _, name := range strings.Fields(s.names) {
			t.lines[name] = append(t.lines[name], line{s, name, 64, 0})
		}
	}
	Arches["riscv64"].semantics = t
}

// riscvNumbers say what a number in an operand may be: from the first to the last.
var riscvNumbers = map[byte][2]int64{
	'a': {-1 << 63, 1<<63 - 1},
	'n': {-1 << 11, 1<<11 - 1}, // of arithmetic and logic
	's': {0, 63},               // a distance
	'w': {0, 31},               // a distance of 32 bits; in vectors, a number without sign
	'i': {-16, 15},             // in vectors, with sign
	'b': {0, 3},                // a byte of a word
	'r': {0, 10},               // a round of AES
}

// riscvTypes are the names in VSETVLI.
var riscvTypes = map[byte][]string{
	'E': {"E8", "E16", "E32", "E64"},
	'L': {"M1", "M2", "M4", "M8", "", "MF8", "MF4", "MF2"}, // as the register vtype numbers them
	'T': {"TU", "TA"},
	'A': {"MU", "MA"},
}

// riscvForm matches an operand with one of a form:
//
//	R1     a general register, by the name that the manual gives it: rs1, rs2 or rd
//	V2     a vector, or a group of these: vs1, vs2, vs3 or vd
//	Vm?    the mask V0; without it there is none
//	$n     a number: see riscvNumbers
//	[]     a place in memory
//	&      an address
//	E L T A  names in VSETVLI
//	label  a label
func (x *step) riscvForm(f, _ string, o *Operand) bool {
	switch f {
	case "label":
		return o.Kind == KindLabel
	case "[]", "&":
		x.ops['p'] = o
		return o.Kind == map[string]Kind{"[]": KindMem, "&": KindAddr}[f]
	case "E", "L", "T", "A":
		x.ops[f[0]] = o
		return o.Kind == KindName && o.Sym != "" && slices.Contains(riscvTypes[f[0]], o.Sym)
	}
	x.ops[f[1]] = o
	switch f[0] {
	case '$':
		limits := riscvNumbers[f[1]]
		return o.Kind == KindImm && o.Imm >= limits[0] && o.Imm <= limits[1]
	case 'R':
		return o.Kind == KindReg && o.Shape == 'r'
	}
	return o.Kind == KindReg && o.Shape == 'v' && (f != "Vm" || o.Reg == 0)
}

func (x *step) riscvComplete([]string) bool { return len(x.in.Suffix) == 0 }

// reserved are registers that kernels leave alone: the caller, the stack, the runtime's and the assembler's.
var reserved = []int{1, 2, 3, 4, 27, 31}

// general reads a register by the name of an operand.
func (x *step) general(name byte) Value {
	o := x.ops[name]
	if slices.Contains(reserved, o.Reg) {
		fail("X%d is read", o.Reg)
	}
	return x.register(o.Reg)
}

// number64 is general, if it is no address.
func (x *step) number64(name byte) Word {
	v := x.general(name)
	if v.Object != nil {
		fail("an address as a number")
	}
	return v.Bits
}

// halves is a sum. If the low half of an operand is 0, there is no carry, and the high half is a sum by itself.
func (x *step) halves(a, b Word) Word {
	for _, w := range []Word{a, b} {
		if c, ok := w[:len(w)/2].Constant(); ok && c == 0 && len(w) == 64 {
			return Join(x.xor(a[:32], b[:32]), x.Sum(0, a[32:], b[32:]))
		}
	}
	return x.Sum(0, a, b)
}

// halvesOfDifference is a - b. If the low half of b is 0, nothing is borrowed.
func (x *step) halvesOfDifference(a, b Word) Word {
	if c, ok := b[:len(b)/2].Constant(); ok && c == 0 && len(b) == 64 {
		return Join(a[:32], x.Sum(1, a[32:], b[32:].Not()))
	}
	return x.Sum(1, a, b.Not())
}

// anyBits reads a register. Of an address, the low bits are known as far as its object is aligned.
func (x *step) anyBits(name byte) Word {
	v := x.general(name)
	if v.Object == nil {
		return v.Bits
	}
	w := Constant(uint64(v.Object.At+v.Offset), 64)
	for i := range w {
		if v.Object.Align>>i <= 1 {
			w[i] = x.Unknown("a bit of an address")
		}
	}
	return w
}

func (x *step) public(name byte, what string) uint64 {
	c, ok := x.number64(name).Constant()
	if !ok {
		fail("%s is no constant", what)
	}
	return c
}

func (x *step) setGeneral(v Value) {
	switch r := x.ops['d'].Reg; {
	case r == 0:
	case slices.Contains(reserved, r):
		fail("X%d is written", r)
	default:
		x.R[r] = v
	}
}

func (x *step) setNumber(w Word) { x.setGeneral(Value{Bits: w}) }

// setWord has the sign in the upper half.
func (x *step) setWord(w Word) { x.setNumber(w[:32].Signed(64)) }

// ofNumbers is a function of rs1 and rs2.
func ofNumbers(f func(x *step, a, b Word) Word) func(*step) {
	return func(x *step) { x.setNumber(f(x, x.number64('1'), x.number64('2'))) }
}

// immediate is one of rs1 and a number with sign.
func immediate(f func(x *step, a, b Word) Word) func(*step) {
	return func(x *step) { x.setNumber(f(x, x.number64('1'), Constant(uint64(x.ops['n'].Imm), 64))) }
}

// sum is ADD, ADDI and SUB. Addresses may move by constants, and be subtracted.
func sum(subtract bool) func(*step) {
	return func(x *step) {
		a, b := x.general('1'), Value{}
		if x.ops['n'] != nil {
			b = Number(uint64(x.ops['n'].Imm), 64)
		} else {
			b = x.general('2')
		}
		switch {
		case a.Object == nil && b.Object == nil && subtract:
			x.setNumber(x.Sum(1, a.Bits, b.Bits.Not()))
			return
		case a.Object == nil && b.Object == nil:
			x.setNumber(x.halves(a.Bits, b.Bits))
			return
		case subtract && b.Object != nil:
			if a.Object != b.Object {
				fail("the difference of two objects")
			}
			x.setNumber(Constant(uint64(a.Offset-b.Offset), 64))
			return
		case a.Object == nil:
			a, b = b, a
		}
		c, ok := b.Bits.Constant()
		if b.Object != nil || !ok {
			fail("an address that is no constant")
		}
		if subtract {
			c = -c
		}
		x.setGeneral(x.plus(a, int64(c)))
	}
}

// aligned fails if an address is no multiple of a number of bytes: some machines emulate such accesses, and
// others do not do them.
func aligned(at Value, bytes int64) Value {
	if at.Object != nil && (at.Object.Align%bytes != 0 || (at.Object.At+at.Offset)%bytes != 0) {
		fail("%s+%d is not at a multiple of %d", at.Object.Name, at.Offset, bytes)
	}
	return at
}

// at is the address of an operand.
func (x *step) at() Value {
	o := x.ops['p']
	switch {
	case o.Pseudo == "SB":
		s, err := x.Symbol(o.Sym)
		if err != nil {
			fail("%v", err)
		}
		return Address(s, o.Imm)
	case o.Pseudo == "SP" && x.top() > 0:
		return x.plus(x.R[x.Arch.SP], x.top()+o.Imm)
	case o.Pseudo != "" || o.Base < 0 || o.Sym != "" || o.Index >= 0 || slices.Contains(reserved, o.Base):
		fail("the address %s", o.Text)
	}
	return x.plus(x.register(o.Base), o.Imm)
}

// transfer is MOV and so on, of some bytes: a register, memory, an argument, a number or an address.
func transfer(bytes int64, extend func(Word, int) Word) func(*step) {
	return func(x *step) {
		from, to := &x.in.Args[0], &x.in.Args[1]
		var v Value
		switch {
		case from.Kind == KindMem && from.Pseudo == "FP":
			v = x.argument(from, bytes)
		case from.Kind == KindMem:
			v = x.load(aligned(x.at(), bytes), bytes)
		case from.Kind == KindAddr:
			v = x.at()
		case from.Kind == KindImm:
			v = Number(uint64(from.Imm), 64)
		default:
			v = x.general('1')
		}
		if v.Object != nil && bytes != 8 {
			fail("a part of an address")
		}
		if v.Object == nil {
			v.Bits = v.Bits[: 8*bytes : 8*bytes]
		}
		switch {
		case to.Kind == KindReg:
			if v.Object == nil {
				v.Bits = extend(v.Bits, 64)
			}
			x.setGeneral(v)
		case to.Pseudo == "FP":
			x.sameOffset(to)
			x.Results[to.Sym] = v
		default:
			x.Machine.store(aligned(x.at(), bytes), v)
		}
	}
}

// goes is a branch on two registers, or on one and 0. Addresses of one object compare as their offsets do with their
// signs, as the object and what is around it are in one half of the addresses.
func goes(holds func(x *step, a, b Word) Bit) func(*step) {
	return func(x *step) {
		a, b := x.general('1'), Number(0, 64)
		if x.ops['2'] != nil {
			b = x.general('2')
		}
		if a.Object != nil || b.Object != nil {
			switch {
			case a.Object == b.Object:
				a, b = Number(uint64(a.Offset)+1<<63, 64), Number(uint64(b.Offset)+1<<63, 64)
			case x.name == "BEQZ" || x.name == "BNEZ":
				a = Number(1, 64) // an address is not 0
			default:
				fail("an address is compared with another thing")
			}
		}
		x.branch(x.in, holds(x, a.Bits, b.Bits))
	}
}

func (x *step) equal(a, b Word) Bit { return x.isZero(x.xor(a, b)) }

// below is a < b without signs, less with signs.
func (x *step) below(a, b Word) Bit { return x.Carry(a, b.Not(), One) ^ 1 }

func (x *step) less(a, b Word) Bit {
	flip := func(w Word) Word { return Join(w[:63], w[63:].Not()) }
	return x.below(flip(a), flip(b))
}

// Vectors.

// A vectorType is what VSETVLI sets.
type vectorType struct {
	size                  int // bits of an element; 0 if no type was set
	eighths               int // registers of a group, in eighths
	length                int // elements
	undisturbed, unmasked bool
}

// agnostic is a bit of an element that an instruction may leave as it was, or set to 1. When it is read, it is
// any bit, so that what is proven holds for either.
const agnostic Bit = 1<<32 - 1

// Known removes bits of vectors that nobody has read, and that may be anything.
func Known(w Word) Word {
	return slices.DeleteFunc(slices.Clone(w), func(b Bit) bool { return b == agnostic })
}

// setType sets the type of vectors, and how many elements there are of a number that is wanted: rs1, a number,
// or all if the register is X0.
func (x *step) setType(size, multiplier int, undisturbed, unmasked bool) {
	if x.VLEN == 0 {
		fail("the length of vectors is not given")
	}
	t := &x.vectors
	eighths := 8 << multiplier
	if multiplier > 4 {
		eighths = 8 >> (8 - multiplier)
	}
	most := x.VLEN * eighths / 8 / size
	if multiplier == 4 || size > 64 || size > 64*eighths/8 || most == 0 {
		fail("a type of vectors that there is not")
	}
	n := uint64(most)
	switch from, to := x.ops['1'], x.ops['d']; {
	case x.ops['w'] != nil:
		n = uint64(x.ops['w'].Imm)
	case from.Reg != 0:
		n = x.public('1', "the number of elements")
	case to.Reg == 0:
		if n = uint64(t.length); t.size == 0 || t.size*eighths != size*t.eighths {
			fail("another number of elements")
		}
	}
	// Between the most elements and twice as many, a CPU may take half.
	if n > uint64(most) && n < 2*uint64(most) {
		if x.HasHalves = true; x.Halves {
			n = (n + 1) / 2
		}
	}
	n = min(n, uint64(most))
	*t = vectorType{size, eighths, int(n), undisturbed, unmasked}
	x.setNumber(Constant(n, 64))
}

func setTypeByNames(x *step) {
	of := func(kind byte) int { return slices.Index(riscvTypes[kind], x.ops[kind].Sym) }
	x.setType(8<<of('E'), of('L'), of('T') == 0, of('A') == 0)
}

// setTypeByNumber takes the bits of the register vtype.
func setTypeByNumber(x *step) {
	v := x.public('2', "the type of vectors")
	if v > 255 {
		fail("a type of vectors that there is not")
	}
	x.setType(8<<(v>>3&7), int(v&7), v&0x40 == 0, v&0x80 == 0)
}

// vtype is the type, which must have been set.
func (x *step) vtype() *vectorType {
	if x.vectors.size == 0 {
		fail("there is no type of vectors")
	}
	return &x.vectors
}

// registersOf is how many registers elements of some size take, and whether that is possible: their number
// is that of the type.
func (x *step) registersOf(size int) int {
	eighths := x.vtype().eighths * size / x.vectors.size
	if eighths < 1 || eighths > 64 || size > 64 {
		fail("a group of registers that there is not")
	}
	return max(1, eighths/8)
}

// group returns the first register of an operand, which has elements of some size.
func (x *step) group(name byte, size int) int {
	r, n := x.ops[name].Reg, x.registersOf(size)
	if r%n != 0 {
		fail("V%d is not the first of %d registers", r, n)
	}
	return r
}

// part is a part of vectors that follow each other, from a register on.
func (m *Machine) part(r, at, bits int) Word {
	r, at = r+at/m.VLEN, at%m.VLEN
	if m.V[r] == nil { // kernels load what they use, and compute with all of a group
		m.V[r] = repeat(agnostic, m.VLEN)
	}
	w := m.V[r][at : at+bits : at+bits]
	for i, b := range w {
		if b == agnostic {
			w[i] = m.Unknown("an element behind the vector")
		}
	}
	return w
}

// elements reads those up to a number from an operand.
func (x *step) elements(name byte, size, n int) []Word {
	r := x.group(name, size)
	if r == 0 && x.ops['m'] != nil {
		fail("the mask is a source")
	}
	list := make([]Word, n)
	for i := range list {
		list[i] = x.part(r, i*size, size)
	}
	return list
}

// most is how many elements the registers of a group have.
func (x *step) most() int { return x.VLEN * x.vtype().eighths / 8 / x.vectors.size }

// masked is whether element i is excluded by the mask.
func (x *step) masked(i int) bool {
	if x.ops['m'] == nil {
		return false
	}
	c, ok := x.part(0, i, 1).Constant()
	if !ok {
		fail("the mask is no constant")
	}
	return c == 0
}

// writeGroup writes elements from the first on into some registers. One that is nil stays. What is behind them,
// and what the mask excludes, stays or is agnostic.
func (x *step) writeGroup(first, registers, size int, list []Word) {
	if len(list) == 0 {
		return
	}
	if x.ops['m'] != nil && first == 0 {
		fail("the mask is overwritten")
	}
	t := x.vtype()
	per, anything := x.VLEN/size, repeat(agnostic, size)
	for r := range registers {
		old := x.V[first+r]
		if old == nil {
			old = repeat(agnostic, x.VLEN)
		}
		out := make(Word, 0, x.VLEN)
		for j := range per {
			i, before := r*per+j, old[j*size:(j+1)*size:(j+1)*size]
			switch {
			case i >= len(list):
				if !t.undisturbed {
					before = anything
				}
			case list[i] == nil:
			case x.masked(i):
				if !t.unmasked {
					before = anything
				}
			default:
				before = list[i]
			}
			out = append(out, before...)
		}
		x.V[first+r] = out
	}
}

// result writes the elements of the operand vd.
func (x *step) result(list []Word) {
	size := x.vtype().size
	x.writeGroup(x.group('d', size), x.registersOf(size), size, list)
}

// apart fails if vd shares registers with a source, whose elements have some size.
func (x *step) apart(name byte, size int) {
	d, s := x.ops['d'].Reg, x.ops[name].Reg
	if d < s+x.registersOf(size) && s < d+x.registersOf(x.vectors.size) {
		fail("the destination overlaps a source")
	}
}

// scalar is the second source of an instruction of vectors: elements, a register or a number.
func (x *step) scalar() []Word {
	size, n := x.vtype().size, x.vectors.length
	if x.ops['1'] != nil && x.ops['1'].Shape == 'v' {
		return x.elements('1', size, n)
	}
	var w Word
	if x.ops['1'] != nil {
		w = x.number64('1')[:size:size]
	} else {
		for _, name := range "isw" {
			if o := x.ops[name]; o != nil {
				w = Constant(uint64(o.Imm), 64)[:size]
			}
		}
	}
	return slicesOf(w, n)
}

// each is a function of each element of vs2, and of the second source.
func each(f func(x *step, a, b Word) Word) func(*step) {
	return func(x *step) {
		size, n := x.vtype().size, x.vectors.length
		b := x.scalar()
		for i, a := range x.elements('2', size, n) {
			if !x.masked(i) {
				b[i] = f(x, a, b[i])
			}
		}
		x.result(b)
	}
}

// each1 is a function of each element of vs2.
func each1(f func(x *step, a Word) Word) func(*step) {
	return func(x *step) {
		list := x.elements('2', x.vtype().size, x.vectors.length)
		for i := range list {
			list[i] = f(x, list[i])
		}
		x.result(list)
	}
}

// by is the distance of a shift, modulo a number of bits.
func by(w Word, bits int) int {
	c, ok := w.Constant()
	if !ok {
		fail("the distance of the shift is no constant")
	}
	return int(c) & (bits - 1)
}

// polynomial is the product of polynomials of 64 bits: its low or its high half.
func polynomial(high bool) func(x *step, a, b Word) Word {
	return func(x *step, a, b Word) Word {
		if len(a) != 64 {
			fail("elements that are not of 64 bits")
		}
		if high {
			return x.Carryless(a, b)[64:]
		}
		return x.Carryless(a, b)[:64]
	}
}

// gather is VRGATHER: elements of vs2 by their number, or 0. Either the number must be constant, or it has 8 bits
// and the table is constant but for a number that was added to all elements.
func gather(x *step) {
	size, n := x.vtype().size, x.vectors.length
	x.apart('2', size)
	if x.ops['1'] != nil {
		x.apart('1', size)
	}
	index := x.scalar()
	if x.ops['w'] != nil { // it is not cut to the size of an element
		index = slicesOf(Constant(uint64(x.ops['w'].Imm), 64), n)
	}
	first, most := x.group('2', size), x.most()
	var table []uint64
	var added, known Word // known bits of the numbers that the table has entries for
	for i, at := range index {
		c, ok := at.Constant()
		switch {
		case ok && c < uint64(most):
			index[i] = x.part(first, int(c)*size, size)
		case ok:
			index[i] = Constant(0, size)
		default:
			if k := knownBits(at); table == nil || !slices.Equal(k, known) {
				table, added = x.table(first, most, k)
				known = k
			}
			index[i] = x.xor(x.Apply(table, 8, at), added)
		}
	}
	x.result(index)
}

// knownBits has 2 in the place of bits that are no constants.
func knownBits(w Word) Word {
	w = slices.Clone(w)
	for i := range w {
		w[i] = min(w[i], 2)
	}
	return w
}

// table returns the bytes of vectors as constants, and what was added to each. Those whose numbers cannot be, as their
// known bits are others, do not matter.
func (x *step) table(first, most int, known Word) (table []uint64, added Word) {
	if x.vectors.size != 8 {
		fail("the number of an element is no constant")
	}
	table, added = make([]uint64, 256), Constant(0, 8)
	entries := 0
	for i := range min(most, 256) {
		possible := true
		for j, b := range known {
			possible = possible && (b > One || b == Bit(i>>j&1))
		}
		if !possible {
			continue
		}
		w := x.part(first, 8*i, 8)
		if _, ok := w.Constant(); !ok && entries == 0 {
			added = w
		}
		entries++
		c, ok := x.xor(w, added).Constant()
		if !ok {
			fail("neither the table nor the number of an element is constant")
		}
		table[i] = c
	}
	unknown := 0
	for _, b := range known {
		unknown += int(b >> 1)
	}
	if _, ok := added.Constant(); !ok && entries < 1<<unknown {
		fail("a table with something added, of which some elements do not exist")
	}
	return table, added
}

// slide moves elements up or down by a distance.
func slide(up bool) func(*step) {
	return func(x *step) {
		size, n, most := x.vtype().size, x.vectors.length, x.most()
		distance := uint64(0)
		if x.ops['w'] != nil {
			distance = uint64(x.ops['w'].Imm)
		} else {
			distance = x.public('1', "the distance")
		}
		x.elements('2', size, 0)
		first, list := x.group('2', size), make([]Word, n)
		if up {
			x.apart('2', size)
		}
		for i := range list {
			from := uint64(i) + distance
			switch {
			case up && uint64(i) < distance:
				continue // it stays
			case up:
				from = uint64(i) - distance
			case distance >= uint64(most) || from >= uint64(most):
				list[i] = Constant(0, size)
				continue
			}
			if list[i] = Constant(0, size); !x.masked(i) {
				list[i] = x.part(first, int(from)*size, size)
			}
		}
		x.result(list)
	}
}

// narrowed is VNSRL: the low halves of elements of twice the size, behind a shift.
func narrowed(x *step) {
	size, n := x.vtype().size, x.vectors.length
	d, s := x.ops['d'].Reg, x.ops['2'].Reg
	if d != s {
		x.apart('2', 2*size)
	}
	list := x.elements('2', 2*size, n)
	for i := range list {
		list[i] = list[i].Right(x.imm('w') & (2*size - 1))[:size:size]
	}
	x.result(list)
}

// segments loads or stores structures of some fields, each of which has its registers. The distance between
// structures is that of a register, if there is one.
func segments(fields, size int, store bool) func(*step) {
	return func(x *step) {
		n, per := x.vtype().length, x.registersOf(size)
		name := byte('d')
		if store {
			name = '3'
		}
		first := x.group(name, size)
		if first+fields*per > 32 || fields*per > 8 {
			fail("registers that there are not")
		}
		bytes := int64(size / 8)
		stride := int64(fields) * bytes
		if x.ops['2'] != nil {
			stride = int64(x.public('2', "the distance"))
		}
		if store && n > 1 && max(stride, -stride) < int64(fields)*bytes {
			fail("structures that overlap are stored in any order")
		}
		at := x.at()
		for f := range fields {
			var list []Word
			for i := range n {
				p := aligned(x.plus(at, int64(i)*stride+int64(f)*bytes), bytes)
				if store {
					x.Machine.store(p, Value{Bits: x.part(first+f*per, i*size, size)})
				} else {
					list = append(list, x.loadBits(p, bytes))
				}
			}
			if !store {
				x.writeGroup(first+f*per, per, size, list)
			}
		}
	}
}

// wholeRegisters loads or stores some of them.
func wholeRegisters(n int, store bool) func(*step) {
	return func(x *step) {
		if x.VLEN == 0 {
			fail("the length of vectors is not given")
		}
		name := byte('d')
		if store {
			name = '3'
		}
		r, at, bytes := x.ops[name].Reg, x.at(), int64(x.VLEN/8)
		if r%n != 0 {
			fail("V%d is not the first of %d registers", r, n)
		}
		for i := range n {
			if p := x.plus(at, int64(i)*bytes); store {
				x.Machine.store(p, Value{Bits: x.part(r+i, 0, x.VLEN)})
			} else {
				x.V[r+i] = x.loadBits(p, bytes)
			}
		}
	}
}

// copyRegisters copies whole registers. The type does not matter, but there must be one.
func copyRegisters(n int) func(*step) {
	return func(x *step) {
		x.vtype()
		d, s := x.ops['d'].Reg, x.ops['2'].Reg
		if d%n != 0 || s%n != 0 {
			fail("not the first of %d registers", n)
		}
		for i := range n {
			x.V[d+i] = slices.Clone(x.V[s+i])
		}
	}
}

// single writes the first element of a register; the others are behind it.
func (x *step) single(w Word) {
	if x.vtype().length > 0 {
		x.writeGroup(x.ops['d'].Reg, 1, x.vectors.size, []Word{w})
	}
}

// groups is an instruction on groups of elements of 32 bits, of some bits together. The function gets those of
// vd, vs2 and vs1; with one, the key is the first of vs2.
func groups(bits int, one bool, f func(x *step, d, s, o Word) Word) func(*step) {
	return func(x *step) {
		if x.vtype().size != 32 || x.vectors.length*32%bits != 0 || x.VLEN*x.vectors.eighths/8 < bits {
			fail("not whole groups of elements of 32 bits")
		}
		if one {
			d, s := x.ops['d'].Reg, x.ops['2'].Reg
			if s >= d && s < d+x.registersOf(32) {
				fail("the destination overlaps the key")
			}
		} else if x.name == "VSM3MEVV" || x.name == "VSM3CVI" {
			x.apart('2', 32)
		}
		var list []Word
		for at := 0; at < x.vectors.length*32; at += bits {
			s, o := Word(nil), Word(nil)
			switch {
			case one:
				s = x.wide(x.ops['2'].Reg, 0, bits)
			default:
				s = x.wide(x.group('2', 32), at, bits)
			}
			if x.ops['1'] != nil {
				o = x.wide(x.group('1', 32), at, bits)
			}
			var d Word
			if x.name != "VSM3MEVV" {
				d = x.wide(x.group('d', 32), at, bits)
			}
			list = append(list, f(x, d, s, o).Lanes(32)...)
		}
		x.result(list)
	}
}

// wide is a part of vectors that may be longer than one.
func (m *Machine) wide(r, at, bits int) Word {
	var list []Word
	for i := 0; i < bits; i += 32 {
		list = append(list, m.part(r, at+i, 32))
	}
	return Join(list...)
}

// bitsReversed reverses the bits of bytes.
func bitsReversed(x *step, w Word) Word {
	return x.lanes(8, func(b Word) Word { return reversed(b, 1) }, w)
}

// ghashProduct multiplies blocks modulo u^128 + u^7 + u^2 + u + 1, where bit 7 of byte 0 has u^0.
func (x *step) ghashProduct(a, b Word) Word {
	p := x.Carryless(bitsReversed(x, a), bitsReversed(x, b))
	low, high := p[:128], p[128:]
	for range 2 { // 7 bits are left of the first time
		wide := high.Extend(256)
		p = x.xor(wide, wide.Left(1), wide.Left(2), wide.Left(7))
		low, high = x.xor(low, p[:128]), p[128:]
	}
	return bitsReversed(x, low)
}

// sm3c is two rounds of GB/T 32905 of a state, with words of the message; all are big-endian.
func sm3c(x *step, d, s, _ Word) Word {
	state, w := reverseWords(d), reverseWords(s)
	for i := range 2 {
		j := 2*x.imm('w') + i
		a, b, c, dd := state[0], state[1], state[2], state[3]
		e, f, g, h := state[4], state[5], state[6], state[7]
		t, ff, gg := uint64(0x79cc4519), x.xor(a, b, c), x.xor(e, f, g)
		if j >= 16 {
			t, ff, gg = 0x7a879d8a, x.majority(a, b, c), x.choose(e, f, g)
		}
		ss1 := x.Sum(0, a.RotateLeft(12), e, Constant(t, 32).RotateLeft(j)).RotateLeft(7)
		ss2 := x.xor(ss1, a.RotateLeft(12))
		tt1 := x.Sum(0, ff, dd, ss2, x.xor(w[i], w[i+4]))
		tt2 := x.Sum(0, gg, h, ss1, w[i])
		tt2 = x.xor(tt2, tt2.RotateLeft(9), tt2.RotateLeft(17))
		state = []Word{tt1, a, b.RotateLeft(9), c, tt2, e, f.RotateLeft(19), g}
	}
	return bytesReversedIn(x, Join(state...), 32)
}

// sm3me makes eight words of the message from the sixteen before.
func sm3me(x *step, _, s, o Word) Word {
	w := append(reverseWords(o), reverseWords(s)...)
	for i := range 8 {
		p := x.sm3p1(x.xor(w[i], w[i+7], w[i+13].RotateLeft(15)))
		w = append(w, x.xor(p, w[i+3].RotateLeft(7), w[i+10]))
	}
	return bytesReversedIn(x, Join(w[16:]...), 32)
}

func bytesReversedIn(x *step, w Word, bits int) Word { return x.lanes(bits, bytesReversed, w) }

func reverseWords(w Word) []Word {
	list := w.Lanes(32)
	for i := range list {
		list[i] = bytesReversed(list[i])
	}
	return list
}

// aesHalf is half of a round of AES on the columns in rs1 and rs2. The columns of one register come out.
func aesHalf(box *[]uint64, way int, row [4]uint) func(*step) {
	return func(x *step) {
		w := x.substitute(aesShiftRows(Join(x.number64('1'), x.number64('2')), way)[:64], *box)
		if row[0] != 0 {
			w = x.aesMixed(w, row)
		}
		x.setNumber(w)
	}
}

// aesRound is a round of AES on a block: with the inverse, the key is added before the columns are mixed.
func aesRound(box *[]uint64, way int, row [4]uint) func(x *step, d, s, _ Word) Word {
	return func(x *step, d, s, _ Word) Word {
		w := x.substitute(aesShiftRows(d, way), *box)
		switch {
		case row[0] == 0:
			return x.xor(w, s)
		case way < 0:
			return x.aesMixed(x.xor(w, s), row)
		}
		return x.xor(x.aesMixed(w, row), s)
	}
}

var (
	aesRow        = [4]uint{2, 3, 1, 1}
	aesInverseRow = [4]uint{14, 11, 13, 9}
	noRow         [4]uint
)

// aes64ks1i is the function of the last word before a round key: RotWord but for the number 10, SubWord, and the
// constant of the round.
func aes64ks1i(x *step) {
	w := x.number64('1')[32:]
	constant := uint64(0)
	if n := x.imm('r'); n < 10 {
		w = w.RotateLeft(-8)
		constant = []uint64{1, 2, 4, 8, 16, 32, 64, 128, 0x1b, 0x36}[n]
	}
	w = x.xor(x.substitute(w, aesBox), Constant(constant, 32))
	x.setNumber(Join(w, w))
}

// sm4Step is SM4ED and SM4KS: the S-box of one byte, a linear map of it, and the sum with rs1. The map is that of
// GB/T 32907 with the bytes of words reversed, so that rotations by 8k+n become ones of the other way.
func sm4Step(rotations ...int) func(*step) {
	return func(x *step) {
		at := 8 * x.imm('b')
		b := x.substitute(x.number64('2')[at:at+8], sm4Box)
		w := Join(Constant(0, 24), b) // in the order of the standard: the first byte is the highest
		sum := w
		for _, r := range rotations {
			sum = x.xor(sum, w.RotateLeft(r))
		}
		x.setWord(x.xor(bytesReversed(sum).RotateLeft(at), x.number64('1')[:32]))
	}
}
