//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A change replaces bytes of a file.
type change struct {
	start, end int
	text, kind string
}

// A mutant is a change with what is said about it.
type mutant struct {
	Package, File string // slash-separated, from the top of the module
	Func          string // function, or symbol of assembly, that it is in
	Line          int
	Nth           int `json:",omitempty"` // of equal lines in Func, if not the first one
	Kind          string
	Old, New      []string // the lines that change
	change        change
}

func (m mutant) diff() string {
	var b strings.Builder
	b.WriteString(m.heading() + "\n")
	for _, line := range m.Old {
		fmt.Fprintf(&b, "-%s\n", line)
	}
	for _, line := range m.New {
		fmt.Fprintf(&b, "+%s\n", line)
	}
	return b.String()
}

// heading is the first line of a diff: the file, the function and, if not 1, Nth.
func (m mutant) heading() string {
	heading := m.File
	if m.Func != "" {
		heading += " " + m.Func
	}
	if m.Nth > 0 {
		heading += fmt.Sprintf(" #%d", m.Nth)
	}
	return heading
}

// key identifies a mutant although lines move.
func (m mutant) key() string {
	return strings.Join(slices.Concat([]string{m.heading()}, trimmed(m.Old), []string{"->"}, trimmed(m.New)), "\n")
}

func trimmed(lines []string) []string {
	var list []string
	for _, line := range lines {
		if line = spaced(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// spaced returns a line with one space between words: that assembly is aligned does not matter.
func spaced(line string) string { return strings.Join(strings.Fields(line), " ") }

// apply returns the text after a change.
func apply(src []byte, c change) []byte {
	return slices.Concat(src[:c.start], []byte(c.text), src[c.end:])
}

// A source is a file with its possible changes.
type source struct {
	name    string
	text    []byte
	changes []change // all
	drawn   []change // those that may be drawn
	units   []unit   // those that changed, with -since
}

// changesOf returns the possible changes of a file.
func changesOf(name string, text []byte) ([]change, error) {
	if strings.HasSuffix(name, ".s") {
		return asmChanges(text), nil
	}
	return goChanges(name, text)
}

// ends are the bytes that end lines, or instructions of assembly.
func (s *source) ends() string {
	if strings.HasSuffix(s.name, ".s") {
		return "\n;"
	}
	return "\n"
}

// lines returns where the lines that a change touches begin and end.
func (s *source) lines(c change) (from, to int) {
	from, to = bytes.LastIndexAny(s.text[:c.start], s.ends())+1, len(s.text)
	if i := bytes.IndexAny(s.text[c.end:], s.ends()); i >= 0 {
		to = c.end + i
	}
	return from, to
}

// keysOf returns the keys of the changes of a file, as far as they are in a list.
func keysOf[V any](s *source, pkg string, list map[string]V) map[string][]int {
	old := map[string]bool{} // the second line of a key is text
	for key := range list {
		if parts := strings.SplitN(key, "\n", 3); strings.HasPrefix(parts[0]+" ", s.name+" ") {
			old[parts[1]] = true
		}
	}
	found := map[string][]int{}
	if len(old) == 0 {
		return found
	}
	for i, c := range s.changes {
		from, to := s.lines(c)
		line, _, _ := bytes.Cut(bytes.TrimSpace(s.text[from:to]), []byte("\n"))
		if !old[spaced(string(line))] {
			continue
		}
		key := s.mutant(pkg, c).key()
		if _, ok := list[key]; ok {
			found[key] = append(found[key], i)
		}
	}
	return found
}

// mutant describes a change of the file.
func (s *source) mutant(pkg string, c change) mutant {
	from, to := s.lines(c) // before and after
	after := string(s.text[from:c.start]) + c.text + string(s.text[c.end:to])
	name, begin := functionAt(s.name, s.text, c.start)
	m := mutant{
		Package: pkg, File: s.name, Func: name, Kind: c.kind, change: c,
		Line: 1 + bytes.Count(s.text[:c.start], []byte("\n")),
		Old:  strings.Split(string(s.text[from:to]), "\n"),
	}
	if strings.TrimSpace(after) != "" {
		m.New = strings.Split(after, "\n")
	}
	for _, line := range strings.FieldsFunc(string(s.text[min(begin, from):from]), func(r rune) bool { return strings.ContainsRune(s.ends(), r) }) {
		if spaced(line) == spaced(m.Old[0]) {
			m.Nth = max(m.Nth, 1) + 1
		}
	}
	return m
}

var (
	goDeclaration  = regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|(?:var|const|type)\b *)(\w*)`)
	asmDeclaration = regexp.MustCompile(`^(?:TEXT|DATA|#define) *(·?[\w<>·]+)`)
)

// functionAt returns the name of the last declaration that begins before an offset, or in
// the same line, and where it begins.
func functionAt(name string, text []byte, offset int) (string, int) {
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		offset += i
	}
	if strings.HasSuffix(name, ".s") {
		at := 0
		for _, word := range []string{"\nTEXT ", "\nDATA ", "\n#define "} {
			at = max(at, bytes.LastIndex(text[:offset], []byte(word))+1)
		}
		if m := asmDeclaration.FindSubmatch(text[at:offset]); m != nil {
			return string(m[1]), at
		}
	} else if all := goDeclaration.FindAllSubmatchIndex(text[:offset], -1); len(all) > 0 {
		last := all[len(all)-1]
		return string(text[last[2]:last[3]]), last[0]
	}
	return "", 0
}

// A stratum is the Go or the assembly of a package.
type stratum struct {
	pkg     string
	sources []*source
	seed    uint64
	order   []int // a permutation of the changes of all sources
	cost    int   // of a change, with -since
	quota   int
}

func (s *stratum) size() (n int) {
	for _, f := range s.sources {
		n += len(f.drawn)
	}
	return n
}

// next draws a mutant without putting it back.
func (s *stratum) next() (mutant, bool) {
	if len(s.order) == 0 {
		return mutant{}, false
	}
	i := s.order[0]
	s.order = s.order[1:]
	for _, f := range s.sources {
		if i < len(f.drawn) {
			return f.mutant(s.pkg, f.drawn[i]), true
		}
		i -= len(f.drawn)
	}
	panic("not reached")
}

// limit permits only changes in the units that changed.
func (s *source) limit(changed []unit) {
	s.units = changed
	s.drawn = slices.DeleteFunc(slices.Clone(s.changes), func(c change) bool {
		return !slices.ContainsFunc(changed, func(u unit) bool { return u.start <= c.start && c.end <= u.end })
	})
}

// candidates reads the files of packages. With -since, changed are the units that changed,
// by file.
func candidates(top string, o options, match *regexp.Regexp, packages map[string]*pkg, changed map[string][]unit) ([]*stratum, error) {
	var strata []*stratum
	for _, dir := range sorted(packages) {
		p := packages[dir]
		if len(p.tests) == 0 {
			continue
		}
		for language, names := range map[string][]string{"go": p.GoFiles, "asm": p.SFiles} {
			if o.onlyLanguage != "" && o.onlyLanguage != language {
				continue
			}
			s := &stratum{pkg: dir, cost: cost(p)}
			for _, name := range names {
				f := &source{name: path.Join(dir, name)}
				if !match.MatchString(f.name) || o.sinceRevision != "" && changed[f.name] == nil {
					continue
				}
				var err error
				if f.text, err = os.ReadFile(filepath.Join(top, f.name)); err != nil {
					return nil, err
				}
				if f.changes, err = changesOf(f.name, f.text); err != nil {
					return nil, err
				}
				f.drawn = f.changes
				if o.sinceRevision != "" {
					f.limit(changed[f.name])
				}
				s.sources = append(s.sources, f)
			}
			n := s.size()
			if n == 0 {
				continue
			}
			s.seed = uint64(len(language))
			for _, c := range []byte(dir) {
				s.seed = s.seed*1099511628211 + uint64(c)
			}
			if o.sinceRevision != "" {
				s.seed = seedOf(s.sources)
			}
			s.order = rand.New(rand.NewPCG(o.seed, s.seed)).Perm(n)
			strata = append(strata, s)
		}
	}
	if len(strata) == 0 && o.sinceRevision == "" {
		return nil, errors.New("nothing to change: no file matches, or no package has tests")
	}
	slices.SortFunc(strata, func(a, b *stratum) int {
		return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.sources[0].name, b.sources[0].name))
	})
	return strata, nil
}

// onlySurvivors leaves only the changes that survived when the results were written.
func onlySurvivors(strata []*stratum, results map[string]result) {
	for _, s := range strata {
		for _, f := range s.sources {
			var left []change
			for key, indices := range keysOf(f, s.pkg, results) {
				if c := f.changes[indices[0]]; results[key].Verdict == survived && slices.Contains(f.drawn, c) {
					left = append(left, c)
				}
			}
			f.drawn = left
		}
		s.quota = s.size()
		s.order = rand.Perm(s.quota)
	}
}

// share gives each stratum its part of n, in proportion to the square root of its size.
func share(strata []*stratum, n int) {
	sum := 0.0
	for _, s := range strata {
		sum += math.Sqrt(float64(s.size()))
	}
	before := 0.0
	for _, s := range strata {
		after := before + math.Sqrt(float64(s.size()))*float64(n)/sum
		s.quota = int(math.Round(after)) - int(math.Round(before))
		before = after
	}
}

// order returns the strata so that the quotas are used up evenly: a run that ends early
// has tested something of all.
func order(strata []*stratum) (list []*stratum) {
	type turn struct {
		at float64
		s  *stratum
	}
	var turns []turn
	for _, s := range strata {
		for i := range s.quota {
			turns = append(turns, turn{(float64(i) + 0.5) / float64(s.quota), s})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	for _, t := range turns {
		list = append(list, t.s)
	}
	return list
}

// A pkg is what the go command says of a package.
type pkg struct {
	Dir, ImportPath           string
	GoFiles, SFiles           []string
	TestGoFiles, XTestGoFiles []string
	tests                     []string // folders of the packages with its tests
}

// notLibrary are packages that only tests and CI use.
var notLibrary = regexp.MustCompile(`^(ci|_gen|peers)(/|$)|^internal/(catalog|conformance|repotest|ctgrind|vectors)$|/spec$`)

// list returns packages of the workspace by folder: those of the module at its top, if there
// are no patterns.
func list(ctx context.Context, top string, o options, patterns []string) (map[string]*pkg, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	all, err := goList(ctx, top, o, "./...")
	if err != nil {
		return nil, err
	}
	chosen, err := goList(ctx, top, o, patterns...)
	if err != nil {
		return nil, err
	}
	maps.Copy(all, chosen) // maybe of another module
	for dir, p := range chosen {
		for _, testDir := range []string{dir, kernelUser(dir)} {
			if q := all[testDir]; q != nil && len(q.TestGoFiles)+len(q.XTestGoFiles) > 0 {
				p.tests = append(p.tests, testDir)
			}
		}
		if notLibrary.MatchString(dir) {
			delete(chosen, dir)
		}
	}
	return chosen, nil
}

// kernelUser returns the package that uses the kernels in a folder internal/<goarch>. The
// command has none, and its tests take minutes.
func kernelUser(dir string) string {
	if user, _, ok := strings.Cut(dir, "/internal/"); ok && !strings.HasPrefix(dir, "cmd/") {
		return user
	}
	return ""
}

func goList(ctx context.Context, top string, o options, patterns ...string) (map[string]*pkg, error) {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-tags=" + o.tags, "-json=Dir,ImportPath,GoFiles,SFiles,TestGoFiles,XTestGoFiles"}, patterns)...)
	cmd.Dir = top
	cmd.Env = environment(o)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	base, err := filepath.Abs(top)
	if err != nil {
		return nil, err
	}
	packages := map[string]*pkg{}
	for d := json.NewDecoder(bytes.NewReader(output)); ; {
		p := new(pkg)
		switch err := d.Decode(p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, err
		}
		dir, err := filepath.Rel(base, p.Dir)
		if err != nil {
			return nil, err
		}
		packages[filepath.ToSlash(dir)] = p
	}
}

// environment returns the environment of the go command.
func environment(o options) []string {
	env := os.Environ()
	if o.goarch != "" {
		env = append(env, "GOARCH="+o.goarch)
	}
	return env
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
