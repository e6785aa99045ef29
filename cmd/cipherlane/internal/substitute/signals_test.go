//go:build unix

package substitute

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
)

// TestGoInterrupt sends signals to the command alone and, as a terminal does, to its
// process group, both during preparation and while the program runs.
func TestGoInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	// If the parent of the tests ignores signals, children would inherit that.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(caught)
	c := newGoTest(t, goProgram)
	goPath := clitest.Tool(t, "go")
	slow := filepath.Join(t.TempDir(), "go")
	clitest.Write(t, slow, []byte("#!/bin/sh\ncase \"$1 $2\" in 'mod edit') echo ready; exec sleep 60;; esac\nexec "+goPath+" \"$@\"\n"))
	if err := os.Chmod(slow, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for _, preparing := range []bool{true, false} {
			for _, group := range []bool{false, true} {
				if !preparing && !group && signal == syscall.SIGINT {
					continue // as "go run" itself: it waits for the program
				}
				t.Run(fmt.Sprintf("%v/preparing=%v/group=%v", signal, preparing, group), func(t *testing.T) {
					cmd := c.Command(t, "go", "run", ".", "wait")
					cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
					if preparing {
						cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(slow)+":"+os.Getenv("PATH"))
					}
					stdin, err := cmd.StdinPipe()
					if err != nil {
						t.Fatal(err)
					}
					stdout, err := cmd.StdoutPipe()
					if err != nil {
						t.Fatal(err)
					}
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					if preparing {
						waitFor(t, func() bool { return clitest.Entries(t, c.temp) != "" })
						time.Sleep(50 * time.Millisecond)
					} else if _, err := stdout.Read(make([]byte, 1)); err != nil {
						t.Fatal(err)
					}
					pid := cmd.Process.Pid
					defer time.AfterFunc(30*time.Second, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }).Stop()
					if group {
						pid = -pid
					}
					if err := syscall.Kill(pid, signal); err != nil {
						t.Fatal(err)
					}
					state, _ := cmd.Process.Wait()
					stdin.Close() // ends a program that the signal did not reach
					status := state.Sys().(syscall.WaitStatus)
					if preparing && status.Signal() != signal || status.ExitStatus() == 0 {
						t.Errorf("ended with %v", state)
					}
					waitFor(t, func() bool { return !strings.Contains(clitest.Entries(t, c.temp), "cipherlane") })
					cmd.Wait()
				})
			}
		}
	}
}

// A signal to the process group may end a command of the preparation before this one has
// noticed anything: as if only that command had received it.
func TestGoInterruptEarly(t *testing.T) {
	caught := make(chan os.Signal, 1) // as above
	signal.Notify(caught, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(caught)
	c := newGoTest(t, goProgram)
	goPath := clitest.Tool(t, "go")
	fake := t.TempDir()
	c.Env = append(c.Env, "PATH="+fake+":"+os.Getenv("PATH"))
	for _, test := range []struct {
		name   string
		code   int
		signal syscall.Signal
		before string
	}{{"HUP", -1, syscall.SIGHUP, ""}, {"INT", -1, syscall.SIGINT, "echo words >&2;"}, {"KILL", 1, 0, ""}} {
		clitest.Write(t, filepath.Join(fake, "go"), []byte("#!/bin/sh\ncase \"$1 $2\" in 'mod edit') "+test.before+" kill -"+test.name+" $$;; esac\nexec "+goPath+" \"$@\"\n"))
		if err := os.Chmod(filepath.Join(fake, "go"), 0o700); err != nil {
			t.Fatal(err)
		}
		if o := c.Run(t, "go", "list", "."); o.Code != test.code || o.Signal != test.signal {
			t.Errorf("%s: exit code %d, signal %v: %s", test.name, o.Code, o.Signal, o.Stderr)
		}
		c.clean(t, goProgram)
	}
}

// TestGoStdNoSpace: if there is no space for a copy of the Go installation, nothing is left of it.
func TestGoStdNoSpace(t *testing.T) {
	c := newStdTest(t, stdProgram)
	cache := strings.TrimPrefix(c.Env[len(c.Env)-2], "XDG_CACHE_HOME=")
	cmd := c.Command(t, "go", "--std", "list", ".")
	// Files can have 16 KiB at most.
	cmd.Args = append([]string{"sh", "-c", `ulimit -f 32; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = clitest.Tool(t, "sh")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "file too large; XDG_CACHE_HOME can name another directory") {
		t.Errorf("%v: %s", err, out)
	}
	if left := clitest.Entries(t, filepath.Join(cache, "cipherlane", "goroot")); left != "" {
		t.Errorf("left behind: %s", left)
	}
	c.clean(t, stdProgram)
}

func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for range 1000 {
		if condition() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("waited for 10 s in vain")
}
