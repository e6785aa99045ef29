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
