// Package kerneltest tests the kernels of an architecture on math/big.
package kerneltest

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// Kernels are the functions that every architecture with kernels has. Their contracts are
// those of sm2/internal/amd64.
type Kernels struct {
	Mul          func(z, x, y *[4]uint64)
	Square       func(z, x *[4]uint64, n int)
	Double       func(r, p *[12]uint64, n int)
	Add          func(r, q *[12]uint64, skip uint64) (same uint64)
	AddAffine    func(r *[12]uint64, q *[8]uint64, skip uint64) (same uint64)
	Get          func(r *[12]uint64, table *[16][12]uint64, magnitude uint64)
	MultiplyBase func(r *[12]uint64, table *[43][32][8]uint64, digits *[43]uint64)

	// Only some have these.
	BasePoints func(r *[43][8]uint64, table *[43][32][8]uint64, digits *[43]uint64)
	Products   func(product, before *[4]uint64, p *[8]uint64, n int)
	AddPairs   func(inverse, before *[4]uint64, p *[8]uint64, n int)
	Invert     func(z, x *[4]uint64, modulus *[6]uint64)
}

// Test tests all kernels.
func (k Kernels) Test(t *testing.T) {
	t.Run("Mul", k.testMul)
	t.Run("Square", k.testSquare)
	t.Run("Points", k.testPoints)
	t.Run("Get", k.testGet)
	t.Run("MultiplyBase", k.testMultiplyBase)
	if k.AddPairs != nil {
		t.Run("AddPairs", k.testAddPairs)
	}
	t.Run("NothingLeft", k.testNothingLeft)
}

var (
	prime, _ = new(big.Int).SetString("FFFFFFFEFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF00000000FFFFFFFFFFFFFFFF", 16) // GB/T 32918.5-2017
	two256   = new(big.Int).Lsh(big.NewInt(1), 256)
	unit     = new(big.Int).ModInverse(two256, prime)
	half     = new(big.Int).ModInverse(big.NewInt(2), prime)
)

// The operations of the kernels, on math/big; mul divides by 2^256.
func mod(v *big.Int) *big.Int      { return v.Mod(v, prime) }
func plus(x, y *big.Int) *big.Int  { return mod(new(big.Int).Add(x, y)) }
func minus(x, y *big.Int) *big.Int { return mod(new(big.Int).Sub(x, y)) }
func times(n int64, x *big.Int) *big.Int {
	return mod(new(big.Int).Mul(x, big.NewInt(n)))
}

func mul(list ...*big.Int) *big.Int {
	r := new(big.Int).Set(list[0])
	for _, x := range list[1:] {
		mod(r.Mul(r, x).Mul(r, unit))
	}
	return r
}

func fromLimbs(l []uint64) *big.Int {
	b := make([]byte, 8*len(l))
	for i, v := range l {
		binary.BigEndian.PutUint64(b[8*(len(l)-1-i):], v)
	}
	return new(big.Int).SetBytes(b)
}

func toLimbs(v *big.Int) (l [4]uint64) {
	b := v.FillBytes(make([]byte, 32))
	for i := range l {
		l[i] = binary.BigEndian.Uint64(b[24-8*i:])
	}
	return l
}

// point converts coordinates to limbs.
func point(coordinates ...*big.Int) (p [12]uint64) {
	for i, v := range coordinates {
		l := toLimbs(v)
		copy(p[4*i:], l[:])
	}
	return p
}

func coordinates(p [12]uint64) (x, y, z *big.Int) {
	return fromLimbs(p[:4]), fromLimbs(p[4:8]), fromLimbs(p[8:])
}

func doubled(p [12]uint64) [12]uint64 {
	x, y, z := coordinates(p)
	zz := mul(z, z)
	m := mod(new(big.Int).Mul(times(3, mul(minus(x, zz), plus(x, zz))), half))
	s := mul(x, y, y)
	x3 := minus(mul(m, m), times(2, s))
	return point(x3, minus(mul(m, minus(s, x3)), mul(y, y, y, y)), mul(y, z))
}

// added returns the sum, and whether the points are the same.
func added(p, q [12]uint64) ([12]uint64, bool) {
	x1, y1, z1 := coordinates(p)
	x2, y2, z2 := coordinates(q)
	if z1.Sign() == 0 {
		return q, false
	}
	u1, u2 := mul(x1, z2, z2), mul(x2, z1, z1)
	s1, s2 := mul(y1, z2, z2, z2), mul(y2, z1, z1, z1)
	h, s := minus(u2, u1), minus(s2, s1)
	v := mul(u1, h, h)
	x3 := minus(minus(mul(s, s), mul(h, h, h)), times(2, v))
	y3 := minus(mul(s, minus(v, x3)), mul(s1, h, h, h))
	return point(x3, y3, mul(z1, z2, h)), h.Sign() == 0 && s.Sign() == 0
}

// edges returns numbers below p near which carries may go wrong.
func edges() (list []*big.Int) {
	add := func(v *big.Int) {
		for d := int64(-2); d <= 2; d++ {
			if n := new(big.Int).Add(v, big.NewInt(d)); n.Sign() >= 0 && n.Cmp(prime) < 0 && !slices.ContainsFunc(list, func(m *big.Int) bool { return m.Cmp(n) == 0 }) {
				list = append(list, n)
			}
		}
	}
	for limbs := range 16 { // limbs all ones or zero
		v := new(big.Int)
		for i := range 4 {
			if limbs>>i&1 != 0 {
				v.Or(v, new(big.Int).Lsh(new(big.Int).SetUint64(1<<64-1), uint(64*i)))
			}
		}
		add(v)
	}
	for _, bit := range []uint{32, 96, 128, 224, 255} {
		add(new(big.Int).Lsh(big.NewInt(1), bit))
	}
	add(prime)
	add(new(big.Int).Rsh(prime, 1))
	add(mod(new(big.Int).Set(two256)))
	return list
}

// extreme returns a number with limbs that are 0, all ones, random, or random in one half.
func extreme(r *rand.ChaCha8) *big.Int {
	v := new(big.Int)
	for range 4 {
		limb := []uint64{0, 1<<64 - 1, r.Uint64(), r.Uint64() >> 32, r.Uint64() << 32}[r.Uint64()%5]
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(limb))
	}
	return mod(v)
}

// roots returns numbers whose squares are extreme.
func roots(r *rand.ChaCha8, n int) (list []*big.Int) {
	for len(list) < n {
		v := extreme(r)
		if root := new(big.Int).ModSqrt(mod(v.Mul(v, two256)), prime); root != nil {
			list = append(list, root, minus(new(big.Int), root))
		}
	}
	return list
}

func randomNumber(r *rand.ChaCha8) *big.Int {
	b := make([]byte, 40)
	r.Read(b)
	return mod(new(big.Int).SetBytes(b))
}

// numbers returns n numbers, edges or random with equal probability.
func numbers(r *rand.ChaCha8, from []*big.Int, n int) (list []*big.Int) {
	for range n {
		if v := r.Uint64(); v&1 == 0 {
			list = append(list, from[v>>1%uint64(len(from))])
		} else {
			list = append(list, randomNumber(r))
		}
	}
	return list
}

func (k Kernels) checkMul(t *testing.T, x, y *big.Int) {
	t.Helper()
	want := toLimbs(mul(x, y))
	xl, yl, z := toLimbs(x), toLimbs(y), [4]uint64{1, 2, 3, 4}
	if k.Mul(&z, &xl, &yl); z != want {
		t.Errorf("%x times %x is %x, want %x", x, y, z, want)
	}
	z = xl
	if k.Mul(&z, &z, &yl); z != want {
		t.Errorf("%x times %x over it is %x, want %x", x, y, z, want)
	}
	if k.Mul(&yl, &xl, &yl); yl != want {
		t.Errorf("%x times %x over the latter is %x, want %x", x, y, yl, want)
	}
	want = toLimbs(mul(x, x))
	if k.Mul(&z, &xl, &xl); z != want {
		t.Errorf("%x times itself is %x, want %x", x, z, want)
	}
	if k.Square(&z, &xl, 1); z != want {
		t.Errorf("the square of %x is %x, want %x", x, z, want)
	}
	if k.Square(&xl, &xl, 1); xl != want {
		t.Errorf("the square of %x over it is %x, want %x", x, xl, want)
	}
}

func (k Kernels) testMul(t *testing.T) {
	r, list := rand.NewChaCha8([32]byte{1}), edges()
	for _, x := range list {
		for _, y := range list {
			k.checkMul(t, x, y)
		}
	}
	for range 3000 {
		k.checkMul(t, randomNumber(r), randomNumber(r))
	}
	// Products x y for which the reduction adds a multiple of p with extreme limbs: they have no
	// extreme limbs themselves.
	limbs := []uint64{0, 1, 2, 1<<32 - 2, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<64 - 1<<32 - 1, 1<<64 - 1<<32, 1<<64 - 1<<32 + 1, 1<<64 - 2, 1<<64 - 1}
	for range 3000 {
		m := new(big.Int)
		for range 4 {
			m.Lsh(m, 64).Add(m, new(big.Int).SetUint64(limbs[r.Uint64()%uint64(len(limbs))]))
		}
		x := randomNumber(r)
		x.SetBit(x, 0, 1)
		y := new(big.Int).ModInverse(x, two256)
		y.Mul(y, m).Mul(y, prime).Neg(y).Mod(y, two256) // x y + m p is 0 modulo 2^256
		if y.Cmp(prime) < 0 {
			k.checkMul(t, x, y)
		}
	}
	// Numbers from p to 2^256-1 give numbers below 2^256 that are right modulo p.
	for d := range int64(5) {
		x := new(big.Int).Add(prime, big.NewInt(d))
		if d > 2 {
			x.Sub(two256, big.NewInt(d-2))
		}
		for _, y := range append(list, x) {
			xl, yl := toLimbs(x), toLimbs(y)
			if k.Mul(&xl, &xl, &yl); mod(fromLimbs(xl[:])).Cmp(mul(x, y)) != 0 {
				t.Errorf("%x times %x is %x", x, y, xl)
			}
		}
	}
}

func (k Kernels) testSquare(t *testing.T) {
	r := rand.NewChaCha8([32]byte{2})
	for _, x := range roots(r, 2000) {
		xl, z := toLimbs(x), [4]uint64{}
		if k.Square(&z, &xl, 1); z != toLimbs(mul(x, x)) {
			t.Errorf("the square of %x is %x", x, z)
		}
	}
	x := randomNumber(r)
	want := new(big.Int).Set(x)
	for n := 1; n < 70; n++ {
		want = mul(want, want)
		xl, z := toLimbs(x), [4]uint64{}
		if k.Square(&z, &xl, n); z != toLimbs(want) {
			t.Fatalf("%d squarings of %x", n, x)
		}
	}
}

// checkPoints checks the kernels with six coordinates, which need not be those of points
// on the curve.
func (k Kernels) checkPoints(t *testing.T, c []*big.Int) {
	t.Helper()
	p, q := point(c[:3]...), point(c[3:]...)
	want := p
	for n := 1; n <= 3; n++ {
		want = doubled(want)
		r := [12]uint64{1, 2, 3}
		if k.Double(&r, &p, n); r != want {
			t.Fatalf("2^%d times %x is %x, want %x", n, p, r, want)
		}
		r = p
		if k.Double(&r, &r, n); r != want {
			t.Fatalf("2^%d times %x over it is %x, want %x", n, p, r, want)
		}
	}
	affine := q
	one := toLimbs(mod(new(big.Int).Set(two256)))
	copy(affine[8:], one[:])
	check := func(name string, q [12]uint64, add func(r *[12]uint64, skip uint64) uint64) {
		t.Helper()
		want, equal := added(p, q)
		r := p
		same := add(&r, 0)
		if r != want || same != 0 != equal || same+1 > 1 {
			t.Fatalf("%s %x and %x: %x, same %x, want %x, same %v", name, p, q, r, same, want, equal)
		}
		r = p
		if same := add(&r, 1<<64-1); r != p || same != 0 {
			t.Fatalf("%s skipped: %x is %x, same %x", name, p, r, same)
		}
	}
	if c[5].Sign() != 0 {
		check("Add", q, func(r *[12]uint64, skip uint64) uint64 { return k.Add(r, &q, skip) })
	}
	check("AddAffine", affine, func(r *[12]uint64, skip uint64) uint64 { return k.AddAffine(r, (*[8]uint64)(affine[:8]), skip) })
}

func (k Kernels) testPoints(t *testing.T) {
	r, list := rand.NewChaCha8([32]byte{3}), edges()
	list = append(list, roots(r, 4*len(list))...)
	for range len(list) / 4 {
		list = append(list, extreme(r))
	}
	zero := new(big.Int)
	for i := range 4000 {
		c := numbers(r, list, 6)
		switch i % 8 {
		case 0: // r is infinity
			c[2] = zero
		case 1: // the same point, with another Z if it is affine
			z := c[5]
			copy(c[3:], []*big.Int{mul(c[0], z, z), mul(c[1], z, z, z), mul(c[2], z)})
			if z.Sign() == 0 {
				continue
			}
		case 2: // r affine, and q
			c[2] = mod(new(big.Int).Set(two256))
			c[3], c[4] = c[0], c[1]
		case 3: // the same x
			c[2] = mod(new(big.Int).Set(two256))
			c[3] = c[0]
		}
		k.checkPoints(t, c)
	}

	// With these X and Z a Montgomery product of doubling is p or more if an operand that must be
	// below p is not: Z^2 is reduced to a number between p and 2^256. Random numbers do not get
	// there.
	x, _ := new(big.Int).SetString("3c75cd157", 16)
	z, _ := new(big.Int).SetString("92f78b51d1ceef668fe66118071bbea500e492bd082f7c0be47a8c84bd48aab5", 16)
	for range 8 {
		c := numbers(r, list, 6)
		c[0], c[2] = x, z
		k.checkPoints(t, c)
	}
}

func (k Kernels) testGet(t *testing.T) {
	r := rand.NewChaCha8([32]byte{4})
	var points [16][12]uint64
	for i := range points {
		for j := range points[i] {
			points[i][j] = r.Uint64()
		}
	}
	for m := range uint64(len(points) + 1) {
		got, want := [12]uint64{1, 2, 3}, [12]uint64{}
		if m > 0 {
			want = points[m-1]
		}
		if k.Get(&got, &points, m); got != want {
			t.Errorf("entry %d is %x, want %x", m, got, want)
		}
	}
}

// The table need not be of points of the curve.
func (k Kernels) testMultiplyBase(t *testing.T) {
	r, list := rand.NewChaCha8([32]byte{5}), edges()
	one := mod(new(big.Int).Set(two256))
	table := new([43][32][8]uint64)
	for i := range table {
		for j := range table[i] {
			n := numbers(r, list, 2)
			if n[1].Sign() == 0 {
				n[1] = one // no point of the curve has y = 0
			}
			p := point(n[0], n[1])
			copy(table[i][j][:], p[:8])
		}
	}
	for range 20 {
		var digits [43]uint64
		var points [43][8]uint64
		var want [12]uint64
		for i := 0; i < len(digits); {
			m := r.Uint64() % 32
			x, y := fromLimbs(table[i][m][:4]), fromLimbs(table[i][m][4:])
			digits[i] = m + 1
			if r.Uint64()&1 != 0 {
				y = minus(new(big.Int), y)
				digits[i] |= 1 << 63
			}
			p := point(x, y, one)
			points[i] = [8]uint64(p[:8])
			if sum, _ := added(want, p); fromLimbs(sum[8:]).Sign() != 0 { // else another point
				want = sum
				i++
			}
		}
		got := [12]uint64{1, 2, 3}
		k.MultiplyBase(&got, table, &digits)
		x, y, z := coordinates(got)
		wx, wy, wz := coordinates(want)
		// The same point: X Wz^2 = Wx Z^2, Y Wz^3 = Wy Z^3.
		if z.Sign() == 0 || mul(x, wz, wz).Cmp(mul(wx, z, z)) != 0 || mul(y, wz, wz, wz).Cmp(mul(wy, z, z, z)) != 0 {
			t.Fatalf("%x: %x, want %x", digits, got, want)
		}
		if k.BasePoints != nil {
			var list [43][8]uint64
			if k.BasePoints(&list, table, &digits); list != points {
				t.Fatalf("points of %x: %x, want %x", digits, list, points)
			}
		}
	}
	k.testHighestZ(t, table)
	digits := [43]uint64{1, 1 | uint64(1)<<63}
	table[1][0] = table[0][0]
	for i := 2; i < len(digits); i++ {
		digits[i] = 7
	}
	for range 2 {
		got := [12]uint64{1, 2, 3}
		if k.MultiplyBase(&got, table, &digits); fromLimbs(got[8:]).Sign() != 0 {
			t.Errorf("the second point is the first or its opposite: Z is %x", got[8:])
		}
		digits[1] = 1
	}
}

// testHighestZ chooses the last two points so that Z is p + c before p is subtracted.
func (k Kernels) testHighestZ(t *testing.T, table *[43][32][8]uint64) {
	one := mod(new(big.Int).Set(two256))
	cube := new(big.Int).Mul(prime, big.NewInt(2)) // the exponent of a cube root
	cube.Sub(cube, big.NewInt(1)).Div(cube, big.NewInt(3))
	divide := func(x, y *big.Int) *big.Int { // mul(y, result) is x
		return mod(new(big.Int).Mul(mod(new(big.Int).Mul(x, two256)), new(big.Int).ModInverse(y, prime)))
	}
	r := rand.NewChaCha8([32]byte{7})
	for range 5 {
		a, b, c := highest(r)
		x, y := fromLimbs(table[0][0][:4]), fromLimbs(table[0][0][4:])
		zz, zzz := one, one
		for i := 1; i < len(table); i++ {
			last := &table[i][0]
			var want *big.Int // of P^3
			switch i {
			case len(table) - 2:
				want = divide(a, zzz)
			case len(table) - 1:
				want = b
			}
			if want != nil {
				p := mod(new(big.Int).Mul(want, mod(new(big.Int).Mul(two256, two256))))
				p.Exp(p, cube, prime)
				l := toLimbs(divide(plus(p, x), zz))
				copy(last[:], l[:])
			}
			p := minus(mul(fromLimbs(last[:4]), zz), x)
			s := minus(mul(fromLimbs(last[4:]), zzz), y)
			pp := mul(p, p)
			ppp, q := mul(p, pp), mul(x, pp)
			x = minus(minus(mul(s, s), ppp), times(2, q))
			y = minus(mul(s, minus(q, x)), mul(y, ppp))
			zz, zzz = mul(zz, pp), mul(zzz, ppp)
		}
		if zzz.Cmp(c) != 0 {
			t.Fatal("Z is not as intended")
		}
		var digits [43]uint64
		for i := range digits {
			digits[i] = 1
		}
		got := [12]uint64{}
		k.MultiplyBase(&got, table, &digits)
		for i := 0; i < len(got); i += 4 {
			if fromLimbs(got[i:i+4]).Cmp(prime) >= 0 {
				t.Errorf("a coordinate is not below p: %x", got[i:i+4])
			}
		}
		if mod(fromLimbs(got[8:])).Cmp(c) != 0 {
			t.Errorf("Z is %x, want %x", got[8:], c)
		}
	}
}

// highest returns factors whose product in Montgomery's form is c, and p + c before p is
// subtracted, which is rare: a b = p + c 2^256.
func highest(r *rand.ChaCha8) (a, b, c *big.Int) {
	for {
		a = randomNumber(r)
		a.Rsh(a, 60).SetBit(a, 0, 1)
		c = new(big.Int).ModInverse(two256, a)
		c.Mul(c, prime).Neg(c).Mod(c, a)
		b = new(big.Int).Mul(c, two256)
		if b.Add(b, prime).Div(b, a).Cmp(prime) < 0 {
			return a, b, c
		}
	}
}

// Sums of pairs of points that need not be on the curve, with the inverse of math/big and that of
// Invert.
func (k Kernels) testAddPairs(t *testing.T) {
	r, list := rand.NewChaCha8([32]byte{6}), edges()
	list = append(list, roots(r, len(list))...)
	one := mod(new(big.Int).Set(two256))
	modulus := [6]uint64{5: 1<<60 - 1} // p is -1 modulo 2^64
	for i, rest := 0, new(big.Int).Set(prime); i < 5; i, rest = i+1, rest.Rsh(rest, 60) {
		modulus[i] = new(big.Int).And(rest, big.NewInt(1<<60-1)).Uint64()
	}
	for range 300 {
		a, b, c := highest(r)
		x1, y1 := randomNumber(r), randomNumber(r)
		p, q := point(x1, y1), point(plus(x1, b), plus(y1, b))
		points := [2][8]uint64{[8]uint64(p[:8]), [8]uint64(q[:8])}
		got, before := toLimbs(a), [4]uint64{}
		if k.Products(&got, &before, &points[0], 1); got != toLimbs(c) || before != toLimbs(a) {
			t.Fatalf("the product %x is %x", c, got)
		}
		// The slope is c.
		x := minus(minus(mul(c, c), x1), plus(x1, b))
		sum := point(x, minus(mul(c, minus(x1, x)), y1))
		both, inverse := points, toLimbs(one)
		if k.AddPairs(&inverse, &before, &both[0], 1); both[0] != [8]uint64(sum[:8]) {
			t.Fatalf("a sum with the slope %x is %x", c, both[0])
		}
		inverse = toLimbs(a)
		if k.AddPairs(&inverse, &before, &points[0], 1); inverse != toLimbs(c) {
			t.Fatalf("the inverse %x is %x", c, inverse)
		}
	}
	for round := range 300 {
		n := round%7 + 1
		points := make([][8]uint64, 2*n)
		var want [][8]uint64
		product := one
		for i := range n {
			c := numbers(r, list, 4)
			x1, y1, x2, y2 := c[0], c[1], c[2], c[3]
			d := minus(x2, x1)
			if d.Sign() == 0 {
				x2 = plus(x1, one)
				d = one
			}
			product = mul(product, d)
			p, q := point(x1, y1), point(x2, y2)
			points[2*i], points[2*i+1] = [8]uint64(p[:8]), [8]uint64(q[:8])
			s := mod(new(big.Int).Mul(minus(y2, y1), new(big.Int).ModInverse(d, prime))) // not in Montgomery's form
			x := minus(minus(mod(new(big.Int).Mul(mul(s, s), mod(new(big.Int).Mul(two256, two256)))), x1), x2)
			y := minus(mod(new(big.Int).Mul(s, minus(x1, x))), y1)
			sum := point(x, y)
			want = append(want, [8]uint64(sum[:8]))
		}
		got := toLimbs(one)
		before := make([][4]uint64, n)
		if k.Products(&got, &before[0], &points[0], n); got != toLimbs(product) {
			t.Fatalf("the product of %d pairs is %x, want %x", n, got, product)
		}
		inverse := toLimbs(mod(new(big.Int).Mul(new(big.Int).ModInverse(product, prime), mod(new(big.Int).Mul(two256, two256)))))
		if k.Invert != nil {
			var z [4]uint64
			k.Invert(&z, &got, &modulus)
			if z != toLimbs(new(big.Int).ModInverse(product, prime)) {
				t.Fatalf("the inverse of %x is %x", product, z)
			}
		}
		if k.AddPairs(&inverse, &before[0], &points[0], n); inverse != toLimbs(one) {
			t.Fatalf("the product of no pairs is %x", inverse)
		}
		for i := range want {
			if points[i] != want[i] {
				t.Fatalf("sum %d of %d is %x, want %x", i, n, points[i], want[i])
			}
		}
	}
}

// Two calls with different numbers must leave the same on the stack: nothing.
func (k Kernels) testNothingLeft(t *testing.T) {
	var p, q [12]uint64
	table := new([43][32][8]uint64)
	var digits [43]uint64
	for i := range digits {
		digits[i] = 1
		table[i][0][0] = uint64(i)
	}
	functions := map[string]func(){
		"Mul":    func() { k.Mul((*[4]uint64)(p[:]), (*[4]uint64)(p[4:]), (*[4]uint64)(q[:])) },
		"Square": func() { k.Square((*[4]uint64)(p[:]), (*[4]uint64)(p[4:]), 3) },
		"Double": func() { k.Double(&p, &q, 3) },
		"Add":    func() { k.Add(&p, &q, 0) },
		"MultiplyBase": func() {
			table[0][0] = [8]uint64(q[:8])
			table[1][0] = [8]uint64(p[:8])
			k.MultiplyBase(&p, table, &digits)
		},
		"AddAffine": func() { k.AddAffine(&p, (*[8]uint64)(q[:]), 0) },
	}
	if k.AddPairs != nil {
		points := make([][8]uint64, 4)
		before := make([][4]uint64, 2)
		set := func() {
			for i, part := range [][]uint64{p[:8], q[:8], p[4:], q[4:]} {
				copy(points[i][:], part)
			}
		}
		product := new([4]uint64)
		functions["Products"] = func() { set(); copy(product[:], p[8:]); k.Products(product, &before[0], &points[0], 2) }
		functions["AddPairs"] = func() {
			set()
			copy(product[:], p[8:])
			copy(before[0][:], q[:4])
			copy(before[1][:], q[8:])
			k.AddPairs(product, &before[0], &points[0], 2)
		}
	}
	if k.BasePoints != nil {
		functions["BasePoints"] = func() {
			table[0][0] = [8]uint64(q[:8])
			k.BasePoints(new([43][8]uint64), table, &digits)
		}
	}
	if k.Invert != nil {
		functions["Invert"] = func() {
			k.Invert((*[4]uint64)(p[:4]), (*[4]uint64)(q[:4]), &[6]uint64{1<<60 - 1, 1<<60 - 1, 1<<60 - 1, 1<<60 - 1, 1<<16 - 1, 1<<60 - 1})
		}
	}
	for name, f := range functions {
		secret := func(seed byte) {
			r := rand.NewChaCha8([32]byte{seed})
			p, q = point(randomNumber(r), randomNumber(r), randomNumber(r)), point(randomNumber(r), randomNumber(r), randomNumber(r))
		}
		if left := guard.Left(secret, f); left > 0 {
			t.Errorf("%s: %d bytes on the stack depend on the numbers", name, left)
		}
	}
}

// Fuzz is a fuzz test of the arithmetic and the additions.
func (k Kernels) Fuzz(f *testing.F) {
	f.Add(make([]byte, 192))
	f.Add(bytes.Repeat([]byte{255}, 192))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) != 192 {
			return
		}
		var c []*big.Int
		for i := range 6 {
			c = append(c, mod(new(big.Int).SetBytes(b[32*i:32*i+32])))
		}
		k.checkMul(t, c[0], c[1])
		k.checkPoints(t, c)
	})
}
