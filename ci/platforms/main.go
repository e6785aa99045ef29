// Platforms checks the library and the command for platforms on which nothing runs in CI.
//
//	go run ./ci/platforms openbsd/arm64 netbsd/amd64
//
// It parses all files and checks their types, as the compiler does first, and that functions
// without a body have one in assembly. To compile takes a minute for each platform, nearly all of
// it for the standard library; a release (ci/release) does that.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

const library = "github.com/cipherlane/cipherlane"

func main() {
	platforms := os.Args[1:]
	if len(platforms) == 0 {
		fmt.Fprintln(os.Stderr, "platforms: want platforms, such as openbsd/arm64")
		os.Exit(2)
	}
	known, err := exec.Command("go", "tool", "dist", "list").Output()
	for _, p := range platforms {
		if err != nil || !slices.Contains(strings.Fields(string(known)), p) {
			fmt.Fprintf(os.Stderr, "platforms: %s: not among those of \"go tool dist list\"\n", p)
			os.Exit(2)
		}
	}
	errs := make([]error, len(platforms))
	var group sync.WaitGroup
	for i, p := range platforms {
		group.Go(func() {
			goos, arch, _ := strings.Cut(p, "/")
			errs[i] = check(goos, arch, "./...", "./cmd/cipherlane")
		})
	}
	group.Wait()
	failed := false
	for i, err := range errs {
		if err != nil {
			fmt.Fprintf(os.Stderr, "platforms: %s: %v\n", platforms[i], err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// A listed package is what we need of what "go list" prints.
type listed struct {
	Dir, ImportPath string
	Name            string
	DepOnly         bool
	GoFiles, SFiles []string
	ImportMap       map[string]string
	Module          *struct{ GoVersion string }
	Error           *struct{ Err string }
}

func (p *listed) ours() bool {
	return p.ImportPath == library || strings.HasPrefix(p.ImportPath, library+"/")
}

// A platform has the packages that are checked for it.
type platform struct {
	arch     string
	files    *token.FileSet
	packages map[string]*listed
	checked  map[string]*types.Package
}

func check(goos, arch string, patterns ...string) error {
	cmd := exec.Command("go", append([]string{"list", "-e", "-deps", "-json=Dir,ImportPath,Name,DepOnly,GoFiles,SFiles,ImportMap,Module,Error"}, patterns...)...)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	p := platform{arch, token.NewFileSet(), map[string]*listed{}, map[string]*types.Package{"unsafe": types.Unsafe}}
	var roots []string
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		l := new(listed)
		if err := d.Decode(l); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		p.packages[l.ImportPath] = l
		// Programs of CI run elsewhere. A package that a platform does not have is no error if nothing imports it.
		if !l.DepOnly && len(l.GoFiles) > 0 && !strings.HasPrefix(l.ImportPath, library+"/ci/") {
			roots = append(roots, l.ImportPath)
		}
	}
	for _, r := range roots {
		if _, err := p.load(r); err != nil {
			return err
		}
	}
	if p.checked[library+"/cmd/cipherlane"] == nil {
		return fmt.Errorf("the command was not checked")
	}
	return nil
}

// load checks a package and what it imports.
func (p *platform) load(name string) (*types.Package, error) {
	if done := p.checked[name]; done != nil {
		return done, nil
	}
	l := p.packages[name]
	if l == nil || len(l.GoFiles) == 0 {
		return nil, fmt.Errorf("%s: there is no such package", name)
	}
	if l.Error != nil {
		return nil, fmt.Errorf("%s: %s", name, l.Error.Err)
	}
	var parsed []*ast.File
	for _, file := range l.GoFiles {
		f, err := parser.ParseFile(p.files, filepath.Join(l.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	config := types.Config{
		Importer:         importer{p, l},
		Sizes:            types.SizesFor("gc", p.arch),
		IgnoreFuncBodies: !l.ours(),
	}
	if l.Module != nil && l.Module.GoVersion != "" {
		config.GoVersion = "go" + l.Module.GoVersion
	}
	made, err := config.Check(name, p.files, parsed, nil)
	if err != nil {
		return nil, err
	}
	if l.ours() {
		if err := p.bodies(l, parsed); err != nil {
			return nil, err
		}
	}
	p.checked[name] = made
	return made, nil
}

// bodies looks for the assembly of functions that have no body.
func (p *platform) bodies(l *listed, parsed []*ast.File) error {
	var assembly strings.Builder
	for _, file := range l.SFiles {
		b, err := os.ReadFile(filepath.Join(l.Dir, file))
		if err != nil {
			return err
		}
		assembly.Write(b)
	}
	for _, f := range parsed {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil && !strings.Contains(assembly.String(), "TEXT ·"+d.Name.Name+"(") {
				return fmt.Errorf("%s: %s has no body", p.files.Position(d.Pos()), d.Name.Name)
			}
		}
	}
	return nil
}

// An importer resolves imports of one package: packages of the standard library have a name
// of their own for what they vendor.
type importer struct {
	*platform
	of *listed
}

func (i importer) Import(name string) (*types.Package, error) {
	if other := i.of.ImportMap[name]; other != "" {
		name = other
	}
	return i.load(name)
}
