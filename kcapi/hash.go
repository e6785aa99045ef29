package kcapi

import (
	"runtime"
	"syscall"
	"time"
)

// A Hash computes digests, or MACs if it was opened with a key.
type Hash struct {
	object  *object
	size    int
	cleanup runtime.Cleanup
}

// maxDigest is Linux's HASH_MAX_DIGESTSIZE.
const maxDigest = 64

// maxSend is how much of a message for a hash one system call sends; Linux accepts
// up to 2 GiB. With a deadline it is limited by the size of a buffer, because the
// message is copied.
const (
	maxSend        = 1 << 30
	maxSendWatched = 64 << 10
)

// OpenHash opens a hash algorithm without a key, such as "sha256" or "sm3", or
// a driver, by name.
func OpenHash(name string, opts ...Option) (*Hash, error) {
	return openHash(name, Key{}, opts)
}

// OpenMAC opens a hash algorithm with a key, such as "hmac(sha256)" or
// "cmac(aes)", or a driver, by name.
func OpenMAC(name string, key Key, opts ...Option) (*Hash, error) {
	return openHash(name, key, opts)
}

func openHash(name string, key Key, opts []Option) (*Hash, error) {
	b, err := newObject("hash", name, key, 0, opts)
	if err != nil {
		return nil, err
	}
	// The digest of an empty message shows the size, and whether a key is missing.
	t, o, err := b.get()
	if err != nil {
		b.close()
		return nil, err
	}
	var out [maxDigest]byte
	m := message{receives: true, out: out[:]}
	n, call, errno := m.run(o.fd)
	t.put(o, errno == 0)
	if errno != 0 {
		b.close()
		return nil, b.failed(call, errno)
	}
	h := &Hash{object: b, size: n}
	h.cleanup = runtime.AddCleanup(h, (*object).close, b)
	return h, nil
}

// Size returns the size of a digest in bytes.
func (h *Hash) Size() int { return h.size }

// Driver returns the name of the driver that Linux is believed to have selected,
// according to /proc/crypto at the time of the first call, or "" if it is not known.
func (h *Hash) Driver() string { return h.object.driverName() }

// Close closes all sockets. Calls in progress can still finish.
// States made by NewState are not affected.
func (h *Hash) Close() error {
	h.cleanup.Stop()
	h.object.close()
	return nil
}

// SetKey changes the key of a MAC for subsequent calls and new states.
func (h *Hash) SetKey(key Key) error {
	defer runtime.KeepAlive(h)
	return h.object.setKey(key)
}

// Digest appends the digest of p to dst. It takes two system calls, or one if p is
// empty. p must not be modified during the call: Linux reads it in place.
func (h *Hash) Digest(dst, p []byte) ([]byte, error) {
	t, o, err := h.object.get()
	if err != nil {
		return nil, err
	}
	whole, out := extend(dst, h.size)
	n, call, errno := o.digest(out, p, h.object.deadline())
	t.put(o, errno == 0 && n == len(out))
	runtime.KeepAlive(h)
	if errno != 0 {
		return nil, h.object.failed(call, errno)
	}
	if n != len(out) {
		return nil, h.object.odd(n, len(out))
	}
	return whole, nil
}

func (o *op) digest(out, p []byte, deadline time.Time) (int, string, syscall.Errno) {
	p, call, errno := o.write(p, deadline, false)
	if errno != 0 {
		return 0, call, errno
	}
	// An empty message is not sent: receiving finishes the message.
	m := message{sends: len(p) > 0, in: p, receives: true, out: out}
	return o.do(&m, deadline)
}

// write sends p in parts that more will follow. Unless all is set, it does not send
// the last part but returns it.
func (o *op) write(p []byte, deadline time.Time, all bool) (rest []byte, call string, errno syscall.Errno) {
	size := maxSend
	if !deadline.IsZero() {
		size = maxSendWatched
	}
	for len(p) > size || all && len(p) > 0 {
		m := message{sends: true, more: true, in: p[:min(size, len(p))]}
		if _, call, errno = o.do(&m, deadline); errno != 0 {
			return nil, call, errno
		}
		p = p[len(m.in):]
	}
	return p, "", 0
}

// extend returns dst extended by n bytes, and those bytes.
func extend(dst []byte, n int) (whole, tail []byte) {
	size := len(dst) + n
	if size <= cap(dst) {
		whole = dst[:size]
	} else {
		whole = make([]byte, size)
		copy(whole, dst)
	}
	return whole, whole[len(dst):]
}
