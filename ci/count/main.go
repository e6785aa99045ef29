//go:build linux

// Count counts instructions: how many a call of each operation takes with each driver, and with
// other libraries, on CPUs that qemu emulates. Of the counts in docs/machines, ci/figures makes tables.
// They are counts, not times.
//
//	nice go run ./ci/count -goarch arm64                  all, as Markdown
//	nice go run ./ci/count -goarch arm64 -write           all, into docs/machines
//	nice go run ./ci/count -goarch arm64 -match '^AES-128-GCM' -json
//
// # What is counted
//
// A call is a call of a public function with a key that is set, such as Seal. Its count is
// that of N calls subtracted from that of 2N, by a plugin of qemu that counts the instructions
// of a thread, so that the start of the program plays no part. Peers are other libraries for Go
// (peers/count), and OpenSSL, libgcrypt and Botan from Debian 13 for the emulated architecture
// (c/peers.c). Features that a CPU lacks are masked for them as well; the table arches in arches.go
// says how. If a library has several methods, the one with the fewest instructions
// counts.
//
// With -loops, llvm-mca adds cycles of the main loops: those that take at least a tenth of the
// instructions of an operation.
//
// With -replaced, it counts a program with what "cipherlane go" replaces (peers/replaced), before
// and after, and compares with replaced.txt; with -write it changes that, the table of the
// command, and the sections about it in docs/go.md and docs/gmsm.md.
//
// # What it needs
//
// ci/rig/get gets qemu and the libraries from Debian, without root, into the cache. A cross
// compiler must be installed, and for -loops LLVM 19: if something is missing, an error says
// what to install. The exit status is 77 in that case, as that of ci/rig/get.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	goarch := flag.String("goarch", "arm64", "`architecture`, as in GOARCH")
	machines := flag.String("machines", "", "only machines whose name matches this regular `expression`")
	match := flag.String("match", "", "only operations whose name matches this regular `expression`")
	lengths := flag.String("sizes", "64,1420,16384", "`bytes` per call, separated by commas")
	peers := flag.Bool("peers", true, "count libraries in C as well; without them no cross compiler is needed")
	std := flag.Bool("std", false, "count Go's standard library as \"cipherlane go --std\" changes it")
	loops := flag.Bool("loops", false, "add the cycles of main loops by llvm-mca")
	asJSON := flag.Bool("json", false, "print JSON")
	write := flag.Bool("write", false, "write the files of this architecture in docs/machines, from which go run ./ci/figures makes tables")
	replaced := flag.Bool("replaced", false, "count what \"cipherlane go\" replaces, by its own code and ours; with -write, into "+countsFile+" and what is made of it")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: go run ./ci/count [options]\n\nCounts instructions per call on emulated CPUs and prints a table in Markdown.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		fail(2, fmt.Errorf("unexpected argument %q", flag.Arg(0)))
	}
	if *replaced && (*asJSON || *std || *loops || *machines != "" || *write && *match != "") {
		fail(2, errors.New("-replaced goes with -goarch and -write, or with -goarch, -match and -sizes"))
	}
	if *write && (*asJSON || *loops || *machines != "" || *match != "" || *std) {
		fail(2, errors.New("-write needs all operations: it goes without -json, -loops, -machines, -match and -std"))
	}
	a, ok := arches[*goarch]
	if !ok {
		fail(2, fmt.Errorf("-goarch %s: want one of %s", *goarch, strings.Join(archNames(), ", ")))
	}
	sizes, err := parseSizes(*lengths)
	if err != nil {
		fail(2, err)
	}
	machineFilter, err := regexp.Compile(*machines)
	if err == nil {
		_, err = regexp.CompilePOSIX(*match) // the program in C uses the C library's
	}
	if err != nil {
		fail(2, err)
	}
	if *replaced {
		if *write {
			sizes, *match = []int{64, 16384}, ""
		}
		list, err := countReplaced(*goarch, a, *match, sizes)
		switch {
		case err == nil && *write:
			err = writeReplaced(*goarch, list)
		case err == nil:
			err = compareReplaced(list)
		}
		if lacking := (lackError{}); errors.As(err, &lacking) {
			fail(77, err)
		} else if err != nil {
			fail(1, err)
		}
		return
	}
	if a.debian == "" {
		*peers = false
	}
	r := &report{GOARCH: *goarch, Date: time.Now().UTC().Format(time.DateOnly), Sizes: sizes, Versions: map[string]string{}}
	if err := measure(r, a, machineFilter, *match, *peers, *loops, *std); err != nil {
		if lacking := (lackError{}); errors.As(err, &lacking) {
			fail(77, err)
		}
		fail(1, err)
	}
	switch {
	case *asJSON:
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "\t")
		err = e.Encode(r)
	case *write:
		for _, f := range r.files() {
			err = errors.Join(err, f.Write("docs/machines"))
		}
	default:
		fmt.Print(r.markdown())
	}
	if err != nil {
		fail(1, err)
	}
	for _, line := range r.slower() {
		fmt.Fprintln(os.Stderr, line)
	}
}

func fail(status int, err error) {
	fmt.Fprintln(os.Stderr, "count:", err)
	os.Exit(status)
}

func parseSizes(text string) ([]int, error) {
	var list []int
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 16 || n > 1<<19 {
			return nil, fmt.Errorf("-sizes: %q is no number from 16 to %d", field, 1<<19)
		}
		list = append(list, n)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// measure fills the report.
func measure(r *report, a arch, machineFilter *regexp.Regexp, match string, peers, loops, std bool) error {
	t, err := newTools(r.GOARCH, a, peers, loops)
	if err != nil {
		return err
	}
	defer t.close()
	var options []string
	if std {
		options = []string{"--std"}
	}
	if t.golang, err = t.build("peers/count", options...); err != nil {
		return err
	}
	for _, m := range a.machines {
		if !machineFilter.MatchString(m.name) {
			continue
		}
		arguments := []string{cmp.Or(match, m.match)}
		for _, n := range r.Sizes {
			arguments = append(arguments, strconv.Itoa(n))
		}
		r.Machines = append(r.Machines, m.name+": "+m.what)
		begin := len(r.Counts)
		output, err := t.run("", t.golang, m.environment, arguments...)
		if err != nil {
			return err
		}
		if err := r.add(m, output); err != nil {
			return err
		}
		if peers {
			for _, variant := range m.peers {
				for _, program := range t.c {
					output, err := t.run("", program, append(slices.Clone(m.environment), variant...), arguments...)
					if err != nil {
						return err
					}
					if err := r.add(m, output); err != nil {
						return err
					}
				}
			}
		}
		if loops {
			if err := t.addLoops(r, m, r.Counts[begin:]); err != nil {
				return err
			}
		}
	}
	if len(r.Counts) == 0 {
		return errors.New("no operation and machine match")
	}
	return r.check()
}
