// Package mips holds the ChaCha20-Poly1305 kernels for MIPS32 and MIPS64 of release 2 to 5,
// big- and little-endian.
//
// No kernel has branches or memory addresses that depend on keys or data. Kernels process at
// most 64 KiB per call, because assembly cannot be preempted. None relies on misaligned loads
// and stores, which Linux emulates.
package mips
