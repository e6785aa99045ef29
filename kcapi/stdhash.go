package kcapi

import (
	"fmt"
	"hash"
	"io"

	"github.com/cipherlane/cipherlane/internal/clone"
)

// A stdHash implements hash.Hash. It buffers the beginning of the message, so that
// short messages take two system calls and no socket of their own.
type stdHash struct {
	hash  *Hash
	state *HashState // has the part that was sent; or nil
	rest  []byte     // the part that was not sent yet
	err   error      // cleared by Reset
}

// stdHashBuffer is how much is buffered before it is sent.
const stdHashBuffer = 4 << 10

// NewHash returns a [hash.Hash], which computes a MAC if h has a key. It also
// implements [hash.Cloner] and [io.ReaderFrom], as [HashState.ReadFrom] does, and has
// a method Err() error.
//
// If Linux fails, Write and ReadFrom return an [*Error], and so does Err; the message
// is lost, and the hash can be used again after Reset. Sum cannot return an error and
// panics with it instead. If that is not acceptable, use [Hash.NewState], whose
// methods return all errors.
//
// A message of more than 4 KiB occupies a socket until Reset, or until the hash is
// garbage collected. After SetKey, call Reset on hashes that are in use.
func (h *Hash) NewHash() hash.Hash { return &stdHash{hash: h} }

var _ interface {
	clone.Cloner
	io.ReaderFrom
	Err() error
} = (*stdHash)(nil)

func (s *stdHash) Size() int { return s.hash.size }

// BlockSize panics if the block size is not known from /proc/crypto: with a wrong one,
// HMAC would be wrong.
func (s *stdHash) BlockSize() int {
	n := s.hash.object.facts.blockSize
	if n <= 0 {
		panic(s.hash.object.error(ErrMode, "/proc/crypto does not tell the size of its blocks"))
	}
	return n
}

// Format prints nothing of the message: under crypto/hmac it begins with the key.
func (s *stdHash) Format(f fmt.State, _ rune) { io.WriteString(f, "state of "+s.hash.object.name) }

func (s *stdHash) Err() error { return s.err }

func (s *stdHash) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if len(s.rest)+len(p) > stdHashBuffer {
		if s.err = s.send(s.rest); s.err != nil {
			return 0, s.err
		}
		s.rest = s.rest[:0]
		if len(p) >= stdHashBuffer {
			if s.err = s.send(p); s.err != nil {
				return 0, s.err
			}
			return len(p), nil
		}
	}
	if s.rest == nil {
		s.rest = make([]byte, 0, stdHashBuffer)
	}
	s.rest = append(s.rest, p...)
	return len(p), nil
}

func (s *stdHash) send(p []byte) error {
	if s.state == nil {
		state, err := s.hash.NewState()
		if err != nil {
			return err
		}
		s.state = state
	}
	_, err := s.state.Write(p)
	return err
}

func (s *stdHash) ReadFrom(r io.Reader) (int64, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.err = s.send(s.rest); s.err != nil {
		return 0, s.err
	}
	s.rest = s.rest[:0]
	n, err := s.state.ReadFrom(r)
	if s.state.broken {
		s.err = err
	}
	return n, err
}

func (s *stdHash) Sum(dst []byte) []byte {
	if s.err != nil {
		panic(s.err)
	}
	var err error
	if s.state == nil {
		dst, err = s.hash.Digest(dst, s.rest)
	} else {
		if s.err = s.send(s.rest); s.err != nil {
			panic(s.err)
		}
		s.rest = s.rest[:0]
		dst, err = s.state.Sum(dst)
	}
	if err != nil {
		panic(err)
	}
	return dst
}

func (s *stdHash) Reset() {
	if s.state != nil {
		s.state.Close()
		s.state = nil
	}
	s.rest, s.err = s.rest[:0], nil
}

func (s *stdHash) Clone() (clone.Cloner, error) {
	if s.err != nil {
		return nil, s.err
	}
	c := &stdHash{hash: s.hash}
	if s.state != nil {
		state, err := s.state.Clone()
		if err != nil {
			return nil, err
		}
		c.state = state
	}
	c.rest = append(make([]byte, 0, stdHashBuffer), s.rest...)
	return c, nil
}
