package arm64

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// A Source is the first operand of an instruction: a register, a shifted register or a
// constant.
type Source interface {
	asm.Reg | Shifted | int | uint64
}

// A Shifted is a register that an instruction shifts before it uses it.
type Shifted struct {
	reg   asm.Reg
	shift string
}

// Left is r<<n as an operand.
func Left(r asm.Reg, n int) Shifted { return Shifted{r, fmt.Sprint("<<", n)} }

// Right is r>>n as an operand.
func Right(r asm.Reg, n int) Shifted { return Shifted{r, fmt.Sprint(">>", n)} }

// Rotated is r as an operand, rotated to the right by n.
func Rotated(r asm.Reg, n int) Shifted { return Shifted{r, fmt.Sprint("@>", n)} }

func source(s any) (string, []asm.Reg) {
	switch s := s.(type) {
	case asm.Reg:
		return "%v", list(s)
	case Shifted:
		return "%v" + s.shift, list(s.reg)
	case int:
		return fmt.Sprint("$", s), nil
	case uint64:
		return fmt.Sprintf("$%#x", s), nil
	}
	panic("arm64: no operand")
}

// integer makes an instruction of a source, other registers, and the result.
func integer(name string, s any, regs ...asm.Reg) asm.Op {
	text, reads := source(s)
	n := len(regs) - 1
	return op(name, name+" "+text+strings.Repeat(", %v", len(regs)), append(reads, regs[:n]...), regs[n:])
}

// compare makes an instruction that writes only flags.
func compare(name string, s any, a asm.Reg) asm.Op {
	text, reads := source(s)
	return flags(op(name, name+" "+text+", %v", append(reads, a), nil))
}

// Arithmetic and logic: d = b op a.

func ADD[A Source](a A, b, d asm.Reg) asm.Op   { return integer("ADD", a, b, d) }
func ADDW[A Source](a A, b, d asm.Reg) asm.Op  { return integer("ADDW", a, b, d) }
func SUB[A Source](a A, b, d asm.Reg) asm.Op   { return integer("SUB", a, b, d) }
func SUBW[A Source](a A, b, d asm.Reg) asm.Op  { return integer("SUBW", a, b, d) }
func AND[A Source](a A, b, d asm.Reg) asm.Op   { return integer("AND", a, b, d) }
func ANDW[A Source](a A, b, d asm.Reg) asm.Op  { return integer("ANDW", a, b, d) }
func ORR[A Source](a A, b, d asm.Reg) asm.Op   { return integer("ORR", a, b, d) }
func ORRW[A Source](a A, b, d asm.Reg) asm.Op  { return integer("ORRW", a, b, d) }
func EOR[A Source](a A, b, d asm.Reg) asm.Op   { return integer("EOR", a, b, d) }
func EORW[A Source](a A, b, d asm.Reg) asm.Op  { return integer("EORW", a, b, d) }
func BIC[A Source](a A, b, d asm.Reg) asm.Op   { return integer("BIC", a, b, d) }
func BICW[A Source](a A, b, d asm.Reg) asm.Op  { return integer("BICW", a, b, d) }
func EON[A Source](a A, b, d asm.Reg) asm.Op   { return integer("EON", a, b, d) }
func ORN[A Source](a A, b, d asm.Reg) asm.Op   { return integer("ORN", a, b, d) }
func ADDS[A Source](a A, b, d asm.Reg) asm.Op  { return flags(integer("ADDS", a, b, d)) }
func ADDSW[A Source](a A, b, d asm.Reg) asm.Op { return flags(integer("ADDSW", a, b, d)) }
func SUBS[A Source](a A, b, d asm.Reg) asm.Op  { return flags(integer("SUBS", a, b, d)) }
func SUBSW[A Source](a A, b, d asm.Reg) asm.Op { return flags(integer("SUBSW", a, b, d)) }
func ANDS[A Source](a A, b, d asm.Reg) asm.Op  { return flags(integer("ANDS", a, b, d)) }
func ADC(a, b, d asm.Reg) asm.Op               { return withReads(integer("ADC", a, b, d), Flags) }
func SBC(a, b, d asm.Reg) asm.Op               { return withReads(integer("SBC", a, b, d), Flags) }
func ADCS(a, b, d asm.Reg) asm.Op              { return flags(withReads(integer("ADCS", a, b, d), Flags)) }
func SBCS(a, b, d asm.Reg) asm.Op              { return flags(withReads(integer("SBCS", a, b, d), Flags)) }

// Comparisons: the flags of a - b, a + b and a & b, where b is the first operand.

func CMP[B Source](b B, a asm.Reg) asm.Op  { return compare("CMP", b, a) }
func CMPW[B Source](b B, a asm.Reg) asm.Op { return compare("CMPW", b, a) }
func CMN[B Source](b B, a asm.Reg) asm.Op  { return compare("CMN", b, a) }
func TST[B Source](b B, a asm.Reg) asm.Op  { return compare("TST", b, a) }

// Multiplications: d = a b, and d = c + a b and d = c - a b in the order a, c, b, d.

func MUL(a, b, d asm.Reg) asm.Op       { return integer("MUL", a, b, d) }
func MULW(a, b, d asm.Reg) asm.Op      { return integer("MULW", a, b, d) }
func UMULH(a, b, d asm.Reg) asm.Op     { return integer("UMULH", a, b, d) }
func SMULH(a, b, d asm.Reg) asm.Op     { return integer("SMULH", a, b, d) }
func UMULL(a, b, d asm.Reg) asm.Op     { return integer("UMULL", a, b, d) }
func MADD(a, c, b, d asm.Reg) asm.Op   { return integer("MADD", a, c, b, d) }
func MSUB(a, c, b, d asm.Reg) asm.Op   { return integer("MSUB", a, c, b, d) }
func UMADDL(a, c, b, d asm.Reg) asm.Op { return integer("UMADDL", a, c, b, d) }

// Shifts and rotations of b by a.

func LSL[A Source](a A, b, d asm.Reg) asm.Op  { return integer("LSL", a, b, d) }
func LSLW[A Source](a A, b, d asm.Reg) asm.Op { return integer("LSLW", a, b, d) }
func LSR[A Source](a A, b, d asm.Reg) asm.Op  { return integer("LSR", a, b, d) }
func LSRW[A Source](a A, b, d asm.Reg) asm.Op { return integer("LSRW", a, b, d) }
func ASR[A Source](a A, b, d asm.Reg) asm.Op  { return integer("ASR", a, b, d) }
func ROR[A Source](a A, b, d asm.Reg) asm.Op  { return integer("ROR", a, b, d) }
func RORW[A Source](a A, b, d asm.Reg) asm.Op { return integer("RORW", a, b, d) }

// EXTR is the low half of b:a >> n.
func EXTR(n int, a, b, d asm.Reg) asm.Op { return integer("EXTR", n, a, b, d) }

// UBFX is width bits of a from bit n on.
func UBFX(n int, a asm.Reg, width int, d asm.Reg) asm.Op {
	return op("UBFX", fmt.Sprintf("UBFX $%d, %%v, $%d, %%v", n, width), list(a), list(d))
}

// SBFX is UBFX with the sign of the highest of these bits.
func SBFX(n int, a asm.Reg, width int, d asm.Reg) asm.Op {
	return op("SBFX", fmt.Sprintf("SBFX $%d, %%v, $%d, %%v", n, width), list(a), list(d))
}

// BFI replaces width bits of d from bit n on by the low ones of a.
func BFI(n int, a asm.Reg, width int, d asm.Reg) asm.Op {
	return withReads(op("BFI", fmt.Sprintf("BFI $%d, %%v, $%d, %%v", n, width), list(a), list(d)), d)
}

// Instructions with one operand.

func REV(a, d asm.Reg) asm.Op   { return integer("REV", a, d) }
func REVW(a, d asm.Reg) asm.Op  { return integer("REVW", a, d) }
func REV16(a, d asm.Reg) asm.Op { return integer("REV16", a, d) }
func REV32(a, d asm.Reg) asm.Op { return integer("REV32", a, d) }
func RBIT(a, d asm.Reg) asm.Op  { return integer("RBIT", a, d) }
func CLZ(a, d asm.Reg) asm.Op   { return integer("CLZ", a, d) }
func MVN(a, d asm.Reg) asm.Op   { return integer("MVN", a, d) }
func NEG(a, d asm.Reg) asm.Op   { return integer("NEG", a, d) }

// A Cond is a condition of the flags.
type Cond string

// Conditions.
const (
	EQ Cond = "EQ"
	NE Cond = "NE"
	HS Cond = "HS"
	LO Cond = "LO"
	MI Cond = "MI"
	PL Cond = "PL"
	HI Cond = "HI"
	LS Cond = "LS"
	GE Cond = "GE"
	LT Cond = "LT"
	GT Cond = "GT"
	LE Cond = "LE"
)

// CSEL sets d to a if the condition holds and to b otherwise.
func CSEL(c Cond, a, b, d asm.Reg) asm.Op {
	return withReads(op("CSEL", "CSEL "+string(c)+", %v, %v, %v", list(a, b), list(d)), Flags)
}

// CNEG sets d to -a if the condition holds and to a otherwise.
func CNEG(c Cond, a, d asm.Reg) asm.Op {
	return withReads(op("CNEG", "CNEG "+string(c)+", %v, %v", list(a), list(d)), Flags)
}

// CINV sets d to the complement of a if the condition holds and to a otherwise.
func CINV(c Cond, a, d asm.Reg) asm.Op {
	return withReads(op("CINV", "CINV "+string(c)+", %v, %v", list(a), list(d)), Flags)
}

// CSET sets d to 1 if the condition holds and to 0 otherwise.
func CSET(c Cond, d asm.Reg) asm.Op {
	return withReads(op("CSET", "CSET "+string(c)+", %v", nil, list(d)), Flags)
}

// CSETM sets d to -1 if the condition holds and to 0 otherwise.
func CSETM(c Cond, d asm.Reg) asm.Op {
	return withReads(op("CSETM", "CSETM "+string(c)+", %v", nil, list(d)), Flags)
}

// MRS reads a system register.
func MRS(name string, d asm.Reg) asm.Op { return op("MRS", "MRS "+name+", %v", nil, list(d)) }

// branch makes an instruction that goes to a label.
func branch(name, operand, to string, reads ...asm.Reg) asm.Op {
	o := op(name, name+" "+operand+to, reads, nil)
	o.Flow, o.To = asm.Branch, to
	return o
}

// condition makes a branch that depends on flags.
func condition(name, to string) asm.Op { return withReads(branch(name, "", to), Flags) }

// Branches.

func CBZ(r asm.Reg, to string) asm.Op   { return branch("CBZ", "%v, ", to, r) }
func CBZW(r asm.Reg, to string) asm.Op  { return branch("CBZW", "%v, ", to, r) }
func CBNZ(r asm.Reg, to string) asm.Op  { return branch("CBNZ", "%v, ", to, r) }
func CBNZW(r asm.Reg, to string) asm.Op { return branch("CBNZW", "%v, ", to, r) }
func TBZ(bit int, r asm.Reg, to string) asm.Op {
	return branch("TBZ", fmt.Sprintf("$%d, %%v, ", bit), to, r)
}
func TBNZ(bit int, r asm.Reg, to string) asm.Op {
	return branch("TBNZ", fmt.Sprintf("$%d, %%v, ", bit), to, r)
}
func BEQ(to string) asm.Op { return condition("BEQ", to) }
func BNE(to string) asm.Op { return condition("BNE", to) }
func BHS(to string) asm.Op { return condition("BHS", to) }
func BLO(to string) asm.Op { return condition("BLO", to) }
func BMI(to string) asm.Op { return condition("BMI", to) }
func BPL(to string) asm.Op { return condition("BPL", to) }
func BHI(to string) asm.Op { return condition("BHI", to) }
func BLS(to string) asm.Op { return condition("BLS", to) }
func BGE(to string) asm.Op { return condition("BGE", to) }
func BLT(to string) asm.Op { return condition("BLT", to) }
func BGT(to string) asm.Op { return condition("BGT", to) }
func BLE(to string) asm.Op { return condition("BLE", to) }

// B goes to a label.
func B(to string) asm.Op {
	o := branch("B", "", to)
	o.Flow = asm.Jump
	return o
}

// RET returns.
func RET() asm.Op { return asm.Op{Name: "RET", Text: "RET", Flow: asm.Return} }
