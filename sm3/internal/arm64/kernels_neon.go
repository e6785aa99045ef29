//go:build arm64 && !purego

package arm64

// BlocksNEON compresses the blocks of p into the chaining value v. The length of p must be
// a multiple of 64, not zero and at most 64 KiB.
func BlocksNEON(v *[8]uint32, p []byte) { blocksNEON(v, &p[0], len(p)) }
