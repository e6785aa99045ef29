package sm3

import (
	"encoding/binary"
	"math/bits"
	"runtime"
)

// constants holds T_j <<< j of GB/T 32905-2016, section 4.2.
var constants = func() (t [64]uint32) {
	for j := range t {
		t[j] = bits.RotateLeft32(0x7a879d8a, j)
		if j < 16 {
			t[j] = bits.RotateLeft32(0x79cc4519, j)
		}
	}
	return t
}()

// blocksGeneric compresses the blocks of p into V (section 5.3). The loops do four
// rounds at a time, so that one bounds check covers up to twenty words.
func blocksGeneric(V *[8]uint32, p []byte) {
	var W [68]uint32
	for ; len(p) >= BlockSize; p = p[BlockSize:] {
		block := (*[BlockSize]byte)(p)
		for j := range 16 {
			W[j] = binary.BigEndian.Uint32(block[4*j:])
		}
		for j := 16; j < 20; j++ {
			W[j] = expand(W[j-16], W[j-13], W[j-9], W[j-6], W[j-3])
		}
		A, B, C, D, E, F, G, H := V[0], V[1], V[2], V[3], V[4], V[5], V[6], V[7]
		for j := 0; j < 16; j += 4 {
			t, w := (*[4]uint32)(constants[j:]), (*[8]uint32)(W[j:])
			A, B, C, D, E, F, G, H = earlyRound(A, B, C, D, E, F, G, H, t[0], w[0], w[0]^w[4])
			A, B, C, D, E, F, G, H = earlyRound(A, B, C, D, E, F, G, H, t[1], w[1], w[1]^w[5])
			A, B, C, D, E, F, G, H = earlyRound(A, B, C, D, E, F, G, H, t[2], w[2], w[2]^w[6])
			A, B, C, D, E, F, G, H = earlyRound(A, B, C, D, E, F, G, H, t[3], w[3], w[3]^w[7])
		}
		for j := 16; j < 64; j += 4 {
			t, w := (*[4]uint32)(constants[j:]), (*[20]uint32)(W[j-12:]) // w[12] is W_j
			w[16] = expand(w[0], w[3], w[7], w[10], w[13])
			A, B, C, D, E, F, G, H = lateRound(A, B, C, D, E, F, G, H, t[0], w[12], w[12]^w[16])
			w[17] = expand(w[1], w[4], w[8], w[11], w[14])
			A, B, C, D, E, F, G, H = lateRound(A, B, C, D, E, F, G, H, t[1], w[13], w[13]^w[17])
			w[18] = expand(w[2], w[5], w[9], w[12], w[15])
			A, B, C, D, E, F, G, H = lateRound(A, B, C, D, E, F, G, H, t[2], w[14], w[14]^w[18])
			w[19] = expand(w[3], w[6], w[10], w[13], w[16])
			A, B, C, D, E, F, G, H = lateRound(A, B, C, D, E, F, G, H, t[3], w[15], w[15]^w[19])
		}
		V[0] ^= A
		V[1] ^= B
		V[2] ^= C
		V[3] ^= D
		V[4] ^= E
		V[5] ^= F
		V[6] ^= G
		V[7] ^= H
	}
	clear(W[:]) // the message may be a key
	runtime.KeepAlive(&W)
}

// expand returns W_j of the message expansion (section 5.3.2) from W_j-16,
// W_j-13, W_j-9, W_j-6 and W_j-3.
func expand(w16, w13, w9, w6, w3 uint32) uint32 {
	return p1(w16^w9^bits.RotateLeft32(w3, 15)) ^ bits.RotateLeft32(w13, 7) ^ w6
}

// earlyRound is a round of the compression function (section 5.3.3) with the
// Boolean functions for j < 16: T is T_j <<< j, W is W_j, W1 is W'_j. The sums are
// ordered so that the values available last, E and then SS1, are added last.
func earlyRound(A, B, C, D, E, F, G, H, T, W, W1 uint32) (a, b, c, d, e, f, g, h uint32) {
	A12 := bits.RotateLeft32(A, 12)
	SS1 := bits.RotateLeft32(E+(A12+T), 7)
	SS2 := SS1 ^ A12
	TT1 := (D + W1 + (B ^ C ^ A)) + SS2
	TT2 := (H + W + (F ^ G ^ E)) + SS1
	return TT1, A, bits.RotateLeft32(B, 9), C, p0(TT2), E, bits.RotateLeft32(F, 19), G
}

// lateRound is a round with the Boolean functions for j ≥ 16: FF is the majority of
// A, B and C; GG selects the bit of F where E has a one, and the bit of G elsewhere.
func lateRound(A, B, C, D, E, F, G, H, T, W, W1 uint32) (a, b, c, d, e, f, g, h uint32) {
	A12 := bits.RotateLeft32(A, 12)
	SS1 := bits.RotateLeft32(E+(A12+T), 7)
	SS2 := SS1 ^ A12
	TT1 := (D + W1 + (B&C | A&(B^C))) + SS2
	TT2 := (H + W + (G ^ E&(F^G))) + SS1
	return TT1, A, bits.RotateLeft32(B, 9), C, p0(TT2), E, bits.RotateLeft32(F, 19), G
}

// The permutations of section 4.4.
func p0(x uint32) uint32 { return x ^ bits.RotateLeft32(x, 9) ^ bits.RotateLeft32(x, 17) }
func p1(x uint32) uint32 { return x ^ bits.RotateLeft32(x, 15) ^ bits.RotateLeft32(x, 23) }
