package modes

import (
	"crypto/subtle"
	"strconv"
	"sync"
)

// There are three ways to order the last two blocks of CBC with ciphertext stealing
// (Addendum to NIST SP 800-38A). Let d be the number of bytes in the last block of
// plaintext, n the number of blocks and C* the first d bytes of C(n-1). The
// ciphertext ends in
//
//	CS1  C* C(n)    which is plain CBC if d = 16
//	CS2  C(n) C*    or as CS1 if d = 16
//	CS3  C(n) C*    always; RFC 3962 and Linux's cts(cbc) are this
//
// A single whole block is plain CBC in all of them.

// ctsState is the memory of a call that is passed to the cipher.
type ctsState struct {
	iv  [blockSize]byte
	end [2 * blockSize]byte
}

var ctsStates = sync.Pool{New: func() any { return new(ctsState) }}

func (s *ctsState) free() {
	*s = ctsState{}
	ctsStates.Put(s)
}

func newCTSState(c Cipher, variant int, dst, src, iv []byte) *ctsState {
	if variant < 1 || variant > 3 {
		panic(c.Package() + ": no variant CS" + strconv.Itoa(variant) + " of ciphertext stealing")
	}
	if len(src) < blockSize {
		panic(c.Package() + ": input shorter than a block")
	}
	checkBuffers(c, dst, src)
	block := blockOf(c, iv)
	s := ctsStates.Get().(*ctsState)
	s.iv = block
	return s
}

// EncryptCTS encrypts src, which must have at least 16 bytes, in CBC mode with
// ciphertext stealing: the ciphertext is as long as src. Variant is 1, 2 or 3.
func EncryptCTS(c Cipher, variant int, dst, src, iv []byte) {
	s := newCTSState(c, variant, dst, src, iv)
	defer s.free()
	d := len(src) % blockSize
	n := len(src) - d
	dst = dst[:len(src)]
	c.CBCEncrypt(&s.iv, dst[:n], src[:n])
	last, rest := dst[n-blockSize:n], dst[n:]
	switch {
	case d > 0:
		block := s.end[:blockSize]
		copy(block, src[n:]) // and zeros behind it
		c.CBCEncrypt(&s.iv, block, block)
		if variant == 1 {
			copy(dst[len(dst)-blockSize:], block)
		} else {
			copy(rest, last)
			copy(last, block)
		}
	case variant == 3 && n > blockSize:
		swapBlocks(dst[n-2*blockSize:])
	}
}

// DecryptCTS is the inverse of [EncryptCTS].
func DecryptCTS(c Cipher, variant int, dst, src, iv []byte) {
	s := newCTSState(c, variant, dst, src, iv)
	defer s.free()
	d := len(src) % blockSize
	dst = dst[:len(src)]
	switch {
	case d > 0:
		n := len(src) - d - blockSize // bytes before the last two blocks
		last, partial := src[n:n+blockSize], src[n+blockSize:]
		if variant == 1 {
			partial, last = src[n:n+d], src[n+d:]
		}
		block, stolen := s.end[:blockSize], s.end[blockSize:][:d]
		c.DecryptBlocks(block, last) // P(n) padded with zeros ^ C(n-1)
		copy(stolen, partial)
		c.CBCDecrypt(&s.iv, dst[:n], src[:n])
		subtle.XORBytes(dst[n+blockSize:], block, stolen)
		copy(block, stolen) // block is C(n-1)
		c.CBCDecrypt(&s.iv, dst[n:n+blockSize], block)
	case variant == 3 && len(src) > blockSize:
		n := len(src) - 2*blockSize
		copy(s.end[:], src[n:])
		swapBlocks(s.end[:])
		c.CBCDecrypt(&s.iv, dst[:n], src[:n])
		c.CBCDecrypt(&s.iv, dst[n:], s.end[:])
	default:
		c.CBCDecrypt(&s.iv, dst, src)
	}
}

// swapBlocks swaps the two blocks that p consists of.
func swapBlocks(p []byte) {
	a, b := (*[blockSize]byte)(p), (*[blockSize]byte)(p[blockSize:])
	*a, *b = *b, *a
}
