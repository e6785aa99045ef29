//go:build amd64 && !purego

package amd64

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The family VAES256 needs AVX2, AES-NI, and the VEX forms of VAES and VPCLMULQDQ.
// It does not use AVX-512.

// EncryptBlocksVAES256 encrypts whole blocks, at least one.
//
//go:noescape
//ct:secret k dst src
//ct:public k.Rounds
//prove:ecb.encrypt keys=aes rounds=10,12,14 n=432
//prove:ecb.encrypt keys=aes rounds=10 n=32,128,608
func EncryptBlocksVAES256(k *Keys, dst, src []byte)

// DecryptBlocksVAES256 decrypts whole blocks, at least one.
//
//go:noescape
//ct:secret k dst src
//ct:public k.Rounds
//prove:ecb.decrypt keys=aes rounds=10,12,14 n=432
//prove:ecb.decrypt keys=aes rounds=10 n=32,128,608
func DecryptBlocksVAES256(k *Keys, dst, src []byte)

// CBCDecryptVAES256 decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
//
//go:noescape
//ct:secret k iv dst src
//ct:public k.Rounds
//prove:cbc.decrypt keys=aes rounds=10,12,14 n=432
//prove:cbc.decrypt keys=aes rounds=10 n=32,128,608
func CBCDecryptVAES256(k *Keys, iv *[16]byte, dst, src []byte)

// CTRVAES256 adds keystream to src, at least one byte, and advances the 128-bit
// counter. Unused keystream of the last block goes to the same offsets in rest.
func CTRVAES256(k *Keys, counter *[16]byte, dst, src []byte, rest *[16]byte) {
	hi, lo := binary.BigEndian.Uint64(counter[:]), binary.BigEndian.Uint64(counter[8:])
	next, carry := bits.Add64(lo, uint64(len(src)+15)/16, 0)
	binary.BigEndian.PutUint64(counter[:], hi+carry)
	binary.BigEndian.PutUint64(counter[8:], next)
	if carry != 0 && next != 0 { // next blocks have the higher hi
		n := int(-lo * 16)
		ctrVAES256(k, hi, lo, &dst[0], &src[0], n, rest)
		dst, src = dst[n:], src[n:]
		hi, lo = hi+1, 0
	}
	ctrVAES256(k, hi, lo, &dst[0], &src[0], len(src), rest)
}

//go:noescape
//ct:secret k hi lo dst src rest
//ct:public k.Rounds
//prove:ctr keys=aes rounds=10,12,14 counter=hi:lo carry=0 n=435
//prove:ctr keys=aes rounds=10 counter=hi:lo carry=0 n=128,132,604,606
func ctrVAES256(k *Keys, hi, lo uint64, dst, src *byte, n int, rest *[16]byte)

// XTSEncryptVAES256 encrypts whole blocks, at least one, from the encrypted tweak
// on. tweak becomes that of the block after them.
//
//go:noescape
//ct:secret k tweak dst src
//ct:public k.Rounds
//prove:xts.encrypt keys=aes rounds=10,12,14 stack=0 n=432
//prove:xts.encrypt keys=aes rounds=10 stack=8,16,24 n=32,128,608
func XTSEncryptVAES256(k *Keys, tweak *[16]byte, dst, src []byte)

// XTSDecryptVAES256 is the inverse of XTSEncryptVAES256.
//
//go:noescape
//ct:secret k tweak dst src
//ct:public k.Rounds
//prove:xts.decrypt keys=aes rounds=10,12,14 stack=0 n=432
//prove:xts.decrypt keys=aes rounds=10 stack=8,16,24 n=32,128,608
func XTSDecryptVAES256(k *Keys, tweak *[16]byte, dst, src []byte)

// SealVAES256 encrypts src and sets m.Y to the tag. The last entries of h are H^16 to
// H^1, and the 16 entries before are the sums of their halves.
func SealVAES256(k *Keys, h *Powers, m *Message, dst, src []byte) {
	gcmVAES256(k, h, m, dst, src, false)
}

// OpenVAES256 is like SealVAES256, with the ciphertext in src.
func OpenVAES256(k *Keys, h *Powers, m *Message, dst, src []byte) {
	gcmVAES256(k, h, m, dst, src, true)
}

func gcmVAES256(k *Keys, h *[64][16]byte, m *Message, dst, src []byte, open bool) {
	next := 1 // the number of the next counter, from J0 on
	for len(src) >= 16*16 {
		n := min(len(src)&^(16*16-1), 64<<10)
		if open {
			openVAES256(k, h, m, &dst[0], &src[0], n, next)
		} else {
			sealVAES256(k, h, m, &dst[0], &src[0], n, next)
		}
		dst, src, next = dst[n:], src[n:], next+n/16
	}
	if open {
		openTailVAES256(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), next)
	} else {
		sealTailVAES256(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), next)
	}
}

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending
//prove:gcm.seal keys=aes rounds=10,12,14 powers=16 sums=1 batches=16 more=1 next=1 n=512
//prove:gcm.seal keys=aes rounds=10 powers=16 sums=1 batches=16 more=1 next=9 n=256,768
func sealVAES256(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending
//prove:gcm.seal keys=aes rounds=10,12,14 powers=16 sums=1 batches=16 more=0 next=3 n=191
//prove:gcm.seal keys=aes rounds=10 powers=16 sums=1 batches=16 more=0 next=1 n=0,1,3,7,20,24,128,240,252
func sealTailVAES256(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending
//prove:gcm.open keys=aes rounds=10,12,14 powers=16 sums=1 batches=16 more=1 next=1 n=512
//prove:gcm.open keys=aes rounds=10 powers=16 sums=1 batches=16 more=1 next=9 n=256,768
func openVAES256(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending
//prove:gcm.open keys=aes rounds=10,12,14 powers=16 sums=1 batches=16 more=0 next=3 n=191
//prove:gcm.open keys=aes rounds=10 powers=16 sums=1 batches=16 more=0 next=1 n=0,1,3,7,20,24,128,240,252
func openTailVAES256(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, next int)
