package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

func (d *direction) table(file *asm.File) *asm.Table {
	if d.memory == nil {
		d.memory = table(file, d.verb, "The tables of package permute with which a kernel "+d.verb+".", d.tables())
	}
	return d.memory
}

func blocks(file *asm.File, d *direction) {
	f := file.Func(d.name+"BlocksNEON", "(k *Keys, dst, src *byte, n int)")
	f.Doc = f.Name + " " + d.verb + " n > 0 bytes, whole blocks."
	f.Secret, f.Public = "k dst src", "k.Rounds"
	k, dst, src, n := f.Arg("k"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	c := newCipher(f, d, d.table(file))
	b := f.Group(Vector, "x", 4, 1)
	lanes := c.lanes(b)
	key := f.New(Vector, "key")
	rounds, p, left := f.New(Integer, "rounds"), f.New(Integer, "p"), f.New(Integer, "left")
	f.Add(MOVD(At(k, roundsAt), rounds), SUB(1, rounds, rounds), ADD(d.keys, k, k))
	pass := func(blocks int) {
		l, b := lanes[:blocks], b[:blocks]
		top := fmt.Sprint("round", blocks)
		f.Add(
			VLD1(B16, Post(src, 16*blocks), b),
			MOVD(k, p),
			MOVD(rounds, left),
			FMOVQ(Post(p, 16), key),
		)
		c.each(l, func(_ int, l lane) asm.Stream { return c.begin(l, key) })
		f.Label(top)
		f.Add(FMOVQ(Post(p, 16), key), SUBS(1, left, left))
		c.each(l, func(_ int, l lane) asm.Stream { return c.round(l, key) })
		f.Add(BNE(top), FMOVQ(At(p, 0), key))
		c.each(l, func(_ int, l lane) asm.Stream { return c.end(l, key) })
		f.Add(VST1(B16, b, Post(dst, 16*blocks)))
	}
	f.Add(SUBS(64, n, n), BLO("rest"))
	f.Label("four")
	pass(4)
	f.Add(SUBS(64, n, n), BHS("four"))
	f.Label("rest")
	f.Add(TBZ(5, n, "no2"))
	pass(2)
	f.Label("no2")
	f.Add(TBZ(4, n, "no1"))
	pass(1)
	f.Label("no1")
	f.Add(RET())
}

func cbcEncrypt(file *asm.File) {
	f := file.Func("cbcEncryptNEON", "(k *Keys, iv, dst, src *byte, n int)")
	f.Doc = "cbcEncryptNEON encrypts n > 0 bytes, whole blocks. iv becomes the last ciphertext block."
	f.Banner = `The ciphertext goes on to the next block in the form of the state. That which is stored, and the plaintext's
form, are beside the chain. The last eleven round keys are in registers.`
	f.Secret, f.Public = "k iv dst src", "k.Rounds"
	k, iv, dst, src, n := f.Arg("k"), f.Arg("iv"), f.Arg("dst"), f.Arg("src"), f.Arg("n")
	c := newCipher(f, encryption, encryption.table(file))
	l := newLane(f)
	next, both, plain := f.New(Vector, "next"), f.New(Vector, "both"), f.New(Vector, "out")
	key := f.Several(Vector, "key", 4)
	rounds, p, left := f.New(Integer, "rounds"), f.New(Integer, "p"), f.New(Integer, "left")
	first, last := key[0], f.New(Vector, "lastkey")
	f.Add(
		MOVD(At(k, roundsAt), rounds),
		ADD(encAt, k, k),
		FMOVQ(Post(k, 16), first),
		ADD(Left(rounds, 4), k, p),
		SUB(16, p, p),
		FMOVQ(At(p, 0), last),
		SUB(2, rounds, rounds), // inner rounds but one
	)
	// What the form of the output adds to that of the next block: the last round key, and its own.
	f.Add(VMOV(last, l.x))
	f.Add(c.begin(l, first)...)
	f.Add(VMOV(l.x, both), VLD1(B16, At(iv, 0), l.x))
	f.Add(c.begin(l, first)...)
	f.Add(VMOV(l.x, next))
	f.Label("block")
	f.Add(
		VLD1(B16, Post(src, 16), l.x),
		MOVD(k, p),
		MOVD(rounds, left),
	)
	f.Add(c.begin(l, next)...)
	f.Label("round")
	f.Add(FLDPQ(Post(p, 32), key[0], key[1]), SUBS(2, left, left))
	f.Add(c.round(l, key[0])...)
	f.Add(c.round(l, key[1])...)
	f.Add(BNE("round"))
	f.Add(FMOVQ(At(p, 0), key[0]))
	f.Add(c.round(l, key[0])...)
	f.Add(c.invert(l)...)
	f.Add(pair(c.times, l.u, l.v, l.a, l.k)...)
	f.Add(VTBL(c.shift, l.a, l.a), VEOR(both, l.a, next))
	f.Add(pair(c.last, l.u, l.v, l.b, l.x)...)
	f.Add(
		VEOR(last, l.b, plain),
		VST1(B16, plain, Post(dst, 16)),
		SUBS(16, n, n),
		BNE("block"),
		VST1(B16, plain, At(iv, 0)),
		RET(),
	)
}

// Offsets in a Lane, and its size.
const (
	laneKeys = 8 * iota
	laneIV
	laneDst
	laneSrc
	laneSize
)

// cbcLanes is CBC encryption of several messages, each with a key of its own.
func cbcLanes(file *asm.File, width int) {
	f := file.Func(fmt.Sprintf("cbcEncrypt%dNEON", width), "(lanes *Lane, blocks int)")
	f.Doc = fmt.Sprintf(`%s encrypts blocks > 0 blocks of each of %d lanes. All keys have the same number of rounds.`, f.Name, width)
	f.Banner = `One chain waits for the latency of each look-up. Two of them by turns fill the gaps.`
	f.Secret, f.Public = "lanes", "lanes.Keys.Rounds"
	lanes, blocks := f.Arg("lanes"), f.Arg("blocks")
	c := newCipher(f, encryption, encryption.table(file))
	l := c.lanes(f.Several(Vector, "x", width))
	rounds, p, offset, left := f.New(Integer, "rounds"), f.New(Integer, "p"), f.New(Integer, "offset"), f.New(Integer, "left")
	first := f.Several(Integer, "k", width)
	keys := f.Several(Vector, "key", 2)
	for i := range width {
		f.Add(
			MOVD(At(lanes, laneSize*i+laneIV), p),
			VLD1(B16, At(p, 0), l[i].x),
			MOVD(At(lanes, laneSize*i+laneKeys), first[i]),
		)
		if i == 0 {
			f.Add(MOVD(At(first[0], roundsAt), rounds))
		}
		f.Add(ADD(encAt, first[i], first[i]))
	}
	f.Add(MOVD(0, offset))
	f.Label("block")
	for i := range width {
		y := keys[i%2]
		f.Add(
			MOVD(At(lanes, laneSize*i+laneSrc), p),
			ADD(offset, p, p),
			VLD1(B16, At(p, 0), y),
			VEOR(y, l[i].x, l[i].x),
		)
	}
	// with puts the load of a lane's round key before what uses it.
	with := func(step func(l lane, key asm.Reg) asm.Stream) {
		c.each(l, func(i int, l lane) asm.Stream {
			return append(asm.Stream{FMOVQ(Post(first[i], 16), keys[i%2])}, step(l, keys[i%2])...)
		})
	}
	f.Add(SUB(1, rounds, left))
	with(c.begin)
	f.Label("round")
	f.Add(SUBS(1, left, left))
	with(c.round)
	f.Add(BNE("round"))
	with(c.end)
	for i := range width {
		none := fmt.Sprint("none", i)
		f.Add(
			SUB(16, first[i], first[i]),
			SUB(Left(rounds, 4), first[i], first[i]),
			MOVD(At(lanes, laneSize*i+laneDst), p),
			CBZ(p, none),
			ADD(offset, p, p),
			VST1(B16, l[i].x, At(p, 0)),
		)
		f.Label(none)
	}
	f.Add(ADD(16, offset, offset), SUBS(1, blocks, blocks), BNE("block"))
	for i := range width {
		f.Add(MOVD(At(lanes, laneSize*i+laneIV), p), VST1(B16, l[i].x, At(p, 0)))
	}
	f.Add(RET())
}
