package pkix

import (
	"crypto/cipher"
	"crypto/des"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"errors"
	"hash"
	"strconv"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/wrap"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// Encryption of keys is in the library because storing keys is a part of what packages with keys
// are for, and PBES2 is 300 lines that use the same DER code. It adds 60 to 75 kB to programs that
// use sm2 or frodokem and no encrypted keys. scrypt is not: its addresses depend on the passphrase
// by design, and it would be a dependency. So callers pass the function, whose parameters are
// checked before it is called.

// Options specify how a private key is encrypted. The packages with keys have a struct
// with the same fields, where they are documented.
type Options struct {
	SM3        bool // PBKDF2 with HMAC-SM3 instead of HMAC-SHA-256
	GmSSL      bool // with SM3: HMAC-SM3 under the name that GmSSL reads
	SM4        bool // SM4 instead of AES-256, both in CBC mode
	Iterations int  // of PBKDF2; 0 for DefaultIterations
	Scrypt     func(passphrase, salt []byte, N, r, p, size int) ([]byte, error)
}

const (
	// DefaultIterations is the number of iterations of PBKDF2 for a new key.
	DefaultIterations = 600_000

	// MaxIterations is the largest number of iterations accepted. When a key is
	// decrypted, the number comes from an untrusted file.
	MaxIterations = 10_000_000
)

// Limits for scrypt, for the same reason. It needs 128 N r bytes of memory, and its work
// is N r p. PBKDF2 also generates 128 r p bytes, before and after that, with an HMAC for
// every 32 bytes.
const (
	maxScryptMemory = 1 << 21 // N r: 256 MiB
	maxScryptWork   = 1 << 23 // N r p: four times the work for 256 MiB
	maxScryptBlocks = 1 << 13 // r p: 1 MiB, 2^15 HMACs

	newScryptN = 1 << 14
	newScryptR = 8
	newScryptP = 5
)

// maxSalt is the largest number of bytes of salt accepted.
const maxSalt = 1024

// ErrPassphrase is returned for a passphrase that does not decrypt a key.
var ErrPassphrase = errors.New("wrong passphrase, or the encrypted key is damaged")

var (
	oidPBES2  = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d} // 1.2.840.113549.1.5.13
	oidPBKDF2 = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c} // 1.2.840.113549.1.5.12
	oidScrypt = []byte{0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x04, 0x0b} // 1.3.6.1.4.1.11591.4.11

	errEncrypted  = errors.New("not an encrypted private key (PKCS #8 with PBES2)")
	errKeyScheme  = unknown("want PBES2")
	errKeyKDF     = unknown("want PBKDF2 or scrypt")
	errKeyHash    = unknown("want PBKDF2 with HMAC of SM3, SHA-1 or SHA-2")
	errKeyCipher  = unknown("want SM4, AES or triple DES in CBC mode")
	errNoScrypt   = errors.New("the key is encrypted with scrypt, which KeyEncryption.Scrypt has to provide")
	errEmptyPhase = errors.New("the passphrase is empty")
)

// unknown returns an error for a key that can only be decrypted by another program.
func unknown(want string) error {
	return errors.New("the key is encrypted in a way that is not known here: " + want)
}

// A prf is a hash for PBKDF2 with HMAC.
type prf struct {
	oid  []byte
	size int
	new  func() hash.Hash // nil for SM3, which has its own PBKDF2
}

// The first three can also be used for new keys. HMAC-SM3 has two names: appendix A.2 of
// GM/T 0091 has the one that OpenSSL and Tongsuo know, appendix C the one of GM/T 0006,
// which GmSSL, gmsm and BouncyCastle know. Each program knows one of them.
var prfs = []prf{
	{[]byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x09}, 32, sha256.New},            // 1.2.840.113549.2.9
	{[]byte{0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x83, 0x11, 0x03, 0x01}, sm3.Size, nil}, // 1.2.156.10197.1.401.3.1
	{[]byte{0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x83, 0x11, 0x02}, sm3.Size, nil},       // 1.2.156.10197.1.401.2
	{[]byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x07}, sha1.Size, sha1.New},       // 1.2.840.113549.2.7
	{[]byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x08}, 28, sha256.New224},         // 1.2.840.113549.2.8
	{[]byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x0a}, 48, sha512.New384},         // 1.2.840.113549.2.10
	{[]byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x0b}, sha512.Size, sha512.New},   // 1.2.840.113549.2.11
}

const (
	prfSHA256 = iota
	prfSM3
	prfSM3GmSSL
	prfSHA1 // the default, if none is named
)

// A scheme is a block cipher in CBC mode.
type scheme struct {
	oid         []byte
	size, block int // bytes of a key and of a block
	new         func(key []byte) (cipher.Block, error)
}

// The first two can also be used for new keys.
var schemes = []scheme{
	{[]byte{0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2a}, 32, 16, aes.NewCipher},    // 2.16.840.1.101.3.4.1.42
	{[]byte{0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x68, 0x02}, sm4.KeySize, 16, sm4.NewCipher}, // 1.2.156.10197.1.104.2
	{[]byte{0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x16}, 24, 16, aes.NewCipher},    // 2.16.840.1.101.3.4.1.22
	{[]byte{0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x02}, 16, 16, aes.NewCipher},    // 2.16.840.1.101.3.4.1.2
	{[]byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x03, 0x07}, 24, 8, des.NewTripleDESCipher},  // 1.2.840.113549.3.7
}

const (
	schemeAES256 = iota
	schemeSM4
)

// Encrypt returns a PrivateKeyInfo as an EncryptedPrivateKeyInfo (RFC 5958), encrypted by
// PBES2 (RFC 8018).
func Encrypt(info, passphrase []byte, o *Options) ([]byte, error) {
	if len(passphrase) == 0 {
		return nil, errEmptyPhase
	}
	var salt, iv [16]byte
	rand.Read(salt[:]) // never fails
	rand.Read(iv[:])
	e := encrypted{salt: salt[:], iv: iv[:], scheme: &schemes[schemeAES256], prf: &prfs[prfSHA256]}
	if o.SM4 {
		e.scheme = &schemes[schemeSM4]
	}
	if o.Scrypt != nil {
		e.scrypt, e.n, e.r, e.p = true, newScryptN, newScryptR, newScryptP
	} else {
		if o.SM3 {
			e.prf = &prfs[prfSM3]
		}
		if o.SM3 && o.GmSSL {
			e.prf = &prfs[prfSM3GmSSL]
		}
		e.iterations = o.Iterations
		if e.iterations == 0 {
			e.iterations = DefaultIterations
		}
		if e.iterations < 1 || e.iterations > MaxIterations {
			return nil, errors.New(strconv.Itoa(e.iterations) + " iterations of PBKDF2, want 1 to " + strconv.Itoa(MaxIterations))
		}
	}
	block, err := e.block(passphrase, o.Scrypt)
	if err != nil {
		return nil, err
	}
	defer wipe(block)
	// The padding of RFC 8018, section 6.1.1.
	e.data = make([]byte, len(info)/16*16+16)
	n := copy(e.data, info)
	for i := n; i < len(e.data); i++ {
		e.data[i] = byte(len(e.data) - n)
	}
	cipher.NewCBCEncrypter(block, e.iv).CryptBlocks(e.data, e.data)
	return e.marshal(), nil
}

// Decrypt is the inverse of [Encrypt], and also accepts keys written by other programs.
// The caller has to clear the result.
func Decrypt(der, passphrase []byte, scrypt func(passphrase, salt []byte, N, r, p, size int) ([]byte, error)) ([]byte, error) {
	e, err := parseEncrypted(der)
	if err != nil {
		return nil, err
	}
	block, err := e.block(passphrase, scrypt)
	if err != nil {
		return nil, err
	}
	defer wipe(block)
	info := make([]byte, len(e.data))
	cipher.NewCBCDecrypter(block, e.iv).CryptBlocks(info, e.data)
	if info = unpad(info, len(e.iv)); info == nil {
		return nil, ErrPassphrase
	}
	return info, nil
}

// unpad returns info without its padding. If the padding or the structure is wrong, it
// clears info and returns nil.
func unpad(info []byte, blockSize int) []byte {
	n := unpaddedSize(info, blockSize)
	if n == 0 {
		clear(info)
		return nil
	}
	return info[:n]
}

// unpaddedSize returns the size of info without its padding, or 0. Its time does not depend on
// info: somebody who could try altered keys, and saw how far each one gets, would learn what is
// in them. So it tries every length of padding.
func unpaddedSize(info []byte, blockSize int) (size int) {
	for n := 1; n <= blockSize; n++ {
		ok := isInfo(info[:len(info)-n])
		for _, c := range info[len(info)-n:] {
			ok &= subtle.ConstantTimeByteEq(c, byte(n))
		}
		size = subtle.ConstantTimeSelect(ok, len(info)-n, size)
	}
	return size
}

// isInfo returns 1 if b is a SEQUENCE that begins with a version, an INTEGER of one byte, else 0.
// A wrong passphrase gets this far with a probability of at most 2^-40.
func isInfo(b []byte) int {
	var room [8]byte
	for size := 2; size <= 5; size++ { // of the tag and the length
		begin := appendHeader(room[:0], Sequence, max(len(b)-size, 0))
		if len(begin) != size {
			continue
		}
		begin = append(begin, Integer, 1)
		if len(b) > len(begin) {
			return subtle.ConstantTimeCompare(b[:len(begin)], begin)
		}
	}
	return 0
}

// encrypted is a parsed EncryptedPrivateKeyInfo.
type encrypted struct {
	scheme     *scheme
	scrypt     bool // instead of PBKDF2
	n, r, p    int  // of scrypt
	iterations int  // of PBKDF2
	prf        *prf // of PBKDF2
	salt, iv   []byte
	data       []byte
}

// block derives the key and returns the cipher.
func (e *encrypted) block(passphrase []byte, scrypt func(passphrase, salt []byte, N, r, p, size int) ([]byte, error)) (cipher.Block, error) {
	size := e.scheme.size
	var key []byte
	var err error
	switch {
	case e.scrypt && scrypt == nil:
		return nil, errNoScrypt
	case e.scrypt:
		if key, err = scrypt(passphrase, e.salt, e.n, e.r, e.p, size); err == nil && len(key) != size {
			err = errors.New("KeyEncryption.Scrypt returned " + strconv.Itoa(len(key)) + " bytes, want " + strconv.Itoa(size))
		}
	case e.prf.new == nil:
		key = make([]byte, size)
		sm3.PBKDF2(key, passphrase, e.salt, e.iterations)
	default:
		key, err = pbkdf2.Key(e.prf.new, string(passphrase), e.salt, e.iterations, size)
	}
	defer clear(key)
	if err != nil {
		return nil, wrap.Error("deriving a key from the passphrase: ", err, "")
	}
	return e.scheme.new(key)
}

// wipe overwrites a key, except for triple DES: crypto/des has no way to do so.
func wipe(block cipher.Block) {
	if w, ok := block.(interface{ Wipe() }); ok {
		w.Wipe()
	}
}

func (e *encrypted) marshal() []byte {
	kdf := Append(nil, OctetString, e.salt)
	if e.scrypt {
		for _, v := range []int{e.n, e.r, e.p} {
			kdf = AppendInt(kdf, v)
		}
		kdf = Append(nil, Sequence, Append(nil, OID, oidScrypt), Append(nil, Sequence, kdf))
	} else {
		// RFC 8018 specifies NULL as the parameters of HMAC. GmSSL rejects parameters.
		hash := Append(nil, OID, e.prf.oid)
		if e.prf != &prfs[prfSM3GmSSL] {
			hash = Append(hash, Null)
		}
		kdf = AppendInt(kdf, e.iterations)
		kdf = Append(kdf, Sequence, hash)
		kdf = Append(nil, Sequence, Append(nil, OID, oidPBKDF2), Append(nil, Sequence, kdf))
	}
	scheme := Append(nil, Sequence, Append(nil, OID, e.scheme.oid), Append(nil, OctetString, e.iv))
	algorithm := Append(nil, Sequence, Append(nil, OID, oidPBES2), Append(nil, Sequence, kdf, scheme))
	return Append(nil, Sequence, algorithm, Append(nil, OctetString, e.data))
}

func parseEncrypted(der []byte) (*encrypted, error) {
	all := Read(der)
	info := all.In(Sequence)
	algorithm := info.In(Sequence)
	kind := algorithm.Next(OID)
	e := &encrypted{data: info.Next(OctetString)}
	if !all.Done() || !info.Done() || algorithm.Bad() {
		return nil, errEncrypted
	}
	if string(kind) != string(oidPBES2) {
		return nil, errKeyScheme
	}
	parameters := algorithm.In(Sequence)
	kdf, cbc := parameters.In(Sequence), parameters.In(Sequence)
	kdfKind, details := kdf.Next(OID), kdf.In(Sequence)
	cipherKind := cbc.Next(OID)
	if !algorithm.Done() || !parameters.Done() || !kdf.Done() || cbc.Bad() {
		return nil, errEncrypted
	}
	for i := range schemes {
		if string(schemes[i].oid) == string(cipherKind) {
			e.scheme = &schemes[i]
		}
	}
	if e.scheme == nil {
		return nil, errKeyCipher
	}
	e.iv = cbc.Next(OctetString)
	if !cbc.Done() || len(e.iv) != e.scheme.block || len(e.data) == 0 || len(e.data)%len(e.iv) != 0 {
		return nil, errEncrypted
	}
	e.salt = details.Next(OctetString)
	if details.Bad() || len(e.salt) == 0 || len(e.salt) > maxSalt {
		return nil, errEncrypted
	}
	var err error
	switch string(kdfKind) {
	case string(oidPBKDF2):
		err = e.parsePBKDF2(&details)
	case string(oidScrypt):
		err = e.parseScrypt(&details)
	default:
		err = errKeyKDF
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (e *encrypted) parsePBKDF2(details *Reader) error {
	iterations := details.small()
	fits := details.keySize(e.scheme.size)
	if details.Done() {
		e.prf = &prfs[prfSHA1]
	} else {
		kind := details.In(Sequence)
		hash := kind.Next(OID)
		if kind.Has(Null) {
			fits = fits && len(kind.Next(Null)) == 0
		}
		if !kind.Done() || !details.Done() {
			return errEncrypted
		}
		for i := range prfs {
			if string(prfs[i].oid) == string(hash) {
				e.prf = &prfs[i]
			}
		}
		if e.prf == nil {
			return errKeyHash
		}
	}
	if !fits || iterations == 0 {
		return errEncrypted
	}
	// A key that is longer than the hash needs more than one round.
	rounds := uint64(e.scheme.size+e.prf.size-1) / uint64(e.prf.size)
	if iterations*rounds > MaxIterations {
		return errors.New("the encrypted key wants " + decimal(iterations) + " iterations of PBKDF2, at most " + decimal(MaxIterations/rounds) + " are allowed")
	}
	e.iterations = int(iterations)
	return nil
}

func (e *encrypted) parseScrypt(details *Reader) error {
	n, r, p := details.small(), details.small(), details.small()
	if !details.keySize(e.scheme.size) || !details.Done() || n < 2 || n&(n-1) != 0 || r == 0 || p == 0 {
		return errEncrypted
	}
	// Each is at most 2^31, so a product of two cannot overflow. The first two
	// conditions keep the product of three from overflowing.
	if n*r > maxScryptMemory || r*p > maxScryptBlocks || n*r*p > maxScryptWork {
		return errors.New("the encrypted key wants scrypt with N = " + decimal(n) + ", r = " + decimal(r) + ", p = " + decimal(p) +
			", at most N r = " + decimal(maxScryptMemory) + ", r p = " + decimal(maxScryptBlocks) + " and N r p = " + decimal(maxScryptWork) + " are allowed")
	}
	e.scrypt, e.n, e.r, e.p = true, int(n), int(r), int(p)
	return nil
}

// keySize reads the optional key size, and reports whether it is absent or equal to
// size.
func (r *Reader) keySize(size int) bool { return !r.Has(Integer) || r.small() == uint64(size) }

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }
