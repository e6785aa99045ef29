//go:build amd64 && !purego

package amd64

import (
	"encoding/binary"
	"math/bits"
)

// The family VAES256 needs AVX2, AES-NI, and the VEX forms of VAES and VPCLMULQDQ.
// It does not use AVX-512.

// EncryptBlocksVAES256 encrypts whole blocks, at least one.
//
//go:noescape
//ct:secret k dst src
//ct:public k.Rounds
func EncryptBlocksVAES256(k *Keys, dst, src []byte)

// DecryptBlocksVAES256 decrypts whole blocks, at least one.
//
//go:noescape
//ct:secret k dst src
//ct:public k.Rounds
func DecryptBlocksVAES256(k *Keys, dst, src []byte)

// CBCDecryptVAES256 decrypts whole blocks, at least one; iv becomes the last
// ciphertext block.
//
//go:noescape
//ct:secret k iv dst src
//ct:public k.Rounds
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
func ctrVAES256(k *Keys, hi, lo uint64, dst, src *byte, n int, rest *[16]byte)

// XTSEncryptVAES256 encrypts whole blocks, at least one, from the encrypted tweak
// on. tweak becomes that of the block after them.
//
//go:noescape
//ct:secret k tweak dst src
//ct:public k.Rounds
func XTSEncryptVAES256(k *Keys, tweak *[16]byte, dst, src []byte)

// XTSDecryptVAES256 is the inverse of XTSEncryptVAES256.
//
//go:noescape
//ct:secret k tweak dst src
//ct:public k.Rounds
func XTSDecryptVAES256(k *Keys, tweak *[16]byte, dst, src []byte)

// SealVAES256 encrypts src and sets m.Y to the tag. The last entries of h are H^16 to
// H^1, and the 16 entries before are the sums of their halves.
func SealVAES256(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	hi, first := binary.BigEndian.Uint64(m.J0[:]), binary.BigEndian.Uint64(m.J0[8:])
	lo := plus32(first, 1)
	for len(src) >= 16*16 {
		n := min(len(src)&^(16*16-1), 64<<10)
		sealVAES256(k, h, hi, lo, &m.Y, &dst[0], &src[0], n)
		lo = plus32(lo, n/16)
		dst, src = dst[n:], src[n:]
	}
	if len(src) == 0 {
		sealTailVAES256(k, h, hi, first, lo, &m.Y, &m.Lens, &m.Y[0], &m.Y[0], 0)
		return
	}
	sealTailVAES256(k, h, hi, first, lo, &m.Y, &m.Lens, &dst[0], &src[0], len(src))
}

// OpenVAES256 is like SealVAES256, with the ciphertext in src.
func OpenVAES256(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	hi, first := binary.BigEndian.Uint64(m.J0[:]), binary.BigEndian.Uint64(m.J0[8:])
	lo := plus32(first, 1)
	for len(src) >= 16*16 {
		n := min(len(src)&^(16*16-1), 64<<10)
		openVAES256(k, h, hi, lo, &m.Y, &dst[0], &src[0], n)
		lo = plus32(lo, n/16)
		dst, src = dst[n:], src[n:]
	}
	if len(src) == 0 {
		openTailVAES256(k, h, hi, first, lo, &m.Y, &m.Lens, &m.Y[0], &m.Y[0], 0)
		return
	}
	openTailVAES256(k, h, hi, first, lo, &m.Y, &m.Lens, &dst[0], &src[0], len(src))
}

//go:noescape
//ct:secret k h hi lo y dst src
//ct:public k.Rounds
func sealVAES256(k *Keys, h *[64][16]byte, hi, lo uint64, y *[16]byte, dst, src *byte, n int)

//go:noescape
//ct:secret k h hi j0 lo y dst src
//ct:public k.Rounds lens
func sealTailVAES256(k *Keys, h *[64][16]byte, hi, j0, lo uint64, y, lens *[16]byte, dst, src *byte, n int)

//go:noescape
//ct:secret k h hi lo y dst src
//ct:public k.Rounds
func openVAES256(k *Keys, h *[64][16]byte, hi, lo uint64, y *[16]byte, dst, src *byte, n int)

//go:noescape
//ct:secret k h hi j0 lo y dst src
//ct:public k.Rounds lens
func openTailVAES256(k *Keys, h *[64][16]byte, hi, j0, lo uint64, y, lens *[16]byte, dst, src *byte, n int)
