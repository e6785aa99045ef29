package chunked

import (
	"runtime"
	"sync"
	"time"
)

// batchChunks is the number of chunks that are read, processed and written
// together: enough to keep system calls few, and small enough for a core's caches.
const batchChunks = 32

// firstChunks is the size of the first batch. Each batch is twice as long as the
// one before, so that a short message costs little memory.
const firstChunks = 1

// minShare is the smallest number of chunks worth a goroutine.
const minShare = 8

// share returns how many chunks each piece should have when n goroutines share
// the work.
func share(chunks int64, n int) int {
	if n == 1 {
		return batchChunks
	}
	return int(min(batchChunks, max(minShare, (chunks+int64(n)-1)/int64(n))))
}

// A batch holds the buffers for one batch. They are reused.
type batch struct {
	in, out []byte
	nonce   [maxNonce]byte
	first   int64 // index of the first chunk
	ready   bool  // out is ready to be written

	// For parts.
	part     int64 // index of the part
	complete bool

	// For sealing.
	header []byte    // to be written before the chunks
	whole  [2][]byte // full chunks
	tail   []byte    // the last chunk
	last   bool      // the batch includes the last chunk

	// For opening.
	ct  []byte // chunks, all full except for the last one of the message
	err error  // to be returned after them; nil if there are more
}

// reserve returns size bytes of in, beginning with a copy of rest, which may be a
// part of in. The other contents of in may be lost.
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

// open opens as many chunks of ct as fit in dst, and returns the number of
// plaintext bytes. If a chunk is not authentic, open sets err and drops the rest
// of ct.
func (b *batch) open(m *message, dst []byte) int {
	n := 0
	for len(b.ct) > 0 {
		c := b.ct[:min(len(b.ct), sealedSize)]
		size := len(c) - Overhead
		if size > len(dst)-n {
			break
		}
		// An AEAD may write to the whole capacity of its dst.
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

// room returns size bytes of out. Its previous contents may be lost.
func (b *batch) room(size int) []byte {
	if cap(b.out) < size {
		clear(b.out[:cap(b.out)])
		b.out = make([]byte, size)
	}
	return b.out[:size]
}

// stages are the steps that a line applies to every batch. Batches are read and
// written in order, one at a time; several can be in the step between at once.
type stages interface {
	// read fills a batch and reports whether it is the last one.
	read(b *batch) (last bool)
	// work seals or opens it.
	work(b *batch)
	// write writes the output of work. An error ends the line.
	write(b *batch) error
}

// A line is a pipeline that moves batches through their stages. A free goroutine
// picks the most urgent task: write the next batch, else work on one, else read
// one. This keeps all cores busy whichever stage is slow, and a batch mostly
// stays on the core that read it.
type line struct {
	ring []*batch
	n    int // goroutines, the caller of run among them

	group   sync.WaitGroup
	mu      sync.Mutex
	wake    *sync.Cond
	waiting int
	workers int
	yields  int // maximum per goroutine
	yielder bool

	extra int64 // bytes in front of the output of the first part

	filled, taken, written int // number of batches read, passed to work, written
	reading, writing       bool
	lastRead, lastWrite    time.Duration
	ended                  bool // nothing left to read
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

// run returns when all batches have been written or an error has ended the line.
// It starts goroutines from the second batch on, and waits for them to end.
func (l *line) run(s stages) error {
	l.filled, l.taken, l.written = 0, 0, 0
	l.ended, l.err = false, nil
	l.lastRead, l.lastWrite = 0, 0
	for _, b := range l.ring { // of parts that were not needed
		b.ready = false
	}
	l.workers = 1
	l.yields = maxYields
	if _, ok := s.(*inOrder); ok {
		l.yields = 0 // there is always something to read
	}
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

// Waking a goroutine can take longer than processing a batch: 0.1 ms on a virtual
// machine. If reading and writing are as fast as that, a woken goroutine finds no
// task left, and one goroutine ends up doing everything. So while the last read
// and the last write were faster than slow, one goroutine without a task yields up
// to maxYields times, which takes about as long as waking it, before it sleeps.
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
		if task == wait && yields < l.yields && (yields > 0 || !l.yielder) && l.lastRead < slow && l.lastWrite < slow {
			yields++
			l.yielder = true
			l.mu.Unlock()
			runtime.Gosched()
			l.mu.Lock()
			continue
		}
		if yields > 0 {
			l.yielder = false
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
				l.group.Add(1)
				go func() {
					defer l.group.Done()
					l.attend(s)
				}()
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

// share wakes a waiting goroutine if there is a task for it. A goroutine that yields will
// take the task, and call share in turn.
func (l *line) share() {
	if l.waiting > 0 && !l.yielder && l.next() != wait {
		l.wake.Signal()
	}
}
