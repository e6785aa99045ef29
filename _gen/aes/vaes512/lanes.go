package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

var xmm = amd64.XMM

// cbcEncryptManyAESNI has code for each number of lanes. Up to the throughput of
// the CPU, 8 lanes of 10 instructions on Zen 5, more lanes take no more time.
func cbcEncryptManyAESNI() {
	function("CBCEncryptManyAESNI", "(lanes []Lane, n int)", attr.NOSPLIT,
		"CBCEncryptManyAESNI encrypts n blocks, at least one, of each of 1 to 8 lanes; all keys have the",
		"same number of rounds. IV becomes the last block; with nil Dst nothing else is stored.",
		"R8 lanes; AX, BX, CX, DX, SI, DI, R9, R10 the last round keys of the lanes, R13 from those to the",
		"first ones; R12 the bytes done, R11 the bytes to do, R14 temporary.",
		"X0 to X7 the lanes, X8 and up temporary, of which round keys use the one of their lane.",
		"As in CBCEncryptAESNI the key of the last round contains the next block of plaintext. A round of 8",
		"lanes is 8 instructions in 4 cycles, which is their latency: 50 cycles for 8 blocks, 40 for 4.")
	lanes, end, done, back, tmp := reg.R8, reg.R11, reg.R12, reg.R13, reg.R14
	k := []reg.Register{reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI, reg.RDI, reg.R9, reg.R10}
	field := func(j, offset int) Mem { return Mem{Base: lanes, Disp: laneSize*j + offset} }
	Load(Param("lanes").Base(), lanes)
	Load(Param("lanes").Len(), tmp)
	Load(Param("n"), end)
	SHLQ(Imm(4), end)
	XORL(done.As32(), done.As32())
	MOVQ(field(0, laneKeys), back)
	MOVQ(Mem{Base: back, Disp: roundsOffset}, back)
	SHLQ(Imm(4), back)
	name := func(n int) string { return fmt.Sprintf("lanes%d", n) }
	for n := 7; n > 0; n-- {
		CMPQ(tmp, Imm(uint64(n)))
		JEQ(LabelRef(name(n)))
	}
	for n := 8; n > 0; n-- {
		if n < 8 {
			Label(name(n))
		}
		for j := range n {
			MOVQ(field(j, laneKeys), k[j])
			ADDQ(back, k[j])
			MOVQ(field(j, laneIV), tmp)
			MOVOU(Mem{Base: tmp}, xmm[j])
		}
		NEGQ(back)
		block, twelve, ten, last := label("block"), label("twelve"), label("ten"), label("last")
		round := func(i int) {
			for j := range n {
				MOVOU(Mem{Base: k[j], Disp: -16 * i}, xmm[8+j])
				AESENC(xmm[8+j], xmm[j])
			}
		}
		for j := range n {
			MOVQ(field(j, laneSrc), tmp)
			MOVOU(Mem{Base: tmp}, xmm[8])
			MOVOU(Mem{Base: k[j], Index: back, Scale: 1}, xmm[9])
			PXOR(xmm[8], xmm[j])
			PXOR(xmm[9], xmm[j])
		}
		store := func(j int, x reg.VecPhysical) {
			skip := label("skip")
			MOVQ(field(j, laneDst), tmp)
			TESTQ(tmp, tmp)
			JZ(LabelRef(skip))
			MOVOU(x, Mem{Base: tmp, Index: done, Scale: 1, Disp: -16})
			Label(skip)
		}
		Label(block)
		CMPQ(back, I32(-16*12))
		JG(LabelRef(ten))
		JEQ(LabelRef(twelve))
		round(13)
		round(12)
		Label(twelve)
		round(11)
		round(10)
		Label(ten)
		for i := 9; i > 0; i-- {
			round(i)
		}
		ADDQ(Imm(16), done)
		CMPQ(done, end)
		JEQ(LabelRef(last))
		for j := range n {
			p, key := xmm[8+2*j%8], xmm[9+2*j%8]
			MOVQ(field(j, laneSrc), tmp)
			MOVOU(Mem{Base: tmp, Index: done, Scale: 1}, p)
			MOVOU(Mem{Base: k[j], Index: back, Scale: 1}, key)
			PXOR(key, p)
			MOVOU(Mem{Base: k[j]}, key)
			PXOR(p, key)
			AESENCLAST(key, xmm[j])
			PXOR(xmm[j], p)
			store(j, p)
		}
		JMP(LabelRef(block))
		Label(last)
		for j := range n {
			MOVOU(Mem{Base: k[j]}, xmm[8+j])
			AESENCLAST(xmm[8+j], xmm[j])
			store(j, xmm[j])
		}
		for j := range n {
			MOVQ(field(j, laneIV), tmp)
			MOVOU(xmm[j], Mem{Base: tmp})
		}
		RET()
	}
}

// The layout of the scratch memory of cbcEncrypt16VAES512.
const (
	slots      = 15 // of round keys: the first, four that only more than 10 rounds have, and the last ten
	copies     = 4 * slots * 64
	scratchEnd = copies + 16*laneSize
)

// cbcEncryptMany works on 16 lanes in four registers. Their round keys are
// brought side by side on the stack, once for all if the lanes share a key.
func cbcEncryptMany() {
	function("cbcEncrypt16VAES512", "(lanes []Lane, n int)", 0,
		"cbcEncrypt16VAES512 encrypts n blocks, at least one, of each of 1 to 16 lanes; all keys have the",
		"same number of rounds. IV becomes the last block; with nil Dst nothing else is stored.",
		"R10 scratch memory: round keys, and 16 lanes, where those behind the last one are it again; AX,",
		"BX, SI, DI the round keys of four lanes each. R11 the number of rounds, DX the bytes left, R12 the",
		"bytes done, R13 the bytes of a batch; the others temporary.",
		"Z0 to Z3 the lanes, Z4 to Z19 a batch of up to four blocks, plaintext, then ciphertext; Z20 to Z23",
		"the keys of the last round; Z24 to Z27 the last round keys, Z28 to Z31 those plus the first ones;",
		"K1 the blocks of the batch, K2 to K4 the second to fourth block of a register.",
		"Four blocks of four lanes are transposed in registers, so that each cache line is visited once.",
		"As in CBCEncryptAESNI the key of the last round contains the next block of plaintext, so that only",
		"10, 12 or 14 AES instructions for a block are on the chain: 45 cycles for 16 blocks on Zen 5, with",
		"10 rounds. Bringing the keys side by side takes 350 cycles before that, one key for all 250.")
	done, frame, batch := reg.R12, reg.R10, reg.R13
	bases := []reg.Register{reg.RAX, reg.RBX, reg.RSI, reg.RDI}
	key := func(g, slot int) Mem { return Mem{Base: bases[g], Disp: 64 * slot} }
	memory := AllocLocal(scratchEnd + 64)
	LEAQ(memory.Offset(63), frame)
	ANDQ(I8(-64), frame)
	field := func(j, offset int) Mem { return Mem{Base: frame, Disp: copies + laneSize*j + offset} }
	state, final, last, sum := zmm[:4], zmm[20:24], zmm[24:28], zmm[28:]
	block := func(g, t int) reg.VecPhysical { return zmm[4+4*g+t] }
	blockMasks := [4]reg.Register{nil, reg.K2, reg.K3, reg.K4}
	// gather puts a block into place l of z.
	gather := func(m Mem, l int, z Op) {
		if l == 0 {
			VBROADCASTI32X4(m, z)
		} else {
			VBROADCASTI32X4(m, blockMasks[l], z)
		}
	}

	Load(Param("lanes").Base(), reg.RSI)
	Load(Param("lanes").Len(), reg.RBX)
	Load(Param("n"), remaining)
	SHLQ(Imm(4), remaining)
	for l := 1; l < 4; l++ {
		MOVL(U32(uint64(0xf)<<(4*l)), reg.EAX)
		KMOVW(reg.EAX, blockMasks[l])
	}
	MOVQ(Mem{Base: reg.RSI, Disp: laneKeys}, keys)
	MOVQ(Mem{Base: keys, Disp: roundsOffset}, rounds)
	XORL(reg.R9L, reg.R9L)
	MOVL(U32(16), reg.ECX)
	LEAQ(field(0, 0), reg.RDI)
	Label("copy")
	VMOVDQU(Mem{Base: reg.RSI}, reg.Y0)
	VMOVDQU(reg.Y0, Mem{Base: reg.RDI})
	MOVQ(Mem{Base: reg.RSI, Disp: laneKeys}, reg.R8)
	XORQ(keys, reg.R8)
	ORQ(reg.R8, reg.R9)
	ADDQ(Imm(laneSize), reg.RDI)
	LEAQ(Mem{Base: reg.RSI, Disp: laneSize}, reg.R8)
	DECQ(reg.RBX)
	CMOVQNE(reg.R8, reg.RSI)
	MOVL(U32(1), reg.R8L)
	CMOVQEQ(reg.R8, reg.RBX)
	DECL(reg.ECX)
	JNZ(LabelRef("copy"))
	// R9 is how far it is to the round keys of the next four lanes.
	MOVL(U32(1), reg.ECX)
	TESTQ(reg.R9, reg.R9)
	JZ(LabelRef("same"))
	MOVL(U32(64*slots), reg.R9L)
	MOVL(U32(4), reg.ECX)
	Label("same")

	MOVL(rounds.As32(), reg.R14L)
	SHLL(Imm(4), reg.R14L)
	LEAQ(field(0, laneKeys), reg.R13)
	MOVQ(frame, reg.R12)
	four := []reg.Register{reg.RAX, reg.RSI, reg.RDI, reg.R8}
	Label("keys")
	for l, r := range four {
		MOVQ(Mem{Base: reg.R13, Disp: laneSize * l}, r)
	}
	slot := func(s int, at func(r reg.Register) Mem) {
		z := zmm[s]
		for l, r := range four {
			gather(at(r), l, z)
		}
		VMOVDQA64(z, Mem{Base: reg.R12, Disp: 64 * s})
	}
	fromEnd := func(i int) { // round key i, counted from the last
		slot(slots-1-i, func(r reg.Register) Mem {
			return Mem{Base: r, Index: reg.R14, Scale: 1, Disp: encOffset - 16*i}
		})
	}
	slot(0, func(r reg.Register) Mem { return Mem{Base: r, Disp: encOffset} })
	for i := range 10 {
		fromEnd(i)
	}
	CMPL(rounds.As32(), Imm(12))
	JB(LabelRef("gathered"))
	fromEnd(10)
	fromEnd(11)
	JEQ(LabelRef("gathered"))
	fromEnd(12)
	fromEnd(13)
	Label("gathered")
	ADDQ(I32(4*laneSize), reg.R13)
	ADDQ(I32(64*slots), reg.R12)
	DECL(reg.ECX)
	JNZ(LabelRef("keys"))

	MOVQ(frame, bases[0])
	for g := 1; g < 4; g++ {
		LEAQ(Mem{Base: bases[g-1], Index: reg.R9, Scale: 1}, bases[g])
	}
	for g := range 4 {
		VMOVDQA64(key(g, slots-1), last[g])
		VPXORQ(key(g, 0), last[g], sum[g])
	}
	for g, z := range state {
		for l := range 4 {
			MOVQ(field(4*g+l, laneIV), reg.R8)
			gather(Mem{Base: reg.R8}, l, z)
		}
	}
	XORL(done.As32(), done.As32())

	Label("batch")
	MOVL(U32(64), batch.As32())
	CMPQ(remaining, batch)
	CMOVQLT(remaining, batch)
	MOVQ(batch, reg.RCX)
	SHRL(Imm(3), reg.ECX)
	MOVL(U32(1), reg.R8L)
	SHLL(reg.CL, reg.R8L)
	DECL(reg.R8L)
	KMOVW(reg.R8L, reg.K1)
	for g := range 4 {
		for l := range 4 {
			MOVQ(field(4*g+l, laneSrc), reg.R8)
			VMOVDQU64_Z(Mem{Base: reg.R8, Index: done, Scale: 1}, reg.K1, block(g, l))
		}
	}
	for g := range 4 {
		transpose(zmm[4+4*g:][:4], final)
	}
	for t := range 4 {
		if t == 0 {
			for g, z := range state {
				VPXORQ(key(g, 0), block(g, 0), block(g, 0))
				VPXORQ(block(g, 0), z, z)
			}
		}
		if t < 3 {
			for g := range 4 {
				VPXORQ(sum[g], block(g, t+1), final[g])
			}
		}
		twelve, ten := label("twelve"), label("ten")
		CMPL(rounds.As32(), Imm(12))
		JB(LabelRef(ten))
		JEQ(LabelRef(twelve))
		for s := 1; s < slots-1; s++ {
			switch s {
			case 3:
				Label(twelve)
			case 5:
				Label(ten)
			}
			for g, z := range state {
				VAESENC(key(g, s), z, z)
			}
		}
		for g, z := range state {
			VAESENCLAST(last[g], z, block(g, t))
			if t < 3 {
				VAESENCLAST(final[g], z, z)
			} else {
				VMOVDQA64(block(g, 3), z)
			}
		}
		if t < 3 {
			more := label("more")
			CMPL(batch.As32(), Imm(uint64(16*(t+1))))
			JNE(LabelRef(more))
			for g, z := range state {
				VMOVDQA64(block(g, t), z)
			}
			JMP(LabelRef("store"))
			Label(more)
		}
	}
	Label("store")
	for g := range 4 {
		transpose(zmm[4+4*g:][:4], final)
	}
	for j := range 16 {
		skip := label("skip")
		MOVQ(field(j, laneDst), reg.R8)
		TESTQ(reg.R8, reg.R8)
		JZ(LabelRef(skip))
		VMOVDQU64(block(j/4, j%4), reg.K1, Mem{Base: reg.R8, Index: done, Scale: 1})
		Label(skip)
	}
	ADDQ(batch, done)
	SUBQ(batch, remaining)
	JNZ(LabelRef("batch"))

	VPXORQ(reg.Z31, reg.Z31, reg.Z31)
	for i := range 4 * slots {
		if i == slots {
			TESTQ(reg.R9, reg.R9)
			JZ(LabelRef("wiped"))
		}
		VMOVDQA64(reg.Z31, Mem{Base: frame, Disp: 64 * i})
	}
	Label("wiped")
	for j := range 16 {
		MOVQ(field(j, laneIV), reg.R8)
		if j%4 == 0 {
			VMOVDQU64(amd64.X(state[j/4]), Mem{Base: reg.R8})
		} else {
			VEXTRACTI32X4(Imm(uint64(j%4)), state[j/4], Mem{Base: reg.R8})
		}
	}
	finish()
}

// transpose makes of four lanes with four blocks each four blocks of four
// lanes, and back.
func transpose(r, tmp []reg.VecPhysical) {
	VSHUFI64X2(Imm(0x44), r[1], r[0], tmp[0])
	VSHUFI64X2(Imm(0xee), r[1], r[0], tmp[1])
	VSHUFI64X2(Imm(0x44), r[3], r[2], tmp[2])
	VSHUFI64X2(Imm(0xee), r[3], r[2], tmp[3])
	VSHUFI64X2(Imm(0x88), tmp[2], tmp[0], r[0])
	VSHUFI64X2(Imm(0xdd), tmp[2], tmp[0], r[1])
	VSHUFI64X2(Imm(0x88), tmp[3], tmp[1], r[2])
	VSHUFI64X2(Imm(0xdd), tmp[3], tmp[1], r[3])
}
