package conformance

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/vectors"
)

// AEADCase is an AEAD under test. New is called with keys of the right size.
type AEADCase struct {
	KeySize int

	// NonceSizes and TagSizes are tested in all combinations, the first of
	// each throughout. With more than one TagSizes, New must refuse all others
	// up to 17; with more than one NonceSizes, it must refuse 0.
	NonceSizes, TagSizes []int

	New, Reference func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error)

	// Keyed is New that also returns the key, which can be wiped. It is nil if that
	// is the object itself. The object always has a Wipe method, unless NoWipe is set.
	Keyed  func(key []byte, nonceSize, tagSize int) (cipher.AEAD, Wiper)
	NoWipe bool

	// NonceFor returns a nonce of any supported size with which the first
	// counter block is j0; nil for AEADs whose counter cannot wrap within a
	// message. For GCM it is made with [GCMNonce].
	NonceFor func(key []byte, j0 [16]byte) []byte

	// AnyNonce says that nonces of all sizes but 0 are accepted, whatever NonceSize returns: the
	// first of NonceSizes.
	AnyNonce bool

	// TagFirst says that the tag is at the beginning of what Seal returns.
	TagFirst bool

	// MaxSize is the maximum total size of a message, its additional data and its
	// tag; 0 means no limit.
	MaxSize int

	Vectors []AEADVector

	// Allocates excuses an AEAD of another library, which allocates memory for
	// every message.
	Allocates bool
}

// An AEADVector is a published test vector of an AEAD. The tag is the end of
// Ciphertext.
type AEADVector struct {
	Key, Nonce, AdditionalData, Plaintext, Ciphertext []byte
}

// AEAD tests an AEAD.
func AEAD(t *testing.T, c AEADCase) {
	t.Helper()
	run(t, c.checks())
}

func (c AEADCase) checks() []check {
	list := withWiped(c.NoWipe, []check{
		{"Vectors", c.vectors},
		{"Sizes", c.sizes},
		{"Lengths", c.lengths},
		{"AdditionalData", c.additionalData},
		{"Append", c.append},
		{"InPlace", c.inPlace},
		{"Inputs", c.inputs},
		{"Misuse", c.misuse},
		{"Forgeries", c.forgeries},
		{"Truncation", c.truncation},
		{"Misaligned", c.misaligned},
		{"Guards", c.guards},
		{"Long", c.longInputs},
		{"Independent", c.independent},
		{"Concurrent", c.concurrent},
		{"Allocations", c.allocations},
	}, c.wiped)
	if c.NonceFor != nil {
		list = append(list, check{"CounterWrap", c.counterWrap})
	}
	return list
}

// A message is an input of Seal with the output of the reference.
type message struct {
	nonce, plaintext, data, sealed []byte
}

// A pair is a subject and its reference with the same random key and the usual
// sizes.
type pair struct {
	random
	key          []byte
	subject, ref cipher.AEAD
}

func (c AEADCase) pair(t testing.TB) pair {
	t.Helper()
	r := newRandom(t)
	key := r.bytes(c.KeySize)
	subject, err := c.New(key, c.NonceSizes[0], c.TagSizes[0])
	if err != nil {
		t.Fatal(err)
	}
	return pair{r, key, subject, must(c.Reference(key, c.NonceSizes[0], c.TagSizes[0]))}
}

// message returns a random message of n bytes with the given size of additional data.
func (p pair) message(n, data int) message {
	return p.seal(message{nonce: p.bytes(p.ref.NonceSize()), plaintext: p.bytes(n), data: p.bytes(data)})
}

func (p pair) seal(m message) message {
	m.sealed = p.ref.Seal(nil, m.nonce, m.plaintext, m.data)
	return m
}

// agrees checks that a seals and opens m as the reference does. The buffers
// grow as needed and are for the next call.
func (m message) agrees(t testing.TB, a cipher.AEAD, dst []byte, what string, args ...any) []byte {
	dst = a.Seal(dst[:0], m.nonce, m.plaintext, m.data)
	if !bytes.Equal(dst, m.sealed) {
		t.Helper()
		equal(t, dst, m.sealed, "Seal of "+what, args...)
	}
	dst, err := a.Open(dst[:0], m.nonce, m.sealed, m.data)
	if err != nil || !bytes.Equal(dst, m.plaintext) {
		t.Helper()
		if err != nil {
			t.Fatalf("Open of %s: %v", fmt.Sprintf(what, args...), err)
		}
		equal(t, dst, m.plaintext, "Open of "+what, args...)
	}
	return dst
}

// rejected checks that a does not open m and does not reveal what it decrypted.
func (m message) rejected(t testing.TB, a cipher.AEAD, what string, args ...any) {
	const prefix, margin = 3, 20
	b := bytes.Repeat([]byte{0xa5}, prefix+len(m.sealed)+margin)
	got, err := a.Open(b[:prefix], m.nonce, m.sealed, m.data)
	n := max(len(m.sealed)-a.Overhead(), 0)
	out := b[prefix : prefix+n]
	untouched := bytes.Count(out, []byte{0xa5}) == n
	wiped := bytes.Count(out, []byte{0}) == n
	fillOutside := bytes.Count(b, []byte{0xa5}) - bytes.Count(out, []byte{0xa5})
	if err != nil && got == nil && (untouched || wiped) && fillOutside == len(b)-n {
		return
	}
	t.Helper()
	what = fmt.Sprintf(what, args...)
	switch {
	case err == nil:
		t.Fatalf("Open takes %s", what)
	case got != nil:
		t.Fatalf("Open of %s returns an error and also %d bytes", what, len(got))
	case !untouched && !wiped:
		t.Fatalf("Open of %s leaves decrypted bytes in the destination", what)
	default:
		t.Fatalf("Open of %s writes outside the destination", what)
	}
}

func (c AEADCase) vectors(t testing.TB) {
	if len(c.Vectors) == 0 {
		t.Fatal("no test vectors")
	}
	for i, v := range c.Vectors {
		m := message{v.Nonce, v.Plaintext, v.AdditionalData, v.Ciphertext}
		tagSize := len(v.Ciphertext) - len(v.Plaintext)
		ref, err := c.Reference(v.Key, len(v.Nonce), tagSize)
		if err != nil {
			t.Fatal(err)
		}
		m.agrees(t, ref, nil, "vector %d by the reference", i)
		a, err := c.New(v.Key, len(v.Nonce), tagSize)
		if err != nil {
			t.Fatal(err)
		}
		m.agrees(t, a, nil, "vector %d", i)
	}
}

func (c AEADCase) sizes(t testing.TB) {
	r := newRandom(t)
	key := r.bytes(c.KeySize)
	for _, nonceSize := range c.NonceSizes {
		for _, tagSize := range c.TagSizes {
			a, err := c.New(key, nonceSize, tagSize)
			if err != nil {
				t.Fatalf("nonce size %d, tag size %d: %v", nonceSize, tagSize, err)
			}
			want := nonceSize
			if c.AnyNonce {
				want = c.NonceSizes[0]
			}
			if a.NonceSize() != want || a.Overhead() != tagSize {
				t.Errorf("NonceSize %d, Overhead %d; want %d and %d", a.NonceSize(), a.Overhead(), want, tagSize)
			}
			p := pair{r, key, a, must(c.Reference(key, nonceSize, tagSize))}
			for _, n := range []int{0, 1, 16, 100} {
				m := p.message(n, n%23)
				m.agrees(t, a, nil, "%d bytes, nonce size %d, tag size %d", n, nonceSize, tagSize)
				m.sealed[len(m.sealed)-1] ^= 1
				m.rejected(t, a, "a wrong tag of %d bytes", tagSize)
			}
		}
	}
	refused := func(nonceSize, tagSize int) {
		if _, err := c.New(key, nonceSize, tagSize); err == nil {
			t.Errorf("takes nonce size %d, tag size %d", nonceSize, tagSize)
		}
	}
	if len(c.TagSizes) > 1 {
		for tagSize := -1; tagSize <= 17; tagSize++ {
			if !slices.Contains(c.TagSizes, tagSize) {
				refused(c.NonceSizes[0], tagSize)
			}
		}
	}
	if len(c.NonceSizes) > 1 && !c.AnyNonce {
		refused(0, c.TagSizes[0])
		refused(-1, c.TagSizes[0])
	}
}

func (c AEADCase) lengths(t testing.TB) {
	p := c.pair(t)
	nonce, plaintext, data := p.bytes(p.ref.NonceSize()), p.bytes(maxLength), p.bytes(48)
	want, got := make([]byte, maxLength+p.ref.Overhead()), make([]byte, maxLength+p.ref.Overhead())
	for _, n := range lengths(1) {
		nonce[0]++
		m := message{nonce, plaintext[maxLength-n:], data[:n%len(data)], nil}
		m.sealed = p.ref.Seal(want[:0], m.nonce, m.plaintext, m.data)
		m.agrees(t, p.subject, got, "%d bytes", n)
	}
}

func (c AEADCase) additionalData(t testing.TB) {
	p := c.pair(t)
	sizes := []int{0, 31, 1, 16, 64, 257}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for n := range 301 {
		for _, plaintext := range sizes {
			m := p.message(plaintext, n)
			m.agrees(t, p.subject, nil, "%d bytes with %d of additional data", plaintext, n)
		}
	}
}

// append checks that Seal and Open append as the built-in function does: in place if
// there is room, without changing the memory after the result, and otherwise elsewhere.
func (c AEADCase) append(t testing.TB) {
	p := c.pair(t)
	for _, n := range []int{0, 1, 15, 16, 17, 64, 300, 1000} {
		m := p.message(n, 13)
		for _, op := range []struct {
			name string
			f    func(dst []byte) ([]byte, error)
			want []byte
		}{
			{"Seal", func(dst []byte) ([]byte, error) { return p.subject.Seal(dst, m.nonce, m.plaintext, m.data), nil }, m.sealed},
			{"Open", func(dst []byte) ([]byte, error) { return p.subject.Open(dst, m.nonce, m.sealed, m.data) }, m.plaintext},
		} {
			for _, prefix := range []string{"", "p", "a prefix longer than one block"} {
				want := append([]byte(prefix), op.want...)
				for _, room := range []int{0, len(op.want) - 1, len(op.want), len(op.want) + 40} {
					room = max(room, 0)
					b := bytes.Repeat([]byte{0xa5}, len(prefix)+room)
					copy(b, prefix)
					what := fmt.Sprintf("%s of %d bytes behind %d with room for %d", op.name, n, len(prefix), room)
					got, err := op.f(b[:len(prefix)])
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					equal(t, got, want, "%s", what)
					if room >= len(op.want) {
						equal(t, b[:len(want)], want, "%s: the caller's buffer", what)
					}
					equal(t, b[:len(prefix)], []byte(prefix), "%s: the prefix", what)
					for _, x := range b[min(len(want), len(b)):] {
						if x != 0xa5 {
							t.Fatalf("%s: writes behind the result", what)
						}
					}
				}
				got, err := op.f([]byte(prefix)[:len(prefix):len(prefix)])
				if err != nil {
					t.Fatal(err)
				}
				equal(t, got, want, "%s of %d bytes behind a full slice", op.name, n)
			}
			got, err := op.f(nil)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, got, op.want, "%s of %d bytes to nil", op.name, n)
		}
	}
	a := p.subject
	nonce := make([]byte, a.NonceSize())
	if got, err := a.Open(nil, nonce, a.Seal(nil, nonce, nil, nil), nil); err != nil || len(got) != 0 {
		t.Errorf("a message of nothing at all: %x, %v", got, err)
	}
}

// inPlace checks output that replaces the input, alone and after a header that is the
// additional data, and output that ends right before the input.
func (c AEADCase) inPlace(t testing.TB) {
	const header = 13
	p := c.pair(t)
	a := p.subject
	opened := func(got []byte, err error, m message, what string) {
		t.Helper()
		if err != nil {
			t.Fatalf("Open of %d bytes %s: %v", len(m.plaintext), what, err)
		}
		equal(t, got, m.plaintext, "Open of %d bytes %s", len(m.plaintext), what)
	}
	b := make([]byte, 2*(header+maxLength+a.Overhead()))
	for _, n := range fewLengths(1) {
		m := p.message(n, header)
		copy(b, m.plaintext)
		equal(t, a.Seal(b[:0], m.nonce, b[:n], m.data), m.sealed, "Seal of %d bytes in place", n)
		equal(t, b[:len(m.sealed)], m.sealed, "Seal of %d bytes in place: the buffer", n)
		got, err := a.Open(b[:0], m.nonce, b[:len(m.sealed)], m.data)
		opened(got, err, m, "in place")

		copy(b, m.data)
		copy(b[header:], m.plaintext)
		record := a.Seal(b[:header], m.nonce, b[header:header+n], b[:header])
		equal(t, record[header:], m.sealed, "Seal of %d bytes behind a header", n)
		equal(t, b[:header], m.data, "Seal of %d bytes: the header", n)
		got, err = a.Open(record[header:header], m.nonce, record[header:], record[:header])
		opened(got, err, m, "behind a header")

		copy(b[len(m.sealed):], m.plaintext)
		equal(t, a.Seal(b[:0], m.nonce, b[len(m.sealed):][:n], m.data), m.sealed, "Seal of %d bytes right behind the output", n)
		copy(b[n:], m.sealed)
		got, err = a.Open(b[:0], m.nonce, b[n:][:len(m.sealed)], m.data)
		opened(got, err, m, "right behind the output")

		copy(b, m.sealed)
		b[len(m.sealed)-1] ^= 0x80
		if got, err := a.Open(b[:0], m.nonce, b[:len(m.sealed)], m.data); err == nil || got != nil {
			t.Fatalf("Open of %d bytes in place takes a wrong tag", n)
		}
		if !bytes.Equal(b[:n], m.sealed[:n]) && bytes.Count(b[:n], []byte{0}) != n {
			t.Fatalf("Open of %d bytes in place leaves decrypted bytes of a wrong message", n)
		}
	}
}

// inputs checks that all inputs are left unchanged, and that the caller may change
// the key once the object has been created.
func (c AEADCase) inputs(t testing.TB) {
	p := c.pair(t)
	key := bytes.Clone(p.key)
	a, err := c.New(key, c.NonceSizes[0], c.TagSizes[0])
	if err != nil {
		t.Fatal(err)
	}
	equal(t, key, p.key, "the key")
	clear(key)
	for _, n := range []int{0, 1, 16, 100, 1000, maxLength} {
		m := p.message(n, 100)
		before := message{bytes.Clone(m.nonce), bytes.Clone(m.plaintext), bytes.Clone(m.data), bytes.Clone(m.sealed)}
		m.agrees(t, a, nil, "%d bytes with the caller's key overwritten", n)
		m.sealed[0] ^= 1
		m.rejected(t, a, "a flipped bit")
		m.sealed[0] ^= 1
		equal(t, m.nonce, before.nonce, "the nonce")
		equal(t, m.plaintext, before.plaintext, "the plaintext")
		equal(t, m.data, before.data, "the additional data")
		equal(t, m.sealed, before.sealed, "the ciphertext")
	}
}

func (c AEADCase) misuse(t testing.TB) {
	const overlap = "invalid buffer overlap"
	p := c.pair(t)
	a := p.subject
	for _, n := range []int{0, a.NonceSize() - 1, a.NonceSize() + 1} {
		if c.AnyNonce && n > 0 {
			continue
		}
		nonce := make([]byte, n)
		misuse(t, "nonce length", nil, "Seal with a nonce of another size", func() { a.Seal(nil, nonce, make([]byte, 20), nil) })
		misuse(t, "nonce length", nil, "Open with a nonce of another size", func() { a.Open(nil, nonce, make([]byte, 40), nil) })
	}
	for _, n := range []int{2, 16, 33, 300} {
		m := p.message(n, 20)
		b := p.bytes(4*len(m.sealed) + 64)
		at := len(m.sealed) + 20
		// The output of Seal has n+tag bytes at b[at:], that of Open n.
		for _, shift := range []int{1, n / 2, n - 1} {
			misuse(t, overlap, b, "Seal with the output inside the input", func() {
				a.Seal(b[at:at], m.nonce, b[at-shift:][:n], m.data)
			})
			misuse(t, overlap, b, "Seal with the input inside the output", func() {
				a.Seal(b[at:at], m.nonce, b[at+shift:][:n], m.data)
			})
			copy(b[at-shift:], m.sealed)
			misuse(t, overlap, b, "Open with the output inside the input", func() {
				a.Open(b[at:at], m.nonce, b[at-shift:][:len(m.sealed)], m.data)
			})
			copy(b[at+shift:], m.sealed)
			misuse(t, overlap, b, "Open with the input inside the output", func() {
				a.Open(b[at:at], m.nonce, b[at+shift:][:len(m.sealed)], m.data)
			})
		}
		misuse(t, overlap, b, "Seal with the input where the tag goes", func() {
			a.Seal(b[at:at], m.nonce, b[at+len(m.sealed)-1:][:n], m.data)
		})
		misuse(t, overlap, b, "Seal with additional data where the tag goes", func() {
			a.Seal(b[at:at], m.nonce, m.plaintext, b[at+len(m.sealed)-1:][:20])
		})
		for _, data := range []int{at - 19, at, at + n - 1} {
			misuse(t, overlap, b, "Seal with additional data inside the output", func() {
				a.Seal(b[at:at], m.nonce, m.plaintext, b[data:data+20])
			})
			misuse(t, overlap, b, "Open with additional data inside the output", func() {
				a.Open(b[at:at], m.nonce, m.sealed, b[data:data+20])
			})
		}
		m.agrees(t, a, nil, "%d bytes after calls that panicked", n)
	}
}

// forgeries flips every bit of short messages, and single bits throughout long ones.
func (c AEADCase) forgeries(t testing.TB) {
	p := c.pair(t)
	flip := func(m message, field []byte, bit int, what string) {
		field[bit/8] ^= 1 << (bit % 8)
		m.rejected(t, p.subject, "a message of %d bytes with bit %d of the %s flipped", len(m.plaintext), bit, what)
		field[bit/8] ^= 1 << (bit % 8)
	}
	for _, n := range []int{0, 1, 16, 33} {
		m := p.message(n, 20)
		for bit := range 8 * len(m.sealed) {
			flip(m, m.sealed, bit, "ciphertext and tag")
		}
		for bit := range 8 * len(m.data) {
			flip(m, m.data, bit, "additional data")
		}
		for bit := range 8 * len(m.nonce) {
			flip(m, m.nonce, bit, "nonce")
		}
		m.agrees(t, p.subject, nil, "%d bytes after forgeries", n)
	}
	long, stride := []int{261, 1029, maxLength}, 1
	if testing.Short() {
		long, stride = long[:2], 5
	}
	for _, n := range long {
		m := p.message(n, 300)
		for at := 0; at < len(m.sealed); at += 16 {
			flip(m, m.sealed, 8*min(at+p.IntN(16), len(m.sealed)-1)+p.IntN(8), "ciphertext and tag")
		}
		for at := p.IntN(stride); at < len(m.data); at += stride {
			flip(m, m.data, 8*at+p.IntN(8), "additional data")
		}
		for at := n; at < len(m.sealed); at++ {
			flip(m, m.sealed, 8*at+p.IntN(8), "ciphertext and tag")
		}
	}
}

// truncation removes bytes from a message or adds some.
func (c AEADCase) truncation(t testing.TB) {
	p := c.pair(t)
	for _, n := range []int{0, 1, 40} {
		m := p.message(n, 5)
		whole := m.sealed
		for cut := range len(whole) {
			m.sealed = whole[:cut]
			m.rejected(t, p.subject, "%d of %d bytes", cut, len(whole))
		}
		m.sealed = append(whole[:len(whole):len(whole)], 0)
		m.rejected(t, p.subject, "%d bytes and a zero", len(whole))
		m.sealed, m.data = whole, m.data[:4]
		m.rejected(t, p.subject, "%d bytes with the additional data cut", len(whole))
		m.data = append(m.data[:4:4], 0, 0)
		m.rejected(t, p.subject, "%d bytes with longer additional data", len(whole))
	}
	m := p.message(16, 16) // the boundary between the two must count
	m.data, m.sealed = append(m.data, m.sealed[:16]...), m.sealed[16:]
	m.rejected(t, p.subject, "ciphertext moved to the additional data")
}

func (c AEADCase) misaligned(t testing.TB) {
	p := c.pair(t)
	const longest, data = 600, 37
	src, dst, aad := aligned(64+longest+32), aligned(64+longest+32), aligned(64+data)
	for _, n := range []int{5, 16, longest} {
		m := p.message(n, data)
		offsets(func(i, j int) {
			in := src[i : i+n]
			copy(in, m.plaintext)
			ad := aad[(i+j)%64:][:data]
			copy(ad, m.data)
			equal(t, p.subject.Seal(dst[j:j], m.nonce, in, ad), m.sealed, "Seal of %d bytes from offset %d to offset %d", n, i, j)
			in = src[i : i+len(m.sealed)]
			copy(in, m.sealed)
			got, err := p.subject.Open(dst[j:j], m.nonce, in, ad)
			if err != nil {
				t.Fatalf("Open of %d bytes from offset %d to offset %d: %v", n, i, j, err)
			}
			equal(t, got, m.plaintext, "Open of %d bytes from offset %d to offset %d", n, i, j)
		})
	}
}

func (c AEADCase) guards(t testing.TB) {
	p := c.pair(t)
	const longest = maxLength + 32
	srcs, dsts, datas, nonces := newEdges(t, longest), newEdges(t, longest), newEdges(t, 301), newEdges(t, 64)
	try := func(n, additional int) {
		m := p.message(n, additional)
		for side := range sides {
			data, nonce := datas.put(side, m.data), nonces.put(side, m.nonce)
			src, dst := srcs.put(side, m.plaintext), dsts.at(side, len(m.sealed))
			inBounds(t, func() { p.subject.Seal(dst[:0], nonce, src, data) },
				"Seal of %d bytes with %d of additional data, inaccessible memory %s", n, additional, sides[side])
			equal(t, dst, m.sealed, "Seal of %d bytes with %d of additional data", n, additional)

			src, dst = srcs.put(side, m.sealed), dsts.at(side, n)
			var err error
			inBounds(t, func() { _, err = p.subject.Open(dst[:0], nonce, src, data) },
				"Open of %d bytes with %d of additional data, inaccessible memory %s", n, additional, sides[side])
			if err != nil {
				t.Fatalf("Open of %d bytes with %d of additional data: %v", n, additional, err)
			}
			equal(t, dst, m.plaintext, "Open of %d bytes with %d of additional data", n, additional)
		}
	}
	for _, n := range fewLengths(1) {
		try(n, n%67)
	}
	for n := range 301 {
		try(n%17, n)
	}
}

func (c AEADCase) longInputs(t testing.TB) {
	p := c.pair(t)
	for _, n := range longLengths(1) {
		if c.MaxSize > 0 {
			n = min(n, c.MaxSize-20-p.ref.Overhead())
		}
		m := p.message(n, 20)
		m.agrees(t, p.subject, nil, "%d bytes", n)
		m = p.message(20, n)
		m.agrees(t, p.subject, nil, "20 bytes with %d of additional data", n)
	}
}

// independent checks that two objects used alternately do not affect each other.
func (c AEADCase) independent(t testing.TB) {
	p, q := c.pair(t), c.pair(t)
	q.key = p.bytes(c.KeySize)
	q.subject = must(c.New(q.key, c.NonceSizes[0], c.TagSizes[0]))
	q.ref = must(c.Reference(q.key, c.NonceSizes[0], c.TagSizes[0]))
	for _, n := range []int{0, 5, 64, 1000, 3} {
		m, k := p.message(n, 5), q.message(n/2, 40)
		m.agrees(t, p.subject, nil, "%d bytes by the first of two objects", n)
		k.agrees(t, q.subject, nil, "%d bytes by the second of two objects", n/2)
		m.rejected(t, q.subject, "a message with another key")
	}
}

// concurrent uses one object from several goroutines, as an AEAD allows.
func (c AEADCase) concurrent(t testing.TB) {
	p := c.pair(t)
	var messages []message
	for n := 0; n <= 1200; n += 100 {
		messages = append(messages, p.message(n, n%64))
	}
	concurrently(func(i int) {
		var dst []byte
		for round := range 40 {
			m := messages[(round+i)%len(messages)]
			dst = p.subject.Seal(dst[:0], m.nonce, m.plaintext, m.data)
			if !bytes.Equal(dst, m.sealed) {
				t.Error(difference(dst, m.sealed, "Seal with other goroutines at work"))
				return
			}
			got, err := p.subject.Open(dst[:0], m.nonce, dst, m.data)
			if err != nil || !bytes.Equal(got, m.plaintext) {
				t.Errorf("Open with other goroutines at work: wrong, or %v", err)
				return
			}
		}
	})
}

func (c AEADCase) allocations(t testing.TB) {
	if c.Allocates {
		t.Skip("allocates")
	}
	p := c.pair(t)
	a := p.subject
	for _, n := range []int{0, 1, 16, 200, 1600} {
		m := p.message(n, 20)
		forged := bytes.Clone(m.sealed)
		forged[n] ^= 1
		dst := make([]byte, 0, len(m.sealed))
		NoAllocs(t, "Seal", func() { a.Seal(dst, m.nonce, m.plaintext, m.data) })
		NoAllocs(t, "Open", func() { a.Open(dst, m.nonce, m.sealed, m.data) })
		NoAllocs(t, "Open of a forgery", func() { a.Open(dst, m.nonce, forged, m.data) })
	}
}

// counterWrap makes the AEAD's 32-bit counter wrap before each of the first 260
// blocks.
func (c AEADCase) counterWrap(t testing.TB) {
	const blocks = 260
	p := c.pair(t)
	plaintext, data := p.bytes(16*blocks+5), p.bytes(20)
	for _, distance := range wraps(blocks) {
		var j0 [16]byte
		p.fill(j0[:])
		if distance%2 == 0 {
			clear(j0[:12])
			for i := range j0[:12] {
				j0[i] = 0xff // a carry beyond 32 bits would go a long way
			}
		}
		putCounter(j0[12:], distance)
		nonce := c.NonceFor(p.key, j0)
		p.subject = must(c.New(p.key, len(nonce), c.TagSizes[0]))
		p.ref = must(c.Reference(p.key, len(nonce), c.TagSizes[0]))
		m := p.seal(message{nonce: nonce, plaintext: plaintext, data: data})
		m.agrees(t, p.subject, nil, "a message with the counter wrapping at step %d", distance)
	}
}

// GCMNonce returns the 16-byte nonce for which GCM with this block cipher starts
// from the counter block j0 (NIST SP 800-38D, section 7.1, step 2: two steps of
// GHASH, which can be inverted).
func GCMNonce(b cipher.Block, j0 [16]byte) []byte {
	var h [16]byte
	b.Encrypt(h[:], h[:])
	inverse := load(h).inverse()
	y := load(j0).times(inverse) // GHASH before the last step, which adds the length block
	y.lo ^= 8 * 16
	return y.times(inverse).bytes()
}

// element is an element of GCM's field GF(2¹²⁸); the coefficient of x⁰ is the
// first bit of the block, so the highest one of hi.
type element struct{ hi, lo uint64 }

func load(b [16]byte) element {
	return element{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

func (x element) bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, x.hi), x.lo)
}

// times multiplies bit by bit (SP 800-38D, algorithm 1).
func (x element) times(y element) element {
	var z element
	for i := range 128 {
		bit := -(x.hi << i >> 63)
		if i >= 64 {
			bit = -(x.lo << (i - 64) >> 63)
		}
		z.hi ^= y.hi & bit
		z.lo ^= y.lo & bit
		carry := -(y.lo & 1)
		y.lo = y.lo>>1 | y.hi<<63
		y.hi = y.hi>>1 ^ 0xe1<<56&carry
	}
	return z
}

// inverse returns x to the power of 2¹²⁸-2, the product of x^(2^i) for i from 1
// to 127.
func (x element) inverse() element {
	z := element{hi: 1 << 63}
	for range 127 {
		x = x.times(x)
		z = z.times(x)
	}
	return z
}

// WycheproofAEAD runs a Wycheproof file of AEAD tests for keys of c.KeySize.
// For sizes that c does not list, New must either return an error or work correctly.
func WycheproofAEAD(t *testing.T, c AEADCase, fsys fs.FS, name string) {
	t.Helper()
	c.wycheproof(t, fsys, name)
}

func (c AEADCase) wycheproof(t testing.TB, fsys fs.FS, name string) {
	ran, refused := map[vectors.Result]int{}, 0
	for _, g := range vectors.Wycheproof[vectors.AEADGroup](t, fsys, name) {
		if g.KeySize != 8*c.KeySize {
			continue
		}
		listed := slices.Contains(c.NonceSizes, g.IVSize/8) && slices.Contains(c.TagSizes, g.TagSize/8)
		for _, test := range g.Tests {
			a, err := c.New(test.Key, g.IVSize/8, g.TagSize/8)
			if err != nil {
				if listed {
					t.Errorf("%s: test %d: %v", name, test.ID, err)
				}
				refused++
				continue
			}
			ran[test.Result]++
			m := message{test.IV, test.Plaintext, test.AAD, slices.Concat(test.Ciphertext, test.Tag)}
			if c.TagFirst {
				m.sealed = slices.Concat(test.Tag, test.Ciphertext)
			}
			switch test.Result {
			case vectors.Valid:
				m.agrees(t, a, nil, "test %d of %s (%s)", test.ID, name, test.Comment)
			case vectors.Invalid:
				m.rejected(t, a, "test %d of %s (%s)", test.ID, name, test.Comment)
			case vectors.Acceptable:
			default:
				t.Errorf("%s: test %d: result %q", name, test.ID, test.Result)
			}
		}
	}
	if ran[vectors.Valid] == 0 || ran[vectors.Invalid] == 0 {
		t.Errorf("%s: nothing to run for keys of %d bytes", name, c.KeySize)
	}
	t.Logf("%s: %d valid, %d invalid, %d refused for their sizes", name, ran[vectors.Valid], ran[vectors.Invalid], refused)
}
