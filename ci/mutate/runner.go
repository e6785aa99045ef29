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
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A runner builds and runs tests.
type runner struct {
	top      string // absolute
	o        options
	packages map[string]*pkg
	suites   map[string]*suite // by folder
	dir      string            // for temporary files
}

// A suite is what the tests of a package do without a change.
type suite struct {
	limit time.Duration
	fast  string // a pattern of tests that together take a small part of the time
}

// newRunner prepares the suites of packages.
func newRunner(ctx context.Context, top string, o options, packages map[string]*pkg) (*runner, error) {
	r := &runner{o: o, packages: packages, suites: map[string]*suite{}}
	var err error
	if r.top, err = filepath.Abs(top); err != nil {
		return nil, err
	}
	if r.dir, err = os.MkdirTemp("", "mutate"); err != nil {
		return nil, err
	}
	if o.list {
		return r, nil
	}
	for _, dir := range sorted(packages) {
		for _, with := range packages[dir].tests {
			if r.suites[with] != nil {
				continue
			}
			if r.suites[with], err = r.baseline(ctx, with); err != nil {
				r.close()
				return nil, err
			}
		}
	}
	return r, nil
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
	start := time.Now()
	v, output := r.execute(ctx, tmp, dir, s, "-test.v")
	if v != survived {
		return nil, fmt.Errorf("%s without a change: tests fail (%s)\n%s", dir, v, tail(output))
	}
	if s.limit = r.o.timeout; s.limit == 0 {
		s.limit = 10*time.Second + 5*time.Since(start)
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
	var fast []string
	for _, t := range tests {
		if sum += t.seconds; sum > total/5 {
			break
		}
		fast = append(fast, t.name)
	}
	if len(fast) > 0 {
		s.fast = "^(" + strings.Join(fast, "|") + ")$"
	}
	return s, nil
}

// test returns what the tests say about a mutant, and the name of the one that failed.
func (r *runner) test(ctx context.Context, m mutant) (verdict, string, error) {
	src, err := os.ReadFile(filepath.Join(r.top, m.File))
	if err != nil {
		return "", "", err
	}
	v, by, err := r.try(ctx, m, apply(src, m.change))
	if err != nil || v != survived || !strings.HasSuffix(m.File, ".s") {
		return v, by, err
	}
	planted, ok := unreachable(src, m.change.start)
	if !ok {
		return v, by, nil
	}
	switch u, _, err := r.try(ctx, m, planted); {
	case err != nil:
		return "", "", err
	case u == survived:
		return notRun, "", nil
	}
	return v, by, nil
}

// try runs all tests for a mutant, with a file that has another text.
func (r *runner) try(ctx context.Context, m mutant, text []byte) (verdict, string, error) {
	tmp, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(tmp)
	changed := filepath.Join(tmp, "changed"+filepath.Ext(m.File))
	overlay, _ := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(r.top, m.File): changed}})
	file := filepath.Join(tmp, "overlay.json")
	if err := errors.Join(os.WriteFile(changed, text, 0o644), os.WriteFile(file, overlay, 0o644)); err != nil {
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
		s := r.suites[dir]
		runs := [][]string{{"-test.failfast"}}
		if s.fast != "" {
			runs = [][]string{{"-test.failfast", "-test.run", s.fast}, {"-test.failfast", "-test.skip", s.fast}}
		}
		for _, args := range runs {
			v, output := r.execute(ctx, tmp, dir, s, args...)
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

// execute runs the tests of a package. The verdict is survived if they pass.
func (r *runner) execute(ctx context.Context, tmp, dir string, s *suite, args ...string) (verdict, []byte) {
	// The tests end themselves and say where they were, unless they cannot.
	ctx, cancel := context.WithTimeout(ctx, s.limit+5*time.Second)
	defer cancel()
	args = slices.Concat(strings.Fields(r.o.exec), []string{filepath.Join(tmp, "test"), "-test.short", "-test.timeout", s.limit.String()}, args)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = filepath.Join(r.top, dir)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	output := new(limited)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return killed, []byte(err.Error())
	}
	defer cmd.Cancel() // what the tests have started
	ended := make(chan struct{})
	fat := make(chan bool, 1)
	go func() { fat <- watch(cmd.Process.Pid, r.o.memory<<20, ended, cancel) }()
	err := cmd.Wait()
	close(ended)
	switch tooBig := <-fat; {
	case tooBig, ctx.Err() != nil, bytes.Contains(output.text, []byte("\npanic: test timed out after ")):
		return timedOut, output.text
	case err != nil:
		return killed, output.text
	}
	return survived, output.text
}

// watch cancels a process whose memory exceeds a limit, and reports whether it did.
func watch(pid int, limit int64, ended <-chan struct{}, cancel func()) bool {
	page := int64(os.Getpagesize())
	for {
		select {
		case <-ended:
			return false
		case <-time.After(20 * time.Millisecond):
		}
		statm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if fields := bytes.Fields(statm); len(fields) > 1 {
			if pages, _ := strconv.ParseInt(string(fields[1]), 10, 64); pages*page > limit {
				cancel()
				return true
			}
		}
	}
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
