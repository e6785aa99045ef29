package sm2

import (
	"encoding/binary"
	"math/bits"
	"runtime"
)

// An element is an integer modulo p = 2^256 - 2^224 - 2^96 + 2^64 - 1, in four
// limbs, the lowest first, always below p, multiplied by 2^256 (Montgomery
// form). No function here has a branch or an address that depends on a value,
// except where noted. Results may overwrite arguments.
type element [4]uint64

const (
	p0 = 0xffffffffffffffff
	p1 = 0xffffffff00000000
	p2 = 0xffffffffffffffff
	p3 = 0xfffffffeffffffff
)

var (
	prime    = element{p0, p1, p2, p3}                                                                 // as an integer
	one      = element{0x0000000000000001, 0x00000000ffffffff, 0x0000000000000000, 0x0000000100000000} // 2^256
	square   = element{0x0000000200000003, 0x00000002ffffffff, 0x0000000100000001, 0x0000000400000002} // 2^512
	cube     = element{0x0000001200000016, 0x0000000efffffff8, 0x0000000a0000000c, 0x0000001b00000009} // 2^768
	zeroElem element
)

// mul sets z = x y. Each limb of x adds a row of products. Then t0 p is added,
// where t0 is the lowest limb; this makes the lowest limb 0, since p is -1 modulo
// 2^64. t0 (p+1) / 2^64 = t0 (2^192 - 2^160 - 2^32 + 1) is computed with shifts.
// The rounds are unrolled because the compiler does not inline a function of this
// size.
func (z *element) mul(x, y *element) {
	y0, y1, y2, y3 := y[0], y[1], y[2], y[3]
	var c uint64
	x0 := x[0]
	h0, t0 := bits.Mul64(x0, y0)
	h1, t1 := bits.Mul64(x0, y1)
	h2, t2 := bits.Mul64(x0, y2)
	t4, t3 := bits.Mul64(x0, y3)
	t1, c = bits.Add64(t1, h0, 0)
	t2, c = bits.Add64(t2, h1, c)
	t3, c = bits.Add64(t3, h2, c)
	t4 += c
	t5 := uint64(0)
	low, high := t0<<32, t0>>32
	d0, b := bits.Sub64(t0, low, 0)
	d1, b := bits.Sub64(0, high, b)
	d2, b := bits.Sub64(0, low, b)
	d3, _ := bits.Sub64(t0, high, b)
	t0, c = bits.Add64(t1, d0, 0)
	t1, c = bits.Add64(t2, d1, c)
	t2, c = bits.Add64(t3, d2, c)
	t3, c = bits.Add64(t4, d3, c)
	t4 = t5 + c

	x1 := x[1]
	h0, l0 := bits.Mul64(x1, y0)
	h1, l1 := bits.Mul64(x1, y1)
	h2, l2 := bits.Mul64(x1, y2)
	h3, l3 := bits.Mul64(x1, y3)
	l1, c = bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	l3, c = bits.Add64(l3, h2, c)
	h3 += c
	t0, c = bits.Add64(t0, l0, 0)
	t1, c = bits.Add64(t1, l1, c)
	t2, c = bits.Add64(t2, l2, c)
	t3, c = bits.Add64(t3, l3, c)
	t4, t5 = bits.Add64(t4, h3, c)
	low, high = t0<<32, t0>>32
	d0, b = bits.Sub64(t0, low, 0)
	d1, b = bits.Sub64(0, high, b)
	d2, b = bits.Sub64(0, low, b)
	d3, _ = bits.Sub64(t0, high, b)
	t0, c = bits.Add64(t1, d0, 0)
	t1, c = bits.Add64(t2, d1, c)
	t2, c = bits.Add64(t3, d2, c)
	t3, c = bits.Add64(t4, d3, c)
	t4 = t5 + c

	x2 := x[2]
	h0, l0 = bits.Mul64(x2, y0)
	h1, l1 = bits.Mul64(x2, y1)
	h2, l2 = bits.Mul64(x2, y2)
	h3, l3 = bits.Mul64(x2, y3)
	l1, c = bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	l3, c = bits.Add64(l3, h2, c)
	h3 += c
	t0, c = bits.Add64(t0, l0, 0)
	t1, c = bits.Add64(t1, l1, c)
	t2, c = bits.Add64(t2, l2, c)
	t3, c = bits.Add64(t3, l3, c)
	t4, t5 = bits.Add64(t4, h3, c)
	low, high = t0<<32, t0>>32
	d0, b = bits.Sub64(t0, low, 0)
	d1, b = bits.Sub64(0, high, b)
	d2, b = bits.Sub64(0, low, b)
	d3, _ = bits.Sub64(t0, high, b)
	t0, c = bits.Add64(t1, d0, 0)
	t1, c = bits.Add64(t2, d1, c)
	t2, c = bits.Add64(t3, d2, c)
	t3, c = bits.Add64(t4, d3, c)
	t4 = t5 + c

	x3 := x[3]
	h0, l0 = bits.Mul64(x3, y0)
	h1, l1 = bits.Mul64(x3, y1)
	h2, l2 = bits.Mul64(x3, y2)
	h3, l3 = bits.Mul64(x3, y3)
	l1, c = bits.Add64(l1, h0, 0)
	l2, c = bits.Add64(l2, h1, c)
	l3, c = bits.Add64(l3, h2, c)
	h3 += c
	t0, c = bits.Add64(t0, l0, 0)
	t1, c = bits.Add64(t1, l1, c)
	t2, c = bits.Add64(t2, l2, c)
	t3, c = bits.Add64(t3, l3, c)
	t4, t5 = bits.Add64(t4, h3, c)
	low, high = t0<<32, t0>>32
	d0, b = bits.Sub64(t0, low, 0)
	d1, b = bits.Sub64(0, high, b)
	d2, b = bits.Sub64(0, low, b)
	d3, _ = bits.Sub64(t0, high, b)
	t0, c = bits.Add64(t1, d0, 0)
	t1, c = bits.Add64(t2, d1, c)
	t2, c = bits.Add64(t3, d2, c)
	t3, c = bits.Add64(t4, d3, c)
	t4 = t5 + c

	s0, b := bits.Sub64(t0, p0, 0)
	s1, b := bits.Sub64(t1, p1, b)
	s2, b := bits.Sub64(t2, p2, b)
	s3, b := bits.Sub64(t3, p3, b)
	_, b = bits.Sub64(t4, 0, b)
	keep := -b
	z[0] = s0 ^ keep&(s0^t0)
	z[1] = s1 ^ keep&(s1^t1)
	z[2] = s2 ^ keep&(s2^t2)
	z[3] = s3 ^ keep&(s3^t3)
}

// sqr sets z = x^2.
func (z *element) sqr(x *element) {
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	// The products of different limbs, to be doubled.
	h01, t1 := bits.Mul64(x0, x1)
	h02, l02 := bits.Mul64(x0, x2)
	h03, l03 := bits.Mul64(x0, x3)
	h12, l12 := bits.Mul64(x1, x2)
	h13, l13 := bits.Mul64(x1, x3)
	h23, l23 := bits.Mul64(x2, x3)
	t2, c := bits.Add64(l02, h01, 0)
	t3, c := bits.Add64(l03, h02, c)
	t4, c := bits.Add64(l13, h03, c)
	t5, c := bits.Add64(l23, h13, c)
	t6 := h23 + c
	t3, c = bits.Add64(t3, l12, 0)
	t4, c = bits.Add64(t4, h12, c)
	t5, c = bits.Add64(t5, 0, c)
	t6 += c
	t7 := t6 >> 63
	t6 = t6<<1 | t5>>63
	t5 = t5<<1 | t4>>63
	t4 = t4<<1 | t3>>63
	t3 = t3<<1 | t2>>63
	t2 = t2<<1 | t1>>63
	t1 <<= 1
	h0, t0 := bits.Mul64(x0, x0)
	h1, l1 := bits.Mul64(x1, x1)
	h2, l2 := bits.Mul64(x2, x2)
	h3, l3 := bits.Mul64(x3, x3)
	t1, c = bits.Add64(t1, h0, 0)
	t2, c = bits.Add64(t2, l1, c)
	t3, c = bits.Add64(t3, h1, c)
	t4, c = bits.Add64(t4, l2, c)
	t5, c = bits.Add64(t5, h2, c)
	t6, c = bits.Add64(t6, l3, c)
	t7 += h3 + c

	low, high := t0<<32, t0>>32
	d0, b := bits.Sub64(t0, low, 0)
	d1, b := bits.Sub64(0, high, b)
	d2, b := bits.Sub64(0, low, b)
	d3, _ := bits.Sub64(t0, high, b)
	t0, c = bits.Add64(t1, d0, 0)
	t1, c = bits.Add64(t2, d1, c)
	t2, c = bits.Add64(t3, d2, c)
	t3 = d3 + c
	low, high = t0<<32, t0>>32
	d0, b = bits.Sub64(t0, low, 0)
	d1, b = bits.Sub64(0, high, b)
	d2, b = bits.Sub64(0, low, b)
	d3, _ = bits.Sub64(t0, high, b)
	t0, c = bits.Add64(t1, d0, 0)
	t1, c = bits.Add64(t2, d1, c)
	t2, c = bits.Add64(t3, d2, c)
	t3 = d3 + c
	low, high = t0<<32, t0>>32
	d0, b = bits.Sub64(t0, low, 0)
	d1, b = bits.Sub64(0, high, b)
	d2, b = bits.Sub64(0, low, b)
	d3, _ = bits.Sub64(t0, high, b)
	t0, c = bits.Add64(t1, d0, 0)
	t1, c = bits.Add64(t2, d1, c)
	t2, c = bits.Add64(t3, d2, c)
	t3 = d3 + c
	low, high = t0<<32, t0>>32
	d0, b = bits.Sub64(t0, low, 0)
	d1, b = bits.Sub64(0, high, b)
	d2, b = bits.Sub64(0, low, b)
	d3, _ = bits.Sub64(t0, high, b)
	t0, c = bits.Add64(t1, d0, 0)
	t1, c = bits.Add64(t2, d1, c)
	t2, c = bits.Add64(t3, d2, c)
	t3 = d3 + c
	t0, c = bits.Add64(t0, t4, 0)
	t1, c = bits.Add64(t1, t5, c)
	t2, c = bits.Add64(t2, t6, c)
	t3, c = bits.Add64(t3, t7, c)
	s0, b := bits.Sub64(t0, p0, 0)
	s1, b := bits.Sub64(t1, p1, b)
	s2, b := bits.Sub64(t2, p2, b)
	s3, b := bits.Sub64(t3, p3, b)
	_, b = bits.Sub64(c, 0, b)
	keep := -b
	z[0] = s0 ^ keep&(s0^t0)
	z[1] = s1 ^ keep&(s1^t1)
	z[2] = s2 ^ keep&(s2^t2)
	z[3] = s3 ^ keep&(s3^t3)
}

// add sets z = x + y.
func (z *element) add(x, y *element) {
	t0, c := bits.Add64(x[0], y[0], 0)
	t1, c := bits.Add64(x[1], y[1], c)
	t2, c := bits.Add64(x[2], y[2], c)
	t3, c := bits.Add64(x[3], y[3], c)
	s0, b := bits.Sub64(t0, p0, 0)
	s1, b := bits.Sub64(t1, p1, b)
	s2, b := bits.Sub64(t2, p2, b)
	s3, b := bits.Sub64(t3, p3, b)
	_, b = bits.Sub64(c, 0, b)
	keep := -b
	z[0] = s0 ^ keep&(s0^t0)
	z[1] = s1 ^ keep&(s1^t1)
	z[2] = s2 ^ keep&(s2^t2)
	z[3] = s3 ^ keep&(s3^t3)
}

// sub sets z = x - y.
func (z *element) sub(x, y *element) {
	t0, b := bits.Sub64(x[0], y[0], 0)
	t1, b := bits.Sub64(x[1], y[1], b)
	t2, b := bits.Sub64(x[2], y[2], b)
	t3, b := bits.Sub64(x[3], y[3], b)
	m := -b
	t0, c := bits.Add64(t0, m&p0, 0)
	t1, c = bits.Add64(t1, m&p1, c)
	t2, c = bits.Add64(t2, m&p2, c)
	t3, _ = bits.Add64(t3, m&p3, c)
	z[0], z[1], z[2], z[3] = t0, t1, t2, t3
}

// halve sets z = x/2: p is added to an odd x.
func (z *element) halve(x *element) {
	odd := -(x[0] & 1)
	t0, c := bits.Add64(x[0], odd&p0, 0)
	t1, c := bits.Add64(x[1], odd&p1, c)
	t2, c := bits.Add64(x[2], odd&p2, c)
	t3, c := bits.Add64(x[3], odd&p3, c)
	z[0], z[1], z[2], z[3] = t0>>1|t1<<63, t1>>1|t2<<63, t2>>1|t3<<63, t3>>1|c<<63
}

// choose sets z to x if mask is all ones, to z if it is 0.
func (z *element) choose(x *element, mask uint64) {
	z[0] ^= mask & (z[0] ^ x[0])
	z[1] ^= mask & (z[1] ^ x[1])
	z[2] ^= mask & (z[2] ^ x[2])
	z[3] ^= mask & (z[3] ^ x[3])
}

// isZero returns all ones if x is 0, else 0.
func (x *element) isZero() uint64 { return zeroMask(x[0] | x[1] | x[2] | x[3]) }

// zeroMask returns all ones for 0, else 0.
func zeroMask(v uint64) uint64 { return ^uint64(int64(v|-v) >> 63) }

// equal returns all ones if x = y, else 0.
func (x *element) equal(y *element) uint64 {
	return zeroMask(x[0] ^ y[0] | x[1] ^ y[1] | x[2] ^ y[2] | x[3] ^ y[3])
}

// invert sets z = 1/x, or 0 for 0.
func (z *element) invert(row uint8, x *element) {
	invert(row, (*[4]uint64)(z), (*[4]uint64)(x), &primeModulus) // 2^-256/x, as x has the factor 2^256
	z.mul(z, &cube)
}

// sqrt sets z to a square root of x and returns all ones, or returns 0 if x has
// none. Since p is 3 modulo 4, the root is x to the power of
// (p+1)/4 = 2^62 (2^32 - 1) (2^160 - 1).
func (z *element) sqrt(row uint8, x *element) uint64 {
	t := *x
	t.ones(row, 1, 32)
	a := t
	t.ones(row, 1, 4)
	squares(row, &t, &t, 1)
	mul(row, &t, &t, &a)
	t.ones(row, 5, 160)
	squares(row, &t, &t, 62)
	var check element
	check.sqr(&t)
	*z = t
	return check.equal(x)
}

// ones turns x^(2^from - 1) into x^(2^to - 1), where to is from times a power
// of 2.
func (z *element) ones(row uint8, from, to int) {
	for ; from < to; from *= 2 {
		var t element
		squares(row, &t, z, from)
		mul(row, z, z, &t)
	}
}

// sqrs sets z = x^(2^n), n at least 1.
func (z *element) sqrs(x *element, n int) {
	z.sqr(x)
	for range n - 1 {
		z.sqr(z)
	}
}

// setBytes sets z to a big-endian integer of 32 bytes and reports whether it is
// below p. It branches only on that.
func (z *element) setBytes(b []byte) bool {
	v := limbs(b)
	if lessThan(&v, (*[4]uint64)(&prime)) == 0 {
		return false
	}
	z.mul((*element)(&v), &square)
	return true
}

// bytes returns x as a big-endian integer of 32 bytes.
func (x *element) bytes() (b [32]byte) {
	v := x.integer()
	putLimbs(&b, &v)
	return b
}

// integer returns x converted from Montgomery form.
func (x *element) integer() [4]uint64 {
	var t element
	t.mul(x, &element{1})
	return t
}

// limbs reads a big-endian integer of 32 bytes.
func limbs(b []byte) [4]uint64 {
	return [4]uint64{
		binary.BigEndian.Uint64(b[24:32]), binary.BigEndian.Uint64(b[16:]),
		binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b),
	}
}

// putLimbs is the inverse of limbs.
func putLimbs(b *[32]byte, v *[4]uint64) {
	binary.BigEndian.PutUint64(b[24:], v[0])
	binary.BigEndian.PutUint64(b[16:], v[1])
	binary.BigEndian.PutUint64(b[8:], v[2])
	binary.BigEndian.PutUint64(b[0:], v[3])
}

// lessThan returns 1 if v < m, else 0.
func lessThan(v, m *[4]uint64) uint64 {
	_, b := bits.Sub64(v[0], m[0], 0)
	_, b = bits.Sub64(v[1], m[1], b)
	_, b = bits.Sub64(v[2], m[2], b)
	_, b = bits.Sub64(v[3], m[3], b)
	return b
}

// scrub overwrites the stack below the caller, to which arithmetic may have spilled secret
// values. Portable arithmetic uses more than 2 KiB.
//
//go:noinline
func scrub() {
	var a [3840]byte
	clear(a[:])
	runtime.KeepAlive(&a)
}
