//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An archive writes an initramfs in cpio's newc format.
type archive struct {
	w    *bufio.Writer
	ino  int
	dirs map[string]bool
}

// put writes a file or, with fs.ModeDir, a folder.
func (a *archive) put(name string, mode fs.FileMode, data []byte) {
	name = strings.TrimPrefix(name, "/")
	kind := uint32(0o100000)
	if mode.IsDir() {
		kind = 0o040000
	}
	if mode&fs.ModeSticky != 0 {
		kind |= 0o1000
	}
	a.ino++
	// magic, then inode, mode, uid, gid, links, time, size, four device numbers, length of name,
	// checksum
	fmt.Fprintf(a.w, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00",
		a.ino, kind|uint32(mode.Perm()), 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name)+1, 0, name)
	a.pad(110 + len(name) + 1)
	a.w.Write(data)
	a.pad(len(data))
}

// pad pads n bytes to a multiple of four.
func (a *archive) pad(n int) { a.w.Write(make([]byte, -n&3)) }

// mkdir writes a folder and its parents.
func (a *archive) mkdir(name string) {
	if name == "." || name == "/" || a.dirs[name] {
		return
	}
	a.mkdir(filepath.Dir(name))
	a.dirs[name] = true
	a.put(name, fs.ModeDir|0o755, nil)
}

// copy writes a file of the host and its parent folders.
func (a *archive) copy(name, from string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	a.mkdir(filepath.Dir(name))
	a.put(name, st.Mode().Perm()|0o444, b)
	return nil
}

// writeInitramfs writes the guest's root: process 1, its job, the program, modules,
// the files of the current directory, and the test data of its Go module.
func writeInitramfs(path string, o *options, text []byte, j job) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	a := &archive{w: bufio.NewWriterSize(f, 1<<20), dirs: map[string]bool{}}
	a.dirs["/tmp"] = true
	a.put("/tmp", fs.ModeDir|fs.ModeSticky|0o777, nil)
	for _, d := range []string{"/proc", "/sys", "/dev", j.Dir} {
		a.mkdir(d)
	}
	if err := a.copy("/init", o.init); err != nil {
		return err
	}
	a.put("/job", 0o600, text)
	if err := a.copy(j.Program, j.Program); err != nil {
		return err
	}
	if o.modules != "" {
		list, err := os.ReadDir(o.modules)
		if err != nil {
			return err
		}
		for _, e := range list {
			if err := a.copy("/modules/"+e.Name(), filepath.Join(o.modules, e.Name())); err != nil {
				return err
			}
		}
	}
	list, err := os.ReadDir(j.Dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if p := filepath.Join(j.Dir, e.Name()); e.Type().IsRegular() && p != j.Program && p != path {
			if err := a.copy(p, p); err != nil {
				return err
			}
		}
	}
	for _, d := range testdata(j.Dir) {
		err := filepath.WalkDir(d, func(p string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || filepath.Dir(p) == j.Dir {
				return err
			}
			return a.copy(p, p)
		})
		if err != nil {
			return err
		}
	}
	a.put("TRAILER!!!", 0, nil)
	if err := a.w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// testdata returns the testdata folders of the module that contains dir, or the one in
// dir if it is not in a module.
func testdata(dir string) []string {
	root := dir
	for !exists(root + "/go.mod") {
		if root == "/" {
			if exists(dir + "/testdata") {
				return []string{dir + "/testdata"}
			}
			return nil
		}
		root = filepath.Dir(root)
	}
	var list []string
	filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || !e.IsDir():
			return nil
		case e.Name() == "testdata":
			list = append(list, p)
			return fs.SkipDir
		case p != root && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		}
		return nil
	})
	return list
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
