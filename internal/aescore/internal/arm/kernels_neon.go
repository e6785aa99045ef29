//go:build arm && !purego

package arm

import (
	"crypto/subtle"
	"encoding/binary"
	"runtime"
	"unsafe"
)

// The family NEON needs nothing else. It processes eight blocks at a time, also if there are fewer.
const pass = 8 * 16

// A buffer is memory for a pass. It is of words, because Go clears arrays of bytes byte by byte.
type buffer [pass / 4]uint32

func (b *buffer) bytes() *[pass]byte { return (*[pass]byte)(unsafe.Pointer(b)) }

func (b *buffer) wipe() {
	*b = buffer{}
	runtime.KeepAlive(b)
}

// Keys are round keys as planes of bits. Plane b has bit b of the bytes of a key, as 0 or
// 0xff, in the order of rows, but for the first key and the last one. All but the first key have
// the constant of the S-box. With each key come the indices of ShiftRows before it.
type Keys struct {
	Rounds int // 10, 12 or 14
	Last   int // the offset of the last round key
	keys   [15]struct {
		encrypt, decrypt [16]byte
		planes           [8][16]byte
	}
}

// An order says where each byte of a block or plane comes from. A plane has rows.
type order [16]byte

var (
	inBlocks     = newOrder(0, false, false)
	inRows       = newOrder(0, false, true)
	shiftFirst   = newOrder(1, false, true)
	shift        = newOrder(1, true, true)
	shiftLast    = newOrder(1, true, false)
	unshiftFirst = newOrder(3, false, true)
	unshift      = newOrder(3, true, true)
	unshiftLast  = newOrder(3, true, false)
)

// newOrder moves row r by left*r columns. from and to say whether bytes are in the order of rows.
func newOrder(left int, from, to bool) (o order) {
	at := func(row, column int, rows bool) int {
		if rows {
			return 4*row + column
		}
		return 4*column + row
	}
	for row := range 4 {
		for column := range 4 {
			o[at(row, column, to)] = byte(at(row, (column+left*row)%4, from))
		}
	}
	return o
}

// ExpandNEON computes the round keys from the words of the key schedule, which are columns with
// the byte of row 0 as the lowest.
func ExpandNEON(k *Keys, words []uint32) {
	last := len(words)/4 - 1
	k.Rounds, k.Last = last, last*int(unsafe.Sizeof(k.keys[0]))
	for i := range k.keys {
		k.keys[i].encrypt, k.keys[i].decrypt = shift, unshift
	}
	k.keys[1].encrypt, k.keys[last].encrypt = shiftFirst, shiftLast
	k.keys[last-1].decrypt, k.keys[0].decrypt = unshiftFirst, unshiftLast
	const constant = 0x63636363
	expandNEON(&k.keys[0].encrypt[0], &words[0], &inBlocks[0], 0, 1)
	expandNEON(&k.keys[1].encrypt[0], &words[4], &inRows[0], constant, last-1)
	expandNEON(&k.keys[last].encrypt[0], &words[4*last], &inBlocks[0], constant, 1)
}

// EncryptBlocksNEON encrypts whole blocks, at least one.
func EncryptBlocksNEON(k *Keys, dst, src []byte) {
	if n := len(src) &^ (pass - 1); n > 0 {
		encryptBlocksNEON(k, &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		var memory buffer
		b := memory.bytes()
		copy(b[:], src)
		encryptBlocksNEON(k, &b[0], &b[0], pass)
		copy(dst, b[:len(src)])
		memory.wipe()
	}
}

// DecryptBlocksNEON decrypts whole blocks, at least one.
func DecryptBlocksNEON(k *Keys, dst, src []byte) {
	if n := len(src) &^ (pass - 1); n > 0 {
		decryptBlocksNEON(k, &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		var memory buffer
		b := memory.bytes()
		copy(b[:], src)
		decryptBlocksNEON(k, &b[0], &b[0], pass)
		copy(dst, b[:len(src)])
		memory.wipe()
	}
}

// CBCEncryptNEON encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptNEON(k *Keys, iv *[16]byte, dst, src []byte) {
	var memory buffer
	b := memory.bytes()
	x := b[:16]
	copy(x, iv[:])
	for ; len(src) > 0; dst, src = dst[16:], src[16:] {
		subtle.XORBytes(x, x, src)
		encryptBlocksNEON(k, &b[0], &b[0], pass)
		copy(dst, x)
	}
	copy(iv[:], x)
	memory.wipe()
}

// CBCDecryptNEON decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptNEON(k *Keys, iv *[16]byte, dst, src []byte) {
	if n := len(src) &^ (pass - 1); n > 0 {
		cbcDecryptNEON(k, &iv[0], &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		var memory buffer
		b := memory.bytes()
		last := [16]byte(src[len(src)-16:])
		copy(b[:], src)
		cbcDecryptNEON(k, &iv[0], &b[0], &b[0], pass)
		*iv = last
		copy(dst, b[:len(src)])
		memory.wipe()
	}
}

// CTRNEON adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest.
func CTRNEON(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	for len(src) > 0 {
		n := untilCarry(counter, len(src))
		CTR32NEON(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			carry(counter)
		}
		dst, src = dst[n:], src[n:]
	}
}

// untilCarry returns how many of n bytes there are before the last 32 bits of the counter wrap around.
func untilCarry(counter *[16]byte, n int) int {
	return int(min(uint64(n), 16*(1<<32-uint64(binary.BigEndian.Uint32(counter[12:])))))
}

// carry adds 1 to the upper 96 bits of a counter.
func carry(counter *[16]byte) {
	c := uint64(1)
	for i := 8; i >= 0; i -= 4 {
		c += uint64(binary.BigEndian.Uint32(counter[i:]))
		binary.BigEndian.PutUint32(counter[i:], uint32(c))
		c >>= 32
	}
}

// CTR32NEON is like CTRNEON with a counter of 32 bits, which wraps around without
// a carry. src may be empty. Its time does not depend on the counter.
func CTR32NEON(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	if n := len(src) &^ (pass - 1); n > 0 {
		ctrNEON(k, &counter[0], &dst[0], &src[0], n)
		dst, src = dst[n:], src[n:]
	}
	if len(src) == 0 {
		return
	}
	var memory buffer
	b := memory.bytes()
	copy(b[:], src)
	next := binary.BigEndian.Uint32(counter[12:]) + uint32(len(src)+15)/16
	ctrNEON(k, &counter[0], &b[0], &b[0], pass)
	binary.BigEndian.PutUint32(counter[12:], next)
	n := copy(dst, b[:len(src)])
	if n%16 != 0 {
		copy(rest[n%16:], b[n:])
	}
	memory.wipe()
}

// XTSNEON encrypts or decrypts whole blocks, at least one, from the encrypted tweak
// on. tweak becomes that of the block after them.
func XTSNEON(k *Keys, tweak *[16]byte, dst, src []byte, decrypt bool) {
	var ahead buffer
	tweaks := ahead.bytes()
	lo, hi := binary.LittleEndian.Uint64(tweak[:8]), binary.LittleEndian.Uint64(tweak[8:])
	for i := 0; i < len(tweaks); i += 16 {
		binary.LittleEndian.PutUint64(tweaks[i:], lo)
		binary.LittleEndian.PutUint64(tweaks[i+8:], hi)
		lo, hi = lo<<1^-(hi>>63)&0x87, hi<<1|lo>>63
	}
	if n := len(src) &^ (pass - 1); n > 0 {
		xtsPasses(k, tweaks, dst[:n], src[:n], decrypt)
		dst, src = dst[n:], src[n:]
	}
	copy(tweak[:], tweaks[len(src):])
	if len(src) > 0 {
		var memory buffer
		b := memory.bytes()
		copy(b[:], src)
		xtsPasses(k, tweaks, b[:], b[:], decrypt)
		copy(dst, b[:len(src)])
		memory.wipe()
	}
	ahead.wipe()
}

func xtsPasses(k *Keys, tweaks *[pass]byte, dst, src []byte, decrypt bool) {
	if decrypt {
		xtsDecryptNEON(k, &tweaks[0], &dst[0], &src[0], len(src))
	} else {
		xtsEncryptNEON(k, &tweaks[0], &dst[0], &src[0], len(src))
	}
}
