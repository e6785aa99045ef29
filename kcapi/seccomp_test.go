//go:build linux && !nokernel

package kcapi_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cipherlane/cipherlane/kcapi"
)

// Container runtimes forbid the sockets with a filter that returns EPERM. A filter that
// kills the process cannot be handled, which is why nothing is opened unless requested.
func TestSeccomp(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for action, check := range map[string]func(out string, state *os.ProcessState){
		"errno": func(out string, state *os.ProcessState) {
			if want := "true true kcapi: sha256: socket: "; state.ExitCode() != 0 || len(out) < len(want) || out[:len(want)] != want {
				t.Errorf("a filter that answers EPERM: %v, %q", state, out)
			}
		},
		"kill": func(out string, state *os.ProcessState) {
			if s := state.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != unix.SIGSYS {
				t.Errorf("a filter that kills: %v, %q", state, out)
			}
		},
	} {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "KCAPI_CHILD="+action)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Skip(err) // emulators of a CPU cannot
		}
		if cmd.ProcessState.ExitCode() == 77 {
			t.Skipf("no filter: %s", out)
		}
		check(string(out), cmd.ProcessState)
	}
}

// underFilter opens a hash under a filter that forbids it.
func underFilter(action string) {
	verdict := uint32(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	if action == "kill" {
		verdict = unix.SECCOMP_RET_KILL_PROCESS
	}
	family := uint32(16) // the low half of the first argument
	if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 {
		family = 20
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: unix.SYS_SOCKET},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: family},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.AF_ALG},
		{Code: unix.BPF_RET | unix.BPF_K, K: verdict},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
		if errno != 0 {
			err = errno
		}
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(77)
	}
	_, err = kcapi.OpenHash("sha256")
	fmt.Println(errors.Is(err, kcapi.ErrSeccomp), errors.Is(err, syscall.EPERM), err)
}
