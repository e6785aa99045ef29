package modes

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"

	"github.com/cipherlane/cipherlane/internal/alias"
)

// cfb is cipher feedback with full-block segments (NIST SP 800-38A, section 6.3):
// C(i) = P(i) ^ X(i), X(i) = E(C(i-1)), C(0) is the IV.
type cfb struct {
	private
	c   Cipher
	row *uint8 // of c

	// block is X(i), with its first used bytes replaced by those of C(i). When all
	// are replaced, X(i+1) is not computed until it is needed.
	block [blockSize]byte
	used  int

	scratch [cfbPass + blockSize]byte // keystream; zero between calls
	chains  Chains                    // of c; behind scratch, whose second block is at a multiple of 64 bytes
}

// cfbPass is how many bytes are processed at a time: enough for any kernel, and few
// enough for the L1 cache.
const cfbPass = 2048

// cfbShort is for how many bytes decryptBlocks is one call of the cipher: with many drivers it
// takes as long for a block as for sixteen.
const cfbShort = 16 * blockSize

func newCFB(c Cipher, iv []byte) cfb {
	return cfb{c: c, chains: chainsCFB(c), row: c.WipeMark(), block: blockOf(c, iv), used: blockSize}
}

// NewCFBEncrypter returns the encrypting direction of CFB-128.
func NewCFBEncrypter(c Cipher, iv []byte) cipher.Stream {
	return &cfbEncrypter{newCFB(c, iv)}
}

// NewCFBDecrypter returns the decrypting direction of CFB-128, which processes
// many blocks in parallel.
func NewCFBDecrypter(c Cipher, iv []byte) cipher.Stream {
	return &cfbDecrypter{newCFB(c, iv)}
}

type cfbEncrypter struct{ cfb }

func (s *cfbEncrypter) XORKeyStream(dst, src []byte) {
	if len(src) == 0 {
		return
	}
	if s.used == blockSize && s.chains != nil && len(src)%blockSize == 0 && alias.Fits(dst, src) {
		n := s.chains.CFBEncrypt(&s.block, dst[:len(src)], src)
		if n == len(src) {
			return
		}
		dst, src = dst[n:], src[n:]
	}
	s.encrypt(dst, src)
}

// encrypt is XORKeyStream for what does not begin and end with a block, and without a kernel.
func (s *cfbEncrypter) encrypt(dst, src []byte) {
	s.begin(dst, src)
	n := 0
	if s.used < blockSize {
		n = s.encryptPart(dst, src)
	}
	for n < len(src) {
		dst, src = dst[n:], src[n:]
		whole := len(src) &^ (blockSize - 1)
		if s.chains != nil && whole > 0 {
			if n = s.chains.CFBEncrypt(&s.block, dst[:whole], src[:whole]); n > 0 {
				continue
			}
		}
		if whole < 2*blockSize {
			s.next()
			n = s.encryptPart(dst, src)
		} else {
			n = s.encryptBlocks(dst, src)
		}
	}
}

type cfbDecrypter struct{ cfb }

func (s *cfbDecrypter) XORKeyStream(dst, src []byte) {
	if len(src) == 0 {
		return
	}
	if s.used == blockSize && s.chains != nil && len(src)%blockSize == 0 && alias.Fits(dst, src) {
		n := s.c.CFBDecrypt(&s.block, dst[:len(src)], src)
		if n == len(src) {
			return
		}
		dst, src = dst[n:], src[n:]
	}
	s.decrypt(dst, src)
}

// decrypt is XORKeyStream for what does not begin and end with a block, and without a kernel.
func (s *cfbDecrypter) decrypt(dst, src []byte) {
	s.begin(dst, src)
	n := 0
	if s.used < blockSize {
		n = s.decryptPart(dst, src)
	}
	for n < len(src) {
		dst, src = dst[n:], src[n:]
		whole := len(src) &^ (blockSize - 1)
		if s.used == blockSize && s.chains != nil && whole > 0 {
			if n = s.c.CFBDecrypt(&s.block, dst[:whole], src[:whole]); n > 0 {
				continue
			}
		}
		if s.used == blockSize && whole >= 2*blockSize {
			n = s.decryptBlocks(dst, src)
			continue
		}
		if s.used == blockSize { // decryptShort may have computed it
			s.next()
		}
		n = s.decryptPart(dst, src)
	}
}

// begin checks the arguments of a call.
func (s *cfb) begin(dst, src []byte) {
	if !alias.Fits(dst, src) {
		checkBuffers(s.c, dst, src) // panics
	}
	if s.used < blockSize {
		check(s.c, s.row)
	}
}

// next computes X(i+1) from C(i).
func (s *cfb) next() {
	s.c.EncryptBlocks(s.block[:], s.block[:])
	s.used = 0
}

// encryptPart encrypts up to the end of a partly used block, and returns the number
// of bytes processed.
func (s *cfb) encryptPart(dst, src []byte) int {
	n := subtle.XORBytes(dst, src, s.block[s.used:])
	copy(s.block[s.used:], dst[:n])
	s.used += n
	return n
}

// decryptPart is encryptPart for ciphertext.
func (s *cfb) decryptPart(dst, src []byte) int {
	block := s.block[s.used:]
	n := min(len(block), len(src))
	s.used += n
	dst, src, block = dst[:n], src[:n], block[:n]
	order := binary.NativeEndian
	for len(src) >= 8 { // src may be dst
		v := order.Uint64(src)
		order.PutUint64(dst, v^order.Uint64(block))
		order.PutUint64(block, v)
		dst, src, block = dst[8:], src[8:], block[8:]
	}
	for i, v := range src {
		dst[i], block[i] = v^block[i], v
	}
	return n
}

// encryptBlocks encrypts all whole blocks, from a block boundary on, and returns
// the number of bytes processed. Because X(i+1) = E(P(i) ^ X(i)), the keystream is
// the CBC encryption of the plaintext with X(1) as IV: the cipher's CBC kernel does
// the serial part.
func (s *cfb) encryptBlocks(dst, src []byte) int {
	whole := len(src) &^ (blockSize - 1)
	for i := 0; i < whole; i += cfbPass {
		n := min(whole-i, cfbPass)
		dst, src, stream := dst[i:i+n], src[i:i+n], s.scratch[:n]
		s.c.EncryptBlocks(s.block[:], s.block[:])
		copy(stream, s.block[:])
		s.c.CBCEncrypt(&s.block, stream[blockSize:], src[:n-blockSize])
		subtle.XORBytes(dst, src, stream)
		copy(s.block[:], dst[n-blockSize:])
	}
	clear(s.scratch[:min(whole, cfbPass)])
	return whole
}

// decryptBlocks is encryptBlocks for ciphertext. All inputs of the keystream are
// known in advance, so each pass also computes X(i) for the block that follows it,
// except for the last pass.
func (s *cfb) decryptBlocks(dst, src []byte) int {
	whole := len(src) &^ (blockSize - 1)
	if len(src) <= cfbShort {
		s.decryptShort(dst, src, whole)
		return whole
	}
	if s.chains == nil && whole >= cfbPass {
		if n := s.c.CFBDecrypt(&s.block, dst[:whole], src[:whole]); n > 0 {
			return n
		}
	}
	s.c.EncryptBlocks(s.scratch[:blockSize], s.block[:])
	copy(s.block[:], src[whole-blockSize:])
	for i := 0; i < whole; i += cfbPass {
		n := min(whole-i, cfbPass)
		dst, src, feedback := dst[i:i+n], src[i:i+n], src[i:min(i+n, whole-blockSize)]
		s.c.EncryptBlocks(s.scratch[blockSize:][:len(feedback)], feedback)
		subtle.XORBytes(dst, src, s.scratch[:n])
		copy(s.scratch[:blockSize], s.scratch[n:])
	}
	clear(s.scratch[:min(whole, cfbPass)+blockSize])
	return whole
}

// decryptShort decrypts whole bytes. If a part of a block follows, its X(i) is in the same call.
func (s *cfb) decryptShort(dst, src []byte, whole int) {
	all := (len(src) + blockSize - 1) &^ (blockSize - 1)
	copy(s.scratch[:], s.block[:])
	copy(s.scratch[blockSize:all], src)
	copy(s.block[:], src[whole-blockSize:])
	s.c.EncryptBlocks(s.scratch[:all], s.scratch[:all])
	subtle.XORBytes(dst, src[:whole], s.scratch[:whole])
	if whole < all {
		s.block, s.used = [blockSize]byte(s.scratch[whole:]), 0
	}
	clear(s.scratch[:all])
}
