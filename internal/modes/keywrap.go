package modes

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"sync"

	"github.com/cipherlane/cipherlane/internal/alias"
)

// Key wrapping encrypts keys under another key. RFC 3394 (KW of NIST SP 800-38F) is
// for keys of two or more 8-byte half blocks, RFC 5649 (KWP) for keys of any length.

const (
	half = blockSize / 2

	wrapIV   = 0xa6a6a6a6a6a6a6a6 // RFC 3394, section 2.2.3.1
	paddedIV = 0xa65959a6         // RFC 5649, section 3; the length follows
)

// wrapWork is the block passed to the cipher. Its first half is A of RFC 3394.
type wrapWork struct{ block [blockSize]byte }

var wrapPool = sync.Pool{New: func() any { return new(wrapWork) }}

func (w *wrapWork) free() {
	clear(w.block[:])
	wrapPool.Put(w)
}

// WrapKey wraps key according to RFC 3394 and appends the result, which is 8 bytes
// longer than key, to dst. The length of key must be a multiple of 8 and at least 16.
// Key and the appended output must start at the same byte or not overlap.
func WrapKey(c Cipher, dst, key []byte) ([]byte, error) {
	if *c.WipeMark() == Wiped {
		return nil, errWiped(c)
	}
	if len(key) < blockSize || len(key)%half != 0 {
		return nil, errors.New(c.Package() + ": key wrap: invalid key size " + strconv.Itoa(len(key)) + ", want a multiple of 8 and at least 16")
	}
	whole, out := wrapBuffers(c, dst, key, len(key)+half)
	copy(out[half:], key)
	w := wrapPool.Get().(*wrapWork)
	w.wrap(c, wrapIV, out)
	w.free()
	return whole, nil
}

// UnwrapKey is the inverse of [WrapKey]. It appends the key to dst. If wrapped is
// not a wrapped key, it returns an error, and anything it has written to dst is
// zeroed.
func UnwrapKey(c Cipher, dst, wrapped []byte) ([]byte, error) {
	if *c.WipeMark() == Wiped {
		return nil, errWiped(c)
	}
	if len(wrapped) < blockSize+half || len(wrapped)%half != 0 {
		return nil, errors.New(c.Package() + ": key unwrap: invalid size " + strconv.Itoa(len(wrapped)) + ", want a multiple of 8 and at least 24")
	}
	whole, out := wrapBuffers(c, dst, wrapped, len(wrapped)-half)
	w := wrapPool.Get().(*wrapWork)
	a := w.unwrap(c, out, wrapped)
	w.free()
	if a != wrapIV {
		clear(out)
		return nil, errUnwrap(c)
	}
	return whole, nil
}

// WrapKeyPadded wraps key, which must not be empty, according to RFC 5649 and
// appends the result to dst. The result is 8 bytes longer than key rounded up to
// a multiple of 8. Key and the appended output must start at the same byte or not
// overlap.
func WrapKeyPadded(c Cipher, dst, key []byte) ([]byte, error) {
	if *c.WipeMark() == Wiped {
		return nil, errWiped(c)
	}
	if len(key) == 0 || uint64(len(key)) > math.MaxUint32 {
		return nil, errors.New(c.Package() + ": key wrap: invalid key size " + strconv.Itoa(len(key)) + ", want 1 to 4294967295")
	}
	padded := (len(key) + half - 1) &^ (half - 1)
	whole, out := wrapBuffers(c, dst, key, padded+half)
	copy(out[half:], key)
	clear(out[half+len(key):])
	w := wrapPool.Get().(*wrapWork)
	iv := paddedIV<<32 | uint64(len(key))
	if padded == half {
		binary.BigEndian.PutUint64(out, iv)
		copy(w.block[:], out)
		c.EncryptBlocks(w.block[:], w.block[:])
		copy(out, w.block[:])
	} else {
		w.wrap(c, iv, out)
	}
	w.free()
	return whole, nil
}

// UnwrapKeyPadded is the inverse of [WrapKeyPadded]. It appends the key to dst. If
// wrapped is not a wrapped key, it returns an error, and anything it has written to
// dst is zeroed. For a wrapped key of valid length, neither the error nor the time
// taken depends on which check failed.
func UnwrapKeyPadded(c Cipher, dst, wrapped []byte) ([]byte, error) {
	if *c.WipeMark() == Wiped {
		return nil, errWiped(c)
	}
	if len(wrapped) < blockSize || len(wrapped)%half != 0 || uint64(len(wrapped)) > math.MaxUint32+half+1 {
		return nil, errors.New(c.Package() + ": key unwrap: invalid size " + strconv.Itoa(len(wrapped)) + ", want a multiple of 8 and at least 16")
	}
	padded := len(wrapped) - half
	whole, out := wrapBuffers(c, dst, wrapped, padded)
	w := wrapPool.Get().(*wrapWork)
	var a uint64
	if padded == half {
		copy(w.block[:], wrapped)
		c.DecryptBlocks(w.block[:], w.block[:])
		a = binary.BigEndian.Uint64(w.block[:])
		copy(out, w.block[half:])
	} else {
		a = w.unwrap(c, out, wrapped)
	}
	w.free()

	// The length determines how many bytes of the last half block are padding:
	// 0 to 7, or else the length is wrong. All conditions are combined into one
	// number, so that which one failed is not revealed.
	padding := uint64(padded) - a&math.MaxUint32
	last := binary.BigEndian.Uint64(out[padded-half:])
	wrong := a>>32 ^ paddedIV | padding&^7 | last&(1<<(8*(padding&7))-1)
	if wrong != 0 {
		clear(out)
		return nil, errUnwrap(c)
	}
	n := padded - int(padding)
	return whole[:len(dst)+n], nil
}

func errUnwrap(c Cipher) error {
	return errors.New(c.Package() + ": key unwrap: integrity check failed")
}

func wrapBuffers(c Cipher, dst, src []byte, n int) (whole, out []byte) {
	whole = Extend(dst, n)
	out = whole[len(dst):]
	if alias.InexactOverlap(out, src) {
		panic(c.Package() + ": invalid buffer overlap")
	}
	return whole, out
}

// wrap is RFC 3394, section 2.2.1, on out, which consists of room for A followed by
// the key.
func (w *wrapWork) wrap(c Cipher, iv uint64, out []byte) {
	a, b := w.block[:half], w.block[half:]
	binary.BigEndian.PutUint64(a, iv)
	t := uint64(0)
	for range 6 {
		for r := out[half:]; len(r) > 0; r = r[half:] {
			copy(b, r[:half])
			c.EncryptBlocks(w.block[:], w.block[:])
			t++
			binary.BigEndian.PutUint64(a, binary.BigEndian.Uint64(a)^t)
			copy(r[:half], b)
		}
	}
	copy(out, a)
}

// unwrap is RFC 3394, section 2.2.2. It returns A, which the caller checks.
func (w *wrapWork) unwrap(c Cipher, out, wrapped []byte) uint64 {
	a, b := w.block[:half], w.block[half:]
	copy(a, wrapped)
	copy(out, wrapped[half:])
	t := 6 * uint64(len(out)/half)
	for range 6 {
		for n := len(out); n > 0; n -= half {
			r := out[n-half : n]
			binary.BigEndian.PutUint64(a, binary.BigEndian.Uint64(a)^t)
			t--
			copy(b, r)
			c.DecryptBlocks(w.block[:], w.block[:])
			copy(r, b)
		}
	}
	return binary.BigEndian.Uint64(a)
}
