package asm

import (
	"fmt"
	"slices"
	"strings"
)

// A Target is an architecture.
type Target struct {
	Name string // GOARCH
	// Pool has the numbers that the allocator can choose, by class, the preferred ones
	// first. Registers that Go's ABI reserves are not in it.
	Pool map[Class][]int
	// Register returns the name of a register in Go's assembler.
	Register func(Reg) string
	// Integer is the class of arguments.
	Integer Class
	// Move returns the instruction that loads an argument of a size in bytes.
	Move func(size int, from string, to Reg) Op
	// Word is the directive for four bytes of code.
	Word string
	// Pointer is the size of pointers and of int.
	Pointer int
	// BigEndian says that DATA writes the high byte of a number first.
	BigEndian bool
	// Since returns the version of Go whose assembler is the first to have an instruction, if
	// go.mod allows older ones: "go1.25". Otherwise it is empty, and so it is without a function.
	Since func(Op) string
}

// A File is an assembly file and its Go declarations.
type File struct {
	Target *Target
	// Older is a Go file to write if instructions are of a newer version of Go than go.mod
	// names: functions in the place of those in assembly. If empty, it is that of the flag -older.
	Older string
	// Proofs are what functions compute, by their names, in the words of internal/prove.
	Proofs map[string][]string
	funcs  []*Func
	tables []*Table
}

// A Func is a function under construction.
type Func struct {
	Name      string
	Signature string // (dst, src *byte, n int)
	// Doc is the contract. It begins with the name of the function, and is the comment of
	// the Go declaration.
	Doc string
	// Banner says how the function works, what bounds its speed, and what it reaches.
	Banner string
	// Secret and Public are what internal/ctcheck reads. See its documentation.
	Secret, Public string
	Cases          []string

	file   *File
	ops    Stream
	groups map[Reg]*group
	count  int
	args   []argument
	size   int // of arguments and results
	locals int
}

type argument struct {
	name         string
	offset, size int
}

// A Local is memory on the stack.
type Local struct {
	Name         string
	Offset, Size int // Offset is that of its first byte below the arguments
}

// Func begins a function. signature is that of the Go declaration.
func (file *File) Func(name, signature string) *Func {
	f := &Func{Name: name, Signature: signature, file: file, groups: map[Reg]*group{}}
	f.layout()
	file.funcs = append(file.funcs, f)
	return f
}

// Add appends instructions.
func (f *Func) Add(ops ...Op) { f.ops.Add(ops...) }

// Scheduled adds what add adds, in the order of [Schedule].
func (f *Func) Scheduled(m *Model, add func()) {
	n := len(f.ops)
	add()
	s := Schedule(f.ops[n:], m)
	f.ops = append(f.ops[:n:n], s...)
}

// Label defines a label.
func (f *Func) Label(name string) { f.Add(Op{Label: name}) }

// Align makes the next instruction begin at a multiple of n bytes, a power of 2. It is for
// loops whose speed depends on where they are. amd64, arm64 and riscv64 have it.
func (f *Func) Align(n int) { f.Add(Op{Text: fmt.Sprintf("PCALIGN $%d", n)}) }

// Remark adds a comment line.
func (f *Func) Remark(format string, args ...any) { f.Add(Remark(format, args...)) }

// New returns a virtual register.
func (f *Func) New(c Class, name string) Reg { return f.Group(c, name, 1, 1)[0] }

// Group returns virtual registers that get consecutive numbers, the first one a multiple of
// align.
func (f *Func) Group(c Class, name string, n, align int) []Reg {
	g := &group{name: name, class: c, first: Virtual + f.count, size: n, align: align, fixed: -1}
	f.count += n
	regs := make([]Reg, n)
	for i := range regs {
		regs[i] = Reg{c, g.first + i}
		f.groups[regs[i]] = g
	}
	return regs
}

// Several returns n virtual registers that can get any numbers. Their names are name0,
// name1, and so on.
func (f *Func) Several(c Class, name string, n int) []Reg {
	regs := make([]Reg, n)
	for i := range regs {
		regs[i] = f.New(c, fmt.Sprint(name, i))
	}
	return regs
}

// Fix makes a virtual register, or the first one of a group, have a number.
func (f *Func) Fix(r Reg, n int) { f.groups[r].fixed = n }

// Arg loads an argument into a new register of the same name.
func (f *Func) Arg(name string) Reg {
	r := f.New(f.file.Target.Integer, name)
	f.LoadArg(name, r)
	return r
}

// LoadArg loads an argument.
func (f *Func) LoadArg(name string, r Reg) {
	a := f.argument(name)
	if a.size > f.file.Target.Pointer {
		panic("asm: " + f.Name + ": " + name + " does not fit into a register")
	}
	f.Add(f.file.Target.Move(a.size, a.String(), r))
}

// Result is where a result is stored, for Go's assembler.
func (f *Func) Result(name string) string { return f.argument(name).String() }

// String is the place of the argument or result.
func (a argument) String() string { return fmt.Sprintf("%s+%d(FP)", a.name, a.offset) }

func (f *Func) argument(name string) argument {
	i := slices.IndexFunc(f.args, func(a argument) bool { return a.name == name })
	if i < 0 {
		panic("asm: " + f.Name + " has no argument " + name)
	}
	return f.args[i]
}

// name is how errors and banners call a register.
func (f *Func) name(r Reg) string {
	g := f.groups[r]
	switch {
	case g == nil:
		return f.file.Target.Register(r)
	case g.size == 1:
		return g.name
	}
	return fmt.Sprintf("%s[%d]", g.name, r.N-g.first)
}

// layout computes the offsets of arguments.
func (f *Func) layout() {
	params, results, _ := strings.Cut(strings.TrimSpace(f.Signature)[1:], ")")
	offset := 0
	align := func(n int) { offset = (offset + n - 1) / n * n }
	fields := func(text string) {
		var names []string
		for _, field := range strings.Split(strings.Trim(text, " ()"), ",") {
			parts := strings.Fields(field)
			if len(parts) == 0 {
				continue
			}
			names = append(names, parts[0])
			if len(parts) == 1 {
				continue
			}
			size := f.file.Target.sizeOf(parts[1])
			for _, name := range names {
				align(min(size, f.file.Target.Pointer))
				f.args = append(f.args, argument{name, offset, size})
				offset += size
			}
			names = nil
		}
		if names != nil {
			panic("asm: " + f.Name + " has an argument or result without a name or a type: " + f.Signature)
		}
	}
	fields(params)
	if results = strings.TrimSpace(results); results != "" {
		align(f.file.Target.Pointer)
		fields(results)
	}
	f.size = offset
}

func (t *Target) sizeOf(typ string) int {
	switch {
	case typ[0] == '*' || typ == "int" || typ == "uint" || typ == "uintptr":
		return t.Pointer
	case typ == "uint64" || typ == "int64":
		return 8
	case typ == "uint32" || typ == "int32":
		return 4
	case typ == "uint16":
		return 2
	case typ == "byte" || typ == "bool" || typ == "uint8":
		return 1
	}
	panic("asm: no size for type " + typ)
}
