package aes

import (
	"crypto/cipher"
	"errors"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/ghash"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/offload"
)

var errOpen = errors.New("aes: message authentication failed")

// A GCM is AES in Galois/Counter Mode (NIST SP 800-38D; AEAD_AES_128_GCM and
// AEAD_AES_256_GCM of RFC 5116). It is a [cipher.AEAD], safe for concurrent use.
//
// A nonce must never be used twice with the same key: two messages under one
// nonce reveal their XOR and allow forgeries. Use a counter if possible;
// otherwise [NewGCMWithRandomNonce] generates random nonces. If neither can be
// trusted, use [NewGCMSIV].
type GCM struct {
	private
	c         *Cipher
	hash      ghash.Key
	short     *ghash.Key   // for messages below c.plan.BulkMin; nil if that is 0
	whole     aescore.AEAD // instead of both, if the driver has GCM only as a whole; nil otherwise
	nonceSize int
	tagSize   int
	engine    *offload.Key // nil unless package linux is in use

	packets     uint16 // one bit for each byte of the tag of a packet
	packetLimit uint16 // text and additional data of a packet are together shorter; 0 if the driver has no kernels for packets
}

var _ cipher.AEAD = (*GCM)(nil)

// NewGCM returns GCM for a key of 16, 24 or 32 bytes, with nonces of 12 bytes
// and tags of 16.
func NewGCM(key []byte) (*GCM, error) { return automatic().NewGCM(key) }

// NewGCM is like the package's [NewGCM], with this driver.
func (d Driver) NewGCM(key []byte) (*GCM, error) {
	both := new(struct { // one allocation instead of two
		GCM
		Cipher
	})
	if err := d.init(&both.Cipher, key); err != nil {
		return nil, err
	}
	both.GCM.init(&both.Cipher, modes.GCMNonceSize, modes.GCMTagSize)
	return &both.GCM, nil
}

// NewGCM returns GCM with nonces of any size except 0 and tags of 12 to 16 bytes.
// cipher.NewGCM calls it.
func (c *Cipher) NewGCM(nonceSize, tagSize int) (cipher.AEAD, error) {
	if c.plan.Short() == wiped {
		return nil, errWiped
	}
	if err := modes.CheckGCM("aes", nonceSize, tagSize); err != nil {
		return nil, err
	}
	g := new(GCM)
	g.init(c, nonceSize, tagSize)
	if nonceSize == modes.GCMNonceSize {
		g.engine = c.engine
	}
	return g, nil
}

func (g *GCM) init(c *Cipher, nonceSize, tagSize int) {
	g.c, g.nonceSize, g.tagSize = c, nonceSize, tagSize
	if g.whole = aescore.NewGCM(c.plan.Bulk(), &c.keys, nonceSize, tagSize); g.whole != nil {
		return
	}
	var h [BlockSize]byte
	(*bulk)(c).EncryptBlocks(h[:], h[:])
	row := aescore.TraitsOf(c.plan.Bulk()).GHASH
	g.hash.Init(&h, row)
	if c.plan.BulkMin() > 0 {
		g.short = &g.hash
		if short := aescore.TraitsOf(c.plan.Short()).GHASH; short != row {
			g.short = new(ghash.Key)
			g.short.Init(&h, short)
		}
	} else if t := aescore.TraitsOf(c.plan.Bulk()); t.PacketTag > 0 && nonceSize == modes.GCMNonceSize && tagSize >= int(t.PacketTag) {
		g.packets, g.packetLimit = 1<<tagSize-1, t.PacketLimit
	}
	clear(h[:])
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
	g.whole = nil
}

// Seal encrypts plaintext, authenticates it together with data, and appends
// ciphertext and tag to dst. Plaintext and the part of dst that is appended to
// must be the same memory or not overlap. It panics if the nonce has the wrong
// size or the plaintext is longer than 2^36-32 bytes.
func (g *GCM) Seal(dst, nonce, plaintext, data []byte) []byte {
	// A short message that certainly overlaps as it may takes one call.
	if n := len(plaintext); aescore.HasPackets && n <= ghash.MaxPacket && len(data) <= ghash.MaxPacket &&
		n+len(data) < int(g.packetLimit) && len(nonce) == modes.GCMNonceSize {
		if size := n + g.tagSize; size <= cap(dst)-len(dst) {
			whole := dst[:len(dst)+size]
			if out := whole[len(dst):]; alias.Disjoint(out, data) && (alias.Disjoint(out, plaintext) || alias.Same(out, plaintext)) {
				var m ghash.Packet
				m.Hash, m.Nonce = &g.hash, ghash.First(nonce)
				m.Data, m.DataSize = ghash.First(data), len(data)
				m.Dst, m.Src, m.Size = ghash.First(out), ghash.First(plaintext), n
				m.TagBits = g.packets
				m.Provide()
				aescore.SealPacket(g.c.plan.Bulk(), &g.c.keys, &m)
				return whole
			}
		}
	}
	g.c.check()
	g.checkNonce(nonce)
	if uint64(len(plaintext)) > modes.GCMMaxSize {
		panic("aes: message too large for GCM")
	}
	whole := modes.Extend(dst, len(plaintext)+g.tagSize)
	out := whole[len(dst):]
	if alias.InexactOverlap(out, plaintext) || alias.AnyOverlap(out, data) {
		panic("aes: invalid buffer overlap")
	}
	if len(plaintext) >= offload.Floor && g.engine.Takes(offload.Seal, len(plaintext)) && g.engine.Seal(out, nonce, plaintext, data) {
		return whole
	}
	if g.whole != nil {
		h := offload.Hidden
		return g.whole.Seal(h(whole[:len(dst)]), h(nonce), h(plaintext), h(data))
	}
	row, hash := g.pick(len(plaintext))
	m := ghash.Message{Hash: hash}
	m.Begin(nonce, len(plaintext), data)
	aescore.Seal(row, &g.c.keys, &m, out[:len(plaintext)], plaintext)
	if len(nonce) != modes.GCMNonceSize {
		m.Wipe(!aescore.TraitsOf(row).GCMClean)
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
	if n := len(ciphertext) - g.tagSize; aescore.HasPackets && uint(n) <= ghash.MaxPacket && len(data) <= ghash.MaxPacket &&
		n+len(data) < int(g.packetLimit) && len(nonce) == modes.GCMNonceSize {
		if n <= cap(dst)-len(dst) {
			whole := dst[:len(dst)+n]
			if out := whole[len(dst):]; alias.Disjoint(out, data) && (alias.Disjoint(out, ciphertext) || alias.Same(out, ciphertext)) {
				var m ghash.Packet
				m.Hash, m.Nonce = &g.hash, ghash.First(nonce)
				m.Data, m.DataSize = ghash.First(data), len(data)
				m.Dst, m.Src, m.Size = ghash.First(out), ghash.First(ciphertext), n
				m.TagBits = g.packets
				m.Provide()
				if !aescore.OpenPacket(g.c.plan.Bulk(), &g.c.keys, &m) {
					clear(out)
					return nil, errOpen
				}
				return whole, nil
			}
		}
	}
	g.checkNonce(nonce)
	if len(ciphertext) < g.tagSize || uint64(len(ciphertext)) > modes.GCMMaxSealed {
		return nil, errOpen
	}
	n := len(ciphertext) - g.tagSize
	whole := modes.Extend(dst, n)
	out := whole[len(dst):]
	if alias.InexactOverlap(out, ciphertext) || alias.AnyOverlap(out, data) {
		panic("aes: invalid buffer overlap")
	}
	if n >= offload.Floor && g.engine.Takes(offload.Open, n) {
		switch done, good := g.engine.Open(out, nonce, ciphertext, data, g.tagSize); {
		case done && good:
			return whole, nil
		case done:
			return nil, errOpen
		}
	}
	if g.whole != nil {
		h := offload.Hidden
		if _, err := g.whole.Open(h(whole[:len(dst)]), h(nonce), h(ciphertext), h(data)); err != nil {
			return nil, errOpen
		}
		return whole, nil
	}
	row, hash := g.pick(n)
	m := ghash.Message{Hash: hash}
	m.Begin(nonce, n, data)
	aescore.Open(row, &g.c.keys, &m, out, ciphertext[:n])
	if len(nonce) != modes.GCMNonceSize {
		m.Wipe(!aescore.TraitsOf(row).GCMClean)
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
	panic("aes: incorrect nonce length " + strconv.Itoa(n) + " given to GCM, want " + strconv.Itoa(g.nonceSize))
}
