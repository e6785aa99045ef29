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

// maxPass is how much one call of a kernel processes: the runtime cannot preempt it.
const maxPass = 64 << 10

// SealSM4 encrypts src, of any length, and sets m.Y to the tag.
func SealSM4(k *KeysSM4, h *Powers, m *Message, dst, src []byte) {
	blocks := 0
	for ; len(src) > maxPass; blocks += maxPass / 16 {
		sealSM4(k, h, m, &dst[0], &src[0], maxPass, blocks, true)
		dst, src, m.Pending = dst[maxPass:], src[maxPass:], false
	}
	sealSM4(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), blocks, false)
}

// OpenSM4 is like SealSM4, with the ciphertext in src.
func OpenSM4(k *KeysSM4, h *Powers, m *Message, dst, src []byte) {
	blocks := 0
	for ; len(src) > maxPass; blocks += maxPass / 16 {
		openSM4(k, h, m, &dst[0], &src[0], maxPass, blocks, true)
		dst, src, m.Pending = dst[maxPass:], src[maxPass:], false
	}
	openSM4(k, h, m, unsafe.SliceData(dst), unsafe.SliceData(src), len(src), blocks, false)
}
