//go:build linux && !nokernel

package kcapi

import (
	"bytes"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A sink moves the bytes that io.Copy passes to it to a socket of any kind, as a state does
// to an AF_ALG socket.
type sink struct {
	io.Writer
	fd     int
	source *source
	ended  bool
}

func (s *sink) ReadFrom(r io.Reader) (n int64, err error) {
	if s.source = newSource(r); s.source == nil {
		return 0, nil
	}
	n, s.ended, _, _ = s.source.move(s.fd)
	return n, nil
}

// Which readers are moved within Linux, including the types in which the standard library
// wraps them. This test needs no AF_ALG.
func TestSource(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 5000)
	name := t.TempDir() + "/file"
	os.WriteFile(name, text, 0o600)
	file := func(t *testing.T) io.Reader {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	dial := func(t *testing.T, network, address string) io.Reader {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Skip(err)
		}
		defer l.Close()
		go func() {
			w, err := net.Dial(network, l.Addr().String())
			if err != nil { // in a guest whose loopback interface is down
				l.Close()
				return
			}
			w.Write(text)
			w.Close()
		}()
		r, err := l.Accept()
		if err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	for _, c := range []struct {
		what string
		r    func(t *testing.T) io.Reader
		want int
	}{
		{"file", file, len(text)},
		{"part of a file", func(t *testing.T) io.Reader { return io.LimitReader(file(t), 70000) }, 70000},
		{"unix", func(t *testing.T) io.Reader { return dial(t, "unix", t.TempDir()+"/socket") }, len(text)},
		{"tcp", func(t *testing.T) io.Reader { return dial(t, "tcp", "127.0.0.1:0") }, len(text)},
		{"part of tcp", func(t *testing.T) io.Reader { return io.LimitReader(dial(t, "tcp", "127.0.0.1:0"), 70000) }, 70000},
		{"small part", func(t *testing.T) io.Reader { return io.LimitReader(file(t), 100) }, 0},
		{"memory", func(t *testing.T) io.Reader { return struct{ io.Reader }{bytes.NewReader(text)} }, 0},
		{"what may have more", func(t *testing.T) io.Reader {
			f := file(t)
			return struct {
				io.Reader
				syscall.Conn
			}{f, f.(syscall.Conn)}
		}, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			out := os.NewFile(uintptr(pair[1]), "pair")
			defer out.Close()
			got := make(chan []byte)
			go func() {
				b, _ := io.ReadAll(out)
				got <- b
			}()
			s := &sink{fd: pair[0]}
			n, err := io.Copy(s, c.r(t))
			unix.Close(pair[0])
			b := <-got
			if (s.source != nil) != (c.want > 0) || s.ended != (c.want > 0) || n != int64(c.want) || err != nil || !bytes.Equal(b, text[:c.want]) {
				t.Errorf("source %v, ended %v, %d bytes, %d have arrived, want %d; %v", s.source != nil, s.ended, n, len(b), c.want, err)
			}
		})
	}
}
