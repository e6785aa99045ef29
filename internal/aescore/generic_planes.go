package aescore

import "math/bits"

// A word is a machine word, so that the same code fills the registers of all machines.
type word = uint

// planes are eight words: word b holds bit b of some bytes of the state. In a narrow
// pass they hold the whole state of a few blocks:
//
//	planes[b], bit row*lane + column*cell + n  =  bit b of that byte, block n
//
// In a wide pass each row of the state has its own planes, so there is room for more
// blocks:
//
//	planes[b], bit column*lane + n  =  bit b of that byte, block n
type planes [8]word

const (
	lane = bits.UintSize / 4
	cell = bits.UintSize / 16

	narrowBlocks = cell // in a narrow pass: 4 on 64-bit machines, 2 on others
	narrowSize   = narrowBlocks * BlockSize
	wideBlocks   = lane // in a wide pass: 16 or 8
	wideSize     = wideBlocks * BlockSize
)

// Masks of alternating groups of bits: ones/3 is 0101..., ones/5 is 00110011...
const (
	ones     = ^word(0)
	groups1  = ones / 3
	groups2  = ones / 5
	groups4  = ones / 0x11
	groups8  = ones / 0x101
	groups16 = ones / 0x10001
	half     = bits.UintSize / 2
	lowHalf  = ones >> half
)

// transpose swaps the index of a word with that of a bit in its bytes: the new bit k
// of byte j of word b is the old bit b of byte j of word k.
func (p *planes) transpose() {
	a, b, c, d, e, f, g, h := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	a, e = swap(a, e, 4, groups4)
	b, f = swap(b, f, 4, groups4)
	c, g = swap(c, g, 4, groups4)
	d, h = swap(d, h, 4, groups4)
	a, c = swap(a, c, 2, groups2)
	b, d = swap(b, d, 2, groups2)
	p[0], p[1] = swap(a, b, 1, groups1)
	p[2], p[3] = swap(c, d, 1, groups1)
	e, g = swap(e, g, 2, groups2)
	f, h = swap(f, h, 2, groups2)
	p[4], p[5] = swap(e, f, 1, groups1)
	p[6], p[7] = swap(g, h, 1, groups1)
}

// swap exchanges the bits of b under the mask m with the bits of a n places higher.
func swap(a, b word, n int, m word) (word, word) {
	t := (a>>n ^ b) & m
	return a ^ t<<n, b ^ t
}

func (p *planes) add(k *planes) {
	p[0] ^= k[0]
	p[1] ^= k[1]
	p[2] ^= k[2]
	p[3] ^= k[3]
	p[4] ^= k[4]
	p[5] ^= k[5]
	p[6] ^= k[6]
	p[7] ^= k[7]
}

// double returns the bytes times x in the field of AES, the polynomials modulo
// x^8 + x^4 + x^3 + x + 1.
func (p *planes) double() planes {
	return planes{p[7], p[0] ^ p[7], p[1], p[2] ^ p[7], p[3] ^ p[7], p[4], p[5], p[6]}
}
