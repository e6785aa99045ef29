//go:build !purego

package sm2

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/cpu"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm2/internal/amd64"
	"github.com/cipherlane/cipherlane/sm2/internal/eight"
)

const (
	adx uint8 = iota + 1
	avx512
)

// Priorities: docs/benchmarks.md, SM2 by driver.
var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timing},
	adx:     {Name: "adx", Priority: 200, Needs: cpu.BMI2 | cpu.ADX | cpu.AVX2, Timing: timing},
	avx512: {Name: "avx512", Priority: 300, Timing: timing,
		Needs: cpu.AVX512 | cpu.AVX512IFMA | cpu.BMI2 | cpu.ADX},
}

var table = drivers.Register("sm2", infos)

// sideBySide reports whether a driver has kernels for batches.
func sideBySide(row uint8) bool { return row == avx512 }

func mulKernel(row uint8, z, x, y *element) {
	switch row {
	case adx, avx512:
		amd64.MulADX((*[4]uint64)(z), (*[4]uint64)(x), (*[4]uint64)(y))
	default:
		mulPortable(row, z, x, y)
	}
}

func squaresKernel(row uint8, z, x *element, n int) {
	switch row {
	case adx, avx512:
		amd64.SquareADX((*[4]uint64)(z), (*[4]uint64)(x), n)
	default:
		squaresPortable(row, z, x, n)
	}
}

func doubleKernel(row uint8, r, p *point, n int) {
	switch row {
	case adx, avx512:
		amd64.DoubleADX(r.limbs(), p.limbs(), n)
	default:
		doublePortable(row, r, p, n)
	}
}

func addKernel(row uint8, r, q *point, skip uint64) (same uint64) {
	switch row {
	case adx, avx512:
		return amd64.AddADX(r.limbs(), q.limbs(), skip)
	default:
		return addPortable(row, r, q, skip)
	}
}

func addAffineKernel(row uint8, r *point, q *affine, skip uint64) (same uint64) {
	switch row {
	case adx, avx512:
		return amd64.AddAffineADX(r.limbs(), q.limbs(), skip)
	default:
		return addAffinePortable(row, r, q, skip)
	}
}

func getKernel(row uint8, m *multiples, r *point, magnitude uint64) {
	switch row {
	case adx, avx512:
		amd64.GetADX(r.limbs(), m.limbs(), magnitude)
	default:
		getPortable(row, m, r, magnitude)
	}
}

func sumBaseKernel(row uint8, r *point, t *baseTable, list *[baseDigits]uint64) {
	switch row {
	case adx, avx512:
		amd64.MultiplyBaseADX(r.limbs(), t.limbs(), list)
	default:
		sumBasePortable(row, r, t, list)
	}
}

func mulLanesKernel(row uint8, z, x, y *eight.Lanes) {
	switch row {
	case avx512:
		amd64.MulIFMA(z, x, y)
	default: // adx
		panic(noKernel)
	}
}

func squareLanesKernel(row uint8, z, x *eight.Lanes, n int) {
	switch row {
	case avx512:
		amd64.SqrIFMA(z, x, n)
	default: // adx
		panic(noKernel)
	}
}

func doubleLanesKernel(row uint8, r, p *eight.Point, w *eight.Work) {
	switch row {
	case avx512:
		amd64.DoubleIFMA(r, p, w)
	default: // adx
		panic(noKernel)
	}
}

func addLanesKernel(row uint8, r, p, q *eight.Point, w *eight.Work) {
	switch row {
	case avx512:
		amd64.AddIFMA(r, p, q, w)
	default: // adx
		panic(noKernel)
	}
}

func multiplyBaseLanesKernel(row uint8, w *eight.Work, t *eight.BaseTable) {
	switch row {
	case avx512:
		amd64.BaseIFMA(w, t)
	default: // adx
		panic(noKernel)
	}
}

func multiplyLanesKernel(row uint8, w *eight.Work) {
	switch row {
	case avx512:
		amd64.MultiplyIFMA(w)
	default: // adx
		panic(noKernel)
	}
}

func productsKernel(row uint8, product *element, before []element, p []affine) {
	switch row {
	default: // adx, avx512
		productsPortable(row, product, before, p)
	}
}

func addPairsKernel(row uint8, inverse *element, before []element, p []affine) {
	switch row {
	default: // adx, avx512
		addPairsPortable(row, inverse, before, p)
	}
}

func basePointsKernel(row uint8, r *basePointList, t *baseTable, list *[baseDigits]uint64) {
	switch row {
	case adx, avx512: // no kernel
		basePointsPortable(generic, r, t, list)
	default:
		basePointsPortable(row, r, t, list)
	}
}

func invertKernel(row uint8, z, x *[4]uint64, m *modulus) {
	switch row {
	case adx, avx512: // no kernel
		invertPortable(generic, z, x, m)
	default:
		invertPortable(row, z, x, m)
	}
}
