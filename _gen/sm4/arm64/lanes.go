package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
)

// Offsets in a Lane, and its size; in laneMemory.
const (
	laneKeys = 0
	laneIV   = 16
	laneDst  = 24
	laneSrc  = 32
	laneSize = 40

	laneWords  = 0    // round keys: for each round, those of 16 lanes
	laneBlocks = 2048 // the last ciphertext block of each lane
	roundSize  = 64   // of the round keys of 16 lanes
)

// loadKey loads the bytes of a round key, for each block of the group.
func (g *group) loadKey(k []asm.Reg, key, step asm.Reg) {
	if g.lanes {
		g.f.Add(VLD4(B16, PostIndex(key, step), k))
	} else {
		g.f.Add(VLD4R(B16, PostIndex(key, step), k))
	}
}

// cryptLanes is crypt for lanes with different keys.
func (w *words) cryptLanes(first, step asm.Reg, states ...[]asm.Reg) {
	rounds(w.f, "rounds", first, func(i int, key asm.Reg) {
		k := w.f.Group(Vector, "k", len(states), 1)
		w.f.Add(VLD1(B16, PostIndex(key, step), k))
		var streams []asm.Stream
		for j, x := range states {
			streams = append(streams, w.round(x[i], x[(i+1)%4], x[(i+2)%4], x[(i+3)%4], k[j]))
		}
		w.f.Add(asm.Weave(streams...)...)
	})
}

// cbcLanes is CBC encryption of several messages, each with a key of its own.
func cbcLanes(file *asm.File, c *constants, width int, family string) {
	f := file.Func(fmt.Sprintf("cbcEncrypt%d%s", width, family), "(lanes *Lane, m *laneMemory, blocks int)")
	f.Doc = fmt.Sprintf("%s encrypts blocks > 0 blocks of each of %d lanes. All have a Dst, or none.", f.Name, width)
	f.Banner = "First, the round keys are put in order: those of one round next to each other. The next blocks of\n" +
		"all lanes are in memory, added to the ciphertext before, to be loaded like those of one message.\n" +
		"Then as blocks16AES for 16 lanes, and as blocks4AES for others. Per byte, without the keys, 16 lanes\n" +
		"take 9.7 instructions, or 8.1 with EOR3; 4 and 8 lanes take 12."
	f.Secret = "lanes m"
	lanes, m, blocks := f.Arg("lanes"), f.Arg("m"), f.Arg("blocks")
	p, q, offset, step := f.New(Integer, "p"), f.New(Integer, "q"), f.New(Integer, "offset"), f.New(Integer, "step")
	f.Add(MOVD(roundSize, step))
	for first := 0; first < width; first += 4 {
		from := f.Several(Integer, "from", 4)
		for i := range from {
			f.Add(MOVD(At(lanes, laneSize*(first+i)+laneKeys), from[i]))
		}
		f.Add(ADD(laneWords+4*first, m, q), MOVD(8, p))
		label := fmt.Sprint("keys", first)
		f.Label(label)
		a, b := f.Several(Vector, "a", 4), f.Several(Vector, "b", 4)
		for i := range a {
			f.Add(VLD1(B16, Post(from[i], 16), a[i]))
		}
		f.Add(
			VTRN1(S4, a[1], a[0], b[0]), VTRN2(S4, a[1], a[0], b[1]),
			VTRN1(S4, a[3], a[2], b[2]), VTRN2(S4, a[3], a[2], b[3]),
			VTRN1(D2, b[2], b[0], a[0]), VTRN1(D2, b[3], b[1], a[1]),
			VTRN2(D2, b[2], b[0], a[2]), VTRN2(D2, b[3], b[1], a[3]),
		)
		for i := range a {
			f.Add(VST1(B16, a[i], PostIndex(q, step)))
		}
		f.Add(SUBS(1, p, p), BNE(label))
	}
	each := func(g func(i int, x asm.Reg)) {
		x := f.Group(Vector, "y", 4, 1)
		f.Add(ADD(laneBlocks, m, q))
		for first := 0; first < width; first += 4 {
			f.Add(VLD1(B16, At(q, 0), x))
			for i := range x {
				g(first+i, x[i])
			}
			f.Add(VST1(B16, x, Post(q, 64)))
		}
	}
	f.Add(ADD(laneBlocks, m, q))
	for i := range width {
		y := f.New(Vector, "y")
		f.Add(MOVD(At(lanes, laneSize*i+laneIV), p), FMOVQ(At(p, 0), y), VST1(B16, y, Post(q, 16)))
	}
	f.Add(MOVD(0, offset))

	var crypt func()
	if width == 16 {
		g := newGroup(f, c, family == sha3)
		g.lanes = true
		crypt = func() {
			g.load(c, [4]int{0, 1, 2, 3}, Post(q, 64))
			g.crypt(m, step)
			f.Add(ADD(laneBlocks, m, q))
			for _, p := range g.ready(c) {
				f.Add(VST4(B16, p, Post(q, 64)))
			}
		}
	} else {
		w := newWords(f, c)
		states := make([][]asm.Reg, width/4)
		for i := range states {
			states[i] = f.Group(Vector, "x", 4, 1)
		}
		crypt = func() {
			b := newBasis(f, c.basis, w.nibble)
			for _, x := range states {
				f.Add(VLD4(S4, Post(q, 64), x))
				b.changeAll(x)
			}
			w.cryptLanes(m, step, states...)
			b = newBasis(f, c.inverse, w.nibble)
			f.Add(ADD(laneBlocks, m, q))
			for _, x := range states {
				y := f.Group(Vector, "y", 4, 1)
				for i := range y {
					f.Add(b.change(x[3-i], y[i])...)
				}
				f.Add(VST4(S4, y, Post(q, 64)))
			}
		}
	}

	f.Label("block")
	each(func(i int, x asm.Reg) {
		d := f.New(Vector, "d")
		f.Add(MOVD(At(lanes, laneSize*i+laneSrc), p), ADD(offset, p, p), FMOVQ(At(p, 0), d), VEOR(d, x, x))
	})
	f.Add(ADD(laneBlocks, m, q))
	crypt()
	f.Add(MOVD(At(lanes, laneDst), p), CBZ(p, "none"), ADD(laneBlocks, m, q))
	for first := 0; first < width; first += 4 {
		x := f.Group(Vector, "y", 4, 1)
		f.Add(VLD1(B16, Post(q, 64), x))
		for i := range x {
			f.Add(MOVD(At(lanes, laneSize*(first+i)+laneDst), p), ADD(offset, p, p), FMOVQ(x[i], At(p, 0)))
		}
	}
	f.Label("none")
	f.Add(ADD(16, offset, offset), SUBS(1, blocks, blocks), BNE("block"))
	f.Add(ADD(laneBlocks, m, q))
	for i := range width {
		y := f.New(Vector, "y")
		f.Add(MOVD(At(lanes, laneSize*i+laneIV), p), VLD1(B16, Post(q, 16), y), FMOVQ(y, At(p, 0)))
	}
	f.Add(RET())
}
