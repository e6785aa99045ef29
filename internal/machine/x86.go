package machine

import (
	"fmt"
	"strconv"
	"strings"
)

func init() {
	t := table{lines: map[string][]line{}, operand: (*step).x86Form, complete: (*step).x86Complete}
	for i := range amd64Semantics {
		s := &amd64Semantics[i]
		for _, name := range strings.Fields(s.names) {
			// ADD@LQ is ADDL and ADDQ, of 32 and 64 bits; VPADDD:32 has elements of 32 bits.
			base, widths, general := strings.Cut(name, "@")
			base, bits, vector := strings.Cut(base, ":")
			size := 0
			if vector {
				size, _ = strconv.Atoi(bits)
			}
			if !general {
				t.lines[base] = append(t.lines[base], line{s, base, 64, size})
			}
			for _, w := range widths {
				n := base + string(w)
				t.lines[n] = append(t.lines[n], line{s, base, map[rune]int{'B': 8, 'W': 16, 'L': 32, 'Q': 64}[w], size})
			}
		}
	}
	Arches["amd64"].semantics = t
}

// Registers that some instructions imply, in the order of Arch.
const registerAX, registerCX, registerDX = 0, 2, 3

// x86Form matches an operand with one of a form. Their letters, before names like Intel's, where d
// is the destination, n the first and m the second source:
//
//	Rm   a general register; Em may be in memory, too; Mm must
//	Cm   the register CX
//	$i   a number
//	Xm   a vector of 128 bits; Ym of 256, Zm of 512, Vm of T, which X, Y and Z are
//	Wm   a vector of T, or one in memory; xm of 128 bits, or in memory
//	Kk   a mask
//	label
func (x *step) x86Form(f, of string, o *Operand) bool {
	if f == "label" {
		return o.Kind == KindLabel
	}
	x.ops[f[1]] = o
	vector := func(shape byte) bool {
		bits := x86Vectors[shape]
		if o.Kind != KindReg || bits == 0 || !strings.ContainsRune(of, rune(shape-'a'+'A')) || x.total != 0 && x.total != bits {
			return false
		}
		x.total = bits
		return true
	}
	switch f[0] {
	case '$':
		return o.Kind == KindImm
	case 'M':
		return o.Kind == KindMem
	case 'E':
		return o.Kind == KindMem || o.Kind == KindReg && o.Shape == 'r'
	case 'R':
		return o.Kind == KindReg && o.Shape == 'r'
	case 'C':
		return o.Kind == KindReg && o.Shape == 'r' && o.Reg == registerCX
	case 'K':
		return o.Kind == KindReg && o.Shape == 'k'
	case 'X', 'Y', 'Z':
		return o.Kind == KindReg && o.Shape == f[0]-'A'+'a'
	case 'x':
		return o.Kind == KindMem || o.Kind == KindReg && o.Shape == 'x'
	case 'V':
		return vector(o.Shape)
	case 'W':
		return o.Kind == KindMem || vector(o.Shape)
	}
	return false
}

var x86Vectors = map[byte]int{'x': 128, 'y': 256, 'z': 512}

// x86Complete takes suffixes: Z clears what a mask excludes, BCST repeats one element of memory.
func (x *step) x86Complete(forms []string) bool {
	for _, s := range x.in.Suffix {
		m := x.ops['m']
		switch {
		case s == "Z" && x.ops['k'] != nil && x.ops['d'] != nil && x.ops['d'].Kind == KindReg && x.ops['d'].Shape != 'k':
			x.zeroing = true
		case s == "BCST" && m != nil && m.Kind == KindMem && x.size >= 32 && x.name != "VPMADDWD":
			x.broadcast = true
		default:
			return false
		}
	}
	return true
}

// x86Place is the address of an operand.
func (x *step) x86Place(o *Operand) Value {
	var v Value
	switch o.Pseudo {
	case "FP":
		fail("the address of an argument")
	case "SB":
		s, err := x.Symbol(o.Sym)
		if err != nil {
			fail("%v", err)
		}
		v = Address(s, o.Imm)
	case "SP":
		if x.top() == 0 {
			fail("there is no frame")
		}
		v = x.plus(x.R[x.Arch.SP], x.top()+o.Imm)
	default:
		if o.Sym != "" || o.Base < 0 && o.Index < 0 {
			fail("the address %s", o.Text)
		}
		v = Number(uint64(o.Imm), 64)
		if o.Base >= 0 {
			v = x.plus(x.register(o.Base), o.Imm)
		}
	}
	if o.Index < 0 {
		return v
	}
	index := x.register(o.Index)
	if index.Object != nil && v.Object == nil && o.Scale == 1 {
		index, v = v, index
	}
	if index.Object != nil {
		fail("the sum of two addresses")
	}
	if v.Object == nil {
		scaled := Constant(0, 64)
		for range o.Scale {
			scaled = x.Sum(0, scaled, index.Bits)
		}
		return Value{Bits: x.Sum(0, v.Bits, scaled)}
	}
	c, ok := index.Bits.Constant()
	if !ok {
		fail("an index that is no constant")
	}
	return x.plus(v, int64(c)*o.Scale)
}

// x86Read reads a general operand, or so many bits of a vector.
func (x *step) x86Read(name byte, width int) Value {
	o := x.ops[name]
	switch {
	case o.Kind == KindImm:
		return Number(uint64(o.Imm), width)
	case o.Kind == KindMem && o.Pseudo == "FP":
		return x.argument(o, int64(width/8))
	case o.Kind == KindMem:
		return x.load(x.x86Place(o), int64(width/8))
	case o.Shape == 'k':
		return Value{Bits: x.maskRegister(o.Reg)[:width:width]}
	case o.Shape != 'r':
		return Value{Bits: x.whole(o.Reg)[:width:width]}
	}
	v := x.register(o.Reg)
	if v.Object != nil {
		if width != 64 {
			fail("a part of an address")
		}
		return v
	}
	v.Bits = v.Bits[:width:width]
	return v
}

func (x *step) x86Word(name byte) Word { return x.x86Bits(name, x.width) }

func (x *step) x86Bits(name byte, width int) Word {
	v := x.x86Read(name, width)
	if v.Object != nil {
		fail("an address as a number")
	}
	return v.Bits
}

// x86Set writes a general operand. 32 bits clear the rest of a register; 8 and 16 leave it.
func (x *step) x86Set(name byte, v Value) {
	o := x.ops[name]
	switch {
	case o.Kind == KindMem && o.Pseudo == "FP":
		x.sameOffset(o)
		x.Results[o.Sym] = v
	case o.Kind == KindMem:
		x.Machine.store(x.x86Place(o), v)
	case v.Object == nil && len(v.Bits) < 32:
		old := x.register(o.Reg)
		if old.Object != nil {
			fail("a part of an address")
		}
		x.put(o.Reg, Value{Bits: Join(v.Bits, old.Bits[len(v.Bits):])})
	default:
		x.put(o.Reg, v)
	}
}

func (m *Machine) maskRegister(i int) Word {
	if m.K[i] == nil {
		fail("K%d was not written", i)
	}
	return m.K[i]
}

// setMask writes a mask; what is above is 0.
func (x *step) setMask(name byte, w Word) { x.K[x.ops[name].Reg] = w.Extend(64) }

// read is a vector of T; one in memory may be one element, repeated.
func (x *step) read(name byte) Word {
	if x.broadcast && name == 'm' {
		return Join(slicesOf(x.x86Bits(name, x.size), x.total/x.size)...)
	}
	return x.x86Bits(name, x.total)
}

// write writes a vector, of which a mask may exclude elements, and clears what is above; or memory.
func (x *step) write(w Word) {
	o, k := x.ops['d'], x.ops['k']
	if k != nil {
		mask := x.maskRegister(k.Reg)
		if o.Kind == KindMem {
			x.writeMasked(w, mask)
			return
		}
		old := Constant(0, len(w))
		if !x.zeroing {
			old = x.whole(o.Reg)[:len(w)]
		}
		new, before := w.Lanes(x.size), old.Lanes(x.size)
		for i := range new {
			switch mask[i] {
			case One:
			case Zero:
				new[i] = before[i]
			default:
				new[i] = x.choose(repeat(mask[i], x.size), new[i], before[i])
			}
		}
		w = Join(new...)
	}
	if o.Kind == KindMem {
		x.Machine.store(x.x86Place(o), Value{Bits: w})
		return
	}
	x.V[o.Reg] = w.Extend(512)
}

// writeMasked stores the elements of a mask, which must be constant.
func (x *step) writeMasked(w, mask Word) {
	at := x.x86Place(x.ops['d'])
	for i, e := range w.Lanes(x.size) {
		switch mask[i] {
		case One:
			x.Machine.store(x.plus(at, int64(i*x.size/8)), Value{Bits: e})
		case Zero:
		default:
			fail("what is stored depends on a secret")
		}
	}
}

// readMasked is read, but reads only the elements in memory of the mask, which must be constant.
// Others are 0.
func (x *step) readMasked(name byte) Word {
	o, k := x.ops[name], x.ops['k']
	if o.Kind != KindMem || k == nil {
		return x.read(name)
	}
	mask, at := x.maskRegister(k.Reg), x.x86Place(o)
	out := make([]Word, x.total/x.size)
	for i := range out {
		out[i] = Constant(0, x.size)
		switch mask[i] {
		case One:
			out[i] = x.loadBits(x.plus(at, int64(i*x.size/8)), int64(x.size/8))
		case Zero:
		default:
			fail("what is loaded depends on a secret")
		}
	}
	return Join(out...)
}

// setLow writes the low 128 bits of a vector, and leaves those above, as instructions without V do.
func (x *step) setLow(w Word) {
	o := x.ops['d']
	old := x.V[o.Reg]
	if old == nil {
		old = make(Word, 512)
		for i := 128; i < 512; i++ {
			old[i] = x.Unknown(fmt.Sprintf("X%d.%d", o.Reg, i))
		}
	}
	x.V[o.Reg] = Join(w, old[128:])
}

// x86Condition is the condition of a jump or a move.
func (x *step) x86Condition(name string) Bit {
	f := &x.flags
	or := func(a, b Bit) Bit { return x.And(a^1, b^1) ^ 1 }
	switch name {
	case "EQ", "E", "Z":
		return f.z.get()
	case "CS", "B":
		return f.c.get()
	case "MI", "S":
		return f.n.get()
	case "OS":
		return f.v.get()
	case "LS", "BE":
		return or(f.c.get(), f.z.get())
	case "LT", "L":
		return x.Xor(f.n.get(), f.v.get())
	case "LE":
		return or(x.Xor(f.n.get(), f.v.get()), f.z.get())
	}
	opposite := map[string]string{"NE": "EQ", "NZ": "EQ", "CC": "CS", "AE": "CS", "PL": "MI", "HI": "LS", "A": "LS", "GE": "LT", "GT": "LE", "G": "LE"}[name]
	if opposite == "" {
		fail("the condition %s", name)
	}
	return x.x86Condition(opposite) ^ 1
}

// x86Result sets the flags of a result; CF and OF are given.
func (x *step) x86Result(w Word, c, v flag) Word {
	x.setResult(w, c, v)
	x.flags.p = flag{later: func() Bit {
		odd := Zero
		for _, b := range w[:8] {
			odd = x.Xor(odd, b)
		}
		return odd ^ 1
	}}
	return w
}

// x86Add is a + b + c with flags. x86Subtract is a - b - c, where the carry is a borrow.
func (x *step) x86Add(a, b Word, c Bit) Word {
	out := x.add(a, b, c, true)
	return x.x86Result(out, x.flags.c, x.flags.v)
}

func (x *step) x86Subtract(a, b Word, c Bit) Word {
	out := x.add(a, b.Not(), c^1, true)
	borrow := x.flags.c
	return x.x86Result(out, flag{later: func() Bit { return borrow.get() ^ 1 }}, x.flags.v)
}

func (x *step) x86Logic(w Word) Word {
	return x.x86Result(w, flag{bit: Zero}, flag{bit: Zero})
}

// only sets one flag and leaves the others in no defined state.
func (x *step) only(c flag) {
	x.flags = flags{n: undefined(), z: undefined(), c: c, v: undefined(), p: undefined()}
}
