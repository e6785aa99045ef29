package fused

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/simd"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// besideRound is how many blocks are hashed in a double round of 8 blocks of keystream: their
// chain, 14 cycles each, is shorter than the 47 cycles that the vectors take on Zen 3.
const besideRound = 3

// chain are registers for one hash with r in registers.
var chain = multiplier{second[0], second[1], second[2]}

// chainedPass emits the function that makes the keystream of one set while one hash goes on.
func (k Kind) chainedPass() {
	name := "pass" + k.Suffix
	TEXT(name, 0, "func(w, dst, src *byte, n int, hash *byte, blocks int)")
	Comment(fmt.Sprintf("%s makes %d blocks of keystream, dst = src ^ keystream for n bytes of it,", name, k.lanes()),
		"advances the counter of w, and hashes blocks: h = (h + block + 2^128)·r modulo 2^130-5.",
		"If w asks for the key it makes that first, of block 0.",
		"func "+name+"(w *work, dst, src *byte, n int, hash *byte, blocks int)",
		fmt.Sprintf("n is at most %d; hash points at whole blocks and is not in dst before n bytes from dst on are written.", 64*k.lanes()),
		"R14 w, R15 words of the keystream, 64-byte aligned; Y0 ... Y13 words 0 to 7, two of row c, and 12 to 15,",
		"Y14 and Y15 temporary; SI blocks to hash, R8, R9, R10 the hash, BP what of it is above 2^130, times 5,",
		"R11, R12, R13 r0, r1 and r1·5/4, AX, BX, CX, DX, DI products;",
		"for block 0: AX ... DX row a, SI, DI, BP, R8 row b, R9 ... R12 row d, R13, R14 of row c.",
		"Of row c, two words are in registers: the two of a half of a round stay there for the first half of the next.",
		"A double round has 128 vector operations, 48 of which have two of the four units: 32 cycles; 47 on Zen 3.",
		fmt.Sprintf("Poly1305 of %d blocks, a chain of 14 cycles each, goes through units that are idle otherwise.", besideRound))
	const own = 2*8 + 16
	locals := AllocLocal(own + 16*k.bytes() + 64)
	rounds, left, rowC := locals, locals.Offset(8), locals.Offset(16)
	Load(Param("w"), ctx)
	LEAQ(locals.Offset(own+63), frame)
	ANDQ(I8(-64), frame)
	Load(Param("blocks"), reg.RAX)
	MOVQ(reg.RAX, left)
	MOVQ(U32(10), rounds)
	k.start(1)
	CMPQ(field(firstAt, 0), Imm(0))
	JEQ(LabelRef("keyed"))

	MOVQ(U32(0), field(firstAt, 0))
	scalarStart(rowC, U32(0))
	loop("keyRounds")
	weaveRuns(k.doubleRound(1), scalarRounds(rowC)).Write()
	DECQ(rounds)
	JNZ(LabelRef("keyRounds"))
	Load(Param("w"), ctx)
	keyFinish()
	for i := range 2 {
		MOVQ(U32(0), rowC.Offset(8*i))
	}
	k.loadChain()
	JMP(LabelRef("rest"))

	Label("keyed")
	k.loadChain()
	k.chainRounds("rounds", k.doubleRound(1), rounds, left)

	Label("rest")
	k.restOfChain(left)
	k.passOutput(1, locals.Offset(own))
}

// smallGroups is how many groups of two blocks a small pass has at most.
const smallGroups = 2

// smallPass emits the function for the beginning or the end of a message: few blocks of keystream
// in less time, and block 0 among them.
func (k Kind) smallPass() {
	name := "small" + k.Suffix
	group := k.group()
	TEXT(name, 0, "func(w, dst, src *byte, n int, hash *byte, blocks int)")
	Comment(fmt.Sprintf("%s is pass%s for up to %d bytes, or %d if w asks for the key. Then n must be a multiple of 64", name, k.Suffix, smallGroups*group, smallGroups*group-64),
		"unless it is all that is left.",
		"func "+name+"(w *work, dst, src *byte, n int, hash *byte, blocks int)",
		"Y0 ... Y11 rows a, b, c, d of up to three groups of two blocks, Y12 ... Y15 temporary; others as in the pass.",
		"A double round is a chain of 34 cycles on Zen 3; the 38 instructions of each group take 10, if they hide in it.")
	const own = 2 * 8
	locals := AllocLocal(own + smallGroups*group + 64)
	rounds, left := locals, locals.Offset(8)
	Load(Param("w"), ctx)
	LEAQ(locals.Offset(own+63), frame)
	ANDQ(I8(-64), frame)
	Load(Param("blocks"), reg.RAX)
	MOVQ(reg.RAX, left)
	MOVQ(U32(10), rounds)
	Load(Param("n"), reg.RAX)
	CMPQ(field(firstAt, 0), Imm(0))
	JEQ(LabelRef("hashing"))

	MOVQ(U32(0), field(firstAt, 0))
	for g := 1; g <= smallGroups; g++ {
		name := fmt.Sprintf("keyed%d", g)
		Label(name)
		if g < smallGroups {
			CMPQ(reg.RAX, U32(uint32(g*group-64)))
			JA(LabelRef(fmt.Sprintf("keyed%d", g+1)))
		}
		k.startRows(g, 0)
		Label(name + "Rounds")
		emit(k.rows(g))
		DECQ(rounds)
		JNZ(LabelRef(name + "Rounds"))
		k.finishRows(g, 0)
		if g < smallGroups {
			JMP(LabelRef("clamp"))
		}
	}
	Label("clamp")
	clamp()
	k.loadChain()
	JMP(LabelRef("rest"))

	Label("hashing")
	k.loadChain()
	for g := 1; g <= smallGroups; g++ {
		name := fmt.Sprintf("groups%d", g)
		Label(name)
		if g < smallGroups {
			CMPQ(reg.RAX, U32(uint32(g*group)))
			JA(LabelRef(fmt.Sprintf("groups%d", g+1)))
		}
		k.startRows(g, 1)
		k.chainRounds(name, k.rows(g), rounds, left)
		k.finishRows(g, 1)
		if g < smallGroups {
			JMP(LabelRef("rest"))
		}
	}

	Label("rest")
	k.restOfChain(left)
	k.shortXOR("xor", nil)
	LEAQ(locals.Offset(own+63), frame)
	ANDQ(I8(-64), frame)
	simd.Zero(k.reg(0))
	for at := 0; at < smallGroups*group; at += k.bytes() {
		simd.Write(k.reg(0), Mem{Base: frame, Disp: at})
	}
	Load(Param("n"), reg.RAX)
	ADDQ(Imm(63), reg.RAX)
	SHRQ(Imm(6), reg.RAX)
	ADDL(reg.EAX, Mem{Base: ctx, Disp: stateAt + 48})
	VZEROUPPER()
	RET()
}

// loop is Label at a multiple of 64 bytes. Elsewhere Open takes up to 8 % more time on Zen 3; rounds
// of block 0 alone, and loops of blocks of Poly1305, are slower at such a place.
func loop(name string) {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{U8(64)}})
	Label(name)
}

// clamp makes r of the two words in t and stores it.
func clamp() {
	for i, mask := range []uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc} {
		MOVQ(U64(mask), reg.RAX)
		ANDQ(reg.RAX, t[i])
		MOVQ(t[i], field(keyAt, i))
	}
}

// chainRounds emits double rounds with the hashing of what is left, besideRound in each.
func (k Kind) chainRounds(name string, double stream, rounds, left Mem) {
	hashed, plain, done := name+"Hash", name+"Plain", name+"Done"
	loop(hashed)
	CMPQ(left, Imm(besideRound))
	JB(LabelRef(plain))
	SUBQ(Imm(besideRound), left)
	var blocks stream
	for i := range besideRound {
		blocks = append(blocks, k.hashLate(Mem{Base: in, Disp: 16 * i}, hash, t[3], chain)...)
	}
	weaveRuns(double, blocks).Write()
	ADDQ(Imm(16*besideRound), in)
	DECQ(rounds)
	JNZ(LabelRef(hashed))
	JMP(LabelRef(done))
	loop(plain)
	emit(double)
	DECQ(rounds)
	JNZ(LabelRef(plain))
	Label(done)
}

// loadChain reads the hash and r of the context, and where to hash.
func (k Kind) loadChain() {
	MOVQ(field(keyAt, 0), second[0])
	MOVQ(field(keyAt, 1), second[1])
	fraction(second[1], second[2])
	for i, x := range hash {
		MOVQ(field(hashAt, i), x)
	}
	XORL(t[3].As32(), t[3].As32())
	Load(Param("hash"), in)
}

// restOfChain hashes the blocks that are left, and stores the hash in the context.
func (k Kind) restOfChain(left Op) {
	k.chainBlocks("block", left)
	emit(addTop(t[3], hash))
	for i, x := range hash {
		MOVQ(x, field(hashAt, i))
	}
}

// chainBlocks emits a loop that hashes the blocks that are left.
func (k Kind) chainBlocks(name string, left Op) {
	CMPQ(left, Imm(0))
	JEQ(LabelRef(name + "Done"))
	Label(name)
	emit(k.hashLate(Mem{Base: in}, hash, t[3], chain))
	ADDQ(Imm(16), in)
	DECQ(left)
	JNZ(LabelRef(name))
	Label(name + "Done")
}

// chainedHash emits the function that hashes blocks for a *work with a key.
func (k Kind) chainedHash() {
	name := "hash" + k.Suffix
	TEXT(name, attrNosplit, "func(w, hash *byte, blocks int, end *byte, endBlocks int)")
	Comment(name+" continues the hash of w, which has its key, over blocks in two places, any number of them.",
		"func "+name+"(w *work, hash *byte, blocks int, end *byte, endBlocks int)",
		"Registers as in the pass, R15 blocks left. A block is a chain of 14 cycles on Zen 3.")
	Load(Param("w"), ctx)
	Load(Param("blocks"), reg.R15)
	k.loadChain()
	k.chainBlocks("first", reg.R15)
	Load(Param("end"), in)
	Load(Param("endBlocks"), reg.R15)
	k.restOfChain(reg.R15)
	RET()
}

// weaveRuns merges vector instructions and those of integers in runs of each: on Zen 3, 5 % less
// time than with single ones by turns.
func weaveRuns(vectors, integers stream) stream {
	const run = 8
	runs := func(s stream) (list stream) {
		for len(s) > 0 {
			part := s[:min(run, len(s))]
			list.Add(part.Write)
			s = s[len(part):]
		}
		return list
	}
	return amd64.Weave(runs(vectors), runs(integers))
}
