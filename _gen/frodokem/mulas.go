package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/keccak/f1600"
)

// This file has A S with AVX-512 and VAES, for key generation. It is like mulsa.go, with
// rows and columns exchanged.
//
//	for each 16 rows:
//	    sums = 0
//	    for each 32 columns, a part:
//	        for each eight columns:
//	            a[r] = AES of X[4r..4r+3] ^ Y[columns], four blocks, one ahead
//	            v[c] = a transposed: columns 2c and 2c+1 of the 16 rows
//	            sums, aa += Winograd's products of v with the entries of S
//	        two rounds of Keccak
//	    out += sums - aa + Squares
//
// A dword of v has two columns of a row, so that Winograd's formula takes columns j and j+2
// of A, with x = v[0] and y = v[1], then v[2] and v[3], and rows j and j+2 of S:
//
//	sum[k] += (s1 + x) * (s0 + y)         s0 = S[j][k] | S[j+1][k] << 16
//	aa     += x * y                       s1 = S[j+2][k] | S[j+3][k] << 16
//
// where j mod 4 = 0. ColumnsAVX512 puts eight entries of a column of S beside those of the
// other columns: each s0 or s1 is a dword in memory. Squares[k] is minus the sum of all
// s0 * s1. A sum has a row in every dword.
//
// The bound is that of mulsa.go: eight columns of 16 rows take 32 + 18 instructions of the
// two units that do AES and multiply. That is 160,000 cycles on Zen 4 for n = 640. A S takes
// 175,000, and took 208,000 without the formula (docs/benchmarks.md, FrodoKEM).

func columns512() {
	k := amd64.Begin("ColumnsAVX512", "(p *Pairs, st []uint16)",
		"ColumnsAVX512 puts every eight entries of a row of st, 8 x n, beside those of the other rows; and makes",
		"Squares[k], minus the sum of all st[k][j] st[k][j+2], where j mod 4 is 0 or 1.")
	p := k.GP(reg.RAX, "where the next entries of the row go")
	first := k.GP(reg.R8, "where the first ones of the row go")
	st := k.GP(reg.RBX, "st")
	rows := k.GP(reg.RDX, "rows left")
	n := k.GP(reg.RDI, "eights in a row")
	left := k.GP(reg.RCX, "eights of the row left")
	squares := k.GP(reg.RSI, "Squares of the row")
	entries := k.Vec(amd64.X(ymm[0]), "entries")
	others := k.Vec(amd64.X(ymm[1]), "entries j+2 in the place of j, and 0")
	sum := k.Vec(amd64.X(ymm[2]), "their products, once in two dwords of four")
	none := k.Vec(amd64.X(ymm[3]), "0")
	k.Table()
	Load(Param("p"), first)
	Load(Param("st").Base(), st)
	Load(Param("st").Len(), n)
	SHRQ(Imm(6), n)
	LEAQ(Mem{Base: first, Disp: squaresAt}, squares)
	MOVQ(U32(8), rows)
	Label("row")
	MOVQ(first, p)
	MOVQ(n, left)
	VPXOR(sum, sum, sum)
	VPXOR(none, none, none)
	Label("eight")
	VMOVDQU(Mem{Base: st}, entries)
	VMOVDQU(entries, Mem{Base: p})
	VPSRLQ(Imm(32), entries, others)
	VPDPWSSD(others, entries, sum)
	ADDQ(Imm(16), st)
	ADDQ(U32(128), p)
	DECQ(left)
	JNE(LabelRef("eight"))
	VPHADDD(sum, sum, sum)
	VPHADDD(sum, sum, sum)
	VPSUBD(sum, none, sum)
	VMOVD(sum, Mem{Base: squares})
	ADDQ(Imm(4), squares)
	ADDQ(Imm(16), first)
	DECQ(rows)
	JNE(LabelRef("row"))
	finish()
}

// transpose4 sets dword i of each quarter of out[j] to dword j of that of in[i]. Registers
// t are temporary.
func transpose4(out, in, t []Vec) (ops asm.Stream) {
	for h := range 2 {
		ops.Add(amd64.VPUNPCKLDQ(in[2*h+1], in[2*h], t[h]))
		ops.Add(amd64.VPUNPCKHDQ(in[2*h+1], in[2*h], t[2+h]))
	}
	for h := range 2 {
		ops.Add(amd64.VPUNPCKLQDQ(t[2*h+1], t[2*h], out[2*h]))
		ops.Add(amd64.VPUNPCKHQDQ(t[2*h+1], t[2*h], out[2*h+1]))
	}
	return ops
}

func mulAS512() {
	constants := f1600.Constants("roundConstantsAS")
	f := amd64.Begin("MulASSqueezeVAES512", "(out []uint16, w *Work, state *[25]uint64, q *byte, words, blocks int)",
		"MulASSqueezeVAES512 adds A S to out, n x 8, where w has what ColumnsAVX512 made of S^T, 16 rows of A at a",
		"time. On the side it squeezes a state, as MulSASqueezeVAES512 does.")
	keccak := newSponge(f, constants, reg.RDI, reg.R8)
	pairs := f.GP(reg.R15, "w's Pairs")
	at := f.GP(reg.R9, "bytes of Y before the next columns; their entries of S are eight times as far")
	sums := f.Vecs(zmm[:8], "sums for each column of S, a row in every dword")
	aa := f.Vec(zmm[8], "aa")
	xs := f.Vecs(zmm[9:13], "X of the 16 rows")
	a := f.Vecs(zmm[13:17], "the next eight columns of A, four rows in each")
	v := f.Vecs(zmm[17:21], "eight columns of A, two in each")
	s0, s1 := f.Vec(zmm[21], "s0"), f.Vec(zmm[22], "s1")
	factors := f.Vecs(zmm[23:25], "s1 + x, s0 + y")
	t := zmm[21:25]
	y := f.Vec(zmm[25], "Y of the next columns, then a round key from the stack")
	const resident = 6
	keys := &roundKeys{stack: AllocLocal((aesRounds - resident) * 16), loaded: y, resident: f.Vecs(zmm[26:32], "the other round keys")}
	out := AllocLocal(8)   // where the rows are in out
	rows := AllocLocal(8)  // that are left
	end := AllocLocal(8)   // bytes of Y
	nextX := AllocLocal(8) // where the X of the next rows are
	f.Note("stack", "the sponge, two round keys, where the rows are")
	f.Table(
		"AES makes four registers of four rows and eight columns, a transposition four of 16 rows and two",
		"columns, which are multiplied by the entries for these in a column of S, by Winograd's formula for the",
		"columns j and j+2.")
	t0, t1, t2 := reg.R10, reg.R11, reg.R12 // free between parts
	Load(Param("w"), pairs)
	keys.load(pairs, zmm[0])
	LEAQ(Mem{Base: pairs, Disp: xAt}, t0)
	MOVQ(t0, nextX)
	ADDQ(U32(pairsAt), pairs)
	Load(Param("out").Base(), t0)
	MOVQ(t0, out)
	Load(Param("out").Len(), t0)
	SHRQ(Imm(3), t0)
	MOVQ(t0, rows)
	ADDQ(t0, t0)
	MOVQ(t0, end)
	keccak.begin(s0, "rows16")

	Label("rows16")
	MOVQ(nextX, t0)
	for i, x := range xs {
		VMOVDQU64(Mem{Base: t0, Disp: 64 * i}, x)
	}
	ADDQ(U32(256), t0)
	MOVQ(t0, nextX)
	zero(sums)
	zero([]Vec{aa})
	XORQ(at, at)
	// aes makes the eight columns from that one of these on.
	aes := func(column int) (ops asm.Stream) {
		ops.Add(amd64.VBROADCASTI32X4(Mem{Base: pairs, Index: at, Scale: 1, Disp: yAt - pairsAt + 2*column}, y))
		for i, v := range a {
			ops.Add(amd64.VPXORD(y, xs[i], v))
		}
		return append(ops, keys.rounds(a)...)
	}
	// multiply adds the products of the eight columns from that one on.
	multiply := func(column int) (ops asm.Stream) {
		for h := range 2 {
			x, y := v[2*h], v[2*h+1]
			ops.Add(amd64.VPDPWSSD(x, y, aa))
			for k, sum := range sums {
				entries := Mem{Base: pairs, Index: at, Scale: 8, Disp: 16*column + 16*k + 8*h}
				ops.Add(amd64.VPBROADCASTD(entries, s0))
				ops.Add(amd64.VPBROADCASTD(entries.Offset(4), s1))
				ops.Add(amd64.VPADDW(s1, x, factors[0]))
				ops.Add(amd64.VPADDW(s0, y, factors[1]))
				ops.Add(amd64.VPDPWSSD(factors[0], factors[1], sum))
			}
		}
		return ops
	}
	// eight multiplies eight columns and makes the next.
	eight := func(column int) asm.Stream {
		return append(transpose4(v, a, t), mixed(aes(column+8), multiply(column))...)
	}
	var part asm.Stream
	for column := 0; column < 32; column += 8 {
		part.Add(eight(column)...)
	}
	// next goes on with the next 32 columns, or to the rest.
	next := func(label string) {
		LEAQ(Mem{Base: at, Disp: 64}, t0)
		CMPQ(t0, end)
		JLE(LabelRef(label))
		JMP(LabelRef("rest"))
	}
	amd64.Write(aes(0))
	CMPQ(keccak.blocks, Imm(0))
	JEQ(LabelRef("columns"))

	Label("columnsAndKeccak")
	amd64.Write(asm.Weave(part, keccak.TwoRounds(keccak.from, keccak.to)))
	ADDQ(Imm(64), at)
	keccak.advance(s0, "last")
	next("columnsAndKeccak")
	Label("last")
	keccak.end(s0, s1)
	next("columns")

	Label("columns")
	amd64.Write(part)
	ADDQ(Imm(64), at)
	next("columns")

	Label("rest")
	Comment("n = 976 has 16 columns more than thirty times 32.")
	CMPQ(at, end)
	JEQ(LabelRef("sum"))
	amd64.Write(eight(0))
	ADDQ(Imm(16), at)
	JMP(LabelRef("rest"))

	Label("sum")
	Comment("Two sums in each dword, then a row in each quarter of a register.")
	MOVL(U32(0xaaaaaaaa), t0.As32())
	KMOVD(t0.As32(), reg.K2)
	for k, sum := range sums {
		VPSUBD(aa, sum, sum)
		VPADDD_BCST(Mem{Base: pairs, Disp: squaresAt + 4*k}, sum, sum)
	}
	var two []Vec
	for k := 0; k < 8; k += 2 {
		VPSLLD(Imm(16), sums[k+1], t[0])
		VMOVDQU16(t[0], reg.K2, sums[k])
		two = append(two, sums[k])
	}
	amd64.Write(transpose4(v, two, t))
	MOVQ(out, t1)
	for i, r := range v {
		VPADDW(Mem{Base: t1, Disp: 64 * i}, r, r)
		VMOVDQU64(r, Mem{Base: t1, Disp: 64 * i})
	}
	ADDQ(U32(256), t1)
	MOVQ(t1, out)
	MOVQ(rows, t2)
	SUBQ(Imm(16), t2)
	MOVQ(t2, rows)
	JNE(LabelRef("rows16"))
	finishSponge()
}
