package kcapi

import (
	"crypto/rand"
	"io"
	"runtime"
)

// An RNG is one of Linux's random generators, such as "stdrng" or
// "drbg_nopr_ctr_aes256". For random numbers take crypto/rand; this is for
// tests of the generators and for devices that are one.
type RNG struct {
	object  *object
	cleanup runtime.Cleanup
}

var _ io.Reader = (*RNG)(nil)

// rngMost is what Linux returns at a time.
const rngMost = 128

// OpenRNG opens a generator and seeds it, from crypto/rand. Those with a source
// of their own use that in the first place.
func OpenRNG(name string, opts ...Option) (*RNG, error) {
	var seed [48]byte // what the largest needs, "ansi_cprng"
	rand.Read(seed[:])
	defer clear(seed[:])
	b, err := newObject("rng", name, Bytes(seed[:]), 0, opts)
	if err != nil {
		return nil, err
	}
	r := &RNG{object: b}
	r.cleanup = runtime.AddCleanup(r, (*object).close, b)
	return r, nil
}

// Driver returns the name of the driver that Linux is believed to have picked,
// according to /proc/crypto at the time of the first call, or "".
func (r *RNG) Driver() string { return r.object.driverName() }

// Read fills p. If it fails, it returns how many bytes it has got.
func (r *RNG) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	defer runtime.KeepAlive(r)
	t, o, err := r.object.get()
	if err != nil {
		return 0, err
	}
	deadline := r.object.deadline()
	total := 0
	for total < len(p) {
		m := message{receives: true, out: p[total:min(total+rngMost, len(p))]}
		n, call, errno := o.do(&m, deadline)
		if errno != 0 || n <= 0 || n > len(m.out) {
			t.put(o, false)
			if errno != 0 {
				return total, r.object.failed(call, errno)
			}
			return total, r.object.odd(n, len(m.out))
		}
		total += n
	}
	t.put(o, true)
	return total, nil
}

// Close closes all sockets. Calls that are under way come to their end.
func (r *RNG) Close() error {
	r.cleanup.Stop()
	r.object.close()
	return nil
}
