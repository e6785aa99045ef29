package guard

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// uninterrupted calls f while the runtime cannot interrupt it: the signal that does so is
// blocked. Its handler makes the goroutine save all registers on its stack.
func uninterrupted(f func()) {
	const bits = 8 * int(unsafe.Sizeof(unix.Sigset_t{}.Val[0]))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var urgent, before unix.Sigset_t
	urgent.Val[(int(unix.SIGURG)-1)/bits] = 1 << ((int(unix.SIGURG) - 1) % bits)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &urgent, &before); err != nil {
		panic(err)
	}
	defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	f()
}
