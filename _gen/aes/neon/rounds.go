package main

import (
	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/blockcipher"
)

// Offsets in arm64.Keys.
const (
	roundsAt = 0
	encAt    = 64
	decAt    = encAt + 15*16
)

// A direction is encryption or decryption.
//
// The state has a form of its own, that in which it goes into the inversion: the basis of
// the tower, and for decryption the inverse of the linear part of the S-box, which comes before
// the inversion there. The constant of the S-box is in the round keys.
type direction struct {
	name, verb   string
	keys         int // offset
	form, sbox   permute.Linear
	rows         int   // by which ShiftRows moves row 1
	coefficients []int // of s, X²s and Xs, X³s
	memory       *asm.Table
}

var (
	field      = permute.NewTower()
	encryption = &direction{"encrypt", "encrypts", encAt, field.ToTower,
		permute.Linear(permute.SBoxLinear).After(field.FromTower), 1, []int{1, 3}, nil}
	decryption = &direction{"decrypt", "decrypts", decAt, field.ToTower.After(permute.SBoxLinearInverse),
		field.FromTower, -1, []int{14, 13, 11, 9}, nil}
)

// tables are those of the rounds, and then those of the beginning and the end.
func (d *direction) tables() (t []permute.Table) {
	t = append(t, permute.All(0x0f), permute.Inverses(1), permute.Inverses(field.A))
	for _, c := range d.coefficients {
		u, v := field.Output(d.form.After(permute.Times(byte(c))).After(d.sbox))
		t = append(t, u, v)
	}
	t = append(t, permutation(d.rows, 0), permutation(d.rows, 1))
	low, high := permute.Nibbles(d.form)
	u, v := field.Output(d.sbox)
	return append(t, low, high, u, v)
}

// permutation is the index of ShiftRows by n, and before it a rotation of columns by rows.
// Row r, column c is byte r+4c.
func permutation(n, rows int) (t permute.Table) {
	for p := range t {
		r, c := p%4, p/4
		t[p] = byte((r+rows)&3 + 4*((c+n*r)&3))
	}
	return t
}

// table writes tables to the file.
func table(file *asm.File, name, doc string, tables []permute.Table) *asm.Table {
	return file.Table(name, doc, permute.Join(tables...))
}

// A cipher is AES in a function.
type cipher struct {
	*direction
	f                       *asm.Func
	mask, inverse, inverseA asm.Reg
	times                   []asm.Reg
	shift, shiftX           asm.Reg
	form, last              []asm.Reg
}

// newCipher loads the tables.
func newCipher(f *asm.Func, d *direction, t *asm.Table) *cipher {
	n := 3 + 2*len(d.coefficients) + 2 + 4
	r, p := f.Group(Vector, "table", n, 1), f.New(Integer, "tables")
	f.Add(MOVD(t, p))
	blockcipher.Each(r, func(part []asm.Reg) { f.Add(VLD1(B16, Post(p, 16*len(part)), part)) })
	return &cipher{
		direction: d, f: f,
		mask: r[0], inverse: r[1], inverseA: r[2],
		times: r[3 : n-6], shift: r[n-6], shiftX: r[n-5], form: r[n-4 : n-2], last: r[n-2:],
	}
}

// A lane has the registers of a block: the state, and temporary ones, which it may share with
// other blocks.
type lane struct{ x, k, a, u, v asm.Reg }

func newLane(f *asm.Func) lane {
	l := lane{x: f.New(Vector, "x")}
	return l.withTemps(f)
}

// withTemps is l with new temporary registers.
func (l lane) withTemps(f *asm.Func) lane {
	return lane{l.x, f.New(Vector, "k"), f.New(Vector, "a"), f.New(Vector, "u"), f.New(Vector, "v")}
}

// split sets k to the low nibbles of x, and x to the high ones.
func (c *cipher) split(l lane) []asm.Op {
	return []asm.Op{VAND(c.mask, l.x, l.k), VUSHR(B16, 4, l.x, l.x)}
}

// pair sets d to the sum of two look-ups. tmp may be high.
func pair(t []asm.Reg, low, high, d, tmp asm.Reg) []asm.Op {
	return []asm.Op{VTBL(low, t[0], d), VTBL(high, t[1], tmp), VEOR(tmp, d, d)}
}

// begin makes a state of a block, plus the first round key.
func (c *cipher) begin(l lane, key asm.Reg) (s asm.Stream) {
	s.Add(VTBL(c.shift, l.x, l.x))
	s.Add(c.split(l)...)
	s.Add(pair(c.form, l.k, l.x, l.a, l.x)...)
	s.Add(VEOR(key, l.a, l.x))
	return s
}

// invert sets u to 1/u and v to 1/v.
func (c *cipher) invert(l lane) (s asm.Stream) {
	s.Add(c.split(l)...)
	s.Add(
		VTBL(l.k, c.inverseA, l.a), // A/k
		VEOR(l.x, l.k, l.k),        // j
		VTBL(l.x, c.inverse, l.u),  // 1/i
		VTBL(l.k, c.inverse, l.v),  // 1/j
		VEOR(l.a, l.u, l.u),
		VTBL(l.u, c.inverse, l.u),
		VEOR(l.a, l.v, l.v),
		VTBL(l.v, c.inverse, l.v),
		VEOR(l.k, l.u, l.u),
		VEOR(l.x, l.v, l.v),
	)
	return s
}

// round is a round but the last one.
func (c *cipher) round(l lane, key asm.Reg) asm.Stream {
	s := c.invert(l)
	if len(c.coefficients) == 2 {
		s.Add(pair(c.times[:2], l.u, l.v, l.a, l.k)...)
		s.Add(pair(c.times[2:], l.u, l.v, l.x, l.k)...)
		s.Add(
			VREV32(H8, l.a, l.k),
			VEOR(key, l.a, l.a),
			VEOR(l.k, l.x, l.x),
			VEOR(l.x, l.a, l.a),
		)
	} else {
		s.Add(pair(c.times, l.u, l.v, l.a, l.k)...)
		s.Add(pair(c.times[2:], l.u, l.v, l.x, l.k)...)
		s.Add(VEOR(key, l.a, l.a), VREV32(H8, l.x, l.x), VEOR(l.x, l.a, l.a))
		s.Add(pair(c.times[4:], l.u, l.v, l.x, l.k)...)
		s.Add(pair(c.times[6:], l.u, l.v, l.u, l.v)...)
		s.Add(VREV32(H8, l.u, l.u), VEOR(l.u, l.x, l.x))
	}
	s.Add(
		VTBL(c.shiftX, l.x, l.x),
		VTBL(c.shift, l.a, l.a),
		VEOR(l.a, l.x, l.x),
	)
	return s
}

// end is the last round.
func (c *cipher) end(l lane, key asm.Reg) asm.Stream {
	s := c.invert(l)
	s.Add(pair(c.last, l.u, l.v, l.a, l.k)...)
	s.Add(VEOR(key, l.a, l.x))
	return s
}

// each emits the same for all lanes, for two of them by turns.
func (c *cipher) each(l []lane, f func(i int, l lane) asm.Stream) {
	for i := 0; i < len(l); i += 2 {
		if i+1 < len(l) {
			c.f.Add(asm.Weave(f(i, l[i]), f(i+1, l[i+1]))...)
		} else {
			c.f.Add(f(i, l[i])...)
		}
	}
}

// lanes returns lanes for states.
func (c *cipher) lanes(x []asm.Reg) (l []lane) {
	var tmp [2]lane
	for i, x := range x {
		if i < 2 {
			tmp[i] = lane{}.withTemps(c.f)
		}
		t := tmp[i%2]
		t.x = x
		l = append(l, t)
	}
	return l
}
