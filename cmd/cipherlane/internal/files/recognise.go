package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// formats are the beginnings of files that users may mistake for messages of encrypt.
// The first match is used.
var formats = []struct {
	begin *regexp.Regexp
	name  string
	tool  string // opens such a file
}{
	{begins(`age-encryption\.org/v\d`), "an age file", "age -d"},
	{begins(`\s*-----BEGIN AGE ENCRYPTED FILE-----`), "an age file", "age -d"},
	{begins(`AGE-SECRET-KEY-|# created: \S+\n# public key: age1`), "a key of age", ""},
	{begins(`Salted__`), "a file of openssl enc", "openssl enc -d"},
	{begins(`U2FsdGVkX1`), "a file of openssl enc, in base64", "openssl enc -d -a"},
	{begins(`\s*-----BEGIN PGP MESSAGE-----`), "an OpenPGP message", "gpg -d"},
	{begins(`\s*-----BEGIN PGP ([A-Z ]+)-----`), "an OpenPGP file", "gpg"},
	{begins(`(\x84.|\x85..|\xc1[\x01-\xbf]|\xc1[\xc0-\xdf].)\x03.{8}[\x01\x02\x10\x12\x13\x16\x19-\x1b]`), "an OpenPGP message", "gpg -d"}, // for a public key
	{begins(`(\x8c.|\xc3[\x01-\xbf])\x04[\x01-\x0d][\x00\x01\x03\x04]`), "an OpenPGP message", "gpg -d"},                                   // for a passphrase
	{begins(`\s*-----BEGIN OPENSSH PRIVATE KEY-----`), "a private key of ssh", ""},
	{begins(`(ssh-(rsa|dss|ed25519)|ecdsa-sha2-\S+|sk-\S+@openssh\.com) AAAA`), "a public key of ssh", ""},
	{begins(`\s*-----BEGIN (CMS|PKCS7)-----`), "a CMS message", "openssl cms -decrypt -inform PEM"},
	{begins(`\s*-----BEGIN ([A-Z0-9 ]+)-----`), "a PEM file", ""},
	{begins(`\$ANSIBLE_VAULT;`), "a file of ansible-vault", "ansible-vault decrypt"},
	{begins(`scrypt\x00`), "a file of scrypt", "scrypt dec"},
	{begins(`AES[\x00-\x03]\x00`), "a file of AES Crypt", "aescrypt -d"},
	{begins(`RCLONE\x00\x00`), "a file of rclone", ""},
	{begins(`LUKS\xba\xbe`), "a LUKS volume", "cryptsetup open"},
	{begins(`\x30(.|\x81.|\x82..|\x83...)\x02[\x20\x21].{32,33}\x02[\x1f-\x21]`), "an SM2 message", "cipherlane sm2 decrypt"},
	{begins(`\x1f\x8b\x08`), "a gzip file", "gzip -d"},
	{begins(`\x28\xb5\x2f\xfd`), "a zstd file", "zstd -d"},
	{begins(`\xfd7zXZ\x00`), "an xz file", "xz -d"},
	{begins(`BZh[1-9]1AY&SY`), "a bzip2 file", "bzip2 -d"},
	{begins(`\x04\x22\x4d\x18`), "an lz4 file", "lz4 -d"},
	{begins(`7z\xbc\xaf\x27\x1c`), "a 7z archive", "7z x"},
	{begins(`PK(\x03\x04|\x05\x06)`), "a zip archive", "unzip"},
	{begins(`.{257}ustar`), "a tar archive", "tar x"},
	{begins(`%PDF-`), "a PDF document", ""},
	{begins(`\x89PNG\r\n`), "a PNG image", ""},
	{begins(`\xff\xd8\xff`), "a JPEG image", ""},
	{begins(`\x7fELF`), "a program", ""},
}

// begins returns an expression for the beginning of a text made by latin1. Package
// regexp only supports UTF-8, so latin1 converts each byte to a character.
func begins(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(?s:` + pattern + `)`) }

func latin1(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// recognise returns what kind of file begins with head and the tool that opens it. It
// returns "" if the file may be a message of encrypt, which has no characteristic
// beginning.
func recognise(head []byte) (name, tool string) {
	text := latin1(head)
	for _, f := range formats {
		if m := f.begin.FindStringSubmatch(text); m != nil {
			if f.name == "a PEM file" || f.name == "an OpenPGP file" {
				return f.name + " (" + m[1] + ")", f.tool
			}
			return f.name, f.tool
		}
	}
	for cut := 0; cut < utf8.UTFMax && cut < len(head); cut++ { // the last character may be incomplete
		if part := head[:len(head)-cut]; utf8.Valid(part) && !bytes.ContainsFunc(part, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) {
			return "text", ""
		}
	}
	return "", ""
}

var errConverted = errors.New("a program has converted it as if it were text, as editors, FTP in ASCII mode and PowerShell's > do; copy it again in binary mode, or encrypt with --armor")

// replaced reports whether a piece of ciphertext has been read as UTF-8 and written again: most
// of its bytes then are the replacement character.
func replaced(b []byte) bool { return bytes.Count(b, []byte("\ufffd")) >= 3 }

// A beginning is an input whose first bytes are kept.
type beginning struct {
	io.Reader
	head []byte
}

// beginningSize is enough to distinguish all formats.
const beginningSize = 512

func (b *beginning) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if room := beginningSize - len(b.head); room > 0 {
		b.head = append(b.head, p[:min(n, room)]...)
	}
	return n, err
}

// foreign returns a better error for an input that could not be decrypted, if it is a
// file of another program.
func (b *beginning) foreign(input string, err error) error {
	if _, e := io.CopyN(io.Discard, b, int64(beginningSize-len(b.head))); e != nil && e != io.EOF {
		return err
	}
	name, tool := recognise(b.head)
	if name == "" && !replaced(cli.DecodeText(b.head)) {
		return err
	}
	if input == "" || input == "-" {
		input = "standard input"
	} else {
		input = cli.Quote(input)
	}
	if replaced(cli.DecodeText(b.head)) {
		return cli.AsNamed(fmt.Errorf("%s: damaged: %w", input, errConverted))
	}
	if tool == "" {
		return cli.AsNamed(fmt.Errorf("%s: is %s, not made by \"cipherlane encrypt\"", input, name))
	}
	return cli.AsNamed(fmt.Errorf("%s: is %s, not made by \"cipherlane encrypt\"; %q opens it", input, name, tool))
}
