package aes

import (
	"crypto/cipher"
	"math/bits"
)

// FIPS 197 implemented literally: the oracle for all drivers. It is slow and its
// time depends on the key.

// specTimes multiplies in GF(2^8), section 4.2.
func specTimes(a, b byte) byte {
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

// specS and specInvS are the S-box, section 5.1.1, and its inverse.
var specS, specInvS = func() (s, inverse [256]byte) {
	for x := range s {
		var b byte // 1/x, or 0
		for y := range 256 {
			if specTimes(byte(x), byte(y)) == 1 {
				b = byte(y)
			}
		}
		s[x] = b ^ bits.RotateLeft8(b, 1) ^ bits.RotateLeft8(b, 2) ^ bits.RotateLeft8(b, 3) ^ bits.RotateLeft8(b, 4) ^ 0x63
		inverse[s[x]] = byte(x)
	}
	return s, inverse
}()

// A specState is the state, section 3.4: s[r][c] is byte r+4c of the block.
type specState [4][4]byte

func (s *specState) subBytes(box *[256]byte) {
	for r := range 4 {
		for c := range 4 {
			s[r][c] = box[s[r][c]]
		}
	}
}

// shiftRows moves row r by r*by columns to the left: 1 in ShiftRows, -1 in its
// inverse.
func (s *specState) shiftRows(by int) {
	for r := range 4 {
		row := s[r]
		for c := range 4 {
			s[r][c] = row[(c+r*by)&3]
		}
	}
}

// mixColumns multiplies every column by the matrix with m as its first row. Each
// further row is the one above, rotated right by one.
func (s *specState) mixColumns(m [4]byte) {
	for c := range 4 {
		column := [4]byte{s[0][c], s[1][c], s[2][c], s[3][c]}
		for r := range 4 {
			s[r][c] = 0
			for i := range 4 {
				s[r][c] ^= specTimes(m[(i-r+4)%4], column[i])
			}
		}
	}
}

func (s *specState) addRoundKey(w [][4]byte) {
	for r := range 4 {
		for c := range 4 {
			s[r][c] ^= w[c][r]
		}
	}
}

// specKeyExpansion is section 5.2.
func specKeyExpansion(key []byte) (w [][4]byte) {
	nk := len(key) / 4
	for i := range nk {
		w = append(w, [4]byte(key[4*i:]))
	}
	rcon := byte(1)
	for i := nk; i < 4*(nk+7); i++ {
		t := w[i-1]
		if i%nk == 0 {
			t = [4]byte{specS[t[1]] ^ rcon, specS[t[2]], specS[t[3]], specS[t[0]]}
			rcon = specTimes(rcon, 2)
		} else if nk > 6 && i%nk == 4 {
			t = [4]byte{specS[t[0]], specS[t[1]], specS[t[2]], specS[t[3]]}
		}
		for j := range t {
			t[j] ^= w[i-nk][j]
		}
		w = append(w, t)
	}
	return w
}

func specLoad(src []byte) (s specState) {
	for i, b := range src[:16] {
		s[i%4][i/4] = b
	}
	return s
}

func (s *specState) store(dst []byte) {
	for i := range dst[:16] {
		dst[i] = s[i%4][i/4]
	}
}

// specEncrypt is Cipher, section 5.1.
func specEncrypt(w [][4]byte, dst, src []byte) {
	rounds := len(w)/4 - 1
	s := specLoad(src)
	s.addRoundKey(w)
	for i := 1; i <= rounds; i++ {
		s.subBytes(&specS)
		s.shiftRows(1)
		if i < rounds {
			s.mixColumns([4]byte{2, 3, 1, 1})
		}
		s.addRoundKey(w[4*i:])
	}
	s.store(dst)
}

// specDecrypt is InvCipher, section 5.3.
func specDecrypt(w [][4]byte, dst, src []byte) {
	rounds := len(w)/4 - 1
	s := specLoad(src)
	s.addRoundKey(w[4*rounds:])
	for i := rounds - 1; i >= 0; i-- {
		s.shiftRows(-1)
		s.subBytes(&specInvS)
		s.addRoundKey(w[4*i:])
		if i > 0 {
			s.mixColumns([4]byte{14, 11, 13, 9})
		}
	}
	s.store(dst)
}

// A specBlock is the standard as a plain cipher.Block, so that crypto/cipher's generic
// modes with it are the oracle for ours.
type specBlock [][4]byte

// NewSpecBlock returns a specBlock for the external tests.
func NewSpecBlock(key []byte) cipher.Block { return specBlock(specKeyExpansion(key)) }

func (k specBlock) BlockSize() int          { return 16 }
func (k specBlock) Encrypt(dst, src []byte) { specEncrypt(k, dst, src) }
func (k specBlock) Decrypt(dst, src []byte) { specDecrypt(k, dst, src) }
