package aes

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"runtime"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// An XTS is AES in XTS mode (IEEE 1619, NIST SP 800-38E), which encrypts sectors
// of storage in place. The ciphertext is as long as the plaintext, and equal
// sectors at different positions have different ciphertexts. XTS does not
// authenticate, and two versions of a sector reveal which blocks have changed. A
// sector has 16 bytes to 16 MiB and need not be whole blocks. An XTS is safe for
// concurrent use.
type XTS struct {
	private
	data, tweak *Cipher
	mode        *modes.XTS
	engine      *offload.Key // nil unless package linux is in use
}

// NewXTS returns XTS for a key of 32 or 64 bytes (XTS-AES-128, XTS-AES-256) or,
// beyond the standard, 48 bytes. The key is the concatenation of two AES keys,
// which must differ.
func NewXTS(key []byte) (*XTS, error) {
	x, err := automatic().NewXTS(key)
	if err != nil {
		return nil, err
	}
	x.engine = offload.Offer(offload.AESXTS, key)
	x.mode.Offload(x.engine)
	return x, nil
}

// NewXTS is like the package's [NewXTS], with this driver.
func (d Driver) NewXTS(key []byte) (*XTS, error) {
	half := len(key) / 2
	if len(key) != 32 && len(key) != 48 && len(key) != 64 {
		return nil, errors.New("aes: invalid XTS key size " + strconv.Itoa(len(key)) + ", want 32, 48 or 64")
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

// Encrypt encrypts the sector with the given number. It panics if src has 1 to 15
// bytes or more than 16 MiB, dst is shorter than src, or they overlap other than
// exactly.
func (x *XTS) Encrypt(dst, src []byte, sector uint64) {
	if !x.unit(dst, src, sector, 0, false) {
		x.mode.Encrypt(dst, src, sector)
	}
}

// Decrypt reverses [XTS.Encrypt], under the same conditions.
func (x *XTS) Decrypt(dst, src []byte, sector uint64) {
	if !x.unit(dst, src, sector, 0, true) {
		x.mode.Decrypt(dst, src, sector)
	}
}

// EncryptTweak is like [XTS.Encrypt] with any tweak of 16 bytes. Encrypt's tweak is
// the sector number in little-endian order.
func (x *XTS) EncryptTweak(dst, src []byte, tweak *[BlockSize]byte) {
	if !x.unit(dst, src, binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:]), false) {
		x.mode.EncryptTweak(dst, src, tweak)
	}
}

// DecryptTweak reverses [XTS.EncryptTweak], under the same conditions.
func (x *XTS) DecryptTweak(dst, src []byte, tweak *[BlockSize]byte) {
	if !x.unit(dst, src, binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:]), true) {
		x.mode.DecryptTweak(dst, src, tweak)
	}
}

// unit processes a sector that is whole blocks, not longer than one call of a kernel allows, and not
// for Linux. It needs neither calls through an interface nor memory from the heap. For other
// sectors, it returns false and does nothing.
func (x *XTS) unit(dst, src []byte, low, high uint64, decrypt bool) bool {
	n := len(src)
	if n == 0 || n%BlockSize != 0 || n > aescore.MaxPass || n >= offload.Floor && x.engine != nil ||
		!alias.Fits(dst, src) {
		return false
	}
	row := x.data.plan.Pick(n)
	var tweak [BlockSize]byte
	binary.LittleEndian.PutUint64(tweak[:], low)
	binary.LittleEndian.PutUint64(tweak[8:], high)
	aescore.XTSUnit(row, &x.data.keys, &x.tweak.keys, &tweak, dst[:n], src, decrypt)
	clear(tweak[:])
	runtime.KeepAlive(&tweak)
	return true
}

// NewXTSEncrypter returns an encrypter for one sector in XTS mode, given the tweak
// already encrypted under the second key. The mode is that of IEEE 1619 or, if gb is
// true, GB/T 17964-2021, whose tweaks differ from the second block on. gmsm's
// cipher.NewXTSEncrypter and NewGBXTSEncrypter call it. A sector may be split over
// several calls of CryptBlocks. Only the last may have an incomplete block, and at
// least one whole block before it. CryptBlocks panics if it is called after that,
// and where [XTS.Encrypt] panics. The result is not safe for concurrent use.
func (c *Cipher) NewXTSEncrypter(encryptedTweak *[BlockSize]byte, gb bool) cipher.BlockMode {
	return c.newXTSMode(encryptedTweak, gb, false)
}

// NewXTSDecrypter returns the decrypter for [Cipher.NewXTSEncrypter].
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

// A bulkGB is a bulk with the tweaks of GB/T 17964-2021, for which there is no kernel.
type bulkGB struct{ *bulk }

// XTS processes whole blocks of a sector.
func (b bulkGB) XTS(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	modes.XTSBlocks(b.bulk, tweak, dst, src, decrypt, true)
}

// Wipe overwrites both keys, like [Cipher.Wipe].
func (x *XTS) Wipe() {
	x.data.Wipe()
	x.tweak.Wipe()
	x.engine.Wipe()
}
