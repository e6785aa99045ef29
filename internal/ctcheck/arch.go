package ctcheck

import (
	"fmt"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// An arch is what the analysis must know of an architecture.
type arch struct {
	*machine.Arch
	table  map[string]*spec
	source string // where the table's times come from

	exec        func(x *run, s *state, in *instruction)
	branch      func(x *run, s *state, in *instruction)
	readVector  func(s *state, o *machine.Operand) origin
	writeVector func(s *state, o *machine.Operand, v origin, merge bool, in *instruction)
	vectorWidth func(in *instruction) int64
	refuse      func(in *instruction) string // why the analysis does not know a form, or empty
}

// Arches are the architectures with assembly.
var arches = map[string]*arch{}

// An instruction has what the tables say of it, and what the source permits there.
type instruction struct {
	*machine.Instruction
	spec  *spec
	wrong string // why the analysis does not know this form of it, or empty
	allow *Exception
}

// A function has its instructions with what the tables say of them.
type function struct {
	*machine.Function
	code []instruction
}

// resolve finds the instructions of a function in the table.
func (a *arch) resolve(f *machine.Function) *function {
	out := &function{Function: f}
	for i := range f.Code {
		in := instruction{Instruction: &f.Code[i], spec: a.table[f.Code[i].Op]}
		in.wrong = a.form(&in)
		out.code = append(out.code, in)
	}
	return out
}

// form returns why the analysis does not know a form of an instruction, or nothing. What is not
// modelled exactly is refused.
func (a *arch) form(in *instruction) string {
	if in.spec == nil {
		return "this instruction is not in the table"
	}
	labels := 0
	for i := range in.Args {
		if in.Args[i].Kind == machine.KindLabel {
			labels++
		}
	}
	switch n := len(in.Args); in.spec.op {
	case "ret":
		if n > 0 || len(in.Suffix) > 0 {
			return "a return with operands or a condition"
		}
		return ""
	case "jump", "call":
		if n != 1 || labels != 1 || len(in.Suffix) > 0 {
			return "where this goes is not known"
		}
		return ""
	case "branch":
		if labels != 1 || in.Args[n-1].Kind != machine.KindLabel || len(in.Suffix) > 0 {
			return "a branch that does not just go to a label"
		}
	default:
		if labels > 0 {
			return "a label in an instruction that is no branch"
		}
	}
	if a.Executes() && !withoutSemantics[in.spec.op] && !a.Known(in.Instruction) {
		return "internal/machine has no semantics for it"
	}
	if _, ok := in.spec.rolesOf(len(in.Args)); !ok {
		return fmt.Sprintf("there are %d operands", len(in.Args))
	}
	return a.refuse(in)
}

// withoutSemantics are the kinds of instructions that internal/machine does not execute.
var withoutSemantics = map[string]bool{"nop": true, "cpuid": true, "system": true, "div": true}

// operands calls f for all operands, and the registers in lists.
func operands(in *instruction, f func(o *machine.Operand)) {
	for i := range in.Args {
		f(&in.Args[i])
		for j := range in.Args[i].List {
			f(&in.Args[i].List[j])
		}
	}
}

// plain returns why an operand is not just a register, number or place in memory, on
// architectures where registers are neither shifted nor have parts.
func plain(in *instruction) (why string) {
	operands(in, func(o *machine.Operand) {
		if o.Shift != "" || o.Lane || o.Arrangement != "" || o.Kind == machine.KindList {
			why = "this form of an operand is not known"
		}
	})
	return why
}

// mentions reports whether a general register is in an operand.
func mentions(in *instruction, reg int) (found bool) {
	operands(in, func(o *machine.Operand) {
		switch o.Kind {
		case machine.KindReg:
			found = found || o.Shape == 'r' && o.Reg == reg || o.Shift != "" && o.ShiftReg == reg
		case machine.KindMem, machine.KindAddr, machine.KindList:
			found = found || o.Base == reg || o.Index == reg
		}
	})
	return found
}
