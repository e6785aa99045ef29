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
	sm      bool   // whether it has TLS 1.3 with SM2, SM3 and SM4
	copy    *goroot.Copy
}

// tags returns the build tags that show the copy in programs.
func (s *goStd) tags() []string {
	list := []string{"cipherlane." + s.copy.Version}
	if s.sm {
		list = append(list, "cipherlane.sm")
	}
	return list
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
func (s *goStd) environment() []string { return []string{"GOROOT=" + s.copy.Dir, "GOTOOLCHAIN=local"} }

// findStd finds the Go installation that the program in a directory uses.
func (q goQuery) findStd(sm bool) (*goStd, error) {
	var env struct{ GOROOT, GOVERSION, GOFLAGS string }
	if err := q.json(&env, "env", "-json", "GOROOT", "GOVERSION", "GOFLAGS"); err != nil {
		return nil, err
	}
	release, _, _ := strings.Cut(env.GOVERSION, " ")
	return &goStd{root: env.GOROOT, release: release, flags: env.GOFLAGS, sm: sm}, nil
}

// tested returns nil if a copy of the installation was tested.
func (s *goStd) tested() error {
	err := goroot.Check(s.root, s.release)
	if err == nil && s.sm {
		err = goroot.CheckSM(s.root)
	}
	return err
}

// untested explains why a release of Go is refused.
func (s *goStd) untested(err error) error {
	switch {
	case errors.Is(err, goroot.ErrUntested) && s.sm:
		return cli.AsUnavailable(fmt.Errorf(`go --sm: cipherlane was tested with %s, not with %s: run "cipherlane go --sm check", which accepts this release if Go's own tests pass`, goroot.TestedSM, s.release))
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
	from := goroot.Source{Root: s.root, Module: own.Dir, Crypto: map[string]string{}, SM: s.sm}
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
	err := s.tested()
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

// addTag adds the build tags to a list: the go command splits one with spaces or single quotes
// like GOFLAGS, and others at commas.
func (s *goStd) addTag(list string) string {
	tags := s.tags()
	switch {
	case list == "":
	case strings.ContainsAny(list, " '"):
		return list + " " + strings.Join(tags, " ")
	default:
		tags = append([]string{list}, tags...)
	}
	return strings.Join(tags, ",")
}

// check runs Go's own tests of cryptography on a copy of the Go installation in use.
func (c *Command) check(ctx context.Context, p *cli.Program, path string, state *signalled) (int, error) {
	q := goQuery{ctx: ctx, path: path, dir: c.Dir}
	s, err := q.findStd(c.SM)
	if err != nil {
		return 0, err
	}
	checkErr := s.tested()
	if checkErr != nil && !errors.Is(checkErr, goroot.ErrUntested) {
		return 0, s.untested(checkErr)
	}
	if err := s.plan(q, c.Source, nil); err != nil {
		return 0, err
	}
	if err := s.make(); err != nil {
		return 0, err
	}
	steps := goroot.Checks
	if s.sm {
		steps = goroot.ChecksSM
	}
	for _, step := range steps {
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
	if s.sm {
		if err := s.compareHello(q); err != nil {
			return 0, err
		}
	}
	p.Say("%s with cipherlane: Go's own tests pass\n", s.release)
	if checkErr == nil {
		return 0, nil
	}
	return 0, os.WriteFile(s.passed(), nil, 0o600)
}

// compareHello returns an error unless, without a certificate of SM2, what clients and servers send first is
// that of Go, byte for byte.
func (s *goStd) compareHello(q goQuery) error {
	dir, err := os.MkdirTemp("", "cipherlane-go-hello-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	test := filepath.Join(dir, "hello_test.go")
	if err := os.WriteFile(test, goroot.Hello, 0o600); err != nil {
		return err
	}
	q.path, q.dir = s.goCommand(), dir
	var sent [2][]byte
	for i, env := range [][]string{{"GOTOOLCHAIN=local", "GOROOT=" + s.root}, s.environment()} {
		file := filepath.Join(dir, "sent")
		q.env = append(env, "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GODEBUG=", "CIPHERLANE_HELLO="+file)
		if _, err := q.run("test", "-vet=off", "-count=1", test); err != nil {
			return err
		}
		if sent[i], err = os.ReadFile(file); err != nil {
			return err
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	theirs, ours := strings.Split(string(sent[0]), "\n"), strings.Split(string(sent[1]), "\n")
	for i, line := range theirs {
		if i >= len(ours) || ours[i] != line {
			name, _, _ := strings.Cut(line, ":")
			return fmt.Errorf("go check: %s: crypto/tls does not send what that of Go sends: %s", s.release, name)
		}
	}
	return nil
}

// showReplaced says what of the cryptography of programs was replaced.
func showReplaced(p *cli.Program, path string, names []string) error {
	if len(names) == 0 {
		return cli.Usagef("go version: no file given")
	}
	var failed error
	for _, name := range names {
		out, err := goQuery{ctx: context.Background(), path: path}.run("version", "-m", name)
		if exit := new(exec.ExitError); err == nil && len(out) == 0 || errors.As(err, &exit) && exit.Exited() { // it says nothing of most files
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
		mark, sm, err := goroot.FindMark(title[:at])
		if err != nil {
			return "", err
		}
		b.WriteString(title + describeReplaced(info[len(title):end], mark))
		if sm {
			b.WriteString("  crypto/tls and crypto/x509: with SM2, SM3 and SM4\n")
		}
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
				if version, ok := strings.CutPrefix(tag, "cipherlane."); ok && version != "sm" {
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
