package kcapi

import (
	"sync/atomic"
	"syscall"
	"time"
)

// timedOut means that no answer came in time. It is not an errno of Linux.
const timedOut = ^syscall.Errno(0)

// A watch runs the messages of one socket on a goroutine of its own, with buffers of
// its own, so that the caller can stop waiting.
type watch struct {
	start chan struct{}
	done  chan struct{}
	timer *time.Timer
	state atomic.Uint32 // watchRunning, watchFinished, watchAbandoned

	fd      int
	message message // all slices point into the buffers below
	iv      [maxIV]byte
	in, out []byte

	n     int
	call  string
	errno syscall.Errno
}

const (
	watchRunning = iota
	watchFinished
	watchAbandoned
)

func (w *watch) loop() {
	for range w.start {
		w.n, w.call, w.errno = w.message.run(w.fd)
		if !w.state.CompareAndSwap(watchRunning, watchFinished) {
			break
		}
		w.done <- struct{}{}
	}
	if w.state.Load() == watchAbandoned {
		w.wipe()
		closeSocket(w.fd)
	}
}

func (w *watch) wipe() {
	clear(w.in)
	clear(w.out)
	clear(w.iv[:])
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// watched is like run but with a deadline. Once that has passed, the socket belongs to
// the goroutine.
func (o *op) watched(m *message, deadline time.Time) (int, string, syscall.Errno) {
	left := time.Until(deadline)
	if left <= 0 {
		return 0, "", timedOut
	}
	w := o.watch
	if w == nil {
		w = &watch{start: make(chan struct{}, 1), done: make(chan struct{}, 1), timer: time.NewTimer(left), fd: o.fd}
		o.watch = w
		go w.loop()
	} else {
		w.timer.Reset(left)
	}
	w.in = grow(w.in, len(m.data)+len(m.in))
	w.out = grow(w.out, len(m.head)+len(m.out))
	w.message = message{
		sends: m.sends, more: m.more, control: m.control, aead: m.aead, encrypt: m.encrypt, receives: m.receives,
		iv:   w.iv[:copy(w.iv[:], m.iv)],
		data: w.in[:len(m.data)],
		in:   w.in[len(m.data):],
		head: w.out[:len(m.head)],
		out:  w.out[len(m.head):],
	}
	copy(w.message.data, m.data)
	copy(w.message.in, m.in)
	w.state.Store(watchRunning)
	w.start <- struct{}{}
	select {
	case <-w.done:
		w.timer.Stop()
	case <-w.timer.C:
		if w.state.CompareAndSwap(watchRunning, watchAbandoned) {
			o.gone = true
			return 0, "", timedOut
		}
		<-w.done
	}
	copy(m.head, w.message.head)
	copy(m.out, w.message.out)
	w.wipe()
	return w.n, w.call, w.errno
}
