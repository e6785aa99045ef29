package chunked

import (
	"runtime"
	"sync"
	"time"
)

// A batch is as many chunks as are read, worked on and written in one go:
// enough for few system calls, and no more than the caches of a core like.
const batchChunks = 32

// firstChunks is the size of the first batch. Batches double while the message
// goes on, so that a short one costs little memory.
const firstChunks = 1

// minShare is how many chunks are worth a goroutine.
const minShare = 8

// share returns into how large pieces n goroutines should cut chunks.
func share(chunks int64, n int) int {
	if n == 1 {
		return batchChunks
	}
	return int(min(batchChunks, max(minShare, (chunks+int64(n)-1)/int64(n))))
}

// A batch has the buffers for one batch. They are reused.
type batch struct {
	in, out []byte
	nonce   [maxNonce]byte
	first   int64 // index of the first chunk
	ready   bool  // out holds what is to be written

	// To be sealed.
	header []byte    // what to write in front
	whole  [2][]byte // whole chunks
	tail   []byte    // the last chunk
	last   bool      // there is one

	// To be opened.
	ct  []byte // chunks; only the last one of the message is not whole
	err error  // what follows them: nil if there are more
}

// reserve returns size bytes of in, which begin with rest. That may be a part of
// what they held, which is lost otherwise.
func (b *batch) reserve(size int, rest []byte) []byte {
	old := b.in
	if len(old) < size {
		b.in = make([]byte, size)
	}
	copy(b.in, rest)
	if len(old) < size {
		clear(old)
	}
	return b.in[:size]
}

// seal puts the header and all sealed chunks into out.
func (b *batch) seal(m *message) {
	size := len(b.header) + (len(b.whole[0])+len(b.whole[1]))/ChunkSize*sealedSize
	if b.last {
		size += len(b.tail) + Overhead
	}
	b.out = append(b.room(size)[:0], b.header...)
	i := b.first
	for _, p := range b.whole {
		for ; len(p) > 0; p = p[ChunkSize:] {
			b.out = m.aead.Seal(b.out, m.nonce(&b.nonce, i), p[:ChunkSize], nil)
			i++
		}
	}
	if b.last {
		b.out = m.aead.Seal(b.out, m.nonce(&b.nonce, i), b.tail, nil)
	}
}

// open opens as many chunks of ct as dst has room for, and returns how many
// bytes that made. If a chunk is not authentic, err is all that follows.
func (b *batch) open(m *message, dst []byte) int {
	n := 0
	for len(b.ct) > 0 {
		c := b.ct[:min(len(b.ct), sealedSize)]
		size := len(c) - Overhead
		if size > len(dst)-n {
			break
		}
		// An AEAD may use all of the capacity that it is given.
		_, err := m.aead.Open(dst[n:n:n+size], m.nonce(&b.nonce, b.first), c, nil)
		if err != nil {
			clear(dst[n : n+size])
			b.ct = nil
			b.err = &ChunkError{Chunk: b.first, Last: len(c) < sealedSize}
			break
		}
		b.ct = b.ct[len(c):]
		b.first++
		n += size
	}
	return n
}

// openOut opens all chunks into out.
func (b *batch) openOut(m *message) {
	out := b.room(len(b.ct))
	b.out = out[:b.open(m, out)]
}

// room returns size bytes of out. What they held may be lost.
func (b *batch) room(size int) []byte {
	if cap(b.out) < size {
		clear(b.out[:cap(b.out)])
		b.out = make([]byte, size)
	}
	return b.out[:size]
}

// stages is what a line does with a batch. Batches are read and written in
// order, one at a time; in between, several are worked on at once.
type stages interface {
	// read fills a batch and reports whether that was the last one.
	read(b *batch) (last bool)
	// work seals or opens it.
	work(b *batch)
	// write writes what work made. An error ends the line.
	write(b *batch) error
}

// A line takes batches through their stages. Whoever is free does what is most
// urgent: to write the next batch, to work on one, to read one. So the cores
// stay busy whichever stage is slow, and a batch mostly stays with the core
// that has read it.
type line struct {
	ring []*batch
	n    int // goroutines, the caller of run among them

	group   sync.WaitGroup
	mu      sync.Mutex
	wake    *sync.Cond
	waiting int
	workers int

	filled, taken, written int // batches that were read, given to work, written
	reading, writing       bool
	lastRead, lastWrite    time.Duration
	ended                  bool // nothing to read any more
	err                    error
}

func newLine(n int) *line {
	l := &line{n: n, ring: make([]*batch, 1)}
	if n > 1 {
		l.ring = make([]*batch, n+2) // some slack for uneven stages
	}
	for i := range l.ring {
		l.ring[i] = new(batch)
	}
	l.wake = sync.NewCond(&l.mu)
	return l
}

// run goes on until all batches have been written or an error has ended the
// line. It starts goroutines for the second batch and those that follow, and
// returns when they have ended.
func (l *line) run(s stages) error {
	l.filled, l.taken, l.written = 0, 0, 0
	l.ended, l.err = false, nil
	l.lastRead, l.lastWrite = 0, 0
	l.workers = 1
	l.attend(s)
	l.group.Wait()
	return l.err
}

type task int

const (
	wait task = iota
	stop
	read
	work
	write
)

// next returns the most urgent task.
func (l *line) next() task {
	switch {
	case l.err != nil:
		return stop
	case !l.writing && l.written < l.taken && l.slot(l.written).ready:
		return write
	case l.taken < l.filled:
		return work
	case !l.reading && !l.ended && l.filled-l.written < len(l.ring):
		return read
	case l.ended && l.written == l.filled:
		return stop
	}
	return wait
}

func (l *line) slot(i int) *batch { return l.ring[i%len(l.ring)] }

// To wake a goroutine takes as long as a batch or longer: 0.1 ms on a virtual
// machine. If reading and writing are as fast, all tasks are gone when it comes,
// time and again, and one goroutine does everything. So while they are, one that
// finds no task yields so many times, which takes about as long, and only then
// sleeps.
const (
	maxYields = 1000
	slow      = 200 * time.Microsecond
)

// attend does tasks until there are none.
func (l *line) attend(s stages) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for yields := 0; ; {
		task := l.next()
		if task == wait && yields < maxYields && l.lastRead < slow && l.lastWrite < slow {
			yields++
			l.mu.Unlock()
			runtime.Gosched()
			l.mu.Lock()
			continue
		}
		yields = 0
		switch task {
		case stop:
			l.wake.Broadcast()
			return
		case wait:
			l.waiting++
			l.wake.Wait()
			l.waiting--
		case read:
			b := l.slot(l.filled)
			l.reading = true
			l.share()
			l.mu.Unlock()
			start := time.Now()
			last := s.read(b)
			took := time.Since(start)
			l.mu.Lock()
			l.lastRead = took
			l.reading = false
			l.filled++
			l.ended = last
			if !l.ended && l.workers < l.n {
				l.workers++
				l.group.Go(func() { l.attend(s) })
			}
		case work:
			b := l.slot(l.taken)
			l.taken++
			l.share()
			l.mu.Unlock()
			s.work(b)
			l.mu.Lock()
			b.ready = true
		case write:
			b := l.slot(l.written)
			l.writing = true
			l.share()
			l.mu.Unlock()
			start := time.Now()
			err := s.write(b)
			took := time.Since(start)
			l.mu.Lock()
			l.lastWrite = took
			b.ready = false
			l.writing = false
			l.written++
			if l.err == nil {
				l.err = err
			}
		}
	}
}

// share wakes somebody if there is something to do for them, too.
func (l *line) share() {
	if l.waiting > 0 && l.next() != wait {
		l.wake.Signal()
	}
}
