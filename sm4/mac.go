package sm4

import (
	"errors"
	"hash"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewCMAC returns the message authentication code CMAC (NIST SP 800-38B, GB/T
// 15852.1-2020) with a tag of 16 bytes. Compare tags with [crypto/hmac.Equal].
// The result implements [hash.Cloner]; it is not safe for concurrent use.
//
// CMAC is serial and therefore slow. For several messages, [CMACMany] is faster.
func (c *Cipher) NewCMAC() hash.Hash { return modes.NewCMAC(macBulk{(*bulk)(c)}) }

// NewCBCMAC returns plain CBC-MAC, like Linux's cbcmac(sm4): the last ciphertext
// block of CBC with an iv of zeros. The end of the message is padded with zeros,
// and the tag of the empty message is zero.
//
// CBC-MAC is a component of other constructions. By itself it is secure only if
// all messages under a key have the same length: tags of messages of different
// lengths allow forgeries, and messages that differ only in trailing zeros can
// have the same tag. [Cipher.NewCMAC] is secure for messages of any length.
//
// The result implements [hash.Cloner]; it is not safe for concurrent use.
func (c *Cipher) NewCBCMAC() hash.Hash { return modes.NewCBCMAC(macBulk{(*bulk)(c)}) }

// NewXCBC returns the message authentication code of RFC 3566 with SM4 in place
// of AES, like Linux's xcbc(sm4), for a key of 16 bytes and with a tag of 16. No
// standard defines it, and [Cipher.NewCMAC] is the better choice unless a peer
// requires XCBC. The result implements [hash.Cloner]; it is not safe for
// concurrent use.
func NewXCBC(key []byte) (hash.Hash, error) { return automatic().NewXCBC(key) }

// NewXCBC is like the package's [NewXCBC], with this driver.
func (d Driver) NewXCBC(key []byte) (hash.Hash, error) {
	if len(key) != KeySize {
		return nil, errors.New("sm4: invalid XCBC key size " + strconv.Itoa(len(key)) + ", want " + strconv.Itoa(KeySize))
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
	c.keys.wipe() // expand may use other memory
	c.keys.expand(d.plan, &derived[0])
	h := modes.NewXCBC(macBulk{(*bulk)(c)}, &derived[1], &derived[2])
	clear(derived[:])
	return h, nil
}
