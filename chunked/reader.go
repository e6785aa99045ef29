package chunked

import (
	"io"
	"sync"
)

// A Reader decrypts a message. It is not safe for concurrent use.
//
// Only authenticated chunks are returned, and io.EOF only after the last chunk.
// By the time a message turns out to be damaged or truncated, the chunks before
// that point have already been returned: a caller must not act on them before
// io.EOF, or must be prepared to undo it. Errors are permanent: all further calls
// return the same error.
type Reader struct {
	private
	m    *message
	src  io.Reader
	line *line

	plain []byte // authentic plaintext, not returned yet
	err   error  // to be returned after plain

	next   int64  // index of the next chunk
	chunks int    // number of chunks to read from src at once
	limit  int    // maximum of chunks, which doubles
	rest   []byte // the beginning of the next chunk, in the previous batch

	dst   io.Writer // for WriteTo
	count int64     // bytes written to dst
}

// NewReader reads the header of a message from src and returns a reader for its
// plaintext. The errors are [ErrHeader], [ErrCommitment], [ErrKeySize] and
// errors of src.
//
// The message extends to the end of src. A chunk is returned as soon as it is
// complete.
func NewReader(src io.Reader, suite Suite, key, context []byte, opts ...Option) (*Reader, error) {
	o := collect(opts)
	header := make([]byte, HeaderSize)
	if n, err := readSome(src, header, HeaderSize); n < HeaderSize {
		if err == io.EOF {
			err = ErrHeader
		}
		return nil, err
	}
	m, err := openMessage(append([]Suite{suite}, o.accept...), key, header, context)
	if err != nil {
		return nil, err
	}
	return &Reader{m: m, src: src, line: newLine(o.concurrency), chunks: firstChunks}, nil
}

// Suite returns the suite of the message, as identified by its commitment.
func (r *Reader) Suite() Suite { return r.m.suite }

// Read reads plaintext. With a buffer of 16 KiB or more, it decrypts directly into
// the buffer. With [WithConcurrency], large buffers benefit most.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.plain) == 0 && r.err == nil {
		b := r.line.ring[0]
		if len(b.ct) == 0 {
			r.limit = r.line.n * batchChunks
			r.fill(b)
		}
		if len(p) >= ChunkSize {
			if n := r.open(b, p); n > 0 {
				return n, nil
			}
			continue
		}
		size := ChunkSize
		if r.line.n > 1 {
			size = len(b.ct)
		}
		out := b.room(size)
		r.plain = out[:r.open(b, out)]
	}
	if len(r.plain) == 0 {
		return 0, r.err
	}
	n := copy(p, r.plain)
	r.plain = r.plain[n:]
	return n, nil
}

// open opens as many chunks of b as fit in dst. If there are many, several
// goroutines share the work.
func (r *Reader) open(b *batch, dst []byte) int {
	chunks := min(len(b.ct)/sealedSize, len(dst)/ChunkSize)
	n := 0
	if r.line.n > 1 && chunks >= 2*minShare {
		n = r.openShared(b, dst, chunks)
	}
	n += b.open(r.m, dst[n:])
	if len(b.ct) == 0 {
		r.err = b.err
	}
	return n
}

func (r *Reader) openShared(b *batch, dst []byte, chunks int) int {
	share := (chunks + r.line.n - 1) / r.line.n
	share = max(share, minShare)
	parts := (chunks + share - 1) / share
	opened := make([]int, parts)
	var group sync.WaitGroup
	part := func(i int) {
		lo, hi := i*share, min((i+1)*share, chunks)
		own := r.line.ring[1+i]
		own.ct, own.first, own.err = b.ct[lo*sealedSize:hi*sealedSize], b.first+int64(lo), nil
		opened[i] = own.open(r.m, dst[lo*ChunkSize:hi*ChunkSize])
	}
	for i := 1; i < parts; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			part(i)
		}()
	}
	part(0)
	group.Wait()

	n := 0
	for i := range parts {
		n += opened[i]
		if err := r.line.ring[1+i].err; err != nil {
			clear(dst[n : chunks*ChunkSize])
			b.ct, b.err = nil, err
			return n
		}
	}
	b.ct = b.ct[chunks*sealedSize:]
	b.first += int64(chunks)
	return n
}

// WriteTo implements [io.WriterTo], which io.Copy uses. It writes the rest of the
// plaintext to dst, in writes of up to 512 KiB. With [WithConcurrency], other
// goroutines call dst and the source, but not after WriteTo has returned: after an
// error, it waits for a pending call of the source. Errors are permanent, whether
// they come from dst or from the message.
//
// With [WithConcurrency], goroutines read parts of a source that is an
// [io.SectionReader] at once, and if dst is an [io.OffsetWriter], they also write
// them at once, in any order. Only authentic chunks are written, but after an error
// there may be some behind the offset of the OffsetWriter.
func (r *Reader) WriteTo(dst io.Writer) (int64, error) {
	if r.line == nil {
		return 0, r.err
	}
	r.dst, r.count = dst, 0
	// First the bytes that Read has decrypted or read ahead.
	if len(r.plain) > 0 {
		if err := (*opening)(r).put(r.plain); err != nil {
			r.err = err
		}
		r.plain = nil
	}
	if b := r.line.ring[0]; r.err == nil && len(b.ct) > 0 {
		b.openOut(r.m)
		r.err = (*opening)(r).write(b)
	}
	if r.err == nil {
		r.err = r.writeSection()
	}
	if r.err == nil {
		r.limit = batchChunks
		r.err = r.line.run((*opening)(r))
	}
	r.dst = nil
	if r.err == io.EOF {
		return r.count, nil
	}
	return r.count, r.err
}

// Close wipes the key and all buffered plaintext, and makes further calls fail
// with [ErrClosed]. It does not close the source, and does not report an error if
// the message was not read to its end.
func (r *Reader) Close() error {
	if r.line != nil {
		for _, b := range r.line.ring {
			clear(b.out[:cap(b.out)])
		}
		r.m.wipe()
	}
	r.line, r.plain, r.rest = nil, nil, nil
	r.err = ErrClosed
	return nil
}

// fill reads at least one full chunk, unless the source ends first.
func (r *Reader) fill(b *batch) {
	r.chunks = min(r.chunks, r.limit)
	in := b.reserve(r.chunks*sealedSize, r.rest)
	have := len(r.rest)
	n, end := readSome(r.src, in[have:], sealedSize-have)
	have += n
	if have >= r.chunks*sealedSize {
		r.chunks *= 2
	}
	whole := have - have%sealedSize
	b.ct, r.rest = in[:whole], in[whole:have]
	if end == io.EOF {
		if have-whole < Overhead {
			end = ErrTruncated
		} else {
			b.ct = in[:have]
		}
	}
	b.first = r.next
	count := int64((len(b.ct) + sealedSize - 1) / sealedSize)
	if left := maxChunks - r.next; count > left {
		b.ct, count = b.ct[:left*sealedSize], left
		end = ErrTooLong
	}
	r.next += count
	b.err = end
}

// opening implements stages for a Reader.
type opening Reader

func (r *opening) read(b *batch) (last bool) {
	(*Reader)(r).fill(b)
	return b.err != nil
}

func (r *opening) work(b *batch) { b.openOut(r.m) }

func (r *opening) write(b *batch) error {
	if err := r.put(b.out); err != nil {
		return err
	}
	return b.err
}

func (r *opening) put(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	n, err := writeAll(r.dst, p)
	r.count += int64(n)
	return err
}
