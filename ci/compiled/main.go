// Command compiled lists what the compiler makes of the portable code that processes secrets: the
// branches, the accesses to memory with an index, the divisions and the comparisons in the
// compiled functions. Each must be in the list of its package (reasons), with the reason why it
// depends on no secret. So if a new version of Go, or a change of the code, turns an operation on
// a secret into a conditional jump, there is a new entry, and the check fails until a person has
// explained it.
//
//	go run ./ci/compiled                    compares all packages, on all architectures
//	go run ./ci/compiled -list              prints the packages
//	go run ./ci/compiled -package sm4       compares one or more, separated by commas
//	go run ./ci/compiled -update            writes the lists; new entries get the reason "?"
//	go run ./ci/compiled -json FILE         also writes the verdict of each package
//
// For a package it reads what the compiler reads, reasons/common.txt and the list of that package:
// reasons/internal-ghash.txt for internal/ghash.
//
// Entries are the same for all architectures, and do not name addresses or line numbers:
// an entry is a function, the source text of a line in it (of another function if that is
// inlined), and the kinds of what was found there. Assembly is not checked here.
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
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// secrets are the files whose functions process secrets, or after a colon the only function
// of a file that does. Functions that only divide a message among them are not here.
var secrets = []string{
	"internal/aescore/circuit.go", "internal/aescore/generic*.go",
	"sm4/circuit.go", "sm4/generic*.go",
	"sm3/generic.go",
	"internal/ghash/generic.go", "internal/ghash/mul*.go",
	"internal/keccak/generic.go",
	"internal/chachapoly/chacha.go", "internal/chachapoly/poly1305*.go",
	"internal/modes/aead.go", "internal/modes/gcmsiv.go", "internal/modes/keywrap.go", "internal/modes/mac.go", "internal/modes/siv.go",
	"internal/tweaks/tweaks.go",
	"sm2/encrypt.go:(*PrivateKey).decrypt", "sm2/field.go", "sm2/inverse.go", "sm2/point.go", "sm2/scalar.go",
	"sm2/sums.go:(*sums).add", "sm2/sums.go:(*sums).multiplyBase", "sm2/sums.go:productsPortable", "sm2/sums.go:addPairsPortable", "sm2/sums.go:basePointsPortable",
	"frodokem/batch.go:(*batch).noise", "frodokem/batch.go:(*batch).squeeze", "frodokem/generic.go",
	"frodokem/kem.go:(*batch).decapsulate", "frodokem/pack.go",
}

// public matches functions in these files that process public values only, and those that
// initialize the package.
var public = regexp.MustCompile(`Public|^\(\*naf\)|^init\b|^sm2 baseOdd`)

func main() {
	update := flag.Bool("update", false, "write the list instead of comparing with it")
	report := flag.String("json", "", "write the verdict of each package to this `file`")
	list := flag.Bool("list", false, "print the packages")
	onlyPackages := flag.String("package", "", "compare only these `packages`")
	flag.Parse()
	if *list {
		fmt.Println(strings.Join(packages(), "\n"))
		return
	}
	chosen := packages()
	if *onlyPackages != "" {
		chosen = strings.Split(*onlyPackages, ",")
	}
	ok, err := run(".", chosen, slices.Sorted(maps.Keys(architectures)), *update, *report)
	if err != nil {
		fmt.Fprintln(os.Stderr, "compiled:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// packages returns those that have secrets.
func packages() (list []string) {
	for _, pattern := range secrets {
		list = append(list, path.Dir(pattern))
	}
	return slices.Compact(list)
}

func run(root string, chosen, goarchs []string, update bool, report string) (ok bool, err error) {
	for i, pkg := range chosen {
		chosen[i] = path.Clean(filepath.ToSlash(pkg))
		if !slices.Contains(packages(), chosen[i]) {
			return false, fmt.Errorf("%s has no secrets; these packages have some: %s", pkg, strings.Join(packages(), ", "))
		}
	}
	found := entries{}
	for _, goarch := range goarchs {
		listing, err := compile(root, goarch, chosen)
		if err != nil {
			return false, err
		}
		if err := found.add(root, goarch, listing); err != nil {
			return false, err
		}
	}
	for _, pattern := range secrets {
		if slices.Contains(chosen, path.Dir(pattern)) && !slices.ContainsFunc(found.functions(), func(at place) bool { return matches(pattern, found[at].file, at.function) }) {
			return false, fmt.Errorf("no function of %s is in the compiler's output", pattern)
		}
	}
	for _, at := range found.functions() {
		if !slices.Contains(chosen, at.pkg) {
			return false, fmt.Errorf("%s is compiled with one of %s, and not with its own package", at, strings.Join(chosen, ", "))
		}
	}
	l, err := readList(root, chosen, update)
	if err != nil {
		return false, err
	}
	if update {
		fresh := l.update(found)
		fmt.Printf("%d entries to explain in %s\n", fresh, reasonsDir)
		return fresh == 0, l.write(root, chosen)
	}
	problems := l.compare(found)
	for _, p := range problems {
		fmt.Println(p)
	}
	fmt.Printf("%s: %d functions, %d entries on %s: %d to explain\n",
		strings.Join(chosen, ", "), len(found.functions()), len(found), strings.Join(goarchs, ", "), len(problems))
	if len(problems) > 0 {
		fmt.Println("Look at the compiled code. If it depends on no secret: go run ./ci/compiled -update, and write the reasons.")
	}
	if report != "" {
		if err := found.report(report, problems); err != nil {
			return false, err
		}
	}
	return len(problems) == 0, nil
}

// compile returns the compiler's listing of packages.
func compile(root, goarch string, chosen []string) (string, error) {
	args := []string{"build", "-tags", "purego", "-gcflags=-S"}
	for _, pkg := range chosen {
		args = append(args, "./"+pkg)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = environment(goarch)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %v\n%s", goarch, err, out)
	}
	return string(out), nil
}

// environment returns the variables for the compiler: with the oldest instructions of an
// architecture, because there are more branches without newer ones; and without -trimpath,
// because the listing must name files as they are.
func environment(goarch string) []string {
	return append(os.Environ(), "GOFLAGS=-buildvcs=false", "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+goarch,
		"GOAMD64=v1", "GO386=sse2", "GOARM64=v8.0", "GOARM=7", "GORISCV64=rva20u64", "GOMIPS=softfloat")
}

// A place is a line of source in a compiled function.
type place struct {
	pkg, function string
	text          string
}

func (p place) String() string { return p.pkg + " " + p.function + ": " + p.text }

// An entry is what was found at a place: kinds, and for each the architectures.
type entry struct {
	kinds map[string][]string
	file  string // of the function
}

type entries map[place]*entry

// add adds what is found in a listing.
func (e entries) add(root, goarch, listing string) error {
	abs, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	s := &source{root: abs, files: map[string][]string{}}
	for _, f := range parse(listing) {
		rel, err := filepath.Rel(abs, f.file)
		if err != nil || !secret(filepath.ToSlash(rel), f.name) {
			continue
		}
		if at := (place{f.pkg, f.name, ""}); e[at] == nil {
			e[at] = &entry{file: filepath.ToSlash(rel)} // even if nothing is found
		}
		for _, x := range f.find(goarch) {
			text, err := s.text(x.file, x.line)
			if err != nil {
				return err
			}
			at := place{f.pkg, f.name, text}
			if e[at] == nil {
				e[at] = &entry{kinds: map[string][]string{}, file: filepath.ToSlash(rel)}
			}
			if list := e[at].kinds[x.kind]; !slices.Contains(list, goarch) {
				e[at].kinds[x.kind] = append(list, goarch)
			}
		}
	}
	return nil
}

func secret(file, function string) bool {
	return !public.MatchString(function) && slices.ContainsFunc(secrets, func(pattern string) bool { return matches(pattern, file, function) })
}

// matches reports whether a pattern of secrets stands for a function.
func matches(pattern, file, function string) bool {
	pattern, wantFunction, ok := strings.Cut(pattern, ":")
	same, err := path.Match(pattern, file)
	return same && err == nil && (!ok || function == wantFunction)
}

// functions returns the functions that were looked at.
func (e entries) functions() []place {
	var list []place
	for at := range e {
		if at.text == "" {
			list = append(list, at)
		}
	}
	return list
}

// report writes which packages passed, for the table of docs/timing.md.
func (e entries) report(file string, problems []problem) error {
	passed := map[string]bool{}
	for at := range e {
		passed[at.pkg] = true
	}
	for _, p := range problems {
		passed[p.pkg] = false
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(passed); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}
