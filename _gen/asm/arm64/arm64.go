// Package arm64 has the instructions of AArch64 as values, in the syntax of Go's
// assembler: sources first, the result last. Generators import it by dot:
//
//	ADD(Right(r1, 2), r1, s)                 // ADD r1>>2, r1, s
//	LDP(Post(p, 16).In("message"), m0, m1)   // LDP.P 16(p), (m0, m1)
//	VADD(S4, b, a, a)                        // VADD b.S4, a.S4, a.S4
//	VDUP(S4, Lane(S4, row, 1), x)            // VDUP row.S[1], x.S4
//	VLD1(B16, At(src, 0), x[:4])             // VLD1 (src), [x0.B16, x1.B16, x2.B16, x3.B16]
//	CBNZ(n, "loop")
//
// The arrangement of vectors comes first, and is left out where only B16 makes sense.
// Lists of registers with consecutive numbers are from [asm.Func.Group].
package arm64

import (
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// Classes of registers.
const (
	Integer asm.Class = iota
	Vector
	Flag
)

// Flags are NZCV. ZR is always zero.
var (
	Flags = asm.Reg{Class: Flag}
	ZR    = asm.Reg{Class: Integer, N: 31}
)

// R and V are registers by number. Kernels ask a Func for registers instead.
func R(n int) asm.Reg { return asm.Reg{Class: Integer, N: n} }

// V is a vector register by number.
func V(n int) asm.Reg { return asm.Reg{Class: Vector, N: n} }

// Target is the architecture. R18 belongs to the operating system, R27 to the assembler,
// R28 to R30 to the Go runtime.
var Target = &asm.Target{
	Name: "arm64",
	Pool: map[asm.Class][]int{
		Integer: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26},
		Vector: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
			16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
	},
	Register: func(r asm.Reg) string {
		switch {
		case r == ZR:
			return "ZR"
		case r.Class == Integer:
			return fmt.Sprint("R", r.N)
		}
		return fmt.Sprint("V", r.N)
	},
	Integer: Integer,
	Move: func(size int, from string, to asm.Reg) asm.Op {
		name := map[int]string{8: "MOVD", 4: "MOVWU", 2: "MOVHU", 1: "MOVBU"}[size]
		return op(name, name+" "+from+", %v", nil, []asm.Reg{to})
	},
	Word:    "WORD",
	Pointer: 8,
}

// op makes an instruction whose text has reads and then writes. ZR is in the text only.
func op(name, text string, reads, writes []asm.Reg) asm.Op {
	zero := func(r asm.Reg) bool { return r == ZR }
	return asm.Op{
		Name: name, Text: text, Regs: slices.Concat(reads, writes),
		Reads:  slices.DeleteFunc(slices.Clone(reads), zero),
		Writes: slices.DeleteFunc(slices.Clone(writes), zero),
	}
}

// withReads makes an instruction read registers that its text has as results, or flags.
func withReads(o asm.Op, reads ...asm.Reg) asm.Op {
	o.Reads = append(o.Reads, reads...)
	return o
}

// flags makes an instruction write the flags.
func flags(o asm.Op) asm.Op {
	o.Writes = append(o.Writes, Flags)
	return o
}

func list(r ...asm.Reg) []asm.Reg { return r }
