// Package asm describes kernels for several architectures: instructions as values,
// streams of them, one way to weave streams, one scheduler, and one register allocator.
// Packages asm/arm64, asm/riscv64 and asm/amd64 have the instructions.
//
// A generator appends instructions to a [Func]. Registers are virtual: they have names,
// and the allocator chooses numbers at the end. A [Func] also has what surrounds the
// instructions: the Go prototype with what is secret, the comment, the arguments, the
// stack. [File.Write] writes the assembly and the Go declarations.
//
// Parts of a kernel that should run at the same time are streams of their own:
//
//	f.Add(asm.Weave(rounds, hash)...)          // a ratio, for cores that reorder
//	f.Add(asm.Schedule(rounds, riscv64.X60)...)  // latencies, for cores that do not
//
// _gen/README.md is a tutorial.
package asm

import "fmt"

// A Class is a kind of register, such as integers and vectors. Each back end has its own.
type Class uint8

// A Reg is a register. The allocator chooses one for virtual registers, whose numbers
// begin at [Virtual].
type Reg struct {
	Class Class
	N     int
}

// Virtual is the number of the first virtual register.
const Virtual = 1 << 16

// Virtual reports whether the allocator will choose the register.
func (r Reg) Virtual() bool { return r.N >= Virtual }

// Access says how an instruction uses memory.
type Access uint8

const (
	NoMemory Access = iota
	Load
	Store
)

// Flow says where an instruction can go.
type Flow uint8

const (
	Next   Flow = iota // to the next instruction
	Branch             // there or to Op.To
	Jump               // to Op.To
	Return
)

// An Op is an instruction as a value: its text, the registers that it uses, and what a
// scheduler needs to know. Labels and comments are Ops without a Name.
type Op struct {
	Name string // mnemonic, as a Model knows it
	// Text is the instruction for Go's assembler, with %v for each of Regs, or %d for its
	// number alone. For an instruction that Go's assembler lacks, it becomes a comment beside Code.
	Text string
	Regs []Reg
	// Reads and Writes are all registers that the instruction uses, and flags too.
	Reads, Writes []Reg
	// Early says that results are written before all of Reads are read: they cannot share
	// a register.
	Early  bool
	Memory Access
	// Stream is the memory that a Load or Store uses. Instructions that use
	// different ones do not wait for each other. "" conflicts with all.
	Stream string
	// Fused says that the CPU executes this instruction and the next one as one, if they
	// are neighbours. Weave keeps them together.
	Fused bool
	Flow  Flow
	To    string // label of a Branch or Jump
	// Code encodes what Go's assembler lacks, from the numbers of Regs.
	Code func(n []int) []uint32
	// Native is the back end's own form of the instruction.
	Native any
	Label  string // of a label
	Remark string // of a comment
}

// fixed reports whether instructions cannot move across o.
func (o Op) fixed() bool { return o.Name == "" || o.Flow != Next }

// A Stream is instructions in order.
type Stream []Op

// Add appends instructions.
func (s *Stream) Add(ops ...Op) { *s = append(*s, ops...) }

// Remark is a comment line.
func Remark(format string, args ...any) Op { return Op{Remark: fmt.Sprintf(format, args...)} }

// Weave spreads the shorter streams evenly through the longest one. Each stream keeps its
// order. The streams must not depend on each other: Weave panics if one of them writes a
// register that another one uses, or has a label or a branch. It does not know which memory
// they use.
func Weave(streams ...Stream) Stream {
	independent(streams)
	lists := make([][]Op, len(streams))
	for i, s := range streams {
		lists[i] = s
	}
	return spread(lists, func(o Op) bool { return o.Fused })
}

// Spread is Weave for instructions of another form, about which nothing is known.
func Spread[T any](lists ...[]T) []T { return spread(lists, func(T) bool { return false }) }

// spread merges lists. fused says whether an element stays next to the one behind it.
func spread[T any](lists [][]T, fused func(T) bool) []T {
	total := 0
	for _, l := range lists {
		total += len(l)
	}
	out := make([]T, 0, total)
	done := make([]int, len(lists))
	for len(out) < total {
		// The list that is furthest behind its share, the first one of equals.
		best := -1
		for i, l := range lists {
			if done[i] < len(l) && (best < 0 || done[i]*len(lists[best]) < done[best]*len(l)) {
				best = i
			}
		}
		for joined := true; joined && done[best] < len(lists[best]); done[best]++ {
			x := lists[best][done[best]]
			out, joined = append(out, x), fused(x)
		}
	}
	return out
}

func independent(streams []Stream) {
	writer := map[Reg]int{}
	for i, s := range streams {
		for _, o := range s {
			if o.Label != "" || o.Flow != Next {
				panic(fmt.Sprintf("asm: stream %d has a label or a branch: %s%s", i, o.Label, o.Text))
			}
			for _, r := range o.Writes {
				if w, ok := writer[r]; ok && w != i {
					panic(fmt.Sprintf("asm: streams %d and %d both write %v", w, i, r))
				}
				writer[r] = i
			}
		}
	}
	for i, s := range streams {
		for _, o := range s {
			for _, r := range o.Reads {
				if w, ok := writer[r]; ok && w != i {
					panic(fmt.Sprintf("asm: stream %d reads %v, which stream %d writes: %s", i, r, w, o.Text))
				}
			}
		}
	}
}
