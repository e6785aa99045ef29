//go:build arm64 && !purego

// Package arm64 has the SM3 kernels for AArch64.
package arm64

// BlocksSM3 compresses the blocks of p into the chaining value v. The length of p must be
// a multiple of 64, not zero and at most 64 KiB. It needs the SM3 instructions.
func BlocksSM3(v *[8]uint32, p []byte) { blocksSM3(v, &p[0], len(p)) }
