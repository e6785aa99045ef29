//go:build linux

// Mutate measures the tests: it makes single changes to the library, one at a time, and
// runs the short tests of the changed package. A change that no test notices survives
// and is printed as a diff. Each survivor needs a test, or an entry in equivalents.txt
// if it changes nothing that a test could observe.
//
//	nice go run ./ci/mutate -n 1000            all packages
//	nice go run ./ci/mutate -n 50 ./sm2 ./sm3/...
//	nice go run ./ci/mutate -n 20 -since upstream ./...
//	nice go run ./ci/mutate -n 20 ./cmd/cipherlane/internal/...
//	go run ./ci/mutate -changed -since upstream    prints the files that changed
//	nice go run ./ci/mutate -only asm -files gfni512 ./sm4/...
//	nice go run ./ci/mutate -goarch arm64 -exec qemu-aarch64 ./internal/chachapoly/...
//
// # Changes
//
// In Go: operators, boundaries and negation of comparisons, conditions that are always or
// never true, numbers, and statements that are left out. In assembly, of any
// architecture: mnemonics with an opposite, immediates and displacements, registers, and
// instructions that are left out. -seed selects them. Equal seeds, packages and sources
// give equal changes. -n is shared among packages, and in each among Go and assembly, in
// proportion to the square root of the number of possible changes.
//
// # What is new
//
// With -since REVISION, changes are made only in functions that changed since the merge base
// of REVISION and HEAD. Uncommitted changes count, and so do files that git does not track,
// unless it ignores them. A variable, a constant, a macro or data of assembly counts as a
// function. A function did not change if only its comments or white space did, or if it moved.
// Generated assembly is compared like any other. Nothing is drawn from tests.
//
// -since upstream means the merge base with the branch's upstream branch, or with origin/main
// or origin/master if HEAD is based on it. Where that is HEAD and nothing changed since, and
// where there is none, it means the parent of HEAD. Without a parent, or without git, nothing
// is drawn. If nothing is drawn, a line says so, and the exit status is 0.
//
// The draw depends only on -n, -seed, the packages, and the texts of the changed functions
// before and after. It is the same before and after the commit, in every clone, and on every
// CPU of an architecture. For this reason a change that no test runs is not replaced by another
// one, but counted as "not run". Packages get the same number of changes, and Go and assembly do.
// A change in a package with slow tests counts for several of -n, by a table (costs in
// since.go): if the time were measured, a busy machine would draw others.
//
// # Tests
//
// A change is made in an overlay of the go command. The source tree is not touched. The
// tests are those of the changed package; for kernels in internal/<goarch>, then those of
// the package that uses them. The command's packages are changed only if a pattern names
// them. The fast tests run first. A change that does not compile is replaced by another one.
// A test that takes too much memory or time is killed and counts as a test that failed. The time
// is that of CPUs, so that a busy machine gives the same verdicts. A test that waits for ever is
// killed after six times as long by the clock.
//
// If a change survives, mutate makes the code around it fail: with an undefined instruction at
// the start of a function in assembly, or of all that use the data, and with a panic at the start
// of a block in Go. If even that is not noticed, no test runs the code. Code for one architecture
// may be for other CPUs: such functions are listed at the end, and other changes are tested
// instead. Other Go code may be for 32 bits: on amd64 its tests run for 386 as well. A change of
// Go for which the compiler makes the same code is equivalent.
//
// The exit status is 1 if more changes survive than -allow permits, of those that
// equivalents.txt does not list, and 2 if mutate could not do its work. With -json FILE,
// results are appended to FILE, one per line, and changes with a result in FILE are not tested
// again, except for survivors. With -again only those are.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"
)

// options are the flags.
type options struct {
	n, parallel         int
	seed                uint64
	onlyLanguage, files string
	goarch, tags        string
	exec                string
	timeout             time.Duration
	memory              int64
	json                string
	onlySurvivors, list bool
	sinceRevision       string
	allow               int
	changed             bool
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 100, "number of changes")
	flag.Uint64Var(&o.seed, "seed", 1, "selects the changes")
	flag.StringVar(&o.onlyLanguage, "only", "", "change only `go` or asm")
	flag.StringVar(&o.files, "files", "", "change only files whose path matches this regular `expression`")
	flag.StringVar(&o.goarch, "goarch", "", "architecture, as in GOARCH")
	flag.StringVar(&o.tags, "tags", "", "build tags")
	flag.StringVar(&o.exec, "exec", "", "`command` that runs a test binary, such as an emulator")
	flag.DurationVar(&o.timeout, "timeout", 0, "CPU time that the tests of a package may take (default 20 seconds and eight times what they take without changes)")
	flag.Int64Var(&o.memory, "memory", 3<<10, "limit for the memory of a test process, in `MiB`")
	flag.IntVar(&o.parallel, "parallel", 2, "number of changes to test at a time")
	flag.StringVar(&o.json, "json", "", "append results to this `file`, and skip those that it already has")
	flag.BoolVar(&o.onlySurvivors, "again", false, "test only the changes that survived, according to the file of -json")
	flag.IntVar(&o.allow, "allow", 0, "exit with status 0 if at most this `many` changes survive")
	flag.StringVar(&o.sinceRevision, "since", "", "change only functions that changed since this `revision` of git, or since upstream")
	flag.BoolVar(&o.changed, "changed", false, "print the files that changed since the revision of -since, and make no changes")
	flag.BoolVar(&o.list, "list", false, "print the changes and do not test them")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if o.changed {
		if err := printChanged(repository{ctx, "."}, o.sinceRevision, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "mutate:", err)
			os.Exit(2)
		}
		return
	}
	survivors, err := run(ctx, ".", o, flag.Args(), os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case survivors > o.allow:
		fmt.Fprintf(os.Stderr, "mutate: %d changes survived, more than %d\n", survivors, o.allow)
		os.Exit(1)
	}
}

// printChanged prints the files that changed since a revision. If there is none to compare with,
// it prints nothing.
func printChanged(r repository, revision string, out io.Writer) error {
	from, err := r.base(revision)
	if errors.As(err, new(errNoBase)) {
		return nil
	}
	if err != nil {
		return err
	}
	files, err := r.files(from.commit)
	for _, name := range sorted(files) {
		fmt.Fprintln(out, name)
	}
	return err
}

// A verdict says what became of a mutant.
type verdict string

const (
	killed     verdict = "killed"
	timedOut   verdict = "timed out" // or too much memory
	equivalent verdict = "equivalent"
	survived   verdict = "survived"
	unbuilt    verdict = "does not compile"
	notRun     verdict = "not run" // no test runs the function
)

// A result is a line of the file of -json.
type result struct {
	mutant
	Verdict verdict
	By      string  `json:",omitempty"` // the test that failed
	Seconds float64 `json:",omitempty"`
}

// run tests mutants of packages and returns the number of survivors.
func run(ctx context.Context, top string, o options, patterns []string, out io.Writer) (int, error) {
	if o.onlyLanguage != "" && o.onlyLanguage != "go" && o.onlyLanguage != "asm" {
		return 0, fmt.Errorf("-only is go or asm, not %s", o.onlyLanguage)
	}
	files, err := regexp.Compile(o.files)
	if err != nil {
		return 0, err
	}
	knownEquivalents, err := readEquivalents(top)
	if err != nil {
		return 0, err
	}
	var from base
	var changed map[string][]unit
	if o.sinceRevision != "" {
		r := repository{ctx, top}
		if from, err = r.base(o.sinceRevision); err == nil {
			changed, err = r.changed(from.commit)
		}
		if none := (errNoBase{}); errors.As(err, &none) {
			fmt.Fprintln(out, "nothing drawn:", none)
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
	}
	packages, err := list(ctx, top, o, patterns)
	if err != nil {
		return 0, err
	}
	strata, err := candidates(top, o, files, packages, changed)
	if err != nil {
		return 0, err
	}
	if o.sinceRevision != "" {
		count := 0
		for _, s := range strata {
			for _, f := range s.sources {
				count += len(f.units)
			}
		}
		if count == 0 {
			fmt.Fprintf(out, "nothing drawn: no function of these packages changed since %s\n", from)
			return 0, nil
		}
		fmt.Fprintf(out, "drawn in %d functions and other declarations that changed since %s\n", count, from)
	}
	results, record, err := open(o.json)
	if err != nil {
		return 0, err
	}
	defer record.Close()
	switch {
	case o.onlySurvivors:
		onlySurvivors(strata, results)
	case o.sinceRevision != "":
		spend(strata, o.n)
	default:
		share(strata, o.n)
	}
	if o.list {
		o.parallel = 1 // in order
	}
	r, err := newRunner(top, o, packages)
	if err != nil {
		return 0, err
	}
	defer r.close()
	t := &session{
		runner: r, out: out, knownEquivalents: knownEquivalents, results: results, record: record,
		table: newTable(), gone: map[string]bool{}, dead: map[string]bool{},
	}
	for _, s := range strata {
		t.total += s.quota
	}
	err = t.all(ctx, order(strata))
	if o.list {
		return 0, err
	}
	t.table.print(out)
	for _, name := range sorted(t.gone) {
		fmt.Fprintf(out, "not run on this CPU, or by no test: %s\n", name)
	}
	for _, e := range knownEquivalents.stale(strata) {
		fmt.Fprintf(out, "equivalents.txt: no such line any more:\n\n%s\n", e)
	}
	return t.table.survivors(), err
}

// A session is the state of a run.
type session struct {
	runner           *runner
	knownEquivalents equivalents
	total            int

	mu      sync.Mutex // for all below, and the strata
	out     io.Writer
	results map[string]result // of earlier runs
	record  *recorder
	table   table
	done    int
	gone    map[string]bool // functions of which no test runs a part
	dead    map[string]bool // functions of assembly that no test runs
}

// all tests a mutant of each stratum in a list. A stratum may be in it several times.
func (t *session) all(ctx context.Context, list []*stratum) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan *stratum)
	var workers sync.WaitGroup
	for range t.runner.o.parallel {
		workers.Add(1)
		go func() {
			defer workers.Done()

			for s := range work {
				if err := t.one(ctx, s); err != nil {
					cancel(err)
				}
			}
		}()
	}
	for _, s := range list {
		if ctx.Err() != nil {
			break
		}
		work <- s
	}
	close(work)
	workers.Wait()
	return context.Cause(ctx)
}

// one tests mutants of a stratum until one has a verdict that counts.
func (t *session) one(ctx context.Context, s *stratum) error {
	for {
		t.mu.Lock()
		m, ok := s.next()
		for ok && t.dead[m.File+" "+m.Func] && !t.knownEquivalents.has(m) && t.runner.o.sinceRevision == "" {
			m, ok = s.next()
		}
		dead := t.dead[m.File+" "+m.Func]
		was, hasResult := t.results[m.key()]
		t.mu.Unlock()
		if !ok {
			return nil
		}
		if hasResult && (was.Verdict == survived || was.Verdict == equivalent) {
			hasResult = false // there may be a new test, or no entry any more
		}
		res := was
		if !hasResult || t.knownEquivalents.has(m) {
			var err error
			if res, err = t.test(ctx, m, dead); err != nil {
				return err
			}
		}
		t.mu.Lock()
		counts := t.count(m, res, was.Verdict)
		t.mu.Unlock()
		if counts {
			return nil
		}
	}
}

// test returns the result for a mutant. dead says that no test runs its function.
func (t *session) test(ctx context.Context, m mutant, dead bool) (result, error) {
	res := result{mutant: m}
	switch {
	case t.knownEquivalents.has(m):
		res.Verdict = equivalent
		return res, nil
	case t.runner.o.list:
		res.Verdict = survived
		return res, nil
	}
	start := time.Now()
	var err error
	if dead {
		res.Verdict = notRun
		var ok bool
		if ok, err = t.runner.builds(ctx, m); !ok {
			res.Verdict = unbuilt
		}
	} else {
		res.Verdict, res.By, err = t.runner.test(ctx, m)
	}
	res.Seconds = float64(time.Since(start).Milliseconds()) / 1000
	return res, err
}

// count records and prints a result, and reports whether it counts. was is the verdict
// of an earlier run.
func (t *session) count(m mutant, res result, was verdict) bool {
	if res.Verdict != was && !t.runner.o.list {
		t.record.Encode(res)
	}
	switch res.Verdict {
	case unbuilt:
		return false
	case notRun:
		t.gone[m.File+" "+m.Func] = true
		t.dead[m.File+" "+m.Func] = strings.HasSuffix(m.File, ".s")
		if t.runner.o.sinceRevision == "" {
			return false
		}
	}
	t.done++
	t.table.count(m.Package, res.Verdict)
	fmt.Fprintf(t.out, "%d/%d %-10s %5.1f s  %s:%d %s %s\n", t.done, t.total, res.Verdict, res.Seconds, m.File, m.Line, m.Kind, res.By)
	if res.Verdict == survived {
		fmt.Fprintf(t.out, "\n%s\n", m.diff())
	}
	return true
}

// A recorder is the file of -json, or nil.
type recorder struct {
	*json.Encoder
	io.Closer
}

func (r *recorder) Encode(v any) {
	if r.Encoder != nil {
		r.Encoder.Encode(v)
	}
}

// open returns the results that a file has, and the file for more of them.
func open(name string) (map[string]result, *recorder, error) {
	results := map[string]result{}
	if name == "" {
		return results, &recorder{nil, io.NopCloser(nil)}, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, err
	}
	for d := json.NewDecoder(f); ; {
		var r result
		switch err := d.Decode(&r); {
		case errors.Is(err, io.EOF):
			return results, &recorder{json.NewEncoder(f), f}, nil
		case err != nil:
			f.Close()
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		results[r.key()] = r
	}
}

// A table counts verdicts by package.
type table map[string]map[verdict]int

func newTable() table { return table{"total": {}} }

func (t table) count(pkg string, v verdict) {
	if t[pkg] == nil {
		t[pkg] = map[verdict]int{}
	}
	for _, name := range []string{pkg, "total"} {
		t[name][v]++
		t[name][""]++
	}
}

func (t table) survivors() int { return t["total"][survived] }

func (t table) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\ndrawn\tkilled\ttimed out\tequivalent\tsurvived\tnot run\t  package")
	names := sorted(t)
	names = append(slices.DeleteFunc(names, func(s string) bool { return s == "total" }), "total")
	for _, name := range names {
		c := t[name]
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t  %s\n", c[""], c[killed], c[timedOut], c[equivalent], c[survived], c[notRun], strings.TrimSuffix(name, "/"))
	}
	w.Flush()
}
