//go:build arm64 && !purego

package arm64

import "runtime"

// FirstNEON is how many blocks UpdateNEON hashes with the powers that InitNEON computes.
const FirstNEON = 7

// PowersNEON are the powers of the hash key, H^8 to H^1, times x, as rotations of their
// words and of sums of these.
type PowersNEON = [72][16]byte

// InitNEON computes the powers 1 to 4 of the hash key h.
func InitNEON(t *PowersNEON, h *[16]byte) { initNEON(t, &h[0]) }

// ExtendNEON computes the powers 5 to 8, which UpdateNEON needs for eight blocks or more.
func ExtendNEON(t *PowersNEON) { extendNEON(t) }

// UpdateNEON continues the hash y over p, at least one byte, as if the last block were
// padded with zeros.
func UpdateNEON(t *PowersNEON, y *[16]byte, p []byte) {
	whole := len(p) &^ 15
	if whole > 0 {
		updateNEON(t, &y[0], &p[0], whole)
	}
	if whole < len(p) {
		var block [16]byte
		copy(block[:], p[whole:])
		updateNEON(t, &y[0], &block[0], 16)
		clear(block[:])
		runtime.KeepAlive(&block)
	}
}

// UpdateReversedNEON is UpdateNEON with the bytes of the hash and of every block in
// reverse order: POLYVAL of RFC 8452, appendix A.
func UpdateReversedNEON(t *PowersNEON, y *[16]byte, p []byte) {
	whole := len(p) &^ 15
	if whole > 0 {
		updateReversedNEON(t, &y[0], &p[0], whole)
	}
	if whole < len(p) {
		var block [16]byte
		copy(block[:], p[whole:])
		updateReversedNEON(t, &y[0], &block[0], 16)
		clear(block[:])
		runtime.KeepAlive(&block)
	}
}
