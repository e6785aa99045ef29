//go:build amd64 && !purego

package amd64

// The IFMA kernels need AVX-512 (F, CD, BW, DQ, VL) and IFMA. They process eight
// numbers or points in parallel, one per lane, and have no branch or address that
// depends on their values.

// Lanes is eight numbers modulo p, in Montgomery form with 2^260: the 52-bit limb i
// of lane l is at [i][l]. Numbers may be p or more; each kernel documents its bounds.
type Lanes [5][8]uint64

// A Point is eight points in Jacobian coordinates. Inputs and outputs of kernels are
// below 1.1, 2.2 and 2.8 times p.
type Point struct{ X, Y, Z Lanes }

// Windows of a product of the base point.
const (
	BaseBits    = 6
	BaseEntries = 1 << (BaseBits - 1)
	BaseWindows = 43
)

// A BaseTable contains the odd multiples 1, 3, 5 and so on of 64^i times the base
// point, for window i. Its second index is the limb: 0 to 4 for x, 5 to 9 for y.
// Coordinates are below p.
type BaseTable [BaseWindows][10][BaseEntries]uint64

// Work is the working memory of the multiplications. They are faster if it is
// aligned to 64 bytes.
type Work struct {
	Sum   Point // the result
	Entry Point // the entry read from a table

	// Table contains the multiples of a point by 1, 3, 5 and so on to 15.
	Table [8]Point

	// Digits encodes an odd number k below 2^256: (k-1)/2 + 2^255 for MultiplyIFMA,
	// (k-1)/2 + 2^257 for BaseIFMA. Word i of lane l is at [i][l].
	Digits [5][8]uint64

	// Flip is nonzero in lanes where the result is to be negated.
	Flip [8]uint64

	Temp [8]Lanes // intermediate results
}

// MulIFMA sets z = x y / 2^260. x and y are below 3.8 p, and z is below 1.91 p; it may
// be x or y. If y is the number 1, z is at most p.
//
//go:noescape
//ct:secret z x y
func MulIFMA(z, x, y *Lanes)

// SqrIFMA squares n times, at least once: each time z = x^2 / 2^260, with the bounds
// of MulIFMA. z may be x.
//
//go:noescape
//ct:secret z x
func SqrIFMA(z, x *Lanes, n int)

// DoubleIFMA sets r = 2p; r may be p. It uses Temp.
//
//go:noescape
//ct:secret r p w
func DoubleIFMA(r, p *Point, w *Work)

// AddIFMA sets r = p + q; r may be p or q. It uses Temp. In lanes where p or q is
// infinity, or p and q are equal or opposite, Z is 0 modulo p.
//
//go:noescape
//ct:secret r p q w
func AddIFMA(r, p, q *Point, w *Work)

// BaseIFMA sets Sum to the product of Digits and the base point. It overwrites Digits.
// Z is 0 modulo p in lanes where the last addition is of equal or opposite points.
//
//go:noescape
//ct:secret w
//ct:public t
func BaseIFMA(w *Work, t *BaseTable)

// MultiplyIFMA sets Sum to the product of Digits and the point whose multiples are in
// Table. It overwrites Digits. Z is 0 modulo p in lanes where an addition is of equal
// or opposite points.
//
//go:noescape
//ct:secret w
func MultiplyIFMA(w *Work)
