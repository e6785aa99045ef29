package frodokem

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"sync"

	"github.com/cipherlane/cipherlane/internal/keccak"
)

// This file multiplies. The matrix A has n x n entries and is public. It is never stored
// as a whole: a driver generates some rows or columns, multiplies by them, and continues
// with the next.

// multiply replaces, in the noise for each key, E' with B' = S'A + E' and E” with
// S'B + E”. Consecutive keys may share A. beside and states are those of expand.
func multiply(row uint8, p *params, s []*scratch, keys []*EncapsulationKey, beside bool, states *[lanes]keccak.State) {
	size := nbar * p.n
	for i := 0; i < len(s); {
		seed := keys[i].bytes[:seedA]
		if beside {
			noise := s[i].noise[:2*size+nbar*nbar]
			finish(row, p, s[i], false, noise[:size], noise[size:], seed, &states[i], bytesOf(noise)[firstBlocks(p):])
			i++
			continue
		}
		var list [lanes]product
		n := 0
		for ; i < len(s) && bytes.Equal(keys[i].bytes[:seedA], seed); i++ {
			list[n] = product{s[i], s[i].noise[size : 2*size], s[i].noise[:size]}
			n++
		}
		mulSA(row, p, list[:n], seed)
	}
	for i, s := range s {
		mulSB(row, s, p.n, (*[nbar * nbar]uint16)(s.noise[2*size:]), s.noise[:size], keys[i].b)
	}
}

// squeezesBeside reports whether the products for these keys squeeze the rest of the
// noise. They do if kernels can squeeze in integer registers while they multiply in
// vector registers, unless consecutive keys have the same A.
func squeezesBeside(row uint8, p *params, keys []*EncapsulationKey) bool {
	if !p.aes || !hasFinish(row) {
		return false
	}
	for i := 1; i < len(keys); i++ {
		if bytes.Equal(keys[i-1].bytes[:seedA], keys[i].bytes[:seedA]) {
			return false
		}
	}
	return true
}

// finish completes the computation from left, which is S' or, for a key, S^T. It
// squeezes the rest of the noise from state to out, samples it to rest, and adds S'A or
// A S. It overwrites left.
func finish(row uint8, p *params, s *scratch, key bool, left, rest []uint16, seed []byte, state *keccak.State, out []byte) {
	blocks := (len(out) - 1) / p.rate
	prepare(row, p, &s.kernel, seed)
	finishKernel(row, key, left, &s.kernel, &state.A, out, p.rate/8, blocks)
	state.Last(out[blocks*p.rate:])
	state.Wipe()
	fromLittleEndian(rest)
	sample(row, p, rest)
	addKernel(row, rest[:len(left)], left)
}

// A product describes a product S'A that mulSA adds to out, where left is S'. Both are
// 8 x n.
type product struct {
	s         *scratch
	out, left []uint16
}

// mulSA adds S'A to the output of each product of a list, for the same A. Stored rows
// are used for all products.
func mulSA(row uint8, p *params, list []product, seed []byte) {
	if row == generic {
		mulSAGeneric(p, list, seed)
		return
	}
	k := &list[0].s.kernel
	for i := range list {
		pairsKernel(row, &list[i].s.kernel, list[i].left)
	}
	if p.aes {
		prepare(row, p, k, seed)
		if len(list) < int(storeFrom[row]) {
			for i := range list {
				mulSAKernel(row, list[i].out, k, &list[i].s.kernel)
			}
			return
		}
	}
	stored := rowsPool.Get().(*storedRows)
	for first := 0; first < p.n; first += many {
		rows := stored.generate(row, p, k, seed, first)
		for i := range list {
			addRowsKernel(row, list[i].out, rows, &list[i].s.kernel, first)
		}
	}
	rowsPool.Put(stored)
}

// mulAS adds A S to out, n x 8; right is S^T, 8 x n.
func mulAS(row uint8, s *scratch, p *params, out, right []uint16, seed []byte) {
	if row == generic {
		s.portable.mulASGeneric(p, out, right, seed)
		return
	}
	if p.aes {
		prepare(row, p, &s.kernel, seed)
		if storeFrom[row] > 0 {
			mulASKernel(row, out, &s.kernel, right)
			return
		}
	}
	stored := rowsPool.Get().(*storedRows)
	for i := 0; i < p.n; i += many {
		dotsKernel(row, out[nbar*i:nbar*(i+many)], stored.generate(row, p, &s.kernel, seed, i), right)
	}
	rowsPool.Put(stored)
}

// prepare sets up the state from which kernels generate A with AES.
func prepare(row uint8, p *params, k *kernelScratch, seed []byte) {
	var words [11][4]uint32
	var keys [11][16]byte
	expandKey(&words, seed)
	for r := range words {
		for i, w := range words[r] {
			binary.LittleEndian.PutUint32(keys[r][4*i:], w)
		}
	}
	prepareKernel(row, k, &keys, p.n)
}

// many is the number of rows in storedRows.
const many = 2 * keccak.MaxLanes

// storedRows contains rows of A. It is allocated only if rows are generated before they
// are multiplied.
type storedRows [many * maxN]uint16

var rowsPool = sync.Pool{New: func() any { return new(storedRows) }}

// generate generates the rows from i on. For AES, prepare must have been called.
func (r *storedRows) generate(row uint8, p *params, k *kernelScratch, seed []byte, i int) []uint16 {
	rows := r[:many*p.n]
	if p.aes {
		rowsKernel(row, rows, k, i, p.n)
		return rows
	}
	for half := 0; half < many; half += many / 2 {
		keccak.Rows(hashRow[row], uint16(i+half), seed, bytesOf(rows[half*p.n:(half+many/2)*p.n]))
	}
	fromLittleEndian(rows)
	return rows
}

// mulSB adds S'B to v: left is S', 8 x n, which must also be the operand of the last
// mulSA; b is B, n x 8.
func mulSB(row uint8, s *scratch, n int, v *[nbar * nbar]uint16, left, b []uint16) {
	if row == generic {
		mulSBGeneric(n, v, left, b)
		return
	}
	mulSBKernel(row, v, &s.kernel, left, b)
}

// mulBS subtracts B'S from w: b is B', 8 x n; right is S^T, 8 x n.
func mulBS(row uint8, n int, w *[nbar * nbar]uint16, b, right []uint16) {
	if row == generic {
		mulBSGeneric(n, w, b, right)
		return
	}
	var t [nbar * nbar]uint16
	dotsKernel(row, t[:], b, right)
	for i := range w {
		w[i] -= t[i]
	}
	clear(t[:])
	runtime.KeepAlive(&t)
}
