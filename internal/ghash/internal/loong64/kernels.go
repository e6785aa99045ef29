//go:build loong64 && !purego

// Package loong64 has the GHASH kernels for LSX and LASX.
package loong64

import (
	"runtime"
	"unsafe"
)

const blockSize = 16

// First is how many blocks the kernels hash with the powers that Init computes, H and H^2.
const First = 7

// Powers have tables for the powers H^4 to H, which are next to each other: for each byte of a product, what
// the values of the upper nibble of a byte contribute, and of the lower one.
type Powers [16][2][4][16]byte

// set sets the tables of a power.
func (t *Powers) set(n int, h *[blockSize]byte) { setPower(&t[0][0][4-n][0], h) }

// extend computes the powers from one to another, of the one before in y, which becomes the last.
func (t *Powers) extend(y *[blockSize]byte, from, to int) {
	var zero [blockSize]byte
	for n := from; n <= to; n++ {
		updateLSX(t, y, &zero[0], 1, none, &orders[0])
		t.set(n, y)
	}
}

// none is a number of blocks that no call has.
const none = 1 << 30

// orders are those of bytes, of GHASH and of POLYVAL.
var orders = [2][blockSize]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
}

// A block is memory of words, because Go clears arrays of bytes byte by byte.
type block [2]uint64

func (b *block) bytes() *[blockSize]byte { return (*[blockSize]byte)(unsafe.Pointer(b)) }

func (b *block) wipe() {
	*b = block{}
	runtime.KeepAlive(b)
}

// InitLSX computes the first powers of the hash key h.
func InitLSX(t *Powers, h *[blockSize]byte) {
	var y block
	*y.bytes() = *h
	t.set(1, h)
	t.extend(y.bytes(), 2, 2)
	y.wipe()
}

// InitLASX is InitLSX.
func InitLASX(t *Powers, h *[blockSize]byte) { InitLSX(t, h) }

// ExtendLSX computes the other powers.
func ExtendLSX(t *Powers) {
	var y block
	h := y.bytes()
	for i := range h { // H^2 times 1, which is the upper bit of the first byte
		h[i] = t[i][0][2][8]
	}
	t.extend(h, 3, 4)
	y.wipe()
}

// ExtendLASX is ExtendLSX.
func ExtendLASX(t *Powers) { ExtendLSX(t) }

// UpdateLSX continues the hash y over p, at least one byte, as if the last block were padded with zeros.
func UpdateLSX(t *Powers, y *[blockSize]byte, p []byte) { update(t, y, p, false, &orders[0]) }

// UpdateLASX is UpdateLSX with LASX.
func UpdateLASX(t *Powers, y *[blockSize]byte, p []byte) { update(t, y, p, true, &orders[0]) }

// UpdateReversedLSX is UpdateLSX with the bytes of the hash and of every block in reverse order: POLYVAL of
// RFC 8452, appendix A.
func UpdateReversedLSX(t *Powers, y *[blockSize]byte, p []byte) { update(t, y, p, false, &orders[1]) }

// UpdateReversedLASX is UpdateReversedLSX with LASX.
func UpdateReversedLASX(t *Powers, y *[blockSize]byte, p []byte) { update(t, y, p, true, &orders[1]) }

func update(t *Powers, y *[blockSize]byte, p []byte, lasx bool, order *[blockSize]byte) {
	four := none
	if len(p) > First*blockSize {
		four = 4
	}
	if blocks := len(p) / blockSize; blocks > 0 {
		kernel(t, y, &p[0], blocks, four, lasx, order)
	}
	if rest := p[len(p)&^(blockSize-1):]; len(rest) > 0 {
		var last block
		copy(last.bytes()[:], rest)
		kernel(t, y, &last.bytes()[0], 1, none, false, order)
		last.wipe()
	}
}

func kernel(t *Powers, y *[blockSize]byte, p *byte, n, four int, lasx bool, order *[blockSize]byte) {
	if lasx {
		updateLASX(t, y, p, n, four, order)
	} else {
		updateLSX(t, y, p, n, four, order)
	}
}
