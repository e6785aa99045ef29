package keys

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/internal/pkix"
	"github.com/cipherlane/cipherlane/sm2"
	"github.com/cipherlane/cipherlane/sm3"
	"golang.org/x/crypto/scrypt"
)

// SM2Cmd is the verb sm2.
type SM2Cmd struct {
	Keygen  sm2KeygenCmd  `cmd:"" help:"Generate a private key and its public key."`
	Pubkey  sm2PubkeyCmd  `cmd:"" help:"Print the public key of a private key."`
	Sign    sm2SignCmd    `cmd:"" help:"Sign a file or stream of any length."`
	Verify  sm2VerifyCmd  `cmd:"" help:"Check a signature."`
	Cert    sm2CertCmd    `cmd:"" help:"Make certificates and requests for them, for tests."`
	Encrypt sm2EncryptCmd `cmd:"" help:"Encrypt a short message, such as a key, with a public key."`
	Decrypt sm2DecryptCmd `cmd:"" help:"Decrypt a message with the private key."`
}

// Help returns the description of the verb, with examples.
func (SM2Cmd) Help() string {
	return `Signatures and encryption of GB/T 32918, with file formats that OpenSSL, GmSSL, gmsm and
BouncyCastle read and write. Keys are in PEM (PKCS #8, SEC 1, SubjectPublicKeyInfo) or,
if a file contains nothing else, in hex digits: 64 for a private key, 130 for a public
key. Keys in DER are read, too, DER as base64 or hex digits, PEM with another label, and
hex digits as numbers are printed: with 0x or 00 in front, or without leading zeros or the
04 of a public key. So are certificates, which are only used for the public key that they
contain: signature and expiry are not checked. Private keys may be encrypted with a
passphrase, which is asked for or read from --passphrase-file or --passphrase-fd.

Examples: Bob signs a report. Alice verifies it and sends Bob an encrypted film with its key.

    bob$   cipherlane sm2 keygen --encrypt -o bob.pem --public bob.pub
    bob$   cipherlane sm2 sign --key bob.pem -o report.sig report.pdf
    alice$ cipherlane sm2 verify --public bob.pub --signature report.sig report.pdf
    alice$ cipherlane keygen -o k
    alice$ cipherlane encrypt --key-file k -o film.enc film.mp4
    alice$ cipherlane sm2 encrypt --to bob.pub -o k.enc k
    bob$   cipherlane sm2 decrypt --key bob.pem -o k k.enc`
}

type sm2DriverFlag struct {
	Driver string `placeholder:"NAME" help:"Use this driver (see \"cipherlane list sm2\")."`
}

type sm2IDFlag struct {
	ID *string `name:"id" empty:"" placeholder:"STRING" help:"User ID of the signer; it must be the same for signing and verifying. Default: 1234567812345678."`
}

type sm2KeygenCmd struct {
	sm2DriverFlag
	Output string `short:"o" required:"" placeholder:"FILE" help:"Write the private key to this file, readable only by you (mode 0600); - for standard output."`
	Public string `placeholder:"FILE" help:"Write the public key to this file."`
	encryptFlags
	Hex   bool `help:"Write hex digits instead of PEM."`
	Force bool `short:"f" help:"Replace existing files. Messages encrypted for the old key can no longer be read."`
}

func (sm2KeygenCmd) Help() string {
	return `Encrypted keys are in PKCS #8 with PBES2. OpenSSL, gmsm and BouncyCastle read them as
encrypted by default; for GmSSL, use --kdf pbkdf2-sm3-gmssl --cipher sm4. To use SM3 and SM4
with OpenSSL 3.1 and later and with Tongsuo, use --kdf pbkdf2-sm3 --cipher sm4.

Examples:

    cipherlane sm2 keygen -o my.pem --public my.pub
    cipherlane sm2 keygen --encrypt -o my.pem --public my.pub
    cipherlane sm2 keygen --encrypt --kdf pbkdf2-sm3-gmssl --cipher sm4 -o for-gmssl.pem --public for-gmssl.pub`
}

type sm2PubkeyCmd struct {
	PrivateFlags
	Output string `short:"o" placeholder:"FILE" help:"Write to this file; default: standard output."`
	Hex    bool   `help:"Write hex digits instead of PEM."`
	Force  bool   `short:"f" help:"Replace an existing file."`
}

func (sm2PubkeyCmd) Help() string {
	return `Example:

    cipherlane sm2 pubkey --key my.pem -o my.pub`
}

type sm2SignCmd struct {
	PrivateFlags
	sm2IDFlag
	cli.TransferFlags
	sm2DriverFlag
	Raw           bool `help:"Write the signature as two concatenated numbers, 64 bytes, instead of DER."`
	Deterministic bool `help:"Always produce the same signature for the same message (RFC 6979 with SM3)."`
}

func (sm2SignCmd) Help() string {
	return `Signs the SM3 hash of the user ID, the public key and the message. OpenSSL verifies the
signature with

    openssl dgst -sm3 -verify my.pub -sigopt distid:1234567812345678 -signature report.sig report.pdf

or with -sigopt distid: if it was made with an empty ID (--id "").

Examples:

    cipherlane sm2 sign --key my.pem -o report.sig report.pdf
    tar c photos | cipherlane sm2 sign --key my.pem --id alice@example.org > photos.sig`
}

type sm2VerifyCmd struct {
	sm2IDFlag
	sm2DriverFlag
	Input     string `arg:"" optional:"" name:"file" help:"Message; default: standard input."`
	Public    string `required:"" placeholder:"FILE" help:"Public key of the signer."`
	Signature string `required:"" placeholder:"FILE" help:"The signature."`
	Raw       bool   `help:"The signature is two concatenated numbers, 64 bytes, instead of DER."`
	Status    bool   `help:"Print nothing; the exit code shows the result."`
	JSON      bool   `help:"Print JSON."`
	cli.ProgressFlag
}

func (sm2VerifyCmd) Help() string {
	return `Prints the name of the file and OK or FAILED. The exit code is 0 for OK and 1 otherwise.
The signature is verified with the user ID of --id only. Signatures that "openssl dgst
-sm3 -sign" made without -sigopt distid have an empty ID (--id "") before OpenSSL 4.0, and
the default ID since. If the signature is right with the other of these IDs, verify says so.

Examples:

    cipherlane sm2 verify --public bob.pub --signature report.sig report.pdf
    cipherlane sm2 verify --public bob.pub --signature photos.sig < photos.tar && tar x < photos.tar`
}

type sm2EncryptCmd struct {
	cli.TransferFlags
	sm2DriverFlag
	To     string `required:"" placeholder:"FILE" help:"Public key of the recipient."`
	Raw    bool   `help:"Write the parts C1, C3, C2 concatenated instead of DER (GB/T 32918.4-2016)."`
	C1C2C3 bool   `name:"c1c2c3" help:"Like --raw, but in the order C1, C2, C3, used before 2016."`
}

func (sm2EncryptCmd) Help() string {
	return `Anybody who has the public key can encrypt a message; decrypting does not show who did.
A message can be almost 16 MiB long, but is held in memory as a whole. For long messages,
use "cipherlane encrypt" and encrypt only its key with SM2.

Examples:

    cipherlane sm2 encrypt --to bob.pub -o k.enc k
    cipherlane sm2 encrypt --to bob.pub --raw < k > k.enc`
}

type sm2DecryptCmd struct {
	PrivateFlags
	cli.TransferFlags
	sm2DriverFlag
	Raw    bool `help:"The message is the parts C1, C3, C2 concatenated instead of DER (GB/T 32918.4-2016)."`
	C1C2C3 bool `name:"c1c2c3" help:"Like --raw, but in the order C1, C2, C3, used before 2016."`
}

func (sm2DecryptCmd) Help() string {
	return `Writes the message to standard output or to a file that only you can read (mode 0600; a
file replaced with -f keeps its mode). Binary data is not written to a terminal unless
you specify -o -. Nothing is written if the ciphertext was modified or is for another
key.

Examples:

    cipherlane sm2 decrypt --key bob.pem -o k k.enc
    openssl pkeyutl -encrypt -pubin -inkey bob.pub -in k | cipherlane sm2 decrypt --key bob.pem`
}

func (c *sm2KeygenCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	hexFlag := ""
	if c.Hex {
		hexFlag = "--hex"
	}
	if err := c.check(hexFlag); err != nil {
		return err
	}
	generate := sm2.GenerateKey
	if c.Driver != "" {
		d, err := sm2.On(c.Driver)
		if err != nil {
			return err
		}
		generate = d.GenerateKey
	}
	p.Reads(c.PassphraseFile)
	if err := p.CheckPair(c.Force, c.Output, c.Public); err != nil { // before asking for a passphrase
		return err
	}
	key, err := generate()
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
		parts = append(parts, cli.Part{File: c.Public, Mode: 0o666, Text: encodeSM2Public(key.PublicKey(), c.Hex)})
	}
	return p.WriteBoth(c.Force, parts...)
}

// encode returns the text of the private key.
func (c *sm2KeygenCmd) encode(p *cli.Program, key *sm2.PrivateKey) ([]byte, error) {
	if c.Hex {
		b := key.Bytes()
		defer clear(b)
		return line(b), nil
	}
	return c.pem(p, c.Output,
		func() ([]byte, error) { return sm2.MarshalPKCS8PrivateKey(key), nil },
		func(passphrase []byte, options *sm2.KeyEncryption) ([]byte, error) {
			return sm2.MarshalEncryptedPrivateKey(key, passphrase, options)
		})
}

func encodeSM2Public(key *sm2.PublicKey, hex bool) []byte {
	if hex {
		return line(key.Bytes())
	}
	return EncodePEM(pemPublic, sm2.MarshalPKIXPublicKey(key))
}

func (c *sm2PubkeyCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if err := c.checkOutput(p, c.Force, c.Output); err != nil {
		return err
	}
	key, err := c.private(p, "")
	if err != nil {
		return err
	}
	defer key.Wipe()
	return p.WriteBoth(c.Force, cli.Part{File: c.Output, Mode: 0o666, Text: encodeSM2Public(key.PublicKey(), c.Hex)})
}

func (c *sm2SignCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if c.Output == "" && p.Terminal() {
		return cli.ErrBinary
	}
	if err := c.refuseTwice(c.Input, "message"); err != nil {
		return err
	}
	if err := c.checkOutput(p, c.Force, c.Output, c.Input); err != nil {
		return err
	}
	key, err := c.private(p, c.Driver)
	if err != nil {
		return err
	}
	defer key.Wipe()
	return c.Transfer(p, "signing", func(in *cli.InputFile, out *cli.Output) error {
		digest, err := c.digest(key.PublicKey(), in)
		if err != nil {
			return err
		}
		var random io.Reader = rand.Reader
		if c.Deterministic {
			random = nil
		}
		if c.Raw {
			signature, err := key.SignRaw(random, digest)
			if err != nil {
				return err
			}
			_, err = out.Write(signature[:])
			return err
		}
		signature, err := key.Sign(random, digest, nil)
		if err != nil {
			return err
		}
		_, err = out.Write(signature)
		return err
	})
}

// digest returns the digest of a message to sign or verify.
func (c *sm2IDFlag) digest(key *sm2.PublicKey, in *cli.InputFile) ([]byte, error) {
	var id []byte
	if c.ID != nil {
		id = append(make([]byte, 0, 1), *c.ID...) // not nil, which means the default ID
	}
	h, err := key.NewDigest(&sm2.SignatureOptions{ID: id})
	if err != nil {
		return nil, cli.Usagef("--id: %w", err)
	}
	if _, err := io.Copy(h, in); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

type sm2VerifyDocument struct {
	Schema int    `json:"schema"`
	File   string `json:"file"`
	Status string `json:"status"` // ok or failed
}

func (c *sm2VerifyCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	stdin := 0
	for _, file := range []string{cmp.Or(c.Input, "-"), c.Public, c.Signature} {
		if file == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return cli.Usagef("standard input cannot have more than one of message, key and signature")
	}
	key, err := sm2Public(p, c.Public, c.Driver)
	if err != nil {
		return err
	}
	signature, err := readAll(p, c.Signature, "signature")
	if err != nil {
		return err
	}
	if err := c.checkForm(signature); err != nil {
		return err
	}
	in, err := p.Open(c.Input)
	if err != nil {
		return err
	}
	if in.File != p.Stdin {
		defer in.Close()
	}
	start, _ := in.Seek(0, io.SeekCurrent) // fails for pipes
	in.Progress = p.Progress(c.Progress, "verifying", in.Size(), true)
	digest, err := c.digest(key, in)
	in.Progress.Stop()
	if err != nil {
		return err
	}
	ok := c.valid(key, digest, signature)
	name := cmp.Or(c.Input, "-")
	switch {
	case c.JSON:
		status := "failed"
		if ok {
			status = "ok"
		}
		if err := p.JSON(sm2VerifyDocument{1, name, status}); err != nil {
			return err
		}
	case !c.Status:
		word := "FAILED"
		if ok {
			word = "OK"
		}
		fmt.Fprintf(p.Stdout, "%s: %s\n", cli.Quote(name), word)
	}
	if ok {
		return nil
	}
	if !c.Status {
		if advice := c.fitsOtherwise(key, in, start, signature); advice != "" {
			p.Warn("%s: %s", cli.Quote(c.Signature), advice)
		}
	}
	return cli.ErrReported
}

// checkForm returns an error with advice if the file is not a signature in the expected
// format.
func (c *sm2VerifyCmd) checkForm(signature []byte) error {
	file := cli.Quote(c.Signature)
	isDER := func(b []byte) bool {
		all := pkix.Read(b)
		numbers := all.In(pkix.Sequence)
		numbers.Next(pkix.Integer)
		numbers.Next(pkix.Integer)
		return all.Done() && numbers.Done()
	}
	der := isDER(signature)
	for _, text := range texts(signature) {
		if !der && len(signature) != 64 && (isDER(text.bytes) || len(text.bytes) == 64) {
			return fmt.Errorf("%s: is a signature as %s; decode it first (%s)", file, text.name, text.tool)
		}
	}
	switch {
	case c.Raw && len(signature) == 64, !c.Raw && der:
		return nil
	case c.Raw && der:
		return fmt.Errorf("%s: is a signature in DER; leave out --raw", file)
	case c.Raw:
		return fmt.Errorf("%s: not a signature: has %d bytes, want 64", file, len(signature))
	case len(signature) == 64:
		return fmt.Errorf("%s: not a signature in DER; for signatures of 64 bytes, use --raw", file)
	default:
		return fmt.Errorf("%s: not a signature in DER", file)
	}
}

// fitsOtherwise returns how a signature that does not fit as it was asked for fits after all,
// or "". It reads the message again from an offset, which only regular files allow.
func (c *sm2VerifyCmd) fitsOtherwise(key *sm2.PublicKey, in *cli.InputFile, start int64, signature []byte) string {
	if in.Size() < 0 {
		return ""
	}
	in.Progress = nil
	if _, err := in.Seek(start, io.SeekStart); err != nil {
		return ""
	}
	advice := []string{
		`is valid with an empty user ID, which OpenSSL before 4.0 uses unless it is told one; use --id ""`,
		"is valid with the default user ID; leave out --id",
		"signs the SM3 hash of the message without a user ID and the public key, which GB/T 32918 does not allow",
	}
	hashes := make([]hash.Hash, 0, len(advice))
	for _, id := range []string{"", sm2.DefaultID} {
		h, err := key.NewDigest(&sm2.SignatureOptions{ID: append(make([]byte, 0, 1), id...)})
		if err != nil {
			return ""
		}
		hashes = append(hashes, h)
	}
	hashes = append(hashes, sm3.New())
	if _, err := io.Copy(io.MultiWriter(hashes[0], hashes[1], hashes[2]), in); err != nil {
		return ""
	}
	for i, h := range hashes {
		if c.valid(key, h.Sum(nil), signature) {
			return advice[i]
		}
	}
	return ""
}

func (c *sm2VerifyCmd) valid(key *sm2.PublicKey, digest, signature []byte) bool {
	if c.Raw {
		return key.VerifyRaw(digest, signature)
	}
	return key.Verify(digest, signature)
}

// ReadWhole reads an input that must be in memory as a whole. The error for an input
// above the limit ends with advice.
func ReadWhole(in *cli.InputFile, limit int, advice string) ([]byte, error) {
	message, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(message) > limit {
		clear(message)
		return nil, fmt.Errorf("%s: is longer than %d bytes%s", in.DisplayName, limit, advice)
	}
	return message, nil
}

func sm2Format(raw, c1c2c3 bool) sm2.Format {
	switch {
	case c1c2c3:
		return sm2.C1C2C3
	case raw:
		return sm2.C1C3C2
	default:
		return sm2.ASN1
	}
}

func (c *sm2EncryptCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if err := c.RefuseTerminal(p); err != nil {
		return err
	}
	if c.To == "-" && (c.Input == "" || c.Input == "-") {
		return cli.Usagef("standard input cannot have both the key and the message")
	}
	key, err := sm2Public(p, c.To, c.Driver)
	if err != nil {
		return err
	}
	return c.Transfer(p, "encrypting", func(in *cli.InputFile, out *cli.Output) error {
		message, err := ReadWhole(in, sm2.MaxMessage, ", the maximum; \"cipherlane encrypt\" accepts any length")
		if err != nil {
			return err
		}
		defer clear(message)
		if len(message) == 0 {
			return fmt.Errorf("%s: is empty; SM2 encrypts messages of at least one byte", in.DisplayName)
		}
		ciphertext, err := key.Encrypt(message, sm2Format(c.Raw, c.C1C2C3))
		if err != nil {
			return err
		}
		_, err = out.Write(ciphertext)
		return err
	})
}

// sm2CiphertextLimit is slightly larger than the ciphertext of the longest message.
const sm2CiphertextLimit = sm2.MaxMessage + 256

func (c *sm2DecryptCmd) Run(p *cli.Program) error {
	if err := inventory.RefuseFIPS(); err != nil {
		return err
	}
	if err := c.refuseTwice(c.Input, "ciphertext"); err != nil {
		return err
	}
	if err := c.checkOutput(p, c.Force, c.Output, c.Input); err != nil {
		return err
	}
	key, err := c.private(p, c.Driver)
	if err != nil {
		return err
	}
	defer key.Wipe()
	return c.Transfer(p, cli.Decrypting, func(in *cli.InputFile, out *cli.Output) error {
		ciphertext, err := ReadWhole(in, sm2CiphertextLimit, ": too long for a ciphertext of SM2")
		if err != nil {
			return err
		}
		format := sm2Format(c.Raw, c.C1C2C3)
		message, err := key.Decrypt(nil, ciphertext, format)
		if errors.Is(err, sm2.ErrDecryption) {
			return fmt.Errorf("%s: not a ciphertext for this key, or damaged%s", in.DisplayName, otherFormat(key, ciphertext, format))
		}
		if err != nil {
			return err
		}
		defer clear(message)
		_, err = out.Write(message)
		return err
	})
}

// otherFormat returns advice if a ciphertext can be decrypted in another format. Many programs
// print ciphertexts, and leave out the first byte of C1, 04.
func otherFormat(key *sm2.PrivateKey, ciphertext []byte, used sm2.Format) string {
	forms := append([]textForm{{bytes: ciphertext}}, texts(ciphertext)...)
	for _, form := range forms {
		for _, format := range []sm2.Format{sm2.ASN1, sm2.C1C3C2, sm2.C1C2C3} {
			for _, prefix := range []string{"", "\x04"} {
				message, err := key.Decrypt(nil, append([]byte(prefix), form.bytes...), format)
				if err != nil {
					continue
				}
				clear(message)
				var steps []string
				if form.name != "" {
					steps = append(steps, "decode it from "+form.name+" ("+form.tool+")")
				}
				if prefix != "" {
					steps = append(steps, "put the byte 04, which C1 lacks, in front of it")
				}
				if format != used {
					steps = append(steps, map[sm2.Format]string{
						sm2.ASN1:   "leave out --raw and --c1c2c3",
						sm2.C1C3C2: "use --raw",
						sm2.C1C2C3: "use --c1c2c3",
					}[format])
				}
				return "; it can be decrypted in another format: " + strings.Join(steps, ", ")
			}
		}
	}
	return ""
}

// A textForm is what a text stands for, in one of the ways to write bytes as text.
type textForm struct {
	name, tool string
	bytes      []byte
}

// texts returns what a text can stand for.
func texts(text []byte) (forms []textForm) {
	text = cli.DecodeText(text)
	if b, ok := decodeDigits(text); ok {
		forms = append(forms, textForm{"hex digits", "xxd -r -p", b})
	}
	if b, ok := decodeBase64(text); ok {
		forms = append(forms, textForm{"base64", "base64 -d", b})
	}
	return forms
}

// private reads the private key, with a driver.
func (c *PrivateFlags) private(p *cli.Program, driver string) (*sm2.PrivateKey, error) {
	d, err := sm2.On(cmp.Or(driver, "generic"))
	if err != nil {
		return nil, err
	}
	text, err := readKeyText(p, c.Key)
	if err != nil {
		return nil, err
	}
	defer clear(text)
	key, err := c.Parse(p, text)
	if err != nil {
		return nil, err
	}
	warnKey(p, c.Key)
	if driver == "" {
		return key, nil
	}
	defer key.Wipe()
	b := key.Bytes()
	defer clear(b)
	return d.NewPrivateKey(b)
}

// Parse reads a private key of SM2 in any of its forms.
func (c *PrivateFlags) Parse(p *cli.Program, text []byte) (*sm2.PrivateKey, error) {
	private, public := sm2Digits(text)
	defer clear(private)
	switch {
	case private != nil:
		key, err := sm2.NewPrivateKey(private)
		return key, cli.WithFileName(c.Key, err)
	case public != nil:
		return nil, fmt.Errorf("%s: is a public key, want the private one", cli.Quote(c.Key))
	}
	var key *sm2.PrivateKey
	err := c.read(p, "sm2", text,
		func(kind string, der []byte) (err error) {
			if kind == PEMPrivate {
				key, err = sm2.ParsePKCS8PrivateKey(der)
			} else {
				key, err = sm2.ParseECPrivateKey(der)
			}
			if err != nil {
				err = cmp.Or(otherAlgorithm(der, kind, c.Key, "SM2"), cli.WithFileName(c.Key, err))
			}
			return err
		},
		func(der, passphrase []byte) (err error) {
			key, err = sm2.ParseEncryptedPrivateKey(der, passphrase, &sm2.KeyEncryption{Scrypt: scrypt.Key})
			return err
		})
	return key, err
}

// sm2Digits returns the key that a file of hex digits contains, private or public, or nil.
// Programs that print numbers leave out zeros in front of private keys, or write one more;
// others leave out the first byte of public keys, 04. A private key that lacks more than four
// bytes is not one: one in 2^32 does, and some other key is more likely.
func sm2Digits(text []byte) (private, public []byte) {
	b, _ := decodeDigits(text)
	switch n := len(b); {
	case n == 65 || n == 33 && b[0]&^1 == 2:
		if b[0] == 6|b[n-1]&1 { // hybrid form
			b[0] = 4
		}
		return nil, b
	case n == 64:
		return nil, append([]byte{4}, b...)
	case n >= 28 && n <= 32, n == 33 && b[0] == 0:
		private = make([]byte, max(n, 32))
		copy(private[len(private)-n:], b)
		clear(b)
		return private[len(private)-32:], nil
	}
	clear(b)
	return nil, nil
}

// sm2Public reads a public key, with a driver.
func sm2Public(p *cli.Program, file, driver string) (*sm2.PublicKey, error) {
	read := sm2.NewPublicKey
	if driver != "" {
		d, err := sm2.On(driver)
		if err != nil {
			return nil, err
		}
		read = d.NewPublicKey
	}
	text, err := readKeyText(p, file)
	if err != nil {
		return nil, err
	}
	defer clear(text) // it may be the private key by mistake
	private, public := sm2Digits(text)
	defer clear(private)
	switch {
	case private != nil:
		return nil, errIsPrivate("sm2", file)
	case public != nil:
		key, err := read(public)
		return key, cli.WithFileName(file, err)
	}
	key, err := ParseSM2Public("sm2", text, file)
	if err != nil {
		return nil, err
	}
	return read(key.Bytes())
}

// ParseSM2Public parses a public key, or a certificate with one, in PEM or DER. The verb, if there is
// one, has a verb pubkey.
func ParseSM2Public(verb string, text []byte, file string) (*sm2.PublicKey, error) {
	kind, der, err := firstKey(verb, text, file, pemPublic, pemCertificate)
	if err != nil {
		return nil, err
	}
	parse := sm2.ParsePKIXPublicKey
	if kind == pemCertificate {
		parse = sm2.ParseCertificatePublicKey
	}
	key, err := parse(der)
	if err != nil {
		return nil, cmp.Or(otherAlgorithm(der, kind, file, "SM2"), cli.WithFileName(file, err))
	}
	return key, nil
}
