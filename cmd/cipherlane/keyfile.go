package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/scrypt"

	"github.com/cipherlane/cipherlane/frodokem"
	"github.com/cipherlane/cipherlane/internal/pkix"
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
	all := pkix.Read(der)
	outer := all.In(pkix.Sequence)
	if !all.Done() {
		return ""
	}
	var tags []byte
	for !outer.Done() && len(tags) < 3 {
		tag, _ := outer.Any()
		if outer.Bad() {
			return ""
		}
		tags = append(tags, tag)
	}
	for kind, want := range map[string][]byte{
		pemPublic:      {pkix.Sequence, pkix.BitString},
		pemEncrypted:   {pkix.Sequence, pkix.OctetString},
		pemCertificate: {pkix.Sequence, pkix.Sequence, pkix.BitString},
		pemPrivate:     {pkix.Integer, pkix.Sequence, pkix.OctetString},
		pemEC:          {pkix.Integer, pkix.OctetString},
	} {
		if bytes.HasPrefix(tags, want) {
			return kind
		}
	}
	return ""
}

// otherAlgorithm returns an error that names the algorithm of a key if it is not the
// wanted one, and nil otherwise.
func otherAlgorithm(der []byte, kind, file, want string) error {
	if kind == pemCertificate {
		der = pkix.CertificatePublic(der)
	}
	all := pkix.Read(der)
	info := all.In(pkix.Sequence)
	var algorithm pkix.Reader
	switch kind {
	case pemPublic, pemCertificate:
		algorithm = info.In(pkix.Sequence)
		info.Next(pkix.BitString)
	case pemPrivate:
		info.Next(pkix.Integer)
		algorithm = info.In(pkix.Sequence)
		info.Next(pkix.OctetString)
	case pemEC, pemSM2:
		info.Next(pkix.Integer)
		info.Next(pkix.OctetString)
		if info.Has(pkix.Explicit0) {
			algorithm = info.In(pkix.Explicit0)
		}
	}
	if info.Bad() || !algorithm.Has(pkix.OID) {
		return nil
	}
	oid := algorithm.Next(pkix.OID)
	if algorithm.Has(pkix.OID) { // the curve, if it names one
		oid = algorithm.Next(pkix.OID)
	}
	name := dotted(oid)
	if name == "" || want == "SM2" && name == "1.2.156.10197.1.301" {
		return nil
	}
	return fmt.Errorf("%s: is a key for another algorithm (%s), want %s", quote(file), algorithmName(name), want)
}

// dotted returns an object identifier as people write it, or "" if it is not valid (X.690,
// section 8.19).
func dotted(oid []byte) string {
	var list []string
	number := uint64(0)
	for i, b := range oid {
		if number = number<<7 | uint64(b&0x7f); number >= 1<<56 {
			return ""
		}
		switch {
		case b&0x80 != 0:
			if i == len(oid)-1 {
				return ""
			}
			continue
		case list == nil:
			first := min(number/40, 2)
			list = append(list, strconv.FormatUint(first, 10))
			number -= 40 * first
		}
		list = append(list, strconv.FormatUint(number, 10))
		number = 0
	}
	return strings.Join(list, ".")
}
