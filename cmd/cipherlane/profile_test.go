package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// TestBadProfile: no verb accepts a profile that it would have to ignore, except for
// tune, which makes a new one.
func TestBadProfile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.json")
	clitest.Call{}.OK(t, "tune", "--seconds", "0.05", "-o", path, "sm3")
	good := string(clitest.Read(t, path))
	for _, test := range []struct {
		text, words string
		code        int
	}{
		{"nonsense", "is not a profile", cli.ExitFailed},
		{good[:100], "is not a profile", cli.ExitFailed},
		{`{"schema":2}`, "has schema 2", cli.ExitFailed},
		{strings.Replace(good, "devel", "v99", 1), "another version", cli.ExitUnavailable},
		{strings.Replace(good, `"sm3"`, `"sm33"`, 1), `no package "sm33"`, cli.ExitFailed},
	} {
		clitest.Write(t, path, []byte(test.text))
		bad := clitest.Call{Env: []string{"CIPHERLANE_PROFILE=" + path}}
		for _, args := range [][]string{{"list"}, {"doctor"}, {"speed", "sm3", "--seconds", "0.01"}, {"keygen"}, {"version"}} {
			if o := bad.Fails(t, test.code, test.words, args...); o.Stdout != "" || !strings.HasPrefix(o.Stderr, "cipherlane: CIPHERLANE_PROFILE: "+path+": ") {
				t.Errorf("%q: %q, printed %q", args, o.Stderr, o.Stdout)
			}
		}
		both := clitest.Call{Env: []string{"CIPHERLANE_PROFILE=" + path, "CIPHERLANE=oops"}}
		both.Fails(t, cli.ExitUsage, `CIPHERLANE: unknown term "oops"; CIPHERLANE_PROFILE: `, "list")
		both.Fails(t, cli.ExitUsage, `CIPHERLANE: unknown term "oops"`, "tune", "sm3", "--seconds", "0.01")
		bad.OK(t, "tune", "--help")
		bad.OK(t, "tune", "--seconds", "0.05", "-f", "-o", path, "sm3")
		bad.OK(t, "list")
	}
}
