// Package arm64 holds the ChaCha20-Poly1305 kernels for AArch64.
//
// The family NEON needs Advanced SIMD, which every system that Go supports
// there has. ChaCha20 runs in the vector registers, Poly1305 in the integer
// ones at the same time.
//
// No kernel has branches or memory addresses that depend on keys or data.
// Kernels process at most 64 KiB per call, because assembly cannot be
// preempted.
package arm64
