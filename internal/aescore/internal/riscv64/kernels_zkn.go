//go:build riscv64 && !purego

package riscv64

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

// KeysZkn are the round keys for encryption, and for decryption in the same order: the first,
// four that only longer keys have, and ten. Keys of 192 bits have the last two of the four.
type KeysZkn struct {
	Forward, Backward [15][2]uint64
	Rounds            int // 10, 12 or 14
}

// ExpandZkn sets k to the round keys of a key of 16, 24 or 32 bytes.
func ExpandZkn(k *KeysZkn, key []byte) {
	var words [4]uint64
	copy((*[32]byte)(unsafe.Pointer(&words))[:], key)
	k.Rounds = len(key)/4 + 6
	expandZkn(k, &words)
	clear(words[:])
	runtime.KeepAlive(&words)
}

// EncryptBlocksZkn encrypts whole blocks, at least one.
func EncryptBlocksZkn(k *KeysZkn, dst, src []byte) {
	encryptBlocksZkn(k, &dst[0], &src[0], len(src))
}

// DecryptBlocksZkn is the inverse of EncryptBlocksZkn.
func DecryptBlocksZkn(k *KeysZkn, dst, src []byte) {
	decryptBlocksZkn(k, &dst[0], &src[0], len(src))
}

// CBCEncryptZkn encrypts whole blocks, at least one. iv becomes the last of them.
func CBCEncryptZkn(k *KeysZkn, iv *[16]byte, dst, src []byte) {
	cbcEncryptZkn(k, iv, &dst[0], &src[0], len(src))
}

// CBCDecryptZkn decrypts whole blocks, at least one. iv becomes the last of src.
func CBCDecryptZkn(k *KeysZkn, iv *[16]byte, dst, src []byte) {
	cbcDecryptZkn(k, iv, &dst[0], &src[0], len(src))
}

// XTSZkn encrypts or decrypts whole blocks, at least one. tweak, already encrypted, becomes
// that of the block after them.
func XTSZkn(k *KeysZkn, tweak *[16]byte, dst, src []byte, decrypt bool) {
	if decrypt {
		xtsDecryptZkn(k, tweak, &dst[0], &src[0], len(src))
	} else {
		xtsEncryptZkn(k, tweak, &dst[0], &src[0], len(src))
	}
}

// CTRZkn adds keystream to src, at least one byte, and advances the 128-bit counter. Unused
// keystream of the last block goes to the same offsets in rest.
func CTRZkn(k *KeysZkn, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	for {
		n := min(len(src), 16*(1<<32-int(binary.BigEndian.Uint32(counter[12:]))))
		CTR32Zkn(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			Carry(counter)
		}
		if dst, src = dst[n:], src[n:]; len(src) == 0 {
			return
		}
	}
}

// CTR32Zkn is like CTRZkn with the counter of GCM: only the last 32 bits count. Its time does
// not depend on the counter.
func CTR32Zkn(k *KeysZkn, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	whole := len(src) &^ 15
	if whole > 0 {
		ctrZkn(k, counter, &dst[0], &src[0], whole)
	}
	if tail := src[whole:]; len(tail) > 0 {
		var words [2]uint64
		last := (*[16]byte)(unsafe.Pointer(&words))
		copy(last[:], tail)
		ctrZkn(k, counter, &last[0], &last[0], 16)
		copy(rest[len(tail):], last[copy(dst[whole:], last[:len(tail)]):])
		clear(words[:])
		runtime.KeepAlive(&words)
	}
}
