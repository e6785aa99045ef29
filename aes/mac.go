package aes

import (
	"errors"
	"hash"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewCMAC returns the message authentication code CMAC (NIST SP 800-38B, RFC
// 4493) with a tag of 16 bytes. Compare tags with [crypto/hmac.Equal]. The
// result implements [hash.Cloner]; it is not safe for concurrent use.
//
// CMAC is serial and therefore slow. For several messages, [CMACMany] is faster.
func (c *Cipher) NewCMAC() hash.Hash { return modes.NewCMAC((*bulk)(c)) }

// NewXCBC returns the message authentication code AES-XCBC-MAC (RFC 3566) for
// a key of 16 bytes, with the full tag of 16 bytes; AES-XCBC-MAC-96 uses the first
// 12. [Cipher.NewCMAC] is its successor. The result implements [hash.Cloner]; it is
// not safe for concurrent use.
func NewXCBC(key []byte) (hash.Hash, error) { return automatic().NewXCBC(key) }

// NewXCBC is like the package's [NewXCBC], with this driver.
func (d Driver) NewXCBC(key []byte) (hash.Hash, error) {
	if len(key) != 16 {
		return nil, errors.New("aes: invalid XCBC key size " + strconv.Itoa(len(key)) + ", want 16")
	}
	c, err := d.New(key)
	if err != nil {
		return nil, err
	}
	// RFC 3566, section 4: three keys are the encryptions of constants.
	var derived [3][BlockSize]byte
	for i := range derived {
		for j := range derived[i] {
			derived[i][j] = byte(i + 1)
		}
		c.Encrypt(derived[i][:], derived[i][:])
	}
	c.keys.Expand(d.plan, derived[0][:])
	h := modes.NewXCBC((*bulk)(c), &derived[1], &derived[2])
	clear(derived[:])
	return h, nil
}
