package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/riscv64"
)

// transpose has both directions.
func transpose(file *asm.File) {
	for _, columns := range []bool{true, false} {
		f := start(file, "rowsFromRVV", "(dst, src *uint16, n int)",
			"rowsFromRVV sets dst, 8 x n, to the transpose of src, n x 8.", "dst src", "")
		if columns {
			f.Name, f.Doc = "columnsFromRVV", "columnsFromRVV sets dst, n x 8, to the transpose of src, 8 x n."
		}
		dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
		integer := func(name string) asm.Reg { return f.New(Integer, name) }
		at, left, vl, stride, count := integer("at"), integer("left"), integer("vl"), integer("stride"), integer("count")
		x := f.Group(Vector, "x", 8, 8)
		row, column := dst, src
		if columns {
			row, column = src, dst
		}
		f.Add(MOVI(16, stride), MOVI(8, count))
		f.Label("row")
		f.Add(MOVR(n, left), MOVR(column, at))
		f.Label("loop")
		f.Add(VSETVLI(left, E16, M8, TA, vl))
		if columns {
			f.Add(VLE16V(row, x), VSSE16V(x, stride, at))
		} else {
			f.Add(VLSE16V(at, stride, x), VSE16V(x, row))
		}
		f.Add(
			SUB(vl, left, left),
			SLLI(1, vl, vl), ADD(vl, row, row),
			SLLI(3, vl, vl), ADD(vl, at, at),
			BNEZ(left, "loop"),
			ADDI(2, column, column),
			ADDI(-1, count, count),
			BNEZ(count, "row"),
			RET(),
		)
	}
}

// addRows multiplies two rows of S' by eight rows of A at a time. The 16 entries of S' stay in
// registers for all columns.
func addRows(file *asm.File) {
	const rowsAtOnce = 8
	f := start(file, "addRowsRVV", "(out, rows, s *uint16, n int)",
		`addRowsRVV adds to out, 8 x n, the products of 16 columns of S' with 16 rows of A. s has the
columns of S', each in 16 bytes.`, "out rows s", "")
	integer := func(name string) asm.Reg { return f.New(Integer, name) }
	s, a, p, stride := integer("s"), integer("a"), integer("p"), integer("stride")
	out, left, vl, pairs := integer("out"), integer("left"), integer("vl"), integer("pairs")
	entry := f.Several(Integer, "entry", 2*rowsAtOnce)
	sum0, sum1 := f.Group(Vector, "sum0", 8, 8), f.Group(Vector, "sum1", 8, 8)
	x := [][]asm.Reg{f.Group(Vector, "x", 8, 8), f.Group(Vector, "y", 8, 8)}
	f.LoadArg("s", s)
	f.LoadArg("n", stride)
	f.Add(SLLI(1, stride, stride))
	for half, name := range []string{"first", "second"} {
		f.Remark("%s eight rows of A", name)
		f.LoadArg("out", out)
		f.Add(MOVI(4, pairs))
		f.Label(name)
		for i := range rowsAtOnce {
			f.Add(MOVHU(16*i, s, entry[2*i]), MOVHU(16*i+2, s, entry[2*i+1]))
		}
		f.LoadArg("n", left)
		f.LoadArg("rows", a)
		if half > 0 {
			f.Add(SLLI(3, stride, p), ADD(p, a, a))
		}
		f.Label(name + "Loop")
		f.Add(
			VSETVLI(left, E16, M8, TA, vl),
			VLE16V(a, x[0]),
			VLE16V(out, sum0),
			ADD(stride, out, p),
			VLE16V(p, sum1),
			ADD(stride, a, p),
		)
		for i := range rowsAtOnce {
			if i+1 < rowsAtOnce {
				f.Add(VLE16V(p, x[(i+1)&1]))
			}
			if i+2 < rowsAtOnce {
				f.Add(ADD(stride, p, p))
			}
			f.Add(
				VMACCVX(x[i&1], entry[2*i], sum0),
				VMACCVX(x[i&1], entry[2*i+1], sum1),
			)
		}
		f.Add(
			VSE16V(sum0, out),
			ADD(stride, out, p),
			VSE16V(sum1, p),
			SUB(vl, left, left),
			SLLI(1, vl, vl),
			ADD(vl, out, out),
			ADD(vl, a, a),
			BNEZ(left, name+"Loop"),
			ADD(stride, out, out),
			ADDI(4, s, s),
			ADDI(-1, pairs, pairs),
			BNEZ(pairs, name),
		)
		if half == 0 {
			f.Add(ADDI(16*rowsAtOnce-16, s, s))
		}
	}
	f.Add(RET())
}

// dots multiplies a row by two rows at a time.
func dots(file *asm.File) {
	f := start(file, "dotsRVV", "(out, x, st *uint16, rows, n int)",
		`dotsRVV adds to out, rows x 8, the products of the rows of x with the eight rows of st. All have n
entries.`, "out x st", "")
	integer := func(name string) asm.Reg { return f.New(Integer, name) }
	out, x, st, rows, n := f.Arg("out"), f.Arg("x"), f.Arg("st"), f.Arg("rows"), f.Arg("n")
	at, p, second, stride, left, vl, pairs := integer("at"), integer("p"), integer("second"), integer("stride"), integer("left"), integer("vl"), integer("pairs")
	sums := [][]asm.Reg{f.Group(Vector, "sum0", 8, 8), f.Group(Vector, "sum1", 8, 8)}
	row, y := f.Group(Vector, "row", 8, 8), f.Group(Vector, "y", 8, 8)
	f.Add(SLLI(1, n, stride))
	f.Label("row")
	f.Add(MOVI(4, pairs), MOVR(st, p))
	f.Label("pair")
	f.Add(
		VSETVLI(ZERO, E16, M8, TA, vl),
		VMVVI(0, sums[0]),
		VMVVI(0, sums[1]),
		MOVR(n, left),
		MOVR(x, at),
	)
	f.Label("loop")
	f.Add(
		VSETVLI(left, E16, M8, TU, vl), // sums behind the last column stay
		VLE16V(at, row),
		VLE16V(p, y),
		ADD(stride, p, second),
		VMACCVV(row, y, sums[0]),
		VLE16V(second, y),
		SUB(vl, left, left),
		SLLI(1, vl, vl),
		ADD(vl, at, at),
		ADD(vl, p, p),
		VMACCVV(row, y, sums[1]),
		BNEZ(left, "loop"),
	)
	fold(f, vl, VADDVV[[]asm.Reg], y, sums...)
	f.Add(VSETIVLI(1, E16, M1, TA, ZERO))
	for i, sum := range sums {
		f.Add(
			ADDI(2*i, out, second),
			VLE16V(second, y[0]),
			VADDVV(sum[0], y[0], y[0]),
			VSE16V(y[0], second),
		)
	}
	f.Add(
		ADDI(4, out, out),
		ADD(stride, p, p),
		ADDI(-1, pairs, pairs),
		BNEZ(pairs, "pair"),
		ADD(stride, x, x),
		ADDI(-1, rows, rows),
		BNEZ(rows, "row"),
		RET(),
	)
}

// fold combines all elements of each group of eight registers into its element 0.
func fold(f *asm.Func, lanes asm.Reg, combine func(a, b, d []asm.Reg) asm.Op, t []asm.Reg, groups ...[]asm.Reg) {
	for n, lmul := 4, []LMUL{M1, M2, M4}; n > 0; n, lmul = n/2, lmul[:len(lmul)-1] {
		f.Add(VSETVLI(ZERO, E16, lmul[len(lmul)-1], TA, lanes))
		for _, g := range groups {
			f.Add(combine(g[n:2*n], g[:n], g[:n]))
		}
	}
	one := f.New(Integer, "one")
	f.Add(MOVI(1, one))
	f.Label("fold")
	f.Add(SRLI(1, lanes, lanes))
	for i, g := range groups {
		f.Add(VSLIDEDOWNVX(lanes, g[0], t[i]))
	}
	for i, g := range groups {
		f.Add(combine(t[i:i+1], g[:1], g[:1]))
	}
	f.Add(BNE(one, lanes, "fold"))
}
