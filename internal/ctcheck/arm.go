package ctcheck

import (
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// The times: ARM's technical reference manuals from ARM11 on give one number of cycles
// for additions, shifts by constants, multiplications without flags, and NEON. ARM7 and
// ARM9 end a multiplication early if an operand is small (GOARM=5; see SECURITY.md). A
// division takes longer for larger quotients.
const armSource = "ARM's technical reference manuals, ARM11 to Cortex-A"

const armTable = `
mov w 4 -: MOVW
movx w 2 -: MOVH MOVHU
movx w 1 -: MOVB MOVBU MOVBS
movm w 4 -: MOVM
add w 4 -: ADD
sub w 4 -: SUB
rsb w 4 -: RSB
and w 4 -: AND
or w 4 -: ORR
xor w 4 -: EOR
bic w 4 -: BIC
alu w 4 C: ADC SBC RSC
alu w 4 -: MVN SLL SRL SRA REV CLZ MUL MULLU MULL MULA
alu m 4 -: MULALU MULAL
div w 4 -: DIV DIVU DIVUHW DIVHW MOD MODU
cmp rr 4 w: CMP
alu rr 4 w: CMN TEQ
test rr 4 w: TST
branch r 4 -: BEQ BNE BCS BHS BCC BLO BMI BPL BVS BVC BHI BLS BGE BLT BGT BLE
jump r 4 -: B JMP
call r 4 -: BL CALL
ret r 4 -: RET
vec w 16 -: VEOR VAND VORR VMOV VMOVI VDUP VADD VTST VSHL VSHR VSSHR VREV16 VREV32 VREV64 VEXT VTBL VMULL AESMC AESIMC
vec m 16 -: VBIT VBIF VSLI VSRI AESE AESD
vec mm 16 -: VTRN VSWP
vload w 16 -: VLD1 VLD4
vstore w 16 -: VST1 VST4
`

func init() {
	a := &arch{Arch: machine.Arches["arm"], source: armSource}
	a.table = table(armTable)
	for _, n := range strings.Fields("DIV DIVU DIVUHW DIVHW MOD MODU") {
		a.table[n].time = timeOperands
	}
	for _, n := range strings.Fields("MUL MULLU MULL MULA MULALU MULAL") {
		a.table[n].time = timeMultiply
	}
	for name, m := range a.Macros() {
		s := &spec{op: "vec", roles: m.Roles, width: 4}
		if m.Roles == "" {
			s.op = "memory"
		}
		if strings.HasPrefix(name, "UMAAL") || strings.HasPrefix(name, "VMUL") || strings.HasPrefix(name, "VMLA") {
			s.time = timeMultiply
		}
		a.table[name] = s
	}
	a.exec, a.branch = armExec, armBranch
	a.readVector = func(s *state, o *machine.Operand) (v origin) {
		first, n := machine.ArmHalves(o)
		for i := range n {
			v = joinOrigin(v, s.regs[firstVector+first+i].secret)
		}
		return v
	}
	a.writeVector = func(s *state, o *machine.Operand, v origin, merge bool, in *instruction) {
		first, n := machine.ArmHalves(o)
		for i := first; i < first+n; i++ {
			w := v
			if merge {
				w = joinOrigin(w, s.regs[firstVector+i].secret)
			}
			s.regs[firstVector+i] = value{secret: w, m: 1}
		}
	}
	a.vectorWidth = func(*instruction) int64 { return 4 }
	arches[a.Name] = a
}

func armBranch(x *run, s *state, in *instruction) {
	cond := machine.Conditions[in.Op[1:]]
	if o := s.readFlags(conditionFlags(cond)); o != 0 {
		x.report(kindBranch, "the branch depends on a secret (%s)", x.source(o))
	}
	x.fork(s, cond)
}

func armExec(x *run, s *state, in *instruction) {
	cond := ""
	flags := false
	for _, suffix := range in.Suffix {
		if c, ok := machine.Conditions[suffix]; ok {
			cond = c
		}
		flags = flags || suffix == "S"
	}
	if cond == "" {
		armDo(x, s, in, flags)
		return
	}
	if holds, decided := x.decide(s.last, cond); decided {
		if holds {
			armDo(x, s, in, flags)
		}
		return
	}
	before := s.clone()
	x.guard = s.readFlags(conditionFlags(cond))
	armDo(x, s, in, flags)
	s.join(before)
}

func armDo(x *run, s *state, in *instruction, flags bool) {
	sp := in.spec
	n := len(in.Args)
	var last *machine.Operand
	if n > 0 {
		last = &in.Args[n-1]
	}
	set := *sp
	if flags {
		set.flags |= writesCarry | writesOverflow | writesZero
	}
	width := sp.width
	switch sp.op {
	case "mov", "movx":
		from := &in.Args[0]
		var v value
		if from.Kind == machine.KindMem {
			v = x.load(s, x.place(s, in, from), width)
			x.step(s, in, from, true)
		} else {
			v = x.read(s, from, 4)
		}
		if last.Kind == machine.KindMem {
			x.store(s, x.place(s, in, last), width, truncate(v, width, 4), false)
			x.step(s, in, last, true)
			return
		}
		if sp.op == "movx" && !v.isConstant() {
			v = value{secret: v.secret, m: 1}
		}
		x.write(s, last, 4, truncate(v, 4, 4), false)
		x.setFlags(s, &set, v.secret, compared{kind: 'd', a: v, width: 4})
		return
	case "movm":
		armMany(x, s, in)
		return
	case "add", "sub", "rsb", "and", "or", "xor", "bic":
		a := x.read(s, &in.Args[0], 4)
		b := x.read(s, last, 4)
		if n == 3 {
			b = x.read(s, &in.Args[1], 4)
		}
		if sp.op == "xor" && sameRegister(&in.Args[0], &in.Args[n-2+n%2]) && n == 2 {
			a, b = value{}, value{}
		}
		op := sp.op
		if op == "rsb" {
			a, b, op = b, a, "sub"
		}
		v := compute(op, a, b)
		if v.isConstant() {
			v.c = int64(int32(v.c))
		}
		if op == "and" || op == "bic" {
			x.aligned(v, a, op)
		}
		x.write(s, last, 4, v, false)
		c := compared{kind: 'd', a: v, width: 4}
		switch op {
		case "sub":
			c = compared{kind: 's', a: b, b: a, width: 4}
		case "add":
			c.kind = 'a'
		}
		x.setFlags(s, &set, v.secret, c)
		return
	case "cmp":
		a, b := x.read(s, &in.Args[0], 4), x.read(s, &in.Args[1], 4)
		c := compared{kind: 's', a: b, b: a, width: 4}
		if in.Args[1].Kind == machine.KindReg {
			c.reg = in.Args[1].Reg + 1
		}
		x.setFlags(s, &set, joinOrigin(a.secret, b.secret), c)
		return
	case "memory":
		armMemory(x, s, in)
		return
	case "vload":
		a := x.place(s, in, &in.Args[0])
		each, total := armBytes(in.Op, last)
		for i := range last.List {
			w := x.load(s, add(a, constant(int64(i)*each)), each)
			if each != 16 { // words of all registers alternate
				w = x.load(s, a, total)
			}
			x.write(s, &last.List[i], 16, value{secret: w.secret, m: 1}, false)
		}
		x.stepVector(s, in, &in.Args[0], total)
		return
	case "vstore":
		a := x.place(s, in, last)
		each, total := armBytes(in.Op, &in.Args[0])
		all := x.read(s, &in.Args[0], 16)
		for i := range in.Args[0].List {
			v := x.read(s, &in.Args[0].List[i], 16)
			if each != 16 {
				v = all
			}
			x.store(s, add(a, constant(int64(i)*each)), each, value{secret: v.secret, m: 1}, false)
		}
		x.stepVector(s, in, last, total)
		return
	case "vec":
		if strings.HasPrefix(in.Op, "VEOR") && sameRegister(&in.Args[0], &in.Args[1]) && in.Args[0].Text == in.Args[1].Text {
			x.write(s, last, 4, anything, false)
			return
		}
	}
	in2 := *in
	in2.spec = &set
	x.operate(s, &in2)
}

// armBytes returns how many bytes VLD1 and the like move for each register of a list, and for all.
func armBytes(op string, o *machine.Operand) (perRegister, total int64) {
	if perRegister = 16; op[3] == '4' {
		perRegister = 8
	}
	return perRegister, perRegister * int64(len(o.List))
}

// armMany is MOVM: words to or from the registers of a list.
func armMany(x *run, s *state, in *instruction) {
	list, place := &in.Args[0], &in.Args[1]
	loads := place.Kind == machine.KindList
	if loads {
		list, place = place, list
	}
	at := s.regs[place.Base]
	size := int64(4 * len(list.List))
	decrement, before := false, false
	for _, suffix := range in.Suffix {
		switch suffix {
		case "DB", "DA":
			decrement, before = true, suffix == "DB"
		case "IB":
			before = true
		}
	}
	start := at
	switch {
	case decrement && before:
		start = add(at, constant(-size))
	case decrement:
		start = add(at, constant(4-size))
	case before:
		start = add(at, constant(4))
	}
	for i := range list.List {
		a := add(start, constant(int64(4*i)))
		if loads {
			x.write(s, &list.List[i], 4, x.load(s, a, 4), false)
		} else {
			x.store(s, a, 4, x.read(s, &list.List[i], 4), false)
		}
	}
	for _, suffix := range in.Suffix {
		if suffix != "W" {
			continue
		}
		if decrement {
			size = -size
		}
		s.regs[place.Base] = add(at, constant(size))
	}
}

// armMemory executes loads and stores that are macros.
func armMemory(x *run, s *state, in *instruction) {
	switch in.Op {
	case "LDRD", "STRD":
		offset, base, first := in.Args[0].Imm, in.Args[1].Reg, in.Args[2].Reg
		if in.Op == "STRD" {
			first, offset, base = in.Args[0].Reg, in.Args[1].Imm, in.Args[2].Reg
		}
		a := add(s.regs[base], constant(offset))
		for i := range 2 {
			if in.Op == "LDRD" {
				s.regs[first+i] = x.load(s, add(a, constant(int64(4*i))), 4)
			} else {
				x.store(s, add(a, constant(int64(4*i))), 4, s.regs[first+i], false)
			}
		}
		return
	}
	m := machine.Accesses[in.Op]
	var base, increment, vector int
	increment = -1
	loads := strings.HasPrefix(in.Op, "VLD")
	if loads {
		vector = len(in.Args) - 1
		base = vector - 1
		if vector == 2 {
			increment = 0
		}
	} else {
		base = len(in.Args) - 1
		if base == 2 {
			increment = 1
		}
	}
	first := in.Args[vector].Reg
	if in.Args[vector].Shape == 'q' {
		first *= 2
	}
	address := &in.Args[base]
	a := s.regs[address.Reg]
	each := int64(m.Bytes / m.Count)
	for i := range m.Count {
		d := first + i*m.Every
		switch {
		case loads && m.Width > 0:
			s.regs[firstVector+d] = value{secret: x.load(s, a, m.Width).secret, m: 1}
		case loads:
			s.regs[firstVector+d] = value{secret: x.load(s, add(a, constant(int64(i)*each)), each).secret, m: 1}
		default:
			x.store(s, add(a, constant(int64(i)*each)), each, value{secret: s.regs[firstVector+d].secret, m: 1}, false)
		}
	}
	switch {
	case m.After > 0:
		s.regs[address.Reg] = add(a, constant(m.After))
	case m.After < 0:
		s.regs[address.Reg] = add(a, s.regs[in.Args[increment].Reg])
	}
}
