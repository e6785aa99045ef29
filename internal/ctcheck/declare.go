package ctcheck

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// A declaration is a Go declaration without a body, with what is secret in it.
type declaration struct {
	name    string
	file    string
	line    int
	args    []argument
	size    int64
	objects []*object // behind arguments
}

// An argument is an argument or result in the frame, taken apart: words that are
// pointers, and others.
type argument struct {
	at, width int64
	pointer   *object
	secret    bool
	result    bool
	name      string
	cases     []bounds
}

// Bounds are what a number in an argument may be.
type bounds struct {
	arg       int
	low, high int64
	multiple  int64 // of this number
}

// A rule is a name of a directive: its arguments, fields, and bytes.
type rule struct {
	path     string
	from, to int64 // to < 0: all bytes
	secret   bool
	used     bool
}

// A reader type-checks packages of one architecture without their imports from
// elsewhere, which no argument of a kernel needs.
type reader struct {
	a        *arch
	root     string
	module   string
	fset     *token.FileSet
	packages map[string]*types.Package
	sizes    types.Sizes
	objects  []*object // of the declaration at hand
	count    int
}

func newReader(a *arch, root, module string) *reader {
	return &reader{a: a, root: root, module: module, fset: token.NewFileSet(), packages: map[string]*types.Package{}, sizes: types.SizesFor("gc", a.Name)}
}

// tag reports whether a build constraint holds. The packages under test have files
// for valgrind and not for purego.
func (r *reader) tag(tag string) bool {
	switch tag {
	case r.a.Name, "linux", "unix", "gc", "valgrind":
		return true
	}
	return strings.HasPrefix(tag, r.a.Name+".") || strings.HasPrefix(tag, "go1.")
}

var (
	osNames   = map[string]bool{"linux": true, "windows": true, "darwin": true, "openbsd": true, "freebsd": true, "netbsd": true, "js": true, "wasip1": true, "plan9": true, "solaris": true, "android": true, "ios": true, "aix": true, "dragonfly": true, "illumos": true}
	archNames = map[string]bool{"386": true, "amd64": true, "arm": true, "arm64": true, "riscv64": true, "ppc64le": true, "ppc64": true, "s390x": true, "mips": true, "mipsle": true, "mips64": true, "mips64le": true, "loong64": true, "wasm": true}
)

// matches reports whether a file belongs to the architecture.
func (r *reader) matches(name, text string) bool {
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(name, ".go"), ".s"), "_")
	for _, s := range parts[1:] {
		if osNames[s] && s != "linux" || archNames[s] && s != r.a.Name {
			return false
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "package ") || strings.HasPrefix(line, "TEXT") {
			break
		}
		if constraint.IsGoBuild(line) {
			x, err := constraint.Parse(line)
			return err == nil && x.Eval(r.tag)
		}
	}
	return true
}

// files parses the Go files of a folder.
func (r *reader) files(dir string) ([]*ast.File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if !r.matches(name, string(text)) {
			continue
		}
		f, err := parser.ParseFile(r.fset, filepath.Join(dir, name), text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// Import is for go/types.
func (r *reader) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p, ok := r.packages[path]; ok {
		return p, nil
	}
	p := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
	p.MarkComplete()
	r.packages[path] = p
	if rest, ok := strings.CutPrefix(path, r.module+"/"); ok {
		files, err := r.files(filepath.Join(r.root, filepath.FromSlash(rest)))
		if err != nil {
			return nil, err
		}
		p, _, _ = r.check(path, files)
		r.packages[path] = p
	}
	return p, nil
}

func (r *reader) check(path string, files []*ast.File) (*types.Package, *types.Info, error) {
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: r, IgnoreFuncBodies: true, Sizes: r.sizes, FakeImportC: true, Error: func(error) {}}
	p, err := config.Check(path, r.fset, files, info)
	return p, info, err
}

var rangePattern = regexp.MustCompile(`^([^\[]*)(?:\[(\d+):(\d+)\])?$`)

// declarations reads those of a folder.
func (r *reader) declarations(dir, shown string) (map[string]*declaration, []Finding, error) {
	files, err := r.files(dir)
	if err != nil {
		return nil, nil, err
	}
	_, info, _ := r.check(shown, files)
	found := map[string]*declaration{}
	var problems []Finding
	for _, f := range files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body != nil || fd.Recv != nil {
				continue
			}
			position := r.fset.Position(fd.Pos())
			file := filepath.ToSlash(filepath.Join(shown, filepath.Base(position.Filename)))
			bad := func(format string, args ...any) {
				problems = append(problems, Finding{File: file, Line: position.Line, Kernel: fd.Name.Name, Kind: "declaration", Text: fmt.Sprintf(format, args...)})
			}
			object, ok := info.Defs[fd.Name].(*types.Func)
			if !ok {
				bad("no type")
				continue
			}
			rules, cases, declared := r.rules(fd, bad)
			if !declared {
				bad("nothing says what is secret (//ct:secret, //ct:public)")
			}
			d := r.declaration(object, file, position.Line, rules, bad)
			for name, list := range cases {
				found := false
				for i := range d.args {
					if a := &d.args[i]; a.name == name && a.pointer == nil && !a.secret && !a.result {
						a.cases, found = list, true
					}
				}
				if !found {
					bad("%s is no public number", name)
				}
			}
			found[fd.Name.Name] = d
			for i := range rules {
				if !rules[i].used {
					bad("%s is no argument, field or result", rules[i].path)
				}
			}
		}
	}
	return found, problems, nil
}

// rules reads directives.
func (r *reader) rules(fd *ast.FuncDecl, bad func(string, ...any)) (rules []rule, cases map[string][]bounds, declared bool) {
	if fd.Doc == nil {
		return nil, nil, false
	}
	cases = map[string][]bounds{}
	for _, c := range fd.Doc.List {
		text, ok := strings.CutPrefix(c.Text, "//ct:")
		if !ok {
			continue
		}
		words := strings.Fields(text)
		if len(words) > 1 && words[0] == "cases" {
			for _, word := range words[1:] {
				name, text, _ := strings.Cut(word, "=")
				for _, one := range strings.Split(text, "|") {
					one, multiple, isMultiple := strings.Cut(one, "/")
					first, last, isRange := strings.Cut(one, "..")
					low, err := strconv.ParseInt(first, 0, 64)
					high := low
					if isRange && err == nil {
						if high = most; last != "" {
							high, err = strconv.ParseInt(last, 0, 64)
						}
					}
					if err != nil || low < 0 || high < low {
						bad("%s is no number or range", one)
						continue
					}
					b := bounds{low: low, high: high, multiple: 1}
					if isMultiple {
						if b.multiple, err = strconv.ParseInt(multiple, 0, 64); err != nil || b.multiple < 1 {
							bad("%s is no number", multiple)
						}
					}
					cases[name] = append(cases[name], b)
				}
			}
			continue
		}
		if len(words) == 0 || words[0] != "secret" && words[0] != "public" {
			bad("%s is no directive", c.Text)
			continue
		}
		declared = true
		for _, word := range words[1:] {
			m := rangePattern.FindStringSubmatch(word)
			if m == nil {
				bad("%s is no argument", word)
				continue
			}
			one := rule{path: m[1], to: -1, secret: words[0] == "secret"}
			if m[2] != "" {
				one.from, _ = strconv.ParseInt(m[2], 10, 64)
				one.to, _ = strconv.ParseInt(m[3], 10, 64)
			}
			rules = append(rules, one)
		}
	}
	return rules, cases, declared
}

// at returns whether a byte is secret: the longest rule that fits decides, and one
// with bytes before one without. found is whether there is one.
func at(rules []rule, path string, offset int64) (secret, found bool) {
	best := -1
	for i := range rules {
		x := &rules[i]
		if path != x.path && !strings.HasPrefix(path, x.path+".") {
			continue
		}
		if x.to >= 0 && (path != x.path || offset < x.from || offset >= x.to) {
			continue
		}
		rank := 2 * len(x.path)
		if x.to >= 0 {
			rank++
		}
		x.used = true
		if rank > best {
			best, secret, found = rank, x.secret, true
		}
	}
	return secret, found
}

func (r *reader) object(kind objectKind, name string) *object {
	r.count++
	o := &object{id: r.count, kind: kind, name: name}
	r.objects = append(r.objects, o)
	return o
}

// maxDepth is how many pointers in memory behind pointers are followed.
const maxDepth = 4

// pointee makes the object that a pointer to t points to.
func (r *reader) pointee(t types.Type, path string, rules []rule, depth int, bad func(string, ...any)) *object {
	o := r.object(objectMemory, path)
	o.period = max(r.sizes.Sizeof(t), 1)
	if depth > maxDepth {
		return o
	}
	r.leaves(o, t, 0, 0, path, rules, depth, bad)
	sort.Slice(o.leaves, func(i, j int) bool { return o.leaves[i].from < o.leaves[j].from })
	return o
}

// leaves takes a type at an offset apart. start is where its path begins.
func (r *reader) leaves(o *object, t types.Type, offset, start int64, path string, rules []rule, depth int, bad func(string, ...any)) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
		}
		offsets := r.sizes.Offsetsof(fields)
		for i, f := range fields {
			if f.Name() == "_" {
				continue
			}
			p := path + "." + f.Name()
			if f.Embedded() {
				p = path
			}
			r.leaves(o, f.Type(), offset+offsets[i], offset+offsets[i], p, rules, depth, bad)
		}
	case *types.Array:
		if _, ok := u.Elem().Underlying().(*types.Basic); ok || flat(u.Elem()) {
			r.bytes(o, offset, offset+r.sizes.Sizeof(u), start, path, rules, bad)
			return
		}
		size := r.sizes.Sizeof(u.Elem())
		for i := range u.Len() {
			r.leaves(o, u.Elem(), offset+i*size, start, path, rules, depth, bad)
		}
	case *types.Pointer, *types.Slice:
		var elem types.Type
		if s, ok := u.(*types.Slice); ok {
			elem = s.Elem()
		} else {
			elem = u.(*types.Pointer).Elem()
		}
		// Elements of an array share what they point to.
		var target *object
		for _, l := range o.leaves {
			if l.name == path && l.pointer != nil {
				target = l.pointer
			}
		}
		if target == nil {
			target = r.pointee(elem, path, rules, depth+1, bad)
		}
		o.leaves = append(o.leaves, leaf{from: offset, to: offset + r.a.Ptr, pointer: target, name: path})
		if r.sizes.Sizeof(u) > r.a.Ptr {
			o.leaves = append(o.leaves, leaf{from: offset + r.a.Ptr, to: offset + r.sizes.Sizeof(u), name: path})
		}
	case *types.Basic:
		r.bytes(o, offset, offset+r.sizes.Sizeof(u), start, path, rules, bad)
	default:
		bad("%s: %v has no layout", path, t)
	}
}

// flat reports whether a type has neither pointers nor fields.
func flat(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Info()&types.IsString == 0
	case *types.Array:
		return flat(u.Elem())
	}
	return false
}

// bytes adds leaves of bytes, split where rules say so.
func (r *reader) bytes(o *object, from, to, start int64, path string, rules []rule, bad func(string, ...any)) {
	cuts := []int64{from, to}
	for i := range rules {
		if rules[i].path == path && rules[i].to >= 0 {
			for _, c := range []int64{start + rules[i].from, start + rules[i].to} {
				if c > from && c < to {
					cuts = append(cuts, c)
				}
			}
		}
	}
	sort.Slice(cuts, func(i, j int) bool { return cuts[i] < cuts[j] })
	for i := range cuts[1:] {
		s, found := at(rules, path, cuts[i]-start)
		if !found {
			bad("nothing says whether %s is secret", path)
			return
		}
		o.leaves = append(o.leaves, leaf{from: cuts[i], to: cuts[i+1], secret: s, name: path})
	}
}

// declaration lays out the frame of arguments: as a struct of the arguments and, from a
// multiple of the word on, the results.
func (r *reader) declaration(f *types.Func, file string, line int, rules []rule, bad func(string, ...any)) *declaration {
	d := &declaration{name: f.Name(), file: file, line: line}
	r.objects = nil
	s := f.Type().(*types.Signature)
	offset := int64(0)
	align := func(n int64) { offset = (offset + n - 1) / n * n }
	for _, tuple := range []*types.Tuple{s.Params(), s.Results()} {
		result := tuple == s.Results()
		if result {
			align(r.a.Ptr)
		}
		for i := range tuple.Len() {
			v := tuple.At(i)
			name := v.Name()
			if name == "" {
				name = "ret"
				if i > 0 {
					name += strconv.Itoa(i)
				}
			}
			align(r.sizes.Alignof(v.Type()))
			size := r.sizes.Sizeof(v.Type())
			switch u := v.Type().Underlying().(type) {
			case *types.Pointer:
				d.args = append(d.args, argument{at: offset, width: size, pointer: r.pointee(u.Elem(), name, rules, 0, bad), name: name, result: result})
			case *types.Slice:
				d.args = append(d.args, argument{at: offset, width: r.a.Ptr, pointer: r.pointee(u.Elem(), name, rules, 0, bad), name: name, result: result},
					argument{at: offset + r.a.Ptr, width: r.a.Ptr, name: name, result: result},
					argument{at: offset + 2*r.a.Ptr, width: r.a.Ptr, name: name, result: result})
			case *types.Basic:
				secret, found := at(rules, name, 0)
				d.args = append(d.args, argument{at: offset, width: size, secret: found && secret, name: name, result: result})
			default:
				bad("%s: %v has no layout", name, v.Type())
			}
			offset += size
		}
	}
	align(r.a.Ptr)
	d.size, d.objects = offset, r.objects
	return d
}
