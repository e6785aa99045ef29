package riscv64

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// Arithmetic and logic: d = b op a.

func ADD(a, b, d asm.Reg) asm.Op  { return operands("ADD", a, b, d) }
func ADDW(a, b, d asm.Reg) asm.Op { return operands("ADDW", a, b, d) }
func SUB(a, b, d asm.Reg) asm.Op  { return operands("SUB", a, b, d) }
func SUBW(a, b, d asm.Reg) asm.Op { return operands("SUBW", a, b, d) }
func AND(a, b, d asm.Reg) asm.Op  { return operands("AND", a, b, d) }
func OR(a, b, d asm.Reg) asm.Op   { return operands("OR", a, b, d) }
func XOR(a, b, d asm.Reg) asm.Op  { return operands("XOR", a, b, d) }
func SLT(a, b, d asm.Reg) asm.Op  { return operands("SLT", a, b, d) }
func SLTU(a, b, d asm.Reg) asm.Op { return operands("SLTU", a, b, d) }

// The same with a constant of 12 bits, -2048 to 2047.

func ADDI(n int, a, d asm.Reg) asm.Op  { return operands("ADDI", n, a, d) }
func ADDIW(n int, a, d asm.Reg) asm.Op { return operands("ADDIW", n, a, d) }
func ANDI(n int, a, d asm.Reg) asm.Op  { return operands("ANDI", n, a, d) }
func ORI(n int, a, d asm.Reg) asm.Op   { return operands("ORI", n, a, d) }
func XORI(n int, a, d asm.Reg) asm.Op  { return operands("XORI", n, a, d) }
func SLTI(n int, a, d asm.Reg) asm.Op  { return operands("SLTI", n, a, d) }
func SLTIU(n int, a, d asm.Reg) asm.Op { return operands("SLTIU", n, a, d) }

// Shifts of b by a or by n. W is of the lower 32 bits, which are then extended by their sign.

func SLL(a, b, d asm.Reg) asm.Op       { return operands("SLL", a, b, d) }
func SLLW(a, b, d asm.Reg) asm.Op      { return operands("SLLW", a, b, d) }
func SRL(a, b, d asm.Reg) asm.Op       { return operands("SRL", a, b, d) }
func SRLW(a, b, d asm.Reg) asm.Op      { return operands("SRLW", a, b, d) }
func SRA(a, b, d asm.Reg) asm.Op       { return operands("SRA", a, b, d) }
func SRAW(a, b, d asm.Reg) asm.Op      { return operands("SRAW", a, b, d) }
func SLLI(n int, a, d asm.Reg) asm.Op  { return operands("SLLI", n, a, d) }
func SLLIW(n int, a, d asm.Reg) asm.Op { return operands("SLLIW", n, a, d) }
func SRLI(n int, a, d asm.Reg) asm.Op  { return operands("SRLI", n, a, d) }
func SRLIW(n int, a, d asm.Reg) asm.Op { return operands("SRLIW", n, a, d) }
func SRAI(n int, a, d asm.Reg) asm.Op  { return operands("SRAI", n, a, d) }
func SRAIW(n int, a, d asm.Reg) asm.Op { return operands("SRAIW", n, a, d) }

// Multiplications. MULH, MULHU and MULHSU are the upper halves of products: signed, unsigned,
// and of a signed b and an unsigned a.

func MUL(a, b, d asm.Reg) asm.Op    { return operands("MUL", a, b, d) }
func MULW(a, b, d asm.Reg) asm.Op   { return operands("MULW", a, b, d) }
func MULH(a, b, d asm.Reg) asm.Op   { return operands("MULH", a, b, d) }
func MULHU(a, b, d asm.Reg) asm.Op  { return operands("MULHU", a, b, d) }
func MULHSU(a, b, d asm.Reg) asm.Op { return operands("MULHSU", a, b, d) }

// Instructions with one operand. SEQZ and SNEZ are whether a is 0 and is not.

func NEG(a, d asm.Reg) asm.Op  { return operands("NEG", a, d) }
func NEGW(a, d asm.Reg) asm.Op { return operands("NEGW", a, d) }
func NOT(a, d asm.Reg) asm.Op  { return operands("NOT", a, d) }
func SEQZ(a, d asm.Reg) asm.Op { return operands("SEQZ", a, d) }
func SNEZ(a, d asm.Reg) asm.Op { return operands("SNEZ", a, d) }

// Zba: SH1ADD is a + 2b, and so on. UW takes the lower 32 bits of b without sign.

func SH1ADD(a, b, d asm.Reg) asm.Op     { return operands("SH1ADD", a, b, d) }
func SH2ADD(a, b, d asm.Reg) asm.Op     { return operands("SH2ADD", a, b, d) }
func SH3ADD(a, b, d asm.Reg) asm.Op     { return operands("SH3ADD", a, b, d) }
func ADDUW(a, b, d asm.Reg) asm.Op      { return operands("ADDUW", a, b, d) }
func SH1ADDUW(a, b, d asm.Reg) asm.Op   { return operands("SH1ADDUW", a, b, d) }
func SH2ADDUW(a, b, d asm.Reg) asm.Op   { return operands("SH2ADDUW", a, b, d) }
func SH3ADDUW(a, b, d asm.Reg) asm.Op   { return operands("SH3ADDUW", a, b, d) }
func SLLIUW(n int, a, d asm.Reg) asm.Op { return operands("SLLIUW", n, a, d) }

// Zbb that Go's assembler encodes for every profile. words.go has the others.

func CLZ(a, d asm.Reg) asm.Op   { return operands("CLZ", a, d) }
func CLZW(a, d asm.Reg) asm.Op  { return operands("CLZW", a, d) }
func CTZ(a, d asm.Reg) asm.Op   { return operands("CTZ", a, d) }
func CTZW(a, d asm.Reg) asm.Op  { return operands("CTZW", a, d) }
func CPOP(a, d asm.Reg) asm.Op  { return operands("CPOP", a, d) }
func CPOPW(a, d asm.Reg) asm.Op { return operands("CPOPW", a, d) }
func SEXTB(a, d asm.Reg) asm.Op { return operands("SEXTB", a, d) }
func SEXTH(a, d asm.Reg) asm.Op { return operands("SEXTH", a, d) }
func ZEXTH(a, d asm.Reg) asm.Op { return operands("ZEXTH", a, d) }
func REV8(a, d asm.Reg) asm.Op  { return operands("REV8", a, d) }
func ORCB(a, d asm.Reg) asm.Op  { return operands("ORCB", a, d) }

// Zicond: d = b, or 0 if a is 0 (CZEROEQZ) or not (CZERONEZ).

func CZEROEQZ(a, b, d asm.Reg) asm.Op { return operands("CZEROEQZ", a, b, d) }
func CZERONEZ(a, b, d asm.Reg) asm.Op { return operands("CZERONEZ", a, b, d) }

// MOVR copies a register, MOVI a constant of any size.

func MOVR(a, d asm.Reg) asm.Op     { return operands("MOV", a, d) }
func MOVI(n int, d asm.Reg) asm.Op { return operands("MOV", n, d) }

// CSRR reads a control register, such as VLENB.
func CSRR(name string, d asm.Reg) asm.Op {
	return op("CSRRS", "CSRRS X0, "+name+", %v", nil, list(d))
}

// Address is the address of a table or of memory on the stack.
func Address[A *asm.Table | asm.Local](a A, d asm.Reg) asm.Op {
	text := ""
	switch a := any(a).(type) {
	case *asm.Table:
		text = a.Symbol()
	case asm.Local:
		text = a.At(0)
	}
	return op("MOV", "MOV $"+text+", %v", nil, list(d))
}

// access makes a load or store of a part of a register.
func access(o asm.Op, a asm.Access) asm.Op {
	o.Memory = a
	return o
}

func load(name string, offset int, base, d asm.Reg) asm.Op {
	return access(op(name, name+" "+displaced(offset)+", %v", list(base), list(d)), asm.Load)
}

func store(name string, a asm.Reg, offset int, base asm.Reg) asm.Op {
	return access(op(name, name+" %v, "+displaced(offset), list(a, base), nil), asm.Store)
}

func displaced(n int) string {
	if n == 0 {
		return "(%v)"
	}
	return fmt.Sprint(n) + "(%v)"
}

// Loads of 64, 32, 16 and 8 bits, extended by zeros (U) or the sign.

func MOV(offset int, base, d asm.Reg) asm.Op   { return load("MOV", offset, base, d) }
func MOVWU(offset int, base, d asm.Reg) asm.Op { return load("MOVWU", offset, base, d) }
func MOVW(offset int, base, d asm.Reg) asm.Op  { return load("MOVW", offset, base, d) }
func MOVHU(offset int, base, d asm.Reg) asm.Op { return load("MOVHU", offset, base, d) }
func MOVH(offset int, base, d asm.Reg) asm.Op  { return load("MOVH", offset, base, d) }
func MOVBU(offset int, base, d asm.Reg) asm.Op { return load("MOVBU", offset, base, d) }
func MOVB(offset int, base, d asm.Reg) asm.Op  { return load("MOVB", offset, base, d) }

// Stores of 64, 32, 16 and 8 bits. Their names are those of RISC-V, because those of Go are
// loads here.

func SD(a asm.Reg, offset int, base asm.Reg) asm.Op { return store("MOV", a, offset, base) }
func SW(a asm.Reg, offset int, base asm.Reg) asm.Op { return store("MOVW", a, offset, base) }
func SH(a asm.Reg, offset int, base asm.Reg) asm.Op { return store("MOVH", a, offset, base) }
func SB(a asm.Reg, offset int, base asm.Reg) asm.Op { return store("MOVB", a, offset, base) }

// LocalWU and SetLocalW load and store 32 bits of memory on the stack, at a place from
// [asm.Local.At].

func LocalWU(place string, d asm.Reg) asm.Op {
	return In("locals", access(op("MOVWU", "MOVWU "+place+", %v", nil, list(d)), asm.Load))
}

func SetLocalW(a asm.Reg, place string) asm.Op {
	return In("locals", access(op("MOVW", "MOVW %v, "+place, list(a), nil), asm.Store))
}

// LocalD and SetLocalD are the same for 64 bits.

func LocalD(place string, d asm.Reg) asm.Op {
	return In("locals", access(op("MOV", "MOV "+place+", %v", nil, list(d)), asm.Load))
}

func SetLocalD(a asm.Reg, place string) asm.Op {
	return In("locals", access(op("MOV", "MOV %v, "+place, list(a), nil), asm.Store))
}

// SetResult stores a result of the function at a place from [asm.Func.Result].
func SetResult(a asm.Reg, place string) asm.Op {
	return In("results", access(op("MOV", "MOV %v, "+place, list(a), nil), asm.Store))
}

// branch makes an instruction that goes to a label.
func branch(name, to string, r ...asm.Reg) asm.Op {
	o := op(name, name+" "+strings.Repeat("%v, ", len(r))+to, r, nil)
	o.Flow, o.To = asm.Branch, to
	return o
}

// Branches if a op b, U without sign, or a op 0.

func BEQ(a, b asm.Reg, to string) asm.Op  { return branch("BEQ", to, a, b) }
func BNE(a, b asm.Reg, to string) asm.Op  { return branch("BNE", to, a, b) }
func BLT(a, b asm.Reg, to string) asm.Op  { return branch("BLT", to, a, b) }
func BLTU(a, b asm.Reg, to string) asm.Op { return branch("BLTU", to, a, b) }
func BGE(a, b asm.Reg, to string) asm.Op  { return branch("BGE", to, a, b) }
func BGEU(a, b asm.Reg, to string) asm.Op { return branch("BGEU", to, a, b) }
func BEQZ(a asm.Reg, to string) asm.Op    { return branch("BEQZ", to, a) }
func BNEZ(a asm.Reg, to string) asm.Op    { return branch("BNEZ", to, a) }
func BLTZ(a asm.Reg, to string) asm.Op    { return branch("BLTZ", to, a) }
func BGEZ(a asm.Reg, to string) asm.Op    { return branch("BGEZ", to, a) }
func BGTZ(a asm.Reg, to string) asm.Op    { return branch("BGTZ", to, a) }
func BLEZ(a asm.Reg, to string) asm.Op    { return branch("BLEZ", to, a) }

// JMP goes to a label.
func JMP(to string) asm.Op {
	o := branch("JMP", to)
	o.Flow = asm.Jump
	return o
}

// RET returns.
func RET() asm.Op { return asm.Op{Name: "RET", Text: "RET", Flow: asm.Return} }
