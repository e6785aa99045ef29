//go:build amd64 && !purego

package amd64

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
)

// The kernels for AVX2 and for AES-NI accept only certain numbers of blocks: 1, 8, 16, 32
// and multiples of 64, and with AES-NI also 4. The remaining blocks go through a buffer
// that is filled up to the next such number; 8 blocks take no longer than 5. The
// kernels with the SM4 instructions accept any number.

// A family has the kernels to call. The families share the code of the methods.
type family uint8

const (
	gfniAVX2 family = iota
	aesni
	aesniAVX2
	sm4niAVX2
)

const noFamily = "sm4: no such kernels"

// wide is the input, in bytes, that fills the widest kernels.
const wide = 64 * 16

// up rounds n, at most 64, up to a number of blocks that the kernels accept.
func (f family) up(n int) int {
	switch {
	case n <= 1:
		return 1
	case f == sm4niAVX2:
		return n
	case n <= 4 && (f == aesni || f == aesniAVX2):
		return 4
	case n <= 8:
		return 8
	case n <= 16:
		return 16
	case n <= 32:
		return 32
	default:
		return 64
	}
}

const (
	forward  = 1  // encrypt
	backward = -1 // decrypt
)

// blocks processes n blocks, a number that the kernels accept.
func (f family) blocks(k *Keys, step int, dst, src []byte, n int) {
	switch f {
	case gfniAVX2:
		blocksGFNIAVX2(k, step, &dst[0], &src[0], n)
	case aesni:
		blocksAESNI(k, step, &dst[0], &src[0], n)
	case aesniAVX2:
		blocksAESNIAVX2(k, step, &dst[0], &src[0], n)
	case sm4niAVX2:
		blocksSM4NIAVX2(k, step, &dst[0], &src[0], n)
	default:
		panic(noFamily)
	}
}

// ecb processes any number of blocks.
func (f family) ecb(k *Keys, step int, dst, src []byte) {
	if n := len(src) &^ (wide - 1); n > 0 {
		f.blocks(k, step, dst, src, n/16)
		dst, src = dst[n:], src[n:]
	}
	switch n := len(src) / 16; {
	case n == 0:
	case n == f.up(n):
		f.blocks(k, step, dst, src, n)
	case n <= 8:
		var buf [8 * 16]byte
		f.padded(k, step, dst, src, buf[:])
	default:
		var buf [wide]byte
		f.padded(k, step, dst, src, buf[:])
	}
}

func (f family) padded(k *Keys, step int, dst, src, buf []byte) {
	n := copy(buf, src)
	f.blocks(k, step, buf, buf, f.up(n/16))
	copy(dst, buf[:n])
	clear(buf)
}

func (f family) cbcDecrypt(k *Keys, iv *[16]byte, dst, src []byte) {
	if n := len(src) &^ (wide - 1); n > 0 {
		switch f {
		case gfniAVX2:
			cbcDecryptGFNIAVX2(k, iv, &dst[0], &src[0], n/16)
		case aesni: // a kernel would save one instruction in 13
			var buf, before [wide]byte
			for i := 0; i < n; i += wide {
				f.cbcDecryptTail(k, iv, dst[i:i+wide], src[i:i+wide], buf[:], before[:])
			}
		case aesniAVX2:
			cbcDecryptAESNIAVX2(k, iv, &dst[0], &src[0], n/16)
		default:
			panic(noFamily)
		}
		dst, src = dst[n:], src[n:]
	}
	switch n := len(src) / 16; {
	case n == 0:
	case n <= 8:
		var buf, before [8 * 16]byte
		f.cbcDecryptTail(k, iv, dst, src, buf[:], before[:])
	default:
		var buf, before [wide]byte
		f.cbcDecryptTail(k, iv, dst, src, buf[:], before[:])
	}
}

// cbcDecryptTail decrypts src in buf. before is memory for what is added to the
// decrypted blocks: the previous ciphertext block and all of src except its last
// block. dst may be src.
func (f family) cbcDecryptTail(k *Keys, iv *[16]byte, dst, src, buf, before []byte) {
	n := copy(buf, src)
	copy(before, iv[:])
	copy(before[16:], src[:n-16])
	copy(iv[:], src[n-16:])
	f.blocks(k, backward, buf, buf, f.up(n/16))
	subtle.XORBytes(dst, buf[:n], before[:n])
	clear(buf)
}

// ctr is counter mode with a counter of 128 bits. The kernels count modulo 2^32:
// blocks around a carry out of the low 32 bits are processed one by one.
func (f family) ctr(k *Keys, ctr *[16]byte, dst, src []byte, rest *[16]byte) {
	for {
		toCarry := 16 * (1<<32 - int64(binary.BigEndian.Uint32(ctr[12:]))) // bytes
		if int64(len(src)) <= toCarry {
			break
		}
		if n := int(toCarry) &^ (wide - 1); n > 0 {
			f.keystream(k, ctr, dst, src, n/16)
			count(ctr, n/16)
			dst, src = dst[n:], src[n:]
			continue
		}
		var block [16]byte
		f.blocks(k, forward, block[:], ctr[:], 1)
		count(ctr, 1)
		n := subtle.XORBytes(dst, src, block[:])
		if n < 16 {
			*rest = block
		}
		clear(block[:])
		dst, src = dst[n:], src[n:]
	}
	n := len(src) &^ (wide - 1)
	if f == sm4niAVX2 && len(src) > 8*16 {
		n = len(src) &^ 15
	}
	if n > 0 {
		f.keystream(k, ctr, dst, src, n/16)
		count(ctr, n/16)
		dst, src = dst[n:], src[n:]
	}
	switch n := len(src); {
	case n == 0:
	case n == 16*f.up(n/16):
		f.keystream(k, ctr, dst, src, n/16)
		count(ctr, n/16)
	case n <= 8*16:
		var buf [8 * 16]byte
		f.ctrTail(k, ctr, dst, src, buf[:], rest)
	default:
		var buf [wide]byte
		f.ctrTail(k, ctr, dst, src, buf[:], rest)
	}
}

func (f family) ctrTail(k *Keys, ctr *[16]byte, dst, src, buf []byte, rest *[16]byte) {
	n := copy(buf, src)
	blocks := (n + 15) / 16
	f.keystream(k, ctr, buf, buf, f.up(blocks))
	count(ctr, blocks)
	copy(dst, buf[:n])
	if n%16 != 0 {
		copy(rest[:], buf[16*(blocks-1):])
	}
	clear(buf)
}

// keystream adds n blocks of keystream, a number that the kernels accept. It counts
// modulo 2^32 and does not change ctr.
func (f family) keystream(k *Keys, ctr *[16]byte, dst, src []byte, n int) {
	switch f {
	case gfniAVX2:
		ctrGFNIAVX2(k, ctr, &dst[0], &src[0], n)
	case aesni:
		ctrAESNI(k, ctr, &dst[0], &src[0], n)
	case aesniAVX2:
		ctrAESNIAVX2(k, ctr, &dst[0], &src[0], n)
	case sm4niAVX2:
		ctrSM4NIAVX2(k, ctr, &dst[0], &src[0], n)
	default:
		panic(noFamily)
	}
}

// count adds n to a counter.
func count(ctr *[16]byte, n int) {
	low, carry := bits.Add64(binary.BigEndian.Uint64(ctr[8:]), uint64(n), 0)
	binary.BigEndian.PutUint64(ctr[8:], low)
	binary.BigEndian.PutUint64(ctr[:], binary.BigEndian.Uint64(ctr[:])+carry)
}

// count32 adds n to the last 32 bits of a counter.
func count32(ctr *[16]byte, n int) {
	binary.BigEndian.PutUint32(ctr[12:], binary.BigEndian.Uint32(ctr[12:])+uint32(n))
}

// gcm encrypts src, or decrypts it if open is set. The keystream of m.J0
// comes before that of the text and is finally added to the hash. m.Lens is hashed
// after the ciphertext.
func (f family) gcm(k *Keys, h *[64][16]byte, m *Message, dst, src []byte, open bool) {
	if len(src) <= 7*16 {
		var buf [9 * 16]byte
		f.gcmIn(buf[:], k, h, m, dst, src, open)
	} else {
		var buf [wide + 16]byte
		f.gcmIn(buf[:], k, h, m, dst, src, open)
	}
}

// gcmIn processes the beginning and the end of the text in buf, which is one block
// longer than the keystream in it.
func (f family) gcmIn(buf []byte, k *Keys, h *[64][16]byte, m *Message, dst, src []byte, open bool) {
	ctr := m.J0
	n := min(len(src), len(buf)-32)
	f.gcmPart(buf, 16, k, h, &ctr, m, dst[:n], src[:n], open, n == len(src))
	mask := [16]byte(buf)
	if n < len(src) {
		dst, src = dst[n:], src[n:]
		n = len(src) &^ (wide - 1)
		f.gcmWide(k, h, &ctr, &m.Y, dst[:n], src[:n], open)
		dst, src = dst[n:], src[n:]
		clear(buf)
		f.gcmPart(buf, 0, k, h, &ctr, m, dst, src, open, true)
	}
	subtle.XORBytes(m.Y[:], m.Y[:], mask[:])
	clear(buf)
	clear(mask[:])
}

// gcmPart processes part of the text at offset lead of buf, which must be zero.
func (f family) gcmPart(buf []byte, lead int, k *Keys, h *[64][16]byte, ctr *[16]byte, m *Message, dst, src []byte, open, last bool) {
	n := lead + copy(buf[lead:], src)
	end := (n + 15) &^ 15
	hashed := end
	if last {
		hashed += 16
	}
	if open {
		if last {
			copy(buf[end:], m.Lens[:])
		}
		f.hash(h, &m.Y, buf[lead:hashed])
	}
	if end > 0 {
		f.keystream(k, ctr, buf, buf, f.up(end/16))
		count32(ctr, end/16)
	}
	copy(dst, buf[lead:n])
	if !open {
		clear(buf[n:end])
		if last {
			copy(buf[end:], m.Lens[:])
		}
		f.hash(h, &m.Y, buf[lead:hashed])
	}
}

// gcmWide processes the number of blocks that the kernels accept, with AES-NI and GFNI
// multiples of 64, in pieces that stay in the L1 cache between encryption and hash.
// Interleaving both in one kernel would gain 3 to 8 percent on Zen 5: not worth the
// code.
func (f family) gcmWide(k *Keys, h *[64][16]byte, ctr, y *[16]byte, dst, src []byte, open bool) {
	for len(src) > 0 {
		n := min(len(src), 4<<10)
		if open {
			f.hash(h, y, src[:n])
		}
		f.keystream(k, ctr, dst, src, n/16)
		count32(ctr, n/16)
		if !open {
			f.hash(h, y, dst[:n])
		}
		dst, src = dst[n:], src[n:]
	}
}

// hash continues the hash y over p, whole blocks. It reads the last 16 entries of the
// table of powers.
func (f family) hash(h *[64][16]byte, y *[16]byte, p []byte) {
	switch f {
	case gfniAVX2, sm4niAVX2:
		ghashVPCLMUL256(h, y, p)
	case aesni, aesniAVX2:
		ghashPCLMUL(h, y, p)
	default:
		panic(noFamily)
	}
}

//go:noescape
//ct:secret t y p
//prove:ghash.update powers=16 sums=1 order=gcm batches=16 n=16,112,512,608
func ghashVPCLMUL256(t *[64][16]byte, y *[16]byte, p []byte)

//go:noescape
//ct:secret t y p
//prove:ghash.update powers=8 sums=1 order=gcm batches=8 n=16,112,256,304
func ghashPCLMUL(t *[64][16]byte, y *[16]byte, p []byte)
