package machine

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// A Machine executes a function of assembly on the bits of a Logic. With Concrete it is an
// interpreter; with another Logic, registers and memory become formulas of the inputs. What it
// does not know is an error: a branch or an address that is no constant, an access outside of an
// object, a register that was not written, and each operand that the table of instructions does
// not have.
type Machine struct {
	Logic
	Arch     *Arch
	Function *Function

	// General registers, vectors, and masks of AVX-512; what is empty was not written.
	R [32]Value
	V [32]Word
	K [8]Word
	// PC is the index of the next instruction in Function.Code.
	PC int
	// Steps counts instructions.
	Steps int
	// Arguments are in memory, with the names of the Go prototype, such as dst or src_base.
	// Results are there after they were written.
	Arguments, Results map[string]Value
	// Stack is the frame. Its offset 0 is where the stack pointer is.
	Stack *Object

	// Before is called before each instruction, with PC on it. It may change registers, flags and
	// memory. It returns the instruction to execute: in, or another one instead, which must not
	// change any more. An error ends Run: ErrStop, without an error.
	Before func(in *Instruction) (*Instruction, error)
	// Store, if it is not nil, is called for each number that is stored, and returns what is
	// stored instead.
	Store func(at Value, w Word) Word
	// VLEN is the bits of a vector of riscv64. A CPU may process half of the elements if there are more
	// than a vector has, but not twice as many: with Halves it does. HasHalves is set where that matters.
	VLEN              int
	Halves, HasHalves bool
	// Condition, if it is not nil, is told about the condition of each CSEL and the like of arm64.
	Condition func(c Bit)

	source  *Source
	symbols map[string]*Object
	offsets map[string]int64 // of arguments
	flags   flags
	vectors vectorType // of riscv64
	in      *Instruction
	decoded map[*Instruction]*step
	replace map[string]func(*step) // for tests: other semantics

	addresses map[string]Value // by the keys of their numbers: see number
	nonzero   map[string]bool  // keys of words that are not 0
}

// ErrStop ends Run.
var ErrStop = errors.New("stop")

// flags are computed when they are needed: many never are.
type flags struct {
	n, z, c, v flag
	p          flag // of amd64: the parity of a byte
}

type flag struct {
	bit   Bit
	later func() Bit
}

func (f *flag) get() Bit {
	if f.later != nil {
		f.bit, f.later = f.later(), nil
	}
	return f.bit
}

// New returns a machine at the first instruction of a function of the source. Registers are not
// written, the flags are unknown.
func New(a *Arch, source *Source, function string, l Logic) (*Machine, error) {
	if len(source.Problems) > 0 {
		p := source.Problems[0]
		return nil, fmt.Errorf("%s:%d: %s", p.File, p.Line, p.Text)
	}
	if a.semantics.lines == nil {
		return nil, fmt.Errorf("there are no semantics for %s", a.Name)
	}
	for _, f := range source.Functions {
		if f.Name != function {
			continue
		}
		m := &Machine{
			Logic: l, Arch: a, Function: f, source: source,
			Arguments: map[string]Value{}, Results: map[string]Value{},
			symbols: map[string]*Object{}, offsets: map[string]int64{}, decoded: map[*Instruction]*step{},
			addresses: map[string]Value{}, nonzero: map[string]bool{},
		}
		m.Stack = NewObject("the stack", m.top())
		m.Stack.Low, m.Stack.Align, m.Stack.Unknown = min(a.Saved, m.top()), a.StackAlign, false
		m.R[a.SP] = Address(m.Stack, 0)
		for name, f := range map[string]*flag{"N": &m.flags.n, "Z": &m.flags.z, "C": &m.flags.c, "V": &m.flags.v, "P": &m.flags.p} {
			f.later = func() Bit { return l.Unknown("the flag " + name) }
		}
		return m, nil
	}
	return nil, fmt.Errorf("%s has no function %s", source.Path, function)
}

// top is the offset, from the stack pointer, of the end of the frame: what the assembler calls SP
// behind a name. It has the saved link register below, and a size that keeps the alignment.
func (m *Machine) top() int64 {
	if m.Function.Frame <= 0 {
		return 0
	}
	return (m.Function.Frame + m.Arch.Saved + m.Arch.StackAlign - 1) &^ (m.Arch.StackAlign - 1)
}

// Symbol returns the object of DATA.
func (m *Machine) Symbol(name string) (*Object, error) {
	if o := m.symbols[name]; o != nil {
		return o, nil
	}
	data, ok := m.source.Data[name]
	if !ok {
		return nil, fmt.Errorf("there is no data %s", name)
	}
	o := NewObject(name, int64(len(data)))
	o.data, o.ReadOnly = data, true
	m.symbols[name] = o
	return o, nil
}

// undefined is a flag that an instruction leaves in no defined state.
func undefined() flag {
	return flag{later: func() Bit {
		fail("the flag is undefined")
		return Zero
	}}
}

// Flags returns N, Z, C and V, which amd64 calls SF, ZF, CF and OF.
func (m *Machine) Flags() (n, z, c, v Bit) {
	return m.flags.n.get(), m.flags.z.get(), m.flags.c.get(), m.flags.v.get()
}

// SetFlags sets N, Z, C and V.
func (m *Machine) SetFlags(n, z, c, v Bit) {
	m.flags = flags{n: flag{bit: n}, z: flag{bit: z}, c: flag{bit: c}, v: flag{bit: v}, p: undefined()}
}

// fail ends Run with an error.
func fail(format string, args ...any) {
	panic(Unsupported(fmt.Sprintf(format, args...)))
}

// Run executes instructions up to RET, at most limit. Errors name the instruction.
func (m *Machine) Run(limit int) (err error) {
	defer func() {
		if x := recover(); x != nil {
			u, ok := x.(Unsupported)
			if !ok {
				panic(x)
			}
			err = u
		}
		if err != nil && m.in != nil {
			err = fmt.Errorf("%s:%d: %s: %w", filepath.Base(m.in.File), m.in.Line, m.in.Text, err)
		}
	}()
	for {
		if m.PC < 0 || m.PC >= len(m.Function.Code) {
			return fmt.Errorf("%s has no end", m.Function.Name)
		}
		in := &m.Function.Code[m.PC]
		m.in = in
		if m.Before != nil {
			if in, err = m.Before(in); err == ErrStop {
				return nil
			} else if err != nil {
				return err
			}
			m.in = in
		}
		if m.Steps++; m.Steps > limit {
			return fmt.Errorf("more than %d steps", limit)
		}
		if in.Op == "RET" {
			if len(in.Args) > 0 || len(in.Suffix) > 0 {
				return errors.New("not a plain return")
			}
			return nil
		}
		m.PC++
		m.execute(in)
	}
}

// Execute executes one instruction, without the hook Before.
func (m *Machine) Execute(in *Instruction) (err error) {
	defer func() {
		if x := recover(); x != nil {
			u, ok := x.(Unsupported)
			if !ok {
				panic(x)
			}
			err = u
		}
	}()
	m.execute(in)
	return nil
}

// plus adds a constant to a number or an address.
func (m *Machine) plus(v Value, n int64) Value {
	switch {
	case v.Object != nil:
		v.Offset += n
	case n != 0:
		v.Bits = m.Sum(uint64(n), v.Bits)
	}
	return v
}

// load returns n bytes.
func (m *Machine) load(at Value, n int64) Value {
	if at.Object == nil {
		fail("a load from what is no address")
	}
	return at.Object.Get(m.Logic, at.Offset, n)
}

func (m *Machine) loadBits(at Value, n int64) Word {
	v := m.load(at, n)
	if v.Object != nil {
		fail("an address as a number")
	}
	return v.Bits
}

func (m *Machine) store(at, v Value) {
	if at.Object == nil {
		fail("a store to what is no address")
	}
	if m.Store != nil && v.Object == nil {
		v.Bits = m.Store(at, v.Bits)
	}
	at.Object.store(at.Offset, v)
}

// number returns the number of an address, which is unknown, for vectors that move it.
func (m *Machine) number(v Value) Word {
	for key, old := range m.addresses {
		if old.Object == v.Object && old.Offset == v.Offset {
			return keyed(key)
		}
	}
	w := make(Word, 64)
	for i := range w {
		w[i] = m.Unknown(fmt.Sprintf("the address of %s+%d.%d", v.Object.Name, v.Offset, i))
	}
	m.addresses[w.key()] = v
	return w
}

// difference is the sum modulo 2 of two addresses. It is 0 if they are the same.
func (m *Machine) difference(a, b Value) Word {
	if a.Object == b.Object && a.Offset == b.Offset {
		return Constant(0, 64)
	}
	for _, v := range []Value{a, b} {
		if o := v.Object; o.Overlap != nil || v.Offset < o.Low || v.Offset >= o.High {
			fail("addresses that may be the same")
		}
	}
	w := m.xor(m.number(a), m.number(b))
	m.nonzero[w.key()] = true
	return w
}

// argument reads part of an argument, or a result that was written before.
func (m *Machine) argument(o *Operand, n int64) Value {
	m.sameOffset(o)
	v, ok := m.Arguments[o.Sym]
	if r, written := m.Results[o.Sym]; written {
		v, ok = r, true
	}
	switch {
	case !ok:
		fail("there is no argument %s", o.Sym)
	case v.Object != nil && n != m.Arch.Ptr:
		fail("a part of an address")
	case v.Object == nil && int64(len(v.Bits)) < 8*n:
		fail("the argument %s has %d bits", o.Sym, len(v.Bits))
	case v.Object == nil:
		v.Bits = v.Bits[: 8*n : 8*n]
	}
	return v
}

// sameOffset checks that a name means one place. That it is the one of the prototype is checked by
// go vet.
func (m *Machine) sameOffset(o *Operand) {
	for name, at := range m.offsets {
		if (name == o.Sym) != (at == o.Imm) {
			fail("%s+%d is also %s+%d", o.Sym, o.Imm, name, at)
		}
	}
	m.offsets[o.Sym] = o.Imm
}

// The gates of words.

func (m *Machine) xor(list ...Word) Word {
	out := list[0]
	for _, w := range list[1:] {
		sum := make(Word, len(out))
		for i := range out {
			sum[i] = m.Xor(out[i], w[i])
		}
		out = sum
	}
	return out
}

func (m *Machine) and(a, b Word) Word {
	out := make(Word, len(a))
	for i := range a {
		out[i] = m.And(a[i], b[i])
	}
	return out
}

func (m *Machine) or(a, b Word) Word { return m.and(a.Not(), b.Not()).Not() }

// choose is a where s is 1, and b where it is 0.
func (m *Machine) choose(s, a, b Word) Word {
	if l, ok := m.Logic.(Chooser); ok && slices.Equal(s, repeat(s[0], len(s))) {
		return l.Choose(s[0], a, b)
	}
	return m.xor(m.and(s, m.xor(a, b)), b)
}

// isZero is 1 if no bit is 1.
func (m *Machine) isZero(w Word) Bit {
	if len(m.nonzero) > 0 && m.nonzero[w.key()] {
		return Zero
	}
	out := One
	for _, b := range w {
		out = m.And(out, b^1)
	}
	return out
}

// setResult sets N and Z of a result, and C and V.
func (m *Machine) setResult(w Word, c, v flag) {
	m.flags = flags{
		n: flag{bit: w[len(w)-1]},
		z: flag{later: func() Bit { return m.isZero(w) }},
		c: c, v: v,
	}
}

// add is a + b + c, and sets the flags if that is wanted.
func (m *Machine) add(a, b Word, c Bit, set bool) Word {
	var out Word
	if c <= One {
		out = m.Sum(uint64(c), a, b)
	} else {
		out = m.Sum(0, a, b, Word{c}.Extend(len(a)))
	}
	if set {
		top := len(a) - 1
		m.setResult(out,
			flag{later: func() Bit { return m.Carry(a, b, c) }},
			flag{later: func() Bit { // the operands have one sign, and the sum has the other
				return m.And(m.Xor(a[top], out[top]), m.Xor(b[top], out[top]))
			}})
	}
	return out
}

// condition is an Arm condition.
func (m *Machine) condition(name string) Bit {
	f := &m.flags
	switch name {
	case "eq":
		return f.z.get()
	case "hs":
		return f.c.get()
	case "mi":
		return f.n.get()
	case "vs":
		return f.v.get()
	case "hi":
		return m.And(f.c.get(), f.z.get()^1)
	case "ge":
		return m.Xor(f.n.get(), f.v.get()) ^ 1
	case "gt":
		return m.And(m.Xor(f.n.get(), f.v.get())^1, f.z.get()^1)
	}
	opposite := map[string]string{"ne": "eq", "lo": "hs", "pl": "mi", "vc": "vs", "ls": "hi", "lt": "ge", "le": "gt"}[name]
	if opposite == "" {
		fail("the condition %s", name)
	}
	return m.condition(opposite) ^ 1
}

// branch goes to the label if the condition, a constant, is 1.
func (m *Machine) branch(in *Instruction, c Bit) {
	if c > One {
		fail("the branch depends on a secret")
	}
	if c == One {
		m.PC = in.Target
	}
}
