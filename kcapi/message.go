package kcapi

import (
	"runtime"
	"syscall"
)

// A message is one operation: the data to send and the buffers for the result. It is
// on the stack of the caller, so that its buffers can be, too.
type message struct {
	sends   bool
	more    bool // more parts of the same message follow
	control bool // send direction, IV and size of the additional data
	aead    bool
	encrypt bool
	quick   bool // make raw system calls, which Go's scheduler does not see
	iv      []byte
	data    []byte // additional data, sent in front of in
	in      []byte

	receives bool
	head     []byte // where Linux returns the additional data
	out      []byte
}

// run makes the system calls. It returns the number of bytes received, or the
// name of the call that failed and its errno.
func (m *message) run(fd int) (n int, call string, errno syscall.Errno) {
	if m.sends {
		n, errno = m.send(fd)
		if errno == 0 && n != len(m.data)+len(m.in) {
			errno = tooMuch // Linux's buffer is full
		}
		if errno != 0 {
			return 0, "send", errno
		}
	}
	if m.receives {
		n, errno = m.receive(fd)
		if errno != 0 {
			return 0, "receive", errno
		}
	}
	runtime.KeepAlive(m)
	return n, "", 0
}
