//go:build linux

package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	mark   = regexp.MustCompile(`(?s)^\s*<!-- not run by CI: (.*?)\s*-->`)
	prompt = regexp.MustCompile(`^\w*\$ +`)
	// The commands, behind variables of the environment.
	begins   = regexp.MustCompile(`^([A-Z][A-Z0-9_]*=\S* +)*(cipherlane|sm3sum|go (build|clean|doc|env|generate|get|install|list|mod|run|test|tool|vet|work)|ci/[\w./-]+|\./[\w./-]+|taskset|openssl|gmssl|age|tar|ssh|source|cat|head|printf|echo|export|cd|mkdir|man|cp|mv|ln|sudo|apt|apt-get|pip|cmake|make|git|qemu-\w+|valgrind|PROGRAM)( |$)`)
	span     = regexp.MustCompile("`([^`]+)`")
	quoted   = regexp.MustCompile(`"(cipherlane [^"]*)"`)
	many     = regexp.MustCompile(`\b([A-Z]+)\.\.\.`)
	capitals = regexp.MustCompile(`^[A-Z][A-Z]+$`)
	change   = regexp.MustCompile(`^cd (\S+)( +#.*)?$`)
	comments = regexp.MustCompile(`(?:^|\s)#\s+(.*)$`)
)

// isPattern reports whether a word in capitals stands for something that is not among
// the samples, as in "cipherlane help VERB".
func isPattern(command string) bool {
	for word := range strings.FieldsSeq(command) {
		if _, ok := samples[word]; capitals.MatchString(word) && !ok && word != "PROGRAM" {
			return true
		}
	}
	return false
}

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

// addBlock takes the lines of a block if they are commands.
func (t *text) addBlock(first int, block []string, reason string) {
	for len(block) > 0 && strings.TrimSpace(block[0]) == "" {
		block, first = block[1:], first+1
	}
	if len(block) == 0 || !begins.MatchString(prompt.ReplaceAllString(block[0], "")) {
		return
	}
	in := ""
	for i := 0; i < len(block); i++ {
		at := fmt.Sprintf("%s:%d", t.name, first+i)
		command := block[i]
		for strings.HasSuffix(command, `\`) && i+1 < len(block) {
			i++
			command = strings.TrimSuffix(command, `\`) + strings.TrimSpace(block[i])
		}
		command = prompt.ReplaceAllString(command, "")
		if m := change.FindStringSubmatch(command); m != nil {
			in = "cd " + m[1] + " && "
			continue
		}
		if strings.TrimSpace(command) != "" {
			t.addLine(at, in+command, reason, false)
		}
	}
}

func (t *text) addLine(at, command, reason string, inline bool) {
	command = strings.TrimSpace(many.ReplaceAllString(command, "$1"))
	if m := comments.FindStringSubmatch(command); m != nil && reason == "" {
		for _, p := range plain {
			if strings.HasPrefix(m[1], p) {
				reason = p
			}
		}
	}
	if command == "" || strings.HasPrefix(command, "#") {
		return
	}
	if inline && reason == "" && (strings.Contains(command, "…") || isPattern(command)) {
		t.patterns++
		return
	}
	t.lines = append(t.lines, line{at, command, reason, inline})
}

// addSpans takes the command lines in prose.
func (t *text) addSpans(first int, prose string, spans *regexp.Regexp) {
	for _, m := range spans.FindAllStringSubmatchIndex(prose, -1) {
		command := strings.Join(strings.Fields(prose[m[2]:m[3]]), " ")
		if !begins.MatchString(command) || !strings.Contains(command, " ") && !strings.HasPrefix(command, "ci/") { // the name of a program
			continue
		}
		reason := ""
		if r := mark.FindStringSubmatch(prose[m[1]:]); r != nil {
			reason = r[1]
		}
		t.addLine(fmt.Sprintf("%s:%d", t.name, first+strings.Count(prose[:m[0]], "\n")), command, reason, true)
	}
}

// parseMarkdown finds the lines and snippets of a file.
func parseMarkdown(name, content string) *text {
	t := &text{name: name}
	lines := strings.Split(content, "\n")
	reason := "" // for the next block
	for i := 0; i < len(lines); {
		start := i
		trimmed := strings.TrimSpace(lines[i])
		switch {
		case trimmed == "":
			i++
			continue
		case strings.HasPrefix(trimmed, "```"):
			indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " \t"))
			var block []string
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
				block = append(block, lines[i][min(indent, len(lines[i])):])
			}
			i++
			if trimmed == "```go" {
				if reason == "" {
					t.snippets = append(t.snippets, snippet{fmt.Sprintf("%s:%d", name, start+2), strings.Join(block, "\n")})
				}
			} else {
				t.addBlock(start+2, block, reason)
			}
		case strings.HasPrefix(lines[i], "\t"):
			indent := len(lines[i]) - len(strings.TrimLeft(lines[i], "\t"))
			var block []string
			for ; i < len(lines) && (lines[i] == "" || strings.HasPrefix(lines[i], strings.Repeat("\t", indent))); i++ {
				block = append(block, strings.TrimPrefix(lines[i], strings.Repeat("\t", indent)))
			}
			for len(block) > 0 && block[len(block)-1] == "" {
				block = block[:len(block)-1]
			}
			t.addBlock(start+1, block, reason)
		default:
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "" && !strings.HasPrefix(strings.TrimSpace(lines[i]), "```") && !strings.HasPrefix(lines[i], "\t"); i++ {
			}
			prose := strings.Join(lines[start:i], "\n")
			t.addSpans(start+1, prose, span)
			reason = ""
			// A mark at the end of prose that is not behind a span is for the block that follows.
			if at := strings.LastIndex(prose, "<!-- not run by CI: "); at >= 0 && !strings.HasSuffix(strings.TrimSpace(prose[:at]), "`") {
				if m := mark.FindStringSubmatchIndex(prose[at:]); m != nil && strings.TrimSpace(prose[at+m[1]:]) == "" {
					reason = prose[at+m[2] : at+m[3]]
				}
			}
			continue
		}
		reason = ""
	}
	return t
}

// parseHelp finds the lines of a help text: up to the lists of arguments and flags.
func parseHelp(name, content string) *text {
	t := &text{name: name, help: true}
	lines := strings.Split(content, "\n")
	for i, l := range lines {
		if slices.Contains([]string{"Arguments:", "Flags:", "Commands:"}, l) {
			lines = lines[:i]
			break
		}
	}
	var prose []string
	first := 1
	flush := func(next int) {
		t.addSpans(first, strings.Join(prose, "\n"), quoted)
		prose, first = nil, next+1
	}
	for i := 0; i < len(lines); {
		if !strings.HasPrefix(lines[i], "    ") {
			prose = append(prose, lines[i])
			i++
			continue
		}
		start := i
		var block []string
		for ; i < len(lines) && strings.HasPrefix(lines[i], "    "); i++ {
			block = append(block, strings.TrimPrefix(lines[i], "    "))
		}
		flush(i)
		t.addBlock(start+1, block, "")
	}
	flush(len(lines))
	return t
}

// verbs returns the names in the list of commands of a help text, without those of
// the verb above.
func verbs(help string, parents []string) []string {
	_, list, found := strings.Cut(help, "\nCommands:\n")
	if !found {
		return nil
	}
	var names []string
	prefix := strings.Join(append(parents[:len(parents):len(parents)], ""), " ")
	for l := range strings.Lines(list) {
		if !strings.HasPrefix(l, "  ") {
			break
		}
		if strings.HasPrefix(l, "   ") {
			continue // goes on
		}
		name, _, _ := strings.Cut(strings.TrimSpace(l), "  ")
		name = strings.TrimPrefix(name, prefix)
		name, _, _ = strings.Cut(name, " ") // of its arguments
		names = append(names, name)
	}
	return names
}
