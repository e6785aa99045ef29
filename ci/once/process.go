//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// plain runs a command and remembers nothing.
func plain(o options, out io.Writer) (int, error) {
	cmd := exec.Command(o.command[0], o.command[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
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

// start starts a command from a thread that does not end: Linux sends the signal of
// Pdeathsig when the thread ends that started the process.
func start(cmd *exec.Cmd) error {
	err := make(chan error)
	go func() {
		runtime.LockOSThread()
		err <- cmd.Start()
		select {}
	}()
	return <-err
}

// forward passes signals on to the processes below a process, which strace would not do.
func forward(signals <-chan os.Signal, done <-chan struct{}, pid int) {
	for {
		select {
		case s := <-signals:
			for _, child := range children(pid) {
				syscall.Kill(child, s.(syscall.Signal))
			}
			syscall.Kill(pid, s.(syscall.Signal))
		case <-done:
			return
		}
	}
}

// canTrace reports whether strace is installed and may trace.
var canTrace = sync.OnceValue(func() bool {
	a := append(slices.Clone(tracing), "-o", "/dev/null", "--", "true")
	return exec.Command(a[0], a[1:]...).Run() == nil
})

// children returns the processes that a process has started.
func children(pid int) (list []int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid))
	for _, field := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			list = append(list, child)
		}
	}
	return list
}

// closeInherited keeps file descriptors from the command that whoever started once left
// open: what is read from them has no name.
func closeInherited() {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
