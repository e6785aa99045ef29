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
// The key of a result is made of this program, the version and place of Go, the kernel,
// the user's number, the command, the folder, and the variables of the environment that
// the list hashed names. A test binary is named by its contents. Under -native the key
// has the CPUs' number, model and features, too.
//
// Which files were read is not declared but observed, with strace: for each file the
// contents and permissions, for each folder that was listed its names, for each symbolic
// link that was followed by name where it leads, and the names that were not found, by
// the command and all processes that it started. Emulators are among them, and so are
// the interpreters and loaders that Linux itself opens. A test binary also writes the log
// that go test uses for its own cache (-test.testlogfile). It adds the variables that the
// test asked for; it would not be enough, because it lacks what child processes and plain
// system calls read. A test that starts programs depends on all variables, a tool gets
// none but those that are hashed or neutral.
//
// Tests that start hundreds of compilers take twice as long under strace. Those in a folder of
// -whole run without it, and depend on all files of the repository, and on all variables. Of what
// else they read, the test log tells what the test itself opened; what the programs read
// that it starts is not known, so these must be Go's own and those of Linux. They may ask for
// modules, whose contents go.sum names.
//
// User Mode Linux is what strace cannot follow. There the test log is all that is known,
// with the files that the command's arguments name.
//
// # What is never remembered
//
// A command that failed; that read .git; that sent anything to other than the loopback addresses,
// or to a socket that it has not made; that opened a socket of AF_ALG, AF_NETLINK or the like;
// that wrote into the repository; that read a pipe, or a file in a folder for temporary files
// that is not its own; that mounted more than an empty file system in a folder of its own,
// changed its root, or opened files by handle; whose inputs changed while it ran; that is a
// fuzzer, a benchmark or a profile; or whose trace is not understood to the last line. Without
// strace nothing is remembered. If strace itself fails, the command is run again without it.
//
// # What is accepted
//
// The clock, random numbers, load, memory and limits of the process are not observed:
// what depends on them must not be run by once. Nor are the instruction CPUID without
// -native, answers to those who connect from outside, and other mounts over what was
// read. Go's own folder, its caches of modules and of what it built, and staticcheck's cache
// are taken to be what their names say: nobody edits them in place. Files that a run leaves behind
// outside the repository are inputs of the next run that reads them, and are not restored
// with a result, except those of -out. Where the repository is does not matter.
//
// # Options and variables
//
//	-exec       the command is, or runs, a test binary of Go
//	-guest      the same; its test log comes from a guest (ci/rig)
//	-native     the result depends on the CPU
//	-env LIST   more variables for a tool, separated by commas
//	-plain LIST folders whose tests are run without strace, because they use ptrace
//	            themselves, and so never remembered, separated by commas: ./ci/rig
//	-whole LIST folders whose tests depend on the whole repository, and run without strace
//	-out FILE   a file that the command writes: remembered and restored with the result
//
// The command's standard input is empty. CI_FRESH=1 runs every command. CI_ONCE=off does so
// without strace and remembers nothing, for a machine that runs everything once. ONCE_REPORT names
// a file to which once appends a line of JSON for each command: see type report. Results
// are in the folder passed of $XDG_CACHE_HOME/cipherlane-ci, for a month.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

type options struct {
	exec, guest, native bool
	env, out, plain     []string
	whole               []string
	command             []string

	all bool // whether the folder is one of whole
}

// untraced reports whether the command is not traced: a guest that strace cannot follow is not.
func (o *options) untraced() bool {
	return o.all || o.guest && slices.ContainsFunc(o.command[:testBinary(o.command)], func(a string) bool {
		return a == "-uml" || strings.HasPrefix(a, "-uml=")
	})
}

func main() {
	var o options
	flag.BoolVar(&o.exec, "exec", false, "the command is, or runs, a test binary of Go")
	flag.BoolVar(&o.guest, "guest", false, "the test binary runs in a guest, from which ci/rig gets its test log")
	flag.BoolVar(&o.native, "native", false, "the result depends on this CPU")
	list := func(list *[]string) func(string) error {
		return func(s string) error {
			*list = append(*list, strings.Split(s, ",")...)
			return nil
		}
	}
	flag.Func("env", "more variables for a tool, a `list`", list(&o.env))
	flag.Func("plain", "folders whose tests are run without strace, a `list`", list(&o.plain))
	flag.Func("whole", "folders whose tests depend on the whole repository, a `list`", list(&o.whole))
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
	CPU        float64 // seconds that the run took, now or when it was run
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

// off reports whether nothing is to be remembered.
func off() bool { return os.Getenv("CI_ONCE") == "off" }

// once runs a command unless its result is known, and returns its exit status.
func once(o options, out io.Writer) (int, error) {
	start := time.Now()
	closeInherited()
	if os.Getenv("ONCE_INSIDE") != "" { // a process can be traced only once
		return plain(o, out)
	}
	p, err := newPlaces()
	if err != nil {
		return 126, err
	}
	r := report{Folder: p.name(p.cwd), Command: o.command}
	if slices.Contains(o.plain, r.Folder) {
		status, err := plain(o, out)
		r.Status, r.Never = status, "is not to be traced"
		r.write(start)
		return status, err
	}
	o.all = slices.Contains(o.whole, r.Folder)
	for _, name := range o.out {
		p.private = append(p.private, real(join(p.cwd, name)))
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
	if os.Getenv("CI_FRESH") == "" && !off() {
		var found *result
		if found, r.Changed = s.find(p, o); found != nil {
			if err := found.restore(o.out); err != nil {
				return 126, err
			}
			r.Remembered, r.CPU = found.Date.Format("2006-01-02"), found.CPU
			out.Write(found.Output)
			fmt.Fprintf(out, "(remembered, %s)\n", r.Remembered)
			r.write(start)
			return 0, nil
		}
	}
	res, status, err := p.run(o, environment, out, start)
	if err == nil && status == 0 && res.never == "" {
		if again, e := p.key(o, environment); e != nil || again != k {
			res.never = "the command changed while it ran"
		}
	}
	if err == nil && status == 0 && res.never == "" {
		err = s.save(res)
		p.forget(start)
	}
	if res != nil {
		r.CPU = res.CPU
	}
	switch r.Status = status; {
	case err != nil:
		r.Never = err.Error()
	case !off():
		r.Never = res.never
	}
	r.write(start)
	return status, err
}
