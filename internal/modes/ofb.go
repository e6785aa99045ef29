package modes

import (
	"crypto/cipher"
	"crypto/subtle"
)

// ofb is output feedback (NIST SP 800-38A, section 6.4): C(i) = P(i) ^ X(i),
// X(i) = E(X(i-1)), X(0) is the IV.
type ofb struct {
	private
	c     Cipher
	row   *uint8          // of c
	block [blockSize]byte // X(i) for the last block
	used  int             // bytes of block that have been used

	scratch [1024]byte // keystream; zero between calls
}

// NewOFB returns output feedback, for both encryption and decryption.
func NewOFB(c Cipher, iv []byte) cipher.Stream {
	return &ofb{c: c, row: c.WipeMark(), block: blockOf(c, iv), used: blockSize}
}

// XORKeyStream implements [cipher.Stream]. The keystream is the CBC encryption of
// zeros.
func (s *ofb) XORKeyStream(dst, src []byte) {
	if len(src) == 0 {
		return
	}
	checkBuffers(s.c, dst, src)
	if s.used < blockSize {
		check(s.c, s.row)
	}
	n := subtle.XORBytes(dst, src, s.block[s.used:])
	s.used += n
	dst, src = dst[n:], src[n:]
	for len(src) > 0 {
		n := min(len(src), len(s.scratch))
		stream := s.scratch[:(n+blockSize-1)&^(blockSize-1)]
		s.c.CBCEncrypt(&s.block, stream, stream)
		subtle.XORBytes(dst, src[:n], stream)
		clear(stream)
		s.used = blockSize - (len(stream) - n)
		dst, src = dst[n:], src[n:]
	}
}
