// Package alias tells whether two byte slices share memory. The interfaces of
// crypto/cipher allow a destination to be the source or to lie apart from it,
// and nothing in between.
package alias

import "unsafe"

// AnyOverlap reports whether some byte of x is also a byte of y. What lies
// between the length and the capacity of a slice does not count.
func AnyOverlap(x, y []byte) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	// Two ranges meet if and only if one of them starts inside the other. The
	// differences are unsigned: a start in front of the range is far behind it.
	p, q := address(x), address(y)
	return p-q < uintptr(len(y)) || q-p < uintptr(len(x))
}

// InexactOverlap reports whether x and y overlap without starting at the same
// byte. Only such an overlap makes an output destroy input not yet read.
func InexactOverlap(x, y []byte) bool {
	return AnyOverlap(x, y) && address(x) != address(y)
}

func address(p []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(p))) }
