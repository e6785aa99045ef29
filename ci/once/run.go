//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// run runs the command, traced if that is possible, and returns what it depended on.
func (p *places) run(o options, environment []string, out io.Writer, began time.Time) (*result, int, error) {
	dir, err := os.MkdirTemp("", "once")
	if err != nil {
		return nil, 126, err
	}
	defer os.RemoveAll(dir)
	tmp, output, log := filepath.Join(dir, "tmp"), filepath.Join(dir, "trace"), filepath.Join(dir, "testlog")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return nil, 126, err
	}
	p.private = append(p.private, real(dir))
	environment = append(environment, "TMPDIR="+tmp, "ONCE_INSIDE=1")
	res := &result{Date: began}
	command := slices.Clone(o.command)
	if o.exec {
		environment = p.prepareTest(o, command, environment, log, res)
		if !o.guest { // rig itself inserts the flag, and copies the log
			command = slices.Insert(command, testBinary(command)+1, "-test.testlogfile="+log)
		}
	}
	traced := command
	switch {
	case off():
		res.never = "CI_ONCE=off"
	case o.untraced():
	case canTrace():
		traced = slices.Concat(tracing, []string{"-o", output, "--"}, command)
	default:
		res.never = "strace cannot trace here"
	}
	code, err := res.execute(traced, environment, out)
	if failure := straceFailure.Find(res.Output); err == nil && code != 0 && len(traced) > len(command) && failure != nil {
		// What it has traced cannot go on: system calls fail without it.
		res.never = string(failure)
		io.WriteString(out, "once: strace has failed, so that this starts again without it\n")
		os.RemoveAll(tmp)
		if err := os.Mkdir(tmp, 0o777); err != nil {
			return nil, 126, err
		}
		code, err = res.execute(command, environment, out)
	}
	if err != nil || code != 0 || res.never != "" {
		return res, code, err
	}
	s, err := p.observe(o, output, log)
	if err != nil {
		res.never = err.Error()
		return res, 0, nil
	}
	res.collect(p, s)
	if o.exec && (len(s.programs) > 1 || o.all) && res.never == "" { // their variables are in no log
		res.Others = o.others(os.Environ())
	}
	res.keep(o.out, s)
	return res, 0, nil
}

// straceFailure is what strace says if it ends before the command does.
var straceFailure = regexp.MustCompile(`(?m)^strace: .*`)

// execute runs a command to its end. The result has its output and CPU time.
func (res *result) execute(command, environment []string, out io.Writer) (int, error) {
	cmd := exec.Command(command[0], command[1:]...)
	var printed bytes.Buffer
	cmd.Env = environment
	cmd.Stdout = io.MultiWriter(out, &printed)
	cmd.Stderr = cmd.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stop := make(chan os.Signal, 4)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	defer signal.Stop(stop)
	if err := start(cmd); err != nil {
		return 127, err
	}
	done := make(chan struct{})
	defer close(done)
	go forward(stop, done, cmd.Process.Pid)
	code, err := status(cmd.Wait())
	if p := cmd.ProcessState; p != nil {
		res.CPU += (p.UserTime() + p.SystemTime()).Seconds()
	}
	res.Output = printed.Bytes()
	return code, err
}

// prepareTest notes what is special about a test binary, and returns its environment.
func (p *places) prepareTest(o options, command, environment []string, log string, res *result) []string {
	binary := testBinary(command)
	if path, err := filepath.Abs(command[binary]); err == nil {
		path = real(path) // in the folder in which go test works, or elsewhere
		if folder := workFolder.FindString(path); folder != "" {
			path = folder
		}
		p.private = append(p.private, path)
	}
	if o.guest {
		environment = append(environment, "RIG_TESTLOG="+log)
	}
	for _, a := range command[binary+1:] {
		if unrepeatable.MatchString(a) {
			res.never = "has the flag " + a
		}
	}
	return environment
}

var (
	workFolder   = regexp.MustCompile(`^.*/go-build[0-9]+\b`)
	unrepeatable = regexp.MustCompile(`^--?test\.(fuzz|bench|coverprofile|cpuprofile|memprofile|blockprofile|mutexprofile|trace|gocoverdir|shuffle)=([^o]|o[^f]|of[^f])`)
)

// observe returns what a run that has passed did.
func (p *places) observe(o options, output, log string) (*seen, error) {
	s := newSeen()
	if !o.untraced() {
		p.look(s, o.command[0])
		f, err := os.Open(output)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := s.readTrace(f, p.cwd); err != nil {
			return nil, err
		}
		s.readPrograms()
	}
	if o.exec {
		return s, s.readTestLog(log, p.cwd, o.untraced())
	}
	return s, nil
}

// look notes where strace looks for a command before it finds it.
func (p *places) look(s *seen, name string) {
	if strings.Contains(name, "/") {
		return
	}
	found, err := exec.LookPath(name)
	if err != nil {
		s.refuse(err.Error())
		return
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := join(p.cwd, dir+"/"+name)
		if path == join(p.cwd, found) {
			break
		}
		s.add(path, either)
	}
}

// testBinary returns the index of the test binary in a command of go test -exec.
func testBinary(command []string) int {
	for i, a := range command {
		if strings.HasSuffix(a, ".test") {
			return i
		}
	}
	return 0
}
