package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

func TestHex(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
	}
	if got, want := string(encodeHex(all)), hex.EncodeToString(all); got != want {
		t.Errorf("encodeHex: %s, want %s", got, want)
	}
	for i := range 256 {
		for _, pair := range []string{string([]byte{byte(i), '7'}), string([]byte{'7', byte(i)})} {
			want, err := hex.DecodeString(pair)
			got := make([]byte, 1)
			if ok := decodeHex(got, []byte(pair)); ok != (err == nil) || ok && got[0] != want[0] {
				t.Errorf("decodeHex(%q) = %x, %v, want %x, %v", pair, got, ok, want, err)
			}
		}
	}
	if decodeHex(make([]byte, 2), []byte("123")) || decodeHex(make([]byte, 1), []byte("1234")) {
		t.Error("decodeHex accepted a wrong length")
	}
}

func TestReadKey(t *testing.T) {
	raw := []byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff")
	digits := "00112233445566778899aabbccddeeff"
	for _, text := range []string{digits, digits + "\n", digits + "\r\n", strings.ToUpper(digits) + "\n", " \t\v\f" + digits + "\n\n", string(raw)} {
		for _, sizes := range [][]int{{16}, {16, 32}} {
			got, err := readKey(strings.NewReader(text), "key", sizes)
			if err != nil || !bytes.Equal(got, raw) {
				t.Errorf("%q: %x, %v", text, got, err)
			}
		}
	}
	newlines := strings.Repeat("\n", 16) // a valid raw key
	if got, err := readKey(strings.NewReader(newlines), "key", []int{16}); err != nil || string(got) != newlines {
		t.Errorf("a key of line ends: %q, %v", got, err)
	}
	// Hex digits are never used as raw bytes, whatever size is wanted.
	for n := range 70 {
		text := strings.Repeat("a", n)
		for _, sizes := range [][]int{{16}, {32}, {16, 24, 32}, {8}, nil} {
			got, err := readKey(strings.NewReader(text), "key", sizes)
			if want := n > 0 && n%2 == 0 && (sizes == nil || slices.Contains(sizes, n/2)); want != (err == nil) || err == nil && len(got) != n/2 {
				t.Errorf("%d digits for %v: %x, %v", n, sizes, got, err)
			}
		}
	}
	longKey := strings.Repeat(digits, 2)
	if got, err := readKey(strings.NewReader(longKey), "key", []int{16, 32}); err != nil || len(got) != 32 {
		t.Errorf("64 digits: %x, %v", got, err)
	}
	for _, text := range []string{
		"", "\n", digits[:31], digits + "0", digits[:16], " " + digits[:14] + "\n", "0x" + digits[2:], strings.Replace(digits, "a", "g", 1),
		string(raw[:15]), string(raw) + "\n", longKey,
	} {
		got, err := readKey(strings.NewReader(text), "key", []int{16})
		if err == nil {
			t.Errorf("%q: taken as key %x", text, got)
		} else if !strings.HasPrefix(err.Error(), "key: not a key: want 32 hex digits or 16 bytes, got ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, sizes := range [][]int{{16}, nil} {
		for _, n := range []int{1024, 5000} {
			if _, err := readKey(strings.NewReader(strings.Repeat("a", n)), "key", sizes); err == nil || err.Error() != "key: not a key: has 1024 bytes or more" {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
}

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
