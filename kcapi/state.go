package kcapi

import (
	"io"
	"runtime"
	"sync"
)

// A HashState computes the digest of a message that is written in parts. The state
// is inside Linux and cannot be exported. It must not be used by two goroutines at
// the same time.
type HashState struct {
	hash      *Hash
	object    *object
	transform *transform // with the key that the state was created with
	op        *stateOp
	broken    bool // a part of the message was lost
	cleanup   runtime.Cleanup
}

// A stateOp is the socket of a state, for the cleanup; o is nil once it is closed.
type stateOp struct{ o *op }

func (s *stateOp) close() {
	if s.o != nil {
		s.o.close()
		s.o = nil
	}
}

var _ io.Writer = (*HashState)(nil)
var _ io.ReaderFrom = (*HashState)(nil)

// NewState returns the state for a new message. It has a socket of its own, which
// Close closes.
func (h *Hash) NewState() (*HashState, error) {
	t, o, err := h.object.get()
	if err != nil {
		return nil, err
	}
	t.leave()
	return newState(h, t, o), nil
}

func newState(h *Hash, t *transform, o *op) *HashState {
	s := &HashState{hash: h, object: h.object, transform: t, op: &stateOp{o}}
	s.cleanup = runtime.AddCleanup(s, (*stateOp).close, s.op)
	return s
}

func (s *HashState) check() error {
	if s.op.o == nil {
		return s.object.error(ErrClosed, "")
	}
	if s.broken {
		return s.object.error(ErrFailed, "an earlier part of the message was lost: Reset")
	}
	return nil
}

// Size returns the size of a digest in bytes.
func (s *HashState) Size() int { return s.hash.size }

// Write adds p to the message. After an error the message is lost, and the state must
// be Reset.
func (s *HashState) Write(p []byte) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	_, call, errno := s.op.o.write(p, s.object.deadline(), true)
	runtime.KeepAlive(s)
	if errno != 0 {
		s.broken = true
		return 0, s.object.failed(call, errno)
	}
	return len(p), nil
}

// ReadFrom adds everything that r returns until io.EOF. If there is no [Timeout],
// the bytes of a file, a pipe, or a TCP or Unix socket connection, also inside an
// [io.LimitedReader], are moved within Linux, and the program does not read them.
// After an error of Linux the message is lost, and the state must be Reset; after an
// error of r the state contains what was read before.
func (s *HashState) ReadFrom(r io.Reader) (int64, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	defer runtime.KeepAlive(s)
	var total int64
	if s.object.config.timeout == 0 {
		if source := newSource(r); source != nil {
			n, ended, call, errno := source.move(s.op.o.fd)
			if errno != 0 {
				s.broken = true
				return n, s.object.failed(call, errno)
			}
			if ended {
				return n, nil
			}
			total = n
		}
	}
	b := copyBuffers.Get().(*[64 << 10]byte)
	defer copyBuffers.Put(b)
	defer clear(b[:])
	for {
		n, err := r.Read(b[:])
		if n > 0 {
			if _, err := s.Write(b[:n]); err != nil {
				return total, err
			}
			total += int64(n)
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

var copyBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// Sum appends the digest of the message so far to dst. It does not change the state,
// because it finishes a copy. It takes three system calls.
func (s *HashState) Sum(dst []byte) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(s)
	fd, errno := accept(s.op.o.fd)
	if errno != 0 {
		return nil, s.object.failed("accept", errno)
	}
	o := op{fd: fd, quick: s.op.o.quick}
	whole, out := extend(dst, s.hash.size)
	n, call, errno := o.digest(out, nil, s.object.deadline())
	o.close()
	if errno != 0 {
		return nil, s.object.failed(call, errno)
	}
	if n != len(out) {
		return nil, s.object.odd(n, len(out))
	}
	return whole, nil
}

// Clone returns an independent copy of the state.
func (s *HashState) Clone() (*HashState, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(s)
	fd, errno := accept(s.op.o.fd)
	if errno != 0 {
		return nil, s.object.failed("accept", errno)
	}
	return newState(s.hash, s.transform, &op{fd: fd, quick: s.op.o.quick}), nil
}

// Reset starts a new message; a MAC keeps its key. After an error it needs a new
// socket, and returns [ErrClosed] if the [Hash] has been closed or its key changed.
func (s *HashState) Reset() error {
	if s.op.o == nil {
		return s.object.error(ErrClosed, "")
	}
	defer runtime.KeepAlive(s)
	if !s.broken {
		var out [maxDigest]byte
		if n, _, errno := s.op.o.digest(out[:s.hash.size], nil, s.object.deadline()); errno == 0 && n == s.hash.size {
			return nil
		}
		s.broken = true
	}
	o, call, errno := s.transform.get()
	if errno != 0 {
		return s.object.failed(call, errno)
	}
	if o == nil {
		return s.object.error(ErrClosed, "")
	}
	s.transform.leave()
	s.op.o.close()
	s.op.o = o
	s.broken = false
	return nil
}

// Close closes the socket.
func (s *HashState) Close() error {
	s.cleanup.Stop()
	s.op.close()
	return nil
}
