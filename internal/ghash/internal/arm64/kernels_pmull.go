//go:build arm64 && !purego

// Package arm64 has the GHASH kernels for arm64.
package arm64

import (
	"runtime"
	"unsafe"
)

// Powers are the powers of the hash key: H^8, H^7 and the sums of the halves of both, then the
// same of H^6 and H^5, and so on. They are times x, with swapped halves.
type Powers = [12][16]byte

// InitPMULL computes the powers of the hash key h.
func InitPMULL(t *Powers, h *[16]byte) { initPMULL(t, &h[0]) }

// UpdateBlocksPMULL is UpdatePMULL for whole blocks.
func UpdateBlocksPMULL(t *Powers, y *[16]byte, p []byte) {
	updatePMULL(t, &y[0], unsafe.SliceData(p), len(p))
}

// UpdatePMULL continues the hash y over p, at least one byte, as if the last block were
// padded with zeros.
func UpdatePMULL(t *Powers, y *[16]byte, p []byte) {
	whole := len(p) &^ 15
	if whole > 0 {
		updatePMULL(t, &y[0], &p[0], whole)
	}
	if whole < len(p) {
		var block [16]byte
		copy(block[:], p[whole:])
		updatePMULL(t, &y[0], &block[0], 16)
		clear(block[:])
		runtime.KeepAlive(&block)
	}
}

// UpdateReversedPMULL is UpdatePMULL with the bytes of the hash and of every block in
// reverse order: POLYVAL of RFC 8452, appendix A.
func UpdateReversedPMULL(t *Powers, y *[16]byte, p []byte) {
	whole := len(p) &^ 15
	if whole > 0 {
		updateReversedPMULL(t, &y[0], &p[0], whole)
	}
	if whole < len(p) {
		var block [16]byte
		copy(block[:], p[whole:])
		updateReversedPMULL(t, &y[0], &block[0], 16)
		clear(block[:])
		runtime.KeepAlive(&block)
	}
}
