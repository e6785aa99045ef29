package keys

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/sm2"
)

func TestKEMRefuses(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	c.OK(t, "kem", "keygen", "-o", "a.pem", "--public", "a.pub")
	c.OK(t, "kem", "keygen", "--set", "FrodoKEM-640-AES", "-o", "b.pem", "--public", "b.pub")
	c.OK(t, "kem", "keygen", "--set", "FrodoKEM-640-AES", "--raw", "-o", "r.hex", "--public", "r.pub")
	c.OK(t, "kem", "encap", "--to", "b.pub", "-o", "b.ct", "--secret", "k")
	clitest.Write(t, filepath.Join(dir, "pw"), []byte("secret\n"))
	clitest.Write(t, filepath.Join(dir, "bad"), []byte("another\n"))
	c.OK(t, "kem", "keygen", "--set", "FrodoKEM-640-AES", "-e", "--passphrase-file", "pw", "-o", "e.pem")
	c.OK(t, "sm2", "keygen", "-o", "sm2")
	key, err := sm2.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(dir, "sm2.ec"), EncodePEM(pemEC, sm2.MarshalECPrivateKey(key)))
	text, err := os.ReadFile(filepath.Join(dir, "a.pem"))
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(dir, "damaged"), bytes.Replace(text, []byte("\nM"), []byte("\n*"), 1))
	clitest.Write(t, filepath.Join(dir, "cut"), text[:4000])
	other := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte{0x30, 0x0a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x03, 0x01, 0x00}})
	clitest.Write(t, filepath.Join(dir, "x25519"), other)
	for _, test := range []struct {
		args, want string
		code       int
	}{
		{"kem keygen --set FrodoKEM-641 -o x --public y", "FrodoKEM-641: no such set (known: FrodoKEM-640-AES", cli.ExitUsage},
		{"kem keygen --driver none -o x --public y", "none", cli.ExitUsage},
		{"kem keygen -o a.pem --public y", "a.pem: exists already; use -f", cli.ExitFailed},
		{"kem keygen -o x --public a.pub", "a.pub: exists already; use -f", cli.ExitFailed},
		{"kem keygen --public x", "--output", cli.ExitUsage},
		{"kem keygen -o x -e --kdf md5", "--kdf md5: want pbkdf2-sha256, pbkdf2-sm3, pbkdf2-sm3-gmssl or scrypt", cli.ExitUsage},
		{"kem keygen -o x --cipher sm4", "only make sense with --encrypt", cli.ExitUsage},
		{"kem keygen -o x --raw -e", "--encrypt and --raw: hex digits cannot be encrypted", cli.ExitUsage},
		{"kem pubkey --key a.pub", "a.pub: is a public key, want the private one", cli.ExitFailed},
		{"kem pubkey --key r.hex", "r.hex: is hex digits, which need --raw and --set", cli.ExitFailed},
		{"kem pubkey --key - --passphrase-file -", "standard input cannot have both the key and its passphrase", cli.ExitUsage},
		{"kem decap --key e.pem b.ct --passphrase-file r.pub", "r.pub: a passphrase can have at most 1023 bytes", cli.ExitFailed},
		{"kem decap --key e.pem b.ct --passphrase-file bad", "e.pem: wrong passphrase, or the key is damaged", cli.ExitFailed},
		// Before anybody is asked for a passphrase.
		{"kem decap --key e.pem b.ct -o k --passphrase-file bad", "k: exists already; use -f", cli.ExitFailed},
		{"kem pubkey --key e.pem -o b.pub --passphrase-file bad", "b.pub: exists already; use -f", cli.ExitFailed},
		{"kem pubkey --key e.pem -f -o e.pem --passphrase-file bad", "e.pem: input and output are the same file", cli.ExitUsage},
		{"kem decap --key e.pem b.ct -f -o bad --passphrase-file bad", "bad: input and output are the same file", cli.ExitUsage},
		{"kem keygen -e -f -o bad --passphrase-file bad", "bad: input and output are the same file", cli.ExitUsage},
		{"kem decap --key sm2 b.ct", "sm2: is a key for another algorithm (SM2), want FrodoKEM", cli.ExitFailed},
		{"kem decap --key sm2.ec b.ct", "sm2.ec: is a key for another algorithm (SM2), want FrodoKEM", cli.ExitFailed},
		{"kem encap --to a.pem -o x --secret y", `a.pem: is a private key, want the public one: "cipherlane kem pubkey" prints it`, cli.ExitFailed},
		{"kem encap --to a.pub --set FrodoKEM-976-AES -o x --secret y", "--set: only makes sense with --raw", cli.ExitUsage},
		{"kem encap --to r.pub --raw -o x --secret y", "with --set", cli.ExitUsage},
		{"kem encap --to r.pub --raw --set FrodoKEM-976-AES -o x --secret y", "public key of 9616 bytes for FrodoKEM-976-AES, want 15632 (this is the size for FrodoKEM-640-AES)", cli.ExitFailed},
		{"kem encap --to x25519 -o x --secret y", "is a key for another algorithm (X25519)", cli.ExitFailed},
		{"kem decap --key a.pub b.ct", "a.pub: is a public key, want the private one", cli.ExitFailed},
		{"kem decap --key a.pem b.ct", "b.ct: frodokem: ciphertext of 9752 bytes for FrodoKEM-976-AES, want 15792 (this is the size for FrodoKEM-640-AES)", cli.ExitFailed},
		{"kem decap --key damaged b.ct", "damaged: the PRIVATE KEY is damaged", cli.ExitFailed},
		{"kem decap --key cut b.ct", "cut: the END line of the PRIVATE KEY is missing", cli.ExitFailed},
		{"kem decap --key b.pem absent", "absent: no such file", cli.ExitFailed},
	} {
		o := c.Run(t, strings.Fields(test.args)...)
		if o.Code != test.code || !strings.Contains(o.Stderr, test.want) || o.Stdout != "" {
			t.Errorf("%s: exit code %d, %q\nwant %d, %q", test.args, o.Code, o.Stderr, test.code, test.want)
		}
		for _, name := range []string{"x", "y"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				t.Errorf("%s: leaves %s behind", test.args, name)
			}
		}
	}
	// A changed ciphertext gives another key, and no error.
	ct, err := os.ReadFile(filepath.Join(dir, "b.ct"))
	if err != nil {
		t.Fatal(err)
	}
	ct[100] ^= 1
	clitest.Write(t, filepath.Join(dir, "changed"), ct)
	if right, other := c.OK(t, "kem", "decap", "--key", "b.pem", "b.ct"), c.OK(t, "kem", "decap", "--key", "b.pem", "changed"); right == other || len(right) != len(other) {
		t.Errorf("a changed ciphertext gives %q, the right one %q", other, right)
	}
}

// TestKEMEncrypted: private keys with a passphrase, and keys in DER.
func TestKEMEncrypted(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "pw"), []byte("correct horse\n"))
	for _, flags := range []string{"", "--kdf pbkdf2-sm3 --cipher sm4", "--kdf scrypt", "--seed"} {
		args := append([]string{"kem", "keygen", "-f", "-e", "--passphrase-file", "pw", "-o", "bob", "--set", "efrodokem-640-shake"}, strings.Fields(flags)...)
		if out := c.OK(t, args...); out != "" {
			t.Errorf("%s: keygen prints %q", flags, out)
		}
		if text := clitest.Read(t, filepath.Join(dir, "bob")); !bytes.HasPrefix(text, []byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\n")) {
			t.Errorf("%s: %.50q", flags, text)
		}
		c.OK(t, "kem", "pubkey", "--key", "bob", "--passphrase-file", "pw", "-f", "-o", "bob.pub")
		for _, name := range []string{"bob", "bob.pub"} {
			block, _ := pem.Decode(clitest.Read(t, filepath.Join(dir, name)))
			clitest.Write(t, filepath.Join(dir, name+".der"), block.Bytes)
		}
		for _, form := range []string{"", ".der"} {
			c.OK(t, "kem", "encap", "-f", "--to", "bob.pub"+form, "-o", "ct", "--secret", "k")
			want := string(clitest.Read(t, filepath.Join(dir, "k")))
			for _, driver := range []string{"", "generic"} {
				args := []string{"kem", "decap", "--key", "bob" + form, "--passphrase-file", "pw", "ct"}
				if driver != "" {
					args = append(args, "--driver", driver)
				}
				if got := c.OK(t, args...); got != want {
					t.Errorf("%s, %q: the two have %q and %q", flags, form, got, want)
				}
			}
		}
	}
}

// TestPEM: every length of the last line, and text that is not base64.
func TestPEM(t *testing.T) {
	for n := range 100 {
		der := inventory.Random(n)
		text := EncodePEM("X", der)
		if want := pem.EncodeToMemory(&pem.Block{Type: "X", Bytes: der}); !bytes.Equal(text, want) {
			t.Fatalf("%d bytes: %s, want %s", n, text, want)
		}
		blocks := pemBlocks(append([]byte("text before\n"), text...))
		if len(blocks) != 1 || blocks[0].label != "X" {
			t.Fatalf("%d bytes: %q", n, blocks)
		}
		back, err := blocks[0].decode("f")
		if err != nil || !bytes.Equal(back, der) {
			t.Fatalf("%d bytes: %x, %v, want %x", n, back, err, der)
		}
	}
	var all []byte
	for v := range 64 {
		all = append(all, byte(v<<2), byte(v<<4), byte(v<<6))
	}
	if back, err := pemBlocks(EncodePEM("X", all))[0].decode("f"); err != nil || !bytes.Equal(back, all) {
		t.Errorf("%x, %v", back, err)
	}
	for _, body := range []string{"A", "AAAAA", "AA=A=", "AA", "AA===", "A===", "AAA*", "AA-_", "AAAA\x00", "\xffAAA"} {
		if b, ok := decodeBase64([]byte(body)); ok {
			t.Errorf("%q is taken for %x", body, b)
		}
	}
}

// The preshared key is that of the specification in docs/wireguard.md, and both sides get it,
// whatever the form of keys and ciphertext.
func TestKEMWireGuard(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	for _, set := range []string{"FrodoKEM-640-AES", "FrodoKEM-976-AES", "eFrodoKEM-1344-SHAKE"} {
		for _, raw := range []bool{false, true} {
			flags, keygen := []string{"-f"}, []string{"--set", set}
			if raw {
				flags = append(flags, "--raw", "--set", set)
				keygen = append(keygen, "--raw")
			}
			run := func(args ...string) { c.OK(t, append(args, flags...)...) }
			c.OK(t, append([]string{"kem", "keygen", "-f", "-o", "key", "--public", "pub"}, keygen...)...)
			run("kem", "encap", "--wireguard", "--to", "pub", "-o", "ct", "--secret", "alice")
			run("kem", "decap", "--wireguard", "--key", "key", "-o", "bob", "ct")
			run("kem", "decap", "--key", "key", "-o", "shared", "ct")
			read := func(name string) string {
				text, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			shared, err := hex.DecodeString(strings.TrimSpace(read("shared")))
			if err != nil {
				t.Fatal(err)
			}
			ciphertext := []byte(read("ct"))
			if raw {
				if ciphertext, err = hex.DecodeString(strings.TrimSpace(string(ciphertext))); err != nil {
					t.Fatal(err)
				}
			}
			want, err := hkdf.Key(sha256.New, shared, ciphertext, "github.com/cipherlane/frodokem wireguard "+set, 32)
			if err != nil {
				t.Fatal(err)
			}
			text := base64.StdEncoding.EncodeToString(want) + "\n"
			if alice, bob := read("alice"), read("bob"); alice != text || bob != text {
				t.Errorf("%s, raw %v: %q and %q, want %q", set, raw, alice, bob, text)
			}
			for _, name := range []string{"alice", "bob"} {
				if info, err := os.Stat(filepath.Join(dir, name)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
					t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
				}
			}
		}
	}
}
