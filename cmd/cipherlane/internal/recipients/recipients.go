// Package recipients has the kinds of recipients that cipherlane adds to those of age
// (filippo.io/age): SM2, in sm2.go, FrodoKEM with X25519, in frodokem.go, and FrodoKEM alone, in
// frodokemkey.go. Each kind is a recipient, which encrypts the file key of a file for a public
// key, and an identity, which decrypts it. docs/age-recipients.md specifies them.
package recipients

import (
	"errors"
	"strings"

	"filippo.io/age"
	"filippo.io/age/plugin"
)

const fileKeySize = 16

// encodeIdentity is a variable so that tests can check that callers wipe what it gets.
var encodeIdentity = plugin.EncodeIdentity

var errFileKey = errors.New("the file key does not have 16 bytes")

// An Identity is an identity of this package.
type Identity interface {
	age.Identity
	Recipient() age.Recipient
	String() string
}

// A Kind is a kind of recipients.
type Kind struct {
	Plugin    string // name of its plugin for age
	Recipient func(data []byte) (age.Recipient, error)
	Identity  func(data []byte) (age.Identity, error)
}

// IdentityAsRecipient is Recipient for an identity.
func (k Kind) IdentityAsRecipient(data []byte) (age.Recipient, error) {
	i, err := k.Identity(data)
	if err != nil {
		return nil, err
	}
	return i.(Identity).Recipient(), nil
}

// Kinds are the kinds of this package.
var Kinds = []Kind{
	{SM2Plugin, DecodeSM2Recipient, DecodeSM2Identity},
	{FrodoKEMPlugin, DecodeFrodoKEMRecipient, DecodeFrodoKEMIdentity},
}

// ParseRecipient parses a recipient of this package. It returns nil and no error for others.
func ParseRecipient(s string) (age.Recipient, error) {
	for _, k := range Kinds {
		if strings.HasPrefix(s, "age1"+k.Plugin+"1") {
			_, data, err := plugin.ParseRecipient(s)
			if err != nil {
				return nil, err
			}
			return k.Recipient(data)
		}
	}
	return nil, nil
}

// ParseIdentity parses an identity of this package. It returns nil and no error for others.
func ParseIdentity(s string) (age.Identity, error) {
	for _, k := range Kinds {
		if strings.HasPrefix(s, "AGE-PLUGIN-"+strings.ToUpper(k.Plugin)+"-1") {
			_, data, err := plugin.ParseIdentity(s)
			if err != nil {
				return nil, err
			}
			defer clear(data)
			return k.Identity(data)
		}
	}
	return nil, nil
}

// firstFileKey returns the file key of the first stanza of a type that unwrap accepts.
func firstFileKey(stanzas []*age.Stanza, kind string, unwrap func(*age.Stanza) ([]byte, error)) ([]byte, error) {
	for _, s := range stanzas {
		if s.Type != kind {
			continue
		}
		fileKey, err := unwrap(s)
		if !errors.Is(err, age.ErrIncorrectIdentity) {
			return fileKey, err
		}
	}
	return nil, age.ErrIncorrectIdentity
}
