package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// function begins a function with its banner.
func function(name, signature string, banner ...string) {
	TEXT(name, 0, signature)
	Comment(banner...)
}

func arguments(names map[string]reg.Register) {
	for _, n := range []string{"key", "step", "iv", "h", "y", "hi", "dst", "src", "n"} {
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

// splat makes of the block in s the words of one block in the basis T, each four
// times, in the XMM registers from first on.
func splat(s reg.VecPhysical, first int) {
	VPSHUFB(constant(constSwap), s, s)
	VGF2P8AFFINEQB_BCST(Imm(0), constant(constT), s, s)
	for i := range 4 {
		VPSHUFD(Imm(uint64(0b01_01_01_01*i)), s, asX(zmm[first+i]))
	}
}

// join makes of the words in X0 to X3 the block in X8. It uses X9.
func join() {
	VPUNPCKLDQ(reg.X1, reg.X0, reg.X8)
	VPUNPCKLDQ(reg.X3, reg.X2, reg.X9)
	VPUNPCKLQDQ(reg.X9, reg.X8, reg.X8)
	VGF2P8AFFINEQB_BCST(Imm(0), constant(constTI), reg.X8, reg.X8)
	VPSHUFB(constant(constSwap), reg.X8, reg.X8)
}

func blocks1() {
	function("blocks1GFNI512", "func(key *uint32, step int, dst, src *byte)",
		"blocks1GFNI512 encrypts or decrypts one block. key is the first word of Keys.Words to",
		"be used, step the bytes to the next.")
	arguments(map[string]reg.Register{"key": key, "step": step, "dst": dst, "src": src})
	VMOVDQU64(Mem{Base: src}, reg.X8)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	loadMatrices()
	splat(reg.X8, 0)
	words(schedule{}, regs4(), regs4(), asX)
	join()
	VMOVDQU64(reg.X8, Mem{Base: dst})
	finish()
}

func blocks16() {
	function("blocks16GFNI512", blocksSignature,
		"blocks16GFNI512 encrypts or decrypts 1 to 16 blocks, n bytes.",
		"key is the first word of Keys.Words to be used, step the bytes to the next.")
	arguments(blocksArguments)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	lastMask()
	loadBlocks(first4, 0)
	toWords()
	loadMatrices()
	words(schedule{}, regs4(), regs4(), asZ)
	fromWords()
	storeBlocks(first4, 0)
	finish()
}

func blocks64() {
	function("blocks64GFNI512", blocksSignature,
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
	function("blocks128GFNI512", blocksSignature,
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
