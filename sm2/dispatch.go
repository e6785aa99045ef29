package sm2

import "github.com/cipherlane/cipherlane/sm2/internal/eight"

// This file has every operation once, for all architectures: it calls the switch over
// the architecture's kernels in drivers_<goarch>.go, …Kernel, and that calls …Portable
// if the driver has no kernel.

// generic is the row of the portable driver in every table.
const generic uint8 = 0

const noKernel = "sm2: driver without a kernel"

// only panics if the row is not that of the portable driver: a kernel is missing.
func only(row uint8) {
	if row != generic {
		panic(noKernel)
	}
}

// mul sets z = x y.
func mul(row uint8, z, x, y *element) { mulKernel(row, z, x, y) }

func mulPortable(row uint8, z, x, y *element) {
	only(row)
	z.mul(x, y)
}

// squares sets z = x^(2^n), n at least 1, as element.sqrs does.
func squares(row uint8, z, x *element, n int) { squaresKernel(row, z, x, n) }

func squaresPortable(row uint8, z, x *element, n int) {
	only(row)
	z.sqrs(x, n)
}

// double sets r = 2^n p, n at least 1.
func double(row uint8, r, p *point, n int) { doubleKernel(row, r, p, n) }

func doublePortable(row uint8, r, p *point, n int) {
	only(row)
	r.doubles(p, n)
}

// add implements point.add.
func add(row uint8, r, q *point, skip uint64) (same uint64) { return addKernel(row, r, q, skip) }

func addPortable(row uint8, r, q *point, skip uint64) (same uint64) {
	only(row)
	return r.add(q, skip)
}

// addAffine implements point.addAffine.
func addAffine(row uint8, r *point, q *affine, skip uint64) (same uint64) {
	return addAffineKernel(row, r, q, skip)
}

func addAffinePortable(row uint8, r *point, q *affine, skip uint64) (same uint64) {
	only(row)
	return r.addAffine(q, skip)
}

// get implements multiples.get.
func get(row uint8, m *multiples, r *point, magnitude uint64) { getKernel(row, m, r, magnitude) }

func getPortable(row uint8, m *multiples, r *point, magnitude uint64) {
	only(row)
	m.get(r, magnitude)
}

// sumBase implements point.sumBase.
func sumBase(row uint8, r *point, t *baseTable, list *[baseDigits]uint64) {
	sumBaseKernel(row, r, t, list)
}

func sumBasePortable(row uint8, r *point, t *baseTable, list *[baseDigits]uint64) {
	only(row)
	r.sumBase(t, list)
}

// invert sets z = 1/x, or 0 for 0; x is below the modulus.
func invert(row uint8, z, x *[4]uint64, m *modulus) { invertKernel(row, z, x, m) }

// products implements productsPortable.
func products(row uint8, product *element, before []element, p []affine) {
	productsKernel(row, product, before, p)
}

// addPairs implements addPairsPortable.
func addPairs(row uint8, inverse *element, before []element, p []affine) {
	addPairsKernel(row, inverse, before, p)
}

// basePoints implements basePointsPortable.
func basePoints(row uint8, r *basePointList, t *baseTable, list *[baseDigits]uint64) {
	basePointsKernel(row, r, t, list)
}

// The operations on lanes exist only for drivers for which sideBySide is true. Their
// contracts are those of the kernels in internal/amd64/kernels_ifma.go, with the bounds
// on numbers that these have.

// mulLanes sets z = x y / 2^260.
func mulLanes(row uint8, z, x, y *eight.Lanes) { mulLanesKernel(row, z, x, y) }

// squareLanes squares n times, at least once: each time z = x^2 / 2^260.
func squareLanes(row uint8, z, x *eight.Lanes, n int) { squareLanesKernel(row, z, x, n) }

// doubleLanes sets r = 2p.
func doubleLanes(row uint8, r, p *eight.Point, w *eight.Work) { doubleLanesKernel(row, r, p, w) }

// addLanes sets r = p + q. Where it fails, Z is 0 modulo p.
func addLanes(row uint8, r, p, q *eight.Point, w *eight.Work) { addLanesKernel(row, r, p, q, w) }

// multiplyBaseLanes sets Sum to the product of Digits and the base point.
func multiplyBaseLanes(row uint8, w *eight.Work, t *eight.BaseTable) {
	multiplyBaseLanesKernel(row, w, t)
}

// multiplyLanes sets Sum to the product of Digits and the point in Table.
func multiplyLanes(row uint8, w *eight.Work) { multiplyLanesKernel(row, w) }
