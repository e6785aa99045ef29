package conformance

import (
	"bytes"
	"testing"
)

// KEMCase is a key encapsulation mechanism under test, with one set of
// parameters. Decapsulation must never fail for a ciphertext of the right size.
type KEMCase struct {
	SharedKeySize, CiphertextSize int

	// Generate generates a random key; Private and Public parse one. Private must
	// return an error for a wrong length.
	Generate func() (KEMPrivateKey, error)
	Private  func(key []byte) (KEMPrivateKey, error)
	Public   func(key []byte) (KEMPublicKey, error)

	// Reference decapsulates, given the bytes of the private key.
	Reference func(key, ciphertext []byte) []byte

	// Many messages under the keys of a list.
	EncapsulateMany func(list []KEMEncapsulation) error
	DecapsulateMany func(list []KEMDecapsulation) error

	Vectors []KEMVector
}

// A KEMPublicKey is a public key under test.
type KEMPublicKey interface {
	Bytes() []byte
	Encapsulate() (sharedKey, ciphertext []byte)
	EncapsulateTo(sharedKey, ciphertext []byte) error
}

// A KEMPrivateKey is a private key under test.
type KEMPrivateKey interface {
	Bytes() []byte
	PublicKey() KEMPublicKey
	Decapsulate(ciphertext []byte) (sharedKey []byte, err error)
	DecapsulateTo(sharedKey, ciphertext []byte) error
	Wipe()
}

// A KEMEncapsulation is one of a list.
type KEMEncapsulation struct {
	Key                   KEMPublicKey
	SharedKey, Ciphertext []byte
}

// A KEMDecapsulation is one of a list.
type KEMDecapsulation struct {
	Key                   KEMPrivateKey
	Ciphertext, SharedKey []byte
}

// A KEMVector is a published test vector, or one from another implementation.
type KEMVector struct {
	Private, Public, Ciphertext, SharedKey []byte
}

// KEM tests a key encapsulation mechanism.
func KEM(t *testing.T, c KEMCase) {
	t.Helper()
	run(t, c.checks())
}

func (c KEMCase) checks() []check {
	return []check{
		{"Vectors", c.vectors},
		{"Agreement", c.agreement},
		{"Random", c.random},
		{"Rejection", c.rejection},
		{"Keys", c.keys},
		{"Lengths", c.lengths},
		{"Inputs", c.inputs},
		{"Guards", c.guards},
		{"Many", c.many},
		{"ManyRefuses", c.manyRefuses},
		{"Concurrent", c.concurrent},
		{"Allocations", c.allocations},
		{"Wiped", c.wiped},
	}
}

func (c KEMCase) key(t testing.TB) KEMPrivateKey {
	t.Helper()
	key, err := c.Generate()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (c KEMCase) encapsulate(t testing.TB, key KEMPublicKey) (sharedKey, ciphertext []byte) {
	t.Helper()
	sharedKey, ciphertext = key.Encapsulate()
	if len(sharedKey) != c.SharedKeySize || len(ciphertext) != c.CiphertextSize {
		t.Fatalf("a shared key of %d bytes and a ciphertext of %d, want %d and %d", len(sharedKey), len(ciphertext), c.SharedKeySize, c.CiphertextSize)
	}
	return sharedKey, ciphertext
}

func decapsulate(t testing.TB, key KEMPrivateKey, ciphertext []byte) []byte {
	t.Helper()
	sharedKey, err := key.Decapsulate(ciphertext)
	if err != nil {
		t.Fatal(err)
	}
	return sharedKey
}

func (c KEMCase) vectors(t testing.TB) {
	if len(c.Vectors) == 0 {
		t.Fatal("no test vectors")
	}
	for i, v := range c.Vectors {
		key, err := c.Private(v.Private)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, c.Reference(v.Private, v.Ciphertext), v.SharedKey, "vector %d: the reference", i)
		equal(t, decapsulate(t, key, v.Ciphertext), v.SharedKey, "vector %d", i)
		equal(t, key.PublicKey().Bytes(), v.Public, "vector %d: public key", i)
	}
}

// agreement checks that both sides and the reference have the same key.
func (c KEMCase) agreement(t testing.TB) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		key := c.key(t)
		sharedKey, ciphertext := c.encapsulate(t, key.PublicKey())
		equal(t, decapsulate(t, key, ciphertext), sharedKey, "decapsulation")
		equal(t, c.Reference(key.Bytes(), ciphertext), sharedKey, "decapsulation by the reference")
	}
}

func (c KEMCase) random(t testing.TB) {
	a, b := c.key(t), c.key(t)
	if bytes.Equal(a.Bytes(), b.Bytes()) || bytes.Equal(a.PublicKey().Bytes(), b.PublicKey().Bytes()) {
		t.Error("two new keys are the same")
	}
	s1, c1 := c.encapsulate(t, a.PublicKey())
	s2, c2 := c.encapsulate(t, a.PublicKey())
	if bytes.Equal(s1, s2) || bytes.Equal(c1, c2) {
		t.Error("two encapsulations for one key are the same")
	}
}

// rejection flips bits throughout a ciphertext. Each must result in a different shared
// key, the same as that of the reference and the same every time.
func (c KEMCase) rejection(t testing.TB) {
	key := c.key(t)
	sharedKey, ciphertext := c.encapsulate(t, key.PublicKey())
	step := 13
	if testing.Short() {
		step = 5
	}
	seen := map[string]int{string(sharedKey): -1}
	for i := 0; i <= step; i++ {
		at := i * (len(ciphertext) - 1) / step
		changed := bytes.Clone(ciphertext)
		changed[at] ^= 1 << (i % 8)
		got := decapsulate(t, key, changed)
		if other, ok := seen[string(got)]; ok {
			t.Errorf("byte %d changed: the shared key is that of %d (-1: of the right ciphertext)", at, other)
		}
		seen[string(got)] = at
		equal(t, got, c.Reference(key.Bytes(), changed), "byte %d changed", at)
		if i%3 == 0 {
			equal(t, decapsulate(t, key, changed), got, "byte %d changed, once more", at)
		}
	}
}

// keys checks that keys survive encoding and parsing, and that the caller may change
// the bytes once the object has been created.
func (c KEMCase) keys(t testing.TB) {
	original := c.key(t)
	text, public := original.Bytes(), original.PublicKey().Bytes()
	key, err := c.Private(text)
	if err != nil {
		t.Fatal(err)
	}
	ek, err := c.Public(public)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, text, original.Bytes(), "the private key after the call")
	equal(t, public, original.PublicKey().Bytes(), "the public key after the call")
	clear(text)
	clear(public)
	equal(t, key.Bytes(), original.Bytes(), "a private key read back")
	equal(t, ek.Bytes(), original.PublicKey().Bytes(), "a public key read back")
	equal(t, key.PublicKey().Bytes(), original.PublicKey().Bytes(), "the public key of a private key read back")
	clear(key.Bytes())
	clear(ek.Bytes())
	sharedKey, ciphertext := c.encapsulate(t, ek)
	equal(t, decapsulate(t, key, ciphertext), sharedKey, "decapsulation with keys read back")
}

// lengths checks that wrong sizes are errors, and that nothing is written.
func (c KEMCase) lengths(t testing.TB) {
	key := c.key(t)
	text, public := key.Bytes(), key.PublicKey().Bytes()
	for _, n := range []int{0, len(text) - 1, len(text) + 1} {
		if k, err := c.Private(append(text[:len(text):len(text)], 0)[:n]); err == nil || k != nil {
			t.Errorf("takes a private key of %d bytes", n)
		}
	}
	for _, n := range []int{0, len(public) - 1, len(public) + 1} {
		if k, err := c.Public(append(public[:len(public):len(public)], 0)[:n]); err == nil || k != nil {
			t.Errorf("takes a public key of %d bytes", n)
		}
	}
	_, ciphertext := c.encapsulate(t, key.PublicKey())
	untouched := func(what string, b ...[]byte) {
		for _, p := range b {
			if !bytes.Equal(p, make([]byte, len(p))) {
				t.Errorf("%s: writes although it fails", what)
			}
		}
	}
	for d := -1; d <= 1; d++ {
		for e := -1; e <= 1; e++ {
			if d == 0 && e == 0 {
				continue
			}
			s, x := make([]byte, c.SharedKeySize+d), make([]byte, c.CiphertextSize+e)
			if err := key.PublicKey().EncapsulateTo(s, x); err == nil {
				t.Errorf("encapsulates to %d and %d bytes", len(s), len(x))
			}
			untouched("encapsulation", s, x)
			if err := key.DecapsulateTo(s, append(ciphertext[:len(ciphertext):len(ciphertext)], 0)[:len(x)]); err == nil {
				t.Errorf("decapsulates %d to %d bytes", len(x), len(s))
			}
			untouched("decapsulation", s)
		}
	}
	if s, err := key.Decapsulate(nil); err == nil || s != nil {
		t.Errorf("decapsulates nothing to %x", s)
	}
}

// inputs checks that a ciphertext is left unchanged.
func (c KEMCase) inputs(t testing.TB) {
	key := c.key(t)
	_, ciphertext := c.encapsulate(t, key.PublicKey())
	for range 2 {
		before := bytes.Clone(ciphertext)
		decapsulate(t, key, ciphertext)
		equal(t, ciphertext, before, "the ciphertext after decapsulation")
		ciphertext[0] ^= 1
	}
}

// guards checks with all buffers next to inaccessible memory.
func (c KEMCase) guards(t testing.TB) {
	text, public := newEdges(t, len(c.key(t).Bytes())), newEdges(t, len(c.key(t).PublicKey().Bytes()))
	shared, sent := newEdges(t, c.SharedKeySize), newEdges(t, c.CiphertextSize)
	for side, name := range sides {
		original := c.key(t)
		k, p := text.put(side, original.Bytes()), public.put(side, original.PublicKey().Bytes())
		s, x := shared.at(side, c.SharedKeySize), sent.at(side, c.CiphertextSize)
		inBounds(t, func() {
			key, err := c.Private(k)
			if err != nil {
				t.Fatal(err)
			}
			ek, err := c.Public(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := ek.EncapsulateTo(s, x); err != nil {
				t.Fatal(err)
			}
			want := bytes.Clone(s)
			if err := key.DecapsulateTo(s, x); err != nil {
				t.Fatal(err)
			}
			equal(t, s, want, "decapsulation at the edge")
		}, "%s", name)
	}
}

// many runs lists of numbers of messages up to more than two full passes of the widest
// kernel, eight, for one key and for several.
func (c KEMCase) many(t testing.TB) {
	keys := []KEMPrivateKey{c.key(t), c.key(t), c.key(t)}
	numbers := append(span(0, 9), 16, 17, 18)
	if testing.Short() {
		numbers = []int{9}
	}
	for _, n := range numbers {
		for _, different := range []int{1, len(keys)} {
			enc, dec := make([]KEMEncapsulation, n), make([]KEMDecapsulation, n)
			for i := range enc {
				enc[i] = KEMEncapsulation{keys[i%different].PublicKey(), make([]byte, c.SharedKeySize), make([]byte, c.CiphertextSize)}
			}
			if err := c.EncapsulateMany(enc); err != nil {
				t.Fatal(err)
			}
			want := make([][]byte, n)
			for i := range dec {
				key := keys[i%different]
				want[i] = decapsulate(t, key, enc[i].Ciphertext)
				equal(t, want[i], enc[i].SharedKey, "number %d of %d, %d keys", i, n, different)
				if i > 0 && bytes.Equal(want[i], want[i-1]) {
					t.Fatalf("numbers %d and %d of %d have the same shared key", i-1, i, n)
				}
				dec[i] = KEMDecapsulation{key, enc[i].Ciphertext, make([]byte, c.SharedKeySize)}
				if i%3 == 1 { // among right ones, a changed one
					dec[i].Ciphertext = bytes.Clone(dec[i].Ciphertext)
					dec[i].Ciphertext[i] ^= 0x80
					want[i] = decapsulate(t, key, dec[i].Ciphertext)
				}
			}
			if err := c.DecapsulateMany(dec); err != nil {
				t.Fatal(err)
			}
			for i, d := range dec {
				equal(t, d.SharedKey, want[i], "decapsulation %d of %d, %d keys", i, n, different)
			}
		}
	}
}

// manyRefuses checks that one wrong size makes the whole list fail before anything is
// written.
func (c KEMCase) manyRefuses(t testing.TB) {
	key := c.key(t)
	_, ciphertext := c.encapsulate(t, key.PublicKey())
	for at := range 10 {
		for _, short := range []int{0, 1} {
			enc, dec := make([]KEMEncapsulation, 10), make([]KEMDecapsulation, 10)
			for i := range enc {
				s, x := c.SharedKeySize, c.CiphertextSize
				if i == at {
					s, x = s-short, x-1+short
				}
				enc[i] = KEMEncapsulation{key.PublicKey(), make([]byte, s), make([]byte, x)}
				dec[i] = KEMDecapsulation{key, ciphertext[:x], make([]byte, s)}
			}
			if c.EncapsulateMany(enc) == nil || c.DecapsulateMany(dec) == nil {
				t.Fatalf("takes a list with a wrong size in number %d", at)
			}
			for i := range enc {
				for _, b := range [][]byte{enc[i].SharedKey, enc[i].Ciphertext, dec[i].SharedKey} {
					if !bytes.Equal(b, make([]byte, len(b))) {
						t.Fatalf("a wrong size in number %d: number %d was written", at, i)
					}
				}
			}
		}
	}
}

// concurrent checks that keys may be used from several goroutines.
func (c KEMCase) concurrent(t testing.TB) {
	key := c.key(t)
	public := key.PublicKey()
	sharedKey, ciphertext := c.encapsulate(t, public)
	rounds := 30
	if testing.Short() {
		rounds = 2
	}
	concurrently(func(int) {
		for range rounds {
			got, err := key.Decapsulate(ciphertext)
			if err != nil || !bytes.Equal(got, sharedKey) {
				t.Errorf("decapsulation, with others at work: %x, %v", got, err)
				return
			}
			s, x := public.Encapsulate()
			if got, err := key.Decapsulate(x); err != nil || !bytes.Equal(got, s) {
				t.Errorf("encapsulation, with others at work: %x, %v", got, err)
				return
			}
		}
	})
}

func (c KEMCase) allocations(t testing.TB) {
	key := c.key(t)
	public := key.PublicKey()
	s, x := make([]byte, c.SharedKeySize), make([]byte, c.CiphertextSize)
	NoAllocs(t, "EncapsulateTo", func() { public.EncapsulateTo(s, x) })
	NoAllocs(t, "DecapsulateTo", func() { key.DecapsulateTo(s, x) })
}
