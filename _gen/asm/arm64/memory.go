package arm64

import (
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// A Mem is memory as an operand: [At], [Post], [Pre] or [On]. In says which memory it is,
// for the scheduler:
//
//	VLD1(B16, Post(src, 64).In("src"), x)
type Mem struct {
	text   string // %v is the base
	suffix string // .P and .W change the base
	base   []asm.Reg
	stream string
}

// At is the memory at base + offset.
func At(base asm.Reg, offset int) Mem { return Mem{text: displaced(offset), base: list(base)} }

// Index is the memory at base + index.
func Index(base, index asm.Reg) Mem { return Mem{text: "(%v)(%v)", base: list(base, index)} }

// Post is the memory at base, to which n is added afterwards.
func Post(base asm.Reg, n int) Mem {
	return Mem{text: displaced(n), suffix: ".P", base: list(base)}
}

// Pre is the memory at base, to which n is added before.
func Pre(base asm.Reg, n int) Mem {
	return Mem{text: displaced(n), suffix: ".W", base: list(base)}
}

// On is a local at an offset. Each local is a stream of its own.
func On(l asm.Local, offset int) Mem { return Mem{text: l.At(offset), stream: "local " + l.Name} }

// Frame is an argument or a result, where [asm.Func.Result] says.
func Frame(place string) Mem { return Mem{text: place, stream: "frame"} }

// In names the memory. The scheduler lets instructions that use memory of different names
// pass each other.
func (m Mem) In(stream string) Mem {
	m.stream = stream
	return m
}

func displaced(n int) string {
	if n == 0 {
		return "(%v)"
	}
	return fmt.Sprint(n) + "(%v)"
}

// load makes an instruction that reads m. result is the text of d.
func load(name string, m Mem, result string, d ...asm.Reg) asm.Op {
	o := op(name, name+m.suffix+" "+m.text+", "+result, m.base, d)
	o.Memory = asm.Load
	return access(o, m)
}

// store makes an instruction that writes m. operand is the text of s.
func store(name, operand string, m Mem, s ...asm.Reg) asm.Op {
	o := op(name, name+m.suffix+" "+operand+", "+m.text, slices.Concat(s, m.base), nil)
	o.Memory = asm.Store
	return access(o, m)
}

func access(o asm.Op, m Mem) asm.Op {
	o.Stream = m.stream
	if m.suffix != "" {
		o.Writes = append(o.Writes, m.base[0])
	}
	return o
}

// move makes a load, a store, or a move between registers or from a constant. to is the
// text of registers.
func move(name, to string, s, d any) asm.Op {
	if m, ok := d.(Mem); ok {
		return store(name, to, m, s.(asm.Reg))
	}
	r := d.(asm.Reg)
	switch s := s.(type) {
	case Mem:
		return load(name, s, to, r)
	case *asm.Table:
		return op(name, name+" $"+s.Symbol()+", %v", nil, list(r))
	case asm.Local:
		return op(name, name+" $"+s.At(0)+", %v", nil, list(r))
	}
	return integer(name, s, r)
}

// MOVD copies 64 bits. The operands are as in Go's assembler. A table or a local is its
// address, not its contents.
func MOVD[S asm.Reg | int | uint64 | Mem | *asm.Table | asm.Local, D asm.Reg | Mem](s S, d D) asm.Op {
	return move("MOVD", "%v", s, d)
}

// Parts of registers: loads and moves with extension by zeros (U) or the sign, and stores.

func MOVWU[S asm.Reg | Mem, D asm.Reg | Mem](s S, d D) asm.Op { return move("MOVWU", "%v", s, d) }
func MOVW[S asm.Reg | Mem, D asm.Reg | Mem](s S, d D) asm.Op  { return move("MOVW", "%v", s, d) }
func MOVHU[S asm.Reg | Mem, D asm.Reg | Mem](s S, d D) asm.Op { return move("MOVHU", "%v", s, d) }
func MOVH[S asm.Reg | Mem, D asm.Reg | Mem](s S, d D) asm.Op  { return move("MOVH", "%v", s, d) }
func MOVBU[S asm.Reg | Mem, D asm.Reg | Mem](s S, d D) asm.Op { return move("MOVBU", "%v", s, d) }
func MOVB[S asm.Reg | Mem, D asm.Reg | Mem](s S, d D) asm.Op  { return move("MOVB", "%v", s, d) }

// Pairs of registers.

func LDP(m Mem, a, b asm.Reg) asm.Op  { return load("LDP", m, "(%v, %v)", a, b) }
func LDPW(m Mem, a, b asm.Reg) asm.Op { return load("LDPW", m, "(%v, %v)", a, b) }
func STP(a, b asm.Reg, m Mem) asm.Op  { return store("STP", "(%v, %v)", m, a, b) }
func STPW(a, b asm.Reg, m Mem) asm.Op { return store("STPW", "(%v, %v)", m, a, b) }

// Vectors at an offset, which VLD1 and VST1 lack: 16 bytes, the low 8 and the low 4.

func FMOVQ[S asm.Reg | Mem, D asm.Reg | Mem](s S, d D) asm.Op { return float("FMOVQ", s, d) }
func FMOVD[S asm.Reg | Mem, D asm.Reg | Mem](s S, d D) asm.Op { return float("FMOVD", s, d) }
func FMOVS[S asm.Reg | Mem, D asm.Reg | Mem](s S, d D) asm.Op { return float("FMOVS", s, d) }

// float makes a move whose vector registers are called F. One of the operands is memory or
// an integer register.
func float(name string, s, d any) asm.Op {
	a, ok1 := s.(asm.Reg)
	b, ok2 := d.(asm.Reg)
	if !ok1 || !ok2 {
		return move(name, "F%d", s, d)
	}
	text := map[asm.Class]string{Integer: "%v", Vector: "F%d"}
	return op(name, name+" "+text[a.Class]+", "+text[b.Class], list(a), list(b))
}

// FLDPQ loads two vectors.
func FLDPQ(m Mem, a, b asm.Reg) asm.Op { return load("FLDPQ", m, "(F%d, F%d)", a, b) }

// FSTPQ stores two vectors.
func FSTPQ(a, b asm.Reg, m Mem) asm.Op { return store("FSTPQ", "(F%d, F%d)", m, a, b) }
