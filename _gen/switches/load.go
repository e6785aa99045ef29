package main

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A loaded package has been parsed and type-checked for one architecture, as far as that is
// possible without the switches, and without what other modules declare.
type loaded struct {
	load    *loader
	types   *types.Package
	files   map[string]*ast.File
	kernels *types.Interface // the operations
}

// A loader loads packages of this module.
type loader struct {
	top, module string
	context     *build.Context
	set         *token.FileSet
	packages    map[string]*types.Package
}

func load(top, dir string, context *build.Context) (*loaded, error) {
	text, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		return nil, err
	}
	module, _, _ := strings.Cut(strings.TrimPrefix(string(text), "module "), "\n")
	l := &loader{top, module, context, token.NewFileSet(), map[string]*types.Package{}}
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return nil, err
	}
	pkg := &loaded{load: l}
	pkg.types, pkg.files, err = l.check(path.Join(module, filepath.ToSlash(rel)))
	if err != nil {
		return nil, err
	}
	if o := pkg.types.Scope().Lookup("kernels"); o != nil {
		pkg.kernels, _ = o.Type().Underlying().(*types.Interface)
	}
	return pkg, nil
}

// operations returns the declaration of the interface kernels.
func (p *loaded) operations() *ast.InterfaceType {
	if p.kernels == nil {
		return nil
	}
	for _, f := range p.files {
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && s.Name.Name == "kernels" {
					i, _ := s.Type.(*ast.InterfaceType)
					return i
				}
			}
		}
	}
	return nil
}

// Import returns a package of this module. Others are empty: what they declare has no type.
func (l *loader) Import(p string) (*types.Package, error) {
	if p == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := l.packages[p]; pkg != nil {
		return pkg, nil
	}
	if !strings.HasPrefix(p, l.module+"/") {
		pkg := types.NewPackage(p, path.Base(p))
		pkg.MarkComplete()
		l.packages[p] = pkg
		return pkg, nil
	}
	pkg, _, err := l.check(p)
	return pkg, err
}

// check parses and type-checks a package. Errors of types are expected.
func (l *loader) check(p string) (*types.Package, map[string]*ast.File, error) {
	dir := filepath.Join(l.top, filepath.FromSlash(strings.TrimPrefix(p, l.module)))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	files := map[string]*ast.File{}
	var list []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "switch_") || name == "switch.go" {
			continue
		}
		if ok, err := l.context.MatchFile(dir, name); err != nil {
			return nil, nil, err
		} else if !ok {
			continue
		}
		file := filepath.Join(dir, name)
		f, err := parser.ParseFile(l.set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files[file] = f
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil, nil, errors.Join(fs.ErrNotExist, errors.New(dir))
	}
	config := types.Config{Importer: l, Error: func(error) {}, IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", l.context.GOARCH)}
	pkg, _ := config.Check(p, l.set, list, nil)
	l.packages[p] = pkg
	return pkg, files, nil
}
