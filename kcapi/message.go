package kcapi

import (
	"runtime"
	"syscall"
)

// A message is one operation: what is sent and where the answer goes. It lives on
// the stack of the caller, so that its buffers can, too.
type message struct {
	sends   bool
	more    bool // further messages belong to the same
	control bool // say direction, IV and size of the additional data
	aead    bool
	encrypt bool
	quick   bool // the runtime of Go is not told of the system calls
	iv      []byte
	data    []byte // additional data, sent in front of in
	in      []byte

	receives bool
	head     []byte // where the additional data comes back to
	out      []byte
}

// run makes the system calls. It returns how many bytes were received, the
// name of the call that failed, and why.
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
