package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// compressSM3 writes the kernel for four messages with the SM3 instructions. For one,
// _gen/README.md explains them.
func compressSM3(file *asm.File, constants *asm.Table) {
	f := file.Func("Compress4SM3", "(v *[8][32]uint32, w *[32][32]uint32, src *[32][]byte, n int)")
	f.Doc = "Compress4SM3 is Compress4NEON with the SM3 instructions. Its w has chaining values."
	f.Secret = "v w src"
	v, old, src, n := f.Arg("v"), f.Arg("w"), f.Arg("src"), f.Arg("n")
	p := f.Several(Integer, "p", 4)
	for i := range p {
		f.Add(MOVD(At(src, sliceSize*i), p[i]))
	}
	first, next := f.New(Integer, "first"), f.New(Integer, "next")
	abcd, efgh := f.Several(Vector, "abcd", 4), f.Several(Vector, "efgh", 4)
	var w [4][]asm.Reg
	for m := range w {
		w[m] = f.Group(Vector, "w", 4, 1)
	}
	t := f.Group(Vector, "t", 2, 1)
	sum, ss := f.Several(Vector, "sum", 4), f.New(Vector, "ss")

	// transpose makes rows words 3 to 0 of each message, and back.
	transpose := func(r []asm.Reg) {
		a, b, c, d := sum[0], sum[1], sum[2], sum[3]
		f.Add(
			VTRN1(S4, r[1], r[0], a), VTRN2(S4, r[1], r[0], b),
			VTRN1(S4, r[3], r[2], c), VTRN2(S4, r[3], r[2], d),
			VTRN1(D2, c, a, r[0]), VTRN1(D2, d, b, r[1]),
			VTRN2(D2, c, a, r[2]), VTRN2(D2, d, b, r[3]),
		)
	}
	f.Add(MOVD(constants, first))
	for i := range 4 {
		f.Add(FMOVQ(At(v, row*(3-i)), abcd[i]), FMOVQ(At(v, row*(7-i)), efgh[i]))
	}
	transpose(abcd)
	transpose(efgh)

	f.Label("block")
	f.Add(MOVD(first, next))
	for m := range 4 {
		f.Add(VLD1(B16, Post(p[m], 64), w[m]), FSTPQ(abcd[m], efgh[m], At(old, 32*m)))
	}
	for i := range 4 {
		for m := range w {
			f.Add(VREV32(B16, w[m][i], w[m][i]))
		}
	}
	for j := 0; j < 64; j += 4 {
		k := j / 4
		for m, w := range w {
			f.Add(VEOR(w[(k+1)%4], w[k%4], sum[m]))
		}
		tt1, tt2 := SM3TT1A, SM3TT2A
		if j >= 16 {
			tt1, tt2 = SM3TT1B, SM3TT2B
		}
		for i := range 4 {
			if i%2 == 0 {
				f.Add(VLD2R(S4, Post(next, 8), t))
			}
			for m, w := range w {
				f.Add(
					SM3SS1(t[i%2], efgh[m], abcd[m], ss),
					tt1(Lane(S4, sum[m], i), ss, abcd[m]),
					tt2(Lane(S4, w[k%4], i), ss, efgh[m]),
				)
			}
		}
		if j < 52 {
			for _, w := range w {
				a, b, c, d := w[k%4], w[(k+1)%4], w[(k+2)%4], w[(k+3)%4]
				x, y, z := sum[0], sum[1], sum[2]
				f.Add(
					VEXT(12, c, b, x), VEXT(8, d, c, y), VEXT(12, b, a, z),
					SM3PARTW1(d, x, a),
					SM3PARTW2(z, y, a),
				)
			}
		}
	}
	for m := range 4 {
		x, y := sum[0], sum[1]
		f.Add(FLDPQ(At(old, 32*m), x, y), VEOR(x, abcd[m], abcd[m]), VEOR(y, efgh[m], efgh[m]))
	}
	f.Add(SUBS(1, n, n), BNE("block"))
	transpose(abcd)
	transpose(efgh)
	for i := range 4 {
		f.Add(FMOVQ(abcd[i], At(v, row*(3-i))), FMOVQ(efgh[i], At(v, row*(7-i))))
	}
	f.Add(RET())
}
