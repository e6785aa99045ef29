package frodokem

import (
	"math/bits"
	"sync"

	"github.com/cipherlane/cipherlane/internal/aescore"
)

// Generation of A with AES: the eight entries of row i from column j on are the
// encryption of the block i || j || 0 (16-bit little-endian numbers) with AES-128
// and the key seedA. The key and the blocks are public, so table lookups are safe.
//
// In the first round the four bytes of i and j go to four different columns, and
// in the second they are mixed with each other only linearly. So the state after
// two rounds is X[i] xor Y[j], and eight rounds are left for each block.

type aesTables struct {
	te   *[4][256]uint32 // points into aesLookup, so that the compiler keeps the address in a register
	keys [11][4]uint32
	x0   [4]uint32 // the state after two rounds of the block 0 || 0
	y    [maxN / 8][4]uint32
}

// te[k] maps a byte of row k to its contribution to a column after SubBytes and
// MixColumns (FIPS 197 sections 5.1.1 and 5.1.3); columns are little-endian words.
var aesLookup struct {
	once sync.Once
	sbox [256]byte
	te   [4][256]uint32
}

func makeLookup() {
	t := &aesLookup
	var log, exp [256]byte
	for i, x := 0, byte(1); i < 255; i++ {
		exp[i], log[x] = x, byte(i)
		x ^= x<<1 ^ 0x1b&-(x>>7) // times the generator 3
	}
	for i := range t.sbox {
		var inverse byte
		if i != 0 {
			inverse = exp[(255-int(log[i]))%255]
		}
		s := inverse ^ 0x63
		for k := 1; k < 5; k++ {
			s ^= bits.RotateLeft8(inverse, k)
		}
		double := s<<1 ^ 0x1b&-(s>>7)
		w := uint32(double) | uint32(s)<<8 | uint32(s)<<16 | uint32(double^s)<<24
		t.sbox[i] = s
		for k := range t.te {
			t.te[k][i] = bits.RotateLeft32(w, 8*k)
		}
	}
}

func (t *aesTables) init(seed []byte, n int) {
	aesLookup.once.Do(makeLookup)
	var words [44]uint32
	aescore.ExpandKey(words[:], seed)
	for i, w := range words {
		t.keys[i/4][i%4] = w
	}
	t.te = &aesLookup.te
	t.x0 = t.two(0, 0)
	for j := range n / 8 {
		t.y[j] = t.two(0, uint32(8*j))
		for c := range t.y[j] {
			t.y[j][c] ^= t.x0[c]
		}
	}
}

// two returns the state after two rounds.
func (t *aesTables) two(i, j uint32) [4]uint32 {
	k := &t.keys
	s := [4]uint32{i | j<<16 ^ k[0][0], k[0][1], k[0][2], k[0][3]}
	for r := 1; r <= 2; r++ {
		s[0], s[1], s[2], s[3] = tableRound(s[0], s[1], s[2], s[3], &k[r])
	}
	return s
}

func tableRound(s0, s1, s2, s3 uint32, k *[4]uint32) (uint32, uint32, uint32, uint32) {
	te := &aesLookup.te
	return te[0][byte(s0)] ^ te[1][byte(s1>>8)] ^ te[2][byte(s2>>16)] ^ te[3][s3>>24] ^ k[0],
		te[0][byte(s1)] ^ te[1][byte(s2>>8)] ^ te[2][byte(s3>>16)] ^ te[3][s0>>24] ^ k[1],
		te[0][byte(s2)] ^ te[1][byte(s3>>8)] ^ te[2][byte(s0>>16)] ^ te[3][s1>>24] ^ k[2],
		te[0][byte(s3)] ^ te[1][byte(s0>>8)] ^ te[2][byte(s1>>16)] ^ te[3][s2>>24] ^ k[3]
}

// row computes row i of A. It repeats the code of tableRound, which is too long to be
// inlined.
func (t *aesTables) row(out []uint16, i int) {
	x := t.two(uint32(i), 0)
	te, box, k := t.te, &aesLookup.sbox, &t.keys[10]
	for j := range len(out) / 8 {
		y := &t.y[j]
		s0, s1, s2, s3 := x[0]^y[0], x[1]^y[1], x[2]^y[2], x[3]^y[3]
		for r := 3; r < 10; r++ {
			k := &t.keys[r]
			s0, s1, s2, s3 = te[0][byte(s0)]^te[1][byte(s1>>8)]^te[2][byte(s2>>16)]^te[3][s3>>24]^k[0],
				te[0][byte(s1)]^te[1][byte(s2>>8)]^te[2][byte(s3>>16)]^te[3][s0>>24]^k[1],
				te[0][byte(s2)]^te[1][byte(s3>>8)]^te[2][byte(s0>>16)]^te[3][s1>>24]^k[2],
				te[0][byte(s3)]^te[1][byte(s0>>8)]^te[2][byte(s1>>16)]^te[3][s2>>24]^k[3]
		}
		t0, t1 := lastRound(box, s0, s1, s2, s3)^k[0], lastRound(box, s1, s2, s3, s0)^k[1]
		t2, t3 := lastRound(box, s2, s3, s0, s1)^k[2], lastRound(box, s3, s0, s1, s2)^k[3]
		o := out[8*j : 8*j+8 : 8*j+8]
		o[0], o[1], o[2], o[3] = uint16(t0), uint16(t0>>16), uint16(t1), uint16(t1>>16)
		o[4], o[5], o[6], o[7] = uint16(t2), uint16(t2>>16), uint16(t3), uint16(t3>>16)
	}
}

// lastRound computes a column of the last round, which has no MixColumns, without the key.
func lastRound(box *[256]byte, s0, s1, s2, s3 uint32) uint32 {
	return uint32(box[byte(s0)]) ^ uint32(box[byte(s1>>8)])<<8 ^
		uint32(box[byte(s2>>16)])<<16 ^ uint32(box[s3>>24])<<24
}
