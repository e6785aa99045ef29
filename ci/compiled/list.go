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
	"strconv"
	"strings"
)

// A list is in the folder reasons. The file common.txt has comments, reasons that many entries
// share, and public packages:
//
//	name = reason
//	public package	reason
//
// Each package has a file with its public files and functions, and the entries of the others:
//
//	public file or function	reason or name
//
//	package function
//		kind, kind	reason or name	source text
//
// A kind has the number on every architecture, if it is not 1, and what differs from that:
// "branch 2 arm+mips=3" is three times on two architectures and twice on the others,
// "index 386=1" is nowhere else.
type list struct {
	root    string
	names   map[string]bool
	public  map[string]string // the reasons of packages, files ("sm2/der.go") and functions ("sm2 f")
	reasons map[place]reason
	files   map[string]bool // those read with publicFile
}

type reason struct {
	kinds entry
	text  string
}

// unexplained is the reason of a new entry.
const unexplained = "?"

const reasonsDir = "ci/compiled/reasons"

// listFile is the file of a package, or common.txt.
func listFile(pkg string) string {
	if pkg == "" {
		pkg = "common"
	}
	return path.Join(reasonsDir, strings.ReplaceAll(pkg, "/", "-")+".txt")
}

func newList(root string) *list {
	return &list{root, map[string]bool{}, map[string]string{}, map[place]reason{}, map[string]bool{}}
}

// read reads the file of a package, which has none if there is nothing to explain, or common.txt,
// which must be the first.
func (l *list) read(pkg string) error {
	file := listFile(pkg)
	text, err := os.ReadFile(filepath.Join(l.root, file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return l.parse(file, pkg, string(text))
}

// publicFile reports whether a file of another package than pkg is public. It reads the list of
// that package.
func (l *list) publicFile(pkg, file string) (bool, error) {
	other := path.Dir(file)
	if other == pkg {
		return false, nil
	}
	if _, ok := l.public[other]; ok {
		return true, nil
	}
	if _, ok := l.files[file]; !ok {
		list := newList(l.root)
		list.names = l.names
		if err := list.read(other); err != nil {
			return false, err
		}
		_, l.files[file] = list.public[file]
	}
	return l.files[file], nil
}

// write writes the files of packages.
func (l *list) write(packages []string) error {
	for _, pkg := range packages {
		file, text := filepath.Join(l.root, listFile(pkg)), l.text(pkg)
		if text == "" {
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// parse adds the text of a file: that of a package, or common.txt.
func (l *list) parse(file, want, text string) error {
	var at place
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		bad := func(what string) error { return fmt.Errorf("%s:%d: %s: %q", file, n, what, line) }
		explained := func(why string) bool { return strings.Contains(why, " ") || why == unexplained || l.names[why] }
		name, why, public := strings.Cut(strings.TrimPrefix(line, "public "), "\t")
		public = public && strings.HasPrefix(line, "public ")
		switch {
		case line == "" || strings.HasPrefix(line, "#") && want == "":
		case public:
			switch {
			case strings.HasSuffix(name, ".go"):
				name = path.Join(want, name)
			case want != "":
				name = want + " " + name
			}
			if _, ok := l.public[name]; ok || !explained(why) {
				return bad("want one reason, or the name of one")
			}
			l.public[name] = why
		case want == "":
			name, _, named := strings.Cut(line, " = ")
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
			if !explained(fields[1]) {
				return bad("no reason of this name")
			}
			kinds, err := parseEntry(fields[0])
			if err != nil {
				return bad(err.Error())
			}
			l.reasons[at] = reason{kinds, fields[1]}
		}
	}
	return nil
}

// parseEntry reads the kinds of an entry.
func parseEntry(s string) (entry, error) {
	e := entry{}
	for text := range strings.SplitSeq(s, ", ") {
		fields := strings.Fields(text)
		if len(fields) == 0 || !slices.Contains([]string{branch, bounds, index, division, compare}, fields[0]) {
			return nil, fmt.Errorf("no kind is %q", text)
		}
		kind, rest := fields[0], fields[1:]
		usual := 0
		if len(rest) == 0 {
			usual = 1
		} else if n, err := strconv.Atoi(rest[0]); err == nil {
			usual, rest = n, rest[1:]
		}
		e[kind] = tally{}
		for goarch := range architectures {
			e[kind][goarch] = usual
		}
		for _, field := range rest {
			names, number, _ := strings.Cut(field, "=")
			n, err := strconv.Atoi(number)
			if err != nil {
				return nil, fmt.Errorf("want architecture=number, not %q", field)
			}
			for goarch := range strings.SplitSeq(names, "+") {
				if _, ok := architectures[goarch]; !ok {
					return nil, fmt.Errorf("no architecture %s", goarch)
				}
				e[kind][goarch] = n
			}
		}
	}
	return e, nil
}

// String prints an entry as parseEntry reads it, as short as possible.
func (e entry) String() string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(e)) {
		with := map[int][]string{} // the architectures with a number
		for goarch := range architectures {
			with[e[kind][goarch]] = append(with[e[kind][goarch]], goarch)
		}
		numbers := slices.Sorted(maps.Keys(with))
		usual := slices.MaxFunc(numbers, func(a, b int) int { return len(with[a]) - len(with[b]) })
		text := kind
		if usual > 1 || usual == 1 && len(numbers) > 1 {
			text += " " + strconv.Itoa(usual)
		}
		for _, n := range numbers {
			if n != usual {
				slices.Sort(with[n])
				text += fmt.Sprintf(" %s=%d", strings.Join(with[n], "+"), n)
			}
		}
		kinds = append(kinds, text)
	}
	return strings.Join(kinds, ", ")
}

// text is that of the file of a package.
func (l *list) text(pkg string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l.public)) {
		rest, ok := strings.CutPrefix(name, pkg+" ")
		if path.Dir(name) == pkg && strings.HasSuffix(name, ".go") {
			rest, ok = path.Base(name), true
		}
		if ok {
			fmt.Fprintf(&b, "public %s\t%s\n", rest, l.public[name])
		}
	}
	last := ""
	for _, at := range slices.SortedFunc(maps.Keys(l.reasons), func(a, b place) int {
		return slices.Compare([]string{a.function, a.text}, []string{b.function, b.text})
	}) {
		if at.pkg != pkg {
			continue
		}
		if at.function != last {
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "%s %s\n", at.pkg, at.function)
			last = at.function
		}
		r := l.reasons[at]
		fmt.Fprintf(&b, "\t%s\t%s\t%s\n", r.kinds, r.text, at.text)
	}
	return b.String()
}

// A problem is a place where the list and the code differ, or a public name for nothing.
type problem struct {
	place
	what []string
}

func (p problem) String() string {
	return strings.TrimSuffix(p.place.String(), ": ") + "\n\t" + strings.Join(p.what, "\n\t")
}

// compare returns the differences between the list and what was found on some architectures.
func (l *list) compare(found *entries, goarchs []string) (problems []problem) {
	add := func(at place, what []string) {
		if len(what) > 0 {
			problems = append(problems, problem{at, what})
		}
	}
	for at, e := range found.at {
		what := differences(e, l.reasons[at].kinds, goarchs)
		if l.reasons[at].text == unexplained {
			what = append(what, "is in the list without a reason")
		}
		add(at, what)
	}
	for at, r := range l.reasons {
		if found.at[at] == nil {
			add(at, differences(nil, r.kinds, goarchs))
		}
	}
	for name, why := range l.public {
		pkg, rest, ok := strings.Cut(name, " ")
		if !ok {
			pkg, rest = path.Split(name)
			pkg = path.Clean(pkg)
		}
		switch {
		case !found.has(pkg): // a public package
		case strings.HasSuffix(name, ".go"):
			if _, err := os.Stat(filepath.Join(l.root, name)); err != nil {
				add(place{pkg: pkg, function: rest}, []string{"is named public and does not exist"})
			}
		case !found.matched[name]:
			add(place{pkg: pkg, function: rest}, []string{"is named public and does not exist"})
		case why == unexplained:
			add(place{pkg: pkg, function: rest}, []string{"is named public without a reason"})
		}
	}
	slices.SortFunc(problems, func(a, b problem) int { return strings.Compare(a.String(), b.String()) })
	return problems
}

// differences says which numbers in the code are not those in the list.
func differences(code, list entry, goarchs []string) (what []string) {
	for _, kind := range []string{branch, bounds, index, division, compare} {
		where := map[[2]int][]string{}
		for _, goarch := range goarchs {
			n := [2]int{code[kind][goarch], list[kind][goarch]}
			where[n] = append(where[n], goarch)
		}
		for _, n := range slices.SortedFunc(maps.Keys(where), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
			if n[0] != n[1] {
				what = append(what, fmt.Sprintf("%s on %s: %d in the code, %d in the list", kind, strings.Join(where[n], ", "), n[0], n[1]))
			}
		}
	}
	return what
}

// update makes the list that of what was found. It keeps reasons, but not those of entries
// of which there is now more. It returns the number of those to explain.
func (l *list) update(found *entries) (fresh int) {
	for at := range l.reasons {
		if found.at[at] == nil {
			delete(l.reasons, at)
		}
	}
	for at, e := range found.at {
		r, ok := l.reasons[at]
		for kind, tally := range e {
			for goarch, n := range tally {
				ok = ok && n <= r.kinds[kind][goarch]
			}
		}
		if !ok {
			r.text = unexplained
		}
		if r.text == unexplained {
			fresh++
			fmt.Printf("%s: %s\n", at, e)
		}
		l.reasons[at] = reason{e, r.text}
	}
	return fresh
}
