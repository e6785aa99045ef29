package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A list is reasons.txt. It begins with comments and with reasons that many entries share,
// and continues with functions and their entries:
//
//	name = reason
//
//	package function
//		kind,kind	reason or name	source text
type list struct {
	head    []string // comments and named reasons
	names   map[string]bool
	reasons map[place]reason
}

type reason struct {
	kinds []string
	text  string
}

// unexplained is the reason of a new entry.
const unexplained = "?"

func parseList(text string) (*list, error) {
	l := &list{names: map[string]bool{}, reasons: map[place]reason{}}
	var at place
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		bad := func(what string) error { return fmt.Errorf("%s:%d: %s: %q", listFile, n, what, line) }
		name, _, named := strings.Cut(line, " = ")
		switch {
		case line == "":
		case strings.HasPrefix(line, "#"):
			l.head = append(l.head, line)
		case named && !strings.HasPrefix(line, "\t"):
			l.head = append(l.head, line)
			l.names[name] = true
		case !strings.HasPrefix(line, "\t"):
			pkg, function, ok := strings.Cut(line, " ")
			if !ok {
				return nil, bad("want a package and a function")
			}
			at = place{pkg: pkg, function: function}
		default:
			fields := strings.SplitN(line[1:], "\t", 3)
			if len(fields) != 3 || at.function == "" {
				return nil, bad("want kinds, a reason and a source text")
			}
			at.text = fields[2]
			if _, ok := l.reasons[at]; ok {
				return nil, bad("a second entry")
			}
			if why := fields[1]; !strings.Contains(why, " ") && why != unexplained && !l.names[why] {
				return nil, bad("no reason of this name")
			}
			l.reasons[at] = reason{strings.Split(fields[0], ","), fields[1]}
		}
	}
	return l, nil
}

func (l *list) String() string {
	var b strings.Builder
	for _, line := range l.head {
		b.WriteString(line + "\n")
	}
	last := place{}
	for _, at := range slices.SortedFunc(maps.Keys(l.reasons), func(a, b place) int {
		return slices.Compare([]string{a.pkg, a.function, a.text}, []string{b.pkg, b.function, b.text})
	}) {
		if at.pkg != last.pkg || at.function != last.function {
			fmt.Fprintf(&b, "\n%s %s\n", at.pkg, at.function)
			last = at
		}
		r := l.reasons[at]
		fmt.Fprintf(&b, "\t%s\t%s\t%s\n", strings.Join(r.kinds, ","), r.text, at.text)
	}
	return b.String()
}

// A problem is an entry without a reason, or a reason without an entry.
type problem struct {
	place
	what string
}

func (p problem) String() string { return p.place.String() + "\n\t" + p.what }

// compare returns the differences between the list and what was found.
func (l *list) compare(found entries) (problems []problem) {
	for at, e := range found {
		r := l.reasons[at]
		for _, kind := range slices.Sorted(maps.Keys(e.kinds)) {
			if !slices.Contains(r.kinds, kind) {
				problems = append(problems, problem{at, fmt.Sprintf("%s on %s, not in the list", kind, strings.Join(e.kinds[kind], ", "))})
			}
		}
		if r.text == unexplained {
			problems = append(problems, problem{at, "is in the list without a reason"})
		}
	}
	for at, r := range l.reasons {
		for _, kind := range r.kinds {
			if found[at] == nil || found[at].kinds[kind] == nil {
				problems = append(problems, problem{at, kind + " is in the list and no longer in the code"})
			}
		}
	}
	slices.SortFunc(problems, func(a, b problem) int { return strings.Compare(a.String(), b.String()) })
	return problems
}

// update makes the list that of what was found. It keeps reasons, but not those of entries
// that have a new kind. It returns the number of those to explain.
func (l *list) update(found entries) (fresh int) {
	old := l.reasons
	l.reasons = map[place]reason{}
	for at, e := range found {
		kinds := slices.Sorted(maps.Keys(e.kinds))
		if len(kinds) == 0 {
			continue
		}
		r := reason{kinds, unexplained}
		if before, ok := old[at]; ok && !slices.ContainsFunc(kinds, func(k string) bool { return !slices.Contains(before.kinds, k) }) {
			r.text = before.text
		}
		if r.text == unexplained {
			fresh++
			fmt.Printf("%s: %s\n", at, strings.Join(kinds, ", "))
		}
		l.reasons[at] = r
	}
	return fresh
}
