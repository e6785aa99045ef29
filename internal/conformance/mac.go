package conformance

import (
	"bytes"
	"hash"
	"io/fs"
	"testing"

	"github.com/cipherlane/cipherlane/internal/clone"
	"github.com/cipherlane/cipherlane/internal/vectors"
)

// MACCase is a message authentication code under test: a hash with a key. Its
// objects must implement [hash.Cloner]. The constructors are called with keys of the
// right size.
type MACCase struct {
	KeySize int

	New, Reference func(key []byte) hash.Hash

	// Keyed is New that also returns the key, which can be wiped. It is nil if that
	// is the object itself. The object always has a Wipe method, unless NoWipe is set.
	Keyed  func(key []byte) (hash.Hash, Wiper)
	NoWipe bool

	Vectors []MACVector
}

// A MACVector is a published test vector of a message authentication code.
type MACVector struct {
	Key, Message, Tag []byte
}

// MAC tests a message authentication code.
func MAC(t *testing.T, c MACCase) {
	t.Helper()
	run(t, c.checks())
}

func (c MACCase) checks() []check {
	return withWiped(c.NoWipe, []check{
		{"Vectors", c.vectors},
		{"Keys", c.keys},
		{"Clone", c.clone},
		{"Shared", c.shared},
		{"Sizes", c.hash(HashCase.sizes)},
		{"Lengths", c.hash(HashCase.lengths)},
		{"Splits", c.hash(HashCase.splits)},
		{"Sum", c.hash(HashCase.sum)},
		{"Reset", c.hash(HashCase.reset)},
		{"Inputs", c.hash(HashCase.inputs)},
		{"Misaligned", c.hash(HashCase.misaligned)},
		{"Guards", c.hash(HashCase.guards)},
		{"Long", c.hash(HashCase.longInputs)},
		{"Independent", c.hash(HashCase.independent)},
		{"Concurrent", c.hash(HashCase.concurrent)},
		{"Allocations", c.hash(HashCase.allocations)},
	}, c.wiped)
}

// hash turns a check for hash functions into one for the MAC with a fixed key.
func (c MACCase) hash(f func(h HashCase, t testing.TB)) func(t testing.TB) {
	return func(t testing.TB) {
		key := newRandom(t).bytes(c.KeySize)
		f(HashCase{
			New:       func() hash.Hash { return c.New(key) },
			Reference: func() hash.Hash { return c.Reference(key) },
		}, t)
	}
}

func (c MACCase) vectors(t testing.TB) {
	if len(c.Vectors) == 0 {
		t.Fatal("no test vectors")
	}
	for i, v := range c.Vectors {
		equal(t, digest(c.Reference(v.Key), v.Message), v.Tag, "vector %d: the reference", i)
		equal(t, digest(c.New(v.Key), v.Message), v.Tag, "vector %d", i)
	}
}

// keys checks many keys, because subkeys are made from them with carries, and
// that a key is left alone and belongs to the caller again once the object is
// made.
func (c MACCase) keys(t testing.TB) {
	r := newRandom(t)
	for i := range 200 {
		key, p := r.bytes(c.KeySize), r.bytes(16+i%2)
		want := digest(c.Reference(key), p)
		before := bytes.Clone(key)
		h := c.New(key)
		equal(t, digest(h, p), want, "with key %x", before)
		equal(t, key, before, "the key after the call")
		clear(key)
		equal(t, digest(h, p), want, "with the caller's key overwritten")
	}
}

// clonable returns an object that p has been written to.
func (c MACCase) clonable(t testing.TB, key, p []byte) clone.Cloner {
	h, ok := c.New(key).(clone.Cloner)
	if !ok {
		t.Fatalf("%T does not implement hash.Cloner", c.New(key))
	}
	h.Write(p)
	return h
}

func (c MACCase) clone(t testing.TB) {
	r := newRandom(t)
	key := r.bytes(c.KeySize)
	size := c.Reference(key).BlockSize()
	p, a, b := r.bytes(4*size), r.bytes(2*size), r.bytes(2*size)
	want := func(parts ...[]byte) []byte { return digest(c.Reference(key), bytes.Join(parts, nil)) }
	for n := range len(p) {
		h := c.clonable(t, key, p[:n])
		g, err := h.Clone()
		if err != nil {
			t.Fatal(err)
		}
		h.Write(a)
		g.Write(b)
		equal(t, h.Sum(nil), want(p[:n], a), "the original, cloned after %d bytes", n)
		equal(t, g.Sum(nil), want(p[:n], b), "the clone after %d bytes", n)
		h.Reset()
		g.Reset()
		equal(t, h.Sum(nil), want(), "the original after Reset")
		equal(t, g.Sum(nil), want(), "the clone after Reset")
	}
}

// shared checks that the clones of one object may be used from several
// goroutines, although they share its key.
func (c MACCase) shared(t testing.TB) {
	r := newRandom(t)
	key, p := r.bytes(c.KeySize), r.bytes(1200)
	want := digest(c.Reference(key), p)
	original := c.clonable(t, key, p[:100])
	concurrently(func(int) {
		for range 40 {
			h, err := original.Clone()
			if err != nil {
				t.Error(err)
				return
			}
			h.Write(p[100:])
			if got := h.Sum(nil); !bytes.Equal(got, want) {
				t.Error(difference(got, want, "a clone, with others at work"))
				return
			}
		}
	})
}

// macGroup is a test group of a Wycheproof file for message authentication codes.
// Sizes are in bits.
type macGroup struct {
	KeySize int `json:"keySize"`
	TagSize int `json:"tagSize"`
	Tests   []struct {
		vectors.Test
		Key     vectors.Bytes `json:"key"`
		Message vectors.Bytes `json:"msg"`
		Tag     vectors.Bytes `json:"tag"`
	} `json:"tests"`
}

// WycheproofMAC runs a Wycheproof file of tests of message authentication codes
// for keys of c.KeySize.
func WycheproofMAC(t *testing.T, c MACCase, fsys fs.FS, name string) {
	t.Helper()
	c.wycheproof(t, fsys, name)
}

func (c MACCase) wycheproof(t testing.TB, fsys fs.FS, name string) {
	ran := map[vectors.Result]int{}
	for _, g := range vectors.Wycheproof[macGroup](t, fsys, name) {
		if g.KeySize != 8*c.KeySize {
			continue
		}
		for _, test := range g.Tests {
			ran[test.Result]++
			got := digest(c.New(test.Key), test.Message)[:g.TagSize/8]
			switch test.Result {
			case vectors.Valid:
				equal(t, got, test.Tag, "test %d of %s (%s)", test.ID, name, test.Comment)
			case vectors.Invalid:
				if bytes.Equal(got, test.Tag) {
					t.Errorf("test %d of %s (%s): takes a wrong tag", test.ID, name, test.Comment)
				}
			default:
				t.Errorf("%s: test %d: result %q", name, test.ID, test.Result)
			}
		}
	}
	if ran[vectors.Valid] == 0 || ran[vectors.Invalid] == 0 {
		t.Errorf("%s: nothing to run for keys of %d bytes", name, c.KeySize)
	}
	t.Logf("%s: %d valid, %d invalid", name, ran[vectors.Valid], ran[vectors.Invalid])
}
