//go:build arm && !purego

package arm

// chachaV6 is ChaCha20 (RFC 8439, section 2.4): dst = src ^ keystream, n >= 0
// bytes at any alignment. The state consists of key (8 words), counter and nonce
// (3 words); if nonce is nil, key points to all 16 words. If first is not nil, half
// of the first block is stored there, and the data start with the second block.
//
//go:noescape
//ct:secret dst src key first
//ct:public nonce
func chachaV6(dst, src *byte, n int, key, nonce *uint32, counter uint32, first *[8]uint32)

// chachaNEON is chachaV6 with NEON.
//
//go:noescape
//ct:secret dst src key first
//ct:public nonce
func chachaNEON(dst, src *byte, n int, key, nonce *uint32, counter uint32, first *[8]uint32)

// macV6 continues Poly1305 from h, or from 0 if h is nil, over n >= 0 bytes and
// zeros up to a whole block. r is the first half of key, clamped by macV6. If tag is
// nil, h is stored. Otherwise the block of the lengths adLen and total follows, and
// the tag with the second half of key is stored; or, if check is not 0, diff is 0
// if the tag is the right one and 1 if not, and nothing is stored.
//
//go:noescape
//ct:secret h key tag diff
//ct:public p
func macV6(h *[6]uint32, key *[8]uint32, p *byte, n int, tag *byte, adLen, total int, check int) (diff uint32)

// macNEON is macV6 with NEON for certain n: n mod 64 is 1 to 16 with a tag, 32
// without.
//
//go:noescape
//ct:secret h key tag diff
//ct:public p
func macNEON(h *[6]uint32, key *[8]uint32, p *byte, n int, tag *byte, adLen, total int, check int) (diff uint32)
