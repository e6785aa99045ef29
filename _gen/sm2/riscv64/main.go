// Command riscv64 writes the kernels of sm2/internal/riscv64, which need no extension of RV64 beyond
// what Go does.
//
// # Algorithm
//
// That of package risc, _gen/sm2/risc.
//
// # Registers
//
// As there:
//
//	two32, v, t, low, high, c, k   X5 to X26, X28 to X30
//	X0                             0
//
// # Bound
//
// SpacemiT X60 and SiFive U74 start two instructions in a cycle. The model of the X60 has a
// multiplication of limbs in every third cycle, at least 96 for a product, and about 1000 cycles
// for a doubling.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
	"github.com/cipherlane/cipherlane/_gen/sm2/risc"
)

//go:generate go run . -out ../../../sm2/internal/riscv64/sm2_rv64_riscv64.s -declarations ../../../sm2/internal/riscv64/sm2_rv64_riscv64.go

var rv64 = &risc.ISA{
	Target: Target, Suffix: "RV64", Model: X60, Zero: ZERO,
	ADD: ADD, SUB: SUB, AND: AND, OR: OR, XOR: XOR, SLTU: SLTU, MUL: MUL, MULHU: MULHU,
	ADDI: ADDI, ANDI: ANDI, SLLI: SLLI, SRLI: SRLI, SRAI: SRAI,
	NEG: NEG, NOT: NOT, SEQZ: SEQZ, SNEZ: SNEZ, MOVR: MOVR, MOVI: MOVI,
	MOV: MOV, SD: SD, LocalD: LocalD, SetLocalD: SetLocalD, SetResult: SetResult,
	BEQ: BEQ, BNE: BNE, BEQZ: BEQZ, BNEZ: BNEZ, JMP: JMP, RET: RET,
}

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	rv64.Write(file)
	file.Write(*out, *declarations)
}
