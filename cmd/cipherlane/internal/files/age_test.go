//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bytes"
	"compress/zlib"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	agetest "c2sp.org/CCTV/age"
	"filippo.io/age/plugin"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"golang.org/x/crypto/ssh"
)

// agePrograms are the programs of filippo.io/age, in the version that this command uses.
// They are built from Go's module cache.
var agePrograms = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "age")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", dir+"/", "filippo.io/age/cmd/age", "filippo.io/age/cmd/age-keygen", "filippo.io/age/cmd/age-plugin-batchpass").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

// ageBin returns a folder with the programs of age and with this command under the names of
// its plugins.
func ageBin(t *testing.T) string {
	t.Helper()
	clitest.Tool(t, "go")
	programs, err := agePrograms()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for name, target := range map[string]string{
		"age-plugin-sm2": self, "age-plugin-frodokem": self, "age": programs + "/age",
		"age-keygen": programs + "/age-keygen", "age-plugin-batchpass": programs + "/age-plugin-batchpass",
	} {
		if err := os.Symlink(target, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// agePassphrase is read by the plugin batchpass of age.
const agePassphrase = "a passphrase for tests"

// other runs another program, in a folder, with the plugins.
func other(t *testing.T, bin, dir string, args ...string) (string, error) {
	t.Helper()
	path := filepath.Join(bin, args[0])
	if _, err := os.Stat(path); err != nil {
		path = clitest.Tool(t, args[0])
	}
	cmd := exec.CommandContext(t.Context(), path, args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), clitest.AsCommand+"=1", "PATH="+bin+":"+os.Getenv("PATH"), "AGE_PASSPHRASE="+agePassphrase, "AGE_PASSPHRASE_WORK_FACTOR=10")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%q: %w: %s", args, err, &errs)
	}
	return out.String(), err
}

// sshKeys writes keys of OpenSSH, without and with a passphrase.
func sshKeys(t *testing.T, dir string) {
	t.Helper()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]any{"ssh-ed25519": ed, "ssh-rsa": r, "ssh-locked": ed} {
		var block *pem.Block
		if name == "ssh-locked" {
			block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(agePassphrase))
		} else {
			block, err = ssh.MarshalPrivateKey(key, "")
		}
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, name+".id"), pem.EncodeToMemory(block))
		signer, err := ssh.NewSignerFromKey(key)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, name+".pub"), ssh.MarshalAuthorizedKey(signer.PublicKey()))
	}
}

// ageKinds are the kinds of recipients. There are files KIND.pub and KIND.id.
var ageKinds = []string{"x25519", "pq", "sm2", "frodokem-976", "frodokem-1344", "ssh-ed25519", "ssh-rsa"}

// ageFiles makes a folder with keys of all kinds and a passphrase.
func ageFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	for _, kind := range strings.Split(IdentityNames(), ", ") {
		c.OK(t, "keygen", "-t", kind, "-o", kind+".id", "--public", kind+".pub")
	}
	sshKeys(t, dir)
	clitest.Write(t, filepath.Join(dir, "passphrase"), []byte(agePassphrase+"\n"))
	return dir
}

// TestAgeExchange exchanges files with age and, if it is installed, rage, in both
// directions.
func TestAgeExchange(t *testing.T) {
	bin, dir := ageBin(t), ageFiles(t)
	c := clitest.Call{Dir: dir}
	programs := []string{"age"}
	if _, err := exec.LookPath("rage"); err == nil {
		programs = append(programs, "rage")
	}
	for i, kind := range ageKinds {
		for _, program := range programs {
			if program == "rage" && kind == "pq" {
				continue // rage 0.12 does not have it
			}
			for j, arm := range []string{"", "-a"} {
				text := clitest.TestMessage([]int{0, 1, 64 << 10, 200000, 1<<20 + 5}[(2*i+j)%5])
				clitest.Write(t, filepath.Join(dir, "text"), text)
				public := strings.TrimSpace(string(clitest.Read(t, filepath.Join(dir, kind+".pub"))))
				args := []string{"encrypt", "-r", public, "-f", "-o", "ours", "text"}
				if j == 0 {
					args = []string{"encrypt", "-R", kind + ".pub", "-f", "-o", "ours", "text"}
				}
				if arm != "" {
					args = slices.Insert(args, 1, arm)
				}
				c.OK(t, args...)
				if got := strings.HasPrefix(string(clitest.Read(t, filepath.Join(dir, "ours"))), "-----BEGIN"); got != (arm != "") {
					t.Errorf("%s: armored: %v", kind, got)
				}
				if got, err := other(t, bin, dir, program, "-d", "-i", kind+".id", "ours"); err != nil || got != string(text) {
					t.Errorf("%s does not decrypt our file for %s: %v", program, kind, err)
				}
				if got := c.OK(t, "decrypt", "-i", kind+".id", "ours"); got != string(text) {
					t.Errorf("%s: not the same after decrypting", kind)
				}
				args = []string{program, "-r", public, "-o", "theirs", "text"}
				if arm != "" {
					args = slices.Insert(args, 1, arm)
				}
				os.Remove(filepath.Join(dir, "theirs"))
				if _, err := other(t, bin, dir, args...); err != nil {
					t.Fatal(err)
				}
				if got := c.OK(t, "decrypt", "-i", kind+".id", "theirs"); got != string(text) {
					t.Errorf("%s: not the same after %s and decrypting", kind, program)
				}
			}
		}
	}
	// age encrypts for an identity, too, which is shorter than a FrodoKEM recipient.
	for _, kind := range []string{"sm2", "frodokem-976"} {
		if _, err := other(t, bin, dir, "age", "-e", "-i", kind+".id", "-o", kind+".age", "text"); err != nil {
			t.Fatal(err)
		}
		if got := c.OK(t, "decrypt", "-i", kind+".id", kind+".age"); got != string(clitest.Read(t, filepath.Join(dir, "text"))) {
			t.Errorf("%s: not the same after age -e -i", kind)
		}
	}
	// Passphrases.
	text := string(clitest.Read(t, filepath.Join(dir, "text")))
	c.OK(t, "encrypt", "-p", "--passphrase-file", "passphrase", "-f", "-o", "ours", "text")
	if got, err := other(t, bin, dir, "age", "-d", "-j", "batchpass", "ours"); err != nil || got != text {
		t.Errorf("age does not decrypt our file with a passphrase: %v", err)
	}
	if _, err := other(t, bin, dir, "age", "-e", "-j", "batchpass", "-o", "scrypt.age", "text"); err != nil {
		t.Fatal(err)
	}
	if got := c.OK(t, "decrypt", "--passphrase-file", "passphrase", "scrypt.age"); got != text {
		t.Error("not the same after age with a passphrase")
	}
	// age-keygen's identities, and ours.
	public, err := other(t, bin, dir, "age-keygen", "-y", "x25519.id")
	if err != nil || public != string(clitest.Read(t, filepath.Join(dir, "x25519.pub"))) || public != c.OK(t, "pubkey", "x25519.id") {
		t.Errorf("age-keygen -y: %q, %v", public, err)
	}
	if _, err := other(t, bin, dir, "age-keygen", "-pq", "-o", "theirs.id"); err != nil {
		t.Fatal(err)
	}
	c.OK(t, "pubkey", "-o", "theirs.pub", "theirs.id")
	c.OK(t, "encrypt", "-R", "theirs.pub", "-f", "-o", "ours", "text")
	if got, err := other(t, bin, dir, "age", "-d", "-i", "theirs.id", "ours"); err != nil || got != text {
		t.Errorf("age does not decrypt our file for its identity: %v", err)
	}
	// Recipients that must not be mixed, through the plugins.
	if _, err := other(t, bin, dir, "age", "-R", "sm2.pub", "-R", "pq.pub", "text"); err == nil || !strings.Contains(err.Error(), "can't mix post-quantum") {
		t.Errorf("age mixes SM2 and post-quantum recipients: %v", err)
	}
}

// TestAgeSM2Keys uses keys and certificates of SM2 in PEM.
func TestAgeSM2Keys(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	clitest.Write(t, filepath.Join(dir, "passphrase"), []byte(agePassphrase))
	c.OK(t, "sm2", "keygen", "-o", "plain.pem", "--public", "plain.pub")
	c.OK(t, "sm2", "keygen", "--encrypt", "--passphrase-file", "passphrase", "-o", "locked.pem", "--public", "locked.pub")
	c.OK(t, "encrypt", "-R", "plain.pub", "-R", "locked.pub", "-o", "text.age", "text")
	for _, args := range [][]string{{"-i", "plain.pem"}, {"-i", "locked.pem", "--passphrase-file", "passphrase"}} {
		if got := c.OK(t, slices.Concat([]string{"decrypt", "text.age"}, args)...); got != "text" {
			t.Errorf("%q: %q", args, got)
		}
	}
	c.Fails(t, 1, "plain.pem: is a private key, want the public one", "encrypt", "-R", "plain.pem", "text")
	c.Fails(t, 1, "plain.pub: is a public key, want the private one", "decrypt", "-i", "plain.pub", "text.age")
	if got := c.OK(t, "pubkey", "plain.pem"); !strings.HasPrefix(got, "age1sm21") {
		t.Errorf("pubkey: %q", got)
	}
}

// TestAgeFrodoKEMKeys uses keys of FrodoKEM in PEM and DER.
func TestAgeFrodoKEMKeys(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	clitest.Write(t, filepath.Join(dir, "passphrase"), []byte(agePassphrase))
	c.OK(t, "kem", "keygen", "--set", "FrodoKEM-640-SHAKE", "-o", "plain.pem", "--public", "plain.pub")
	c.OK(t, "kem", "keygen", "--encrypt", "--passphrase-file", "passphrase", "-o", "locked.pem", "--public", "locked.pub")
	c.OK(t, "kem", "keygen", "--set", "eFrodoKEM-640-AES", "-o", "few.pem", "--public", "few.pub")
	c.OK(t, "sm2", "keygen", "-o", "sm2.pem", "--public", "sm2.pub")
	block, _ := pem.Decode(clitest.Read(t, filepath.Join(dir, "plain.pub")))
	clitest.Write(t, filepath.Join(dir, "plain.der"), block.Bytes)
	c.OK(t, "encrypt", "-R", "plain.pub", "-R", "locked.pub", "-o", "text.age", "text")
	c.OK(t, "encrypt", "-R", "plain.der", "-o", "der.age", "text")
	for _, args := range [][]string{{"-i", "plain.pem", "text.age"}, {"-i", "locked.pem", "--passphrase-file", "passphrase", "text.age"}, {"-i", "plain.pem", "der.age"}} {
		if got := c.OK(t, slices.Concat([]string{"decrypt"}, args)...); got != "text" {
			t.Errorf("%q: %q", args, got)
		}
	}
	if got := c.OK(t, "pubkey", "plain.pem"); got != string(clitest.Read(t, filepath.Join(dir, "plain.pub"))) {
		t.Errorf("pubkey: %q", got)
	}
	c.Fails(t, 1, `plain.pem: is a private key, want the public one: "cipherlane pubkey" prints it`, "encrypt", "-R", "plain.pem", "text")
	c.Fails(t, 1, "plain.pub: is a public key, want the private one", "decrypt", "-i", "plain.pub", "text.age")
	c.Fails(t, 1, "few.pub: is a key of eFrodoKEM-640-AES, which is for a few ciphertexts", "encrypt", "-R", "few.pub", "text")
	c.Fails(t, 1, "few.pem: is a key of eFrodoKEM-640-AES", "decrypt", "-i", "few.pem", "text.age")
	c.Fails(t, 1, "can't mix post-quantum and classic recipients", "encrypt", "-R", "plain.pub", "-R", "sm2.pub", "text")
	c.Fails(t, 1, "none of the identities can decrypt it", "decrypt", "-i", "sm2.pem", "text.age")
}

// TestAgeVectors runs age's test kit.
func TestAgeVectors(t *testing.T) {
	list, err := fs.ReadDir(agetest.Vectors, ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 100 {
		t.Fatalf("%d vectors", len(list))
	}
	for i, entry := range list {
		if testing.Short() && i%5 != 0 {
			continue
		}
		t.Run(entry.Name(), func(t *testing.T) {
			file, err := fs.ReadFile(agetest.Vectors, entry.Name())
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			head, file, _ := bytes.Cut(file, []byte("\n\n"))
			expect, payload, identities, passphrase, compressed := "", "", "", "", false
			for line := range strings.Lines(string(head)) {
				name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
				switch name {
				case "expect":
					expect = value
				case "payload":
					payload = value
				case "identity":
					identities += value + "\n"
				case "passphrase":
					passphrase = value
				case "compressed":
					compressed = true
				}
			}
			if compressed {
				r, err := zlib.NewReader(bytes.NewReader(file))
				if err != nil {
					t.Fatal(err)
				}
				if file, err = io.ReadAll(r); err != nil {
					t.Fatal(err)
				}
			}
			clitest.Write(t, filepath.Join(dir, "file"), file)
			args := []string{"decrypt", "file"}
			if identities != "" {
				clitest.Write(t, filepath.Join(dir, "id"), []byte(identities))
				args = append(args, "-i", "id")
			}
			if passphrase != "" {
				clitest.Write(t, filepath.Join(dir, "passphrase"), []byte(passphrase))
				args = append(args, "--passphrase-file", "passphrase")
			}
			if !bytes.HasPrefix(file, []byte(ageIntro)) && !bytes.Contains(file, []byte("-----BEGIN AGE ENCRYPTED FILE-----")) {
				expect = "not an age file"
			}
			o := clitest.Call{Dir: dir}.Run(t, args...)
			if (o.Code == 0) != (expect == "success") {
				t.Fatalf("exit code %d, %s; want %s", o.Code, o.Stderr, expect)
			}
			if sum := sha256.Sum256([]byte(o.Stdout)); payload != "" && hex.EncodeToString(sum[:]) != payload || payload == "" && o.Stdout != "" {
				t.Errorf("%s: %d bytes of plaintext, not those of the vector", expect, len(o.Stdout))
			}
			if expect == "success" {
				return
			}
			if strings.Count(o.Stderr, "\n") != 1 {
				t.Errorf("%s: standard error %q", expect, o.Stderr)
			}
			if o := (clitest.Call{Dir: dir}).Run(t, append(args, "-o", "out")...); o.Code == 0 || slices.Contains(strings.Fields(clitest.Entries(t, dir)), "out") {
				t.Errorf("%s: exit code %d, files %s", expect, o.Code, clitest.Entries(t, dir))
			}
		})
	}
}

// TestAgeDamaged decrypts files that were changed. decrypt must fail with one line, write
// only authentic chunks, and leave no file behind.
func TestAgeDamaged(t *testing.T) {
	const chunk = 64 << 10
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	c.OK(t, "keygen", "-t", "x25519", "-o", "id", "--public", "pub")
	c.OK(t, "keygen", "-t", "x25519", "-o", "other.id")
	text := clitest.TestMessage(20*chunk + 100)
	clitest.Write(t, filepath.Join(dir, "text"), text)
	c.OK(t, "encrypt", "-R", "pub", "-o", "file", "text")
	file := clitest.Read(t, filepath.Join(dir, "file"))
	start := bytes.Index(file, []byte("\n---")) + 4 + 45 + 16
	at := func(i int) int { return start + i*(chunk+16) }
	flip := func(i int) []byte {
		b := slices.Clone(file)
		b[i] ^= 1
		return b
	}
	other := func(i int) []byte { // another character of base64
		b := slices.Clone(file)
		if b[i] = 'A'; file[i] == 'A' {
			b[i] = 'B'
		}
		return b
	}
	swapped := slices.Clone(file)
	copy(swapped[at(2):], file[at(3):at(4)])
	copy(swapped[at(3):], file[at(2):at(3)])
	for _, test := range []struct {
		what  string
		file  []byte
		whole int
		words string
	}{
		{"MAC", other(start - 30), 0, "not a valid age file: its header is damaged"},
		{"stanza", other(bytes.Index(file, []byte("X25519 ")) + 9), 0, "none of the identities"},
		{"nonce", flip(start - 1), 0, "chunk 0 is damaged"},
		{"middle", flip(at(12) + 7), 12, "chunk 12 is damaged"},
		{"swapped", swapped, 2, "chunk 2 is damaged"},
		{"without the last chunk", file[:at(20)], 20, "truncated"},
		{"without the last byte", file[:len(file)-1], 20, "truncated"},
		{"only the header", file[:start-16], 0, "truncated"},
		{"half the header", file[:50], 0, "file: truncated: it ends in its header"},
		{"without the last byte and others", file[:len(file)-99], 20, "truncated, extended, or its end is damaged"},
		{"two files", slices.Concat(file, file), 20, "chunk 20 is damaged"},
	} {
		clitest.Write(t, filepath.Join(dir, "file"), test.file)
		for _, jobs := range []string{"1", "2"} {
			o := c.Fails(t, 1, test.words, "decrypt", "-i", "id", "-j", jobs, "file")
			if !bytes.Equal([]byte(o.Stdout), text[:test.whole*chunk]) {
				t.Errorf("%s: %d bytes on standard output, want %d chunks", test.what, len(o.Stdout), test.whole)
			}
			c.Fails(t, 1, test.words, "decrypt", "-i", "id", "-j", jobs, "-o", "out", "file")
		}
	}
	clitest.Write(t, filepath.Join(dir, "file"), file)
	c.Fails(t, 1, "none of the identities can decrypt it (it is for X25519)", "decrypt", "-i", "other.id", "-o", "out", "file")
	c.Fails(t, 2, "is encrypted for recipients (X25519); name an identity with -i FILE", "decrypt", "-o", "out", "file")
	if got := clitest.Entries(t, dir); got != "file id other.id pub text" {
		t.Errorf("files: %s", got)
	}
	if got := c.OK(t, "decrypt", "-i", "other.id", "-i", "id", "file"); got != string(text) {
		t.Error("not the same after decrypting with the second identity")
	}
}

func TestAgePassphrases(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	clitest.Write(t, filepath.Join(dir, "right"), []byte(agePassphrase))
	clitest.Write(t, filepath.Join(dir, "wrong"), []byte("wrong\n"))
	c.OK(t, "encrypt", "-p", "--passphrase-file", "right", "-o", "file", "text")
	if got := c.OK(t, "decrypt", "--passphrase-file", "right", "file"); got != "text" {
		t.Errorf("%q after decrypting", got)
	}
	c.Fails(t, 1, "file: wrong passphrase", "decrypt", "--passphrase-file", "wrong", "-o", "out", "file")
	c.Fails(t, 1, "file: its passphrase takes more work (2^18) than --max-work allows (2^17)", "decrypt", "--max-work", "17", "--passphrase-file", "right", "file")
	c.Fails(t, 2, "--max-work 31: want a number from 1 to 30", "decrypt", "--max-work", "31", "file")
	// A locked identity.
	c.OK(t, "keygen", "-t", "sm2", "-e", "--passphrase-file", "right", "-o", "id", "--public", "pub")
	if id := string(clitest.Read(t, filepath.Join(dir, "id"))); !strings.HasPrefix(id, "-----BEGIN AGE ENCRYPTED FILE-----") || strings.Contains(id, "AGE-PLUGIN") {
		t.Errorf("locked identity: %s", id)
	}
	c.OK(t, "encrypt", "-R", "pub", "-f", "-o", "file", "text")
	if got := c.OK(t, "decrypt", "-i", "id", "--passphrase-file", "right", "file"); got != "text" {
		t.Errorf("%q after decrypting with a locked identity", got)
	}
	c.Fails(t, 1, "id: wrong passphrase", "decrypt", "-i", "id", "--passphrase-file", "wrong", "file")
	if got := c.OK(t, "pubkey", "--passphrase-file", "right", "id"); got != string(clitest.Read(t, filepath.Join(dir, "pub"))) {
		t.Errorf("pubkey: %q", got)
	}
	// An identity of ssh.
	sshKeys(t, dir)
	c.OK(t, "encrypt", "-R", "ssh-locked.pub", "-f", "-o", "file", "text")
	if got := c.OK(t, "decrypt", "-i", "ssh-locked.id", "--passphrase-file", "right", "file"); got != "text" {
		t.Errorf("%q after decrypting with a locked identity of ssh", got)
	}
}

// TestAgeRecipients has many recipients, and some that are not.
func TestAgeRecipients(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	var list string
	for i := range 100 {
		c.OK(t, "keygen", "-f", "-t", "x25519", "-o", "id", "--public", "pub")
		list += fmt.Sprintf("# %d\n\n%s", i, clitest.Read(t, filepath.Join(dir, "pub")))
	}
	clitest.Write(t, filepath.Join(dir, "list"), []byte(list))
	c.OK(t, "encrypt", "-R", "list", "-o", "file", "text")
	if got := c.OK(t, "decrypt", "-i", "id", "file"); got != "text" {
		t.Errorf("%q after decrypting, for the last of 100 recipients", got)
	}
	// A header of two megabytes, and one that is too long.
	c.OK(t, "keygen", "-t", "frodokem-976", "-o", "frodo.id", "--public", "frodo.pub")
	public := string(clitest.Read(t, filepath.Join(dir, "frodo.pub")))
	clitest.Write(t, filepath.Join(dir, "list"), []byte(strings.Repeat(public, 97)))
	c.OK(t, "encrypt", "-R", "list", "-f", "-o", "file", "text")
	if size := len(clitest.Read(t, filepath.Join(dir, "file"))); size < 2_000_000 {
		t.Errorf("a file for 97 recipients has %d bytes", size)
	}
	if got := c.OK(t, "decrypt", "-i", "frodo.id", "file"); got != "text" {
		t.Errorf("%q after decrypting, with a header of two megabytes", got)
	}
	clitest.Write(t, filepath.Join(dir, "list"), []byte(strings.Repeat(public, 98)))
	c.Fails(t, 1, "too many recipients", "encrypt", "-R", "list", "-o", "out", "text")

	// Recipients of two kinds are not mixed unless the user asks for it.
	c.Fails(t, 1, "--mixed allows it", "encrypt", "-R", "pub", "-R", "frodo.pub", "-o", "out", "text")
	c.OK(t, "encrypt", "--mixed", "-R", "pub", "-R", "frodo.pub", "-f", "-o", "file", "text")
	for _, id := range []string{"id", "frodo.id"} {
		if got := c.OK(t, "decrypt", "-i", id, "file"); got != "text" {
			t.Errorf("%q after decrypting a mixed file", got)
		}
	}

	id := string(clitest.Read(t, filepath.Join(dir, "id")))
	secret := strings.TrimSpace(id[strings.Index(id, "AGE-"):])
	clitest.Write(t, filepath.Join(dir, "bad"), []byte("# a\nage1xyz\n"))
	clitest.Write(t, filepath.Join(dir, "empty"), []byte("# a\n"))
	clitest.Write(t, filepath.Join(dir, "cut"), []byte(secret[:40]+"\n"))
	os.Chmod(filepath.Join(dir, "cut"), 0o600)
	clitest.Write(t, filepath.Join(dir, "binary"), []byte("\x01\x02\xff\xfe\x00\xf0"))
	for _, test := range []struct {
		code  int
		words string
		args  []string
	}{
		{2, "--recipient bob: not a recipient, which begins with age1 or ssh-; -R FILE reads", []string{"encrypt", "-r", "bob", "text"}},
		{2, "--recipient age1xyz: is mistyped or cut short: its checksum does not match\n", []string{"encrypt", "-r", "age1xyz", "text"}},
		{2, "--recipient age1sm21nonsense: is mistyped or cut short: its checksum does not match\n", []string{"encrypt", "-r", "age1sm21nonsense", "text"}},
		{2, "--recipient age1pq1nonsense: is mistyped or cut short: its checksum does not match\n", []string{"encrypt", "-r", "age1pq1nonsense", "text"}},
		{2, "--recipient age1other1nonsense: is mistyped or cut short: its checksum does not match\n", []string{"encrypt", "-r", "age1other1nonsense", "text"}},
		{1, "cut: line 1: is mistyped or cut short: its checksum does not match\n", []string{"decrypt", "-i", "cut", "file"}},
		{1, "binary: not an age file, or its first line is damaged; if it was encrypted with a key file", []string{"decrypt", "-i", "id", "binary"}},
		{2, "--recipient age1xyz: ", []string{"encrypt", "-r", "age1xyz", "text"}},
		{2, "is an identity, which is secret", []string{"encrypt", "-r", secret, "text"}},
		{1, "id: line 3: is an identity, which is secret", []string{"encrypt", "-R", "id", "text"}},
		{1, "bad: line 2: ", []string{"encrypt", "-R", "bad", "text"}},
		{1, "empty: no recipients in it", []string{"encrypt", "-R", "empty", "text"}},
		{1, "missing: no such file", []string{"encrypt", "-R", "missing", "text"}},
		{1, "age-plugin-none, which knows this kind of recipients, is not installed", []string{"encrypt", "-r", plugin.EncodeRecipient("none", []byte("data")), "text"}},
		{1, "empty: no identities in it", []string{"decrypt", "-i", "empty", "file"}},
		{1, "pub: line 1: is a recipient (a public key), want an identity", []string{"decrypt", "-i", "pub", "file"}},
		{1, "text: line 1: not an identity", []string{"decrypt", "-i", "text", "file"}},
		{2, "can't be used together", []string{"encrypt", "-p", "-R", "pub", "text"}},
		{2, "can't be used together", []string{"encrypt", "-R", "pub", "--key-file", "k", "text"}},
		{2, "only make sense with a key file", []string{"encrypt", "-R", "pub", "--context", "x", "text"}},
		{2, "only make sense with recipients or a passphrase", []string{"encrypt", "-a", "--key-file", "k", "text"}},
		{2, "no key: name recipients", []string{"encrypt", "text"}},
		{2, "only make sense with --type", []string{"keygen", "-e"}},
		{2, "no such kind", []string{"keygen", "-t", "rsa"}},
		{2, "--size: only makes sense without --type", []string{"keygen", "-t", "pq", "--size", "32"}},
		{1, "text: is text", []string{"decrypt", "-i", "id", "text"}},
	} {
		o := c.Fails(t, test.code, test.words, append(test.args, "-o", "out")...)
		if strings.Contains(o.Stderr, secret) {
			t.Errorf("%q: the error contains the identity", test.args)
		}
	}
	if strings.Contains(clitest.Entries(t, dir), "out") {
		t.Errorf("files: %s", clitest.Entries(t, dir))
	}
	// Standard input.
	o := clitest.Call{Dir: dir, Stdin: strings.NewReader("text")}.OK(t, "encrypt", "-R", "pub")
	if got := (clitest.Call{Dir: dir, Stdin: strings.NewReader(o)}).OK(t, "decrypt", "-i", "id"); got != "text" {
		t.Errorf("%q after decrypting standard input", got)
	}
	if got := (clitest.Call{Dir: dir, Stdin: strings.NewReader(id)}).OK(t, "decrypt", "-i", "-", "file"); got != "text" {
		t.Errorf("%q after decrypting with an identity from standard input", got)
	}
	c.Fails(t, 2, "standard input cannot have more than one", "decrypt", "-i", "-")
	// White space before armor.
	armored := "\r\n \n" + c.OK(t, "encrypt", "-a", "-R", "pub", "text") + "\n\n"
	if got := (clitest.Call{Dir: dir, Stdin: strings.NewReader(armored)}).OK(t, "decrypt", "-i", "id"); got != "text" {
		t.Errorf("%q after decrypting armor with white space", got)
	}
	for _, d := range clitest.DriversOf(t, "rfc7539(chacha20,poly1305)") {
		if got := (clitest.Call{Dir: dir, Stdin: strings.NewReader(o)}).OK(t, "decrypt", "--driver", d, "-i", "id"); got != "text" {
			t.Errorf("%q after decrypting with driver %s", got, d)
		}
	}
}

// TestAgePlugin speaks the plugin protocol.
func TestAgePlugin(t *testing.T) {
	for _, test := range []struct {
		name, args, stdin string
		code              int
		stdout, stderr    string
	}{
		{"age-plugin-sm2", "", "", 2, "", "is a plugin, which age starts"},
		{"age-plugin-sm2", "--help", "", 2, "", "is a plugin, which age starts"},
		{"age-plugin-sm3", "--age-plugin=recipient-v1", "", 2, "", "no such plugin"},
		{"age-plugin-sm2", "--age-plugin=recipient-v2", "", 4, "", "unknown state machine"},
		{"age-plugin-sm2", "--age-plugin=recipient-v1", "", 1, "", "failed to read stanza"},
		{"age-plugin-sm2", "--age-plugin=recipient-v1", "-> done\n\n", 1, "", "no recipients"},
		{"age-plugin-sm2", "--age-plugin=recipient-v1", "-> add-recipient age1sm21qqqq\n\n-> wrap-file-key\nAAAAAAAAAAAAAAAAAAAAAA\n-> done\n\n-> ok\n\n", 3, "-> error recipient 0\n", ""},
		{"age-plugin-sm2", "--age-plugin=identity-v1", "-> add-identity AGE-PLUGIN-SM2-1QQQQ\n\n-> recipient-stanza 0 X25519\n\n-> done\n\n-> ok\n\n", 3, "-> error identity 0\n", ""},
		{"age-plugin-frodokem", "--age-plugin=recipient-v1", "-> add-recipient age1frodokem1qqqq\n\n-> wrap-file-key\nAAAAAAAAAAAAAAAAAAAAAA\n-> done\n\n-> ok\n\n", 3, "-> error recipient 0\n", ""},
	} {
		o := clitest.Call{Name: test.name, Stdin: strings.NewReader(test.stdin)}.Run(t, strings.Fields(test.args)...)
		if o.Code != test.code || !strings.HasPrefix(o.Stdout, test.stdout) || !strings.Contains(o.Stderr, test.stderr) {
			t.Errorf("%s %s: exit code %d, %q, %q", test.name, test.args, o.Code, o.Stdout, o.Stderr)
		}
	}
	// The program under its own name.
	in := "-> grease 1 2\n\n-> add-identity AGE-PLUGIN-SM2-1QQQQ\n\n-> recipient-stanza 0 X25519\n\n-> done\n\n-> ok\n\n"
	if o := (clitest.Call{Stdin: strings.NewReader(in)}).Run(t, "--age-plugin=identity-v1"); o.Code != 3 || !strings.HasPrefix(o.Stdout, "-> error identity 0\n") {
		t.Errorf("as cipherlane: exit code %d, %q, %q", o.Code, o.Stdout, o.Stderr)
	}
	clitest.Call{Stdin: strings.NewReader("-> done\n\n")}.Fails(t, 2, "no recipient or identity", "--age-plugin=identity-v1")
	// A stanza that is for the key, but not valid, is an error; others are not.
	c := clitest.Call{Dir: t.TempDir()}
	id := c.OK(t, "keygen", "-t", "sm2")
	id = strings.TrimSpace(id[strings.Index(id, "AGE-"):])
	for stanza, want := range map[string]string{"github.com/cipherlane/sm2": "-> error stanza 0 0\n", "X25519 abc": "-> done\n"} {
		in := "-> add-identity " + id + "\n\n-> recipient-stanza 0 " + stanza + "\nAAAA\n-> done\n\n" + "-> unsupported\n\n-> ok\n\n"
		o := clitest.Call{Name: "age-plugin-sm2", Stdin: strings.NewReader(in)}.Run(t, "--age-plugin=identity-v1")
		if !strings.Contains(o.Stdout, want) && !strings.Contains(o.Stderr, "unsupported") { // a test message of the protocol is sent at random
			t.Errorf("%s: exit code %d, %q, %q", stanza, o.Code, o.Stdout, o.Stderr)
		}
	}
}
