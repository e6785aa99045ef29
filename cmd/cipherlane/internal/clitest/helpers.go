package clitest

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// ParseJSON runs the command, which must succeed, and parses what it printed.
func ParseJSON[T any](t *testing.T, c Call, args ...string) T {
	t.Helper()
	var doc T
	if err := json.Unmarshal([]byte(c.OK(t, args...)), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// DriversOf returns the drivers of an algorithm that this machine can run.
func DriversOf(t *testing.T, algorithm string) []string {
	t.Helper()
	var list []string
	for _, d := range ParseJSON[struct {
		Algorithms []struct {
			Drivers []struct {
				Name      string
				Available bool
			}
		}
	}](t, Call{}, "list", "--json", algorithm).Algorithms[0].Drivers {
		if d.Available {
			list = append(list, d.Name)
		}
	}
	return list
}

// TestMessage returns random bytes.
func TestMessage(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

// OnTerminal runs a shell command on its own terminal, where $cipherlane is the
// command, and returns what the terminal received.
func OnTerminal(t *testing.T, dir, line string) (string, int) {
	t.Helper()
	script := Tool(t, "script")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "cipherlane")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), script, "-qec", line, "/dev/null")
	cmd.Env = append(os.Environ(), AsCommand+"=1", "cipherlane="+link, "TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR=")
	cmd.Dir = dir
	out, err := cmd.Output()
	if e := new(exec.ExitError); err != nil && !errors.As(err, &e) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// Escapes are what a terminal takes for commands, and ends of lines.
var Escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]|\r|\n")

// StripEscapes removes them.
func StripEscapes(s string) string { return Escapes.ReplaceAllString(s, "") }

// DevNull opens the device that takes everything.
func DevNull(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
