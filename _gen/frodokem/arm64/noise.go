package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// entries is the longest distribution.
const entries = 12

// sample counts the entries of the distribution that are below the upper 15 bits of a word. A
// comparison is -1 where it holds. The lowest bit is the sign.
func sample(file *asm.File) {
	f := start(file, "sampleNEON", "(s, cdf *uint16, n int)",
		`sampleNEON turns n random words, a multiple of 32 and not 0, into noise of a distribution. It has 12
entries; those of shorter ones are followed by 2^15-1.`, "s", "cdf")
	s, table, n := f.Arg("s"), f.Arg("cdf"), f.Arg("n")
	cdf, one := f.Several(Vector, "cdf", entries), f.New(Vector, "one")
	word := f.New(Integer, "word")
	f.Add(MOVD(1, word), VDUP(H8, word, one))
	for _, c := range cdf {
		f.Add(MOVHU(Post(table, 2), word), VDUP(H8, word, c))
	}
	x, sign, e, t := f.Several(Vector, "x", 4), f.Several(Vector, "sign", 4), f.Several(Vector, "e", 4), f.Several(Vector, "t", 4)
	each := func(op func(i int) asm.Op) {
		for i := range x {
			f.Add(op(i))
		}
	}
	f.Label("loop")
	f.Add(FLDPQ(At(s, 0), x[0], x[1]), FLDPQ(At(s, 32), x[2], x[3]))
	each(func(i int) asm.Op { return VCMTST(H8, one, x[i], sign[i]) })
	each(func(i int) asm.Op { return VUSHR(H8, 1, x[i], x[i]) })
	for j, c := range cdf {
		if j == 0 {
			each(func(i int) asm.Op { return VCMHI(H8, c, x[i], e[i]) })
			continue
		}
		each(func(i int) asm.Op { return VCMHI(H8, c, x[i], t[i]) })
		each(func(i int) asm.Op { return VADD(H8, t[i], e[i], e[i]) })
	}
	each(func(i int) asm.Op { return VEOR(sign[i], e[i], e[i]) })
	each(func(i int) asm.Op { return VSUB(H8, e[i], sign[i], e[i]) })
	f.Add(FSTPQ(e[0], e[1], Post(s, 32)), FSTPQ(e[2], e[3], Post(s, 32)), SUBS(32, n, n), BNE("loop"), RET())
}

func difference(file *asm.File) {
	f := start(file, "differenceNEON", "(x, y *uint16, n int) (d uint64)",
		`differenceNEON returns bits of which each 16 are the bitwise or of x[i] ^ y[i] for some i, and all together for
all i below n, a multiple of 32 and not 0.`, "x y d", "")
	x, y, n := f.Arg("x"), f.Arg("y"), f.Arg("n")
	sum, a, b := f.Several(Vector, "sum", 4), f.Several(Vector, "a", 4), f.Several(Vector, "b", 4)
	for _, r := range sum {
		f.Add(VMOVI(0, r))
	}
	f.Label("loop")
	for i := 0; i < 4; i += 2 {
		f.Add(FLDPQ(Post(x, 32), a[i], a[i+1]), FLDPQ(Post(y, 32), b[i], b[i+1]))
	}
	for i := range sum {
		f.Add(VEOR(a[i], b[i], a[i]), VORR(a[i], sum[i], sum[i]))
	}
	f.Add(SUBS(32, n, n), BNE("loop"))
	f.Add(VORR(sum[1], sum[0], sum[0]), VORR(sum[3], sum[2], sum[2]), VORR(sum[2], sum[0], sum[0]))
	f.Add(VEXT(8, sum[0], sum[0], sum[1]), VORR(sum[1], sum[0], sum[0]))
	d := f.New(Integer, "d")
	f.Add(FMOVD(sum[0], d), MOVD(d, Frame(f.Result("d"))), RET())
}
