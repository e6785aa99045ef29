// Package aes implements the AES block cipher of FIPS 197 with keys of 128,
// 192 and 256 bits and the modes of operation ECB, CBC, CTS, CFB, OFB, CTR,
// XTS, GCM, GCM-SIV, CCM, CMAC, XCBC and key wrap.
//
// Start with [NewGCMWithRandomNonce]: it encrypts, authenticates and takes care
// of the nonces. Where a protocol has nonces of its own, [NewGCM] takes them,
// and [NewGCMSIV] forgives it when one comes twice. Where an interface of the
// standard library is wanted, [NewCipher] has the signature of crypto/aes, and
// cipher.NewGCM, cipher.NewCTR and cipher.NewCBCDecrypter take the fast paths
// of this package when they are given its result. cipher.NewGCMWithRandomNonce refuses
// it, as it does every block that is not of crypto/aes: [NewGCMWithRandomNonce] makes
// and reads the same messages.
//
// # Drivers
//
// The package has several implementations and takes the best one for this
// machine; [Drivers] lists them, [On] picks one by name, and the command
// "cipherlane list aes" shows which one is taken and why.
//
// On arm64 and ppc64le there is no assembly of this package yet. Where crypto/aes uses
// the CPU's instructions there, the driver std calls it for blocks, CBC, CTR and GCM,
// and other modes are made of these; GCM-SIV is portable. What crypto/aes keeps of a
// key cannot be overwritten: Wipe drops it. Where crypto/aes has tables, there is no
// such driver. On s390x, whose instructions no machine of our CI has, the portable
// driver is the only one.
//
// # Many streams
//
// In CBC encryption, CMAC and CCM every block waits for the one before it, so
// that most of the machine idles. [EncryptCBCMany], [CMACMany], [SealCCMMany]
// and [OpenCCMMany] work on independent messages side by side. They take a
// slice with a struct for each message, in which the results are found
// afterwards; the messages may have different keys and lengths.
//
// What [New], [NewCipher] and [NewXTS] make can also use an engine beside the CPU,
// in the modes CBC, CTR, XTS and, by [Cipher.NewGCM], GCM, if package linux is
// imported and told to. [On] and the functions that return a [GCM] never do.
//
// # Timing
//
// No driver indexes memory by a secret or branches on one: neither on the key,
// nor on plaintext, nor on anything computed from them. SECURITY.md says how
// this is checked. The portable driver, unlike that of crypto/aes, pays for it
// in the serial modes (one block at a time, CBC encryption), where it takes 3.5
// to 5 times as long as code with tables.
package aes

import (
	"crypto/cipher"
	"crypto/fips140"
	"errors"
	"strconv"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/hidden"
	"github.com/cipherlane/cipherlane/internal/modes"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// BlockSize is the number of bytes in a block.
const BlockSize = 16

// A KeySizeError is the error for a key of so many bytes.
type KeySizeError int

func (k KeySizeError) Error() string {
	return "aes: invalid key size " + strconv.Itoa(int(k)) + ", want 16, 24 or 32"
}

// A Cipher is an AES key, ready for use. Its methods start modes of operation
// or process blocks independently of each other (ECB). It is safe for
// concurrent use.
type Cipher struct {
	private
	row    uint8 // of the table of drivers
	keys   keys
	engine *offload.Key // nil unless package linux is in use
}

var _ cipher.Block = (*Cipher)(nil)

// New returns the cipher for a key of 16, 24 or 32 bytes: AES-128, AES-192 or
// AES-256.
func New(key []byte) (*Cipher, error) {
	c, err := automatic().New(key)
	if err != nil {
		return nil, err
	}
	c.engine = offload.Offer(offload.AES, key)
	return c, nil
}

// NewCipher is [New] as a [cipher.Block], with the signature that libraries
// expect of a block cipher.
func NewCipher(key []byte) (cipher.Block, error) {
	c, err := New(key)
	if err != nil {
		return nil, err // not a nil *Cipher in an interface
	}
	return c, nil
}

// A Driver is one implementation of AES; it has the constructors of the
// package. Objects made by one work everywhere that objects of the package do.
type Driver struct{ row uint8 }

// On returns the driver of that name, or an error if there is none
// ([driver.ErrUnknown]) or this machine cannot run it
// ([driver.ErrUnavailable]).
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{plan.Bulk}, err
}

// Drivers lists the drivers that there are for this architecture.
func Drivers() []driver.Info { return table.Drivers() }

// automatic is the driver that this machine takes. No row has a size floor:
// every driver has kernels for short and for long inputs.
func automatic() Driver { return Driver{table.Auto().Bulk} }

// New is the package's [New] with this driver.
func (d Driver) New(key []byte) (*Cipher, error) {
	c := new(Cipher)
	if err := d.init(c, key); err != nil {
		return nil, err
	}
	return c, nil
}

func (d Driver) init(c *Cipher, key []byte) error {
	if fips140.Enforced() {
		return errors.New("aes: not available in FIPS 140-only mode")
	}
	switch len(key) {
	case 16, 24, 32:
		c.row = d.row
		c.keys.expand(d.row, key)
		return nil
	default:
		return KeySizeError(len(key))
	}
}

// NewCipher is the package's [NewCipher] with this driver.
func (d Driver) NewCipher(key []byte) (cipher.Block, error) {
	c, err := d.New(key)
	if err != nil {
		return nil, err // not a nil *Cipher in an interface
	}
	return c, nil
}

// BlockSize returns 16.
func (c *Cipher) BlockSize() int { return BlockSize }

// Encrypt encrypts one block. It panics if dst or src is shorter than a block
// or if they overlap other than exactly.
func (c *Cipher) Encrypt(dst, src []byte) {
	if c.encryptOne(dst, src) {
		return
	}
	if len(src) < BlockSize {
		panic("aes: input not full block")
	}
	if len(dst) < BlockSize {
		panic("aes: output not full block")
	}
	dst, src = dst[:BlockSize], src[:BlockSize]
	if alias.InexactOverlap(dst, src) {
		panic("aes: invalid buffer overlap")
	}
	encryptBlocks(c.row, &c.keys, dst, src)
}

// Decrypt decrypts one block, with the conditions of [Cipher.Encrypt].
func (c *Cipher) Decrypt(dst, src []byte) {
	if c.decryptOne(dst, src) {
		return
	}
	if len(src) < BlockSize {
		panic("aes: input not full block")
	}
	if len(dst) < BlockSize {
		panic("aes: output not full block")
	}
	dst, src = dst[:BlockSize], src[:BlockSize]
	if alias.InexactOverlap(dst, src) {
		panic("aes: invalid buffer overlap")
	}
	decryptBlocks(c.row, &c.keys, dst, src)
}

// EncryptBlocks encrypts every block of src by itself (ECB, NIST SP 800-38A
// section 6.1). This
// shows which blocks are equal: it is a building block, not a way to encrypt
// data. It panics if len(src) is not a multiple of 16, dst is shorter than
// src, or they overlap other than exactly.
func (c *Cipher) EncryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	if len(src) > 0 {
		encryptBlocks(c.row, &c.keys, dst[:len(src)], src)
	}
}

// DecryptBlocks undoes [Cipher.EncryptBlocks], with the same conditions.
func (c *Cipher) DecryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	if len(src) > 0 {
		decryptBlocks(c.row, &c.keys, dst[:len(src)], src)
	}
}

// Wipe overwrites the round keys. Afterwards the cipher and all that was made from
// it, such as modes, return an error where they can, and panic otherwise. Wipe must
// not run at the same time as other methods.
func (c *Cipher) Wipe() {
	if c == nil { // the zero value of a GCM or the like
		return
	}
	c.row = wiped
	c.keys.wipe()
	c.engine.Wipe()
}

// wiped is the row of a key that was wiped. There is no such driver, so that every
// switch over drivers comes to its default and panics: no call pays for the check.
const wiped = modes.Wiped

const noKernel = "aes: use of a wiped key"

var errWiped = errors.New(noKernel)

// check panics if the key was wiped: for what works without a kernel.
func (c *Cipher) check() {
	if c.row == wiped {
		panic(noKernel)
	}
}

func checkBlocks(dst, src []byte) {
	if len(src)%BlockSize != 0 {
		panic("aes: input not full blocks")
	}
	checkBuffers(dst, src)
}

func checkBuffers(dst, src []byte) {
	if len(dst) < len(src) {
		panic("aes: output smaller than input")
	}
	if alias.InexactOverlap(dst[:len(src)], src) {
		panic("aes: invalid buffer overlap")
	}
}

// private keeps what embeds it from being printed.
type private = hidden.Secret
