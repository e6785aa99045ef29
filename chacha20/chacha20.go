// Package chacha20 implements the stream cipher ChaCha20 (RFC 8439, section
// 2.4), XChaCha20 and HChaCha20 (draft-irtf-cfrg-xchacha-03).
//
// It has the API of golang.org/x/crypto/chacha20, so that a program changes
// over by changing an import, and [Cipher.XORKeyStreamAt], which starts
// anywhere in the keystream.
//
// A stream cipher alone does not notice changes of what it encrypted. Package
// chacha20poly1305 does; use this one to build protocols that have ChaCha20 in
// them.
//
// The counter has 32 bits, so a nonce is good for 256 GiB. That is RFC 8439;
// the original ChaCha has a nonce of 8 bytes and a counter of 64 bits, and its
// first 256 GiB are what this package makes of four zeros followed by that
// nonce.
//
// # Drivers
//
// The package has several implementations and takes the best one for this
// machine; [Drivers] lists them, [On] picks one by name, and the command
// "cipherlane list chacha20" shows which one is taken and why.
//
// # Timing
//
// No driver indexes memory by a secret or branches on one: neither on the key
// nor on the text. They add, rotate and XOR. SECURITY.md says how this is
// checked.
package chacha20

import (
	"crypto/cipher"
	"crypto/fips140"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"runtime"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/chachapoly"
	"github.com/cipherlane/cipherlane/internal/hidden"
)

const (
	KeySize    = 32 // bytes in a key
	NonceSize  = 12 // bytes in a nonce of ChaCha20: a counter, as 2^32 random ones are too many
	NonceSizeX = 24 // bytes in a nonce of XChaCha20: may be random
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

var table = driver.Register("chacha20", rows())

// rows are the drivers with size floors. On x86, the portable one is the fastest
// for a single block: docs/benchmarks.md, ChaCha20 by driver.
func rows() []driver.Info {
	list := chachapoly.Rows()
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "386" {
		for i := range list[1:] {
			list[1+i].MinBytes = blockSize + 1
		}
	}
	return list
}

// A Cipher is a stream of ChaCha20 or XChaCha20 with one key and nonce. It is a
// [cipher.Stream]; of its methods only XORKeyStreamAt may be called from several
// goroutines at once.
type Cipher struct {
	private
	state [16]uint32 // the matrix, with some counter
	plan  driver.Plan
	next  uint64 // block of the keystream that is to be made
	left  int    // so many bytes at the end of buf are keystream in front of next
	skip  int    // so many bytes of next have been used; then left is 0
	warm  bool   // some keystream has been made, and more requests may follow
	buf   [bufSize]byte
}

var _ cipher.Stream = (*Cipher)(nil)

// NewUnauthenticatedCipher returns ChaCha20 for a key of 32 bytes and a nonce of
// 12, or XChaCha20 for a nonce of 24 bytes, at block 0 of the keystream. A nonce
// must never be used twice with a key.
//
// Unauthenticated means that nobody notices if the encrypted text is changed;
// most programs want package chacha20poly1305.
func NewUnauthenticatedCipher(key, nonce []byte) (*Cipher, error) {
	// So short that it is inlined, and the cipher need not be on the heap.
	return initAutomatic(new(Cipher), key, nonce)
}

func initAutomatic(c *Cipher, key, nonce []byte) (*Cipher, error) {
	return automatic().init(c, key, nonce)
}

// HChaCha20 derives a key of 32 bytes from a key of 32 and a nonce of 16 bytes.
// XChaCha20 takes the first 16 bytes of its nonce for this.
func HChaCha20(key, nonce []byte) ([]byte, error) {
	return hChaCha20(make([]byte, KeySize), key, nonce) // inlined, too
}

func hChaCha20(out, key, nonce []byte) ([]byte, error) {
	return automatic().hChaCha20(out, key, nonce)
}

// A Driver is one implementation; it has the constructors of the package.
type Driver struct{ plan driver.Plan }

// On returns the driver of that name, or an error if there is none
// ([driver.ErrUnknown]) or this machine cannot run it
// ([driver.ErrUnavailable]).
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{plan}, err
}

// Drivers lists the drivers that there are for this architecture.
func Drivers() []driver.Info { return table.Drivers() }

// automatic is what this machine takes.
func automatic() Driver { return Driver{table.Auto()} }

// NewUnauthenticatedCipher is the package's [NewUnauthenticatedCipher] with this
// driver.
func (d Driver) NewUnauthenticatedCipher(key, nonce []byte) (*Cipher, error) {
	return d.init(new(Cipher), key, nonce)
}

func (d Driver) init(c *Cipher, key, nonce []byte) (*Cipher, error) {
	switch {
	case fips140.Enforced():
		return nil, errFIPS
	case len(key) != KeySize:
		return nil, errKey
	case len(nonce) != NonceSize && len(nonce) != NonceSizeX:
		return nil, errNonce
	}
	c.plan = d.plan
	k := chachapoly.Begin(&c.state)
	chachapoly.ReadKey(k, key)
	last := nonce[len(nonce)-8:]
	c.state[14], c.state[15] = binary.LittleEndian.Uint32(last), binary.LittleEndian.Uint32(last[4:])
	if len(nonce) == NonceSizeX {
		d.hChaCha(k, nonce)
	} else {
		c.state[13] = binary.LittleEndian.Uint32(nonce)
	}
	return c, nil
}

// HChaCha20 is the package's [HChaCha20] with this driver.
func (d Driver) HChaCha20(key, nonce []byte) ([]byte, error) {
	return d.hChaCha20(make([]byte, KeySize), key, nonce)
}

func (d Driver) hChaCha20(out, key, nonce []byte) ([]byte, error) {
	switch {
	case fips140.Enforced():
		return nil, errFIPS
	case len(key) != KeySize:
		return nil, errHKey
	case len(nonce) != 16:
		return nil, errHNonce
	}
	var k [8]uint32
	chachapoly.ReadKey(&k, key)
	d.hChaCha(&k, nonce)
	chachapoly.WriteKey(out, &k)
	clear(k[:])
	runtime.KeepAlive(&k)
	return out, nil
}

// hChaCha replaces a key by the one derived from it and the first 16 bytes of
// nonce.
func (d Driver) hChaCha(key *[8]uint32, nonce []byte) {
	chachapoly.HChaCha(d.plan.Short, key, key, &[4]uint32{
		binary.LittleEndian.Uint32(nonce),
		binary.LittleEndian.Uint32(nonce[4:]),
		binary.LittleEndian.Uint32(nonce[8:]),
		binary.LittleEndian.Uint32(nonce[12:]),
	})
}

// SetCounter lets the keystream go on with block n of 64 bytes. It panics if n
// is behind the block that is to be used next: keystream is not to be used twice
// by mistake.
func (c *Cipher) SetCounter(n uint32) {
	// A block of which a part has been used counts as used.
	used := c.next - uint64(c.left/blockSize)
	if c.skip > 0 {
		used++
	}
	if uint64(n) < used || used == maxBlocks {
		panic("chacha20: SetCounter attempted to rollback counter")
	}
	c.skip = 0
	if uint64(n) < c.next {
		c.left = int(c.next-uint64(n)) * blockSize // it has been made already
		return
	}
	c.next, c.left = uint64(n), 0
}

// XORKeyStream sets dst to src XOR the next bytes of the keystream. The buffers
// must be the same memory or not overlap. It panics if dst is shorter than src
// or the keystream is at its end, 256 GiB from the beginning.
func (c *Cipher) XORKeyStream(dst, src []byte) {
	if len(src) == 0 {
		return
	}
	dst = checkBuffers(dst, src)
	if len(src) > c.left {
		c.xorMore(dst, src)
		return
	}
	subtle.XORBytes(dst, src, c.buf[bufSize-c.left:])
	c.left -= len(src)
}

// xorMore is XORKeyStream for more than what is left.
//
// Drivers for which several blocks take about as long as one make keystream ahead
// for short requests, but not for the first one, which may be the only one. At the
// end of a long one they stop within a block, and make it once more if there is
// another request.
func (c *Cipher) xorMore(dst, src []byte) {
	c.check()
	if uint64(len(src)-c.left) > (maxBlocks-c.next)*blockSize-uint64(c.skip) {
		panic("chacha20: counter overflow")
	}
	for len(src) > 0 {
		if c.left > 0 {
			n := subtle.XORBytes(dst, src, c.buf[bufSize-c.left:])
			c.left -= n
			dst, src = dst[n:], src[n:]
			continue
		}
		row := c.plan.Bulk
		if !c.warm {
			row = c.plan.Pick(len(src))
			c.warm = true
		}
		ahead, n := chachapoly.Ahead(row), len(src)
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

// fill makes so many blocks of keystream, or as many as there are.
func (c *Cipher) fill(row uint8, blocks int) {
	n := int(min(uint64(blocks), maxBlocks-c.next)) * blockSize
	buf := c.buf[bufSize-n:]
	clear(buf)
	c.state[12] = uint32(c.next)
	chachapoly.XOR(row, buf, buf, &c.state)
	c.next += uint64(n / blockSize)
	c.left, c.skip = n-c.skip, 0
}

// XORKeyStreamAt sets dst to src XOR the keystream from byte offset on. It
// neither uses nor changes where the stream of XORKeyStream is, and may be called
// from several goroutines at once. It panics as XORKeyStream does.
//
// It is for reading parts of something encrypted. To encrypt with it, make sure
// that no part of the keystream is used twice.
func (c *Cipher) XORKeyStreamAt(dst, src []byte, offset uint64) {
	if len(src) == 0 {
		return
	}
	c.check()
	dst = checkBuffers(dst, src)
	if offset > maxBlocks*blockSize || uint64(len(src)) > maxBlocks*blockSize-offset {
		panic("chacha20: counter overflow")
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

// at is the keystream from a block on, as far as the counter goes.
func (c *Cipher) at(dst, src []byte, block uint64) {
	state := c.state
	state[12] = uint32(block)
	chachapoly.XOR(c.plan.Pick(len(src)), dst, src, &state)
	clear(state[:])
	runtime.KeepAlive(&state)
}

// Wipe overwrites the key and the keystream. Afterwards the object panics.
func (c *Cipher) Wipe() { *c = Cipher{plan: driver.Only(chachapoly.Wiped)} }

// check panics if the key was wiped. What is left of keystream is gone, then, so
// that XORKeyStream need not ask.
func (c *Cipher) check() {
	if c.plan.Bulk == chachapoly.Wiped {
		panic("chacha20: use of a wiped key")
	}
}

func checkBuffers(dst, src []byte) []byte {
	if len(dst) < len(src) {
		panic("chacha20: output smaller than input")
	}
	dst = dst[:len(src)]
	if alias.InexactOverlap(dst, src) {
		panic("chacha20: invalid buffer overlap")
	}
	return dst
}

// private keeps what embeds it from being printed.
type private = hidden.Secret
