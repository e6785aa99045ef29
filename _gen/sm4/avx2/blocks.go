package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// A pass is one way through the rounds with fewer blocks than the widest.
type pass struct {
	blocks int
	groups int // of words; if there are none, one batch of bytes
	narrow bool
}

// passes emits the bodies of a function for few blocks, and leaves the way to
// what follows open for many: a jump if the number of blocks is a pass's, or 1. If in
// puts a counter into the scratch memory, counts is set.
func passes(f family, counts bool, one func(), in, rounds func(p pass), out func(at int, r vec)) {
	for _, p := range f.passes() {
		CMPQ(blocks, Imm(uint64(p.blocks)))
		JEQ(LabelRef(fmt.Sprintf("pass%d", p.blocks)))
	}
	CMPQ(blocks, Imm(1))
	JNE(LabelRef("wide"))
	one()
	done()
	for _, p := range f.passes() {
		Label(fmt.Sprintf("pass%d", p.blocks))
		in(p)
		rounds(p)
		if p.groups == 0 {
			bytesOut(f, 0, out)
			if counts {
				Comment(fmt.Sprintf("ct:allow stack x%d: the counter, which is in the caller's memory, too", 3+(state+16*rowSize()-halfway)/rowSize()))
			}
			wipe(halfway, state+16*rowSize())
		} else {
			wordsOut(f, p, out)
			if _, memory := f.word(p, 0, 0).(Mem); memory {
				wipe(state, state+4*p.size()*p.groups)
			} else {
				wipe(0, 0)
			}
		}
	}
	Label("wide")
}

// sizes lists the numbers of blocks that a function with passes takes.
func sizes(f family) string {
	list := "1, "
	for _, p := range f.passes() {
		list += fmt.Sprintf("%d, ", p.blocks)
	}
	return list + fmt.Sprintf("or a multiple of %d", 2*rowSize())
}

// blocksFunction is ECB in both directions.
func blocksFunction(f family) {
	name := "blocks" + f.name()
	function(name, 0, "(k *Keys, step int, dst, src *byte, blocks int)",
		name+" encrypts blocks (step 1) or decrypts them (step -1), which is the same with",
		"the round keys in reverse order. blocks: "+sizes(f)+".",
		"A round is X4 = X0 + L(S(X1+X2+X3+k)) in the basis T; see _gen/sm4/matrices.",
		"AX next key, BX, CX distance of keys, times three, R8 first key, R9 rounds / 4,",
		"SI src, DI dst, DX blocks left, R13 scratch memory.",
		"64 blocks: a register holds one byte of the state of 32 blocks, and the rounds of",
		"two batches fill the pipes: "+f.speed()+" cycles per byte on Zen 5. Fewer: one word of",
		"the state of 8 blocks, bound by the latency of a round. One block: see serial.go of the",
		"generator.")
	scratch(stateEnd)
	Load(Param("k"), keys)
	Load(Param("step"), step)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("blocks"), blocks)
	words, bytes := keyWalk{size: 4}, keyWalk{size: 16}
	store := func(at int, r vec) { move(r, Mem{Base: dst, Disp: at}) }
	passes(f, false, func() {
		words.start()
		move(Mem{Base: src}, xmm[5])
		shuffle(swapWords(), xmm[5], xmm[5])
		f.basis(false, xmm[6:10])(xmm[5])
		serialBlock(f, words)
		f.basis(true, xmm[6:10])(xmm[5])
		shuffle(swapWords(), xmm[5], xmm[5])
		move(xmm[5], Mem{Base: dst})
	}, func(p pass) {
		if p.groups == 0 {
			bytesIn(f, 0)
		} else {
			wordsIn(f, p)
		}
	}, func(p pass) {
		if p.groups == 0 {
			bytes.start()
			f.bytes(1, bytes)
		} else {
			words.start()
			f.words(p, words)
		}
	}, store)

	bytes.start()
	MOVQ(keyPtr, keys)
	Label("next")
	MOVQ(keys, keyPtr)
	bytesIn(f, 0)
	bytesIn(f, 1)
	f.bytes(2, bytes)
	bytesOut(f, 0, store)
	bytesOut(f, 1, func(at int, r vec) { store(16*rowSize()+at, r) })
	nextWide()
	wipe(halfway, stateEnd)
}

// nextWide ends a loop over the blocks of two batches.
func nextWide() {
	n := 2 * rowSize()
	ADDQ(U32(16*n), src)
	ADDQ(U32(16*n), dst)
	SUBQ(Imm(uint64(n)), blocks)
	JNE(LabelRef("next"))
}
