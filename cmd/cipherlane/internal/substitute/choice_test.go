package substitute

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// docTable reads the first table of the section about what is replaced in a document: the words
// of cells, by "MODULE ALGORITHM GOARCH".
func docTable(t *testing.T, file string) map[string]string {
	t.Helper()
	_, section, ok := strings.Cut(string(clitest.Read(t, file)), "\n## What is replaced, by GOARCH\n")
	if !ok {
		t.Fatalf("%s has no such section", file)
	}
	names := map[string]string{"std": stdModule, "x/crypto": cryptoPath, "Tailscale": tailscalePath, "emmansun/gmsm": gmsm.path, "tjfoc/gmsm": tjfoc.path}
	cells := map[string]string{}
	var columns []string
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "|") {
			if columns != nil {
				break
			}
			continue
		}
		f := strings.Split(strings.Trim(line, "|\n"), "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		switch {
		case columns == nil:
			columns = f
		case f[0] == "---":
		default:
			for i, cell := range f[1:] {
				module, algorithm, _ := strings.Cut(columns[i+1], ": ")
				word := "no"
				switch {
				case strings.HasPrefix(cell, "yes, tables"):
					word = "tables"
				case strings.HasPrefix(cell, "yes"):
					word = "yes"
				case cell == "–":
					word = "none"
				}
				cells[names[module]+" "+algorithm+" "+f[0]] = word
			}
		}
	}
	return cells
}

// TestReplacedTable: the command does what the documents say, and each package that can be
// replaced has algorithms of the table.
func TestReplacedTable(t *testing.T) {
	cells := docTable(t, "../../../../docs/go.md")
	for cell, word := range docTable(t, "../../../../docs/gmsm.md") {
		if cells[cell] != word {
			t.Errorf("%s: %q in docs/gmsm.md, %q in docs/go.md", cell, word, cells[cell])
		}
	}
	lines := replacedLines()
	if len(lines) != len(cells) || len(lines) < 100 {
		t.Errorf("%d lines, %d cells in docs/go.md", len(lines), len(cells))
	}
	for _, f := range lines {
		module, algorithm, goarch := f[0], f[1], f[2]
		word := cells[module+" "+algorithm+" "+goarch]
		replaced, _ := choice{goarch: goarch}.split(module)
		if got, want := slices.Contains(replaced, algorithm), word == "yes" || word == "tables"; got != want || f[3] != word {
			t.Errorf("%s %s on %s: replaced %v, in the table %q, docs/go.md has %q", module, algorithm, goarch, got, f[3], word)
		}
		if module == stdModule {
			if ok, err := (choice{goarch: goarch}).replacesStd(); ok != slices.Contains(replaced, algorithm) || !ok && !errors.As(err, new(keptError)) {
				t.Errorf("the standard library on %s: %v, %v", goarch, ok, err)
			}
		}
	}
	for _, s := range substitutions {
		for _, p := range s.packages {
			if (p.algorithms == nil) != (p.source == "") {
				t.Errorf("%s/%s: algorithms %q", s.path, p.dir, p.algorithms)
			}
			for _, algorithm := range p.algorithms {
				if !slices.Contains(algorithmsOf(s.path), algorithm) {
					t.Errorf("%s/%s: %s is not in the table", s.path, p.dir, algorithm)
				}
			}
		}
	}
}

// TestChoice: what the user names overrules the table, and for what the table does not have,
// nothing is replaced.
func TestChoice(t *testing.T) {
	type words = []string
	for _, c := range []struct {
		goarch                 string
		onlyNames, exceptNames words
		module                 string
		replaced, stay         words
	}{
		{"amd64", nil, nil, gmsm.path, words{"SM2", "SM3", "SM4"}, nil},
		{"ppc64le", nil, nil, gmsm.path, words{"SM2"}, words{"SM3", "SM4"}},
		{"ppc64le", nil, nil, tjfoc.path, words{"SM2", "SM3", "SM4"}, nil},
		{"ppc64le", nil, nil, cryptoPath, nil, words{"ChaCha20", "ChaCha20-Poly1305"}},
		{"ppc64le", nil, nil, tailscalePath, nil, nil},
		{"wasm", nil, nil, gmsm.path, nil, words{"SM2", "SM3", "SM4"}},
		{"wasm", words{"sm4"}, nil, gmsm.path, words{"SM4"}, nil},
		{"ppc64le", words{"SM4"}, nil, gmsm.path, words{"SM4"}, nil},
		{"ppc64le", words{"SM4"}, nil, cryptoPath, nil, nil},
		{"ppc64le", words{gmsm.path}, nil, gmsm.path, words{"SM2", "SM3", "SM4"}, nil},
		{"ppc64le", words{gmsm.path}, nil, tjfoc.path, nil, nil},
		{"ppc64le", words{gmsm.path, "SM4", "SM2"}, nil, gmsm.path, words{"SM2", "SM4"}, nil},
		{"ppc64le", words{gmsm.path, "SM4"}, nil, tjfoc.path, nil, nil},
		{"ppc64le", words{gmsm.path}, words{"SM3"}, gmsm.path, words{"SM2", "SM4"}, nil},
		{"ppc64le", nil, words{"SM3"}, gmsm.path, words{"SM2"}, words{"SM4"}},
		{"amd64", nil, words{"SM3"}, gmsm.path, words{"SM2", "SM4"}, nil},
		{"amd64", nil, words{gmsm.path}, gmsm.path, nil, nil},
	} {
		chosen, err := choice{c.goarch, c.onlyNames, c.exceptNames}.check()
		if err != nil {
			t.Fatal(err)
		}
		if replaced, stay := chosen.split(c.module); !slices.Equal(replaced, c.replaced) || !slices.Equal(stay, c.stay) {
			t.Errorf("%s, only %q, except %q: %s: replaced %q, stays %q", c.goarch, c.onlyNames, c.exceptNames, c.module, replaced, stay)
		}
	}
	for _, c := range []struct {
		goarch                 string
		onlyNames, exceptNames words
		want                   string // of the error
	}{
		{"amd64", nil, nil, ""},
		{"ppc64le", words{"std"}, nil, ""},
		{"ppc64le", words{"AES", "ChaCha20-Poly1305"}, nil, ""},
		{"ppc64le", nil, nil, "on ppc64le cipherlane's would take more instructions or time; --only std "},
		{"wasm", nil, nil, "cipherlane's was not measured for GOARCH=wasm; --only std "},
		{"amd64", words{"SM4"}, nil, "leave out --std"},
		{"amd64", nil, words{"AES"}, "replaced together"},
		{"amd64", nil, words{"std"}, "leave out --std"},
	} {
		ok, err := choice{c.goarch, c.onlyNames, c.exceptNames}.replacesStd()
		if ok != (c.want == "") || (err == nil) != ok || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s, only %q, except %q: %v, %v", c.goarch, c.onlyNames, c.exceptNames, ok, err)
		}
	}
}

// A program that says where the types of gmsm's ciphers, hashes and keys are from, and uses them.
var gmsmTypes = map[string]string{"main.go": `package main

import (
	"crypto/rand"
	"fmt"

	"github.com/emmansun/gmsm/sm2"
	"github.com/emmansun/gmsm/sm3"
	"github.com/emmansun/gmsm/sm4"
)

func main() {
	block, err := sm4.NewCipher(make([]byte, 16))
	if err != nil {
		panic(err)
	}
	out := make([]byte, 16)
	block.Encrypt(out, out)
	key, err := sm2.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	signature, err := key.SignWithSM2(rand.Reader, nil, out)
	if err != nil || !sm2.VerifyASN1WithSM2(&key.PublicKey, nil, out, signature) {
		panic("the signature is not valid")
	}
	sealed, err := sm2.EncryptASN1(rand.Reader, &key.PublicKey, out)
	if err != nil {
		panic(err)
	}
	opened, err := key.Decrypt(nil, sealed, nil)
	if err != nil || string(opened) != string(out) {
		panic("not decrypted")
	}
	fmt.Printf("%x %x\n", out, sm3.Sum([]byte("abc")))
}
`}

// TestGoArch: on ppc64le, gmsm's SM3 and SM4 stay, and ours is SM2. With --only it is the
// reverse. The programs have the right results, and tell what they consist of.
func TestGoArch(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	const result = "9f1f7bff6f5511384d9430531e538fd3 66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0\n"
	c := newGoTest(t, nil)
	writeFiles(t, c.Dir, gmsmTypes)
	clitest.Write(t, filepath.Join(c.Dir, "go.mod"), []byte("module example.com/program\n\ngo 1.26.0\n\nrequire github.com/emmansun/gmsm v0.44.1\n"))
	goCommand(t, c.Dir, nil, "mod", "tidy")
	c.Env = append(c.Env, "CGO_ENABLED=0")
	forGOARCH := func(goarch string) goTest {
		c := c
		c.Env = append(slices.Clone(c.Env), "GOOS=linux", "GOARCH="+goarch)
		return c
	}
	const stays = "cipherlane: go: SM3 and SM4 of github.com/emmansun/gmsm: not replaced, because on ppc64le cipherlane's would take more instructions or time; --only github.com/emmansun/gmsm replaces it anyway\n"
	for _, v := range []struct {
		options, goarch, says, mark string
		ours, theirs                []string // packages that the program has, and those that it has not
	}{
		{"", "ppc64le", stays, "  github.com/emmansun/gmsm v0.44.1: SM2 of cipherlane\n", []string{"internal/sm2"}, []string{"internal/sm3", "internal/sm4", "sm3", "cipher"}},
		{"--only SM3 --only SM4", "ppc64le", "", "  github.com/emmansun/gmsm v0.44.1: SM3 and SM4 of cipherlane\n", []string{"internal/sm3", "internal/sm4", "sm3"}, []string{"internal/sm2"}},
		{"--except SM2", "amd64", "", "  github.com/emmansun/gmsm v0.44.1: SM3 and SM4 of cipherlane\n", []string{"internal/sm3", "internal/sm4", "sm3"}, []string{"internal/sm2"}},
		{"--only SM3", "amd64", "", "  github.com/emmansun/gmsm v0.44.1: SM3 of cipherlane\n", []string{"internal/sm3", "sm3"}, []string{"internal/sm2", "internal/sm4"}},
	} {
		file := filepath.Join(t.TempDir(), "program")
		args := append([]string{"go"}, strings.Fields(v.options)...)
		o := forGOARCH(v.goarch).Run(t, append(args, "build", "-trimpath", "-o", file, ".")...)
		if o.Code != 0 || !strings.Contains(o.Stderr, v.says) || strings.Contains(o.Stderr, "not replaced") != (v.says != "") {
			t.Fatalf("%s %s: exit code %d: %s", v.goarch, v.options, o.Code, o.Stderr)
		}
		if o := c.Run(t, "go", "version", file); !strings.Contains(o.Stdout, v.mark) {
			t.Errorf("%s %s: go version says %s, want %s", v.goarch, v.options, o.Stdout, v.mark)
		}
		imports := "\n" + forGOARCH(v.goarch).Run(t, append(args, "list", "-f", "{{.ImportPath}}: {{.Imports}}", "-deps", ".")...).Stdout
		for _, set := range []struct {
			names []string
			want  bool
		}{{v.ours, true}, {v.theirs, false}} {
			for _, name := range set.names {
				_, line, found := strings.Cut(imports, "\ngithub.com/emmansun/gmsm/"+name+": ")
				line, _, _ = strings.Cut(line, "\n")
				if found && strings.Contains(line, cipherlanePath) != set.want || !found && set.want {
					t.Errorf("%s %s: %s imports %q, want cipherlane: %v", v.goarch, v.options, name, line, set.want)
				}
			}
		}
		if emulator := emulated(v.goarch); emulator != nil {
			out, err := exec.CommandContext(t.Context(), emulator[0], append(emulator[1:], file)...).Output()
			if err != nil || string(out) != result {
				t.Errorf("%s %s: %v: printed %q, want %q", v.goarch, v.options, err, out, result)
			}
		}
	}

	// A GOARCH of which nobody has counted anything: the program is built as it is.
	file := filepath.Join(t.TempDir(), "program")
	wasm := forGOARCH("wasm")
	wasm.Env = append(wasm.Env, "GOOS=js")
	const nobody = "because cipherlane's was not measured for GOARCH=wasm; --only github.com/emmansun/gmsm replaces it anyway\n"
	for _, args := range [][]string{{"go"}, {"go", "--std"}} {
		if o := wasm.Run(t, append(args, "build", "-trimpath", "-o", file, ".")...); o.Code != 0 || !strings.Contains(o.Stderr, nobody) || strings.Contains(o.Stderr, "in place of") {
			t.Errorf("wasm, %q: exit code %d: %s", args, o.Code, o.Stderr)
		}
	}
	if o := wasm.Run(t, "go", "export", filepath.Join(t.TempDir(), "x")); o.Code != 1 || !strings.Contains(o.Stderr, nobody) {
		t.Errorf("wasm, export: exit code %d: %s", o.Code, o.Stderr)
	}
	if o := wasm.Run(t, "go", "--only", "SM2", "list", "-deps", "."); o.Code != 0 || !strings.Contains(o.Stdout, "\n"+cipherlanePath+"/sm2\n") || !strings.Contains(o.Stderr, ", packages ecdh and internal/sm2: ") {
		t.Errorf("wasm, --only SM2: exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}

	// The words, and what --std and export say.
	c.refuses(t, 2, "want one of std, ", "--only", "SM5", "build", ".")
	c.refuses(t, 2, "leave out --std", "--std", "--only", "SM4", "build", ".")
	c.refuses(t, 2, "replaced together", "--std", "--except", "AES", "build", ".")
	c.refuses(t, 1, "nothing to replace", "--only", "AES", "build", ".")
	if o := forGOARCH("ppc64le").Run(t, "go", "--std", "list", "."); o.Code != 0 ||
		!strings.Contains(o.Stderr, "cipherlane: go: AES and ChaCha20-Poly1305 of the standard library: not replaced, because on ppc64le ") || strings.Contains(o.Stderr, "in the standard library of go") {
		t.Errorf("--std on ppc64le: exit code %d: %s", o.Code, o.Stderr)
	}
	if o := forGOARCH("ppc64le").Run(t, "go", "--sm", "list", "."); o.Code != 3 || !strings.HasSuffix(o.Stderr, "; --only std replaces it anyway, which --sm needs\n") || o.Stdout != "" {
		t.Errorf("--sm on ppc64le: exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}
	to := filepath.Join(t.TempDir(), "x")
	if o := forGOARCH("ppc64le").Run(t, "go", "export", to); o.Code != 0 || !strings.Contains(o.Stderr, "made for GOARCH=ppc64le; the same for ppc64;") {
		t.Errorf("export on ppc64le: exit code %d: %s", o.Code, o.Stderr)
	}
	if _, err := os.Stat(filepath.Join(to, "vendor/github.com/emmansun/gmsm/internal/sm2/cipherlane.go")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(to, "vendor/github.com/emmansun/gmsm/internal/sm4/cipherlane.go")); err == nil {
		t.Error("the export for ppc64le has our SM4")
	}
}

// emulated returns the command that runs programs of an architecture here, or nil.
func emulated(goarch string) []string {
	switch {
	case runtime.GOOS != "linux":
		return nil
	case goarch == runtime.GOARCH:
		return []string{"env"}
	}
	cache, _ := os.UserCacheDir()
	for _, name := range []string{"qemu-" + goarch, filepath.Join(cache, "cipherlane-ci/qemu/usr/bin/qemu-"+goarch)} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}
		}
	}
	return nil
}
