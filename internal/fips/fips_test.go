package fips

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program prints what Enforced says. It is built as a program of its own, because the mode is
// set when a program starts, and because its go.mod and comments may set it.
const program = `package main

import "github.com/cipherlane/cipherlane/internal/fips"

func main() {
	in := true
	fips.WithoutEnforcement(func() { in = fips.Enforced() })
	println(fips.Enforced(), in)
}
`

// TestEnforced: each place of GODEBUG turns the mode on, and other values do not.
func TestEnforced(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(top, "go.mod")); err != nil {
		t.Skip("run away from the source text")
	}
	for _, c := range []struct {
		name, comment, mod, env string
		want                    bool
	}{
		{name: "nothing"},
		{name: "on", env: "fips140=on"},
		{name: "off", env: "fips140=off"},
		{name: "environment", env: "fips140=only", want: true},
		{name: "comment", comment: "//go:debug fips140=only\n", want: true},
		{name: "go.mod", mod: "godebug fips140=only\n", want: true},
		{name: "environment before comment", comment: "//go:debug fips140=only\n", env: "fips140=off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Inside the module's path, so that internal packages may be imported.
			dir := t.TempDir()
			files := map[string]string{
				"main.go": c.comment + program,
				"go.mod": "module github.com/cipherlane/cipherlane/program\n\ngo 1.24.0\n\n" + c.mod +
					"require github.com/cipherlane/cipherlane v0.0.0\n\nreplace github.com/cipherlane/cipherlane => " + top + "\n",
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			build := exec.Command(goTool, "build", "-mod=mod", "-o", "program", ".")
			build.Dir = dir
			build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GODEBUG=", "CGO_ENABLED=0")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			run := exec.Command(filepath.Join(dir, "program"))
			run.Env = append(os.Environ(), "GODEBUG="+c.env)
			out, err := run.CombinedOutput()
			if exit := new(exec.ExitError); errors.As(err, &exit) && bytes.Contains(out, []byte("panic: fips140: ")) {
				t.Skip("the standard library has no such mode in this build")
			} else if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := "false false\n"
			if c.want {
				want = "true " + lifted + "\n"
			}
			if string(out) != want {
				t.Errorf("%q, want %q", out, want)
			}
		})
	}
}
