package sm2

import (
	"crypto/rand"
	"math/bits"
)

// A scalar is an integer modulo n, the order of the base point, in four limbs,
// the lowest first, always below n. Its functions follow the rules of element's.
type scalar [4]uint64

// orderInverse is -1/n modulo 2^64.
const orderInverse = 0x327f9e8872350975

var (
	order        = scalar{0x53bbf40939d54123, 0x7203df6b21c6052b, 0xffffffffffffffff, 0xfffffffeffffffff} // n
	scalarSquare = scalar{0x901192af7c114f20, 0x3464504ade6fa2fa, 0x620fc84c3affe0d4, 0x1eb5e412a22b3d3b} // 2^512
)

// montgomery sets z = x y / 2^256.
func (z *scalar) montgomery(x, y *scalar) {
	y0, y1, y2, y3 := y[0], y[1], y[2], y[3]
	n0, n1, n2, n3 := order[0], order[1], order[2], order[3]
	var t0, t1, t2, t3, t4, t5 uint64
	for i := range 4 {
		x := x[i]
		h0, l0 := bits.Mul64(x, y0)
		h1, l1 := bits.Mul64(x, y1)
		h2, l2 := bits.Mul64(x, y2)
		h3, l3 := bits.Mul64(x, y3)
		l1, c := bits.Add64(l1, h0, 0)
		l2, c = bits.Add64(l2, h1, c)
		l3, c = bits.Add64(l3, h2, c)
		h3 += c
		t0, c = bits.Add64(t0, l0, 0)
		t1, c = bits.Add64(t1, l1, c)
		t2, c = bits.Add64(t2, l2, c)
		t3, c = bits.Add64(t3, l3, c)
		t4, t5 = bits.Add64(t4, h3, c)

		m := t0 * orderInverse
		h0, l0 = bits.Mul64(m, n0)
		h1, l1 = bits.Mul64(m, n1)
		h2, l2 = bits.Mul64(m, n2)
		h3, l3 = bits.Mul64(m, n3)
		l1, c = bits.Add64(l1, h0, 0)
		l2, c = bits.Add64(l2, h1, c)
		l3, c = bits.Add64(l3, h2, c)
		h3 += c
		_, c = bits.Add64(t0, l0, 0)
		t0, c = bits.Add64(t1, l1, c)
		t1, c = bits.Add64(t2, l2, c)
		t2, c = bits.Add64(t3, l3, c)
		t3, c = bits.Add64(t4, h3, c)
		t4 = t5 + c
	}
	z.reduce(t0, t1, t2, t3, t4)
}

// reduce sets z to t modulo n; t is below 2n.
func (z *scalar) reduce(t0, t1, t2, t3, t4 uint64) {
	s0, b := bits.Sub64(t0, order[0], 0)
	s1, b := bits.Sub64(t1, order[1], b)
	s2, b := bits.Sub64(t2, order[2], b)
	s3, b := bits.Sub64(t3, order[3], b)
	_, b = bits.Sub64(t4, 0, b)
	keep := -b
	z[0] = s0 ^ keep&(s0^t0)
	z[1] = s1 ^ keep&(s1^t1)
	z[2] = s2 ^ keep&(s2^t2)
	z[3] = s3 ^ keep&(s3^t3)
}

// mul sets z = x y.
func (z *scalar) mul(x, y *scalar) {
	var t scalar
	t.montgomery(x, &scalarSquare)
	z.montgomery(&t, y)
	clear(t[:])
}

// add sets z = x + y.
func (z *scalar) add(x, y *scalar) {
	t0, c := bits.Add64(x[0], y[0], 0)
	t1, c := bits.Add64(x[1], y[1], c)
	t2, c := bits.Add64(x[2], y[2], c)
	t3, c := bits.Add64(x[3], y[3], c)
	z.reduce(t0, t1, t2, t3, c)
}

// sub sets z = x - y.
func (z *scalar) sub(x, y *scalar) {
	t0, b := bits.Sub64(x[0], y[0], 0)
	t1, b := bits.Sub64(x[1], y[1], b)
	t2, b := bits.Sub64(x[2], y[2], b)
	t3, b := bits.Sub64(x[3], y[3], b)
	m := -b
	t0, c := bits.Add64(t0, m&order[0], 0)
	t1, c = bits.Add64(t1, m&order[1], c)
	t2, c = bits.Add64(t2, m&order[2], c)
	t3, _ = bits.Add64(t3, m&order[3], c)
	z[0], z[1], z[2], z[3] = t0, t1, t2, t3
}

// isZero returns all ones if x is 0, else 0.
func (x *scalar) isZero() uint64 { return zeroMask(x[0] | x[1] | x[2] | x[3]) }

// invert sets z = 1/x, or 0 for 0.
func (z *scalar) invert(row uint8, x *scalar) {
	invert(row, (*[4]uint64)(z), (*[4]uint64)(x), &orderModulus)
}

// setBytes sets z to a big-endian integer of 32 bytes and returns 1 if it is
// below n; else it sets z to 0 and returns 0.
func (z *scalar) setBytes(b []byte) uint64 {
	v := limbs(b)
	ok := lessThan(&v, (*[4]uint64)(&order))
	for i := range z {
		z[i] = v[i] & -ok
	}
	return ok
}

// setCandidate sets z to a big-endian integer of 32 bytes and reports whether it is from 1 to
// n-1. Callers may branch on that: they discard a candidate that is refused.
func (z *scalar) setCandidate(b []byte) bool {
	return z.setBytes(b) == 1 && z.isZero() == 0
}

// setInteger sets z to an integer below 2^256 modulo n.
func (z *scalar) setInteger(v [4]uint64) { z.reduce(v[0], v[1], v[2], v[3], 0) }

// bytes returns x as a big-endian integer of 32 bytes.
func (x *scalar) bytes() (b [32]byte) {
	putLimbs(&b, (*[4]uint64)(x))
	return b
}

// random sets z to a uniformly random number from 1 to n-1.
func (z *scalar) random() {
	var b [32]byte
	for {
		rand.Read(b[:])
		if z.setCandidate(b[:]) {
			clear(b[:])
			return
		}
	}
}

// addOrder adds n to a number and reports whether it is still below 2^256.
func addOrder(v *[4]uint64) bool {
	var c uint64
	v[0], c = bits.Add64(v[0], order[0], 0)
	v[1], c = bits.Add64(v[1], order[1], c)
	v[2], c = bits.Add64(v[2], order[2], c)
	v[3], c = bits.Add64(v[3], order[3], c)
	return c == 0
}
