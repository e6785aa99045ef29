//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

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
	return exec.Command("strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=%file", "true").Run() == nil
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
