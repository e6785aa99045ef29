package chunked

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/cipherlane/cipherlane/internal/synctest"
)

// readers are the ways to read a message from its beginning to its end.
var readers = map[string]func(r *Reader) ([]byte, error){
	"copy": func(r *Reader) ([]byte, error) {
		var out bytes.Buffer
		n, err := r.WriteTo(&out)
		if n != int64(out.Len()) {
			return nil, fmt.Errorf("WriteTo: %d of %d bytes", n, out.Len())
		}
		return out.Bytes(), err
	},
	"large reads": func(r *Reader) ([]byte, error) { return readBy(r, 1<<20) },
	"chunks":      func(r *Reader) ([]byte, error) { return readBy(r, ChunkSize) },
	"odd reads":   func(r *Reader) ([]byte, error) { return readBy(r, 16391) },
	"small reads": func(r *Reader) ([]byte, error) { return readBy(r, 1000) },
	"mixed": func(r *Reader) ([]byte, error) {
		out := make([]byte, 40000)
		n, err := io.ReadFull(r, out)
		out = out[:n]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = nil
		}
		if err != nil {
			return out, err
		}
		rest := bytes.NewBuffer(out)
		_, err = r.WriteTo(rest)
		return rest.Bytes(), err
	},
}

// Switching between large reads and WriteTo at any point.
func TestReadersMixed(t *testing.T) {
	s := fastSuite()
	p := plaintext(5<<20 + 99)
	p = append(p[:len(p):len(p)], p...)
	sealed := seal(t, s, p)
	for _, n := range concurrencies {
		for _, first := range []int{1, ChunkSize, 1 << 20, 3 << 20, 9 << 20} {
			for _, each := range []int{1000, ChunkSize, 2 << 20} {
				r := newTestReader(t, bytes.NewReader(sealed), s, n)
				got, err := readBy(io.LimitReader(r, int64(first)), each)
				if err != nil {
					t.Fatal(err)
				}
				rest := bytes.NewBuffer(got)
				if _, err := r.WriteTo(rest); err != nil || !bytes.Equal(rest.Bytes(), p) {
					t.Errorf("concurrency %d, %d bytes by %d: then %d bytes, %v", n, first, each, rest.Len()-first, err)
				}
			}
		}
	}
}

func readBy(r io.Reader, size int) ([]byte, error) {
	// The capacity behind the buffer belongs to somebody else.
	whole := make([]byte, size+100)
	var out []byte
	for {
		n, err := r.Read(whole[:size])
		out = append(out, whole[:n]...)
		if !bytes.Equal(whole[size:], make([]byte, 100)) {
			return out, errors.New("Read wrote behind its buffer")
		}
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
}

// sources are the ways in which a message may arrive.
var sources = map[string]func(p []byte) io.Reader{
	"plain":  func(p []byte) io.Reader { return bytes.NewReader(p) },
	"halves": func(p []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(p)) },
	"EOF with data": func(p []byte) io.Reader {
		return iotest.DataErrReader(bytes.NewReader(p))
	},
	"one byte": func(p []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(p)) },
}

func newTestReader(t testing.TB, src io.Reader, s Suite, n int) *Reader {
	t.Helper()
	r, err := NewReader(src, s, testKey(s), testContext, WithConcurrency(n))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReader(t *testing.T) {
	twoSuites(t, func(t *testing.T, s Suite) {
		all := plaintext(5<<20 + 12345)
		for i, size := range someSizes(s) {
			p := all[:size]
			sealed := specSeal(t, s, testKey(s), testSalt, testContext, p)
			for from, source := range sources {
				// All sizes, but the slow ways for some of them only.
				if from != "plain" && i%7 != 0 || from == "one byte" && size > 40000 {
					continue
				}
				for method, read := range readers {
					if method == "small reads" && i%7 != 0 {
						continue
					}
					for _, n := range concurrencies {
						r := newTestReader(t, source(sealed), s, n)
						got, err := read(r)
						if err != nil || !bytes.Equal(got, p) {
							t.Fatalf("%d bytes, %s, %s, concurrency %d: %d bytes, %v", size, from, method, n, len(got), err)
						}
						if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
							t.Fatalf("after the end: %d, %v", n, err)
						}
						if n, err := r.WriteTo(io.Discard); n != 0 || err != nil {
							t.Fatalf("after the end: %d, %v", n, err)
						}
					}
				}
			}
		}
	})
}

// The checks of iotest for readers.
func TestReaderIotest(t *testing.T) {
	s := AES128GCM()
	p := plaintext(70000)
	sealed := seal(t, s, p)
	for _, n := range concurrencies {
		if err := iotest.TestReader(newTestReader(t, bytes.NewReader(sealed), s, n), p); err != nil {
			t.Error(err)
		}
	}
}

// A chunk is returned as soon as it is complete, before the source ends.
func TestReaderIsPrompt(t *testing.T) {
	s := AES128GCM()
	p := plaintext(3 * ChunkSize)
	sealed := seal(t, s, p)
	for _, n := range concurrencies {
		pr, pw := io.Pipe()
		read := make(chan []byte)
		go func() {
			r := newTestReader(t, pr, s, n)
			for {
				buf := make([]byte, 2*ChunkSize)
				n, err := r.Read(buf)
				if err != nil {
					close(read)
					return
				}
				read <- buf[:n]
			}
		}()
		returned := make(chan struct{})
		go func() {
			pw.Write(sealed[:56+16400])
			<-returned
			pw.Write(sealed[56+16400:])
			pw.Close()
		}()
		if got := <-read; !bytes.Equal(got, p[:ChunkSize]) {
			t.Errorf("concurrency %d: %d bytes", n, len(got))
		}
		close(returned)
		var rest []byte
		for got := range read {
			rest = append(rest, got...)
		}
		if !bytes.Equal(rest, p[ChunkSize:]) {
			t.Errorf("concurrency %d: then %d bytes", n, len(rest))
		}
	}
}

// A damage is a change to a message, with the result that a reader must return.
type damage struct {
	name   string
	sealed []byte
	good   int   // bytes of plaintext that may be returned
	err    error // a *ChunkError stands for any with that content
}

// damages does everything to a message of which chunk i is its sealed bytes.
func damages(t testing.TB, s Suite, p []byte) []damage {
	sealed := seal(t, s, p)
	header, body := sealed[:56], sealed[56:]
	var chunks [][]byte
	for len(body) > 0 {
		n := min(len(body), sealedSize)
		chunks = append(chunks, body[:n])
		body = body[n:]
	}
	last := len(chunks) - 1
	var list []damage
	add := func(err error, good int, sealed []byte, format string, a ...any) {
		list = append(list, damage{fmt.Sprintf(format, a...), sealed, good, err})
	}
	flip := func(at int, bit byte) []byte {
		m := bytes.Clone(sealed)
		m[at] ^= bit
		return m
	}
	join := func(chunks ...[]byte) []byte { return slices.Concat(append([][]byte{header}, chunks...)...) }
	chunkError := func(i int, last bool) error { return &ChunkError{Chunk: int64(i), Last: last} }

	for _, at := range []int{0, 11, 23, 24, 40, 55} {
		add(ErrCommitment, 0, flip(at, 1<<(at%8)), "header flipped at %d", at)
	}
	for i, c := range chunks {
		start := 56 + i*sealedSize
		for _, at := range []int{0, len(c) / 2, len(c) - Overhead, len(c) - 1} {
			add(chunkError(i, i == last), i*ChunkSize, flip(start+at, 0x80>>(at%8)), "chunk %d flipped at %d", i, at)
		}
		// Gone, doubled, swapped.
		others := slices.Delete(slices.Clone(chunks), i, i+1)
		err := chunkError(i, i+1 == last)
		if i == last {
			err = ErrTruncated
		}
		add(err, i*ChunkSize, join(others...), "without chunk %d", i)
		if i == last {
			// Doubling the last one makes it a chunk of another length.
			add(chunkError(i, 2*len(c) < sealedSize), i*ChunkSize, join(append(slices.Clone(chunks), c)...), "chunk %d doubled", i)
		} else {
			add(chunkError(i+1, false), (i+1)*ChunkSize, join(slices.Insert(slices.Clone(chunks), i, c)...), "chunk %d doubled", i)
		}
		if i+1 < last {
			swapped := slices.Clone(chunks)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			add(chunkError(i, false), i*ChunkSize, join(swapped...), "chunks %d and %d swapped", i, i+1)
		}
		// Cut.
		for _, keep := range []int{0, 1, 15, 16, 17, len(c) / 2, len(c) - 17, len(c) - 16, len(c) - 1} {
			if keep < 0 || keep >= len(c) {
				continue
			}
			err := ErrTruncated
			if keep >= Overhead {
				err = chunkError(i, true)
			}
			add(err, i*ChunkSize, sealed[:start+keep], "cut %d bytes into chunk %d", keep, i)
		}
		if i < last {
			// A cut with the tag of the whole chunk.
			for _, keep := range []int{0, 1, 1000} {
				add(chunkError(i, true), i*ChunkSize, slices.Concat(sealed[:start+keep], c[ChunkSize:]), "chunk %d shortened to %d bytes", i, keep)
			}
		}
	}
	for _, n := range []int{1, 16, 17, 1000, sealedSize - len(chunks[last]) - 1, sealedSize - len(chunks[last]), sealedSize, 3 * sealedSize} {
		if n > 0 {
			full := len(chunks[last])+n >= sealedSize
			add(chunkError(last, !full), last*ChunkSize, slices.Concat(sealed, make([]byte, n)), "%d bytes appended", n)
		}
	}
	for _, keep := range []int{0, 1, 23, 24, 55} {
		add(ErrHeader, 0, sealed[:keep], "cut to %d bytes", keep)
	}
	other := specSeal(t, s, testKey(s), bytes.Repeat([]byte{9}, 24), testContext, p)
	add(chunkError(0, last == 0), 0, slices.Concat(header, other[56:]), "chunks of another message")
	// A message of the same key that only adds an authentic last chunk.
	longer := seal(t, s, append(bytes.Clone(p), 1))
	if len(longer) > len(sealed) && len(chunks[last])+1 < sealedSize {
		add(chunkError(last, true), last*ChunkSize, slices.Concat(sealed, longer[len(longer)-17:]), "followed by a chunk")
	}
	return list
}

func sameError(got, want error) bool {
	g, ok1 := got.(*ChunkError)
	w, ok2 := want.(*ChunkError)
	if ok1 && ok2 {
		return *g == *w && errors.Is(got, ErrTruncated) == w.Last // it may have been cut
	}
	return got == want
}

func TestDamages(t *testing.T) {
	twoSuites(t, func(t *testing.T, s Suite) {
		for _, size := range []int{0, 1, 100, ChunkSize - 1, ChunkSize, ChunkSize + 1, 3 * ChunkSize, 4*ChunkSize + 7, 18*ChunkSize + 100} {
			if testing.Short() && (size > 5*ChunkSize || size > 2*ChunkSize && s.Name != fastSuite().Name) {
				continue
			}
			p := plaintext(size)
			for _, d := range damages(t, s, p) {
				if _, err := specOpen(t, s, testKey(s), testContext, d.sealed); err == nil {
					t.Fatalf("%d bytes, %s: is authentic", size, d.name)
				}
				for _, n := range concurrencies {
					for method, read := range readers {
						if size > 5*ChunkSize && method == "small reads" {
							continue
						}
						r, err := NewReader(bytes.NewReader(d.sealed), s, testKey(s), testContext, WithConcurrency(n))
						var got []byte
						if err == nil {
							got, err = read(r)
							for range 2 {
								if n, err2 := r.Read(make([]byte, 100)); n != 0 || err2 != err {
									t.Errorf("%d bytes, %s, %s: then %d, %v", size, d.name, method, n, err2)
								}
								if n, err2 := r.WriteTo(io.Discard); n != 0 || err2 != err {
									t.Errorf("%d bytes, %s, %s: then %d, %v", size, d.name, method, n, err2)
								}
							}
						}
						if !sameError(err, d.err) {
							t.Errorf("%d bytes, %s, %s, concurrency %d: %v, want %v", size, d.name, method, n, err, d.err)
						}
						if !bytes.Equal(got, p[:d.good]) {
							t.Errorf("%d bytes, %s, %s, concurrency %d: returned %d bytes, want %d", size, d.name, method, n, len(got), d.good)
						}
					}
				}
			}
		}
	})
}

func TestWrongKeyAndContext(t *testing.T) {
	everySuite(t, func(t *testing.T, s Suite) {
		sealed := seal(t, s, plaintext(100))
		key := testKey(s)
		for i := range key {
			key[i] ^= 1
			if _, err := NewReader(bytes.NewReader(sealed), s, key, testContext); err != ErrCommitment {
				t.Errorf("key with byte %d changed: %v", i, err)
			}
			if _, err := NewReaderAt(bytes.NewReader(sealed), int64(len(sealed)), s, key, testContext); err != ErrCommitment {
				t.Errorf("key with byte %d changed: %v", i, err)
			}
			key[i] ^= 1
		}
		for _, context := range [][]byte{nil, {}, {0}, testContext[1:], append([]byte{0}, testContext...), append(bytes.Clone(testContext), 0)} {
			if _, err := NewReader(bytes.NewReader(sealed), s, key, context); err != ErrCommitment {
				t.Errorf("context %q: %v", context, err)
			}
		}
		renamed := s
		renamed.Name += "_"
		if _, err := NewReader(bytes.NewReader(sealed), renamed, key, testContext); err != ErrCommitment {
			t.Errorf("another name: %v", err)
		}
	})
}

// An error of the source is returned after all authentic chunks before it.
func TestReaderSourceErrors(t *testing.T) {
	s := fastSuite()
	p := plaintext(40 * ChunkSize)
	sealed := seal(t, s, p)
	for _, n := range concurrencies {
		for method, read := range readers {
			for _, at := range []int{56, 57, 56 + 16400, 56 + 16400 + 50, len(sealed) - 16, len(sealed) - 1, len(sealed)} {
				for _, want := range []error{errDisk, io.ErrUnexpectedEOF} {
					r := newTestReader(t, io.MultiReader(bytes.NewReader(sealed[:at]), iotest.ErrReader(want)), s, n)
					got, err := read(r)
					if err != want || !bytes.Equal(got, p[:(at-56)/16400*ChunkSize]) {
						t.Errorf("%s, concurrency %d: %v after %d bytes, want %v after %d", method, n, err, len(got), want, (at-56)/16400*ChunkSize)
					}
					if _, err2 := r.Read(make([]byte, 1)); err2 != err {
						t.Errorf("%s: then %v, want %v", method, err2, err)
					}
				}
			}
			r := newTestReader(t, iotest.TimeoutReader(bytes.NewReader(sealed)), s, n)
			if got, err := read(r); err != iotest.ErrTimeout || len(got) != 0 {
				t.Errorf("%s: %v after %d bytes", method, err, len(got))
			}
			r = newTestReader(t, io.MultiReader(bytes.NewReader(sealed[:30000]), liar(0)), s, n)
			if got, err := read(r); err != io.ErrNoProgress || len(got) != ChunkSize {
				t.Errorf("%s: %v after %d bytes", method, err, len(got))
			}
		}
	}
	for _, at := range []int{0, 1, 55} {
		_, err := NewReader(io.MultiReader(bytes.NewReader(sealed[:at]), iotest.ErrReader(errDisk)), s, testKey(s), testContext)
		if err != errDisk {
			t.Errorf("header: %v, want %v", err, errDisk)
		}
	}
}

func TestWriteToErrors(t *testing.T) {
	s := fastSuite()
	p := plaintext(1500000)
	sealed := seal(t, s, p)
	for _, n := range concurrencies {
		for _, left := range []int{0, 1, ChunkSize, 1 << 20, len(p) - 1} {
			for _, short := range []bool{false, true} {
				for _, first := range []int{0, 10, 50000} {
					want := errDisk
					if short {
						want = io.ErrShortWrite
					}
					r := newTestReader(t, bytes.NewReader(sealed), s, n)
					if _, err := io.ReadFull(r, make([]byte, first)); err != nil {
						t.Fatal(err)
					}
					dst := &failAfter{left: left - first, short: short}
					if dst.left < 0 {
						continue
					}
					got, err := r.WriteTo(dst)
					if err != want || got != int64(left-first) || dst.after > 0 {
						t.Errorf("concurrency %d: %d, %v, want %d, %v; %d writes after it", n, got, err, left, want, dst.after)
					}
					if _, err2 := r.Read(make([]byte, 1)); err2 != want {
						t.Errorf("then %v, want %v", err2, want)
					}
				}
			}
		}
	}
}

func TestReaderAfterClose(t *testing.T) {
	s := AES128GCM()
	sealed := seal(t, s, plaintext(3<<20))
	for _, n := range concurrencies {
		for _, first := range []int{0, 100, 2 << 20} {
			r := newTestReader(t, bytes.NewReader(sealed), s, n)
			io.ReadFull(r, make([]byte, first))
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			if n, err := r.Read(make([]byte, 100)); n != 0 || err != ErrClosed {
				t.Errorf("Read: %d, %v", n, err)
			}
			if n, err := r.WriteTo(io.Discard); n != 0 || err != ErrClosed {
				t.Errorf("WriteTo: %d, %v", n, err)
			}
		}
	}
}

func TestReaderTooLong(t *testing.T) {
	s := AES128GCM()
	for _, n := range concurrencies {
		for method, read := range readers {
			for last, want := range map[int64]error{maxChunks - 1: nil, maxChunks: ErrTooLong} {
				// A message of 20 chunks of which the last has this index.
				first := last - 19
				p := plaintext(19*ChunkSize + 1)
				var out bytes.Buffer
				out.Write(specSeal(t, s, testKey(s), testSalt, testContext, nil)[:56])
				a, base, _ := specKeys(t, s, testKey(s), testSalt, testContext)
				for i := range int64(20) {
					c := p[i*ChunkSize : min((i+1)*ChunkSize, int64(len(p)))]
					out.Write(a.Seal(nil, specNonce(base, first+i), c, nil))
				}
				r := newTestReader(t, &out, s, n)
				r.next = first
				got, err := read(r)
				good := len(p)
				if want != nil {
					good--
				}
				if err != want || !bytes.Equal(got, p[:good]) {
					t.Errorf("%s, concurrency %d: last chunk %#x: %v after %d bytes", method, n, last, err, len(got))
				}
			}
		}
	}
}

// All goroutines have ended when a call returns, whatever it returns: synctest fails
// if one is left. Without concurrency, none are started.
func TestNoGoroutinesLeft(t *testing.T) {
	s := fastSuite()
	p := plaintext(2 << 20)
	sealed := seal(t, s, p)
	bad := bytes.Clone(sealed)
	bad[1<<20] ^= 1
	for _, n := range concurrencies {
		synctest.Test(t, func(t *testing.T) {
			for _, read := range readers {
				for _, src := range []io.Reader{bytes.NewReader(sealed), bytes.NewReader(bad), bytes.NewReader(sealed[:1500000]),
					io.MultiReader(bytes.NewReader(sealed[:1500000]), iotest.ErrReader(errDisk))} {
					read(newTestReader(t, src, s, n)) // and no Close
				}
			}
			newTestReader(t, bytes.NewReader(sealed), s, n).WriteTo(&failAfter{left: 1 << 20})
			newTestReader(t, bytes.NewReader(sealed), s, n).Read(make([]byte, 1<<20))
			for _, dst := range []io.Writer{io.Discard, &failAfter{left: 1 << 20}} {
				w, err := NewWriter(dst, s, testKey(s), nil, WithConcurrency(n))
				if err != nil {
					t.Fatal(err)
				}
				w.Write(p)
				w.ReadFrom(onlyReader{bytes.NewReader(p)})
				w.ReadFrom(io.MultiReader(bytes.NewReader(p), iotest.ErrReader(errDisk)))
			}
		})
	}
}

// A destination is called by one goroutine at a time.
func TestOneIsAlone(t *testing.T) {
	s := AES128GCM()
	p := plaintext(4 << 20)
	caller := make(chan struct{}, 1)
	check := func(p []byte) (int, error) {
		select {
		case caller <- struct{}{}:
		default:
			t.Error("two calls at once")
		}
		<-caller
		return len(p), nil
	}
	w, err := NewWriter(writerFunc(check), s, testKey(s), nil, WithConcurrency(4))
	if err != nil {
		t.Fatal(err)
	}
	w.Write(p)
	w.ReadFrom(onlyReader{bytes.NewReader(p)})
	w.Close()
	newTestReader(t, bytes.NewReader(seal(t, s, p)), s, 4).WriteTo(writerFunc(check))
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Reading does not allocate once the buffers exist.
func TestReaderAllocations(t *testing.T) {
	s := AES128GCM()
	r := newTestReader(t, bytes.NewReader(seal(t, s, make([]byte, 16<<20))), s, 1)
	for _, size := range []int{1000, 100000} {
		p := make([]byte, size)
		io.ReadFull(r, make([]byte, 4<<20))
		if n := testing.AllocsPerRun(50, func() { r.Read(p) }); n != 0 {
			t.Errorf("%v allocations per read of %d bytes", n, size)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	for err, want := range map[error]string{
		&ChunkError{Chunk: 17}:            "chunked: chunk 17 is damaged or misplaced",
		&ChunkError{Chunk: 3, Last: true}: "chunked: chunk 3, the last, is damaged, misplaced, cut short or extended",
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
