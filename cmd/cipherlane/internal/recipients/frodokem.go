package recipients

// FrodoKEM recipients: the file key is encrypted under a key that depends on two shared
// secrets, one of FrodoKEM and one of X25519. An attacker has to break both.
// docs/age-recipients.md has the specification and the reasons.

import (
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"filippo.io/age"
	"filippo.io/age/plugin"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/frodokem"
)

const (
	// FrodoKEMPlugin is the name of the plugin: recipients begin with age1frodokem1, and
	// identities with AGE-PLUGIN-FRODOKEM-1.
	FrodoKEMPlugin = "frodokem"

	// FrodoKEMStanza is the type of stanzas for FrodoKEM with X25519.
	FrodoKEMStanza = frodoType

	frodoType = "github.com/cipherlane/frodokem"
	wrapLabel = "github.com/cipherlane/frodokem wrap "     // and the name of the set
	seedLabel = "github.com/cipherlane/frodokem identity " // and the name of the set

	seedSize   = 32
	x25519Size = 32
)

// frodoSets are the parameter sets; the number is the first byte of keys.
var frodoSets = map[byte]frodokem.Set{
	1: frodokem.FrodoKEM976AES,
	2: frodokem.FrodoKEM1344AES,
}

// derive is HKDF-SHA-256. It is a variable so that tests can check that callers wipe what it
// gets and returns.
var derive = func(secret, salt []byte, info string, size int) ([]byte, error) {
	return hkdf.Key(sha256.New, secret, salt, info, size)
}

// FrodoKEMRecipient is a public key of FrodoKEM and one of X25519.
type FrodoKEMRecipient struct {
	frodo  *frodokem.EncapsulationKey
	x25519 *ecdh.PublicKey
}

// FrodoKEMIdentity is a private key of FrodoKEM and one of X25519, both made from a seed.
type FrodoKEMIdentity struct {
	seed   []byte
	frodo  *frodokem.DecapsulationKey
	x25519 *ecdh.PrivateKey
}

// GenerateFrodoKEM returns a new identity.
func GenerateFrodoKEM(set frodokem.Set) (*FrodoKEMIdentity, error) {
	seed := make([]byte, seedSize)
	rand.Read(seed) // never fails
	return newFrodoKEMIdentity(set, seed)
}

func newFrodoKEMIdentity(set frodokem.Set, seed []byte) (*FrodoKEMIdentity, error) {
	size := set.SeedSize()
	secrets, err := derive(seed, nil, seedLabel+set.String(), size+x25519Size)
	if err != nil {
		return nil, err
	}
	defer clear(secrets)
	i := &FrodoKEMIdentity{seed: seed}
	if i.frodo, err = set.NewDecapsulationKey(secrets[:size]); err != nil {
		return nil, err
	}
	if i.x25519, err = ecdh.X25519().NewPrivateKey(secrets[size:]); err != nil {
		return nil, err
	}
	return i, nil
}

// DecodeFrodoKEMRecipient decodes what is inside the bech32 encoding: the number of the
// set, the public key of FrodoKEM and that of X25519.
func DecodeFrodoKEMRecipient(data []byte) (age.Recipient, error) {
	set, err := frodoSet(data)
	if err != nil {
		return nil, err
	}
	size := set.EncapsulationKeySize()
	if len(data) != 1+size+x25519Size {
		return nil, fmt.Errorf("a public key of %s with X25519 has %d bytes, not %d", set, 1+size+x25519Size, len(data))
	}
	r := new(FrodoKEMRecipient)
	if r.frodo, err = set.NewEncapsulationKey(data[1 : 1+size]); err != nil {
		return nil, err
	}
	if r.x25519, err = ecdh.X25519().NewPublicKey(data[1+size:]); err != nil {
		return nil, err
	}
	return r, nil
}

// DecodeFrodoKEMIdentity decodes what is inside the bech32 encoding: the number of the set
// and the seed.
func DecodeFrodoKEMIdentity(data []byte) (age.Identity, error) {
	set, err := frodoSet(data)
	if err != nil {
		return nil, err
	}
	if len(data) != 1+seedSize {
		return nil, fmt.Errorf("an identity of %s has %d bytes, not %d", set, 1+seedSize, len(data))
	}
	return newFrodoKEMIdentity(set, slices.Clone(data[1:]))
}

func frodoSet(data []byte) (frodokem.Set, error) {
	if len(data) == 0 {
		return 0, errors.New("empty key")
	}
	set, ok := frodoSets[data[0]]
	if !ok {
		return 0, fmt.Errorf("unknown parameter set %d of FrodoKEM", data[0])
	}
	return set, nil
}

// frodoNumber returns the first byte of keys of a set.
func frodoNumber(set frodokem.Set) byte {
	for number, s := range frodoSets {
		if s == set {
			return number
		}
	}
	panic("recipients: not a parameter set for recipients: " + set.String())
}

// String returns the encoding, age1frodokem1…, of about 25000 or 35000 characters.
func (r *FrodoKEMRecipient) String() string {
	return plugin.EncodeRecipient(FrodoKEMPlugin, slices.Concat([]byte{frodoNumber(r.frodo.Set())}, r.frodo.Bytes(), r.x25519.Bytes()))
}

// String returns the encoding, AGE-PLUGIN-FRODOKEM-1….
func (i *FrodoKEMIdentity) String() string {
	b := slices.Concat([]byte{frodoNumber(i.frodo.Set())}, i.seed)
	defer clear(b)
	return encodeIdentity(FrodoKEMPlugin, b)
}

// Set returns the parameter set.
func (i *FrodoKEMIdentity) Set() frodokem.Set { return i.frodo.Set() }

// Recipient returns the public keys.
func (i *FrodoKEMIdentity) Recipient() age.Recipient {
	return &FrodoKEMRecipient{i.frodo.EncapsulationKey(), i.x25519.PublicKey()}
}

// WrapWithLabels implements [age.RecipientWithLabels]. With this label, age does not mix
// the recipient with others that a quantum computer could break.
func (r *FrodoKEMRecipient) WrapWithLabels(fileKey []byte) ([]*age.Stanza, []string, error) {
	s, err := r.Wrap(fileKey)
	return s, []string{"postquantum"}, err
}

// Wrap implements [age.Recipient].
func (r *FrodoKEMRecipient) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	if len(fileKey) != fileKeySize {
		return nil, errFileKey
	}
	ephemeral, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	x25519, err := ephemeral.ECDH(r.x25519)
	if err != nil {
		return nil, err // a public key of small order
	}
	frodo, ciphertext := r.frodo.Encapsulate()
	key := r.wrappingKey(frodo, x25519, ciphertext, ephemeral.PublicKey().Bytes())
	defer clear(key)
	aead, err := chacha20poly1305.New(key)
	if err != nil {
		return nil, err
	}
	body := slices.Concat(ciphertext, ephemeral.PublicKey().Bytes())
	body = aead.Seal(body, make([]byte, aead.NonceSize()), fileKey, nil)
	return []*age.Stanza{{Type: frodoType, Args: []string{r.frodo.Set().String()}, Body: body}}, nil
}

// wrappingKey combines the two secrets, which it wipes. Everything that both sides have
// sent goes in, so that the key is safe if at least one of the two schemes is.
func (r *FrodoKEMRecipient) wrappingKey(frodo, x25519, ciphertext, ephemeral []byte) []byte {
	secrets := slices.Concat(frodo, x25519)
	defer clear(secrets)
	clear(frodo)
	clear(x25519)
	salt := slices.Concat(ciphertext, ephemeral, r.frodo.Bytes(), r.x25519.Bytes())
	key, err := derive(secrets, salt, wrapLabel+r.frodo.Set().String(), chacha20poly1305.KeySize)
	if err != nil {
		panic(err)
	}
	return key
}

// Unwrap implements [age.Identity].
func (i *FrodoKEMIdentity) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	set := i.frodo.Set()
	size := set.CiphertextSize()
	public := i.Recipient().(*FrodoKEMRecipient)
	return firstFileKey(stanzas, frodoType, func(s *age.Stanza) ([]byte, error) {
		if len(s.Args) != 1 {
			return nil, errors.New("invalid stanza for FrodoKEM")
		}
		if s.Args[0] != set.String() {
			return nil, age.ErrIncorrectIdentity
		}
		if len(s.Body) != size+x25519Size+fileKeySize+chacha20poly1305.Overhead {
			return nil, errors.New("invalid stanza for FrodoKEM: wrong size")
		}
		ciphertext, rest := s.Body[:size], s.Body[size:]
		ephemeral, err := ecdh.X25519().NewPublicKey(rest[:x25519Size])
		if err != nil {
			return nil, err
		}
		x25519, err := i.x25519.ECDH(ephemeral)
		if err != nil {
			return nil, fmt.Errorf("invalid stanza for FrodoKEM: %w", err)
		}
		frodo, err := i.frodo.Decapsulate(ciphertext)
		if err != nil {
			return nil, err
		}
		key := public.wrappingKey(frodo, x25519, ciphertext, ephemeral.Bytes())
		defer clear(key)
		aead, err := chacha20poly1305.New(key)
		if err != nil {
			return nil, err
		}
		fileKey, err := aead.Open(nil, make([]byte, aead.NonceSize()), rest[x25519Size:], nil)
		if err != nil {
			return nil, age.ErrIncorrectIdentity
		}
		return fileKey, nil
	})
}
