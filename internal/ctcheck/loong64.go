package ctcheck

import (
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// LoongArch promises nothing about the time of instructions. Look-ups inside registers by secret
// indices (VSHUFB) are counted and printed, as on riscv64.
const loongSource = "LoongArch promises nothing"

// In Go's order of operands the destination is last. SUBV a, b, c is c = b - a. The instructions of
// LSX have twins of LASX, which loongTwins makes.
const loongTable = `
mov rw 8 -: MOVV
mov4 rw 4 -: MOVW MOVWU
movx rw 2 -: MOVH MOVHU
movx rw 1 -: MOVB MOVBU
add rrw|rm 8 -: ADDV
sub rrw|rm 8 -: SUBV
and rrw|rm 8 -: AND
or rrw|rm 8 -: OR
xor rrw|rm 8 -: XOR
shl rrw|rm 8 -: SLLV
shr rrw|rm 8 -: SRLV
alu rrw|rm 8 -: ADD SUB ANDN ORN NOR SLL SRL SRA SRAV SGT SGTU ROTR ROTRV MULV MULHVU MASKEQZ MASKNEZ
alu rw 8 -: REVB2W REVBV
alu rrrw 8 -: ALSLV
alu rrrm 8 -: BSTRINSV
alu rrw|rm 8 -: DIVV DIVVU REMV REMVU
branch rrr 8 -: BEQ BNE BLT BGE BLTU BGEU
jump r 8 -: JMP
call r 8 -: JAL CALL
ret r 8 -: RET
nop r| 8 -: NOOP
vmov rw 16 -: VMOVQ
vmov rw 4 -: VLDREPLW
vec rrw 8 -: VADDB VADDH VADDW VADDV VSUBB VSUBH VSUBW VSUBV VANDV VORV VXORV VNORV VANDNV VORNV VROTRIB VROTRIH VROTRIW VROTRIV VSLLIB VSLLIH VSLLIW VSLLIV VSRLIB VSRLIH VSRLIW VSRLIV VANDIB VMULWEVVWU VMULWODVWU VMULH VMULW
vec rrw 8 -: VILVLB VILVLH VILVLW VILVLV VILVHB VILVHH VILVHW VILVHV VPACKEVB VPACKEVH VPACKEVW VPACKEVV VPACKODB VPACKODH VPACKODW VPACKODV VPICKEVB VPICKEVH VPICKEVW VPICKEVV VPICKODB VPICKODH VPICKODW VPICKODV VSHUF4IB VSHUF4IH VSHUF4IW VBSLLV VBSRLV VPERMIV VPICKVE2GRV
vec rrm 8 -: VMADDWEVVWU VMADDWODVWU VMADDH VPERMIQ VINSGR2VRV
vec rw 8 -: VREPLGR2VRB VREPLGR2VRH VREPLGR2VRW VREPLGR2VRV
vec rrrw 8 -: VBITSELV
gather rrrw 8 -: VSHUFB
`

func init() {
	a := &arch{Arch: machine.Arches["loong64"], source: loongSource, table: table(loongTable)}
	for n, s := range a.table {
		switch {
		case strings.HasPrefix(n, "DIV"), strings.HasPrefix(n, "REM"):
			s.time = timeOperands
		case strings.Contains(n, "MUL"), strings.Contains(n, "MADD"):
			s.time = timeMultiply
		}
		if n[0] == 'V' {
			twin := *s
			if n == "VMOVQ" {
				twin.width = 32
			}
			a.table["X"+n] = &twin
		}
	}
	// These are of LASX alone.
	delete(a.table, "VPERMIQ")
	delete(a.table, "VPERMIV")
	a.exec, a.branch, a.refuse = loongExec, riscvBranch, loongRefuse
	a.readVector = func(s *state, o *machine.Operand) origin {
		if o.Shape == 'v' {
			return s.regs[firstVector+o.Reg].secret
		}
		return s.riscvBoth(o.Reg)
	}
	// What an instruction of LSX leaves in the upper half of a register is not defined.
	a.writeVector = func(s *state, o *machine.Operand, v origin, merge bool, in *instruction) {
		low, high := &s.regs[firstVector+o.Reg], &s.regs[firstHigh+o.Reg]
		*low = value{secret: v, m: 1}
		if o.Shape == 'v' {
			v = joinOrigin(v, high.secret)
		}
		*high = value{secret: v, m: 1}
	}
	a.vectorWidth = func(*instruction) int64 { return 0 }
	arches[a.Name] = a
}

// loongTemporary is a register that the assembler uses.
const loongTemporary = 30

// loongRefuse knows places with a base and an offset, in loads and stores alone, and registers of
// the size that the instruction has.
func loongRefuse(in *instruction) string {
	if mentions(in, loongTemporary) {
		return "the assembler uses R30"
	}
	if len(in.Suffix) > 0 {
		return "this suffix is not known"
	}
	shape := byte('r')
	switch {
	case strings.HasPrefix(in.Op, "XV"):
		shape = 'x'
	case in.Op[0] == 'V':
		shape = 'v'
	}
	for i := range in.Args {
		o := &in.Args[i]
		switch {
		case o.Kind == machine.KindMem && (o.Index >= 0 || !strings.Contains(in.spec.op, "mov")):
			return "an operand in memory"
		case o.Kind == machine.KindReg && o.Shape != 'r' && o.Shape != shape:
			return "a register of another size"
		case o.Kind == machine.KindReg && o.Shape == 'r' && in.spec.op == "vmov":
			return "this form of a move is not known"
		}
	}
	return plain(in)
}

func loongExec(x *run, s *state, in *instruction) {
	if in.spec.op == "gather" && x.read(s, &in.Args[0], 0).secret != 0 {
		x.gathers = true
	}
	mipsExec(x, s, in)
}
