package asm

import (
	"regexp"
	"strings"
)

// unjoinable matches lines that stay as they are: those with an argument of the function, which
// vet compares with the Go declaration; with a comment; and jumps and what comes before a
// return.
var unjoinable = regexp.MustCompile(`\(FP\)|//|^\t(J|CALL|RET|VZERO|PCALIGN|(CB|TB)N?ZW?\b|B(L|EQ|NE|CS|CC|HS|LO|MI|PL|VS|VC|HI|LS|GE|LT|GT|LE|LTU|GEU)?\b|B(EQ|NE|LT|GE|GT|LE)Z)`)

// blanks match the spaces with which avo aligns operands.
var blanks = regexp.MustCompile(` {2,}`)

// width is the longest line with several instructions.
const width = 100

// Join writes several instructions in a line where none of them is the target of a jump. The
// linker has two bytes for each line of assembly in the table that profilers and panics read,
// which would be a third of the size of a kernel. Tools that read assembly therefore count
// instructions, not lines: internal/ctcheck, ci/mutate, guard.Instructions.
func Join(text string) string {
	var b strings.Builder
	column := 0 // of the line that the next instruction may join, or 0
	for line := range strings.Lines(text) {
		code := blanks.ReplaceAllString(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case !strings.HasPrefix(line, "\t") || unjoinable.MatchString(line):
			if column > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(line)
			column = 0
		case column > 0 && column+1+len(code) <= width:
			b.WriteString("; " + code[1:])
			column += 1 + len(code)
		default:
			if column > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(code)
			column = len(code)
		}
	}
	if column > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
