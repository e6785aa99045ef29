//go:build amd64 && !purego

package amd64

import (
	"encoding/binary"
	"math/bits"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// The family GFNI512 needs GFNI, VPCLMULQDQ and AVX-512 (F, BW, VL, VBMI2).

// ExpandGFNI512 computes the round keys.
//
//go:noescape
//ct:secret k key
//prove:sm4.affine
func ExpandGFNI512(k *Keys, key *[16]byte)

// EncryptBlocksGFNI512 encrypts whole blocks, at least one.
func EncryptBlocksGFNI512(k *Keys, dst, src []byte) {
	blocksGFNI512(&k.Words[0], &k.Bytes[0][0], 1, dst, src)
}

// DecryptBlocksGFNI512 decrypts whole blocks, at least one.
func DecryptBlocksGFNI512(k *Keys, dst, src []byte) {
	blocksGFNI512(&k.Words[31], &k.Bytes[31][0], -1, dst, src)
}

// blocksGFNI512 uses the round keys from the given ones on, forwards or backwards.
// Batches of 128 blocks are the fastest; the rest goes to the kernel with the lowest
// latency.
func blocksGFNI512(word, bytes *uint32, direction int, dst, src []byte) {
	n := len(src)
	if n == 16 {
		blocks1GFNI512(bytes, 16*direction, &dst[0], &src[0])
		return
	}
	if n > 1024 {
		n = batchesGFNI512(n)
		blocks128GFNI512(bytes, 16*direction, &dst[0], &src[0], n)
		if n == len(src) {
			return
		}
		dst, src = dst[n:], src[n:]
		n = len(src)
	}
	if n > 256 {
		blocks64GFNI512(bytes, 16*direction, &dst[0], &src[0], n)
	} else {
		blocks16GFNI512(word, 4*direction, &dst[0], &src[0], n)
	}
}

// batchesGFNI512 returns how many of n bytes go to a kernel that processes 2048 bytes
// at a time: all if the remainder is more than 1024 bytes, otherwise all except the
// remainder.
func batchesGFNI512(n int) int {
	if rest := n % 2048; rest <= 1024 {
		return n - rest
	}
	return n
}

//go:noescape
//ct:secret key dst src
//prove:ecb.encrypt keys=sm4-keys-bytes step=16,-16 blocks=1
func blocks1GFNI512(key *uint32, step int, dst, src *byte)

//go:noescape
//ct:secret key dst src
//prove:ecb.encrypt keys=sm4-keys-words step=4 n=16,96,192,240
//prove:ecb.encrypt keys=sm4-keys-words step=-4 n=256
func blocks16GFNI512(key *uint32, step int, dst, src *byte, n int)

//go:noescape
//ct:secret key dst src
//prove:ecb.encrypt keys=sm4-keys-bytes step=16 n=16,96,192,240,272,352,448,496,528,608,704,752,784,864,960,1008
//prove:ecb.encrypt keys=sm4-keys-bytes step=-16 n=1024
func blocks64GFNI512(key *uint32, step int, dst, src *byte, n int)

//go:noescape
//ct:secret key dst src
//prove:ecb.encrypt keys=sm4-keys-bytes stack=8 step=16 n=1040,1120,1216,1264,1296,1376,1472,1520,1552,1632,1728,1776,1808,1888,1984,2032
//prove:ecb.encrypt keys=sm4-keys-bytes stack=16 step=-16 n=4096
func blocks128GFNI512(key *uint32, step int, dst, src *byte, n int)

// CBCEncryptGFNI512 encrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCEncryptGFNI512(k *Keys, iv *[16]byte, dst, src []byte) {
	cbcEncryptGFNI512(&k.Bytes[0][0], iv, &dst[0], &src[0], len(src))
}

// CBCDecryptGFNI512 decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
func CBCDecryptGFNI512(k *Keys, iv *[16]byte, dst, src []byte) {
	n := len(src)
	if n > 1024 {
		n = batchesGFNI512(n)
		cbcDecrypt128GFNI512(&k.Bytes[31][0], iv, &dst[0], &src[0], n)
		if n == len(src) {
			return
		}
		dst, src = dst[n:], src[n:]
		n = len(src)
	}
	if n > 256 {
		cbcDecrypt64GFNI512(&k.Bytes[31][0], iv, &dst[0], &src[0], n)
	} else {
		cbcDecrypt16GFNI512(&k.Words[31], iv, &dst[0], &src[0], n)
	}
}

//go:noescape
//ct:secret key iv dst src
//prove:cbc.encrypt keys=sm4-keys-bytes n=16,32
func cbcEncryptGFNI512(key *uint32, iv *[16]byte, dst, src *byte, n int)

//go:noescape
//ct:secret key dst
//ct:public iv src
//prove:cbc.decrypt keys=sm4-keys-words n=16,96,176,240,256
func cbcDecrypt16GFNI512(key *uint32, iv *[16]byte, dst, src *byte, n int)

//go:noescape
//ct:secret key dst
//ct:public iv src
//prove:cbc.decrypt keys=sm4-keys-bytes n=16,96,176,240,272,352,432,496,528,608,688,752,784,864,944,1008,1024
func cbcDecrypt64GFNI512(key *uint32, iv *[16]byte, dst, src *byte, n int)

//go:noescape
//ct:secret key dst
//ct:public iv src
//prove:cbc.decrypt keys=sm4-keys-bytes stack=8 n=1040,1120,1200,1264,1296,1376,1456,1520,1552,1632,1712,1776,1808,1888,1968,2032,4096
func cbcDecrypt128GFNI512(key *uint32, iv *[16]byte, dst, src *byte, n int)

// CFBDecryptGFNI512 decrypts all whole batches of 2048 bytes and returns the number of
// bytes. iv becomes the last of these ciphertext blocks.
func CFBDecryptGFNI512(k *Keys, iv *[16]byte, dst, src []byte) int {
	n := len(src) &^ 2047
	if n > 0 {
		cfbDecrypt128GFNI512(&k.Bytes[0][0], iv, &dst[0], &src[0], n)
	}
	return n
}

//go:noescape
//ct:secret key dst
//ct:public iv src
//prove:cfb.decrypt keys=sm4-keys-bytes stack=8 n=4096
func cfbDecrypt128GFNI512(key *uint32, iv *[16]byte, dst, src *byte, n int)

// XTSGFNI512 encrypts or decrypts whole blocks, at least one. tweak becomes that of
// the block after them. Tweaks are elements of GF(2^128) in the representation of
// IEEE 1619; their bytes are multiplied by matrix before they are added to the blocks.
// matrix, in the format of the instruction VGF2P8AFFINEQB, must be its own inverse.
func XTSGFNI512(k *Keys, tweak *[16]byte, matrix uint64, dst, src []byte, decrypt bool) {
	word, bytes, direction := &k.Words[0], &k.Bytes[0][0], 1
	if decrypt {
		word, bytes, direction = &k.Words[31], &k.Bytes[31][0], -1
	}
	n := len(src)
	if n > 1024 {
		n = batchesGFNI512(n)
		xts128GFNI512(bytes, 16*direction, tweak, matrix, &dst[0], &src[0], n)
		if n == len(src) {
			return
		}
		dst, src = dst[n:], src[n:]
		n = len(src)
	}
	if n > 256 {
		xts64GFNI512(bytes, 16*direction, tweak, matrix, &dst[0], &src[0], n)
	} else {
		xts16GFNI512(word, 4*direction, tweak, matrix, &dst[0], &src[0], n)
	}
}

//go:noescape
//ct:secret key tweak dst src
//prove:xts.encrypt keys=sm4-keys-words stack=8 step=4 n=16,96,192,240
//prove:xts.encrypt keys=sm4-keys-words order=gb stack=16 step=-4 n=256
func xts16GFNI512(key *uint32, step int, tweak *[16]byte, matrix uint64, dst, src *byte, n int)

//go:noescape
//ct:secret key tweak dst src
//prove:xts.encrypt keys=sm4-keys-bytes stack=8 step=16 n=16,96,192,240,272,352,448,496,528,608,704,752,784,864,960,1008
//prove:xts.encrypt keys=sm4-keys-bytes order=gb stack=16 step=-16 n=1024
func xts64GFNI512(key *uint32, step int, tweak *[16]byte, matrix uint64, dst, src *byte, n int)

//go:noescape
//ct:secret key tweak dst src
//prove:xts.encrypt keys=sm4-keys-bytes stack=8 step=16 n=1040,1120,1216,1264,1296,1376,1472,1520,1552,1632,1728,1776,1808,1888,1984,2032
//prove:xts.encrypt keys=sm4-keys-bytes order=gb stack=16 step=-16 n=4096
func xts128GFNI512(key *uint32, step int, tweak *[16]byte, matrix uint64, dst, src *byte, n int)

// CTRGFNI512 adds keystream to src, at least one byte, and advances the
// 128-bit counter. Unused keystream of the last block goes to the same offsets in
// rest.
func CTRGFNI512(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	hi, lo := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	n := len(src)
	newLo, carry := bits.Add64(lo, uint64(n+15)/16, 0)
	binary.BigEndian.PutUint64(counter[:], hi+carry)
	binary.BigEndian.PutUint64(counter[8:], newLo)
	if n > 1024 {
		n = batchesGFNI512(n)
		ctr128GFNI512(&k.Bytes[0][0], hi, lo, &dst[0], &src[0], n, rest)
		if n == len(src) {
			return
		}
		lo, carry = bits.Add64(lo, uint64(n)/16, 0)
		hi += carry
		dst, src = dst[n:], src[n:]
		n = len(src)
	}
	if n > 256 {
		ctr64GFNI512(&k.Bytes[0][0], hi, lo, &dst[0], &src[0], n, rest)
	} else {
		ctr16GFNI512(&k.Words[0], hi, lo, &dst[0], &src[0], n, rest)
	}
}

//go:noescape
//ct:secret key dst src rest
//prove:ctr keys=sm4-keys-words counter=hi:lo inc=128 sliced=16 left=1000 n=20,65,191,228
//prove:ctr keys=sm4-keys-words counter=hi:lo inc=128 sliced=16 left=4294967304 n=256
//prove:ctr keys=sm4-keys-words counter=hi:lo inc=128 sliced=16 upper=-1,4294967295 left=8 n=256
func ctr16GFNI512(key *uint32, hi, lo uint64, dst, src *byte, n int, rest *[16]byte)

//go:noescape
//ct:secret key dst src rest
//prove:ctr keys=sm4-keys-bytes counter=hi:lo inc=128 stack=8 sliced=64 left=1000 n=20,65,191,228,272,367,448,480,532,577,703,740,784,879,960,992
//prove:ctr keys=sm4-keys-bytes counter=hi:lo inc=128 stack=16 sliced=64 left=8,4294967304 n=1024
func ctr64GFNI512(key *uint32, hi, lo uint64, dst, src *byte, n int, rest *[16]byte)

//go:noescape
//ct:secret key dst src rest
//prove:ctr keys=sm4-keys-bytes counter=hi:lo inc=128 stack=8 sliced=128 left=1000 n=1044,1089,1215,1252,1296,1391,1472,1504,1556,1601,1727,1764,1808,1903,1984
//prove:ctr keys=sm4-keys-bytes counter=hi:lo inc=128 stack=16 sliced=256 left=100,300,400,500 n=4096
func ctr128GFNI512(key *uint32, hi, lo uint64, dst, src *byte, n int, rest *[16]byte)

// CountersGFNI512 adds keystream to src, batches of 2048 bytes, or none. The keystream of block
// j is the encryption of starts[m/128] with m%128 XORed into byte which, where
// m = first + j. first is 0 to 127; if it is not 0, there is one start more than
// batches.
func CountersGFNI512(k *Keys, starts [][16]byte, first, which int, dst, src []byte) {
	if len(src) > 0 {
		counters128GFNI512(&k.Bytes[0][0], &starts[0][0], first, which^3, &dst[0], &src[0], len(src))
	}
}

//go:noescape
//ct:secret key starts dst src
//ct:cases plane=0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15
//prove:counters.ranges keys=sm4-keys-bytes stack=8 first=0,5 which=15 n=4096
//prove:counters.ranges keys=sm4-keys-bytes stack=16 first=127 which=0 n=4096
func counters128GFNI512(key *uint32, starts *byte, first, plane int, dst, src *byte, n int)

// pairsAlone says whether up to 31 blocks are faster as pairs of bytes than byte by byte. A round
// of pairs is a chain of more operations: 14 cycles on Sapphire Rapids, of 18 for single bytes;
// on Zen 5, where logic takes two cycles, 14 by arithmetic, of 11.
var pairsAlone = cpu.Microarchitecture()&cpu.Zen5 == 0

// tailGFNI512 is the number of bytes up to which the kernels for the end of a message multiply
// a Y that is pending.
const tailGFNI512 = 127 * 16

// settleGFNI512 multiplies a Y that is pending by the hash key.
func (m *Message) settleGFNI512(h *[64][16]byte) {
	if m.Pending {
		ghashVPCLMUL256(h, &m.Y, zeros[:])
		m.Pending = false
	}
}

var zeros [16]byte

// SealGFNI512 encrypts src and sets m.Y to the tag.
func SealGFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	gcmGFNI512(k, h, m, dst, src, false)
}

// OpenGFNI512 is like SealGFNI512, with the ciphertext in src.
func OpenGFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	gcmGFNI512(k, h, m, dst, src, true)
}

func gcmGFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src []byte, open bool) {
	next := 1 // the number of the next counter, from J0 on
	if len(src) > tailGFNI512 {
		m.settleGFNI512(h)
		for len(src) >= 2048 {
			n := min(len(src)&^2047, 64<<10)
			if open {
				open128GFNI512(k, h, m, &dst[0], &src[0], n, next)
			} else {
				seal128GFNI512(k, h, m, &dst[0], &src[0], n, next)
			}
			dst, src, next = dst[n:], src[n:], next+n/16
		}
		if len(src) > tailGFNI512 {
			if open {
				open16GFNI512(k, h, m, &dst[0], &src[0], next)
			} else {
				seal16GFNI512(k, h, m, &dst[0], &src[0], next)
			}
			dst, src, next = dst[256:], src[256:], next+16
		}
	}
	to, from, n := &m.Y[0], &m.Y[0], len(src)
	if n > 0 {
		to, from = &dst[0], &src[0]
	}
	switch {
	case n <= 15*16 && open:
		openTail16GFNI512(k, h, m, to, from, n, next)
	case n <= 15*16:
		sealTail16GFNI512(k, h, m, to, from, n, next)
	case n <= 31*16 && pairsAlone && open:
		openTail32GFNI512(k, h, m, to, from, n, next)
	case n <= 31*16 && pairsAlone:
		sealTail32GFNI512(k, h, m, to, from, n, next)
	case n <= 63*16 && open:
		openTail64GFNI512(k, h, m, to, from, n, next)
	case n <= 63*16:
		sealTail64GFNI512(k, h, m, to, from, n, next)
	case n <= 95*16 && open:
		openTail96GFNI512(k, h, m, to, from, n, next)
	case n <= 95*16:
		sealTail96GFNI512(k, h, m, to, from, n, next)
	case open:
		openTail128GFNI512(k, h, m, to, from, n, next)
	default:
		sealTail128GFNI512(k, h, m, to, from, n, next)
	}
}

// The counters of these kernels are m.J0 + next and those after it: inc_32 of NIST SP 800-38D, section 6.2.

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 stack=8 sliced=256 more=1 next=9 n=4096
func seal128GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.seal keys=sm4-keys powers=64 sliced=16 batches=16 more=1 next=9 n=256
func seal16GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 sliced=16 more=0 pending=0 next=9 n=0,20,65,191,228
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 settle=1 sliced=16 more=0 pending=1 next=1 n=100
func sealTail16GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 stack=8 sliced=32 more=0 pending=0 next=9 n=0,20,65,191,228,272,367,448,480
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 settle=1 stack=16 sliced=32 more=0 pending=1 next=1 n=100
func sealTail32GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 stack=8 sliced=64 more=0 pending=0 next=9 n=0,20,65,191,228,272,367,448,480,532,577,703,740,784,879,960,992
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 settle=1 stack=16 sliced=64 more=0 pending=1 next=1 n=100
func sealTail64GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 stack=8 sliced=96 more=0 pending=0 next=9 n=1010,1044,1089,1215,1252,1296,1391,1472,1504
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 settle=1 stack=16 sliced=96 more=0 pending=1 next=1 n=1024
func sealTail96GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 stack=8 sliced=128 more=0 pending=0 next=9 n=1010,1044,1089,1215,1252,1296,1391,1472,1504,1556,1601,1727,1764,1808,1903,1984,2016
//prove:gcm.seal keys=sm4-keys powers=64 batches=64 settle=1 stack=16 sliced=128 more=0 pending=1 next=1 n=1024
func sealTail128GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.open keys=sm4-keys powers=64 batches=64 stack=8 sliced=256 more=1 next=9 n=4096
func open128GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.open keys=sm4-keys powers=64 sliced=16 batches=16 more=1 next=9 n=256
func open16GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.open keys=sm4-keys powers=64 batches=64 sliced=16 more=0 pending=0 next=9 n=0,20,65,191,228
//prove:gcm.open keys=sm4-keys powers=64 batches=64 settle=1 sliced=16 more=0 pending=1 next=1 n=100
func openTail16GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.open keys=sm4-keys powers=64 batches=64 stack=8 sliced=32 more=0 pending=0 next=9 n=0,20,65,191,228,272,367,448,480
//prove:gcm.open keys=sm4-keys powers=64 batches=64 settle=1 stack=16 sliced=32 more=0 pending=1 next=1 n=100
func openTail32GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.open keys=sm4-keys powers=64 batches=64 stack=8 sliced=64 more=0 pending=0 next=9 n=0,20,65,191,228,272,367,448,480,532,577,703,740,784,879,960,992
//prove:gcm.open keys=sm4-keys powers=64 batches=64 settle=1 stack=16 sliced=64 more=0 pending=1 next=1 n=100
func openTail64GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.open keys=sm4-keys powers=64 batches=64 stack=8 sliced=96 more=0 pending=0 next=9 n=1010,1044,1089,1215,1252,1296,1391,1472,1504
//prove:gcm.open keys=sm4-keys powers=64 batches=64 settle=1 stack=16 sliced=96 more=0 pending=1 next=1 n=1024
func openTail96GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public m.Lens m.Pending
//prove:gcm.open keys=sm4-keys powers=64 batches=64 stack=8 sliced=128 more=0 pending=0 next=9 n=1010,1044,1089,1215,1252,1296,1391,1472,1504,1556,1601,1727,1764,1808,1903,1984,2016
//prove:gcm.open keys=sm4-keys powers=64 batches=64 settle=1 stack=16 sliced=128 more=0 pending=1 next=1 n=1024
func openTail128GFNI512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)
