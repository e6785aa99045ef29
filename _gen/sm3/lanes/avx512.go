package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

var zmm = amd64.ZMM

// Truth tables of VPTERNLOGD.
const (
	xor3     = 0x96
	majority = 0xe8
	choose   = 0xca // bits of the second operand where the first has ones, else of the third
)

// A group is 16 lanes.
type group struct {
	*lanes
	index int
	state []reg.VecPhysical
	tmp   []reg.VecPhysical
	words []reg.VecPhysical // W, if there are registers for it
}

// groups are one or two groups of a kernel, whose registers go to the table.
func groups(k *lanes, n int) []group {
	if n == 1 {
		return []group{{
			lanes: k,
			state: k.Vecs(zmm[:8], "A ... H, which change places every round"),
			words: slices.Clone(k.Vecs(zmm[8:24], "the last 16 words of the messages; load exchanges one for a temporary register")),
			tmp:   slices.Clone(k.Vecs(zmm[24:], "temporary")),
		}}
	}
	return []group{
		{
			lanes: k,
			index: 0,
			state: k.Vecs(zmm[:8], "A ... H of lanes 0 ... 15, which change places every round"),
			tmp:   k.Vecs(zmm[16:24], "temporary"),
		},
		{
			lanes: k,
			index: 1,
			state: k.Vecs(zmm[8:16], "A ... H of lanes 16 ... 31"),
			tmp:   k.Vecs(zmm[24:], "temporary"),
		},
	}
}

// compressAVX512 writes the kernel for one or two groups.
func compressAVX512(n int, constants, reverse Mem) {
	lanes := 16 * n
	k := newCompress(fmt.Sprintf("Compress%dAVX512", lanes), lanes)
	next := k.GP(reg.R12, "bytes before the next block")
	list := groups(&k.lanes, n)
	if n == 1 {
		k.Note("w", "the next blocks, side by side")
		k.Table(
			"A round has 26 instructions, but from E to the E of the next five of two cycles each:",
			"about 870 cycles for a block of 16 lanes on Zen 5, two blocks of one lane.")
	} else {
		k.Note("w", "the last 16 words of the messages; the next blocks, side by side")
		k.Table(
			"A round has 26 instructions for 16 lanes, ten of them rotations, for which Zen 5 has",
			"two units; and from E to the E of the next round it takes ten cycles. So 16 lanes wait",
			"much of the time; 32 take 1120 cycles for a block (0.55 cycles per byte).")
	}
	k.start(constants)
	for l := range lanes {
		k.stage(l, k.at)
	}

	Label("block")
	Comment("The block to load in this round of the loop; the last one stays at its own.")
	LEAQ(Mem{Base: k.at, Disp: blockSize}, next)
	CMPQ(k.left, Imm(1))
	CMOVQEQ(k.at, next)
	for _, g := range list {
		g.load(reverse)
	}
	for _, g := range list {
		for i, r := range g.state {
			VMOVDQU32(g.chaining(i), r)
		}
	}
	for j := range 64 {
		for _, g := range list {
			g.round(j)
		}
		if j%(64/lanes) == 0 {
			k.stage(j/(64/lanes), next)
		}
	}
	for _, g := range list {
		for i, r := range g.state {
			VPXORD(g.chaining(i), r, r)
			VMOVDQU32(r, g.chaining(i))
		}
	}
	k.finish()
}

// chaining is where word i of the chaining values of a group is.
func (g group) chaining(i int) Mem { return g.lanes.chaining(i).Offset(64 * g.index) }

// word is where W_j is.
func (g group) word(j int) Op {
	if g.words != nil {
		return g.words[j%16]
	}
	return g.lanes.word(j).Offset(64 * g.index)
}

// stage copies a lane's block to where all lanes' blocks lie side by side. It
// does so long before the block is needed, and for one lane at a time: messages
// at the same distance from the beginning of a page share a set of the cache,
// which has fewer ways than there are lanes.
func (k *compress) stage(l int, at reg.Register) {
	x := zmm[31]
	VMOVDQU32(k.block(l, 0, at), x)
	VMOVDQU32(x, k.staged(l))
}

// staged is where the block of a lane goes.
func (k *lanes) staged(l int) Mem { return Mem{Base: k.messageWords, Disp: row*16 + blockSize*l} }

// load takes the staged blocks of 16 lanes and transposes them, so that register or
// memory j has W_j of all lanes.
func (g group) load(reverse Mem) {
	r, spare, order := slices.Clone(zmm[8:24]), zmm[24], zmm[25]
	VMOVDQU32(reverse, order)
	for l := range 16 {
		VMOVDQU32(g.staged(16*g.index+l), r[l])
		VPSHUFB(order, r[l], r[l])
	}
	unpack(r, &spare)
	// In quarter q of r[4i+c] is now word 4q+c of lanes 4i ... 4i+3, the two bits of
	// c exchanged.
	even := func(a, b, out Op) { VSHUFI32X4(Imm(0x88), a, b, out) }
	odd := func(a, b, out Op) { VSHUFI32X4(Imm(0xdd), a, b, out) }
	for c := range 4 {
		pair(r, &spare, c, 4+c, even, odd)
		pair(r, &spare, 8+c, 12+c, even, odd)
	}
	for c := range 8 {
		pair(r, &spare, c, 8+c, even, odd)
	}
	for i := range 16 {
		j := i/4*4 + i%4>>1 + i&1*2
		if g.words == nil {
			VMOVDQU32(r[i], g.word(j))
		} else {
			g.words[j] = r[i]
		}
	}
	if g.words != nil {
		g.tmp[0] = spare
	}
}

// round is a round, GB/T 32905-2016, section 5.3.3, in the names of that
// section. The expansion of the message is first because it waits for nothing.
// Rounds of two groups in turn are faster here than instructions in turn.
func (g group) round(j int) {
	ff, t, u, y := g.tmp[2], g.tmp[4], g.tmp[5], g.tmp[6]

	// W_n with n = j+4, in place of W_n-16.
	n, next := j+4, ff
	if g.words != nil {
		next = g.words[n%16]
	} else {
		VMOVDQU32(g.word(n), next)
	}
	if n >= 16 {
		VPROLD(Imm(15), g.word(n-3), t)
		VPTERNLOGD(Imm(xor3), g.word(n-9), t, next)
		VPROLD(Imm(7), g.word(n-13), y)
		VPROLD(Imm(15), next, t)
		VPROLD(Imm(23), next, u)
		VPTERNLOGD(Imm(xor3), t, u, next)
		VPTERNLOGD(Imm(xor3), g.word(n-6), y, next)
		if g.words == nil {
			VMOVDQU32(next, g.word(n))
		}
	}
	VPXORD(g.word(j), next, u)
	g.roundWith(j, g.word(j), u)
}

// roundWith is a round with W_j and W'_j.
func (g group) roundWith(j int, w, prime Op) {
	s := inRound(g.state, j)
	A, B, C, D, E, F, G, H := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	ss1, ss2, ff, gg, t := g.tmp[0], g.tmp[1], g.tmp[2], g.tmp[3], g.tmp[4]
	ffTable, ggTable := uint64(xor3), uint64(xor3)
	if j >= 16 {
		ffTable, ggTable = majority, choose
	}

	VPADDD(prime, D, D)
	VPROLD(Imm(12), A, ss2)
	VPADDD_BCST(g.constant(j), ss2, ss1)
	VPADDD(E, ss1, ss1)
	VPROLD(Imm(7), ss1, ss1)
	VMOVDQA64(E, gg)
	VPTERNLOGD(Imm(ggTable), G, F, gg)
	VPADDD(w, H, H)
	VPADDD(gg, H, H)
	VPADDD(ss1, H, H) // TT2
	VPXORD(ss1, ss2, ss2)
	VMOVDQA64(A, ff)
	VPTERNLOGD(Imm(ffTable), C, B, ff)
	VPADDD(ff, D, D)
	VPADDD(ss2, D, D) // TT1
	VPROLD(Imm(9), B, B)
	VPROLD(Imm(19), F, F)
	VPROLD(Imm(9), H, t)
	VPROLD(Imm(17), H, ss1)
	VPTERNLOGD(Imm(xor3), t, ss1, H)
}

// iterateAVX512 writes the kernel for PBKDF2 in one or two groups.
func iterateAVX512(n int, constants, end Mem) {
	k := newIterate(fmt.Sprintf("Iterate%dAVX512", 16*n), 16*n)
	list := groups(&k.lanes, n)
	k.Table()
	k.start(constants)
	Label("hash")
	for j := range 8 {
		for _, g := range list {
			VMOVDQU32(g.chaining(j), g.state[j])
			if g.words != nil {
				VMOVDQU32(g.result(j), g.words[j])
				VPBROADCASTD(end.Offset(4*j), g.words[8+j])
				continue
			}
			if g.index == 0 {
				VPBROADCASTD(end.Offset(4*j), zmm[16])
			}
			VMOVDQU32(zmm[16], g.word(8+j))
		}
	}
	for j := range 64 {
		for _, g := range list {
			g.round(j)
		}
	}
	for _, g := range list {
		for i, r := range g.state {
			VPXORD(g.chaining(i), r, r)
			VMOVDQU32(r, g.result(i))
		}
	}
	k.finish(func() {
		for _, g := range list {
			for i, r := range g.state {
				sum := Mem{Base: k.total, Disp: row*i + 64*g.index}
				VPXORD(sum, r, r)
				VMOVDQU32(r, sum)
			}
		}
	})
}

// result is where word i of a digest is, which is W_i of the next hash.
func (g group) result(i int) Mem { return g.lanes.word(i).Offset(64 * g.index) }

// digests512 writes the kernel that makes digests of chaining values.
func digests512(reverse Mem) {
	f := amd64.Begin("Digests32AVX512", "(dst *[1024]byte, v *[8][32]uint32)",
		"Digests32AVX512 writes the chaining values of 32 lanes as bytes, one after the other.")
	k := &lanes{Kernel: f, chainingValues: f.GP(reg.RAX, "v")}
	dst := k.GP(reg.RBX, "dst")
	words, spare := k.Vecs(zmm[:8], "the words of 16 lanes"), k.Vec(zmm[8], "temporary")
	order := k.Vec(zmm[9], "byte reversal")
	k.Table(
		"Two steps of exchanges make quarters of registers of four words of a lane: 16 shuffles",
		"and 32 stores for 16 lanes.")
	Load(Param("dst"), dst)
	Load(Param("v"), k.chainingValues)
	VMOVDQU32(reverse, order)
	for half := range 2 {
		r, spare := slices.Clone(words), spare
		for i := range r {
			VMOVDQU32(group{lanes: k, index: half}.chaining(i), r[i])
			VPSHUFB(order, r[i], r[i])
		}
		storeDigests(r, &spare, Mem{Base: dst, Disp: 512 * half})
	}
	VZEROUPPER()
	RET()
}

// storeDigests writes the words of 16 lanes, bytes reversed, as digests.
func storeDigests(r []reg.VecPhysical, spare *reg.VecPhysical, dst Mem) {
	unpack(r, spare)
	for i, x := range r {
		c := i%4>>1 + i&1*2 // lane in each four
		for q := range 4 {
			m := dst.Offset(32*(4*q+c) + 16*(i/4))
			if q == 0 && x.PhysicalIndex() < 16 { // X16 and above are for AVX512VL
				VMOVDQU(amd64.X(x), m)
			} else {
				VEXTRACTI32X4(Imm(uint64(q)), x, m)
			}
		}
	}
}

// kdf512 writes the kernel for KDF.
func kdf512(constants, reverse Mem) {
	k := newKDF("KDF32AVX512", 32)
	list := groups(&k.lanes, 2)
	k.Table("20 instructions in a round for 16 lanes instead of 26, and six rotations instead of ten.")
	k.start(constants)
	for i := range 8 {
		VPBROADCASTD(k.from.Offset(4*i), zmm[i])
		VMOVDQA64(zmm[i], zmm[8+i])
	}
	for j := range 64 {
		for _, g := range list {
			w, prime := g.tmp[6], g.tmp[5]
			VMOVDQU32(k.differences.Offset(row*j+64*g.index), w)
			VPXORD_BCST(k.base.Offset(4*j), w, w)
			VMOVDQU32(k.differences.Offset(64*row+row*j+64*g.index), prime)
			VPXORD_BCST(k.base.Offset(256+4*j), prime, prime)
			g.roundWith(j, w, prime)
		}
	}
	spare, order := zmm[16], zmm[17]
	VMOVDQU32(reverse, order)
	for _, g := range list {
		r := slices.Clone(g.state)
		for i := range r {
			VPXORD_BCST(k.from.Offset(4*i), r[i], r[i])
			VPSHUFB(order, r[i], r[i])
		}
		storeDigests(r, &spare, k.to.Offset(512*g.index))
	}
	for i := 0; i < 512; i += 64 {
		VMOVDQU32(k.delta.Offset(i), zmm[18])
		VPXORD(k.base.Offset(i), zmm[18], zmm[18])
		VMOVDQU32(zmm[18], k.base.Offset(i))
	}
	VZEROUPPER()
	RET()
}
