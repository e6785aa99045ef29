package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func cbcDecrypt() {
	function("CBCDecryptVAES512", "(k *Keys, iv *[16]byte, dst, src []byte)", attr.NOSPLIT,
		"CBCDecryptVAES512 decrypts whole blocks, at least one: p[i] = D(c[i]) + c[i-1]; iv becomes",
		"the last ciphertext block.",
		registersNote,
		"R10 iv; Z8 to Z15 the blocks before plus the last round key, which are the keys of the last",
		"round; Z31 the last block of what is done, four times.",
		"0.081 cycles for a byte with 10 rounds, of which 0.078 are the bound; 0.11 with 14.")
	iv := reg.R10
	Load(Param("k"), keys)
	Load(Param("iv"), iv)
	Load(Param("dst").Base(), dst)
	Load(Param("src").Base(), src)
	Load(Param("src").Len(), remaining)
	d := decryption
	VBROADCASTI32X4(Mem{Base: iv}, reg.Z31)
	d.loadKeys()
	passes("done", 4, nil, func(p pass) {
		if p.tail && p.n == 1 {
			// A single block is stored without a mask, so that a load need not wait for its store.
			more := label("more")
			CMPQ(remaining, Imm(16))
			JNE(LabelRef(more))
			VMOVDQU64(Mem{Base: src}, reg.X0)
			VPXORQ(reg.Z31, lastKey, reg.Z8)
			VMOVDQA64(reg.X0, reg.X31)
			VPXORQ(firstKey, reg.Z0, reg.Z0)
			d.rounds(zmm[:1])
			d.last(reg.Z8, reg.Z0, reg.Z0)
			VMOVDQU64(reg.X0, Mem{Base: dst})
			JMP(LabelRef("done"))
			Label(more)
		}
		for i, z := range zmm[:p.n] {
			before := zmm[8+i]
			p.load(i, 0, z)
			switch {
			case i == 0:
				VALIGNQ(Imm(6), reg.Z31, z, before)
				VPXORQ(lastKey, before, before)
			case p.masked(i):
				p.load(i, -16, before)
				VPXORQ(lastKey, before, before)
			default:
				VPXORQ(Mem{Base: src, Disp: 64*i - 16}, lastKey, before)
			}
			VPXORQ(firstKey, z, z)
		}
		if p.tail {
			VMOVDQU64(Mem{Base: src, Index: remaining, Scale: 1, Disp: -16}, reg.X31)
		} else {
			VBROADCASTI32X4(Mem{Base: src, Disp: 64*p.n - 16}, reg.Z31)
		}
		d.rounds(zmm[:p.n])
		for i, z := range zmm[:p.n] {
			d.last(zmm[8+i], z, z)
			p.store(i, z)
		}
	})
	Label("done")
	VMOVDQU64(reg.X31, Mem{Base: iv})
	finish()
}

// cbcEncrypt is serial. With k0 and kr the first and the last round key, the
// last round gets the key kr + k0 + p[i+1] instead of kr, and its result is the
// state of the next block behind its first key: ten AES instructions for each
// block and nothing else are on the chain.
func cbcEncrypt() {
	function("CBCEncryptAESNI", "(k *Keys, iv *[16]byte, dst, src []byte)", attr.NOSPLIT,
		"CBCEncryptAESNI encrypts whole blocks, at least one: c[i] = E(p[i] + c[i-1]); iv becomes the",
		"last block.",
		"AX the keys, BX iv, R11 the number of rounds, DI and SI destination and source, DX the bytes left;",
		"X0 the state, X1 the key of the last round, X2 the ciphertext; X3 to X11 the last inner round",
		"keys, X12 the last one, X13 that plus the first one, X14 and X15 those between.",
		"The key of the last round contains the next block of plaintext and its first key, so that the",
		"chain is 10, 12 or 14 AES instructions for a block and nothing more: 40, 48 or 56 cycles with a",
		"latency of 4.")
	iv := reg.RBX
	Load(Param("k"), keys)
	Load(Param("iv"), iv)
	Load(Param("dst").Base(), dst)
	Load(Param("src").Base(), src)
	Load(Param("src").Len(), remaining)
	state, final, out := reg.X0, reg.X1, reg.X2
	inner := []reg.VecPhysical{reg.X3, reg.X4, reg.X5, reg.X6, reg.X7, reg.X8, reg.X9, reg.X10, reg.X11}
	kr, sum := reg.X12, reg.X13
	MOVQ(Mem{Base: keys, Disp: roundsOffset}, rounds)
	MOVL(rounds.As32(), reg.R8L)
	SHLL(Imm(4), reg.R8L)
	at := func(i int) Mem { return Mem{Base: keys, Index: reg.R8, Scale: 1, Disp: encOffset - 16*i} }
	MOVOU(Mem{Base: iv}, state)
	MOVOU(Mem{Base: src}, out)
	MOVOU(encKey(0), sum)
	PXOR(sum, state)
	PXOR(out, state)
	for i, x := range inner {
		MOVOU(at(9-i), x)
	}
	MOVOU(at(0), kr)
	PXOR(kr, sum)
	SUBQ(Imm(16), remaining)
	JZ(LabelRef("last"))

	block := func() {
		twelve, ten := label("twelve"), label("ten")
		CMPL(rounds.As32(), Imm(12))
		JB(LabelRef(ten))
		JEQ(LabelRef(twelve))
		pair := func(i int) {
			MOVOU(at(i), reg.X14)
			MOVOU(at(i-1), reg.X15)
			AESENC(reg.X14, state)
			AESENC(reg.X15, state)
		}
		pair(13)
		Label(twelve)
		pair(11)
		Label(ten)
		for _, x := range inner {
			AESENC(x, state)
		}
	}
	Label("block")
	MOVOU(Mem{Base: src, Disp: 16}, final)
	PXOR(sum, final)
	block()
	MOVOA(state, out)
	AESENCLAST(final, state)
	AESENCLAST(kr, out)
	MOVOU(out, Mem{Base: dst})
	ADDQ(Imm(16), src)
	ADDQ(Imm(16), dst)
	SUBQ(Imm(16), remaining)
	JNZ(LabelRef("block"))
	Label("last")
	block()
	AESENCLAST(kr, state)
	MOVOU(state, Mem{Base: dst})
	MOVOU(state, Mem{Base: iv})
	RET()
}
