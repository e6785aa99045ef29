package chunked

import (
	"crypto/rand"
	"io"
)

// A Writer encrypts what is written to it. It is not safe for concurrent use.
//
// Without [WithConcurrency], every chunk that a call completes has been written
// to the destination when the call returns. With it, small writes are buffered;
// [Writer.ReadFrom] and large writes benefit most. Errors of the destination are
// permanent: all further calls return the same error.
type Writer struct {
	private
	m    *message
	dst  io.Writer
	line *line

	header []byte // until it is moved to the first batch
	next   int64  // index of the next chunk
	limit  int64  // of indices

	gathered []byte // buffered plaintext; less than gather bytes between calls
	gather   int    // a multiple of ChunkSize

	// The chunks to seal now: two runs of full chunks, and the last chunk.
	whole [2][]byte
	tail  []byte
	last  bool
	share int // number of chunks per batch

	// Or where to read it from.
	src    io.Reader
	srcErr error
	chunks int    // number of chunks to read at once
	rest   []byte // the beginning of the next chunk, in the previous batch
	count  int64  // bytes read

	err    error
	closed bool
}

// NewWriter returns a writer that encrypts to dst. Nothing is written before
// the first chunk is complete or the writer is closed.
//
// Close writes the last chunk; without it, readers reject the message as
// truncated. Closing after an incomplete write makes a valid message, though: a
// caller whose source fails must call [Writer.Abort] instead.
func NewWriter(dst io.Writer, suite Suite, key, context []byte, opts ...Option) (*Writer, error) {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	return newWriter(dst, suite, key, salt, context, opts)
}

func newWriter(dst io.Writer, suite Suite, key, salt, context []byte, opts []Option) (*Writer, error) {
	o := collect(opts)
	if o.accept != nil {
		return nil, errAccept
	}
	m, header, err := newMessage(suite, key, salt, context)
	if err != nil {
		return nil, err
	}
	w := &Writer{m: m, dst: dst, line: newLine(o.concurrency), header: header, limit: maxChunks, gather: ChunkSize, chunks: firstChunks}
	if o.concurrency > 1 {
		w.gather = o.concurrency * batchChunks / 2 * ChunkSize
	}
	return w, nil
}

// Write encrypts p. Full chunks are sealed without copying them first.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	total := len(p)
	if len(w.gathered)+len(p) < w.gather {
		w.keep(p)
		return total, nil
	}
	if len(w.gathered) > 0 {
		n := w.gather - len(w.gathered)
		w.keep(p[:n])
		p = p[n:]
	}
	direct := len(p) &^ (ChunkSize - 1)
	if err := w.seal(w.gathered, p[:direct], nil, false); err != nil {
		return 0, err
	}
	w.gathered = w.gathered[:0]
	w.keep(p[direct:])
	return total, nil
}

// keep appends p to the buffered plaintext.
func (w *Writer) keep(p []byte) {
	if size := len(w.gathered) + len(p); size > cap(w.gathered) {
		grown := make([]byte, len(w.gathered), min(w.gather, max(ChunkSize, 2*size)))
		copy(grown, w.gathered)
		clear(w.gathered)
		w.gathered = grown
	}
	w.gathered = append(w.gathered, p...)
}

// ReadFrom implements [io.ReaderFrom], which io.Copy uses. It encrypts everything
// up to the end of src, in reads of up to 512 KiB. With [WithConcurrency], other
// goroutines call src and the destination, but not after ReadFrom has returned:
// after an error, it waits for a pending call of src. An error of src is returned,
// but is not permanent.
//
// With [WithConcurrency], goroutines read parts of an [io.SectionReader] at once, and
// if the destination is an [io.OffsetWriter], they also write them at once, in any
// order. If the section turns out to be shorter than its size, or after an error,
// there may be bytes behind the offset of the OffsetWriter; the caller must cut them off.
func (w *Writer) ReadFrom(src io.Reader) (int64, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	if whole := len(w.gathered) &^ (ChunkSize - 1); whole > 0 {
		if err := w.seal(w.gathered[:whole], nil, nil, false); err != nil {
			return 0, err
		}
		w.gathered = w.gathered[:copy(w.gathered, w.gathered[whole:])]
	}
	w.src, w.srcErr, w.count = src, nil, 0
	if err := w.readSection(src); err != nil {
		return w.count, err
	}
	w.rest = w.gathered
	err := w.run()
	w.gathered = w.gathered[:0]
	w.keep(w.rest)
	w.src, w.rest = nil, nil
	if err == nil && w.srcErr != io.EOF {
		err = w.srcErr
	}
	return w.count, err
}

// Close writes the remaining chunks, including the last one, and wipes the key. It
// does not close the destination. It returns the writer's first error, and the
// same again if called more than once.
func (w *Writer) Close() error {
	if !w.closed {
		if w.err == nil {
			whole := len(w.gathered) &^ (ChunkSize - 1)
			w.seal(w.gathered[:whole], nil, w.gathered[whole:], true)
		}
		w.end()
	}
	return w.err
}

// Abort ends the message without its last chunk, so that readers reject it as
// truncated, and wipes the key. After Close it does nothing, so it can be
// deferred.
func (w *Writer) Abort() {
	if !w.closed {
		if w.err == nil {
			w.err = ErrClosed
		}
		w.end()
	}
}

func (w *Writer) end() {
	w.closed = true
	clear(w.gathered[:cap(w.gathered)])
	for _, b := range w.line.ring {
		clear(b.in)
	}
	w.gathered, w.line = nil, nil
	w.m.wipe()
}

func (w *Writer) check() error {
	if w.closed {
		return ErrClosed
	}
	return w.err
}

// seal seals two runs of full chunks and, if last, a tail, and writes them.
func (w *Writer) seal(first, second, tail []byte, last bool) error {
	w.whole = [2][]byte{first, second}
	w.tail, w.last = tail, last
	w.share = share(int64(len(first)+len(second))/ChunkSize, w.line.n)
	err := w.run()
	w.whole, w.tail = [2][]byte{}, nil
	return err
}

func (w *Writer) run() error {
	if err := w.line.run((*sealing)(w)); err != nil {
		w.err = err
	}
	return w.err
}

// sealing implements stages for a Writer.
type sealing Writer

func (w *sealing) read(b *batch) (last bool) {
	b.first = w.next
	b.whole = [2][]byte{}
	b.last = false
	if w.src != nil {
		last = w.readSource(b)
	} else {
		room := w.share * ChunkSize
		for i, p := range w.whole {
			n := min(len(p), room)
			b.whole[i], w.whole[i] = p[:n], p[n:]
			room -= n
		}
		last = len(w.whole[0])+len(w.whole[1]) == 0
		if last {
			b.tail, b.last = w.tail, w.last
		}
	}
	count := int64((len(b.whole[0]) + len(b.whole[1])) / ChunkSize)
	w.next += count
	b.header, b.err = nil, nil
	if count > 0 || b.last {
		b.header, w.header = w.header, nil
	}
	if w.next > w.limit || b.last && w.next == w.limit {
		b.err = ErrTooLong
		if w.limit < maxChunks {
			b.err = errWritten
		}
		return true
	}
	return last
}

// readSource reads at least one full chunk, unless the source ends first.
func (w *sealing) readSource(b *batch) (last bool) {
	in := b.reserve(w.chunks*ChunkSize, w.rest)
	have := len(w.rest)
	n, err := readSome(w.src, in[have:], ChunkSize-have)
	w.count += int64(n)
	w.srcErr = err
	have += n
	if have == len(in) {
		w.chunks = min(2*w.chunks, batchChunks)
	}
	whole := have &^ (ChunkSize - 1)
	b.whole[0], w.rest = in[:whole], in[whole:have]
	return err != nil
}

func (w *sealing) work(b *batch) {
	if b.err == nil {
		b.seal(w.m)
	}
}

func (w *sealing) write(b *batch) error {
	if b.err != nil {
		return b.err
	}
	if len(b.out) == 0 {
		return nil
	}
	_, err := writeAll(w.dst, b.out)
	return err
}

// writeAll writes p. It returns an error for an impossible count and for a short
// write without an error.
func writeAll(dst io.Writer, p []byte) (int, error) {
	n, err := dst.Write(p)
	if err = written(n, len(p), err); err == errWrite {
		n = 0
	}
	return n, err
}

// written returns the error of a write of size bytes that returned n and err.
func written(n, size int, err error) error {
	switch {
	case n < 0 || n > size:
		return errWrite
	case err == nil && n < size:
		return io.ErrShortWrite
	}
	return err
}

// readSome reads at least want bytes, and more if a Read returns more. It may
// return both bytes and an error.
func readSome(src io.Reader, p []byte, want int) (int, error) {
	const maxIdle = 100 // reads in a row without data or an error
	n := 0
	for idle := 0; n < want; {
		m, err := src.Read(p[n:])
		if m < 0 || m > len(p)-n {
			return n, errRead
		}
		n += m
		if err != nil {
			return n, err
		}
		if idle++; m > 0 {
			idle = 0
		}
		if idle == maxIdle {
			return n, io.ErrNoProgress
		}
	}
	return n, nil
}
