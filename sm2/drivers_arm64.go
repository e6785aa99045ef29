//go:build !purego

package sm2

import (
	"unsafe"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm2/internal/arm64"
)

const aarch64 uint8 = 1

// Priorities: docs/benchmarks.md, Instruction counts on arm64.
var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timing},
	aarch64: {Name: "arm64", Priority: 200, Timing: timing},
}

var table = drivers.Register("sm2", infos)

func mulKernel(row uint8, z, x, y *element) {
	switch row {
	case aarch64:
		arm64.MulARM64((*[4]uint64)(z), (*[4]uint64)(x), (*[4]uint64)(y))
	default:
		mulPortable(row, z, x, y)
	}
}

func squaresKernel(row uint8, z, x *element, n int) {
	switch row {
	case aarch64:
		arm64.SquareARM64((*[4]uint64)(z), (*[4]uint64)(x), n)
	default:
		squaresPortable(row, z, x, n)
	}
}

func doubleKernel(row uint8, r, p *point, n int) {
	switch row {
	case aarch64:
		arm64.DoubleARM64(r.limbs(), p.limbs(), n)
	default:
		doublePortable(row, r, p, n)
	}
}

func addKernel(row uint8, r, q *point, skip uint64) (same uint64) {
	switch row {
	case aarch64:
		return arm64.AddARM64(r.limbs(), q.limbs(), skip)
	default:
		return addPortable(row, r, q, skip)
	}
}

func addAffineKernel(row uint8, r *point, q *affine, skip uint64) (same uint64) {
	switch row {
	case aarch64:
		return arm64.AddAffineARM64(r.limbs(), q.limbs(), skip)
	default:
		return addAffinePortable(row, r, q, skip)
	}
}

func getKernel(row uint8, m *multiples, r *point, magnitude uint64) {
	switch row {
	case aarch64:
		arm64.GetARM64(r.limbs(), m.limbs(), magnitude)
	default:
		getPortable(row, m, r, magnitude)
	}
}

func sumBaseKernel(row uint8, r *point, t *baseTable, list *[baseDigits]uint64) {
	switch row {
	case aarch64:
		arm64.MultiplyBaseARM64(r.limbs(), t.limbs(), list)
	default:
		sumBasePortable(row, r, t, list)
	}
}

func productsKernel(row uint8, product *element, before []element, p []affine) {
	switch row {
	case aarch64:
		arm64.ProductsARM64((*[4]uint64)(product), (*[4]uint64)(&before[0]), p[0].limbs(), len(before))
	default:
		productsPortable(row, product, before, p)
	}
}

func addPairsKernel(row uint8, inverse *element, before []element, p []affine) {
	switch row {
	case aarch64:
		arm64.AddPairsARM64((*[4]uint64)(inverse), (*[4]uint64)(&before[0]), p[0].limbs(), len(before))
	default:
		addPairsPortable(row, inverse, before, p)
	}
}

func basePointsKernel(row uint8, r *basePointList, t *baseTable, list *[baseDigits]uint64) {
	switch row {
	case aarch64:
		arm64.BasePointsARM64(r.limbs(), t.limbs(), list)
	default:
		basePointsPortable(row, r, t, list)
	}
}

func invertKernel(row uint8, z, x *[4]uint64, m *modulus) {
	switch row {
	case aarch64:
		arm64.InvertARM64(z, x, m.limbs())
	default:
		invertPortable(row, z, x, m)
	}
}

func (m *modulus) limbs() *[6]uint64 { return (*[6]uint64)(unsafe.Pointer(m)) }

func (l *basePointList) limbs() *[baseDigits][8]uint64 {
	return (*[baseDigits][8]uint64)(unsafe.Pointer(l))
}
