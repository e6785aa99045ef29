package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// entries is the longest distribution.
const entries = 12

// sample counts the entries of the distribution that are below the upper 15 bits of a word: their
// difference is negative. The lowest bit is the sign.
func sample(file *asm.File) {
	f := start(file, "sampleRVV", "(s, cdf *uint16, n int)",
		`sampleRVV turns n > 0 random words into noise of a distribution. It has 12 entries; those of
shorter ones are followed by 2^15-1.`, "s", "cdf")
	s, table, n, vl := f.Arg("s"), f.Arg("cdf"), f.Arg("n"), f.New(Integer, "vl")
	cdf := f.Several(Integer, "cdf", entries)
	x, sign, e, t := f.Group(Vector, "x", 8, 8), f.Group(Vector, "sign", 8, 8), f.Group(Vector, "e", 8, 8), f.Group(Vector, "t", 8, 8)
	for i, c := range cdf {
		f.Add(MOVHU(2*i, table, c))
	}
	f.Label("loop")
	f.Add(
		VSETVLI(n, E16, M8, TA, vl),
		VLE16V(s, x),
		VANDVI(1, x, sign),
		VSRLVI(1, x, x),
		VRSUBVI(0, sign, sign),
	)
	for i, c := range cdf {
		if i == 0 {
			f.Add(VRSUBVX(c, x, e), VSRLVI(15, e, e))
			continue
		}
		f.Add(VRSUBVX(c, x, t), VSRLVI(15, t, t), VADDVV(t, e, e))
	}
	f.Add(
		VXORVV(sign, e, e),
		VSUBVV(sign, e, e),
		VSE16V(e, s),
		SUB(vl, n, n),
		SLLI(1, vl, vl),
		ADD(vl, s, s),
		BNEZ(n, "loop"),
		RET(),
	)
}

func difference(file *asm.File) {
	f := start(file, "differenceRVV", "(d, x, y *uint16, n int)",
		"differenceRVV sets d to the bitwise or of x[i] ^ y[i] for all i below n.", "d x y", "")
	d, x, y, n, vl := f.Arg("d"), f.Arg("x"), f.Arg("y"), f.Arg("n"), f.New(Integer, "vl")
	sum, a, b := f.Group(Vector, "sum", 8, 8), f.Group(Vector, "a", 8, 8), f.Group(Vector, "b", 8, 8)
	f.Add(VSETVLI(ZERO, E16, M8, TA, vl), VMVVI(0, sum))
	f.Label("loop")
	f.Add(
		VSETVLI(n, E16, M8, TU, vl), // sums behind the last word stay
		VLE16V(x, a),
		VLE16V(y, b),
		VXORVV(b, a, a),
		Keep(VORVV(a, sum, sum)),
		SUB(vl, n, n),
		SLLI(1, vl, vl),
		ADD(vl, x, x),
		ADD(vl, y, y),
		BNEZ(n, "loop"),
	)
	fold(f, vl, VORVV[[]asm.Reg], a, sum)
	f.Add(VSETIVLI(1, E16, M1, TA, ZERO), VSE16V(sum[0], d), RET())
}
