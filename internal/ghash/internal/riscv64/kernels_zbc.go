//go:build riscv64 && !purego

// Package riscv64 has the GHASH kernels for RISC-V.
package riscv64

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

// PowersZBC are the powers of the hash key from H to H^4, times x: words low and high, and
// their sum.
type PowersZBC = [12]uint64

// InitZBC computes the powers of the hash key h.
func InitZBC(t *PowersZBC, h *[16]byte) {
	var power, zero [2]uint64
	y := (*[16]byte)(unsafe.Pointer(&power))
	*y = *h
	for i := range 4 {
		if i > 0 { // the kernel multiplies by the first power
			updateZBC(t, &y[0], (*byte)(unsafe.Pointer(&zero)), 16)
		}
		x := timesX(y)
		t[3*i], t[3*i+1], t[3*i+2] = x[0], x[1], x[0]^x[1]
	}
	clear(power[:])
	runtime.KeepAlive(&power)
}

// timesX multiplies h by x and returns its words low and high.
func timesX(h *[16]byte) [2]uint64 {
	hi, lo := binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])
	carry := uint64(int64(hi) >> 63)
	hi, lo = hi<<1|lo>>63, lo<<1
	return [2]uint64{lo ^ carry&1, hi ^ carry&(0xc2<<56)}
}

// UpdateZBC continues the hash y over p, at least one byte, as if the last block were padded
// with zeros.
func UpdateZBC(t *PowersZBC, y *[16]byte, p []byte) { update(t, y, p, false) }

// UpdateReversedZBC is UpdateZBC with the bytes of the hash and of every block in reverse
// order: POLYVAL of RFC 8452, appendix A.
func UpdateReversedZBC(t *PowersZBC, y *[16]byte, p []byte) { update(t, y, p, true) }

func kernel(t *PowersZBC, y *[2]uint64, p *byte, n int, reversed bool) {
	if reversed {
		updateReversedZBC(t, (*byte)(unsafe.Pointer(y)), p, n)
	} else {
		updateZBC(t, (*byte)(unsafe.Pointer(y)), p, n)
	}
}

// update copies what is not at multiples of 8: some machines emulate such loads.
func update(t *PowersZBC, y *[16]byte, p []byte, reversed bool) {
	if uintptr(unsafe.Pointer(y))%8 == 0 {
		updateWords(t, (*[2]uint64)(unsafe.Pointer(y)), p, reversed)
		return
	}
	var hash [2]uint64
	h := (*[16]byte)(unsafe.Pointer(&hash))
	*h = *y
	updateWords(t, &hash, p, reversed)
	*y = *h
	clear(hash[:])
	runtime.KeepAlive(&hash)
}

func updateWords(t *PowersZBC, y *[2]uint64, p []byte, reversed bool) {
	whole := len(p) &^ 15
	switch {
	case whole == 0:
	case uintptr(unsafe.Pointer(&p[0]))%8 == 0:
		kernel(t, y, &p[0], whole, reversed)
	default:
		updateCopied(t, y, p[:whole], reversed)
	}
	if whole < len(p) {
		var last [2]uint64
		copy((*[16]byte)(unsafe.Pointer(&last))[:], p[whole:])
		kernel(t, y, (*byte)(unsafe.Pointer(&last)), 16, reversed)
		clear(last[:])
		runtime.KeepAlive(&last)
	}
}

func updateCopied(t *PowersZBC, y *[2]uint64, p []byte, reversed bool) {
	var copied [64]uint64
	b := (*[8 * len(copied)]byte)(unsafe.Pointer(&copied))
	for len(p) > 0 {
		n := copy(b[:], p)
		kernel(t, y, &b[0], n, reversed)
		p = p[n:]
	}
	clear(copied[:])
	runtime.KeepAlive(&copied)
}
