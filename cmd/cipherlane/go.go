//go:build !mips && !mipsle && !mips64 && !mips64le

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"golang.org/x/term"
)

type goCmd struct {
	Dir    string   `short:"C" name:"dir" placeholder:"DIR" help:"Change to this directory first, like go -C."`
	Source string   `env:"CIPHERLANE_SOURCE" placeholder:"DIR" help:"Use the cipherlane source in this directory instead of the version of this command."`
	Only   []string `placeholder:"WORD" help:"Replace only this module or algorithm, and everywhere, for example SM2."`
	Except []string `placeholder:"WORD" help:"Leave this module or algorithm as it is, for example golang.org/x/crypto."`
	Std    bool     `help:"Also replace AES and ChaCha20-Poly1305 in the standard library, as crypto/tls uses them."`
	Keep   bool     `help:"Keep the temporary workspace and print its path."`
	Args   []string `arg:"" passthrough:"" empty:"" name:"command" help:"Arguments for the go command, starting with build, install, list, run, test or vet; or check, export DIR, or version FILE."`
}

func (goCmd) Help() string {
	return `Runs the go command with cipherlane in place of packages of other modules, both for
the program and for its dependencies: chacha20 and chacha20poly1305 of
golang.org/x/crypto, what is behind SM2, SM3 and SM4 in github.com/emmansun/gmsm v0.44
and github.com/tjfoc/gmsm v1.4.1, and the ChaCha20-Poly1305 of
github.com/tailscale/wireguard-go. The program, its go.mod and go.sum, its vendor directory
and its workspace are not changed. Instead, the go command uses a temporary workspace
(GOWORK) with the program and a copy of each of these modules that it requires; in this
copy, the packages contain a few lines that call cipherlane. What was replaced is printed on
standard error.

cipherlane must have been tested as a replacement for exactly these packages, byte for
byte; otherwise nothing is run. A module that you replaced or vendored with another
text, or that is in your workspace, stays as it is.

What is replaced depends on GOARCH: only the algorithms that take no more instructions or time
than what is there, or where that looks up secrets in tables. docs/go.md has the table with all
counts. For a GOARCH that is not in it, nothing is replaced. What stays is printed, and if
that is everything, the go command runs as without this one. --except leaves a module or an
algorithm as it is. --only replaces nothing but what it names, whatever the table says: of
modules and algorithms together, these algorithms of these modules. The words are golang.org/x/crypto,
github.com/emmansun/gmsm, github.com/tjfoc/gmsm, github.com/tailscale/wireguard-go, std for the
standard library, and AES, ChaCha20, ChaCha20-Poly1305, SM2, SM3 and SM4.

The exit code is that of the go command. The workspace is removed at the end, and on
interrupt.

The source of cipherlane comes from the directory given by --source, or else from the
program's own workspace if it contains cipherlane, from the module proxy or cache in the
version of this command, or from the checkout in which this command was built.

With --std, AES and ChaCha20-Poly1305 in the standard library are replaced, too, as
crypto/tls, crypto/cipher and all that call them use them. For this, a copy of the Go
installation is made in the user's cache: links, and the few directories that change. Each
build compares all of it with what it should be. The release of Go must be one that
cipherlane was tested with. The verb check runs Go's own tests on such a copy and tells
whether to trust a newer release. The verb version, followed by files, tells what was
replaced in programs. docs/go.md says when this is right, and what it costs.

Limitations. If the program uses an older
golang.org/x/sys than cipherlane needs, it gets the newer one, and a message is printed.
In "go version -m", these modules keep their versions but are followed by a directory
and "(devel)". A vendor directory is not used. Without -trimpath, everything that
depends on these modules is recompiled each time, because the directory has a new name.
PACKAGE@VERSION, -modfile and -mod do not work in a workspace and are rejected, but for
-mod=readonly; with --std, only the standard library is replaced then. Programs run by "go run" and "go test"
have GOWORK in their environment, which matters if they call the go command.

To make the replacement permanent without this command, "cipherlane go export DIR" writes
a copy of the program with the replaced modules and a vendor directory, which plain "go
build" builds offline: for package systems, among others. Or import cipherlane's packages:
chacha20 and chacha20poly1305 have the same API, and docs/gmsm.md compares the others.
docs/tailscale.md is about Tailscale.

Examples:

    cipherlane go build ./...
    cipherlane go test -trimpath ./...
    cipherlane go --std build -trimpath -o /tmp/program .
    cipherlane go version /tmp/program
    cipherlane go -C ../wireguard-go build -trimpath -o /tmp/wireguard-go
    cipherlane go list -deps ./... | grep cipherlane    # is it used?
    cipherlane go export ../exported                    # for plain go build
    cipherlane go --only ChaCha20-Poly1305 build ./...
    cipherlane go --keep build -n ./...                 # what would be done`
}

// goVerbs are the verbs of the go command that build packages and do not change modules, and
// then those of this command's own.
var goVerbs = []string{"build", "install", "list", "run", "test", "vet", "check", "export", "version"}

func (c *goCmd) Run(p *cli.Program) error {
	verb := ""
	if len(c.Args) > 0 {
		verb = c.Args[0]
	}
	var call goCall
	switch {
	case verb == "version":
	case verb == "check" && len(c.Args) > 1:
		return cli.Usagef("go check: no arguments expected")
	case verb == "check" || verb == "export":
	default:
		var err error
		if call, err = parseGo(c.Args); err == nil && !c.Std {
			err = call.noWorkspace
		}
		if err != nil {
			return err
		}
	}
	chosen, err := choice{onlyNames: c.Only, exceptNames: c.Except}.check()
	if err != nil {
		return err
	}
	path, err := exec.LookPath("go")
	if err != nil {
		return cli.AsUnavailable(errors.New("go: there is no go command in PATH"))
	}
	if verb == "version" {
		return showReplaced(p, path, c.Args[1:])
	}
	dir := call.chdir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Dir, dir)
	}

	if verb != "check" {
		var env struct{ GOARCH string }
		if err := (goQuery{ctx: context.Background(), path: path, dir: dir}).json(&env, "env", "-json", "GOARCH"); err != nil {
			return err
		}
		chosen.goarch = env.GOARCH
	}

	// Before anything is created that a signal could leave behind.
	signals := make(chan os.Signal, 8)
	for _, s := range caught {
		if !signal.Ignored(s) { // nohup ignores SIGHUP
			signal.Notify(signals, s)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	state, code := &signalled{cancel: cancel}, 0
	go state.watch(signals)

	switch verb {
	case "check":
		code, err = c.check(ctx, p, path, state)
	case "export":
		err = c.export(ctx, p, path, dir, chosen)
	default:
		code, err = c.forward(ctx, p, path, dir, call, chosen, state)
	}
	state.end(err)
	if err == nil && code != 0 {
		return goExit(code)
	}
	return err
}

// forward runs the go command with what is replaced, and returns its exit code.
func (c *goCmd) forward(ctx context.Context, p *cli.Program, path, dir string, call goCall, chosen choice, state *signalled) (code int, err error) {
	args, env, replaceStd := c.Args, []string(nil), false
	if c.Std {
		replaceStd, err = chosen.replacesStd()
		if errors.As(err, new(keptError)) {
			p.Warn("%v", err)
		} else if err != nil {
			return 0, err
		}
	}
	if replaceStd {
		q := goQuery{ctx: ctx, path: path, dir: dir}
		std, err := q.findStd()
		if err == nil {
			err = std.accept(q, c.Source, p.Warn)
		}
		if err == nil {
			err = std.make()
		}
		if err != nil {
			return 0, err
		}
		p.Warn("in place of %s in the standard library of %s: cipherlane, in %s", stdAlgorithms(chosen.goarch), std.release, cli.Quote(std.copy.Dir))
		path, args, env = std.goCommand(), std.tagged(c.Args, call), std.environment()
	}
	var w *workspace
	if err = call.noWorkspace; err == nil {
		w, err = makeWorkspace(ctx, path, dir, c.Source, chosen, replaceStd, p.Warn)
	}
	if w != nil {
		defer func() {
			if !(c.Keep && err == nil) {
				if e := os.RemoveAll(w.dir); e != nil && err == nil {
					err = e
				}
			}
		}()
	}
	switch {
	case err == nil:
		env = append(env, w.env...)
		if c.Keep {
			p.Warn("GOWORK=%s", filepath.Join(w.dir, "go.work"))
		}
	case keptIn(err) != nil:
		for _, kept := range keptIn(err) {
			p.Warn("%v", kept)
		}
		err = nil
	case c.Std && (call.noWorkspace != nil || errors.Is(err, errNothing)):
		p.Warn("nothing else is replaced: %s", strings.TrimPrefix(err.Error(), "go: "))
		err = nil
	default:
		return 0, err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = c.Dir
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Out, p.Stderr
	return state.run(cmd)
}

// A goExit is the exit code of a go command, which has already printed its errors.
type goExit int

func (e goExit) Error() string      { return fmt.Sprintf("go: exit code %d", int(e)) }
func (e goExit) ExitCode() int      { return int(e) }
func (goExit) Is(target error) bool { return target == cli.ErrReported }

// caught are the signals that are forwarded.
var caught = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// A signalled runs a command and forwards signals to it.
type signalled struct {
	cancel  context.CancelFunc
	mutex   sync.Mutex
	process *os.Process
	started bool
	fatal   os.Signal // the signal by which to terminate
}

func (s *signalled) watch(signals <-chan os.Signal) {
	for sig := range signals {
		s.mutex.Lock()
		s.cancel()
		switch {
		case !s.started:
			s.fatal = sig
		case s.process != nil && !fromTerminal(sig):
			s.process.Signal(sig)
		}
		s.mutex.Unlock()
	}
}

// fromTerminal reports whether a signal most likely came from a terminal, which also
// sent it to the go command.
func fromTerminal(sig os.Signal) bool {
	if sig != os.Interrupt && sig != syscall.SIGQUIT {
		return false
	}
	for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		if term.IsTerminal(int(f.Fd())) {
			return true
		}
	}
	return false
}

// run runs the command unless there was a signal, and returns its exit code.
func (s *signalled) run(cmd *exec.Cmd) (code int, err error) {
	s.mutex.Lock()
	if s.fatal == nil {
		s.started = true
		err = cmd.Start()
		s.process = cmd.Process
	}
	s.mutex.Unlock()
	if s.process == nil {
		return 0, err
	}
	err = cmd.Wait()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.process = nil
	if sig := endedBy(err); sig != nil {
		s.fatal = sig
	}
	if e := new(exec.ExitError); errors.As(err, &e) {
		return e.ExitCode(), nil
	}
	return 0, err
}

// endedBy returns the signal by which a command ended, or nil.
func endedBy(err error) os.Signal {
	if e := new(exec.ExitError); errors.As(err, &e) {
		if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return status.Signal()
		}
	}
	return nil
}

// end terminates this process by the signal that terminated the command or prevented
// it from starting, so that a shell stops its script, too. A signal to the process group may
// have ended a command of the preparation before watch knows of it: then only err tells.
func (s *signalled) end(err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if sig := endedBy(err); s.fatal == nil && slices.Contains(caught, sig) {
		s.fatal = sig
	}
	if s.fatal == nil {
		return
	}
	signal.Reset(s.fatal)
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s.fatal) == nil {
		select {}
	}
	os.Exit(cli.ExitFailed)
}
