//go:build unix && !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"filippo.io/age"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/payload"
)

// decrypts reports which of the identities KIND.id can decrypt a file.
func decrypts(t *testing.T, dir, file, text string, kinds ...string) (list []string) {
	t.Helper()
	for _, kind := range kinds {
		o := clitest.Call{Dir: dir}.Run(t, "decrypt", "-i", kind+".id", file)
		if o.Code == 0 && o.Stdout == text {
			list = append(list, kind)
		} else if o.Code != 1 || o.Stdout != "" || !strings.Contains(o.Stderr, "none of the identities can decrypt it") {
			t.Errorf("%s: %+v", kind, o)
		}
	}
	return list
}

// TestRecipients adds recipients of every kind to a file, and removes them in every way.
func TestRecipients(t *testing.T) {
	bin, dir := ageBin(t), ageFiles(t)
	c := clitest.Call{Dir: dir}
	c.OK(t, "keygen", "-t", "x25519", "-o", "bob.id", "--public", "bob.pub")
	file, text := filepath.Join(dir, "file"), string(clitest.TestMessage(100000))
	clitest.Write(t, filepath.Join(dir, "text"), []byte(text))
	for i, kind := range ageKinds {
		arm := []string{"--armor"}[i%2:]
		c.OK(t, append([]string{"encrypt", "-f", "-R", "bob.pub", "-o", "file", "text"}, arm...)...)
		os.Chmod(file, 0o640)
		before := clitest.Read(t, file)
		want := func(what, numbered string, ids ...string) {
			t.Helper()
			if got := decrypts(t, dir, "file", text, kind, "bob", ageKinds[(i+1)%len(ageKinds)]); !slices.Equal(got, ids) {
				t.Errorf("%s, %s: %q can decrypt it, want %q", kind, what, got, ids)
			}
			if got := c.OK(t, "inspect", "file"); !strings.Contains(got, numbered) || strings.Contains(got, "armored") != (len(arm) > 0) {
				t.Errorf("%s, %s: %s", kind, what, got)
			}
			if info, err := os.Stat(file); err != nil || info.Mode() != 0o640 {
				t.Errorf("%s, %s: mode %v, %v", kind, what, info.Mode(), err)
			}
		}
		c.OK(t, "recipients", "add", "-i", "bob.id", "-R", kind+".pub", "--mixed", "file")
		want("added", "\n  1. X25519\n  2. ", kind, "bob")
		if got, err := other(t, bin, dir, "age", "-d", "-i", kind+".id", "file"); err != nil || got != text {
			t.Errorf("%s: age does not decrypt it: %v", kind, err)
		}
		if after := clitest.Read(t, file); len(arm) == 0 && !bytes.Equal(after[len(after)-100000:], before[len(before)-100000:]) {
			t.Errorf("%s: its data was encrypted again", kind)
		}
		added := clitest.Read(t, file)
		for _, args := range [][]string{{"-n", "2"}, {"--old-identity", kind + ".id"}, {"--others"}, {"-R", kind + ".pub"}} {
			if args[0] == "-R" && !strings.HasPrefix(kind, "ssh-") {
				c.Fails(t, 2, "files do not name recipients of this kind", append([]string{"recipients", "remove", "-i", "bob.id", "file"}, args...)...)
				continue
			}
			clitest.Write(t, file, added)
			c.OK(t, append([]string{"recipients", "remove", "-i", "bob.id", "file"}, args...)...)
			want(fmt.Sprint(args), "\n  1. X25519\n  A", "bob")
		}
		// The other way round: who was added removes who was there before.
		clitest.Write(t, file, added)
		c.OK(t, "recipients", "remove", "-i", kind+".id", "--entry=1", "file")
		want("removed the first", "\n  1. ", kind)
		if got, err := other(t, bin, dir, "age", "-d", "-i", kind+".id", "file"); err != nil || got != text {
			t.Errorf("%s: age does not decrypt it: %v", kind, err)
		}
	}
}

// TestRecipientsOutput: the new version may go elsewhere, links stay, and files of others stay theirs.
func TestRecipientsOutput(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	for _, name := range []string{"alice", "bob"} {
		c.OK(t, "keygen", "-t", "x25519", "-o", name+".id", "--public", name+".pub")
	}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	c.OK(t, "encrypt", "-R", "alice.pub", "-o", "file", "text")
	before := clitest.Read(t, filepath.Join(dir, "file"))
	piped := clitest.Call{Dir: dir, Stdin: bytes.NewReader(before)}.OK(t, "recipients", "add", "-i", "alice.id", "-R", "bob.pub", "-o", "-", "-")
	c.OK(t, "recipients", "add", "-i", "alice.id", "-R", "bob.pub", "-o", "other", "file")
	for _, message := range []string{piped, string(clitest.Read(t, filepath.Join(dir, "other")))} {
		if got := (clitest.Call{Dir: dir, Stdin: strings.NewReader(message)}).OK(t, "decrypt", "-i", "bob.id"); got != "text" {
			t.Errorf("decrypted %q", got)
		}
	}
	c.Fails(t, 1, "other: exists already", "recipients", "add", "-i", "alice.id", "-R", "bob.pub", "-o", "other", "file")
	c.Fails(t, 2, "same file", "recipients", "add", "-i", "alice.id", "-R", "bob.pub", "-f", "-o", "file", "file")
	if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "file")), before) {
		t.Error("the file has changed")
	}
	if err := os.Symlink("file", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		os.Chown(filepath.Join(dir, "file"), 1234, 1234)
	}
	c.OK(t, "recipients", "add", "-i", "alice.id", "-R", "bob.pub", "link")
	c.OK(t, "decrypt", "-i", "bob.id", "file")
	if to, err := os.Readlink(filepath.Join(dir, "link")); err != nil || to != "file" {
		t.Errorf("the link is gone: %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); os.Getuid() == 0 && (s.Uid != 1234 || s.Gid != 1234) {
		t.Errorf("owner %d, group %d", s.Uid, s.Gid)
	}
	c.OK(t, "encrypt", "-R", "alice.pub", "-f", "-o", "file", "text")
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	go os.WriteFile(fifo, before, 0)
	c.Fails(t, 1, "fifo: is no regular file", "recipients", "add", "-i", "alice.id", "-R", "bob.pub", "fifo")
}

// TestRecipientsErrors: after an error, the file is as it was, and nothing is left beside it.
func TestRecipientsErrors(t *testing.T) {
	dir := ageFiles(t)
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	c.OK(t, "keygen", "-o", "key")
	c.OK(t, "encrypt", "--key-file", "key", "-o", "keyed", "text")
	c.OK(t, "encrypt", "-p", "--passphrase-file", "passphrase", "-o", "locked", "text")
	c.OK(t, "encrypt", "-R", "x25519.pub", "-R", "ssh-rsa.pub", "-o", "two", "text")
	c.OK(t, "encrypt", "-R", "x25519.pub", "-o", "one", "text")
	c.OK(t, "encrypt", "-R", "pq.pub", "-o", "safe", "text")
	one := clitest.Read(t, filepath.Join(dir, "one"))
	clitest.Write(t, filepath.Join(dir, "cut"), one[:len(one)-5-16])
	clitest.Write(t, filepath.Join(dir, "header"), one[:50])
	public := strings.TrimSpace(string(clitest.Read(t, filepath.Join(dir, "sm2.pub"))))
	before := clitest.Contents(t, dir)
	for _, test := range []struct {
		code  int
		words string
		args  string
	}{
		{2, "nobody to add", "add -i x25519.id one"},
		{2, "nobody to remove", "remove -i x25519.id one"},
		{2, "missing flags: --identity", "add -R sm2.pub one"},
		{2, `expected "<file>"`, "add -i x25519.id -R sm2.pub"},
		{2, "standard input cannot be changed", "add -i x25519.id -R sm2.pub -"},
		{2, "standard input cannot be changed", "add -i x25519.id -R sm2.pub /dev/stdin"},
		{2, "standard input cannot have more than one of", "add -i - -R sm2.pub -o new -"},
		{1, "none: no such file", "add -i x25519.id -R sm2.pub none"},
		{1, "is a directory", "add -i x25519.id -R sm2.pub ."},
		{1, "keyed: not an age file; a file that was encrypted with a key file has no recipients", "add -i x25519.id -R sm2.pub keyed"},
		{1, "text: is text", "add -i x25519.id -R sm2.pub text"},
		{1, "locked: is encrypted with a passphrase, which can have no recipients beside it", "add -i x25519.id -R sm2.pub locked"},
		{1, "locked: is encrypted with a passphrase", "remove -i x25519.id -n 1 locked"},
		{1, "one: none of the identities can decrypt it (it is for X25519)", "add -i sm2.id -R sm2.pub one"},
		{1, "one: age1", "add -i x25519.id -R sm2.pub -R x25519.pub one"},
		{1, " is among its recipients already", "add -i sm2.id -i x25519.id -R x25519.pub one"},
		{1, `two: "ssh-rsa `, "add -i x25519.id -R ssh-rsa.pub two"},
		{2, abbreviated(public) + ": is named twice", "add -i x25519.id -R sm2.pub -r " + public + " one"},
		{2, "--recipient age1xyz: ", "add -i x25519.id -r age1xyz one"},
		{1, "one: incompatible recipients: can't mix post-quantum and classic recipients", "add -i x25519.id -R pq.pub one"},
		{1, "safe: incompatible recipients: can't mix post-quantum", "add -i pq.id -R x25519.pub safe"},
		{1, "can't mix post-quantum", "add -i pq.id -R x25519.pub -R frodokem-976.pub safe"},
		{2, "--entry 3: two has 2 recipients", "remove -i x25519.id -n 3 two"},
		{2, "--entry 0: one has 1 recipient (", "remove -i x25519.id -n 0 one"},
		{1, "one: nobody could decrypt it then; add another recipient first", "remove -i x25519.id -n 1 one"},
		{1, "two: nobody could decrypt it then", "remove -i x25519.id -n 1,2 two"},
		{1, "two: nobody could decrypt it then", "remove -i x25519.id --others -n 1 two"},
		{1, "one: is for nobody else", "remove -i x25519.id --others one"},
		{1, "two: the owner of sm2.id is not among its recipients", "remove -i x25519.id --old-identity sm2.id two"},
		{1, `two: "ssh-ed25519 `, "remove -i x25519.id -R ssh-ed25519.pub two"},
		{1, "cut: truncated", "add -i x25519.id -R sm2.pub cut"},
		{1, "header: truncated: it ends in its header", "add -i x25519.id -R sm2.pub header"},
	} {
		c.Fails(t, test.code, test.words, append([]string{"recipients"}, strings.Fields(test.args)...)...)
		if after := clitest.Contents(t, dir); !maps.Equal(before, after) {
			t.Fatalf("%s: files before %q, after %q", test.args, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
		}
	}
	clitest.Write(t, filepath.Join(dir, "many"), bytes.Repeat([]byte(public+"\n"), 1025))
	c.Fails(t, 1, "too many recipients: 1025, and age reads at most 1024", "encrypt", "-R", "many", "-o", "new", "text")
}

// TestRecipientsUnknown: recipients of a kind that is not known may be safe from quantum computers,
// and those that programs add for nobody do not count.
func TestRecipientsUnknown(t *testing.T) {
	dir := ageFiles(t)
	c := clitest.Call{Dir: dir}
	identity, err := age.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(dir, "id"), []byte(identity.String()))
	h := &openHeader{fileKey: make([]byte, payload.FileKeySize)}
	aead, err := new(streamFlags).payloadCipher(payload.Key(h.fileKey, make([]byte, payload.NonceSize)))
	if err != nil {
		t.Fatal(err)
	}
	write := func(kind string) {
		header, err := h.encode([]age.Recipient{entries{{Type: kind}}, forKey{identity.Recipient(), h.fileKey}}, true)
		if err != nil {
			t.Fatal(err)
		}
		file := bytes.NewBuffer(append(header, make([]byte, payload.NonceSize)...))
		if err := payload.Encrypt(file, strings.NewReader("text"), aead, 1); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, "file"), file.Bytes())
	}
	write("x-grease")
	c.Fails(t, 1, "nobody could decrypt it then", "recipients", "remove", "-i", "id", "-n", "2", "file")
	c.OK(t, "recipients", "add", "-i", "id", "-R", "pq.pub", "file")
	c.OK(t, "decrypt", "-i", "pq.id", "file")
	write("new")
	for _, public := range []string{"pq.pub", "sm2.pub"} {
		c.Fails(t, 1, "file: has recipients of a kind that is not known here", "recipients", "add", "-i", "id", "-R", public, "file")
	}
	c.OK(t, "recipients", "add", "--mixed", "-i", "id", "-R", "sm2.pub", "file")
	c.OK(t, "recipients", "remove", "-i", "sm2.id", "-n", "1", "file")
	c.OK(t, "decrypt", "-i", "id", "file")
}

// TestRecipientsCrash: if the new version cannot take the place of the old one, or the program is
// killed before it does, the old one is there.
func TestRecipientsCrash(t *testing.T) {
	for _, env := range [][]string{{failedRename + "=error"}, {failedRename + "=kill"}, {failedRename + "=error", namedFiles}, {failedRename + "=kill", namedFiles}} {
		dir := t.TempDir()
		c := clitest.Call{Dir: dir}
		c.OK(t, "keygen", "-t", "x25519", "-o", "id", "--public", "pub")
		c.OK(t, "keygen", "-t", "x25519", "-o", "other", "--public", "other.pub")
		clitest.Write(t, filepath.Join(dir, "text"), clitest.TestMessage(1000))
		c.OK(t, "encrypt", "-R", "pub", "-o", "file", "text")
		before := clitest.Contents(t, dir)
		c.Env = env
		o := c.Run(t, "recipients", "add", "-i", "id", "-R", "other.pub", "file")
		if o.Code == 0 || strings.HasSuffix(env[0], "kill") != (o.Signal == syscall.SIGKILL) {
			t.Errorf("%q: %+v", env, o)
		}
		after := clitest.Contents(t, dir)
		for name := range after {
			if o.Signal != 0 && strings.HasPrefix(name, ".cipherlane-") {
				delete(after, name)
			}
		}
		if !maps.Equal(before, after) {
			t.Errorf("%q: files before %q, after %q", env, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
		}
	}
}
