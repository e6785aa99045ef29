package main

import (
	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm"
	"github.com/cipherlane/cipherlane/_gen/planes"
	"github.com/cipherlane/cipherlane/_gen/planes/neon"
)

// Offsets in the Go type Keys: the number of rounds, that of the last round key, and the first
// one. A round key is indices for encryption, those for decryption, and eight planes.
const (
	roundsAt = 0
	lastAt   = 4
	keysAt   = 8
	indices  = 2 * 16
	keySize  = indices + 8*16
)

// A cipher is AES on eight blocks x in a function.
type cipher struct {
	*asm.Func
	decrypt           bool
	box               *neon.Box
	x                 []asm.Reg
	first, left, next asm.Reg // the round key in use first, rounds but the last one, from a key to the next one
}

func newCipher(f *asm.Func, box *planes.Box, decrypt bool) *cipher {
	c := &cipher{Func: f, decrypt: decrypt, box: neon.New(f, box), x: f.Group(Vector, "x", 8, 1),
		first: f.New(Integer, "first"), left: f.New(Integer, "left"), next: f.New(Integer, "next")}
	k := f.Arg("k")
	if decrypt {
		f.Add(LDR(lastAt, k, c.next), SUM(c.next, k, k))
	}
	f.Add(ADD(keysAt+indices, k, c.first))
	if decrypt {
		f.Add(MOVW(-(keySize + 16 + 3*32), c.next)) // to the indices for decryption of the key before
	} else {
		f.Add(MOVW(indices, c.next))
	}
	return c
}

// key adds a round key to b, into x, and moves on.
func (c *cipher) key(key asm.Reg, b []asm.Reg) {
	for i := 0; i < 8; i += 2 {
		k := c.Group(Vector, "k", 2, 1)
		from := Post(key)
		if i == 6 && c.decrypt {
			from = By(key, c.next)
		}
		c.Add(VLD1(from, k), VEOR(k[0], b[i], c.x[i]), VEOR(k[1], b[i+1], c.x[i+1]))
	}
}

// process is the whole cipher. left is the number of rounds but the last one.
func (c *cipher) process() {
	key, k, left := c.New(Integer, "key"), c.New(Integer, "k"), c.left
	c.LoadArg("k", k)
	neon.Transpose(c.Func, c.x)
	c.Add(LDR(roundsAt, k, left), MOVW(c.first, key), SUB(1, left, left))
	c.key(key, c.x)
	c.Label("round")
	s := c.shifted(key, c.box.Substitute(c.x))
	if c.decrypt {
		c.key(key, s)
		c.unmix()
		c.columns(c.x, func(b int, sum asm.Reg) { c.Add(VMOV(sum, c.x[b])) })
	} else {
		c.columns(s, nil)
		c.key(key, s)
	}
	c.Add(SUBS(1, left, left), BNE("round"))
	c.key(key, c.shifted(key, c.box.Substitute(c.x)))
	neon.Transpose(c.Func, c.x)
}

// shifted is ShiftRows, or its inverse.
func (c *cipher) shifted(key asm.Reg, s []asm.Reg) (out []asm.Reg) {
	shift := c.New(Vector, "shift")
	if c.decrypt {
		c.Add(VLD1(Post(key), []asm.Reg{shift}))
	} else {
		c.Add(VLD1(By(key, c.next), []asm.Reg{shift}))
	}
	for _, r := range s {
		d := c.New(Vector, "shifted")
		c.Add(Permute(shift, r, d)...)
		out = append(out, d)
	}
	return out
}

// columns is MixColumns. The results are in a, unless set moves them.
func (c *cipher) columns(a []asm.Reg, set func(b int, sum asm.Reg)) {
	// t is a plane plus the next row, next the next row.
	sum := func(b int) (t, next asm.Reg) {
		t, next = c.New(Vector, "t"), c.New(Vector, "next")
		c.Add(VEXT(4, a[b], a[b], next), VEOR(next, a[b], t))
		return t, next
	}
	two := func(t, next asm.Reg) asm.Reg {
		v := c.New(Vector, "v")
		c.Add(VEXT(8, t, t, v), VEOR(v, next, next))
		return next
	}
	out := func(b int, sum asm.Reg) {
		if set != nil {
			set(b, sum)
		} else {
			a[b] = sum
		}
	}
	top, last := sum(7)
	last = two(top, last)
	before := top
	for b := range 7 {
		t, next := sum(b)
		next = two(t, next)
		d := next
		c.Add(VEOR(before, next, d))
		if b == 1 || b == 3 || b == 4 { // the polynomial
			c.Add(VEOR(top, d, d))
		}
		out(b, d)
		before = t
	}
	c.Add(VEOR(before, last, last))
	out(7, last)
}

// unmix adds 4 (x + x two rows higher): then MixColumns is InvMixColumns. From the highest plane
// on, x is still there when it is needed.
func (c *cipher) unmix() {
	u := make([]asm.Reg, 8)
	sum := func(b int) asm.Reg {
		u[b] = c.New(Vector, "u")
		c.Add(VEXT(8, c.x[b], c.x[b], u[b]), VEOR(c.x[b], u[b], u[b]))
		return u[b]
	}
	u6, u7, top := sum(6), sum(7), c.New(Vector, "top")
	c.Add(VEOR(u6, u7, top))
	more := [8]asm.Reg{0: u6, 1: top, 2: u7, 3: u6, 4: top, 5: u7}
	for b := 7; b >= 0; b-- {
		if b >= 2 {
			u := sum(b - 2)
			c.Add(VEOR(u, c.x[b], c.x[b]))
		}
		if b < 6 {
			c.Add(VEOR(more[b], c.x[b], c.x[b]))
		}
	}
}
