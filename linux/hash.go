package linux

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/cipherlane/cipherlane/internal/fips"
	"github.com/cipherlane/cipherlane/kcapi"
	"github.com/cipherlane/cipherlane/sm3"
)

// hashFor returns the socket for SM3, which all callers share.
func (p *provider) hashFor(e *engine) (hashSocket, error) {
	p.hash.Lock()
	defer p.hash.Unlock()
	if p.hash.socket == nil && !p.stopped.Load() {
		s, err := e.open(e.name, nil, 0, e.slow)
		if err != nil {
			return nil, err
		}
		p.hash.socket = s.hash
	}
	return p.hash.socket, nil
}

// digest calls f to hash n bytes in Linux, if Linux is to be used, and reports whether
// that succeeded. f reports whether the result has the right size.
func (p *provider) digest(n int64, inMemory bool, f func(hashSocket) (bool, error)) bool {
	e := p.engines["sm3"][0]
	switch e.state.Load() {
	case untried:
		e.prepare(false)
		return false
	case ready:
	default:
		return false
	}
	e.reviewIfDue()
	o := e.ops[0]
	if !o.gate.Lets(int(min(n, math.MaxInt))) || !p.enter() {
		return false
	}
	defer p.leave()
	h, err := p.hashFor(e)
	if h == nil && err == nil { // stopped
		return false
	}
	start := time.Now()
	good := false
	if err == nil {
		good, err = f(h)
	}
	if err == nil && !good {
		err = kcapi.ErrFailed
	}
	if err != nil {
		if w := new(fs.PathError); !errors.As(err, &w) { // else it is the file's fault
			e.failed(err)
		}
		return false
	}
	if inMemory {
		o.took(int(n), time.Since(start))
	} else { // the time may include reading from disk
		o.count(n)
	}
	return true
}

// sumFile hashes regular files in Linux, because they can be read again in software
// if that fails.
func sumFile(f *os.File) (sum [sm3.Size]byte, err error) {
	if p := current.Load(); p != nil && !fips.Enforced() {
		info, err := f.Stat()
		start, err2 := f.Seek(0, io.SeekCurrent)
		if err == nil && err2 == nil && info.Mode().IsRegular() && info.Size() > start {
			if p.digest(info.Size()-start, false, func(h hashSocket) (bool, error) {
				got, err := h.file(f)
				return copy(sum[:], got) == len(sum), err
			}) {
				return sum, nil
			}
			if _, err := f.Seek(start, io.SeekStart); err != nil {
				return sum, err
			}
		}
	}
	h := sm3.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	h.Sum(sum[:0])
	return sum, nil
}
