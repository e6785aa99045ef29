//go:build arm && !purego

// Package arm has the SM4 kernels for 32-bit Arm.
package arm

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// Keys are round keys as planes of bits: plane b has bit b of each byte, as 0 or 0xff.
type Keys [32][8][16]byte

// pass is the number of bytes that the kernel processes.
const pass = 512

// Expand makes round keys of those of the portable driver.
func Expand(k *Keys, words *[32]uint32) { expandNEON(&k[0][0][0], &words[0]) }

// A buffer is memory for a pass. It is of words, because Go clears arrays of bytes byte by byte.
type buffer [pass / 4]uint32

func (b *buffer) bytes() *[pass]byte { return (*[pass]byte)(unsafe.Pointer(b)) }

func (b *buffer) wipe() {
	*b = buffer{}
	runtime.KeepAlive(b)
}

// zeros is what is added to blocks in modes that add nothing. Nobody writes it.
var zeros [pass]byte

// crypt processes a pass. src is read before dst is written. with may be dst.
func (k *Keys) crypt(dst, src, with *[pass]byte, decrypt bool) {
	if decrypt {
		cryptNEON(&k[31][0][0], -128-96, &dst[0], &src[0], &with[0])
	} else {
		cryptNEON(&k[0][0][0], 32, &dst[0], &src[0], &with[0])
	}
}

// EncryptBlocksNEON encrypts whole blocks, at least one.
func EncryptBlocksNEON(k *Keys, dst, src []byte) { k.blocks(dst, src, false) }

// DecryptBlocksNEON decrypts whole blocks, at least one.
func DecryptBlocksNEON(k *Keys, dst, src []byte) { k.blocks(dst, src, true) }

func (k *Keys) blocks(dst, src []byte, decrypt bool) {
	for ; len(src) >= pass; dst, src = dst[pass:], src[pass:] {
		k.crypt((*[pass]byte)(dst), (*[pass]byte)(src), &zeros, decrypt)
	}
	if len(src) > 0 {
		var memory buffer
		b := memory.bytes()
		copy(b[:], src)
		k.crypt(b, b, &zeros, decrypt)
		copy(dst, b[:len(src)])
		memory.wipe()
	}
}

// CBCDecryptNEON decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptNEON(k *Keys, iv *[16]byte, dst, src []byte) {
	var memory, more buffer
	b, before := memory.bytes(), more.bytes()
	for len(src) > 0 {
		n := min(len(src), pass)
		copy(before[:], iv[:])
		copy(before[16:], src[:n])
		*iv = [16]byte(src[n-16:])
		if n == pass {
			k.crypt((*[pass]byte)(dst), (*[pass]byte)(src), before, true)
		} else {
			copy(b[:], src)
			k.crypt(b, b, before, true)
			copy(dst, b[:n])
		}
		dst, src = dst[n:], src[n:]
	}
	memory.wipe()
	more.wipe()
}

// CTRNEON adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest, which may be
// nil if src is whole blocks.
func CTRNEON(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	for len(src) > 0 {
		n := int(min(uint64(len(src)), 16*(1<<32-uint64(binary.BigEndian.Uint32(counter[12:])))))
		CTR32NEON(k, counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			for i := 11; i >= 0; i-- {
				if counter[i]++; counter[i] != 0 {
					break
				}
			}
		}
		dst, src = dst[n:], src[n:]
	}
}

// CTR32NEON is like CTRNEON with the counter of GCM: only the last 32 bits count, and they wrap
// around without a carry. Its time does not depend on the counter.
func CTR32NEON(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	var words, memory buffer // counters, data
	counters, b := words.bytes(), memory.bytes()
	w0, w1, w2 := binary.LittleEndian.Uint32(counter[0:]), binary.LittleEndian.Uint32(counter[4:]), binary.LittleEndian.Uint32(counter[8:])
	for i := 0; i < len(words); i += 4 {
		words[i], words[i+1], words[i+2] = w0, w1, w2
	}
	c := binary.BigEndian.Uint32(counter[12:])
	for len(src) > 0 {
		n := min(len(src), pass)
		for i := 3; i < len(words); i += 4 {
			words[i] = bits.ReverseBytes32(c + uint32(i)/4)
		}
		if n == pass {
			k.crypt((*[pass]byte)(dst), counters, (*[pass]byte)(src), false)
		} else {
			clear(b[copy(b[:], src):])
			k.crypt(b, counters, b, false)
			copy(dst, b[:n])
			if n%16 != 0 {
				copy(rest[n%16:], b[n:])
			}
		}
		c += uint32(n+15) / 16
		dst, src = dst[n:], src[n:]
	}
	binary.BigEndian.PutUint32(counter[12:], c)
	words.wipe()
	memory.wipe()
}
