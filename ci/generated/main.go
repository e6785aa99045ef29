// Generated checks that the generated files are what their generators write. It writes nothing
// into the repository: ci/generate does that.
//
//	go run ./ci/generated                      all of what follows
//	go run ./ci/generated -list                prints the generators: packages with lines go:generate
//	go run ./ci/generated _gen/sm4/gfni512     runs one or more and compares what they write
//	go run ./ci/generated -complete            runs none, but compares names: see below
//
// A generator's lines run in an empty copy of the folders of the repository, so that ../../../sm4
// is a folder there. "go run" compiles the generator where it is. So a generator that writes a Go
// file of another one, or of its own, is compared with what is there, and what was written is not
// compiled. These generators read no file.
//
// With -complete every file whose head says that it is generated must be named by a directive
// (go:generate), and every file that a directive names must be there. It names a file with -out,
// -go, -declarations, -older or mv. With -dir it names a folder, and the heads of the files in it
// name the command; the run of such a generator finds files that it no longer writes. A head that
// names a folder below _gen which has tests and no directives is accepted: _gen/switches reads
// files, and its tests compare what it writes. So do those of _gen/modes, which writes the modes of
// AES and SM4.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

func main() {
	list := flag.Bool("list", false, "print the generators")
	names := flag.Bool("complete", false, "only compare the names of files")
	flag.Parse()
	ok, err := run(".", flag.Args(), *list, *names, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "generated:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run reports whether all is as it should be.
func run(root string, packages []string, list, names bool, out io.Writer) (ok bool, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return false, err
	}
	all := len(packages) == 0
	for i := range packages {
		packages[i] = path.Clean(filepath.ToSlash(packages[i]))
	}
	if all {
		if packages, err = generators(root); err != nil {
			return false, err
		}
	}
	if list {
		fmt.Fprintln(out, strings.Join(packages, "\n"))
		return true, nil
	}
	ok = true
	if all {
		problems, err := complete(root, packages)
		if err != nil {
			return false, err
		}
		for _, p := range problems {
			fmt.Fprintln(out, p)
		}
		ok = len(problems) == 0
	}
	if names {
		return ok, nil
	}
	work, err := os.MkdirTemp("", "generated-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	r, err := newRunner(root, work)
	if err != nil {
		return false, err
	}
	var group sync.WaitGroup
	var mutex sync.Mutex
	free := make(chan struct{}, runtime.NumCPU())
	for _, pkg := range packages {
		group.Add(1)
		go func() {
			defer group.Done()

			free <- struct{}{}
			text, err := r.check(pkg)
			<-free
			mutex.Lock()
			defer mutex.Unlock()
			switch {
			case err != nil:
				fmt.Fprintf(out, "%s: %v\n", pkg, err)
				ok = false
			case text != "":
				fmt.Fprintf(out, "%srun ci/generate, or look at what is wrong in %s\n", text, pkg)
				ok = false
			default:
				fmt.Fprintf(out, "%s: its files are current\n", pkg)
			}
		}()
	}
	group.Wait()
	return ok, nil
}

// generators returns the folders of _gen that have lines go:generate.
func generators(root string) (list []string, err error) {
	err = walk(root, "_gen", func(name string, text []byte) {
		if dir := path.Dir(name); bytes.Contains(text, []byte("\n"+directive)) && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	})
	return list, err
}

// walk calls f for the Go files and the assembly of a folder and of those in it, but for what
// the go command ignores.
func walk(root, dir string, f func(name string, text []byte)) error {
	return fs.WalkDir(os.DirFS(root), dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() {
			if name != "." && name != "_gen" && (base[0] == '.' || base[0] == '_') || base == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".s") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			f(name, text)
		}
		return err
	})
}

const directive = "//go:generate "

// A command is a line go:generate.
type command struct {
	text  string
	words []string
	files []string // that it names, relative to the root
	dir   string   // that it names
}

var (
	move = regexp.MustCompile(` mv \S+ (\S+)$`)
	head = regexp.MustCompile(`(?m)^// Code generated (.*) DO NOT EDIT\.$`)
)

// commands returns those of a package, in the order in which go generate runs them.
func commands(root, pkg string) (list []command, err error) {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			rest, ok := strings.CutPrefix(strings.TrimSpace(line), directive)
			if !ok {
				continue
			}
			c, err := parse(pkg, rest)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no lines go:generate", pkg)
	}
	return list, nil
}

// parse splits a command as go generate does: words are between spaces, or in double quotes.
func parse(pkg, text string) (command, error) {
	c := command{text: text}
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		word, after, _ := strings.Cut(rest, " ")
		if rest[0] == '"' {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return c, fmt.Errorf("%q: %w", text, err)
			}
			word, _ = strconv.Unquote(quoted)
			after = rest[len(quoted):]
		}
		c.words, rest = append(c.words, word), after
	}
	for i, word := range c.words[:len(c.words)-1] {
		switch name := path.Join(pkg, c.words[i+1]); word {
		case "-out", "-go", "-declarations", "-older":
			c.files = append(c.files, name)
		case "-dir":
			c.dir = name
		}
	}
	if m := move.FindStringSubmatch(c.words[len(c.words)-1]); m != nil {
		c.files = append(c.files, path.Join(pkg, m[1]))
	}
	if c.dir == "" && len(c.files) == 0 {
		return c, fmt.Errorf("%q names no file that it writes", text)
	}
	return c, nil
}

// heads reports whether the head of a generated file names the command, as those of commands
// with -dir do.
func (c *command) heads(text []byte) bool {
	m := head.FindSubmatch(text)
	return m != nil && string(m[1]) == "by command: "+c.text+"."
}

// complete compares the names of the generated files with those in the lines go:generate.
func complete(root string, packages []string) (problems []string, err error) {
	writes := map[string]string{} // the package that writes a file
	var folders []command
	for _, pkg := range packages {
		list, err := commands(root, pkg)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			for _, file := range c.files {
				if other := writes[file]; other != "" {
					problems = append(problems, fmt.Sprintf("%s: written by %s and by %s", file, other, pkg))
				}
				writes[file] = pkg
			}
			if c.dir != "" {
				folders = append(folders, c)
			}
		}
	}
	listed := map[string]bool{}
	look := func(name string, text []byte) {
		listed[name] = true
		if !head.Match(text) || writes[name] != "" || tested(root, packages, text) {
			return
		}
		if !slices.ContainsFunc(folders, func(c command) bool { return c.dir == path.Dir(name) && c.heads(text) }) {
			problems = append(problems, name+": no line go:generate writes it")
		}
	}
	for _, dir := range []string{".", "_gen"} {
		if err := walk(root, dir, look); err != nil {
			return nil, err
		}
	}
	for file, pkg := range writes {
		if !listed[file] {
			problems = append(problems, fmt.Sprintf("%s: is not there, and %s writes it", file, pkg))
		}
	}
	slices.Sort(problems)
	return problems, nil
}

// tested reports whether the head of a file names a generator without directives whose tests
// compare what it writes.
func tested(root string, packages []string, text []byte) bool {
	m := testedHead.FindSubmatch(text)
	if m == nil || slices.Contains(packages, string(m[1])) {
		return false
	}
	tests, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(string(m[1])), "*_test.go"))
	return err == nil && tests != nil
}

var testedHead = regexp.MustCompile(`(?m)^// Code generated by (_gen/[\w/]+)\. DO NOT EDIT\.$`)

// goRun is the go command of the scratch folder: it compiles what is at the same place in the
// repository, and runs it here.
const goRun = `#!/bin/sh
if [ "$1" != run ]; then
	echo "a line go:generate may call go run, not go $1" >&2
	exit 2
fi
shift
exec "$GENERATED_GO" run -C "$GENERATED_ROOT${PWD#"$GENERATED_SCRATCH"}" -exec "env -C '$PWD'" "$@"
`

// A runner runs generators.
type runner struct {
	root, work string
	environ    []string
}

// newRunner puts the go command above into work. This must precede all other processes: a file that
// one of them has inherited for writing cannot be executed.
func newRunner(root, work string) (*runner, error) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return nil, err
	}
	bin := filepath.Join(work, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		return nil, err
	}
	path := "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	environ := append(os.Environ(), path, "GENERATED_GO="+goCommand, "GENERATED_ROOT="+root)
	return &runner{root, work, environ}, os.WriteFile(filepath.Join(bin, "go"), []byte(goRun), 0o777)
}

// check runs the lines of a package and returns how what they write differs from what is there.
func (r *runner) check(pkg string) (text string, err error) {
	list, err := commands(r.root, pkg)
	if err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(r.work, "tree-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	dir := filepath.Join(scratch, pkg)
	folders := []string{dir}
	for _, c := range list {
		folders = append(folders, filepath.Join(scratch, c.dir))
		for _, file := range c.files {
			folders = append(folders, filepath.Join(scratch, path.Dir(file)))
		}
	}
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return "", err
		}
	}
	for _, c := range list {
		cmd := exec.Command(c.words[0], c.words[1:]...)
		if c.words[0] == "go" {
			cmd = exec.Command(filepath.Join(r.work, "bin", "go"), c.words[1:]...)
		}
		cmd.Dir = dir
		cmd.Env = append(slices.Clip(r.environ), "PWD="+dir, "GENERATED_SCRATCH="+scratch)
		if output, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", c.text, err, output)
		}
	}
	return compare(r.root, scratch, list)
}

// compare compares what was written, and what should have been, with what is there.
func compare(root, scratch string, list []command) (text string, err error) {
	files := map[string]bool{}
	err = fs.WalkDir(os.DirFS(scratch), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name] = true
		}
		return err
	})
	if err != nil {
		return "", err
	}
	for _, c := range list {
		for _, file := range c.files {
			files[file] = true
		}
		if c.dir == "" {
			continue
		}
		existing, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(c.dir), "*"))
		if err != nil {
			return "", err
		}
		for _, file := range existing {
			content, err := os.ReadFile(file)
			if err == nil && c.heads(content) {
				files[path.Join(c.dir, filepath.Base(file))] = true
			}
		}
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		is, err1 := os.ReadFile(filepath.Join(root, name))
		want, err2 := os.ReadFile(filepath.Join(scratch, name))
		switch {
		case err1 != nil && err2 != nil:
			text += name + ": is named by a line go:generate, and was not written\n"
		case err1 != nil:
			text += name + ": is not there, and was written\n"
		case err2 != nil:
			text += name + ": is there, and was not written\n"
		case !bytes.Equal(is, want):
			text += name + ": was written differently\n" + difference(string(is), string(want))
		}
	}
	return text, nil
}

// difference shows where two texts begin to differ, and the first lines of both from there to
// where they are equal again.
func difference(is, want string) string {
	a, b := strings.SplitAfter(is, "\n"), strings.SplitAfter(want, "\n")
	first := 0
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	last := 0
	for last < min(len(a), len(b))-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	a, b = a[first:len(a)-last], b[first:len(b)-last]
	text := fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", first+1, len(a), first+1, len(b))
	const most = 5
	for _, side := range []struct {
		sign  string
		lines []string
	}{{"-", a}, {"+", b}} {
		for i, line := range side.lines {
			if i == most {
				text += side.sign + "…\n"
				break
			}
			text += side.sign + strings.TrimSuffix(line, "\n") + "\n"
		}
	}
	return text
}
