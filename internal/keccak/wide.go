package keccak

import (
	"encoding/binary"
	"runtime"
	"unsafe"
)

// This file has the operations on several states. They need no kernels but those to
// absorb and squeeze a block of each state, and to permute the states.

// widthOf returns the number of states that the kernels of a driver process together,
// 2, 4 or 8, or 1 if it has only kernels for one state.
func widthOf(row uint8) int {
	if int(row) >= len(widths) {
		panic(noKernel)
	}
	return int(widths[row])
}

// wideStates is memory for up to eight states, of which a kernel gets the aligned part:
// a[width*i+k] is lane i of state k.
type wideStates [207]uint64

// aligned returns the part that begins with a cache line, because loads and stores of 64
// bytes are faster if they do not cross cache lines. (If the stack moves, they only get
// slower.)
func (s *wideStates) aligned() (a *[200]uint64) {
	return (*[200]uint64)(s[-uintptr(unsafe.Pointer(s))%64/8:])
}

// absorbWide adds the block at each pointer to its state, and permutes at least the
// given number of states.
func absorbWide(row uint8, a *[200]uint64, p *[8]*byte, rate, states int) {
	absorbWideKernel(row, a, p, rate/8)
	permuteWideKernel(row, a, states)
}

// sumWide is sum for up to width lanes in parallel. For two lanes, this is still faster
// than one after the other.
func sumWide(row uint8, width, rate int, lanes []Lane, begin, end bool) {
	var (
		wide  wideStates
		block [8][Rate128]byte // the last blocks, and those of missing lanes
		p     [8]*byte
	)
	a := wide.aligned()
	for k := range lanes {
		if s := lanes[k].State; s != nil {
			for i, x := range s.A {
				a[width*i+k] = x
			}
		}
	}
	if begin {
		absorbMessages(row, width, rate, lanes, a, &block)
	}
	for start, n := 0, len(lanes[0].Out); ; {
		m := min(rate, n-start)
		for k := range width {
			if p[k] = &block[k][0]; m == rate && k < len(lanes) {
				p[k] = &lanes[k].Out[start]
			}
		}
		squeezeWideKernel(row, a, &p, rate/8)
		if m < rate {
			for k := range lanes {
				copy(lanes[k].Out[start:], block[k][:m])
			}
		}
		if start += m; start == n && end {
			break
		}
		permuteWideKernel(row, a, len(lanes))
		if start == n {
			break
		}
	}
	for k := range lanes {
		switch s := lanes[k].State; {
		case s != nil && end:
			s.Wipe()
		case s != nil:
			for i := range s.A {
				s.A[i] = a[width*i+k]
			}
		}
	}
	clear(wide[:])
	clear(block[:])
	runtime.KeepAlive(&wide)
	runtime.KeepAlive(&block)
}

// absorbMessages absorbs the messages of all lanes. Missing lanes are copies of the first.
func absorbMessages(
	row uint8, width, rate int, lanes []Lane, a *[200]uint64, block *[8][Rate128]byte,
) {
	var (
		p    [8]*byte
		lane [8]*Lane // never sliced, or the lanes would escape
	)
	blocks := block[:width] // that span several parts
	for k := range lane {
		lane[k] = &lanes[0]
		if k < len(lanes) {
			lane[k] = &lanes[k]
		}
	}
	filled := 0 // bytes of the block being assembled
	for part := range lanes[0].In {
		for start, n := 0, len(lanes[0].In[part]); start < n; {
			if filled == 0 && n-start >= rate {
				for k, l := range lane {
					p[k] = &l.In[part][start]
				}
				absorbWide(row, a, &p, rate, len(lanes))
				start += rate
				continue
			}
			m := min(rate-filled, n-start)
			for k := range blocks {
				copy(blocks[k][filled:], lane[k].In[part][start:start+m])
			}
			filled += m
			start += m
			if filled == rate {
				for k := range blocks {
					p[k] = &blocks[k][0]
				}
				absorbWide(row, a, &p, rate, len(lanes))
				filled = 0
			}
		}
	}
	for k := range blocks {
		b := blocks[k][:rate]
		clear(b[filled:])
		b[filled] = 0x1f
		b[rate-1] ^= 0x80
		p[k] = &b[0]
	}
	absorbWide(row, a, &p, rate, len(lanes))
}

// squeezeAndAbsorbWide squeezes out from s and absorbs in, which is as long, into t, with one
// permutation of several states for both.
func squeezeAndAbsorbWide(row uint8, width, rate int, s *State, out []byte, t *State, in []byte) {
	var wide wideStates
	a := wide.aligned()
	for i := range s.A {
		a[width*i], a[width*i+1] = s.A[i], t.A[i]
	}
	for ; len(out) > 0; out, in = out[rate:], in[rate:] {
		for i := range rate / 8 {
			binary.LittleEndian.PutUint64(out[8*i:], a[width*i])
			a[width*i+1] ^= binary.LittleEndian.Uint64(in[8*i:])
		}
		permuteWideKernel(row, a, 2)
	}
	for i := range s.A {
		s.A[i], t.A[i] = a[width*i], a[width*i+1]
	}
	clear(wide[:])
	runtime.KeepAlive(&wide)
}

// message returns the first three words of the state for a row. The last word of the block is
// 0x80<<56.
func message(number uint16, seed []byte) (a, b, c uint64) {
	x, y := binary.LittleEndian.Uint64(seed), binary.LittleEndian.Uint64(seed[8:])
	return uint64(number) | x<<16, x>>48 | y<<16, y>>48 | 0x1f<<16
}

// rowOne generates a row. Its message is shorter than a block. To permute the state, it squeezes
// the block of the message, which nobody needs.
func rowOne(row uint8, number uint16, seed, out []byte) {
	var s State
	var block [Rate128]byte
	s.A[0], s.A[1], s.A[2] = message(number, seed)
	s.A[Rate128/8-1] = 0x80 << 56
	squeeze(row, &s.A, block[:], Rate128)
	whole := (len(out) - 1) / Rate128 * Rate128
	s.squeeze(row, Rate128, out[:whole])
	s.Last(out[whole:])
}

// rowsWide generates width rows of n bytes. Each message is shorter than a block, and is
// written to its state together with its padding.
func rowsWide(row uint8, width int, first uint16, seed, out []byte, n int) {
	var (
		wide wideStates
		last [8][Rate128]byte
		p    [8]*byte
	)
	a := wide.aligned()
	for k := range width {
		a[k], a[width+k], a[2*width+k] = message(first+uint16(k), seed)
		a[(Rate128/8-1)*width+k] = 0x80 << 56
	}
	for start := 0; start < n; start += Rate128 {
		permuteWideKernel(row, a, width)
		whole := n-start >= Rate128
		for k := range width {
			if p[k] = &last[k][0]; whole {
				p[k] = &out[k*n+start]
			}
		}
		squeezeWideKernel(row, a, &p, Rate128/8)
		if !whole {
			for k := range width {
				copy(out[k*n+start:(k+1)*n], last[k][:])
			}
		}
	}
}
