//go:build riscv64 && !purego

package riscv64

import (
	"encoding/binary"
	"runtime"
)

// KeysZvkned are the round keys in the order of use: the first, four that only longer keys
// have, and ten. Keys of 192 bits have the last two of the four.
type KeysZvkned struct {
	Bytes  [15][16]byte
	Rounds int // 10, 12 or 14
}

// ExpandZvkned sets k to the round keys, given as words: columns with the byte of row 0 as the
// lowest, and with the constant of the S-box added to all but the first round key.
func ExpandZvkned(k *KeysZvkned, words []uint32) {
	k.Rounds = len(words)/4 - 1
	for i, w := range words {
		block := &k.Bytes[0]
		if i >= 4 {
			w ^= 0x63636363
			block = &k.Bytes[14-k.Rounds+i/4]
		}
		binary.LittleEndian.PutUint32(block[i%4*4:], w)
	}
}

// Wipe overwrites the round keys.
func (k *KeysZvkned) Wipe() {
	*k = KeysZvkned{}
	runtime.KeepAlive(k)
}

// EncryptBlocksZvkned encrypts whole blocks, at least one.
func EncryptBlocksZvkned(k *KeysZvkned, dst, src []byte) {
	encryptBlocksZvkned(k, &dst[0], &src[0], len(src))
}

// DecryptBlocksZvkned is the inverse of EncryptBlocksZvkned.
func DecryptBlocksZvkned(k *KeysZvkned, dst, src []byte) {
	decryptBlocksZvkned(k, &dst[0], &src[0], len(src))
}

// CBCEncryptZvkned encrypts whole blocks, at least one. iv becomes the last of them.
func CBCEncryptZvkned(k *KeysZvkned, iv *[16]byte, dst, src []byte) {
	cbcEncryptZvkned(k, iv, &dst[0], &src[0], len(src))
}

// CBCDecryptZvkned decrypts whole blocks, at least one. iv becomes the last of src.
func CBCDecryptZvkned(k *KeysZvkned, iv *[16]byte, dst, src []byte) {
	cbcDecryptZvkned(k, iv, &dst[0], &src[0], len(src))
}

// CTRZvkned adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRZvkned(k *KeysZvkned, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	for {
		n := min(len(src), 16*(1<<32-int(binary.BigEndian.Uint32(counter[12:]))))
		CTR32Zvkned(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			Carry(counter)
		}
		if dst, src = dst[n:], src[n:]; len(src) == 0 {
			return
		}
	}
}

// CTR32Zvkned is like CTRZvkned with the counter of GCM: only the last 32 bits count. Its
// time does not depend on the counter.
func CTR32Zvkned(k *KeysZvkned, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	var unused *byte
	if tail := len(src) % 16; tail != 0 {
		unused = &rest[tail]
	}
	ctrZvkned(k, counter, &dst[0], &src[0], len(src), unused)
	low := binary.BigEndian.Uint32(counter[12:])
	binary.BigEndian.PutUint32(counter[12:], low+uint32((len(src)+15)/16))
}
