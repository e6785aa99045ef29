// Package sm2 implements the elliptic curve algorithms SM2 of GB/T 32918-2016,
// in the formats of GM/T 0009: signatures, encryption and key exchange on the
// curve of GB/T 32918.5-2017, and plain Diffie-Hellman on it.
//
// [PrivateKey.SignMessage] and [PublicKey.VerifyMessage] are what the standard
// calls a signature: over the message together with the public key and the user
// ID of the signer. [PrivateKey.Sign] and [PublicKey.Verify] take what they hash
// it to. [SignMany], [VerifyMany] and [GenerateMany] do the work of many entries side
// by side.
//
// # Drivers
//
// The package has several implementations and takes the best one for this machine;
// [Drivers] lists them, [On] picks one by name, and the command "cipherlane list
// sm2" shows which one is taken and why. A key keeps to the driver that made it.
//
// # Timing
//
// Nothing that is done with a private key, a nonce or a plaintext has a branch
// or an address that depends on them, other than that an operation fails.
// Verification is with public numbers only, and takes its time from them.
//
// # FIPS 140
//
// In FIPS 140-only mode, where SM2 is not allowed, keys can be neither made nor
// read.
package sm2

import (
	"crypto"
	"crypto/fips140"
	"crypto/subtle"
	"errors"
	"sync"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/hidden"
)

// A PrivateKey is a number d from 1 to n-2 with its public key. It is safe for
// concurrent use, other than [PrivateKey.Wipe]. The zero value is not a key. It
// implements [crypto.Signer], [crypto.MessageSigner] and [crypto.Decrypter]. Package
// fmt does not print it.
type PrivateKey struct {
	private
	public  PublicKey
	d       scalar
	usable  bool // made, and not wiped
	signing struct {
		once    sync.Once
		inverse scalar // 2^256/(1+d)
	}
}

// A PublicKey is a point of the curve other than infinity. It is safe for
// concurrent use. The zero value is not a key: no signature is valid with it, and
// nothing is encrypted for it.
type PublicKey struct {
	point affine
	row   row // the driver of this key
}

var (
	_ crypto.Signer        = (*PrivateKey)(nil)
	_ crypto.MessageSigner = (*PrivateKey)(nil)
	_ crypto.Decrypter     = (*PrivateKey)(nil)
)

// A Driver is one implementation of SM2; it has the constructors of the package,
// and keys keep to the driver that made them.
type Driver struct{ row row }

// A row is the place of a driver in the table.
type row int

// On returns the driver of that name, or an error if there is none
// ([driver.ErrUnknown]) or this machine cannot run it
// ([driver.ErrUnavailable]).
func On(name string) (Driver, error) {
	plan, err := table.On(name)
	return Driver{row(plan.Pick(0))}, err
}

// Drivers lists the drivers that there are for this architecture.
func Drivers() []driver.Info { return table.Drivers() }

// automatic is the driver that this machine takes.
func automatic() Driver { return Driver{row(table.Auto().Pick(0))} }

var (
	errFIPS  = errors.New("sm2: not available in FIPS 140-only mode")
	errPoint = errors.New("sm2: not the encoding of a point of the curve")
)

// GenerateKey makes a private key from the system's random numbers.
func GenerateKey() (*PrivateKey, error) { return automatic().GenerateKey() }

// NewPrivateKey reads a private key from 32 bytes, a big-endian number.
func NewPrivateKey(key []byte) (*PrivateKey, error) { return automatic().NewPrivateKey(key) }

// NewPublicKey reads a public key: a point as in SEC 1, either uncompressed (65
// bytes) or compressed (33 bytes).
func NewPublicKey(key []byte) (*PublicKey, error) { return automatic().NewPublicKey(key) }

// GenerateKey is the package's [GenerateKey] with this driver.
func (d Driver) GenerateKey() (*PrivateKey, error) {
	if fips140.Enforced() {
		return nil, errFIPS
	}
	k := &PrivateKey{public: PublicKey{row: d.row}}
	for {
		k.d.random()
		if k.init() {
			return k, nil
		}
	}
}

// NewPrivateKey is the package's [NewPrivateKey] with this driver.
func (d Driver) NewPrivateKey(key []byte) (*PrivateKey, error) {
	if fips140.Enforced() {
		return nil, errFIPS
	}
	if len(key) != 32 {
		return nil, errors.New("sm2: a private key has 32 bytes")
	}
	k := &PrivateKey{public: PublicKey{row: d.row}}
	ok := k.d.setBytes(key)
	if ok&^k.d.isZero() == 0 || !k.init() {
		return nil, errors.New("sm2: private key out of range")
	}
	return k, nil
}

// init computes the public key; it reports whether d is not n-1, for which there
// is no 1/(1+d).
func (k *PrivateKey) init() bool {
	var next scalar
	next.add(&k.d, &scalar{1})
	if next.isZero() != 0 {
		return false
	}
	clear(next[:])
	var p point
	p.multiplyBase(k.public.row, &k.d)
	k.public.point = p.affine()
	p.wipe()
	k.usable = true
	return true
}

// NewPublicKey is the package's [NewPublicKey] with this driver.
func (d Driver) NewPublicKey(key []byte) (*PublicKey, error) {
	if fips140.Enforced() {
		return nil, errFIPS
	}
	k := &PublicKey{row: d.row}
	if !k.point.setBytes(d.row, key) {
		return nil, errPoint
	}
	return k, nil
}

// Bytes returns the private key as 32 bytes, a big-endian number, or nil after
// [PrivateKey.Wipe].
func (k *PrivateKey) Bytes() []byte {
	if !k.usable {
		return nil
	}
	b := k.d.bytes()
	return b[:]
}

// PublicKey returns the public key.
func (k *PrivateKey) PublicKey() *PublicKey { return &k.public }

// Public returns the public key, a *[PublicKey].
func (k *PrivateKey) Public() crypto.PublicKey { return &k.public }

// Equal reports whether x is the same private key, in time that does not depend
// on the keys. A key that was wiped is equal to none.
func (k *PrivateKey) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(*PrivateKey)
	if !ok || !k.usable || !other.usable {
		return false
	}
	a, b := k.d.bytes(), other.d.bytes()
	equal := subtle.ConstantTimeCompare(a[:], b[:])
	clear(a[:])
	clear(b[:])
	return equal == 1
}

// Wipe overwrites the private key, which cannot be used after it. It must not run
// at the same time as anything else that is done with the key: a signature with half
// a key may tell the other half.
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

// ECDH returns the secret that k and peer have in common, the x coordinate of
// the product, 32 bytes. It is to go through a key derivation function. The key
// exchange of GB/T 32918.3 is [NewExchange].
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
	shared := p.affine()
	*x = shared.x.bytes()
	p.wipe()
	shared = affine{}
}

const (
	timing   = "independent of secrets; verification: of public numbers"
	noKernel = "sm2: no kernel of this driver"
)

var errUnusable = errors.New("sm2: the private key was wiped, or never made")

// private keeps what embeds it from being printed.
type private = hidden.Secret
