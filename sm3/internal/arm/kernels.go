//go:build arm && !purego

// Package arm has the SM3 kernel for 32-bit Arm.
package arm

// BlocksV6 compresses the blocks of p into the chaining value v. The length of p must be
// a multiple of 64, not zero and at most 64 KiB.
func BlocksV6(v *[8]uint32, p []byte) { blocksV6(v, &p[0], len(p)) }
