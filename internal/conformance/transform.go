package conformance

import (
	"bytes"
	"testing"
)

// A Vector is a published test vector of a block cipher, a block mode or a
// stream. Block ciphers have no IV.
type Vector struct {
	Key, IV, Plaintext, Ciphertext []byte
}

// swapped returns the vectors for decryption, with input and output swapped.
func swapped(vectors []Vector) []Vector {
	var list []Vector
	for _, v := range vectors {
		list = append(list, Vector{v.Key, v.IV, v.Ciphertext, v.Plaintext})
	}
	return list
}

// A transform is the common part of streams, block modes and calls for many blocks.
// The output is as long as the input, and is the same whether the input comes in one
// call or in several, so one reference output serves for all lengths.
type transform struct {
	keySize, ivSize int  // ivSize 0: there is no IV and no state between calls
	unit            int  // the input is a multiple of this many bytes
	shared          bool // one object may be used from several goroutines

	subject, reference func(key, iv []byte) func(dst, src []byte)
}

// checks returns the checks of a call for any number of units.
func (x transform) checks() []check {
	return append(x.unitChecks(),
		check{"Splits", x.splits},
		check{"Long", x.longInputs},
		check{"Misuse", x.misuse})
}

// unitChecks returns the checks that also make sense for a call for a single unit.
func (x transform) unitChecks() []check {
	return []check{
		{"Lengths", x.lengths},
		{"InPlace", x.inPlace},
		{"Inputs", x.inputs},
		{"Bounds", x.bounds},
		{"Misaligned", x.misaligned},
		{"Guards", x.guards},
		{"Independent", x.independent},
		{"Concurrent", x.concurrent},
		{"Allocations", x.allocations},
	}
}

// A sample is an input with its key, its IV and the output of the reference.
type sample struct {
	key, iv, src, want []byte
}

func (x transform) sample(r random, n int) sample {
	s := sample{r.bytes(x.keySize), r.bytes(x.ivSize), r.bytes(n), make([]byte, n)}
	x.reference(s.key, s.iv)(s.want, s.src)
	return s
}

func (x transform) start(s sample) func(dst, src []byte) { return x.subject(s.key, s.iv) }

func (x transform) vectors(t testing.TB, vectors []Vector) {
	if len(vectors) == 0 {
		t.Fatal("no test vectors")
	}
	for i, v := range vectors {
		src, want := v.Plaintext, v.Ciphertext
		dst := make([]byte, len(src))
		x.reference(v.Key, v.IV)(dst, src)
		equal(t, dst, want, "vector %d: the reference", i)
		clear(dst)
		x.subject(v.Key, v.IV)(dst, src)
		equal(t, dst, want, "vector %d", i)
	}
}

func (x transform) lengths(t testing.TB) {
	r := newRandom(t)
	dst := make([]byte, maxLength)
	var s sample
	for i, n := range lengths(x.unit) {
		if i%256 == 0 {
			s = x.sample(r, maxLength)
		}
		clear(dst)
		x.start(s)(dst[:n], s.src[:n])
		equal(t, dst[:n], s.want[:n], "%d bytes", n)
	}
}

func (x transform) splits(t testing.TB) {
	r := newRandom(t)
	n := 592 / x.unit * x.unit
	s := x.sample(r, n)
	dst := make([]byte, n)
	for first := 0; first <= 272; first += x.unit {
		clear(dst)
		f := x.start(s)
		f(dst[:first], s.src[:first])
		f(dst[first:], s.src[first:])
		equal(t, dst, s.want, "%d bytes, then %d", first, n-first)
	}
	for range 40 {
		n := r.IntN(3000/x.unit) * x.unit
		s := x.sample(r, n)
		dst := make([]byte, n)
		pieces := r.pieces(n, x.unit)
		f, at := x.start(s), 0
		for _, p := range pieces {
			f(dst[at:at+p], s.src[at:at+p])
			at += p
		}
		equal(t, dst, s.want, "pieces of %v bytes", pieces)
	}
}

func (x transform) inPlace(t testing.TB) {
	s := x.sample(newRandom(t), maxLength)
	b := make([]byte, maxLength)
	for _, n := range fewLengths(x.unit) {
		copy(b, s.src)
		x.start(s)(b[:n], b[:n])
		equal(t, b[:n], s.want[:n], "%d bytes", n)
	}
}

// inputs checks that the source, the key and the IV are left unchanged, and that the
// caller may change the last two once the object has been created.
func (x transform) inputs(t testing.TB) {
	s := x.sample(newRandom(t), maxLength)
	key, iv, src := bytes.Clone(s.key), bytes.Clone(s.iv), bytes.Clone(s.src)
	dst := make([]byte, maxLength)
	f := x.subject(key, iv)
	f(dst, src)
	equal(t, src, s.src, "the source after the call")
	equal(t, key, s.key, "the key after the call")
	equal(t, iv, s.iv, "the IV after the call")

	f = x.subject(key, iv)
	clear(key)
	clear(iv)
	f(dst, src)
	equal(t, dst, s.want, "with the caller's key and IV overwritten")
}

// bounds checks that no byte of the destination is written beyond the length of
// the source, and that whatever lies there does not count as overlap.
func (x transform) bounds(t testing.TB) {
	const margin = 80
	s := x.sample(newRandom(t), maxLength)
	b := make([]byte, margin+maxLength+margin)
	for _, n := range fewLengths(x.unit) {
		for i := range b {
			b[i] = 0xa5
		}
		x.start(s)(b[margin:margin+n+margin], s.src[:n])
		equal(t, b[margin:margin+n], s.want[:n], "%d bytes into a longer destination", n)
		for i, c := range b {
			if c != 0xa5 && (i < margin || i >= margin+n) {
				t.Fatalf("%d bytes: writes byte %d of the destination", n, i-margin)
			}
		}
	}
	n := 256
	copy(b[n:], s.src[:n])
	x.start(s)(b[:2*n], b[n:2*n])
	equal(t, b[:n], s.want[:n], "a destination that ends where the source begins")
}

func (x transform) misaligned(t testing.TB) {
	s := x.sample(newRandom(t), 608)
	src, dst := aligned(64+608), aligned(64+608)
	for _, n := range multiples(x.unit, []int{1, 16, 33, 607, 608}) {
		offsets(func(i, j int) {
			copy(src[i:], s.src[:n])
			clear(dst)
			x.start(s)(dst[j:j+n], src[i:i+n])
			equal(t, dst[j:j+n], s.want[:n], "%d bytes from offset %d to offset %d", n, i, j)
		})
	}
}

func (x transform) guards(t testing.TB) {
	s := x.sample(newRandom(t), 16+maxLength)
	srcs, dsts := newEdges(t, maxLength), newEdges(t, maxLength)
	var start [16]byte
	for _, n := range fewLengths(x.unit) {
		leads := []int{0}
		if x.unit == 1 && x.ivSize > 0 {
			leads = append(leads, 1+n%15) // begins inside a block
		}
		for _, lead := range leads {
			want := s.want[lead:][:n]
			for side := range sides {
				src, dst := srcs.put(side, s.src[lead:][:n]), dsts.at(side, n)
				clear(dst)
				f := x.start(s)
				f(start[:lead], s.src[:lead])
				inBounds(t, func() { f(dst, src) }, "%d bytes after %d, inaccessible memory %s", n, lead, sides[side])
				equal(t, dst, want, "%d bytes after %d", n, lead)
			}
		}
	}
}

func (x transform) longInputs(t testing.TB) {
	list := longLengths(x.unit)
	n := list[len(list)-1] + x.unit
	s := x.sample(newRandom(t), n)
	dst := make([]byte, n)
	for _, n := range list {
		clear(dst)
		f := x.start(s)
		if x.ivSize > 0 { // the cuts fall inside blocks
			f(dst[:x.unit], s.src[:x.unit])
			f(dst[x.unit:n], s.src[x.unit:n])
		} else {
			f(dst[:n], s.src[:n])
		}
		equal(t, dst[:n], s.want[:n], "%d bytes", n)
	}
}

// independent checks that two objects used at the same time do not affect each other.
func (x transform) independent(t testing.TB) {
	r := newRandom(t)
	n := 960
	a, b := x.sample(r, n), x.sample(r, n)
	dstA, dstB := make([]byte, n), make([]byte, n)
	f, g := x.start(a), x.start(b)
	at := 0
	for _, p := range r.pieces(n, x.unit) {
		f(dstA[at:at+p], a.src[at:at+p])
		g(dstB[at:at+p], b.src[at:at+p])
		at += p
	}
	equal(t, dstA, a.want, "the first of two objects")
	equal(t, dstB, b.want, "the second of two objects")
}

func (x transform) concurrent(t testing.TB) {
	s := x.sample(newRandom(t), 1200)
	shared := x.start(s)
	concurrently(func(i int) {
		dst := make([]byte, len(s.src))
		for round := range 40 {
			n := (100*round%1100 + 17*i) / x.unit * x.unit
			f := shared
			if !x.shared {
				f = x.start(s)
			}
			f(dst[:n], s.src[:n])
			if !bytes.Equal(dst[:n], s.want[:n]) {
				t.Error(difference(dst[:n], s.want[:n], "with other goroutines at work"))
				return
			}
		}
	})
}

func (x transform) allocations(t testing.TB) {
	s := x.sample(newRandom(t), 1600)
	dst := make([]byte, len(s.src))
	f := x.start(s)
	for _, n := range multiples(x.unit, []int{1, 16, 63, 64, 1600}) {
		NoAllocs(t, "one call", func() { f(dst[:n], s.src[:n]) })
	}
}

// misuse checks the panics of a call for any number of units, and that a call that
// panics does not change the state.
func (x transform) misuse(t testing.TB) {
	s := x.sample(newRandom(t), 640)
	f := x.start(s)
	dst := make([]byte, len(s.src))
	for _, n := range []int{x.unit, 16, 64, 320} {
		for _, short := range []int{0, n - x.unit, n - 1} {
			misuse(t, "output smaller than input", dst, "short destination", func() { f(dst[:short], s.src[:n]) })
		}
		for _, shift := range []int{1, x.unit, n / 2, n - 1} {
			if shift >= n || shift == 0 {
				continue
			}
			b := bytes.Clone(s.src)
			misuse(t, "invalid buffer overlap", b, "destination inside the source", func() { f(b[shift:shift+n], b[:n]) })
			misuse(t, "invalid buffer overlap", b, "source inside the destination", func() { f(b[:n], b[shift:shift+n]) })
		}
		if x.unit > 1 {
			for _, partial := range []int{1, n - 1, n + 1} {
				misuse(t, "input not full blocks", dst, "partial block", func() { f(dst, s.src[:partial]) })
			}
		}
	}
	f(dst, s.src)
	equal(t, dst, s.want, "after calls that panicked")
}

// ivs checks that IVs of other sizes are rejected.
func (x transform) ivs(t testing.TB) {
	r := newRandom(t)
	key := r.bytes(x.keySize)
	for _, n := range []int{0, x.ivSize - 1, x.ivSize + 1, 2 * x.ivSize} {
		misuse(t, "IV length", nil, "IV of another size", func() { x.subject(key, r.bytes(n)) })
	}
}
