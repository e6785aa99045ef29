package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

const (
	nbar       = 8
	rowsAtOnce = 16 // rows of A
)

// columns transposes.
func columns(file *asm.File) {
	f := start(file, "columnsNEON", "(dst, src *uint16, n int)",
		"columnsNEON sets dst, n x 8, to the transpose of src, 8 x n. n is a multiple of 8, and not 0.", "dst src", "")
	dst, src, n, stride := f.Arg("dst"), f.Arg("src"), f.Arg("n"), f.New(Integer, "stride")
	f.Add(LSL(1, n, stride))
	row := pointers(f, "row", nbar, src, stride)
	x, y := f.Several(Vector, "x", nbar), f.Several(Vector, "y", nbar)
	f.Label("loop")
	for i := range x {
		f.Add(VLD1(H8, Post(row[i], 16), x[i]))
	}
	for distance, t := range []Arrangement{H8, S4, D2} {
		bit := 1 << distance
		for i := range x {
			if i&bit == 0 {
				f.Add(VTRN1(t, x[i+bit], x[i], y[i]), VTRN2(t, x[i+bit], x[i], y[i+bit]))
			}
		}
		x, y = y, x
	}
	for i := 0; i < nbar; i += 2 {
		f.Add(FSTPQ(x[i], x[i+1], Post(dst, 32)))
	}
	f.Add(SUBS(8, n, n), BNE("loop"), RET())
}

func addRows(file *asm.File) {
	f := start(file, "addRowsNEON", "(out, rows, s *uint16, n int)",
		`addRowsNEON adds to out, 8 x n, the products of 16 columns of S' with 16 rows of A. s has the
columns of S', each in 16 bytes. n is a multiple of 8, and not 0.`, "out rows s", "")
	s, n, stride := f.Arg("s"), f.Arg("n"), f.New(Integer, "stride")
	column := f.Group(Vector, "column", rowsAtOnce, 1)
	f.Fix(column[0], 0)
	for i := 0; i < rowsAtOnce; i += 2 {
		f.Add(FLDPQ(At(s, 16*i), column[i], column[i+1]))
	}
	f.Add(LSL(1, n, stride))
	out := pointers(f, "out", nbar, f.Arg("out"), stride)
	row := pointers(f, "row", rowsAtOnce, f.Arg("rows"), stride)
	sum, x := f.Several(Vector, "sum", nbar), f.Several(Vector, "x", 8)
	f.Label("loop")
	for r := range sum {
		f.Add(VLD1(H8, At(out[r], 0), sum[r]))
	}
	for i := range rowsAtOnce {
		x := x[i%len(x)]
		f.Add(VLD1(H8, Post(row[i], 16), x))
		for r := range sum {
			f.Add(VMLA(H8, Lane(H8, column[i], r), x, sum[r]))
		}
	}
	for r := range sum {
		f.Add(VST1(H8, sum[r], Post(out[r], 16)))
	}
	f.Add(SUBS(8, n, n), BNE("loop"), RET())
}

func mulSB(file *asm.File) {
	f := start(file, "mulSBNEON", "(v, s, b *uint16, n int)",
		"mulSBNEON adds S'B to v, 8 x 8, where s is S', 8 x n, and b is B, n x 8. n is a multiple of 8, and not 0.", "v s b", "")
	v, b, n, stride := f.Arg("v"), f.Arg("b"), f.Arg("n"), f.New(Integer, "stride")
	f.Add(LSL(1, n, stride))
	s := pointers(f, "s", nbar, f.Arg("s"), stride)
	x := f.Group(Vector, "x", nbar, 1)
	f.Fix(x[0], 0)
	sum, y := f.Several(Vector, "sum", nbar), f.Several(Vector, "y", 8)
	for i := 0; i < nbar; i += 2 {
		f.Add(FLDPQ(At(v, 16*i), sum[i], sum[i+1]))
	}
	f.Label("loop")
	for i := range x {
		f.Add(VLD1(H8, Post(s[i], 16), x[i]))
	}
	for i := 0; i < len(y); i += 2 {
		f.Add(FLDPQ(Post(b, 32), y[i], y[i+1]))
	}
	for k := range y {
		for r := range sum {
			f.Add(VMLA(H8, Lane(H8, x[r], k), y[k], sum[r]))
		}
	}
	f.Add(SUBS(8, n, n), BNE("loop"))
	for i := 0; i < nbar; i += 2 {
		f.Add(FSTPQ(sum[i], sum[i+1], At(v, 16*i)))
	}
	f.Add(RET())
}

// dots multiplies four rows by four rows at a time.
func dots(file *asm.File) {
	const four = 4
	f := start(file, "dotsNEON", "(out, x, st *uint16, rows, n int)",
		`dotsNEON adds to out, rows x 8, the products of the rows of x with the eight rows of st. All have n
entries. rows is a multiple of 4, n of 8, and neither is 0.`, "out x st", "")
	out, x, st, rows, n := f.Arg("out"), f.Arg("x"), f.Arg("st"), f.Arg("rows"), f.Arg("n")
	stride, left, at := f.New(Integer, "stride"), f.New(Integer, "left"), f.New(Integer, "at")
	sums := f.Several(Vector, "sum", four*four)
	a, b := f.Several(Vector, "a", four), f.Several(Vector, "b", four)
	f.Add(LSL(1, n, stride))
	f.Label("rows")
	f.Add(MOVD(st, at))
	for half, name := range []string{"first", "second"} {
		for _, v := range sums {
			f.Add(VMOVI(0, v))
		}
		p, q := pointers(f, "p", four, x, stride), pointers(f, "q", four, at, stride)
		f.Add(MOVD(n, left))
		f.Label(name)
		for i := range four {
			f.Add(VLD1(H8, Post(p[i], 16), a[i]), VLD1(H8, Post(q[i], 16), b[i]))
		}
		for i := range four {
			for j := range four {
				f.Add(VMLA(H8, a[i], b[j], sums[four*i+j]))
			}
		}
		f.Add(SUBS(8, left, left), BNE(name))
		// Neighbours are added until a register has two rows of sums.
		t := sums
		for n := len(t) / 2; n >= 2; n /= 2 {
			for i := range n {
				f.Add(VADDP(H8, t[2*i+1], t[2*i], t[i]))
			}
		}
		old := f.New(Vector, "old")
		for i := range four {
			place := At(out, 16*i+8*half)
			if i%2 == 1 {
				f.Add(VEXT(8, t[i/2], t[i/2], t[i/2]))
			}
			f.Add(FMOVD(place, old), VADD(H8, t[i/2], old, old), FMOVD(old, place))
		}
		f.Add(ADD(Left(stride, 2), at, at))
	}
	f.Add(ADD(16*four, out, out), ADD(Left(stride, 2), x, x), SUBS(four, rows, rows), BNE("rows"), RET())
}
