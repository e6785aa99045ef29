package sm4

import (
	"crypto/cipher"
	"errors"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/offload"
)

var errOpen = errors.New("sm4: message authentication failed")

// A GCM is SM4 in Galois/Counter Mode (NIST SP 800-38D; RFC 8998 names it
// AEAD_SM4_GCM). It is a [cipher.AEAD], safe for concurrent use.
//
// A nonce must never be used twice with the same key: two messages under one
// nonce reveal their XOR and allow forgeries. Use a counter if possible;
// otherwise [NewGCMWithRandomNonce] generates random nonces. If neither can be
// trusted, use [NewGCMSIV].
type GCM struct {
	private
	c         *Cipher
	hash      ghash.Key
	short     *ghash.Key // for messages below c.plan.BulkMin; nil if that is 0
	nonceSize int
	tagSize   int
	engine    *offload.Key // nil unless package linux is in use
}

var _ cipher.AEAD = (*GCM)(nil)

// NewGCM returns GCM for a key of 16 bytes, with nonces of 12 bytes and tags
// of 16.
func NewGCM(key []byte) (*GCM, error) { return automatic().NewGCM(key) }

// NewGCM is like the package's [NewGCM], with this driver.
func (d Driver) NewGCM(key []byte) (*GCM, error) {
	c, err := d.New(key)
	if err != nil {
		return nil, err
	}
	return c.newGCM(modes.GCMNonceSize, modes.GCMTagSize), nil
}

// NewGCM returns GCM with nonces of any size except 0 and tags of 12 to 16 bytes.
// cipher.NewGCM calls it.
func (c *Cipher) NewGCM(nonceSize, tagSize int) (cipher.AEAD, error) {
	if c.plan.Short() == wiped {
		return nil, errWiped
	}
	if err := modes.CheckGCM("sm4", nonceSize, tagSize); err != nil {
		return nil, err
	}
	g := c.newGCM(nonceSize, tagSize)
	if nonceSize == modes.GCMNonceSize {
		g.engine = c.engine
	}
	return g, nil
}

func (c *Cipher) newGCM(nonceSize, tagSize int) *GCM {
	c.widen()
	g := &GCM{c: c, nonceSize: nonceSize, tagSize: tagSize}
	var h [BlockSize]byte
	encryptBlock(c.plan.Short(), &c.keys, h[:], h[:])
	row := traitOf(c.plan.Bulk()).ghash
	g.hash.Init(&h, row)
	if c.plan.BulkMin() > 0 {
		g.short = &g.hash
		if short := traitOf(c.plan.Short()).ghash; short != row {
			g.short = new(ghash.Key)
			g.short.Init(&h, short)
		}
	}
	clear(h[:])
	return g
}

// pick returns the driver for a message of n bytes, and the hash key in its form.
func (g *GCM) pick(n int) (row uint8, hash *ghash.Key) {
	if g.c.plan.IsShort(n) {
		return g.c.plan.Short(), g.short
	}
	return g.c.plan.Bulk(), &g.hash
}

// NonceSize returns the size of nonces in bytes.
func (g *GCM) NonceSize() int { return g.nonceSize }

// Overhead returns the size of the tag in bytes.
func (g *GCM) Overhead() int { return g.tagSize }

// Wipe overwrites the round keys and the hash key. It also calls [Cipher.Wipe] on
// the [Cipher] that the GCM was made from.
func (g *GCM) Wipe() {
	g.c.Wipe()
	g.hash.Wipe()
	if g.short != nil {
		g.short.Wipe()
	}
}

// Seal encrypts plaintext, authenticates it together with data, and appends
// ciphertext and tag to dst. Plaintext and the part of dst that is appended to
// must be the same memory or not overlap. It panics if the nonce has the wrong
// size or the plaintext is longer than 2^36-32 bytes.
func (g *GCM) Seal(dst, nonce, plaintext, data []byte) []byte {
	g.c.check()
	g.checkNonce(nonce)
	if uint64(len(plaintext)) > modes.GCMMaxSize {
		panic("sm4: message too large for GCM")
	}
	whole := modes.Extend(dst, len(plaintext)+g.tagSize)
	out := whole[len(dst):]
	if alias.InexactOverlap(out, plaintext) || alias.AnyOverlap(out, data) {
		panic("sm4: invalid buffer overlap")
	}
	if len(plaintext) >= offload.Floor && g.engine.Takes(offload.Seal, len(plaintext)) && g.engine.Seal(out, nonce, plaintext, data) {
		return whole
	}
	row, hash := g.pick(len(plaintext))
	m := ghash.Message{Hash: hash}
	m.Begin(nonce, len(plaintext), data)
	seal(row, &g.c.keys, &m, out[:len(plaintext)], plaintext)
	if len(nonce) != modes.GCMNonceSize {
		m.Wipe(true)
	}
	m.Tag(out[len(plaintext):])
	return whole
}

// Open checks the tag at the end of ciphertext, which covers data too, and
// appends the plaintext to dst. If the tag is wrong, it returns an error and
// overwrites any plaintext in dst with zeros. Ciphertext and
// the part of dst that is appended to must be the same memory or not overlap.
// It panics if the nonce has the wrong size.
func (g *GCM) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	if g.c.plan.Short() == wiped {
		return nil, errWiped
	}
	g.checkNonce(nonce)
	if len(ciphertext) < g.tagSize || uint64(len(ciphertext)) > modes.GCMMaxSealed {
		return nil, errOpen
	}
	n := len(ciphertext) - g.tagSize
	whole := modes.Extend(dst, n)
	out := whole[len(dst):]
	if alias.InexactOverlap(out, ciphertext) || alias.AnyOverlap(out, data) {
		panic("sm4: invalid buffer overlap")
	}
	if n >= offload.Floor && g.engine.Takes(offload.Open, n) {
		switch done, good := g.engine.Open(out, nonce, ciphertext, data, g.tagSize); {
		case done && good:
			return whole, nil
		case done:
			return nil, errOpen
		}
	}
	row, hash := g.pick(n)
	m := ghash.Message{Hash: hash}
	m.Begin(nonce, n, data)
	open(row, &g.c.keys, &m, out, ciphertext[:n])
	if len(nonce) != modes.GCMNonceSize {
		m.Wipe(true)
	}
	if !modes.EqualTag(&m.Y, ciphertext[n:]) {
		clear(out)
		clear(m.Y[:]) // the correct tag, which would allow a forgery
		return nil, errOpen
	}
	return whole, nil
}

func (g *GCM) checkNonce(nonce []byte) {
	if len(nonce) != g.nonceSize {
		g.wrongNonce(len(nonce))
	}
}

// wrongNonce panics. It is apart so that checkNonce is inlined.
func (g *GCM) wrongNonce(n int) {
	panic("sm4: incorrect nonce length " + strconv.Itoa(n) + " given to GCM, want " + strconv.Itoa(g.nonceSize))
}
