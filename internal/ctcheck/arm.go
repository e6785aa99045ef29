package ctcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// The times: ARM's technical reference manuals from ARM11 on give one number of cycles
// for additions, shifts by constants, multiplications without flags, and NEON. ARM7 and
// ARM9 end a multiplication early if an operand is small (GOARM=5; see SECURITY.md). A
// division takes longer for larger quotients.
const armSource = "ARM's technical reference manuals, ARM11 to Cortex-A"

const armTable = `
mov rw 4 -: MOVW
movx rw 2 -: MOVH MOVHU
movx rw 1 -: MOVB MOVBU MOVBS
movm rw 4 -: MOVM
add rrw|rm 4 -: ADD
sub rrw|rm 4 -: SUB
rsb rrw|rm 4 -: RSB
and rrw|rm 4 -: AND
or rrw|rm 4 -: ORR
xor rrw|rm 4 -: EOR
bic rrw|rm 4 -: BIC
alu rrw|rm 4 C: ADC SBC RSC
alu rrw|rm 4 -: SLL SRL SRA MUL MULLU MULL
alu rw 4 -: MVN REV CLZ
alu rrrw 4 -: MULA
alu rrm 4 -: MULALU MULAL
div rrw|rm 4 -: DIV DIVU DIVUHW DIVHW MOD MODU
cmp rr 4 w: CMP
alu rr 4 w: CMN
alu rr 4 l: TEQ
test rr 4 l: TST
branch r 4 -: BEQ BNE BCS BHS BCC BLO BMI BPL BVS BVC BHI BLS BGE BLT BGT BLE
jump r 4 -: B JMP
call r 4 -: BL CALL
ret r 4 -: RET
vec rrw 16 -: VEOR VAND VORR VADD VTST VSHL VSHR VSSHR VTBL VMULL
vec rw 16 -: VMOV VMOVI VDUP VREV16 VREV32 VREV64 AESMC AESIMC
vec rrrw 16 -: VEXT
vec rrm 16 -: VBIT VBIF VSLI VSRI
vec rm 16 -: AESE AESD
vec mm 16 -: VTRN VSWP
vload rw 16 -: VLD1 VLD4
vstore rw 16 -: VST1 VST4
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
			s.op, s.roles = "memory", "w"
			s.open = true
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
	a.refuse = armRefuse
	arches[a.Name] = a
}

func armBranch(x *run, s *state, in *instruction) {
	cond := machine.Conditions[in.Op[1:]]
	if o := s.readFlags(conditionFlags(cond)); o != 0 {
		x.report(kindBranch, "the branch depends on a secret (%s)", x.source(o))
	}
	x.fork(s, cond, true)
}

// armRefuse knows suffixes: one condition, S of what computes, a step of the address (P or W)
// of loads and stores, and one order of MOVM. It knows no memory with an index but that of NEON
// after a step, and nothing that reads or writes R15: that would be a jump.
func armRefuse(in *instruction) string {
	if mentions(in, 15) {
		return "what reads or writes R15 is not followed"
	}
	sp, why := in.spec, ""
	memory, shifted := 0, 0
	operands(in, func(o *machine.Operand) {
		switch {
		case o.Kind == machine.KindMem:
			memory++
			if o.Index >= 0 && (sp.op != "vload" && sp.op != "vstore" || o.Scale != 1) {
				why = "an index in an address is not known"
			}
		case o.Kind == machine.KindName, o.Kind == machine.KindReg && o.Shape == 'r' && (o.Arrangement != "" || o.Lane):
			why = "this operand is not known"
		case o.Shift == "@>" && o.ShiftReg < 0 && o.ShiftBy == 0:
			why = "a rotation through the carry"
		case o.Shift != "":
			shifted++
		case o.Shape == 'q' && o.Lane && o.Text != fmt.Sprintf("Q%d.D[%d]", o.Reg, o.LaneIndex&1):
			why = "parts of vectors are D registers"
		}
	})
	if why != "" || in.Macro {
		return why
	}
	conditions, order, steps, sets, others := 0, 0, 0, 0, 0
	for _, suffix := range in.Suffix {
		switch _, condition := machine.Conditions[suffix]; {
		case condition:
			conditions++
		case suffix == "S":
			sets++
		case suffix == "P" || suffix == "W":
			steps++
		case suffix == "IA" || suffix == "IB" || suffix == "DA" || suffix == "DB":
			order++
		default:
			others++
		}
	}
	bad := "this suffix is not known"
	if conditions > 1 || sets > 1 || steps > 1 || order > 1 {
		return bad
	}
	switch sp.op {
	case "movm":
		list, place := &in.Args[0], &in.Args[1]
		if place.Kind == machine.KindList {
			list, place = place, list
		}
		if list.Kind != machine.KindList || place.Kind != machine.KindMem || place.Pseudo != "" || place.Imm != 0 || place.Base < 0 {
			return "this form of MOVM is not known"
		}
		if order != 1 || sets+others > 0 || slices.Contains(in.Suffix, "P") {
			return bad
		}
		if steps > 0 && slices.ContainsFunc(list.List, func(o machine.Operand) bool { return o.Reg == place.Base }) {
			return "a register is in the list and changed by the instruction"
		}
		return ""
	case "mov", "movx":
		if order+others > 0 || steps != 0 && memory != 1 || sets > 0 && (memory > 0 || sp.op == "movx") || memory > 0 && shifted > 0 || memory > 1 {
			return bad
		}
		return ""
	case "vload", "vstore":
		if order+others+conditions+sets > 0 || slices.Contains(in.Suffix, "W") {
			return bad
		}
		return ""
	case "vec":
		// Suffixes are the size of elements.
		if order+steps+conditions+sets > 0 || len(in.Suffix) > 1 {
			return bad
		}
	default:
		if order+steps+others > 0 || sets > 0 && sp.flags&^readsCarry != 0 {
			return bad
		}
	}
	if memory > 0 {
		return "an operand in memory"
	}
	if shifted > 1 || shifted > 0 && in.Args[0].Shift == "" {
		return "this operand cannot be shifted"
	}
	return ""
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
		switch in.Op {
		case "ADD", "SUB", "RSB", "ADC", "SBC", "RSC":
			set.flags |= writesCarry | writesOverflow | writesZero
		default:
			set.flags |= writesLogic | writesZero
		}
	}
	if x.guard != 0 && sp.time != timeConstant {
		x.report(kindTime, "whether this takes its time depends on a secret (%s)", x.source(x.guard))
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
		if sp.op == "xor" && sameRegister(&in.Args[0], &in.Args[1]) {
			a, b = value{}, value{}
		}
		op := sp.op
		if op == "rsb" {
			a, b, op = b, a, "sub"
		}
		v := truncate(compute(op, a, b), 4, 4)
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
	// The lowest register is at the lowest address.
	registers := slices.SortedFunc(slices.Values(list.List), func(a, b machine.Operand) int { return cmp.Compare(a.Reg, b.Reg) })
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
	for i := range registers {
		a := add(start, constant(int64(4*i)))
		if loads {
			x.write(s, &registers[i], 4, x.load(s, a, 4), false)
		} else {
			x.store(s, a, 4, x.read(s, &registers[i], 4), false)
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
