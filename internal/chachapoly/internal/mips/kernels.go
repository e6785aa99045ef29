//go:build (mips || mipsle || mips64 || mips64le) && !purego

package mips

import (
	"runtime"
	"unsafe"
)

const (
	blockSize = 64

	// maxPass is the largest number of bytes per call of a kernel.
	maxPass = 64 << 10
)

// A state is the matrix of RFC 8439, section 2.3, and what prepare makes of it.
type state struct{ words, prepared [16]uint32 }

// XORMIPSR2 sets dst to src XOR the keystream from the initial state on, for at least one byte. The
// counter in the state wraps around at 32 bits; the state is not changed.
func XORMIPSR2(dst, src []byte, initial *[16]uint32) {
	var s state
	s.words = *initial
	prepare(&s)
	if aligned(dst) && aligned(src) {
		for len(src) >= blockSize {
			n := min(len(src), maxPass) &^ (blockSize - 1)
			chacha(&dst[0], &src[0], n, &s)
			dst, src = dst[n:], src[n:]
		}
	}
	if len(src) > 0 {
		xorCopied(dst, src, &s)
	}
	s = state{}
	runtime.KeepAlive(&s)
}

// xorCopied is XORMIPSR2 for text at any address.
func xorCopied(dst, src []byte, s *state) {
	var copied [4 * blockSize / 8]uint64
	b := unsafe.Slice((*byte)(unsafe.Pointer(&copied)), 8*len(copied))
	for len(src) > 0 {
		n := copy(b, src)
		chacha(&b[0], &b[0], (n+blockSize-1)&^(blockSize-1), s)
		copy(dst, b[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(copied[:])
	runtime.KeepAlive(&copied)
}

// BlocksMIPSR2 continues Poly1305 over whole blocks, at least one: h = (h + m + 2^128) r mod
// 2^130-5. h[2] <= 4 before and after, r is clamped.
func BlocksMIPSR2(h *[3]uint64, r *[2]uint64, p []byte) {
	if !aligned(p) {
		blocksCopied(h, r, p)
		return
	}
	for len(p) > 0 {
		n := min(len(p), maxPass)
		blocks(h, r, &p[0], n)
		p = p[n:]
	}
}

// blocksCopied is BlocksMIPSR2 for text at any address.
func blocksCopied(h *[3]uint64, r *[2]uint64, p []byte) {
	var copied [4 * blockSize / 8]uint64
	b := unsafe.Slice((*byte)(unsafe.Pointer(&copied)), 8*len(copied))
	for len(p) > 0 {
		n := copy(b, p)
		blocks(h, r, &b[0], n)
		p = p[n:]
	}
	clear(copied[:])
	runtime.KeepAlive(&copied)
}

// aligned reports whether p, which is not empty, begins at a multiple of the size of a
// register.
func aligned(p []byte) bool {
	return uintptr(unsafe.Pointer(&p[0]))%unsafe.Sizeof(uintptr(0)) == 0
}
