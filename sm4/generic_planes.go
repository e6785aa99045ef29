package sm4

import (
	"encoding/binary"
	"math/bits"
	"runtime"
)

// Wide passes. A plane holds one bit of the bytes of one word of the state, for
// all blocks of the pass. It has four lanes, one for each byte of the word in
// the order of memory, and a lane has one bit for each block:
//
//	planes[b], bit j*lane + n  =  bit b of byte j of the word, block n
//
// So the circuit computes all four S-boxes of all blocks at once, and to rotate the
// words by 8 bits is to rotate the planes by a lane. A lane is 16 blocks wide on
// 64-bit machines, 8 on others.

// A word is a machine word, so that the same code fills the registers of all machines.
type word = uint

const (
	lane       = bits.UintSize / 4
	wideBlocks = lane
	wideSize   = wideBlocks * BlockSize
)

// planes are one word of the state, or a round key.
type planes [8]word

type wideState [4]planes

type wideKeys [rounds]planes

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

// fill sets all blocks to the same word.
func (p *planes) fill(w uint32) {
	v := word(bits.ReverseBytes32(w)) // byte j in the order of memory is byte j of v
	if bits.UintSize == 64 {
		v = (v | v<<16) & groups16
		v = (v | v<<8) & groups8
	}
	const lowBits = ones / (1<<lane - 1) // of every lane
	for b := range p {
		t := v & lowBits
		p[b] = t<<lane - t
		v >>= 1
	}
}

// fill converts round keys to planes.
func (k *wideKeys) fill(words *[rounds]uint32) {
	for i, w := range words {
		k[i].fill(w)
	}
}

// blocks does a wide pass.
func (k *wideKeys) blocks(dst, src *[wideSize]byte, direction int) {
	var s wideState
	s.load(src)
	k.crypt(&s, direction)
	s.store(dst)
	clear(s[:])
	runtime.KeepAlive(&s)
}

func (k *wideKeys) crypt(s *wideState, direction int) {
	for i := 0; i < rounds; i += 4 {
		round(&s[0], &s[1], &s[2], &s[3], &k[(i^direction)%rounds])
		round(&s[1], &s[2], &s[3], &s[0], &k[((i+1)^direction)%rounds])
		round(&s[2], &s[3], &s[0], &s[1], &k[((i+2)^direction)%rounds])
		round(&s[3], &s[0], &s[1], &s[2], &k[((i+3)^direction)%rounds])
	}
}

// load converts blocks to planes.
func (s *wideState) load(src *[wideSize]byte) {
	for n := range 8 {
		if bits.UintSize == 64 { // two words at once
			p, q := src[BlockSize*n:][:BlockSize], src[BlockSize*n+wideSize/2:][:BlockSize]
			s[0][n], s[1][n] = interleave(word(binary.LittleEndian.Uint64(p)), word(binary.LittleEndian.Uint64(q)))
			s[2][n], s[3][n] = interleave(word(binary.LittleEndian.Uint64(p[8:])), word(binary.LittleEndian.Uint64(q[8:])))
		} else {
			for j := range s {
				s[j][n] = word(binary.LittleEndian.Uint32(src[BlockSize*n+4*j:]))
			}
		}
	}
	for j := range s {
		s[j].transpose()
	}
}

// store reverses load. It writes the words in reverse order, which is the last step
// of the cipher (the reverse transformation R).
func (s *wideState) store(dst *[wideSize]byte) {
	for j := range s {
		s[j].transpose()
	}
	for n := range 8 {
		if bits.UintSize == 64 {
			p, q := dst[BlockSize*n:][:BlockSize], dst[BlockSize*n+wideSize/2:][:BlockSize]
			a, b := separate(s[3][n], s[2][n])
			c, d := separate(s[1][n], s[0][n])
			binary.LittleEndian.PutUint64(p, uint64(a))
			binary.LittleEndian.PutUint64(p[8:], uint64(c))
			binary.LittleEndian.PutUint64(q, uint64(b))
			binary.LittleEndian.PutUint64(q[8:], uint64(d))
		} else {
			for j := range s {
				binary.LittleEndian.PutUint32(dst[BlockSize*n+4*j:], uint32(s[3-j][n]))
			}
		}
	}
}

// interleave takes two words of the state from each of two blocks. It returns the
// first words with their bytes interleaved, and the second words likewise.
func interleave(a, b word) (word, word) {
	t := (a>>8 ^ b) & groups8
	a, b = a^t<<8, b^t
	t = (a>>16 ^ b) & groups16
	a, b = a^t<<16, b^t
	t = (a>>half ^ b) & lowHalf
	return a ^ t<<half, b ^ t
}

// separate reverses interleave.
func separate(a, b word) (word, word) {
	t := (a>>half ^ b) & lowHalf
	a, b = a^t<<half, b^t
	t = (a>>16 ^ b) & groups16
	a, b = a^t<<16, b^t
	t = (a>>8 ^ b) & groups8
	return a ^ t<<8, b ^ t
}

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
