package sm2

import (
	"math/bits"
	"sync"

	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/sm2/internal/eight"
)

// Kernels multiply eight points at once. All digits of their numbers are odd (see setDigits), so
// that there is always a point to add and no lane needs a special case. Where the formulas fail, Z
// is 0 at the end, and those few entries are computed one by one. All entries share an inversion.

// lanes is the number of values that kernels process in parallel, and the number of
// entries in a group.
const (
	lanes     = 8
	maxGroups = maxSideBySide / lanes
)

// lanesWork is the working memory of a call. It contains no pointers, so that it is
// allocated at a multiple of 64 bytes. It is too large for the stack.
type lanesWork struct {
	kernel eight.Work
	batch

	// Per group: coordinates, and the product of all Z up to and including this one.
	x, y, z, upTo [maxGroups]eight.Lanes
	inverse, t    eight.Lanes
	point         eight.Point

	// For the product of all groups: the value of each lane, the product of the lanes
	// before it, and the product of all lanes.
	own, before [lanes]element
	product     element

	row uint8 // the driver
}

var lanesPool = sync.Pool{New: func() any { return new(lanesWork) }}

func (w *lanesWork) free() {
	*w = lanesWork{}
	lanesPool.Put(w)
}

// setLane puts a number below 2^256 into a lane, as it is.
func setLane(z *eight.Lanes, lane int, v *[4]uint64) {
	const mask = 1<<52 - 1
	z[0][lane] = v[0] & mask
	z[1][lane] = (v[0]>>52 | v[1]<<12) & mask
	z[2][lane] = (v[1]>>40 | v[2]<<24) & mask
	z[3][lane] = (v[2]>>28 | v[3]<<36) & mask
	z[4][lane] = v[3] >> 16
}

// getLane is the inverse of setLane, for a number that is at most p; it turns p into 0.
func getLane(v *[4]uint64, z *eight.Lanes, lane int) {
	t0 := z[0][lane] | z[1][lane]<<52
	t1 := z[1][lane]>>12 | z[2][lane]<<40
	t2 := z[2][lane]>>24 | z[3][lane]<<28
	t3 := z[3][lane]>>36 | z[4][lane]<<16
	s0, b := bits.Sub64(t0, p0, 0)
	s1, b := bits.Sub64(t1, p1, b)
	s2, b := bits.Sub64(t2, p2, b)
	s3, b := bits.Sub64(t3, p3, b)
	keep := -b
	v[0] = s0 ^ keep&(s0^t0)
	v[1] = s1 ^ keep&(s1^t1)
	v[2] = s2 ^ keep&(s2^t2)
	v[3] = s3 ^ keep&(s3^t3)
}

// everyLane puts a number into all lanes.
func everyLane(v [4]uint64) *eight.Lanes {
	z := new(eight.Lanes)
	for lane := range lanes {
		setLane(z, lane, &v)
	}
	return z
}

// Numbers modulo p in all lanes. A product with lanesPlain no longer has the factor
// 2^260 of Montgomery form, and is at most p.
var (
	lanesPlain = everyLane([4]uint64{1})
	lanesOne   = everyLane([4]uint64{0x10, 0xffffffff0, 0, 0x1000000000})                     // 2^260
	lanesTo    = everyLane([4]uint64{0x2000000030, 0x2ffffffff0, 0x1000000010, 0x4000000020}) // 2^516: then lanesPlain makes elements
	lanesFrom  = everyLane([4]uint64{0x100, 0xffffffff00, 0, 0x10000000000})                  // 2^264: from elements to lanes
)

// baseLanes returns the table for the base point. The first call computes it, in about
// a millisecond.
var baseLanes = sync.OnceValue(func() *eight.BaseTable {
	points := make([]point, 0, eight.BaseWindows*eight.BaseEntries)
	next := base
	for range eight.BaseWindows {
		p := point{next.x, next.y, one}
		var doubled point
		doubled.double(&p)
		for range eight.BaseEntries {
			points = append(points, p)
			p.add(&doubled, 0)
		}
		p = points[len(points)-1]
		p.addAffine(&next, 0) // 63 and 1
		next = p.affine(generic)
	}
	// Make all points affine with one inversion: products[i] is the product of the z before i.
	products := make([]element, len(points))
	product := one
	for i := range points {
		products[i] = product
		product.mul(&product, &points[i].z)
	}
	product.invert(generic, &product)
	var sixteen element // 2^260/2^256
	sixteen.mul(&element{16}, &square)
	t := new(eight.BaseTable)
	for i := len(points) - 1; i >= 0; i-- {
		var zi, zz, x, y element
		zi.mul(&product, &products[i])
		product.mul(&product, &points[i].z)
		zz.sqr(&zi)
		x.mul(&points[i].x, &zz)
		x.mul(&x, &sixteen)
		zz.mul(&zz, &zi)
		y.mul(&points[i].y, &zz)
		y.mul(&y, &sixteen)
		var l [2]eight.Lanes
		setLane(&l[0], 0, (*[4]uint64)(&x))
		setLane(&l[1], 0, (*[4]uint64)(&y))
		for j := range 10 {
			t[i/eight.BaseEntries][j][i%eight.BaseEntries] = l[j/5][j%5][0]
		}
	}
	return t
})

// setDigits prepares a lane for the product of k, from 1 to n-1, and a point. The
// kernel works on odd numbers only: if k is even, it gets n - k, and Flip is set to
// negate the product. Binary digits 0 and 1 stand for -1 and 1; above those of k
// there is one more 1, bit 255 or 257.
func (w *lanesWork) setDigits(lane int, k *scalar, base bool) {
	var n scalar
	w.kernel.Flip[lane] = n.setOdd(k)
	d := &w.kernel.Digits
	d[0][lane] = n[0]>>1 | n[1]<<63
	d[1][lane] = n[1]>>1 | n[2]<<63
	d[2][lane] = n[2]>>1 | n[3]<<63
	if base {
		d[3][lane] = n[3] >> 1
		d[4][lane] = 2
	} else {
		d[3][lane] = n[3]>>1 | 1<<63
	}
	clear(n[:])
}

// signMany signs a list of at most maxSideBySide entries.
func signMany(list []*Signing, deterministic bool) {
	w := lanesPool.Get().(*lanesWork)
	defer w.free()
	w.row = list[0].Key.public.many
	w.readDigests(list)
	w.makeNonces(list, deterministic)
	w.signWith(list, deterministic)
}

// multiplyBase multiplies the base point by the first count nonces, and inverts the
// Z of the products. It returns the number of groups, or 0 if a Z is 0.
//
// Let k be the nonce or n minus the nonce, whichever is odd. Before digit d of window
// i is added, the sum is m times the base point, where m is odd and |m| < 64^i. So
// the sum is not infinity. The point to be added is d 64^i times the base point, with
// d odd and |d| < 64. It is neither equal nor opposite to the sum: m - d 64^i and
// m + d 64^i are not 0, and their magnitude is below 64^(i+1), which is less than n
// except in the last window. There d is from 1 to 15, m + d 2^252 is k, and
// m - d 2^252 is k - d 2^253, which is a multiple of n for one k only: 15 * 2^253 - n.
// For this k, Z is 0.
func (w *lanesWork) multiplyBase(count int) (groups int) {
	groups = (count + lanes - 1) / lanes
	table := baseLanes()
	for g := range groups {
		for lane := range lanes {
			k := &scalar{1}
			if i := g*lanes + lane; i < count {
				k = &w.nonces[i]
			}
			w.setDigits(lane, k, true)
		}
		multiplyBaseLanes(w.row, &w.kernel, table)
		w.x[g], w.y[g], w.z[g] = w.kernel.Sum.X, w.kernel.Sum.Y, w.kernel.Sum.Z
	}
	if !w.invert(groups) {
		return 0
	}
	return groups
}

// signWith signs a list with one nonce each.
func (w *lanesWork) signWith(list []*Signing, deterministic bool) {
	groups := w.multiplyBase(len(list))
	if groups == 0 {
		for _, b := range list {
			b.sign(deterministic)
		}
		return
	}
	for g := range groups {
		// X / Z^2
		squareLanes(w.row, &w.t, &w.z[g], 1)
		mulLanes(w.row, &w.t, &w.t, &w.x[g])
		mulLanes(w.row, &w.t, &w.t, lanesPlain)
		for lane := range lanes {
			i := g*lanes + lane
			if i >= len(list) {
				break
			}
			var x [4]uint64
			getLane(&x, &w.t, lane)
			w.sign(list[i], i, &x, deterministic)
		}
	}
}

// generateMany generates at most maxSideBySide keys.
func generateMany(keys []*PrivateKey, d Driver) {
	w := lanesPool.Get().(*lanesWork)
	defer w.free()
	w.row = d.many
	w.randomKeys(len(keys))
	w.generateWith(keys, d)
}

// generateWith turns the first len(keys) nonces into keys.
func (w *lanesWork) generateWith(keys []*PrivateKey, d Driver) {
	groups := w.multiplyBase(len(keys))
	for i := range keys {
		keys[i] = &PrivateKey{d: w.nonces[i], public: PublicKey{row: d.row, many: d.many}, usable: true}
		if groups == 0 {
			keys[i].init()
		}
	}
	for g := range groups {
		// X / Z^2 and Y / Z^3, as elements
		x, y, z := &w.x[g], &w.y[g], &w.z[g]
		mulLanes(w.row, y, y, z)
		squareLanes(w.row, z, z, 1)
		for _, v := range []*eight.Lanes{x, y} {
			mulLanes(w.row, v, v, z)
			mulLanes(w.row, v, v, lanesTo)
			mulLanes(w.row, v, v, lanesPlain)
		}
		for lane := range lanes {
			if i := g*lanes + lane; i < len(keys) {
				p := &keys[i].public.point
				getLane((*[4]uint64)(&p.x), x, lane)
				getLane((*[4]uint64)(&p.y), y, lane)
			}
		}
	}
}

// invert inverts the Z of all groups with a single inversion. It reports whether all
// of them are nonzero.
func (w *lanesWork) invert(groups int) bool {
	w.upTo[0] = w.z[0]
	for g := 1; g < groups; g++ {
		mulLanes(w.row, &w.upTo[g], &w.upTo[g-1], &w.z[g])
	}
	// The product of all lanes, as elements.
	mulLanes(w.row, &w.t, &w.upTo[groups-1], lanesTo)
	mulLanes(w.row, &w.t, &w.t, lanesPlain)
	product := &w.product
	*product = one
	for lane := range lanes {
		getLane((*[4]uint64)(&w.own[lane]), &w.t, lane)
		w.before[lane] = *product
		mul(w.row, product, product, &w.own[lane])
	}
	if product.isZero() != 0 {
		return false
	}
	product.invert(w.row, product)
	for lane := lanes - 1; lane >= 0; lane-- {
		inverse := &w.before[lane]
		mul(w.row, inverse, product, inverse)
		mul(w.row, product, product, &w.own[lane])
		setLane(&w.inverse, lane, (*[4]uint64)(inverse))
	}
	mulLanes(w.row, &w.inverse, &w.inverse, lanesFrom)
	for g := groups - 1; g > 0; g-- {
		mulLanes(w.row, &w.t, &w.inverse, &w.upTo[g-1])
		mulLanes(w.row, &w.inverse, &w.inverse, &w.z[g])
		w.z[g] = w.t
	}
	w.z[0] = w.inverse
	return true
}

// verifyMany verifies a list, in variable time.
func verifyMany(list []*Verification) {
	if fips.Enforced() {
		for _, b := range list {
			b.Valid = false
		}
		return
	}
	w := lanesPool.Get().(*lanesWork)
	defer lanesPool.Put(w) // nothing in it is secret
	w.row = list[0].Key.many
	var group [lanes]verifying
	n := 0
	for _, b := range list {
		if group[n].begin(b) {
			if n++; n == lanes {
				w.verify(group[:])
				n = 0
			}
		}
	}
	switch {
	case n == 1:
		group[0].entry.verify()
	case n > 1:
		w.verify(group[:n])
	}
}

// verify verifies up to eight signatures. If the two products are equal or opposite
// points, the Z of the sum is 0, and the signature is verified individually.
func (w *lanesWork) verify(group []verifying) {
	k := &w.kernel
	for lane := range lanes {
		l := &group[lane%len(group)]
		p := &l.entry.Key.point
		setLane(&w.point.X, lane, (*[4]uint64)(&p.x))
		setLane(&w.point.Y, lane, (*[4]uint64)(&p.y))
		w.setDigits(lane, &l.t, false)
	}
	odd := &k.Table
	mulLanes(w.row, &odd[0].X, &w.point.X, lanesFrom)
	mulLanes(w.row, &odd[0].Y, &w.point.Y, lanesFrom)
	odd[0].Z = *lanesOne
	doubleLanes(w.row, &w.point, &odd[0], k)
	for i := 1; i < len(odd); i++ {
		addLanes(w.row, &odd[i], &odd[i-1], &w.point, k)
	}
	multiplyLanes(w.row, k)
	w.point = k.Sum
	for lane := range lanes {
		w.setDigits(lane, &group[lane%len(group)].s, true)
	}
	multiplyBaseLanes(w.row, k, baseLanes())
	addLanes(w.row, &k.Sum, &k.Sum, &w.point, k)

	// Compare v Z^2 and X, both divided by 2^260.
	for lane := range lanes {
		setLane(&w.t, lane, (*[4]uint64)(&group[lane%len(group)].v))
	}
	x, z := &k.Sum.X, &k.Sum.Z
	squareLanes(w.row, z, z, 1)
	mulLanes(w.row, z, z, &w.t)
	mulLanes(w.row, z, z, lanesPlain)
	mulLanes(w.row, x, x, lanesPlain)
	mulLanes(w.row, x, x, lanesPlain)
	for lane := range group {
		var want, got [4]uint64
		getLane(&want, z, lane)
		getLane(&got, x, lane)
		b := group[lane].entry
		if want == [4]uint64{} {
			b.verify()
		} else {
			b.Valid = want == got
		}
	}
}
