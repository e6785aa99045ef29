package modes

import (
	"crypto/subtle"
	"encoding/binary"
	"slices"
)

// EqualTag reports whether tag equals the beginning of right, in time that depends
// on its length only. Tags of 16 bytes, by far the most common, are compared as
// two words.
func EqualTag(right *[blockSize]byte, tag []byte) bool {
	if len(tag) == blockSize {
		a := binary.LittleEndian.Uint64(right[:]) ^ binary.LittleEndian.Uint64(tag)
		b := binary.LittleEndian.Uint64(right[8:]) ^ binary.LittleEndian.Uint64(tag[8:])
		return a|b == 0
	}
	return subtle.ConstantTimeCompare(right[:len(tag)], tag) == 1
}

// Extend appends n bytes to b without setting them.
func Extend(b []byte, n int) []byte {
	if n > cap(b)-len(b) {
		b = grow(b, n)
	}
	return b[:len(b)+n]
}

//go:noinline
func grow(b []byte, n int) []byte { return slices.Grow(b, n) } // inlined, Extend would not be
