// Command checks makes the table of docs/timing.md that has, for every driver, what its running
// time depends on and the checks that it passed.
//
//	go run ./ci/checks DIR           compares the table with the results in DIR
//	go run ./ci/checks -write DIR    writes it
//
// Rows and claims (Timing) are those of the tables of drivers in the source. DIR has results of
// the tools that ran; the columns of other tools stay as they are:
//
//	secrets    of ci/secrets.sh, with CHECKS=DIR: the tests that passed under valgrind
//	ctcheck    of go run ./ci/ctcheck -json: kernels and findings
//	compiled   of go run ./ci/compiled -json: packages
//	mutants    of go run ./ci/mutate -json: a result per line
//
// The results of a tool are in a file of this name, in files in a folder with the name and ".d",
// such as secrets.d, one for each package or folder that the tool ran for, or in both.
//
// The column "t" is from the other tables of the page: the largest |t| of the driver's operations.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	write := flag.Bool("write", false, "write the table instead of comparing it")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: checks [-write] DIR")
		os.Exit(2)
	}
	same, err := run(".", flag.Arg(0), *write)
	if err != nil {
		fmt.Fprintln(os.Stderr, "checks:", err)
		os.Exit(2)
	}
	if !same {
		os.Exit(1)
	}
}

const page = "docs/timing.md"

const (
	begin = "<!-- the table of ci/checks -->\n"
	end   = "<!-- end of the table -->\n"
)

func run(root, dir string, write bool) (same bool, err error) {
	file := filepath.Join(root, page)
	text, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return false, fmt.Errorf("%s does not have the two comments around the table", file)
	}
	rows, err := drivers(root)
	if err != nil {
		return false, err
	}
	keep(rows, old)
	if err := fill(rows, after, dir); err != nil {
		return false, err
	}
	table := print(rows)
	switch {
	case table == old:
		return true, nil
	case write:
		return true, os.WriteFile(file, []byte(before+begin+table+end+after), 0o666)
	}
	fmt.Println(page, "has another table than these results: go run ./ci/checks -write DIR")
	for _, line := range changes(old, table) {
		fmt.Println(line)
	}
	return false, nil
}

// The columns of the table behind the driver's name.
const (
	claim = iota
	valgrind
	ctcheck
	compiled
	statistics
	mutants
	columns
)

var titles = [columns]string{"running time", "valgrind", "ctcheck", "compiled", "t", "mutants"}

// A row is a driver on an architecture, or on all for the portable one.
type row struct {
	dir, driver, goarch string
	cells               [columns]string
}

const all = "all"

func (r *row) name() string {
	return fmt.Sprintf("%s | %s | %s", strings.TrimSuffix(path.Base(r.dir), "core"), r.driver, r.goarch)
}

var fileName = regexp.MustCompile(`^drivers_([a-z0-9]+)\.go$`)

// drivers returns the drivers in the source, in the order of their packages and tables.
func drivers(root string) (rows []*row, err error) {
	for _, dir := range []string{"internal/aescore", "internal/chachapoly", "frodokem", "internal/ghash", "internal/keccak", "sm2", "sm3", "sm4"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return nil, err
		}
		texts := map[string]string{} // constants of the package outside its tables
		var tables []*ast.File
		goarchs := map[*ast.File]string{}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			m := fileName.FindStringSubmatch(filepath.Base(name))
			switch {
			case m == nil:
				constants(file, texts)
				continue
			case m[1] == "none":
				tables = slices.Insert(tables, 0, file)
			default:
				tables = append(tables, file)
			}
			// All kinds of MIPS have the same kernels.
			goarchs[file] = strings.NewReplacer("none", all, "mipsx", "mips").Replace(m[1])
		}
		if len(tables) == 0 || goarchs[tables[0]] != all {
			return nil, fmt.Errorf("no drivers_none.go in %s", dir)
		}
		for _, file := range tables {
			list, err := table(file, texts)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", dir, goarchs[file], err)
			}
			for _, r := range list {
				if r.dir, r.goarch = dir, goarchs[file]; r.driver != "generic" || r.goarch == all {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows, nil
}

// constants adds the constants of a file that are strings.
func constants(file *ast.File, texts map[string]string) {
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.CONST {
			for _, spec := range decl.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, value := range spec.Values {
					if text, ok := text(value, nil); ok {
						texts[spec.Names[i].Name] = text
					}
				}
			}
		}
	}
}

// text returns the value of a string in the source, or of a constant that is one.
func text(e ast.Expr, texts map[string]string) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.Ident:
		s, ok := texts[e.Name]
		return s, ok
	}
	return "", false
}

// table returns the rows of a table of drivers: the literals with a Name and a Timing.
func table(file *ast.File, texts map[string]string) (rows []*row, err error) {
	texts = maps.Clone(texts)
	constants(file, texts)
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		fields := map[string]string{}
		for _, e := range literal.Elts {
			if e, ok := e.(*ast.KeyValueExpr); ok {
				if key, ok := e.Key.(*ast.Ident); ok {
					if text, ok := text(e.Value, texts); ok {
						fields[key.Name] = text
					}
				}
			}
		}
		if name := fields["Name"]; name != "" {
			if fields["Timing"] == "" {
				err = fmt.Errorf("driver %s does not say what its running time depends on", name)
			}
			r := &row{driver: name}
			r.cells[claim] = fields["Timing"]
			rows = append(rows, r)
		}
		return true
	})
	return rows, err
}

// keep copies the cells of the present table.
func keep(rows []*row, table string) {
	for line := range strings.Lines(table) {
		fields := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(fields) != 3+columns {
			continue
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		for _, r := range rows {
			if r.name() == strings.Join(fields[:3], " | ") {
				copy(r.cells[valgrind:], fields[3+valgrind:])
			}
		}
	}
}

// core returns the package that has the drivers of a package.
func core(pkg string) string {
	switch pkg {
	case "aes":
		return "internal/aescore"
	case "chacha20", "chacha20poly1305":
		return "internal/chachapoly"
	}
	return pkg
}

func print(rows []*row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| package | driver | architecture | %s |\n|---|---|---|%s\n", strings.Join(titles[:], " | "), strings.Repeat("---|", columns))
	for _, r := range rows {
		for i := range r.cells {
			if r.cells[i] == "" {
				r.cells[i] = "-"
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", r.name(), strings.Join(r.cells[:], " | "))
	}
	return b.String()
}

// changes returns the lines that are in one text only.
func changes(old, table string) (list []string) {
	was, is := strings.Split(old, "\n"), strings.Split(table, "\n")
	for _, line := range was {
		if !slices.Contains(is, line) {
			list = append(list, "-"+line)
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			list = append(list, "+"+line)
		}
	}
	return list
}

// fill fills the columns of the tools that have results, and that of the statistical test from
// its tables.
func fill(rows []*row, tests, dir string) error {
	for name, f := range map[string]func([]*row, []byte) error{
		"secrets": fillValgrind, "ctcheck": fillCtcheck, "compiled": fillCompiled, "mutants": fillMutants,
	} {
		b, err := results(filepath.Join(dir, name))
		if err == nil && b != nil {
			err = f(rows, b)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return fillStatistics(rows, tests)
}

// results returns the contents of a file and of those in the folder beside it, one after the
// other, or nil if there are none. The output of the tools has no end of its own: lines, or values
// of JSON.
func results(file string) (all []byte, err error) {
	parts, err := filepath.Glob(file + ".d/*")
	if err != nil {
		return nil, err
	}
	for _, part := range append([]string{file}, parts...) {
		b, err := os.ReadFile(part)
		if part == file && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(append(all, b...), '\n')
	}
	return all, nil
}

// values reads all values of JSON in the results of a tool.
func values[T any](results []byte) (list []T, err error) {
	for decoder := json.NewDecoder(bytes.NewReader(results)); ; {
		var v T
		if err := decoder.Decode(&v); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

func set(rows []*row, column int, value func(*row) string) {
	for _, r := range rows {
		r.cells[column] = value(r)
	}
}

// fillValgrind reads lines of a package and a test, "./sm4 TestSecret/GFNIAVX2", or a
// package and a driver, "./sm4 driver aesni-avx2". A test is of a driver if a part of its
// name is the driver's name.
func fillValgrind(rows []*row, results []byte) error {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "")) }
	passed := map[string]bool{}
	for line := range strings.Lines(string(results)) {
		if line == "\n" {
			continue
		}
		pkg, test, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return fmt.Errorf("not a package and a test: %q", line)
		}
		pkg = strings.TrimSuffix(strings.TrimPrefix(pkg, "./"), "/internal/amd64")
		for part := range strings.FieldsFuncSeq(test, func(r rune) bool { return r == '/' || r == ' ' }) {
			passed[core(pkg)+" "+plain(strings.TrimPrefix(part, "TestSecret"))] = true
		}
	}
	set(rows, valgrind, func(r *row) string {
		if passed[r.dir+" "+plain(r.driver)] && (r.goarch == all || r.goarch == "amd64") {
			return "yes"
		}
		return "-"
	})
	return nil
}

// fillCtcheck reads the report of ci/ctcheck. A driver's kernels are those of its package
// for its architecture.
func fillCtcheck(rows []*row, results []byte) error {
	type report struct {
		Kernels []struct {
			Arch, File string
			Findings   []any
		}
	}
	reports, err := values[report](results)
	if err != nil {
		return err
	}
	set(rows, ctcheck, func(r *row) string {
		kernels, findings := 0, 0
		for _, report := range reports {
			for _, k := range report.Kernels {
				if k.Arch == r.goarch && strings.HasPrefix(k.File, r.dir+"/internal/") {
					kernels++
					findings += len(k.Findings)
				}
			}
		}
		switch {
		case kernels == 0:
			return "-"
		case findings > 0:
			return fmt.Sprintf("%d findings", findings)
		}
		return "yes"
	})
	return nil
}

// fillCompiled reads which packages passed ci/compiled, for portable drivers.
func fillCompiled(rows []*row, results []byte) error {
	list, err := values[map[string]bool](results)
	if err != nil {
		return err
	}
	passed := map[string]bool{}
	for _, packages := range list {
		maps.Copy(passed, packages)
	}
	set(rows, compiled, func(r *row) string {
		if r.driver == "generic" && passed[r.dir] {
			return "yes"
		}
		return "-"
	})
	return nil
}

// fillMutants reads the results of ci/mutate, and counts those killed in the files of a
// driver: the kernels of its package for its architecture, or the portable code.
func fillMutants(rows []*row, results []byte) error {
	type result struct{ File, Verdict string }
	list, err := values[result](results)
	if err != nil {
		return err
	}
	set(rows, mutants, func(r *row) string {
		killed, tested := 0, 0
		for _, m := range list {
			own := strings.HasPrefix(m.File, r.dir+"/internal/") && path.Base(path.Dir(m.File)) == strings.Replace(r.goarch, "386", "i386", 1)
			if r.driver == "generic" {
				own = core(path.Dir(m.File)) == r.dir
			}
			if !own {
				continue
			}
			switch m.Verdict {
			case "killed", "timed out":
				killed++
				tested++
			case "survived":
				tested++
			}
		}
		if tested == 0 {
			return "-"
		}
		return fmt.Sprintf("%d of %d", killed, tested)
	})
	return nil
}

// fillStatistics reads the tables of the page, one below the heading of each package,
// with a column for each driver. Its cells begin with |t|. They are all of amd64.
func fillStatistics(rows []*row, text string) error {
	most := map[string]float64{}
	pkg := ""
	var names []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "### "); ok {
			pkg, names = heading, nil
			continue
		}
		if pkg == "" || !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|-") {
			continue
		}
		fields := strings.Split(strings.Trim(line, "|"), "|")[1:]
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if names == nil {
			names = fields
			continue
		}
		for i, field := range fields {
			number, _, _ := strings.Cut(field, " ")
			if i >= len(names) || number == "-" {
				continue
			}
			t, err := strconv.ParseFloat(number, 64)
			if err != nil {
				return fmt.Errorf("%s: %q: %w", page, field, err)
			}
			dir := core(pkg)
			most[dir+" "+names[i]] = max(most[dir+" "+names[i]], t)
		}
	}
	if len(most) == 0 {
		return errors.New(page + " has no tables of the statistical test")
	}
	set(rows, statistics, func(r *row) string {
		if t, ok := most[r.dir+" "+r.driver]; ok && (r.goarch == all || r.goarch == "amd64") {
			return fmt.Sprintf("%.1f", t)
		}
		return "-"
	})
	return nil
}
