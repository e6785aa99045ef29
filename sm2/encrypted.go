package sm2

import (
	"crypto/fips140"
	"fmt"

	"github.com/cipherlane/cipherlane/internal/pkix"
)

// KeyEncryption says how a private key is encrypted with a passphrase. The zero
// value is PBKDF2 with HMAC-SHA-256 and AES-256 in CBC mode, which OpenSSL, gmsm
// and BouncyCastle read. GmSSL reads nothing but SM3 with SM4, which OpenSSL 3.0 and
// BouncyCastle do not.
type KeyEncryption struct {
	SM3        bool // PBKDF2 with HMAC-SM3 instead of HMAC-SHA-256
	SM4        bool // SM4 instead of AES-256, both in CBC mode
	Iterations int  // of PBKDF2; 0 for DefaultIterations

	// Scrypt is scrypt (RFC 7914), or nil: then keys are encrypted with PBKDF2, and
	// those that need scrypt cannot be read. The function Key of
	// golang.org/x/crypto/scrypt fits. It is not in this package because the
	// addresses that scrypt reads depend on the passphrase. N is 2^14, r is 8 and p
	// is 5 for a new key.
	Scrypt func(passphrase, salt []byte, N, r, p, size int) ([]byte, error)
}

const (
	// DefaultIterations is how often PBKDF2 calls HMAC for a new key.
	DefaultIterations = pkix.DefaultIterations

	// MaxIterations is how often it may for one that is read: somebody else wrote
	// the number.
	MaxIterations = pkix.MaxIterations
)

// ErrPassphrase is what the error wraps for an encrypted key and a passphrase that is
// not the one of the key. The encryption is without authentication, so that a key that
// was damaged looks the same.
var ErrPassphrase = pkix.ErrPassphrase

// MarshalEncryptedPrivateKey returns a private key as an EncryptedPrivateKeyInfo
// (PKCS #8, RFC 5958) in DER, encrypted by PBES2 (RFC 8018), which is in PEM
// blocks of the type "ENCRYPTED PRIVATE KEY". A nil how is the zero value. It takes
// a fraction of a second. HMAC-SHA-256 and scrypt copy the passphrase, and the copies
// are not wiped.
func MarshalEncryptedPrivateKey(k *PrivateKey, passphrase []byte, how *KeyEncryption) ([]byte, error) {
	if fips140.Enforced() {
		return nil, errFIPS
	}
	if !k.usable {
		return nil, errUnusable
	}
	if how == nil {
		how = new(KeyEncryption)
	}
	info := MarshalPKCS8PrivateKey(k)
	defer clear(info)
	o := pkix.Options(*how)
	der, err := pkix.Encrypt(info, passphrase, &o)
	if err != nil {
		return nil, fmt.Errorf("sm2: %w", err)
	}
	return der, nil
}

// ParseEncryptedPrivateKey is the inverse of [MarshalEncryptedPrivateKey]. It also reads
// what others write: PBKDF2 with HMAC-SHA-1, -224, -384 and -512, and AES-128, AES-192 and
// triple DES in CBC mode, the last with tables of package crypto/des that are indexed by
// the key. Of how it uses Scrypt only; how may be nil. The error for another passphrase
// wraps [ErrPassphrase].
//
// What the key wants of time and memory is limited: [MaxIterations] HMACs of PBKDF2; for
// scrypt 256 MiB (N r at most 2^21), N r p at most 2^23 and r p at most 2^13; 1024 bytes
// of salt.
func ParseEncryptedPrivateKey(der, passphrase []byte, how *KeyEncryption) (*PrivateKey, error) {
	if fips140.Enforced() {
		return nil, errFIPS
	}
	if how == nil {
		how = new(KeyEncryption)
	}
	info, err := pkix.Decrypt(der, passphrase, how.Scrypt)
	if err != nil {
		return nil, fmt.Errorf("sm2: %w", err)
	}
	defer clear(info)
	return ParsePKCS8PrivateKey(info)
}
