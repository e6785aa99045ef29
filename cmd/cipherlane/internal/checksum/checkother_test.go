package checksum

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// TestCheckOther: lists of other hash functions, and of other programs, are recognised.
func TestCheckOther(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "a"), []byte("abc"))
	clitest.Write(t, filepath.Join(dir, "b"), []byte("abd"))
	sums := func(alg string, files ...string) string {
		return c.OK(t, append([]string{"hash", "-a", alg}, files...)...)
	}
	list := func(text string) { clitest.Write(t, filepath.Join(dir, "list"), []byte(text)) }
	for _, test := range []struct{ list, args, want string }{
		{sums("sha256", "a", "b"), "", "list: 2 of them are of SHA-256, not of SM3, and right: use \"cipherlane hash -a sha256 --check\""},
		{sums("sm3", "a") + sums("sha256", "b"), "", "list: 1 of them is of SHA-256"},
		{sums("sha512", "a"), "", "no properly formatted checksum lines found for SM3; they look like those of SHA-512 (-a sha512)"},
		{sums("sha384", "a"), "-a sm3", "for SM3; they look like those of SHA-384 (-a sha384)"},
		{sums("sha256", "a"), "-a sha512", "for SHA512; they look like those of SHA-256 or SM3"},
		{strings.Repeat("0", 32) + "  a\n", "", "they look like those of MD5, which md5sum verifies"},
		{strings.Repeat("0", 40) + " *a\n", "", "they look like those of SHA-1, which sha1sum verifies"},
		{"words  a\n", "", "no properly formatted checksum lines found\n"},
	} {
		list(test.list)
		if o := c.Run(t, append(strings.Fields("hash --check list"), strings.Fields(test.args)...)...); o.Code != 1 || !strings.Contains(o.Stderr, test.want) {
			t.Errorf("%q: exit code %d, standard error %q, want %q", test.list, o.Code, o.Stderr, test.want)
		}
	}
	// A file that is damaged is of neither, and the hint is not for --status.
	list(strings.Repeat("0", 64) + "  a\n")
	if o := c.Run(t, "hash", "--check", "list"); o.Code != 1 || strings.Contains(o.Stderr, "SHA") {
		t.Errorf("exit code %d, standard error %q", o.Code, o.Stderr)
	}
	list(sums("sha256", "a"))
	if o := c.Run(t, "hash", "--check", "--status", "list"); o.Code != 1 || o.Stderr != "" {
		t.Errorf("exit code %d, standard error %q", o.Code, o.Stderr)
	}
	// A list after PowerShell or Notepad has written it.
	text := strings.ReplaceAll(sums("sm3", "a", "b"), "\n", "\r\n")
	for _, encoded := range [][]byte{[]byte("\ufeff" + text), clitest.EncodeUTF16(text, binary.LittleEndian, true), clitest.EncodeUTF16(text, binary.BigEndian, true), clitest.EncodeUTF16(text, binary.LittleEndian, false)} {
		list(string(encoded))
		if got := c.OK(t, "hash", "--check", "list"); got != "a: OK\nb: OK\n" {
			t.Errorf("%q: %q", encoded[:8], got)
		}
	}
	// A line without an end is one line that is not a checksum.
	list(strings.Repeat("0", 3*maxCheckLine) + "\n" + sums("sm3", "a"))
	if o := c.Run(t, "hash", "--check", "list"); o.Code != 0 || o.Stdout != "a: OK\n" || o.Stderr != "cipherlane: WARNING: 1 line is improperly formatted\n" {
		t.Errorf("exit code %d, %q, standard error %q", o.Code, o.Stdout, o.Stderr)
	}
	list(sums("sm3", "a") + strings.Repeat("0", 64) + "  " + strings.Repeat("a", 3*maxCheckLine))
	if o := c.Run(t, "hash", "--check", "list"); o.Code != 0 || o.Stdout != "a: OK\n" {
		t.Errorf("exit code %d, %q, standard error %q", o.Code, o.Stdout, o.Stderr)
	}
}
