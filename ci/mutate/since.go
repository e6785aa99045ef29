//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A unit is a declaration of a file: a function, a variable, a constant or a type of Go,
// or a function, data or a macro of assembly.
type unit struct {
	name       string
	start, end int
	text       string // without what does not matter: comments and white space
	old        string // the text before, if it changed; empty if the unit is new
}

// units returns the declarations of a file. A Go file with a syntax error has none.
func units(name string, src []byte) []unit {
	if strings.HasSuffix(name, ".s") {
		return asmUnits(src)
	}
	return goUnits(src)
}

func goUnits(src []byte) (list []unit) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	add := func(n ast.Node, names ...ast.Node) {
		u := unit{start: fset.Position(n.Pos()).Offset, end: fset.Position(n.End()).Offset}
		for _, name := range names {
			u.name += " " + goText(src[fset.Position(name.Pos()).Offset:fset.Position(name.End()).Offset])
		}
		u.text = goText(src[u.start:u.end])
		list = append(list, u)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				add(d, d.Recv, d.Name)
			} else {
				add(d, d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s, s.Name)
				case *ast.ValueSpec:
					var names []ast.Node
					for _, name := range s.Names {
						names = append(names, name)
					}
					add(s, names...)
				}
			}
		}
	}
	return list
}

// goText returns the tokens of Go source, without semicolons that end a list of statements.
func goText(src []byte) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(src)), src, nil, 0)
	var words []string
	for {
		switch _, tok, literal := s.Scan(); {
		case tok == token.EOF:
			return strings.TrimSuffix(strings.Join(words, " "), " ;")
		case (tok == token.RBRACE || tok == token.RPAREN) && len(words) > 0 && words[len(words)-1] == ";":
			words[len(words)-1] = tok.String()
		case tok.IsLiteral():
			words = append(words, literal)
		default:
			words = append(words, tok.String())
		}
	}
}

func asmUnits(src []byte) (list []unit) {
	var lines []string
	at := 0
	for line := range bytes.Lines(src) {
		if m := asmDeclaration.FindSubmatch(line); m != nil {
			// A table is many lines of DATA.
			name := string(m[1])
			if len(list) == 0 || list[len(list)-1].name != name || !bytes.HasPrefix(line, []byte("DATA")) {
				list, lines = append(list, unit{name: name, start: at}), nil
			}
		}
		at += len(line)
		if len(list) == 0 {
			continue
		}
		code, _, _ := strings.Cut(string(line), "//")
		if code = spaced(code); code != "" {
			lines = append(lines, code)
		}
		u := &list[len(list)-1]
		u.end, u.text = at, strings.Join(lines, "\n")
	}
	return list
}

// A version is what a file was and is. A file that is new or gone has one text only.
type version struct {
	name     string
	old, new []byte
}

// changedUnits returns the units that changed, by file. Units that moved, also to
// another file, did not change.
func changedUnits(files []version) map[string][]unit {
	slices.SortFunc(files, func(a, b version) int { return cmp.Compare(a.name, b.name) })
	changed := map[string][]unit{}
	gone := map[string]int{} // texts that are no longer where they were
	for _, f := range files {
		before := map[string]string{}
		left := map[string]int{}
		for _, u := range units(f.name, f.old) {
			before[u.name] += u.text + "\n"
			left[u.text]++
		}
		for _, u := range units(f.name, f.new) {
			if left[u.text] > 0 {
				left[u.text]--
				continue
			}
			u.old = before[u.name]
			changed[f.name] = append(changed[f.name], u)
		}
		for text, n := range left {
			gone[text] += n
		}
	}
	for _, name := range sorted(changed) {
		changed[name] = slices.DeleteFunc(changed[name], func(u unit) bool {
			gone[u.text]--
			return gone[u.text] >= 0
		})
		if len(changed[name]) == 0 {
			delete(changed, name)
		}
	}
	return changed
}

// seedOf returns a number made of what changed in the files of a stratum.
func seedOf(sources []*source) uint64 {
	h := sha256.New()
	for _, f := range sources {
		for _, u := range f.units {
			for _, s := range []string{f.name, u.name, u.old, u.text} {
				fmt.Fprintf(h, "%d ", len(s))
				io.WriteString(h, s)
			}
		}
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// costs are of packages whose tests take long, in seconds of a CPU, roughly. The cost of
// the others is 1. Costs are a table and not measured, so that a busy machine draws the
// same changes as a quiet one.
var costs = map[string]int{
	"aes": 2, "chunked": 2, "frodokem": 3, "linux": 2, "sm2": 3, "sm4": 3,
	"cmd/cipherlane": 20, "cmd/cipherlane/internal/files": 20, "cmd/cipherlane/internal/substitute": 20,
	"internal/ctcheck": 4, "internal/machine": 4, "internal/prove": 12,
}

func cost(p *pkg) int {
	most := 1
	for _, dir := range p.tests {
		most = max(most, costs[dir])
	}
	return most
}

// spend gives each stratum in turn a change until n is spent. It gives at least one in
// all. If n is too small for every stratum, the seeds decide which ones get nothing.
func spend(strata []*stratum, n int) {
	turns := slices.SortedStableFunc(slices.Values(strata), func(a, b *stratum) int { return cmp.Compare(a.seed, b.seed) })
	for gave := true; gave; {
		gave = false
		for _, s := range turns {
			if s.quota < s.size() && n >= s.cost {
				s.quota++
				n -= s.cost
				gave = true
			}
		}
	}
	if n > 0 && !slices.ContainsFunc(turns, func(s *stratum) bool { return s.quota > 0 }) {
		turns[0].quota = 1
	}
}

// A repository is a folder in a work tree of git.
type repository struct {
	ctx context.Context
	top string
}

// git returns what a command of git prints.
func (r repository) git(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(r.ctx, "git", args...)
	cmd.Dir = r.top
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	output, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		said, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		return nil, fmt.Errorf("git %s: %s", strings.Join(args, " "), cmp.Or(said, exit.Error()))
	}
	return output, err
}

// commit returns the commit that a name stands for.
func (r repository) commit(name string) (string, error) {
	id, err := r.git("rev-parse", "--verify", "--quiet", name+"^{commit}")
	return strings.TrimSpace(string(id)), err
}

// mergeBase returns the newest commit that two have in common.
func (r repository) mergeBase(a, b string) (string, error) {
	id, err := r.git("merge-base", a, b)
	return strings.TrimSpace(string(id)), err
}

// A base is the commit that the work tree is compared with.
type base struct{ commit, name string }

func (b base) String() string { return b.commit[:min(12, len(b.commit))] + ", " + b.name }

// errNoBase says why there is no commit to compare with.
type errNoBase struct{ error }

// upstream is the value of -since for what is new in this branch.
const upstream = "upstream"

// base returns the commit that a value of -since means.
func (r repository) base(rev string) (base, error) {
	if rev != upstream {
		return r.mergeBaseWith(rev)
	}
	if _, err := r.git("rev-parse", "--git-dir"); err != nil {
		return base{}, errNoBase{err}
	}
	head, err := r.commit("HEAD")
	if err != nil {
		return base{}, errNoBase{errors.New("this repository has no commit")}
	}
	for _, name := range []string{"@{upstream}", "origin/main", "origin/master"} {
		compared, err := r.commit(name)
		if err != nil {
			continue
		}
		commit, err := r.mergeBase(compared, head)
		if err != nil || name != "@{upstream}" && commit != compared {
			continue // another history, or one that a shallow clone does not have
		}
		if commit == head {
			// All commits are there. New is what is not committed yet.
			if units, err := r.changed(head); err != nil || len(units) == 0 {
				continue
			}
		}
		return base{commit, "the merge base with " + name}, nil
	}
	parent, err := r.commit("HEAD~1")
	if err != nil {
		return base{}, errNoBase{errors.New("HEAD has no parent in this clone, and no upstream branch")}
	}
	return base{parent, "the parent of HEAD"}, nil
}

func (r repository) mergeBaseWith(rev string) (base, error) {
	if strings.HasPrefix(rev, "-") {
		return base{}, fmt.Errorf("-since is a revision of git, not %s", rev)
	}
	if _, err := r.git("rev-parse", "--git-dir"); err != nil {
		return base{}, fmt.Errorf("-since %s: %w", rev, err)
	}
	revision, err := r.commit(rev)
	if err != nil {
		return base{}, fmt.Errorf("-since %s: this clone has no such commit", rev)
	}
	commit, err := r.mergeBase(revision, "HEAD")
	if err != nil {
		return base{}, fmt.Errorf("-since %s: this clone has no commit that is in its history and in that of HEAD; fetch more", rev)
	}
	return base{commit, "the merge base with " + rev}, nil
}

// files returns the files of the work tree that changed since a commit, with whether it had them.
func (r repository) files(commit string) (map[string]bool, error) {
	// Plumbing: what users configure for git diff and git status does not matter.
	output, err := r.git("diff-index", "-z", "--name-status", "--no-renames", "--relative", commit, "--")
	if err != nil {
		return nil, err
	}
	untracked, err := r.git("ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	wasThere := map[string]bool{}
	fields := strings.Split(string(output), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		wasThere[fields[i+1]] = fields[i] != "A"
	}
	for name := range strings.SplitSeq(string(untracked), "\x00") {
		if _, ok := wasThere[name]; !ok && name != "" { // it may be in the commit, and no longer in the index
			wasThere[name] = false
		}
	}
	return wasThere, nil
}

// changed returns the units of the work tree that changed since a commit, by file.
func (r repository) changed(commit string) (map[string][]unit, error) {
	wasThere, err := r.files(commit)
	if err != nil {
		return nil, err
	}
	var files []version
	for name, was := range wasThere {
		if !strings.HasSuffix(name, ".s") && !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f := version{name: name}
		if was {
			if f.old, err = r.git("cat-file", "blob", commit+":./"+name); err != nil {
				return nil, err
			}
		}
		if f.new, err = os.ReadFile(filepath.Join(r.top, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		files = append(files, f)
	}
	return changedUnits(files), nil
}
