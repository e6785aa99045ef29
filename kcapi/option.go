package kcapi

import (
	"runtime"
	"time"
)

// An Option changes how an object works.
type Option func(*config)

type config struct {
	pool    int
	timeout time.Duration
	entropy []byte // for a generator
}

// Timeout limits the time of every call that computes something. After it the
// call returns [ErrTimeout], and whatever Linux is doing goes on in buffers and
// on a socket of its own. To open an algorithm is not limited.
//
// No system call that waits for a driver can be interrupted. So with a limit,
// messages are copied and another goroutine makes the calls, which costs some
// microseconds. A driver that never answers keeps a thread of the operating
// system for every call that timed out: after a few, stop using it.
//
// 0, the default, is no limit.
func Timeout(d time.Duration) Option { return func(c *config) { c.timeout = d } }

// PoolSize sets how many sockets for operations an object keeps open between
// calls. More are made while more calls run at once. The default is GOMAXPROCS.
func PoolSize(n int) Option { return func(c *config) { c.pool = n } }

func newConfig(opts []Option) config {
	c := config{pool: runtime.GOMAXPROCS(0)}
	for _, o := range opts {
		if o != nil {
			o(&c)
		}
	}
	return c
}
