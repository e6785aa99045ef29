package main

// The S-box of AES by vector permutes, after Hamburg, "Accelerating AES with
// Vector Permute Instructions" (CHES 2009). PSHUFB looks up 16 nibbles at once
// in a table of 16 bytes, so that all has to be done on nibbles.
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
// PSHUFB gives 0. What follows the inversion, any linear map F, is the sum of
// two look-ups: F(1/x) = F_u[1/u] + F_v[1/v].

const (
	aesPoly  = 0x11b // x^8 + x^4 + x^3 + x + 1
	affine   = 0x63  // the constant of the S-box
	infinity = 0x80
)

type table = [16]byte

// A linear map of bytes. With constants kept out of them, all maps here are.
type linear func(byte) byte

// after returns the map that is g, then f.
func (f linear) after(g linear) linear { return func(x byte) byte { return f(g(x)) } }

// times multiplies by c in the field of AES.
func times(c byte) linear {
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

// sboxLinear is the S-box without inversion and constant: FIPS 197, 5.1.1.
func sboxLinear(x byte) byte {
	y := x
	for i := 1; i <= 4; i++ {
		y ^= x<<i | x>>(8-i)
	}
	return y
}

func sboxLinearInverse(y byte) byte {
	for x := range 256 {
		if sboxLinear(byte(x)) == y {
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

// A tower is a choice of A and of the basis: toTower maps the field of AES to
// it.
type tower struct {
	a                  byte
	toTower, fromTower linear
}

// mul multiplies k + iτ by n + mτ.
func (t *tower) mul(x, y byte) byte {
	i, k, m, n := x>>4, x&15, y>>4, y&15
	square := mul4(t.a, mul4(i, m)) // what τ² adds to both parts
	return (mul4(i, n)^mul4(k, m)^square)<<4 | mul4(k, n) ^ square
}

// newTower takes the first A for which τ² + Aτ + A is irreducible, and maps x
// to the first root of the polynomial of AES.
func newTower() *tower {
	t := new(tower)
	for t.a = 2; t.reducible(); t.a++ {
	}
	for root := 2; root < 256; root++ {
		powers := [9]byte{1}
		var sum byte
		for i := range 9 {
			if i > 0 {
				powers[i] = t.mul(powers[i-1], byte(root))
			}
			if aesPoly>>i&1 != 0 {
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
		t.toTower = func(x byte) byte { return to[x] }
		t.fromTower = func(x byte) byte { return from[x] }
		return t
	}
	panic("no root")
}

func (t *tower) reducible() bool {
	for x := range byte(16) {
		if mul4(x, x)^mul4(t.a, x)^t.a == 0 {
			return true
		}
	}
	return false
}

// inverses are those of GF(2^4), multiples of them by c.
func inverses(c byte) (r table) {
	r[0] = infinity
	for x := range byte(15) {
		r[x+1] = mul4(c, inverse4(x+1))
	}
	return r
}

// output returns the look-ups of f(1/x), f from the basis of the tower, by 1/u
// and by 1/v.
func (t *tower) output(f linear) (u, v table) {
	part := func(u, v byte) byte {
		k := mul4(u^v, inverse4(t.a)) // k/N
		i := mul4(u^k, inverse4(t.a))
		return f(i<<4 | u)
	}
	for n := range byte(16) {
		u[n], v[n] = part(inverse4(n), 0), part(0, inverse4(n))
	}
	return u, v
}

// nibbles returns the look-ups of f by the low and the high nibble.
func nibbles(f linear) (low, high table) {
	for n := range byte(16) {
		low[n], high[n] = f(n), f(n<<4)
	}
	return low, high
}

// A layout says which byte of the state is in each place of a register. Row r,
// column c is number r+4c. ShiftRows is left out of the rounds: instead
// the layout changes, and with it the permutations of MixColumns.
type layout [16]int

// shifted is the layout after n ShiftRows, or inverse ones where n is negative.
// It has a period of 4.
func shifted(n int) (l layout) {
	for p := range l {
		r, c := p%4, p/4
		l[p] = r + 4*((c-n*r)&3)
	}
	return l
}

// permutation is the index that brings a register of the usual layout to l.
func (l layout) permutation() (t table) {
	for p := range t {
		t[p] = byte(l[p])
	}
	return t
}

// rotation is the index that gives each byte the one n rows below it in its
// column.
func (l layout) rotation(n int) (t table) {
	var place [16]byte
	for p, i := range l {
		place[i] = byte(p)
	}
	for p, i := range l {
		t[p] = place[(i+n)&3|i&^3]
	}
	return t
}

// all is a table of equal bytes.
func all(b byte) (t table) {
	for i := range t {
		t[i] = b
	}
	return t
}
