package sm4

import (
	"crypto/cipher"
	"crypto/subtle"

	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// NewCTR returns counter mode (GB/T 17964-2021, NIST SP 800-38A section 6.5).
// The counter is the whole iv, a big-endian number of 128 bits that wraps
// around. It panics if iv is not 16 bytes long. Counter mode does not
// authenticate; [NewGCM] does. A counter value must never be used twice with the
// same key. The result is not safe for concurrent use.
func (c *Cipher) NewCTR(iv []byte) cipher.Stream {
	c.widen()
	return &ctr{c: c, counter: blockOf(iv)}
}

type ctr struct {
	private
	c       *Cipher
	counter [BlockSize]byte
	stream  [ahead]byte // its last left bytes have not been used yet
	left    int
	used    bool // keystream has been generated ahead
}

func (s *ctr) XORKeyStream(dst, src []byte) {
	if n := len(src); ctrBlocksMin > 0 && s.left == 0 && n >= ctrBlocksMin && n < offload.Floor && n%BlockSize == 0 &&
		alias.Fits(dst, src) &&
		ctrBlocks(s.c.plan.Pick(n), &s.c.keys, &s.counter, dst[:n], src) {
		return
	}
	if len(src) == 0 {
		return
	}
	s.c.check() // unused keystream would not reach a kernel
	if !alias.Fits(dst, src) {
		checkBuffers(dst, src) // panics
	}
	dst = dst[:len(src)]
	n := s.xorAhead(dst, src)
	dst, src = dst[n:], src[n:]
	if len(src) >= offload.Floor && s.c.engine.Takes(offload.CTR, len(src)) {
		n = s.c.engine.CTR(&s.counter, dst, src)
		dst, src = dst[n:], src[n:]
	}
	switch size := ctrAhead(s.c.plan, len(src), s.used); {
	case len(src) == 0:
	case len(src) < size:
		stream := s.stream[ahead-size:]
		clear(stream)
		ctrXOR(s.c.plan.Pick(size), &s.c.keys, &s.counter, stream, stream, nil)
		s.left, s.used = size, true
		s.xorAhead(dst, src)
	default:
		ctrXOR(s.c.plan.Pick(len(src)), &s.c.keys, &s.counter, dst, src, (*[BlockSize]byte)(s.stream[ahead-BlockSize:]))
		s.left = -len(src) & (BlockSize - 1)
	}
}

// xorAhead uses the keystream that is already in s.stream.
func (s *ctr) xorAhead(dst, src []byte) int {
	n := subtle.XORBytes(dst, src, s.stream[ahead-s.left:])
	s.left -= n
	return n
}
