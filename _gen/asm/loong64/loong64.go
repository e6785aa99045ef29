// Package loong64 has the instructions of LoongArch64 as values, in the syntax of Go's
// assembler: sources first, the result last. Generators import it by dot:
//
//	ADDVI(64, p, p)                 // ADDV $64, p, p
//	MOVV(8, p, x)                   // MOVV 8(p), x
//	SV(x, 8, p)                     // MOVV x, 8(p)
//	BNE(a, b, "loop")
//	LSX.Load(16, p, v)              // VMOVQ 16(p), v
//	LASX.ADD(W, a, b, d)            // XVADDW a, b, d: eight words
//
// A [Width] makes a kernel of one source for LSX and LASX: their registers are the same ones, of
// 128 and 256 bits, and most instructions of LASX do what those of LSX do in each half. Go's
// assembler has these instructions since 1.25 or later, but for loads and stores: they become
// words, with the text as a comment.
package loong64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/encoding"
)

// Classes of registers.
const (
	Integer asm.Class = iota
	Vector
)

// ZERO is R0.
var ZERO = asm.Reg{Class: Integer}

// R and V are registers by number. Kernels ask a Func for registers instead.
func R(n int) asm.Reg { return asm.Reg{Class: Integer, N: n} }

// V is a vector register by number.
func V(n int) asm.Reg { return asm.Reg{Class: Vector, N: n} }

// Target is the architecture. R1 to R3 and R22 belong to the ABI and the Go runtime, R30 to the
// assembler; R21 is reserved, and R31 is left out as well.
var Target = &asm.Target{
	Name: "loong64",
	Pool: map[asm.Class][]int{
		Integer: {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 23, 24, 25, 26, 27, 28, 29},
		Vector: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
			16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
	},
	Register: func(r asm.Reg) string {
		if r.Class == Integer {
			return fmt.Sprint("R", r.N)
		}
		return fmt.Sprint("V", r.N)
	},
	Integer: Integer,
	Move: func(size int, from string, to asm.Reg) asm.Op {
		name := map[int]string{8: "MOVV", 4: "MOVWU", 2: "MOVHU", 1: "MOVBU"}[size]
		return op(name, name+" "+from+", %v", nil, list(to))
	},
	Word:    "WORD",
	Pointer: 8,
}

// op makes an instruction whose text has reads and then writes. ZERO is in the text only.
func op(name, text string, reads, writes []asm.Reg) asm.Op {
	zero := func(r asm.Reg) bool { return r == ZERO }
	return asm.Op{
		Name: name, Text: text, Regs: slices.Concat(reads, writes),
		Reads:  slices.DeleteFunc(slices.Clone(reads), zero),
		Writes: slices.DeleteFunc(slices.Clone(writes), zero),
	}
}

func list(r ...asm.Reg) []asm.Reg { return r }

func three(name string, a, b, d asm.Reg) asm.Op {
	return op(name, name+" %v, %v, %v", list(a, b), list(d))
}

func two(name string, a, d asm.Reg) asm.Op { return op(name, name+" %v, %v", list(a), list(d)) }

func constant(name string, n int, a, d asm.Reg) asm.Op {
	return op(name, fmt.Sprintf("%s $%d, %%v, %%v", name, n), list(a), list(d))
}

// Arithmetic and logic: d = b op a, so that SUBV is b - a. Names with V are of 64 bits, those of
// 32 bits extend their result by its sign. SGTU is whether a is greater than b.

func ADDV(a, b, d asm.Reg) asm.Op   { return three("ADDV", a, b, d) }
func SUBV(a, b, d asm.Reg) asm.Op   { return three("SUBV", a, b, d) }
func ADD(a, b, d asm.Reg) asm.Op    { return three("ADD", a, b, d) }
func AND(a, b, d asm.Reg) asm.Op    { return three("AND", a, b, d) }
func ANDN(a, b, d asm.Reg) asm.Op   { return three("ANDN", a, b, d) }
func OR(a, b, d asm.Reg) asm.Op     { return three("OR", a, b, d) }
func XOR(a, b, d asm.Reg) asm.Op    { return three("XOR", a, b, d) }
func NOR(a, b, d asm.Reg) asm.Op    { return three("NOR", a, b, d) }
func SGTU(a, b, d asm.Reg) asm.Op   { return three("SGTU", a, b, d) }
func MULV(a, b, d asm.Reg) asm.Op   { return three("MULV", a, b, d) }
func MULHVU(a, b, d asm.Reg) asm.Op { return three("MULHVU", a, b, d) }

// MASKEQZ is a, or 0 if c is 0.
func MASKEQZ(c, a, d asm.Reg) asm.Op { return three("MASKEQZ", c, a, d) }

// Sums and logic with a constant of 12 bits, with a sign for sums.

func ADDVI(n int, a, d asm.Reg) asm.Op { return constant("ADDV", n, a, d) }
func ANDI(n int, a, d asm.Reg) asm.Op  { return constant("AND", n, a, d) }
func XORI(n int, a, d asm.Reg) asm.Op  { return constant("XOR", n, a, d) }
func SGTUI(n int, a, d asm.Reg) asm.Op { return constant("SGTU", n, a, d) }

// Shifts by n of 64 bits, and a rotation of 32.

func SLLVI(n int, a, d asm.Reg) asm.Op { return constant("SLLV", n, a, d) }
func SRLVI(n int, a, d asm.Reg) asm.Op { return constant("SRLV", n, a, d) }
func SRAVI(n int, a, d asm.Reg) asm.Op { return constant("SRAV", n, a, d) }
func ROTRI(n int, a, d asm.Reg) asm.Op { return constant("ROTR", n, a, d) }

// ALSLV is b + 2^n a, and BSTRINSV replaces the bits high to low of d by the lowest bits of a.

func ALSLV(n int, a, b, d asm.Reg) asm.Op {
	o := op("ALSLV", fmt.Sprintf("ALSLV $%d, %%v, %%v, %%v", n), list(a, b), list(d))
	o.Code = func(r []int) []uint32 { return []uint32{encoding.LoongVector("ALSLV", n, r[1], r[0], r[2])} }
	return o
}

func BSTRINSV(high int, a asm.Reg, low int, d asm.Reg) asm.Op {
	return keep(op("BSTRINSV", fmt.Sprintf("BSTRINSV $%d, %%v, $%d, %%v", high, low), list(a), list(d)))
}

// MOVR copies a register, MOVI a constant of any size.

func MOVR(a, d asm.Reg) asm.Op     { return two("MOVV", a, d) }
func MOVI(n int, d asm.Reg) asm.Op { return op("MOVV", fmt.Sprintf("MOVV $%d, %%v", n), nil, list(d)) }

// Address is the address of a table or of memory on the stack.
func Address[A *asm.Table | asm.Local](a A, d asm.Reg) asm.Op {
	text := ""
	switch a := any(a).(type) {
	case *asm.Table:
		text = a.Symbol()
	case asm.Local:
		text = a.At(0)
	}
	return op("MOVV", "MOVV $"+text+", %v", nil, list(d))
}

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

// Loads of 64 and 32 bits, extended by zeros (U) or the sign.

func MOVV(offset int, base, d asm.Reg) asm.Op  { return load("MOVV", offset, base, d) }
func MOVWU(offset int, base, d asm.Reg) asm.Op { return load("MOVWU", offset, base, d) }
func MOVW(offset int, base, d asm.Reg) asm.Op  { return load("MOVW", offset, base, d) }

// Stores of 64 and 32 bits.

func SV(a asm.Reg, offset int, base asm.Reg) asm.Op { return store("MOVV", a, offset, base) }
func SW(a asm.Reg, offset int, base asm.Reg) asm.Op { return store("MOVW", a, offset, base) }

// LocalV and SetLocalV load and store 64 bits of memory on the stack, at a place from [asm.Local.At].

func LocalV(place string, d asm.Reg) asm.Op {
	return access(op("MOVV", "MOVV "+place+", %v", nil, list(d)), asm.Load)
}

func SetLocalV(a asm.Reg, place string) asm.Op {
	return access(op("MOVV", "MOVV %v, "+place, list(a), nil), asm.Store)
}

// SetResult stores a result of the function at a place from [asm.Func.Result].
func SetResult(a asm.Reg, place string) asm.Op { return SetLocalV(a, place) }

// Branches if a op b, U without sign.

func BEQ(a, b asm.Reg, to string) asm.Op  { return branch("BEQ", to, a, b) }
func BNE(a, b asm.Reg, to string) asm.Op  { return branch("BNE", to, a, b) }
func BLTU(a, b asm.Reg, to string) asm.Op { return branch("BLTU", to, a, b) }
func BGEU(a, b asm.Reg, to string) asm.Op { return branch("BGEU", to, a, b) }

func branch(name, to string, r ...asm.Reg) asm.Op {
	o := op(name, name+" "+strings.Repeat("%v, ", len(r))+to, r, nil)
	o.Flow, o.To = asm.Branch, to
	return o
}

// JMP goes to a label.
func JMP(to string) asm.Op {
	o := branch("JMP", to)
	o.Flow = asm.Jump
	return o
}

// RET returns.
func RET() asm.Op { return asm.Op{Name: "RET", Text: "RET", Flow: asm.Return} }
