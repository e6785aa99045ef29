package sm2

import "github.com/cipherlane/cipherlane/sm2/internal/eight"

// kernels has the operations for which drivers may have kernels. _gen/switches writes the
// functions that call these: switch_<goarch>.go. Without a kernel they call …Portable.
type kernels interface {
	// mul sets z = x y.
	mul(z, x, y *element)

	// squares sets z = x^(2^n), n at least 1, as element.sqrs does.
	squares(z, x *element, n int)

	// double sets r = 2^n p, n at least 1.
	double(r, p *point, n int)

	// add implements point.add.
	add(r, q *point, skip uint64) (same uint64)

	// addAffine implements point.addAffine.
	addAffine(r *point, q *affine, skip uint64) (same uint64)

	// get implements multiples.get.
	get(r *point, table *multiples, magnitude uint64)

	// sumBase implements point.sumBase.
	sumBase(r *point, table *baseTable, digits *[baseDigits]uint64)

	// invert sets z = 1/x, or 0 for 0; x is below the modulus.
	invert(z, x *[4]uint64, modulus *modulus)

	// products multiplies product by the difference of the x coordinates of every pair of
	// points, from the last pair on, and sets before to the products before.
	products(product *element, before []element, p []affine)

	// addPairs replaces pairs of points by their sums, which are half as many. It undoes the
	// multiplications of products, whose inverted result is in inverse.
	addPairs(inverse *element, before []element, p []affine)

	// basePoints gets one point of each row, selected by the digits.
	basePoints(r *basePointList, table *baseTable, digits *[baseDigits]uint64)

	// The operations on lanes exist only for drivers for which sideBySide is true. Their
	// contracts are those of the kernels in internal/amd64/kernels_ifma.go, with the bounds
	// on numbers that these have.

	// mulLanes sets z = x y / 2^260.
	mulLanes(z, x, y *eight.Lanes)

	// squareLanes squares n times, at least once: each time z = x^2 / 2^260.
	squareLanes(z, x *eight.Lanes, n int)

	// doubleLanes sets r = 2p.
	doubleLanes(r, p *eight.Point, w *eight.Work)

	// addLanes sets r = p + q. Where it fails, Z is 0 modulo p.
	addLanes(r, p, q *eight.Point, w *eight.Work)

	// multiplyBaseLanes sets Sum to the product of Digits and the base point.
	multiplyBaseLanes(w *eight.Work, t *eight.BaseTable)

	// multiplyLanes sets Sum to the product of Digits and the point in Table.
	multiplyLanes(w *eight.Work)
}

// sideBySide reports whether a driver has the operations on lanes.
//
//switches:default func sideBySide(uint8) bool { return false }

// generic is the row of the portable driver in every table.
const generic uint8 = 0

const noKernel = "sm2: driver without a kernel"

// mustBeGeneric panics if the row is not that of the portable driver: a kernel is missing.
func mustBeGeneric(row uint8) {
	if row != generic {
		panic(noKernel)
	}
}

// mustExist panics if there is no such driver. It is for portable functions that also serve
// drivers with kernels for other operations.
func mustExist(row uint8) {
	if int(row) >= len(infos) {
		panic(noKernel)
	}
}

func mulPortable(row uint8, z, x, y *element) {
	mustBeGeneric(row)
	z.mul(x, y)
}

func squaresPortable(row uint8, z, x *element, n int) {
	mustBeGeneric(row)
	z.sqrs(x, n)
}

func doublePortable(row uint8, r, p *point, n int) {
	mustBeGeneric(row)
	r.doubles(p, n)
}

func addPortable(row uint8, r, q *point, skip uint64) (same uint64) {
	mustBeGeneric(row)
	return r.add(q, skip)
}

func addAffinePortable(row uint8, r *point, q *affine, skip uint64) (same uint64) {
	mustBeGeneric(row)
	return r.addAffine(q, skip)
}

func getPortable(row uint8, r *point, table *multiples, magnitude uint64) {
	mustBeGeneric(row)
	table.get(r, magnitude)
}

func sumBasePortable(row uint8, r *point, table *baseTable, digits *[baseDigits]uint64) {
	mustBeGeneric(row)
	r.sumBase(table, digits)
}
