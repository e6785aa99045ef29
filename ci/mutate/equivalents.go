//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listed is the file with the changes that no test can notice.
const listed = "ci/mutate/equivalents.txt"

// An entry is one of them, with the reason.
type entry struct {
	mutant
	reason string
}

func (e entry) String() string { return e.mutant.diff() + e.reason + "\n" }

// equivalents are the entries by key.
type equivalents map[string]entry

func (e equivalents) has(m mutant) bool { _, ok := e[m.key()]; return ok }

// readEquivalents reads the list. Entries are separated by empty lines. They are diffs as
// mutate prints them, followed by the reason.
func readEquivalents(top string) (equivalents, error) {
	text, err := os.ReadFile(filepath.Join(top, listed))
	if err != nil {
		return nil, err
	}
	list := equivalents{}
	for stanza := range strings.SplitSeq(string(text), "\n\n") {
		if stanza = strings.Trim(stanza, "\n"); strings.HasPrefix(stanza, "#") {
			continue
		}
		e, err := parseEntry(stanza)
		if err != nil {
			return nil, fmt.Errorf("%s: %w:\n%s", listed, err, stanza)
		}
		if list.has(e.mutant) {
			return nil, fmt.Errorf("%s: twice:\n%s", listed, stanza)
		}
		list[e.key()] = e
	}
	return list, nil
}

func parseEntry(stanza string) (e entry, err error) {
	lines := strings.Split(stanza, "\n")
	e.File, e.Func, _ = strings.Cut(lines[0], " ")
	if name, nth, ok := strings.Cut(e.Func, " #"); ok {
		e.Func = name
		if e.Nth, err = strconv.Atoi(nth); err != nil {
			return e, err
		}
	}
	for _, line := range lines[1:] {
		switch {
		case e.reason != "" || !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "+"):
			e.reason = strings.TrimSpace(e.reason + "\n" + line)
		case line[0] == '-':
			e.Old = append(e.Old, line[1:])
		default:
			e.New = append(e.New, line[1:])
		}
	}
	if len(e.Old) == 0 {
		return e, fmt.Errorf("no line to change")
	}
	if e.reason == "" {
		return e, fmt.Errorf("no reason")
	}
	return e, nil
}

// stale returns the entries for files of strata that are no change of them.
func (e equivalents) stale(strata []*stratum) (list []entry) {
	for _, s := range strata {
		for _, f := range s.sources {
			found := keysOf(f, s.pkg, e)
			for _, key := range sorted(e) {
				if e[key].File == f.name && found[key] == nil {
					list = append(list, e[key])
				}
			}
		}
	}
	return list
}
