package substitute

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

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

const cipherlanePath = "github.com/cipherlane/cipherlane"

// patchedDir is the directory in a workspace for what replaces modules. The go command records
// it in programs: relative, so that with -trimpath they are always the same.
const patchedDir = "cipherlane-go"

// A workspace is a directory with a go.work that replaces packages of some modules by
// cipherlane's.
type workspace struct {
	dir string
	env []string // environment for the go command

	goWork   string     // the go.work of the user's
	members  []goModule // the modules that the user works on
	replaced []*dropIn
	own      goModule // cipherlane

	dependencies []string // paths of all modules that may be replaced, depending on GOARCH
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
			err = cli.ErrReported // ended by a signal
		} else if text := strings.TrimSpace(stderr.String()); text != "" && endedBy(err) == nil {
			err = errors.New(text)
		}
		return out, fmt.Errorf("go %s: %w", strings.Join(args[:min(2, len(args))], " "), err)
	}
	return out, nil
}

func (q goQuery) json(target any, args ...string) error {
	out, err := q.run(args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, target)
}

// A goModule is the output of "go list -m -json" and "go mod download -json".
type goModule struct {
	Path, Version, Dir, GoMod, GoVersion string
	Main                                 bool
	Replace                              *goModule
	Sum, GoModSum                        string
	Error                                *struct{ Err string }
}

// A goModFile is the output of "go mod edit -json" and "go work edit -json".
type goModFile struct {
	Module        struct{ Path string }
	Go, Toolchain string
	Godebug       []struct{ Key, Value string }
	Require       []struct{ Path, Version string }
	Use           []struct{ DiskPath string }
	Exclude       []struct{ Path, Version string }
	Replace       []struct {
		Old, New struct{ Path, Version string }
	}
}

// inWorkspace returns GOFLAGS without a -mod that is not allowed in a workspace, and whether there
// was one. -modfile is an error.
func inWorkspace(flags string) (allowed string, changed bool, err error) {
	list, err := splitQuoted(flags)
	if err != nil {
		return "", false, err
	}
	n := len(list)
	list = slices.DeleteFunc(list, func(flag string) bool {
		name, _, _, _ := cutFlag(flag)
		if name == "modfile" {
			err = asNothing(cli.Usagef("go: GOFLAGS contains -modfile, which does not work in the workspace that this command creates"))
		}
		return name == "mod"
	})
	// Not the empty string: then the go command would use the value that "go env -w" has set.
	return joinQuoted(append(list, "-mod=readonly")), len(list) < n, err
}

// asNothing marks an error as the reason why there is no workspace, which does not matter if the
// standard library is replaced.
func asNothing(err error) error { return fmt.Errorf("%w%w", err, errNothing) }

var errNothing = errors.New("")

// makeWorkspace creates a workspace for the program in the directory of a query, in which modules are
// replaced as chosen. With std, golang.org/x/crypto calls what is in the standard library then. On
// failure, it returns the incomplete workspace, if any, so that the caller can remove it.
func makeWorkspace(q goQuery, source string, chosen choice, std bool, note func(format string, args ...any)) (*workspace, error) {
	var env struct{ GOWORK, GOMOD, GOFLAGS, GO111MODULE string }
	if err := q.json(&env, "env", "-json", "GOWORK", "GOMOD", "GOFLAGS", "GO111MODULE"); err != nil {
		return nil, err
	}
	if env.GOWORK == "off" {
		env.GOWORK = ""
	}
	switch {
	case env.GO111MODULE == "off":
		return nil, asNothing(cli.Usagef("go: GO111MODULE=off: without modules there is nothing to replace"))
	case env.GOWORK == "" && (env.GOMOD == "" || env.GOMOD == os.DevNull):
		return nil, asNothing(cli.Usagef("go: there is no go.mod in this directory or above it"))
	}
	flags, changed, err := inWorkspace(env.GOFLAGS)
	if err != nil {
		return nil, err
	}
	if changed {
		q.env = append(q.env, "GOFLAGS="+flags)
	}

	members, err := q.members()
	if err != nil {
		return nil, err
	}
	targets, left, err := q.targets(members, chosen)
	if err != nil {
		return nil, err
	}
	w := new(workspace)
	if w.dir, err = os.MkdirTemp("", "cipherlane-go-"); err != nil {
		return nil, err
	}
	isolated := q // runs outside of the user's modules
	isolated.dir, isolated.env = w.dir, append(slices.Clone(q.env), "GOWORK=off")

	// The program's own versions of the modules.
	sums, err := readSums(env.GOWORK, members)
	if err != nil {
		return w, err
	}
	vendor := vendorDir(env.GOWORK, members)
	var replaced []*dropIn
	for _, t := range targets {
		if err := isolated.locate(t, sums); err != nil {
			return w, err
		}
		reason, err := t.examine(vendor)
		if err != nil {
			return w, err
		}
		if reason != nil {
			left = append(left, reason)
		} else {
			replaced = append(replaced, t)
		}
	}
	if len(replaced) == 0 {
		return w, asNothing(left[0])
	}
	for _, t := range replaced {
		if t.stay != nil {
			left = append(left, chosen.keptErrorFor(t.path, t.stay))
		}
	}
	for _, t := range replaced {
		w.dependencies = append(w.dependencies, t.path)
	}
	for _, reason := range left {
		note("%v", reason)
		if kept, ok := reason.(keptError); ok && !slices.Contains(w.dependencies, kept.module) {
			w.dependencies = append(w.dependencies, kept.module)
		}
	}
	for _, t := range targets {
		t.std = std && t.path == cryptoPath
		if err := t.copy(w.dir, vendor, slices.Contains(replaced, t)); err != nil {
			return w, err
		}
	}

	// Cipherlane itself.
	own, err := isolated.findCipherlane(source, members)
	if err != nil {
		return w, err
	}
	var ownMod goModFile
	if err := isolated.json(&ownMod, "mod", "edit", "-json", filepath.Join(own.Dir, "go.mod")); err != nil {
		return w, err
	}
	for _, t := range replaced {
		if err := isolated.require(t.patched, own.Version, ownMod); err != nil {
			return w, err
		}
	}

	// go.work: the user's own, if there is one.
	var work goModFile
	if env.GOWORK != "" {
		err = isolated.json(&work, "work", "edit", "-json", env.GOWORK)
	} else {
		err = isolated.json(&work, "mod", "edit", "-json", members[0].GoMod)
		work.Replace = nil // they stay in force
	}
	if err != nil {
		return w, err
	}
	omit := []string{cipherlanePath}
	var lines string
	for _, t := range targets {
		if t.patched != "" {
			omit = append(omit, t.path)
			lines += fmt.Sprintf("replace %s => %s\n", t.path, strconv.Quote("./"+filepath.ToSlash(strings.TrimPrefix(t.patched, w.dir+string(filepath.Separator)))))
		}
	}
	text := work.format(filepath.Dir(env.GOWORK), members, ownMod.Go, omit) + lines
	if own.Main {
		note("%s: the module of the workspace, in %s", cipherlanePath, cli.Quote(own.Dir))
	} else if own.Sum == "" {
		at := "./" + patchedDir + "/cipherlane"
		if os.Symlink(own.Dir, filepath.Join(w.dir, at)) != nil {
			at = own.Dir
		}
		text += fmt.Sprintf("replace %s => %s\n", cipherlanePath, strconv.Quote(at))
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
	w.goWork, w.members, w.replaced, w.own = env.GOWORK, members, replaced, own
	return w, w.announce(q, replaced, own, ownMod, vendor, note)
}

// members returns the modules that the user works on.
func (q goQuery) members() (members []goModule, err error) {
	out, err := q.run("list", "-m", "-mod=readonly", "-json")
	if err != nil {
		return nil, err
	}
	if members, err = decodeModules(out); err == nil && len(members) == 0 {
		err = errors.New("go: the workspace has no modules")
	}
	return members, err
}

func decodeModules(out []byte) (list []goModule, err error) {
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m goModule
		if err := d.Decode(&m); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// targets returns the modules that the program depends on and that this command replaces,
// and the reasons why others of these stay as they are.
func (q goQuery) targets(members []goModule, chosen choice) (list []*dropIn, left []error, err error) {
	args := []string{"list", "-m", "-e", "-mod=readonly", "-json"}
	for _, s := range substitutions {
		replaced, stay := chosen.split(s.path)
		if replaced == nil && stay == nil {
			continue
		}
		if i := slices.IndexFunc(members, func(m goModule) bool { return m.Path == s.path }); i >= 0 {
			left = append(left, fmt.Errorf("go: %s is a module that you work on, in %s: it is not replaced", s.path, cli.Quote(members[i].Dir)))
			continue
		}
		list = append(list, &dropIn{substitution: s, algorithms: replaced, stay: stay})
		args = append(args, s.path)
	}
	if len(list) > 0 {
		out, err := q.run(args...)
		if err != nil {
			return nil, nil, err
		}
		dependencies, err := decodeModules(out)
		if err != nil {
			return nil, nil, err
		}
		list = slices.DeleteFunc(list, func(t *dropIn) bool {
			for _, m := range dependencies {
				if m.Path == t.path {
					t.module = m
				}
			}
			missing := t.module.Error != nil && strings.Contains(t.module.Error.Err, "not a known dependency")
			return missing || t.module.Path == ""
		})
		for _, t := range list {
			if t.module.Error != nil {
				return nil, nil, fmt.Errorf("go: %s: %s", t.path, t.module.Error.Err)
			}
		}
		list = slices.DeleteFunc(list, func(t *dropIn) bool {
			if t.algorithms == nil {
				left = append(left, chosen.keptErrorFor(t.path, t.stay))
			}
			return t.algorithms == nil
		})
	}
	if len(list) == 0 {
		if kept := keptIn(left...); kept != nil {
			return nil, nil, asNothing(errors.Join(kept...))
		}
		if len(left) > 0 {
			return nil, nil, asNothing(left[0])
		}
		var paths []string
		for _, s := range substitutions {
			paths = append(paths, s.path)
		}
		if chosen.onlyNames != nil || chosen.exceptNames != nil {
			return nil, nil, asNothing(errors.New("go: with these --only and --except there is nothing to replace"))
		}
		return nil, nil, asNothing(fmt.Errorf("go: %s does not depend on %s: there is nothing to replace", members[0].Path, strings.Join(paths, " or ")))
	}
	return list, left, nil
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

// vendorDir returns the vendor directory of the program, or "" if there is none.
func vendorDir(goWork string, members []goModule) string {
	dir := filepath.Join(members[0].Dir, "vendor")
	if goWork != "" {
		dir = filepath.Join(filepath.Dir(goWork), "vendor")
	}
	if _, err := os.Stat(filepath.Join(dir, "modules.txt")); err != nil {
		return ""
	}
	return dir
}

// require adds what cipherlane needs to the go.mod of a copy of a module.
func (q goQuery) require(dir, version string, own goModFile) error {
	file := filepath.Join(dir, "go.mod")
	var mod goModFile
	if err := q.json(&mod, "mod", "edit", "-json", file); err != nil {
		return err
	}
	edit := []string{"mod", "edit", "-require=" + cipherlanePath + "@" + version}
	for _, need := range own.Require { // the requirements of requirements are not examined
		if !slices.ContainsFunc(mod.Require, func(has struct{ Path, Version string }) bool {
			return has.Path == need.Path && !older(has.Version, need.Version)
		}) {
			edit = append(edit, "-require="+need.Path+"@"+need.Version)
		}
	}
	_, err := q.run(append(edit, file)...)
	return err
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
		for _, m := range members {
			if err == nil && isOwn(m) && m.Dir != dir {
				err = cli.Usagef("go: --source %s: the workspace has cipherlane in %s; set GOWORK or leave out the source", cli.Quote(source), cli.Quote(m.Dir))
			}
		}
		if err != nil || !slices.ContainsFunc(members, isOwn) {
			return goModule{Version: development, Dir: dir}, err
		}
	}
	for _, m := range members {
		if isOwn(m) {
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
		dir := filepath.Join(filepath.Dir(file), "../../../..")
		if err := q.isCipherlane(dir); err == nil || endedBy(err) != nil {
			return goModule{Version: development, Dir: dir}, err
		}
	}
	return goModule{}, cli.AsUnavailable(errors.New("go: no source of cipherlane: this command is not a release, and the checkout in which it was built is unknown or gone; name a directory with --source DIR or CIPHERLANE_SOURCE"))
}

func isOwn(m goModule) bool { return m.Path == cipherlanePath }

// isCipherlane returns an error unless the directory contains the library's module.
func (q goQuery) isCipherlane(dir string) error {
	var m goModFile
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return cli.WithFileName(dir, err)
	}
	if err := q.json(&m, "mod", "edit", "-json", filepath.Join(dir, "go.mod")); err != nil {
		return err
	}
	if m.Module.Path != cipherlanePath {
		return fmt.Errorf("%s: is module %s, want %s", cli.Quote(dir), cli.Quote(m.Module.Path), cipherlanePath)
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
// version of Go, without the replacements of the modules in omit.
func (f goModFile) format(dir string, members []goModule, needs string, omit []string) string {
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
		if slices.Contains(omit, r.Old.Path) {
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
func (w *workspace) announce(q goQuery, replaced []*dropIn, own goModule, ownMod goModFile, vendor string, note func(format string, args ...any)) error {
	inWorkspace := q
	inWorkspace.env = w.env
	from := "of the checkout " + cli.Quote(own.Dir)
	if own.Sum != "" {
		from = own.Version
	}
	for _, t := range replaced {
		var now goModule
		if err := inWorkspace.json(&now, "list", "-m", "-json", t.path); err != nil {
			return err
		}
		if now.Version != t.module.Version || now.Dir != t.patched {
			return fmt.Errorf("go: %s %s in %s is in the workspace, want %s in %s", t.path, now.Version, cli.Quote(now.Dir), t.module.Version, cli.Quote(t.patched))
		}
		note("in place of %s %s, packages %s: %s %s", t.path, t.module.Version, t.names(), cipherlanePath, from)
	}
	for _, need := range ownMod.Require {
		var before, after goModule
		if err := inWorkspace.json(&after, "list", "-m", "-json", need.Path); err != nil {
			return err
		}
		// The program may not have required it before.
		if err := q.json(&before, "list", "-m", "-mod=readonly", "-json", need.Path); err == nil && before.Version != after.Version {
			note("in place of %s %s: %s, which cipherlane needs", need.Path, before.Version, after.Version)
		}
	}
	if vendor != "" {
		note("%s: not used; modules come from the module cache", cli.Quote(vendor))
	}
	return nil
}
