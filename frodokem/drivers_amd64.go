//go:build !purego

package frodokem

import (
	"encoding/binary"
	"runtime"
	"sync"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/frodokem/internal/amd64"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/keccak"
)

const (
	rowGeneric uint8 = iota
	rowAESNI
	rowVAES256
	rowVAES512
)

var table = drivers.Register("frodokem", []driver.Info{
	rowGeneric: {Name: "generic", Priority: 100, Timing: timingGeneric},
	rowAESNI: {Name: "aesni-avx2", Priority: 200, Timing: timingAMD64,
		Needs: cpu.AVX2 | cpu.AES | cpu.BMI1 | cpu.BMI2},
	rowVAES256: {Name: "vaes-avx2", Priority: 300, Timing: timingAMD64,
		Needs: cpu.AVX2 | cpu.AES | cpu.VAES | cpu.BMI1 | cpu.BMI2},
	rowVAES512: {Name: "vaes-avx512", Priority: 400, Timing: timingAMD64,
		Needs: cpu.AVX512 | cpu.AVX512VNNI | cpu.VAES | cpu.BMI1 | cpu.BMI2},
})

const timingAMD64 = "independent of secrets: fixed instructions, no table"

// kernelScratch is the working memory of the kernels for one operation.
type kernelScratch struct{ work amd64.Work }

func (k *kernelScratch) wipe(p *params) {
	clear(k.work.Words[:p.n/2])
	clear(k.work.Squares[:])
}

// storedRows contains rows of A. It is allocated only if rows are generated before they
// are multiplied.
type storedRows [many * maxN]uint16

var rowsPool = sync.Pool{New: func() any { return new(storedRows) }}

// many is the number of rows in storedRows.
const many = 16

// prepare sets up the state from which kernels generate A.
func (k *kernelScratch) prepare(row uint8, p *params, seed []byte) {
	var keys [11][4]uint32
	expandKey(&keys, seed)
	for r := range keys {
		for i, w := range keys[r] {
			binary.LittleEndian.PutUint32(k.work.Keys[r][4*i:], w)
		}
	}
	if row == rowVAES512 {
		amd64.PrepareVAES512(&k.work.Matrix, p.n)
	} else {
		amd64.PrepareAESNI(&k.work.Matrix, p.n)
	}
}

// fromSHAKE generates the rows from i on with SHAKE.
func (r *storedRows) fromSHAKE(row uint8, p *params, seed []byte, i int) []uint16 {
	rows := r[:many*p.n]
	for half := 0; half < many; half += keccak.MaxLanes {
		keccak.Rows(hashRow(row), uint16(i+half), seed, bytesOf(rows[half*p.n:(half+keccak.MaxLanes)*p.n]))
	}
	return rows
}

// hashRow returns the driver of Keccak that goes with a driver.
func hashRow(row uint8) uint8 {
	switch row {
	case rowGeneric:
		return keccak.Generic
	case rowAESNI, rowVAES256:
		return keccak.AVX2
	case rowVAES512:
		return keccak.AVX512
	default:
		panic(noKernel)
	}
}

// storeRows returns the number of products with the same A from which on the driver
// generates rows of A with AES and stores them, rather than generating A anew for each
// product.
func storeRows(row uint8) int {
	if row == rowVAES512 {
		return 3
	}
	return 2
}

// fromAES generates the rows from i on with AES. prepare must have been called.
func (r *storedRows) fromAES(row uint8, p *params, m *amd64.Matrix, i int) []uint16 {
	rows := r[:many*p.n]
	for half := 0; half < many; half += many / 2 {
		part := rows[half*p.n : (half+many/2)*p.n]
		switch row {
		case rowAESNI:
			amd64.RowsAESNI(part, m, i+half, p.n)
		case rowVAES256, rowVAES512:
			amd64.RowsVAES256(part, m, i+half, p.n)
		default:
			panic(noKernel)
		}
	}
	return rows
}

// mulSA adds S'A to the output of each product of a list, for the same A. Stored rows
// are used for all products.
func mulSA(row uint8, p *params, list []product, seed []byte) {
	if row == rowGeneric {
		mulSAGeneric(p, keccak.Generic, list, seed)
		return
	}
	k := &list[0].s.kernel
	for i := range list {
		makePairs(row, &list[i].s.kernel.work.Pairs, list[i].left)
	}
	if p.aes {
		k.prepare(row, p, seed)
	}
	if p.aes && len(list) < storeRows(row) {
		for i := range list {
			out, pairs := list[i].out, &list[i].s.kernel.work.Pairs
			switch row {
			case rowAESNI:
				amd64.MulSAAESNI(out, &k.work.Matrix, pairs)
			case rowVAES256:
				amd64.MulSAVAES256(out, &k.work.Matrix, pairs)
			case rowVAES512:
				w := &list[i].s.kernel.work
				if i > 0 {
					w.Matrix = k.work.Matrix
				}
				amd64.MulSAVAES512(out, w, nil, nil, 0, 0)
			default:
				panic(noKernel)
			}
		}
		return
	}
	stored := rowsPool.Get().(*storedRows)
	for first := 0; first < p.n; first += many {
		var rows []uint16
		if p.aes {
			rows = stored.fromAES(row, p, &k.work.Matrix, first)
		} else {
			rows = stored.fromSHAKE(row, p, seed, first)
		}
		for i := range list {
			addRowsStored(row, p, list[i].out, rows, &list[i].s.kernel.work.Pairs, first)
		}
	}
	rowsPool.Put(stored)
}

// addRowsStored adds to out the products of the rows of A from first on with S'.
func addRowsStored(row uint8, p *params, out, rows []uint16, pairs *amd64.Pairs, first int) {
	switch row {
	case rowAESNI, rowVAES256:
		amd64.RowsSAAVX2(out, rows[:many/2*p.n], pairs, first)
		amd64.RowsSAAVX2(out, rows[many/2*p.n:], pairs, first+many/2)
	case rowVAES512:
		amd64.RowsSAAVX512(out, rows, pairs, first)
	default:
		panic(noKernel)
	}
}

// squeezesBeside reports whether the kernels can squeeze Keccak in integer registers
// while they multiply in vector registers.
func squeezesBeside(row uint8, p *params) bool { return row == rowVAES512 && p.aes }

// finishOne completes the computation from left, which is S' or S^T, for drivers for
// which squeezesBeside is true. It squeezes the rest of the noise from state to out,
// samples it to rest, and adds S'A or A S.
func finishOne(row uint8, p *params, s *scratch, key bool, left, rest []uint16, seed []byte, state *keccak.State, out []byte) {
	w, blocks := &s.kernel.work, (len(out)-1)/p.rate
	s.kernel.prepare(row, p, seed)
	// The kernels use only the layout derived from left, so left is free for the product.
	if key {
		amd64.ColumnsAVX512(&w.Pairs, left)
		clear(left)
		amd64.MulASVAES512(left, w, &state.A, &out[0], p.rate/8, blocks)
	} else {
		amd64.PairsAVX512(&w.Pairs, left)
		clear(left)
		amd64.MulSAVAES512(left, w, &state.A, &out[0], p.rate/8, blocks)
	}
	state.Last(out[blocks*p.rate:])
	sample(row, p, rest)
	amd64.AddAVX512(rest[:len(left)], left)
}

// mulAS adds A S to out, n x 8; right is S^T, 8 x n.
func mulAS(row uint8, s *scratch, p *params, out, right []uint16, seed []byte) {
	if row == rowGeneric {
		s.portable.mulASGeneric(p, keccak.Generic, out, right, seed)
		return
	}
	k := &s.kernel
	if p.aes {
		k.prepare(row, p, seed)
		switch row {
		case rowAESNI:
			amd64.MulASAESNI(out, &k.work.Matrix, right)
		case rowVAES256:
			amd64.MulASVAES256(out, &k.work.Matrix, right)
		case rowVAES512:
			amd64.ColumnsAVX512(&k.work.Pairs, right)
			amd64.MulASVAES512(out, &k.work, nil, nil, 0, 0)
		default:
			panic(noKernel)
		}
		return
	}
	stored := rowsPool.Get().(*storedRows)
	for i := 0; i < p.n; i += many {
		dots(row, out[nbar*i:nbar*(i+many)], stored.fromSHAKE(row, p, seed, i), right)
	}
	rowsPool.Put(stored)
}

func makePairs(row uint8, pairs *amd64.Pairs, left []uint16) {
	switch row {
	case rowAESNI, rowVAES256:
		amd64.PairsAVX2(pairs, left)
	case rowVAES512:
		amd64.PairsAVX512(pairs, left)
	default:
		panic(noKernel)
	}
}

func dots(row uint8, out, x, st []uint16) {
	switch row {
	case rowAESNI, rowVAES256:
		amd64.DotsAVX2(out, x, st)
	case rowVAES512:
		amd64.DotsAVX512(out, x, st)
	default:
		panic(noKernel)
	}
}

// mulSB adds S'B to v: left is S', 8 x n, which must also be the operand of the last
// mulSA; b is B, n x 8.
func mulSB(row uint8, s *scratch, n int, v *[nbar * nbar]uint16, left, b []uint16) {
	switch row {
	case rowGeneric:
		mulSBGeneric(n, v, left, b)
	case rowAESNI, rowVAES256:
		amd64.MulSBAVX2(v, &s.kernel.work.Pairs, b)
	case rowVAES512:
		amd64.MulSBAVX512(v, &s.kernel.work.Pairs, b)
	default:
		panic(noKernel)
	}
}

// mulBS subtracts B'S from w: b is B', 8 x n; right is S^T, 8 x n.
func mulBS(row uint8, n int, w *[nbar * nbar]uint16, b, right []uint16) {
	if row == rowGeneric {
		mulBSGeneric(n, w, b, right)
		return
	}
	var t [nbar * nbar]uint16
	dots(row, t[:], b, right)
	for i := range w {
		w[i] -= t[i]
	}
	clear(t[:])
	runtime.KeepAlive(&t)
}

// sample turns random words into noise in place.
func sample(row uint8, p *params, s []uint16) {
	switch row {
	case rowGeneric:
		sampleGeneric(p, s)
	case rowAESNI, rowVAES256:
		amd64.SampleAVX2(s, p.cdf)
	case rowVAES512:
		amd64.SampleAVX512(s, p.cdf)
	default:
		panic(noKernel)
	}
}

// pack writes the d lowest bits of every entry; len(v) is a multiple of 64.
func pack(row uint8, d int, out []byte, v []uint16) {
	switch {
	case row == rowGeneric:
		packGeneric(d, out, v)
	case d == 16:
		amd64.SwapAVX2(out, bytesOf(v))
	default:
		amd64.Pack15AVX2(out, v)
	}
}

// unpack is the inverse of pack; in may be longer.
func unpack(row uint8, d int, v []uint16, in []byte) {
	switch {
	case row == rowGeneric:
		unpackGeneric(d, v, in)
	case d == 16:
		amd64.SwapAVX2(bytesOf(v), in[:2*len(v)])
	default:
		amd64.Unpack15AVX2(v, in)
	}
}

// difference returns 0 if x and y are equal in the bits of the mask. Their length must
// be a multiple of 64.
func difference(row uint8, mask uint16, x, y []uint16) uint16 {
	if row == rowGeneric {
		return differenceGeneric(mask, x, y)
	}
	d := amd64.DifferenceAVX2(x, y)
	d |= d >> 32
	return uint16(d|d>>16) & mask
}
