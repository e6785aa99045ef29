// Package riscv64 has the instructions of RV64 as values, in the syntax of Go's assembler:
// sources first, the result last. An immediate comes before the registers. Generators
// import it by dot:
//
//	ADDI(64, p, p)                               // ADDI $64, p, p
//	MOV(8, p, x)                                 // MOV 8(p), x
//	SD(x, 8, p)                                  // MOV x, 8(p)
//	VSETVLI(n, E32, M1, TA, vl)                  // VSETVLI n, E32, M1, TA, MA, vl
//	In("src", VLE32V(src, x))                    // VLE32V (src), x
//	VMACCVX(a, m, d)                             // VMACCVX a, m, d
//	BNEZ(n, "loop")
//
// A vector is one register, or several with consecutive numbers from [asm.Func.Group] if
// LMUL is 2, 4 or 8, or if there are several segments. Vector instructions read [State],
// which VSETVLI writes, so that no scheduler moves them across it.
//
// An instruction whose result keeps some elements because of TU or MU must be wrapped in
// [Keep]: otherwise the allocator takes it for a new value.
package riscv64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// Classes of registers.
const (
	Integer asm.Class = iota
	Vector
	Control
)

// State is vl and vtype. ZERO is X0.
var (
	State = asm.Reg{Class: Control}
	ZERO  = asm.Reg{Class: Integer}
)

// X and V are registers by number. Kernels ask a Func for registers instead.
func X(n int) asm.Reg { return asm.Reg{Class: Integer, N: n} }

// V is a vector register by number. V(0) is the only one that can be a mask.
func V(n int) asm.Reg { return asm.Reg{Class: Vector, N: n} }

// Target is the architecture. X1 to X4 and X27 belong to the ABI and the Go runtime, X31 to
// the assembler.
var Target = &asm.Target{
	Name: "riscv64",
	Pool: map[asm.Class][]int{
		Integer: {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 30},
		Vector: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
			16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
	},
	Register: func(r asm.Reg) string {
		if r.Class == Integer {
			return fmt.Sprint("X", r.N)
		}
		return fmt.Sprint("V", r.N)
	},
	Integer: Integer,
	Move: func(size int, from string, to asm.Reg) asm.Op {
		name := map[int]string{8: "MOV", 4: "MOVWU", 2: "MOVHU", 1: "MOVBU"}[size]
		return op(name, name+" "+from+", %v", nil, list(to))
	},
	Word:    "WORD",
	Pointer: 8,
	Since: func(o asm.Op) string {
		if vector := func(r asm.Reg) bool { return r.Class != Integer }; slices.ContainsFunc(slices.Concat(o.Reads, o.Writes), vector) {
			return "go1.25"
		}
		return ""
	},
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

// operands makes an instruction of registers, groups of registers, and immediates. The last
// operand is the result.
func operands(name string, all ...any) asm.Op {
	var text []string
	o := asm.Op{Name: name}
	for i, a := range all {
		switch a := a.(type) {
		case int:
			text = append(text, fmt.Sprint("$", a))
			continue
		case asm.Reg, []asm.Reg:
			r := registers(a)
			text, o.Regs = append(text, "%v"), append(o.Regs, r[0])
			for _, r := range r {
				switch {
				case r == ZERO:
				case i == len(all)-1:
					o.Writes = append(o.Writes, r)
				default:
					o.Reads = append(o.Reads, r)
				}
			}
		default:
			panic("riscv64: no operand")
		}
	}
	o.Text = name + " " + strings.Join(text, ", ")
	return o
}

// Keep makes an instruction read its result: some of its elements stay as they are.
func Keep(o asm.Op) asm.Op {
	o.Reads = append(slices.Clone(o.Reads), o.Writes...)
	return o
}

// early says that the result must be in other registers than the operands: in permutations,
// and if they are of different sizes.
func early(o asm.Op) asm.Op {
	o.Early = true
	return o
}

// Masked restricts a vector instruction to the elements whose bits are set in mask, which
// must be V0: give a virtual register this number with [asm.Func.Fix]. The other elements
// of the result have no meaning under MA. Wrap in [Keep] under MU.
func Masked(mask asm.Reg, o asm.Op) asm.Op {
	if o.Code != nil {
		panic("riscv64: no masks for instructions of words: " + o.Name)
	}
	i, n := strings.LastIndex(o.Text, ", "), len(o.Regs)-1
	o.Text = o.Text[:i] + ", %v" + o.Text[i:]
	o.Regs = slices.Insert(slices.Clone(o.Regs), n, mask)
	o.Reads = append(slices.Clone(o.Reads), mask)
	return early(o)
}

// In names the memory of a load or store. The scheduler lets instructions that use memory
// of different names pass each other.
func In(stream string, o asm.Op) asm.Op {
	o.Stream = stream
	return o
}
