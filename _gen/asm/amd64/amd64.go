// Package amd64 has instructions of amd64 as values, for generators that are written with
// avo: [Write] appends a stream to avo's function under construction. Operands are avo's,
// sources first. Other instructions of such a generator are written directly, with avo's
// package build.
//
// Reads and Writes of an Op have registers, but not flags: of streams that are woven, only
// one may use instructions that depend on flags.
package amd64

import (
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"

	"github.com/cipherlane/cipherlane/_gen/asm"
)

// op makes an Op of avo's form of an instruction. Registers that are parts of one another
// are the same: X0, Y0 and Z0.
func op(i *ir.Instruction, err error) asm.Op {
	if err != nil {
		panic(err)
	}
	var operands []string
	for _, x := range i.Operands {
		operands = append(operands, x.Asm())
	}
	o := asm.Op{
		Name:   i.Opcode,
		Text:   i.Opcode + " " + strings.Join(operands, ", "),
		Reads:  registers(i.InputRegisters()),
		Writes: registers(i.OutputRegisters()),
		Native: i,
	}
	for _, m := range i.Inputs {
		if operand.IsMem(m) {
			o.Memory = asm.Load
		}
	}
	for _, m := range i.Outputs {
		if operand.IsMem(m) {
			o.Memory = asm.Store
		}
	}
	return o
}

func registers(list []reg.Register) (out []asm.Reg) {
	for _, r := range list {
		p, ok := r.(reg.Physical)
		if !ok {
			panic("amd64: streams need physical registers")
		}
		out = append(out, asm.Reg{Class: asm.Class(r.Kind()), N: int(p.PhysicalIndex())})
	}
	return out
}

// Memory returns the address that an instruction uses, if it uses memory.
func Memory(o asm.Op) (m operand.Mem, ok bool) {
	if e, ok := o.Native.(encoded); ok {
		return e.address, o.Memory != asm.NoMemory
	}
	for _, x := range o.Native.(*ir.Instruction).Operands {
		if m, ok := x.(operand.Mem); ok {
			return m, true
		}
	}
	return operand.Mem{}, false
}

// Write appends a stream to avo's function. A stream can be written several times.
func Write(s asm.Stream) {
	for _, o := range s {
		if e, ok := o.Native.(encoded); ok {
			e.write()
			continue
		}
		i := *o.Native.(*ir.Instruction)
		build.Instruction(&i)
	}
}

// Put writes instructions at once.
func Put(ops ...asm.Op) { Write(ops) }

// The instructions, under avo's names.

func ADDQ(imr, mr operand.Op) asm.Op                  { return op(x86.ADDQ(imr, mr)) }
func ANDNQ(mr, r, r1 operand.Op) asm.Op               { return op(x86.ANDNQ(mr, r, r1)) }
func MOVQ(imrx, mrx operand.Op) asm.Op                { return op(x86.MOVQ(imrx, mrx)) }
func RORXQ(i, mr, r operand.Op) asm.Op                { return op(x86.RORXQ(i, mr, r)) }
func VAESENC(mxyz, xyz, xyz1 operand.Op) asm.Op       { return op(x86.VAESENC(mxyz, xyz, xyz1)) }
func VAESENCLAST(mxyz, xyz, xyz1 operand.Op) asm.Op   { return op(x86.VAESENCLAST(mxyz, xyz, xyz1)) }
func VBROADCASTI32X4(ops ...operand.Op) asm.Op        { return op(x86.VBROADCASTI32X4(ops...)) }
func VEXTRACTI64X2(ops ...operand.Op) asm.Op          { return op(x86.VEXTRACTI64X2(ops...)) }
func VEXTRACTI64X4(ops ...operand.Op) asm.Op          { return op(x86.VEXTRACTI64X4(ops...)) }
func VINSERTI32X4(ops ...operand.Op) asm.Op           { return op(x86.VINSERTI32X4(ops...)) }
func VGF2P8AFFINEINVQB(ops ...operand.Op) asm.Op      { return op(x86.VGF2P8AFFINEINVQB(ops...)) }
func VMOVD(mrx, mrx1 operand.Op) asm.Op               { return op(x86.VMOVD(mrx, mrx1)) }
func VMOVDQA64(ops ...operand.Op) asm.Op              { return op(x86.VMOVDQA64(ops...)) }
func VMOVDQU(mxy, mxy1 operand.Op) asm.Op             { return op(x86.VMOVDQU(mxy, mxy1)) }
func VMOVDQU64(ops ...operand.Op) asm.Op              { return op(x86.VMOVDQU64(ops...)) }
func VMOVDQU8(ops ...operand.Op) asm.Op               { return op(x86.VMOVDQU8(ops...)) }
func VMOVDQU8_Z(mxyz, k, mxyz1 operand.Op) asm.Op     { return op(x86.VMOVDQU8_Z(mxyz, k, mxyz1)) }
func VMOVQ(mrx, mrx1 operand.Op) asm.Op               { return op(x86.VMOVQ(mrx, mrx1)) }
func VPADDD_BCST(ops ...operand.Op) asm.Op            { return op(x86.VPADDD_BCST(ops...)) }
func VPADDQ(ops ...operand.Op) asm.Op                 { return op(x86.VPADDQ(ops...)) }
func VPADDQ_BCST(ops ...operand.Op) asm.Op            { return op(x86.VPADDQ_BCST(ops...)) }
func VPADDW(ops ...operand.Op) asm.Op                 { return op(x86.VPADDW(ops...)) }
func VPANDQ(ops ...operand.Op) asm.Op                 { return op(x86.VPANDQ(ops...)) }
func VPANDQ_BCST(ops ...operand.Op) asm.Op            { return op(x86.VPANDQ_BCST(ops...)) }
func VPBROADCASTD(ops ...operand.Op) asm.Op           { return op(x86.VPBROADCASTD(ops...)) }
func VPCLMULQDQ(i, mxyz, xyz, xyz1 operand.Op) asm.Op { return op(x86.VPCLMULQDQ(i, mxyz, xyz, xyz1)) }
func VPDPWSSD(ops ...operand.Op) asm.Op               { return op(x86.VPDPWSSD(ops...)) }
func VPINSRQ(i, mr, x, x1 operand.Op) asm.Op          { return op(x86.VPINSRQ(i, mr, x, x1)) }
func VPMADD52HUQ(ops ...operand.Op) asm.Op            { return op(x86.VPMADD52HUQ(ops...)) }
func VPMADD52LUQ(ops ...operand.Op) asm.Op            { return op(x86.VPMADD52LUQ(ops...)) }
func VPMADD52LUQ_BCST(ops ...operand.Op) asm.Op       { return op(x86.VPMADD52LUQ_BCST(ops...)) }
func VPROLD(ops ...operand.Op) asm.Op                 { return op(x86.VPROLD(ops...)) }
func VPSHRDQ(ops ...operand.Op) asm.Op                { return op(x86.VPSHRDQ(ops...)) }
func VPSHUFB(ops ...operand.Op) asm.Op                { return op(x86.VPSHUFB(ops...)) }
func VPSHUFD(ops ...operand.Op) asm.Op                { return op(x86.VPSHUFD(ops...)) }
func VPSLLQ(ops ...operand.Op) asm.Op                 { return op(x86.VPSLLQ(ops...)) }
func VPSRAQ(ops ...operand.Op) asm.Op                 { return op(x86.VPSRAQ(ops...)) }
func VPSUBQ(ops ...operand.Op) asm.Op                 { return op(x86.VPSUBQ(ops...)) }
func VPTERNLOGD(ops ...operand.Op) asm.Op             { return op(x86.VPTERNLOGD(ops...)) }
func VPTERNLOGQ(ops ...operand.Op) asm.Op             { return op(x86.VPTERNLOGQ(ops...)) }
func VPUNPCKHDQ(ops ...operand.Op) asm.Op             { return op(x86.VPUNPCKHDQ(ops...)) }
func VPUNPCKHQDQ(ops ...operand.Op) asm.Op            { return op(x86.VPUNPCKHQDQ(ops...)) }
func VPUNPCKHWD(ops ...operand.Op) asm.Op             { return op(x86.VPUNPCKHWD(ops...)) }
func VPUNPCKLDQ(ops ...operand.Op) asm.Op             { return op(x86.VPUNPCKLDQ(ops...)) }
func VPUNPCKLQDQ(ops ...operand.Op) asm.Op            { return op(x86.VPUNPCKLQDQ(ops...)) }
func VPUNPCKLWD(ops ...operand.Op) asm.Op             { return op(x86.VPUNPCKLWD(ops...)) }
func VPXOR(mxy, xy, xy1 operand.Op) asm.Op            { return op(x86.VPXOR(mxy, xy, xy1)) }
func VPXORD(ops ...operand.Op) asm.Op                 { return op(x86.VPXORD(ops...)) }
func VPXORD_BCST(ops ...operand.Op) asm.Op            { return op(x86.VPXORD_BCST(ops...)) }
func VPXORQ(ops ...operand.Op) asm.Op                 { return op(x86.VPXORQ(ops...)) }
func VPXORQ_BCST(ops ...operand.Op) asm.Op            { return op(x86.VPXORQ_BCST(ops...)) }
func XORQ(imr, mr operand.Op) asm.Op                  { return op(x86.XORQ(imr, mr)) }
