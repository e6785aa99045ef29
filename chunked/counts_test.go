package chunked

import (
	"bytes"
	"crypto/cipher"
	"io"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/cipherlane/cipherlane/internal/synctest"
)

// plainSuite does not encrypt, so that tests of the framing are fast everywhere.
func plainSuite() Suite {
	s := AES128GCM()
	s.AEAD = func(key []byte) (cipher.AEAD, error) { a, err := newAESGCM(key); return fakeAEAD{a}, err }
	return s
}

// TestWriterCounts checks the numbers of bytes that calls report with an error.
func TestWriterCounts(t *testing.T) {
	s := plainSuite()
	p := plaintext(100 * ChunkSize)
	begin := func(left, concurrency int) *Writer {
		w, err := NewWriter(&failAfter{left: left}, s, testKey(s), nil, WithConcurrency(concurrency))
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, c := range concurrencies {
		w := begin(100, c)
		first, _ := w.Write(p[:10])
		n, err := w.Write(p)
		if first != 10 || n != 0 || err != errDisk {
			t.Errorf("concurrency %d: %d and %d bytes written, %v", c, first, n, err)
		}
		if n, err := w.Write(p); n != 0 || err != errDisk {
			t.Errorf("concurrency %d: then %d bytes written, %v", c, n, err)
		}
		if n, err := w.ReadFrom(bytes.NewReader(p)); n != 0 || err != errDisk {
			t.Errorf("concurrency %d: then %d bytes read, %v", c, n, err)
		}
		w.Close()
		if n, err := begin(1<<30, c).ReadFrom(io.MultiReader(bytes.NewReader(p[:70000]), iotest.ErrReader(errDisk))); n != 70000 || err != errDisk {
			t.Errorf("concurrency %d: %d bytes read, %v", c, n, err)
		}
		if n, err := begin(1<<30, c).ReadFrom(bytes.NewReader(p)); n != int64(len(p)) || err != nil {
			t.Errorf("concurrency %d: %d bytes read, %v", c, n, err)
		}
		w = begin(1<<30, c)
		w.Close()
		if n, err := w.Write(p); n != 0 || err != ErrClosed {
			t.Errorf("closed: %d bytes written, %v", n, err)
		}
		if n, err := w.ReadFrom(bytes.NewReader(p)); n != 0 || err != ErrClosed {
			t.Errorf("closed: %d bytes read, %v", n, err)
		}
	}
	// With concurrency, full chunks may be buffered before ReadFrom, which begins with them.
	w := begin(0, 4)
	w.Write(p[:3*ChunkSize])
	if n, err := w.ReadFrom(bytes.NewReader(p)); n != 0 || err != errDisk {
		t.Errorf("with chunks in the buffer: %d bytes read, %v", n, err)
	}
}

// Counts of the functions around Write and Read.
func TestCounts(t *testing.T) {
	p := make([]byte, 10)
	for count, want := range map[int]struct {
		n   int
		err error
	}{-1: {0, errWrite}, 11: {0, errWrite}, 0: {0, io.ErrShortWrite}, 9: {9, io.ErrShortWrite}, 10: {10, nil}} {
		if n, err := writeAll(liar(count), p); n != want.n || err != want.err {
			t.Errorf("writeAll, %d of 10 bytes: %d, %v", count, n, err)
		}
	}
	if n, err := writeAll(&failAfter{left: 4}, p); n != 4 || err != errDisk {
		t.Errorf("writeAll with an error: %d, %v", n, err)
	}
	for _, c := range []struct {
		src       io.Reader
		want      int
		n         int
		err       error
		describes string
	}{
		{liar(-1), 5, 0, errRead, "-1 bytes"},
		{liar(11), 5, 0, errRead, "11 of 10 bytes"},
		{liar(10), 5, 10, nil, "all"},
		{liar(0), 5, 0, io.ErrNoProgress, "nothing"},
		{liar(3), 5, 6, nil, "3 bytes at a time"},
		{liar(5), 5, 5, nil, "enough"},
		{liar(5), 0, 0, nil, "nothing wanted"},
		{io.MultiReader(bytes.NewReader(p[:3]), iotest.ErrReader(errDisk)), 5, 3, errDisk, "an error"},
		{io.MultiReader(bytes.NewReader(p[:3]), liar(8)), 5, 3, errRead, "too many after some"},
		{iotest.DataErrReader(bytes.NewReader(p)), 5, 10, io.EOF, "data and the end"},
		{&idle{99}, 1, 1, nil, "idle 99 times"},
		{&idle{100}, 1, 0, io.ErrNoProgress, "idle 100 times"},
		{&idle{99}, 5, 5, nil, "idle 99 times, more than once"},
	} {
		if n, err := readSome(c.src, p, c.want); n != c.n || err != c.err {
			t.Errorf("readSome, %s: %d, %v, want %d, %v", c.describes, n, err, c.n, c.err)
		}
	}
}

// idle returns a byte after a number of empty reads, and so on.
type idle struct{ empty int }

func (r *idle) Read(p []byte) (int, error) {
	if r.empty--; r.empty >= 0 {
		return 0, nil
	}
	r.empty = 99
	return 1, nil
}

// The last chunk but one may be the last that has a number: the message cannot be
// completed, but this write was valid.
func TestWriterAtTheEnd(t *testing.T) {
	s := AES128GCM()
	w, err := NewWriter(io.Discard, s, testKey(s), nil)
	if err != nil {
		t.Fatal(err)
	}
	w.next = maxChunks - 1
	if n, err := w.Write(make([]byte, ChunkSize)); n != ChunkSize || err != nil {
		t.Errorf("chunk 2^38-1: %d, %v", n, err)
	}
	if n, err := w.Write(make([]byte, ChunkSize)); n != 0 || err != ErrTooLong {
		t.Errorf("chunk 2^38: %d, %v", n, err)
	}
	if err := w.Close(); err != ErrTooLong {
		t.Errorf("Close: %v", err)
	}
}

// Buffered chunks and those of a write, in all proportions, are one message.
func TestWriterRuns(t *testing.T) {
	s := plainSuite()
	for _, c := range concurrencies {
		gather := c * batchChunks / 2 // chunks that are buffered
		if c == 1 {
			gather = 1
		}
		p := plaintext(2 * gather * ChunkSize)
		for more := 0; more <= gather; more++ {
			var out bytes.Buffer
			w, err := NewWriter(&out, s, testKey(s), testContext, WithConcurrency(c))
			if err != nil {
				t.Fatal(err)
			}
			n := (gather+more)*ChunkSize - 3
			w.Write(p[:10])
			w.Write(p[10:n])
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(newTestReader(t, &out, s, 1))
			if err != nil || !bytes.Equal(got, p[:n]) {
				t.Errorf("concurrency %d, %d and %d chunks: %d bytes, %v", c, gather, more, len(got), err)
			}
		}
	}
}

// countingAEAD counts calls that run at the same time.
type countingAEAD struct {
	cipher.AEAD
	now, most *atomic.Int32
}

func (a countingAEAD) Seal(dst, nonce, plaintext, data []byte) []byte {
	n := a.now.Add(1)
	for most := a.most.Load(); n > most && !a.most.CompareAndSwap(most, n); most = a.most.Load() {
	}
	time.Sleep(time.Millisecond)
	a.now.Add(-1)
	return a.AEAD.Seal(dst, nonce, plaintext, data)
}

// No more goroutines work than the caller allows, and all of them do.
func TestConcurrencyIsExact(t *testing.T) {
	for _, c := range concurrencies {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int32
			s := AES128GCM()
			s.AEAD = func(key []byte) (cipher.AEAD, error) {
				a, err := newAESGCM(key)
				return countingAEAD{fakeAEAD{a}, &now, &most}, err
			}
			w, err := NewWriter(io.Discard, s, testKey(s), nil, WithConcurrency(c))
			if err != nil {
				t.Fatal(err)
			}
			w.ReadFrom(bytes.NewReader(make([]byte, 20*batchChunks*ChunkSize)))
			w.Close()
			if int(most.Load()) != c {
				t.Errorf("%d calls of the AEAD at a time, want %d", most.Load(), c)
			}
		})
	}
}

// Neither what was written nor what was read for writing is left.
func TestWriterWipesBuffers(t *testing.T) {
	s := plainSuite()
	for _, c := range concurrencies {
		for name, end := range map[string]func(w *Writer){"Close": func(w *Writer) { w.Close() }, "Abort": (*Writer).Abort} {
			w, err := NewWriter(io.Discard, s, testKey(s), nil, WithConcurrency(c))
			if err != nil {
				t.Fatal(err)
			}
			w.ReadFrom(bytes.NewReader(plaintext(3*batchChunks*ChunkSize + 5)))
			w.Write([]byte("the end"))
			ring, gathered := w.line.ring, w.gathered
			used := 0
			end(w)
			for _, b := range ring {
				used += len(b.in)
				if bytes.Count(b.in, []byte{0}) != len(b.in) {
					t.Errorf("%s, concurrency %d: a buffer contains plaintext", name, c)
				}
			}
			if used == 0 || len(gathered) == 0 || bytes.Count(gathered, []byte{0}) != len(gathered) {
				t.Errorf("%s, concurrency %d: %d bytes read, %q is left", name, c, used, gathered)
			}
		}
	}
}
