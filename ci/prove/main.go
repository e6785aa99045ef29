// Prove shows that kernels compute what their declarations say: see internal/prove.
//
//	go run ./ci/prove                             all folders
//	go run ./ci/prove -part sm4/internal/arm64    one of them, or a part of it
//	go run ./ci/prove -list                       prints these parts; -changed FILE,FILE without those that take
//	                                              long and have none of these files, and only as many of the
//	                                              others as take 300 seconds: it says what it leaves out
//	go run ./ci/prove -only blocksSM3             kernels whose name matches a pattern; -v prints cases
//	go run ./ci/prove -case n=1024            cases whose text matches a pattern; they need not visit everything
//	go run ./ci/prove -faults 60 -seed 2          plants 60 faults, which the seed chooses, in all kernels
//	go run ./ci/prove -only '^BlocksSM3NI$' -plant 'PADDD X9, X5 => PSUBL X9, X5'   in this kernel, puts the
//	                                              second text in the place of the first, and wants it to be found
//	go run ./ci/prove -record                     writes what it took, or what became of faults in a part, into
//	                                              internal/prove/measured.txt
//	go run ./ci/prove -docs                       writes docs/proofs.md
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cipherlane/cipherlane/internal/prove"
)

// limit is how many seconds of a CPU -list -changed spends on what takes long.
const limit = 300

func main() {
	list := flag.Bool("list", false, "print the parts")
	changed := flag.String("changed", "", "do not print parts that take long and have none of these `files`, with commas between")
	part := flag.String("part", "", "prove only the kernels in this `part`")
	only := flag.String("only", "", "prove only kernels whose name matches this `pattern`")
	one := flag.String("case", "", "prove only cases that match this `pattern`")
	faults := flag.Int("faults", 0, "plant so many faults instead")
	seed := flag.Int64("seed", 1, "choose faults by this number")
	text := flag.String("plant", "", "replace `OLD => NEW` in the assembly of one kernel, and report what finds it")
	docs := flag.Bool("docs", false, "write docs/proofs.md")
	record := flag.Bool("record", false, "write what proofs of whole kernels took, or what became of faults in a part, into a file, for -docs")
	verbose := flag.Bool("v", false, "print each case")
	flag.Parse()
	if *list {
		due, left := prove.Parts(), []prove.Part(nil)
		flag.Visit(func(f *flag.Flag) {
			if f.Name == "changed" {
				var err error
				if due, left, err = prove.Due(".", strings.Split(*changed, ","), limit); err != nil {
					fatal(err)
				}
			}
		})
		for _, p := range due {
			fmt.Println(p)
		}
		for _, p := range left {
			fmt.Fprintf(os.Stderr, "changed, but too long to prove now: %s (%d s)\n", p, p.Long)
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
	folders := map[string][]*prove.Kernel{}
	for _, p := range prove.Parts() {
		if *part != "" && p.String() != *part {
			continue
		}
		if folders[p.Folder] == nil {
			if folders[p.Folder], err = prove.Load(".", p.Folder); err != nil {
				fatal(err)
			}
		}
		for _, k := range folders[p.Folder] {
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
		found := plant(os.Stdout, kernels, *faults, *seed, *verbose)
		if *record && *part != "" && *only == "" {
			if err := prove.Record(".", func(all *prove.Measured) { all.Faults[fmt.Sprint(*part, " ", *seed)] = found }); err != nil {
				fatal(err)
			}
		}
		if bad := found[prove.Missed]; bad > 0 {
			fatal(fmt.Errorf("%d faults are missed", bad))
		}
		return
	}
	if *text != "" {
		if len(kernels) != 1 {
			fatal(fmt.Errorf("-only names %d kernels, and -plant is for one", len(kernels)))
		}
		if err := plantText(os.Stdout, kernels[0], *text); err != nil {
			fatal(err)
		}
		return
	}
	for _, k := range kernels {
		before := cpu()
		wrong, most := check(os.Stdout, k, regexp.MustCompile(*one), *verbose)
		bad += wrong
		if *record && wrong == 0 && *one == "" {
			took := prove.Measurement{Cases: len(k.Cases()), Seconds: (cpu() - before).Seconds(), MB: most >> 20}
			if err := prove.Record(".", func(all *prove.Measured) { all.Proofs[k.Folder+" "+k.Name] = took }); err != nil {
				fatal(err)
			}
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

// cpu is the time that this process has had: on a busy machine, other time says little.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// check proves the cases of a kernel. It prints a line, and one for each case that is not proven. It returns the number
// of kernels that are not, and the bytes of the largest case.
func check(out io.Writer, k *prove.Kernel, only *regexp.Regexp, verbose bool) (bad int, most int64) {
	seen := prove.NewCoverage(k)
	var total time.Duration
	var steps int
	var problems []string
	for _, c := range k.Cases() {
		if !only.MatchString(c.String()) {
			continue
		}
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
	if len(problems) == 0 && only.String() == "" {
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
	return bad, most
}

// plant plants faults and prints how they were found, by kinds. It returns the numbers for all kinds.
func plant(out io.Writer, kernels []*prove.Kernel, n int, seed int64, verbose bool) map[prove.Verdict]int {
	start := time.Now()
	table := map[string]map[prove.Verdict]int{"all": {}}
	for _, f := range prove.Draw(kernels, n, seed) {
		begin := time.Now()
		v, err := f.Judge()
		if table[f.Fault.Kind] == nil {
			table[f.Fault.Kind] = map[prove.Verdict]int{}
		}
		table[f.Fault.Kind][v]++
		table["all"][v]++
		if verbose || v == prove.Missed || v == prove.Equivalent {
			fmt.Fprintf(out, "%s %s, line %d, %s: %s", f.Kernel.Folder, f.Kernel.Name, f.Fault.Line, f.Fault.Text, v)
			if err != nil {
				fmt.Fprintf(out, ": %v", err)
			}
			fmt.Fprintf(out, " (%.1f s)\n", time.Since(begin).Seconds())
		}
	}
	fmt.Fprintf(out, "%-10s", "kind")
	for _, v := range prove.Verdicts {
		fmt.Fprintf(out, " %14s", v)
	}
	fmt.Fprintln(out)
	for _, kind := range append(slices.Clone(prove.Kinds), "all") {
		fmt.Fprintf(out, "%-10s", kind)
		for _, v := range prove.Verdicts {
			fmt.Fprintf(out, " %14d", table[kind][v])
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%d faults, seed %d, %.1f s\n", n, seed, time.Since(start).Seconds())
	return table["all"]
}

// plantText proves a kernel with a text of its assembly replaced, in a copy of its folder. It returns an error if the kernel
// is proven nevertheless.
func plantText(out io.Writer, k *prove.Kernel, text string) error {
	before, after, ok := strings.Cut(text, " => ")
	if !ok {
		return fmt.Errorf("%q is not OLD => NEW", text)
	}
	root, err := os.MkdirTemp("", "prove")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	if err := os.CopyFS(filepath.Join(root, k.Folder), os.DirFS(k.Folder)); err != nil {
		return err
	}
	file := filepath.Join(root, k.File)
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, code, _ := strings.Cut(string(source), "TEXT ·"+k.Name+"(SB)")
	code, rest, more := strings.Cut(code, "\nTEXT ")
	at := strings.Index(code, before)
	if at < 0 {
		return fmt.Errorf("%s has no %s", k.Name, before)
	}
	changed := head + "TEXT ·" + k.Name + "(SB)" + code[:at] + after + code[at+len(before):]
	fmt.Fprintf(out, "%s:%d: %s => %s\n", k.File, strings.Count(head+code[:at], "\n")+1, before, after)
	if more {
		changed += "\nTEXT " + rest
	}
	if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
		return err
	}
	list, err := prove.Load(root, k.Folder)
	if err != nil {
		return err
	}
	for _, c := range list[slices.IndexFunc(list, func(other *prove.Kernel) bool { return other.Name == k.Name })].Cases() {
		if err := c.Prove(nil, nil).Err; err != nil {
			fmt.Fprintf(out, "found: %s: %v\n", c, err)
			return nil
		}
	}
	return fmt.Errorf("%s is proven nevertheless", k.Name)
}
