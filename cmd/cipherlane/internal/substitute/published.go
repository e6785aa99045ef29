package substitute

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
)

// A published program is that of "go install PACKAGE@VERSION" or "go run PACKAGE@VERSION", for which
// the go command uses no workspace. Instead, a module is made that requires the program's
// module at this version. The workspace has that one, and the go command gets the package without
// its version. The program's module stays a dependency, so "go version -m" shows its version.
type published struct {
	packages []string // with versions
	dir      string   // of the module that is made
}

const publishedModule = "the-program" // messages name it

// require makes the module. As for the go command, the program's go.mod decides which versions of
// other modules it has, and must not replace or exclude any.
func (p *published) require(q goQuery, note func(format string, args ...any)) (err error) {
	if p.dir, err = os.MkdirTemp("", "cipherlane-go-program-"); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "go.mod"), []byte("module "+publishedModule+"\n"), 0o666); err != nil {
		return err
	}
	q.dir = p.dir
	var env struct{ GOFLAGS string }
	if err := q.json(&env, "env", "-json", "GOFLAGS"); err != nil {
		return err
	}
	flags, _, err := inWorkspace(env.GOFLAGS)
	if err != nil {
		return err
	}
	q.env = append(slices.Clone(q.env), "GOFLAGS="+strings.TrimSuffix(flags, "-mod=readonly"))
	if _, err := q.run(append([]string{"get"}, p.packages...)...); err != nil {
		return err
	}
	program, err := q.moduleOf(p.arguments(p.packages, len(p.packages)))
	if err != nil {
		return err
	}
	var mod goModFile
	if err := q.json(&mod, "mod", "edit", "-json", program.GoMod); err != nil {
		return err
	}
	if len(mod.Replace)+len(mod.Exclude) > 0 {
		return fmt.Errorf("go: the go.mod of %s %s replaces or excludes modules, so the go command cannot build it by its version; run this in a copy of its source", program.Path, program.Version)
	}
	// These decide about the defaults of GODEBUG.
	edit := []string{"mod", "edit", "-go=" + cmp.Or(mod.Go, "1.16")}
	for _, s := range mod.Godebug {
		edit = append(edit, "-godebug="+s.Key+"="+s.Value)
	}
	if _, err := q.run(edit...); err != nil {
		return err
	}
	note("%s %s", program.Path, program.Version)
	return nil
}

// moduleOf returns the module of packages, which must all be of the same.
func (q goQuery) moduleOf(packages []string) (program goModule, err error) {
	out, err := q.run(append([]string{"list", "-find", "-json=Module"}, packages...)...)
	if err != nil {
		return program, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var pkg struct{ Module goModule }
		if err := d.Decode(&pkg); err != nil {
			return program, err
		}
		if program.Path != "" && program.Path != pkg.Module.Path {
			return program, cli.Usagef("go: packages of %s and of %s: all must be of the same module", program.Path, pkg.Module.Path)
		}
		program = pkg.Module
	}
	if program.Path == "" {
		return program, cli.Usagef("go: %s: no package of a module", strings.Join(packages, " "))
	}
	return program, nil
}

// arguments returns those of the go command with packages that have no version. There are so many
// arguments from the first package on.
func (p *published) arguments(args []string, behind int) []string {
	args = append([]string(nil), args...)
	for i := range p.packages {
		at := len(args) - behind + i
		args[at], _, _ = strings.Cut(args[at], "@")
	}
	return args
}
