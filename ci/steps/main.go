//go:build linux

// Steps runs what must pass before a change is merged, and everything else that can be
// checked. People call it as ci/run.
//
//	ci/run                 what a change must pass; up to about an hour on two cores
//	ci/run quick           while you work
//	ci/run all             everything, fresh, which takes hours: before a release, and before
//	                       work on kernels is done; appends a line for each step to ci/results.txt
//	ci/run vet test        these steps only, as a change must pass them
//	ci/run -all machines   these steps only, as in all: what takes hours can be run step by step
//	ci/run -results        when each step last passed in all
//	ci/run -times FILE     the same, with a line of JSON for each command: seconds of CPU, now or
//	                       when what is remembered ran
//	ci/run -list           the steps, in which tier they are, and what each of them finds
//
// Steps are in a table (table.go). Each is made of tasks, which run side by side, as many
// as there are CPUs. Tests that passed before with the same inputs are not run again: see
// ci/once. With CI_FRESH=1 they are, and with CI_ONCE=off without being remembered.
//
// MACHINES='broadwell s390x' limits the step machines to these lines of machines.txt, and
// FUZZ_SECONDS sets the time of the step fuzz. A minimal Debian 12 with Go is enough: the
// step install installs what other steps need.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
)

// A tier says when a step runs. Each tier includes those before it.
type tier int

const (
	quick  tier = iota // while one works
	change             // before a change is merged
	all                // before a release
)

func (t tier) String() string { return [...]string{"quick", "change", "all"}[t] }

func main() {
	list := flag.Bool("list", false, "print the steps")
	whole := flag.Bool("all", false, "run the steps as in all")
	results := flag.Bool("results", false, "print when each step last passed in the tier all")
	times := flag.String("times", "", "write the seconds of each command to a `file`")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: ci/run [-times FILE] [quick | all | -list | -results | [-all] STEP...]")
	}
	flag.Parse()
	if *list {
		printTable(os.Stdout)
		return
	}
	if *results {
		text, err := os.ReadFile(resultsPath)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(os.Stderr, "ci/run:", err)
			os.Exit(1)
		}
		printResults(os.Stdout, string(text))
		return
	}
	t, names, err := parse(flag.Args(), *whole)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ci/run:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := newRunner(t)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ci/run:", err)
		os.Exit(2)
	}
	if *times != "" {
		f, err := os.Create(*times)
		if err != nil {
			fmt.Fprintln(os.Stderr, "ci/run:", err)
			os.Exit(2)
		}
		defer f.Close()
		r.times = json.NewEncoder(f)
	}
	ok := r.run(ctx, names)
	r.close()
	if !ok {
		os.Exit(1)
	}
}

// parse returns the tier and the names of the steps to run.
func parse(args []string, whole bool) (tier, []string, error) {
	t := change
	if whole {
		t = all
	}
	if len(args) == 1 {
		switch args[0] {
		case "quick":
			return quick, steps(quick), nil
		case "all":
			return all, steps(all), nil
		}
	}
	if len(args) == 0 {
		return t, steps(t), nil
	}
	stepNames := steps(all)
	for _, name := range args {
		if !slices.Contains(stepNames, name) {
			return 0, nil, fmt.Errorf("there is no step %s; there are: %s", name, strings.Join(stepNames, " "))
		}
		if t != all && !slices.Contains(steps(t), name) {
			t = all // a step that is only there
		}
	}
	return t, args, nil
}

// steps returns the names of the steps of a tier.
func steps(t tier) (names []string) {
	for _, s := range table {
		if s.tier <= t {
			names = append(names, s.name)
		}
	}
	return names
}

func printTable(out *os.File) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "step\ttier\tfinds")
	for _, s := range table {
		fmt.Fprintf(w, "%s\t%v\t%s\n", s.name, s.tier, s.finds)
	}
	w.Flush()
}

// top returns the folder of the repository: ci/run starts this program there.
func top() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "ci", "machines.txt")); err != nil {
		return "", fmt.Errorf("run it at the top of the repository: %w", err)
	}
	return dir, nil
}
