package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/keccak/f1600"
)

// code is a list of instructions that have not been written yet, so that those of
// several computations can be mixed.
type code []func()

func (c *code) add(f func()) { *c = append(*c, f) }

func (c code) write() {
	for _, f := range c {
		f()
	}
}

// weave spreads the shorter list evenly through the longer one.
func weave(a, b code) code {
	var out code
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if j == len(b) || i < len(a) && i*len(b) <= j*len(a) {
			out.add(a[i])
			i++
		} else {
			out.add(b[j])
			j++
		}
	}
	return out
}

// A sponge is a state of Keccak that a kernel squeezes on the side, a round at a time.
type sponge struct {
	c, d, b                      []reg.GPPhysical
	temp                         reg.GPPhysical
	from, to                     Mem
	inMemory                     map[int]Mem // the words of d that are not in registers
	next, pairs                  Mem
	table                        Mem
	state, output, words, blocks Mem // where the state comes from; where output goes; blocks left
}

func newSponge(table Mem, d ...reg.GPPhysical) *sponge {
	s := &sponge{
		table: table,
		c:     []reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI},
		d:     d,
		b:     []reg.GPPhysical{reg.R11, reg.R12, reg.R13, reg.R14, reg.RBP},
		temp:  reg.R10,
	}
	s.from, s.to = AllocLocal(200), AllocLocal(200)
	for _, m := range []*Mem{&s.next, &s.pairs, &s.state, &s.output, &s.words, &s.blocks} {
		*m = AllocLocal(8)
	}
	s.inMemory = map[int]Mem{}
	for x := len(d); x < 5; x++ {
		s.inMemory[x] = AllocLocal(8)
	}
	return s
}

// round is one round of Keccak-f[1600] from one state to the other. The parities of
// the columns are in c, before and after.
func (s *sponge) round(from, to Mem, second int) code {
	var out code
	put := func(f func()) { out.add(f) }
	for _, x := range []int{4, 3, 2, 0, 1} {
		d := s.temp
		m, memory := s.inMemory[x]
		if !memory {
			d = s.d[x]
		}
		put(func() { RORXQ(Imm(63), s.c[(x+1)%5], d) })
		put(func() { XORQ(s.c[(x+4)%5], d) })
		if memory {
			put(func() { MOVQ(d, m) })
		}
	}
	for y, lanes := range f1600.Plane {
		b := s.b
		for i, l := range lanes {
			at := from.Offset(8 * l.Lane)
			if d, memory := s.inMemory[l.Lane%5]; memory {
				put(func() { MOVQ(d, b[i]) })
				put(func() { XORQ(at, b[i]) })
			} else {
				put(func() { MOVQ(at, b[i]) })
				put(func() { XORQ(s.d[l.Lane%5], b[i]) })
			}
			if l.Rotate != 0 {
				put(func() { RORXQ(Imm(uint64(64-l.Rotate)), b[i], b[i]) })
			}
		}
		for x := range 5 {
			r := s.temp
			if y == 0 {
				r = s.c[x]
			}
			put(func() { ANDNQ(b[(x+2)%5], b[(x+1)%5], r) })
			put(func() { XORQ(b[x], r) })
			if y == 0 && x == 0 {
				continue // iota comes first
			}
			put(func() { MOVQ(r, to.Offset(8*(5*y+x))) })
			if y > 0 {
				put(func() { XORQ(r, s.c[x]) })
			}
		}
		if y == 0 {
			put(func() { MOVQ(s.next, b[0]) })
			put(func() { XORQ(Mem{Base: b[0], Disp: 8 * second}, s.c[0]) })
			if second == 1 {
				put(func() { ADDQ(Imm(16), b[0]) })
				put(func() { MOVQ(b[0], s.next) })
			}
			put(func() { MOVQ(s.c[0], to) })
		}
	}
	return out
}

// begin takes the state, of which it also computes the parities, and copies a block.
// If there are no blocks to copy, it jumps.
func (s *sponge) begin(t reg.VecPhysical, none string) {
	p := s.b[0]
	for _, x := range []struct {
		name string
		to   Mem
	}{{"q", s.output}, {"words", s.words}, {"state", s.state}, {"blocks", s.blocks}} {
		Load(Param(x.name), p)
		MOVQ(p, x.to)
	}
	TESTQ(p, p)
	JEQ(LabelRef(none))
	MOVQ(s.state, p)
	for i := range 25 {
		t := s.temp
		if i < 5 {
			t = s.c[i]
		}
		MOVQ(Mem{Base: p, Disp: 8 * i}, t)
		MOVQ(t, s.from.Offset(8*i))
		if i >= 5 {
			XORQ(t, s.c[i%5])
		}
	}
	s.block(t, "firstBlock")
}

// block copies a block of the state, and has the permutation begin.
func (s *sponge) block(t reg.VecPhysical, label string) {
	p, n, q := s.b[0], s.b[1], s.b[2]
	MOVQ(s.output, p)
	MOVQ(s.words, n)
	for i := range 2 {
		VMOVDQU64(s.from.Offset(64*i), t)
		VMOVDQU64(t, Mem{Base: p, Disp: 64 * i})
	}
	MOVQ(s.from.Offset(128), q)
	MOVQ(q, Mem{Base: p, Disp: 128})
	CMPQ(n, Imm(17))
	JEQ(LabelRef(label))
	VMOVDQU64(s.from.Offset(136), t.AsY())
	VMOVDQU64(t.AsY(), Mem{Base: p, Disp: 136})
	Label(label)
	LEAQ(Mem{Base: p, Index: n, Scale: 8}, p)
	MOVQ(p, s.output)
	LEAQ(s.table, p)
	MOVQ(p, s.next)
	MOVQ(U32(12), p)
	MOVQ(p, s.pairs)
}

// end gives the state back and clears what the stack has of it.
func (s *sponge) end(t, z reg.VecPhysical) {
	p := s.b[0]
	MOVQ(s.state, p)
	VPXORD(z, z, z)
	for i := range 3 {
		VMOVDQU64(s.from.Offset(64*i), t)
		VMOVDQU64(t, Mem{Base: p, Disp: 64 * i})
	}
	MOVQ(s.from.Offset(192), s.temp)
	MOVQ(s.temp, Mem{Base: p, Disp: 192})
	for _, m := range []Mem{s.from, s.to} {
		for i := range 3 {
			VMOVDQU64(z, m.Offset(64*i))
		}
		VMOVQ(z.AsX(), m.Offset(192))
	}
	for x := len(s.d); x < 5; x++ {
		VMOVQ(z.AsX(), s.inMemory[x])
	}
	for _, r := range s.c {
		XORQ(r, r)
	}
}

// finishSponge is finish for functions with a sponge.
func finishSponge() {
	Comment("ct:allow stack x2: the state is overwritten after its last block, for which there are 12 parts or more")
	finish()
}

func pairs512() {
	function("PairsAVX512", "(p *Pairs, s []uint16)",
		"PairsAVX512 makes, of a matrix S of 8 x n entries, the words S[k][4i] | S[k][4i+2] << 16 and",
		"S[k][4i+1] | S[k][4i+3] << 16, in turns, for each k; and Squares[k], minus the sum of all S[k][2i] S[k][2i+1].",
		"AX is p, BX S, CX n/4 left, DX the bytes in a row of S, SI three times that. Y0 to Y15 rows, Y16 the sums,",
		"Y17 and Y18 the order of words. Eight rows of sixteen entries are transposed at a time.")
	order := GLOBL("pairsOrder", attr.RODATA|attr.NOPTR)
	DATA(0, U64(0x0706030205040100))
	DATA(8, U64(0x0f0e0b0a0d0c0908))
	p, s, left, stride, stride3 := reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI
	Load(Param("p"), p)
	Load(Param("s").Base(), s)
	Load(Param("s").Len(), left)
	SHRQ(Imm(5), left)
	MOVQ(left, stride)
	SHLQ(Imm(3), stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	LEAQ(Mem{Base: s, Index: stride, Scale: 4}, reg.RDI)
	y := make([]reg.VecPhysical, 20)
	for i := range y {
		y[i] = zmm[i].AsY().(reg.VecPhysical)
	}
	sum, shuffle := y[16], y[17]
	VPXORD(sum, sum, sum)
	VBROADCASTI32X4(order, shuffle)
	Label("pairs")
	for i, base := range []reg.GPPhysical{s, reg.RDI} {
		VMOVDQU(Mem{Base: base}, y[4*i])
		VMOVDQU(Mem{Base: base, Index: stride, Scale: 1}, y[4*i+1])
		VMOVDQU(Mem{Base: base, Index: stride, Scale: 2}, y[4*i+2])
		VMOVDQU(Mem{Base: base, Index: stride3, Scale: 1}, y[4*i+3])
	}
	Comment("Of every four entries the middle ones change places, so that a quadword has the two words.")
	for i := range 8 {
		VPSHUFB(shuffle, y[i], y[i])
	}
	Comment("Quadwords: rows k and k+1, of entries 0 to 3 and 8 to 11, or 4 to 7 and 12 to 15.")
	for i := 0; i < 8; i += 2 {
		VPUNPCKLQDQ(y[i+1], y[i], y[8+i])
		VPUNPCKHQDQ(y[i+1], y[i], y[9+i])
	}
	for i := range 4 {
		// Entries 4i to 4i+3 of rows 0 to 3, then 4 to 7.
		half := uint64(0x20)
		if i >= 2 {
			half = 0x31
		}
		for j := range 2 {
			t := y[2*j]
			VPERM2I128(Imm(half), y[8+4*j+2+i%2], y[8+4*j+i%2], t)
			VMOVDQU(t, Mem{Base: p, Disp: 64*i + 32*j})
		}
		VSHUFPS(Imm(0x88), y[2], y[0], y[4])
		VSHUFPS(Imm(0xdd), y[2], y[0], y[5])
		VPDPWSSD(y[5], y[4], sum)
	}
	ADDQ(Imm(32), s)
	ADDQ(Imm(32), reg.RDI)
	ADDQ(U32(256), p)
	SUBQ(Imm(4), left)
	JNE(LabelRef("pairs"))
	Comment("The sums are those of rows 0, 1, 4, 5 and 2, 3, 6, 7: their quadwords 1 and 2 change places.")
	VPERMQ(Imm(0xd8), sum, sum)
	VPXORD(y[0], y[0], y[0])
	VPSUBD(sum, y[0], sum)
	Load(Param("p"), p)
	VMOVDQU64(sum, Mem{Base: p, Disp: squaresAt})
	Comment("S is secret.")
	zeroHigh()
	finish()
}

const (
	matrixSize = keysAt + 12*16
	pairsSize  = maxN / 2 * 32
	squaresAt  = pairsSize
)

// quad is four rows of a stripe in the product by Winograd's formula: of the
// products s0 a0 + s1 a1 = (s0 + a1)(s1 + a0) - s0 s1 - a0 a1 only the first is
// different for each row of S' and each column, and needs one multiplication.
type quad struct {
	sums, aa       []reg.VecPhysical
	v, u           [2]reg.VecPhysical // even and odd rows, columns 0 to 3 and 4 to 7 of every eight
	b0, b1, t0, t1 reg.VecPhysical
	order          Mem
	pairs          reg.Register
	at             int
}

func (q *quad) unpack(a []reg.VecPhysical) {
	VPUNPCKLWD(a[2], a[0], q.v[0])
	VPUNPCKHWD(a[2], a[0], q.v[1])
	VPUNPCKLWD(a[3], a[1], q.u[0])
	VPUNPCKHWD(a[3], a[1], q.u[1])
}

func (q *quad) multiply(at int) code {
	var out code
	for h := range 2 {
		out.add(func() { VPDPWSSD(q.v[h], q.u[h], q.aa[h]) })
	}
	for k := range 8 {
		out.add(func() { VPBROADCASTD(Mem{Base: q.pairs, Disp: q.at + at + 8*k}, q.b0) })
		out.add(func() { VPBROADCASTD(Mem{Base: q.pairs, Disp: q.at + at + 8*k + 4}, q.b1) })
		for h := range 2 {
			out.add(func() { VPADDW(q.b0, q.u[h], q.t0) })
			out.add(func() { VPADDW(q.b1, q.v[h], q.t1) })
			out.add(func() { VPDPWSSD(q.t0, q.t1, q.sums[8*h+k]) })
		}
	}
	return out
}

// begin has the sums begin with what squares points to, a word for each row of S'.
func (q *quad) begin(squares reg.Register) {
	for k := range 8 {
		for h := range 2 {
			VPBROADCASTD(Mem{Base: squares, Disp: 4 * k}, q.sums[8*h+k])
		}
	}
	zero(q.aa)
}

// store adds the sums, mod 2^16, to a stripe of out, or half of one. at is free.
func (q *quad) store(out, stride, at reg.Register, half bool) {
	VMOVDQU64(q.order, q.b1)
	VPERMT2W(q.aa[1], q.b1, q.aa[0])
	MOVQ(out, at)
	for k := range 8 {
		VPERMT2W(q.sums[8+k], q.b1, q.sums[k])
		VPSUBW(q.aa[0], q.sums[k], q.sums[k])
		sum := halved(q.sums[k], half)
		VPADDW(Mem{Base: at}, sum, sum)
		VMOVDQU64(sum, Mem{Base: at})
		ADDQ(stride, at)
	}
}

// sumOrder has, for each of 32 columns, where the lower half of its sum is in the two
// registers that have the columns 0 to 3 and 4 to 7 of every eight.
func sumOrder(name string) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range 32 {
		at := 2 * (i/8*4 + i%4)
		if i%8 >= 4 {
			at += 32
		}
		DATA(2*i, U16(at))
	}
	return m
}

func mulSA() {
	table, order := f1600.Constants("roundConstants"), sumOrder("sumOrder")
	function("MulSAVAES512", "(out []uint16, w *Work, state *[25]uint64, q *byte, words, blocks int)",
		"MulSAVAES512 adds S'A to out, 8 x n. A is never stored: a stripe of 32 columns is made and",
		"multiplied, four rows of it at a time, and stays in registers. On the side it copies blocks of the state",
		"to q, of that many words, and permutes the state after each with Keccak-f[1600].",
		"words is 17 or 21; n is a multiple of 16, and of 16 rows and 32 columns, or 16 if they are the last, there",
		"are at least 12 for each block.",
		"R15 is where the rows are in w's X, and with them the pairs. Z0 to Z7 are the sums of the columns 0 to",
		"3, 8 to 11, ... of the stripe for each row of S', Z8 to Z15 of the others, Z16 and Z17 of products of A alone;",
		"Z18 to Z21 the next four rows of A, Z22 to Z25 these, two in a register; Z26 to Z29 temporary, Z30 a",
		"round key, Z31 the Y of the stripe.",
		"AX BX CX DX SI are the parities of Keccak's columns, DI R8 R9 and two words on the stack theta's D, R11 to",
		"R14 and BP a plane, R10 temporary; between the loops these are free but for the parities.",
		"Stack: two states, D, what Keccak has left to do; round keys; where the stripe is.",
		"Two units do AES and multiply. Four rows of a stripe take 32 + 18 instructions of these, with Winograd's",
		"formula, and 41 others; a multiplication for each pair of products would take 32 + 32. The AES of the next",
		"four rows is mixed with the multiplications of these, and Keccak's round, all in integer registers, with",
		"eight rows: alone it would take half as long as those.")
	s := newSponge(table, reg.RDI, reg.R8, reg.R9)
	keys := AllocLocal(8 * 16)
	var out, stride, columns, y, end Mem
	for _, m := range []*Mem{&out, &stride, &columns, &y, &end} {
		*m = AllocLocal(8)
	}
	x := reg.R15
	m := reg.R14
	t0, t1, t2 := reg.R10, reg.R11, reg.R12
	a, key, yz := zmm[18:22], zmm[30], zmm[31]
	q := quad{
		sums: zmm[:16], aa: zmm[16:18],
		v: [2]reg.VecPhysical{zmm[22], zmm[23]}, u: [2]reg.VecPhysical{zmm[24], zmm[25]},
		b0: zmm[26], b1: zmm[27], t0: zmm[28], t1: zmm[29],
		pairs: x, at: matrixSize - xAt, order: order,
	}
	Load(Param("w"), m)
	for i := range 8 {
		VMOVDQU64(Mem{Base: m, Disp: keysAt + 16*(3+i)}, zmm[0].AsX())
		VMOVDQU64(zmm[0].AsX(), keys.Offset(16*i))
	}
	Load(Param("out").Base(), t0)
	MOVQ(t0, out)
	Load(Param("out").Len(), t0)
	SHRQ(Imm(3), t0)
	MOVQ(t0, columns)
	LEAQ(Mem{Base: t0, Index: t0, Scale: 1}, t1)
	MOVQ(t1, stride)
	SHLQ(Imm(4), t0)
	LEAQ(Mem{Base: m, Index: t0, Scale: 1, Disp: xAt}, t1)
	MOVQ(t1, end)
	LEAQ(Mem{Base: m, Disp: yAt}, t1)
	MOVQ(t1, y)
	s.begin(q.b0, "stripe")

	Label("stripe")
	MOVQ(y, t0)
	VMOVDQU64(Mem{Base: t0}, yz)
	ADDQ(Imm(64), t0)
	MOVQ(t0, y)
	Load(Param("w"), x)
	LEAQ(Mem{Base: x, Disp: matrixSize + squaresAt}, t0)
	ADDQ(U32(xAt), x)
	q.begin(t0)
	// aes makes the four rows from the number at on.
	aes := func(at int) code {
		var c code
		for i, v := range a {
			c.add(func() { VBROADCASTI32X4(Mem{Base: x, Disp: 16 * (at + i)}, v) })
		}
		for _, v := range a {
			c.add(func() { VPXORD(yz, v, v) })
		}
		for r := range 8 {
			c.add(func() { VBROADCASTI32X4(keys.Offset(16*r), key) })
			for _, v := range a {
				if r < 7 {
					c.add(func() { VAESENC(key, v, v) })
				} else {
					c.add(func() { VAESENCLAST(key, v, v) })
				}
			}
		}
		return c
	}
	// sixteen multiplies sixteen rows and makes the first of those behind them.
	sixteen := func() code {
		var c code
		for i := 0; i < 16; i += 4 {
			c.add(func() { q.unpack(a) })
			c = append(c, mixed(aes(i+4), q.multiply(16*i))...)
		}
		return c
	}
	aes(0).write()
	CMPQ(s.blocks, Imm(0))
	JEQ(LabelRef("rows"))

	Label("rowsAndKeccak")
	weave(sixteen(), append(s.round(s.from, s.to, 0), s.round(s.to, s.from, 1)...)).write()
	ADDQ(U32(256), x)
	DECQ(s.pairs)
	JNE(LabelRef("more"))
	DECQ(s.blocks)
	JEQ(LabelRef("last"))
	s.block(q.b0, "nextBlock")
	Label("more")
	CMPQ(x, end)
	JNE(LabelRef("rowsAndKeccak"))
	JMP(LabelRef("store"))
	Label("last")
	s.end(q.b0, q.b1)
	CMPQ(x, end)
	JEQ(LabelRef("store"))

	Label("rows")
	sixteen().write()
	ADDQ(U32(256), x)
	CMPQ(x, end)
	JNE(LabelRef("rows"))

	Label("store")
	MOVQ(out, t0)
	MOVQ(stride, t1)
	CMPQ(columns, Imm(32))
	JLT(LabelRef("half"))
	q.store(t0, t1, t2, false)
	ADDQ(Imm(64), t0)
	MOVQ(t0, out)
	MOVQ(columns, t0)
	SUBQ(Imm(32), t0)
	MOVQ(t0, columns)
	JNE(LabelRef("stripe"))
	JMP(LabelRef("done"))
	Label("half")
	Comment("n = 976 has 16 columns more than whole stripes.")
	q.store(t0, t1, t2, true)
	Label("done")
	Comment("The sums are as secret as S'.")
	zeroHigh()
	finishSponge()
}

func columns512() {
	function("ColumnsAVX512", "(p *Pairs, st []uint16)",
		"ColumnsAVX512 puts every eight entries of a row of st, 8 x n, beside those of the other rows; and makes",
		"Squares[k], minus the sum of all st[k][j] st[k][j+2], where j mod 4 is 0 or 1.",
		"AX is where words go, BX st, CX eights of a row left, DX rows left, SI Squares, DI the eights in a row, R8 p.",
		"X0 entries, X1 those at j+2 mod 4, X2 the sum of everything twice, X3 0.")
	p, st, left, rows, squares, n, first := reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI, reg.RDI, reg.R8
	x, y, sum, z := reg.X0, reg.X1, reg.X2, reg.X3
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
	VPXOR(z, z, z)
	Label("eight")
	VMOVDQU(Mem{Base: st}, x)
	VMOVDQU(x, Mem{Base: p})
	VPSRLQ(Imm(32), x, y)
	VPDPWSSD(y, x, sum)
	ADDQ(Imm(16), st)
	ADDQ(U32(128), p)
	DECQ(left)
	JNE(LabelRef("eight"))
	Comment("The upper dwords of y were 0.")
	VPHADDD(sum, sum, sum)
	VPHADDD(sum, sum, sum)
	VPSUBD(sum, z, sum)
	VMOVD(sum, Mem{Base: squares})
	ADDQ(Imm(4), squares)
	ADDQ(Imm(16), first)
	DECQ(rows)
	JNE(LabelRef("row"))
	finish()
}

func mulAS() {
	table := f1600.Constants("roundConstantsAS")
	function("MulASVAES512", "(out []uint16, w *Work, state *[25]uint64, q *byte, words, blocks int)",
		"MulASVAES512 adds A S to out, n x 8, where w has what ColumnsAVX512 made of S^T, 16 rows of A at a",
		"time. AES makes four registers of four rows and eight columns, a transposition four of 16 rows and two",
		"columns, which are multiplied by the entries for these in a column of S. On the side it squeezes a state, as",
		"MulSAVAES512 does.",
		"R15 is w's pairs, R9 how far the columns are in Y; the entries of S are eight times as far. Z0 to Z7 are the",
		"sums for each column of S, a row in every dword, Z8 those of products of A alone; Z9 to Z12 the X of the 16",
		"rows; Z13 to Z16 the next eight columns of A, Z17 to Z20 these; Z21 to Z24 temporary, Z25 a round key or Y,",
		"Z26 to Z31 other round keys. Keccak as there, but for theta's D, of which only two are in registers (DI, R8).",
		"Winograd's formula, as there, for the columns j and j+2.")
	s := newSponge(table, reg.RDI, reg.R8)
	const inMemory = 2 // keys
	keys := AllocLocal(inMemory * 16)
	var out, rows, end, x Mem
	for _, m := range []*Mem{&out, &rows, &end, &x} {
		*m = AllocLocal(8)
	}
	p, at := reg.R15, reg.R9
	t0, t1, t2 := reg.R10, reg.R11, reg.R12
	sums, aa, xs, a, v, key := zmm[:8], zmm[8], zmm[9:13], zmm[13:17], zmm[17:21], zmm[25]
	b0, b1, u0, u1 := zmm[21], zmm[22], zmm[23], zmm[24]
	resident := zmm[26:32]
	Load(Param("w"), p)
	for i := range 8 {
		if from := (Mem{Base: p, Disp: keysAt + 16*(3+i)}); i < inMemory {
			VMOVDQU(from, zmm[0].AsX())
			VMOVDQU(zmm[0].AsX(), keys.Offset(16*i))
		} else {
			VBROADCASTI32X4(from, resident[i-inMemory])
		}
	}
	LEAQ(Mem{Base: p, Disp: xAt}, t0)
	MOVQ(t0, x)
	ADDQ(U32(matrixSize), p)
	Load(Param("out").Base(), t0)
	MOVQ(t0, out)
	Load(Param("out").Len(), t0)
	SHRQ(Imm(3), t0)
	MOVQ(t0, rows)
	ADDQ(t0, t0)
	MOVQ(t0, end)
	s.begin(b0, "rows16")

	Label("rows16")
	MOVQ(x, t0)
	for i := range 4 {
		VMOVDQU64(Mem{Base: t0, Disp: 64 * i}, xs[i])
	}
	ADDQ(U32(256), t0)
	MOVQ(t0, x)
	zero(sums)
	zero([]reg.VecPhysical{aa})
	XORQ(at, at)
	// aes makes the eight columns from that number on.
	aes := func(column int) code {
		var c code
		c.add(func() { VBROADCASTI32X4(Mem{Base: p, Index: at, Scale: 1, Disp: yAt - matrixSize + 2*column}, key) })
		for i, v := range a {
			c.add(func() { VPXORD(key, xs[i], v) })
		}
		for r := range 8 {
			k := key
			if r < inMemory {
				c.add(func() { VBROADCASTI32X4(keys.Offset(16*r), key) })
			} else {
				k = resident[r-inMemory]
			}
			for _, v := range a {
				if r < 7 {
					c.add(func() { VAESENC(k, v, v) })
				} else {
					c.add(func() { VAESENCLAST(k, v, v) })
				}
			}
		}
		return c
	}
	// eight multiplies the columns from that number on and makes the next.
	eight := func(column int) code {
		var c code
		c.add(func() { transpose4(v, a, []reg.VecPhysical{b0, b1, u0, u1}) })
		var m code
		for h := range 2 {
			x, y := v[2*h], v[2*h+1]
			m.add(func() { VPDPWSSD(x, y, aa) })
			for k := range 8 {
				from := Mem{Base: p, Index: at, Scale: 8, Disp: 16*column + 16*k + 8*h}
				m.add(func() { VPBROADCASTD(from, b0) })
				m.add(func() { VPBROADCASTD(from.Offset(4), b1) })
				m.add(func() { VPADDW(b1, x, u0) })
				m.add(func() { VPADDW(b0, y, u1) })
				m.add(func() { VPDPWSSD(u0, u1, sums[k]) })
			}
		}
		return append(c, mixed(aes(column+8), m)...)
	}
	four := func() code {
		var c code
		for i := 0; i < 32; i += 8 {
			c = append(c, eight(i)...)
		}
		return c
	}
	// next goes on with the next 32 columns, or to the rest.
	next := func(label string) {
		LEAQ(Mem{Base: at, Disp: 64}, t0)
		CMPQ(t0, end)
		JLE(LabelRef(label))
		JMP(LabelRef("rest"))
	}
	aes(0).write()
	CMPQ(s.blocks, Imm(0))
	JEQ(LabelRef("columns"))

	Label("columnsAndKeccak")
	weave(four(), append(s.round(s.from, s.to, 0), s.round(s.to, s.from, 1)...)).write()
	ADDQ(Imm(64), at)
	DECQ(s.pairs)
	JNE(LabelRef("more"))
	DECQ(s.blocks)
	JEQ(LabelRef("last"))
	s.block(b0, "nextBlock")
	Label("more")
	next("columnsAndKeccak")
	Label("last")
	s.end(b0, b1)
	next("columns")

	Label("columns")
	four().write()
	ADDQ(Imm(64), at)
	next("columns")

	Label("rest")
	Comment("n = 976 has 16 columns more than thirty times 32.")
	CMPQ(at, end)
	JEQ(LabelRef("sum"))
	eight(0).write()
	ADDQ(Imm(16), at)
	JMP(LabelRef("rest"))

	Label("sum")
	Comment("Two sums in each dword, then a row in each quarter of a register.")
	MOVL(U32(0xaaaaaaaa), t0.As32())
	KMOVD(t0.As32(), reg.K2)
	for k := range 8 {
		VPSUBD(aa, sums[k], sums[k])
		VPADDD_BCST(Mem{Base: p, Disp: squaresAt + 4*k}, sums[k], sums[k])
	}
	for k := 0; k < 8; k += 2 {
		VPSLLD(Imm(16), sums[k+1], b0)
		VMOVDQU16(b0, reg.K2, sums[k])
	}
	transpose4(v, []reg.VecPhysical{sums[0], sums[2], sums[4], sums[6]}, []reg.VecPhysical{b0, b1, u0, u1})
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
	zeroHigh()
	finishSponge()
}

// transpose4 sets dword i of each quarter of out[j] to dword j of that of in[i].
func transpose4(out, in, t []reg.VecPhysical) {
	for h := range 2 {
		VPUNPCKLDQ(in[2*h+1], in[2*h], t[h])
		VPUNPCKHDQ(in[2*h+1], in[2*h], t[2+h])
	}
	for h := range 2 {
		VPUNPCKLQDQ(t[2*h+1], t[2*h], out[2*h])
		VPUNPCKHQDQ(t[2*h+1], t[2*h], out[2*h+1])
	}
}

// mixed is how the AES of the next rows goes between the multiplications of these:
// it is spread over part of them, so that it is ready when they are done. The share is
// the best of those from 0.4 to 1, which differ by 3 %.
func mixed(aes, multiply code) code {
	n := len(multiply) * 6 / 10
	return append(weave(aes, multiply[:n]), multiply[n:]...)
}

func add() {
	function("AddAVX512", "(out, x []uint16)",
		"AddAVX512 adds words to those of out; there is a multiple of 32 of them, and not none.",
		"AX is out, BX x, CX the words left.")
	out, x, n := reg.RAX, reg.RBX, reg.RCX
	Load(Param("out").Base(), out)
	Load(Param("out").Len(), n)
	Load(Param("x").Base(), x)
	Label("words")
	VMOVDQU64(Mem{Base: x}, zmm[0])
	VPADDW(Mem{Base: out}, zmm[0], zmm[0])
	VMOVDQU64(zmm[0], Mem{Base: out})
	ADDQ(Imm(64), out)
	ADDQ(Imm(64), x)
	SUBQ(Imm(32), n)
	JNE(LabelRef("words"))
	finish()
}
