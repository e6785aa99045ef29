//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// newStopper returns functions for reading a file in blocking mode, in which no other goroutine
// can end a Read: wait returns when there is something to read, or false after stop. The files
// that they need are closed by close, after the last wait has returned.
func newStopper(f *os.File) (wait func() bool, stop, close func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	fds := [2]int32{int32(f.Fd()), int32(r.Fd())}
	wait = func() bool {
		for {
			list := []unix.PollFd{{Fd: fds[0], Events: unix.POLLIN}, {Fd: fds[1], Events: unix.POLLIN}}
			_, err := unix.Poll(list, -1)
			if err == nil || err != unix.EINTR {
				// Read can wait for files that poll cannot.
				return err != nil || list[1].Revents == 0
			}
		}
	}
	return wait, func() { w.Close() }, func() { w.Close(); r.Close() }, nil
}
