package machine

import (
	"fmt"
	"strings"
)

// A semantic is a line of the table of instructions of an architecture.
type semantic struct {
	// names are mnemonics; the architecture says what stars and the like in them mean.
	names string
	// forms are the operands, in Go's order, separated by spaces, and alternatives with bars
	// between them. The second letter of an operand is the name under which the function finds it.
	// One with a question mark may be missing.
	forms string
	// of are the types of vectors that a T in the forms may be, the same one for all operands.
	of string
	do func(x *step)
}

// A step is one instruction with its operands by name.
type step struct {
	*Machine
	in    *Instruction
	name  string // the mnemonic, without the letter of its width
	width int    // bits of general registers
	size  int    // bits of an element of T
	total int    // bits of a vector of T
	ops   [128]*Operand
	do    func(*step)

	// Of amd64: parts that the mask excludes become 0; one element in memory is all of them.
	zeroing, broadcast bool
}

// A table has the lines of an architecture.
type table struct {
	lines map[string][]line
	// operand matches an operand with that of a form, and notes its name.
	operand func(x *step, form, of string, o *Operand) bool
	// complete matches what does not belong to one operand.
	complete func(x *step, forms []string) bool

	partial bool // kernels of some folders have other instructions, too
}

// A line is a semantic for one mnemonic.
type line struct {
	*semantic
	name        string
	width, size int
}

// Executes reports whether there are semantics of all instructions that kernels of the architecture
// have.
func (a *Arch) Executes() bool { return a.semantics.lines != nil && !a.semantics.partial }

// HasMnemonic reports whether there are semantics of an instruction with some operands.
func (a *Arch) HasMnemonic(op string) bool { return a.semantics.lines[op] != nil }

// Known reports whether the table has the instruction with such operands.
func (a *Arch) Known(in *Instruction) bool {
	_, err := a.decode(in)
	return err == nil
}

// execute executes an instruction.
func (m *Machine) execute(in *Instruction) {
	x := m.decoded[in]
	if x == nil {
		var err error
		if x, err = m.Arch.decode(in); err != nil {
			fail("%v", err)
		}
		x.Machine = m
		if do := m.replace[in.Op]; do != nil {
			x.do = do
		}
		m.decoded[in] = x
	}
	x.do(x)
}

// decode finds the line of the table, and names the operands.
func (a *Arch) decode(in *Instruction) (*step, error) {
	if in.Op == "RET" && len(in.Args) == 0 && len(in.Suffix) == 0 {
		return &step{in: in}, nil
	}
	list := a.semantics.lines[in.Op]
	for _, l := range list {
		for _, forms := range strings.Split(l.forms, " | ") {
			x := &step{in: in, name: l.name, width: l.width, size: l.size, do: l.do}
			if x.match(&a.semantics, strings.Fields(forms), l.of) {
				return x, nil
			}
		}
	}
	if list != nil {
		return nil, fmt.Errorf("there are no semantics for these operands")
	}
	return nil, fmt.Errorf("there are no semantics")
}

// match names the operands if they have the forms.
func (x *step) match(t *table, forms []string, of string) bool {
	args := x.in.Args
	missing := len(forms) - len(args)
	for _, f := range forms {
		if strings.HasSuffix(f, "?") {
			if missing > 0 {
				missing--
				if f[0] == 'R' { // it is the destination
					x.ops[f[1]] = &x.in.Args[len(x.in.Args)-1]
				}
				continue
			}
			f = f[:len(f)-1]
		}
		if len(args) == 0 || !t.operand(x, f, of, &args[0]) {
			return false
		}
		args = args[1:]
	}
	return len(args) == 0 && t.complete(x, forms)
}
