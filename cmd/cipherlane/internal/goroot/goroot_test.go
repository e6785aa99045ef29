package goroot

import (
	"errors"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// source returns the Go installation of these tests and the module in this checkout.
func source(t *testing.T) Source {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("there is no go command: ", err)
	}
	module, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	return Source{Root: strings.TrimSpace(string(out)), Module: module, Crypto: map[string]string{
		"chacha20":         "package chacha20\n\nimport _ \"" + Module + "/chacha20\"\n",
		"chacha20poly1305": "package chacha20poly1305\n\nimport _ \"" + Module + "/chacha20poly1305\"\n",
	}}
}

func makeIn(s Source, cache string) (dir string, err error) {
	c, err := s.Copy(cache)
	if err != nil {
		return "", err
	}
	return c.Dir, c.Make()
}

func mustMake(t *testing.T, s Source, cache string) string {
	t.Helper()
	dir, err := makeIn(s, cache)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// One that is made twice is the same, and what is in its way is not taken for it.
func TestMake(t *testing.T) {
	s, cache := source(t), filepath.Join(t.TempDir(), "a", "b")
	dir := mustMake(t, s, cache)
	if second := mustMake(t, s, cache); second != dir {
		t.Errorf("the second time: %s, before: %s", second, dir)
	}
	if other := mustMake(t, s, t.TempDir()); filepath.Base(other) != filepath.Base(dir) {
		t.Errorf("elsewhere: %s, here: %s", other, dir)
	}
	info, err := os.Stat(cache)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if names := entries(t, cache); len(names) != 1 {
		t.Errorf("left behind: %q", names)
	}
	for _, name := range []string{"src/crypto/internal/cipherlane/aescore/dispatch.go", "src/fmt/print.go", "bin", "pkg", "VERSION", "src/crypto/internal/fips140/sha3/sha3.go"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if names := entries(t, filepath.Join(dir, vendored, "chacha20")); !slices.Equal(names, []string{"cipherlane.go"}) {
		t.Errorf("%q", names)
	}
	err = filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || filepath.Ext(file) != ".go" {
			return err
		}
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(file, "cipherlane") && strings.Contains(string(text), `"`+Module) {
			t.Errorf("%s imports the module", file)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// Programs read no files and need no package that does.
func TestImports(t *testing.T) {
	tree, err := source(t).tree()
	if err != nil {
		t.Fatal(err)
	}
	forbidden := []string{"os", "fmt", "io/fs", "net", "encoding/json", "golang.org/x/sys/unix", "crypto/aes", "crypto/rand"}
	seen := 0
	for name, e := range tree {
		if !strings.Contains(name, "/cipherlane/") || filepath.Ext(name) != ".go" || strings.Contains(name, "internal/cipherlane/hidden/") {
			continue
		}
		seen++
		f, err := parser.ParseFile(token.NewFileSet(), name, e.text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			p := strings.Trim(i.Path.Value, `"`)
			if slices.Contains(forbidden, p) || !build.IsLocalImport(p) && strings.Contains(strings.Split(p, "/")[0], ".") && p != "golang.org/x/sys/cpu" {
				t.Errorf("%s imports %s", name, p)
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d files", seen)
	}
}

// With SM, everything that is edited is there, and nothing of it without.
func TestSM(t *testing.T) {
	s := source(t)
	plain, err := s.tree()
	if err != nil {
		t.Fatal(err)
	}
	s.SM = true
	sm, err := s.tree()
	if err != nil {
		t.Fatal(err)
	}
	if plain.sum("") == sm.sum("") {
		t.Error("one name for both")
	}
	for _, name := range []string{"src/crypto/tls/cipherlane.go", "src/crypto/x509/cipherlane.go", "src/crypto/cipherlane/sm2/std.go", "src/crypto/cipherlane/sm4/gcm.go", "src/crypto/cipherlane/sm3/sm3.go"} {
		if _, ok := plain[name]; ok || len(sm[name].text) == 0 {
			t.Error(name)
		}
	}
	for _, e := range smEdits {
		if !strings.Contains(string(sm[e.file].text), e.new) {
			t.Errorf("%s: %q is missing", e.file, e.new)
		}
	}
	if _, ok := sm["src/internal/cipherlane/pkix/pbes2.go"]; ok {
		t.Error("keys with passphrases")
	}
	if err := CheckSM(s.Root); err != nil && !errors.Is(err, ErrUntested) {
		t.Error(err)
	}
	if err := CheckSM(t.TempDir()); err == nil || errors.Is(err, ErrUntested) {
		t.Error(err)
	}
}

// Several that start at once end with the same one, whole.
func TestAtOnce(t *testing.T) {
	s, cache := source(t), t.TempDir()
	var wg sync.WaitGroup
	dirs := make([]string, 4)
	for i := range dirs {
		wg.Go(func() {
			var err error
			if dirs[i], err = makeIn(s, cache); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(slices.Compact(dirs)) != 1 {
		t.Errorf("%q", dirs)
	}
	if names := entries(t, cache); len(names) != 1 {
		t.Errorf("left behind: %q", names)
	}
}

// The remains of an interrupted run are not used.
func TestInterrupted(t *testing.T) {
	s, cache := source(t), t.TempDir()
	tree, err := s.tree()
	if err != nil {
		t.Fatal(err)
	}
	half := tree
	for name := range half {
		if len(half) < 100 {
			break
		}
		delete(half, name)
	}
	if err := half.write(filepath.Join(cache, "new-1")); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-48 * time.Hour)
	old := filepath.Join(cache, "new-0")
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(old, before, before); err != nil {
		t.Fatal(err)
	}
	dir := mustMake(t, s, cache)
	if got, want := entries(t, cache), []string{filepath.Base(dir), "new-1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTampered(t *testing.T) {
	s, cache := source(t), t.TempDir()
	dir := mustMake(t, s, cache)
	file := filepath.Join(dir, "src/crypto/internal/fips140/aes/cipherlane.go")
	linked := filepath.Join(dir, "src/fmt")
	for name, change := range map[string]func() (undo func()){
		"changed file": func() func() {
			text, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, append(text, '\n'), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return func() { os.WriteFile(file, text, 0o600) }
		},
		"new file": func() func() {
			if err := os.WriteFile(file+".go", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return func() { os.Remove(file + ".go") }
		},
		"missing file": func() func() {
			if err := os.Rename(file, filepath.Join(cache, "away")); err != nil {
				t.Fatal(err)
			}
			return func() { os.Rename(filepath.Join(cache, "away"), file) }
		},
		"file instead of a link": func() func() {
			if err := os.Remove(linked); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(linked, 0o700); err != nil {
				t.Fatal(err)
			}
			return func() { os.Remove(linked); os.Symlink(filepath.Join(s.Root, "src", "fmt"), linked) }
		},
		"other link": func() func() {
			os.Remove(linked)
			if err := os.Symlink(t.TempDir(), linked); err != nil {
				t.Skip(err)
			}
			return func() { os.Remove(linked); os.Symlink(filepath.Join(s.Root, "src", "fmt"), linked) }
		},
	} {
		undo := change()
		if _, err := makeIn(s, cache); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
		undo()
		mustMake(t, s, cache)
	}
}

// changed returns an installation like that of these tests, but for one file.
func changed(t *testing.T, s Source, name, old, new string) Source {
	t.Helper()
	root := t.TempDir()
	tree := tree{}
	for _, dir := range []string{"src/crypto/internal/fips140/aes", vendored + "chacha20", vendored + "chacha20poly1305"} {
		err := filepath.WalkDir(filepath.Join(s.Root, dir), func(file string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			rel, err := filepath.Rel(s.Root, file)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(file)
			if filepath.ToSlash(rel) == name {
				text = []byte(strings.ReplaceAll(string(text), old, new))
			}
			tree[filepath.ToSlash(rel)] = entry{text: text}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.write(root); err != nil {
		t.Fatal(err)
	}
	s.Root = root
	return s
}

func TestCheck(t *testing.T) {
	s := source(t)
	if err := Check(s.Root, runtime.Version()); err != nil {
		t.Errorf("%s: %v", runtime.Version(), err)
	}
	if err := Check(s.Root, "go1.99.0"); !errors.Is(err, ErrUntested) {
		t.Error(err)
	}
	// Changed in what is replaced: refused. If a definition is missing, nothing can be made.
	c := changed(t, s, fips+"ctr.go", "for len(src) >= 8*BlockSize {", "for len(src) > 8*BlockSize {")
	if err := Check(c.Root, runtime.Version()); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	if dir, err := makeIn(c, t.TempDir()); err == nil || !strings.Contains(err.Error(), "is there 0 times, want once") {
		t.Errorf("%s, %v", dir, err)
	}
}

func TestUnusableCache(t *testing.T) {
	s := source(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := makeIn(s, filepath.Join(file, "cache")); err == nil {
		t.Error("made in a file")
	}
	if _, err := makeIn(s, "/dev/full/cache"); err == nil {
		t.Error("made in a device")
	}
}

// Without links, everything is copied.
func TestCopies(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from")
	if err := (tree{"a": {text: []byte("1")}, "b/c": {text: []byte("2")}}).write(from); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if err := copyAll(filepath.Join(from, name), filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if !same(filepath.Join(from, "b"), filepath.Join(dir, "b")) || same(from, filepath.Join(dir, "b")) || same(filepath.Join(from, "a"), filepath.Join(dir, "b", "c")) {
		t.Error("compared wrongly")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "b", "c")); err != nil || string(text) != "2" {
		t.Errorf("%q, %v", text, err)
	}
}
