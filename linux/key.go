package linux

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/kcapi"
)

// piece is the maximum size of one operation in Linux: larger ones are not faster, and
// engines have failed on them.
const piece = 64 << 10

// A key is a key of a block cipher that may also be open in Linux. It keeps the bytes
// until it is wiped, because sockets are opened late. That exposes nothing more: the
// round keys next to them reveal the key anyway.
type key struct {
	owner *provider
	size  int

	cbc, ctr, gcm, xts *engine // nil for unsupported modes
	slots              [slots]slot

	mu    sync.Mutex // held while opening and wiping
	bytes [64]byte
	wiped bool
}

// There is one object in Linux per mode, and for GCM one per tag size, 12 to 16.
const (
	slotCBC = iota
	slotCTR
	slotXTS
	slotGCM
	slots = slotGCM + 5
)

type slot struct {
	held     atomic.Pointer[holder]
	soft     atomic.Int64 // ns that software took for messages that could have gone to Linux
	rejected atomic.Bool  // Linux does not accept this key, or tags of this size
}

// A holder holds an open object.
type holder struct {
	*object
	slot    *slot
	cleanup runtime.Cleanup
}

// openAfter is how long software must have worked with a key before it is opened, as a
// multiple of the time that opening takes, unless a single message makes up for
// opening. For keys with less work it does not pay off, and a key that is not used
// again after opening has lost only a fortieth.
const openAfter = 40

// NewKey implements offload.Provider. It only stores the key, and returns nil if no
// engine may ever be used for it.
func (p *provider) NewKey(kind offload.Kind, bytes []byte) *offload.Key {
	var k *key
	var h *offload.Key
	for _, name := range kinds[kind] {
		e := p.engines[name][len(bytes)]
		if e == nil || !e.mayServe() {
			continue
		}
		if k == nil {
			k = &key{owner: p, size: len(bytes)}
			copy(k.bytes[:], bytes)
			h = offload.NewKey(k)
		}
		switch name[:3] {
		case "cbc":
			k.cbc = e
		case "ctr":
			k.ctr = e
		case "gcm":
			k.gcm = e
		case "xts":
			k.xts = e
		}
		e.reviewIfDue()
		for _, o := range e.ops {
			h.For(o.what, &o.gate)
		}
	}
	return h
}

// holder returns the holder for a request of n bytes, or nil if software is to handle
// it.
func (k *key) holder(o *operation, at, tagSize, n int) *holder {
	e := o.engine
	switch e.state.Load() {
	case untried:
		e.prepare(false)
		return nil
	case ready:
		if e.reviewIfDue(); !o.gate.Lets(n) {
			return nil
		}
	default:
		return nil
	}
	s := &k.slots[at]
	if h := s.held.Load(); h != nil {
		return h
	}
	if s.rejected.Load() {
		return nil
	}
	m, cost := o.found.Load(), float64(e.openCost.Load())
	soft := inSoftware(m, n)
	if float64(s.soft.Add(int64(soft))) < openAfter*cost && cost+inLinux(m, n) > winning*soft {
		return nil
	}
	return k.open(e, s, tagSize)
}

func (k *key) open(e *engine, s *slot, tagSize int) *holder {
	if !k.mu.TryLock() { // another goroutine is opening or wiping; do not wait for a driver
		return nil
	}
	defer k.mu.Unlock()
	if h := s.held.Load(); h != nil || k.wiped || k.owner.stopped.Load() {
		return h
	}
	what, err := e.open(e.name, k.bytes[:k.size], tagSize, e.slow)
	if err != nil {
		switch reason(err) {
		case kcapi.ErrKey, kcapi.ErrSize: // Linux rejects the key or the tag size
			s.rejected.Store(true)
		default:
			s.soft.Store(0)
			e.failed(err)
		}
		return nil
	}
	h := &holder{object: what, slot: s}
	h.cleanup = runtime.AddCleanup(h, (*object).close, what)
	s.held.Store(h)
	k.owner.holders.add(h)
	if k.owner.stopped.Load() { // stopped meanwhile
		h.close()
		return nil
	}
	return h
}

// close removes the object from its key and closes it, once. Before the key is opened
// again, software must have worked with it long enough again. Otherwise, with more
// keys in use than may be open, every call would close another key.
func (h *holder) close() {
	if h.slot.held.CompareAndSwap(h, nil) {
		h.slot.soft.Store(0)
		h.cleanup.Stop()
		h.object.close()
	}
}

// holders are the open objects, the oldest first. When there are as many as allowed,
// the oldest is closed.
type holders struct {
	mu   sync.Mutex
	list []weak.Pointer[holder]
}

func (r *holders) close() {
	r.mu.Lock()
	list := r.list
	r.list = nil
	r.mu.Unlock()
	for _, w := range list {
		if h := w.Value(); h != nil {
			h.close()
		}
	}
}

func (r *holders) add(h *holder) {
	r.mu.Lock()
	r.list = slices.DeleteFunc(r.list, func(w weak.Pointer[holder]) bool {
		h := w.Value()
		return h == nil || h.slot.held.Load() != h
	})
	var oldest *holder
	if len(r.list) == most {
		oldest = r.list[0].Value()
		r.list = slices.Delete(r.list, 0, 1)
	}
	r.list = append(r.list, weak.Make(h))
	r.mu.Unlock()
	if oldest != nil {
		oldest.close()
	}
}

// Wipe implements offload.Worker. Calls in progress can still finish.
func (k *key) Wipe() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.bytes[:])
	k.wiped = true
	for i := range k.slots {
		k.slots[i].soft.Store(0)
		if h := k.slots[i].held.Load(); h != nil {
			h.close()
		}
	}
}

// pieces are buffers for the results of operations in place: after an error the input
// must still be intact.
var pieces = sync.Pool{New: func() any { return new([piece + 16]byte) }}

// crypt processes one piece in Linux, and reports whether it succeeded. If not, src is
// unchanged.
func (h *holder) crypt(o *operation, iv *[16]byte, dst, src []byte) bool {
	if !o.engine.owner.enter() {
		return false
	}
	start := time.Now()
	out := dst
	var scratch *[piece + 16]byte
	if &dst[0] == &src[0] {
		scratch = pieces.Get().(*[piece + 16]byte)
		out = scratch[:len(src)]
	}
	var err error
	if o.decrypt {
		err = h.cipher.Decrypt(out, src, iv[:])
	} else {
		err = h.cipher.Encrypt(out, src, iv[:])
	}
	o.engine.owner.leave()
	if err == nil && scratch != nil {
		copy(dst, out)
	}
	if scratch != nil {
		clear(out)
		pieces.Put(scratch)
	}
	runtime.KeepAlive(h)
	if err != nil {
		o.engine.failed(err)
		return false
	}
	o.took(len(src), time.Since(start))
	return true
}

// CBC implements offload.Worker.
func (k *key) CBC(iv *[16]byte, dst, src []byte, decrypt bool) int {
	o := k.cbc.ops[0]
	if decrypt {
		o = k.cbc.ops[1]
	}
	h := k.holder(o, slotCBC, 0, len(src))
	if h == nil {
		return 0
	}
	done := 0
	for done < len(src) && o.gate.Lets(len(src)-done) {
		n := min(len(src)-done, piece)
		from, to := src[done:done+n], dst[done:done+n]
		next := [16]byte(from[n-16:])
		if !h.crypt(o, iv, to, from) {
			break
		}
		if !decrypt {
			next = [16]byte(to[n-16:])
		}
		*iv = next
		done += n
	}
	return done
}

// CTR implements offload.Worker.
func (k *key) CTR(counter *[16]byte, dst, src []byte) int {
	o := k.ctr.ops[0]
	src = src[:len(src)&^15]
	h := k.holder(o, slotCTR, 0, len(src))
	if h == nil {
		return 0
	}
	done := 0
	for done < len(src) && o.gate.Lets(len(src)-done) {
		n := min(len(src)-done, piece)
		if !h.crypt(o, counter, dst[done:done+n], src[done:done+n]) {
			break
		}
		carry := uint(n / 16)
		for i := 15; i >= 0; i-- {
			carry += uint(counter[i])
			counter[i] = byte(carry)
			carry >>= 8
		}
		done += n
	}
	return done
}

// XTS implements offload.Worker.
func (k *key) XTS(tweak *[16]byte, dst, src []byte, decrypt bool) bool {
	o := k.xts.ops[0]
	if decrypt {
		o = k.xts.ops[1]
	}
	if len(src) > piece { // cannot be split
		return false
	}
	h := k.holder(o, slotXTS, 0, len(src))
	return h != nil && h.crypt(o, tweak, dst, src)
}

// Seal implements offload.Worker.
func (k *key) Seal(out, nonce, plaintext, data []byte) bool {
	o, tagSize, n := k.gcm.ops[0], len(out)-len(plaintext), len(plaintext)
	if len(data)+n > piece {
		return false
	}
	h := k.holder(o, slotGCM+16-tagSize, tagSize, n)
	if h == nil || !k.owner.enter() {
		return false
	}
	start := time.Now()
	to := out
	var scratch *[piece + 16]byte
	if &out[0] == &plaintext[0] {
		scratch = pieces.Get().(*[piece + 16]byte)
		to = scratch[:len(out)]
	}
	got, err := h.aead.Seal(to[:0:len(to)], nonce, plaintext, data)
	k.owner.leave()
	good := err == nil && len(got) == len(out)
	if good && scratch != nil {
		copy(out, got)
	}
	if scratch != nil {
		clear(to)
		pieces.Put(scratch)
	}
	runtime.KeepAlive(h)
	if err != nil {
		o.engine.failed(err)
		return false
	}
	if !good {
		o.engine.failed(kcapi.ErrFailed)
		return false
	}
	o.took(n, time.Since(start))
	return true
}

// Open implements offload.Worker.
func (k *key) Open(out, nonce, ciphertext, data []byte, tagSize int) (done, good bool) {
	o, n := k.gcm.ops[1], len(out)
	if len(data)+n > piece {
		return false, false
	}
	h := k.holder(o, slotGCM+16-tagSize, tagSize, n)
	if h == nil || !k.owner.enter() {
		return false, false
	}
	start := time.Now()
	got, err := h.aead.Open(out[:0:len(out)], nonce, ciphertext, data)
	k.owner.leave()
	runtime.KeepAlive(h)
	switch {
	case err != nil && reason(err) == kcapi.ErrAuth:
		o.calls.Add(1)
		return true, false
	case err == nil && len(got) != len(out):
		err = kcapi.ErrFailed
	}
	if err != nil {
		o.engine.failed(err)
		return false, false
	}
	o.took(n, time.Since(start))
	return true, true
}
