package ctcheck

import (
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// The times: Arm Architecture Reference Manual (DDI 0487), PSTATE.DIT, lists the
// instructions whose time must not depend on their operands with DIT set: integer
// arithmetic, logic and multiplication, AES, SHA, polynomial multiplication, TBL, and
// moves, SM3 and SM4. Divisions are not in it. Without DIT the optimization guides of Arm's cores
// give one latency for each of them.
const arm64Source = "Arm Architecture Reference Manual, PSTATE.DIT"

const arm64Table = `
mov rw 8 -: MOVD
mov rw 4 -: MOVWU
movx rw 4 -: MOVW
movx rw 2 -: MOVH MOVHU
movx rw 1 -: MOVB MOVBU
pair rw 8 -: LDP
pair rw 4 -: LDPW
pairstore rw 8 -: STP
pairstore rw 4 -: STPW
add rrw|rm 8 -: ADD
add rrw|rm 4 -: ADDW
add rrw|rm 8 w: ADDS
add rrw|rm 4 w: ADDSW
sub rrw|rm 8 -: SUB
sub rrw|rm 4 -: SUBW
sub rrw|rm 8 w: SUBS
sub rrw|rm 4 w: SUBSW
and rrw|rm 8 -: AND
and rrw|rm 4 -: ANDW
and rrw|rm 8 w: ANDS
or rrw|rm 8 -: ORR
or rrw|rm 4 -: ORRW
xor rrw|rm 8 -: EOR
xor rrw|rm 4 -: EORW
bic rrw|rm 8 -: BIC
alu rrw|rm 4 -: BICW LSLW LSRW RORW
shl rrw|rm 8 -: LSL
shr rrw|rm 8 -: LSR
alu rrw|rm 8 -: ASR ROR ORN EON
system rw 8 -: MRS
alu rw 8 -: NEG MVN CLZ RBIT REV REV16 REV32 UXTW SXTW UXTB UXTH
alu rw 4 -: NEGW MVNW CLZW REVW
alu rrrw 8 -: EXTR UBFX SBFX UBFIZ SBFIZ
alu rrrw 4 -: EXTRW UBFXW
alu rrrm 8 -: BFI BFXIL
alu rw 8 w: NEGS
alu rrw|rm 8 C: ADC SBC
alu rw 8 C: NGC
alu rrw|rm 4 C: ADCW SBCW
alu rrw|rm 8 Cw: ADCS SBCS
alu rw 8 Cw: NGCS
cmp rr 8 w: CMP
cmp rr 4 w: CMPW
alu rr 8 w: CMN
test rr 8 w: TST
test rr 4 w: TSTW
csel rrrw 8 -: CSEL CSINC CSINV CSNEG
csel rrw 8 -: CINC CINV CNEG
csel rw 8 -: CSET CSETM
csel rrrw 4 -: CSELW CSINCW
csel rw 4 -: CSETW
alu rrw|rm 8 -: MUL UMULH SMULH MNEG UMULL SMULL
alu rrrw 8 -: MADD MSUB UMADDL
alu rrw|rm 4 -: MULW
alu rrrw 4 -: MADDW MSUBW
alu rrw|rm 8 -: UDIV SDIV
alu rrw|rm 4 -: UDIVW SDIVW
branch rr 8 -: CBZ CBNZ
branch rr 4 -: CBZW CBNZW
branch rrr 8 -: TBZ TBNZ
branch r 8 Z: BEQ BNE BMI BPL
branch r 8 C: BCS BHS BCC BLO
branch r 8 CZ: BHI BLS
branch r 8 OZ: BGE BLT BGT BLE
jump r 8 -: B JMP
call r 8 -: BL CALL
ret r 8 -: RET
vec rw 16 -: VMOVI VNOT VREV16 VREV32 VREV64 VRBIT VADDV VUADDLV VUXTL VUXTL2 VCNT VNEG VXTN AESMC AESIMC VDUP SHA1H
vec rrw 16 -: VADD VSUB VEOR VAND VORR VBIC VORN VSHL VUSHR VSSHR VUSHLL VUSHLL2 VSHRN VZIP1 VZIP2 VUZP1 VUZP2 VTRN1 VTRN2 VCMEQ VCMTST VCMHI VCMHS VCMGT VCMGE VPMULL VPMULL2 VUMAX VUMIN VADDP VTBL VRAX1 VMUL VUMULL VUMULL2 SM4EKEY
vec rrrw 16 -: VEXT VEOR3 VXAR VBCAX SM3SS1
vec rm 16 -: AESE AESD SHA256SU0 SHA512SU0 VXTN2 SM4E
vec rrm 16 -: VSRI VSLI VTBX VBIT VBIF VBSL VUSRA SHA256H SHA256H2 SHA256SU1 SHA512H SHA512H2 SHA512SU1 VUMLAL VUMLAL2 VMLA VMLS VSHRN2 SM3TT1A SM3TT1B SM3TT2A SM3TT2B SM3PARTW1 SM3PARTW2
vmov rw 16 -: VMOV
vload rw 16 -: VLD1 VLD1R VLD2 VLD2R VLD3 VLD3R VLD4 VLD4R
vstore rw 16 -: VST1 VST2 VST3 VST4
fmov rw 16 -: FMOVQ
fmov rw 8 -: FMOVD
fmov rw 4 -: FMOVS
fpair rw 16 -: FLDPQ
fpair rw 8 -: FLDPD
fpairstore rw 16 -: FSTPQ
fpairstore rw 8 -: FSTPD
`

func init() {
	a := &arch{Arch: machine.Arches["arm64"], source: arm64Source}
	a.table = table(arm64Table)
	for _, n := range strings.Fields("UDIV SDIV UDIVW SDIVW") {
		a.table[n].time = timeOperands
	}
	for _, n := range strings.Fields("MUL UMULH SMULH MADD MSUB MNEG UMULL SMULL UMADDL MULW MADDW MSUBW VMUL VMLA VMLS VUMULL VUMULL2 VUMLAL VUMLAL2") {
		a.table[n].time = timeMultiply
	}
	a.exec, a.branch = arm64Exec, arm64Branch
	a.readVector = func(s *state, o *machine.Operand) origin { return s.regs[firstVector+o.Reg].secret }
	a.writeVector = func(s *state, o *machine.Operand, v origin, merge bool, in *instruction) {
		if merge || o.Lane {
			v = joinOrigin(v, s.regs[firstVector+o.Reg].secret)
		}
		s.regs[firstVector+o.Reg] = value{secret: v, m: 1}
	}
	a.vectorWidth = func(*instruction) int64 { return 16 }
	a.refuse = arm64Refuse
	arches[a.Name] = a
}

// arm64Temporary is a register that the assembler uses for large numbers.
const arm64Temporary = 27

// arm64Refuse knows a step of the address (.P, .W) of loads and stores, lists of whole vectors,
// and second sources that are shifted or extended.
func arm64Refuse(in *instruction) string {
	if mentions(in, arm64Temporary) {
		return "the assembler uses R27"
	}
	memory, vector, shaped := 0, false, 0
	operands(in, func(o *machine.Operand) {
		switch {
		case o.Kind == machine.KindMem:
			memory++
			vector = vector || o.Index >= 0 && o.Scale != 1
		case o.Kind == machine.KindReg && o.Shape == 'r' && (o.Shift != "" || o.Arrangement != ""):
			shaped++
		case o.Kind == machine.KindReg && o.Shape == 'v' && o.Shift != "":
			shaped += 2
		}
	})
	if vector {
		return "an index with a scale"
	}
	step := len(in.Suffix) == 1 && (in.Suffix[0] == "P" || in.Suffix[0] == "W")
	switch in.spec.op {
	case "add", "sub", "and", "or", "xor", "bic", "cmp", "test", "alu":
		if shaped > 1 || shaped == 1 && in.Args[0].Shift == "" && in.Args[0].Arrangement == "" {
			return "this operand cannot be shifted"
		}
	default:
		if shaped > 0 {
			return "this operand cannot be shifted"
		}
	}
	switch in.spec.op {
	case "mov", "movx", "fmov", "pair", "pairstore", "fpair", "fpairstore":
		if len(in.Suffix) > 0 && (!step || memory != 1) {
			return "this suffix is not known"
		}
	case "vload", "vstore":
		if len(in.Suffix) > 0 && (!step || in.Suffix[0] != "P") {
			return "this suffix is not known"
		}
		for i := range in.Args {
			if o := &in.Args[i]; o.Kind == machine.KindReg || len(o.List) > 0 && o.List[0].Lane {
				return "parts of vectors in memory are not followed"
			}
			for j, o := range in.Args[i].List {
				if o.Reg != (in.Args[i].List[0].Reg+j)%32 {
					return "the registers do not follow each other"
				}
			}
		}
	default:
		if len(in.Suffix) > 0 {
			return "this suffix is not known"
		}
	}
	if a := &in.Args[0]; len(in.Args) > 1 && a.Kind == machine.KindImm && in.spec.op == "vec" {
		// The assembler makes another instruction of a distance that is too large or negative.
		size, low, high := int64(arm64Elements[in.Args[1].Arrangement]), int64(0), int64(0)
		switch strings.TrimSuffix(in.Op, "2") {
		case "VSHL", "VSLI", "VUSHLL":
			high = size - 1
		case "VUSHR", "VSSHR", "VSRI", "VUSRA":
			low, high = 1, size
		case "VSHRN":
			low, high = 1, size/2
		case "VEXT":
			high = 15
		default:
			low, high = a.Imm, a.Imm
		}
		if a.Imm < low || a.Imm > high {
			return "this number is not possible"
		}
	}
	if memory > 1 || memory > 0 && !slices.Contains(arm64Memory, in.spec.op) {
		return "an operand in memory"
	}
	return ""
}

// arm64Elements are the bits of elements.
var arm64Elements = map[string]int{"B8": 8, "B16": 8, "H4": 16, "H8": 16, "S2": 32, "S4": 32, "D1": 64, "D2": 64}

// arm64Memory are what may have an operand in memory.
var arm64Memory = strings.Fields("mov movx fmov pair pairstore fpair fpairstore vload vstore prefetch")

func arm64Branch(x *run, s *state, in *instruction) {
	switch in.Op {
	case "CBZ", "CBNZ", "CBZW", "CBNZW", "TBZ", "TBNZ":
		reg := &in.Args[len(in.Args)-2]
		v := x.read(s, reg, in.spec.width)
		if v.secret != 0 {
			x.report(kindBranch, "the branch depends on a secret (%s)", x.source(v.secret))
		}
		s.last = compared{}
		if v.secret == 0 && in.Op[0] == 'C' {
			s.last = compared{kind: 's', a: v, width: in.spec.width, reg: reg.Reg + 1}
			if in.spec.width != 8 {
				s.last.reg = 0
			}
		}
		cond := "eq"
		if strings.HasPrefix(in.Op, "CBN") || in.Op == "TBNZ" {
			cond = "ne"
		}
		x.fork(s, cond, false)
		return
	}
	if o := s.readFlags(in.spec.flags); o != 0 {
		x.report(kindBranch, "the branch depends on a secret (%s)", x.source(o))
	}
	x.fork(s, machine.Conditions[in.Op[1:]], true)
}

// step is the number that a suffix adds to the base of an address: before (W) or after (P) the
// access.
func (x *run) step(s *state, in *instruction, o *machine.Operand, done bool) {
	for _, suffix := range in.Suffix {
		if suffix == "P" && done || suffix == "W" && !done {
			v := add(s.regs[o.Base], constant(o.Imm))
			if o.Index >= 0 {
				v = add(s.regs[o.Base], scaled(s.regs[o.Index], o.Scale))
			}
			s.regs[o.Base] = v
		}
	}
}

// place is the address of an operand, with what suffixes say.
func (x *run) place(s *state, in *instruction, o *machine.Operand) value {
	for _, suffix := range in.Suffix {
		if suffix == "P" || suffix == "W" {
			x.step(s, in, o, false)
			return s.regs[o.Base]
		}
	}
	return x.address(s, o)
}

func arm64Exec(x *run, s *state, in *instruction) {
	sp := in.spec
	n := len(in.Args)
	var last *machine.Operand
	if n > 0 {
		last = &in.Args[n-1]
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
			v = x.read(s, from, 8)
		}
		if last.Kind == machine.KindMem {
			x.store(s, x.place(s, in, last), width, truncate(v, width, 8), false)
			x.step(s, in, last, true)
			return
		}
		if sp.op == "movx" && !v.isConstant() {
			v = value{secret: v.secret, m: 1}
		}
		x.write(s, last, 8, truncate(v, width, 8), false)
		return
	case "pair", "fpair":
		a := x.place(s, in, &in.Args[0])
		for i := range last.List {
			x.write(s, &last.List[i], 8, x.load(s, add(a, constant(int64(i)*width)), width), false)
		}
		x.step(s, in, &in.Args[0], true)
		return
	case "pairstore", "fpairstore":
		a := x.place(s, in, last)
		for i := range in.Args[0].List {
			x.store(s, add(a, constant(int64(i)*width)), width, x.read(s, &in.Args[0].List[i], width), false)
		}
		x.step(s, in, last, true)
		return
	case "fmov":
		if in.Args[0].Kind == machine.KindMem {
			x.write(s, last, width, x.load(s, x.place(s, in, &in.Args[0]), width), false)
			x.step(s, in, &in.Args[0], true)
		} else if last.Kind == machine.KindMem {
			x.store(s, x.place(s, in, last), width, x.read(s, &in.Args[0], width), false)
			x.step(s, in, last, true)
		} else {
			x.operate(s, in)
		}
		return
	case "vload":
		a := x.place(s, in, &in.Args[0])
		each, total := vectorBytes(in.Op, last)
		part := in.Op != "VLD1" // elements of all registers alternate
		for i := range last.List {
			w := x.load(s, add(a, constant(int64(i)*each)), each)
			if part {
				w = x.load(s, a, total)
			}
			x.write(s, &last.List[i], each, value{secret: w.secret, m: 1}, last.List[i].Lane || last.Lane)
		}
		x.stepVector(s, in, &in.Args[0], total)
		return
	case "vstore":
		a := x.place(s, in, last)
		each, total := vectorBytes(in.Op, &in.Args[0])
		all := x.read(s, &in.Args[0], each)
		for i := range in.Args[0].List {
			v := x.read(s, &in.Args[0].List[i], each)
			if in.Op != "VST1" {
				v = all
			}
			x.store(s, add(a, constant(int64(i)*each)), each, value{secret: v.secret, m: 1}, false)
		}
		x.stepVector(s, in, last, total)
		return
	case "vmov":
		v := x.read(s, &in.Args[0], 8)
		x.write(s, last, 8, value{secret: v.secret, m: 1}, last.Lane)
		return
	case "vec":
		var o origin
		for i := range n - 1 {
			o = joinOrigin(o, x.read(s, &in.Args[i], 8).secret)
		}
		if sp.role(n-1, n) == 'm' {
			o = joinOrigin(o, x.read(s, last, 8).secret)
		}
		if (in.Op == "VEOR" || in.Op == "VSUB") && n == 3 && sameRegister(&in.Args[0], &in.Args[1]) {
			o = 0
		}
		x.checkTime(sp, o)
		x.write(s, last, 16, value{secret: o, m: 1}, last.Lane)
		return
	case "add", "sub", "and", "or", "xor", "bic", "shl", "shr":
		if n < 2 || n > 3 {
			break
		}
		a := x.read(s, &in.Args[0], width)
		b := x.read(s, &in.Args[1], width)
		if n == 2 {
			b = x.read(s, last, width)
		}
		if sp.op == "xor" && n == 3 && sameRegister(&in.Args[0], &in.Args[1]) {
			a, b = value{}, value{}
		}
		v := compute(sp.op, a, b)
		if sp.op == "shl" || sp.op == "shr" {
			v = shift(sp.op, a, b, width)
		}
		v = truncate(v, width, 8)
		if sp.op == "and" || sp.op == "bic" {
			x.aligned(v, a, sp.op)
		}
		x.write(s, last, width, v, false)
		c := compared{kind: 'l', a: v, width: width}
		if sp.op == "sub" {
			c = compared{kind: 's', a: b, b: a, width: width}
		} else if sp.op == "add" {
			c.kind = 'a'
		}
		x.setFlags(s, sp, v.secret, c)
		return
	case "cmp":
		// CMP a, b compares b with a.
		a, b := x.read(s, &in.Args[0], width), x.read(s, &in.Args[1], width)
		c := compared{kind: 's', a: b, b: a, width: width}
		if in.Args[1].Kind == machine.KindReg && width == 8 {
			c.reg = in.Args[1].Reg + 1
		}
		x.setFlags(s, sp, joinOrigin(a.secret, b.secret), c)
		return
	case "csel":
		var o origin
		for i := range n - 1 {
			if in.Args[i].Kind == machine.KindName {
				o = joinOrigin(o, s.readFlags(conditionFlags(machine.Conditions[in.Args[i].Sym])))
			} else {
				o = joinOrigin(o, x.read(s, &in.Args[i], width).secret)
			}
		}
		x.write(s, last, width, value{secret: o, m: 1}, false)
		return
	}
	x.operate(s, in)
}

// aligned notes that an address was aligned.
func (x *run) aligned(v, mask value, op string) {
	if v.object != nil && mask.isConstant() {
		m := -mask.c
		if op == "bic" {
			m = mask.c + 1
		}
		x.align = max(x.align, m)
	}
}

// vectorBytes returns the bytes that an instruction loads or stores for each register of a
// list, and for all.
func vectorBytes(op string, o *machine.Operand) (perRegister, total int64) {
	perRegister = 16
	switch text := o.Text; {
	case strings.HasSuffix(op, "R"):
		perRegister = map[byte]int64{'B': 1, 'H': 2, 'S': 4, 'D': 8}[text[strings.IndexByte(text, '.')+1]]
	case strings.Contains(text, ".B8"), strings.Contains(text, ".H4"), strings.Contains(text, ".S2"), strings.Contains(text, ".D1"):
		perRegister = 8
	}
	return perRegister, perRegister * int64(len(o.List))
}

func (x *run) stepVector(s *state, in *instruction, o *machine.Operand, total int64) {
	for _, suffix := range in.Suffix {
		if suffix != "P" {
			continue
		}
		switch {
		case o.Index >= 0:
			x.step(s, in, o, true)
		default:
			s.regs[o.Base] = add(s.regs[o.Base], constant(total))
		}
	}
}
