// Prove shows that kernels compute what their declarations say: see internal/prove.
//
//	go run ./ci/prove                             all folders
//	go run ./ci/prove -part sm4/internal/arm64    one of them, or a part of it
//	go run ./ci/prove -list                       prints these parts; -short only those that are quick
//	go run ./ci/prove -only blocksSM3             kernels whose name matches a pattern; -v prints cases
//	go run ./ci/prove -only CE -mutate 20         plants 20 faults in each kernel
//	go run ./ci/prove -docs                       writes docs/proofs.md
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/cipherlane/cipherlane/internal/prove"
)

func main() {
	list := flag.Bool("list", false, "print the parts")
	short := flag.Bool("short", false, "print only the parts that are quick")
	part := flag.String("part", "", "prove only the kernels in this `part`")
	only := flag.String("only", "", "prove only kernels whose name matches this `pattern`")
	mutate := flag.Int("mutate", 0, "plant so many faults in each kernel")
	docs := flag.Bool("docs", false, "write docs/proofs.md")
	verbose := flag.Bool("v", false, "print each case")
	flag.Parse()
	if *list {
		for _, p := range prove.Parts() {
			if !*short || !p.Long {
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
	harmless, err := prove.Harmless(".")
	if err != nil {
		fatal(err)
	}
	// Forms of a case are garbage when the next one begins.
	debug.SetMemoryLimit(1500 << 20)
	bad, start := 0, time.Now()
	for _, k := range kernels {
		if len(k.Cases()) == 0 || !pattern.MatchString(k.Name) {
			continue
		}
		if *mutate > 0 {
			bad += plant(os.Stdout, k, *mutate, harmless)
		} else {
			bad += check(os.Stdout, k, *verbose)
		}
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

// plant prints how the faults of a kernel were found, and those that were not, which are bad unless they are
// known to change nothing.
func plant(out io.Writer, k *prove.Kernel, n int, harmless map[string]bool) (bad int) {
	start := time.Now()
	wrong, unproven, stopped, none := 0, 0, 0, 0
	var accepted []string
	faults := prove.Faults(k, n)
	for _, f := range faults {
		r, ok := prove.Plant(k, f)
		switch {
		case ok && harmless[k.Name+": "+f.Text]:
			none++
		case ok:
			accepted = append(accepted, fmt.Sprintf("line %d, %s", f.Line, f.Text))
		case strings.Contains(r.Err.Error(), "WRONG"):
			wrong++
		case strings.Contains(r.Err.Error(), "not proven"):
			unproven++
		default:
			stopped++
		}
	}
	fmt.Fprintf(out, "%-24s %-24s %d faults: %d with counterexamples, %d not proven, %d stopped, %d known to be harmless, %d accepted, %.1f s\n", k.Folder, k.Name, len(faults), wrong, unproven, stopped, none, len(accepted), time.Since(start).Seconds())
	for _, a := range accepted {
		fmt.Fprintln(out, "\t"+a)
		bad = 1
	}
	return bad
}
