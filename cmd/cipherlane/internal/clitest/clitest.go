// Package clitest runs the command in its tests, as a process of its own, and has helpers for files
// that several tests need.
package clitest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"
)

// AsCommand is the environment variable that makes a test binary the command, in TestMain: it has
// the same build tags and instrumentation, and nothing else must be built.
const AsCommand = "CIPHERLANE_TEST_AS_COMMAND"

// Main runs the tests of a package or, in a process that a Call has started, the command.
func Main(m *testing.M, command func() int) {
	if os.Getenv(AsCommand) != "" {
		os.Exit(command())
	}
	os.Unsetenv("CIPHERLANE") // the tests set them themselves
	os.Unsetenv("CIPHERLANE_PROFILE")
	os.Setenv("CIPHERLANE_SECONDS", "3600") // so short measurements on a busy machine are no failures
	os.Unsetenv("CIPHERLANE_ASKPASS")
	os.Unsetenv("SSH_ASKPASS_REQUIRE")
	os.Exit(m.Run())
}

// A Call describes a run of the command.
type Call struct {
	Name   string // argv[0]; "" for cipherlane
	Stdin  io.Reader
	Stdout *os.File // nil to keep what is printed
	Files  []*os.File
	Dir    string
	Env    []string
}

// An Outcome is what a run of the command printed, and how it ended.
type Outcome struct {
	Stdout, Stderr string
	Code           int // -1 if ended by a signal
	Signal         syscall.Signal
}

// Command returns the command with arguments, ready to be started.
func (c Call) Command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := c.Name
	if name == "" {
		name = "cipherlane"
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Args = append([]string{name}, args...)
	cmd.Env = append(append(os.Environ(), AsCommand+"=1", "LC_ALL=C"), c.Env...)
	cmd.Dir = c.Dir
	cmd.Stdin = c.Stdin
	cmd.ExtraFiles = c.Files
	return cmd
}

// Run runs the command.
func (c Call) Run(t *testing.T, args ...string) Outcome {
	t.Helper()
	cmd := c.Command(t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	err := cmd.Run()
	if e := new(exec.ExitError); err != nil && !errors.As(err, &e) {
		t.Fatal(err)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	o := Outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), 0}
	if status.Signaled() {
		o.Signal = status.Signal()
	}
	return o
}

// OK runs the command and expects it to succeed without output on standard error.
func (c Call) OK(t *testing.T, args ...string) string {
	t.Helper()
	o := c.Run(t, args...)
	if o.Code != 0 || o.Stderr != "" {
		t.Fatalf("%q: exit code %d, standard error %q", args, o.Code, o.Stderr)
	}
	return o.Stdout
}

// Fails runs the command and expects an exit code and one line on standard error that
// contains words.
func (c Call) Fails(t *testing.T, code int, words string, args ...string) Outcome {
	t.Helper()
	o := c.Run(t, args...)
	name := c.Name
	if name == "" {
		name = "cipherlane"
	}
	if o.Code != code {
		t.Errorf("%q: exit code %d (%v), want %d; standard error %q", args, o.Code, o.Signal, code, o.Stderr)
	}
	if strings.Count(o.Stderr, "\n") != 1 || !strings.HasPrefix(o.Stderr, name+": ") || !strings.Contains(o.Stderr, words) {
		t.Errorf("%q: standard error %q, want one line with %q", args, o.Stderr, words)
	}
	return o
}

// Write writes a file and returns its path.
func Write(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Read returns the contents of a file.
func Read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Entries lists a directory, including hidden files.
func Entries(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// Tool returns the path of a program of the system, or skips the test.
func Tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s on this system", name)
	}
	return path
}

// RunProgram runs a program instead of the command.
func (c Call) RunProgram(t *testing.T) string {
	t.Helper()
	cmd := c.Command(t)
	cmd.Path, cmd.Args = c.Name, []string{c.Name}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// EncodeUTF16 returns s in UTF-16, with a byte order mark or without.
func EncodeUTF16(s string, order binary.AppendByteOrder, mark bool) []byte {
	var out []byte
	if mark {
		out = order.AppendUint16(out, 0xfeff)
	}
	for _, unit := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// Contents returns the files of a directory and their contents.
func Contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name := range strings.FieldsSeq(Entries(t, dir)) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(b)
		if err != nil {
			all[name] = "unreadable"
		}
	}
	return all
}

// DevFull opens the device to which nothing can be written.
func DevFull(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full on this system")
	}
	t.Cleanup(func() { f.Close() })
	return f
}
