package loong64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/encoding"
)

// A Width is the number of bytes in a vector.
type Width int

const (
	LSX  Width = 16
	LASX Width = 32
)

// String is what the names of kernels end with.
func (w Width) String() string {
	if w == LASX {
		return "LASX"
	}
	return "LSX"
}

// An Element is the type of the elements of a vector: 8, 16, 32 or 64 bits.
type Element string

const (
	B Element = "B"
	H Element = "H"
	W Element = "W"
	D Element = "V" // as Go's assembler calls it
)

// prefix returns those of mnemonics and of registers.
func (w Width) prefix() (mnemonic, register string) {
	if w == LASX {
		return "XV", "X"
	}
	return "V", "V"
}

// code makes an instruction of registers and constants, in Go's order. The last one is the result.
func (w Width) code(name string, all ...any) asm.Op {
	mnemonic, register := w.prefix()
	name = mnemonic + name
	o := asm.Op{Name: name}
	var text []string
	numbers := make([]int, len(all)) // constants, or -1
	for i, a := range all {
		switch a := a.(type) {
		case int:
			text, numbers[i] = append(text, fmt.Sprint("$", a)), a
			continue
		case asm.Reg:
			numbers[i] = -1
			if a.Class == Vector {
				text = append(text, register+"%d")
			} else {
				text = append(text, "%v")
			}
			o.Regs = append(o.Regs, a)
			if i == len(all)-1 {
				o.Writes = append(o.Writes, a)
			} else if a != ZERO {
				o.Reads = append(o.Reads, a)
			}
		}
	}
	o.Text = name + " " + strings.Join(text, ", ")
	o.Code = func(n []int) []uint32 {
		all := slices.Clone(numbers)
		for i := range all {
			if all[i] < 0 {
				all[i], n = n[0], n[1:]
			}
		}
		return []uint32{encoding.LoongVector(name, all...)}
	}
	return o
}

// keep says that an instruction reads its result, too.
func keep(o asm.Op) asm.Op {
	o.Reads = append(slices.Clone(o.Reads), o.Writes...)
	return o
}

// Load and Store are of whole vectors, at any address.

func (w Width) Load(offset int, base, d asm.Reg) asm.Op {
	mnemonic, register := w.prefix()
	return access(op("VMOVQ", mnemonic+"MOVQ "+displaced(offset)+", "+register+"%d", list(base), list(d)), asm.Load)
}

func (w Width) Store(a asm.Reg, offset int, base asm.Reg) asm.Op {
	mnemonic, register := w.prefix()
	return access(op("VMOVQ", mnemonic+"MOVQ "+register+"%d, "+displaced(offset), list(a, base), nil), asm.Store)
}

// LoadWord loads a word to all elements. The offset is a multiple of 4 below 2048.
func (w Width) LoadWord(offset int, base, d asm.Reg) asm.Op {
	mnemonic, register := w.prefix()
	name := mnemonic + "LDREPLW"
	o := access(op(name, name+" "+displaced(offset)+", "+register+"%d", list(base), list(d)), asm.Load)
	o.Code = func(n []int) []uint32 { return []uint32{encoding.LoongVector(name, offset/4, n[0], n[1])} }
	return o
}

// Arithmetic and logic: SUB is b - a, ANDN a and not b.

func (w Width) ADD(e Element, a, b, d asm.Reg) asm.Op { return w.code("ADD"+string(e), a, b, d) }
func (w Width) SUB(e Element, a, b, d asm.Reg) asm.Op { return w.code("SUB"+string(e), a, b, d) }
func (w Width) AND(a, b, d asm.Reg) asm.Op            { return w.code("ANDV", a, b, d) }
func (w Width) OR(a, b, d asm.Reg) asm.Op             { return w.code("ORV", a, b, d) }
func (w Width) XOR(a, b, d asm.Reg) asm.Op            { return w.code("XORV", a, b, d) }
func (w Width) NOR(a, b, d asm.Reg) asm.Op            { return w.code("NORV", a, b, d) }
func (w Width) ANDN(a, b, d asm.Reg) asm.Op           { return w.code("ANDNV", a, b, d) }

// Rotations to the right and shifts of each element by n.

func (w Width) ROTRI(e Element, n int, a, d asm.Reg) asm.Op {
	return w.code("ROTRI"+string(e), n, a, d)
}
func (w Width) SLLI(e Element, n int, a, d asm.Reg) asm.Op { return w.code("SLLI"+string(e), n, a, d) }
func (w Width) SRLI(e Element, n int, a, d asm.Reg) asm.Op { return w.code("SRLI"+string(e), n, a, d) }

// ANDIB is the conjunction of each byte with n.
func (w Width) ANDIB(n int, a, d asm.Reg) asm.Op { return w.code("ANDIB", n, a, d) }

// Products without sign of the even words, of 64 bits, and their sums with d.

func (w Width) MULWEV(a, b, d asm.Reg) asm.Op  { return w.code("MULWEVVWU", a, b, d) }
func (w Width) MADDWEV(a, b, d asm.Reg) asm.Op { return keep(w.code("MADDWEVVWU", a, b, d)) }

// MADDH adds the products of elements of 16 bits to d.
func (w Width) MADDH(a, b, d asm.Reg) asm.Op { return keep(w.code("MADDH", a, b, d)) }

// ILVL and ILVH alternate the elements of the lower or upper halves of a and b, that of a first.
// PICKEV and PICKOD are the elements of a with even or odd numbers, and then those of b. All are of
// each 128 bits.

func (w Width) ILVL(e Element, a, b, d asm.Reg) asm.Op   { return w.code("ILVL"+string(e), a, b, d) }
func (w Width) ILVH(e Element, a, b, d asm.Reg) asm.Op   { return w.code("ILVH"+string(e), a, b, d) }
func (w Width) PICKEV(e Element, a, b, d asm.Reg) asm.Op { return w.code("PICKEV"+string(e), a, b, d) }
func (w Width) PICKOD(e Element, a, b, d asm.Reg) asm.Op { return w.code("PICKOD"+string(e), a, b, d) }

// SHUF4I takes each four elements of a (B, H or W) in the order of n, two bits for each.
func (w Width) SHUF4I(e Element, n int, a, d asm.Reg) asm.Op {
	return w.code("SHUF4I"+string(e), n, a, d)
}

// SHUFB takes bytes of a table of 32, low and then high, at the indices: of each 128 bits.
func (w Width) SHUFB(indices, low, high, d asm.Reg) asm.Op {
	return w.code("SHUFB", indices, low, high, d)
}

// BITSEL takes bits of ones where those of the mask are 1, and of zeros elsewhere.
func (w Width) BITSEL(mask, ones, zeros, d asm.Reg) asm.Op {
	return w.code("BITSELV", mask, ones, zeros, d)
}

// BSLL and BSRL shift each 128 bits by n bytes.

func (w Width) BSLL(n int, a, d asm.Reg) asm.Op { return w.code("BSLLV", n, a, d) }
func (w Width) BSRL(n int, a, d asm.Reg) asm.Op { return w.code("BSRLV", n, a, d) }

// PERMIQ makes d of halves (LASX): bits 0 and 1 of n select the lower one, 4 and 5 the upper one,
// of the lower and upper halves of a, and those of d.
func PERMIQ(n int, a, d asm.Reg) asm.Op { return keep(LASX.code("PERMIQ", n, a, d)) }

// REPLICATE copies an integer register to all elements.
func (w Width) REPLICATE(e Element, a, d asm.Reg) asm.Op { return w.code("REPLGR2VR"+string(e), a, d) }

// PICK is a quarter of 64 bits of a, and INSERT sets one of d. LSX has two.

func (w Width) PICK(n int, a, d asm.Reg) asm.Op   { return w.code("PICKVE2GRV", n, a, d) }
func (w Width) INSERT(n int, a, d asm.Reg) asm.Op { return keep(w.code("INSGR2VRV", n, a, d)) }
