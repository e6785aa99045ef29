// Package substitute is what is behind "cipherlane go": it runs the go command with copies of a
// program's modules in which packages call cipherlane, and with a copy of the Go installation in
// which the standard library does. It has the substitutes, the versions of modules that they were
// tested with, the table of what is replaced for each GOARCH, and the workspace that the go command
// uses. It knows nothing of the other verbs.
package substitute

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

// A Command is a call of the verb go: its options, and what follows them.
type Command struct {
	Dir    string   // where the go command runs; "" for the current directory
	Source string   // the directory of cipherlane's source; "" to look for it
	Only   []string // modules and algorithms to replace, whatever the table says; none for the table
	Except []string // modules and algorithms that stay as they are
	Std    bool     // replace cryptography in the standard library, too
	SM     bool     // and add TLS 1.3 with SM2, SM3 and SM4 to it
	Keep   bool     // keep the workspace and print its path
	Args   []string // of the go command, or of a verb of this command's own
}

// Verbs are the verbs of the go command that build packages and do not change modules, and
// then those of this command's own.
var Verbs = []string{"build", "install", "list", "run", "test", "vet", "check", "export", "version"}

// Run runs the command. Its error has the exit code of the go command if that failed.
func (c *Command) Run(p *cli.Program) error {
	c.Std = c.Std || c.SM
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
func (c *Command) forward(ctx context.Context, p *cli.Program, path, dir string, call goCall, chosen choice, state *signalled) (code int, err error) {
	q := goQuery{ctx: ctx, path: path, dir: dir}
	args, env, replaceStd := c.Args, []string(nil), false
	if c.Std {
		replaceStd, err = chosen.replacesStd()
		if errors.As(err, new(keptError)) && c.SM { // a program without SM would be a surprise
			return 0, cli.AsUnavailable(fmt.Errorf("%w, which --sm needs", err))
		} else if errors.As(err, new(keptError)) {
			p.Warn("%v", err)
		} else if err != nil {
			return 0, err
		}
	}
	if replaceStd {
		std, err := q.findStd(c.SM)
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
		if c.SM {
			p.Warn("with SM2, SM3 and SM4 in crypto/tls and crypto/x509")
		}
		path, args, env = std.goCommand(), std.tagged(c.Args, call), std.environment()
		q.path = path
	}
	var w *workspace
	if err = call.noWorkspace; err == nil && call.published != nil {
		defer func() {
			if !(c.Keep && err == nil) {
				if e := os.RemoveAll(call.published.dir); e != nil && err == nil {
					err = e
				}
			}
		}()
		q.env = []string{"GOWORK=off"} // the user's has nothing to do with it
		err = call.published.require(q, p.Warn)
		q.dir = call.published.dir
	}
	if err == nil {
		w, err = makeWorkspace(q, c.Source, chosen, replaceStd, p.Warn)
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
		if call.published != nil {
			args = call.published.arguments(args, call.behind)
		}
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
	if replaceStd && c.SM && slices.Contains([]string{"build", "install", "run"}, args[0]) {
		for _, text := range (goQuery{ctx: ctx, path: path, dir: c.Dir, env: env}).unchangedTLS(args, call) {
			p.Warn("%s", text)
		}
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
