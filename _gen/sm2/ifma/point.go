package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/cipherlane/cipherlane/_gen/asm/amd64"
)

// A point has Jacobian coordinates.
type point struct{ x, y, z *element }

// Bounds of the coordinates of points: every formula assumes them, and has them of
// its result.
const (
	maxX = 1.1
	maxY = 2.2
	maxZ = 2.8
)

const (
	elementSize = 5 * 64
	pointSize   = 3 * elementSize
)

func elementAt(base reg.Register, disp int, max float64) *element {
	return &element{base, disp, max}
}

func pointAt(base reg.Register, disp int) point {
	return point{
		elementAt(base, disp, maxX),
		elementAt(base, disp+elementSize, maxY),
		elementAt(base, disp+2*elementSize, maxZ),
	}
}

func (p point) bound() {
	p.x.bound(maxX)
	p.y.bound(maxY)
	p.z.bound(maxZ)
}

// Fields of Work.
const (
	workSum    = 0
	workEntry  = workSum + pointSize
	workTable  = workEntry + pointSize
	workDigits = workTable + 8*pointSize
	workFlip   = workDigits + 5*64
	workTemp   = workFlip + 64
	temps      = 8
)

// temporary returns element i of those that are for that.
func temporary(i int) *element {
	if i >= temps {
		panic("too many")
	}
	return elementAt(work, workTemp+elementSize*i, 0)
}

var (
	work  = reg.RDI // of all functions
	signs = reg.K1  // the lanes where what is added is negative
)

// Operations are in an order in which each begins with results of those before the
// one before it, as do wants them; it may end with a term of the one before it.

// double sets r = 2p, r may be p:
//
//	delta = Z^2, gamma = Y^2, alpha = 3 (X - delta) (X + delta), beta = X gamma
//	X3 = alpha^2 - 8 beta, Y3 = alpha (4 beta - X3) - 8 gamma^2, Z3 = 2 Y Z
//
// (https://hyperelliptic.org/EFD, dbl-2001-b). There are no exceptions.
func double(r, p point) {
	minus, plus, gamma2, alpha := temporary(0), temporary(1), temporary(2), temporary(3)
	beta4, w, square8 := temporary(4), temporary(5), temporary(6)
	x, y, z := *r.x, *r.y, *r.z
	do(
		operation{p.z, nil, []output{
			{to: minus, factor: -1, terms: []term{{1, p.x}}, primes: 2},
			{to: plus, factor: 1, terms: []term{{1, p.x}}},
		}},
		operation{p.y, nil, []output{{to: gamma2, factor: 2}}},
		operation{minus, plus, []output{{to: alpha, factor: 3}}},
		operation{p.x, gamma2, []output{{to: beta4, factor: 2}}},
		operation{p.z, p.y, []output{{to: &z, factor: 2}}},
		operation{alpha, nil, []output{
			{to: w, factor: -1, terms: []term{{1, beta4}, {2, beta4}}, primes: 3},
			{to: &x, factor: 1, terms: []term{{-2, beta4}}, primes: 6, reduce: true},
		}},
		operation{gamma2, nil, []output{{to: square8, factor: 2}}},
		operation{alpha, w, []output{{to: &y, factor: 1, terms: []term{{-1, square8}}, primes: 3, reduce: true}}},
	)
	point{&x, &y, &z}.bound()
}

// addAffine sets r = r + e, or r - e in the lanes of signs, for an affine e:
//
//	H = X2 Z1^2 - X1, S = Y2 Z1^3 - Y1
//	X3 = S^2 - H^3 - 2 X1 H^2, Y3 = S (X1 H^2 - X3) - Y1 H^3, Z3 = Z1 H
//
// Where the points are the same or opposite, Z3 is 0.
func addAffine(r, e point) {
	zz, yz, h, s := temporary(0), temporary(1), temporary(2), temporary(3)
	hh, hhh, v, w, yh := temporary(4), temporary(5), temporary(6), temporary(7), temporary(1)
	x, y, z := *r.x, *r.y, *r.z
	do(
		sqr(zz, r.z),
		mul(yz, e.y, r.z),
		operation{zz, e.x, []output{{to: h, factor: 1, terms: []term{{-1, r.x}}, primes: 2}}},
		operation{zz, yz, []output{{to: s, factor: 1, mask: signs, terms: []term{{-1, r.y}}, primes: 4}}},
		sqr(hh, h),
		mul(&z, r.z, h),
		mul(hhh, hh, h),
		mul(v, hh, r.x),
		newX(&x, w, s, hhh, v),
		mul(yh, r.y, hhh),
		newY(&y, s, w, yh),
	)
	point{&x, &y, &z}.bound()
}

// newX is S^2 - H^3 - 2 V, and w = V less that.
func newX(x, w, s, hhh, v *element) operation {
	return operation{s, nil, []output{
		{to: w, factor: -1, terms: []term{{1, hhh}, {1, v}, {2, v}}, primes: 3},
		{to: x, factor: 1, terms: []term{{-1, hhh}, {-2, v}}, primes: 5, reduce: true},
	}}
}

func newY(y, s, w, yh *element) operation {
	return operation{s, w, []output{{to: y, factor: 1, terms: []term{{-1, yh}}, primes: 2, reduce: true}}}
}

// add sets r = p + e, or p - e in the lanes of signs; r may be p or e. It is
// addAffine with X1 Z2^2, Y1 Z2^3 and Z1 Z2 in place of X1, Y1 and Z1.
func add(r, p, e point, signed bool) {
	zz1, zz2, yz1, yz2 := temporary(0), temporary(1), temporary(2), temporary(3)
	x1, h, y1, s := temporary(4), temporary(5), temporary(6), temporary(7)
	hh, zz, hhh, v, yh, w := temporary(1), temporary(0), temporary(3), temporary(2), temporary(4), temporary(6)
	x, y, z := *r.x, *r.y, *r.z
	y2 := output{to: s, factor: 1, terms: []term{{-1, y1}}, primes: 2}
	if signed {
		y2.mask, y2.primes = signs, 4
	}
	do(
		sqr(zz1, p.z),
		sqr(zz2, e.z),
		mul(yz1, e.y, p.z),
		mul(yz2, p.y, e.z),
		mul(x1, p.x, zz2),
		operation{zz1, e.x, []output{{to: h, factor: 1, terms: []term{{-1, x1}}, primes: 2}}},
		mul(y1, yz2, zz2),
		operation{zz1, yz1, []output{y2}},
		sqr(hh, h),
		mul(zz, p.z, e.z),
		mul(hhh, hh, h),
		mul(v, hh, x1),
		mul(yh, y1, hhh),
		newX(&x, w, s, hhh, v),
		mul(&z, zz, h),
		newY(&y, s, w, yh),
	)
	point{&x, &y, &z}.bound()
}

// A digit of b bits, v, stands for 2 v + 1 - 2^b, an odd number. index leaves v in
// zmm[1] and which odd number its magnitude is in zmm[0].
func index(bits int) {
	VMOVDQA64(zmm[0], zmm[1])
	negative(bits)
	VPXORQ_BCST(small(1<<bits-1), zmm[0], signs, zmm[0])
	VPANDQ_BCST(small(1<<(bits-1)-1), zmm[0], zmm[0])
}

// negative sets signs to the lanes with a negative digit in zmm[1].
func negative(bits int) { VPTESTNMQ_BCST(small(1<<(bits-1)), zmm[1], signs) }

// flip inverts signs in the lanes of Flip.
func flip() {
	VMOVDQU64(at(work, workFlip), zmm[1])
	VPTESTMQ(zmm[1], zmm[1], reg.K2)
	KXORB(reg.K2, signs, signs)
}

func small(i int) Mem { return word(wordSmall + i) }

// Windows of the base point.
const (
	baseBits    = 6
	baseEntries = 1 << (baseBits - 1)
	baseWindows = (256 + baseBits - 1) / baseBits
	baseSize    = 10 * 8 * baseEntries // of a window of the table
)

// nextBaseDigit takes the lowest digit off Digits, and its entry from the table, all
// of which it reads.
func nextBaseDigit(table reg.Register) {
	VMOVDQU64(at(work, workDigits), zmm[2])
	VPANDQ_BCST(small(1<<baseBits-1), zmm[2], zmm[0])
	for i := range 5 {
		VPSRLQ(Imm(baseBits), zmm[2+i], zmm[8])
		if i < 4 {
			VMOVDQU64(at(work, workDigits+64*(i+1)), zmm[3+i])
			VPSLLQ(Imm(64-baseBits), zmm[3+i], zmm[9])
			VPORQ(zmm[9], zmm[8], zmm[8])
		}
		VMOVDQU64(zmm[8], at(work, workDigits+64*i))
	}
	index(baseBits)
	VPSRLQ(Imm(3), zmm[0], zmm[2])
	group := []reg.Register{nil, reg.K2, reg.K3, reg.K4}
	for g := 1; g < len(group); g++ {
		VPCMPEQQ_BCST(small(g), zmm[2], group[g])
	}
	for limb := range 10 {
		z := zmm[4+limb]
		VPERMQ(at(table, 8*baseEntries*limb), zmm[0], z)
		for g := 1; g < len(group); g++ {
			VPERMQ(at(table, 8*baseEntries*limb+64*g), zmm[0], group[g], z)
		}
		VMOVDQU64(z, at(work, workEntry+64*limb))
	}
	flip()
}

// Windows of other points, with a table in Work.
const (
	pointBits    = 4
	pointEntries = 1 << (pointBits - 1)
	pointWindows = 256 / pointBits
)

// nextPointDigit takes the highest digit off Digits, and its entry from the table,
// all of which it reads.
func nextPointDigit() {
	VMOVDQU64(at(work, workDigits+64*3), zmm[2])
	VPSRLQ(Imm(64-pointBits), zmm[2], zmm[0])
	for i := range 4 {
		VPSLLQ(Imm(pointBits), zmm[2+i], zmm[8])
		if i < 3 {
			VMOVDQU64(at(work, workDigits+64*(2-i)), zmm[3+i])
			VPSRLQ(Imm(64-pointBits), zmm[3+i], zmm[9])
			VPORQ(zmm[9], zmm[8], zmm[8])
		}
		VMOVDQU64(zmm[8], at(work, workDigits+64*(3-i)))
	}
	index(pointBits)
	is := []reg.Register{nil, reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}
	for i := 1; i < pointEntries; i++ {
		VPCMPEQQ_BCST(small(i), zmm[0], is[i])
	}
	for limb := range 15 {
		z := zmm[4+limb]
		VMOVDQU64(at(work, workTable+64*limb), z)
		for i := 1; i < pointEntries; i++ {
			VMOVDQU64(at(work, workTable+pointSize*i+64*limb), is[i], z)
		}
		VMOVDQU64(z, at(work, workEntry+64*limb))
	}
	negative(pointBits)
	flip()
}

// first sets r to e or, in the lanes of signs, to -e. The Z of an affine e is 1.
func first(r, e point, affine bool) {
	for i := range 5 {
		VMOVDQU64(e.x.limb(i), zmm[5])
		VMOVDQU64(zmm[5], r.x.limb(i))
		if affine {
			VPBROADCASTQ(word(wordOne+i), zmm[5])
		} else {
			VMOVDQU64(e.z.limb(i), zmm[5])
		}
		VMOVDQU64(zmm[5], r.z.limb(i))
	}
	d := [5]vec(zmm[:5])
	for i, z := range d {
		VMOVDQU64(e.y.limb(i), z)
	}
	p := &program{}
	y := *r.y
	p.finish(output{to: &y, mask: signs, primes: 3, reduce: true}, d, zmm[5], span{0, e.y.max})
	amd64.Write(p.Stream)
}
