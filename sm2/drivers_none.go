//go:build purego || !amd64

package sm2

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

const rowGeneric row = 0

var table = drivers.Register("sm2", []driver.Info{
	rowGeneric: {Name: "generic", Priority: 100, Timing: timing},
})

// mul sets z = x y.
func (row row) mul(z, x, y *element) {
	switch row {
	case rowGeneric:
		z.mul(x, y)
	default:
		panic(noKernel)
	}
}

// square implements element.sqrs.
func (row row) square(z, x *element, n int) {
	switch row {
	case rowGeneric:
		z.sqrs(x, n)
	default:
		panic(noKernel)
	}
}

// double sets r = 2^n p, n at least 1.
func (row row) double(r, p *point, n int) {
	switch row {
	case rowGeneric:
		r.doubles(p, n)
	default:
		panic(noKernel)
	}
}

// add implements point.add.
func (row row) add(r, q *point, skip uint64) (same uint64) {
	switch row {
	case rowGeneric:
		return r.add(q, skip)
	default:
		panic(noKernel)
	}
}

// addAffine implements point.addAffine.
func (row row) addAffine(r *point, q *affine, skip uint64) (same uint64) {
	switch row {
	case rowGeneric:
		return r.addAffine(q, skip)
	default:
		panic(noKernel)
	}
}

// get implements multiples.get.
func (row row) get(m *multiples, r *point, magnitude uint64) {
	switch row {
	case rowGeneric:
		m.get(r, magnitude)
	default:
		panic(noKernel)
	}
}

// sumBase implements point.sumBase.
func (row row) sumBase(r *point, t *baseTable, list *[baseDigits]uint64) {
	switch row {
	case rowGeneric:
		r.sumBase(t, list)
	default:
		panic(noKernel)
	}
}

// sideBySide reports whether this driver processes batches in parallel.
func (row row) sideBySide() bool {
	switch row {
	case rowGeneric:
		return false
	default:
		panic(noKernel)
	}
}

func signMany([]*Signing, bool) { panic(noKernel) }

func verifyMany([]*Verification) { panic(noKernel) }

func generateMany([]*PrivateKey, row) { panic(noKernel) }
