package sm4

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// ctr is counter mode over any number of bytes, with a counter of 128 bits. Unused
// keystream of the last block goes to the same offsets in rest, which may be nil if
// src is whole blocks.
func (k *genericKeys) ctr(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	for len(src) > 0 {
		toCarry := BlockSize * (1<<32 - uint64(binary.BigEndian.Uint32(counter[12:]))) // bytes
		n := int(min(uint64(len(src)), toCarry))
		k.ctr32(counter, dst[:n], src[:n], rest)
		if binary.BigEndian.Uint32(counter[12:]) == 0 {
			for i := 11; i >= 0; i-- {
				if counter[i]++; counter[i] != 0 {
					break
				}
			}
		}
		dst, src = dst[n:], src[n:]
	}
}

// ctr32 is like ctr with the counter of GCM: only the last 32 bits count, and they
// wrap around without a carry into the others (inc_32 in NIST SP 800-38D). Its time
// does not depend on the counter, which in GCM depends on the hash key unless the
// nonce has 12 bytes.
func (k *genericKeys) ctr32(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	var stream [wideSize]byte
	used := 0
	passes := (len(src) + wideSize - 1 - (wideMin-1)*BlockSize) / wideSize
	if wide := k.wide.Load(); wide != nil && passes > 0 {
		var c, s wideState
		c.count(counter)
		for range passes {
			s = c
			wide.crypt(&s, encrypting)
			s.store(&stream)
			c.next()
			used = subtle.XORBytes(dst, src, stream[:])
			dst, src = dst[used:], src[used:]
		}
		modes.Add32(counter, (passes-1)*wideBlocks+(used+BlockSize-1)/BlockSize)
		clear(s[:])
		clear(c[:])
		runtime.KeepAlive(&s)
		runtime.KeepAlive(&c)
	}
	for len(src) > 0 {
		n := min((len(src)+BlockSize-1)/BlockSize, 2) * BlockSize
		for i := 0; i < n; i += BlockSize {
			copy(stream[i:], counter[:])
			modes.Add32(counter, 1)
		}
		k.blocks(stream[:n], stream[:n], encrypting)
		used = subtle.XORBytes(dst, src, stream[:n])
		dst, src = dst[used:], src[used:]
	}
	if used%BlockSize != 0 {
		copy(rest[used%BlockSize:], stream[used:])
	}
	clear(stream[:])
	runtime.KeepAlive(&stream)
}

// The counters of a wide pass are generated as planes, not as blocks: three of the
// four words are the same in all blocks, and the last one counts modulo 2^32.

const (
	lastByte  = ones &^ (ones >> lane) // the lane of the last byte of a word
	blockBits = 3 + bits.UintSize/64   // how many bits number the blocks of a pass
)

// count sets block n to the counter plus n.
func (s *wideState) count(counter *[BlockSize]byte) {
	for j := range s {
		s[j].fill(binary.BigEndian.Uint32(counter[4*j:]))
	}
	p := &s[3]
	carry := word(0)
	numbers := [...]word{groups1 << 1, groups2 << 2, groups4 << 4, groups8 << 8} // bit b of 0, 1, 2, ...
	for b := range blockBits {
		number := numbers[b] & lastByte
		sum := p[b] ^ number
		p[b], carry = sum^carry, p[b]&number|sum&carry
	}
	p.ripple(blockBits, carry)
}

// next adds the number of blocks of a pass.
func (s *wideState) next() { s[3].ripple(blockBits, lastByte) }

// ripple adds carry to plane b of the last byte. It always goes through all planes of
// all bytes, even if no carry is left, so that its time does not depend on the counter.
func (p *planes) ripple(b int, carry word) {
	for range 4 {
		for ; b < len(p); b++ {
			p[b], carry = p[b]^carry, p[b]&carry
		}
		b, carry = 0, carry>>lane
	}
}
