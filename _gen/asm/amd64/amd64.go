// Package amd64 has the instructions of amd64 as values. (temporary)
package amd64

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

func regs(rs []reg.Register) (out []asm.Reg) {
	for _, r := range rs {
		p := r.(reg.Physical)
		out = append(out, asm.Reg{Class: asm.Class(r.Kind()), N: int(p.PhysicalIndex())})
	}
	return out
}

func op(i *ir.Instruction, err error) asm.Op {
	if err != nil {
		panic(err)
	}
	return asm.Op{Name: i.Opcode, Reads: regs(i.InputRegisters()), Writes: regs(i.OutputRegisters()), Native: i}
}

// Write writes a stream.
func Write(s asm.Stream) {
	for _, o := range s {
		i := *o.Native.(*ir.Instruction)
		build.Instruction(&i)
	}
}

func VPUNPCKLWD(ops ...operand.Op) asm.Op      { return op(x86.VPUNPCKLWD(ops...)) }
func VPUNPCKHWD(ops ...operand.Op) asm.Op      { return op(x86.VPUNPCKHWD(ops...)) }
func VPUNPCKLDQ(ops ...operand.Op) asm.Op      { return op(x86.VPUNPCKLDQ(ops...)) }
func VPUNPCKHDQ(ops ...operand.Op) asm.Op      { return op(x86.VPUNPCKHDQ(ops...)) }
func VPUNPCKLQDQ(ops ...operand.Op) asm.Op     { return op(x86.VPUNPCKLQDQ(ops...)) }
func VPUNPCKHQDQ(ops ...operand.Op) asm.Op     { return op(x86.VPUNPCKHQDQ(ops...)) }
func VPDPWSSD(ops ...operand.Op) asm.Op        { return op(x86.VPDPWSSD(ops...)) }
func VPADDW(ops ...operand.Op) asm.Op          { return op(x86.VPADDW(ops...)) }
func VPXORD(ops ...operand.Op) asm.Op          { return op(x86.VPXORD(ops...)) }
func VAESENC(ops ...operand.Op) asm.Op         { return op(x86.VAESENC(ops[0], ops[1], ops[2])) }
func VAESENCLAST(ops ...operand.Op) asm.Op     { return op(x86.VAESENCLAST(ops[0], ops[1], ops[2])) }
func VPBROADCASTD(ops ...operand.Op) asm.Op    { return op(x86.VPBROADCASTD(ops...)) }
func VBROADCASTI32X4(ops ...operand.Op) asm.Op { return op(x86.VBROADCASTI32X4(ops...)) }
func RORXQ(ops ...operand.Op) asm.Op           { return op(x86.RORXQ(ops[0], ops[1], ops[2])) }
func XORQ(ops ...operand.Op) asm.Op            { return op(x86.XORQ(ops[0], ops[1])) }
func ANDNQ(ops ...operand.Op) asm.Op           { return op(x86.ANDNQ(ops[0], ops[1], ops[2])) }
func MOVQ(ops ...operand.Op) asm.Op            { return op(x86.MOVQ(ops[0], ops[1])) }
func ADDQ(ops ...operand.Op) asm.Op            { return op(x86.ADDQ(ops[0], ops[1])) }
func VPXORQ(ops ...operand.Op) asm.Op          { return op(x86.VPXORQ(ops...)) }
func VPXOR(ops ...operand.Op) asm.Op           { return op(x86.VPXOR(ops[0], ops[1], ops[2])) }
func VPADDD_BCST(ops ...operand.Op) asm.Op     { return op(x86.VPADDD_BCST(ops...)) }
func VMOVDQA64(ops ...operand.Op) asm.Op       { return op(x86.VMOVDQA64(ops...)) }
func VMOVDQU64(ops ...operand.Op) asm.Op       { return op(x86.VMOVDQU64(ops...)) }
func VMOVDQU(ops ...operand.Op) asm.Op         { return op(x86.VMOVDQU(ops[0], ops[1])) }
func VMOVDQU8(ops ...operand.Op) asm.Op        { return op(x86.VMOVDQU8(ops...)) }
func VMOVDQU8_Z(ops ...operand.Op) asm.Op      { return op(x86.VMOVDQU8_Z(ops[0], ops[1], ops[2])) }
func VPSHUFB(ops ...operand.Op) asm.Op         { return op(x86.VPSHUFB(ops...)) }
func VPSHUFD(ops ...operand.Op) asm.Op         { return op(x86.VPSHUFD(ops...)) }
func VPCLMULQDQ(ops ...operand.Op) asm.Op      { return op(x86.VPCLMULQDQ(ops[0], ops[1], ops[2], ops[3])) }
func VPTERNLOGQ(ops ...operand.Op) asm.Op      { return op(x86.VPTERNLOGQ(ops...)) }
func VMOVQ(ops ...operand.Op) asm.Op           { return op(x86.VMOVQ(ops[0], ops[1])) }
func VPINSRQ(ops ...operand.Op) asm.Op         { return op(x86.VPINSRQ(ops[0], ops[1], ops[2], ops[3])) }
func VEXTRACTI64X4(ops ...operand.Op) asm.Op   { return op(x86.VEXTRACTI64X4(ops...)) }
func VEXTRACTI64X2(ops ...operand.Op) asm.Op   { return op(x86.VEXTRACTI64X2(ops...)) }
