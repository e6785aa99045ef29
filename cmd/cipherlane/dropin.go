package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

const (
	cipherlanePath = "github.com/cipherlane/cipherlane"
	cryptoPath     = "golang.org/x/crypto"
)

// A workspace is a directory with a go.work that replaces packages of
// golang.org/x/crypto by cipherlane's.
type workspace struct {
	dir string
	env []string // environment for the go command
}

// A goQuery runs the go command to obtain information about a program.
type goQuery struct {
	ctx       context.Context
	path, dir string
	env       []string
}

func (q goQuery) run(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(q.ctx, q.path, args...)
	cmd.Dir = q.dir
	cmd.Env = append(cmd.Environ(), q.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if q.ctx.Err() != nil {
			err = errReported // ended by a signal
		} else if text := strings.TrimSpace(stderr.String()); text != "" {
			err = errors.New(text)
		}
		return out, fmt.Errorf("go %s: %w", strings.Join(args[:min(2, len(args))], " "), err)
	}
	return out, nil
}

func (q goQuery) json(into any, args ...string) error {
	out, err := q.run(args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}

// A goModule is the output of "go list -m -json" and "go mod download -json".
type goModule struct {
	Path, Version, Dir, GoMod, GoVersion string
	Main                                 bool
	Replace                              *goModule
	Sum, GoModSum                        string
}

// A goModFile is the output of "go mod edit -json" and "go work edit -json".
type goModFile struct {
	Module        struct{ Path string }
	Go, Toolchain string
	Godebug       []struct{ Key, Value string }
	Require       []struct{ Path, Version string }
	Use           []struct{ DiskPath string }
	Replace       []struct {
		Old, New struct{ Path, Version string }
	}
}

// inWorkspace matches the flag that GOFLAGS must not contain in a workspace.
var inWorkspace = regexp.MustCompile(`(^|\s)--?mod=\S*`)

// makeWorkspace creates a workspace for the program in a directory. On failure, it
// returns the incomplete workspace, if any, so that the caller can remove it.
func makeWorkspace(ctx context.Context, path, dir, source string, note func(format string, args ...any)) (*workspace, error) {
	q := goQuery{ctx: ctx, path: path, dir: dir}
	var env struct{ GOWORK, GOMOD, GOFLAGS, GO111MODULE string }
	if err := q.json(&env, "env", "-json", "GOWORK", "GOMOD", "GOFLAGS", "GO111MODULE"); err != nil {
		return nil, err
	}
	if env.GOWORK == "off" {
		env.GOWORK = ""
	}
	switch {
	case env.GO111MODULE == "off":
		return nil, usagef("go: GO111MODULE=off: without modules there is nothing to replace")
	case strings.Contains(env.GOFLAGS, "-modfile"):
		return nil, usagef("go: GOFLAGS contains -modfile, which does not work in the workspace that this command creates")
	case env.GOWORK == "" && (env.GOMOD == "" || env.GOMOD == os.DevNull):
		return nil, usagef("go: there is no go.mod in this directory or above it")
	}
	if flags := inWorkspace.ReplaceAllString(env.GOFLAGS, ""); flags != env.GOFLAGS {
		// Not the empty string: then the go command would use the value that
		// "go env -w" has set.
		q.env = append(q.env, "GOFLAGS="+strings.TrimSpace(flags+" -mod=readonly"))
	}

	members, crypto, err := q.modules()
	if err != nil {
		return nil, err
	}
	w := new(workspace)
	if w.dir, err = os.MkdirTemp("", "cipherlane-go-"); err != nil {
		return nil, err
	}
	away := q // runs outside of the user's modules
	away.dir, away.env = w.dir, append(slices.Clone(q.env), "GOWORK=off")

	// The program's own version of golang.org/x/crypto.
	origin := *crypto
	if crypto.Replace != nil {
		origin = *crypto.Replace
	}
	sums, err := readSums(env.GOWORK, members)
	if err != nil {
		return w, err
	}
	if origin.Version != "" {
		if err := away.json(&origin, "mod", "download", "-json", origin.Path+"@"+origin.Version); err != nil {
			return w, err
		}
		if want := sums[origin.Path+" "+origin.Version]; want != "" && want != origin.Sum {
			return w, fmt.Errorf("go: %s %s: checksum %s, but go.sum has %s", origin.Path, origin.Version, origin.Sum, want)
		}
	}
	if err := checkCrypto(origin.Dir, crypto.Version); err != nil {
		return w, err
	}
	vendor, err := checkVendor(env.GOWORK, members, origin.Dir)
	if err != nil {
		return w, err
	}
	patched := filepath.Join(w.dir, "crypto")
	if err := os.CopyFS(patched, os.DirFS(origin.Dir)); err != nil {
		return w, err
	}
	if err := substitute(patched); err != nil {
		return w, err
	}

	// Cipherlane itself.
	own, err := away.findCipherlane(source, members)
	if err != nil {
		return w, err
	}
	var ownMod, cryptoMod goModFile
	if err := away.json(&ownMod, "mod", "edit", "-json", filepath.Join(own.Dir, "go.mod")); err != nil {
		return w, err
	}
	if err := away.json(&cryptoMod, "mod", "edit", "-json", filepath.Join(patched, "go.mod")); err != nil {
		return w, err
	}
	edit := []string{"mod", "edit", "-require=" + cipherlanePath + "@" + own.Version}
	for _, need := range ownMod.Require { // the requirements of requirements are not examined
		if !slices.ContainsFunc(cryptoMod.Require, func(has struct{ Path, Version string }) bool {
			return has.Path == need.Path && !older(has.Version, need.Version)
		}) {
			edit = append(edit, "-require="+need.Path+"@"+need.Version)
		}
	}
	if _, err := away.run(append(edit, filepath.Join(patched, "go.mod"))...); err != nil {
		return w, err
	}

	// go.work: the user's own, if there is one.
	var work goModFile
	if env.GOWORK != "" {
		err = away.json(&work, "work", "edit", "-json", env.GOWORK)
	} else {
		err = away.json(&work, "mod", "edit", "-json", members[0].GoMod)
		work.Replace = nil // they stay in force
	}
	if err != nil {
		return w, err
	}
	text := work.format(filepath.Dir(env.GOWORK), members, ownMod.Go)
	text += fmt.Sprintf("replace %s => %s\n", cryptoPath, strconv.Quote(patched))
	if own.Main {
		note("%s: the module of the workspace, in %s", cipherlanePath, quote(own.Dir))
	} else if own.Sum == "" {
		text += fmt.Sprintf("replace %s => %s\n", cipherlanePath, strconv.Quote(own.Dir))
	}
	var sumText bytes.Buffer
	for _, name := range []string{env.GOWORK + ".sum", filepath.Join(own.Dir, "go.sum")} {
		if b, err := os.ReadFile(name); err == nil {
			sumText.Write(b)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return w, err
		}
	}
	if own.Sum != "" {
		fmt.Fprintf(&sumText, "%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", cipherlanePath, own.Version, own.Sum, own.GoModSum)
	}
	for name, b := range map[string][]byte{"go.work": []byte(text), "go.work.sum": sumText.Bytes()} {
		if err := os.WriteFile(filepath.Join(w.dir, name), b, 0o666); err != nil {
			return w, err
		}
	}
	w.env = append(q.env, "GOWORK="+filepath.Join(w.dir, "go.work"))
	return w, w.announce(q, crypto, own, ownMod, patched, vendor, note)
}

// modules returns the modules that the user works on, and golang.org/x/crypto.
func (q goQuery) modules() (members []goModule, crypto *goModule, err error) {
	out, err := q.run("list", "-m", "-mod=readonly", "-json")
	if err != nil {
		return nil, nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m goModule
		if err := d.Decode(&m); err != nil {
			return nil, nil, err
		}
		if m.Path == cryptoPath {
			return nil, nil, fmt.Errorf("go: %s is a module that you work on, in %s: it is not replaced", cryptoPath, quote(m.Dir))
		}
		members = append(members, m)
	}
	if len(members) == 0 {
		return nil, nil, errors.New("go: the workspace has no modules")
	}
	crypto = new(goModule)
	if err := q.json(crypto, "list", "-m", "-mod=readonly", "-json", cryptoPath); err != nil {
		if strings.Contains(err.Error(), "not a known dependency") {
			err = fmt.Errorf("go: %s does not depend on %s: there is nothing to replace", members[0].Path, cryptoPath)
		}
		return nil, nil, err
	}
	return members, crypto, nil
}

// readSums returns the checksums in the program's go.sum files, by module and version.
func readSums(goWork string, members []goModule) (map[string]string, error) {
	var names []string
	if goWork != "" {
		names = append(names, goWork+".sum")
	}
	for _, m := range members {
		names = append(names, filepath.Join(m.Dir, "go.sum"))
	}
	sums := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) == 3 {
				sums[f[0]+" "+f[1]] = f[2]
			}
		}
	}
	return sums, nil
}

// checkVendor returns the vendor directory of the program, if any. It returns an error
// if the packages there differ from those of the module, because then somebody changed
// them intentionally.
func checkVendor(goWork string, members []goModule, crypto string) (string, error) {
	dir := filepath.Join(members[0].Dir, "vendor")
	if goWork != "" {
		dir = filepath.Join(filepath.Dir(goWork), "vendor")
	}
	if _, err := os.Stat(filepath.Join(dir, "modules.txt")); err != nil {
		return "", nil
	}
	for name := range substitutes {
		vendored := filepath.Join(dir, cryptoPath, name)
		if _, err := os.Stat(vendored); err != nil {
			continue
		}
		theirs, err := packageSum(vendored)
		if err != nil {
			return "", err
		}
		origin, err := packageSum(filepath.Join(crypto, name))
		if err != nil {
			return "", err
		}
		if theirs != origin {
			return "", unavailableError{fmt.Errorf("go: %s differs from the version in go.mod: it is not replaced", quote(vendored))}
		}
	}
	return dir, nil
}

// substitute writes the substitutes into a copy of golang.org/x/crypto.
func substitute(crypto string) error {
	for name, text := range substitutes {
		dir := filepath.Join(crypto, name)
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && !strings.HasSuffix(e.Name(), "_test.go") {
				if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
					return err
				}
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "cipherlane.go"), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// findCipherlane finds the source of the library: in the directory that the user named,
// in the workspace, in the version that this command was built with, or in the checkout
// in which it was built. Only a version has a Sum.
func (q goQuery) findCipherlane(source string, members []goModule) (goModule, error) {
	const development = "v0.0.0"
	if source != "" {
		dir, err := filepath.Abs(source)
		if err == nil {
			err = q.isCipherlane(dir)
		}
		return goModule{Version: development, Dir: dir}, err
	}
	for _, m := range members {
		if m.Path == cipherlanePath {
			m.Version, m.Sum = development, ""
			return m, nil
		}
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == cipherlanePath && dep.Replace == nil && dep.Sum != "" {
				var m goModule
				err := q.json(&m, "mod", "download", "-json", dep.Path+"@"+dep.Version)
				if err == nil && m.Sum != dep.Sum {
					err = fmt.Errorf("go: %s %s: checksum %s, but this command was built from %s", dep.Path, dep.Version, m.Sum, dep.Sum)
				}
				return m, err
			}
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) { // not with -trimpath
		dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
		if q.isCipherlane(dir) == nil {
			return goModule{Version: development, Dir: dir}, nil
		}
	}
	return goModule{}, unavailableError{errors.New("go: no source of cipherlane: this command is not a release, and the checkout in which it was built is unknown or gone; name a directory with --source DIR or CIPHERLANE_SOURCE")}
}

// isCipherlane returns an error unless the directory contains the library's module.
func (q goQuery) isCipherlane(dir string) error {
	var m goModFile
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return named(dir, err)
	}
	if err := q.json(&m, "mod", "edit", "-json", filepath.Join(dir, "go.mod")); err != nil {
		return err
	}
	if m.Module.Path != cipherlanePath {
		return fmt.Errorf("%s: is module %s, want %s", quote(dir), quote(m.Module.Path), cipherlanePath)
	}
	return nil
}

// older reports whether version a is older than b. It compares their numbers, and then
// what follows these as text.
func older(a, b string) bool {
	split := regexp.MustCompile(`^v(\d+)\.(\d+)\.(\d+)(.*)$`)
	x, y := split.FindStringSubmatch(a), split.FindStringSubmatch(b)
	if x == nil || y == nil {
		return a < b
	}
	for i := 1; i <= 3; i++ {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m < n
		}
	}
	if x[4] == "" || y[4] == "" { // a release is newer than its pre-releases
		return x[4] != ""
	}
	return x[4] < y[4]
}

// format returns the file as a go.work for another directory, for modules that need a
// version of Go. It omits replacements of the modules that this command replaces.
func (f goModFile) format(dir string, members []goModule, needs string) string {
	var b strings.Builder
	own := f.Go
	if own == "" {
		own = "1.16" // the go command assumes this for a go.mod without a version
	}
	toolchain := own
	for _, v := range append([]string{needs}, goVersions(members)...) {
		if version.Compare("go"+v, "go"+toolchain) > 0 {
			toolchain = v
		}
	}
	fmt.Fprintf(&b, "go %s\n", toolchain)
	if f.Toolchain != "" && version.Compare(f.Toolchain, "go"+toolchain) >= 0 {
		fmt.Fprintf(&b, "toolchain %s\n", f.Toolchain)
	}
	// Otherwise the line above would change the defaults of GODEBUG.
	if !slices.ContainsFunc(f.Godebug, func(s struct{ Key, Value string }) bool { return s.Key == "default" }) {
		fmt.Fprintf(&b, "godebug default=%s\n", version.Lang("go"+own))
	}
	for _, s := range f.Godebug {
		fmt.Fprintf(&b, "godebug %s=%s\n", s.Key, s.Value)
	}
	for _, m := range members {
		fmt.Fprintf(&b, "use %s\n", strconv.Quote(m.Dir))
	}
	for _, r := range f.Replace {
		if r.Old.Path == cryptoPath || r.Old.Path == cipherlanePath {
			continue
		}
		to := r.New.Path
		if r.New.Version == "" && !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		fmt.Fprintf(&b, "replace %s %s => %s %s\n", r.Old.Path, r.Old.Version, strconv.Quote(to), r.New.Version)
	}
	return b.String()
}

func goVersions(members []goModule) (list []string) {
	for _, m := range members {
		if m.GoVersion != "" {
			list = append(list, m.GoVersion)
		}
	}
	return list
}

// announce checks that the workspace has the intended effect, and prints it.
func (w *workspace) announce(q goQuery, crypto *goModule, own goModule, ownMod goModFile, patched, vendor string, note func(format string, args ...any)) error {
	inside := q
	inside.env = w.env
	var now goModule
	if err := inside.json(&now, "list", "-m", "-json", cryptoPath); err != nil {
		return err
	}
	if now.Version != crypto.Version || now.Dir != patched {
		return fmt.Errorf("go: %s %s in %s is in the workspace, want %s in %s", cryptoPath, now.Version, quote(now.Dir), crypto.Version, quote(patched))
	}
	from := "of the checkout " + quote(own.Dir)
	if own.Sum != "" {
		from = own.Version
	}
	note("in place of %s %s, packages chacha20 and chacha20poly1305: %s %s", cryptoPath, crypto.Version, cipherlanePath, from)
	for _, need := range ownMod.Require {
		var before, after goModule
		if err := inside.json(&after, "list", "-m", "-json", need.Path); err != nil {
			return err
		}
		// The program may not have required it before.
		if err := q.json(&before, "list", "-m", "-mod=readonly", "-json", need.Path); err == nil && before.Version != after.Version {
			note("in place of %s %s: %s, which cipherlane needs", need.Path, before.Version, after.Version)
		}
	}
	if vendor != "" {
		note("%s: not used; modules come from the module cache", quote(vendor))
	}
	return nil
}
