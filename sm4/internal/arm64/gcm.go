//go:build arm64 && !purego

package arm64

import "unsafe"

// Powers are the powers of the hash key, as package ghash has them.
type Powers = [12][16]byte

// A Message is that of package ghash, but for its first field.
type Message struct {
	J0, Y, Lens [16]byte
	Pending     bool
}

// MaxPass is how much [SealSM4] and [OpenSM4] process: the runtime cannot preempt them.
const MaxPass = 64 << 10

// SealSM4 encrypts src, at most MaxPass bytes, and sets m.Y to the tag.
func SealSM4(k *KeysSM4, h *Powers, m *Message, dst, src []byte) {
	sealSM4(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), 0, false)
}

// OpenSM4 is like SealSM4, with the ciphertext in src.
func OpenSM4(k *KeysSM4, h *Powers, m *Message, dst, src []byte) {
	openSM4(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), 0, false)
}

// SealLongSM4 is SealSM4 for any length.
func SealLongSM4(k *KeysSM4, h *Powers, m *Message, dst, src []byte) {
	blocks := 0
	for ; len(src) > MaxPass; blocks += MaxPass / 16 {
		sealSM4(k, h, m, &dst[0], &src[0], MaxPass, blocks, true)
		dst, src, m.Pending = dst[MaxPass:], src[MaxPass:], false
	}
	sealSM4(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), blocks, false)
}

// OpenLongSM4 is OpenSM4 for any length.
func OpenLongSM4(k *KeysSM4, h *Powers, m *Message, dst, src []byte) {
	blocks := 0
	for ; len(src) > MaxPass; blocks += MaxPass / 16 {
		openSM4(k, h, m, &dst[0], &src[0], MaxPass, blocks, true)
		dst, src, m.Pending = dst[MaxPass:], src[MaxPass:], false
	}
	openSM4(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), blocks, false)
}
