// Package goroot makes Go installations in whose standard library AES and
// ChaCha20-Poly1305 are cipherlane's. They consist of links to an installation as it came, which
// it does not change, and of copies of the few directories in which something differs. The go
// command's -overlay would not do: it cannot add packages that have assembly.
//
// In _src are hooks, and substitutes for what programs with these packages must not do: read files,
// profiles and the names of drivers. Blocks and GCM objects have no pointers, and nothing moves to
// the heap that did not before.
package goroot

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// An edit changes text of the standard library that must be there exactly once. Most give a
// definition another name, and a file of ours beside it has one with the old name.
type edit struct{ file, old, new string }

const fips = "src/crypto/internal/fips140/aes/"

var edits = []edit{
	{fips + "aes_asm.go", "\ntype block struct {", "\ntype blockStd struct {"},
	{fips + "aes_asm.go", "\nfunc newBlock(", "\nfunc newBlockStd("},
	{fips + "aes_asm.go", "\nfunc encryptBlock(", "\nfunc encryptBlockStd("},
	{fips + "aes_asm.go", "\nfunc decryptBlock(", "\nfunc decryptBlockStd("},
	{fips + "aes_noasm.go", "\ntype block struct {", "\ntype blockStd struct {"},
	{fips + "aes_noasm.go", "\nfunc newBlock(", "\nfunc newBlockStd("},
	{fips + "aes_noasm.go", "\nfunc encryptBlock(", "\nfunc encryptBlockStd("},
	{fips + "aes_noasm.go", "\nfunc decryptBlock(", "\nfunc decryptBlockStd("},
	{fips + "cbc_noasm.go", "\nfunc cryptBlocksEnc(", "\nfunc cryptBlocksEncStd("},
	{fips + "cbc_noasm.go", "\nfunc cryptBlocksDec(", "\nfunc cryptBlocksDecStd("},
	{fips + "ctr.go", "\n\tfor len(src) >= 8*BlockSize {", "\n\tif len(src) >= ctrFrom && useCipherlane {\n\t\tctrBulk(c, dst, src, ivlo, ivhi)\n\t\treturn\n\t}\n\tfor len(src) >= 8*BlockSize {"},
	{fips + "gcm/gcm_asm.go", "\ntype gcmPlatformData struct {", "\ntype gcmPlatformDataStd struct {"},
	{fips + "gcm/gcm_asm.go", "\nfunc initGCM(", "\nfunc initGCMStd("},
	{fips + "gcm/gcm_asm.go", "\nfunc seal(", "\nfunc sealStd("},
	{fips + "gcm/gcm_asm.go", "\nfunc open(", "\nfunc openStd("},
	{fips + "gcm/gcm_noasm.go", "\ntype gcmPlatformData struct{", "\ntype gcmPlatformDataStd struct{"},
	{fips + "gcm/gcm_noasm.go", "\nfunc initGCM(", "\nfunc initGCMStd("},
	{fips + "gcm/gcm_noasm.go", "\nfunc seal(", "\nfunc sealStd("},
	{fips + "gcm/gcm_noasm.go", "\nfunc open(", "\nfunc openStd("},
}

// vendored is where the standard library has the packages of golang.org/x/crypto that are
// replaced as a whole.
const vendored = "src/vendor/golang.org/x/crypto/"

// copied is a directory that is copied with all below it, because tests of Go walk it, and
// do not follow links.
const copied = "src/crypto/internal/fips140"

// The files that are laid into a copy as they are, in the places where they are there.
//
//go:embed all:_src
var ours embed.FS

// Module is the path of the module that the kernels come from.
const Module = "github.com/cipherlane/cipherlane"

// roots are the packages of the module that those in _src and the vendored ones call.
var roots = []string{"internal/aescore", "internal/drivers", "chacha20", "chacha20poly1305"}

// take reports whether a file of the module is taken. The others have a substitute in _src, or are
// about files, which programs with these packages do not read.
func take(dir, name string) bool {
	switch dir {
	case "internal/aescore": // that is crypto/aes, which keeps its own AES there
		return !strings.HasSuffix(name, "_ppc64le.go")
	case "driver":
		return name == "driver.go"
	case "internal/drivers":
		return name == "drivers.go" || name == "table.go"
	case "internal/pkix": // no encryption with a passphrase
		return name == "der.go" || name == "info.go"
	case "sm2":
		return name != "encrypted.go"
	case "internal/cpu":
		return name != "model.go" && !strings.HasPrefix(name, "brand_") && !strings.HasPrefix(name, "cpuinfo_")
	}
	return true
}

// public is where the packages are that the vendored ones call. They are not internal, so that
// a replaced golang.org/x/crypto can call them as well: with the module's packages, a program
// would have these kernels twice.
const public = "crypto/cipherlane/"

// place returns the import path that a package of the module has in the standard library.
// Two rules of the go command decide: crypto/internal/fips140 may import of internal packages
// only those below crypto/internal, and the vendored packages none of these.
func place(dir string) string {
	if rest, ok := strings.CutPrefix(dir, "internal/aescore"); ok {
		return "crypto/internal/cipherlane/aescore" + rest
	}
	if rest, ok := strings.CutPrefix(dir, "internal/"); ok || dir == "driver" {
		return "internal/cipherlane/" + rest
	}
	return public + dir
}

// Calls returns a file that calls packages of the module, so that it calls those in the standard
// library.
func Calls(text string) string {
	text, _ = rename(text)
	return text
}

// A tree is an installation, or a part of one, by paths with slashes relative to its root.
type tree map[string]entry

// An entry is a file, or a link to a file or directory.
type entry struct {
	text []byte
	link string
}

// A Source is what a copy is made from.
type Source struct {
	Root    string            // of the Go installation
	Module  string            // the directory with the module's source
	Version string            // of that, or "" if it is no release
	Crypto  map[string]string // the files that replace packages of golang.org/x/crypto, by package
	SM      bool              // whether crypto/tls and crypto/x509 know SM2, SM3 and SM4
}

// read returns the text of a file of the installation.
func (s Source) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(name)))
}

// tree returns the installation that is to be made, but for its mark.
func (s Source) tree() (tree, error) {
	changed, list := tree{}, edits
	if s.SM {
		list = slices.Concat(edits, smEdits)
	}
	for _, e := range list {
		text := changed[e.file].text
		if text == nil {
			var err error
			if text, err = s.read(e.file); err != nil {
				return nil, err
			}
		}
		if n := bytes.Count(text, []byte(e.old)); n != 1 {
			return nil, fmt.Errorf("%s: %q is there %d times, want once", e.file, strings.TrimSpace(e.old), n)
		}
		changed[e.file] = entry{text: bytes.Replace(text, []byte(e.old), []byte(e.new), 1)}
	}
	if err := s.module(changed); err != nil {
		return nil, err
	}
	if err := changed.lay(ours, "_src"); err != nil {
		return nil, err
	}
	if s.SM {
		if err := changed.lay(oursSM, "_sm"); err != nil {
			return nil, err
		}
	}
	for name, text := range s.Crypto {
		changed[vendored+name+"/cipherlane.go"] = entry{text: []byte(Calls(text))}
	}
	return s.complete(changed)
}

// lay adds the files of ours below a directory.
func (t tree) lay(files embed.FS, top string) error {
	return fs.WalkDir(files, top, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var text []byte
			text, err = files.ReadFile(name)
			t["src"+strings.TrimPrefix(name, top)] = entry{text: text}
		}
		return err
	})
}

// complete adds everything that does not change.
func (s Source) complete(changed tree) (tree, error) {
	dirs := map[string]bool{}
	for name := range changed {
		for dir := path.Dir(name); !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true // at last "."
		}
	}
	all := maps.Clone(changed)
	var add func(dir string) error
	add = func(dir string) error {
		entries, err := os.ReadDir(filepath.Join(s.Root, filepath.FromSlash(dir)))
		if errors.Is(err, fs.ErrNotExist) { // a directory of ours
			return nil
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			_, isChanged := changed[name]
			switch {
			case isChanged || s.Crypto[strings.TrimPrefix(dir, vendored)] != "":
			case e.IsDir() && (dirs[name] || strings.HasPrefix(name, copied)):
				if err := add(name); err != nil {
					return err
				}
			case e.IsDir() || e.Type()&fs.ModeSymlink != 0:
				all[name] = entry{link: filepath.Join(s.Root, filepath.FromSlash(name))}
			default:
				text, err := s.read(name)
				if err != nil {
					return err
				}
				all[name] = entry{text: text}
			}
		}
		return err
	}
	return all, add(".")
}

// module adds the packages of the module.
func (s Source) module(t tree) error {
	todo, done := slices.Clone(roots), map[string]bool{}
	if s.SM {
		todo = append(todo, smRoots...)
	}
	for len(todo) > 0 {
		dir := todo[0]
		todo = todo[1:]
		if done[dir] {
			continue
		}
		done[dir] = true
		entries, err := os.ReadDir(filepath.Join(s.Module, filepath.FromSlash(dir)))
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := e.Name()
			ext := path.Ext(name)
			if !e.Type().IsRegular() || strings.HasSuffix(name, "_test.go") || ext != ".go" && ext != ".s" && ext != ".h" || !take(dir, name) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(s.Module, filepath.FromSlash(dir), name))
			if err != nil {
				return err
			}
			changed, imports := rename(string(text))
			todo = append(todo, imports...)
			t["src/"+place(dir)+"/"+name] = entry{text: []byte(changed)}
		}
	}
	return nil
}

// rename changes the import paths in a file of the module, and returns the packages of the module
// that it imports.
func rename(text string) (changed string, imports []string) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `"`+Module+"/")
		b.WriteString(before)
		if !found {
			return strings.ReplaceAll(b.String(), `"golang.org/x/sys/unix"`, `"internal/cipherlane/unix"`), imports
		}
		dir, rest, _ := strings.Cut(after, `"`)
		b.WriteString(`"` + place(dir) + `"`)
		imports = append(imports, dir)
		text = rest
	}
}

// sum returns a hash of a tree. Links are hashed without the directory that they begin with.
func (t tree) sum(root string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(h, "%q %x %q\n", name, sha256.Sum256(t[name].text), strings.TrimPrefix(t[name].link, root))
	}
	return hex.EncodeToString(h.Sum(nil))
}
