// Package alias reports whether two byte slices share memory. The interfaces of
// crypto/cipher require that source and destination overlap entirely or not at
// all.
package alias

import "unsafe"

// AnyOverlap reports whether x and y share memory. Memory beyond the length of a
// slice is ignored.
func AnyOverlap(x, y []byte) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	// Two ranges overlap if and only if one of them starts inside the other. The
	// differences are unsigned: a negative one becomes very large.
	p, q := address(x), address(y)
	return p-q < uintptr(len(y)) || q-p < uintptr(len(x))
}

// InexactOverlap reports whether x and y overlap without starting at the same
// byte. Only then can writing output destroy input that has not been read yet.
func InexactOverlap(x, y []byte) bool {
	return AnyOverlap(x, y) && address(x) != address(y)
}

// Disjoint reports whether x and y share no memory, in one comparison. It may be wrong and report
// false if one of them is empty.
func Disjoint(x, y []byte) bool {
	last := uintptr(len(x)) - 1
	return address(x)-address(y)+last >= uintptr(len(y))+last
}

// Same reports whether x and y start at the same byte.
func Same(x, y []byte) bool { return address(x) == address(y) }

func address(p []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(p))) }

// Fits reports whether dst is not shorter than src, and its first len(src) bytes are src itself
// or do not overlap it. Unlike [InexactOverlap], it is small enough for functions that are
// called for a few blocks.
func Fits(dst, src []byte) bool {
	n, d := uintptr(len(src)), address(dst)-address(src)
	return len(dst) >= len(src) && (d == 0 || d >= n && -d >= n)
}
