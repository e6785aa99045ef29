package sm3

import (
	"encoding/binary"
	"sync"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// A Message is one message of [SumMany].
type Message struct {
	Data []byte
	Sum  [Size]byte // the result
}

// SumMany computes the digest of each message like [Sum], but several side by side:
// with AVX-512, 32 messages take as long as three; with AVX2, eight messages do. It
// is fastest if all messages have the same length or the longest come first. No Data
// may overlap the slice messages. It allocates nothing. It panics in FIPS 140-only
// mode, where SM3 is not allowed.
func SumMany(messages []Message) { automatic().SumMany(messages) }

// SumMany is like the package's [SumMany], with this driver.
func (d Driver) SumMany(messages []Message) {
	refuseFIPS()
	if sideBySide(d.plan, len(messages)) == 1 {
		for i := range messages {
			messages[i].Sum = d.Sum(messages[i].Data)
		}
		return
	}
	w := workPool.Get().(*work)
	w.sumMany(d.plan, batch{messages: messages})
	w.free()
}

const (
	// gatherSize is the size of the buffer for the end of a message with its padding.
	// A message that fits is copied there and processed in one part, which saves calls
	// of the kernel if lengths differ.
	gatherSize = 4 * BlockSize
)

// memory is the part of work that kernels write and messages are padded in. It is
// allocated separately because memory without pointers begins at a multiple of 64
// bytes.
type memory struct {
	v    [8][maxLanes]uint32  // chaining values: word i of lane l
	w    [32][maxLanes]uint32 // for the kernels
	ends [maxLanes][gatherSize]byte

	// For KDF.
	from    [8][maxLanes]uint32 // the chaining values to begin with
	base    blockWords          // of the first lane
	digests [maxLanes * Size]byte
}

// work is the state of a call. It is too large for the stack. The first lanes are
// the ones in use.
type work struct {
	*memory
	src     [maxLanes][]byte // of a lane: the remaining whole blocks of its part
	batch   batch
	message [maxLanes]int  // of a lane: index in batch
	ended   [maxLanes]bool // whether the part is the last one of the message
	outer   [maxLanes]bool // whether the outer hash of HMAC is still to be done
	used    int            // lanes that were in use; 0 between calls
}

var workPool = sync.Pool{New: func() any { return &work{memory: new(memory)} }}

func (w *work) free() {
	clear(w.src[:])
	w.batch = batch{}
	if w.used > 0 {
		clear(w.ends[:w.used])
		clear(w.w[:])
		clear(w.v[:])
		w.used = 0
	}
	workPool.Put(w)
}

// A batch is a list of messages of one of two kinds.
type batch struct {
	messages []Message
	macs     []HMACMessage
}

func (b *batch) len() int { return len(b.messages) + len(b.macs) }

func (b *batch) data(i int) []byte {
	if b.macs != nil {
		return b.macs[i].Data
	}
	return b.messages[i].Data
}

// sum returns the place for the result.
func (b *batch) sum(i int) *[Size]byte {
	if b.macs != nil {
		return &b.macs[i].Sum
	}
	return &b.messages[i].Sum
}

// start returns the initial chaining value and the number of bytes already in it.
func (b *batch) start(i int) (v *[8]uint32, length int) {
	if b.macs != nil {
		return &b.macs[i].MAC.key.inner, BlockSize
	}
	return &initial, 0
}

func (w *work) sumMany(plan drivers.Plan, b batch) {
	w.batch = b
	most := sideBySide(plan, maxLanes)
	w.used = min(most, b.len())
	for l := range w.used {
		w.begin(l, l)
	}
	count, next := w.used, w.used
	for {
		for l := count - 1; l >= 0; { // the last lane first: usually all end together, and none has to move
			switch {
			case len(w.src[l]) > 0:
				l--
			case !w.ended[l]:
				w.end(l)
			case w.outer[l]:
				w.outerHash(l)
			default:
				putLane(b.sum(w.message[l]), &w.v, l)
				if next < b.len() {
					w.begin(l, next)
					next++
					break
				}
				count--
				w.replace(l, count)
				l--
			}
		}
		if count == 0 {
			return
		}
		width := sideBySide(plan, count)
		if width == 1 {
			w.oneByOne(plan, count)
			return
		}
		n := maxPass / BlockSize / width
		for _, p := range w.src[:count] {
			n = min(n, len(p)/BlockSize)
		}
		for l := count; l < width; l++ {
			w.src[l] = w.src[0]
		}
		compress(plan.Many(), width, &w.v, &w.w, &w.src, n)
		for l := range count {
			w.src[l] = w.src[l][n*BlockSize:]
		}
	}
}

// begin assigns message i to a lane.
func (w *work) begin(l, i int) {
	w.message[l] = i
	w.outer[l] = w.batch.macs != nil
	v, _ := w.batch.start(i)
	w.set(l, v)
	if p := w.batch.data(i); len(p) <= gatherSize-9 {
		w.endWith(l, p)
	} else {
		w.ended[l] = false
		w.src[l] = p[:len(p)&^(BlockSize-1)]
	}
}

// end assigns the end of its message to a lane that has done the whole blocks.
func (w *work) end(l int) {
	p := w.batch.data(w.message[l])
	w.endWith(l, p[len(p)&^(BlockSize-1):])
}

func (w *work) endWith(l int, last []byte) {
	i := w.message[l]
	_, before := w.batch.start(i)
	w.ended[l] = true
	w.src[l] = padEnd(&w.ends[l], last, uint64(before+len(w.batch.data(i))))
}

// outerHash assigns the outer hash of HMAC to a lane that has done the inner one.
func (w *work) outerHash(l int) {
	block := (*[BlockSize]byte)(w.ends[l][:])
	v := w.get(l)
	outerBlock(block, &v)
	w.set(l, &w.batch.macs[w.message[l]].MAC.key.outer)
	w.src[l] = block[:]
	w.outer[l] = false
}

// padEnd is like [ending.pad], for more blocks.
func padEnd(e *[gatherSize]byte, last []byte, length uint64) []byte {
	n := copy(e[:], last)
	e[n] = 0x80
	size := (n + 8 + BlockSize) &^ (BlockSize - 1)
	clear(e[n+1 : size-8])
	binary.BigEndian.PutUint64(e[size-8:], 8*length)
	return e[:size]
}

// replace moves the last lane to the place of lane l, which has nothing more to do
// and may be the last one itself. The source of the moved lane may remain in the last
// lane's element of ends: no other message will use that.
func (w *work) replace(l, last int) {
	if l == last {
		return
	}
	w.src[l], w.message[l] = w.src[last], w.message[last]
	w.ended[l], w.outer[l] = w.ended[last], w.outer[last]
	v := w.get(last)
	w.set(l, &v)
}

// oneByOne finishes lanes that are too few for a kernel.
func (w *work) oneByOne(plan drivers.Plan, count int) {
	for l := range count {
		v := w.get(l)
		blocks(plan.Pick(len(w.src[l])), &v, w.src[l])
		if !w.ended[l] {
			w.end(l)
			blocksKernel(plan.Pick(len(w.src[l])), &v, w.src[l])
		}
		if w.outer[l] {
			w.set(l, &v)
			w.outerHash(l)
			v = w.get(l)
			blocksKernel(plan.Pick(len(w.src[l])), &v, w.src[l])
		}
		*w.batch.sum(w.message[l]) = encode(&v)
	}
}

func (w *work) set(l int, v *[8]uint32) {
	l %= maxLanes // here and below: eliminates bounds checks
	for i := range v {
		w.v[i][l] = v[i]
	}
}

func (w *work) get(l int) (v [8]uint32) {
	l %= maxLanes
	for i := range v {
		v[i] = w.v[i][l]
	}
	return v
}
