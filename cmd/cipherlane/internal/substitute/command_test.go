package substitute

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

var cryptoVersions = flag.String("xcrypto", "", "versions of golang.org/x/crypto that TestCryptoVersions is to test, separated by commas; all: those that are known")

// A program that prints which packages provide its ciphers.
var goProgram = map[string]string{
	"go.mod": `module example.com/program

go 1.26.0

godebug panicnil=1

require golang.org/x/crypto v0.58.0

require golang.org/x/sys v0.49.0 // indirect
`,
	"go.sum": `golang.org/x/crypto v0.58.0 h1:COkYLr4k7nDI4r6QtMML2AfzeIswWHAJthLS6K/M/54=
golang.org/x/crypto v0.58.0/go.mod h1:Xh+kl5A+M0gMiWDytH2Hhr5Z7WbNCpv/eB/EFgfSk+w=
golang.org/x/sys v0.49.0 h1:XbzkgYJHdqh/8m2Uu0W/dQv8nktxx4BFHp1M0gROTXA=
golang.org/x/sys v0.49.0/go.mod h1:hNLxWAXmnKAxqDtdwIYC4bM9oQPEecfsnNMuSxOs3og=
`,
	"main.go": `package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"
)

func main() {
	aead, _ := chacha20poly1305.New(make([]byte, chacha20poly1305.KeySize))
	xaead, _ := chacha20poly1305.NewX(make([]byte, chacha20poly1305.KeySize))
	stream, _ := chacha20.NewUnauthenticatedCipher(make([]byte, chacha20.KeySize), make([]byte, chacha20.NonceSize))
	for _, v := range []any{aead, xaead, stream} {
		fmt.Println(reflect.TypeOf(v).Elem().PkgPath())
	}
	if len(os.Args) > 1 { // waits for the end of standard input
		bufio.NewReader(os.Stdin).ReadByte()
	}
}
`,
	"main_test.go": `package main

import "testing"

func TestMain(*testing.T) { main() }
`,
}

const (
	goTheirs = "golang.org/x/crypto/chacha20poly1305\ngolang.org/x/crypto/chacha20poly1305\ngolang.org/x/crypto/chacha20\n"
	goOurs   = "github.com/cipherlane/cipherlane/chacha20poly1305\ngithub.com/cipherlane/cipherlane/chacha20poly1305\ngithub.com/cipherlane/cipherlane/chacha20\n"
)

// writeFiles writes files into a new directory below the given one.
func writeFiles(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, path, []byte(text))
	}
	return dir
}

// readFiles returns the content of the files in a directory.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil // of a work tree
		}
		if err == nil && d.Type().IsRegular() {
			name, _ := filepath.Rel(dir, path)
			files[name] = string(clitest.Read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// goCommand runs the go command itself. If it cannot download something, the test fails
// only in CI.
func goCommand(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), clitest.Tool(t, "go"), args...)
	cmd.Dir = dir
	cmd.Env = append(append(cmd.Environ(), "GOFLAGS=", "GOWORK="), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if os.Getenv("CI") == "" && (strings.Contains(stderr.String(), "dial tcp") || strings.Contains(stderr.String(), "module lookup disabled")) {
			t.Skipf("go %s: needs the module proxy: %s", strings.Join(args, " "), stderr.String())
		}
		t.Fatalf("go %s: %v: %s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// A goTest is a program in its own directory.
type goTest struct {
	clitest.Call
	temp string
}

func newGoTest(t *testing.T, files map[string]string) goTest {
	t.Helper()
	if target := os.Getenv("GOOS") + os.Getenv("GOARCH"); target != "" {
		t.Skip("the go command makes programs for ", target)
	}
	temp := t.TempDir()
	c := goTest{clitest.Call{Dir: writeFiles(t, t.TempDir(), files), Env: []string{"TMPDIR=" + temp, "GOFLAGS=", "GOWORK="}}, temp}
	if _, ok := files["go.mod"]; ok {
		goCommand(t, c.Dir, nil, "mod", "download", "golang.org/x/crypto")
	}
	return c
}

// ours runs the command, which must replace the packages, change no files and leave
// nothing behind, and returns what it printed.
func (c goTest) ours(t *testing.T, args ...string) clitest.Outcome {
	t.Helper()
	o := c.fine(t, args...)
	if !strings.Contains(o.Stderr, "cipherlane: in place of golang.org/x/crypto v0.58.0, packages chacha20 and chacha20poly1305: github.com/cipherlane/cipherlane of ") {
		t.Errorf("go %q: does not say what was replaced: %s", args, o.Stderr)
	}
	return o
}

// fine runs the command, which must change no files and leave nothing behind.
func (c goTest) fine(t *testing.T, args ...string) clitest.Outcome {
	t.Helper()
	before := readFiles(t, c.Dir)
	o := c.Run(t, append([]string{"go"}, args...)...)
	if o.Code != 0 {
		t.Fatalf("go %q: exit code %d: %s%s", args, o.Code, o.Stdout, o.Stderr)
	}
	c.clean(t, before)
	return o
}

func (c goTest) clean(t *testing.T, before map[string]string) {
	t.Helper()
	if left := clitest.Entries(t, c.temp); left != "" {
		t.Errorf("left behind: %s", left)
	}
	if after := readFiles(t, c.Dir); !maps.Equal(before, after) {
		t.Errorf("files of the program were changed: %v, before %v", slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
	}
}

// refuses runs the command, which must not run the go command's verb.
func (c goTest) refuses(t *testing.T, code int, words string, args ...string) {
	t.Helper()
	before := readFiles(t, c.Dir)
	if o := c.Fails(t, code, words, append([]string{"go"}, args...)...); o.Stdout != "" {
		t.Errorf("go %q: printed %s", args, o.Stdout)
	}
	c.clean(t, before)
}

func TestGoCommand(t *testing.T) {
	c := newGoTest(t, goProgram)
	if out := goCommand(t, c.Dir, nil, "run", "."); out != goTheirs {
		t.Fatalf("the program alone prints\n%s", out)
	}
	if o := c.ours(t, "run", "."); o.Stdout != goOurs {
		t.Errorf("go run prints\n%s", o.Stdout)
	}
	if o := c.ours(t, "list", "-deps", "."); !strings.Contains(o.Stdout, "\ngithub.com/cipherlane/cipherlane/chacha20poly1305\n") {
		t.Errorf("go list: without cipherlane:\n%s", o.Stdout)
	}
	if o := c.ours(t, "build", "-n", "."); o.Stdout != "" || !strings.Contains(o.Stderr, "/crypto/chacha20poly1305/cipherlane.go") && !strings.Contains(o.Stderr, "./cipherlane.go") {
		t.Errorf("go build -n: %s%s", o.Stdout, o.Stderr)
	}
	c.ours(t, "vet", "./...")
	if testing.Short() {
		return
	}
	if o := c.ours(t, "test", "-v", "./..."); !strings.Contains(o.Stdout, goOurs) {
		t.Errorf("go test prints\n%s", o.Stdout)
	}

	// In another directory, and recorded in the program's build information.
	bin := filepath.Join(t.TempDir(), "program")
	otherDir := c
	otherDir.Dir = t.TempDir()
	otherDir.ours(t, "build", "-C", c.Dir, "-trimpath", "-ldflags", "", "-o", bin, ".")
	otherDir.ours(t, "-C", filepath.Dir(c.Dir), "build", "-C="+filepath.Base(c.Dir), "-trimpath", "-o", bin, ".")
	if out, err := exec.CommandContext(t.Context(), bin).Output(); err != nil || string(out) != goOurs {
		t.Errorf("go build: the program prints\n%s%v", out, err)
	}
	setting := func(bin, name string) string {
		_, after, _ := strings.Cut(goCommand(t, "", nil, "version", "-m", bin), "\t"+name)
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	plain := bin + "-plain"
	goCommand(t, c.Dir, nil, "build", "-o", plain, ".")
	for _, name := range []string{"build\tDefaultGODEBUG=", "dep\tgolang.org/x/crypto\tv0.58.0"} {
		if a, b := setting(bin, name), setting(plain, name); name[:3] == "bui" && (a != b || a == "") {
			t.Errorf("%s is %s, without us %s", name, a, b)
		}
	}

	// The second time, nothing is compiled: the paths are the same.
	if o := c.ours(t, "build", "-trimpath", "-x", "-o", bin, "."); strings.Contains(o.Stderr, "/compile -o ") || !strings.Contains(o.Stderr, "\nWORK=") {
		t.Errorf("go build -trimpath compiles again:\n%s", o.Stderr)
	}

	// The exit codes are the go command's.
	for _, args := range [][]string{{"build", "./missing"}, {"test", "-no-such-flag"}, {"run", "-frobnicate", "."}} {
		cmd := exec.CommandContext(t.Context(), clitest.Tool(t, "go"), args...)
		cmd.Dir = c.Dir
		cmd.Run()
		if o := c.Run(t, append([]string{"go"}, args...)...); o.Code != cmd.ProcessState.ExitCode() || o.Code == 0 {
			t.Errorf("go %q: exit code %d, want %d", args, o.Code, cmd.ProcessState.ExitCode())
		}
	}
	c.clean(t, goProgram)
}

func TestGoKeep(t *testing.T) {
	c := newGoTest(t, goProgram)
	o := c.Run(t, "go", "--keep", "list", ".")
	_, file, ok := strings.Cut(strings.TrimSpace(o.Stderr), "GOWORK=")
	if o.Code != 0 || !ok {
		t.Fatalf("exit code %d: %s", o.Code, o.Stderr)
	}
	if out := goCommand(t, c.Dir, []string{"GOWORK=" + file}, "list", "-deps", "."); !strings.Contains(out, "cipherlane") {
		t.Errorf("the workspace that was kept is of no use: %s", out)
	}
}

func TestGoFlags(t *testing.T) {
	c := newGoTest(t, goProgram)
	goCommand(t, c.Dir, nil, "mod", "vendor")
	o := c.ours(t, "list", "-deps", ".")
	if !strings.Contains(o.Stdout, "cipherlane") || !strings.Contains(o.Stderr, "vendor: not used") {
		t.Errorf("a program with a vendor directory: %s%s", o.Stdout, o.Stderr)
	}
	for _, flags := range []string{"-mod=vendor", "-mod=mod", "-trimpath -mod=vendor -v"} {
		variant := c
		variant.Env = append(slices.Clone(c.Env), "GOFLAGS="+flags)
		variant.ours(t, "list", "-deps", ".")
	}
	variant := c
	variant.Env = append(slices.Clone(c.Env), "GOFLAGS=-modfile=other.mod")
	variant.refuses(t, 2, "-modfile", "list", ".")
	variant.Env = append(slices.Clone(c.Env), "GO111MODULE=off")
	variant.refuses(t, 2, "GO111MODULE", "list", ".")

	// The vendored package was patched.
	path := filepath.Join(c.Dir, "vendor/golang.org/x/crypto/chacha20/xor.go")
	clitest.Write(t, path, append(clitest.Read(t, path), "\n// patched\n"...))
	c.refuses(t, 3, "differs from the version in go.mod", "list", ".")
}

// An export is built without this command and without network, and is always the same.
func TestGoExport(t *testing.T) {
	c := newGoTest(t, goProgram)
	out := t.TempDir()
	one, two := filepath.Join(out, "one"), filepath.Join(out, "two")
	c.ours(t, "export", one)
	c.ours(t, "export", two)
	first, second := readFiles(t, one), readFiles(t, two)
	if len(first) < 100 || !maps.Equal(first, second) {
		t.Errorf("two exports differ, or are empty: %d and %d files", len(first), len(second))
	}
	if got := goCommand(t, one, []string{"GOPROXY=off", "GOMODCACHE=" + t.TempDir()}, "run", "."); got != goOurs {
		t.Errorf("printed %s", got)
	}
	for _, name := range []string{"cipherlane/golang.org/x/crypto/LICENSE", "cipherlane/github.com/cipherlane/cipherlane/LICENSE", "vendor/golang.org/x/crypto/LICENSE"} {
		if first[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	if changes := first["cipherlane/CHANGES"]; !strings.Contains(changes, "golang.org/x/crypto v0.58.0\n\tchacha20/") || !strings.Contains(changes, "chacha20/cipherlane.go added") {
		t.Errorf("%s", changes)
	}
	c.refuses(t, 1, "is not a new or empty directory", "export", one)
	c.refuses(t, 2, "want one argument", "export")
	c.refuses(t, 2, "options go before", "export", "-h")
	c.refuses(t, 2, "not part of a program", "--std", "export", filepath.Join(out, "three"))
}

func TestGoRefuses(t *testing.T) {
	c := newGoTest(t, goProgram)
	c.refuses(t, 2, "want one of build, install")
	c.refuses(t, 2, "want one of build, install", "mod", "tidy")
	c.refuses(t, 2, "want one of build, install", "frobnicate")
	c.refuses(t, 2, "-mod", "build", "-mod=mod", ".")
	c.refuses(t, 2, "-mod", "test", "-v", "--mod=vendor", ".")
	c.refuses(t, 2, "-modfile", "build", "-o", "x", "-modfile", "other.mod", ".")
	c.refuses(t, 2, "all packages must have the same version", "install", "example.com/x@v1.0.0", "example.com/y@v1.0.1")
	c.refuses(t, 2, "all packages must have the same version", "install", "example.com/x@v1.0.0", "./y")
	c.refuses(t, 2, "all packages must have the same version", "install", "./y", "example.com/x@v1.0.0")
	c.refuses(t, 1, "no such file or directory", "list", "-C", "/no/such/directory", ".")

	source := c
	source.Env = append(slices.Clone(c.Env), "CIPHERLANE_SOURCE="+c.Dir)
	source.refuses(t, 1, "is module example.com/program, want github.com/cipherlane/cipherlane", "list", ".")
	source.refuses(t, 1, "/no/such/source: no such file", "--source", "/no/such/source", "list", ".")

	none := newGoTest(t, map[string]string{"main.go": goProgram["main.go"]})
	none.refuses(t, 2, "no go.mod", "run", ".")
	none = newGoTest(t, nil)
	writeFiles(t, none.Dir, map[string]string{"go.mod": "module example.com/other\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"})
	none.refuses(t, 1, "nothing to replace", "run", ".")
	none.Env = append(none.Env, "PATH=")
	none.refuses(t, 3, "no go command", "run", ".")
}

// A golang.org/x/crypto with other files is rejected, wherever it comes from.
func TestGoUnknownCrypto(t *testing.T) {
	c := newGoTest(t, goProgram)
	var crypto goModule
	if err := json.Unmarshal([]byte(goCommand(t, c.Dir, nil, "mod", "download", "-json", "golang.org/x/crypto")), &crypto); err != nil {
		t.Fatal(err)
	}
	fork := filepath.Join(t.TempDir(), "fork")
	if err := os.CopyFS(fork, os.DirFS(crypto.Dir)); err != nil {
		t.Fatal(err)
	}
	modFile := goProgram["go.mod"] + "\nreplace golang.org/x/crypto v0.58.0 => " + fork + "\n"
	clitest.Write(t, filepath.Join(c.Dir, "go.mod"), []byte(modFile))
	if o := c.ours(t, "run", "."); o.Stdout != goOurs { // a copy without changes
		t.Errorf("go run prints\n%s", o.Stdout)
	}
	for _, name := range []string{"chacha20/chacha_generic.go", "chacha20poly1305/chacha20poly1305_amd64.s"} {
		path := filepath.Join(fork, name)
		text := clitest.Read(t, path)
		clitest.Write(t, path, append(slices.Clone(text), '\n'))
		c.refuses(t, 3, "golang.org/x/crypto v0.58.0: cipherlane was not tested as a replacement for its package "+filepath.Dir(name), "run", ".")
		clitest.Write(t, path, text)
	}
	clitest.Write(t, filepath.Join(fork, "chacha20/new.go"), []byte("package chacha20\n"))
	c.refuses(t, 3, "golang.org/x/crypto v0.58.0: cipherlane was not tested as a replacement for its package chacha20 ", "run", ".")

	// A future version.
	c.Env = append(c.Env, moduleProxy(t, "golang.org/x/crypto", "v0.999.0", fork, nil)...)
	clitest.Write(t, filepath.Join(c.Dir, "go.mod"), []byte(strings.Replace(goProgram["go.mod"], "v0.58.0", "v0.999.0", 1)))
	goCommand(t, c.Dir, c.Env[2:], "mod", "tidy")
	c.refuses(t, 3, "golang.org/x/crypto v0.999.0: cipherlane was not tested as a replacement for its package chacha20 ", "run", ".")

	// The checksum in go.sum differs from that of the proxy.
	sum := filepath.Join(c.Dir, "go.sum")
	text := strings.Replace(string(clitest.Read(t, sum)), "v0.999.0 h1:", "v0.999.0 h1:AAAA", 1)
	clitest.Write(t, sum, []byte(text))
	c.refuses(t, 1, "but go.sum has h1:AAAA", "run", ".")
}

func TestGoWorkspace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	module := func(name, more string) string {
		return strings.Replace(goProgram["go.mod"], "example.com/program", name, 1) + more
	}
	files := map[string]string{
		"go.work":         "go 1.26.0\n\ntoolchain go1.26.0\n\ngodebug panicnil=1\n\nuse (\n\t./program\n\t./library\n)\n\nreplace example.com/other v1.0.0 => ./other\n",
		"program/go.mod":  module("example.com/program", "\nrequire example.com/other v1.0.0\n"),
		"program/go.sum":  goProgram["go.sum"],
		"program/main.go": "package main\n\nimport (\n\t\"example.com/library\"\n\t_ \"example.com/other\"\n)\n\nfunc main() { library.Main() }\n",
		"library/go.mod":  module("example.com/library", ""),
		"library/go.sum":  goProgram["go.sum"],
		"library/main.go": strings.NewReplacer("package main", "package library", "func main", "func Main").Replace(goProgram["main.go"]),
		"other/go.mod":    "module example.com/other\n",
		"other/other.go":  "package other\n",
	}
	c := newGoTest(t, files)
	goCommand(t, filepath.Join(c.Dir, "library"), []string{"GOWORK=off"}, "mod", "download", "golang.org/x/crypto")
	for _, dir := range []string{"program", "library/../program"} {
		if o := c.ours(t, "run", "-C", dir, "."); o.Stdout != goOurs {
			t.Errorf("go run prints\n%s", o.Stdout)
		}
	}
	c.Env = append(c.Env, "GOWORK="+filepath.Join(c.Dir, "go.work"))
	if o := c.ours(t, "run", "example.com/program"); o.Stdout != goOurs {
		t.Errorf("go run prints\n%s", o.Stdout)
	}
	off := c
	off.Env = append(slices.Clone(c.Env), "GOWORK=off")
	if o := off.ours(t, "list", "-C", "library", "-deps", "."); !strings.Contains(o.Stdout, "cipherlane") {
		t.Errorf("without the workspace: %s", o.Stdout)
	}

	// Workspaces that contain golang.org/x/crypto or cipherlane.
	clitest.Write(t, filepath.Join(c.Dir, "go.work"), []byte("go 1.26.0\n\nuse ./library\nuse ./crypto\n"))
	writeFiles(t, c.Dir, map[string]string{"crypto/go.mod": "module golang.org/x/crypto\n"})
	c.refuses(t, 1, "golang.org/x/crypto is a module that you work on", "list", "./library")
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(c.Dir, "go.work"), fmt.Appendf(nil, "go 1.26.0\n\nuse ./library\nuse %q\n", root))
	if o := c.ours(t, "list", "-deps", "./library"); !strings.Contains(o.Stdout, "cipherlane") || !strings.Contains(o.Stderr, "the module of the workspace") {
		t.Errorf("with cipherlane in the workspace: %s%s", o.Stdout, o.Stderr)
	}
	c.ours(t, "--source", root, "list", "./library")
	other := writeFiles(t, t.TempDir(), map[string]string{"go.mod": "module github.com/cipherlane/cipherlane\n"})
	c.refuses(t, 2, "the workspace has cipherlane in", "--source", other, "list", "./library")
}

// moduleProxy creates a proxy with one version of a module, and returns an environment
// in which the go command uses it.
func moduleProxy(t *testing.T, path, version, dir string, skip func(name string) bool) []string {
	t.Helper()
	cache := strings.TrimSpace(goCommand(t, "", nil, "env", "GOMODCACHE"))
	proxy := t.TempDir()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	files := readFiles(t, dir)
	otherModule := func(name string) bool { // a module in a folder of this one is no part of it
		for d := filepath.Dir(name); d != "."; d = filepath.Dir(d) {
			if _, ok := files[filepath.Join(d, "go.mod")]; ok {
				return true
			}
		}
		return false
	}
	for name, text := range files {
		if otherModule(name) || skip != nil && skip(name) {
			continue
		}
		w, err := z.Create(path + "@" + version + "/" + filepath.ToSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	at := path + "/@v/" + version
	writeFiles(t, proxy, map[string]string{
		at + ".info":      fmt.Sprintf(`{"Version":%q}`, version),
		at + ".mod":       string(clitest.Read(t, filepath.Join(dir, "go.mod"))),
		at + ".zip":       buf.String(),
		path + "/@v/list": version + "\n",
		path + "/@latest": fmt.Sprintf(`{"Version":%q}`, version),
	})
	return []string{
		"GOPROXY=file://" + proxy + ",file://" + filepath.Join(cache, "cache/download") + ",https://proxy.golang.org",
		"GOMODCACHE=" + t.TempDir(), "GOFLAGS=-modcacherw", "GOSUMDB=off",
	}
}

// TestGoRelease: a command installed from a release uses that version of the library.
func TestGoRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	t.Setenv("CIPHERLANE_SOURCE", "") // and restore it later
	os.Unsetenv("CIPHERLANE_SOURCE")
	c := newGoTest(t, goProgram)
	env := moduleProxy(t, "github.com/cipherlane/cipherlane", "v0.0.1", "../../../..", func(name string) bool {
		first, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		return slices.Contains([]string{"dist", "go.work", "go.work.sum"}, first)
	})
	files := readFiles(t, "../..")
	maps.DeleteFunc(files, func(name, _ string) bool {
		embedded := strings.HasPrefix(filepath.ToSlash(name), "internal/goroot/") // tests for copies of Go's tree
		return strings.HasSuffix(name, "_test.go") && !embedded || filepath.Dir(name) != "." && !strings.HasPrefix(filepath.ToSlash(name), "internal/")
	})
	source := writeFiles(t, t.TempDir(), files)
	goCommand(t, source, env, "mod", "edit", "-dropreplace=github.com/cipherlane/cipherlane", "-require=github.com/cipherlane/cipherlane@v0.0.1")
	bin := filepath.Join(t.TempDir(), "cipherlane")
	goCommand(t, source, env, "build", "-mod=mod", "-trimpath", "-o", bin, ".")

	cmd := exec.CommandContext(t.Context(), bin, "go", "build", "-trimpath", "-o", filepath.Join(c.temp, "program"), ".")
	cmd.Dir, cmd.Env = c.Dir, slices.Concat(os.Environ(), c.Env, env)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || !strings.Contains(stderr.String(), "github.com/cipherlane/cipherlane v0.0.1\n") {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if info := goCommand(t, "", nil, "version", "-m", filepath.Join(c.temp, "program")); !strings.Contains(info, "dep\tgithub.com/cipherlane/cipherlane\tv0.0.1\th1:") {
		t.Errorf("the program does not name the version:\n%s", info)
	}
	if left := clitest.Entries(t, c.temp); left != "program" {
		t.Errorf("left behind: %s", left)
	}
	cache := []string{"XDG_CACHE_HOME=" + t.TempDir(), "GOCACHE=" + strings.TrimSpace(goCommand(t, "", nil, "env", "GOCACHE"))}
	program := filepath.Join(t.TempDir(), "program")
	cmd = exec.CommandContext(t.Context(), bin, "go", "--std", "build", "-o", program, ".")
	cmd.Dir, cmd.Env = c.Dir, slices.Concat(os.Environ(), c.Env, env, cache)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if o := c.Run(t, "go", "version", program); !strings.Contains(o.Stdout, "AES and ChaCha20-Poly1305 of cipherlane v0.0.1\n") {
		t.Errorf("%s%s", o.Stdout, o.Stderr)
	}

	// No source can be found.
	goCommand(t, source, env, "mod", "edit", "-replace=github.com/cipherlane/cipherlane=../missing")
	writeFiles(t, filepath.Join(filepath.Dir(source), "missing"), readFiles(t, "../../../.."))
	goCommand(t, source, env, "build", "-mod=mod", "-trimpath", "-o", bin, ".")
	cmd = exec.CommandContext(t.Context(), bin, "go", "list", ".")
	cmd.Dir, cmd.Env = c.Dir, slices.Concat(os.Environ(), c.Env)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), "no source of cipherlane") {
		t.Errorf("without a source: %v: %s", err, out)
	}
}

// TestGoPrograms runs the tests of real programs.
func TestGoPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and tests programs of others")
	}
	for _, module := range []string{"github.com/flynn/noise@v1.1.0", "filippo.io/age@v1.3.2"} {
		t.Run(module, func(t *testing.T) {
			var m goModule
			if err := json.Unmarshal([]byte(goCommand(t, t.TempDir(), nil, "mod", "download", "-json", module)), &m); err != nil {
				t.Fatal(err)
			}
			c := newGoTest(t, nil)
			if err := os.CopyFS(c.Dir, os.DirFS(m.Dir)); err != nil {
				t.Fatal(err)
			}
			// A file of the package under test, so that it links the same packages.
			var pkg struct{ Name string }
			if err := json.Unmarshal([]byte(goCommand(t, c.Dir, nil, "list", "-json=Name", ".")), &pkg); err != nil {
				t.Fatal(err)
			}
			clitest.Write(t, filepath.Join(c.Dir, "zz_cipherlane_test.go"), fmt.Appendf(nil, `package %s

import (
	"reflect"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"
)

func TestZZCipherlane(t *testing.T) {
	a, _ := chacha20poly1305.New(make([]byte, 32))
	if p := reflect.TypeOf(a).Elem().PkgPath(); p != "github.com/cipherlane/cipherlane/chacha20poly1305" {
		t.Error(p)
	}
}
`, pkg.Name))
			before := readFiles(t, c.Dir)
			// All packages of age except the commands, which take minutes to compile.
			list := []string{".", "./internal/...", "./agessh", "./armor", "./plugin", "./tag"}
			if pkg.Name != "age" {
				list = list[:1]
			}
			o := c.Run(t, append([]string{"go", "test", "-trimpath", "-short"}, list...)...)
			t.Logf("%s%s", o.Stdout, o.Stderr)
			if o.Code != 0 || !strings.Contains(o.Stdout, "ok  \t") {
				t.Errorf("exit code %d", o.Code)
			}
			c.clean(t, before)
		})
	}
}

// TestCryptoVersions runs the tests of golang.org/x/crypto's two packages with the
// substitutes in place.
func TestCryptoVersions(t *testing.T) {
	versions := []string{"v0.58.0"} // which peers needs anyway
	switch {
	case *cryptoVersions == "all":
		versions = xcrypto.versions
	case *cryptoVersions != "":
		versions = strings.Split(*cryptoVersions, ",")
	case testing.Short():
		t.Skip("runs the tests of golang.org/x/crypto")
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			c := newGoTest(t, nil)
			writeFiles(t, c.Dir, map[string]string{
				"go.mod":  "module example.com/program\n\ngo 1.25\n\nrequire golang.org/x/crypto " + version + "\n",
				"main.go": goProgram["main.go"],
			})
			goCommand(t, c.Dir, nil, "mod", "tidy")
			o := c.Run(t, "go", "test", "-trimpath", "golang.org/x/crypto/chacha20", "golang.org/x/crypto/chacha20poly1305")
			if o.Code != 0 || strings.Count(o.Stdout, "ok  \t") != 2 {
				t.Errorf("exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
			}
			if o := c.Run(t, "go", "run", "-trimpath", "."); o.Stdout != goOurs {
				t.Errorf("exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
			}
		})
	}
}

// A workspace must not change the defaults of GODEBUG, nor specify an older Go than a
// module needs.
func TestGoWorkFile(t *testing.T) {
	for _, c := range []struct{ file, needs, want string }{
		{`{"Go":"1.21.3","Toolchain":"go1.22.0"}`, "1.26.0", "go 1.26.0\ngodebug default=go1.21\nuse \"/p q\"\n"},
		{`{"Go":"1.27.1","Toolchain":"go1.28.0"}`, "1.26.0", "go 1.27.1\ntoolchain go1.28.0\ngodebug default=go1.27\nuse \"/p q\"\n"},
		{`{}`, "1.26.0", "go 1.26.0\ngodebug default=go1.16\nuse \"/p q\"\n"},
		{`{"Go":"1.26","Godebug":[{"Key":"default","Value":"go1.24"},{"Key":"panicnil","Value":"1"}]}`, "1.26.0", "go 1.26.0\ngodebug default=go1.24\ngodebug panicnil=1\nuse \"/p q\"\n"},
		{`{"Go":"1.26.0","Replace":[{"Old":{"Path":"golang.org/x/crypto"},"New":{"Path":"../c"}},{"Old":{"Path":"a.example/b","Version":"v1.0.0"},"New":{"Path":"../b"}}]}`, "1.26.0",
			"go 1.26.0\ngodebug default=go1.26\nuse \"/p q\"\nreplace a.example/b v1.0.0 => \"/b\" \n"},
	} {
		var f goModFile
		if err := json.Unmarshal([]byte(c.file), &f); err != nil {
			t.Fatal(err)
		}
		if got := f.format("/w", []goModule{{Dir: "/p q", GoVersion: "1.20"}}, c.needs, []string{"golang.org/x/crypto"}); got != c.want {
			t.Errorf("%s becomes\n%swant\n%s", c.file, got, c.want)
		}
	}
}

func TestNewerVersion(t *testing.T) {
	ascending := []string{"v0.0.0-20210322153248-0c34fe9e7dc2", "v0.0.0", "v0.9.0", "v0.10.0-rc.1", "v0.10.0", "v0.10.2", "v1.0.0"}
	for i, a := range ascending {
		for j, b := range ascending {
			if older(a, b) != (i < j) {
				t.Errorf("older(%s, %s) = %v", a, b, older(a, b))
			}
		}
	}
}
