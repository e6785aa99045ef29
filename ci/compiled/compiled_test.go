package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// planted compiles testdata/planted and returns what is found.
func planted(t *testing.T, goarch string) entries {
	t.Helper()
	cmd := exec.Command("go", "build", "-gcflags=-S", "./testdata/planted")
	cmd.Env = environment(goarch)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before := secrets
	defer func() { secrets = before }()
	secrets = []string{"testdata/planted/*.go"}
	found := entries{}
	if err := found.add(".", goarch, string(out)); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestPlanted(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	want := map[string][]string{ // one of these kinds
		"Branch: if secret&1 != 0 {":           {branch},
		"Lookup: return Table[secret]":         {index},
		"Pointer: p := &Table[secret]":         nil,
		"Pointer: *p++":                        {index},
		"Division: return a / (b | 1)":         {division},
		"Compare: return *a == *b":             {compare},
		"Exit: if a[i] != b[i] {":              {branch},
		"Shift: return a[secret]":              {bounds, index},
		"Switch: switch secret {":              nil,
		"Switch: case 0:":                      nil,
		"Harmless: return x&mask | y&^mask":    nil,
		"HarmlessStore: binary.BigEndian.PutU": nil,
	}
	for goarch := range architectures {
		t.Run(goarch, func(t *testing.T) {
			found := planted(t, goarch)
			seen := map[string]int{}
			for at, e := range found {
				if strings.HasPrefix(at.function, "Harmless") && len(e.kinds) > 0 {
					t.Errorf("%v: %v", at, e.kinds)
				}
				seen[at.function] += len(e.kinds)
			}
			for at, kinds := range want {
				function, text, _ := strings.Cut(at, ": ")
				for _, kind := range kinds {
					if e := found[place{"ci/compiled/testdata/planted", function, text}]; e == nil || e.kinds[kind] == nil {
						t.Errorf("%s: no %s", at, kind)
					}
				}
				if (seen[function] == 0) != strings.HasPrefix(function, "Harmless") {
					t.Errorf("%s: %d kinds", function, seen[function])
				}
			}
		})
	}
}

// The planted branches are not in the list: they are reported, until they are explained.
func TestCompare(t *testing.T) {
	found := planted(t, "amd64")
	const pkg = "ci/compiled/testdata/planted"
	list := func(text string) *list {
		t.Helper()
		l := newList()
		for _, err := range []error{l.parse("common", "", "# Comment.\nknown = a reason\n"), l.parse("planted", pkg, text)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return l
	}
	l := list("")
	if n := len(l.compare(found)); n < 8 {
		t.Errorf("%d problems with an empty list", n)
	}
	if fresh := l.update(found); fresh != len(l.reasons) || fresh < 8 {
		t.Errorf("%d of %d to explain", fresh, len(l.reasons))
	}
	text := l.text(pkg)
	if n := strings.Count(text, "\t?\t"); n != len(l.reasons) {
		t.Errorf("%d of %d reasons are ?:\n%s", n, len(l.reasons), text)
	}
	l = list(text)
	if n := len(l.compare(found)); n != len(l.reasons) {
		t.Errorf("%d problems, want one for each ?", n)
	}
	text = strings.ReplaceAll(text, "\t?\t", "\tknown\t")
	l = list(text)
	if problems := l.compare(found); problems != nil {
		t.Errorf("all is explained: %v", problems)
	}
	if got := l.text(pkg); got != text {
		t.Errorf("list printed as\n%s\nwant\n%s", got, text)
	}

	// A new kind at a known place, and a place that is gone.
	at := place{"ci/compiled/testdata/planted", "Harmless", "return x&mask | y&^mask"}
	found[at] = &entry{kinds: map[string][]string{branch: {"arm"}}}
	lookup := place{"ci/compiled/testdata/planted", "Lookup", "return Table[secret]"}
	found[lookup].kinds[branch] = []string{"mips"}
	delete(found, place{"ci/compiled/testdata/planted", "Compare", "return *a == *b"})
	var got []string
	for _, p := range l.compare(found) {
		got = append(got, p.String())
	}
	for i, want := range []string{"no longer", "branch on arm, not in the list", "branch on mips, not in the list"} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Errorf("problems %q, want %q", got, want)
		}
	}
	if fresh := l.update(found); fresh != 2 || l.reasons[lookup].text != unexplained {
		t.Errorf("%d to explain, want the 2 with a new kind", fresh)
	}
}

func TestBadLists(t *testing.T) {
	for _, text := range []string{
		"aes f\n\tbranch\tunknown\tx\n",
		"aes f\n\tbranch\tx\n",
		"\tbranch\t?\tx\n",
		"aes\n",
		"sm4 f\n\tbranch\t?\tx\n",
		"name = reason\n",
		"aes f\n\tbranch\t?\tx\n\tindex\t?\tx\n",
	} {
		if err := newList().parse("aes.txt", "aes", text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	if err := newList().parse("common.txt", "", "aes f\n"); err == nil {
		t.Error("an entry in common.txt: no error")
	}
}

// Every reason has an entry in its own words or is used by several.
func TestReasons(t *testing.T) {
	l, err := readList("../..", packages(), false)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, r := range l.reasons {
		used[r.text] = true
	}
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		if !used[name] {
			t.Errorf("no entry has the reason %s", name)
		}
	}
	for _, pattern := range secrets {
		file, _, _ := strings.Cut(pattern, ":")
		if found, err := filepath.Glob("../../" + file); err != nil || len(found) == 0 {
			t.Errorf("no file %s", file)
		}
	}
}

// The lists are those of the packages.
func TestFiles(t *testing.T) {
	found, err := filepath.Glob("reasons/*")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"reasons/common.txt"}
	for _, pkg := range packages() {
		want = append(want, strings.TrimPrefix(listFile(pkg), "ci/compiled/"))
	}
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("files %q, want %q", found, want)
	}
}

// One package is compared with its own list, where there is no other.
func TestOnePackage(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	t.Setenv("GOWORK", "off")
	before := secrets
	defer func() { secrets = before }()
	secrets = []string{"a/a.go", "b/c/c.go"}
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module example.com/cipherlane\n\ngo 1.26\n",
		"a/a.go":   "package a\n\nfunc Branch(x int) int {\n\tif x != 0 {\n\t\treturn x / 2\n\t}\n\treturn 3\n}\n",
		"b/c/c.go": "package c\n\nfunc Lookup(t *[256]byte, x byte) byte {\n\treturn t[x]\n}\n",

		"ci/compiled/reasons/common.txt": "known = a reason\n",
		"ci/compiled/reasons/b-c.txt":    "b/c Lookup\n\tindex\tknown\treturn t[x]\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	amd64 := []string{"amd64"}
	report := filepath.Join(root, "report")
	if ok, err := run(root, []string{"./b/c"}, amd64, false, report); !ok || err != nil {
		t.Errorf("b/c: %v, %v", ok, err)
	}
	if text, err := os.ReadFile(report); err != nil || strings.Join(strings.Fields(string(text)), " ") != `{ "b/c": true }` {
		t.Errorf("report %q, %v", text, err)
	}
	if ok, err := run(root, []string{"a"}, amd64, false, ""); ok || err == nil {
		t.Errorf("a, without a list: %v, %v", ok, err)
	}
	if ok, err := run(root, []string{"a"}, amd64, true, ""); ok || err != nil {
		t.Errorf("a, -update: %v, %v", ok, err)
	}
	if text, err := os.ReadFile(filepath.Join(root, listFile("a"))); err != nil || string(text) != "a Branch\n\tbranch\t?\tif x != 0 {\n" {
		t.Errorf("the list of a is %q, %v", text, err)
	}
	if ok, err := run(root, []string{"a", "b/c"}, amd64, false, report); ok || err != nil {
		t.Errorf("both: %v, %v", ok, err)
	}
	if text, err := os.ReadFile(report); err != nil || strings.Join(strings.Fields(string(text)), " ") != `{ "a": false, "b/c": true }` {
		t.Errorf("report %q, %v", text, err)
	}
	if _, err := run(root, []string{"b"}, amd64, false, ""); err == nil || !strings.Contains(err.Error(), "a, b/c") {
		t.Errorf("a package without secrets: %v", err)
	}
}
