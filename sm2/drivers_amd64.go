//go:build !purego

package sm2

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm2/internal/amd64"
)

const (
	rowGeneric row = iota
	rowADX
	rowAVX512
)

// Priorities: docs/benchmarks.md, SM2 by driver.
var table = drivers.Register("sm2", []driver.Info{
	rowGeneric: {Name: "generic", Priority: 100, Timing: timing},
	rowADX:     {Name: "adx", Priority: 200, Needs: cpu.BMI2 | cpu.ADX | cpu.AVX2, Timing: timing},
	rowAVX512: {Name: "avx512", Priority: 300, Timing: timing,
		Needs: cpu.AVX512 | cpu.AVX512IFMA | cpu.BMI2 | cpu.ADX},
})

// limbs returns a point in the form that kernels use.
func (p *point) limbs() *[12]uint64 { return (*[12]uint64)(unsafe.Pointer(p)) }

func (p *affine) limbs() *[8]uint64 { return (*[8]uint64)(unsafe.Pointer(p)) }

// mul sets z = x y.
func (row row) mul(z, x, y *element) {
	switch row {
	case rowGeneric:
		z.mul(x, y)
	case rowADX, rowAVX512:
		amd64.MulADX((*[4]uint64)(z), (*[4]uint64)(x), (*[4]uint64)(y))
	default:
		panic(noKernel)
	}
}

// square implements element.sqrs.
func (row row) square(z, x *element, n int) {
	switch row {
	case rowGeneric:
		z.sqrs(x, n)
	case rowADX, rowAVX512:
		amd64.SquareADX((*[4]uint64)(z), (*[4]uint64)(x), n)
	default:
		panic(noKernel)
	}
}

// double sets r = 2^n p, n at least 1.
func (row row) double(r, p *point, n int) {
	switch row {
	case rowGeneric:
		r.doubles(p, n)
	case rowADX, rowAVX512:
		amd64.DoubleADX(r.limbs(), p.limbs(), n)
	default:
		panic(noKernel)
	}
}

// add implements point.add.
func (row row) add(r, q *point, skip uint64) (same uint64) {
	switch row {
	case rowGeneric:
		return r.add(q, skip)
	case rowADX, rowAVX512:
		return amd64.AddADX(r.limbs(), q.limbs(), skip)
	default:
		panic(noKernel)
	}
}

// addAffine implements point.addAffine.
func (row row) addAffine(r *point, q *affine, skip uint64) (same uint64) {
	switch row {
	case rowGeneric:
		return r.addAffine(q, skip)
	case rowADX, rowAVX512:
		return amd64.AddAffineADX(r.limbs(), q.limbs(), skip)
	default:
		panic(noKernel)
	}
}

// get implements multiples.get.
func (row row) get(m *multiples, r *point, magnitude uint64) {
	switch row {
	case rowGeneric:
		m.get(r, magnitude)
	case rowADX, rowAVX512:
		amd64.GetADX(r.limbs(), (*[entries][12]uint64)(unsafe.Pointer(m)), magnitude)
	default:
		panic(noKernel)
	}
}

// sumBase implements point.sumBase.
func (row row) sumBase(r *point, t *baseTable, list *[baseDigits]uint64) {
	switch row {
	case rowGeneric:
		r.sumBase(t, list)
	case rowADX, rowAVX512:
		amd64.MultiplyBaseADX(r.limbs(), (*[baseDigits][baseEntries][8]uint64)(unsafe.Pointer(t)), list)
	default:
		panic(noKernel)
	}
}

// sideBySide reports whether this driver processes batches in parallel.
func (row row) sideBySide() bool {
	switch row {
	case rowGeneric, rowADX:
		return false
	case rowAVX512:
		return true
	default:
		panic(noKernel)
	}
}
