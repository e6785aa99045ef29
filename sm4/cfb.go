package sm4

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewCFBEncrypter returns an encrypter for cipher feedback mode with segments of
// one block (CFB-128, GB/T 17964-2021, NIST SP 800-38A section 6.3). It panics if
// iv is not 16 bytes long. The iv must never be used twice with the same key. CFB
// does not authenticate; [NewGCM] does. The result is not safe for concurrent use.
func (c *Cipher) NewCFBEncrypter(iv []byte) cipher.Stream {
	return modes.NewCFBEncrypter((*bulk)(c), iv)
}

// NewCFBDecrypter returns the decrypter for [Cipher.NewCFBEncrypter]. It processes
// many blocks at once.
func (c *Cipher) NewCFBDecrypter(iv []byte) cipher.Stream {
	return modes.NewCFBDecrypter(c.wide(), iv)
}

// NewOFB returns output feedback mode (GB/T 17964-2021, NIST SP 800-38A section
// 6.4), under the same conditions as [Cipher.NewCFBEncrypter]. Both directions are
// the same.
func (c *Cipher) NewOFB(iv []byte) cipher.Stream { return modes.NewOFB((*bulk)(c), iv) }
