package main

import (
	"bytes"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/scrypt"

	"github.com/cipherlane/cipherlane/frodokem"
	"github.com/cipherlane/cipherlane/sm2"
)

// Key files are PEM or DER. Private keys may be encrypted, and a certificate may take the
// place of a public key.

const (
	pemPublic      = "PUBLIC KEY"
	pemPrivate     = "PRIVATE KEY"
	pemEncrypted   = "ENCRYPTED PRIVATE KEY"
	pemEC          = "EC PRIVATE KEY"
	pemSM2         = "SM2 PRIVATE KEY" // OpenSSL's label for an EC private key of SM2
	pemCertificate = "CERTIFICATE"
)

// privateKinds are the PEM labels of private keys.
var privateKinds = []string{pemEncrypted, pemPrivate, pemEC, pemSM2}

// privateFlags specify the source of a private key.
type privateFlags struct {
	Key            string `required:"" placeholder:"FILE" help:"Private key."`
	PassphraseFile string `placeholder:"FILE" help:"If the key is encrypted: read its passphrase from the first line of this file. Default: ask on the terminal."`
}

// refuseTwice returns an error if more than one of key, passphrase and message would be
// read from standard input.
func (c *privateFlags) refuseTwice(input, what string) error {
	if (input == "" || input == "-") && (c.Key == "-" || c.PassphraseFile == "-") || c.Key == "-" && c.PassphraseFile == "-" {
		return usagef("standard input cannot have more than one of key, passphrase and %s", what)
	}
	return nil
}

// checkOutput is program.check for a verb that may ask for the passphrase of its key.
func (c *privateFlags) checkOutput(p *program, force bool, output string, inputs ...string) error {
	for _, path := range append(inputs, c.Key, c.PassphraseFile) {
		if !isStdin(path) {
			p.reads(path)
		}
	}
	_, err := p.check(force, target{path: output})
	return err
}

// read finds the private key in the text of a file. It calls encrypted with the key and
// its passphrase, or, for a key that is not encrypted, plain with the PEM label and the
// key.
func (c *privateFlags) read(p *program, verb string, text []byte, plain func(kind string, der []byte) error, encrypted func(der, passphrase []byte) error) error {
	if c.Key == "-" && c.PassphraseFile == "-" {
		return usagef("standard input cannot have both the key and its passphrase")
	}
	kind, der, err := firstKey(verb, text, c.Key, privateKinds...)
	if err != nil {
		return err
	}
	defer clear(der)
	if kind != pemEncrypted {
		return plain(kind, der)
	}
	passphrase, err := p.passphrase(c.PassphraseFile, c.Key)
	if err != nil {
		return err
	}
	defer clear(passphrase)
	err = encrypted(der, passphrase)
	if errors.Is(err, sm2.ErrPassphrase) || errors.Is(err, frodokem.ErrPassphrase) {
		err = errors.New("wrong passphrase, or the key is damaged")
	}
	return named(c.Key, err)
}

// encryptFlags specify whether and how a new private key is encrypted.
type encryptFlags struct {
	Encrypt        bool   `short:"e" help:"Encrypt the private key with a passphrase."`
	PassphraseFile string `placeholder:"FILE" help:"With --encrypt: read the passphrase from the first line of this file. Default: ask on the terminal."`
	KDF            string `name:"kdf" placeholder:"NAME" help:"With --encrypt: how to derive a key from the passphrase. One of pbkdf2-sha256, pbkdf2-sm3, scrypt; default: pbkdf2-sha256."`
	Cipher         string `placeholder:"NAME" help:"With --encrypt: the cipher, one of aes-256, sm4; default: aes-256."`
}

// check returns an error for flags that contradict each other. hexFlag is the flag that
// asked for hex digits, if any.
func (c *encryptFlags) check(hexFlag string) error {
	if !c.Encrypt && (c.PassphraseFile != "" || c.KDF != "" || c.Cipher != "") {
		return usagef("--passphrase-file, --kdf and --cipher: only make sense with --encrypt")
	}
	if c.KDF != "" && !slices.Contains([]string{"pbkdf2-sha256", "pbkdf2-sm3", "scrypt"}, c.KDF) {
		return usagef("--kdf %s: want pbkdf2-sha256, pbkdf2-sm3 or scrypt", quote(c.KDF))
	}
	if c.Cipher != "" && c.Cipher != "sm4" && c.Cipher != "aes-256" {
		return usagef("--cipher %s: want aes-256 or sm4", quote(c.Cipher))
	}
	if c.Encrypt && hexFlag != "" {
		return usagef("--encrypt and %s: hex digits cannot be encrypted; use PEM", hexFlag)
	}
	return nil
}

// pem returns a private key in PEM: the DER that plain returns or, with --encrypt, that
// encrypted returns.
func (c *encryptFlags) pem(p *program, output string, plain func() ([]byte, error), encrypted func(passphrase []byte, how *sm2.KeyEncryption) ([]byte, error)) ([]byte, error) {
	if !c.Encrypt {
		der, err := plain()
		if err != nil {
			return nil, err
		}
		defer clear(der)
		return encodePEM(pemPrivate, der), nil
	}
	passphrase, err := p.newPassphrase(c.PassphraseFile, output)
	if err != nil {
		return nil, err
	}
	defer clear(passphrase)
	how := &sm2.KeyEncryption{SM3: c.KDF == "pbkdf2-sm3", SM4: c.Cipher == "sm4"}
	if c.KDF == "scrypt" {
		how.Scrypt = scrypt.Key
	}
	der, err := encrypted(passphrase, how)
	if err != nil {
		return nil, err
	}
	return encodePEM(pemEncrypted, der), nil
}

// firstKey returns the first key in a file, in PEM or DER, trying the kinds in order.
func firstKey(verb string, text []byte, file string, kinds ...string) (kind string, der []byte, err error) {
	for _, kind := range kinds {
		if kindOfDER(text) == kind {
			return kind, bytes.Clone(text), nil
		}
		if !hasPEM(text, kind) {
			continue
		}
		if bytes.Contains(text, []byte("\nProc-Type: 4,ENCRYPTED")) {
			return "", nil, fmt.Errorf("%s: is encrypted in the old format of OpenSSL; \"openssl pkcs8 -topk8 -v2 sm4-cbc\" converts it", quote(file))
		}
		der, err := decodePEM(text, file, kind)
		return kind, der, err
	}
	has := func(kind string) bool { return kindOfDER(text) == kind || hasPEM(text, kind) }
	what, digits := "private", "one line of hex digits"
	if slices.Contains(kinds, pemPublic) {
		what = "public"
	}
	if verb == "kem" {
		digits += ", which need --raw"
	}
	switch {
	case what == "public" && slices.ContainsFunc(privateKinds, has):
		return "", nil, fmt.Errorf("%s: is a private key, want the public one: \"cipherlane %s pubkey\" prints it", quote(file), verb)
	case what == "private" && has(pemPublic):
		return "", nil, fmt.Errorf("%s: is a public key, want the private one", quote(file))
	case has(pemCertificate):
		return "", nil, fmt.Errorf("%s: is a certificate, want a %s key", quote(file), what)
	}
	return "", nil, fmt.Errorf("%s: not a %s key: neither PEM (-----BEGIN %s KEY-----) nor DER nor %s", quote(file), what, strings.ToUpper(what), digits)
}

func hasPEM(text []byte, kind string) bool {
	return bytes.Contains(text, []byte("-----BEGIN "+kind+"-----"))
}

// kindOfDER returns the PEM label for a key or certificate in DER, or "" for anything
// else. It only looks at tags and lengths.
func kindOfDER(der []byte) string {
	var outer asn1.RawValue
	rest, err := asn1.Unmarshal(der, &outer)
	if err != nil || len(rest) > 0 || outer.Tag != asn1.TagSequence {
		return ""
	}
	var tags []int
	for rest = outer.Bytes; len(rest) > 0 && len(tags) < 3; {
		var v asn1.RawValue
		if rest, err = asn1.Unmarshal(rest, &v); err != nil {
			return ""
		}
		tags = append(tags, v.Tag)
	}
	for kind, want := range map[string][]int{
		pemPublic:      {asn1.TagSequence, asn1.TagBitString},
		pemEncrypted:   {asn1.TagSequence, asn1.TagOctetString},
		pemCertificate: {asn1.TagSequence, asn1.TagSequence, asn1.TagBitString},
		pemPrivate:     {asn1.TagInteger, asn1.TagSequence, asn1.TagOctetString},
		pemEC:          {asn1.TagInteger, asn1.TagOctetString},
	} {
		if len(tags) >= len(want) && slices.Equal(tags[:len(want)], want) {
			return kind
		}
	}
	return ""
}

type publicKeyInfo struct {
	Algorithm algorithmIdentifier
	Key       asn1.BitString
}

type privateKeyInfo struct {
	Version   int
	Algorithm algorithmIdentifier
	Key       []byte
	Rest      asn1.RawValue `asn1:"optional"` // attributes
}

type algorithmIdentifier struct {
	Algorithm  asn1.ObjectIdentifier
	Parameters asn1.RawValue `asn1:"optional"`
}

// otherAlgorithm returns an error that names the algorithm of a key if it is not the
// wanted one, and nil otherwise.
func otherAlgorithm(der []byte, kind, file, want string) error {
	oid := asn1.ObjectIdentifier{}
	switch kind {
	case pemPublic:
		var info publicKeyInfo
		if _, err := asn1.Unmarshal(der, &info); err == nil {
			oid = info.Algorithm.Algorithm
			asn1.Unmarshal(info.Algorithm.Parameters.FullBytes, &oid) // the curve, if it names one
		}
	case pemCertificate:
		var c struct {
			Body struct {
				Version                            int `asn1:"optional,explicit,default:0,tag:0"`
				Serial, Sign, Issuer, Dates, Owner asn1.RawValue
				Info                               publicKeyInfo
			}
		}
		if _, err := asn1.Unmarshal(der, &c); err == nil {
			oid = c.Body.Info.Algorithm.Algorithm
			asn1.Unmarshal(c.Body.Info.Algorithm.Parameters.FullBytes, &oid)
		}
	case pemPrivate:
		var info privateKeyInfo
		if _, err := asn1.Unmarshal(der, &info); err == nil {
			clear(info.Key)
			oid = info.Algorithm.Algorithm
			asn1.Unmarshal(info.Algorithm.Parameters.FullBytes, &oid)
		}
	case pemEC, pemSM2:
		var key struct {
			Version int
			Key     []byte
			Curve   asn1.ObjectIdentifier `asn1:"optional,explicit,tag:0"`
			Public  asn1.RawValue         `asn1:"optional,explicit,tag:1"`
		}
		if _, err := asn1.Unmarshal(der, &key); err == nil {
			clear(key.Key)
			oid = key.Curve
		}
	}
	if len(oid) == 0 || want == "SM2" && oid.Equal(asn1.ObjectIdentifier{1, 2, 156, 10197, 1, 301}) {
		return nil
	}
	return fmt.Errorf("%s: is a key for another algorithm (%v), want %s", quote(file), oid, want)
}
