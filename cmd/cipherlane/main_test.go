package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// The tests run the test binary itself as the command: it has the same build tags and
// instrumentation, and nothing else must be built.
const asCommand = "CIPHERLANE_TEST_AS_COMMAND"

// namedFiles makes the command use temporary names instead of unnamed files.
const namedFiles = "CIPHERLANE_TEST_NAMED_FILES=1"

func TestMain(m *testing.M) {
	if name, value, _ := strings.Cut(namedFiles, "="); os.Getenv(name) == value {
		newUnnamed = func(string, fs.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }
	}
	if os.Getenv(asCommand) != "" {
		main()
	}
	if _, file, _, ok := runtime.Caller(0); ok && !filepath.IsAbs(file) { // -trimpath: cipherlane go does not know where its source is
		if top, err := filepath.Abs("../.."); err == nil {
			os.Setenv("CIPHERLANE_SOURCE", top)
		}
	}
	os.Unsetenv("CIPHERLANE") // the tests set them themselves
	os.Unsetenv("CIPHERLANE_PROFILE")
	os.Exit(m.Run())
}

// A call describes a run of the command.
type call struct {
	name   string // argv[0]; "" for cipherlane
	stdin  io.Reader
	stdout *os.File // nil to keep what is printed
	files  []*os.File
	dir    string
	env    []string
}

type outcome struct {
	stdout, stderr string
	code           int // -1 if ended by a signal
	signal         syscall.Signal
}

func (c call) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := c.name
	if name == "" {
		name = "cipherlane"
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Args = append([]string{name}, args...)
	cmd.Env = append(append(os.Environ(), asCommand+"=1", "LC_ALL=C"), c.env...)
	cmd.Dir = c.dir
	cmd.Stdin = c.stdin
	cmd.ExtraFiles = c.files
	return cmd
}

func (c call) run(t *testing.T, args ...string) outcome {
	t.Helper()
	cmd := c.command(t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if c.stdout != nil {
		cmd.Stdout = c.stdout
	}
	err := cmd.Run()
	if e := new(exec.ExitError); err != nil && !errors.As(err, &e) {
		t.Fatal(err)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	o := outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), 0}
	if status.Signaled() {
		o.signal = status.Signal()
	}
	return o
}

// ok runs the command and expects it to succeed without output on standard error.
func (c call) ok(t *testing.T, args ...string) string {
	t.Helper()
	o := c.run(t, args...)
	if o.code != 0 || o.stderr != "" {
		t.Fatalf("%q: exit code %d, standard error %q", args, o.code, o.stderr)
	}
	return o.stdout
}

// fails runs the command and expects an exit code and one line on standard error that
// contains words.
func (c call) fails(t *testing.T, code int, words string, args ...string) outcome {
	t.Helper()
	o := c.run(t, args...)
	name := c.name
	if name == "" {
		name = "cipherlane"
	}
	if o.code != code {
		t.Errorf("%q: exit code %d (%v), want %d; standard error %q", args, o.code, o.signal, code, o.stderr)
	}
	if strings.Count(o.stderr, "\n") != 1 || !strings.HasPrefix(o.stderr, name+": ") || !strings.Contains(o.stderr, words) {
		t.Errorf("%q: standard error %q, want one line with %q", args, o.stderr, words)
	}
	return o
}

func write(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// entries lists a directory, including hidden files.
func entries(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// tool returns the path of a program of the system, or skips the test.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s on this system", name)
	}
	return path
}

func devFull(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full on this system")
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// verbs are valid command lines, at least one for every verb.
func workingCalls(t *testing.T) map[string][]string {
	dir := t.TempDir()
	key := write(t, filepath.Join(dir, "key"), []byte(strings.Repeat("0123456789abcdef", 2)+"\n"))
	text := write(t, filepath.Join(dir, "text"), []byte("hello\n"))
	message := filepath.Join(dir, "message")
	call{}.ok(t, "encrypt", "--key-file", key, "-o", message, text)
	private, public, signature := filepath.Join(dir, "private"), filepath.Join(dir, "public"), filepath.Join(dir, "signature")
	call{}.ok(t, "sm2", "keygen", "-o", private, "--public", public)
	call{}.ok(t, "sm2", "sign", "--key", private, "-o", signature, text)
	return map[string][]string{
		"list":       {"list"},
		"list json":  {"list", "--json"},
		"speed":      {"speed", "sm3", "--size", "64", "--seconds", "0.01"},
		"speed json": {"speed", "sm3", "--size", "64", "--seconds", "0.01", "--json"},
		"tune":       {"tune", "sm3", "--seconds", "0.01"},
		"tune json":  {"tune", "sm3", "--seconds", "0.01", "--json"},
		"selftest":   {"selftest", "sm3"},
		"doctor":     {"doctor"},
		"hash":       {"hash", text},
		"hash json":  {"hash", "--json", text},
		"keygen":     {"keygen"},
		"encrypt":    {"encrypt", "--key-file", key, text},
		"decrypt":    {"decrypt", "--key-file", key, message},
		"cipher":     {"cipher", "sm4-ecb", "-q", "--key-file", key, text},
		"sm2 pubkey": {"sm2", "pubkey", "--key", private},
		"sm2 sign":   {"sm2", "sign", "--key", private, text},
		"sm2 verify": {"sm2", "verify", "--public", public, "--signature", signature, text},
		"version":    {"version"},
		"completion": {"completion", "bash"},
		"man":        {"man"},
		"help":       {"help", "list"},
	}
}

func TestUsage(t *testing.T) {
	c := call{}
	c.fails(t, 2, "cipherlane --help", "frobnicate")
	c.fails(t, 2, "cipherlane hash --help", "hash", "--frobnicate")
	c.fails(t, 2, "--format", "speed", "--format", "xml")
	c.fails(t, 2, "--size", "speed", "--size", "0")
	c.fails(t, 2, "--seconds", "speed", "--seconds", "-1")
	c.fails(t, 2, "--seconds", "speed", "--seconds", "NaN")
	c.fails(t, 2, "shell", "completion", "tcsh")
	c.fails(t, 2, "--size", "keygen", "--size", "17")
	c.fails(t, 2, "-j", "encrypt", "-j", "-3")
	c.fails(t, 2, "no key", "encrypt")
	c.fails(t, 2, "can't be used together", "encrypt", "--key-file", "a", "--key-fd", "3")
}

// TestEmpty: an empty argument, as from an unset variable, must not mean standard input,
// standard output or the automatic driver.
func TestEmpty(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "key"), bytes.Repeat([]byte{1}, 16))
	write(t, filepath.Join(dir, "text"), []byte("0123456789abcdef"))
	c := call{dir: dir}
	for _, args := range [][]string{
		{"list", ""},
		{"selftest", "--driver", ""},
		{"speed", "--driver", ""},
		{"hash", ""},
		{"hash", "text", ""},
		{"hash", "-a", "", "text"},
		{"keygen", "-o", ""},
		{"encrypt", "--key-file", "key", ""},
		{"encrypt", "--key-file", "", "text"},
		{"encrypt", "--key-file", "key", "-o", "", "text"},
		{"encrypt", "--key-file", "key", "--driver", "", "text"},
		{"decrypt", "--key-file", "key", "--alg", "", "text"},
		{"cipher", "sm4-ecb", "-K", "", "text"},
		{"sm2", "keygen", "-o", "x", "--kdf", ""},
		{"sm2", "sign", "--key", "", "text"},
		{"sm2", "sign", "--key", "key", ""},
		{"sm2", "verify", "--public", "key", "--signature", "", "text"},
	} {
		if o := c.fails(t, 2, "is empty", args...); o.stdout != "" {
			t.Errorf("%q: printed %q", args, o.stdout)
		}
	}
	c.fails(t, exitUsage, "no such driver", "speed", "--driver", "generic,")
	c.ok(t, "encrypt", "--key-file", "key", "--context", "", "-o", "x", "text")
}

// TestFIPS: where the library refuses, the command reports an error and does not panic.
func TestFIPS(t *testing.T) {
	c := call{env: []string{"GODEBUG=fips140=only"}}
	if o := c.run(t, "version"); o.code != 0 {
		t.Skipf("this build has no such mode: %s", o.stderr)
	}
	for name, args := range workingCalls(t) {
		switch args[0] {
		case "list", "doctor", "keygen", "version", "completion", "man", "help":
			c.ok(t, args...)
		default:
			t.Run(name, func(t *testing.T) { c.fails(t, 3, "fips140=only", args...) })
		}
	}
	call{env: c.env, stdin: strings.NewReader("abc")}.ok(t, "hash", "-a", "sha256")
}

func TestHelp(t *testing.T) {
	top := call{}.ok(t, "--help")
	for name, args := range workingCalls(t) {
		verb := args[0]
		if !strings.Contains(top, "\n  "+verb) {
			t.Errorf("cipherlane --help does not name %s", verb)
		}
		// Help must work even if the environment is wrong.
		help := call{env: []string{"CIPHERLANE=nonsense"}}.ok(t, verb, "--help")
		if !strings.Contains(help, "Example") || !strings.Contains(help, "    cipherlane "+verb) && !strings.Contains(help, "cipherlane "+verb+" ") {
			t.Errorf("%s: help without an example:\n%s", name, help)
		}
		if strings.Contains(help, "${") || strings.Contains(help, "%!") {
			t.Errorf("%s: help with a placeholder:\n%s", name, help)
		}
	}
}

func TestEnvironment(t *testing.T) {
	for name, args := range workingCalls(t) {
		t.Run(name, func(t *testing.T) {
			if o := (call{}).run(t, args...); o.code != 0 {
				t.Fatalf("without CIPHERLANE: exit code %d: %s", o.code, o.stderr)
			}
			if args[0] == "help" || args[0] == "man" {
				return // they have to be there whatever else is wrong
			}
			for _, value := range []string{"nonsense", "sm4:no-such-driver", "sm9:generic", "-nosuchfeature", "linux=maybe", "sm4:generic,oops"} {
				o := call{env: []string{"CIPHERLANE=" + value}}.fails(t, exitUsage, "CIPHERLANE", args...)
				if o.stdout != "" {
					t.Errorf("CIPHERLANE=%s: printed %q", value, o.stdout)
				}
			}
			if o := (call{env: []string{"CIPHERLANE=sm4:generic, sm3:generic,"}}).run(t, args...); o.code != 0 {
				t.Errorf("with a good CIPHERLANE: exit code %d: %s", o.code, o.stderr)
			}
		})
	}
}

func TestFullDisk(t *testing.T) {
	for name, args := range workingCalls(t) {
		t.Run(name, func(t *testing.T) {
			call{stdout: devFull(t)}.fails(t, 1, "standard output: no space left", args...)
		})
	}
}

// TestUnavailable: a driver that exists but does not run here is distinguished from an
// unknown one.
func TestUnavailable(t *testing.T) {
	for _, table := range drivers.List() {
		for _, d := range table.Drivers() {
			if d.Available() {
				continue
			}
			term := table.Package() + ":" + d.Name
			call{env: []string{"CIPHERLANE=" + term}}.fails(t, exitUnavailable, "CIPHERLANE: "+table.Package(), "list")
			call{env: []string{"CIPHERLANE=oops," + term}}.fails(t, exitUsage, "CIPHERLANE: ", "list")
			call{env: []string{"CIPHERLANE=sm9:generic," + term}}.fails(t, exitUsage, "CIPHERLANE: ", "list")
			call{}.fails(t, exitUnavailable, d.Name+" lacks", "selftest", table.Package(), "--driver", d.Name)
		}
	}
}

// TestClosedPipe checks that the command ends without a message when nobody reads its
// output, like other tools.
func TestClosedPipe(t *testing.T) {
	for name, args := range workingCalls(t) {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			defer w.Close()
			o := call{stdout: w}.run(t, args...)
			if o.signal != syscall.SIGPIPE || o.stderr != "" {
				t.Errorf("exit code %d, %v, standard error %q", o.code, o.signal, o.stderr)
			}
		})
	}
}

func TestUnknownNames(t *testing.T) {
	dir := t.TempDir()
	key := write(t, filepath.Join(dir, "key"), bytes.Repeat([]byte{1}, 16))
	text := write(t, filepath.Join(dir, "text"), []byte("0123456789abcdef"))
	c := call{dir: dir}
	for _, args := range [][]string{
		{"hash", "-a", "md5", text},
		{"encrypt", "--alg", "rot13", "--key-file", key, "-o", "x", text},
		{"decrypt", "--alg", "aes-gcm", "--key-file", key, "-o", "x", text},
		{"decrypt", "--alg", "rot13", "--key-file", key, "-o", "x", text},
		{"cipher", "sm5-cbc", "--key-file", key, "-o", "x", text},
		{"kem", "keygen", "--set", "frodokem", "-o", "x", "--public", "y"},
		{"kem", "encap", "--raw", "--set", "frodokem", "--to", text, "-o", "x", "--secret", "y"},
	} {
		c.fails(t, exitUsage, "(known: ", args...)
	}
	// These know too many to list them.
	for _, args := range [][]string{{"list", "sm5"}, {"speed", "sm5"}, {"selftest", "sm3", "sm5"}, {"doctor", "sm5"}, {"tune", "sm5"}} {
		c.fails(t, exitUsage, "sm5: no such algorithm, did you mean \"sm3\"? (\"cipherlane list\" shows all)", args...)
	}
	for _, args := range [][]string{
		{"speed"}, {"speed", "sm3"}, {"speed", "sm4"}, {"selftest"}, {"selftest", "sm4-gcm"},
		{"hash", text}, {"hash", "-c", text},
		{"encrypt", "--key-file", key, "-o", "x", text},
		{"decrypt", "--key-file", key, "-o", "x", text},
		{"cipher", "sm4-ecb", "--key-file", key, "-o", "x", text},
	} {
		c.fails(t, exitUsage, "no such driver", append(args, "--driver", "no-such")...)
	}
	c.fails(t, exitUsage, "standard library", "hash", "-a", "sha256", "--driver", "generic", text)
	c.fails(t, exitUsage, "no such driver", "encrypt", "--alg", "aes-128-gcm", "--driver", "gfni-avx512", "--key-file", key, "-o", "x", text)
	if got := entries(t, dir); got != "key text" {
		t.Errorf("files after failures: %s", got)
	}
}

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"a.txt": "a.txt", "ä/b": "ä/b", "": `""`, "a b": `"a b"`, "a\nb": `"a\nb"`, `a"b`: `"a\"b"`, "\xff": `"\xff"`,
	} {
		if got := quote(name); got != want {
			t.Errorf("quote(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestVersion(t *testing.T) {
	out := call{}.ok(t, "version")
	for _, word := range []string{"cipherlane ", "revision ", "go1.", "cpu "} {
		if !strings.Contains(out, word) {
			t.Errorf("version without %q:\n%s", word, out)
		}
	}
}
