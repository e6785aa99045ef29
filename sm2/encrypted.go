package sm2

import (
	"crypto/cipher"
	"crypto/fips140"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
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
	DefaultIterations = 600_000

	// MaxIterations is how often it may for one that is read: somebody else wrote
	// the number.
	MaxIterations = 10_000_000
)

// Of scrypt, for the same reason. It takes 128 N r bytes of memory, and N r p is its
// work; before and after that PBKDF2 makes 128 r p bytes, with an HMAC for every 32.
const (
	maxScryptMemory = 1 << 21 // N r: 256 MiB
	maxScryptWork   = 1 << 23 // N r p: four times the work for 256 MiB
	maxScryptBlocks = 1 << 13 // r p: 1 MiB, 2^15 HMACs

	newScryptN = 1 << 14
	newScryptR = 8
	newScryptP = 5
)

// maxSalt is the largest number of bytes of salt that is read.
const maxSalt = 1024

// ErrPassphrase is returned for an encrypted key and a passphrase that is not the
// one of the key. The encryption is without authentication, so that a key that
// was damaged looks the same.
var ErrPassphrase = errors.New("sm2: wrong passphrase, or the encrypted key is damaged")

var (
	oidPBES2      = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d} // 1.2.840.113549.1.5.13
	oidPBKDF2     = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c} // 1.2.840.113549.1.5.12
	oidHMACSHA256 = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x09}       // 1.2.840.113549.2.9
	oidHMACSM3    = []byte{0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x83, 0x11, 0x02} // 1.2.156.10197.1.401.2
	oidScrypt     = []byte{0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x04, 0x0b} // 1.3.6.1.4.1.11591.4.11
	oidSM4CBC     = []byte{0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x68, 0x02}       // 1.2.156.10197.1.104.2
	oidAES256CBC  = []byte{0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2a} // 2.16.840.1.101.3.4.1.42
	errEncrypted  = errors.New("sm2: not an encrypted private key (PKCS #8 with PBES2)")
	errKeyScheme  = errors.New("sm2: the key is encrypted in a way that is not known here: want PBKDF2 with HMAC-SM3 or HMAC-SHA-256, or scrypt, and SM4-CBC or AES-256-CBC")
	errNoScrypt   = errors.New("sm2: the key is encrypted with scrypt, which KeyEncryption.Scrypt has to provide")
	errEmptyPhase = errors.New("sm2: the passphrase is empty")
)

const tagNull = 0x05

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
	if len(passphrase) == 0 {
		return nil, errEmptyPhase
	}
	if how == nil {
		how = new(KeyEncryption)
	}
	var salt, iv [16]byte
	rand.Read(salt[:]) // never fails
	rand.Read(iv[:])
	e := encrypted{salt: salt[:], iv: iv[:], sm4: how.SM4}
	if how.Scrypt != nil {
		e.scrypt, e.n, e.r, e.p = true, newScryptN, newScryptR, newScryptP
	} else {
		e.sm3, e.iterations = how.SM3, how.Iterations
		if e.iterations == 0 {
			e.iterations = DefaultIterations
		}
		if e.iterations < 1 || e.iterations > MaxIterations {
			return nil, fmt.Errorf("sm2: %d iterations of PBKDF2, want 1 to %d", e.iterations, MaxIterations)
		}
	}
	block, err := e.block(passphrase, how)
	if err != nil {
		return nil, err
	}
	defer block.Wipe()
	info := MarshalPKCS8PrivateKey(k)
	defer clear(info)
	// The padding of RFC 8018, section 6.1.1.
	e.data = make([]byte, len(info)/16*16+16)
	n := copy(e.data, info)
	for i := n; i < len(e.data); i++ {
		e.data[i] = byte(len(e.data) - n)
	}
	block.NewCBCEncrypter(e.iv).CryptBlocks(e.data, e.data)
	return e.marshal(), nil
}

// ParseEncryptedPrivateKey is the inverse of [MarshalEncryptedPrivateKey]. Of how
// it uses Scrypt only; how may be nil. The error for another passphrase is
// [ErrPassphrase]. What the key wants of time and memory is limited:
// [MaxIterations] of PBKDF2; for scrypt 256 MiB (N r at most 2^21), N r p at most
// 2^23 and r p at most 2^13.
func ParseEncryptedPrivateKey(der, passphrase []byte, how *KeyEncryption) (*PrivateKey, error) {
	if fips140.Enforced() {
		return nil, errFIPS
	}
	e, err := parseEncrypted(der)
	if err != nil {
		return nil, err
	}
	if how == nil {
		how = new(KeyEncryption)
	}
	block, err := e.block(passphrase, how)
	if err != nil {
		return nil, err
	}
	defer block.Wipe()
	info := make([]byte, len(e.data))
	defer clear(info)
	block.NewCBCDecrypter(e.iv).CryptBlocks(info, e.data)
	n := int(info[len(info)-1])
	if n < 1 || n > 16 {
		return nil, ErrPassphrase
	}
	var other byte
	for _, c := range info[len(info)-n:] {
		other |= c ^ byte(n)
	}
	// What has the shape of a key was decrypted rightly, but for one wrong passphrase
	// of 2^24 or more.
	all := reader{rest: info[:len(info)-n]}
	body := all.in(tagSequence)
	body.next(tagInteger)
	if subtle.ConstantTimeByteEq(other, 0) == 0 || body.bad || !all.done() {
		return nil, ErrPassphrase
	}
	return ParsePKCS8PrivateKey(info[:len(info)-n])
}

// encrypted is what an EncryptedPrivateKeyInfo says.
type encrypted struct {
	scrypt     bool // instead of PBKDF2
	n, r, p    int  // of scrypt
	iterations int  // of PBKDF2
	sm3        bool // of PBKDF2, instead of SHA-256
	sm4        bool // instead of AES-256
	salt, iv   []byte
	data       []byte
}

// A blockCipher is SM4 or AES.
type blockCipher interface {
	NewCBCEncrypter(iv []byte) cipher.BlockMode
	NewCBCDecrypter(iv []byte) cipher.BlockMode
	Wipe()
}

// block derives the key of the cipher.
func (e *encrypted) block(passphrase []byte, how *KeyEncryption) (blockCipher, error) {
	size := e.keySize()
	var key []byte
	var err error
	switch {
	case e.scrypt && how.Scrypt == nil:
		return nil, errNoScrypt
	case e.scrypt:
		if key, err = how.Scrypt(passphrase, e.salt, e.n, e.r, e.p, size); err == nil && len(key) != size {
			err = fmt.Errorf("KeyEncryption.Scrypt returned %d bytes, want %d", len(key), size)
		}
	case e.sm3:
		key = make([]byte, size)
		sm3.PBKDF2(key, passphrase, e.salt, e.iterations)
	default:
		key, err = pbkdf2.Key(sha256.New, string(passphrase), e.salt, e.iterations, size)
	}
	defer clear(key)
	if err != nil {
		return nil, fmt.Errorf("sm2: deriving a key from the passphrase: %w", err)
	}
	if e.sm4 {
		return sm4.New(key)
	}
	return aes.New(key)
}

func (e *encrypted) keySize() int {
	if e.sm4 {
		return sm4.KeySize
	}
	return 32
}

func (e *encrypted) marshal() []byte {
	var kdf, hash []byte
	if e.scrypt {
		kdf = appendDER(nil, tagOctetString, e.salt)
		for _, v := range []int{e.n, e.r, e.p} {
			kdf = appendSmall(kdf, v)
		}
		kdf = appendDER(nil, tagSequence, appendDER(nil, tagOID, oidScrypt), appendDER(nil, tagSequence, kdf))
	} else {
		// GmSSL refuses parameters of HMAC-SM3, RFC 8018 has NULL for HMAC-SHA-256.
		if e.sm3 {
			hash = appendDER(nil, tagOID, oidHMACSM3)
		} else {
			hash = appendDER(appendDER(nil, tagOID, oidHMACSHA256), tagNull)
		}
		kdf = appendSmall(appendDER(nil, tagOctetString, e.salt), e.iterations)
		kdf = appendDER(kdf, tagSequence, hash)
		kdf = appendDER(nil, tagSequence, appendDER(nil, tagOID, oidPBKDF2), appendDER(nil, tagSequence, kdf))
	}
	oid := oidAES256CBC
	if e.sm4 {
		oid = oidSM4CBC
	}
	scheme := appendDER(nil, tagSequence, appendDER(nil, tagOID, oid), appendDER(nil, tagOctetString, e.iv))
	algorithm := appendDER(nil, tagSequence, appendDER(nil, tagOID, oidPBES2), appendDER(nil, tagSequence, kdf, scheme))
	return appendDER(nil, tagSequence, algorithm, appendDER(nil, tagOctetString, e.data))
}

func parseEncrypted(der []byte) (*encrypted, error) {
	all := reader{rest: der}
	info := all.in(tagSequence)
	algorithm := info.in(tagSequence)
	kind := algorithm.next(tagOID)
	e := &encrypted{data: info.next(tagOctetString)}
	if !all.done() || !info.done() || algorithm.bad {
		return nil, errEncrypted
	}
	if string(kind) != string(oidPBES2) {
		return nil, errKeyScheme
	}
	parameters := algorithm.in(tagSequence)
	kdf, scheme := parameters.in(tagSequence), parameters.in(tagSequence)
	kdfKind, details := kdf.next(tagOID), kdf.in(tagSequence)
	cipherKind := scheme.next(tagOID)
	if !algorithm.done() || !parameters.done() || !kdf.done() || scheme.bad {
		return nil, errEncrypted
	}
	switch string(cipherKind) {
	case string(oidAES256CBC):
	case string(oidSM4CBC):
		e.sm4 = true
	default:
		return nil, errKeyScheme
	}
	e.iv = scheme.next(tagOctetString)
	if !scheme.done() || len(e.iv) != 16 || len(e.data) == 0 || len(e.data)%16 != 0 {
		return nil, errEncrypted
	}
	e.salt = details.next(tagOctetString)
	if details.bad || len(e.salt) == 0 || len(e.salt) > maxSalt {
		return nil, errEncrypted
	}
	var err error
	switch string(kdfKind) {
	case string(oidPBKDF2):
		err = e.parsePBKDF2(&details)
	case string(oidScrypt):
		err = e.parseScrypt(&details)
	default:
		err = errKeyScheme
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (e *encrypted) parsePBKDF2(details *reader) error {
	iterations := details.small()
	fits := details.keySize(e.keySize())
	if details.done() {
		return errKeyScheme // without a name it is HMAC-SHA-1
	}
	prf := details.in(tagSequence)
	hash := prf.next(tagOID)
	if prf.has(tagNull) {
		fits = fits && len(prf.next(tagNull)) == 0
	}
	if !prf.done() || !details.done() || !fits || iterations == 0 {
		return errEncrypted
	}
	switch string(hash) {
	case string(oidHMACSM3):
		e.sm3 = true
	case string(oidHMACSHA256):
	default:
		return errKeyScheme
	}
	if iterations > MaxIterations {
		return fmt.Errorf("sm2: the encrypted key wants %d iterations of PBKDF2, at most %d are allowed", iterations, MaxIterations)
	}
	e.iterations = int(iterations)
	return nil
}

func (e *encrypted) parseScrypt(details *reader) error {
	n, r, p := details.small(), details.small(), details.small()
	if !details.keySize(e.keySize()) || !details.done() || n < 2 || n&(n-1) != 0 || r == 0 || p == 0 {
		return errEncrypted
	}
	// Each is at most 2^31: a product of three may overflow, of two it cannot.
	if n*r > maxScryptMemory || r*p > maxScryptBlocks || n*r*p > maxScryptWork {
		return fmt.Errorf("sm2: the encrypted key wants scrypt with N = %d, r = %d, p = %d, at most N r = %d, r p = %d and N r p = %d are allowed", n, r, p, maxScryptMemory, maxScryptBlocks, maxScryptWork)
	}
	e.scrypt, e.n, e.r, e.p = true, int(n), int(r), int(p)
	return nil
}

// small takes an INTEGER. What is 2^31 or more is taken for 2^31: it is over all
// limits.
func (r *reader) small() uint64 {
	v := r.number()
	n := binary.BigEndian.Uint64(v[24:])
	if n > 1<<31 || [24]byte(v[:24]) != [24]byte{} {
		return 1 << 31
	}
	return n
}

// keySize takes the optional size of a key and reports whether it is this one.
func (r *reader) keySize(size int) bool { return !r.has(tagInteger) || r.small() == uint64(size) }

func appendSmall(b []byte, n int) []byte {
	var v [32]byte
	binary.BigEndian.PutUint64(v[24:], uint64(n))
	return appendNumber(b, v)
}
