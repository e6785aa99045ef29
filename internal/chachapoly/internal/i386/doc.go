// Package i386 holds the kernels of ChaCha20 and Poly1305 for 32-bit x86. (386
// is no name for a package.)
//
// They need SSE2, which the compiler assumes unless GO386=softfloat.
// No kernel has branches or memory addresses that depend on keys or data.
package i386
