// Package sm4 implements the SM4 block cipher of GB/T 32907-2016 (also
// ISO/IEC 18033-3:2010/Amd 1:2021 and draft-ribose-cfrg-sm4) with the modes of
// operation ECB, CBC, CTS, CFB, OFB, CTR, XTS, HCTR, BC, OFBNLF, GCM, GCM-SIV,
// CCM, CMAC, CBC-MAC and XCBC.
//
// Start with [NewGCMWithRandomNonce]: it encrypts, authenticates and takes care of
// the nonces. Where a protocol has nonces of its own, [NewGCM] takes them. Where an
// interface of the standard library is wanted, [NewCipher] returns a [cipher.Block], and
// cipher.NewGCM, cipher.NewCTR and cipher.NewCBCEncrypter take the fast paths of this
// package when they are given one; cipher.NewGCMWithRandomNonce refuses it.
//
// # Drivers
//
// The package has several implementations and takes the best one for this
// machine; [Drivers] lists them, [On] picks one by name, and the command
// "cipherlane list sm4" shows which one is taken and why.
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
// this is checked. The portable driver pays for it in the serial modes (one
// block at a time, CBC encryption), where it takes 3.5 to 5 times as long as
// code with tables.
package sm4

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

const (
	BlockSize = 16 // bytes in a block
	KeySize   = 16 // bytes in a key
)

// A KeySizeError is the error for a key of so many bytes.
type KeySizeError int

func (k KeySizeError) Error() string {
	return "sm4: invalid key size " + strconv.Itoa(int(k)) + ", want 16"
}

// A Cipher is an SM4 key, ready for use. Its methods start modes of operation
// or process blocks independently of each other (ECB). It is safe for
// concurrent use.
type Cipher struct {
	private
	row    uint8 // of the table of drivers
	keys   keys
	engine *offload.Key // nil unless package linux is in use
}

var _ cipher.Block = (*Cipher)(nil)

// New returns the cipher for a key of 16 bytes.
func New(key []byte) (*Cipher, error) {
	c, err := automatic().New(key)
	if err != nil {
		return nil, err
	}
	c.engine = offload.Offer(offload.SM4, key)
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

// A Driver is one implementation of SM4; it has the constructors of the
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
	if fips140.Enforced() {
		return nil, errors.New("sm4: not available in FIPS 140-only mode")
	}
	if len(key) != KeySize {
		return nil, KeySizeError(len(key))
	}
	c := &Cipher{row: d.row}
	c.keys.expand(d.row, (*[KeySize]byte)(key))
	return c, nil
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
	if len(src) < BlockSize {
		panic("sm4: input not full block")
	}
	if len(dst) < BlockSize {
		panic("sm4: output not full block")
	}
	dst, src = dst[:BlockSize], src[:BlockSize]
	if alias.InexactOverlap(dst, src) {
		panic("sm4: invalid buffer overlap")
	}
	encryptBlocks(c.row, &c.keys, dst, src)
}

// Decrypt decrypts one block, with the conditions of [Cipher.Encrypt].
func (c *Cipher) Decrypt(dst, src []byte) {
	if len(src) < BlockSize {
		panic("sm4: input not full block")
	}
	if len(dst) < BlockSize {
		panic("sm4: output not full block")
	}
	dst, src = dst[:BlockSize], src[:BlockSize]
	if alias.InexactOverlap(dst, src) {
		panic("sm4: invalid buffer overlap")
	}
	decryptBlocks(c.row, &c.keys, dst, src)
}

// EncryptBlocks encrypts every block of src by itself (ECB, GB/T 17964). This
// shows which blocks are equal: it is a building block, not a way to encrypt
// data. It panics if len(src) is not a multiple of 16, dst is shorter than
// src, or they overlap other than exactly.
func (c *Cipher) EncryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	if len(src) > BlockSize {
		c.keys.widen(c.row)
	}
	if len(src) > 0 {
		encryptBlocks(c.row, &c.keys, dst[:len(src)], src)
	}
}

// DecryptBlocks undoes [Cipher.EncryptBlocks], with the same conditions.
func (c *Cipher) DecryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	if len(src) > BlockSize {
		c.keys.widen(c.row)
	}
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

const noKernel = "sm4: use of a wiped key"

var errWiped = errors.New(noKernel)

// check panics if the key was wiped: for what works without a kernel.
func (c *Cipher) check() {
	if c.row == wiped {
		panic(noKernel)
	}
}

func checkBlocks(dst, src []byte) {
	if len(src)%BlockSize != 0 {
		panic("sm4: input not full blocks")
	}
	checkBuffers(dst, src)
}

func checkBuffers(dst, src []byte) {
	if len(dst) < len(src) {
		panic("sm4: output smaller than input")
	}
	if alias.InexactOverlap(dst[:len(src)], src) {
		panic("sm4: invalid buffer overlap")
	}
}

// private keeps what embeds it from being printed.
type private = hidden.Secret
