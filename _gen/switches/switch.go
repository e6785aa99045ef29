package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A writer writes the switches for one file of drivers.
type writer struct {
	pkg        *loaded
	arch       *loaded   // with the kernels, or nil
	file       *ast.File // of drivers
	drivers    []driver
	arguments  []argument
	conditions []condition
	used       map[string]bool // names behind "kernels:" with their drivers, lines with arguments, kernels with conditions
	bytes.Buffer
}

type driver struct {
	name  string
	names []string // in the names of its kernels
}

// An argument is a line //switches:argument.
type argument struct{ text, driver, kind, expression string }

// A condition is for one of the kernels in a line //switches:if.
type condition struct{ kernel, expression string }

var (
	argumentLine  = regexp.MustCompile(`^//switches:argument (?:(\w+) )?(\S+) = (.+)$`)
	conditionLine = regexp.MustCompile(`^//switches:if (.+): (.+)$`)
	defaultLine   = regexp.MustCompile(`(?m)^//switches:default (.+)$`)
)

// switches returns the text of the switches for a file of drivers, or with all set, that of the
// functions for all architectures. It is nil if there are none.
func switches(top, dir, file string, all bool) ([]byte, error) {
	context, err := contextOf(dir, file)
	if err != nil {
		return nil, err
	}
	l, err := newLoader(top, context)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return nil, err
	}
	pkg, err := l.load(path.Join(l.module, filepath.ToSlash(rel)))
	if err != nil {
		return nil, err
	}
	operations, written, dispatch := pkg.operations()
	if operations == nil {
		return nil, nil
	}
	w := &writer{pkg: pkg, file: pkg.files[file], used: map[string]bool{}}
	imports := map[string]string{} // by name
	for _, f := range []*ast.File{dispatch, w.file} {
		for _, spec := range f.Imports {
			p := strings.Trim(spec.Path.Value, `"`)
			imports[path.Base(p)] = p
		}
	}
	if folder := filepath.Join("internal", architecture(file)); exists(filepath.Join(dir, folder)) {
		p := path.Join(pkg.Path(), filepath.ToSlash(folder))
		if w.arch, err = l.load(p); err != nil {
			return nil, err
		}
		imports[w.arch.Name()] = p
	}
	if all {
		w.file = nil
	} else if err := w.directives(); err != nil {
		return nil, err
	}
	for _, method := range written.Methods.List {
		if len(method.Names) != 1 {
			return nil, errors.New("the interface kernels may only have methods")
		}
		f, _, _ := types.LookupFieldOrMethod(operations, false, pkg.Package, method.Names[0].Name)
		o, err := w.operationOf(method, f.(*types.Func))
		if err == nil {
			if all {
				err = w.marks(o)
			} else {
				err = w.operation(o)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	if !all {
		if err := w.defaults(dir, dispatch, imports); err != nil {
			return nil, err
		}
	}
	if w.Len() == 0 {
		return nil, nil
	}
	return w.finish(operations, imports)
}

// defaults writes the declarations of lines //switches:default, unless the package has its own. Other
// packages that they need are imported by some file of the folder.
func (w *writer) defaults(dir string, file *ast.File, imports map[string]string) error {
	for _, group := range file.Comments {
		var comment []string
		for _, c := range group.List {
			m := defaultLine.FindStringSubmatch(c.Text)
			if m == nil {
				comment = append(comment, c.Text+"\n")
				continue
			}
			text := "package p\n" + m[1]
			f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
			if err != nil || len(f.Decls) != 1 {
				return fmt.Errorf("not a declaration: %s", m[1])
			}
			if w.declares(f.Decls[0]) {
				continue
			}
			if n := len(comment); n > 0 && comment[n-1] == "//\n" {
				comment = comment[:n-1]
			}
			fmt.Fprintf(w, "\n%s%s\n", strings.Join(comment, ""), m[1])
			comment = nil
			if err := addImports(imports, dir, m[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// declares reports whether the package has the method, or the first name, of a declaration.
func (w *writer) declares(decl ast.Decl) bool {
	name := ""
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if name = d.Name.Name; d.Recv == nil {
			break
		}
		of, _ := w.pkg.Scope().Lookup(types.ExprString(d.Recv.List[0].Type)[1:]).(*types.TypeName)
		if of == nil {
			return false
		}
		m, _, _ := types.LookupFieldOrMethod(of.Type(), true, w.pkg.Package, name)
		return m != nil
	case *ast.GenDecl:
		switch s := d.Specs[0].(type) {
		case *ast.TypeSpec:
			name = s.Name.Name
		case *ast.ValueSpec:
			name = s.Names[0].Name
		}
	}
	return w.pkg.Scope().Lookup(name) != nil
}

// addImports adds those imports of the files of a folder that a text may need.
func addImports(imports map[string]string, dir, text string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			p := strings.Trim(spec.Path.Value, `"`)
			if strings.Contains(text, path.Base(p)+".") {
				imports[path.Base(p)] = p
			}
		}
	}
	return nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// contextOf returns a build context that a file is for.
func contextOf(dir, file string) (*build.Context, error) {
	for _, tags := range [][]string{nil, {"purego"}} {
		for _, arch := range strings.Fields("amd64 386 arm arm64 riscv64 mips mips64 loong64 ppc64le s390x") {
			c := build.Default
			c.GOOS, c.GOARCH, c.BuildTags, c.ToolTags, c.CgoEnabled = "linux", arch, tags, nil, false
			if arch == "386" {
				c.ToolTags = []string{"386.sse2"}
			}
			if ok, err := c.MatchFile(dir, filepath.Base(file)); err != nil || ok {
				return &c, err
			}
		}
	}
	return nil, errors.New("for no architecture")
}

// architecture returns the name of the folder with the kernels for a file of drivers.
func architecture(file string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "drivers_"), ".go")
	switch name {
	case "386":
		return "i386" // a package needs a name
	case "mipsx":
		return "mips"
	}
	return name
}

// directives reads the drivers and the arguments of the file.
func (w *writer) directives() error {
	for _, decl := range w.file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST || w.drivers != nil {
			continue
		}
		first := d.Specs[0].(*ast.ValueSpec)
		if first.Type == nil || types.ExprString(first.Type) != "uint8" || len(first.Values) != 1 {
			continue
		}
		if v := types.ExprString(first.Values[0]); v != "iota + 1" && (v != "1" || len(d.Specs) > 1) {
			continue
		}
		for _, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			names := []string{v.Names[0].Name}
			if text, ok := strings.CutPrefix(v.Comment.Text(), "kernels: "); ok {
				names = strings.Split(strings.TrimSpace(text), ", ")
			}
			if w.arch != nil && v.Names[0].Name == w.arch.Name() {
				return fmt.Errorf("the driver %s has the name of the package with the kernels", w.arch.Name())
			}
			w.drivers = append(w.drivers, driver{v.Names[0].Name, names})
		}
	}
	for _, group := range w.file.Comments {
		for _, c := range group.List {
			if !strings.HasPrefix(c.Text, "//switches:") {
				continue
			}
			if m := argumentLine.FindStringSubmatch(c.Text); m != nil {
				w.arguments = append(w.arguments, argument{m[0], m[1], m[2], m[3]})
			} else if m := conditionLine.FindStringSubmatch(c.Text); m != nil {
				for kernel := range strings.SplitSeq(m[2], ", ") {
					w.conditions = append(w.conditions, condition{kernel, m[1]})
				}
			} else {
				return fmt.Errorf("not a line for switches: %s", c.Text)
			}
		}
	}
	return nil
}

// operation writes the switch of an operation, unless the package has one.
func (w *writer) operation(o *operation) error {
	if w.pkg.Scope().Lookup(o.name) != nil {
		return nil
	}
	ending, err := w.ending(o)
	if err != nil {
		return err
	}
	if o.marked() {
		ending = o.returns(o.call(o.base + "Default"))
	}
	calls, drivers := []string(nil), map[string][]string{} // the drivers with a call, or without any
	for _, d := range w.drivers {
		call, err := w.call(o, d, ending)
		if err != nil {
			return fmt.Errorf("with %s: %w", d.name, err)
		}
		if call != "" && drivers[call] == nil {
			calls = append(calls, call)
		}
		drivers[call] = append(drivers[call], d.name)
	}
	fmt.Fprintln(w)
	if o.entry == "" {
		fmt.Fprintln(w, strings.Join(o.comment, "\n"))
	}
	fmt.Fprintf(w, "func %s(row uint8%s {\n", o.name, o.text)
	if calls == nil {
		fmt.Fprintf(w, "%s\n}\n", ending)
		return nil
	}
	fmt.Fprintf(w, "switch row {\n")
	for _, call := range calls {
		fmt.Fprintf(w, "case %s:\n%s\n", strings.Join(drivers[call], ", "), call)
	}
	fmt.Fprintf(w, "default:")
	if uncalled := drivers[""]; uncalled != nil {
		fmt.Fprintf(w, " // %s", strings.Join(uncalled, ", "))
	}
	fmt.Fprintf(w, "\n%s\n}\n}\n", ending)
	return nil
}

// find returns the function of a package with a name in upper or lower case, or nil.
func find(pkg *loaded, name string) (found *types.Func, err error) {
	for _, n := range pkg.Scope().Names() {
		if f, ok := pkg.Scope().Lookup(n).(*types.Func); ok && strings.EqualFold(n, name) {
			if found != nil {
				return nil, fmt.Errorf("%s and %s are the same name", found.Name(), n)
			}
			found = f
		}
	}
	return found, nil
}

// call returns the statements that call a driver's kernels, or nothing if it has none. They end in
// the last resort if all its kernels have conditions.
func (w *writer) call(o *operation, d driver, last string) (string, error) {
	var text string
	fixed := map[string]bool{} // parameters that conditions tell
	for _, name := range d.names {
		kernel, err := find(w.pkg, o.base+name)
		if err != nil {
			return "", err
		}
		var qualifier string
		if kernel == nil && w.arch != nil {
			kernel = exported(w.arch, o.base+name)
			qualifier = w.arch.Name() + "."
		}
		if kernel == nil {
			continue
		}
		w.used[d.name+" "+name] = true
		list, unused, err := w.pass(o.signature.Params(), kernel.Signature().Params(), d)
		var call string
		if err == nil {
			call, err = result(qualifier+kernel.Name()+"("+strings.Join(list, ", ")+")", o.signature, kernel.Signature())
		}
		at := slices.IndexFunc(w.conditions, func(c condition) bool { return c.kernel == kernel.Name() })
		if err == nil && at < 0 {
			maps.DeleteFunc(unused, func(p string, _ bool) bool { return fixed[p] })
			if len(unused) > 0 {
				err = fmt.Errorf("does not get %s", strings.Join(slices.Sorted(maps.Keys(unused)), ", "))
			}
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", kernel.Name(), err)
		}
		if at < 0 {
			if text == "" {
				return call, nil
			}
			return text + "{\n" + call + "\n}", nil
		}
		w.used[kernel.Name()] = true
		condition := w.conditions[at].expression
		for _, word := range words.FindAllString(condition, -1) {
			fixed[word] = true
		}
		text += "if " + condition + " {\n" + call + "\n} else "
	}
	if text != "" {
		text += "{\n" + last + "\n}"
	}
	return text, nil
}

// exported returns the exported function with a name in upper or lower case, or nil. The others
// are for these.
func exported(pkg *loaded, name string) *types.Func {
	for _, n := range pkg.Scope().Names() {
		if f, ok := pkg.Scope().Lookup(n).(*types.Func); ok && f.Exported() && strings.EqualFold(n, name) {
			return f
		}
	}
	return nil
}

// pass returns the arguments of a kernel, and the parameters of the operation that are in none.
func (w *writer) pass(operation, kernel *types.Tuple, d driver) (list []string, unused map[string]bool, err error) {
	unused = map[string]bool{}
	for p := range operation.Variables() {
		unused[p.Name()] = true
	}
	for p := range kernel.Variables() {
		kind := types.TypeString(p.Type(), func(p *types.Package) string {
			if p == w.pkg.Package {
				return ""
			}
			return p.Name()
		})
		from := variable(operation, p.Name())
		var expression string
		switch {
		case p.Name() == "row":
			expression = "row"
		case from != nil && types.Identical(from.Type(), p.Type()):
			expression = p.Name()
		case w.argument(d.name, kind) != "":
			expression = forParameter(w.argument(d.name, kind), operation, p.Name())
		case w.argument("", kind) != "":
			expression = forParameter(w.argument("", kind), operation, p.Name())
		case from == nil:
			return nil, nil, fmt.Errorf("no argument for %s %s", p.Name(), kind)
		case method(from.Type(), p.Type()) != "":
			expression = p.Name() + "." + method(from.Type(), p.Type()) + "()"
		case types.ConvertibleTo(from.Type(), p.Type()):
			expression = "(" + kind + ")(" + p.Name() + ")"
		default:
			return nil, nil, fmt.Errorf("%s is %s, and not %s", p.Name(), from.Type(), kind)
		}
		for _, word := range words.FindAllString(expression, -1) {
			delete(unused, word)
		}
		list = append(list, expression)
	}
	return list, unused, nil
}

// forParameter returns an expression with another parameter in place of k, if the operation has one
// with that name and the same type.
func forParameter(expression string, operation *types.Tuple, name string) string {
	k, other := variable(operation, "k"), variable(operation, name)
	if k == nil || other == nil || !types.Identical(k.Type(), other.Type()) {
		return expression
	}
	return words.ReplaceAllStringFunc(expression, func(word string) string {
		if word == "k" {
			return name
		}
		return word
	})
}

// argument returns the expression of a line for parameters of a type, or nothing.
func (w *writer) argument(driver, kind string) string {
	for _, a := range w.arguments {
		if a.driver == driver && a.kind == kind {
			w.used[a.text] = true
			return a.expression
		}
	}
	return ""
}

// method returns the only method of a type that has no parameters and returns the other type.
func method(from, to types.Type) (name string) {
	for m := range types.NewMethodSet(from).Methods() {
		t := m.Type().(*types.Signature)
		if t.Params().Len() == 0 && t.Results().Len() == 1 && types.Identical(t.Results().At(0).Type(), to) {
			if name != "" {
				return ""
			}
			name = m.Obj().Name()
		}
	}
	return name
}

var words = regexp.MustCompile(`\w+`)

func variable(t *types.Tuple, name string) *types.Var {
	for v := range t.Variables() {
		if v.Name() == name {
			return v
		}
	}
	return nil
}

// result returns the statements that call a kernel and return what the operation does.
func result(call string, operation, kernel *types.Signature) (string, error) {
	want, got := operation.Results(), kernel.Results()
	switch {
	case want.Len() == 0 && got.Len() == 0:
		return call, nil
	case want.Len() == 1 && got.Len() == 1 && types.Identical(want.At(0).Type(), got.At(0).Type()):
		return "return " + call, nil
	case want.Len() == 1 && got.Len() == 0 && want.At(0).Type() == types.Typ[types.Bool]:
		return call + "\nreturn true", nil
	case want.Len() == 1 && got.Len() == 0 && want.At(0).Type() == types.Typ[types.Int] && variable(operation.Params(), "src") != nil:
		return call + "\nreturn len(src)", nil
	}
	return "", errors.New("another result")
}

// finish returns the file with the switches that have been written.
func (w *writer) finish(operations *types.Interface, imports map[string]string) ([]byte, error) {
	written, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+w.String(), parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, w)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "// Code generated by _gen/switches. DO NOT EDIT.\n\n")
	if w.file != nil {
		if err := w.mistakes(operations, written); err != nil {
			return nil, err
		}
		for _, group := range w.file.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:build ") {
					fmt.Fprintf(&out, "%s\n\n", c.Text)
				}
			}
		}
	}
	fmt.Fprintf(&out, "package %s\n", w.pkg.Name())
	var paths []string
	ast.Inspect(written, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && imports[id.Name] != "" {
				paths = append(paths, imports[id.Name])
			}
		}
		return true
	})
	if paths != nil { // format sorts them, and leaves out what is there twice
		fmt.Fprintf(&out, "\nimport (\n\"%s\"\n)\n", strings.Join(paths, "\"\n\""))
	}
	if w.file != nil {
		fmt.Fprintf(&out, "\nvar _ kernels // declares what follows\n")
	}
	out.Write(w.Bytes())
	return format.Source(out.Bytes())
}

// mistakes returns an error if something has no effect.
func (w *writer) mistakes(operations *types.Interface, written *ast.File) error {
	var list []error
	for _, a := range w.arguments {
		if !w.used[a.text] {
			list = append(list, fmt.Errorf("no kernel needs %s", a.text))
		}
	}
	for _, c := range w.conditions {
		if !w.used[c.kernel] {
			list = append(list, fmt.Errorf("there is a condition for %s, which nothing calls", c.kernel))
		}
	}
	for _, d := range w.drivers {
		for _, name := range d.names {
			if !w.used[d.name+" "+name] && !strings.EqualFold(d.name, name) {
				list = append(list, fmt.Errorf("no kernel for %s has the name %s", d.name, name))
			}
		}
	}
	uses := map[string]bool{}
	mentioned(uses, map[string]*ast.File{"": written})
	mentioned(uses, w.pkg.files)
	files := map[string]*ast.File{"": w.file}
	if w.arch != nil {
		mentioned(uses, w.arch.files)
		maps.Copy(files, w.arch.files)
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || uses[f.Name.Name] || file != w.file && !f.Name.IsExported() {
				continue
			}
			for m := range operations.Methods() {
				base := strings.TrimSuffix(m.Name(), "Kernel")
				if len(f.Name.Name) > len(base) && strings.EqualFold(f.Name.Name[:len(base)], base) {
					list = append(list, fmt.Errorf("nothing uses %s", f.Name.Name))
					break
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(list...)
}
