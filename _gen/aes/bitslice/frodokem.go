package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// This file generates the matrix A of FrodoKEM: see _gen/frodokem/arm64, where the state after two
// rounds is called X[i] + Y[j].

// Offsets in Matrix of frodokem/internal/arm64. planesAt has X[i], and the last eight round keys,
// with the constant of the S-box.
const (
	matrixX      = 11 * 16
	matrixY      = matrixX + 16*1344
	matrixPlanes = matrixY + 16*1344/8
)

func planes(file *asm.File) {
	f := file.Func("planesBitslice", "(p *byte, n int)")
	f.Doc = "planesBitslice turns each eight blocks of n > 0, a multiple of 8, into planes."
	f.Public = "p"
	c := &cipher{Func: f, x: f.Group(Vector, "x", 8, 1)}
	p, n := f.Arg("p"), f.Arg("n")
	f.Label("eight")
	for i := 0; i < 8; i += 2 {
		f.Add(FLDPQ(At(p, 16*i), c.x[i], c.x[i+1]))
	}
	c.transpose()
	c.store(c.x, p)
	f.Add(SUBS(8, n, n), BNE("eight"), RET())
}

func rows(file *asm.File, t *tables) {
	f := file.Func("rowsBitslice", "(m *Matrix, rows *uint16, row, passes, blocks, count int)")
	f.Doc = `rowsBitslice writes count > 0 rows of A. A row has the given number of blocks, at least 8, and takes so many
passes of eight: the last eight of Y are the last ones of a row. It changes the planes of X[i].`
	f.Public = "m rows"
	c := &cipher{Func: f, x: f.Group(Vector, "x", 8, 1), shift: f.New(Vector, "shift"), next: f.New(Vector, "next")}
	m, out, x := f.Arg("m"), f.Arg("rows"), f.Arg("row")
	passes, blocks, count := f.Arg("passes"), f.Arg("blocks"), f.Arg("count")
	integer := func(name string) asm.Reg { return f.New(Integer, name) }
	y, at, first, end, left, key, round := integer("y"), integer("at"), integer("first"), integer("end"), integer("left"), integer("key"), integer("round")
	f.Add(MOVD(t.encrypt, at), FLDPQ(At(at, 0), c.shift, c.next))
	f.Add(
		ADD(Left(x, 4), m, x), ADD(matrixX, x, x),
		MOVD(matrixY, y), ADD(m, y, y),
		MOVD(matrixPlanes, first), ADD(m, first, first),
		LSL(4, blocks, blocks),
	)
	f.Label("row")
	row := f.New(Vector, "row")
	f.Add(VLD1(B16, Post(x, 16), row))
	for b := 0; b < 8; b += 2 {
		bit, p := f.Several(Vector, "bit", 2), f.Several(Vector, "plane", 2)
		f.Add(
			VMOVI(1<<b, bit[0]), VMOVI(1<<(b+1), bit[1]),
			VCMTST(B16, bit[0], row, p[0]), VCMTST(B16, bit[1], row, p[1]), FSTPQ(p[0], p[1], At(first, 16*b)),
		)
	}
	f.Add(MOVD(y, at), MOVD(passes, left), ADD(blocks, out, end))
	f.Label("pass")
	for i := 0; i < 8; i += 2 {
		f.Add(FLDPQ(Post(at, 32), c.x[i], c.x[i+1]))
	}
	f.Add(MOVD(first, key), MOVD(7, round))
	c.key(key, c.x)
	c.Label("round")
	s := c.substitute(substitute)
	c.Scheduled(CortexA72, func() { c.mix(s) })
	c.key(key, s)
	f.Add(SUBS(1, round, round), BNE("round"))
	c.key(key, c.shifted(c.substitute(substitute)))
	c.transpose()
	f.Add(SUBS(1, left, left), BNE("store"), SUB(128, end, out))
	f.Label("store")
	c.store(c.x, out)
	f.Add(CBNZ(left, "pass"), SUB(1, count, count), CBNZ(count, "row"), RET())
}
