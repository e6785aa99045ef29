package aes

import (
	"crypto/cipher"
	"crypto/subtle"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// NewCTR returns counter mode (NIST SP 800-38A section 6.5). The counter is the
// whole iv, a big-endian number of 128 bits that wraps around. It panics if iv is
// not 16 bytes long. Counter mode does not authenticate; [NewGCM] does. A counter
// value must never be used twice with the same key. The result is not safe for
// concurrent use.
func (c *Cipher) NewCTR(iv []byte) cipher.Stream {
	return &ctr{c: c, counter: blockOf(iv)} // more would not be inlined, and the result on the heap
}

// ahead is the maximum size of the keystream generated for short requests: with all drivers several
// blocks take hardly longer than one. The traits of a driver have its sizes.
const ahead = aescore.MaxAhead

type ctr struct {
	private
	c       *Cipher
	counter [BlockSize]byte
	stream  [ahead]byte    // its last left bytes have not been used yet
	whole   aescore.Stream // the driver's, if it has one, which has its own counter; else nil

	left        uint8
	short, size uint8 // requests of fewer than short bytes generate size bytes of keystream; 0 until begin
}

// begin prepares for the first request.
func (s *ctr) begin() {
	traits := aescore.TraitsOf(s.c.plan.Short())
	s.short, s.size = traits.CTRShort, traits.CTRAhead
	if s.c.engine == nil {
		s.whole = aescore.NewCTR(s.c.plan.Bulk(), &s.c.keys, &s.counter)
	}
}

func (s *ctr) XORKeyStream(dst, src []byte) {
	if len(src) == 0 {
		return
	}
	s.c.check() // unused keystream would not reach a kernel
	if !alias.Fits(dst, src) {
		checkBuffers(dst, src) // panics
	}
	dst = dst[:len(src)]
	if s.size == 0 {
		s.begin()
	}
	if s.whole != nil {
		s.whole.XORKeyStream(offload.Hidden(dst), offload.Hidden(src))
		return
	}
	if s.left > 0 {
		n := s.xorAhead(dst, src)
		dst, src = dst[n:], src[n:]
		if len(src) == 0 {
			return
		}
	}
	if len(src) >= offload.Floor && s.c.engine.Takes(offload.CTR, len(src)) {
		n := s.c.engine.CTR(&s.counter, dst, src)
		dst, src = dst[n:], src[n:]
		if len(src) == 0 {
			return
		}
	}
	out, in := dst, src
	short := len(src) < int(s.short)
	if short {
		in = s.stream[ahead-int(s.size):]
		out = in
		clear(in)
	}
	row, rest := s.c.plan.Pick(len(in)), (*[BlockSize]byte)(s.stream[ahead-BlockSize:])
	aescore.CTR(row, &s.c.keys, &s.counter, out, in, rest)
	if short {
		s.left = s.size
		s.xorAhead(dst, src)
	} else {
		s.left = uint8(-len(src) & (BlockSize - 1))
	}
}

// xorAhead uses the keystream that is already in s.stream.
func (s *ctr) xorAhead(dst, src []byte) int {
	n := subtle.XORBytes(dst, src, s.stream[ahead-int(s.left):])
	s.left -= uint8(n)
	return n
}
