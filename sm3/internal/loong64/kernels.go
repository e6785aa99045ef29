//go:build loong64 && !purego

// Package loong64 has the SM3 kernels for LSX and LASX.
package loong64

// BlocksLSX compresses the blocks of p into the chaining value v. The length of p must be
// a multiple of 64, not zero and at most 64 KiB.
func BlocksLSX(v *[8]uint32, p []byte) { blocksLSX(v, &p[0], len(p)) }

// BlocksLASX is BlocksLSX: vectors expand two blocks side by side.
func BlocksLASX(v *[8]uint32, p []byte) {
	if n := len(p) &^ 127; n > 0 {
		blocksLASX(v, &p[0], n)
		p = p[n:]
	}
	if len(p) > 0 {
		blocksLSX(v, &p[0], len(p))
	}
}
