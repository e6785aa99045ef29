//go:build riscv64 && !purego

package riscv64

import (
	"runtime"
	"unsafe"
)

// The families RVV and ZVKB need V, Zba and Zbb; ZVKB also needs Zvkb. They differ
// only in the rounds of ChaCha20.

// head is the largest amount of keystream that the first call generates: the block
// with the key of Poly1305 and seven others, a pass of a machine with 256 bits.
const head = 8 * blockSize

// scalarMax is the largest number of bytes for which chachaZBB is used instead of
// vectors: on the SpacemiT X60 a vector pass takes as long as four of its blocks, although it has
// fewer instructions than two.
const scalarMax = 3 * blockSize

// A messageRVV is the state of one call.
type messageRVV struct {
	message
	prepared [16]uint32
	stream   [head / 8]uint64
}

// SealRVV writes the encryption of src to dst, followed by the tag (RFC 8439,
// section 2.8). len(dst) == len(src)+16; dst starts at the same byte as src or
// does not overlap it.
func SealRVV(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	seal(false, dst, src, ad, key, nonce)
}

// SealZVKB is SealRVV with Zvkb.
func SealZVKB(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	seal(true, dst, src, ad, key, nonce)
}

// OpenRVV is the inverse of SealRVV; len(dst) == len(src)-16. It reports
// whether the tag is right. If it is not, the caller has to wipe dst.
func OpenRVV(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	return open(false, dst, src, ad, key, nonce)
}

// OpenZVKB is OpenRVV with Zvkb.
func OpenZVKB(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	return open(true, dst, src, ad, key, nonce)
}

// XORRVV sets dst to src XOR the keystream from the initial state on, for at least
// one byte. The counter in the state wraps around at 32 bits; the state is not
// changed.
func XORRVV(dst, src []byte, state *[16]uint32) { xor(false, dst, src, state) }

// XORZVKB is XORRVV with Zvkb.
func XORZVKB(dst, src []byte, state *[16]uint32) { xor(true, dst, src, state) }

// BlocksRVV continues Poly1305 over whole blocks, at least one: h = (h + m +
// 2^128) r mod 2^130-5. h[2] <= 4 before and after, r is clamped.
func BlocksRVV(h *[3]uint64, r *[2]uint64, p []byte) { blocks(true, h, r, p) }

// BlocksZVKB is BlocksRVV.
func BlocksZVKB(h *[3]uint64, r *[2]uint64, p []byte) { blocks(true, h, r, p) }

func seal(zvkb bool, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	n := len(src)
	if n+blockSize <= scalarMax {
		SealZBB(dst, src, ad, key, nonce)
		return
	}
	var m messageRVV
	ready := m.start(zvkb, key, nonce, n)
	if len(ad) > 0 {
		m.padded(true, ad)
	}
	m.xor(zvkb, dst[:n], src, ready)
	m.sum(true, dst[:n], len(ad), n)
	m.put(dst[n:])
	m.wipe()
}

func open(zvkb bool, dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	n := len(dst)
	if n+blockSize <= scalarMax {
		return OpenZBB(dst, src, ad, key, nonce)
	}
	var m messageRVV
	ready := m.start(zvkb, key, nonce, n)
	if len(ad) > 0 {
		m.padded(true, ad)
	}
	m.sum(true, src[:n], len(ad), n)
	ok := m.equal(src[n:])
	if ok {
		m.xor(zvkb, dst, src[:n], ready)
	}
	m.wipe()
	return ok
}

func xor(zvkb bool, dst, src []byte, state *[16]uint32) {
	var m messageRVV
	m.state = *state
	m.chacha(zvkb, dst, src)
	m.wipe()
}

// start computes the one-time key and, for a message of n > scalarMax-blockSize bytes, the
// keystream that follows it. It returns the number of bytes of that keystream.
func (m *messageRVV) start(zvkb bool, key *[8]uint32, nonce *[3]uint32, n int) int {
	m.init(key, nonce)
	p := (*byte)(unsafe.Pointer(&m.stream))
	size := vector(zvkb, p, p, min(n+blockSize, head), &m.state)
	m.setKey((*[8]uint64)(m.stream[:8]))
	return size - blockSize
}

// xor requires ready > 0 bytes of keystream after the first block of the stream.
func (m *messageRVV) xor(zvkb bool, dst, src []byte, ready int) {
	xorRVV(&dst[0], &src[0], (*byte)(unsafe.Pointer(&m.stream[8])), ready)
	m.chacha(zvkb, dst[ready:], src[ready:])
}

// chacha overwrites the stream.
func (m *messageRVV) chacha(zvkb bool, dst, src []byte) {
	for len(src) > scalarMax {
		n := vector(zvkb, &dst[0], &src[0], min(len(src), maxPass), &m.state)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&m.stream)), head)
		copy(b, src)
		prepareZBB(&m.prepared, &m.state)
		chachaZBB(&b[0], &b[0], (len(src)+blockSize-1)&^(blockSize-1), &m.state, &m.prepared)
		copy(dst, b[:len(src)])
	}
}

func vector(zvkb bool, dst, src *byte, n int, state *[16]uint32) int {
	if zvkb {
		return chachaZVKB(dst, src, n, state)
	}
	return chachaRVV(dst, src, n, state)
}

func (m *messageRVV) wipe() {
	*m = messageRVV{}
	runtime.KeepAlive(m)
}
