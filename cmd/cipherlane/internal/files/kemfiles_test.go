package files

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
	"github.com/cipherlane/cipherlane/frodokem"
)

func TestKEM(t *testing.T) {
	for _, set := range keys.KEMs() {
		t.Run(set, func(t *testing.T) {
			for _, form := range []string{"", "--seed", "--raw"} {
				dir := t.TempDir()
				args := func(list ...string) []string {
					if form == "--raw" {
						list = append(list, "--raw", "--set", set)
					}
					return list
				}
				c := clitest.Call{Dir: dir}
				made := []string{"kem", "keygen", "--set", strings.ToLower(set), "-o", "bob.pem", "--public", "bob.pub"}
				if form != "" {
					made = append(made, form)
				}
				c.OK(t, made...)
				c.OK(t, args("kem", "encap", "--to", "bob.pub", "-o", "bob.ct", "--secret", "k", "--driver", "generic")...)
				got := c.OK(t, args("kem", "decap", "--key", "bob.pem", "bob.ct")...)
				want, err := os.ReadFile(filepath.Join(dir, "k"))
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("%s: the two have %q and %q", form, got, want)
				}
				k, err := frodokem.ParseSet(set)
				if err != nil {
					t.Fatal(err)
				}
				if key, err := hex.DecodeString(strings.TrimSpace(got)); err != nil || len(key) != k.SharedKeySize() {
					t.Errorf("%s: shared key %q", form, got)
				}
				if got, want := c.OK(t, args("kem", "pubkey", "--key", "bob.pem")...), string(clitest.Read(t, filepath.Join(dir, "bob.pub"))); got != want {
					t.Errorf("%s: pubkey prints %.100q, want %.100q", form, got, want)
				}
				for name, mode := range map[string]os.FileMode{"bob.pem": 0o600, "k": 0o600} {
					if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
						t.Errorf("%s: %v, %v", name, info.Mode(), err)
					}
				}
				for _, name := range []string{"bob.pem", "bob.pub"} {
					text, err := os.ReadFile(filepath.Join(dir, name))
					if err != nil {
						t.Fatal(err)
					}
					block, rest := pem.Decode(text)
					if (block != nil && len(rest) == 0) != (form != "--raw") {
						t.Errorf("%s %s: encoding/pem reads %v, %d bytes remain", form, name, block != nil, len(rest))
					}
					if block == nil {
						continue
					}
					if reencoded := keys.EncodePEM(block.Type, block.Bytes); !bytes.Equal(reencoded, text) || !bytes.Equal(pem.EncodeToMemory(block), text) {
						t.Errorf("%s: not as encoding/pem writes it", name)
					}
				}
			}
		})
	}
}

// TestKeyOf24Bytes pins the expansion of keys that fit no algorithm directly.
func TestKeyOf24Bytes(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	short := bytes.Repeat([]byte{0xab}, 24)
	// RFC 5869 with a salt of zeros and one block: T(1) = HMAC(PRK, info || 1).
	prk := hmac.New(sha256.New, make([]byte, 32))
	prk.Write(short)
	t1 := hmac.New(sha256.New, prk.Sum(nil))
	t1.Write([]byte("cipherlane aes-256-gcm from 24 bytes\x01"))
	clitest.Write(t, filepath.Join(dir, "24"), short)
	clitest.Write(t, filepath.Join(dir, "24.hex"), []byte(hex.EncodeToString(short)+"\n"))
	clitest.Write(t, filepath.Join(dir, "32"), []byte(hex.EncodeToString(t1.Sum(nil))+"\n"))
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	for _, args := range [][]string{{"24", "32"}, {"24.hex", "32", "--alg", "aes-256-gcm"}, {"32", "24.hex"}, {"32", "24", "--alg", "aes-256-gcm"}} {
		c.OK(t, append([]string{"encrypt", "-f", "-o", "text.enc", "text", "--key-file", args[0]}, args[2:]...)...)
		if got := c.OK(t, append([]string{"decrypt", "text.enc", "--key-file", args[1]}, args[2:]...)...); got != "text" {
			t.Errorf("%q: %q", args, got)
		}
	}
	c.Fails(t, 1, "not a key", "encrypt", "--alg", "sm4-gcm", "--key-file", "24.hex", "text")
	c.Fails(t, 1, "not a key", "cipher", "sm4-ecb", "-q", "--key-file", "24.hex", "text")
}

// TestKEMFiles: the example in the help works with every set, and the shared key is in
// no file.
func TestKEMFiles(t *testing.T) {
	for _, set := range keys.KEMs() {
		dir := t.TempDir()
		c := clitest.Call{Dir: dir}
		clitest.Write(t, filepath.Join(dir, "film.mp4"), []byte("film"))
		c.OK(t, "kem", "keygen", "--set", set, "-o", "bob.pem", "--public", "bob.pub")
		pipe := func(from, to []string) string {
			t.Helper()
			return clitest.Call{Dir: dir, Stdin: strings.NewReader(c.OK(t, from...))}.OK(t, to...)
		}
		pipe([]string{"kem", "encap", "--to", "bob.pub", "-o", "bob.ct", "--secret", "-"},
			[]string{"encrypt", "--key-file", "-", "-o", "film.enc", "film.mp4"})
		if got := clitest.Entries(t, dir); got != "bob.ct bob.pem bob.pub film.enc film.mp4" {
			t.Errorf("%s: files %s", set, got)
		}
		if got := pipe([]string{"kem", "decap", "--key", "bob.pem", "bob.ct"}, []string{"decrypt", "--key-file", "-", "film.enc"}); got != "film" {
			t.Errorf("%s: %q", set, got)
		}
	}
}
