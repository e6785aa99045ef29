//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A runner builds and runs tests.
type runner struct {
	top      string // absolute
	o        options
	packages map[string]*pkg
	dir      string // for temporary files

	mu     sync.Mutex
	suites map[string]*suite // by folder
	narrow *runner           // for 386
}

// A suite is what the tests of a package do without a change.
type suite struct {
	limit       time.Duration // of CPUs
	fastPattern string        // a pattern of tests that together take a small part of the time
}

func newRunner(top string, o options, packages map[string]*pkg) (*runner, error) {
	r := &runner{o: o, packages: packages, suites: map[string]*suite{}}
	var err error
	if r.top, err = filepath.Abs(top); err != nil {
		return nil, err
	}
	if r.dir, err = os.MkdirTemp("", "mutate"); err != nil {
		return nil, err
	}
	return r, nil
}

// suite returns the suite of a package, and makes it on first use.
func (r *runner) suite(ctx context.Context, dir string) (*suite, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.suites[dir]
	if s == nil {
		var err error
		if s, err = r.baseline(ctx, dir); err != nil {
			return nil, err
		}
		r.suites[dir] = s
	}
	return s, nil
}

func (r *runner) close() { os.RemoveAll(r.dir) }

var passed = regexp.MustCompile(`(?m)^--- PASS: (\w+) \(([0-9.]+)s\)$`)

// baseline runs the tests of a package without a change.
func (r *runner) baseline(ctx context.Context, dir string) (*suite, error) {
	tmp, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	if output, err := r.build(ctx, tmp, dir, ""); err != nil {
		return nil, fmt.Errorf("%s without a change: %w\n%s", dir, err, output)
	}
	s := &suite{limit: 10 * time.Minute}
	v, output, took := r.execute(ctx, tmp, dir, s, "-test.v")
	if v != survived {
		return nil, fmt.Errorf("%s without a change: tests fail (%s)\n%s", dir, v, tail(output))
	}
	if s.limit = r.o.timeout; s.limit == 0 {
		s.limit = 20*time.Second + 8*took
	}
	type test struct {
		name    string
		seconds float64
	}
	var tests []test
	total := 0.0
	for _, m := range passed.FindAllSubmatch(output, -1) {
		seconds, _ := strconv.ParseFloat(string(m[2]), 64)
		tests = append(tests, test{string(m[1]), seconds})
		total += seconds
	}
	slices.SortStableFunc(tests, func(a, b test) int { return int(1000 * (a.seconds - b.seconds)) })
	sum := 0.0
	var fastTests []string
	for _, t := range tests {
		if sum += t.seconds; sum > total/5 {
			break
		}
		fastTests = append(fastTests, t.name)
	}
	if len(fastTests) > 0 {
		s.fastPattern = "^(" + strings.Join(fastTests, "|") + ")$"
	}
	return s, nil
}

// test returns what the tests say about a mutant, and the name of the one that failed.
func (r *runner) test(ctx context.Context, m mutant) (verdict, string, error) {
	src, err := os.ReadFile(filepath.Join(r.top, m.File))
	if err != nil {
		return "", "", err
	}
	mutated := apply(src, m.change)
	v, reason, err := r.try(ctx, m, mutated)
	if err != nil || v != survived {
		return v, reason, err
	}
	goFile := strings.HasSuffix(m.File, ".go")
	if goFile {
		same, err := r.sameCode(ctx, m, src, mutated)
		if err != nil {
			return "", "", err
		}
		if same {
			v, reason = equivalent, "same machine code"
		}
	}
	planted, ok := trap(m.File, src, m.change.start)
	if !ok {
		return v, reason, nil
	}
	switch u, _, err := r.try(ctx, m, planted); {
	case err != nil:
		return "", "", err
	case u != survived:
		return v, reason, nil
	case !goFile || forArchitecture.MatchString(m.File):
		return notRun, "", nil // by this CPU
	case v == survived:
		reason = "is not run"
	}
	return r.narrowly(ctx, m, v, reason)
}

// forArchitecture matches files of Go that depend on what the CPU has.
var forArchitecture = regexp.MustCompile(`_(amd64|386|arm|arm64|riscv64|ppc64le|s390x)\.go$`)

// trap returns a file that fails if the code around an offset is run, or false if there
// is no code.
func trap(name string, src []byte, offset int) ([]byte, bool) {
	if strings.HasSuffix(name, ".s") {
		return asmTrap(src, offset)
	}
	return goTrap(src, offset)
}

// narrowly tests a mutant of Go on 386, which runs code for 32 bits. v and reason are the
// verdict if there is no such code.
func (r *runner) narrowly(ctx context.Context, m mutant, v verdict, reason string) (verdict, string, error) {
	if r.o.goarch != "" || runtime.GOARCH != "amd64" {
		return v, reason, nil
	}
	r.mu.Lock()
	var err error
	if r.narrow == nil {
		r.narrow, err = r.with386(ctx)
	}
	r.mu.Unlock()
	if err != nil {
		return "", "", err
	}
	if p := r.narrow.packages[m.Package]; p == nil || !slices.Contains(p.GoFiles, path.Base(m.File)) {
		return v, reason, nil
	}
	switch w, by386, err := r.narrow.test(ctx, m); {
	case err != nil:
		return "", "", err
	case w == killed || w == timedOut || w == survived && v == equivalent:
		return w, by386 + " on 386", nil
	}
	return v, reason, nil
}

// sameCode reports whether the compiler makes the same code of two texts of a file.
func (r *runner) sameCode(ctx context.Context, m mutant, src, mutated []byte) (bool, error) {
	before, err := r.compiled(ctx, m, src)
	if err != nil {
		return false, err
	}
	after, err := r.compiled(ctx, m, mutated)
	return before == after, err
}

// with386 returns a runner for the architecture with 32 bits that this CPU can run.
func (r *runner) with386(ctx context.Context) (*runner, error) {
	n := &runner{top: r.top, o: r.o, suites: map[string]*suite{}, dir: r.dir}
	n.o.goarch = "386"
	var err error
	patterns := []string{"./..."}
	for dir := range r.packages {
		if strings.HasPrefix(dir, "cmd/cipherlane") {
			patterns = []string{"./...", "./cmd/cipherlane/..."}
		}
	}
	n.packages, err = list(ctx, n.top, n.o, patterns)
	return n, err
}

var (
	symbol = regexp.MustCompile(`^(\S.*) (S[A-Z]+)\b`)
	opcode = regexp.MustCompile(`^\t0x\w+ (\d+) \([^)]*\)\t(.*)$`)
	target = regexp.MustCompile(`^(\S+\t(?:.*, )?)(\d+)$`) // of a jump
)

// code returns the instructions and data that the compiler prints with -S, without
// what depends on positions alone: numbers of lines, addresses, NOPs, and what tells the
// garbage collector where pointers are. A target of a jump is the number of its instruction.
func code(output []byte) string {
	var b strings.Builder
	var list []string
	var at []int // addresses of list
	flush := func() {
		for _, s := range list {
			if m := target.FindStringSubmatch(s); m != nil {
				address, _ := strconv.Atoi(m[2])
				i, _ := slices.BinarySearch(at, address)
				s = fmt.Sprint(m[1], "instruction ", i)
			}
			b.WriteString(s + "\n")
		}
		list, at = nil, nil
	}
	kind, hidden := "", false
	for line := range strings.Lines(string(output)) {
		line = strings.TrimSuffix(line, "\n")
		if m := symbol.FindStringSubmatch(line); m != nil {
			flush()
			kind, hidden = m[2], strings.HasPrefix(m[1], "gclocals·")
			if kind == "STEXT" {
				line = m[1]
			}
			if !hidden {
				b.WriteString(line + "\n")
			}
			continue
		}
		m := opcode.FindStringSubmatch(line)
		switch {
		case hidden, kind == "STEXT" && m == nil: // bytes of code, relocations
		case m == nil:
			b.WriteString(line + "\n")
		case strings.HasPrefix(m[2], "FUNCDATA\t"), strings.HasPrefix(m[2], "PCDATA\t"), m[2] == "NOP", m[2] == "XCHGL\tAX, AX":
		case strings.HasPrefix(m[2], "TEXT\t"): // the size of the frame is in instructions
		default:
			address, _ := strconv.Atoi(m[1])
			list, at = append(list, m[2]), append(at, address)
		}
	}
	flush()
	return b.String()
}

// compiled returns the machine code of a mutant's package.
func (r *runner) compiled(ctx context.Context, m mutant, text []byte) (string, error) {
	tmp, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	overlay, err := r.overlay(tmp, m, text)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-gcflags=-S", "-tags="+r.o.tags, "-overlay", overlay, "./"+m.Package)
	cmd.Dir = r.top
	cmd.Env = environment(r.o)
	output, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, tail(output))
	}
	return code(output), nil
}

// overlay writes a changed file, and the file that makes the go command use it.
func (r *runner) overlay(tmp string, m mutant, text []byte) (string, error) {
	changed, file := filepath.Join(tmp, "changed"+filepath.Ext(m.File)), filepath.Join(tmp, "overlay.json")
	overlay, _ := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(r.top, m.File): changed}})
	return file, errors.Join(os.WriteFile(changed, text, 0o644), os.WriteFile(file, overlay, 0o644))
}

// try runs all tests for a mutant, with a file that has another text.
func (r *runner) try(ctx context.Context, m mutant, text []byte) (verdict, string, error) {
	tmp, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(tmp)
	file, err := r.overlay(tmp, m, text)
	if err != nil {
		return "", "", err
	}
	for _, dir := range r.packages[m.Package].tests {
		_, err := r.build(ctx, tmp, dir, file)
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		if err != nil {
			return unbuilt, "", nil
		}
		s, err := r.suite(ctx, dir)
		if err != nil {
			return "", "", err
		}
		runs := [][]string{{"-test.failfast"}}
		if s.fastPattern != "" {
			runs = [][]string{{"-test.failfast", "-test.run", s.fastPattern}, {"-test.failfast", "-test.skip", s.fastPattern}}
		}
		for _, args := range runs {
			v, output, _ := r.execute(ctx, tmp, dir, s, args...)
			if ctx.Err() != nil {
				return "", "", ctx.Err()
			}
			if v != survived {
				return v, failed(dir, output), nil
			}
		}
	}
	return survived, "", nil
}

// builds reports whether a mutant compiles.
func (r *runner) builds(ctx context.Context, m mutant) (bool, error) {
	src, err := os.ReadFile(filepath.Join(r.top, m.File))
	if err != nil {
		return false, err
	}
	tmp, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(tmp)
	file, err := r.overlay(tmp, m, apply(src, m.change))
	if err != nil {
		return false, err
	}
	_, err = r.build(ctx, tmp, r.packages[m.Package].tests[0], file)
	return err == nil, ctx.Err()
}

// build compiles the tests of a package.
func (r *runner) build(ctx context.Context, tmp, dir, overlay string) ([]byte, error) {
	args := []string{"test", "-c", "-tags=" + r.o.tags, "-o", filepath.Join(tmp, "test")}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+dir)...)
	cmd.Dir = r.top
	cmd.Env = environment(r.o)
	return cmd.CombinedOutput()
}

// execute runs the tests of a package. The verdict is survived if they pass. It also returns
// the time of CPUs that they took, which is what is limited: on a busy machine the clock
// shows more. Tests that wait for ever are ended by the clock, later.
func (r *runner) execute(ctx context.Context, tmp, dir string, s *suite, args ...string) (verdict, []byte, time.Duration) {
	// The tests end themselves and say where they were, unless they cannot.
	patience := 6 * s.limit
	ctx, cancel := context.WithTimeout(ctx, patience+5*time.Second)
	defer cancel()
	args = slices.Concat(strings.Fields(r.o.exec), []string{filepath.Join(tmp, "test"), "-test.short", "-test.timeout", patience.String()}, args)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = filepath.Join(r.top, dir)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	output := new(limited)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return killed, []byte(err.Error()), 0
	}
	defer cmd.Cancel() // what the tests have started
	ended := make(chan struct{})
	exceeded := make(chan bool, 1)
	go func() { exceeded <- watch(cmd.Process.Pid, r.o.memory<<20, s.limit, ended, cancel) }()
	err := cmd.Wait()
	close(ended)
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch tooMuch := <-exceeded; {
	case tooMuch, ctx.Err() != nil, bytes.Contains(output.text, []byte("panic: test timed out after ")):
		return timedOut, output.text, took
	case err != nil:
		return killed, output.text, took
	}
	return survived, output.text, took
}

// watch cancels a process that takes more memory or time of CPUs than it may, and reports
// whether it did.
func watch(pid int, memory int64, limit time.Duration, ended <-chan struct{}, cancel func()) bool {
	page := int64(os.Getpagesize())
	for {
		select {
		case <-ended:
			return false
		case <-time.After(20 * time.Millisecond):
		}
		statm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if fields := bytes.Fields(statm); len(fields) > 1 {
			if pages, _ := strconv.ParseInt(string(fields[1]), 10, 64); pages*page > memory {
				cancel()
				return true
			}
		}
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if cpuTime(stat) > limit {
			cancel()
			return true
		}
	}
}

// cpuTime returns the time of CPUs in the text of /proc/PID/stat: of the process, and of those
// that it started and that have ended. The fields that count follow the name in parentheses.
func cpuTime(stat []byte) time.Duration {
	const perSecond = 100 // ticks, on all architectures of Linux that Go knows
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 15 {
		return 0
	}
	var ticks int64
	for _, field := range fields[11:15] {
		n, _ := strconv.ParseInt(string(field), 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * time.Second / perSecond
}

// limited keeps the first mebibyte that is written to it.
type limited struct{ text []byte }

func (l *limited) Write(p []byte) (int, error) {
	l.text = append(l.text, p[:min(len(p), 1<<20-len(l.text))]...)
	return len(p), nil
}

var failure = regexp.MustCompile(`(?m)^(?:--- FAIL: (\w+)|panic: (.*)|fatal error: (.*)|SIG\w+: (.*))`)

// failed returns the name of the test that failed, or of what ended it.
func failed(dir string, output []byte) string {
	m := failure.FindSubmatch(output)
	if m == nil {
		return dir
	}
	said := string(bytes.Join(m[1:], nil))
	return dir + " " + said[:min(len(said), 60)]
}

// tail returns the end of an output.
func tail(b []byte) []byte { return b[max(0, len(b)-2000):] }
