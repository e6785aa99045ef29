package aes

import (
	"crypto/cipher"
	"crypto/rand"

	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewGCMWithRandomNonce returns GCM that makes a random nonce of 12 bytes for
// every message and puts it in front of the ciphertext, as that of
// crypto/cipher does; the two read each other's messages. The nonce arguments of Seal and
// Open must be empty, and a message grows by 28 bytes. It is safe for
// concurrent use.
//
// Seal must not be called more than 2^32 times with a key: the risk that two
// nonces are equal grows with the square of their number.
func NewGCMWithRandomNonce(key []byte) (cipher.AEAD, error) {
	return automatic().NewGCMWithRandomNonce(key)
}

// NewGCMWithRandomNonce is the package's [NewGCMWithRandomNonce] with this
// driver.
func (d Driver) NewGCMWithRandomNonce(key []byte) (cipher.AEAD, error) {
	g, err := d.NewGCM(key)
	if err != nil {
		return nil, err
	}
	return &randomNonceGCM{g: g}, nil
}

type randomNonceGCM struct {
	private
	g *GCM
}

func (r *randomNonceGCM) NonceSize() int { return 0 }
func (r *randomNonceGCM) Overhead() int  { return modes.GCMNonceSize + modes.GCMTagSize }
func (r *randomNonceGCM) Wipe()          { r.g.Wipe() }

// The text moves by the length of the nonce. Where dst is the memory of the
// input, as in Seal(text[:0], …), it is moved before it is worked on in place.

func (r *randomNonceGCM) Seal(dst, nonce, plaintext, data []byte) []byte {
	if len(nonce) != 0 {
		panic("aes: non-empty nonce given to GCM with random nonces")
	}
	n := len(plaintext)
	if uint64(n) > modes.GCMMaxSize {
		panic("aes: message too large for GCM")
	}
	whole, out := modes.Extend(dst, n+r.Overhead())
	if alias.InexactOverlap(out, plaintext) || alias.AnyOverlap(out, data) {
		panic("aes: invalid buffer overlap")
	}
	text := out[modes.GCMNonceSize:]
	if alias.AnyOverlap(out, plaintext) {
		copy(text, plaintext)
		plaintext = text[:n]
	}
	rand.Read(out[:modes.GCMNonceSize])
	r.g.Seal(text[:0], out[:modes.GCMNonceSize], plaintext, data)
	return whole
}

func (r *randomNonceGCM) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	if len(nonce) != 0 {
		panic("aes: non-empty nonce given to GCM with random nonces")
	}
	if len(ciphertext) < r.Overhead() || uint64(len(ciphertext)) > modes.GCMMaxSealed+modes.GCMNonceSize {
		return nil, errOpen
	}
	nonce, sealed := ciphertext[:modes.GCMNonceSize], ciphertext[modes.GCMNonceSize:]
	whole, out := modes.Extend(dst, len(ciphertext)-r.Overhead())
	if alias.InexactOverlap(out, ciphertext) || alias.AnyOverlap(out, data) {
		panic("aes: invalid buffer overlap")
	}
	if !alias.AnyOverlap(out, ciphertext) {
		if _, err := r.g.Open(out[:0], nonce, sealed, data); err != nil {
			return nil, err
		}
		return whole, nil
	}
	saved := [modes.GCMNonceSize]byte(nonce)
	copy(ciphertext, sealed)
	_, err := r.g.Open(ciphertext[:0], saved[:], ciphertext[:len(sealed)], data)
	if err != nil {
		return nil, err
	}
	return whole, nil
}
