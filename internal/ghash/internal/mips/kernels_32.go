//go:build (mips || mipsle) && !purego

package mips

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

const (
	// maxBlocks is how many blocks share a reduction, and how many powers there are.
	maxBlocks = 8

	// initial is how many powers Init computes.
	initial = 4

	// First is how many blocks Update hashes with the powers that Init computes.
	First = maxBlocks - 1

	// classes is how many classes of bits a word has.
	classes = 5
)

// Masks of the classes.
const (
	word  = 1<<32 - 1
	mask0 = 0x42108421
	mask1 = mask0 << 1 & word
	mask2 = mask0 << 2 & word
	mask3 = mask0 << 3 & word
	mask4 = mask0 << 4 & word
)

// Powers are the powers of the hash key, H^8 to H^1, times x. Of each they have four words and
// their sums, as classes of bits: every fifth one. They are in the order in which the kernels
// need them.
type Powers [9][maxBlocks][classes]uint32

// set sets a power.
func (t *Powers) set(n int, hi, lo uint64) {
	a, b, c, d := uint32(lo), uint32(lo>>32), uint32(hi), uint32(hi>>32)
	for i, x := range [...]uint32{a, b, a ^ b, c, d, c ^ d, a ^ c, b ^ d, a ^ b ^ c ^ d} {
		p := &t[i][maxBlocks-n]
		p[0], p[1], p[2], p[3], p[4] = x&mask0, x&mask1, x&mask2, x&mask3, x&mask4
	}
}

// word returns a word of a power.
func (t *Powers) word(n, factor int) uint32 {
	p := &t[factor][maxBlocks-n]
	return p[0] | p[1] | p[2] | p[3] | p[4]
}

// next computes the powers from n on, to as many as there are with last, from that of n-1.
func (t *Powers) next(hi, lo uint64, n, last int) {
	var memory, zero [4]uint32
	y := (*[blockSize]byte)(unsafe.Pointer(&memory))
	for ; n <= last; n++ {
		binary.BigEndian.PutUint64(y[:], hi)
		binary.BigEndian.PutUint64(y[8:], lo)
		few(t, &y[0], (*byte)(unsafe.Pointer(&zero)), 1)
		hi, lo = binary.BigEndian.Uint64(y[:]), binary.BigEndian.Uint64(y[8:])
		t.set(n, hi, lo)
	}
	clear(memory[:])
	runtime.KeepAlive(&memory)
}

// Init computes the first powers of the hash key h.
func Init(t *Powers, h *[blockSize]byte) {
	hi, lo := binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])
	carry := -(hi >> 63)
	hi, lo = hi<<1|lo>>63, lo<<1
	hi, lo = hi^carry&(0xc2<<56), lo^carry&1
	t.set(1, hi, lo)
	t.next(hi, lo, 2, initial)
}

// Extend computes the other powers, which Update needs for more than First blocks.
func Extend(t *Powers) {
	half := func(low, high int) uint64 {
		return uint64(t.word(initial, high))<<32 | uint64(t.word(initial, low))
	}
	t.next(half(3, 4), half(0, 1), initial+1, maxBlocks)
}

// updateBlocks hashes n bytes of all that Update hashes.
func updateBlocks(t *Powers, y, p *byte, n, all int, reversed bool) {
	if whole := n &^ (maxBlocks*blockSize - 1); whole > 0 {
		if reversed {
			eightsReversed(t, y, p, whole)
		} else {
			eights(t, y, p, whole)
		}
		if n -= whole; n == 0 {
			return
		}
		p = (*byte)(unsafe.Add(unsafe.Pointer(p), whole))
	}
	for n > 0 {
		size := n
		if all <= First*blockSize {
			size = min(n, initial*blockSize)
		}
		if reversed {
			fewReversed(t, y, p, size/blockSize)
		} else {
			few(t, y, p, size/blockSize)
		}
		if n -= size; n == 0 {
			return
		}
		p = (*byte)(unsafe.Add(unsafe.Pointer(p), size))
	}
}
