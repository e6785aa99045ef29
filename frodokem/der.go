package frodokem

import (
	"crypto/fips140"
	"errors"
	"fmt"

	"github.com/cipherlane/cipherlane/internal/pkix"
)

// Object identifiers: those of ISO/IEC 18033-2/Amd 2, 1.0.18033.2.2.7.1 to .8, and for
// the sets that are not in it Botan's, below 1.3.6.1.4.1.25258.1.
var oids = [...][]byte{
	FrodoKEM976SHAKE:   {0x28, 0x81, 0x8c, 0x71, 2, 2, 7, 1},
	FrodoKEM1344SHAKE:  {0x28, 0x81, 0x8c, 0x71, 2, 2, 7, 2},
	EFrodoKEM976SHAKE:  {0x28, 0x81, 0x8c, 0x71, 2, 2, 7, 3},
	EFrodoKEM1344SHAKE: {0x28, 0x81, 0x8c, 0x71, 2, 2, 7, 4},
	FrodoKEM976AES:     {0x28, 0x81, 0x8c, 0x71, 2, 2, 7, 5},
	FrodoKEM1344AES:    {0x28, 0x81, 0x8c, 0x71, 2, 2, 7, 6},
	EFrodoKEM976AES:    {0x28, 0x81, 0x8c, 0x71, 2, 2, 7, 7},
	EFrodoKEM1344AES:   {0x28, 0x81, 0x8c, 0x71, 2, 2, 7, 8},
	FrodoKEM640SHAKE:   {0x2b, 6, 1, 4, 1, 0x81, 0xc5, 0x2a, 1, 14, 1},
	FrodoKEM640AES:     {0x2b, 6, 1, 4, 1, 0x81, 0xc5, 0x2a, 1, 15, 1},
	EFrodoKEM640SHAKE:  {0x2b, 6, 1, 4, 1, 0x81, 0xc5, 0x2a, 1, 16, 1},
	EFrodoKEM640AES:    {0x2b, 6, 1, 4, 1, 0x81, 0xc5, 0x2a, 1, 17, 1},
}

var (
	errPrivateDER = errors.New("frodokem: not a private key in PKCS #8")
	errPublicDER  = errors.New("frodokem: not a public key (SubjectPublicKeyInfo)")
	errNoSeed     = errors.New("frodokem: the private key was read from the expanded form, from which its seeds cannot be found, or was wiped")
)

// ErrAlgorithm is what the error wraps for a key of something else than FrodoKEM.
var ErrAlgorithm = errors.New("frodokem: a key of another algorithm")

// algorithm is the AlgorithmIdentifier of keys of a set.
func (s Set) algorithm() []byte {
	s.of() // panics if there is none
	return pkix.Append(nil, pkix.Sequence, pkix.Append(nil, pkix.OID, oids[s]))
}

// setOf returns the set of an AlgorithmIdentifier. Its parameters are absent or NULL.
func setOf(a pkix.Reader) (Set, error) {
	oid := string(a.Next(pkix.OID))
	for _, s := range Sets() {
		if oid == string(oids[s]) && (a.Done() || len(a.Next(pkix.Null)) == 0 && a.Done()) {
			return s, nil
		}
	}
	return 0, ErrAlgorithm
}

// A Form is how the bytes of a private key are written.
type Form int

const (
	Expanded Form = iota // s || pk || S^T || pkh, as in ISO/IEC 18033-2/Amd 2
	Seeds                // s || seedSE || z (draft-longa-cfrg-frodokem-03), which other programs may not know
)

// bytes returns a private key in this form.
func (f Form) bytes(k *DecapsulationKey) ([]byte, error) {
	switch f {
	case Expanded:
		if b := k.Bytes(); b != nil {
			return b, nil
		}
		return nil, errors.New("frodokem: the private key was wiped")
	case Seeds:
		if k.seed == nil {
			return nil, errNoSeed
		}
		return k.Seed(), nil
	default:
		return nil, fmt.Errorf("frodokem: no such form of private keys: %d", int(f))
	}
}

// MarshalPKIXPublicKey returns a public key as a SubjectPublicKeyInfo in DER, which is in
// PEM blocks of the type "PUBLIC KEY". The object identifiers of the sets 976 and 1344 are
// those of ISO/IEC 18033-2/Amd 2, which draft-smyslov-lamps-frodokem-certificates takes
// over; the sets 640 have none there, and theirs are private ones of Botan. What is around
// the keys may still change with the drafts.
func MarshalPKIXPublicKey(k *EncapsulationKey) []byte {
	return pkix.MarshalPublic(k.set.algorithm(), k.bytes)
}

// ParsePKIXPublicKey is the inverse of [MarshalPKIXPublicKey]. The error for a key that is
// not of FrodoKEM wraps [ErrAlgorithm].
func ParsePKIXPublicKey(der []byte) (*EncapsulationKey, error) {
	a, key, ok := pkix.ParsePublic(der)
	if !ok {
		return nil, errPublicDER
	}
	set, err := setOf(a)
	if err != nil {
		return nil, err
	}
	return set.NewEncapsulationKey(key)
}

// MarshalPKCS8PrivateKey returns a private key as a PrivateKeyInfo (PKCS #8, RFC 5208) in
// DER, which is in PEM blocks of the type "PRIVATE KEY", with the object identifiers of
// [MarshalPKIXPublicKey]. Package encoding/pem indexes tables by what it encodes: it is
// better given what [MarshalEncryptedPrivateKey] returns.
func MarshalPKCS8PrivateKey(k *DecapsulationKey, form Form) ([]byte, error) {
	key, err := form.bytes(k)
	if err != nil {
		return nil, err
	}
	defer clear(key)
	return pkix.MarshalPrivate(k.Set().algorithm(), key), nil
}

// ParsePKCS8PrivateKey is the inverse of [MarshalPKCS8PrivateKey], for both forms; a second
// OCTET STRING around the key, which some programs write, may be there. What is checked is
// what [Set.NewDecapsulationKey] checks. The error for a key that is not of FrodoKEM wraps
// [ErrAlgorithm].
func ParsePKCS8PrivateKey(der []byte) (*DecapsulationKey, error) {
	a, key, ok := pkix.ParsePrivate(der)
	if !ok {
		return nil, errPrivateDER
	}
	set, err := setOf(a)
	if err != nil {
		return nil, err
	}
	if p := set.of(); len(key) != p.private() && len(key) != p.seed() {
		again := pkix.Read(key)
		if inner := again.Next(pkix.OctetString); again.Done() {
			key = inner
		}
	}
	return set.NewDecapsulationKey(key)
}

// KeyEncryption says how a private key is encrypted with a passphrase. The zero value is
// PBKDF2 with HMAC-SHA-256 and AES-256 in CBC mode.
type KeyEncryption struct {
	SM3        bool // PBKDF2 with HMAC-SM3 instead of HMAC-SHA-256
	SM4        bool // SM4 instead of AES-256, both in CBC mode
	Iterations int  // of PBKDF2; 0 for 600000

	// Scrypt is scrypt (RFC 7914), or nil: then keys are encrypted with PBKDF2, and
	// those that need scrypt cannot be read. The function Key of
	// golang.org/x/crypto/scrypt fits. It is not in this package because the
	// addresses that scrypt reads depend on the passphrase. N is 2^14, r is 8 and p
	// is 5 for a new key.
	Scrypt func(passphrase, salt []byte, N, r, p, size int) ([]byte, error)
}

// ErrPassphrase is what the error wraps for an encrypted key and a passphrase that is
// not the one of the key. The encryption is without authentication, so that a key that
// was damaged mostly looks the same.
var ErrPassphrase = pkix.ErrPassphrase

// MarshalEncryptedPrivateKey returns a private key as an EncryptedPrivateKeyInfo
// (PKCS #8, RFC 5958) in DER, encrypted by PBES2 (RFC 8018), which is in PEM
// blocks of the type "ENCRYPTED PRIVATE KEY". A nil how is the zero value. It takes
// a fraction of a second. HMAC-SHA-256 and scrypt copy the passphrase, and the copies
// are not wiped.
func MarshalEncryptedPrivateKey(k *DecapsulationKey, form Form, passphrase []byte, how *KeyEncryption) ([]byte, error) {
	if fips140.Enforced() {
		return nil, errFIPS
	}
	if how == nil {
		how = new(KeyEncryption)
	}
	info, err := MarshalPKCS8PrivateKey(k, form)
	if err != nil {
		return nil, err
	}
	defer clear(info)
	o := pkix.Options(*how)
	der, err := pkix.Encrypt(info, passphrase, &o)
	if err != nil {
		return nil, fmt.Errorf("frodokem: %w", err)
	}
	return der, nil
}

// ParseEncryptedPrivateKey is the inverse of [MarshalEncryptedPrivateKey]; it also reads
// PBKDF2 with HMAC-SHA-1, -224, -384 and -512, and AES-128, AES-192 and triple DES in CBC
// mode. Of how it uses Scrypt only; how may be nil. The error for another passphrase wraps
// [ErrPassphrase]. What the key wants of time and memory is limited: 10^7 HMACs of PBKDF2;
// for scrypt 256 MiB (N r at most 2^21), N r p at most 2^23 and r p at most 2^13; 1024
// bytes of salt.
func ParseEncryptedPrivateKey(der, passphrase []byte, how *KeyEncryption) (*DecapsulationKey, error) {
	if fips140.Enforced() {
		return nil, errFIPS
	}
	if how == nil {
		how = new(KeyEncryption)
	}
	info, err := pkix.Decrypt(der, passphrase, how.Scrypt)
	if err != nil {
		return nil, fmt.Errorf("frodokem: %w", err)
	}
	defer clear(info)
	return ParsePKCS8PrivateKey(info)
}
