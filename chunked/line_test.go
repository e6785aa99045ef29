package chunked

import (
	"bytes"
	"crypto/cipher"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/internal/synctest"
)

// All tests below use the clock of synctest, which advances only while all goroutines
// sleep, so they measure exactly which goroutine waits for which.

// slowAEAD takes a millisecond for every chunk.
type slowAEAD struct{ cipher.AEAD }

func (a slowAEAD) Seal(dst, nonce, plaintext, data []byte) []byte {
	time.Sleep(time.Millisecond)
	return a.AEAD.Seal(dst, nonce, plaintext, data)
}

func (a slowAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	time.Sleep(time.Millisecond)
	return a.AEAD.Open(dst, nonce, ciphertext, data)
}

func slowSuite() Suite {
	s := AES128GCM()
	s.AEAD = func(key []byte) (cipher.AEAD, error) { a, err := newAESGCM(key); return slowAEAD{a}, err }
	return s
}

// fakeAEAD is for tests that only measure time.
type fakeAEAD struct{ cipher.AEAD }

func (fakeAEAD) Seal(dst, nonce, plaintext, data []byte) []byte {
	dst = append(dst, plaintext...)
	return append(append(dst, nonce...), 0, 0, 0, 0)
}

func (fakeAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	return append(dst, ciphertext[:len(ciphertext)-Overhead]...), nil
}

func fakeSuite() Suite {
	s := AES128GCM()
	s.AEAD = func(key []byte) (cipher.AEAD, error) { a, err := newAESGCM(key); return slowAEAD{fakeAEAD{a}}, err }
	return s
}

// slowIO takes time for every call, and records pending calls.
type slowIO struct {
	r      io.Reader
	w      io.Writer
	each   time.Duration
	active atomic.Int32
	calls  atomic.Int32
}

func (s *slowIO) wait() func() {
	s.active.Add(1)
	s.calls.Add(1)
	time.Sleep(s.each)
	return func() { s.active.Add(-1) }
}

func (s *slowIO) Read(p []byte) (int, error)  { defer s.wait()(); return s.r.Read(p) }
func (s *slowIO) Write(p []byte) (int, error) { defer s.wait()(); return s.w.Write(p) }

// With n goroutines, a message takes little more than an n-th of the time, or as
// long as the slower of reading and writing.
func TestLineKeepsBusy(t *testing.T) {
	s := fakeSuite()
	const batches = 20
	const chunks = batches * batchChunks
	p := plaintext(ChunkSize)
	p = bytes.Repeat(p, chunks)
	var sealed []byte
	synctest.Test(t, func(t *testing.T) { sealed = seal(t, s, p) })
	for _, io := range []struct{ read, write time.Duration }{
		{0, 0},
		{5 * time.Millisecond, 5 * time.Millisecond},
		{0, 40 * time.Millisecond},
		{40 * time.Millisecond, 0},
		{32 * time.Millisecond, 32 * time.Millisecond},
	} {
		for _, n := range []int{1, 2, 4} {
			// The growing batches at the beginning cost some calls more.
			const calls = batches + 6
			serial := chunks*time.Millisecond + calls*(io.read+io.write)
			best := max(serial/time.Duration(n), calls*io.read, calls*io.write)
			limit := best + best/5 + 2*batchChunks*time.Millisecond
			check := func(what string, work func(src, dst *slowIO)) {
				synctest.Test(t, func(t *testing.T) {
					src, dst := &slowIO{each: io.read}, &slowIO{each: io.write}
					start := time.Now()
					work(src, dst)
					if took := time.Since(start); took > limit || n == 1 && took < serial*9/10 {
						t.Errorf("%s, %v and %v, concurrency %d: %v, want at most %v", what, io.read, io.write, n, took, limit)
					}
				})
			}
			check("ReadFrom", func(src, dst *slowIO) {
				var out bytes.Buffer
				src.r, dst.w = bytes.NewReader(p), &out
				w, err := newWriter(dst, s, testKey(s), testSalt, testContext, []Option{WithConcurrency(n)})
				if err != nil {
					t.Fatal(err)
				}
				w.ReadFrom(src)
				w.Close()
				if !bytes.Equal(out.Bytes(), sealed) {
					t.Error("another message")
				}
			})
			check("WriteTo", func(src, dst *slowIO) {
				var out bytes.Buffer
				src.r, dst.w = bytes.NewReader(sealed), &out
				if _, err := newTestReader(t, src, s, n).WriteTo(dst); err != nil || !bytes.Equal(out.Bytes(), p) {
					t.Error("another plaintext", err)
				}
			})
		}
	}
}

// Single calls use all goroutines, too, when they are large.
func TestLargeCallsKeepBusy(t *testing.T) {
	s := fakeSuite()
	const chunks = 4 * batchChunks
	p := make([]byte, chunks*ChunkSize)
	var sealed []byte
	synctest.Test(t, func(t *testing.T) { sealed = seal(t, s, p) })
	for _, n := range []int{1, 2, 4} {
		limit := chunks*time.Millisecond/time.Duration(n) + 50*time.Millisecond
		check := func(what string, work func()) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				work()
				if took := time.Since(start); took > limit {
					t.Errorf("%s, concurrency %d: %v, want at most %v", what, n, took, limit)
				}
			})
		}
		writer := func() *Writer {
			w, err := NewWriter(io.Discard, s, testKey(s), nil, WithConcurrency(n))
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		check("Write", func() { writer().Write(p) })
		check("small writes", func() {
			w := writer()
			for i := 0; i < len(p); i += ChunkSize {
				w.Write(p[i : i+ChunkSize])
			}
		})
		check("ReadAt", func() { newTestReaderAt(t, sealed, s, n).ReadAt(make([]byte, len(p)), 0) })
		check("Read", func() {
			r := newTestReader(t, bytes.NewReader(sealed), s, n)
			r.chunks = chunks // as if it had been doubled that far
			r.Read(make([]byte, n*batchChunks*ChunkSize))
		})
	}
}

// When a call fails, the goroutines that it has started end before it returns.
func TestNothingUnderWay(t *testing.T) {
	s := slowSuite()
	p := make([]byte, 4*batchChunks*ChunkSize)
	sealed := seal(t, AES128GCM(), p)
	bad := bytes.Clone(sealed)
	bad[100] ^= 1
	for _, n := range []int{2, 4} {
		check := func(work func(src, dst *slowIO) error) {
			synctest.Test(t, func(t *testing.T) {
				src, dst := &slowIO{each: time.Second}, &slowIO{each: time.Second, w: &failAfter{left: 1 << 20}}
				if err := work(src, dst); err == nil {
					t.Error("no error")
				}
				calls := src.calls.Load() + dst.calls.Load()
				if src.active.Load() != 0 || dst.active.Load() != 0 {
					t.Error("a call is under way")
				}
				time.Sleep(time.Hour)
				if src.calls.Load()+dst.calls.Load() != calls {
					t.Error("there were further calls")
				}
			})
		}
		check(func(src, dst *slowIO) error {
			src.r = bytes.NewReader(p)
			w, err := NewWriter(dst, s, testKey(s), nil, WithConcurrency(n))
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.ReadFrom(src)
			return err
		})
		check(func(src, dst *slowIO) error {
			src.r = bytes.NewReader(sealed)
			_, err := newTestReader(t, src, s, n).WriteTo(dst)
			return err
		})
		check(func(src, dst *slowIO) error {
			src.r, dst.w = bytes.NewReader(bad), io.Discard
			_, err := newTestReader(t, src, s, n).WriteTo(dst)
			return err
		})
	}
}

// If goroutines find two errors, the one at the lower offset is returned, whichever
// was found first.
func TestFirstErrorCounts(t *testing.T) {
	s := slowSuite()
	p := plaintext(2 * batchChunks * ChunkSize)
	sealed := seal(t, AES128GCM(), p)
	for _, c := range []struct{ first, second int }{
		{0, 2*batchChunks - 1},
		{batchChunks - 1, batchChunks},
	} {
		bad := bytes.Clone(sealed)
		bad[HeaderSize+c.first*sealedSize] ^= 1
		bad[HeaderSize+c.second*sealedSize] ^= 1
		want := &ChunkError{Chunk: int64(c.first)}
		synctest.Test(t, func(t *testing.T) {
			n, err := newTestReaderAt(t, bad, s, 2).ReadAt(make([]byte, len(p)), 0)
			if n != c.first*ChunkSize || !sameError(err, want) {
				t.Errorf("ReadAt: %d, %v, want %d, %v", n, err, c.first*ChunkSize, want)
			}
			r := newTestReader(t, bytes.NewReader(bad), s, 2)
			r.chunks = 2 * batchChunks
			n, err = io.ReadFull(r, make([]byte, len(p)))
			if n != c.first*ChunkSize || !sameError(err, want) {
				t.Errorf("Read: %d, %v, want %d, %v", n, err, c.first*ChunkSize, want)
			}
		})
	}
}

// countingReaderAt fails at once below an offset, and is slow everywhere else.
type countingReaderAt struct {
	p     []byte
	bad   int64
	calls atomic.Int32
}

func (r *countingReaderAt) ReadAt(p []byte, off int64) (int, error) {
	r.calls.Add(1)
	if off > 0 && off < r.bad {
		return 0, errDisk
	}
	time.Sleep(time.Second)
	return copy(p, r.p[off:]), nil
}

func TestReadAtGivesUp(t *testing.T) {
	s := AES128GCM()
	sealed := seal(t, s, plaintext(8*batchChunks*ChunkSize))
	for _, n := range concurrencies {
		synctest.Test(t, func(t *testing.T) {
			src := &countingReaderAt{p: sealed, bad: HeaderSize + sealedSize}
			r, err := NewReaderAt(src, int64(len(sealed)), s, testKey(s), testContext, WithConcurrency(n))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.ReadAt(make([]byte, 8*batchChunks*ChunkSize), 0); err != errDisk {
				t.Error(err)
			}
			if calls := int(src.calls.Load()) - 1; calls > n {
				t.Errorf("concurrency %d: %d reads", n, calls)
			}
		})
	}
}

// The last chunk is authenticated only once.
func TestSizeIsRemembered(t *testing.T) {
	s := AES128GCM()
	sealed := seal(t, s, plaintext(3*ChunkSize))
	synctest.Test(t, func(t *testing.T) {
		src := &countingReaderAt{p: sealed}
		r, err := NewReaderAt(src, int64(len(sealed)), s, testKey(s), testContext)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := r.Size(); err != nil {
				t.Error(err)
			}
			r.ReadAt(make([]byte, 1), 3*ChunkSize)
		}
		if calls := src.calls.Load(); calls != 2 {
			t.Errorf("%d reads, want one for the header and one for the last chunk", calls)
		}
	})
}

// leakyAEAD returns an error but writes the plaintext nevertheless.
type leakyAEAD struct{ cipher.AEAD }

func (a leakyAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	out, err := a.AEAD.Open(dst, nonce, ciphertext, data)
	if err != nil {
		for range len(ciphertext) - Overhead {
			dst = append(dst, 0xEE)
		}
	}
	return out, err
}

// Unauthenticated plaintext must not stay in callers' buffers either.
func TestNothingUnauthenticatedLeft(t *testing.T) {
	s := AES128GCM()
	sealed := seal(t, s, plaintext(30*ChunkSize+5))
	s.AEAD = func(key []byte) (cipher.AEAD, error) { a, err := newAESGCM(key); return leakyAEAD{a}, err }
	for _, chunk := range []int{0, 3, 20, 30} {
		bad := bytes.Clone(sealed)
		bad[HeaderSize+chunk*sealedSize] ^= 1
		for _, n := range concurrencies {
			buf := make([]byte, 31*ChunkSize)
			k, err := newTestReaderAt(t, bad, s, n).ReadAt(buf, 0)
			if k != chunk*ChunkSize || err == nil || !bytes.Equal(buf[k:], make([]byte, len(buf)-k)) {
				t.Errorf("chunk %d, concurrency %d: ReadAt left something behind its %d bytes, %v", chunk, n, k, err)
			}
			clear(buf)
			r := newTestReader(t, bytes.NewReader(bad), s, n)
			r.chunks = batchChunks
			k, err = r.Read(buf)
			if k != chunk*ChunkSize || k == 0 && err == nil || !bytes.Equal(buf[k:], make([]byte, len(buf)-k)) {
				t.Errorf("chunk %d, concurrency %d: Read left something behind its %d bytes, %v", chunk, n, k, err)
			}
		}
	}
}
