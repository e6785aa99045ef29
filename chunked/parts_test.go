package chunked

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/internal/synctest"
)

const part = batchChunks * ChunkSize

// fastSuite is fast on every CPU: some tests process hundreds of megabytes, and what
// encrypts them does not matter.
func fastSuite() Suite {
	return Suite{Name: "AEAD_CHACHA20_POLY1305", KeySize: 32, NonceSize: 12, Hash: sha256.New, AEAD: func(key []byte) (cipher.AEAD, error) {
		return chacha20poly1305.New(key)
	}}
}

// A memory is a file. Before each access it calls a function, if there is one.
type memory struct {
	mu     sync.Mutex
	p      []byte
	before func(off int64) error
}

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	if m.before != nil {
		if err := m.before(off); err != nil {
			return 0, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.NewReader(m.p).ReadAt(p, off)
}

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	if m.before != nil {
		if err := m.before(off); err != nil {
			return 0, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if end := int(off) + len(p); end > len(m.p) {
		m.p = append(m.p, make([]byte, end-len(m.p))...)
	}
	return copy(m.p[off:], p), nil
}

// destinations are the writers for parts. The second result is the file behind an
// io.OffsetWriter. The last one returns what has been written, up to its offset.
func destinations(off int64) map[string]func() (io.Writer, *memory, func() []byte) {
	return map[string]func() (io.Writer, *memory, func() []byte){
		"in order": func() (io.Writer, *memory, func() []byte) {
			var b bytes.Buffer
			return &b, nil, b.Bytes
		},
		"in any order": func() (io.Writer, *memory, func() []byte) {
			m := new(memory)
			w := io.NewOffsetWriter(m, off)
			return w, m, func() []byte {
				end, _ := w.Seek(0, io.SeekCurrent)
				return m.p[min(int(off), len(m.p)):][:end]
			}
		},
	}
}

// section returns a section of a file that holds p at an offset, with other bytes before
// and after it.
func section(p []byte, off int) *io.SectionReader {
	all := make([]byte, off, off+len(p)+1000)
	all = append(append(all, p...), make([]byte, 1000)...)
	return io.NewSectionReader(&memory{p: all}, int64(off), int64(len(p)))
}

func partSizes() (list []int) {
	for _, parts := range []int{2, 3, 7} {
		for i, more := range []int{-ChunkSize - 1, -ChunkSize, -1, 0, 1, ChunkSize - 1, ChunkSize, ChunkSize + 1} {
			if parts == 3 || i == 3 || !testing.Short() {
				list = append(list, parts*part+more)
			}
		}
	}
	return append(list, 0, 1, part)
}

func TestParts(t *testing.T) {
	s := fastSuite()
	all := plaintext(5<<20 + 12345)
	for i, size := range partSizes() {
		p := all[:size]
		sealed := seal(t, s, p)
		for name, to := range destinations(int64(i)) {
			for _, n := range concurrencies {
				for k, head := range []int{0, 1, ChunkSize, ChunkSize + 1} {
					if head > size || testing.Short() && i%4 != k {
						continue
					}
					dst, _, got := to()
					w, err := newWriter(dst, s, testKey(s), testSalt, testContext, []Option{WithConcurrency(n)})
					if err != nil {
						t.Fatal(err)
					}
					w.Write(p[:head])
					src := section(p[head:], i%3*1000)
					read, err := w.ReadFrom(src)
					if at, _ := src.Seek(0, io.SeekCurrent); read != int64(size-head) || at != read || err != nil {
						t.Fatalf("%d bytes %s, concurrency %d: read %d, offset %d, %v", size-head, name, n, read, at, err)
					}
					if err := w.Close(); err != nil || !bytes.Equal(got(), sealed) {
						t.Fatalf("%d bytes %s, concurrency %d, after %d: %v, not the same message", size, name, n, head, err)
					}

					dst, _, got = to()
					r, err := NewReader(section(sealed, i%3*1000), s, testKey(s), testContext, WithConcurrency(n))
					if err != nil {
						t.Fatal(err)
					}
					if _, err := io.CopyN(onlyWriter{dst}, onlyReader{r}, int64(head)); err != nil {
						t.Fatal(err)
					}
					count, err := r.WriteTo(dst)
					if count != int64(size-head) || err != nil || !bytes.Equal(got(), p) {
						t.Fatalf("%d bytes %s, concurrency %d, after %d: %d, %v, not the same plaintext", size, name, n, head, count, err)
					}
				}
			}
		}
	}
}

// A message that is damaged anywhere, or cut at or next to any border of chunks, gives
// what it gives as a stream. Any other bytes that were written are authentic.
func TestPartsDamages(t *testing.T) {
	s := fastSuite()
	p := plaintext(3*part + 5*ChunkSize + 7)
	sealed := seal(t, s, p)
	var list []damage
	for i := 0; i*sealedSize < len(sealed); i++ {
		border := HeaderSize + i*sealedSize
		for _, cut := range []int{-1, 0, 1, 15, 16, 17} {
			list = append(list, damage{fmt.Sprintf("cut %d bytes into chunk %d", cut, i), sealed[:border+cut], 0, nil})
		}
		flipped := bytes.Clone(sealed)
		flipped[border] ^= 1
		list = append(list, damage{fmt.Sprintf("chunk %d", i), flipped, 0, nil})
	}
	list = append(list, damage{"a byte more", append(bytes.Clone(sealed), 0), 0, nil})
	for i, d := range list {
		if testing.Short() && i%11 > 0 {
			continue
		}
		read := func(src io.Reader, dst io.Writer, n int) (int64, error) {
			r, err := NewReader(src, s, testKey(s), testContext, WithConcurrency(n))
			if err != nil {
				return 0, err
			}
			return r.WriteTo(dst)
		}
		want, wantErr := read(bytes.NewReader(d.sealed), io.Discard, 1)
		for name, to := range destinations(0) {
			for _, n := range []int{2, 4} {
				dst, m, got := to()
				count, err := read(section(d.sealed, 9), dst, n)
				if count != want || !sameError(err, wantErr) || err == nil || !bytes.Equal(got(), p[:want]) {
					t.Errorf("%s %s, concurrency %d: %d, %v, want %d, %v", d.name, name, n, count, err, want, wantErr)
				}
				if m != nil {
					for i, c := range m.p {
						if c != 0 && c != p[i] {
							t.Fatalf("%s, concurrency %d: unauthenticated plaintext", d.name, n)
						}
					}
				}
			}
		}
	}
}

// A source may be shorter than the section says.
func TestPartsShortSource(t *testing.T) {
	s := fastSuite()
	p := plaintext(4*part + 5)
	for size := 0; size <= len(p); size += ChunkSize {
		for _, size := range []int{max(size-1, 0), size, size + 1} {
			if testing.Short() && (size+1)/ChunkSize%7 > 0 {
				continue
			}
			want := seal(t, s, p[:size])
			for name, to := range destinations(3) {
				dst, _, got := to()
				w, err := newWriter(dst, s, testKey(s), testSalt, testContext, []Option{WithConcurrency(4)})
				if err != nil {
					t.Fatal(err)
				}
				n, err := w.ReadFrom(io.NewSectionReader(bytes.NewReader(p[:size]), 0, int64(len(p))))
				if err := w.Close(); err != nil || !bytes.Equal(got(), want) {
					t.Errorf("%d bytes %s: %v, not the same message", size, name, err)
				}
				if n != int64(size) || err != nil {
					t.Errorf("%d bytes %s: %d, %v", size, name, n, err)
				}
				dst, _, got = to()
				r, err := NewReader(io.NewSectionReader(bytes.NewReader(want), 0, 1<<62), s, testKey(s), testContext, WithConcurrency(4))
				if err != nil {
					t.Fatal(err)
				}
				if n, err := r.WriteTo(dst); n != int64(size) || err != nil || !bytes.Equal(got(), p[:size]) {
					t.Errorf("%d bytes %s: opened %d, %v", size, name, n, err)
				}
			}
		}
	}
}

// noncesAEAD fails if a nonce is used for two plaintexts.
type noncesAEAD struct {
	cipher.AEAD
	used *sync.Map
	t    *testing.T
}

func (a noncesAEAD) Seal(dst, nonce, plaintext, data []byte) []byte {
	if old, used := a.used.LoadOrStore(string(nonce), string(plaintext)); used && old != string(plaintext) {
		a.t.Error("a nonce was used for two plaintexts")
	}
	return a.AEAD.Seal(dst, nonce, plaintext, data)
}

// A source that becomes shorter while it is read, and then longer with other contents,
// makes the writer fail rather than use nonces again.
func TestPartsChangingSource(t *testing.T) {
	s := fastSuite()
	newAEAD := s.AEAD
	before, after := make([]byte, 8*part), bytes.Repeat([]byte{1}, 8*part)
	for short := range 8 {
		for _, n := range []int{2, 4} {
			used := new(sync.Map)
			s.AEAD = func(key []byte) (cipher.AEAD, error) {
				a, err := newAEAD(key)
				return noncesAEAD{a, used, t}, err
			}
			var shortened atomic.Bool
			var begun atomic.Int32
			src := &memory{p: before}
			m := new(memory)
			dst := io.NewOffsetWriter(m, 0)
			w, err := newWriter(dst, s, testKey(s), testSalt, testContext, []Option{WithConcurrency(n)})
			if err != nil {
				t.Fatal(err)
			}
			src.before = func(off int64) error {
				if shortened.Load() || off < int64(short*part) {
					return nil
				}
				begun.Add(1)
				if off == int64(short*part) {
					for int(begun.Load()) < min(n+1, 8-short) { // the part behind it has been sealed
						time.Sleep(time.Millisecond)
					}
					shortened.Store(true)
					src.mu.Lock()
					src.p = before[:off+100]
					src.mu.Unlock()
				}
				return nil
			}
			if _, err := w.ReadFrom(io.NewSectionReader(src, 0, int64(len(before)))); err != nil {
				t.Fatal(err)
			}
			src.p = after
			count := int64(len(after) - short*part)
			_, err = w.ReadFrom(io.NewSectionReader(src, int64(short*part+100), count))
			if short < 6 && err != errWritten || err != nil && err != errWritten {
				t.Errorf("short part %d, concurrency %d: %v", short, n, err)
			}
			w.Close()
		}
	}
}

// A source that grows is read up to its end.
func TestPartsGrowingSource(t *testing.T) {
	s := fastSuite()
	p := plaintext(5<<20 + 12345)
	sealed := seal(t, s, p)
	src := &memory{p: sealed[:3*part]}
	src.before = func(off int64) error {
		if off >= part {
			src.mu.Lock()
			src.p = sealed[:min(max(len(src.p), int(off)+part+100000), len(sealed))]
			src.mu.Unlock()
		}
		return nil
	}
	for name, to := range destinations(0) {
		dst, _, got := to()
		r, err := NewReader(io.NewSectionReader(src, 0, 1<<62), s, testKey(s), testContext, WithConcurrency(4))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.WriteTo(dst); err != nil || !bytes.Equal(got(), p) {
			t.Errorf("%s: %v", name, err)
		}
		src.p = sealed[:3*part]
	}
}

// Errors of the source and the destination are returned, and nothing is written later.
func TestPartsErrors(t *testing.T) {
	s := fastSuite()
	p := plaintext(5<<20 + 12345)
	sealed := seal(t, s, p)
	fail := func(m *memory, from int64) {
		m.before = func(off int64) error {
			if off >= from {
				return errDisk
			}
			return nil
		}
	}
	for _, from := range []int64{100, part, 3*part + 7, 5 * part} {
		for name, to := range destinations(0) {
			for _, broken := range []string{"source", "destination"} {
				src := &memory{p: p}
				dst, m, got := to()
				if broken == "source" {
					fail(src, from)
				} else if m != nil {
					fail(m, from)
				} else {
					dst = &failAfter{left: int(from)}
					got = func() []byte { return nil }
				}
				w, err := newWriter(dst, s, testKey(s), testSalt, testContext, []Option{WithConcurrency(3)})
				if err != nil {
					t.Fatal(err)
				}
				n, err := w.ReadFrom(io.NewSectionReader(src, 0, int64(len(p))))
				if !errors.Is(err, errDisk) || n > int64(len(p)) || !bytes.HasPrefix(sealed, got()) {
					t.Errorf("%s %s from %d: %d, %v", broken, name, from, n, err)
				}
				if _, err := w.Write(p); err == nil && broken == "destination" || err != nil && broken == "source" && (m == nil || err != errWritten) {
					t.Errorf("%s %s from %d: later %v", broken, name, from, err)
				}
				w.Abort()

				src = &memory{p: sealed}
				if broken == "source" {
					fail(src, from)
				}
				r, err := NewReader(io.NewSectionReader(src, 0, int64(len(sealed))), s, testKey(s), testContext, WithConcurrency(3))
				if err != nil {
					t.Fatal(err)
				}
				if f, ok := dst.(*failAfter); ok {
					*f = failAfter{left: int(from)}
				} else if broken == "source" {
					dst, _, got = to()
				}
				if n, err := r.WriteTo(dst); !errors.Is(err, errDisk) || n > from+part {
					t.Errorf("%s %s from %d: opened %d, %v", broken, name, from, n, err)
				}
				if broken == "source" && !bytes.HasPrefix(p, got()) {
					t.Errorf("%s from %d: opened something else", name, from)
				}
			}
		}
	}
}

// No step is done by one goroutine at a time: n of them take an n-th of the time, even
// if only reading or only writing is slow.
func TestPartsKeepBusy(t *testing.T) {
	s := fakeSuite()
	const parts = 24
	p := make([]byte, parts*part)
	var sealed []byte
	synctest.Test(t, func(t *testing.T) { sealed = seal(t, s, p) })
	s = AES128GCM()
	s.AEAD = func(key []byte) (cipher.AEAD, error) { a, err := newAESGCM(key); return fakeAEAD{a}, err }
	for _, slow := range []struct{ read, write time.Duration }{{time.Second, 0}, {0, time.Second}, {time.Second, time.Second}} {
		for _, n := range []int{2, 4} {
			for name, to := range destinations(0) {
				if name == "in order" && slow.write > 0 {
					continue
				}
				check := func(what string, work func(src *memory, dst io.Writer) error, p []byte) {
					synctest.Test(t, func(t *testing.T) {
						dst, m, _ := to()
						src := &memory{p: p, before: func(int64) error { time.Sleep(slow.read); return nil }}
						if m != nil {
							m.before = func(int64) error { time.Sleep(slow.write); return nil }
						}
						start := time.Now()
						if err := work(src, dst); err != nil {
							t.Fatal(err)
						}
						limit := (slow.read + slow.write) * (parts/time.Duration(n) + 10) // the end is a stream
						if took := time.Since(start); took > limit {
							t.Errorf("%s %s, %v and %v, concurrency %d: %v, want at most %v", what, name, slow.read, slow.write, n, took, limit)
						}
					})
				}
				check("ReadFrom", func(src *memory, dst io.Writer) error {
					w, err := NewWriter(dst, s, testKey(s), testContext, WithConcurrency(n))
					if err == nil {
						_, err = w.ReadFrom(io.NewSectionReader(src, 0, int64(len(p))))
					}
					return err
				}, p)
				check("WriteTo", func(src *memory, dst io.Writer) error {
					r, err := NewReader(io.NewSectionReader(src, 0, int64(len(sealed))), s, testKey(s), testContext, WithConcurrency(n))
					if err == nil {
						_, err = r.WriteTo(dst)
					}
					return err
				}, sealed)
			}
		}
	}
}
