package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A program that prints the hashes of a ciphertext in GCM and one in counter mode.
var stdProgram = map[string]string{
	"go.mod": "module example.com/std\n\ngo 1.26.0\n",
	"main.go": `package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"fmt"
)

func main() {
	block, _ := aes.NewCipher(make([]byte, 32))
	gcm, _ := cipher.NewGCM(block)
	fmt.Printf("%x\n", sha256.Sum256(gcm.Seal(nil, make([]byte, 12), make([]byte, 1000), nil)))
	out := make([]byte, 1000)
	cipher.NewCTR(block, make([]byte, 16)).XORKeyStream(out, out)
	fmt.Printf("%x\n", sha256.Sum256(out))
}
`,
	"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestMain(*testing.T) { main() }\n",
}

// newStdTest returns a program in a directory of its own, with a cache for copies of the Go
// installation. What Go compiles stays in its own cache.
func newStdTest(t *testing.T, files map[string]string) goTest {
	c := newGoTest(t, nil)
	c.dir = writeFiles(t, t.TempDir(), files)
	c.env = append(c.env, "XDG_CACHE_HOME="+t.TempDir(), "GOCACHE="+strings.TrimSpace(goCommand(t, c.dir, nil, "env", "GOCACHE")))
	return c
}

// std runs the command with --std, which must succeed.
func (c goTest) std(t *testing.T, args ...string) outcome {
	t.Helper()
	before := readFiles(t, c.dir)
	o := c.run(t, append([]string{"go", "--std"}, args...)...)
	if o.code != 0 || !strings.Contains(o.stderr, "in place of AES and ChaCha20-Poly1305 in the standard library of "+runtime.Version()) {
		t.Fatalf("go --std %q: exit code %d: %s%s", args, o.code, o.stdout, o.stderr)
	}
	c.clean(t, before)
	return o
}

func TestGoStd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("XDG_CACHE_HOME has no effect")
	}
	c := newStdTest(t, stdProgram)
	want := goCommand(t, c.dir, nil, "run", ".")
	if o := c.std(t, "run", "."); o.stdout != want {
		t.Errorf("printed %s, want %s", o.stdout, want)
	}
	for _, args := range [][]string{{"list", "-deps", "."}, {"list", "-tags", "x", "-deps", "."}, {"list", "-C", c.dir, "-deps", "."}} {
		if o := c.std(t, args...); !strings.Contains(o.stdout, "crypto/internal/cipherlane/aescore\n") {
			t.Errorf("go --std %q: %s", args, o.stdout)
		}
	}

	// Programs show it.
	out := t.TempDir()
	for name, flags := range map[string][]string{"plain": nil, "tags": {"-tags=a,b"}, "trimpath": {"-trimpath", "-ldflags", "-s -w"}} {
		file := filepath.Join(out, name)
		c.std(t, append(append([]string{"build", "-o", file}, flags...), ".")...)
		if o := c.run(t, "go", "version", file); o.code != 0 || !strings.Contains(o.stdout, runtime.Version()) || !strings.Contains(o.stdout, "AES and ChaCha20-Poly1305 of cipherlane devel") {
			t.Errorf("%s: exit code %d: %s%s", name, o.code, o.stdout, o.stderr)
		}
		info := goCommand(t, c.dir, nil, "version", "-m", file)
		if !strings.Contains(info, "cipherlane.devel_") || name == "tags" && !strings.Contains(info, "-tags=a,b,cipherlane.") {
			t.Errorf("%s: %s", name, info)
		}
	}
	file := filepath.Join(out, "theirs")
	goCommand(t, c.dir, nil, "build", "-o", file, ".")
	if o := c.run(t, "go", "version", file); !strings.Contains(o.stdout, "standard library: Go's own") {
		t.Errorf("%s%s", o.stdout, o.stderr)
	}
	c.fails(t, 1, "no such file", "go", "version", "/no/such/file")
	c.fails(t, 2, "no file given", "go", "version")

	// In FIPS 140-3 mode, Go's own AES and its self-checks run. It has the same results.
	fips := call{name: filepath.Join(out, "plain"), dir: c.dir, env: []string{"GODEBUG=fips140=on"}}
	if got := fips.program(t); got != want {
		t.Errorf("fips140=on: printed %s, want %s", got, want)
	}

	// Without a module, and with flags that a workspace does not allow.
	none := c
	none.dir = writeFiles(t, t.TempDir(), map[string]string{"main.go": stdProgram["main.go"]})
	if o := none.std(t, "run", "main.go"); o.stdout != want || !strings.Contains(o.stderr, "nothing else is replaced: there is no go.mod") {
		t.Errorf("printed %s, want %s: %s", o.stdout, want, o.stderr)
	}
	c.std(t, "vet", "-mod=mod", ".")
	c.env = append(c.env, "GOFLAGS=-tags=y")
	if o := c.std(t, "list", "-f", "{{context.BuildTags}}", "."); !strings.Contains(o.stdout, "[y cipherlane.devel_") {
		t.Error(o.stdout)
	}
}

// program runs a program instead of the command.
func (c call) program(t *testing.T) string {
	t.Helper()
	cmd := c.command(t)
	cmd.Path, cmd.Args = c.name, []string{c.name}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func TestGoStdRefuses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("XDG_CACHE_HOME has no effect")
	}
	c := newStdTest(t, stdProgram)
	c.std(t, "list", ".")
	copies, err := filepath.Glob(filepath.Join(strings.TrimPrefix(c.env[len(c.env)-2], "XDG_CACHE_HOME="), "cipherlane", "goroot", "*"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("%q, %v", copies, err)
	}

	// A Go installation that was changed: a copy, of all things.
	changed := c
	changed.env = append(slices.Clone(c.env), "GOROOT="+copies[0])
	changed.refuses(t, 3, "is not that of "+runtime.Version()+" as released", "--std", "list", ".")

	// A copy that was changed.
	file := filepath.Join(copies[0], "src/crypto/internal/fips140/aes/ctr.go")
	if err := os.WriteFile(file, []byte("package aes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.refuses(t, 1, "ctr.go: differs from what was written there", "--std", "list", ".")

	full := c
	full.env = append(slices.Clone(c.env), "XDG_CACHE_HOME=/dev/full")
	full.refuses(t, 1, "XDG_CACHE_HOME can name another directory", "--std", "list", ".")
}

func TestUntestedGo(t *testing.T) {
	s := goStd{root: t.TempDir(), release: "go1.99.0"}
	err := s.untested(os.ErrNotExist)
	if err != os.ErrNotExist {
		t.Error(err)
	}
}

func TestTagged(t *testing.T) {
	s := goStd{tag: "cipherlane.v1.2.3"}
	for _, c := range []struct{ flags, args, want string }{
		{"", "build .", "build -tags=cipherlane.v1.2.3 ."},
		{"", "build", "build -tags=cipherlane.v1.2.3"},
		{"", "build -C /x .", "build -C /x -tags=cipherlane.v1.2.3 ."},
		{"", "build -C=/x .", "build -C=/x -tags=cipherlane.v1.2.3 ."},
		{"", "test -v -tags a -run X .", "test -v -tags a,cipherlane.v1.2.3 -run X ."},
		{"", "test --tags=a,b . -tags=c", "test -tags=a,b,cipherlane.v1.2.3 . -tags=c"},
		{"-v -tags=y,z", "build .", "build -tags=y,z,cipherlane.v1.2.3 ."},
		{"-v -tags=y,z", "build -tags=a .", "build -tags=a,cipherlane.v1.2.3 ."},
		{"", "run . -- -tags=a", "run -tags=cipherlane.v1.2.3 . -- -tags=a"},
		{"", "test . -args -tags a", "test -tags=cipherlane.v1.2.3 . -args -tags a"},
	} {
		s.flags = c.flags
		if got := strings.Join(s.tagged(strings.Fields(c.args)), " "); got != c.want {
			t.Errorf("GOFLAGS=%q, %q: got %q, want %q", c.flags, c.args, got, c.want)
		}
	}
}

func TestReplacedIn(t *testing.T) {
	got := replacedIn("p: go1.26.8\n\tpath\tx\n\tmod\tx\t(devel)\t\n" +
		"\tdep\tgithub.com/cipherlane/cipherlane\tv0.1.0\th1:x=\n" +
		"\tdep\tgolang.org/x/crypto\tv0.58.0\n\t=>\t./cipherlane-go/golang.org/x/crypto\t(devel)\t\n" +
		"\tdep\tgolang.org/x/sys\tv0.49.0\th1:y=\n\tbuild\t-tags=a,cipherlane.v0.1.0\n\tbuild\tGOOS=linux\n")
	want := "p: go1.26.8\n  github.com/cipherlane/cipherlane v0.1.0\n  golang.org/x/crypto v0.58.0: packages of cipherlane\n" +
		"  standard library: AES and ChaCha20-Poly1305 of cipherlane v0.1.0\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
