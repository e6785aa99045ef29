//go:build amd64 && !purego

package amd64

import "github.com/cipherlane/cipherlane/sm2/internal/eight"

// The IFMA kernels need AVX-512 (F, CD, BW, DQ, VL) and IFMA. They process eight
// numbers or points in parallel, one per lane, and have no branch or address that
// depends on their values.

type (
	Lanes     = eight.Lanes
	Point     = eight.Point
	BaseTable = eight.BaseTable
	Work      = eight.Work
)

// MulLanesIFMA sets z = x y / 2^260. x and y are below 3.8 p, and z is below 1.91 p; it may
// be x or y. If y is the number 1, z is at most p.
//
//go:noescape
//ct:secret z x y
func MulLanesIFMA(z, x, y *Lanes)

// SquareLanesIFMA squares n times, at least once: each time z = x^2 / 2^260, with the bounds
// of MulLanesIFMA. z may be x.
//
//go:noescape
//ct:secret z x
func SquareLanesIFMA(z, x *Lanes, n int)

// DoubleLanesIFMA sets r = 2p; r may be p. It uses Temp.
//
//go:noescape
//ct:secret r p w
func DoubleLanesIFMA(r, p *Point, w *Work)

// AddLanesIFMA sets r = p + q; r may be p or q. It uses Temp. In lanes where p or q is
// infinity, or p and q are equal or opposite, Z is 0 modulo p.
//
//go:noescape
//ct:secret r p q w
func AddLanesIFMA(r, p, q *Point, w *Work)

// MultiplyBaseLanesIFMA sets Sum to the product of Digits and the base point. It overwrites Digits.
// Z is 0 modulo p in lanes where the last addition is of equal or opposite points.
//
//go:noescape
//ct:secret w
//ct:public t
func MultiplyBaseLanesIFMA(w *Work, t *BaseTable)

// MultiplyLanesIFMA sets Sum to the product of Digits and the point whose multiples are in
// Table. It overwrites Digits. Z is 0 modulo p in lanes where an addition is of equal
// or opposite points.
//
//go:noescape
//ct:secret w
func MultiplyLanesIFMA(w *Work)
