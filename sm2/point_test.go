package sm2

import (
	"bytes"
	"math/big"
	"testing"
)

func toAffine(p specPoint) (a affine) {
	if !a.setBytes(generic, p.bytes()) {
		panic("not a point")
	}
	return a
}

func toSpec(p *point) specPoint {
	if p.z.isZero() != 0 {
		return specPoint{}
	}
	a := p.affine(generic)
	b := a.bytes()
	return specPoint{new(big.Int).SetBytes(b[1:33]), new(big.Int).SetBytes(b[33:])}
}

// blinded returns p with a random Z.
func blinded(p specPoint) (r point) {
	var z, zz element
	z.setBytes(append([]byte{0}, randomBytes(31)...))
	if p.infinite() {
		return point{x: z, y: one}
	}
	a := toAffine(p)
	zz.sqr(&z)
	r.x.mul(&a.x, &zz)
	zz.mul(&zz, &z)
	r.y.mul(&a.y, &zz)
	r.z = z
	return r
}

func TestPointAddition(t *testing.T) { eachDriver(t, testPointAddition) }

func testPointAddition(t *testing.T, d Driver) {
	minus := func(p specPoint) specPoint { return p.times(new(big.Int).Sub(specN, big.NewInt(1))) }
	points := []specPoint{{}, specG, minus(specG), specG.add(specG), specG.times(number("123456789"))}
	for _, p := range points {
		for _, q := range points {
			a, b := blinded(p), blinded(q)
			r := a
			r.addPublic(d.row, &b)
			if !toSpec(&r).equal(p.add(q)) {
				t.Errorf("addPublic of %v and %v", p, q)
			}
		}
		a := blinded(p)
		double(d.row, &a, &a, 1)
		if !toSpec(&a).equal(p.add(p)) {
			t.Errorf("double of %v", p)
		}
	}
}

// edgeScalars returns numbers at both ends of the range, and numbers with extreme
// digits and intermediate sums.
func edgeScalars() (list []*big.Int) {
	for i := range int64(70) {
		list = append(list, big.NewInt(i), new(big.Int).Sub(specN, big.NewInt(i+1)))
	}
	for _, w := range []uint{window, baseWindow} {
		for i := w; i < 256; i += w {
			v := new(big.Int).Lsh(big.NewInt(1), i)
			half := int64(1) << (w - 1)
			for d := -half - 1; d <= half+1; d += half + 1 {
				list = append(list, new(big.Int).Add(v, big.NewInt(d)))
			}
			list = append(list, new(big.Int).Lsh(big.NewInt(half-1), i-w), new(big.Int).Lsh(big.NewInt(half+1), i-w), new(big.Int).Rsh(specN, i))
		}
	}
	for _, pattern := range []byte{0x55, 0xaa, 0x84, 0x21, 0x10, 0xff} {
		v := new(big.Int).SetBytes(bytes.Repeat([]byte{pattern}, 32))
		list = append(list, v.Mod(v, specN))
	}
	for i := 0; i < 40; i++ {
		v := new(big.Int).SetBytes(randomBytes(32))
		list = append(list, v.Mod(v, specN))
	}
	return list
}

func TestMultiply(t *testing.T) {
	q := specG.times(number("1234567890ABCDEF"))
	qa := toAffine(q)
	j := scalar(toLimbs(number("FEDCBA9876543210FEDCBA9876543210")))
	jg, jq := specG.times(fromLimbs(j)), q.times(fromLimbs(j))
	type product struct {
		k       *big.Int
		g, q    specPoint // k G, k Q
		doubled specPoint // 2 k G
	}
	var list []product
	for i, k := range edgeScalars() {
		if !testing.Short() || i%5 == 1 { // 1 has n - 1 and n - 6
			g := specG.times(k)
			list = append(list, product{k, g, q.times(k), g.add(g)})
		}
	}
	eachDriver(t, func(t *testing.T, d Driver) {
		for _, want := range list {
			k := want.k
			s := scalar(toLimbs(k))
			var r point
			if r.multiply(d.row, &s, &qa); !toSpec(&r).equal(want.q) {
				t.Errorf("%x Q is wrong", k)
			}
			if r.multiplyBase(d.row, &s); !toSpec(&r).equal(want.g) {
				t.Errorf("%x G is wrong", k)
			}
			if r.multiplyPublic(d.row, &j, &s, &qa); !toSpec(&r).equal(want.q.add(jg)) {
				t.Errorf("j G + %x Q is wrong", k)
			}
			if r.multiplyPublic(d.row, &s, &j, &qa); !toSpec(&r).equal(want.g.add(jq)) {
				t.Errorf("%x G + j Q is wrong", k)
			}
			// The base point as Q, so that both parts meet.
			if r.multiplyPublic(d.row, &s, &s, &base); !toSpec(&r).equal(want.doubled) {
				t.Errorf("%x G + the same is wrong", k)
			}
			negative := new(big.Int).Sub(specN, k)
			n := scalar(toLimbs(negative.Mod(negative, specN)))
			if r.multiplyPublic(d.row, &s, &n, &base); !toSpec(&r).infinite() {
				t.Errorf("%x G less the same is wrong", k)
			}
		}
	})
}

// The one number for which the sum of the points fails, and its neighbours.
func TestMultiplyBaseException(t *testing.T) { eachDriver(t, testMultiplyBaseException) }

func testMultiplyBaseException(t *testing.T, d Driver) {
	v := new(big.Int).Lsh(big.NewInt(15), 253)
	v.Sub(v, specN)
	var list [baseDigits]uint64
	var r point
	baseDigitsOf(&list, toScalar(v))
	if sumBase(d.row, &r, baseMultiples(), &list); r.z.isZero() == 0 {
		t.Error("the sum does not fail")
	}
	for n := int64(-2); n <= 2; n++ {
		for _, k := range []*big.Int{new(big.Int).Add(v, big.NewInt(n)), new(big.Int).Sub(specN, new(big.Int).Add(v, big.NewInt(n)))} {
			if r.multiplyBase(d.row, toScalar(k)); !toSpec(&r).equal(specG.times(k)) {
				t.Errorf("%x G is wrong", k)
			}
		}
	}
}

// The odd digits of an odd number add up to it, or to its opposite.
func TestOddDigits(t *testing.T) {
	for _, k := range edgeScalars() {
		if k.Sign() == 0 {
			continue
		}
		for _, window := range []uint{4, baseWindow} {
			var odd scalar
			negated := odd.setOdd(toScalar(k))
			list := make([]uint64, 256/window+1)
			oddDigits(list, &odd, window, negated)
			sum := new(big.Int)
			for i := len(list) - 1; i >= 0; i-- {
				entry := list[i] &^ signBit
				if entry < 1 || entry > 1<<(window-1) {
					t.Fatalf("%x: digit %d is %x", k, i, list[i])
				}
				d := big.NewInt(int64(2*entry - 1))
				if list[i]&signBit != 0 {
					d.Neg(d)
				}
				sum.Lsh(sum, window).Add(sum, d)
			}
			if sum.Mod(sum, specN).Cmp(k) != 0 {
				t.Errorf("odd digits of %d bits of %x add up to %x", window, k, sum)
			}
		}
	}
}

// The digits of a scalar add up to it.
func TestDigits(t *testing.T) {
	for _, k := range edgeScalars() {
		s := scalar(toLimbs(k))
		for _, window := range []int{window, baseWindow} {
			sum := new(big.Int)
			for i := 256 / window; i >= 0; i-- {
				m, negative := s.digit(uint(window), uint(i))
				d := big.NewInt(int64(m))
				if m > 1<<(window-1) {
					t.Fatalf("%x: digit %d of %d bits is %d", k, i, window, m)
				}
				if negative != 0 {
					d.Neg(d)
				}
				sum.Lsh(sum, uint(window)).Add(sum, d)
			}
			if sum.Cmp(k) != 0 {
				t.Errorf("digits of %d bits of %x add up to %x", window, k, sum)
			}
		}
	}
}

// The same for digits that are odd or 0.
func TestNAF(t *testing.T) {
	for _, k := range edgeScalars() {
		s := scalar(toLimbs(k))
		for _, width := range []int{window, oddWindow} {
			sum, last := new(big.Int), 1000
			var list naf
			list.set(&s, width)
			for i := len(list) - 1; i >= 0; i-- {
				d := int(list[i])
				sum.Lsh(sum, 1).Add(sum, big.NewInt(int64(d)))
				if d == 0 {
					continue
				}
				if d%2 == 0 || max(d, -d) >= 1<<(width-1) || last-i < width {
					t.Fatalf("%x: digit %d of width %d is %d, after one at %d", k, i, width, d, last)
				}
				last = i
			}
			if sum.Cmp(k) != 0 {
				t.Errorf("digits of width %d of %x add up to %x", width, k, sum)
			}
		}
	}
}

func TestPointEncoding(t *testing.T) {
	for i := range int64(50) {
		p := specG.times(big.NewInt(i + 1))
		a := toAffine(p)
		if b := a.bytes(); !bytes.Equal(b[:], p.bytes()) {
			t.Errorf("%d G: %x", i+1, b)
		}
		c := append([]byte{2 + byte(p.y.Bit(0))}, p.bytes()[1:33]...)
		for j, info := range Drivers() {
			var back affine
			if info.Available() && (!back.setBytes(uint8(j), c) || back != a) {
				t.Errorf("%d G compressed is read as something else by %s", i+1, info.Name)
			}
		}
	}
}

func BenchmarkField(b *testing.B) {
	x, y := base.x, base.y
	b.Run("mul", func(b *testing.B) {
		for b.Loop() {
			x.mul(&x, &y)
		}
	})
	b.Run("sqr", func(b *testing.B) {
		for b.Loop() {
			x.sqr(&x)
		}
	})
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			x.add(&x, &y)
		}
	})
	b.Run("sub", func(b *testing.B) {
		for b.Loop() {
			x.sub(&x, &y)
		}
	})
	b.Run("invert", func(b *testing.B) {
		for b.Loop() {
			x.invert(generic, &x)
		}
	})
}

func BenchmarkPoint(b *testing.B) {
	k := scalar(toLimbs(number("FEDCBA9876543210FEDCBA9876543210FEDCBA9876543210FEDCBA9876543210")))
	b.Run("scalar inverse", func(b *testing.B) {
		for b.Loop() {
			k.invert(generic, &k)
		}
	})
	for i, info := range Drivers() {
		if !info.Available() {
			continue
		}
		row := uint8(i)
		var r, q point
		var m multiples
		r.multiplyBase(row, &k)
		q.multiplyBase(row, &scalar{5})
		for name, f := range map[string]func(){
			"double 5": func() { double(row, &r, &r, 5) },
			"add":      func() { add(row, &r, &q, 0) },
			"affine":   func() { addAffine(row, &r, &base, 0) },
			"get":      func() { get(row, &q, &m, 16) },
			"base":     func() { r.multiplyBase(row, &k) },
			"multiply": func() { r.multiply(row, &k, &base) },
			"public":   func() { r.multiplyPublic(row, &k, &k, &base) },
		} {
			b.Run(info.Name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	}
}
