package ctcheck

import "github.com/cipherlane/cipherlane/internal/machine"

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
}

// Arches are the architectures with assembly.
var arches = map[string]*arch{}

// An instruction has what the tables say of it, and what the source permits there.
type instruction struct {
	*machine.Instruction
	spec  *spec
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
		in := &f.Code[i]
		out.code = append(out.code, instruction{Instruction: in, spec: a.table[in.Op]})
	}
	return out
}
