//go:build !mips && !mipsle && !mips64 && !mips64le

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/goroot"
)

// A goStd is a Go installation in whose standard library cryptography is cipherlane's.
type goStd struct {
	root    string // of the installation that was copied
	release string // of Go
	dir     string // the copy
	tag     string // the build tag that shows it in programs
	flags   string // GOFLAGS
}

// goCommand returns the path of the go command of the installation that was copied.
func (s *goStd) goCommand() string {
	name := "go"
	if filepath.Separator == '\\' {
		name += ".exe"
	}
	return filepath.Join(s.root, "bin", name)
}

// environment makes the go command use the copy. It must not change to another release.
func (s *goStd) environment() []string { return []string{"GOROOT=" + s.dir, "GOTOOLCHAIN=local"} }

// findStd finds the Go installation that the program in a directory uses.
func (q goQuery) findStd() (*goStd, error) {
	var env struct{ GOROOT, GOVERSION, GOFLAGS string }
	if err := q.json(&env, "env", "-json", "GOROOT", "GOVERSION", "GOFLAGS"); err != nil {
		return nil, err
	}
	release, _, _ := strings.Cut(env.GOVERSION, " ")
	return &goStd{root: env.GOROOT, release: release, flags: env.GOFLAGS}, nil
}

// untested explains why a release of Go is refused.
func (s *goStd) untested(err error) error {
	switch {
	case errors.Is(err, goroot.ErrUntested):
		return unavailableError{fmt.Errorf(`go --std: plain "go build" gives you Go's fixes now; this cipherlane was tested with %s, not with %s: "cipherlane go check" runs Go's own tests and tells whether to trust it`, goroot.Tested, s.release)}
	case errors.Is(err, goroot.ErrChanged):
		return unavailableError{fmt.Errorf("go --std: %s: the cryptography there is not that of %s as released, so it is not replaced; install Go again, or use plain \"go build\"", quote(s.root), s.release)}
	}
	return err
}

// make makes the copy, or finds it in the cache.
func (s *goStd) make(q goQuery, source string, members []goModule) error {
	own, err := q.findCipherlane(source, members)
	if err != nil {
		return err
	}
	cache, err := stdCache()
	if err != nil {
		return err
	}
	from := goroot.Source{Root: s.root, Module: own.Dir, Crypto: map[string]string{}}
	for _, p := range xcrypto.packages {
		from.Crypto[p.dir] = p.text
	}
	if s.dir, err = from.Make(cache); err != nil {
		var path *fs.PathError
		if errors.As(err, &path) && (strings.HasPrefix(path.Path, cache) || strings.HasPrefix(cache, path.Path)) {
			err = fmt.Errorf("%w; XDG_CACHE_HOME can name another directory", err)
		}
		return fmt.Errorf("go --std: %w", err)
	}
	s.tag = "cipherlane." + own.Version
	if own.Sum == "" {
		s.tag = "cipherlane.devel_" + filepath.Base(s.dir)[:12]
	}
	return nil
}

// stdCache returns the directory of the copies.
func stdCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("go --std: no directory for files that can be made again: %w", err)
	}
	return filepath.Join(dir, "cipherlane", "goroot"), nil
}

// passed is the file that says that "go check" was successful for an installation.
func (s *goStd) passed() (string, error) {
	cache, err := stdCache()
	if err != nil {
		return "", err
	}
	sum, err := goroot.Sum(s.root)
	return filepath.Join(cache, "checked-"+s.release+"-"+sum), err
}

// accept returns an error unless the release was tested, here or before.
func (s *goStd) accept(note func(format string, args ...any)) error {
	err := goroot.Check(s.root, s.release)
	if errors.Is(err, goroot.ErrUntested) {
		if name, e := s.passed(); e == nil {
			if info, e := os.Stat(name); e == nil {
				note("%s: \"cipherlane go check\" was successful on %s", s.release, info.ModTime().Format(time.DateOnly))
				return nil
			}
		}
	}
	return s.untested(err)
}

var tagsInFlags = regexp.MustCompile(`(?:^|\s)--?tags=(\S*)`)

// tagged adds the build tag to the arguments of the go command.
func (s *goStd) tagged(args []string) []string {
	join := func(list string) string {
		return strings.Join(append(strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }), s.tag), ",")
	}
	args = slices.Clone(args)
	for i, arg := range args[1:] {
		name, value, set := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		switch {
		case arg == "--" || arg == "-args" || arg == "--args":
		case !strings.HasPrefix(arg, "-") || name != "tags":
			continue
		case set:
			args[i+1] = "-tags=" + join(value)
			return args
		case i+2 < len(args):
			args[i+2] = join(args[i+2])
			return args
		}
		break
	}
	list := ""
	if m := tagsInFlags.FindStringSubmatch(s.flags); m != nil {
		list = m[1]
	}
	at := 1
	if len(args) > 1 && strings.HasPrefix(strings.TrimLeft(args[1], "-"), "C") { // must be the first
		at = 2
		if !strings.Contains(args[1], "=") {
			at = 3
		}
	}
	return slices.Insert(args, min(at, len(args)), "-tags="+join(list))
}

// check runs Go's own tests of cryptography on a copy of the Go installation in use.
func (c *goCmd) check(ctx context.Context, p *program, path string, state *signalled) (int, error) {
	q := goQuery{ctx: ctx, path: path, dir: c.Dir}
	s, err := q.findStd()
	if err != nil {
		return 0, err
	}
	known := goroot.Check(s.root, s.release)
	if known != nil && !errors.Is(known, goroot.ErrUntested) {
		return 0, s.untested(known)
	}
	if err := s.make(q, c.Source, nil); err != nil {
		return 0, err
	}
	for _, step := range goroot.Checks {
		p.warn("%s", step)
		cmd := exec.Command(s.goCommand(), step.Args...)
		cmd.Dir = s.dir
		cmd.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0"), append(s.environment(), step.Env...)...)
		cmd.Stdout, cmd.Stderr = p.stderr, p.stderr
		code, err := state.run(cmd)
		if err != nil {
			return 0, err
		}
		if code != 0 {
			return 0, fmt.Errorf("go check: %s with cipherlane: Go's own tests fail: use plain \"go build\"", s.release)
		}
	}
	p.say("%s with cipherlane: Go's own tests pass\n", s.release)
	if known == nil {
		return 0, nil
	}
	name, err := s.passed()
	if err != nil {
		return 0, err
	}
	return 0, os.WriteFile(name, nil, 0o600)
}

// showReplaced says what of the cryptography of programs was replaced, from what the go command
// recorded in them.
func (p *program) showReplaced(path string, names []string) error {
	if len(names) == 0 {
		return usagef("go version: no file given")
	}
	var failed error
	for _, name := range names {
		out, err := goQuery{ctx: context.Background(), path: path}.run("version", "-m", name)
		if err == nil && len(out) == 0 {
			err = fmt.Errorf("%s: not a Go program", quote(name))
		}
		if err != nil {
			p.warn("%v", err)
			failed = errReported
			continue
		}
		p.stdout.WriteString(replacedIn(string(out)))
	}
	return failed
}

// replacedIn reads the output of "go version -m".
func replacedIn(info string) string {
	var b strings.Builder
	std, of := "Go's own", ""
	for line := range strings.Lines(info) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case len(f) == 1:
			fmt.Fprintln(&b, f[0])
		case f[1] == "build" && strings.HasPrefix(f[2], "-tags="):
			for tag := range strings.SplitSeq(strings.TrimPrefix(f[2], "-tags="), ",") {
				if version, ok := strings.CutPrefix(tag, "cipherlane."); ok {
					std = "AES and ChaCha20-Poly1305 of cipherlane " + strings.ReplaceAll(version, "_", " ")
				}
			}
		case f[1] == "dep" || f[1] == "=>":
			if f[1] == "=>" && strings.HasPrefix(f[2], "./"+patchedDir+"/") && f[2] != "./"+patchedDir+"/cipherlane" {
				fmt.Fprintf(&b, "  %s: packages of cipherlane\n", of)
			}
			of = f[2] + " " + f[3]
			if f[2] == cipherlanePath {
				fmt.Fprintf(&b, "  %s\n", of)
			}
		}
	}
	fmt.Fprintf(&b, "  standard library: %s\n", std)
	return b.String()
}
