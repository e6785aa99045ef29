package sm2

import (
	"bytes"
	"crypto/rand"
	"errors"
	"math/big"
	"testing"

	"github.com/cipherlane/cipherlane/internal/conformance"
)

// A script is a random number generator that returns numbers, each in 32 bytes.
type script struct {
	t       *testing.T
	numbers []*big.Int
}

func (s *script) Read(p []byte) (n int, err error) {
	for n = 0; n < len(p); n += 32 {
		if len(s.numbers) == 0 {
			s.t.Fatal("more random numbers are read")
		}
		s.numbers[0].FillBytes(p[n:][:32])
		s.numbers = s.numbers[1:]
	}
	return n, nil
}

// random makes the system's generator return numbers while f runs, which must read all.
func random(t *testing.T, f func(), numbers ...*big.Int) {
	t.Helper()
	s := &script{t, numbers}
	system := rand.Reader
	rand.Reader = s
	defer func() { rand.Reader = system }()
	f()
	if len(s.numbers) > 0 {
		t.Errorf("%d random numbers are not read", len(s.numbers))
	}
}

// belowOrder returns n minus a number, and small a small number.
func belowOrder(i int64) *big.Int { return new(big.Int).Sub(specN, big.NewInt(i)) }
func small(i int64) *big.Int      { return big.NewInt(i) }

var largest = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

// Numbers from 1 to n-1 are candidates for nonces.
func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		n  *big.Int
		ok bool
	}{
		{small(0), false}, {small(1), true}, {small(2), true}, {new(big.Int).Lsh(small(1), 64), true},
		{new(big.Int).Lsh(small(1), 128), true}, {new(big.Int).Lsh(small(1), 192), true},
		{belowOrder(2), true}, {belowOrder(1), true}, {specN, false}, {belowOrder(-1), false}, {largest, false},
	} {
		z := scalar{1, 2, 3, 4}
		if ok := z.setCandidate(c.n.FillBytes(make([]byte, 32))); ok != c.ok {
			t.Errorf("%x: %v", c.n, ok)
		} else if want := new(big.Int); fromLimbs(z).Cmp(want.Mul(c.n, small(map[bool]int64{true: 1}[ok]))) != 0 {
			t.Errorf("%x: set to %x", c.n, fromLimbs(z))
		}
	}
	for want, numbers := range map[*big.Int][]*big.Int{
		small(1):      {small(0), specN, largest, small(1)},
		belowOrder(1): {small(0), belowOrder(1)},
	} {
		var z scalar
		if random(t, z.random, numbers...); fromLimbs(z).Cmp(want) != 0 {
			t.Errorf("random number %x, want %x", fromLimbs(z), want)
		}
	}
}

// Private keys are from 1 to n-2.
func TestKeyRange(t *testing.T) { eachDriver(t, testKeyRange) }

func testKeyRange(t *testing.T, d Driver) {
	is := func(k *PrivateKey, want *big.Int) {
		t.Helper()
		if !bytes.Equal(k.Bytes(), want.FillBytes(make([]byte, 32))) || !bytes.Equal(k.PublicKey().Bytes(), specG.times(want).bytes()) {
			t.Errorf("key %x, want %x", k.Bytes(), want)
		}
	}
	for _, n := range []*big.Int{small(0), belowOrder(1), specN, largest} {
		if _, err := d.NewPrivateKey(n.FillBytes(make([]byte, 32))); err == nil {
			t.Errorf("%x is a key", n)
		}
	}
	for _, n := range []*big.Int{small(1), belowOrder(2)} {
		is(must(d.NewPrivateKey(n.FillBytes(make([]byte, 32)))), n)
	}
	var k *PrivateKey
	generate := func() { k = must(d.GenerateKey()) }
	random(t, generate, small(0), specN, belowOrder(1), belowOrder(2))
	is(k, belowOrder(2))
	random(t, generate, belowOrder(1), small(0), belowOrder(1), small(1))
	is(k, small(1))

	// Several at once: first numbers that are no candidates are replaced, then n-1.
	for n := range 10 {
		keys := make([]*PrivateKey, n+5)
		first := []*big.Int{belowOrder(1), small(0), small(7), specN, belowOrder(2)}
		want := []*big.Int{small(13), small(11), small(7), small(17), belowOrder(2)}
		for i := range n {
			first, want = append(first, small(int64(100+i))), append(want, small(int64(100+i)))
		}
		random(t, func() {
			if err := d.GenerateMany(keys); err != nil {
				t.Error(err)
			}
		}, append(first, largest, small(11), belowOrder(1), belowOrder(1), specN, small(13), small(17))...)
		for i, k := range keys {
			is(k, want[i])
		}
	}
}

// refusing returns a digest for which the key and the nonce make no signature: r is 0,
// r + nonce is n, or s is 0.
func refusing(key, nonce *big.Int) (digests [][]byte) {
	x := specG.times(nonce).x
	s0 := new(big.Int).ModInverse(key, specN)
	for _, r := range []*big.Int{small(0), new(big.Int).Sub(specN, nonce), s0.Mul(s0, nonce)} {
		e := new(big.Int).Sub(r, x)
		digests = append(digests, e.Mod(e, specN).FillBytes(make([]byte, 32)))
	}
	return digests
}

// After a random nonce that the standard refuses, the next one is taken.
func TestNextNonce(t *testing.T) { eachDriver(t, testNextNonce) }

func testNextNonce(t *testing.T, d Driver) {
	key, first, second := number(annexKey), number(annexNonce), small(12345)
	k := newKey(d, annexKey)
	for i, digest := range refusing(key, first) {
		r, s := specSign(key, second, digest)
		want := [64]byte(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
		random(t, func() {
			if got := must(k.SignRaw(rand.Reader, digest)); got != want {
				t.Errorf("digest %d: %x, want %x", i, got, want)
			}
		}, first, second)
		random(t, func() {
			list := make([]Signing, 10)
			for i := range list {
				list[i] = Signing{Key: k, Digest: digest}
			}
			if err := SignMany(rand.Reader, list); err != nil {
				t.Error(err)
			}
			for j := range list {
				if list[j].Signature != want {
					t.Errorf("digest %d, entry %d: %x, want %x", i, j, list[j].Signature, want)
				}
			}
		}, first, second, second, second, second, second, second, second, second, first, second, second)
	}
}

// A message of one byte, whose key stream is 0 for one nonce in 256: the next nonce is
// taken, and what such a nonce encrypts is refused.
func TestZeroKeyStream(t *testing.T) { eachDriver(t, testZeroKeyStream) }

func testZeroKeyStream(t *testing.T, d Driver) {
	k, message := newKey(d, annexKey), []byte{0x5a}
	p := specG.times(number(annexKey))
	nonce := small(1)
	for q := p; specKDF(q.coordinates(), 1)[0] != 0; q = q.add(p) {
		nonce.Add(nonce, small(1))
	}
	c1, c2, c3 := specEncrypt(p, number(annexNonce), message)
	random(t, func() {
		if got := must(k.PublicKey().Encrypt(message, C1C3C2)); !bytes.Equal(got, append(append(c1, c3...), c2...)) {
			t.Errorf("ciphertext %x", got)
		}
	}, nonce, number(annexNonce))
	c1, c2, c3 = specEncrypt(p, nonce, message)
	if got, err := k.Decrypt(nil, append(append(c1, c3...), c2...), C1C3C2); !errors.Is(err, ErrDecryption) {
		t.Errorf("decrypted to %x, %v", got, err)
	}
}

// The longest message, and one that is a byte longer.
func TestLongestMessage(t *testing.T) {
	k, message := newKey(automatic(), annexKey), make([]byte, MaxMessage+1)
	message[MaxMessage-1] = 1
	if _, err := k.PublicKey().Encrypt(message, C1C3C2); err == nil {
		t.Errorf("%d bytes are encrypted", len(message))
	}
	ciphertext := must(k.PublicKey().Encrypt(message[:MaxMessage], C1C3C2))
	if got, err := k.Decrypt(nil, ciphertext, C1C3C2); err != nil || !bytes.Equal(got, message[:MaxMessage]) {
		t.Errorf("%d bytes: %v", MaxMessage, err)
	}
}

// A key and an ephemeral key for which the shared point is infinity, whatever the other
// side sends.
func TestExchangeInfinity(t *testing.T) { eachDriver(t, testExchangeInfinity) }

func testExchangeInfinity(t *testing.T, d Driver) {
	var key, r scalar
	r = *toScalar(number(annexNonce))
	R := toAffine(specG.times(number(annexNonce)))
	xbar := reducedX(&R)
	key.mul(&xbar, &r)
	key.sub(&scalar{}, &key)
	b := key.bytes()
	k, peer := must(d.NewPrivateKey(b[:])), must(d.GenerateKey())
	var x *Exchange
	random(t, func() { x = must(NewExchange(k, nil, peer.PublicKey(), nil, true)) }, number(annexNonce))
	if !bytes.Equal(x.Point(), specG.times(number(annexNonce)).bytes()) {
		t.Error("another ephemeral key")
	}
	if key, err := x.Agree(peer.PublicKey().Bytes(), 16); !errors.Is(err, errExchange) || key != nil {
		t.Errorf("a key from infinity: %x, %v", key, err)
	}
	if x.nonce != (scalar{}) || x.state != exchangeOver {
		t.Error("the exchange goes on")
	}
	out := bytes.Repeat([]byte{1}, 16)
	x.nonce = r
	if theirs := toAffine(specG); x.agree(out, &theirs) != 0 {
		t.Error("agrees on infinity")
	}
}

// In FIPS 140-only mode no signature is valid, and nothing is agreed on.
func TestVerifyFIPSOnly(t *testing.T) {
	conformance.FIPSOnly(t, func(t *testing.T) {
		for _, info := range Drivers() {
			if !info.Available() {
				continue
			}
			d := must(On(info.Name))
			// Made without the functions that return an error in this mode.
			k := &PrivateKey{d: *toScalar(number(annexKey)), public: PublicKey{row: d.row, many: d.many}}
			k.init()
			for _, n := range []int{1, 2, 9, 40} {
				batch, list := make([]Signing, n), make([]Verification, n)
				for i := range batch {
					batch[i] = Signing{Key: k, Digest: randomBytes(32)}
				}
				if err := SignMany(rand.Reader, batch); err != nil {
					t.Fatal(err)
				}
				for i := range batch {
					list[i] = Verification{Key: &k.public, Digest: batch[i].Digest, Signature: batch[i].Signature[:], Raw: true}
				}
				VerifyMany(list)
				for i := range list {
					if list[i].Valid || k.public.VerifyRaw(list[i].Digest, list[i].Signature) {
						t.Errorf("%s: signature %d of %d is valid", info.Name, i, n)
					}
				}
			}
			if _, err := k.public.Digest(nil, nil); !errors.Is(err, errFIPS) {
				t.Errorf("%s: a digest: %v", info.Name, err)
			}
		}
	})
}

// Sums with infinity, which is where products begin, and sums that are skipped.
func TestAddAffineInfinity(t *testing.T) { eachDriver(t, testAddAffineInfinity) }

func testAddAffineInfinity(t *testing.T, d Driver) {
	g := toAffine(specG)
	for name, f := range map[string]func(r *point, skip uint64) uint64{
		"portable": func(r *point, skip uint64) uint64 { return r.addAffine(&g, skip) },
		"driver":   func(r *point, skip uint64) uint64 { return addAffine(d.row, r, &g, skip) },
	} {
		var r point
		if same := f(&r, ^uint64(0)); same != 0 || r != (point{}) {
			t.Errorf("%s: a skipped sum gives %v, %x", name, r, same)
		}
		if same := f(&r, 0); same != 0 || !toSpec(&r).equal(specG) {
			t.Errorf("%s: infinity and G give %v, %x", name, r, same)
		}
		if same := f(&r, ^uint64(0)); same != 0 || !toSpec(&r).equal(specG) {
			t.Errorf("%s: a skipped sum gives %v, %x", name, r, same)
		}
		if f(&r, 0) == 0 {
			t.Errorf("%s: equal points are not noticed", name)
		}
	}
}
