package repotest

import (
	"regexp"
	"strings"
	"testing"
)

// The Go code of the tutorial is that of the files that it is from: together, the blocks are
// the whole generator without its head, and pieces of the other files.
func TestTutorial(t *testing.T) {
	const generator = "_gen/sm3/arm64/main.go"
	lines := func(text string) string {
		var list []string
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				list = append(list, line)
			}
		}
		return strings.Join(list, "\n") + "\n"
	}
	parts := map[string]string{}
	tutorial := read(t, "_gen/README.md")
	for _, m := range regexp.MustCompile("(?s)<!-- not run by CI: a part of (\\S+) -->\n\n```go\n(.*?)```\n").FindAllStringSubmatch(tutorial, -1) {
		parts[m[1]] += lines(m[2])
	}
	if n := strings.Count(tutorial, "```go\n"); n == 0 || len(parts) != 3 {
		t.Fatalf("%d blocks, of %d files", n, len(parts))
	}
	for name, text := range parts {
		whole := lines(read(t, name))
		if name == generator {
			_, code, _ := strings.Cut(whole, "\npackage main\n")
			whole = "package main\n" + code
			if text != whole {
				t.Errorf("the blocks of _gen/README.md are not %s from its package clause on", name)
			}
		}
		if !strings.Contains(whole, text) {
			t.Errorf("_gen/README.md has code that is not in %s", name)
		}
	}
}
