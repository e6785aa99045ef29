package sm4

import (
	"fmt"
	"hash"

	"github.com/cipherlane/cipherlane/internal/modes"
)

// NewCMAC returns the message authentication code CMAC (NIST SP 800-38B, GB/T
// 15852.1-2020) with a tag of 16 bytes. Compare tags with [crypto/hmac.Equal].
// The result must not be used from several goroutines at once; it implements
// [hash.Cloner].
//
// CMAC is serial and therefore slow; [CMACMany] is not.
func (c *Cipher) NewCMAC() hash.Hash { return modes.NewCMAC((*bulk)(c)) }

// NewCBCMAC returns the plain CBC-MAC, as Linux's cbcmac(sm4): the last block of
// CBC with an iv of zeros. The end of the message is padded with zeros, and
// the empty message has a tag of zeros.
//
// This is a part of other constructions. By itself it is safe only if all
// messages under a key have the same length: whoever sees the tags of messages
// of several lengths can forge others, and messages that differ in zeros at
// the end have the same tag. [Cipher.NewCMAC] has no such conditions.
//
// The result must not be used from several goroutines at once; it implements
// [hash.Cloner].
func (c *Cipher) NewCBCMAC() hash.Hash { return modes.NewCBCMAC((*bulk)(c)) }

// NewXCBC returns the message authentication code of RFC 3566 with SM4 in the
// place of AES, as Linux's xcbc(sm4), for a key of 16 bytes and with a tag of
// 16. There is no standard for it, and [Cipher.NewCMAC] is the better choice
// where no peer asks for XCBC. The result must not be used from several
// goroutines at once; it implements [hash.Cloner].
func NewXCBC(key []byte) (hash.Hash, error) { return automatic().NewXCBC(key) }

// NewXCBC is the package's [NewXCBC] with this driver.
func (d Driver) NewXCBC(key []byte) (hash.Hash, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("sm4: invalid XCBC key size %d, want %d", len(key), KeySize)
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
	c.keys.wipe() // expand may take other memory
	c.keys.expand(d.row, &derived[0])
	h := modes.NewXCBC((*bulk)(c), &derived[1], &derived[2])
	clear(derived[:])
	return h, nil
}
