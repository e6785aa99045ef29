package sm2

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"sync"
	"testing"
)

// manySizes returns batch sizes around those that are processed together.
func manySizes(d Driver) (list []int) {
	for n := range 34 {
		list = append(list, n)
	}
	if testing.Short() {
		list = []int{0, 1, 2, 7, 8, 9, 17}
	}
	return append(list, maxSideBySide, maxSideBySide+1, 2*maxSideBySide+9)
}

// Deterministic signatures equal those of SignRaw, and verification reports which entry
// was changed.
func TestMany(t *testing.T) { eachDriver(t, testMany) }

func testMany(t *testing.T, d Driver) {
	keys := make([]*PrivateKey, 10)
	for i := range keys {
		keys[i] = must(d.GenerateKey())
	}
	keys[9] = must(must(On("generic")).GenerateKey())
	for _, n := range manySizes(d) {
		batch := make([]Signing, n)
		for i := range batch {
			batch[i] = Signing{Key: keys[i*i%len(keys)], Digest: randomBytes(32)}
		}
		if err := SignMany(nil, batch); err != nil {
			t.Fatal(err)
		}
		list := make([]Verification, n)
		for i := range batch {
			b := &batch[i]
			if want := must(b.Key.SignRaw(nil, b.Digest)); want != b.Signature {
				t.Errorf("%d of %d: %x, want %x", i, n, b.Signature, want)
			}
			if !bytes.Equal(b.DER(), must(b.Key.Sign(nil, b.Digest, nil))) {
				t.Errorf("%d of %d in DER: %x", i, n, b.DER())
			}
			list[i] = Verification{Key: b.Key.PublicKey(), Digest: b.Digest, Signature: b.Signature[:], Raw: true, Valid: i%2 == 0}
			if i%3 == 0 {
				list[i].Signature, list[i].Raw = b.DER(), false
			}
		}
		check := func(changed int) {
			t.Helper()
			if VerifyMany(list) != (changed < 0 && n > 0) {
				t.Errorf("%d signatures, number %d changed: valid is the wrong way round", n, changed)
			}
			for i := range list {
				if list[i].Valid != (i != changed) {
					t.Errorf("%d of %d: %v", i, n, list[i].Valid)
				}
			}
		}
		check(-1)
		if n == 0 {
			continue
		}
		for _, i := range []int{0, n / 2, n - 1} {
			list[i].Digest = bytes.Clone(list[i].Digest)
			list[i].Digest[i%32] ^= 0x40
			check(i)
			list[i].Digest[i%32] ^= 0x40
			list[i].Key, batch[0].Key = keys[(i*i+1)%len(keys)].PublicKey(), keys[0]
			check(i)
			list[i].Key = batch[i].Key.PublicKey()
		}
	}
}

func TestManyRandom(t *testing.T) { eachDriver(t, testManyRandom) }

func testManyRandom(t *testing.T, d Driver) {
	k := must(d.GenerateKey())
	digest := randomBytes(32)
	seen := map[[64]byte]bool{}
	for _, n := range []int{1, 5, 8, 70} {
		batch := make([]Signing, n)
		for i := range batch {
			batch[i] = Signing{Key: k, Digest: digest}
		}
		if err := SignMany(rand.Reader, batch); err != nil {
			t.Fatal(err)
		}
		for i := range batch {
			if seen[batch[i].Signature] {
				t.Errorf("two signatures are the same")
			}
			seen[batch[i].Signature] = true
			if !k.PublicKey().VerifyRaw(digest, batch[i].Signature[:]) {
				t.Errorf("%d of %d is not valid", i, n)
			}
		}
	}
}

func TestGenerateMany(t *testing.T) { eachDriver(t, testGenerateMany) }

func testGenerateMany(t *testing.T, d Driver) {
	seen := map[[65]byte]bool{}
	for _, n := range []int{0, 1, 2, 8, 13, maxSideBySide + 1} {
		keys := make([]*PrivateKey, n)
		if err := d.GenerateMany(keys); err != nil {
			t.Fatal(err)
		}
		for i, k := range keys {
			back := must(d.NewPrivateKey(k.Bytes()))
			public := [65]byte(k.PublicKey().Bytes())
			if !k.Equal(back) || !k.PublicKey().Equal(back.PublicKey()) || k.public.row != d.row || seen[public] {
				t.Errorf("%d of %d: %x", i, n, public)
			}
			seen[public] = true
		}
	}
}

// An error changes nothing.
func TestManyErrors(t *testing.T) { eachDriver(t, testManyErrors) }

func testManyErrors(t *testing.T, d Driver) {
	wiped := must(d.GenerateKey())
	wiped.Wipe()
	k := must(d.GenerateKey())
	for what, bad := range map[string]Signing{
		"no digest":          {Key: k},
		"a digest of 31":     {Key: k, Digest: make([]byte, 31)},
		"a digest of 33":     {Key: k, Digest: make([]byte, 33)},
		"a key that is gone": {Key: wiped, Digest: make([]byte, 32)},
		"a key never made":   {Key: new(PrivateKey), Digest: make([]byte, 32)},
	} {
		for _, at := range []int{0, 8, 16} {
			batch := make([]Signing, 17)
			for i := range batch {
				batch[i] = Signing{Key: k, Digest: make([]byte, 32), Signature: [64]byte{1}}
			}
			batch[at].Key, batch[at].Digest = bad.Key, bad.Digest
			if SignMany(nil, batch) == nil {
				t.Errorf("%s: no error", what)
			}
			for i := range batch {
				if batch[i].Signature != [64]byte{1} {
					t.Errorf("%s: signature %d was written", what, i)
				}
			}
		}
	}
}

// A digest that overlaps another entry's signature changes when that signature is
// written. The nonce derived from the old digest must not sign the new one, or two such
// batches would reveal the key.
func TestManyOverlap(t *testing.T) { eachDriver(t, testManyOverlap) }

func testManyOverlap(t *testing.T, d Driver) {
	k := must(d.GenerateKey())
	batch := make([]Signing, 9)
	for i := range batch {
		batch[i] = Signing{Key: k, Digest: randomBytes(32)}
	}
	batch[7].Digest = batch[3].Signature[:32]
	before := must(k.SignRaw(nil, batch[7].Digest))
	if err := SignMany(nil, batch); err != nil {
		t.Fatal(err)
	}
	if after := must(k.SignRaw(nil, batch[7].Digest)); batch[7].Signature != before && batch[7].Signature != after {
		t.Errorf("%x is the signature of neither digest", batch[7].Signature)
	}
}

// manyEdges returns valid and invalid signatures that are special cases of the formulas
// or the comparison.
func manyEdges(d Driver) (list []Verification) {
	add := func(key *PublicKey, digest []byte, r, s *big.Int) {
		if r.Sign() < 0 || s.Sign() < 0 || r.BitLen() > 256 || s.BitLen() > 256 {
			return
		}
		signature := slices.Concat(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32)))
		list = append(list, Verification{Key: key, Digest: digest, Signature: signature, Raw: true})
	}
	sub := func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
	// Numbers out of range.
	k := newKey(d, annexKey)
	digest := randomBytes(32)
	raw := must(k.SignRaw(nil, digest))
	r, s := new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])
	all := sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	for _, v := range []*big.Int{new(big.Int), big.NewInt(1), sub(specN, big.NewInt(1)), specN, sub(specN, s), specP, all} {
		add(k.PublicKey(), digest, v, s)
		add(k.PublicKey(), digest, r, v)
		add(k.PublicKey(), digest, v, v)
	}
	add(k.PublicKey(), digest, r, sub(specN, r)) // t = 0
	add(k.PublicKey(), digest, r, s)
	for _, n := range []int{0, 31, 33} {
		list = append(list, Verification{Key: k.PublicKey(), Digest: make([]byte, n), Signature: raw[:], Raw: true})
	}
	for _, n := range []int{0, 8, 63} {
		list = append(list, Verification{Key: k.PublicKey(), Digest: digest, Signature: raw[:n], Raw: true})
		list = append(list, Verification{Key: k.PublicKey(), Digest: digest, Signature: raw[:n]})
	}
	list = append(list, Verification{Key: k.PublicKey(), Digest: digest, Signature: raw[:]})
	// Keys d G: with s = t d both products are equal, with s = -t d opposite. Valid
	// signatures are constructed backwards: r = t - s, e = r - x.
	for _, d := range []int64{1, -1, 2, -2, 3, 15, 16, 1 << 40} {
		secret := big.NewInt(d)
		secret.Mod(secret, specN)
		public := must(NewPublicKey(specG.times(secret).bytes()))
		public.row, public.many = k.public.row, k.public.many
		for _, t := range []int64{1, 2, 3, 6, 16, -1, -6, 12345} {
			t := big.NewInt(t)
			product := new(big.Int).Mul(t, secret)
			product.Mod(product, specN)
			for _, s := range []*big.Int{product, new(big.Int).Neg(product), big.NewInt(1), big.NewInt(6), sub(specN, big.NewInt(6)), number(annexNonce)} {
				s := new(big.Int).Mod(s, specN)
				r := sub(t, s)
				r.Mod(r, specN)
				sum := new(big.Int).Add(s, product)
				e := new(big.Int)
				if sum.Mod(sum, specN).Sign() != 0 {
					var p point
					p.multiplyBase(generic, toScalar(sum))
					e.Sub(r, toSpec(&p).x)
				}
				add(public, e.Mod(e, specN).FillBytes(make([]byte, 32)), r, s)
				if s.Cmp(product) == 0 { // and invalid ones
					add(public, e.Add(e, big.NewInt(1)).FillBytes(make([]byte, 32)), r, s)
				}
			}
		}
		if testing.Short() && d == 2 {
			break
		}
	}
	// x is n or more, so that x - n is another number below p congruent to it.
	for x := new(big.Int).Set(specN); ; x.Add(x, big.NewInt(1)) {
		R := affine{}
		if !R.setBytes(d.row, append([]byte{2}, x.FillBytes(make([]byte, 32))...)) {
			continue
		}
		half := new(big.Int).ModInverse(big.NewInt(2), specN)
		P := toSpec(&point{R.x, R.y, one}).add(specG.times(sub(specN, big.NewInt(1)))).times(half)
		public := must(NewPublicKey(P.bytes()))
		public.row, public.many = k.public.row, k.public.many
		e := sub(big.NewInt(1), x)
		add(public, e.Mod(e, specN).FillBytes(make([]byte, 32)), big.NewInt(1), big.NewInt(1))
		e.Add(e, big.NewInt(1))
		add(public, e.Mod(e, specN).FillBytes(make([]byte, 32)), big.NewInt(1), big.NewInt(1))
		break
	}
	return list
}

// Every edge case gives the same result in every place of a batch as individually.
func TestVerifyManyEdges(t *testing.T) { eachDriver(t, testVerifyManyEdges) }

func testVerifyManyEdges(t *testing.T, d Driver) {
	list := manyEdges(d)
	want := make([]bool, len(list))
	valid := 0
	for i := range list {
		b := &list[i]
		want[i] = b.Raw && b.Key.VerifyRaw(b.Digest, b.Signature) || !b.Raw && b.Key.Verify(b.Digest, b.Signature)
		if want[i] {
			valid++
		}
	}
	if valid < 40 || valid > len(list)-40 {
		t.Errorf("%d of %d are valid", valid, len(list))
	}
	for range 9 {
		VerifyMany(list)
		for i := range list {
			if list[i].Valid != want[i] {
				t.Errorf("%d: %v, want %v: %x of %x", i, list[i].Valid, want[i], list[i].Signature, list[i].Digest)
			}
		}
		list = append(list[1:], list[0])
		want = append(want[1:], want[0])
	}
}

// The signatures of the file of negative cases in one batch.
func TestNegativeMany(t *testing.T) { eachDriver(t, testNegativeMany) }

func testNegativeMany(t *testing.T, d Driver) {
	var file struct {
		TestGroups []struct {
			Type, Key string
			Tests     []struct{ Comment, Msg, Sig, Result string }
		}
	}
	if err := json.Unmarshal(must(os.ReadFile("testdata/sm2_negative.json")), &file); err != nil {
		t.Fatal(err)
	}
	var list []Verification
	var want []bool
	for _, g := range file.TestGroups {
		if g.Type != "SignatureVerify" {
			continue
		}
		key := must(d.NewPublicKey(unhex(g.Key)))
		for _, c := range g.Tests {
			digest := must(key.Digest(unhex(c.Msg), nil))
			list = append(list, Verification{Key: key, Digest: digest[:], Signature: unhex(c.Sig)})
			want = append(want, c.Result == "valid")
		}
	}
	if len(list) < 10 {
		t.Errorf("%d signatures", len(list))
	}
	VerifyMany(list)
	for i := range list {
		if list[i].Valid != want[i] {
			t.Errorf("%d: %v, want %v", i, list[i].Valid, want[i])
		}
	}
}

func TestManyConcurrent(t *testing.T) { eachDriver(t, testManyConcurrent) }

func testManyConcurrent(t *testing.T, d Driver) {
	k := newKey(d, annexKey)
	digests := make([][]byte, 12)
	want := make([][64]byte, len(digests))
	for i := range digests {
		digests[i] = randomBytes(32)
		want[i] = must(newKey(d, annexKey).SignRaw(nil, digests[i]))
	}
	var wait sync.WaitGroup
	for range 6 {
		wait.Add(1)
		go func() {
			defer wait.Done()

			batch := make([]Signing, len(digests))
			list := make([]Verification, len(digests))
			for i := range batch {
				batch[i] = Signing{Key: k, Digest: digests[i]}
			}
			if err := SignMany(nil, batch); err != nil {
				t.Error(err)
			}
			for i := range batch {
				if batch[i].Signature != want[i] {
					t.Errorf("%d: %x, want %x", i, batch[i].Signature, want[i])
				}
				list[i] = Verification{Key: k.PublicKey(), Digest: digests[i], Signature: batch[i].Signature[:], Raw: true}
			}
			if !VerifyMany(list) {
				t.Error("not valid")
			}
		}()
	}
	wait.Wait()
}

// FuzzMany compares batches with single operations. Keys are small multiples of a
// scalar; digests and signatures are taken from the input.
func FuzzMany(f *testing.F) {
	f.Add([]byte("digest"), bytes.Repeat([]byte{7}, 64), uint8(9))
	f.Add([]byte{}, bytes.Repeat([]byte{255}, 64), uint8(3))
	f.Add(bytes.Repeat([]byte{255}, 32), append(make([]byte, 63), 1), uint8(17))
	f.Fuzz(func(t *testing.T, digest, signature []byte, n uint8) {
		for _, info := range Drivers() {
			if !info.Available() {
				continue
			}
			d := must(On(info.Name))
			signings := make([]Signing, n%20)
			for i := range signings {
				var e [32]byte
				copy(e[i:], digest)
				key := make([]byte, 32)
				key[31-i] = byte(i + 1)
				copy(key[1:], digest)
				k, err := d.NewPrivateKey(key)
				if err != nil {
					return
				}
				signings[i] = Signing{Key: k, Digest: e[:]}
			}
			if err := SignMany(nil, signings); err != nil {
				t.Fatal(err)
			}
			var list []Verification
			for i := range signings {
				b := &signings[i]
				if want := must(b.Key.SignRaw(nil, b.Digest)); want != b.Signature {
					t.Errorf("%s: %x, want %x", info.Name, b.Signature, want)
				}
				list = append(list, Verification{Key: b.Key.PublicKey(), Digest: b.Digest, Signature: b.Signature[:], Raw: true},
					Verification{Key: b.Key.PublicKey(), Digest: b.Digest, Signature: signature, Raw: i%2 == 0})
			}
			VerifyMany(list)
			for i := range list {
				b := &list[i]
				want := i%2 == 0 || b.Raw && b.Key.VerifyRaw(b.Digest, b.Signature) || !b.Raw && b.Key.Verify(b.Digest, b.Signature)
				if b.Valid != want {
					t.Errorf("%s: %d is %v, want %v", info.Name, i, b.Valid, want)
				}
			}
		}
	})
}

func BenchmarkMany(b *testing.B) {
	for _, info := range Drivers() {
		if !info.Available() {
			continue
		}
		d := must(On(info.Name))
		for _, n := range []int{8, 64} {
			batch := make([]Signing, n)
			list := make([]Verification, n)
			keys := make([]*PrivateKey, n)
			for i := range batch {
				batch[i] = Signing{Key: must(d.GenerateKey()), Digest: randomBytes(32)}
			}
			SignMany(nil, batch)
			for i := range batch {
				list[i] = Verification{Key: batch[i].Key.PublicKey(), Digest: batch[i].Digest, Signature: batch[i].Signature[:], Raw: true}
			}
			for _, c := range []struct {
				name string
				f    func()
			}{
				{"sign", func() { SignMany(rand.Reader, batch) }},
				{"deterministic", func() { SignMany(nil, batch) }},
				{"verify", func() { VerifyMany(list) }},
				{"generate", func() { d.GenerateMany(keys) }},
			} {
				b.Run(info.Name+"/"+c.name+"/"+big.NewInt(int64(n)).String(), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						c.f()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/each")
				})
			}
		}
	}
}
