// Package cli has what the verbs of a command share: its streams, inputs, and outputs that appear
// only when they are complete; errors with exit codes; and what people see on a terminal, such as
// tables, progress and questions for passphrases. It knows no verb and no cryptography.
package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// A Program holds the streams and other state that verbs share.
type Program struct {
	Name   string // in front of error messages
	Stdin  *os.File
	Stdout *bufio.Writer
	Out    *os.File // underlies stdout
	Stderr *os.File

	inputs      []*InputFile     // must not also be outputs
	descriptors map[int]*os.File // file descriptors inherited by the process
	passphrase  []byte           // read from one of them
}

// NewProgram returns a program with the streams of the process.
func NewProgram(name string) *Program {
	return &Program{Name: name, Stdin: os.Stdin, Stdout: bufio.NewWriter(os.Stdout), Out: os.Stdout, Stderr: os.Stderr}
}

// Flush writes what standard output has buffered.
func (p *Program) Flush() error {
	if err := p.Stdout.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", Reason(err))
	}
	return nil
}

// Warn prints a message on standard error.
func (p *Program) Warn(format string, args ...any) {
	fmt.Fprintf(p.Stderr, p.Name+": "+format+"\n", args...)
}

// Exit prints an error and returns the exit code for it.
func (p *Program) Exit(err error) int {
	clear(p.passphrase)
	if err == nil {
		return 0
	}
	code := ExitFailed
	var coded interface{ ExitCode() int }
	switch {
	case errors.Is(err, drivers.ErrUnknown):
		code = ExitUsage
	case errors.Is(err, drivers.ErrUnavailable):
		code = ExitUnavailable
	case errors.As(err, &coded) && coded.ExitCode() > 0: // not of a command that a signal ended
		code = coded.ExitCode()
	}
	// If the reader closed the pipe, no message is wanted; ErrReported means that the
	// error has been printed.
	if !errors.Is(err, syscall.EPIPE) && !errors.Is(err, ErrReported) {
		p.Warn("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return code
}

// JSON prints a document, indented for human readers.
func (p *Program) JSON(doc any) error {
	e := json.NewEncoder(p.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(doc)
	if full := p.Flush(); full != nil { // err, if any, describes the same failure
		return full
	}
	return err
}
