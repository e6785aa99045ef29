//go:build linux

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

var (
	//go:embed c/plugin.c
	pluginSource []byte
	//go:embed c/peers.c
	peersSource []byte
)

// A lackError says what to install.
type lackError struct{ message string }

func (e lackError) Error() string { return e.message }

// libraries are those of c/peers.c, and the names to link with.
var libraries = []struct{ macro, name string }{{"OPENSSL", "crypto"}, {"GCRYPT", "gcrypt"}, {"BOTAN", "botan-3"}}

// tools are programs that were built or unpacked.
type tools struct {
	arch
	dir    string // temporary
	goarch string
	root   string // of the libraries for the emulated architecture
	qemu   string // the folder
	golang string
	c      []string
}

func newTools(goarch string, a arch, peers, loops bool) (t *tools, err error) {
	if _, err := os.Stat("ci/rig/get"); err != nil {
		return nil, fmt.Errorf("start it at the root of the repository: %w", err)
	}
	programs := []string{"gcc", "gcc"} // with its package
	if peers {
		programs = append(programs, a.compiler, a.pkg)
	}
	if loops {
		programs = append(programs, "llvm-mca-19", "llvm-19")
	}
	for ; len(programs) > 0; programs = programs[2:] {
		if _, err := exec.LookPath(programs[0]); err != nil {
			return nil, lackError{programs[0] + " is missing, try: apt-get install " + programs[1]}
		}
	}
	dir, err := os.MkdirTemp("", "count")
	if err != nil {
		return nil, err
	}
	t = &tools{arch: a, goarch: goarch, dir: dir}
	defer func() {
		if err != nil {
			os.RemoveAll(dir) // t is nil
		}
	}()
	thing, version := "qemu-plugin", "1"
	if a.built {
		thing, version = "qemu-plugin-"+strings.TrimPrefix(a.qemu, "qemu-"), "4"
	}
	if t.qemu, err = get(thing); err != nil {
		return nil, err
	}
	if err := t.compile("gcc", pluginSource, "plugin.so", "-fPIC", "-shared", "-DAPI="+version); err != nil {
		return nil, err
	}
	if !peers {
		return t, nil
	}
	if t.root, err = get("peers-" + a.debian); err != nil {
		return nil, err
	}
	for _, l := range libraries {
		// The C library that the cross compiler links with is older than the one that the
		// libraries were linked with.
		if err := t.compile(a.compiler, peersSource, l.name, "--sysroot="+t.root, "-isystem", t.root+"/usr/include/botan-3",
			"-D"+l.macro, "-Wl,--allow-shlib-undefined", "-l"+l.name); err != nil {
			return nil, err
		}
		t.c = append(t.c, filepath.Join(dir, l.name))
	}
	return t, nil
}

// build builds a Go program in a directory and returns its path: with the go command, or with
// "cipherlane go" if there are options for it.
func (t *tools) build(dir string, options ...string) (string, error) {
	name := filepath.Join(t.dir, fmt.Sprintf("golang%d", len(options)))
	build := exec.Command("go", "build", "-trimpath", "-o", name, ".")
	if len(options) > 0 {
		command := filepath.Join(t.dir, "cipherlane")
		if _, err := output(exec.Command("go", "build", "-o", command, "./cmd/cipherlane")); err != nil {
			return "", err
		}
		build = exec.Command(command, slices.Concat([]string{"go"}, options, build.Args[1:])...)
	}
	build.Dir = dir
	build.Env = append(os.Environ(), "GOARCH="+t.goarch, "GOARM=6", "GOMIPS=softfloat", "GOMIPS64=softfloat", "CGO_ENABLED=0")
	if dir == replacedProgram { // no module of the workspace, so that the command must be told where its source is
		root, err := os.Getwd()
		if err != nil {
			return "", err
		}
		build.Env = append(build.Env, "GOWORK=off", "CIPHERLANE_SOURCE="+root)
	}
	_, err := output(build)
	return name, err
}

func (t *tools) close() { os.RemoveAll(t.dir) }

// get returns the path of something that ci/rig/get has or gets.
func get(thing string) (string, error) {
	path, err := output(exec.Command("ci/rig/get", thing))
	if exit, ok := err.(*commandError); ok && exit.status == 77 {
		return "", lackError{exit.message}
	}
	return strings.TrimSpace(path), err
}

// compile makes a file of the temporary folder.
func (t *tools) compile(compiler string, source []byte, name string, arguments ...string) error {
	c := exec.Command(compiler, append([]string{"-O2", "-Wall", "-x", "c", "-o", filepath.Join(t.dir, name), "-", "-x", "none"}, arguments...)...)
	c.Stdin = bytes.NewReader(source)
	_, err := output(c)
	return err
}

// run runs a program under qemu with the plugin, to whose arguments blocks is added. It returns
// the output of the program and of the plugin.
func (t *tools) run(blocks, program string, environment []string, arguments ...string) (string, error) {
	command := []string{t.qemu + "/usr/bin/" + t.arch.qemu, "-plugin", filepath.Join(t.dir, "plugin.so") + blocks, "-d", "plugin"}
	if !t.built {
		library := t.qemu + "/usr/lib/x86_64-linux-gnu:" + t.qemu + "/lib/x86_64-linux-gnu"
		command = append([]string{t.qemu + "/lib64/ld-linux-x86-64.so.2", "--library-path", library}, command...)
	}
	if t.root != "" {
		command = append(command, "-L", t.root)
	}
	c := exec.Command(command[0], append(append(command[1:], program), arguments...)...)
	// Neither the garbage collector nor signals shall interrupt what is counted.
	debug := "GODEBUG=asyncpreemptoff=1"
	c.Env = append(os.Environ(), "GOGC=off", "GOMAXPROCS=1")
	for _, e := range environment {
		if more, ok := strings.CutPrefix(e, "GODEBUG="); ok {
			debug += "," + more
		} else {
			c.Env = append(c.Env, e)
		}
	}
	c.Env = append(c.Env, debug)
	return output(c)
}

// A commandError is that of a program.
type commandError struct {
	message string
	status  int
}

func (e *commandError) Error() string { return e.message }

// output runs a command and returns all that it prints, or an error with the last line of it.
func output(c *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		last := lines[len(lines)-1]
		if last == "" || strings.HasPrefix(last, "mark ") {
			last = err.Error()
		}
		return "", &commandError{filepath.Base(c.Args[0]) + ": " + last, c.ProcessState.ExitCode()}
	}
	return stdout.String() + "\n" + marksOf(stderr.String()), nil
}

// marksOf leaves out what is not of the plugin: warnings of compilers and emulators.
func marksOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "mark ") {
			b.WriteString(line)
		}
	}
	return b.String()
}
