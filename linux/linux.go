package linux

import (
	"context"
	"crypto/fips140"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cipherlane/cipherlane/driver"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/sm3"
)

// A Mode says which of the drivers inside Linux may work on messages.
type Mode = driver.LinuxMode

const (
	Off    = driver.LinuxOff
	Engine = driver.LinuxEngine // those of crypto engines beside the CPU
	Any    = driver.LinuxAny    // whatever Linux gives
)

// current is the provider in use, or nil.
var current atomic.Pointer[provider]

func init() {
	offload.Link(tried)
	mode, _ := driver.Linux()
	Enable(mode)
}

// ErrForbidden is what [Enable] returns when the environment forbids what it asks
// for.
var ErrForbidden = errors.New("linux: CIPHERLANE=linux=off forbids it")

// Enable sets the mode for objects made from now on; it starts with what
// CIPHERLANE says. Objects that there are go on in software. Nothing is opened or
// read until one has work for Linux. If the owner of the program has set
// CIPHERLANE=linux=off, that counts, and Enable returns [ErrForbidden].
func Enable(m Mode) error {
	if m != Off && forbidden() {
		return ErrForbidden
	}
	var p *provider
	if m == Engine || m == Any {
		p = newProvider(m, system{})
	}
	use(p)
	return nil
}

// forbidden reports whether the owner of the program says off.
func forbidden() bool {
	mode, ok := driver.Linux()
	return ok && mode == Off
}

func use(p *provider) {
	if old := swap(p); old != nil {
		old.stop()
	}
}

// swapping is held while the two places are set that know the provider.
var swapping sync.Mutex

func swap(p *provider) (old *provider) {
	swapping.Lock()
	defer swapping.Unlock()
	return set(p)
}

// replace is swap if old is in use, and reports whether it was.
func replace(old, p *provider) bool {
	swapping.Lock()
	defer swapping.Unlock()
	return current.Load() == old && set(p) == old
}

func set(p *provider) (old *provider) {
	if p == nil {
		offload.Use(nil)
	} else {
		offload.Use(p)
	}
	return current.Swap(p)
}

// Prepare checks and measures the drivers of some algorithms ("cbc(aes)"), or of
// all, as the first request would do in the background, and returns when that is
// done. Linux may load modules for it.
func Prepare(algorithms ...string) {
	if p := current.Load(); p != nil {
		p.prepare(algorithms)
	}
}

func (p *provider) prepare(algorithms []string) {
	for _, e := range p.list() {
		if p.stopped.Load() {
			return
		}
		if len(algorithms) == 0 || slices.Contains(algorithms, e.algorithm.name) {
			e.prepare(true)
		}
	}
}

// Measure is [Prepare], but takes no measurement from a profile, nor one made
// before. Objects that there are go on in software.
func Measure(algorithms ...string) { MeasureContext(context.Background(), algorithms...) }

// MeasureContext is [Measure] until the context ends; then it returns the context's
// error, and what is not measured by then is not used.
func MeasureContext(ctx context.Context, algorithms ...string) error {
	old := current.Load()
	if old == nil {
		return ctx.Err()
	}
	p := newProvider(old.mode, old.backend)
	p.crossovers = func(string) []driver.Crossover { return nil }
	if !replace(old, p) { // somebody has turned it off meanwhile
		return ctx.Err()
	}
	old.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.prepare(algorithms)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		p.stop()
		return ctx.Err()
	}
}

// SumSM3 returns the SM3 digest of data, as sm3.Sum does.
func SumSM3(data []byte) [sm3.Size]byte {
	if p := current.Load(); p != nil && len(data) >= offload.Floor && !fips140.Enforced() {
		return p.sumSM3(data)
	}
	return sm3.Sum(data)
}

func (p *provider) sumSM3(data []byte) [sm3.Size]byte {
	var sum [sm3.Size]byte
	if p.digest(int64(len(data)), true, func(h hashSocket) (bool, error) {
		got, err := h.Digest(nil, data)
		return copy(sum[:], got) == len(sum), err
	}) {
		return sum
	}
	return sm3.Sum(data)
}

// SumSM3File returns the SM3 digest of the rest of a file, and leaves its position
// at the end. Of a regular file Linux hashes what is in its cache, without the
// program reading it, if the driver works on the CPU; for an engine, and of other
// files, it is read.
func SumSM3File(f *os.File) ([sm3.Size]byte, error) { return sumFile(f) }
