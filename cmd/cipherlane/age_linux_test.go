//go:build !(mips || mipsle || mips64 || mips64le)

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal runs the command on a pseudo terminal. It types each answer when the question
// that goes with it appears, and returns what appeared.
func (c call) terminal(t *testing.T, answers []string, args ...string) (screen string, code int) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	cmd := c.command(t, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	var seen bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 1024)
		from := 0
		for {
			n, err := master.Read(b)
			seen.Write(b[:n])
			if i := bytes.Index(seen.Bytes()[from:], []byte(": ")); len(answers) > 0 && i >= 0 && bytes.Contains(seen.Bytes()[from:], []byte("assphrase")) {
				from = seen.Len()
				time.Sleep(50 * time.Millisecond) // until echo is off
				fmt.Fprintf(master, "%s\r", answers[0])
				answers = answers[1:]
			}
			if err != nil { // EIO when the command has ended
				return
			}
		}
	}()
	cmd.Wait()
	<-done
	return strings.ReplaceAll(seen.String(), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

// TestAgeTerminal: the questions for passphrases, and that answers do not appear.
func TestAgeTerminal(t *testing.T) {
	dir := t.TempDir()
	c := call{dir: dir}
	write(t, filepath.Join(dir, "text"), []byte("text"))
	const secret, wrong = "correct horse", "battery staple"
	for _, test := range []struct {
		answers []string
		args    string
		code    int
		screen  string
	}{
		{[]string{secret, wrong}, "encrypt -p -o file text", 1, "New passphrase for file: \nRepeat passphrase: \ncipherlane: the two passphrases differ\n"},
		{[]string{""}, "encrypt -p -o file text", 1, "New passphrase for file: \ncipherlane: the passphrase is empty\n"},
		{[]string{secret, secret}, "encrypt -p -o file text", 0, "New passphrase for file: \nRepeat passphrase: \n"},
		{nil, "encrypt -p -o file text", 1, "cipherlane: file: exists already; use -f to replace it\n"},
		{[]string{wrong}, "decrypt -o out file", 1, "Passphrase for file: \ncipherlane: file: wrong passphrase\n"},
		{[]string{secret}, "decrypt -o out file", 0, "Passphrase for file: \n"},
		{nil, "decrypt -o file file", 2, "cipherlane: file: input and output are the same file\n"},
		{[]string{secret, secret}, "keygen -t x25519 -e -o id --public pub", 0, "New passphrase for id: \nRepeat passphrase: \n"},
		{nil, "encrypt -R pub -o for.me text", 0, ""},
		{[]string{secret}, "decrypt -i id -f -o out for.me", 0, "Passphrase for id: \n"},
		{nil, "encrypt -R pub text", 2, "cipherlane: standard output: is a terminal, and the output is binary; use -o FILE, or -o - to write it anyway\n"},
		{nil, "decrypt", 2, "cipherlane: no key: name one with -i FILE, --key-file FILE or --key-fd N\n"},
	} {
		screen, code := c.terminal(t, test.answers, strings.Fields(test.args)...)
		if code != test.code || screen != test.screen {
			t.Errorf("%s: exit code %d, screen %q, want %d and %q", test.args, code, screen, test.code, test.screen)
		}
	}
	if got := string(read(t, filepath.Join(dir, "out"))); got != "text" {
		t.Errorf("%q after decrypting", got)
	}
}
