package repotest

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// Readers begin with README.md. From there, every page can be reached by at most two links, and
// no link on the way leads nowhere.
func TestLinks(t *testing.T) {
	problems, err := linkProblems(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// Faults are found: links to files and headings that do not exist, and pages that are not reached.
func TestLinksPlanted(t *testing.T) {
	pages := func(changes map[string]string) fs.FS {
		tree := fstest.MapFS{
			"README.md": {Data: []byte("# A\n\n[one](docs/one.md#a-b--2-c), [code](code/), and [two\n" +
				"lines](https://example.com/none)\n`[no](link)`\n\n```\n[no](link)\n# No\n```\n")},
			"code/x.go": {Data: []byte("package x\n")},
			"docs/one.md": {Data: []byte("# One\n\n## A `b` / 2: *c*\n\n## Twice\n\n## Twice\n\n" +
				"[self](#twice-1), [two](two.md), [up](../README.md#a)\n")},
			"docs/two.md": {Data: []byte("No heading\n")},
		}
		for name, text := range changes {
			tree[name] = &fstest.MapFile{Data: []byte(text)}
		}
		return tree
	}
	for _, c := range []struct {
		name, file, text, want string
	}{
		{"nothing", "docs/two.md", "# Two\n", ""},
		{"a file", "docs/two.md", "[x](none.md)\n",
			"docs/two.md links to none.md: docs/none.md does not exist"},
		{"a file outside", "docs/two.md", "[x](../../none.md)\n",
			"docs/two.md links to ../../none.md: ../none.md does not exist"},
		{"a heading", "docs/two.md", "[x](one.md#twice-2)\n",
			"docs/two.md links to one.md#twice-2: docs/one.md has no such heading"},
		{"a heading of the page", "docs/two.md", "[x](#two)\n",
			"docs/two.md links to #two: docs/two.md has no such heading"},
		{"a heading in a block", "docs/two.md", "[x](../README.md#no)\n",
			"docs/two.md links to ../README.md#no: README.md has no such heading"},
		{"a line of code", "docs/two.md", "[x](../code/x.go#L1)\n",
			"docs/two.md links to ../code/x.go#L1: code/x.go has no such heading"},
		{"an orphan", "docs/four.md", "# Four\n", "README.md does not lead to docs/four.md"},
		{"an orphan of the root", "NEWS.md", "# News\n", "README.md does not lead to NEWS.md"},
	} {
		problems, err := linkProblems(pages(map[string]string{c.file: c.text}))
		if got := strings.Join(problems, "\n"); err != nil || got != c.want {
			t.Errorf("%s: %v, %q, want %q", c.name, err, got, c.want)
		}
	}
	// Three links are too many.
	problems, err := linkProblems(pages(map[string]string{
		"docs/two.md": "[x](three.md)\n", "docs/three.md": "# Three\n",
	}))
	want := []string{"README.md leads to docs/three.md by 3 links, want at most 2"}
	if err != nil || !slices.Equal(problems, want) {
		t.Errorf("%v, %q, want %q", err, problems, want)
	}
}

var (
	fenced     = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$")
	inlineCode = regexp.MustCompile("`[^`\n]+`")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
)

// linkProblems follows the links between Markdown files from README.md.
func linkProblems(tree fs.FS) (problems []string, err error) {
	texts := map[string]string{} // of all pages, without code
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !d.IsDir() && path.Ext(name) == ".md" {
			text, err := fs.ReadFile(tree, name)
			texts[name] = fenced.ReplaceAllString(string(text), "")
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	distance := map[string]int{"README.md": 0}
	for queue := []string{"README.md"}; len(queue) > 0; queue = queue[1:] {
		page := queue[0]
		for _, m := range link.FindAllStringSubmatch(inlineCode.ReplaceAllString(texts[page], ""), -1) {
			if strings.Contains(m[1], ":") { // of the web
				continue
			}
			target, fragment, hasFragment := strings.Cut(m[1], "#")
			to := page
			if target != "" {
				to = path.Join(path.Dir(page), target)
			}
			if _, err := fs.Stat(tree, to); err != nil {
				problems = append(problems, fmt.Sprintf("%s links to %s: %s does not exist", page, m[1], to))
				continue
			}
			if hasFragment && !slices.Contains(anchors(texts[to]), fragment) {
				problems = append(problems,
					fmt.Sprintf("%s links to %s: %s has no such heading", page, m[1], to))
			}
			if _, isPage := texts[to]; isPage {
				if _, seen := distance[to]; !seen {
					distance[to] = distance[page] + 1
					queue = append(queue, to)
				}
			}
		}
	}
	for _, page := range slices.Sorted(maps.Keys(texts)) {
		switch n, reached := distance[page]; {
		case !reached:
			problems = append(problems, "README.md does not lead to "+page)
		case n > 2:
			problems = append(problems,
				fmt.Sprintf("README.md leads to %s by %d links, want at most 2", page, n))
		}
	}
	return problems, nil
}

// anchors returns the names of headings in links, as GitHub makes them.
func anchors(text string) (list []string) {
	count := map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, link.ReplaceAllString(m[1], ""))
		if n := count[name]; n > 0 {
			list = append(list, fmt.Sprintf("%s-%d", name, n))
		} else {
			list = append(list, name)
		}
		count[name]++
	}
	return list
}
