//go:build !purego && 386.sse2

package i386

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// pass is how many bytes of keystream the kernel makes at a time.
const pass = 256

var zeros [pass]byte

// A mac is Poly1305 with its key.
type mac struct {
	// The tables of kernels and the hash in limbs of 26 bits, at a multiple of 16
	// behind the start.
	memory [18*16 + 5*4 + 15]byte
	shift  uintptr
}

// aligned returns where the tables are. They are moved if the stack has moved
// with them to an address that is another modulo 16.
func (m *mac) aligned() *byte {
	shift := -uintptr(unsafe.Pointer(&m.memory)) & 15
	if shift != m.shift {
		copy(m.memory[shift:], m.memory[m.shift:m.shift+18*16+5*4])
		m.shift = shift
	}
	return &m.memory[shift]
}

func (m *mac) limbs() *[5]uint32 {
	return (*[5]uint32)(unsafe.Add(unsafe.Pointer(m.aligned()), 18*16))
}

func (m *mac) blocks(p []byte) {
	const most = 64 << 10
	for len(p) > 0 {
		n := min(len(p), most)
		hash(m.aligned(), &p[0], n/16)
		p = p[n:]
	}
}

// padded hashes p and zeros up to a whole block.
func (m *mac) padded(p []byte) {
	whole := len(p) &^ 15
	m.blocks(p[:whole])
	if whole < len(p) {
		var last [16]byte
		copy(last[:], p[whole:])
		m.blocks(last[:])
	}
}

// Values of the hash stay in memory and in functions that are called, whose part of
// the stack scrub clears: there are not enough registers for them.

// set sets the hash.
//
//go:noinline
func (m *mac) set(h *[3]uint64) {
	const mask = 1<<26 - 1
	l := m.limbs()
	l[0], l[1], l[2] = uint32(h[0]&mask), uint32(h[0]>>26&mask), uint32((h[0]>>52|h[1]<<12)&mask)
	l[3], l[4] = uint32(h[1]>>14&mask), uint32(h[1]>>40|h[2]<<24)
}

// get returns the hash, h[2] <= 4.
//
//go:noinline
func (m *mac) get(h *[3]uint64) {
	l := m.limbs()
	// Limbs may be a little longer than 26 bits.
	lo := uint64(l[0]) + uint64(l[1])<<26
	var c uint64
	h[0], c = bits.Add64(lo, uint64(l[2])<<52, 0)
	h[1], c = bits.Add64(uint64(l[2])>>12+uint64(l[3])<<14, uint64(l[4])<<40, c)
	h[2] = uint64(l[4])>>24 + c
}

// A message is what sealing and opening have on the stack.
type message struct {
	state     [16]uint32
	keystream [pass]byte
	s         [2]uint64 // then the tag
	mac       mac
}

// begin makes the first keystream, 64 bytes of which are for the key.
func (m *message) begin(key *[8]uint32, nonce *[3]uint32) {
	s := &m.state // field by field: a literal would be a copy of the key on the stack
	s[0], s[1], s[2], s[3] = 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574
	copy(s[4:12], key[:])
	s[12] = 0
	copy(s[13:], nonce[:])
	blocks4(&m.state, &m.keystream[0], &zeros[0])
	k := (*[8]uint32)(unsafe.Pointer(&m.keystream))
	k[0] &= 0x0fffffff
	k[1] &= 0x0ffffffc
	k[2] &= 0x0ffffffc
	k[3] &= 0x0ffffffc
	m.s = [2]uint64{uint64(k[5])<<32 | uint64(k[4]), uint64(k[7])<<32 | uint64(k[6])}
	setKey(m.mac.aligned(), (*[4]uint32)(k[:]))
}

// xor adds keystream to src, the first of which is there.
func (m *message) xor(dst, src []byte) {
	const first = pass - 64
	n := min(len(src), first)
	if n == 0 {
		return
	}
	xor(&dst[0], &src[0], &m.keystream[64], n)
	stream(dst[n:], src[n:], &m.state, &m.keystream)
}

func stream(dst, src []byte, state *[16]uint32, keystream *[pass]byte) {
	for len(src) >= pass {
		blocks4(state, &dst[0], &src[0])
		dst, src = dst[pass:], src[pass:]
	}
	if len(src) > 0 {
		blocks4(state, &keystream[0], &zeros[0])
		xor(&dst[0], &src[0], &keystream[0], len(src))
	}
}

// tag hashes text and the lengths and leaves the tag in s.
//
//go:noinline
func (m *message) tag(ad, text []byte) {
	if len(ad) > 0 {
		m.mac.padded(ad)
	}
	var last [32]byte
	whole := len(text) &^ 15
	m.mac.blocks(text[:whole])
	binary.LittleEndian.PutUint64(last[16:], uint64(len(ad)))
	binary.LittleEndian.PutUint64(last[24:], uint64(len(text)))
	if copy(last[:], text[whole:]) > 0 {
		m.mac.blocks(last[:])
	} else {
		m.mac.blocks(last[16:])
	}
	var h [3]uint64
	m.mac.get(&h)
	t0, c := bits.Add64(h[0], 5, 0)
	t1, c := bits.Add64(h[1], 0, c)
	mask := -((h[2] + c) >> 2) // h + 5 reaches 2^130 where h is the modulus or more
	h[0] ^= (h[0] ^ t0) & mask
	h[1] ^= (h[1] ^ t1) & mask
	m.s[0], c = bits.Add64(h[0], m.s[0], 0)
	m.s[1], _ = bits.Add64(h[1], m.s[1], c)
}

// put writes the tag.
//
//go:noinline
func (m *message) put(tag []byte) {
	binary.LittleEndian.PutUint64(tag, m.s[0])
	binary.LittleEndian.PutUint64(tag[8:], m.s[1])
}

// equal compares a tag with the right one without a branch on its bytes.
//
//go:noinline
func (m *message) equal(tag []byte) bool {
	return (m.s[0]^binary.LittleEndian.Uint64(tag))|(m.s[1]^binary.LittleEndian.Uint64(tag[8:])) == 0
}

func (m *message) wipe() {
	*m = message{}
	runtime.KeepAlive(m)
	scrub()
}

// scrub clears the stack where functions that were called had variables.
//
//go:noinline
func scrub() {
	var b [640]byte
	runtime.KeepAlive(&b)
}

// SealSSE2 writes the encryption of src to dst and the tag behind it (RFC 8439,
// section 2.8); len(dst) == len(src) + 16.
func SealSSE2(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	var m message
	m.begin(key, nonce)
	out := dst[:len(src)]
	m.xor(out, src)
	m.tag(ad, out)
	m.put(dst[len(src):])
	m.wipe()
}

// OpenSSE2 is the inverse; len(dst) == len(src) - 16. It reports whether the
// tag is right. If it is not, nothing is decrypted.
func OpenSSE2(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	var m message
	m.begin(key, nonce)
	text, tag := src[:len(dst)], src[len(dst):]
	m.tag(ad, text)
	ok := m.equal(tag)
	if ok {
		m.xor(dst, text)
	}
	m.wipe()
	return ok
}

// XORSSE2 is ChaCha20: dst = src ^ keystream, at least one byte. The counter,
// word 12, wraps around without a carry; state is not changed.
func XORSSE2(dst, src []byte, state *[16]uint32) {
	own := *state
	var keystream [pass]byte
	stream(dst, src, &own, &keystream)
	clear(keystream[:])
	clear(own[:])
	runtime.KeepAlive(&keystream)
	runtime.KeepAlive(&own)
}

// BlocksSSE2 continues Poly1305 over whole blocks, at least one: for each
// h = (h + block + 2^128) r modulo 2^130-5, where h[2] <= 4 before and after and
// r is clamped.
func BlocksSSE2(h *[3]uint64, r *[2]uint64, p []byte) {
	var m mac
	setKey(m.aligned(), (*[4]uint32)(unsafe.Pointer(r)))
	m.set(h)
	m.blocks(p)
	m.get(h)
	m = mac{}
	runtime.KeepAlive(&m)
	scrub()
}

// blocks4 adds four blocks of keystream to 256 bytes.
//
//go:noescape
func blocks4(state *[16]uint32, dst, src *byte)

// xor adds keystream to n bytes.
//
//go:noescape
func xor(dst, src, keystream *byte, n int)

// setKey makes the tables at k for r.
//
//go:noescape
func setKey(k *byte, r *[4]uint32)

// hash continues the hash behind the tables at k.
//
//go:noescape
func hash(k, p *byte, blocks int)
