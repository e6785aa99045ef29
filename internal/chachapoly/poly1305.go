package chachapoly

import (
	"encoding/binary"
	"math/bits"
)

// finish reduces h and adds the second half of the one-time key.
func finish(tag *[TagSize]byte, h *[3]uint64, s *[2]uint64) {
	h0, h1, h2 := h[0], h[1], h[2]
	// If h >= p, then h + 5 >= 2^130, and the low bits of h + 5 are h - p.
	t0, c := bits.Add64(h0, 5, 0)
	t1, c := bits.Add64(h1, 0, c)
	mask := -((h2 + c) >> 2) // h < 2p, so this is 0 or -1
	h0 ^= (h0 ^ t0) & mask
	h1 ^= (h1 ^ t1) & mask
	h0, c = bits.Add64(h0, s[0], 0)
	h1, _ = bits.Add64(h1, s[1], c)
	binary.LittleEndian.PutUint64(tag[:8], h0)
	binary.LittleEndian.PutUint64(tag[8:], h1)
}
