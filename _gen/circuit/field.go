package main

// A field is GF(2^8), written as polynomials over GF(2) modulo one of degree 8.
type field int

func (f field) mul(a, b int) int {
	r := 0
	for ; b > 0; b >>= 1 {
		r ^= a & -(b & 1)
		a <<= 1
		if a > 255 {
			a ^= int(f)
		}
	}
	return r
}

func (f field) pow(a, n int) int {
	r := 1
	for range n {
		r = f.mul(r, a)
	}
	return r
}

// A matrix is a linear map of eight bits: entry i is the image of bit i.
type matrix [8]int

var identity = matrix{1, 2, 4, 8, 16, 32, 64, 128}

// circulant returns the map whose result has as bit i the parity of the
// argument under mask rotated left by i.
func circulant(mask int) (m matrix) {
	for i := range 8 {
		row := mask<<i | mask>>(8-i)
		for j := range 8 {
			m[j] |= row >> j & 1 << i
		}
	}
	return m
}

func (m matrix) apply(x int) int {
	r := 0
	for i, image := range m {
		r ^= image & -(x >> i & 1)
	}
	return r
}

func (m matrix) inverse() matrix {
	inv := identity
	for bit := range 8 {
		for i := bit; ; i++ { // panics if m has no inverse
			if m[i]>>bit&1 == 1 {
				m[i], m[bit] = m[bit], m[i]
				inv[i], inv[bit] = inv[bit], inv[i]
				break
			}
		}
		for i := range m {
			if i != bit && m[i]>>bit&1 == 1 {
				m[i] ^= m[bit]
				inv[i] ^= inv[bit]
			}
		}
	}
	return inv
}

// forms returns for each bit of the result which bits of the argument it is
// the sum of.
func (m matrix) forms() (f [8]int) {
	for i := range f {
		for j := range m {
			f[i] |= m[j] >> i & 1 << j
		}
	}
	return f
}

// An sbox is S(x) = post(1/pre(x ^ in)) ^ out, with 1/0 = 0. The circuits
// leave in and out to the caller, who adds them to round keys.
type sbox struct {
	field     field
	pre, post matrix
	in, out   int
}

// linear is S without in and out.
func (s sbox) linear(x int) int { return s.post.apply(s.field.pow(s.pre.apply(x), 254)) }

// sm4 is the S-box of GB/T 32907-2016: A(1/(A(x) + d3)) + d3. The tests of
// package sm4 compare it with the table of the standard.
var sm4 = sbox{
	field: 0x1f5,
	pre:   circulant(0xa7),
	post:  circulant(0xa7),
	in:    circulant(0xa7).inverse().apply(0xd3),
	out:   0xd3,
}
