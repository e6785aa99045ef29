// Package matrices derives from the S-box of GB/T 32907-2016 the 8-by-8 bit
// matrices that the SM4 kernels of amd64 need. The S-box table is the only
// input; everything else follows from it and is checked against it.
//
// # The basis
//
// The S-box of SM4 is an inversion in GF(2^8) between two affine maps. GFNI
// inverts in the field of AES, so there are affine maps In and Out with
//
//	S(x) = Out(1/In(x))     1/x taken in GF(2)[x]/(x^8+x^4+x^3+x+1), 1/0 = 0
//
// Let T be the linear part of In and KeyConstant its constant. If every byte
// of the state is kept as T·x, and every byte of the round keys as
// T·k + KeyConstant, then the input map is gone: the S-box starts with the
// inversion. The output map, the linear layer L of the cipher and the return
// to the basis T are all linear, so that one matrix does them at once.
//
// # The linear layer
//
// L(B) = B + B<<<2 + B<<<10 + B<<<18 + B<<<24 on words. With b[j] the byte of
// significance j (0 is the least significant; indices modulo 4) byte j of the
// result is
//
//	(I+L2)·b[j] + (L2+R6)·b[j-1] + (L2+R6)·b[j-2] + (R6+I)·b[j-3]
//
// where Ln and Rn are shifts of a byte by n bits. With U0, U1 and U3 the
// affine maps T·(that)·Out, a round is
//
//	t[j]  = X1[j] + X2[j] + X3[j] + k[j]
//	X4[j] = X0[j] + U0(1/t[j]) + U1(1/t[j-1]) + U1(1/t[j-2]) + U3(1/t[j-3])
//
// Since (I+L2) + (L2+R6) + (R6+I) = 0, also U0(x) + U1(x) + U3(x) = 0,
// constants included: one of the three is the sum of the two others.
package matrices

import "fmt"

// SBox is the S-box of GB/T 32907-2016, section 6.2.1.
var SBox = [256]byte{
	0xd6, 0x90, 0xe9, 0xfe, 0xcc, 0xe1, 0x3d, 0xb7, 0x16, 0xb6, 0x14, 0xc2, 0x28, 0xfb, 0x2c, 0x05,
	0x2b, 0x67, 0x9a, 0x76, 0x2a, 0xbe, 0x04, 0xc3, 0xaa, 0x44, 0x13, 0x26, 0x49, 0x86, 0x06, 0x99,
	0x9c, 0x42, 0x50, 0xf4, 0x91, 0xef, 0x98, 0x7a, 0x33, 0x54, 0x0b, 0x43, 0xed, 0xcf, 0xac, 0x62,
	0xe4, 0xb3, 0x1c, 0xa9, 0xc9, 0x08, 0xe8, 0x95, 0x80, 0xdf, 0x94, 0xfa, 0x75, 0x8f, 0x3f, 0xa6,
	0x47, 0x07, 0xa7, 0xfc, 0xf3, 0x73, 0x17, 0xba, 0x83, 0x59, 0x3c, 0x19, 0xe6, 0x85, 0x4f, 0xa8,
	0x68, 0x6b, 0x81, 0xb2, 0x71, 0x64, 0xda, 0x8b, 0xf8, 0xeb, 0x0f, 0x4b, 0x70, 0x56, 0x9d, 0x35,
	0x1e, 0x24, 0x0e, 0x5e, 0x63, 0x58, 0xd1, 0xa2, 0x25, 0x22, 0x7c, 0x3b, 0x01, 0x21, 0x78, 0x87,
	0xd4, 0x00, 0x46, 0x57, 0x9f, 0xd3, 0x27, 0x52, 0x4c, 0x36, 0x02, 0xe7, 0xa0, 0xc4, 0xc8, 0x9e,
	0xea, 0xbf, 0x8a, 0xd2, 0x40, 0xc7, 0x38, 0xb5, 0xa3, 0xf7, 0xf2, 0xce, 0xf9, 0x61, 0x15, 0xa1,
	0xe0, 0xae, 0x5d, 0xa4, 0x9b, 0x34, 0x1a, 0x55, 0xad, 0x93, 0x32, 0x30, 0xf5, 0x8c, 0xb1, 0xe3,
	0x1d, 0xf6, 0xe2, 0x2e, 0x82, 0x66, 0xca, 0x60, 0xc0, 0x29, 0x23, 0xab, 0x0d, 0x53, 0x4e, 0x6f,
	0xd5, 0xdb, 0x37, 0x45, 0xde, 0xfd, 0x8e, 0x2f, 0x03, 0xff, 0x6a, 0x72, 0x6d, 0x6c, 0x5b, 0x51,
	0x8d, 0x1b, 0xaf, 0x92, 0xbb, 0xdd, 0xbc, 0x7f, 0x11, 0xd9, 0x5c, 0x41, 0x1f, 0x10, 0x5a, 0xd8,
	0x0a, 0xc1, 0x31, 0x88, 0xa5, 0xcd, 0x7b, 0xbd, 0x2d, 0x74, 0xd0, 0x12, 0xb8, 0xe5, 0xb4, 0xb0,
	0x89, 0x69, 0x97, 0x4a, 0x0c, 0x96, 0x77, 0x7e, 0x65, 0xb9, 0xf1, 0x09, 0xc5, 0x6e, 0xc6, 0x84,
	0x18, 0xf0, 0x7d, 0xec, 0x3a, 0xdc, 0x4d, 0x20, 0x79, 0xee, 0x5f, 0x3e, 0xd7, 0xcb, 0x39, 0x48,
}

// Field polynomials.
const (
	AESPoly = 0x11b // x^8+x^4+x^3+x+1, the field of GFNI and AES
	SM4Poly = 0x1f5 // x^8+x^7+x^6+x^5+x^4+x^2+1, the field of SM4's S-box
)

// Product returns a·b in the field with the given polynomial.
func Product(a, b byte, poly uint16) byte {
	var r uint16
	for x := uint16(a); b != 0; b >>= 1 {
		if b&1 != 0 {
			r ^= x
		}
		x <<= 1
		if x&0x100 != 0 {
			x ^= poly
		}
	}
	return byte(r)
}

// Inverse returns 1/a in the field with the given polynomial, and 0 for 0.
func Inverse(a byte, poly uint16) byte {
	r := byte(1)
	for range 254 {
		r = Product(r, a, poly)
	}
	return r
}

// A Matrix is a linear map on bytes: element i is the image of bit i.
type Matrix [8]byte

// Identity returns the identity map.
func Identity() Matrix { return ShiftLeft(0) }

// ShiftLeft returns the map x<<n on bytes.
func ShiftLeft(n int) (m Matrix) {
	for i := range m {
		m[i] = byte(1<<i) << n
	}
	return m
}

// ShiftRight returns the map x>>n on bytes.
func ShiftRight(n int) (m Matrix) {
	for i := range m {
		m[i] = byte(1<<i) >> n
	}
	return m
}

// Apply returns m·x.
func (m Matrix) Apply(x byte) (r byte) {
	for i, c := range m {
		if x>>i&1 != 0 {
			r ^= c
		}
	}
	return r
}

// Mul returns the product m·n: first n, then m.
func (m Matrix) Mul(n Matrix) (r Matrix) {
	for i, c := range n {
		r[i] = m.Apply(c)
	}
	return r
}

// Add returns m+n.
func (m Matrix) Add(n Matrix) (r Matrix) {
	for i := range m {
		r[i] = m[i] ^ n[i]
	}
	return r
}

// Inverse returns the inverse map. It panics if there is none.
func (m Matrix) Inverse() (r Matrix) {
	found := 0
	for x := range 256 {
		for i := range r {
			if m.Apply(byte(x)) == 1<<i {
				r[i] = byte(x)
				found++
			}
		}
	}
	if found != 8 || r.Mul(m) != Identity() {
		panic("matrices: singular matrix")
	}
	return r
}

// GFNI returns m as an operand of VGF2P8AFFINEQB and VGF2P8AFFINEINVQB: byte
// 7-i of the quadword is row i.
func (m Matrix) GFNI() (q uint64) {
	for i := range 8 {
		for j := range 8 {
			q |= uint64(m[j]>>i&1) << (8*(7-i) + j)
		}
	}
	return q
}

// An Affine is the map x → M·x + C.
type Affine struct {
	M Matrix
	C byte
}

// Apply returns a(x).
func (a Affine) Apply(x byte) byte { return a.M.Apply(x) ^ a.C }

// After returns the map a(b(x)).
func (a Affine) After(b Affine) Affine { return Affine{a.M.Mul(b.M), a.Apply(b.C)} }

// Add returns the map a(x) + b(x).
func (a Affine) Add(b Affine) Affine { return Affine{a.M.Add(b.M), a.C ^ b.C} }

// Inverse returns the inverse map. It panics if there is none.
func (a Affine) Inverse() Affine {
	m := a.M.Inverse()
	return Affine{m, m.Apply(a.C)}
}

// Nibbles returns a as two tables for byte shuffles:
// a(x) = low[x&15] + high[x>>4].
func (a Affine) Nibbles() (low, high [16]byte) {
	for i := range 16 {
		low[i] = a.Apply(byte(i))
		high[i] = a.M.Apply(byte(i << 4))
	}
	return low, high
}

// AESAffine is the affine map of the S-box of AES (FIPS 197, section 5.1.1):
// AES_S(x) = AESAffine(1/x).
var AESAffine = Affine{M: func() (m Matrix) {
	for i := range m {
		x := uint16(1) << i
		x ^= x<<1 ^ x<<2 ^ x<<3 ^ x<<4
		m[i] = byte(x) ^ byte(x>>8)
	}
	return m
}(), C: 0x63}

// A Set is what the kernels are built from. See the package comment.
type Set struct {
	In, Out Affine // S(x) = Out(1/In(x)) in the field of AES

	T           Matrix // linear part of In: a state byte x is kept as T·x
	TInverse    Matrix
	KeyConstant byte // a round key byte k is kept as T·k + KeyConstant

	// Output map and linear layer L of the rounds, from 1/t to the basis T:
	// U0 for the byte itself, U1 for the two below it, U3 for the one above.
	U0, U1, U3 Affine

	// The same for L'(B) = B + B<<<13 + B<<<23 of the key schedule: V[i] is
	// what byte j of the result takes from byte j-i.
	V [4]Affine
}

// Derive computes the matrices and checks them against the S-box. It panics if
// something does not hold.
func Derive() *Set {
	s := new(Set)
	s.In, s.Out = decompose()
	for x := range 256 {
		if s.Out.Apply(Inverse(s.In.Apply(byte(x)), AESPoly)) != SBox[x] {
			panic(fmt.Sprintf("matrices: wrong S-box at %#02x", x))
		}
	}
	s.T, s.KeyConstant = s.In.M, s.In.C
	s.TInverse = s.T.Inverse()

	// With both indices of the byte, a rotation of a word by 8r+n bits takes
	// byte j-r shifted left by n and byte j-r-1 shifted right by 8-n.
	layer := func(rotations ...int) (v [4]Affine) {
		for _, n := range rotations {
			r := n / 8
			v[r].M = v[r].M.Add(ShiftLeft(n % 8))
			v[(r+1)%4].M = v[(r+1)%4].M.Add(ShiftRight(8 - n%8))
		}
		for i := range v {
			v[i] = Affine{M: s.T}.After(v[i]).After(s.Out)
		}
		return v
	}
	u := layer(0, 2, 10, 18, 24)
	if u[1] != u[2] || u[0].Add(u[1]).Add(u[3]) != (Affine{}) {
		panic("matrices: the linear layer is not what the kernels rely on")
	}
	s.U0, s.U1, s.U3 = u[0], u[1], u[3]
	s.V = layer(0, 13, 23)
	return s
}

// decompose finds the affine maps around the inversion. SM4's field has eight
// isomorphisms to that of AES; the first one is taken. SM4's two affine maps
// are the same circulant matrix with the constant 0xd3; the search over the
// possible rows finds it.
func decompose() (in, out Affine) {
	phi := isomorphism()
	inverse := phi.Inverse()
	for row := 1; row < 256; row++ {
		a := Affine{M: circulant(byte(row)), C: 0xd3}
		if a.M.singular() {
			continue
		}
		in, out = Affine{M: phi}.After(a), a.After(Affine{M: inverse})
		ok := true
		for x := range 256 {
			ok = ok && out.Apply(Inverse(in.Apply(byte(x)), AESPoly)) == SBox[x]
		}
		if ok {
			return in, out
		}
	}
	panic("matrices: the S-box is no inversion between circulant affine maps")
}

// isomorphism returns a map from SM4's field to that of AES. It sends x to a
// root of SM4's polynomial.
func isomorphism() (m Matrix) {
	for root := 2; root < 256; root++ {
		var value byte
		power := byte(1)
		for i := range 9 {
			if SM4Poly>>i&1 != 0 {
				value ^= power
			}
			if i < 8 {
				m[i] = power
			}
			power = Product(power, byte(root), AESPoly)
		}
		if value == 0 {
			return m
		}
	}
	panic("matrices: no root")
}

// circulant returns the matrix whose row i is row rotated left by i bits.
func circulant(row byte) (m Matrix) {
	for i := range 8 {
		r := row<<i | row>>(8-i)
		for j := range m {
			m[j] |= r >> j & 1 << i
		}
	}
	return m
}

func (m Matrix) singular() bool {
	for x := 1; x < 256; x++ {
		if m.Apply(byte(x)) == 0 {
			return true
		}
	}
	return false
}
