package aes

import (
	"runtime"
	"sync"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// A CBCMessage is one message of [EncryptCBCMany].
type CBCMessage struct {
	Cipher   *Cipher // may be the same for several messages
	IV       []byte  // 16 bytes
	Dst, Src []byte  // whole blocks; the same memory or no overlap
}

// EncryptCBCMany encrypts each message like [Cipher.NewCBCEncrypter], but several
// side by side: with the AVX-512 driver, 16 messages take hardly longer than one.
// Lengths, keys and drivers may differ. It is fastest if all messages have the same
// length or the longest come first. It panics where CBC of a single message does,
// before it writes anything. A message must not overlap the Dst of another.
func EncryptCBCMany(messages []CBCMessage) {
	var groups groupSet
	for i := range messages {
		m := &messages[i]
		blockOf(m.IV)
		checkBlocks(m.Dst, m.Src)
		groups.add(m.Cipher)
	}
	for g := range groups {
		if groups[g] > 0 {
			encryptCBCGroup(messages, g, groups[g])
		}
	}
}

// manyWork is the state of a call. It is pooled because the compiler would move it to
// the heap: lanes contain pointers into it.
type manyWork struct {
	lanes  lanes
	chains [maxLanes][BlockSize]byte // the last ciphertext blocks of lanes
	ends   [maxLanes][cmacEnd]byte
	used   int // of ends
}

var manyPool = sync.Pool{New: func() any {
	w := new(manyWork)
	w.init()
	return w
}}

func (w *manyWork) init() {
	for i := range w.chains {
		w.lanes[i].iv = &w.chains[i]
	}
}

func (w *manyWork) free() {
	w.lanes = lanes{}
	clear(w.chains[:])
	clear(w.ends[:w.used])
	w.used = 0
	w.init()
	manyPool.Put(w)
}

func encryptCBCGroup(messages []CBCMessage, g, count int) {
	row := rowOf(g)
	w := manyPool.Get().(*manyWork)
	defer w.free()
	lanes := &w.lanes
	next := 0
	var schedule modes.Schedule
	schedule.Start(min(count, widthOf(row)))
	for {
		for lane, ok := schedule.Idle(); ok; lane, ok = schedule.Idle() {
			for next < len(messages) && (groupOf(messages[next].Cipher) != g || len(messages[next].Src) == 0) {
				next++
			}
			if next == len(messages) {
				lanes.swap(lane, schedule.Drop(lane))
				continue
			}
			m := &messages[next]
			next++
			copy(lanes[lane].iv[:], m.IV)
			lanes.set(lane, m.Cipher, m.Dst, m.Src)
			schedule.Continue(lane, len(m.Src)/BlockSize)
		}
		n := schedule.Step(aescore.MaxPass / BlockSize)
		if n == 0 {
			return
		}
		lanes.encrypt(row, schedule.Lanes(), n)
	}
}

// A CMACMessage is one message of [CMACMany].
type CMACMessage struct {
	Cipher  *Cipher // may be the same for several messages
	Message []byte
	Sum     [BlockSize]byte // the result
}

// CMACMany computes the CMAC of each message like [Cipher.NewCMAC], but several
// side by side, as [EncryptCBCMany] does.
func CMACMany(messages []CMACMessage) {
	var groups groupSet
	for i := range messages {
		groups.add(messages[i].Cipher)
	}
	for g := range groups {
		if groups[g] > 0 {
			cmacGroup(messages, g, groups[g])
		}
	}
}

// cmacEnd is the size of the buffer for the padded end of a message. A short message
// is copied there whole, to be processed in one part.
const cmacEnd = 16 * BlockSize

func cmacGroup(messages []CMACMessage, g, count int) {
	row := rowOf(g)
	w := manyPool.Get().(*manyWork)
	defer w.free()
	lanes := &w.lanes
	var (
		schedule modes.Schedule
		slot     [maxLanes]uint8        // of a lane: its index in w.ends
		message  [maxLanes]*CMACMessage // of a lane: its message, until its end is assigned
		finished [maxLanes]*CMACMessage // of a lane: its message from then on
		cipher   *Cipher                // the one that subkey belongs to
		subkey   [BlockSize]byte
	)
	for i := range slot {
		slot[i] = uint8(i)
	}
	next := 0
	schedule.Start(min(count, widthOf(row)))
	for {
		for lane, ok := schedule.Idle(); ok; lane, ok = schedule.Idle() {
			if m := finished[lane]; m != nil {
				m.Sum = *lanes[lane].iv
				finished[lane] = nil
			}
			m := message[lane]
			rest := 0 // where the end of the message begins
			if m == nil {
				for next < len(messages) && groupOf(messages[next].Cipher) != g {
					next++
				}
				if next == len(messages) {
					last := schedule.Drop(lane)
					lanes.swap(lane, last)
					slot[lane], slot[last] = slot[last], slot[lane]
					message[lane], message[last] = message[last], message[lane]
					finished[lane], finished[last] = finished[last], finished[lane]
					continue
				}
				m = &messages[next]
				next++
				*lanes[lane].iv = [BlockSize]byte{}
				if n := len(m.Message); n > cmacEnd {
					message[lane] = m
					whole := (n - 1) &^ (BlockSize - 1)
					lanes.set(lane, m.Cipher, nil, m.Message[:whole])
					schedule.Continue(lane, whole/BlockSize)
					continue
				}
			} else {
				rest = (len(m.Message) - 1) &^ (BlockSize - 1)
			}
			if m.Cipher != cipher {
				cipher = m.Cipher
				clear(subkey[:])
				(*bulk)(cipher).EncryptBlocks(subkey[:], subkey[:])
			}
			end := w.ends[slot[lane]][:]
			w.used = max(w.used, int(slot[lane])+1)
			n := copy(end, m.Message[rest:])
			last := max(n-1, 0) &^ (BlockSize - 1)
			modes.CMACLast((*[BlockSize]byte)(end[last:]), &subkey, n-last)
			message[lane], finished[lane] = nil, m
			lanes.set(lane, m.Cipher, nil, end[:last+BlockSize])
			schedule.Continue(lane, last/BlockSize+1)
		}
		n := schedule.Step(aescore.MaxPass / BlockSize)
		if n == 0 {
			break
		}
		lanes.encrypt(row, schedule.Lanes(), n)
	}
	clear(subkey[:])
	runtime.KeepAlive(&subkey)
}

// A CCMMessage is one message of [SealCCMMany] or [OpenCCMMany].
type CCMMessage struct {
	AEAD                   *CCM   // may be the same for several messages
	Dst, Nonce, Text, Data []byte // the arguments of Seal or Open
	Out                    []byte // its result
	Err                    error
}

// SealCCMMany seals each message like [CCM.Seal], but several side by side, as
// [EncryptCBCMany] does. It panics where CCM.Seal does; other messages may have been
// sealed by then. A message must not overlap the memory that the result of another
// is appended to.
func SealCCMMany(messages []CCMMessage) { ccmMany(messages, false) }

// OpenCCMMany opens messages side by side, as [SealCCMMany] seals them. If a message
// is not authentic, OpenCCMMany sets its Err, leaves its Out nil, and returns an
// error.
func OpenCCMMany(messages []CCMMessage) error {
	if !ccmMany(messages, true) {
		return errOpen
	}
	return nil
}

func ccmMany(messages []CCMMessage, open bool) bool {
	var groups groupSet
	ok := true
	for i := range messages {
		m := &messages[i]
		m.Out, m.Err = nil, nil
		if open && m.AEAD.c.plan.Short() == wiped {
			m.Err, ok = errWiped, false
			continue
		}
		groups.add(m.AEAD.c)
	}
	for g := range groups {
		if groups[g] > 0 && !ccmGroup(messages, g, groups[g], open) {
			ok = false
		}
	}
	return ok
}

// ccmGather is the maximum length of a message that is copied, to be processed in one
// part. This saves calls of the kernel if lengths differ.
const ccmGather = 2 << 10

// ccmLanes is the state of a call. It is pooled because it escapes through package
// modes.
type ccmLanes struct {
	lane    [maxLanes]modes.CCMLane
	gather  [maxLanes][ccmGather]byte
	slot    [maxLanes]uint8 // of a lane of the schedule: its index in the other arrays
	message [maxLanes]*CCMMessage
}

var ccmPool = sync.Pool{New: func() any { return new(ccmLanes) }}

func ccmGroup(messages []CCMMessage, g, count int, open bool) bool {
	row := rowOf(g)
	var (
		schedule modes.Schedule
		lanes    lanes
	)
	w := ccmPool.Get().(*ccmLanes)
	used := min(count, widthOf(row))
	defer w.free(used)
	for i := range w.slot {
		w.slot[i] = uint8(i)
		w.message[i] = nil
		lanes[i].iv = &w.lane[i].MAC
	}
	authentic := true
	next := 0
	schedule.Start(used)
	for {
		for lane, ok := schedule.Idle(); ok; lane, ok = schedule.Idle() {
			l := &w.lane[w.slot[lane]]
			m := w.message[lane]
			if m == nil {
				for next < len(messages) && groupOf(messages[next].AEAD.c) != g {
					next++
				}
				if next == len(messages) {
					last := schedule.Drop(lane)
					lanes.swap(lane, last)
					w.slot[lane], w.slot[last] = w.slot[last], w.slot[lane]
					w.message[lane], w.message[last] = w.message[last], w.message[lane]
					continue
				}
				m = &messages[next]
				next++
				gather := w.gather[w.slot[lane]][:]
				if open {
					if m.Err = l.BeginOpen(m.AEAD.mode, gather, m.Dst, m.Nonce, m.Text, m.Data); m.Err != nil {
						authentic = false
						continue
					}
				} else {
					l.BeginSeal(m.AEAD.mode, gather, m.Dst, m.Nonce, m.Text, m.Data)
				}
				w.message[lane] = m
			}
			part := l.Next()
			if len(part) == 0 {
				if m.Out, m.Err = l.End(); m.Err != nil {
					authentic = false
				}
				w.message[lane] = nil
				continue
			}
			lanes.set(lane, m.AEAD.c, nil, part)
			schedule.Continue(lane, len(part)/BlockSize)
		}
		n := schedule.Step(aescore.MaxPass / BlockSize)
		if n == 0 {
			break
		}
		lanes.encrypt(row, schedule.Lanes(), n)
	}
	return authentic
}

func (w *ccmLanes) free(used int) {
	for i := range used {
		w.lane[i].Wipe()
		w.message[i] = nil
	}
	ccmPool.Put(w)
}

// Messages whose ciphers differ in driver or number of rounds cannot share a kernel.
// They form groups, which are processed one after the other.

// groupSet holds the number of messages in each group.
type groupSet [3 * 8]int

func (s *groupSet) add(c *Cipher) {
	c.check()
	s[groupOf(c)]++
}

func groupOf(c *Cipher) int { return 3*int(c.plan.Many()) + (c.keys.rounds()-10)/2 }

func rowOf(g int) uint8 { return uint8(g / 3) }
