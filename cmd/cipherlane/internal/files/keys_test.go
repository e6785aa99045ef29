package files

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

func TestKeygen(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	line := regexp.MustCompile(`^[0-9a-f]{32}\n$`)
	c.OK(t, "keygen", "-o", "key")
	first := clitest.Read(t, filepath.Join(dir, "key"))
	if !line.Match(first) {
		t.Errorf("key file %q", first)
	}
	if info, err := os.Stat(filepath.Join(dir, "key")); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	c.Fails(t, 1, "-f", "keygen", "-o", "key")
	if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "key")), first) {
		t.Error("a key file was overwritten")
	}
	// The new key must not inherit the mode of a file that others could read.
	if err := os.Chmod(filepath.Join(dir, "key"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.OK(t, "keygen", "-f", "-o", "key")
	if info, err := os.Stat(filepath.Join(dir, "key")); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode of the new file %v, %v", info.Mode(), err)
	}
	if bytes.Equal(clitest.Read(t, filepath.Join(dir, "key")), first) {
		t.Error("two keys are the same")
	}
	if out := c.OK(t, "keygen"); !line.MatchString(out) {
		t.Errorf("key on standard output %q", out)
	}
	if out := c.OK(t, "keygen", "--size", "32"); len(out) != 65 {
		t.Errorf("key of 32 bytes: %q", out)
	}
	c.Fails(t, 1, "no such file or directory", "keygen", "-o", "missing/key")
	c.Fails(t, 1, "is a directory", "keygen", "-f", "-o", ".")
	if got := clitest.Entries(t, dir); got != "key" {
		t.Errorf("files: %s", got)
	}
	f, err := os.OpenFile(filepath.Join(dir, "open"), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Chmod(0o644)
	if o := (clitest.Call{Stdout: f}).Run(t, "keygen"); o.Code != 0 || !strings.Contains(o.Stderr, "other users") {
		t.Errorf("a key into a file that others can read: exit code %d, standard error %q", o.Code, o.Stderr)
	}
}

func TestKeySources(t *testing.T) {
	dir := t.TempDir()
	key := clitest.Write(t, filepath.Join(dir, "key"), []byte("00112233445566778899aabbccddeeff\n"))
	text := clitest.Write(t, filepath.Join(dir, "text"), []byte("hello\n"))
	message := filepath.Join(dir, "message")
	clitest.Call{}.OK(t, "encrypt", "--key-file", key, "-o", message, text)

	f, err := os.Open(key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := clitest.Call{Files: []*os.File{f}}
	if got := c.OK(t, "decrypt", "--key-fd", "3", message); got != "hello\n" {
		t.Errorf("decrypted %q", got)
	}
	clitest.Call{Stdin: strings.NewReader("")}.Fails(t, 2, "both", "decrypt", "--key-fd", "0")
	clitest.Call{}.Fails(t, 1, "descriptor 57", "decrypt", "--key-fd", "57", message)
	clitest.Call{}.Fails(t, 2, "--key-fd", "decrypt", "--key-fd", "-1", message)
	clitest.Call{}.Fails(t, 1, "missing: no such file or directory", "decrypt", "--key-file", filepath.Join(dir, "missing"), message)
	clitest.Call{}.Fails(t, 1, "not a key", "decrypt", "--key-file", text, message)
	clitest.Call{}.Fails(t, 1, "is a directory", "decrypt", "--key-file", dir, message)

	// Standard input may contain the key, but not also the message.
	if got := (clitest.Call{Stdin: strings.NewReader(string(clitest.Read(t, key)))}).OK(t, "decrypt", "--key-file", "-", message); got != "hello\n" {
		t.Errorf("decrypted %q", got)
	}
	for _, args := range [][]string{
		{"decrypt", "--key-file", "-"},
		{"decrypt", "--key-file", "-", "-"},
		{"encrypt", "--key-file", "/dev/stdin"},
		{"cipher", "-q", "sm4-ecb", "--key-file", "-"},
		{"hash", "--hmac", "--key-file", "-"},
		{"hash", "--hmac", "--key-file", "-", text, "-"},
	} {
		clitest.Call{Stdin: strings.NewReader(string(clitest.Read(t, key)))}.Fails(t, 2, "cannot have both", args...)
	}
}

// TestKeyFileModes: every verb that reads a secret warns if others can read or change
// its file.
func TestKeyFileModes(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("hello\n"))
	clitest.Write(t, filepath.Join(dir, "pw"), []byte("secret\n"))
	c.OK(t, "keygen", "-o", "key")
	c.OK(t, "encrypt", "--key-file", "key", "-o", "text.enc", "text")
	c.OK(t, "sm2", "keygen", "-o", "sm2", "--public", "sm2.pub")
	c.OK(t, "sm2", "keygen", "-e", "--passphrase-file", "pw", "-o", "sm2e", "--public", "sm2e.pub")
	c.OK(t, "sm2", "encrypt", "--to", "sm2.pub", "-o", "text.sm2", "text")
	c.OK(t, "kem", "keygen", "-o", "kem", "--public", "kem.pub")
	c.OK(t, "kem", "encap", "--to", "kem.pub", "-o", "ct", "--secret", "k")
	for mode, can := range map[os.FileMode]string{0o600: "", 0o604: "read", 0o620: "change", 0o666: "read and change"} {
		for _, test := range []struct {
			file string
			args []string
		}{
			{"key", []string{"encrypt", "--key-file", "key", "text"}},
			{"key", []string{"decrypt", "--key-file", "key", "text.enc"}},
			{"key", []string{"cipher", "sm4-ecb", "-q", "--key-file", "key", "text"}},
			{"key", []string{"hash", "--hmac", "--key-file", "key", "text"}},
			{"sm2", []string{"sm2", "sign", "--key", "sm2", "text"}},
			{"sm2", []string{"sm2", "pubkey", "--key", "sm2"}},
			{"sm2", []string{"sm2", "decrypt", "--key", "sm2", "text.sm2"}},
			{"pw", []string{"sm2", "pubkey", "--key", "sm2e", "--passphrase-file", "pw"}},
			{"kem", []string{"kem", "decap", "--key", "kem", "ct"}},
		} {
			if err := os.Chmod(filepath.Join(dir, test.file), mode); err != nil {
				t.Fatal(err)
			}
			o := c.Run(t, test.args...)
			want := ""
			if can != "" {
				want = fmt.Sprintf("cipherlane: %s: warning: other users can %s this ", test.file, can)
			}
			if o.Code != 0 || !strings.HasPrefix(o.Stderr, want) || strings.Count(o.Stderr, "\n") != min(1, len(want)) {
				t.Errorf("%q, mode %o: %+v, want %q", test.args, mode, o, want)
			}
		}
	}
}
