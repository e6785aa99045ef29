package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// This file multiplies with AVX-512 where operands are in memory: B'S and the rows of A
// that were stored for A S (Dots), and S'B (MulSB). All products are modulo 2^16.
//
// VPDPWSSD multiplies words and adds the two products to a dword, so that one instruction
// takes two terms of 16 sums, which are modulo 2^32. Their lower halves are the result.
//
//	Dots    sum[i][k] += x[i][j] st[k][j] + x[i][j+1] st[k][j+1]    a dword for each even j mod 32
//	MulSB   sum[k][j] += S[k][i] B[i][j] + S[k][i+2] B[i+2][j]      a dword for each column j
//
// Dots adds the 16 dwords of a sum up at the end. Two units execute VPDPWSSD, and two load:
// two rows of x at a time share each load of st, so that 16 multiplications, 8 cycles, need
// ten loads. (Zen 4 takes two cycles for each of 512 bits.) MulSB takes its factors from S'
// by broadcast from memory; the rows i and i+2 are together in what PairsAVX512 stores. S'B
// takes 1,700 of the 304,000 cycles of an encapsulation with 640-AES (docs/benchmarks.md, FrodoKEM).

// halved is a register, or the half of it that 16 columns take: a load of that clears the
// other, and takes less time than one under a mask.
func halved(v Vec, half bool) Vec {
	if half {
		return amd64.Y(v)
	}
	return v
}

// lowWords512 sets a register to dwords 0xffff.
func lowWords512(v Vec) {
	VPTERNLOGD(Imm(0xff), v, v, v)
	VPSRLD(Imm(16), v, v)
}

// addQuarters adds up the four dwords of each quarter of eight sums. Quarters of first get
// the results of sums 0 to 3, those of second of sums 4 to 7. Registers t are temporary.
func addQuarters(sums, t []Vec, first, second Vec) {
	for i, out := range []Vec{first, second} {
		c := sums[4*i : 4*i+4]
		VPUNPCKLDQ(c[1], c[0], t[0])
		VPUNPCKHDQ(c[1], c[0], t[1])
		VPADDD(t[0], t[1], t[0]) // of sums 0 1 0 1
		VPUNPCKLDQ(c[3], c[2], t[1])
		VPUNPCKHDQ(c[3], c[2], t[2])
		VPADDD(t[1], t[2], t[1]) // of sums 2 3 2 3
		VPUNPCKLQDQ(t[1], t[0], t[2])
		VPUNPCKHQDQ(t[1], t[0], t[3])
		VPADDD(t[2], t[3], out)
	}
}

func dots512() {
	f := amd64.Begin("DotsAVX512", "(out []uint16, x []uint16, st []uint16)",
		"DotsAVX512 adds to out, r x 8, the products of the r rows of x with the eight rows of st; rows",
		"have n entries, and r is even.")
	x := f.GP(reg.RAX, "two rows of x")
	out := f.GP(reg.RCX, "out of these rows")
	st := eightRows{
		first:   f.GP(reg.RSI, "st"),
		fifth:   f.GP(reg.RDI, "its fifth row"),
		stride:  f.GP(reg.R9, "the bytes in a row"),
		stride3: f.GP(reg.R10, "three times that"),
	}
	rows := f.GP(reg.RDX, "rows left")
	left := f.GP(reg.R8, "entries left")
	sums := [2][]Vec{f.Vecs(zmm[:8], "the sums of one row"), f.Vecs(zmm[8:16], "those of the other")}
	entries := f.Vecs(zmm[16:18], "their entries")
	columns := f.Vecs(zmm[18:22], "rows of st")
	t := zmm[16:20]
	results := f.Vecs(zmm[20:24], "four dwords of each of four sums, when the rows are done")
	mask := f.Vec(zmm[31], "dwords 0xffff")
	f.Table("A load of st serves two multiplications: 16 of them in 8 cycles.")
	Load(Param("x").Base(), x)
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), rows)
	SHRQ(Imm(3), rows)
	Load(Param("st").Base(), st.first)
	Load(Param("st").Len(), st.stride)
	SHRQ(Imm(2), st.stride)
	st.addresses()
	Label("rows")
	MOVQ(st.stride, left)
	SHRQ(Imm(1), left)
	zero(sums[0])
	zero(sums[1])
	multiply := func(half bool) {
		VMOVDQU64(Mem{Base: x}, halved(entries[0], half))
		VMOVDQU64(Mem{Base: x, Index: st.stride, Scale: 1}, halved(entries[1], half))
		for k := range 8 {
			column := columns[k%4]
			VMOVDQU64(st.row(k), halved(column, half))
			VPDPWSSD(column, entries[0], sums[0][k])
			VPDPWSSD(column, entries[1], sums[1][k])
		}
	}
	Label("entries")
	multiply(false)
	ADDQ(Imm(64), x)
	st.advance(64)
	SUBQ(Imm(32), left)
	CMPQ(left, Imm(32))
	JGE(LabelRef("entries"))
	TESTQ(left, left)
	JEQ(LabelRef("sum"))
	multiply(true)
	ADDQ(Imm(32), x)
	st.advance(32)
	Label("sum")
	Comment("Back to the beginning of st; x is at the end of its first row.")
	SUBQ(st.stride, st.first)
	SUBQ(st.stride, st.fifth)
	ADDQ(st.stride, x)
	lowWords512(mask)
	for i := range 2 {
		addQuarters(sums[i], t, results[2*i], results[2*i+1])
	}
	for i := range 2 {
		first, second := results[2*i], results[2*i+1]
		for j, r := range []Vec{first, second} { // quarters to halves to one
			VEXTRACTI64X4(Imm(1), r, t[j].AsY())
			VPADDD(t[j].AsY(), r.AsY(), r.AsY())
			VEXTRACTI32X4(Imm(1), r.AsY(), amd64.X(t[j]))
			VPADDD(amd64.X(t[j]), amd64.X(r), amd64.X(r))
		}
		VPANDD(amd64.X(mask), amd64.X(first), amd64.X(first))
		VPANDD(amd64.X(mask), amd64.X(second), amd64.X(second))
		VPACKUSDW(amd64.X(second), amd64.X(first), amd64.X(first))
		VMOVDQU64(Mem{Base: out, Disp: 16 * i}, amd64.X(t[0]))
		VPADDW(amd64.X(t[0]), amd64.X(first), amd64.X(first))
		VMOVDQU64(amd64.X(first), Mem{Base: out, Disp: 16 * i})
	}
	ADDQ(Imm(32), out)
	SUBQ(Imm(2), rows)
	JNE(LabelRef("rows"))
	finish512()
}

func mulSB512() {
	f := amd64.Begin("MulSBAVX512", "(v *[64]uint16, p *Pairs, b []uint16)",
		"MulSBAVX512 adds S'B to v, 8 x 8; b is B, n x 8, and p has the pairs of S'.")
	b := f.GP(reg.RAX, "four rows of B")
	pairs := f.GP(reg.RBX, "the pairs of S' for them")
	v := f.GP(reg.RCX, "v")
	left := f.GP(reg.RDX, "rows left")
	sums := [2][]Vec{
		f.Vecs(ymm[:8], "the sums of each row of S', for rows 0 and 2 of four of B"),
		f.Vecs(ymm[8:16], "the same for rows 1 and 3"),
	}
	row, next := f.Vec(ymm[16], "row i of B"), f.Vec(ymm[17], "row i+2; what is in v")
	high := f.Vec(ymm[18], "columns 4-7 of both")
	both := f.Vec(ymm[19], "both, interleaved")
	mask := f.Vec(zmm[31], "dwords 0xffff")
	f.Table()
	Load(Param("b").Base(), b)
	Load(Param("b").Len(), left)
	Load(Param("p"), pairs)
	Load(Param("v"), v)
	SHRQ(Imm(3), left)
	zero(sums[0])
	zero(sums[1])
	Label("rows")
	for i := range 2 {
		VMOVDQU64(Mem{Base: b, Disp: 16 * i}, amd64.X(row))
		VMOVDQU64(Mem{Base: b, Disp: 16*i + 32}, amd64.X(next))
		VPUNPCKHWD(amd64.X(next), amd64.X(row), amd64.X(high))
		VPUNPCKLWD(amd64.X(next), amd64.X(row), amd64.X(row))
		VINSERTI32X4(Imm(1), amd64.X(high), row, both)
		for k, sum := range sums[i] {
			VPDPWSSD_BCST(Mem{Base: pairs, Disp: 4*i + 8*k}, both, sum)
		}
	}
	ADDQ(Imm(64), b)
	ADDQ(Imm(64), pairs)
	SUBQ(Imm(4), left)
	JNE(LabelRef("rows"))
	lowWords512(mask)
	for k, sum := range sums[0] {
		VPADDD(sums[1][k], sum, sum)
		VPANDD(mask.AsY(), sum, sum)
		VEXTRACTI32X4(Imm(1), sum, amd64.X(row))
		VPACKUSDW(amd64.X(row), amd64.X(sum), amd64.X(sum))
		VMOVDQU64(Mem{Base: v, Disp: 16 * k}, amd64.X(next))
		VPADDW(amd64.X(next), amd64.X(sum), amd64.X(sum))
		VMOVDQU64(amd64.X(sum), Mem{Base: v, Disp: 16 * k})
	}
	finish512()
}
