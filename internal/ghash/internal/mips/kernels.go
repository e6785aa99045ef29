//go:build (mips || mipsle || mips64 || mips64le) && !purego

// Package mips has the GHASH kernels for MIPS32 and MIPS64 of release 2 to 5, big- and
// little-endian.
package mips

import (
	"runtime"
	"unsafe"
)

const (
	blockSize = 16
	wordSize  = unsafe.Sizeof(uint(0))
)

// UpdateMIPSR2 continues the hash y over p, at least one byte, as if the last block were padded
// with zeros.
func UpdateMIPSR2(t *Powers, y *[blockSize]byte, p []byte) { update(t, y, p, false) }

// UpdateReversedMIPSR2 is UpdateMIPSR2 with the bytes of the hash and of every block in reverse
// order: POLYVAL of RFC 8452, appendix A.
func UpdateReversedMIPSR2(t *Powers, y *[blockSize]byte, p []byte) { update(t, y, p, true) }

// aligned reports whether words can be loaded at p: Linux emulates misaligned loads.
func aligned(p *byte) bool { return uintptr(unsafe.Pointer(p))%wordSize == 0 }

func update(t *Powers, y *[blockSize]byte, p []byte, reversed bool) {
	if aligned(&y[0]) {
		updateWords(t, &y[0], p, reversed)
		return
	}
	var hash [blockSize / wordSize]uint
	h := (*[blockSize]byte)(unsafe.Pointer(&hash))
	*h = *y
	updateWords(t, &h[0], p, reversed)
	*y = *h
	clear(hash[:])
	runtime.KeepAlive(&hash)
}

func updateWords(t *Powers, y *byte, p []byte, reversed bool) {
	whole, all := len(p)&^(blockSize-1), len(p)
	switch {
	case whole == 0:
	case aligned(&p[0]):
		updateBlocks(t, y, &p[0], whole, all, reversed)
	default:
		updateCopied(t, y, p[:whole], all, reversed)
	}
	if whole < len(p) {
		var last [blockSize / wordSize]uint
		copy((*[blockSize]byte)(unsafe.Pointer(&last))[:], p[whole:])
		updateBlocks(t, y, (*byte)(unsafe.Pointer(&last)), blockSize, all, reversed)
		clear(last[:])
		runtime.KeepAlive(&last)
	}
}

func updateCopied(t *Powers, y *byte, p []byte, all int, reversed bool) {
	var copied [512 / wordSize]uint
	b := (*[512]byte)(unsafe.Pointer(&copied))
	for len(p) > 0 {
		n := copy(b[:], p)
		updateBlocks(t, y, &b[0], n, all, reversed)
		p = p[n:]
	}
	clear(copied[:])
	runtime.KeepAlive(&copied)
}
