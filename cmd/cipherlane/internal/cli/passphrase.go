package cli

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// maxPassphrase is the largest number of bytes in a passphrase.
const maxPassphrase = 1023

var errNoTerminal = errors.New("no terminal to ask for the passphrase; name a file that contains it with --passphrase-file")

// Passphrase returns the passphrase of a key, from the first line of a file or, if no
// file is named, from the terminal.
func (p *Program) Passphrase(file, key string) ([]byte, error) {
	if file != "" {
		return p.readPassphrase(file)
	}
	passphrase, err := p.ask("Passphrase for " + Quote(key) + ": ")
	if errors.Is(err, errNoTerminal) {
		err = Usagef("%s: is encrypted, and there is %w", Quote(key), errNoTerminal)
	}
	return passphrase, err
}

// NewPassphrase is passphrase for a new key. On the terminal, it asks twice.
func (p *Program) NewPassphrase(file, key string) ([]byte, error) {
	if file != "" {
		passphrase, err := p.readPassphrase(file)
		if err == nil && (HasMark(passphrase) || IsUTF16(passphrase)) {
			clear(passphrase)
			return nil, fmt.Errorf("%s: is UTF-16, or has a byte order mark, which would be part of the passphrase; save it as UTF-8 without one", Quote(file))
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

func (p *Program) readPassphrase(file string) ([]byte, error) {
	in, err := p.Open(file)
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

// ask prints a question and reads an answer from the terminal without echo.
func (p *Program) ask(question string) ([]byte, error) {
	tty := p.Stdin
	if f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		defer f.Close()
		tty = f
	} else if !term.IsTerminal(int(tty.Fd())) {
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
