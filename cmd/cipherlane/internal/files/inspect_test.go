//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

func TestInspect(t *testing.T) {
	dir := ageFiles(t)
	c := clitest.Call{Dir: dir}
	c.OK(t, "kem", "keygen", "-o", "kem.id", "--public", "kem.pub")
	for _, size := range []int{0, 1, 65535, 65536, 65537, 3 * 65536} {
		clitest.Write(t, filepath.Join(dir, "text"), make([]byte, size))
		c.OK(t, "encrypt", "-f", "-R", "x25519.pub", "-R", "x25519.pub", "-R", "sm2.pub", "-o", "text.age", "text")
		c.OK(t, "encrypt", "-f", "--armor", "-R", "pq.pub", "-R", "kem.pub", "-R", "frodokem-976.pub", "-o", "armored.age", "text")
		for name, want := range map[string]struct{ quantum, kinds string }{
			"text.age":    {"no", "[{X25519 2} {SM2 1}]"},
			"armored.age": {"yes", "[{ML-KEM-768 with X25519 1} {FrodoKEM key 1} {FrodoKEM with X25519 1}]"},
		} {
			file := filepath.Join(dir, name)
			var i inspection
			if err := json.Unmarshal([]byte(c.OK(t, "inspect", "--json", name)), &i); err != nil {
				t.Fatal(err)
			}
			sum := i.Sizes.Header + i.Sizes.Overhead + i.Sizes.MinPayload + i.Sizes.Armor
			if i.PostQuantum != want.quantum || fmt.Sprint(i.Recipients) != want.kinds || i.Sizes.MinPayload != int64(size) || sum != int64(len(clitest.Read(t, file))) || i.Armor != (name == "armored.age") {
				t.Errorf("%d bytes, %s: %+v", size, name, i)
			}
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			piped := clitest.Call{Stdin: struct{ *os.File }{f}, Dir: dir}.OK(t, "inspect")
			f.Close()
			if got := c.OK(t, "inspect", name); strings.Replace(got, name, "standard input", 1) != piped || !strings.Contains(got, fmt.Sprintf("\n  %d bytes of plaintext", size)) {
				t.Errorf("%s, and from standard input %s", got, piped)
			}
		}
	}
	c.OK(t, "encrypt", "-p", "--passphrase-file", "passphrase", "-o", "locked.age", "text")
	if got := c.OK(t, "inspect", "locked.age"); !strings.Contains(got, "  1. passphrase\n  A quantum computer could decrypt it: no\n") {
		t.Errorf("%s", got)
	}
	clitest.Write(t, filepath.Join(dir, "unknown.age"), []byte("age-encryption.org/v1\n-> new\x7f x\n\n-> a-grease\n\n--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"+strings.Repeat("x", 40)))
	clitest.Write(t, filepath.Join(dir, "key"), []byte(strings.Repeat("0123456789abcdef", 2)+"\n"))
	c.OK(t, "encrypt", "--key-file", "key", "-o", "text.enc", "text")
	whole := clitest.Read(t, filepath.Join(dir, "text.age"))
	clitest.Write(t, filepath.Join(dir, "cut.age"), whole[:200])
	clitest.Write(t, filepath.Join(dir, "header.age"), whole[:strings.Index(string(whole), "\n---")+60])
	clitest.Write(t, filepath.Join(dir, "text.gz"), []byte("\x1f\x8b\x08 and more"))
	for name, words := range map[string]string{
		"unknown.age": "not a valid age file", "text.enc": "not an age file", "cut.age": "truncated", "header.age": "truncated", "text.gz": "is a gzip file", "none": "no such file",
	} {
		c.Fails(t, 1, words, "inspect", name)
	}
}
