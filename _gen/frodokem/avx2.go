package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var ymm = []reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

// wide is whether AES instructions take two blocks at a time (VAES).
var wide bool

// isa is the end of the names of functions.
func isa() string {
	if wide {
		return "VAES256"
	}
	return "AESNI"
}

// finish clears all registers, which hold secrets.
func finish() {
	VZEROALL()
	RET()
}

// states makes eight registers of A out of states after two rounds: eight AES
// blocks, or eight pairs of them.
func aesRounds(a []reg.VecPhysical, keys Mem) {
	for r := range 8 {
		for _, v := range a {
			switch {
			case wide && r < 7:
				VAESENC(keys.Offset(32*r), v, v)
			case wide:
				VAESENCLAST(keys.Offset(32*r), v, v)
			case r < 7:
				VAESENC(keys.Offset(32*r), v.AsX(), v.AsX())
			default:
				VAESENCLAST(keys.Offset(32*r), v.AsX(), v.AsX())
			}
		}
	}
}

// local is so much memory on the stack, at R13, which no register crosses a cache line
// of: those that do take twice as long.
func local(bytes int) Mem {
	LEAQ(AllocLocal(bytes+32).Offset(31), reg.R13)
	ANDQ(I8(-32), reg.R13)
	return Mem{Base: reg.R13}
}

// storeKeys puts two copies of each round key from the third on in memory.
func storeKeys(m reg.Register, keys Mem) {
	for r := range 8 {
		VBROADCASTI128(Mem{Base: m, Disp: keysAt + 16*(3+r)}, ymm[0])
		VMOVDQU(ymm[0], keys.Offset(32*r))
	}
}

// products adds to sums, of which there are two registers for each row of S',
// the products of rows of 16 columns with their pairs of S'. Registers t are
// temporary.
func products(rows, t []reg.VecPhysical, p reg.Register, at int, sums Mem) {
	for q := 0; q < len(rows); q += 2 {
		x, y := rows[q], rows[q+1]
		VPUNPCKLWD(y, x, t[0])
		VPUNPCKHWD(y, x, y)
		VMOVDQA(t[0], x)
	}
	for k := range 8 {
		low, high := t[2*(k%2)], t[2*(k%2)+1]
		pair, product := t[4], t[5]
		for q := 0; q < len(rows); q += 2 {
			VPBROADCASTD(Mem{Base: p, Disp: at + 16*q + 4*k}, pair)
			if q == 0 {
				VPMADDWD(rows[q], pair, low)
				VPMADDWD(rows[q+1], pair, high)
				continue
			}
			VPMADDWD(rows[q], pair, product)
			VPADDD(product, low, low)
			VPMADDWD(rows[q+1], pair, product)
			VPADDD(product, high, high)
		}
		VPADDD(sums.Offset(64*k), low, low)
		VPADDD(sums.Offset(64*k+32), high, high)
		VMOVDQU(low, sums.Offset(64*k))
		VMOVDQU(high, sums.Offset(64*k+32))
	}
}

func clearSums(sums Mem, z reg.VecPhysical) {
	VPXOR(z, z, z)
	for i := range 16 {
		VMOVDQU(z, sums.Offset(32*i))
	}
}

// storeSums adds the sums, mod 2^16, to 16 columns of out, and clears them.
func storeSums(sums Mem, out, stride reg.Register) {
	ones, z := ymm[0], ymm[1]
	VPCMPEQW(ones, ones, ones)
	VPSRLD(Imm(16), ones, ones)
	VPXOR(z, z, z)
	MOVQ(out, reg.R12)
	for k := range 8 {
		low, high := ymm[2+2*(k%2)], ymm[3+2*(k%2)]
		VPAND(sums.Offset(64*k), ones, low)
		VPAND(sums.Offset(64*k+32), ones, high)
		VPACKUSDW(high, low, low)
		VPADDW(Mem{Base: reg.R12}, low, low)
		VMOVDQU(low, Mem{Base: reg.R12})
		VMOVDQU(z, sums.Offset(64*k))
		VMOVDQU(z, sums.Offset(64*k+32))
		ADDQ(stride, reg.R12)
	}
}

func mulSA256() {
	rows := 4
	limit := "AES-NI makes four rows with 64 instructions, and 32 multiply them: 48 cycles on two units for 64 entries."
	if wide {
		rows = 8
		limit = "VAES makes eight rows with 64 instructions, and 64 multiply them: 64 cycles on two units for 128 entries."
	}
	function("MulSA"+isa(), "(out []uint16, m *Matrix, p *Pairs)",
		"MulSA"+isa()+" adds S'A to out, 8 x n: a stripe of 16 columns after the other.",
		"AX is m's X, BX the Y of the stripe, CX out, SI pairs of S', DI rows left times two, R8 columns left, R9",
		"the bytes in a row of out, R12 temporary. Y0 to Y7 are rows of A, Y8 to Y15 temporary. Stack: round keys,",
		"twice each; sums of 32 bits, of which each row of S' has two registers.",
		limit)
	x, y, out, p, left, columns, stride := reg.RAX, reg.RBX, reg.RCX, reg.RSI, reg.RDI, reg.R8, reg.R9
	Load(Param("m"), x)
	keys := local(8*32 + 16*32)
	sums := keys.Offset(8 * 32)
	storeKeys(x, keys)
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), columns)
	SHRQ(Imm(3), columns)
	LEAQ(Mem{Base: columns, Index: columns, Scale: 1}, stride)
	LEAQ(Mem{Base: x, Disp: yAt}, y)
	clearSums(sums, ymm[0])

	Label("stripe")
	Load(Param("m"), x)
	ADDQ(U32(xAt), x)
	Load(Param("p"), p)
	MOVQ(stride, left)
	Label("rows")
	a, t := ymm[:8], ymm[8:]
	if wide {
		VMOVDQU(Mem{Base: y}, t[0])
		for q, v := range a {
			VBROADCASTI128(Mem{Base: x, Disp: 16 * q}, v)
			VPXOR(t[0], v, v)
		}
	} else {
		VMOVDQU(Mem{Base: y}, t[0].AsX())
		VMOVDQU(Mem{Base: y, Disp: 16}, t[1].AsX())
		for q, v := range a {
			VPXOR(Mem{Base: x, Disp: 16 * (q / 2)}, t[q%2].AsX(), v.AsX())
		}
	}
	aesRounds(a, keys)
	if !wide {
		for q := range rows {
			VINSERTI128(Imm(1), a[2*q+1].AsX(), a[2*q], a[2*q])
		}
		a = []reg.VecPhysical{ymm[0], ymm[2], ymm[4], ymm[6]}
	}
	products(a, t, p, 0, sums)
	ADDQ(Imm(uint64(16*rows)), x)
	ADDQ(Imm(uint64(16*rows)), p)
	SUBQ(Imm(uint64(2*rows)), left)
	JNE(LabelRef("rows"))
	storeSums(sums, out, stride)
	ADDQ(Imm(32), out)
	ADDQ(Imm(32), y)
	SUBQ(Imm(16), columns)
	JNE(LabelRef("stripe"))
	finish()
}

// dot adds to sums, a register for each row of st, the products of some
// registers of 16 columns with the same columns of st. at is where these begin.
func dot(a, t []reg.VecPhysical, st, st4, stride, stride3 reg.Register, sums Mem) {
	for k := range 8 {
		from := Mem{Base: st}
		if k >= 4 {
			from.Base = st4
		}
		switch k % 4 {
		case 1:
			from.Index, from.Scale = stride, 1
		case 2:
			from.Index, from.Scale = stride, 2
		case 3:
			from.Index, from.Scale = stride3, 1
		}
		sum := t[k%2]
		for j, v := range a {
			if j == 0 {
				VPMADDWD(from, v, sum)
				continue
			}
			from.Disp += 32
			VPMADDWD(from, v, t[2+j%2])
			VPADDD(t[2+j%2], sum, sum)
		}
		VPADDD(sums.Offset(32*k), sum, sum)
		VMOVDQU(sum, sums.Offset(32*k))
	}
}

// storeDots adds the sums of the eight dwords of each of the sums, mod 2^16, to
// the eight words at out, and clears the sums.
func storeDots(sums Mem, out reg.Register) {
	for h := range 2 {
		for i := range 2 {
			VMOVDQU(sums.Offset(128*h+64*i), ymm[2*i])
			VPHADDD(sums.Offset(128*h+64*i+32), ymm[2*i], ymm[2*i])
		}
		r := ymm[4+h]
		VPHADDD(ymm[2], ymm[0], r)
		VEXTRACTI128(Imm(1), r, ymm[1].AsX())
		VPADDD(ymm[1].AsX(), r.AsX(), r.AsX())
	}
	VPCMPEQW(ymm[0].AsX(), ymm[0].AsX(), ymm[0].AsX())
	VPSRLD(Imm(16), ymm[0].AsX(), ymm[0].AsX())
	VPAND(ymm[0].AsX(), ymm[4].AsX(), ymm[4].AsX())
	VPAND(ymm[0].AsX(), ymm[5].AsX(), ymm[5].AsX())
	VPACKUSDW(ymm[5].AsX(), ymm[4].AsX(), ymm[4].AsX())
	VPADDW(Mem{Base: out}, ymm[4].AsX(), ymm[4].AsX())
	VMOVDQU(ymm[4].AsX(), Mem{Base: out})
	VPXOR(ymm[0], ymm[0], ymm[0])
	for k := range 8 {
		VMOVDQU(ymm[0], sums.Offset(32*k))
	}
}

func mulAS256() {
	chunks := 4 // registers of 16 columns at a time
	function("MulAS"+isa(), "(out []uint16, m *Matrix, st []uint16)",
		"MulAS"+isa()+" adds A S to out, n x 8; st is S^T, 8 x n. A row of A after the other, 64 columns at a",
		"time; those that are left, 16 at a time.",
		"AX is m's X of the row, BX Y, CX out, SI st, DI its fifth row, R8 rows left, R9 the bytes in a row of st,",
		"R10 three times that, R11 columns left times two. Y0 to Y7 are columns of A, Y8 to Y15 temporary. Stack:",
		"round keys, twice each; sums of 32 bits, a register for each column of S.")
	x, y, out, st, st4, rows, stride, stride3, left := reg.RAX, reg.RBX, reg.RCX, reg.RSI, reg.RDI, reg.R8, reg.R9, reg.R10, reg.R11
	Load(Param("m"), x)
	keys := local(8*32 + 8*32)
	sums := keys.Offset(8 * 32)
	storeKeys(x, keys)
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), rows)
	SHRQ(Imm(3), rows)
	LEAQ(Mem{Base: rows, Index: rows, Scale: 1}, stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	ADDQ(U32(xAt), x)
	clearSums8(sums, ymm[0])
	Label("row")
	Load(Param("m"), y)
	ADDQ(U32(yAt), y)
	Load(Param("st").Base(), st)
	LEAQ(Mem{Base: st, Index: stride, Scale: 4}, st4)
	MOVQ(stride, left)
	part := func(n int) {
		var a []reg.VecPhysical
		t := ymm[8:]
		if wide {
			a = ymm[:n]
			VBROADCASTI128(Mem{Base: x}, t[0])
			for j, v := range a {
				VPXOR(Mem{Base: y, Disp: 32 * j}, t[0], v)
			}
			aesRounds(a, keys)
		} else {
			a = ymm[:2*n]
			VMOVDQU(Mem{Base: x}, t[0].AsX())
			for j, v := range a {
				VPXOR(Mem{Base: y, Disp: 16 * j}, t[0].AsX(), v.AsX())
			}
			aesRounds(a, keys)
			var pairs []reg.VecPhysical
			for j := range n {
				VINSERTI128(Imm(1), a[2*j+1].AsX(), a[2*j], a[2*j])
				pairs = append(pairs, a[2*j])
			}
			a = pairs
		}
		dot(a, t, st, st4, stride, stride3, sums)
		ADDQ(Imm(uint64(32*n)), y)
		ADDQ(Imm(uint64(32*n)), st)
		ADDQ(Imm(uint64(32*n)), st4)
		SUBQ(Imm(uint64(32*n)), left)
	}
	Label("columns")
	part(chunks)
	CMPQ(left, Imm(uint64(32*chunks)))
	JGE(LabelRef("columns"))
	TESTQ(left, left)
	JEQ(LabelRef("sum"))
	Label("rest")
	part(1)
	JNE(LabelRef("rest"))
	Label("sum")
	storeDots(sums, out)
	ADDQ(Imm(16), out)
	ADDQ(Imm(16), x)
	DECQ(rows)
	JNE(LabelRef("row"))
	finish()
}

func clearSums8(sums Mem, z reg.VecPhysical) {
	VPXOR(z, z, z)
	for i := range 8 {
		VMOVDQU(z, sums.Offset(32*i))
	}
}

func dots256() {
	function("DotsAVX2", "(out []uint16, x []uint16, st []uint16)",
		"DotsAVX2 adds to out, r x 8, the products of the r rows of x with the eight rows of st; rows have n",
		"entries, a multiple of 16.",
		"AX is x, CX out, SI st, DI its fifth row, R8 rows left, R9 the bytes in a row, R10 three times that, R11",
		"bytes of the row left. Y0 to Y3 are entries of x, Y8 to Y15 temporary. Stack: sums of 32 bits.")
	x, out, st, st4, rows, stride, stride3, left := reg.RAX, reg.RCX, reg.RSI, reg.RDI, reg.R8, reg.R9, reg.R10, reg.R11
	sums := local(8 * 32)
	Load(Param("x").Base(), x)
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), rows)
	SHRQ(Imm(3), rows)
	Load(Param("st").Len(), stride)
	SHRQ(Imm(2), stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	clearSums8(sums, ymm[0])
	Label("row")
	Load(Param("st").Base(), st)
	LEAQ(Mem{Base: st, Index: stride, Scale: 4}, st4)
	MOVQ(stride, left)
	part := func(n int) {
		for j := range n {
			VMOVDQU(Mem{Base: x, Disp: 32 * j}, ymm[j])
		}
		dot(ymm[:n], ymm[8:], st, st4, stride, stride3, sums)
		ADDQ(Imm(uint64(32*n)), x)
		ADDQ(Imm(uint64(32*n)), st)
		ADDQ(Imm(uint64(32*n)), st4)
		SUBQ(Imm(uint64(32*n)), left)
	}
	Label("columns")
	part(4)
	CMPQ(left, Imm(128))
	JGE(LabelRef("columns"))
	TESTQ(left, left)
	JEQ(LabelRef("sum"))
	Label("rest")
	part(1)
	JNE(LabelRef("rest"))
	Label("sum")
	storeDots(sums, out)
	ADDQ(Imm(16), out)
	DECQ(rows)
	JNE(LabelRef("row"))
	finish()
}

func rowsSA256() {
	function("RowsSAAVX2", "(out []uint16, rows []uint16, p *Pairs, first int)",
		"RowsSAAVX2 adds to out, 8 x n, the products of eight rows of A, the first of which has that number,",
		"with S'.",
		"AX is the first row, DX the fifth, BX the pairs of S', CX out, R8 columns left, R9 the bytes in a row, R10",
		"three times that, R12 temporary. Y0 to Y7 are rows of A, Y8 to Y15 temporary. Stack: sums of 32 bits.")
	x, x4, p, out, columns, stride, stride3 := reg.RAX, reg.RDX, reg.RBX, reg.RCX, reg.R8, reg.R9, reg.R10
	sums := local(16 * 32)
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), columns)
	Load(Param("rows").Base(), x)
	Load(Param("p"), p)
	Load(Param("first"), reg.R12)
	SHLQ(Imm(4), reg.R12)
	ADDQ(reg.R12, p)
	SHRQ(Imm(3), columns)
	LEAQ(Mem{Base: columns, Index: columns, Scale: 1}, stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	LEAQ(Mem{Base: x, Index: stride, Scale: 4}, x4)
	clearSums(sums, ymm[0])
	Label("stripe")
	for q, v := range ymm[:8] {
		from := Mem{Base: x}
		if q >= 4 {
			from.Base = x4
		}
		switch q % 4 {
		case 1:
			from.Index, from.Scale = stride, 1
		case 2:
			from.Index, from.Scale = stride, 2
		case 3:
			from.Index, from.Scale = stride3, 1
		}
		VMOVDQU(from, v)
	}
	products(ymm[:8], ymm[8:], p, 0, sums)
	storeSums(sums, out, stride)
	ADDQ(Imm(32), out)
	ADDQ(Imm(32), x)
	ADDQ(Imm(32), x4)
	SUBQ(Imm(16), columns)
	JNE(LabelRef("stripe"))
	finish()
}

func mulSB256() {
	function("MulSBAVX2", "(v *[64]uint16, p *Pairs, b []uint16)",
		"MulSBAVX2 adds S'B to v, 8 x 8; b is B, n x 8, and p has the pairs of S'.",
		"AX is B, BX the pairs, CX v, DX rows left. Y0 to Y7 are the sums for each row of S', Y8 to Y13 temporary.")
	b, p, v, left := reg.RAX, reg.RBX, reg.RCX, reg.RDX
	Load(Param("b").Base(), b)
	Load(Param("b").Len(), left)
	Load(Param("p"), p)
	Load(Param("v"), v)
	SHRQ(Imm(3), left)
	for _, y := range ymm[:8] {
		VPXOR(y, y, y)
	}
	Label("rows")
	x, z := ymm[8].AsX(), ymm[9].AsX()
	VMOVDQU(Mem{Base: b}, x)
	VMOVDQU(Mem{Base: b, Disp: 16}, z)
	VPUNPCKHWD(z, x, ymm[10].AsX())
	VPUNPCKLWD(z, x, x)
	VINSERTI128(Imm(1), ymm[10].AsX(), ymm[8], ymm[11])
	for k := range 8 {
		t := ymm[12+k%4]
		VPBROADCASTD(Mem{Base: p, Disp: 4 * k}, t)
		VPMADDWD(t, ymm[11], t)
		VPADDD(t, ymm[k], ymm[k])
	}
	ADDQ(Imm(32), b)
	ADDQ(Imm(32), p)
	SUBQ(Imm(2), left)
	JNE(LabelRef("rows"))
	ones := ymm[15]
	VPCMPEQW(ones, ones, ones)
	VPSRLD(Imm(16), ones, ones)
	for k := range 8 {
		VPAND(ones, ymm[k], ymm[k])
		VEXTRACTI128(Imm(1), ymm[k], ymm[8].AsX())
		VPACKUSDW(ymm[8].AsX(), ymm[k].AsX(), ymm[k].AsX())
		VPADDW(Mem{Base: v, Disp: 16 * k}, ymm[k].AsX(), ymm[k].AsX())
		VMOVDQU(ymm[k].AsX(), Mem{Base: v, Disp: 16 * k})
	}
	finish()
}

func sample256() {
	function("SampleAVX2", "(s []uint16, cdf []uint16)",
		"SampleAVX2 turns random words into noise, as SampleAVX512 does; len(s) is a multiple of 16.",
		"AX is s, CX the words left, BX the distribution, DX how many entries it has, SI and DI which one. Y0",
		"words, Y1 minus the values, Y2 an entry, Y3 minus the sign, Y4 the values to compare.")
	s, left, cdf, entries, at, i := reg.RAX, reg.RCX, reg.RBX, reg.RDX, reg.RSI, reg.RDI
	Load(Param("s").Base(), s)
	Load(Param("s").Len(), left)
	Load(Param("cdf").Base(), cdf)
	Load(Param("cdf").Len(), entries)
	Label("words")
	VMOVDQU(Mem{Base: s}, ymm[0])
	VPSRLW(Imm(1), ymm[0], ymm[4])
	VPSLLW(Imm(15), ymm[0], ymm[3])
	VPSRAW(Imm(15), ymm[3], ymm[3])
	VPXOR(ymm[1], ymm[1], ymm[1])
	MOVQ(cdf, at)
	MOVQ(entries, i)
	Label("entries")
	VPBROADCASTW(Mem{Base: at}, ymm[2])
	VPCMPGTW(ymm[2], ymm[4], ymm[2])
	VPSUBW(ymm[2], ymm[1], ymm[1])
	ADDQ(Imm(2), at)
	DECQ(i)
	JNE(LabelRef("entries"))
	VPXOR(ymm[3], ymm[1], ymm[1])
	VPSUBW(ymm[3], ymm[1], ymm[1])
	VMOVDQU(ymm[1], Mem{Base: s})
	ADDQ(Imm(32), s)
	SUBQ(Imm(16), left)
	JNE(LabelRef("words"))
	finish()
}

func prepareAESNI() {
	function("PrepareAESNI", "(m *Matrix, n int)",
		"PrepareAESNI fills X and Y, as PrepareVAES512 does.",
		"AX is m, CX n, BX where to, DX the next block's first dword, SI what it grows by. X0 to X2 are round",
		"keys, X4 the state, X3 is X[0] or 0.")
	m, n, at, word, step := reg.RAX, reg.RCX, reg.RBX, reg.EDX, reg.ESI
	Load(Param("m"), m)
	Load(Param("n"), n)
	for i := range 3 {
		VMOVDQU(Mem{Base: m, Disp: keysAt + 16*i}, ymm[i].AsX())
	}
	VPXOR(reg.X3, reg.X3, reg.X3)
	LEAQ(Mem{Base: m, Disp: xAt}, at)
	XORL(word, word)
	MOVL(U32(1), step)
	for _, name := range []string{"x", "y"} {
		if name == "y" {
			VMOVDQU(Mem{Base: m, Disp: xAt}, reg.X3)
			LEAQ(Mem{Base: m, Disp: yAt}, at)
			Load(Param("n"), n)
			SHRQ(Imm(3), n)
			XORL(word, word)
			MOVL(U32(8<<16), step)
		}
		Label(name)
		VMOVD(word, reg.X4)
		VPXOR(reg.X0, reg.X4, reg.X4)
		VAESENC(reg.X1, reg.X4, reg.X4)
		VAESENC(reg.X2, reg.X4, reg.X4)
		VPXOR(reg.X3, reg.X4, reg.X4)
		VMOVDQU(reg.X4, Mem{Base: at})
		ADDQ(Imm(16), at)
		ADDL(step, word)
		DECQ(n)
		JNE(LabelRef(name))
	}
	VZEROUPPER()
	RET()
}

func rowsOfA256() {
	blocks, loads := 1, "one block"
	if wide {
		blocks, loads = 2, "two blocks"
	}
	function("Rows"+isa(), "(rows []uint16, m *Matrix, first, n int)",
		"Rows"+isa()+" makes eight rows of A, the first of which has that number, of n words each:",
		"eight rounds of AES of X[i] xor Y[j]. For batches: what it makes is multiplied by several S'.",
		"Each step has "+loads+" of every row in flight, so that the latency of AES is hidden.",
		"AX is m, BX the X of the first row, DX the next Y, DI and R9 where rows 0 and 4 go on, SI the size",
		"of a row in bytes, R8 three times that, CX the steps that are left; the first eight registers are states.")
	m, x, y, out, out4, stride, stride3, steps := reg.RAX, reg.RBX, reg.RDX, reg.RDI, reg.R9, reg.RSI, reg.R8, reg.RCX
	Load(Param("m"), m)
	keys := local(8 * 32)
	storeKeys(m, keys)
	Load(Param("first"), x)
	SHLQ(Imm(4), x)
	LEAQ(Mem{Base: m, Index: x, Scale: 1, Disp: xAt}, x)
	LEAQ(Mem{Base: m, Disp: yAt}, y)
	Load(Param("rows").Base(), out)
	Load(Param("n"), stride)
	MOVQ(stride, steps)
	SHRQ(Imm(uint64(2+blocks)), steps)
	ADDQ(stride, stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	LEAQ(Mem{Base: out, Index: stride, Scale: 4}, out4)
	Label("step")
	if wide {
		VMOVDQU(Mem{Base: y}, ymm[8])
	} else {
		VMOVDQU(Mem{Base: y}, ymm[8].AsX())
	}
	for r := range 8 {
		if wide {
			VBROADCASTI128(Mem{Base: x, Disp: 16 * r}, ymm[r])
			VPXOR(ymm[8], ymm[r], ymm[r])
		} else {
			VPXOR(Mem{Base: x, Disp: 16 * r}, ymm[8].AsX(), ymm[r].AsX())
		}
	}
	aesRounds(ymm[:8], keys)
	for r := range 8 {
		to := Mem{Base: out}
		if r >= 4 {
			to.Base = out4
		}
		switch r % 4 {
		case 1:
			to.Index, to.Scale = stride, 1
		case 2:
			to.Index, to.Scale = stride, 2
		case 3:
			to.Index, to.Scale = stride3, 1
		}
		if wide {
			VMOVDQU(ymm[r], to)
		} else {
			VMOVDQU(ymm[r].AsX(), to)
		}
	}
	ADDQ(Imm(uint64(16*blocks)), y)
	ADDQ(Imm(uint64(16*blocks)), out)
	ADDQ(Imm(uint64(16*blocks)), out4)
	DECQ(steps)
	JNE(LabelRef("step"))
	VZEROUPPER()
	RET()
}

func swap256() {
	function("SwapAVX2", "(out, in []byte)",
		"SwapAVX2 copies 16-bit words with their bytes swapped: packing and unpacking where q is 2^16.",
		"64 bytes a step, one shuffle for every 32. DI is out, SI in, CX the steps that are left, Y0 the shuffle.")
	out, in, n := reg.RDI, reg.RSI, reg.RCX
	Load(Param("out").Base(), out)
	Load(Param("in").Base(), in)
	Load(Param("in").Len(), n)
	SHRQ(Imm(6), n)
	order := GLOBL("swapOrder", attr.RODATA|attr.NOPTR)
	DATA(0, U64(0x0607040502030001))
	DATA(8, U64(0x0e0f0c0d0a0b0809))
	VBROADCASTI128(order, ymm[0])
	Label("step")
	for i := range 2 {
		VMOVDQU(Mem{Base: in, Disp: 32 * i}, ymm[1+i])
	}
	for i := range 2 {
		VPSHUFB(ymm[0], ymm[1+i], ymm[1+i])
	}
	for i := range 2 {
		VMOVDQU(ymm[1+i], Mem{Base: out, Disp: 32 * i})
	}
	ADDQ(Imm(64), in)
	ADDQ(Imm(64), out)
	DECQ(n)
	JNE(LabelRef("step"))
	finish()
}

// powers are a word 2^f(i) for each word of 16 bytes, and bytes those of a shuffle,
// twice.
func powers(name string, f func(i int) int) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range 8 {
		DATA(2*i, U16(1<<f(i)))
	}
	return m
}

func shuffle(name string, at func(half, i int) int) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range 32 {
		DATA(i, U8(at(i/16, i%16)))
	}
	return m
}

func pack15() {
	left, right := powers("pack15Left", func(i int) int { return i + 1 }), powers("pack15Right", func(i int) int { return i + 2 })
	swap := shuffle("pack15Swap", func(_, i int) int { return i ^ 1 })
	function("Pack15AVX2", "(out []byte, v []uint16)",
		"Pack15AVX2 packs the 15 lowest bits of every word, as a string of bits with the highest first: eight words",
		"are 15 bytes. len(v) is a multiple of 16 above 0.",
		"Words of 16 bits of this string begin with what word i has left, which is m[i] << (i+1), and end with the",
		"first bits of the next, m[i+1] >> (14-i): both are multiplications, whose lower or upper half is taken.",
		"DI is out, SI v, CX the words left. Y0 m, Y1 m of the next, Y2 and Y3 factors, Y4 the order of bytes, Y5",
		"the 15 bits.")
	out, in, n := reg.RDI, reg.RSI, reg.RCX
	Load(Param("out").Base(), out)
	Load(Param("v").Base(), in)
	Load(Param("v").Len(), n)
	VBROADCASTI128(left, ymm[2])
	VBROADCASTI128(right, ymm[3])
	VMOVDQU(swap, ymm[4])
	VPCMPEQW(ymm[5], ymm[5], ymm[5])
	VPSRLW(Imm(1), ymm[5], ymm[5])
	Label("words")
	VPAND(Mem{Base: in}, ymm[5], ymm[0])
	VPSRLDQ(Imm(2), ymm[0], ymm[1])
	VPMULLW(ymm[2], ymm[0], ymm[0])
	VPMULHUW(ymm[3], ymm[1], ymm[1])
	VPOR(ymm[1], ymm[0], ymm[0])
	VPSHUFB(ymm[4], ymm[0], ymm[0])
	Comment("The sixteenth byte is overwritten. Behind the second half may be no room for it.")
	VMOVDQU(ymm[0].AsX(), Mem{Base: out})
	VEXTRACTI128(Imm(1), ymm[0], ymm[1].AsX())
	VMOVQ(ymm[1].AsX(), Mem{Base: out, Disp: 15})
	VPSRLDQ(Imm(7), ymm[1].AsX(), ymm[1].AsX())
	VMOVQ(ymm[1].AsX(), Mem{Base: out, Disp: 22})
	ADDQ(Imm(32), in)
	ADDQ(Imm(30), out)
	SUBQ(Imm(16), n)
	JNE(LabelRef("words"))
	finish()
}

func unpack15() {
	factor := powers("unpack15Factor", func(i int) int { return 15 - i })
	swap := shuffle("unpack15Swap", func(half, i int) int {
		if half == 1 && i == 14 {
			return 0x80 // would be the byte behind, of which nothing is wanted
		}
		return (i ^ 1) + half
	})
	function("Unpack15AVX2", "(v []uint16, in []byte)",
		"Unpack15AVX2 is the inverse of Pack15AVX2.",
		"Word i has its first bits at the end of word i-1 of the string, and is (c[i-1] << (15-i) & 0x7fff) |",
		"c[i] >> (i+1); both are multiplications by 2^(15-i).",
		"DI is v, SI in, CX the words left. Y0 the words c, Y1 those before, Y2 factors, Y4 the order of bytes, Y5",
		"15 bits. The second half is loaded from a byte in front of it, so that no byte behind is read.")
	out, in, n := reg.RDI, reg.RSI, reg.RCX
	Load(Param("v").Base(), out)
	Load(Param("v").Len(), n)
	Load(Param("in").Base(), in)
	VBROADCASTI128(factor, ymm[2])
	VMOVDQU(swap, ymm[4])
	VPCMPEQW(ymm[5], ymm[5], ymm[5])
	VPSRLW(Imm(1), ymm[5], ymm[5])
	Label("words")
	VMOVDQU(Mem{Base: in}, ymm[0].AsX())
	VMOVDQU(Mem{Base: in, Disp: 14}, ymm[1].AsX()) // by itself: qemu's VINSERTI128 reads 32 bytes of memory
	VINSERTI128(Imm(1), ymm[1].AsX(), ymm[0], ymm[0])
	VPSHUFB(ymm[4], ymm[0], ymm[0])
	VPSLLDQ(Imm(2), ymm[0], ymm[1])
	VPMULLW(ymm[2], ymm[1], ymm[1])
	VPMULHUW(ymm[2], ymm[0], ymm[0])
	VPAND(ymm[5], ymm[1], ymm[1])
	VPOR(ymm[1], ymm[0], ymm[0])
	VMOVDQU(ymm[0], Mem{Base: out})
	ADDQ(Imm(30), in)
	ADDQ(Imm(32), out)
	SUBQ(Imm(16), n)
	JNE(LabelRef("words"))
	finish()
}

func difference() {
	function("DifferenceAVX2", "(x, y []uint16) (d uint64)",
		"DifferenceAVX2 returns the or of all x[i] ^ y[i], in each of its four words that of every fourth. All",
		"are looked at. The length is a multiple of 16 above 0.",
		"DI is x, SI y, CX the words left, Y0 the result, Y1 temporary.")
	x, y, n := reg.RDI, reg.RSI, reg.RCX
	Load(Param("x").Base(), x)
	Load(Param("x").Len(), n)
	Load(Param("y").Base(), y)
	VPXOR(ymm[0], ymm[0], ymm[0])
	Label("words")
	VMOVDQU(Mem{Base: x}, ymm[1])
	VPXOR(Mem{Base: y}, ymm[1], ymm[1])
	VPOR(ymm[1], ymm[0], ymm[0])
	ADDQ(Imm(32), x)
	ADDQ(Imm(32), y)
	SUBQ(Imm(16), n)
	JNE(LabelRef("words"))
	VEXTRACTI128(Imm(1), ymm[0], ymm[1].AsX())
	VPOR(ymm[1].AsX(), ymm[0].AsX(), ymm[0].AsX())
	VPSRLDQ(Imm(8), ymm[0].AsX(), ymm[1].AsX())
	VPOR(ymm[1].AsX(), ymm[0].AsX(), ymm[0].AsX())
	VMOVQ(ymm[0].AsX(), reg.RAX)
	Store(reg.RAX, ReturnIndex(0))
	finish()
}
