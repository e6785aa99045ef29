package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// This file multiplies with AVX2. All products are modulo 2^16.
//
// VPMADDWD multiplies words and adds the two products in each dword, so that one
// instruction takes two terms of eight sums. Sums are modulo 2^32, and their lower halves
// are the result.
//
// S' on the left (8 x n), here S: rows i and i+1 of A are interleaved, so that a dword has
// A[i][j] and A[i+1][j], and multiplied by the dword S[k][i] | S[k][i+1] << 16, which
// PairsAVX2 has stored and VPBROADCASTD loads:
//
//	sum[k][j] += S[k][i] A[i][j] + S[k][i+1] A[i+1][j]
//
// A stripe of 16 columns needs two registers of sums for each of the eight rows of S': low,
// of columns 0-3 and 8-11, and high, of columns 4-7 and 12-15, as VPUNPCK[LH]WD interleave.
// That is all 16 registers, so sums are in memory and are added to once for 4 or 8 rows.
//
// S on the right (n x 8), here S^T (8 x n): a row of A is multiplied by the same columns of
// a row of S^T, and the eight dwords of each of the eight sums are added up at the end:
//
//	sum[k] += A[i][j] S^T[k][j] + A[i][j+1] S^T[k][j+1]
//
// A is made by matrix.go (MulSA, MulAS) or read from memory (RowsSA, Dots).

func pairs256() {
	k := amd64.Begin("PairsAVX2", "(p *Pairs, s []uint16)",
		"PairsAVX2 makes the words p[i][k] = S[k][2i] | S[k][2i+1] << 16 of a matrix S of 8 x n entries.")
	p := k.GP(reg.RAX, "p")
	left := k.GP(reg.RCX, "pairs of a row left")
	s := eightRows{
		first:   k.GP(reg.RBX, "S"),
		fifth:   k.GP(reg.RDI, "its fifth row"),
		stride:  k.GP(reg.RDX, "the bytes in a row"),
		stride3: k.GP(reg.RSI, "three times that"),
	}
	rows, other := k.Vecs(ymm[:8], "eight pairs of each row"), k.Vecs(ymm[8:16], "the same on the way to their transposition")
	k.Table("A transposition of 8 x 8 dwords at a time: of dwords, of quadwords, of halves.")
	Load(Param("p"), p)
	Load(Param("s").Base(), s.first)
	Load(Param("s").Len(), left)
	SHRQ(Imm(4), left)
	MOVQ(left, s.stride)
	SHLQ(Imm(2), s.stride)
	s.addresses()
	Label("pairs")
	for i, v := range rows {
		VMOVDQU(s.row(i), v)
	}
	for i := 0; i < 8; i += 2 {
		VPUNPCKLDQ(rows[i+1], rows[i], other[i])
		VPUNPCKHDQ(rows[i+1], rows[i], other[i+1])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			VPUNPCKLQDQ(other[i+j+2], other[i+j], rows[i+2*j])
			VPUNPCKHQDQ(other[i+j+2], other[i+j], rows[i+2*j+1])
		}
	}
	for i := range 4 {
		VPERM2I128(Imm(0x20), rows[4+i], rows[i], other[i])
		VPERM2I128(Imm(0x31), rows[4+i], rows[i], other[4+i])
	}
	for i, v := range other {
		VMOVDQU(v, Mem{Base: p, Disp: 32 * i})
	}
	s.advance(32)
	ADDQ(U32(256), p)
	SUBQ(Imm(8), left)
	JNE(LabelRef("pairs"))
	Comment("S is secret.")
	finish()
}

// leftSums is the size of the sums of a stripe with S' on the left: those of row k of S'
// are at 64k (low) and 64k + 32 (high).
const leftSums = 8 * 2 * 32

// clearSums sets so many bytes of sums to zero, and z.
func clearSums(sums Mem, size int, z Vec) {
	VPXOR(z, z, z)
	for at := 0; at < size; at += 32 {
		VMOVDQU(z, sums.Offset(at))
	}
}

// multiplyRows adds to the sums of a stripe the products of an even number of rows of A.
// pairs is where the pairs of S' for these rows are; registers t are temporary.
func multiplyRows(rows, t []Vec, pairs reg.Register, sums Mem) {
	for i := 0; i < len(rows); i += 2 {
		VPUNPCKLWD(rows[i+1], rows[i], t[0])
		VPUNPCKHWD(rows[i+1], rows[i], rows[i+1])
		VMOVDQA(t[0], rows[i])
	}
	for k := range 8 {
		low, high := t[2*(k%2)], t[2*(k%2)+1] // in turns, so that one row of S' does not wait for another
		pair, product := t[4], t[5]
		for i := 0; i < len(rows); i += 2 {
			VPBROADCASTD(Mem{Base: pairs, Disp: 16*i + 4*k}, pair)
			if i == 0 {
				VPMADDWD(rows[i], pair, low)
				VPMADDWD(rows[i+1], pair, high)
				continue
			}
			VPMADDWD(rows[i], pair, product)
			VPADDD(product, low, low)
			VPMADDWD(rows[i+1], pair, product)
			VPADDD(product, high, high)
		}
		VPADDD(sums.Offset(64*k), low, low)
		VPADDD(sums.Offset(64*k+32), high, high)
		VMOVDQU(low, sums.Offset(64*k))
		VMOVDQU(high, sums.Offset(64*k+32))
	}
}

// storeStripe adds the sums to 16 columns of the eight rows of out, and clears them.
func storeStripe(sums Mem, out, stride, at reg.Register) {
	mask, z := ymm[0], ymm[1]
	lowWords(mask)
	VPXOR(z, z, z)
	MOVQ(out, at)
	for k := range 8 {
		low, high := ymm[2+2*(k%2)], ymm[3+2*(k%2)]
		VPAND(sums.Offset(64*k), mask, low)
		VPAND(sums.Offset(64*k+32), mask, high)
		VPACKUSDW(high, low, low)
		VPADDW(Mem{Base: at}, low, low)
		VMOVDQU(low, Mem{Base: at})
		VMOVDQU(z, sums.Offset(64*k))
		VMOVDQU(z, sums.Offset(64*k+32))
		ADDQ(stride, at)
	}
}

// lowWords sets a register to dwords 0xffff.
func lowWords(v Vec) {
	VPCMPEQW(v, v, v)
	VPSRLD(Imm(16), v, v)
}

func mulSA256(u aesUnit) {
	rows := 4 * u.blocks // of which eight registers have 16 columns
	limit := "AES-NI makes four rows with 64 instructions, and 32 multiply them: 48 cycles on two units for 64 entries."
	if u == vaes256 {
		limit = "VAES makes eight rows with 64 instructions, and 64 multiply them: 64 cycles on two units for 128 entries."
	}
	f := amd64.Begin("MulSA"+u.products, "(out []uint16, m *Matrix, p *Pairs)",
		"MulSA"+u.products+" adds S'A to out, 8 x n: a stripe of 16 columns after the other.")
	Attributes(0) // not NOSPLIT: it needs more of the stack than such functions may
	x := f.GP(reg.RAX, "m's X of the next rows")
	y := f.GP(reg.RBX, "Y of the stripe")
	out := f.GP(reg.RCX, "where the stripe is in out")
	pairs := f.GP(reg.RSI, "pairs of S' for the next rows")
	left := f.GP(reg.RDI, "rows left, times two")
	columns := f.GP(reg.R8, "columns left")
	stride := f.GP(reg.R9, "the bytes in a row of out")
	at := f.GP(reg.R12, "temporary")
	keys := alignedLocal(f, keysSize+leftSums, "round keys, each twice; then the sums")
	a := f.Vecs(ymm[:8], "rows of A")
	t := f.Vecs(ymm[8:16], "temporary")
	f.Table(limit)
	sums := keys.Offset(keysSize)
	Load(Param("m"), x)
	keys.align()
	storeKeys(x, keys.Mem, ymm[0])
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), columns)
	SHRQ(Imm(3), columns)
	LEAQ(Mem{Base: columns, Index: columns, Scale: 1}, stride)
	LEAQ(Mem{Base: x, Disp: yAt}, y)
	clearSums(sums, leftSums, ymm[0])

	Label("stripe")
	Load(Param("m"), x)
	ADDQ(U32(xAt), x)
	Load(Param("p"), pairs)
	MOVQ(stride, left)
	Label("rows")
	if u == vaes256 {
		VMOVDQU(Mem{Base: y}, t[0])
		for i, v := range a {
			VBROADCASTI128(Mem{Base: x, Disp: 16 * i}, v)
			VPXOR(t[0], v, v)
		}
	} else {
		VMOVDQU(Mem{Base: y}, amd64.X(t[0]))
		VMOVDQU(Mem{Base: y, Disp: 16}, amd64.X(t[1]))
		for i, v := range a {
			VPXOR(Mem{Base: x, Disp: 16 * (i / 2)}, amd64.X(t[i%2]), amd64.X(v))
		}
	}
	u.rounds(a, keys.Mem)
	multiplyRows(u.joined(a), t, pairs, sums)
	ADDQ(Imm(uint64(16*rows)), x)
	ADDQ(Imm(uint64(16*rows)), pairs)
	SUBQ(Imm(uint64(2*rows)), left)
	JNE(LabelRef("rows"))
	storeStripe(sums, out, stride, at)
	ADDQ(Imm(32), out)
	ADDQ(Imm(32), y)
	SUBQ(Imm(16), columns)
	JNE(LabelRef("stripe"))
	finish()
}

func rowsSA256() {
	f := amd64.Begin("AddEightRowsAVX2", "(out []uint16, rows []uint16, p *Pairs, first int)",
		"AddEightRowsAVX2 adds to out, 8 x n, the products of eight rows of A, the first of which has that number,",
		"with S'.")
	rows := eightRows{
		first:   f.GP(reg.RAX, "the first row of A"),
		fifth:   f.GP(reg.RDX, "the fifth row"),
		stride:  f.GP(reg.R9, "the bytes in a row"),
		stride3: f.GP(reg.R10, "three times that"),
	}
	pairs := f.GP(reg.RBX, "the pairs of S' for these rows")
	out := f.GP(reg.RCX, "where the stripe is in out")
	columns := f.GP(reg.R8, "columns left")
	at := f.GP(reg.R12, "first, then temporary")
	sums := alignedLocal(f, leftSums, "sums")
	a := f.Vecs(ymm[:8], "rows of A")
	t := f.Vecs(ymm[8:16], "temporary")
	f.Table()
	sums.align()
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), columns)
	Load(Param("rows").Base(), rows.first)
	Load(Param("p"), pairs)
	Load(Param("first"), at)
	SHLQ(Imm(4), at)
	ADDQ(at, pairs)
	SHRQ(Imm(3), columns)
	LEAQ(Mem{Base: columns, Index: columns, Scale: 1}, rows.stride)
	rows.addresses()
	clearSums(sums.Mem, leftSums, ymm[0])
	Label("stripe")
	for i, v := range a {
		VMOVDQU(rows.row(i), v)
	}
	multiplyRows(a, t, pairs, sums.Mem)
	storeStripe(sums.Mem, out, rows.stride, at)
	ADDQ(Imm(32), out)
	rows.advance(32)
	SUBQ(Imm(16), columns)
	JNE(LabelRef("stripe"))
	finish()
}

// rightSums is the size of the sums with S on the right: that of row k of S^T is at 32k.
const rightSums = 8 * 32

// multiplyColumns adds to the sums the products of registers of 16 columns of a row with
// the same columns of S^T, which begin at st.
func multiplyColumns(a, t []Vec, st eightRows, sums Mem) {
	for k := range 8 {
		sum := t[k%2]
		for j, v := range a {
			from := st.row(k)
			from.Disp = 32 * j
			if j == 0 {
				VPMADDWD(from, v, sum)
				continue
			}
			VPMADDWD(from, v, t[2+j%2])
			VPADDD(t[2+j%2], sum, sum)
		}
		VPADDD(sums.Offset(32*k), sum, sum)
		VMOVDQU(sum, sums.Offset(32*k))
	}
}

// storeRow adds the dwords of each of the eight sums up, adds them to the eight words at
// out, and clears the sums.
func storeRow(sums Mem, out reg.Register) {
	for h := range 2 { // rows 4h to 4h+3 of S^T
		for i := range 2 {
			VMOVDQU(sums.Offset(128*h+64*i), ymm[2*i])
			VPHADDD(sums.Offset(128*h+64*i+32), ymm[2*i], ymm[2*i])
		}
		four := ymm[4+h]
		VPHADDD(ymm[2], ymm[0], four)
		VEXTRACTI128(Imm(1), four, amd64.X(ymm[1]))
		VPADDD(amd64.X(ymm[1]), amd64.X(four), amd64.X(four))
	}
	mask, first, second := amd64.X(ymm[0]), amd64.X(ymm[4]), amd64.X(ymm[5])
	lowWords(mask)
	VPAND(mask, first, first)
	VPAND(mask, second, second)
	VPACKUSDW(second, first, first)
	VPADDW(Mem{Base: out}, first, first)
	VMOVDQU(first, Mem{Base: out})
	clearSums(sums, rightSums, ymm[0])
}

// columnsLoop calls part for 64 columns at a time, and then for 16 at a time, for a row of
// as many bytes as left has.
func columnsLoop(left reg.Register, part func(registers int)) {
	Label("columns")
	part(4)
	CMPQ(left, Imm(4*32))
	JGE(LabelRef("columns"))
	TESTQ(left, left)
	JEQ(LabelRef("sum"))
	Label("rest")
	part(1)
	JNE(LabelRef("rest"))
	Label("sum")
}

func mulAS256(u aesUnit) {
	f := amd64.Begin("MulAS"+u.products, "(out []uint16, m *Matrix, st []uint16)",
		"MulAS"+u.products+" adds A S to out, n x 8; st is S^T, 8 x n. A row of A after the other, 64 columns at a",
		"time; those that are left, 16 at a time.")
	x := f.GP(reg.RAX, "m's X of the row")
	y := f.GP(reg.RBX, "Y of the next columns")
	out := f.GP(reg.RCX, "out of the row")
	st := eightRows{
		first:   f.GP(reg.RSI, "S^T"),
		fifth:   f.GP(reg.RDI, "its fifth row"),
		stride:  f.GP(reg.R9, "the bytes in a row of it"),
		stride3: f.GP(reg.R10, "three times that"),
	}
	rows := f.GP(reg.R8, "rows left")
	left := f.GP(reg.R11, "columns left, times two")
	keys := alignedLocal(f, keysSize+rightSums, "round keys, each twice; then the sums")
	columns := f.Vecs(ymm[:8], "columns of the row of A")
	t := f.Vecs(ymm[8:16], "temporary")
	f.Table()
	sums := keys.Offset(keysSize)
	Load(Param("m"), x)
	keys.align()
	storeKeys(x, keys.Mem, ymm[0])
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), rows)
	SHRQ(Imm(3), rows)
	LEAQ(Mem{Base: rows, Index: rows, Scale: 1}, st.stride)
	LEAQ(Mem{Base: st.stride, Index: st.stride, Scale: 2}, st.stride3)
	ADDQ(U32(xAt), x)
	clearSums(sums, rightSums, ymm[0])
	Label("row")
	Load(Param("m"), y)
	ADDQ(U32(yAt), y)
	Load(Param("st").Base(), st.first)
	LEAQ(Mem{Base: st.first, Index: st.stride, Scale: 4}, st.fifth)
	MOVQ(st.stride, left)
	columnsLoop(left, func(registers int) {
		a := columns[:2*registers/u.blocks]
		if u == vaes256 {
			VBROADCASTI128(Mem{Base: x}, t[0])
		} else {
			VMOVDQU(Mem{Base: x}, amd64.X(t[0]))
		}
		for j, v := range a {
			VPXOR(Mem{Base: y, Disp: 16 * u.blocks * j}, u.part(t[0]), u.part(v))
		}
		u.rounds(a, keys.Mem)
		multiplyColumns(u.joined(a), t, st, sums)
		ADDQ(Imm(uint64(32*registers)), y)
		st.advance(32 * registers)
		SUBQ(Imm(uint64(32*registers)), left)
	})
	storeRow(sums, out)
	ADDQ(Imm(16), out)
	ADDQ(Imm(16), x)
	DECQ(rows)
	JNE(LabelRef("row"))
	finish()
}

func dots256() {
	f := amd64.Begin("DotsAVX2", "(out []uint16, x []uint16, st []uint16)",
		"DotsAVX2 adds to out, r x 8, the products of the r rows of x with the eight rows of st; rows have n",
		"entries, a multiple of 16.")
	x := f.GP(reg.RAX, "x")
	out := f.GP(reg.RCX, "out of the row")
	st := eightRows{
		first:   f.GP(reg.RSI, "st"),
		fifth:   f.GP(reg.RDI, "its fifth row"),
		stride:  f.GP(reg.R9, "the bytes in a row"),
		stride3: f.GP(reg.R10, "three times that"),
	}
	rows := f.GP(reg.R8, "rows left")
	left := f.GP(reg.R11, "bytes of the row left")
	sums := alignedLocal(f, rightSums, "sums")
	columns := f.Vecs(ymm[:4], "entries of x")
	t := f.Vecs(ymm[8:16], "temporary")
	f.Table()
	sums.align()
	Load(Param("x").Base(), x)
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), rows)
	SHRQ(Imm(3), rows)
	Load(Param("st").Len(), st.stride)
	SHRQ(Imm(2), st.stride)
	LEAQ(Mem{Base: st.stride, Index: st.stride, Scale: 2}, st.stride3)
	clearSums(sums.Mem, rightSums, ymm[0])
	Label("row")
	Load(Param("st").Base(), st.first)
	LEAQ(Mem{Base: st.first, Index: st.stride, Scale: 4}, st.fifth)
	MOVQ(st.stride, left)
	columnsLoop(left, func(registers int) {
		a := columns[:registers]
		for j, v := range a {
			VMOVDQU(Mem{Base: x, Disp: 32 * j}, v)
		}
		multiplyColumns(a, t, st, sums.Mem)
		ADDQ(Imm(uint64(32*registers)), x)
		st.advance(32 * registers)
		SUBQ(Imm(uint64(32*registers)), left)
	})
	storeRow(sums.Mem, out)
	ADDQ(Imm(16), out)
	DECQ(rows)
	JNE(LabelRef("row"))
	finish()
}

func mulSB256() {
	f := amd64.Begin("MulSBAVX2", "(v *[64]uint16, p *Pairs, b []uint16)",
		"MulSBAVX2 adds S'B to v, 8 x 8; b is B, n x 8, and p has the pairs of S'.")
	b := f.GP(reg.RAX, "the next rows of B")
	pairs := f.GP(reg.RBX, "the pairs of S' for them")
	v := f.GP(reg.RCX, "v")
	left := f.GP(reg.RDX, "rows left")
	sums := f.Vecs(ymm[:8], "the sums of each row of S'")
	row, next := f.Vec(ymm[8], "a row of B"), f.Vec(ymm[9], "the next one")
	high := f.Vec(ymm[10], "columns 4-7 of both")
	both := f.Vec(ymm[11], "both, interleaved")
	products := f.Vecs(ymm[12:16], "pairs of S' and their products")
	f.Table()
	Load(Param("b").Base(), b)
	Load(Param("b").Len(), left)
	Load(Param("p"), pairs)
	Load(Param("v"), v)
	SHRQ(Imm(3), left)
	for _, y := range sums {
		VPXOR(y, y, y)
	}
	Label("rows")
	VMOVDQU(Mem{Base: b}, amd64.X(row))
	VMOVDQU(Mem{Base: b, Disp: 16}, amd64.X(next))
	VPUNPCKHWD(amd64.X(next), amd64.X(row), amd64.X(high))
	VPUNPCKLWD(amd64.X(next), amd64.X(row), amd64.X(row))
	VINSERTI128(Imm(1), amd64.X(high), row, both)
	for k, sum := range sums {
		t := products[k%4]
		VPBROADCASTD(Mem{Base: pairs, Disp: 4 * k}, t)
		VPMADDWD(t, both, t)
		VPADDD(t, sum, sum)
	}
	ADDQ(Imm(32), b)
	ADDQ(Imm(32), pairs)
	SUBQ(Imm(2), left)
	JNE(LabelRef("rows"))
	mask, t := ymm[15], amd64.X(ymm[8])
	lowWords(mask)
	for k, sum := range sums {
		VPAND(mask, sum, sum)
		VEXTRACTI128(Imm(1), sum, t)
		VPACKUSDW(t, amd64.X(sum), amd64.X(sum))
		VPADDW(Mem{Base: v, Disp: 16 * k}, amd64.X(sum), amd64.X(sum))
		VMOVDQU(amd64.X(sum), Mem{Base: v, Disp: 16 * k})
	}
	finish()
}
