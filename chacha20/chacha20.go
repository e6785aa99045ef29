// Package chacha20 implements the stream cipher ChaCha20 (RFC 8439, section
// 2.4), XChaCha20 and HChaCha20 (draft-irtf-cfrg-xchacha-03).
//
//	c, err := chacha20.NewUnauthenticatedCipher(key, nonce)
//	if err != nil {
//		return err
//	}
//	c.XORKeyStream(message, message)
//
// It provides the API of golang.org/x/crypto/chacha20, so that a program can
// switch by changing an import, and adds [Cipher.XORKeyStreamAt], which starts
// anywhere in the keystream.
//
// A stream cipher alone does not detect modified ciphertext. Most programs
// should use package chacha20poly1305, which does; this package is for
// building protocols based on ChaCha20.
//
// The counter has 32 bits, so one nonce covers 256 GiB, as in RFC 8439. The
// original ChaCha has an 8-byte nonce and a 64-bit counter; its first 256 GiB
// of keystream equal those of this package for a nonce of four zero bytes
// followed by the 8 bytes of the original nonce.
//
// # Drivers
//
// The package contains several implementations and selects the best one for
// this machine; [Drivers] lists them, [On] selects one by name, and the command
// "cipherlane list chacha20" shows which one is selected and why.
//
// # Timing
//
// No driver uses a secret, be it key or text, as a memory index or a branch
// condition: they only add, rotate and XOR. SECURITY.md describes how this is
// checked.
package chacha20

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"runtime"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/chachapoly"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/hidden"
)

const (
	KeySize    = 32 // bytes in a key
	NonceSize  = 12 // bytes in a ChaCha20 nonce: use a counter, since 2^32 random nonces are too many
	NonceSizeX = 24 // bytes in an XChaCha20 nonce: may be random
)

const (
	blockSize = chachapoly.BlockSize
	bufSize   = chachapoly.MaxAhead * blockSize
	maxBlocks = 1 << 32 // under one nonce
)

var (
	errFIPS   = errors.New("chacha20: not available in FIPS 140-only mode")
	errKey    = errors.New("chacha20: wrong key size")
	errNonce  = errors.New("chacha20: wrong nonce size")
	errHKey   = errors.New("chacha20: wrong HChaCha20 key size")
	errHNonce = errors.New("chacha20: wrong HChaCha20 nonce size")
)

const (
	errShort   = "chacha20: output smaller than input"
	errOverlap = "chacha20: invalid buffer overlap"
	errCounter = "chacha20: counter overflow"
)

var table = drivers.Register("chacha20", rows(), chachapoly.StreamRules()...)

// rows returns the drivers with their size floors: those that generate several blocks side by side
// are not for a single one, except where they have a kernel for it.
func rows() []drivers.Info {
	list := chachapoly.Rows()
	for i := range list {
		if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" && runtime.GOARCH != "loong64" && chachapoly.Ahead(uint8(i)) > 1 {
			list[i].MinBytes = blockSize + 1
		}
	}
	return list
}

// A Cipher is a ChaCha20 or XChaCha20 keystream for one key and nonce. It
// implements [cipher.Stream]. Only XORKeyStreamAt may be called from several
// goroutines at once.
type Cipher struct {
	private
	state [16]uint32 // the matrix; its counter is set before each use
	buf   [bufSize]byte
	plan  drivers.Plan
	next  uint64 // index of the next block to generate
	left  int    // unused keystream bytes at the end of buf, which precede block next
	skip  int    // bytes of block next that have been used; if not 0, left is 0
	warm  bool   // some keystream has been generated, and more requests may follow
}

var _ cipher.Stream = (*Cipher)(nil)

// NewUnauthenticatedCipher returns a ChaCha20 cipher for a 32-byte key and a
// 12-byte nonce, or an XChaCha20 cipher for a 24-byte nonce, at block 0 of the
// keystream. A nonce must never be used twice with the same key.
//
// Unauthenticated means that changes to the ciphertext go undetected; most
// programs should use package chacha20poly1305.
func NewUnauthenticatedCipher(key, nonce []byte) (*Cipher, error) {
	// Short enough to be inlined, so that the cipher can stay off the heap.
	return new(Cipher).init(nil, key, nonce)
}

// HChaCha20 derives a 32-byte key from a 32-byte key and a 16-byte nonce.
// XChaCha20 passes it the first 16 bytes of its nonce.
func HChaCha20(key, nonce []byte) ([]byte, error) {
	return hChaCha20(make([]byte, KeySize), nil, key, nonce) // inlined, too
}

// A Driver is one implementation. Its methods are the package's constructors.
type Driver struct{ plan drivers.Plan }

// On returns the driver with the given name. The error wraps [driver.ErrUnknown]
// if there is no such driver, and [driver.ErrUnavailable] if this machine cannot
// run it.
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{plan}, err
}

// Drivers returns the drivers for this architecture.
func Drivers() []driver.Info {
	t, _ := driver.Find(table.Package())
	return t.Drivers()
}

// NewUnauthenticatedCipher is the package's [NewUnauthenticatedCipher] with this
// driver.
func (d Driver) NewUnauthenticatedCipher(key, nonce []byte) (*Cipher, error) {
	return new(Cipher).init(&d.plan, key, nonce)
}

// init sets the key and the nonce. The plan is that of the package if it is nil.
func (c *Cipher) init(plan *drivers.Plan, key, nonce []byte) (*Cipher, error) {
	switch {
	case len(key) != KeySize:
		return nil, errKey
	case len(nonce) != NonceSize && len(nonce) != NonceSizeX:
		return nil, errNonce
	}
	if plan != nil {
		c.plan = *plan
	} else {
		c.plan = table.Auto()
	}
	k := chachapoly.Begin(&c.state)
	chachapoly.ReadKey(k, key)
	last := nonce[len(nonce)-8:]
	c.state[14], c.state[15] = binary.LittleEndian.Uint32(last), binary.LittleEndian.Uint32(last[4:])
	if len(nonce) == NonceSizeX {
		hChaCha(c.plan, k, nonce)
	} else {
		c.state[13] = binary.LittleEndian.Uint32(nonce)
	}
	if fips.Enforced() { // last, so that nothing has to be kept across a call
		*c = Cipher{}
		return nil, errFIPS
	}
	return c, nil
}

// HChaCha20 is the package's [HChaCha20] with this driver.
func (d Driver) HChaCha20(key, nonce []byte) ([]byte, error) {
	return hChaCha20(make([]byte, KeySize), &d.plan, key, nonce)
}

func hChaCha20(out []byte, plan *drivers.Plan, key, nonce []byte) ([]byte, error) {
	switch {
	case fips.Enforced():
		return nil, errFIPS
	case len(key) != KeySize:
		return nil, errHKey
	case len(nonce) != 16:
		return nil, errHNonce
	}
	var p drivers.Plan
	if plan != nil {
		p = *plan
	} else {
		p = table.Auto()
	}
	chachapoly.HChaChaBytes(p.Pick(0), out, key, nonce)
	return out, nil
}

// hChaCha replaces key with the key derived from it and the first 16 bytes of
// nonce.
func hChaCha(plan drivers.Plan, key *[8]uint32, nonce []byte) {
	chachapoly.HChaCha(plan.Pick(0), key, key, &[4]uint32{
		binary.LittleEndian.Uint32(nonce),
		binary.LittleEndian.Uint32(nonce[4:]),
		binary.LittleEndian.Uint32(nonce[8:]),
		binary.LittleEndian.Uint32(nonce[12:]),
	})
}

// SetCounter moves the keystream to the beginning of 64-byte block n. It panics
// if that would move backwards, even within a block, so that keystream is not
// reused by mistake.
func (c *Cipher) SetCounter(n uint32) {
	// A partly used block counts as used.
	used := c.next - uint64(c.left/blockSize)
	if c.skip > 0 {
		used++
	}
	if uint64(n) < used || used == maxBlocks {
		panic("chacha20: SetCounter attempted to rollback counter")
	}
	c.skip = 0
	if uint64(n) < c.next {
		c.left = int(c.next-uint64(n)) * blockSize // already in buf
		return
	}
	c.next, c.left = uint64(n), 0
}

// XORKeyStream sets dst to src XOR the next bytes of the keystream. The buffers
// must overlap entirely or not at all. It panics if dst is shorter than src or
// the keystream, 256 GiB in all, is exhausted.
func (c *Cipher) XORKeyStream(dst, src []byte) {
	if len(src) == 0 {
		return
	}
	if len(dst) < len(src) {
		panic(errShort)
	}
	dst = dst[:len(src)]
	if alias.InexactOverlap(dst, src) {
		panic(errOverlap)
	}
	if len(src) <= c.left {
		subtle.XORBytes(dst, src, c.buf[bufSize-c.left:])
		c.left -= len(src)
		return
	}
	c.check()
	if uint64(len(src)-c.left) > (maxBlocks-c.next)*blockSize-uint64(c.skip) {
		panic(errCounter)
	}
	if c.warm {
		c.xorMore(dst, src)
		return
	}
	// The first request may be the only one: no keystream is generated ahead of it.
	c.warm = true
	row, next := c.plan.Pick(len(src)), c.next
	c.state[12] = uint32(next)
	if len(src) >= blockSize {
		c.next, c.skip = next+uint64(len(src)/blockSize), len(src)%blockSize
		chachapoly.XOR(row, dst, src, &c.state)
		return
	}
	c.next, c.left = next+1, blockSize-len(src)
	block := c.buf[bufSize-blockSize:] // zeros
	chachapoly.XOR(row, block, block, &c.state)
	subtle.XORBytes(dst, src, block)
}

// xorMore is XORKeyStream for more bytes than the buffer has left, after the first request. There
// is enough keystream.
//
// Drivers that generate several blocks in about the time of one buffer keystream
// ahead for short requests. A long request may end within a block; that block is generated again
// if another request follows.
func (c *Cipher) xorMore(dst, src []byte) {
	row := c.plan.Bulk()
	ahead := chachapoly.Ahead(row)
	for len(src) > 0 {
		if c.left > 0 {
			n := subtle.XORBytes(dst, src, c.buf[bufSize-c.left:])
			c.left -= n
			dst, src = dst[n:], src[n:]
			continue
		}
		n := len(src)
		if ahead == 1 {
			n &^= blockSize - 1
		}
		if c.skip > 0 || n < ahead*blockSize {
			c.fill(row, ahead)
			continue
		}
		c.state[12] = uint32(c.next)
		chachapoly.XOR(row, dst[:n], src[:n], &c.state)
		c.next += uint64(n / blockSize)
		c.skip = n % blockSize
		dst, src = dst[n:], src[n:]
	}
}

// fill generates the given number of keystream blocks, or fewer at the end of the
// keystream.
func (c *Cipher) fill(row uint8, blocks int) {
	n := int(min(uint64(blocks), maxBlocks-c.next)) * blockSize
	buf := c.buf[bufSize-n:]
	clear(buf)
	c.state[12] = uint32(c.next)
	chachapoly.XOR(row, buf, buf, &c.state)
	c.next += uint64(n / blockSize)
	c.left, c.skip = n-c.skip, 0
}

// XORKeyStreamAt sets dst to src XOR the keystream starting at byte offset. It
// neither uses nor changes the position of XORKeyStream, and may be called from
// several goroutines at once. It panics in the same cases as XORKeyStream.
//
// It is meant for reading parts of a ciphertext. When encrypting with it, make
// sure that no part of the keystream is used twice.
func (c *Cipher) XORKeyStreamAt(dst, src []byte, offset uint64) {
	if len(src) == 0 {
		return
	}
	c.check()
	if len(dst) < len(src) {
		panic(errShort)
	}
	dst = dst[:len(src)]
	if alias.InexactOverlap(dst, src) {
		panic(errOverlap)
	}
	if offset > maxBlocks*blockSize || uint64(len(src)) > maxBlocks*blockSize-offset {
		panic(errCounter)
	}
	block := offset / blockSize
	if skip := int(offset % blockSize); skip > 0 {
		var first [blockSize]byte
		n := copy(first[skip:], src)
		c.at(first[:skip+n], first[:skip+n], block)
		copy(dst, first[skip:skip+n])
		clear(first[:])
		runtime.KeepAlive(&first)
		dst, src, block = dst[n:], src[n:], block+1
	}
	if len(src) > 0 {
		c.at(dst, src, block)
	}
}

// at XORs the keystream from a block on. The caller checks that the counter does
// not overflow.
func (c *Cipher) at(dst, src []byte, block uint64) {
	state := c.state
	state[12] = uint32(block)
	chachapoly.XOR(c.plan.Pick(len(src)), dst, src, &state)
	clear(state[:])
	runtime.KeepAlive(&state)
}

// Wipe overwrites the key and the buffered keystream. Any later use of c panics.
func (c *Cipher) Wipe() { *c = Cipher{plan: drivers.Wiped} }

// check panics if the key was wiped. Wiping also discards buffered keystream, so
// XORKeyStream needs no check of its own.
func (c *Cipher) check() {
	if c.plan.Bulk() == chachapoly.Wiped {
		panic("chacha20: use of a wiped key")
	}
}

// private, when embedded, keeps a struct from being printed.
type private = hidden.Secret
