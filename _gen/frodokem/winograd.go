package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// This file multiplies by A with AVX-512, by Winograd's formula: S. Winograd, "A new
// algorithm for inner product", IEEE Transactions on Computers C-17 (1968). For a row of
// S', entries s0 and s1 of it, and two rows of A with entries a0 and a1 of a column,
//
//	s0 a0 + s1 a1 = (s0 + a1) (s1 + a0) - s0 s1 - a0 a1
//
// Only the first product is different for each row of S' and each column of A: one
// multiplication instead of two. The sum of all s0 s1 depends on the row of S' alone. It is
// computed once, and Squares[k] is its negative, where the sums begin. The sum of all a0 a1
// (aa) depends on the column alone, is computed once for eight rows of S', and is
// subtracted at the end. All of this is modulo 2^16, so that the additions may overflow.
//
// VPDPWSSD adds two products of words to a dword, modulo 2^32. It takes four rows of A and
// four entries of S', in pairs of words:
//
//	even = a0 | a2 << 16     VPUNPCK[LH]WD of rows 0 and 2     s0 = S'[k][4i]   | S'[k][4i+2] << 16
//	odd  = a1 | a3 << 16     of rows 1 and 3                   s1 = S'[k][4i+1] | S'[k][4i+3] << 16
//	sum += (s0 + odd) * (s1 + even)                            as PairsAVX512 stores them
//
// The unpacking splits a stripe of 32 columns into low (columns 0-3 of every eight) and high
// (columns 4-7), a register each. Registers of a stripe:
//
//	16  sums[low, high][k]       2  aa[low, high]
//	 2  even[low, high]          2  odd[low, high]
//	 2  s0, s1                   2  the two factors of a product
//
// Two units of Zen 4 and Zen 5 execute VPDPWSSD, and four VPADDW. For four rows and 32
// columns that is 2 * (1 + 8) multiplications and 32 additions, instead of 32
// multiplications. Alone or beside AES, which uses the same two units, S'A takes 179,000
// cycles for n = 640 where it took 205,000 without the formula (docs/benchmarks.md, FrodoKEM).

// Offsets in amd64.Pairs, and in amd64.Work, which is a Matrix and then Pairs.
const (
	squaresAt = maxN / 2 * 32
	pairsAt   = matrixSize
)

// A stripe is the sums of 32 columns of a product with S' on the left.
type stripe struct {
	sums      [2][]Vec
	aa        [2]Vec
	even, odd [2]Vec
	s0, s1    Vec
	factors   [2]Vec
	// pairs has the address of the s0 and s1 for four rows, but for an offset.
	pairs  reg.Register
	offset int
	order  Mem // the table of columnOrder
}

// begin sets the sums to Squares.
func (s *stripe) begin(squares reg.Register) {
	for k := range 8 {
		for h := range 2 {
			VPBROADCASTD(Mem{Base: squares, Disp: 4 * k}, s.sums[h][k])
		}
	}
	zero(s.aa[:])
}

// interleave makes even and odd of four rows of A.
func (s *stripe) interleave(a []Vec) asm.Stream {
	return asm.Stream{
		amd64.VPUNPCKLWD(a[2], a[0], s.even[0]),
		amd64.VPUNPCKHWD(a[2], a[0], s.even[1]),
		amd64.VPUNPCKLWD(a[3], a[1], s.odd[0]),
		amd64.VPUNPCKHWD(a[3], a[1], s.odd[1]),
	}
}

// multiply adds the products of four rows of A, from that one of these on whose pairs s
// has the address.
func (s *stripe) multiply(row int) (ops asm.Stream) {
	for h := range 2 {
		ops.Add(amd64.VPDPWSSD(s.even[h], s.odd[h], s.aa[h]))
	}
	for k := range 8 {
		pair := Mem{Base: s.pairs, Disp: s.offset + 16*row + 8*k}
		ops.Add(amd64.VPBROADCASTD(pair, s.s0))
		ops.Add(amd64.VPBROADCASTD(pair.Offset(4), s.s1))
		for h := range 2 {
			ops.Add(amd64.VPADDW(s.s0, s.odd[h], s.factors[0]))
			ops.Add(amd64.VPADDW(s.s1, s.even[h], s.factors[1]))
			ops.Add(amd64.VPDPWSSD(s.factors[0], s.factors[1], s.sums[h][k]))
		}
	}
	return ops
}

// store adds the sums, less aa, to the stripe of eight rows of out, or to the first half of
// it. at is free.
func (s *stripe) store(out, stride, at reg.Register, half bool) {
	order := s.s1
	VMOVDQU64(s.order, order)
	VPERMT2W(s.aa[1], order, s.aa[0])
	MOVQ(out, at)
	for k := range 8 {
		VPERMT2W(s.sums[1][k], order, s.sums[0][k])
		VPSUBW(s.aa[0], s.sums[0][k], s.sums[0][k])
		sum := halved(s.sums[0][k], half)
		VPADDW(Mem{Base: at}, sum, sum)
		VMOVDQU64(sum, Mem{Base: at})
		ADDQ(stride, at)
	}
}

// columnOrder is a table for VPERMT2W: where, for each of 32 columns, the lower half of its
// sum is in the registers low and high.
func columnOrder(name string) Mem {
	words := make([]uint16, 32)
	for column := range words {
		dword := column/8*4 + column%4
		if column%8 >= 4 {
			dword += 16
		}
		words[column] = uint16(2 * dword)
	}
	return amd64.Constants(name, words...)
}

// pairs512 also computes Squares, in the same pass over S'.
func pairs512() {
	k := amd64.Begin("PairsAVX512", "(p *Pairs, s []uint16)",
		"PairsAVX512 makes, of a matrix S of 8 x n entries, the words S[k][4i] | S[k][4i+2] << 16 and",
		"S[k][4i+1] | S[k][4i+3] << 16, in turns, for each k; and Squares[k], minus the sum of all S[k][2i] S[k][2i+1].")
	swap := amd64.Constants[uint64]("pairsOrder", 0x0706030205040100, 0x0f0e0b0a0d0c0908)
	p := k.GP(reg.RAX, "where four entries of each row go")
	left := k.GP(reg.RCX, "fours of a row left")
	s := eightRows{
		first:   k.GP(reg.RBX, "S"),
		fifth:   k.GP(reg.RDI, "its fifth row"),
		stride:  k.GP(reg.RDX, "the bytes in a row"),
		stride3: k.GP(reg.RSI, "three times that"),
	}
	rows := k.Vecs(ymm[:8], "sixteen entries of each row")
	two := k.Vecs(ymm[8:16], "quadwords of two rows")
	sum := k.Vec(ymm[16], "sums of S[k][2i] S[k][2i+1], in the order k = 0 1 4 5 2 3 6 7")
	middle := k.Vec(ymm[17], "shuffle that exchanges the middle ones of four words")
	k.Table("Eight rows of sixteen entries are transposed at a time.")
	Load(Param("p"), p)
	Load(Param("s").Base(), s.first)
	Load(Param("s").Len(), left)
	SHRQ(Imm(5), left)
	MOVQ(left, s.stride)
	SHLQ(Imm(3), s.stride)
	s.addresses()
	zero([]Vec{sum})
	VBROADCASTI32X4(swap, middle)
	Label("pairs")
	for i, v := range rows {
		VMOVDQU(s.row(i), v)
	}
	Comment("Of every four entries the middle ones change places, so that a quadword has the two words.")
	for _, v := range rows {
		VPSHUFB(middle, v, v)
	}
	Comment("Quadwords: rows k and k+1, of entries 0 to 3 and 8 to 11, or 4 to 7 and 12 to 15.")
	for i := 0; i < 8; i += 2 {
		VPUNPCKLQDQ(rows[i+1], rows[i], two[i])
		VPUNPCKHQDQ(rows[i+1], rows[i], two[i+1])
	}
	lower, upper := rows[0], rows[2] // entries 4i to 4i+3 of rows 0 to 3, and of rows 4 to 7
	s0, s1 := rows[4], rows[5]
	for i := range 4 {
		half := uint64(0x20)
		if i >= 2 {
			half = 0x31
		}
		for j, v := range []Vec{lower, upper} {
			VPERM2I128(Imm(half), two[4*j+2+i%2], two[4*j+i%2], v)
			VMOVDQU(v, Mem{Base: p, Disp: 64*i + 32*j})
		}
		VSHUFPS(Imm(0x88), upper, lower, s0)
		VSHUFPS(Imm(0xdd), upper, lower, s1)
		VPDPWSSD(s1, s0, sum)
	}
	s.advance(32)
	ADDQ(U32(256), p)
	SUBQ(Imm(4), left)
	JNE(LabelRef("pairs"))
	Comment("Quadwords 1 and 2 of the sums change places.")
	VPERMQ(Imm(0xd8), sum, sum)
	none := rows[0]
	zero([]Vec{none})
	VPSUBD(sum, none, sum)
	Load(Param("p"), p)
	VMOVDQU64(sum, Mem{Base: p, Disp: squaresAt})
	Comment("S is secret.")
	finish512()
}

func rowsSA512() {
	f := amd64.Begin("AddRowsAVX512", "(out []uint16, rows []uint16, p *Pairs, first int)",
		"AddRowsAVX512 adds to out, 8 x n, the products of 16 rows of A, the first of which has that number,",
		"with S'.")
	noSquares := GLOBL("noSquares", RODATA|NOPTR)
	DATA(24, U64(0))
	order := columnOrder("rowsSumOrder")
	rows := f.GP(reg.RAX, "the first row")
	ninth := f.GP(reg.RSI, "the ninth row")
	stride := f.GP(reg.R9, "the bytes in a row")
	stride3 := f.GP(reg.RDX, "three times that")
	stride5 := f.GP(reg.R11, "five times that")
	pairs := f.GP(reg.RBX, "the pairs of S' for these rows")
	out := f.GP(reg.RCX, "where the stripe is in out")
	columns := f.GP(reg.R8, "columns left")
	squares := f.GP(reg.RDI, "what the sums begin with: Squares with the first rows, then 0")
	t0, t1 := f.GP(reg.R12, "temporary"), f.GP(reg.R13, "temporary")
	s := &stripe{
		sums:    [2][]Vec{f.Vecs(zmm[:8], "sums, low"), f.Vecs(zmm[8:16], "sums, high")},
		aa:      [2]Vec(f.Vecs(zmm[16:18], "aa")),
		even:    [2]Vec(f.Vecs(zmm[26:28], "even")),
		odd:     [2]Vec(f.Vecs(zmm[28:30], "odd")),
		s0:      f.Vec(zmm[30], "s0"),
		s1:      f.Vec(zmm[31], "s1"),
		factors: [2]Vec(f.Vecs(zmm[24:26], "s0 + odd, s1 + even")),
		pairs:   pairs, order: order,
	}
	a := f.Vecs(zmm[18:22], "four rows of A")
	f.Table(
		"32 columns take 72 multiplications instead of 128, by Winograd's formula; the 128 additions of that go to",
		"all four units.")
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), columns)
	Load(Param("rows").Base(), rows)
	Load(Param("p"), pairs)
	Load(Param("first"), t0)
	LEAQ(Mem{Base: pairs, Disp: squaresAt}, squares)
	LEAQ(noSquares, t1)
	TESTQ(t0, t0)
	CMOVQNE(t1, squares)
	SHLQ(Imm(4), t0)
	ADDQ(t0, pairs)
	SHRQ(Imm(3), columns)
	LEAQ(Mem{Base: columns, Index: columns, Scale: 1}, stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 4}, stride5)
	LEAQ(Mem{Base: rows, Index: stride, Scale: 8}, ninth)
	multiply := func(half bool) {
		s.begin(squares)
		for part, first := range []reg.GPPhysical{rows, ninth} {
			seventh := t0
			LEAQ(Mem{Base: first, Index: stride3, Scale: 2}, seventh)
			row := []Mem{
				{Base: first},
				{Base: first, Index: stride, Scale: 1},
				{Base: first, Index: stride, Scale: 2},
				{Base: first, Index: stride3, Scale: 1},
				{Base: first, Index: stride, Scale: 4},
				{Base: first, Index: stride5, Scale: 1},
				{Base: seventh},
				{Base: seventh, Index: stride, Scale: 1},
			}
			for i := 0; i < 8; i += 4 {
				for j := range 4 {
					VMOVDQU64(row[i+j], halved(a[j], half))
				}
				amd64.Write(s.interleave(a))
				amd64.Write(s.multiply(8*part + i))
			}
		}
		s.store(out, stride, t0, half)
	}
	Label("stripe")
	multiply(false)
	ADDQ(Imm(64), out)
	ADDQ(Imm(64), rows)
	ADDQ(Imm(64), ninth)
	SUBQ(Imm(32), columns)
	CMPQ(columns, Imm(32))
	JGE(LabelRef("stripe"))
	TESTQ(columns, columns)
	JEQ(LabelRef("done"))
	multiply(true)
	Label("done")
	finish512()
}
