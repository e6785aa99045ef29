package ctcheck

import (
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// MIPS promises nothing about the time of instructions. The multipliers of the 24K, 34K,
// 74K, 1004K, P5600 and Octeon take the same time for all operands of 32 bits, but that of
// the 4K and of cores with the small multiplier does not (MIPS32 4K Processor Core Family,
// "early-in").
const mipsSource = "MIPS32 24K, 34K, 74K and 1004K software user's manuals, multiply/divide unit"

// In Go's order of operands the destination is last. SUBU a, b, c is c = b - a.
const mipsTable = `
mov rw 4 -: MOVW
movx rw 2 -: MOVH MOVHU
movx rw 1 -: MOVB MOVBU
add rrw|rm 4 -: ADDU ADD
sub rrw|rm 4 -: SUBU SUB
and rrw|rm 4 -: AND
or rrw|rm 4 -: OR
xor rrw|rm 4 -: XOR
shl rrw|rm 4 -: SLL
shr rrw|rm 4 -: SRL
alu rrw|rm 4 -: SRA NOR SGT SGTU ROTR ROTRV
alu rw 4 -: WSBH SEB SEH CLZ CLO
alu rrm 4 -: CMOVN CMOVZ
product rr 4 -: MULU MULW
sum rr 4 -: MADDU MADD
alu rrw|rm 4 -: MUL
divide rr 4 -: DIV DIVU
branch rrr 4 -: BEQ BNE
branch rr 4 -: BGEZ BGTZ BLEZ BLTZ
jump r 4 -: JMP
call r 4 -: JAL CALL
ret r 4 -: RET
nop r| 4 -: NOOP SYNC
`

const mips64Table = `
mov rw 8 -: MOVV
mov4 rw 4 -: MOVW MOVWU
movx rw 2 -: MOVH MOVHU
movx rw 1 -: MOVB MOVBU
add rrw|rm 8 -: ADDVU ADDV
sub rrw|rm 8 -: SUBVU SUBV
and rrw|rm 8 -: AND
or rrw|rm 8 -: OR
xor rrw|rm 8 -: XOR
shl rrw|rm 8 -: SLLV
shr rrw|rm 8 -: SRLV
alu rrw|rm 8 -: ADDU ADD SUBU SUB SLL SRL SRA SRAV NOR SGT SGTU ROTR ROTRV
alu rw 8 -: WSBH DSBH DSHD SEB SEH CLZ CLO
alu rrm 8 -: CMOVN CMOVZ
product rr 8 -: MULVU MULV MULU MULW
divide rr 8 -: DIVVU DIVV DIVU
branch rrr 8 -: BEQ BNE
branch rr 8 -: BGEZ BGTZ BLEZ BLTZ
jump r 8 -: JMP
call r 8 -: JAL CALL
ret r 8 -: RET
nop r| 8 -: NOOP SYNC
`

func init() {
	for _, name := range []string{"mips", "mips64"} {
		a, text := &arch{Arch: machine.Arches[name], source: mipsSource}, mipsTable
		if name == "mips64" {
			text = mips64Table
		}
		a.table = table(text)
		for n, s := range a.table {
			switch {
			case strings.HasPrefix(n, "DIV"):
				s.time = timeOperands
			case strings.HasPrefix(n, "MUL"), strings.HasPrefix(n, "MADD"):
				s.time = timeMultiply
			}
		}
		a.exec, a.branch = mipsExec, mipsBranch
		a.readVector = func(*state, *machine.Operand) origin { return 0 }
		a.writeVector = func(*state, *machine.Operand, origin, bool, *instruction) {}
		a.vectorWidth = func(*instruction) int64 { return 0 }
		a.refuse = mipsRefuse
		arches[name], arches[name+"le"] = a, a
	}
}

// mipsRefuse knows places with a base and an offset, in loads and stores alone.
func mipsRefuse(in *instruction) string {
	if len(in.Suffix) > 0 {
		return "this suffix is not known"
	}
	for i := range in.Args {
		o := &in.Args[i]
		if o.Kind == machine.KindMem && (o.Index >= 0 || !strings.HasPrefix(in.spec.op, "mov")) {
			return "an operand in memory"
		}
	}
	return plain(in)
}

func mipsBranch(x *run, s *state, in *instruction) {
	a, b := x.read(s, &in.Args[0], x.arch.Ptr), value{}
	op := strings.TrimSuffix(in.Op, "Z")
	if len(in.Args) == 3 {
		b = x.read(s, &in.Args[1], x.arch.Ptr)
	}
	if o := joinOrigin(a.secret, b.secret); o != 0 {
		x.report(kindBranch, "the branch depends on a secret (%s)", x.source(o))
		s.last = compared{}
	} else {
		s.last = compared{kind: 's', a: a, b: b, width: x.arch.Ptr, reg: in.Args[0].Reg + 1}
	}
	x.fork(s, map[string]string{"BEQ": "eq", "BNE": "ne", "BLT": "lt", "BGE": "ge", "BGT": "gt", "BLE": "le"}[op], false)
}

func mipsExec(x *run, s *state, in *instruction) {
	sp, n, ptr := in.spec, len(in.Args), x.arch.Ptr
	var last *machine.Operand
	if n > 0 {
		last = &in.Args[n-1]
	}
	switch sp.op {
	case "mov", "mov4", "movx":
		v := x.read(s, &in.Args[0], sp.width)
		if sp.op != "mov" && last.Kind == machine.KindReg && !v.isConstant() {
			v = value{secret: v.secret, m: 1}
		}
		x.write(s, last, sp.width, v, false)
		return
	case "add", "sub", "and", "or", "xor", "shl", "shr":
		a, b := x.read(s, &in.Args[0], ptr), x.read(s, last, ptr)
		if n == 3 {
			b = x.read(s, &in.Args[1], ptr)
		}
		if sp.op == "xor" && n == 3 && sameRegister(&in.Args[0], &in.Args[1]) {
			a, b = value{}, value{}
		}
		v := compute(sp.op, a, b)
		if sp.op == "shl" || sp.op == "shr" {
			v = shift(sp.op, a, b, ptr)
		}
		if sp.op == "and" {
			x.aligned(v, a, "and")
		}
		x.write(s, last, ptr, truncate(v, ptr, ptr), false)
		return
	case "product", "sum", "divide":
		o := joinOrigin(x.read(s, &in.Args[0], ptr).secret, x.read(s, &in.Args[1], ptr).secret)
		x.checkTime(sp, o)
		if sp.op == "sum" {
			o = joinOrigin(o, joinOrigin(s.regs[machine.HI].secret, s.regs[machine.LO].secret))
		}
		s.regs[machine.HI], s.regs[machine.LO] = value{secret: o, m: 1}, value{secret: o, m: 1}
		return
	case "nop":
		return
	}
	if in.Op == "MUL" {
		// HI and LO are unpredictable: they may have the product, or be as before.
		o := joinOrigin(x.read(s, &in.Args[0], ptr).secret, x.read(s, &in.Args[1], ptr).secret)
		for _, r := range []int{machine.HI, machine.LO} {
			s.regs[r] = value{secret: joinOrigin(o, s.regs[r].secret), m: 1}
		}
	}
	x.operate(s, in)
}
