package main

import (
	"bytes"
	"cmp"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/internal/catalog"
	"github.com/cipherlane/cipherlane/internal/speed"
)

type kemCmd struct {
	Keygen kemKeygenCmd `cmd:"" help:"Make a private key and its public key."`
	Encap  kemEncapCmd  `cmd:"" help:"Make a shared key, and a ciphertext of it for the owner of a private key."`
	Decap  kemDecapCmd  `cmd:"" help:"Find the shared key of a ciphertext."`
}

func (kemCmd) Help() string {
	return `FrodoKEM is the standardised scheme, with a salt. What NIST's third round and many
programs call FrodoKEM is eFrodoKEM here: for keys that are used for a few messages
only, fewer than 256. The two do not understand each other.

Keys are files in PEM (SubjectPublicKeyInfo and PKCS #8, with the bytes of the standard
inside). Object identifiers of the sets 976 and 1344 are those of ISO/IEC 18033-2/Amd 2,
1.0.18033.2.2.7.1 to .8, which draft-smyslov-lamps-frodokem-certificates takes over;
the drafts may still change what is around them. The sets 640 have none there: theirs
are Botan's private ones below 1.3.6.1.4.1.25258.1, and provisional. With --raw keys and
ciphertexts are hex digits and nothing else, and --set says of which set.

Example: Alice encrypts a film for Bob with a key that both find, and that is in no file.

    bob$   cipherlane kem keygen -o bob.pem --public bob.pub
    alice$ cipherlane kem encap --to bob.pub -o bob.ct --secret - | cipherlane encrypt --key-file - -o film.enc film.mp4
    bob$   cipherlane kem decap --key bob.pem bob.ct | cipherlane decrypt --key-file - -o film.mp4 film.enc

That works with every set: a key of a 640 set has 16 bytes, which encrypt uses for
SM4-GCM unless -a names another algorithm, one of 976 has 24 and one of 1344 has 32,
both for AES-256-GCM.`
}

type kemKeygenCmd struct {
	Set    string `default:"FrodoKEM-976-AES" placeholder:"SET" help:"One of ${kems}; default: ${default}."`
	Output string `short:"o" required:"" placeholder:"FILE" help:"Write the private key to this file; only you can read it (mode 0600). - for standard output."`
	Public string `required:"" placeholder:"FILE" help:"Write the public key to this file."`
	Seed   bool   `help:"Write the private key in the short form, three seeds (draft-longa-cfrg-frodokem-03), which other programs may not know."`
	Raw    bool   `help:"Hex digits instead of PEM."`
	Force  bool   `short:"f" help:"Replace files if there are any. What was made for the old key is lost."`
	Driver string `placeholder:"NAME" help:"Use this driver (see \"cipherlane list frodokem\")."`
}

type kemEncapCmd struct {
	To     string `required:"" placeholder:"FILE" help:"Public key of the one who shall find the shared key."`
	Output string `short:"o" required:"" placeholder:"FILE" help:"Write the ciphertext to this file; - for standard output."`
	Secret string `required:"" placeholder:"FILE" help:"Write the shared key to this file, as a line of hex digits; only you can read it (mode 0600). - for standard output, such as a pipe to \"cipherlane encrypt --key-file -\"."`
	Set    string `placeholder:"SET" help:"With --raw: the set of the key. One of ${kems}."`
	Raw    bool   `help:"The public key is, and the ciphertext will be, hex digits."`
	Force  bool   `short:"f" help:"Replace files if there are any."`
	Driver string `placeholder:"NAME" help:"Use this driver (see \"cipherlane list frodokem\")."`
}

type kemDecapCmd struct {
	Input  string `arg:"" optional:"" name:"file" help:"Ciphertext; default: standard input."`
	Key    string `required:"" placeholder:"FILE" help:"Private key."`
	Output string `short:"o" placeholder:"FILE" help:"Write the shared key to this file, as a line of hex digits; only you can read it (mode 0600). Default: standard output."`
	Set    string `placeholder:"SET" help:"With --raw: the set of the key. One of ${kems}."`
	Raw    bool   `help:"Private key and ciphertext are hex digits."`
	Force  bool   `short:"f" help:"Replace the file if there is one."`
	Driver string `placeholder:"NAME" help:"Use this driver (see \"cipherlane list frodokem\")."`
}

func (kemDecapCmd) Help() string {
	return `There is no error for a ciphertext that was changed or made for another key: it gives
a shared key that nobody else has, and what it is used for next fails.`
}

// kemNames lists the sets.
func kemNames() string { return strings.Join(kems(), ", ") }

func kems() (names []string) {
	for _, a := range catalog.All() {
		if a.KEM != nil {
			k, _ := a.KEM("")
			names = append(names, k.Name())
		}
	}
	return names
}

// kem returns the set of a name with a driver.
func kem(name, driver string) (catalog.KEM, error) {
	for _, a := range catalog.All() {
		if a.KEM != nil && strings.EqualFold(a.Name, name) {
			return a.KEM(driver)
		}
	}
	return nil, usagef("%s: no such set (known: %s)", quote(name), kemNames())
}

// Object identifiers: those of ISO/IEC 18033-2/Amd 2 and, for the sets that are
// not in it, Botan's.
var kemOIDs = map[string]asn1.ObjectIdentifier{
	"FrodoKEM-976-SHAKE":   {1, 0, 18033, 2, 2, 7, 1},
	"FrodoKEM-1344-SHAKE":  {1, 0, 18033, 2, 2, 7, 2},
	"eFrodoKEM-976-SHAKE":  {1, 0, 18033, 2, 2, 7, 3},
	"eFrodoKEM-1344-SHAKE": {1, 0, 18033, 2, 2, 7, 4},
	"FrodoKEM-976-AES":     {1, 0, 18033, 2, 2, 7, 5},
	"FrodoKEM-1344-AES":    {1, 0, 18033, 2, 2, 7, 6},
	"eFrodoKEM-976-AES":    {1, 0, 18033, 2, 2, 7, 7},
	"eFrodoKEM-1344-AES":   {1, 0, 18033, 2, 2, 7, 8},

	"FrodoKEM-640-SHAKE":  {1, 3, 6, 1, 4, 1, 25258, 1, 14, 1},
	"FrodoKEM-640-AES":    {1, 3, 6, 1, 4, 1, 25258, 1, 15, 1},
	"eFrodoKEM-640-SHAKE": {1, 3, 6, 1, 4, 1, 25258, 1, 16, 1},
	"eFrodoKEM-640-AES":   {1, 3, 6, 1, 4, 1, 25258, 1, 17, 1},
}

const (
	pemPublic  = "PUBLIC KEY"
	pemPrivate = "PRIVATE KEY"
)

type publicKeyInfo struct {
	Algorithm pkix.AlgorithmIdentifier
	Key       asn1.BitString
}

type privateKeyInfo struct {
	Version   int
	Algorithm pkix.AlgorithmIdentifier
	Key       []byte
	Rest      asn1.RawValue `asn1:"optional"` // attributes
}

func (c *kemKeygenCmd) Run(p *program) error {
	if err := refuseFIPS(); err != nil {
		return err
	}
	k, err := kem(c.Set, c.Driver)
	if err != nil {
		return err
	}
	if _, err := p.check(c.Force, target{path: c.Output}, target{path: c.Public}); err != nil {
		return err
	}
	key, err := k.GenerateKey()
	if err != nil {
		return err
	}
	defer key.Wipe()
	secret := key.Bytes()
	if c.Seed {
		secret = key.Seed()
	}
	defer clear(secret)
	public := key.PublicKey().Bytes()
	if c.Raw {
		return p.writeBoth(c.Force, part{c.Output, 0o600, line(secret)}, part{c.Public, 0o666, line(public)})
	}
	algorithm := pkix.AlgorithmIdentifier{Algorithm: kemOIDs[k.Name()]}
	der, err := asn1.Marshal(struct {
		Version   int
		Algorithm pkix.AlgorithmIdentifier
		Key       []byte
	}{0, algorithm, secret})
	if err != nil {
		return err
	}
	defer clear(der)
	info, err := asn1.Marshal(publicKeyInfo{algorithm, asn1.BitString{Bytes: public, BitLength: 8 * len(public)}})
	if err != nil {
		return err
	}
	return p.writeBoth(c.Force, part{c.Output, 0o600, encodePEM(pemPrivate, der)}, part{c.Public, 0o666, encodePEM(pemPublic, info)})
}

func (c *kemEncapCmd) Run(p *program) error {
	if err := refuseFIPS(); err != nil {
		return err
	}
	k, key, err := c.key(p)
	if err != nil {
		return err
	}
	public, err := k.PublicKey(key)
	if err != nil {
		return named(c.To, err)
	}
	if _, err := p.check(c.Force, target{path: c.Secret}, target{path: c.Output}); err != nil {
		return err
	}
	sharedKey, ciphertext := public.Encapsulate()
	defer clear(sharedKey)
	if c.Raw {
		ciphertext = line(ciphertext)
	}
	return p.writeBoth(c.Force, part{c.Secret, 0o600, line(sharedKey)}, part{c.Output, 0o666, ciphertext})
}

func (c *kemEncapCmd) key(p *program) (catalog.KEM, []byte, error) {
	text, err := p.readAll(c.To)
	if err != nil {
		return nil, nil, err
	}
	if c.Raw {
		return rawKey(c.Set, c.Driver, c.To, text)
	}
	if c.Set != "" {
		return nil, nil, errSetWithoutRaw
	}
	der, err := decodePEM(text, c.To, pemPublic)
	if err != nil {
		return nil, nil, err
	}
	var info publicKeyInfo
	if rest, err := asn1.Unmarshal(der, &info); err != nil || len(rest) > 0 || info.Key.BitLength%8 != 0 {
		return nil, nil, fmt.Errorf("%s: not a public key in PEM", quote(c.To))
	}
	k, err := kemOf(info.Algorithm.Algorithm, c.Driver, c.To)
	return k, info.Key.Bytes, err
}

func (c *kemDecapCmd) Run(p *program) error {
	if err := refuseFIPS(); err != nil {
		return err
	}
	if (c.Input == "" || c.Input == "-") && c.Key == "-" {
		return usagef("standard input cannot have both the key and the ciphertext")
	}
	k, key, err := c.key(p)
	if err != nil {
		return err
	}
	defer clear(key)
	private, err := k.PrivateKey(key)
	if err != nil {
		return named(c.Key, err)
	}
	defer private.Wipe()
	ciphertext, err := p.readAll(c.Input)
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
		return named(name, err)
	}
	defer clear(sharedKey)
	return p.writeBoth(c.Force, part{c.Output, 0o600, line(sharedKey)})
}

func (c *kemDecapCmd) key(p *program) (catalog.KEM, []byte, error) {
	p.warnKey(c.Key)
	text, err := p.readAll(c.Key)
	if err != nil {
		return nil, nil, err
	}
	defer clear(text)
	if c.Raw {
		return rawKey(c.Set, c.Driver, c.Key, text)
	}
	if c.Set != "" {
		return nil, nil, errSetWithoutRaw
	}
	der, err := decodePEM(text, c.Key, pemPrivate)
	if err != nil {
		return nil, nil, err
	}
	defer clear(der)
	var info privateKeyInfo
	if rest, err := asn1.Unmarshal(der, &info); err != nil || len(rest) > 0 {
		return nil, nil, fmt.Errorf("%s: not a private key in PEM", quote(c.Key))
	}
	k, err := kemOf(info.Algorithm.Algorithm, c.Driver, c.Key)
	if err != nil {
		return nil, nil, err
	}
	// Some programs put a second OCTET STRING around the bytes of keys.
	if sizes := k.Sizes(); len(info.Key) != sizes.Private && len(info.Key) != sizes.Seed {
		var inner []byte
		if rest, err := asn1.Unmarshal(info.Key, &inner); err == nil && len(rest) == 0 {
			clear(info.Key)
			info.Key = inner
		}
	}
	return k, info.Key, nil
}

var errSetWithoutRaw = usageError{errors.New("--set: only makes sense with --raw, other keys say it themselves")}

// rawKey returns a key in hex digits.
func rawKey(set, driver, file string, text []byte) (catalog.KEM, []byte, error) {
	if set == "" {
		return nil, nil, usagef("--raw: say with --set of which set the key is")
	}
	k, err := kem(set, driver)
	if err != nil {
		return nil, nil, err
	}
	key, err := unhexLine(text, file)
	return k, key, err
}

// kemOf returns the set of an object identifier.
func kemOf(oid asn1.ObjectIdentifier, driver, file string) (catalog.KEM, error) {
	for name, known := range kemOIDs {
		if known.Equal(oid) {
			return kem(name, driver)
		}
	}
	return nil, fmt.Errorf("%s: a key of another algorithm (%v), want one of %s", quote(file), oid, kemNames())
}

// line is a line of hex digits.
func line(b []byte) []byte { return append(encodeHex(b), '\n') }

func unhexLine(text []byte, file string) ([]byte, error) {
	digits := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	b := make([]byte, len(digits)/2)
	if !decodeHex(b, digits) {
		return nil, fmt.Errorf("%s: not a line of hex digits", quote(file))
	}
	return b, nil
}

// kemFileLimit is more than any key or ciphertext has as text.
const kemFileLimit = 256 << 10

// readAll returns what is in a file.
func (p *program) readAll(file string) ([]byte, error) {
	in, err := p.open(file)
	if err != nil {
		return nil, err
	}
	if in.File != p.stdin {
		defer in.Close()
	}
	text, err := io.ReadAll(io.LimitReader(in, kemFileLimit+1))
	if err == nil && len(text) > kemFileLimit {
		err = errors.New("too long for a key or a ciphertext")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.name, reason(err))
	}
	return text, nil
}

// encodePEM is the format of RFC 7468. Unlike encoding/pem, it does not index a
// table by the key.
func encodePEM(kind string, der []byte) []byte {
	text := make([]byte, 0, 2*len(der)+100)
	text = append(text, "-----BEGIN "+kind+"-----\n"...)
	for i := 0; i < len(der); i += 48 {
		for group := range slices.Chunk(der[i:min(i+48, len(der))], 3) {
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
		text = append(text, '\n')
	}
	return append(text, "-----END "+kind+"-----\n"...)
}

func base64Digit(v int) byte {
	return byte(within(v, 26)&(v+'A') | within(v-26, 26)&(v-26+'a') | within(v-52, 10)&(v-52+'0') | within(v-62, 1)&'+' | within(v-63, 1)&'/')
}

// decodePEM returns what the first block of that kind has.
func decodePEM(text []byte, file, kind string) ([]byte, error) {
	begin, end := []byte("-----BEGIN "+kind+"-----"), []byte("-----END "+kind+"-----")
	_, body, ok := bytes.Cut(text, begin)
	body, _, ok2 := bytes.Cut(body, end)
	if !ok || !ok2 {
		return nil, fmt.Errorf("%s: has no %s in PEM; keys in hex digits want --raw", quote(file), kind)
	}
	der := make([]byte, 0, len(body))
	v, n, padding, bad := 0, 0, 0, 0
	for _, c := range body {
		switch c {
		case '\n', '\r', ' ', '\t':
			continue
		case '=':
			padding++
			continue
		}
		upper, lower, digit := within(int(c)-'A', 26), within(int(c)-'a', 26), within(int(c)-'0', 10)
		plus, slash := within(int(c)-'+', 1), within(int(c)-'/', 1)
		bad |= ^(upper | lower | digit | plus | slash)
		v = v<<6 | upper&(int(c)-'A') | lower&(int(c)-'a'+26) | digit&(int(c)-'0'+52) | plus&62 | slash&63
		if n++; n%4 == 0 {
			der = append(der, byte(v>>16), byte(v>>8), byte(v))
			v = 0
		}
	}
	switch n % 4 {
	case 1:
		bad = -1
	case 2:
		der = append(der, byte(v>>4))
	case 3:
		der = append(der, byte(v>>10), byte(v>>2))
	}
	if bad != 0 || (n+padding)%4 != 0 || padding > 2 {
		return nil, fmt.Errorf("%s: the %s is damaged", quote(file), kind)
	}
	return der, nil
}

// checkKEM checks that a driver finds the keys that it makes, and another one if
// the ciphertext was changed: the same as the portable driver.
func checkKEM(a catalog.Algorithm, driver string, seed []byte) error {
	plain, key, err := both(a, driver, seed)
	if err != nil {
		return err
	}
	for _, pair := range [][2]catalog.PrivateKey{{key, plain}, {plain, key}} {
		sharedKey, ciphertext := pair[0].PublicKey().Encapsulate()
		changed := bytes.Clone(ciphertext)
		changed[len(changed)/2] ^= 1
		back, err := pair[1].Decapsulate(ciphertext)
		if err != nil {
			return err
		}
		if !bytes.Equal(back, sharedKey) {
			return errBack
		}
		one, err := key.Decapsulate(changed)
		if err != nil {
			return err
		}
		other, err := plain.Decapsulate(changed)
		if err != nil {
			return err
		}
		if bytes.Equal(one, sharedKey) {
			return errAccepted
		}
		if !bytes.Equal(one, other) {
			return errWrong
		}
	}
	return nil
}

// both returns a private key with the portable driver and with another one.
func both(a catalog.Algorithm, driver string, seed []byte) (plain, key catalog.PrivateKey, err error) {
	for _, d := range []struct {
		name string
		key  *catalog.PrivateKey
	}{{"generic", &plain}, {driver, &key}} {
		k, err := a.KEM(d.name)
		if err == nil {
			*d.key, err = k.PrivateKey(seed)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return plain, key, nil
}

// crossCheckKEM is crossCheck with a random key.
func crossCheckKEM(a catalog.Algorithm, driver string) error {
	k, err := a.KEM(driver)
	if err != nil {
		return err
	}
	seed := random(k.Sizes().Seed)
	plain, key, err := both(a, driver, seed)
	if err != nil {
		return err
	}
	if !bytes.Equal(plain.Bytes(), key.Bytes()) {
		return errWrong
	}
	return checkKEM(a, driver, seed)
}

// operationsKEM returns what there is to time of a KEM.
func operationsKEM(a catalog.Algorithm, driver string) ([]speed.Case, error) {
	k, err := a.KEM(driver)
	if err != nil {
		return nil, err
	}
	key, err := k.GenerateKey()
	if err != nil {
		return nil, err
	}
	public, sizes := key.PublicKey(), k.Sizes()
	sharedKey, ciphertext := public.Encapsulate()
	made := make([]byte, sizes.Ciphertext)
	add := func(operation string, bytes int, run func()) speed.Case {
		return speed.Case{Algorithm: a.Name, Driver: driver, Operation: operation, Bytes: bytes, Run: func(n int) {
			for range n {
				run()
			}
		}}
	}
	return []speed.Case{
		add("generate", sizes.Public, func() {
			if _, err := k.GenerateKey(); err != nil {
				panic(err) // it has just made one
			}
		}),
		add("encapsulate", sizes.Ciphertext, func() { public.EncapsulateTo(sharedKey, made) }),
		add("decapsulate", sizes.Ciphertext, func() { key.DecapsulateTo(sharedKey, ciphertext) }),
	}, nil
}
