package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/appends"
	"golang.org/x/tools/go/analysis/passes/asmdecl"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/composite"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/directive"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/framepointer"
	"golang.org/x/tools/go/analysis/passes/hostport"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/loopclosure"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/sigchanyzer"
	"golang.org/x/tools/go/analysis/passes/slog"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stdversion"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/testinggoroutine"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/timeformat"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/analysis/passes/waitgroup"
)

// analyzers are those of go vet, but for that of cgo.
var analyzers = []*analysis.Analyzer{
	appends.Analyzer, asmdecl.Analyzer, assign.Analyzer, atomic.Analyzer, bools.Analyzer, buildtag.Analyzer,
	composite.Analyzer, copylock.Analyzer, defers.Analyzer, directive.Analyzer, errorsas.Analyzer, framepointer.Analyzer,
	hostport.Analyzer, httpresponse.Analyzer, ifaceassert.Analyzer, loopclosure.Analyzer, lostcancel.Analyzer, nilfunc.Analyzer,
	printf.Analyzer, shift.Analyzer, sigchanyzer.Analyzer, slog.Analyzer, stdmethods.Analyzer, stdversion.Analyzer,
	stringintconv.Analyzer, structtag.Analyzer, testinggoroutine.Analyzer, tests.Analyzer, timeformat.Analyzer, unmarshal.Analyzer,
	unreachable.Analyzer, unsafeptr.Analyzer, unusedresult.Analyzer, waitgroup.Analyzer,
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
}

// facts are what an analyzer has found out about objects and packages, for packages that import
// them. The key has an object or a package, and the type of the fact.
type facts map[[2]any]analysis.Fact

func (f facts) put(subject any, fact analysis.Fact) { f[[2]any{subject, reflect.TypeOf(fact)}] = fact }

func (f facts) get(subject any, fact analysis.Fact) bool {
	found, ok := f[[2]any{subject, reflect.TypeOf(fact)}]
	if ok {
		reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(found).Elem())
	}
	return ok
}

// analyse runs the analyzers on a package whose imports were analysed before.
func (p *platform) analyse(l *listed, pkg *types.Package, parsed []*ast.File, info *types.Info) error {
	var others []string
	for _, file := range append(append([]string(nil), l.SFiles...), l.HFiles...) {
		others = append(others, filepath.Join(l.Dir, file))
	}
	module := &analysis.Module{Path: p.module}
	if l.Module != nil {
		module = &analysis.Module{Path: l.Module.Path, GoVersion: l.Module.GoVersion}
	}
	results := map[*analysis.Analyzer]any{}
	var run func(a *analysis.Analyzer) error
	run = func(a *analysis.Analyzer) error {
		if _, done := results[a]; done {
			return nil
		}
		for _, needed := range a.Requires {
			if err := run(needed); err != nil {
				return err
			}
		}
		result, err := a.Run(&analysis.Pass{
			Analyzer: a, Fset: p.files, Files: parsed, OtherFiles: others, Pkg: pkg, TypesInfo: info, TypesSizes: p.sizes,
			Module: module, ResultOf: results, ReadFile: os.ReadFile,
			Report: func(d analysis.Diagnostic) {
				p.problems = append(p.problems, fmt.Sprintf("%s: %s (%s)", p.files.Position(d.Pos), d.Message, a.Name))
			},
			ImportObjectFact:  func(o types.Object, f analysis.Fact) bool { return p.facts.get(o, f) },
			ExportObjectFact:  func(o types.Object, f analysis.Fact) { p.facts.put(o, f) },
			ImportPackageFact: func(imported *types.Package, f analysis.Fact) bool { return p.facts.get(imported, f) },
			ExportPackageFact: func(f analysis.Fact) { p.facts.put(pkg, f) },
			AllPackageFacts:   func() []analysis.PackageFact { return nil },
			AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		})
		if err != nil {
			return fmt.Errorf("%s: %s: %w", l.ImportPath, a.Name, err)
		}
		results[a] = result
		return nil
	}
	for _, a := range analyzers {
		if err := run(a); err != nil {
			return err
		}
	}
	return nil
}
