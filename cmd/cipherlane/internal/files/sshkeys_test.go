//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"golang.org/x/crypto/ssh"
)

// TestOpenSSHCiphers decrypts with keys that OpenSSH has locked with each of its ciphers.
func TestOpenSSHCiphers(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	clitest.Write(t, filepath.Join(dir, "right"), []byte(agePassphrase))
	clitest.Write(t, filepath.Join(dir, "wrong"), []byte("another"))
	keys, err := filepath.Glob("testdata/ssh/*.pub")
	if err != nil || len(keys) < 7 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	for _, pub := range keys {
		clitest.Write(t, filepath.Join(dir, "pub"), clitest.Read(t, pub))
		clitest.Write(t, filepath.Join(dir, "id"), clitest.Read(t, strings.TrimSuffix(pub, ".pub")))
		c.OK(t, "encrypt", "-R", "pub", "-f", "-o", "file", "text")
		if strings.Contains(pub, "3des") {
			c.Fails(t, 1, `id: is locked in a way that is not known here ("3des-cbc"`, "decrypt", "-i", "id", "--passphrase-file", "right", "file")
			continue
		}
		if got := c.OK(t, "decrypt", "-i", "id", "--passphrase-file", "right", "file"); got != "text" {
			t.Errorf("%s: %q after decrypting", pub, got)
		}
		c.Fails(t, 1, "id: wrong passphrase", "decrypt", "-i", "id", "--passphrase-file", "wrong", "file")
	}
	// The passphrase is not asked for if the file is for somebody else.
	c.OK(t, "keygen", "-t", "x25519", "-o", "other", "--public", "other.pub")
	c.OK(t, "encrypt", "-R", "other.pub", "-f", "-o", "file", "text")
	c.Fails(t, 1, "none of the identities", "decrypt", "-i", "id", "--passphrase-file", "wrong", "file")
}

// TestOpenSSHDamaged: no change of a locked key makes a panic or another key.
func TestOpenSSHDamaged(t *testing.T) {
	for _, name := range []string{"aes256-gcm", "chacha20-poly1305", "aes256-ctr"} {
		block, _ := pem.Decode(clitest.Read(t, "testdata/ssh/"+name))
		for i := range block.Bytes {
			if k, err := parseOpenSSH(block.Bytes[:i]); err == nil {
				if _, err := k.decrypt([]byte(agePassphrase)); err == nil {
					t.Errorf("%s: %d bytes of it are accepted", name, i)
				}
			}
			b := bytes.Clone(block.Bytes)
			b[i] ^= 0x80
			k, err := parseOpenSSH(b)
			if err != nil || i >= 60 && i%17 != 0 { // most of what follows is data
				continue
			}
			if _, err := k.identity([]byte(agePassphrase)); err == nil && (name != "aes256-ctr" || i < 150) {
				t.Errorf("%s: a change at %d is accepted", name, i)
			}
		}
	}
}

// bcrypt_pbkdf of other programs, of keys with the counts of blocks that ciphers need. The values
// are what bcrypt.kdf returns, of the package bcrypt 5.0.0 for Python.
func TestBcryptKey(t *testing.T) {
	for _, test := range []struct {
		pass, salt string
		rounds     int
		want       string
	}{
		{"password", "salt", 4, "5bbf0cc293587f1c3635555c27796598d47e579071bf427e9d8fbe842aba34d9"},
		{"password", "salt", 8, "e1367ec5151a33faac4cc1c144cd23fa15d5548493ecc99b9b5d9c0d3b27bec7" +
			"6227ea66088b849b20ab7aa478010246e74bba51723fefa9f9474d6508845e8d"},
		{"\x01\x02\x03\x04\x05\x06\x07\x08\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ", "another salt", 3,
			"6092ec090fe65aef889eecbeac814f03f59727928056c5f5c95d0399e59f7c104dbfd5100e03a52d98ebb547a9d3c362f79ddda2cbe45f4491980a8ced3a253b" +
				"ea1dde261653d396cc3f83950f92935c8dfb75e360ca535e17577cfabe38bce0e3ec819b"},
	} {
		got, err := bcryptKey([]byte(test.pass), []byte(test.salt), test.rounds, len(test.want)/2)
		if err != nil || hex.EncodeToString(got) != test.want {
			t.Errorf("%d rounds: %x, %v, want %s", test.rounds, got, err, test.want)
		}
	}
}

// TestSSHForms decrypts with the same keys in all forms that ssh-keygen and openssl write.
func TestSSHForms(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	path := func(name string) string { return filepath.Join(dir, name) }
	clitest.Write(t, path("text"), []byte("text"))
	clitest.Write(t, path("right"), []byte(agePassphrase))
	clitest.Write(t, path("wrong"), []byte("another"))
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(clitest.Tool(t, args[0]), args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v, %s", args, err, out)
		}
	}
	for name, key := range map[string]any{"ed25519": ed, "rsa": r} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, path(name), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		clitest.Write(t, path(name+".der"), der)
		signer, err := ssh.NewSignerFromKey(key)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, path(name+".pub"), ssh.MarshalAuthorizedKey(signer.PublicKey()))
		forms := []string{name, name + ".der"}
		locked := []string{}
		for _, cipher := range []string{"aes-128-cbc", "aes-256-cbc", "des3"} {
			run("openssl", "pkcs8", "-topk8", "-in", path(name), "-v2", cipher, "-passout", "pass:"+agePassphrase, "-out", path(name+"-"+cipher))
			locked = append(locked, name+"-"+cipher)
		}
		run("openssl", "pkcs8", "-topk8", "-in", path(name), "-scrypt", "-passout", "pass:"+agePassphrase, "-outform", "DER", "-out", path(name+"-scrypt.der"))
		locked = append(locked, name+"-scrypt.der")
		if name == "rsa" {
			run("openssl", "rsa", "-in", path(name), "-traditional", "-aes128", "-passout", "pass:"+agePassphrase, "-out", path("rsa-old"))
			run("openssl", "rsa", "-in", path(name), "-traditional", "-out", path("rsa-pkcs1"))
			locked, forms = append(locked, "rsa-old"), append(forms, "rsa-pkcs1")
			if _, err := exec.LookPath("ssh-keygen"); err == nil {
				for _, file := range []string{"rsa-keygen", "rsa-keygen-locked"} {
					clitest.Write(t, path(file), clitest.Read(t, path("rsa-pkcs1")))
					os.Chmod(path(file), 0o600)
				}
				run("ssh-keygen", "-p", "-m", "PKCS8", "-N", "", "-f", path("rsa-keygen"))
				run("ssh-keygen", "-p", "-m", "PKCS8", "-N", agePassphrase, "-f", path("rsa-keygen-locked"))
				locked, forms = append(locked, "rsa-keygen-locked"), append(forms, "rsa-keygen")
			}
		}
		c.OK(t, "encrypt", "-R", name+".pub", "-f", "-o", "file", "text")
		for _, form := range append(forms, locked...) {
			os.Chmod(path(form), 0o600)
			if got := c.OK(t, "decrypt", "-i", form, "--passphrase-file", "right", "file"); got != "text" {
				t.Errorf("%s: %q after decrypting", form, got)
			}
		}
		for _, form := range locked {
			c.Fails(t, 1, form+": wrong passphrase, or the key is damaged", "decrypt", "-i", form, "--passphrase-file", "wrong", "file")
		}
	}
	// A locked key of SM2 has the same beginning, and its recipient is known.
	c.OK(t, "sm2", "keygen", "-e", "--passphrase-file", "right", "-o", "sm2", "--public", "sm2.pub")
	c.OK(t, "encrypt", "-R", "sm2.pub", "-f", "-o", "file", "text")
	if got := c.OK(t, "decrypt", "-i", "sm2", "--passphrase-file", "right", "file"); got != "text" {
		t.Errorf("%q after decrypting with a locked key of SM2", got)
	}
	c.Fails(t, 1, "sm2: wrong passphrase, or the key is damaged", "decrypt", "-i", "sm2", "--passphrase-file", "wrong", "file")
	clitest.Write(t, path("recipient"), []byte(c.OK(t, "pubkey", "--passphrase-file", "right", "sm2")))
	c.OK(t, "encrypt", "-R", "recipient", "-f", "-o", "file", "text")
	c.OK(t, "decrypt", "-i", "sm2", "--passphrase-file", "right", "file")

	// Keys of other kinds.
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(ec)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, path("ec"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	c.Fails(t, 1, "ec: is a key for another algorithm (NIST P-256), want SM2", "decrypt", "-i", "ec", "file")
	block, err := ssh.MarshalPrivateKey(ec, "")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, path("ec"), pem.EncodeToMemory(block))
	c.Fails(t, 1, "ec: is an ecdsa key, and age has no recipients for those", "decrypt", "-i", "ec", "file")
}

// TestSSHLists: a list of somebody's keys may have some that cannot be recipients.
func TestSSHLists(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	path := func(name string) string { return filepath.Join(dir, name) }
	clitest.Write(t, path("text"), []byte("text"))
	sshKeys(t, dir)
	good := string(clitest.Read(t, path("ssh-ed25519.pub")))
	public := func(key any) string {
		t.Helper()
		signer, err := ssh.NewSignerFromKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	ecdsa := public(ec)
	const sk = "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gAAAABHNzaDo= me\n"
	const future = "ssh-future AAAACnNzaC1mdXR1cmUAAAAA me\n"
	for kind, line := range map[string]string{
		"ecdsa-sha2-nistp256": ecdsa, "sk-ssh-ed25519@openssh.com": sk, "ssh-future": future, "ssh-rsa with 1024 bits": public(small),
	} {
		clitest.Write(t, path("list"), []byte("# keys\n"+line+"restrict "+good))
		o := c.Run(t, "encrypt", "-R", "list", "-f", "-o", "file", "text")
		if o.Code != 0 || strings.Count(o.Stderr, "\n") != 1 || !strings.Contains(o.Stderr, "list: line 2: warning: skipped: is a key of ssh ("+kind+")") {
			t.Errorf("%s: exit code %d, standard error %q", kind, o.Code, o.Stderr)
			continue
		}
		if got := c.OK(t, "decrypt", "-i", "ssh-ed25519.id", "file"); got != "text" {
			t.Errorf("%s: %q after decrypting", kind, got)
		}
		// Nobody is left, and a recipient that somebody names is not skipped.
		clitest.Write(t, path("list"), []byte(line))
		if o := c.Run(t, "encrypt", "-R", "list", "-f", "-o", "file", "text"); o.Code != 1 || !strings.Contains(o.Stderr, "list: no recipients in it that could be used") {
			t.Errorf("%s alone: exit code %d, standard error %q", kind, o.Code, o.Stderr)
		}
		c.Fails(t, cli.ExitUsage, "is a key of ssh ("+kind+"), and keys of this kind cannot encrypt", "encrypt", "-r", strings.TrimSpace(line), "text")
	}
	// Damage is not skipped.
	for _, line := range []string{good[:len(good)/2] + "\n", "ssh-future AAAA\n", "ssh-future\n", strings.Replace(ecdsa, "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp257", 1)} {
		clitest.Write(t, path("list"), []byte(good+line))
		c.Fails(t, 1, "list: line 2: is a damaged key of ssh", "encrypt", "-R", "list", "-f", "-o", "file", "text")
	}
}
