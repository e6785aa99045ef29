package kcapi

import (
	"crypto/rand"
	"io"
	"runtime"
)

// An RNG is one of Linux's random number generators, such as "stdrng" or
// "drbg_nopr_ctr_aes256". For random numbers use crypto/rand; this type is for
// testing the generators and for hardware generators.
type RNG struct {
	object  *object
	cleanup runtime.Cleanup
}

var _ io.Reader = (*RNG)(nil)

// rngMost is the maximum number of bytes that Linux returns per request.
const rngMost = 128

// OpenRNG opens a generator and seeds it from crypto/rand. Generators with an
// entropy source of their own use that source first.
func OpenRNG(name string, opts ...Option) (*RNG, error) {
	var seed [48]byte // "ansi_cprng" needs the most
	rand.Read(seed[:])
	defer clear(seed[:])
	return openRNG(name, seed[:], opts)
}

// OpenSeededRNG opens a generator that produces the same numbers every time, for
// tests with known answers. For generators such as "ansi_cprng", seed is the
// initial state and entropy is empty. A DRBG of NIST SP 800-90A, such as
// "drbg_nopr_hmac_sha512", has an entropy source of its own: entropy, which
// replaces it, consists of entropy input and nonce, and seed is the
// personalization string. That requires CAP_SYS_ADMIN and a kernel built with
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

// Driver returns the name of the driver that Linux is believed to have selected,
// according to /proc/crypto at the time of the first call, or "" if it is not known.
func (r *RNG) Driver() string { return r.object.driverName() }

// Read fills p. After an error it returns the number of bytes read before.
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

// Generate fills p, of at most 128 bytes, in one request with additional input as
// defined in NIST SP 800-90A. Only a generator that was opened with entropy accepts
// additional input; for others it must be empty.
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

// Close closes all sockets. Calls in progress can still finish.
func (r *RNG) Close() error {
	r.cleanup.Stop()
	r.object.close()
	return nil
}
