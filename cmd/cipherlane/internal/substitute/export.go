package substitute

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// export writes a copy of the program that plain "go build" builds with what this command
// replaces: modules in the directory cipherlane, "replace" lines in go.mod, and a vendor
// directory. Equal programs have equal copies.
func (c *Command) export(ctx context.Context, p *cli.Program, path, dir string, chosen choice) (err error) {
	switch {
	case len(c.Args) != 2 || strings.HasPrefix(c.Args[1], "-"):
		return cli.Usagef("go export: want one argument, the directory to create; options go before \"export\"")
	case c.Std:
		return cli.Usagef("go export: --std and --sm change the Go installation, which is not part of a program")
	}
	to, err := filepath.Abs(filepath.Join(c.Dir, c.Args[1]))
	if filepath.IsAbs(c.Args[1]) {
		to = c.Args[1]
	}
	if err != nil {
		return err
	}
	if entries, e := os.ReadDir(to); e == nil && len(entries) > 0 || e != nil && !errors.Is(e, fs.ErrNotExist) {
		return fmt.Errorf("go export: %s: is not a new or empty directory", cli.Quote(to))
	}
	w, err := makeWorkspace(goQuery{ctx: ctx, path: path, dir: dir}, c.Source, chosen, false, p.Warn)
	if w != nil {
		defer os.RemoveAll(w.dir)
	}
	switch {
	case keptIn(err) != nil:
		kept := keptIn(err)
		for _, reason := range kept[1:] {
			p.Warn("%v", reason)
		}
		return kept[0]
	case err != nil:
		return err
	case w.goWork != "":
		return fmt.Errorf("go export: %s: a workspace cannot be exported; set GOWORK=off in the directory of one module", cli.Quote(w.goWork))
	}
	defer func() {
		if err != nil {
			os.RemoveAll(to)
		}
	}()
	top := w.members[0].Dir
	err = copyTree(to, top, func(name string, dir bool) bool {
		return dir && (filepath.Base(name) == ".git" || name == "vendor" || filepath.Join(top, name) == to)
	})
	if err != nil {
		return err
	}
	own := filepath.Join("cipherlane", filepath.FromSlash(cipherlanePath))
	if err := copyTree(filepath.Join(to, own), w.own.Dir, notForBuilds); err != nil {
		return err
	}
	edit := []string{"mod", "edit", "-require=" + cipherlanePath + "@" + w.own.Version, "-replace=" + cipherlanePath + "=./" + filepath.ToSlash(own)}
	var changes bytes.Buffer
	fmt.Fprintf(&changes, "Made by \"cipherlane go export\" from %s %s. What differs from the modules as released,\nwith the SHA-256 of each file:\n", cipherlanePath, w.own.Version)
	for _, t := range w.replaced {
		name := filepath.Join("cipherlane", filepath.FromSlash(t.path))
		if err := copyTree(filepath.Join(to, name), t.patched, nil); err != nil {
			return err
		}
		edit = append(edit, "-replace="+t.path+"=./"+filepath.ToSlash(name))
		fmt.Fprintf(&changes, "\n%s %s\n", t.path, t.module.Version)
		if err := listChanges(&changes, t.dir, t.patched); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(to, "cipherlane", "CHANGES"), changes.Bytes(), 0o666); err != nil {
		return err
	}
	q := goQuery{ctx: ctx, path: path, dir: to, env: []string{"GOWORK=off", "GOFLAGS=-mod=mod"}}
	for _, args := range [][]string{edit, {"mod", "tidy"}, {"mod", "vendor"}} {
		if _, err := q.run(args...); err != nil {
			return err
		}
	}
	p.Warn("%s: build it with \"go build\"; what was changed is in cipherlane/CHANGES", cli.Quote(to))
	if same, others := chosen.otherGOARCHs(w.dependencies); len(others) > 0 {
		sameFor := ""
		if len(same) > 0 {
			sameFor = " the same for " + sentence(same) + ";"
		}
		p.Warn("go export: made for GOARCH=%s;%s export again with GOARCH=… for %s, where other packages are replaced", chosen.goarch, sameFor, sentence(others))
	}
	return nil
}

// notForBuilds says what of the library's source no program needs.
func notForBuilds(name string, dir bool) bool {
	base := filepath.Base(name)
	if dir {
		return slices.Contains([]string{".git", ".ci", ".github", "_gen", "ci", "cmd", "dist", "docs", "examples", "peers", "testdata"}, base)
	}
	return strings.HasSuffix(base, "_test.go") || base == "go.work" || base == "go.work.sum"
}

// copyTree copies the files and directories below from that leave does not leave out.
func copyTree(to, from string, leave func(name string, dir bool) bool) error {
	return filepath.WalkDir(from, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		if name != "." && leave != nil && leave(name, e.IsDir()) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o777)
		}
		info, err := os.Stat(file) // what a link leads to
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o666|info.Mode().Perm()&0o111)
	})
}

// listChanges lists the files that differ between a module and its patched copy.
func listChanges(b *bytes.Buffer, original, patched string) error {
	before, err := fileSums(original)
	if err != nil {
		return err
	}
	after, err := fileSums(patched)
	if err != nil {
		return err
	}
	var lines []string
	for name, sum := range after {
		switch was, ok := before[name]; {
		case !ok:
			lines = append(lines, fmt.Sprintf("%s added   %x", name, sum))
		case was != sum:
			lines = append(lines, fmt.Sprintf("%s changed %x, before %x", name, sum, was))
		}
	}
	for name, sum := range before {
		if _, ok := after[name]; !ok {
			lines = append(lines, fmt.Sprintf("%s removed %x", name, sum))
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintf(b, "\t%s\n", line)
	}
	return nil
}

func fileSums(dir string) (map[string][sha256.Size]byte, error) {
	sums := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		sums[filepath.ToSlash(name)] = sha256.Sum256(text)
		return err
	})
	return sums, err
}
