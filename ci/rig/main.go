//go:build linux

// Rig runs a program, usually a Go test binary, on another Linux kernel: in User
// Mode Linux, or on a kernel under qemu or Bochs. It is meant for go test's flag
// -exec; the command ci/guest finds the kernels and runs rig.
//
//	go test -exec 'rig -uml linux' ./kcapi/...
//	GOARCH=arm64 CGO_ENABLED=0 go test -exec 'rig -arch arm64 -init rig.arm64 -kernel Image' ./...
//	CGO_ENABLED=0 go test -exec 'rig -bochs tigerlake -kernel bzImage' ./aes/...
//
// Rig is also process 1 of the guest. If the guest's GOARCH is not the host's,
// -init names a rig built for it. The guest's only console is rig's standard
// output, and the program's output passes through it unchanged.
//
// In User Mode Linux the program sees the host's files, read-only, and runs in the
// current directory. Elsewhere it runs in an initramfs that contains the program,
// the files of the current directory and all testdata folders of its module, under
// the same names as on the host. There it must be linked statically.
//
// The exit status is the program's (128 plus the signal if one ended it), 2 after a
// usage error, 124 after a time-out, 125 if the guest ended without reporting a
// status (its output is printed), 126 if the program did not start. The time limit
// is a little longer than the program's own flag -test.timeout, so that a test that
// hangs prints its own stacks.
//
// If RIG_TESTLOG names a file, the program is a test binary, and rig writes its test log
// (-test.testlogfile) there when it has passed: ci/once learns from it what was read.
package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// options contains the command-line options.
type options struct {
	uml, kernel, bochs         string
	arch, qemu, cpu, accel     string
	qemuArgs                   []string
	root                       string
	smp                        int
	mem, init, append, modules string
	env                        string
	timeout                    time.Duration
	user, rw, proc, verbose    bool
	program                    string
	args                       []string
}

const (
	exitUsage   = 2
	exitTime    = 124
	exitDied    = 125
	exitNoStart = 126
)

// parse parses a command line, without the name of the command.
func parse(arguments []string, errors io.Writer) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("rig", flag.ContinueOnError)
	f.SetOutput(errors)
	f.Usage = func() {
		fmt.Fprintln(errors, "usage: rig [flags] program [arguments]")
		f.PrintDefaults()
	}
	f.StringVar(&o.uml, "uml", "", "User Mode Linux `executable`")
	f.StringVar(&o.kernel, "kernel", "", "kernel `image` for qemu or Bochs")
	f.StringVar(&o.bochs, "bochs", "", "run under Bochs, as this CPU `model`")
	f.StringVar(&o.arch, "arch", runtime.GOARCH, "guest's `GOARCH` under qemu: amd64, arm64, arm or riscv64")
	f.StringVar(&o.root, "root", "", "`folder` in which packages of the emulator are unpacked, with all that they need")
	f.StringVar(&o.qemu, "qemu", "", "qemu-system `command`")
	f.StringVar(&o.cpu, "cpu", "max", "qemu's CPU `model`")
	f.StringVar(&o.accel, "accel", "tcg", "qemu's `accelerator`: kvm gives the host's CPU")
	f.Func("qemuargs", "more `arguments` for qemu, split at spaces; may be repeated", func(s string) error {
		o.qemuArgs = append(o.qemuArgs, strings.Fields(s)...)
		return nil
	})
	f.IntVar(&o.smp, "smp", 1, "`number` of CPUs under qemu")
	f.StringVar(&o.mem, "mem", "512M", "guest's memory, a `size`")
	f.StringVar(&o.init, "init", "", "rig `executable` for the guest (default: this one)")
	f.Func("append", "more of the kernel's command `line`; may be repeated", func(s string) error {
		o.append = strings.TrimSpace(o.append + " " + s)
		return nil
	})
	f.StringVar(&o.modules, "modules", "", "`folder` of uncompressed modules to load; its file \"order\" has their names, in the order to load them")
	f.StringVar(&o.env, "env", "CIPHERLANE*,GODEBUG,GOMAXPROCS,GOTRACEBACK", "environment variables to pass on, a `list`; * at the end stands for anything")
	f.DurationVar(&o.timeout, "timeout", 0, "end the guest after this `time` (default: half a minute more than -test.timeout, without that 10 minutes)")
	f.BoolVar(&o.user, "user", false, "run the program as an ordinary user, not as root")
	f.BoolVar(&o.rw, "rw", false, "User Mode Linux: the program may write to the host's files (for -coverprofile)")
	f.BoolVar(&o.proc, "proc", false, "print /proc/crypto after the run, a line for each algorithm")
	f.BoolVar(&o.verbose, "v", false, "show the kernel's log, the command and the time")
	if err := f.Parse(arguments); err != nil {
		return nil, err
	}
	problem := ""
	switch {
	case f.NArg() == 0:
		problem = "no program"
	case (o.uml == "") == (o.kernel == ""):
		problem = "exactly one of -uml and -kernel must be given"
	case o.uml != "" && (o.bochs != "" || o.modules != ""):
		problem = "-bochs and -modules need -kernel"
	case o.arch != runtime.GOARCH && o.init == "":
		problem = "-arch " + o.arch + " needs -init: a rig that is built for it"
	case machines[o.arch].qemu == "":
		problem = "no such -arch: " + o.arch
	}
	if problem != "" {
		fmt.Fprintln(errors, "rig:", problem)
		f.Usage()
		return nil, fmt.Errorf("%s", problem)
	}
	o.program, o.args = f.Arg(0), f.Args()[1:]
	if o.timeout == 0 {
		o.timeout = limit(o.args)
	}
	return o, nil
}

// limit returns the time limit for a program with these arguments; 0 means no limit.
func limit(args []string) time.Duration {
	d := 10 * time.Minute
	for _, a := range args {
		if v, ok := strings.CutPrefix(strings.TrimLeft(a, "-"), "test.timeout="); ok {
			if t, err := time.ParseDuration(v); err == nil {
				d = t
			}
		}
	}
	if d == 0 {
		return 0
	}
	return d + 30*time.Second
}

// passed returns the variables of environ that the list names.
func passed(list string, environ []string) []string {
	var env []string
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		for _, pattern := range strings.Split(list, ",") {
			if ok, _ := path.Match(pattern, name); ok {
				env = append(env, e)
				break
			}
		}
	}
	return env
}

// A job describes the work of process 1 of the guest.
type job struct {
	Dir, Program string
	Args, Env    []string
	User, Proc   bool
	Now          int64  // nanoseconds since 1970: guests have no clock
	Mark         string // begins the lines that are for rig, not for the user
	Log          bool   // the test log is for rig, too
}

func main() {
	if os.Getpid() == 1 {
		guest()
	}
	o, err := parse(os.Args[1:], os.Stderr)
	if err != nil {
		os.Exit(exitUsage)
	}
	code, err := run(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "rig:", err)
	}
	os.Exit(code)
}

// run boots a guest and returns the exit status of rig.
func run(o *options) (code int, err error) {
	// The guest is started from this thread: it inherits the thread's CPU from pin,
	// and is killed when the thread ends (Pdeathsig). So the thread must not end.
	runtime.LockOSThread()
	o.program, err = filepath.Abs(o.program)
	if err != nil {
		return exitNoStart, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return exitNoStart, err
	}
	if o.init == "" {
		if o.init, err = os.Executable(); err != nil {
			return exitNoStart, err
		}
	}
	if o.init, err = filepath.Abs(o.init); err != nil {
		return exitNoStart, err
	}
	var tmp string
	if o.uml != "" {
		tmp, err = umlFiles(o)
	} else {
		tmp, err = os.MkdirTemp("", "rig")
	}
	if tmp != "" {
		defer os.RemoveAll(tmp)
	}
	if err != nil {
		return exitNoStart, err
	}
	if strings.ContainsAny(o.init+tmp, " \t") {
		return exitNoStart, fmt.Errorf("a kernel's command line can name neither %s nor %s", o.init, tmp)
	}
	j := job{
		Dir: dir, Program: o.program, Args: o.args, Env: passed(o.env, os.Environ()),
		User: o.user, Proc: o.proc, Now: time.Now().UnixNano(), Mark: "\x1erig " + rand.Text() + " ",
		Log: os.Getenv("RIG_TESTLOG") != "",
	}
	text, err := json.Marshal(j)
	if err != nil {
		return exitNoStart, err
	}

	var m *machine
	switch {
	case o.uml != "":
		m, err = newUML(o, tmp, text)
	case o.bochs != "":
		m, err = newBochs(o, tmp, text, j)
	default:
		m, err = newQEMU(o, tmp, text, j)
	}
	if err != nil {
		return exitNoStart, err
	}
	if o.verbose {
		fmt.Fprintln(os.Stderr, "rig:", strings.Join(m.cmd.Args, " "))
	}
	return m.run(o, j.Mark)
}

// A machine is a guest that is ready to be started.
type machine struct {
	cmd     *exec.Cmd
	console io.Reader
	started func()        // if not nil: called after the start
	ended   func()        // if not nil: called after the end, before the console must reach its end
	log     func() []byte // if not nil: returns more output, to explain how the guest ended
}

// run starts the machine and copies the program's output from its console.
func (m *machine) run(o *options, mark string) (int, error) {
	// A process group, so that all processes of User Mode Linux can be killed together.
	if m.cmd.SysProcAttr == nil {
		m.cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	if !m.cmd.SysProcAttr.Setsid {
		m.cmd.SysProcAttr.Setpgid = true
	}
	m.cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	begin := time.Now()
	if err := m.cmd.Start(); err != nil {
		return exitNoStart, err
	}
	if m.started != nil {
		m.started()
	}
	kill := func() { syscall.Kill(-m.cmd.Process.Pid, syscall.SIGKILL) }
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	if o.timeout != 0 {
		time.AfterFunc(o.timeout, func() { stop <- syscall.SIGALRM })
	}
	ended := make(chan struct{})
	why := make(chan os.Signal, 1)
	go func() {
		select {
		case s := <-stop:
			why <- s
			kill()
		case <-ended:
		}
	}()

	code := -1
	copied := make(chan []byte)
	var log bytes.Buffer
	go func() {
		c, hidden := copyConsole(os.Stdout, &log, m.console, mark, o.verbose)
		if code = c; c >= 0 {
			kill() // nothing is left but powering off
		}
		copied <- hidden
	}()
	m.cmd.Wait()
	if m.ended != nil {
		m.ended()
	}
	hidden := <-copied
	close(ended)
	if o.verbose {
		s := m.cmd.ProcessState
		fmt.Fprintf(os.Stderr, "rig: %v, CPU %v\n", time.Since(begin).Round(time.Millisecond), (s.UserTime() + s.SystemTime()).Round(time.Millisecond))
	}
	if name := os.Getenv("RIG_TESTLOG"); name != "" && code == 0 {
		if err := os.WriteFile(name, log.Bytes(), 0o666); err != nil {
			return exitDied, err
		}
	}
	if code >= 0 {
		return code, nil
	}
	if !o.verbose {
		os.Stdout.Write(hidden)
	}
	select {
	case s := <-why:
		if s == syscall.SIGALRM {
			return exitTime, fmt.Errorf("the guest did not end within %v", o.timeout)
		}
		return 128 + int(s.(syscall.Signal)), fmt.Errorf("%v", s)
	default:
	}
	if m.log != nil {
		os.Stderr.Write(m.log())
	}
	return exitDied, errors.New("the guest ended without an exit status")
}

// logged follows the mark in lines of the test log.
const logged = "log "

// copyConsole copies the program's output, between the line that marks its start
// and the one that reports its exit status, which copyConsole returns. Without a
// status line it returns -1; without a start line it returns the kernel's output. Lines
// of the test log, which come in between, go to log.
func copyConsole(w, log io.Writer, r io.Reader, mark string, all bool) (code int, hidden []byte) {
	b := bufio.NewReader(r)
	begun := false
	for {
		line, err := b.ReadBytes('\n')
		before, rest, marked := bytes.Cut(line, []byte(mark))
		switch {
		case marked && !begun:
			begun = true
			hidden = nil
		case marked && bytes.HasPrefix(rest, []byte(logged)):
			w.Write(before)
			log.Write(rest[len(logged):])
		case marked:
			w.Write(before)
			if _, err := fmt.Sscan(string(rest), &code); err != nil {
				return -1, nil
			}
			return code, nil
		case begun:
			w.Write(line)
		case len(line) > 0:
			line = append(bytes.TrimRight(line, "\r\n"), '\n')
			if all {
				w.Write(line)
			}
			hidden = append(hidden, line...)
		}
		if err != nil {
			return -1, hidden
		}
	}
}

// pin ties the calling thread, and the processes that it starts, to one CPU: usually
// the current one, but another one if that CPU has a guest already. Each rig claims
// its CPU by the name of a socket, which disappears with its owner.
func pin() {
	var may unix.CPUSet
	if unix.SchedGetaffinity(0, &may) != nil {
		return
	}
	var current uint32
	unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&current)), 0, 0)
	tie := func(cpu int) {
		var set unix.CPUSet
		set.Set(cpu)
		unix.SchedSetaffinity(0, &set)
	}
	const most = len(may) * 64
	for i := range most {
		cpu := (int(current) + i) % most
		if !may.IsSet(cpu) {
			continue
		}
		s, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			break
		}
		if unix.Bind(s, &unix.SockaddrUnix{Name: fmt.Sprintf("@rig cpu %d", cpu)}) == nil {
			tie(cpu)
			return
		}
		unix.Close(s)
	}
	tie(int(current))
}
