package sm2

import (
	"math/bits"
	"sync"
)

// The curve is y^2 = x^3 - 3x + b over the integers modulo p; its group has the
// prime order n (GB/T 32918.5-2017).

// A point (X, Y, Z) in Jacobian coordinates is (X/Z^2, Y/Z^3), or infinity if
// Z is 0.
type point struct{ x, y, z element }

// An affine point is never infinity.
type affine struct{ x, y element }

var (
	curveB = element{0x90d230632bc0dd42, 0x71cf379ae9b537ab, 0x527981505ea51c3c, 0x240fe188ba20e2c8}
	base   = affine{
		element{0x61328990f418029e, 0x3e7981eddca6c050, 0xd6a1ed99ac24c3c3, 0x91167a5ee1c13b05},
		element{0xc1354e593c2d0ddd, 0xc1f5e5788d3295fa, 0x8d4cfb066e2a48f8, 0x63cd65d481d735bd},
	}
)

// double sets r = 2p. It is correct for all points: infinity remains infinity, and
// no point has order 2. With M = 3/2 (X - Z^2) (X + Z^2) and S = X Y^2,
//
//	X' = M^2 - 2 S    Y' = M (S - X') - Y^4    Z' = Y Z
func (r *point) double(p *point) {
	var m, s, yy, t element
	t.sqr(&p.z)
	m.add(&p.x, &t)
	t.sub(&p.x, &t)
	m.mul(&m, &t)
	t.halve(&m)
	m.add(&m, &t)
	yy.sqr(&p.y)
	s.mul(&p.x, &yy)
	r.z.mul(&p.y, &p.z)
	r.x.sqr(&m)
	r.x.sub(&r.x, &s)
	r.x.sub(&r.x, &s)
	yy.sqr(&yy)
	t.sub(&s, &r.x)
	r.y.mul(&m, &t)
	r.y.sub(&r.y, &yy)
}

// doubles sets r = 2^n p, n at least 1.
func (r *point) doubles(p *point, n int) {
	r.double(p)
	for range n - 1 {
		r.double(r)
	}
}

// add sets r = r + q, or leaves r unchanged if skip is all ones. r may be infinity;
// q may be infinity only if it is skipped. If r = q, the result is wrong and add
// returns all ones.
func (r *point) add(q *point, skip uint64) (same uint64) {
	var zz1, zz2, u1, u2, s1, s2, h, s, hh, hhh, v element
	var sum point
	zz1.sqr(&r.z)
	zz2.sqr(&q.z)
	u1.mul(&r.x, &zz2)
	u2.mul(&q.x, &zz1)
	s1.mul(&r.y, &q.z)
	s1.mul(&s1, &zz2)
	s2.mul(&q.y, &r.z)
	s2.mul(&s2, &zz1)
	h.sub(&u2, &u1)
	s.sub(&s2, &s1)
	hh.sqr(&h)
	hhh.mul(&hh, &h)
	v.mul(&u1, &hh)
	sum.z.mul(&r.z, &q.z)
	sum.z.mul(&sum.z, &h)
	sum.x.sqr(&s)
	sum.x.sub(&sum.x, &hhh)
	sum.x.sub(&sum.x, &v)
	sum.x.sub(&sum.x, &v)
	v.sub(&v, &sum.x)
	v.mul(&v, &s)
	s1.mul(&s1, &hhh)
	sum.y.sub(&v, &s1)
	empty := r.z.isZero()
	r.choose(&sum, ^skip&^empty)
	r.choose(q, ^skip&empty)
	return h.isZero() & s.isZero() &^ (skip | empty)
}

// addAffine is add for an affine q, which may have any value if skip is all ones.
func (r *point) addAffine(q *affine, skip uint64) (same uint64) {
	var zz1, h, s, hh, hhh, v, t element
	var sum point
	zz1.sqr(&r.z)
	h.mul(&q.x, &zz1)
	h.sub(&h, &r.x)
	s.mul(&q.y, &r.z)
	s.mul(&s, &zz1)
	s.sub(&s, &r.y)
	hh.sqr(&h)
	hhh.mul(&hh, &h)
	v.mul(&r.x, &hh)
	t.mul(&r.y, &hhh)
	sum.z.mul(&r.z, &h)
	sum.x.sqr(&s)
	sum.x.sub(&sum.x, &hhh)
	sum.x.sub(&sum.x, &v)
	sum.x.sub(&sum.x, &v)
	v.sub(&v, &sum.x)
	v.mul(&v, &s)
	sum.y.sub(&v, &t)
	empty := r.z.isZero()
	r.choose(&sum, ^skip&^empty)
	r.x.choose(&q.x, ^skip&empty)
	r.y.choose(&q.y, ^skip&empty)
	r.z.choose(&one, ^skip&empty)
	return h.isZero() & s.isZero() &^ (skip | empty)
}

// choose sets r to p if mask is all ones, to r if it is 0.
func (r *point) choose(p *point, mask uint64) {
	r.x.choose(&p.x, mask)
	r.y.choose(&p.y, mask)
	r.z.choose(&p.z, mask)
}

// negate sets r = -r if mask is all ones.
func (y *element) negate(mask uint64) {
	var t element
	t.sub(&zeroElem, y)
	y.choose(&t, mask)
}

// wipe overwrites a secret point.
func (p *point) wipe() { *p = point{} }

// affine returns the affine coordinates of p. For infinity it returns (0, 0), which
// is not on the curve.
func (p *point) affine(row uint8) affine {
	var zi element
	zi.invert(row, &p.z)
	return p.divide(&zi)
}

// divide is affine for a known 1/Z.
func (p *point) divide(zi *element) (a affine) {
	var zz element
	zz.sqr(zi)
	a.x.mul(&p.x, &zz)
	zz.mul(&zz, zi)
	a.y.mul(&p.y, &zz)
	return a
}

// affinePair sets a and b to p and q in affine coordinates, with one inversion.
func affinePair(row uint8, a, b *affine, p, q *point) {
	var product, zi element
	product.mul(&p.z, &q.z)
	product.invert(row, &product)
	zi.mul(&product, &q.z)
	*a = p.divide(&zi)
	zi.mul(&product, &p.z)
	*b = q.divide(&zi)
}

// onCurve returns all ones if p is on the curve, else 0.
func (p *affine) onCurve() uint64 {
	var y2, x3 element
	curve(&x3, &p.x)
	y2.sqr(&p.y)
	return y2.equal(&x3)
}

// curve sets z = x^3 - 3x + b.
func curve(z, x *element) {
	var t element
	t.sqr(x)
	t.mul(&t, x)
	t.sub(&t, x)
	t.sub(&t, x)
	t.sub(&t, x)
	z.add(&t, &curveB)
}

// Multiplication splits a scalar into windows, which become digits from
// -2^(window-1) to 2^(window-1). Digit i is made of bits window*i-1 to
// window*(i+1)-1. The lowest of these is a carry: it is the top bit of the window
// below, from which 2^window was subtracted if it is set.
const (
	window  = 5
	digits  = 52 // ceil(257 / 5)
	entries = 1 << (window - 1)

	// Those of the base point are odd, from -63 to 63.
	baseWindow  = 6
	baseDigits  = 43 // ceil(257 / 6)
	baseEntries = 1 << (baseWindow - 1)
)

// digit returns the magnitude of digit i, and all ones if it is negative.
func (x *scalar) digit(window, i uint) (magnitude, negative uint64) {
	v := x[0] << 1
	if i > 0 {
		at := window*i - 1
		v = x[at/64] >> (at % 64)
		if at/64 < 3 {
			v |= x[at/64+1] << 1 << (63 - at%64)
		}
	}
	v &= 1<<(window+1) - 1
	negative = -(v >> window)
	magnitude = (v+1)>>1 - v>>window<<window
	return (magnitude ^ negative) - negative, negative
}

// multiples contains the multiples of a point by 1 to 16.
type multiples [entries]point

func (m *multiples) fill(row uint8, p *affine) {
	m[0] = point{p.x, p.y, one}
	for i := 1; i < entries; i++ {
		if i%2 == 1 {
			double(row, &m[i], &m[i/2], 1)
		} else {
			m[i] = m[i-1]
			addAffine(row, &m[i], p, 0)
		}
	}
}

// get sets r to the multiple with the given magnitude, or to infinity for 0. It
// reads all entries.
func (m *multiples) get(r *point, magnitude uint64) {
	*r = point{}
	for i := range m {
		mask := zeroMask(magnitude ^ uint64(i+1))
		e := &m[i]
		for j := range 4 {
			r.x[j] |= e.x[j] & mask
			r.y[j] |= e.y[j] & mask
			r.z[j] |= e.z[j] & mask
		}
	}
}

// multiply sets r = k q in secret-independent time.
//
// Before digit i > 0 is added, r = 32 m q, where 32 m + digit is k without its 5i
// lowest bits, or one more, and so below n/16. So r is plus or minus the digit
// times q only if both are infinity, a case that add handles. Before digit 0,
// 32 m may be n - 3, where k is n - 6 and the digit -3: then the double of the
// digit's multiple, which is always computed, is selected.
func (r *point) multiply(row uint8, k *scalar, q *affine) {
	var m multiples
	var e point
	m.fill(row, q)
	*r = point{}
	for i := digits - 1; ; i-- {
		magnitude, negative := k.digit(window, uint(i))
		get(row, &e, &m, magnitude)
		e.y.negate(negative)
		same := add(row, r, &e, zeroMask(magnitude))
		if i == 0 {
			double(row, &e, &e, 1)
			r.choose(&e, same)
			break
		}
		double(row, r, r, window)
	}
	clear(m[:])
	e.wipe()
}

// baseTable contains the odd multiples 1 to 63 of 64^i G.
type baseTable [baseDigits]baseRow

type baseRow [baseEntries]affine

// The last row has digits from 1 to 15 only: in place of the multiple by 17 is the point for
// the one number that multiplyBase cannot compute.
const exception = 8

// baseMultiples returns the table. The first call computes it, in about a
// millisecond.
var baseMultiples = sync.OnceValue(func() *baseTable {
	points := make([]point, 0, baseDigits*baseEntries)
	next := base
	for range baseDigits {
		p := point{next.x, next.y, one}
		var doubled point
		doubled.double(&p)
		for range baseEntries {
			points = append(points, p)
			p.add(&doubled, 0)
		}
		p = points[len(points)-1]
		p.addAffine(&next, 0) // 63 and 1
		next = p.affine(generic)
	}
	last := points[len(points)-baseEntries:]
	last[exception].double(&last[exception-1])
	t := new(baseTable)
	for i, p := range affineAll(points) {
		t[i/baseEntries][i%baseEntries] = p
	}
	return t
})

// affineAll is affine for many points, with one inversion.
func affineAll(points []point) []affine {
	list := make([]affine, len(points))
	allAffine(generic, list, points, make([]element, len(points)))
	return list
}

// allAffine is affineAll without allocations. products needs as many elements as there are points.
func allAffine(row uint8, list []affine, points []point, products []element) {
	product := one
	for i := range points {
		products[i] = product
		mul(row, &product, &product, &points[i].z)
	}
	product.invert(row, &product)
	for i := len(points) - 1; i >= 0; i-- {
		p, a := &points[i], &list[i]
		var zi, zz element
		mul(row, &zi, &product, &products[i])
		mul(row, &product, &product, &p.z)
		squares(row, &zz, &zi, 1)
		mul(row, &a.x, &p.x, &zz)
		mul(row, &zz, &zz, &zi)
		mul(row, &a.y, &p.y, &zz)
	}
}

// get sets r to an entry of the row. It reads all entries.
func (t *baseRow) get(r *affine, entry uint64) {
	var x0, x1, x2, x3, y0, y1, y2, y3 uint64
	for i := range t {
		mask := zeroMask(entry ^ uint64(i))
		a := &t[i]
		x0 |= a.x[0] & mask
		x1 |= a.x[1] & mask
		x2 |= a.x[2] & mask
		x3 |= a.x[3] & mask
		y0 |= a.y[0] & mask
		y1 |= a.y[1] & mask
		y2 |= a.y[2] & mask
		y3 |= a.y[3] & mask
	}
	r.x = element{x0, x1, x2, x3}
	r.y = element{y0, y1, y2, y3}
}

// getSigned is get for a digit, whose sign it applies.
func (t *baseRow) getSigned(r *affine, digit uint64) {
	t.get(r, digit&^signBit-1)
	r.y.negate(-(digit >> 63))
}

// signBit is set in a digit that is to be subtracted. The other bits are the number of the
// entry, from 1 on.
const signBit = 1 << 63

// oddDigits splits an odd number into digits of the given number of bits that are all odd, from
// 1-2^window to 2^window-1. Their binary digits 0 and 1 stand for -1 and 1; above those of the
// number there is one more 1, which the last digit has. All digits are negated if negate is all
// ones.
func oddDigits(list []uint64, k *scalar, window uint, negate uint64) {
	v0, v1, v2, v3 := k[0]>>1|k[1]<<63, k[1]>>1|k[2]<<63, k[2]>>1|k[3]<<63, k[3]>>1
	v4 := uint64(1) << (uint(len(list))*window - 257)
	right, left := window&63, -window&63
	for i := range list {
		d := v0
		v0, v1, v2, v3, v4 = v0>>right|v1<<left, v1>>right|v2<<left, v2>>right|v3<<left, v3>>right|v4<<left, v4>>right
		negative := d>>(right-1)&1 - 1
		list[i] = (d^negative)&(1<<(right-1)-1) + 1 | (negative^negate)&signBit
	}
}

// setOdd sets z to k or to n - k, whichever is odd, and returns all ones for the latter.
func (z *scalar) setOdd(k *scalar) (negated uint64) {
	n0, b := bits.Sub64(order[0], k[0], 0)
	n1, b := bits.Sub64(order[1], k[1], b)
	n2, b := bits.Sub64(order[2], k[2], b)
	n3, _ := bits.Sub64(order[3], k[3], b)
	even := k[0]&1 - 1
	z[0] = k[0] ^ even&(k[0]^n0)
	z[1] = k[1] ^ even&(k[1]^n1)
	z[2] = k[2] ^ even&(k[2]^n2)
	z[3] = k[3] ^ even&(k[3]^n3)
	return even
}

// baseDigitsOf sets the list to the digits of k, from 1 to n-1, for the rows of baseTable. It
// returns all ones if their signs are those of n - k.
func baseDigitsOf(list *[baseDigits]uint64, k *scalar) (negated uint64) {
	var odd scalar
	negated = odd.setOdd(k)
	oddDigits(list[:], &odd, baseWindow, negated)
	clear(odd[:])
	return negated
}

// multiplyBase sets r = k G in secret-independent time, k from 0 to n-1.
//
// Let m be k or n - k, whichever is odd. Before digit d of row i is added, the sum is that of the
// digits below, which is odd and of a magnitude below 64^i. So it is not infinity. The point to be added
// is d 64^i G with an odd d, |d| < 64. It is neither equal nor opposite to the sum: both differ by
// an odd number of a magnitude below 64^(i+1), which is less than n except in the last row. There
// d is from 1 to 15, the new sum is m, and if the points were equal, m - d 2^253 would be a
// multiple of n: that is so for m = 15 * 2^253 - n only. Then Z becomes 0, and the product is taken from
// the table.
func (r *point) multiplyBase(row uint8, k *scalar) {
	var list [baseDigits]uint64
	t := baseMultiples()
	negated := baseDigitsOf(&list, k)
	sumBase(row, r, t, &list)
	clear(list[:])
	failed := r.z.isZero() &^ k.isZero()
	last := t[baseDigits-1][exception]
	last.y.negate(negated)
	r.choose(&point{last.x, last.y, one}, failed)
}

// sumBase sets r to the sum of one point of each row, selected by the digits, under
// the conditions of multiplyBase.
//
// The sum is in coordinates X, Y, Z^2, Z^3, so that Z need not be squared: for a
// point (x, y), with P = x Z^2 - X, R = y Z^3 - Y,
//
//	X' = R^2 - P^3 - 2 X P^2    Y' = R (X P^2 - X') - Y P^3
func (r *point) sumBase(t *baseTable, list *[baseDigits]uint64) {
	var e affine
	var p, s, pp, ppp, q element
	t[0].getSigned(&e, list[0])
	x, y, zz, zzz := e.x, e.y, one, one
	for i := 1; i < len(t); i++ {
		t[i].getSigned(&e, list[i])
		p.mul(&e.x, &zz)
		p.sub(&p, &x)
		s.mul(&e.y, &zzz)
		s.sub(&s, &y)
		pp.sqr(&p)
		ppp.mul(&p, &pp)
		q.mul(&x, &pp)
		x.sqr(&s)
		x.sub(&x, &ppp)
		x.sub(&x, &q)
		x.sub(&x, &q)
		q.sub(&q, &x)
		q.mul(&q, &s)
		y.mul(&y, &ppp)
		y.sub(&q, &y)
		zz.mul(&zz, &pp)
		zzz.mul(&zzz, &ppp)
	}
	// With Z' = Z^3: X' = X Z^4, Y' = Y Z^6.
	zz.sqr(&zz)
	r.x.mul(&x, &zz)
	r.z = zzz
	zzz.sqr(&zzz)
	r.y.mul(&y, &zzz)
	e = affine{}
}

// addPublic sets r = r + q for any two points, in variable time.
func (r *point) addPublic(row uint8, q *point) {
	switch {
	case r.z.isZero() != 0:
		*r = *q
	case q.z.isZero() == 0 && add(row, r, q, 0) != 0:
		double(row, r, q, 1)
	}
}

// addAffinePublic is addPublic for an affine q.
func (r *point) addAffinePublic(row uint8, q *affine) {
	first := r.z.isZero() != 0
	if first || addAffine(row, r, q, 0) != 0 {
		*r = point{q.x, q.y, one}
		if !first {
			double(row, r, r, 1)
		}
	}
}

// A naf is a number in non-adjacent form: digits that are 0 or odd, from -2^(width-1)
// to 2^(width-1), with at least width-1 zeros between any two that are not 0.
type naf [257]int16

func (list *naf) set(x *scalar, width int) {
	*list = naf{}
	v := [5]uint64{x[0], x[1], x[2], x[3]}
	for i := 0; i < len(list); {
		if v[i/64]>>(i%64)&1 == 0 {
			i++
			continue
		}
		d := v[i/64] >> (i % 64)
		if i%64 > 64-width {
			d |= v[i/64+1] << (64 - i%64)
		}
		d &= 1<<width - 1
		if d>>(width-1) == 0 {
			list[i] = int16(d)
		} else { // add 2^width - d here, and subtract it again as the digit
			list[i] = int16(int(d) - 1<<width)
			c := uint64(0)
			at := i + width
			v[at/64], c = bits.Add64(v[at/64], 1<<(at%64), 0)
			for l := at/64 + 1; l < len(v); l++ {
				v[l], c = bits.Add64(v[l], 0, c)
			}
		}
		i += width
	}
}

// oddWindow is the width of the digits for multiples of the base point in variable
// time.
const oddWindow = 10

// baseOdd returns the odd multiples of the base point, from 1 to 511.
var baseOdd = sync.OnceValue(func() *[1 << (oddWindow - 2)]affine {
	var points [1 << (oddWindow - 2)]point
	var doubled point
	points[0] = point{base.x, base.y, one}
	doubled.double(&points[0])
	for i := range points[1:] {
		points[i+1] = points[i]
		points[i+1].add(&doubled, 0)
	}
	return (*[1 << (oddWindow - 2)]affine)(affineAll(points[:]))
})

// multiplyPublic sets r = j G + k q in variable time. It is for the verification of
// signatures.
func (r *point) multiplyPublic(row uint8, j, k *scalar, q *affine) {
	var jn, kn naf
	jn.set(j, oddWindow)
	kn.set(k, window)
	g := baseOdd()
	var odd [1 << (window - 2)]point
	var doubled point
	odd[0] = point{q.x, q.y, one}
	double(row, &doubled, &odd[0], 1)
	for i := 1; i < len(odd); i++ {
		odd[i] = odd[i-1]
		add(row, &odd[i], &doubled, 0)
	}
	*r = point{}
	doublings, empty := 0, true
	for i := len(kn) - 1; i >= 0; i-- {
		doublings++
		if kn[i] == 0 && jn[i] == 0 && (i > 0 || empty) {
			continue
		}
		if !empty {
			double(row, r, r, doublings)
		}
		doublings, empty = 0, false
		switch d := kn[i]; {
		case d > 0:
			r.addPublic(row, &odd[d/2])
		case d < 0:
			e := odd[-d/2]
			e.y.negate(^uint64(0))
			r.addPublic(row, &e)
		}
		switch d := jn[i]; {
		case d > 0:
			r.addAffinePublic(row, &g[d/2])
		case d < 0:
			e := g[-d/2]
			e.y.negate(^uint64(0))
			r.addAffinePublic(row, &e)
		}
	}
}

// The encodings of points in SEC 1, also in GB/T 32918.1.
const (
	formCompressed   = 2 // and 3 for odd y
	formUncompressed = 4

	pointSize      = 65
	compressedSize = 33
)

// bytes returns the uncompressed encoding.
func (p *affine) bytes() (b [pointSize]byte) {
	x, y := p.x.bytes(), p.y.bytes()
	b[0] = formUncompressed
	copy(b[1:33], x[:])
	copy(b[33:], y[:])
	return b
}

// setBytes sets p to an encoded point, compressed or not. It reports whether the
// encoding is canonical and the point is on the curve and not infinity.
func (p *affine) setBytes(row uint8, b []byte) bool {
	switch {
	case len(b) == pointSize && b[0] == formUncompressed:
		return p.x.setBytes(b[1:33]) && p.y.setBytes(b[33:]) && p.onCurve() != 0
	case len(b) == compressedSize && b[0]&^1 == formCompressed:
		if !p.x.setBytes(b[1:]) {
			return false
		}
		var y2 element
		curve(&y2, &p.x)
		if p.y.sqrt(row, &y2) == 0 {
			return false
		}
		// y is never 0: no point has order 2.
		p.y.negate(-(p.y.integer()[0]&1 ^ uint64(b[0]&1)))
		return true
	}
	return false
}

// coordinates returns both coordinates, as they are hashed.
func (p *affine) coordinates() (b [64]byte) {
	p.putCoordinates(&b)
	return b
}

// putCoordinates is coordinates without copies on the stack.
func (p *affine) putCoordinates(b *[64]byte) {
	v := p.x.integer()
	putLimbs((*[32]byte)(b[:32]), &v)
	v = p.y.integer()
	putLimbs((*[32]byte)(b[32:]), &v)
}
