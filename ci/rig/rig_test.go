//go:build linux

package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain lets this test binary also serve as the program in the guest.
func TestMain(m *testing.M) {
	if what := os.Getenv("CIPHERLANE_RIG_TEST"); what != "" {
		inGuest(what)
	}
	os.Exit(m.Run())
}

func inGuest(what string) {
	switch what {
	case "testlog":
		log := strings.TrimPrefix(os.Args[1], "-test.testlogfile=")
		fmt.Printf("arguments %q, no end of line", os.Args[2:])
		if err := os.WriteFile(log, []byte("# test log\ngetenv X\n"), 0o600); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if slices.Contains(os.Args, "-fail") {
			os.Exit(1)
		}
	case "report":
		dir, _ := os.Getwd()
		_, err := os.Stat("rig_test.go")
		fmt.Printf("user %d, RIG=%s, in %s, %v, arguments %q\n", os.Getuid(), os.Getenv("RIG"), dir, err, os.Args[1:])
		f, err := os.CreateTemp("", "")
		if err != nil {
			fmt.Println("no temporary file:", err)
		} else {
			f.Close()
		}
		if _, err := os.Create("written"); err == nil {
			fmt.Println("could write to the host")
		}
		fmt.Print("no end of line")
	case "status":
		os.Exit(3)
	case "panic":
		panic("this is a test")
	case "signal":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "bytes":
		os.Stdout.WriteString("a\r\nb\n\rc\x00\xff\n")
	case "power":
		fmt.Println("going")
		unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	case "hang":
		fmt.Println("hanging")
		time.Sleep(time.Hour)
	}
	os.Exit(0)
}

var must = flag.Bool("must", false, "fail if a kernel or an emulator is missing")

// cached returns the path of a thing that ci/rig/get has in its cache.
func cached(t *testing.T, thing string) string {
	t.Helper()
	cmd := exec.Command("./get", "-n", thing)
	var why bytes.Buffer
	cmd.Stderr = &why
	out, err := cmd.Output()
	if err != nil && *must {
		t.Fatalf("%v: %s", err, &why)
	}
	if err != nil {
		t.Skip(strings.TrimSpace(why.String()))
	}
	return strings.TrimSpace(string(out))
}

// build builds rig and returns its path.
func build(t *testing.T) string {
	t.Helper()
	rig := filepath.Join(t.TempDir(), "rig")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", rig, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return rig
}

// A trial is a run of inGuest with the expected results.
type trial struct {
	name, what string
	flags      []string
	args       []string
	status     int
	out        string   // all of the standard output, unless empty
	has        []string // strings that must be in the output or in the standard error
	program    string   // the program, if not this one
}

func (c trial) run(t *testing.T, rig string, machine ...string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if c.program != "" {
		self = c.program
	}
	cmd := exec.Command(rig, slices.Concat(machine, c.flags, []string{self}, c.args)...)
	cmd.Env = append(os.Environ(), "CIPHERLANE_RIG_TEST="+c.what)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != c.status {
		t.Errorf("exit status %d, want %d", got, c.status)
	}
	if c.out != "" && out.String() != c.out {
		t.Errorf("output\n%q, want\n%q", &out, c.out)
	}
	for _, s := range c.has {
		if !strings.Contains(out.String()+errs.String(), s) {
			t.Errorf("nowhere in the output: %q", s)
		}
	}
	if t.Failed() {
		t.Logf("output:\n%s\nerrors:\n%s", &out, &errs)
	}
}

func TestUML(t *testing.T) {
	linux := cached(t, "um-6.12")
	rig := build(t)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []trial{
		{name: "root", what: "report", args: []string{"-x", "a b"}, out: "user 0, RIG=1, in " + dir + ", <nil>, arguments [\"-x\" \"a b\"]\nno end of line"},
		{name: "user", what: "report", flags: []string{"-user"}, out: "user 1000, RIG=1, in " + dir + ", <nil>, arguments []\nno end of line"},
		{name: "bytes", what: "bytes", out: "a\r\nb\n\rc\x00\xff\n"},
		{name: "status", what: "status", status: 3},
		{name: "panic", what: "panic", status: 2, has: []string{"panic: this is a test", "goroutine 1"}},
		{name: "signal", what: "signal", status: 128 + 9, has: []string{"killed"}},
		{name: "kernel panic", what: "report", flags: []string{"-append", "init=/none"}, status: exitDied, has: []string{"Kernel panic", "/none", "without an exit status"}},
		{name: "power off", what: "power", status: exitDied, has: []string{"going\n", "without an exit status"}},
		{name: "time", what: "hang", flags: []string{"-timeout", "5s"}, status: exitTime, has: []string{"hanging\n", "did not end within 5s"}},
		{name: "proc", what: "none", flags: []string{"-proc"}, has: []string{"proc sm4 ", "proc sm3 "}},
		{name: "log", what: "none", flags: []string{"-v"}, has: []string{"NET: Registered PF_ALG", "as init process", "rig: "}},
		{name: "missing", what: "none", flags: []string{"-uml", "/none"}, status: exitNoStart, has: []string{"/none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, rig, "-uml", linux)
		})
	}
}

var logTrials = []trial{
	{what: "testlog", flags: []string{"-user"}, out: "arguments [], no end of line"},
	{what: "testlog", args: []string{"-x"}, out: "arguments [\"-x\"], no end of line"},
	{what: "testlog", args: []string{"-fail"}, status: 1},
}

// logs runs trials in which rig writes the test log, as root and as another user.
func logs(t *testing.T, trials []trial, rig string, machine ...string) {
	for _, c := range trials {
		log := filepath.Join(t.TempDir(), "log")
		t.Setenv("RIG_TESTLOG", log)
		c.run(t, rig, machine...)
		text, err := os.ReadFile(log)
		switch {
		case c.status != 0 && err == nil:
			t.Errorf("%q: there is a test log: %q", c.args, text)
		case c.status == 0 && string(text) != "# test log\ngetenv X\n":
			t.Errorf("%q: test log %q, %v", c.flags, text, err)
		}
	}
}

func TestUMLLog(t *testing.T) {
	linux := cached(t, "um-6.12")
	logs(t, logTrials, build(t), "-uml", linux)
}

// A host with AMX has 11008 bytes of registers for each process.
func TestUMLWithAMX(t *testing.T) {
	linux := cached(t, "um-6.12")
	lib := filepath.Join(t.TempDir(), "amx.so")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", lib, "testdata/amx.c", "-ldl").CombinedOutput(); err != nil {
		t.Skipf("%v\n%s", err, out)
	}
	rig := build(t)
	t.Setenv("LD_PRELOAD", lib)
	trial{what: "status", status: 3}.run(t, rig, "-uml", linux)
}

// The guest has its own /dev/shm, and cannot see the files of the host's.
func TestUMLHidden(t *testing.T) {
	linux := cached(t, "um-6.12")
	rig := build(t)
	dir, err := os.MkdirTemp("/dev/shm", "rig-test")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(dir)
	t.Setenv("TMPDIR", dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(dir+"/program", b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"-user"}, {"-init", rig}} {
		c := trial{what: "status", flags: append([]string{"-uml", linux}, flags...), status: 3, program: dir + "/program"}
		c.run(t, rig)
	}
	for path, want := range map[string]bool{"/dev": true, "/dev/shm/x": true, "/proc/self": true, "/sys": true, "/devel": false, "/tmp/dev": false, "/": false} {
		if hidden(path) != want {
			t.Errorf("hidden(%q) = %v", path, !want)
		}
	}
}

func TestQEMU(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	linux, qemu := cached(t, "debian-6.12"), cached(t, "qemu-x86")
	rig := build(t)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []trial{
		{name: "user", what: "report", flags: []string{"-user", "-timeout", "5m"}, args: []string{"-x"}, out: "user 1000, RIG=1, in " + dir + ", <nil>, arguments [\"-x\"]\nno end of line"},
		{name: "status", what: "status", flags: []string{"-proc"}, status: 3, has: []string{"proc cbc(aes) "}},
		{name: "kernel panic", what: "report", flags: []string{"-append", "rdinit=/none"}, status: exitDied, has: []string{"Kernel panic", "without an exit status"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.run(t, rig, "-arch", "amd64", "-root", qemu, "-kernel", linux+"/kernel", "-modules", linux+"/modules")
		})
	}
	logs(t, logTrials[:2], rig, "-arch", "amd64", "-root", qemu, "-kernel", linux+"/kernel")
}

func TestBochsLog(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	linux, bochs := cached(t, "debian-6.12"), cached(t, "bochs")
	logs(t, logTrials[:1], build(t), "-root", bochs, "-bochs", "tigerlake", "-kernel", linux+"/kernel")
}

// A test that hangs, and one that reaches its own time-out, through go test.
func TestGoTest(t *testing.T) {
	linux := cached(t, "um-6.12")
	rig := build(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module hang\n\ngo 1.26\n",
		"hang_test.go": `package hang

import "testing"

func TestHang(t *testing.T) { select {} }

func TestFail(t *testing.T) { t.Fatal("this fails") }
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		run, timeout string
		has          []string
	}{
		{"TestHang", "1s", []string{"panic: test timed out after 1s", "hang_test.go:5", "FAIL\thang"}},
		{"TestFail", "1m", []string{"this fails", "--- FAIL: TestFail", "FAIL\thang"}},
	} {
		t.Run(c.run, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("go", "test", "-vet=off", "-exec", fmt.Sprintf("%q -uml %q", rig, linux), "-run", c.run, "-timeout", c.timeout, ".")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Error("passed")
			}
			for _, s := range c.has {
				if !strings.Contains(string(out), s) {
					t.Errorf("nowhere in the output: %q\n%s", s, out)
				}
			}
		})
	}
}

func TestParse(t *testing.T) {
	foreign := "riscv64"
	if runtime.GOARCH == foreign {
		foreign = "arm64"
	}
	for _, line := range []string{
		"",
		"-uml linux",
		"program",
		"-uml linux -kernel image program",
		"-uml linux -bochs tigerlake program",
		"-uml linux -modules folder program",
		"-kernel image -arch vax -init rig program",
		"-kernel image -arch " + foreign + " program",
		"-uml linux -nosuch program",
		"-uml linux -timeout x program",
	} {
		var errs bytes.Buffer
		if o, err := parse(strings.Fields(line), &errs); err == nil || o != nil {
			t.Errorf("%q: no error", line)
		} else if !strings.Contains(errs.String(), "usage: rig") {
			t.Errorf("%q: does not tell the usage: %q", line, &errs)
		}
	}

	o, err := parse(strings.Fields("-user -append x=y -uml linux program -test.v -uml -test.timeout=1m0s"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if o.uml != "linux" || !o.user || o.append != "x=y" || o.program != "program" || o.timeout != 90*time.Second ||
		!slices.Equal(o.args, []string{"-test.v", "-uml", "-test.timeout=1m0s"}) {
		t.Errorf("%+v", o)
	}
	o, err = parse(strings.Fields("-timeout 5s -uml linux program -test.timeout=1m"), io.Discard)
	if err != nil || o.timeout != 5*time.Second {
		t.Errorf("-timeout: %v %v", o, err)
	}
}

func TestLimit(t *testing.T) {
	for args, want := range map[string]time.Duration{
		"":                       10*time.Minute + 30*time.Second,
		"-test.timeout=3s":       33 * time.Second,
		"-test.timeout=0":        0,
		"--test.timeout=1h":      time.Hour + 30*time.Second,
		"-test.timeout=soon":     10*time.Minute + 30*time.Second,
		"-x -test.timeout=1m -y": time.Minute + 30*time.Second,
	} {
		if got := limit(strings.Fields(args)); got != want {
			t.Errorf("%q: %v, want %v", args, got, want)
		}
	}
}

func TestPassed(t *testing.T) {
	got := passed("A,B*,C", []string{"A=1", "AB=2", "B=3", "BC=x=y", "C=", "D=4"})
	if want := []string{"A=1", "B=3", "BC=x=y", "C="}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestArguments(t *testing.T) {
	o, err := parse(strings.Fields("-arch riscv64 -init rig -cpu rv64 -append a=b -qemuargs -nosuch -kernel image -qemuargs -such program"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(qemuArguments(o, "/t"), " ")
	for _, s := range []string{"-machine virt ", "-cpu rv64 ", "-kernel image ", "-initrd /t/initrd ", " quiet loglevel=1 a=b ", " -nosuch -such"} {
		if !strings.Contains(line, s) {
			t.Errorf("qemu's arguments lack %q: %s", s, line)
		}
	}
	if strings.Contains(line, "no_timer_check") {
		t.Errorf("a parameter of another architecture: %s", line)
	}
	o, err = parse(strings.Fields("-arch amd64 -init rig -kernel image program"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if line := strings.Join(qemuArguments(o, "/t"), " "); !strings.Contains(line, " no_timer_check") {
		t.Errorf("qemu's arguments lack no_timer_check: %s", line)
	}
	o, err = parse(strings.Fields("-uml linux -rw -v program"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if a := umlArguments(o, "/t"); !slices.Contains(a, "rw") || slices.Contains(a, "ro") || slices.Contains(a, "quiet") || !slices.Contains(a, "rigjob=/t/job") {
		t.Errorf("arguments of User Mode Linux: %q", a)
	}
	o.rw, o.verbose = false, false
	if a := umlArguments(o, "/t"); slices.Contains(a, "rw") || !slices.Contains(a, "ro") || !slices.Contains(a, "quiet") {
		t.Errorf("arguments of User Mode Linux: %q", a)
	}
}

func TestCopyConsole(t *testing.T) {
	for _, c := range []struct {
		in     string
		all    bool
		out    string
		code   int
		hidden string
	}{
		{"boot\r\n#begin\nhello\n#0\nlate\n", false, "hello\n", 0, ""},
		{"boot\r\n#begin\nhello\n#0\nlate\n", true, "boot\nhello\n", 0, ""},
		{"#begin\nhello#17\n", false, "hello", 17, ""},
		{"#begin\na\r\n\r\n#1\r\n", false, "a\r\n\r\n", 1, ""},
		{"#begin\nhalf", false, "half", -1, ""},
		{"boot\r\nKernel panic", false, "", -1, "boot\nKernel panic\n"},
		{"#begin\n#x\n", false, "", -1, ""},
		{"", false, "", -1, ""},
		{"#begin\nhello#log getenv X\n#log open a b\n#0\n", false, "hello", 0, ""},
		{"#begin\n#log getenv X\n#log open a b\n", false, "", -1, ""},
	} {
		var out, log bytes.Buffer
		code, hidden := copyConsole(&out, &log, strings.NewReader(c.in), "#", c.all)
		if want := map[bool]string{true: "getenv X\nopen a b\n"}[strings.Contains(c.in, "#log")]; log.String() != want {
			t.Errorf("%q: test log %q, want %q", c.in, &log, want)
		}
		if code != c.code || out.String() != c.out || string(hidden) != c.hidden {
			t.Errorf("%q: status %d, output %q, hidden %q; want %d, %q, %q", c.in, code, &out, hidden, c.code, c.out, c.hidden)
		}
	}
}

// Lines that come again are left out, unless the folder is another.
func TestCopyLog(t *testing.T) {
	for _, c := range []struct {
		log, out string
		code     int
	}{
		{"# test log\ngetenv A\nopen x\ngetenv A\nchdir /\nopen x\n", "#log # test log\n#log getenv A\n#log open x\n#log chdir /\n#log open x\n", 0},
		{"# test log\nopen x", "rig: the test log is not complete\n", exitDied},
		{"", "rig: the test log is not complete\n", exitDied},
	} {
		file := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(file, []byte(c.log), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := copyLog(&out, file, "#"); code != c.code || out.String() != c.out {
			t.Errorf("%q: %d %q", c.log, code, &out)
		}
	}
	var out bytes.Buffer
	if code := copyLog(&out, "/nowhere", "#"); code != exitDied {
		t.Errorf("%d %q", code, &out)
	}
}

func TestTable(t *testing.T) {
	got := string(table([]byte("name         : sm4\ndriver       : sm4-generic\npriority     : 100\nselftest     : passed\ntype         : cipher\n\nname         : cbc(aes)\ndriver       : virtio_crypto_aes_cbc\npriority     : 150\nselftest     : passed\ntype         : skcipher\nasync        : yes\n\n")))
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 2 || !slices.Equal(strings.Fields(lines[0]), []string{"proc", "sm4", "sm4-generic", "100", "cipher", "async=", "passed"}) ||
		!slices.Equal(strings.Fields(lines[1]), []string{"proc", "cbc(aes)", "virtio_crypto_aes_cbc", "150", "skcipher", "async=yes", "passed"}) {
		t.Errorf("%q", got)
	}
}

// cpio can read the archive. It contains the module's test data, and folders that an
// ordinary user may enter.
func TestInitramfs(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"go.mod", "a/testdata/x", "a/b/testdata/deep/y", "a/b/z", "a/other", ".hidden/testdata/z", "program"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(root, "initrd")
	j := job{Dir: filepath.Join(root, "a/b"), Program: filepath.Join(root, "program")}
	if err := writeInitramfs(file, &options{init: j.Program, modules: filepath.Join(root, "a/testdata")}, []byte("{}"), j); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for len(b) > 0 {
		var mode, size, length int
		fmt.Sscanf(string(b[14:22]), "%x", &mode)
		fmt.Sscanf(string(b[54:62]), "%x", &size)
		fmt.Sscanf(string(b[94:102]), "%x", &length)
		name := string(b[110 : 110+length-1])
		b = b[(110+length+3)&^3:]
		got[name] = fmt.Sprintf("%o %s", mode, b[:size])
		b = b[(size+3)&^3:]
	}
	in := strings.TrimPrefix(root, "/")
	for name, want := range map[string]string{
		"init":                      "100644 program",
		"job":                       "100600 {}",
		"modules/x":                 "100644 a/testdata/x",
		in + "/program":             "100644 program",
		in + "/a/testdata/x":        "100644 a/testdata/x",
		in + "/a/b/testdata/deep/y": "100644 a/b/testdata/deep/y",
		in + "/a/b":                 "40755 ",
		in + "/.hidden/testdata/z":  "",
		in + "/a/b/z":               "100644 a/b/z",
		in + "/a/other":             "",
		in + "/go.mod":              "",
		"tmp":                       "41777 ",
		"TRAILER!!!":                "100000 ",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

// Bochs draws on a terminal of its own, and must not block there.
func TestShow(t *testing.T) {
	master, terminal, err := openTerminal()
	if err != nil {
		t.Skip(err)
	}
	screen, other, err := openTerminal()
	if err != nil {
		t.Skip(err)
	}
	name := other.Name()
	other.Close()
	var said bytes.Buffer
	ended := make(chan bool)
	go func() { show(&said, master); close(ended) }()
	fmt.Fprintf(terminal, "hello\nBochs connected to screen %q\n", name)
	drawn := make(chan error)
	go func() {
		_, err := screen.Write(bytes.Repeat([]byte("\x1b[24;1H\n"), 10000))
		drawn <- err
	}()
	select {
	case err := <-drawn:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("nobody looks at the screen")
	}
	screen.Close()
	terminal.Close()
	<-ended
	if !strings.Contains(said.String(), "hello") {
		t.Errorf("said %q", &said)
	}
}
