// Package sm4 implements the SM4 block cipher of GB/T 32907-2016 (also
// ISO/IEC 18033-3:2010/Amd 1:2021 and draft-ribose-cfrg-sm4) with the modes of
// operation ECB, CBC, CTS, CFB, OFB, CTR, XTS, HCTR, BC, OFBNLF, GCM, GCM-SIV,
// SIV, CCM, CMAC, CBC-MAC and XCBC.
//
//	aead, err := sm4.NewGCMWithRandomNonce(key)
//	if err != nil {
//		return err
//	}
//	sealed := aead.Seal(nil, nil, plaintext, additionalData)
//	opened, err := aead.Open(nil, nil, sealed, additionalData)
//
// Start with [NewGCMWithRandomNonce]: it encrypts, authenticates and generates
// the nonces. For protocols that specify their own nonces, use [NewGCM], or
// [NewGCMSIV], which tolerates repeated ones. For code that needs a
// [cipher.Block], use [NewCipher]. Given its result, cipher.NewGCM, cipher.NewCTR
// and cipher.NewCBCDecrypter use the fast paths of this package.
// cipher.NewGCMWithRandomNonce rejects it; use [NewGCMWithRandomNonce] instead.
//
// # Drivers
//
// The package has several implementations and selects the best one for this
// machine. [Drivers] lists them, [On] selects one by name, and the command
// "cipherlane list sm4" shows which one is selected and why.
//
// # Many streams
//
// In CBC encryption, CMAC and CCM, every block waits for the one before it, so
// most of the CPU is idle. [EncryptCBCMany], [CMACMany], [SealCCMMany] and
// [OpenCCMMany] process independent messages side by side. They take a slice of
// structs, one for each message, and store the results there. The messages may
// have different keys and lengths.
//
// # Engines
//
// If package linux is imported and enabled, objects from [New], [NewCipher] and
// [NewXTS] can use a crypto engine beside the CPU for CBC, CTR, XTS and, through
// [Cipher.NewGCM], GCM. Drivers returned by [On], and functions that return a
// [GCM], never use one.
//
// # Timing
//
// No driver indexes memory with a secret or branches on one. Keys, plaintexts and
// everything computed from them are secrets. SECURITY.md describes how
// this is checked. This slows the portable driver down in the serial modes (one
// block at a time, CBC encryption): there it takes 3.5 to 5 times as long as code
// with tables.
package sm4

import (
	"crypto/cipher"
	"errors"
	"strconv"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/hidden"
	"github.com/cipherlane/cipherlane/internal/offload"
)

const (
	BlockSize = 16 // bytes in a block
	KeySize   = 16 // bytes in a key
)

// A KeySizeError is the error for a key of the wrong size. Its value is that size.
type KeySizeError int

func (k KeySizeError) Error() string {
	return "sm4: invalid key size " + strconv.Itoa(int(k)) + ", want 16"
}

// A Cipher is an SM4 key, ready for use. Its methods start modes of operation
// or process blocks independently of each other (ECB). It is safe for
// concurrent use.
type Cipher struct {
	private
	plan   drivers.Plan // from planOf, or drivers.Wiped
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

// NewCipher is [New] with a [cipher.Block] as its result, which is the signature
// that libraries expect.
func NewCipher(key []byte) (cipher.Block, error) {
	c, err := New(key)
	if err != nil {
		return nil, err // not a nil *Cipher in an interface
	}
	return c, nil
}

// A Driver is one implementation of SM4, with the same constructors as the
// package. The objects that they return can be used wherever the package's can.
type Driver struct{ plan drivers.Plan }

// On returns the driver with the given name. The error is [driver.ErrUnknown] if
// there is none, or [driver.ErrUnavailable] if this machine cannot run it.
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{planOf(plan)}, err
}

// Drivers returns the drivers for this architecture.
func Drivers() []driver.Info {
	t, _ := driver.Find(table.Package())
	return t.Drivers()
}

// automatic returns the drivers selected for this machine.
func automatic() Driver { return Driver{planOf(table.Auto())} }

// New is like the package's [New], with this driver.
func (d Driver) New(key []byte) (*Cipher, error) {
	if fips.Enforced() {
		return nil, errors.New("sm4: not available in FIPS 140-only mode")
	}
	if len(key) != KeySize {
		return nil, KeySizeError(len(key))
	}
	c := &Cipher{plan: d.plan}
	c.keys.expand(d.plan, (*[KeySize]byte)(key))
	return c, nil
}

// NewCipher is like the package's [NewCipher], with this driver.
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
	encryptBlock(c.plan.Short(), &c.keys, dst, src)
}

// Decrypt decrypts one block, under the same conditions as [Cipher.Encrypt].
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
	decryptBlock(c.plan.Short(), &c.keys, dst, src)
}

// EncryptBlocks encrypts every block of src independently (ECB, GB/T 17964).
// Equal blocks have equal ciphertexts: this is a building block, not a way to
// encrypt data. It panics if len(src) is not a multiple of 16, dst is shorter than
// src, or they overlap other than exactly.
func (c *Cipher) EncryptBlocks(dst, src []byte) {
	if len(src)%BlockSize != 0 || !alias.Fits(dst, src) {
		checkBlocks(dst, src) // panics
	}
	row := c.plan.Pick(len(src))
	if len(src) > BlockSize {
		c.keys.widen(row)
	}
	if len(src) > 0 {
		encryptBlocks(row, &c.keys, dst[:len(src)], src)
	}
}

// DecryptBlocks reverses [Cipher.EncryptBlocks], under the same conditions.
func (c *Cipher) DecryptBlocks(dst, src []byte) {
	if len(src)%BlockSize != 0 || !alias.Fits(dst, src) {
		checkBlocks(dst, src) // panics
	}
	row := c.plan.Pick(len(src))
	if len(src) > BlockSize {
		c.keys.widen(row)
	}
	if len(src) > 0 {
		decryptBlocks(row, &c.keys, dst[:len(src)], src)
	}
}

// Wipe overwrites the round keys. Afterwards, methods of the cipher and of every
// object made from it return an error if they can, and panic otherwise. Wipe must
// not run concurrently with other methods.
func (c *Cipher) Wipe() {
	if c == nil { // the zero value of a GCM or the like
		return
	}
	c.plan = drivers.Wiped
	c.keys.wipe()
	c.engine.Wipe()
}

var errWiped = errors.New(noKernel)

// check panics if the key was wiped. It is for methods that may not reach a kernel.
func (c *Cipher) check() {
	if c.plan.Short() == wiped {
		panic(noKernel)
	}
}

// widen prepares for modes that process many blocks at once.
func (c *Cipher) widen() {
	if c.plan.Short() == generic || !c.plan.IsUniform() {
		c.widenGeneric()
	}
}

func (c *Cipher) widenGeneric() {
	c.keys.widen(c.plan.Short())
	c.keys.widen(c.plan.Bulk())
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

// private prevents structs that embed it from being printed.
type private = hidden.Secret
