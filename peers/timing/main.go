// Command timing looks for operations whose time depends on secrets, on the CPU that it
// runs on. It times every operation of cipherlane with every driver for two classes of
// inputs, in random order: a fixed key and text, and random ones; tags that are wrong in
// the last bit, and in all bytes; valid and invalid ciphertexts of a KEM. If Welch's
// t-test can tell the classes apart, the time depends on the input.
//
// The method is that of O. Reparaz, J. Balasch and I. Verbauwhede, "Dude, is my code
// constant time?", DATE 2017 (https://eprint.iacr.org/2016/1123): the test is made with all
// times and with those below several percentiles, and the largest |t| counts. Finding
// nothing proves nothing: it bounds the leak on this CPU by what the noise hides.
//
// Run it pinned to one core. An operation above the threshold is measured a second time. If
// it is above again, it is reported as a leak, and the exit status is 1.
//
//	taskset -c 1 go run ./peers/timing
//	taskset -c 1 go run ./peers/timing -driver avx2 -run 'gcm.*open'
//	taskset -c 1 go run ./peers/timing -seconds 10 -run frodokem
//	taskset -c 1 go run ./peers/timing -plant
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

func main() {
	leaks, err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "timing:", err)
		os.Exit(2)
	case leaks:
		os.Exit(1)
	}
}

// A line is the JSON for a probe.
type line struct {
	Package   string `json:"package"`
	Algorithm string `json:"algorithm"`
	Driver    string `json:"driver"`
	Operation string `json:"operation"`
	Bytes     int    `json:"bytes,omitempty"`
	Classes   string `json:"classes"`
	verdict
}

func run(args []string, out, errs io.Writer) (leaks bool, err error) {
	flags := flag.NewFlagSet("timing", flag.ContinueOnError)
	flags.SetOutput(errs)
	var (
		runPattern = flags.String("run", "", "only the lines that match this regular expression, such as '^gcm.*open'")
		driver     = flags.String("driver", "", "only the drivers that match this regular expression")
		seconds    = flags.Float64("seconds", 1, "how long to measure each operation; slow ones take longer")
		threshold  = flags.Float64("threshold", 5, "the largest |t| that is no leak")
		seed       = flags.Uint64("seed", 1, "the seed of the classes and inputs")
		asJSON     = flags.Bool("json", false, "print a JSON object for each operation")
		asTable    = flags.Bool("markdown", false, "print tables as in docs/timing.md at the end")
		plant      = flags.Bool("plant", false, "measure planted leaks and an operation without one, and check that only the leaks are found")
	)
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	if flags.NArg() > 0 {
		return false, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	length := time.Duration(*seconds * float64(time.Second))
	if os.Getenv("CIPHERLANE_SECONDS") != "" { // ci/texts runs the commands of the documentation
		length = min(length, time.Millisecond)
	}
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	b := newBench(*seed)
	if *plant {
		return false, b.checkPlanted(out, length, *threshold)
	}
	list, err := chosen(*runPattern, *driver)
	if err != nil {
		return false, err
	}
	var lines []line
	for i, p := range list {
		fmt.Fprintf(errs, "\r%d of %d, %v left ", i+1, len(list), (time.Duration(len(list)-i) * length).Round(time.Second))
		v := b.judge(p, length, *threshold)
		fmt.Fprint(errs, "\r\x1b[K")
		leaks = leaks || v.Leak
		lines = append(lines, line{p.pkg, p.algorithm, p.driver, p.operation, p.bytes, p.classes, v})
		if !*asJSON {
			fmt.Fprintln(out, p.name()+": "+v.String())
		} else if err := json.NewEncoder(out).Encode(lines[i]); err != nil {
			return leaks, err
		}
	}
	if *asTable {
		tables(out, lines)
	}
	return leaks, nil
}

// chosen returns the probes that match.
func chosen(pattern, driver string) ([]*probe, error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	matchDriver, err := regexp.Compile("^(?:" + driver + ")$")
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(probes(), func(p *probe) bool {
		return !match.MatchString(p.name()) || driver != "" && !matchDriver.MatchString(p.driver)
	})
	if len(list) == 0 {
		return nil, errors.New("nothing matches")
	}
	return list, nil
}

func (v verdict) String() string {
	r := v.last()
	text := fmt.Sprintf("|t| %.1f, %d samples", math.Abs(r.T), r.Samples)
	switch {
	case v.Leak:
		text += fmt.Sprintf(": LEAK, %+.2f ns in the shortest %g %% of the times (first |t| %.1f)", r.Difference, r.Percent, math.Abs(v.First.T))
	case v.Repeat != nil:
		text += fmt.Sprintf(": ok when repeated (first |t| %.1f)", math.Abs(v.First.T))
	default:
		text += ": ok"
	}
	return text
}

// checkPlanted measures what planted returns.
func (b *bench) checkPlanted(out io.Writer, length time.Duration, threshold float64) error {
	leaking, sound := planted()
	wrong := 0
	for i, p := range slices.Concat(leaking, sound) {
		v := b.judge(p, length, threshold)
		fmt.Fprintln(out, p.name()+": "+v.String())
		if v.Leak != (i < len(leaking)) {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d planted operations have the wrong verdict", wrong)
	}
	return nil
}

// tables prints a table of |t| for each package: the largest of all lengths and classes.
func tables(out io.Writer, lines []line) {
	var packages []string
	for _, l := range lines {
		if !slices.Contains(packages, l.Package) {
			packages = append(packages, l.Package)
		}
	}
	for _, pkg := range packages {
		var operations, drivers []string
		cells := map[[2]string]*cell{}
		for _, l := range lines {
			if l.Package != pkg {
				continue
			}
			operation := l.Algorithm + " " + l.Operation
			if !slices.Contains(operations, operation) {
				operations = append(operations, operation)
			}
			if !slices.Contains(drivers, l.Driver) {
				drivers = append(drivers, l.Driver)
			}
			at := [2]string{operation, l.Driver}
			if cells[at] == nil {
				cells[at] = &cell{fewest: math.MaxInt}
			}
			cells[at].add(l.verdict)
		}
		fmt.Fprintf(out, "\n### %s\n\n| operation | %s |\n|---|%s\n", pkg, strings.Join(drivers, " | "), strings.Repeat("---|", len(drivers)))
		for _, operation := range operations {
			fmt.Fprintf(out, "| %s |", operation)
			for _, d := range drivers {
				fmt.Fprintf(out, " %s |", cells[[2]string{operation, d}])
			}
			fmt.Fprintln(out)
		}
	}
}

// A cell is what a table shows for an operation and a driver.
type cell struct {
	t      float64
	fewest int
	leak   bool
}

func (c *cell) add(v verdict) {
	c.t = max(c.t, math.Abs(v.last().T))
	c.fewest = min(c.fewest, v.last().Samples)
	c.leak = c.leak || v.Leak
}

func (c *cell) String() string {
	if c == nil {
		return "-"
	}
	mark := ""
	if c.leak {
		mark = " LEAK"
	}
	return fmt.Sprintf("%.1f%s (%d)", c.t, mark, c.fewest)
}
