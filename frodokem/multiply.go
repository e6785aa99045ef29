package frodokem

import (
	"encoding/binary"
	"sync"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

// multiply replaces E' with B' = S'A + E', and the noise of C with S'B plus that noise.
func (b *batch) multiply(keys *[lanes]*EncapsulationKey) {
	for i, o := range b.ops {
		copy(o.seedA[:], keys[i].bytes)
	}
	var ops [lanes]*operation
	others := *b // whose noise is squeezed before they are multiplied
	others.ops = ops[:0]
	for list := b.ops; len(list) > 0; {
		n := sameA(list)
		for _, o := range list[:n] {
			if !finishKernel(b.row, b, o, n) {
				others.ops = append(others.ops, o)
			}
		}
		list = list[n:]
	}
	others.squeeze()
	for list := others.ops; len(list) > 0; {
		n := sameA(list)
		b.mulSA(list[:n])
		list = list[n:]
	}
	for i, o := range b.ops {
		mulSB(b.row, o.c, &o.kernel, o.s, keys[i].b)
	}
}

// sameA returns how many operations from the first on have the same A.
func sameA(ops []*operation) int {
	n := 1
	for n < len(ops) && ops[n].seedA == ops[0].seedA {
		n++
	}
	return n
}

// mulSA adds S'A to E' of operations with the same A.
func (b *batch) mulSA(ops []*operation) {
	if b.row == generic {
		b.mulSAGeneric(ops)
		return
	}
	for _, o := range ops {
		pairsKernel(b.row, &o.kernel, o.s)
	}
	first := ops[0]
	if b.aes {
		b.prepare(first)
		if len(ops) == 1 && mulSAKernel(b.row, first.b, &first.kernel) {
			return
		}
	}
	stored := rowsPool.Get().(*storedRows)
	for i := 0; i < b.n; i += stripe {
		rows := b.rowsOfA(first, stored, i)
		for _, o := range ops {
			addRowsKernel(b.row, o.b, rows, &o.kernel, i)
		}
	}
	rowsPool.Put(stored)
}

// multiplyKey replaces E with B = A S + E.
func (b *batch) multiplyKey() {
	o := b.ops[0]
	if finishKernel(b.row, b, o, 1) {
		return
	}
	b.squeeze()
	b.mulAS(o)
}

// mulAS adds A S to E.
func (b *batch) mulAS(o *operation) {
	if b.row == generic {
		b.mulASGeneric(o)
		return
	}
	if b.aes {
		b.prepare(o)
		if mulASKernel(b.row, o.b, &o.kernel, o.s) {
			return
		}
	}
	stored := rowsPool.Get().(*storedRows)
	for i := 0; i < b.n; i += stripe {
		dots(b.row, o.b[nbar*i:nbar*(i+stripe)], b.rowsOfA(o, stored, i), o.s)
	}
	rowsPool.Put(stored)
}

// prepare sets up the kernels for the generation of A with AES.
func (b *batch) prepare(o *operation) {
	var words [44]uint32
	aescore.ExpandKey(words[:], o.seedA[:])
	var keys [11][16]byte
	for i, w := range words {
		binary.LittleEndian.PutUint32(keys[i/4][i%4*4:], w)
	}
	prepareKernel(b.row, &o.kernel, &keys, b.n)
}

// stripe is the number of rows in storedRows.
const stripe = 2 * keccak.MaxLanes

// storedRows contains rows of A. It is allocated only if rows are generated before they
// are multiplied.
type storedRows [stripe * maxN]uint16

var rowsPool = sync.Pool{New: func() any { return new(storedRows) }}

// rowsOfA generates the rows from i on. For AES, prepare must have been called.
func (b *batch) rowsOfA(o *operation, stored *storedRows, i int) []uint16 {
	rows := stored[:stripe*b.n]
	if b.aes {
		rowsKernel(b.row, rows, &o.kernel, i, b.n)
		return rows
	}
	for half := range 2 {
		out := rows[half*stripe/2*b.n:][:stripe/2*b.n]
		keccak.Rows(hashRow[b.row], uint16(i+half*stripe/2), o.seedA[:], bytesOf(out))
	}
	return rows
}
