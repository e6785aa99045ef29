// Prove shows that kernels compute what their declarations say: see internal/prove.
//
//	go run ./ci/prove                             all folders
//	go run ./ci/prove -part sm4/internal/arm64    one of them, or a part of it
//	go run ./ci/prove -list                       prints these parts; -changed FILE,FILE without those that take
//	                                              long and have none of these files
//	go run ./ci/prove -only blocksSM3             kernels whose name matches a pattern; -v prints cases
//	go run ./ci/prove -faults 60 -seed 2          plants 60 faults, which the seed chooses, in all kernels
//	go run ./ci/prove -docs                       writes docs/proofs.md
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/cipherlane/cipherlane/internal/prove"
)

func main() {
	list := flag.Bool("list", false, "print the parts")
	changed := flag.String("changed", "", "do not print parts that take long and have none of these `files`, with commas between")
	part := flag.String("part", "", "prove only the kernels in this `part`")
	only := flag.String("only", "", "prove only kernels whose name matches this `pattern`")
	faults := flag.Int("faults", 0, "plant so many faults instead")
	seed := flag.Int64("seed", 1, "choose faults by this number")
	docs := flag.Bool("docs", false, "write docs/proofs.md")
	verbose := flag.Bool("v", false, "print each case")
	flag.Parse()
	if *list {
		all := true
		flag.Visit(func(f *flag.Flag) { all = all && f.Name != "changed" })
		for _, p := range prove.Parts() {
			if all || p.Due(strings.Split(*changed, ",")) {
				fmt.Println(p)
			}
		}
		return
	}
	if *docs {
		text, err := prove.Document(".")
		if err == nil {
			err = os.WriteFile("docs/proofs.md", []byte(text), 0o666)
		}
		if err != nil {
			fatal(err)
		}
		return
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		fatal(err)
	}
	var kernels []*prove.Kernel
	for _, p := range prove.Parts() {
		if *part != "" && p.String() != *part {
			continue
		}
		found, err := prove.Load(".", p.Folder)
		if err != nil {
			fatal(err)
		}
		for _, k := range found {
			if p.Has(k.Name) {
				kernels = append(kernels, k)
			}
		}
	}
	if len(kernels) == 0 {
		fatal(fmt.Errorf("there is no part %s", *part))
	}
	// Forms of a case are garbage when the next one begins.
	debug.SetMemoryLimit(1500 << 20)
	bad, start := 0, time.Now()
	kernels = slices.DeleteFunc(kernels, func(k *prove.Kernel) bool { return len(k.Cases()) == 0 || !pattern.MatchString(k.Name) })
	if *faults > 0 {
		if bad := plant(os.Stdout, kernels, *faults, *seed, *verbose); bad > 0 {
			fatal(fmt.Errorf("%d faults are missed", bad))
		}
		return
	}
	for _, k := range kernels {
		bad += check(os.Stdout, k, *verbose)
	}
	fmt.Printf("%.1f s\n", time.Since(start).Seconds())
	if bad > 0 {
		fatal(fmt.Errorf("%d kernels are not proven", bad))
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "prove:", err)
	os.Exit(1)
}

// check proves the cases of a kernel. It prints a line, and one for each case that is not proven.
func check(out io.Writer, k *prove.Kernel, verbose bool) (bad int) {
	seen := prove.NewCoverage(k)
	var total time.Duration
	var most int64
	var steps int
	var problems []string
	for _, c := range k.Cases() {
		before := seen.Count()
		r := c.Prove(nil, seen)
		total, most, steps = total+r.Time, max(most, r.Bytes), steps+r.Steps
		if r.Err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", c, r.Err))
		}
		if verbose {
			verdict := "proven"
			if r.Err != nil {
				verdict = "NOT proven: " + r.Err.Error()
			}
			fmt.Fprintf(out, "\t%-70s %6d steps (%d new) %8d atoms %9d forms %5d MB %7.2f s  %s\n", c, r.Steps, seen.Count()-before, r.Atoms, r.Forms, r.Bytes>>20, r.Time.Seconds(), verdict)
		}
	}
	if len(problems) == 0 {
		problems = seen.Problems()
	}
	verdict := "proven"
	if len(problems) > 0 {
		bad, verdict = 1, "NOT proven"
	}
	fmt.Fprintf(out, "%-24s %-24s %5d instructions, %4d cases, %8d steps, %4d MB, %6.1f s: %s\n", k.Folder, k.Name, k.Instructions, len(k.Cases()), steps, most>>20, total.Seconds(), verdict)
	for _, p := range problems {
		fmt.Fprintln(out, "\t"+p)
	}
	return bad
}

// plant plants faults and prints how they were found, by kinds. Bad are those that were not found though the
// kernel has another result with them.
func plant(out io.Writer, kernels []*prove.Kernel, n int, seed int64, verbose bool) (bad int) {
	start := time.Now()
	verdicts := []prove.Verdict{prove.Counterexample, prove.NotProven, prove.Stopped, prove.Large, prove.Equivalent, prove.Missed}
	table := map[string]map[prove.Verdict]int{"all": {}}
	for _, f := range prove.Draw(kernels, n, seed) {
		begin := time.Now()
		v, err := f.Judge()
		if table[f.Fault.Kind] == nil {
			table[f.Fault.Kind] = map[prove.Verdict]int{}
		}
		table[f.Fault.Kind][v]++
		table["all"][v]++
		if v == prove.Missed {
			bad++
		}
		if verbose || v == prove.Missed || v == prove.Equivalent {
			fmt.Fprintf(out, "%s %s, line %d, %s: %s", f.Kernel.Folder, f.Kernel.Name, f.Fault.Line, f.Fault.Text, v)
			if err != nil {
				fmt.Fprintf(out, ": %v", err)
			}
			fmt.Fprintf(out, " (%.1f s)\n", time.Since(begin).Seconds())
		}
	}
	fmt.Fprintf(out, "%-10s", "kind")
	for _, v := range verdicts {
		fmt.Fprintf(out, " %14s", v)
	}
	fmt.Fprintln(out)
	for _, kind := range append(slices.Clone(prove.Kinds), "all") {
		fmt.Fprintf(out, "%-10s", kind)
		for _, v := range verdicts {
			fmt.Fprintf(out, " %14d", table[kind][v])
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%d faults, seed %d, %.1f s\n", n, seed, time.Since(start).Seconds())
	return bad
}
