package modes

import (
	"crypto/subtle"
	"encoding/binary"
	"slices"

	"github.com/cipherlane/cipherlane/internal/alias"
)

// SealBuffers extends dst for the output of Seal: out for the text, followed by
// tag. It panics if they overlap plaintext inexactly, or data at all.
func SealBuffers(pkg string, dst, plaintext, data []byte, tagSize int) (whole, out, tag []byte) {
	whole, out = Extend(dst, len(plaintext)+tagSize)
	out, tag = out[:len(plaintext)], out[len(plaintext):]
	if alias.InexactOverlap(out, plaintext) || alias.AnyOverlap(tag, plaintext) || alias.AnyOverlap(out, data) || alias.AnyOverlap(tag, data) {
		panic(pkg + ": invalid buffer overlap")
	}
	return whole, out, tag
}

// OpenBuffers extends dst for the output of Open, which is the text. It panics if
// that overlaps ciphertext inexactly, or tag or data at all.
func OpenBuffers(pkg string, dst, ciphertext, tag, data []byte) (whole, out []byte) {
	if len(ciphertext) == 0 {
		return dst, nil
	}
	whole, out = Extend(dst, len(ciphertext))
	if alias.InexactOverlap(out, ciphertext) || alias.AnyOverlap(out, tag) || alias.AnyOverlap(out, data) {
		panic(pkg + ": invalid buffer overlap")
	}
	return whole, out
}

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

// Extend appends n bytes to b without setting them. It returns the whole slice
// and the new part.
func Extend(b []byte, n int) (whole, part []byte) {
	whole = slices.Grow(b, n)[:len(b)+n]
	return whole, whole[len(b):]
}
