package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cipherlane/cipherlane/internal/ctcheck"
)

// tree makes a repository whose folders a and b have a function each. That in b branches on a
// secret.
func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	const declaration = "package p\n\n//ct:secret p x v\nfunc f(p *[8]uint64, x, n uint64) (v uint64)\n"
	const good = "TEXT ·f(SB), 0, $0-32\n\tMOVQ p+0(FP), AX\n\tMOVQ (AX), BX\n\tMOVQ BX, 8(AX)\n\tRET\n"
	const bad = "TEXT ·f(SB), 0, $0-32\n\tMOVQ x+8(FP), AX\n\tTESTQ AX, AX\n\tJEQ done\ndone:\n\tRET\n"
	for name, text := range map[string]string{
		"go.mod": "module example.com/x\n",
		"a/a.go": declaration, "a/f_amd64.s": good,
		"b/b.go": declaration, "b/f_amd64.s": bad, "b/_f_amd64.s": "no assembly", "b/c/readme": "",
		"b/testdata/f_amd64.s": bad, ".d/f_amd64.s": bad, "_e/f_amd64.s": bad,
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFolders(t *testing.T) {
	root := tree(t)
	var out strings.Builder
	if n, err := run(root, "", nil, true, false, &out); n != 0 || err != nil || out.String() != "a\nb\n" {
		t.Errorf("-list: %d, %v, %q", n, err, out.String())
	}
	packages := func(folder string, parts ...string) (list []string, findings int) {
		t.Helper()
		var out strings.Builder
		n, err := run(root, folder, parts, false, true, &out)
		if err != nil {
			t.Fatal(err)
		}
		var report ctcheck.Report
		if err := json.Unmarshal([]byte(out.String()), &report); err != nil {
			t.Fatal(err)
		}
		for _, k := range report.Kernels {
			list = append(list, k.Package)
		}
		return list, n
	}
	for _, c := range []struct {
		folder   string
		parts    []string
		want     []string
		findings int
	}{
		{"", nil, []string{"a", "b"}, 1},
		{"a", nil, []string{"a"}, 0},
		{"./b/", nil, []string{"b"}, 1},
		{"", []string{"a/f"}, []string{"a"}, 0},
	} {
		if list, n := packages(c.folder, c.parts...); !slices.Equal(list, c.want) || n != c.findings {
			t.Errorf("-folder %q %q: packages %q, %d findings", c.folder, c.parts, list, n)
		}
	}
	for _, folder := range []string{"b/c", "c"} {
		if _, err := run(root, folder, nil, false, false, &out); err == nil || !strings.Contains(err.Error(), "no assembly in "+folder) {
			t.Errorf("-folder %s: %v", folder, err)
		}
	}
}

// One folder can be checked where no other can be read.
func TestOneFolderAlone(t *testing.T) {
	root := tree(t)
	if err := os.WriteFile(filepath.Join(root, "b/f_amd64.s"), []byte("#include \"nothing\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if n, err := run(root, "a", nil, false, false, &out); n != 0 || err != nil {
		t.Errorf("a: %d, %v\n%s", n, err, out.String())
	}
	if n, err := run(root, "b", nil, false, false, &out); n == 0 && err == nil {
		t.Error("b: no findings")
	}
}

// The folders of this repository are found.
func TestRepository(t *testing.T) {
	folders, err := ctcheck.Folders("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"internal/cpu", "sm4/internal/amd64", "sm4/internal/riscv64", "internal/chachapoly/internal/i386"} {
		if !slices.Contains(folders, want) {
			t.Errorf("%s is not among %q", want, folders)
		}
	}
	if len(folders) < 36 || slices.ContainsFunc(folders, func(dir string) bool { return strings.Contains(dir, "testdata") || strings.Contains(dir, "_src") }) {
		t.Errorf("folders %q", folders)
	}
}
