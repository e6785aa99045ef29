// Package aes implements the AES block cipher of FIPS 197 with keys of 128,
// 192 and 256 bits and the modes of operation ECB, CBC, CTS, CFB, OFB, CTR,
// XTS, GCM, GCM-SIV, SIV, CCM, CMAC, XCBC and key wrap.
//
//	aead, err := aes.NewGCMWithRandomNonce(key)
//	if err != nil {
//		return err
//	}
//	sealed := aead.Seal(nil, nil, plaintext, additionalData)
//	opened, err := aead.Open(nil, nil, sealed, additionalData)
//
// Start with [NewGCMWithRandomNonce]: it encrypts, authenticates and generates
// the nonces. For protocols that specify their own nonces, use [NewGCM], or
// [NewGCMSIV], which tolerates repeated ones. For code that needs a
// [cipher.Block], [NewCipher] has the same signature as in crypto/aes. Given its
// result, cipher.NewGCM, cipher.NewCTR and cipher.NewCBCDecrypter use the fast
// paths of this package. cipher.NewGCMWithRandomNonce rejects it, as it rejects
// every block cipher from outside crypto/aes; the messages of
// [NewGCMWithRandomNonce] are compatible.
//
// # Drivers
//
// The package has several implementations and selects the best one for this
// machine. [Drivers] lists them, [On] selects one by name, and the command
// "cipherlane list aes" shows which one is selected and why.
//
// On ppc64le this package has no assembly yet. The driver std calls crypto/aes,
// which uses the CPU's instructions, for blocks, CBC, CTR and GCM, and builds other
// modes on these. The round keys inside crypto/aes cannot be overwritten, so Wipe
// drops them. If GODEBUG makes crypto/aes use tables, there is no driver std. On
// s390x the portable driver is the only one, because no machine in our CI has that
// CPU's instructions.
//
// On riscv64 the driver rvv needs vectors, and no AES instructions. It encrypts in
// parallel: ECB, CTR, GCM, GCM-SIV and XTS. Decryption of ECB, CBC and XTS, and the modes
// in which each block waits for the one before it, are portable. SECURITY.md says what the
// driver relies on; CIPHERLANE=aes:generic disables it.
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
// with tables, which the portable code of crypto/aes uses.
package aes

import (
	"crypto/cipher"
	"errors"
	"strconv"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/aescore"
	"github.com/cipherlane/cipherlane/internal/alias"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/hidden"
	"github.com/cipherlane/cipherlane/internal/offload"
)

// BlockSize is the number of bytes in a block.
const BlockSize = aescore.BlockSize

// A KeySizeError is the error for a key of the wrong size. Its value is that size.
type KeySizeError int

func (k KeySizeError) Error() string {
	return "aes: invalid key size " + strconv.Itoa(int(k)) + ", want 16, 24 or 32"
}

// A Cipher is an AES key, ready for use. Its methods start modes of operation
// or process blocks independently of each other (ECB). It is safe for
// concurrent use.
type Cipher struct {
	private
	plan   drivers.Plan // indices in table; all are wiped after Wipe
	keys   aescore.Keys
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

// NewCipher is [New] with a [cipher.Block] as its result, which is the signature
// that libraries expect.
func NewCipher(key []byte) (cipher.Block, error) {
	c, err := New(key)
	if err != nil {
		return nil, err // not a nil *Cipher in an interface
	}
	return c, nil
}

// A Driver is one implementation of AES, with the same constructors as the
// package. The objects that they return can be used wherever the package's can.
type Driver struct{ plan drivers.Plan }

var table = drivers.Register("aes", aescore.Rows())

// On returns the driver with the given name. The error is [driver.ErrUnknown] if
// there is none, or [driver.ErrUnavailable] if this machine cannot run it.
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{plan}, err
}

// Drivers returns the drivers for this architecture.
func Drivers() []driver.Info {
	t, _ := driver.Find(table.Package())
	return t.Drivers()
}

// automatic returns the drivers selected for this machine.
func automatic() Driver { return Driver{table.Auto()} }

// New is like the package's [New], with this driver.
func (d Driver) New(key []byte) (*Cipher, error) {
	c := new(Cipher)
	if err := d.init(c, key); err != nil {
		return nil, err
	}
	return c, nil
}

func (d Driver) init(c *Cipher, key []byte) error {
	if fips.Enforced() {
		return errors.New("aes: not available in FIPS 140-only mode")
	}
	switch len(key) {
	case 16, 24, 32:
		c.plan = d.plan
		c.keys.Expand(d.plan, key)
		return nil
	default:
		return KeySizeError(len(key))
	}
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
		panic("aes: input not full block")
	}
	if len(dst) < BlockSize {
		panic("aes: output not full block")
	}
	dst, src = dst[:BlockSize], src[:BlockSize]
	if alias.InexactOverlap(dst, src) {
		panic("aes: invalid buffer overlap")
	}
	aescore.EncryptBlock(c.plan.Short(), &c.keys, dst, src)
}

// Decrypt decrypts one block, under the same conditions as [Cipher.Encrypt].
func (c *Cipher) Decrypt(dst, src []byte) {
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
	aescore.DecryptBlock(c.plan.Short(), &c.keys, dst, src)
}

// EncryptBlocks encrypts every block of src independently (ECB, NIST SP 800-38A
// section 6.1). Equal blocks have equal ciphertexts: this is a building block,
// not a way to encrypt data. It panics if len(src) is not a multiple of 16, dst is shorter than
// src, or they overlap other than exactly.
func (c *Cipher) EncryptBlocks(dst, src []byte) {
	if len(src)%BlockSize != 0 || !alias.Fits(dst, src) {
		checkBlocks(dst, src) // panics
	}
	if len(src) > 0 {
		aescore.EncryptBlocks(c.plan.Pick(len(src)), &c.keys, dst[:len(src)], src)
	}
}

// DecryptBlocks reverses [Cipher.EncryptBlocks], under the same conditions.
func (c *Cipher) DecryptBlocks(dst, src []byte) {
	if len(src)%BlockSize != 0 || !alias.Fits(dst, src) {
		checkBlocks(dst, src) // panics
	}
	if len(src) > 0 {
		aescore.DecryptBlocks(c.plan.Pick(len(src)), &c.keys, dst[:len(src)], src)
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
	c.keys.Wipe()
	c.engine.Wipe()
}

// wiped replaces the driver's index in a wiped Cipher. No driver has this index, so
// every switch over drivers reaches its default and panics, at no cost to other calls.
const wiped = aescore.Wiped

const noKernel = "aes: use of a wiped key"

var errWiped = errors.New(noKernel)

// check panics if the key was wiped. It is for methods that may not reach a kernel.
func (c *Cipher) check() {
	if c.plan.Short() == wiped {
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

// private prevents structs that embed it from being printed.
type private = hidden.Secret
