package sm2

import (
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
	"github.com/cipherlane/cipherlane/sm2/internal/eight"
)

// Operations on lanes are called with drivers that process inputs side by side. With
// other rows, they must panic, which conformance.Operations checks for a wiped key.
func TestOperations(t *testing.T) {
	lanes := func(f func(row uint8)) func(row uint8) {
		return func(row uint8) {
			if int(row) >= len(table.Drivers()) || sideBySide(row) {
				f(row)
			}
		}
	}
	one := &element{1}
	conformance.Operations{
		"mul":               func(row uint8) { mul(row, new(element), one, one) },
		"squares":           func(row uint8) { squares(row, new(element), one, 2) },
		"double":            func(row uint8) { double(row, new(point), new(point), 2) },
		"add":               func(row uint8) { add(row, new(point), new(point), 0) },
		"addAffine":         func(row uint8) { addAffine(row, new(point), new(affine), 0) },
		"get":               func(row uint8) { get(row, new(point), new(multiples), 1) },
		"sumBase":           func(row uint8) { sumBase(row, new(point), new(baseTable), new([baseDigits]uint64)) },
		"invert":            func(row uint8) { invert(row, new([4]uint64), (*[4]uint64)(one), &primeModulus) },
		"basePoints":        func(row uint8) { basePoints(row, new(basePointList), new(baseTable), new([baseDigits]uint64)) },
		"products":          func(row uint8) { products(row, new(element), make([]element, 1), make([]affine, 2)) },
		"addPairs":          func(row uint8) { addPairs(row, new(element), make([]element, 1), make([]affine, 2)) },
		"mulLanes":          lanes(func(row uint8) { mulLanes(row, new(eight.Lanes), new(eight.Lanes), new(eight.Lanes)) }),
		"squareLanes":       lanes(func(row uint8) { squareLanes(row, new(eight.Lanes), new(eight.Lanes), 2) }),
		"doubleLanes":       lanes(func(row uint8) { doubleLanes(row, new(eight.Point), new(eight.Point), new(eight.Work)) }),
		"addLanes":          lanes(func(row uint8) { addLanes(row, new(eight.Point), new(eight.Point), new(eight.Point), new(eight.Work)) }),
		"multiplyBaseLanes": lanes(func(row uint8) { multiplyBaseLanes(row, new(eight.Work), new(eight.BaseTable)) }),
		"multiplyLanes":     lanes(func(row uint8) { multiplyLanes(row, new(eight.Work)) }),
	}.Test(t, table.Drivers())
}
