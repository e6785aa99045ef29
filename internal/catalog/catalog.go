// Package catalog lists every algorithm of cipherlane with constructors for all
// of its drivers. Only the command and external tests import it, because a program
// that imports it links everything.
package catalog

import (
	"crypto/cipher"
	"encoding/hex"
	"hash"
	"io"
	"slices"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// In an Algorithm, exactly one of the constructors is set, which determines its
// kind. The argument name selects a driver; the empty name means the automatic
// choice. Errors come from the packages' On and New functions.
//
// The function that Whole returns processes a message of at least 16 bytes in one
// call, and can be used once.
type Algorithm struct {
	Name     string // in the notation of Linux: "gcm(sm4)"
	Package  string // the key in CIPHERLANE: "sm4"
	Standard string
	KeySizes []int // bytes; nil for hashes
	IVSize   int   // bytes of IV, counter, tweak or nonce
	MaxBytes int   // in a message; 0 if nothing in memory is too long
	TagFirst bool  // whether the output of an AEAD begins with the tag, and does not end with it

	Hash      func(name string) (func() hash.Hash, error)
	ECB       func(name string, key []byte) (Blocks, error)
	BlockMode func(name string, key, iv []byte, encrypt bool) (cipher.BlockMode, error)
	Stream    func(name string, key, iv []byte, encrypt bool) (cipher.Stream, error)
	Whole     func(name string, key, iv []byte, encrypt bool) (func(dst, src []byte), error)
	AEAD      func(name string, key []byte) (cipher.AEAD, error)
	MAC       func(name string, key []byte) (hash.Hash, error)
	Wrap      func(name string, key []byte) (Wrapper, error)
	KEM       func(name string) (KEM, error)
	Signer    func(name string) (Signer, error)

	// For several messages at once, if the package supports that: Many hashes,
	// encrypts or seals them, and OpenMany opens what an AEAD has sealed.
	Many, OpenMany func(name string, messages []Message) error

	Others []Operation // other operations that the package provides

	Answer Answer
}

// An Operation is another use of an algorithm that can be measured. New returns a
// function that performs it for n bytes.
type Operation struct {
	Name     string // "hash-x32"
	Messages int    // number of messages processed at once, each of n bytes; 0 means 1
	New      func(name string, n int) (func(), error)
}

// A Message is one of several that are processed together. Their lengths and keys
// may differ.
type Message struct {
	Key, IV, Data, Text []byte
	Out                 []byte // the result
	Err                 error  // of OpenMany, if it is not authentic
}

// Blocks processes whole blocks independently of each other.
type Blocks interface {
	cipher.Block
	EncryptBlocks(dst, src []byte)
	DecryptBlocks(dst, src []byte)
}

// A Wrapper encrypts keys of a multiple of 8 bytes, at least 16.
type Wrapper interface {
	WrapKey(dst, key []byte) ([]byte, error)
	UnwrapKey(dst, wrapped []byte) ([]byte, error)
}

// A KEM is a key encapsulation mechanism with its parameters.
type KEM interface {
	Name() string // in its usual capitalization
	GenerateKey() (PrivateKey, error)
	PrivateKey(key []byte) (PrivateKey, error) // from its bytes, in either form
	PublicKey(key []byte) (PublicKey, error)
	Sizes() KEMSizes

	// For several keys of this KEM at once.
	EncapsulateMany(keys []PublicKey) (sharedKeys, ciphertexts [][]byte, err error)
	DecapsulateMany(keys []PrivateKey, ciphertexts [][]byte) (sharedKeys [][]byte, err error)
}

// KEMSizes are in bytes. Seed is the short form of private keys.
type KEMSizes struct{ SharedKey, Ciphertext, Public, Private, Seed int }

// A PublicKey generates shared keys and their ciphertexts.
type PublicKey interface {
	Bytes() []byte
	Encapsulate() (sharedKey, ciphertext []byte)
	EncapsulateTo(sharedKey, ciphertext []byte) error
}

// A PrivateKey decapsulates ciphertexts. Seed returns nil if the key was not made
// from a seed.
type PrivateKey interface {
	PublicKey() PublicKey
	Bytes() []byte
	Seed() []byte
	Wipe()
	Decapsulate(ciphertext []byte) (sharedKey []byte, err error)
	DecapsulateTo(sharedKey, ciphertext []byte) error
}

// A Signer is a scheme whose keys sign, decrypt and agree on secrets.
type Signer interface {
	GenerateKey() (SignerKey, error)
	PrivateKey(key []byte) (SignerKey, error)
	PublicKey(key []byte) (VerifierKey, error)
}

// A SignerKey is a private key. A signature is two 32-byte numbers. If random is nil,
// it depends only on the key and the digest.
type SignerKey interface {
	PublicKey() VerifierKey
	Bytes() []byte
	Wipe()
	SignRaw(random io.Reader, digest []byte) (signature [64]byte, err error)
	SignMany(random io.Reader, digests [][]byte) (signatures [][64]byte, err error)
	Decrypt(ciphertext []byte) ([]byte, error)
	ECDH(peer VerifierKey) ([]byte, error)
}

// A VerifierKey is a public key.
type VerifierKey interface {
	Bytes() []byte
	Digest(message, id []byte) (digest [32]byte, err error)
	VerifyRaw(digest, signature []byte) bool
	VerifyMany(digests [][]byte, signatures [][64]byte) (valid []bool)
	Encrypt(message []byte) ([]byte, error)
}

// An Answer is a known answer from a standard or, if Source says so, from another
// implementation. For an AEAD, Output has the tag. For a KEM, Key is the short
// form of a private key, and Output is the SHA-256 of its public key. For a signer,
// Key is a private key, and Output is a signature of Input.
type Answer struct {
	Source                       string
	Key, IV, Data, Input, Output []byte
}

// All returns all algorithms, in the order used for lists.
func All() []Algorithm {
	return slices.Concat(sm3Algorithms, sm4Algorithms, aesAlgorithms, chacha20Algorithms, sm2Algorithms, frodoAlgorithms)
}

// Find returns the algorithm with the given name.
func Find(name string) (Algorithm, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a Algorithm) bool { return a.Name == name })
	if i < 0 {
		return Algorithm{}, false
	}
	return all[i], true
}

// PublicKey reports whether an algorithm uses key pairs. Such algorithms do not
// process messages, and Linux has no sockets for them.
func (a Algorithm) PublicKey() bool { return a.KEM != nil || a.Signer != nil }

// Table returns the drivers of the algorithm's package.
func (a Algorithm) Table() *drivers.Table {
	return drivers.Find(a.Package)
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err) // a slip in this package
	}
	return b
}
