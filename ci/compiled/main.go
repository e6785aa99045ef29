// Command compiled lists what the compiler makes of the portable code that processes secrets: the
// branches, the accesses to memory with an index, the divisions and the comparisons in the
// compiled functions. Each must be in the list of its package (reasons), with the reason why it
// depends on no secret. So if a new version of Go, or a change of the code, turns an operation on
// a secret into a conditional jump, the list no longer fits, and the check fails until a person has
// explained it.
//
//	go run ./ci/compiled                    compares all packages, on all architectures
//	go run ./ci/compiled -list              prints the packages, a line for what CI does at once
//	go run ./ci/compiled -package sm4       compares one or more, separated by commas
//	go run ./ci/compiled -update            writes the lists; new entries get the reason "?"
//	go run ./ci/compiled -json FILE         also writes the verdict of each package
//
// For a package it reads what the compiler reads, reasons/common.txt and the list of that package:
// reasons/internal-ghash.txt for internal/ghash.
//
// # What is looked at
//
// All functions of all packages that a program can have from this library: the packages that
// programs can import, and what these import, as they are built with the tag purego. Exempt is
// only what a list names as public, with a reason: a function with its closures, a file, or a
// package. What initializes a package is public, too. Lines that are inlined from a public file of
// another package belong to that file. Assembly, and the Go code that only programs with assembly
// have, is not looked at here.
//
// An entry is a function, the source text of a line in it (of another function if that is
// inlined), the kinds of what was found there, and how often on each architecture. Entries do not
// name addresses or line numbers: lines of a function with the same text are counted together.
//
// # What is found
//
// The compiler's listing (go build -gcflags=-S) is searched for conditional branches and
// conditional instructions other than moves between registers, for jumps to computed
// addresses, for loads and stores whose address is the sum of two registers, for divisions,
// and for calls of functions that compare memory. Three branches are left out: the check of
// the stack's size at the beginning of a function, that of the garbage collector's write
// barrier, and NOPs.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	update := flag.Bool("update", false, "write the list instead of comparing with it")
	report := flag.String("json", "", "write the verdict of each package to this `file`")
	list := flag.Bool("list", false, "print the packages")
	onlyPackages := flag.String("package", "", "compare only these `packages`")
	flag.Parse()
	c := &check{root: ".", goarchs: slices.Sorted(maps.Keys(architectures))}
	ok, err := c.main(*list, *onlyPackages, *update, *report)
	if err != nil {
		fmt.Fprintln(os.Stderr, "compiled:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// A check is of one module.
type check struct {
	root    string
	goarchs []string
	overlay string // a file for go build -overlay, in tests
}

func (c *check) main(list bool, onlyPackages string, update bool, report string) (ok bool, err error) {
	chosen := strings.Split(onlyPackages, ",")
	if onlyPackages == "" {
		if chosen, err = c.packages(); err != nil {
			return false, err
		}
	}
	if list {
		lines, err := c.lines(chosen)
		fmt.Println(strings.Join(lines, "\n"))
		return true, err
	}
	return c.run(chosen, update, report)
}

// packages returns those that a program can have from this library, without public ones.
func (c *check) packages() ([]string, error) {
	l := newList(c.root)
	if err := l.read(""); err != nil {
		return nil, err
	}
	module, err := c.module()
	if err != nil {
		return nil, err
	}
	all, err := c.golist("-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`, "./...")
	if err != nil {
		return nil, err
	}
	var roots []string
	for _, pkg := range all {
		if rel, ok := strings.CutPrefix(pkg, module); ok && !strings.Contains("/"+rel, "/internal/") && !strings.HasPrefix(rel, "ci/") {
			roots = append(roots, pkg)
		}
	}
	all, err = c.golist(append([]string{"-deps"}, roots...)...)
	if err != nil {
		return nil, err
	}
	var packages []string
	for _, pkg := range all {
		rel, ok := strings.CutPrefix(pkg, module)
		if _, public := l.public[rel]; ok && !public {
			packages = append(packages, rel)
		}
	}
	for name := range l.public {
		if !slices.Contains(all, module+name) {
			return nil, fmt.Errorf("no package %s, which is named public", name)
		}
	}
	slices.Sort(packages)
	return packages, nil
}

// lines returns packages one by one, but those without entries together, because starting the
// compiler takes longer than what it has to do for them.
func (c *check) lines(packages []string) (lines []string, err error) {
	var rest []string
	for _, pkg := range packages {
		l := newList(c.root)
		for _, pkg := range []string{"", pkg} {
			if err := l.read(pkg); err != nil {
				return nil, err
			}
		}
		if len(l.reasons) > 0 {
			lines = append(lines, pkg)
		} else {
			rest = append(rest, pkg)
		}
	}
	if len(rest) > 0 {
		lines = append(lines, strings.Join(rest, ","))
	}
	return lines, nil
}

// module returns the path of the module, with a slash.
func (c *check) module() (string, error) {
	text, err := os.ReadFile(filepath.Join(c.root, "go.mod"))
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(line, "module ") + "/", err
}

func (c *check) golist(args ...string) ([]string, error) {
	out, err := c.command("list", c.goarchs[0], args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %v", strings.Join(args, " "), err)
	}
	return strings.Fields(string(out)), nil
}

func (c *check) run(chosen []string, update bool, report string) (ok bool, err error) {
	for i, pkg := range chosen {
		chosen[i] = path.Clean(filepath.ToSlash(pkg))
	}
	found, err := c.find(chosen)
	if err != nil {
		return false, err
	}
	if update {
		fresh := found.list.update(found)
		fmt.Printf("%d entries to explain in %s\n", fresh, reasonsDir)
		return fresh == 0, found.list.write(chosen)
	}
	problems := found.list.compare(found, c.goarchs)
	for _, p := range problems {
		fmt.Println(p)
	}
	public := 0
	for _, is := range found.functions {
		if is {
			public++
		}
	}
	fmt.Printf("%s: %d functions, of which %d are public, %d entries on %s: %d to explain\n",
		strings.Join(chosen, ", "), len(found.functions), public, len(found.at), strings.Join(c.goarchs, ", "), len(problems))
	if len(problems) > 0 {
		fmt.Println("Look at the compiled code. If it depends on no secret: go run ./ci/compiled -update, and write the reasons.")
	}
	if report != "" {
		err = writeReport(report, chosen, problems)
	}
	return len(problems) == 0, err
}

// find reads the lists of packages and compiles them.
func (c *check) find(chosen []string) (*entries, error) {
	l := newList(c.root)
	for _, pkg := range append([]string{""}, chosen...) {
		if err := l.read(pkg); err != nil {
			return nil, err
		}
	}
	module, err := c.module()
	if err != nil {
		return nil, err
	}
	found := newEntries(l)
	if found.source.replaced, err = c.replaced(); err != nil {
		return nil, err
	}
	for _, goarch := range c.goarchs {
		listing, err := c.compile(goarch, chosen)
		if err != nil {
			return nil, err
		}
		if err := found.add(goarch, module, listing); err != nil {
			return nil, err
		}
	}
	for _, pkg := range chosen {
		if _, ok := l.public[pkg]; ok {
			return nil, fmt.Errorf("%s is public", pkg)
		}
	}
	return found, nil
}

// compile returns the compiler's listing of packages.
func (c *check) compile(goarch string, chosen []string) (string, error) {
	args := []string{"-gcflags=-S", "-overlay=" + c.overlay}
	for _, pkg := range chosen {
		args = append(args, "./"+pkg)
	}
	out, err := c.command("build", goarch, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %v\n%s", goarch, err, out)
	}
	return string(out), nil
}

// replaced returns the files of the overlay.
func (c *check) replaced() (map[string]string, error) {
	if c.overlay == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.overlay)
	var overlay struct{ Replace map[string]string }
	if err == nil {
		err = json.Unmarshal(text, &overlay)
	}
	return overlay.Replace, err
}

// command is a go command for an architecture: with its oldest instructions, because there are
// more branches without newer ones; and without -trimpath, because the listing must name files
// as they are.
func (c *check) command(verb, goarch string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", append([]string{verb, "-tags", "purego"}, args...)...)
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+goarch,
		"GOAMD64=v1", "GO386=sse2", "GOARM64=v8.0", "GOARM=7", "GORISCV64=rva20u64", "GOMIPS=softfloat")
	return cmd
}

// writeReport writes which packages passed, for the table of docs/timing.md.
func writeReport(file string, chosen []string, problems []problem) error {
	passed := map[string]bool{}
	for _, pkg := range chosen {
		passed[pkg] = !slices.ContainsFunc(problems, func(p problem) bool { return p.pkg == pkg })
	}
	text, err := json.MarshalIndent(passed, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}
