// Command loong64 writes the SM3 kernels for loong64: one message, and four with LSX or eight with LASX.
//
// # Algorithm
//
// GB/T 32905-2016, 5.3.3. A round replaces D and H, and the names of registers move on:
//
//	SS1 = ((A <<< 12) + E + T[j]) <<< 7
//	D = FF(A, B, C) + D + (SS1 ^ (A <<< 12)) + W'[j]      B <<<= 9
//	H = P0(GG(E, F, G) + H + SS1 + W[j])                  F <<<= 19
//
// One message: rounds are integer instructions, and vectors expand the message (5.3.2), four words at a
// time, with LASX of two blocks side by side. The last of four words depends on the first one: its part is added
// after the permutation P1, which is linear. Many messages: a vector has the same word of all, FF is XOR and VBITSEL,
// and GG is VBITSEL.
//
// # Registers
//
//	name        what
//	state       A to H
//	w           the last 16 words of the message, or of all messages
//	ring        on the stack: W' and W of eight steps of four rounds
//	t, x        between instructions
//
// # Bound
//
// Instructions: one message takes 27 for a round from 16 on and 24 before, 24 to expand four words, and 45
// at the beginning and end of a block: 2036 for 64 bytes, 31.8 per byte, and with LASX 1874, 29.3. The rounds alone are
// 26.3. The chain of rounds is 6 instructions each, 384 cycles for a block.
//
// With the state in two vectors, A to D and E to H side by side, a round would take 20, and a block 25 per byte. But
// its chain is 9 instructions, which LA664 executes in 9 cycles and LA464, whose rotations take two, in 12: 576 and 768
// cycles for a block. In the same model (docs/loongson.md) integers take 433 on LA664, and on LA464 509, or 469 with LASX.
//
// A round of many messages takes 22, and the next word 10. With loads and transposition this is 2035 for a block of each
// with LSX, 7.9 per byte, and 2075 with LASX, 4.1.
package main

import (
	"encoding/binary"
	"flag"
	"math/bits"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
)

//go:generate go run . -out ../../../sm3/internal/loong64/sm3_loong64.s -declarations ../../../sm3/internal/loong64/sm3_loong64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	table := file.Table("constants", "T[j] <<< j: GB/T 32905-2016, 5.2.", constants())
	windows := file.Table("windows", "Words 2 to 5, and 3 to 6, of two vectors.", windows())
	end := file.Table("end", "Words 8 and 15 of a block that ends a message of 96 bytes.", binary.LittleEndian.AppendUint32([]byte{0, 0, 0, 0x80}, 8*96))
	blocks(file, table, windows, LSX)
	blocks(file, table, windows, LASX)
	for _, w := range []Width{LSX, LASX} {
		compress(file, table, w)
		iterate(file, table, end, w)
	}
	file.Write(*out, *declarations)
}

func constants() (data []byte) {
	for j := range 64 {
		t := uint32(0x79cc4519)
		if j >= 16 {
			t = 0x7a879d8a
		}
		data = binary.LittleEndian.AppendUint32(data, bits.RotateLeft32(t, j))
	}
	return data
}

func windows() (data []byte) {
	for _, first := range []byte{8, 12} {
		for i := range byte(16) {
			data = append(data, first+i)
		}
	}
	return data
}

// swap has the bytes of words in the other order.
const swap = 0<<6 | 1<<4 | 2<<2 | 3

// A message is a kernel for one message, with vectors of one block or two.
type message struct {
	Width
	constants, q  asm.Reg // q has the address of the ring
	state, w      []asm.Reg
	t             []asm.Reg
	x             []asm.Reg
	middle, upper asm.Reg // windows of words 2 to 5 and 3 to 6
}

// Places in the ring: a step has W' and then W of four rounds. Two blocks need all steps, because the second one
// begins when the first one is done.

func (m *message) steps() int         { return int(m.Width) / 2 }
func (m *message) prime(step int) int { return step % m.steps() * 2 * int(m.Width) }
func (m *message) plain(step int) int { return m.prime(step) + int(m.Width) }

func blocks(file *asm.File, table, windows *asm.Table, w Width) {
	f := file.Func("blocks"+w.String(), "(v *[8]uint32, p *byte, n int)")
	count := int(w) / 16
	f.Doc = f.Name + " compresses n > 0 bytes, " + map[Width]string{LSX: "whole blocks", LASX: "pairs of blocks"}[w] + ", into the chaining value v."
	f.Secret = "v p"
	v, p, n := f.Arg("v"), f.Arg("p"), f.Arg("n")
	m := &message{
		Width: w, constants: f.New(Integer, "constants"), q: f.New(Integer, "q"),
		state: f.Several(Integer, "state", 8), w: f.Several(Vector, "w", 4),
		t: f.Several(Integer, "t", 4), x: f.Several(Vector, "x", 4),
		middle: f.New(Vector, "middle"), upper: f.New(Vector, "upper"),
	}
	size := m.steps() * 2 * int(w)
	ring := f.Local("ring", size)
	f.Add(Address(windows, m.q), LSX.Load(0, m.q, m.middle), LSX.Load(16, m.q, m.upper))
	if w == LASX {
		f.Add(PERMIQ(0, m.middle, m.middle), PERMIQ(0, m.upper, m.upper))
	}
	f.Add(Address(table, m.constants), Address(ring, m.q))
	for i, s := range m.state {
		f.Add(MOVW(4*i, v, s))
	}
	f.Label("block")
	for i, x := range m.w {
		f.Add(LSX.Load(16*i, p, x))
		if w == LASX {
			f.Add(LSX.Load(64+16*i, p, m.x[0]), PERMIQ(0x02, m.x[0], x))
		}
		f.Add(w.SHUF4I(B, swap, x, x), w.Store(x, m.plain(i), m.q))
		if i > 0 {
			f.Add(w.XOR(m.w[i-1], x, m.x[0]), w.Store(m.x[0], m.prime(i-1), m.q))
		}
	}
	for block := range count {
		var rounds, expansion asm.Stream
		for j := range 64 {
			rounds.Add(m.round(block, j)...)
		}
		if block == 0 {
			for k := range 13 {
				expansion.Add(m.expand(k)...)
			}
		}
		f.Add(asm.Spread(rounds[:len(rounds)*13/16], expansion)...)
		f.Add(rounds[len(rounds)*13/16:]...)
		for i, s := range m.state {
			f.Add(MOVW(4*i, v, m.t[i%4]), XOR(m.t[i%4], s, s), SW(s, 4*i, v))
		}
	}
	f.Add(ADDVI(64*count, p, p), ADDVI(-64*count, n, n), BNE(n, ZERO, "block"))
	f.Add(w.REPLICATE(D, ZERO, m.x[0]))
	for i := 0; i < size; i += int(w) {
		f.Add(w.Store(m.x[0], i, m.q))
	}
	f.Add(RET())
}

// rotated is P1 without x itself.
func (m *message) rotated(x, t, d asm.Reg) asm.Stream {
	return asm.Stream{m.ROTRI(W, 32-15, x, t), m.ROTRI(W, 32-23, x, d), m.XOR(t, d, d)}
}

// expand makes the words 4k+16 to 4k+19 in the place of 4k to 4k+3.
func (m *message) expand(k int) (s asm.Stream) {
	a, b, c, d := m.w[k%4], m.w[(k+1)%4], m.w[(k+2)%4], m.w[(k+3)%4]
	x, y, z, t := m.x[0], m.x[1], m.x[2], m.x[3]
	s.Add(
		m.SHUFB(m.upper, b, c, y), m.XOR(a, y, y), // W[n-9]
		m.BSRL(4, d, x), m.ROTRI(W, 32-15, x, x), m.XOR(x, y, y), // W[n-3], without the last word
		m.SHUFB(m.upper, a, b, z), m.ROTRI(W, 32-7, z, z), // W[n-13]
		m.SHUFB(m.middle, c, d, x), m.XOR(x, z, z), // W[n-6]
		m.XOR(y, z, z),
	)
	s.Add(m.rotated(y, t, x)...)
	s.Add(
		m.XOR(x, z, z),
		m.BSLL(12, z, y), m.ROTRI(W, 32-15, y, y), m.XOR(y, z, z), // the part of the first word in the last one
	)
	s.Add(m.rotated(y, t, x)...)
	s.Add(m.XOR(x, z, a))
	if k < 12 { // the words from 64 on are only in W'
		s.Add(m.Store(a, m.plain(k+4), m.q))
	}
	s.Add(m.XOR(d, a, t), m.Store(t, m.prime(k+3), m.q))
	return s
}

// round is round j of a block.
func (m *message) round(block, j int) (s asm.Stream) {
	place := func(i int) asm.Reg { return m.state[(i-j%4+4)%4+i/4*4] }
	a, b, c, d, e, ff, g, h := place(0), place(1), place(2), place(3), place(4), place(5), place(6), place(7)
	t, at := m.t, 16*block+j%4*4
	// What waits for E, and then for A, comes last in each sum: the next E is 6 instructions later.
	s.Add(
		ROTRI(32-12, a, t[0]), MOVW(4*j, m.constants, t[1]), ADD(t[0], t[1], t[1]), ADD(e, t[1], t[1]), ROTRI(32-7, t[1], t[1]),
		MOVW(m.prime(j/4)+at, m.q, t[2]), ADD(t[2], d, d), MOVW(m.plain(j/4)+at, m.q, t[3]), ADD(t[3], h, h),
	)
	if j < 16 {
		s.Add(XOR(b, c, t[2]), XOR(a, t[2], t[2]), XOR(ff, g, t[3]), XOR(e, t[3], t[3]))
	} else {
		s.Add(
			OR(a, b, t[2]), AND(a, b, t[3]), AND(c, t[2], t[2]), OR(t[3], t[2], t[2]),
			XOR(ff, g, t[3]), AND(e, t[3], t[3]), XOR(g, t[3], t[3]),
		)
	}
	s.Add(
		ADD(t[2], d, d), ADD(t[3], h, h), XOR(t[1], t[0], t[0]), ADD(t[0], d, d), ADD(t[1], h, h),
		ROTRI(32-9, b, b), ROTRI(32-19, ff, ff),
		ROTRI(32-9, h, t[3]), ROTRI(32-17, h, t[2]), XOR(t[3], h, h), XOR(t[2], h, h),
	)
	return s
}
