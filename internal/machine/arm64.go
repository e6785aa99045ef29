package machine

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

func init() {
	t := table{lines: map[string][]line{}, operand: (*step).arm64Form, complete: (*step).arm64Complete}
	for i := range arm64Semantics {
		s := &arm64Semantics[i]
		for _, name := range strings.Fields(s.names) {
			// One with a star has a form of 32 bits, too: ADD* is ADD and ADDW.
			base, both := strings.CutSuffix(name, "*")
			t.lines[base] = append(t.lines[base], line{s, base, 64, 0})
			if both {
				t.lines[base+"W"] = append(t.lines[base+"W"], line{s, base, 32, 0})
			}
		}
	}
	Arches["arm64"].semantics = t
}

// immediates say what a number in an operand may be.
var immediates = map[byte]func(x *step, v int64) bool{
	'a': func(*step, int64) bool { return true }, // for additions
	'l': func(*step, int64) bool { return true }, // for logic
	'q': func(*step, int64) bool { return true }, // 64 bits
	's': func(x *step, v int64) bool { return v >= 0 && v < int64(x.width) },
	'w': func(x *step, v int64) bool { return v > 0 && v <= int64(x.width) },
	'b': func(x *step, v int64) bool { return v >= 0 && v < 64 },               // a bit to be tested
	'h': func(x *step, v int64) bool { return v >= 0 && v < int64(x.size) },    // of an element, to the left
	'r': func(x *step, v int64) bool { return v > 0 && v <= int64(x.size) },    // to the right
	'k': func(x *step, v int64) bool { return v > 0 && v <= int64(x.size/2) },  // into half the element
	'e': func(x *step, v int64) bool { return v >= 0 && v < int64(x.total/8) }, // a byte of a vector
	'x': func(x *step, v int64) bool { return v >= 0 && v < 64 },
	'i': func(x *step, v int64) bool { return v >= 0 && v < 256 },
}

// arm64Complete checks numbers, which depend on the width and on T, and suffixes, which change an
// address.
func (x *step) arm64Complete(forms []string) bool {
	for name, valid := range immediates {
		if o := x.ops[name]; o != nil && o.Kind == KindImm && !valid(x, o.Imm) {
			return false
		}
	}
	return len(x.in.Suffix) == 0 || len(x.in.Suffix) == 1 && slices.Contains(forms, "[]")
}

// arrangements are bits of an element and of the vector.
var arrangements = map[string][2]int{
	"B8": {8, 64}, "B16": {8, 128}, "H4": {16, 64}, "H8": {16, 128}, "S2": {32, 64}, "S4": {32, 128},
	"D1": {64, 64}, "D2": {64, 128}, "Q1": {128, 128},
}

var elements = map[string]int{"B": 8, "H": 16, "S": 32, "D": 64}

// arranged notes the arrangement T, which must be one of the line's and the same everywhere.
func (x *step) arranged(want, got, of string) bool {
	switch want {
	case "T":
	case "2T":
		return arrangements[got] == [2]int{2 * x.size, 128}
	case "hT":
		return arrangements[got] == [2]int{x.size / 2, 64}
	case "hT2":
		return arrangements[got] == [2]int{x.size / 2, 128}
	default:
		return want == got
	}
	a, ok := arrangements[got]
	if !ok || !slices.Contains(strings.Fields(of), got) || x.size != 0 && x.size != a[0] || x.total != 0 && x.total != a[1] {
		return false
	}
	x.size, x.total = a[0], a[1]
	return true
}

// arm64Form matches an operand with one of a form. Their letters, before the names of Arm's manual:
//
//	Rm      a general register, or ZR
//	Rm?     the same, which may be missing; then it is the destination Rd
//	Rm<     the same, which may be shifted; Rm@ may be rotated, too
//	Vm.T    a vector with the arrangement T; Vm.B16 with this one
//	Vm.T[]  an element of T's size; Vm.S[] of this size
//	Vm.2T   a vector of 128 bits with elements of twice the size
//	Vm.hT   one of 64 bits with elements of half the size; Vm.hT2 of 128 bits
//	Vm      a vector, of which the low part counts; Fm is another name
//	{Vt.T}  a list of vectors; {Vt.T}2 of two
//	(Rt,Ru) two general registers; (Ft,Fu) two vectors
//	[]      a place in memory
//	$a      a number. The letter says which: see immediates
//	cond    a condition
//	label   a label
func (x *step) arm64Form(f, of string, o *Operand) bool {
	switch {
	case f == "cond":
		x.ops['c'] = o
		return o.Kind == KindName && Conditions[o.Sym] != ""
	case f == "label":
		return o.Kind == KindLabel
	case f == "[]":
		x.ops['p'] = o
		return o.Kind == KindMem
	case f == "&":
		x.ops['p'] = o
		return o.Kind == KindAddr
	case f[0] == '$':
		x.ops[f[1]] = o
		return o.Kind == KindImm // see arm64Complete
	case f[0] == '(':
		if o.Kind != KindList || len(o.List) != 2 || o.Text[0] != '(' {
			return false
		}
		for i := range o.List {
			if r := &o.List[i]; r.Lane || r.Arrangement != "" || r.Shape != map[byte]byte{'R': 'r', 'F': 'v'}[f[1]] || (f[1] == 'F') != (r.Text[0] == 'F') {
				return false
			}
		}
		x.ops['t'] = o
		return true
	case f[0] == '{':
		if o.Kind != KindList || o.Text[0] != '[' || len(o.List) == 0 || len(o.List) > 4 {
			return false
		}
		name, count, _ := strings.Cut(f[1:], "}")
		if count != "" && int(count[0]-'0') != len(o.List) {
			return false
		}
		_, want, _ := strings.Cut(name, ".")
		for i := range o.List {
			r := &o.List[i]
			if r.Shape != 'v' || r.Lane || r.Reg != o.List[0].Reg+i || !x.arranged(want, r.Arrangement, of) {
				return false
			}
		}
		x.ops[f[2]] = o
		return true
	}
	if o.Kind != KindReg {
		return false
	}
	x.ops[f[1]] = o
	switch f[0] {
	case 'R':
		if o.Shape != 'r' || o.Arrangement != "" || o.Lane || o.ShiftReg >= 0 || o.Text != "ZR" && o.Reg == 31 {
			return false
		}
		switch o.Shift {
		case "":
			return true
		case "@>":
			return f[2:] == "@" && o.ShiftBy >= 0 && o.ShiftBy < int64(x.width)
		}
		return f[2:] != "" && o.ShiftBy >= 0 && o.ShiftBy < int64(x.width)
	case 'F':
		return o.Shape == 'v' && o.Text[0] == 'F' && !o.Lane && o.Arrangement == ""
	case 'V':
		if o.Shape != 'v' || o.Text[0] != 'V' {
			return false
		}
		_, want, _ := strings.Cut(f, ".")
		if element, ok := strings.CutSuffix(want, "[]"); ok {
			// T is of another operand, or of none.
			size := elements[o.Arrangement]
			if element == "T" && x.size == 0 {
				x.size = size
			}
			return o.Lane && size > 0 && o.LaneIndex >= 0 && o.LaneIndex < 128/size &&
				(element == "T" && size == x.size || element == o.Arrangement)
		}
		return !o.Lane && x.arranged(want, o.Arrangement, of)
	}
	return false
}

// imm is a number in an operand.
func (x *step) imm(name byte) int { return int(x.ops[name].Imm) }

// scratch is the register that the assembler uses for numbers and distances without an encoding.
const scratch = 27

// framePointer is a register that callers want to have unchanged.
const framePointer = 29

// value reads a general register, or a number, of the instruction's width.
func (x *step) value(name byte) Value {
	o := x.ops[name]
	if o.Kind == KindImm {
		encoded := addImmediate(uint64(o.Imm))
		if name == 'l' {
			encoded = logicImmediate(uint64(o.Imm), x.width)
		}
		if !encoded {
			x.R[scratch] = Value{}
		}
		return Number(uint64(o.Imm), x.width)
	}
	v := x.register(o.Reg)
	if v.Object != nil {
		if x.width != 64 || o.Shift != "" {
			fail("a part of an address")
		}
		return v
	}
	w := v.Bits[:x.width:x.width]
	switch by := int(o.ShiftBy); o.Shift {
	case "<<":
		w = w.Left(by)
	case ">>":
		w = w.Right(by)
	case "->":
		w = w.Arithmetic(by)
	case "@>":
		w = w.RotateLeft(-by)
	}
	return Value{Bits: w}
}

// register is a general register. ZR is 0.
func (m *Machine) register(i int) Value {
	if i == m.Arch.Zero {
		return Number(0, 64)
	}
	v := m.R[i]
	if v.empty() {
		fail("R%d was not written", i)
	}
	return v
}

// word is value, if it is no address.
func (x *step) word(name byte) Word {
	v := x.value(name)
	if v.Object != nil {
		fail("an address as a number")
	}
	return v.Bits
}

// constant is a word that no input changes.
func (x *step) constant(name byte, what string) uint64 {
	c, ok := x.word(name).Constant()
	if !ok {
		fail("%s is no constant", what)
	}
	return c
}

// put writes a general register. The upper half is zero if the instruction has 32 bits.
func (m *Machine) put(i int, v Value) {
	switch i {
	case m.Arch.Zero:
		return
	case m.Arch.SP:
		fail("the stack pointer moves")
	case framePointer:
		fail("the frame pointer changes")
	}
	if v.Object == nil {
		v.Bits = v.Bits.Extend(64)
	}
	m.R[i] = v
}

func (x *step) set(name byte, w Word) { x.put(x.ops[name].Reg, Value{Bits: w}) }

// whole is a vector register.
func (m *Machine) whole(i int) Word {
	if m.V[i] == nil && m.Arch.Name == "amd64" {
		// Kernels leave registers for blocks that are not there as they are.
		m.V[i] = make(Word, 512)
		for at := range m.V[i] {
			m.V[i][at] = m.Unknown(fmt.Sprintf("Z%d.%d", i, at))
		}
	}
	if m.V[i] == nil {
		fail("V%d was not written", i)
	}
	return m.V[i]
}

// vector reads a vector or an element, as an operand names it.
func (x *step) vector(name byte) Word {
	o := x.ops[name]
	w := x.whole(o.Reg)
	if o.Lane {
		return w.Lanes(elements[o.Arrangement])[o.LaneIndex]
	}
	if a, ok := arrangements[o.Arrangement]; ok {
		return w[:a[1]:a[1]]
	}
	return w
}

// setVector writes a vector, whose upper half is zero if w has 64 bits, or an element, beside
// which the vector stays.
func (x *step) setVector(name byte, w Word) {
	o := x.ops[name]
	if !o.Lane {
		x.V[o.Reg] = w.Extend(128)
		return
	}
	old := x.V[o.Reg]
	if old == nil {
		old = make(Word, 128)
		for i := range old {
			old[i] = x.Unknown(fmt.Sprintf("V%d.%d", o.Reg, i))
		}
	}
	list := old.Lanes(len(w))
	list[o.LaneIndex] = w
	x.V[o.Reg] = Join(list...)
}

// An access is what an instruction loads or stores: one register or a pair, each of some bytes, or
// a list of vectors, of size bytes together.
type access struct {
	bytes int64
	pair  bool
	list  int64
}

// encodes reports whether the distance from the base is part of the instruction. If not, the
// assembler computes the address in the register scratch.
func (a access) encodes(distance int64) bool {
	scaled := distance / a.bytes
	switch {
	case a.pair:
		return distance%a.bytes == 0 && scaled >= -64 && scaled < 64
	case distance >= -256 && distance < 256:
		return true
	}
	return distance%a.bytes == 0 && scaled >= 0 && scaled < 4096
}

// place is the address of an operand in memory. Suffixes change its base: W before, P after the
// access, by the number; for a list by its size or by a register.
func (x *step) place(a access) Value {
	o := x.ops['p']
	switch o.Pseudo {
	case "FP":
		fail("the address of an argument")
	case "SB":
		s, err := x.Symbol(o.Sym)
		if err != nil {
			fail("%v", err)
		}
		if o.Kind == KindMem {
			x.R[scratch] = Value{}
		}
		return Address(s, o.Imm)
	case "SP":
		if x.top() == 0 {
			fail("there is no frame")
		}
		distance := x.top() + o.Imm // the stack pointer has not moved: nothing writes it
		if o.Kind == KindMem && !a.encodes(distance) || o.Kind == KindAddr && !addImmediate(uint64(distance)) {
			x.R[scratch] = Value{}
		}
		return x.plus(x.R[x.Arch.SP], distance)
	}
	suffix := ""
	if len(x.in.Suffix) > 0 {
		suffix = x.in.Suffix[0]
	}
	if o.Kind == KindAddr || o.Base < 0 || o.Sym != "" || o.Index >= 0 && (o.Imm != 0 || o.Scale != 1) {
		fail("the address %s", o.Text)
	}
	base := x.register(o.Base)
	next := x.plus(base, o.Imm)
	if o.Index >= 0 {
		index := x.register(o.Index)
		c, ok := index.Bits.Constant()
		if index.Object != nil || !ok {
			fail("an index that is no constant")
		}
		next = x.plus(base, int64(c))
	}
	switch {
	case suffix == "" && a.list > 0:
		if o.Index < 0 && o.Imm == 0 {
			return base
		}
	case suffix == "":
		if o.Index >= 0 && !a.pair {
			return next
		}
		if o.Index < 0 {
			if !a.encodes(o.Imm) {
				x.R[scratch] = Value{}
			}
			return next
		}
	case suffix == "P" && (a.list > 0 && (o.Index >= 0 || o.Imm == a.list) || a.list == 0 && o.Index < 0):
		x.put(o.Base, next)
		return base
	case suffix == "W" && a.list == 0 && o.Index < 0:
		x.put(o.Base, next)
		return next
	}
	fail("the address %s with the suffix %q", o.Text, suffix)
	return Value{}
}

// addImmediate: 12 bits, perhaps shifted by 12.
func addImmediate(v uint64) bool { return v < 1<<12 || v&0xfff == 0 && v < 1<<24 }

// logicImmediate: a rotated run of ones, repeated (DecodeBitMasks in Arm's manual).
func logicImmediate(v uint64, width int) bool {
	if width == 32 {
		v = v&(1<<32-1) | v<<32
	}
	for n := 2; n <= 64; n *= 2 {
		e := v & (1<<(n-1)<<1 - 1)
		repeated := e
		for i := n; i < 64; i *= 2 {
			repeated |= repeated << i
		}
		if repeated != v {
			continue
		}
		rotated := (e<<1 | e>>(n-1)) & (1<<(n-1)<<1 - 1)
		return e != 0 && bits.OnesCount64(e) < n && bits.OnesCount64(e^rotated) == 2
	}
	return false
}
