//go:build arm && !purego

package arm

import (
	"encoding/binary"
	"runtime"
)

// The family CE needs the AES instructions of ARMv8.

// KeysCE are the round keys in the order of use. Those for decryption are for the
// equivalent inverse cipher (FIPS 197, section 5.3.5).
type KeysCE struct {
	Rounds int // 10, 12 or 14
	_      int
	enc    [15][4]uint32
	dec    [15][4]uint32
}

// ExpandCE computes the round keys from the words of the key schedule, which are columns with
// the byte of row 0 as the lowest.
func ExpandCE(k *KeysCE, words []uint32) {
	k.Rounds = len(words)/4 - 1
	for i := range k.Rounds + 1 {
		k.enc[i] = [4]uint32(words[4*i:])
	}
	invertCE(&k.dec[0][0], &k.enc[0][0], k.Rounds)
}

// EncryptBlocksCE encrypts whole blocks, at least one.
func EncryptBlocksCE(k *KeysCE, dst, src []byte) { encryptBlocksCE(k, &dst[0], &src[0], len(src)) }

// DecryptBlocksCE decrypts whole blocks, at least one.
func DecryptBlocksCE(k *KeysCE, dst, src []byte) { decryptBlocksCE(k, &dst[0], &src[0], len(src)) }

// CBCEncryptCE encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptCE(k *KeysCE, iv *[16]byte, dst, src []byte) {
	cbcEncryptCE(k, &iv[0], &dst[0], &src[0], len(src))
}

// CBCDecryptCE decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptCE(k *KeysCE, iv *[16]byte, dst, src []byte) {
	cbcDecryptCE(k, &iv[0], &dst[0], &src[0], len(src))
}

// CTRCE adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRCE(k *KeysCE, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	for len(src) > 0 {
		n := untilCarry(counter, len(src))
		CTR32CE(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// CTR32CE is like CTRCE with a counter of 32 bits, which wraps around without
// a carry. src may be empty. Its time does not depend on the counter.
func CTR32CE(k *KeysCE, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	if n := len(src) &^ 15; n > 0 {
		ctrCE(k, &counter[0], &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	if n := len(src); n > 0 {
		var b [16]byte
		copy(b[:], src)
		ctrCE(k, &counter[0], &b[0], &b[0], len(b))
		copy(dst, b[:n])
		copy(rest[n:], b[n:])
		clear(b[:])
		runtime.KeepAlive(&b)
	}
}

// XTSCE encrypts or decrypts whole blocks, at least one, from the encrypted tweak
// on. tweak becomes that of the block after them.
func XTSCE(k *KeysCE, tweak *[16]byte, dst, src []byte, decrypt bool) {
	if decrypt {
		xtsDecryptCE(k, &tweak[0], &dst[0], &src[0], len(src))
	} else {
		xtsEncryptCE(k, &tweak[0], &dst[0], &src[0], len(src))
	}
}
