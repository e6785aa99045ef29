//go:build !mips && !mipsle && !mips64 && !mips64le

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

func TestGoHelp(t *testing.T) {
	if top := (clitest.Call{}).OK(t, "--help"); !strings.Contains(top, "\n  go ") {
		t.Error("cipherlane --help does not name go")
	}
	help := clitest.Call{}.OK(t, "go", "--help")
	for _, words := range []string{"Examples:\n", "\n    cipherlane go build ./...\n", "standard library", "--source", "vendor"} {
		if !strings.Contains(help, words) {
			t.Errorf("help without %q", words)
		}
	}
}

// TestGoVerb runs the verb from end to end, once with each option. The tests of package
// substitute are of what it does.
func TestGoVerb(t *testing.T) {
	c := clitest.Call{Dir: t.TempDir()}
	c.Fails(t, 2, "expected", "go")
	c.Fails(t, 2, "want one of build, install", "go", "frobnicate", "-x")
	clitest.Tool(t, "go")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out := c.OK(t, "go", "version", self); !strings.Contains(out, "standard library: Go's own\n") {
		t.Errorf("printed %s", out)
	}
	c.Env = []string{"GOWORK=", "GOFLAGS="}
	c.Fails(t, 2, "there is no go.mod", "go", "--keep", "list", ".")
	c.Fails(t, 1, "/no/such/directory", "go", "-C", "/no/such/directory", "list", ".")
	c.Fails(t, 2, "go --only Rot13", "go", "--only", "Rot13", "list", ".")
	c.Fails(t, 2, "go --except Rot13", "go", "--except", "Rot13", "list", ".")
	c.Fails(t, 2, "are replaced together", "go", "--std", "--except", "AES", "list", ".")
	c.Fails(t, 1, "/no/such/source: no such file", "go", "--std", "--source", "/no/such/source", "list", ".")
}
