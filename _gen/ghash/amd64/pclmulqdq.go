package main

import (
	"github.com/cipherlane/cipherlane/_gen/ghash"
	"github.com/cipherlane/cipherlane/_gen/simd"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func pclmulqdq() {
	simd.Legacy = true
	reverse, poly := ghash.Constants("initPCLMUL", 16)

	TEXT("InitPCLMUL", attr.NOSPLIT, "func(t *[64][16]byte, h *[16]byte)")
	Comment(
		"InitPCLMUL writes H^8 ... H^1 to t[56] ... t[63], byte-reversed and times x, and the sums of",
		"their halves to t[48] ... t[55]. SSSE3 and PCLMULQDQ are enough.",
		"func InitPCLMUL(t *[64][16]byte, h *[16]byte)",
		"AX t, BX h; X8 ... X15 H^1 ... H^8; X5 reversal, X6 polynomial, X0 ... X4 temporary.",
		"A product has a latency of about 25 cycles; the tree is three products deep:",
		"H^2 = H·H; H^3 = H^2·H, H^4 = H^2·H^2; H^5 ... H^8 = H^4·(H ... H^4).")
	t, h := reg.RAX, reg.RBX
	Load(Param("t"), t)
	Load(Param("h"), h)
	simd.Read(reverse, reg.X5)
	simd.Read(poly, reg.X6)
	eightPowers(t, h, 8)
	RET()

	ghash.UpdateKind{Pad: true}.Emit("UpdatePCLMUL")
}

func vpclmulqdq256() {
	reverse, poly := ghash.Constants("initVPCLMUL256", 32)

	TEXT("InitVPCLMUL256", attr.NOSPLIT, "func(t *[64][16]byte, h *[16]byte)")
	Comment(
		"InitVPCLMUL256 writes H^16 ... H^1 to t[48] ... t[63], byte-reversed and times x, and the",
		"sums of their halves to t[32] ... t[47].",
		"func InitVPCLMUL256(t *[64][16]byte, h *[16]byte)",
		"AX t, BX h; X8 ... X15 H^1 ... H^8; Y5 reversal, Y6 polynomial, Y7 H^8 twice, Y4 two",
		"powers, Y0 ... Y3 temporary.",
		"First as InitPCLMUL; then H^8 times two powers at once.")
	t, h := reg.RAX, reg.RBX
	Load(Param("t"), t)
	Load(Param("h"), h)
	VMOVDQU(reverse, reg.Y5)
	VMOVDQU(poly, reg.Y6)
	eightPowers(t, h, 16)
	VINSERTI128(Imm(1), reg.X15, reg.Y15, reg.Y7)
	for i, n := range []int{8, 6, 4, 2} {
		power := []reg.VecPhysical{reg.X15, reg.X14, reg.X13, reg.X12, reg.X11, reg.X10, reg.X9, reg.X8}
		wide := []reg.VecPhysical{reg.Y15, reg.Y14, reg.Y13, reg.Y12, reg.Y11, reg.Y10, reg.Y9, reg.Y8}
		VINSERTI128(Imm(1), power[2*i+1], wide[2*i], reg.Y4)
		ghash.Mul(reg.Y7, reg.Y4, reg.Y0, reg.Y1, reg.Y2, reg.Y3)
		ghash.Fold(reg.Y0, reg.Y1, reg.Y2, reg.Y2, reg.Y3, reg.Y6)
		ghash.PutPower(t, 16, 8+n, reg.Y2, reg.Y0)
	}
	VZEROUPPER()
	RET()

	ghash.UpdateKind{Wide: true, Pad: true}.Emit("UpdateVPCLMUL256")
}

// eightPowers makes H^1 ... H^8 in X8 ... X15 and stores them in a table of so
// many powers.
func eightPowers(t, h reg.Register, powers int) {
	power := []reg.VecPhysical{nil, reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15}
	simd.Read(Mem{Base: h}, power[1])
	simd.Shuffle(reg.X5, power[1], power[1])
	ghash.MulX(power[1], reg.X0, reg.X1, reg.X6)
	ghash.PutPower(t, powers, 1, power[1], reg.X0)
	for _, m := range [][3]int{{2, 1, 1}, {3, 2, 1}, {4, 2, 2}, {5, 4, 1}, {6, 4, 2}, {7, 4, 3}, {8, 4, 4}} {
		if m[1] == m[2] {
			ghash.Square(power[m[1]], reg.X0, reg.X2)
			simd.Zero(reg.X1)
		} else {
			ghash.Mul(power[m[1]], power[m[2]], reg.X0, reg.X1, reg.X2, reg.X3)
		}
		ghash.Fold(reg.X0, reg.X1, reg.X2, power[m[0]], reg.X3, reg.X6)
		ghash.PutPower(t, powers, m[0], power[m[0]], reg.X0)
	}
}
