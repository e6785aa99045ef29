// Package arm64 holds the ChaCha20-Poly1305 kernels for AArch64.
//
// The family NEON needs Advanced SIMD, which is part of every system supported by
// Go. ChaCha20 uses the vector registers and Poly1305 the integer registers, at
// the same time.
//
// No kernel has branches or memory addresses that depend on keys or data.
// Kernels process at most 64 KiB per call, because assembly cannot be
// preempted.
package arm64
