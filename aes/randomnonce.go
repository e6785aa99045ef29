package aes

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewGCMWithRandomNonce returns GCM that generates a random nonce of 12 bytes for
// every message and prepends it to the ciphertext. Its messages are compatible
// with those of cipher.NewGCMWithRandomNonce. The nonce arguments of Seal and Open
// must be empty, and a message grows by 28 bytes. It is safe for concurrent use.
//
// Seal must not be called more than 2^32 times with a key: the probability of a
// repeated nonce grows with the square of the number of messages.
func NewGCMWithRandomNonce(key []byte) (cipher.AEAD, error) {
	return automatic().NewGCMWithRandomNonce(key)
}

// NewGCMWithRandomNonce is like the package's [NewGCMWithRandomNonce], with this
// driver.
func (d Driver) NewGCMWithRandomNonce(key []byte) (cipher.AEAD, error) {
	g, err := d.NewGCM(key)
	if err != nil {
		return nil, err
	}
	return modes.NewRandomNonce("aes", g, g.c.plan.WipeMark(), errOpen, errWiped), nil
}
