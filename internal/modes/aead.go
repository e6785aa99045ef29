package modes

import (
	"crypto/subtle"
	"encoding/binary"
	"slices"

	"github.com/cipherlane/cipherlane/internal/alias"
)

// SealBuffers makes room in dst for what Seal appends: out for the text and
// tag behind it. It panics if they overlap plaintext other than exactly, or
// data.
func SealBuffers(pkg string, dst, plaintext, data []byte, tagSize int) (whole, out, tag []byte) {
	whole, out = Extend(dst, len(plaintext)+tagSize)
	out, tag = out[:len(plaintext)], out[len(plaintext):]
	if alias.InexactOverlap(out, plaintext) || alias.AnyOverlap(tag, plaintext) || alias.AnyOverlap(out, data) || alias.AnyOverlap(tag, data) {
		panic(pkg + ": invalid buffer overlap")
	}
	return whole, out, tag
}

// OpenBuffers makes room in dst for what Open appends, the text. It panics if
// that overlaps ciphertext other than exactly, or tag or data.
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

// EqualTag compares a tag with the beginning of the right one, in time that
// depends on its length only. Nearly all tags are whole: then two words are
// compared, not sixteen bytes.
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
