package substitute

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/goroot"
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
	"os"
)

func main() {
	block, _ := aes.NewCipher(make([]byte, 32))
	gcm, _ := cipher.NewGCM(block)
	fmt.Printf("%x\n", sha256.Sum256(gcm.Seal(nil, make([]byte, 12), make([]byte, 1000), nil)))
	out := make([]byte, 1000)
	cipher.NewCTR(block, make([]byte, 16)).XORKeyStream(out, out)
	fmt.Printf("%x\n", sha256.Sum256(out))
	if len(os.Args) > 1 {
		fmt.Println(os.Args[1:])
	}
}
`,
	"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestMain(*testing.T) { main() }\n",
}

// newStdTest returns a program in a directory of its own, with a cache for copies of the Go
// installation. What Go compiles stays in its own cache.
func newStdTest(t *testing.T, files map[string]string) goTest {
	c := newGoTest(t, nil)
	c.Dir = writeFiles(t, t.TempDir(), files)
	c.Env = append(c.Env, "XDG_CACHE_HOME="+t.TempDir(), "GOCACHE="+strings.TrimSpace(goCommand(t, c.Dir, nil, "env", "GOCACHE")))
	return c
}

// std runs the command with --std, which must succeed.
func (c goTest) std(t *testing.T, args ...string) clitest.Outcome {
	t.Helper()
	before := readFiles(t, c.Dir)
	o := c.Run(t, append([]string{"go", "--std"}, args...)...)
	if o.Code != 0 || !strings.Contains(o.Stderr, "in place of AES and ChaCha20-Poly1305 in the standard library of "+runtime.Version()) {
		t.Fatalf("go --std %q: exit code %d: %s%s", args, o.Code, o.Stdout, o.Stderr)
	}
	c.clean(t, before)
	return o
}

func TestGoStd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("XDG_CACHE_HOME has no effect")
	}
	c := newStdTest(t, stdProgram)
	want := goCommand(t, c.Dir, nil, "run", ".")
	if o := c.std(t, "run", "."); o.Stdout != want {
		t.Errorf("printed %s, want %s", o.Stdout, want)
	}
	for _, args := range [][]string{{"list", "-deps", "."}, {"list", "-tags", "x", "-deps", "."}, {"list", "-C", c.Dir, "-deps", "."}} {
		if o := c.std(t, args...); !strings.Contains(o.Stdout, "crypto/internal/cipherlane/aescore\n") {
			t.Errorf("go --std %q: %s", args, o.Stdout)
		}
	}

	// Programs show it.
	out := t.TempDir()
	for name, flags := range map[string][]string{"plain": nil, "tags": {"-tags=a,b"}, "trimpath": {"-trimpath", "-ldflags", "-s -w"}} {
		file := filepath.Join(out, name)
		c.std(t, append(append([]string{"build", "-o", file}, flags...), ".")...)
		if o := c.Run(t, "go", "version", file); o.Code != 0 || !strings.Contains(o.Stdout, runtime.Version()) || !strings.Contains(o.Stdout, "AES and ChaCha20-Poly1305 of cipherlane devel") {
			t.Errorf("%s: exit code %d: %s%s", name, o.Code, o.Stdout, o.Stderr)
		}
		info := goCommand(t, c.Dir, nil, "version", "-m", file)
		if !strings.Contains(info, "cipherlane.devel_") || name == "tags" && !strings.Contains(info, "-tags=a,b,cipherlane.") {
			t.Errorf("%s: %s", name, info)
		}
	}
	file := filepath.Join(out, "theirs")
	goCommand(t, c.Dir, nil, "build", "-tags", "cipherlane.v9", "-o", file, ".")
	if o := c.Run(t, "go", "version", file); !strings.Contains(o.Stdout, "standard library: Go's own, although there is the build tag cipherlane.v9: ") {
		t.Errorf("%s%s", o.Stdout, o.Stderr)
	}

	// Of all programs in a directory, and if the tag is not there: a flag replaced it.
	mark := []string{"build", "-tags=hidden", "-ldflags=-s -w -X internal/cipherlane/drivers.mark=x", "-o", filepath.Join(out, "hidden"), "."}
	cache := strings.TrimPrefix(c.Env[len(c.Env)-2], "XDG_CACHE_HOME=")
	copies, err := filepath.Glob(filepath.Join(cache, "cipherlane", "goroot", "*"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("%q, %v", copies, err)
	}
	goCommand(t, c.Dir, []string{"GOROOT=" + copies[0]}, mark...)
	o := c.Run(t, "go", "version", out)
	if o.Code != 0 || strings.Count(o.Stdout, "AES and ChaCha20-Poly1305 of cipherlane devel ") != 4 || strings.Count(o.Stdout, "Go's own") != 1 ||
		!strings.Contains(o.Stdout, filepath.Join(out, "theirs")+": "+runtime.Version()+"\n  standard library: Go's own") {
		t.Errorf("of a directory: exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}
	c.Fails(t, 1, "no such file", "go", "version", "/no/such/file")
	c.Fails(t, 1, "go.mod: not a Go program", "go", "version", filepath.Join(c.Dir, "go.mod"))
	c.Fails(t, 2, "no file given", "go", "version")

	// In FIPS 140-3 mode, Go's own AES and its self-checks run. It has the same results.
	fips := clitest.Call{Name: filepath.Join(out, "plain"), Dir: c.Dir, Env: []string{"GODEBUG=fips140=on"}}
	if got := fips.RunProgram(t); got != want {
		t.Errorf("fips140=on: printed %s, want %s", got, want)
	}

	// The program's own arguments.
	if o := c.std(t, "run", ".", "-tags", "x", "-C", "y", "a@b"); o.Stdout != want+"[-tags x -C y a@b]\n" {
		t.Errorf("printed %s", o.Stdout)
	}

	// Without a module, and with flags that a workspace does not allow.
	none := c
	none.Dir = writeFiles(t, t.TempDir(), map[string]string{"main.go": stdProgram["main.go"]})
	if o := none.std(t, "run", "main.go"); o.Stdout != want || !strings.Contains(o.Stderr, "nothing else is replaced: there is no go.mod") {
		t.Errorf("printed %s, want %s: %s", o.Stdout, want, o.Stderr)
	}
	c.std(t, "vet", "-mod=mod", ".")
	quoted := c
	quoted.Env = append(slices.Clone(c.Env), "GOFLAGS=\"-ldflags=-s -w\" '-tags=y z'")
	if o := quoted.std(t, "list", "-f", "{{context.BuildTags}}", "."); !strings.Contains(o.Stdout, "[y z cipherlane.devel_") {
		t.Error(o.Stdout)
	}

	// A workspace that contains golang.org/x/crypto: it stays as it is.
	writeFiles(t, c.Dir, map[string]string{"go.work": "go 1.26.0\n\nuse .\nuse ./crypto\n", "crypto/go.mod": "module golang.org/x/crypto\n"})
	if o := c.std(t, "run", "."); o.Stdout != want || !strings.Contains(o.Stderr, "nothing else is replaced: golang.org/x/crypto is a module that you work on, in ") {
		t.Errorf("printed %s: %s", o.Stdout, o.Stderr)
	}
}

// A program that prints a line for each function of this module that the standard library calls.
var stdFunctions = map[string]string{
	"go.mod": stdProgram["go.mod"],
	"main.go": `package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/rand"
	_ "crypto/tls"
	"encoding/hex"
	"fmt"
)

func main() {
	block, _ := aes.NewCipher(make([]byte, 32))
	gcm, _ := cipher.NewGCM(block)
	nonce, iv, data := make([]byte, 12), make([]byte, 16), make([]byte, 256)
	print := func(name string, b []byte) { fmt.Printf("%s %x\n", name, b) }
	block.Encrypt(iv, data)
	print("EncryptBlock", iv)
	block.Decrypt(iv, data)
	print("DecryptBlock", iv)
	print("Seal", gcm.Seal(nil, nonce, data, nil))
	sealed, _ := hex.DecodeString("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
	opened, err := gcm.Open(nil, nonce, sealed, nil)
	fmt.Println("Open", opened, err)
	out := make([]byte, len(data))
	cipher.NewCTR(block, data[:16]).XORKeyStream(out, data)
	print("CTR", out)
	cipher.NewCBCEncrypter(block, data[:16]).CryptBlocks(out, data)
	print("CBCEncrypt", out)
	cipher.NewCBCDecrypter(block, data[:16]).CryptBlocks(out, data)
	print("CBCDecrypt", out)
	kdf, aead := hpke.HKDFSHA256(), hpke.ChaCha20Poly1305()
	private, _ := ecdh.X25519().GenerateKey(rand.Reader)
	key, _ := hpke.NewDHKEMPrivateKey(private)
	sealed, _ = hpke.Seal(key.PublicKey(), kdf, aead, nil, data)
	opened, err = hpke.Open(key, kdf, aead, nil, sealed)
	fmt.Println("ChaCha20-Poly1305", len(opened), err)
}
`,
}

// TestGoStdTaken: the functions of this module are those that run. In a copy of the module each
// has another result if ALTER names it, and only what calls it prints something else then.
func TestGoStdTaken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("XDG_CACHE_HOME has no effect")
	}
	c := newStdTest(t, stdFunctions)
	module := t.TempDir()
	if err := copyTree(module, "../../../..", notForBuilds); err != nil {
		t.Fatal(err)
	}
	alter := func(dir, name, parameters, arguments string) {
		definition, found := "\nfunc "+name+"(row ", 0
		for _, file := range []string{"dispatch.go", "switch_all.go", "switch_" + runtime.GOARCH + ".go"} {
			file = filepath.Join(module, dir, file)
			text, err := os.ReadFile(file)
			if n := strings.Count(string(text), definition); err == nil && n > 0 {
				found += n
				clitest.Write(t, file, []byte(strings.Replace(string(text), definition, "\nfunc original"+name+"(row ", 1)))
			}
		}
		if found != 1 {
			t.Fatalf("%s defines %s %d times", dir, name, found)
		}
		original := "original" + name + "(row, " + arguments + ")"
		clitest.Write(t, filepath.Join(module, dir, "altered_"+name+".go"), []byte("package "+filepath.Base(dir)+`

import "syscall"

var altered`+name+`, _ = syscall.Getenv("ALTER")

func `+name+"(row uint8, "+parameters+") {\n\t"+original+`
	if altered`+name+` == "`+name+`" || altered`+name+` == "all" {
		dst[0] ^= 1
	}
}
`))
	}
	aes, chacha := filepath.Join("internal", "aescore"), filepath.Join("internal", "chachapoly")
	for _, name := range []string{"EncryptBlock", "DecryptBlock"} {
		alter(aes, name, "k *Keys, dst, src []byte", "k, dst, src")
	}
	for _, name := range []string{"CBCEncrypt", "CBCDecrypt"} {
		alter(aes, name, "k *Keys, iv *[BlockSize]byte, dst, src []byte", "k, iv, dst, src")
	}
	for _, name := range []string{"Seal", "Open"} {
		alter(aes, name, "k *Keys, m *ghash.Message, dst, src []byte", "k, m, dst, src")
		file := filepath.Join(module, aes, "altered_"+name+".go")
		clitest.Write(t, file, []byte(strings.Replace(string(clitest.Read(t, file)), `import "syscall"`, "import (\n\t\"syscall\"\n\n\t\"github.com/cipherlane/cipherlane/internal/ghash\"\n)", 1)))
	}
	alter(aes, "CTR", "k *Keys, counter *[BlockSize]byte, dst, src []byte, rest *[BlockSize]byte", "k, counter, dst, src, rest")
	alter(chacha, "Seal", "dst, src, ad []byte, key *[8]uint32, nonce *[3]uint32", "dst, src, ad, key, nonce")

	theirs, file := filepath.Join(t.TempDir(), "theirs"), filepath.Join(t.TempDir(), "ours")
	goCommand(t, c.Dir, nil, "build", "-o", theirs, ".")
	plain := strings.Split(clitest.Call{Name: theirs, Dir: c.Dir}.RunProgram(t), "\n")
	c.Env = append(c.Env, "CIPHERLANE_SOURCE="+module)
	c.std(t, "build", "-o", file, ".")
	if o := c.std(t, "list", "-deps", "."); !strings.Contains(o.Stdout, "\ncrypto/cipherlane/chacha20poly1305\nvendor/golang.org/x/crypto/chacha20poly1305\n") {
		t.Errorf("ChaCha20-Poly1305 of crypto/tls: %s", o.Stdout)
	}
	for _, test := range []struct{ environment, altered, want string }{
		{"", "", ""},
		{"", "CTR", "CTR"},
		{"", "CBCEncrypt", "CBCEncrypt"},
		{"", "CBCDecrypt", "CBCDecrypt"},
		{"", "Open", "Open"},
		{"", "Seal", "Seal ChaCha20-Poly1305"},
		{"CIPHERLANE=-aes", "EncryptBlock", "EncryptBlock Seal Open"}, // with AES-NI, single blocks are Go's
		{"CIPHERLANE=-aes", "DecryptBlock", "DecryptBlock"},
		{"CIPHERLANE=-aes", "CTR", "CTR"},
		{"GODEBUG=fips140=on", "all", "ChaCha20-Poly1305"},
	} {
		ours := clitest.Call{Name: file, Dir: c.Dir, Env: []string{"ALTER=" + test.altered, test.environment}}
		var differ []string
		for i, line := range strings.Split(ours.RunProgram(t), "\n") {
			if i >= len(plain) || line != plain[i] {
				name, _, _ := strings.Cut(line, " ")
				differ = append(differ, name)
			}
		}
		if got := strings.Join(differ, " "); got != test.want {
			t.Errorf("%s: altered %q, printed something else: %q, want %q", test.environment, test.altered, got, test.want)
		}
	}
}

func TestGoStdRefuses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("XDG_CACHE_HOME has no effect")
	}
	c := newStdTest(t, stdProgram)
	c.std(t, "list", ".")
	copies, err := filepath.Glob(filepath.Join(strings.TrimPrefix(c.Env[len(c.Env)-2], "XDG_CACHE_HOME="), "cipherlane", "goroot", "*"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("%q, %v", copies, err)
	}

	// A Go installation that was changed: a copy, of all things.
	changed := c
	changed.Env = append(slices.Clone(c.Env), "GOROOT="+copies[0])
	changed.refuses(t, 3, "differs from that of "+runtime.Version()+" as released", "--std", "list", ".")

	// A copy that was changed.
	file := filepath.Join(copies[0], "src/crypto/internal/fips140/aes/ctr.go")
	if err := os.WriteFile(file, []byte("package aes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.refuses(t, 1, "ctr.go: differs from what was written there", "--std", "list", ".")

	full := c
	full.Env = append(slices.Clone(c.Env), "XDG_CACHE_HOME=/dev/full")
	full.refuses(t, 1, "XDG_CACHE_HOME can name another directory", "--std", "list", ".")
}

var stdWays = flag.Bool("std-ways", false, "build a program with --std in all ways; each compiles the standard library anew, which takes minutes with an empty cache")

// TestGoStdWays builds a program in all ways in which people do. The step std of CI runs it.
func TestGoStdWays(t *testing.T) {
	if !*stdWays || runtime.GOOS == "windows" {
		t.Skip("only with -std-ways")
	}
	files := maps.Clone(goProgram)
	files["std/main.go"], files["std/main_test.go"] = stdProgram["main.go"], stdProgram["main_test.go"]
	files["c/main.go"] = strings.Replace(stdProgram["main.go"], "func main() {", "func main() {\n\tC.three()\n", 1)
	files["c/main.go"] = strings.Replace(files["c/main.go"], "import (", "// int three(void) { return 3; }\nimport \"C\"\n\nimport (", 1)
	c := newStdTest(t, files)
	want := goCommand(t, c.Dir, nil, "run", "./std")
	variant := func(env ...string) goTest {
		w := c
		w.Env = append(slices.Clone(c.Env), env...)
		return w
	}
	prints := func(w goTest, args ...string) {
		t.Helper()
		if o := w.std(t, args...); !strings.Contains(o.Stdout, want) {
			t.Errorf("%q: printed %s, want %s: %s", args, o.Stdout, want, o.Stderr)
		}
	}
	prints(c, "run", "-trimpath", "./std")
	prints(c, "test", "-v", "-count=1", "./std")
	prints(c, "test", "-v", "-count=1", "-cover", "./std")
	if _, err := exec.LookPath("gcc"); err == nil {
		prints(variant("CGO_ENABLED=1"), "run", "./c")
		prints(variant("CGO_ENABLED=1"), "test", "-v", "-count=1", "-race", "./std")
	}
	prints(variant("GOFLAGS=-tags=x -trimpath -mod=mod"), "run", "./std")

	// With a vendor directory, which is used if nothing else is replaced.
	goCommand(t, c.Dir, nil, "mod", "vendor")
	prints(variant("GOFLAGS=-mod=vendor"), "run", "./std")
	if o := c.Run(t, "go", "--std", "--except", "golang.org/x/crypto", "run", "."); o.Stdout != goTheirs || !strings.Contains(o.Stderr, "nothing else is replaced") {
		t.Errorf("exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}

	// In a workspace, where modules are replaced as well, by what is in the standard library.
	clitest.Write(t, filepath.Join(c.Dir, "go.work"), []byte("go 1.26.0\n\nuse .\n"))
	if o := c.std(t, "run", "."); o.Stdout != strings.ReplaceAll(goOurs, cipherlanePath, "crypto/cipherlane") {
		t.Errorf("exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}

	// A cache that others made, where nothing can be written.
	if os.Geteuid() != 0 {
		cache := strings.TrimPrefix(c.Env[len(c.Env)-2], "XDG_CACHE_HOME=")
		for _, dir := range []string{"", "cipherlane", "cipherlane/goroot"} {
			if err := os.Chmod(filepath.Join(cache, dir), 0o500); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(filepath.Join(cache, dir), 0o700)
		}
		prints(c, "run", "./std")
	}
}

func TestUntestedGo(t *testing.T) {
	s := goStd{root: t.TempDir(), release: "go1.99.0"}
	err := s.untested(os.ErrNotExist)
	if err != os.ErrNotExist {
		t.Error(err)
	}
}

// TestGoChecked: that "go check" was successful counts for this source of cipherlane only, and
// for this Go.
func TestGoChecked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("XDG_CACHE_HOME has no effect")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	q := goQuery{ctx: t.Context(), path: clitest.Tool(t, "go")}
	root := strings.TrimSpace(goCommand(t, "", nil, "env", "GOROOT"))
	note := ""
	accept := func(release, source string) (*goStd, error) {
		s := &goStd{root: root, release: release}
		note = ""
		return s, s.accept(q, source, func(format string, args ...any) { note += fmt.Sprintf(format, args...) })
	}
	if _, err := accept(runtime.Version(), "../../../.."); err != nil || note != "" {
		t.Errorf("a tested release: %v, %s", err, note)
	}
	s, err := accept("go1.99.0", "../../../..")
	if err == nil || !strings.Contains(err.Error(), "not with go1.99.0") {
		t.Fatalf("an untested release: %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(s.passed()), 0o700); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, s.passed(), nil)
	if _, err := accept("go1.99.0", "../../../.."); err != nil || !strings.HasPrefix(note, "go1.99.0: \"cipherlane go check\" was successful on ") {
		t.Errorf("a release that passed: %v, %s", err, note)
	}
	if _, err := accept("go1.99.1", "../../../.."); err == nil {
		t.Error("another release passed as well")
	}
	other := t.TempDir()
	if err := copyTree(other, "../../../..", notForBuilds); err != nil {
		t.Fatal(err)
	}
	if _, err := accept("go1.99.0", other); err != nil {
		t.Errorf("the same source elsewhere: %v", err)
	}
	file := filepath.Join(other, "internal/aescore/dispatch.go")
	clitest.Write(t, file, append(clitest.Read(t, file), "\n// changed\n"...))
	if _, err := accept("go1.99.0", other); err == nil || !strings.Contains(err.Error(), "not with go1.99.0") {
		t.Errorf("another source passed as well: %v", err)
	}
}

func TestTagged(t *testing.T) {
	s := goStd{copy: &goroot.Copy{Version: "v1.2.3"}}
	for _, c := range []struct{ flags, args, want string }{
		{"", "build|.", "build|-tags=TAG|."},
		{"", "build", "build|-tags=TAG"},
		{"", "build|-C|/x|.", "build|-C|/x|-tags=TAG|."},
		{"", "build|--C=/x|.", "build|--C=/x|-tags=TAG|."},
		{"", "build|-C", "build|-tags=TAG|-C"},
		{"", "build|-Count|.", "build|-tags=TAG|-Count|."},
		{"", "test|-v|-tags|a|-run|X|.", "test|-v|-tags|a,TAG|-run|X|."},
		{"", "build|-tags=a,b|-tags|c|.", "build|-tags=a,b|-tags|c,TAG|."},
		{"", "build|-tags|c|--tags=|.", "build|-tags|c|-tags=TAG|."},
		{"-tags=y", "build|-tags=|.", "build|-tags=TAG|."},
		{"", "build|-tags|a b|.", "build|-tags|a b TAG|."},
		{"", "build|-tags='a' \"b\"|.", "build|-tags='a' \"b\" TAG|."},
		{"", "build|-tags|-tags=a|.", "build|-tags|-tags=a,TAG|."},
		{"-v -tags=y,z", "build|.", "build|-tags=y,z,TAG|."},
		{"-tags=x --tags=y,z -v", "build|.", "build|-tags=y,z,TAG|."},
		{"'-tags=y z' -v", "build|.", "build|-tags=y z TAG|."},
		{"\"--tags='y' z\"", "build|.", "build|-tags='y' z TAG|."},
		{"'-ldflags=-X a.b=c -tags=n'", "build|.", "build|-tags=TAG|."},
		{"-v -tags=y,z", "build|-tags=a|.", "build|-tags=a,TAG|."},

		// Arguments after the packages.
		{"", "run|.|-tags|a", "run|-tags=TAG|.|-tags|a"},
		{"", "run|-race|.|-tags=a", "run|-tags=TAG|-race|.|-tags=a"},
		{"", "run|-exec|-tags|.|-tags=a", "run|-tags=TAG|-exec|-tags|.|-tags=a"},
		{"", "run|--|.|-tags=a", "run|-tags=TAG|--|.|-tags=a"},
		{"", "run|.|--|-tags=a", "run|-tags=TAG|.|--|-tags=a"},
		{"", "run|-unknown|.|-tags|a", "run|-tags=TAG|-unknown|.|-tags|a"},
		{"", "build|-ldflags|-tags=a|.", "build|-tags=TAG|-ldflags|-tags=a|."},
		{"", "build|-o|-tags|.", "build|-tags=TAG|-o|-tags|."},
		{"", "vet|-printf=false|-tags|a|.", "vet|-tags=TAG|-printf=false|-tags|a|."},
		{"", "test|.|-args|-tags|a", "test|-tags=TAG|.|-args|-tags|a"},
		{"", "test|.|--|-tags|a", "test|-tags=TAG|.|--|-tags|a"},
		{"", "test|.|-tags|a", "test|.|-tags|a,TAG"},
		{"", "test|--tags=a,b|.|-tags=c", "test|--tags=a,b|.|-tags=c,TAG"},
		{"", "test|.|-mine|value|-tags|a", "test|.|-mine|value|-tags|a,TAG"},
		{"", "test|.|-mine|value|more|-tags|a", "test|-tags=TAG|.|-mine|value|more|-tags|a"},
		{"", "test|.|-v|more|-tags|a", "test|-tags=TAG|.|-v|more|-tags|a"},
		{"", "test|-run|-tags|.|-test.v|-test.count|2|-tags=x", "test|-run|-tags|.|-test.v|-test.count|2|-tags=x,TAG"},
		{"", "list|-json|-f|-tags|-deps|-tags|x|.", "list|-json|-f|-tags|-deps|-tags|x,TAG|."},
	} {
		s.flags = c.flags
		args := strings.Split(c.args, "|")
		call, err := parseGo(args)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(strings.Join(s.tagged(args, call), "|"), "cipherlane.v1.2.3", "TAG")
		if got != c.want {
			t.Errorf("GOFLAGS=%q, %q: got %q, want %q", c.flags, c.args, got, c.want)
		}
	}
}

func TestDescribeReplaced(t *testing.T) {
	info := "\tpath\tx\n\tmod\tx\t(devel)\t\n" +
		"\tdep\tgithub.com/cipherlane/cipherlane\tv0.1.0\th1:x=\n" +
		"\tdep\tgolang.org/x/crypto\tv0.58.0\n\t=>\t./cipherlane-go/ChaCha20+ChaCha20-Poly1305/golang.org/x/crypto\t(devel)\t\n" +
		"\tdep\tgolang.org/x/sys\tv0.49.0\th1:y=\n\tbuild\t-tags=a,cipherlane.v0.1.0\n\tbuild\tGOARCH="
	want := "  github.com/cipherlane/cipherlane v0.1.0\n  golang.org/x/crypto v0.58.0: ChaCha20 and ChaCha20-Poly1305 of cipherlane\n  standard library: "
	for _, c := range []struct{ arch, mark, want string }{
		{"amd64", "v0.1.0", "AES and ChaCha20-Poly1305 of cipherlane v0.1.0\n"},
		{"arm64", "devel_0123456789ab", "AES and ChaCha20-Poly1305 of cipherlane devel 0123456789ab\n"},
		{"ppc64le", "v0.1.0", "ChaCha20-Poly1305 of cipherlane v0.1.0\n"},
		{"s390x", "v0.1.0", "ChaCha20-Poly1305 of cipherlane v0.1.0\n"},
		{"amd64", "", "Go's own, although there is the build tag cipherlane.v0.1.0: the program does not use what that replaces\n"},
	} {
		if got := describeReplaced(info+c.arch+"\n", c.mark); got != want+c.want {
			t.Errorf("%s, mark %q: got %q, want %q", c.arch, c.mark, got, want+c.want)
		}
	}
	if got := describeReplaced("\tbuild\tGOARCH=amd64\n", ""); got != "  standard library: Go's own\n" {
		t.Errorf("got %q", got)
	}
}

// What the copy sends is compared, and a difference named.
func TestCompareHello(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script")
	}
	for script, want := range map[string]string{
		`echo "client default: 16" >"$CIPHERLANE_HELLO"`:                                              "",
		`echo "client default: $GOROOT" >"$CIPHERLANE_HELLO"`:                                         "crypto/tls does not send what that of Go sends: client default",
		`[ "$GOROOT" = copy ] || echo server: >"$CIPHERLANE_HELLO"; echo more: >>"$CIPHERLANE_HELLO"`: "sends: server",
		`echo broken >&2; exit 1`:                                                                     "broken",
	} {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "bin"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "bin", "go"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		s := &goStd{root: root, release: "go1.99", copy: &goroot.Copy{Dir: "copy"}}
		err := s.compareHello(goQuery{ctx: t.Context()})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
	}
}
