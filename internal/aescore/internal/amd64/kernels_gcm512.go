//go:build amd64 && !purego

package amd64

import "unsafe"

// The GCM kernels of the family VAES512 need VAES, VPCLMULQDQ and AVX-512 (F,
// BW, DQ, VL).

// A Message is that of package ghash, but for its first field.
type Message struct {
	J0, Y, Lens [16]byte
	Pending     bool
}

// MaxPass is how much [SealVAES512] and [OpenVAES512] process: the runtime cannot preempt them.
const MaxPass = 64 << 10

// SealVAES512 encrypts src, at most MaxPass bytes, and sets m.Y to the tag. h is H^64 to H^1.
func SealVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	sealVAES512(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), 0, false)
}

// OpenVAES512 is like SealVAES512, with the ciphertext in src.
func OpenVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	openVAES512(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), 0, false)
}

// SealLongVAES512 is SealVAES512 for any length.
func SealLongVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	blocks := 0
	for ; len(src) > MaxPass; blocks += MaxPass / 16 {
		sealVAES512(k, h, m, &dst[0], &src[0], MaxPass, blocks, true)
		dst, src, m.Pending = dst[MaxPass:], src[MaxPass:], false
	}
	sealVAES512(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), blocks, false)
}

// OpenLongVAES512 is OpenVAES512 for any length.
func OpenLongVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src []byte) {
	blocks := 0
	for ; len(src) > MaxPass; blocks += MaxPass / 16 {
		openVAES512(k, h, m, &dst[0], &src[0], MaxPass, blocks, true)
		dst, src, m.Pending = dst[MaxPass:], src[MaxPass:], false
	}
	openVAES512(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), blocks, false)
}

// The kernels process n bytes of the message, done blocks after its start. If there is
// more to come, n must be a multiple of 512 and not 0, and m.Y becomes the hash so far. At the
// start of the message, m.Y is 0 if m.Lens says that there is no data.

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending more
func sealVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, done int, more bool)

//go:noescape
//ct:secret k h m dst src
//ct:public k.Rounds m.Lens m.Pending more
func openVAES512(k *Keys, h *[64][16]byte, m *Message, dst, src *byte, n, done int, more bool)
