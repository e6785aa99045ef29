package linux

import (
	"os"
	"time"

	"github.com/cipherlane/cipherlane/kcapi"
)

// A backend opens sockets: Linux or, in tests, a stand-in that fails on purpose.
// Sockets behave like the types of package kcapi. They are safe for concurrent use,
// do not keep buffers beyond a call, and do not pass them to other goroutines.
type backend interface {
	environment() *kcapi.Environment
	openCipher(name string, key []byte, opts ...kcapi.Option) (cipherSocket, error)
	openAEAD(name string, key []byte, tagSize int, opts ...kcapi.Option) (aeadSocket, error)
	openHash(name string, opts ...kcapi.Option) (hashSocket, error)
}

type cipherSocket interface {
	Encrypt(dst, src, iv []byte) error
	Decrypt(dst, src, iv []byte) error
	Driver() string
	Close() error
}

type aeadSocket interface {
	Seal(dst, nonce, plaintext, data []byte) ([]byte, error)
	Open(dst, nonce, ciphertext, data []byte) ([]byte, error)
	Driver() string
	Close() error
}

type hashSocket interface {
	Digest(dst, p []byte) ([]byte, error)
	// file returns the digest of the rest of a file.
	file(f *os.File) ([]byte, error)
	Driver() string
	Close() error
}

// system is the backend for Linux itself.
type system struct{}

func (system) environment() *kcapi.Environment { return kcapi.ReadEnvironment() }

func (system) openCipher(name string, key []byte, opts ...kcapi.Option) (cipherSocket, error) {
	c, err := kcapi.OpenCipher(name, kcapi.Bytes(key), opts...)
	if err != nil {
		return nil, err // not a nil *kcapi.Cipher in an interface
	}
	return c, nil
}

func (system) openAEAD(name string, key []byte, tagSize int, opts ...kcapi.Option) (aeadSocket, error) {
	a, err := kcapi.OpenAEAD(name, kcapi.Bytes(key), tagSize, opts...)
	if err != nil {
		return nil, err
	}
	return a, nil
}

func (system) openHash(name string, opts ...kcapi.Option) (hashSocket, error) {
	h, err := kcapi.OpenHash(name, opts...)
	if err != nil {
		return nil, err
	}
	return hasher{h}, nil
}

type hasher struct{ *kcapi.Hash }

func (h hasher) file(f *os.File) ([]byte, error) {
	s, err := h.NewState()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if _, err := s.ReadFrom(f); err != nil {
		return nil, err
	}
	return s.Sum(nil)
}

// most is the maximum number of objects for keys that are open at a time. Each has a
// descriptor and up to two more between calls, and the program needs descriptors, too.
const most = 32

// atOnce is the maximum number of calls in Linux at a time; others are computed in
// software. An engine does one or two things at once, and a call that waits for it
// occupies a descriptor and an operating system thread: when an engine hangs, a
// program with thousands of connections would otherwise run out of both.
const atOnce = 16

// engineTimeout limits the time of an engine for 64 KiB; a slow one takes a few
// milliseconds, and there may be a queue.
const engineTimeout = 2 * time.Second
