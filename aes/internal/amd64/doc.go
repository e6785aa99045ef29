// Package amd64 holds the AES kernels for x86-64.
//
// A family of kernels is named by what it needs: SSSE3, AESNI (with SSSE3 and
// PCLMULQDQ), VAES256 (VAES and VPCLMULQDQ on YMM registers, AVX2), VAES512 (the
// same on ZMM registers, AVX-512). The callers check the features of the CPU and
// the lengths, and cut the data so that one call gets at most 64 KiB, because
// assembly cannot be preempted.
//
// No kernel has branches or memory addresses that depend on keys or data. The
// counters of GCM count as such, since the hash key is in them unless the nonce
// has 12 bytes; that of counter mode is public.
package amd64
