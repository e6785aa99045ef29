package planes

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/mips"
	"github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// A Machine is a CPU with integer registers of a size, and the instructions that kernels on
// planes need. Operands are in the order of Go's assembler.
type Machine struct {
	Target *asm.Target
	Model  *asm.Model
	Word   int // the number of bytes of a register

	Load          func(offset int, base, d asm.Reg) asm.Op
	Store         func(a asm.Reg, offset int, base asm.Reg) asm.Op
	XOR, AND, OR  func(a, b, d asm.Reg) asm.Op
	Sum           func(a, b, d asm.Reg) asm.Op
	AddConstant   func(n int, a, d asm.Reg) asm.Op
	ShiftLeft     func(n int, a, d asm.Reg) asm.Op
	ShiftRight    func(n int, a, d asm.Reg) asm.Op
	RotateRight   func(n int, a, d asm.Reg) asm.Op
	Move          func(a, d asm.Reg) asm.Op
	Constant      func(n uint64, d, t asm.Reg) []asm.Op // t is for a part of it
	Reverse       func(a, d asm.Reg) []asm.Op           // the bytes of a word
	Equal, Differ func(a, b asm.Reg, to string) asm.Op
	Jump          func(to string) asm.Op
	Return        func() asm.Op
	In            func(stream string, o asm.Op) asm.Op
}

// New returns a virtual register.
func (m *Machine) New(f *asm.Func, name string) asm.Reg { return f.New(m.Target.Integer, name) }

// Several returns n virtual registers.
func (m *Machine) Several(f *asm.Func, name string, n int) []asm.Reg {
	return f.Several(m.Target.Integer, name, n)
}

// RISCV64 is a CPU with Zbb.
var RISCV64 = &Machine{
	Target: riscv64.Target, Model: riscv64.X60, Word: 8,
	Load: riscv64.MOV, Store: riscv64.SD,
	XOR: riscv64.XOR, AND: riscv64.AND, OR: riscv64.OR,
	Sum: riscv64.ADD, AddConstant: riscv64.ADDI,
	ShiftLeft: riscv64.SLLI, ShiftRight: riscv64.SRLI, RotateRight: riscv64.RORI,
	Move:     riscv64.MOVR,
	Constant: func(n uint64, d, _ asm.Reg) []asm.Op { return []asm.Op{riscv64.MOVI(int(n), d)} },
	Reverse:  func(a, d asm.Reg) []asm.Op { return []asm.Op{riscv64.REV8(a, d)} },
	Equal:    riscv64.BEQ, Differ: riscv64.BNE, Jump: riscv64.JMP, Return: riscv64.RET,
	In: riscv64.In,
}

// MIPS returns a CPU of release 2.
func MIPS(goarch string) *Machine {
	m := &Machine{
		Target: mips.Target(goarch), Model: mips.M24K, Word: 4,
		Load: mips.LW, Store: mips.SW,
		XOR: mips.XOR, AND: mips.AND, OR: mips.OR,
		Sum: mips.ADDU, AddConstant: mips.ADDIU,
		ShiftLeft: mips.SLL, ShiftRight: mips.SRL, RotateRight: mips.ROTR,
		Move:     mips.MOVR,
		Constant: func(n uint64, d, _ asm.Reg) []asm.Op { return []asm.Op{mips.MOVI(int(n), d)} },
		Reverse:  func(a, d asm.Reg) []asm.Op { return []asm.Op{mips.WSBH(a, d), mips.ROTR(16, d, d)} },
		Equal:    mips.BEQ, Differ: mips.BNE, Jump: mips.JMP, Return: mips.RET,
		In: mips.In,
	}
	if m.Target.Pointer == 4 {
		return m
	}
	m.Word = 8
	m.Load, m.Store = mips.LD, mips.SD
	m.Sum, m.AddConstant = mips.ADDVU, mips.ADDIVU
	m.ShiftLeft, m.ShiftRight, m.RotateRight = mips.SLLV, mips.SRLV, mips.ROTRV
	m.Move = mips.MOVRV
	m.Constant = constant64
	m.Reverse = func(a, d asm.Reg) []asm.Op { return []asm.Op{mips.DSBH(a, d), mips.DSHD(d, d)} }
	return m
}

// constant64 makes a constant of two equal halves, or of 32 bits. MOVW extends those by bit 31.
func constant64(n uint64, d, t asm.Reg) []asm.Op {
	low := int(int32(n))
	switch {
	case n == 1<<32-1:
		return []asm.Op{mips.MOVI(-1, d), mips.SRLV(32, d, d)}
	case low < 0 || n>>32 != 0 && n>>32 != uint64(low):
		panic("planes: no code for this constant")
	case n>>32 == 0:
		return []asm.Op{mips.MOVI(low, d)}
	}
	return []asm.Op{mips.MOVI(low, d), mips.SLLV(32, d, t), mips.OR(t, d, d)}
}
