package substitute

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/goroot"
)

// substitutions are all modules in which this command replaces something.
var substitutions = []*substitution{&xcrypto, &gmsm, &tjfoc, &tailscale}

// A substitution replaces packages in a copy of a module by text that calls cipherlane.
type substitution struct {
	path     string // of the module
	versions []string
	packages []substitute
}

// A substitute replaces a package, or some of its definitions.
type substitute struct {
	dir        string
	algorithms []string // the algorithms; it is replaced if all of them are
	minVersion string   // older versions of the module need not have it
	source     string   // the directory in _src with its new file, cipherlane.go; "" if only the text must be known

	// tested has a packageSum for each text of the package for which the tests of the
	// module pass with the substitute, with the first version that has this text.
	tested map[string]string

	// tests are the tests of the package that stay; nil stands for all. The others are
	// tests of what is no longer there.
	tests []string

	// renames are beginnings of definitions, each of which is in the package exactly
	// once. Their names get the prefix original_, and all files stay. If there are
	// none, the new file is the only one.
	renames []string
}

// sources are the new files of packages. Each compiles only in its package: the tests that build
// programs with it are what checks it.
//
//go:embed all:_src
var sources embed.FS

// text returns the new file of a package.
func (p substitute) text() string {
	text, err := sources.ReadFile("_src/" + p.source + "/cipherlane.go")
	if err != nil {
		panic(err) // the table names it
	}
	return string(text)
}

// packageSum hashes the Go and assembly files of a package, without tests. The result is
// the SHA-256 of the list of their checksums, as sha256sum prints it.
func packageSum(dir string) (string, error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return "", err
	}
	list := sha256.New()
	for _, e := range entries {
		name := e.Name()
		if !isSource(name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(list, "%x  %s\n", sha256.Sum256(text), name)
	}
	return fmt.Sprintf("%x", list.Sum(nil)), nil
}

// isSource reports whether a file is a Go or assembly file and no test.
func isSource(name string) bool {
	return strings.HasSuffix(name, ".s") || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}

// samePackage reports whether a vendored package is the original one. "go mod vendor" omits
// files with the constraint ignore.
func samePackage(vendored, origin string) (bool, error) {
	files := map[string]bool{}
	for _, dir := range []string{vendored, origin} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			files[e.Name()] = isSource(e.Name())
		}
	}
	for name, source := range files {
		if !source {
			continue
		}
		theirs, err := os.ReadFile(filepath.Join(vendored, name))
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			return false, err
		}
		text, err := os.ReadFile(filepath.Join(origin, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if missing && strings.Contains("\n"+string(text), "\n//go:build ignore") {
			continue
		}
		if err != nil || missing || string(theirs) != string(text) {
			return false, nil
		}
	}
	return true, nil
}

// A dropIn is a module that a program depends on.
type dropIn struct {
	*substitution
	algorithms []string // that are replaced
	stay       []string // and those that are not, because of the table

	present []substitute // the packages that this version has, of these algorithms
	module  goModule     // as the go command describes it
	dir     string       // its files
	own     bool         // the user replaced it
	std     bool         // calls what is in the standard library
	patched string       // the directory that takes its place
}

// names returns the names of the packages that are replaced.
func (t *dropIn) names() string {
	var names []string
	for _, p := range t.present {
		if p.source != "" {
			names = append(names, p.dir)
		}
	}
	return sentence(names)
}

// picks reports whether a package is one of the algorithms that are replaced.
func (t *dropIn) picks(p substitute) bool {
	return !slices.ContainsFunc(p.algorithms, func(algorithm string) bool { return !slices.Contains(t.algorithms, algorithm) })
}

// locate finds the files of a module, which it downloads if necessary.
func (q goQuery) locate(t *dropIn, sums map[string]string) error {
	origin := t.module
	if origin.Replace != nil {
		origin, t.own = *origin.Replace, true
	}
	if origin.Version != "" {
		if err := q.json(&origin, "mod", "download", "-json", origin.Path+"@"+origin.Version); err != nil {
			return err
		}
		if want := sums[origin.Path+" "+origin.Version]; want != "" && want != origin.Sum {
			return fmt.Errorf("go: %s %s: checksum %s, but go.sum has %s", origin.Path, origin.Version, origin.Sum, want)
		}
	}
	t.dir = origin.Dir
	return nil
}

// examine returns an error unless cipherlane was tested as a replacement for the packages of
// this module. If the user changed them intentionally, it returns this as the reason why
// they stay as they are.
func (t *dropIn) examine(vendor string) (reason, err error) {
	for _, p := range t.packages {
		dir := filepath.Join(t.dir, p.dir)
		sum, err := packageSum(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, cli.WithFileName(t.path+" "+t.module.Version, err)
		}
		if err != nil && older(t.module.Version, p.minVersion) {
			continue
		}
		if t.picks(p) {
			t.present = append(t.present, p)
		}
		if p.tested[sum] == "" {
			short := "missing"
			if err == nil {
				short = sum[:12]
			}
			untested := fmt.Sprintf("go: %s %s: cipherlane was not tested as a replacement for its package %s (%s)", t.path, t.module.Version, p.dir, short)
			if t.own {
				return cli.AsUnavailable(fmt.Errorf("%s, which you replaced in go.mod or go.work: it stays as it is", untested)), nil
			}
			return nil, cli.AsUnavailable(fmt.Errorf("%s; run go get %s@%s, or leave it as it is with --except %[2]s; tested: %[4]s",
				untested, t.path, t.versions[len(t.versions)-1], strings.Join(t.versions, ", ")))
		}
		vendored := filepath.Join(vendor, t.path, p.dir)
		if _, err := os.Stat(vendored); vendor == "" || err != nil {
			continue
		}
		if same, err := samePackage(vendored, dir); err != nil {
			return nil, err
		} else if !same {
			return cli.AsUnavailable(fmt.Errorf("go: %s differs from the version in go.mod: it is not replaced", cli.Quote(vendored))), nil
		}
	}
	if !slices.ContainsFunc(t.present, func(p substitute) bool { return p.source != "" }) {
		return fmt.Errorf("go: %s %s has none of the packages: there is nothing to replace in it", t.path, t.module.Version), nil
	}
	return nil, nil
}

// copy makes a copy of the module in a workspace: with substitutes or, if it stays as it is,
// with the vendored packages, since the workspace does not use the vendor directory.
func (t *dropIn) copy(workspace, vendor string, replace bool) error {
	vendored := filepath.Join(vendor, t.path)
	if !replace {
		if _, err := os.Stat(vendored); vendor == "" || t.own || err != nil {
			return nil // the go command finds it
		}
	}
	t.patched = filepath.Join(workspace, patchedDir, filepath.FromSlash(t.path))
	if replace {
		t.patched = filepath.Join(workspace, patchedDir, strings.Join(t.algorithms, "+"), filepath.FromSlash(t.path))
	}
	if err := os.CopyFS(t.patched, os.DirFS(t.dir)); err != nil {
		return err
	}
	if !replace {
		return overwrite(t.patched, vendored)
	}
	for _, p := range t.present {
		if p.source == "" {
			continue
		}
		text := p.text()
		if t.std {
			text = goroot.Calls(text)
		}
		if err := p.apply(filepath.Join(t.patched, p.dir), text); err != nil {
			return cli.WithFileName(t.path+"/"+p.dir, err)
		}
	}
	return nil
}

// overwrite replaces the packages in a copy of a module by vendored ones.
func overwrite(module, vendored string) error {
	return filepath.WalkDir(vendored, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(vendored, path)
		if err != nil {
			return err
		}
		to := filepath.Join(module, name)
		if e.IsDir() {
			if err := os.MkdirAll(to, 0o777); err != nil {
				return err
			}
			return removeFiles(to, isSource)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o666)
	})
}

// removeFiles removes the files in a directory whose names are accepted.
func removeFiles(dir string, accept func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if err == nil && e.Type().IsRegular() && accept(e.Name()) {
			err = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	return err
}

// apply puts the substitute, with the text of its new file, into a copy of the package.
func (p substitute) apply(dir, text string) error {
	err := removeFiles(dir, func(name string) bool {
		if strings.HasSuffix(name, "_test.go") {
			return p.tests != nil && !slices.Contains(p.tests, name)
		}
		return p.renames == nil
	})
	if err == nil && p.renames != nil {
		err = p.rename(dir)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "cipherlane.go"), []byte(text), 0o666)
}

func (p substitute) rename(dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	found := map[string]int{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text := "\n" + strings.ReplaceAll(string(b), "\r\n", "\n")
		for _, definition := range p.renames {
			// For example "type T " and "func (x *T) Name(": the name is the last word.
			at := strings.LastIndexByte(strings.TrimRight(definition, " ("), ' ') + 1
			found[definition] += strings.Count(text, "\n"+definition)
			text = strings.ReplaceAll(text, "\n"+definition, "\n"+definition[:at]+"original_"+definition[at:])
		}
		if err := os.Chmod(name, 0o666); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text[1:]), 0o666); err != nil {
			return err
		}
	}
	for _, definition := range p.renames {
		if found[definition] != 1 {
			return fmt.Errorf("%q is there %d times", definition, found[definition])
		}
	}
	return nil
}
