package kcapi

import (
	"encoding/binary"
	"math"
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
// driver, by name.
func OpenCipher(name string, key Key, opts ...Option) (*Cipher, error) {
	b, err := newObject("skcipher", name, key, 0, opts)
	if err != nil {
		return nil, err
	}
	c := &Cipher{object: b, mode: modeOf(&b.facts, name)}
	c.cleanup = runtime.AddCleanup(c, (*object).close, b)
	return c, nil
}

// IVSize returns the size of IVs in bytes, or -1 if /proc/crypto does not list the
// algorithm.
func (c *Cipher) IVSize() int {
	if f := &c.object.facts; f.isKnown() {
		return f.ivSize
	}
	return -1
}

// MaxSize returns the maximum number of bytes in a message for modes in which
// messages cannot be split, such as xts and cts. It depends on the size of Linux's
// socket buffers and pages when the object was opened, and is usually 208 KiB. An
// engine may fail on more than 64 KiB, or never answer: see [Timeout]. For the modes
// that [Cipher.EncryptChain] supports there is no limit, and MaxSize returns
// math.MaxInt.
func (c *Cipher) MaxSize() int {
	if c.mode != otherMode {
		return math.MaxInt
	}
	return c.object.limit
}

// Driver returns the name of the driver that Linux is believed to have selected,
// according to /proc/crypto at the time of the first call, or "" if it is not known.
func (c *Cipher) Driver() string { return c.object.driverName() }

// Close closes all sockets. Calls in progress can still finish.
func (c *Cipher) Close() error {
	c.cleanup.Stop()
	c.object.close()
	return nil
}

// SetKey changes the key for subsequent calls.
func (c *Cipher) SetKey(key Key) error {
	defer runtime.KeepAlive(c)
	return c.object.setKey(key)
}

// Encrypt encrypts src into dst, which must be at least as long. They must overlap
// entirely or not at all. iv, which is nil for a mode without IV, is not changed.
//
// It takes two system calls for every 64 KiB. Longer messages are split in the
// modes ecb, cbc and ctr and for ChaCha. In other modes, such as xts and cts, a
// message is one operation: the error is [ErrTooLarge] if it has more bytes than
// [Cipher.MaxSize]. After an error the contents of dst are undefined.
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

// EncryptChain is like Encrypt but updates iv, so that another call continues the
// same message. All calls except the last must be given whole blocks, of 64 bytes for
// ChaCha. It supports ecb, cbc, ctr and ChaCha; for other modes the error is
// [ErrMode]. After an error iv is unchanged.
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
	if f := &b.facts; f.isKnown() {
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
	if c.mode == otherMode {
		most = o.limit
	}
	if most == 0 || len(src) > most && c.mode == otherMode {
		t.put(o, true)
		return b.error(ErrTooLarge, strconv.Itoa(len(src))+" bytes, at most "+strconv.Itoa(most))
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
		default:
			c.mode.advance(now[:len(iv)], n)
		}
		src, dst = src[n:], dst[n:]
	}
	t.put(o, true)
	if chain {
		copy(iv, now[:])
	}
	return nil
}

// advance adds the number of blocks in n bytes, the last of which may be partial, to
// the counter in iv.
func (m mode) advance(iv []byte, n int) {
	switch {
	case m == ctrMode && len(iv) > 0:
		carry := uint64((n + len(iv) - 1) / len(iv))
		for i := len(iv) - 1; i >= 0 && carry > 0; i-- {
			carry += uint64(iv[i])
			iv[i] = byte(carry)
			carry >>= 8
		}
	case m == chachaMode && len(iv) >= 4:
		addChaCha(iv, n)
	case m == xchachaMode && len(iv) >= 28:
		addChaCha(iv[24:], n)
	}
}

func addChaCha(counter []byte, n int) {
	blocks := uint32((n + chachaBlock - 1) / chachaBlock)
	binary.LittleEndian.PutUint32(counter, binary.LittleEndian.Uint32(counter)+blocks)
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
