package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm"
	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
	"github.com/cipherlane/cipherlane/_gen/ghash"
)

const xor3 = 0x96 // VPTERNLOGQ: x ^ y ^ z

// This file has GHASH of ciphertext, in the notation of main.go. A register has four blocks
// and is multiplied by four powers, H^4 H^3 H^2 H or those above, so that the product with
// each of its lanes is right for its block; reduce adds up the lanes at the end.
//
// Karatsuba's method makes an unreduced product of three multiplications instead of four.
// With halves x1 and x0 of a block, and h1 and h0 of a power:
//
//	low    += x0 h0
//	high   += x1 h1
//	middle += (x0 + x1) (h0 + h1)       lacks low + high, which reduce adds
//
// Two registers of blocks share the sums of halves: VPUNPCK[LH]QDQ gathers the halves x0 of
// both and the halves x1 of both, one VPXORQ adds them. Of the powers of two groups these
// sums stay in the registers sums.

// A loader puts four blocks with their bytes reversed into a register.
type loader func(to reg.VecPhysical) asm.Stream

// from loads them from memory.
func from(m Mem) loader {
	return func(to reg.VecPhysical) asm.Stream {
		return asm.Stream{amd64.VMOVDQU64(m, to), amd64.VPSHUFB(revert, to, to)}
	}
}

// fromPart loads those that K1 has the bytes of.
func fromPart(m Mem) loader {
	return func(to reg.VecPhysical) asm.Stream {
		return asm.Stream{amd64.VMOVDQU8_Z(m, reg.K1, to), amd64.VPSHUFB(revert, to, to)}
	}
}

// in takes them from a register.
func in(z reg.VecPhysical) loader {
	return func(to reg.VecPhysical) asm.Stream { return asm.Stream{amd64.VPSHUFB(revert, z, to)} }
}

// plusHash adds the hash to the first block.
func (l loader) plusHash() loader {
	return func(to reg.VecPhysical) asm.Stream { return append(l(to), amd64.VPXORQ(hash, to, to)) }
}

// one adds the products of four blocks and the powers h to the sums.
func one(x loader, h Op) (c asm.Stream) {
	a, hs, t, u, v := tmp[0], tmp[1], tmp[2], tmp[3], tmp[4]
	c.Add(x(a)...)
	c.Add(amd64.VPSHUFD(Imm(0x4e), h, hs))
	c.Add(amd64.VPXORQ(h, hs, hs))
	c.Add(amd64.VPCLMULQDQ(Imm(0x00), h, a, t))
	c.Add(amd64.VPXORQ(t, low, low))
	c.Add(amd64.VPCLMULQDQ(Imm(0x11), h, a, u))
	c.Add(amd64.VPXORQ(u, high, high))
	c.Add(amd64.VPSHUFD(Imm(0x4e), a, v))
	c.Add(amd64.VPXORQ(a, v, v))
	c.Add(amd64.VPCLMULQDQ(Imm(0x00), hs, v, v))
	c.Add(amd64.VPXORQ(v, middle, middle))
	return c
}

// two does the same for two registers of blocks, or sets the sums if it is the first.
// halves has the halves of the powers, added as addHalves does, unless it is nil.
func two(x0, x1 loader, h0, h1 Op, halves reg.VecPhysical, first bool) (c asm.Stream) {
	a, b, xs, t, u, hs := tmp[0], tmp[1], tmp[2], tmp[3], tmp[4], tmp[5]
	c.Add(x0(a)...)
	c.Add(x1(b)...)
	if halves == nil {
		c.Add(addHalves(h0, h1, hs, t)...)
		halves = hs
	}
	c.Add(amd64.VPUNPCKHQDQ(b, a, t))
	c.Add(amd64.VPUNPCKLQDQ(b, a, xs))
	c.Add(amd64.VPXORQ(t, xs, xs))
	// add adds the products p and q, of which t and u are the registers, to a sum.
	add := func(sum, t, u reg.VecPhysical, p, q asm.Op) {
		c.Add(p, q)
		if first {
			c.Add(amd64.VPXORQ(t, u, sum))
		} else {
			c.Add(amd64.VPTERNLOGQ(Imm(xor3), t, u, sum))
		}
	}
	add(low, t, u, amd64.VPCLMULQDQ(Imm(0x00), h0, a, t), amd64.VPCLMULQDQ(Imm(0x00), h1, b, u))
	add(high, a, b, amd64.VPCLMULQDQ(Imm(0x11), h0, a, a), amd64.VPCLMULQDQ(Imm(0x11), h1, b, b))
	add(middle, t, u, amd64.VPCLMULQDQ(Imm(0x00), halves, xs, t), amd64.VPCLMULQDQ(Imm(0x11), halves, xs, u))
	return c
}

// addHalves adds up the halves of each of two powers: those of h0 go to the lower
// quadwords of sum, those of h1 to the upper ones.
func addHalves(h0, h1 Op, sum, t reg.VecPhysical) (c asm.Stream) {
	c.Add(amd64.VMOVDQU64(h0, sum))
	c.Add(amd64.VPUNPCKHQDQ(h1, sum, t))
	c.Add(amd64.VPUNPCKLQDQ(h1, sum, sum))
	c.Add(amd64.VPXORQ(t, sum, sum))
	return c
}

// prepare sets the registers sums.
func prepare() (c asm.Stream) {
	for i, s := range sums {
		h := Mem{Base: powers, Disp: 128 * i}
		c.Add(addHalves(h, h.Offset(64), s, tmp[i%len(tmp)])...)
	}
	return c
}

// part is the hash of the group at m, where batch is 0 for the first of
// two groups with one reduction and 1 for the second. Work that waits for the hash
// so far comes last.
func part(m Mem, batch int, plusHash, first bool) (c asm.Stream) {
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
func reduce() (c asm.Stream) {
	c.Add(amd64.VPTERNLOGQ(Imm(xor3), low, high, middle))
	return append(c, sumLanes(poly)...)
}

// sumLanes makes hash from the sums, of which middle is complete.
func sumLanes(poly Op) (c asm.Stream) {
	c.Add(ghash.Finish(low, middle, high, tmp[1], tmp[0], poly)...)
	c.Add(ghash.Lanes(tmp[1], amd64.Y(tmp[1]), amd64.X(tmp[1]), amd64.Y(tmp[0]), amd64.X(tmp[0]), amd64.X(hash))...)
	return c
}

// lengthBlock sets the sums to the products of the block m.Lens and H, and of the block that
// is waiting in front of those of the tail. With plusHash there is no other block, and the
// hash is added.
func lengthBlock(plusHash bool) (c asm.Stream) {
	x, h := amd64.X(tmp[0]), amd64.X(tmp[1])
	c.Add(amd64.VMOVQ(lengths, x))
	c.Add(amd64.VPINSRQ(Imm(1), lengths.Offset(8), x, x))
	c.Add(amd64.VPSHUFB(amd64.X(revert), x, x))
	if plusHash {
		c.Add(amd64.VPXORQ(amd64.X(hash), x, x))
	}
	c.Add(amd64.VMOVDQU(ghash.Power(powers, 1), h))
	c.Add(amd64.VINSERTI32X4(Imm(1), amd64.X(waiting), amd64.Y(x), amd64.Y(x)))
	c.Add(amd64.VINSERTI32X4(Imm(1), Mem{Base: own, Disp: -16}, amd64.Y(h), amd64.Y(h)))
	return append(c, products(amd64.Y)...)
}

// product sets the sums to the product of H and a block with its bytes reversed.
func product(x reg.VecPhysical) (c asm.Stream) {
	c.Add(amd64.VMOVDQA64(amd64.X(x), amd64.X(tmp[0])))
	c.Add(amd64.VMOVDQU(ghash.Power(powers, 1), amd64.X(tmp[1])))
	return append(c, products(amd64.X)...)
}

// products sets the sums to the products of the first two temporary registers, of a size.
func products(size func(reg.VecPhysical) reg.VecPhysical) (c asm.Stream) {
	x, h, xs, hs := size(tmp[0]), size(tmp[1]), size(tmp[2]), size(tmp[3])
	c.Add(amd64.VPSHUFD(Imm(0x4e), h, hs))
	c.Add(amd64.VPXORQ(h, hs, hs))
	c.Add(amd64.VPSHUFD(Imm(0x4e), x, xs))
	c.Add(amd64.VPXORQ(x, xs, xs))
	c.Add(amd64.VPCLMULQDQ(Imm(0x00), h, x, size(low)))
	c.Add(amd64.VPCLMULQDQ(Imm(0x11), h, x, size(high)))
	c.Add(amd64.VPCLMULQDQ(Imm(0x00), hs, xs, size(middle)))
	return c
}

// tail adds the products of the blocks in x, the first of which takes the power
// at own, from register first on. The last power is in lastPower.
func tail(x []loader, first int) (c asm.Stream) {
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
