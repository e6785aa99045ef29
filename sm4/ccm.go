package sm4

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// A CCM is SM4 in counter with CBC-MAC mode (NIST SP 800-38C; RFC 8998 names it
// AEAD_SM4_CCM with nonces of 12 bytes and tags of 16). It is a [cipher.AEAD],
// safe for concurrent use.
//
// A nonce must never be used twice with the same key. CCM is serial and therefore
// slow. [GCM] is faster and so, for several messages, is [SealCCMMany].
type CCM struct {
	private
	c    *Cipher
	mode *modes.CCM
}

var _ cipher.AEAD = (*CCM)(nil)

// NewCCM returns CCM with nonces of 7 to 13 bytes and tags of 4, 6, ... 16
// bytes. The nonce and the message length share 15 bytes, so nonces of 13 bytes
// limit messages to less than 64 KiB, and nonces of 12 bytes to less than 16 MiB.
func (c *Cipher) NewCCM(nonceSize, tagSize int) (*CCM, error) {
	m, err := modes.NewCCM(macBulk{c.wide()}, nonceSize, tagSize)
	if err != nil {
		return nil, err
	}
	return &CCM{c: c, mode: m}, nil
}

// NonceSize returns the size of nonces in bytes.
func (c *CCM) NonceSize() int { return c.mode.NonceSize() }

// Overhead returns the size of the tag in bytes.
func (c *CCM) Overhead() int { return c.mode.Overhead() }

// Wipe calls [Cipher.Wipe] on the [Cipher] that the CCM was made from.
func (c *CCM) Wipe() { c.c.Wipe() }

// Seal encrypts plaintext, authenticates it together with data, and appends
// ciphertext and tag to dst, under the same conditions as [GCM.Seal] except for the
// maximum length, which [Cipher.NewCCM] describes.
func (c *CCM) Seal(dst, nonce, plaintext, data []byte) []byte {
	return c.mode.Seal(dst, nonce, plaintext, data)
}

// Open checks the tag at the end of ciphertext, which covers data too, and
// appends the plaintext to dst, under the same conditions as [GCM.Open].
func (c *CCM) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	return c.mode.Open(dst, nonce, ciphertext, data)
}
