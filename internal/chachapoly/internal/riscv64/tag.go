//go:build riscv64 && !purego

package riscv64

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

const (
	blockSize = 64

	// maxPass is the largest number of bytes per call of a kernel.
	maxPass = 64 << 10
)

// A message is the state of one call. It is wiped before the call returns.
type message struct {
	h     [3]uint64  // Poly1305 so far
	r, s  [2]uint64  // its one-time key
	state [16]uint32 // RFC 8439, section 2.3
}

// init assigns words one by one: a composite literal would leave a copy on the
// stack.
func (m *message) init(key *[8]uint32, nonce *[3]uint32) {
	s := &m.state
	s[0], s[1], s[2], s[3] = 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 // "expand 32-byte k"
	s[4], s[5], s[6], s[7] = key[0], key[1], key[2], key[3]
	s[8], s[9], s[10], s[11] = key[4], key[5], key[6], key[7]
	s[12], s[13], s[14], s[15] = 0, nonce[0], nonce[1], nonce[2]
}

// setKey reads the one-time key from the start of the first block.
func (m *message) setKey(block *[8]uint64) {
	m.r[0] = block[0] & 0x0ffffffc0fffffff
	m.r[1] = block[1] & 0x0ffffffc0ffffffc
	m.s[0] = block[2]
	m.s[1] = block[3]
}

// sum continues Poly1305 over rest, the end of a ciphertext of n bytes, and over
// the lengths. It leaves the tag in h.
func (m *message) sum(vector bool, rest []byte, ad, n int) {
	if whole := len(rest) &^ 15; whole > 0 {
		blocks(vector, &m.h, &m.r, rest[:whole])
		rest = rest[whole:]
	}
	var last [4]uint64
	last[2], last[3] = uint64(ad), uint64(n)
	if len(rest) > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&last)), 16), rest)
		blocksScalar(&m.h, &m.r, (*byte)(unsafe.Pointer(&last)), 32)
	} else {
		blocksScalar(&m.h, &m.r, (*byte)(unsafe.Pointer(&last[2])), 16)
	}

	clear(last[:])

	// If h >= 2^130-5, then h + 5 >= 2^130, and the low bits of h + 5 are
	// h - (2^130-5).
	lo, carry := bits.Add64(m.h[0], 5, 0)
	hi, carry := bits.Add64(m.h[1], 0, carry)
	mask := -((m.h[2] + carry) >> 2)
	lo, carry = bits.Add64(m.h[0]^(m.h[0]^lo)&mask, m.s[0], 0)
	hi, _ = bits.Add64(m.h[1]^(m.h[1]^hi)&mask, m.s[1], carry)
	m.h[0], m.h[1] = lo, hi
}

// padded continues Poly1305 over p, padded with zeros to whole blocks.
func (m *message) padded(vector bool, p []byte) {
	if whole := len(p) &^ 15; whole > 0 {
		blocks(vector, &m.h, &m.r, p[:whole])
		p = p[whole:]
	}
	if len(p) > 0 {
		var last [2]uint64
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&last)), 16), p)
		blocksScalar(&m.h, &m.r, (*byte)(unsafe.Pointer(&last)), 16)
	}
}

// equal reports in constant time whether tag is the right one, which is in h.
// Inlined, it would leave their difference on the stack.
//
//go:noinline
func (m *message) equal(tag []byte) bool {
	lo := m.h[0] ^ binary.LittleEndian.Uint64(tag)
	hi := m.h[1] ^ binary.LittleEndian.Uint64(tag[8:])
	return lo|hi == 0
}

// put writes the tag.
func (m *message) put(tag []byte) {
	binary.LittleEndian.PutUint64(tag, m.h[0])
	binary.LittleEndian.PutUint64(tag[8:], m.h[1])
}

// blocks is Poly1305 over whole blocks anywhere in memory.
func blocks(vector bool, h *[3]uint64, r *[2]uint64, p []byte) {
	if !aligned(p) {
		blocksCopied(vector, h, r, p)
		return
	}
	for len(p) > 0 {
		n := min(len(p), maxPass)
		if vector && n >= minVector {
			n = blocksRVV(h, r, &p[0], n)
		} else {
			blocksScalar(h, r, &p[0], n)
		}
		p = p[n:]
	}
}

func blocksCopied(vector bool, h *[3]uint64, r *[2]uint64, p []byte) {
	var aligned [64]uint64
	b := unsafe.Slice((*byte)(unsafe.Pointer(&aligned)), 8*len(aligned))
	for len(p) > 0 {
		n := copy(b, p)
		blocks(vector, h, r, b[:n])
		p = p[n:]
	}
	clear(aligned[:])
	runtime.KeepAlive(&aligned)
}

// minVector is the length from which on vectors need fewer instructions: the powers
// of r cost as much as ten blocks.
const minVector = 12 * 16

// aligned reports whether p, which is not empty, begins at a multiple of 8.
func aligned(p []byte) bool { return uintptr(unsafe.Pointer(&p[0]))%8 == 0 }
