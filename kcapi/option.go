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

// Timeout limits the time of every call that computes something. When it has
// passed, the call returns [ErrTimeout], while Linux goes on in separate buffers
// and on a socket that is no longer used for anything else. Opening an algorithm
// is not limited.
//
// A system call that waits for a driver cannot be interrupted. With a limit,
// messages are therefore copied and another goroutine makes the calls, which costs
// some microseconds. A driver that never answers occupies an operating system
// thread for every call that timed out: after a few, stop using it.
//
// 0, the default, means no limit.
func Timeout(d time.Duration) Option { return func(c *config) { c.timeout = d } }

// PoolSize sets how many idle sockets for operations an object keeps open between
// calls. More are opened while more calls run at once. The default is GOMAXPROCS.
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
