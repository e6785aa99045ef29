// Command loong64 writes the Keccak kernels for LSX and LASX.
//
// # Algorithm
//
// Keccak-f[1600] of FIPS 202, section 3, on two states (LSX) or four (LASX): a vector has the same lane of all. Theta
// adds D of its column to each lane; rho and pi are one cycle of 24 lanes, through a register; chi and iota
// follow plane by plane. Rotations are VROTRI and chi is VANDN, so that lanes stay in registers. A state alone is the first one
// of two, loaded and stored word by word.
//
// # Registers
//
//	name   what
//	lane   the lanes
//	c      parities of columns, D, and products of chi
//	t      D, the lane that begins the cycle, the constant of iota
//
// # Bound
//
// Instructions for LA464: theta 55, rho and pi 25, chi 50, iota 3 and the loop 3: 136 for a round, 3320 for a permutation
// with loads and stores. Two states are 336 bytes of SHAKE128, 9.9 per byte; four are 672, 4.9.
package main

import (
	"encoding/binary"
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/loong64"
	"github.com/cipherlane/cipherlane/_gen/keccak/fips202"
)

//go:generate go run . -out ../../../internal/keccak/internal/loong64/keccak_loong64.s -declarations ../../../internal/keccak/internal/loong64/keccak_loong64.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("declarations", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	var data []byte
	for _, c := range fips202.RoundConstants() {
		data = binary.LittleEndian.AppendUint64(data, c)
	}
	table := file.Table("constants", "Constants of iota: FIPS 202, 3.2.5.", data)
	permute(file, table, LSX, "permuteLSX", "is Keccak-f[1600]", 8)
	for _, w := range []Width{LSX, LASX} {
		states := "two states: a[2i+k]"
		if w == LASX {
			states = "four states: a[4i+k]"
		}
		permute(file, table, w, "permuteWide"+w.String(), "is Keccak-f[1600] of "+states+" is lane i of state k", int(w))
		blocks(file, w, "absorbWide"+w.String(), true)
		blocks(file, w, "squeezeWide"+w.String(), false)
	}
	file.Write(*out, *declarations)
}

// permute permutes states whose lanes have a size in memory.
func permute(file *asm.File, table *asm.Table, w Width, name, doc string, size int) {
	signature := "(a *[200]uint64)"
	if size == 8 {
		signature = "(a *[25]uint64)"
	}
	f := file.Func(name, signature)
	f.Doc = name + " " + doc + "."
	f.Secret = "a"
	a, next, word, count := f.Arg("a"), f.New(Integer, "next"), f.New(Integer, "word"), f.New(Integer, "count")
	lane, c, t := f.Several(Vector, "lane", 25), f.Several(Vector, "c", 5), f.Several(Vector, "t", 2)
	for i, v := range lane {
		if size == 8 {
			f.Add(MOVV(8*i, a, word), w.REPLICATE(D, word, v))
		} else {
			f.Add(w.Load(size*i, a, v))
		}
	}
	f.Add(Address(table, next), MOVI(24, count))
	f.Label("round")
	for x := range 5 {
		f.Add(w.XOR(lane[x], lane[x+5], c[x]))
		for y := 2; y < 5; y++ {
			f.Add(w.XOR(lane[x+5*y], c[x], c[x]))
		}
	}
	for x := range 5 {
		d := t[x%2]
		f.Add(w.ROTRI(D, 63, c[(x+1)%5], d), w.XOR(c[(x+4)%5], d, d))
		for y := range 5 {
			f.Add(w.XOR(d, lane[x+5*y], lane[x+5*y]))
		}
	}
	f.Add(w.OR(lane[1], lane[1], t[0]))
	for to := 1; ; {
		from := fips202.Plane[to/5][to%5]
		source := lane[from.Lane]
		if from.Lane == 1 {
			source = t[0]
		}
		f.Add(w.ROTRI(D, 64-int(from.Rotate), source, lane[to]))
		if to = from.Lane; to == 1 {
			break
		}
	}
	f.Add(MOVV(0, next, word), ADDVI(8, next, next), w.REPLICATE(D, word, t[1]))
	for y := range 5 {
		b := lane[5*y : 5*y+5]
		for x := range b {
			f.Add(w.ANDN(b[(x+2)%5], b[(x+1)%5], c[x]))
		}
		for x := range b {
			f.Add(w.XOR(c[x], b[x], b[x]))
		}
	}
	f.Add(w.XOR(t[1], lane[0], lane[0]), ADDVI(-1, count, count), BNE(count, ZERO, "round"))
	for i, v := range lane {
		if size == 8 {
			f.Add(w.PICK(0, v, word), SV(word, 8*i, a))
		} else {
			f.Add(w.Store(v, size*i, a))
		}
	}
	f.Add(RET())
}

// blocks adds blocks to the states, or copies them from there: two words of two states at a time, and the odd word
// by integers.
func blocks(file *asm.File, w Width, name string, absorb bool) {
	f := file.Func(name, "(a *[200]uint64, p *[8]*byte, words int)")
	f.Doc = name + " copies a block of each state to its pointer."
	if absorb {
		f.Doc = name + " adds the block at each pointer to its state."
	}
	f.Doc += " words is 17 or 21."
	f.Secret = "a p"
	f.Cases = []string{"words=17|21"}
	a, p, words := f.Arg("a"), f.Arg("p"), f.Arg("words")
	states, row := int(w)/8, int(w)
	q := f.Several(Integer, "p", states)
	x, y, s := f.Several(Vector, "x", 2), f.Several(Vector, "y", 2), f.Several(Vector, "s", 2)
	t, u, short := f.New(Integer, "t"), f.New(Integer, "u"), f.New(Integer, "short")
	for k := range q {
		f.Add(MOVV(8*k, p, q[k]))
	}
	two := func(i int) {
		for k := 0; k < states; k += 2 {
			for j := range 2 {
				f.Add(LSX.Load(row*(i+j)+8*k, a, s[j]))
			}
			if absorb {
				f.Add(
					LSX.Load(8*i, q[k], x[0]), LSX.Load(8*i, q[k+1], x[1]),
					LSX.ILVL(D, x[0], x[1], y[0]), LSX.ILVH(D, x[0], x[1], y[1]),
				)
				for j := range 2 {
					f.Add(LSX.XOR(y[j], s[j], s[j]), LSX.Store(s[j], row*(i+j)+8*k, a))
				}
			} else {
				f.Add(
					LSX.ILVL(D, s[0], s[1], y[0]), LSX.ILVH(D, s[0], s[1], y[1]),
					LSX.Store(y[0], 8*i, q[k]), LSX.Store(y[1], 8*i, q[k+1]),
				)
			}
		}
	}
	for i := 0; i < 16; i += 2 {
		two(i)
	}
	for k := range q {
		f.Add(MOVV(row*16+8*k, a, t))
		if absorb {
			f.Add(MOVV(8*16, q[k], u), XOR(u, t, t), SV(t, row*16+8*k, a))
		} else {
			f.Add(SV(t, 8*16, q[k]))
		}
	}
	f.Add(MOVI(17, short), BEQ(words, short, "end"))
	two(17)
	two(19)
	f.Label("end")
	f.Add(RET())
}
