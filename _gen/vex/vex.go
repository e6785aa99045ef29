// Package vex emits the SM3 and SM4 instructions, which neither avo nor Go's
// assembler knows, as bytes under a comment that has the instruction.
//
// Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume
// 2A, section 2.3.5 (the prefix VEX), volume 2B (the instructions). Operands are in
// the order of Go's assembler: sources first.
package vex

import (
	"encoding/binary"
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An instruction is what is fixed of its encoding.
type instruction struct {
	name   string
	prefix byte // the field pp: 0 none, 1 for 66, 2 for F3, 3 for F2
	escape byte // the field mmmmm: 2 for 0F 38, 3 for 0F 3A
	opcode byte
}

var (
	key4  = instruction{"VSM4KEY4", 2, 2, 0xda}
	rnds4 = instruction{"VSM4RNDS4", 3, 2, 0xda}
	msg1  = instruction{"VSM3MSG1", 0, 2, 0xda}
	msg2  = instruction{"VSM3MSG2", 1, 2, 0xda}
	rnds2 = instruction{"VSM3RNDS2", 1, 3, 0xde}
)

// The last operand of all is the result, and with SM3 a source as well. The first one
// may be in memory, at any address. Registers are XMM, with SM4 also YMM.

// VSM4KEY4 computes the four round keys after k with the constants ck.
func VSM4KEY4(ck Op, k, x reg.VecPhysical) { emit(key4, -1, ck, k, x) }

// VSM4RNDS4 does four rounds of the state s with the keys k.
func VSM4RNDS4(k Op, s, x reg.VecPhysical) { emit(rnds4, -1, k, s, x) }

// VSM3MSG1 is the first half of the expansion of four words.
func VSM3MSG1(c Op, b, a reg.VecPhysical) { emit(msg1, -1, c, b, a) }

// VSM3MSG2 is the second half.
func VSM3MSG2(c Op, b, a reg.VecPhysical) { emit(msg2, -1, c, b, a) }

// VSM3RNDS2 does rounds j and j+1 with the words c.
func VSM3RNDS2(j int, c Op, b, a reg.VecPhysical) { emit(rnds2, j, c, b, a) }

// emit writes an instruction; immediate is negative if it has none.
func emit(i instruction, immediate int, rm Op, v, r reg.VecPhysical) {
	operands := []string{rm.Asm(), v.Asm(), r.Asm()}
	if immediate >= 0 {
		operands = append([]string{fmt.Sprintf("$%d", immediate)}, operands...)
	}
	Comment(i.name + " " + strings.Join(operands, ", "))
	code := encode(i, immediate, rm, v, r)
	put := func(opcode string, x Op) { Instruction(&ir.Instruction{Opcode: opcode, Operands: []Op{x}}) }
	for ; len(code) >= 4; code = code[4:] {
		put("LONG", U32(binary.LittleEndian.Uint32(code)))
	}
	for _, b := range code {
		put("BYTE", U8(b))
	}
}

// encode returns the bytes of an instruction with the prefix of three bytes.
func encode(i instruction, immediate int, rm Op, v, r reg.VecPhysical) []byte {
	var long byte // VEX.L
	switch {
	case v.Size() != r.Size():
		panic("vex: registers of two sizes")
	case r.Size() == 32:
		long = 1
	case r.Size() != 16:
		panic("vex: neither XMM nor YMM")
	}
	vv, rr := byte(v.PhysicalIndex()), byte(r.PhysicalIndex())
	if vv > 15 || rr > 15 {
		panic("vex: no such register in a VEX instruction")
	}
	var b byte // VEX.B: the highest bit of rm
	var tail []byte
	switch m := rm.(type) {
	case reg.VecPhysical:
		if m.Size() != r.Size() || m.PhysicalIndex() > 15 {
			panic("vex: registers of two sizes")
		}
		x := byte(m.PhysicalIndex())
		b, tail = x>>3, []byte{0xc0 | rr&7<<3 | x&7}
	case Mem:
		b, tail = memory(m, rr)
	default:
		panic("vex: no such operand")
	}
	code := []byte{0xc4, ^rr>>3<<7 | 1<<6 | (b^1)<<5 | i.escape, (^vv&15)<<3 | long<<2 | i.prefix, i.opcode}
	code = append(code, tail...)
	if immediate >= 0 {
		code = append(code, byte(immediate))
	}
	return code
}

// memory returns the highest bit of the base and what follows the opcode.
func memory(m Mem, r byte) (b byte, tail []byte) {
	if m.Index != nil || m.Symbol.Name != "" || m.Base == nil {
		panic("vex: memory must be a base register and a distance")
	}
	base := byte(m.Base.(reg.Physical).PhysicalIndex())
	mod := byte(2)
	if m.Disp >= -128 && m.Disp < 128 {
		mod = 1
	}
	if m.Disp == 0 && base&7 != 5 {
		mod = 0
	}
	tail = []byte{mod<<6 | r&7<<3 | base&7}
	if base&7 == 4 { // SP and R12 need the byte SIB
		tail = append(tail, 0x24)
	}
	switch mod {
	case 1:
		tail = append(tail, byte(m.Disp))
	case 2:
		tail = binary.LittleEndian.AppendUint32(tail, uint32(m.Disp))
	}
	return base >> 3, tail
}
