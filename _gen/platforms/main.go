// Platforms checks the library and the command for other platforms without compiling anything.
//
//	go run ./_gen/platforms linux/arm64 openbsd/arm64
//	go run ./_gen/platforms -tags purego linux/arm
//	GOTOOLCHAIN=go1.24.13 go run ./_gen/platforms -library linux/arm64
//
// For each platform it parses all files, checks their types, as the compiler does first, assembles
// assembly, and checks that functions without a body have one there. Then it runs the analyzers of
// go vet on the library with its tests and, but for js and with -library, on the command. The
// standard library and the assembler are those of the go command. To compile takes a minute for
// each platform, nearly all of it for the standard library; a release (ci/release) does that.
//
// It misses errors that only the compiler and the linker find: a frame that is too large, a symbol
// that is missing.
// Nor does it look at the programs of ci, the tests of the command and files excluded by
// constraints. The analyzers know less of the standard library than those of go vet: which of its
// functions are like Printf is in a list of theirs, and not in facts about it.
//
// It is in this module because the analyzers are in golang.org/x/tools, which avo needs, too.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const library = "github.com/cipherlane/cipherlane"

func main() {
	tags := flag.String("tags", "", "build `tags`, separated by commas")
	alone := flag.Bool("library", false, "without the command, which may need a newer version of Go")
	flag.Parse()
	platforms := flag.Args()
	if len(platforms) == 0 {
		fmt.Fprintln(os.Stderr, "platforms: want platforms, such as openbsd/arm64")
		os.Exit(2)
	}
	supported, err := exec.Command("go", "tool", "dist", "list").Output()
	for _, p := range platforms {
		if err != nil || !slices.Contains(strings.Fields(string(supported)), p) {
			fmt.Fprintf(os.Stderr, "platforms: %s: not among those of \"go tool dist list\"\n", p)
			os.Exit(2)
		}
	}
	failed := false
	for _, name := range platforms {
		goos, arch, _ := strings.Cut(name, "/")
		p := newPlatform(library, goos, arch)
		patterns := []string{"./...", "./cmd/cipherlane/..."}
		if goos == "js" || *alone { // js has no signals and no terminals
			patterns = patterns[:1]
		}
		err := p.check(".", *tags, patterns...)
		if err == nil && len(patterns) > 1 && p.checked[library+"/cmd/cipherlane"] == nil {
			err = fmt.Errorf("the command was not checked")
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "platforms: %s: %v\n", name, err)
		}
		for _, problem := range p.problems {
			fmt.Fprintf(os.Stderr, "platforms: %s: %s\n", name, problem)
		}
		failed = failed || err != nil || len(p.problems) > 0
	}
	if failed {
		os.Exit(1)
	}
}

// A listed package is what we need of what "go list" prints.
type listed struct {
	Dir, ImportPath string
	Name            string
	ForTest         string
	DepOnly         bool
	GoFiles         []string
	SFiles, HFiles  []string
	ImportMap       map[string]string
	Module          *struct{ Path, GoVersion string }
	Error           *struct{ Err string }
}

// path is the import path without the name of the test for which the package is compiled.
func (l *listed) path() string {
	name, _, _ := strings.Cut(l.ImportPath, " ")
	return name
}

// A platform has the packages that are checked for it.
type platform struct {
	module      string
	goos, arch  string
	environment []string // of the go command
	include     string   // headers of the assembler
	sizes       types.Sizes
	files       *token.FileSet
	packages    map[string]*listed
	checked     map[string]*types.Package
	assembled   map[string]bool
	facts       facts
	problems    []string // of analyzers
}

func newPlatform(module, goos, arch string) *platform {
	return &platform{
		module: module, goos: goos, arch: arch, sizes: types.SizesFor("gc", arch), files: token.NewFileSet(),
		packages: map[string]*listed{}, checked: map[string]*types.Package{"unsafe": types.Unsafe}, assembled: map[string]bool{}, facts: facts{},
	}
}

func (p *platform) ours(l *listed) bool {
	return l.path() == p.module || strings.HasPrefix(l.path(), p.module+"/")
}

// check checks packages, with tests where the module has them.
func (p *platform) check(dir, tags string, patterns ...string) error {
	build.Default.GOOS, build.Default.GOARCH = p.goos, p.arch // an analyzer asks for it
	cmd := exec.Command("go", append([]string{"list", "-e", "-deps", "-test", "-tags=" + tags,
		"-json=Dir,ImportPath,Name,ForTest,DepOnly,GoFiles,SFiles,HFiles,ImportMap,Module,Error"}, patterns...)...)
	cmd.Dir = dir
	p.environment = append(os.Environ(), "GOOS="+p.goos, "GOARCH="+p.arch, "CGO_ENABLED=0")
	cmd.Env = p.environment
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	root := exec.Command("go", "env", "GOROOT")
	root.Dir = dir
	path, err := root.Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	p.include = filepath.Join(strings.TrimSpace(string(path)), "pkg", "include")
	var roots []string
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		l := new(listed)
		if err := d.Decode(l); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		p.packages[l.ImportPath] = l
		switch {
		case l.DepOnly, len(l.GoFiles) == 0, strings.HasSuffix(l.ImportPath, ".test"):
		case l.ForTest != "" && l.Module != nil && l.Module.Path != p.module: // the command's tests
		case strings.HasPrefix(l.ImportPath, p.module+"/ci/"):
			// Programs of CI run elsewhere. A package that a platform does not have is no error
			// if nothing imports it.
		default:
			roots = append(roots, l.ImportPath)
		}
	}
	for _, r := range roots {
		if _, err := p.load(r); err != nil {
			return err
		}
	}
	slices.Sort(p.problems)
	p.problems = slices.Compact(p.problems) // a package is checked with and without its tests
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
	mode := parser.SkipObjectResolution
	if p.ours(l) {
		mode |= parser.ParseComments // for analyzers
	}
	var parsed []*ast.File
	for _, file := range l.GoFiles {
		f, err := parser.ParseFile(p.files, filepath.Join(l.Dir, file), nil, mode)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	config := types.Config{Importer: importer{p, l}, Sizes: p.sizes, IgnoreFuncBodies: !p.ours(l)}
	if l.Module != nil && l.Module.GoVersion != "" {
		config.GoVersion = "go" + l.Module.GoVersion
	}
	var info *types.Info
	if p.ours(l) {
		info = newInfo()
	}
	made, err := config.Check(l.path(), p.files, parsed, info)
	if err != nil {
		return nil, err
	}
	p.checked[name] = made
	if p.ours(l) {
		if err := p.bodies(l, parsed); err != nil {
			return nil, err
		}
		if err := p.assemble(l); err != nil {
			return nil, err
		}
		return made, p.analyse(l, made, parsed, info)
	}
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

// assemble assembles what has no constants of Go (go_asm.h): none of ours has.
func (p *platform) assemble(l *listed) error {
	if len(l.SFiles) == 0 || p.assembled[l.path()] {
		return nil
	}
	p.assembled[l.path()] = true                      // once, and not again with tests
	object, err := os.CreateTemp("", "platforms-*.o") // the assembler removes it when it fails
	if err != nil {
		return err
	}
	object.Close()
	defer os.Remove(object.Name())
	for _, file := range l.SFiles { // each has its own static symbols
		cmd := exec.Command("go", "tool", "asm", "-p", l.path(), "-I", p.include, "-o", object.Name(), file)
		cmd.Dir, cmd.Env = l.Dir, p.environment
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: go tool asm: %w\n%s", l.path(), err, output)
		}
	}
	return nil
}

// An importer resolves imports of one package: packages of the standard library have a name
// of their own for what they vendor.
type importer struct {
	*platform
	importing *listed
}

func (i importer) Import(name string) (*types.Package, error) {
	if other := i.importing.ImportMap[name]; other != "" {
		name = other
	}
	return i.load(name)
}
