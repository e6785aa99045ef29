package sm2

import "math/bits"

// Inversion uses the division steps of Bernstein and Yang, "Fast constant-time
// gcd computation and modular inversion" (2019), in the variant that starts with
// delta = 1/2, for which 590 steps suffice for 256-bit numbers. (TestDivisionSteps computes a bound
// of 594; 600 are done.) A step is
//
//	delta > 0, g odd:  (delta, f, g) = (1 - delta, g, (g - f)/2)
//	otherwise:         (delta, f, g) = (1 + delta, f, (g + (g mod 2) f)/2)
//
// At the start, f is the modulus and g the number to invert; at the end, g = 0 and
// f = 1 or -1. The choice of steps depends on the lowest bits only. So 20 steps are
// computed on the lowest bits, as in section 10 of the paper; they result in a
// matrix, by which f and g are then multiplied. These multiplications are
// independent of each other, whereas in exponentiation by p-2 each squaring depends
// on the one before, which takes longer even in assembly.

// A wide is a signed number in 60-bit limbs, the lowest first. The highest limb
// carries the sign.
type wide [5]int64

const limbBits, limbMask = 60, 1<<60 - 1

func toWide(v *[4]uint64) wide {
	return wide{
		int64(v[0] & limbMask), int64((v[0]>>60 | v[1]<<4) & limbMask), int64((v[1]>>56 | v[2]<<8) & limbMask),
		int64((v[2]>>52 | v[3]<<12) & limbMask), int64(v[3] >> 48),
	}
}

// limbs is the inverse of toWide.
func (w *wide) limbs() [4]uint64 {
	return [4]uint64{
		uint64(w[0]) | uint64(w[1])<<60, uint64(w[1])>>4 | uint64(w[2])<<56,
		uint64(w[2])>>8 | uint64(w[3])<<52, uint64(w[3])>>12 | uint64(w[4])<<48,
	}
}

// A modulus is an odd number below 2^256.
type modulus struct {
	wide    wide
	inverse uint64 // modulo 2^60
}

var (
	primeModulus = modulus{toWide((*[4]uint64)(&prime)), limbMask} // p is -1 modulo 2^64
	orderModulus = modulus{toWide((*[4]uint64)(&order)), -orderInverse & limbMask}
)

// A matrix (u v; q r) describes n steps: 2^n times the new f is u f + v g, and 2^n
// times the new g is q f + r g. |u| + |v| and |q| + |r| are at most 2^n.
type matrix struct{ u, v, q, r int64 }

// steps computes 20 steps on the lowest bits of f and g. The parameter and result
// delta are -(delta + 1/2).
//
// Both lines of the matrix undergo the same additions and halvings as f and g, so
// each number is packed with its line: F = f - 2^41 and G = g - 2^62. After 20
// halvings of G they are f + 2^21 u + 2^42 v and g + 2^21 q + 2^42 r, where f and g
// have at most 20 bits and a sign, and u, v, q and r are from -2^20 to 2^20 - 1.
// (The matrix is negated, because 2^20 would not fit.)
func steps(delta int64, f, g uint64) (int64, matrix) {
	F := int64(f&(1<<20-1)) - 1<<41
	G := int64(g&(1<<20-1)) - 1<<62
	for range 20 {
		odd, positive := -(G & 1), delta>>63
		swap := odd & positive
		G, F = (G+(F^positive-positive)&odd)>>1, F^(F^G)&swap
		delta = delta ^ swap - 1
	}
	var m matrix
	m.u, m.v = split(F)
	m.q, m.r = split(G)
	return delta, m
}

// split extracts a line of the matrix from F or G.
func split(v int64) (low, high int64) {
	v = (v + 1<<20) >> 21
	high = (v + 1<<20) >> 21
	return high<<21 - v, -high
}

// times sets m = a m.
func (m *matrix) times(a *matrix) {
	*m = matrix{a.u*m.u + a.v*m.q, a.u*m.v + a.v*m.r, a.q*m.u + a.r*m.q, a.q*m.v + a.r*m.r}
}

// low returns the lowest bits of f and g after 20 steps. If 64 bits of the input are
// correct, 44 bits of the result are.
func (m *matrix) low(f, g uint64) (uint64, uint64) {
	return uint64(int64(uint64(m.u)*f+uint64(m.v)*g) >> 20), uint64(int64(uint64(m.q)*f+uint64(m.r)*g) >> 20)
}

// A sum is a signed number of 128 bits.
type sum struct {
	high int64
	low  uint64
}

// mulAdd adds a b; b must not be negative.
func (s *sum) mulAdd(a, b int64) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	var c uint64
	s.low, c = bits.Add64(s.low, low, 0)
	s.high += int64(high) - a>>63&b + int64(c)
}

// mulAddTop adds a b for any b.
func (s *sum) mulAddTop(a, b int64) {
	s.mulAdd(a, b)
	s.high -= b >> 63 & a
}

// shift divides by 2^60 and returns the remainder.
func (s *sum) shift() int64 {
	lost := int64(s.low & limbMask)
	s.low = s.low>>60 | uint64(s.high)<<4
	s.high >>= 60
	return lost
}

// apply sets f = (u f + v g) / 2^60 and g = (q f + r g) / 2^60, which are integers.
func (m *matrix) apply(f, g *wide) {
	var a, b sum
	a.mulAdd(m.u, f[0])
	a.mulAdd(m.v, g[0])
	b.mulAdd(m.q, f[0])
	b.mulAdd(m.r, g[0])
	a.shift()
	b.shift()
	for i := 1; i < 4; i++ {
		x, y := f[i], g[i]
		a.mulAdd(m.u, x)
		a.mulAdd(m.v, y)
		b.mulAdd(m.q, x)
		b.mulAdd(m.r, y)
		f[i-1], g[i-1] = a.shift(), b.shift()
	}
	m.top(f, g, a, b)
}

// top adds the products of the highest limbs to the sums of the lower ones.
func (m *matrix) top(f, g *wide, a, b sum) {
	x, y := f[4], g[4]
	a.mulAddTop(m.u, x)
	a.mulAddTop(m.v, y)
	b.mulAddTop(m.q, x)
	b.mulAddTop(m.r, y)
	f[3], g[3] = a.shift(), b.shift()
	f[4], g[4] = int64(a.low), int64(b.low)
}

// applyModulo is apply modulo a number m: it subtracts multiples of m such that the
// results are integers. d and e are above -2 m and below m, before and after.
func (m *matrix) applyModulo(d, e *wide, modulus *modulus) {
	dNegative, eNegative := d[4]>>63, e[4]>>63
	kd := m.u&dNegative + m.v&eNegative
	ke := m.q&dNegative + m.r&eNegative
	x, y := d[0], e[0]
	var a, b sum
	a.mulAdd(m.u, x)
	a.mulAdd(m.v, y)
	b.mulAdd(m.q, x)
	b.mulAdd(m.r, y)
	kd -= int64((modulus.inverse*a.low + uint64(kd)) & limbMask)
	ke -= int64((modulus.inverse*b.low + uint64(ke)) & limbMask)
	a.mulAdd(kd, modulus.wide[0])
	b.mulAdd(ke, modulus.wide[0])
	a.shift()
	b.shift()
	for i := 1; i < 4; i++ {
		x, y = d[i], e[i]
		a.mulAdd(m.u, x)
		a.mulAdd(m.v, y)
		a.mulAdd(kd, modulus.wide[i])
		b.mulAdd(m.q, x)
		b.mulAdd(m.r, y)
		b.mulAdd(ke, modulus.wide[i])
		d[i-1], e[i-1] = a.shift(), b.shift()
	}
	a.mulAdd(kd, modulus.wide[4])
	b.mulAdd(ke, modulus.wide[4])
	m.top(d, e, a, b)
}

// addMasked adds x or 0.
func (w *wide) addMasked(x *wide, mask int64) {
	for i := range w {
		w[i] += x[i] & mask
	}
	w.carry()
}

func (w *wide) carry() {
	for i := range 4 {
		w[i+1] += w[i] >> 60
		w[i] &= limbMask
	}
}

func invertPortable(row uint8, z, x *[4]uint64, modulus *modulus) {
	mustExist(row)
	*z = modulus.invert(x)
}

// invert returns 1/x, or 0 for 0; x is below the modulus.
func (modulus *modulus) invert(x *[4]uint64) [4]uint64 {
	f, g := modulus.wide, toWide(x)
	d, e := wide{}, wide{1}
	delta := int64(-1) // -(1/2 + 1/2)
	for range 10 {     // 600 steps
		fLow, gLow := uint64(f[0])|uint64(f[1])<<60, uint64(g[0])|uint64(g[1])<<60
		var m, next matrix
		delta, m = steps(delta, fLow, gLow)
		next = m
		for range 2 {
			fLow, gLow = next.low(fLow, gLow)
			delta, next = steps(delta, fLow, gLow)
			m.times(&next)
		}
		m.apply(&f, &g)
		m.applyModulo(&d, &e, modulus)
	}
	// Unless x is 0, f is 1 or -1, and d is f/x, between -2 and 1 times the modulus.
	d.addMasked(&modulus.wide, d[4]>>63)
	negative := f[4] >> 63
	for i := range d {
		d[i] = d[i] ^ negative - negative
	}
	d.carry()
	d.addMasked(&modulus.wide, d[4]>>63)
	v := d.limbs()
	clear(f[:])
	clear(g[:])
	clear(d[:])
	clear(e[:])
	return v
}
