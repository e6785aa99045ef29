package conformance

import (
	"bytes"
	"crypto/rand"
	"io"
	"math/big"
	"slices"
	"testing"
)

// SignerCase is a scheme under test whose keys sign 32-byte digests, decrypt, and
// agree on secrets. All numbers are 32 bytes, big-endian.
type SignerCase struct {
	// Order is the order of the group. A signature is two numbers from 1 to Order-1, a
	// private key is a number from 1 to Order-2.
	Order [32]byte

	// Generate generates a random key; Private and Public parse one.
	Generate func() (SignerPrivateKey, error)
	Private  func(key []byte) (SignerPrivateKey, error)
	Public   func(key []byte) (SignerPublicKey, error)

	// The reference, which takes keys as bytes. Sign returns the deterministic
	// signature; Decrypt returns nil for an invalid ciphertext.
	Sign    func(private, digest []byte) []byte
	Verify  func(public, digest, signature []byte) bool
	Encrypt func(public, message []byte) []byte
	Decrypt func(private, ciphertext []byte) []byte
	ECDH    func(private, public []byte) []byte

	Vectors []SignerVector
}

// A SignerPublicKey is a public key under test.
type SignerPublicKey interface {
	Bytes() []byte
	VerifyRaw(digest, signature []byte) bool
	Encrypt(message []byte) ([]byte, error)
}

// A SignerPrivateKey is a private key under test. If random is nil, signatures are
// deterministic.
type SignerPrivateKey interface {
	Bytes() []byte
	PublicKey() SignerPublicKey
	SignRaw(random io.Reader, digest []byte) ([64]byte, error)
	Decrypt(ciphertext []byte) ([]byte, error)
	ECDH(peer SignerPublicKey) ([]byte, error)
	Wipe()
}

// A SignerVector is a published signature.
type SignerVector struct {
	Private, Public, Digest, Signature []byte
}

// Signer tests a signer.
func Signer(t *testing.T, c SignerCase) {
	t.Helper()
	run(t, c.checks())
}

func (c SignerCase) checks() []check {
	return []check{
		{"Vectors", c.vectors},
		{"Deterministic", c.deterministic},
		{"Random", c.random},
		{"Forgeries", c.forgeries},
		{"Range", c.ranges},
		{"Keys", c.keys},
		{"Encryption", c.encryption},
		{"Damage", c.damage},
		{"Agreement", c.agreement},
		{"Wipe", c.wipe},
		{"Inputs", c.inputs},
		{"Guards", c.guards},
		{"Concurrent", c.concurrent},
	}
}

func (c SignerCase) key(t testing.TB) SignerPrivateKey {
	t.Helper()
	key, err := c.Generate()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// number returns Order + d, which need not be a number of the group.
func (c SignerCase) number(d int64) []byte {
	n := new(big.Int).SetBytes(c.Order[:])
	return n.Add(n, big.NewInt(d)).FillBytes(make([]byte, 32))
}

func small(v byte) []byte { return append(make([]byte, 31), v) }

// edgeKeys are the smallest and largest private keys.
func (c SignerCase) edgeKeys() [][]byte {
	return [][]byte{small(1), small(2), small(3), c.number(-2), c.number(-3)}
}

// digests are where a reduction by the order may go wrong, and some others.
func (c SignerCase) digests(r random) [][]byte {
	list := [][]byte{make([]byte, 32), small(1), bytes.Repeat([]byte{0xff}, 32)}
	for d := range int64(3) {
		list = append(list, c.number(d-1))
	}
	for range 4 {
		list = append(list, r.bytes(32))
	}
	return list
}

func sign(t testing.TB, key SignerPrivateKey, random io.Reader, digest []byte) []byte {
	t.Helper()
	s, err := key.SignRaw(random, digest)
	if err != nil {
		t.Fatal(err)
	}
	return s[:]
}

func (c SignerCase) vectors(t testing.TB) {
	if len(c.Vectors) == 0 {
		t.Fatal("no test vectors")
	}
	for i, v := range c.Vectors {
		key, err := c.Private(v.Private)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, key.PublicKey().Bytes(), v.Public, "vector %d: public key", i)
		public, err := c.Public(v.Public)
		if err != nil {
			t.Fatal(err)
		}
		if !c.Verify(v.Public, v.Digest, v.Signature) {
			t.Errorf("vector %d: the reference refuses it", i)
		}
		for _, k := range []SignerPublicKey{public, key.PublicKey()} {
			if !k.VerifyRaw(v.Digest, v.Signature) {
				t.Errorf("vector %d: refused", i)
			}
		}
	}
}

// deterministic compares signatures with those of the reference.
func (c SignerCase) deterministic(t testing.TB) {
	r := newRandom(t)
	keys := []SignerPrivateKey{c.key(t), c.key(t)}
	for _, text := range c.edgeKeys() {
		key, err := c.Private(text)
		if err != nil {
			t.Fatalf("%x: %v", text, err)
		}
		keys = append(keys, key)
	}
	if testing.Short() {
		keys = append(keys[1:3:3], keys[5]) // a random one, 1 and Order-2
	}
	for _, key := range keys {
		for _, digest := range c.digests(r) {
			got := sign(t, key, nil, digest)
			equal(t, got, c.Sign(key.Bytes(), digest), "signature of %x", digest)
			if !key.PublicKey().VerifyRaw(digest, got) {
				t.Fatalf("own signature of %x is refused", digest)
			}
		}
	}
}

// random checks that what needs random numbers gets new ones.
func (c SignerCase) random(t testing.TB) {
	a, b := c.key(t), c.key(t)
	if bytes.Equal(a.Bytes(), b.Bytes()) || bytes.Equal(a.PublicKey().Bytes(), b.PublicKey().Bytes()) {
		t.Error("two new keys are the same")
	}
	for _, digest := range c.digests(newRandom(t)) {
		one, two := sign(t, a, rand.Reader, digest), sign(t, a, rand.Reader, digest)
		if bytes.Equal(one[:32], two[:32]) || bytes.Equal(one[32:], two[32:]) || bytes.Equal(one, sign(t, a, nil, digest)) {
			t.Errorf("signatures with the same nonce: %x, %x", one, two)
		}
		for _, s := range [][]byte{one, two} {
			if !c.Verify(a.PublicKey().Bytes(), digest, s) {
				t.Fatalf("the reference refuses the signature %x of %x", s, digest)
			}
			if !a.PublicKey().VerifyRaw(digest, s) {
				t.Fatalf("refuses its own signature %x of %x", s, digest)
			}
		}
	}
	message := small(9)
	one, err1 := a.PublicKey().Encrypt(message)
	two, err2 := a.PublicKey().Encrypt(message)
	if err1 != nil || err2 != nil || bytes.Equal(one, two) {
		t.Errorf("two ciphertexts of one message: %x, %v, %x, %v", one, err1, two, err2)
	}
}

// forgeries changes signatures and digests in every byte.
func (c SignerCase) forgeries(t testing.TB) {
	r := newRandom(t)
	key, other := c.key(t), c.key(t).PublicKey()
	public := key.PublicKey()
	digest := r.bytes(32)
	signature := sign(t, key, rand.Reader, digest)
	if other.VerifyRaw(digest, signature) {
		t.Error("accepted for another key")
	}
	refused := func(what string, digest, signature []byte) {
		t.Helper()
		if public.VerifyRaw(digest, signature) {
			t.Errorf("accepts %s: signature %x of %x", what, signature, digest)
		}
	}
	for i := range 64 {
		changed := bytes.Clone(signature)
		changed[i] ^= 1 << r.IntN(8)
		refused("a changed signature", digest, changed)
		if i < 32 {
			changed := bytes.Clone(digest)
			changed[i] ^= 1 << r.IntN(8)
			refused("another digest", changed, signature)
		}
	}
	longer := append(signature[:64:64], 0)
	for _, n := range []int{0, 1, 32, 63, 65} {
		refused("a wrong size", digest, longer[:n])
	}
	for _, n := range []int{0, 31, 33} {
		refused("a digest of a wrong size", append(digest[:32:32], 0)[:n], signature)
	}
	if !public.VerifyRaw(digest, signature) {
		t.Error("refuses the signature as it was")
	}
	for _, n := range []int{0, 31, 33} {
		if s, err := key.SignRaw(nil, make([]byte, n)); err == nil || s != [64]byte{} {
			t.Errorf("signs a digest of %d bytes", n)
		}
	}
}

// ranges checks numbers that are in no signature, and private keys that are none.
func (c SignerCase) ranges(t testing.TB) {
	r := newRandom(t)
	key := c.key(t)
	digest := r.bytes(32)
	signature := sign(t, key, nil, digest)
	all := bytes.Repeat([]byte{0xff}, 32)
	out := [][]byte{small(0), c.number(0), c.number(1), all}
	for _, a := range append(out, signature[:32], small(1), c.number(-1)) {
		for _, b := range append(out, signature[32:], small(1), c.number(-1)) {
			s := slices.Concat(a, b)
			if want := bytes.Equal(s, signature); key.PublicKey().VerifyRaw(digest, s) != want {
				t.Errorf("signature %x: accepted %v", s, !want)
			}
		}
	}
	// A number and the order more are the same modulo the order.
	n := new(big.Int).SetBytes(c.Order[:])
	for at := 0; at < 64; at += 32 {
		v := new(big.Int).SetBytes(signature[at : at+32])
		if v.Add(v, n); v.BitLen() > 256 {
			continue
		}
		s := bytes.Clone(signature)
		v.FillBytes(s[at : at+32])
		if key.PublicKey().VerifyRaw(digest, s) {
			t.Errorf("signature %x: accepted", s)
		}
	}
	for _, text := range [][]byte{small(0), c.number(-1), c.number(0), c.number(1), all, nil, small(1)[:31], append(small(1), 1)} {
		if k, err := c.Private(text); err == nil || k != nil {
			t.Errorf("takes the private key %x", text)
		}
	}
}

// keys checks that keys survive being written and read, and belong to the caller
// again once the object is made.
func (c SignerCase) keys(t testing.TB) {
	original := c.key(t)
	text, public := original.Bytes(), original.PublicKey().Bytes()
	key, err := c.Private(text)
	if err != nil {
		t.Fatal(err)
	}
	vk, err := c.Public(public)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, text, original.Bytes(), "the private key after the call")
	equal(t, public, original.PublicKey().Bytes(), "the public key after the call")
	clear(text)
	clear(public)
	equal(t, key.Bytes(), original.Bytes(), "a private key read back")
	equal(t, vk.Bytes(), original.PublicKey().Bytes(), "a public key read back")
	equal(t, key.PublicKey().Bytes(), original.PublicKey().Bytes(), "the public key of a private key read back")
	clear(key.Bytes())
	clear(vk.Bytes())
	digest := small(7)
	if !vk.VerifyRaw(digest, sign(t, key, nil, digest)) {
		t.Error("keys read back do not fit")
	}
	size := len(vk.Bytes())
	for _, n := range []int{0, 1, size - 1, size + 1} {
		if k, err := c.Public(append(vk.Bytes(), 0)[:n]); err == nil || k != nil {
			t.Errorf("takes a public key of %d bytes", n)
		}
	}
}

// encryption compares both directions with the reference.
func (c SignerCase) encryption(t testing.TB) {
	r := newRandom(t)
	key := c.key(t)
	for _, n := range []int{1, 2, 16, 31, 32, 33, 63, 64, 65, 159, 160, 161, 1000, 5000} {
		message := r.bytes(n)
		ciphertext, err := key.PublicKey().Encrypt(message)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, c.Decrypt(key.Bytes(), ciphertext), message, "%d bytes, decrypted by the reference", n)
		back, err := key.Decrypt(ciphertext)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		equal(t, back, message, "%d bytes", n)
		ciphertext = c.Encrypt(key.PublicKey().Bytes(), message)
		if back, err = key.Decrypt(ciphertext); err != nil {
			t.Fatalf("%d bytes, encrypted by the reference: %v", n, err)
		}
		equal(t, back, message, "%d bytes, encrypted by the reference", n)
	}
	if x, err := key.PublicKey().Encrypt(nil); err == nil || x != nil {
		t.Errorf("an empty message is encrypted: %x", x)
	}
}

// damage checks that no changed ciphertext is taken, nor a part of one.
func (c SignerCase) damage(t testing.TB) {
	r := newRandom(t)
	key, other := c.key(t), c.key(t)
	ciphertext, err := key.PublicKey().Encrypt(r.bytes(40))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(key SignerPrivateKey, x []byte, what string, i int) {
		t.Helper()
		if back, err := key.Decrypt(x); err == nil || back != nil {
			t.Errorf("%s %d: decrypted to %x, %v", what, i, back, err)
		}
	}
	refused(other, ciphertext, "another key", 0)
	for i := range ciphertext {
		changed := bytes.Clone(ciphertext)
		changed[i] ^= 1 << r.IntN(8)
		refused(key, changed, "changed in byte", i)
		refused(key, ciphertext[:i], "cut to", i)
	}
	refused(key, append(ciphertext, 0), "longer by", 1)
}

func (c SignerCase) agreement(t testing.TB) {
	a, b := c.key(t), c.key(t)
	edges := []SignerPrivateKey{a, b}
	for _, text := range c.edgeKeys() {
		key, err := c.Private(text)
		if err != nil {
			t.Fatal(err)
		}
		edges = append(edges, key)
	}
	for _, k := range edges {
		for _, p := range []SignerPrivateKey{a, edges[len(edges)-1], edges[2]} {
			got, err := k.ECDH(p.PublicKey())
			if err != nil {
				t.Fatal(err)
			}
			equal(t, got, c.ECDH(k.Bytes(), p.PublicKey().Bytes()), "the secret of %x and %x", k.Bytes(), p.PublicKey().Bytes())
			back, err := p.ECDH(k.PublicKey())
			if err != nil {
				t.Fatal(err)
			}
			equal(t, back, got, "the secret of the other side")
		}
	}
}

// wipe checks that a wiped key is of no more use, nor tells what it was.
func (c SignerCase) wipe(t testing.TB) {
	key, peer := c.key(t), c.key(t).PublicKey()
	ciphertext, err := key.PublicKey().Encrypt(small(1))
	if err != nil {
		t.Fatal(err)
	}
	sign(t, key, nil, small(1))
	before := key.Bytes()
	key.Wipe()
	if bytes.Equal(key.Bytes(), before) {
		t.Error("a wiped key still has its bytes")
	}
	if s, err := key.SignRaw(nil, small(1)); err == nil || s != [64]byte{} {
		t.Errorf("a wiped key signs: %x, %v", s, err)
	}
	if s, err := key.Decrypt(ciphertext); err == nil || s != nil {
		t.Errorf("a wiped key decrypts: %x, %v", s, err)
	}
	if s, err := key.ECDH(peer); err == nil || s != nil {
		t.Errorf("a wiped key agrees: %x, %v", s, err)
	}
}

// inputs checks that what is read is left alone.
func (c SignerCase) inputs(t testing.TB) {
	r := newRandom(t)
	key := c.key(t)
	digest, message := r.bytes(32), r.bytes(50)
	keep := slices.Concat(digest, message)
	signature := sign(t, key, rand.Reader, digest)
	ciphertext, err := key.PublicKey().Encrypt(message)
	if err != nil {
		t.Fatal(err)
	}
	s, x := bytes.Clone(signature), bytes.Clone(ciphertext)
	key.PublicKey().VerifyRaw(digest, signature)
	key.Decrypt(ciphertext)
	equal(t, slices.Concat(digest, message), keep, "digest and message")
	equal(t, signature, s, "the signature after verification")
	equal(t, ciphertext, x, "the ciphertext after decryption")
}

// guards puts all buffers at the edge of inaccessible memory.
func (c SignerCase) guards(t testing.TB) {
	first := c.key(t)
	r := newRandom(t)
	message := r.bytes(45)
	sent, err := first.PublicKey().Encrypt(message)
	if err != nil {
		t.Fatal(err)
	}
	made := sign(t, first, nil, message[:32])
	text, public, digest, plain := newEdges(t, 32), newEdges(t, len(first.PublicKey().Bytes())), newEdges(t, 32), newEdges(t, len(message))
	signature, ciphertext := newEdges(t, 64), newEdges(t, len(sent))
	for side, name := range sides {
		k, p := text.put(side, first.Bytes()), public.put(side, first.PublicKey().Bytes())
		d, m := digest.put(side, message[:32]), plain.put(side, message)
		s, x := signature.put(side, made), ciphertext.put(side, sent)
		inBounds(t, func() {
			key, err := c.Private(k)
			if err != nil {
				t.Fatal(err)
			}
			vk, err := c.Public(p)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, sign(t, key, nil, d), made, "signature")
			if !vk.VerifyRaw(d, s) {
				t.Error("verification at the edge")
			}
			if _, err := vk.Encrypt(m); err != nil {
				t.Error(err)
			}
			back, err := key.Decrypt(x)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, back, message, "decryption")
		}, "%s", name)
	}
}

// concurrent checks that keys may be used from several goroutines, from the first
// use on.
func (c SignerCase) concurrent(t testing.TB) {
	rounds := 10
	if testing.Short() {
		rounds = 2
	}
	text, digest := c.key(t).Bytes(), small(5)
	want := c.Sign(text, digest)
	for range rounds {
		key, err := c.Private(text)
		if err != nil {
			t.Fatal(err)
		}
		ciphertext, err := key.PublicKey().Encrypt(digest)
		if err != nil {
			t.Fatal(err)
		}
		concurrently(func(int) {
			s, err := key.SignRaw(nil, digest)
			if err != nil || !bytes.Equal(s[:], want) {
				t.Errorf("signature, with others at work: %x, %v", s, err)
			}
			if !key.PublicKey().VerifyRaw(digest, want) {
				t.Error("refused, with others at work")
			}
			if back, err := key.Decrypt(ciphertext); err != nil || !bytes.Equal(back, digest) {
				t.Errorf("decrypted, with others at work: %x, %v", back, err)
			}
		})
	}
}
