package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/keccak/f1600"
)

// This file has S'A with AVX-512 and VAES: A is made (matrix.go) and multiplied
// (winograd.go) at once, and a state of Keccak squeezed alongside (sponge.go).
//
//	for each stripe of 32 columns:
//	    sums = Squares
//	    for each 16 rows, a part:
//	        for each four rows:
//	            a = AES of X[row] ^ Y[stripe], four registers of four blocks, one ahead
//	            even, odd = a interleaved
//	            sums, aa += Winograd's products of even and odd with the pairs of S'
//	        two rounds of Keccak
//	    out += sums - aa
//
// A is never stored: a stripe stays in registers. Streams are woven twice: the AES of the
// next four rows with the products of these (mixed), and all of a part with Keccak.
//
// The bound: two units do AES and multiply. Four rows of a stripe take 32 + 18 instructions
// of these and 41 others; 25 cycles, or 50 on Zen 4, whose units take two cycles for 512
// bits. The n * n / 128 fours of n = 640 take 160,000 cycles on Zen 4; the kernel reaches
// 179,000 alone and 185,000 with Keccak (docs/benchmarks.md, FrodoKEM).

// mixed weaves the AES of the next rows with the products of these: with the first 0.6 of
// them, so that it is ready when they are done. That share is the best of those from 0.4 to
// 1, which differ by 3 %.
func mixed(aes, products asm.Stream) asm.Stream {
	n := len(products) * 6 / 10
	return append(asm.Weave(aes, products[:n]), products[n:]...)
}

// roundKeys are the round keys of the rounds that are left: the first ones on the stack,
// from where they are loaded when they are needed, and the others in registers.
type roundKeys struct {
	stack    Mem
	loaded   Vec // one from the stack
	resident []Vec
}

func (k *roundKeys) onStack() int { return aesRounds - len(k.resident) }

// load takes the keys from a Matrix. t is temporary.
func (k *roundKeys) load(m reg.Register, t Vec) {
	for r := range aesRounds {
		from := Mem{Base: m, Disp: key3At + 16*r}
		if r < k.onStack() {
			VMOVDQU(from, amd64.X(t))
			VMOVDQU(amd64.X(t), k.stack.Offset(16*r))
		} else {
			VBROADCASTI32X4(from, k.resident[r-k.onStack()])
		}
	}
}

// rounds makes entries of A of states X[i] ^ Y[j].
func (k *roundKeys) rounds(states []Vec) (ops asm.Stream) {
	for r := range aesRounds {
		key := k.loaded
		if r < k.onStack() {
			ops.Add(amd64.VBROADCASTI32X4(k.stack.Offset(16*r), key))
		} else {
			key = k.resident[r-k.onStack()]
		}
		for _, v := range states {
			if r < aesRounds-1 {
				ops.Add(amd64.VAESENC(key, v, v))
			} else {
				ops.Add(amd64.VAESENCLAST(key, v, v))
			}
		}
	}
	return ops
}

func mulSA512() {
	constants, order := f1600.Constants("roundConstants"), columnOrder("sumOrder")
	f := amd64.Begin("MulSASqueezeVAES512", "(out []uint16, w *Work, state *[25]uint64, q *byte, words, blocks int)",
		"MulSASqueezeVAES512 adds S'A to out, 8 x n. A is never stored: a stripe of 32 columns is made and",
		"multiplied, four rows of it at a time, and stays in registers. On the side it copies blocks of the state",
		"to q, of that many words, and permutes the state after each with Keccak-f[1600].",
		"words is 17 or 21; n is a multiple of 16, and of 16 rows and 32 columns, or 16 if they are the last, there",
		"are at least 12 for each block.")
	keccak := newSponge(f, constants, reg.RDI, reg.R8, reg.R9)
	x := f.GP(reg.R15, "X of the next rows in w, and with them the pairs of S'")
	s := &stripe{
		sums:    [2][]Vec{f.Vecs(zmm[:8], "sums, low"), f.Vecs(zmm[8:16], "sums, high")},
		aa:      [2]Vec(f.Vecs(zmm[16:18], "aa")),
		even:    [2]Vec(f.Vecs(zmm[22:24], "even")),
		odd:     [2]Vec(f.Vecs(zmm[24:26], "odd")),
		s0:      f.Vec(zmm[26], "s0"),
		s1:      f.Vec(zmm[27], "s1"),
		factors: [2]Vec(f.Vecs(zmm[28:30], "s0 + odd, s1 + even")),
		pairs:   x, offset: pairsAt - xAt, order: order,
	}
	a := f.Vecs(zmm[18:22], "the next four rows of A")
	keys := &roundKeys{stack: AllocLocal(aesRounds * 16), loaded: f.Vec(zmm[30], "a round key")}
	y := f.Vec(zmm[31], "Y of the stripe")
	out := AllocLocal(8)     // where the stripe is in out
	stride := AllocLocal(8)  // bytes in a row of out
	columns := AllocLocal(8) // that are left
	nextY := AllocLocal(8)   // where the Y of the next stripe is
	end := AllocLocal(8)     // of X
	f.Note("stack", "the sponge, round keys, where the stripe is")
	f.Table(
		"Two units do AES and multiply. Four rows of a stripe take 32 + 18 instructions of these, with Winograd's",
		"formula, and 41 others; a multiplication for each pair of products would take 32 + 32. The AES of the next",
		"four rows is mixed with the multiplications of these, and Keccak's round, all in integer registers, with",
		"eight rows: alone it would take half as long as those.")
	w, t0, t1, t2 := reg.R14, reg.R10, reg.R11, reg.R12 // free between parts
	Load(Param("w"), w)
	keys.load(w, zmm[0])
	Load(Param("out").Base(), t0)
	MOVQ(t0, out)
	Load(Param("out").Len(), t0)
	SHRQ(Imm(3), t0)
	MOVQ(t0, columns)
	LEAQ(Mem{Base: t0, Index: t0, Scale: 1}, t1)
	MOVQ(t1, stride)
	SHLQ(Imm(4), t0)
	LEAQ(Mem{Base: w, Index: t0, Scale: 1, Disp: xAt}, t1)
	MOVQ(t1, end)
	LEAQ(Mem{Base: w, Disp: yAt}, t1)
	MOVQ(t1, nextY)
	keccak.begin(s.s0, "stripe")

	Label("stripe")
	MOVQ(nextY, t0)
	VMOVDQU64(Mem{Base: t0}, y)
	ADDQ(Imm(64), t0)
	MOVQ(t0, nextY)
	Load(Param("w"), x)
	LEAQ(Mem{Base: x, Disp: pairsAt + squaresAt}, t0)
	ADDQ(U32(xAt), x)
	s.begin(t0)
	// aes makes four rows of A.
	aes := func(row int) (ops asm.Stream) {
		for i, v := range a {
			ops.Add(amd64.VBROADCASTI32X4(Mem{Base: x, Disp: 16 * (row + i)}, v))
		}
		for _, v := range a {
			ops.Add(amd64.VPXORD(y, v, v))
		}
		return append(ops, keys.rounds(a)...)
	}
	// part multiplies sixteen rows and makes the first of those behind them.
	var part asm.Stream
	for row := 0; row < 16; row += 4 {
		part.Add(s.interleave(a)...)
		part.Add(mixed(aes(row+4), s.multiply(row))...)
	}
	amd64.Write(aes(0))
	CMPQ(keccak.blocks, Imm(0))
	JEQ(LabelRef("rows"))

	Label("rowsAndKeccak")
	amd64.Write(asm.Weave(part, keccak.TwoRounds(keccak.from, keccak.to)))
	ADDQ(U32(16*16), x)
	keccak.advance(s.s0, "last")
	CMPQ(x, end)
	JNE(LabelRef("rowsAndKeccak"))
	JMP(LabelRef("store"))
	Label("last")
	keccak.end(s.s0, s.s1)
	CMPQ(x, end)
	JEQ(LabelRef("store"))

	Label("rows")
	amd64.Write(part)
	ADDQ(U32(16*16), x)
	CMPQ(x, end)
	JNE(LabelRef("rows"))

	Label("store")
	MOVQ(out, t0)
	MOVQ(stride, t1)
	CMPQ(columns, Imm(32))
	JLT(LabelRef("half"))
	s.store(t0, t1, t2, false)
	ADDQ(Imm(64), t0)
	MOVQ(t0, out)
	MOVQ(columns, t0)
	SUBQ(Imm(32), t0)
	MOVQ(t0, columns)
	JNE(LabelRef("stripe"))
	JMP(LabelRef("done"))
	Label("half")
	Comment("n = 976 has 16 columns more than whole stripes.")
	s.store(t0, t1, t2, true)
	Label("done")
	Comment("The sums are as secret as S'.")
	finishSponge()
}
