//go:build arm64 && !purego

package arm64

import (
	"encoding/binary"
	"math/bits"
	"runtime"
)

// The family NEON needs nothing but NEON. It is for few blocks, and for chains of blocks.

// ExpandNEON computes the round keys of a key of 16, 24 or 32 bytes, in a
// representation that only this family can use.
func ExpandNEON(k *Keys, key []byte) {
	k.Rounds = 6 + len(key)/4
	expandNEON(&k.Enc, &k.Dec, &key[0], k.Rounds)
}

// EncryptBlocksNEON encrypts whole blocks, at least one.
func EncryptBlocksNEON(k *Keys, dst, src []byte) { encryptBlocksNEON(k, &dst[0], &src[0], len(src)) }

// DecryptBlocksNEON decrypts whole blocks, at least one.
func DecryptBlocksNEON(k *Keys, dst, src []byte) { decryptBlocksNEON(k, &dst[0], &src[0], len(src)) }

// CBCEncryptNEON encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptNEON(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptNEON(k, &iv[0], &dst[0], &src[0], len(src))
}

// CBCDecryptNEON decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptNEON(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcDecryptNEON(k, &iv[0], &dst[0], &src[0], len(src))
}

// XTSNEON encrypts or decrypts whole blocks, at least one, from the encrypted tweak on.
// tweak becomes that of the block after them.
func XTSNEON(k *Keys, tweak *[16]byte, dst, src []byte, decrypt bool) {
	if decrypt {
		xtsDecryptNEON(k, &tweak[0], &dst[0], &src[0], len(src))
	} else {
		xtsEncryptNEON(k, &tweak[0], &dst[0], &src[0], len(src))
	}
}

// CTRNEON adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRNEON(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	hi, lo := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	next, carry := bits.Add64(lo, uint64(len(src)+15)/16, 0)
	binary.BigEndian.PutUint64(counter[:], hi+carry)
	binary.BigEndian.PutUint64(counter[8:], next)
	if carry != 0 && next != 0 { // next blocks have the higher hi
		n := int(-lo * 16)
		ctrNEON(k, hi, lo, &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
		hi, lo = hi+1, 0
	}
	whole := len(src) &^ 15
	if whole > 0 {
		ctrNEON(k, hi, lo, &dst[0], &src[0], whole)
	}
	if n := len(src) - whole; n > 0 {
		var block [16]byte
		copy(block[:], src[whole:])
		ctrNEON(k, hi, lo+uint64(whole/16), &block[0], &block[0], 16)
		copy(dst[whole:], block[:n])
		copy(rest[n:], block[n:])
		clear(block[:])
		runtime.KeepAlive(&block)
	}
}

// CBCEncryptManyNEON encrypts n blocks, at least one, of each of 1 to 4 lanes. All keys
// have the same number of rounds.
func CBCEncryptManyNEON(lanes []Lane, n int) {
	if len(lanes) == 4 {
		cbcEncrypt4NEON(&lanes[0], n)
		return
	}
	if len(lanes)&2 != 0 {
		cbcEncrypt2NEON(&lanes[0], n)
		lanes = lanes[2:]
	}
	if len(lanes) > 0 {
		cbcEncrypt1NEON(&lanes[0], n)
	}
}
