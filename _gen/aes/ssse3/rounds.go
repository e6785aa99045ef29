package main

import (
	"fmt"

	"github.com/cipherlane/cipherlane/_gen/aes/permute"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A direction is encryption or decryption.
//
// The state has a form of its own, that in which it goes into the inversion:
// the basis of the tower, and for decryption the inverse of the linear part of
// the S-box, which comes before the inversion there. The constant of the S-box
// is in the round keys.
type direction struct {
	name      string
	keyOffset int
	form      permute.Linear
	tables    *section // constants of the rounds
	rotations *section // indices of MixColumns for each round, and unshift
	rows      []int    // by which MixColumns rotates
}

const mostRounds = 14

var (
	field      = permute.NewTower()
	encryption = newDirection("Encrypt", encOffset, field.ToTower, permute.Linear(permute.SBoxLinear).After(field.FromTower), 1, []int{1, 2, 3}, 1, 3)
	decryption = newDirection("Decrypt", decOffset, field.ToTower.After(permute.SBoxLinearInverse), field.FromTower, -1, []int{1, 2}, 9, 11, 13, 14)
)

// newDirection writes the tables. sbox is what follows the inversion, shift the
// direction of ShiftRows; coefficients are the multiples of the output of the
// S-box that MixColumns adds up.
func newDirection(name string, keyOffset int, form, sbox permute.Linear, shift int, rows []int, coefficients ...byte) *direction {
	d := &direction{name: name, keyOffset: keyOffset, form: form, rows: rows}
	d.tables = newSection(name)
	d.tables.addInversion()
	for _, c := range coefficients {
		u, v := field.Output(form.After(permute.Times(c)).After(sbox))
		d.tables.add(fmt.Sprint("times", c), u, v)
	}
	u, v := field.Output(sbox)
	d.tables.add("last", u, v)
	low, high := permute.Nibbles(form)
	d.tables.add("form", low, high)
	d.rotations = newSection(name + "Rotations")
	for _, n := range rows {
		var list []permute.Table
		for round := 1; round < mostRounds; round++ {
			list = append(list, shifted(shift*round).rotation(n))
		}
		d.rotations.add(fmt.Sprint(n), list...)
	}
	// The number of rounds is even, and so the direction does not matter.
	d.rotations.add("unshift", shifted(0).permutation(), shifted(2).permutation())
	return d
}

// A lane has the registers of a block: the state, and temporary ones, which it
// shares with other blocks, but not with the one beside it.
type lane struct{ x, a, b, c, d vec }

func lanes(n int) (l []lane) {
	for i := range n {
		t := xmm[4+i%2*4:]
		l = append(l, lane{xmm[i], t[0], t[1], t[2], t[3]})
	}
	return l
}

// The other registers.
var (
	mask    = reg.X12 // the low nibble of all bytes
	key     = reg.X13
	rotate1 = reg.X14
	rotate2 = reg.X15
)

// code collects the instructions for a lane.
type code struct{ amd64.Code }

func (c *code) move(from Op, to vec)     { c.Add(func() { MOVO(from, to) }) }
func (c *code) add(from Op, to vec)      { c.Add(func() { PXOR(from, to) }) }
func (c *code) and(from Op, to vec)      { c.Add(func() { PAND(from, to) }) }
func (c *code) shift(to vec)             { c.Add(func() { PSRLW(Imm(4), to) }) }
func (c *code) permute(order Op, to vec) { c.Add(func() { PSHUFB(order, to) }) }

// lookUp sets to to the entries of a table.
func (c *code) lookUp(table Mem, index, to vec) {
	c.move(table, to)
	c.permute(index, to)
}

// pair sets to to the sum of what a pair of tables has for u and for v.
func (c *code) pair(table Mem, u, v, to, tmp vec) {
	c.lookUp(table, u, to)
	c.lookUp(table.Offset(16), v, tmp)
	c.add(tmp, to)
}

// split puts the low nibbles of l.x into l.b and leaves the high ones.
func (c *code) split(l lane) {
	c.move(mask, l.b)
	c.and(l.x, l.b)
	c.shift(l.x)
	c.and(mask, l.x)
}

// toForm sets l.x to the form of the state of l.x, plus summand.
func (c *code) toForm(s *section, l lane, summand vec) {
	c.split(l)
	c.pair(s.at("form"), l.b, l.x, l.a, l.c)
	c.move(summand, l.x)
	c.add(l.a, l.x)
}

// invert sets l.c to 1/u and l.a to 1/v. The other registers of the lane are
// free then.
func (c *code) invert(s *section, l lane) {
	c.split(l)                           // k, i
	c.lookUp(s.at("inverseA"), l.b, l.a) // A/k
	c.add(l.x, l.b)                      // j
	c.lookUp(s.at("inverse"), l.b, l.d)  // 1/j
	c.add(l.a, l.d)
	c.lookUp(s.at("inverse"), l.x, l.c) // 1/i
	c.add(l.c, l.a)
	c.lookUp(s.at("inverse"), l.a, l.c)
	c.add(l.b, l.c) // 1/u
	c.lookUp(s.at("inverse"), l.d, l.a)
	c.add(l.x, l.a) // 1/v
}

// encrypt is MixColumns and the key. With s the output of the S-box and Xs its
// bytes one row below (X⁴ = 1) the sum is
//
//	2s + 3Xs + X²s + X³s = s + (1+X)(3s + X²s)
//
// and the key is added to s, before its second half is there. The round keys
// are divided by 1+X²+X³ for that: multiplied by 1+X+X².
func (c *code) encrypt(s *section, l lane, rotate [4]Op) {
	c.multiples(s, l)
	c.move(l.b, l.c)
	c.permute(rotate[2], l.c)
	c.add(l.c, l.x)
	c.add(l.x, l.b)
	c.permute(rotate[1], l.x)
	c.add(l.b, l.x)
}

// encryptAlone computes the sum as (s + 3s) + (X²s + X³s) + 3Xs. That is more to do
// but takes less time, for a block that is alone.
func (c *code) encryptAlone(s *section, l lane, rotate [4]Op) {
	c.multiples(s, l)
	c.move(l.b, l.c)
	c.move(l.x, l.d)
	c.permute(rotate[2], l.c)
	c.permute(rotate[1], l.d)
	c.add(l.b, l.x)
	c.permute(rotate[3], l.b)
	c.add(l.d, l.x)
	c.add(l.c, l.b)
	c.add(l.b, l.x)
}

// multiples sets l.b to s plus the key and l.x to 3s.
func (c *code) multiples(s *section, l lane) {
	c.lookUp(s.at("times1"), l.c, l.b)
	c.add(key, l.b)
	c.lookUp(s.at("times1").Offset(16), l.a, l.d)
	c.add(l.d, l.b)
	c.pair(s.at("times3"), l.c, l.a, l.x, l.d)
}

// decrypt is InvMixColumns and the key K: 14s + 11Xs + X²(13s + 9Xs) + K.
func (c *code) decrypt(s *section, l lane, rotate [4]Op) {
	c.pair(s.at("times9"), l.c, l.a, l.x, l.d)
	c.permute(rotate[1], l.x)
	c.pair(s.at("times13"), l.c, l.a, l.b, l.d)
	c.add(l.b, l.x)
	c.pair(s.at("times11"), l.c, l.a, l.b, l.d)
	c.permute(rotate[2], l.x)
	c.permute(rotate[1], l.b)
	c.lookUp(s.at("times14"), l.c, l.d)
	c.add(key, l.d)
	c.add(l.d, l.b)
	c.lookUp(s.at("times14").Offset(16), l.a, l.d)
	c.add(l.d, l.b)
	c.add(l.b, l.x)
}

// sideBySide emits the same for all lanes, for two of them by turns, so that
// CPUs that look ahead little find work while one waits.
func sideBySide(l []lane, f func(c *code, l lane)) {
	for i := 0; i < len(l); i += 2 {
		var pair [2]code
		for n, l := range l[i:min(i+2, len(l))] {
			f(&pair[n], l)
		}
		amd64.Weave(pair[0].Code, pair[1].Code).Write()
	}
}

// singleLane emits for one lane.
func singleLane(f func(c *code)) {
	var c code
	f(&c)
	c.Write()
}

var labels int

// label returns a new label.
func label(name string) string {
	labels++
	return fmt.Sprint(name, labels)
}

func roundKey() Mem { return Mem{Base: keys, Index: keyAt, Scale: 1} }

// rotation is the index of this round for a rotation by n rows.
func (d *direction) rotation(n int) Mem {
	return Mem{Base: rotations, Index: keyAt, Scale: 1, Disp: d.rotations.offset(fmt.Sprint(n)) - 16}
}

// unshift is the permutation behind the last round.
func (d *direction) unshift() Mem {
	return Mem{Base: rotations, Index: unshiftAt, Scale: 1, Disp: d.rotations.offset("unshift")}
}

// start sets the registers that keep their value.
func (d *direction) start() {
	Load(Param("k"), keys)
	d.tables.load(tables, bias)
	d.rotations.load(rotations, 0)
	MOVQ(Mem{Base: keys, Disp: roundsOffset}, lastKeyAt)
	SHLQ(Imm(4), lastKeyAt)
	MOVQ(lastKeyAt, unshiftAt)
	ANDQ(Imm(32), unshiftAt)
	SHRQ(Imm(1), unshiftAt)
	if d.keyOffset != 0 {
		ADDQ(U32(uint64(d.keyOffset)), keys)
	}
	MOVO(d.tables.at("nibble"), mask)
}

// startBlocks sets the other registers of functions that get their blocks in
// the slices dst and src.
func startBlocks() {
	Load(Param("dst").Base(), dst)
	Load(Param("src").Base(), src)
	Load(Param("src").Len(), remaining)
	SHRQ(Imm(4), remaining)
}

// rounds takes the blocks in l.x through all rounds.
func (d *direction) rounds(l []lane) {
	MOVOU(Mem{Base: keys}, key)
	sideBySide(l, func(c *code, l lane) { c.toForm(d.tables, l, key) })
	d.middle(l, 1)
	d.last(l)
}

// last is the last round, whose key is loaded.
func (d *direction) last(l []lane) {
	sideBySide(l, func(c *code, l lane) {
		c.invert(d.tables, l)
		c.pair(d.tables.at("last"), l.c, l.a, l.x, l.d)
		c.add(key, l.x)
		c.permute(d.unshift(), l.x)
	})
}

// middle is all rounds from the first one on but the last one, whose key it loads.
func (d *direction) middle(l []lane, first int) {
	top := label("round")
	MOVL(U32(uint64(16*first)), keyAt.As32())
	Label(top)
	MOVOU(roundKey(), key)
	var rotate [4]Op
	for _, n := range d.rows {
		rotate[n] = d.rotation(n)
	}
	one := len(l) == 1
	if !one {
		MOVO(rotate[1], rotate1)
		MOVO(rotate[2], rotate2)
		rotate[1], rotate[2] = rotate1, rotate2
	}
	sideBySide(l, func(c *code, l lane) {
		c.invert(d.tables, l)
		switch {
		case d == decryption:
			c.decrypt(d.tables, l, rotate)
		case one:
			c.encryptAlone(d.tables, l, rotate)
		default:
			c.encrypt(d.tables, l, rotate)
		}
	})
	ADDQ(Imm(16), keyAt)
	CMPQ(keyAt, lastKeyAt)
	JB(LabelRef(top))
	MOVOU(roundKey(), key)
}

// passes emits a loop over four blocks and what does one to three in the end.
// in loads the state of all lanes, out stores it.
func (d *direction) passes(in, out func(l []lane)) {
	pass := func(n int) {
		l := lanes(n)
		in(l)
		d.rounds(l)
		out(l)
	}
	CMPQ(remaining, Imm(4))
	JB(LabelRef("tail"))
	Label("next")
	pass(4)
	ADDQ(Imm(64), src)
	ADDQ(Imm(64), dst)
	SUBQ(Imm(4), remaining)
	CMPQ(remaining, Imm(4))
	JAE(LabelRef("next"))
	Label("tail")
	CMPQ(remaining, Imm(2))
	JA(LabelRef("three"))
	JE(LabelRef("two"))
	TESTQ(remaining, remaining)
	JZ(LabelRef("done"))
	pass(1)
	JMP(LabelRef("done"))
	Label("two")
	pass(2)
	JMP(LabelRef("done"))
	Label("three")
	pass(3)
	Label("done")
}
