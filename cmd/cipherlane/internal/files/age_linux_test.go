//go:build !(mips || mipsle || mips64 || mips64le)

package files

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"golang.org/x/sys/unix"
)

// atTerminal runs the command on a pseudo terminal. It types each answer when the question
// that goes with it appears, and returns what appeared and the exit code or, negative, the
// signal that ended the command.
func atTerminal(t *testing.T, c clitest.Call, answers []string, args ...string) (screen string, code int) {
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
	cmd := c.Command(t, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
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
				time.Sleep(50 * time.Millisecond)                                               // until echo is off
				if answer := answers[0]; strings.Contains("\x03\x1c", answer) && answer != "" { // Ctrl-C, Ctrl-\
					master.WriteString(answer)
				} else {
					fmt.Fprintf(master, "%s\r", answer)
				}
				answers = answers[1:]
			}
			if err != nil { // EIO when the command has ended
				return
			}
		}
	}()
	cmd.Wait()
	if mode, err := unix.IoctlGetTermios(int(master.Fd()), unix.TCGETS); err != nil || mode.Lflag&unix.ECHO == 0 {
		t.Errorf("%q: the terminal does not echo anymore (%v)", args, err)
	}
	slave.Close()
	<-done
	code = cmd.ProcessState.ExitCode()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		code = -int(status.Signal())
	}
	return strings.ReplaceAll(seen.String(), "\r\n", "\n"), code
}

// TestAgeTerminal: the questions for passphrases, and that answers do not appear.
func TestAgeTerminal(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
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
		screen, code := atTerminal(t, c, test.answers, strings.Fields(test.args)...)
		if code != test.code || screen != test.screen {
			t.Errorf("%s: exit code %d, screen %q, want %d and %q", test.args, code, screen, test.code, test.screen)
		}
	}
	if got := string(clitest.Read(t, filepath.Join(dir, "out"))); got != "text" {
		t.Errorf("%q after decrypting", got)
	}
}

// TestPassphraseInterrupted: a signal at the question ends the command as it ends others, so
// that the loop of a shell does not go on. The terminal echoes again, and no file is left.
func TestPassphraseInterrupted(t *testing.T) {
	// A command inherits that a signal is ignored, but not that there is a handler.
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		signal.Notify(make(chan os.Signal, 1), s)
		defer signal.Reset(s)
	}
	dir := t.TempDir()
	c := clitest.Call{Dir: dir}
	clitest.Write(t, filepath.Join(dir, "text"), []byte("text"))
	clitest.Write(t, filepath.Join(dir, "passphrase"), []byte("correct horse\n"))
	c.OK(t, "encrypt", "-p", "--passphrase-file", "passphrase", "-o", "file", "text")
	c.OK(t, "sm2", "keygen", "-e", "--passphrase-file", "passphrase", "-o", "key")
	files := clitest.Entries(t, dir)
	const interrupt, quit = "\x03", "\x1c"
	for _, args := range []string{
		"encrypt -p -o out text", "decrypt -o out file", "decrypt file", "keygen -t x25519 -e -o out",
		"sm2 keygen -e -o out", "sm2 pubkey --key key -o out", "sm2 decrypt --key key -o out file",
	} {
		for _, env := range [][]string{nil, {namedFiles}} {
			c.Env = env
			for _, answers := range [][]string{{interrupt}, {quit}, {"correct horse", interrupt}} {
				asksTwice := strings.Contains(args, "-e ") || strings.Contains(args, "-p ")
				if len(answers) > 1 && !asksTwice {
					continue
				}
				want := -int(syscall.SIGINT)
				if answers[0] == quit {
					want = 128 + int(syscall.SIGQUIT)
				}
				screen, code := atTerminal(t, c, answers, strings.Fields(args)...)
				if code != want || strings.Contains(screen, "cipherlane: ") {
					t.Errorf("%s, %q: exit code %d, screen %q, want %d", args, answers, code, screen, want)
				}
				if got := clitest.Entries(t, dir); got != files {
					t.Errorf("%s: files left behind: %s", args, got)
				}
			}
		}
	}
}
