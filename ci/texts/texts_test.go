//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func commands(t *text) []string {
	var list []string
	for _, l := range t.lines {
		list = append(list, fmt.Sprintf("%s|%s|%s|%v", l.at, l.command, l.reason, l.inline))
	}
	return list
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestMarkdown(t *testing.T) {
	parsed := parseMarkdown("x.md", strings.ReplaceAll(strings.ReplaceAll(`# Title

Prose with @cipherlane list@ and @CIPHERLANE=x@ and @go
test ./x@ <!-- not run by CI: takes an hour --> and @cipherlane go build|run …@, @cipherlane help VERB@.

@@@
bob$ cipherlane hash FILE...   # a comment
alice$ openssl dgst \
  -sm3 x
@@@

<!-- not run by CI: needs
root -->

	cipherlane keygen

	go run .

@@@
sm3  this is output
cipherlane speed
@@@

1. In a list:

		ci/run vet

@@@go
x := 1
@@@

| @taskset -c 1 go run .@ | @cp@ |
`, "@", "`"), "``````", "```"))
	same(t, commands(parsed), []string{
		"x.md:3|cipherlane list||true",
		"x.md:3|go test ./x|takes an hour|true",
		"x.md:7|cipherlane hash FILE   # a comment||false",
		"x.md:8|openssl dgst -sm3 x||false",
		"x.md:15|cipherlane keygen|needs\nroot|false",
		"x.md:17|go run .|needs\nroot|false",
		"x.md:26|ci/run vet||false",
		"x.md:32|taskset -c 1 go run .||true",
	})
	if parsed.patterns != 2 || len(parsed.snippets) != 1 || parsed.snippets[0] != (snippet{"x.md:29", "x := 1"}) {
		t.Errorf("%d patterns, snippets %q", parsed.patterns, parsed.snippets)
	}
}

const help = `Usage: cipherlane sm2 <command>

See "cipherlane list
sm2" and "openssl enc".

    bob$   cipherlane sm2 keygen   # as root
    cipherlane version

Flags:
  -o    See "cipherlane nonsense".

Commands:
  sm2 keygen     Make a key.
  sm2 encrypt    Encrypt for
                 somebody.

Run it.
`

func TestHelp(t *testing.T) {
	same(t, commands(parseHelp("help", help)), []string{
		"help:3|cipherlane list sm2||true",
		"help:6|cipherlane sm2 keygen   # as root|as root|false",
		"help:7|cipherlane version||false",
	})
	same(t, verbs(help, []string{"sm2"}), []string{"keygen", "encrypt"})
	same(t, verbs("no commands", nil), nil)
}

// small is a world without this repository. Its command prints its arguments.
func small(t *testing.T) (*world, *bytes.Buffer) {
	t.Helper()
	t.Setenv("GOFLAGS", "")
	top, out := t.TempDir(), new(bytes.Buffer)
	if err := write(top, map[string]string{
		"go.mod":              "module example.com/x\n\ngo 1.26\n",
		"x/main.go":           "package main\n\nimport \"os\"\n\nfunc main() { _, err := os.Stat(\"go.mod\"); println(\"go.mod here:\", err == nil) }\n",
		"y/y.go":              "package y\n\nconst Y = 5\n",
		"ci/run":              "go run ./ci/steps\n",
		"ci/steps/table.go":   "\t{name: \"vet\", tier: quick},\n",
		"ci/tool":             "#!/bin/sh\ntest -e go.mod && echo changed >go.mod\n",
		"command":             "#!/bin/sh\necho \"Usage: cipherlane $*\"\n[ \"$*\" != --help ] || printf '\\nCommands:\\n  one    A verb.\\n  two    Another.\\n'\n",
		"one.md":              "\techo a && false\n",
		"docs/two.md":         "\tcat nothing || echo b\n",
		"cmd/cipherlane/x.go": "does not compile",
		"doc.go":              "// Package x does.\n//\n//\tx := 1\npackage x\n",
	}); err != nil {
		t.Fatal(err)
	}
	w, err := newWorld(top, filepath.Join(top, "command"), out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(w.dir) })
	return w, out
}

// Lines that must fail do, and no others.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, text string
		ok         bool
		want       string
	}{
		{"a line", "\techo a >FILE && cat FILE | grep a\n", true, "1 lines ran"},
		{"a broken line", "\techo a && false\n", false, "FAIL x.md:1: echo a && false"},
		{"a broken pipe", "\tcat nothing | cat\n", false, "No such file"},
		{"a variable that is not set", "\techo $NOTHING_OF_THE_KIND\n", false, "unbound"},
		{"unmarked", "\tgo get example.invalid/nothing\n", false, "FAIL x.md:1"},
		{"marked", "<!-- not run by CI: no network -->\n\n\tgo get example.invalid/nothing\n", true, "1 no network"},
		{"a mark for one block", "<!-- not run by CI: no -->\n\n\tfalse a\n\techo\n\nAnd:\n\n\techo a && false\n", false, "FAIL x.md:8"},
		{"a plain mark", "\techo a > /nowhere/x   # as root\n", true, "1 as root"},
		{"a span", "Say `go nonsense`, `go get`, `cat`, `echo a && exit 5`.\n", false, "exit status 5"},
		{"a file", "It is `ci/nothing`.\n", false, "FAIL x.md:1: ci/nothing"},
		{"a file that is there", "It is `ci/tool`.\n", true, "exists"},
		{"a program of ci", "\tci/tool && grep changed go.mod\n", true, "1 lines ran"},
		{"a package", "\tgo run ./x\n\tgo build -o z ./x && ./z\n", true, "2 lines ran"},
		{"a package of the clone", "\tgo list ../cipherlane/x | grep '^example.com/x/x$'\n", true, "1 lines ran"},
		{"packages that are not", "\tgo vet ./z\n", false, "FAIL x.md:1"},
		{"statements with a package", "```go\npackage main\n\nimport \"example.com/x/y\"\n\nfunc main() { _ = [y.Y - 4]int{} }\n```\n", true, "1 Go snippets"},
		{"a step", "`ci/run vet`\n", true, "ci/run vet"},
		{"a step that is not", "`ci/run vat`\n", false, `no step "vat"`},
		{"not available", "\techo driver not available on this machine && exit 3\n", true, "1 not available"},
		{"exit code 3 alone", "\techo x && exit 3\n", false, "exit status 3"},
		{"another folder", "\tmkdir a\n\tcd a\n\tpwd | grep '/a$'\n\nIt ends.\n\n\tcat a/nothing || test -d a\n", true, "3 lines ran"},
		{"a question", "\thead -c 30 </dev/tty\n", true, "1 lines ran"},
		{"a file from before", "\techo x > y\n\nText.\n\n\tcat y\n", true, "2 lines ran"},
		{"statements", "```go\nx := fmt.Sprint(len(key))\nif x != \"16\" {\n\treturn errors.New(x)\n}\n```\n", true, "1 Go snippets"},
		{"statements that do not compile", "Text\n\n```go\nx := fmt.Nothing()\n```\n", false, "x.md:4"},
		{"statements that fail", "```go\nreturn errors.New(\"so not\")\n```\n", false, "so not"},
		{"no Go", "```go\nx := := 1\n```\n", false, "x.md:2"},
		{"a program", "```go\npackage main\n\nfunc main() { println(1) }\n```\n", true, "1 Go snippets"},
		{"declarations", "```go\nfunc f() int { return \"\" }\n```\n", false, "x.md:2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, out := small(t)
			parsed := parseMarkdown("x.md", c.text)
			w.runText(parsed)
			if ok := w.summary([]*text{parsed}); ok != c.ok || !strings.Contains(out.String(), c.want) {
				t.Errorf("%v, want %v and %q:\n%s", ok, c.ok, c.want, out)
			}
		})
	}
}

// A file that a line reads is made, one that it writes is removed before.
func TestSamples(t *testing.T) {
	w, _ := small(t)
	p, err := w.newPlace(false)
	if err != nil {
		t.Fatal(err)
	}
	dir := p.folder()
	if output, err := p.prepare(dir, "cat photos.tar >k -o FILE # x"); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for name, want := range map[string]bool{"photos.tar": true, "photos": true, "k": false, "FILE": false, "x": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	os.WriteFile(filepath.Join(dir, "out"), nil, 0o666)
	if _, err := p.prepare(dir, "cipherlane keygen -o out"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("out is still there")
	}
}

// The texts by name, of which each needs nothing of the others: the command of this repository does
// not compile. Lines write nothing into the repository.
func TestTexts(t *testing.T) {
	w, out := small(t)
	names := func(name string) (list []string) {
		t.Helper()
		texts, err := w.texts(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, t := range texts {
			list = append(list, t.name)
		}
		return list
	}
	all := []string{"one.md", "docs/two.md", "package docs", "help of cipherlane", "help of cipherlane one", "help of cipherlane two"}
	same(t, names(""), all)
	for _, name := range all {
		same(t, names(name), []string{name})
	}
	for _, name := range []string{"one", "help"} {
		if _, err := w.texts(name); err == nil || !strings.Contains(err.Error(), "-list") {
			t.Errorf("-text %s: %v", name, err)
		}
	}
	w.build = func() error { return errors.New("not built") }
	for _, name := range []string{"one.md", "docs/two.md", "package docs"} {
		same(t, names(name), []string{name})
	}
	w.runText(parseMarkdown("x.md", "Only `ci/tool` and `ci/run vet`.\n"))
	if w.ran != 2 {
		t.Errorf("what needs no command: %s", out)
	}
	if text, err := os.ReadFile(filepath.Join(w.top, "go.mod")); err != nil || !strings.HasPrefix(string(text), "module") {
		t.Errorf("go.mod is %q, %v", text, err)
	}
}

// Several runs have folders of their own.
func TestWorlds(t *testing.T) {
	w, _ := small(t)
	other, err := newWorld(w.top, filepath.Join(w.top, "command"), new(bytes.Buffer))
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(other.dir)
	for _, w := range []*world{w, other, w} {
		p, err := w.newPlace(false)
		if err != nil {
			t.Fatal(err)
		}
		if output, err := p.bash(p.folder(), "test ! -e file && echo >file && cipherlane a | grep 'Usage: cipherlane a'"); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
	}
}

// The texts of this repository are found: few lines would mean that the parser no
// longer knows what a block is.
func TestRepository(t *testing.T) {
	names, err := markdown("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "docs/linux.md", "_gen/README.md"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %q", want, names)
		}
	}
	n := 0
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		n += len(parseMarkdown(name, string(b)).lines)
	}
	if docs, err := packageDocs("../.."); err != nil || n < 60 || len(docs.snippets) < 3 {
		t.Errorf("%d lines, %v", n, err)
	}
	if !steps("../..")["texts"] {
		t.Error("ci/run has no step texts")
	}
}
