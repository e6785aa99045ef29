//go:build !purego

package sm2

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
)

const (
	rowGeneric row = iota
	rowADX
)

var table = driver.Register("sm2", []driver.Info{
	rowGeneric: {Name: "generic", Priority: 100, Timing: timing},
	rowADX:     {Name: "adx", Priority: 200, Needs: cpu.BMI2 | cpu.ADX | cpu.AVX2, Timing: timing},
})

// double sets r = 2^n p, n at least 1.
func (row row) double(r, p *point, n int) {
	switch row {
	case rowGeneric, rowADX:
		r.doubles(p, n)
	default:
		panic(noKernel)
	}
}

// add is the method of point.
func (row row) add(r, q *point, skip uint64) (same uint64) {
	switch row {
	case rowGeneric, rowADX:
		return r.add(q, skip)
	default:
		panic(noKernel)
	}
}

// addAffine is the method of point.
func (row row) addAffine(r *point, q *affine, skip uint64) (same uint64) {
	switch row {
	case rowGeneric, rowADX:
		return r.addAffine(q, skip)
	default:
		panic(noKernel)
	}
}

// get is the method of multiples.
func (row row) get(m *multiples, r *point, magnitude uint64) {
	switch row {
	case rowGeneric, rowADX:
		m.get(r, magnitude)
	default:
		panic(noKernel)
	}
}

// getBase is the method of baseRow.
func (row row) getBase(t *baseRow, r *affine, magnitude uint64) {
	switch row {
	case rowGeneric, rowADX:
		t.get(r, magnitude)
	default:
		panic(noKernel)
	}
}
