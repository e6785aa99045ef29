//go:build arm64 && !purego

package arm64

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"
)

// The family Bitslice needs nothing but NEON. It processes eight blocks at a time; for fewer
// than bitsliceMin bytes the family NEON is faster.
const (
	bitslicePass = 8 * 16
	bitsliceMin  = 5 * 16
)

// KeysBitslice are the round keys of both families. Plane b of a round key has bit b of its
// bytes, as 0 or 0xff, and but for the first key the constant of the S-box.
type KeysBitslice struct {
	Keys
	planes [15][8][16]byte
}

// ExpandBitslice computes the round keys of a key of 16, 24 or 32 bytes. The kernel also
// needs them as words, columns with the byte of row 0 as the lowest.
func ExpandBitslice(k *KeysBitslice, key []byte, words []uint32) {
	ExpandNEON(&k.Keys, key)
	expandBitslice(&k.planes[0][0][0], &words[0], k.Rounds)
}

// EncryptBlocksBitslice encrypts whole blocks, at least one.
func EncryptBlocksBitslice(k *KeysBitslice, dst, src []byte) {
	if n := len(src) &^ (bitslicePass - 1); n > 0 {
		encryptBlocksBitslice(k, &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	switch {
	case len(src) >= bitsliceMin:
		var b [bitslicePass]byte
		copy(b[:], src)
		encryptBlocksBitslice(k, &b[0], &b[0], len(b))
		copy(dst, b[:len(src)])
		clear(b[:])
		runtime.KeepAlive(&b)
	case len(src) > 0:
		EncryptBlocksNEON(&k.Keys, dst, src)
	}
}

// DecryptBlocksBitslice decrypts whole blocks, at least one.
func DecryptBlocksBitslice(k *KeysBitslice, dst, src []byte) {
	if n := len(src) &^ (bitslicePass - 1); n > 0 {
		decryptBlocksBitslice(k, &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	switch {
	case len(src) >= bitsliceMin:
		var b [bitslicePass]byte
		copy(b[:], src)
		decryptBlocksBitslice(k, &b[0], &b[0], len(b))
		copy(dst, b[:len(src)])
		clear(b[:])
		runtime.KeepAlive(&b)
	case len(src) > 0:
		DecryptBlocksNEON(&k.Keys, dst, src)
	}
}

// CBCDecryptBitslice decrypts whole blocks, at least one. iv becomes the last ciphertext
// block.
func CBCDecryptBitslice(k *KeysBitslice, iv *[16]byte, dst, src []byte) {
	if n := len(src) &^ (bitslicePass - 1); n > 0 {
		cbcDecryptBitslice(k, &iv[0], &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	switch {
	case len(src) >= bitsliceMin:
		var b [bitslicePass]byte
		last := [16]byte(src[len(src)-16:])
		copy(b[:], src)
		cbcDecryptBitslice(k, &iv[0], &b[0], &b[0], len(b))
		*iv = last
		copy(dst, b[:len(src)])
		clear(b[:])
		runtime.KeepAlive(&b)
	case len(src) > 0:
		CBCDecryptNEON(&k.Keys, iv, dst, src)
	}
}

// CTRBitslice adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRBitslice(k *KeysBitslice, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	if len(src) < bitsliceMin {
		CTRNEON(&k.Keys, counter, dst, src, rest)
		return
	}
	hi, lo := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	next, carry := bits.Add64(lo, uint64(len(src)+15)/16, 0)
	binary.BigEndian.PutUint64(counter[:], hi+carry)
	binary.BigEndian.PutUint64(counter[8:], next)
	if carry != 0 && next != 0 { // next blocks have the higher hi
		n := int(-lo * 16)
		counterMode(k, hi, lo, dst[:n], src[:n], nil, false)
		dst, src = dst[n:], src[n:]
		hi, lo = hi+1, 0
	}
	counterMode(k, hi, lo, dst, src, rest, false)
}

// CTR32Bitslice is like CTRBitslice with a counter of 32 bits, which wraps around without
// a carry. src may be empty. Its time does not depend on the counter.
func CTR32Bitslice(k *KeysBitslice, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	hi, lo := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	binary.BigEndian.PutUint32(counter[12:], uint32(lo)+uint32(len(src)+15)/16)
	counterMode(k, hi, lo, dst, src, rest, true)
}

func counterMode(k *KeysBitslice, hi, lo uint64, dst, src []byte, rest *[16]byte, wraps bool) {
	if n := len(src) &^ (bitslicePass - 1); n > 0 {
		if wraps {
			ctr32Bitslice(k, hi, lo, &dst[0], &src[0], n)
		} else {
			ctrBitslice(k, hi, lo, &dst[0], &src[0], n)
		}
		lo = next(lo, uint64(n/16), wraps)
		dst, src = dst[n:], src[n:]
	}
	if len(src) == 0 {
		return
	}
	var stream [bitslicePass]byte
	if len(src) > bitsliceMin-16 {
		if wraps {
			ctr32Bitslice(k, hi, lo, &stream[0], &stream[0], len(stream))
		} else {
			ctrBitslice(k, hi, lo, &stream[0], &stream[0], len(stream))
		}
	} else {
		n := 0
		for ; n < len(src); n += 16 {
			binary.BigEndian.PutUint64(stream[n:], hi)
			binary.BigEndian.PutUint64(stream[n+8:], next(lo, uint64(n/16), wraps))
		}
		EncryptBlocksNEON(&k.Keys, stream[:n], stream[:n])
	}
	subtle.XORBytes(dst, src, stream[:])
	if used := len(src) % 16; used != 0 {
		copy(rest[used:], stream[len(src):])
	}
	clear(stream[:])
	runtime.KeepAlive(&stream)
}

// next adds n to a counter, of 32 bits if it wraps.
func next(lo, n uint64, wraps bool) uint64 {
	if wraps {
		return lo&^0xffffffff | uint64(uint32(lo)+uint32(n))
	}
	return lo + n
}

// XTSBitslice encrypts or decrypts whole blocks, at least one, from the encrypted tweak
// on. tweak becomes that of the block after them.
func XTSBitslice(k *KeysBitslice, tweak *[16]byte, dst, src []byte, decrypt bool) {
	if len(src) < bitsliceMin {
		XTSNEON(&k.Keys, tweak, dst, src, decrypt)
		return
	}
	var tweaks [bitslicePass]byte
	lo, hi := binary.LittleEndian.Uint64(tweak[:8]), binary.LittleEndian.Uint64(tweak[8:])
	for i := 0; i < len(tweaks); i += 16 {
		binary.LittleEndian.PutUint64(tweaks[i:], lo)
		binary.LittleEndian.PutUint64(tweaks[i+8:], hi)
		lo, hi = lo<<1^-(hi>>63)&0x87, hi<<1|lo>>63
	}
	if n := len(src) &^ (bitslicePass - 1); n > 0 {
		xtsPasses(k, &tweaks, dst[:n], src[:n], decrypt)
		dst, src = dst[n:], src[n:]
	}
	copy(tweak[:], tweaks[len(src):])
	switch {
	case len(src) >= bitsliceMin:
		var b [bitslicePass]byte
		copy(b[:], src)
		xtsPasses(k, &tweaks, b[:], b[:], decrypt)
		copy(dst, b[:len(src)])
		clear(b[:])
		runtime.KeepAlive(&b)
	case len(src) > 0:
		*tweak = [16]byte(tweaks[:])
		XTSNEON(&k.Keys, tweak, dst, src, decrypt)
	}
	clear(tweaks[:])
	runtime.KeepAlive(&tweaks)
}

func xtsPasses(k *KeysBitslice, tweaks *[bitslicePass]byte, dst, src []byte, decrypt bool) {
	if decrypt {
		xtsDecryptBitslice(k, &tweaks[0], &dst[0], &src[0], len(src))
	} else {
		xtsEncryptBitslice(k, &tweaks[0], &dst[0], &src[0], len(src))
	}
}
