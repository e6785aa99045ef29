//go:build purego || !(amd64 || arm64 || riscv64)

package sm2

import (
	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/drivers"
)

var infos = []driver.Info{
	generic: {Name: "generic", Priority: 100, Timing: timing},
}

var table = drivers.Register("sm2", infos)

// There are no kernels.

func mulKernel(row uint8, z, x, y *element) {
	mulPortable(row, z, x, y)
}

func squaresKernel(row uint8, z, x *element, n int) {
	squaresPortable(row, z, x, n)
}

func doubleKernel(row uint8, r, p *point, n int) {
	doublePortable(row, r, p, n)
}

func addKernel(row uint8, r, q *point, skip uint64) (same uint64) {
	return addPortable(row, r, q, skip)
}

func addAffineKernel(row uint8, r *point, q *affine, skip uint64) (same uint64) {
	return addAffinePortable(row, r, q, skip)
}

func getKernel(row uint8, m *multiples, r *point, magnitude uint64) {
	getPortable(row, m, r, magnitude)
}

func sumBaseKernel(row uint8, r *point, t *baseTable, list *[baseDigits]uint64) {
	sumBasePortable(row, r, t, list)
}

func productsKernel(row uint8, product *element, before []element, p []affine) {
	productsPortable(row, product, before, p)
}

func addPairsKernel(row uint8, inverse *element, before []element, p []affine) {
	addPairsPortable(row, inverse, before, p)
}

func basePointsKernel(row uint8, r *basePointList, t *baseTable, list *[baseDigits]uint64) {
	basePointsPortable(row, r, t, list)
}

func invertKernel(row uint8, z, x *[4]uint64, m *modulus) { invertPortable(row, z, x, m) }
