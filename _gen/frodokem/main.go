// Command frodokem writes the kernels of frodokem/internal/amd64.
package main

import (
	"flag"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

//go:generate go run . -kernel matrix512 -out ../../frodokem/internal/amd64/matrix_vaes512_amd64.s
//go:generate go run . -kernel rows512 -out ../../frodokem/internal/amd64/rows_avx512_amd64.s
//go:generate go run . -kernel noise512 -out ../../frodokem/internal/amd64/noise_avx512_amd64.s

//go:generate go run . -kernel aesni -out ../../frodokem/internal/amd64/matrix_aesni_amd64.s
//go:generate go run . -kernel vaes256 -out ../../frodokem/internal/amd64/matrix_vaes256_amd64.s
//go:generate go run . -kernel avx2 -out ../../frodokem/internal/amd64/rows_avx2_amd64.s

func main() {
	kernel := flag.String("kernel", "", "which file")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *kernel {
	case "matrix512":
		prepare()
		pairs512()
		columns512()
		mulSA()
		mulAS()
	case "rows512":
		rowsSA()
		dots()
		mulSB()
	case "noise512":
		sample()
		add()
	case "aesni", "vaes256":
		wide = *kernel == "vaes256"
		mulSA256()
		mulAS256()
		rowsOfA256()
	case "avx2":
		prepareAESNI()
		pairs("PairsAVX2")
		rowsSA256()
		dots256()
		mulSB256()
		sample256()
		swap256()
		pack15()
		unpack15()
		difference()
	default:
		panic("no such kernel: " + *kernel)
	}
	Generate()
}

var zmm = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// Offsets in amd64.Matrix.
const (
	maxN      = 1344
	xAt       = 0
	yAt       = maxN * 16
	keysAt    = yAt + maxN/8*16
	laneBytes = 16
)

// untyped makes of a signature one that the generator, which does not know the
// types, can read: to the assembler a pointer is a pointer.
var untyped = strings.NewReplacer("*Matrix", "*byte", "*Pairs", "*byte", "*Work", "*byte")

func function(name, signature string, doc ...string) {
	flags := attr.NOSPLIT
	if strings.HasPrefix(name, "MulSA") && !strings.HasSuffix(name, "512") {
		flags = 0 // it needs more of the stack than such a function may
	}
	TEXT(name, flags, "func"+untyped.Replace(signature))
	Comment(append([]string{doc[0], "func " + name + signature}, doc[1:]...)...)
}

func prepare() {
	lane := GLOBL("prepareLanes", attr.RODATA|attr.NOPTR)
	for i := range 4 {
		DATA(16*i, U32(uint32(i)))
		DATA(16*i+4, U32(0))
		DATA(16*i+8, U64(0))
	}
	step := GLOBL("prepareStep", attr.RODATA|attr.NOPTR)
	DATA(0, U32(4))
	for i := 1; i < 4; i++ {
		DATA(4*i, U32(0))
	}
	function("PrepareVAES512", "(m *Matrix, n int)",
		"PrepareVAES512 fills X and Y: X[i] is the block i || 0 after two rounds of AES, Y[j] the block",
		"0 || 8j, plus X[0].",
		"AX is m, CX n, BX where to. Z0 to Z2 are round keys, Z3 the blocks, Z4 what they grow by, Z5 the",
		"state, Z6 is X[0] or 0.")
	m, n, at := reg.RAX, reg.RCX, reg.RBX
	Load(Param("m"), m)
	Load(Param("n"), n)
	for i := range 3 {
		VBROADCASTI32X4(Mem{Base: m, Disp: keysAt + 16*i}, zmm[i])
	}
	VMOVDQU64(lane, zmm[3])
	VBROADCASTI32X4(step, zmm[4])
	LEAQ(Mem{Base: m, Disp: xAt}, at)
	two := func() {
		VPXORQ(zmm[3], zmm[0], zmm[5])
		VAESENC(zmm[1], zmm[5], zmm[5])
		VAESENC(zmm[2], zmm[5], zmm[5])
	}
	MOVQ(n, reg.RDX)
	Label("x")
	two()
	VMOVDQU64(zmm[5], Mem{Base: at})
	VPADDD(zmm[4], zmm[3], zmm[3])
	ADDQ(Imm(64), at)
	SUBQ(Imm(4), reg.RDX)
	JNE(LabelRef("x"))

	Comment("Y: the number is in the upper half of the word, and eight times as large.")
	VBROADCASTI32X4(Mem{Base: m, Disp: xAt}, zmm[6])
	VMOVDQU64(lane, zmm[3])
	VPSLLD(Imm(19), zmm[3], zmm[3])
	VPSLLD(Imm(19), zmm[4], zmm[4])
	LEAQ(Mem{Base: m, Disp: yAt}, at)
	Label("y")
	two()
	VPXORQ(zmm[6], zmm[5], zmm[5])
	VMOVDQU64(zmm[5], Mem{Base: at})
	VPADDD(zmm[4], zmm[3], zmm[3])
	ADDQ(Imm(64), at)
	SUBQ(Imm(32), n)
	JG(LabelRef("y"))
	VZEROUPPER()
	RET()
}

func pairs(name string) {
	function(name, "(p *Pairs, s []uint16)",
		name+" makes the words p[i][k] = S[k][2i] | S[k][2i+1] << 16 of a matrix S of 8 x n entries:",
		"a transposition of 8 x 8 words at a time.",
		"AX is p, BX S, CX n/2 words left, DX the bytes in a row of S, SI three times that. Y0 to Y15 rows.")
	p, s, left, stride, stride3 := reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI
	Load(Param("p"), p)
	Load(Param("s").Base(), s)
	Load(Param("s").Len(), left)
	SHRQ(Imm(4), left)
	MOVQ(left, stride)
	SHLQ(Imm(2), stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	LEAQ(Mem{Base: s, Index: stride, Scale: 4}, reg.RDI)
	y := []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}
	Label("pairs")
	for i, base := range []reg.GPPhysical{s, reg.RDI} {
		VMOVDQU(Mem{Base: base}, y[4*i])
		VMOVDQU(Mem{Base: base, Index: stride, Scale: 1}, y[4*i+1])
		VMOVDQU(Mem{Base: base, Index: stride, Scale: 2}, y[4*i+2])
		VMOVDQU(Mem{Base: base, Index: stride3, Scale: 1}, y[4*i+3])
	}
	for i := 0; i < 8; i += 2 {
		VPUNPCKLDQ(y[i+1], y[i], y[8+i])
		VPUNPCKHDQ(y[i+1], y[i], y[9+i])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			VPUNPCKLQDQ(y[8+i+j+2], y[8+i+j], y[i+2*j])
			VPUNPCKHQDQ(y[8+i+j+2], y[8+i+j], y[i+2*j+1])
		}
	}
	for i := range 4 {
		VPERM2I128(Imm(0x20), y[4+i], y[i], y[8+i])
		VPERM2I128(Imm(0x31), y[4+i], y[i], y[12+i])
	}
	for i := range 8 {
		VMOVDQU(y[8+i], Mem{Base: p, Disp: 32 * i})
	}
	ADDQ(Imm(32), s)
	ADDQ(Imm(32), reg.RDI)
	ADDQ(U32(256), p)
	SUBQ(Imm(8), left)
	JNE(LabelRef("pairs"))
	Comment("S is secret.")
	finish()
}

func zero(list []reg.VecPhysical) {
	for _, z := range list {
		VPXORD(z, z, z)
	}
}

// zeroHigh clears the registers that VZEROALL does not reach.
func zeroHigh() {
	for _, z := range zmm[16:] {
		VPXORD(z, z, z)
	}
}

// sumDwords adds up the four dwords in each quarter of a register, for the
// columns 0 to 3 and 4 to 7 of S of the first sums, in a[4] and a[5], and of the
// second, in a[6] and a[7]: transpositions of 4 x 4. It sets mask to words 0xffff.
func sumDwords(sums, a []reg.VecPhysical, mask reg.VecPhysical) {
	VPTERNLOGD(Imm(0xff), mask, mask, mask)
	VPSRLD(Imm(16), mask, mask)
	for i := range 4 {
		c := sums[4*i : 4*i+4]
		t, u := a[0], a[1]
		VPUNPCKLDQ(c[1], c[0], t)
		VPUNPCKHDQ(c[1], c[0], u)
		VPADDD(t, u, t) // c0 c1 c0 c1
		VPUNPCKLDQ(c[3], c[2], u)
		VPUNPCKHDQ(c[3], c[2], a[2])
		VPADDD(u, a[2], u) // c2 c3 c2 c3
		VPUNPCKLQDQ(u, t, a[2])
		VPUNPCKHQDQ(u, t, a[3])
		VPADDD(a[2], a[3], a[4+i])
	}
}

func rowsSA() {
	function("RowsSAAVX512", "(out []uint16, rows []uint16, p *Pairs, first int)",
		"RowsSAAVX512 adds to out, 8 x n, the products of 16 rows of A, the first of which has that number,",
		"with S'.",
		"AX is the first row, BX the pairs of S', CX out, DX and R11 three and five times R9, SI the ninth row,",
		"R8 columns left, R9 the bytes in a row, DI what the sums of each row of S' begin with (0 but for the first",
		"row), R12 and R13 temporary. Z0 to Z17 are sums as in MulSAVAES512, Z18 to Z21 rows, Z24 to Z31",
		"temporary.",
		"32 columns take 72 multiplications instead of 128, by Winograd's formula; the 128 additions of that go to",
		"all four units.")
	x, p, out, stride3, x8, columns, stride, stride5, squares := reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI, reg.R8, reg.R9, reg.R11, reg.RDI
	a := zmm[18:26]
	zeros := GLOBL("noSquares", RODATA|NOPTR)
	DATA(24, U64(0))
	q := quad{
		sums: zmm[:16], aa: zmm[16:18],
		v: [2]reg.VecPhysical{zmm[26], zmm[27]}, u: [2]reg.VecPhysical{zmm[28], zmm[29]},
		b0: zmm[30], b1: zmm[31], t0: zmm[24], t1: zmm[25],
		pairs: p, order: sumOrder("rowsSumOrder"),
	}
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), columns)
	Load(Param("rows").Base(), x)
	Load(Param("p"), p)
	Load(Param("first"), reg.R12)
	LEAQ(Mem{Base: p, Disp: squaresAt}, squares)
	LEAQ(zeros, reg.R13)
	TESTQ(reg.R12, reg.R12)
	CMOVQNE(reg.R13, squares)
	SHLQ(Imm(4), reg.R12)
	ADDQ(reg.R12, p)
	SHRQ(Imm(3), columns)
	LEAQ(Mem{Base: columns, Index: columns, Scale: 1}, stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 4}, stride5)
	LEAQ(Mem{Base: x, Index: stride, Scale: 8}, x8)
	stripe := func(half bool) {
		q.begin(squares)
		for part, base := range []reg.GPPhysical{x, x8} {
			LEAQ(Mem{Base: base, Index: stride3, Scale: 2}, reg.R12)
			from := []Mem{
				{Base: base},
				{Base: base, Index: stride, Scale: 1},
				{Base: base, Index: stride, Scale: 2},
				{Base: base, Index: stride3, Scale: 1},
				{Base: base, Index: stride, Scale: 4},
				{Base: base, Index: stride5, Scale: 1},
				{Base: reg.R12},
				{Base: reg.R12, Index: stride, Scale: 1},
			}
			for i := 0; i < 8; i += 4 {
				for j := range 4 {
					VMOVDQU64(from[i+j], halved(a[j], half))
				}
				q.unpack(a)
				q.multiply(128*part + 16*i).write()
			}
		}
		q.store(out, stride, reg.R12, half)
	}
	Label("stripe")
	stripe(false)
	ADDQ(Imm(64), out)
	ADDQ(Imm(64), x)
	ADDQ(Imm(64), x8)
	SUBQ(Imm(32), columns)
	CMPQ(columns, Imm(32))
	JGE(LabelRef("stripe"))
	TESTQ(columns, columns)
	JEQ(LabelRef("done"))
	stripe(true)
	Label("done")
	zeroHigh()
	finish()
}

// halved is a register, or the half of it that 16 columns take: a load of that clears the
// other, and takes less time than one under a mask.
func halved(v reg.VecPhysical, half bool) Op {
	if half {
		return v.AsY()
	}
	return v
}

func dots() {
	function("DotsAVX512", "(out []uint16, x []uint16, st []uint16)",
		"DotsAVX512 adds to out, r x 8, the products of the r rows of x with the eight rows of st; rows",
		"have n entries, and r is even.",
		"AX are two rows of x, CX out, SI st, DI its fifth row, DX rows left, R8 entries left, R9 the bytes in a",
		"row, R10 three times that. Z0 to Z7 are the sums of one row, Z8 to Z15 of the other,",
		"Z16 and Z17 their entries, Z18 to Z21 rows of st.",
		"A load of st serves two multiplications: 16 of them in 8 cycles.")
	x, out, st, st4, rows, left, stride, stride3 := reg.RAX, reg.RCX, reg.RSI, reg.RDI, reg.RDX, reg.R8, reg.R9, reg.R10
	sums, a := zmm[:16], zmm[16:24]
	Load(Param("x").Base(), x)
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), rows)
	SHRQ(Imm(3), rows)
	Load(Param("st").Base(), st)
	Load(Param("st").Len(), stride)
	SHRQ(Imm(2), stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	LEAQ(Mem{Base: st, Index: stride, Scale: 4}, st4)
	Label("rows")
	MOVQ(stride, left)
	SHRQ(Imm(1), left)
	zero(sums)
	entries := func(half bool) {
		VMOVDQU64(Mem{Base: x}, halved(a[0], half))
		VMOVDQU64(Mem{Base: x, Index: stride, Scale: 1}, halved(a[1], half))
		for k, from := range []Mem{
			{Base: st},
			{Base: st, Index: stride, Scale: 1},
			{Base: st, Index: stride, Scale: 2},
			{Base: st, Index: stride3, Scale: 1},
			{Base: st4},
			{Base: st4, Index: stride, Scale: 1},
			{Base: st4, Index: stride, Scale: 2},
			{Base: st4, Index: stride3, Scale: 1},
		} {
			t := a[2+k%4]
			VMOVDQU64(from, halved(t, half))
			VPDPWSSD(t, a[0], sums[k])
			VPDPWSSD(t, a[1], sums[8+k])
		}
	}
	Label("entries")
	entries(false)
	ADDQ(Imm(64), x)
	ADDQ(Imm(64), st)
	ADDQ(Imm(64), st4)
	SUBQ(Imm(32), left)
	CMPQ(left, Imm(32))
	JGE(LabelRef("entries"))
	TESTQ(left, left)
	JEQ(LabelRef("sum"))
	entries(true)
	ADDQ(Imm(32), x)
	ADDQ(Imm(32), st)
	ADDQ(Imm(32), st4)
	Label("sum")
	Comment("Back to the beginning of st; x is at the end of its first row.")
	SUBQ(stride, st)
	SUBQ(stride, st4)
	ADDQ(stride, x)
	sumDwords(sums, a, zmm[31])
	for i := range 2 {
		r := a[4+2*i]
		VEXTRACTI64X4(Imm(1), r, a[0].AsY())
		VPADDD(a[0].AsY(), r.AsY(), r.AsY())
		VEXTRACTI32X4(Imm(1), r.AsY(), a[0].AsX())
		VPADDD(a[0].AsX(), r.AsX(), r.AsX())
		h := a[5+2*i]
		VEXTRACTI64X4(Imm(1), h, a[1].AsY())
		VPADDD(a[1].AsY(), h.AsY(), h.AsY())
		VEXTRACTI32X4(Imm(1), h.AsY(), a[1].AsX())
		VPADDD(a[1].AsX(), h.AsX(), h.AsX())
		VPANDD(zmm[31].AsX(), r.AsX(), r.AsX())
		VPANDD(zmm[31].AsX(), h.AsX(), h.AsX())
		VPACKUSDW(h.AsX(), r.AsX(), r.AsX())
		VMOVDQU64(Mem{Base: out, Disp: 16 * i}, a[0].AsX())
		VPADDW(a[0].AsX(), r.AsX(), r.AsX())
		VMOVDQU64(r.AsX(), Mem{Base: out, Disp: 16 * i})
	}
	ADDQ(Imm(32), out)
	SUBQ(Imm(2), rows)
	JNE(LabelRef("rows"))
	zeroHigh()
	finish()
}

func mulSB() {
	function("MulSBAVX512", "(v *[64]uint16, p *Pairs, b []uint16)",
		"MulSBAVX512 adds S'B to v, 8 x 8; b is B, n x 8, and p has the pairs of S'.",
		"AX is B, BX the pairs, CX v, DX rows left. Y0 to Y7 are the sums for each row of S', Y8 to Y15 others for",
		"the odd entries, Y16 to Y19 temporary.")
	b, p, v, left := reg.RAX, reg.RBX, reg.RCX, reg.RDX
	y := make([]reg.VecPhysical, 20)
	for i := range y {
		y[i] = zmm[i].AsY().(reg.VecPhysical)
	}
	Load(Param("b").Base(), b)
	Load(Param("b").Len(), left)
	Load(Param("p"), p)
	Load(Param("v"), v)
	SHRQ(Imm(3), left)
	zero(y[:16])
	Label("rows")
	for i := range 2 {
		x, z := y[16].AsX(), y[17].AsX()
		VMOVDQU64(Mem{Base: b, Disp: 16 * i}, x)
		VMOVDQU64(Mem{Base: b, Disp: 16*i + 32}, z)
		VPUNPCKHWD(z, x, y[18].AsX())
		VPUNPCKLWD(z, x, x)
		VINSERTI32X4(Imm(1), y[18].AsX(), y[16], y[19])
		for k := range 8 {
			VPDPWSSD_BCST(Mem{Base: p, Disp: 4*i + 8*k}, y[19], y[8*i+k])
		}
	}
	ADDQ(Imm(64), b)
	ADDQ(Imm(64), p)
	SUBQ(Imm(4), left)
	JNE(LabelRef("rows"))
	VPTERNLOGD(Imm(0xff), zmm[31], zmm[31], zmm[31])
	VPSRLD(Imm(16), zmm[31], zmm[31])
	for k := range 8 {
		VPADDD(y[8+k], y[k], y[k])
		VPANDD(zmm[31].AsY(), y[k], y[k])
		VEXTRACTI32X4(Imm(1), y[k], y[16].AsX())
		VPACKUSDW(y[16].AsX(), y[k].AsX(), y[k].AsX())
		VMOVDQU64(Mem{Base: v, Disp: 16 * k}, y[17].AsX())
		VPADDW(y[17].AsX(), y[k].AsX(), y[k].AsX())
		VMOVDQU64(y[k].AsX(), Mem{Base: v, Disp: 16 * k})
	}
	zeroHigh()
	finish()
}

func sample() {
	function("SampleAVX512", "(s []uint16, cdf []uint16)",
		"SampleAVX512 turns random words into noise: the lowest bit is the sign, the absolute value how many",
		"entries of the distribution are below the other 15 bits. All are compared.",
		"AX is s, CX the words left, BX the distribution, DX how many entries it has, SI and DI which one.",
		"Z0 to Z3 words, Z4 to Z7 values, Z8 to Z11 the words without their signs, Z12 an entry, Z13 all ones,",
		"Z14 all words 1, Z15 zero, K1 words there are, K2 to K5 what is above.",
		"256 bytes take eight instructions for each entry, which is loaded once for all.")
	s, left, cdf, entries, at, i := reg.RAX, reg.RCX, reg.RBX, reg.RDX, reg.RSI, reg.RDI
	masks := []reg.OpmaskPhysical{reg.K2, reg.K3, reg.K4, reg.K5}
	entry, ones, one, z := zmm[12], zmm[13], zmm[14], zmm[15]
	Load(Param("s").Base(), s)
	Load(Param("s").Len(), left)
	Load(Param("cdf").Base(), cdf)
	Load(Param("cdf").Len(), entries)
	VPTERNLOGD(Imm(0xff), ones, ones, ones)
	VPSRLW(Imm(15), ones, one)
	VPXORD(z, z, z)
	part := func(name string, n int) {
		for j := range n {
			if n == 1 {
				VMOVDQU16_Z(Mem{Base: s}, reg.K1, zmm[0])
			} else {
				VMOVDQU64(Mem{Base: s, Disp: 64 * j}, zmm[j])
			}
			VPSRLW(Imm(1), zmm[j], zmm[8+j])
			VPXORD(zmm[4+j], zmm[4+j], zmm[4+j])
		}
		MOVQ(cdf, at)
		MOVQ(entries, i)
		Label(name)
		VPBROADCASTW(Mem{Base: at}, entry)
		for j := range n {
			VPCMPGTW(entry, zmm[8+j], masks[j])
		}
		for j := range n {
			VPSUBW(ones, zmm[4+j], masks[j], zmm[4+j])
		}
		ADDQ(Imm(2), at)
		DECQ(i)
		JNE(LabelRef(name))
		for j := range n {
			VPTESTMW(one, zmm[j], masks[j])
			VPSUBW(zmm[4+j], z, masks[j], zmm[4+j])
			if n == 1 {
				VMOVDQU16(zmm[4], reg.K1, Mem{Base: s})
			} else {
				VMOVDQU64(zmm[4+j], Mem{Base: s, Disp: 64 * j})
			}
		}
		ADDQ(U32(uint32(64*n)), s)
		SUBQ(U32(uint32(32*n)), left)
	}
	SUBQ(U32(128), left)
	JL(LabelRef("rest"))
	Label("four")
	part("entriesOfFour", 4)
	JGE(LabelRef("four"))
	Label("rest")
	ADDQ(U32(128), left)
	JEQ(LabelRef("done"))
	Label("words")
	MOVL(U32(0xffffffff), reg.R8L)
	CMPQ(left, Imm(32))
	JGE(LabelRef("mask"))
	MOVL(U32(1), reg.R9L)
	SHLXL(reg.ECX, reg.R9L, reg.R8L)
	DECL(reg.R8L)
	Label("mask")
	KMOVD(reg.R8L, reg.K1)
	part("entries", 1)
	JG(LabelRef("words"))
	Label("done")
	finish()
}
