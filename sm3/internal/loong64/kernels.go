//go:build loong64 && !purego

// Package loong64 has the SM3 kernels for LSX and LASX.
package loong64

// BlocksLSX compresses the blocks of p into the chaining value v. The length of p must be
// a multiple of 64, not zero and at most 64 KiB.
func BlocksLSX(v *[8]uint32, p []byte) { blocksLSX(v, &p[0], len(p)) }

// BlocksLASX is BlocksLSX: vectors expand the message four words at a time.
func BlocksLASX(v *[8]uint32, p []byte) { BlocksLSX(v, p) }
