package keccak

import (
	"encoding/binary"
	"math/bits"
)

const timingGeneric = "independent of secrets"

// absorbGeneric adds whole blocks to a state, and permutes it after each.
func absorbGeneric(a *[25]uint64, p []byte, rate int) {
	for ; len(p) > 0; p = p[rate:] {
		for i := range rate / 8 {
			a[i] ^= binary.LittleEndian.Uint64(p[8*i:])
		}
		permuteGeneric(a)
	}
}

// squeezeGeneric copies whole blocks from a state, and permutes it after each.
func squeezeGeneric(a *[25]uint64, p []byte, rate int) {
	for ; len(p) > 0; p = p[rate:] {
		for i := range rate / 8 {
			binary.LittleEndian.PutUint64(p[8*i:], a[i])
		}
		permuteGeneric(a)
	}
}

// permuteGeneric is Keccak-f[1600] (FIPS 202 section 3.3): 24 rounds of theta,
// rho, pi, chi and iota. a[x+5y] is the lane (x, y). Five variables with the same
// letter are a plane after rho and pi, ready for chi.
func permuteGeneric(a *[25]uint64) {
	for _, rc := range roundConstants {
		c0 := a[0] ^ a[5] ^ a[10] ^ a[15] ^ a[20]
		c1 := a[1] ^ a[6] ^ a[11] ^ a[16] ^ a[21]
		c2 := a[2] ^ a[7] ^ a[12] ^ a[17] ^ a[22]
		c3 := a[3] ^ a[8] ^ a[13] ^ a[18] ^ a[23]
		c4 := a[4] ^ a[9] ^ a[14] ^ a[19] ^ a[24]
		d0 := c4 ^ bits.RotateLeft64(c1, 1)
		d1 := c0 ^ bits.RotateLeft64(c2, 1)
		d2 := c1 ^ bits.RotateLeft64(c3, 1)
		d3 := c2 ^ bits.RotateLeft64(c4, 1)
		d4 := c3 ^ bits.RotateLeft64(c0, 1)

		b0, b1, b2, b3, b4 := a[0]^d0, bits.RotateLeft64(a[6]^d1, 44),
			bits.RotateLeft64(a[12]^d2, 43), bits.RotateLeft64(a[18]^d3, 21), bits.RotateLeft64(a[24]^d4, 14)
		g0, g1, g2, g3, g4 := bits.RotateLeft64(a[3]^d3, 28), bits.RotateLeft64(a[9]^d4, 20),
			bits.RotateLeft64(a[10]^d0, 3), bits.RotateLeft64(a[16]^d1, 45), bits.RotateLeft64(a[22]^d2, 61)
		k0, k1, k2, k3, k4 := bits.RotateLeft64(a[1]^d1, 1), bits.RotateLeft64(a[7]^d2, 6),
			bits.RotateLeft64(a[13]^d3, 25), bits.RotateLeft64(a[19]^d4, 8), bits.RotateLeft64(a[20]^d0, 18)
		m0, m1, m2, m3, m4 := bits.RotateLeft64(a[4]^d4, 27), bits.RotateLeft64(a[5]^d0, 36),
			bits.RotateLeft64(a[11]^d1, 10), bits.RotateLeft64(a[17]^d2, 15), bits.RotateLeft64(a[23]^d3, 56)
		s0, s1, s2, s3, s4 := bits.RotateLeft64(a[2]^d2, 62), bits.RotateLeft64(a[8]^d3, 55),
			bits.RotateLeft64(a[14]^d4, 39), bits.RotateLeft64(a[15]^d0, 41), bits.RotateLeft64(a[21]^d1, 2)

		a[0], a[1], a[2] = b0^(b2&^b1)^rc, b1^(b3&^b2), b2^(b4&^b3)
		a[3], a[4] = b3^(b0&^b4), b4^(b1&^b0)
		a[5], a[6], a[7] = g0^(g2&^g1), g1^(g3&^g2), g2^(g4&^g3)
		a[8], a[9] = g3^(g0&^g4), g4^(g1&^g0)
		a[10], a[11], a[12] = k0^(k2&^k1), k1^(k3&^k2), k2^(k4&^k3)
		a[13], a[14] = k3^(k0&^k4), k4^(k1&^k0)
		a[15], a[16], a[17] = m0^(m2&^m1), m1^(m3&^m2), m2^(m4&^m3)
		a[18], a[19] = m3^(m0&^m4), m4^(m1&^m0)
		a[20], a[21], a[22] = s0^(s2&^s1), s1^(s3&^s2), s2^(s4&^s3)
		a[23], a[24] = s3^(s0&^s4), s4^(s1&^s0)
	}
}

// roundConstants are the constants of iota. Their bits come from an LFSR (section
// 3.2.5).
var roundConstants = [24]uint64{
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
}
