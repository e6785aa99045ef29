//go:build riscv64 && !purego

package riscv64

import (
	"runtime"
	"unsafe"
)

// The family ZBB needs Zba and Zbb.

// A messageZBB is the state of one call.
type messageZBB struct {
	message
	prepared [16]uint32
	stream   [8]uint64 // one block
}

// SealZBB writes the encryption of src to dst, followed by the tag (RFC 8439,
// section 2.8). len(dst) == len(src)+16; dst starts at the same byte as src or
// does not overlap it.
func SealZBB(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	var m messageZBB
	m.start(key, nonce)
	if len(ad) > 0 {
		m.padded(false, ad)
	}
	n := len(src)
	if n > 0 {
		m.xor(dst[:n], src)
	}
	m.sum(false, dst[:n], len(ad), n)
	m.put(dst[n:])
	m.wipe()
}

// OpenZBB is the inverse of SealZBB; len(dst) == len(src)-16. It reports
// whether the tag is right. If it is not, the caller has to wipe dst.
func OpenZBB(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	var m messageZBB
	m.start(key, nonce)
	if len(ad) > 0 {
		m.padded(false, ad)
	}
	n := len(dst)
	m.sum(false, src[:n], len(ad), n)
	ok := m.equal(src[n:])
	if ok && n > 0 {
		m.xor(dst, src[:n])
	}
	m.wipe()
	return ok
}

// XORZBB sets dst to src XOR the keystream from the initial state on, for at least
// one byte. The counter in the state wraps around at 32 bits; the state is not
// changed.
func XORZBB(dst, src []byte, state *[16]uint32) {
	var m messageZBB
	m.state = *state
	prepareZBB(&m.prepared, &m.state)
	m.xor(dst, src)
	m.wipe()
}

// BlocksZBB continues Poly1305 over whole blocks, at least one: h = (h + m +
// 2^128) r mod 2^130-5. h[2] <= 4 before and after, r is clamped.
func BlocksZBB(h *[3]uint64, r *[2]uint64, p []byte) { blocks(false, h, r, p) }

func (m *messageZBB) start(key *[8]uint32, nonce *[3]uint32) {
	m.init(key, nonce)
	prepareZBB(&m.prepared, &m.state)
	m.next()
	m.setKey(&m.stream)
}

// next adds a block of keystream to the stream.
func (m *messageZBB) next() {
	p := (*byte)(unsafe.Pointer(&m.stream))
	chachaZBB(p, p, blockSize, &m.state, &m.prepared)
}

func (m *messageZBB) xor(dst, src []byte) {
	if !aligned(dst) || !aligned(src) {
		m.xorCopied(dst, src)
		return
	}
	for len(src) >= blockSize {
		n := min(len(src), maxPass) &^ (blockSize - 1)
		chachaZBB(&dst[0], &src[0], n, &m.state, &m.prepared)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&m.stream)), blockSize)
		copy(b, src)
		m.next()
		copy(dst, b)
	}
}

func (m *messageZBB) xorCopied(dst, src []byte) {
	var aligned [64]uint64
	b := unsafe.Slice((*byte)(unsafe.Pointer(&aligned)), 8*len(aligned))
	for len(src) > 0 {
		n := copy(b, src)
		chachaZBB(&b[0], &b[0], (n+blockSize-1)&^(blockSize-1), &m.state, &m.prepared)
		copy(dst, b[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(aligned[:])
	runtime.KeepAlive(&aligned)
}

func (m *messageZBB) wipe() {
	*m = messageZBB{}
	runtime.KeepAlive(m)
}
