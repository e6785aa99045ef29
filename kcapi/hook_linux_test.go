//go:build linux && !nokernel && kcapi_hook

package kcapi

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// With the tag kcapi_hook tests see every system call of an operation and can
// answer in Linux's place.

func setHook(t *testing.T, f func(call string, fd int) (syscall.Errno, bool)) {
	theHook.Store(&f)
	t.Cleanup(func() { theHook.Store(nil) })
}

func ok[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		skip(t, err)
	}
	return v
}

func TestSystemCalls(t *testing.T) {
	h, err := OpenHash("sha256")
	ok(t, h, err)
	defer h.Close()
	c, err := OpenCipher("cbc(aes)", Bytes(make([]byte, 16)))
	ok(t, c, err)
	defer c.Close()
	a, err := OpenAEAD("gcm(aes)", Bytes(make([]byte, 16)), 16)
	ok(t, a, err)
	defer a.Close()
	s, err := h.NewState()
	ok(t, s, err)
	defer s.Close()
	state2, err := h.NewState() // so that the pool is filled by what follows
	ok(t, state2, err)
	defer state2.Close()

	var calls atomic.Int64
	setHook(t, func(call string, fd int) (syscall.Errno, bool) {
		calls.Add(1)
		return 0, false
	})
	b, out := make([]byte, 256<<10), make([]byte, 0, 300<<10)
	nonce := make([]byte, 12)
	h.Digest(out, b)
	for _, x := range []struct {
		what string
		want int64
		f    func() error
	}{
		{"Digest", 2, func() error { _, err := h.Digest(out, b[:100]); return err }},
		{"Digest of 256 KiB", 2, func() error { _, err := h.Digest(out, b); return err }},
		{"Digest of nothing", 1, func() error { _, err := h.Digest(out, nil); return err }},
		{"Write", 1, func() error { _, err := s.Write(b[:100]); return err }},
		{"Sum", 2, func() error { _, err := s.Sum(out); return err }}, // and close
		{"Encrypt", 2, func() error { return c.Encrypt(b[:16], b[:16], b[:16]) }},
		{"Decrypt of 64 KiB", 2, func() error { return c.Decrypt(b[:64<<10], b[:64<<10], b[:16]) }},
		{"Encrypt of 256 KiB", 8, func() error { return c.Encrypt(b, b, b[:16]) }},
		{"Seal", 2, func() error { _, err := a.Seal(out, nonce, b[:100], b[:10]); return err }},
		{"Seal of 200 KiB", 2, func() error { _, err := a.Seal(out, nonce, b[:200<<10], nil); return err }},
		{"Open of a forgery", 2, func() error {
			if _, err := a.Open(out, nonce, b[:100], b[:10]); !errors.Is(err, ErrAuth) {
				return fmt.Errorf("forgery: %v", err)
			}
			return nil
		}},
		{"Open of nothing forged", 2, func() error {
			if _, err := a.Open(out, nonce, b[:16], nil); !errors.Is(err, ErrAuth) {
				return fmt.Errorf("forgery: %v", err)
			}
			return nil
		}},
	} {
		for range 3 {
			calls.Store(0)
			if err := x.f(); err != nil {
				t.Errorf("%s: %v", x.what, err)
			}
			if n := calls.Load(); n != x.want {
				t.Errorf("%s takes %d system calls, want %d", x.what, n, x.want)
			}
		}
	}
}

// Whatever Linux answers to any call, there is an error with that answer, the
// socket is not used again, and the next call works.
func TestFaults(t *testing.T) {
	key, b := Bytes(make([]byte, 16)), make([]byte, 100<<10)
	h, err := OpenHash("sha256")
	ok(t, h, err)
	defer h.Close()
	c, err := OpenCipher("cbc(aes)", key)
	ok(t, c, err)
	defer c.Close()
	a, err := OpenAEAD("gcm(aes)", key, 16)
	ok(t, a, err)
	defer a.Close()
	s, err := h.NewState()
	ok(t, s, err)
	defer s.Close()
	sealed, err := a.Seal(nil, b[:12], b[:1000], nil)
	ok(t, sealed, err)
	for name, f := range map[string]func() error{
		"Digest":  func() error { _, err := h.Digest(nil, b); return err },
		"Encrypt": func() error { return c.Encrypt(b, b, make([]byte, 16)) },
		"Seal":    func() error { _, err := a.Seal(nil, make([]byte, 12), b, nil); return err },
		"Open":    func() error { _, err := a.Open(nil, make([]byte, 12), sealed, nil); return err },
		"Write": func() error {
			if err := s.Reset(); err != nil {
				return err
			}
			_, err := s.Write(b)
			return err
		},
		"Sum": func() error { s.Reset(); _, err := s.Sum(nil); return err },
	} {
		for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.EIO, syscall.ENOMEM, syscall.EAGAIN, syscall.EINTR, syscall.ENOKEY} {
			for at := range 4 {
				var calls, bad atomic.Int64
				bad.Store(-1)
				reached := false
				f0 := func(call string, fd int) (syscall.Errno, bool) {
					if call == "accept" { // the number can come back
						bad.Store(-1)
					}
					if int64(fd) == bad.Load() {
						t.Errorf("%s: the socket is used after %v", name, errno)
					}
					if calls.Add(1) == int64(at+1) {
						reached = true
						if call != "accept" {
							bad.Store(int64(fd))
						}
						return errno, true
					}
					return 0, false
				}
				setHook(t, f0)
				err := f()
				if !reached || name == "Write" && err == nil || name == "Sum" && err == nil {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					continue
				}
				if !errors.Is(err, errno) {
					t.Errorf("%s: call %d fails with %v: %v", name, at, errno, err)
				}
				if err := f(); err != nil {
					t.Errorf("%s after %v: %v", name, errno, err)
				}
			}
		}
	}
}

// An engine that never answers.
func TestHang(t *testing.T) {
	c, err := OpenCipher("cbc(aes)", Bytes(make([]byte, 16)), Timeout(20*time.Millisecond))
	ok(t, c, err)
	defer c.Close()
	release := make(chan struct{})
	setHook(t, func(call string, fd int) (syscall.Errno, bool) {
		if call == "receive" {
			<-release
		}
		return 0, false
	})
	b := make([]byte, 64)
	for range 3 {
		if err := c.Encrypt(b, b, b[:16]); !errors.Is(err, ErrTimeout) {
			t.Errorf("%v", err)
		}
		if b[0] != 0 || b[63] != 0 {
			t.Error("written after the time")
		}
	}
	close(release)
	theHook.Store(nil)
	if err := c.Encrypt(b, b, b[:16]); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
