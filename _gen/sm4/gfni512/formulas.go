package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64/ssa"
)

// The rounds are texts with one operation per line, in the order of the instructions, which
// is part of what makes them fast:
//
//	x = y ^ z        a sum; z may be kN, the round key N rounds ahead
//	x = y ^ z ^ w    a sum of three
//	x = Un y         matrix Un of the inverse of y
//	x = rol n y      words rotated left by n bits
//	x = word n y     the words of an XMM register rotated left by n words
//
// A name on the right is a value that came from outside or from a line above.

// formulas appends the operations of a text to c. names has the values so far, and gets
// the new ones. keyWords says whether round keys are words to be broadcast.
func formulas(c *ssa.Code, text string, names map[string]ssa.Value, matrices map[string]matrix, keyWords bool, key func(n int) operand.Mem) {
	get := func(name string) ssa.Value {
		v, ok := names[name]
		if !ok {
			panic("no value " + name)
		}
		return v
	}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		var n int
		var v ssa.Value
		switch {
		case len(f) == 4 && matrices[f[2]].reg != nil:
			v = inverse(c, get(f[3]), matrices[f[2]])
		case f[2] == "rol":
			fmt.Sscan(f[3], &n)
			v = rotateBits(c, get(f[4]), n)
		case f[2] == "word":
			fmt.Sscan(f[3], &n)
			v = rotateWords(c, get(f[4]), n)
		case len(f) == 5 && f[4][0] == 'k':
			fmt.Sscan(f[4][1:], &n)
			v = xorKey(c, get(f[2]), key(n), keyWords)
		case len(f) == 5:
			v = c.Xor(get(f[2]), get(f[4]))
		case len(f) == 7:
			v = c.Xor3(get(f[2]), get(f[4]), get(f[6]))
		default:
			panic("bad line " + line)
		}
		names[f[0]] = v
	}
}

// A matrix is an affine map behind the inversion, with its linear part in a register.
type matrix struct {
	reg      reg.VecPhysical
	constant byte
}

func inverse(c *ssa.Code, v ssa.Value, m matrix) ssa.Value {
	return c.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream {
		linear := m.reg
		if d.Size() == 16 {
			linear = amd64.X(m.reg)
		}
		return asm.Stream{amd64.VGF2P8AFFINEINVQB(operand.U8(m.constant), linear, s[0], d)}
	}, v)
}

func rotateBits(c *ssa.Code, v ssa.Value, n int) ssa.Value {
	return c.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream { return asm.Stream{amd64.VPROLD(operand.U8(n), s[0], d)} }, v)
}

func rotateWords(c *ssa.Code, v ssa.Value, n int) ssa.Value {
	const identity = 0b11_10_01_00
	order := operand.U8(identity<<(2*n)&0xff | identity>>(8-2*n))
	return c.Do(func(d amd64.Vec, s []amd64.Vec) asm.Stream { return asm.Stream{amd64.VPSHUFD(order, s[0], d)} }, v)
}

// xorKey adds a round key: words to be broadcast, or a whole register.
func xorKey(c *ssa.Code, v ssa.Value, key operand.Mem, words bool) ssa.Value {
	if words {
		return c.XorWord(v, key)
	}
	return c.XorMemory(v, key)
}

var zmm = amd64.ZMM

func asZ(r reg.VecPhysical) reg.VecPhysical { return r.AsZ().(reg.VecPhysical) }
