package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// This file makes the matrix A of FrodoKEM, as _gen/frodokem/matrix.go describes it: from states
// X[i] and Y[j] after two rounds, with eight rounds of X[i] ^ Y[j]. The states are in the form
// and the layout of their round, so that nothing is converted for a block but the result. A and
// its key are public.

// Offsets in amd64.Matrix of frodokem.
const (
	maxN         = 1344
	xOffset      = 0
	yOffset      = 16 * maxN
	matrixKeys   = yOffset + 16*maxN/8
	matrixRounds = 10
)

// matrixTables has what turns round keys into the form that the rounds want.
func matrixTables() *section {
	s := newSection("Matrix")
	s.add("rotate", shifted(0).rotation(1))
	for n := range 4 {
		s.add(fmt.Sprint("layout", n), shifted(n).permutation())
	}
	s.add("constantEncrypt", permute.All(encryption.form(permute.Affine)))
	s.add("constant", permute.All(permute.Affine))
	return s
}

func prepareMatrix() {
	function("PrepareSSSE3", "(m *Matrix, n int)",
		"PrepareSSSE3 brings the round keys to the form that FourRowsSSSE3 wants, and fills X and Y for n rows:",
		"X[i] is the block i || 0 after two rounds of AES, Y[j] the block 0 || 8j, plus X[0].",
		"AX tables, BX round keys, CX offset of the next one, DX of the last one, SI first dword of the next block,",
		"DI where its state goes, R8 blocks left, R9 indices of MixColumns, R10 layout, R11 tables for keys,",
		"R12 what the dword grows by;",
		"X0 state, X1, X2 a round key, X4 ... X7 temporary, X12 low nibbles, X13 round key, X15 0, then X[0].",
		"Bound by latency, for n + n/8 blocks of two rounds, where n n/8 have eight.")
	var (
		d, s  = encryption, matrixTables()
		l     = lanes(1)[0]
		word  = reg.ESI
		at    = reg.RDI
		left  = reg.R8
		more  = reg.R11
		step  = reg.R12L
		k, k1 = reg.X1, reg.X2
		x0    = reg.X15
	)
	table := func(name string) Mem { return Mem{Base: more, Disp: s.offset(name)} }
	Load(Param("m"), at)
	LEAQ(Mem{Base: at, Disp: matrixKeys}, keys)
	d.tables.load(tables, bias)
	d.rotations.load(rotations, 0)
	s.load(more, 0)
	MOVO(d.tables.at("nibble"), mask)
	PXOR(x0, x0)
	// toForm brings a round key to the basis of the tower.
	toForm := func() {
		singleLane(func(c *code) { c.toForm(d.tables, lane{k, l.a, l.b, l.c, l.d}, x0) })
	}
	MOVOU(Mem{Base: keys}, k)
	toForm()
	MOVOU(k, Mem{Base: keys})
	MOVL(U32(16), keyAt.As32())
	Label("key")
	MOVOU(roundKey(), k)
	toForm()
	Comment("Times 1+X+X².")
	MOVO(k, k1)
	for range 2 {
		PSHUFB(table("rotate"), k1)
		PXOR(k1, k)
	}
	PXOR(table("constantEncrypt"), k)
	MOVQ(keyAt, reg.R10)
	ANDQ(Imm(48), reg.R10)
	layout := table("layout0")
	layout.Index, layout.Scale = reg.R10, 1
	PSHUFB(layout, k)
	MOVOU(k, roundKey())
	ADDQ(Imm(16), keyAt)
	CMPQ(keyAt, U32(16*matrixRounds))
	JB(LabelRef("key"))
	MOVOU(roundKey(), k)
	PXOR(table("constant"), k)
	PSHUFB(table(fmt.Sprint("layout", matrixRounds%4)), k)
	MOVOU(k, roundKey())

	Load(Param("n"), left)
	MOVL(U32(16*3), lastKeyAt.As32())
	XORL(word, word)
	MOVL(U32(1), step)
	Label("block")
	MOVOU(Mem{Base: keys}, key)
	MOVD(word, l.x)
	singleLane(func(c *code) { c.toForm(d.tables, l, key) })
	d.middle([]lane{l}, 1)
	PXOR(x0, l.x)
	MOVOU(l.x, Mem{Base: at})
	ADDQ(Imm(16), at)
	ADDL(step, word)
	DECQ(left)
	JNE(LabelRef("block"))
	Comment("Y: the number is in the upper half of the word, and eight times as large.")
	CMPL(step, Imm(1))
	JNE(LabelRef("done"))
	Load(Param("m"), at)
	MOVOU(Mem{Base: at, Disp: xOffset}, x0)
	ADDQ(U32(yOffset), at)
	Load(Param("n"), left)
	SHRQ(Imm(3), left)
	XORL(word, word)
	MOVL(U32(8<<16), step)
	JMP(LabelRef("block"))
	Label("done")
	RET()
}

func rowsOfMatrix() {
	function("FourRowsSSSE3", "(rows []uint16, m *Matrix, first, n int)",
		"FourRowsSSSE3 makes four rows of A, the first of which has that number, of n words each: eight rounds",
		"of AES of X[i] ^ Y[j]. The S-box is look-ups of nibbles, see _gen/aes/permute, with MixColumns in the",
		"tables.",
		"AX tables, BX first round key, CX offset of the next one, DX of the last one, SI X of the first row,",
		"DI where it goes on, R8 blocks of a row left, R9 indices of MixColumns, R10 offset of the last permutation,",
		"R11 the next Y, R12 the bytes in a row, R13 three times that;",
		laneRegisters, encryptSpeed)
	var (
		d       = encryption
		x       = src
		left    = remaining
		y       = reg.R11
		stride  = reg.R12
		stride3 = reg.R13
	)
	Load(Param("m"), keys)
	Load(Param("first"), x)
	SHLQ(Imm(4), x)
	LEAQ(Mem{Base: keys, Index: x, Scale: 1, Disp: xOffset}, x)
	LEAQ(Mem{Base: keys, Disp: yOffset}, y)
	ADDQ(U32(matrixKeys), keys)
	d.tables.load(tables, bias)
	d.rotations.load(rotations, 0)
	MOVL(U32(16*matrixRounds), lastKeyAt.As32())
	MOVL(U32(matrixRounds%4/2*16), unshiftAt.As32())
	MOVO(d.tables.at("nibble"), mask)
	Load(Param("rows").Base(), dst)
	Load(Param("n"), stride)
	MOVQ(stride, left)
	SHRQ(Imm(3), left)
	ADDQ(stride, stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	Label("step")
	columns, l := key, lanes(4)
	MOVOU(Mem{Base: y}, columns)
	for i, l := range l {
		MOVOU(block(x, i), l.x)
		PXOR(columns, l.x)
	}
	d.middle(l, 3)
	d.last(l)
	for i, to := range []Mem{{}, {Index: stride, Scale: 1}, {Index: stride, Scale: 2}, {Index: stride3, Scale: 1}} {
		to.Base = dst
		MOVOU(l[i].x, to)
	}
	ADDQ(Imm(16), y)
	ADDQ(Imm(16), dst)
	DECQ(left)
	JNE(LabelRef("step"))
	RET()
}
