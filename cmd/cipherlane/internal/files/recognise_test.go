package files

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
)

// foreign contains files that decrypt cannot read.
var foreign = map[string]struct{ begin, name, tool string }{
	"age key":     {"# created: 2026-01-02T03:04:05Z\n# public key: age1xyz\nAGE-SECRET-KEY-1", "a key of age", ""},
	"openssl":     {"Salted__\x01\x02\x03\x04\x05\x06\x07\x08\xff", "a file of openssl enc", "openssl enc -d"},
	"openssl -a":  {"U2FsdGVkX1+abc=\n", "a file of openssl enc, in base64", "openssl enc -d -a"},
	"gpg -a":      {"-----BEGIN PGP MESSAGE-----\n\nhQEM", "an OpenPGP message", "gpg -d"},
	"gpg key":     {"-----BEGIN PGP PUBLIC KEY BLOCK-----\n", "an OpenPGP file (PUBLIC KEY BLOCK)", "gpg"},
	"gpg":         {"\x85\x01\x0c\x03\x01\x23\x45\x67\x89\xab\xcd\xef\x01", "an OpenPGP message", "gpg -d"},
	"gpg x25519":  {"\x84\x5e\x03\x01\x23\x45\x67\x89\xab\xcd\xef\x12", "an OpenPGP message", "gpg -d"},
	"gpg -c":      {"\x8c\x0d\x04\x09\x03\x0a\xff", "an OpenPGP message", "gpg -d"},
	"ssh":         {"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "a private key of ssh", ""},
	"ssh pub":     {"ssh-ed25519 AAAAC3Nza", "a public key of ssh", ""},
	"cms":         {"-----BEGIN CMS-----\nMIIB", "a CMS message", "openssl cms -decrypt -inform PEM"},
	"pem":         {"-----BEGIN EC PRIVATE KEY-----\nMHcC", "a PEM file (EC PRIVATE KEY)", ""},
	"vault":       {"$ANSIBLE_VAULT;1.1;AES256\n6239", "a file of ansible-vault", "ansible-vault decrypt"},
	"gzip":        {"\x1f\x8b\x08\x00\x00", "a gzip file", "gzip -d"},
	"zstd":        {"\x28\xb5\x2f\xfd\x04", "a zstd file", "zstd -d"},
	"xz":          {"\xfd7zXZ\x00\x00", "an xz file", "xz -d"},
	"bzip2":       {"BZh91AY&SY\x00", "a bzip2 file", "bzip2 -d"},
	"lz4":         {"\x04\x22\x4d\x18\x64", "an lz4 file", "lz4 -d"},
	"7z":          {"7z\xbc\xaf\x27\x1c\x00", "a 7z archive", "7z x"},
	"zip":         {"PK\x03\x04\x14\x00", "a zip archive", "unzip"},
	"tar":         {"name" + strings.Repeat("\x00", 253) + "ustar\x0000", "a tar archive", "tar x"},
	"pdf":         {"%PDF-1.7\n\xe2\xe3", "a PDF document", ""},
	"luks":        {"LUKS\xba\xbe\x00\x02", "a LUKS volume", "cryptsetup open"},
	"text":        {"Dear Bob,\r\n\tviele Grüße\n", "text", ""},
	"text in two": {strings.Repeat("ü", 300)[1:], "", ""},
	"long text":   {"a" + strings.Repeat("ü", 300), "text", ""},
}

func TestRecognise(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "key"), bytes.Repeat([]byte{1}, 16))
	for what, f := range foreign {
		head := []byte(f.begin)
		if len(head) > beginningSize {
			head = head[:beginningSize]
		}
		if name, tool := recognise(head); name != f.name || tool != f.tool {
			t.Errorf("%s: %q, %q", what, name, tool)
		}
		// As a file, followed by more bytes, and in a pipe.
		text := append([]byte(f.begin), inventory.Random(4000)...)
		if f.name == "text" {
			text = []byte(strings.Repeat(f.begin, 100))
		}
		clitest.Write(t, filepath.Join(dir, "my file"), text)
		words := f.name
		if words == "" {
			words = "wrong key"
		}
		o := c.Fails(t, cli.ExitFailed, words, "decrypt", "--key-file", "key", "-o", "out", "my file")
		if !strings.HasPrefix(o.Stderr, `cipherlane: "my file": `) || !strings.Contains(o.Stderr, f.tool) {
			t.Errorf("%s: %q", what, o.Stderr)
		}
		clitest.Call{Dir: dir, Stdin: bytes.NewReader(text)}.Fails(t, cli.ExitFailed, "standard input: ", "decrypt", "--key-file", "key")
	}
	if got := clitest.Entries(t, dir); got != "key my file" {
		t.Errorf("files: %s", got)
	}
	// Messages made by sm2 encrypt, too.
	clitest.Write(t, filepath.Join(dir, "k"), []byte("0123456789abcdef"))
	c.OK(t, "sm2", "keygen", "-o", "bob", "--public", "bob.pub")
	c.OK(t, "sm2", "encrypt", "--to", "bob.pub", "-o", "k.enc", "k")
	c.Fails(t, cli.ExitFailed, `is an SM2 message, not made by "cipherlane encrypt"; "cipherlane sm2 decrypt" opens it`, "decrypt", "--key-file", "key", "k.enc")
	// Messages of encrypt begin with random bytes.
	for range 100000 {
		head := make([]byte, beginningSize)
		rand.Read(head)
		if name, _ := recognise(head); name != "" {
			t.Logf("%x is %s", head[:16], name) // possible, once in a million
		}
	}
}

// TestKeyFits: the error for a key of another size names the algorithms that it fits.
func TestKeyFits(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("0123456789abcdef"))
	for _, n := range []int{8, 16, 24, 32} {
		clitest.Write(t, filepath.Join(dir, "key"), []byte(hex.EncodeToString(inventory.Random(n))+"\n"))
		for alg, want := range map[string]map[int]string{
			"aes-256-gcm": {16: "got 32 hex digits, a key for sm4-gcm or aes-128-gcm\n"},
			"aes-128-gcm": {32: "got 64 hex digits, a key for aes-256-gcm\n"},
			"aes-256-cbc": {16: "a key for aes-128-cbc\n", 24: "a key for aes-192-cbc\n"},
			"aes-256-xts": {32: "a key for aes-128-xts\n"},
			"aes-cbc":     {},
			"sm4-cbc":     {},
		} {
			args := []string{"encrypt", "--alg", alg}
			if !strings.HasSuffix(alg, "gcm") {
				args = []string{"cipher", "-q", alg, "--iv", strings.Repeat("0", 32)}
			}
			args = append(args, "-f", "--key-file", "key", "-o", "out", "text")
			a, _ := inventory.Find(alg)
			switch fits := want[n]; {
			case fits != "":
				c.Fails(t, cli.ExitFailed, fits, args...)
			case slices.Contains(a.KeySizes, n), alg == "aes-256-gcm" && n == sharedKeySize:
				c.OK(t, args...)
			default:
				c.Fails(t, cli.ExitFailed, "not a key: want ", args...)
			}
		}
	}
}
