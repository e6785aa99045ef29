// Package tweaks computes the tweaks of XTS (IEEE 1619, section 5.3).
package tweaks

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

const blockSize = 16

// Fill fills p, which is whole blocks, with consecutive tweaks, and sets tweak to the next
// one. Each is the previous one times x in GF(2^128). It runs in constant time.
func Fill(p []byte, tweak *[blockSize]byte) {
	low, high := binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:])
	if len(p) > 0 && uintptr(unsafe.Pointer(&p[0]))%8 == 0 {
		// Whole words: where they must be aligned, the compiler writes bytes otherwise.
		words := unsafe.Slice((*[2]uint64)(unsafe.Pointer(&p[0])), len(p)/blockSize)
		for i := range words {
			words[i][0], words[i][1] = native(low), native(high)
			low, high = next(low, high)
		}
	} else {
		for ; len(p) >= blockSize; p = p[blockSize:] {
			binary.LittleEndian.PutUint64(p, low)
			binary.LittleEndian.PutUint64(p[8:], high)
			low, high = next(low, high)
		}
	}
	binary.LittleEndian.PutUint64(tweak[:], low)
	binary.LittleEndian.PutUint64(tweak[8:], high)
}

// next multiplies by x, modulo x^128 + x^7 + x^2 + x + 1.
func next(low, high uint64) (uint64, uint64) {
	return low<<1 ^ uint64(int64(high)>>63)&0x87, high<<1 | low>>63
}

const bigEndian = runtime.GOARCH == "mips" || runtime.GOARCH == "mips64" || runtime.GOARCH == "ppc64" || runtime.GOARCH == "s390x"

// native converts between little-endian and native words.
func native(x uint64) uint64 {
	if bigEndian {
		return bits.ReverseBytes64(x)
	}
	return x
}
