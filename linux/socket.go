package linux

import (
	"os"
	"time"

	"github.com/cipherlane/cipherlane/kcapi"
)

// A backend is where sockets come from: Linux or, in tests, a stand-in that
// fails on purpose. Sockets are those of package kcapi and safe for concurrent
// use; they keep no buffer beyond a call and show none to another goroutine.
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

// system is the backend that is Linux.
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

// most is how many objects of keys may be open at a time. Each takes a descriptor
// and up to two more between calls, and descriptors are the program's, not ours.
const most = 32

// atOnce is how many calls may be in Linux at a time; the others are software. An
// engine does one or two things at once, and a call that waits for it has a
// descriptor and a thread of the operating system: when an engine hangs, a program
// with thousands of connections would run out of both.
const atOnce = 16

// engineTimeout is how long an engine may take for 64 KiB; a slow one takes a few
// milliseconds, and others may stand in line.
const engineTimeout = 2 * time.Second
