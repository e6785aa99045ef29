package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A list is in the folder reasons. The file common.txt has comments and reasons that many entries
// share. Each package has a file with its functions and their entries:
//
//	name = reason
//
//	package function
//		kind,kind	reason or name	source text
type list struct {
	names   map[string]bool
	reasons map[place]reason
}

type reason struct {
	kinds []string
	text  string
}

// unexplained is the reason of a new entry.
const unexplained = "?"

const reasonsDir = "ci/compiled/reasons"

// listFile is the file of a package.
func listFile(pkg string) string {
	return path.Join(reasonsDir, strings.ReplaceAll(pkg, "/", "-")+".txt")
}

func newList() *list { return &list{map[string]bool{}, map[place]reason{}} }

// readList reads common.txt and the files of packages. Those of new packages need not be there.
func readList(root string, packages []string, fresh bool) (*list, error) {
	l := newList()
	for _, name := range append([]string{""}, packages...) {
		file := listFile(name)
		if name == "" {
			file = path.Join(reasonsDir, "common.txt")
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if errors.Is(err, fs.ErrNotExist) && fresh && name != "" {
			continue
		}
		if err == nil {
			err = l.parse(file, name, string(text))
		}
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// write writes the files of packages.
func (l *list) write(root string, packages []string) error {
	for _, pkg := range packages {
		if err := os.WriteFile(filepath.Join(root, listFile(pkg)), []byte(l.text(pkg)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// parse adds the text of a file, which has the names of reasons, or else entries of one package.
func (l *list) parse(file, want, text string) error {
	var at place
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		bad := func(what string) error { return fmt.Errorf("%s:%d: %s: %q", file, n, what, line) }
		name, _, named := strings.Cut(line, " = ")
		switch {
		case line == "" || strings.HasPrefix(line, "#") && want == "":
		case want == "":
			if !named || strings.HasPrefix(line, "\t") {
				return bad("want a name and a reason")
			}
			l.names[name] = true
		case !strings.HasPrefix(line, "\t"):
			pkg, function, ok := strings.Cut(line, " ")
			if !ok || pkg != want {
				return bad("want the package of this file and a function")
			}
			at = place{pkg: pkg, function: function}
		default:
			fields := strings.SplitN(line[1:], "\t", 3)
			if len(fields) != 3 || at.function == "" {
				return bad("want kinds, a reason and a source text")
			}
			at.text = fields[2]
			if _, ok := l.reasons[at]; ok {
				return bad("a second entry")
			}
			if why := fields[1]; !strings.Contains(why, " ") && why != unexplained && !l.names[why] {
				return bad("no reason of this name")
			}
			l.reasons[at] = reason{strings.Split(fields[0], ","), fields[1]}
		}
	}
	return nil
}

// text is that of the file of a package.
func (l *list) text(pkg string) string {
	var b strings.Builder
	last := place{}
	for _, at := range slices.SortedFunc(maps.Keys(l.reasons), func(a, b place) int {
		return slices.Compare([]string{a.function, a.text}, []string{b.function, b.text})
	}) {
		if at.pkg != pkg {
			continue
		}
		if at.function != last.function {
			if last.function != "" {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "%s %s\n", at.pkg, at.function)
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
