package chunked

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/iotest"
)

func newTestReaderAt(t testing.TB, sealed []byte, s Suite, n int) *ReaderAt {
	t.Helper()
	r, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), s, testKey(s), testContext, WithConcurrency(n))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkReadAt compares one read with the same read of a bytes.Reader.
func checkReadAt(t *testing.T, r *ReaderAt, p []byte, off int64, size int) {
	t.Helper()
	const guard = 64
	got := make([]byte, size+guard)
	want := make([]byte, size)
	n, err := r.ReadAt(got[:size], off)
	wantN, wantErr := 0, error(nil)
	if size > 0 { // bytes.Reader has io.EOF for an empty read, too
		wantN, wantErr = bytes.NewReader(p).ReadAt(want, off)
	}
	if n != wantN || err != wantErr || !bytes.Equal(got[:n], want[:n]) {
		t.Errorf("of %d bytes, %d at %d: %d, %v, want %d, %v", len(p), size, off, n, err, wantN, wantErr)
	}
	if !bytes.Equal(got[size:], make([]byte, guard)) {
		t.Errorf("of %d bytes, %d at %d: wrote behind the buffer", len(p), size, off)
	}
}

func TestReaderAt(t *testing.T) {
	twoSuites(t, func(t *testing.T, s Suite) {
		all := plaintext(5<<20 + 12345)
		random := rand.New(rand.NewPCG(1, 2))
		for _, total := range someSizes(s) {
			p := all[:total]
			sealed := specSeal(t, s, testKey(s), testSalt, testContext, p)
			for _, n := range concurrencies {
				r := newTestReaderAt(t, sealed, s, n)
				// Before anything else, reads that end at the end of the message.
				checkReadAt(t, r, p, int64(total), 1)
				checkReadAt(t, r, p, 0, total)
				checkReadAt(t, r, p, 0, total+1)
				if size, err := r.Size(); size != int64(total) || err != nil {
					t.Fatalf("Size: %d, %v, want %d", size, err, total)
				}
				for _, off := range []int{total - 1, total, total + 1, 0, ChunkSize - 1, ChunkSize, ChunkSize + 1, math.MaxInt} {
					for _, size := range []int{0, 1, 2, ChunkSize - 1, ChunkSize, ChunkSize + 1, 3 * ChunkSize} {
						if off >= 0 {
							checkReadAt(t, r, p, int64(off), size)
						}
					}
				}
				for range 5 {
					off := random.IntN(total + 1)
					checkReadAt(t, r, p, int64(off), random.IntN(total-off+100))
				}
			}
		}
	})
}

// Every read that touches the end proves it first: each on a reader of its own.
func TestReaderAtEnd(t *testing.T) {
	s := AES128GCM()
	for _, total := range []int{0, 1, ChunkSize - 1, ChunkSize, ChunkSize + 1, 2 * ChunkSize} {
		p := plaintext(total)
		sealed := seal(t, s, p)
		for i := range Overhead {
			bad := bytes.Clone(sealed)
			bad[len(bad)-1-i] ^= 1
			last := &ChunkError{Chunk: int64(total / ChunkSize), Last: true}
			if _, err := newTestReaderAt(t, bad, s, 1).Size(); !sameError(err, last) {
				t.Errorf("%d bytes: Size: %v, want %v", total, err, last)
			}
			for _, off := range []int{total, total + 1, total + ChunkSize, math.MaxInt} {
				n, err := newTestReaderAt(t, bad, s, 1).ReadAt(make([]byte, 10), int64(off))
				if n != 0 || !sameError(err, last) {
					t.Errorf("%d bytes: at %d: %d, %v, want %v", total, off, n, err, last)
				}
			}
			good := total / ChunkSize * ChunkSize
			n, err := newTestReaderAt(t, bad, s, 1).ReadAt(make([]byte, total+1), 0)
			if n != good || !sameError(err, last) {
				t.Errorf("%d bytes: all: %d, %v, want %d, %v", total, n, err, good, last)
			}
			// But a read of authentic chunks is good.
			if n, err := newTestReaderAt(t, bad, s, 1).ReadAt(make([]byte, good), 0); n != good || err != nil {
				t.Errorf("%d bytes: whole chunks: %d, %v, want %d", total, n, err, good)
			}
		}
	}
}

func TestReaderAtDamages(t *testing.T) {
	twoSuites(t, func(t *testing.T, s Suite) {
		for _, size := range []int{0, 1, 100, ChunkSize - 1, ChunkSize, ChunkSize + 1, 3 * ChunkSize, 4*ChunkSize + 7, 18*ChunkSize + 100} {
			if testing.Short() && size > 5*ChunkSize {
				continue
			}
			p := plaintext(size)
			for _, d := range damages(t, s, p) {
				for _, n := range concurrencies {
					r, err := NewReaderAt(bytes.NewReader(d.sealed), int64(len(d.sealed)), s, testKey(s), testContext, WithConcurrency(n))
					// A length that no message has is seen first.
					want := d.err
					if _, err := PlaintextSize(int64(len(d.sealed))); err != nil {
						want = err
					}
					if want == ErrHeader || want == ErrTruncated || want == ErrCommitment {
						if err != want {
							t.Errorf("%d bytes, %s: %v, want %v", size, d.name, err, want)
						}
						continue
					}
					if err != nil {
						t.Fatalf("%d bytes, %s: %v", size, d.name, err)
					}
					got := make([]byte, len(d.sealed))
					k, err := r.ReadAt(got, 0)
					if k != d.good || !bytes.Equal(got[:k], p[:d.good]) || !sameError(err, d.err) {
						t.Errorf("%d bytes, %s, concurrency %d: %d, %v, want %d, %v", size, d.name, n, k, err, d.good, d.err)
					}
					if want := d.err.(*ChunkError); want.Last {
						if _, err := r.Size(); !sameError(err, want) {
							t.Errorf("%d bytes, %s: Size: %v, want %v", size, d.name, err, want)
						}
					}
				}
			}
		}
	})
}

// heldReaderAt delays the read of the first chunk until another chunk has been read.
type heldReaderAt struct {
	io.ReaderAt
	once  sync.Once
	other chan struct{}
}

func (r *heldReaderAt) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case off < HeaderSize:
	case off == HeaderSize:
		<-r.other
	default:
		defer r.once.Do(func() { close(r.other) })
	}
	return r.ReaderAt.ReadAt(p, off)
}

// Plaintext that other goroutines have read after a damaged chunk is not returned.
func TestReaderAtNothingLeftBehindAnError(t *testing.T) {
	s := AES128GCM()
	sealed := seal(t, s, plaintext(64*ChunkSize))
	sealed[HeaderSize] ^= 1
	src := &heldReaderAt{ReaderAt: bytes.NewReader(sealed), other: make(chan struct{})}
	r, err := NewReaderAt(src, int64(len(sealed)), s, testKey(s), testContext, WithConcurrency(2))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 64*ChunkSize)
	if n, err := r.ReadAt(got, 0); n != 0 || !sameError(err, &ChunkError{Chunk: 0}) {
		t.Errorf("%d, %v", n, err)
	}
	if !bytes.Equal(got, make([]byte, len(got))) {
		t.Error("plaintext is left behind the error")
	}
}

// A read of part of a chunk opens the whole chunk, and wipes the rest.
func TestReaderAtScratchIsWiped(t *testing.T) {
	s := AES128GCM()
	r := newTestReaderAt(t, seal(t, s, plaintext(3*ChunkSize)), s, 1)
	if _, err := r.ReadAt(make([]byte, 100), ChunkSize+50); err != nil {
		t.Fatal(err)
	}
	b := r.scratch.Get().(*batch) // under the race detector, maybe another one
	if out := b.out[:cap(b.out)]; !bytes.Equal(out, make([]byte, len(out))) {
		t.Error("plaintext is left in the scratch")
	}
}

// One ReaderAt serves many goroutines.
func TestReaderAtConcurrent(t *testing.T) {
	s := fastSuite()
	p := plaintext(1<<20 + 999)
	for _, n := range concurrencies {
		r := newTestReaderAt(t, seal(t, s, p), s, n)
		var group sync.WaitGroup
		for i := range 8 {
			random := rand.New(rand.NewPCG(3, uint64(i)))
			group.Add(1)
			go func() {
				defer group.Done()

				for range 8 {
					off := random.IntN(len(p) + 1)
					checkReadAt(t, r, p, int64(off), random.IntN(len(p)-off+1))
					checkReadAt(t, r, p, int64(off), random.IntN(200))
				}
				if size, err := r.Size(); size != int64(len(p)) || err != nil {
					t.Errorf("Size: %d, %v", size, err)
				}
			}()
		}
		group.Wait()
	}
}

func TestReaderAtSection(t *testing.T) {
	s := AES128GCM()
	p := plaintext(500) // iotest reads bytewise: a chunk for every byte
	r := newTestReaderAt(t, seal(t, s, p), s, 2)
	size, err := r.Size()
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(io.NewSectionReader(r, 0, size), p); err != nil {
		t.Error(err)
	}
	if _, err := r.ReadAt(make([]byte, 1), -1); err == nil || err == io.EOF {
		t.Errorf("negative offset: %v", err)
	}
	if n, err := r.ReadAt(nil, 0); n != 0 || err != nil {
		t.Errorf("nothing: %d, %v", n, err)
	}
}

// readerAt fails from some offset on, and returns io.EOF with the last bytes.
type readerAt struct {
	p    []byte
	from int64
	err  error
}

func (r readerAt) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > r.from {
		n := max(0, min(len(p), int(r.from-off)))
		copy(p[:n], r.p[off:])
		return n, r.err
	}
	n := copy(p, r.p[off:])
	if off+int64(n) == int64(len(r.p)) {
		return n, io.EOF
	}
	return n, nil
}

func TestReaderAtSourceErrors(t *testing.T) {
	s := fastSuite()
	p := plaintext(100 * ChunkSize)
	sealed := seal(t, s, p)
	open := func(src io.ReaderAt, n int) (*ReaderAt, error) {
		return NewReaderAt(src, int64(len(sealed)), s, testKey(s), testContext, WithConcurrency(n))
	}
	for _, n := range concurrencies {
		r, err := open(readerAt{p: sealed, from: math.MaxInt64}, n)
		if err != nil {
			t.Fatal(err)
		}
		checkReadAt(t, r, p, 0, len(p)+1)

		// A source that is shorter than the given size is not a clean end.
		for said, want := range map[error]error{errDisk: errDisk, io.EOF: io.ErrUnexpectedEOF, nil: io.ErrUnexpectedEOF} {
			if _, err := open(readerAt{p: sealed, from: 55, err: said}, n); err != want {
				t.Errorf("header: %v, want %v", err, want)
			}
			r, err := open(readerAt{p: sealed, from: 56 + 70*16400, err: said}, n)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(p))
			k, err := r.ReadAt(got, 0)
			if err != want || k > 70*ChunkSize || k%ChunkSize != 0 || !bytes.Equal(got[:k], p[:k]) {
				t.Errorf("concurrency %d: %d, %v, want %v", n, k, err, want)
			}
			if _, err := r.Size(); err != want {
				t.Errorf("Size: %v, want %v", err, want)
			}
			checkReadAt(t, r, p, 30*ChunkSize+1, 20*ChunkSize)
		}
	}
	if _, err := open(readerAt{p: sealed, from: 0, err: nil}, 1); err != io.ErrUnexpectedEOF {
		t.Errorf("empty source: %v", err)
	}
	_, err := NewReaderAt(badReaderAt{}, 1000, s, testKey(s), nil)
	if err != errRead {
		t.Errorf("impossible count: %v", err)
	}
}

type badReaderAt struct{}

func (badReaderAt) ReadAt(p []byte, off int64) (int, error) { return len(p) + 1, nil }

func TestReaderAtClose(t *testing.T) {
	s := AES128GCM()
	r := newTestReaderAt(t, seal(t, s, plaintext(100)), s, 1)
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
	if n, err := r.ReadAt(make([]byte, 10), 0); n != 0 || err != ErrClosed {
		t.Errorf("ReadAt: %d, %v", n, err)
	}
	if _, err := r.Size(); err != ErrClosed {
		t.Errorf("Size: %v", err)
	}
}

func TestReaderAtAllocations(t *testing.T) {
	s := AES128GCM()
	r := newTestReaderAt(t, seal(t, s, make([]byte, 4<<20)), s, 1)
	for _, size := range []int{1, 1000, 1 << 20} {
		p := make([]byte, size)
		if n := testing.AllocsPerRun(20, func() { r.ReadAt(p, 12345) }); n != 0 && !raceEnabled {
			t.Errorf("%v allocations per read of %d bytes", n, size)
		}
	}
}
