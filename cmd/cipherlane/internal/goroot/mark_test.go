package goroot

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The mark is found wherever it is in a program, and the program that looks for it has none.
func TestMark(t *testing.T) {
	sum := strings.Repeat("0123456789abcdef", 4)
	file := filepath.Join(t.TempDir(), "program")
	find := func(text []byte) (string, bool) {
		t.Helper()
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		got, sm, err := FindMark(file)
		if err != nil {
			t.Fatal(err)
		}
		return got, sm
	}
	for _, version := range []string{"v0.1.0", "v1.2.3-0.20261128123456-0123456789ab+dirty", "devel_0123456789ab"} {
		for _, sm := range []bool{false, true} {
			text := markText(version, sum, sm)
			for _, at := range []int{0, 1, 1<<20 - 300, 1<<20 - 150, 1<<20 - 1, 1 << 20, 2<<20 - 256 - 40} {
				if got, hasSM := find(append(bytes.Repeat([]byte("<"), at), text...)); got != version || hasSM != sm {
					t.Errorf("%s at %d, %t: found %q, %t", version, at, sm, got, hasSM)
				}
			}
		}
	}
	for _, text := range []string{"", "<", markText("v%s", sum, false), markText("v1", "%s", true), markText("devel", sum, false)} {
		if got, sm := find([]byte(text)); got != "" || sm {
			t.Errorf("%q: found %q", text, got)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := FindMark(self); got != "" || err != nil {
		t.Errorf("this test: found %q, %v", got, err)
	}
	if _, _, err := FindMark(filepath.Join(file, "none")); err == nil {
		t.Error("no error for a file that is not there")
	}
}

// A copy is of one version and of one source: another one has another name, and another mark.
func TestCopyName(t *testing.T) {
	s := source(t)
	copyOf := func(s Source) *Copy {
		t.Helper()
		c, err := s.Copy("cache")
		if err != nil {
			t.Fatal(err)
		}
		if text := string(c.tree[markFile].text); !strings.Contains(text, " "+c.Version+" ") {
			t.Errorf("the mark is not of %s: %s", c.Version, text)
		}
		return c
	}
	one := copyOf(s)
	s.Version = "v0.1.0"
	two := copyOf(s)
	s.Crypto = map[string]string{"chacha20": "package chacha20\n"}
	three := copyOf(s)
	s.Version = ""
	four := copyOf(s)
	link := filepath.Join(t.TempDir(), "go")
	if err := os.Symlink(s.Root, link); err == nil {
		s.Root = link
		if five := copyOf(s); five.Dir == four.Dir || string(five.tree[markFile].text) != string(four.tree[markFile].text) {
			t.Errorf("Go elsewhere: %s, %s", five.Dir, five.tree[markFile].text)
		}
	}
	if !strings.HasPrefix(one.Version, "devel_") || two.Version != "v0.1.0" || three.Version != "v0.1.0" || four.Version == one.Version {
		t.Errorf("versions %s, %s, %s, %s", one.Version, two.Version, three.Version, four.Version)
	}
	if one.Dir == two.Dir || two.Dir == three.Dir || one.Dir == four.Dir {
		t.Errorf("%s, %s, %s, %s", one.Dir, two.Dir, three.Dir, four.Dir)
	}
}
