package sm4

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewCFBEncrypter returns cipher feedback mode with segments of a block
// (CFB-128, GB/T 17964-2021, NIST SP 800-38A section 6.3) in the encrypting
// direction. It panics if iv is not 16 bytes long. An iv is never used twice
// with a key. CFB does not authenticate; [NewGCM] does. The result must not be
// used from several goroutines at once.
func (c *Cipher) NewCFBEncrypter(iv []byte) cipher.Stream {
	return modes.NewCFBEncrypter((*bulk)(c), iv)
}

// NewCFBDecrypter is the other direction of [Cipher.NewCFBEncrypter], which
// works on many blocks at once.
func (c *Cipher) NewCFBDecrypter(iv []byte) cipher.Stream {
	return modes.NewCFBDecrypter(c.wide(), iv)
}

// NewOFB returns output feedback mode (GB/T 17964-2021, NIST SP 800-38A section
// 6.4), with the conditions of [Cipher.NewCFBEncrypter]. Both directions are the
// same.
func (c *Cipher) NewOFB(iv []byte) cipher.Stream { return modes.NewOFB((*bulk)(c), iv) }
