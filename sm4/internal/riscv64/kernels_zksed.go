//go:build riscv64 && !purego

package riscv64

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

// KeysZksed are round keys in the order of use, with their bytes reversed.
type KeysZksed struct{ Words [32]uint32 }

// PairZksed has the round keys for encryption and decryption.
type PairZksed struct{ Forward, Backward KeysZksed }

// ExpandZksed sets k to the round keys of a key.
func ExpandZksed(k *PairZksed, key *[16]byte) {
	var words [2]uint64
	*(*[16]byte)(unsafe.Pointer(&words)) = *key
	expandZksed(k, &words)
	clear(words[:])
	runtime.KeepAlive(&words)
}

// direction returns the round keys for a direction.
func (k *PairZksed) direction(decrypt bool) *KeysZksed {
	if decrypt {
		return &k.Backward
	}
	return &k.Forward
}

// EncryptBlocksZksed encrypts whole blocks, at least one.
func EncryptBlocksZksed(k *PairZksed, dst, src []byte) {
	cryptBlocksZksed(&k.Forward, &dst[0], &src[0], len(src))
}

// DecryptBlocksZksed decrypts whole blocks, at least one.
func DecryptBlocksZksed(k *PairZksed, dst, src []byte) {
	cryptBlocksZksed(&k.Backward, &dst[0], &src[0], len(src))
}

// CBCEncryptZksed encrypts whole blocks, at least one. iv becomes the last of them.
func CBCEncryptZksed(k *PairZksed, iv *[16]byte, dst, src []byte) {
	cbcEncryptZksed(&k.Forward, iv, &dst[0], &src[0], len(src))
}

// CBCDecryptZksed decrypts whole blocks, at least one. iv becomes the last of src.
func CBCDecryptZksed(k *PairZksed, iv *[16]byte, dst, src []byte) {
	cbcDecryptZksed(&k.Backward, iv, &dst[0], &src[0], len(src))
}

// CFBDecryptZksed decrypts the whole blocks at the beginning of src, at least one, and returns
// their length. iv becomes the last of these ciphertext blocks.
func CFBDecryptZksed(k *PairZksed, iv *[16]byte, dst, src []byte) int {
	whole := len(src) &^ 15
	cfbDecryptZksed(&k.Forward, iv, &dst[0], &src[0], whole)
	return whole
}

// XTSZksed encrypts or decrypts whole blocks, at least one. tweak, already encrypted, becomes that of the block after them. With gb, the bits of each byte of a tweak
// are reversed before it is added.
func XTSZksed(k *PairZksed, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	words := k.direction(decrypt)
	if gb {
		xtsGBZksed(words, tweak, &dst[0], &src[0], len(src))
	} else {
		xtsZksed(words, tweak, &dst[0], &src[0], len(src))
	}
}

// CTRZksed adds keystream to src, at least one byte, and advances the 128-bit counter, which is
// public. Unused keystream of the last block goes to the same offsets in rest, which may be
// nil if src is whole blocks.
func CTRZksed(k *PairZksed, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	for len(src) > 0 {
		n := min(len(src), 16*(1<<32-int(binary.BigEndian.Uint32(counter[12:]))))
		CTR32Zksed(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// CTR32Zksed is like CTRZksed with the counter of GCM: only the last 32 bits count. Its time
// does not depend on the counter.
func CTR32Zksed(k *PairZksed, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	whole := len(src) &^ 15
	if whole > 0 {
		ctrZksed(&k.Forward, counter, &dst[0], &src[0], whole)
	}
	if tail := src[whole:]; len(tail) > 0 {
		var words [2]uint64
		last := (*[16]byte)(unsafe.Pointer(&words))
		copy(last[:], tail)
		ctrZksed(&k.Forward, counter, &last[0], &last[0], 16)
		copy(rest[len(tail):], last[copy(dst[whole:], last[:len(tail)]):])
		clear(words[:])
		runtime.KeepAlive(&words)
	}
}
