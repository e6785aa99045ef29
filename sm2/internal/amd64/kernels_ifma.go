//go:build amd64 && !purego

package amd64

// The kernels IFMA need AVX-512 (F, CD, BW, DQ, VL) and IFMA. They work on eight
// numbers or points side by side, lane by lane, and have no branch or address that
// depends on them.

// Lanes are eight numbers modulo p, in Montgomery's form with 2^260: limb i of 52
// bits of lane l is at [i][l]. They may be p or more: kernels say how large.
type Lanes [5][8]uint64

// A Point is eight points in Jacobian coordinates. What kernels take and make is
// below 1.1, 2.2 and 2.8 times p.
type Point struct{ X, Y, Z Lanes }

// Windows of a product of the base point.
const (
	BaseBits    = 6
	BaseEntries = 1 << (BaseBits - 1)
	BaseWindows = 43
)

// A BaseTable has, for window i and limb l of x, 0 to 4, and of y, 5 to 9, the
// limbs of the multiples by 1, 3, 5 and so on of 64^i times the base point. They
// are below p.
type BaseTable [BaseWindows][10][BaseEntries]uint64

// Work is what the products need. It is to begin at a multiple of 64 bytes, which
// makes it faster.
type Work struct {
	Sum   Point // the result
	Entry Point // what was found in a table

	// Table has the multiples of a point by 1, 3, 5 and so on to 15.
	Table [8]Point

	// Digits is (k-1)/2 + 2^255 for the product with a point, and (k-1)/2 + 2^257
	// for that of the base point, for an odd number k below 2^256: word i of lane l
	// is at [i][l].
	Digits [5][8]uint64

	// Flip is other than 0 in lanes where the result is to be negative.
	Flip [8]uint64

	Temp [8]Lanes // on the way
}

// MulIFMA sets z = x y / 2^260. x and y are below 3.8 p, and z is below 1.91 p; it may
// be x or y. If y is the number 1, z is at most p.
//
//go:noescape
func MulIFMA(z, x, y *Lanes)

// SqrIFMA sets z = x^2 / 2^260, and so on n times, at least once, with the bounds of
// MulIFMA; z may be x.
//
//go:noescape
func SqrIFMA(z, x *Lanes, n int)

// DoubleIFMA sets r = 2p; r may be p. It uses Temp.
//
//go:noescape
func DoubleIFMA(r, p *Point, w *Work)

// AddIFMA sets r = p + q; r may be p or q. It uses Temp. Where p or q is infinity, or
// both are the same or opposite, Z is 0 modulo p.
//
//go:noescape
func AddIFMA(r, p, q *Point, w *Work)

// BaseIFMA sets Sum to the product of Digits, which it uses up, and the base point.
// Z is 0 modulo p where the last of the additions is of the same points or opposite
// ones.
//
//go:noescape
func BaseIFMA(w *Work, t *BaseTable)

// MultiplyIFMA sets Sum to the product of Digits, which it uses up, and the point of
// which Table has the multiples. Z is 0 modulo p where an addition is of the same
// points or opposite ones.
//
//go:noescape
func MultiplyIFMA(w *Work)
