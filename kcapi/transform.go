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

// chunk is the maximum size of one cipher operation, in bytes. Larger ones are
// not faster, and drivers of engines have failed on them.
const chunk = 64 << 10

// maxIV is larger than any IV in Linux; the largest have 32 bytes.
const maxIV = 64

// A transform is an algorithm with a key: the bound socket, and the sockets for
// operations accepted from it. Its key never changes, because Linux refuses to
// set a key while there are sockets for operations.
type transform struct {
	fd      int
	max     int  // idle sockets kept
	limited bool // messages must fit into the socket's buffers
	quick   bool // the driver computes within the system call, without waiting

	mu     sync.Mutex
	users  int // calls that hold a socket, or are about to open one
	closed bool
	idle   []*op
}

// An op is a socket for operations. It is used by one call at a time.
type op struct {
	fd      int
	limit   int    // maximum bytes of a message, if limited
	quick   bool   // as in transform
	scratch []byte // any secrets in it are zeroed after each call
	watch   *watch // with a timeout
	gone    bool   // after a timeout: watch closes the socket
}

// buffer returns n bytes of scratch, which is reused by later calls on the socket.
func (o *op) buffer(n int) []byte {
	if cap(o.scratch) < n {
		o.scratch = make([]byte, max(n, 2*cap(o.scratch)))
	}
	return o.scratch[:n]
}

// close must not run twice.
func (o *op) close() {
	if o.watch != nil {
		close(o.watch.start) // ends the goroutine
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
		if t.limited { // for each socket: the system's defaults can change
			o.limit = capacity(fd)
		}
	}
	return o, "", 0
}

// put returns a socket to the pool. clean is false after an error: then the socket
// may still hold parts of the failed message, and put closes it.
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

// leave undoes the accounting of get, for callers that keep the socket or did not
// get one.
func (t *transform) leave() {
	t.mu.Lock()
	t.users--
	last := t.closed && t.users == 0
	t.mu.Unlock()
	if last {
		closeSocket(t.fd)
	}
}

// close lets calls in progress finish; the last one closes the bound socket.
// Until then its descriptor number cannot be reused by another file.
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
// so that a cleanup can close it once they are unreachable.
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

// newObject opens an algorithm and a first socket for operations, which shows
// that it works.
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
	if b.current.Load() == nil { // not when the key changes: calls may be reading facts
		b.facts = remembered(b.typ, b.name)
	}
	t.quick = b.facts.sync && b.typ != "rng" // a generator may wait for entropy
	if len(b.config.entropy) > 0 {           // before the seed, which uses it
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

// get returns a socket for operations and the transform to return it to.
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
		if b.current.Load() == t { // closed by Close, not replaced by setKey
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

// deadline returns the time by which a call that begins now must end, or the zero time.
func (b *object) deadline() time.Time {
	if b.config.timeout == 0 {
		return time.Time{}
	}
	return time.Now().Add(b.config.timeout)
}

// quickMost is the maximum length of a quick message. A slow driver, at 10 MB/s,
// takes 200 µs for it.
const quickMost = 2 << 10

// do makes the system calls for a message, on another goroutine if there is a
// deadline.
//
// If the driver is synchronous and the message is short, the calls are raw system
// calls, which Go's scheduler does not see. Otherwise it would take the P away from
// a goroutine that it finds in the same call twice, which on a single processor is
// very often. Until a raw call returns, no other goroutine can run in its place.
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

// failed returns the error for an errno from Linux.
func (b *object) failed(call string, errno syscall.Errno) *Error {
	if errno == timedOut {
		return &Error{Op: call, Algorithm: b.name, Reason: ErrTimeout}
	}
	e := &Error{Op: call, Algorithm: b.name, Errno: errno}
	e.Reason, e.Detail = classify(b.typ, b.name, call, errno)
	return e
}

// odd returns the error for a result of the wrong size.
func (b *object) odd(n, want int) *Error {
	return &Error{Op: "receive", Algorithm: b.name, Reason: ErrFailed,
		Detail: strconv.Itoa(n) + " bytes instead of " + strconv.Itoa(want)}
}

// driverName returns the driver that Linux is believed to have selected.
func (b *object) driverName() string {
	b.driver.Do(func() { b.driver.name = lookUp(b.typ, b.name).driver })
	return b.driver.name
}
