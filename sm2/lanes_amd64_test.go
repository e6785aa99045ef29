//go:build !purego

package sm2

import (
	"math/big"
	"slices"
	"testing"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/guard"
	"github.com/cipherlane/cipherlane/sm2/internal/amd64"
)

// needLanes skips a test on a CPU that cannot run the kernels. TestDrivers checks
// whether the CPU must be able to.
func needLanes(t testing.TB) {
	if !Drivers()[avx512].Available() {
		t.Skip("this CPU cannot run the driver avx512")
	}
}

var (
	two260   = new(big.Int).Lsh(big.NewInt(1), 260)
	over260  = new(big.Int).ModInverse(two260, specP)
	allLanes = []int{0, 1, 2, 3, 4, 5, 6, 7}
)

// putLane sets a lane to a number below 2^260.
func putLane(z *amd64.Lanes, lane int, v *big.Int) {
	rest := new(big.Int).Set(v)
	for i := range z {
		z[i][lane] = new(big.Int).And(rest, big.NewInt(1<<52-1)).Uint64()
		rest.Rsh(rest, 52)
	}
	if rest.Sign() != 0 {
		panic("too large")
	}
}

// laneNumber returns the number in a lane, and checks that it is below max p/100 and
// that limbs have 52 bits.
func laneNumber(t testing.TB, z *amd64.Lanes, lane int, max int64) *big.Int {
	t.Helper()
	v := new(big.Int)
	for i := 4; i >= 0; i-- {
		if z[i][lane]>>52 != 0 {
			t.Errorf("lane %d: limb %d is %x", lane, i, z[i][lane])
		}
		v.Lsh(v, 52).Add(v, new(big.Int).SetUint64(z[i][lane]))
	}
	if limit := new(big.Int).Mul(specP, big.NewInt(max)); limit.Cmp(new(big.Int).Mul(v, big.NewInt(100))) <= 0 {
		t.Errorf("lane %d: %x is not below %d/100 p", lane, v, max)
	}
	return v
}

// lanePoint returns the point in a lane.
func lanePoint(t testing.TB, p *amd64.Point, lane int) specPoint {
	t.Helper()
	c := func(z *amd64.Lanes, max int64) *big.Int {
		v := laneNumber(t, z, lane, max)
		return v.Mul(v, over260).Mod(v, specP)
	}
	x, y, z := c(&p.X, 110), c(&p.Y, 220), c(&p.Z, 280)
	if z.Sign() == 0 {
		return specPoint{}
	}
	z.ModInverse(z, specP)
	x.Mul(x, z).Mul(x, z).Mod(x, specP)
	y.Mul(y, z).Mul(y, z).Mul(y, z).Mod(y, specP)
	return specPoint{x, y}
}

// putPoint sets a lane to a point with a random Z. If large is set, the numbers are as
// large as allowed.
func putPoint(p *amd64.Point, lane int, s specPoint, large bool) {
	z := new(big.Int).SetBytes(randomBytes(32))
	x, y := new(big.Int).SetBytes(randomBytes(32)), new(big.Int).SetBytes(randomBytes(32))
	if s.infinite() {
		z.SetInt64(0)
	} else {
		x.Mul(s.x, z).Mul(x, z)
		y.Mul(s.y, z).Mul(y, z).Mul(y, z)
	}
	put := func(l *amd64.Lanes, v *big.Int, max int64) {
		v.Mul(v, two260).Mod(v, specP)
		limit := new(big.Int).Mul(specP, big.NewInt(max))
		limit.Div(limit, big.NewInt(100))
		for next := new(big.Int).Add(v, specP); large && next.Cmp(limit) < 0; next.Add(v, specP) {
			v.Set(next)
		}
		putLane(l, lane, v)
	}
	put(&p.X, x, 110)
	put(&p.Y, y, 220)
	put(&p.Z, z, 280)
}

// fieldEdges returns numbers below 3.8 p at which carries or bounds may go wrong.
func fieldEdges() (list []*big.Int) {
	limit := new(big.Int).Mul(specP, big.NewInt(38))
	limit.Div(limit, big.NewInt(10))
	add := func(n *big.Int) {
		for d := int64(-1); d <= 1; d++ {
			if v := new(big.Int).Add(n, big.NewInt(d)); v.Sign() >= 0 && v.Cmp(limit) < 0 {
				list = append(list, v)
			}
		}
	}
	for k := range int64(4) {
		add(new(big.Int).Mul(specP, big.NewInt(k)))
	}
	add(new(big.Int).Sub(limit, big.NewInt(1)))
	for _, bit := range []uint{12, 44, 52, 64, 96, 104, 156, 208, 224, 256, 257} {
		add(new(big.Int).Lsh(big.NewInt(1), bit))
	}
	for limbs := range 32 { // limbs all ones or zero, the highest as large as allowed
		v := new(big.Int)
		for i := range uint(4) {
			if limbs>>i&1 == 1 {
				v.Add(v, new(big.Int).Lsh(big.NewInt(1<<52-1), 52*i))
			}
		}
		if limbs>>4 == 1 {
			v.Add(v, new(big.Int).Lsh(big.NewInt(3<<48-1), 208))
		}
		add(v)
	}
	for range 40 {
		v := new(big.Int).SetBytes(randomBytes(33))
		list = append(list, v.Mod(v, limit))
	}
	return list
}

func TestLanesField(t *testing.T) {
	needLanes(t)
	edges := fieldEdges()
	for i := range edges {
		if testing.Short() && i%4 != 0 {
			continue
		}
		for first := 0; first < len(edges); first += lanes {
			var x, y, z amd64.Lanes
			for lane := range lanes {
				putLane(&x, lane, edges[i])
				putLane(&y, lane, edges[(first+lane)%len(edges)])
			}
			amd64.MulLanesIFMA(&z, &x, &y)
			for lane := range lanes {
				other := edges[(first+lane)%len(edges)]
				want := new(big.Int).Mul(edges[i], other)
				want.Mul(want, over260).Mod(want, specP)
				if got := laneNumber(t, &z, lane, 191); got.Mod(got, specP).Cmp(want) != 0 {
					t.Fatalf("lane %d: %x times %x is %x, want %x", lane, edges[i], other, got, want)
				}
			}
		}
	}
	for first := 0; first < len(edges); first += lanes {
		var x, z amd64.Lanes
		for lane := range lanes {
			putLane(&x, lane, edges[(first+lane)%len(edges)])
		}
		for n := 1; n < 4; n++ {
			amd64.SquareLanesIFMA(&z, &x, n)
			for lane := range lanes {
				want := new(big.Int).Set(edges[(first+lane)%len(edges)])
				for range n {
					want.Mul(want, want).Mul(want, over260).Mod(want, specP)
				}
				if got := laneNumber(t, &z, lane, 191); got.Mod(got, specP).Cmp(want) != 0 {
					t.Fatalf("lane %d: %x squared %d times is %x, want %x", lane, edges[(first+lane)%len(edges)], n, got, want)
				}
			}
		}
	}
	// A product with lanesPlain is at most p, and getLane reduces it.
	for _, v := range []*big.Int{big.NewInt(0), big.NewInt(1), specP, new(big.Int).Sub(specP, big.NewInt(1)), new(big.Int).Lsh(specP, 1)} {
		var x amd64.Lanes
		putLane(&x, 5, v)
		amd64.MulLanesIFMA(&x, &x, lanesPlain)
		var got [4]uint64
		getLane(&got, &x, 5)
		want := new(big.Int).Mul(v, over260)
		if fromLimbs(got).Cmp(want.Mod(want, specP)) != 0 {
			t.Errorf("%x without its factor is %x", v, got)
		}
	}
}

func TestLaneConstants(t *testing.T) {
	for exponent, z := range map[uint]*amd64.Lanes{0: lanesPlain, 260: lanesOne, 264: lanesFrom, 516: lanesTo} {
		want := new(big.Int).Lsh(big.NewInt(1), exponent)
		want.Mod(want, specP)
		for _, lane := range allLanes {
			if got := laneNumber(t, z, lane, 101); got.Cmp(want) != 0 {
				t.Errorf("2^%d is %x, want %x", exponent, got, want)
			}
		}
	}
	for range 100 {
		x := new(big.Int).SetBytes(randomBytes(32))
		x.Mod(x, specP)
		v := toLimbs(x)
		var z amd64.Lanes
		var back [4]uint64
		setLane(&z, 3, &v)
		if getLane(&back, &z, 3); laneNumber(t, &z, 3, 101).Cmp(x) != 0 || back != v {
			t.Fatalf("%x comes back as %x", v, back)
		}
	}
}

// Points in the lanes of one call are different, equal, opposite and infinite.
func TestLanesPoints(t *testing.T) {
	needLanes(t)
	w := new(amd64.Work)
	minus := func(p specPoint) specPoint { return specPoint{p.x, new(big.Int).Sub(specP, p.y)} }
	list := []specPoint{specG, minus(specG), specG.add(specG), {}, specG.times(big.NewInt(7)), specG.times(number(annexNonce))}
	var all [][2]specPoint
	for _, p := range list {
		for _, q := range list {
			all = append(all, [2]specPoint{p, q})
		}
	}
	for len(all)%lanes != 0 {
		all = append(all, all[0])
	}
	for i := range 4 * len(all) / lanes {
		group := all[i%(len(all)/lanes)*lanes:][:lanes]
		large := i%2 == 0
		var p, q, r amd64.Point
		for lane, pair := range group {
			putPoint(&p, lane, pair[0], large)
			putPoint(&q, lane, pair[1], large)
		}
		amd64.DoubleLanesIFMA(&r, &p, w)
		doubled := p
		amd64.DoubleLanesIFMA(&doubled, &doubled, w)
		if doubled != r {
			t.Error("a point doubled in place is another one")
		}
		for lane, pair := range group {
			if !lanePoint(t, &r, lane).equal(pair[0].add(pair[0])) {
				t.Errorf("lane %d: double of %v", lane, pair[0])
			}
		}
		amd64.AddLanesIFMA(&r, &p, &q, w)
		for place, sum := range map[string]*amd64.Point{"first": &p, "second": &q} {
			a, b := p, q
			if place == "first" {
				amd64.AddLanesIFMA(&a, &a, &b, w)
				sum = &a
			} else {
				amd64.AddLanesIFMA(&b, &a, &b, w)
				sum = &b
			}
			if *sum != r {
				t.Errorf("a sum in place of the %s is another one", place)
			}
		}
		for lane, pair := range group {
			want := pair[0].add(pair[1])
			if pair[0].infinite() || pair[1].infinite() || pair[0].equal(pair[1]) {
				want = specPoint{} // Z is 0
			}
			if !lanePoint(t, &r, lane).equal(want) {
				t.Errorf("lane %d: sum of %v and %v", lane, pair[0], pair[1])
			}
		}
	}
}

// badNonce is the only odd number for which the last addition of the product with
// the base point is of equal points.
var badNonce = func() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(15), 253)
	return n.Sub(n, specN)
}()

// laneScalars returns edgeScalars and the scalars for which the formulas end with
// infinity.
func laneScalars() []*big.Int {
	list := append(edgeScalars(), badNonce, new(big.Int).Sub(specN, badNonce))
	for len(list)%lanes != 0 {
		list = append(list, big.NewInt(1))
	}
	return list
}

func TestLanesProducts(t *testing.T) {
	needLanes(t)
	w := &lanesWork{row: avx512}
	k := &w.kernel
	points := make([]specPoint, lanes)
	for lane := range points {
		var p point
		p.multiplyBase(generic, toScalar(new(big.Int).SetBytes(randomBytes(31))))
		points[lane] = toSpec(&p)
		putPoint(&k.Table[0], lane, points[lane], lane%2 == 0)
	}
	amd64.DoubleLanesIFMA(&w.point, &k.Table[0], k)
	for i := 1; i < len(k.Table); i++ {
		amd64.AddLanesIFMA(&k.Table[i], &k.Table[i-1], &w.point, k)
	}
	table := k.Table
	infinite := []*big.Int{{}, badNonce, new(big.Int).Sub(specN, badNonce)}
	is := func(list []*big.Int, n *big.Int) bool {
		return slices.ContainsFunc(list, func(m *big.Int) bool { return m.Cmp(n) == 0 })
	}
	for group := range slices.Chunk(laneScalars(), lanes) {
		if testing.Short() && source.Uint64()%4 != 0 && !is(group, badNonce) {
			continue
		}
		for lane, n := range group {
			w.setDigits(lane, toScalar(n), true)
		}
		amd64.MultiplyBaseLanesIFMA(k, baseLanes())
		for lane, n := range group {
			var want point
			want.multiplyBase(generic, toScalar(n))
			if is(infinite, n) {
				want = point{}
			}
			if !lanePoint(t, &k.Sum, lane).equal(toSpec(&want)) {
				t.Errorf("lane %d: %x G is wrong", lane, n)
			}
		}
		for lane, n := range group {
			w.setDigits(lane, toScalar(n), false)
		}
		amd64.MultiplyLanesIFMA(k)
		for lane, n := range group {
			var want point
			p := toAffine(points[lane])
			want.multiply(generic, toScalar(n), &p)
			if !lanePoint(t, &k.Sum, lane).equal(toSpec(&want)) {
				t.Errorf("lane %d: %x times a point is wrong", lane, n)
			}
		}
		if k.Table != table {
			t.Fatal("the table was changed")
		}
	}
}

// Kernels with buffers at the edge of inaccessible memory.
func TestLanesMemory(t *testing.T) {
	needLanes(t)
	for side, get := range map[string]func(testing.TB, int) []byte{"before": guard.Before, "after": guard.After} {
		room := func(n uintptr) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(get(t, int(n)))) }
		x := (*amd64.Lanes)(room(unsafe.Sizeof(amd64.Lanes{})))
		y := (*amd64.Lanes)(room(unsafe.Sizeof(amd64.Lanes{})))
		z := (*amd64.Lanes)(room(unsafe.Sizeof(amd64.Lanes{})))
		p := (*amd64.Point)(room(unsafe.Sizeof(amd64.Point{})))
		q := (*amd64.Point)(room(unsafe.Sizeof(amd64.Point{})))
		r := (*amd64.Point)(room(unsafe.Sizeof(amd64.Point{})))
		w := (*amd64.Work)(room(unsafe.Sizeof(amd64.Work{})))
		b := (*amd64.BaseTable)(room(unsafe.Sizeof(amd64.BaseTable{})))
		amd64.MulLanesIFMA(z, x, y)
		amd64.SquareLanesIFMA(z, x, 3)
		amd64.DoubleLanesIFMA(r, p, w)
		amd64.AddLanesIFMA(r, p, q, w)
		*b = *baseLanes()
		for _, i := range []uint64{0, 1<<64 - 1} { // the first and the last entries
			for lane := range lanes {
				w.Digits = [5][lanes]uint64{}
				for j := range w.Digits {
					w.Digits[j][lane] = i
				}
			}
			amd64.MultiplyBaseLanesIFMA(w, b)
			amd64.MultiplyLanesIFMA(w)
		}
		_ = side
	}
}

// Chosen nonces: edges, and the one for which the kernel fails.
func TestLanesNonces(t *testing.T) {
	needLanes(t)
	d := must(On("avx512"))
	k := newKey(d, annexKey)
	list := make([]*Signing, 0, maxSideBySide)
	w := &lanesWork{row: avx512}
	for _, nonce := range laneScalars() {
		if nonce.Sign() == 0 || nonce.Cmp(badNonce) == 0 || new(big.Int).Add(nonce, badNonce).Cmp(specN) == 0 {
			continue
		}
		w.nonces[len(list)] = *toScalar(nonce)
		list = append(list, &Signing{Key: k, Digest: randomBytes(32)})
		if len(list) < cap(list) {
			continue
		}
		w.readDigests(list)
		w.signWith(list, true)
		for i, b := range list {
			var e, r, s scalar
			e.setInteger(limbs(b.Digest))
			if k.signWith(&r, &s, &e, &w.nonces[i]) != 0 {
				t.Fatal("refused")
			}
			var want Signing
			want.put(&r, &s)
			if b.Signature != want.Signature {
				t.Errorf("nonce %x: %x, want %x", w.nonces[i], b.Signature, want.Signature)
			}
		}
		list = list[:0]
	}
	// Bad nonces, and one that the standard refuses, are replaced by the ones Sign uses.
	for _, nonce := range []*big.Int{badNonce, new(big.Int).Sub(specN, badNonce), number(annexNonce)} {
		list = list[:0]
		for i := range 10 {
			digest := randomBytes(32)
			if i == 3 && nonce.Cmp(number(annexNonce)) == 0 { // r = 0
				e := new(big.Int).Neg(specG.times(nonce).x)
				digest = e.Mod(e, specN).FillBytes(digest)
			}
			list = append(list, &Signing{Key: k, Digest: digest})
			w.nonces[i] = *toScalar(new(big.Int).Add(number(annexKey), big.NewInt(int64(i))))
		}
		w.nonces[3] = *toScalar(nonce)
		w.readDigests(list)
		w.signWith(list, true)
		if want := must(k.SignRaw(nil, list[3].Digest)); list[3].Signature != want {
			t.Errorf("nonce %x: %x, want %x", nonce, list[3].Signature, want)
		}
		for i, b := range list {
			if !k.PublicKey().VerifyRaw(b.Digest, b.Signature[:]) {
				t.Errorf("with the nonce %x, signature %d is not valid", nonce, i)
			}
		}
	}
}

// Chosen keys: even and odd ones, both ends of the range, and the bad one.
func TestLanesKeys(t *testing.T) {
	needLanes(t)
	d := must(On("avx512"))
	w := &lanesWork{row: avx512}
	for _, last := range []*big.Int{number(annexKey), badNonce} {
		numbers := []*big.Int{big.NewInt(1), big.NewInt(2), new(big.Int).Sub(specN, big.NewInt(2)), new(big.Int).Sub(specN, big.NewInt(3)), big.NewInt(64), last}
		keys := make([]*PrivateKey, len(numbers))
		for i, n := range numbers {
			w.nonces[i] = *toScalar(n)
		}
		w.generateWith(keys, d)
		for i, n := range numbers {
			if want := must(d.NewPrivateKey(n.FillBytes(make([]byte, 32)))); !want.Equal(keys[i]) || !want.PublicKey().Equal(keys[i].PublicKey()) {
				t.Errorf("%x: public key %x, want %x", n, keys[i].PublicKey().Bytes(), want.PublicKey().Bytes())
			}
		}
	}
}

// The working memory of a batch is returned to the pool without secrets.
func TestLanesWiped(t *testing.T) {
	needLanes(t)
	w, n := &lanesWork{row: avx512}, new(manyNonces)
	k := newKey(must(On("avx512")), annexKey)
	list := []*Signing{{Key: k, Digest: randomBytes(32)}, {Key: k, Digest: randomBytes(32)}}
	w.readDigests(list)
	n.make(w.nonces[:2], w.digests[:2], list)
	w.signWith(list, true)
	if w.nonces[1] == (scalar{}) || w.z == [maxGroups]amd64.Lanes{} || n.key[1] == [32]byte{} {
		t.Fatal("looked in the wrong places")
	}
	w.free()
	n.free(2)
	if *w != (lanesWork{}) {
		t.Error("lanesWork is not wiped")
	}
	if n.key != [maxSideBySide][32]byte{} || n.v != n.key || n.tail != [maxSideBySide][65]byte{} || n.block != [maxSideBySide][161]byte{} {
		t.Error("manyNonces is not wiped")
	}
	for i := range n.list {
		if n.list[i].Data != nil || n.list[i].Sum != [32]byte{} {
			t.Error("messages are not wiped")
		}
	}
}

func BenchmarkLanes(b *testing.B) {
	needLanes(b)
	w := &lanesWork{row: avx512}
	k := &w.kernel
	for i := range k.Table {
		k.Table[i].X[0][0] = 1 // maps the page
		k.Table[i].Z[4][7] = 1
	}
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"mul", func() { amd64.MulLanesIFMA(&w.t, &w.t, lanesOne) }},
		{"sqr 1000", func() { amd64.SquareLanesIFMA(&w.t, &w.t, 1000) }},
		{"double", func() { amd64.DoubleLanesIFMA(&w.point, &w.point, k) }},
		{"add", func() { amd64.AddLanesIFMA(&w.point, &w.point, &k.Table[1], k) }},
		{"base", func() { amd64.MultiplyBaseLanesIFMA(k, baseLanes()) }},
		{"multiply", func() { amd64.MultiplyLanesIFMA(k) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.f()
			}
		})
	}
}

// TestMixedPlan: keys of one driver, whose batches are for another.
func TestMixedPlan(t *testing.T) {
	if !Drivers()[avx512].Available() {
		t.Skip("this CPU cannot run the driver avx512")
	}
	for _, d := range []Driver{{generic, avx512}, {adx, avx512}, {avx512, adx}, {avx512, generic}} {
		keys := make([]*PrivateKey, 11)
		if err := d.GenerateMany(keys); err != nil {
			t.Fatal(err)
		}
		signings, verifications := make([]Signing, len(keys)), make([]Verification, len(keys))
		for i, k := range keys {
			if k.public.row != d.row || k.public.many != d.many {
				t.Fatalf("%+v made a key of drivers %d and %d", d, k.public.row, k.public.many)
			}
			signings[i] = Signing{Key: k, Digest: randomBytes(DigestSize)}
		}
		if err := SignMany(nil, signings); err != nil {
			t.Fatal(err)
		}
		for i, k := range keys {
			verifications[i] = Verification{Key: k.PublicKey(), Digest: signings[i].Digest, Signature: signings[i].Signature[:], Raw: true}
			if !k.PublicKey().VerifyRaw(signings[i].Digest, signings[i].Signature[:]) {
				t.Errorf("%+v: signature %d is wrong", d, i)
			}
		}
		if !VerifyMany(verifications) {
			t.Errorf("%+v: VerifyMany", d)
		}
		verifications[3].Digest = randomBytes(DigestSize)
		if VerifyMany(verifications) || verifications[3].Valid || !verifications[4].Valid {
			t.Errorf("%+v: VerifyMany of a wrong digest", d)
		}
	}
}
