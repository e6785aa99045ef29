package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// TestOutputsSame: two outputs with the same path are rejected, however it is spelled,
// and the error does not suggest -f.
func TestOutputsSame(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	c.OK(t, "kem", "keygen", "--set", "FrodoKEM-640-AES", "-o", "bob", "--public", "bob.pub")
	for _, link := range []string{"link", "hard", "there", "dangling"} {
		var err error
		switch link {
		case "link":
			err = os.Symlink("old", filepath.Join(dir, link))
		case "hard":
			clitest.Write(t, filepath.Join(dir, "old"), []byte("old"))
			err = os.Link(filepath.Join(dir, "old"), filepath.Join(dir, link))
		case "there":
			err = os.Symlink(".", filepath.Join(dir, link))
		case "dangling":
			err = os.Symlink("absent", filepath.Join(dir, link))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	open, err := os.OpenFile(filepath.Join(dir, "old"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	c.Files = []*os.File{open}
	before := clitest.Contents(t, dir)
	for _, pair := range [][2]string{
		{"new", "new"}, {"new", "./new"}, {"./new", "there/new"}, {filepath.Join(dir, "new"), "new"}, {"there/../" + filepath.Base(dir) + "/new", "new"},
		{"old", "old"}, {"old", "./old"}, {"old", "link"}, {"link", "old"}, {"hard", "old"}, {"link", "hard"}, {"there/old", "old"},
		{"dangling", "./dangling"}, {"-", "-"}, {"-", "/dev/stdout"}, {"/dev/fd/1", "-"}, {"/dev/fd/3", "old"}, {"hard", "/dev/fd/3"}, {"/dev/fd/3", "/dev/fd/3"},
	} {
		for _, args := range [][]string{
			{"sm2", "keygen", "-o", pair[0], "--public", pair[1]},
			{"sm2", "cert", "localhost", "-o", pair[0], "--new-key", pair[1]},
			{"kem", "keygen", "--set", "FrodoKEM-640-AES", "-o", pair[0], "--public", pair[1]},
			{"kem", "encap", "--to", "bob.pub", "-o", pair[0], "--secret", pair[1]},
		} {
			for _, args := range [][]string{args, append(args, "-f")} {
				if o := c.Fails(t, 2, "two outputs cannot go to the same file", args...); o.Stdout != "" {
					t.Errorf("%q: printed %q", args, o.Stdout)
				}
				if after := clitest.Contents(t, dir); !maps.Equal(before, after) {
					t.Fatalf("%q: files before %q, after %q", args, before, after)
				}
			}
		}
	}
	// These do not conflict: a device that discards everything, and two files.
	c.OK(t, "sm2", "keygen", "-o", "/dev/null", "--public", "/dev/null")
	c.OK(t, "sm2", "keygen", "-o", "new", "--public", "new.pub")
	// Standard output is redirected to a file that the other output would replace.
	file, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	clitest.Call{Dir: dir, Stdout: file}.Fails(t, 2, "two outputs", "sm2", "keygen", "-f", "-o", "-", "--public", "file")
	clitest.Call{Dir: dir, Stdout: file}.Fails(t, 2, "two outputs", "tune", "sm3", "--seconds", "0.01", "-f", "-o", "file")
}

// TestOutputIsInput: no verb replaces a file that it reads.
func TestOutputIsInput(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("0123456789abcdef"))
	clitest.Write(t, filepath.Join(dir, "pw"), []byte("secret\n"))
	c.OK(t, "keygen", "-o", "key")
	c.OK(t, "encrypt", "--key-file", "key", "-o", "text.enc", "text")
	c.OK(t, "sm2", "keygen", "-o", "sm2", "--public", "sm2.pub")
	c.OK(t, "sm2", "keygen", "-e", "--passphrase-file", "pw", "-o", "sm2e")
	c.OK(t, "sm2", "encrypt", "--to", "sm2.pub", "-o", "text.sm2", "text")
	c.OK(t, "sm2", "cert", "--ca", "CA", "--key", "sm2", "-o", "ca.pem")
	c.OK(t, "sm2", "cert", "--request", "localhost", "--key", "sm2", "-o", "req")
	c.OK(t, "kem", "keygen", "--set", "FrodoKEM-640-AES", "-o", "kem", "--public", "kem.pub")
	c.OK(t, "kem", "encap", "--to", "kem.pub", "-o", "ct", "--secret", "k")
	for _, line := range []string{
		"encrypt --key-file key text", "decrypt --key-file key text.enc",
		"cipher sm4-ecb -q --key-file key text", "cipher sm4-ecb -d -q --no-padding --key-file key text",
		"sm2 keygen -e --passphrase-file pw --public other", "sm2 pubkey --key sm2", "sm2 pubkey --key sm2e --passphrase-file pw",
		"sm2 sign --key sm2 text", "sm2 cert localhost --issuer ca.pem --issuer-key sm2 --key sm2", "sm2 cert --sign req --issuer ca.pem --issuer-key sm2",
		"sm2 encrypt --to sm2.pub text", "sm2 decrypt --key sm2 text.sm2",
		"kem encap --to kem.pub --secret other", "kem decap --key kem ct",
	} {
		args := strings.Fields(line)
		for i, file := range args {
			if _, err := os.Stat(filepath.Join(dir, file)); err != nil || i == 0 || file == "sm2" && i < 2 {
				continue // no input
			}
			os.Remove(filepath.Join(dir, "soft"))
			os.Remove(filepath.Join(dir, "hard"))
			if err := os.Symlink(file, filepath.Join(dir, "soft")); err != nil {
				t.Fatal(err)
			}
			if err := os.Link(filepath.Join(dir, file), filepath.Join(dir, "hard")); err != nil {
				t.Fatal(err)
			}
			open, err := os.OpenFile(filepath.Join(dir, file), os.O_RDWR|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			before := clitest.Contents(t, dir)
			outs := []string{file, "./" + file, filepath.Join(dir, file), "soft", "hard", "/dev/fd/3"}
			if strings.Contains(line, "sm2e") {
				outs = outs[3:4] // deriving the key takes its time
			}
			for _, out := range outs {
				all := append(slices.Clone(args), "-o", out, "-f")
				if out == file { // and the error does not suggest -f
					clitest.Call{Dir: dir}.Fails(t, 2, "input and output are the same file", all[:len(all)-1]...)
				}
				clitest.Call{Dir: dir, Files: []*os.File{open}}.Fails(t, 2, "input and output are the same file", all...)
			}
			if strings.HasPrefix(line, "kem encap") {
				c.Fails(t, 2, "input and output are the same file", "kem", "encap", "--to", "kem.pub", "-f", "-o", "x", "--secret", file)
			}
			open.Close()
			if after := clitest.Contents(t, dir); !maps.Equal(before, after) {
				t.Fatalf("%q: files before %q, after %q", args, before, after)
			}
		}
	}
	// Through standard input and output.
	for _, args := range [][]string{{"encrypt", "--key-file", "key"}, {"sm2", "encrypt", "--to", "sm2.pub"}, {"sm2", "sign", "--key", "sm2"}} {
		inout, err := os.OpenFile(filepath.Join(dir, "text"), os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Call{Dir: dir, Stdin: inout}.Fails(t, 2, "standard input: input and output", append(args, "-f", "-o", "text")...)
		clitest.Call{Dir: dir, Stdin: inout, Stdout: inout}.Fails(t, 2, "standard input: input and output", args...)
		clitest.Call{Dir: dir, Stdout: inout}.Fails(t, 2, "text: input and output", append(args, "text")...)
		inout.Close()
	}
	// A list of checksums may be among the files.
	sums, err := os.Create(filepath.Join(dir, "SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	defer sums.Close()
	clitest.Call{Dir: dir, Stdout: sums}.OK(t, "hash", "text", "SUMS")
}
