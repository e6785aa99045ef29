package modes

import (
	"sync"
)

// The messages of functions that process several side by side. The public packages have
// structs of their own with the same fields, for a pointer to one can be converted to a
// pointer to the other. There is one call of the interface per call of a kernel; the state is from
// a pool, and so on the heap anyway.
type (
	CBCMessage[C any] struct {
		Cipher   C
		IV       []byte
		Dst, Src []byte
	}

	CMACMessage[C any] struct {
		Cipher C
		Data   []byte
		Sum    [blockSize]byte
	}

	CCMMessage[A any] struct {
		AEAD                             A
		Dst, Nonce, Text, AdditionalData []byte
		Out                              []byte
		Err                              error
	}
)

// A Lane is one of the streams of blocks that are encrypted side by side, in CBC mode.
type Lane[C any] struct {
	Cipher   C
	IV       *[blockSize]byte // the last ciphertext block
	Dst, Src []byte           // the rest; if Dst is nil, only IV is updated
}

// Advance removes n bytes.
func (l *Lane[C]) Advance(n int) {
	l.Src = l.Src[n:]
	if l.Dst != nil {
		l.Dst = l.Dst[n:]
	}
}

// AloneScratch is the size of scratch memory for [Lane.EncryptAlone].
const AloneScratch = 16 * blockSize

// EncryptAlone continues the lane by a number of blocks with c, its cipher: a chain that
// is alone is serial work, whatever the driver for many messages. If the lane has no Dst,
// the ciphertext goes to scratch, which is cleared.
func (l *Lane[C]) EncryptAlone(c Cipher, blocks int, scratch []byte) {
	n := blocks * blockSize
	if l.Dst != nil {
		c.CBCEncrypt(l.IV, l.Dst[:n], l.Src[:n])
		l.Advance(n)
		return
	}
	size := min(n, len(scratch))
	for n > 0 {
		part := min(n, size)
		c.CBCEncrypt(l.IV, scratch[:part], l.Src[:part])
		l.Advance(part)
		n -= part
	}
	clear(scratch[:size])
}

// A LaneKernel encrypts lanes.
type LaneKernel[C any] interface {
	// Encrypt continues the lanes by a number of blocks, at most [Many].Step, and
	// advances them. Their ciphers are of the group. Either all have a Dst or none has.
	Encrypt(group int, lanes []Lane[C], blocks int)

	// Wipe clears the memory of the kernel.
	Wipe()
}

// Many processes several messages side by side: CBC encryption, CMAC and CCM. C is the
// package's cipher and A its CCM. Messages whose ciphers cannot share a kernel, because
// their drivers differ or their numbers of rounds, form groups, which the caller counts
// and passes one after the other.
type Many[C comparable, A any] struct {
	Lanes   int                               // the largest number of lanes that a kernel has
	Step    int                               // how many blocks of each lane a kernel processes at most
	Width   func(group int) int               // the number of lanes of a group, at most Lanes
	Narrow  func(group, blocks int) int       // the same for messages of so many blocks; nil: Width
	Group   func(C) int                       // the group of a cipher, or another number if it was wiped
	Encrypt func(c C, block *[blockSize]byte) // encrypts one block
	CCM     func(A) (C, *CCM)                 // the parts of a CCM
	Kernel  func() LaneKernel[C]              // returns memory for calls of the kernel

	cbcs, ccms sync.Pool
}

// ManyWork is the state of a call for CBC or CMAC. It is pooled because the compiler
// would move it to the heap: lanes contain pointers into it.
type ManyWork[C any] struct {
	kernel LaneKernel[C]
	lanes  []Lane[C]
	chains [][blockSize]byte // the last ciphertext blocks of lanes
	ends   [][cmacEnd]byte
	zero   [blockSize]byte // encrypted: the subkey of CMAC
	used   int             // the number of lanes
	ended  int             // the number of ends in use
}

// Work returns the state for a call that uses a number of lanes.
func (m *Many[C, A]) Work(lanes int) *ManyWork[C] {
	w, _ := m.cbcs.Get().(*ManyWork[C])
	if w == nil {
		w = &ManyWork[C]{
			kernel: m.Kernel(),
			lanes:  make([]Lane[C], m.Lanes),
			chains: make([][blockSize]byte, m.Lanes),
			ends:   make([][cmacEnd]byte, m.Lanes),
		}
	}
	w.used = lanes
	for i := range w.lanes[:lanes] {
		w.lanes[i].IV = &w.chains[i]
	}
	return w
}

func (m *Many[C, A]) free(w *ManyWork[C]) {
	w.kernel.Wipe()
	clear(w.lanes[:w.used])
	clear(w.chains[:w.used])
	clear(w.ends[:w.ended])
	clear(w.zero[:])
	w.used, w.ended = 0, 0
	m.cbcs.Put(w)
}

// EncryptCBC encrypts those messages that belong to a group: count of them.
func (m *Many[C, A]) EncryptCBC(messages []CBCMessage[C], group, count int) {
	width := m.Width(group)
	all := count == len(messages)
	equal := all && equallyLong(messages)
	if equal && m.Narrow != nil {
		blocks := len(messages[0].Src) / blockSize
		if messages[0].Cipher == messages[count-1].Cipher {
			blocks++ // kernels prepare a single key sooner
		}
		width = m.Narrow(group, blocks)
	}
	w := m.Work(min(count, width))
	defer m.free(w)
	lanes := w.lanes
	if equal {
		for len(messages) > 0 {
			some := messages[:min(len(messages), w.used)]
			lanes := lanes[:len(some)]
			for i := range some {
				l, message := &lanes[i], &some[i]
				*l.IV = [blockSize]byte(message.IV)
				l.Cipher, l.Dst, l.Src = message.Cipher, message.Dst, message.Src
			}
			for left := len(some[0].Src) / blockSize; left > 0; left -= m.Step {
				w.kernel.Encrypt(group, lanes, min(left, m.Step))
			}
			messages = messages[len(some):]
		}
		return
	}
	next := 0
	var schedule Schedule
	schedule.Start(w.used)
	for {
		for lane, ok := schedule.Idle(); ok; lane, ok = schedule.Idle() {
			for next < len(messages) && (len(messages[next].Src) == 0 || !all && m.Group(messages[next].Cipher) != group) {
				next++
			}
			if next == len(messages) {
				if last := schedule.Drop(lane); len(lanes[last].Src) > 0 { // it is not idle as well
					lanes[lane], lanes[last] = lanes[last], lanes[lane]
				}
				continue
			}
			l, message := &lanes[lane], &messages[next]
			next++
			copy(l.IV[:], message.IV)
			l.Cipher, l.Dst, l.Src = message.Cipher, message.Dst, message.Src
			schedule.Continue(lane, len(l.Src)/blockSize)
		}
		n := schedule.Step(m.Step)
		if n == 0 {
			return
		}
		w.kernel.Encrypt(group, lanes[:schedule.Lanes()], n)
	}
}

// equallyLong reports whether all messages have the same length. They need no schedule.
func equallyLong[C any](messages []CBCMessage[C]) bool {
	size := len(messages[0].Src)
	for i := range messages {
		if len(messages[i].Src) != size {
			return false
		}
	}
	return true
}

// cmacEnd is the size of the buffer for the padded end of a message. A short message
// is copied there whole, to be processed in one part.
const cmacEnd = 16 * blockSize

// ownSlots has the index of each lane.
var ownSlots = func() (s [MaxLanes]uint8) {
	for i := range s {
		s[i] = uint8(i)
	}
	return s
}()

// CMAC sets the sums of those messages that belong to a group: count of them.
func (m *Many[C, A]) CMAC(messages []CMACMessage[C], group, count int) {
	w := m.Work(min(count, m.Width(group)))
	defer m.free(w)
	lanes := w.lanes
	all := count == len(messages)
	var (
		schedule Schedule
		slot     = ownSlots                // of a lane: its index in w.ends
		message  [MaxLanes]*CMACMessage[C] // of a lane: its message, until its end is assigned
		finished [MaxLanes]*CMACMessage[C] // of a lane: its message from then on
		cipher   C                         // the one that w.zero is for, if known
		known    bool
	)
	next := 0
	schedule.Start(w.used)
	for {
		for lane, ok := schedule.Idle(); ok; lane, ok = schedule.Idle() {
			l := &lanes[lane]
			if f := finished[lane]; f != nil {
				f.Sum = *l.IV
				finished[lane] = nil
			}
			c := message[lane]
			rest := 0 // where the end of the message begins
			if c == nil {
				for !all && next < len(messages) && m.Group(messages[next].Cipher) != group {
					next++
				}
				if next == len(messages) {
					last := schedule.Drop(lane)
					if len(lanes[last].Src) == 0 && message[last] == nil { // it is idle as well
						if f := finished[last]; f != nil {
							f.Sum = *lanes[last].IV
							finished[last] = nil
						}
						continue
					}
					lanes[lane], lanes[last] = lanes[last], lanes[lane]
					slot[lane], slot[last] = slot[last], slot[lane]
					message[lane], message[last] = message[last], message[lane]
					finished[lane], finished[last] = finished[last], finished[lane]
					continue
				}
				c = &messages[next]
				next++
				*l.IV = [blockSize]byte{}
				l.Cipher = c.Cipher
				if n := len(c.Data); n > cmacEnd {
					message[lane] = c
					whole := (n - 1) &^ (blockSize - 1)
					l.Src = c.Data[:whole]
					schedule.Continue(lane, whole/blockSize)
					continue
				}
			} else {
				rest = (len(c.Data) - 1) &^ (blockSize - 1)
			}
			if c.Cipher != cipher || !known {
				cipher, known = c.Cipher, true
				clear(w.zero[:])
				m.Encrypt(cipher, &w.zero)
			}
			end := w.ends[slot[lane]][:]
			w.ended = max(w.ended, int(slot[lane])+1)
			n := copy(end, c.Data[rest:])
			last := max(n-1, 0) &^ (blockSize - 1)
			CMACLast((*[blockSize]byte)(end[last:]), &w.zero, n-last)
			message[lane], finished[lane] = nil, c
			l.Src = end[:last+blockSize]
			schedule.Continue(lane, last/blockSize+1)
		}
		n := schedule.Step(m.Step)
		if n == 0 {
			return
		}
		w.kernel.Encrypt(group, lanes[:schedule.Lanes()], n)
	}
}

// ccmGather is the maximum length of a message that is copied, to be processed in one
// part. This saves calls of the kernel if lengths differ.
const ccmGather = 2 << 10

// apart is between these messages, so that they are not at multiples of 4096 from one another: a CPU
// takes a load for one that waits for a store if their addresses differ only above these 12 bits.
const apart = 64

// CCMWork is the state of a call for CCM. It is pooled because it escapes through the
// interface of ciphers.
type CCMWork[C, A any] struct {
	kernel  LaneKernel[C]
	lanes   []Lane[C]
	lane    []CCMLane
	gather  [][ccmGather + apart]byte
	slot    []uint8 // of a lane of the schedule: its index in lane and gather
	message []*CCMMessage[A]
	used    int
}

// CCMWork returns the state for a call that uses a number of lanes.
func (m *Many[C, A]) CCMWork(lanes int) *CCMWork[C, A] {
	w, _ := m.ccms.Get().(*CCMWork[C, A])
	if w == nil {
		w = &CCMWork[C, A]{
			kernel:  m.Kernel(),
			lanes:   make([]Lane[C], m.Lanes),
			lane:    make([]CCMLane, m.Lanes),
			gather:  make([][ccmGather + apart]byte, m.Lanes),
			slot:    make([]uint8, m.Lanes),
			message: make([]*CCMMessage[A], m.Lanes),
		}
	}
	w.used = lanes
	for i := range lanes {
		w.lanes[i].IV = &w.lane[i].MAC
		w.slot[i] = uint8(i)
	}
	return w
}

func (m *Many[C, A]) freeCCM(w *CCMWork[C, A]) {
	for i := range w.lane[:w.used] {
		w.lane[i].Wipe()
	}
	w.kernel.Wipe()
	clear(w.lanes[:w.used])
	clear(w.slot[:w.used])
	clear(w.message[:w.used])
	w.used = 0
	m.ccms.Put(w)
}

// ccmWidth returns the number of lanes for these messages. A lane has memory that is wiped in the end,
// so that with few blocks it takes less time to use half as many lanes twice.
func (m *Many[C, A]) ccmWidth(messages []CCMMessage[A], group int) int {
	if m.Narrow == nil {
		return m.Width(group)
	}
	n := 0
	for i := range messages {
		n += (len(messages[i].Text) + len(messages[i].AdditionalData)) / blockSize
	}
	return m.Narrow(group, n/len(messages))
}

// CryptCCM seals or opens those messages that belong to a group: count of them. It
// reports whether all of them are authentic.
func (m *Many[C, A]) CryptCCM(messages []CCMMessage[A], group, count int, open bool) bool {
	w := m.CCMWork(min(count, m.ccmWidth(messages, group)))
	defer m.freeCCM(w)
	lanes := w.lanes
	all := count == len(messages)
	authentic := true
	next := 0
	var schedule Schedule
	schedule.Start(w.used)
	for {
		for lane, ok := schedule.Idle(); ok; lane, ok = schedule.Idle() {
			l := &w.lane[w.slot[lane]]
			c := w.message[lane]
			if c == nil {
				var (
					cipher C
					mode   *CCM
				)
				for ; next < len(messages); next++ {
					if cipher, mode = m.CCM(messages[next].AEAD); all || m.Group(cipher) == group {
						break
					}
				}
				if next == len(messages) {
					last := schedule.Drop(lane)
					lanes[lane], lanes[last] = lanes[last], lanes[lane]
					w.slot[lane], w.slot[last] = w.slot[last], w.slot[lane]
					w.message[lane], w.message[last] = w.message[last], w.message[lane]
					continue
				}
				c = &messages[next]
				next++
				gather := w.gather[w.slot[lane]][:ccmGather]
				if open {
					if c.Err = l.BeginOpen(mode, gather, c.Dst, c.Nonce, c.Text, c.AdditionalData); c.Err != nil {
						authentic = false
						continue
					}
				} else {
					l.BeginSeal(mode, gather, c.Dst, c.Nonce, c.Text, c.AdditionalData)
				}
				lanes[lane].Cipher = cipher
				w.message[lane] = c
			}
			part := l.Next()
			if len(part) == 0 {
				if c.Out, c.Err = l.End(); c.Err != nil {
					authentic = false
				}
				w.message[lane] = nil
				continue
			}
			lanes[lane].Src = part
			schedule.Continue(lane, len(part)/blockSize)
		}
		n := schedule.Step(m.Step)
		if n == 0 {
			return authentic
		}
		w.kernel.Encrypt(group, lanes[:schedule.Lanes()], n)
	}
}
