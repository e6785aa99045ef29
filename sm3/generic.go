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
			B, D, F, H = earlyRound(A, B, C, D+(w[0]^w[4]), E, F, G, H+w[0], t[0])
			A, C, E, G = earlyRound(D, A, B, C+(w[1]^w[5]), H, E, F, G+w[1], t[1])
			D, B, H, F = earlyRound(C, D, A, B+(w[2]^w[6]), G, H, E, F+w[2], t[2])
			C, A, G, E = earlyRound(B, C, D, A+(w[3]^w[7]), F, G, H, E+w[3], t[3])
		}
		for j := 16; j < 64; j += 4 {
			t, w := (*[4]uint32)(constants[j:]), (*[20]uint32)(W[j-12:]) // w[12] is W_j
			w[16] = expand(w[0], w[3], w[7], w[10], w[13])
			B, D, F, H = lateRound(A, B, C, D+(w[12]^w[16]), E, F, G, H+w[12], t[0])
			w[17] = expand(w[1], w[4], w[8], w[11], w[14])
			A, C, E, G = lateRound(D, A, B, C+(w[13]^w[17]), H, E, F, G+w[13], t[1])
			w[18] = expand(w[2], w[5], w[9], w[12], w[15])
			D, B, H, F = lateRound(C, D, A, B+(w[14]^w[18]), G, H, E, F+w[14], t[2])
			w[19] = expand(w[3], w[6], w[10], w[13], w[16])
			C, A, G, E = lateRound(B, C, D, A+(w[15]^w[19]), F, G, H, E+w[15], t[3])
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
// Boolean functions for j < 16: T is T_j <<< j, and D and H include W'_j and W_j. It
// returns what replaces B, D, F and H: the new C, A, G and E. So the names change
// places from round to round, and after four are where they were. The sums are ordered
// so that the values available last, E and then SS1, are added last. Both functions
// are just small enough for the compiler to inline.
func earlyRound(A, B, C, D, E, F, G, H, T uint32) (b, d, f, h uint32) {
	A12 := bits.RotateLeft32(A, 12)
	SS1 := bits.RotateLeft32(E+(A12+T), 7)
	TT1 := (D + (B ^ C ^ A)) + (SS1 ^ A12)
	TT2 := (H + (F ^ G ^ E)) + SS1
	return bits.RotateLeft32(B, 9), TT1, bits.RotateLeft32(F, 19), p0(TT2)
}

// lateRound is a round with the Boolean functions for j ≥ 16: FF is the majority of
// A, B and C; GG selects the bit of F where E has a one, and the bit of G elsewhere.
func lateRound(A, B, C, D, E, F, G, H, T uint32) (b, d, f, h uint32) {
	A12 := bits.RotateLeft32(A, 12)
	SS1 := bits.RotateLeft32(E+(A12+T), 7)
	TT1 := (D + (B&C | A&(B^C))) + (SS1 ^ A12)
	TT2 := (H + (G ^ E&(F^G))) + SS1
	return bits.RotateLeft32(B, 9), TT1, bits.RotateLeft32(F, 19), p0(TT2)
}

// The permutations of section 4.4.
func p0(x uint32) uint32 { return x ^ bits.RotateLeft32(x, 9) ^ bits.RotateLeft32(x, 17) }
func p1(x uint32) uint32 { return x ^ bits.RotateLeft32(x, 15) ^ bits.RotateLeft32(x, 23) }
