package main

import (
	"github.com/cipherlane/cipherlane/_gen/ghash"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A loader puts four blocks with their bytes reversed into a register.
type loader func(c *code, to reg.VecPhysical)

// from loads them from memory.
func from(m Mem) loader {
	return func(c *code, to reg.VecPhysical) {
		c.add(func() { VMOVDQU64(m, to) })
		c.add(func() { VPSHUFB(revert, to, to) })
	}
}

// in takes them from a register.
func in(z reg.VecPhysical) loader {
	return func(c *code, to reg.VecPhysical) {
		c.add(func() { VPSHUFB(revert, z, to) })
	}
}

// plusHash adds the hash to the first block.
func (l loader) plusHash() loader {
	return func(c *code, to reg.VecPhysical) {
		l(c, to)
		c.add(func() { VPXORQ(hash, to, to) })
	}
}

// one adds the products of four blocks and the powers h to the sums.
func one(x loader, h Op) (c code) {
	a, hs, t, u, v := tmp[0], tmp[1], tmp[2], tmp[3], tmp[4]
	x(&c, a)
	c.add(func() { VPSHUFD(Imm(0x4e), h, hs) })
	c.add(func() { VPXORQ(h, hs, hs) })
	c.add(func() { VPCLMULQDQ(Imm(0x00), h, a, t) })
	c.add(func() { VPXORQ(t, low, low) })
	c.add(func() { VPCLMULQDQ(Imm(0x11), h, a, u) })
	c.add(func() { VPXORQ(u, high, high) })
	c.add(func() { VPSHUFD(Imm(0x4e), a, v) })
	c.add(func() { VPXORQ(a, v, v) })
	c.add(func() { VPCLMULQDQ(Imm(0x00), hs, v, v) })
	c.add(func() { VPXORQ(v, middle, middle) })
	return c
}

// two does the same for two registers of blocks, or sets the sums if it is the
// first. The halves of the powers are added already in sum, unless it is nil.
func two(x0, x1 loader, h0, h1 Op, sum reg.VecPhysical, first bool) (c code) {
	a, b, xs, t, u, hs := tmp[0], tmp[1], tmp[2], tmp[3], tmp[4], tmp[5]
	x0(&c, a)
	x1(&c, b)
	if sum == nil {
		addHalves(&c, h0, h1, hs, t)
		sum = hs
	}
	c.add(func() { VPUNPCKHQDQ(b, a, t) })
	c.add(func() { VPUNPCKLQDQ(b, a, xs) })
	c.add(func() { VPXORQ(t, xs, xs) })
	pair := func(to reg.VecPhysical, p, q func(to reg.VecPhysical), t, u reg.VecPhysical) {
		c.add(func() { p(t) })
		c.add(func() { q(u) })
		if first {
			c.add(func() { VPXORQ(t, u, to) })
		} else {
			c.add(func() { VPTERNLOGQ(Imm(0x96), t, u, to) })
		}
	}
	clmul := func(imm uint64, h Op, x reg.VecPhysical) func(reg.VecPhysical) {
		return func(to reg.VecPhysical) { VPCLMULQDQ(Imm(imm), h, x, to) }
	}
	pair(low, clmul(0x00, h0, a), clmul(0x00, h1, b), t, u)
	pair(high, clmul(0x11, h0, a), clmul(0x11, h1, b), a, b)
	pair(middle, clmul(0x00, sum, xs), clmul(0x11, sum, xs), t, u)
	return c
}

// addHalves sets sum to the halves of the powers at h0 and h1 added to one
// another, the one's in the lower, the other's in the upper quadwords.
func addHalves(c *code, h0, h1 Op, sum, t reg.VecPhysical) {
	c.add(func() { VMOVDQU64(h0, sum) })
	c.add(func() { VPUNPCKHQDQ(h1, sum, t) })
	c.add(func() { VPUNPCKLQDQ(h1, sum, sum) })
	c.add(func() { VPXORQ(t, sum, sum) })
}

// prepare sets the registers sums.
func prepare() (c code) {
	for i, s := range sums {
		h := Mem{Base: powers, Disp: 128 * i}
		addHalves(&c, h, h.Offset(64), s, tmp[i%len(tmp)])
	}
	return c
}

// part is the hash of the group at m, where batch is 0 for the first of
// two groups with one reduction and 1 for the second. What waits for the hash
// so far comes last.
func part(m Mem, batch int, plusHash, first bool) (c code) {
	for k := range groupRegisters / 2 {
		i := k
		if plusHash {
			i = (k + 1) % (groupRegisters / 2)
		}
		x := from(m.Offset(128 * i))
		if plusHash && i == 0 {
			x = x.plusHash()
		}
		h := Mem{Base: powers, Disp: groupSize*batch + 128*i}
		c = append(c, two(x, from(m.Offset(128*i+64)), h, h.Offset(64), sums[4*batch+i], first && k == 0)...)
	}
	return c
}

// reduce makes hash from the sums.
func reduce() (c code) {
	c.add(func() { VPTERNLOGQ(Imm(0x96), low, high, middle) })
	c.add(func() { ghash.Finish(low, middle, high, reg.Z14, reg.Z13, poly) })
	c.add(func() { ghash.Lanes(reg.Z14, reg.Y14, reg.X14, reg.Y13, reg.X13, reg.X22) })
	return c
}

// lengthBlock sets the sums to the product of the block lens and H. With
// plusHash there is no other block, and the hash is added.
func lengthBlock(plusHash bool) (c code) {
	x, h, xs, hs := reg.X13, reg.X14, reg.X15, reg.X16
	c.add(func() { VMOVQ(Mem{Base: lengths}, x) })
	c.add(func() { VPINSRQ(Imm(1), Mem{Base: lengths, Disp: 8}, x, x) })
	c.add(func() { VPSHUFB(reg.X19, x, x) })
	if plusHash {
		c.add(func() { VPXORQ(reg.X22, x, x) })
	}
	c.add(func() { VMOVDQU(ghash.Power(powers, 1), h) })
	c.add(func() { VPSHUFD(Imm(0x4e), h, hs) })
	c.add(func() { VPXORQ(h, hs, hs) })
	c.add(func() { VPSHUFD(Imm(0x4e), x, xs) })
	c.add(func() { VPXOR(x, xs, xs) })
	c.add(func() { VPCLMULQDQ(Imm(0x00), h, x, reg.X10) })
	c.add(func() { VPCLMULQDQ(Imm(0x11), h, x, reg.X12) })
	c.add(func() { VPCLMULQDQ(Imm(0x00), hs, xs, reg.X11) })
	return c
}

// tail adds the products of the blocks in x, the first of which takes the power
// at own, from register first on. The last power is in lastPower.
func tail(x []loader, first int) (c code) {
	power := func(i int) Op {
		if i == len(x)-1 {
			return lastPower
		}
		return Mem{Base: own, Disp: 64 * i}
	}
	n := len(x)
	if n%2 == 1 {
		n--
		l := x[n]
		if n == 0 {
			l = l.plusHash()
		}
		c = append(c, one(l, power(n))...)
	}
	for n -= 2; n >= first; n -= 2 {
		l := x[n]
		if n == 0 {
			l = l.plusHash()
		}
		c = append(c, two(l, x[n+1], power(n), power(n+1), nil, false)...)
	}
	return c
}
