package ghash

// A spread32 is a quarter of an element, or a sum of quarters, prepared as a
// factor: four classes of eight bits.
type spread32 [4]uint32

// The low halves of the masks of the classes.
const (
	low0 = class0 >> 32
	low1 = class1 >> 32
	low2 = class2 >> 32
	low3 = class3 >> 32
)

func newSpread32(x uint32) spread32 { return spread32{x & low0, x & low1, x & low2, x & low3} }

// sums32 are products of quarters before the masks, by class.
type sums32 [4]uint64

// add adds the product of x and f.
func (s *sums32) add(x uint32, f *spread32) {
	x0, x1, x2, x3 := uint64(x&low0), uint64(x&low1), uint64(x&low2), uint64(x&low3)
	f0, f1, f2, f3 := uint64(f[0]), uint64(f[1]), uint64(f[2]), uint64(f[3])
	s[0] ^= x0*f0 ^ x1*f3 ^ x2*f2 ^ x3*f1
	s[1] ^= x0*f1 ^ x1*f0 ^ x2*f3 ^ x3*f2
	s[2] ^= x0*f2 ^ x1*f1 ^ x2*f0 ^ x3*f3
	s[3] ^= x0*f3 ^ x1*f2 ^ x2*f1 ^ x3*f0
}

func (s *sums32) product() uint64 {
	return s[0]&class0 | s[1]&class1 | s[2]&class2 | s[3]&class3
}

// factors returns the factors of e for two levels of Karatsuba's method: the low
// quarter, the high quarter and their sum, for each of the low half, the high half
// and their sum.
func (e element) factors() [9]uint32 {
	a, b, c, d := uint32(e.lo), uint32(e.lo>>32), uint32(e.hi), uint32(e.hi>>32)
	return [9]uint32{a, b, a ^ b, c, d, c ^ d, a ^ c, b ^ d, a ^ b ^ c ^ d}
}

// mul32Key holds the powers H^1 to H^4 as factors.
type mul32Key [group][9]spread32

func (k *mul32Key) init(h *[blockSize]byte) {
	x := mulX(h)
	for i := range k {
		if i > 0 {
			var s [9]sums32
			k.addProduct(&s, x, 0)
			x = reduce32(&s)
		}
		for j, f := range x.factors() {
			k[i][j] = newSpread32(f)
		}
	}
}

// addProduct adds x * H^(power+1).
func (k *mul32Key) addProduct(s *[9]sums32, x element, power int) {
	for j, f := range x.factors() {
		s[j].add(f, &k[power][j])
	}
}

func reduce32(s *[9]sums32) element {
	half := func(lo, hi, sum *sums32) element {
		l, h := lo.product(), hi.product()
		m := sum.product() ^ l ^ h
		return element{h ^ m>>32, l ^ m<<32}
	}
	return reduce(half(&s[3], &s[4], &s[5]), half(&s[6], &s[7], &s[8]), half(&s[0], &s[1], &s[2]))
}

func (k *mul32Key) update(y *[blockSize]byte, p []byte, reversed bool) {
	state := load(y[:], reversed)
	for len(p) > 0 {
		var s [9]sums32
		for power := min((len(p)-1)/blockSize, group-1); power >= 0; power-- {
			var x element
			x, p = nextBlock(p, reversed)
			k.addProduct(&s, x.add(state), power)
			state = element{}
		}
		state = reduce32(&s)
	}
	state.store(y, reversed)
}
