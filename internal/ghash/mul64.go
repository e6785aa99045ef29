package ghash

import "math/bits"

// A spread64 is half an element prepared as a factor. A class of a 64-bit word
// would have 16 bits, one too many, so the top bit of each class is left out and
// these four bits make a fifth factor.
type spread64 struct{ c0, c1, c2, c3, top uint64 }

func newSpread64(x uint64) spread64 {
	const low60 = 1<<60 - 1
	return spread64{x & class0 & low60, x & class1 & low60, x & class2 & low60, x & class3 & low60, x >> 60}
}

// sums64 are products of halves before masking: the low and high words for each
// class and for the products with top, which are shifted left by 60 bits.
type sums64 struct{ l0, l1, l2, l3, h0, h1, h2, h3, lt, ht uint64 }

// add adds the product of x and f.
func (s *sums64) add(x uint64, f *spread64) {
	x0, x1, x2, x3 := x&class0, x&class1, x&class2, x&class3

	h, l := bits.Mul64(x0, f.c0)
	hi, lo := h, l
	h, l = bits.Mul64(x1, f.c3)
	hi, lo = hi^h, lo^l
	h, l = bits.Mul64(x2, f.c2)
	hi, lo = hi^h, lo^l
	h, l = bits.Mul64(x3, f.c1)
	s.h0, s.l0 = s.h0^hi^h, s.l0^lo^l

	h, l = bits.Mul64(x0, f.c1)
	hi, lo = h, l
	h, l = bits.Mul64(x1, f.c0)
	hi, lo = hi^h, lo^l
	h, l = bits.Mul64(x2, f.c3)
	hi, lo = hi^h, lo^l
	h, l = bits.Mul64(x3, f.c2)
	s.h1, s.l1 = s.h1^hi^h, s.l1^lo^l

	h, l = bits.Mul64(x0, f.c2)
	hi, lo = h, l
	h, l = bits.Mul64(x1, f.c1)
	hi, lo = hi^h, lo^l
	h, l = bits.Mul64(x2, f.c0)
	hi, lo = hi^h, lo^l
	h, l = bits.Mul64(x3, f.c3)
	s.h2, s.l2 = s.h2^hi^h, s.l2^lo^l

	h, l = bits.Mul64(x0, f.c3)
	hi, lo = h, l
	h, l = bits.Mul64(x1, f.c2)
	hi, lo = hi^h, lo^l
	h, l = bits.Mul64(x2, f.c1)
	hi, lo = hi^h, lo^l
	h, l = bits.Mul64(x3, f.c0)
	s.h3, s.l3 = s.h3^hi^h, s.l3^lo^l

	// A class times four adjacent bits: all products of bits have different
	// positions, so there are no carries.
	h, l = bits.Mul64(x0, f.top)
	hi, lo = h, l
	h, l = bits.Mul64(x1, f.top)
	hi, lo = hi^h, lo^l
	h, l = bits.Mul64(x2, f.top)
	hi, lo = hi^h, lo^l
	h, l = bits.Mul64(x3, f.top)
	s.ht, s.lt = s.ht^hi^h, s.lt^lo^l
}

func (s *sums64) product() element {
	return element{
		s.h0&class0 | s.h1&class1 | s.h2&class2 | s.h3&class3 ^ s.ht<<60 ^ s.lt>>4,
		s.l0&class0 | s.l1&class1 | s.l2&class2 | s.l3&class3 ^ s.lt<<60,
	}
}

// mul64Key holds the powers H^1 to H^4: for each, the low half, the high half
// and their sum.
type mul64Key [group][3]spread64

func (k *mul64Key) init(h *[blockSize]byte) {
	x := mulX(h)
	for i := range k {
		if i > 0 {
			var s [3]sums64
			k.addProduct(&s, x, 0)
			x = reduce(s[1].product(), s[2].product(), s[0].product())
		}
		k[i] = [3]spread64{newSpread64(x.lo), newSpread64(x.hi), newSpread64(x.lo ^ x.hi)}
	}
}

// addProduct adds x * H^(power+1).
func (k *mul64Key) addProduct(s *[3]sums64, x element, power int) {
	s[0].add(x.lo, &k[power][0])
	s[1].add(x.hi, &k[power][1])
	s[2].add(x.lo^x.hi, &k[power][2])
}

func (k *mul64Key) update(y *[blockSize]byte, p []byte, reversed bool) {
	state := load(y[:], reversed)
	for len(p) > 0 {
		var s [3]sums64
		for power := min((len(p)-1)/blockSize, group-1); power >= 0; power-- {
			var x element
			x, p = nextBlock(p, reversed)
			k.addProduct(&s, x.add(state), power)
			state = element{}
		}
		state = reduce(s[1].product(), s[2].product(), s[0].product())
	}
	state.store(y, reversed)
}
