package linux

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cipherlane/cipherlane/internal/drivers"
	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/internal/offload"
	"github.com/cipherlane/cipherlane/sm3"
)

// A Mode selects the drivers inside Linux that may process messages.
type Mode uint8

const (
	Off    = Mode(drivers.LinuxOff)    // none
	Engine = Mode(drivers.LinuxEngine) // drivers of crypto engines beside the CPU
	Any    = Mode(drivers.LinuxAny)    // whatever driver Linux selects
)

// String returns the name of the mode in CIPHERLANE.
func (m Mode) String() string { return drivers.LinuxMode(m).String() }

// current is the provider in use, or nil.
var current atomic.Pointer[provider]

func init() {
	offload.Link(tried)
	mode, _ := drivers.Linux()
	Enable(Mode(mode))
}

// ErrForbidden is returned by [Enable] if CIPHERLANE=linux=off is set.
var ErrForbidden = errors.New("linux: CIPHERLANE=linux=off forbids it")

// Enable sets the mode for objects made from now on. The initial mode is set by
// CIPHERLANE. Existing objects continue in software. Nothing is opened or read until
// an object has work for Linux. If CIPHERLANE=linux=off is set, Enable changes nothing
// and returns [ErrForbidden], unless m is [Off].
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

// forbidden reports whether CIPHERLANE=linux=off is set.
func forbidden() bool {
	mode, ok := drivers.Linux()
	return ok && mode == drivers.LinuxOff
}

func use(p *provider) {
	if old := swap(p); old != nil {
		old.stop()
	}
}

// swapping guards current and the provider of package offload, which change together.
var swapping sync.Mutex

func swap(p *provider) (old *provider) {
	swapping.Lock()
	defer swapping.Unlock()
	return set(p)
}

// replace is like swap if old is in use, and reports whether it was.
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

// Prepare checks and measures the drivers of the given algorithms, such as
// "cbc(aes)", or of all algorithms if none is given. The first request would start
// that in the background; Prepare returns when it is done. Linux may load modules.
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

// Measure is like [Prepare] but ignores the profile and earlier measurements. Existing
// objects continue in software.
func Measure(algorithms ...string) { MeasureContext(context.Background(), algorithms...) }

// MeasureContext is like [Measure] but returns the context's error when the context
// ends; then Linux is not used until the next call of Measure or [Enable].
func MeasureContext(ctx context.Context, algorithms ...string) error {
	old := current.Load()
	if old == nil {
		return ctx.Err()
	}
	p := newProvider(old.mode, old.backend)
	p.crossovers = func(string) []drivers.Crossover { return nil }
	if !replace(old, p) { // Enable has been called meanwhile
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

// SumSM3 returns the SM3 digest of data, like sm3.Sum.
func SumSM3(data []byte) [sm3.Size]byte {
	if p := current.Load(); p != nil && len(data) >= offload.Floor && !fips.Enforced() {
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
// at the end. If Linux hashes a regular file with a driver on the CPU, it does so
// from the page cache, and the program does not read the file. With an engine, and
// for other files, the program reads it.
func SumSM3File(f *os.File) ([sm3.Size]byte, error) { return sumFile(f) }
