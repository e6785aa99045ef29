//go:build linux && !nokernel && kcapi_hook

package kcapi

import (
	"sync/atomic"
	"syscall"
)

const hooked = true

// theHook is called with the name of a system call and its descriptor. If it
// returns true, the system call is not made and appears to have returned errno.
var theHook atomic.Pointer[func(call string, fd int) (errno syscall.Errno, replaced bool)]

func hook(call string, fd int) (syscall.Errno, bool) {
	if f := theHook.Load(); f != nil {
		return (*f)(call, fd)
	}
	return 0, false
}
