package ctcheck

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// The times: the RISC-V extensions Zkt and Zvkt list the instructions whose time must
// not depend on their operands: integer arithmetic, logic, shifts, rotations and
// multiplications, scalar cryptography, and instructions of vectors, with moves, slides
// by a public distance and permutations by public indices, but no divisions, no
// reductions and no masks. Cryptography of vectors (Zvk) promises the same for itself.
// Look-ups inside registers by secret indices (vrgather.vv) are counted and printed: that
// their time is constant is not promised. A CPU that has none of these extensions
// promises nothing about any instruction.
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
alu w 8 -: SRA SRAI NEG NOT SLT SLTI SLTU SLTIU SEQZ SNEZ ANDN ORN XNOR ROR RORI ROL CPOP CLZ CTZ REV8 BREV8 ORCB SEXTB SEXTH ZEXTH MIN MINU MAX MAXU PACK PACKH PACKW XPERM4 XPERM8
alu w 8 -: SLLW SLLIW SLLIUW SRLW SRLIW SRAW SRAIW NEGW RORW RORIW ROLW CLZW CTZW CPOPW ADDUW SH1ADDUW SH2ADDUW SH3ADDUW BSETI BCLRI BEXTI
alu w 8 -: MUL MULH MULHU MULHSU MULW CLMUL CLMULH CLMULR
alu w 8 -: AES64ES AES64ESM AES64DS AES64DSM AES64IM AES64KS1I AES64KS2 SHA256SUM0 SHA256SUM1 SHA256SIG0 SHA256SIG1 SHA512SUM0 SHA512SUM1 SHA512SIG0 SHA512SIG1 SM3P0 SM3P1 SM4ED SM4KS
alu w 8 -: DIV DIVU REM REMU DIVW DIVUW REMW REMUW
alu rrw 8 -: CZEROEQZ CZERONEZ
branch rr 8 -: BEQ BNE BLT BLTU BGE BGEU BGT BGTU BLE BLEU
branch r 8 -: BEQZ BNEZ BLTZ BGEZ BGTZ BLEZ
jump r 8 -: JMP J
call r 8 -: CALL JAL
ret r 8 -: RET
nop r 8 -: FENCE NOP
csr w 8 -: CSRRS
vsetvl w 8 -: VSETVLI VSETIVLI VSETVL
vec w 0 -: VADDVV VADDVX VADDVI VSUBVV VSUBVX VRSUBVX VRSUBVI VANDVV VANDVX VANDVI VORVV VORVX VORVI VXORVV VXORVX VXORVI VSLLVV VSLLVX VSLLVI VSRLVV VSRLVX VSRLVI VSRAVV VSRAVX VSRAVI VROLVV VROLVX VRORVV VRORVX VANDNVV VANDNVX VREV8V VBREV8V VMINUVV VMINUVX VMAXUVV VMAXUVX VIDV VMULVV VMULVX VMULHUVV VMULHUVX VMULHVV VMULHVX VMVVV VMVVX VMVVI VSLIDEDOWNVI VSLIDE1DOWNVX VRGATHERVV VRGATHERVX VRGATHERVI VRGATHEREI16VV VCOMPRESSVM VIOTAM VCLMULVV VCLMULVX VCLMULHVV VCLMULHVX VRORVI VAESKF1VI VSM4KVI VSM3MEVV VZEXTVF2 VZEXTVF4 VZEXTVF8
vec w 0 -: VMERGEVVM VMERGEVXM VMERGEVIM VADCVVM VADCVXM VADCVIM VSBCVVM VSBCVXM
bits w 0 -: VMSEQVV VMSEQVX VMSEQVI VMSNEVV VMSNEVX VMSNEVI VMSLTUVV VMSLEUVV VMSLEUVX VMSLEUVI VMSGTUVX VMSGTUVI VMADCVVM VMADCVV VMSBCVVM VMSBCVV
bits w 0 -: VMANDMM VMNANDMM VMANDNMM VMXORMM VMORMM VMNORMM VMORNMM VMXNORMM
vec m 0 -: VMACCVV VMACCVX VMADDVV VMADDVX VNMSACVV VNMSACVX VNMSUBVV VNMSUBVX VSLIDEUPVI VSLIDE1UPVX VAESEFVV VAESEFVS VAESEMVV VAESEMVS VAESDFVV VAESDFVS VAESDMVV VAESDMVS VAESZVS VAESKF2VI VGHSHVV VGMULVV VSM4RVV VSM4RVS VSM3CVI
vecx m 0 -: VSLIDEUPVX VSLIDEDOWNVX
wide w 0 -: VWADDUVV VWADDUVX VWADDVV VWMULUVV VWMULUVX VWMULVV VWMULVX VWSUBUVV VWSUBUVX VWADDUWV VWADDUWX VWSUBUWV VWSUBUWX
wide m 0 -: VWMACCUVV VWMACCUVX
narrow w 0 -: VNSRLWI VNSRLWX VNSRLWV
red w 0 -: VREDSUMVS VREDORVS VREDXORVS
single w 8 -: VMVXS VCPOPM VFIRSTM
tosingle w 8 -: VMVSX
`

// lengthMultiplier is where a state keeps the number of registers in a group: a mask
// of other architectures.
const lengthMultiplier = firstMask

// riscvSegments are how many groups of registers a load or store has, and riscvWhole how
// many registers, if it is of whole ones. init fills them.
var riscvSegments, riscvWhole = map[string]int{}, map[string]int{}

// addVectorMemory adds the loads, stores and moves whose names have numbers to a table.
func addVectorMemory(t map[string]*spec) {
	add := func(op, format string, args ...any) string {
		name := fmt.Sprintf(format, args...)
		t[name] = &spec{op: op, roles: "w"}
		return name
	}
	for e := 8; e <= 64; e *= 2 {
		for n := 1; n <= 8; n++ {
			seg := ""
			if n > 1 {
				seg = fmt.Sprint("SEG", n)
			}
			for _, kind := range []string{"%sE%dV", "S%sE%dV", "UX%sEI%dV"} {
				riscvSegments[add("vload", "VL"+kind, seg, e)] = n
				riscvSegments[add("vstore", "VS"+kind, seg, e)] = n
			}
		}
	}
	for n := 1; n <= 8; n *= 2 {
		riscvWhole[add("vload", "VL%dRE8V", n)] = n
		riscvWhole[add("vstore", "VS%dRV", n)] = n
		riscvWhole[add("vec", "VMV%dRV", n)] = n
	}
	riscvWhole[add("vload", "VLMV")], riscvWhole[add("vstore", "VSMV")] = 1, 1
}

func init() {
	a := &arch{Arch: machine.Arches["riscv64"], source: riscv64Source}
	a.table = table(riscv64Table)
	addVectorMemory(a.table)
	for n, s := range a.table {
		switch {
		case strings.HasPrefix(n, "DIV"), strings.HasPrefix(n, "REM"):
			s.time = timeOperands
		case strings.Contains(n, "MUL") || strings.Contains(n, "MACC") || strings.Contains(n, "MADD") || s.op == "red":
			s.time = timeMultiply
		}
	}
	a.exec, a.branch = riscvExec, riscvBranch
	a.readVector = func(s *state, o *machine.Operand) origin { return riscvGroup(s, o.Reg, riscvMultiplier(s)) }
	a.writeVector = func(s *state, o *machine.Operand, v origin, merge bool, in *instruction) {
		riscvWrite(s, o.Reg, riscvMultiplier(s), v, merge)
	}
	a.vectorWidth = func(*instruction) int64 { return 0 }
	arches[a.Name] = a
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
	a := x.read(s, &in.Args[0], 8)
	b := value{}
	op := strings.TrimSuffix(in.Op, "Z")
	if len(in.Args) == 3 {
		b = x.read(s, &in.Args[1], 8)
	}
	if o := joinOrigin(a.secret, b.secret); o != 0 {
		x.report(kindBranch, "the branch depends on a secret (%s)", x.source(o))
		s.last = compared{}
	} else {
		s.last = compared{kind: 's', a: a, b: b, width: 8, reg: in.Args[0].Reg + 1}
	}
	cond := map[string]string{"BEQ": "eq", "BNE": "ne", "BLT": "lt", "BLTU": "lo", "BGE": "ge", "BGEU": "hs", "BGT": "gt", "BGTU": "hi", "BLE": "le", "BLEU": "ls"}[op]
	x.fork(s, cond)
}

func riscvExec(x *run, s *state, in *instruction) {
	sp := in.spec
	n := len(in.Args)
	var last *machine.Operand
	if n > 0 {
		last = &in.Args[n-1]
	}
	m := riscvMultiplier(s)
	switch sp.op {
	case "mov", "movw", "movx":
		v := x.read(s, &in.Args[0], sp.width)
		if sp.op != "mov" && last.Kind == machine.KindReg {
			if !v.isConstant() || in.Op == "MOVW" || in.Op == "MOVB" || in.Op == "MOVH" {
				v = value{secret: v.secret, m: 1}
			}
		}
		x.write(s, last, sp.width, v, false)
		return
	case "add", "sub", "and", "or", "xor", "shl", "shr":
		a := x.read(s, &in.Args[0], 8)
		b := a
		if n == 3 {
			b = x.read(s, &in.Args[1], 8)
		} else {
			b = x.read(s, last, 8)
		}
		if sp.op == "xor" && n == 3 && sameRegister(&in.Args[0], &in.Args[1]) {
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
		a, b := x.read(s, &in.Args[0], 8), x.read(s, &in.Args[1], 8)
		x.write(s, last, 8, add(a, scaled(b, 1<<(in.Op[2]-'0'))), false)
		return
	case "vsetvl":
		v := x.read(s, &in.Args[0], 8)
		if v.secret != 0 {
			x.report(kindTime, "the length of vectors depends on a secret (%s)", x.source(v.secret))
		}
		c := int64(8)
		for i := range in.Args {
			switch in.Args[i].Sym {
			case "M1", "MF2", "MF4", "MF8":
				c = 1
			case "M2":
				c = 2
			case "M4":
				c = 4
			}
		}
		for i := range in.Args {
			if in.Args[i].Sym == "TU" {
				c |= riscvUndisturbed
			}
		}
		s.regs[lengthMultiplier] = constant(c)
		if in.Op == "VSETVL" { // of a register
			if v := x.read(s, &in.Args[1], 8); v.secret != 0 {
				x.report(kindTime, "the length of vectors depends on a secret (%s)", x.source(v.secret))
			}
			s.regs[lengthMultiplier] = anything
		}
		x.write(s, last, 8, anything, false)
		return
	case "vload":
		// The place, a distance or indices and a mask perhaps, and the destination.
		x.checkPlaces(s, in, m)
		v := x.load(s, x.address(s, &in.Args[0]), 0)
		riscvWrite(s, last.Reg, riscvAccess(in, m), v.secret, false)
		return
	case "vstore":
		// Sources, a distance or indices and a mask perhaps, and the place.
		x.checkPlaces(s, in, m)
		o := riscvGroup(s, in.Args[0].Reg, riscvAccess(in, m))
		x.store(s, x.address(s, last), 0, value{secret: o, m: 1}, false)
		return
	case "csr":
		x.write(s, last, 8, anything, false)
		return
	case "vec", "vecx", "wide", "narrow", "red", "bits", "single", "tosingle":
		var o origin
		for i := range n - 1 {
			a := &in.Args[i]
			switch {
			case a.Kind != machine.KindReg:
			case a.Shape == 'r':
				v := x.read(s, a, 8)
				if sp.op == "vecx" && v.secret != 0 {
					x.report(kindTime, "the distance of a slide depends on a secret (%s)", x.source(v.secret))
				}
				o = joinOrigin(o, v.secret)
			default:
				g := m
				switch {
				case sp.op == "single" || strings.HasSuffix(in.Op, "MM"):
					g = 1
				case riscvWhole[in.Op] > 0:
					g = riscvWhole[in.Op]
				case i == 2: // of four, a mask
					g = 1
					if v := riscvGroup(s, a.Reg, g); v != 0 {
						x.report(kindTime, "the mask depends on a secret (%s)", x.source(v))
					}
				case i == n-2 && (sp.op == "narrow" || sp.op == "wide" && in.Op[len(in.Op)-2] == 'W'):
					g = 2 * m
				}
				o = joinOrigin(o, riscvGroup(s, a.Reg, g))
			}
		}
		if in.Op == "VXORVV" && sameRegister(&in.Args[0], &in.Args[1]) {
			o = 0
		}
		if sp.op == "single" {
			x.write(s, last, 8, value{secret: o, m: 1}, false)
			return
		}
		g := m
		merge := sp.role(n-1, n) == 'm' || n == 4 && !strings.HasSuffix(in.Op, "M")
		switch sp.op {
		case "wide":
			g = 2 * m
		case "bits":
			g = 1
		case "red", "tosingle":
			g, merge = 1, true
		}
		if riscvWhole[in.Op] > 0 {
			g = riscvWhole[in.Op]
		}
		if merge {
			o = joinOrigin(o, riscvGroup(s, last.Reg, g))
		}
		if in.Op == "VRGATHERVV" && riscvGroup(s, in.Args[0].Reg, m) != 0 {
			x.gathers = true
		}
		x.checkTime(sp, o)
		riscvWrite(s, last.Reg, g, o, merge)
		return
	case "nop":
		return
	}
	x.operate(s, in)
}

// riscvAccess returns how many registers a load or store has.
func riscvAccess(in *instruction, m int) int {
	if n := riscvWhole[in.Op]; n > 0 {
		return n
	}
	return m * riscvSegments[in.Op]
}

// checkPlaces checks what is between the first and the last operand of a load or store.
func (x *run) checkPlaces(s *state, in *instruction, m int) {
	for i := range in.Args[1 : len(in.Args)-1] {
		a := &in.Args[1+i]
		if a.Shape == 'r' {
			x.checkAddress(x.read(s, a, 8))
		} else {
			x.checkAddress(value{secret: riscvGroup(s, a.Reg, m), m: 1})
		}
	}
}
