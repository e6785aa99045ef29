//go:build riscv64 && !purego

// Package rvv has what modes do with bytes on riscv64 with vectors. The CPU must have V. All
// functions run in constant time.
package rvv

import (
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/tweaks"
)

// A Buffer is memory for a part of a message, at a multiple of 8. Arrays of bytes need not
// be, and the compiler sets them to zero byte by byte.
type Buffer [Part / 8]uint64

// Part is the number of bytes of a [Buffer].
const Part = 1024

// Bytes returns the memory.
func (b *Buffer) Bytes() *[Part]byte { return (*[Part]byte)(unsafe.Pointer(b)) }

// Wipe overwrites the memory.
func (b *Buffer) Wipe() {
	clear(b[:])
	runtime.KeepAlive(b)
}

// XOR sets dst to a + b for the length of a. dst may be a or b, but not overlap them otherwise.
func XOR(dst, a, b []byte) {
	if n := len(a); n > 0 {
		xor(&dst[:n][0], &a[0], &b[:n][0], n)
	}
}

// Tweaks sets the first n bytes of b, whole blocks, to tweaks of XTS (IEEE 1619, 5.3), and the
// tweak to the next one. With gb, as in GB/T 17964, the bits of each byte are then
// reversed, but not those of the tweak.
func Tweaks(b *Buffer, tweak *[16]byte, n int, gb bool) {
	if n == 0 {
		return
	}
	p := b.Bytes()[:n]
	*(*[16]byte)(p) = *tweak
	fill(&p[0], (*[16]byte)(p), n/16)
	last := [16]byte(p[n-16:])
	tweaks.Fill(tweak[:], &last)
	*tweak = last
	if gb {
		reverse(&p[0], n)
	}
}
