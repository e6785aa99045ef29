package substitute

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

var gmsmSuite = flag.Bool("gmsm", false, "run all tests of github.com/emmansun/gmsm with the substitutes, which takes minutes")

const gmsmMod = `module example.com/program

go 1.26.0

require (
	github.com/emmansun/gmsm v0.44.1
	golang.org/x/crypto v0.58.0
)
`

// newGMSM is a goTest that requires gmsm and, if the files import it, tjfoc's.
func newGMSM(t *testing.T, files map[string]string) goTest {
	t.Helper()
	c := newGoTest(t, nil)
	writeFiles(t, c.Dir, map[string]string{"go.mod": gmsmMod})
	writeFiles(t, c.Dir, files)
	goCommand(t, c.Dir, nil, "mod", "tidy")
	return c
}

// A program that prints a hash, and which imports golang.org/x/crypto.
var gmsmProgram = map[string]string{"main.go": `package main

import (
	"fmt"

	"github.com/emmansun/gmsm/sm3"
	_ "golang.org/x/crypto/chacha20"
)

func main() { fmt.Printf("%x\n", sm3.Sum([]byte("abc"))) }
`}

const (
	gmsmPrints = "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0\n"
	gmsmIn     = "cipherlane: in place of github.com/emmansun/gmsm v0.44.1, packages "
)

// TestGMSM compares what a program prints with and without cipherlane.
func TestGMSM(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	c := newGMSM(t, map[string]string{"main.go": string(clitest.Read(t, "testdata/gmsm/main.go"))})
	goCommand(t, c.Dir, nil, "get", "github.com/tjfoc/gmsm@v1.4.1")
	goCommand(t, c.Dir, nil, "mod", "tidy")
	want := goCommand(t, c.Dir, nil, "run", "-trimpath", ".")
	o := c.ours(t, "run", "-trimpath", ".")
	wanted, got := strings.Split(want, "\n"), strings.Split(o.Stdout, "\n")
	for i := range max(len(wanted), len(got)) {
		if i >= len(wanted) || i >= len(got) || wanted[i] != got[i] {
			t.Fatalf("line %d differs: %q instead of %q", i+1, got[min(i, len(got)-1)], wanted[min(i, len(wanted)-1)])
		}
	}
	for _, words := range []string{
		gmsmIn + "cipher, ecdh, internal/sm2, internal/sm3, internal/sm4 and sm3: ",
		"cipherlane: in place of github.com/tjfoc/gmsm v1.4.1, packages gmtls, sm2, sm3 and sm4: ",
	} {
		if !strings.Contains(o.Stderr, words) {
			t.Errorf("does not say %q: %s", words, o.Stderr)
		}
	}
	list := c.ours(t, "list", "-deps", ".").Stdout
	for _, name := range []string{"sm2", "sm3", "sm4"} {
		if !strings.Contains(list, "\ngithub.com/cipherlane/cipherlane/"+name+"\n") {
			t.Errorf("without cipherlane's %s:\n%s", name, list)
		}
	}
	// The files in _src, in their packages. The flags are for other files of gmtls.
	args := []string{"vet", "-shift=false", "-unreachable=false"}
	for _, s := range []substitution{xcrypto, gmsm, tjfoc} {
		for _, p := range s.packages {
			if p.source != "" {
				args = append(args, s.path+"/"+p.dir)
			}
		}
	}
	c.ours(t, args...)
	for _, version := range gmsm.versions {
		goCommand(t, c.Dir, nil, "get", "github.com/emmansun/gmsm@"+version)
		if o := c.ours(t, "run", "-trimpath", ".", "all"); strings.Count(o.Stdout, ": true\n") != 12 || strings.Contains(o.Stdout, "false") {
			t.Errorf("what was mended in %s: %s%s", version, o.Stdout, o.Stderr)
		}
	}
}

// TestGMSMSuite runs tests of both modules.
func TestGMSMSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the tests of both gmsm")
	}
	list := []string{"cbcmac", "drbg", "ecdh", "internal/cipher/...", "internal/sm2", "internal/sm3", "internal/sm4", "kdf", "sm2/...", "sm3", "sm4", "sm9"}
	if *gmsmSuite {
		list = []string{"..."}
	}
	args := []string{"test", "-trimpath", "-timeout", "30m"}
	if !*gmsmSuite {
		args = append(args, "-short")
	}
	files := map[string]string{"main.go": gmsmProgram["main.go"], "theirs.go": "package main\n\nimport _ \"github.com/tjfoc/gmsm/gmtls\"\n"}
	// gmsm's go.mod demands Go 1.25, and some of its tests the behaviour of that.
	files["go.mod"] = gmsmMod + "\ngodebug default=go1.25\n"
	c := newGMSM(t, files)
	for i, name := range list {
		list[i] = "github.com/emmansun/gmsm/" + name
	}
	for _, name := range []string{"sm2", "sm3", "sm4", "x509", "pkcs12"} {
		list = append(list, "github.com/tjfoc/gmsm/"+name)
	}
	// The dependencies of the packages' tests have no checksums in go.sum.
	c.Env = append(c.Env, "GOFLAGS=-mod=mod")
	o := c.Run(t, append([]string{"go"}, slices.Concat(args, list)...)...)
	t.Logf("%s%s", o.Stdout, o.Stderr)
	if o.Code != 0 || strings.Count(o.Stdout, "ok  \t") < len(list) {
		t.Errorf("exit code %d", o.Code)
	}
}

// TestTLCP transfers a file by the program in examples/tlcp, with and without cipherlane at
// each end.
func TestTLCP(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	c := newGoTest(t, nil)
	if err := os.CopyFS(c.Dir, os.DirFS("../../../../examples/tlcp")); err != nil {
		t.Fatal(err)
	}
	// Not ours: the program requires another version of golang.org/x/crypto.
	before := readFiles(t, c.Dir)
	bin := t.TempDir()
	var programs []string
	for i, name := range []string{"gmsm", "cipherlane v0.0.0"} {
		path := filepath.Join(bin, name)
		if i == 0 {
			goCommand(t, c.Dir, nil, "build", "-trimpath", "-o", path, ".")
		} else if o := c.Run(t, "go", "build", "-trimpath", "-o", path, "."); o.Code != 0 {
			t.Fatalf("go build: %s", o.Stderr)
		}
		out, err := exec.CommandContext(t.Context(), path, "version").Output()
		if err != nil || string(out) != name+"\n" {
			t.Fatalf("%s: version %q, %v", name, out, err)
		}
		programs = append(programs, path)
	}
	c.clean(t, before)

	certs, folder := t.TempDir(), t.TempDir()
	file := bytes.Repeat([]byte("0123456789abcdef\n"), 1<<18)
	for _, n := range []int{0, 1, 100000, 3<<17 + 1, 5<<18 + 1<<14, len(file)} {
		clitest.Write(t, filepath.Join(folder, fmt.Sprint(n)), file[:n])
	}
	command := filepath.Join(bin, "cipherlane")
	goCommand(t, "../..", nil, "build", "-o", command, ".")
	other := t.TempDir()
	for _, line := range []string{
		"--ca CA --new-key ca.key -o ca.pem",
		"--ca CA --new-key other.key -o " + other + "/ca.pem",
		"localhost 127.0.0.1 --issuer ca.pem --issuer-key ca.key --new-key sign.key -o sign.pem",
		"localhost 127.0.0.1 --encryption --issuer ca.pem --issuer-key ca.key --new-key enc.key -o enc.pem",
	} {
		cmd := exec.CommandContext(t.Context(), command, append([]string{"sm2", "cert"}, strings.Fields(line)...)...)
		cmd.Dir = certs
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	for _, server := range programs {
		cmd := exec.CommandContext(t.Context(), server, "serve", "-certs", certs, "-listen", "127.0.0.1:0", folder)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(stderr).ReadString('\n')
		_, url, ok := strings.Cut(strings.TrimSpace(line), " on ")
		if !ok {
			t.Fatalf("%s: %q, %v", server, line, err)
		}
		for _, client := range programs {
			for _, n := range []int{0, 1, 100000, 3<<17 + 1, 5<<18 + 1<<14, len(file)} {
				out, err := exec.CommandContext(t.Context(), client, "get", "-certs", certs, fmt.Sprint(url, "/", n)).Output()
				if err != nil || !bytes.Equal(out, file[:n]) {
					t.Errorf("server %s, client %s: %d bytes of %d, %v", filepath.Base(server), filepath.Base(client), len(out), n, err)
				}
			}
			for _, args := range [][]string{{certs, url + "/missing"}, {other, url + "/1"}} { // no such file; another CA
				if out, err := exec.CommandContext(t.Context(), client, "get", "-certs", args[0], args[1]).Output(); err == nil { // gmtls prints its errors there
					t.Errorf("server %s, client %s: %q gets %q, %v", filepath.Base(server), filepath.Base(client), args, out, err)
				}
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// gmsmCopy returns the directory of a copy of gmsm that can be changed.
func gmsmCopy(t *testing.T, c goTest) string {
	t.Helper()
	dir := strings.TrimSpace(goCommand(t, c.Dir, nil, "list", "-m", "-f", "{{.Dir}}", "github.com/emmansun/gmsm"))
	fork := filepath.Join(t.TempDir(), "fork")
	if err := os.CopyFS(fork, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return fork
}

// change makes another package of one in a directory.
func change(t *testing.T, path string) {
	t.Helper()
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, path, append(clitest.Read(t, path), "\nfunc init() { println(\"changed\") }\n"...))
}

// Versions that were not tested are refused, and nothing else is replaced then.
func TestGMSMUntested(t *testing.T) {
	c := newGMSM(t, gmsmProgram)
	fork := gmsmCopy(t, c)
	change(t, filepath.Join(fork, "internal/sm4/cipher.go"))
	c.Env = append(c.Env, moduleProxy(t, "github.com/emmansun/gmsm", "v0.999.0", fork, nil)...)
	clitest.Write(t, filepath.Join(c.Dir, "go.mod"), []byte(strings.Replace(gmsmMod, "v0.44.1", "v0.999.0", 1)))
	goCommand(t, c.Dir, c.Env[2:], "mod", "tidy")
	const words = "github.com/emmansun/gmsm v0.999.0: cipherlane was not tested as a replacement for its package internal/sm4 ("
	c.refuses(t, 3, words, "run", ".")
	o := c.Run(t, "go", "run", ".")
	for _, words := range []string{"go get github.com/emmansun/gmsm@v0.44.1", "--except github.com/emmansun/gmsm"} {
		if !strings.Contains(o.Stderr, words) || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("does not say %q in one line: %s", words, o.Stderr)
		}
	}
	o = c.ours(t, "--except", "github.com/emmansun/gmsm", "list", "-deps", ".")
	if strings.Contains(o.Stdout, "cipherlane/sm3") || !strings.Contains(o.Stdout, "cipherlane/chacha20") || strings.Contains(o.Stderr, "emmansun") {
		t.Errorf("with --except: %s%s", o.Stdout, o.Stderr)
	}
	c.refuses(t, 1, "nothing to replace", "--except", "github.com/emmansun/gmsm", "--except", "golang.org/x/crypto", "run", ".")
	c.refuses(t, 2, "never replaced", "--except", "example.com/other", "run", ".")
}

// A module that the user replaced stays as it is if its text is another one.
func TestGMSMReplaced(t *testing.T) {
	c := newGMSM(t, gmsmProgram)
	if o := c.ours(t, "run", "."); o.Stdout != gmsmPrints || !strings.Contains(o.Stderr, gmsmIn) {
		t.Errorf("prints %s%s", o.Stdout, o.Stderr)
	}
	fork := gmsmCopy(t, c)
	mod := string(clitest.Read(t, filepath.Join(c.Dir, "go.mod"))) + "\nreplace github.com/emmansun/gmsm => " + fork + "\n"
	clitest.Write(t, filepath.Join(c.Dir, "go.mod"), []byte(mod))
	if o := c.ours(t, "list", "-deps", "."); !strings.Contains(o.Stderr, gmsmIn) || !strings.Contains(o.Stdout, "cipherlane/sm3") {
		t.Errorf("a copy: %s%s", o.Stdout, o.Stderr)
	}
	change(t, filepath.Join(fork, "internal/sm3/sm3.go"))
	o := c.ours(t, "run", ".")
	if o.Stdout != gmsmPrints || !strings.Contains(o.Stderr, "\nchanged\n") || strings.Contains(o.Stderr, gmsmIn) ||
		!strings.Contains(o.Stderr, "package internal/sm3 (") || !strings.Contains(o.Stderr, "which you replaced in go.mod or go.work: it stays as it is\n") {
		t.Errorf("a changed copy: %s%s", o.Stdout, o.Stderr)
	}

	// The same in a workspace.
	clitest.Write(t, filepath.Join(c.Dir, "go.mod"), []byte(strings.Split(mod, "\nreplace ")[0]))
	clitest.Write(t, filepath.Join(c.Dir, "go.work"), []byte("go 1.26.0\n\nuse .\n\nreplace github.com/emmansun/gmsm => "+fork+"\n"))
	goCommand(t, c.Dir, nil, "list", "-m", "all") // writes go.work.sum
	if o := c.ours(t, "run", "."); !strings.Contains(o.Stderr, "\nchanged\n") || !strings.Contains(o.Stderr, "it stays as it is\n") {
		t.Errorf("a changed copy in go.work: %s%s", o.Stdout, o.Stderr)
	}
	clitest.Write(t, filepath.Join(c.Dir, "go.work"), []byte("go 1.26.0\n\nuse .\nuse "+fork+"\n"))
	goCommand(t, c.Dir, nil, "list", "-m", "all") // writes go.work.sum
	if o := c.ours(t, "run", "."); !strings.Contains(o.Stderr, "\nchanged\n") || !strings.Contains(o.Stderr, "gmsm is a module that you work on, in ") {
		t.Errorf("gmsm in the workspace: %s%s", o.Stdout, o.Stderr)
	}
}

// A vendored package that was changed is used, although the workspace has no vendor directory.
func TestGMSMVendored(t *testing.T) {
	c := newGMSM(t, gmsmProgram)
	goCommand(t, c.Dir, nil, "mod", "vendor")
	if o := c.ours(t, "list", "."); !strings.Contains(o.Stderr, gmsmIn) {
		t.Errorf("vendored: %s", o.Stderr)
	}
	change(t, filepath.Join(c.Dir, "vendor/github.com/emmansun/gmsm/internal/sm3/sm3.go"))
	o := c.ours(t, "run", ".")
	if o.Stdout != gmsmPrints || !strings.Contains(o.Stderr, "\nchanged\n") || strings.Contains(o.Stderr, gmsmIn) ||
		!strings.Contains(o.Stderr, "internal/sm3 differs from the version in go.mod: it is not replaced\n") {
		t.Errorf("a changed vendor directory: %s%s", o.Stdout, o.Stderr)
	}
}

// A definition that is not there, or twice, is an error.
func TestSubstitute(t *testing.T) {
	for _, c := range []struct{ text, renamed string }{
		{"package p\n\nfunc F() {}\n\nfunc (t *T) G(x int) {}\n\ntype T struct{ F int }\n", "package p\n\nfunc original_F() {}\n\nfunc (t *T) original_G(x int) {}\n\ntype original_T struct{ F int }\n"},
		{"package p\n\nfunc F() {}\n", ""},
		{"package p\n\nfunc F() {}\n\nfunc (t *T) G(x int) {}\n\ntype T struct{}\n\nfunc F() {}\n", ""},
	} {
		dir := writeFiles(t, t.TempDir(), map[string]string{"p.go": c.text, "p_test.go": c.text, "q_test.go": "package p\n"})
		const text = "package p\n"
		s := substitute{tests: []string{"p_test.go"}, renames: []string{"func F(", "func (t *T) G(", "type T "}}
		err := s.apply(dir, text)
		if (err == nil) != (c.renamed != "") {
			t.Errorf("%q: %v", c.text, err)
		}
		if err != nil {
			continue
		}
		files := readFiles(t, dir)
		if len(files) != 3 || files["p.go"] != c.renamed || files["p_test.go"] != c.text || files["cipherlane.go"] != text {
			t.Errorf("%q becomes %q", c.text, files)
		}
		s.renames = nil
		if err := s.apply(dir, text); err != nil || len(readFiles(t, dir)) != 2 {
			t.Errorf("a whole package: %v, %q", err, readFiles(t, dir))
		}
	}
}
