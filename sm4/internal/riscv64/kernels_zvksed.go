//go:build riscv64 && !purego

package riscv64

import "encoding/binary"

// KeysZvksed are round keys in the order of use.
type KeysZvksed struct{ Words [32]uint32 }

// PairZvksed has the round keys for encryption and decryption.
type PairZvksed struct{ Forward, Backward KeysZvksed }

// ExpandZvksed sets k to these round keys.
func ExpandZvksed(k *PairZvksed, words *[32]uint32) {
	k.Forward.Words = *words
	for i, w := range words {
		k.Backward.Words[31-i] = w
	}
}

// direction returns the round keys for a direction.
func (k *PairZvksed) direction(decrypt bool) *KeysZvksed {
	if decrypt {
		return &k.Backward
	}
	return &k.Forward
}

// EncryptBlocksZvksed encrypts whole blocks, at least one.
func EncryptBlocksZvksed(k *PairZvksed, dst, src []byte) {
	cryptBlocksZvksed(&k.Forward, &dst[0], &src[0], len(src))
}

// DecryptBlocksZvksed decrypts whole blocks, at least one.
func DecryptBlocksZvksed(k *PairZvksed, dst, src []byte) {
	cryptBlocksZvksed(&k.Backward, &dst[0], &src[0], len(src))
}

// CBCEncryptZvksed encrypts whole blocks, at least one. iv becomes the last of them.
func CBCEncryptZvksed(k *PairZvksed, iv *[16]byte, dst, src []byte) {
	cbcEncryptZvksed(&k.Forward, iv, &dst[0], &src[0], len(src))
}

// CBCDecryptZvksed decrypts whole blocks, at least one. iv becomes the last of src.
func CBCDecryptZvksed(k *PairZvksed, iv *[16]byte, dst, src []byte) {
	cbcDecryptZvksed(&k.Backward, iv, &dst[0], &src[0], len(src))
}

// CBCMACZvksed is CBCEncryptZvksed with mac as iv, without its output.
func CBCMACZvksed(k *PairZvksed, mac *[16]byte, src []byte) {
	cbcMACZvksed(&k.Forward, mac, &src[0], len(src))
}

// CFBEncryptZvksed encrypts whole blocks, at least one. iv becomes the last of them.
func CFBEncryptZvksed(k *PairZvksed, iv *[16]byte, dst, src []byte) {
	cfbEncryptZvksed(&k.Forward, iv, &dst[0], &src[0], len(src))
}

// CFBDecryptZvksed decrypts the whole blocks at the beginning of src, at least one, and
// returns their length. iv becomes the last of these ciphertext blocks.
func CFBDecryptZvksed(k *PairZvksed, iv *[16]byte, dst, src []byte) int {
	whole := len(src) &^ 15
	cfbDecryptZvksed(&k.Forward, iv, &dst[0], &src[0], whole)
	return whole
}

// CCMZvksed encrypts or decrypts whole blocks at the beginning of src, at least one, in counter mode, and
// continues the CBC-MAC of the plaintext. It returns their length. The lower 64 bits of the counter must not
// wrap around.
func CCMZvksed(k *PairZvksed, mac, counter *[16]byte, dst, src []byte, decrypt bool) int {
	low := binary.BigEndian.Uint64(counter[8:])
	n := min(len(src), 16*(1<<32-int(uint32(low))))
	if decrypt {
		ccmOpenZvksed(&k.Forward, mac, counter, &dst[0], &src[0], n)
	} else {
		ccmSealZvksed(&k.Forward, mac, counter, &dst[0], &src[0], n)
	}
	binary.BigEndian.PutUint64(counter[8:], low+uint64(n/16))
	return n
}

// CTRZvksed adds keystream to src, at least one byte, and advances the 128-bit counter, which
// is public. Unused keystream of the last block goes to the same offsets in rest, which may
// be nil if src is whole blocks.
func CTRZvksed(k *PairZvksed, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	low := binary.BigEndian.Uint32(counter[12:])
	if uint64(low)+uint64(len(src)+15)/16 < 1<<32 {
		ctrFromZvksed(k, counter, low, dst, src, rest)
		return
	}
	for len(src) > 0 {
		low = binary.BigEndian.Uint32(counter[12:])
		n := min(len(src), 16*(1<<32-int(low)))
		if ctrFromZvksed(k, counter, low, dst[:n], src[:n], rest) == 0 {
			carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// CTR32Zvksed is like CTRZvksed with the counter of GCM: only the last 32 bits count. Its
// time does not depend on the counter.
func CTR32Zvksed(k *PairZvksed, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	if len(src) == 0 {
		return
	}
	ctrFromZvksed(k, counter, binary.BigEndian.Uint32(counter[12:]), dst, src, rest)
}

// ctrFromZvksed is CTR32Zvksed, given the last 32 bits of the counter. It returns them as they are afterwards.
func ctrFromZvksed(k *PairZvksed, counter *[16]byte, low uint32, dst, src []byte, rest *[16]byte) uint32 {
	var unused *byte
	if tail := len(src) % 16; tail != 0 {
		unused = &rest[tail]
	}
	ctrZvksed(&k.Forward, counter, &dst[0], &src[0], len(src), unused)
	low += uint32((len(src) + 15) / 16)
	binary.BigEndian.PutUint32(counter[12:], low)
	return low
}

// XTSZvksed encrypts or decrypts whole blocks, at least one, from the encrypted tweak on. tweak becomes that of the block after them. gb is for tweaks as in GB/T 17964. It needs Zvkg,
// too, and registers of at most 64 bytes.
func XTSZvksed(k *PairZvksed, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	words := k.direction(decrypt)
	if gb {
		xtsGBZvksed(words, tweak, &dst[0], &src[0], len(src))
	} else {
		xtsZvksed(words, tweak, &dst[0], &src[0], len(src))
	}
}

// XTSShiftsZvksed is XTSZvksed without Zvkg, and for registers of at most MaxShifts bytes.
func XTSShiftsZvksed(k *PairZvksed, tweak *[16]byte, dst, src []byte, gb, decrypt bool) {
	words := k.direction(decrypt)
	if gb {
		xtsGBShiftsZvksed(words, tweak, &dst[0], &src[0], len(src))
	} else {
		xtsShiftsZvksed(words, tweak, &dst[0], &src[0], len(src))
	}
}

// MaxShifts is the size of registers in bytes with which XTSShiftsZvksed works.
const MaxShifts = 128
