package main

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
	for _, text := range []string{digits, digits + "\n", digits + "\r\n", strings.ToUpper(digits) + "\n", string(raw)} {
		for _, sizes := range [][]int{{16}, {16, 32}} {
			got, err := readKey(strings.NewReader(text), "key", sizes)
			if err != nil || !bytes.Equal(got, raw) {
				t.Errorf("%q: %x, %v", text, got, err)
			}
		}
	}
	newlines := strings.Repeat("\n", 16) // as likely as any other key
	if got, err := readKey(strings.NewReader(newlines), "key", []int{16}); err != nil || string(got) != newlines {
		t.Errorf("a key of line ends: %q, %v", got, err)
	}
	long := strings.Repeat(digits, 2)
	if got, err := readKey(strings.NewReader(long), "key", []int{16, 32}); err != nil || len(got) != 32 {
		t.Errorf("64 digits: %x, %v", got, err)
	}
	for _, text := range []string{
		"", "\n", digits[:31], digits + "0", digits + "\n\n", " " + digits, "0x" + digits[2:], strings.Replace(digits, "a", "g", 1),
		string(raw[:15]), string(raw) + "\n", long, strings.Repeat("x", 5000),
	} {
		got, err := readKey(strings.NewReader(text), "key", []int{16})
		if err == nil {
			t.Errorf("%q: taken as key %x", text, got)
		} else if !strings.HasPrefix(err.Error(), "key: not a key: want 32 hex digits or 16 bytes, got ") {
			t.Errorf("%q: %v", text, err)
		} else if more := strings.HasSuffix(err.Error(), " or more bytes"); more != (len(text) > 1000) {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

func TestKeygen(t *testing.T) {
	dir := t.TempDir()
	c := call{dir: dir}
	line := regexp.MustCompile(`^[0-9a-f]{32}\n$`)
	c.ok(t, "keygen", "-o", "key")
	first := read(t, filepath.Join(dir, "key"))
	if !line.Match(first) {
		t.Errorf("key file %q", first)
	}
	if info, err := os.Stat(filepath.Join(dir, "key")); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	c.fails(t, 1, "-f", "keygen", "-o", "key")
	if !bytes.Equal(read(t, filepath.Join(dir, "key")), first) {
		t.Error("a key file was overwritten")
	}
	// A file that others could read must not lend its mode to the new key.
	if err := os.Chmod(filepath.Join(dir, "key"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.ok(t, "keygen", "-f", "-o", "key")
	if info, err := os.Stat(filepath.Join(dir, "key")); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode of the new file %v, %v", info.Mode(), err)
	}
	if bytes.Equal(read(t, filepath.Join(dir, "key")), first) {
		t.Error("two keys are the same")
	}
	if out := c.ok(t, "keygen"); !line.MatchString(out) {
		t.Errorf("key on standard output %q", out)
	}
	if out := c.ok(t, "keygen", "--size", "32"); len(out) != 65 {
		t.Errorf("key of 32 bytes: %q", out)
	}
	c.fails(t, 1, "no such file or directory", "keygen", "-o", "missing/key")
	c.fails(t, 1, "is a directory", "keygen", "-f", "-o", ".")
	if got := entries(t, dir); got != "key" {
		t.Errorf("files: %s", got)
	}
	f, err := os.OpenFile(filepath.Join(dir, "open"), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Chmod(0o644)
	if o := (call{stdout: f}).run(t, "keygen"); o.code != 0 || !strings.Contains(o.stderr, "other users") {
		t.Errorf("a key into a file that others can read: exit code %d, standard error %q", o.code, o.stderr)
	}
}

func TestKeySources(t *testing.T) {
	dir := t.TempDir()
	key := write(t, filepath.Join(dir, "key"), []byte("00112233445566778899aabbccddeeff\n"))
	text := write(t, filepath.Join(dir, "text"), []byte("hello\n"))
	message := filepath.Join(dir, "message")
	call{}.ok(t, "encrypt", "--key-file", key, "-o", message, text)

	f, err := os.Open(key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := call{files: []*os.File{f}}
	if got := c.ok(t, "decrypt", "--key-fd", "3", message); got != "hello\n" {
		t.Errorf("decrypted %q", got)
	}
	call{stdin: strings.NewReader("")}.fails(t, 2, "both", "decrypt", "--key-fd", "0")
	call{}.fails(t, 1, "descriptor 57", "decrypt", "--key-fd", "57", message)
	call{}.fails(t, 2, "--key-fd", "decrypt", "--key-fd", "-1", message)
	call{}.fails(t, 1, "missing: no such file or directory", "decrypt", "--key-file", filepath.Join(dir, "missing"), message)
	call{}.fails(t, 1, "not a key", "decrypt", "--key-file", text, message)
	call{}.fails(t, 1, "is a directory", "decrypt", "--key-file", dir, message)

	if err := os.Chmod(key, 0o640); err != nil {
		t.Fatal(err)
	}
	o := call{}.run(t, "decrypt", "--key-file", key, message)
	if o.code != 0 || o.stdout != "hello\n" || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "mode 0640") {
		t.Errorf("key file that others can read: %+v", o)
	}
}
