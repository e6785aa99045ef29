//go:build !purego

package sm2

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm2/internal/riscv64"
)

const rv64 uint8 = 1

// Priorities: docs/benchmarks.md, Instruction counts on riscv64.
var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timing},
	rv64:    {Name: "rv64", Priority: 200, Timing: timing},
}

var table = drivers.Register("sm2", infos)

func mulKernel(row uint8, z, x, y *element) {
	switch row {
	case rv64:
		riscv64.MulRV64((*[4]uint64)(z), (*[4]uint64)(x), (*[4]uint64)(y))
	default:
		mulPortable(row, z, x, y)
	}
}

func squaresKernel(row uint8, z, x *element, n int) {
	switch row {
	case rv64:
		riscv64.SquareRV64((*[4]uint64)(z), (*[4]uint64)(x), n)
	default:
		squaresPortable(row, z, x, n)
	}
}

func doubleKernel(row uint8, r, p *point, n int) {
	switch row {
	case rv64:
		riscv64.DoubleRV64(r.limbs(), p.limbs(), n)
	default:
		doublePortable(row, r, p, n)
	}
}

func addKernel(row uint8, r, q *point, skip uint64) (same uint64) {
	switch row {
	case rv64:
		return riscv64.AddRV64(r.limbs(), q.limbs(), skip)
	default:
		return addPortable(row, r, q, skip)
	}
}

func addAffineKernel(row uint8, r *point, q *affine, skip uint64) (same uint64) {
	switch row {
	case rv64:
		return riscv64.AddAffineRV64(r.limbs(), q.limbs(), skip)
	default:
		return addAffinePortable(row, r, q, skip)
	}
}

func getKernel(row uint8, m *multiples, r *point, magnitude uint64) {
	switch row {
	case rv64:
		riscv64.GetRV64(r.limbs(), m.limbs(), magnitude)
	default:
		getPortable(row, m, r, magnitude)
	}
}

func sumBaseKernel(row uint8, r *point, t *baseTable, list *[baseDigits]uint64) {
	switch row {
	case rv64:
		riscv64.MultiplyBaseRV64(r.limbs(), t.limbs(), list)
	default:
		sumBasePortable(row, r, t, list)
	}
}

func productsKernel(row uint8, product *element, before []element, p []affine) {
	switch row {
	default: // rv64
		productsPortable(row, product, before, p)
	}
}

func addPairsKernel(row uint8, inverse *element, before []element, p []affine) {
	switch row {
	default: // rv64
		addPairsPortable(row, inverse, before, p)
	}
}

func basePointsKernel(row uint8, r *basePointList, t *baseTable, list *[baseDigits]uint64) {
	switch row {
	case rv64: // no kernel
		basePointsPortable(generic, r, t, list)
	default:
		basePointsPortable(row, r, t, list)
	}
}

func invertKernel(row uint8, z, x *[4]uint64, m *modulus) {
	switch row {
	case rv64: // no kernel
		invertPortable(generic, z, x, m)
	default:
		invertPortable(row, z, x, m)
	}
}
