package repotest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Operations are the methods of the interface kernels in dispatch.go, for which _gen/switches
// writes switches, and functions …Kernel in the files of architectures. operations_test.go calls
// every one. Every switch over drivers in the file of an architecture has an arm for every row of
// its table but the portable one. If a driver has no kernel, the line of the default arm names
// it: "default: // ssse3, avx2". Each arm is also left out, to see that it is missed.
func TestKernels(t *testing.T) {
	kernel := regexp.MustCompile(`(?m)^func (\w+)Kernel\(`)
	arm := regexp.MustCompile(`(?m)^\tcase .*:\n(\t\t.*\n)+`)
	tables, err := fs.Glob(root, "[^.]*/drivers_*.go")
	inner, err2 := fs.Glob(root, "internal/*/drivers_*.go")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	operations := map[string][]string{} // by folder
	checked := 0
	for _, table := range append(tables, inner...) {
		source, dir := read(t, table), path.Dir(table)
		if strings.HasSuffix(table, "_test.go") {
			continue
		}
		if operations[dir] == nil {
			operations[dir] = methods(t, dir+"/dispatch.go")
		}
		for _, m := range kernel.FindAllStringSubmatch(source, -1) {
			if !slices.Contains(operations[dir], m[1]) {
				operations[dir] = append(operations[dir], m[1])
			}
		}
		for _, problem := range kernelProblems(source, operations[dir]) {
			t.Errorf("%s: %s", table, problem)
		}
		for _, at := range arm.FindAllStringIndex(source, -1) {
			checked++
			left := source[at[0]:at[1]]
			if !strings.HasPrefix(strings.ToLower(left), "\tcase generic:") && kernelProblems(source[:at[0]]+source[at[1]:], operations[dir]) == nil {
				t.Errorf("%s: would not be missed: %s", table, left)
			}
		}
	}
	for dir, list := range operations {
		if len(list) == 0 {
			continue
		}
		tests, err := fs.ReadFile(root, dir+"/operations_test.go")
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range list {
			if !regexp.MustCompile(`(?i)"(\w+, )*` + name + `(, \w+)*":`).Match(tests) {
				t.Errorf("%s/operations_test.go has no operation %q", dir, name)
			}
		}
	}
	if checked == 0 || len(operations["sm2"]) == 0 {
		t.Error("there are no switches, or no operations")
	}
}

// methods returns those of the interface kernels in a file, without "Kernel" at their ends.
func methods(t *testing.T, file string) (names []string) {
	source, err := fs.ReadFile(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f, err2 := parser.ParseFile(token.NewFileSet(), file, source, 0)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.TypeSpec); ok && s.Name.Name == "kernels" {
			for _, m := range s.Type.(*ast.InterfaceType).Methods.List {
				names = append(names, strings.TrimSuffix(m.Names[0].Name, "Kernel"))
			}
		}
		return true
	})
	return names
}

// kernelProblems checks the file of one architecture.
func kernelProblems(source string, operations []string) (problems []string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", source, parser.ParseComments)
	if err != nil {
		return []string{err.Error()}
	}
	comments := map[int]string{} // by line
	for _, group := range file.Comments {
		for _, c := range group.List {
			comments[set.Position(c.Pos()).Line] = strings.TrimPrefix(c.Text, "// ")
		}
	}
	rows := tableRows(file)
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || len(f.Body.List) == 0 {
			continue
		}
		report := func(format string, args ...any) {
			problems = append(problems, f.Name.Name+": "+fmt.Sprintf(format, args...))
		}
		operation := strings.TrimSuffix(f.Name.Name, "Kernel")
		last := f.Body.List[len(f.Body.List)-1]
		if s, ok := last.(*ast.SwitchStmt); slices.Contains(operations, operation) && !(ok && overRows(s.Tag)) && !callsOnly(last, operation+"Portable", "panic") {
			report("does not end in a switch over drivers or a call of %sPortable", operation)
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			s, ok := n.(*ast.SwitchStmt)
			if !ok || !overRows(s.Tag) {
				return true
			}
			arms, rest := map[string]bool{}, ast.Node(nil)
			for _, statement := range s.Body.List {
				c := statement.(*ast.CaseClause)
				if c.List == nil {
					rest = c
				}
				for _, e := range c.List {
					if id, ok := e.(*ast.Ident); ok {
						arms[id.Name] = true
					}
				}
			}
			if rest == nil {
				report("the switch has no default")
				return true
			}
			var exempt []string
			if text := comments[set.Position(rest.Pos()).Line]; text != "" {
				exempt = strings.Split(text, ", ")
			}
			for _, name := range exempt {
				if arms[name] || !slices.Contains(rows, name) {
					report("%q behind default is not a driver without an arm", name)
				}
			}
			if len(rows) == 0 {
				report("the file has no table")
				return true
			}
			for _, name := range rows[1:] {
				if !arms[name] && !slices.Contains(exempt, name) {
					report("has no arm for %s", name)
				}
			}
			return true
		})
	}
	return problems
}

// tableRows returns the constants of the rows in the table, of which the portable one is
// the first.
func tableRows(file *ast.File) (rows []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		list, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if array, ok := list.Type.(*ast.ArrayType); !ok || array.Len != nil || !isName(array.Elt, "Info") {
			return true
		}
		for _, e := range list.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := pair.Key.(*ast.Ident); ok {
					rows = append(rows, id.Name)
				}
			}
		}
		return false
	})
	return rows
}

// isName reports whether an expression is a name, perhaps of another package.
func isName(e ast.Expr, name string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == name
	case *ast.SelectorExpr:
		return e.Sel.Name == name
	}
	return false
}

// overRows reports whether a switch is over the driver of a call or of an object.
func overRows(tag ast.Expr) bool { return isName(tag, "row") }

// callsOnly reports whether a statement only calls one of these functions.
func callsOnly(s ast.Stmt, names ...string) bool {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			e = s.Results[0]
		}
	}
	call, ok := e.(*ast.CallExpr)
	return ok && slices.ContainsFunc(names, func(name string) bool { return isName(call.Fun, name) })
}
