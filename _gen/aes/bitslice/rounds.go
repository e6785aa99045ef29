package main

import (
	"fmt"
	"slices"

	"github.com/cipherlane/cipherlane/_gen/asm"
	. "github.com/cipherlane/cipherlane/_gen/asm/arm64"
	"github.com/cipherlane/cipherlane/_gen/circuit/gates"
)

// keySize is the number of bytes of a round key in planes.
const keySize = 8 * 16

// Offsets in the Go type KeysBitslice.
const (
	roundsAt = 0
	planesAt = 64 + 2*15*16
)

// A cipher is AES on eight blocks x in a function.
type cipher struct {
	*asm.Func
	decrypt       bool
	x             []asm.Reg
	first, rounds asm.Reg // the round key in use first, and the number of rounds
	shift, next   asm.Reg // indices, see tables
}

func newCipher(f *asm.Func, t *tables, decrypt bool) *cipher {
	c := &cipher{Func: f, decrypt: decrypt, x: f.Group(Vector, "x", 8, 1), first: f.New(Integer, "first"), rounds: f.New(Integer, "rounds"),
		shift: f.New(Vector, "shift"), next: f.New(Vector, "next")}
	k, at := f.Arg("k"), f.New(Integer, "at")
	f.Add(MOVD(At(k, roundsAt), c.rounds))
	table := t.encrypt
	if decrypt {
		table = t.decrypt
		f.Add(ADD(Left(c.rounds, 7), k, k))
	}
	f.Add(ADD(planesAt, k, c.first), MOVD(table, at), FLDPQ(At(at, 0), c.shift, c.next))
	return c
}

// transpose turns eight blocks into planes, and back: it exchanges the bits of a byte and
// the eight registers.
func (c *cipher) transpose() {
	for i := range 4 {
		a, b, t := c.x[i], c.x[i+4], c.New(Vector, "t")
		c.Add(VMOV(a, t), VSLI(B16, 4, b, a), VSRI(B16, 4, t, b))
	}
	for _, s := range []struct{ distance, mask int }{{2, 0x33}, {1, 0x55}} {
		mask := c.New(Vector, "mask")
		c.Add(VMOVI(s.mask, mask))
		for i := range 8 {
			if i&s.distance != 0 {
				continue
			}
			a, b := c.x[i], c.x[i+s.distance]
			left, right := c.New(Vector, "left"), c.New(Vector, "right")
			c.Add(
				VSHL(B16, s.distance, b, left), VUSHR(B16, s.distance, a, right),
				VBIF(mask, left, a), VBIT(mask, right, b),
			)
		}
	}
}

// key adds a round key to b, into x, and moves on.
func (c *cipher) key(key asm.Reg, b []asm.Reg) {
	for i := 0; i < 8; i += 2 {
		k := c.Several(Vector, "k", 2)
		c.Add(FLDPQ(At(key, 16*i), k[0], k[1]), VEOR(k[0], b[i], c.x[i]), VEOR(k[1], b[i+1], c.x[i+1]))
	}
	if c.decrypt {
		c.Add(SUB(keySize, key, key))
	} else {
		c.Add(ADD(keySize, key, key))
	}
}

// process is the whole cipher.
func (c *cipher) process() {
	key, left := c.New(Integer, "key"), c.New(Integer, "left")
	c.transpose()
	c.Add(MOVD(c.first, key), SUB(1, c.rounds, left))
	c.key(key, c.x)
	c.Label("round")
	if c.decrypt {
		s := c.substitute(unsubstitute)
		c.key(key, c.shifted(s))
		c.Scheduled(CortexA72, c.unmix)
	} else {
		s := c.substitute(substitute)
		c.Scheduled(CortexA72, func() { c.mix(s) })
		c.key(key, s)
	}
	c.Add(SUBS(1, left, left), BNE("round"))
	box := substitute
	if c.decrypt {
		box = unsubstitute
	}
	c.key(key, c.shifted(c.substitute(box)))
	c.transpose()
}

// substitute applies an S-box. Its gates are scheduled in parts: as a whole, they need too
// many registers.
func (c *cipher) substitute(box gates.Circuit) (out []asm.Reg) {
	values := map[string]asm.Reg{}
	for b, r := range c.x {
		values[fmt.Sprint("x", b)] = r
	}
	for part := range slices.Chunk(box.Gates, chunk) {
		c.Scheduled(CortexA72, func() { gates.Add(c.Func, part, values) })
	}
	for _, name := range box.Outputs {
		out = append(out, values[name])
	}
	return out
}

const chunk = 36

// shifted is ShiftRows, or its inverse, in place.
func (c *cipher) shifted(s []asm.Reg) []asm.Reg {
	for _, r := range s {
		c.Add(VTBL(c.shift, r, r))
	}
	return s
}

// mix is ShiftRows and MixColumns: with a the rows in their places, and each row r also one
// higher, in next, t = a + next is 1 and 1, and the result 2 t + next + t two rows higher.
func (c *cipher) mix(s []asm.Reg) []asm.Reg {
	t := c.Several(Vector, "t", 8)
	for b := range 8 {
		c.Add(VTBL(c.shift, s[b], t[b]), VTBL(c.next, s[b], s[b]))
	}
	c.columns(t, s)
	return s
}

// columns sets next to the result of MixColumns, for the rows a and the next ones.
func (c *cipher) columns(a, next []asm.Reg) {
	for b := range 8 {
		c.Add(VEOR(next[b], a[b], a[b]))
	}
	for b := range 8 {
		v := c.New(Vector, "v")
		c.Add(VREV32(H8, a[b], v), VEOR(v, next[b], next[b]), VEOR(a[(b+7)%8], next[b], next[b]))
		if b == 1 || b == 3 || b == 4 { // the polynomial
			c.Add(VEOR(a[7], next[b], next[b]))
		}
	}
}

// unmix is InvMixColumns, MixColumns of x + 4 (x + x two rows higher), in place.
func (c *cipher) unmix() {
	u := c.Several(Vector, "u", 8)
	for b, r := range c.x {
		c.Add(VREV32(H8, r, u[b]), VEOR(r, u[b], u[b]))
	}
	top := c.New(Vector, "top")
	c.Add(VEOR(u[6], u[7], top))
	for b, terms := range [8][]asm.Reg{{u[6]}, {top}, {u[0], u[7]}, {u[1], u[6]}, {u[2], top}, {u[3], u[7]}, {u[4]}, {u[5]}} {
		for _, r := range terms {
			c.Add(VEOR(r, c.x[b], c.x[b]))
		}
	}
	a := c.Several(Vector, "a", 8)
	for b, r := range c.x {
		c.Add(VMOV(r, a[b]), VTBL(c.next, r, r))
	}
	c.columns(a, c.x)
}
