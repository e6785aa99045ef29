// Package modes holds the framing of modes of operation that block ciphers
// share: buffers, chaining between calls, padding, ciphertext stealing. The
// cipher brings the kernels, as a [Cipher]. A file holds one mode.
//
// Buffers that callers pass escape through that interface, and so does all that
// a mode passes on. Scratch memory is therefore part of the mode's object or,
// where one object serves many goroutines, from a pool. It is cleared after use.
package modes

import (
	"errors"

	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/hidden"
)

const blockSize = 16 // bytes, of every cipher here

// A Cipher is a block cipher of 16-byte blocks with a key, as modes need it.
// Methods check nothing: dst and src have the same length, which may be 0, and
// are the same memory or do not overlap.
type Cipher interface {
	Package() string                                    // prefix of messages: "aes"
	Wiped() bool                                        // whether the key was wiped; all methods that follow panic then
	EncryptBlocks(dst, src []byte)                      // whole blocks
	DecryptBlocks(dst, src []byte)                      // whole blocks
	CBCEncrypt(iv *[16]byte, dst, src []byte)           // whole blocks; iv becomes the last ciphertext block
	CBCDecrypt(iv *[16]byte, dst, src []byte)           // whole blocks; iv becomes the last ciphertext block
	CFBDecrypt(iv *[16]byte, dst, src []byte) int       // the beginning of whole blocks, for which there is a kernel; returns its length; iv becomes the last ciphertext block
	CTR(counter *[16]byte, dst, src []byte)             // any length, 128-bit big-endian; counter advances past the last (partial) block
	XTS(tweak *[16]byte, dst, src []byte, decrypt bool) // whole blocks; the tweak is encrypted already, and advances
}

// checkBuffers panics unless dst has room for src and is the same memory or
// does not overlap.
func checkBuffers(c Cipher, dst, src []byte) {
	if len(dst) < len(src) {
		panic(c.Package() + ": output smaller than input")
	}
	if alias.InexactOverlap(dst[:len(src)], src) {
		panic(c.Package() + ": invalid buffer overlap")
	}
}

// errWiped is the error where a key is used that was wiped.
func errWiped(c Cipher) error { return errors.New(c.Package() + ": use of a wiped key") }

// check panics if the key was wiped: where no kernel may be needed, which does so
// itself.
func check(c Cipher) {
	if c.Wiped() {
		panic(errWiped(c).Error())
	}
}

// blockOf returns iv as a block, and panics if it is none.
func blockOf(c Cipher, iv []byte) [blockSize]byte {
	if len(iv) != blockSize {
		panic(c.Package() + ": IV length must equal block size")
	}
	return [blockSize]byte(iv)
}

// private keeps what embeds it from being printed.
type private = hidden.Secret
