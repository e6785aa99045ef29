package amd64

import (
	"encoding/binary"
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/encoding"
)

// encoded is the form of an instruction that avo and Go's assembler lack: a comment and
// bytes.
type encoded struct {
	comment string
	address operand.Mem // if it uses memory
	code    []byte
}

func (e encoded) write() {
	build.Comment(e.comment)
	put := func(directive string, x operand.Op) {
		build.Instruction(&ir.Instruction{Opcode: directive, Operands: []operand.Op{x}})
	}
	code := e.code
	for ; len(code) >= 4; code = code[4:] {
		put("LONG", operand.U32(binary.LittleEndian.Uint32(code)))
	}
	for _, b := range code {
		put("BYTE", operand.U8(b))
	}
}

// The SM3 and SM4 instructions. The first operand may be in memory. The last operand of all
// is the result, and with SM3 a source as well. Registers are XMM, with SM4 also YMM, and
// with AVX10.2 ZMM.

// VSM4KEY4 computes the four round keys after k with the constants ck.
func VSM4KEY4(ck operand.Op, k, x Vec) asm.Op {
	return words("VSM4KEY4", "", ck, k, x, false, func(ck encoding.Operand, k, x int, size int) []byte {
		return encoding.VSM4KEY4(size, ck, k, x)
	})
}

// VSM4RNDS4 does four rounds of the state s with the keys k.
func VSM4RNDS4(k operand.Op, s, x Vec) asm.Op {
	return words("VSM4RNDS4", "", k, s, x, false, func(k encoding.Operand, s, x int, size int) []byte {
		return encoding.VSM4RNDS4(size, k, s, x)
	})
}

// VSM3MSG1 is the first half of the expansion of four words.
func VSM3MSG1(c operand.Op, b, a Vec) asm.Op {
	return words("VSM3MSG1", "", c, b, a, true, func(c encoding.Operand, b, a int, _ int) []byte {
		return encoding.VSM3MSG1(c, b, a)
	})
}

// VSM3MSG2 is the second half.
func VSM3MSG2(c operand.Op, b, a Vec) asm.Op {
	return words("VSM3MSG2", "", c, b, a, true, func(c encoding.Operand, b, a int, _ int) []byte {
		return encoding.VSM3MSG2(c, b, a)
	})
}

// VSM3RNDS2 does rounds j and j+1 with the words c.
func VSM3RNDS2(j int, c operand.Op, b, a Vec) asm.Op {
	return words("VSM3RNDS2", fmt.Sprintf("$%d, ", j), c, b, a, true, func(c encoding.Operand, b, a int, _ int) []byte {
		return encoding.VSM3RNDS2(j, c, b, a)
	})
}

// words makes an Op of rm, v and the result r, which is also a source if update is set.
func words(name, immediate string, rm operand.Op, v, r Vec, update bool, encode func(rm encoding.Operand, v, r, size int) []byte) asm.Op {
	reads := []reg.Register{v}
	if update {
		reads = append(reads, r)
		if r.Size() != 16 {
			panic("amd64: " + name + " has XMM registers")
		}
	}
	if v.Size() != r.Size() {
		panic("amd64: registers of two sizes")
	}
	text := fmt.Sprintf("%s %s%s, %s, %s", name, immediate, rm.Asm(), v.Asm(), r.Asm())
	o := asm.Op{Name: name, Text: text, Writes: registers([]reg.Register{r})}
	e := encoded{comment: text}
	var source encoding.Operand
	switch m := rm.(type) {
	case Vec:
		if m.Size() != r.Size() {
			panic("amd64: registers of two sizes")
		}
		source.N = int(m.PhysicalIndex())
		reads = append(reads, m)
	case operand.Mem:
		if m.Index != nil || m.Symbol.Name != "" || m.Base == nil {
			panic("amd64: memory of " + name + " must be a base register and a distance")
		}
		source = encoding.Operand{Memory: true, N: int(m.Base.(reg.Physical).PhysicalIndex()), Disp: m.Disp}
		o.Memory, e.address = asm.Load, m
		reads = append(reads, m.Base)
	default:
		panic("amd64: no such operand")
	}
	e.code = encode(source, int(v.PhysicalIndex()), int(r.PhysicalIndex()), int(r.Size()))
	o.Reads, o.Native = registers(reads), e
	return o
}
