package riscv64

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/encoding"
)

// Instructions that Go's assembler lacks, in some version since 1.25, or replaces by several
// ones. They become words, with the text as a comment.

func word2(o asm.Op, f func(a, d int) uint32) asm.Op {
	o.Code = func(n []int) []uint32 { return []uint32{f(n[0], n[1])} }
	return o
}

func word3(o asm.Op, f func(a, b, d int) uint32) asm.Op {
	o.Code = func(n []int) []uint32 { return []uint32{f(n[0], n[1], n[2])} }
	return o
}

// constant2 is word2 for an encoder that has an immediate first.
func constant2(o asm.Op, i int, f func(i, a, d int) uint32) asm.Op {
	return word2(o, func(a, d int) uint32 { return f(i, a, d) })
}

// constant3 is word3 for an encoder that has an immediate first.
func constant3(o asm.Op, i int, f func(i, a, b, d int) uint32) asm.Op {
	return word3(o, func(a, b, d int) uint32 { return f(i, a, b, d) })
}

// Zbb: ANDN is b and not a, ORN b or not a. Rotations are of b.

func ANDN(a, b, d asm.Reg) asm.Op     { return word3(operands("ANDN", a, b, d), encoding.ANDN) }
func ORN(a, b, d asm.Reg) asm.Op      { return word3(operands("ORN", a, b, d), encoding.ORN) }
func XNOR(a, b, d asm.Reg) asm.Op     { return word3(operands("XNOR", a, b, d), encoding.XNOR) }
func ROL(a, b, d asm.Reg) asm.Op      { return word3(operands("ROL", a, b, d), encoding.ROL) }
func ROR(a, b, d asm.Reg) asm.Op      { return word3(operands("ROR", a, b, d), encoding.ROR) }
func ROLW(a, b, d asm.Reg) asm.Op     { return word3(operands("ROLW", a, b, d), encoding.ROLW) }
func RORW(a, b, d asm.Reg) asm.Op     { return word3(operands("RORW", a, b, d), encoding.RORW) }
func MIN(a, b, d asm.Reg) asm.Op      { return word3(operands("MIN", a, b, d), encoding.MIN) }
func MINU(a, b, d asm.Reg) asm.Op     { return word3(operands("MINU", a, b, d), encoding.MINU) }
func MAX(a, b, d asm.Reg) asm.Op      { return word3(operands("MAX", a, b, d), encoding.MAX) }
func MAXU(a, b, d asm.Reg) asm.Op     { return word3(operands("MAXU", a, b, d), encoding.MAXU) }
func RORI(n int, a, d asm.Reg) asm.Op { return constant2(operands("RORI", n, a, d), n, encoding.RORI) }
func RORIW(n int, a, d asm.Reg) asm.Op {
	return constant2(operands("RORIW", n, a, d), n, encoding.RORIW)
}

// Zbkb: PACK is the lower halves of b and a, PACKH their lower bytes, PACKW their lower 16
// bits. BREV8 reverses the bits of each byte. Zbkx: the nibbles or bytes of b at the indices a.

func PACK(a, b, d asm.Reg) asm.Op   { return word3(operands("PACK", a, b, d), encoding.PACK) }
func PACKH(a, b, d asm.Reg) asm.Op  { return word3(operands("PACKH", a, b, d), encoding.PACKH) }
func PACKW(a, b, d asm.Reg) asm.Op  { return word3(operands("PACKW", a, b, d), encoding.PACKW) }
func XPERM4(a, b, d asm.Reg) asm.Op { return word3(operands("XPERM4", a, b, d), encoding.XPERM4) }
func XPERM8(a, b, d asm.Reg) asm.Op { return word3(operands("XPERM8", a, b, d), encoding.XPERM8) }
func BREV8(a, d asm.Reg) asm.Op     { return word2(operands("BREV8", a, d), encoding.BREV8) }

// Zbc: products of polynomials, bits 0 to 63, 64 to 127, and 63 to 126.

func CLMUL(a, b, d asm.Reg) asm.Op  { return word3(operands("CLMUL", a, b, d), encoding.CLMUL) }
func CLMULH(a, b, d asm.Reg) asm.Op { return word3(operands("CLMULH", a, b, d), encoding.CLMULH) }
func CLMULR(a, b, d asm.Reg) asm.Op { return word3(operands("CLMULR", a, b, d), encoding.CLMULR) }

// Zkne and Zknd. b is the half of the state whose result it is, a the other one. AES64KS1I and
// AES64KS2 expand keys.

func AES64ES(a, b, d asm.Reg) asm.Op  { return word3(operands("AES64ES", a, b, d), encoding.AES64ES) }
func AES64ESM(a, b, d asm.Reg) asm.Op { return word3(operands("AES64ESM", a, b, d), encoding.AES64ESM) }
func AES64DS(a, b, d asm.Reg) asm.Op  { return word3(operands("AES64DS", a, b, d), encoding.AES64DS) }
func AES64DSM(a, b, d asm.Reg) asm.Op { return word3(operands("AES64DSM", a, b, d), encoding.AES64DSM) }
func AES64KS2(a, b, d asm.Reg) asm.Op { return word3(operands("AES64KS2", a, b, d), encoding.AES64KS2) }
func AES64IM(a, d asm.Reg) asm.Op     { return word2(operands("AES64IM", a, d), encoding.AES64IM) }
func AES64KS1I(n int, a, d asm.Reg) asm.Op {
	return constant2(operands("AES64KS1I", n, a, d), n, encoding.AES64KS1I)
}

// Zknh.

func SHA256SUM0(a, d asm.Reg) asm.Op { return word2(operands("SHA256SUM0", a, d), encoding.SHA256SUM0) }
func SHA256SUM1(a, d asm.Reg) asm.Op { return word2(operands("SHA256SUM1", a, d), encoding.SHA256SUM1) }
func SHA256SIG0(a, d asm.Reg) asm.Op { return word2(operands("SHA256SIG0", a, d), encoding.SHA256SIG0) }
func SHA256SIG1(a, d asm.Reg) asm.Op { return word2(operands("SHA256SIG1", a, d), encoding.SHA256SIG1) }
func SHA512SUM0(a, d asm.Reg) asm.Op { return word2(operands("SHA512SUM0", a, d), encoding.SHA512SUM0) }
func SHA512SUM1(a, d asm.Reg) asm.Op { return word2(operands("SHA512SUM1", a, d), encoding.SHA512SUM1) }
func SHA512SIG0(a, d asm.Reg) asm.Op { return word2(operands("SHA512SIG0", a, d), encoding.SHA512SIG0) }
func SHA512SIG1(a, d asm.Reg) asm.Op { return word2(operands("SHA512SIG1", a, d), encoding.SHA512SIG1) }

// Zksh and Zksed. SM4ED and SM4KS add what byte n of a becomes to b.

func SM3P0(a, d asm.Reg) asm.Op { return word2(operands("SM3P0", a, d), encoding.SM3P0) }
func SM3P1(a, d asm.Reg) asm.Op { return word2(operands("SM3P1", a, d), encoding.SM3P1) }
func SM4ED(n int, a, b, d asm.Reg) asm.Op {
	return constant3(operands("SM4ED", n, a, b, d), n, encoding.SM4ED)
}
func SM4KS(n int, a, b, d asm.Reg) asm.Op {
	return constant3(operands("SM4KS", n, a, b, d), n, encoding.SM4KS)
}

// Zvkb. VANDN is b and not a. Rotations are of b.

func VANDNVV[T Registers](a, b, d T) asm.Op {
	return word3(vector("VANDNVV", a, b, d), encoding.VANDNVV)
}
func VROLVV[T Registers](a, b, d T) asm.Op { return word3(vector("VROLVV", a, b, d), encoding.VROLVV) }
func VRORVV[T Registers](a, b, d T) asm.Op { return word3(vector("VRORVV", a, b, d), encoding.VRORVV) }
func VANDNVX[T Registers](a asm.Reg, b, d T) asm.Op {
	return word3(vector("VANDNVX", a, b, d), encoding.VANDNVX)
}
func VROLVX[T Registers](a asm.Reg, b, d T) asm.Op {
	return word3(vector("VROLVX", a, b, d), encoding.VROLVX)
}
func VRORVX[T Registers](a asm.Reg, b, d T) asm.Op {
	return word3(vector("VRORVX", a, b, d), encoding.VRORVX)
}
func VREV8V[T Registers](a, d T) asm.Op  { return word2(vector("VREV8V", a, d), encoding.VREV8V) }
func VBREV8V[T Registers](a, d T) asm.Op { return word2(vector("VBREV8V", a, d), encoding.VBREV8V) }
func VRORVI[T Registers](n int, a, d T) asm.Op {
	return constant2(vector("VRORVI", n, a, d), n, encoding.VRORVI)
}

// Zvbc: the lower and the upper half of products of polynomials.

func VCLMULVV[T Registers](a, b, d T) asm.Op {
	return word3(vector("VCLMULVV", a, b, d), encoding.VCLMULVV)
}
func VCLMULHVV[T Registers](a, b, d T) asm.Op {
	return word3(vector("VCLMULHVV", a, b, d), encoding.VCLMULHVV)
}
func VCLMULVX[T Registers](a asm.Reg, b, d T) asm.Op {
	return word3(vector("VCLMULVX", a, b, d), encoding.VCLMULVX)
}
func VCLMULHVX[T Registers](a asm.Reg, b, d T) asm.Op {
	return word3(vector("VCLMULHVX", a, b, d), encoding.VCLMULHVX)
}

// Zvkned. d is the state, a the round key: of each block (VV), or one for all blocks (VS). VAESZ
// adds it. VAESKF1 and VAESKF2 make round keys, VAESKF2 from d, too.

func VAESEMVV[T Registers](a, d T) asm.Op {
	return word2(Keep(vector("VAESEMVV", a, d)), encoding.VAESEMVV)
}
func VAESEFVV[T Registers](a, d T) asm.Op {
	return word2(Keep(vector("VAESEFVV", a, d)), encoding.VAESEFVV)
}
func VAESDMVV[T Registers](a, d T) asm.Op {
	return word2(Keep(vector("VAESDMVV", a, d)), encoding.VAESDMVV)
}
func VAESDFVV[T Registers](a, d T) asm.Op {
	return word2(Keep(vector("VAESDFVV", a, d)), encoding.VAESDFVV)
}
func VAESEMVS[T Registers](a asm.Reg, d T) asm.Op {
	return word2(early(Keep(vector("VAESEMVS", a, d))), encoding.VAESEMVS)
}
func VAESEFVS[T Registers](a asm.Reg, d T) asm.Op {
	return word2(early(Keep(vector("VAESEFVS", a, d))), encoding.VAESEFVS)
}
func VAESDMVS[T Registers](a asm.Reg, d T) asm.Op {
	return word2(early(Keep(vector("VAESDMVS", a, d))), encoding.VAESDMVS)
}
func VAESDFVS[T Registers](a asm.Reg, d T) asm.Op {
	return word2(early(Keep(vector("VAESDFVS", a, d))), encoding.VAESDFVS)
}
func VAESZVS[T Registers](a asm.Reg, d T) asm.Op {
	return word2(early(Keep(vector("VAESZVS", a, d))), encoding.VAESZVS)
}
func VAESKF1VI[T Registers](n int, a, d T) asm.Op {
	return constant2(vector("VAESKF1VI", n, a, d), n, encoding.VAESKF1VI)
}
func VAESKF2VI[T Registers](n int, a, d T) asm.Op {
	return constant2(Keep(vector("VAESKF2VI", n, a, d)), n, encoding.VAESKF2VI)
}

// Zvkg. VGMUL multiplies d by a. VGHSH adds a to d, and multiplies by b.

func VGHSHVV[T Registers](a, b, d T) asm.Op {
	return word3(Keep(vector("VGHSHVV", a, b, d)), encoding.VGHSHVV)
}
func VGMULVV[T Registers](a, d T) asm.Op {
	return word2(Keep(vector("VGMULVV", a, d)), encoding.VGMULVV)
}

// Zvksed. VSM4R does four rounds on d with the round keys a, VSM4K makes four round keys from four.

func VSM4RVV[T Registers](a, d T) asm.Op {
	return word2(Keep(vector("VSM4RVV", a, d)), encoding.VSM4RVV)
}
func VSM4RVS[T Registers](a asm.Reg, d T) asm.Op {
	return word2(early(Keep(vector("VSM4RVS", a, d))), encoding.VSM4RVS)
}
func VSM4KVI[T Registers](n int, a, d T) asm.Op {
	return constant2(vector("VSM4KVI", n, a, d), n, encoding.VSM4KVI)
}

// Zvksh. VSM3ME expands the message, VSM3C does two rounds on d.

func VSM3MEVV[T Registers](a, b, d T) asm.Op {
	return word3(early(vector("VSM3MEVV", a, b, d)), encoding.VSM3MEVV)
}
func VSM3CVI[T Registers](n int, a, d T) asm.Op {
	return constant2(early(Keep(vector("VSM3CVI", n, a, d))), n, encoding.VSM3CVI)
}

// Segments of 2, 4 and 8 elements, each in another vector. The vectors are consecutive
// registers, or consecutive groups. Go's assembler has them since Go 1.26, so they are words.

func loadSegments(fields, bits int, base asm.Reg, d []asm.Reg) asm.Op {
	return word2(vectorLoad(fmt.Sprintf("VLSEG%dE%dV", fields, bits), base, d),
		func(base, d int) uint32 { return encoding.VLSEG(fields, bits, base, d) })
}

func storeSegments(fields, bits int, a []asm.Reg, base asm.Reg) asm.Op {
	return word2(vectorStore(fmt.Sprintf("VSSEG%dE%dV", fields, bits), a, base),
		func(a, base int) uint32 { return encoding.VSSEG(fields, bits, a, base) })
}

func loadSegmentsStrided(fields, bits int, base, stride asm.Reg, d []asm.Reg) asm.Op {
	return word3(vectorLoad(fmt.Sprintf("VLSSEG%dE%dV", fields, bits), base, d, stride),
		func(base, stride, d int) uint32 { return encoding.VLSSEG(fields, bits, base, stride, d) })
}

func storeSegmentsStrided(fields, bits int, a []asm.Reg, stride, base asm.Reg) asm.Op {
	return word3(vectorStore(fmt.Sprintf("VSSSEG%dE%dV", fields, bits), a, base, stride),
		func(a, stride, base int) uint32 { return encoding.VSSSEG(fields, bits, a, stride, base) })
}

func VLSEG2E8V(base asm.Reg, d []asm.Reg) asm.Op  { return loadSegments(2, 8, base, d) }
func VLSEG2E32V(base asm.Reg, d []asm.Reg) asm.Op { return loadSegments(2, 32, base, d) }
func VLSEG2E64V(base asm.Reg, d []asm.Reg) asm.Op { return loadSegments(2, 64, base, d) }
func VLSEG4E8V(base asm.Reg, d []asm.Reg) asm.Op  { return loadSegments(4, 8, base, d) }
func VLSEG4E32V(base asm.Reg, d []asm.Reg) asm.Op { return loadSegments(4, 32, base, d) }
func VLSEG4E64V(base asm.Reg, d []asm.Reg) asm.Op { return loadSegments(4, 64, base, d) }
func VLSEG8E8V(base asm.Reg, d []asm.Reg) asm.Op  { return loadSegments(8, 8, base, d) }
func VLSEG8E16V(base asm.Reg, d []asm.Reg) asm.Op { return loadSegments(8, 16, base, d) }
func VLSEG8E32V(base asm.Reg, d []asm.Reg) asm.Op { return loadSegments(8, 32, base, d) }
func VLSEG8E64V(base asm.Reg, d []asm.Reg) asm.Op { return loadSegments(8, 64, base, d) }
func VSSEG2E8V(a []asm.Reg, base asm.Reg) asm.Op  { return storeSegments(2, 8, a, base) }
func VSSEG2E32V(a []asm.Reg, base asm.Reg) asm.Op { return storeSegments(2, 32, a, base) }
func VSSEG2E64V(a []asm.Reg, base asm.Reg) asm.Op { return storeSegments(2, 64, a, base) }
func VSSEG4E8V(a []asm.Reg, base asm.Reg) asm.Op  { return storeSegments(4, 8, a, base) }
func VSSEG4E32V(a []asm.Reg, base asm.Reg) asm.Op { return storeSegments(4, 32, a, base) }
func VSSEG4E64V(a []asm.Reg, base asm.Reg) asm.Op { return storeSegments(4, 64, a, base) }
func VSSEG8E8V(a []asm.Reg, base asm.Reg) asm.Op  { return storeSegments(8, 8, a, base) }
func VSSEG8E16V(a []asm.Reg, base asm.Reg) asm.Op { return storeSegments(8, 16, a, base) }
func VSSEG8E32V(a []asm.Reg, base asm.Reg) asm.Op { return storeSegments(8, 32, a, base) }
func VSSEG8E64V(a []asm.Reg, base asm.Reg) asm.Op { return storeSegments(8, 64, a, base) }
func VLSSEG2E8V(base, stride asm.Reg, d []asm.Reg) asm.Op {
	return loadSegmentsStrided(2, 8, base, stride, d)
}
func VLSSEG2E32V(base, stride asm.Reg, d []asm.Reg) asm.Op {
	return loadSegmentsStrided(2, 32, base, stride, d)
}
func VLSSEG2E64V(base, stride asm.Reg, d []asm.Reg) asm.Op {
	return loadSegmentsStrided(2, 64, base, stride, d)
}
func VLSSEG4E8V(base, stride asm.Reg, d []asm.Reg) asm.Op {
	return loadSegmentsStrided(4, 8, base, stride, d)
}
func VLSSEG4E32V(base, stride asm.Reg, d []asm.Reg) asm.Op {
	return loadSegmentsStrided(4, 32, base, stride, d)
}
func VLSSEG4E64V(base, stride asm.Reg, d []asm.Reg) asm.Op {
	return loadSegmentsStrided(4, 64, base, stride, d)
}
func VLSSEG8E8V(base, stride asm.Reg, d []asm.Reg) asm.Op {
	return loadSegmentsStrided(8, 8, base, stride, d)
}
func VLSSEG8E32V(base, stride asm.Reg, d []asm.Reg) asm.Op {
	return loadSegmentsStrided(8, 32, base, stride, d)
}
func VLSSEG8E64V(base, stride asm.Reg, d []asm.Reg) asm.Op {
	return loadSegmentsStrided(8, 64, base, stride, d)
}
func VSSSEG2E8V(a []asm.Reg, stride, base asm.Reg) asm.Op {
	return storeSegmentsStrided(2, 8, a, stride, base)
}
func VSSSEG2E32V(a []asm.Reg, stride, base asm.Reg) asm.Op {
	return storeSegmentsStrided(2, 32, a, stride, base)
}
func VSSSEG2E64V(a []asm.Reg, stride, base asm.Reg) asm.Op {
	return storeSegmentsStrided(2, 64, a, stride, base)
}
func VSSSEG4E8V(a []asm.Reg, stride, base asm.Reg) asm.Op {
	return storeSegmentsStrided(4, 8, a, stride, base)
}
func VSSSEG4E32V(a []asm.Reg, stride, base asm.Reg) asm.Op {
	return storeSegmentsStrided(4, 32, a, stride, base)
}
func VSSSEG4E64V(a []asm.Reg, stride, base asm.Reg) asm.Op {
	return storeSegmentsStrided(4, 64, a, stride, base)
}
func VSSSEG8E8V(a []asm.Reg, stride, base asm.Reg) asm.Op {
	return storeSegmentsStrided(8, 8, a, stride, base)
}
func VSSSEG8E32V(a []asm.Reg, stride, base asm.Reg) asm.Op {
	return storeSegmentsStrided(8, 32, a, stride, base)
}
func VSSSEG8E64V(a []asm.Reg, stride, base asm.Reg) asm.Op {
	return storeSegmentsStrided(8, 64, a, stride, base)
}
