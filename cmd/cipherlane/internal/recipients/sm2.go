package recipients

// SM2 recipients: the file key is encrypted with SM2 (GB/T 32918.4), which every program
// and every device with SM2 can decrypt. docs/age-recipients.md has the specification.
//
// The hash C3 in the ciphertext covers the shared point and the file key. So a stanza has
// at most one file key, whatever the private key, and a stanza that was changed is
// rejected. The shared point depends on the recipient's public key and on C1.

import (
	"errors"
	"fmt"

	"filippo.io/age"
	"filippo.io/age/plugin"

	"github.com/cipherlane/cipherlane/sm2"
)

const (
	// SM2Plugin is the name of the plugin: recipients begin with age1sm21, and identities
	// with AGE-PLUGIN-SM2-1.
	SM2Plugin = "sm2"

	// SM2Stanza is the type of stanzas for SM2.
	SM2Stanza = sm2Type

	sm2Type = "github.com/cipherlane/sm2"
	sm2Body = 65 + 32 + fileKeySize // C1, C3, C2

	uncompressed = 4 // the first byte of C1
)

// SM2Recipient is a public key of SM2.
type SM2Recipient struct{ key *sm2.PublicKey }

// SM2Identity is a private key of SM2.
type SM2Identity struct{ key *sm2.PrivateKey }

// NewSM2Recipient makes a recipient of a public key.
func NewSM2Recipient(key *sm2.PublicKey) *SM2Recipient { return &SM2Recipient{key} }

// NewSM2Identity makes an identity of a private key.
func NewSM2Identity(key *sm2.PrivateKey) *SM2Identity { return &SM2Identity{key} }

// DecodeSM2Recipient decodes what is inside the bech32 encoding: the compressed point.
func DecodeSM2Recipient(data []byte) (age.Recipient, error) {
	if len(data) != 33 {
		return nil, fmt.Errorf("a public key of SM2 has 33 bytes, not %d", len(data))
	}
	key, err := sm2.NewPublicKey(data)
	if err != nil {
		return nil, err
	}
	return NewSM2Recipient(key), nil
}

// DecodeSM2Identity decodes what is inside the bech32 encoding: the number, 32 bytes.
func DecodeSM2Identity(data []byte) (age.Identity, error) {
	key, err := sm2.NewPrivateKey(data)
	if err != nil {
		return nil, err
	}
	return NewSM2Identity(key), nil
}

// String returns the encoding, age1sm21….
func (r *SM2Recipient) String() string {
	return plugin.EncodeRecipient(SM2Plugin, r.key.BytesCompressed())
}

// String returns the encoding, AGE-PLUGIN-SM2-1….
func (i *SM2Identity) String() string {
	b := i.key.Bytes()
	defer clear(b)
	return encodeIdentity(SM2Plugin, b)
}

// Recipient returns the public key.
func (i *SM2Identity) Recipient() age.Recipient { return NewSM2Recipient(i.key.PublicKey()) }

// Wrap implements [age.Recipient].
func (r *SM2Recipient) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	if len(fileKey) != fileKeySize {
		return nil, errFileKey
	}
	body, err := r.key.Encrypt(fileKey, sm2.C1C3C2)
	if err != nil {
		return nil, err
	}
	return []*age.Stanza{{Type: sm2Type, Body: body}}, nil
}

// Unwrap implements [age.Identity].
func (i *SM2Identity) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	return firstFileKey(stanzas, sm2Type, func(s *age.Stanza) ([]byte, error) {
		// With a compressed point as C1, the same size would hold a file key of 48 bytes.
		if len(s.Args) != 0 || len(s.Body) != sm2Body || s.Body[0] != uncompressed {
			return nil, errors.New("invalid stanza for SM2")
		}
		fileKey, err := i.key.Decrypt(nil, s.Body, sm2.C1C3C2)
		if errors.Is(err, sm2.ErrDecryption) {
			err = age.ErrIncorrectIdentity
		}
		return fileKey, err
	})
}
