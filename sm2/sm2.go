// Package sm2 implements the elliptic curve algorithms SM2 of GB/T 32918-2016,
// in the formats of GM/T 0009: signatures, encryption and key exchange on the
// curve of GB/T 32918.5-2017, and plain Diffie-Hellman on it.
//
//	private, err := sm2.GenerateKey()
//	if err != nil {
//		return err
//	}
//	signature, err := private.SignMessage(rand.Reader, message, nil)
//	valid := private.PublicKey().VerifyMessage(message, signature, nil)
//
// [PrivateKey.SignMessage] and [PublicKey.VerifyMessage] implement signatures as
// the standard defines them: over the message together with the public key and the
// user ID of the signer. [PrivateKey.Sign] and [PublicKey.Verify] work on the digest
// of these. [SignMany], [VerifyMany] and [GenerateMany] process many entries at once:
// they share inversions, or several are computed at a time if the driver supports it.
//
// # Drivers
//
// The package has several implementations and selects the best one for this
// machine. [Drivers] lists them, [On] selects one by name, and the command
// "cipherlane list sm2" shows which one is selected and why. A key always uses the
// driver that created it.
//
// # Timing
//
// No branch and no memory address depends on a private key, a nonce or a
// plaintext, except that an operation can fail. Verification works on public
// values only, and its running time depends on them.
//
// # FIPS 140
//
// In FIPS 140-only mode, where SM2 is not allowed, keys can be neither generated
// nor parsed.
package sm2

import (
	"crypto"
	"errors"
	"sync"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/hidden"
)

// A PrivateKey is an integer d from 1 to n-2 with its public key. All methods
// except [PrivateKey.Wipe] are safe for concurrent use. The zero value is not a
// valid key. PrivateKey implements [crypto.Signer], [crypto.MessageSigner] and
// [crypto.Decrypter]. Package fmt does not print its contents.
type PrivateKey struct {
	private
	public  PublicKey
	d       scalar
	usable  bool // initialised and not wiped
	signing struct {
		once    sync.Once
		inverse scalar // 2^256/(1+d)
	}
}

// A PublicKey is a point on the curve other than infinity. It is safe for
// concurrent use. The zero value is not a valid key: with it, every verification
// and every encryption fails.
type PublicKey struct {
	point affine
	row   uint8 // the driver of this key
	many  uint8 // the driver for batches
}

var (
	_ crypto.Signer    = (*PrivateKey)(nil)
	_ crypto.Decrypter = (*PrivateKey)(nil)
)

// A Driver is one implementation of SM2. It provides the constructors of the
// package; a key always uses the driver that created it.
type Driver struct{ row, many uint8 }

// On returns the driver with the given name. The error is [driver.ErrUnknown] if
// there is no such driver, or [driver.ErrUnavailable] if this machine cannot run
// it.
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{plan.Pick(0), plan.Many()}, err
}

// Drivers lists the drivers for this architecture.
func Drivers() []driver.Info {
	t, _ := driver.Find(table.Package())
	return t.Drivers()
}

// automatic returns the driver selected for this machine.
func automatic() Driver {
	plan := table.Auto()
	return Driver{plan.Pick(0), plan.Many()}
}

var (
	errFIPS  = errors.New("sm2: not available in FIPS 140-only mode")
	errPoint = errors.New("sm2: not the encoding of a point of the curve")
	errRange = errors.New("sm2: private key out of range")
)

// GenerateKey generates a private key with the system's random number generator.
func GenerateKey() (*PrivateKey, error) { return automatic().GenerateKey() }

// NewPrivateKey returns the private key encoded as a 32-byte big-endian integer.
func NewPrivateKey(key []byte) (*PrivateKey, error) { return automatic().NewPrivateKey(key) }

// NewPublicKey returns the public key encoded as a point in SEC 1 format, either
// uncompressed (65 bytes) or compressed (33 bytes).
func NewPublicKey(key []byte) (*PublicKey, error) { return automatic().NewPublicKey(key) }

// GenerateKey is like the package-level [GenerateKey], but uses this driver.
func (d Driver) GenerateKey() (*PrivateKey, error) {
	if fips.Enforced() {
		return nil, errFIPS
	}
	k := &PrivateKey{public: PublicKey{row: d.row, many: d.many}}
	for {
		k.d.random()
		if k.init() {
			return k, nil
		}
	}
}

// NewPrivateKey is like the package-level [NewPrivateKey], but uses this driver.
func (d Driver) NewPrivateKey(key []byte) (*PrivateKey, error) {
	if fips.Enforced() {
		return nil, errFIPS
	}
	if len(key) != 32 {
		return nil, errors.New("sm2: a private key has 32 bytes")
	}
	k := &PrivateKey{public: PublicKey{row: d.row, many: d.many}}
	ok := k.d.setBytes(key)
	if ok&^k.d.isZero() == 0 || !k.init() {
		return nil, errRange
	}
	return k, nil
}

// init computes the public key. It reports false if d is n-1, for which 1/(1+d)
// does not exist.
func (k *PrivateKey) init() bool {
	var next scalar
	next.add(&k.d, &scalar{1})
	if next.isZero() != 0 {
		return false
	}
	clear(next[:])
	var p point
	p.multiplyBase(k.public.row, &k.d)
	k.public.point = p.affine(k.public.row)
	p.wipe()
	k.usable = true
	return true
}

// NewPublicKey is like the package-level [NewPublicKey], but uses this driver.
func (d Driver) NewPublicKey(key []byte) (*PublicKey, error) {
	if fips.Enforced() {
		return nil, errFIPS
	}
	k := &PublicKey{row: d.row, many: d.many}
	if !k.point.setBytes(d.row, key) {
		return nil, errPoint
	}
	return k, nil
}

// Bytes returns the private key as a 32-byte big-endian integer, or nil after
// [PrivateKey.Wipe].
func (k *PrivateKey) Bytes() []byte {
	if !k.usable {
		return nil
	}
	b := new([32]byte)
	putLimbs(b, (*[4]uint64)(&k.d))
	return b[:]
}

// PublicKey returns the public key.
func (k *PrivateKey) PublicKey() *PublicKey { return &k.public }

// Public returns the public key, a *[PublicKey].
func (k *PrivateKey) Public() crypto.PublicKey { return &k.public }

// Equal reports whether x is the same private key. The comparison takes constant
// time. A wiped key is not equal to any key, including itself.
func (k *PrivateKey) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(*PrivateKey)
	if !ok || !k.usable || !other.usable {
		return false
	}
	var different uint64
	for i, limb := range other.d {
		different |= k.d[i] ^ limb
	}
	return zeroMask(different) != 0
}

// Wipe overwrites the private key, which cannot be used afterwards. It must not be
// called concurrently with any other use of the key: a signature made with a
// half-wiped key may reveal the other half.
func (k *PrivateKey) Wipe() {
	k.usable = false
	clear(k.d[:])
	clear(k.signing.inverse[:])
}

// Bytes returns the uncompressed encoding of the point, 65 bytes.
func (k *PublicKey) Bytes() []byte {
	b := k.point.bytes()
	return b[:]
}

// BytesCompressed returns the compressed encoding of the point, 33 bytes.
func (k *PublicKey) BytesCompressed() []byte {
	b := k.point.bytes()
	b[0] = formCompressed | b[pointSize-1]&1
	return b[:compressedSize:compressedSize]
}

// empty reports whether k is the zero value, which is not on the curve.
func (k *PublicKey) empty() bool { return k.point == affine{} }

// Equal reports whether x is the same public key.
func (k *PublicKey) Equal(x crypto.PublicKey) bool {
	other, ok := x.(*PublicKey)
	return ok && k.point == other.point
}

// ECDH performs an elliptic curve Diffie-Hellman exchange and returns the shared
// secret, the 32-byte x coordinate of the product. The result should be passed to a
// key derivation function. For the key exchange of GB/T 32918.3, see [NewExchange].
func (k *PrivateKey) ECDH(peer *PublicKey) ([]byte, error) {
	if !k.usable {
		return nil, errUnusable
	}
	if peer.empty() {
		return nil, errPoint
	}
	x := new([32]byte)
	k.ecdh(x, &peer.point)
	scrub()
	return x[:], nil
}

func (k *PrivateKey) ecdh(x *[32]byte, peer *affine) {
	var p point
	p.multiply(k.public.row, &k.d, peer)
	shared := p.affine(k.public.row)
	*x = shared.x.bytes()
	p.wipe()
	shared = affine{}
}

const timing = "independent of secrets; verification: of public numbers"

var errUnusable = errors.New("sm2: the private key was wiped, or never made")

// private prevents package fmt from printing a type that embeds it.
type private = hidden.Secret
