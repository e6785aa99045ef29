package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

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

func (aesni) name() string { return "AESNIAVX2" }

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
	VPAND(mask, t, low)
	VPSRLD(Imm(4), t, t)
	VPAND(mask, t, t)
}

func (a aesni) basis(inverse bool, tmp []vec) func(r ...vec) {
	low, high := table("tableT", matrices.Affine{M: a.set.T})
	if inverse {
		low, high = table("tableInverseT", matrices.Affine{M: a.set.TInverse})
	}
	tableLow, tableHigh, lo, t := tmp[0], tmp[1], tmp[2], tmp[3]
	VMOVDQU(low, tableLow)
	VMOVDQU(high, tableHigh)
	return func(r ...vec) {
		for _, r := range r {
			split(r, lo, nibble())
			VPSHUFB(lo, tableLow, t)
			VPSHUFB(r, tableHigh, r)
			VPXOR(t, r, r)
		}
	}
}

// With all four words equal, ShiftRows changes nothing.
func (a aesni) layer(schedule bool, t vec) (u [4]vec) {
	low, tmp := xmm[5], xmm[6]
	VAESENCLAST(zero(), t, t)
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
		VMOVDQU(tableLow, u[i])
		VPSHUFB(low, u[i], u[i])
		VMOVDQU(tableHigh, tmp)
		VPSHUFB(t, tmp, tmp)
		VPXOR(tmp, u[i], u[i])
	}
	return u
}

// tables puts the look-ups of U0 and U1 into v[12] ... v[15] and returns the
// function that emits u0 = U0(1/t) and u1 = U1(1/t), shifted rows undone.
func (a aesni) tables(v [16]vec, mask Op) func(t, u0, u1, tmp vec) {
	low0, high0, low1, high1 := v[12], v[13], v[14], v[15]
	l0, h0 := a.u(0)
	l1, h1 := a.u(1)
	VMOVDQU(l0, low0)
	VMOVDQU(h0, high0)
	VMOVDQU(l1, low1)
	VMOVDQU(h1, high1)
	return func(t, u0, u1, tmp vec) {
		if v == xmm {
			VAESENCLAST(zero(), t, t)
		} else { // in halves: VAES is not for this family
			low, high := lowHalf(t), lowHalf(tmp)
			VEXTRACTI128(Imm(1), t, high)
			VAESENCLAST(zero(), low, low)
			VAESENCLAST(zero(), high, high)
			VINSERTI128(Imm(1), high, t, t)
		}
		VPSHUFB(unshift(), t, t)
		split(t, u0, mask)
		VPSHUFB(u0, low1, u1)
		VPSHUFB(t, high1, tmp)
		VPSHUFB(u0, low0, u0)
		VPSHUFB(t, high0, t)
		VPXOR(tmp, u1, u1)
		VPXOR(t, u0, u0)
	}
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
	VMOVDQU(nibble(), mask)
	substitute := a.tables(v, mask)
	for group := range p.groups {
		VMOVDQU(a.word(p, group, 3), v[group])
	}
	fours(8, k, func(i int) {
		VPBROADCASTD(k.at(i), key)
		for group := range p.groups {
			x := func(w int) Op { return a.word(p, group, (w+i)%4) }
			t := v[group]
			VPXOR(x(1), key, tmp)
			VPXOR(x(2), tmp, tmp)
			VPXOR(tmp, t, t)
			substitute(t, u0, u1, tmp)
			VPXOR(u0, u1, tmp)
			VPSHUFB(rotation(2), u1, u1)
			VPXOR(x(0), u0, u0)
			VPXOR(u1, tmp, tmp)
			VPSHUFB(rotation(3), tmp, tmp)
			VPXOR(u1, u0, u0)
			VPXOR(tmp, u0, t)
			VMOVDQU(t, x(0))
		}
	})
}

// bytes keeps all of the state in memory. The linear layer is that of
// gfni.bytes, with U3 as the sum of U0 and U1.
func (a aesni) bytes(n int, k keyWalk) {
	t, u0, u1, tmp, s, first, mask := ymm[0], ymm[1], ymm[2], ymm[3], ymm[4], ymm[9], ymm[10]
	sum := ymm[5:9]
	VMOVDQU(nibble(), mask)
	substitute := a.tables(ymm, mask)
	fours(8, k, func(i int) {
		for batch := range n {
			x := func(w, j int) Mem { return slot(batch, (w+i)%4, j) }
			for j := range 4 {
				VPBROADCASTD(k.at(i).Offset(4*j), t)
				VPXOR(x(1, j), t, t)
				VPXOR(x(2, j), t, t)
				VPXOR(x(3, j), t, t)
				if j == 0 {
					substitute(t, first, s, tmp)
					VPXOR(first, s, tmp)
				} else {
					substitute(t, u0, u1, tmp)
					VPXOR(u1, s, s)
					VPXOR(u0, u1, tmp)
					VPXOR(u0, sum[j-1], sum[j-1])
				}
				VPXOR(x(0, j), tmp, sum[j])
			}
			VPXOR(first, sum[3], sum[3])
			for j := range 4 {
				VPXOR(s, sum[j], sum[j])
				VMOVDQU(sum[j], x(0, j))
			}
		}
	})
}

// Up to eight blocks the latency of a round counts, which is shorter without
// halves to be taken apart.
func (aesni) passes() []pass {
	return []pass{{blocks: 4, groups: 1, narrow: true}, {blocks: 8, groups: 2, narrow: true},
		{blocks: 16, groups: 2}, {blocks: 32, groups: 4}}
}

func (aesni) speed() string { return "2.25" }
