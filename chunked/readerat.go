package chunked

import (
	"io"
	"sync"
	"sync/atomic"
)

// A ReaderAt decrypts any part of a message. It is safe for concurrent use.
//
// A read opens the chunks that it touches and no others, so it does not
// authenticate the rest of the message. Reading part of a chunk costs as much as
// reading all of it; for small reads, use a bufio.Reader on an
// [io.SectionReader].
type ReaderAt struct {
	private
	m     *message
	src   io.ReaderAt
	plain int64 // length of the plaintext, if the message is authentic
	n     int   // maximum number of goroutines for one read

	whole   atomic.Bool // the last chunk is authentic, which proves that plain is right
	scratch sync.Pool   // of *batch

	mu     sync.RWMutex // held for writing by Close
	closed bool
}

// NewReaderAt reads the header of a message of size bytes from src and returns
// a reader for any part of it. The errors are [ErrHeader], [ErrTruncated] or
// [ErrTooLong] for a size that no message has, [ErrCommitment], [ErrKeySize]
// and errors of src.
//
// [WithConcurrency] sets how many goroutines may share one large read; src must
// allow parallel calls, as [io.ReaderAt] requires.
func NewReaderAt(src io.ReaderAt, size int64, suite Suite, key, context []byte, opts ...Option) (*ReaderAt, error) {
	o := collect(opts)
	plain, err := PlaintextSize(size)
	if err != nil {
		return nil, err
	}
	header := make([]byte, HeaderSize)
	if err := readAt(src, header, 0); err != nil {
		return nil, err
	}
	m, err := openMessage(append([]Suite{suite}, o.accept...), key, header, context)
	if err != nil {
		return nil, err
	}
	r := &ReaderAt{m: m, src: src, plain: plain, n: o.concurrency}
	r.scratch.New = func() any { return new(batch) }
	return r, nil
}

// Suite returns the suite of the message, as identified by its commitment.
func (r *ReaderAt) Suite() Suite { return r.m.suite }

// Size returns the length of the plaintext. The first call opens the last chunk,
// because only that proves how long the message is. The other chunks are
// authenticated when they are read.
func (r *ReaderAt) Size() (int64, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return 0, ErrClosed
	}
	if err := r.checkEnd(); err != nil {
		return 0, err
	}
	return r.plain, nil
}

func (r *ReaderAt) checkEnd() error {
	if r.whole.Load() {
		return nil
	}
	last := r.plain / ChunkSize * ChunkSize
	_, err := r.read(nil, last)
	return err
}

// ReadAt implements [io.ReaderAt]. If a chunk is not authentic, it returns the
// bytes before that chunk and a [*ChunkError]. It returns io.EOF only if the last
// chunk is authentic.
func (r *ReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errNegative
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return 0, ErrClosed
	}
	if len(p) == 0 {
		return 0, nil
	}
	n := 0
	if off < r.plain {
		want := int(min(int64(len(p)), r.plain-off))
		var err error
		n, err = r.readAll(p[:want], off)
		if err != nil {
			return n, err
		}
	}
	if n < len(p) {
		if err := r.checkEnd(); err != nil {
			return n, err
		}
		return n, io.EOF
	}
	return n, nil
}

// Close waits for pending reads, wipes the key and makes further reads fail with
// [ErrClosed]. It does not close the source.
func (r *ReaderAt) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.m.wipe()
	}
	return nil
}

// A split is a read divided into pieces. All but the first start at a chunk
// boundary.
type split struct {
	p        []byte
	off      int64
	first    int // bytes in the first piece
	partSize int // bytes in each of the others; the last one may be shorter
	pieces   int
}

func (r *ReaderAt) split(p []byte, off int64) split {
	skip := off % ChunkSize
	partSize := share((skip+int64(len(p))+ChunkSize-1)/ChunkSize, r.n) * ChunkSize
	s := split{p: p, off: off, partSize: partSize, first: min(len(p), partSize-int(skip))}
	s.pieces = 1 + (len(p)-s.first+partSize-1)/partSize
	return s
}

func (s *split) piece(i int) (p []byte, lo int) {
	if i == 0 {
		return s.p[:s.first], 0
	}
	lo = s.first + (i-1)*s.partSize
	hi := min(lo+s.partSize, len(s.p))
	return s.p[lo:hi], lo
}

// readAll reads p at off. Both ends lie within the message.
func (r *ReaderAt) readAll(p []byte, off int64) (int, error) {
	s := r.split(p, off)
	if r.n > 1 && s.pieces > 1 {
		return r.readShared(s)
	}
	for i := range s.pieces {
		p, lo := s.piece(i)
		if n, err := r.read(p, off+int64(lo)); err != nil {
			return lo + n, err
		}
	}
	return len(p), nil
}

// readShared reads with several goroutines.
func (r *ReaderAt) readShared(s split) (int, error) {
	var (
		next  atomic.Int64
		group sync.WaitGroup
		mu    sync.Mutex
		good  = len(s.p) // bytes before the first error
		fault error
	)
	work := func() {
		for {
			i := int(next.Add(1) - 1)
			if i >= s.pieces {
				return
			}
			p, lo := s.piece(i)
			n, err := r.read(p, s.off+int64(lo))
			if err != nil {
				// Pieces are handed out in order: all earlier ones are already being read.
				next.Store(int64(s.pieces))
				mu.Lock()
				if lo+n < good {
					good, fault = lo+n, err
				}
				mu.Unlock()
				return
			}
		}
	}
	for range min(r.n, s.pieces) - 1 {
		group.Add(1)
		go func() {
			defer group.Done()
			work()
		}()
	}
	work()
	group.Wait()
	clear(s.p[good:]) // what other goroutines have read after the error
	return good, fault
}

// read opens the chunks of one piece, of at most batchChunks+1 chunks. With an
// empty p it opens the chunk at off.
func (r *ReaderAt) read(p []byte, off int64) (int, error) {
	b := r.scratch.Get().(*batch)
	defer r.scratch.Put(b)
	firstChunk := off / ChunkSize
	lastChunk := max(firstChunk, (off+int64(len(p))-1)/ChunkSize)
	end := r.plain / ChunkSize // index of the last chunk of the message
	size := int(lastChunk-firstChunk+1) * sealedSize
	if lastChunk == end {
		size -= ChunkSize - int(r.plain%ChunkSize)
	}
	b.ct, b.first, b.err = b.reserve(size, nil), firstChunk, nil
	if err := readAt(r.src, b.ct, HeaderSize+firstChunk*sealedSize); err != nil {
		return 0, err
	}

	n := 0
	skip := int(off % ChunkSize)
	for len(b.ct) > 0 {
		full := min(len(b.ct)-Overhead, ChunkSize)
		if skip == 0 && len(p)-n >= full {
			// As many chunks as fit in one go.
			n += b.open(r.m, p[n:])
		} else {
			out := b.room(ChunkSize)[:full]
			if b.open(r.m, out); b.err == nil {
				n += copy(p[n:], out[skip:])
			}
			clear(out)
			skip = 0
		}
		if b.err != nil {
			return n, b.err
		}
	}
	if lastChunk == end {
		r.whole.Store(true)
	}
	return n, nil
}

// readAt fills p. If the source is shorter than the size passed to NewReaderAt,
// the error is io.ErrUnexpectedEOF, never io.EOF.
func readAt(src io.ReaderAt, p []byte, off int64) error {
	n, err := src.ReadAt(p, off)
	if n < 0 || n > len(p) {
		return errRead
	}
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
