package amd64

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Vec is a vector register of any width.
type Vec = reg.VecPhysical

// ZMM are the vector registers, YMM and XMM their lower halves and quarters. Those from 16
// on need AVX-512.
var (
	ZMM = []Vec{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}
	YMM = each(Y)
	XMM = each(X)
)

func each(part func(Vec) Vec) (list []Vec) {
	for _, z := range ZMM {
		list = append(list, part(z))
	}
	return list
}

// X and Y are the lower 16 and 32 bytes of a register.
func X(v Vec) Vec { return v.AsX().(Vec) }

// Y is like X.
func Y(v Vec) Vec { return v.AsY().(Vec) }

// A Kernel is avo's function under construction, with the table of registers for its
// comment.
type Kernel struct{ rows []row }

// A row says what is where. Vector registers are in their order; other rows come before
// them, or behind them, as they were added.
type row struct {
	order       int
	place, what string
}

// types are those that avo does not know. To the assembler a pointer is a pointer.
var types = regexp.MustCompile(`\*[A-Z]\w*`)

// Begin begins a function with the signature of its Go declaration. doc is the contract, and
// begins with the name.
func Begin(name, signature string, doc ...string) *Kernel {
	build.TEXT(name, attr.NOSPLIT, "func"+types.ReplaceAllString(signature, "*byte"))
	build.Comment(doc...)
	build.Comment("func " + name + signature)
	return &Kernel{}
}

// GP says in the table what an integer register has.
func (k *Kernel) GP(r reg.GPPhysical, what string) reg.GPPhysical {
	k.GPs([]reg.GPPhysical{r}, what)
	return r
}

// GPs does so for several of them.
func (k *Kernel) GPs(list []reg.GPPhysical, what string) []reg.GPPhysical {
	var names []string
	for _, r := range list {
		names = append(names, r.Asm())
	}
	k.rows = append(k.rows, row{-1, strings.Join(names, " "), what})
	return list
}

// Vec does so for a vector register.
func (k *Kernel) Vec(v Vec, what string) Vec {
	k.rows = append(k.rows, row{int(v.PhysicalIndex()), v.Asm(), what})
	return v
}

// Vecs does so for several consecutive ones.
func (k *Kernel) Vecs(v []Vec, what string) []Vec {
	k.rows = append(k.rows, row{int(v[0].PhysicalIndex()), v[0].Asm() + "-" + v[len(v)-1].Asm(), what})
	return v
}

// Note adds a row for anything else.
func (k *Kernel) Note(place, what string) {
	k.rows = append(k.rows, row{len(ZMM), place, what})
}

// Table writes the table, and below it how the kernel works and what bounds it.
func (k *Kernel) Table(notes ...string) {
	slices.SortStableFunc(k.rows, func(a, b row) int { return a.order - b.order })
	width := 0
	for _, r := range k.rows {
		width = max(width, len(r.place))
	}
	var lines []string
	for _, r := range k.rows {
		lines = append(lines, fmt.Sprintf("  %-*s  %s", width, r.place, r.what))
	}
	build.Comment(append(lines, notes...)...)
}

// Constants defines a table of numbers in read-only memory.
func Constants[T uint8 | uint16 | uint32 | uint64](name string, words ...T) operand.Mem {
	m := build.GLOBL(name, attr.RODATA|attr.NOPTR)
	at := 0
	for _, w := range words {
		var c operand.Constant
		switch w := any(w).(type) {
		case uint8:
			c = operand.U8(w)
		case uint16:
			c = operand.U16(w)
		case uint32:
			c = operand.U32(w)
		case uint64:
			c = operand.U64(w)
		}
		build.DATA(at, c)
		at += c.Bytes()
	}
	return m
}

// Generate writes the file of a generator. It is the last thing that a generator does.
func Generate() {
	build.Generate()
	path := flag.Lookup("out").Value.String()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(asm.Join(string(text))), 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
}
