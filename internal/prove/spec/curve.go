package spec

import "math/big"

// The curve of GB/T 32918.5 is y^2 = x^3 - 3x + b. Here are the sums of its points, as polynomials: an identity of
// these holds for all points.

// Prime is the number of elements of the field of SM2, and Order that of the points of its curve.
var (
	Prime = hexadecimal("fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff")
	Order = hexadecimal("fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123")
)

func hexadecimal(s string) *big.Int {
	x, ok := new(big.Int).SetString(s, 16)
	if !ok {
		panic(s)
	}
	return x
}

// Unknowns is how many variables polynomials have.
const Unknowns = 6

// A Polynomial has coefficients modulo Prime, which are not 0, by the exponents of the variables.
type Polynomial map[[Unknowns]uint8]*big.Int

// Variable is variable i.
func Variable(i int) Polynomial {
	var e [Unknowns]uint8
	e[i] = 1
	return Polynomial{e: big.NewInt(1)}
}

// Integer is a constant.
func Integer(v int64) Polynomial {
	return Polynomial{}.Plus(big.NewInt(v), Polynomial{{}: big.NewInt(1)})
}

// Plus is f + c g.
func (f Polynomial) Plus(c *big.Int, g Polynomial) Polynomial {
	sum := make(Polynomial, len(f)+len(g))
	for e, x := range f {
		sum[e] = x
	}
	for e, x := range g {
		x = new(big.Int).Mul(c, x)
		if old := sum[e]; old != nil {
			x.Add(x, old)
		}
		if sum[e] = x.Mod(x, Prime); x.Sign() == 0 {
			delete(sum, e)
		}
	}
	return sum
}

// Minus is f - g.
func (f Polynomial) Minus(g Polynomial) Polynomial { return f.Plus(big.NewInt(-1), g) }

// Times is f g.
func (f Polynomial) Times(g Polynomial) Polynomial {
	sum := Polynomial{}
	for d, x := range f {
		for e, y := range g {
			for i := range e {
				e[i] += d[i]
			}
			z := new(big.Int).Mul(x, y)
			if old := sum[e]; old != nil {
				z.Add(z, old)
			}
			sum[e] = z
		}
	}
	return Polynomial{}.Plus(big.NewInt(1), sum)
}

// Equal reports whether f is g.
func (f Polynomial) Equal(g Polynomial) bool { return len(f.Minus(g)) == 0 }

// Same reports whether f is g or -g.
func (f Polynomial) Same(g Polynomial) bool {
	return f.Equal(g) || f.Equal(Polynomial{}.Minus(g))
}

// product multiplies several polynomials.
func product(list ...Polynomial) Polynomial {
	f := Integer(1)
	for _, g := range list {
		f = f.Times(g)
	}
	return f
}

// A Fraction is that of two polynomials.
type Fraction struct{ Over, Under Polynomial }

func (f Fraction) minus(g Fraction) Fraction {
	return Fraction{f.Over.Times(g.Under).Minus(g.Over.Times(f.Under)), f.Under.Times(g.Under)}
}

func (f Fraction) times(g Fraction) Fraction {
	return Fraction{f.Over.Times(g.Over), f.Under.Times(g.Under)}
}

func (f Fraction) inverse() Fraction { return Fraction{f.Under, f.Over} }

// Is reports whether two fractions are the same.
func (f Fraction) Is(g Fraction) bool { return len(f.minus(g).Over) == 0 }

// An AffinePoint has coordinates.
type AffinePoint struct{ X, Y Fraction }

// Jacobian is the point X/Z^2, Y/Z^3.
func Jacobian(x, y, z Polynomial) AffinePoint {
	return AffinePoint{Fraction{x, product(z, z)}, Fraction{y, product(z, z, z)}}
}

// third is where the line through a point, with a slope, and another one with a coordinate x meets the curve again,
// negated.
func (p AffinePoint) third(slope, x Fraction) AffinePoint {
	sum := slope.times(slope).minus(p.X).minus(x)
	return AffinePoint{sum, slope.times(p.X.minus(sum)).minus(p.Y)}
}

// Double is p + p: the slope is that of the tangent.
func (p AffinePoint) Double() AffinePoint {
	three, two := Fraction{Integer(3), Integer(1)}, Fraction{Integer(2), Integer(1)}
	slope := three.times(p.X).times(p.X).minus(three).times(two.times(p.Y).inverse())
	return p.third(slope, p.X)
}

// Add is p + q for points with different coordinates x.
func (p AffinePoint) Add(q AffinePoint) AffinePoint {
	return p.third(q.Y.minus(p.Y).times(q.X.minus(p.X).inverse()), q.X)
}

// Is reports whether two points are the same.
func (p AffinePoint) Is(q AffinePoint) bool { return p.X.Is(q.X) && p.Y.Is(q.Y) }
