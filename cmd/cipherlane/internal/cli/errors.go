package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// The exit codes of failures.
const (
	ExitFailed      = 1
	ExitUsage       = 2
	ExitUnavailable = 3
	ExitSelftest    = 4
)

// ErrReported is returned by verbs that have already printed their errors.
var ErrReported = errors.New("reported")

// AsUsage marks an error as incorrect usage.
func AsUsage(err error) error { return usageError{err} }

type usageError struct{ error }

func (usageError) ExitCode() int   { return ExitUsage }
func (e usageError) Unwrap() error { return e.error }

// AsUnavailable marks an error as something that is not available on this machine.
func AsUnavailable(err error) error { return unavailableError{err} }

type unavailableError struct{ error }

func (unavailableError) ExitCode() int   { return ExitUnavailable }
func (e unavailableError) Unwrap() error { return e.error }

// AsSelftest marks an error as a driver with wrong results.
func AsSelftest(err error) error { return selftestError{err} }

type selftestError struct{ error }

func (selftestError) ExitCode() int   { return ExitSelftest }
func (e selftestError) Unwrap() error { return e.error }

// Usagef returns an error about incorrect usage.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// AsNamed marks an error that begins with the name of the file or device that it concerns, or says
// in another way what it concerns.
func AsNamed(err error) error { return NamedError{err} }

// A NamedError begins with the name of the file or device that it concerns, or says in another
// way what it concerns. Nothing must be added in front of it.
type NamedError struct{ error }

func (e NamedError) Unwrap() error { return e.error }

// AboutFile puts the name of a file in front of an error, unless that is a NamedError, which
// some library may have wrapped.
func AboutFile(name string, err error) error {
	if e := new(NamedError); errors.As(err, e) {
		return *e
	}
	return fmt.Errorf("%s: %w", name, err)
}

// WithFileName prefixes an error with the name of the file that it concerns.
func WithFileName(file string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("%s: %w", Quote(file), Reason(err))
}

// Reason strips the system call and path from an error: messages already begin with
// a name.
func Reason(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.LinkError); errors.As(err, &e) {
		return e.Err
	}
	if e := new(os.SyscallError); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Quote returns a file name, quoted if it could be misread in a line of text.
func Quote(file string) string {
	if q := fmt.Sprintf("%q", file); file == "" || len(q) != len(file)+2 || strings.Contains(file, " ") {
		return q
	}
	return file
}
