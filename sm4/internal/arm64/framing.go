//go:build arm64 && !purego

package arm64

import (
	"crypto/subtle"
	"encoding/binary"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// The kernels process 1, 4 or 8 blocks, or groups of 16. Other numbers go through a buffer
// with room for the next such number: 4 blocks take no longer than 2, and 16 take little
// longer than 13.

// Keys are the round keys in the order of encryption: byte j of a round key, from the most
// significant one on, in the basis of the kernels.
type Keys [32][4]byte

// group is the number of bytes that the widest kernels process at once.
const group = 16 * 16

// Directions, from one round key to the next.
const (
	forward  = 4  // encrypt
	backward = -4 // decrypt
)

// family identifies the kernels for groups. The families share the code of the methods.
type family uint8

const (
	aes family = iota
	aesSHA3
)

// inOrder is whether the CPU does not reorder instructions. The kernels take two groups in turns if
// they get three or more, which such a CPU cannot profit from: by llvm-mca's model of Cortex-A55 it
// takes 1.27 times as long (docs/speed.md).
var inOrder = cpu.Microarchitecture() == cpu.CortexA55

// atOnce returns how many groups a kernel gets at once.
func atOnce(groups int) int {
	if inOrder {
		return min(groups, 2)
	}
	return groups
}

const noFamily = "sm4: no such kernels"

func (f family) blocks(k *Keys, step int, dst, src []byte, groups int) {
	for groups > 0 {
		n := atOnce(groups)
		switch f {
		case aes:
			blocks16AES(k, step, &dst[0], &src[0], n)
		case aesSHA3:
			blocks16AESSHA3(k, step, &dst[0], &src[0], n)
		default:
			panic(noFamily)
		}
		dst, src, groups = dst[n*group:], src[n*group:], groups-n
	}
}

// xor begins with the last group, as its kernels do.
func (f family) xor(k *Keys, step int, dst, src, with []byte, groups int) {
	for groups > 0 {
		n := atOnce(groups)
		groups -= n
		at := groups * group
		switch f {
		case aes:
			xor16AES(k, step, &dst[at], &src[at], &with[at], n)
		case aesSHA3:
			xor16AESSHA3(k, step, &dst[at], &src[at], &with[at], n)
		default:
			panic(noFamily)
		}
	}
}

func (f family) keystream(k *Keys, ctr *[16]byte, dst, src []byte, groups int) {
	switch f {
	case aes:
		ctr16AES(k, ctr, &dst[0], &src[0], groups)
	case aesSHA3:
		ctr16AESSHA3(k, ctr, &dst[0], &src[0], groups)
	default:
		panic(noFamily)
	}
}

// ecb processes any number of blocks.
func (f family) ecb(k *Keys, step int, dst, src []byte) {
	if len(src) == 16 {
		block1AES(k, step, &dst[0], &src[0])
		return
	}
	if n := len(src) &^ (group - 1); n > 0 {
		f.blocks(k, step, dst, src, n/group)
		dst, src = dst[n:], src[n:]
	}
	switch len(src) {
	case 0:
	case 4 * 16:
		blocks4AES(k, step, &dst[0], &src[0])
	case 5 * 16: // 64 bytes in GCM
		blocks4AES(k, step, &dst[0], &src[0])
		block1AES(k, step, &dst[4*16], &src[4*16])
	case 8 * 16:
		blocks8AES(k, step, &dst[0], &src[0])
	default:
		var b [group]byte
		n := copy(b[:], src)
		f.inPlace(k, step, &b, n/16)
		copy(dst, b[:n])
		clear(b[:])
		runtime.KeepAlive(&b)
	}
}

// inPlace processes the first n blocks of b, and perhaps more.
func (f family) inPlace(k *Keys, step int, b *[group]byte, n int) {
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
		f.blocks(k, step, b[:], b[:], 1)
	}
}

// begin returns the length of what comes before whole groups: 1 to 16 blocks.
func begin(n int) int { return (n-1)&(group-1) + 1 }

// cbcDecrypt processes the beginning last: dst may be src, and each block needs the
// ciphertext before it.
func (f family) cbcDecrypt(k *Keys, iv *[16]byte, dst, src []byte) {
	if len(src) == 4*16 {
		var b [64]byte
		blocks4AES(k, backward, &b[0], &src[0])
		cbcAdd4(&b, iv, (*[64]byte)(dst), (*[64]byte)(src))
		return
	}
	n := begin(len(src))
	last := [16]byte(src[len(src)-16:])
	if len(src) > n {
		f.xor(k, backward, dst[n:], src[n:], src[n-16:], (len(src)-n)/group)
	}
	var b [group]byte
	copy(b[:], src[:n])
	f.inPlace(k, backward, &b, n/16)
	subtle.XORBytes(b[:], b[:16], iv[:])
	subtle.XORBytes(b[16:], b[16:n], src)
	copy(dst, b[:n])
	*iv = last
	clear(b[:])
	runtime.KeepAlive(&b)
}

// cfbDecrypt processes the beginning last, as cbcDecrypt does.
func (f family) cfbDecrypt(k *Keys, iv *[16]byte, dst, src []byte) int {
	whole := len(src) &^ 15
	if whole == 4*16 {
		var b [64]byte
		cfbInput4(&b, iv, (*[64]byte)(src))
		blocks4AES(k, forward, &b[0], &b[0])
		addInput4(&b, (*[64]byte)(dst), (*[64]byte)(src))
		return whole
	}
	n := begin(whole)
	last := [16]byte(src[whole-16:])
	if whole > n {
		f.xor(k, forward, dst[n:], src[n-16:], src[n:], (whole-n)/group)
	}
	var b [group]byte
	copy(b[:], iv[:])
	copy(b[16:], src[:n-16])
	f.inPlace(k, forward, &b, n/16)
	subtle.XORBytes(dst, src[:n], b[:])
	*iv = last
	clear(b[:])
	runtime.KeepAlive(&b)
	return whole
}

// cbcAdd4 adds the blocks before to b, which has been decrypted. dst may be src. It clears b.
func cbcAdd4(b *[64]byte, iv *[16]byte, dst, src *[64]byte) {
	last := [16]byte(src[48:])
	for i := 48; i > 0; i -= 16 {
		xorBlock(dst[i:], b[i:], src[i-16:])
	}
	xorBlock(dst[:], b[:], iv[:])
	*iv = last
	*b = [64]byte{}
	runtime.KeepAlive(b)
}

// cfbInput4 sets b to the blocks that CFB encrypts for src, and iv to the next one.
func cfbInput4(b *[64]byte, iv *[16]byte, src *[64]byte) {
	*(*[16]byte)(b[:]) = *iv
	*(*[48]byte)(b[16:]) = [48]byte(src[:])
	*iv = [16]byte(src[48:])
}

// addInput4 adds b to src and clears b.
func addInput4(b, dst, src *[64]byte) {
	for i := 0; i < 64; i += 16 {
		xorBlock(dst[i:], b[i:], src[i:])
	}
	*b = [64]byte{}
	runtime.KeepAlive(b)
}

// xorBlock is subtle.XORBytes for a block, without a call.
func xorBlock(dst, x, y []byte) {
	d, a, b := (*[16]byte)(dst), (*[16]byte)(x), (*[16]byte)(y)
	lo := binary.LittleEndian.Uint64(a[:8]) ^ binary.LittleEndian.Uint64(b[:8])
	hi := binary.LittleEndian.Uint64(a[8:]) ^ binary.LittleEndian.Uint64(b[8:])
	binary.LittleEndian.PutUint64(d[:8], lo)
	binary.LittleEndian.PutUint64(d[8:], hi)
}

// ctr is counter mode with a counter of 128 bits, which is public.
func (f family) ctr(k *Keys, ctr *[16]byte, dst, src []byte, rest *[16]byte) {
	for len(src) > 0 {
		toCarry := 16 * (1<<32 - int64(binary.BigEndian.Uint32(ctr[12:]))) // bytes
		n := int(min(int64(len(src)), toCarry))
		f.ctr32(k, ctr, dst[:n], src[:n], rest)
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

// ctr32 counts modulo 2^32. The counter may be secret.
func (f family) ctr32(k *Keys, ctr *[16]byte, dst, src []byte, rest *[16]byte) {
	count := binary.BigEndian.Uint32(ctr[12:])
	for len(src) >= group {
		n := atOnce(len(src) / group)
		binary.BigEndian.PutUint32(ctr[12:], count)
		f.keystream(k, ctr, dst, src, n)
		count += uint32(n * group / 16)
		dst, src = dst[n*group:], src[n*group:]
	}
	blocks := (len(src) + 15) / 16
	if blocks > 0 {
		var b [group]byte
		for i := range blocks {
			*(*[12]byte)(b[16*i:]) = [12]byte(ctr[:])
			binary.BigEndian.PutUint32(b[16*i+12:], count+uint32(i))
		}
		f.inPlace(k, forward, &b, blocks)
		if n := subtle.XORBytes(dst, src, b[:]); n%16 != 0 {
			copy(rest[n%16:], b[n:16*blocks])
		}
		clear(b[:])
		runtime.KeepAlive(&b)
	}
	binary.BigEndian.PutUint32(ctr[12:], count+uint32(blocks))
}
