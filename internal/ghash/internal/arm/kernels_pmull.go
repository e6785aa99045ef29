//go:build arm && !purego

package arm

import (
	"encoding/binary"
	"runtime"
)

// PowersPMULL are the powers of the hash key, H^8 to H^1, times x: pairs of powers with the
// upper half first, and the sums of their halves.
type PowersPMULL [4]struct {
	power [2][2]uint64
	sum   [2]uint64
}

// set sets a power.
func (t *PowersPMULL) set(n int, hi, lo uint64) {
	i := 8 - n
	t[i/2].power[i%2] = [2]uint64{hi, lo}
	t[i/2].sum[i%2] = hi ^ lo
}

// InitPMULL computes the powers of the hash key h.
func InitPMULL(t *PowersPMULL, h *[16]byte) {
	hi, lo := timesX(h)
	t.set(1, hi, lo)
	var block, y [16]byte
	for n := 2; n <= 8; n++ {
		clear(y[:])
		binary.BigEndian.PutUint64(block[:], hi)
		binary.BigEndian.PutUint64(block[8:], lo)
		updatePMULL(t, &y[0], &block[0], len(block))
		hi, lo = binary.BigEndian.Uint64(y[:]), binary.BigEndian.Uint64(y[8:])
		t.set(n, hi, lo)
	}
	clear(block[:])
	clear(y[:])
	runtime.KeepAlive(&block)
	runtime.KeepAlive(&y)
}

// UpdatePMULL continues the hash y over p, at least one byte, as if the last block were
// padded with zeros.
func UpdatePMULL(t *PowersPMULL, y *[16]byte, p []byte) {
	n := len(p) &^ 15
	if n > 0 {
		updatePMULL(t, &y[0], &p[0], n)
	}
	if p = p[n:]; len(p) > 0 {
		var b [16]byte
		copy(b[:], p)
		updatePMULL(t, &y[0], &b[0], len(b))
		clear(b[:])
		runtime.KeepAlive(&b)
	}
}

// UpdateReversedPMULL is UpdatePMULL with the bytes of the hash and of every block in
// reverse order: POLYVAL of RFC 8452, appendix A.
func UpdateReversedPMULL(t *PowersPMULL, y *[16]byte, p []byte) {
	n := len(p) &^ 15
	if n > 0 {
		updateReversedPMULL(t, &y[0], &p[0], n)
	}
	if p = p[n:]; len(p) > 0 {
		var b [16]byte
		copy(b[:], p)
		updateReversedPMULL(t, &y[0], &b[0], len(b))
		clear(b[:])
		runtime.KeepAlive(&b)
	}
}
