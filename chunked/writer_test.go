package chunked

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"
)

var concurrencies = []int{1, 2, 4}

// However the plaintext arrives, the message is that of the specification.
func TestWriter(t *testing.T) {
	twoSuites(t, func(t *testing.T, s Suite) {
		all := plaintext(5<<20 + 12345)
		for i, size := range someSizes(s) {
			p := all[:size]
			want := specSeal(t, s, testKey(s), testSalt, testContext, p)
			for _, n := range concurrencies {
				for name, write := range map[string]func(w *Writer, p []byte) error{
					"at once": func(w *Writer, p []byte) error { _, err := w.Write(p); return err },
					"pieces": func(w *Writer, p []byte) error {
						for k := 0; len(p) > 0; k++ {
							m := min(len(p), []int{1, 100, 16383, 16384, 16385, 40000, 600000, 0}[k%8])
							if got, err := w.Write(p[:m]); got != m || err != nil {
								return fmt.Errorf("Write: %d, %v", got, err)
							}
							p = p[m:]
						}
						return nil
					},
					"copy": func(w *Writer, p []byte) error {
						got, err := io.Copy(w, onlyReader{bytes.NewReader(p)})
						if err == nil && got != int64(len(p)) {
							err = fmt.Errorf("copied %d bytes", got)
						}
						return err
					},
					"mixed": func(w *Writer, p []byte) error {
						third := len(p) / 3
						if _, err := w.Write(p[:third]); err != nil {
							return err
						}
						if got, err := w.ReadFrom(iotest.DataErrReader(bytes.NewReader(p[third : 2*third]))); got != int64(third) || err != nil {
							return fmt.Errorf("ReadFrom: %d, %v", got, err)
						}
						if _, err := w.Write(p[2*third:]); err != nil {
							return err
						}
						_, err := w.ReadFrom(bytes.NewReader(nil))
						return err
					},
					"halves": func(w *Writer, p []byte) error {
						_, err := w.ReadFrom(iotest.HalfReader(bytes.NewReader(p)))
						return err
					},
					"one byte": func(w *Writer, p []byte) error {
						_, err := w.ReadFrom(iotest.OneByteReader(bytes.NewReader(p)))
						return err
					},
					"all bytes": func(w *Writer, p []byte) error { return writeBytes(w, p) },
				} {
					// The slow ones for some sizes only.
					if (name == "one byte" || name == "all bytes") && (size > 40000 || i%5 != 0) {
						continue
					}
					var out bytes.Buffer
					w, err := newWriter(&out, s, testKey(s), testSalt, testContext, []Option{WithConcurrency(n)})
					if err != nil {
						t.Fatal(err)
					}
					if err := write(w, p); err != nil {
						t.Fatalf("%d bytes %s, concurrency %d: %v", size, name, n, err)
					}
					if err := w.Close(); err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(out.Bytes(), want) {
						t.Fatalf("%d bytes %s, concurrency %d: not what the specification says", size, name, n)
					}
				}
			}
		}
	})
}

// A short test of every suite.
func TestSuites(t *testing.T) {
	everySuite(t, func(t *testing.T, s Suite) {
		for _, size := range []int{0, 100, ChunkSize, 40000} {
			p := plaintext(size)
			want := specSeal(t, s, testKey(s), testSalt, testContext, p)
			if !bytes.Equal(seal(t, s, p), want) {
				t.Errorf("%d bytes: not what the specification says", size)
			}
			for _, n := range concurrencies {
				got, err := io.ReadAll(newTestReader(t, bytes.NewReader(want), s, n))
				if err != nil || !bytes.Equal(got, p) {
					t.Errorf("%d bytes, concurrency %d: %d bytes, %v", size, n, len(got), err)
				}
			}
		}
	})
}

func writeBytes(w io.Writer, p []byte) error {
	for i := range p {
		if _, err := w.Write(p[i : i+1]); err != nil {
			return err
		}
	}
	return nil
}

func TestSaltIsRandom(t *testing.T) {
	s := AES128GCM()
	var a, b bytes.Buffer
	for _, out := range []*bytes.Buffer{&a, &b} {
		w, err := NewWriter(out, s, testKey(s), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		if got, err := specOpen(t, s, testKey(s), nil, out.Bytes()); err != nil || len(got) != 0 {
			t.Fatal(err)
		}
	}
	if bytes.Equal(a.Bytes()[:24], b.Bytes()[:24]) {
		t.Error("two messages have one salt")
	}
}

// writeLog records the length of every write.
type writeLog struct {
	bytes.Buffer
	sizes []int
}

func (w *writeLog) Write(p []byte) (int, error) {
	w.sizes = append(w.sizes, len(p))
	return w.Buffer.Write(p)
}

// Without concurrency, chunks are written as soon as they are complete, and together
// if possible.
func TestWritesArePromptAndFew(t *testing.T) {
	s := fastSuite()
	var out writeLog
	w, err := NewWriter(&out, s, testKey(s), nil)
	if err != nil {
		t.Fatal(err)
	}
	step := func(n int, want ...int) {
		t.Helper()
		out.sizes = nil
		if _, err := w.Write(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(out.sizes) != fmt.Sprint(want) {
			t.Errorf("%d bytes: writes of %v, want %v", n, out.sizes, want)
		}
	}
	step(0)
	step(16383)
	step(1, 56+16400)
	step(16384, 16400)
	step(100)
	step(16284+3*16384+5, 4*16400)
	step(16379+batchChunks*16384, batchChunks*16400, 16400)
	out.sizes = nil
	if err := w.Close(); err != nil || fmt.Sprint(out.sizes) != "[16]" {
		t.Errorf("Close: writes of %v, %v", out.sizes, err)
	}

	// A short message is one write.
	for _, n := range concurrencies {
		out = writeLog{}
		w, err := NewWriter(&out, s, testKey(s), nil, WithConcurrency(n))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, onlyReader{bytes.NewReader(make([]byte, 100))}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil || fmt.Sprint(out.sizes) != "[172]" {
			t.Errorf("concurrency %d: writes of %v, %v", n, out.sizes, err)
		}
	}

	for _, n := range concurrencies {
		out = writeLog{}
		w, err := NewWriter(&out, s, testKey(s), nil, WithConcurrency(n))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, onlyReader{bytes.NewReader(make([]byte, 16<<20))}); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if len(out.sizes) > 16<<20/(batchChunks*ChunkSize)+8 {
			t.Errorf("concurrency %d: %d writes for 16 MiB", n, len(out.sizes))
		}
	}
}

// failAfter is a destination that fails after the given number of bytes.
type failAfter struct {
	left  int
	short bool // fail by returning less
	calls int
	after int // calls after the failure
	done  bool
}

var errDisk = errors.New("disk full")

func (w *failAfter) Write(p []byte) (int, error) {
	w.calls++
	if w.done {
		w.after++
	}
	if len(p) <= w.left {
		w.left -= len(p)
		return len(p), nil
	}
	w.done = true
	n := w.left
	w.left = 0
	if w.short {
		return n, nil
	}
	return n, errDisk
}

func TestWriterErrors(t *testing.T) {
	s := fastSuite()
	p := plaintext(3 << 20)
	total, _ := EncryptedSize(int64(len(p)))
	for _, n := range concurrencies {
		for _, left := range []int{0, 55, 56, 100, 56 + 16400, 1 << 20, int(total) - 1} {
			for _, short := range []bool{false, true} {
				want := errDisk
				if short {
					want = io.ErrShortWrite
				}
				for name, write := range map[string]func(w *Writer) error{
					"write": func(w *Writer) error { _, err := w.Write(p); return err },
					"copy":  func(w *Writer) error { _, err := w.ReadFrom(onlyReader{bytes.NewReader(p)}); return err },
					"pieces": func(w *Writer) error {
						for i := 0; i < len(p); i += 1 << 14 {
							if _, err := w.Write(p[i : i+1<<14]); err != nil {
								return err
							}
						}
						return nil
					},
				} {
					dst := &failAfter{left: left, short: short}
					w, err := NewWriter(dst, s, testKey(s), nil, WithConcurrency(n))
					if err != nil {
						t.Fatal(err)
					}
					err = write(w)
					if left < int(total)-100<<10 && n == 1 && err != want {
						t.Errorf("%s: %v, want %v", name, err, want)
					}
					if err != nil {
						if _, err2 := w.Write([]byte{1}); err2 != err {
							t.Errorf("%s: then %v, want %v", name, err2, err)
						}
						if _, err2 := w.ReadFrom(bytes.NewReader(p)); err2 != err {
							t.Errorf("%s: then %v, want %v", name, err2, err)
						}
					}
					for range 2 {
						if err := w.Close(); err != want {
							t.Errorf("%s, %d bytes fit, concurrency %d: Close: %v, want %v", name, left, n, err, want)
						}
					}
					if dst.after > 0 {
						t.Errorf("%s: %d writes after the one that failed", name, dst.after)
					}
				}
			}
		}
	}
}

type liar int

func (n liar) Write(p []byte) (int, error) { return int(n), nil }
func (n liar) Read(p []byte) (int, error)  { return int(n), nil }

func TestImpossibleCounts(t *testing.T) {
	s := AES128GCM()
	for _, count := range []int{-1, 1 << 30} {
		w, err := NewWriter(liar(count), s, testKey(s), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != errWrite {
			t.Errorf("write: %v", err)
		}
		w, err = NewWriter(io.Discard, s, testKey(s), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.ReadFrom(liar(count)); err != errRead {
			t.Errorf("ReadFrom: %v", err)
		}
		if _, err := NewReader(liar(count), s, testKey(s), nil); err != errRead {
			t.Errorf("NewReader: %v", err)
		}
		r, err := NewReader(bytes.NewReader(seal(t, s, plaintext(100))), s, testKey(s), testContext)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.WriteTo(liar(count)); err != errWrite {
			t.Errorf("WriteTo: %v", err)
		}
	}
	w, err := NewWriter(io.Discard, s, testKey(s), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReadFrom(liar(0)); err != io.ErrNoProgress {
		t.Errorf("ReadFrom: %v, want %v", err, io.ErrNoProgress)
	}
	if _, err := NewReader(liar(0), s, testKey(s), nil); err != io.ErrNoProgress {
		t.Errorf("NewReader: %v, want %v", err, io.ErrNoProgress)
	}
}

// An error of the source is left to the caller, which may continue writing.
func TestReadFromErrors(t *testing.T) {
	s := fastSuite()
	p := plaintext(100000)
	for _, n := range concurrencies {
		var out bytes.Buffer
		w, err := newWriter(&out, s, testKey(s), testSalt, testContext, []Option{WithConcurrency(n)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.ReadFrom(io.MultiReader(bytes.NewReader(p[:70000]), iotest.ErrReader(errDisk)))
		if got != 70000 || err != errDisk {
			t.Fatalf("%d, %v", got, err)
		}
		got, err = w.ReadFrom(iotest.TimeoutReader(iotest.HalfReader(bytes.NewReader(p[70000:]))))
		if err != iotest.ErrTimeout {
			t.Fatal(err)
		}
		if _, err := w.Write(p[70000+got:]); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), specSeal(t, s, testKey(s), testSalt, testContext, p)) {
			t.Error("not what the specification says")
		}
	}
}

func TestWriterAfterClose(t *testing.T) {
	s := AES128GCM()
	var out bytes.Buffer
	w, err := NewWriter(&out, s, testKey(s), testContext)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	size := out.Len()
	if _, err := w.Write([]byte{1}); err != ErrClosed {
		t.Errorf("Write: %v", err)
	}
	if _, err := w.ReadFrom(bytes.NewReader([]byte{1})); err != ErrClosed {
		t.Errorf("ReadFrom: %v", err)
	}
	w.Abort()
	if err := w.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if out.Len() != size {
		t.Error("something was written after Close")
	}
}

// The output of an aborted writer is not a valid message.
func TestAbort(t *testing.T) {
	s := AES128GCM()
	for _, n := range concurrencies {
		for _, size := range []int{0, 100, ChunkSize, 100000, 5 << 20} {
			var out bytes.Buffer
			w, err := NewWriter(&out, s, testKey(s), nil, WithConcurrency(n))
			if err != nil {
				t.Fatal(err)
			}
			w.Write(make([]byte, size))
			w.Abort()
			if _, err := w.Write([]byte{1}); err != ErrClosed {
				t.Errorf("Write: %v", err)
			}
			if err := w.Close(); err != ErrClosed {
				t.Errorf("Close: %v", err)
			}
			want := ErrTruncated
			if out.Len() == 0 {
				want = ErrHeader
			}
			if _, err := PlaintextSize(int64(out.Len())); err != want {
				t.Errorf("%d bytes: a message of %d bytes: %v, want %v", size, out.Len(), err, want)
			}
		}
	}
}

// The writer stops before the counter exceeds its bits in the nonce.
func TestWriterTooLong(t *testing.T) {
	s := AES128GCM()
	for _, n := range concurrencies {
		begin := func(next int64) (*Writer, *bytes.Buffer) {
			out := new(bytes.Buffer)
			w, err := newWriter(out, s, testKey(s), testSalt, testContext, []Option{WithConcurrency(n)})
			if err != nil {
				t.Fatal(err)
			}
			w.next = next
			return w, out
		}
		w, out := begin(maxChunks - 3)
		if _, err := w.Write(make([]byte, 2*ChunkSize+1)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		a, base, _ := specKeys(t, s, testKey(s), testSalt, testContext)
		last := out.Bytes()[56+2*16400:]
		if p, err := a.Open(nil, specNonce(base, 1<<38-1), last, nil); err != nil || len(p) != 1 {
			t.Errorf("chunk 2^38-1: %v", err)
		}

		w, _ = begin(maxChunks - 2)
		w.Write(make([]byte, 2*ChunkSize))
		if err := w.Close(); err != ErrTooLong {
			t.Errorf("a last chunk 2^38: %v", err)
		}
		w, _ = begin(maxChunks - 2)
		_, err := w.ReadFrom(bytes.NewReader(make([]byte, 100*ChunkSize)))
		if err != ErrTooLong || w.Close() != ErrTooLong {
			t.Errorf("copying past 2^38: %v", err)
		}
	}
}

// Without concurrency, writing does not allocate once the buffers exist.
func TestWriterAllocations(t *testing.T) {
	s := AES128GCM()
	w, err := NewWriter(io.Discard, s, testKey(s), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 100000)
	w.Write(p)
	if n := testing.AllocsPerRun(20, func() { w.Write(p) }); n != 0 {
		t.Errorf("%v allocations per write", n)
	}
}
