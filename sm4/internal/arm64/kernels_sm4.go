//go:build arm64 && !purego

package arm64

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

// The family SM4 needs the SM4 instructions.

// KeysSM4 are the round keys in the order of use, for both directions.
type KeysSM4 struct {
	Enc, Dec [32]uint32
}

// direction returns the round keys for a direction.
func (k *KeysSM4) direction(decrypt bool) *[32]uint32 {
	if decrypt {
		return &k.Dec
	}
	return &k.Enc
}

// ExpandSM4 computes the round keys.
func ExpandSM4(k *KeysSM4, key *[16]byte) { expandSM4(k, key) }

// EncryptBlocksSM4 encrypts whole blocks, at least one.
func EncryptBlocksSM4(k *KeysSM4, dst, src []byte) { encryptBlocksSM4(k, &dst[0], &src[0], len(src)) }

// DecryptBlocksSM4 decrypts whole blocks, at least one.
func DecryptBlocksSM4(k *KeysSM4, dst, src []byte) { decryptBlocksSM4(k, &dst[0], &src[0], len(src)) }

// CBCEncryptSM4 encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptSM4(k *KeysSM4, iv *[16]byte, dst, src []byte) {
	cbcEncryptSM4(k, &iv[0], &dst[0], &src[0], len(src))
}

// CFBEncryptSM4 encrypts whole blocks, at least one, and returns their length. iv becomes the last
// ciphertext block.
func CFBEncryptSM4(k *KeysSM4, iv *[16]byte, dst, src []byte) int {
	cfbEncryptSM4(k, &iv[0], &dst[0], &src[0], len(src))
	return len(src)
}

// CBCDecryptSM4 decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptSM4(k *KeysSM4, iv *[16]byte, dst, src []byte) {
	cbcDecryptSM4(k, &iv[0], &dst[0], &src[0], len(src))
}

// CFBDecryptSM4 decrypts the whole blocks at the beginning of src, at least one, and returns
// their length. iv becomes the last of these ciphertext blocks.
func CFBDecryptSM4(k *KeysSM4, iv *[16]byte, dst, src []byte) int {
	n := len(src) &^ 15
	cfbDecryptSM4(k, &iv[0], &dst[0], &src[0], n)
	return n
}

// XTSSM4 encrypts or decrypts whole blocks, at least one, from the encrypted tweak on. tweak becomes
// that of the block after them.
func XTSSM4(k *KeysSM4, tweak *[16]byte, dst, src []byte, decrypt bool) {
	xtsSM4(k.direction(decrypt), nil, tweak, unsafe.SliceData(dst), unsafe.SliceData(src), len(src))
}

// XTSUnitSM4 is XTSSM4 from the tweak on that the keys first encrypt.
func XTSUnitSM4(k, first *KeysSM4, tweak *[16]byte, dst, src []byte, decrypt bool) {
	xtsSM4(k.direction(decrypt), &first.Enc, tweak, unsafe.SliceData(dst), unsafe.SliceData(src), len(src))
}

// XTSGBSM4 is XTSSM4, but the bits of each byte of a tweak are reversed before it is added.
func XTSGBSM4(k *KeysSM4, tweak *[16]byte, dst, src []byte, decrypt bool) {
	xtsGBSM4(k.direction(decrypt), nil, tweak, unsafe.SliceData(dst), unsafe.SliceData(src), len(src))
}

// XTSUnitGBSM4 is XTSGBSM4 from the tweak on that the keys first encrypt: the bits of its bytes are
// reversed after that.
func XTSUnitGBSM4(k, first *KeysSM4, tweak *[16]byte, dst, src []byte, decrypt bool) {
	xtsGBSM4(k.direction(decrypt), &first.Enc, tweak, unsafe.SliceData(dst), unsafe.SliceData(src), len(src))
}

// CountersSM4 adds keystream to src, whole blocks. That of block j is the encryption of
// starts[m/128] with m%128 XORed into byte which, where m = first + j.
func CountersSM4(k *KeysSM4, starts [][16]byte, first, which int, dst, src []byte) {
	var v [3][16]byte // start, number, 1
	v[2][which] = 1
	for len(src) > 0 {
		v[0] = starts[0]
		v[1][which] = byte(first)
		n := min(len(src), (128-first)*16)
		countersSM4(k, &v, &dst[0], &src[0], n)
		dst, src, starts, first = dst[n:], src[n:], starts[1:], 0
	}
	clear(v[:])
	runtime.KeepAlive(&v)
}

// CTRBlocksSM4 is CTRSM4 for whole blocks.
func CTRBlocksSM4(k *KeysSM4, counter *[16]byte, dst, src []byte) {
	ctrSM4(k, counter, unsafe.SliceData(dst), unsafe.SliceData(src), len(src))
}

// CTRSM4 adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRSM4(k *KeysSM4, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	if whole := len(src) &^ 15; whole > 0 {
		ctrSM4(k, counter, &dst[0], &src[0], whole)
		dst, src = dst[whole:], src[whole:]
	}
	if n := len(src); n > 0 {
		var block [16]byte
		copy(block[:], src)
		ctrSM4(k, counter, &block[0], &block[0], 16)
		copy(dst, block[:n])
		copy(rest[n:], block[n:])
		clear(block[:])
		runtime.KeepAlive(&block)
	}
}

// CTR32SM4 is CTRSM4 with a counter of 32 bits, which may be secret. src may be empty.
func CTR32SM4(k *KeysSM4, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	hi, lo := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	low := uint32(lo) + uint32((len(src)+15)/16)
	binary.BigEndian.PutUint32(counter[12:], low)
	if whole := len(src) &^ 15; whole > 0 {
		ctr32SM4(k, hi, lo, &dst[0], &src[0], whole)
		dst, src = dst[whole:], src[whole:]
	}
	if n := len(src); n > 0 {
		var block [16]byte
		copy(block[:], src)
		ctr32SM4(k, hi, lo&^0xffffffff|uint64(low-1), &block[0], &block[0], 16)
		copy(dst, block[:n])
		copy(rest[n:], block[n:])
		clear(block[:])
		runtime.KeepAlive(&block)
	}
}
