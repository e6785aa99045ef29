// Command arm writes the SM3 kernel for 32-bit Arm from ARMv6 on, in integer registers.
//
// # Algorithm
//
// GB/T 32905-2016. The second operand of an instruction may be rotated, so that most rotations
// take no instruction. B, and F, stay as they are for the two rounds in which they are C and D, G
// and H: these are used rotated by 9, and 19. With t = (A <<< 12) + E + (T[j] <<< j),
//
//	SS1 = t <<< 7    SS2 = (t ^ (A <<< 5)) <<< 7
//
// The words of the message are expanded before the rounds, nine of the last sixteen in registers.
//
// # Registers
//
//	a to h   the state; they change places in each round
//	s, t     temporary
//	next     the next T[j] <<< j; w: words of the message, in memory and in registers
//
// # Bound
//
// ARM1176 and Cortex-A7, with one instruction in a cycle. (Cortex-A7 can start two if they are
// independent.) A round is 19 instructions, 22 from the 17th on, a word 9: with the first 16 words
// and the end of a block 1917, 30.0 per byte.
package main

import (
	"encoding/binary"
	"flag"
	"math/bits"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm"
)

//go:generate go run . -out ../../../sm3/internal/arm/sm3_arm.s -go ../../../sm3/internal/arm/sm3_arm.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	blocks(file)
	file.Write(*out, *declarations)
}

// constants returns T[j] <<< j for all rounds.
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

func blocks(file *asm.File) {
	table := file.Table("constants", "T[j] <<< j, for each round j.", constants())
	f := file.Func("blocksV6", "(v *[8]uint32, p *byte, n int)")
	f.Doc = "blocksV6 compresses n > 0 bytes, whole blocks, into the chaining value v."
	f.Secret = "v p"
	words := f.Local("words", 4*68)
	left := f.Local("left", 4)
	p, n, s, t := f.New(Integer, "p"), f.New(Integer, "n"), f.New(Integer, "s"), f.New(Integer, "t")
	f.LoadArg("n", n)
	f.Add(STRL(n, left, 0))

	f.Label("block")
	f.Remark("No pointer beyond the buffer may be in memory: the place in it is computed of what is left.")
	all := f.New(Integer, "all")
	f.LoadArg("p", p)
	f.LoadArg("n", all)
	f.Add(LDRL(left, 0, n), SUM(all, p, p), SUBR(n, p, p))
	// w has the words that are in registers.
	w := map[int]asm.Reg{}
	for j := range 16 {
		r := f.New(Integer, "w")
		f.Add(LDR(4*j, p, r), REV(r, r), STRL(r, words, 4*j))
		if j >= 10 {
			w[j] = r
		}
	}
	for j := range 3 {
		w[j] = f.New(Integer, "w")
		f.Add(LDRL(words, 4*j, w[j]))
	}
	for j := 16; j < 68; j++ {
		x := f.New(Integer, "w")
		w[j-13] = f.New(Integer, "w")
		y := w[j-16]
		f.Add(
			LDRL(words, 4*(j-9), x),
			EOR(x, y, y),
			LDRL(words, 4*(j-13), w[j-13]),
			EOR(Ror(w[j-3], 17), y, y),
			EOR(Ror(y, 17), y, x),
			EOR(Ror(y, 9), x, x),
			EOR(w[j-6], x, x),
			EOR(Ror(w[j-13], 25), x, x),
			STRL(x, words, 4*j),
		)
		w[j] = x
	}

	v, next := f.New(Integer, "v"), f.New(Integer, "next")
	f.LoadArg("v", v)
	state := f.Several(Integer, "state", 8)
	for i, r := range state {
		f.Add(LDR(4*i, v, r))
	}
	a, b, c, d := state[0], state[1], state[2], state[3]
	e, ff, g, h := state[4], state[5], state[6], state[7]
	// C, D, G and H are used rotated.
	f.Add(ROR(9, c, c), ROR(9, d, d), ROR(19, g, g), ROR(19, h, h), MOVW(table, next))
	for j := range 64 {
		f.Add(
			LDRL(words, 4*j, s),
			LDRL(words, 4*(j+4), t),
			SUM(Ror(h, 13), s, h),
			EOR(s, t, s),
			LDRP(next, t),
			SUM(Ror(d, 23), s, d),
			SUM(e, t, t),
			SUM(Ror(a, 20), t, t),
			SUM(Ror(t, 25), h, h),
			EOR(Ror(a, 27), t, t),
		)
		if j < 16 {
			f.Add(
				EOR(a, b, s),
				SUM(Ror(t, 25), d, d),
				EOR(e, ff, t),
				EOR(Ror(c, 23), s, s),
				EOR(Ror(g, 13), t, t),
				SUM(s, d, d),
				SUM(t, h, h),
			)
		} else {
			// The majority of a, b and c is a b + c (a + b): no bit is in both.
			f.Add(
				AND(a, b, s),
				SUM(Ror(t, 25), d, d),
				EOR(Ror(g, 13), ff, t),
				SUM(s, d, d),
				AND(e, t, t),
				EOR(a, b, s),
				EOR(Ror(g, 13), t, t),
				AND(Ror(c, 23), s, s),
				SUM(t, h, h),
				SUM(s, d, d),
			)
		}
		f.Add(EOR(Ror(h, 23), h, s), EOR(Ror(h, 15), s, h))
		a, b, c, d = d, a, b, c
		e, ff, g, h = h, e, ff, g
	}
	f.LoadArg("v", t)
	for i, r := range []asm.Reg{a, b, c, d, e, ff, g, h} {
		f.Add(LDR(4*i, t, s))
		switch i {
		case 2, 3:
			f.Add(EOR(Ror(r, 23), s, s))
		case 6, 7:
			f.Add(EOR(Ror(r, 13), s, s))
		default:
			f.Add(EOR(r, s, s))
		}
		f.Add(STR(s, 4*i, t))
	}
	f.Add(LDRL(left, 0, n), SUBS(64, n, n), STRL(n, left, 0), BNE("block"))
	zero := f.New(Integer, "zero")
	f.Add(MOVW(0, zero))
	for i := range 68 {
		f.Add(STRL(zero, words, 4*i))
	}
	f.Add(RET())
}
