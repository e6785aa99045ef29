//go:build linux

// Native compares this machine's times with those of libraries in C: Intel's IPsec-MB,
// OpenSSL and libgcrypt, as the system has them. It builds ci/count/c/peers.c with each and
// peers/count with ours, runs all in turns on one CPU, and prints a table in Markdown: the best
// time of a call in nanoseconds, and the ratio of the library's to ours.
//
//	apt-get install gcc libipsec-mb-dev libssl-dev libgcrypt20-dev
//	go run ./peers/native [-match '^(AES|ChaCha20)'] [-sizes 64,1420,16384] [-rounds 5]
//	go run ./peers/native -newest       with the newest libraries that Debian has, unpacked into a cache
//	go run ./peers/native -write zen5   into docs/machines/zen5-native.json, about the machine of zen5.json
//
// A call is that of ci/count: AEADs with a nonce and 13 bytes of additional data, streams that
// go on; IPsec-MB has no streams, and a call is a job with an IV.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cipherlane/cipherlane/ci/figures/data"
)

// libraries are those of peers.c, with the names to link with and Debian's packages.
var libraries = []struct{ macro, link, pkg string }{
	{"IPSECMB", "IPSec_MB", "libipsec-mb-dev"},
	{"OPENSSL", "crypto", "libssl-dev"},
	{"GCRYPT", "gcrypt", "libgcrypt20-dev"},
}

const own = "cipherlane"

func main() {
	match := flag.String("match", "^(AES-(128|256)-(CTR|CBC|GCM|GMAC|XTS|CCM)|ChaCha20|SM)", "operations whose name matches this regular `expression`")
	sizes := flag.String("sizes", "64,1420,16384", "`bytes` per call, separated by commas")
	rounds := flag.Int("rounds", 5, "`times` that each program runs")
	newest := flag.Bool("newest", false, "compare with the newest libraries of Debian, which ci/rig/get unpacks into its cache, and not with the system's")
	write := flag.String("write", "", "write docs/machines/`NAME`-native.json, from which go run ./ci/figures makes tables")
	flag.Parse()
	if err := compare(*match, strings.Split(*sizes, ","), *rounds, *newest, *write); err != nil {
		fmt.Fprintln(os.Stderr, "native:", err)
		os.Exit(1)
	}
}

// A point is an operation with a size.
type point struct{ operation, bytes string }

// times are the best ones in nanoseconds, by point and library.
type times map[point]map[string]float64

// A system is where the libraries are: in a root of its own, or in that of the machine.
type system struct {
	compile []string // options of gcc
	run     []string // the loader of another C library, with its options
}

// newestSystem returns a root with the newest libraries.
func newestSystem() (*system, error) {
	out, err := exec.Command("ci/rig/get", "peers-newest").Output()
	if exit, ok := err.(*exec.ExitError); ok {
		return nil, fmt.Errorf("ci/rig/get peers-newest: %s", strings.TrimSpace(string(exit.Stderr)))
	} else if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(string(out))
	loaders, _ := filepath.Glob(filepath.Join(root, "usr/lib/*/ld-linux-*.so.*"))
	if len(loaders) == 0 {
		return nil, fmt.Errorf("%s has no loader", root)
	}
	libraries := filepath.Dir(loaders[0])
	return &system{
		compile: []string{"--sysroot=" + root, "-L" + libraries}, // gcc looks into its own root first
		run:     []string{loaders[0], "--library-path", libraries},
	}, nil
}

func compare(match string, sizes []string, rounds int, newest bool, write string) error {
	if write != "" { // before minutes of measuring
		if _, err := (times{}).file("docs/machines", write, nil, nil); err != nil {
			return fmt.Errorf("what is known of the machine: %w; \"cipherlane speed --json\" writes it", err)
		}
	}
	s := new(system)
	if newest {
		var err error
		if s, err = newestSystem(); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "native")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours := filepath.Join(dir, own)
	if err := run(exec.Command("go", "build", "-o", ours, "./peers/count")); err != nil {
		return err
	}
	programs := [][]string{{ours, "-clock"}} // ours first
	for _, l := range libraries {
		program := filepath.Join(dir, l.macro)
		gcc := append(slices.Clone(s.compile), "-O2", "-DCLOCK", "-D"+l.macro, "-o", program, "ci/count/c/peers.c", "-l"+l.link)
		if err := run(exec.Command("gcc", gcc...)); err != nil {
			fmt.Fprintf(os.Stderr, "native: without %s, try: apt-get install gcc %s\n", l.link, l.pkg)
			continue
		}
		programs = append(programs, append(slices.Clone(s.run), program))
	}
	if len(programs) == 1 {
		return errors.New("there is nothing to compare with")
	}
	result, versions := times{}, []string{}
	var order []point
	for round := range rounds {
		for _, p := range programs {
			command := slices.Concat(p, []string{match}, sizes)
			if taskset, err := exec.LookPath("taskset"); err == nil {
				command = append([]string{taskset, "-c", "1"}, command...)
			}
			out, err := exec.Command(command[0], command[1:]...).Output()
			if err != nil {
				return fmt.Errorf("%s: %w", strings.Join(p, " "), err)
			}
			seen, named, err := result.add(string(out))
			if err != nil {
				return err
			}
			if round == 0 {
				versions = append(versions, named...)
				if p[0] == ours {
					order = seen
				}
			}
		}
	}
	if len(order) == 0 {
		return fmt.Errorf("-match %s: no operation of ours matches", match)
	}
	if write != "" {
		f, err := result.file("docs/machines", write, order, versions)
		if err != nil {
			return err
		}
		return f.Write("docs/machines")
	}
	fmt.Printf("%s/%s, %s, %s.\n\n", runtime.GOOS, runtime.GOARCH, time.Now().UTC().Format(time.DateOnly), strings.Join(versions, ", "))
	result.print(order)
	return nil
}

func run(c *exec.Cmd) error {
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, out)
	}
	return nil
}

// add adds the output of a program: lines "case TAG CALLS BYTES LIBRARY OPERATION", "mark TAG
// NANOSECONDS" and "version LIBRARY VERSION". It returns the points in this order, of one
// message, and the versions.
func (r times) add(output string) (order []point, versions []string, err error) {
	var p point
	var library string
	var calls float64
	var marks []float64
	for line := range strings.Lines(output) {
		switch f := strings.Fields(line); {
		case len(f) == 3 && f[0] == "version":
			versions = append(versions, f[1]+" "+f[2])
		case len(f) > 5 && f[0] == "case":
			p, library, marks = point{strings.Join(f[5:], " "), f[3]}, f[4], nil
			if name, _, ok := strings.Cut(library, "*"); ok {
				library = name // the driver that is selected
			}
			if calls, err = strconv.ParseFloat(f[2], 64); err != nil {
				return nil, nil, fmt.Errorf("unexpected line %q", line)
			}
		case len(f) == 3 && f[0] == "mark" && !strings.Contains(library, ":") && !strings.Contains(p.operation, ","):
			n, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				return nil, nil, fmt.Errorf("unexpected line %q", line)
			}
			if marks = append(marks, n); len(marks)%3 != 0 {
				continue
			}
			last := marks[len(marks)-3:]
			if !slices.Contains(order, p) {
				order = append(order, p)
			}
			if r[p] == nil {
				r[p] = map[string]float64{}
			}
			best, ok := r[p][library]
			if !ok {
				best = math.Inf(1)
			}
			r[p][library] = min(best, (last[1]-last[0])/calls, (last[2]-last[1])/(2*calls))
		}
	}
	return order, versions, nil
}

// file returns the points that ours and another library have as a file of docs/machines. What was
// written about the machine, by hand or by speed --json, is taken over.
func (r times) file(dir, name string, order []point, versions []string) (*data.File, error) {
	f := &data.File{Name: name + "-native"}
	about, err := data.Read(filepath.Join(dir, f.Name+".json"))
	if err != nil {
		about, err = data.Read(filepath.Join(dir, name+".json"))
	}
	if err != nil {
		return nil, err
	}
	f.Title, f.Date, f.Command = "calls next to Go, gmsm and libraries in C", time.Now().UTC().Format(time.DateOnly), "go run ./peers/native -write "+name
	f.Machine, f.Conditions, f.Notes = about.Machine, about.Conditions, about.Notes
	if commit, err := exec.Command("git", "rev-parse", "--short=7", "HEAD").Output(); err == nil {
		f.Commit = strings.TrimSpace(string(commit))
	}
	f.Versions = map[string]string{}
	for _, v := range versions {
		library, number, _ := strings.Cut(v, " ")
		f.Versions[library] = strings.TrimPrefix(strings.TrimPrefix(number, "v"), "go")
	}
	for _, p := range order {
		bytes, err := strconv.Atoi(p.bytes)
		if err != nil || bytes == 0 || len(r[p]) < 2 {
			continue
		}
		row := data.Row{Operation: p.operation, Bytes: bytes, Value: tenth(r[p][own]), Unit: "ns", Peers: map[string]float64{}}
		for library, x := range r[p] {
			if library == "pion" {
				library = "pion/dtls" // as in the versions
			}
			if library != own {
				row.Peers[library] = tenth(x)
			}
		}
		f.Rows = append(f.Rows, row)
	}
	return f, nil
}

// tenth rounds nanoseconds.
func tenth(x float64) float64 { return math.Round(x*10) / 10 }

// print prints the points that ours and another library have.
func (r times) print(order []point) {
	var names []string
	for _, t := range r {
		for name := range t {
			if name != own && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	fmt.Printf("| operation | bytes | %s |", own)
	for _, name := range names {
		fmt.Printf(" %s | |", name)
	}
	fmt.Printf("\n|---|--:|--:|%s\n", strings.Repeat("--:|--:|", len(names)))
	for _, p := range order {
		t := r[p]
		if p.bytes == "0" || len(t) < 2 {
			continue
		}
		fmt.Printf("| %s | %s | %.1f |", p.operation, p.bytes, t[own])
		for _, name := range names {
			if x, ok := t[name]; ok {
				fmt.Printf(" %.1f | %.2f |", x, x/t[own])
			} else {
				fmt.Print(" | |")
			}
		}
		fmt.Println()
	}
}
