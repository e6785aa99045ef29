package chunked

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// Parts of a message are processed at any offset if the source is an
// *io.SectionReader. The goroutines then read their parts themselves, and if the
// destination is an *io.OffsetWriter, they write them, too, in any order. Nobody
// waits for anybody.
//
// A part is a batch of full chunks that can be read completely and, when opening, is
// authentic. From the first part that is not, the message is processed as a stream,
// which is how it ends in every case and where all errors of the source come from.

// partsOf returns the offset of a source and the number of parts behind it, and 0 if
// its parts cannot be processed on their own.
func (l *line) partsOf(src io.Reader, size int64) (section *io.SectionReader, off, count int64) {
	section, ok := src.(*io.SectionReader)
	if !ok || l.n == 1 {
		return nil, 0, 0
	}
	off, _ = section.Seek(0, io.SeekCurrent) // never fails
	return section, off, max(section.Size()-off, 0) / size
}

// parts processes at most count parts until work reports that one is not complete.
// It returns the number of parts that have been written in order, and the number up to
// which others may have been written. The output of a part but the first has size bytes.
func (l *line) parts(count, size int64, dst io.Writer, work func(b *batch, i int64) bool) (done, begun int64, err error) {
	at, ok := dst.(*io.OffsetWriter)
	if !ok {
		p := &inOrder{count: count, dst: dst, process: work}
		if err = l.run(p); err == errIncomplete {
			err = nil
		}
		return p.done, p.done, err
	}
	base, _ := at.Seek(0, io.SeekCurrent) // never fails
	done, begun, err = l.inAnyOrder(count, func(b *batch, i int64) (bool, error) {
		if !work(b, i) {
			return false, nil
		}
		off := base + i*size
		if i > 0 {
			off += l.extra
		}
		n, err := at.WriteAt(b.out, off)
		return true, written(n, len(b.out), err)
	})
	if done > 0 {
		base += done*size + l.extra
	}
	at.Seek(base, io.SeekStart)
	return done, begun, err
}

// inAnyOrder calls work for every part, from several goroutines that have a batch of
// their own each, until it returns false or an error.
func (l *line) inAnyOrder(count int64, work func(b *batch, i int64) (bool, error)) (done, begun int64, err error) {
	var (
		next  atomic.Int64
		group sync.WaitGroup
		mu    sync.Mutex
	)
	done, begun = count, count
	attend := func(b *batch) {
		for {
			i := next.Add(1) - 1
			if i >= count {
				return
			}
			ok, e := work(b, i)
			if ok && e == nil {
				continue
			}
			mu.Lock()
			defer mu.Unlock()
			begun = min(begun, next.Swap(count)) // nobody begins another part
			if i < done {
				done, err = i, e
			}
			return
		}
	}
	for i := int64(1); i < min(int64(l.n), count); i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			attend(l.ring[i])
		}()
	}
	attend(l.ring[0])
	group.Wait()
	return done, begun, err
}

// inOrder implements stages for parts whose output is written in order. Reading a
// batch only assigns a part to it, and the goroutine that works on it reads it.
type inOrder struct {
	process func(b *batch, i int64) bool
	dst     io.Writer
	count   int64 // number of parts
	next    int64 // to be assigned
	done    int64 // written
}

var errIncomplete = errors.New("chunked: incomplete part")

func (p *inOrder) read(b *batch) (last bool) {
	b.part = p.next
	p.next++
	return p.next == p.count
}

func (p *inOrder) work(b *batch) { b.complete = p.process(b, b.part) }

func (p *inOrder) write(b *batch) error {
	if !b.complete {
		return errIncomplete
	}
	if _, err := writeAll(p.dst, b.out); err != nil {
		return err
	}
	p.done++
	return nil
}

// readPart fills the input of a batch. It reports whether the source has that much.
func readPart(src io.ReaderAt, b *batch, size int, off int64) bool {
	n, _ := src.ReadAt(b.reserve(size, nil), off)
	return n == size
}

// readSection encrypts the parts of a source.
func (w *Writer) readSection(src io.Reader) error {
	const size = batchChunks * ChunkSize
	section, off, count := w.line.partsOf(src, size)
	count = min(count, (w.limit-w.next)/batchChunks-1) // its end is for the stream
	if count < 2 || len(w.gathered) > 0 {
		return nil
	}
	header, first := w.header, w.next
	w.line.extra = int64(len(header))
	done, begun, err := w.line.parts(count, batchChunks*sealedSize, w.dst, func(b *batch, i int64) bool {
		if !readPart(section, b, size, off+i*size) {
			return false
		}
		b.header, b.first, b.whole, b.last = nil, first+i*batchChunks, [2][]byte{b.in[:size]}, false
		if i == 0 {
			b.header = header
		}
		b.seal(w.m)
		return true
	})
	w.count = done * size
	if done > 0 {
		w.header = nil
		w.next += done * batchChunks
		section.Seek(off+w.count, io.SeekStart)
	}
	if begun > done+1 {
		// The source has become shorter, but chunks behind its end have been written.
		// Their nonces must not be used again.
		w.limit = w.next + batchChunks
	}
	if err != nil {
		w.err = err
	}
	return err
}

// writeSection decrypts the parts of the source.
func (r *Reader) writeSection() error {
	const size = batchChunks * sealedSize
	section, off, count := r.line.partsOf(r.src, size)
	count = min(count, (maxChunks-r.next)/batchChunks-1)
	if count < 2 || len(r.rest) > 0 {
		return nil
	}
	first := r.next
	r.line.extra = 0
	done, _, err := r.line.parts(count, batchChunks*ChunkSize, r.dst, func(b *batch, i int64) bool {
		if !readPart(section, b, size, off+i*size) {
			return false
		}
		b.ct, b.first, b.err = b.in[:size], first+i*batchChunks, nil
		b.openOut(r.m)
		return b.err == nil
	})
	if done > 0 {
		r.next += done * batchChunks
		r.count += done * batchChunks * ChunkSize
		section.Seek(off+done*size, io.SeekStart)
	}
	return err
}
