package repotest

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every section of docs/benchmarks.md that a file cites exists: "docs/benchmarks.md, AES by driver".
// A reason in Go code must name a section.
func TestCitedFigures(t *testing.T) {
	const page = "docs/benchmarks.md"
	var headings []string
	for _, m := range regexp.MustCompile(`(?m)^##+ (.+)$`).FindAllStringSubmatch(read(t, page), -1) {
		headings = append(headings, m[1])
	}
	citation := regexp.MustCompile(`docs/benchmarks\.md(?:, ((?:[^.,;:()"\n]|\.\w)+))?`)
	wrapped := regexp.MustCompile(`\n(?:\t*//)?[ \t]*`)
	cited := 0
	for _, name := range files(t, ".go", ".md", ".tmpl", ".txt") {
		if name == page || strings.HasPrefix(name, "ci/figures/") || name == "internal/repotest/figures_test.go" {
			continue
		}
		text := wrapped.ReplaceAllString(read(t, name), " ") // a citation may be on two lines of a comment
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			section := strings.TrimSpace(m[1])
			switch {
			case section == "" && !strings.HasSuffix(name, ".go"):
			case !slices.Contains(headings, section):
				t.Errorf("%s cites section %q of %s, which has none of that name: %s has the figures, ci/figures/benchmarks.tmpl the sections", name, section, page, "docs/machines")
			default:
				cited++
			}
		}
		for _, m := range regexp.MustCompile(`benchmarks\.md#([\w-]+)`).FindAllStringSubmatch(text, -1) {
			anchor := func(heading string) bool {
				return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(heading, ",", ""), " ", "-")) == m[1]
			}
			if !slices.ContainsFunc(headings, anchor) {
				t.Errorf("%s links to #%s of %s, which has no such section", name, m[1], page)
			}
		}
	}
	if cited < 20 {
		t.Errorf("only %d citations of sections found: has their form changed?", cited)
	}
	for _, m := range regexp.MustCompile(`docs/machines/([\w-]+\.json)`).FindAllStringSubmatch(read(t, "ci/count/replaced.txt"), -1) {
		if _, err := fs.Stat(root, "docs/machines/"+m[1]); err != nil {
			t.Error(err)
		}
	}
}
