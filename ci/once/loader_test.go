//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// TestLoader changes what the dynamic loader finds. A run depends on what is said of the
// libraries that it opened or looked for, and on nothing else in the loader's cache.
func TestLoader(t *testing.T) {
	text, err := exec.Command("/sbin/ldconfig", "-p").Output()
	found := regexp.MustCompile(`(?m)^\tlibm\.so\.6 .* => (.*)$`).FindSubmatch(text)
	if err != nil || found == nil {
		t.Skip("ldconfig finds no libm.so.6: ", err)
	}
	libm, err := os.ReadFile(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a/libA.so.6", "b/libA.so.6", "c/libB.so.6", "d/libC.so.6"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, bytes.ReplaceAll(libm, []byte("libm.so.6"), []byte(filepath.Base(name))), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	p, err := newPlaces()
	if err != nil {
		t.Fatal(err)
	}
	p.loader = filepath.Join(dir, "cache")
	list := func(folders string) {
		t.Helper()
		conf := filepath.Join(dir, "conf")
		var lines string
		for f := range strings.FieldsSeq(folders) {
			lines += filepath.Join(dir, f) + "\n"
		}
		if err := os.WriteFile(conf, []byte(lines), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("/sbin/ldconfig", "-X", "-f", conf, "-C", p.loader).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p.listed = sync.OnceValues(p.libraries)
	}
	list("a")
	s := newSeen()
	for path, failure := range map[string]string{loaderCache: "", "/usr/lib/libA.so.6": "", "/lib/libC.so.6": "ENOENT"} {
		s.open(call{err: failure}, path, "O_RDONLY|O_CLOEXEC")
	}
	r := new(result)
	for _, u := range s.used {
		k, _ := p.classify(u.path, u.kind)
		if u.path == loaderCache && k != ignored {
			t.Error("all of the loader's cache matters")
		}
		if k == library {
			value, err := p.fingerprint(u.path, k)
			if err != nil {
				t.Fatal(err)
			}
			r.Inputs = append(r.Inputs, input{u.path, k, value})
		}
	}
	for _, c := range []struct{ folders, changed string }{
		{"a", ""},
		{"a c", ""},
		{"b a", "libA.so.6"},
		{"", "libA.so.6"},
		{"a d", "libC.so.6"},
	} {
		list(c.folders)
		if changed := r.changed(p, options{}); changed != c.changed {
			t.Errorf("with libraries in %q, %q has changed, not %q", c.folders, changed, c.changed)
		}
	}
}
