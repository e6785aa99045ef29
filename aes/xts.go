package aes

import (
	"crypto/cipher"
	"crypto/subtle"
	"errors"
	"fmt"

	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// An XTS is AES in XTS mode (IEEE 1619, NIST SP 800-38E), which encrypts the
// sectors of storage in place: nothing grows, and equal sectors at different
// places look different. It does not authenticate, and shows which blocks of a
// sector have changed between two versions. A sector has 16 bytes to 16 MiB and
// need not be whole blocks. It is safe for concurrent use.
type XTS struct {
	private
	data, tweak *Cipher
	mode        *modes.XTS
	engine      *offload.Key // nil unless package linux is in use
}

// NewXTS returns XTS for a key of 32 or 64 bytes (XTS-AES-128, XTS-AES-256) or,
// beyond the standard, of 48: two AES keys
// one behind the other, which must differ.
func NewXTS(key []byte) (*XTS, error) {
	x, err := automatic().NewXTS(key)
	if err != nil {
		return nil, err
	}
	x.engine = offload.Offer(offload.AESXTS, key)
	x.mode.Offload(x.engine)
	return x, nil
}

// NewXTS is the package's [NewXTS] with this driver.
func (d Driver) NewXTS(key []byte) (*XTS, error) {
	half := len(key) / 2
	if len(key) != 32 && len(key) != 48 && len(key) != 64 {
		return nil, fmt.Errorf("aes: invalid XTS key size %d, want 32, 48 or 64", len(key))
	}
	if subtle.ConstantTimeCompare(key[:half], key[half:]) == 1 {
		return nil, errors.New("aes: the two halves of an XTS key are equal")
	}
	data, err := d.New(key[:half])
	if err != nil {
		return nil, err
	}
	tweak, err := d.New(key[half:])
	if err != nil {
		return nil, err
	}
	return &XTS{data: data, tweak: tweak, mode: modes.NewXTS((*bulk)(data), (*bulk)(tweak))}, nil
}

// Encrypt encrypts the sector of that number. It panics if src has 1 to 15 bytes or
// more than 16 MiB, dst is shorter than src, or they overlap other than exactly.
func (x *XTS) Encrypt(dst, src []byte, sector uint64) { x.mode.Encrypt(dst, src, sector) }

// Decrypt undoes [XTS.Encrypt], with the same conditions.
func (x *XTS) Decrypt(dst, src []byte, sector uint64) { x.mode.Decrypt(dst, src, sector) }

// EncryptTweak is [XTS.Encrypt] with any 16 bytes for the number of the sector,
// of which Encrypt sets the first 8, the lowest first.
func (x *XTS) EncryptTweak(dst, src []byte, tweak *[BlockSize]byte) {
	x.mode.EncryptTweak(dst, src, tweak)
}

// DecryptTweak undoes [XTS.EncryptTweak], with the same conditions.
func (x *XTS) DecryptTweak(dst, src []byte, tweak *[BlockSize]byte) {
	x.mode.DecryptTweak(dst, src, tweak)
}

// NewXTSEncrypter returns XTS of one sector, from a tweak that the other key has
// encrypted already: IEEE 1619 or, with gb, GB/T 17964-2021, which has other tweaks from
// the second block on. gmsm's cipher.NewXTSEncrypter and NewGBXTSEncrypter call it. A
// sector may come in several calls; one that is not whole blocks, which has 17 bytes at
// least, is its end. CryptBlocks panics after that and for what [XTS.Encrypt] panics
// for. The result must not be used from several goroutines at once.
func (c *Cipher) NewXTSEncrypter(encryptedTweak *[BlockSize]byte, gb bool) cipher.BlockMode {
	return c.newXTSMode(encryptedTweak, gb, false)
}

// NewXTSDecrypter is the other direction of [Cipher.NewXTSEncrypter].
func (c *Cipher) NewXTSDecrypter(encryptedTweak *[BlockSize]byte, gb bool) cipher.BlockMode {
	return c.newXTSMode(encryptedTweak, gb, true)
}

func (c *Cipher) newXTSMode(encryptedTweak *[BlockSize]byte, gb, decrypt bool) *modes.XTSMode {
	if !gb {
		return modes.NewXTSMode((*bulk)(c), encryptedTweak, decrypt)
	}
	tweak := *encryptedTweak
	modes.TurnTweaks(tweak[:])
	return modes.NewXTSMode(bulkGB{(*bulk)(c)}, &tweak, decrypt)
}

// A bulkGB is bulk with the tweaks of GB/T 17964-2021, for which there is no kernel.
type bulkGB struct{ *bulk }

// XTS processes whole blocks of a sector.
func (b bulkGB) XTS(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	modes.XTSBlocks(b.bulk, tweak, dst, src, decrypt, true)
}

// Wipe is [Cipher.Wipe] for both keys.
func (x *XTS) Wipe() {
	x.data.Wipe()
	x.tweak.Wipe()
	x.engine.Wipe()
}
