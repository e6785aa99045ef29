package substitute

import (
	"bytes"
	"go/format"
	"io/fs"
	"strings"
	"testing"
)

// TestSources: the files in _src are formatted, and each is the text of a substitute.
// TestGMSM vets them in their packages.
func TestSources(t *testing.T) {
	named := map[string]bool{}
	for _, s := range substitutions {
		for _, p := range s.packages {
			if p.source != "" {
				named[p.source] = true
				p.text() // panics without a file
			}
		}
	}
	err := fs.WalkDir(sources, "_src", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		dir := strings.TrimSuffix(strings.TrimPrefix(name, "_src/"), "/cipherlane.go")
		if !named[dir] {
			t.Errorf("%s: no substitute has it", name)
		}
		text, err := sources.ReadFile(name)
		if err != nil {
			return err
		}
		if formatted, err := format.Source(text); err != nil || !bytes.Equal(text, formatted) {
			t.Errorf("%s: gofmt changes it: %v", name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
