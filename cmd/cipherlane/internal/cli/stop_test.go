//go:build unix

package cli

import (
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
)

// TestStop ends a Read that waits, of a pipe in either mode, before and after it has begun.
func TestStop(t *testing.T) {
	for _, blocking := range []bool{true, false} {
		for _, early := range []bool{true, false} {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if blocking {
				fd, err := syscall.Dup(int(r.Fd())) // Fd makes it block
				if err != nil {
					t.Fatal(err)
				}
				r.Close()
				r = os.NewFile(uintptr(fd), "pipe")
			}
			in, err := NewInput(r, "pipe")
			if err != nil {
				t.Fatal(err)
			}
			undo := in.MakeStoppable()
			if (in.wait != nil) != blocking {
				t.Fatalf("blocking mode %v, and wait %v", blocking, in.wait != nil)
			}
			w.WriteString("some")
			b := make([]byte, 100)
			if n, err := in.Read(b); n != 4 || err != nil {
				t.Errorf("%d bytes, error %v", n, err)
			}
			result := make(chan error)
			if early {
				in.Stop()
			}
			go func() {
				_, err := in.Read(b)
				result <- err
			}()
			if !early {
				in.Stop()
			}
			in.Stop()
			if err := <-result; !errors.Is(err, errStopped) && !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("error %v of a Read that was stopped", err)
			}
			undo()
			r.Close()
			w.Close()
		}
	}
	// Files of other kinds are never waited for.
	in, err := NewInput(os.NewFile(uintptr(must(syscall.Open(os.DevNull, syscall.O_RDONLY, 0))), "null"), "null")
	if err != nil {
		t.Fatal(err)
	}
	defer in.MakeStoppable()()
	if _, err := in.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("error %v at the end", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
