package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// allVerbs returns all verbs, including the subverbs of groups.
func allVerbs(t *testing.T) []verb {
	t.Helper()
	parser, err := kong.New(new(commands), kong.Name("cipherlane"), variables(), kong.Bind(&program{}))
	if err != nil {
		t.Fatal(err)
	}
	return verbsOf(parser.Model.Node)[1:]
}

// TestHelpVerb: help prints the same as --help, for every verb.
func TestHelpVerb(t *testing.T) {
	top := call{}.ok(t, "--help")
	for _, args := range [][]string{{"help"}, {"-h"}} {
		if got := (call{}).ok(t, args...); got != top {
			t.Errorf("%q:\n%s", args, got)
		}
	}
	for _, v := range allVerbs(t) {
		words := strings.Fields(v.path)
		want := call{}.ok(t, append(words, "--help")...)
		got := call{env: []string{"CIPHERLANE=nonsense"}}.ok(t, append([]string{"help"}, words...)...)
		if got != want || !strings.HasPrefix(got, "Usage: cipherlane "+v.path) {
			t.Errorf("help %s:\n%s", v.path, got)
		}
	}
	call{}.fails(t, exitUsage, `did you mean "list"?`, "help", "lst")
	call{}.fails(t, exitUsage, "no such verb", "help", "go", "build")
	if o := (call{}).run(t); o.code != exitUsage || o.stdout != "" || o.stderr != top {
		t.Errorf("without arguments: exit code %d, printed %q and %q", o.code, o.stdout, o.stderr)
	}
	version := call{}.ok(t, "version")
	for _, c := range []call{{}, {name: "sm3sum"}} {
		if got := c.ok(t, "--version"); got != version {
			t.Errorf("--version of %s: %q", c.name, got)
		}
	}
}

// TestMan: the manual page contains every verb and option, and groff prints no
// warnings.
func TestMan(t *testing.T) {
	page := call{}.ok(t, "man")
	for _, v := range allVerbs(t) {
		_, section, ok := strings.Cut(page, "\n.SS "+v.path+"\n")
		section, _, _ = strings.Cut(section, "\n.SS ")
		if !ok {
			t.Errorf("nothing about %s", v.path)
		}
		for _, f := range v.node.Flags {
			if f.Name != "help" && !strings.Contains(section, roff("--"+f.Name)) {
				t.Errorf("%s: no --%s", v.path, f.Name)
			}
		}
	}
	for code, meaning := range exitCodes {
		if !strings.Contains(page, fmt.Sprintf("\n.B %d\n%s\n", code, roff(meaning))) {
			t.Errorf("nothing about exit code %d", code)
		}
	}
	path := write(t, filepath.Join(t.TempDir(), "cipherlane.1"), []byte(page))
	if out, err := exec.CommandContext(t.Context(), tool(t, "groff"), "-man", "-ww", "-z", "-Tutf8", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}
