package repotest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// light are the packages of the standard library that every package may import, because
// they are small or every program that imports crypto/cipher has them anyway. Package fips
// asks crypto/rc4 for the mode before Go 1.26.
var light = []string{
	"bytes", "cmp", "crypto", "crypto/cipher", "crypto/fips140", "crypto/rc4", "crypto/subtle", "encoding", "encoding/binary", "errors", "hash", "io", "io/fs", "iter",
	"maps", "math", "math/bits", "os", "path", "runtime", "slices", "strconv", "strings", "sync", "sync/atomic", "syscall", "unicode", "unicode/utf16", "unicode/utf8", "unsafe",
}

// heavy are the other packages of the standard library that the public packages have, with
// what they import from this module, on any architecture. Each makes a program larger that
// has no use for it: package fmt by 170 kB, time by 80 kB. A program has only those
// functions that it may call, so to import a package costs little: package hidden needs
// fmt.State for a method that only fmt calls, and what reads random bytes is not in a
// program that brings its own. The limits of ci/sizes are for what is linked.
var heavy = map[string][]string{
	"aes":              {"crypto/aes", "crypto/rand", "fmt"}, // on ppc64le; for random nonces
	"chacha20":         {"fmt"},
	"chacha20poly1305": {"fmt"},
	"chunked":          {"crypto/aes", "crypto/hkdf", "crypto/rand", "crypto/sha256", "crypto/sha512", "fmt", "time"},
	"driver":           {},
	"frodokem":         {"crypto/aes", "crypto/des", "crypto/pbkdf2", "crypto/rand", "crypto/sha1", "crypto/sha256", "crypto/sha512", "fmt", "time"}, // time: for certificates,
	"kcapi":            {"bufio", "compress/gzip", "crypto/rand", "fmt", "reflect", "time"},
	"linux":            {"bufio", "compress/gzip", "context", "crypto/aes", "crypto/rand", "encoding/hex", "fmt", "reflect", "time", "weak"},
	"sm2":              {"crypto/aes", "crypto/des", "crypto/pbkdf2", "crypto/rand", "crypto/sha1", "crypto/sha256", "crypto/sha512", "fmt", "time"},
	"sm3":              {"fmt"},
	"sm4":              {"crypto/rand", "fmt"},
}

func TestStandardLibrary(t *testing.T) {
	imports := map[string][]string{} // by folder
	for _, name := range files(t, ".go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), "../../"+name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			imports[path.Dir(name)] = append(imports[path.Dir(name)], strings.Trim(spec.Path.Value, `"`))
		}
	}
	for _, pkg := range publicPackages(t) {
		found := map[string]bool{}
		seen := map[string]bool{}
		var visit func(dir string)
		visit = func(dir string) {
			if seen[dir] {
				return
			}
			seen[dir] = true
			for _, p := range imports[dir] {
				if own, ok := strings.CutPrefix(p, module+"/"); ok {
					visit(own)
				} else if !strings.Contains(p, ".") && !slices.Contains(light, p) {
					found[p] = true
				}
			}
		}
		visit(pkg)
		want, listed := heavy[pkg]
		if got := slices.Sorted(maps.Keys(found)); !listed || !slices.Equal(got, want) {
			t.Errorf("%s imports %q from the standard library, want %q", pkg, got, want)
		}
	}
	// State, and nothing that prints.
	if text := read(t, "internal/hidden/hidden.go"); strings.Count(text, "fmt.") != strings.Count(text, "fmt.State") {
		t.Error("internal/hidden uses more of package fmt than State")
	}
}

// publicPackages returns the folders of packages that programs can import.
func publicPackages(t *testing.T) (list []string) {
	t.Helper()
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		sources, err := fs.Glob(root, e.Name()+"/*.go")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fs.Stat(root, e.Name()+"/go.mod"); err == nil {
			continue // another module
		}
		if len(sources) > 0 {
			list = append(list, e.Name())
		}
	}
	return list
}
