package ctcheck

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// The times: the RISC-V extensions Zkt and Zvkt list the instructions whose time must
// not depend on their operands: integer arithmetic, logic, shifts, rotations and
// multiplications, scalar cryptography, and instructions of vectors, with moves, slides
// by a public distance, shifts by public distances and permutations by public indices, but no
// divisions, no reductions and no masks. Cryptography of vectors (Zvk) promises the same for
// itself, and Zicond for czero.
// Look-ups inside registers by secret indices (vrgather) are counted and printed: that
// their time is constant is not promised. Nor is it for what riscv64Unlisted names, which
// kernels use with secrets: that is printed as well. Anything else with a secret that is not on
// the lists is a finding. A CPU that has none of these extensions promises nothing about any
// instruction.
const riscv64Source = "RISC-V, extensions Zkt and Zvkt"

// In Go's order of operands the destination is last. SUB a, b, c is c = b - a. Instructions of
// vectors may have one operand more, the mask, before the destination, unless their op ends in
// an exclamation mark.
const riscv64Table = `
mov rw 8 -: MOV
movw rw 4 -: MOVW MOVWU
movx rw 2 -: MOVH MOVHU
movx rw 1 -: MOVB MOVBU
add rrw|rm 8 -: ADD ADDI
add rrw|rm 4 -: ADDW ADDIW
sub rrw|rm 8 -: SUB
alu rrw|rm 4 -: SUBW
and rrw|rm 8 -: AND ANDI
or rrw|rm 8 -: OR ORI
xor rrw|rm 8 -: XOR XORI
shadd rrw 8 -: SH1ADD SH2ADD SH3ADD
shl rrw|rm 8 -: SLL SLLI
shr rrw|rm 8 -: SRL SRLI
alu rrw|rm 8 -: SRA SRAI SLT SLTI SLTU SLTIU ANDN ORN XNOR ROR RORI ROL MIN MINU MAX MAXU PACK PACKH PACKW XPERM4 XPERM8
alu rw 8 -: NEG NOT SEQZ SNEZ CPOP CLZ CTZ REV8 BREV8 ORCB SEXTB SEXTH ZEXTH NEGW CLZW CTZW CPOPW
alu rrw|rm 8 -: SLLW SLLIW SRLW SRLIW SRAW SRAIW RORW RORIW ROLW BSETI BCLRI BEXTI
alu rrw 8 -: SLLIUW ADDUW SH1ADDUW SH2ADDUW SH3ADDUW
alu rrw|rm 8 -: MUL MULH MULHU MULHSU MULW CLMUL CLMULH CLMULR
alu rrw 8 -: AES64ES AES64ESM AES64DS AES64DSM AES64KS1I AES64KS2
alu rw 8 -: AES64IM SHA256SUM0 SHA256SUM1 SHA256SIG0 SHA256SIG1 SHA512SUM0 SHA512SUM1 SHA512SIG0 SHA512SIG1 SM3P0 SM3P1
alu rrrw 8 -: SM4ED SM4KS
alu rrw|rm 8 -: DIV DIVU REM REMU DIVW DIVUW REMW REMUW
alu rrw 8 -: CZEROEQZ CZERONEZ
branch rrr 8 -: BEQ BNE BLT BLTU BGE BGEU BGT BGTU BLE BLEU
branch rr 8 -: BEQZ BNEZ BLTZ BGEZ BGTZ BLEZ
jump r 8 -: JMP J
call r 8 -: CALL JAL
ret r 8 -: RET
nop r| 8 -: FENCE NOP
csr rrw 8 -: CSRRS
vsetvl rrrrrw 8 -: VSETVLI VSETIVLI
vsetvl rrw 8 -: VSETVL
vec rrw 0 -: VADDVV VADDVX VADDVI VSUBVV VSUBVX VRSUBVX VRSUBVI VANDVV VANDVX VANDVI VORVV VORVX VORVI VXORVV VXORVX VXORVI VROLVV VROLVX VRORVV VRORVX VANDNVV VANDNVX VMINUVV VMINUVX VMAXUVV VMAXUVX VMULVV VMULVX VMULHUVV VMULHUVX VMULHVV VMULHVX VSLIDE1DOWNVX VCLMULVV VCLMULVX VCLMULHVV VCLMULHVX VRORVI
vec rw 0 -: VREV8V VBREV8V
vec w 0 -: VIDV
vshift rrw 0 -: VSLLVV VSLLVX VSLLVI VSRLVV VSRLVX VSRLVI VSRAVV VSRAVX VSRAVI
vslide rrw 0 -: VSLIDEDOWNVI VSLIDEDOWNVX
vslide rrm 0 -: VSLIDEUPVI VSLIDEUPVX
vec rrm 0 -: VSLIDE1UPVX VMACCVV VMACCVX VMADDVV VMADDVX VNMSACVV VNMSACVX VNMSUBVV VNMSUBVX
gather rrw 0 -: VRGATHERVV VRGATHERVX VRGATHERVI VRGATHEREI16VV
iota rw 0 -: VIOTAM
extend rw 0 -: VZEXTVF2 VZEXTVF4 VZEXTVF8
vec! rw 0 -: VMVVV VMVVX VMVVI
vec! rrw 0 -: VCOMPRESSVM VAESKF1VI VSM4KVI VSM3MEVV
vec! rm 0 -: VAESEFVV VAESEMVV VAESDFVV VAESDMVV VGMULVV VSM4RVV
group! rm 0 -: VAESEFVS VAESEMVS VAESDFVS VAESDMVS VAESZVS VSM4RVS
vec! rrm 0 -: VAESKF2VI VGHSHVV VSM3CVI
carry! rrrw 0 -: VMERGEVVM VMERGEVXM VMERGEVIM VADCVVM VADCVXM VADCVIM VSBCVVM VSBCVXM
bits rrw 0 -: VMSEQVV VMSEQVX VMSEQVI VMSNEVV VMSNEVX VMSNEVI VMSLTUVV VMSLEUVV VMSLEUVX VMSLEUVI VMSGTUVX VMSGTUVI
bits! rrw 0 -: VMADCVV VMSBCVV
bits! rrrw 0 -: VMADCVVM VMSBCVVM
masks! rrw 0 -: VMANDMM VMNANDMM VMANDNMM VMXORMM VMORMM VMNORMM VMORNMM VMXNORMM
wide rrw 0 -: VWADDUVV VWADDUVX VWADDVV VWMULUVV VWMULUVX VWMULVV VWMULVX VWSUBUVV VWSUBUVX VWADDUWV VWADDUWX VWSUBUWV VWSUBUWX
wide rrm 0 -: VWMACCUVV VWMACCUVX
narrow rrw 0 -: VNSRLWI VNSRLWX VNSRLWV
red rrm 0 -: VREDSUMVS VREDORVS VREDXORVS
count rw 8 -: VCPOPM VFIRSTM
single! rw 8 -: VMVXS
tosingle! rm 8 -: VMVSX
`

// Instructions that neither Zkt nor Zvkt lists. Kernels use riscv64Unlisted with secrets, where
// additions of fixed cost are all that one can expect (see docs/timing.md).
const (
	riscv64Unlisted = "SH1ADD SH2ADD SH3ADD ADDUW VREDSUMVS VREDXORVS VMVXS"
	riscv64Variable = "DIV DIVU REM REMU DIVW DIVUW REMW REMUW" +
		" MIN MINU MAX MAXU CPOP CPOPW CLZ CLZW CTZ CTZW ORCB SEXTB SEXTH BSETI BCLRI BEXTI CLMULR" +
		" SLLIUW SH1ADDUW SH2ADDUW SH3ADDUW" +
		" VMINUVV VMINUVX VMAXUVV VMAXUVX VWSUBUVV VWSUBUVX VWSUBUWV VWSUBUWX" +
		" VCOMPRESSVM VIOTAM VCPOPM VFIRSTM VREDORVS"
)

// Where a state keeps what VSETVLI sets: masks of other architectures. The type is as the
// register vtype has it. The extent is what instructions write of a group of registers: a number
// of bytes, or everything (extentAll). If it is any other number, it is not known.
//
// A register has two parts: the elements below the extent, and at firstHigh those behind it,
// which stay what they were. When type or extent change, both are as secret as any of them was.
const (
	vectorType   = firstMask
	vectorExtent = firstMask + 1
	extentAll    = -1
)

// A riscvMemory is what the name of a load or store says.
type riscvMemory struct {
	groups  int  // of registers
	element int  // the logarithm of the bits of elements, or of indices
	kind    byte // 'e' elements, 's' with a stride, 'x' with indices, 'r' whole registers, 'm' a mask
}

// riscvAccesses are the loads and stores; riscvWhole how many registers VMV<n>R has. init fills
// them.
var riscvAccesses, riscvWhole = map[string]riscvMemory{}, map[string]int{}

// addVectorMemory adds the loads, stores and moves whose names have numbers to a table.
func addVectorMemory(t map[string]*spec) {
	add := func(op, roles string, m riscvMemory, format string, args ...any) {
		name := fmt.Sprintf(format, args...)
		t[name] = &spec{op: op, roles: roles}
		riscvAccesses[name] = m
	}
	for e := 3; e <= 6; e++ {
		for n := 1; n <= 8; n++ {
			seg := ""
			if n > 1 {
				seg = fmt.Sprint("SEG", n)
			}
			for i, kind := range []string{"%sE%dV", "S%sE%dV", "UX%sEI%dV"} {
				m := riscvMemory{n, e, "esx"[i]}
				// A stride or indices, and a mask perhaps.
				roles := [][2]string{{"rw|rrw", "rr|rrr"}, {"rrw|rrrw", "rrr|rrrr"}}[min(i, 1)]
				add("vload", roles[0], m, "VL"+kind, seg, 1<<e)
				add("vstore", roles[1], m, "VS"+kind, seg, 1<<e)
			}
		}
	}
	for n := 1; n <= 8; n *= 2 {
		add("vload", "rw", riscvMemory{n, 3, 'r'}, "VL%dRE8V", n)
		add("vstore", "rr", riscvMemory{n, 3, 'r'}, "VS%dRV", n)
		name := fmt.Sprintf("VMV%dRV", n)
		t[name] = &spec{op: "whole!", roles: "rw"}
		riscvWhole[name] = n
	}
	add("vload", "rw", riscvMemory{1, 3, 'm'}, "VLMV")
	add("vstore", "rr", riscvMemory{1, 3, 'm'}, "VSMV")
}

func init() {
	a := &arch{Arch: machine.Arches["riscv64"], source: riscv64Source}
	a.table = table(riscv64Table)
	for n, s := range a.table {
		switch {
		case strings.HasSuffix(s.op, "!"):
			s.op = strings.TrimSuffix(s.op, "!")
		case n[0] == 'V' && s.op != "vsetvl":
			s.roles += "|" + s.roles[:len(s.roles)-1] + "r" + s.roles[len(s.roles)-1:] // the mask
		}
		s.open = false
		if strings.Contains(n, "MUL") || strings.Contains(n, "MACC") || strings.Contains(n, "MADD") {
			s.time = timeMultiply
		}
	}
	for _, n := range strings.Fields(riscv64Unlisted) {
		a.table[n].time = timeUnlisted
	}
	for _, n := range strings.Fields(riscv64Variable) {
		a.table[n].time = timeOperands
	}
	addVectorMemory(a.table)
	a.exec, a.branch, a.refuse = riscvExec, riscvBranch, riscvRefuse
	a.readVector = func(s *state, o *machine.Operand) origin { return s.riscvBoth(o.Reg) }
	a.writeVector = func(s *state, o *machine.Operand, v origin, merge bool, in *instruction) {}
	a.vectorWidth = func(*instruction) int64 { return 0 }
	arches[a.Name] = a
}

// riscvTemporary is a register that the assembler uses, for parts of rotations as well.
const riscvTemporary = 31

// riscvRefuse knows places with a base and an offset, in loads and stores alone.
// riscvImmediate are instructions with a number, besides those of vectors.
var riscvImmediate = strings.Fields("ADDI ADDIW ANDI ORI XORI SLTI SLTIU SLLI SLLIW SLLIUW SRLI SRLIW SRAI SRAIW RORI RORIW BSETI BCLRI BEXTI AES64KS1I")

func riscvRefuse(in *instruction) string {
	if mentions(in, riscvTemporary) {
		return "the assembler uses X31"
	}
	if len(in.Suffix) > 0 {
		return "this suffix is not known"
	}
	if (slices.Contains(riscvImmediate, in.Op) || in.Op[0] == 'V' && strings.HasSuffix(in.Op, "VI")) && in.Args[0].Kind != machine.KindImm {
		return "the assembler takes another operand than a number for 0"
	}
	for i := range in.Args {
		o := &in.Args[i]
		switch {
		case o.Kind == machine.KindMem && (o.Index >= 0 || !strings.HasPrefix(in.spec.op, "mov") && in.spec.op != "vload" && in.spec.op != "vstore"):
			return "an operand in memory"
		case o.Kind == machine.KindName && in.spec.op != "vsetvl" && in.spec.op != "csr":
			return "this operand is not known"
		}
	}
	if in.spec.op == "csr" && (in.Args[0].Kind != machine.KindReg || in.Args[0].Reg != 0) {
		return "a register of the CPU is changed"
	}
	return plain(in)
}

// riscvBoth is what both parts of a register depend on.
func (s *state) riscvBoth(reg int) origin {
	return joinOrigin(s.regs[firstVector+reg].secret, s.regs[firstHigh+reg].secret)
}

// riscvType returns the logarithms of the bits of elements and of the registers in a group.
func (s *state) riscvType() (element, group int, ok bool) {
	t := s.regs[vectorType]
	if !t.isConstant() || t.c < 0 {
		return 0, 0, false
	}
	if group = int(t.c & 7); group >= 4 {
		group -= 8
	}
	return 3 + int(t.c>>3&7), group, group != -4
}

// riscvSet sets type and extent. If that changes what the parts of registers are, they are
// joined. The bits that say what happens to other elements do not matter: where a program can
// rely on nothing, secrets may stay.
func (s *state) riscvSet(typ, extent value) {
	if typ.isConstant() {
		typ.c &= 63
	}
	old := s.regs[vectorType]
	sameGroup := old.isConstant() && typ.isConstant() && old.c&7 == typ.c&7
	if e := s.regs[vectorExtent]; !sameGroup || !e.isConstant() || !extent.isConstant() || e.c != extent.c {
		for i := range 32 {
			v := value{secret: s.riscvBoth(i), m: 1}
			s.regs[firstVector+i], s.regs[firstHigh+i] = v, v
		}
	}
	s.regs[vectorType], s.regs[vectorExtent] = typ, extent
}

// A group is a group of vector registers that an instruction reads or writes.
type group struct {
	reg   int
	size  int  // the logarithm of the number of registers, which may be negative
	exact bool // its elements, and so the extent, are as VSETVLI says
}

// registers returns those of a group.
func (g group) registers() (from, to int) {
	return g.reg, min(g.reg+1<<max(g.size, 0), 32)
}

// riscvRead returns what elements of a group depend on: those below the extent, or all.
func (s *state) riscvRead(g group, all bool) (o origin) {
	from, to := g.registers()
	for i := from; i < to; i++ {
		o = joinOrigin(o, s.regs[firstVector+i].secret)
		if all || !g.exact {
			o = joinOrigin(o, s.regs[firstHigh+i].secret)
		}
	}
	return o
}

// riscvWrite writes the elements below the extent. Merge: some of them may stay.
func (s *state) riscvWrite(g group, v origin, merge bool) {
	extent := s.regs[vectorExtent]
	everything := extent.isConstant() && extent.c == extentAll && g.size >= 0
	from, to := g.registers()
	for i := from; i < to; i++ {
		low, high := &s.regs[firstVector+i], &s.regs[firstHigh+i]
		switch {
		case everything && !merge:
			*low, *high = value{secret: v, m: 1}, value{secret: v, m: 1}
		case g.exact && !everything && !merge:
			*low = value{secret: v, m: 1}
		case g.exact && !everything:
			low.secret = joinOrigin(v, low.secret)
		default:
			low.secret = joinOrigin(v, low.secret)
			high.secret = joinOrigin(v, high.secret)
		}
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
	x.fork(s, cond, false)
}

func riscvExec(x *run, s *state, in *instruction) {
	sp := in.spec
	n := len(in.Args)
	var last *machine.Operand
	if n > 0 {
		last = &in.Args[n-1]
	}
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
		if sp.op == "shl" || sp.op == "shr" {
			v = shift(sp.op, a, b, 8)
		}
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
		x.checkTime(sp, joinOrigin(a.secret, b.secret))
		x.write(s, last, 8, add(a, scaled(b, 1<<(in.Op[2]-'0'))), false)
		return
	case "vsetvl":
		riscvLength(x, s, in)
		return
	case "vload", "vstore":
		riscvTransfer(x, s, in)
		return
	case "csr":
		x.write(s, last, 8, anything, false)
		return
	case "nop":
		return
	}
	if in.Op[0] == 'V' {
		riscvVector(x, s, in)
		return
	}
	x.operate(s, in)
}

// riscvLength executes VSETVLI and the like.
func riscvLength(x *run, s *state, in *instruction) {
	n := len(in.Args)
	length, result := &in.Args[n-2], &in.Args[n-1]
	if in.Op != "VSETVL" {
		length = &in.Args[0]
	}
	avl := x.read(s, length, 8)
	if avl.secret != 0 {
		x.report(kindTime, "the length of vectors depends on a secret (%s)", x.source(avl.secret))
	}
	var typ value
	if in.Op == "VSETVL" {
		typ = x.read(s, &in.Args[0], 8)
		if typ.secret != 0 {
			x.report(kindTime, "the length of vectors depends on a secret (%s)", x.source(typ.secret))
		}
		if typ.isConstant() && (typ.c < 0 || typ.c > 255) {
			typ = anything
		}
	} else {
		typ.c = riscvTypes[in.Args[1].Sym]<<3 | riscvGroups[in.Args[2].Sym]
	}
	if !typ.isConstant() {
		typ = anything
	}
	extent := anything
	switch {
	case length.Kind == machine.KindReg && length.Reg == 0 && result.Reg == 0:
		// The length stays.
		old, now := s.regs[vectorType], typ
		if e := s.regs[vectorExtent]; e.isConstant() && e.c == extentAll && old.isConstant() && now.isConstant() && old.c&63 == now.c&63 {
			extent = e
		}
	case length.Kind == machine.KindReg && length.Reg == 0:
		extent = constant(extentAll)
	case avl.isConstant() && avl.c >= 0 && avl.c < 1<<16 && typ.isConstant():
		extent = constant(avl.c << (typ.c >> 3 & 7))
	}
	extent.secret = joinOrigin(avl.secret, typ.secret)
	typ.secret = 0
	s.riscvSet(typ, extent)
	x.write(s, result, 8, value{secret: extent.secret, m: 1}, false)
}

var (
	riscvTypes  = map[string]int64{"E8": 0, "E16": 1, "E32": 2, "E64": 3}
	riscvGroups = map[string]int64{"M1": 0, "M2": 1, "M4": 2, "M8": 3, "MF8": 5, "MF4": 6, "MF2": 7}
)

// riscvTransfer executes a load or store of vectors: the place, a distance or indices and a mask
// perhaps, and the destination; or sources, the same, and the place.
func riscvTransfer(x *run, s *state, in *instruction) {
	m := riscvAccesses[in.Op]
	n := len(in.Args)
	place, data := &in.Args[0], &in.Args[n-1]
	if in.spec.op == "vstore" {
		place, data = data, place
	}
	element, size, ok := s.riscvType()
	g := group{data.Reg, 0, false}
	switch m.kind {
	case 'r':
		g.size = bits.Len(uint(m.groups)) - 1
	case 'm':
	default:
		g.size, g.exact = size, true
		if m.kind != 'x' {
			g.size, g.exact = size+m.element-element, m.element == element
		}
		if !ok || g.size < -3 || g.size > 3 {
			x.report(kindUnknown, "the type of vectors is not known, or not possible")
			return
		}
	}
	address := x.address(s, place)
	if m.kind == 's' || m.kind == 'x' {
		control := &in.Args[1]
		v := x.read(s, control, 8)
		if m.kind == 'x' {
			v.secret = s.riscvRead(group{control.Reg, size + m.element - element, m.element == element}, false)
		}
		x.checkAddress(v)
		address = anywhere(address)
	}
	masked := n == 3 && m.kind == 'e' || n == 4
	if masked {
		x.checkAddress(value{secret: s.riscvBoth(in.Args[n-2].Reg), m: 1})
	}
	count := 1
	if m.kind != 'r' {
		count = m.groups
	}
	if in.spec.op == "vload" {
		o := x.load(s, address, 0).secret
		for range count {
			if m.kind == 'r' {
				for i, to := g.registers(); i < to; i++ {
					s.regs[firstVector+i], s.regs[firstHigh+i] = value{secret: o, m: 1}, value{secret: o, m: 1}
				}
			} else {
				s.riscvWrite(g, o, masked || m.kind == 'm')
			}
			g.reg += 1 << max(g.size, 0)
		}
		return
	}
	var o origin
	for range count {
		o = joinOrigin(o, s.riscvRead(g, false))
		g.reg += 1 << max(g.size, 0)
	}
	x.store(s, address, 0, value{secret: o, m: 1}, false)
}

// anywhere is an address in the objects of v.
func anywhere(v value) value {
	return combine(v, value{}, func(v, _ value) value { return value{object: v.object, m: 1} })
}

// riscvVector executes what computes with vectors.
func riscvVector(x *run, s *state, in *instruction) {
	sp, n := in.spec, len(in.Args)
	last := &in.Args[n-1]
	if k := riscvWhole[in.Op]; k > 0 {
		from, to := in.Args[0].Reg, last.Reg
		before := *s
		for i := range min(k, 32-max(from, to)) {
			s.regs[firstVector+to+i], s.regs[firstHigh+to+i] = before.regs[firstVector+from+i], before.regs[firstHigh+from+i]
		}
		return
	}
	element, size, ok := s.riscvType()
	if !ok {
		x.report(kindUnknown, "the type of vectors is not known")
		return
	}
	extent := s.regs[vectorExtent]
	sources, masked := n-1, false
	if roles, _, ok := strings.Cut(sp.roles, "|"); ok && n > len(roles) {
		sources, masked = n-2, true
	}
	o := extent.secret
	if masked {
		if v := s.riscvBoth(in.Args[n-2].Reg); v != 0 {
			x.report(kindTime, "the mask depends on a secret (%s)", x.source(v))
			o = v
		}
	}
	var first origin
	for i := range sources {
		a := &in.Args[i]
		var v origin
		switch g, all := (group{a.Reg, size, true}), false; {
		case a.Kind != machine.KindReg:
			continue
		case a.Shape == 'r':
			v = x.read(s, a, 8).secret
		default:
			switch {
			case sp.op == "masks" || sp.op == "iota" || sp.op == "count" || sp.op == "carry" && i == 2 || sp.op == "bits" && i == 2 || in.Op == "VCOMPRESSVM" && i == 0:
				g.size, g.exact = 0, false // a mask
			case sp.op == "single", sp.op == "red" && i == 0, sp.op == "group":
				// One element, or four. If the length may be 0, it is behind it.
				g.size, all = 0, !extent.isConstant() || extent.c == 0
			case i == 1 && (sp.op == "narrow" || sp.op == "wide" && in.Op[len(in.Op)-2] == 'W'):
				g.size, g.exact = size+1, false
			case sp.op == "extend":
				g.exact = false // smaller elements
			case sp.op == "gather" && i == 0 && in.Op == "VRGATHEREI16VV":
				g.size, g.exact = size+4-element, element == 4
			case i == 1 && (sp.op == "gather" || sp.op == "vslide"):
				all = true
			}
			if g.size > 3 {
				x.report(kindUnknown, "this type of vectors is not possible")
				return
			}
			v = s.riscvRead(g, all)
		}
		if i == 0 {
			first = v
		}
		o = joinOrigin(o, v)
		if sp.op == "carry" && i == 2 && v != 0 {
			x.report(kindTime, "the mask depends on a secret (%s)", x.source(v))
		}
	}
	switch {
	case sp.op == "gather" && first != 0:
		x.gathers = true
	case sp.op == "vslide" && first != 0:
		x.report(kindTime, "the distance of a slide depends on a secret (%s)", x.source(first))
	case (sp.op == "vshift" || sp.op == "narrow") && first != 0:
		x.report(kindTime, "the distance of a shift depends on a secret (%s)", x.source(first))
	}
	if in.Op == "VXORVV" && sameRegister(&in.Args[0], &in.Args[1]) && !masked {
		o = extent.secret
	}
	if sp.op == "single" || sp.op == "count" {
		x.checkTime(sp, o)
		x.write(s, last, 8, value{secret: o, m: 1}, false)
		return
	}
	g := group{last.Reg, size, true}
	switch sp.op {
	case "wide":
		g.size, g.exact = size+1, false
	case "bits", "masks":
		g.size, g.exact = -3, false
	case "red", "tosingle":
		g.size = -3 // one element
	}
	if g.size > 3 {
		x.report(kindUnknown, "this type of vectors is not possible")
		return
	}
	merge := masked || sp.role(n-1, n) == 'm' || in.Op == "VCOMPRESSVM" // which writes no more than the mask selects
	if merge && (sp.op != "red" && sp.op != "tosingle") {
		o = joinOrigin(o, s.riscvRead(g, false))
	}
	x.checkTime(sp, o)
	s.riscvWrite(g, o, merge || sp.op == "red" || sp.op == "tosingle")
}
