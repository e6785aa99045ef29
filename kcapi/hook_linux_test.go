//go:build linux && !nokernel && kcapi_hook

package kcapi

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// With the tag kcapi_hook, tests can intercept every system call of an operation and
// return an error in place of Linux.

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

// TestFaults makes every system call fail with an errno. The error contains it, the socket is
// not used again, and the next call works.
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
					if call == "accept" { // the descriptor number can be reused
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

func TestInterfaceCalls(t *testing.T) {
	key, b := Bytes(make([]byte, 16)), make([]byte, 100<<10)
	h, err := OpenHash("sha256")
	ok(t, h, err)
	defer h.Close()
	ecb, err := OpenCipher("ecb(aes)", key)
	ok(t, ecb, err)
	defer ecb.Close()
	cbc, err := OpenCipher("cbc(aes)", key)
	ok(t, cbc, err)
	defer cbc.Close()
	ctr, err := OpenCipher("ctr(aes)", key)
	ok(t, ctr, err)
	defer ctr.Close()
	gcm, err := OpenAEAD("gcm(aes)", key, 16)
	ok(t, gcm, err)
	defer gcm.Close()
	block, _ := ecb.NewBlock()
	mode, _ := cbc.NewEncrypter(b[:16])
	stream, _ := ctr.NewStream(b[:16])
	aead, _ := gcm.NewAEAD()
	d := h.NewHash()
	var calls atomic.Int64
	setHook(t, func(call string, fd int) (syscall.Errno, bool) {
		calls.Add(1)
		return 0, false
	})
	for _, x := range []struct {
		what string
		want int64
		f    func()
	}{
		{"a short hash in many pieces", 2, func() {
			for range 4096 {
				d.Write(b[:1])
			}
			d.Sum(nil)
		}},
		{"Sum again", 2, func() { d.Sum(nil) }},
		{"Reset", 0, func() { d.Reset() }},
		{"a block", 2, func() { block.Encrypt(b, b) }},
		{"many blocks", 2, func() { block.DecryptBlocks(b[:64<<10], b[:64<<10]) }},
		{"CryptBlocks", 2, func() { mode.CryptBlocks(b[:1600], b[:1600]) }},
		{"a long piece of a stream", 2, func() { stream.XORKeyStream(b[:1600], b[:1600]) }},
		{"a stream in many pieces", 2, func() {
			for range streamAhead {
				stream.XORKeyStream(b[:1], b[:1])
			}
		}},
		{"Seal", 2, func() { aead.Seal(nil, b[:12], b[:100], nil) }},
	} {
		calls.Store(0)
		x.f()
		if n := calls.Load(); n != x.want {
			t.Errorf("%s takes %d system calls, want %d", x.what, n, x.want)
		}
	}
}

// When Linux fails, Go's interfaces return the error if they can, otherwise panic with it,
// and never return wrong output.
func TestInterfaceFaults(t *testing.T) {
	key, text := Bytes(make([]byte, 16)), make([]byte, 150<<10)
	h, err := OpenHash("sha256", PoolSize(0))
	ok(t, h, err)
	defer h.Close()
	cbc, err := OpenCipher("cbc(aes)", key, PoolSize(0))
	ok(t, cbc, err)
	defer cbc.Close()
	ctr, err := OpenCipher("ctr(aes)", key, PoolSize(0))
	ok(t, ctr, err)
	defer ctr.Close()
	gcm, err := OpenAEAD("gcm(aes)", key, 16, PoolSize(0))
	ok(t, gcm, err)
	defer gcm.Close()
	ecb, err := OpenCipher("ecb(aes)", key, PoolSize(0))
	ok(t, ecb, err)
	defer ecb.Close()
	aead, _ := gcm.NewAEAD()
	block, _ := ecb.NewBlock()
	sealed := aead.Seal(nil, text[:12], text[:1000], nil)
	mode, _ := cbc.NewEncrypter(text[:16])
	out := make([]byte, len(text))
	for _, x := range []struct {
		what string
		f    func() ([]byte, error)
	}{
		{"a short hash", func() ([]byte, error) {
			d := h.NewHash()
			d.Write(text[:100])
			return d.Sum(nil), nil
		}},
		{"a long hash", func() ([]byte, error) {
			d := h.NewHash().(*stdHash)
			defer d.Reset()
			for range 3 {
				if _, err := d.Write(text[:3000]); err != nil {
					if d.Err() != err {
						t.Errorf("Err() = %v", d.Err())
					}
					return nil, err
				}
			}
			c, err := d.Clone()
			if err != nil {
				return nil, err
			}
			defer c.Reset()
			return c.Sum(d.Sum(nil)), nil
		}},
		{"a block", func() ([]byte, error) {
			block.Encrypt(out, text)
			return out[:16], nil
		}},
		{"a mode", func() ([]byte, error) { // which may be called again
			mode.(*blockMode).SetIV(text[:16])
			mode.CryptBlocks(out[:16<<10], text[:16<<10])
			mode.CryptBlocks(out[16<<10:], text[16<<10:len(text)])
			return out, nil
		}},
		{"a stream", func() ([]byte, error) {
			s, _ := ctr.NewStream(text[:16])
			s.XORKeyStream(out[:7], text[:7])
			func() {
				defer func() {
					if e := recover(); e != nil {
						defer func() {
							if recover() != e {
								t.Error("a stream goes on after an error")
							}
							panic(e)
						}()
						s.XORKeyStream(out[:1], text[:1])
					}
				}()
				s.XORKeyStream(out[7:], text[7:])
			}()
			return out, nil
		}},
		{"Seal", func() ([]byte, error) { return aead.Seal(nil, text[:12], text[:1000], nil), nil }},
		{"Open", func() ([]byte, error) { return aead.Open(nil, text[:12], sealed, nil) }},
		{"a key", func() ([]byte, error) { return h.PipelineKDF(text[:100], 100) }},
	} {
		run := func() (out []byte, err error) {
			defer func() {
				if e := recover(); e != nil {
					err = e.(*Error)
				}
			}()
			return x.f()
		}
		want, err := run()
		if err != nil {
			t.Fatalf("%s: %v", x.what, err)
		}
		want = append([]byte(nil), want...)
		failed := 0
		for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.EIO, syscall.ENOMEM, syscall.EMFILE} {
			for at := range int64(12) {
				var calls atomic.Int64
				setHook(t, func(call string, fd int) (syscall.Errno, bool) { return errno, calls.Add(1) == at+1 })
				got, err := run()
				theHook.Store(nil)
				switch {
				case calls.Load() <= at:
					if err != nil {
						t.Errorf("%s: %v", x.what, err)
					}
				case err == nil:
					t.Errorf("%s: call %d fails with %v, and nothing is said", x.what, at, errno)
				case !errors.Is(err, errno):
					t.Errorf("%s: call %d fails with %v: %v", x.what, at, errno, err)
				default:
					failed++
				}
				if err == nil && string(got) != string(want) {
					t.Errorf("%s: wrong output after call %d has failed with %v", x.what, at, errno)
				}
			}
		}
		if failed < 8 {
			t.Errorf("%s: only %d calls have failed", x.what, failed)
		}
	}
}

// io.Copy wraps files and connections in other types; their bytes are moved within Linux
// nevertheless. If that fails, the state returns an error until Reset.
func TestSourceFaults(t *testing.T) {
	h, err := OpenHash("sha256")
	ok(t, h, err)
	defer h.Close()
	text := make([]byte, 300<<10)
	name := t.TempDir() + "/file"
	os.WriteFile(name, text, 0o600)
	for _, x := range []struct {
		call string
		copy func(s *HashState, f *os.File) (int64, error)
	}{
		{"sendfile", func(s *HashState, f *os.File) (int64, error) { return io.Copy(s, f) }},
		{"splice", func(s *HashState, f *os.File) (int64, error) { return io.CopyN(s, f, 200<<10) }},
		{"splice", func(s *HashState, f *os.File) (int64, error) {
			r, w, _ := os.Pipe()
			defer r.Close()
			go func() {
				io.Copy(w, f)
				w.Close()
			}()
			return io.Copy(s, r)
		}},
	} {
		s, err := h.NewState()
		ok(t, s, err)
		for _, fail := range []int64{0, 1, 2} {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			var calls, sends atomic.Int64
			setHook(t, func(call string, fd int) (syscall.Errno, bool) {
				if call == "send" {
					sends.Add(1)
				}
				if call != x.call || calls.Add(1) != fail {
					return 0, false
				}
				return syscall.EIO, true
			})
			_, err = x.copy(s, f)
			f.Close()
			theHook.Store(nil)
			if calls.Load() == 0 {
				t.Errorf("%s is not called", x.call)
			}
			// If sendfile refuses at once, the file is read instead.
			lost := fail > 0 && calls.Load() >= fail && sends.Load() == 0
			if lost != errors.Is(err, syscall.EIO) || !lost && err != nil {
				t.Errorf("%s: call %d of %d: %v", x.call, fail, calls.Load(), err)
			}
			if _, err := s.Sum(nil); (err != nil) != lost {
				t.Errorf("%s: call %d: Sum: %v", x.call, fail, err)
			}
			if err := s.Reset(); err != nil {
				t.Error(err)
			}
		}
		s.Close()
	}
}
