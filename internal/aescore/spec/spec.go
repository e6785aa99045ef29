// Package spec is FIPS 197 implemented literally: the oracle for the tests of AES. It is
// slow and its time depends on the key.
package spec

import (
	"crypto/cipher"
	"math/bits"
)

// times multiplies in GF(2^8), section 4.2.
func times(a, b byte) byte {
	var product byte
	for ; b > 0; b >>= 1 {
		if b&1 == 1 {
			product ^= a
		}
		overflow := a&0x80 != 0
		a <<= 1
		if overflow {
			a ^= 0x1b
		}
	}
	return product
}

// S and InvS are the S-box, section 5.1.1, and its inverse.
var S, InvS = func() (s, inverse [256]byte) {
	for x := range s {
		var b byte // 1/x, or 0
		for y := range 256 {
			if times(byte(x), byte(y)) == 1 {
				b = byte(y)
			}
		}
		s[x] = b ^ bits.RotateLeft8(b, 1) ^ bits.RotateLeft8(b, 2) ^ bits.RotateLeft8(b, 3) ^ bits.RotateLeft8(b, 4) ^ 0x63
		inverse[s[x]] = byte(x)
	}
	return s, inverse
}()

// A state is the state, section 3.4: s[r][c] is byte r+4c of the block.
type state [4][4]byte

func (s *state) subBytes(box *[256]byte) {
	for r := range 4 {
		for c := range 4 {
			s[r][c] = box[s[r][c]]
		}
	}
}

// shiftRows moves row r by r*by columns to the left: 1 in ShiftRows, -1 in its
// inverse.
func (s *state) shiftRows(by int) {
	for r := range 4 {
		row := s[r]
		for c := range 4 {
			s[r][c] = row[(c+r*by)&3]
		}
	}
}

// mixColumns multiplies every column by the matrix with m as its first row. Each
// further row is the one above, rotated right by one.
func (s *state) mixColumns(m [4]byte) {
	for c := range 4 {
		column := [4]byte{s[0][c], s[1][c], s[2][c], s[3][c]}
		for r := range 4 {
			s[r][c] = 0
			for i := range 4 {
				s[r][c] ^= times(m[(i-r+4)%4], column[i])
			}
		}
	}
}

func (s *state) addRoundKey(w [][4]byte) {
	for r := range 4 {
		for c := range 4 {
			s[r][c] ^= w[c][r]
		}
	}
}

// KeyExpansion is section 5.2.
func KeyExpansion(key []byte) (w [][4]byte) {
	nk := len(key) / 4
	for i := range nk {
		w = append(w, [4]byte(key[4*i:]))
	}
	rcon := byte(1)
	for i := nk; i < 4*(nk+7); i++ {
		t := w[i-1]
		if i%nk == 0 {
			t = [4]byte{S[t[1]] ^ rcon, S[t[2]], S[t[3]], S[t[0]]}
			rcon = times(rcon, 2)
		} else if nk > 6 && i%nk == 4 {
			t = [4]byte{S[t[0]], S[t[1]], S[t[2]], S[t[3]]}
		}
		for j := range t {
			t[j] ^= w[i-nk][j]
		}
		w = append(w, t)
	}
	return w
}

func load(src []byte) (s state) {
	for i, b := range src[:16] {
		s[i%4][i/4] = b
	}
	return s
}

func (s *state) store(dst []byte) {
	for i := range dst[:16] {
		dst[i] = s[i%4][i/4]
	}
}

// encrypt is Cipher, section 5.1.
func encrypt(w [][4]byte, dst, src []byte) {
	rounds := len(w)/4 - 1
	s := load(src)
	s.addRoundKey(w)
	for i := 1; i <= rounds; i++ {
		s.subBytes(&S)
		s.shiftRows(1)
		if i < rounds {
			s.mixColumns([4]byte{2, 3, 1, 1})
		}
		s.addRoundKey(w[4*i:])
	}
	s.store(dst)
}

// decrypt is InvCipher, section 5.3.
func decrypt(w [][4]byte, dst, src []byte) {
	rounds := len(w)/4 - 1
	s := load(src)
	s.addRoundKey(w[4*rounds:])
	for i := rounds - 1; i >= 0; i-- {
		s.shiftRows(-1)
		s.subBytes(&InvS)
		s.addRoundKey(w[4*i:])
		if i > 0 {
			s.mixColumns([4]byte{14, 11, 13, 9})
		}
	}
	s.store(dst)
}

// A block is the standard as a plain cipher.Block, so that crypto/cipher's generic
// modes with it are the oracle for ours.
type block [][4]byte

// New returns the block cipher for a key of 16, 24 or 32 bytes.
func New(key []byte) cipher.Block { return block(KeyExpansion(key)) }

func (k block) BlockSize() int          { return 16 }
func (k block) Encrypt(dst, src []byte) { encrypt(k, dst, src) }
func (k block) Decrypt(dst, src []byte) { decrypt(k, dst, src) }
