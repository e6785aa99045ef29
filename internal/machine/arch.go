// Package machine reads assembly as Go's assembler does: its macros, operands, data and
// labels, for all architectures that have kernels. What checks kernels is built on it:
// internal/ctcheck follows secrets through them.
//
// A Machine executes functions of arm64, amd64 and riscv64 on the bits of a Logic. With Concrete, these are
// 0 and 1; with formulas, it computes what a kernel does with all inputs. A table has a line for
// each instruction (arm64table.go, x86table.go, riscv64table.go). Tests compare every line, with every kind of
// operand, with this CPU or qemu (package native).
package machine

import (
	"fmt"
	"strings"
)

// A Register is what a name of the assembler stands for.
type Register struct {
	Index int
	Shape byte // r general, k a mask of AVX-512, x y z or v d q vectors
}

// An Arch is what reading the assembly of an architecture takes.
type Arch struct {
	Name       string
	Ptr        int64 // bytes of an address
	Word       int   // bytes of WORD
	SP         int   // the register with the address of the stack
	Zero       int   // a register that is always 0, or -1
	Saved      int64 // bytes between the frame and the stack pointer
	StackAlign int64

	registers   map[string]Register
	semantics   table
	names       map[string]bool // operands that are neither registers nor labels
	macros      map[string]Macro
	disassembly func(in *Instruction) (matches func(got string) bool, ok bool)
}

// A Macro makes an instruction, which older assemblers do not know, as a word from numbers.
type Macro struct {
	Kinds string // of its operands: i a constant, r d q registers
	Roles string // r read, w written, m both, i neither; empty if it is for memory
	// The disassembly, with the operands by their index; or its mnemonic.
	Disassembly string
}

// Arches are the architectures with assembly, by the names of Go.
var Arches = map[string]*Arch{}

// Macros returns the macros of the architecture.
func (a *Arch) Macros() map[string]Macro { return a.macros }

func (a *Arch) register(name string) (Register, bool) {
	r, ok := a.registers[name]
	return r, ok
}

func (a *Arch) add(shape byte, format string, count int) {
	for i := range count {
		a.registers[fmt.Sprintf(format, i)] = Register{i, shape}
	}
}

func newArch(name string, ptr int64) *Arch {
	a := &Arch{
		Name: name, Ptr: ptr, Word: 4, Zero: -1, Saved: ptr, StackAlign: ptr,
		registers: map[string]Register{}, names: map[string]bool{},
	}
	Arches[name] = a
	return a
}

// Conditions are those of arm and arm64, with their synonyms.
var Conditions = map[string]string{
	"EQ": "eq", "NE": "ne", "CS": "hs", "HS": "hs", "CC": "lo", "LO": "lo", "MI": "mi", "PL": "pl",
	"VS": "vs", "VC": "vc", "HI": "hi", "LS": "ls", "GE": "ge", "LT": "lt", "GT": "gt", "LE": "le",
}

// HI and LO are where MIPS has products: indices behind those of the other registers.
const HI, LO = 96, 97

func init() {
	a := newArch("arm64", 8)
	a.Zero, a.SP, a.StackAlign, a.disassembly = 31, 30, 16, arm64Disassembly
	a.add('r', "R%d", 30)
	a.registers["RSP"] = Register{30, 'r'}
	// What MRS reads is public, as 0 is.
	for _, name := range []string{"ZR", "DIT", "MIDR_EL1", "ID_AA64ISAR0_EL1"} {
		a.registers[name] = Register{31, 'r'}
	}
	a.add('v', "V%d", 32)
	a.add('v', "F%d", 32)
	for condition := range Conditions {
		a.names[condition] = true
	}

	a = newArch("arm", 4)
	a.SP, a.macros, a.disassembly = 13, armMacros, armDisassembly
	a.add('r', "R%d", 16)
	a.add('q', "Q%d", 16) // in comments

	a = newArch("riscv64", 8)
	a.Zero, a.SP, a.disassembly = 0, 2, riscvDisassembly
	a.add('r', "X%d", 32)
	a.registers["ZERO"] = Register{0, 'r'}
	a.add('v', "V%d", 32)
	for _, n := range strings.Fields("E8 E16 E32 E64 M1 M2 M4 M8 MF2 MF4 MF8 TA TU MA MU VLENB") {
		a.names[n] = true
	}

	a = newArch("loong64", 8)
	a.Zero, a.SP, a.disassembly = 0, 3, loongDisassembly
	a.add('r', "R%d", 32)
	a.add('v', "V%d", 32)
	a.add('x', "X%d", 32)

	for _, name := range []string{"amd64", "386"} {
		general, vectors := strings.Fields("AX BX CX DX SI DI BP SP R8 R9 R10 R11 R12 R13 R14 R15"), 32
		a := newArch(name, 8)
		if name == "386" {
			a.Ptr, a.StackAlign = 4, 4
			general, vectors = general[:8], 8
		}
		a.Word, a.Saved, a.disassembly = 2, 0, x86Disassembly
		for i, r := range general {
			a.registers[r] = Register{i, 'r'}
		}
		a.SP = a.registers["SP"].Index
		for i, r := range strings.Fields("AL BL CL DL") {
			a.registers[r] = Register{i, 'r'}
		}
		a.add('x', "X%d", vectors)
		a.add('y', "Y%d", vectors)
		a.add('z', "Z%d", vectors)
		a.add('k', "K%d", 8)
	}

	for name, ptr := range map[string]int64{"mips": 4, "mips64": 8} {
		a := newArch(name, ptr)
		a.Zero, a.SP, a.disassembly = 0, 29, mipsDisassembly
		a.add('r', "R%d", 32)
		a.registers["HI"], a.registers["LO"] = Register{HI, 'r'}, Register{LO, 'r'}
		Arches[name+"le"] = a
	}
}

// numbered makes operands of the numbers that a macro has.
func (a *Arch) numbered(name []string) ([]Operand, error) {
	m, ok := a.macros[name[0]]
	if !ok {
		return nil, fmt.Errorf("the macro is not in the table")
	}
	kinds := m.Kinds
	var list []Operand
	var arg []string
	for _, t := range append(name[1:], ",") {
		if t != "," {
			arg = append(arg, t)
			continue
		}
		v, err := evaluate(arg)
		if err != nil {
			return nil, err
		}
		if len(list) == len(kinds) {
			return nil, fmt.Errorf("more than %d operands", len(kinds))
		}
		o := Operand{Kind: KindReg, Text: strings.Join(arg, ""), Reg: int(v), Shape: kinds[len(list)], Base: -1, Index: -1, ShiftReg: -1}
		if o.Shape == 'i' {
			o.Kind, o.Imm = KindImm, v
		}
		list = append(list, o)
		arg = nil
	}
	if len(list) != len(kinds) {
		return nil, fmt.Errorf("less than %d operands", len(kinds))
	}
	return list, nil
}
