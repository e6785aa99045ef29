package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// Offsets in a Lane, and its size.
const (
	laneKeys = 8 * iota
	laneIV
	laneDst
	laneSrc
	laneSize
)

// cbcLanes is CBC encryption of several messages, each with a key of its own. Round keys are
// loaded for each block, in pairs: a load for two AESE.
func cbcLanes(file *asm.File, width int) {
	f := file.Func(fmt.Sprintf("cbcEncrypt%dCE", width), "(lanes *Lane, blocks int)")
	f.Doc = fmt.Sprintf(`%s encrypts blocks > 0 blocks of each of %d lanes. All keys have the same number of rounds.`, f.Name, width)
	f.Banner = `One chain waits for the latency of each pair of AESE and AESMC. Several chains fill the gaps.`
	f.Secret, f.Public = "lanes", "lanes.Keys.Rounds"
	lanes, blocks := f.Arg("lanes"), f.Arg("blocks")
	rounds, p, offset := f.New(Integer, "rounds"), f.New(Integer, "p"), f.New(Integer, "offset")
	first := f.Several(Integer, "k", width) // k0 of each lane, as in newCipher
	x := f.Several(Vector, "x", width)
	key := f.Several(Vector, "key", 4)
	y := f.New(Vector, "y")
	for i := range width {
		f.Add(
			MOVD(At(lanes, laneSize*i+laneIV), p),
			VLD1(B16, At(p, 0), x[i]),
			MOVD(At(lanes, laneSize*i+laneKeys), first[i]),
		)
		if i == 0 {
			f.Add(MOVD(At(first[0], roundsAt), rounds))
		}
		f.Add(ADD(Left(rounds, 4), first[i], first[i]), toFirst(encAt, first[i]))
	}
	pair := func(n int, last bool) {
		for i := range width {
			a, b := key[2*i%4], key[2*i%4+1]
			f.Add(FLDPQ(At(first[i], 16*n), a, b))
			f.Add(Fuse(AESE(a, x[i]), AESMC(x[i], x[i]))...)
			if last {
				f.Add(AESE(b, x[i]))
			} else {
				f.Add(Fuse(AESE(b, x[i]), AESMC(x[i], x[i]))...)
			}
		}
	}
	f.Add(MOVD(0, offset))
	f.Label("block")
	for i := range width {
		f.Add(
			MOVD(At(lanes, laneSize*i+laneSrc), p),
			ADD(offset, p, p),
			VLD1(B16, At(p, 0), y),
			VEOR(y, x[i], x[i]),
		)
	}
	f.Add(TBZ(2, rounds, "aes128"), TBZ(1, rounds, "aes192"))
	pair(0, false)
	f.Label("aes192")
	pair(2, false)
	f.Label("aes128")
	for n := 4; n < 12; n += 2 {
		pair(n, false)
	}
	pair(12, true)
	for i := range width {
		none := fmt.Sprint("none", i)
		f.Add(
			FMOVQ(At(first[i], 16*14), y),
			MOVD(At(lanes, laneSize*i+laneDst), p),
			VEOR(y, x[i], x[i]),
			CBZ(p, none),
			ADD(offset, p, p),
			VST1(B16, x[i], At(p, 0)),
		)
		f.Label(none)
	}
	f.Add(ADD(16, offset, offset), SUBS(1, blocks, blocks), BNE("block"))
	for i := range width {
		f.Add(MOVD(At(lanes, laneSize*i+laneIV), p), VST1(B16, x[i], At(p, 0)))
	}
	f.Add(RET())
}
