//go:build linux

// Once runs a command, unless the same command has passed before and nothing has changed
// that it depends on. Then it prints what the command printed, and the date.
//
//	once COMMAND [ARGUMENTS]                       a tool
//	go test -exec 'once -exec' ./...               test binaries
//	go test -exec 'once -exec qemu-arm' ./...      under an emulator
//	go test -exec 'once -guest rig …' ./...        in a guest with another kernel
//
// # What a result depends on
//
// The key of a result is made of this program, the version of Go, the command, the folder,
// and the variables of the environment that the list hashed names. A test binary is named
// by its contents. Emulators are files that were read, as all others. Under -native the
// key has the CPU's model and features, too, and the version of the kernel.
//
// Which files were read is not declared but observed, with strace: for each file the
// contents, for each folder that was listed its names, and the names that were not found,
// by the command and all processes that it started. A test binary also writes the log
// that go test uses for its own cache (-test.testlogfile). It adds the variables that the
// test asked for; it would not be enough, because it lacks what child processes and plain
// system calls read. In User Mode Linux, which strace cannot follow, it is all there is:
// see -guest. A tool gets no variables but those that are hashed and those in the list
// neutral, which say where things are.
//
// # What is never remembered
//
// A command that failed; that ran git or read its files; that opened a connection to
// anything but the loopback addresses, or a socket of AF_ALG or AF_NETLINK; that wrote
// into the repository; whose inputs changed while it ran; or that read what cannot be
// listed, such as a file in a folder for temporary files that is not its own. Nor what
// depends on the clock, which cannot be observed: such commands must not be run by once.
// Without strace nothing is remembered.
//
// # Options and variables
//
//	-exec       the command is, or runs, a test binary of Go
//	-guest      the same; its test log comes from a guest (ci/rig), and is all that is known
//	-native     the result depends on this CPU and kernel
//	-env LIST   more variables for a tool, separated by commas
//	-out FILE   a file that the command writes: remembered and restored with the result
//
// CI_FRESH=1 runs every command. ONCE_REPORT names a file to which once appends a line of
// JSON for each command: see type report. Results are in the folder passed of
// $XDG_CACHE_HOME/cipherlane-ci.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

type options struct {
	exec, guest, native bool
	env                 []string
	out                 []string
	command             []string
}

func main() {
	var o options
	flag.BoolVar(&o.exec, "exec", false, "the command is, or runs, a test binary of Go")
	flag.BoolVar(&o.guest, "guest", false, "the test binary runs in a guest, whose test log is all that is known")
	flag.BoolVar(&o.native, "native", false, "the result depends on this CPU and kernel")
	flag.Func("env", "more variables for a tool, a `list`", func(s string) error {
		o.env = append(o.env, strings.Split(s, ",")...)
		return nil
	})
	flag.Func("out", "a `file` that the command writes", func(s string) error {
		o.out = append(o.out, s)
		return nil
	})
	flag.Parse()
	o.exec = o.exec || o.guest
	if o.command = flag.Args(); len(o.command) == 0 {
		flag.Usage()
		os.Exit(2)
	}
	status, err := once(o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "once:", err)
	}
	os.Exit(status)
}

// A report says what became of a command.
type report struct {
	Folder     string // relative to the repository
	Command    []string
	Remembered string `json:",omitempty"` // the date
	Changed    string `json:",omitempty"` // the first input that is not as it was, if there was a result
	Never      string `json:",omitempty"` // why the result is not remembered
	Status     int    `json:",omitempty"`
	Seconds    float64
}

func (r report) write(start time.Time) {
	name := os.Getenv("ONCE_REPORT")
	if name == "" {
		return
	}
	r.Seconds = time.Since(start).Seconds()
	text, err := json.Marshal(r)
	if err != nil {
		return
	}
	if f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666); err == nil {
		f.Write(append(text, '\n'))
		f.Close()
	}
}

// once runs a command unless its result is known, and returns its exit status.
func once(o options, out io.Writer) (int, error) {
	start := time.Now()
	if os.Getenv("ONCE_INSIDE") != "" { // a process can be traced only once
		return plain(o, out)
	}
	p, err := newPlaces()
	if err != nil {
		return 126, err
	}
	environment := p.environment(o)
	k, err := p.key(o, environment)
	if err != nil {
		return 126, err
	}
	s, err := p.store(k)
	if err != nil {
		return 126, err
	}
	r := report{Folder: p.name(p.cwd), Command: o.command}
	if os.Getenv("CI_FRESH") == "" {
		var found *result
		if found, r.Changed = s.find(p); found != nil {
			if err := found.restore(o.out); err != nil {
				return 126, err
			}
			r.Remembered = found.Date.Format("2006-01-02")
			out.Write(found.Output)
			fmt.Fprintf(out, "(remembered, %s)\n", r.Remembered)
			r.write(start)
			return 0, nil
		}
	}
	res, status, err := p.run(o, environment, out)
	if err == nil && status == 0 && res.never == "" {
		err = s.save(res)
	}
	if r.Status = status; err != nil {
		r.Never = err.Error()
	} else {
		r.Never = res.never
	}
	r.write(start)
	return status, err
}

// plain runs a command and remembers nothing.
func plain(o options, out io.Writer) (int, error) {
	cmd := exec.Command(o.command[0], o.command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out, out
	return status(cmd.Run())
}

// status returns the exit status that belongs to an error of exec.Cmd.
func status(err error) (int, error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case !errors.As(err, &exit):
		return 127, err
	}
	w := exit.Sys().(syscall.WaitStatus)
	if w.Signaled() {
		return 128 + int(w.Signal()), nil
	}
	return w.ExitStatus(), nil
}

// run runs the command, traced if that is possible, and returns what it depended on.
func (p *places) run(o options, environment []string, out io.Writer) (*result, int, error) {
	dir, err := os.MkdirTemp("", "once")
	if err != nil {
		return nil, 126, err
	}
	defer os.RemoveAll(dir)
	res := &result{Date: time.Now()}
	trace, log := filepath.Join(dir, "trace"), filepath.Join(dir, "testlog")
	p.private = append(p.private, filepath.Join(dir, "tmp"))
	if err := os.Mkdir(p.private[len(p.private)-1], 0o777); err != nil {
		return nil, 126, err
	}
	environment = append(environment, "TMPDIR="+p.private[len(p.private)-1], "ONCE_INSIDE=1")
	command := slices.Clone(o.command)
	binary := -1
	if o.exec {
		binary = testBinary(command)
		p.private = append(p.private, filepath.Dir(command[binary]))
		flags := []string{"-test.testlogfile=" + log}
		if o.guest { // the guest's program writes where it can, and rig copies that
			flags = nil
			environment = append(environment, "RIG_TESTLOG="+log)
		}
		command = slices.Insert(command, binary+1, flags...)
	}
	switch {
	case o.guest:
	case canTrace():
		command = append([]string{"strace", "-f", "--seccomp-bpf", "-qq", "-y", "-e", "signal=none",
			"-e", "trace=%file,chdir,fchdir,clone,clone3,fork,vfork,socket,connect", "-o", trace, "--"}, command...)
	default:
		res.never = "strace cannot trace here"
	}
	cmd := exec.Command(command[0], command[1:]...)
	var printed bytes.Buffer
	cmd.Env, cmd.Stdin = environment, os.Stdin
	cmd.Stdout = io.MultiWriter(out, &printed)
	cmd.Stderr = cmd.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stop := make(chan os.Signal, 4)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	defer signal.Stop(stop)
	if err := start(cmd); err != nil {
		return nil, 127, err
	}
	done := make(chan struct{})
	defer close(done)
	go forward(stop, done, cmd.Process.Pid)
	code, err := status(cmd.Wait())
	if err != nil || code != 0 {
		return res, code, err
	}
	res.Output = printed.Bytes()
	seen := newSeen()
	if !o.guest && res.never == "" {
		err = seen.readTrace(trace, p.cwd)
	}
	if err == nil && o.exec {
		err = seen.readTestLog(log, p.cwd, o.guest)
	}
	if err != nil {
		res.never = err.Error()
		return res, 0, nil
	}
	res.collect(p, seen)
	for _, name := range o.out {
		text, err := os.ReadFile(name)
		if err != nil {
			res.never = err.Error()
			break
		}
		res.Files = append(res.Files, text)
	}
	return res, 0, nil
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
