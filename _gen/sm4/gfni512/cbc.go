package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64/ssa"
)

const cbcSignature = "func(key *uint32, iv *[16]byte, dst, src *byte, n int)"

var (
	iv           = reg.RDX
	cbcArguments = map[string]reg.Register{"key": key, "iv": iv, "dst": dst, "src": src, "n": remaining}
)

// Decryption walks the round keys backwards.
var (
	backwardWords = schedule{stride: -4}
	backwardBytes = schedule{stride: -16}
	forwardWords  = schedule{stride: 4}
	forwardBytes  = schedule{stride: 16}
)

// cbcEncrypt is serial: each block waits for the one before.
func cbcEncrypt() {
	function("cbcEncryptGFNI512", cbcSignature, serialNote,
		"cbcEncryptGFNI512 encrypts n bytes, at least one block; iv becomes the last block.",
		"key is the first element of Keys.Bytes.",
		"The blocks stay in words, the bytes of a word four times each in an XMM register, and in the basis T from",
		"one block to the next. Plaintext is loaded and ciphertext stored beside the chain:",
		"310 cycles for a block, 19.4 for a byte, on Sapphire Rapids.")
	arguments(cbcArguments)
	MOVQ(key, keyStart)
	loadMatrices()
	VMOVDQU64(Mem{Base: iv}, reg.X8)
	splat(reg.X8, 0)
	VPXORD(reg.X4, reg.X4, reg.X4)
	Label("block")
	VMOVDQU64(Mem{Base: src}, reg.X9)
	splat(reg.X9, 5)
	MOVQ(keyStart, key)
	// The words of the last ciphertext block come from the last one on: the
	// first, the latest, enters last, and as the two parts of its sum.
	p := new(ssa.Code)
	in := map[ssa.Value]reg.VecPhysical{}
	var c [5]ssa.Value
	var pt [4]ssa.Value
	for i := range c {
		c[i] = ssa.New()
		in[c[i]] = zmm[i]
	}
	for i := range pt {
		pt[i] = ssa.New()
		in[pt[i]] = zmm[5+i]
	}
	k := forwardBytes
	early := p.Xor3(serial.xorKey(p, pt[1], k.at(0, 0)), pt[2], pt[3])
	st := map[string]ssa.Value{
		"t": p.Xor(p.Xor3(early, c[2], c[3]), c[1]),
		"a": p.Xor3(pt[0], c[4], c[0]),
		"b": p.Xor(pt[1], c[1]),
		"c": p.Xor(pt[2], c[2]),
		"d": p.Xor(pt[3], c[3]),
	}
	serial.finish(k, p, in, st, reg.Z4)
	// The words stay where they are for the next block.
	VPXOR(reg.X4, reg.X0, reg.X9)
	w := [4]reg.VecPhysical{reg.X9, reg.X10, reg.X11, reg.X12}
	for i := 1; i < 4; i++ {
		VMOVDQA64(amd64.X(zmm[i]), w[i])
	}
	join(w)
	VMOVDQU64(reg.X8, Mem{Base: dst})
	ADDQ(Imm(16), src)
	ADDQ(Imm(16), dst)
	SUBQ(Imm(16), remaining)
	JNZ(LabelRef("block"))
	VMOVDQU64(reg.X8, Mem{Base: iv})
	finish()
}

// startCBC loads the arguments of the decryption kernels.
func startCBC() {
	arguments(cbcArguments)
	lastMask()
}

// storeCBC adds the ciphertext before each block to the registers r, register
// n of the data and the following, and stores them. It begins at the end, as
// dst may be src. Z30 and Z31 are free; the block before the first one is in
// memory at iv. (Masking it out of a load from before src would be shorter,
// but takes 600 cycles if there is no page.) With whole, all registers have
// whole blocks.
func storeCBC(r []reg.VecPhysical, n int, whole bool) {
	for i := len(r) - 1; i >= 0; i-- {
		first, disp := n+i == 0, 64*(n+i)
		end, full := label("end"), label("full")
		if first {
			VBROADCASTI64X2(Mem{Base: iv}, reg.Z31)
		} else if i > 0 && !whole { // the first one has a block
			CMPQ(remaining, U32(uint64(disp)))
			JBE(LabelRef(end))
		}
		if !whole {
			CMPQ(remaining, U32(uint64(disp+64)))
			JAE(LabelRef(full))
			if first {
				VMOVDQU8_Z(Mem{Base: src}, reg.K1, reg.Z30)
				VALIGNQ(Imm(6), reg.Z31, reg.Z30, reg.Z30)
			} else {
				VMOVDQU8_Z(Mem{Base: src, Disp: disp - 16}, reg.K1, reg.Z30)
			}
			VPXORD(reg.Z30, r[i], r[i])
			VMOVDQU8(r[i], reg.K1, Mem{Base: dst, Disp: disp})
			JMP(LabelRef(end))
			Label(full)
		}
		if first {
			VMOVDQU64(Mem{Base: src}, reg.Z30)
			VALIGNQ(Imm(6), reg.Z31, reg.Z30, reg.Z30)
			VPXORD(reg.Z30, r[i], r[i])
		} else {
			VPXORD(Mem{Base: src, Disp: disp - 16}, r[i], r[i])
		}
		VMOVDQU64(r[i], Mem{Base: dst, Disp: disp})
		if !whole {
			Label(end)
		}
	}
}

func cbcDecrypt16() {
	function("cbcDecrypt16GFNI512", cbcSignature, words16Note,
		"cbcDecrypt16GFNI512 decrypts 1 to 16 blocks, n bytes; iv becomes the last ciphertext",
		"block. key is the last element of Keys.Words.")
	startCBC()
	loadBlocks(first4, 0)
	toWords()
	loadMatrices()
	words16.rounds(backwardWords)
	fromWords()
	VMOVDQU64(Mem{Base: src, Index: remaining, Scale: 1, Disp: -16}, reg.X8)
	storeCBC(first4, 0, false)
	VMOVDQU64(reg.X8, Mem{Base: iv})
	finish()
}

func cbcDecrypt64() {
	function("cbcDecrypt64GFNI512", cbcSignature, singleNote,
		"cbcDecrypt64GFNI512 decrypts 1 to 64 blocks, n bytes; iv becomes the last ciphertext",
		"block. key is the last element of Keys.Bytes.")
	startCBC()
	loadBlocks(zmm[:16], 0)
	toSingle(zmm[:16], reg.Z16)
	single(backwardBytes)
	r := fromSingle()
	VMOVDQU64(Mem{Base: src, Index: remaining, Scale: 1, Disp: -16}, reg.X17)
	storeCBC(r, 0, false)
	VMOVDQU64(reg.X17, Mem{Base: iv})
	finish()
}

func cbcDecrypt128() {
	function("cbcDecrypt128GFNI512", cbcSignature, dualNote,
		"cbcDecrypt128GFNI512 decrypts n bytes: batches of 128 blocks, the last one of 65 to",
		"128. iv becomes the last ciphertext block. key is the last element of Keys.Bytes.")
	startCBC()
	scratch(2048)
	MOVQ(key, keyStart)
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
	dual(backwardBytes, 8, nil)
	MOVQ(U32(2048), reg.RAX)
	CMPQ(remaining, reg.RAX)
	CMOVQLT(remaining, reg.RAX)
	VMOVDQU64(Mem{Base: src, Index: reg.RAX, Scale: 1, Disp: -16}, reg.X17)
	storeCBC(fromDual(1), 16, false)
	storeCBC(fromDual(0), 0, true)
	VMOVDQU64(reg.X17, Mem{Base: iv})
	ADDQ(U32(2048), src)
	ADDQ(U32(2048), dst)
	SUBQ(U32(2048), remaining)
	JA(LabelRef("batch"))
	wipe(2048)
	finish()
}

// cfbDecrypt128 is here because its blocks are fed back as those of CBC are.
func cfbDecrypt128() {
	function("cfbDecrypt128GFNI512", cbcSignature, dualNote,
		"cfbDecrypt128GFNI512 decrypts n bytes, a multiple of 2048, in CFB mode; iv becomes the last",
		"ciphertext block. key is the first element of Keys.Bytes.")
	arguments(cbcArguments)
	scratch(2048)
	MOVQ(key, keyStart)
	Label("batch")
	// The encrypted blocks begin a block before the data.
	VBROADCASTI64X2(Mem{Base: iv}, reg.Z17)
	VMOVDQU64(Mem{Base: src}, reg.Z0)
	VALIGNQ(Imm(6), reg.Z17, reg.Z0, reg.Z0)
	for half := range 2 {
		for i := range 16 {
			if n := 16*half + i; n > 0 {
				VMOVDQU64(Mem{Base: src, Disp: 64*n - 16}, zmm[i])
			}
		}
		toDual(zmm[:16], reg.Z16, half)
	}
	VMOVDQU64(Mem{Base: src, Disp: 2048 - 16}, reg.X0)
	VMOVDQU64(reg.X0, Mem{Base: iv})
	MOVQ(keyStart, key)
	MOVQ(state, from)
	loadDual()
	dual(forwardBytes, 8, nil)
	addDual()
	ADDQ(U32(2048), src)
	ADDQ(U32(2048), dst)
	SUBQ(U32(2048), remaining)
	JNZ(LabelRef("batch"))
	wipe(2048)
	finish()
}
