// Package section replaces sections of Markdown files that programs write.
package section

import (
	"os"
	"regexp"
	"strings"
)

// Replace writes text, which begins with a heading of level 2, into a file in place of the
// section with that heading, or before the last section.
func Replace(file, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(With(string(old), text)), 0o644)
}

var next = regexp.MustCompile(`(?m)^## `)

// With is Replace for a document.
func With(document, text string) string {
	heading, _, _ := strings.Cut(text, "\n")
	begin, end := strings.Index(document, "\n"+heading+"\n")+1, 0
	if begin > 0 {
		end = len(document)
		if m := next.FindStringIndex(document[begin+1:]); m != nil {
			end = begin + 1 + m[0]
		}
	} else if all := next.FindAllStringIndex(document, -1); len(all) > 0 {
		begin = all[len(all)-1][0]
		end = begin
	} else {
		begin, end = len(document), len(document)
	}
	if end < len(document) {
		text += "\n"
	}
	return document[:begin] + text + document[end:]
}
