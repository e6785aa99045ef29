package recipients

// Keys of FrodoKEM as recipients: those in files, of any program, without X25519. The file key is
// encrypted under a key from the shared secret. docs/age-recipients.md has the specification.

import (
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"filippo.io/age"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
	"github.com/cipherlane/cipherlane/frodokem"
)

const (
	// FrodoKEMKeyStanza is the type of stanzas for keys of FrodoKEM.
	FrodoKEMKeyStanza = "github.com/cipherlane/frodokem-key"

	keyWrapLabel = "github.com/cipherlane/frodokem-key wrap " // and the name of the set
)

// FrodoKEMKeyRecipient is a public key of FrodoKEM.
type FrodoKEMKeyRecipient struct{ key *frodokem.EncapsulationKey }

// FrodoKEMKeyIdentity is a private key of FrodoKEM.
type FrodoKEMKeyIdentity struct{ key *frodokem.DecapsulationKey }

// NewFrodoKEMKeyRecipient makes a recipient of a public key, unless it is one of eFrodoKEM: these are
// for a few ciphertexts only, and nobody counts files.
func NewFrodoKEMKeyRecipient(key *frodokem.EncapsulationKey) (*FrodoKEMKeyRecipient, error) {
	if err := checkSet(key.Set()); err != nil {
		return nil, err
	}
	return &FrodoKEMKeyRecipient{key}, nil
}

// NewFrodoKEMKeyIdentity makes an identity of a private key, unless it is one of eFrodoKEM.
func NewFrodoKEMKeyIdentity(key *frodokem.DecapsulationKey) (*FrodoKEMKeyIdentity, error) {
	if err := checkSet(key.Set()); err != nil {
		return nil, err
	}
	return &FrodoKEMKeyIdentity{key}, nil
}

func checkSet(set frodokem.Set) error {
	if set.Ephemeral() {
		return fmt.Errorf("is a key of %s, which is for a few ciphertexts: want one of FrodoKEM", set)
	}
	return nil
}

// String returns the key in PEM, without the end of the last line.
func (r *FrodoKEMKeyRecipient) String() string {
	block := &pem.Block{Type: "PUBLIC KEY", Bytes: frodokem.MarshalPKIXPublicKey(r.key)}
	return strings.TrimSpace(string(pem.EncodeToMemory(block)))
}

// Recipient returns the public key.
func (i *FrodoKEMKeyIdentity) Recipient() *FrodoKEMKeyRecipient {
	return &FrodoKEMKeyRecipient{i.key.EncapsulationKey()}
}

// WrapWithLabels implements [age.RecipientWithLabels], as that of [FrodoKEMRecipient].
func (r *FrodoKEMKeyRecipient) WrapWithLabels(fileKey []byte) ([]*age.Stanza, []string, error) {
	s, err := r.Wrap(fileKey)
	return s, []string{"postquantum"}, err
}

// Wrap implements [age.Recipient].
func (r *FrodoKEMKeyRecipient) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	if len(fileKey) != fileKeySize {
		return nil, errFileKey
	}
	secret, ciphertext := r.key.Encapsulate()
	key := r.wrappingKey(secret, ciphertext)
	defer clear(key)
	aead, err := chacha20poly1305.New(key)
	if err != nil {
		return nil, err
	}
	body := aead.Seal(ciphertext, make([]byte, aead.NonceSize()), fileKey, nil)
	return []*age.Stanza{{Type: FrodoKEMKeyStanza, Args: []string{r.key.Set().String()}, Body: body}}, nil
}

// wrappingKey derives a key from the secret, which it wipes.
func (r *FrodoKEMKeyRecipient) wrappingKey(secret, ciphertext []byte) []byte {
	defer clear(secret)
	key, err := derive(secret, slices.Concat(ciphertext, r.key.Bytes()), keyWrapLabel+r.key.Set().String(), chacha20poly1305.KeySize)
	if err != nil {
		panic(err)
	}
	return key
}

// Unwrap implements [age.Identity].
func (i *FrodoKEMKeyIdentity) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	set := i.key.Set()
	size := set.CiphertextSize()
	return firstFileKey(stanzas, FrodoKEMKeyStanza, func(s *age.Stanza) ([]byte, error) {
		if len(s.Args) != 1 {
			return nil, errors.New("invalid stanza for a key of FrodoKEM")
		}
		if s.Args[0] != set.String() {
			return nil, age.ErrIncorrectIdentity
		}
		if len(s.Body) != size+fileKeySize+chacha20poly1305.Overhead {
			return nil, errors.New("invalid stanza for a key of FrodoKEM: wrong size")
		}
		secret, err := i.key.Decapsulate(s.Body[:size])
		if err != nil {
			return nil, err
		}
		key := i.Recipient().wrappingKey(secret, s.Body[:size])
		defer clear(key)
		aead, err := chacha20poly1305.New(key)
		if err != nil {
			return nil, err
		}
		fileKey, err := aead.Open(nil, make([]byte, aead.NonceSize()), s.Body[size:], nil)
		if err != nil {
			return nil, age.ErrIncorrectIdentity
		}
		return fileKey, nil
	})
}
