//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A step is a line of the table.
type step struct {
	name  string
	tier  tier
	finds string   // what would get past the other steps
	needs []string // Debian packages, as PROGRAM:PACKAGE or PROGRAM alone if that is its name
	after []string // steps that must have ended
	tasks func(r *runner) ([]task, error)
}

// A task is a command of a step. Tasks run side by side.
type task struct {
	name      string
	args      []string // the command
	env       []string // more variables
	onceFlags []string // flags for ci/once; nil: the command is not remembered, or does that itself
	after     string   // a task of the same step that must have ended
	do        func(ctx context.Context, out *bytes.Buffer) error
}

// remember are the flags of ci/once of an ordinary tool.
var remember = []string{}

// state is a step that is to be run.
type state struct {
	step
	tasks           []*taskState
	ended           int
	stopped         bool         // ci/run was interrupted before all tasks had ended
	failed          []string     // names of tasks
	output          bytes.Buffer // before that of the tasks
	seconds         float64      // of all its tasks
	cpu             time.Duration
	ran, remembered int
	saved           float64 // seconds that what is remembered took
	printed         bool
}

type taskState struct {
	task
	step                 *state
	begun, done          bool
	err                  error
	output               bytes.Buffer
	seconds              float64
	cpu                  time.Duration
	executed, remembered int
	saved                float64
	took                 []took // each command of ci/once
}

// took is a line of -times.
type took struct {
	Step, Task, Folder string
	CPU                float64 // seconds: of the run that is remembered, too
	Remembered         string  `json:",omitempty"` // a date
	Changed, Never     string  `json:",omitempty"` // why it ran again; why it will
}

// A runner runs steps.
type runner struct {
	tier     tier
	top      string
	work     string // a folder for temporary files
	cache    string
	checks   string // results of some steps for the step checks
	oncePath string // ci/once, built
	start    time.Time
	out      io.Writer
	times    *json.Encoder // for took; nil without -times
}

func newRunner(t tier) (*runner, error) {
	dir, err := top()
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "ci")
	if err != nil {
		return nil, err
	}
	r := &runner{tier: t, top: dir, work: work, cache: filepath.Join(cache, "cipherlane-ci"), checks: filepath.Join(work, "checks"), start: time.Now(), out: os.Stdout}
	if err := r.environment(); err != nil {
		return nil, err
	}
	r.oncePath = filepath.Join(work, "once")
	for _, dir := range []string{"secrets.d", "compiled.d"} {
		if err := os.MkdirAll(filepath.Join(r.checks, dir), 0o777); err != nil {
			return nil, err
		}
	}
	if output, err := exec.Command("go", "build", "-o", r.oncePath, "./ci/once").CombinedOutput(); err != nil {
		r.close()
		return nil, fmt.Errorf("ci/once: %w\n%s", err, output)
	}
	return r, nil
}

// keptVariables matches the variables that tasks get. Others would make results depend on the
// caller.
var keptVariables = regexp.MustCompile(`^(HOME|USER|LOGNAME|TERM|TMPDIR|XDG_\w+|GO\w*|CC|CI|CI_FRESH|CI_ONCE|DEBIAN_FRONTEND|\w*(CERT|CA)_\w+|\w+_CAINFO|\w+_(proxy|PROXY)|PIP_\w+|GMSSL|BOUNCYCASTLE|MACHINES|FUZZ_SECONDS)$`)

// environment sets the variables of all tasks.
func (r *runner) environment() error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	list := os.Environ()
	os.Clearenv()
	for _, v := range list {
		if name, value, _ := strings.Cut(v, "="); keptVariables.MatchString(name) {
			os.Setenv(name, value)
		}
	}
	// Trimmed paths, so that what is built does not depend on where the repository is. Test
	// binaries are then the same in another checkout, and so are their results.
	os.Setenv("GOFLAGS", "-trimpath -buildvcs=false")
	os.Setenv("GOTOOLCHAIN", "local")
	os.Setenv("LC_ALL", "C.UTF-8")
	os.Setenv("CHECKS", r.checks)
	os.Setenv("PATH", strings.Join([]string{
		filepath.Join(r.cache, "qemu", "usr", "bin"), filepath.Join(strings.TrimSpace(string(root)), "bin"),
		"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
	}, ":"))
	if r.tier == all {
		os.Setenv("CI_ONCE", "off")
	}
	return nil
}

func (r *runner) close() { os.RemoveAll(r.work) }

// run runs steps and reports whether all passed.
func (r *runner) run(ctx context.Context, names []string) bool {
	var states []*state
	for _, s := range table {
		if slices.Contains(names, s.name) {
			states = append(states, &state{step: s})
		}
	}
	r.install(ctx, states)
	for _, s := range states {
		if s.step.tasks == nil {
			continue
		}
		tasks, err := s.step.tasks(r)
		if err != nil {
			s.failed = append(s.failed, "its tasks")
			fmt.Fprintln(&s.output, err)
		}
		for _, t := range tasks {
			s.tasks = append(s.tasks, &taskState{task: t, step: s})
		}
	}
	r.schedule(ctx, states)
	return r.summary(states)
}

// schedule runs all tasks, as many at a time as there are CPUs, and prints what steps say
// when they have ended, in the order of the table.
func (r *runner) schedule(ctx context.Context, states []*state) {
	free := runtime.NumCPU()
	ended := make(chan *taskState)
	running := 0
	for {
		for t := next(states); t != nil && free > 0 && ctx.Err() == nil; t = next(states) {
			t.begun = true
			free--
			running++
			go func() {
				r.perform(ctx, t)
				ended <- t
			}()
		}
		r.print(states)
		if running == 0 {
			break
		}
		t := <-ended
		running--
		free++
		r.finish(ctx, t)
	}
	for _, s := range states {
		s.stopped = s.stopped || s.ended < len(s.tasks)
	}
	r.print(states)
}

// next returns a task that can begin: the first in the order of the table.
func next(states []*state) *taskState {
	for _, s := range states {
		if slices.ContainsFunc(s.after, func(name string) bool {
			return slices.ContainsFunc(states, func(o *state) bool { return o.name == name && !o.finished() })
		}) {
			continue
		}
		for _, t := range s.tasks {
			if t.begun || t.after != "" && slices.ContainsFunc(s.tasks, func(o *taskState) bool { return o.name == t.after && !o.done }) {
				continue
			}
			return t
		}
	}
	return nil
}

func (s *state) finished() bool { return s.ended == len(s.tasks) }

// print prints the steps that have ended, in the order of the table.
func (r *runner) print(states []*state) {
	for _, s := range states {
		if !s.finished() {
			return
		}
		if !s.printed {
			s.printed = true
			fmt.Fprintf(r.out, "\n== %s\n%s", s.name, s.output.Bytes())
			for _, t := range s.tasks {
				r.out.Write(t.output.Bytes())
			}
			fmt.Fprintf(r.out, "== %s: %s\n", s.name, s.result())
		}
	}
}

func (s *state) result() string {
	switch {
	case len(s.failed) > 0:
		return "FAILED: " + strings.Join(s.failed, ", ")
	case s.stopped && s.ended == 0:
		return "not run"
	case s.stopped:
		return "interrupted"
	}
	return "passed"
}

// finish adds a task to its step.
func (r *runner) finish(ctx context.Context, t *taskState) {
	t.done = true
	s := t.step
	s.ended++
	s.seconds += t.seconds
	s.cpu += t.cpu
	s.ran += t.executed
	s.remembered += t.remembered
	s.saved += t.saved
	if r.times != nil {
		if t.took == nil {
			t.took = []took{{Step: s.name, Task: t.name, CPU: t.cpu.Seconds()}}
		}
		for _, line := range t.took {
			r.times.Encode(line)
		}
	}
	switch {
	case t.err != nil && ctx.Err() != nil: // killed, perhaps
		s.stopped = true
	case t.err != nil:
		s.failed = append(s.failed, t.name)
		fmt.Fprintf(&t.output, "failed: %s %s: %v\n", s.name, t.name, t.err)
		// At once, too: the step may end much later.
		text := t.output.Bytes()
		fmt.Fprintf(r.out, "%s", text[max(0, len(text)-4000):])
	}
}

// perform runs a task.
func (r *runner) perform(ctx context.Context, t *taskState) {
	start := time.Now()
	if t.do != nil {
		t.executed++
		t.err = t.do(ctx, &t.output)
		t.seconds = time.Since(start).Seconds()
		return
	}
	args := t.args
	if t.onceFlags != nil {
		args = slices.Concat([]string{r.oncePath}, t.onceFlags, args)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	report, err := os.CreateTemp(r.work, "report")
	if err != nil {
		t.err = err
		return
	}
	report.Close()
	cmd.Dir = r.top
	cmd.Env = slices.Concat(os.Environ(), t.env, []string{"ONCE_REPORT=" + report.Name()})
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	t.err = cmd.Run()
	t.seconds = time.Since(start).Seconds()
	if p := cmd.ProcessState; p != nil {
		t.cpu = p.UserTime() + p.SystemTime()
	}
	text, err := os.ReadFile(report.Name())
	if err != nil {
		t.err = errors.Join(t.err, err)
	}
	dates, unremembered := t.count(text)
	t.print(output.Bytes(), dates)
	if t.err == nil {
		for _, line := range unremembered {
			fmt.Fprintf(&t.output, "not remembered: %s\n", line)
		}
	}
}

// count counts what ran and what was remembered, according to the report of ci/once. It
// returns the dates of what was, by folder, and for what cannot be the reasons.
func (t *taskState) count(text []byte) (dates map[string]string, unremembered []string) {
	dates = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var r struct {
			Folder, Remembered, Changed, Never string
			CPU                                float64
		}
		if d.Decode(&r) != nil {
			break
		}
		t.took = append(t.took, took{Step: t.step.name, Task: t.name, Folder: r.Folder, CPU: r.CPU, Remembered: r.Remembered, Changed: r.Changed, Never: r.Never})
		if r.Never != "" {
			unremembered = append(unremembered, r.Folder+": "+r.Never)
		}
		if r.Remembered != "" {
			t.remembered++
			t.saved += r.CPU
			dates[strings.TrimPrefix(r.Folder, "./")] = r.Remembered
		} else {
			t.executed++
		}
	}
	if t.executed+t.remembered == 0 {
		t.executed++
	}
	slices.Sort(unremembered)
	return dates, unremembered
}

var passedPackage = regexp.MustCompile(`^ok  \t(\S+)\t`)

const module = "github.com/cipherlane/cipherlane"

// print keeps what a task printed. Where go test says that a package passed, it says if
// that was remembered; packages without tests are left out.
func (t *taskState) print(text []byte, dates map[string]string) {
	if len(t.step.tasks) > 1 {
		fmt.Fprintf(&t.output, "-- %s: %.0f s\n", t.name, t.seconds)
	}
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("[no test files]")) {
			continue
		}
		if m := passedPackage.FindSubmatch(line); m != nil {
			folder := strings.TrimPrefix(strings.TrimPrefix(string(m[1]), module), "/")
			if date := dates[folder]; date != "" {
				line = fmt.Appendf(nil, "%s (remembered, %s)\n", bytes.TrimRight(line, "\n"), date)
			}
		}
		t.output.Write(line)
	}
	if n := t.output.Len(); n > 0 && t.output.Bytes()[n-1] != '\n' {
		t.output.WriteByte('\n')
	}
}

// summary prints the table of times and the closing line.
func (r *runner) summary(states []*state) bool {
	passed := 0
	var failures, stopped []string
	fmt.Fprintf(r.out, "\n%-12s %6s %6s %6s %10s %6s\n%-12s %6s %6s %6s %10s %6s\n", "step", "time", "CPU", "tasks", "tasks", "saved", "", "s", "s", "ran", "remembered", "CPU s")
	for _, s := range states {
		switch {
		case len(s.failed) > 0:
			failures = append(failures, s.name)
		case s.stopped:
			stopped = append(stopped, s.name)
		default:
			passed++
		}
		result, _, _ := strings.Cut(s.result(), ":")
		fmt.Fprintf(r.out, "%-12s %6.0f %6.0f %6d %10d %6.0f   %s\n", s.name, s.seconds, s.cpu.Seconds(), s.ran, s.remembered, s.saved, result)
	}
	total := time.Since(r.start).Round(time.Second)
	fmt.Fprintf(r.out, "%-12s %6.0f   (by the clock; steps run side by side)\n\n", "all", total.Seconds())
	if r.tier == all && os.Getenv("MACHINES")+os.Getenv("FUZZ_SECONDS") == "" {
		if err := r.record(states); err != nil {
			fmt.Fprintln(r.out, "ci/results.txt:", err)
		}
	}
	if len(failures) > 0 {
		fmt.Fprintln(r.out, "failed:", strings.Join(failures, " "))
	}
	if len(stopped) > 0 {
		fmt.Fprintf(r.out, "interrupted; not all was run of: %s\n", strings.Join(stopped, " "))
	}
	fmt.Fprintf(r.out, "ci: %d passed, %d failed", passed, len(failures))
	if len(stopped) > 0 {
		fmt.Fprintf(r.out, ", %d not run", len(stopped))
	}
	fmt.Fprintln(r.out)
	return len(failures)+len(stopped) == 0
}

// resultsPath is where results of the tier all are kept, a line for each step.
var resultsPath = filepath.Join("ci", "results.txt")

// record appends a line for each step that ended to the file of results.
func (r *runner) record(states []*state) error {
	commit, err := exec.Command("git", "-C", r.top, "describe", "--always", "--dirty", "--abbrev=12").Output()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(r.top, resultsPath), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	for _, s := range states {
		if s.stopped && len(s.failed) == 0 {
			continue
		}
		_, e := fmt.Fprintf(f, "%s | %s | %s | %s | %.0f s of CPU | %s\n", time.Now().UTC().Format("2006-01-02"),
			strings.TrimSpace(string(commit)), model(), s.name, s.cpu.Seconds(), s.result())
		err = errors.Join(err, e)
	}
	return errors.Join(err, f.Close())
}

// printResults prints for each step when, with which commit and on which CPU it last passed in the
// tier all, and whether it failed later.
func printResults(out io.Writer, results string) {
	for _, s := range table {
		passed, failed := "never", ""
		for line := range strings.Lines(results) {
			fields := strings.Split(strings.TrimSpace(line), " | ")
			switch {
			case len(fields) != 6 || fields[3] != s.name:
			case fields[5] == "passed":
				passed, failed = strings.Join(append(fields[:3:3], fields[4]), " | "), ""
			default:
				failed = "   " + fields[5] + " (" + fields[0] + ", " + fields[1] + ")"
			}
		}
		fmt.Fprintf(out, "%-12s %s%s\n", s.name, passed, failed)
	}
}

// model returns the name, family and model of the CPU.
func model() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	field := func(name string) string {
		m := regexp.MustCompile(`(?m)^` + name + `\s*: (.*)$`).FindSubmatch(text)
		if m == nil {
			return "?"
		}
		return string(m[1])
	}
	return fmt.Sprintf("%s, family %s model %s, %d CPUs", field("model name"), field("cpu family"), field("model"), runtime.NumCPU())
}
