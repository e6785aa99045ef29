//go:build arm64 && !purego

package arm64

// BlocksNEON compresses the blocks of p into the chaining value v. The length of p must be
// a multiple of 64, not zero and at most 64 KiB.
func BlocksNEON(v *[8]uint32, p []byte) { blocksNEON(v, &p[0], len(p)) }

// The kernels for many messages compress n blocks of each message, at least one, into its
// chaining value: v[i][l] is word i of the chaining value of lane l, and the blocks of lane
// l begin at src[l][0]. The number of lanes is in the name. All are processed, so each needs
// blocks, but several may have the same. The caller must wipe w, where those for eight lanes
// store words of the messages.
