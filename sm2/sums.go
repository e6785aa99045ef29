package sm2

import (
	"sync"

	"github.com/cipherlane/cipherlane/internal/fips"
)

// Sums of many lists of points are computed together, in affine coordinates:
//
//	x = s^2 - x1 - x2    y = s (x1 - x) - y1    where s = (y2 - y1) / (x2 - x1)
//
// Neighbours in all lists are added at once, so that all quotients share an inversion: the
// product of all x2 - x1 is inverted, and each 1/(x2 - x1) takes three multiplications. So an
// addition takes 5 multiplications and a squaring instead of 8 and 2, and a list of n points log
// n inversions, whatever the number of lists.

const (
	// Digits of a public key's multiples.
	keyWindow  = 4
	keyDigits  = 65 // ceil(257 / 4)
	keyEntries = 1 << (keyWindow - 1)

	// minSums is the number of entries from which on the inversions, and for verification the
	// table of a key, are worth their cost.
	minSums = 4

	// maxVerifying is the maximum number of signatures that are verified together.
	maxVerifying = 32

	// verifyDigits is the number of points that a verification adds.
	verifyDigits = baseDigits + keyDigits
)

// A sums is the working memory of a call. It contains no pointers. It is too large for the stack.
type sums struct {
	batch
	points      [maxVerifying * verifyDigits]affine
	products    [maxVerifying * verifyDigits / 2]element
	digits      [verifyDigits]uint64
	table       [keyDigits][keyEntries]affine
	heads       [2 * keyDigits]point
	affineHeads [2 * keyDigits]affine
}

// A basePointList is a point of each row of the base table.
type basePointList [baseDigits]affine

var sumsPool = sync.Pool{New: func() any { return new(sums) }}

// free wipes what signing uses for this number of entries.
func (w *sums) free(count int) {
	w.batch = batch{}
	clear(w.points[:count*baseDigits])
	clear(w.products[:count*(baseDigits/2)])
	clear(w.digits[:])
	sumsPool.Put(w)
}

func productsPortable(row uint8, product *element, before []element, p []affine) {
	var d element
	for i := len(before) - 1; i >= 0; i-- {
		before[i] = *product
		d.sub(&p[2*i+1].x, &p[2*i].x)
		mul(row, product, product, &d)
	}
	clear(d[:])
}

func addPairsPortable(row uint8, inverse *element, before []element, p []affine) {
	var d, s, t element
	for i := range before {
		a, b := &p[2*i], &p[2*i+1]
		d.sub(&b.x, &a.x)
		mul(row, &t, inverse, &before[i])
		mul(row, inverse, inverse, &d)
		s.sub(&b.y, &a.y)
		mul(row, &s, &s, &t)
		squares(row, &t, &s, 1)
		t.sub(&t, &a.x)
		t.sub(&t, &b.x)
		d.sub(&a.x, &t)
		mul(row, &d, &d, &s)
		d.sub(&d, &a.y)
		p[i] = affine{t, d}
	}
	clear(d[:])
	clear(s[:])
	clear(t[:])
}

func basePointsPortable(row uint8, r *basePointList, table *baseTable, digits *[baseDigits]uint64) {
	mustExist(row)
	for i := range table {
		table[i].getSigned(&r[i], digits[i])
	}
}

// add replaces the first of every n points by the sum of all n. It reports false if two points
// with the same x coordinate met.
func (w *sums) add(row uint8, lists, n int) bool {
	for size := n; size > 1; size = (size + 1) / 2 {
		half := size / 2
		product := one
		for l := lists - 1; l >= 0; l-- {
			products(row, &product, w.products[l*half:][:half], w.points[l*n:][:size])
		}
		if product.isZero() != 0 {
			return false
		}
		product.invert(row, &product)
		for l := range lists {
			p := w.points[l*n:][:size]
			addPairs(row, &product, w.products[l*half:][:half], p)
			if size%2 != 0 {
				p[half] = p[size-1]
			}
		}
	}
	return true
}

// multiplyBase multiplies the base point by the first count nonces, from 1 to n-1. Product i is
// point i*baseDigits.
//
// Let m be the nonce or n minus the nonce, whichever is odd, and A and B the sums of the digits
// of the rows from a to b-1 and from b to c-1. Both are multiples of 64^a, A an odd one and B an
// even one. So A + B and A - B are odd multiples of 64^a, of a magnitude below 64^c. If a > 0
// they are no multiple of n. If a = 0 they are below n, unless c is the number of rows: then A +
// B is m, and A - B is m - 2 B. This is a multiple of n only if B is (m + n)/2, and so A is (m -
// n)/2; the last sum is of 32 rows and the rest, so B is a multiple of 2^192, and m is n - 2 (n
// mod 2^192). With this one number all products fail.
func (w *sums) multiplyBase(row uint8, count int) bool {
	t := baseMultiples()
	list := (*[baseDigits]uint64)(w.digits[:])
	for i := range count {
		baseDigitsOf(list, &w.nonces[i])
		basePoints(row, (*basePointList)(w.points[i*baseDigits:]), t, list)
	}
	return w.add(row, count, baseDigits)
}

// signSums signs at most maxSideBySide entries.
func signSums(row uint8, list []*Signing, deterministic bool) {
	w := sumsPool.Get().(*sums)
	defer w.free(len(list))
	w.readDigests(list)
	w.makeNonces(list, deterministic)
	if !w.multiplyBase(row, len(list)) {
		for _, b := range list {
			b.sign(deterministic)
		}
		return
	}
	for i, b := range list {
		x := w.points[i*baseDigits].x.integer()
		w.sign(b, i, &x, deterministic)
	}
}

// generateSums generates at most maxSideBySide keys.
func generateSums(keys []*PrivateKey, d Driver) {
	w := sumsPool.Get().(*sums)
	defer w.free(len(keys))
	w.randomKeys(len(keys))
	ok := w.multiplyBase(d.many, len(keys))
	for i := range keys {
		k := &PrivateKey{d: w.nonces[i], public: PublicKey{row: d.row, many: d.many}, usable: true}
		if k.public.point = w.points[i*baseDigits]; !ok {
			k.init()
		}
		keys[i] = k
	}
	scrub()
}

// setKey computes the table of odd multiples of 16^i P, in variable time.
func (w *sums) setKey(row uint8, p *affine) {
	next := point{p.x, p.y, one}
	for i := range keyDigits {
		w.heads[2*i] = next
		double(row, &w.heads[2*i+1], &next, 1)
		double(row, &next, &w.heads[2*i+1], keyWindow-1)
	}
	allAffine(row, w.affineHeads[:], w.heads[:], w.products[:])
	for i := range w.table {
		w.table[i][0] = w.affineHeads[2*i]
	}
	for j := 1; j < keyEntries; j++ {
		for i := range w.table {
			w.points[2*i], w.points[2*i+1] = w.table[i][j-1], w.affineHeads[2*i+1]
		}
		product := one
		products(row, &product, w.products[:keyDigits], w.points[:2*keyDigits])
		product.invert(row, &product) // no two multiples of a point by numbers up to 15 are opposite
		addPairs(row, &product, w.products[:keyDigits], w.points[:2*keyDigits])
		for i := range w.table {
			w.table[i][j] = w.points[i]
		}
	}
}

// verifySums verifies signatures by the same key, at most maxSideBySide, in variable time.
func verifySums(list []*Verification) {
	key := list[0].Key
	var all [maxSideBySide]verifying
	n := 0
	for _, b := range list {
		if all[n].begin(b) {
			n++
		}
	}
	if n < minSums || key.empty() || fips.Enforced() {
		for i := range all[:n] {
			all[i].entry.verify()
		}
		return
	}
	w := sumsPool.Get().(*sums)
	defer sumsPool.Put(w) // nothing in it is secret
	w.setKey(key.many, &key.point)
	for i := 0; i < n; i += maxVerifying {
		w.verify(key.many, all[i:min(i+maxVerifying, n)])
	}
}

// verify verifies signatures by the key of the table. If two points with the same x
// coordinate meet, they are verified individually.
func (w *sums) verify(row uint8, list []verifying) {
	base := baseMultiples()
	for i := range list {
		p := w.points[i*verifyDigits:][:verifyDigits]
		var odd scalar
		oddDigits(w.digits[:baseDigits], &odd, baseWindow, odd.setOdd(&list[i].s))
		oddDigits(w.digits[baseDigits:], &odd, keyWindow, odd.setOdd(&list[i].t))
		for j, d := range w.digits {
			if entry := d&^signBit - 1; j < baseDigits {
				p[j] = base[j][entry]
			} else {
				p[j] = w.table[j-baseDigits][entry]
			}
			if d&signBit != 0 {
				p[j].y.sub(&zeroElem, &p[j].y)
			}
		}
	}
	ok := w.add(row, len(list), verifyDigits)
	for i := range list {
		l := &list[i]
		if ok {
			l.entry.Valid = w.points[i*verifyDigits].x.integer() == l.v
		} else {
			l.entry.verify()
		}
	}
}
