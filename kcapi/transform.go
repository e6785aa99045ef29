package kcapi

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// chunk is the most that one operation of a cipher gets. Larger ones are not
// faster, and drivers of engines have failed on them.
const chunk = 64 << 10

// maxIV is more than any IV that Linux knows; the largest have 32 bytes.
const maxIV = 64

// A transform is an algorithm with a key: the socket that was bound, and the
// sockets for operations made from it. Its key never changes, because Linux
// refuses that while there are sockets for operations.
type transform struct {
	fd      int
	max     int  // idle sockets kept
	limited bool // messages must fit into the buffers of a socket
	quick   bool // the driver computes in the system call, without waiting

	mu     sync.Mutex
	users  int // calls that have a socket, or are about to make one
	closed bool
	idle   []*op
}

// An op is a socket for operations. It has one user at a time.
type op struct {
	fd      int
	limit   int    // bytes that a message can have, if limited
	quick   bool   // as in transform
	scratch []byte // zero between calls as far as it held secrets
	watch   *watch // with a timeout
	gone    bool   // left to watch after a timeout
}

// buffer returns n bytes that live as long as the socket.
func (o *op) buffer(n int) []byte {
	if cap(o.scratch) < n {
		o.scratch = make([]byte, max(n, 2*cap(o.scratch)))
	}
	return o.scratch[:n]
}

// close must not run twice.
func (o *op) close() {
	if o.watch != nil {
		close(o.watch.start) // which ends the goroutine
	}
	if !o.gone {
		closeSocket(o.fd)
	}
	o.fd = -1
}

// get returns an idle socket, or a new one.
func (t *transform) get() (o *op, call string, errno syscall.Errno) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil, "", 0
	}
	t.users++
	if n := len(t.idle); n > 0 {
		o = t.idle[n-1]
		t.idle[n-1] = nil
		t.idle = t.idle[:n-1]
	}
	t.mu.Unlock()
	if o == nil {
		fd, errno := accept(t.fd)
		if errno != 0 {
			t.leave()
			return nil, "accept", errno
		}
		o = &op{fd: fd, quick: t.quick}
		if t.limited { // the system's defaults can change
			o.limit = capacity(fd)
		}
	}
	return o, "", 0
}

// put gives a socket back. One that Linux has refused something on may hold
// rests of it and is closed.
func (t *transform) put(o *op, clean bool) {
	t.mu.Lock()
	keep := clean && !o.gone && !t.closed && len(t.idle) < t.max
	if keep {
		t.idle = append(t.idle, o)
	}
	t.mu.Unlock()
	if !keep {
		o.close()
	}
	t.leave()
}

// leave ends what get has begun, for callers that keep the socket or have none.
func (t *transform) leave() {
	t.mu.Lock()
	t.users--
	last := t.closed && t.users == 0
	t.mu.Unlock()
	if last {
		closeSocket(t.fd)
	}
}

// close lets calls that are under way finish; the last one closes the socket
// that was bound. Its number cannot be taken by another file before.
func (t *transform) close() {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	t.closed = true
	idle := t.idle
	t.idle = nil
	last := t.users == 0
	t.mu.Unlock()
	for _, o := range idle {
		o.close()
	}
	if last {
		closeSocket(t.fd)
	}
}

// An object is what the public types have in common. It does not refer to them,
// so that the garbage collector can close it when they are forgotten.
type object struct {
	typ, name string
	tagSize   int // of an AEAD
	config    config
	facts     facts
	limit     int // of the first socket

	current atomic.Pointer[transform]
	mu      sync.Mutex // for replacing current
	closed  bool

	driver struct {
		sync.Once
		name string
	}
}

// newObject opens an algorithm and makes a first socket for operations, which
// shows that it works.
func newObject(typ, name string, key Key, tagSize int, opts []Option) (*object, error) {
	b := &object{typ: typ, name: name, tagSize: tagSize, config: newConfig(opts)}
	if !supported {
		return nil, &Error{Op: "open", Algorithm: name, Reason: ErrUnsupported}
	}
	if name == "" || len(name) > maxName || strings.IndexByte(name, 0) >= 0 {
		return nil, &Error{Op: "open", Algorithm: name, Reason: ErrNoAlgorithm, Detail: "a name has 1 to " + strconv.Itoa(maxName) + " bytes and no zero"}
	}
	t, err := b.bind(key)
	if err != nil {
		return nil, err
	}
	b.current.Store(t)
	return b, nil
}

func (b *object) bind(key Key) (*transform, error) {
	fd, errno := newSocket()
	if errno != 0 {
		return nil, b.failed("socket", errno)
	}
	t := &transform{fd: fd, max: b.config.pool, limited: b.typ == "skcipher" || b.typ == "aead"}
	fail := func(err error) (*transform, error) {
		t.close()
		return nil, err
	}
	if errno := bind(fd, b.typ, b.name); errno != 0 {
		return fail(b.failed("bind", errno))
	}
	if b.current.Load() == nil { // not for another key: calls may be reading it
		b.facts = remembered(b.typ, b.name)
	}
	t.quick = b.facts.sync && b.typ != "rng" // a generator may collect noise
	if len(b.config.entropy) > 0 {           // before what uses it
		if errno := setEntropy(fd, b.config.entropy); errno != 0 {
			return fail(b.failed("set entropy", errno))
		}
	}
	switch key.kind {
	case keyBytes:
		errno = setKey(fd, key.bytes)
	case keySerial:
		errno = setKeySerial(fd, key.serial)
	}
	runtime.KeepAlive(key.bytes)
	if errno != 0 {
		err := b.failed("set key", errno)
		if f := b.facts; err.Reason == ErrKey && key.kind == keyBytes && isBadSize(errno) {
			err.Detail = key.String()
			if f.maxKey > 0 && (len(key.bytes) < f.minKey || len(key.bytes) > f.maxKey) {
				err.Detail += ", want " + span(f.minKey, f.maxKey)
			}
		}
		return fail(err)
	}
	if b.typ == "aead" {
		if errno := setTagSize(fd, b.tagSize); errno != 0 {
			err := b.failed("set tag size", errno)
			if err.Reason == ErrSize {
				err.Detail = "tag of " + strconv.Itoa(b.tagSize) + " bytes"
				if most := b.facts.maxTag; most > 0 && b.tagSize > most {
					err.Detail += ", want at most " + strconv.Itoa(most)
				}
			}
			return fail(err)
		}
	}
	o, call, errno := t.get()
	if errno != 0 {
		return fail(b.failed(call, errno))
	}
	if b.current.Load() == nil {
		b.limit = o.limit
	}
	t.put(o, true)
	return t, nil
}

func span(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return strconv.Itoa(least) + " to " + strconv.Itoa(most)
}

// get returns a socket for operations and the transform that it has to go back to.
func (b *object) get() (*transform, *op, error) {
	for {
		t := b.current.Load()
		o, call, errno := t.get()
		if o != nil {
			return t, o, nil
		}
		if errno != 0 {
			return nil, nil, b.failed(call, errno)
		}
		if b.current.Load() == t { // it was closed, and not for a new key
			return nil, nil, b.error(ErrClosed, "")
		}
	}
}

// setKey changes the key for calls that begin from now on.
func (b *object) setKey(key Key) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return b.error(ErrClosed, "")
	}
	t, err := b.bind(key)
	if err != nil {
		return err
	}
	b.current.Swap(t).close()
	return nil
}

func (b *object) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.current.Load().close()
}

// deadline is the time at which a call that begins now has to end, or zero.
func (b *object) deadline() time.Time {
	if b.config.timeout == 0 {
		return time.Time{}
	}
	return time.Now().Add(b.config.timeout)
}

// quickMost is the most that a quick message has. A slow driver, at 10 MB/s,
// takes 200 µs for it.
const quickMost = 2 << 10

// do makes the system calls of a message, on another goroutine if there is a
// deadline.
//
// If the driver is synchronous and the message short, Go's runtime is not told of
// the system calls. It would take the processor away from a goroutine that it
// finds in one twice, and with a single processor it finds it there all the
// time. Until such a call returns, nothing else can run in its place.
func (o *op) do(m *message, deadline time.Time) (n int, call string, errno syscall.Errno) {
	if deadline.IsZero() {
		m.quick = o.quick && len(m.data)+len(m.in) <= quickMost
		return m.run(o.fd)
	}
	return o.watched(m, deadline)
}

func (b *object) error(r Reason, detail string) *Error {
	return &Error{Algorithm: b.name, Reason: r, Detail: detail}
}

// failed is the error for what Linux has answered.
func (b *object) failed(call string, errno syscall.Errno) *Error {
	if errno == timedOut {
		return &Error{Op: call, Algorithm: b.name, Reason: ErrTimeout}
	}
	e := &Error{Op: call, Algorithm: b.name, Errno: errno}
	e.Reason, e.Detail = classify(b.typ, b.name, call, errno)
	return e
}

// odd is the error for an answer of another size than there can be.
func (b *object) odd(n, want int) *Error {
	return &Error{Op: "receive", Algorithm: b.name, Reason: ErrFailed,
		Detail: strconv.Itoa(n) + " bytes instead of " + strconv.Itoa(want)}
}

// driverName tells what Linux is believed to have picked.
func (b *object) driverName() string {
	b.driver.Do(func() { b.driver.name = lookUp(b.typ, b.name).driver })
	return b.driver.name
}
