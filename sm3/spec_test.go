package sm3_test

import (
	"hash"
	"math/bits"
)

// GB/T 32905-2016 implemented literally: the oracle for all drivers. It is slow.

// newSpec returns a hash that stores the whole message and computes the digest
// as the standard describes.
func newSpec() hash.Hash { return new(spec) }

type spec struct{ message []byte }

func (s *spec) Size() int                   { return 32 }
func (s *spec) BlockSize() int              { return 64 }
func (s *spec) Reset()                      { s.message = nil }
func (s *spec) Write(p []byte) (int, error) { s.message = append(s.message, p...); return len(p), nil }
func (s *spec) Sum(in []byte) []byte        { return append(in, fromBits(specHash(toBits(s.message)))...) }

// toBits returns a message as a string of bits, one in each element, the most
// significant bit of a byte first.
func toBits(p []byte) (m []byte) {
	for _, b := range p {
		for i := 7; i >= 0; i-- {
			m = append(m, b>>i&1)
		}
	}
	return m
}

func fromBits(m []byte) (p []byte) {
	for i := 0; i < len(m); i += 8 {
		var b byte
		for _, bit := range m[i : i+8] {
			b = b<<1 | bit
		}
		p = append(p, b)
	}
	return p
}

// number reads bits as a number, the most significant one first.
func number(m []byte) (n uint32) {
	for _, bit := range m {
		n = n<<1 | uint32(bit)
	}
	return n
}

// specHash pads the message (section 5.2), iterates (section 5.3.1), and returns the
// bits of the digest (section 5.4).
func specHash(m []byte) (digest []byte) {
	l := len(m)
	m = append(m, 1)
	for len(m)%512 != 448 {
		m = append(m, 0)
	}
	for i := 63; i >= 0; i-- {
		m = append(m, byte(uint64(l)>>i&1))
	}
	V := [8]uint32{0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e}
	for i := 0; i < len(m); i += 512 {
		V = specCF(V, m[i:i+512])
	}
	for _, word := range V {
		for i := 31; i >= 0; i-- {
			digest = append(digest, byte(word>>i&1))
		}
	}
	return digest
}

// specCF is the compression function, section 5.3.3, with the message
// expansion, section 5.3.2.
func specCF(V [8]uint32, B []byte) [8]uint32 {
	var W [68]uint32
	var W1 [64]uint32 // W'
	for j := 0; j <= 15; j++ {
		W[j] = number(B[32*j : 32*j+32])
	}
	for j := 16; j <= 67; j++ {
		W[j] = specP1(W[j-16]^W[j-9]^bits.RotateLeft32(W[j-3], 15)) ^ bits.RotateLeft32(W[j-13], 7) ^ W[j-6]
	}
	for j := 0; j <= 63; j++ {
		W1[j] = W[j] ^ W[j+4]
	}
	A, B0, C, D, E, F, G, H := V[0], V[1], V[2], V[3], V[4], V[5], V[6], V[7]
	for j := 0; j <= 63; j++ {
		SS1 := bits.RotateLeft32(bits.RotateLeft32(A, 12)+E+bits.RotateLeft32(specT(j), j%32), 7)
		SS2 := SS1 ^ bits.RotateLeft32(A, 12)
		TT1 := specFF(j, A, B0, C) + D + SS2 + W1[j]
		TT2 := specGG(j, E, F, G) + H + SS1 + W[j]
		D = C
		C = bits.RotateLeft32(B0, 9)
		B0 = A
		A = TT1
		H = G
		G = bits.RotateLeft32(F, 19)
		F = E
		E = specP0(TT2)
	}
	return [8]uint32{A ^ V[0], B0 ^ V[1], C ^ V[2], D ^ V[3], E ^ V[4], F ^ V[5], G ^ V[6], H ^ V[7]}
}

// specT is the constant of section 4.2.
func specT(j int) uint32 {
	if j <= 15 {
		return 0x79cc4519
	}
	return 0x7a879d8a
}

// specFF and specGG are the Boolean functions of section 4.3.
func specFF(j int, X, Y, Z uint32) uint32 {
	if j <= 15 {
		return X ^ Y ^ Z
	}
	return X&Y | X&Z | Y&Z
}

func specGG(j int, X, Y, Z uint32) uint32 {
	if j <= 15 {
		return X ^ Y ^ Z
	}
	return X&Y | ^X&Z
}

// specP0 and specP1 are the permutations of section 4.4.
func specP0(X uint32) uint32 { return X ^ bits.RotateLeft32(X, 9) ^ bits.RotateLeft32(X, 17) }
func specP1(X uint32) uint32 { return X ^ bits.RotateLeft32(X, 15) ^ bits.RotateLeft32(X, 23) }
