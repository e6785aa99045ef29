package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/cipherlane/cipherlane/_gen/simd"
	"github.com/cipherlane/cipherlane/_gen/sm4/matrices"
)

// aesni takes the inversion from the S-box of AES, by AESENCLAST with the key
// zero. In the basis T the input needs no map; one look-up per nibble and
// matrix (VPSHUFB) undoes the affine map of AES and does the output map and
// the linear layer of SM4.
//
// AESENCLAST also does ShiftRows: byte j of word w goes to word w-j (modulo 4)
// of a quarter of four words. [unshift] undoes it.
type aesni struct {
	set *matrices.Set
}

func newAESNI(s *matrices.Set) aesni { return aesni{s} }

func (aesni) name() string {
	if simd.Legacy {
		return "AESNI"
	}
	return "AESNIAVX2"
}

func (aesni) replicated() bool { return true }

// table declares the look-ups of an affine map for the low and the high
// nibble.
func table(name string, a matrices.Affine) (low, high Mem) {
	l, h := a.Nibbles()
	return constant(name+"Low", l[:]...), constant(name+"High", h[:]...)
}

// u declares the look-ups of Ui of the output of AES's S-box.
func (a aesni) u(i int) (low, high Mem) {
	m := []matrices.Affine{a.set.U0, a.set.U1, {}, a.set.U3}[i]
	return table("tableU"+string('0'+rune(i)), m.After(matrices.AESAffine.Inverse()))
}

func (a aesni) v(i int) (low, high Mem) {
	return table("tableV"+string('0'+rune(i)), a.set.V[i].After(matrices.AESAffine.Inverse()))
}

func nibble() Mem { return constant("nibble", 0x0f) }

func zero() Mem { return constant("zero", 0) }

func unshift() Mem {
	var b [16]byte
	for w := range 4 {
		for j := range 4 {
			b[4*w+j] = byte(4*((w+4-j)%4) + j)
		}
	}
	return constant("unshift", b[:]...)
}

// split puts the low nibbles of t into low and the high ones into t.
func split(t, low vec, mask Op) {
	simd.And(mask, t, low)
	simd.Right32(4, t, t)
	simd.And(mask, t, t)
}

func (a aesni) basis(inverse bool, tmp []vec) func(r ...vec) {
	low, high := table("tableT", matrices.Affine{M: a.set.T})
	if inverse {
		low, high = table("tableInverseT", matrices.Affine{M: a.set.TInverse})
	}
	tableLow, tableHigh, lo, t := held(low, tmp[0]), held(high, tmp[1]), tmp[2], tmp[3]
	return func(r ...vec) {
		for _, r := range r {
			split(r, lo, nibble())
			lookUp(lo, tableLow, t)
			lookUp(r, tableHigh, lo)
			xor(lo, t, r)
		}
	}
}

// With all four words equal, ShiftRows changes nothing.
func (a aesni) layer(schedule bool, t vec) (u [4]vec) {
	low, tmp := xmm[5], xmm[6]
	aesencLast(zero(), t)
	split(t, low, nibble())
	for _, i := range []int{1, 3, 2, 0} {
		var tableLow, tableHigh Mem
		switch {
		case schedule:
			tableLow, tableHigh = a.v(i)
		case i == 2:
			u[2] = u[1]
			continue
		default:
			tableLow, tableHigh = a.u(i)
		}
		u[i] = xmm[7+i]
		lookUp(low, held(tableLow, u[i]), u[i])
		lookUp(t, held(tableHigh, tmp), tmp)
		xor(tmp, u[i], u[i])
	}
	return u
}

// invert is t = AES's S-box of t, with the rows shifted. It overwrites the lower half of tmp.
func invert(t, tmp vec) {
	if t.Size() == 16 {
		aesencLast(zero(), t)
		return
	}
	low, high := lowHalf(t), lowHalf(tmp) // in halves: VAES is not for this family
	VEXTRACTI128(Imm(1), t, high)
	VAESENCLAST(zero(), low, low)
	VAESENCLAST(zero(), high, high)
	VINSERTI128(Imm(1), high, t, t)
}

// nibbles puts the two nibbles of the inverse of t, rows where they were, into low and t.
func nibbles(t, low, tmp vec, mask Op) {
	invert(t, tmp)
	shuffle(unshift(), t, t)
	split(t, low, mask)
}

func lowHalf(y vec) vec {
	for i, r := range ymm {
		if r == y {
			return xmm[i]
		}
	}
	panic("not a YMM register")
}

// word keeps the state in memory: four groups do not fit into registers. The
// newest word of each group is in one of the registers 0 ... 3 as well.
func (aesni) word(p pass, group, w int) Op {
	return Mem{Base: frame, Disp: state + p.size()*(4*group+w)}
}

// words uses that U0+U1+U3 = 0: with v = u1<<<16 the linear layer is
// u0 + v + (u0+u1+v)<<<24, two rotations.
func (a aesni) words(p pass, k keyWalk) {
	v := p.registers()
	u0, u1, tmp, key, mask := v[4], v[5], v[6], v[7], v[8]
	l0, h0 := a.u(0)
	l1, h1 := a.u(1)
	low0, high0, low1, high1 := held(l0, v[12]), held(h0, v[13]), held(l1, v[14]), held(h1, v[15])
	move(nibble(), mask)
	for group := range p.groups {
		move(a.word(p, group, 3), v[group])
	}
	fours(8, k, func(i int) {
		broadcast(32, k.at(i), key)
		for group := range p.groups {
			x := func(w int) Op { return a.word(p, group, (w+i)%4) }
			t := v[group]
			xor(x(1), key, tmp)
			xor(x(2), tmp, tmp)
			xor(tmp, t, t)
			nibbles(t, u0, tmp, mask)
			lookUp(u0, low1, u1)
			lookUp(t, high1, tmp)
			xor(tmp, u1, u1)
			lookUp(t, high0, tmp)
			lookUp(u0, low0, t)
			xor(tmp, t, t)
			xor(t, u1, tmp)
			shuffle(rotation(2), u1, u1)
			xor(x(0), t, t)
			xor(u1, tmp, tmp)
			shuffle(rotation(3), tmp, tmp)
			xor(u1, t, t)
			xor(tmp, t, t)
			move(t, x(0))
		}
	})
}

// bytes keeps the newest word of every batch in registers. With r[j] = U3(1/t[j]) + U0(1/t[j+1])
// the linear layer is the sum of the three r of the other bytes: see gfni.bytes, where s is the sum
// of all r.
func (a aesni) bytes(n int, k keyWalk) {
	v := widest()
	low, u, tmp, first := v[8], v[9], v[10], v[11]
	l0, h0 := a.u(0)
	l3, h3 := a.u(3)
	low0, high0, low3, high3 := held(l0, v[12]), held(h0, v[13]), held(l3, v[14]), held(h3, v[15])
	for batch := range n {
		for j := range 4 {
			move(slot(batch, 3, j), v[4*batch+j])
		}
	}
	fours(8, k, func(i int) {
		x := func(batch, w, j int) Mem { return slot(batch, (w+i)%4, j) }
		for j := range 4 {
			broadcast(32, k.at(i).Offset(4*j), tmp)
			for batch := range n {
				t := v[4*batch+j]
				xor(tmp, t, t)
				xor(x(batch, 1, j), t, t)
				xor(x(batch, 2, j), t, t)
			}
		}
		for batch := range n {
			r := v[4*batch : 4*batch+4]
			for j, t := range r {
				nibbles(t, low, tmp, nibble())
				lookUp(t, high0, tmp)
				if j == 0 {
					lookUp(low, low0, first)
					xor(tmp, first, first)
				} else {
					lookUp(low, low0, u)
					xor(tmp, r[j-1], r[j-1])
					xor(u, r[j-1], r[j-1])
				}
				lookUp(t, high3, u)
				lookUp(low, low3, t)
				xor(u, t, t)
			}
			xor(first, r[3], r[3])
			xor(r[0], r[1], low)
			xor(r[2], r[3], tmp)
			r[0], r[1], r[2], r[3] = r[1], r[0], r[3], r[2]
			for j, t := range r {
				xor([]vec{tmp, low}[j/2], t, t)
				xor(x(batch, 0, j), t, t)
				move(t, x(batch, 0, j))
			}
		}
	})
}

// Up to eight blocks the latency of a round counts, which is shorter without
// halves to be taken apart.
func (aesni) passes() []pass {
	if simd.Legacy {
		return []pass{{blocks: 4, groups: 1, narrow: true}, {blocks: 8, groups: 2, narrow: true},
			{blocks: 16, groups: 4, narrow: true}}
	}
	return []pass{{blocks: 4, groups: 1, narrow: true}, {blocks: 8, groups: 2, narrow: true},
		{blocks: 16, groups: 2}, {blocks: 32, groups: 4}}
}

func (aesni) speed() string { return "2.25" }
