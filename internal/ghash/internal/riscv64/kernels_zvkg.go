//go:build riscv64 && !purego

package riscv64

import (
	"runtime"
	"unsafe"
)

// InitZvkg stores the hash key h.
func InitZvkg(t *PowersZBC, h *[16]byte) { *(*[16]byte)(unsafe.Pointer(t)) = *h }

// UpdateZvkg continues the hash y over p, at least one byte, as if the last block were padded
// with zeros.
func UpdateZvkg(t *PowersZBC, y *[16]byte, p []byte) {
	h, whole := (*[16]byte)(unsafe.Pointer(t)), len(p)&^15
	if whole > 0 {
		updateZvkg(h, y, &p[0], whole)
	}
	if whole < len(p) {
		var last [16]byte
		copy(last[:], p[whole:])
		updateZvkg(h, y, &last[0], 16)
		clear(last[:])
		runtime.KeepAlive(&last)
	}
}

// UpdateReversedZvkg is UpdateZvkg with the bytes of the hash and of every block in reverse
// order: POLYVAL of RFC 8452, appendix A.
func UpdateReversedZvkg(t *PowersZBC, y *[16]byte, p []byte) {
	h, whole := (*[16]byte)(unsafe.Pointer(t)), len(p)&^15
	if whole > 0 {
		updateReversedZvkg(h, y, &p[0], whole)
	}
	if whole < len(p) {
		var last [16]byte
		copy(last[:], p[whole:])
		updateReversedZvkg(h, y, &last[0], 16)
		clear(last[:])
		runtime.KeepAlive(&last)
	}
}
