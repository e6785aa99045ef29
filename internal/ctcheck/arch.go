package ctcheck

import "strings"

// A register is a name of the assembler.
type register struct {
	index int
	shape byte // r general, k mask, x y z or v d q vectors
}

// An arch is what the analysis must know of an architecture.
type arch struct {
	name       string
	ptr        int64 // bytes of an address
	word       int   // bytes of WORD
	sp         int   // the register with the address of the stack
	zero       int   // a register that is always 0, or -1
	saved      int64 // bytes between the frame and the stack pointer
	stackAlign int64
	memNumber  bool // a number alone is an operand
	names      map[string]bool
	regs       map[string]register
	table      map[string]*spec
	source     string // where the table's times come from

	exec        func(x *run, s *state, in *instruction)
	branch      func(x *run, s *state, in *instruction)
	readVector  func(s *state, o *operand) origin
	writeVector func(s *state, o *operand, v origin, merge bool, in *instruction)
	vectorWidth func(in *instruction) int64
	macroArgs   func(p *assembler, name []string) ([]operand, error)
	// disassembly returns what tells whether a disassembler's text is an instruction.
	disassembly func(in *instruction) (func(got string) bool, bool)
}

func (a *arch) register(name string) (register, bool) {
	r, ok := a.regs[name]
	return r, ok
}

func (a *arch) isBranch(op string) bool {
	s := a.table[op]
	return s != nil && (s.op == "jump" || s.op == "branch" || s.op == "call")
}

func (a *arch) isLabel(name string) bool {
	return !strings.ContainsAny(name, "·") && !a.names[name]
}

// Arches are the architectures with assembly.
var arches = map[string]*arch{}

// resolve finds the instructions of a function in the table.
func (a *arch) resolve(f *function) {
	for i := range f.code {
		in := &f.code[i]
		in.spec = a.table[in.op]
	}
}
