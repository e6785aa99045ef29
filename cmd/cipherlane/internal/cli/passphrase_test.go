//go:build unix

package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// descriptorWith returns the number of a pipe from which a text can be read.
func descriptorWith(t *testing.T, text string) int {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.WriteString(text)
	w.Close()
	fd, err := syscall.Dup(int(r.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	return fd
}

// TestPassphraseFD: a line is read and nothing after it, once.
func TestPassphraseFD(t *testing.T) {
	long := strings.Repeat("x", maxPassphrase)
	for text, want := range map[string]string{
		"one\r\ntwo\nthree": "one", "one\n": "one", "one": "one", " one ": " one ", long + "\nrest": long, long: long,
		"": "is empty", "\nrest": "is empty", long + "x": "at most 1023 bytes", long + "x\n": "at most 1023 bytes",
		"\xef\xbb\xbfone\n": "byte order mark",
	} {
		fd := descriptorWith(t, text)
		p := &Program{Name: "cipherlane", Stderr: clitest.DevNull(t)}
		from := PassphraseFlags{PassphraseFD: &fd}
		got, err := p.NewPassphrase(from, "key")
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "descriptor "):
			t.Errorf("%.20q: %v", text, err)
		case err != nil:
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%.20q: %v, want %q", text, err, want)
			}
			continue
		case string(got) != want:
			t.Errorf("%.20q: got %.20q, want %.20q", text, got, want)
		}
		clear(got)
		if again, err := p.Passphrase(from, "another key"); err != nil || string(again) != want {
			t.Errorf("%.20q: again %.20q, %v", text, again, err)
		}
		rest, err := io.ReadAll(p.descriptor(fd))
		_, after, _ := strings.Cut(text, "\n")
		if err != nil || string(rest) != after {
			t.Errorf("%.20q: left %.20q, %v", text, rest, err)
		}
		kept := p.passphrase
		p.Exit(nil)
		if !bytes.Equal(kept, make([]byte, len(kept))) {
			t.Errorf("%.20q: not wiped", text)
		}
	}
	for fd, want := range map[int]string{-1: "not a file descriptor", 1000: "descriptor 1000: "} {
		if _, err := new(Program).Passphrase(PassphraseFlags{PassphraseFD: &fd}, "key"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", fd, err)
		}
	}
}

// TestPassphraseFile: the first line of a file, and what a new passphrase must not have.
func TestPassphraseFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	p := &Program{Name: "cipherlane", Stderr: clitest.DevNull(t)}
	for text, want := range map[string]string{"one\r\ntwo": "one", "\xff\xfeo\x00": path + ": is UTF-16", "": path + ": the first line"} {
		from := PassphraseFlags{PassphraseFile: clitest.Write(t, path, []byte(text))}
		got, err := p.NewPassphrase(from, "key")
		if err != nil {
			got = []byte(err.Error())
		}
		if !strings.HasPrefix(string(got), want) || (err == nil) != (want == "one") {
			t.Errorf("%q: %q", text, got)
		}
		if !from.HasPassphrase() || from.PassphrasePath() != path {
			t.Errorf("%q: path %q", text, from.PassphrasePath())
		}
	}
	zero, three := 0, 3
	for _, c := range []struct {
		from PassphraseFlags
		has  bool
		path string
	}{{PassphraseFlags{}, false, ""}, {PassphraseFlags{PassphraseFD: &zero}, true, "-"}, {PassphraseFlags{PassphraseFD: &three}, true, ""}} {
		if c.from.HasPassphrase() != c.has || c.from.PassphrasePath() != c.path {
			t.Errorf("%+v: %v, %q", c, c.from.HasPassphrase(), c.from.PassphrasePath())
		}
	}
}

// TestAskpass: which program asks.
func TestAskpass(t *testing.T) {
	for _, c := range []struct {
		own, ssh, require, display string
		terminal, none             string // which program is run with a terminal, and without
	}{
		{"", "", "", "", "", ""},
		{"own", "", "", "", "", "own"},
		{"own", "ssh", "", ":0", "", "own"},
		{"own", "ssh", "never", ":0", "", "own"},
		{"own", "ssh", "force", "", "ssh", "own"},
		{"", "ssh", "", ":0", "", ""},
		{"", "ssh", "never", ":0", "", ""},
		{"", "ssh", "force", "", "ssh", "ssh"},
		{"", "ssh", "prefer", "", "", "ssh"},
		{"", "ssh", "Prefer", ":0", "ssh", "ssh"},
		{"", "", "force", ":0", "", ""},
	} {
		for name, value := range map[string]string{"CIPHERLANE_ASKPASS": c.own, "SSH_ASKPASS": c.ssh, "SSH_ASKPASS_REQUIRE": c.require, "DISPLAY": c.display, "WAYLAND_DISPLAY": ""} {
			t.Setenv(name, value)
		}
		if got := [2]string{askpass(true), askpass(false)}; got != [2]string{c.terminal, c.none} {
			t.Errorf("%+v: got %q", c, got)
		}
		if got := MayRunAskpass(); got != (c.none != "") {
			t.Errorf("%+v: may run it: %v", c, got)
		}
	}
}

// TestRunAskpass: its answer is a line, and its failures are ours.
func TestRunAskpass(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	for script, want := range map[string]string{
		`printf '%s\nmore\n' "$1"`: "A question? ",
		`printf '%s' "$1"`:         "A question? ",
		`exit 3`:                   "program: gave no passphrase (exit status 3)",
		`echo answer; exit 1`:      "program: gave no passphrase (exit status 1)",
		`true`:                     "program: the first line, the passphrase, is empty",
		`echo`:                     "program: the first line, the passphrase, is empty",
		`i=0; while [ $i -lt 1024 ]; do printf x; i=$((i+1)); done`: "program: a passphrase can have at most 1023 bytes",
		`read line; echo "$#${line}"`:                               "1",
	} {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		p := &Program{Name: "cipherlane", Stderr: clitest.DevNull(t)}
		got, err := p.runAskpass(path, "A question? ")
		if err != nil {
			got = []byte(strings.ReplaceAll(err.Error(), path, "program"))
			if p.Exit(err) != ExitFailed {
				t.Errorf("%s: exit code of another program", script)
			}
		}
		if string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", script, got, err, want)
		}
	}
	if _, err := new(Program).runAskpass("/no/such/program", "?"); err == nil || !strings.Contains(err.Error(), "cannot ask for the passphrase: ") {
		t.Errorf("%v", err)
	}
}
