package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/simd"
)

// Counter blocks need no transposition: 12 of their bytes are the same in all
// blocks, and the last 4 are made as bytes.

// Scratch memory of the functions with counters.
func nonce() int    { return stateEnd }               // the 12 bytes, in the basis T, a row of each
func ctrBytes() int { return nonce() + 12*rowSize() } // a counter block
func ctrEnd() int   { return ctrBytes() + 32 }

var counter = reg.R10 // the last four bytes, as a number

// counterStart reads the counter block at ctr.
func counterStart(f family, ctr reg.Register) {
	MOVL(Mem{Base: ctr, Disp: 12}, counter.As32())
	BSWAPL(counter.As32())
	move(Mem{Base: ctr}, xmm[0])
	f.basis(false, xmm[1:5])(xmm[0])
	move(xmm[0], Mem{Base: frame, Disp: ctrBytes()})
	for b := range 12 {
		r := widest()[0]
		broadcast(8, Mem{Base: frame, Disp: ctrBytes() + b}, r)
		move(r, Mem{Base: frame, Disp: nonce() + rowSize()*b})
	}
}

// counters fills batches with the next counter blocks and advances the counter,
// modulo 2^32.
func counters(f family, batches int) {
	for b := range 12 {
		r := widest()[b%4]
		move(Mem{Base: frame, Disp: nonce() + rowSize()*b}, r)
		for batch := range batches {
			move(r, slot(batch, b/4, 3-b%4))
		}
	}
	// Row i of a batch holds block i, or block 2i in the lower half and 2i+1 in the upper.
	var index [32]byte
	rows := rowSize() / 16
	for i := range 16 {
		index[i], index[16+i] = byte(rows*i), byte(rows*i+1)
	}
	at := constant("index", index[:]...)
	v := widest()
	low, stays, both, t, u := v[0], v[1], v[2], v[3], v[4]
	n, high := reg.R11, reg.R12
	basis := f.basis(false, v[5:9])
	for batch := range batches {
		if batch == 0 {
			MOVL(counter.As32(), n.As32())
		} else {
			LEAL(Mem{Base: counter, Disp: rowSize()}, n.As32())
		}
		Comment("The lowest byte, and where it does not overflow:")
		word(n.As32(), xmm[0])
		broadcast(8, xmm[0], low)
		ordered(at, low, low, func(a, b, out Op) { VPADDB(a, b, out) }, inPlace(PADDB))
		ordered(at, low, stays, func(a, b, out Op) { VPMAXUB(a, b, out) }, inPlace(PMAXUB))
		ordered(low, stays, stays, func(a, b, out Op) { VPCMPEQB(a, b, out) }, inPlace(PCMPEQB))
		Comment("The three others, as they are and increased:")
		LEAL(Mem{Base: n, Disp: 256}, high.As32())
		SHRL(Imm(8), n.As32())
		SHRL(Imm(8), high.As32())
		SHLQ(Imm(32), high)
		ORQ(high, n)
		if simd.Legacy {
			MOVQ(n, xmm[2])
		} else {
			VMOVQ(n, xmm[2])
		}
		broadcast(64, xmm[2], both)
		basis(low, both)
		move(low, slot(batch, 3, 0))
		for j := range 3 {
			shuffle(constant("byte"+string('0'+rune(j)), byte(j)), both, t)
			shuffle(constant("byte"+string('4'+rune(j)), byte(4+j)), both, u)
			if simd.Legacy {
				PXOR(u, t)
				PAND(stays, t)
				PXOR(u, t)
			} else {
				VPBLENDVB(stays, t, u, t)
			}
			move(t, slot(batch, 3, 1+j))
		}
	}
	ADDL(Imm(uint64(rowSize()*batches)), counter.As32())
}

// counterWords fills groups with the next counter blocks.
func counterWords(f family, ctr reg.Register, p pass) {
	// A narrow register holds block i in word i; a wide one block 2i in word i
	// of the lower half and block 2i+1 in word i of the upper.
	index := func(g int) Mem {
		if p.narrow {
			return constant(fmt.Sprintf("count%d", 4*g), uint32s(4*g, 4*g+1, 4*g+2, 4*g+3)...)
		}
		return constant(fmt.Sprintf("countHalves%d", 8*g),
			uint32s(8*g, 8*g+2, 8*g+4, 8*g+6, 8*g+1, 8*g+3, 8*g+5, 8*g+7)...)
	}
	v := p.registers()
	block, number, tmp := v[14], v[15], v[8:12]
	basis := f.basis(false, tmp)
	MOVL(Mem{Base: ctr, Disp: 12}, counter.As32())
	BSWAPL(counter.As32())
	word(counter.As32(), xmm[15])
	broadcast(32, xmm[15], number)
	move(Mem{Base: ctr}, xmm[14])
	shuffle(swapWords(), xmm[14], xmm[14])
	if !p.narrow {
		VINSERTI128(Imm(1), xmm[14], block, block)
	}
	basis(block)
	for g := range p.groups {
		r := transit(f, p, g)
		simd.Add32(index(g), number, r[3])
		basis(r[3])
		for w := range 3 {
			simd.Shuffle32(uint64(0x55*w), block, r[w])
		}
		wordsSet(f, p, g)
	}
}

func uint32s(list ...int) (b []byte) {
	for _, x := range list {
		b = append(b, byte(x), 0, 0, 0)
	}
	return b
}

// xorOut adds the keystream of both batches to src.
func xorOut(f family) {
	for batch := range 2 {
		bytesOut(f, batch, func(at int, r vec) { xorStore(16*rowSize()*batch+at, r) })
	}
}

func xorStore(at int, r vec) {
	xorMemory(Mem{Base: src, Disp: at}, r)
	move(r, Mem{Base: dst, Disp: at})
}

func ctr(f family) {
	name := "ctr" + f.name()
	function(name, 0, "(k *Keys, ctr *[16]byte, dst, src *byte, blocks int)",
		name+" adds keystream to blocks: "+sizes(f)+". It counts with",
		"the last four bytes of ctr, modulo 2^32, and leaves ctr as it is.",
		"AX next key, R8 first key, R9 rounds / 4, R10 counter, CX ctr, SI src, DI dst,",
		"DX blocks left, R13 scratch memory, R11, R12 temporary.",
		"For the rest see the function of single blocks.")
	scratch(ctrEnd())
	at := reg.RCX
	Load(Param("k"), keys)
	Load(Param("ctr"), at)
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("blocks"), blocks)
	words, bytes := keyWalk{size: 4, fixed: true}, keyWalk{size: 16, fixed: true}
	passes(f, true, func() {
		LEAQ(Mem{Base: keys, Disp: wordsOffset}, keyPtr)
		move(Mem{Base: at}, xmm[5])
		shuffle(swapWords(), xmm[5], xmm[5])
		f.basis(false, xmm[6:10])(xmm[5])
		serialBlock(f, words)
		f.basis(true, xmm[6:10])(xmm[5])
		shuffle(swapWords(), xmm[5], xmm[5])
		xorStore(0, xmm[5])
	}, func(p pass) {
		if p.groups == 0 {
			counterStart(f, at)
			counters(f, 1)
		} else {
			counterWords(f, at, p)
		}
	}, func(p pass) {
		if p.groups == 0 {
			LEAQ(Mem{Base: keys, Disp: bytesOffset}, keyPtr)
			f.bytes(1, bytes)
		} else {
			LEAQ(Mem{Base: keys, Disp: wordsOffset}, keyPtr)
			f.words(p, words)
		}
	}, xorStore)
	ADDQ(U32(bytesOffset), keys)
	counterStart(f, at)
	Label("next")
	MOVQ(keys, keyPtr)
	counters(f, 2)
	f.bytes(2, bytes)
	xorOut(f)
	nextWide()
	wipe(halfway, ctrEnd())
}
