package ctcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// A spec says what an instruction does.
type spec struct {
	op    string // what is computed, if numbers and addresses are followed through it
	roles string // of the operands: r read, w written, m both, i neither
	open  bool   // roles are the last operand's, and there may be any number of others
	width int64  // of operands in memory and general registers; 0: of the vectors
	flags uint8
	time  timing
}

// Flags that an instruction reads and writes.
const (
	writesCarry = 1 << iota
	writesOverflow
	writesZero
	readsCarry
	readsOverflow
	readsZero
	// An instruction of arm leaves the overflow, and the carry perhaps.
	writesLogic
)

// A timing is what the time of an instruction depends on.
type timing uint8

const (
	timeConstant timing = iota
	timeMultiply        // on some cores, on operands: see the table's comment
	timeUnlisted        // perhaps on operands: the architecture's list does not have it, and kernels use it
	timeOperands        // on operands, or nothing promises that it does not
)

// table parses lines "op roles width flags: MNEMONIC …". Roles are one letter for each
// operand, with alternatives for other numbers of operands behind bars: "rrw|rm" is an
// instruction with two sources, and its short form, whose second source is the destination.
// A single letter is the last operand's, and any others are read. Flags
// are w for all written, z for all but the carry, c and o for the carry or the overflow
// alone, l for those that a logical operation of arm writes, and C, O and Z for those read.
func table(text string) map[string]*spec {
	m := map[string]*spec{}
	for _, line := range strings.Split(text, "\n") {
		head, names, ok := strings.Cut(line, ":")
		f := strings.Fields(head)
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if len(f) != 4 {
			panic("ctcheck: table: " + line)
		}
		s := &spec{op: f[0], roles: f[1], open: len(f[1]) == 1}
		if f[2] != "v" {
			fmt.Sscan(f[2], &s.width)
		}
		for _, c := range f[3] {
			s.flags |= map[rune]uint8{'-': 0, 'w': writesCarry | writesOverflow | writesZero, 'z': writesOverflow | writesZero,
				'l': writesLogic | writesZero, 'c': writesCarry, 'o': writesOverflow, 'C': readsCarry, 'O': readsOverflow, 'Z': readsZero}[c]
		}
		for _, name := range strings.Fields(names) {
			if m[name] != nil {
				panic("ctcheck: table: " + name + " twice")
			}
			one := *s
			m[name] = &one
		}
	}
	return m
}

// rolesOf returns those of n operands, and whether the instruction may have as many.
func (s *spec) rolesOf(n int) (roles string, ok bool) {
	for _, roles := range strings.Split(s.roles, "|") {
		if len(roles) == n {
			return roles, true
		}
	}
	if s.open && n > 0 {
		return strings.Repeat("r", n-1) + s.roles[:1], true
	}
	return "", false
}

// role returns that of operand i of n.
func (s *spec) role(i, n int) byte {
	if roles, ok := s.rolesOf(n); ok {
		return roles[i]
	}
	return 'r'
}

// A run analyses one kernel.
type run struct {
	arch     *arch
	f        *function
	all      map[string]*function // of the package
	d        *declaration
	data     map[string][]byte
	symbols  map[string]*object
	stack    *object
	argsObj  *object
	states   []map[string]*state
	wide     []*state // states beyond the number of keys
	queue    []job
	queued   map[*state]bool
	leader   []bool
	visited  []bool
	steps    int
	findings map[string]Finding
	allowed  map[*Exception]bool
	mul      bool     // a secret was multiplied
	masked   bool     // a secret masked a load
	unlisted []string // instructions that a secret is in, and that are not in the list of constant times
	gathers  bool     // a secret was the index of a look-up inside registers, where that matters
	guard    origin   // what a conditional instruction depends on
	align    int64    // the largest alignment of an address in the stack
	pc       int
	in       *instruction
	final    func(s *state) // of tests: called with states at the end
}

type job struct {
	pc    int
	state *state
}

// kinds of findings, as exceptions name them.
const (
	kindAddress     = "address"
	kindBranch      = "branch"
	kindTime        = "time"
	kindStack       = "stack"
	kindStore       = "store"
	kindResult      = "result"
	kindUnknown     = "unknown"
	kindDeclaration = "declaration"
)

func (x *run) report(kind, format string, args ...any) {
	if e := x.in.allow; e != nil && slices.Contains(e.Kinds, kind) {
		x.allowed[e] = true
		return
	}
	key := fmt.Sprint(x.pc, kind)
	if _, ok := x.findings[key]; ok {
		return
	}
	x.findings[key] = Finding{File: x.in.File, Line: x.in.Line, Kernel: x.d.name, Kind: kind, Instruction: x.in.Text, Text: fmt.Sprintf(format, args...)}
}

// source names the instruction that a secret comes from.
func (x *run) source(o origin) string {
	if o == fromArgument || o == 0 || int(o) > len(x.f.code) {
		return "an argument"
	}
	in := x.f.code[o-1]
	return fmt.Sprintf("line %d, %s", in.Line, in.Text)
}

// address computes that of an operand.
func (x *run) address(s *state, o *machine.Operand) value {
	var v value
	switch o.Pseudo {
	case "SB":
		v = value{object: x.symbol(o.Sym), c: o.Imm}
	case "FP":
		v = value{object: x.argsObj, c: o.Imm}
	case "SP":
		v = value{object: x.stack, c: x.f.Frame + x.arch.Saved + o.Imm}
	default:
		if o.Base >= 0 {
			v = add(s.regs[o.Base], constant(o.Imm))
		} else {
			v = constant(o.Imm)
		}
	}
	if o.Index >= 0 {
		v = add(v, scaled(s.regs[o.Index], o.Scale))
	}
	return v
}

func (x *run) symbol(name string) *object {
	o := x.symbols[name]
	if o == nil {
		o = &object{id: 1<<20 + len(x.symbols), kind: objectSymbol, name: name, data: x.data[name]}
		x.symbols[name] = o
	}
	return o
}

func (x *run) checkAddress(v value) {
	if v.secret != 0 {
		x.report(kindAddress, "the address depends on a secret (%s)", x.source(v.secret))
	} else if x.guard != 0 {
		x.report(kindAddress, "whether memory is accessed depends on a secret (%s)", x.source(x.guard))
	}
}

// overlaps calls f for every leaf of an object that an access at c modulo m may touch.
func (o *object) overlaps(c, m, width int64, f func(l *leaf, exact bool)) {
	g := gcd(m, o.period)
	r := residue(c, g)
	for i := range o.leaves {
		l := &o.leaves[i]
		for shift := int64(0); shift <= width+g; shift += o.period {
			from, to := l.from+shift, l.to+shift
			// The first start of an access that ends behind from.
			first := from - width + 1
			first += residue(r-first, g)
			if first < to {
				f(l, first == from && shift == 0)
				break
			}
		}
	}
}

func (x *run) load(s *state, address value, width int64) value {
	x.checkAddress(address)
	address.secret = 0
	var out value
	first := true
	merge := func(v value) {
		if first {
			out, first = v, false
		} else {
			out = join(out, v)
		}
	}
	address.each(func(p value) {
		if p.object == nil {
			return
		}
		switch p.object.kind {
		case objectSymbol:
			v := anything
			if d := p.object.data; p.m == 0 && width <= x.arch.Ptr && p.c >= 0 && p.c+width <= int64(len(d)) {
				v = value{}
				for i := range width {
					v.c |= int64(d[p.c+i]) << (8 * i)
				}
			}
			merge(v)
		case objectStack, objectArgs:
			m := s.stack
			if p.object.kind == objectArgs {
				m = s.args
			}
			if p.m == 0 && width > 0 {
				merge(m.load(p.c, width, x.arch.Ptr))
				return
			}
			v := anything
			for _, o := range m.part(p, width) {
				v.secret = joinOrigin(v.secret, o)
			}
			merge(v)
		default:
			v := anything
			found := false
			n := width
			if n == 0 {
				n = p.object.period
			}
			p.object.overlaps(p.c, p.m, n, func(l *leaf, exact bool) {
				if l.secret {
					v.secret = origin(x.pc + 1)
				}
				if l.pointer != nil && exact && width == x.arch.Ptr {
					w := value{object: l.pointer, secret: v.secret}
					if found {
						w = join(w, v)
					}
					v, found = w, true
				}
			})
			merge(v)
		}
	})
	if first && address.isConstant() && address.c >= 0 && address.c < 4096 {
		return anything // nil: this is not reached
	}
	if first {
		x.report(kindUnknown, "what is at this address is not known")
		return secret(origin(x.pc + 1))
	}
	return out
}

// store writes a value. In part: bytes may stay as they were.
func (x *run) store(s *state, address value, width int64, v value, part bool) {
	x.checkAddress(address)
	v.secret = joinOrigin(v.secret, x.guard)
	pc := origin(x.pc + 1)
	hasObject := false
	single := len(address.others) == 0
	address.each(func(p value) {
		if p.object == nil {
			return
		}
		hasObject = true
		switch p.object.kind {
		case objectSymbol:
			x.report(kindStore, "a store to %s", p.object.name)
		case objectStack, objectArgs:
			m := s.stack
			if p.object.kind == objectArgs {
				m = s.args
			}
			switch {
			case p.m == 0 && width > 0 && single && !part:
				if !m.store(p.c, width, x.arch.Ptr, v, pc) {
					x.report(kindUnknown, "a store far from the frame")
				}
			case p.m == 0 && width > 0:
				old := m.load(p.c, width, x.arch.Ptr)
				if old.secret == 0 || v.secret != 0 {
					m.store(p.c, width, x.arch.Ptr, join(old, v), pc)
				} else {
					m.store(p.c, width, x.arch.Ptr, secret(old.secret), pc)
				}
			case p.m == 0:
				m.cells = m.cells[:0]
				for i := max(p.c-m.base, 0); i < int64(len(m.secret)) && v.secret != 0; i++ {
					m.secret[i] = joinOrigin(m.secret[i], pc)
				}
			default:
				m.weak(p, width, v, pc)
			}
		default:
			n := width
			if n == 0 {
				n = p.object.period
			}
			p.object.overlaps(p.c, p.m, n, func(l *leaf, exact bool) {
				if l.pointer != nil {
					x.report(kindStore, "a store over the pointer %s", l.name)
				} else if v.secret != 0 && !l.secret {
					x.report(kindStore, "a secret (%s) is written to %s, which is public", x.source(v.secret), l.name)
				}
			})
		}
	})
	if !hasObject && !(address.isConstant() && address.c >= 0 && address.c < 4096) {
		x.report(kindUnknown, "what is at this address is not known")
	}
}

// vector reads the taint of a vector register.
func (x *run) vector(s *state, o *machine.Operand) origin {
	return x.arch.readVector(s, o)
}

// read returns the value of an operand of width bytes.
func (x *run) read(s *state, o *machine.Operand, width int64) value {
	switch o.Kind {
	case machine.KindImm:
		return constant(o.Imm)
	case machine.KindAddr:
		return x.address(s, o)
	case machine.KindMem:
		return x.load(s, x.address(s, o), width)
	case machine.KindReg:
		switch {
		case o.Shape == 'k':
			return s.regs[firstMask+o.Reg]
		case o.Shape != 'r':
			return value{secret: x.vector(s, o), m: 1}
		}
		if x.arch.Zero == o.Reg && x.arch.Zero >= 0 {
			return value{}
		}
		v := s.regs[o.Reg]
		if o.Shift != "" || o.Arrangement != "" {
			if o.ShiftReg >= 0 {
				v.secret = joinOrigin(v.secret, s.regs[o.ShiftReg].secret)
			}
			return value{secret: v.secret, m: 1}
		}
		if v.byte0 {
			if width == 1 {
				return value{m: 1}
			}
			v.byte0 = false
		}
		return truncate(v, width, x.arch.Ptr)
	case machine.KindList:
		v := value{m: 1}
		for i := range o.List {
			v.secret = joinOrigin(v.secret, x.read(s, &o.List[i], width).secret)
		}
		return v
	}
	return value{m: 1}
}

// write sets an operand. Merge: the rest of a register stays.
func (x *run) write(s *state, o *machine.Operand, width int64, v value, merge bool) {
	switch o.Kind {
	case machine.KindMem:
		x.store(s, x.address(s, o), width, v, merge)
	case machine.KindReg:
		v.secret = joinOrigin(v.secret, x.guard)
		switch {
		case o.Shape == 'k':
			s.regs[firstMask+o.Reg] = v
		case o.Shape != 'r':
			x.arch.writeVector(s, o, v.secret, merge, x.in)
		default:
			if merge {
				upper := s.regs[o.Reg].secret
				v = value{m: 1, secret: joinOrigin(v.secret, upper), byte0: width == 1 && v.secret == 0 && upper != 0}
			}
			if o.Reg == x.arch.Zero {
				return
			}
			s.regs[o.Reg] = v
		}
	case machine.KindList:
		for i := range o.List {
			x.write(s, &o.List[i], width, v, merge)
		}
	default:
		x.report(kindUnknown, "%s cannot be written", o.Text)
	}
}

// setFlags sets what an instruction writes.
func (x *run) setFlags(s *state, sp *spec, o origin, c compared) {
	o = joinOrigin(o, x.guard)
	if sp.flags&writesCarry != 0 {
		s.flags[flagCarry] = o
	}
	if sp.flags&writesLogic != 0 {
		s.flags[flagCarry] = joinOrigin(s.flags[flagCarry], o)
	}
	if sp.flags&writesOverflow != 0 {
		s.flags[flagOverflow] = o
	}
	if sp.flags&writesZero != 0 {
		s.flags[flagZero] = o
	}
	if sp.flags&(writesCarry|writesOverflow|writesZero|writesLogic) != 0 {
		s.last = compared{}
		if o == 0 && sp.flags&writesZero != 0 {
			s.last = c
		}
	}
}

// readFlags returns the taint of the flags that an instruction reads.
func (s *state) readFlags(flags uint8) origin {
	var o origin
	if flags&readsCarry != 0 {
		o = joinOrigin(o, s.flags[flagCarry])
	}
	if flags&readsOverflow != 0 {
		o = joinOrigin(o, s.flags[flagOverflow])
	}
	if flags&readsZero != 0 {
		o = joinOrigin(o, s.flags[flagZero])
	}
	return o
}

// conditionFlags are the flags that a condition reads.
func conditionFlags(cond string) uint8 {
	switch cond {
	case "eq", "ne", "mi", "pl":
		return readsZero
	case "lo", "hs":
		return readsCarry
	case "hi", "ls":
		return readsCarry | readsZero
	case "vs", "vc":
		return readsOverflow
	}
	return readsZero | readsOverflow
}

// decide says whether a condition holds, if that is known.
func (x *run) decide(c compared, cond string) (holds, decided bool) {
	if c.kind == 0 {
		return false, false
	}
	a, b := c.a, c.b
	if c.kind != 's' {
		b = value{}
	}
	if !a.isConstant() || !b.isConstant() {
		al, ah, ok := a.bounds()
		bl, bh, ok2 := b.bounds()
		if ok && ok2 && max(ah, bh) < 1<<uint(8*c.width-1) {
			// Both are not negative, so signs do not matter.
			if c.kind != 's' && cond != "eq" && cond != "ne" {
				return false, false
			}
			isLess, isMore, disjoint := ah < bl, al > bh, ah < bl || al > bh
			lessEqual, moreEqual := ah <= bl, al >= bh
			switch cond {
			case "eq", "ne":
				return cond == "ne", disjoint
			case "lo", "lt":
				return isLess, isLess || moreEqual
			case "hs", "ge":
				return moreEqual, isLess || moreEqual
			case "hi", "gt":
				return isMore, isMore || lessEqual
			case "ls", "le":
				return lessEqual, isMore || lessEqual
			}
			return false, false
		}
		if c.kind != 's' || cond != "eq" && cond != "ne" || len(a.others) > 0 || len(b.others) > 0 || a.object == nil || b.object == nil {
			return false, false
		}
		equal := false
		if a.object == nil && b.object == nil {
			return false, false
		}
		if a.object == b.object {
			if a.m != 0 || b.m != 0 {
				return false, false
			}
			equal = a.c == b.c
		} else if a.object.kind == objectMemory && b.object.kind == objectMemory {
			return false, false
		}
		return equal == (cond == "eq"), true
	}
	shift := uint(64 - 8*c.width)
	sa, sb := a.c<<shift>>shift, b.c<<shift>>shift
	ua, ub := uint64(a.c)<<shift>>shift, uint64(b.c)<<shift>>shift
	if c.kind != 's' {
		switch cond {
		case "eq":
			return ua == 0, true
		case "ne":
			return ua != 0, true
		case "mi":
			return sa < 0, true
		case "pl":
			return sa >= 0, true
		}
		return false, false
	}
	switch cond {
	case "eq":
		return ua == ub, true
	case "ne":
		return ua != ub, true
	case "lo":
		return ua < ub, true
	case "hs":
		return ua >= ub, true
	case "hi":
		return ua > ub, true
	case "ls":
		return ua <= ub, true
	case "lt":
		return sa < sb, true
	case "ge":
		return sa >= sb, true
	case "gt":
		return sa > sb, true
	case "le":
		return sa <= sb, true
	case "mi":
		return (sa-sb)<<shift>>shift < 0, true
	case "pl":
		return (sa-sb)<<shift>>shift >= 0, true
	}
	return false, false
}

// compute is the result of an operation on two numbers or addresses: b op a, in Go's order
// of operands.
func compute(op string, a, b value) value {
	switch op {
	case "mov":
		return a
	case "add":
		return add(b, a)
	case "sub":
		return sub(b, a)
	case "and":
		if a.isConstant() {
			v := and(b, a.c)
			v.secret = joinOrigin(a.secret, b.secret)
			return v
		}
		if b.isConstant() {
			v := and(a, b.c)
			v.secret = joinOrigin(a.secret, b.secret)
			return v
		}
	case "bic":
		if a.isConstant() {
			v := and(b, ^a.c)
			v.secret = joinOrigin(a.secret, b.secret)
			return v
		}
	case "or":
		return fold(a, b, func(a, b int64) int64 { return a | b })
	case "xor":
		return fold(a, b, func(a, b int64) int64 { return a ^ b })
	case "shl":
		if a.isConstant() && a.c >= 0 && a.c < 64 {
			if a.c > 30 {
				return fold(a, b, func(a, b int64) int64 { return b << uint(a) })
			}
			return scaled(b, 1<<uint(a.c))
		}
	case "shr":
		if b.isConstant() && b.c < 0 {
			break // of how many bits?
		}
		if l, h, ok := b.bounds(); ok && b.m != 0 && a.isConstant() && a.c >= 0 && a.c < 64 {
			return bounded(value{secret: joinOrigin(a.secret, b.secret), m: 1}, l>>uint(a.c), h>>uint(a.c))
		}
		return fold(a, b, func(a, b int64) int64 {
			return int64(uint64(b) >> uint(a&63))
		})
	case "mul":
		if a.isConstant() {
			return scaled(b, a.c)
		}
		if b.isConstant() {
			return scaled(a, b.c)
		}
	}
	return value{secret: joinOrigin(a.secret, b.secret), m: 1}
}

// shift is compute for shifts of words of width bytes: what a larger distance does is not
// followed.
func shift(op string, a, b value, width int64) value {
	if a.isConstant() && (a.c < 0 || a.c >= 8*width) {
		return value{secret: joinOrigin(a.secret, b.secret), m: 1}
	}
	return compute(op, a, b)
}

// operate executes an instruction by its roles alone: all that is read makes what is
// written.
func (x *run) operate(s *state, in *instruction) {
	sp := in.spec
	n := len(in.Args)
	o := s.readFlags(sp.flags)
	for i := range in.Args {
		if r := sp.role(i, n); r != 'i' && r != 'w' {
			o = joinOrigin(o, x.read(s, &in.Args[i], x.width(in, &in.Args[i])).secret)
		}
	}
	x.checkTime(sp, o)
	v := value{secret: o, m: 1}
	for i := range in.Args {
		if r := sp.role(i, n); r == 'w' || r == 'm' {
			x.write(s, &in.Args[i], x.width(in, &in.Args[i]), v, false)
		}
	}
	x.setFlags(s, sp, o, compared{})
}

func (x *run) checkTime(sp *spec, o origin) {
	if o == 0 {
		return
	}
	switch sp.time {
	case timeMultiply:
		x.mul = true
	case timeUnlisted:
		if !slices.Contains(x.unlisted, x.in.Op) {
			x.unlisted = append(x.unlisted, x.in.Op)
		}
	case timeOperands:
		x.report(kindTime, "its time depends on its operands, and one depends on a secret (%s)", x.source(o))
	}
}

// width is that of an operand in memory or a general register.
func (x *run) width(in *instruction, o *machine.Operand) int64 {
	if in.spec.width > 0 {
		return in.spec.width
	}
	return x.arch.vectorWidth(in)
}
