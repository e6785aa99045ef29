package kcapi

import (
	"runtime"
	"strconv"
	"strings"
)

// An AEAD encrypts and authenticates messages. Its methods resemble those of
// [crypto/cipher.AEAD], but Seal returns an error too.
type AEAD struct {
	object  *object
	ccm     bool
	forged  *Error
	cleanup runtime.Cleanup
}

// OpenAEAD opens an AEAD, such as "gcm(aes)", "ccm(sm4)" or
// "rfc7539(chacha20,poly1305)", or a driver, by name. tagSize is the size of tags
// in bytes.
func OpenAEAD(name string, key Key, tagSize int, opts ...Option) (*AEAD, error) {
	if tagSize <= 0 || tagSize > 1<<10 {
		return nil, &Error{Op: "open", Algorithm: name, Reason: ErrSize, Detail: "tag of " + strconv.Itoa(tagSize) + " bytes"}
	}
	b, err := newObject("aead", name, key, tagSize, opts)
	if err != nil {
		return nil, err
	}
	algorithm := name
	if b.facts.isKnown() {
		algorithm = b.facts.name
	}
	a := &AEAD{object: b, ccm: strings.HasPrefix(algorithm, "ccm("), forged: b.error(ErrAuth, "")}
	a.cleanup = runtime.AddCleanup(a, (*object).close, b)
	return a, nil
}

// NonceSize returns the size of nonces in bytes, or -1 if /proc/crypto does not
// list the algorithm. For CCM it is 12, though any size from 7 to 13 is accepted.
func (a *AEAD) NonceSize() int {
	switch {
	case a.ccm:
		return 12
	case a.object.facts.isKnown():
		return a.object.facts.ivSize
	}
	return -1
}

// Overhead returns the size of tags in bytes.
func (a *AEAD) Overhead() int { return a.object.tagSize }

// MaxSize returns the maximum number of bytes in a message, including additional
// data and tag. It depends on the size of Linux's socket buffers and pages when
// the object was opened, and is usually 208 KiB.
func (a *AEAD) MaxSize() int { return a.object.limit }

// Driver returns the name of the driver that Linux is believed to have selected,
// according to /proc/crypto at the time of the first call, or "" if it is not known.
func (a *AEAD) Driver() string { return a.object.driverName() }

// Close closes all sockets. Calls in progress can still finish.
func (a *AEAD) Close() error {
	a.cleanup.Stop()
	a.object.close()
	return nil
}

// SetKey changes the key for subsequent calls.
func (a *AEAD) SetKey(key Key) error {
	defer runtime.KeepAlive(a)
	return a.object.setKey(key)
}

// iv returns the IV that Linux expects for a nonce and a plaintext of size bytes. For
// CCM it has 16 bytes: one less than the size of the length field, the nonce, and
// zeros.
func (a *AEAD) iv(space *[16]byte, nonce []byte, size int) ([]byte, *Error) {
	if a.ccm {
		if len(nonce) < 7 || len(nonce) > 13 {
			return nil, a.object.error(ErrSize, "nonce of "+strconv.Itoa(len(nonce))+" bytes, want 7 to 13")
		}
		// Linux accepts a length of one more than two bytes can hold, and encodes it as 0.
		if length := 15 - len(nonce); length < 4 && size >= 1<<(8*length) {
			return nil, a.object.error(ErrTooLarge, strconv.Itoa(size)+" bytes with a nonce of "+strconv.Itoa(len(nonce)))
		}
		space[0] = byte(14 - len(nonce))
		copy(space[1:], nonce)
		return space[:], nil
	}
	if f := &a.object.facts; f.isKnown() && len(nonce) != f.ivSize {
		return nil, a.object.sizeError("nonce of ", len(nonce), f.ivSize)
	}
	if len(nonce) > maxIV {
		return nil, a.object.sizeError("nonce of ", len(nonce), maxIV)
	}
	return nonce, nil
}

// fits checks the size of a message, first before memory is allocated for it, and
// then for the socket that it goes to.
func (a *AEAD) fits(n, limit int) error {
	if n > limit {
		return a.object.error(ErrTooLarge, strconv.Itoa(n)+" bytes with additional data and tag, at most "+strconv.Itoa(limit))
	}
	return nil
}

func (a *AEAD) get(n int) (*transform, *op, error) {
	t, o, err := a.object.get()
	if err != nil {
		return nil, nil, err
	}
	if err := a.fits(n, o.limit); err != nil {
		t.put(o, true)
		return nil, nil, err
	}
	return t, o, nil
}

// Seal encrypts plaintext, authenticates it together with data, and appends
// ciphertext and tag to dst. The plaintext and the appended part of dst must overlap
// exactly or not at all. It takes two system calls. If Linux fails on the message,
// that part of dst is zeroed, even if it held the plaintext.
func (a *AEAD) Seal(dst, nonce, plaintext, data []byte) ([]byte, error) {
	var space [16]byte
	iv, e := a.iv(&space, nonce, len(plaintext))
	if e != nil {
		return nil, e
	}
	size := len(data) + len(plaintext) + a.object.tagSize
	if err := a.fits(size, a.object.limit); err != nil {
		return nil, err
	}
	whole, out := extend(dst, len(plaintext)+a.object.tagSize)
	if inexactOverlap(out, plaintext) || anyOverlap(out, data) {
		return nil, a.object.error(ErrOverlap, "")
	}
	t, o, err := a.get(size)
	if err != nil {
		return nil, err
	}
	m := message{
		sends: true, control: true, aead: true, encrypt: true, iv: iv, data: data, in: plaintext,
		receives: true, head: o.buffer(len(data)), out: out,
	}
	n, call, errno := o.do(&m, a.object.deadline())
	t.put(o, errno == 0 && n == size)
	runtime.KeepAlive(a)
	if errno != 0 {
		clear(out) // drivers may have copied the plaintext there
		return nil, a.object.failed(call, errno)
	}
	if n != size {
		clear(out)
		return nil, a.object.odd(n, size)
	}
	return whole, nil
}

// Open verifies the tag at the end of ciphertext, which also authenticates data, and
// appends the plaintext to dst. If the verification fails, the error is [ErrAuth].
// Linux writes the plaintext to a separate buffer, and it is copied to dst only after
// it has been authenticated. The ciphertext and the appended part of dst must overlap
// exactly or not at all. It takes two system calls.
func (a *AEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	var space [16]byte
	iv, e := a.iv(&space, nonce, len(ciphertext)-a.object.tagSize)
	if e != nil {
		return nil, e
	}
	if len(ciphertext) < a.object.tagSize {
		return nil, a.forged
	}
	if err := a.fits(len(data)+len(ciphertext), a.object.limit); err != nil {
		return nil, err
	}
	whole, out := extend(dst, len(ciphertext)-a.object.tagSize)
	if inexactOverlap(out, ciphertext) || anyOverlap(out, data) {
		return nil, a.object.error(ErrOverlap, "")
	}
	t, o, err := a.get(len(data) + len(ciphertext))
	if err != nil {
		return nil, err
	}
	// With an empty plaintext and no data nothing comes back, but Linux verifies
	// the tag only if at least one byte is requested; see receive.
	size := len(data) + len(out)
	scratch := o.buffer(size)
	clear(scratch) // in case Linux leaves a part unwritten: no remains of another message
	m := message{
		sends: true, control: true, aead: true, iv: iv, data: data, in: ciphertext,
		receives: true, out: scratch,
	}
	n, call, errno := o.do(&m, a.object.deadline())
	plaintext := scratch[len(data):]
	if errno == 0 && n == size {
		copy(out, plaintext)
	}
	clear(plaintext) // written even if the tag is wrong
	t.put(o, isForged(errno) || errno == 0 && n == size)
	runtime.KeepAlive(a)
	switch {
	case isForged(errno):
		return nil, a.forged
	case errno != 0:
		return nil, a.object.failed(call, errno)
	case n != size:
		return nil, a.object.odd(n, size)
	}
	return whole, nil
}
