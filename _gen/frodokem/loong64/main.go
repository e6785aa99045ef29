// Command loong64 writes the kernels of FrodoKEM's matrix products for LSX and LASX.
//
// # Algorithm
//
// Products of 16-bit numbers modulo 2^16 are VMADD.H. S'A takes 16 rows of A at a time: two vectors of columns of A, and
// 16 of sums, to which each entry of S' in all elements is multiplied. S' is there with each entry twice in a word,
// because words can be loaded to all elements. B'S and A S are products of rows of both matrices: two
// rows of one with eight of the other have 16 vectors of sums, whose elements are added in the end.
//
// # Registers
//
//	name   what
//	sum    sums
//	x      the columns or rows that are multiplied
//	y      entries of S', rows of S^T
//	o, s   addresses of rows
//
// # Bound
//
// Instructions for LA464: S'A takes 476 for 16 rows and two vectors: 1.9 for an entry of A with LSX, and 0.93
// with LASX. A S takes 2.0 and 1.2.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
)

//go:generate go run . -out ../../../frodokem/internal/loong64/products_loong64.s -declarations ../../../frodokem/internal/loong64/products_loong64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	for _, w := range []Width{LSX, LASX} {
		addRows(file, w, "addRows"+w.String())
		dots(file, w, "dots"+w.String())
	}
	file.Write(*out, *declarations)
}

// rows is the number of rows of S'.
const rows = 8

func addRows(file *asm.File, w Width, name string) {
	f := file.Func(name, "(out, a *uint16, columns *[8]uint32, n int)")
	f.Doc = name + " adds to out, 8 x n, the products of 16 columns of S', 8 x 16, with 16 rows of n entries. n is a multiple of " +
		map[Width]string{LSX: "8", LASX: "16"}[w] + "."
	f.Secret = "out a columns"
	out, a, columns, n := f.Arg("out"), f.Arg("a"), f.Arg("columns"), f.Arg("n")
	o := f.Several(Integer, "o", rows)
	stride, q, two := f.New(Integer, "stride"), f.New(Integer, "q"), f.New(Integer, "two")
	sum, x, y := f.Several(Vector, "sum", 2*rows), f.Several(Vector, "x", 2), f.Several(Vector, "y", 4)
	f.Add(SLLVI(1, n, stride), MOVR(out, o[0]), MOVI(int(w), two))
	for m := 1; m < rows; m++ {
		f.Add(ADDV(stride, o[m-1], o[m]))
	}
	pass := func(vectors int) {
		for m := range rows {
			for v := range vectors {
				f.Add(w.Load(v*int(w), o[m], sum[2*m+v]))
			}
		}
		f.Add(MOVR(a, q))
		for r := range 16 {
			for v := range vectors {
				f.Add(w.Load(v*int(w), q, x[v]))
			}
			f.Add(ADDV(stride, q, q))
			for m := range rows {
				y := y[m%4]
				f.Add(w.LoadWord(4*(rows*r+m), columns, y))
				for v := range vectors {
					f.Add(w.MADDH(x[v], y, sum[2*m+v]))
				}
			}
		}
		for m := range rows {
			for v := range vectors {
				f.Add(w.Store(sum[2*m+v], v*int(w), o[m]))
			}
			f.Add(ADDVI(vectors*int(w), o[m], o[m]))
		}
		f.Add(ADDVI(vectors*int(w), a, a), ADDVI(-vectors*int(w)/2, n, n))
	}
	f.Add(BLTU(n, two, "single"))
	f.Label("pair")
	pass(2)
	f.Add(BGEU(n, two, "pair"), BEQ(n, ZERO, "done"))
	f.Label("single")
	pass(1)
	f.Label("done")
	f.Add(RET())
}

func dots(file *asm.File, w Width, name string) {
	f := file.Func(name, "(out, x, st *uint16, r, n int)")
	f.Doc = name + " adds to out, r x 8, the products of r rows of x with the eight rows of st. All have n entries, a multiple of 16; r is even."
	f.Secret = "out x st"
	out, first, st, r, n := f.Arg("out"), f.Arg("x"), f.Arg("st"), f.Arg("r"), f.Arg("n")
	s, second := f.Several(Integer, "s", rows), f.New(Integer, "second")
	stride, left := f.New(Integer, "stride"), f.New(Integer, "left")
	sum, x, y := [][]asm.Reg{f.Several(Vector, "sum", rows), f.Several(Vector, "sum", rows)}, f.Several(Vector, "x", 2), f.Several(Vector, "y", 4)
	f.Add(SLLVI(1, n, stride))
	f.Label("rows")
	f.Add(MOVR(st, s[0]), MOVR(stride, left), ADDV(stride, first, second))
	for m := 1; m < rows; m++ {
		f.Add(ADDV(stride, s[m-1], s[m]))
	}
	for m := range rows {
		f.Add(w.REPLICATE(D, ZERO, sum[0][m]), w.REPLICATE(D, ZERO, sum[1][m]))
	}
	f.Label("columns")
	for at := 0; at < 32; at += int(w) {
		f.Add(w.Load(at, first, x[0]), w.Load(at, second, x[1]))
		for m := range rows {
			f.Add(w.Load(at, s[m], y[m%4]), w.MADDH(x[0], y[m%4], sum[0][m]), w.MADDH(x[1], y[m%4], sum[1][m]))
		}
	}
	for _, p := range append(s, first, second) {
		f.Add(ADDVI(32, p, p))
	}
	f.Add(ADDVI(-32, left, left), BNE(left, ZERO, "columns"))
	for i, v := range sum {
		for ; len(v) > 1; v = v[:len(v)/2] {
			for m := 0; m < len(v); m += 2 {
				f.Add(w.PICKEV(H, v[m], v[m+1], y[0]), w.PICKOD(H, v[m], v[m+1], y[1]), w.ADD(H, y[0], y[1], v[m/2]))
			}
		}
		if w == LASX {
			f.Add(PERMIQ(1, v[0], y[0]), w.ADD(H, y[0], v[0], v[0]))
		}
		f.Add(LSX.Load(16*i, out, y[0]), LSX.ADD(H, y[0], v[0], v[0]), LSX.Store(v[0], 16*i, out))
	}
	f.Add(MOVR(second, first), ADDVI(32, out, out), ADDVI(-2, r, r), BNE(r, ZERO, "rows"), RET())
}
