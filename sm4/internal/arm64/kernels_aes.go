//go:build arm64 && !purego

package arm64

import (
	"crypto/subtle"
	"encoding/binary"
	"runtime"
)

// The kernels process 1, 4 or 8 blocks, or groups of 16. Other numbers go through a buffer
// with room for the next such number: 4 blocks take no longer than 2, and 16 take little
// longer than 13.

// Keys are the round keys in the order of encryption, as ExpandAES stores them: byte j of
// a round key, from the most significant one on, in the basis of the kernels.
type Keys [32][4]byte

// group is the number of bytes that the widest kernels process at once.
const group = 16 * 16

// Directions, from one round key to the next.
const (
	forward  = 4  // encrypt
	backward = -4 // decrypt
)

// ExpandAES computes the round keys.
func ExpandAES(k *Keys, key *[16]byte) { expandAES(k, key) }

// EncryptBlocksAES encrypts whole blocks, at least one.
func EncryptBlocksAES(k *Keys, dst, src []byte) { ecb(k, forward, dst, src) }

// DecryptBlocksAES decrypts whole blocks, at least one.
func DecryptBlocksAES(k *Keys, dst, src []byte) { ecb(k, backward, dst, src) }

func ecb(k *Keys, step int, dst, src []byte) {
	if len(src) == 16 {
		block1AES(k, step, &dst[0], &src[0])
		return
	}
	if n := len(src) &^ (group - 1); n > 0 {
		blocks16AES(k, step, &dst[0], &src[0], n/group)
		dst, src = dst[n:], src[n:]
	}
	switch len(src) {
	case 0:
	case 4 * 16:
		blocks4AES(k, step, &dst[0], &src[0])
	case 8 * 16:
		blocks8AES(k, step, &dst[0], &src[0])
	default:
		var b [group]byte
		n := copy(b[:], src)
		inPlace(k, step, &b, n/16)
		copy(dst, b[:n])
		clear(b[:])
		runtime.KeepAlive(&b)
	}
}

// inPlace processes the first n blocks of b, and perhaps more.
func inPlace(k *Keys, step int, b *[group]byte, n int) {
	switch {
	case n <= 1:
		block1AES(k, step, &b[0], &b[0])
	case n <= 4:
		blocks4AES(k, step, &b[0], &b[0])
	case n <= 8:
		blocks8AES(k, step, &b[0], &b[0])
	case n <= 12:
		blocks8AES(k, step, &b[0], &b[0])
		blocks4AES(k, step, &b[8*16], &b[8*16])
	default:
		blocks16AES(k, step, &b[0], &b[0], 1)
	}
}

// CBCEncryptAES encrypts whole blocks, at least one. iv becomes the last ciphertext block.
func CBCEncryptAES(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptAES(k, iv, &dst[0], &src[0], len(src)/16)
}

// begin returns the length of what comes before whole groups: 1 to 16 blocks.
func begin(n int) int { return (n-1)&(group-1) + 1 }

// CBCDecryptAES decrypts whole blocks, at least one. iv becomes the last ciphertext block.
// The beginning comes last: dst may be src, and each block needs the ciphertext before it.
func CBCDecryptAES(k *Keys, iv *[16]byte, dst, src []byte) {
	n := begin(len(src))
	last := [16]byte(src[len(src)-16:])
	if len(src) > n {
		xor16AES(k, backward, &dst[n], &src[n], &src[n-16], (len(src)-n)/group)
	}
	var b [group]byte
	copy(b[:], src[:n])
	inPlace(k, backward, &b, n/16)
	subtle.XORBytes(b[:], b[:16], iv[:])
	subtle.XORBytes(b[16:], b[16:n], src)
	copy(dst, b[:n])
	*iv = last
	clear(b[:])
	runtime.KeepAlive(&b)
}

// CFBDecryptAES decrypts the whole blocks at the beginning of src, at least one, and
// returns their length. iv becomes the last of these ciphertext blocks. The beginning
// comes last, as in CBCDecryptAES.
func CFBDecryptAES(k *Keys, iv *[16]byte, dst, src []byte) int {
	whole := len(src) &^ 15
	n := begin(whole)
	last := [16]byte(src[whole-16:])
	if whole > n {
		xor16AES(k, forward, &dst[n], &src[n-16], &src[n], (whole-n)/group)
	}
	var b [group]byte
	copy(b[:], iv[:])
	copy(b[16:], src[:n-16])
	inPlace(k, forward, &b, n/16)
	subtle.XORBytes(dst, src[:n], b[:])
	*iv = last
	clear(b[:])
	runtime.KeepAlive(&b)
	return whole
}

// CTRAES adds keystream to src, at least one byte, and advances the 128-bit counter.
// Unused keystream of the last block goes to the same offsets in rest, which may be nil if
// src is whole blocks.
func CTRAES(k *Keys, ctr *[16]byte, dst, src []byte, rest *[16]byte) {
	for len(src) > 0 {
		toCarry := 16 * (1<<32 - int64(binary.BigEndian.Uint32(ctr[12:]))) // bytes
		n := int(min(int64(len(src)), toCarry))
		CTR32AES(k, ctr, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(ctr[12:]) == 0 {
			for i := 11; i >= 0; i-- {
				if ctr[i]++; ctr[i] != 0 {
					break
				}
			}
		}
		dst, src = dst[n:], src[n:]
	}
}

// CTR32AES is like CTRAES with the counter of GCM: only the last 32 bits count. Its time
// does not depend on the counter.
func CTR32AES(k *Keys, ctr *[16]byte, dst, src []byte, rest *[16]byte) {
	count := binary.BigEndian.Uint32(ctr[12:])
	if n := len(src) &^ (group - 1); n > 0 {
		ctr16AES(k, ctr, &dst[0], &src[0], n/group)
		count += uint32(n / 16)
		dst, src = dst[n:], src[n:]
	}
	blocks := (len(src) + 15) / 16
	if blocks > 0 {
		var b [group]byte
		for i := range blocks {
			*(*[12]byte)(b[16*i:]) = [12]byte(ctr[:])
			binary.BigEndian.PutUint32(b[16*i+12:], count+uint32(i))
		}
		inPlace(k, forward, &b, blocks)
		if n := subtle.XORBytes(dst, src, b[:]); n%16 != 0 {
			copy(rest[n%16:], b[n:16*blocks])
		}
		clear(b[:])
		runtime.KeepAlive(&b)
	}
	binary.BigEndian.PutUint32(ctr[12:], count+uint32(blocks))
}
