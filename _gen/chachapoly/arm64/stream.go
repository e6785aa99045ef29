package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// stream writes the kernel of ChaCha20 alone.
func stream(file *asm.File, tables *asm.Table) {
	f := file.Func("xorNEON", "(dst, src *byte, n int, state *[16]uint32)")
	f.Secret = "dst src state"
	f.Doc = "xorNEON adds keystream to n > 0 bytes. It does not change the state."
	f.Banner = `passesNEON without Poly1305. The last pass ends with whole blocks, then 16 bytes at a time, then
		8, 4, 2 and 1.`
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	c := newChaCha(f, tables, 0)
	state := c.state
	for range 4 {
		c.x = append(c.x, f.Group(Vector, "x", 4, 1)...)
	}
	count, stream, text := f.New(Integer, "count"), f.New(Integer, "stream"), f.New(Integer, "text")

	f.Label("pass")
	for i := 0; i < 12; i += 4 {
		f.Add(VLD4R(S4, Post(state, 16), c.x[i:i+4]))
	}
	for i, x := range c.x[12:] {
		f.Add(VDUP(S4, Lane(S4, c.row[3], i), x))
	}
	f.Add(
		SUB(48, state, state),
		VADD(S4, c.count, c.x[12], c.x[12]),
		MOVD(2, count))
	f.Label("rounds")
	f.Add(c.doubleRounds(5)...)
	f.Add(
		SUB(1, count, count),
		CBNZ(count, "rounds"))
	f.Add(c.blocks()...)
	f.Add(
		SUBS(256, n, n),
		BLO("partial"))
	f.Add(c.xor(dst, src)...)
	f.Add(
		CBNZ(n, "pass"),
		RET())

	f.Label("partial")
	f.Add(ADD(256, n, n))
	data, rows := c.t[:4], c.t[4:]
	for j := range 4 {
		for i, row := range rows {
			f.Add(VMOV(c.x[4*i+j], row))
		}
		if j == 3 { // the last block cannot be whole
			break
		}
		f.Add(
			CMP(64, n),
			BLO("rest"),
			VLD1(B16, Post(src, 64), data))
		for i, row := range rows {
			f.Add(VEOR(row, data[i], data[i]))
		}
		f.Add(
			VST1(B16, data, Post(dst, 64)),
			SUBS(64, n, n),
			BEQ("done"))
	}
	f.Label("rest")
	f.Add(
		CMP(16, n),
		BLO("bytes"),
		VLD1(B16, Post(src, 16), data[:1]),
		VEOR(rows[0], data[0], data[0]),
		VST1(B16, data[:1], Post(dst, 16)),
		SUBS(16, n, n),
		BEQ("done"))
	for i := range 3 {
		f.Add(VMOV(rows[i+1], rows[i]))
	}
	f.Add(B("rest"))

	f.Label("bytes")
	f.Add(
		VMOV(Lane(D2, rows[0], 0), stream),
		TBZ(3, n, "four"),
		MOVD(Post(src, 8), text),
		EOR(stream, text, text),
		MOVD(text, Post(dst, 8)),
		VMOV(Lane(D2, rows[0], 1), stream))
	f.Label("four")
	f.Add(
		TBZ(2, n, "two"),
		MOVWU(Post(src, 4), text),
		EORW(stream, text, text),
		MOVW(text, Post(dst, 4)),
		LSR(32, stream, stream))
	f.Label("two")
	f.Add(
		TBZ(1, n, "one"),
		MOVHU(Post(src, 2), text),
		EORW(stream, text, text),
		MOVH(text, Post(dst, 2)),
		LSR(16, stream, stream))
	f.Label("one")
	f.Add(
		TBZ(0, n, "done"),
		MOVBU(At(src, 0), text),
		EORW(stream, text, text),
		MOVB(text, At(dst, 0)))
	f.Label("done")
	f.Add(RET())
}
