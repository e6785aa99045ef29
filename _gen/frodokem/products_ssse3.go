package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// This file multiplies, and samples, with registers of 128 bits and without VEX forms, for CPUs
// without AVX2. All products are modulo 2^16.
//
// PMULLW has the lower halves of eight products of words, and PADDW adds them: a load, a
// multiplication and an addition for eight terms. PMULLW overwrites an operand, so that without the
// load there would be a copy, for which old CPUs need a vector unit.
//
// S' on the left (8 x n), here S: eight columns of a row of A are multiplied by S[k][i], eight
// times, for each of the eight sums
//
//	sum[k][j] += S[k][i] A[i][j]
//
// PairsSSSE3 stores the columns of S, and AddRowsSSSE3 repeats the words of 16 of them eight
// times each, in a table of 2 KiB that all columns of A use. MulSBSSSE3 repeats them in registers.
//
// S on the right (n x 8), here S^T (8 x n): eight columns of a row of A are multiplied by the
// same columns of a row of S^T. PHADDW adds up the words of the sums at the end of the row.
//
//	sum[k] += A[i][j] S^T[k][j]
//
// The bound is the multiplier, of which Nehalem to Ivy Bridge have one: 8 n² cycles / 8. That is
// 410,000 for n = 640, where 51,200 blocks of AES take 0.4 to 0.8 million with AES-NI (1 or 2 cycles for an
// instruction) and about 4 million without.

var xmm = amd64.XMM

// finish128 clears the lower halves of all registers, because they hold secrets. A CPU with wider
// ones has nothing in the others.
func finish128() {
	for _, v := range xmm[:16] {
		PXOR(v, v)
	}
	RET()
}

// multiplyAdd adds the products of a with words in memory to sum.
func multiplyAdd(words Op, a, t, sum Vec) {
	MOVOU(words, t)
	PMULLW(a, t)
	PADDW(t, sum)
}

func pairs128() {
	k := amd64.Begin("PairsSSSE3", "(p *Pairs, s []uint16)",
		"PairsSSSE3 sets p to the columns of S, 8 x n, in 16 bytes each.")
	p := k.GP(reg.RAX, "p")
	left := k.GP(reg.RCX, "steps left, of eight columns")
	s := eightRows{
		first:   k.GP(reg.RBX, "S"),
		fifth:   k.GP(reg.RDI, "its fifth row"),
		stride:  k.GP(reg.RDX, "the bytes in a row"),
		stride3: k.GP(reg.RSI, "three times that"),
	}
	rows, spare := k.Vecs(xmm[:8], "eight words of each row, on the way to their transposition"), k.Vec(xmm[8], "temporary")
	k.Table("A transposition of 8 x 8 words at a time: of words, of dwords, of quadwords.")
	Load(Param("p"), p)
	Load(Param("s").Base(), s.first)
	Load(Param("s").Len(), s.stride)
	MOVQ(s.stride, left)
	SHRQ(Imm(6), left)
	SHRQ(Imm(2), s.stride)
	s.addresses()
	// interleave returns the lower and the upper half of a and b interleaved.
	interleave := func(low, high func(mx, x Op), a, b Vec) (Vec, Vec) {
		l := spare
		MOVO(a, l)
		low(b, l)
		high(b, a)
		spare = b
		return l, a
	}
	Label("columns")
	for i, v := range rows {
		MOVOU(s.row(i), v)
	}
	var two, four, columns [8]Vec // words of two rows, of four, and of all
	for i := 0; i < 8; i += 2 {
		two[i], two[i+1] = interleave(PUNPCKLWL, PUNPCKHWL, rows[i], rows[i+1])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			four[i+2*j], four[i+2*j+1] = interleave(PUNPCKLLQ, PUNPCKHLQ, two[i+j], two[i+j+2])
		}
	}
	for i := range 4 {
		columns[2*i], columns[2*i+1] = interleave(PUNPCKLQDQ, PUNPCKHQDQ, four[i], four[4+i])
	}
	for i, v := range columns {
		MOVOU(v, Mem{Base: p, Disp: 16 * i})
	}
	s.advance(16)
	SUBQ(I8(-128), p)
	DECQ(left)
	JNE(LabelRef("columns"))
	finish128()
}

// halves sets low and high to the first and the last four words of a column, each twice:
// PSHUFD repeats one of them eight times.
func halves(column Op, low, high Vec) {
	MOVOU(column, low)
	MOVO(low, high)
	PUNPCKLWL(low, low)
	PUNPCKHWL(high, high)
}

// repeat sets v to word k of a column.
func repeat(k int, low, high, v Vec) {
	half := low
	if k >= 4 {
		half = high
	}
	PSHUFD(Imm(uint64(0x55*(k%4))), half, v)
}

func rowsSA128() {
	const size = 16 * 8 * 16 // of the table
	f := amd64.Begin("AddRowsSSSE3", "(out []uint16, rows []uint16, p *Pairs, first int)",
		"AddRowsSSSE3 adds to out, 8 x n, the products of 16 rows of A, the first of which has that number,",
		"with S'.")
	Attributes(0) // not NOSPLIT: it needs more of the stack than such functions may
	rows := f.GP(reg.RAX, "the first row of A")
	row := f.GP(reg.RBX, "the next four rows; before that, the next column of S'")
	at := f.GP(reg.RSI, "where they are in the table")
	left := f.GP(reg.RCX, "columns left, times two; first, then columns of S' left before that")
	end := f.GP(reg.R8, "the end of the table")
	out := eightRows{
		first:   f.GP(reg.RDX, "where the columns are in out"),
		fifth:   f.GP(reg.RDI, "and in its fifth row"),
		stride:  f.GP(reg.R9, "the bytes in a row"),
		stride3: f.GP(reg.R10, "three times that"),
	}
	table := alignedLocal(f, size, "table: each word of 16 columns of S' eight times")
	sums := f.Vecs(xmm[:8], "sums")
	a := f.Vecs(xmm[8:10], "rows of A, and columns of S' before that")
	t := f.Vecs(xmm[10:16], "products")
	f.Table("For eight columns of a row: eight multiplications, which are the bound, and 17 other operations.")
	table.align()
	Load(Param("p"), row)
	Load(Param("first"), left)
	SHLQ(Imm(4), left)
	ADDQ(left, row)
	MOVQ(table.Base, at)
	MOVL(U32(16), left.As32())
	Label("repeat")
	halves(Mem{Base: row}, a[0], a[1])
	for k := range 8 {
		repeat(k, a[0], a[1], sums[k])
		MOVO(sums[k], Mem{Base: at, Disp: 16 * k})
	}
	ADDQ(Imm(16), row)
	SUBQ(I8(-128), at)
	DECQ(left)
	JNE(LabelRef("repeat"))
	MOVQ(at, end)

	Load(Param("out").Base(), out.first)
	Load(Param("out").Len(), out.stride)
	SHRQ(Imm(2), out.stride)
	MOVQ(out.stride, left)
	out.addresses()
	Load(Param("rows").Base(), rows)
	Label("columns")
	for k, v := range sums {
		MOVOU(out.row(k), v)
	}
	MOVQ(rows, row)
	MOVQ(table.Base, at)
	Label("rows")
	four := eightRows{first: row, stride: out.stride, stride3: out.stride3}
	for i := range 4 {
		v := a[i%2]
		MOVOU(four.row(i), v)
		for k := range 8 {
			multiplyAdd(Mem{Base: at, Disp: 128*i + 16*k}, v, t[(8*i+k)%len(t)], sums[k])
		}
	}
	LEAQ(Mem{Base: row, Index: out.stride, Scale: 4}, row)
	ADDQ(U32(4*128), at)
	CMPQ(at, end)
	JNE(LabelRef("rows"))
	for k, v := range sums {
		MOVOU(v, out.row(k))
	}
	ADDQ(Imm(16), rows)
	out.advance(16)
	SUBQ(Imm(16), left)
	JNE(LabelRef("columns"))
	Comment("The table is secret.")
	PXOR(sums[0], sums[0])
	Label("clear")
	for i := range 8 {
		MOVO(sums[0], Mem{Base: at, Disp: -128 + 16*i})
	}
	ADDQ(I8(-128), at)
	CMPQ(at, table.Base)
	JNE(LabelRef("clear"))
	finish128()
}

func dots128() {
	f := amd64.Begin("DotsSSSE3", "(out []uint16, x []uint16, st []uint16)",
		"DotsSSSE3 adds to out, r x 8, the products of the r rows of x with the eight rows of st; rows have n",
		"entries, a multiple of 8.")
	x := f.GP(reg.RAX, "x")
	out := f.GP(reg.RCX, "out of the row")
	st := eightRows{
		first:   f.GP(reg.RSI, "the next columns of st"),
		fifth:   f.GP(reg.RDI, "those of its fifth row"),
		stride:  f.GP(reg.R9, "the bytes in a row"),
		stride3: f.GP(reg.R10, "three times that"),
	}
	rows := f.GP(reg.R8, "rows left")
	left := f.GP(reg.R11, "bytes of the row left")
	sums := f.Vecs(xmm[:8], "sums")
	columns := f.Vec(xmm[8], "columns of x")
	t := f.Vecs(xmm[9:16], "products")
	f.Table()
	Load(Param("x").Base(), x)
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), rows)
	SHRQ(Imm(3), rows)
	Load(Param("st").Len(), st.stride)
	SHRQ(Imm(2), st.stride)
	Label("row")
	Load(Param("st").Base(), st.first)
	st.addresses()
	MOVQ(st.stride, left)
	for _, v := range sums {
		PXOR(v, v)
	}
	Label("columns")
	MOVOU(Mem{Base: x}, columns)
	for k, sum := range sums {
		multiplyAdd(st.row(k), columns, t[k%len(t)], sum)
	}
	ADDQ(Imm(16), x)
	st.advance(16)
	SUBQ(Imm(16), left)
	JNE(LabelRef("columns"))
	for distance := 1; distance < 8; distance *= 2 {
		for i := 0; i < 8; i += 2 * distance {
			PHADDW(sums[i+distance], sums[i])
		}
	}
	MOVOU(Mem{Base: out}, columns)
	PADDW(sums[0], columns)
	MOVOU(columns, Mem{Base: out})
	ADDQ(Imm(16), out)
	DECQ(rows)
	JNE(LabelRef("row"))
	finish128()
}

func mulSB128() {
	f := amd64.Begin("MulSBSSSE3", "(v *[64]uint16, p *Pairs, b []uint16)",
		"MulSBSSSE3 adds S'B to v, 8 x 8; b is B, n x 8, and p has the columns of S'.")
	b := f.GP(reg.RAX, "the next row of B")
	columns := f.GP(reg.RBX, "the column of S' for it")
	v := f.GP(reg.RCX, "v")
	left := f.GP(reg.RDX, "rows left, times eight")
	sums := f.Vecs(xmm[:8], "the rows of v")
	low, high := f.Vec(xmm[8], "the first four words of the column, twice"), f.Vec(xmm[9], "the others")
	row := f.Vec(xmm[10], "the row of B")
	t := f.Vecs(xmm[11:16], "products")
	f.Table()
	Load(Param("b").Base(), b)
	Load(Param("b").Len(), left)
	Load(Param("p"), columns)
	Load(Param("v"), v)
	for k, sum := range sums {
		MOVOU(Mem{Base: v, Disp: 16 * k}, sum)
	}
	Label("rows")
	halves(Mem{Base: columns}, low, high)
	MOVOU(Mem{Base: b}, row)
	for k, sum := range sums {
		t := t[k%len(t)]
		repeat(k, low, high, t)
		PMULLW(row, t)
		PADDW(t, sum)
	}
	ADDQ(Imm(16), columns)
	ADDQ(Imm(16), b)
	SUBQ(Imm(8), left)
	JNE(LabelRef("rows"))
	for k, sum := range sums {
		MOVOU(sum, Mem{Base: v, Disp: 16 * k})
	}
	finish128()
}
