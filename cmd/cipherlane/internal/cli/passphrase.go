package cli

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/term"
)

// PassphraseFlags say where a passphrase comes from, if a verb needs one.
type PassphraseFlags struct {
	PassphraseFile string `placeholder:"FILE" xor:"passphrase" help:"Read the passphrase, if one is needed, from the first line of this file. Default: ask for it."`
	PassphraseFD   *int   `name:"passphrase-fd" placeholder:"N" xor:"passphrase" help:"Read the passphrase, if one is needed, from this open file descriptor, up to the first newline."`
}

// HasPassphrase reports whether a source is named.
func (f PassphraseFlags) HasPassphrase() bool { return f.PassphraseFile != "" || f.PassphraseFD != nil }

// PassphrasePath returns the path of the file with the passphrase, - if it is in standard input, and
// "" if no file is named.
func (f PassphraseFlags) PassphrasePath() string {
	if f.PassphraseFD != nil && *f.PassphraseFD == 0 {
		return "-"
	}
	return f.PassphraseFile
}

// name returns a name of the source for messages.
func (f PassphraseFlags) name() string {
	if f.PassphraseFD != nil {
		return fmt.Sprintf("descriptor %d", *f.PassphraseFD)
	}
	return Quote(f.PassphraseFile)
}

// maxPassphrase is the largest number of bytes in a passphrase.
const maxPassphrase = 1023

var errNoTerminal = errors.New("no terminal to ask for the passphrase; use --passphrase-file, --passphrase-fd or the variable CIPHERLANE_ASKPASS")

// Passphrase returns the passphrase of a key, from the source that is named or, if none is, from the
// user.
func (p *Program) Passphrase(from PassphraseFlags, key string) ([]byte, error) {
	if from.HasPassphrase() {
		return p.readPassphrase(from)
	}
	passphrase, err := p.ask("Passphrase for " + Quote(key) + ": ")
	if errors.Is(err, errNoTerminal) {
		err = Usagef("%s: is encrypted, and there is %w", Quote(key), errNoTerminal)
	}
	return passphrase, err
}

// NewPassphrase is Passphrase for a new key. It asks twice.
func (p *Program) NewPassphrase(from PassphraseFlags, key string) ([]byte, error) {
	if from.HasPassphrase() {
		passphrase, err := p.readPassphrase(from)
		if err == nil && (HasMark(passphrase) || IsUTF16(passphrase)) {
			clear(passphrase)
			return nil, fmt.Errorf("%s: is UTF-16, or has a byte order mark, which would be part of the passphrase; save it as UTF-8 without one", from.name())
		}
		return passphrase, err
	}
	one, err := p.ask("New passphrase for " + Quote(key) + ": ")
	if errors.Is(err, errNoTerminal) {
		err = AsUsage(err)
	}
	if err != nil {
		return nil, err
	}
	two, err := p.ask("Repeat passphrase: ")
	defer clear(two)
	if err == nil && subtle.ConstantTimeCompare(one, two) == 0 {
		err = errors.New("the two passphrases differ")
	}
	if err != nil {
		clear(one)
		return nil, err
	}
	return one, nil
}

func (p *Program) readPassphrase(from PassphraseFlags) ([]byte, error) {
	if from.PassphraseFD != nil {
		return p.passphraseFrom(*from.PassphraseFD)
	}
	in, err := p.Open(from.PassphraseFile)
	if err != nil {
		return nil, err
	}
	if in.File != p.Stdin {
		defer in.Close()
	}
	p.WarnOpen(in.DisplayName, in.Info, "passphrase")
	text := make([]byte, maxPassphrase+1)
	n, err := io.ReadFull(in, text)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		clear(text)
		return nil, err
	}
	return firstLine(text[:n], in.DisplayName)
}

// passphraseFrom reads a line from a descriptor, byte by byte: what follows is for others. Like the
// line of a file, it is for everything that has a passphrase, so that it is kept until the end.
func (p *Program) passphraseFrom(fd int) ([]byte, error) {
	if fd < 0 {
		return nil, Usagef("--passphrase-fd %d: not a file descriptor", fd)
	}
	if p.passphrase != nil {
		return bytes.Clone(p.passphrase), nil
	}
	in, err := p.OpenDescriptor(fd)
	if err != nil {
		return nil, err
	}
	p.WarnOpen(in.DisplayName, in.Info, "passphrase")
	text := make([]byte, 0, maxPassphrase+1)
	for len(text) < cap(text) && err == nil && !bytes.HasSuffix(text, []byte("\n")) {
		var n int
		n, err = in.Read(text[len(text) : len(text)+1])
		text = text[:len(text)+n]
	}
	if NotEOF(err) != nil {
		clear(text)
		return nil, err
	}
	if p.passphrase, err = firstLine(text, in.DisplayName); err != nil {
		return nil, err
	}
	return bytes.Clone(p.passphrase), nil
}

// firstLine returns the first line of text, the passphrase, and clears the rest.
func firstLine(text []byte, name string) ([]byte, error) {
	line, rest, found := bytes.Cut(text, []byte("\n"))
	clear(rest)
	line = bytes.TrimSuffix(line, []byte("\r"))
	switch {
	case !found && len(line) > maxPassphrase:
		clear(text)
		return nil, fmt.Errorf("%s: a passphrase can have at most %d bytes", name, maxPassphrase)
	case len(line) == 0:
		return nil, fmt.Errorf("%s: the first line, the passphrase, is empty", name)
	}
	return line, nil
}

// askpass returns the program that asks for passphrases, or "" to do it on the terminal. The
// variables of ssh mean what they mean there (ssh(1)). Without SSH_ASKPASS_REQUIRE, SSH_ASKPASS is for
// ssh alone: desktops set it for everybody.
func askpass(terminal bool) string {
	if os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() { // not a program that the caller chooses
		return ""
	}
	if program := os.Getenv("CIPHERLANE_ASKPASS"); program != "" && !terminal {
		return program
	}
	screen := os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
	switch require := strings.ToLower(os.Getenv("SSH_ASKPASS_REQUIRE")); {
	case require == "force", require == "prefer" && (screen || !terminal):
		return os.Getenv("SSH_ASKPASS")
	}
	return ""
}

// MayRunAskpass reports whether a program may be run that asks for passphrases.
func MayRunAskpass() bool { return askpass(false) != "" }

// runAskpass returns the first line that a program prints.
func (p *Program) runAskpass(program, question string) ([]byte, error) {
	cmd := exec.Command(program, question)
	cmd.Stderr = p.Stderr
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot ask for the passphrase: %v", err)
	}
	defer atEnd(func() { cmd.Process.Kill() })()
	text := make([]byte, maxPassphrase+1)
	n, err := io.ReadFull(pipe, text)
	if err == io.ErrUnexpectedEOF {
		err = nil
	}
	if e := cmd.Wait(); e != nil {
		clear(text)
		return nil, fmt.Errorf("%s: gave no passphrase (%v)", Quote(program), e) // its exit code is not ours
	}
	if NotEOF(err) != nil {
		clear(text)
		return nil, fmt.Errorf("%s: %w", Quote(program), err)
	}
	return firstLine(text[:n], Quote(program))
}

// ask asks the user, on the terminal without echo or with another program.
func (p *Program) ask(question string) ([]byte, error) {
	tty := p.Stdin
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err == nil {
		defer f.Close()
		tty = f
	}
	terminal := err == nil || term.IsTerminal(int(tty.Fd()))
	if program := askpass(terminal); program != "" {
		return p.runAskpass(program, question)
	}
	if !terminal {
		return nil, errNoTerminal
	}
	fd := int(tty.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return nil, errNoTerminal
	}
	// If the user interrupts, the terminal must echo again.
	defer atEnd(func() {
		term.Restore(fd, state)
		fmt.Fprintln(p.Stderr)
	})()
	fmt.Fprint(p.Stderr, question)
	answer, err := term.ReadPassword(fd)
	fmt.Fprintln(p.Stderr)
	if err != nil && !(err == io.EOF && len(answer) > 0) {
		return nil, fmt.Errorf("terminal: %w", Reason(err))
	}
	if len(answer) == 0 {
		return nil, errors.New("the passphrase is empty")
	}
	if len(answer) > maxPassphrase {
		clear(answer)
		return nil, fmt.Errorf("a passphrase can have at most %d bytes", maxPassphrase)
	}
	return answer, nil
}
