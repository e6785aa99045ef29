package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// allVerbs returns all verbs, including the subverbs of groups.
func allVerbs(t *testing.T) []verb {
	t.Helper()
	parser, err := kong.New(new(commands), kong.Name("cipherlane"), variables(), kong.Bind(&cli.Program{}))
	if err != nil {
		t.Fatal(err)
	}
	return verbsOf(parser.Model.Node)[1:]
}

// TestHelpVerb: help prints the same as --help, for every verb.
func TestHelpVerb(t *testing.T) {
	top := clitest.Call{}.OK(t, "--help")
	for _, args := range [][]string{{"help"}, {"-h"}} {
		if got := (clitest.Call{}).OK(t, args...); got != top {
			t.Errorf("%q:\n%s", args, got)
		}
	}
	for _, v := range allVerbs(t) {
		words := strings.Fields(v.path)
		want := clitest.Call{}.OK(t, append(words, "--help")...)
		got := clitest.Call{Env: []string{"CIPHERLANE=nonsense"}}.OK(t, append([]string{"help"}, words...)...)
		if got != want || !strings.HasPrefix(got, "Usage: cipherlane "+v.path) {
			t.Errorf("help %s:\n%s", v.path, got)
		}
	}
	clitest.Call{}.Fails(t, cli.ExitUsage, `did you mean "list"?`, "help", "lst")
	clitest.Call{}.Fails(t, cli.ExitUsage, "no such verb", "help", "go", "build")
	if o := (clitest.Call{}).Run(t); o.Code != cli.ExitUsage || o.Stdout != "" || o.Stderr != top {
		t.Errorf("without arguments: exit code %d, printed %q and %q", o.Code, o.Stdout, o.Stderr)
	}
	version := clitest.Call{}.OK(t, "version")
	for _, c := range []clitest.Call{{}, {Name: "sm3sum"}} {
		if got := c.OK(t, "--version"); got != version {
			t.Errorf("--version of %s: %q", c.Name, got)
		}
	}
}

// TestMan: the manual page contains every verb and option, and groff prints no
// warnings.
func TestMan(t *testing.T) {
	page := clitest.Call{}.OK(t, "man")
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
	path := clitest.Write(t, filepath.Join(t.TempDir(), "cipherlane.1"), []byte(page))
	if out, err := exec.CommandContext(t.Context(), clitest.Tool(t, "groff"), "-man", "-ww", "-z", "-Tutf8", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}
