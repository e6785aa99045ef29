package substitute

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/goroot"
)

// A goStd is a Go installation in whose standard library cryptography is cipherlane's.
type goStd struct {
	root    string // of the installation that is copied
	release string // of Go
	flags   string // GOFLAGS
	copy    *goroot.Copy
}

// tag returns the build tag that shows the copy in programs.
func (s *goStd) tag() string { return "cipherlane." + s.copy.Version }

// goCommand returns the path of the go command of the installation that was copied.
func (s *goStd) goCommand() string {
	name := "go"
	if filepath.Separator == '\\' {
		name += ".exe"
	}
	return filepath.Join(s.root, "bin", name)
}

// environment makes the go command use the copy. It must not change to another release.
func (s *goStd) environment() []string { return []string{"GOROOT=" + s.copy.Dir, "GOTOOLCHAIN=local"} }

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
		return cli.AsUnavailable(fmt.Errorf(`go --std: cipherlane was tested with %s, not with %s: use plain "go build", or run "cipherlane go check", which accepts this release if Go's own tests pass`, goroot.Tested, s.release))
	case errors.Is(err, goroot.ErrChanged):
		return cli.AsUnavailable(fmt.Errorf("go --std: %s: the cryptography there differs from that of %s as released, so it is not replaced; install Go again, or use plain \"go build\"", cli.Quote(s.root), s.release))
	}
	return err
}

// plan finds out what the copy will be.
func (s *goStd) plan(q goQuery, source string, members []goModule) error {
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
		from.Crypto[p.dir] = p.text()
	}
	if own.Sum != "" {
		from.Version = own.Version
	}
	if s.copy, err = from.Copy(cache); err != nil {
		return fmt.Errorf("go --std: %w", err)
	}
	return nil
}

// make makes the copy, or finds it in the cache.
func (s *goStd) make() error {
	err := s.copy.Make()
	if err == nil {
		return nil
	}
	cache := filepath.Dir(s.copy.Dir)
	var path *fs.PathError
	if errors.As(err, &path) && (strings.HasPrefix(path.Path, cache) || strings.HasPrefix(cache, path.Path)) {
		err = fmt.Errorf("%w; XDG_CACHE_HOME can name another directory", err)
	}
	return fmt.Errorf("go --std: %w", err)
}

// stdCache returns the directory of the copies.
func stdCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("go --std: no cache directory; XDG_CACHE_HOME can name one: %w", err)
	}
	return filepath.Join(dir, "cipherlane", "goroot"), nil
}

// passed is the file that says that "go check" was successful for a copy. With another source of
// cipherlane, or another Go, the copy has another name.
func (s *goStd) passed() string {
	return filepath.Join(filepath.Dir(s.copy.Dir), "checked-"+s.release+"-"+filepath.Base(s.copy.Dir))
}

// accept plans the copy. It returns an error unless the release was tested, here or before.
func (s *goStd) accept(q goQuery, source string, note func(format string, args ...any)) error {
	err := goroot.Check(s.root, s.release)
	if err != nil && !errors.Is(err, goroot.ErrUntested) {
		return s.untested(err)
	}
	if e := s.plan(q, source, nil); e != nil {
		if err != nil && endedBy(e) == nil {
			return s.untested(err)
		}
		return e
	}
	if err == nil {
		return nil
	}
	info, e := os.Stat(s.passed())
	if e != nil {
		return s.untested(err)
	}
	note("%s: \"cipherlane go check\" was successful on %s", s.release, info.ModTime().Format(time.DateOnly))
	return nil
}

// tagged adds the build tag to the arguments of the go command. Of several lists of tags, the
// last on the command line counts, or else the last in GOFLAGS.
func (s *goStd) tagged(args []string, call goCall) []string {
	args = slices.Clone(args)
	if at := call.tags; at > 0 {
		if _, list, _, _ := cutFlag(args[at]); call.joined {
			args[at] = "-tags=" + s.addTag(list)
		} else {
			args[at] = s.addTag(args[at])
		}
		return args
	}
	list := ""
	flags, _ := splitQuoted(s.flags) // the go command complains
	for _, flag := range flags {
		if name, value, _, _ := cutFlag(flag); name == "tags" {
			list = value
		}
	}
	return slices.Insert(args, call.first, "-tags="+s.addTag(list))
}

// addTag adds the build tag to a list: the go command splits one with spaces or single quotes
// like GOFLAGS, and others at commas.
func (s *goStd) addTag(list string) string {
	switch {
	case list == "":
		return s.tag()
	case strings.ContainsAny(list, " '"):
		return list + " " + s.tag()
	}
	return list + "," + s.tag()
}

// check runs Go's own tests of cryptography on a copy of the Go installation in use.
func (c *Command) check(ctx context.Context, p *cli.Program, path string, state *signalled) (int, error) {
	q := goQuery{ctx: ctx, path: path, dir: c.Dir}
	s, err := q.findStd()
	if err != nil {
		return 0, err
	}
	checkErr := goroot.Check(s.root, s.release)
	if checkErr != nil && !errors.Is(checkErr, goroot.ErrUntested) {
		return 0, s.untested(checkErr)
	}
	if err := s.plan(q, c.Source, nil); err != nil {
		return 0, err
	}
	if err := s.make(); err != nil {
		return 0, err
	}
	for _, step := range goroot.Checks {
		p.Warn("%s", step)
		cmd := exec.Command(s.goCommand(), step.Args...)
		cmd.Dir = s.copy.Dir
		cmd.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0"), append(s.environment(), step.Env...)...)
		cmd.Stdout, cmd.Stderr = p.Stderr, p.Stderr
		code, err := state.run(cmd)
		if err != nil {
			return 0, err
		}
		if code != 0 {
			return 0, fmt.Errorf("go check: %s: Go's own tests fail with cipherlane; use plain \"go build\"", s.release)
		}
	}
	p.Say("%s with cipherlane: Go's own tests pass\n", s.release)
	if checkErr == nil {
		return 0, nil
	}
	return 0, os.WriteFile(s.passed(), nil, 0o600)
}

// showReplaced says what of the cryptography of programs was replaced.
func showReplaced(p *cli.Program, path string, names []string) error {
	if len(names) == 0 {
		return cli.Usagef("go version: no file given")
	}
	var failed error
	for _, name := range names {
		out, err := goQuery{ctx: context.Background(), path: path}.run("version", "-m", name)
		if err == nil && len(out) == 0 {
			err = fmt.Errorf("%s: not a Go program", cli.Quote(name))
		}
		var text string
		if err == nil {
			text, err = replacedIn(string(out))
		}
		if err != nil {
			p.Warn("%v", err)
			failed = cli.ErrReported
			continue
		}
		p.Stdout.WriteString(text)
	}
	return failed
}

// replacedIn reads the output of "go version -m", of a program or of all in a directory, and
// looks for the marks in them. Build tags prove nothing: anybody can set one.
func replacedIn(info string) (string, error) {
	var b strings.Builder
	for info != "" {
		end := strings.Index(info, "\n") + 1
		title := info[:end]
		for strings.HasPrefix(info[end:], "\t") {
			end += strings.Index(info[end:], "\n") + 1
		}
		at := strings.LastIndex(title, ": ") // behind it is the release of Go
		if at < 0 {
			return "", errors.New("go version: the output of \"go version -m\" is not understood")
		}
		mark, err := goroot.FindMark(title[:at])
		if err != nil {
			return "", err
		}
		b.WriteString(title + describeReplaced(info[len(title):end], mark))
		info = info[end:]
	}
	return b.String(), nil
}

// stdAlgorithms says what of the standard library is replaced for a GOARCH, with --std. Where Go
// has AES instructions and we have no kernels, AES never is.
func stdAlgorithms(goarch string) string {
	if strings.HasPrefix(goarch, "ppc64") || goarch == "s390x" {
		return "ChaCha20-Poly1305"
	}
	return sentence(algorithmsOf(stdModule))
}

// describeReplaced says what was replaced in a program, according to what the go command recorded
// and to the mark of its standard library, or "".
func describeReplaced(info, mark string) string {
	var b strings.Builder
	tagged, dependency, algorithms := "", "", stdAlgorithms("")
	for line := range strings.Lines(info) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case len(f) < 3:
		case f[1] == "build" && strings.HasPrefix(f[2], "GOARCH="):
			algorithms = stdAlgorithms(strings.TrimPrefix(f[2], "GOARCH="))
		case f[1] == "build" && strings.HasPrefix(f[2], "-tags="):
			for tag := range strings.SplitSeq(strings.TrimPrefix(f[2], "-tags="), ",") {
				if version, ok := strings.CutPrefix(tag, "cipherlane."); ok {
					tagged = version
				}
			}
		case f[1] == "dep" || f[1] == "=>":
			// The directory begins with what was replaced; a copy of a vendored module has only
			// its path.
			if dir, ok := strings.CutPrefix(f[2], "./"+patchedDir+"/"); ok && f[1] == "=>" && dir != "cipherlane" {
				if algorithms, _, _ := strings.Cut(dir, "/"); !strings.Contains(algorithms, ".") {
					fmt.Fprintf(&b, "  %s: %s of cipherlane\n", dependency, sentence(strings.Split(algorithms, "+")))
				}
			}
			dependency = strings.TrimSpace(f[2] + " " + strings.Join(f[3:min(4, len(f))], ""))
			if f[2] == cipherlanePath {
				fmt.Fprintf(&b, "  %s\n", dependency)
			}
		}
	}
	std := "Go's own"
	switch {
	case mark != "":
		std = algorithms + " of cipherlane " + mark
	case tagged != "":
		std += ", although there is the build tag cipherlane." + tagged + ": the program does not use what that replaces"
	}
	fmt.Fprintf(&b, "  standard library: %s\n", strings.ReplaceAll(std, "_", " "))
	return b.String()
}
