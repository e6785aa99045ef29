package kcapi

import (
	"runtime"
	"strconv"
	"unsafe"
)

// A Cipher is a symmetric cipher in a mode of operation, without authentication.
type Cipher struct {
	object  *object
	mode    mode
	cleanup runtime.Cleanup
}

// OpenCipher opens a cipher, such as "cbc(aes)", "ctr(sm4)" or "xts(aes)", or a
// driver.
func OpenCipher(name string, key Key, opts ...Option) (*Cipher, error) {
	b, err := newObject("skcipher", name, key, 0, opts)
	if err != nil {
		return nil, err
	}
	c := &Cipher{object: b, mode: modeOf(&b.facts, name)}
	c.cleanup = runtime.AddCleanup(c, (*object).close, b)
	return c, nil
}

// IVSize returns the size of IVs in bytes, and -1 if /proc/crypto does not tell
// it.
func (c *Cipher) IVSize() int {
	if f := &c.object.facts; f.known() {
		return f.ivSize
	}
	return -1
}

// Driver returns the name of the driver that Linux is believed to have picked,
// according to /proc/crypto at the time of the first call, or "".
func (c *Cipher) Driver() string { return c.object.driverName() }

// Close closes all sockets. Calls that are under way come to their end.
func (c *Cipher) Close() error {
	c.cleanup.Stop()
	c.object.close()
	return nil
}

// SetKey changes the key, for calls that begin from now on.
func (c *Cipher) SetKey(key Key) error {
	defer runtime.KeepAlive(c)
	return c.object.setKey(key)
}

// Encrypt encrypts src into dst, which must be as long at least, and be the
// same memory or not overlap. iv, nil for a mode without one, is not changed.
//
// It takes two system calls for every 64 KiB. Longer messages are cut
// in the modes ecb, cbc and ctr; in others the error is [ErrTooLarge]. After
// an error dst is undefined.
func (c *Cipher) Encrypt(dst, src, iv []byte) error {
	err := c.crypt(true, dst, src, iv, false)
	runtime.KeepAlive(c)
	return err
}

// Decrypt is the inverse of [Cipher.Encrypt], with the same rules.
func (c *Cipher) Decrypt(dst, src, iv []byte) error {
	err := c.crypt(false, dst, src, iv, false)
	runtime.KeepAlive(c)
	return err
}

// EncryptChain is Encrypt, but leaves in iv the one with which a further call
// goes on with the same message. Calls but the last take whole blocks. The
// modes are ecb, cbc and ctr; in others the error is [ErrMode]. After an error
// iv is unchanged.
func (c *Cipher) EncryptChain(dst, src, iv []byte) error {
	err := c.crypt(true, dst, src, iv, true)
	runtime.KeepAlive(c)
	return err
}

// DecryptChain is the inverse of [Cipher.EncryptChain], with the same rules.
func (c *Cipher) DecryptChain(dst, src, iv []byte) error {
	err := c.crypt(false, dst, src, iv, true)
	runtime.KeepAlive(c)
	return err
}

func (c *Cipher) crypt(encrypt bool, dst, src, iv []byte, chain bool) error {
	b := c.object
	if len(dst) < len(src) {
		return b.sizeError("output of ", len(dst), len(src))
	}
	dst = dst[:len(src)]
	if inexactOverlap(dst, src) {
		return b.error(ErrOverlap, "")
	}
	if f := &b.facts; f.known() {
		if len(iv) != f.ivSize {
			return b.sizeError("IV of ", len(iv), f.ivSize)
		}
		if n := f.blockSize; (c.mode == cbcMode || c.mode == ecbMode) && n > 0 && len(src)%n != 0 {
			return b.error(ErrSize, strconv.Itoa(len(src))+" bytes are not whole blocks")
		}
	} else if len(iv) > maxIV {
		return b.sizeError("IV of ", len(iv), maxIV)
	}
	if chain && c.mode == otherMode {
		return b.error(ErrMode, "")
	}
	if len(src) == 0 {
		return nil
	}

	t, o, err := b.get()
	if err != nil {
		return err
	}
	most := min(chunk, o.limit)
	if most == 0 || len(src) > most && c.mode == otherMode {
		t.put(o, true)
		return b.error(ErrTooLarge, strconv.Itoa(len(src))+" bytes")
	}
	deadline := b.deadline()
	var now, next [maxIV]byte
	copy(now[:], iv)
	for len(src) > 0 {
		n := min(most, len(src))
		if c.mode == cbcMode && !encrypt && n >= len(iv) {
			copy(next[:], src[n-len(iv):n]) // dst may be the same memory
		}
		m := message{
			sends: true, control: true, encrypt: encrypt, iv: now[:len(iv)], in: src[:n],
			receives: true, out: dst[:n],
		}
		got, call, errno := o.do(&m, deadline)
		if errno != 0 || got != n {
			t.put(o, false)
			if errno != 0 {
				return b.failed(call, errno)
			}
			return b.odd(got, n)
		}
		switch c.mode {
		case cbcMode:
			if encrypt && n >= len(iv) {
				copy(next[:], dst[n-len(iv):n])
			}
			now = next
		case ctrMode:
			advance(now[:len(iv)], n)
		}
		src, dst = src[n:], dst[n:]
	}
	t.put(o, true)
	if chain {
		copy(iv, now[:])
	}
	return nil
}

// advance adds to a counter the number of its blocks in n bytes, the last of
// which need not be whole.
func advance(counter []byte, n int) {
	if len(counter) == 0 {
		return
	}
	carry := uint64((n + len(counter) - 1) / len(counter))
	for i := len(counter) - 1; i >= 0 && carry > 0; i-- {
		carry += uint64(counter[i])
		counter[i] = byte(carry)
		carry >>= 8
	}
}

func (b *object) sizeError(what string, n, want int) *Error {
	return b.error(ErrSize, what+strconv.Itoa(n)+" bytes, want "+strconv.Itoa(want))
}

func anyOverlap(x, y []byte) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	a, b := uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&y[0]))
	return a <= b+uintptr(len(y)-1) && b <= a+uintptr(len(x)-1)
}

func inexactOverlap(x, y []byte) bool {
	return len(x) > 0 && len(y) > 0 && &x[0] != &y[0] && anyOverlap(x, y)
}
