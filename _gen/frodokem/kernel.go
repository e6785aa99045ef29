package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Vec is a vector register of any width.
type Vec = reg.VecPhysical

var zmm = []Vec{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// ymm are the halves of the same registers. Those from 16 on need AVX-512.
var ymm = func() (list []Vec) {
	for _, z := range zmm {
		list = append(list, z.AsY().(Vec))
	}
	return list
}()

func xmm(v Vec) Vec { return v.AsX().(Vec) }

// A kernel is the function under construction, with the table of registers for its comment.
type kernel struct{ rows []row }

// A row says what is where. Rows are in the order of vector registers; others come first,
// or last, as they were added.
type row struct {
	order       int
	where, what string
}

// function begins a kernel. doc is the contract, and begins with the name.
func function(name, signature string, doc ...string) *kernel {
	return begin(name, signature, attr.NOSPLIT, doc)
}

// largeFunction begins one that needs more of the stack than a function may that does not
// ask the runtime for it.
func largeFunction(name, signature string, doc ...string) *kernel {
	return begin(name, signature, 0, doc)
}

// untyped makes of a signature one that avo, which does not know the types, can read: to
// the assembler a pointer is a pointer.
var untyped = strings.NewReplacer("*Matrix", "*byte", "*Pairs", "*byte", "*Work", "*byte")

func begin(name, signature string, flags attr.Attribute, doc []string) *kernel {
	TEXT(name, flags, "func"+untyped.Replace(signature))
	Comment(doc...)
	Comment("func " + name + signature)
	return &kernel{}
}

// use says in the table what an integer register has.
func (k *kernel) use(r reg.GPPhysical, what string) reg.GPPhysical {
	k.rows = append(k.rows, row{-1, r.Asm(), what})
	return r
}

// uses does so for several of them.
func (k *kernel) uses(list []reg.GPPhysical, what string) {
	var names []string
	for _, r := range list {
		names = append(names, r.Asm())
	}
	k.rows = append(k.rows, row{-1, strings.Join(names, " "), what})
}

// vec does so for a vector register, vecs for several consecutive ones.
func (k *kernel) vec(v Vec, what string) Vec {
	k.rows = append(k.rows, row{int(v.PhysicalIndex()), v.Asm(), what})
	return v
}

func (k *kernel) vecs(v []Vec, what string) []Vec {
	k.rows = append(k.rows, row{int(v[0].PhysicalIndex()), v[0].Asm() + "-" + v[len(v)-1].Asm(), what})
	return v
}

// note adds a row for anything else.
func (k *kernel) note(where, what string) {
	k.rows = append(k.rows, row{len(zmm), where, what})
}

// table writes the table, and below it how the kernel works and what bounds it.
func (k *kernel) table(notes ...string) {
	slices.SortStableFunc(k.rows, func(a, b row) int { return a.order - b.order })
	width := 0
	for _, r := range k.rows {
		width = max(width, len(r.where))
	}
	var lines []string
	for _, r := range k.rows {
		lines = append(lines, fmt.Sprintf("  %-*s  %s", width, r.where, r.what))
	}
	Comment(append(lines, notes...)...)
}

// finish clears all registers that VZEROALL reaches, because they hold secrets.
func finish() {
	VZEROALL()
	RET()
}

// finish512 clears all 32.
func finish512() {
	zero(zmm[16:])
	finish()
}

func zero(list []Vec) {
	for _, v := range list {
		VPXORD(v, v, v)
	}
}

// constants defines a table of words in read-only memory.
func constants[T uint8 | uint16 | uint32 | uint64](name string, words ...T) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	at := 0
	for _, w := range words {
		switch w := any(w).(type) {
		case uint8:
			DATA(at, U8(w))
			at++
		case uint16:
			DATA(at, U16(w))
			at += 2
		case uint32:
			DATA(at, U32(w))
			at += 4
		case uint64:
			DATA(at, U64(w))
			at += 8
		}
	}
	return m
}

// eightRows is where columns of eight rows are in memory.
type eightRows struct {
	first, fifth    reg.GPPhysical // of these rows
	stride, stride3 reg.GPPhysical // the bytes in a row, and three times as many
}

// addresses computes stride3 and fifth of the others.
func (r eightRows) addresses() {
	LEAQ(Mem{Base: r.stride, Index: r.stride, Scale: 2}, r.stride3)
	LEAQ(Mem{Base: r.first, Index: r.stride, Scale: 4}, r.fifth)
}

// row is where row i is.
func (r eightRows) row(i int) Mem {
	m := Mem{Base: r.first}
	if i >= 4 {
		m.Base = r.fifth
	}
	switch i % 4 {
	case 1:
		m.Index, m.Scale = r.stride, 1
	case 2:
		m.Index, m.Scale = r.stride, 2
	case 3:
		m.Index, m.Scale = r.stride3, 1
	}
	return m
}

// advance goes on to columns that many bytes further.
func (r eightRows) advance(bytes int) {
	ADDQ(Imm(uint64(bytes)), r.first)
	ADDQ(Imm(uint64(bytes)), r.fifth)
}

// aligned is memory on the stack at a multiple of 32 bytes: a register that crosses a
// cache line takes twice as long.
type aligned struct {
	Mem
	whole Mem
}

// alignedLocal reserves so much of it, at R13.
func alignedLocal(k *kernel, bytes int, what string) aligned {
	return aligned{Mem{Base: k.use(reg.R13, what)}, AllocLocal(bytes + 32)}
}

// align computes the address.
func (a aligned) align() {
	LEAQ(a.whole.Offset(31), a.Base)
	ANDQ(I8(-32), a.Base)
}
