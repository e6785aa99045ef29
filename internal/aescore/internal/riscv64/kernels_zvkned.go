//go:build riscv64 && !purego

package riscv64

import (
	"encoding/binary"
	"runtime"
	"unsafe"
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

// CBCMACZvkned is CBCEncryptZvkned with mac as iv, without its output. Like the other functions for chains,
// it processes the first bytes of src, and returns their number.
func CBCMACZvkned(k *KeysZvkned, mac *[16]byte, src []byte) int {
	n := min(len(src), MaxPass)
	cbcMACZvkned(k, mac, unsafe.SliceData(src), n)
	return n
}

// CFBEncryptZvkned encrypts whole blocks, at least one. iv becomes the last of them.
func CFBEncryptZvkned(k *KeysZvkned, iv *[16]byte, dst, src []byte) int {
	n := min(len(src), MaxPass)
	cfbEncryptZvkned(k, iv, unsafe.SliceData(dst), unsafe.SliceData(src), n)
	return n
}

// CFBDecryptZvkned decrypts whole blocks, at least one. iv becomes the last of src.
func CFBDecryptZvkned(k *KeysZvkned, iv *[16]byte, dst, src []byte) int {
	n := min(len(src), MaxPass)
	cfbDecryptZvkned(k, iv, unsafe.SliceData(dst), unsafe.SliceData(src), n)
	return n
}

// CCMZvkned encrypts or decrypts whole blocks, at least one, in counter mode, and continues the CBC-MAC
// of the plaintext. The lower 64 bits of the counter must not wrap around.
func CCMZvkned(k *KeysZvkned, mac, counter *[16]byte, dst, src []byte, decrypt bool) int {
	low := binary.BigEndian.Uint64(counter[8:])
	n := min(len(src), MaxPass, 16*(1<<32-int(uint32(low))))
	if decrypt {
		ccmOpenZvkned(k, mac, counter, unsafe.SliceData(dst), unsafe.SliceData(src), n)
	} else {
		ccmSealZvkned(k, mac, counter, unsafe.SliceData(dst), unsafe.SliceData(src), n)
	}
	binary.BigEndian.PutUint64(counter[8:], low+uint64(n/16))
	return n
}

// CTRZvkned adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRZvkned(k *KeysZvkned, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	low := binary.BigEndian.Uint32(counter[12:])
	if uint64(low)+uint64(len(src)+15)/16 < 1<<32 {
		ctrFromZvkned(k, counter, low, dst, src, rest)
		return
	}
	for len(src) > 0 {
		low = binary.BigEndian.Uint32(counter[12:])
		n := min(len(src), 16*(1<<32-int(low)))
		if ctrFromZvkned(k, counter, low, dst[:n], src[:n], rest) == 0 {
			Carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// CTR32Zvkned is like CTRZvkned with the counter of GCM: only the last 32 bits count. Its
// time does not depend on the counter.
func CTR32Zvkned(k *KeysZvkned, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	ctrFromZvkned(k, counter, binary.BigEndian.Uint32(counter[12:]), dst, src, rest)
}

// ctrFromZvkned is CTR32Zvkned, given the last 32 bits of the counter. It returns them as they are afterwards.
func ctrFromZvkned(k *KeysZvkned, counter *[16]byte, low uint32, dst, src []byte, rest *[16]byte) uint32 {
	var unused *byte
	if tail := len(src) % 16; tail != 0 {
		unused = &rest[tail]
	}
	ctrZvkned(k, counter, &dst[0], &src[0], len(src), unused)
	low += uint32((len(src) + 15) / 16)
	binary.BigEndian.PutUint32(counter[12:], low)
	return low
}

// XTSZvkned encrypts or decrypts whole blocks, at least one, from the encrypted tweak on. tweak becomes that
// of the block after them. It needs Zvkg, too, and registers of at most 64 bytes.
func XTSZvkned(k *KeysZvkned, tweak *[16]byte, dst, src []byte, decrypt bool) {
	if decrypt {
		xtsDecryptZvkned(k, tweak, &dst[0], &src[0], len(src))
	} else {
		xtsEncryptZvkned(k, tweak, &dst[0], &src[0], len(src))
	}
}

// XTSShiftsZvkned is XTSZvkned without Zvkg, and for registers of at most MaxShifts bytes.
func XTSShiftsZvkned(k *KeysZvkned, tweak *[16]byte, dst, src []byte, decrypt bool) {
	if decrypt {
		xtsDecryptShiftsZvkned(k, tweak, &dst[0], &src[0], len(src))
	} else {
		xtsEncryptShiftsZvkned(k, tweak, &dst[0], &src[0], len(src))
	}
}

// MaxShifts is the size of registers in bytes with which XTSShiftsZvkned works.
const MaxShifts = 128
