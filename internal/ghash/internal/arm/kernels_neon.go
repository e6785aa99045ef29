//go:build arm && !purego

// Package arm has the GHASH kernels for 32-bit Arm.
package arm

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// FirstNEON is how many blocks UpdateNEON hashes with the powers that InitNEON computes.
const FirstNEON = 7

// Powers are the powers of the hash key, H^8 to H^1, times x, as rotations of their words
// and of sums of these, in the order in which the kernel needs them.
type Powers struct {
	words [4][8][4][2]uint32 // of upper halves, lower halves, their sums; sums of words of halves
	inner [2][2][4][2]uint32 // sums of words of the sums of halves, of two of four powers together
}

// set sets a power.
func (t *Powers) set(n int, hi, lo uint64) {
	i := 8 - n
	put := func(kind int, x uint64) {
		low, high := uint32(x), uint32(x>>32)
		for r := range 4 {
			t.words[kind][i][r] = [2]uint32{bits.RotateLeft32(low, -8*r), bits.RotateLeft32(high, -8*r)}
		}
	}
	sum := func(x uint64) uint32 { return uint32(x) ^ uint32(x>>32) }
	s := hi ^ lo
	put(0, hi)
	put(1, lo)
	put(2, s)
	put(3, uint64(sum(lo))<<32|uint64(sum(hi)))
	for r := range 4 {
		t.inner[i/4][i%2][r][i%4/2] = bits.RotateLeft32(sum(s), -8*r)
	}
}

// next computes the powers from n on, to as many as there are with last, from that of n-1.
func (t *Powers) next(hi, lo uint64, n, last int) {
	var memory [20]uint32
	block, y := (*[64]byte)(unsafe.Pointer(&memory)), (*[16]byte)(unsafe.Pointer(&memory[16]))
	for ; n <= last; n++ {
		clear(y[:])
		binary.BigEndian.PutUint64(block[48:], hi)
		binary.BigEndian.PutUint64(block[56:], lo)
		updateNEON(t, &y[0], &block[0], len(block))
		hi, lo = binary.BigEndian.Uint64(y[:]), binary.BigEndian.Uint64(y[8:])
		t.set(n, hi, lo)
	}
	clear(memory[:])
	runtime.KeepAlive(&memory)
}

// timesX returns the first power: the hash key times x.
func timesX(h *[16]byte) (hi, lo uint64) {
	hi, lo = binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])
	carry := -(hi >> 63)
	hi, lo = hi<<1|lo>>63, lo<<1
	return hi ^ carry&(0xc2<<56), lo ^ carry&1
}

// InitNEON computes the powers 1 to 4 of the hash key h.
func InitNEON(t *Powers, h *[16]byte) {
	hi, lo := timesX(h)
	t.set(1, hi, lo)
	t.next(hi, lo, 2, 4)
}

// ExtendNEON computes the powers 5 to 8, which UpdateNEON needs for eight blocks or more.
func ExtendNEON(t *Powers) {
	half := func(kind int) uint64 {
		x := t.words[kind][4][0] // H^4
		return uint64(x[1])<<32 | uint64(x[0])
	}
	t.next(half(0), half(1), 5, 8)
}

// UpdateNEON continues the hash y over p, at least one byte, as if the last block were
// padded with zeros.
func UpdateNEON(t *Powers, y *[16]byte, p []byte) {
	n := len(p) &^ 63
	if n > 0 {
		updateNEON(t, &y[0], &p[0], n)
	}
	if p = p[n:]; len(p) > 0 {
		var memory [16]uint32 // Go clears arrays of bytes byte by byte
		b := (*[64]byte)(unsafe.Pointer(&memory))
		rest(b, y, p)
		updateNEON(t, &y[0], &b[0], len(b))
		clear(memory[:])
		runtime.KeepAlive(&memory)
	}
}

// UpdateReversedNEON is UpdateNEON with the bytes of the hash and of every block in
// reverse order: POLYVAL of RFC 8452, appendix A.
func UpdateReversedNEON(t *Powers, y *[16]byte, p []byte) {
	n := len(p) &^ 63
	if n > 0 {
		updateReversedNEON(t, &y[0], &p[0], n)
	}
	if p = p[n:]; len(p) > 0 {
		var memory [16]uint32 // Go clears arrays of bytes byte by byte
		b := (*[64]byte)(unsafe.Pointer(&memory))
		rest(b, y, p)
		updateReversedNEON(t, &y[0], &b[0], len(b))
		clear(memory[:])
		runtime.KeepAlive(&memory)
	}
}

// rest makes four blocks of less, with zeros in front. The hash is added to the first one of p,
// and becomes 0.
func rest(b *[64]byte, y *[16]byte, p []byte) {
	at := (len(b) - len(p)) &^ 15
	copy(b[at:], p)
	subtle.XORBytes(b[at:at+16], b[at:at+16], y[:])
	clear(y[:])
}
