package encoding

import "fmt"

// Sources: The RISC-V Instruction Set Manual, Volume I (20240411), the chapters on B and on
// scalar and vector cryptography. Integers a and b are rs1 and rs2, vectors vs1 and vs2.

// three puts registers in the fields of rs2, rs1 and rd, or vs2, vs1 and vd.
func three(b, a, d int) uint32 { return uint32(b<<20 | a<<15 | d<<7) }

// limited checks an immediate, whose bits would otherwise change the instruction.
func limited(n, limit int) int {
	if n < 0 || n >= limit {
		panic(fmt.Sprintf("encoding: immediate %d is not below %d", n, limit))
	}
	return n
}

// Zbb. Go's assembler makes several instructions of these, unless GORISCV64 is rva22u64 or
// above. ANDN is a and not b, ORN a or not b. Rotations are of a, by b or by n.

func ANDN(b, a, d int) uint32  { return 0x40007033 | three(b, a, d) }
func ORN(b, a, d int) uint32   { return 0x40006033 | three(b, a, d) }
func XNOR(b, a, d int) uint32  { return 0x40004033 | three(b, a, d) }
func ROL(b, a, d int) uint32   { return 0x60001033 | three(b, a, d) }
func ROR(b, a, d int) uint32   { return 0x60005033 | three(b, a, d) }
func ROLW(b, a, d int) uint32  { return 0x6000103b | three(b, a, d) }
func RORW(b, a, d int) uint32  { return 0x6000503b | three(b, a, d) }
func RORI(n, a, d int) uint32  { return 0x60005013 | three(limited(n, 64), a, d) }
func RORIW(n, a, d int) uint32 { return 0x6000501b | three(limited(n, 32), a, d) }
func MIN(b, a, d int) uint32   { return 0x0a004033 | three(b, a, d) }
func MINU(b, a, d int) uint32  { return 0x0a005033 | three(b, a, d) }
func MAX(b, a, d int) uint32   { return 0x0a006033 | three(b, a, d) }
func MAXU(b, a, d int) uint32  { return 0x0a007033 | three(b, a, d) }

// Zbkb: lower halves of a and b, their lower bytes, or their lower 16 bits together, and
// the bits of each byte reversed.

func PACK(b, a, d int) uint32  { return 0x08004033 | three(b, a, d) }
func PACKH(b, a, d int) uint32 { return 0x08007033 | three(b, a, d) }
func PACKW(b, a, d int) uint32 { return 0x0800403b | three(b, a, d) }
func BREV8(a, d int) uint32    { return 0x68705013 | three(0, a, d) }

// Zbkx: the nibbles or bytes of a at the indices b.

func XPERM4(b, a, d int) uint32 { return 0x28002033 | three(b, a, d) }
func XPERM8(b, a, d int) uint32 { return 0x28004033 | three(b, a, d) }

// Zbc: the lower half of the product of polynomials, the upper half, and bits 63 to 126.

func CLMUL(b, a, d int) uint32  { return 0x0a001033 | three(b, a, d) }
func CLMULH(b, a, d int) uint32 { return 0x0a003033 | three(b, a, d) }
func CLMULR(b, a, d int) uint32 { return 0x0a002033 | three(b, a, d) }

// Zkne and Zknd.

func AES64ES(b, a, d int) uint32   { return 0x32000033 | three(b, a, d) }
func AES64ESM(b, a, d int) uint32  { return 0x36000033 | three(b, a, d) }
func AES64DS(b, a, d int) uint32   { return 0x3a000033 | three(b, a, d) }
func AES64DSM(b, a, d int) uint32  { return 0x3e000033 | three(b, a, d) }
func AES64IM(a, d int) uint32      { return 0x30001013 | three(0, a, d) }
func AES64KS1I(n, a, d int) uint32 { return 0x31001013 | three(limited(n, 11), a, d) }
func AES64KS2(b, a, d int) uint32  { return 0x7e000033 | three(b, a, d) }

// Zknh.

func SHA256SUM0(a, d int) uint32 { return 0x10001013 | three(0, a, d) }
func SHA256SUM1(a, d int) uint32 { return 0x10101013 | three(0, a, d) }
func SHA256SIG0(a, d int) uint32 { return 0x10201013 | three(0, a, d) }
func SHA256SIG1(a, d int) uint32 { return 0x10301013 | three(0, a, d) }
func SHA512SUM0(a, d int) uint32 { return 0x10401013 | three(0, a, d) }
func SHA512SUM1(a, d int) uint32 { return 0x10501013 | three(0, a, d) }
func SHA512SIG0(a, d int) uint32 { return 0x10601013 | three(0, a, d) }
func SHA512SIG1(a, d int) uint32 { return 0x10701013 | three(0, a, d) }

// Zksh and Zksed. SM4ED and SM4KS are of byte n of b, added to a.

func SM3P0(a, d int) uint32       { return 0x10801013 | three(0, a, d) }
func SM3P1(a, d int) uint32       { return 0x10901013 | three(0, a, d) }
func SM4ED(n, b, a, d int) uint32 { return 0x30000033 | uint32(limited(n, 4))<<30 | three(b, a, d) }
func SM4KS(n, b, a, d int) uint32 { return 0x34000033 | uint32(limited(n, 4))<<30 | three(b, a, d) }

// Zvkb. The result of VANDN is b and not a. Rotations are of b, by a, by the integer
// register a, or by n.

func VANDNVV(a, b, d int) uint32 { return 0x06000057 | three(b, a, d) }
func VANDNVX(a, b, d int) uint32 { return 0x06004057 | three(b, a, d) }
func VREV8V(b, d int) uint32     { return 0x4a04a057 | three(b, 0, d) }
func VBREV8V(b, d int) uint32    { return 0x4a042057 | three(b, 0, d) }
func VROLVV(a, b, d int) uint32  { return 0x56000057 | three(b, a, d) }
func VROLVX(a, b, d int) uint32  { return 0x56004057 | three(b, a, d) }
func VRORVV(a, b, d int) uint32  { return 0x52000057 | three(b, a, d) }
func VRORVX(a, b, d int) uint32  { return 0x52004057 | three(b, a, d) }
func VRORVI(n, b, d int) uint32 {
	return 0x52003057 | uint32(limited(n, 64)>>5)<<26 | three(b, n&31, d)
}

// Zvbc.

func VCLMULVV(a, b, d int) uint32  { return 0x32002057 | three(b, a, d) }
func VCLMULVX(a, b, d int) uint32  { return 0x32006057 | three(b, a, d) }
func VCLMULHVV(a, b, d int) uint32 { return 0x36002057 | three(b, a, d) }
func VCLMULHVX(a, b, d int) uint32 { return 0x36006057 | three(b, a, d) }

// Zvkned. b is the round key: of each block, or the same one for all (VS).

func VAESEMVV(b, d int) uint32     { return 0xa2012077 | three(b, 0, d) }
func VAESEMVS(b, d int) uint32     { return 0xa6012077 | three(b, 0, d) }
func VAESEFVV(b, d int) uint32     { return 0xa201a077 | three(b, 0, d) }
func VAESEFVS(b, d int) uint32     { return 0xa601a077 | three(b, 0, d) }
func VAESDMVV(b, d int) uint32     { return 0xa2002077 | three(b, 0, d) }
func VAESDMVS(b, d int) uint32     { return 0xa6002077 | three(b, 0, d) }
func VAESDFVV(b, d int) uint32     { return 0xa200a077 | three(b, 0, d) }
func VAESDFVS(b, d int) uint32     { return 0xa600a077 | three(b, 0, d) }
func VAESZVS(b, d int) uint32      { return 0xa603a077 | three(b, 0, d) }
func VAESKF1VI(n, b, d int) uint32 { return 0x8a002077 | three(b, limited(n, 32), d) }
func VAESKF2VI(n, b, d int) uint32 { return 0xaa002077 | three(b, limited(n, 32), d) }

// Zvkg.

func VGHSHVV(a, b, d int) uint32 { return 0xb2002077 | three(b, a, d) }
func VGMULVV(b, d int) uint32    { return 0xa208a077 | three(b, 0, d) }

// Zvksed and Zvksh.

func VSM4KVI(n, b, d int) uint32  { return 0x86002077 | three(b, limited(n, 32), d) }
func VSM4RVV(b, d int) uint32     { return 0xa2082077 | three(b, 0, d) }
func VSM4RVS(b, d int) uint32     { return 0xa6082077 | three(b, 0, d) }
func VSM3MEVV(a, b, d int) uint32 { return 0x82002077 | three(b, a, d) }
func VSM3CVI(n, b, d int) uint32  { return 0xae002077 | three(b, limited(n, 32), d) }

// Loads and stores of vectors. Segments have 2 to 8 fields of 8, 16, 32 or 64 bits: with a
// stride or one after the other.

func VLSEG(fields, bits, base, d int) uint32 { return 0x02000007 | segments(fields, bits, 0, base, d) }
func VSSEG(fields, bits, a, base int) uint32 { return 0x02000027 | segments(fields, bits, 0, base, a) }
func VLSSEG(fields, bits, base, stride, d int) uint32 {
	return 0x0a000007 | segments(fields, bits, stride, base, d)
}
func VSSSEG(fields, bits, a, stride, base int) uint32 {
	return 0x0a000027 | segments(fields, bits, stride, base, a)
}

// segments has the fields nf, rs2, rs1, width and vd or vs3.
func segments(fields, bits, stride, base, v int) uint32 {
	width, ok := map[int]uint32{8: 0, 16: 5, 32: 6, 64: 7}[bits]
	if !ok || fields < 2 {
		panic(fmt.Sprintf("encoding: segments of %d fields of %d bits", fields, bits))
	}
	return uint32(limited(fields, 9)-1)<<29 | width<<12 | three(stride, base, v)
}
