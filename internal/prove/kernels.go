package prove

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cipherlane/cipherlane/internal/machine"
)

// Folders have the kernels that are proven.
var Folders = []string{
	"frodokem/internal/amd64",
	"frodokem/internal/arm64",
	"internal/aescore/internal/amd64",
	"internal/aescore/internal/arm64",
	"internal/aescore/internal/riscv64",
	"internal/ghash/internal/amd64",
	"internal/ghash/internal/arm64",
	"internal/ghash/internal/riscv64",
	"internal/keccak/internal/amd64",
	"internal/keccak/internal/arm64",
	"internal/keccak/internal/riscv64",
	"sm2/internal/amd64",
	"sm3/internal/amd64",
	"sm2/internal/arm64",
	"sm3/internal/arm64",
	"sm3/internal/riscv64",
	"sm4/internal/amd64",
	"sm4/internal/arm64",
	"sm4/internal/riscv64",
}

// A Part of a folder is proven by itself, so that several can be side by side.
type Part struct {
	Folder  string
	Pattern string // of the names of kernels that no part before it has, or empty
	Long    int    // if it is left out unless a file of it changed, the seconds of a CPU that it takes
}

// parts are those of folders that have more than one.
var parts = []Part{
	{"frodokem/internal/amd64", "^MulSASqueeze", 25},
	{"frodokem/internal/amd64", "^MulAS", 62},
	{"frodokem/internal/amd64", "", 0},
	{"internal/aescore/internal/amd64", "AESNI$", 0},
	{"internal/aescore/internal/amd64", "SSSE3$", 31},
	{"internal/aescore/internal/amd64", "^[A-Z].*VAES256$", 8},
	{"internal/aescore/internal/amd64", "VAES256$", 39},
	{"internal/aescore/internal/amd64", "^sealVAES512$", 245},
	{"internal/aescore/internal/amd64", "^openVAES512$", 376},
	{"internal/aescore/internal/amd64", "", 79},
	{"internal/aescore/internal/arm64", "NEON$", 60},
	{"internal/aescore/internal/arm64", "", 0},
	{"internal/aescore/internal/riscv64", "Zkn$", 0},
	{"internal/aescore/internal/riscv64", "RVV$", 28},
	{"internal/aescore/internal/riscv64", "^(seal|open)Zvkned$", 32},
	{"internal/aescore/internal/riscv64", "", 13},
	{"internal/ghash/internal/riscv64", "Zvbc$", 13},
	{"internal/ghash/internal/riscv64", "", 0},
	{"internal/keccak/internal/riscv64", "^permute", 17},
	{"internal/keccak/internal/riscv64", "", 0},
	{"sm2/internal/amd64", "^SumBase", 22},
	{"sm2/internal/amd64", "", 0},
	{"sm2/internal/arm64", "^SumBase", 20},
	{"sm2/internal/arm64", "", 0},
	{"sm3/internal/amd64", "AVX512$", 22},
	{"sm3/internal/amd64", "", 0},
	{"sm4/internal/amd64", "AVX2$", 64},
	{"sm4/internal/amd64", "^sealTail.*GFNI512$", 224},
	{"sm4/internal/amd64", "^openTail.*GFNI512$", 217},
	{"sm4/internal/amd64", "128GFNI512$", 127},
	{"sm4/internal/amd64", "", 104},
	{"sm4/internal/arm64", "AESSHA3$", 51},
	{"sm4/internal/arm64", "", 60},
	{"sm4/internal/riscv64", "RVV$", 16},
	{"sm4/internal/riscv64", "^(seal|open)Zvksed$", 35},
	{"sm4/internal/riscv64", "", 0},
}

// Parts returns those of all folders.
func Parts() (list []Part) {
	for _, dir := range Folders {
		before := len(list)
		for _, p := range parts {
			if p.Folder == dir {
				list = append(list, p)
			}
		}
		if len(list) == before {
			list = append(list, Part{Folder: dir})
		}
	}
	return list
}

// String is the folder, and perhaps a colon and the pattern.
func (p Part) String() string {
	if p.Pattern == "" {
		return p.Folder
	}
	return p.Folder + ":" + p.Pattern
}

// Due returns the parts to prove after some files changed: all that do not take long, and of the others
// those with kernels in one of these files, the shortest first, as long as they take at most so many seconds
// together. What then remains is left out.
func Due(root string, changed []string, seconds int) (due, left []Part, err error) {
	for _, p := range slices.SortedStableFunc(slices.Values(Parts()), func(a, b Part) int { return a.Long - b.Long }) {
		if p.Long > 0 {
			has, err := p.hasAny(root, changed)
			switch {
			case err != nil:
				return nil, nil, err
			case !has:
				continue
			case seconds < p.Long:
				left = append(left, p)
				continue
			}
			seconds -= p.Long
		}
		due = append(due, p)
	}
	return due, left, nil
}

// hasAny reports whether a kernel of the part, or its declaration, which has its cases, is in one of these files.
func (p Part) hasAny(root string, files []string) (bool, error) {
	files = slices.DeleteFunc(slices.Clone(files), func(name string) bool { return path.Dir(name) != p.Folder })
	for _, name := range files {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) { // removed
			continue
		}
		if err != nil {
			return false, err
		}
		for _, m := range kernelLine.FindAllSubmatch(source, -1) {
			if p.Has(string(m[1]) + string(m[2])) {
				return true, nil
			}
		}
	}
	return false, nil
}

// kernelLine is the line that begins a function of assembly, or declares it.
var kernelLine = regexp.MustCompile(`(?m)^TEXT ·(\w+)\(SB\)|^func (\w+)\([^{}\n]*$`)

// Has reports whether a kernel of the folder is in the part.
func (p Part) Has(name string) bool {
	for _, other := range parts {
		if other.Folder == p.Folder && regexp.MustCompile(other.Pattern).MatchString(name) {
			return other == p
		}
	}
	return p.Pattern == ""
}

// A Kernel is a function of assembly, with what its declaration says of it.
type Kernel struct {
	Folder, Name string
	File         string // of assembly
	Line         int    // of the declaration
	Instructions int

	arch       *machine.Arch
	arguments  []string // as assembly names them: of slices, the base and the length
	types      map[string]argumentType
	slices     map[string]bool // the arguments that are slices
	results    map[string]argumentType
	directives []directive
	siblings   map[string]*Kernel // of the folder, by name
	source     *machine.Source
}

// An argumentType is what a declaration says of an argument: the bits of a number, or that it is a pointer,
// perhaps with the bytes that it points to.
type argumentType struct {
	bits    int
	pointer bool
	bytes   int64 // or 0
}

var numberBits = map[string]int{
	"bool": 8, "byte": 8, "uint8": 8, "int8": 8, "uint16": 16, "int16": 16, "uint32": 32, "int32": 32,
	"int": 64, "uint": 64, "uint64": 64, "int64": 64, "uintptr": 64,
}

func typeOf(e ast.Expr) argumentType {
	switch e := e.(type) {
	case *ast.Ident:
		return argumentType{bits: numberBits[e.Name]}
	case *ast.StarExpr:
		t := argumentType{pointer: true}
		if array, ok := e.X.(*ast.ArrayType); ok {
			t.bytes = bytesOf(array)
		}
		return t
	}
	return argumentType{}
}

// bytesOf returns the size of arrays, or 0 if they have elements with a name.
func bytesOf(e ast.Expr) int64 {
	switch e := e.(type) {
	case *ast.Ident:
		return int64(numberBits[e.Name] / 8)
	case *ast.StarExpr:
		return 8
	case *ast.ArrayType:
		if e.Len == nil {
			return 24
		}
		if n, ok := e.Len.(*ast.BasicLit); ok {
			count, _ := strconv.Atoi(n.Value)
			return int64(count) * bytesOf(e.Elt)
		}
	}
	return 0
}

// A directive says what a kernel computes, for all combinations of values.
type directive struct {
	contract string
	keys     []string
	values   map[string][]string
}

// A Case is a proof of a kernel for one value of each key of a directive.
type Case struct {
	Kernel   *Kernel
	Contract string
	keys     []string
	values   map[string]string
}

// String returns the values.
func (c *Case) String() string {
	s := c.Contract
	for _, key := range c.keys {
		s += " " + key + "=" + c.values[key]
	}
	return s
}

// Cases returns what is to be proven of a kernel, the directives in their order.
func (k *Kernel) Cases() []*Case {
	var list []*Case
	for _, d := range k.directives {
		cases := []*Case{{Kernel: k, Contract: d.contract, values: map[string]string{}}}
		for _, key := range d.keys {
			var more []*Case
			for _, c := range cases {
				for _, value := range d.values[key] {
					one := &Case{k, d.contract, append(slices.Clone(c.keys), key), map[string]string{key: value}}
					for old, v := range c.values {
						one.values[old] = v
					}
					more = append(more, one)
				}
			}
			cases = more
		}
		list = append(list, cases...)
	}
	return list
}

// Claims returns the directives as they are written.
func (k *Kernel) Claims() []string {
	var list []string
	for _, d := range k.directives {
		s := d.contract
		for _, key := range d.keys {
			s += " " + key + "=" + strings.Join(d.values[key], ",")
		}
		list = append(list, s)
	}
	return list
}

// Load reads the kernels of a folder of the repository in root.
func Load(root, dir string) ([]*Kernel, error) {
	arch := machine.Arches[path.Base(dir)]
	if arch == nil {
		return nil, fmt.Errorf("%s is not named after an architecture", dir)
	}
	full := filepath.Join(root, filepath.FromSlash(dir))
	entries, err := os.ReadDir(full)
	if err != nil {
		return nil, err
	}
	declared := map[string]*Kernel{}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			if err := declarations(filepath.Join(full, name), path.Join(dir, name), declared); err != nil {
				return nil, err
			}
		}
	}
	var list []*Kernel
	all := map[string]*Kernel{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".s") {
			continue
		}
		if !strings.HasSuffix(e.Name(), "_"+arch.Name+".s") {
			return nil, fmt.Errorf("%s/%s is not for %s only", dir, e.Name(), arch.Name)
		}
		file := path.Join(dir, e.Name())
		source, err := machine.Parse(arch, full, file)
		if err != nil {
			return nil, err
		}
		if len(source.Problems) > 0 {
			p := source.Problems[0]
			return nil, fmt.Errorf("%s:%d: %s", p.File, p.Line, p.Text)
		}
		for _, f := range source.Functions {
			k := declared[f.Name]
			if k == nil {
				return nil, fmt.Errorf("%s: %s is not declared", file, f.Name)
			}
			k.Folder, k.File, k.Instructions, k.arch, k.source, k.siblings = dir, file, len(f.Code), arch, source, all
			all[k.Name] = k
			list = append(list, k)
		}
	}
	for name := range declared {
		if all[name] == nil {
			return nil, fmt.Errorf("%s: %s is declared, but not in assembly", dir, name)
		}
	}
	return list, nil
}

// declarations adds the functions without bodies of a Go file.
func declarations(file, shown string, list map[string]*Kernel) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body != nil || fd.Recv != nil {
			continue
		}
		k := &Kernel{Name: fd.Name.Name, Line: fset.Position(fd.Pos()).Line, slices: map[string]bool{}, types: map[string]argumentType{}}
		k.results = map[string]argumentType{}
		if fd.Type.Results != nil {
			for _, field := range fd.Type.Results.List {
				for _, name := range field.Names {
					k.results[name.Name] = typeOf(field.Type)
				}
				if len(field.Names) == 0 { // assembly calls it so, if there is one
					k.results["ret"] = typeOf(field.Type)
				}
			}
		}
		for _, field := range fd.Type.Params.List {
			array, _ := field.Type.(*ast.ArrayType)
			for _, name := range field.Names {
				if array != nil && array.Len == nil {
					k.slices[name.Name] = true
					base, length := name.Name+"_base", name.Name+"_len"
					k.arguments = append(k.arguments, base, length)
					k.types[base], k.types[length] = argumentType{pointer: true}, argumentType{bits: 64}
				} else {
					k.arguments = append(k.arguments, name.Name)
					k.types[name.Name] = typeOf(field.Type)
				}
			}
		}
		if fd.Doc != nil {
			for _, c := range fd.Doc.List {
				if text, ok := strings.CutPrefix(c.Text, "//prove:"); ok {
					d, err := parseDirective(text)
					if err != nil {
						return fmt.Errorf("%s: %s: //prove:%s: %w", shown, k.Name, text, err)
					}
					k.directives = append(k.directives, d)
				}
			}
		}
		list[k.Name] = k
	}
	return nil
}

// parseDirective reads a contract and keys with their values: numbers, words, and ranges of
// numbers, as in n=16,32..64/16.
func parseDirective(text string) (directive, error) {
	words := strings.Fields(text)
	if len(words) == 0 || contracts[words[0]] == nil {
		return directive{}, fmt.Errorf("there is no such contract")
	}
	d := directive{words[0], nil, map[string][]string{}}
	for _, w := range words[1:] {
		key, list, ok := strings.Cut(w, "=")
		if !ok || list == "" || d.values[key] != nil {
			return d, fmt.Errorf("%s is not key=values", w)
		}
		d.keys = append(d.keys, key)
		for _, value := range strings.Split(list, ",") {
			values, err := valuesOf(value)
			if err != nil {
				return d, err
			}
			d.values[key] = append(d.values[key], values...)
		}
	}
	return d, nil
}

func valuesOf(s string) ([]string, error) {
	from, rest, ok := strings.Cut(s, "..")
	if !ok {
		return []string{s}, nil
	}
	to, step, ok := strings.Cut(rest, "/")
	if !ok {
		step = "1"
	}
	var n [3]int
	for i, s := range []string{from, to, step} {
		var err error
		if n[i], err = strconv.Atoi(s); err != nil {
			return nil, err
		}
	}
	if n[2] < 1 || n[1] < n[0] {
		return nil, fmt.Errorf("%s is no range", s)
	}
	var list []string
	for i := n[0]; i <= n[1]; i += n[2] {
		list = append(list, strconv.Itoa(i))
	}
	return list, nil
}
