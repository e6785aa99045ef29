package guard

import (
	"os"
	"strings"
	"testing"
)

// Instructions returns the instructions of a file of assembly, one each, without labels and
// comments.
func Instructions(t testing.TB, file string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		code, _, _ := strings.Cut(line, "//")
		if !strings.HasPrefix(code, "\t") {
			continue
		}
		for instruction := range strings.SplitSeq(code, ";") {
			if instruction = strings.TrimSpace(instruction); instruction != "" {
				list = append(list, instruction)
			}
		}
	}
	if len(list) < 100 {
		t.Fatalf("%s: only %d instructions found", file, len(list))
	}
	return list
}
