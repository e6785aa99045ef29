package frodokem

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"unsafe"
)

// scratch is the working memory of one operation. It comes from a pool, is wiped
// before it is returned there, and is not shared with other goroutines meanwhile.
type scratch struct {
	// noise is the concatenation of S', E' and E'', which are 8 x n, 8 x n and 8 x 8;
	// during key generation, of S^T and E.
	noise    [(2*maxN + nbar) * nbar]uint16
	b        [nbar * maxN]uint16 // B'
	kernel   kernelScratch       // aligned to a cache line
	portable *portableScratch    // nil for drivers with kernels
}

// portableScratch is additional memory for the portable driver.
type portableScratch struct {
	columns [maxN]uint16        // sums of the columns of A
	a       [rows * maxN]uint16 // rows of A
	sums    [nbar / 2 * maxN]uint64
	tables  aesTables
}

var scratchPool, portablePool = sync.Pool{New: func() any { return new(scratch) }}, sync.Pool{New: func() any { return new(portableScratch) }}

func getScratch(row uint8) *scratch {
	s := scratchPool.Get().(*scratch)
	if row == generic {
		s.portable = portablePool.Get().(*portableScratch)
	}
	return s
}

// put wipes the secrets of an operation with these parameters and returns the memory to
// the pool.
func (s *scratch) put(p *params) {
	clear(s.noise[:(2*p.n+nbar)*nbar])
	s.kernel.wipe(p)
	if s.portable != nil {
		clear(s.portable.sums[:nbar/2*p.n])
		portablePool.Put(s.portable)
		s.portable = nil
	}
	scratchPool.Put(s)
}

// bytesOf returns the memory of w as bytes, to be filled by a hash. fromLittleEndian
// then converts it to words.
func bytesOf(w []uint16) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 2*len(w))
}

func fromLittleEndian(w []uint16) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		for i, x := range w {
			w[i] = bits.ReverseBytes16(x)
		}
	}
}

// words reads little-endian words.
func words(out []uint16, in []byte) {
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(in[2*i:])
	}
}
