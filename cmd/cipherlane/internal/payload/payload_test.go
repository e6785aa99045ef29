package payload

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

var lengths = []int{0, 1, chunkSize - 1, chunkSize, chunkSize + 1, 2 * chunkSize, batchChunks*chunkSize - 1,
	batchChunks * chunkSize, batchChunks*chunkSize + 1, 2 * batchChunks * chunkSize, 40*chunkSize + 77}

// spec encrypts as the specification says it.
func spec(key, text []byte) (out []byte) {
	aead, _ := chacha20poly1305.New(key)
	for i := 0; ; i++ {
		n := min(len(text), chunkSize)
		nonce := make([]byte, 12)
		nonce[9], nonce[10] = byte(i>>8), byte(i)
		if n == len(text) {
			nonce[11] = 1
		}
		out = aead.Seal(out, nonce, text[:n], nil)
		if text = text[n:]; len(text) == 0 {
			return out
		}
	}
}

func TestRoundTrip(t *testing.T) {
	key := make([]byte, 32)
	rand.Read(key)
	aead, _ := chacha20poly1305.New(key)
	for _, n := range lengths {
		text := make([]byte, n)
		rand.Read(text)
		want := spec(key, text)
		for _, jobs := range []int{1, 2, 5} {
			for name, wrap := range map[string]func(io.Reader) io.Reader{
				"whole": func(r io.Reader) io.Reader { return r },
				"half":  iotest.HalfReader,
				"eof":   iotest.DataErrReader,
			} {
				var sealed, opened bytes.Buffer
				if err := Encrypt(&sealed, wrap(bytes.NewReader(text)), aead, jobs); err != nil || !bytes.Equal(sealed.Bytes(), want) {
					t.Fatalf("%d bytes, %d jobs, %s: %v, or not what the specification says", n, jobs, name, err)
				}
				if err := Decrypt(&opened, wrap(&sealed), aead, jobs); err != nil || !bytes.Equal(opened.Bytes(), text) {
					t.Fatalf("%d bytes, %d jobs, %s: %v, or not the same after decrypting", n, jobs, name, err)
				}
			}
		}
	}
}

func TestDamaged(t *testing.T) {
	key := make([]byte, 32)
	aead, _ := chacha20poly1305.New(key)
	const chunks = 2*batchChunks + 3
	text := make([]byte, chunks*chunkSize)
	rand.Read(text)
	sealed := spec(key, text)
	at := func(i int) int { return i * sealedSize }
	flip := func(i int) []byte {
		b := slices.Clone(sealed)
		b[i] ^= 1
		return b
	}
	swapped := slices.Clone(sealed)
	copy(swapped[at(2):], sealed[at(3):at(4)])
	copy(swapped[at(3):], sealed[at(2):at(3)])
	var empty bytes.Buffer // a full chunk, and an empty last one
	full := aead.Seal(nil, make([]byte, 12), text[:chunkSize], nil)
	empty.Write(aead.Seal(full, []byte{10: 1, 11: 1}, nil, nil))
	short := aead.Seal(slices.Clone(full[:sealedSize:sealedSize]), []byte{10: 1, 11: 0}, text[chunkSize:chunkSize+5], nil)
	for _, test := range []struct {
		what   string
		sealed []byte
		whole  int // chunks that may be written
		want   string
	}{
		{"nothing", nil, 0, ErrTruncated.Error()},
		{"a few bytes", sealed[:15], 0, ErrTruncated.Error()},
		{"first bit", flip(0), 0, "chunk 0 is"},
		{"middle", flip(at(9) + 5), 9, "chunk 9 is"},
		{"last tag", flip(len(sealed) - 1), chunks - 1, fmt.Sprintf("chunk %d is", chunks-1)},
		{"swapped", swapped, 2, "chunk 2 is"},
		{"repeated", slices.Concat(sealed[:at(4)], sealed[at(3):]), 4, "chunk 4 is"},
		{"missing", slices.Concat(sealed[:at(4)], sealed[at(5):]), 4, "chunk 4 is"},
		{"without its end", sealed[:len(sealed)-1], chunks - 1, ErrTruncated.Error()},
		{"without the last chunk", sealed[:at(chunks-1)], chunks - 1, ErrTruncated.Error()},
		{"at a batch", sealed[:at(batchChunks)], batchChunks, ErrTruncated.Error()},
		{"longer by a byte", append(slices.Clone(sealed), 0), chunks, ErrTrailing.Error()},
		{"a last chunk that is not full, and a newline", append(spec(key, text[:chunkSize+9]), '\n'), 1, ErrTrailing.Error()},
		{"the same and 128 bytes", append(spec(key, text[:chunkSize+9]), make([]byte, maxAppended)...), 1, ErrTrailing.Error()},
		{"the same and 129 bytes", append(spec(key, text[:chunkSize+9]), make([]byte, maxAppended+1)...), 1, errEnd.Error()},
		{"an empty file and a newline", append(spec(key, nil), '\n'), 0, ErrTrailing.Error()},
		{"longer by a file", slices.Concat(sealed, sealed), chunks, ErrTrailing.Error()},
		{"one byte", sealed[:1], 0, ErrTruncated.Error()},
		{"one byte of the last chunk", sealed[:at(4)+1], 4, ErrTruncated.Error()},
		{"a short chunk that is not the last", short, 1, ErrTruncated.Error()},
		{"an empty last chunk", empty.Bytes(), 1, "chunk 1 is"},
	} {
		for _, jobs := range []int{1, 3} {
			var out bytes.Buffer
			err := Decrypt(&out, bytes.NewReader(test.sealed), aead, jobs)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%s, %d jobs: error %v, want %q", test.what, jobs, err, test.want)
			}
			want := text[:test.whole*chunkSize]
			if !bytes.Equal(out.Bytes(), want) {
				t.Errorf("%s, %d jobs: %d bytes written, want the first %d chunks", test.what, jobs, out.Len(), test.whole)
			}
		}
	}
}

// TestErrors checks that errors of both ends are returned and that no goroutine hangs.
func TestErrors(t *testing.T) {
	aead, _ := chacha20poly1305.New(make([]byte, 32))
	broken := errors.New("broken")
	for _, jobs := range []int{1, 3} {
		for _, n := range []int64{0, 5, 3*batchChunks*chunkSize + 5} {
			src := io.MultiReader(io.LimitReader(rand.Reader, n), iotest.ErrReader(broken))
			if err := Encrypt(io.Discard, src, aead, jobs); err != broken {
				t.Errorf("%d jobs: error %v of a source, want %v", jobs, err, broken)
			}
		}
		if err := Encrypt(&failing{2 << 20, broken}, rand.Reader, aead, jobs); err != broken {
			t.Errorf("%d jobs: error %v of a destination, want %v", jobs, err, broken)
		}
		if err := Encrypt(&failing{2 << 20, nil}, rand.Reader, aead, jobs); err != io.ErrShortWrite {
			t.Errorf("%d jobs: error %v of a destination, want a short write", jobs, err)
		}
		if err := Encrypt(io.Discard, idle{}, aead, jobs); err != io.ErrNoProgress {
			t.Errorf("%d jobs: error %v of a source without progress", jobs, err)
		}
	}
}

type failing struct {
	room int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	if n < len(p) {
		return n, f.err
	}
	return n, nil
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// TestStopper: after an error, a source whose Read waits for data is stopped.
func TestStopper(t *testing.T) {
	aead, _ := chacha20poly1305.New(make([]byte, 32))
	broken := errors.New("broken")
	text := make([]byte, (batchChunks+1)*chunkSize+9) // a batch, and one that shows that it is not the last
	damaged := spec(make([]byte, 32), text)
	damaged[0] ^= 1
	for _, jobs := range []int{2, 5} {
		if err := Encrypt(&failing{0, broken}, newWaiting(text), aead, jobs); err != broken {
			t.Errorf("%d jobs: error %v of a destination, want %v", jobs, err, broken)
		}
		chunk := new(ChunkError)
		if err := Decrypt(io.Discard, newWaiting(damaged), aead, jobs); !errors.As(err, &chunk) || chunk.Chunk != 0 {
			t.Errorf("%d jobs: error %v of a damaged chunk", jobs, err)
		}
	}
}

// waiting is a source that ends only when it is stopped.
type waiting struct {
	io.Reader
	stop chan struct{}
}

func newWaiting(b []byte) *waiting {
	w := &waiting{stop: make(chan struct{})}
	w.Reader = io.MultiReader(bytes.NewReader(b), readerFunc(func([]byte) (int, error) {
		<-w.stop
		return 0, io.ErrClosedPipe
	}))
	return w
}

func (w *waiting) Stop() { close(w.stop) }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
