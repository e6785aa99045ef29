package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/simd"
)

// One block: words in X0 ... X3, the input of the S-box in X4.
//
// The critical path is the time from one input of the S-box to the next. With
// q = x0 + x2 + x3 + (next key), ready early, the next input is the sum of q
// and the four terms of the linear layer: two additions after the slowest one.

const serialT = 4 // register of the S-box's input

// serialStart sets the first input of the S-box.
func serialStart(f family, k keyWalk) {
	t := xmm[serialT]
	serialKey(f, k.at(0), t)
	for w := 3; w > 0; w-- { // in cbcEncrypt the first word comes last
		xor(xmm[w], t, t)
	}
}

func serialKey(f family, at Mem, to vec) {
	if f.replicated() {
		broadcast(32, at, to)
	} else {
		word(at, to)
	}
}

// serialRound replaces the oldest word, x[0]. Unless next is nil, it leaves the
// input of the next round, which takes the key there, in t.
func serialRound(f family, schedule bool, x [4]vec, next *Mem) {
	t, q := xmm[serialT], xmm[15]
	if next != nil {
		serialKey(f, *next, q)
		xor(x[0], q, q)
		xor(x[2], q, q)
		xor(x[3], q, q)
	}
	u := f.layer(schedule, t)
	a, b := xmm[13], xmm[14]
	shuffle(rotation(1), u[1], a)
	shuffle(rotation(3), u[3], b)
	shuffle(rotation(2), u[2], u[2])
	if next != nil {
		xor(u[0], q, q)
	}
	xor(u[0], x[0], x[0])
	xor(a, b, a)
	if next != nil {
		xor(u[2], q, q)
		xor(a, q, t)
	}
	xor(u[2], x[0], x[0])
	xor(a, x[0], x[0])
}

// serialRounds does all 32 rounds, the last four apart: they have no next key
// to read. after is called after every round with the new word.
func serialRounds(f family, schedule bool, k keyWalk, after func(i int, x vec)) {
	round := func(i int, last bool) {
		x := [4]vec{xmm[i%4], xmm[(i+1)%4], xmm[(i+2)%4], xmm[(i+3)%4]}
		if last {
			serialRound(f, schedule, x, nil)
		} else {
			n := k.at(i + 1)
			serialRound(f, schedule, x, &n)
		}
		after(i, x[0])
	}
	fours(7, k, func(i int) { round(i, false) })
	for i := range 4 {
		round(i, i == 3)
	}
}

// serialBlock encrypts the block in X5, in the basis T and as words: words to
// X0 ... X3, rounds, and back to X5.
func serialBlock(f family, k keyWalk) {
	for w := range 4 {
		simd.Shuffle32(uint64(0x55*w), xmm[5], xmm[w])
	}
	serialStart(f, k)
	serialRounds(f, false, k, func(int, vec) {})
	serialPack()
}

// serialPack collects the words of the state in X5, the newest first.
func serialPack() {
	unpack(32, false, xmm[2], xmm[3], xmm[5])
	unpack(32, false, xmm[0], xmm[1], xmm[6])
	unpack(64, false, xmm[6], xmm[5], xmm[5])
}

func cbcEncrypt(f family) {
	name := "cbcEncrypt" + f.name()
	function(name, attr.NOSPLIT, "(k *Keys, iv *[16]byte, dst, src *byte, blocks int)",
		name+" encrypts blocks, at least one, each added to the last ciphertext block,",
		"which stays in iv.",
		"AX next key, R8 first key, R9 rounds / 4, R10 iv, SI src, DI dst, DX blocks left;",
		"X0 ... X3 state, X4 input of the S-box, X5 ... X15 temporary.",
		"Bound by the latency of a round; see serial.go of the generator. Word by word, the",
		"rounds of a block begin before the last one of the block before is done: the first",
		"input of the S-box does not need its newest word.")
	Load(Param("k"), keys)
	iv := reg.R10
	Load(Param("iv"), iv)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("blocks"), blocks)
	k := keyWalk{size: 4, fixed: true}
	tmp := xmm[9:13]
	Comment("iv as if it had just come out of the rounds: last word first.")
	move(Mem{Base: iv}, xmm[5])
	shuffle(swapWords(), xmm[5], xmm[5])
	f.basis(false, tmp)(xmm[5])
	for w := range 4 {
		simd.Shuffle32(uint64(0x55*w), xmm[5], xmm[3-w])
	}
	Label("next")
	move(Mem{Base: src}, xmm[5])
	shuffle(swapWords(), xmm[5], xmm[5])
	f.basis(false, tmp)(xmm[5])
	for _, w := range []int{1, 2, 3, 0} {
		simd.Shuffle32(uint64(0x55*w), xmm[5], xmm[5+w])
	}
	for w := range 4 {
		xor(xmm[3-w], xmm[5+w], xmm[5+w])
	}
	for w := range 4 {
		move(xmm[5+w], xmm[w])
	}
	MOVQ(keys, keyPtr)
	serialStart(f, k)
	serialRounds(f, false, k, func(int, vec) {})
	serialPack()
	f.basis(true, tmp)(xmm[5])
	shuffle(swapWords(), xmm[5], xmm[5])
	move(xmm[5], Mem{Base: dst})
	ADDQ(Imm(16), src)
	ADDQ(Imm(16), dst)
	DECQ(blocks)
	JNE(LabelRef("next"))
	move(xmm[5], Mem{Base: iv})
	done()
}
