//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// built is a folder with the program once. It reads cpuinfo and version above the folder
// where it runs instead of /proc/cpuinfo and /proc/version.
var built string

func TestMain(m *testing.M) {
	flag.Parse()
	if flag.NArg() > 0 {
		os.Exit(m.Run()) // only TestAct
	}
	os.Exit(prepared(m))
}

func prepared(m *testing.M) int {
	dir, err := os.MkdirTemp("", "once-test")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"once", "other"} { // programs that differ
		flags := "-X main.cpuinfo=../cpuinfo -X main.version=../version"
		if name == "other" {
			flags += " -s"
		}
		if out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags", flags, "-o", dir+"/"+name, ".").CombinedOutput(); err != nil {
			log.Printf("%v\n%s", err, out)
			return 1
		}
	}
	built = dir
	return m.Run()
}

// A repository is a folder that once takes for one.
type repository struct {
	testing.TB
	top    string
	dir    string // of the command, below top
	once   string
	env    []string
	report string
	other  string // a folder elsewhere
}

const sources = `package p

import "testing"

func Test(t *testing.T) { t.Log("one") }
`

func newRepository(t testing.TB) *repository {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip(err)
	}
	r := &repository{TB: t, top: filepath.Join(t.TempDir(), "top"), once: built + "/once"}
	r.dir = r.top + "/p"
	r.write("go.work", "go 1.26\n\nuse .\n")
	r.write("go.mod", "module example.org/m\n\ngo 1.26\n")
	r.write("p/p_test.go", sources)
	r.write("p/testdata/x", "x")
	r.write("bin/emulator", "#!/bin/sh\nexec \"$@\"\n")
	r.write("cpuinfo", "model name : one\nflags : a b\n")
	r.write("version", "Linux one")
	cache := t.TempDir()
	r.report = cache + "/report"
	r.setenv("XDG_CACHE_HOME", cache)
	r.setenv("ONCE_REPORT", r.report)
	r.setenv("ONCE_INSIDE", "")
	r.setenv("CI_FRESH", "")
	r.setenv("CI_ONCE", "")
	r.setenv("GOFLAGS", "-buildvcs=false")
	r.setenv("PATH", r.top+"/first:"+r.top+"/bin:"+os.Getenv("PATH"))
	return r
}

func (r *repository) setenv(name, value string) { r.env = append(r.env, name+"="+value) }

func (r *repository) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.top, name)
}

// write writes a file, which is executable if it is in a folder bin or first. It makes a
// new one, so that a file that is open stays as it is.
func (r *repository) write(name, text string) {
	r.Helper()
	name = r.path(name)
	mode := os.FileMode(0o644)
	if dir := filepath.Base(filepath.Dir(name)); dir == "bin" || dir == "first" {
		mode = 0o755
	}
	os.Remove(name)
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, []byte(text), mode)
	}
	if err != nil {
		r.Fatal(err)
	}
}

func (r *repository) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// A trip is what a run of once did.
type trip struct {
	report
	out string
}

// run runs once.
func (r *repository) run(arguments ...string) trip {
	r.Helper()
	cmd := exec.Command(r.once, arguments...)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), r.env...)
	return r.start(cmd)
}

var remembered = regexp.MustCompile(`\(remembered, [0-9]{4}-[0-9]{2}-[0-9]{2}\)\n`)

// start runs a command that runs once a single time.
func (r *repository) start(cmd *exec.Cmd) trip {
	r.Helper()
	os.Remove(r.report)
	out, err := cmd.CombinedOutput()
	t := trip{out: string(out)}
	text, e := os.ReadFile(r.report)
	if e != nil {
		r.Fatalf("%v: no report: %v\n%s", cmd, err, out)
	}
	if err := json.Unmarshal(text, &t.report); err != nil {
		r.Fatalf("%q: %v", text, err)
	}
	marked := remembered.MatchString(t.out)
	if marked != (t.Remembered != "") {
		r.Fatalf("the report and the output differ: %s %s", text, out)
	}
	t.out = remembered.ReplaceAllString(t.out, "")
	return t
}

// act returns the command for TestAct, which does what the steps say.
func (r *repository) act(steps ...string) []string {
	r.Helper()
	binary := filepath.Join(r.TempDir(), "go-build1/b001/act.test")
	r.must(os.MkdirAll(filepath.Dir(binary), 0o755))
	self, err := os.Executable()
	r.must(err)
	if err := os.Link(self, binary); err != nil {
		b, err := os.ReadFile(self)
		r.must(err)
		r.must(os.WriteFile(binary, b, 0o755))
	}
	return append([]string{binary, "-test.run=^TestAct$", "-test.v", "--"}, steps...)
}

// TestAct is what the tests of once run as a test binary.
func TestAct(t *testing.T) {
	if flag.NArg() == 0 {
		t.Skip("for other tests")
	}
	for _, step := range flag.Args() {
		verb, what, _ := strings.Cut(step, " ")
		if err := act(verb, what); err != nil {
			t.Logf("%s: %v", step, err)
		}
	}
}

func act(verb, what string) error {
	switch verb {
	case "read":
		_, err := os.ReadFile(what)
		return err
	case "call": // what the test log has not
		fd, err := syscall.Open(what, syscall.O_RDONLY, 0)
		if err == nil {
			syscall.Close(fd)
		}
		return err
	case "names": // without O_DIRECTORY
		f, err := os.Open(what)
		if err == nil {
			_, err = f.Readdirnames(-1)
			f.Close()
		}
		return err
	case "list":
		_, err := os.ReadDir(what)
		return err
	case "link":
		_, err := os.Readlink(what)
		return err
	case "variable":
		os.Getenv(what)
	case "sh":
		return exec.Command("sh", "-c", what).Run()
	case "in": // a folder, and a file
		dir, name, _ := strings.Cut(what, " ")
		cmd := exec.Command("cat", name)
		cmd.Dir = dir
		return cmd.Run()
	case "socket":
		var domain int
		fmt.Sscan(what, &domain)
		fd, err := syscall.Socket(domain, syscall.SOCK_RAW, 0)
		if err != nil {
			fd, err = syscall.Socket(domain, syscall.SOCK_SEQPACKET, 0)
		}
		if err == nil {
			syscall.Close(fd)
		}
	case "connect": // over UDP, so that nothing is sent
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		defer syscall.Close(fd)
		syscall.Connect(fd, &syscall.SockaddrInet4{Port: 9, Addr: [4]byte{192, 0, 2, 1}})
	case "send": // nowhere
		syscall.Sendto(-1, []byte("x"), 0, &syscall.SockaddrInet4{Port: 9, Addr: [4]byte{192, 0, 2, 1}})
	case "unix":
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		defer syscall.Close(fd)
		return syscall.Connect(fd, &syscall.SockaddrUnix{Name: what})
	case "unshare":
		syscall.Unshare(syscall.CLONE_NEWNS)
	case "update": // reads and writes a file that may exist
		f, err := os.OpenFile(what, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		var b [1]byte
		f.Read(b[:])
		return f.Close()
	case "through": // a link of its own
		link := filepath.Join(os.TempDir(), "link")
		to, err := filepath.Abs(what)
		if err == nil {
			err = os.Symlink(to, link)
		}
		if err != nil {
			return err
		}
		_, err = os.Stat(link)
		os.Remove(link)
		return err
	case "exit":
		os.Exit(3)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	default:
		return fmt.Errorf("what is %q?", verb)
	}
	return nil
}

// TestIngredients changes one thing on which a result depends, and sees the command run
// again. Before that nothing has changed, and the result is remembered.
func TestIngredients(t *testing.T) {
	appends := func(name string) func(*repository) {
		return func(r *repository) { r.write(name, "changed") }
	}
	sets := func(name, value string) func(*repository) {
		return func(r *repository) { r.setenv(name, value) }
	}
	exec, tool := true, false
	for _, c := range []struct {
		name    string
		exec    bool
		command []string
		before  func(*repository)
		change  func(*repository)
	}{
		{"once", tool, []string{"true"}, nil, func(r *repository) { r.once = built + "/other" }},
		{"folder", tool, []string{"true"}, nil, func(r *repository) { r.dir = filepath.Dir(r.path("q/x")); r.must(os.Mkdir(r.dir, 0o755)) }},
		{"kernel", tool, []string{"true"}, nil, appends("version")},
		{"PATH", tool, []string{"true"}, nil, func(r *repository) { r.setenv("PATH", r.top+"/more:"+os.Getenv("PATH")) }},
		{"HOME", tool, []string{"true"}, nil, sets("HOME", "/nowhere")},
		{"GODEBUG", tool, []string{"true"}, nil, sets("GODEBUG", "x=1")},
		{"GOFLAGS", tool, []string{"true"}, nil, sets("GOFLAGS", "-v")},
		{"QEMU_CPU", exec, []string{"read testdata/x"}, nil, sets("QEMU_CPU", "max")},
		{"CIPHERLANE", exec, []string{"read testdata/x"}, nil, sets("CIPHERLANE_X", "generic")},
		{"CI", tool, []string{"true"}, nil, sets("CI", "other")},
		{"KCAPI_REQUIRE", tool, []string{"true"}, nil, sets("KCAPI_REQUIRE", "x")},
		{"LINUX_X", tool, []string{"true"}, nil, sets("LINUX_X", "x")},
		{"FUZZ_X", tool, []string{"true"}, nil, sets("FUZZ_X", "x")},
		{"VALGRIND", tool, []string{"true"}, nil, sets("VALGRIND", "x")},
		{"LC_ALL", tool, []string{"true"}, nil, sets("LC_ALL", "POSIX")},
		{"TZ", tool, []string{"true"}, nil, sets("TZ", "UTC")},
		{"LD_LIBRARY_PATH", tool, []string{"true"}, nil, sets("LD_LIBRARY_PATH", "/nowhere")},
		{"a variable of the test log", exec, []string{"variable X_Y"}, nil, sets("X_Y", "1")},
		{"an empty variable of the test log", exec, []string{"variable X_Y"}, nil, sets("X_Y", "")},
		{"a variable of a child", exec, []string{"sh true"}, nil, sets("X_Y", "1")},
		{"-env", tool, []string{"-env", "X_Y", "true"}, nil, sets("X_Y", "1")},
		{"os.ReadFile", exec, []string{"read testdata/x"}, nil, appends("p/testdata/x")},
		{"a system call", exec, []string{"call testdata/x"}, nil, appends("p/testdata/x")},
		{"a child", exec, []string{"sh cat testdata/x"}, nil, appends("p/testdata/x")},
		{"a child elsewhere", exec, []string{"in testdata x"}, nil, appends("p/testdata/x")},
		{"a tool", tool, []string{"cat", "testdata/x"}, nil, appends("p/testdata/x")},
		{"a relative path", tool, []string{"sh", "-c", "cd testdata && (cd .. && cat p_test.go) && cat <x"}, nil, appends("p/testdata/x")},
		{"a relative path up", tool, []string{"sh", "-c", "cd testdata && (cd .. && cat p_test.go) && cat <x"}, nil, appends("p/p_test.go")},
		{"a pipeline", tool, []string{"sh", "-c", "cd testdata; cat x | (cd ..; cat; cat p_test.go) | cat"}, nil, appends("p/testdata/x")},
		{"an odd name", tool, []string{"cat", "a \"b\",<c>\n(d) = 3\\é"}, func(r *repository) { r.write("p/a \"b\",<c>\n(d) = 3\\é", "") }, appends("p/a \"b\",<c>\n(d) = 3\\é")},
		{"permissions", tool, []string{"cat", "testdata/x"}, nil, func(r *repository) { r.must(os.Chmod(r.path("p/testdata/x"), 0o600)) }},
		{"a file goes", exec, []string{"read testdata/x"}, nil, func(r *repository) { r.must(os.Remove(r.path("p/testdata/x"))) }},
		{"a file comes", exec, []string{"read testdata/y"}, nil, appends("p/testdata/y")},
		{"a folder comes", exec, []string{"read other/y"}, nil, appends("p/other/y")},
		{"a new name", exec, []string{"list testdata"}, nil, appends("p/testdata/y")},
		{"a new name with open", exec, []string{"names testdata"}, nil, appends("p/testdata/y")},
		{"a new name for a child", tool, []string{"sh", "-c", "echo testdata/*"}, nil, appends("p/testdata/y")},
		{"a link", exec, []string{"read l"}, linked("testdata/x"), linked("p_test.go")},
		{"a link to the same contents", exec, []string{"link l"}, linked("testdata/x"), linked("../p/testdata/x")},
		{"what a link leads to", exec, []string{"read l"}, linked("testdata/x"), appends("p/testdata/x")},
		{"up from a link", exec, []string{"call l/../file"}, func(r *repository) {
			r.write("a/file", "")
			r.write("a/b/file", "")
			linked("../a/b")(r)
			r.write("p/file", "not this")
		}, appends("a/file")},
		{"a link of its own", exec, []string{"through testdata/x"}, nil, appends("p/testdata/x")},
		{"a program", tool, []string{"tool"}, func(r *repository) { r.write("bin/tool", "#!/bin/sh\n") }, func(r *repository) { r.write("bin/tool", "#!/bin/sh\n#\n") }},
		{"an earlier program", tool, []string{"tool"}, func(r *repository) { r.write("bin/tool", "#!/bin/sh\n") }, func(r *repository) { r.write("first/tool", "#!/bin/sh\n") }},
		{"an earlier program of a child", exec, []string{"sh tool"}, func(r *repository) { r.write("bin/tool", "#!/bin/sh\n") }, func(r *repository) { r.write("first/tool", "#!/bin/sh\n") }},
		{"an interpreter", tool, []string{"tool"}, func(r *repository) {
			b, err := os.ReadFile("/bin/cat")
			r.must(err)
			r.write("bin/interpreter", string(b))
			r.write("bin/tool", "#!"+r.top+"/bin/interpreter\n")
		}, func(r *repository) {
			b, err := os.ReadFile("/bin/true")
			r.must(err)
			r.write("bin/interpreter", string(b))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			if c.before != nil {
				c.before(r)
			}
			command := c.command
			if c.exec {
				command = append([]string{"-exec"}, r.act(command...)...)
			}
			r.again(command, c.change)
		})
	}
}

func linked(to string) func(*repository) {
	return func(r *repository) {
		os.Remove(r.path("p/l"))
		r.must(os.Symlink(to, r.path("p/l")))
	}
}

// again runs a command twice, makes a change and runs it again.
func (r *repository) again(command []string, change func(*repository)) {
	r.Helper()
	first := r.run(command...)
	if first.Remembered != "" || first.Never != "" || first.Status != 0 {
		r.Fatalf("first run: %+v", first)
	}
	second := r.run(command...)
	if second.Remembered == "" || second.out != first.out {
		r.Fatalf("not remembered: %+v, then %+v", first, second)
	}
	change(r)
	if third := r.run(command...); third.Remembered != "" {
		r.Fatalf("remembered after the change: %+v", third)
	}
}

// With -whole, anything in the repository is an ingredient, and every variable; .git is not.
func TestWhole(t *testing.T) {
	for name, change := range map[string]func(*repository){
		"a file that the test does not read": func(r *repository) { r.write("q/other", "changed") },
		"a new file":                         func(r *repository) { r.write("q/new", "") },
		"permissions":                        func(r *repository) { r.must(os.Chmod(r.path("q/other"), 0o600)) },
		"a link":                             func(r *repository) { r.must(os.Remove(r.path("q/l"))); r.must(os.Symlink("new", r.path("q/l"))) },
		"a variable":                         func(r *repository) { r.setenv("X_Y", "1") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			r.write("q/other", "")
			r.must(os.Symlink("other", r.path("q/l")))
			r.write(".git/HEAD", "")
			command := append([]string{"-whole", "./p", "-exec"}, r.act("sh cat testdata/x")...)
			r.again(command, change)
			if got := r.run(command...); got.Remembered == "" {
				t.Errorf("%+v", got)
			}
			r.write(".git/HEAD", "changed")
			if got := r.run(command...); got.Remembered == "" {
				t.Errorf("after a change of .git: %+v", got)
			}
		})
	}
}

// An ingredient of test binaries and emulators, which the command names.
func TestBinaries(t *testing.T) {
	t.Run("binary", func(t *testing.T) {
		t.Parallel()
		r := newRepository(t)
		command := append([]string{"-exec"}, r.act("read testdata/x")...)
		r.again(command, func(r *repository) {
			b, err := os.ReadFile(command[1])
			r.must(err)
			r.must(os.Remove(command[1]))
			r.must(os.WriteFile(command[1], append(b, 0), 0o755))
		})
	})
	t.Run("place", func(t *testing.T) { // go test has a new folder each time
		t.Parallel()
		r := newRepository(t)
		r.run(append([]string{"-exec"}, r.act("read testdata/x")...)...)
		if got := r.run(append([]string{"-exec"}, r.act("read testdata/x")...)...); got.Remembered == "" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("flag", func(t *testing.T) {
		t.Parallel()
		r := newRepository(t)
		command := append([]string{"-exec"}, r.act("read testdata/x")...)
		r.run(command...)
		command[2] = "-test.run=^TestAct$|^X$"
		if got := r.run(command...); got.Remembered != "" || got.Status != 0 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("time limit", func(t *testing.T) {
		t.Parallel()
		r := newRepository(t)
		command := append([]string{"-exec"}, r.act("read testdata/x")...)
		r.run(command...)
		command[3] = "-test.timeout=1h"
		r.run(append(command[:4:4], append([]string{"-test.v"}, command[4:]...)...)...)
		command[3] = "-test.timeout=2h"
		if got := r.run(append(command[:4:4], append([]string{"-test.v"}, command[4:]...)...)...); got.Remembered == "" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("emulator", func(t *testing.T) {
		t.Parallel()
		r := newRepository(t)
		r.again(append([]string{"-exec", "emulator"}, r.act("read testdata/x")...), func(r *repository) {
			r.write("bin/emulator", "#!/bin/sh\nexec \"$@\" # changed\n")
		})
	})
	t.Run("native", func(t *testing.T) {
		t.Parallel()
		r := newRepository(t)
		change := func(r *repository) { r.write("cpuinfo", "model name : one\nflags : a b c\n") }
		r.again(append([]string{"-exec", "-native"}, r.act("read testdata/x")...), change)
		command := append([]string{"-exec"}, r.act("read testdata/x")...)
		r.run(command...)
		r.write("cpuinfo", "model name : two\n")
		if got := r.run(command...); got.Remembered == "" { // it does not matter without -native
			t.Errorf("%+v", got)
		}
		r.again(append([]string{"-exec"}, r.act("read /proc/cpuinfo")...), change) // unless it is read
	})
	t.Run("own folder", func(t *testing.T) { // whose other files are as all others
		t.Parallel()
		r := newRepository(t)
		command := r.act("read testdata/x")
		r.must(os.Link(command[0], r.path("p/own.test")))
		command[0] = r.path("p/own.test")
		r.again(append([]string{"-exec"}, command...), func(r *repository) { r.write("p/testdata/x", "changed") })
	})
}

func TestOut(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	command := []string{"-out", "made", "-out", r.elsewhere() + "/too", "sh", "-c", "cat testdata/x >made; cat made made >$0"}
	command = append(command, command[3])
	r.again(command, func(r *repository) {
		for name, want := range map[string]string{r.path("p/made"): "x", command[3]: "xx"} {
			if b, err := os.ReadFile(name); err != nil || string(b) != want {
				t.Errorf("%s: %q %v", name, b, err)
			}
			r.must(os.Remove(name))
		}
		r.run(command...)
		if b, err := os.ReadFile(command[3]); err != nil || string(b) != "xx" {
			t.Errorf("not restored: %q %v", b, err)
		}
		r.write("p/testdata/x", "y")
	})
	if b, _ := os.ReadFile(r.path("p/made")); string(b) != "y" {
		t.Errorf("%q", b)
	}
	if got := r.run(command[2:]...); got.Remembered != "" {
		t.Errorf("with one file less: %+v", got)
	}
}

// In a guest only what the test log and the arguments name is known. This one is no guest,
// but what rig prints and writes is the same.
func TestGuest(t *testing.T) {
	const rig = "#!/bin/sh\nshift 2\nbinary=$1\nshift\nexec \"$binary\" \"-test.testlogfile=$RIG_TESTLOG\" \"$@\"\n"
	for _, c := range []struct {
		name, step string
		change     func(*repository)
	}{
		{"kernel", "read testdata/x", func(r *repository) { r.write("bin/linux", "changed") }},
		{"rig", "read testdata/x", func(r *repository) { r.write("bin/rig", rig+"#") }},
		{"file", "read testdata/x", func(r *repository) { r.write("p/testdata/x", "changed") }},
		{"a file comes", "read testdata/y", func(r *repository) { r.write("p/testdata/y", "") }},
		{"a file goes", "read testdata/x", func(r *repository) { r.must(os.Remove(r.path("p/testdata/x"))) }},
		{"names", "list testdata", func(r *repository) { r.write("p/testdata/y", "") }},
		{"variable", "variable X_Y", func(r *repository) { r.setenv("X_Y", "") }},
	} {
		for _, option := range []string{"-uml", "-kernel"} {
			t.Run(c.name+option, func(t *testing.T) {
				t.Parallel()
				r := newRepository(t)
				r.write("bin/linux", "kernel")
				program := rig
				if option == "-kernel" { // which strace sees
					program = strings.Replace(rig, "\n", "\ncat <$2\n", 1)
				}
				r.write("bin/rig", program)
				command := append([]string{"-guest", "rig", option, r.top + "/bin/linux"}, r.act(c.step)...)
				if c.name == "rig" {
					command[1] = "../bin/rig"
				}
				r.again(command, c.change)
			})
		}
	}
	t.Run("no log", func(t *testing.T) {
		t.Parallel()
		r := newRepository(t)
		r.write("bin/rig", "#!/bin/sh\n")
		command := append([]string{"-guest", "rig", "-uml", r.top + "/bin/linux"}, r.act("read testdata/x")...)
		if got := r.run(command...); !strings.Contains(got.Never, "no test log") {
			t.Errorf("%+v", got)
		}
	})
}

func TestNamed(t *testing.T) {
	dir := t.TempDir()
	p := &places{top: "/nowhere"}
	at := func(a string) string {
		t.Helper()
		text, err := p.named(a, false)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, name := range []string{"file", "folder/x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("one"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link": "folder", "folder/l": "x"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		argument string
		change   func() error
	}{
		{dir + "/file", func() error { return os.WriteFile(dir+"/file", []byte("two"), 0o644) }},
		{"-uml=" + dir + "/file", func() error { return os.WriteFile(dir+"/file", []byte("six"), 0o644) }},
		{dir + "/folder", func() error { return os.WriteFile(dir+"/folder/y", nil, 0o644) }},
		{dir + "/link", func() error { return os.WriteFile(dir+"/folder/x", []byte("four"), 0o644) }},
		{dir + "/folder", func() error { return errors.Join(os.Remove(dir+"/folder/l"), os.Symlink("y", dir+"/folder/l")) }},
		{dir + "/folder", func() error { return os.Rename(dir+"/folder/y", dir+"/folder/z") }},
	} {
		before := at(c.argument)
		if again := at(c.argument); again != before {
			t.Errorf("%s: %s, then %s", c.argument, before, again)
		}
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		if at(c.argument) == before {
			t.Errorf("%s: the change was not noticed", c.argument)
		}
	}
	if got := at("seccomp=auto"); got != "seccomp=auto" {
		t.Errorf("%q", got)
	}
}

// A file elsewhere that is opened to be changed, but is not, is an input as all others.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	file := r.elsewhere() + "/file"
	r.write(file, "x")
	r.again(append([]string{"-exec"}, r.act("update "+file)...), func(r *repository) { r.write(file, "y") })
}

// CI_FRESH runs what is remembered, and remembers that.
func TestFresh(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.run("cat", "testdata/x")
	r.setenv("CI_FRESH", "1")
	if got := r.run("cat", "testdata/x"); got.Remembered != "" || got.out != "x" {
		t.Errorf("%+v", got)
	}
	r.setenv("CI_FRESH", "")
	if got := r.run("cat", "testdata/x"); got.Remembered == "" || got.out != "x" {
		t.Errorf("%+v", got)
	}
}

// CI_ONCE=off runs what is remembered, without strace, and does not remember it.
func TestOff(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	traced := []string{"sh", "-c", "cat testdata/x; grep TracerPid: /proc/self/status"}
	r.run("cat", "testdata/x")
	r.setenv("CI_ONCE", "off")
	for _, command := range [][]string{{"cat", "testdata/x"}, traced} {
		if got := r.run(command...); got.Remembered != "" || got.Never != "" || strings.Contains(strings.ReplaceAll(got.out, "TracerPid:\t0", ""), "TracerPid") {
			t.Errorf("%+v", got)
		}
	}
	r.setenv("CI_ONCE", "")
	if got := r.run(traced...); got.Remembered != "" || strings.Contains(got.out, "TracerPid:\t0") {
		t.Errorf("%+v", got)
	}
}

// What goes back and forth between versions is remembered in each.
func TestBackAndForth(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	for _, text := range []string{"x", "y"} {
		r.write("p/testdata/x", text)
		if got := r.run("cat", "testdata/x"); got.Remembered != "" || got.Changed != map[string]string{"x": "", "y": "./p/testdata/x"}[text] {
			t.Errorf("%+v", got)
		}
	}
	for _, text := range []string{"x", "y", "x"} {
		r.write("p/testdata/x", text)
		if got := r.run("cat", "testdata/x"); got.Remembered == "" || got.out != text {
			t.Errorf("%+v", got)
		}
	}
}

// Another work tree with the same files has the same results.
func TestMoved(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.setenv("PATH", os.Getenv("PATH"))
	r.run("cat", "testdata/x")
	to := filepath.Join(t.TempDir(), "top")
	r.must(os.Rename(r.top, to))
	r.top, r.dir = to, to+"/p"
	if got := r.run("cat", "testdata/x"); got.Remembered == "" {
		t.Errorf("%+v", got)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	ran := 0.0
	for i, want := range []report{
		{Folder: "./p", Command: []string{"cat", "testdata/x"}},
		{Folder: "./p", Command: []string{"cat", "testdata/x"}, Remembered: "date"},
		{Folder: "./p", Command: []string{"sh", "-c", "exit 3"}, Status: 3},
		{Folder: "./p", Command: []string{"sh", "-c", "kill -9 $$"}, Status: 128 + 9},
		{Folder: "./p", Command: []string{"/nowhere"}, Status: 127},
	} {
		got := r.run(want.Command...)
		if got.Seconds <= 0 {
			t.Errorf("%d: %+v", i, got)
		}
		if got.Remembered != "" {
			if got.CPU != ran {
				t.Errorf("a result of %v seconds of CPU took %v", got.CPU, ran)
			}
			got.Remembered = "date"
		}
		if ran = got.CPU; ran <= 0 && want.Status < 127 {
			t.Errorf("%d: no CPU time", i)
		}
		got.Seconds, got.CPU = 0, 0
		if g, w := fmt.Sprint(got.report), fmt.Sprint(want); g != w && want.Status != 127 {
			t.Errorf("%d: %s, want %s", i, g, w)
		} else if want.Status == 127 && got.Status == 0 {
			t.Errorf("%d: %s", i, g)
		}
	}
}

// The whole way, through go test.
func TestGoTest(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	test := func() trip {
		t.Helper()
		cmd := exec.Command("go", "test", "-exec", r.once+" -exec -native", "-v", ".")
		cmd.Dir, cmd.Env = r.dir, append(os.Environ(), r.env...)
		got := r.start(cmd)
		if !strings.Contains(got.out, "PASS\nok ") {
			t.Fatalf("%+v", got)
		}
		return got
	}
	if got := test(); got.Remembered != "" || got.Never != "" || got.Folder != "./p" || !strings.Contains(got.out, "one") {
		t.Errorf("%+v", got)
	}
	if got := test(); got.Remembered == "" || !strings.Contains(got.out, "one") {
		t.Errorf("%+v", got)
	}
	r.write("p/p_test.go", strings.ReplaceAll(sources, "one", "two"))
	if got := test(); got.Remembered != "" || !strings.Contains(got.out, "two") {
		t.Errorf("%+v", got)
	}
}
