//go:build arm64 && !purego

package arm64

import (
	"crypto/subtle"
	"runtime"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/cpu"
)

// pass is the number of bytes that passesNEON processes at a time. head is the
// keystream of the first pass that is left for data: one of its four blocks is the
// key of Poly1305.
const (
	pass = 4 * blockSize
	head = 3 * blockSize

	widePass = 6 * blockSize // of widePassesNEON
)

// inOrder is whether the CPU does not reorder instructions. Two of the six blocks of a wide pass take more
// instructions than the others, but fill the time in which other CPUs wait for results (docs/speed.md).
var inOrder = cpu.Microarchitecture() == cpu.CortexA55

// wide returns how many wide passes to make for the next of n bytes. It leaves two other passes or more:
// the shorter the last ones are, the less remains to be hashed behind them.
func wide(n int) int {
	if n < widePass+2*pass || inOrder {
		return 0
	}
	return min(n-2*pass, maxPass) / widePass
}

// SealNEON writes the encryption of src to dst, followed by the tag (RFC 8439,
// section 2.8). len(dst) == len(src)+16; dst starts at the same byte as src or
// does not overlap it.
func SealNEON(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) {
	var m message
	m.init(key, nonce)
	n := len(src)
	ready := m.start(n) // bytes of keystream
	if len(ad) > 0 {
		m.padded(ad)
	}
	done := min(n, ready) // bytes of ciphertext
	if done > 0 {
		subtle.XORBytes(dst[:done], src[:done], m.stream[blockSize:])
	}
	hashed := 0
	// The hash is one pass behind the cipher: the first of these passes has 12
	// blocks to hash, the others 16, or 24 if they are wide.
	first, behind, units := 4, pass, 3
	for k := wide(n - done); k > 0; k = wide(n - done) {
		widePassesNEON(&dst[done], &src[done], k, &m.state, &m.h, &m.r, &dst[hashed], units, 5)
		first, behind, units = 5, widePass, 5
		done += k * widePass
		hashed = done - behind
	}
	for n-done >= pass {
		k := min(n-done, maxPass) / pass
		passesNEON(&dst[done], &src[done], k, &m.state, &m.h, &m.r, &dst[hashed], first, 5)
		first = 5
		done += k * pass
		hashed = done - behind
	}
	if rest := n - done; rest > 2*blockSize {
		copy(m.stream[:], src[done:n])
		passesNEON(&m.stream[0], &m.stream[0], 1, &m.state, &m.h, &m.r, &dst[hashed], first, 0)
		copy(dst[done:n], m.stream[:])
		hashed = done + pass - behind
	} else if rest > 0 {
		pairNEON(&m.stream[0], &m.state)
		subtle.XORBytes(dst[done:n], src[done:n], m.stream[:])
	}
	m.sum(dst[hashed:n], len(ad), n)
	m.put(dst[n:])
	m.wipe()
}

// OpenNEON is the inverse of SealNEON; len(dst) == len(src)-16. It reports
// whether the tag is right. If it is not, the caller has to wipe dst.
func OpenNEON(dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32) bool {
	var m message
	m.init(key, nonce)
	n := len(dst)
	ready := m.start(n)
	if len(ad) > 0 {
		m.padded(ad)
	}
	done := min(n, ready)
	if n <= ready {
		// This is the whole message: sum hashes it before it is overwritten.
		m.sum(src[:n], len(ad), n)
		ok := m.equal(src[n:])
		if n > 0 {
			subtle.XORBytes(dst, src[:n], m.stream[blockSize:])
		}
		m.wipe()
		return ok
	}
	blocks(&m.h, &m.r, src[:done])
	subtle.XORBytes(dst[:done], src[:done], m.stream[blockSize:])
	for k := wide(n - done); k > 0; k = wide(n - done) {
		widePassesNEON(&dst[done], &src[done], k, &m.state, &m.h, &m.r, &src[done], 5, 5)
		done += k * widePass
	}
	for n-done >= pass {
		k := min(n-done, maxPass) / pass
		passesNEON(&dst[done], &src[done], k, &m.state, &m.h, &m.r, &src[done], 5, 5)
		done += k * pass
	}
	hashed := done
	if rest := n - done; rest > 2*blockSize {
		units := min(rest/48, 4)
		copy(m.stream[:], src[done:n])
		passesNEON(&m.stream[0], &m.stream[0], 1, &m.state, &m.h, &m.r, &src[done], units, 0)
		hashed += 48 * units
	} else if rest > 0 {
		pairNEON(&m.stream[0], &m.state)
		subtle.XORBytes(m.stream[:], m.stream[:rest], src[done:])
	}
	m.sum(src[hashed:n], len(ad), n)
	ok := m.equal(src[n:])
	copy(dst[done:], m.stream[:])
	m.wipe()
	return ok
}

// start computes the one-time key and the keystream that follows it, for a message
// of n bytes. It returns the number of bytes of keystream.
func (m *message) start(n int) int {
	ready := head
	if n <= blockSize {
		pairNEON(&m.stream[0], &m.state)
		ready = blockSize
	} else {
		passesNEON(&m.stream[0], &m.stream[0], 1, &m.state, &m.h, &m.r, nil, 0, 0)
	}
	m.setKey()
	return ready
}

func (m *message) wipe() {
	*m = message{}
	runtime.KeepAlive(m)
}

// XORNEON sets dst to src XOR the keystream from the initial state on, for at least
// one byte. The counter in the state wraps around at 32 bits; in the end the state is as before.
func XORNEON(dst, src []byte, state *[16]uint32) {
	n := len(src)
	if wide(n) > 0 {
		xorWide(dst, src, state)
		return
	}
	if rest := n % pass; n <= maxPass && (rest == 0 || rest > 2*blockSize) {
		xorNEON(unsafe.SliceData(dst), unsafe.SliceData(src), n, state)
		return
	}
	if n == blockSize {
		xorBlockNEON(unsafe.SliceData(dst), unsafe.SliceData(src), state)
		return
	}
	xorParts(dst, src, state)
}

// xorWide is XORNEON with wide passes, until they are not worth it.
func xorWide(dst, src []byte, state *[16]uint32) {
	counter := state[12]
	var h [3]uint64 // of no block
	var key [2]uint64
	for k := wide(len(src)); k > 0; k = wide(len(src)) {
		widePassesNEON(&dst[0], &src[0], k, state, &h, &key, nil, 0, 0)
		dst, src = dst[k*widePass:], src[k*widePass:]
	}
	XORNEON(dst, src, state)
	state[12] = counter
}

// xorParts is XORNEON in several calls. At most two blocks at the end do not need four.
func xorParts(dst, src []byte, state *[16]uint32) {
	counter, single := state[12], len(src) <= blockSize
	for len(src) > 2*blockSize {
		n := min(len(src), maxPass)
		if rest := n % pass; rest <= 2*blockSize {
			n -= rest
		}
		xorNEON(&dst[0], &src[0], n, state)
		state[12] += uint32(n / blockSize)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		var stream [2 * blockSize]byte
		if single {
			xorBlockNEON(&stream[0], &stream[0], state)
		} else {
			pairNEON(&stream[0], state)
		}
		subtle.XORBytes(dst, src, stream[:])
		clear(stream[:])
		runtime.KeepAlive(&stream)
	}
	state[12] = counter
}

// BlocksNEON continues Poly1305 over whole blocks, at least one: h = (h + m +
// 2^128) r mod 2^130-5. h[2] <= 4 before and after, r is clamped.
func BlocksNEON(h *[3]uint64, r *[2]uint64, p []byte) { blocks(h, r, p) }
