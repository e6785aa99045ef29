package conformance

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/cipherlane/cipherlane/internal/guard"
)

// A mutant is a broken implementation with the check that must reject it.
type mutant struct {
	name   string
	check  string
	checks []check // of the suite, with the mutant as its subject
}

// kill runs the mutants, and checks that every check of the suite rejects at least one.
func kill(t *testing.T, suite []check, mutants []mutant) {
	tried := map[string]bool{}
	for _, m := range mutants {
		t.Run(m.check+"/"+m.name, func(t *testing.T) {
			i := slices.IndexFunc(m.checks, func(c check) bool { return c.name == m.check })
			if i < 0 {
				t.Fatal("the suite has no such check")
			}
			switch last := m.check[strings.LastIndex(m.check, "/")+1:]; {
			case last == "Guards" && !guard.Enforced:
				t.Skip("no guard pages on this system")
			case last == "Allocations" && raceDetector():
				t.Skip("not checked under the race detector")
			}
			if said := verdict(t, m.checks[i]); said == "" {
				t.Error("not rejected")
			} else {
				t.Log(said)
			}
		})
		tried[m.check] = true
	}
	for _, c := range suite {
		if !tried[c.name] {
			t.Errorf("no mutant for the check %s", c.name)
		}
	}
}

// verdict runs a check and returns its first complaint.
func verdict(t *testing.T, c check) string {
	r := &recorder{TB: t}
	r.run(c.run)
	return r.said
}

// A recorder is a test that may fail. It overrides what this package uses.
type recorder struct {
	testing.TB
	mutex    sync.Mutex
	said     string
	skipped  bool
	cleanups []func()
}

func (r *recorder) run(f func(t testing.TB)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if e := recover(); e != nil {
				r.Errorf("panic: %v", e)
			}
			for _, f := range slices.Backward(r.cleanups) {
				f()
			}
		}()
		f(r)
	}()
	<-done
}

func (r *recorder) Error(args ...any) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.said == "" {
		r.said = fmt.Sprint(args...)
	}
}
func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }
func (r *recorder) Logf(string, ...any)               {}
func (r *recorder) Helper()                           {}
func (r *recorder) Cleanup(f func())                  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Skip(...any)                       { r.skipped = true; runtime.Goexit() }
func (r *recorder) Skipf(string, ...any)              { r.skipped = true; runtime.Goexit() }
func (r *recorder) Skipped() bool                     { return r.skipped }

// crowded reports whether another goroutine is in it at the same time. It waits for
// one: on a busy machine goroutines may well have their turns one after the other.
func crowded() bool {
	n := active.Add(1)
	for start := time.Now(); n == 1 && time.Since(start) < time.Millisecond; n = active.Load() {
		runtime.Gosched()
	}
	active.Add(-1)
	return n > 1
}

var active atomic.Int32

// touch reads and writes back the byte at p[i], which need not be in p.
//
//go:nocheckptr
func touch(p []byte, i int) {
	b := (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p)), i))
	*b = *b ^ sink
}

// peek reads it only.
//
//go:nocheckptr
func peek(p []byte, i int) {
	sinkByte.Store(uint32(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p)), i))))
}

var (
	sink     byte // zero
	sinkByte atomic.Uint32
	garbage  atomic.Pointer[[]byte]
)

func allocate() { b := make([]byte, 100); garbage.Store(&b) }

func offset(p []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(p))) % 64 }

func same(p, q []byte) bool { return unsafe.SliceData(p) == unsafe.SliceData(q) }
