// Package permute has the tables with which vector instructions compute the S-box of AES.
//
// The method is Hamburg's, "Accelerating AES with Vector Permute Instructions" (CHES
// 2009). PSHUFB on amd64 and vrgather on riscv64 look up nibbles in a register with a
// table of 16 bytes, so that all has to be done on nibbles.
//
// GF(2^8) is written as GF(2^4)[τ], τ² = Aτ + A. A byte in this basis is
// x = k + iτ, k its low nibble, i its high one; j = i + k. With the norm
// N = k² + Aik + Ai² the inverse is
//
//	1/x = ((k + Ai) + iτ) / N
//
// and both of its parts are linear in
//
//	u = (k + Ai)/N        v = (k + Aj)/N
//
// since u + v = Ak/N, and so u = k/N + A·i/N gives i/N. These two
// come from inversions in GF(2^4) alone:
//
//	1/u = 1/(1/i + A/k) + j        v likewise with i and j exchanged
//
// Zero divisors take care of themselves with an infinity that remains one in
// sums, and whose inverse is 0: a byte with its highest bit set, for which
// the look-up gives 0. The map after the inversion, any linear map F, is the sum of
// two look-ups: F(1/x) = F_u[1/u] + F_v[1/v].
package permute

const (
	aesPoly  = 0x11b // x^8 + x^4 + x^3 + x + 1
	infinity = 0x80
)

// Affine is the constant of the S-box.
const Affine = 0x63

// A Table is what a register holds for look-ups of nibbles.
type Table = [16]byte

// Linear is a linear map of bytes. With constants kept out of them, all maps here are.
type Linear func(byte) byte

// After returns the map that is g, then f.
func (f Linear) After(g Linear) Linear { return func(x byte) byte { return f(g(x)) } }

// Times multiplies by c in the field of AES.
func Times(c byte) Linear {
	return func(x byte) byte {
		var p int
		for i := range 8 {
			if c>>i&1 != 0 {
				p ^= int(x) << i
			}
		}
		for i := 15; i >= 8; i-- {
			if p>>i&1 != 0 {
				p ^= aesPoly << (i - 8)
			}
		}
		return byte(p)
	}
}

// SBoxLinear is the S-box without inversion and constant: FIPS 197, 5.1.1.
func SBoxLinear(x byte) byte {
	y := x
	for i := 1; i <= 4; i++ {
		y ^= x<<i | x>>(8-i)
	}
	return y
}

// SBoxLinearInverse is its inverse.
func SBoxLinearInverse(y byte) byte {
	for x := range 256 {
		if SBoxLinear(byte(x)) == y {
			return byte(x)
		}
	}
	panic("not invertible")
}

// mul4 multiplies in GF(2)[x]/(x^4+x+1).
func mul4(a, b byte) byte {
	var p byte
	for i := range 4 {
		if b>>i&1 != 0 {
			p ^= a << i
		}
	}
	for i := 6; i >= 4; i-- {
		if p>>i&1 != 0 {
			p ^= 0x13 << (i - 4)
		}
	}
	return p
}

// inverse4 has 0 for 0.
func inverse4(a byte) byte {
	for b := range byte(16) {
		if mul4(a, b) == 1 {
			return b
		}
	}
	return 0
}

// A Tower is a choice of A and of the basis: ToTower maps a field of 256 elements to
// it.
type Tower struct {
	A                  byte
	ToTower, FromTower Linear
}

// mul multiplies k + iτ by n + mτ.
func (t *Tower) mul(x, y byte) byte {
	i, k, m, n := x>>4, x&15, y>>4, y&15
	square := mul4(t.A, mul4(i, m)) // what τ² adds to both parts
	return (mul4(i, n)^mul4(k, m)^square)<<4 | mul4(k, n) ^ square
}

// NewTower is that of the field of AES.
func NewTower() *Tower { return NewTowerOf(aesPoly) }

// NewTowerOf is that of the field with a polynomial. It takes the first A for which
// τ² + Aτ + A is irreducible, and maps x to the first root of the polynomial.
func NewTowerOf(polynomial int) *Tower {
	t := new(Tower)
	for t.A = 2; t.reducible(); t.A++ {
	}
	for root := 2; root < 256; root++ {
		powers := [9]byte{1}
		var sum byte
		for i := range 9 {
			if i > 0 {
				powers[i] = t.mul(powers[i-1], byte(root))
			}
			if polynomial>>i&1 != 0 {
				sum ^= powers[i]
			}
		}
		if sum != 0 {
			continue
		}
		var to, from [256]byte
		for x := range 256 {
			for i := range 8 {
				if x>>i&1 != 0 {
					to[x] ^= powers[i]
				}
			}
			from[to[x]] = byte(x)
		}
		t.ToTower = func(x byte) byte { return to[x] }
		t.FromTower = func(x byte) byte { return from[x] }
		return t
	}
	panic("no root")
}

func (t *Tower) reducible() bool {
	for x := range byte(16) {
		if mul4(x, x)^mul4(t.A, x)^t.A == 0 {
			return true
		}
	}
	return false
}

// Inverses are those of GF(2^4), multiples of them by c.
func Inverses(c byte) (r Table) {
	r[0] = infinity
	for x := range byte(15) {
		r[x+1] = mul4(c, inverse4(x+1))
	}
	return r
}

// Output returns the look-ups of f(1/x), f from the basis of the tower, by 1/u
// and by 1/v.
func (t *Tower) Output(f Linear) (u, v Table) {
	part := func(u, v byte) byte {
		k := mul4(u^v, inverse4(t.A)) // k/N
		i := mul4(u^k, inverse4(t.A))
		return f(i<<4 | u)
	}
	for n := range byte(16) {
		u[n], v[n] = part(inverse4(n), 0), part(0, inverse4(n))
	}
	return u, v
}

// Nibbles returns the look-ups of f by the low and the high nibble.
func Nibbles(f Linear) (low, high Table) {
	for n := range byte(16) {
		low[n], high[n] = f(n), f(n<<4)
	}
	return low, high
}

// Join returns the bytes of tables.
func Join(list ...Table) (all []byte) {
	for _, t := range list {
		all = append(all, t[:]...)
	}
	return all
}

// All is a table of equal bytes.
func All(b byte) (t Table) {
	for i := range t {
		t[i] = b
	}
	return t
}
