package ctcheck

import (
	"fmt"
	"strings"
)

// The times: the RISC-V extensions Zkt and Zvkt list the instructions whose time must
// not depend on their operands: integer arithmetic, logic, shifts, rotations and
// multiplications, and those of vectors, with moves, slides by a public distance and
// permutations by public indices, but no divisions and no reductions. Look-ups inside
// registers by secret indices (vrgather.vv) are counted and printed: that their time is
// constant is not promised. A CPU that has neither promises nothing about any instruction.
const riscv64Source = "RISC-V, extensions Zkt and Zvkt"

// In Go's order of operands the destination is last. SUB a, b, c is c = b - a.
const riscv64Table = `
mov w 8 -: MOV
movw w 4 -: MOVW MOVWU
movx w 2 -: MOVH MOVHU
movx w 1 -: MOVB MOVBU
add w 8 -: ADD ADDI
add w 4 -: ADDW ADDIW
sub w 8 -: SUB
alu w 4 -: SUBW
and w 8 -: AND ANDI
or w 8 -: OR ORI
xor w 8 -: XOR XORI
shadd w 8 -: SH1ADD SH2ADD SH3ADD
shl w 8 -: SLL SLLI
shr w 8 -: SRL SRLI
alu w 8 -: SRA SRAI NEG NOT SLT SLTI SLTU SLTIU SEQZ SNEZ ANDN ORN XNOR ROR RORI ROL CPOP CLZ CTZ REV8 BREV8 SEXTB SEXTH ZEXTH
alu w 8 -: SLLW SLLIW SRLW SRLIW SRAW SRAIW NEGW RORW ROLW ADDUW SH1ADDUW SH2ADDUW SH3ADDUW BSETI BCLRI BEXTI
alu w 8 -: MUL MULH MULHU MULHSU MULW CLMUL CLMULH
alu w 8 -: DIV DIVU REM REMU DIVW DIVUW REMW REMUW
alu rrw 8 -: CZEROEQZ CZERONEZ
alu irw 8 -: RORIW
branch rr 8 -: BEQ BNE BLT BLTU BGE BGEU BGT BGTU BLE BLEU
branch r 8 -: BEQZ BNEZ BLTZ BGEZ BGTZ BLEZ
jump r 8 -: JMP J
call r 8 -: CALL JAL
ret r 8 -: RET
nop r 8 -: FENCE NOP
vsetvl w 8 -: VSETVLI VSETIVLI VSETVL
vload w 0 -: VLE8V VLE16V VLE32V VLE64V VLSEG2E32V VLSEG4E32V VLSEG8E32V VL1RE8V VLSEG2E64V VLSSEG4E8V
vstore w 0 -: VSE8V VSE16V VSE32V VSE64V VSSSEG8E32V VSSEG2E32V VSSEG4E32V VSSEG8E32V VSSEG4E8V VSSSEG4E8V
vec w 0 -: VADDVV VADDVX VADDVI VSUBVV VSUBVX VRSUBVX VRSUBVI VANDVV VANDVX VANDVI VORVV VORVX VORVI VXORVV VXORVX VXORVI VSLLVV VSLLVX VSLLVI VSRLVV VSRLVX VSRLVI VSRAVV VSRAVX VSRAVI VROLVV VROLVX VRORVV VRORVX VANDNVV VANDNVX VREV8V VBREV8V VMINUVV VMAXUVV VIDV VMULVV VMULVX VMULHUVV VMULHUVX VMULHVV VMVVV VMVVX VMVVI VSLIDEDOWNVI VRGATHERVV VRGATHERVX VRGATHERVI VCLMULVV VCLMULVX VCLMULHVV VCLMULHVX VMSEQVV VMSEQVX VMSEQVI VMSNEVV VMSLTUVV VAESZVS
vec m 0 -: VMACCVV VMACCVX VMADDVV VMADDVX VSLIDEUPVI VSLIDE1UPVX VAESEFVV VAESEFVS VAESEMVV VAESEMVS VAESDFVS VAESDMVS VGHSHVV VGMULVV VSM4RVS VSM3CVI
vecx m 0 -: VSLIDEUPVX VSLIDEDOWNVX
wide w 0 -: VWADDUVV VWADDUVX VWMULUVV VWMULUVX VWSUBUVV VZEXTVF2
wide m 0 -: VWMACCUVV VWMACCUVX VWADDUWV VWADDUWX
narrow w 0 -: VNSRLWI VNSRLWX VNSRLWV
red w 0 -: VREDSUMVS VREDORVS VREDXORVS
single w 8 -: VMVXS
tosingle w 8 -: VMVSX
rori w 0 -: VRORVI
`

// lengthMultiplier is where a state keeps the number of registers in a group: a mask
// of other architectures.
const lengthMultiplier = firstMask

var riscvSegments = map[string]int{"VLSEG2E32V": 2, "VLSEG2E64V": 2, "VLSEG4E32V": 4, "VLSEG8E32V": 8, "VSSEG2E32V": 2, "VSSEG4E32V": 4, "VSSEG8E32V": 8, "VSSSEG8E32V": 8, "VLSSEG4E8V": 4, "VSSEG4E8V": 4, "VSSSEG4E8V": 4}

func init() {
	a := &arch{name: "riscv64", ptr: 8, word: 4, zero: 0, saved: 8, sp: 2, stackAlign: 8, regs: map[string]register{}, names: map[string]bool{}, source: riscv64Source}
	for i := range 32 {
		a.regs[fmt.Sprintf("X%d", i)] = register{i, 'r'}
		a.regs[fmt.Sprintf("V%d", i)] = register{i, 'v'}
	}
	a.regs["ZERO"] = register{0, 'r'}
	for _, n := range strings.Fields("E8 E16 E32 E64 M1 M2 M4 M8 MF2 MF4 MF8 TA TU MA MU") {
		a.names[n] = true
	}
	a.table = table(riscv64Table)
	for n, s := range a.table {
		switch {
		case strings.HasPrefix(n, "DIV"), strings.HasPrefix(n, "REM"):
			s.time = timeOperands
		case strings.Contains(n, "MUL") || strings.Contains(n, "MACC") || strings.Contains(n, "MADD") || s.op == "red":
			s.time = timeMultiply
		}
	}
	a.exec, a.branch = riscvExec, riscvBranch
	a.readVector = func(s *state, o *operand) origin { return riscvGroup(s, o.reg, riscvMultiplier(s)) }
	a.writeVector = func(s *state, o *operand, v origin, merge bool, in *instruction) {
		riscvWrite(s, o.reg, riscvMultiplier(s), v, merge)
	}
	a.vectorWidth = func(*instruction) int64 { return 0 }
	a.macroArgs = riscvMacro
	a.disassembly = riscvDisassembly
	arches[a.name] = a
}

// riscvMacros are like armMacros, without the roles.
var riscvMacros = map[string][2]string{
	"RORIW":  {"irr", "roriw 2 1 0"},
	"VRORVI": {"ivv", "vror.vi 2 1 0"},
}

// riscvMacro makes operands of register numbers.
func riscvMacro(p *assembler, name []string) ([]operand, error) {
	m, ok := riscvMacros[name[0]]
	if !ok {
		return nil, fmt.Errorf("the macro is not in the table")
	}
	return numbered(name, m[0])
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
		o := operand{kind: kindReg, text: strings.Join(arg, ""), reg: int(v), shape: kinds[len(list)], base: -1, index: -1, by: -1}
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

func riscvMultiplier(s *state) int {
	if v := s.regs[lengthMultiplier]; v.isConstant() && v.c > 0 {
		return int(v.c &^ riscvUndisturbed)
	}
	return 8
}

// riscvUndisturbed is added to the multiplier if elements behind the vector's length
// keep their values. If they are agnostic, no program can rely on what they are.
const riscvUndisturbed = 1 << 8

func riscvGroup(s *state, reg, n int) origin {
	var o origin
	for i := reg; i < min(reg+n, 32); i++ {
		o = joinOrigin(o, s.regs[firstVector+i].secret)
	}
	return o
}

func riscvWrite(s *state, reg, n int, v origin, merge bool) {
	if m := s.regs[lengthMultiplier]; !m.isConstant() || m.c&riscvUndisturbed != 0 {
		merge = true
	}
	for i := reg; i < min(reg+n, 32); i++ {
		w := v
		if merge {
			w = joinOrigin(w, s.regs[firstVector+i].secret)
		}
		s.regs[firstVector+i] = value{secret: w, m: 1}
	}
}

func riscvBranch(x *run, s *state, in *instruction) {
	a := x.read(s, &in.args[0], 8)
	b := value{}
	op := strings.TrimSuffix(in.op, "Z")
	if len(in.args) == 3 {
		b = x.read(s, &in.args[1], 8)
	}
	if o := joinOrigin(a.secret, b.secret); o != 0 {
		x.report(kindBranch, "the branch depends on a secret (%s)", x.source(o))
		s.last = compared{}
	} else {
		s.last = compared{kind: 's', a: a, b: b, width: 8, reg: in.args[0].reg + 1}
	}
	cond := map[string]string{"BEQ": "eq", "BNE": "ne", "BLT": "lt", "BLTU": "lo", "BGE": "ge", "BGEU": "hs", "BGT": "gt", "BGTU": "hi", "BLE": "le", "BLEU": "ls"}[op]
	x.fork(s, cond)
}

func riscvExec(x *run, s *state, in *instruction) {
	sp := in.spec
	n := len(in.args)
	var last *operand
	if n > 0 {
		last = &in.args[n-1]
	}
	m := riscvMultiplier(s)
	switch sp.op {
	case "mov", "movw", "movx":
		v := x.read(s, &in.args[0], sp.width)
		if sp.op != "mov" && last.kind == kindReg {
			if !v.isConstant() || in.op == "MOVW" || in.op == "MOVB" || in.op == "MOVH" {
				v = value{secret: v.secret, m: 1}
			}
		}
		x.write(s, last, sp.width, v, false)
		return
	case "add", "sub", "and", "or", "xor", "shl", "shr":
		a := x.read(s, &in.args[0], 8)
		b := a
		if n == 3 {
			b = x.read(s, &in.args[1], 8)
		} else {
			b = x.read(s, last, 8)
		}
		if sp.op == "xor" && n == 3 && sameRegister(&in.args[0], &in.args[1]) {
			a, b = value{}, value{}
		}
		v := compute(sp.op, a, b)
		if sp.op == "and" {
			x.aligned(v, a, "and")
		}
		if sp.width != 8 {
			v = value{secret: v.secret, m: 1}
		}
		x.write(s, last, 8, v, false)
		return
	case "shadd":
		a, b := x.read(s, &in.args[0], 8), x.read(s, &in.args[1], 8)
		x.write(s, last, 8, add(a, scaled(b, 1<<(in.op[2]-'0'))), false)
		return
	case "vsetvl":
		v := x.read(s, &in.args[0], 8)
		if v.secret != 0 {
			x.report(kindTime, "the length of vectors depends on a secret (%s)", x.source(v.secret))
		}
		c := int64(8)
		for i := range in.args {
			switch in.args[i].sym {
			case "M1", "MF2", "MF4", "MF8":
				c = 1
			case "M2":
				c = 2
			case "M4":
				c = 4
			}
		}
		for i := range in.args {
			if in.args[i].sym == "TU" {
				c |= riscvUndisturbed
			}
		}
		s.regs[lengthMultiplier] = constant(c)
		if in.op == "VSETVL" { // of a register
			if v := x.read(s, &in.args[1], 8); v.secret != 0 {
				x.report(kindTime, "the length of vectors depends on a secret (%s)", x.source(v.secret))
			}
			s.regs[lengthMultiplier] = anything
		}
		x.write(s, last, 8, anything, false)
		return
	case "vload":
		// The place, a distance in bytes perhaps, and the destination.
		if n == 3 {
			x.checkAddress(x.read(s, &in.args[1], 8))
		}
		v := x.load(s, x.address(s, &in.args[0]), 0)
		riscvWrite(s, last.reg, m*max(riscvSegments[in.op], 1), v.secret, false)
		return
	case "vstore":
		// Sources, a distance in bytes perhaps, and the place.
		o := riscvGroup(s, in.args[0].reg, m*max(riscvSegments[in.op], 1))
		if n == 3 {
			x.checkAddress(x.read(s, &in.args[1], 8))
		}
		x.store(s, x.address(s, last), 0, value{secret: o, m: 1}, false)
		return
	case "vec", "vecx", "wide", "narrow", "red", "rori", "single", "tosingle":
		var o origin
		for i := range n - 1 {
			a := &in.args[i]
			switch {
			case a.kind != kindReg:
			case a.shape == 'r':
				v := x.read(s, a, 8)
				if sp.op == "vecx" && v.secret != 0 {
					x.report(kindTime, "the distance of a slide depends on a secret (%s)", x.source(v.secret))
				}
				o = joinOrigin(o, v.secret)
			default:
				g := m
				if sp.op == "narrow" && i == n-2 || in.op == "VWADDUWV" && i == n-2 {
					g = 2 * m
				}
				if sp.op == "single" {
					g = 1
				}
				o = joinOrigin(o, riscvGroup(s, a.reg, g))
			}
		}
		if in.op == "VXORVV" && sameRegister(&in.args[0], &in.args[1]) {
			o = 0
		}
		if sp.op == "single" {
			x.write(s, last, 8, value{secret: o, m: 1}, false)
			return
		}
		g := m
		merge := sp.role(n-1, n) == 'm'
		switch sp.op {
		case "wide":
			g = 2 * m
		case "red", "tosingle":
			g, merge = 1, true
		}
		if merge {
			o = joinOrigin(o, riscvGroup(s, last.reg, g))
		}
		if in.op == "VRGATHERVV" && riscvGroup(s, in.args[0].reg, m) != 0 {
			x.gathers = true
		}
		x.checkTime(sp, o)
		riscvWrite(s, last.reg, g, o, merge)
		return
	case "nop":
		return
	}
	x.operate(s, in)
}
