// Command neon32 writes the SM4 kernels for 32-bit Arm with NEON.
//
// # Algorithm
//
// That of _gen/sm4/arm64, planes.go: 32 blocks as planes of bits. Plane b of a word has bit b of
// its bytes; byte j, in the order of memory, is in lane j of 32 bits. The S-box is a circuit, to
// rotate words by 8 bits is to rotate planes by a lane (VEXT), and to rotate them by 2 is to take
// another plane. The state is in memory, two planes of all four words next to each other.
//
//	x[4] = x[0] + L(S(x[1] + x[2] + x[3] + k))     L(s) = u + v <<< 2
//	u = s + s <<< 24    v = s + s <<< 8 + s <<< 16
//
// # Registers
//
//	t        planes of the S-box's input
//	s        values of the circuit, of which some wait in memory (spill)
//	r q u v  of L
//	x k      words, round key
//	a        words of four blocks; x, at the ends: planes of a word
//
// # Bound
//
// NEON of Cortex-A7, which does one instruction at a time. A round is 107 gates and 22 moves to and
// from memory, 16 loads and 24 sums for its input, 40 instructions for L and 24 to add it: 233 for
// 512 bytes, 14.6 per byte in all. Transposing twice, and the order of bytes, are 1.3.
package main

import (
	"flag"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm"
	"github.com/cipherlane/cipherlane/_gen/planes/neon"
)

//go:generate sh -c "go run ../../circuit sm4-gates > circuit.tmp && mv circuit.tmp circuit.go"
//go:generate go run . -out ../../../sm4/internal/arm/sm4_neon_arm.s -go ../../../sm4/internal/arm/sm4_neon_arm.go

func main() {
	out := flag.String("out", "", "assembly `file` to write")
	declarations := flag.String("go", "", "Go `file` to write")
	flag.Parse()
	file := &asm.File{Target: Target}
	expand(file)
	crypt(file)
	file.Write(*out, *declarations)
}

// In the state, words of two planes follow each other: place returns where planes 2h and 2h+1
// of a word are.
func place(word, h int) int { return 128*h + 32*word }

const (
	keySize   = 8 * 16
	stateSize = 4 * 128
)

type pass struct {
	*asm.Func
	box            *neon.Box
	state          asm.Local
	r64, r128      asm.Reg
	at             asm.Reg
	lanes          asm.Reg // index that collects the bytes of words, and its inverse
	index          *asm.Table
	key, next      asm.Reg // the round key; from its last two planes to the next key
	in, out, count asm.Reg
}

func expand(file *asm.File) {
	f := file.Func("expandNEON", "(planes *byte, words *uint32)")
	f.Doc = "expandNEON makes the planes of 32 round keys: plane b has bit b of each byte, as 0 or 0xff."
	f.Secret = "planes words"
	p, words := f.Arg("planes"), f.Arg("words")
	at, n, w := f.New(Integer, "at"), f.New(Integer, "n"), f.New(Integer, "w")
	bits := neon.Bits(f)
	lanes := f.Group(Vector, "lanes", 1, 1)
	index := []byte{3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0}
	f.Add(MOVW(file.Table("keyLanes", "Bytes of a word in the order of memory, each for a lane.", index), at), VLD1(At(at), lanes), MOVW(32, n))
	f.Label("key")
	v, k := f.New(Vector, "v"), f.New(Vector, "k")
	f.Add(LDR(0, words, w), ADD(4, words, words), VDUP(w, v))
	f.Add(Permute(lanes[0], v, k)...)
	neon.Planes(f, bits, k, p)
	f.Add(SUBS(1, n, n), BNE("key"), RET())
}

func crypt(file *asm.File) {
	f := file.Func("cryptNEON", "(keys *byte, next int, dst, src, with *byte)")
	f.Doc = `cryptNEON processes 32 blocks and adds those of with, which may be dst. It reads all of src before it
writes. keys is the first round key, next the distance from its last 32 bytes to the next round key.`
	f.Secret = "keys dst src with"
	p := &pass{
		Func: f, box: neon.New(f, neon.Order(sbox, 2)), state: f.Local("state", stateSize),
		at: f.New(Integer, "at"), r64: f.New(Integer, "r64"), r128: f.New(Integer, "r128"),
		key: f.New(Integer, "key"), next: f.New(Integer, "next"), in: f.New(Integer, "in"), out: f.New(Integer, "out"), count: f.New(Integer, "count"),
		index: file.Table("lanes", "Where bytes of four words are when those with the same place are together.",
			[]byte{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}),
	}
	f.Add(MOVW(128, p.r128), MOVW(64, p.r64))
	p.load()
	p.rounds()
	p.finish()
	z := f.Group(Vector, "zero", 2, 1)
	f.Add(VMOVI(0, z[0]), VMOVI(0, z[1]), MOVW(p.state, p.at))
	for range stateSize / 32 {
		f.Add(VST1(z, Post(p.at)))
	}
	p.box.Wipe()
	f.Add(RET())
}

// order loads the index, for which the rounds have no register.
func (p *pass) order() {
	p.lanes = p.New(Vector, "lanes")
	p.Add(MOVW(p.index, p.at), VLD1(At(p.at), []asm.Reg{p.lanes}))
}

// word transposes a word that is in memory: it exchanges the number of a plane with that of
// a bit in its bytes.
func (p *pass) word(w int) {
	x := p.Group(Vector, "x", 8, 1)
	p.Add(MOVW(p.state, p.at), ADD(place(w, 0), p.at, p.at))
	Each(x, func(pair []asm.Reg) { p.Add(VLD1(By(p.at, p.r128), pair)) })
	neon.Transpose(p.Func, x)
	p.Add(SUB(stateSize, p.at, p.at))
	Each(x, func(pair []asm.Reg) { p.Add(VST1(pair, By(p.at, p.r128))) })
}

// load makes planes of blocks.
func (p *pass) load() {
	src := p.Arg("src")
	p.order()
	p.Add(MOVW(p.state, p.at))
	for range 4 {
		a := [2][]asm.Reg{p.Group(Vector, "a", 4, 1), p.Group(Vector, "a", 4, 1)}
		for _, a := range a {
			p.Add(VLD4(Post(src), a, 0), VLD4(Post(src), a, 1))
		}
		for w := range 4 {
			x := p.Group(Vector, "x", 2, 1)
			for i := range x {
				p.Add(Permute(p.lanes, a[i][w], x[i])...)
			}
			p.Add(VST1(x, Post(p.at)))
		}
	}
	for w := range 4 {
		p.word(w)
	}
}

// finish makes blocks of planes, whose words are in reverse order.
func (p *pass) finish() {
	for w := range 4 {
		p.word(w)
	}
	p.order()
	dst, addend := p.Arg("dst"), p.Arg("with")
	p.Add(MOVW(p.state, p.at))
	for range 4 {
		a := [2][]asm.Reg{p.Group(Vector, "a", 4, 1), p.Group(Vector, "a", 4, 1)}
		for w := range 4 {
			x := p.Group(Vector, "x", 2, 1)
			p.Add(VLD1(Post(p.at), x))
			for i := range x {
				p.Add(Permute(p.lanes, x[i], a[i][3-w])...)
			}
		}
		for _, a := range a {
			data := p.Group(Vector, "data", 4, 1)
			p.Add(VLD4(Post(addend), data, 0), VLD4(Post(addend), data, 1))
			for i, d := range data {
				p.Add(VEOR(d, a[i], a[i]))
			}
			p.Add(VST4(a, 0, Post(dst)), VST4(a, 1, Post(dst)))
		}
	}
}

func (p *pass) rounds() {
	p.LoadArg("keys", p.key)
	p.LoadArg("next", p.next)
	p.Add(MOVW(8, p.count))
	p.Label("rounds")
	for j := range 4 {
		p.round(j)
	}
	p.Add(SUBS(1, p.count, p.count), BNE("rounds"))
}

// round adds to word j.
func (p *pass) round(j int) {
	var in []asm.Reg
	var read []int // the other words
	for w := range 4 {
		if w != j {
			read = append(read, w)
		}
	}
	p.Add(MOVW(p.state, p.in))
	if read[0] > 0 {
		p.Add(ADD(place(read[0], 0), p.in, p.in))
	}
	for h := range 4 {
		k := p.Group(Vector, "k", 2, 1)
		from := Post(p.key)
		if h == 3 {
			from = By(p.key, p.next)
		}
		p.Add(VLD1(from, k))
		t := p.Several(Vector, "t", 2)
		for i, w := range read {
			step := place(read[(i+1)%3], (i+1)/3) - place(w, 0)
			from := Post(p.in)
			if step == 64 {
				from = By(p.in, p.r64)
			}
			x := p.Group(Vector, "x", 2, 1)
			p.Add(VLD1(from, x))
			for b := range 2 {
				sum := t[b]
				if i == 0 {
					p.Add(VEOR(k[b], x[b], sum))
				} else {
					p.Add(VEOR(x[b], sum, sum))
				}
			}
		}
		in = append(in, t...)
	}
	s := p.box.Substitute(in)

	p.Add(MOVW(p.state, p.out))
	if j > 0 {
		p.Add(ADD(place(j, 0), p.out, p.out))
	}
	var us, vs [8]asm.Reg
	linear := func(b int) {
		s := s[b]
		r, q := p.New(Vector, "r"), p.New(Vector, "q")
		u, v := p.New(Vector, "u"), p.New(Vector, "v")
		p.Add(VEXT(4, s, s, r), VEOR(r, s, q), VEXT(12, q, q, u))
		if b < 6 {
			p.Add(VEXT(8, s, s, v), VEOR(q, v, v))
		} else { // also goes to the next byte
			p.Add(VEXT(8, q, q, v), VEOR(r, v, v))
		}
		us[b], vs[b] = u, v
	}
	linear(6)
	linear(7)
	for h := range 4 {
		x := p.Group(Vector, "x", 2, 1)
		p.Add(VLD1(At(p.out), x))
		for i := range 2 {
			b := 2*h + i
			if b < 6 {
				linear(b)
			}
			p.Add(VEOR(us[b], x[i], x[i]), VEOR(vs[(b+6)%8], x[i], x[i]))
		}
		p.Add(VST1(x, By(p.out, p.r128)))
	}
}
