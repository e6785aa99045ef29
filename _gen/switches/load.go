package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A loader loads packages of one module for one architecture.
type loader struct {
	top, module string
	context     *build.Context
	packages    map[string]*loaded
}

// A loaded package has been parsed and type-checked as far as that is possible without the
// switches, and without what other modules declare.
type loaded struct {
	*types.Package
	files map[string]*ast.File // by path
}

func newLoader(top string, context *build.Context) (*loader, error) {
	text, err := os.ReadFile(filepath.Join(top, "go.mod"))
	module, _, _ := strings.Cut(strings.TrimPrefix(string(text), "module "), "\n")
	return &loader{top, module, context, map[string]*loaded{}}, err
}

// Import implements types.Importer. Packages of other modules are empty: what they declare has
// no type.
func (l *loader) Import(p string) (*types.Package, error) {
	if p == "unsafe" {
		return types.Unsafe, nil
	}
	if strings.HasPrefix(p, l.module+"/") {
		pkg, err := l.load(p)
		if err != nil {
			return nil, err
		}
		return pkg.Package, nil
	}
	pkg := types.NewPackage(p, path.Base(p))
	pkg.MarkComplete()
	return pkg, nil
}

// load returns a package of the module, without the files that this program writes. Errors of
// types are expected.
func (l *loader) load(p string) (*loaded, error) {
	if pkg := l.packages[p]; pkg != nil {
		return pkg, nil
	}
	dir := filepath.Join(l.top, filepath.FromSlash(strings.TrimPrefix(p, l.module)))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	pkg := &loaded{files: map[string]*ast.File{}}
	set, list := token.NewFileSet(), []*ast.File(nil)
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "switch_") {
			continue
		}
		if ok, err := l.context.MatchFile(dir, name); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		pkg.files[filepath.Join(dir, name)] = f
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no files for %s", dir, l.context.GOARCH)
	}
	config := types.Config{Importer: l, Error: func(error) {}, IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", l.context.GOARCH)}
	pkg.Package, _ = config.Check(p, set, list, nil)
	l.packages[p] = pkg
	return pkg, nil
}

// operations returns the interface kernels, as a type and as it is written, and the file in
// which it is. They are nil if there is none.
func (p *loaded) operations() (*types.Interface, *ast.InterfaceType, *ast.File) {
	o := p.Scope().Lookup("kernels")
	if o == nil {
		return nil, nil, nil
	}
	for _, file := range p.files {
		for _, decl := range file.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.TYPE {
				continue
			}
			for _, spec := range d.Specs {
				s := spec.(*ast.TypeSpec)
				if written, ok := s.Type.(*ast.InterfaceType); ok && s.Name.Name == o.Name() {
					return o.Type().Underlying().(*types.Interface), written, file
				}
			}
		}
	}
	return nil, nil, nil
}

// mentioned adds the names that files use to a set: all but those that functions are declared by.
func mentioned(set map[string]bool, files map[string]*ast.File) {
	for _, file := range files {
		declared := map[*ast.Ident]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				declared[n.Name] = true
			case *ast.Ident:
				if !declared[n] {
					set[n.Name] = true
				}
			}
			return true
		})
	}
}
