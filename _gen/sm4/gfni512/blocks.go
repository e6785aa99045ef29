package main

import (
	"strings"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// function begins a function with its banner: what it does, and what is common
// to an arrangement. Functions with a large frame have to check the stack.
func function(name, signature, arrangement string, banner ...string) {
	flags := attr.NOSPLIT
	if arrangement == dualNote || arrangement == dual96Note || arrangement == pairedNote || arrangement == singleFrameNote {
		flags = 0
	}
	// avo knows no types of packages.
	TEXT(name, flags, strings.NewReplacer("*Keys", "*byte", "*Message", "*byte").Replace(signature))
	Comment(banner...)
	if arrangement != "" {
		Comment(strings.Split(arrangement, "\n")...)
	}
}

// The common code of the kernels of an arrangement. The cycles of single and dual are those
// of a Zen 5, which has four vector units: all do logic and unpacking in 2 cycles, two of
// them inversions in 3 and shifts and byte shuffles in 2. Those of serial and words16 are of
// Sapphire Rapids.
const (
	serialNote = `X0 to X4 what a round hands to the next, X5 to X28 temporary, X29 to X31 the matrices U3,
U1, U0; R8 the round key, CX a count.
t' = q + U0(1/t) + U1(1/t)<<<8 + U1(1/t)<<<16 + U3(1/t)<<<24:
9.7 cycles of latency for a round, 310 for a block.`

	words16Note = `Z0 to Z4 what a round hands to the next, Z5 to Z28 temporary, Z29 to Z31 the matrices U3,
U1, U0; R8 the round key, CX a count; K1 the bytes of the last register of data.
t' = q + U0(1/t) + U1(1/t)<<<8 + U1(1/t)<<<16 + U3(1/t)<<<24:
bound by latency, 330 cycles for any number of blocks.`

	singleNote = `Z(4w+j) byte j of word w of 64 blocks, Z16 to Z28 temporary, Z29 to Z31 the matrices U3,
U1, U0; R8 the round key, CX a count; K1 the bytes of the last register of data.
X4[j] = X0[j] + U0(1/t[j]) + U1(1/t[j-1]) + U1(1/t[j-2]) + U3(1/t[j-3]): no rotations.
11 cycles for a round of 32 instructions, bound by latency; 410 to 440 cycles in all.`

	singleFrameNote = singleNote + "\nThe frame is large."

	dualNote = `Two halves of 64 blocks, sliced by bytes. BX the words on the stack, R11 where they are
read, in Z0 to Z15 the last two words of both halves; Z16 and up temporary, Z30 and Z31 the
matrices U1, U0; R8 the round key, R13 the first one, CX a count; K1 the bytes of the last
register of data. With p = U0(1/t), q = U1(1/t), since U3 = U0 + U1:
X4[0] = X0[0] + p0+p1 + q1 + (q2+q3), and so on: 28 operations for the four units.
8.4 cycles for a round of a half, of which 7 are the bound; 640 to 690 for 128 blocks.`

	pairedNote = `Up to 32 blocks, with two bytes of a word in a register: of four blocks in a 32-bit lane, byte
0 or 2 in even lanes, 1 or 3 in odd ones. BX the words on the stack, R11 where they are read,
in Z0 to Z3 the last two; Z4 and up temporary, Z30 and Z31 the matrices U1, U0; R8 the round
key, CX a count; K1 the bytes of the last register of data. With p = U0(1/t), q = U1(1/t):
X4[j] = X0[j] + p[j] + q[j] + p[j+1] + (q0+q1+q2+q3), 18 operations, bound by latency.`

	dual96Note = `64 blocks, sliced by bytes, and up to 32 with two bytes of a word in a register: of four
blocks in a 32-bit lane, byte 0 or 2 in even lanes, 1 or 3 in odd ones. BX the words on the
stack, R11 where they are read, in Z0 to Z7 the last two words of the first half, in Z8 to Z11
those of the second; Z12 and up temporary, Z30 and Z31 the matrices U1, U0; R8 the round key,
CX a count; K1 the bytes of the last register of data. With p = U0(1/t), q = U1(1/t) the second
half has X4[j] = X0[j] + p[j] + q[j] + p[j+1] + (q0+q1+q2+q3): 18 operations for a round where
the first half has 28.`
)

func arguments(names map[string]reg.Register) {
	for _, n := range []string{"k", "key", "step", "iv", "h", "y", "hi", "dst", "src", "n"} {
		if r, ok := names[n]; ok {
			Load(Param(n), r)
		}
	}
}

const blocksSignature = "func(key *uint32, step int, dst, src *byte, n int)"

var blocksArguments = map[string]reg.Register{"key": key, "step": step, "dst": dst, "src": src, "n": remaining}

func finish() {
	VZEROUPPER()
	RET()
}

// splat makes of the block in s the words of one block in the basis T, the four
// bytes of a word four times each, in the XMM registers from first on.
func splat(s reg.VecPhysical, first int) {
	VGF2P8AFFINEQB_BCST(Imm(0), constant(constT), s, s)
	for i := range 4 {
		VPSHUFB(constant(constSplat+16*i), s, amd64.X(zmm[first+i]))
	}
}

// join makes of the words in w, which it changes, the block in X8.
func join(w [4]reg.VecPhysical) {
	for i, x := range w {
		VPSHUFB(constant(constJoin+16*i), x, x)
	}
	VPXORD(w[2], w[3], w[3])
	VPTERNLOGD(Imm(0x96), w[0], w[1], w[3])
	VGF2P8AFFINEQB_BCST(Imm(0), constant(constTI), w[3], reg.X8)
}

func blocks1() {
	function("blocks1GFNI512", "func(key *uint32, step int, dst, src *byte)", serialNote,
		"blocks1GFNI512 encrypts or decrypts one block. key is the first element of Keys.Bytes to",
		"be used, step the bytes to the next.")
	arguments(map[string]reg.Register{"key": key, "step": step, "dst": dst, "src": src})
	VMOVDQU64(Mem{Base: src}, reg.X8)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	loadMatrices()
	splat(reg.X8, 0)
	serial.rounds(schedule{})
	join([4]reg.VecPhysical{reg.X0, reg.X1, reg.X2, reg.X3})
	VMOVDQU64(reg.X8, Mem{Base: dst})
	finish()
}

func blocks16() {
	function("blocks16GFNI512", blocksSignature, words16Note,
		"blocks16GFNI512 encrypts or decrypts 1 to 16 blocks, n bytes.",
		"key is the first word of Keys.Words to be used, step the bytes to the next.")
	arguments(blocksArguments)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	lastMask()
	loadBlocks(first4, 0)
	toWords()
	loadMatrices()
	words16.rounds(schedule{})
	fromWords()
	storeBlocks(first4, 0)
	finish()
}

func blocks64() {
	function("blocks64GFNI512", blocksSignature, singleNote,
		"blocks64GFNI512 encrypts or decrypts 1 to 64 blocks, n bytes.",
		"key is the first element of Keys.Bytes to be used, step the bytes to the next.")
	arguments(blocksArguments)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	lastMask()
	loadBlocks(zmm[:16], 0)
	toSingle(zmm[:16], reg.Z16)
	single(schedule{})
	storeBlocks(fromSingle(), 0)
	finish()
}

func blocks128() {
	function("blocks128GFNI512", blocksSignature, dualNote,
		"blocks128GFNI512 encrypts or decrypts blocks, n bytes: batches of 128 blocks, the",
		"last one of 65 to 128. key is the first element of Keys.Bytes to be used, step the",
		"bytes to the next.")
	arguments(blocksArguments)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	scratch(2048)
	MOVQ(key, keyStart)
	lastMask()
	Label("batch")
	for i := range 16 {
		VMOVDQU64(Mem{Base: src, Disp: 64 * i}, zmm[i])
	}
	toDual(zmm[:16], reg.Z16, 0)
	loadBlocks(zmm[:16], 16)
	toDual(zmm[:16], reg.Z16, 1)
	MOVQ(keyStart, key)
	MOVQ(state, from)
	loadDual()
	dual(schedule{}, 8, nil)
	for i, z := range fromDual(0) {
		VMOVDQU64(z, Mem{Base: dst, Disp: 64 * i})
	}
	storeBlocks(fromDual(1), 16)
	ADDQ(U32(2048), src)
	ADDQ(U32(2048), dst)
	SUBQ(U32(2048), remaining)
	JA(LabelRef("batch"))
	wipe(2048)
	finish()
}
