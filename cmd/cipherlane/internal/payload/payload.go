// Package payload encrypts and decrypts the payload of age files, that is, what follows the
// header (https://c2sp.org/age, "Payload"): chunks of 64 KiB, each sealed by
// ChaCha20-Poly1305 with the number of the chunk as nonce. It writes the same bytes as
// filippo.io/age, which reads and writes the header, but takes the cipher from its caller,
// processes several chunks per system call, and can use several cores.
package payload

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	FileKeySize = 16
	NonceSize   = 16 // of the nonce that follows the header

	chunkSize  = 64 << 10
	overhead   = 16
	sealedSize = chunkSize + overhead

	// batchChunks is the number of chunks that are read, processed and written together, if
	// several goroutines do it. A single one takes one chunk at a time: its buffers then
	// stay in the cache of its core.
	batchChunks = 4
)

// Errors in the payload. Errors of reading and writing are returned as they are.
var (
	ErrTruncated = errors.New("truncated")
	ErrTrailing  = errors.New("there is data after its end")
)

// errEnd is for a last chunk that is not authentic: what is wrong with it does not show.
var errEnd endError

type endError struct{}

func (endError) Error() string { return "truncated, extended, or its end is damaged" }

// Is makes it an ErrTruncated.
func (endError) Is(target error) bool { return target == ErrTruncated }

// maxAppended is the number of bytes after the end that are recognised as such, if they do not
// begin a chunk: what programs append that take a file for text, and a little more.
const maxAppended = 128

// A ChunkError reports a chunk that is not authentic.
type ChunkError struct{ Chunk int64 }

func (e *ChunkError) Error() string {
	return fmt.Sprintf("chunk %d is damaged or misplaced", e.Chunk)
}

// PlaintextSize returns the size of the plaintext of a payload, with its nonce, of a size. It reports
// false if no payload has this size.
func PlaintextSize(size int64) (plain int64, ok bool) {
	size -= NonceSize
	chunks := max(1, (size+sealedSize-1)/sealedSize)
	last := size - (chunks-1)*sealedSize
	if last < overhead || last == overhead && chunks > 1 { // only the first chunk may be empty
		return 0, false
	}
	return size - chunks*overhead, true
}

// Key derives the key of the payload from the file key and the nonce after the header.
func Key(fileKey, nonce []byte) []byte {
	key, err := hkdf.Key(sha256.New, fileKey, nonce, "payload", 32)
	if err != nil {
		panic(err) // only for an impossible length, or in FIPS mode, which callers refuse
	}
	return key
}

// A Stopper is a source whose Stop ends a Read that waits for data. With several jobs, a Read
// may be waiting when there is an error. If the source is a Stopper, it is stopped then;
// otherwise, Encrypt and Decrypt only return when the Read does.
type Stopper interface {
	io.Reader
	Stop()
}

// Encrypt reads plaintext to its end and writes the payload.
func Encrypt(dst io.Writer, src io.Reader, aead cipher.AEAD, jobs int) error {
	return run(dst, src, jobs, chunkSize, func(b *batch) error {
		b.out = b.out[:0]
		for first := true; first || len(b.in) > 0; first = false {
			c := b.in[:min(len(b.in), chunkSize)]
			b.in = b.in[len(c):]
			b.out = aead.Seal(b.out, b.nonce(b.last && len(b.in) == 0), c, nil)
			b.chunk++
		}
		return nil
	})
}

// Decrypt reads a payload to its end and writes the plaintext. Only authentic chunks are
// written; nil is returned only if the last of them was.
func Decrypt(dst io.Writer, src io.Reader, aead cipher.AEAD, jobs int) error {
	return run(dst, src, jobs, sealedSize, func(b *batch) error {
		b.out = b.out[:0]
		if len(b.in) == 0 {
			return ErrTruncated
		}
		for len(b.in) > 0 {
			c := b.in[:min(len(b.in), sealedSize)]
			b.in = b.in[len(c):]
			last := b.last && len(b.in) == 0
			out, err := aead.Open(b.out, b.nonce(last), c, nil)
			switch {
			case err == nil && len(c) == overhead && b.chunk > 0:
				return &ChunkError{b.chunk} // only an empty file has an empty chunk
			case err == nil:
				b.out = out
				b.chunk++
				continue
			}
			// The other kind of chunk shows what is wrong.
			out, err = aead.Open(b.out, b.nonce(!last), c, nil)
			switch {
			case err != nil && b.last && len(b.in) == 0 && b.openShorter(aead, c):
				return ErrTrailing
			case err != nil && len(c) < sealedSize:
				return errEnd
			case err != nil:
				return &ChunkError{b.chunk}
			case last:
				if len(c) == sealedSize {
					b.out = out
				}
				return ErrTruncated
			default:
				b.out = out
				return ErrTrailing
			}
		}
		return nil
	})
}

// A batch is some chunks in a row.
type batch struct {
	buf   []byte // what was read
	in    []byte // the part of buf that is processed
	out   []byte
	chunk int64 // number of the next chunk
	last  bool  // the last of the chunks is the last of the file
	err   error // to be returned after out
	done  chan struct{}
	n     [12]byte
}

// nonce returns the nonce of the next chunk: its number and whether it is the last.
func (b *batch) nonce(last bool) []byte {
	for i, n := 10, b.chunk; i >= 3; i, n = i-1, n>>8 {
		b.n[i] = byte(n)
	}
	b.n[11] = 0
	if last {
		b.n[11] = 1
	}
	return b.n[:]
}

// openShorter reports whether the last chunk is authentic without some bytes that follow it.
func (b *batch) openShorter(aead cipher.AEAD, c []byte) bool {
	least := overhead
	if b.chunk > 0 {
		least++ // only an empty file has an empty chunk
	}
	for n := len(c) - 1; n >= least && n >= len(c)-maxAppended; n-- {
		if out, err := aead.Open(b.out, b.nonce(true), c[:n], nil); err == nil {
			clear(out[len(b.out):]) // age writes nothing of such a chunk
			return true
		}
	}
	return false
}

// A source cuts what it reads into batches.
type source struct {
	io.Reader
	size  int    // of a chunk
	rest  []byte // the beginning of the next chunk, in the previous batch
	chunk int64
	err   error
}

// fill reads into a batch until it has at least one chunk or the source ends.
func (s *source) fill(b *batch) {
	n := copy(b.buf, s.rest)
	for idle := 0; s.err == nil && n < s.size; {
		var m int
		if m, s.err = s.Read(b.buf[n:]); m > 0 {
			idle = 0
		} else if idle++; idle == 100 && s.err == nil {
			s.err = io.ErrNoProgress
		}
		n += m
	}
	whole := n
	if s.err != io.EOF {
		whole -= n % s.size
	}
	b.in, s.rest = b.buf[:whole], b.buf[whole:n]
	b.chunk, b.last, b.err = s.chunk, false, nil
	s.chunk += int64(whole / s.size)
}

// run moves batches from src through work to dst. Whether a batch has the last chunk is
// known only when the next one was read, so there are always two. With several jobs, work
// runs in goroutines, but batches are read and written in order, one at a time.
func run(dst io.Writer, src io.Reader, jobs, size int, work func(*batch) error) error {
	s := &source{Reader: src, size: size}
	count, chunks := jobs+2, batchChunks
	if jobs == 1 {
		count, chunks = 2, 1
	}
	free := make(chan *batch, count)
	var all []*batch
	for range cap(free) {
		b := &batch{done: make(chan struct{}, 1)}
		all = append(all, b)
		free <- b
	}
	defer func() {
		for _, b := range all {
			clear(b.buf)
			clear(b.out[:cap(b.out)])
		}
	}()
	write := func(b *batch) error {
		if len(b.out) > 0 {
			if n, err := dst.Write(b.out); err != nil {
				return err
			} else if n < len(b.out) {
				return io.ErrShortWrite
			}
		}
		return b.err
	}
	quit := make(chan struct{})
	// next reads the batch after b. It returns nil at the end, when b is the last one.
	next := func(b *batch) *batch {
		var following *batch
		select {
		case following = <-free:
		case <-quit:
			return nil
		}
		select {
		case <-quit: // if both were possible
			return nil
		default:
		}
		if following.buf == nil {
			following.buf = make([]byte, chunks*size)
			following.out = make([]byte, 0, chunks*sealedSize)
		}
		s.fill(following)
		if b == nil {
			return following
		}
		if len(following.in) == 0 {
			b.last = s.err == io.EOF
			if !b.last {
				b.in, b.err = nil, s.err
			}
			free <- following
			return nil
		}
		return following
	}
	do := func(b *batch) {
		if b.err == nil {
			b.err = work(b)
		} else {
			b.out = b.out[:0]
		}
	}

	if jobs == 1 {
		for b := next(nil); b != nil; {
			following := next(b)
			do(b)
			if err := write(b); err != nil {
				return err
			}
			free <- b
			b = following
		}
		return nil
	}

	var group sync.WaitGroup
	defer group.Wait()
	order := make(chan *batch, cap(free))
	tasks := make(chan *batch, cap(free))
	defer close(quit)
	for range jobs {
		group.Go(func() {
			for b := range tasks {
				do(b)
				b.done <- struct{}{}
			}
		})
	}
	group.Go(func() {
		defer close(order)
		defer close(tasks)
		for b := next(nil); b != nil; {
			following := next(b)
			tasks <- b
			order <- b
			b = following
		}
	})
	for b := range order {
		<-b.done
		if err := write(b); err != nil {
			if s, ok := src.(Stopper); ok {
				s.Stop()
			}
			return err
		}
		free <- b
	}
	return nil
}
