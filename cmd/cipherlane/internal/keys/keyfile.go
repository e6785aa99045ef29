// Package keys reads and writes keys: files of secret keys, and private and public keys of SM2 and
// FrodoKEM in PEM and DER, encrypted with a passphrase or not. It has the verbs sm2 and kem, which
// make and use such keys. What decodes and encodes secrets indexes no table with them.
package keys

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/frodokem"
	"github.com/cipherlane/cipherlane/internal/pkix"
	"github.com/cipherlane/cipherlane/sm2"
	"golang.org/x/crypto/scrypt"
)

// Key files are PEM or DER, or DER as base64 or hex digits. Private keys may be encrypted,
// and a certificate may take the place of a public key.

// The labels of PEM that keys have.
const (
	pemPublic      = "PUBLIC KEY"
	PEMPrivate     = "PRIVATE KEY"
	PEMEncrypted   = "ENCRYPTED PRIVATE KEY"
	pemEC          = "EC PRIVATE KEY"
	pemCertificate = "CERTIFICATE"
)

// privateKinds are the PEM labels of private keys.
var privateKinds = []string{PEMEncrypted, PEMPrivate, pemEC}

// PrivateFlags specify the source of a private key.
type PrivateFlags struct {
	Key string `required:"" placeholder:"FILE" help:"Private key."`
	cli.PassphraseFlags
}

// refuseTwice returns an error if more than one of key, passphrase and message would be
// read from standard input.
func (c *PrivateFlags) refuseTwice(input, what string) error {
	if (input == "" || input == "-") && (c.Key == "-" || c.PassphrasePath() == "-") || c.Key == "-" && c.PassphrasePath() == "-" {
		return cli.Usagef("standard input cannot have more than one of key, passphrase and %s", what)
	}
	return nil
}

// checkOutput is program.check for a verb that may ask for the passphrase of its key.
func (c *PrivateFlags) checkOutput(p *cli.Program, force bool, output string, inputs ...string) error {
	for _, path := range append(inputs, c.Key, c.PassphrasePath()) {
		if !cli.IsStdin(path) {
			p.Reads(path)
		}
	}
	_, err := p.Check(force, cli.Target{Path: output})
	return err
}

// read finds the private key in the text of a file. It calls encrypted with the key and
// its passphrase, or, for a key that is not encrypted, plain with the PEM label and the
// key.
func (c *PrivateFlags) read(p *cli.Program, verb string, text []byte, plain func(kind string, der []byte) error, encrypted func(der, passphrase []byte) error) error {
	if c.Key == "-" && c.PassphrasePath() == "-" {
		return cli.Usagef("standard input cannot have both the key and its passphrase")
	}
	kind, der, err := firstKey(verb, text, c.Key, privateKinds...)
	if err != nil {
		return err
	}
	defer clear(der)
	if kind != PEMEncrypted {
		return plain(kind, der)
	}
	passphrase, err := p.Passphrase(c.PassphraseFlags, c.Key)
	if err != nil {
		return err
	}
	defer clear(passphrase)
	err = encrypted(der, passphrase)
	if errors.Is(err, sm2.ErrPassphrase) || errors.Is(err, frodokem.ErrPassphrase) {
		err = errors.New("wrong passphrase, or the key is damaged")
	}
	return cli.WithFileName(c.Key, err)
}

// encryptFlags specify whether and how a new private key is encrypted.
type encryptFlags struct {
	Encrypt bool `short:"e" help:"Encrypt the private key with a passphrase."`
	cli.PassphraseFlags
	KDF    string `name:"kdf" placeholder:"NAME" help:"With --encrypt: how to derive a key from the passphrase. One of pbkdf2-sha256, pbkdf2-sm3 (as OpenSSL 3.1 and Tongsuo read it), pbkdf2-sm3-gmssl (as GmSSL, gmsm and BouncyCastle do), scrypt; default: pbkdf2-sha256."`
	Cipher string `placeholder:"NAME" help:"With --encrypt: the cipher, one of aes-256, sm4; default: aes-256."`
}

// check returns an error for flags that contradict each other. hexFlag is the flag that
// asked for hex digits, if any.
func (c *encryptFlags) check(hexFlag string) error {
	if !c.Encrypt && (c.HasPassphrase() || c.KDF != "" || c.Cipher != "") {
		return cli.Usagef("--passphrase-file, --passphrase-fd, --kdf and --cipher: only make sense with --encrypt")
	}
	if c.KDF != "" && !slices.Contains([]string{"pbkdf2-sha256", "pbkdf2-sm3", "pbkdf2-sm3-gmssl", "scrypt"}, c.KDF) {
		return cli.Usagef("--kdf %s: want pbkdf2-sha256, pbkdf2-sm3, pbkdf2-sm3-gmssl or scrypt", cli.Quote(c.KDF))
	}
	if c.Cipher != "" && c.Cipher != "sm4" && c.Cipher != "aes-256" {
		return cli.Usagef("--cipher %s: want aes-256 or sm4", cli.Quote(c.Cipher))
	}
	if c.Encrypt && hexFlag != "" {
		return cli.Usagef("--encrypt and %s: hex digits cannot be encrypted; use PEM", hexFlag)
	}
	return nil
}

// pem returns a private key in PEM: the DER that plain returns or, with --encrypt, that
// encrypted returns.
func (c *encryptFlags) pem(p *cli.Program, output string, plain func() ([]byte, error), encrypted func(passphrase []byte, options *sm2.KeyEncryption) ([]byte, error)) ([]byte, error) {
	if !c.Encrypt {
		der, err := plain()
		if err != nil {
			return nil, err
		}
		defer clear(der)
		return EncodePEM(PEMPrivate, der), nil
	}
	passphrase, err := p.NewPassphrase(c.PassphraseFlags, output)
	if err != nil {
		return nil, err
	}
	defer clear(passphrase)
	gmssl := c.KDF == "pbkdf2-sm3-gmssl"
	options := &sm2.KeyEncryption{SM3: gmssl || c.KDF == "pbkdf2-sm3", GmSSL: gmssl, SM4: c.Cipher == "sm4"}
	if c.KDF == "scrypt" {
		options.Scrypt = scrypt.Key
	}
	der, err := encrypted(passphrase, options)
	if err != nil {
		return nil, err
	}
	return EncodePEM(PEMEncrypted, der), nil
}

// A foundKey is a key or certificate in a file.
type foundKey struct {
	kind string // the PEM label that it should have
	der  []byte
}

// firstKey returns the first key in a file, trying the kinds in order. The file is PEM or
// DER, or the DER as base64 or hex digits. What DER is, its structure says; a PEM label only
// counts where that leaves it open, because many programs write another label.
func firstKey(verb string, text []byte, file string, kinds ...string) (kind string, der []byte, err error) {
	found, others, damage := findKeys(text, file)
	defer func() {
		for _, k := range found {
			if len(der) == 0 || &k.der[0] != &der[0] {
				clear(k.der)
			}
		}
	}()
	for _, kind := range kinds {
		for _, k := range found {
			if k.kind == kind {
				return kind, k.der, nil
			}
		}
	}
	for _, kind := range kinds {
		if damage[kind] != nil {
			return "", nil, damage[kind]
		}
	}
	has := func(kinds ...string) bool {
		return slices.ContainsFunc(found, func(k foundKey) bool { return slices.Contains(kinds, k.kind) })
	}
	what := "private"
	if slices.Contains(kinds, pemPublic) {
		what = "public"
	}
	digits, isHex := decodeDigits(text)
	clear(digits)
	switch {
	case what == "public" && has(privateKinds...):
		return "", nil, errIsPrivate(verb, file)
	case what == "private" && has(pemPublic):
		return "", nil, fmt.Errorf("%s: is a public key, want the private one", cli.Quote(file))
	case has(pemCertificate):
		return "", nil, fmt.Errorf("%s: is a certificate, want a %s key", cli.Quote(file), what)
	case len(others) == 1 && strings.HasSuffix(others[0], " PARAMETERS"):
		return "", nil, fmt.Errorf("%s: has only the parameters of a curve, want a %s key", cli.Quote(file), what)
	case len(others) > 0:
		if others = slices.Compact(others); len(others) > 3 {
			others = append(others[:3], "…")
		}
		return "", nil, fmt.Errorf("%s: not a %s key but PEM of another kind (%s)", cli.Quote(file), what, strings.Join(others, ", "))
	case isHex && verb == "kem":
		return "", nil, fmt.Errorf("%s: is hex digits, which need --raw and --set", cli.Quote(file))
	case isHex && what == "private":
		return "", nil, fmt.Errorf("%s: not a private key: hex digits of %d bytes, want 32 bytes (64 digits)", cli.Quote(file), len(digits))
	case isHex:
		return "", nil, fmt.Errorf("%s: not a public key: hex digits of %d bytes, want 65, 64 or, compressed, 33", cli.Quote(file), len(digits))
	case len(trimSpace(text)) == 0:
		return "", nil, fmt.Errorf("%s: is empty, want a %s key", cli.Quote(file), what)
	}
	line := "one line of hex digits"
	if verb == "kem" {
		line += ", which need --raw"
	}
	return "", nil, fmt.Errorf("%s: not a %s key: neither PEM (-----BEGIN %s KEY-----) nor DER nor %s", cli.Quote(file), what, strings.ToUpper(what), line)
}

func errIsPrivate(verb, file string) error {
	command := strings.Join(strings.Fields("cipherlane "+verb+" pubkey"), " ")
	return fmt.Errorf("%s: is a private key, want the public one: %q prints it", cli.Quote(file), command)
}

// findKeys returns the keys and certificates in a file, the PEM labels of everything else,
// and what is wrong with blocks of PEM that should be keys, by kind.
func findKeys(text []byte, file string) (found []foundKey, others []string, damage map[string]error) {
	if kind := KindOfDER(text); kind != "" {
		return []foundKey{{kind, bytes.Clone(text)}}, nil, nil
	}
	for _, decode := range []func([]byte) ([]byte, bool){decodeDigits, decodeBase64} {
		der, _ := decode(text)
		if kind := KindOfDER(der); kind != "" {
			return []foundKey{{kind, der}}, nil, nil
		}
		clear(der)
	}
	damage = map[string]error{}
	for _, block := range pemBlocks(text) {
		kind := kindOfLabel(block.label)
		if kind != "" && bytes.Contains(block.body, []byte("\nProc-Type: 4,ENCRYPTED")) {
			damage[kind] = fmt.Errorf("%s: is encrypted in the old format of OpenSSL; \"openssl pkcs8 -topk8 -v2 sm4-cbc\" converts it", cli.Quote(file))
			continue
		}
		der, err := block.decode(file)
		if err != nil && kind != "" {
			damage[kind] = err
			continue
		}
		if kind == pemCertificate { // in a trusted certificate, OpenSSL's settings follow
			all := pkix.Read(der)
			der = all.Whole(pkix.Sequence)
		}
		// Requests for certificates and lists of revoked ones look like certificates.
		if actual := KindOfDER(der); actual != "" && (actual != pemCertificate || kind != "") {
			kind = actual
		}
		if kind == "" || len(der) == 0 {
			clear(der)
			others = append(others, block.label)
			continue
		}
		found = append(found, foundKey{kind, der})
	}
	return found, others, damage
}

// kindOfLabel returns the kind of key that a PEM label promises, or "".
func kindOfLabel(label string) string {
	switch {
	case slices.Contains(privateKinds, label):
		return label
	case label == "SM2 PRIVATE KEY": // OpenSSL's label for an EC private key of SM2
		return pemEC
	case strings.HasSuffix(label, pemPublic):
		return pemPublic
	case label == pemCertificate, label == "X509 CERTIFICATE", label == "TRUSTED CERTIFICATE":
		return pemCertificate
	}
	return ""
}

// A pemBlock is what is between two lines of PEM.
type pemBlock struct {
	label string
	body  []byte // nil if the second line is missing
}

// pemBlocks returns the blocks of a text in PEM, in time that is linear in its length.
func pemBlocks(text []byte) (blocks []pemBlock) {
	begin := []byte("-----BEGIN")
	_, text, _ = bytes.Cut(text, begin)
	for text != nil {
		block, rest, _ := bytes.Cut(text, begin)
		text = rest
		label, body, ok := bytes.Cut(block, []byte("-----"))
		if !ok || len(label) > 64 || bytes.ContainsFunc(label, func(r rune) bool { return r < ' ' || r > '~' }) {
			continue
		}
		body, _, ok = bytes.Cut(body, slices.Concat([]byte("-----END"), label, []byte("-----")))
		if !ok {
			body = nil
		}
		blocks = append(blocks, pemBlock{string(bytes.TrimSpace(label)), body})
	}
	return blocks
}

func (b pemBlock) decode(file string) ([]byte, error) {
	if b.body == nil {
		return nil, fmt.Errorf("%s: the END line of the %s is missing", cli.Quote(file), b.label)
	}
	der, ok := decodeBase64(b.body)
	if !ok {
		return nil, fmt.Errorf("%s: the %s is damaged", cli.Quote(file), b.label)
	}
	return der, nil
}

// HasPEM reports whether text has a block of PEM with a label.
func HasPEM(text []byte, label string) bool {
	return slices.ContainsFunc(pemBlocks(text), func(b pemBlock) bool { return b.label == label })
}

// KindOfDER returns the PEM label for a key or certificate in DER, or "" for anything
// else. It only looks at tags and lengths.
func KindOfDER(der []byte) string {
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
		PEMEncrypted:   {pkix.Sequence, pkix.OctetString},
		pemCertificate: {pkix.Sequence, pkix.Sequence, pkix.BitString},
		PEMPrivate:     {pkix.Integer, pkix.Sequence, pkix.OctetString},
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
	case PEMPrivate:
		info.Next(pkix.Integer)
		algorithm = info.In(pkix.Sequence)
		info.Next(pkix.OctetString)
	case pemEC:
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
	if algorithm.Has(pkix.Sequence) { // the parameters of a curve, not its name
		return nil
	}
	if algorithm.Has(pkix.OID) { // the curve, if it names one
		oid = algorithm.Next(pkix.OID)
	}
	name := Dotted(oid)
	if name == "" || want == "SM2" && name == "1.2.156.10197.1.301" {
		return nil
	}
	return fmt.Errorf("%s: is a key for another algorithm (%s), want %s", cli.Quote(file), algorithmName(name), want)
}

// Dotted returns an object identifier as people write it, or "" if it is not valid (X.690,
// section 8.19).
func Dotted(oid []byte) string {
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
