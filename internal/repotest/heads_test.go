package repotest

import (
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// A generator begins with a head, which is the package comment of the file that
// has the line go:generate: its formulas, its registers and what limits it.
func TestHeads(t *testing.T) {
	cpus := regexp.MustCompile(`(?i)Zen [1-9]|Golden Cove|Skylake|Haswell|Core 2|Cortex-\w+|Neoverse \w+|Arrow Lake|Lunar Lake|\bX60|\bX100|C908|Power[0-9]+|MIPS \d+K|24Kf|LA464`)
	figure := regexp.MustCompile(`\d`)
	found := 0
	for _, name := range files(t, ".go") {
		if !strings.HasPrefix(name, "_gen/") || !strings.Contains(read(t, name), "\n//go:generate ") {
			continue
		}
		found++
		file, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		order, text, table := head(file.Doc.Text())
		if order != "Algorithm, Registers, Bound" {
			t.Errorf("%s: the package comment has the headings %q, want # Algorithm, # Registers, # Bound", path.Dir(name), order)
			continue
		}
		if text["Algorithm"] == "" {
			t.Errorf("%s: nothing under # Algorithm", path.Dir(name))
		}
		if table["Registers"] < 2 {
			t.Errorf("%s: no table, indented by a tab, under # Registers", path.Dir(name))
		}
		if b := text["Bound"]; !cpus.MatchString(b) || !figure.MatchString(cpus.ReplaceAllString(b, "")) {
			t.Errorf("%s: under # Bound, want a figure and the CPU that it is for", path.Dir(name))
		}
	}
	if found < 20 {
		t.Errorf("found only %d generators", found)
	}
}

// head returns the headings of a comment, the text below each and the number of
// its indented lines.
func head(doc string) (order string, text map[string]string, indented map[string]int) {
	text, indented = map[string]string{}, map[string]int{}
	var headings []string
	heading := ""
	var parser comment.Parser
	var printer comment.Printer
	for _, block := range parser.Parse(doc).Content {
		printed := string(printer.Text(&comment.Doc{Content: []comment.Block{block}}))
		switch b := block.(type) {
		case *comment.Heading:
			heading = strings.TrimPrefix(strings.TrimSpace(printed), "# ")
			headings = append(headings, heading)
			continue
		case *comment.Code:
			indented[heading] += strings.Count(b.Text, "\n")
		}
		text[heading] += printed
	}
	return strings.Join(headings, ", "), text, indented
}
