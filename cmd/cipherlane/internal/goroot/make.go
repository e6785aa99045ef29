package goroot

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Copy is an installation that is in a directory, or will be.
type Copy struct {
	Dir     string // its name is a hash of everything in it
	Version string // of cipherlane; programs have a mark with it
	tree    tree
}

// Copy returns the copy that belongs in a directory of the user's. It makes nothing yet.
func (s Source) Copy(cache string) (*Copy, error) {
	t, err := s.tree()
	if err != nil {
		return nil, err
	}
	sum, version := t.sum(s.Root), s.Version // programs do not depend on where Go is
	if version == "" {
		version = "devel_" + sum[:12]
	}
	t[markFile] = entry{text: []byte(markText(version, sum, s.SM))}
	return &Copy{filepath.Join(cache, t.sum("")[:32]), version, t}, nil
}

// Make makes the copy if it is not there yet. All existing files are compared with what they should
// be.
func (c *Copy) Make() error {
	cache, dir, t := filepath.Dir(c.Dir), c.Dir, c.tree
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err == nil {
		return t.verify(dir)
	}
	removeStale(cache)
	// Others may be making the same one, or be interrupted: it appears whole or not at all.
	temporary, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := t.write(temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, dir); err != nil {
		if _, e := os.Lstat(dir); e != nil {
			return err
		}
	}
	return t.verify(dir)
}

// removeStale removes what those left that were interrupted more than a day ago.
func removeStale(cache string) {
	list, _ := filepath.Glob(filepath.Join(cache, "new-*"))
	for _, dir := range list {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(dir)
		}
	}
}

// write makes a tree in a directory.
func (t tree) write(dir string) error {
	made := map[string]bool{}
	for name, e := range t {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if parent := filepath.Dir(file); !made[parent] {
			if err := os.MkdirAll(parent, 0o700); err != nil {
				return err
			}
			made[parent] = true
		}
		if e.link != "" {
			if err := link(e.link, file); err != nil {
				return err
			}
		} else if err := os.WriteFile(file, e.text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// link makes a link, or a copy where there are none.
func link(target, file string) error {
	if err := os.Symlink(target, file); err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return copyAll(target, file)
}

// copyAll copies a file, or a directory with all that is in it.
func copyAll(target, file string) error {
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(file, os.DirFS(target))
	}
	text, err := os.ReadFile(target)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, info.Mode().Perm())
}

// verify returns an error unless a directory contains a tree and nothing else.
func (t tree) verify(dir string) error {
	found := 0
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && file == dir {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(file, dir+string(filepath.Separator)))
		want, ok := t[name]
		changed := fmt.Errorf("%s: differs from what was written there", file)
		switch {
		case !ok && e.IsDir() && t.isDir(name):
			return nil
		case !ok:
			return changed
		case want.link != "" && e.Type()&fs.ModeSymlink != 0:
			if target, err := os.Readlink(file); err != nil || target != want.link {
				return changed
			}
		case want.link != "": // a copy, where there are no links
			if !same(want.link, file) {
				return changed
			}
			found++
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		default:
			if text, err := os.ReadFile(file); err != nil || !e.Type().IsRegular() || !bytes.Equal(text, want.text) {
				return changed
			}
		}
		found++
		return nil
	})
	if err == nil && found != len(t) {
		err = fmt.Errorf("%s: files are missing", dir)
	}
	return err
}

// isDir reports whether a directory has something of the tree in it.
func (t tree) isDir(name string) bool {
	for file := range t {
		if strings.HasPrefix(file, name+"/") {
			return true
		}
	}
	return false
}

// same reports whether two files are equal, or two directories with all that is in them.
func same(a, b string) bool {
	info, err := os.Stat(a)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		x, errA := os.ReadFile(a)
		y, errB := os.ReadFile(b)
		return errA == nil && errB == nil && bytes.Equal(x, y)
	}
	x, errA := os.ReadDir(a)
	y, errB := os.ReadDir(b)
	if errA != nil || errB != nil || len(x) != len(y) {
		return false
	}
	for i, e := range x {
		if e.Name() != y[i].Name() || !same(filepath.Join(a, e.Name()), filepath.Join(b, e.Name())) {
			return false
		}
	}
	return true
}
