// Command loong64 writes the ChaCha20-Poly1305 kernels (RFC 8439) for LSX and LASX.
//
// # Algorithm
//
// ChaCha20. A pass is four blocks (LSX) or eight (LASX): register i has word i of each. A step of
// a quarter round is three instructions, for the words of a block in all lanes. Then four words of
// four blocks change places, and with LASX the halves of two registers do, so that 32 bytes of a
// block come together. Fewer blocks at the end have their rows in a register: one block (LSX) or
// two (LASX), whose lanes turn for the diagonals.
//
// Poly1305. Each lane of 64 bits has an element of its own, in five limbs of 26 bits:
//
//	t0 = h0 r0 + h1 s4 + h2 s3 + h3 s2 + h4 s1      s_i = 5 r_i
//	t1 = h0 r1 + h1 r0 + h2 s4 + h3 s3 + h4 s2
//	t2 = h0 r2 + h1 r1 + h2 r0 + h3 s4 + h4 s3
//	t3 = h0 r3 + h1 r2 + h2 r1 + h3 r0 + h4 s4
//	t4 = h0 r4 + h1 r3 + h2 r2 + h3 r1 + h4 r0
//
// r is r^2 (LSX) or r^4 (LASX) until the last blocks, which lanes multiply by r^2 and r, or by
// r^4, r^2, r^3 and r: this is the order in which blocks come out of ILVL. The sum of the lanes is
// the result. Limbs are below 2^27 and s_i below 2^29, so that sums are below 2^59.
//
// # Registers
//
//	name      what
//	x         words of the states, or rows
//	t         between instructions
//	h, m      limbs of the elements, of the text
//	r, s      of the formula
//	mask      2^26-1 in each lane, pad 2^24 (the bit behind a block)
//
// # Bound
//
// Instructions for LA464: ten double rounds are 960, 3.75 per byte with LSX and 1.88 with LASX. States, sums and
// places add 0.32 and 0.21, text 0.19 and 0.09. Poly1305 takes 25 products, 23 instructions for carries and
// 18 for the limbs of text: 2.3 per byte with LSX and 1.15 with LASX.
package main

import (
	"encoding/binary"
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
)

//go:generate go run . -out ../../../internal/chachapoly/internal/loong64/chachapoly_loong64.s -declarations ../../../internal/chachapoly/internal/loong64/chachapoly_loong64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	var numbers []byte
	for i := range 8 {
		numbers = binary.LittleEndian.AppendUint32(numbers, uint32(i))
	}
	for _, n := range []uint32{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0} {
		numbers = binary.LittleEndian.AppendUint32(numbers, n)
	}
	counters := file.Table("counters", "The numbers of blocks in a pass, and in the rows of two, and how many one or two are.", numbers)
	for _, w := range []Width{LSX, LASX} {
		chacha(file, w, counters)
		poly1305(file, w)
	}
	file.Write(*out, *declarations)
}

// quarters emits the quarter rounds of four columns or diagonals, step by step.
func quarters(f *asm.Func, w Width, x []asm.Reg, diagonal int) {
	word := func(row, column int) asm.Reg { return x[4*row+(column+diagonal*row)%4] }
	step := func(a, b, d, left int) {
		for i := range 4 {
			f.Add(w.ADD(W, word(b, i), word(a, i), word(a, i)))
		}
		for i := range 4 {
			f.Add(w.XOR(word(a, i), word(d, i), word(d, i)))
		}
		for i := range 4 {
			f.Add(w.ROTRI(W, 32-left, word(d, i), word(d, i)))
		}
	}
	step(0, 1, 3, 16)
	step(2, 3, 1, 12)
	step(0, 1, 3, 8)
	step(2, 3, 1, 7)
}

func chacha(file *asm.File, w Width, counters *asm.Table) {
	f := file.Func("chacha"+w.String(), "(dst, src *byte, n int, state *[16]uint32)")
	f.Doc = f.Name + ` adds keystream to n > 0 bytes, whole blocks, and advances the counter in the state.`
	if w == LASX {
		f.Doc += " The number of blocks is even."
	}
	f.Secret = "dst src state"
	dst, src, n, state := f.Arg("dst"), f.Arg("src"), f.Arg("n"), f.Arg("state")
	x := f.Several(Vector, "x", 16)
	t := f.Several(Vector, "t", 4)
	counter, rounds, table, c, pass := f.New(Vector, "counter"), f.New(Integer, "rounds"), f.New(Integer, "table"), f.New(Integer, "c"), f.New(Integer, "pass")
	blocks := int(w) / 4 // in a pass

	f.Add(Address(counters, table), MOVI(64*blocks, pass))
	f.Add(BLTU(n, pass, "rows"))
	f.Label("pass")
	f.Add(w.Load(0, table, counter), w.LoadWord(4*12, state, x[12]), w.ADD(W, counter, x[12], x[12]))
	for i := range x {
		if i != 12 {
			f.Add(w.LoadWord(4*i, state, x[i]))
		}
	}
	f.Add(MOVI(10, rounds))
	f.Label("double")
	quarters(f, w, x, 0)
	quarters(f, w, x, 1)
	f.Add(ADDVI(-1, rounds, rounds), BNE(rounds, ZERO, "double"))
	f.Add(w.ADD(W, counter, x[12], x[12]))
	for i := range x {
		f.Add(w.LoadWord(4*i, state, t[i%4]), w.ADD(W, t[i%4], x[i], x[i]))
	}
	f.Add(MOVWU(4*12, state, c), ADDVI(blocks, c, c), SW(c, 4*12, state))
	for i := 0; i < 16; i += 4 {
		transpose(f, w, x[i:i+4], t)
	}
	add := func(offset int, v, t asm.Reg) {
		f.Add(w.Load(offset, src, t), w.XOR(v, t, t), w.Store(t, offset, dst))
	}
	for i := range 4 { // block i, and with LASX i+4
		if w == LSX {
			for j := range 4 {
				add(64*i+16*j, x[4*j+i], t[j])
			}
			continue
		}
		for j := range 2 {
			a, b := x[8*j+i], x[8*j+4+i]
			f.Add(
				w.OR(b, b, t[2*j]), PERMIQ(0x31, a, t[2*j]),
				PERMIQ(0x02, b, a),
			)
			add(64*i+32*j, a, t[2*j+1])
			add(64*(i+4)+32*j, t[2*j], t[2*j+1])
		}
	}
	f.Add(ADDVI(64*blocks, src, src), ADDVI(64*blocks, dst, dst), SUBV(pass, n, n), BGEU(n, pass, "pass"))
	f.Label("rows")
	f.Add(BEQ(n, ZERO, "done"))
	rows(f, w, dst, src, n, state, table, x, t, rounds)
	f.Label("done")
	f.Add(RET())
}

// transpose makes the words of a row of the matrices the row of four blocks.
func transpose(f *asm.Func, w Width, x, t []asm.Reg) {
	f.Add(
		w.ILVL(W, x[0], x[1], t[0]), w.ILVL(W, x[2], x[3], t[1]),
		w.ILVH(W, x[0], x[1], t[2]), w.ILVH(W, x[2], x[3], t[3]),
		w.ILVL(D, t[0], t[1], x[0]), w.ILVH(D, t[0], t[1], x[1]),
		w.ILVL(D, t[2], t[3], x[2]), w.ILVH(D, t[2], t[3], x[3]),
	)
}

// rows is for what no pass is for.
func rows(f *asm.Func, w Width, dst, src, n, state, table asm.Reg, x, t []asm.Reg, rounds asm.Reg) {
	blocks := int(w) / 16
	initial, row := x[:4], x[4:8]
	for i := range initial {
		if w == LSX {
			f.Add(w.Load(16*i, state, initial[i]))
			continue
		}
		f.Add(LSX.Load(16*i, state, initial[i]), PERMIQ(0, initial[i], initial[i]))
	}
	if w == LASX {
		f.Add(w.Load(32, table, t[0]), w.ADD(W, t[0], initial[3], initial[3]))
	}
	f.Add(w.Load(map[Width]int{LSX: 48, LASX: 64}[w], table, t[2]))
	f.Label("group")
	for i := range row {
		f.Add(w.OR(initial[i], initial[i], row[i]))
	}
	f.Add(MOVI(10, rounds))
	f.Label("twice")
	for _, order := range [][3]int{{0x39, 0x4e, 0x93}, {0x93, 0x4e, 0x39}} {
		step := func(a, b, d asm.Reg, left int) {
			f.Add(w.ADD(W, b, a, a), w.XOR(a, d, d), w.ROTRI(W, 32-left, d, d))
		}
		step(row[0], row[1], row[3], 16)
		step(row[2], row[3], row[1], 12)
		step(row[0], row[1], row[3], 8)
		step(row[2], row[3], row[1], 7)
		for i, n := range order {
			f.Add(w.SHUF4I(W, n, row[i+1], row[i+1]))
		}
	}
	f.Add(ADDVI(-1, rounds, rounds), BNE(rounds, ZERO, "twice"))
	for i := range row {
		f.Add(w.ADD(W, initial[i], row[i], row[i]))
	}
	f.Add(w.ADD(W, t[2], initial[3], initial[3]))
	if w == LASX {
		for i := 0; i < 4; i += 2 { // the second block is in upper halves
			f.Add(w.OR(row[i+1], row[i+1], t[0]), PERMIQ(0x31, row[i], t[0]), PERMIQ(0x02, row[i+1], row[i]))
			f.Add(w.Load(16*i, src, t[1]), w.XOR(row[i], t[1], t[1]), w.Store(t[1], 16*i, dst))
			f.Add(w.Load(64+16*i, src, t[1]), w.XOR(t[0], t[1], t[1]), w.Store(t[1], 64+16*i, dst))
		}
	} else {
		for i := range row {
			f.Add(w.Load(16*i, src, t[0]), w.XOR(row[i], t[0], t[0]), w.Store(t[0], 16*i, dst))
		}
	}
	f.Add(
		ADDVI(64*blocks, src, src), ADDVI(64*blocks, dst, dst), ADDVI(-64*blocks, n, n),
		BNE(n, ZERO, "group"),
		LSX.Store(initial[3], 48, state), // the lower half has the next block
	)
}
