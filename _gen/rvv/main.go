// Command rvv writes the kernels of internal/rvv, for modes on CPUs with vectors (V) that are not
// in the kernels of the ciphers.
//
// # Algorithm
//
// A tweak of XTS is the one before times x, modulo x^128 + x^7 + x^2 + x + 1. Lanes have
// consecutive tweaks, as low and high words, and all are multiplied by a power of x: the product
// is a shift, and what leaves the upper word is less than 2^32, so that it is reduced in one step.
//
// # Registers
//
//	8 x 4  words, and temporary groups
//	2 x 8  operands of sums
//
// # Bound
//
// 19 instructions for 8 tweaks with registers of 128 bits: 0.15 a byte. A sum is 10 instructions
// for 128 bytes. On the SpacemiT X60 an instruction takes 2 cycles for each register: 104 for 16
// tweaks, 0.4 a byte.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

//go:generate go run . -out ../../internal/rvv/rvv_riscv64.s -declarations ../../internal/rvv/rvv_riscv64.go -older ../../internal/rvv/rvv_older_riscv64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	tweaks(file)
	xor(file)
	reverse(file)
	file.Write(*out, *declarations)
}

func tweaks(file *asm.File) {
	f := file.Func("fill", "(dst *byte, tweak *[16]byte, blocks int)")
	f.Doc = "fill fills dst, at a multiple of 8, with the tweaks of IEEE 1619 for blocks > 0\nblocks, of which tweak, at a multiple of 8, is the first. It does not change tweak."
	f.Secret, f.Public = "dst tweak", ""
	integer := func(name string) asm.Reg { return f.New(Integer, name) }
	dst, blocks, lanes, back, at := f.Arg("dst"), f.Arg("blocks"), integer("lanes"), integer("back"), integer("at")
	first := f.Several(Integer, "first", 2)
	vector := func(name string) []asm.Reg { return f.Group(Vector, name, 4, 4) }
	words := f.Group(Vector, "words", 8, 4)
	low, high := words[:4], words[4:]
	number, shift, carry, out, t := vector("number"), vector("behind"), vector("carry"), vector("out"), vector("t")

	// reduce adds the product of what left the upper word and x^7 + x^2 + x + 1.
	reduce := func() {
		f.Add(VXORVV(out, low, low))
		for _, n := range []int{1, 2, 7} {
			f.Add(VSLLVI(n, out, t), VXORVV(t, low, low))
		}
	}
	f.LoadArg("tweak", at)
	f.Add(MOV(0, at, first[0]), MOV(8, at, first[1]))
	// Not more than 32, so that the product has no more than 64 bits.
	f.Add(MOVI(32, at), BGEU(blocks, at, "start"), MOVR(blocks, at))
	f.Label("start")
	f.Add(
		VSETVLI(at, E64, M4, TA, lanes),
		VIDV(number),
		VMVVX(first[0], low), VSLLVV(number, low, low),
		VMVVX(first[1], high), VSLLVV(number, high, high),
		MOVI(63, at), VRSUBVX(at, number, shift),
		SRLI(1, first[0], first[0]), VMVVX(first[0], carry), VSRLVV(shift, carry, carry),
		SRLI(1, first[1], first[1]), VMVVX(first[1], out), VSRLVV(shift, out, out),
		VXORVV(carry, high, high),
	)
	reduce()
	f.Label("loop")
	f.Add(
		VSSEG2E64V(words, dst),
		SLLI(4, lanes, at), ADD(at, dst, dst),
		SUB(lanes, blocks, blocks), BEQZ(blocks, "done"),
		MOVI(64, back), SUB(lanes, back, back),
		VSRLVX(back, low, carry), VSRLVX(back, high, out),
		VSLLVX(lanes, low, low), VSLLVX(lanes, high, high),
		VXORVV(carry, high, high),
	)
	reduce()
	f.Add(
		// The lanes of the last group, which are not more than before
		BGEU(blocks, lanes, "loop"),
		VSETVLI(blocks, E64, M4, TA, lanes),
		JMP("loop"),
	)
	f.Label("done")
	f.Add(RET())
}

func xor(file *asm.File) {
	f := file.Func("xor", "(dst, a, b *byte, n int)")
	f.Doc = "xor sets n > 0 bytes of dst to a + b. dst may be a or b."
	f.Secret = "dst a b"
	dst, a, b, n := f.Arg("dst"), f.Arg("a"), f.Arg("b"), f.Arg("n")
	lanes := f.New(Integer, "lanes")
	x, y := f.Group(Vector, "x", 8, 8), f.Group(Vector, "y", 8, 8)
	f.Label("loop")
	f.Add(
		VSETVLI(n, E8, M8, TA, lanes),
		VLE8V(a, x), VLE8V(b, y),
		VXORVV(y, x, x),
		VSE8V(x, dst),
		ADD(lanes, a, a), ADD(lanes, b, b), ADD(lanes, dst, dst),
		SUB(lanes, n, n),
		BNEZ(n, "loop"),
		RET(),
	)
}

func reverse(file *asm.File) {
	f := file.Func("reverse", "(p *byte, n int)")
	f.Doc = "reverse reverses the bits of each of n > 0 bytes."
	f.Secret = "p"
	p, n, lanes := f.Arg("p"), f.Arg("n"), f.New(Integer, "lanes")
	x, y := f.Group(Vector, "x", 8, 8), f.Group(Vector, "y", 8, 8)
	f.Label("loop")
	f.Add(VSETVLI(n, E8, M8, TA, lanes), VLE8V(p, x), VSRLVI(4, x, y), VSLLVI(4, x, x), VORVV(y, x, x))
	for _, step := range []struct{ shift, mask int }{{2, 0x33}, {1, 0x55}} {
		mask := f.New(Integer, "mask")
		f.Add(
			MOVI(step.mask, mask),
			VSRLVI(step.shift, x, y), VANDVX(mask, y, y),
			VANDVX(mask, x, x), VSLLVI(step.shift, x, x),
			VORVV(y, x, x),
		)
	}
	f.Add(
		VSE8V(x, p),
		ADD(lanes, p, p),
		SUB(lanes, n, n),
		BNEZ(n, "loop"),
		RET(),
	)
}
