package frodokem

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/pkix"
	"github.com/cipherlane/cipherlane/internal/wrap"
)

// Object identifiers: 1.0.18033.2.2.7.1 to .8 from ISO/IEC 18033-2/Amd 2, and for the
// sets that it does not define, those of Botan, below 1.3.6.1.4.1.25258.1.
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
	errNoSeed     = errors.New("frodokem: the private key was read from the expanded form, " +
		"from which its seeds cannot be found, or was wiped")
)

// ErrAlgorithm is wrapped by the error for a key of an algorithm other than FrodoKEM.
var ErrAlgorithm = errors.New("frodokem: a key of another algorithm")

// algorithm is the AlgorithmIdentifier of keys of a set.
func (s Set) algorithm() []byte {
	s.params() // panics if s is not a valid set
	return pkix.Append(nil, pkix.Sequence, pkix.Append(nil, pkix.OID, oids[s]))
}

// setOf returns the set of an AlgorithmIdentifier, whose parameters must be absent or
// NULL.
func setOf(a pkix.Reader) (Set, error) {
	oid := string(a.Next(pkix.OID))
	for _, s := range Sets() {
		if oid == string(oids[s]) && (a.Done() || len(a.Next(pkix.Null)) == 0 && a.Done()) {
			return s, nil
		}
	}
	return 0, ErrAlgorithm
}

// A Form is an encoding of a private key.
type Form int

const (
	Expanded Form = iota // s || pk || S^T || pkh, as in ISO/IEC 18033-2/Amd 2

	// Seeds is s || seedSE || z (draft-longa-cfrg-frodokem-03). Other programs may not support it.
	Seeds
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
		return nil, errors.New("frodokem: no such form of private keys: " + strconv.Itoa(int(f)))
	}
}

// MarshalPKIXPublicKey returns a public key as a SubjectPublicKeyInfo in DER, the contents
// of PEM blocks of type "PUBLIC KEY". The object identifiers of the sets 976 and 1344 are
// those of ISO/IEC 18033-2/Amd 2, which draft-smyslov-lamps-frodokem-certificates adopts.
// It defines none for the sets 640, for which Botan's private identifiers are used. The
// encoding around the keys may still change with the drafts.
func MarshalPKIXPublicKey(k *EncapsulationKey) []byte {
	return pkix.MarshalPublic(k.set.algorithm(), k.bytes)
}

// ParsePKIXPublicKey is the inverse of [MarshalPKIXPublicKey]. If the key is not a
// FrodoKEM key, the error wraps [ErrAlgorithm].
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
// DER, the contents of PEM blocks of type "PRIVATE KEY". The object identifiers are those
// of [MarshalPKIXPublicKey]. Package encoding/pem uses the bytes it encodes as table
// indices, so prefer [MarshalEncryptedPrivateKey] for keys in PEM.
func MarshalPKCS8PrivateKey(k *DecapsulationKey, form Form) ([]byte, error) {
	key, err := form.bytes(k)
	if err != nil {
		return nil, err
	}
	defer clear(key)
	return pkix.MarshalPrivate(k.Set().algorithm(), key), nil
}

// ParsePKCS8PrivateKey is the inverse of [MarshalPKCS8PrivateKey], for both forms. It also
// accepts a second OCTET STRING around the key, which some programs write, and version 2
// of the format (RFC 5958), in which the public key may follow and must match. The key is
// checked as in [Set.NewDecapsulationKey]. If it is not a FrodoKEM key, the error wraps
// [ErrAlgorithm].
func ParsePKCS8PrivateKey(der []byte) (*DecapsulationKey, error) {
	a, key, public, ok := pkix.ParsePrivate(der)
	if !ok {
		return nil, errPrivateDER
	}
	set, err := setOf(a)
	if err != nil {
		return nil, err
	}
	if p := set.params(); len(key) != p.private() && len(key) != p.seed() {
		r := pkix.Read(key)
		if inner := r.Next(pkix.OctetString); r.Done() {
			key = inner
		}
	}
	k, err := set.NewDecapsulationKey(key)
	if err != nil {
		return nil, err
	}
	return k.checkPublic(public)
}

// checkPublic returns dk if public, unless it is nil, is its public key. Otherwise it wipes
// dk.
func (dk *DecapsulationKey) checkPublic(public []byte) (*DecapsulationKey, error) {
	if public != nil && !bytes.Equal(public, dk.ek.bytes) {
		dk.Wipe()
		return nil, errors.New("frodokem: the public key is not the one of the private key")
	}
	return dk, nil
}

// KeyEncryption specifies how a private key is encrypted with a passphrase. The zero value
// means PBKDF2 with HMAC-SHA-256 and AES-256 in CBC mode.
type KeyEncryption struct {
	SM3        bool // PBKDF2 with HMAC-SM3 instead of HMAC-SHA-256
	GmSSL      bool // with SM3: HMAC-SM3 under the name that GmSSL reads; see package sm2
	SM4        bool // SM4 instead of AES-256, both in CBC mode
	Iterations int  // of PBKDF2; 0 for 600000

	// Scrypt is an implementation of scrypt (RFC 7914), such as the function Key of
	// golang.org/x/crypto/scrypt. If it is nil, keys are encrypted with PBKDF2, and
	// keys encrypted with scrypt cannot be read. This package does not include
	// scrypt because the addresses it reads depend on the passphrase. New keys use
	// N = 2^14, r = 8 and p = 5.
	Scrypt func(passphrase, salt []byte, N, r, p, size int) ([]byte, error)
}

// ErrPassphrase is wrapped by the error that is returned if the passphrase is wrong.
// The encryption is not authenticated, so a damaged key usually causes the same error.
var ErrPassphrase = pkix.ErrPassphrase

// MarshalEncryptedPrivateKey returns a private key as an EncryptedPrivateKeyInfo
// (PKCS #8, RFC 5958) in DER, encrypted by PBES2 (RFC 8018). This is the contents of
// PEM blocks of type "ENCRYPTED PRIVATE KEY". Nil options stand for the zero value.
// Encryption takes a fraction of a second. HMAC-SHA-256 and scrypt copy the
// passphrase, and the copies are not wiped.
func MarshalEncryptedPrivateKey(
	k *DecapsulationKey, form Form, passphrase []byte, options *KeyEncryption,
) ([]byte, error) {
	if fips.Enforced() {
		return nil, errFIPS
	}
	if options == nil {
		options = new(KeyEncryption)
	}
	info, err := MarshalPKCS8PrivateKey(k, form)
	if err != nil {
		return nil, err
	}
	defer clear(info)
	o := pkix.Options(*options)
	der, err := pkix.Encrypt(info, passphrase, &o)
	if err != nil {
		return nil, wrap.Error("frodokem: ", err, "")
	}
	return der, nil
}

// ParseEncryptedPrivateKey is the inverse of [MarshalEncryptedPrivateKey]; it also reads
// PBKDF2 with HMAC-SHA-1, -224, -384 and -512, and AES-128, AES-192 and triple DES in CBC
// mode. Of the options, which may be nil, only Scrypt is used. If the passphrase is wrong, the
// error wraps [ErrPassphrase]. The time and memory that a key may require are limited:
// 10^7 iterations of PBKDF2; for scrypt 256 MiB (N r at most 2^21), N r p at most 2^23 and
// r p at most 2^13; 1024 bytes of salt.
func ParseEncryptedPrivateKey(
	der, passphrase []byte, options *KeyEncryption,
) (*DecapsulationKey, error) {
	if fips.Enforced() {
		return nil, errFIPS
	}
	if options == nil {
		options = new(KeyEncryption)
	}
	info, err := pkix.Decrypt(der, passphrase, options.Scrypt)
	if err != nil {
		return nil, wrap.Error("frodokem: ", err, "")
	}
	defer clear(info)
	return ParsePKCS8PrivateKey(info)
}
