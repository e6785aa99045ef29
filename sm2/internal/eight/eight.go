// Package eight has the types of kernels that process eight numbers or points in
// parallel, for all architectures.
package eight

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

	// Digits encodes an odd number k below 2^256: (k-1)/2 + 2^255 for a product of a point,
	// (k-1)/2 + 2^257 for one of the base point. Word i of lane l is at [i][l].
	Digits [5][8]uint64

	// Flip is nonzero in lanes where the result is to be negated.
	Flip [8]uint64

	Temp [8]Lanes // intermediate results
}
