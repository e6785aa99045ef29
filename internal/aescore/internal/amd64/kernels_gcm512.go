//go:build amd64 && !purego

package amd64

import "unsafe"

// The GCM kernels of the family VAES512 need VAES, VPCLMULQDQ and AVX-512 (F,
// BW, DQ, VL).

// maxGCM512 is the maximum length for one call of a kernel. It is a multiple of 512.
const maxGCM512 = 64 << 10

// SealVAES512 encrypts src, of any length, with the counters after j0,
// continues the hash y over the ciphertext and lens, and sets y to the tag. If y is
// pending, it is multiplied by H first. h is H^64 to H^1.
func SealVAES512(k *Keys, h *[64][16]byte, j0, y, lens *[16]byte, dst, src []byte, pending bool) {
	done := 0
	if len(src) > maxGCM512 {
		for ; len(src)-done > maxGCM512; done += maxGCM512 {
			sealVAES512(k, h, j0, y, nil, &dst[done], &src[done], maxGCM512, done/16, pending)
			pending = false
		}
		dst, src = dst[done:], src[done:]
	}
	sealVAES512(k, h, j0, y, lens, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), done/16, pending)
}

// OpenVAES512 is like SealVAES512, with the ciphertext in src.
func OpenVAES512(k *Keys, h *[64][16]byte, j0, y, lens *[16]byte, dst, src []byte, pending bool) {
	done := 0
	if len(src) > maxGCM512 {
		for ; len(src)-done > maxGCM512; done += maxGCM512 {
			openVAES512(k, h, j0, y, nil, &dst[done], &src[done], maxGCM512, done/16, pending)
			pending = false
		}
		dst, src = dst[done:], src[done:]
	}
	openVAES512(k, h, j0, y, lens, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), done/16, pending)
}

// The kernels process n bytes of the message, done blocks after its start. If lens is
// nil, these are not the last ones: n must be a multiple of 512 and not 0, and y
// becomes the hash so far.

//go:noescape
//ct:secret k h j0 y dst src
//ct:public k.Rounds lens
func sealVAES512(k *Keys, h *[64][16]byte, j0, y, lens *[16]byte, dst, src *byte, n, done int, pending bool)

//go:noescape
//ct:secret k h j0 y dst src
//ct:public k.Rounds lens
func openVAES512(k *Keys, h *[64][16]byte, j0, y, lens *[16]byte, dst, src *byte, n, done int, pending bool)
