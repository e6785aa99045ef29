package conformance

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"hash"
	"slices"
	"testing"

	"github.com/cipherlane/cipherlane/internal/clone"
)

// HashCase is a hash function under test. Its objects must implement
// [hash.Cloner] and the binary marshaling interfaces. When those of Reference do
// too, either side must be able to continue from the other's state.
type HashCase struct {
	New, Reference func() hash.Hash

	// Sum appends the digest of p to dst by way of the one-shot function; nil
	// if there is none.
	Sum func(dst, p []byte) []byte

	// Layout returns the parts of a marshaled state that hold the chaining
	// value, in the byte order of the digest, and the big-endian number of
	// bytes hashed. It is for Merkle-Damgård hashes with a length field of 64
	// bits at the end of the padding; nil for others.
	Layout func(state []byte) (chaining, length []byte)

	// Opaque is set if the state cannot be marshaled because it is not in the object.
	Opaque bool

	Vectors []HashVector
}

// A HashVector is a published test vector of a hash function.
type HashVector struct {
	Message, Digest []byte
}

// Hash tests a hash function.
func Hash(t *testing.T, c HashCase) {
	t.Helper()
	run(t, c.checks())
}

func (c HashCase) checks() []check {
	list := []check{
		{"Vectors", c.vectors},
		{"Sizes", c.sizes},
		{"Lengths", c.lengths},
		{"Splits", c.splits},
		{"Sum", c.sum},
		{"Reset", c.reset},
		{"Clone", c.clone},
		{"Marshal", c.marshal},
		{"Unmarshal", c.unmarshal},
		{"Inputs", c.inputs},
		{"Misaligned", c.misaligned},
		{"Guards", c.guards},
		{"Long", c.longInputs},
		{"Independent", c.independent},
		{"Concurrent", c.concurrent},
		{"Allocations", c.allocations},
	}
	if c.Layout != nil {
		list = append(list, check{"Count", c.count})
	}
	if c.Opaque {
		list = slices.DeleteFunc(list, func(x check) bool { return x.name == "Marshal" || x.name == "Unmarshal" })
	}
	return list
}

// state is the interface that the objects of a hash function must implement.
type state interface {
	clone.Cloner
	encoding.BinaryMarshaler
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

func digest(h hash.Hash, p []byte) []byte {
	h.Reset()
	h.Write(p)
	return h.Sum(nil)
}

// after returns an object that has hashed p.
func (c HashCase) after(p []byte) hash.Hash {
	h := c.New()
	h.Write(p)
	return h
}

// state is like after, but returns the object with the methods that a hash.Hash need
// not have.
func (c HashCase) state(t testing.TB, p []byte) state {
	h, ok := c.after(p).(state)
	if !ok {
		t.Fatalf("%T does not implement hash.Cloner and encoding.Binary{Marshaler,Appender,Unmarshaler}", c.New())
	}
	return h
}

func (c HashCase) vectors(t testing.TB) {
	if len(c.Vectors) == 0 {
		t.Fatal("no test vectors")
	}
	for i, v := range c.Vectors {
		equal(t, digest(c.Reference(), v.Message), v.Digest, "vector %d: the reference", i)
		equal(t, digest(c.New(), v.Message), v.Digest, "vector %d", i)
		if c.Sum != nil {
			equal(t, c.Sum(nil, v.Message), v.Digest, "vector %d: one-shot", i)
		}
	}
}

func (c HashCase) sizes(t testing.TB) {
	h, ref := c.New(), c.Reference()
	if h.Size() != ref.Size() || h.BlockSize() != ref.BlockSize() {
		t.Errorf("size %d, block size %d; want %d and %d", h.Size(), h.BlockSize(), ref.Size(), ref.BlockSize())
	}
	if n := len(h.Sum(nil)); n != h.Size() {
		t.Errorf("Sum returns %d bytes, Size says %d", n, h.Size())
	}
}

func (c HashCase) lengths(t testing.TB) {
	p := newRandom(t).bytes(maxLength)
	h, ref := c.New(), c.Reference()
	for _, n := range lengths(1) {
		p := p[maxLength-n:]
		want := digest(ref, p)
		h.Reset()
		if m, err := h.Write(p); m != n || err != nil {
			t.Fatalf("Write of %d bytes: %d, %v", n, m, err)
		}
		equal(t, h.Sum(nil), want, "%d bytes", n)
		if c.Sum != nil {
			equal(t, c.Sum(nil, p), want, "%d bytes, one-shot", n)
		}
	}
}

func (c HashCase) splits(t testing.TB) {
	r := newRandom(t)
	h, ref := c.New(), c.Reference()
	size := h.BlockSize()
	p := r.bytes(3*size + 1)
	var want [][]byte
	for n := range len(p) + 1 {
		want = append(want, digest(ref, p[:n]))
	}
	for first := range size + 1 {
		for second := range 2*size + 2 {
			h.Reset()
			h.Write(p[:first])
			h.Write(p[first : first+second])
			equal(t, h.Sum(nil), want[first+second], "%d bytes, then %d", first, second)
		}
	}
	for range 40 {
		p := r.bytes(r.IntN(3000))
		pieces := r.pieces(len(p), 1)
		h.Reset()
		at := 0
		for _, n := range pieces {
			h.Write(p[at : at+n])
			at += n
		}
		equal(t, h.Sum(nil), digest(ref, p), "pieces of %v bytes", pieces)
	}
}

// fills calls f with every number of bytes that a buffer of one block may hold
// when some blocks are done already, or none.
func (c HashCase) fills(f func(n int)) {
	size := c.Reference().BlockSize()
	for n := range size + 1 {
		f(n)
		f(3*size + n)
	}
}

// sum checks that Sum appends, and that it changes neither the state nor the memory
// before and after its result.
func (c HashCase) sum(t testing.TB) {
	p := newRandom(t).bytes(4 * c.Reference().BlockSize())
	whole := digest(c.Reference(), p)
	c.fills(func(n int) {
		h := c.after(p[:n])
		want := digest(c.Reference(), p[:n])
		equal(t, h.Sum(nil), want, "Sum after %d bytes", n)
		equal(t, h.Sum(nil), want, "second Sum after %d bytes", n)

		prefix := []byte("prefix")
		equal(t, h.Sum(prefix[:6:6]), append([]byte("prefix"), want...), "Sum behind a prefix")
		room := bytes.Repeat([]byte{0xa5}, len(prefix)+len(want)+1)
		copy(room, prefix)
		got := h.Sum(room[:6])
		equal(t, got, append([]byte("prefix"), want...), "Sum behind a prefix with room")
		equal(t, room[:len(got)], got, "where there was room")
		if room[len(got)] != 0xa5 {
			t.Fatal("Sum writes behind its result")
		}

		h.Write(p[n:])
		equal(t, h.Sum(nil), whole, "bytes written after Sum at %d", n)
	})
}

func (c HashCase) reset(t testing.TB) {
	p := newRandom(t).bytes(4 * c.Reference().BlockSize())
	empty, five := digest(c.Reference(), nil), digest(c.Reference(), p[:5])
	c.fills(func(n int) {
		h := c.after(p[:n])
		h.Reset()
		equal(t, h.Sum(nil), empty, "Reset after %d bytes", n)
		h.Write(p[:5])
		equal(t, h.Sum(nil), five, "5 bytes and Reset after %d bytes", n)
	})
}

func (c HashCase) clone(t testing.TB) {
	r := newRandom(t)
	size := c.Reference().BlockSize()
	p, a, b := r.bytes(4*size), r.bytes(2*size), r.bytes(2*size)
	c.fills(func(n int) {
		h, ok := c.after(p[:n]).(clone.Cloner)
		if !ok {
			t.Fatalf("%T does not implement hash.Cloner", c.New())
		}
		g, err := h.Clone()
		if err != nil {
			t.Fatal(err)
		}
		h.Write(a)
		g.Write(b)
		equal(t, h.Sum(nil), digest(c.Reference(), append(p[:n:n], a...)), "the original, cloned after %d bytes", n)
		equal(t, g.Sum(nil), digest(c.Reference(), append(p[:n:n], b...)), "the clone after %d bytes", n)
	})
}

func (c HashCase) marshal(t testing.TB) {
	p := newRandom(t).bytes(6 * c.Reference().BlockSize())
	whole := digest(c.Reference(), p)
	proceed := func(h hash.Hash, state []byte, n int, what string) {
		h.Write(p[:11]) // must be forgotten
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		clear(state) // belongs to the caller
		h.Write(p[n:])
		equal(t, h.Sum(nil), whole, "%s after %d bytes", what, n)
	}
	c.fills(func(n int) {
		h := c.state(t, p[:n])
		state, err := h.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		appended, err := h.AppendBinary([]byte("prefix"))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, appended, append([]byte("prefix"), state...), "AppendBinary")
		ref := c.Reference()
		if _, ok := ref.(encoding.BinaryUnmarshaler); ok {
			proceed(ref, bytes.Clone(state), n, "the reference with the state of the subject")
			ref := c.Reference()
			ref.Write(p[:n])
			state, err := ref.(encoding.BinaryMarshaler).MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			proceed(c.New(), state, n, "the subject with the state of the reference")
		}
		proceed(c.New(), state, n, "with the state restored")
		h.Write(p[n:])
		equal(t, h.Sum(nil), whole, "after MarshalBinary at %d bytes", n)
	})
}

// unmarshal checks that invalid states are rejected.
func (c HashCase) unmarshal(t testing.TB) {
	h := c.state(t, []byte("abc"))
	state, err := h.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	magic := bytes.Clone(state)
	magic[0] ^= 1
	for _, bad := range []struct {
		what  string
		state []byte
	}{
		{"an empty state", nil},
		{"a state cut to its first byte", state[:1]},
		{"a state cut in half", state[:len(state)/2]},
		{"a state one byte short", state[:len(state)-1]},
		{"a state one byte long", append(state[:len(state):len(state)], 0)},
		{"a state with another magic", magic},
	} {
		if c.New().(encoding.BinaryUnmarshaler).UnmarshalBinary(bad.state) == nil {
			t.Errorf("takes %s", bad.what)
		}
	}
}

func (c HashCase) inputs(t testing.TB) {
	p := newRandom(t).bytes(maxLength)
	before := bytes.Clone(p)
	h := c.after(p)
	want := h.Sum(nil)
	equal(t, p, before, "the input of Write")
	if c.Sum != nil {
		c.Sum(nil, p)
		equal(t, p, before, "the input of the one-shot function")
	}
	h = c.New()
	for i := range p {
		h.Write(p[i : i+1])
		p[i] = 0 // belongs to the caller again
	}
	equal(t, h.Sum(nil), want, "written byte by byte, each overwritten afterwards")
}

func (c HashCase) misaligned(t testing.TB) {
	size := c.Reference().BlockSize()
	p := newRandom(t).bytes(17*size + 5)
	b := aligned(64 + len(p))
	h := c.New()
	for _, n := range []int{1, size, 3*size + 1, len(p)} {
		want := digest(c.Reference(), p[:n])
		for i := range 64 {
			copy(b[i:], p[:n])
			equal(t, digest(h, b[i:i+n]), want, "%d bytes from offset %d", n, i)
			if c.Sum != nil {
				equal(t, c.Sum(nil, b[i:i+n]), want, "%d bytes from offset %d, one-shot", n, i)
			}
		}
	}
}

func (c HashCase) guards(t testing.TB) {
	p := newRandom(t).bytes(maxLength)
	srcs, dsts := newEdges(t, maxLength), newEdges(t, 64)
	h, ref := c.New(), c.Reference()
	for _, n := range fewLengths(1) {
		want := digest(ref, p[:n])
		for side := range sides {
			src, dst := srcs.put(side, p[:n]), dsts.at(side, h.Size())
			inBounds(t, func() {
				h.Reset()
				h.Write(src)
				h.Sum(dst[:0])
			}, "%d bytes, inaccessible memory %s", n, sides[side])
			equal(t, dst, want, "%d bytes", n)

			first := n / 3
			inBounds(t, func() {
				h.Reset()
				h.Write(src[:first])
				h.Write(src[first:])
			}, "%d bytes, then %d, inaccessible memory %s", first, n-first, sides[side])
			equal(t, h.Sum(dst[:0]), want, "%d bytes, then %d", first, n-first)

			if c.Sum != nil {
				inBounds(t, func() { c.Sum(dst[:0], src) }, "%d bytes, one-shot, inaccessible memory %s", n, sides[side])
				equal(t, dst, want, "%d bytes, one-shot", n)
			}
		}
	}
}

func (c HashCase) longInputs(t testing.TB) {
	list := longLengths(1)
	p := newRandom(t).bytes(list[len(list)-1])
	for _, n := range list {
		want := digest(c.Reference(), p[:n])
		equal(t, digest(c.New(), p[:n]), want, "%d bytes", n)
		h := c.after(p[:1]) // the cuts fall inside blocks
		h.Write(p[1:n])
		equal(t, h.Sum(nil), want, "1 byte, then %d", n-1)
		if c.Sum != nil {
			equal(t, c.Sum(nil, p[:n]), want, "%d bytes, one-shot", n)
		}
	}
}

// independent checks that two objects used at the same time do not affect each other.
func (c HashCase) independent(t testing.TB) {
	r := newRandom(t)
	a, b := r.bytes(960), r.bytes(960)
	h, g := c.New(), c.New()
	at := 0
	for _, n := range r.pieces(len(a), 1) {
		h.Write(a[at : at+n])
		g.Write(b[at : at+n])
		if c.Sum != nil {
			c.Sum(nil, b[:n])
		}
		at += n
	}
	equal(t, h.Sum(nil), digest(c.Reference(), a), "the first of two objects")
	equal(t, g.Sum(nil), digest(c.Reference(), b), "the second of two objects")
}

func (c HashCase) concurrent(t testing.TB) {
	p := newRandom(t).bytes(1200)
	want := make([][]byte, len(p))
	for n := range p {
		if n%100 == 0 {
			want[n] = digest(c.Reference(), p[:n])
		}
	}
	concurrently(func(i int) {
		h := c.New()
		for round := range 40 {
			n := 100 * ((round + i) % 12)
			got := digest(h, p[:n])
			if round%2 == 1 && c.Sum != nil {
				got = c.Sum(nil, p[:n])
			}
			if !bytes.Equal(got, want[n]) {
				t.Error(difference(got, want[n], "with other goroutines at work"))
				return
			}
		}
	})
}

func (c HashCase) allocations(t testing.TB) {
	p := newRandom(t).bytes(1600)
	h := c.New()
	dst := make([]byte, 0, h.Size())
	for _, n := range []int{1, h.BlockSize(), 1600} {
		NoAllocs(t, "Write", func() { h.Write(p[:n]) })
		NoAllocs(t, "Sum", func() { h.Sum(dst) })
		NoAllocs(t, "Reset", h.Reset)
		if c.Sum != nil {
			NoAllocs(t, "one-shot", func() { c.Sum(dst, p[:n]) })
		}
	}
}

// count checks the length field of the padding for messages too long to be hashed in
// a test. It unmarshals a state that claims to have hashed that many bytes. Hashing
// the expected padding as data must leave the digest as the chaining value.
func (c HashCase) count(t testing.TB) {
	r := newRandom(t)
	size := c.Reference().BlockSize()
	start, tail := r.bytes(2*size), r.bytes(2*size)
	marshal := func(h state) []byte {
		s, err := h.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, bits := range []int{29, 32, 35, 48, 60} {
		for _, n := range []int{0, 5, size - 9, size - 8, size - 1, size, size + 5} {
			hashed := uint64(1)<<bits - uint64(size)
			claim := marshal(c.state(t, start))
			_, length := c.Layout(claim)
			binary.BigEndian.PutUint64(length, hashed)
			h := c.New()
			if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(claim); err != nil {
				t.Fatalf("a state of %d bytes: %v", hashed, err)
			}
			h.Write(tail[:n])
			got := h.Sum(nil)

			padded := append(start[:len(start):len(start)], tail[:n]...)
			padded = append(padded, 0x80)
			for len(padded)%size != size-8 {
				padded = append(padded, 0)
			}
			padded = binary.BigEndian.AppendUint64(padded, 8*(hashed+uint64(n)))
			want, _ := c.Layout(marshal(c.state(t, padded)))
			equal(t, got, want, "%d bytes", hashed+uint64(n))
		}
	}
}
