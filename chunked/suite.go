package chunked

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/aes"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/sm3"
	"github.com/cipherlane/cipherlane/sm4"
)

// A Suite is the combination of an AEAD and a hash, which the format leaves open.
// The AEAD must have keys of at least 16 bytes, nonces of 12 to 32 bytes and tags
// of 16 bytes; the hash must have a sum of at least 32 bytes.
type Suite struct {
	// Name is the AEAD's name in IANA's registry, such as AEAD_AES_128_GCM.
	// All keys depend on it.
	Name string

	KeySize   int // of the AEAD and of the input key, in bytes
	NonceSize int

	// Hash returns a new hash for HKDF-Expand.
	Hash func() hash.Hash

	// AEAD returns the cipher for a key. It must not retain key, and the cipher
	// must be safe for concurrent use. If the cipher has a Wipe method, it is
	// called when a reader or writer is done with it.
	AEAD func(key []byte) (cipher.AEAD, error)
}

// AES128GCM returns AEAD_AES_128_GCM with SHA-256, which version 1 of the
// specification recommended at first.
func AES128GCM() Suite {
	return Suite{Name: "AEAD_AES_128_GCM", KeySize: 16, NonceSize: 12, Hash: sha256.New, AEAD: newAESGCM}
}

// Cobblestone128 returns AEAD_AES_128_GCM with SHA-512, which the specification
// recommends under the name Cobblestone-128.
func Cobblestone128() Suite {
	return Suite{Name: "AEAD_AES_128_GCM", KeySize: 16, NonceSize: 12, Hash: sha512.New, AEAD: newAESGCM}
}

// Cobblestone256 returns AEAD_AES_256_GCM with SHA-512, which the specification
// calls Cobblestone-256.
func Cobblestone256() Suite {
	return Suite{Name: "AEAD_AES_256_GCM", KeySize: 32, NonceSize: 12, Hash: sha512.New, AEAD: newAESGCM}
}

// AES256GCM returns the suite of [Cobblestone256] under the name of its AEAD.
func AES256GCM() Suite { return Cobblestone256() }

// SM4GCM returns AEAD_SM4_GCM of RFC 8998 with SM3 (GB/T 32905), the algorithms
// of the Chinese standards.
func SM4GCM() Suite {
	return Suite{Name: "AEAD_SM4_GCM", KeySize: 16, NonceSize: 12, Hash: sm3.New, AEAD: newSM4GCM}
}

// Suites returns all suites that this package defines.
func Suites() []Suite {
	return []Suite{Cobblestone128(), Cobblestone256(), AES128GCM(), SM4GCM()}
}

func newSM4GCM(key []byte) (cipher.AEAD, error) {
	g, err := sm4.NewGCM(key)
	if err != nil {
		return nil, err
	}
	return g, nil
}

func newAESGCM(key []byte) (cipher.AEAD, error) {
	g, err := aes.NewGCM(key)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// DeriveKey returns the key of the suite for a secret of at least 16 bytes that is random, such
// as the shared key of a KEM, whose size may be another one: FrodoKEM's are of 16, 24 and 32
// bytes. A secret of the right size is the key itself. Another one is expanded or shortened by
// HKDF (RFC 5869) with SHA-256, without a salt, and with an info such as "cipherlane aes-256-gcm
// from 24 bytes": the AEAD's name in IANA's registry without AEAD, in lower case and with
// hyphens, and the size of the secret. A key is no stronger than the secret: of 16 bytes, 128
// bits.
//
// DeriveKey does not retain or change the secret. Its time depends on the size only.
func (s Suite) DeriveKey(secret []byte) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	switch {
	case len(secret) < minKey:
		return nil, fmt.Errorf("%w: a secret of %d bytes, want at least %d", ErrKeySize, len(secret), minKey)
	case len(secret) == s.KeySize:
		return slices.Clone(secret), nil
	}
	name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(s.Name, "AEAD_")), "_", "-")
	return hkdf.Key(sha256.New, secret, nil, fmt.Sprintf("cipherlane %s from %d bytes", name, len(secret)), s.KeySize)
}

const (
	minKey   = 16
	minNonce = 12
	maxNonce = 32
	minSum   = 32
)

// check returns an error for a suite that the specification does not allow.
func (s *Suite) check() error {
	if fips.Enforced() {
		return errFIPS
	}
	why := ""
	switch {
	case s.Name == "" || strings.IndexByte(s.Name, 0) >= 0:
		why = "invalid name"
	case s.KeySize < minKey:
		why = "keys of less than 16 bytes"
	case s.NonceSize < minNonce || s.NonceSize > maxNonce:
		why = "nonces of less than 12 or more than 32 bytes"
	case s.Hash == nil || s.AEAD == nil:
		why = "no hash or no AEAD"
	case s.Hash().Size() < minSum:
		why = "a hash of less than 32 bytes"
	default:
		return nil
	}
	return fmt.Errorf("chunked: suite %q: %s", s.Name, why)
}

// expand derives key || base nonce || commitment.
func (s *Suite) expand(key, salt, context []byte) ([]byte, error) {
	info := slices.Concat([]byte("c2sp.org/chunked-encryption@v1+"), []byte(s.Name), []byte{0}, salt, context)
	return hkdf.Expand(s.Hash, key, string(info), s.KeySize+s.NonceSize+commitmentSize)
}

// A message is the cipher of one message. It is safe for concurrent use.
type message struct {
	suite Suite
	aead  cipher.AEAD
	base  []byte // base nonce
}

// message returns a message with the key and base nonce that expand derived.
func (s *Suite) message(derived []byte) (*message, error) {
	a, err := s.AEAD(derived[:s.KeySize])
	if err != nil {
		return nil, err
	}
	if a.NonceSize() != s.NonceSize || a.Overhead() != Overhead {
		return nil, fmt.Errorf("chunked: suite %q: AEAD has nonces of %d and tags of %d bytes, want %d and %d",
			s.Name, a.NonceSize(), a.Overhead(), s.NonceSize, Overhead)
	}
	base := slices.Clone(derived[s.KeySize : s.KeySize+s.NonceSize])
	return &message{suite: *s, aead: a, base: base}, nil
}

// newMessage returns a new message and its header, for a writer.
func newMessage(s Suite, key, salt, context []byte) (*message, []byte, error) {
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	if len(key) != s.KeySize {
		return nil, nil, keySizeError(key, []Suite{s})
	}
	derived, err := s.expand(key, salt, context)
	if err != nil {
		return nil, nil, err
	}
	defer clear(derived)
	m, err := s.message(derived)
	if err != nil {
		return nil, nil, err
	}
	return m, slices.Concat(salt, derived[s.KeySize+s.NonceSize:]), nil
}

// openMessage returns the message with the header, under the suite whose
// commitment matches.
func openMessage(suites []Suite, key, header, context []byte) (*message, error) {
	fits := false
	for _, s := range suites {
		if err := s.check(); err != nil {
			return nil, err
		}
		if len(key) != s.KeySize {
			continue
		}
		fits = true
		m, err := s.open(key, header, context)
		if m != nil || err != nil {
			return m, err
		}
	}
	if !fits {
		return nil, keySizeError(key, suites)
	}
	return nil, ErrCommitment
}

// open returns nil and no error if the commitment does not match this suite.
func (s *Suite) open(key, header, context []byte) (*message, error) {
	derived, err := s.expand(key, header[:saltSize], context)
	if err != nil {
		return nil, err
	}
	defer clear(derived)
	if subtle.ConstantTimeCompare(derived[s.KeySize+s.NonceSize:], header[saltSize:HeaderSize]) != 1 {
		return nil, nil
	}
	return s.message(derived)
}

// keySizeError returns an error that lists the valid key sizes.
func keySizeError(key []byte, suites []Suite) error {
	var want []string
	for _, s := range suites {
		if size := fmt.Sprint(s.KeySize); !slices.Contains(want, size) {
			want = append(want, size)
		}
	}
	return fmt.Errorf("%w %d, want %s", ErrKeySize, len(key), strings.Join(want, " or "))
}

// nonce writes the nonce of chunk i to buf. The caller provides the buffer
// because one on the stack would escape through the AEAD's interface.
func (m *message) nonce(buf *[maxNonce]byte, i int64) []byte {
	n := buf[:copy(buf[:], m.base)]
	low := n[len(n)-8:]
	for j := range low {
		low[j] ^= byte(uint64(i) >> (56 - 8*j))
	}
	return n
}

// wipe overwrites the base nonce and, if the AEAD has a Wipe method, the key.
func (m *message) wipe() {
	if w, ok := m.aead.(interface{ Wipe() }); ok {
		w.Wipe()
	}
	clear(m.base)
}
