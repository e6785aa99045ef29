package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// Offsets in a Lane, and its size.
const (
	laneKeys = 8 + 8*iota
	laneIV
	laneDst
	laneSrc
	laneSize
)

// cbcLanes is CBC encryption of several messages, each with a key of its own. Round keys are
// loaded for each block, in pairs: a load for two SM4E.
func cbcLanes(file *asm.File, width int) {
	f := file.Func(fmt.Sprintf("cbcEncrypt%dSM4", width), "(lanes *Lane, blocks int)")
	f.Doc = fmt.Sprintf("%s encrypts blocks > 0 blocks of each of %d lanes. All have a Dst, or none.", f.Name, width)
	f.Banner = `One chain waits for the latency of each SM4E, about 38 cycles for a block. 8 chains keep the unit for
SM4E busy: 8 cycles for a block. What has to wait for the block before is the bytes of the ciphertext
and not its words, which saves an instruction.`
	f.Secret = "lanes"
	lanes, blocks := f.Arg("lanes"), f.Arg("blocks")
	src, dst, keys := f.Several(Integer, "src", width), f.Several(Integer, "dst", width), f.Several(Integer, "keys", width)
	x, k, y := f.Several(Vector, "x", width), f.Several(Vector, "k", 4), f.Several(Vector, "y", 2)
	for i := range width {
		f.Add(
			MOVD(At(lanes, laneSize*i+laneIV), src[i]),
			FMOVQ(At(src[i], 0), x[i]),
			MOVD(At(lanes, laneSize*i+laneKeys), keys[i]),
			MOVD(At(lanes, laneSize*i+laneDst), dst[i]),
			MOVD(At(lanes, laneSize*i+laneSrc), src[i]),
		)
	}
	f.Label("block")
	for i := range width {
		f.Add(
			VLD1(B16, Post(src[i], 16), y[i%2]),
			VEOR(y[i%2], x[i], x[i]),
			VREV32(B16, x[i], x[i]),
		)
	}
	for n := range 4 {
		for i := range width {
			a, b := k[2*i%4], k[2*i%4+1]
			f.Add(FLDPQ(At(keys[i], 32*n), a, b), SM4E(a, x[i]), SM4E(b, x[i]))
		}
	}
	for _, x := range x {
		f.Add(VREV64(B16, x, x), VEXT(8, x, x, x))
	}
	f.Add(CBZ(dst[0], "none"))
	for i := range width {
		f.Add(VST1(B16, x[i], Post(dst[i], 16)))
	}
	f.Label("none")
	f.Add(SUBS(1, blocks, blocks), BNE("block"))
	for i := range width {
		f.Add(MOVD(At(lanes, laneSize*i+laneIV), src[i]), FMOVQ(x[i], At(src[i], 0)))
	}
	f.Add(RET())
}
