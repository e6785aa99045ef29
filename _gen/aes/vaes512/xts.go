package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

func xts() {
	var counts []uint64
	for i := range 32 {
		counts = append(counts, uint64(i), uint64(i))
	}
	shifts := table("vaes512XTSShifts", counts...)
	poly := table("vaes512XTSPoly", 0x87)
	for _, d := range []direction{encryption, decryption} {
		xtsFunction(d, shifts, poly)
	}
}

// xtsFunction writes the kernel of a direction. shifts has the places of the
// first 32 blocks, in both halves of each; poly the lower terms of the polynomial.
func xtsFunction(d direction, shifts, poly Mem) {
	function("XTSUnit"+d.name+"VAES512", "(k, first *Keys, tweak *[16]byte, dst, src []byte)", attr.NOSPLIT,
		"XTSUnit"+d.name+"VAES512 processes whole blocks, at least one: block i is masked with tweak*x^i before",
		"and after, in GF(2)[x]/(x^128+x^7+x^2+x+1), little-endian. If first is not nil, the tweak is encrypted with",
		"these keys before, and nothing is written to it. Otherwise tweak advances past the last block.",
		"AX the keys, R9 the last one, R11 the number of rounds, R12 the keys for the tweak, DI and SI destination and source, DX the",
		"bytes left, R10 tweak; Z0 to Z7 32 blocks, Z8 to Z15 the tweaks of the next 32, Z16 to Z23 those plus",
		"the last round key, which are the keys of the last round; Z24 and Z25 the first and the last round",
		"key, Z27 and Z28 the others, Z26 the polynomial, Z29 to Z31 temporary; K1 the bytes of the last",
		"register, K2 the lower and K3 the upper halves of blocks, K4 every other word.",
		"The first tweaks are shifted by 0 to 31 bits, with VPCLMULQDQ for what falls out. From then on",
		"each is multiplied by x^32: words rotate, and the one that falls out is also added times x, x^2",
		"and x^7. This is between the instructions of the rounds, which fill the window in which a CPU",
		"looks for others. Sapphire Rapids, AES-128, 16 KiB: 0.17 cycles per byte, of which 0.156 are the bound.")
	tweak := reg.R10
	tweaks, lastKeys := zmm[8:16], zmm[16:24]
	firstKey, lastKey, polynomial := zmm[24], zmm[25], zmm[26]
	Load(Param("k"), keys)
	Load(Param("tweak"), tweak)
	Load(Param("dst").Base(), dst)
	Load(Param("src").Base(), src)
	Load(Param("src").Len(), remaining)
	Load(Param("first"), reg.R12)
	TESTQ(reg.R12, reg.R12)
	JNZ(LabelRef("encrypt"))
	VBROADCASTI32X4(Mem{Base: tweak}, reg.Z7)
	Label("encrypted")
	VPBROADCASTQ(poly, polynomial)
	MOVL(U32(0x5555), reg.R8L)
	KMOVB(reg.R8L, reg.K2)
	KMOVW(reg.R8L, reg.K4)
	MOVL(U32(0xaa), reg.R8L)
	KMOVB(reg.R8L, reg.K3)
	first := func(from, to int) {
		for i, t := range tweaks[from:to] {
			VMOVDQU64(shifts.Offset(64*(from+i)), zmm[i])
			times(reg.Z7, zmm[i], polynomial, t, zmm[4+i%2], zmm[i])
		}
	}
	first(0, 1)
	MOVQ(Mem{Base: keys, Disp: roundsOffset}, rounds)
	VBROADCASTI32X4(Mem{Base: keys, Disp: d.offset}, firstKey)
	MOVL(rounds.As32(), reg.R9L)
	SHLL(Imm(4), reg.R9L)
	LEAQ(Mem{Base: keys, Index: reg.R9, Scale: 1, Disp: d.offset}, reg.R9)
	VBROADCASTI32X4(Mem{Base: reg.R9}, lastKey)
	CMPQ(remaining, Imm(64))
	JBE(LabelRef("ready"))
	first(1, 4)
	CMPQ(remaining, U32(256))
	JBE(LabelRef("ready"))
	first(4, 8)
	Label("ready")
	passes("done", 8, nil, func(p pass) {
		for i, z := range zmm[:p.n] {
			p.load(i, 0, z)
			VPTERNLOGQ(Imm(0x96), tweaks[i], firstKey, z)
			VPXORQ(tweaks[i], lastKey, lastKeys[i])
		}
		var next amd64.Code
		if !p.tail {
			// Words 3 of two registers side by side, times x+x^2+x^7. Intel's CPUs have one port
			// for AES instructions of 512 bits, which shifts use as well, but shuffles do not.
			for i := 0; i < 8; i += 2 {
				a, b, m, t, u := tweaks[i], tweaks[i+1], zmm[29], zmm[30], zmm[31]
				next.Add(func() { VPUNPCKHQDQ(b, a, m) })
				next.Add(func() { VPSHUFD_Z(Imm(0xf5), m, reg.K4, m) })
				next.Add(func() { VPSHUFD(Imm(0x93), a, a) })
				next.Add(func() { VPSLLQ(Imm(7), m, t) })
				next.Add(func() { VPADDQ(m, m, m) })
				next.Add(func() { VPSHUFD(Imm(0x93), b, b) })
				next.Add(func() { VPADDQ(m, m, u) })
				next.Add(func() { VPTERNLOGQ(Imm(0x96), t, u, m) })
				next.Add(func() { VPXORQ(m, a, reg.K2, a) })
				next.Add(func() { VPSHUFD(Imm(0xee), m, t) })
				next.Add(func() { VPXORQ(t, b, reg.K2, b) })
			}
		}
		d.stream(zmm[:p.n], next)
		for i, z := range zmm[:p.n] {
			d.last(lastKeys[i], z, z)
			p.store(i, z)
		}
	})
	Label("done")
	TESTQ(reg.R12, reg.R12)
	JNZ(LabelRef("end"))
	// X8 is the tweak of 0 to 32 blocks before the end.
	SHRL(Imm(4), remaining.As32())
	VMOVQ(remaining, reg.X1)
	VPBROADCASTQ(reg.X1, reg.X1)
	VMOVQ(poly, reg.X2)
	times(reg.X8, reg.X1, reg.X2, reg.X0, reg.X3, reg.X4)
	VMOVDQU(reg.X0, Mem{Base: tweak})
	Label("end")
	finish()

	// One block has a chain of its own, with keys from memory, and no registers for them.
	Label("encrypt")
	key := func(i int) Mem { return Mem{Base: reg.R12, Disp: 16 * i} }
	Comment("In the halves that the caller has just written: a load of both would wait until they are in the cache.")
	VMOVQ(Mem{Base: tweak}, reg.X7)
	VPINSRQ(Imm(1), Mem{Base: tweak, Disp: 8}, reg.X7, reg.X7)
	VPXOR(key(0), reg.X7, reg.X7)
	MOVQ(Mem{Base: reg.R12, Disp: roundsOffset}, reg.R9)
	for i := 1; i < 10; i++ {
		VAESENC(key(i), reg.X7, reg.X7)
	}
	SHLQ(Imm(4), reg.R9)
	CMPQ(reg.R9, U32(160))
	JEQ(LabelRef("tenth"))
	for i := 10; i < 14; i++ {
		if i == 12 {
			CMPQ(reg.R9, U32(192))
			JEQ(LabelRef("tenth"))
		}
		VAESENC(key(i), reg.X7, reg.X7)
	}
	Label("tenth")
	VAESENCLAST(Mem{Base: reg.R12, Index: reg.R9, Scale: 1}, reg.X7, reg.X7)
	VSHUFI64X2(Imm(0), reg.Z7, reg.Z7, reg.Z7)
	JMP(LabelRef("encrypted"))
}

// times multiplies t by x^n, n from 0 to 63 in both halves of each block, into
// out: what falls out of the lower half goes to the upper one, and what falls out
// of that comes back times poly.
func times(t, n, poly, out, a, b reg.VecPhysical) {
	VPROLVQ(n, t, a)
	VPSLLVQ(n, t, out)
	VPXORQ(out, a, a)
	VPCLMULQDQ(Imm(1), poly, a, b)
	VPERMILPD_Z(Imm(0), a, reg.K3, a)
	VPTERNLOGQ(Imm(0x96), a, b, out)
}

// stream is like rounds, with keys from memory, the last of them at R9, and other code between the
// instructions of the rounds that all keys have.
func (d direction) stream(z []reg.VecPhysical, other amd64.Code) {
	var code amd64.Code
	for i := 13; i > 0; i-- {
		key := zmm[27+i%2]
		code.Add(func() { VBROADCASTI32X4(Mem{Base: reg.R9, Disp: -16 * i}, key) })
		for _, s := range z {
			code.Add(func() { d.round(key, s, s) })
		}
	}
	extra := 2 * (1 + len(z))
	twelve, ten := label("twelve"), label("ten")
	CMPL(rounds.As32(), Imm(12))
	JB(LabelRef(ten))
	JEQ(LabelRef(twelve))
	code[:extra].Write()
	Label(twelve)
	code[extra : 2*extra].Write()
	Label(ten)
	amd64.Weave(code[2*extra:], other).Write()
}
