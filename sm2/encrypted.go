package sm2

import (
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/pkix"
	"github.com/cipherlane/cipherlane/internal/wrap"
)

// KeyEncryption specifies how a private key is encrypted with a passphrase. The zero
// value means PBKDF2 with HMAC-SHA-256 and AES-256 in CBC mode, which OpenSSL, gmsm
// and BouncyCastle can read. GmSSL reads only SM3 with SM4, and GmSSL set.
//
// HMAC-SM3 has two object identifiers. OpenSSL since 3.1 and Tongsuo use
// 1.2.156.10197.1.401.3.1 of GM/T 0091; GmSSL, gmsm and BouncyCastle use
// 1.2.156.10197.1.401.2. None of them reads the other; this package reads both.
type KeyEncryption struct {
	SM3        bool // PBKDF2 with HMAC-SM3 instead of HMAC-SHA-256
	GmSSL      bool // with SM3: the identifier of GmSSL, gmsm and BouncyCastle
	SM4        bool // SM4 instead of AES-256, both in CBC mode
	Iterations int  // of PBKDF2; 0 for DefaultIterations

	// Scrypt is an implementation of scrypt (RFC 7914), such as the function Key of
	// golang.org/x/crypto/scrypt. If it is nil, keys are encrypted with PBKDF2, and
	// keys encrypted with scrypt cannot be read. This package does not include
	// scrypt because the addresses it reads depend on the passphrase. New keys use
	// N = 2^14, r = 8 and p = 5.
	Scrypt func(passphrase, salt []byte, N, r, p, size int) ([]byte, error)
}

const (
	// DefaultIterations is the number of PBKDF2 iterations for a new key.
	DefaultIterations = pkix.DefaultIterations

	// MaxIterations is the maximum number of PBKDF2 iterations that is accepted when
	// a key is parsed, since the number comes from untrusted input.
	MaxIterations = pkix.MaxIterations
)

// ErrPassphrase is wrapped by the error that is returned if the passphrase is wrong.
// The encryption is not authenticated, so a damaged key causes the same error.
var ErrPassphrase = pkix.ErrPassphrase

// MarshalEncryptedPrivateKey returns a private key as an EncryptedPrivateKeyInfo
// (PKCS #8, RFC 5958) in DER, encrypted by PBES2 (RFC 8018). This is the contents of
// PEM blocks of type "ENCRYPTED PRIVATE KEY". Nil options stand for the zero value.
// Encryption takes a fraction of a second. HMAC-SHA-256 and scrypt copy the
// passphrase, and the copies are not wiped.
func MarshalEncryptedPrivateKey(k *PrivateKey, passphrase []byte, options *KeyEncryption) ([]byte, error) {
	if fips.Enforced() {
		return nil, errFIPS
	}
	if !k.usable {
		return nil, errUnusable
	}
	if options == nil {
		options = new(KeyEncryption)
	}
	info := MarshalPKCS8PrivateKey(k)
	defer clear(info)
	o := pkix.Options(*options)
	der, err := pkix.Encrypt(info, passphrase, &o)
	if err != nil {
		return nil, wrap.Error("sm2: ", err, "")
	}
	return der, nil
}

// ParseEncryptedPrivateKey is the inverse of [MarshalEncryptedPrivateKey]. It also reads
// formats that other programs write: PBKDF2 with HMAC-SHA-1, -224, -384 and -512, and
// AES-128, AES-192 and triple DES in CBC mode. For triple DES it uses package crypto/des,
// whose tables are indexed by the key. options may be nil; only its field Scrypt is used. If
// the passphrase is wrong, the error wraps [ErrPassphrase].
//
// The time and memory that a key may require are limited: [MaxIterations] iterations of
// PBKDF2; for scrypt 256 MiB (N r at most 2^21), N r p at most 2^23 and r p at most 2^13;
// 1024 bytes of salt.
func ParseEncryptedPrivateKey(der, passphrase []byte, options *KeyEncryption) (*PrivateKey, error) {
	if fips.Enforced() {
		return nil, errFIPS
	}
	if options == nil {
		options = new(KeyEncryption)
	}
	info, err := pkix.Decrypt(der, passphrase, options.Scrypt)
	if err != nil {
		return nil, wrap.Error("sm2: ", err, "")
	}
	defer clear(info)
	return ParsePKCS8PrivateKey(info)
}
