package sm4

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"runtime"
	"strconv"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// An XTS is SM4 in XTS mode, which encrypts sectors of storage in place. The
// ciphertext is as long as the plaintext, and equal sectors at different positions
// have different ciphertexts. XTS does not authenticate, and two versions of a
// sector reveal which blocks have changed. A sector has 16 bytes to 16 MiB and need
// not be whole blocks. An XTS is safe for concurrent use.
//
// There are two variants, [NewXTS] and [NewXTSGB], which agree only on the first
// block of a sector.
type XTS struct {
	private
	data, tweak *Cipher
	mode        *modes.XTS
	gb          bool
	engine      *offload.Key // nil unless package linux is in use
}

// NewXTS returns XTS as IEEE 1619 defines it for AES, like Linux's xts(sm4), for a
// key of 32 bytes: the concatenation of two SM4 keys, which must differ.
func NewXTS(key []byte) (*XTS, error) {
	x, err := automatic().NewXTS(key)
	if err != nil {
		return nil, err
	}
	x.engine = offload.Offer(offload.SM4XTS, key)
	x.mode.Offload(x.engine)
	return x, nil
}

// NewXTS is like the package's [NewXTS], with this driver.
func (d Driver) NewXTS(key []byte) (*XTS, error) {
	x, err := d.newXTS(key)
	if err != nil {
		return nil, err
	}
	x.mode = modes.NewXTS(x.data.wide(), (*bulk)(x.tweak))
	return x, nil
}

// NewXTSGB returns XTS as GB/T 17964-2021 defines it, for the same keys as
// [NewXTS]. The two standards interpret a tweak as an element of GF(2^128) in
// different ways: here the highest bit of a byte comes first, as in GCM.
func NewXTSGB(key []byte) (*XTS, error) { return automatic().NewXTSGB(key) }

// NewXTSGB is like the package's [NewXTSGB], with this driver.
func (d Driver) NewXTSGB(key []byte) (*XTS, error) {
	x, err := d.newXTS(key)
	if err != nil {
		return nil, err
	}
	x.gb = true
	x.mode = modes.NewXTS(bulkGB{x.data.wide()}, bulkGB{(*bulk)(x.tweak)})
	return x, nil
}

// newXTS returns an XTS without its mode.
func (d Driver) newXTS(key []byte) (*XTS, error) {
	if len(key) != 2*KeySize {
		return nil, errors.New("sm4: invalid XTS key size " + strconv.Itoa(len(key)) + ", want " + strconv.Itoa(2*KeySize))
	}
	if subtle.ConstantTimeCompare(key[:KeySize], key[KeySize:]) == 1 {
		return nil, errors.New("sm4: the two halves of an XTS key are equal")
	}
	data, err := d.New(key[:KeySize])
	if err != nil {
		return nil, err
	}
	tweak, err := d.New(key[KeySize:])
	if err != nil {
		return nil, err
	}
	return &XTS{data: data, tweak: tweak}, nil
}

// Encrypt encrypts the sector with the given number. It panics if src has 1 to 15
// bytes or more than 16 MiB, dst is shorter than src, or they overlap other than
// exactly.
func (x *XTS) Encrypt(dst, src []byte, sector uint64) {
	if !hasUnits || !x.unit(dst, src, sector, 0, false) {
		x.mode.Encrypt(dst, src, sector)
	}
}

// Decrypt reverses [XTS.Encrypt], under the same conditions.
func (x *XTS) Decrypt(dst, src []byte, sector uint64) {
	if !hasUnits || !x.unit(dst, src, sector, 0, true) {
		x.mode.Decrypt(dst, src, sector)
	}
}

// EncryptTweak is like [XTS.Encrypt] with any tweak of 16 bytes. Encrypt's tweak is
// the sector number in little-endian order.
func (x *XTS) EncryptTweak(dst, src []byte, tweak *[BlockSize]byte) {
	if !hasUnits || !x.unit(dst, src, binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:]), false) {
		x.mode.EncryptTweak(dst, src, tweak)
	}
}

// DecryptTweak reverses [XTS.EncryptTweak], under the same conditions.
func (x *XTS) DecryptTweak(dst, src []byte, tweak *[BlockSize]byte) {
	if !hasUnits || !x.unit(dst, src, binary.LittleEndian.Uint64(tweak[:]), binary.LittleEndian.Uint64(tweak[8:]), true) {
		x.mode.DecryptTweak(dst, src, tweak)
	}
}

// unit processes a sector that is whole blocks, not longer than one call of a kernel allows, and not
// for Linux. It needs neither calls through an interface nor memory from the heap. For other
// sectors, and if the driver has no kernel, it returns false and does nothing.
func (x *XTS) unit(dst, src []byte, low, high uint64, decrypt bool) bool {
	n := len(src)
	if n == 0 || n%BlockSize != 0 || n > maxPass || n >= offload.Floor && x.engine != nil ||
		!alias.Fits(dst, src) {
		return false
	}
	var words [BlockSize / 8]uint64 // aligned: some kernels take longer for other addresses
	tweak := (*[BlockSize]byte)(unsafe.Pointer(&words))
	binary.LittleEndian.PutUint64(tweak[:], low)
	binary.LittleEndian.PutUint64(tweak[8:], high)
	done := xtsUnit(x.data.plan.Pick(n), &x.data.keys, &x.tweak.keys, tweak, dst[:n], src, x.gb, decrypt)
	clear(words[:])
	runtime.KeepAlive(&words)
	return done
}

// NewXTSEncrypter returns an encrypter for one sector in XTS mode, given the tweak
// already encrypted under the second key. The mode is that of IEEE 1619 or, if gb is
// true, GB/T 17964-2021. gmsm's cipher.NewXTSEncrypter and NewGBXTSEncrypter call it.
// A sector may be split over several calls of CryptBlocks. Only the last may have an
// incomplete block, and at least one whole block before it. CryptBlocks panics if it
// is called after that, and where [XTS.Encrypt] panics. The result is not safe for
// concurrent use.
func (c *Cipher) NewXTSEncrypter(encryptedTweak *[BlockSize]byte, gb bool) cipher.BlockMode {
	return c.newXTSMode(encryptedTweak, gb, false)
}

// NewXTSDecrypter returns the decrypter for [Cipher.NewXTSEncrypter].
func (c *Cipher) NewXTSDecrypter(encryptedTweak *[BlockSize]byte, gb bool) cipher.BlockMode {
	return c.newXTSMode(encryptedTweak, gb, true)
}

func (c *Cipher) newXTSMode(encryptedTweak *[BlockSize]byte, gb, decrypt bool) *modes.XTSMode {
	if !gb {
		return modes.NewXTSMode(c.wide(), encryptedTweak, decrypt)
	}
	tweak := *encryptedTweak
	modes.TurnTweaks(tweak[:])
	return modes.NewXTSMode(bulkGB{c.wide()}, &tweak, decrypt)
}

// Wipe overwrites both keys, like [Cipher.Wipe].
func (x *XTS) Wipe() {
	x.data.Wipe()
	x.tweak.Wipe()
	x.engine.Wipe()
}

// Tweaks are computed in the bit order of IEEE 1619. Before a tweak is added to the
// data, every byte is multiplied by one of these matrices of 8 x 8 bits, in the format
// of the instruction VGF2P8AFFINEQB.
const (
	ieeeTweaks = 0x0102040810204080 // identity
	gbTweaks   = 0x8040201008040201 // reverses the bits
)

// A bulkGB is a bulk for the XTS of GB/T 17964-2021. The framing in package modes
// multiplies tweaks as IEEE 1619 does. The two standards differ only in the order of
// bits in a byte, so EncryptBlocks returns tweaks in the order of the framing, and XTS
// reverses it again before they are added to the data.
type bulkGB struct{ *bulk }

// EncryptBlocks encrypts the number of a sector, which gives its first tweak.
func (b bulkGB) EncryptBlocks(dst, src []byte) {
	b.bulk.EncryptBlocks(dst, src)
	modes.TurnTweaks(dst)
}

// XTS processes whole blocks of a sector.
func (b bulkGB) XTS(tweak *[BlockSize]byte, dst, src []byte, decrypt bool) {
	if len(src) > 0 && !xts(b.plan.Pick(len(src)), &b.keys, tweak, dst, src, gbTweaks, decrypt) {
		modes.XTSBlocks(b.bulk, tweak, dst, src, decrypt, true)
	}
}
