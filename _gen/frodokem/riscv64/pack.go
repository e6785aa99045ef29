package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// Eight words of 15 bits are 15 bytes, the highest bits first. Lanes are such blocks. Bytes 2m and
// 2m+1, as one number, have the last 15-m bits of word m, and the first m+1 of the next one.

func pack15(file *asm.File) {
	f := start(file, "pack15RVV", "(out *byte, v *uint16, blocks int)",
		`pack15RVV packs the 15 lowest bits of every word, the highest first: 15 bytes for each of
blocks > 0 blocks of eight words.`, "out v", "")
	out, v, blocks, vl := f.Arg("out"), f.Arg("v"), f.Arg("blocks"), f.New(Integer, "vl")
	stride, at := f.New(Integer, "stride"), f.New(Integer, "at")
	w, t := f.Group(Vector, "w", 8, 1), f.New(Vector, "t")
	first, last := f.Group(Vector, "first", 8, 1), f.Group(Vector, "last", 8, 1) // bytes 0 to 7, 7 to 14
	f.Add(MOVI(15, stride))
	f.Label("loop")
	f.Add(VSETVLI(blocks, E16, M1, TA, vl), VLSEG8E16V(v, w))
	for _, x := range w {
		f.Add(VSLLVI(1, x, x))
	}
	for m := 1; m < 8; m++ { // in place, but for what the next one needs
		f.Add(VSRLVI(16-m, w[m], t), VSLLVI(m, w[m], w[m]), VORVV(t, w[m-1], w[m-1]))
	}
	f.Add(VSETVLI(vl, E8, MF2, TA, ZERO))
	for i := range 15 {
		word, shift := w[i/2], 8*(1-i&1)
		if i <= 7 {
			f.Add(VNSRLWI(shift, word, first[i]))
		}
		if i >= 7 {
			f.Add(VNSRLWI(shift, word, last[i-7]))
		}
	}
	f.Add(
		VSSSEG8E8V(first, stride, out),
		ADDI(7, out, at),
		VSSSEG8E8V(last, stride, at),
		SUB(vl, blocks, blocks),
		SLLI(4, vl, at),
		ADD(at, v, v),
		SUB(vl, at, at),
		ADD(at, out, out),
		BNEZ(blocks, "loop"),
		RET(),
	)
}

func unpack15(file *asm.File) {
	f := start(file, "unpack15RVV", "(v *uint16, in *byte, blocks int)", "unpack15RVV is the inverse of pack15RVV.", "v in", "")
	v, in, blocks, vl := f.Arg("v"), f.Arg("in"), f.Arg("blocks"), f.New(Integer, "vl")
	stride, at, byteMax, mask := f.New(Integer, "stride"), f.New(Integer, "at"), f.New(Integer, "byteMax"), f.New(Integer, "mask")
	first, last := f.Group(Vector, "first", 8, 1), f.Group(Vector, "last", 8, 1) // bytes 0 to 7, 7 to 14
	w, t := f.Group(Vector, "w", 8, 1), f.New(Vector, "t")
	f.Add(MOVI(15, stride), MOVI(255, byteMax), MOVI(0x7fff, mask))
	f.Label("loop")
	f.Add(
		VSETVLI(blocks, E8, MF2, TA, vl),
		VLSSEG8E8V(in, stride, first),
		ADDI(7, in, at),
		VLSSEG8E8V(at, stride, last),
	)
	b := append(first[:7:7], last...)
	for m := range 7 { // two bytes as a number: the sum of both, and 255 times the high one
		f.Add(VWADDUVV(b[2*m], b[2*m+1], w[m]), VWMACCUVX(b[2*m], byteMax, w[m]))
	}
	f.Add(VSETVLI(vl, E16, M1, TA, ZERO), VZEXTVF2(b[14], w[7]))
	f.Add(VSLLVI(8, w[6], t), VORVV(t, w[7], w[7]))
	for m := 6; m > 0; m-- {
		f.Add(VSRLVI(m+1, w[m], w[m]), VSLLVI(15-m, w[m-1], t), VORVV(t, w[m], w[m]))
	}
	f.Add(VSRLVI(1, w[0], w[0]))
	for _, x := range w[1:] {
		f.Add(VANDVX(mask, x, x))
	}
	f.Add(
		VSSEG8E16V(w, v),
		SUB(vl, blocks, blocks),
		SLLI(4, vl, at),
		ADD(at, v, v),
		SUB(vl, at, at),
		ADD(at, in, in),
		BNEZ(blocks, "loop"),
		RET(),
	)
}

func swap(file *asm.File) {
	f := start(file, "swapRVV", "(dst, src *byte, n int)",
		"swapRVV sets dst to src with the bytes of each word of 16 bits swapped. n > 0 is the number of words.", "dst src", "")
	dst, src, n, vl, bytes := f.Arg("dst"), f.Arg("src"), f.Arg("n"), f.New(Integer, "vl"), f.New(Integer, "bytes")
	x, y := f.Group(Vector, "x", 8, 8), f.Group(Vector, "y", 8, 8)
	f.Label("loop")
	f.Add(
		VSETVLI(n, E16, M8, TA, vl),
		SLLI(1, vl, bytes),
		VSETVLI(bytes, E8, M8, TA, ZERO), // loads and stores of words would have to be at even addresses
		VLE8V(src, x),
		VSETVLI(vl, E16, M8, TA, ZERO),
		VSRLVI(8, x, y), VSLLVI(8, x, x), VORVV(y, x, x),
		VSETVLI(bytes, E8, M8, TA, ZERO),
		VSE8V(x, dst),
		SUB(vl, n, n),
		ADD(bytes, src, src),
		ADD(bytes, dst, dst),
		BNEZ(n, "loop"),
		RET(),
	)
}
