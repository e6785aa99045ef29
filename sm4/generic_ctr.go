package sm4

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"
)

// ctr is counter mode over any number of bytes, with a counter of 128 bits. If
// src does not end with a block, the keystream that is left over goes to the
// same place in rest; otherwise rest may be nil.
func (k *genericKeys) ctr(counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte) {
	var stream [wideSize]byte
	used := 0
	for len(src) > 0 {
		// Wide passes, as long as there are enough blocks and the last word of
		// the counter does not overflow.
		passes := (len(src) + wideSize - 1 - (wideMin-1)*BlockSize) / wideSize
		low := binary.BigEndian.Uint32(counter[BlockSize-4:])
		passes = min(passes, int((1<<32-uint64(low))/wideBlocks))
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
			add(counter, uint64((passes-1)*wideBlocks+(used+BlockSize-1)/BlockSize))
			clear(s[:])
			runtime.KeepAlive(&s)
		} else {
			n := min((len(src)+BlockSize-1)/BlockSize, 2) * BlockSize
			for i := 0; i < n; i += BlockSize {
				copy(stream[i:], counter[:])
				add(counter, 1)
			}
			k.blocks(stream[:n], stream[:n], encrypting)
			used = subtle.XORBytes(dst, src, stream[:n])
			dst, src = dst[used:], src[used:]
		}
	}
	if used%BlockSize != 0 {
		copy(rest[used%BlockSize:], stream[used:])
	}
	clear(stream[:])
	runtime.KeepAlive(&stream)
}

func add(counter *[BlockSize]byte, n uint64) {
	low, carry := bits.Add64(binary.BigEndian.Uint64(counter[8:]), n, 0)
	binary.BigEndian.PutUint64(counter[8:], low)
	binary.BigEndian.PutUint64(counter[:8], binary.BigEndian.Uint64(counter[:8])+carry)
}

// The counters of a wide pass are not made as blocks: three words of four are
// the same in all blocks, and the last one counts in planes. It must not
// overflow.

const (
	lastByte  = ones &^ (ones >> lane) // the lane of the byte that counts
	blockBits = 3 + bits.UintSize/64   // of that byte, to number the blocks of a pass
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

// ripple adds the carries that go into plane b of the last byte.
func (p *planes) ripple(b int, carry word) {
	for ; carry != 0; b++ {
		if b == len(p) {
			b, carry = 0, carry>>lane
		}
		p[b], carry = p[b]^carry, p[b]&carry
	}
}
