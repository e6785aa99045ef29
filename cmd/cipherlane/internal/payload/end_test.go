package payload

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

var errBroken = errors.New("broken")

// An eager writer wants something to write.
type eager struct{ io.Writer }

func (e *eager) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, errors.New("nothing is written")
	}
	return e.Writer.Write(p)
}

// After an error of the source, what was written is a part of the right result: buffers
// are used several times, and what they contained before is not written again.
func TestNothingStale(t *testing.T) {
	key := make([]byte, 32)
	rand.Read(key)
	aead, _ := chacha20poly1305.New(key)
	text := make([]byte, 25*chunkSize)
	rand.Read(text)
	sealed := spec(key, text)
	for _, jobs := range []int{1, 3} {
		for _, chunks := range []int{1, 7, 8, 23} {
			for _, more := range []int{0, 1, 1000} {
				for _, read := range []struct {
					what     string
					f        func(io.Writer, io.Reader, cipher.AEAD, int) error
					in, want []byte
					size     int
				}{
					{"encryption", Encrypt, text[:chunks*chunkSize+more], sealed, sealedSize},
					{"decryption", Decrypt, sealed[:chunks*sealedSize+more], text, chunkSize},
				} {
					var out bytes.Buffer
					err := read.f(&eager{&out}, io.MultiReader(bytes.NewReader(read.in), iotest.ErrReader(errBroken)), aead, jobs)
					if err != errBroken || out.Len()%read.size != 0 || !bytes.HasPrefix(read.want, out.Bytes()) {
						t.Errorf("%s with %d jobs, an error after %d chunks and %d bytes: %v, %d bytes written, right: %v",
							read.what, jobs, chunks, more, err, out.Len(), bytes.HasPrefix(read.want, out.Bytes()))
					}
					// At most two batches were read and not written.
					if written := out.Len() / read.size; written < chunks-2*batchChunks {
						t.Errorf("%s with %d jobs, an error after %d chunks: only %d written", read.what, jobs, chunks, written)
					}
				}
			}
		}
	}
}

// A slow AEAD does not seal until it may.
type slow struct {
	cipher.AEAD
	may chan struct{}
}

func (s *slow) Seal(dst, nonce, text, data []byte) []byte {
	if nonce[10] >= batchChunks { // not in the first batch
		<-s.may
	}
	return s.AEAD.Seal(dst, nonce, text, data)
}

// After an error, Encrypt waits for its goroutines: the buffers that they use contain text.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		aead, _ := chacha20poly1305.New(make([]byte, 32))
		s := &slow{AEAD: aead, may: make(chan struct{})}
		var err error
		returned := make(chan struct{})
		go func() {
			err = Encrypt(&failing{0, errBroken}, endless{}, s, 2)
			close(returned)
		}()
		synctest.Wait()
		select {
		case <-returned:
			t.Error("returned while a goroutine encrypts")
		default:
		}
		close(s.may)
		<-returned
		if err != errBroken {
			t.Errorf("error %v", err)
		}
	})
}

// A keeper remembers the buffers that it is given.
type keeper struct {
	io.Reader
	io.Writer
	mu      sync.Mutex
	buffers map[*byte][]byte
}

func (k *keeper) keep(p []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p = p[:cap(p)]
	if len(p) > 0 {
		k.buffers[&p[0]] = p
	}
}

func (k *keeper) Read(p []byte) (int, error) {
	k.keep(p)
	return k.Reader.Read(p)
}

func (k *keeper) Write(p []byte) (int, error) {
	k.keep(p)
	return k.Writer.Write(p)
}

// Buffers contain nothing any more when a call returns, whatever it returns.
func TestBuffersAreWiped(t *testing.T) {
	key := make([]byte, 32)
	rand.Read(key)
	aead, _ := chacha20poly1305.New(key)
	text := make([]byte, 40*chunkSize+5)
	for i := range text {
		text[i] = byte(i) | 1
	}
	sealed := spec(key, text)
	damaged := bytes.Clone(sealed)
	damaged[30*sealedSize]++
	broken := func(p []byte) io.Reader {
		return io.MultiReader(bytes.NewReader(p), iotest.ErrReader(errBroken))
	}
	for _, jobs := range []int{1, 3} {
		for _, c := range []struct {
			what string
			f    func(io.Writer, io.Reader, cipher.AEAD, int) error
			src  io.Reader
			dst  io.Writer
			err  bool
		}{
			{"encryption", Encrypt, bytes.NewReader(text), io.Discard, false},
			{"encryption of a chunk", Encrypt, bytes.NewReader(text[:5]), io.Discard, false},
			{"encryption of what ends in an error", Encrypt, broken(text), io.Discard, true},
			{"encryption to what is full", Encrypt, bytes.NewReader(text), &failing{20 * chunkSize, errBroken}, true},
			{"decryption", Decrypt, bytes.NewReader(sealed), io.Discard, false},
			{"decryption of what ends in an error", Decrypt, broken(sealed[:30*sealedSize]), io.Discard, true},
			{"decryption of what is damaged", Decrypt, bytes.NewReader(damaged), io.Discard, true},
			{"decryption to what is full", Decrypt, bytes.NewReader(sealed), &failing{20 * chunkSize, errBroken}, true},
		} {
			k := &keeper{Reader: c.src, Writer: c.dst, buffers: map[*byte][]byte{}}
			if err := c.f(k, k, aead, jobs); (err != nil) != c.err {
				t.Errorf("%s, %d jobs: error %v", c.what, jobs, err)
			}
			if len(k.buffers) == 0 {
				t.Errorf("%s, %d jobs: no buffers", c.what, jobs)
			}
			for _, b := range k.buffers {
				if n := len(b) - bytes.Count(b, []byte{0}); n > 0 {
					t.Errorf("%s, %d jobs: %d of %d bytes are left", c.what, jobs, n, len(b))
				}
			}
		}
	}
}

// A sluggish source reads nothing for a while before each part.
type sluggish struct {
	io.Reader
	pauses, left int
}

func (s *sluggish) Read(p []byte) (int, error) {
	if s.left > 0 {
		s.left--
		return 0, nil
	}
	s.left = s.pauses
	return s.Reader.Read(p[:min(len(p), 600)])
}

// A source may read nothing 99 times in a row, and any number of parts.
func TestSluggish(t *testing.T) {
	key := make([]byte, 32)
	aead, _ := chacha20poly1305.New(key)
	text := make([]byte, 2*chunkSize+5) // in more than 100 parts
	for pauses, want := range map[int]error{0: nil, 99: nil, 100: io.ErrNoProgress} {
		var out bytes.Buffer
		err := Encrypt(&out, &sluggish{bytes.NewReader(text), pauses, pauses}, aead, 1)
		if err != want || err == nil && !bytes.Equal(out.Bytes(), spec(key, text)) {
			t.Errorf("%d pauses: %v, %d bytes", pauses, err, out.Len())
		}
	}
}
