package frodokem

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/keccak"
)

// All operations go through the phases of a batch. With the standard's names of matrices:
//
//	           encapsulate                decapsulate                  generate
//	unpack                                B', C, and mu from C - B'S
//	hash       seedSE, k from pkh, mu     the same                     seedA from z
//	noise      S' from seedSE             the same                     S^T
//	multiply   B' = S'A + E', S'B + E''   the same                     B = A S + E
//	pack       B', and C with mu          compare, in place of pack    B
//	hash       the shared key             the same                     pkh
//
// The matrices of an operation are in memory from a pool. B' takes the place of E', and C that of
// E''. Buffers of callers are only in local variables: in the pool, they would have to be on the
// heap. The phase noise squeezes the hash until S' is complete, and multiply squeezes the rest of
// the noise, because some kernels can do so while they multiply (finishKernel).
//
// A is never stored as a whole. Kernels generate and multiply it (mulSAKernel, mulASKernel), or
// some rows at a time are generated and multiplied (rowsOfA), for all operations with this A.

// lanes is the maximum number of operations that are processed together.
const lanes = keccak.MaxLanes

// A batch is one to eight operations of one kind, with keys of one set and driver.
type batch struct {
	*params
	row uint8
	key bool // to generate a key
	ops []*operation
}

// An operation is the working memory for an encapsulation, a decapsulation or a key. It comes
// from a pool, is wiped before it is returned there, and is not shared with other goroutines
// meanwhile.
type operation struct {
	matrices [(2*maxN + nbar) * nbar]uint16
	received [(maxN + nbar) * nbar]uint16 // B' and C of the ciphertext
	kernel   kernelScratch                // aligned to a cache line
	portable *portableScratch             // nil for drivers with kernels

	// These are in matrices.
	s  []uint16             // S', 8 x n, or S^T
	b  []uint16             // E', then B'; n x 8 for a key: E, then B
	c  *[nbar * nbar]uint16 // E'', then C; not for a key
	bc []uint16             // b and c

	seedA  [seedA]byte
	random [maxShared + maxSalt]byte // mu, salt
	hashed [maxSeedSE + maxShared]byte
	mu     []byte       // in random
	seedSE []byte       // in hashed
	k      []byte       // in hashed
	state  keccak.State // of the hash that expands seedSE
	rest   []byte       // in matrices, to be squeezed from state
	text   keccak.State // of the hash of the ciphertext
}

// portableScratch is additional memory for the portable driver.
type portableScratch struct {
	columns [maxN]uint16        // sums of the columns of A
	a       [rows * maxN]uint16 // rows of A
	sums    [nbar / 2 * maxN]uint64
	tables  aesTables
}

var (
	operationPool = sync.Pool{New: func() any { return new(operation) }}
	portablePool  = sync.Pool{New: func() any { return new(portableScratch) }}
)

// newBatch fills ops from the pool.
func newBatch(p *params, row uint8, key bool, ops []*operation) batch {
	size := nbar * p.n
	for i := range ops {
		o := operationPool.Get().(*operation)
		if row == generic {
			o.portable = portablePool.Get().(*portableScratch)
		}
		o.s, o.b, o.bc = o.matrices[:size], o.matrices[size:2*size], o.matrices[size:2*size]
		if !key {
			o.c, o.bc = (*[nbar * nbar]uint16)(o.matrices[2*size:]), o.matrices[size:2*size+nbar*nbar]
		}
		o.mu, o.seedSE, o.k = o.random[:p.shared], o.hashed[:p.seedSE], o.hashed[p.seedSE:][:p.shared]
		ops[i] = o
	}
	return batch{p, row, key, ops}
}

// end wipes the secrets and returns the memory to the pool.
func (b *batch) end() {
	for _, o := range b.ops {
		clear(o.matrices[:2*len(o.s)+nbar*nbar])
		clear(o.random[:])
		clear(o.hashed[:])
		o.kernel.wipe(b.params)
		if o.portable != nil {
			clear(o.portable.sums[:nbar/2*b.n])
			portablePool.Put(o.portable)
			o.portable = nil
		}
		operationPool.Put(o)
	}
}

// hash computes SHAKE for a message of each operation.
func (b *batch) hash(messages []keccak.Lane) { keccak.Sum(hashRow[b.row], b.rate, messages) }

// noise begins to expand seedSE, and samples S'. It also absorbs text, the first blocks of the
// ciphertext of a single operation, because it takes little longer to do both at the same time.
func (b *batch) noise(text []byte) {
	domain := []byte{0x96}
	if b.key {
		domain[0] = 0x5f
	}
	squeezed := max((2*nbar*b.n+b.rate-1)/b.rate*b.rate, len(text))
	var seeds [lanes]keccak.Lane
	for i, o := range b.ops {
		out := bytesOf(o.matrices[:len(o.s)+len(o.bc)])
		o.rest = out[squeezed:]
		seeds[i] = keccak.Lane{In: [3][]byte{domain, o.seedSE}, Out: out[:squeezed], State: &o.state}
	}
	keccak.Begin(hashRow[b.row], b.rate, seeds[:len(b.ops)], &b.ops[0].text, text)
	for _, o := range b.ops {
		sample(b.row, o.s, b.cdf)
	}
}

// squeeze squeezes and samples the rest of the noise.
func (b *batch) squeeze() {
	var states [lanes]keccak.Lane
	for i, o := range b.ops {
		states[i] = keccak.Lane{Out: o.rest, State: &o.state}
	}
	keccak.End(hashRow[b.row], b.rate, states[:len(b.ops)])
	for _, o := range b.ops {
		sample(b.row, o.bc, b.cdf)
	}
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
