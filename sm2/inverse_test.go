package sm2

import (
	"math/big"
	"testing"
)

// big returns the value of w.
func (w *wide) big() *big.Int {
	v := new(big.Int)
	for i := 4; i >= 0; i-- {
		v.Add(v.Lsh(v, limbBits), big.NewInt(w[i]))
	}
	return v
}

// Each matrix of 60 steps keeps f, g, d and e within the bounds that invert relies on,
// and the equations x d = f and x e = g modulo the modulus.
func TestInversionBounds(t *testing.T) {
	for _, modulus := range []*modulus{&primeModulus, &orderModulus} {
		m := modulus.wide.big()
		low := new(big.Int).Neg(new(big.Int).Lsh(m, 1))
		one := big.NewInt(1)
		for i := range 50 {
			x := new(big.Int).SetBytes(randomBytes(32))
			switch i {
			case 0:
				x.Sub(m, one)
			case 1:
				x.Set(one)
			case 2:
				x.Rsh(m, 1)
			}
			x.Mod(x, m)
			v := limbs(x.FillBytes(make([]byte, 32)))
			f, g := modulus.wide, toWide(&v)
			d, e := wide{}, wide{1}
			delta := int64(-1)
			for range 10 {
				var a, next matrix
				fLow, gLow := uint64(f[0])|uint64(f[1])<<60, uint64(g[0])|uint64(g[1])<<60
				delta, a = steps(delta, fLow, gLow)
				next = a
				for range 2 {
					fLow, gLow = next.low(fLow, gLow)
					delta, next = steps(delta, fLow, gLow)
					a.times(&next)
				}
				a.apply(&f, &g)
				a.applyModulo(&d, &e, modulus)
				for name, pair := range map[string][2]*wide{"d": {&d, &f}, "e": {&e, &g}} {
					v := pair[0].big()
					if v.Cmp(low) <= 0 || v.Cmp(m) >= 0 {
						t.Fatalf("x = %x: %s = %x is not above -2 m and below m", x, name, v)
					}
					for _, limb := range pair[0][:4] {
						if limb>>60 != 0 {
							t.Fatalf("x = %x: %s has a limb %x", x, name, limb)
						}
					}
					v.Mul(v, x)
					if v.Sub(v, pair[1].big()).Mod(v, m).Sign() != 0 {
						t.Fatalf("x = %x: x %s is another number", x, name)
					}
				}
			}
			if g != (wide{}) || new(big.Int).Abs(f.big()).Cmp(one) != 0 && x.Sign() != 0 {
				t.Fatalf("x = %x: ends with f = %x, g = %x", x, f.big(), g.big())
			}
		}
	}
}

// wideFrom is the inverse of big.
func wideFrom(v *big.Int) (w wide) {
	mask, rest := big.NewInt(limbMask), new(big.Int).Set(v)
	for i := range 4 {
		w[i] = new(big.Int).And(rest, mask).Int64()
		rest.Rsh(rest, limbBits)
	}
	w[4] = rest.Int64()
	return w
}

// applyModulo keeps the bounds for all numbers within them, however unlikely they are.
func TestApplyModulo(t *testing.T) {
	for _, modulus := range []*modulus{&primeModulus, &orderModulus} {
		m := modulus.wide.big()
		one, three := big.NewInt(1), new(big.Int).Mul(m, big.NewInt(3))
		low := new(big.Int).Neg(new(big.Int).Lsh(m, 1))
		least, most := new(big.Int).Add(low, one), new(big.Int).Sub(m, one)
		sample := func() *big.Int {
			v := new(big.Int).SetBytes(randomBytes(40))
			switch {
			case v.Bit(300) == 0:
				return v.Add(v.Mod(v, new(big.Int).Sub(three, one)), least)
			case v.Bit(301) == 0:
				return least
			default:
				return most
			}
		}
		for range 400 {
			b := limbs(randomBytes(32))
			_, a := steps(int64(b[3]%40)-20, b[0]|1, b[1])
			for range 2 {
				_, next := steps(int64(b[3]%40)-20, b[2]|1, b[1]>>20)
				a.times(&next)
				b[2], b[1] = b[1], b[0]
			}
			x, y := sample(), sample()
			d, e := wideFrom(x), wideFrom(y)
			a.applyModulo(&d, &e, modulus)
			for _, c := range []struct {
				got  wide
				p, q int64
			}{{d, a.u, a.v}, {e, a.q, a.r}} {
				got := c.got.big()
				if got.Cmp(low) <= 0 || got.Cmp(m) >= 0 {
					t.Fatalf("%+v, d = %x, e = %x: %x is not above -2 m and below m", a, x, y, got)
				}
				want := new(big.Int).Mul(big.NewInt(c.p), x)
				want.Add(want, new(big.Int).Mul(big.NewInt(c.q), y))
				want.Sub(want, got.Lsh(got, limbBits))
				if want.Mod(want, m).Sign() != 0 {
					t.Fatalf("%+v, d = %x, e = %x: another number", a, x, y)
				}
			}
		}
	}
}

// Inverses by drivers with a kernel are those of the portable code, which the tests of arithmetic
// compare with math/big.
func TestInvert(t *testing.T) { eachDriver(t, testInvert) }

func testInvert(t *testing.T, d Driver) {
	for _, m := range []*modulus{&primeModulus, &orderModulus} {
		list := edgeNumbers(m.wide.big())
		for range 200 {
			v := new(big.Int).SetBytes(randomBytes(32))
			list = append(list, v.Mod(v, m.wide.big()))
		}
		for _, x := range list {
			v := toLimbs(x)
			want := m.invert(&v)
			z := [4]uint64{1, 2, 3, 4}
			if invert(d.row, &z, &v, m); z != want {
				t.Errorf("1/%x modulo %x is %x, want %x", x, m.wide.big(), z, want)
			}
			if invert(d.row, &v, &v, m); v != want {
				t.Errorf("1/%x over it is %x, want %x", x, v, want)
			}
		}
	}
}
