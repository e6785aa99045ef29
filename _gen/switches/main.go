// Switches writes the switches over kernels: for each package of algorithms and each
// architecture, which kernel of the architecture serves which operation with which driver.
//
//	go run ./_gen/switches              writes switch_<goarch>.go in all packages
//	go run ./_gen/switches ./sm3        in one or more
//	go run ./_gen/switches -check       writes nothing; fails if a file is not as it would be
//
// A package that has switches declares its operations once, in an interface type with the name
// kernels. Each of its methods becomes a function with the row of a driver as its first argument.
// For each driver, that calls the kernel whose name is that of the operation, without "Kernel" at
// its end, and that of the driver, in upper or lower case: encryptBlocksKernel with the driver
// neon calls EncryptBlocksNEON. The kernel is a function of the architecture's package,
// internal/<goarch>, or one of the package itself (encryptBlocksNEON), which is for
// what cannot be written as a single call. If there is none, the switch calls the portable
// function.
//
// Drivers are the constants in drivers_<goarch>.go of which the first is uint8 = iota + 1 (or 1 if
// there is only one). A comment on the line of a driver says by which names its kernels are known, if not by its own,
// in the order of preference:
//
//	avx512 // kernels: AVX512, AVX2
//
// # Arguments
//
// A kernel gets the arguments of the operation with the same names. If their types differ, a
// method without parameters of the argument's type that returns the other type is called, or the
// argument is converted. Where a kernel needs something else, a line in drivers_<goarch>.go gives the expression
// for all parameters of that type, of all drivers or of one:
//
//	//switches:argument *arm64.Keys = &k.simd
//	//switches:argument ssse3 *amd64.Keys = k.ssse3()
//
// k is the operation's parameter there. A kernel's parameter first gets &first.simd in this example
// if the operation has a parameter first of the same type as k.
//
// It is an error if a parameter has no argument, or if an argument of the operation goes nowhere.
//
// If an operation has a result and its kernel has none, the result is true, or the length of src.
//
// # Conditions
//
// Kernels may be for some lengths only, for example. Without its condition, a kernel is skipped, and the
// next in the order of preference serves:
//
//	avx512 // kernels: AVX512, AVX2
//	//switches:if len(src) > 10*BlockSize: CBCDecryptAVX512
//
// # Marks
//
// In the comment of an operation, the line
//
//	//switches:passes
//
// says that data may be too long for one call of a kernel. The function with the name of the operation
// then marks the row (markLong) and calls the switch, whose name ends in Kernel (unless that of the
// operation does; then the first function is written by hand). Rows with a mark have no kernel. The
// function behind default calls the switch again, for each maxPass bytes of dst and src, until all
// is done or the result is false or 0.
//
// If the package has a mark ownKeys, the same function replaces the parameter k, and others of its type, by what
// k.keysFor(row) returns. These functions are in switch.go, which is for all architectures.
//
// # No kernel
//
// What drivers without a kernel call is, in this order: the function …Portable, the method with the name of the
// operation of what k.portable() returns, which is only for the portable driver, or nothing if the comment of the operation has the line
//
//	//switches:optional
//
// The result is false or 0 then. Without that line, there must be a kernel, or the switch panics.
//
// # Exceptions
//
// An operation for which drivers_<goarch>.go has a function is not generated: there are switches
// that need a length, or a property of the CPU, and that a call more would slow down.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "write nothing, and fail if a file is not as it would be")
	flag.Parse()
	top, err := root()
	if err == nil {
		err = run(top, flag.Args(), *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "switches:", err)
		os.Exit(1)
	}
}

// root returns the folder of the repository.
func root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.work in this folder or above it")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// run writes or checks the switches of packages: of all if none is named.
func run(top string, dirs []string, check bool) error {
	if len(dirs) == 0 {
		for _, pattern := range []string{"*/drivers_none.go", "internal/*/drivers_none.go"} {
			files, err := filepath.Glob(filepath.Join(top, pattern))
			if err != nil {
				return err
			}
			for _, file := range files {
				dirs = append(dirs, filepath.Dir(file))
			}
		}
	}
	var problems []error
	for _, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		files, err := generate(top, dir)
		if err != nil {
			return err
		}
		old, err := filepath.Glob(filepath.Join(dir, "switch_*.go"))
		if err != nil {
			return err
		}
		for _, file := range old {
			if _, ok := files[file]; !ok {
				files[file] = nil
			}
		}
		for file, text := range files {
			if before, err := os.ReadFile(file); err == nil && bytes.Equal(before, text) && text != nil {
				continue
			}
			switch {
			case check:
				problems = append(problems, fmt.Errorf("%s is not as go run ./_gen/switches writes it", file))
			case text == nil:
				problems = append(problems, os.Remove(file))
			default:
				problems = append(problems, os.WriteFile(file, text, 0o666))
			}
		}
	}
	return errors.Join(problems...)
}

// generate returns the files of a package. There are none if it declares no operations.
func generate(top, dir string) (map[string][]byte, error) {
	drivers, err := filepath.Glob(filepath.Join(dir, "drivers_*.go"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, file := range drivers {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := generateFile(top, dir, file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if text != nil {
			files[filepath.Join(dir, "switch_"+strings.TrimPrefix(filepath.Base(file), "drivers_"))] = text
		}
	}
	text, err := generateMarks(top, dir)
	if err != nil {
		return nil, err
	}
	if text != nil {
		files[filepath.Join(dir, "switch.go")] = text
	}
	return files, nil
}

// A writer writes the switches of one file of drivers.
type writer struct {
	pkg        *loaded
	arch       *types.Package // with the kernels, or nil
	file       *ast.File      // of drivers
	drivers    []driver
	arguments  []argument
	conditions map[string]string // of kernels
	met        map[string]bool   // kernels with a condition that are called
	imports    map[string]string // those of the files with the operations and with the drivers, by name
	used       map[string]bool   // imports of what is written
	bytes.Buffer
}

type driver struct {
	name  string
	names []string // in the names of its kernels
}

// An argument is a line //switches:argument.
type argument struct{ driver, kind, expression string }

var condition = regexp.MustCompile(`^//switches:if (.+): (.+)$`)

var line = regexp.MustCompile(`^//switches:argument (?:(\w+) )?(\S+) = (.+)$`)

func generateFile(top, dir, file string) ([]byte, error) {
	context, err := contextOf(dir, file)
	if err != nil {
		return nil, err
	}
	pkg, err := load(top, dir, context)
	if err != nil {
		return nil, err
	}
	operations := pkg.operations()
	if operations == nil {
		return nil, nil
	}
	w := newWriter(pkg, pkg.files[file])
	if w.file == nil {
		return nil, errors.New("not a file of the package")
	}
	if err := w.architecture(dir, file); err != nil {
		return nil, err
	}
	if err := w.directives(); err != nil {
		return nil, err
	}
	for _, method := range operations.Methods.List {
		if err := w.operation(method); err != nil {
			return nil, err
		}
	}
	for kernel := range w.conditions {
		if !w.met[kernel] {
			return nil, fmt.Errorf("no operation calls %s, which has a condition", kernel)
		}
	}
	if w.Len() == 0 {
		return nil, nil
	}
	return w.finish()
}

// generateMarks returns the file for all architectures.
func generateMarks(top, dir string) ([]byte, error) {
	context := build.Default
	context.GOOS, context.GOARCH, context.BuildTags, context.CgoEnabled = "linux", "amd64", nil, false
	pkg, err := load(top, dir, &context)
	if err != nil {
		return nil, err
	}
	operations := pkg.operations()
	if operations == nil {
		return nil, nil
	}
	w := newWriter(pkg, &ast.File{Name: ast.NewIdent(pkg.types.Name())})
	for _, method := range operations.Methods.List {
		if err := w.marks(method); err != nil {
			return nil, err
		}
	}
	if w.Len() == 0 {
		return nil, nil
	}
	return w.finish()
}

func newWriter(pkg *loaded, file *ast.File) *writer {
	w := &writer{pkg: pkg, file: file, conditions: map[string]string{}, met: map[string]bool{}, imports: map[string]string{}, used: map[string]bool{}}
	for _, f := range pkg.files {
		for _, spec := range f.Imports {
			p := strings.Trim(spec.Path.Value, `"`)
			w.imports[path.Base(p)] = p
		}
	}
	return w
}

// contextOf returns a build context that a file is for.
func contextOf(dir, file string) (*build.Context, error) {
	for _, tags := range [][]string{nil, {"purego"}} {
		for _, arch := range strings.Fields("amd64 386 arm arm64 riscv64 mips mips64 loong64 ppc64le s390x") {
			c := build.Default
			c.GOOS, c.GOARCH, c.BuildTags, c.CgoEnabled = "linux", arch, tags, false
			if ok, err := c.MatchFile(dir, filepath.Base(file)); err != nil || ok {
				return &c, err
			}
		}
	}
	return nil, errors.New("for no architecture")
}

// directives reads the drivers and the arguments of the file.
func (w *writer) directives() error {
	for _, decl := range w.file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST || w.drivers != nil {
			continue
		}
		first := d.Specs[0].(*ast.ValueSpec)
		if first.Type == nil || len(first.Values) != 1 {
			continue
		}
		if v := types.ExprString(first.Values[0]); types.ExprString(first.Type) != "uint8" || v != "iota + 1" && (v != "1" || len(d.Specs) > 1) {
			continue
		}
		for _, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			names := []string{v.Names[0].Name}
			if text, ok := strings.CutPrefix(v.Comment.Text(), "kernels: "); ok {
				names = strings.Split(strings.TrimSpace(text), ", ")
			}
			w.drivers = append(w.drivers, driver{v.Names[0].Name, names})
		}
	}
	for _, group := range w.file.Comments {
		for _, c := range group.List {
			if !strings.HasPrefix(c.Text, "//switches:") {
				continue
			}
			if m := condition.FindStringSubmatch(c.Text); m != nil {
				for _, kernel := range strings.Split(m[2], ", ") {
					w.conditions[kernel] = m[1]
				}
				continue
			}
			m := line.FindStringSubmatch(c.Text)
			if m == nil {
				return fmt.Errorf("not a line for switches: %s", c.Text)
			}
			w.arguments = append(w.arguments, argument{m[1], m[2], m[3]})
		}
	}
	return nil
}

// operation writes the switch of an operation.
func (w *writer) operation(method *ast.Field) error {
	o, err := w.operationOf(method)
	if err != nil {
		return err
	}
	if w.declares(o.name) {
		return nil
	}
	ending := w.ending(o)
	if o.marked() {
		ending = o.returns(o.base + "Default(" + strings.Join(o.params(), ", ") + ")")
	}
	var cases []*chosen
	var missing []string
	for _, d := range w.drivers {
		call, err := w.call(o.base, o.signature, d, ending)
		if err != nil {
			return fmt.Errorf("%s with %s: %w", o.name, d.name, err)
		}
		if call == "" {
			missing = append(missing, d.name)
			continue
		}
		i := slices.IndexFunc(cases, func(c *chosen) bool { return c.call == call })
		if i < 0 {
			cases = append(cases, &chosen{call: call})
			i = len(cases) - 1
		}
		cases[i].drivers = append(cases[i].drivers, d.name)
	}
	parameters, results, err := signatureText(o.syntax)
	if err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	w.note(types.ExprString(o.syntax))
	fmt.Fprintln(w)
	if ast.IsExported(o.name) {
		fmt.Fprintf(w, "%s\n", strings.Join(o.comment, "\n"))
	}
	fmt.Fprintf(w, "func %s(row uint8, %s) %s {\n", o.name, parameters, results)
	if len(cases) == 0 {
		fmt.Fprintf(w, "%s\n}\n", ending)
		return nil
	}
	fmt.Fprintf(w, "switch row {\n")
	for _, c := range cases {
		fmt.Fprintf(w, "case %s:\n%s\n", strings.Join(c.drivers, ", "), c.call)
		w.note(c.call)
	}
	fmt.Fprintf(w, "default:")
	if len(missing) > 0 {
		fmt.Fprintf(w, " // %s", strings.Join(missing, ", "))
	}
	fmt.Fprintf(w, "\n%s\n}\n}\n", ending)
	return nil
}

// chosen is a case of a switch.
type chosen struct {
	call    string
	drivers []string
}

// signatureText returns the parameters and results of a function as they are written.
func signatureText(t *ast.FuncType) (parameters, results string, err error) {
	text := strings.TrimPrefix(types.ExprString(t), "func")
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[1:i], strings.TrimSpace(text[i+1:]), nil
			}
		}
	}
	return "", "", errors.New("no parameters")
}

// declares reports whether the package has a function for this architecture.
func (w *writer) declares(name string) bool { return w.pkg.types.Scope().Lookup(name) != nil }

// call returns the statements that call a driver's kernels, or nothing if it has none. They end
// in the last resort if all kernels have conditions.
func (w *writer) call(base string, operation *types.Signature, d driver, ending string) (string, error) {
	var text strings.Builder
	used := "" // conditions
	for _, name := range d.names {
		kernel, qualifier := w.kernel(base + name)
		if kernel == nil {
			continue
		}
		list, unused, err := w.pass(operation, kernel.Signature(), d)
		if err != nil {
			return "", fmt.Errorf("%s: %w", kernel.Name(), err)
		}
		call := qualifier + kernel.Name() + "(" + strings.Join(list, ", ") + ")"
		if call, err = w.result(call, operation, kernel.Signature()); err != nil {
			return "", err
		}
		if c, ok := w.conditions[kernel.Name()]; ok {
			w.met[kernel.Name()] = true
			used += " " + c
			fmt.Fprintf(&text, "if %s {\n%s\n} else ", c, call)
			continue
		}
		for _, word := range words.FindAllString(used, -1) {
			delete(unused, word)
		}
		if len(unused) > 0 {
			return "", fmt.Errorf("%s does not get %v", kernel.Name(), keysOf(unused))
		}
		if text.Len() == 0 {
			return call, nil
		}
		fmt.Fprintf(&text, "{\n%s\n}", call)
		return text.String(), nil
	}
	if text.Len() > 0 {
		fmt.Fprintf(&text, "{\n%s\n}", ending)
	}
	return text.String(), nil
}

// kernel returns a function of this package, or of one of the architecture's that it imports.
func (w *writer) kernel(name string) (f *types.Func, qualifier string) {
	for _, pkg := range []*types.Package{w.pkg.types, w.arch} {
		if pkg == nil {
			break
		}
		scope := pkg.Scope()
		for _, n := range scope.Names() {
			if !strings.EqualFold(n, name) {
				continue
			}
			if f, ok := scope.Lookup(n).(*types.Func); ok && pkg == w.pkg.types {
				return f, ""
			} else if ok && f.Exported() {
				return f, pkg.Name() + "."
			}
		}
	}
	return nil, ""
}

// folders has the packages with kernels for files of drivers with other names.
var folders = map[string]string{"386": "i386", "mipsx": "mips"}

// architecture loads the package with the kernels for a file of drivers, if there is one.
func (w *writer) architecture(dir, file string) (err error) {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "drivers_"), ".go")
	if other, ok := folders[name]; ok {
		name = other
	}
	if _, err := os.Stat(filepath.Join(dir, "internal", name)); err != nil {
		return nil
	}
	p := path.Join(w.pkg.types.Path(), "internal", name)
	w.arch, err = w.pkg.load.Import(p)
	w.imports[name] = p
	return err
}

// pass returns the arguments of a kernel.
func (w *writer) pass(operation, kernel *types.Signature, d driver) (list []string, unused map[string]bool, err error) {
	unused = map[string]bool{}
	for p := range operation.Params().Variables() {
		unused[p.Name()] = true
	}
	use := func(expression string) {
		for _, word := range words.FindAllString(expression, -1) {
			delete(unused, word)
		}
		list = append(list, expression)
	}
	for p := range kernel.Params().Variables() {
		kind := types.TypeString(p.Type(), func(p *types.Package) string {
			if p == w.pkg.types {
				return ""
			}
			return p.Name()
		})
		if i := slices.IndexFunc(w.arguments, func(a argument) bool {
			return a.kind == kind && (a.driver == "" || a.driver == d.name)
		}); i >= 0 {
			use(forParameter(w.arguments[i].expression, operation.Params(), p.Name()))
			continue
		}
		from := variable(operation.Params(), p.Name())
		switch {
		case p.Name() == "row":
			list = append(list, "row")
		case from == nil:
			return nil, nil, fmt.Errorf("no argument for %s %s", p.Name(), kind)
		case types.Identical(from.Type(), p.Type()):
			use(p.Name())
		case method(from.Type(), p.Type()) != "":
			use(p.Name() + "." + method(from.Type(), p.Type()) + "()")
		case types.ConvertibleTo(from.Type(), p.Type()):
			use("(" + kind + ")(" + p.Name() + ")")
		default:
			return nil, nil, fmt.Errorf("%s is %s, and not %s", p.Name(), from.Type(), kind)
		}
	}
	return list, unused, nil
}

// forParameter returns an expression with another parameter instead of k, if the operation has one
// with this name and the same type.
func forParameter(expression string, operation *types.Tuple, name string) string {
	k, other := variable(operation, "k"), variable(operation, name)
	if k == nil || other == nil || !types.Identical(k.Type(), other.Type()) {
		return expression
	}
	return regexp.MustCompile(`\bk\b`).ReplaceAllString(expression, name)
}

// method returns the only method of a type that has no parameters and returns the other type.
func method(from, to types.Type) (name string) {
	set := types.NewMethodSet(from)
	for m := range set.Methods() {
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

func keysOf(m map[string]bool) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

func variable(t *types.Tuple, name string) *types.Var {
	for v := range t.Variables() {
		if v.Name() == name {
			return v
		}
	}
	return nil
}

// result returns the statements that call a kernel and return what the operation does.
func (w *writer) result(call string, operation, kernel *types.Signature) (string, error) {
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

// note notes the packages that a text uses.
func (w *writer) note(text string) {
	for _, m := range regexp.MustCompile(`\b(\w+)\.`).FindAllStringSubmatch(text, -1) {
		if _, ok := w.imports[m[1]]; ok {
			w.used[m[1]] = true
		}
	}
}

// finish returns the file.
func (w *writer) finish() ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "// Code generated by _gen/switches. DO NOT EDIT.\n\n")
	for _, group := range w.file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:build ") && c.Pos() < w.file.Package {
				fmt.Fprintf(&out, "%s\n\n", c.Text)
			}
		}
	}
	fmt.Fprintf(&out, "package %s\n", w.file.Name.Name)
	var paths []string
	for _, name := range keysOf(w.used) {
		paths = append(paths, w.imports[name])
	}
	if slices.Sort(paths); len(paths) > 0 {
		fmt.Fprintf(&out, "\nimport (\n")
		for _, p := range paths {
			fmt.Fprintf(&out, "%q\n", p)
		}
		fmt.Fprintf(&out, ")\n")
	}
	out.Write(w.Bytes())
	text, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out.Bytes())
	}
	return text, nil
}
