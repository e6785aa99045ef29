//go:build unix && !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// passphraseLines are command lines that need a passphrase, one for each verb, in order: deriving keys
// takes its time. The lines for which there is no name of a file are without a passphrase.
var passphraseLines = []struct{ line, name string }{
	{"sm2 keygen -e -f -o sm2 --public sm2.pub", "sm2"},
	{"sm2 sign --key sm2 -f -o out text", "sm2"},
	{"encrypt -R sm2.pub -f -o file text", ""},
	{"decrypt -i sm2 -f -o out file", "sm2"},
	{"recipients add -i sm2 -R x25519.pub file", "sm2"},
	{"decrypt -i x25519 -f -o out file", ""},
	{"kem keygen -e --set FrodoKEM-640-AES -f -o kem --public kem.pub", "kem"},
	{"kem pubkey --key kem", "kem"},
	{"keygen -t sm2 -e -f -o id --public pub", "id"},
	{"pubkey id", "id"},
	{"encrypt -p -f -o locked text", "locked"},
}

// TestPassphraseFD: every verb that needs a passphrase reads it from a descriptor.
func TestPassphraseFD(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	c.OK(t, "keygen", "-t", "x25519", "-o", "x25519", "--public", "x25519.pub")
	for _, l := range passphraseLines {
		args := strings.Fields(l.line)
		if l.name == "" {
			c.OK(t, args...)
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, agePassphrase+"\nmore\n")
		w.Close()
		clitest.Call{Dir: dir, Files: []*os.File{r}}.OK(t, append(args, "--passphrase-fd", "3")...)
		r.Close()
		c.Fails(t, 2, "--passphrase-file and --passphrase-fd can't be used together", append(args, "--passphrase-fd", "3", "--passphrase-file", "x")...)
	}
	in := clitest.Call{Dir: dir, Stdin: strings.NewReader(agePassphrase)}
	if got := in.OK(t, "sm2", "pubkey", "--passphrase-fd", "0", "--key", "sm2"); got != string(clitest.Read(t, filepath.Join(dir, "sm2.pub"))) {
		t.Errorf("sm2 pubkey: %q", got)
	}
	in.Fails(t, 2, "standard input cannot have more than one of", "decrypt", "--passphrase-fd", "0")
	in.Fails(t, 2, "standard input cannot have more than one of", "sm2", "sign", "--passphrase-fd", "0", "--key", "sm2")
	c.Fails(t, 2, "--passphrase-fd -1: not a file descriptor", "decrypt", "--passphrase-fd=-1", "locked")
	c.Fails(t, 1, "descriptor 57: ", "decrypt", "--passphrase-fd", "57", "locked")
	c.Fails(t, 2, "only make sense with --passphrase", "encrypt", "-R", "pub", "--passphrase-fd", "3", "text")
	c.Fails(t, 2, "only make sense with", "keygen", "-t", "sm2", "--passphrase-fd", "3")
}

// TestAskpass: without a terminal, verbs that need a passphrase have a program ask for it.
func TestAskpass(t *testing.T) {
	clitest.Tool(t, "sh")
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	program := filepath.Join(dir, "askpass")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s|' \"$@\" >> asked\necho '"+agePassphrase+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(line string, env ...string) (code int, stderr, asked string) {
		os.Remove(filepath.Join(dir, "asked"))
		cmd := clitest.Call{Dir: dir, Env: env}.Command(t, strings.Fields(line)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		var b bytes.Buffer
		cmd.Stderr = &b
		cmd.Run()
		text, _ := os.ReadFile(filepath.Join(dir, "asked"))
		return cmd.ProcessState.ExitCode(), b.String(), string(text)
	}
	run("keygen -t x25519 -o x25519 --public x25519.pub")
	for _, l := range passphraseLines[:6] {
		want := ""
		switch {
		case strings.Contains(l.line, "-e "):
			want = "New passphrase for " + l.name + ": |Repeat passphrase: |"
		case l.name != "":
			want = "Passphrase for " + l.name + ": |"
		}
		if code, stderr, asked := run(l.line, "CIPHERLANE_ASKPASS="+program); code != 0 || stderr != "" || asked != want {
			t.Errorf("%s: exit code %d, %q, asked %q, want %q", l.line, code, stderr, asked, want)
		}
	}
	const line = "sm2 pubkey --key sm2"
	for _, require := range []string{"force", "prefer"} {
		if code, stderr, asked := run(line, "SSH_ASKPASS="+program, "SSH_ASKPASS_REQUIRE="+require); code != 0 || stderr != "" || asked != "Passphrase for sm2: |" {
			t.Errorf("%s: exit code %d, %q, asked %q", require, code, stderr, asked)
		}
	}
	for _, env := range [][]string{nil, {"SSH_ASKPASS=" + program, "DISPLAY=:0"}, {"SSH_ASKPASS=" + program, "SSH_ASKPASS_REQUIRE=never"}} {
		if code, stderr, asked := run(line, env...); code != 2 || !strings.Contains(stderr, "no terminal to ask for the passphrase") || asked != "" {
			t.Errorf("%q: exit code %d, %q, asked %q", env, code, stderr, asked)
		}
	}
	if code, stderr, _ := run(line, "CIPHERLANE_ASKPASS=false"); code != 1 || stderr != "cipherlane: false: gave no passphrase (exit status 1)\n" {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}
