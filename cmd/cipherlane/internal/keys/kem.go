package keys

import (
	"bytes"
	"cmp"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/frodokem"
	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/sm2"
	"golang.org/x/crypto/scrypt"
)

// KEMCmd is the verb kem.
type KEMCmd struct {
	Keygen kemKeygenCmd `cmd:"" help:"Generate a private key and its public key."`
	Encap  kemEncapCmd  `cmd:"" help:"Generate a shared key, and its ciphertext for the owner of a public key."`
	Decap  kemDecapCmd  `cmd:"" help:"Recover the shared key from a ciphertext."`
	Pubkey kemPubkeyCmd `cmd:"" help:"Print the public key of a private key."`
}

// Help returns the description of the verb, with examples.
func (KEMCmd) Help() string {
	return `FrodoKEM is the standardised scheme, with a salt. The scheme that NIST's third round and
many programs call FrodoKEM is eFrodoKEM here. It is meant for keys that are used for
only a few messages, fewer than 256. The two are not compatible.

Keys are written in PEM (SubjectPublicKeyInfo and PKCS #8, containing the encoding of
the standard) and read in PEM or DER. Private keys may be encrypted with a passphrase,
which is asked for or read from --passphrase-file or --passphrase-fd. The object
identifiers of the 976 and 1344 sets are those of ISO/IEC 18033-2/Amd 2,
1.0.18033.2.2.7.1 to .8, which draft-smyslov-lamps-frodokem-certificates also uses; the
formats around them may still change with the drafts. There are none for the 640 sets:
they use Botan's private identifiers below 1.3.6.1.4.1.25258.1, which are provisional.
With --raw, keys and ciphertexts are only hex digits, and --set names their parameter
set.

Example: Alice encrypts a film for Bob with a shared key that is never stored in a file.

    bob$   cipherlane kem keygen -o bob.pem --public bob.pub
    alice$ cipherlane kem encap --to bob.pub -o bob.ct --secret - | cipherlane encrypt --key-file - -o film.enc film.mp4
    bob$   cipherlane kem decap --key bob.pem bob.ct | cipherlane decrypt --key-file - -o film.mp4 film.enc

Example: a preshared key of WireGuard, which protects what is sent today against a quantum
computer of tomorrow. Bob sends nothing secret, and neither does Alice.

    alice$ cipherlane kem encap --wireguard --to bob.pub -o alice.ct --secret alice.psk
    bob$   cipherlane kem decap --wireguard --key bob.pem -o bob.psk alice.ct

Both then run "wg set" with peer and preshared-key; docs/wireguard.md says how, and what
this does not protect.

The first example works with every set. The shared keys of the 640 sets have 16 bytes, which encrypt
uses for SM4-GCM unless --alg names another algorithm; those of the 976 sets have 24 bytes
and those of the 1344 sets 32 bytes, which it uses for AES-256-GCM.`
}

type kemKeygenCmd struct {
	Set    string `default:"FrodoKEM-976-AES" placeholder:"SET" help:"Parameter set, one of ${kems}; default: ${default}."`
	Output string `short:"o" required:"" placeholder:"FILE" help:"Write the private key to this file, readable only by you (mode 0600); - for standard output."`
	Public string `placeholder:"FILE" help:"Write the public key to this file."`
	encryptFlags
	Seed   bool   `help:"Write the private key in short form, as three seeds (draft-longa-cfrg-frodokem-03); other programs may not support it."`
	Raw    bool   `help:"Write hex digits instead of PEM."`
	Force  bool   `short:"f" help:"Replace existing files. Messages encrypted for the old key can no longer be read."`
	Driver string `placeholder:"NAME" help:"Use this driver (see \"cipherlane list frodokem\")."`
}

func (kemKeygenCmd) Help() string {
	return `Examples:

    cipherlane kem keygen -o bob.pem --public bob.pub
    cipherlane kem keygen --encrypt --set FrodoKEM-1344-AES -o alice.pem --public alice.pub`
}

type kemPubkeyCmd struct {
	PrivateFlags
	Output string `short:"o" placeholder:"FILE" help:"Write to this file; default: standard output."`
	Set    string `placeholder:"SET" help:"With --raw: the parameter set of the key. One of ${kems}."`
	Raw    bool   `help:"Read the private key and write the public key as hex digits."`
	Force  bool   `short:"f" help:"Replace an existing file."`
}

func (kemPubkeyCmd) Help() string {
	return `Example:

    cipherlane kem pubkey --key kem.pem -o kem.pub`
}

type kemEncapCmd struct {
	To     string `required:"" placeholder:"FILE" help:"Public key of the recipient."`
	Output string `short:"o" required:"" placeholder:"FILE" help:"Write the ciphertext to this file; - for standard output."`
	Secret string `required:"" placeholder:"FILE" help:"Write the shared key to this file as a line of hex digits, readable only by you (mode 0600); - for standard output, such as a pipe to \"cipherlane encrypt --key-file -\"."`
	wireGuardFlag
	Set    string `placeholder:"SET" help:"With --raw: the parameter set of the key. One of ${kems}."`
	Raw    bool   `help:"Read the public key and write the ciphertext as hex digits."`
	Force  bool   `short:"f" help:"Replace existing files."`
	Driver string `placeholder:"NAME" help:"Use this driver (see \"cipherlane list frodokem\")."`
}

type kemDecapCmd struct {
	Input string `arg:"" optional:"" name:"file" help:"Ciphertext; default: standard input."`
	PrivateFlags
	Output string `short:"o" placeholder:"FILE" help:"Write the shared key to this file as a line of hex digits, readable only by you (mode 0600). Default: standard output."`
	wireGuardFlag
	Set    string `placeholder:"SET" help:"With --raw: the parameter set of the key. One of ${kems}."`
	Raw    bool   `help:"The private key and the ciphertext are hex digits."`
	Force  bool   `short:"f" help:"Replace an existing file."`
	Driver string `placeholder:"NAME" help:"Use this driver (see \"cipherlane list frodokem\")."`
}

func (kemDecapCmd) Help() string {
	return `A ciphertext that was modified or made for another key does not cause an error: it
yields a shared key that nobody else has, so that decrypting a message with it fails.`
}

// kemNames lists the parameter sets.
func kemNames() string { return strings.Join(KEMs(), ", ") }

// KEMs returns the names of the parameter sets of FrodoKEM.
func KEMs() (names []string) {
	for _, a := range catalog.All() {
		if a.KEM != nil {
			k, _ := a.KEM("")
			names = append(names, k.Name())
		}
	}
	return names
}

// kemSet returns the parameter set with a name.
func kemSet(name string) (frodokem.Set, error) {
	set, err := frodokem.ParseSet(name)
	if err != nil {
		return 0, cli.Usagef("%s: no such set (known: %s)", cli.Quote(name), kemNames())
	}
	return set, nil
}

// kemDriver returns the named driver or, for an empty name, the selected one.
func kemDriver(name string) (frodokem.Driver, error) {
	if name == "" {
		t := drivers.Find("frodokem")
		name = t.Drivers()[t.Auto().Bulk()].Name
	}
	return frodokem.On(name)
}

func (c *kemKeygenCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	rawFlag := ""
	if c.Raw {
		rawFlag = "--raw"
	}
	if err := c.check(rawFlag); err != nil {
		return err
	}
	set, err := kemSet(c.Set)
	if err != nil {
		return err
	}
	d, err := kemDriver(c.Driver)
	if err != nil {
		return err
	}
	p.Reads(c.PassphraseFile)
	if err := p.CheckPair(c.Force, c.Output, c.Public); err != nil { // before asking for a passphrase
		return err
	}
	key, err := d.GenerateKey(set)
	if err != nil {
		return err
	}
	defer key.Wipe()
	private, err := c.encode(p, key)
	if err != nil {
		return err
	}
	parts := []cli.Part{{File: c.Output, Mode: 0o600, Text: private}}
	if c.Public != "" {
		parts = append(parts, cli.Part{File: c.Public, Mode: 0o666, Text: encodeKEMPublic(key.EncapsulationKey(), c.Raw)})
	}
	return p.WriteBoth(c.Force, parts...)
}

// encode returns the text of the private key.
func (c *kemKeygenCmd) encode(p *cli.Program, key *frodokem.DecapsulationKey) ([]byte, error) {
	form := frodokem.Expanded
	if c.Seed {
		form = frodokem.Seeds
	}
	if c.Raw {
		form := key.Bytes
		if c.Seed {
			form = key.Seed
		}
		b := form()
		defer clear(b)
		return line(b), nil
	}
	return c.pem(p, c.Output,
		func() ([]byte, error) { return frodokem.MarshalPKCS8PrivateKey(key, form) },
		func(passphrase []byte, options *sm2.KeyEncryption) ([]byte, error) {
			return frodokem.MarshalEncryptedPrivateKey(key, form, passphrase, (*frodokem.KeyEncryption)(options))
		})
}

func encodeKEMPublic(key *frodokem.EncapsulationKey, raw bool) []byte {
	if raw {
		return line(key.Bytes())
	}
	return EncodePEM(pemPublic, frodokem.MarshalPKIXPublicKey(key))
}

func (c *kemPubkeyCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if err := c.checkOutput(p, c.Force, c.Output); err != nil {
		return err
	}
	key, err := c.kem(p, c.Raw, c.Set, "")
	if err != nil {
		return err
	}
	defer key.Wipe()
	return p.WriteBoth(c.Force, cli.Part{File: c.Output, Mode: 0o666, Text: encodeKEMPublic(key.EncapsulationKey(), c.Raw)})
}

func (c *kemEncapCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	public, err := c.key(p)
	if err != nil {
		return err
	}
	if _, err := p.Check(c.Force, cli.Target{Path: c.Secret}, cli.Target{Path: c.Output}); err != nil {
		return err
	}
	sharedKey, ciphertext := public.Encapsulate()
	defer clear(sharedKey)
	secret, err := c.text(public.Set(), sharedKey, ciphertext)
	if err != nil {
		return err
	}
	defer clear(secret)
	if c.Raw {
		ciphertext = line(ciphertext)
	}
	return p.WriteBoth(c.Force, cli.Part{File: c.Secret, Mode: 0o600, Text: secret}, cli.Part{File: c.Output, Mode: 0o666, Text: ciphertext})
}

// key reads the public key.
func (c *kemEncapCmd) key(p *cli.Program) (*frodokem.EncapsulationKey, error) {
	d, err := kemDriver(c.Driver)
	if err != nil {
		return nil, err
	}
	set, err := kemRawSet(c.Raw, c.Set)
	if err != nil {
		return nil, err
	}
	text, err := readKeyText(p, c.To)
	if err != nil {
		return nil, err
	}
	defer clear(text) // it may be the private key by mistake
	if c.Raw {
		b, err := unhexLine(text, c.To)
		if err != nil {
			return nil, err
		}
		key, err := d.NewEncapsulationKey(set, b)
		return key, cli.WithFileName(c.To, err)
	}
	kind, der, err := firstKey("kem", text, c.To, pemPublic)
	if err != nil {
		return nil, err
	}
	key, err := frodokem.ParsePKIXPublicKey(der)
	if errors.Is(err, frodokem.ErrAlgorithm) {
		err = cmp.Or(otherAlgorithm(der, kind, c.To, "FrodoKEM"), cli.WithFileName(c.To, err))
	} else {
		err = cli.WithFileName(c.To, err)
	}
	if err != nil || c.Driver == "" {
		return key, err
	}
	return d.NewEncapsulationKey(key.Set(), key.Bytes())
}

func (c *kemDecapCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if err := c.refuseTwice(c.Input, "ciphertext"); err != nil {
		return err
	}
	if err := c.checkOutput(p, c.Force, c.Output, c.Input); err != nil {
		return err
	}
	private, err := c.kem(p, c.Raw, c.Set, c.Driver)
	if err != nil {
		return err
	}
	defer private.Wipe()
	ciphertext, err := readAll(p, c.Input, "ciphertext")
	if err != nil {
		return err
	}
	name := cmp.Or(c.Input, "-")
	if c.Raw {
		if ciphertext, err = unhexLine(ciphertext, name); err != nil {
			return err
		}
	}
	sharedKey, err := private.Decapsulate(ciphertext)
	if err != nil {
		return cli.WithFileName(name, err)
	}
	defer clear(sharedKey)
	secret, err := c.text(private.Set(), sharedKey, ciphertext)
	if err != nil {
		return err
	}
	defer clear(secret)
	return p.WriteBoth(c.Force, cli.Part{File: c.Output, Mode: 0o600, Text: secret})
}

// wireGuardFlag chooses the form of a shared key.
type wireGuardFlag struct {
	WireGuard bool `name:"wireguard" help:"Write the shared key as a preshared key for \"wg set\": 32 bytes derived from it, in base64. Both sides need this flag."`
}

// wireGuardLabel is followed by the name of the set.
const wireGuardLabel = "github.com/cipherlane/frodokem wireguard "

// text returns the shared key as a line. That for WireGuard is HKDF-SHA-256 of the shared key,
// with the ciphertext as salt, in standard base64.
func (f wireGuardFlag) text(set frodokem.Set, sharedKey, ciphertext []byte) ([]byte, error) {
	if !f.WireGuard {
		return line(sharedKey), nil
	}
	key, err := hkdf.Key(sha256.New, sharedKey, ciphertext, wireGuardLabel+set.String(), 32)
	if err != nil {
		return nil, err
	}
	defer clear(key)
	return append(appendBase64(make([]byte, 0, 45), key), '\n'), nil
}

// kem reads a private key of FrodoKEM, with a driver.
func (c *PrivateFlags) kem(p *cli.Program, raw bool, set, driver string) (*frodokem.DecapsulationKey, error) {
	d, err := kemDriver(driver)
	if err != nil {
		return nil, err
	}
	rawSet, err := kemRawSet(raw, set)
	if err != nil {
		return nil, err
	}
	warnKey(p, c.Key)
	text, err := readKeyText(p, c.Key)
	if err != nil {
		return nil, err
	}
	defer clear(text)
	if raw {
		b, err := unhexLine(text, c.Key)
		if err != nil {
			return nil, err
		}
		defer clear(b)
		key, err := d.NewDecapsulationKey(rawSet, b)
		return key, cli.WithFileName(c.Key, err)
	}
	var key *frodokem.DecapsulationKey
	err = c.read(p, "kem", text,
		func(kind string, der []byte) (err error) {
			key, err = frodokem.ParsePKCS8PrivateKey(der)
			if kind != PEMPrivate || errors.Is(err, frodokem.ErrAlgorithm) {
				return cmp.Or(otherAlgorithm(der, kind, c.Key, "FrodoKEM"), cli.WithFileName(c.Key, err))
			}
			return cli.WithFileName(c.Key, err)
		},
		func(der, passphrase []byte) (err error) {
			key, err = frodokem.ParseEncryptedPrivateKey(der, passphrase, &frodokem.KeyEncryption{Scrypt: scrypt.Key})
			return err
		})
	if err != nil || driver == "" {
		return key, err
	}
	defer key.Wipe()
	b := key.Seed()
	if b == nil {
		b = key.Bytes()
	}
	defer clear(b)
	return d.NewDecapsulationKey(key.Set(), b)
}

// ParseFrodoKEM parses a private key of FrodoKEM in DER, not encrypted. It returns nil and no error for
// keys of other algorithms.
func ParseFrodoKEM(der []byte) (*frodokem.DecapsulationKey, error) {
	key, err := frodokem.ParsePKCS8PrivateKey(der)
	if errors.Is(err, frodokem.ErrAlgorithm) {
		return nil, nil
	}
	return key, err
}

// ParseFrodoKEMPublic parses a public key of FrodoKEM in PEM or DER. It returns nil and no error if
// there is none.
func ParseFrodoKEMPublic(text []byte, file string) (*frodokem.EncapsulationKey, error) {
	_, der, err := firstKey("kem", text, file, pemPublic)
	if err != nil {
		return nil, nil
	}
	key, err := frodokem.ParsePKIXPublicKey(der)
	if errors.Is(err, frodokem.ErrAlgorithm) {
		return nil, nil
	}
	return key, cli.WithFileName(file, err)
}

// kemRawSet returns the parameter set of a key in hex digits.
func kemRawSet(raw bool, set string) (frodokem.Set, error) {
	switch {
	case !raw && set != "":
		return 0, cli.Usagef("--set: only makes sense with --raw; other keys contain their parameter set")
	case !raw:
		return 0, nil
	case set == "":
		return 0, cli.Usagef("--raw: name the parameter set of the key with --set")
	}
	return kemSet(set)
}

// line returns a line of hex digits.
func line(b []byte) []byte { return append(EncodeHex(b), '\n') }

func unhexLine(text []byte, file string) ([]byte, error) {
	digits := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	b := make([]byte, len(digits)/2)
	if !DecodeHex(b, digits) {
		return nil, fmt.Errorf("%s: not a line of hex digits", cli.Quote(file))
	}
	return b, nil
}

// kemFileLimit exceeds the size of any key or ciphertext as text.
const kemFileLimit = 256 << 10

// readAll returns the content of a file that should be a key, a ciphertext or whatever else
// what says.
func readAll(p *cli.Program, file, what string) ([]byte, error) {
	in, err := p.Open(file)
	if err != nil {
		return nil, err
	}
	if in.File != p.Stdin {
		defer in.Close()
	}
	text := make([]byte, kemFileLimit+1) // no copy of a key stays behind when it grows
	n, err := io.ReadFull(in, text)
	switch {
	case err == nil:
		err = errors.New("too long for a " + what)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return text[:n], nil
	}
	clear(text)
	return nil, fmt.Errorf("%s: %w", in.DisplayName, cli.Reason(err))
}

// readKeyText is readAll for a key, which editors may have stored as UTF-16 or behind a byte
// order mark.
func readKeyText(p *cli.Program, file string) ([]byte, error) {
	text, err := readAll(p, file, "key")
	if err != nil {
		return nil, err
	}
	return cli.TakeText(text), nil
}

// EncodePEM returns PEM as of RFC 7468. Unlike encoding/pem, it does not index a table
// by secret bytes.
func EncodePEM(kind string, der []byte) []byte {
	text := make([]byte, 0, 2*len(der)+100)
	text = append(text, "-----BEGIN "+kind+"-----\n"...)
	for part := range slices.Chunk(der, 48) {
		text = append(appendBase64(text, part), '\n')
	}
	return append(text, "-----END "+kind+"-----\n"...)
}

// appendBase64 appends base64, and indexes no table.
func appendBase64(text, b []byte) []byte {
	for group := range slices.Chunk(b, 3) {
		v := 0
		for j := range 3 {
			v <<= 8
			if j < len(group) {
				v |= int(group[j])
			}
		}
		for j := range 4 {
			if j > len(group) {
				text = append(text, '=')
			} else {
				text = append(text, base64Digit(v>>(18-6*j)&63))
			}
		}
	}
	return text
}

func base64Digit(v int) byte {
	return byte(inRange(v, 26)&(v+'A') | inRange(v-26, 26)&(v-26+'a') | inRange(v-52, 10)&(v-52+'0') | inRange(v-62, 1)&'+' | inRange(v-63, 1)&'/')
}

// decodeBase64 decodes base64, and passes over white space. Like EncodePEM, it indexes no
// table.
func decodeBase64(text []byte) (decoded []byte, ok bool) {
	decoded = make([]byte, 0, len(text))
	v, n, padding, bad := 0, 0, 0, 0
	for _, c := range text {
		switch c {
		case '\n', '\r', ' ', '\t':
			continue
		case '=':
			padding++
			continue
		}
		upper, lower, digit := inRange(int(c)-'A', 26), inRange(int(c)-'a', 26), inRange(int(c)-'0', 10)
		plus, slash := inRange(int(c)-'+', 1), inRange(int(c)-'/', 1)
		bad |= ^(upper | lower | digit | plus | slash)
		v = v<<6 | upper&(int(c)-'A') | lower&(int(c)-'a'+26) | digit&(int(c)-'0'+52) | plus&62 | slash&63
		if n++; n%4 == 0 {
			decoded = append(decoded, byte(v>>16), byte(v>>8), byte(v))
			v = 0
		}
	}
	switch n % 4 {
	case 1:
		bad = -1
	case 2:
		decoded = append(decoded, byte(v>>4))
	case 3:
		decoded = append(decoded, byte(v>>10), byte(v>>2))
	}
	if bad != 0 || (n+padding)%4 != 0 || padding > 2 {
		clear(decoded)
		return nil, false
	}
	return decoded, true
}

// Variables returns the variables in the help texts of this package's verbs.
func Variables() kong.Vars { return kong.Vars{"kems": kemNames()} }
