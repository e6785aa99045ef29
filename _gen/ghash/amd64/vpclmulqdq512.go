package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/ghash"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func vpclmulqdq512() {
	reverse, poly := ghash.Constants("vpclmulqdq", 64)

	TEXT("InitVPCLMUL512", attr.NOSPLIT, "func(t *[64][16]byte, h *[16]byte)")
	Comment(
		"InitVPCLMUL512 writes H^16 ... H^1 to t[48] ... t[63], byte-reversed and times x.",
		"func InitVPCLMUL512(t *[64][16]byte, h *[16]byte)",
		"AX t, BX h; Z16 ... Z19 four powers each, Z16 = H^4 H^3 H^2 H^1, Z19 = H^16 ... H^13;",
		"Z5 reversal, Z6 polynomial, Z7 one power four times, Z0 ... Z4, Z8 ... Z10 temporary.",
		"A product has a latency of about 22 cycles; the tree is four products deep, the last two",
		"on four lanes: H^2; H^4, H^3; then 4 powers make 8 and 8 make 16 by one factor for all.")
	t, h := reg.RAX, reg.RBX
	Load(Param("t"), t)
	Load(Param("h"), h)
	powers := amd64.ZMM[16:]
	VMOVDQU64(reverse, reg.Z5)
	VMOVDQU64(poly, reg.Z6)
	h1, h2 := reg.X8, reg.X9
	VMOVDQU(Mem{Base: h}, h1)
	VPSHUFB(reg.X5, h1, h1)
	ghash.MulX(h1, reg.X0, reg.X1, reg.X6)
	ghash.Square(h1, reg.X0, reg.X2)
	amd64.Write(ghash.Finish(reg.X0, nil, reg.X2, h2, reg.X3, reg.X6))
	VINSERTI128(Imm(1), h1, reg.Y9, reg.Y8)
	VINSERTI128(Imm(1), h2, reg.Y9, reg.Y7)
	multiply512(reg.Y8, reg.Y7, reg.Y16, reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y10, reg.Y6)
	VINSERTI64X4(Imm(1), reg.Y8, reg.Z16, reg.Z16)
	VMOVDQU64(reg.Z16, ghash.Power(t, 4))
	double512(t, powers, 1, 4)
	VZEROUPPER()
	RET()

	TEXT("ExtendVPCLMUL512", attr.NOSPLIT, "func(t *[64][16]byte)")
	Comment(
		"ExtendVPCLMUL512 writes H^64 ... H^17 to t[0] ... t[47]; the others are there.",
		"func ExtendVPCLMUL512(t *[64][16]byte)",
		"AX t; registers as in InitVPCLMUL512, up to Z31 = H^64 ... H^61.",
		"The twelve registers take about ten cycles each, for five carry-less multiplications.")
	Load(Param("t"), t)
	VMOVDQU64(poly, reg.Z6)
	for i, p := range powers[:4] {
		VMOVDQU64(ghash.Power(t, 4*(i+1)), p)
	}
	double512(t, powers, 4, 16)
	VZEROUPPER()
	RET()
	vpclmulqdq512Update(poly)
}

// double512 makes powers from those of the first have registers, until there are
// so many registers.
func double512(t reg.GPPhysical, powers []reg.VecPhysical, have, want int) {
	for ; have < want; have *= 2 {
		VSHUFI64X2(Imm(0), powers[have-1], powers[have-1], reg.Z7)
		for i := range have {
			multiply512(powers[i], reg.Z7, powers[have+i], reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z10, reg.Z6)
			VMOVDQU64(powers[have+i], ghash.Power(t, 4*(have+i+1)))
		}
	}
}

func vpclmulqdq512Update(poly Mem) {
	TEXT("UpdateVPCLMUL512", attr.NOSPLIT, ghash.UpdateSignature)
	Comment(
		"UpdateVPCLMUL512 continues the hash y over p, the last block zero padded:",
		"of n blocks p[i] at a time, y = (y+p[0])·H^n + p[1]·H^(n-1) + ... + p[n-1]·H.",
		"func UpdateVPCLMUL512(t *[64][16]byte, y *[16]byte, p []byte, order *[64]byte)",
		"Masked loads read nothing beyond p and t.",
		"AX t, BX y, SI p, DI bytes left, DX power for the next block, CX count, R8 mask;",
		"Z0 hash; Z1, Z2, Z3 low, middle, high product; Z4 blocks, Z5 order of bytes, Z6 polynomial,",
		"Z7, Z8 temporary; Z16 ... Z23 halves of H^64 ... H^1 added, two powers in each lane",
		"(for Karatsuba's method); K1, K2 masks.",
		"64 blocks share one reduction. Adding the halves of the powers takes time, so that",
		"fewer than 64 blocks are done by four products instead of three.")
	t, y, p, n := ghash.Arguments()
	next, count, mask := reg.RDX, reg.RCX, reg.R8
	acc, lo, mid, hi, x, tmp, tmp2 := reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z7, reg.Z8
	rev, pol := reg.Z5, reg.Z6
	VMOVDQU64(ghash.Order(), rev)
	VMOVDQU64(poly, pol)
	VMOVDQU(Mem{Base: y}, reg.X0) // zeros above
	VPSHUFB(reg.X5, reg.X0, reg.X0)
	CMPQ(n, U32(1024))
	JB(LabelRef("tail"))

	sums := amd64.ZMM[16:24]
	for i, s := range sums {
		a, b := Mem{Base: t, Disp: 128 * i}, Mem{Base: t, Disp: 128*i + 64}
		VMOVDQU64(a, s)
		VPUNPCKHQDQ(b, s, tmp)
		VPUNPCKLQDQ(b, s, s)
		VPXORQ(tmp, s, s)
	}
	Label("sixtyfour")
	for k := 1; k <= 16; k++ {
		i := k % 16
		power := Mem{Base: t, Disp: 64 * i}
		VMOVDQU64(Mem{Base: p, Disp: 64 * i}, x)
		VPSHUFB(rev, x, x)
		if i == 0 {
			VPXORQ(acc, x, x)
		}
		VPSHUFD(Imm(0x4e), x, tmp2)
		VPXORQ(x, tmp2, tmp2)
		if k == 1 {
			VPCLMULQDQ(Imm(0x00), power, x, lo)
			VPCLMULQDQ(Imm(0x11), power, x, hi)
			VPCLMULQDQ(Imm(uint64(i%2)<<4), sums[i/2], tmp2, mid)
			continue
		}
		VPCLMULQDQ(Imm(0x00), power, x, tmp)
		VPXORQ(tmp, lo, lo)
		VPCLMULQDQ(Imm(0x11), power, x, tmp)
		VPXORQ(tmp, hi, hi)
		VPCLMULQDQ(Imm(uint64(i%2)<<4), sums[i/2], tmp2, tmp)
		VPXORQ(tmp, mid, mid)
	}
	VPTERNLOGQ(Imm(0x96), lo, hi, mid)
	finish()
	ADDQ(U32(1024), p)
	SUBQ(U32(1024), n)
	CMPQ(n, U32(1024))
	JAE(LabelRef("sixtyfour"))

	Label("tail")
	CMPQ(n, Imm(16))
	JBE(LabelRef("one"))
	Comment("2 ... 64 blocks: the first one takes H^n.")
	LEAQ(Mem{Base: n, Disp: 15}, next)
	ANDQ(I8(-16), next)
	NEGQ(next)
	LEAQ(Mem{Base: t, Index: next, Scale: 1, Disp: 1024}, next)
	VPXORQ(lo, lo, lo)
	VPXORQ(mid, mid, mid)
	VPXORQ(hi, hi, hi)
	CMPQ(n, Imm(64))
	JBE(LabelRef("last"))
	Label("four")
	VMOVDQU64(Mem{Base: p}, x)
	VMOVDQU64(Mem{Base: next}, tmp)
	products(acc, lo, mid, hi, x, tmp, tmp2, rev)
	VPXORQ(acc, acc, acc)
	ADDQ(Imm(64), p)
	ADDQ(Imm(64), next)
	SUBQ(Imm(64), n)
	CMPQ(n, Imm(64))
	JA(LabelRef("four"))
	Label("last")
	Comment("1 ... 64 bytes: shifting ones right by -n bits leaves n of them.")
	masks(n, count, mask)
	VMOVDQU8_Z(Mem{Base: p}, reg.K1, x)
	VMOVDQU8_Z(Mem{Base: next}, reg.K2, tmp)
	products(acc, lo, mid, hi, x, tmp, tmp2, rev)
	Label("reduce")
	finish()
	Label("done")
	VPSHUFB(reg.X5, reg.X0, reg.X0)
	VMOVDQU(reg.X0, Mem{Base: y})
	VZEROUPPER()
	RET()

	Label("one")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	masks(n, count, mask)
	VMOVDQU8_Z(Mem{Base: p}, reg.K1, reg.X4)
	VPSHUFB(reg.X5, reg.X4, reg.X4)
	VPXOR(reg.X0, reg.X4, reg.X4)
	VMOVDQU(ghash.Power(t, 1), reg.X7)
	ghash.Mul(reg.X4, reg.X7, reg.X1, reg.X2, reg.X3, reg.X8) // zeros above
	JMP(LabelRef("reduce"))
}

// multiply512 sets out to a·b by Karatsuba's method, the low product first, for
// which the reduction waits.
func multiply512(a, b, out, lo, mid, hi, t, aHalves, bHalves, poly reg.VecPhysical) {
	VPCLMULQDQ(Imm(0x00), a, b, lo)
	VPCLMULQDQ(Imm(0x11), a, b, hi)
	VPSHUFD(Imm(0x4e), a, aHalves)
	VPXORQ(a, aHalves, aHalves)
	VPSHUFD(Imm(0x4e), b, bHalves)
	VPXORQ(b, bHalves, bHalves)
	VPCLMULQDQ(Imm(0x00), aHalves, bHalves, mid)
	VPTERNLOGQ(Imm(0x96), lo, hi, mid)
	amd64.Write(ghash.Finish(lo, mid, hi, out, t, poly))
}

// masks sets K1 to the bytes of n, 1 to 64, and K2 to those of whole blocks.
func masks(n, count, mask reg.GPPhysical) {
	MOVQ(n, count)
	NEGQ(count)
	MOVQ(I32(-1), mask)
	SHRQ(reg.CL, mask)
	KMOVQ(mask, reg.K1)
	ANDQ(I8(-16), count)
	MOVQ(I32(-1), mask)
	SHRQ(reg.CL, mask)
	KMOVQ(mask, reg.K2)
}

// products adds the hash to the four blocks x and adds the products with the
// powers h to lo, mid and hi.
func products(acc, lo, mid, hi, x, h, tmp, rev reg.VecPhysical) {
	tmp2 := reg.Z9
	VPSHUFB(rev, x, x)
	VPXORQ(acc, x, x)
	VPCLMULQDQ(Imm(0x01), h, x, tmp)
	VPCLMULQDQ(Imm(0x10), h, x, tmp2)
	VPTERNLOGQ(Imm(0x96), tmp, tmp2, mid)
	VPCLMULQDQ(Imm(0x00), h, x, tmp)
	VPXORQ(tmp, lo, lo)
	VPCLMULQDQ(Imm(0x11), h, x, tmp)
	VPXORQ(tmp, hi, hi)
}

// finish makes the hash from the sums of products.
func finish() {
	amd64.Write(ghash.Finish(reg.Z1, reg.Z2, reg.Z3, reg.Z7, reg.Z4, reg.Z6))
	amd64.Write(ghash.Lanes(reg.Z7, reg.Y7, reg.X7, reg.Y8, reg.X8, reg.X0))
}
