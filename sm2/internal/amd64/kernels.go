//go:build amd64 && !purego

package amd64

// Field elements are four limbs, the lowest first, below p, in Montgomery form.
// Points are X, Y, Z in Jacobian coordinates, or X, Y. The kernels need BMI2, ADX
// and AVX2, have no branch or address that depends on a value, and leave nothing on
// the stack.

// MulADX sets z = x y / 2^256 modulo p; z may be x or y.
//
//go:noescape
//ct:secret z x y
//prove:field.multiply modulus=p
func MulADX(z, x, y *[4]uint64)

// SquaresADX sets z = x^(2^n), n at least 1; z may be x.
//
//go:noescape
//ct:secret z x
//prove:field.squares modulus=p cut=next:z n=1,2
func SquaresADX(z, x *[4]uint64, n int)

// DoubleADX sets r = 2^n p, n at least 1; r may be p.
//
//go:noescape
//ct:secret r p
//prove:points.double loop=again n=1,2
func DoubleADX(r, p *[12]uint64, n int)

// AddADX sets r = r + q, or leaves r unchanged if skip is all ones rather than 0. r
// may be infinity; q may be infinity only if it is skipped. If r = q, the sum is
// wrong, and same is all ones rather than 0.
//
//go:noescape
//ct:secret r q skip same
//prove:points.add affine=0 skip=0,1
func AddADX(r, q *[12]uint64, skip uint64) (same uint64)

// AddAffineADX is AddADX for an affine q, which may have any value if it is skipped.
//
//go:noescape
//ct:secret r q skip same
//prove:points.add affine=1 skip=0,1
func AddAffineADX(r *[12]uint64, q *[8]uint64, skip uint64) (same uint64)

// GetADX sets r to entry magnitude-1 of the table, or to 0 for magnitude 0.
//
//go:noescape
//ct:secret r table magnitude
//prove:points.get magnitude=0..16
func GetADX(r *[12]uint64, table *[16][12]uint64, magnitude uint64)

// SumBaseADX sets r to the sum of one point of each row of the table. A digit
// is the number of an entry, from 1 on. Bit 63 is set if the point is to be
// subtracted. If the sum over the previous rows is the point to be added or its
// opposite, Z becomes 0.
//
//go:noescape
//ct:secret r digits
//ct:public table
//prove:points.base loop=row first=1 frame=zz:zzz shift=0,32
func SumBaseADX(r *[12]uint64, table *[43][32][8]uint64, digits *[43]uint64)
