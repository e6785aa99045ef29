// Package spec has the standards, in the order of their texts, on words of bits.
//
// A string of bytes is a word with the first byte in its lowest 8 bits. So is a number that
// is in memory in little-endian order. A Calculator gives the bits: constants, with which tests
// compare this package with others, or forms.
package spec

import (
	"github.com/cipherlane/cipherlane/internal/machine"
	"github.com/cipherlane/cipherlane/internal/prove/forms"
)

// These are the types of package machine.
type (
	Bit  = machine.Bit
	Word = machine.Word
)

// A Calculator computes with bits.
type Calculator struct{ *forms.Engine }

func number(v uint64, n int) Word { return machine.Constant(v, n) }
func join(list ...Word) Word      { return machine.Join(list...) }
func rotate(w Word, n int) Word   { return w.RotateLeft(n) }

// Bytes returns a string of bytes.
func Bytes(b ...byte) Word {
	var out Word
	for _, x := range b {
		out = append(out, number(uint64(x), 8)...)
	}
	return out
}

// Reverse reverses the bytes within groups of n bits.
func Reverse(w Word, n int) Word {
	out := make(Word, 0, len(w))
	for _, group := range w.Lanes(n) {
		for i := n - 8; i >= 0; i -= 8 {
			out = append(out, group[i:i+8]...)
		}
	}
	return out
}

// ReverseBits reverses the bits within bytes.
func ReverseBits(w Word) Word {
	out := make(Word, len(w))
	for i := range w {
		out[i] = w[i^7]
	}
	return out
}

// Xor adds words of equal length modulo 2.
func (c Calculator) Xor(list ...Word) Word {
	out := make(Word, len(list[0]))
	bits := make([]Bit, len(list))
	for i := range out {
		for j, w := range list {
			bits[j] = w[i]
		}
		if len(list) == 2 {
			out[i] = c.Engine.Xor(bits[0], bits[1])
		} else {
			out[i] = c.Parity(bits...)
		}
	}
	return out
}

// And returns the product of bits.
func (c Calculator) And(a, b Word) Word {
	out := make(Word, len(a))
	for i := range out {
		out[i] = c.Engine.And(a[i], b[i])
	}
	return out
}

// Or returns the disjunction of bits.
func (c Calculator) Or(a, b Word) Word { return c.And(a.Not(), b.Not()).Not() }

// Positions says that functions of the bits at each position of these words will be needed.
func (c Calculator) Positions(words ...Word) {
	for i := range words[0] {
		var list []Bit
		for _, w := range words {
			list = append(list, w[i])
		}
		c.Together(list...)
	}
}

// Substitute replaces each byte by the element of a table.
func (c Calculator) Substitute(w Word, table *[256]byte) Word {
	values := make([]uint64, 256)
	for i, v := range table {
		values[i] = uint64(v)
	}
	var out Word
	for _, b := range w.Lanes(8) {
		out = append(out, c.Apply(values, 8, b)...)
	}
	return out
}
