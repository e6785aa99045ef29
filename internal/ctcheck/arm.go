package ctcheck

import (
	"fmt"
	"strings"
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

// armMacros are the instructions that macros make from numbers: the kinds of their
// operands (i a constant, r d q registers), their roles, and what a disassembler calls
// them, with the operands by their index.
var armMacros = map[string][3]string{
	"VADDQ_I32":   {"qqq", "rrw", "vadd.i32 2 1 0"},
	"VADDD_I32":   {"ddd", "rrw", "vadd.i32 2 1 0"},
	"VADDD_I64":   {"ddd", "rrw", "vadd.i64 2 1 0"},
	"VEORQ":       {"qqq", "rrw", "veor 2 1 0"},
	"VANDQ":       {"qqq", "rrw", "vand 2 1 0"},
	"VANDD":       {"ddd", "rrw", "vand 2 1 0"},
	"VBICQ":       {"qqq", "rrw", "vbic 2 1 0"},
	"VMOVD":       {"dd", "rw", "vorr 1 0 0"},
	"VSHLQ_I32":   {"iqq", "irw", "vshl.i32 2 1 0"},
	"VSHLD_I32":   {"idd", "irw", "vshl.i32 2 1 0"},
	"VSHRQ_U32":   {"iqq", "irw", "vshr.u32 2 1 0"},
	"VSHRD_U32":   {"idd", "irw", "vshr.u32 2 1 0"},
	"VSHRQ_U64":   {"iqq", "irw", "vshr.u64 2 1 0"},
	"VSRIQ_32":    {"iqq", "irm", "vsri.32 2 1 0"},
	"VSRID_32":    {"idd", "irm", "vsri.32 2 1 0"},
	"VSRID_64":    {"idd", "irm", "vsri.64 2 1 0"},
	"VSRAQ_U64":   {"iqq", "irm", "vsra.u64 2 1 0"},
	"VREV32Q_16":  {"qq", "rw", "vrev32.16 1 0"},
	"VTRNQ_32":    {"qq", "mm", "vtrn.32 1 0"},
	"VSWPD":       {"dd", "mm", "vswp 1 0"},
	"VEXTQ_32":    {"iqqq", "irrw", "vext.32 3 2 1 0"},
	"VTBLD":       {"ddd", "rrw", "vtbl.8 2 {1} 0"},
	"VMULL_U32":   {"ddq", "rrw", "vmull.u32 2 1 0"},
	"VMLAL_U32":   {"ddq", "rrm", "vmlal.u32 2 1 0"},
	"VMULLX_U32":  {"iddq", "irrw", "vmull.u32 3 2 1[0]"},
	"VMLALX_U32":  {"iddq", "irrm", "vmlal.u32 3 2 1[0]"},
	"VMOVND_I64":  {"qd", "rw", "vmovn.i64 1 0"},
	"VMOVLQ_U32":  {"dq", "rw", "vmovl.u32 1 0"},
	"VBICQ_TOP":   {"iq", "im", "vbic.i32 1 0<<24"},
	"VBICD_TOP":   {"id", "im", "vbic.i32 1 0<<24"},
	"VORRQ_TOP":   {"iq", "im", "vorr.i32 1 0<<24"},
	"VORRD_TOP":   {"id", "im", "vorr.i32 1 0<<24"},
	"VMOVQ_LOW32": {"q", "w", "vmov.i64 0 #4294967295"},
	"VMOVD_LOW32": {"d", "w", "vmov.i64 0 #4294967295"},
	"UMAAL":       {"rrrr", "rrmm", "umaal 2 3 1 0"},
	"LDRD":        {"irr", "", "ldrd"},
	"STRD":        {"rir", "", "strd"},
	"VLD1Q":       {"rq", "", "vld1"}, "VLD1QP": {"rq", "", "vld1"}, "VLD1QX": {"rrq", "", "vld1"}, "VLD1Q_A": {"rq", "", "vld1"},
	"VST1Q": {"qr", "", "vst1"}, "VST1QP": {"qr", "", "vst1"}, "VST1Q_A": {"qr", "", "vst1"},
	"VLD1QQ": {"rq", "", "vld1"}, "VLD1QQP": {"rq", "", "vld1"}, "VLD1QQX": {"rrq", "", "vld1"},
	"VST1QQP": {"qr", "", "vst1"}, "VST1QQX": {"qrr", "", "vst1"},
	"VLD1D": {"rd", "", "vld1"}, "VST1D": {"dr", "", "vst1"}, "VST1D_LANE0": {"dr", "", "vst1"},
	"VLD1Q_DUP32P": {"rq", "", "vld1"}, "VLD1D_DUP32": {"rd", "", "vld1"},
	"VLD4D_32P": {"rd", "", "vld4"}, "VLD4D_DUP32": {"rd", "", "vld4"},
}

// An access is what a macro for memory does: bytes in memory, D registers, and the
// distance between these; how the address changes: by so many bytes, or -1 by a
// register.
type access struct {
	bytes, count, every int
	after               int64
	width               int64 // of the elements, if it loads one into all lanes
}

var armAccess = map[string]access{
	"VLD1Q": {16, 2, 1, 0, 0}, "VLD1QP": {16, 2, 1, 16, 0}, "VLD1QX": {16, 2, 1, -1, 0}, "VLD1Q_A": {16, 2, 1, 0, 0},
	"VST1Q": {16, 2, 1, 0, 0}, "VST1QP": {16, 2, 1, 16, 0}, "VST1Q_A": {16, 2, 1, 0, 0},
	"VLD1QQ": {32, 4, 1, 0, 0}, "VLD1QQP": {32, 4, 1, 32, 0}, "VLD1QQX": {32, 4, 1, -1, 0},
	"VST1QQP": {32, 4, 1, 32, 0}, "VST1QQX": {32, 4, 1, -1, 0},
	"VLD1D": {8, 1, 1, 0, 0}, "VST1D": {8, 1, 1, 0, 0}, "VST1D_LANE0": {4, 1, 1, 0, 0},
	"VLD1Q_DUP32P": {4, 2, 1, 4, 4}, "VLD1D_DUP32": {4, 1, 1, 0, 4},
	"VLD4D_32P": {32, 4, 2, 32, 32}, "VLD4D_DUP32": {16, 4, 2, 0, 16},
}

func init() {
	a := &arch{name: "arm", ptr: 4, word: 4, zero: -1, saved: 4, sp: 13, stackAlign: 4, regs: map[string]register{}, names: map[string]bool{}, source: armSource}
	for i := range 16 {
		a.regs[fmt.Sprintf("R%d", i)] = register{i, 'r'}
		a.regs[fmt.Sprintf("Q%d", i)] = register{i, 'q'} // in comments
	}
	a.table = table(armTable)
	for _, n := range strings.Fields("DIV DIVU DIVUHW DIVHW MOD MODU") {
		a.table[n].time = timeOperands
	}
	for _, n := range strings.Fields("MUL MULLU MULL MULA MULALU MULAL") {
		a.table[n].time = timeMultiply
	}
	for name, m := range armMacros {
		s := &spec{op: "vec", roles: m[1], width: 4}
		if m[1] == "" {
			s.op = "memory"
		}
		if strings.HasPrefix(name, "UMAAL") || strings.HasPrefix(name, "VMUL") || strings.HasPrefix(name, "VMLA") {
			s.time = timeMultiply
		}
		a.table[name] = s
	}
	a.exec, a.branch = armExec, armBranch
	a.readVector = func(s *state, o *operand) (v origin) {
		first, n := armHalves(o)
		for i := range n {
			v = joinOrigin(v, s.regs[firstVector+first+i].secret)
		}
		return v
	}
	a.writeVector = func(s *state, o *operand, v origin, merge bool, in *instruction) {
		first, n := armHalves(o)
		for i := first; i < first+n; i++ {
			w := v
			if merge {
				w = joinOrigin(w, s.regs[firstVector+i].secret)
			}
			s.regs[firstVector+i] = value{secret: w, m: 1}
		}
	}
	a.vectorWidth = func(*instruction) int64 { return 4 }
	a.macroArgs = func(p *assembler, name []string) ([]operand, error) {
		m, ok := armMacros[name[0]]
		if !ok {
			return nil, fmt.Errorf("the macro is not in the table")
		}
		return numbered(name, m[0])
	}
	a.disassembly = armDisassembly
	arches[a.name] = a
}

// armHalves returns which D registers an operand is: one, those of a Q register, or one of
// them, such as Q1.D[0].
func armHalves(o *operand) (first, n int) {
	switch {
	case o.shape == 'd':
		return o.reg, 1
	case o.lane:
		return 2*o.reg + strings.Count(o.text, "D[1]"), 1
	}
	return 2 * o.reg, 2
}

// numbered makes operands of numbers, by kinds: i a number, r or a vector a register.
func numbered(name []string, kinds string) ([]operand, error) {
	var list []operand
	var arg []string
	for _, t := range append(name[1:], ",") {
		if t != "," {
			arg = append(arg, t)
			continue
		}
		v, err := evaluate(arg)
		if err != nil {
			return nil, err
		}
		if len(list) == len(kinds) {
			return nil, fmt.Errorf("more than %d operands", len(kinds))
		}
		o := operand{kind: kindReg, text: strings.Join(arg, ""), reg: int(v), shape: kinds[len(list)], base: -1, index: -1, shiftReg: -1}
		if o.shape == 'i' {
			o.kind, o.imm = kindImm, v
		}
		list = append(list, o)
		arg = nil
	}
	if len(list) != len(kinds) {
		return nil, fmt.Errorf("less than %d operands", len(kinds))
	}
	return list, nil
}

func armBranch(x *run, s *state, in *instruction) {
	cond := armConditions[in.op[1:]]
	if o := s.readFlags(conditionFlags(cond)); o != 0 {
		x.report(kindBranch, "the branch depends on a secret (%s)", x.source(o))
	}
	x.fork(s, cond)
}

func armExec(x *run, s *state, in *instruction) {
	cond := ""
	flags := false
	for _, suffix := range in.suffix {
		if c, ok := armConditions[suffix]; ok {
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
	n := len(in.args)
	var last *operand
	if n > 0 {
		last = &in.args[n-1]
	}
	set := *sp
	if flags {
		set.flags |= writesCarry | writesOverflow | writesZero
	}
	width := sp.width
	switch sp.op {
	case "mov", "movx":
		from := &in.args[0]
		var v value
		if from.kind == kindMem {
			v = x.load(s, x.place(s, in, from), width)
			x.step(s, in, from, true)
		} else {
			v = x.read(s, from, 4)
		}
		if last.kind == kindMem {
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
		a := x.read(s, &in.args[0], 4)
		b := x.read(s, last, 4)
		if n == 3 {
			b = x.read(s, &in.args[1], 4)
		}
		if sp.op == "xor" && sameRegister(&in.args[0], &in.args[n-2+n%2]) && n == 2 {
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
		a, b := x.read(s, &in.args[0], 4), x.read(s, &in.args[1], 4)
		c := compared{kind: 's', a: b, b: a, width: 4}
		if in.args[1].kind == kindReg {
			c.reg = in.args[1].reg + 1
		}
		x.setFlags(s, &set, joinOrigin(a.secret, b.secret), c)
		return
	case "memory":
		armMemory(x, s, in)
		return
	case "vload":
		a := x.place(s, in, &in.args[0])
		each, total := armBytes(in.op, last)
		for i := range last.list {
			w := x.load(s, add(a, constant(int64(i)*each)), each)
			if each != 16 { // words of all registers alternate
				w = x.load(s, a, total)
			}
			x.write(s, &last.list[i], 16, value{secret: w.secret, m: 1}, false)
		}
		x.stepVector(s, in, &in.args[0], total)
		return
	case "vstore":
		a := x.place(s, in, last)
		each, total := armBytes(in.op, &in.args[0])
		all := x.read(s, &in.args[0], 16)
		for i := range in.args[0].list {
			v := x.read(s, &in.args[0].list[i], 16)
			if each != 16 {
				v = all
			}
			x.store(s, add(a, constant(int64(i)*each)), each, value{secret: v.secret, m: 1}, false)
		}
		x.stepVector(s, in, last, total)
		return
	case "vec":
		if strings.HasPrefix(in.op, "VEOR") && sameRegister(&in.args[0], &in.args[1]) && in.args[0].text == in.args[1].text {
			x.write(s, last, 4, anything, false)
			return
		}
	}
	in2 := *in
	in2.spec = &set
	x.operate(s, &in2)
}

// armBytes returns how many bytes VLD1 and the like move for each register of a list, and for all.
func armBytes(op string, o *operand) (perRegister, total int64) {
	if perRegister = 16; op[3] == '4' {
		perRegister = 8
	}
	return perRegister, perRegister * int64(len(o.list))
}

// armMany is MOVM: words to or from the registers of a list.
func armMany(x *run, s *state, in *instruction) {
	list, place := &in.args[0], &in.args[1]
	loads := place.kind == kindList
	if loads {
		list, place = place, list
	}
	at := s.regs[place.base]
	size := int64(4 * len(list.list))
	decrement, before := false, false
	for _, suffix := range in.suffix {
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
	for i := range list.list {
		a := add(start, constant(int64(4*i)))
		if loads {
			x.write(s, &list.list[i], 4, x.load(s, a, 4), false)
		} else {
			x.store(s, a, 4, x.read(s, &list.list[i], 4), false)
		}
	}
	for _, suffix := range in.suffix {
		if suffix != "W" {
			continue
		}
		if decrement {
			size = -size
		}
		s.regs[place.base] = add(at, constant(size))
	}
}

// armMemory executes loads and stores that are macros.
func armMemory(x *run, s *state, in *instruction) {
	switch in.op {
	case "LDRD", "STRD":
		offset, base, first := in.args[0].imm, in.args[1].reg, in.args[2].reg
		if in.op == "STRD" {
			first, offset, base = in.args[0].reg, in.args[1].imm, in.args[2].reg
		}
		a := add(s.regs[base], constant(offset))
		for i := range 2 {
			if in.op == "LDRD" {
				s.regs[first+i] = x.load(s, add(a, constant(int64(4*i))), 4)
			} else {
				x.store(s, add(a, constant(int64(4*i))), 4, s.regs[first+i], false)
			}
		}
		return
	}
	m := armAccess[in.op]
	var base, increment, vector int
	increment = -1
	loads := strings.HasPrefix(in.op, "VLD")
	if loads {
		vector = len(in.args) - 1
		base = vector - 1
		if vector == 2 {
			increment = 0
		}
	} else {
		base = len(in.args) - 1
		if base == 2 {
			increment = 1
		}
	}
	first := in.args[vector].reg
	if in.args[vector].shape == 'q' {
		first *= 2
	}
	address := &in.args[base]
	a := s.regs[address.reg]
	each := int64(m.bytes / m.count)
	for i := range m.count {
		d := first + i*m.every
		switch {
		case loads && m.width > 0:
			s.regs[firstVector+d] = value{secret: x.load(s, a, m.width).secret, m: 1}
		case loads:
			s.regs[firstVector+d] = value{secret: x.load(s, add(a, constant(int64(i)*each)), each).secret, m: 1}
		default:
			x.store(s, add(a, constant(int64(i)*each)), each, value{secret: s.regs[firstVector+d].secret, m: 1}, false)
		}
	}
	switch {
	case m.after > 0:
		s.regs[address.reg] = add(a, constant(m.after))
	case m.after < 0:
		s.regs[address.reg] = add(a, s.regs[in.args[increment].reg])
	}
}
