package fused

import (
	"fmt"
	"strings"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/simd"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const attrNosplit = attr.NOSPLIT

// pass emits the function that makes the keystream of one or two sets.
func (k Kind) pass(sets int) {
	name := fmt.Sprintf("pass%d%s", sets, k.Suffix)
	prototype := "(w *work, dst, src *byte, n int, hash *byte, blocks int)"
	TEXT(name, 0, "func"+strings.Replace(prototype, "*work", "*byte", 1))
	limit := "Rows a, b and d are in registers, row c in memory, where it waits anyway: the chain\n" +
		"of 28 instructions of a quarter round is the limit, 56 cycles for a double round on Zen 5."
	if sets > 1 {
		limit = "All words are in memory, which costs eight accesses for a quarter round of 16 other\n" +
			"instructions: their shifts and shuffles have two of four units on Zen 5, 90 cycles for a double round."
	}
	Comment(fmt.Sprintf("%s makes %d blocks of keystream, dst = src ^ keystream for n bytes of it,", name, sets*k.lanes()),
		"advances the counter of w, and hashes blocks: h = (h + block + 2^128)·r modulo 2^130-5.",
		"If w asks for the key it makes that first, of block 0, with the powers r^(2^i).",
		"func "+name+prototype,
		fmt.Sprintf("n is at most %d; hash points at whole blocks and is not in dst before n bytes from dst on are written.", 64*sets*k.lanes()),
		"R14 w, R15 words of the keystream, 64-byte aligned; X0 ... X15 vectors of words;",
		"SI blocks to hash, R8, R9, R10 one hash, R11, R12, R13 the other, R14 how far apart, BX, CX, DI, BP,",
		"AX, DX products; for block 0: AX ... DX row a, SI, DI, BP, R8 row b, R9 ... R12 row d, R13, R14 of row c.")
	Comment(strings.Split(limit, "\n")...)
	Comment("Poly1305 and block 0 go through units that are idle otherwise and cost next to nothing.")
	const own = hasherSize + 3*8
	locals := AllocLocal(own + 16*k.bytes()*sets + 64)
	// Hashing takes 8 of the 10 double rounds.
	const unit, exponent = 2, 4
	h := k.newHasher(locals, "fused", 1<<exponent, exponent, func() { Load(Param("w"), ctx) })
	rounds, rowC := locals.Offset(hasherSize), locals.Offset(hasherSize+8)

	Load(Param("w"), ctx)
	LEAQ(locals.Offset(own+63), frame)
	ANDQ(I8(-64), frame)
	Load(Param("blocks"), reg.RAX)
	MOVQ(reg.RAX, h.left)
	k.start(sets)
	if sets > 1 {
		k.loadMasks()
	}
	CMPQ(field(firstAt, 0), Imm(0))
	JEQ(LabelRef("keyed"))

	MOVQ(U32(0), field(firstAt, 0))
	k.blockRounds("first", k.doubleRound(sets), rounds, rowC, h.context)
	for i := range 2 {
		MOVQ(U32(0), rowC.Offset(8*i))
	}
	Comment("Some blocks are hashed beside the powers, if a pass has so many.")
	h.load()
	for i, x := range hash {
		MOVQ(x, second[i])
	}
	Load(Param("hash"), in)
	MOVQ(in, h.saved)
	const hashedBlocks = 5 * 6
	if 4*k.lanes()*sets >= hashedBlocks { // else a pass has no more blocks
		CMPQ(h.left, Imm(hashedBlocks))
		JB(LabelRef("powersOnly"))
		SUBQ(Imm(hashedBlocks), h.left)
		var blocks stream
		for i := range 6 {
			blocks.Add(func() { MOVQ(h.saved, reg.RDX) })
			blocks = append(blocks, k.hashBlock(Mem{Base: reg.RDX, Disp: 16 * i}, second, h.r)...)
		}
		blocks.Add(func() { ADDQ(Imm(6*16), h.saved) })
		k.powerRounds("beside", k.doubleRound(sets), rounds, blocks)
		JMP(LabelRef("powered"))
	}
	Label("powersOnly")
	k.powerRounds("first", k.doubleRound(sets), rounds, nil)
	Label("powered")
	for i, x := range hash {
		MOVQ(second[i], x)
	}
	MOVQ(h.saved, in)
	JMP(LabelRef("done"))

	Label("keyed")
	MOVQ(U32(10), rounds)
	h.load()
	Load(Param("hash"), in)
	h.begin("plainRounds")
	MOVQ(distance, reg.RAX)
	SHRQ(Imm(5), reg.RAX)
	SUBQ(reg.RAX, rounds)
	MOVQ(reg.RAX, h.count)
	Label("hashRounds")
	var both stream
	for i := range unit {
		both = append(both, k.both(16*i, h.r)...)
	}
	amd64.Weave(k.doubleRound(sets), both).Write()
	ADDQ(Imm(uint64(16*unit)), in)
	DECQ(h.count)
	JNZ(LabelRef("hashRounds"))
	h.combine()
	Label("plainRounds")
	emit(k.doubleRound(sets))
	DECQ(rounds)
	JNZ(LabelRef("plainRounds"))

	Label("done")
	h.prefix = "last"
	h.rest()
	Load(Param("w"), ctx)
	LEAQ(field(hashAt, 0), reg.RAX)
	hashStore(reg.RAX)
	h.wipe()

	k.passOutput(sets, locals.Offset(own))
}

// passOutput adds the keystream of a pass to the data, clears the words at locals, where the
// keystream is, and advances the counter.
func (k Kind) passOutput(sets int, locals Mem) {
	dst, src, n := reg.RDI, reg.RSI, reg.RCX
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	Load(Param("n"), n)
	whole := 64 * k.lanes()
	for set := range sets {
		part := fmt.Sprintf("part%d", set)
		CMPQ(n, U32(uint32(whole)))
		JB(LabelRef(part))
		k.output(sets, set, func(b, i int, v vec) {
			at := 64*b + k.bytes()*i
			simd.XorMemory(Mem{Base: src, Disp: at}, v, k.reg(15))
			simd.Write(v, Mem{Base: dst, Disp: at})
		})
		SUBQ(U32(uint32(whole)), n)
		if set+1 < sets {
			JEQ(LabelRef("end"))
			ADDQ(U32(uint32(whole)), src)
			ADDQ(U32(uint32(whole)), dst)
		} else {
			JMP(LabelRef("end"))
		}
	}
	for set := range sets {
		Label(fmt.Sprintf("part%d", set))
		k.output(sets, set, func(b, i int, v vec) {
			simd.Write(v, k.slot(set, i*k.lanes()+b))
		})
		if set > 0 {
			ADDQ(U32(uint32(16*k.bytes()*set)), frame)
		}
		if set+1 < sets {
			JMP(LabelRef("tail"))
		}
	}
	Label("tail")
	k.tail(dst, src, n)
	wipe := func(from, to int) {
		LEAQ(locals.Offset(63), frame)
		ANDQ(I8(-64), frame)
		simd.Zero(k.reg(0))
		for i := from; i < to; i++ {
			simd.Write(k.reg(0), k.slot(0, i))
		}
	}
	if k.Legacy {
		Label("end")
		wipe(0, 16*sets)
	} else { // row c is in memory, keystream only for a part of a set
		wipe(0, 16)
		Label("end")
		wipe(8, 12)
	}
	ADDL(U32(uint32(sets*k.lanes())), Mem{Base: ctx, Disp: stateAt + 48})
	if !k.Legacy {
		VZEROUPPER()
	}
	RET()
}

// tail adds the keystream in the scratch memory to n bytes, fewer than a set,
// possibly none. Pieces of one block are lanes registers apart there.
func (k Kind) tail(dst, src, n reg.GPPhysical) {
	v := k.reg(0)
	size := k.bytes()
	piece := func(i int) Mem { return Mem{Base: frame, Disp: i * k.lanes() * size} }
	Label("tailBlock")
	CMPQ(n, Imm(64))
	JB(LabelRef("tailPart"))
	for i := range 64 / size {
		r := k.reg(i)
		simd.Read(Mem{Base: src, Disp: i * size}, r)
		simd.Xor(piece(i), r, r)
	}
	for i := range 64 / size {
		simd.Write(k.reg(i), Mem{Base: dst, Disp: i * size})
	}
	ADDQ(Imm(64), src)
	ADDQ(Imm(64), dst)
	ADDQ(Imm(uint64(size)), frame)
	SUBQ(Imm(64), n)
	JMP(LabelRef("tailBlock"))
	Label("tailPart")
	CMPQ(n, Imm(uint64(size)))
	JB(LabelRef("tailBytes"))
	simd.Read(Mem{Base: src}, v)
	simd.Xor(piece(0), v, v)
	simd.Write(v, Mem{Base: dst})
	ADDQ(Imm(uint64(size)), src)
	ADDQ(Imm(uint64(size)), dst)
	ADDQ(U32(uint32(k.lanes()*size)), frame)
	SUBQ(Imm(uint64(size)), n)
	JMP(LabelRef("tailPart"))
	Label("tailBytes")
	if !k.Legacy {
		CMPQ(n, Imm(16))
		JB(LabelRef("tailEnd"))
		VMOVDQU(Mem{Base: src}, amd64.XMM[0])
		VPXOR(Mem{Base: frame}, amd64.XMM[0], amd64.XMM[0])
		VMOVDQU(amd64.XMM[0], Mem{Base: dst})
		ADDQ(Imm(16), src)
		ADDQ(Imm(16), dst)
		ADDQ(Imm(16), frame)
		Label("tailEnd")
	}
	ladder("without", n, func(size int) {
		x, y := reg.RAX, reg.RDX
		read(size, Mem{Base: src}, x)
		read(size, Mem{Base: frame}, y)
		XORQ(y, x)
		write(size, x, Mem{Base: dst})
		ADDQ(Imm(uint64(size)), src)
		ADDQ(Imm(uint64(size)), dst)
		ADDQ(Imm(uint64(size)), frame)
	})
}

// stream emits the function for much keystream and nothing to hash: the integer
// units make a block while the vectors make three sets.
func (k Kind) stream() {
	name := "stream" + k.Suffix
	TEXT(name, 0, "func(w *byte, dst, src *byte, passes int)")
	Comment(fmt.Sprintf("%s is dst = src ^ keystream for a number of passes of %d bytes, at least one.", name, 64*(3*k.lanes()+1)),
		"func "+name+"(w *work, dst, src *byte, passes int)",
		"R14 w, R15 words of the keystream, 64-byte aligned; vectors as in the passes, integers as for block 0 there.",
		"The vector units are the limit; a block of the integer units is a 25th of the work (a 13th with XMM).")
	const (
		sets = 3
		own  = 5 * 8
	)
	locals := AllocLocal(own + 16*k.bytes()*sets + 64)
	rounds, left, at, rowC := locals, locals.Offset(8), locals.Offset(16), locals.Offset(24)
	vectors := uint32(sets * k.lanes())
	Load(Param("passes"), reg.RAX)
	MOVQ(reg.RAX, left)
	MOVQ(U32(0), at)
	LEAQ(locals.Offset(own+63), frame)
	ANDQ(I8(-64), frame)
	Label("pass")
	Load(Param("w"), ctx)
	k.start(sets)
	k.loadMasks()
	counter := Mem{Base: ctx, Disp: stateAt + 48}
	scalarStart(rowC, counter)
	ADDL(U32(vectors), words[12])
	MOVQ(U32(10), rounds)
	Label("rounds")
	amd64.Weave(k.doubleRound(sets), scalarRounds(rowC)).Write()
	DECQ(rounds)
	JNZ(LabelRef("rounds"))

	Load(Param("w"), ctx)
	rows := k.scalarRows(rowC)
	simd.Add32(k.constant("Further", uint32s(vectors, 0, 0, 0)), rows[3], rows[3])
	dst, src := reg.RDI, reg.RSI
	Load(Param("dst"), dst)
	Load(Param("src"), src)
	ADDQ(at, dst)
	ADDQ(at, src)
	add := func(v vec, offset int) {
		simd.XorMemory(Mem{Base: src, Disp: offset}, v, k.reg(15))
		simd.Write(v, Mem{Base: dst, Disp: offset})
	}
	for i, v := range rows {
		add(v, 64*k.lanes()*sets+16*i)
	}
	for set := range sets {
		k.output(sets, set, func(b, i int, v vec) { add(v, 64*(k.lanes()*set+b)+k.bytes()*i) })
	}
	ADDL(U32(vectors+1), counter)
	ADDQ(U32(64*(vectors+1)), at)
	DECQ(left)
	JNZ(LabelRef("pass"))
	simd.Zero(k.reg(0))
	for w := range 16 * sets {
		simd.Write(k.reg(0), k.slot(0, w))
	}
	simd.Write(amd64.XMM[0], rowC)
	if !k.Legacy {
		VZEROUPPER()
	}
	RET()
}
