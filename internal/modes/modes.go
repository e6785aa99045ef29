// Package modes implements the parts of modes of operation that block ciphers
// share: buffering, chaining between calls, padding, ciphertext stealing. The
// cipher provides the kernels, as a [Cipher]. Each file contains one mode. Modes that
// only one cipher has are in its package (HCTR, BC and OFBNLF of GB/T 17964-2021 in sm4),
// and so are CBC, CTR and GCM, which call kernels from a switch.
//
// The interface costs 5 to 15 ns more per call than a switch, and every buffer passed to
// it escapes to the heap. Most callers use these modes through cipher.Stream or hash.Hash,
// where buffers escape anyway. Scratch memory is part of the mode's object or, if one object
// serves many goroutines, comes from a pool. It is cleared after use.
package modes

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/hidden"
)

const blockSize = 16 // bytes, of every cipher here

// A Cipher is a keyed block cipher with 16-byte blocks, with the methods that
// modes need. The methods do not check their arguments: dst and src must have the
// same length, which may be 0, and must overlap entirely or not at all.
type Cipher interface {
	Package() string                                    // prefix of error messages: "aes"
	WipeMark() *uint8                                   // index of the driver; Wiped after the key was wiped, and all methods below panic
	EncryptBlocks(dst, src []byte)                      // whole blocks
	DecryptBlocks(dst, src []byte)                      // whole blocks
	CBCEncrypt(iv *[16]byte, dst, src []byte)           // whole blocks; iv becomes the last ciphertext block
	CBCDecrypt(iv *[16]byte, dst, src []byte)           // whole blocks; iv becomes the last ciphertext block
	CFBDecrypt(iv *[16]byte, dst, src []byte) int       // whole blocks; decrypts as many of the first bytes as there is a kernel for and returns their number; iv becomes the last ciphertext block
	CTR(counter *[16]byte, dst, src []byte)             // any length, 128-bit big-endian; counter advances past the last (partial) block
	XTS(tweak *[16]byte, dst, src []byte, decrypt bool) // whole blocks; tweak is already encrypted, and advances
}

// Chains is what a [Cipher] implements if some of its drivers have kernels for modes with a
// chain. Each method processes as many of the first bytes of src, whole blocks, as there is a
// kernel for, and returns their number, which may be 0. Arguments are as for a Cipher.
//
// If a driver has no such kernels, modes do not call the other methods: asking for kernels that do
// not exist would take time.
type Chains interface {
	ChainsCFB() bool                                               // whether the driver has kernels for CFBEncrypt, and for CFBDecrypt at all lengths
	ChainsMAC() bool                                               // whether it has kernels for CBCMAC and CCM
	CBCMAC(mac *[16]byte, src []byte) int                          // CBCEncrypt with mac as iv, without its output
	CFBEncrypt(iv *[16]byte, dst, src []byte) int                  // iv becomes the last ciphertext block
	CCM(mac, counter *[16]byte, dst, src []byte, decrypt bool) int // CTR, and CBCMAC of the plaintext; the lower 64 bits of the counter do not wrap around
}

// chainsCFB returns the kernels of c for CFB, or nil. With them, CFBDecrypt is for all
// lengths, and without them for long inputs.
func chainsCFB(c Cipher) Chains {
	if k, ok := c.(Chains); ok && k.ChainsCFB() {
		return k
	}
	return nil
}

// chainsMAC returns the kernels of c for MACs and CCM, or nil.
func chainsMAC(c Cipher) Chains {
	if k, ok := c.(Chains); ok && k.ChainsMAC() {
		return k
	}
	return nil
}

// checkBuffers panics if dst is shorter than src or overlaps it inexactly.
func checkBuffers(c Cipher, dst, src []byte) {
	if len(dst) < len(src) {
		panic(c.Package() + ": output smaller than input")
	}
	if alias.InexactOverlap(dst[:len(src)], src) {
		panic(c.Package() + ": invalid buffer overlap")
	}
}

// errWiped returns the error for the use of a wiped key.
func errWiped(c Cipher) error { return errors.New(c.Package() + ": use of a wiped key") }

// Wiped is the driver index of a wiped key. No driver has it, so kernels panic. Modes
// check it themselves where a call may need no kernel or returns an error; they keep
// the pointer that Row returns because loading through it is faster than a call.
const Wiped = 0xff

// check panics if the key was wiped.
func check(c Cipher, row *uint8) {
	if *row == Wiped {
		refuse(c)
	}
}

func refuse(c Cipher) { panic(errWiped(c).Error()) }

// blockOf returns iv as a block, and panics if its length is wrong.
func blockOf(c Cipher, iv []byte) [blockSize]byte {
	if len(iv) != blockSize {
		panic(c.Package() + ": IV length must equal block size")
	}
	return [blockSize]byte(iv)
}

// words is a block whose words are aligned. An array of bytes need not be, so that
// on some CPUs, such as those with riscv64, the compiler makes code for each of its bytes.
type words [blockSize / 8]uint64

func (w *words) bytes() *[blockSize]byte { return (*[blockSize]byte)(unsafe.Pointer(w)) }

// set sets w to the bytes of two numbers, the lowest first.
func (w *words) set(low, high uint64) {
	b := w.bytes()
	binary.LittleEndian.PutUint64(b[:], low)
	binary.LittleEndian.PutUint64(b[8:], high)
}

// add adds a to w.
func (w *words) add(a *words) {
	w[0] ^= a[0]
	w[1] ^= a[1]
}

// private, when embedded, keeps a struct from being printed.
type private = hidden.Secret
