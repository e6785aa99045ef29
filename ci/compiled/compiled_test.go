package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const plantedPackage = "ci/compiled/testdata/planted"

// planted compiles testdata/planted and returns what is found.
func planted(t *testing.T, goarch string) *entries {
	t.Helper()
	c := &check{root: "../.."}
	module, err := c.module()
	if err != nil {
		t.Fatal(err)
	}
	listing, err := c.compile(goarch, []string{plantedPackage})
	if err != nil {
		t.Fatal(err)
	}
	found := newEntries(newList(c.root))
	if err := found.add(goarch, module, listing); err != nil {
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
			for at, e := range found.at {
				if strings.HasPrefix(at.function, "Harmless") {
					t.Errorf("%v: %v", at, e)
				}
				seen[at.function] += len(e)
			}
			for at, kinds := range want {
				function, text, _ := strings.Cut(at, ": ")
				if _, ok := found.functions[[2]string{plantedPackage, function}]; !ok {
					t.Errorf("no function %s", function)
				}
				for _, kind := range kinds {
					if found.at[place{plantedPackage, function, text}][kind][goarch] == 0 {
						t.Errorf("%s: no %s", at, kind)
					}
				}
				if (seen[function] == 0) != strings.HasPrefix(function, "Harmless") {
					t.Errorf("%s: %d kinds", function, seen[function])
				}
			}
			// Instances of a generic function, and lines with the same text.
			at := place{plantedPackage, "generic", "if x&y != 0 {"}
			if n := found.at[at][branch][goarch]; n != 1 {
				t.Errorf("%d branches in each instance of generic, want 1", n)
			}
			at = place{plantedPackage, "Twice", "if secret&x != 0 {"}
			if n := found.at[at][branch][goarch]; n != 2 {
				t.Errorf("%d branches in Twice, want 2", n)
			}
		})
	}
}

// The planted branches are not in the list: they are reported, until they are explained.
func TestCompare(t *testing.T) {
	found := planted(t, "amd64")
	list := func(text string) *list {
		t.Helper()
		l := newList("../..")
		for _, err := range []error{l.parse("common", "", "# Comment.\nknown = a reason\n"), l.parse("planted", plantedPackage, text)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return l
	}
	l := list("")
	if n := len(l.compare(found, []string{"amd64"})); n < 8 {
		t.Errorf("%d problems with an empty list", n)
	}
	if fresh := l.update(found); fresh != len(l.reasons) || fresh < 8 {
		t.Errorf("%d of %d to explain", fresh, len(l.reasons))
	}
	text := l.text(plantedPackage)
	if n := strings.Count(text, "\t?\t"); n != len(l.reasons) {
		t.Errorf("%d of %d reasons are ?:\n%s", n, len(l.reasons), text)
	}
	l = list(text)
	if n := len(l.compare(found, []string{"amd64"})); n != len(l.reasons) {
		t.Errorf("%d problems, want one for each ?", n)
	}
	text = strings.ReplaceAll(text, "\t?\t", "\tknown\t")
	l = list(text)
	if problems := l.compare(found, []string{"amd64"}); problems != nil {
		t.Errorf("all is explained: %v", problems)
	}
	if got := l.text(plantedPackage); got != text {
		t.Errorf("list printed as\n%s\nwant\n%s", got, text)
	}

	// A new kind, one more, one less, and a place that is gone.
	lookup := place{plantedPackage, "Lookup", "return Table[secret]"}
	found.at[lookup] = entry{index: {"amd64": 1}, branch: {"amd64": 1}}
	twice := place{plantedPackage, "Twice", "if secret&x != 0 {"}
	found.at[twice] = entry{branch: {"amd64": 3}}
	exit := place{plantedPackage, "Exit", "if a[i] != b[i] {"}
	delete(found.at[exit], branch)
	delete(found.at, place{plantedPackage, "Compare", "return *a == *b"})
	var got []string
	for _, p := range l.compare(found, []string{"amd64"}) {
		got = append(got, strings.Join(p.what, "; "))
	}
	want := []string{"compare on amd64: 0 in the code, 1 in the list", "branch on amd64: 0 in the code, 1 in the list",
		"branch on amd64: 1 in the code, 0 in the list", "branch on amd64: 3 in the code, 2 in the list"}
	if !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
	if fresh := l.update(found); fresh != 2 || l.reasons[lookup].text != unexplained || l.reasons[twice].text != unexplained {
		t.Errorf("%d to explain, want the 2 of which there is more", fresh)
	}
}

// Functions, with their closures, and files are exempt if a list says so, and not if they are gone.
func TestPublic(t *testing.T) {
	for _, c := range []struct {
		text, problem string
		functions     int // exempt
	}{
		{"public Branch\ta reason\n", "", 1},
		{"public Closure\ta reason\n", "", 2},
		{"public planted.go\ta reason\n", "", -1},
		{"public Branch\t?\n", "named public without a reason", 1},
		{"public Gone\ta reason\n", "does not exist", 0},
		{"public gone.go\ta reason\n", "does not exist", 0},
		{"public Harmless\ta reason\n", "", 1},
		{"public (*Type).Branch\ta reason\n", "does not exist", 0},
	} {
		check := &check{root: "../.."}
		listing, err := check.compile("amd64", []string{plantedPackage})
		if err != nil {
			t.Fatal(err)
		}
		module, err := check.module()
		if err != nil {
			t.Fatal(err)
		}
		l := newList(check.root)
		if err := l.parse("planted", plantedPackage, c.text); err != nil {
			t.Fatal(err)
		}
		found := newEntries(l)
		if err := found.add("amd64", module, listing); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, public := range found.functions {
			if public {
				n++
			}
		}
		if n != c.functions && (c.functions >= 0 || n != len(found.functions)) {
			t.Errorf("%q: %d public functions of %d, want %d", c.text, n, len(found.functions), c.functions)
		}
		l.update(found)
		for at, r := range l.reasons {
			l.reasons[at] = reason{r.kinds, "a reason"}
		}
		problems := l.compare(found, []string{"amd64"})
		if c.problem == "" && problems != nil || c.problem != "" && (len(problems) != 1 || !strings.Contains(problems[0].String(), c.problem)) {
			t.Errorf("%q: problems %v, want %q", c.text, problems, c.problem)
		}
		if text := l.text(plantedPackage); !strings.HasPrefix(text, c.text) {
			t.Errorf("%q: the list is printed as %q", c.text, text)
		}
	}
}

func TestEntry(t *testing.T) {
	for _, s := range []string{
		"branch", "branch 2", "branch, index", "branch 386=1", "branch 1 arm=2", "branch 2 arm+mips=3, division arm+mips=1",
		"bounds 1 mips=0 386+arm=2",
	} {
		e, err := parseEntry(s)
		if err != nil || e.String() != s {
			t.Errorf("%q is printed as %q, %v", s, e, err)
		}
	}
	e, err := parseEntry("branch 2 arm+mips=3, division arm=1")
	if err != nil || e[branch]["amd64"] != 2 || e[branch]["mips"] != 3 || e[division]["amd64"] != 0 || e[division]["arm"] != 1 {
		t.Errorf("%v, %v", e, err)
	}
	for _, s := range []string{"", "loop", "branch,index", "branch x", "branch x86=1", "branch 1 2", "branch arm=", "branch arm"} {
		if e, err := parseEntry(s); err == nil {
			t.Errorf("%q: %v and no error", s, e)
		}
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
		"aes f\n\tbranch x86=1\t?\tx\n",
		"public f\n",
		"public f\tunknown\n",
		"public f\t?\npublic f\t?\n",
	} {
		if err := newList(".").parse("aes.txt", "aes", text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	if err := newList(".").parse("common.txt", "", "aes f\n"); err == nil {
		t.Error("an entry in common.txt: no error")
	}
}

// all reads all lists.
func all(t *testing.T) (*check, *list, []string) {
	c := &check{root: "../..", goarchs: []string{"amd64"}}
	packages, err := c.packages()
	if err != nil {
		t.Fatal(err)
	}
	l := newList(c.root)
	for _, pkg := range append([]string{""}, packages...) {
		if err := l.read(pkg); err != nil {
			t.Fatal(err)
		}
	}
	return c, l, packages
}

// Every reason has an entry in its own words or is used by several.
func TestReasons(t *testing.T) {
	_, l, _ := all(t)
	used := map[string]bool{}
	for _, r := range l.reasons {
		used[r.text] = true
	}
	for _, why := range l.public {
		used[why] = true
	}
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		if !used[name] {
			t.Errorf("no entry has the reason %s", name)
		}
	}
}

// All lists are of packages that programs can have.
func TestFiles(t *testing.T) {
	_, _, packages := all(t)
	for _, pkg := range []string{"aes", "sm2", "chunked", "linux", "internal/modes", "internal/aescore", "internal/wrap"} {
		if !slices.Contains(packages, pkg) {
			t.Errorf("%s is not looked at", pkg)
		}
	}
	found, err := filepath.Glob("reasons/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		if !slices.ContainsFunc(append(packages, ""), func(pkg string) bool { return listFile(pkg) == "ci/compiled/"+name }) {
			t.Errorf("%s is of no package", name)
		}
	}
}

// What somebody adds to a package is found: in a file with other secrets, and in a new file.
func TestAdded(t *testing.T) {
	sign, err := os.ReadFile("../../sm2/sign.go")
	if err != nil {
		t.Fatal(err)
	}
	const helper = `
var helped [256]uint32

//go:noinline
func helper(secret uint8, x uint32) uint32 {
	if secret&1 != 0 {
		x = helper(secret/2, x+1)
	}
	x += helped[secret]
	x += uint32(7*len(helped)) / (uint32(secret) + 1)
	return x
}
`
	for name, text := range map[string]string{"sign.go": string(sign) + helper, "another.go": "package sm2\n" + helper} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, err := filepath.Abs("../../sm2/" + name)
			if err != nil {
				t.Fatal(err)
			}
			other, overlay := filepath.Join(dir, name), filepath.Join(dir, "overlay")
			list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: other}})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{other: text, overlay: string(list)} {
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			c := &check{root: "../..", goarchs: []string{"amd64"}}
			before, err := c.find([]string{"sm2"})
			if err != nil {
				t.Fatal(err)
			}
			l := before.list
			for at, e := range before.at { // the list is for another version of Go, perhaps
				l.reasons[at] = reason{e, "a reason"}
			}
			maps.DeleteFunc(l.reasons, func(at place, _ reason) bool { return before.at[at] == nil })
			c.overlay = overlay
			found, err := c.find([]string{"sm2"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range l.compare(found, c.goarchs) {
				if p.pkg != "sm2" || p.function != "helper" {
					t.Errorf("also found: %v", p)
				}
				got = append(got, p.text+" "+strings.Join(p.what, "; "))
			}
			want := []string{
				"if secret&1 != 0 { branch on amd64: 1 in the code, 0 in the list",
				"x += helped[secret] index on amd64: 1 in the code, 0 in the list",
				"x += uint32(7*len(helped)) / (uint32(secret) + 1) division on amd64: 1 in the code, 0 in the list",
			}
			if !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
			}
		})
	}
}

// module writes a small module with two packages, of which one has a list.
func module(t *testing.T, c string) *check {
	t.Helper()
	t.Setenv("GOWORK", "off")
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/cipherlane\n\ngo 1.26\n",
		"a/a.go":          "package a\n\nfunc Branch(x int) int {\n\tif x != 0 {\n\t\treturn x / 2\n\t}\n\treturn 3\n}\n",
		"b/c/c.go":        "package c\n\nimport _ \"example.com/cipherlane/internal/d\"\n\n" + c,
		"internal/d/d.go": "package d\n\nfunc D() {}\n",
		"internal/e/e.go": "package e\n\nfunc E() {}\n",
		"ci/f/f.go":       "package f\n\nfunc F() {}\n",
		"g/main.go":       "package main\n\nfunc main() {}\n",

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
	return &check{root: root, goarchs: []string{"amd64"}}
}

const lookup = "func Lookup(t *[256]byte, x byte) byte {\n\treturn t[x]\n}\n"

// One package is compared with its own list, where there is no other.
func TestOnePackage(t *testing.T) {
	c := module(t, lookup)
	report := filepath.Join(c.root, "report")
	if ok, err := c.run([]string{"./b/c"}, false, report); !ok || err != nil {
		t.Errorf("b/c: %v, %v", ok, err)
	}
	if text, err := os.ReadFile(report); err != nil || strings.Join(strings.Fields(string(text)), " ") != `{ "b/c": true }` {
		t.Errorf("report %q, %v", text, err)
	}
	if ok, err := c.run([]string{"a"}, false, ""); ok || err != nil {
		t.Errorf("a, without a list: %v, %v", ok, err)
	}
	if ok, err := c.run([]string{"a"}, true, ""); ok || err != nil {
		t.Errorf("a, -update: %v, %v", ok, err)
	}
	if text, err := os.ReadFile(filepath.Join(c.root, listFile("a"))); err != nil || string(text) != "a Branch\n\tbranch amd64=1\t?\tif x != 0 {\n" {
		t.Errorf("the list of a is %q, %v", text, err)
	}
	if ok, err := c.run([]string{"a", "b/c"}, false, report); ok || err != nil {
		t.Errorf("both: %v, %v", ok, err)
	}
	if text, err := os.ReadFile(report); err != nil || strings.Join(strings.Fields(string(text)), " ") != `{ "a": false, "b/c": true }` {
		t.Errorf("report %q, %v", text, err)
	}
	if _, err := c.run([]string{"b"}, false, ""); err == nil {
		t.Error("a package that does not exist: no error")
	}
}

// An explained line does not excuse a second one like it, nor a second access in it.
func TestSecond(t *testing.T) {
	for _, text := range []string{
		strings.Replace(lookup, "return t", "if x > 9 {\n\t\treturn t[x]\n\t}\n\treturn t", 1),
		strings.Replace(lookup, "{", "{\n\tt = (*[256]byte)(t[:])\n\tx = at(t, x)", 1) + "\nfunc at(t *[256]byte, x byte) byte {\n\treturn t[x]\n}\n",
		lookup + "\nfunc Again(t *[256]byte, x byte) byte {\n\treturn t[x]\n}\n",
	} {
		if ok, err := module(t, text).run([]string{"b/c"}, false, ""); ok || err != nil {
			t.Errorf("%v, %v:\n%s", ok, err, text)
		}
	}
}

// The packages are found: those that programs can import, and what these import.
func TestPackages(t *testing.T) {
	c := module(t, lookup)
	packages, err := c.packages()
	if want := []string{"a", "b/c", "internal/d"}; err != nil || !slices.Equal(packages, want) {
		t.Errorf("packages %q, %v, want %q", packages, err, want)
	}
	lines, err := c.lines(packages)
	if want := []string{"b/c", "a,internal/d"}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("lines %q, %v, want %q", lines, err, want)
	}
	for text, want := range map[string][]string{"public internal/d\ta reason\n": {"a", "b/c"}, "public internal/e\ta reason\n": nil} {
		if err := os.WriteFile(filepath.Join(c.root, listFile("")), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if packages, err := c.packages(); (err != nil) != (want == nil) || !slices.Equal(packages, want) {
			t.Errorf("%q: packages %q, %v, want %q", text, packages, err, want)
		}
	}
}
