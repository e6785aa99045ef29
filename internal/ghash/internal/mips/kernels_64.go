//go:build (mips64 || mips64le) && !purego

package mips

import "unsafe"

// maxBlocks is how many blocks share a reduction, and how many powers there are.
const maxBlocks = 4

// Powers are the powers of the hash key, H to H^4, as the portable driver has them: the lower
// half, the upper half and their sum, each as four classes of bits without their highest bits
// and, in element 4, those bits.
type Powers [maxBlocks][3][5]uint64

// updateBlocks hashes n bytes.
func updateBlocks(t *Powers, y, p *byte, n, _ int, reversed bool) {
	if whole := n &^ (maxBlocks*blockSize - 1); whole > 0 {
		if reversed {
			foursReversed(t, y, p, whole)
		} else {
			fours(t, y, p, whole)
		}
		if n -= whole; n == 0 {
			return
		}
		p = (*byte)(unsafe.Add(unsafe.Pointer(p), whole))
	}
	if reversed {
		fewReversed(t, y, p, n/blockSize)
	} else {
		few(t, y, p, n/blockSize)
	}
}
