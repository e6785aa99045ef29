//go:build loong64 && !purego

// Package loong64 has the AES kernels for LSX and LASX.
package loong64

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// Keys are the round keys for encryption and decryption, each twice, in the basis of the state but for
// the last ones.
type Keys struct {
	Rounds            int // 10, 12 or 14
	forward, backward [480]byte
}

// Expand makes round keys of their words, columns with the byte of row 0 as the lowest.
func Expand(k *Keys, words []uint32) {
	const constant = 0x63636363 // of the S-box
	k.Rounds = len(words)/4 - 1
	for r := range k.Rounds + 1 {
		for c := range 4 {
			backward := words[4*(k.Rounds-r)+c]
			if r > 0 && r < k.Rounds {
				backward = inverseMixColumn(backward)
			}
			if r < k.Rounds {
				backward ^= constant
			}
			forward := words[4*r+c] // not before a call, for which it would be stored on the stack
			if r > 0 {
				forward ^= constant
			}
			for at := 32*r + 4*c; at < 32*r+32; at += 16 {
				binary.LittleEndian.PutUint32(k.forward[at:], forward)
				binary.LittleEndian.PutUint32(k.backward[at:], backward)
			}
		}
	}
	expandLSX(&k.forward, &k.forward, k.Rounds)
	expandBackLSX(&k.backward, &k.backward, k.Rounds)
}

// inverseMixColumn is that of FIPS 197, 5.3.3.
func inverseMixColumn(w uint32) uint32 {
	w2 := timesX(w)
	w4 := timesX(w2)
	w8 := timesX(w4)
	return w8 ^ w4 ^ w2 ^ bits.RotateLeft32(w8^w2^w, -8) ^ bits.RotateLeft32(w8^w4^w, -16) ^ bits.RotateLeft32(w8^w, -24)
}

// timesX multiplies four elements of the field by x.
func timesX(w uint32) uint32 { return w&0x7f7f7f7f<<1 ^ w>>7&0x01010101*0x1b }

const (
	// size is that of a buffer: whole passes of two groups of blocks.
	size = 512

	// maxChain is the largest number of bytes per call of the kernel of CBC, which takes 20 instructions
	// for each.
	maxChain = 4 << 10
)

// A buffer is memory for passes. It is of words, because Go clears arrays of bytes byte by byte.
type buffer [size / 8]uint64

func (b *buffer) bytes() *[size]byte { return (*[size]byte)(unsafe.Pointer(b)) }

func (b *buffer) wipe() {
	*b = buffer{}
	runtime.KeepAlive(b)
}

// EncryptBlocksLSX encrypts whole blocks, at least one.
func EncryptBlocksLSX(k *Keys, dst, src []byte) { blocks(k, true, dst, src, false) }

// EncryptBlocksLASX encrypts whole blocks, at least one.
func EncryptBlocksLASX(k *Keys, dst, src []byte) { blocks(k, true, dst, src, true) }

// DecryptBlocksLSX decrypts whole blocks, at least one.
func DecryptBlocksLSX(k *Keys, dst, src []byte) { blocks(k, false, dst, src, false) }

// DecryptBlocksLASX decrypts whole blocks, at least one.
func DecryptBlocksLASX(k *Keys, dst, src []byte) { blocks(k, false, dst, src, true) }

// group returns the number of bytes of which kernels process a multiple: for at most 2 blocks LSX is as fast.
func group(n int, lasx bool) (bytes int, wide bool) {
	if lasx && n > 32 {
		return 64, true
	}
	return 32, false
}

// zeros is what is added to blocks in modes that add nothing. Nobody writes it.
var zeros [size]byte

func blocks(k *Keys, encrypt bool, dst, src []byte, lasx bool) {
	for len(src) > 0 {
		n := min(len(src), size)
		crypt(k, encrypt, dst[:n], src[:n], zeros[:], lasx)
		dst, src = dst[n:], src[n:]
	}
}

// crypt processes at most a buffer. src and with may be longer: if they are as long as a buffer, they
// are not copied.
func crypt(k *Keys, encrypt bool, dst, src, with []byte, lasx bool) {
	g, wide := group(len(dst), lasx)
	n := (len(dst) + g - 1) &^ (g - 1)
	if n == len(dst) {
		kernel(k, encrypt, &dst[0], &src[0], &with[0], n, wide)
		return
	}
	var memory, more buffer
	b, c := memory.bytes(), more.bytes()
	copy(b[:n], src)
	copy(c[:n], with)
	kernel(k, encrypt, &b[0], &b[0], &c[0], n, wide)
	copy(dst, b[:])
	memory.wipe()
	more.wipe()
}

func kernel(k *Keys, encrypt bool, dst, src, with *byte, n int, wide bool) {
	switch {
	case encrypt && wide:
		encryptBlocksLASX(&k.forward, k.Rounds, dst, src, with, n/16)
	case encrypt:
		encryptBlocksLSX(&k.forward, k.Rounds, dst, src, with, n/16)
	case wide:
		decryptBlocksLASX(&k.backward, k.Rounds, dst, src, with, n/16)
	default:
		decryptBlocksLSX(&k.backward, k.Rounds, dst, src, with, n/16)
	}
}

// CBCEncryptLSX encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptLSX(k *Keys, iv *[16]byte, dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), maxChain)
		cbcEncryptLSX(&k.forward, k.Rounds, iv, &dst[0], &src[0], n/16)
		dst, src = dst[n:], src[n:]
	}
}

// CBCEncryptLASX is CBCEncryptLSX: a chain has one block at a time.
func CBCEncryptLASX(k *Keys, iv *[16]byte, dst, src []byte) { CBCEncryptLSX(k, iv, dst, src) }

// CBCDecryptLSX decrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCDecryptLSX(k *Keys, iv *[16]byte, dst, src []byte) { cbcDecrypt(k, iv, dst, src, false) }

// CBCDecryptLASX is CBCDecryptLSX with LASX.
func CBCDecryptLASX(k *Keys, iv *[16]byte, dst, src []byte) { cbcDecrypt(k, iv, dst, src, true) }

func cbcDecrypt(k *Keys, iv *[16]byte, dst, src []byte, lasx bool) {
	var memory buffer
	before := memory.bytes()
	for len(src) > 0 {
		n := min(len(src), size)
		copy(before[:], iv[:])
		copy(before[16:], src[:n])
		*iv = [16]byte(src[n-16:])
		crypt(k, false, dst[:n], src[:n], before[:], lasx)
		dst, src = dst[n:], src[n:]
	}
	memory.wipe()
}

// CTRLSX adds keystream to src, at least one byte, and advances the 128-bit counter. Unused
// keystream of the last block goes to the same offsets in rest, which may be nil if src is whole
// blocks.
func CTRLSX(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	ctr(k, counter, dst, src, rest, false)
}

// CTRLASX is CTRLSX with LASX.
func CTRLASX(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	ctr(k, counter, dst, src, rest, true)
}

// CTR32LSX is like CTRLSX with the counter of GCM: only the last 32 bits count, and they wrap
// around without a carry. Its time does not depend on the counter.
func CTR32LSX(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	ctr32(k, counter, dst, src, rest, false)
}

// CTR32LASX is CTR32LSX with LASX.
func CTR32LASX(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	ctr32(k, counter, dst, src, rest, true)
}

func ctr(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte, lasx bool) {
	for len(src) > 0 {
		n := int(min(uint64(len(src)), 16*(1<<32-uint64(binary.BigEndian.Uint32(counter[12:])))))
		ctr32(k, counter, dst[:n], src[:n], rest, lasx)
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

func ctr32(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte, lasx bool) {
	var words, memory buffer // counters, the last bytes
	b := memory.bytes()
	w0, w1 := binary.LittleEndian.Uint64(counter[:]), uint64(binary.LittleEndian.Uint32(counter[8:]))
	c := binary.BigEndian.Uint32(counter[12:])
	for len(src) > 0 {
		n := min(len(src), size)
		g, wide := group(n, lasx)
		padded := (n + g - 1) &^ (g - 1)
		for i := 0; i < padded/8; i += 2 {
			words[i], words[i+1] = w0, w1|uint64(bits.ReverseBytes32(c+uint32(i)/2))<<32
		}
		if n == padded {
			kernel(k, true, &dst[0], &words.bytes()[0], &src[0], n, wide)
		} else {
			clear(b[copy(b[:], src):padded])
			kernel(k, true, &b[0], &words.bytes()[0], &b[0], padded, wide)
			copy(dst[:n], b[:])
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
