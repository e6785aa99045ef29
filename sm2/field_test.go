package sm2

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"
)

var source = rand.NewChaCha8([32]byte{2})

func randomBytes(n int) []byte {
	b := make([]byte, n)
	source.Read(b)
	return b
}

// edgeNumbers returns numbers below 2^256 near which carries may go wrong.
func edgeNumbers(modulus *big.Int) (list []*big.Int) {
	one := big.NewInt(1)
	add := func(n *big.Int) {
		for d := int64(-2); d <= 2; d++ {
			v := new(big.Int).Add(n, big.NewInt(d))
			if v.Sign() >= 0 && v.BitLen() <= 256 {
				list = append(list, v)
			}
		}
	}
	for _, bit := range []uint{0, 1, 31, 32, 63, 64, 95, 96, 127, 128, 160, 191, 192, 223, 224, 255, 256} {
		add(new(big.Int).Lsh(one, bit))
		add(new(big.Int).Sub(modulus, new(big.Int).Rsh(modulus, bit)))
	}
	add(modulus)
	add(new(big.Int).Rsh(modulus, 1))
	for limbs := range 16 { // limbs all ones or zero
		v := new(big.Int)
		for i := range 4 {
			if limbs>>i&1 == 1 {
				v.Add(v, new(big.Int).Lsh(new(big.Int).SetUint64(1<<64-1), uint(64*i)))
			}
		}
		add(v)
	}
	return list
}

func toLimbs(n *big.Int) [4]uint64 { return limbs(n.FillBytes(make([]byte, 32))) }

func fromLimbs(v [4]uint64) *big.Int {
	var b [32]byte
	putLimbs(&b, &v)
	return new(big.Int).SetBytes(b[:])
}

// arithmetic contains the operations that elements and scalars have in common, on raw
// limbs.
type arithmetic struct {
	modulus       *big.Int
	mul, add, sub func(x, y [4]uint64) [4]uint64 // mul divides by 2^256
	sqr, invert   func(x [4]uint64) [4]uint64    // invert: of x/2^256, times 2^256, for elements
	halve         func(x [4]uint64) [4]uint64    // for elements only
	isZero        func(x [4]uint64) uint64
	setBytes      func(b []byte) ([4]uint64, bool)
	bytes         func(x [4]uint64) [32]byte
	inMontgomery  bool
}

var fieldArithmetic = arithmetic{
	modulus: specP,
	mul: func(x, y [4]uint64) [4]uint64 {
		var z element
		z.mul((*element)(&x), (*element)(&y))
		return z
	},
	add: func(x, y [4]uint64) [4]uint64 {
		var z element
		z.add((*element)(&x), (*element)(&y))
		return z
	},
	sub: func(x, y [4]uint64) [4]uint64 {
		var z element
		z.sub((*element)(&x), (*element)(&y))
		return z
	},
	sqr: func(x [4]uint64) [4]uint64 {
		var z element
		z.sqr((*element)(&x))
		return z
	},
	invert: func(x [4]uint64) [4]uint64 {
		var z element
		z.invert(generic, (*element)(&x))
		return z
	},
	halve: func(x [4]uint64) [4]uint64 {
		var z element
		z.halve((*element)(&x))
		return z
	},
	isZero: func(x [4]uint64) uint64 { return (*element)(&x).isZero() },
	setBytes: func(b []byte) ([4]uint64, bool) {
		var z element
		ok := z.setBytes(b)
		return z, ok
	},
	bytes:        func(x [4]uint64) [32]byte { return (*element)(&x).bytes() },
	inMontgomery: true,
}

var scalarArithmetic = arithmetic{
	modulus: specN,
	mul: func(x, y [4]uint64) [4]uint64 {
		var z scalar
		z.montgomery((*scalar)(&x), (*scalar)(&y))
		return z
	},
	add: func(x, y [4]uint64) [4]uint64 {
		var z scalar
		z.add((*scalar)(&x), (*scalar)(&y))
		return z
	},
	sub: func(x, y [4]uint64) [4]uint64 {
		var z scalar
		z.sub((*scalar)(&x), (*scalar)(&y))
		return z
	},
	sqr: func(x [4]uint64) [4]uint64 {
		z := scalar(x)
		z.montgomery(&z, &z)
		return z
	},
	invert: func(x [4]uint64) [4]uint64 {
		var z scalar
		z.invert(generic, (*scalar)(&x))
		return z
	},
	isZero: func(x [4]uint64) uint64 { return (*scalar)(&x).isZero() },
	setBytes: func(b []byte) ([4]uint64, bool) {
		var z scalar
		ok := z.setBytes(b)
		return z, ok == 1
	},
	bytes: func(x [4]uint64) [32]byte { return (*scalar)(&x).bytes() },
}

// check compares all operations on two numbers below the modulus.
func (a *arithmetic) check(t testing.TB, x, y *big.Int) {
	m := a.modulus
	shift := new(big.Int).Lsh(big.NewInt(1), 256)
	unshift := new(big.Int).ModInverse(shift, m)
	xl, yl := toLimbs(x), toLimbs(y)
	is := func(what string, got [4]uint64, want *big.Int) {
		t.Helper()
		if g := fromLimbs(got); g.Cmp(want.Mod(want, m)) != 0 {
			t.Errorf("%s of %x and %x: %x, want %x", what, x, y, g, want)
		}
	}
	is("sum", a.add(xl, yl), new(big.Int).Add(x, y))
	is("difference", a.sub(xl, yl), new(big.Int).Sub(x, y))
	product := new(big.Int).Mul(x, y)
	is("product", a.mul(xl, yl), product.Mul(product, unshift))
	product = new(big.Int).Mul(x, x)
	if a.halve != nil {
		half := a.halve(xl)
		is("twice the half", a.add(half, half), new(big.Int).Set(x))
	}
	is("square", a.sqr(xl), product.Mul(product, unshift))
	if got := a.isZero(xl); got != 0 != (x.Sign() == 0) || got+1 > 1 {
		t.Errorf("isZero(%x) = %x", x, got)
	}
	want := new(big.Int)
	if x.Sign() != 0 {
		want.ModInverse(x, m)
		if a.inMontgomery {
			want.Mul(want, shift).Mul(want, shift)
		}
	}
	is("inverse", a.invert(xl), want)
}

func (a *arithmetic) checkAll(t *testing.T) {
	edges := edgeNumbers(a.modulus)
	for _, x := range edges {
		b := x.FillBytes(make([]byte, 32))
		v, ok := a.setBytes(b)
		if ok != (x.Cmp(a.modulus) < 0) {
			t.Errorf("%x is below the modulus: %v", x, ok)
		}
		if back := a.bytes(v); ok && !bytes.Equal(back[:], b) {
			t.Errorf("%x comes back as %x", x, back)
		}
		for _, y := range edges {
			if x.Cmp(a.modulus) < 0 && y.Cmp(a.modulus) < 0 && (!testing.Short() || source.Uint64()%32 == 0) {
				a.check(t, x, y)
			}
		}
	}
	random := 2000
	if testing.Short() {
		random = 200
	}
	for range random {
		x, y := new(big.Int).SetBytes(randomBytes(32)), new(big.Int).SetBytes(randomBytes(32))
		a.check(t, x.Mod(x, a.modulus), y.Mod(y, a.modulus))
	}
}

func TestField(t *testing.T)  { fieldArithmetic.checkAll(t) }
func TestScalar(t *testing.T) { scalarArithmetic.checkAll(t) }

func TestScalarMul(t *testing.T) {
	for range 100 {
		x, y := new(big.Int).SetBytes(randomBytes(32)), new(big.Int).SetBytes(randomBytes(32))
		xl, yl := scalar(toLimbs(x.Mod(x, specN))), scalar(toLimbs(y.Mod(y, specN)))
		xl.mul(&xl, &yl)
		if want := x.Mul(x, y).Mod(x, specN); fromLimbs(xl).Cmp(want) != 0 {
			t.Fatalf("%x, want %x", fromLimbs(xl), want)
		}
	}
}

// Constants that are written as limbs.
func TestConstants(t *testing.T) {
	two256 := new(big.Int).Lsh(big.NewInt(1), 256)
	for _, c := range []struct {
		name    string
		got     [4]uint64
		want    *big.Int
		modulus *big.Int
	}{
		{"prime", prime, specP, new(big.Int).Add(specP, two256)},
		{"one", one, two256, specP},
		{"square", square, new(big.Int).Mul(two256, two256), specP},
		{"cube", cube, new(big.Int).Lsh(two256, 512), specP},
		{"order", order, specN, two256},
		{"scalarSquare", scalarSquare, new(big.Int).Mul(two256, two256), specN},
		{"curveB", curveB, new(big.Int).Mul(two256, specB), specP},
		{"base.x", base.x, new(big.Int).Mul(two256, specG.x), specP},
		{"base.y", base.y, new(big.Int).Mul(two256, specG.y), specP},
	} {
		if want := new(big.Int).Mod(c.want, c.modulus); fromLimbs(c.got).Cmp(want) != 0 {
			t.Errorf("%s is %x, want %x", c.name, fromLimbs(c.got), want)
		}
	}
}

func TestSqrt(t *testing.T) { eachDriver(t, testSqrt) }

func testSqrt(t *testing.T, d Driver) {
	roots := 0
	for i := range 200 {
		x := new(big.Int).SetBytes(randomBytes(32))
		if i < 3 {
			x.SetInt64(int64(i))
		}
		x.Mod(x, specP)
		var e, r element
		e.setBytes(x.FillBytes(make([]byte, 32)))
		ok := r.sqrt(d.row, &e)
		if (ok != 0) != (big.Jacobi(x, specP) >= 0) {
			t.Fatalf("%x: root %x", x, ok)
		}
		if ok != 0 {
			roots++
			if r.sqr(&r); r != e {
				t.Fatalf("%x: not the root", x)
			}
		}
	}
	if roots < 50 {
		t.Errorf("%d roots", roots)
	}
}

func FuzzArithmetic(f *testing.F) {
	f.Add(make([]byte, 32), bytes.Repeat([]byte{255}, 32))
	f.Add(specP.Bytes(), specN.Bytes())
	f.Fuzz(func(t *testing.T, x, y []byte) {
		if len(x) > 32 || len(y) > 32 {
			return
		}
		for _, a := range []*arithmetic{&fieldArithmetic, &scalarArithmetic} {
			m, n := new(big.Int).SetBytes(x), new(big.Int).SetBytes(y)
			a.check(t, m.Mod(m, a.modulus), n.Mod(n, a.modulus))
		}
	})
}
