package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
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
	function("XTS"+d.name+"VAES512", "(k *Keys, tweak *[16]byte, dst, src []byte)", attr.NOSPLIT,
		"XTS"+d.name+"VAES512 processes whole blocks, at least one: block i is masked with tweak*x^i before",
		"and after, in GF(2)[x]/(x^128+x^7+x^2+x+1), little-endian. tweak advances past the last block.",
		registersNote,
		"R10 tweak; Z8 to Z15 the tweaks of the next 32 blocks, Z31 temporary, K2 the lower and K3 the upper",
		"halves of blocks.",
		"The first tweaks are shifted by 0 to 31 bits, with VPCLMULQDQ for what falls out. From then on",
		"each is multiplied by x^32: words rotate, and the one that falls out is also added times x, x^2",
		"and x^7. 0.095 cycles for a byte with 10 rounds, 0.125 with 14.")
	tweak := reg.R10
	tweaks := zmm[8:16]
	Load(Param("k"), keys)
	Load(Param("tweak"), tweak)
	Load(Param("dst").Base(), dst)
	Load(Param("src").Base(), src)
	Load(Param("src").Len(), remaining)
	VBROADCASTI32X4(Mem{Base: tweak}, reg.Z7)
	VPBROADCASTQ(poly, reg.Z6)
	MOVL(U32(0x55), reg.R8L)
	KMOVB(reg.R8L, reg.K2)
	MOVL(U32(0xaa), reg.R8L)
	KMOVB(reg.R8L, reg.K3)
	first := func(from, to int) {
		for i, t := range tweaks[from:to] {
			VMOVDQU64(shifts.Offset(64*(from+i)), zmm[i])
			times(reg.Z7, zmm[i], reg.Z6, t, zmm[4+i%2], zmm[i])
		}
	}
	first(0, 1)
	d.loadKeys()
	CMPQ(remaining, Imm(64))
	JBE(LabelRef("ready"))
	first(1, 4)
	CMPQ(remaining, U32(256))
	JB(LabelRef("ready"))
	first(4, 8)
	Label("ready")
	passes("done", nil, func(p pass) {
		for i, z := range zmm[:p.n] {
			p.load(i, 0, z)
			VPTERNLOGQ(Imm(0x96), tweaks[i], firstKey, z)
		}
		d.rounds(zmm[:p.n])
		for i, z := range zmm[:p.n] {
			d.last(lastKey, z, z)
			VPXORQ(tweaks[i], z, z)
			p.store(i, z)
		}
		if p.tail {
			return
		}
		CMPQ(remaining, U32(uint64(64*p.n)))
		JEQ(LabelRef("done"))
		if p.n == 4 {
			for i := range 4 {
				VMOVDQA64(tweaks[4+i], tweaks[i])
			}
			return
		}
		// Words 3 of two registers side by side, times x+x^2+x^7.
		for i := 0; i < 8; i += 2 {
			a, b, m, t, u := tweaks[i], tweaks[i+1], zmm[i], zmm[i+1], reg.Z31
			VPUNPCKHQDQ(b, a, m)
			VPSRLQ(Imm(32), m, m)
			VPSLLQ(Imm(7), m, t)
			VPADDQ(m, m, m)
			VPADDQ(m, m, u)
			VPTERNLOGQ(Imm(0x96), t, u, m)
			VPSHUFD(Imm(0xee), m, t)
			VPSHUFD(Imm(0x93), a, a)
			VPSHUFD(Imm(0x93), b, b)
			VPXORQ(m, a, reg.K2, a)
			VPXORQ(t, b, reg.K2, b)
		}
	})
	Label("done")
	// X8 is the tweak of 0 to 32 blocks before the end.
	SHRL(Imm(4), remaining.As32())
	VMOVQ(remaining, reg.X1)
	VPBROADCASTQ(reg.X1, reg.X1)
	VMOVQ(poly, reg.X2)
	times(reg.X8, reg.X1, reg.X2, reg.X0, reg.X3, reg.X4)
	VMOVDQU(reg.X0, Mem{Base: tweak})
	finish()
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
