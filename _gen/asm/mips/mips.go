// Package mips has the instructions of MIPS32 and MIPS64 as values, in the syntax of Go's
// assembler: sources first, the result last. Generators import it by dot:
//
//	ADDU(a, b, d)                   // ADDU a, b, d: the lower 32 bits of b + a
//	LW(8, p, x)                     // MOVW 8(p), x
//	SW(x, 8, p)                     // MOVW x, 8(p)
//	MADDU(a, b)                     // HI:LO += a b, a word: Go's assembler lacks it
//	BNE(a, b, "loop")
//
// The assembler fills the delay slots of branches with NOP. Words of 32 bits are extended by
// their sign on MIPS64.
package mips

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
	Control
)

// HI and LO have the result of a multiplication. ZERO is R0.
var (
	HI   = asm.Reg{Class: Control}
	LO   = asm.Reg{Class: Control, N: 1}
	ZERO = asm.Reg{Class: Integer}
)

// R is a register by number. Kernels ask a Func for registers instead.
func R(n int) asm.Reg { return asm.Reg{Class: Integer, N: n} }

// Target returns the architecture mips, mipsle, mips64 or mips64le. R23 belongs to the
// assembler, R26 and R27 to the kernel, R28 to R31 to the ABI and the Go runtime.
func Target(goarch string) *asm.Target {
	pointer := 4
	if strings.Contains(goarch, "64") {
		pointer = 8
	}
	return &asm.Target{
		Name: goarch,
		Pool: map[asm.Class][]int{
			Integer: {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25},
		},
		Register: func(r asm.Reg) string { return fmt.Sprint("R", r.N) },
		Integer:  Integer,
		Move: func(size int, from string, to asm.Reg) asm.Op {
			name := map[int]string{8: "MOVV", 4: "MOVW", 2: "MOVHU", 1: "MOVBU"}[size]
			return op(name, name+" "+from+", %v", nil, list(to))
		},
		Word:      "WORD",
		Pointer:   pointer,
		BigEndian: !strings.HasSuffix(goarch, "le"),
	}
}

// op makes an instruction whose text has reads and then writes. ZERO, HI and LO are not
// in the text by %v.
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

func constant(name string, n int, a, d asm.Reg) asm.Op {
	return op(name, fmt.Sprintf("%s $%d, %%v, %%v", name, n), list(a), list(d))
}

// Arithmetic and logic: d = b op a, so that SUBU is b - a. Names with V are of 64 bits. SGTU is
// whether a is greater than b.

func ADDU(a, b, d asm.Reg) asm.Op  { return three("ADDU", a, b, d) }
func ADDVU(a, b, d asm.Reg) asm.Op { return three("ADDVU", a, b, d) }
func SUBU(a, b, d asm.Reg) asm.Op  { return three("SUBU", a, b, d) }
func SUBVU(a, b, d asm.Reg) asm.Op { return three("SUBVU", a, b, d) }
func XOR(a, b, d asm.Reg) asm.Op   { return three("XOR", a, b, d) }
func AND(a, b, d asm.Reg) asm.Op   { return three("AND", a, b, d) }
func OR(a, b, d asm.Reg) asm.Op    { return three("OR", a, b, d) }
func SGTU(a, b, d asm.Reg) asm.Op  { return three("SGTU", a, b, d) }

// The same with a constant: of 16 bits, with a sign for sums.

func ADDIU(n int, a, d asm.Reg) asm.Op  { return constant("ADDU", n, a, d) }
func ADDIVU(n int, a, d asm.Reg) asm.Op { return constant("ADDVU", n, a, d) }
func ANDI(n int, a, d asm.Reg) asm.Op   { return constant("AND", n, a, d) }

// Shifts and rotations by n, of 64 bits with V. ROTR is of release 2.

func SLL(n int, a, d asm.Reg) asm.Op  { return constant("SLL", n, a, d) }
func SRL(n int, a, d asm.Reg) asm.Op  { return constant("SRL", n, a, d) }
func SLLV(n int, a, d asm.Reg) asm.Op { return constant("SLLV", n, a, d) }
func SRLV(n int, a, d asm.Reg) asm.Op { return constant("SRLV", n, a, d) }
func ROTR(n int, a, d asm.Reg) asm.Op { return constant("ROTR", n, a, d) }

func ROTRV(n int, a, d asm.Reg) asm.Op { return constant("ROTRV", n, a, d) }

// WSBH swaps the bytes of each half of a word (release 2). DSBH does so for four halves, and
// DSHD reverses the halves, of 64 bits.

func WSBH(a, d asm.Reg) asm.Op { return op("WSBH", "WSBH %v, %v", list(a), list(d)) }
func DSBH(a, d asm.Reg) asm.Op { return op("DSBH", "DSBH %v, %v", list(a), list(d)) }
func DSHD(a, d asm.Reg) asm.Op { return op("DSHD", "DSHD %v, %v", list(a), list(d)) }

// MULTU and MULVU are products of 32 and 64 bits in HI:LO. MADDU adds one. MUL is the lower
// word of a product; HI and LO lose their values.

func MULTU(a, b asm.Reg) asm.Op { return product("MULU", a, b) }
func MULVU(a, b asm.Reg) asm.Op { return product("MULVU", a, b) }

func MADDU(a, b asm.Reg) asm.Op {
	o := product("MADDU", a, b)
	o.Reads = append(o.Reads, HI, LO)
	o.Code = func(n []int) []uint32 { return []uint32{encoding.MADDU(n[0], n[1])} }
	return o
}

func MUL(a, b, d asm.Reg) asm.Op {
	o := three("MUL", a, b, d)
	o.Writes = append(o.Writes, HI, LO)
	return o
}

func product(name string, a, b asm.Reg) asm.Op {
	o := op(name, name+" %v, %v", list(a, b), nil)
	o.Writes = list(HI, LO)
	return o
}

// MFHI and MFLO copy HI and LO: 32 bits, or all 64 with V.

func MFHI(d asm.Reg) asm.Op  { return from("MOVW HI", HI, d) }
func MFLO(d asm.Reg) asm.Op  { return from("MOVW LO", LO, d) }
func MFHIV(d asm.Reg) asm.Op { return from("MOVV HI", HI, d) }
func MFLOV(d asm.Reg) asm.Op { return from("MOVV LO", LO, d) }

func from(text string, r, d asm.Reg) asm.Op {
	o := op("MF", text+", %v", nil, list(d))
	o.Reads = list(r)
	return o
}

// MOVI is a constant, MOVR a copy of a word.

func MOVI(n int, d asm.Reg) asm.Op { return op("LI", fmt.Sprintf("MOVW $%d, %%v", n), nil, list(d)) }
func MOVR(a, d asm.Reg) asm.Op     { return op("MOVE", "MOVW %v, %v", list(a), list(d)) }

// MOVRV is a copy of 64 bits.
func MOVRV(a, d asm.Reg) asm.Op { return op("MOVE", "MOVV %v, %v", list(a), list(d)) }

// access makes a load or store of a part of a register.
func access(o asm.Op, a asm.Access) asm.Op {
	o.Memory = a
	return o
}

// In names the memory of a load or store. The scheduler lets instructions that use memory
// of different names pass each other.
func In(stream string, o asm.Op) asm.Op {
	o.Stream = stream
	return o
}

// Loads and stores of 32 and 64 bits, at multiples of their size. Their names are those of
// MIPS, because Go has one for both.

func LW(offset int, base, d asm.Reg) asm.Op {
	return access(op("LW", fmt.Sprintf("MOVW %d(%%v), %%v", offset), list(base), list(d)), asm.Load)
}

func SW(a asm.Reg, offset int, base asm.Reg) asm.Op {
	return access(op("SW", fmt.Sprintf("MOVW %%v, %d(%%v)", offset), list(a, base), nil), asm.Store)
}

func LD(offset int, base, d asm.Reg) asm.Op {
	return access(op("LD", fmt.Sprintf("MOVV %d(%%v), %%v", offset), list(base), list(d)), asm.Load)
}

func SD(a asm.Reg, offset int, base asm.Reg) asm.Op {
	return access(op("SD", fmt.Sprintf("MOVV %%v, %d(%%v)", offset), list(a, base), nil), asm.Store)
}

// GetLocal and SetLocal load and store a word of 32 bits on the stack, or of 64 bits with V, at a
// place from [asm.Local.At]. AddressLocal is the address of a place.

func GetLocal(place string, d asm.Reg) asm.Op {
	return access(op("LW", "MOVW "+place+", %v", nil, list(d)), asm.Load)
}

func SetLocal(a asm.Reg, place string) asm.Op {
	return access(op("SW", "MOVW %v, "+place, list(a), nil), asm.Store)
}

func GetLocalV(place string, d asm.Reg) asm.Op {
	return access(op("LD", "MOVV "+place+", %v", nil, list(d)), asm.Load)
}

func SetLocalV(a asm.Reg, place string) asm.Op {
	return access(op("SD", "MOVV %v, "+place, list(a), nil), asm.Store)
}

func AddressLocal(t *asm.Target, place string, d asm.Reg) asm.Op {
	name := "MOVW"
	if t.Pointer == 8 {
		name = "MOVV"
	}
	return op("LA", name+" $"+place+", %v", nil, list(d))
}

// BEQ and BNE branch if a is b, or is not.

func BEQ(a, b asm.Reg, to string) asm.Op { return branch("BEQ", to, a, b) }
func BNE(a, b asm.Reg, to string) asm.Op { return branch("BNE", to, a, b) }

func branch(name, to string, r ...asm.Reg) asm.Op {
	o := op(name, name+" "+strings.Repeat("%v, ", len(r))+to, r, nil)
	o.Flow, o.To = asm.Branch, to
	return o
}

// JMP jumps.
func JMP(to string) asm.Op { return asm.Op{Name: "JMP", Text: "JMP " + to, Flow: asm.Jump, To: to} }

// RET returns.
func RET() asm.Op { return asm.Op{Name: "RET", Text: "RET", Flow: asm.Return} }

// M24K is the MIPS 24K, and with threads the 34K and the 1004K of the mt7621: one instruction
// in a cycle, in order. The multiplier takes a product of 32 bits in each cycle. Its result is
// there after five, but the next sum of products need not wait for it. Source: MIPS32 24K
// Processor Core Family Datasheet (MD00346).
var M24K = &asm.Model{
	Name:  "MIPS 24K",
	Width: 1,
	Units: map[string]int{"any": 1},
	Cost: func(o asm.Op) asm.Cost {
		latency := 1
		switch {
		case o.Name == "MADDU" || strings.HasPrefix(o.Name, "MUL"):
			latency = 5
		case o.Memory == asm.Load:
			latency = 2
		}
		return asm.Cost{Unit: "any", Busy: 1, Latency: latency}
	},
	Wait: func(from, to asm.Op) int {
		switch {
		case from.Name == "MF" || from.Memory == asm.Load:
			return 2
		case (from.Name == "MADDU" || strings.HasPrefix(from.Name, "MUL")) && to.Name != "MADDU":
			return 5
		}
		return 1
	},
}
