package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// Offsets in arm64.Matrix.
const (
	xOffset = 11 * 16
	yOffset = xOffset + 16*maxN

	maxN = 1344
)

// twoCE makes what rowsCE needs.
func twoCE(file *asm.File) {
	f := start(file, "twoCE", "(keys, p *byte, blocks int)",
		"twoCE applies the first two rounds, without the round key behind them, to blocks > 0 blocks.", "", "keys p")
	k, p, n := f.Arg("keys"), f.Arg("p"), f.Arg("blocks")
	key, s := f.Several(Vector, "key", 2), f.New(Vector, "state")
	f.Add(FLDPQ(At(k, 0), key[0], key[1]))
	f.Label("block")
	f.Add(VLD1(B16, At(p, 0), s))
	for _, k := range key {
		f.Add(Fuse(AESE(k, s), AESMC(s, s))...)
	}
	f.Add(VST1(B16, s, Post(p, 16)), SUB(1, n, n), CBNZ(n, "block"), RET())
}

func rowsCE(file *asm.File) {
	f := start(file, "rowsCE", "(m *Matrix, rows *uint16, row, blocks, count int)",
		"rowsCE writes count > 0 rows of A. A row has the given number of blocks, which is even and at least 8.", "", "m rows")
	m, out, x, blocks, count := f.Arg("m"), f.Arg("rows"), f.Arg("row"), f.Arg("blocks"), f.Arg("count")
	y, at, left := f.New(Integer, "y"), f.New(Integer, "at"), f.New(Integer, "left")
	key, row, state := f.Several(Vector, "key", 8), f.New(Vector, "x"), f.Several(Vector, "state", 8)
	for i := 0; i < 8; i += 2 {
		f.Add(FLDPQ(At(m, 16*(3+i)), key[i], key[i+1]))
	}
	f.Add(
		ADD(Left(x, 4), m, x),
		ADD(xOffset, x, x),
		MOVD(yOffset, y),
		ADD(m, y, y),
	)
	some := func(s []asm.Reg) {
		for i := 0; i < len(s); i += 2 {
			f.Add(FLDPQ(Post(at, 32), s[i], s[i+1]))
		}
		for r := range 8 {
			k := row
			if r > 0 {
				k = key[r-1]
			}
			for _, s := range s {
				if r == 7 {
					f.Add(AESE(k, s))
				} else {
					f.Add(Fuse(AESE(k, s), AESMC(s, s))...)
				}
			}
		}
		for _, s := range s {
			f.Add(VEOR(key[7], s, s))
		}
		for i := 0; i < len(s); i += 2 {
			f.Add(FSTPQ(s[i], s[i+1], Post(out, 32)))
		}
	}
	f.Label("row")
	f.Add(VLD1(B16, Post(x, 16), row), MOVD(y, at), SUB(8, blocks, left))
	f.Label("eight")
	some(state)
	f.Add(SUBS(8, left, left), BPL("eight"), ADDS(8, left, left), BEQ("next"))
	f.Label("two")
	some(state[:2])
	f.Add(SUBS(2, left, left), BNE("two"))
	f.Label("next")
	f.Add(SUB(1, count, count), CBNZ(count, "row"), RET())
}
