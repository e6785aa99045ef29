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
	return openRNG(name, seed[:], opts)
}

// OpenSeededRNG opens a generator that gives the same numbers every time, for
// tests with known answers. seed is what such a generator begins with, as
// "ansi_cprng" does. A DRBG of NIST SP 800-90A, such as
// "drbg_nopr_hmac_sha256", has a source of its own: for it entropy stands in for
// the source, and holds entropy and nonce, and seed is the personalization
// string. That takes CAP_SYS_ADMIN and a Linux with
// CONFIG_CRYPTO_USER_API_RNG_CAVP.
func OpenSeededRNG(name string, entropy, seed []byte, opts ...Option) (*RNG, error) {
	if len(entropy) > 0 {
		opts = append(opts[:len(opts):len(opts)], func(c *config) { c.entropy = entropy })
	}
	return openRNG(name, seed, opts)
}

func openRNG(name string, seed []byte, opts []Option) (*RNG, error) {
	b, err := newObject("rng", name, Bytes(seed), 0, opts)
	if err != nil {
		return nil, err
	}
	b.config.entropy = nil // it belongs to the caller
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

// Generate fills p in one request, of at most 128 bytes, with additional input as
// NIST SP 800-90A has it. Only a generator that was opened with entropy takes
// some; for others it has to be empty.
func (r *RNG) Generate(p, additional []byte) error {
	if len(p) == 0 || len(p) > rngMost {
		return r.object.sizeError("a request of ", len(p), rngMost)
	}
	defer runtime.KeepAlive(r)
	t, o, err := r.object.get()
	if err != nil {
		return err
	}
	m := message{sends: len(additional) > 0, in: additional, receives: true, out: p}
	n, call, errno := o.do(&m, r.object.deadline())
	t.put(o, errno == 0 && n == len(p))
	switch {
	case errno != 0:
		return r.object.failed(call, errno)
	case n != len(p):
		return r.object.odd(n, len(p))
	}
	return nil
}

// Close closes all sockets. Calls that are under way come to their end.
func (r *RNG) Close() error {
	r.cleanup.Stop()
	r.object.close()
	return nil
}
